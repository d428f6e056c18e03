// core/rules.h - how a rule is written, that the host and kernels share

#ifdef __cplusplus
#define GPUPRIMS__CONSTEXPR constexpr
#else
#define GPUPRIMS__CONSTEXPR
#endif
#if defined(__CUDACC__) && !defined(GPUPRIMS_SIMT)
#define GPUPRIMS__BOTH __host__ __device__
#else
#define GPUPRIMS__BOTH
#endif
#define GPUPRIMS__RULE GPUPRIMS__BOTH static inline GPUPRIMS__CONSTEXPR __attribute__((unused))
