// gp_cuda.h - the functions of the CUDA driver and NVML that the tools and the GPU tests call, opened at run time:
// needs no toolkit header; a machine without a GPU gets a reason instead of an error.
#ifndef GP_CUDA_H
#define GP_CUDA_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// X(name, symbol, parameters)
#define GP_CUDA_FUNCTIONS(X) \
  X(init, "cuInit", (unsigned)) \
  X(driver_version, "cuDriverGetVersion", (int *)) \
  X(device_count, "cuDeviceGetCount", (int *)) \
  X(device_get, "cuDeviceGet", (int *, int)) \
  X(device_name, "cuDeviceGetName", (char *, int, int)) \
  X(device_attribute, "cuDeviceGetAttribute", (int *, int, int)) \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t *, int)) \
  X(device_bus_id, "cuDeviceGetPCIBusId", (char *, int, int)) \
  X(device_uuid, "cuDeviceGetUuid", (void *, int)) \
  X(retain, "cuDevicePrimaryCtxRetain", (void **, int)) \
  X(release, "cuDevicePrimaryCtxRelease_v2", (int)) \
  X(set_current, "cuCtxSetCurrent", (void *)) \
  X(synchronize, "cuCtxSynchronize", (void)) \
  X(error_name, "cuGetErrorName", (int, const char **)) \
  X(alloc, "cuMemAlloc_v2", (uint64_t *, size_t)) \
  X(free_, "cuMemFree_v2", (uint64_t)) \
  X(alloc_async, "cuMemAllocAsync", (uint64_t *, size_t, void *)) \
  X(free_async, "cuMemFreeAsync", (uint64_t, void *)) \
  X(stream_capturing, "cuStreamIsCapturing", (void *, int *)) \
  X(host_alloc, "cuMemAllocHost_v2", (void **, size_t)) \
  X(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *)) \
  X(to_device, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t)) \
  X(to_host, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t)) \
  X(to_device_async, "cuMemcpyHtoDAsync_v2", (uint64_t, const void *, size_t, void *)) \
  X(copy, "cuMemcpyDtoDAsync_v2", (uint64_t, uint64_t, size_t, void *)) \
  X(set8, "cuMemsetD8Async", (uint64_t, unsigned char, size_t, void *)) \
  X(set32, "cuMemsetD32Async", (uint64_t, unsigned, size_t, void *)) \
  X(stream_create, "cuStreamCreate", (void **, unsigned)) \
  X(stream_destroy, "cuStreamDestroy_v2", (void *)) \
  X(stream_wait, "cuStreamSynchronize", (void *)) \
  X(event_create, "cuEventCreate", (void **, unsigned)) \
  X(event_destroy, "cuEventDestroy_v2", (void *)) \
  X(event_record, "cuEventRecord", (void *, void *)) \
  X(event_wait, "cuEventSynchronize", (void *)) \
  X(event_elapsed, "cuEventElapsedTime", (float *, void *, void *)) \
  X(capture_begin, "cuStreamBeginCapture_v2", (void *, int)) \
  X(capture_end, "cuStreamEndCapture", (void *, void **)) \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long)) \
  X(graph_launch, "cuGraphLaunch", (void *, void *)) \
  X(graph_exec_destroy, "cuGraphExecDestroy", (void *)) \
  X(graph_destroy, "cuGraphDestroy", (void *)) \
  X(module_load, "cuModuleLoadData", (void **, const void *)) \
  X(module_unload, "cuModuleUnload", (void *)) \
  X(module_function, "cuModuleGetFunction", (void **, void *, const char *)) \
  X(module_global, "cuModuleGetGlobal_v2", (uint64_t *, size_t *, void *, const char *)) \
  X(function_attribute, "cuFuncSetAttribute", (void *, int, int)) \
  X(launch, "cuLaunchKernelEx", (const void *, void *, void **, void **))

typedef struct gp_cuda {
#define GP_CUDA_MEMBER(name, symbol, parameters) int(*name) parameters;
  GP_CUDA_FUNCTIONS(GP_CUDA_MEMBER)
#undef GP_CUDA_MEMBER
} gp_cuda;

// Attributes of cuDeviceGetAttribute, and the capture mode that does not affect other threads.
enum {
  GP_CUDA_CLOCK_KHZ = 13,
  GP_CUDA_MULTIPROCESSORS = 16,
  GP_CUDA_ECC = 32,
  GP_CUDA_MEMORY_CLOCK_KHZ = 36,
  GP_CUDA_BUS_WIDTH = 37,
  GP_CUDA_L2_BYTES = 38,
  GP_CUDA_MAJOR = 75,
  GP_CUDA_MINOR = 76,
  GP_CUDA_DYNAMIC_SHARED_BYTES = 8, // of cuFuncSetAttribute
  GP_CUDA_CARVEOUT = 9, // of cuFuncSetAttribute: the preferred share of shared memory, percent
  GP_CUDA_CAPTURE_RELAXED = 2,
  GP_CUDA_STREAM_NON_BLOCKING = 1
};

