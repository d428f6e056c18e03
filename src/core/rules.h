// core/rules.h - macros for rules that the host and kernels share; declaration of policy fields

#ifdef __cplusplus
#define GP__CONSTEXPR constexpr
#else
#define GP__CONSTEXPR
#endif
#if defined(__CUDACC__) && !defined(GPUPRIMS_SIMT)
#define GP__BOTH __host__ __device__
#else
#define GP__BOTH
#endif
#define GP__HOST static __attribute__((unused))
#define GP__RULE GP__BOTH static inline GP__CONSTEXPR __attribute__((unused))

// Policy fields: each family has a list GP_POLICY_FIELDS_...(F) of F(field, default, values...) in its policy.h.
// gp__portable chooses the fields whose default is zero. The host makes its parser and its JSON of these lists; the
// kernels get the resolved numbers as template arguments.
