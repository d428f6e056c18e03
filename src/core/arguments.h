// core/arguments.h - a value in an argument
// uses: core/words.h

// The arguments of the kernels: one struct a family, filled by dispatch, passed by value. Pointers are device pointers.
enum { GP__VALUE_BYTES = 64 };
typedef struct gp__value {
#ifdef __cplusplus
  alignas(16)
#else
  __attribute__((aligned(16)))
#endif
      gp__u8 bytes[GP__VALUE_BYTES];
} gp__value;
