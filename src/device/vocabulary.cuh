// device/vocabulary.cuh - the basics of device text: GP_DEVICE, unrolling, words, a vector
// uses: core/words.h

#define GP_DEVICE __device__ __forceinline__

#ifdef GPUPRIMS_SIMT // unrolling is for the device
#define GP__UNROLL
#define GP__UNROLL_BY(n)
#else
#define GP__PRAGMA(text) _Pragma(#text)
#define GP__UNROLL _Pragma("unroll")
#define GP__UNROLL_BY(n) GP__PRAGMA(unroll n)
#endif
#define GP__EACH(i, n) \
  GP__UNROLL \
  for (int i = 0; i < (n); ++i)

// A pointer to bytes, or an address, as a pointer to their type.
template<class T> GP_DEVICE T *gp__as(void *p) { return static_cast<T *>(p); }
template<class T> GP_DEVICE const T *gp__as(const void *p) { return static_cast<const T *>(p); }
template<class T> GP_DEVICE T *gp__as(gp__u64 address) { return reinterpret_cast<T *>(address); }

// 16 bytes of device memory, as registers.
struct alignas(16) gp_vector {
  gp__u32 word[4];
};

// 8 bytes of a value and the tag of its call, read and written in one access: a reader that sees the tag sees the
// value, without a fence.
struct alignas(16) gp__word {
  gp__u64 value, tag;
};