// CUlaunchConfig without attributes.
typedef struct gp_cuda_launch {
  unsigned grid[3], block[3], shared_bytes;
  void *stream, *attributes;
  unsigned attribute_count;
} gp_cuda_launch;

// Opens the driver and the first device. Returns NULL, or why there is none.
static inline __attribute__((unused)) const char *gp_cuda_open(gp_cuda *c) {
  static char reason[256];
  int count = 0, code;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  memset(c, 0, sizeof *c);
  if (!library) return "no libcuda.so.1 on this machine";
#define GP_CUDA_LOAD(name, symbol, parameters) \
  *(void **)&c->name = dlsym(library, symbol); \
  if (!c->name) return snprintf(reason, sizeof reason, "libcuda.so.1 has no %s", symbol), reason;
  GP_CUDA_FUNCTIONS(GP_CUDA_LOAD)
#undef GP_CUDA_LOAD
  code = c->init(0);
  if (code) return snprintf(reason, sizeof reason, "cuInit: the driver's error %d", code), reason;
  code = c->device_count(&count);
  if (code || !count) return "the driver finds no device";
  return NULL;
}

// Ends the program if a driver call failed: tools and tests cannot continue then.
#define GP_CUDA_CHECK(cuda, call) \
  do { \
    const int gp_cuda_code = (cuda)->call; \
    if (gp_cuda_code) { \
      const char *gp_cuda_name = "?"; \
      (cuda)->error_name(gp_cuda_code, &gp_cuda_name); \
      fflush(stdout); \
      fprintf(stderr, "%s:%d: %s: %s (%d)\n", __FILE__, __LINE__, #call, gp_cuda_name, gp_cuda_code); \
      exit(3); \
    } \
  } while (0)

// ---- NVML: clocks, temperature, power, throttle reasons; -1: the machine does not say

typedef struct gp_nvml {
  void *library, *device;
  int (*clock)(void *, int, unsigned *);
  int (*temperature)(void *, int, unsigned *);
  int (*power)(void *, unsigned *);
  int (*reasons)(void *, unsigned long long *);
  int (*energy)(void *, unsigned long long *);
} gp_nvml;

typedef struct gp_nvml_sample {
  long long sm_mhz, memory_mhz, celsius, milliwatts, throttle_reasons;
} gp_nvml_sample;

static inline __attribute__((unused)) int gp_nvml_open(gp_nvml *n, const char *bus_id) {
  int (*init)(void);
  int (*by_bus)(const char *, void **);
  memset(n, 0, sizeof *n);
  n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!n->library) return 0;
  *(void **)&init = dlsym(n->library, "nvmlInit_v2");
  *(void **)&by_bus = dlsym(n->library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **)&n->clock = dlsym(n->library, "nvmlDeviceGetClockInfo");
  *(void **)&n->temperature = dlsym(n->library, "nvmlDeviceGetTemperature");
  *(void **)&n->power = dlsym(n->library, "nvmlDeviceGetPowerUsage");
  *(void **)&n->reasons = dlsym(n->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  *(void **)&n->energy = dlsym(n->library, "nvmlDeviceGetTotalEnergyConsumption");
  if (!init || !by_bus || init() || by_bus(bus_id, &n->device)) n->device = NULL;
  return n->device != NULL;
}

// Millijoules since the driver was loaded. 0: the machine does not say.
static inline __attribute__((unused)) int gp_nvml_energy(const gp_nvml *n, unsigned long long *millijoules) {
  return n->device && n->energy && !n->energy(n->device, millijoules);
}

static inline __attribute__((unused)) gp_nvml_sample gp_nvml_read(const gp_nvml *n) {
  gp_nvml_sample s = {-1, -1, -1, -1, -1};
  unsigned v;
  unsigned long long r;
  if (!n->device) return s;
  if (n->clock && !n->clock(n->device, 1, &v)) s.sm_mhz = v;
  if (n->clock && !n->clock(n->device, 2, &v)) s.memory_mhz = v;
  if (n->temperature && !n->temperature(n->device, 0, &v)) s.celsius = v;
  if (n->power && !n->power(n->device, &v)) s.milliwatts = v;
  if (n->reasons && !n->reasons(n->device, &r)) s.throttle_reasons = (long long)r;
  return s;
}

#endif
