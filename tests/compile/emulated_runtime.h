// emulated_runtime.h - the examples' few calls of the CUDA runtime, on the emulator of tests/simt, so that their
// kernels run without a GPU. check.py turns their launches into SIMT_LAUNCH.
#ifndef EMULATED_RUNTIME_H
#define EMULATED_RUNTIME_H

#include "simt.h"

#include <cstdio>
#include <cstdlib>

#define GPUPRIMS_SIMT

typedef int cudaError_t;
enum { cudaSuccess = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

// The emulator's reports make the program fail, whether it asks or not. Registered by the first allocation, so that it
// runs while the emulator's own objects are still there.
inline void emulated_runtime_end() {
  if (simt::error().empty()) return;
  fprintf(stderr, "%s\n", simt::error().c_str());
  fflush(nullptr);
  _Exit(1);
}
template<class T> cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  static const int registered = atexit(emulated_runtime_end);
  if (registered) return 2;
  *pointer = static_cast<T *>(simt::device_malloc(bytes));
  return *pointer ? cudaSuccess : 2;
}
template<class T> cudaError_t cudaMallocManaged(T **pointer, size_t bytes) { return cudaMalloc(pointer, bytes); }
inline cudaError_t cudaFree(void *pointer) { return simt::device_free(pointer) ? cudaSuccess : 1; }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  if (kind == cudaMemcpyHostToDevice) simt::host_write(to, from, bytes);
  else memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return simt::error().empty() ? cudaSuccess : 719; }
inline cudaError_t cudaDeviceSynchronize() { return cudaGetLastError(); }
inline const char *cudaGetErrorString(cudaError_t) { return simt::error().c_str(); }

#endif
