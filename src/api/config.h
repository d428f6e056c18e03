// api/config.h - headers, linkage of the API

#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#include <stdint.h>
#else // NVRTC has no headers; sources of users' types and operators may use these names too
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#endif

#define GP__INLINE static inline __attribute__((unused))
#ifdef GPUPRIMS_STATIC
#define GP__API static __attribute__((unused))
#elif defined(__cplusplus)
#define GP__API extern "C"
#else
#define GP__API extern
#endif
