// core/supported.h - compilers and machines that the implementation is for

#ifndef __CUDACC_RTC__
#ifndef __GNUC__
#error "gpuprims.h: the implementation needs gcc or clang (their attributes, __atomic and __thread)"
#endif
#if defined(__cplusplus) && __cplusplus < 201103L
#error "gpuprims.h: the implementation needs C++11 or later: compile with -std=c++11, or as C with -std=c99"
#endif
#if !defined(__linux__) || !defined(__LP64__) || !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "gpuprims.h: the implementation needs Linux on a 64-bit little-endian machine (x86-64, aarch64)"
#endif
#endif
