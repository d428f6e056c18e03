// device_memory.h - memory for the examples: the GPU's, through libcuda opened at run time, if the context runs on one;
// otherwise the host's. So an example in plain C needs no CUDA header and runs on any machine. Include it after
// gpuprims.h, link with -ldl. Your own program already has its memory: from the CUDA runtime, PyTorch, CuPy, or malloc.
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct device_memory {
  void *library; // libcuda; NULL: use host memory
  int (*alloc)(uint64_t *, size_t);
  int (*release)(uint64_t);
  int (*to_device)(uint64_t, const void *, size_t);
  int (*to_host)(void *, uint64_t, size_t);
  int (*copy)(uint64_t, uint64_t, size_t, void *);
  int (*wait)(void);
} device_memory;

static inline void *device_memory_symbol(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "libcuda has no %s\n", name);
    exit(1);
  }
  return symbol;
}

static inline void device_memory_check(int code, const char *what) {
  if (code) {
    fprintf(stderr, "%s: the driver's error %d\n", what, code);
    exit(1);
  }
}

// Ends the program with the library's message if a call failed: enough for an example.
static inline void check(gp_result result) {
  if (result != GP_SUCCESS) {
    fprintf(stderr, "%s: %s\n", gp_result_name(result), gp_last_message());
    exit(1);
  }
}

// Memory of ctx's device. Makes the device's primary context current on this thread.
static inline device_memory device_memory_open(gp_context *ctx) {
  device_memory m;
  gp_description description = gp_description_init();
  int (*retain)(void **, int), (*set_current)(void *);
  void *primary = NULL;
  memset(&m, 0, sizeof m);
  check(gp_describe(ctx, &description));
  if (description.backend != GP_BACKEND_CUDA) return m;
  m.library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!m.library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  *(void **)&m.alloc = device_memory_symbol(m.library, "cuMemAlloc_v2");
  *(void **)&m.release = device_memory_symbol(m.library, "cuMemFree_v2");
  *(void **)&m.to_device = device_memory_symbol(m.library, "cuMemcpyHtoD_v2");
  *(void **)&m.to_host = device_memory_symbol(m.library, "cuMemcpyDtoH_v2");
  *(void **)&m.copy = device_memory_symbol(m.library, "cuMemcpyDtoDAsync_v2");
  *(void **)&m.wait = device_memory_symbol(m.library, "cuCtxSynchronize");
  *(void **)&retain = device_memory_symbol(m.library, "cuDevicePrimaryCtxRetain");
  *(void **)&set_current = device_memory_symbol(m.library, "cuCtxSetCurrent");
  device_memory_check(retain(&primary, description.device), "cuDevicePrimaryCtxRetain");
  device_memory_check(set_current(primary), "cuCtxSetCurrent");
  return m;
}

static inline void *device_memory_new(const device_memory *m, size_t bytes) {
  uint64_t address = 0;
  void *pointer;
  if (m->library) {
    device_memory_check(m->alloc(&address, bytes ? bytes : 1), "cuMemAlloc");
    return (void *)(uintptr_t)address;
  }
  pointer = malloc(bytes ? bytes : 1);
  device_memory_check(pointer ? 0 : 2, "malloc");
  return pointer;
}

static inline void device_memory_free(const device_memory *m, void *pointer) {
  if (m->library) device_memory_check(m->release((uint64_t)(uintptr_t)pointer), "cuMemFree");
  else free(pointer);
}

// Waits for all earlier work; so do the two copies below.
static inline void device_memory_wait(const device_memory *m) {
  if (m->library) device_memory_check(m->wait(), "cuCtxSynchronize");
}

static inline void device_memory_write(const device_memory *m, void *device, const void *host, size_t bytes) {
  if (m->library) device_memory_check(m->to_device((uint64_t)(uintptr_t)device, host, bytes), "cuMemcpyHtoD");
  else memcpy(device, host, bytes);
}

static inline void device_memory_read(const device_memory *m, void *host, const void *device, size_t bytes) {
  device_memory_wait(m);
  if (m->library) device_memory_check(m->to_host(host, (uint64_t)(uintptr_t)device, bytes), "cuMemcpyDtoH");
  else memcpy(host, device, bytes);
}

#endif
