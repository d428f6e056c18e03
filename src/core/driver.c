// core/driver.c - the table of functions of the driver and of NVRTC
// uses: api/context_types.h, core/words.h

typedef gp__u64 gp__cu_pointer; // CUdeviceptr

typedef struct gp__cu_attribute { // CUlaunchAttribute
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned extent[3];
    void *pointer;
  } value;
} gp__cu_attribute;

typedef struct gp__cu_launch { // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void *stream;
  gp__cu_attribute *attributes;
  unsigned attribute_count;
} gp__cu_launch;

enum { // of CUresult, CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID, CUstreamCaptureMode
  GP__CU_OUT_OF_MEMORY = 2,
  GP__CU_NO_DEVICE = 100,
  GP__CU_MULTIPROCESSORS = 16,
  GP__CU_CAPABILITY_MAJOR = 75,
  GP__CU_CAPABILITY_MINOR = 76,
  GP__CU_SHARED_BYTES_OPT_IN = 97,
  GP__CU_MEMORY_POOLS = 115,
  GP__CU_PAGEABLE_ACCESS = 88,
  GP__CU_POINTER_MEMORY_TYPE = 2, // CUpointer_attribute
  GP__CU_POINTER_IS_MANAGED = 8,
  GP__CU_MEMORY_DEVICE = 2, // CUmemorytype
  GP__CU_EVENT_NO_TIMING = 2,
  GP__CU_DYNAMIC_SHARED_BYTES = 8,
  GP__CU_NON_PORTABLE_CLUSTERS = 14,
  GP__CU_COOPERATIVE = 2,
  GP__CU_CLUSTER_DIMENSION = 4,
  GP__CU_PROGRAMMATIC_SERIALIZATION = 6,
  GP__CU_CAPTURE_RELAXED = 2,
  GP__CU_INVALID_VALUE = 1,
  GP__CU_COOPERATIVE_TOO_LARGE = 720,
  GP__CU_NOT_SUPPORTED = 801,
  GP__CU_INVALID_CLUSTER_SIZE = 912
};

// F(needed, name, symbol, parameters): all return a CUresult. The list serves the struct, the loader and the fake of
// the tests.
#define GP__CUDA_FUNCTIONS(F) \
  F(1, cuInit, "cuInit", (unsigned flags)) \
  F(1, cuDriverGetVersion, "cuDriverGetVersion", (int *version)) \
  F(1, cuDeviceGetCount, "cuDeviceGetCount", (int *count)) \
  F(1, cuDeviceGet, "cuDeviceGet", (int *device, int ordinal)) \
  F(1, cuDeviceGetName, "cuDeviceGetName", (char *name, int capacity, int device)) \
  F(1, cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
  F(1, cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, int device)) \
  F(1, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device)) \
  F(1, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device)) \
  F(1, cuCtxGetCurrent, "cuCtxGetCurrent", (void **context)) \
  F(1, cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *context)) \
  F(1, cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **context)) \
  F(1, cuCtxGetDevice, "cuCtxGetDevice", (int *device)) \
  F(1, cuCtxSynchronize, "cuCtxSynchronize", (void)) \
  F(1, cuStreamGetCtx, "cuStreamGetCtx", (void *stream, void **context)) \
  F(0, cuStreamGetId, "cuStreamGetId", (void *stream, gp__u64 *id)) \
  F(1, cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status)) \
  F(1, cuStreamSynchronize, "cuStreamSynchronize", (void *stream)) \
  F(1, cuStreamCreateWithPriority, "cuStreamCreateWithPriority", (void **stream, unsigned flags, int priority)) \
  F(1, cuStreamDestroy, "cuStreamDestroy_v2", (void *stream)) \
  F(1, cuStreamWaitEvent, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags)) \
  F(1, cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode)) \
  F(0, cuMemAllocAsync, "cuMemAllocAsync", (gp__cu_pointer * pointer, size_t bytes, void *stream)) \
  F(0, cuMemFreeAsync, "cuMemFreeAsync", (gp__cu_pointer pointer, void *stream)) \
  F(1, cuMemAlloc, "cuMemAlloc_v2", (gp__cu_pointer * pointer, size_t bytes)) \
  F(1, cuMemFree, "cuMemFree_v2", (gp__cu_pointer pointer)) \
  F(1, cuPointerGetAttributes, "cuPointerGetAttributes", \
      (unsigned count, int *attributes, void *const *answers, gp__cu_pointer pointer)) \
  F(1, cuEventCreate, "cuEventCreate", (void **event, unsigned flags)) \
  F(1, cuEventDestroy, "cuEventDestroy_v2", (void *event)) \
  F(1, cuEventRecord, "cuEventRecord", (void *event, void *stream)) \
  F(1, cuEventSynchronize, "cuEventSynchronize", (void *event)) \
  F(1, cuEventQuery, "cuEventQuery", (void *event)) \
  F(1, cuEventElapsedTime, "cuEventElapsedTime", (float *ms, void *begin, void *end)) \
  F(1, cuMemsetD8Async, "cuMemsetD8Async", (gp__cu_pointer pointer, gp__u8 value, size_t bytes, void *stream)) \
  F(1, cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image)) \
  F(1, cuModuleUnload, "cuModuleUnload", (void *module)) \
  F(1, cuModuleGetFunction, "cuModuleGetFunction", (void **function, void *module, const char *name)) \
  F(1, cuModuleGetGlobal, "cuModuleGetGlobal_v2", \
      (gp__cu_pointer * pointer, size_t * bytes, void *module, const char *name)) \
  F(1, cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, gp__cu_pointer from, size_t bytes)) \
  F(1, cuMemcpyAsync, "cuMemcpyAsync", (gp__cu_pointer to, gp__cu_pointer from, size_t bytes, void *stream)) \
  F(1, cuMemHostAlloc, "cuMemHostAlloc", (void **pointer, size_t bytes, unsigned flags)) \
  F(1, cuMemFreeHost, "cuMemFreeHost", (void *pointer)) \
  F(1, cuFuncSetAttribute, "cuFuncSetAttribute", (void *function, int attribute, int value)) \
  F(1, cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
      (int *blocks, void *function, int threads, size_t shared_bytes)) \
  F(0, cuLaunchKernelEx, "cuLaunchKernelEx", \
      (const gp__cu_launch *config, void *function, void **parameters, void **extra)) \
  F(0, cuOccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", \
      (int *clusters, void *function, const gp__cu_launch *config)) \
  F(0, cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
          unsigned block_z, unsigned shared_bytes, void *stream, void **parameters)) \
  F(1, cuLaunchKernel, "cuLaunchKernel", \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
          unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra)) \
  F(1, cuGetErrorName, "cuGetErrorName", (int error, const char **name)) \
  F(1, cuGetErrorString, "cuGetErrorString", (int error, const char **text))

// The same for NVRTC; all return an nvrtcResult.
#define GP__NVRTC_FUNCTIONS(F) \
  F(1, nvrtcVersion, "nvrtcVersion", (int *major, int *minor)) \
  F(1, nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *count)) \
  F(1, nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", (int *architectures)) \
  F(1, nvrtcCreateProgram, "nvrtcCreateProgram", \
      (void **program, const char *text, const char *name, int headers, const char *const *header_texts, \
          const char *const *header_names)) \
  F(1, nvrtcDestroyProgram, "nvrtcDestroyProgram", (void **program)) \
  F(1, nvrtcCompileProgram, "nvrtcCompileProgram", (void *program, int count, const char *const *options)) \
  F(1, nvrtcGetCUBINSize, "nvrtcGetCUBINSize", (void *program, size_t *bytes)) \
  F(1, nvrtcGetCUBIN, "nvrtcGetCUBIN", (void *program, char *image)) \
  F(1, nvrtcGetPTXSize, "nvrtcGetPTXSize", (void *program, size_t *bytes)) \
  F(1, nvrtcGetPTX, "nvrtcGetPTX", (void *program, char *image)) \
  F(1, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", (void *program, size_t *bytes)) \
  F(1, nvrtcGetProgramLog, "nvrtcGetProgramLog", (void *program, char *log))

struct gp_driver {
#define GP__FIELD(needed, name, symbol, parameters) int(*name) parameters;
  GP__CUDA_FUNCTIONS(GP__FIELD)
  GP__NVRTC_FUNCTIONS(GP__FIELD) // null in a table of the tests: as if there were no NVRTC
#undef GP__FIELD
};

// Common to all parts of a context's implementation: the table of functions and the log.
enum { GP__ARCHITECTURES = 96 };
typedef struct gp__runtime {
  struct gp_driver driver;
  int given; // the table came from gp_config.driver: no library is opened
  gp_log_fn log; // or NULL
  void *log_user; //
  int no_compile; // never open NVRTC
  char *nvrtc_path; // or NULL: by system name
  pthread_mutex_t nvrtc_lock;
  int nvrtc_open;
  int nvrtc_version; // 13000 for 13.0; 0: not open
  char nvrtc_name[96]; // the version, and the library's size and time, which tell its builds apart
  int architectures[GP__ARCHITECTURES]; // that NVRTC knows, ascending: 75, 80 ...
  int architecture_count;
} gp__runtime;
