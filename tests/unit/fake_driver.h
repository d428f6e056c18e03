// fake_driver.h - a CUDA driver and an NVRTC without a GPU, for the tests of the C implementation (C++17).
//
// Include it after gpuprims.h with GPUPRIMS_IMPLEMENTATION and GPUPRIMS_SIMT. fake::table() is a gp_driver for
// gp_config.driver. Device memory is the emulator's, a program "compiles" to the name of its kernel, and a launch runs
// that kernel in the emulator if the test has registered it:
//
//     FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 0, 0, 0, 0, 0>, 4>);
//
// A launch of any other kernel is only counted. With fake::compiler (emulated_compiler.h) all programs are compiled for
// the emulator, and all their kernels run. Every call is counted, and the k-th one can be made to fail; fake::leaks()
// lists what was not released.
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake {

struct Event {
  bool recorded, timed;
  double us; // of the clock when it was recorded
};
struct Stream {
  void *context;
  unsigned long long id;
  int capturing; // CUstreamCaptureStatus
  unsigned launches; // recorded while capturing
};

// Set these before the calls that they affect.
struct Machine {
  int devices = 1, capability = 90, multiprocessors = 2, shared_bytes = 227 * 1024, pools = 1;
  std::string name = "Fake H200";
  int init_error = 0; // of cuInit
  int occupancy = 2; //
  bool stream_ids = true; // cuStreamGetId exists
  bool launch_ex = true; // cuLaunchKernelEx exists
  bool cooperative = true; // cuLaunchCooperativeKernel exists
  int refusal = 0; // its answer
  bool max_clusters = true; // cuOccupancyMaxActiveClusters exists
  int clusters = 2; // its answer
  int cluster_refusal = 0; // the answer to a launch in clusters
  bool nvrtc = true; //
  int nvrtc_minor = 0; // NVRTC 13.x
  std::vector<int> architectures = {75, 80, 90, 100};
  std::string compile_error; // programs with this text do not compile
  bool run = true; // run registered kernels
  bool finished = true; // all launched work has ended, as events see it
  double clock = 0; // us, as timed events see it; tests advance it
  bool pageable = true; // the device reads any host memory
  unsigned compile_ms = 0; // time that a compilation takes
  unsigned load_ms = 0; // time that loading a module takes: it waits for kernels, say
  unsigned refused_threads = 0; // launches of so many threads a block fail; 0: none
};
inline Machine machine;

struct Counts {
  std::map<std::string, unsigned> calls;
  unsigned long total = 0;
  unsigned launches = 0, unregistered = 0, overlapped = 0, recorded = 0;
  unsigned cooperative = 0; // launches whose blocks all run at once
  unsigned clustered = 0; // of them in clusters
};
inline Counts counts;
inline unsigned long fail_at = 0; // the number of the failing call; 0: none
inline int fail_with = 999; // its code
inline std::string failed_call; // the failed one
inline std::recursive_mutex lock;
inline std::string last_kernel, last_program, last_unregistered;
struct Module;
inline std::function<void(const Module &, const gp__cu_launch &)> on_launch; // the code of each failing call, if set
inline std::function<void()> on_compile;
inline std::vector<std::string> last_options;
inline gp__cu_launch last_launch;

// ---- live objects

inline char primary[8], foreign; // contexts
inline int primary_references[8];
inline std::set<void *> modules, programs, streams, events;
inline std::map<void *, size_t> memory; // of allocations through the driver
inline thread_local std::vector<void *> current;
inline thread_local int capture_mode; // CU_STREAM_CAPTURE_MODE_GLOBAL
inline bool strict_capture = false; // some capture is active: unsafe calls need a relaxed thread

inline std::string leaks() {
  std::string text;
  for (int references : primary_references)
    if (references) text += "primary context held " + std::to_string(references) + " times; ";
  if (!modules.empty()) text += std::to_string(modules.size()) + " modules; ";
  if (!programs.empty()) text += std::to_string(programs.size()) + " programs; ";
  if (!memory.empty()) text += std::to_string(memory.size()) + " allocations; ";
  if (!events.empty()) text += std::to_string(events.size()) + " events; ";
  if (!current.empty()) text += std::to_string(current.size()) + " contexts pushed; ";
  if (capture_mode) text += "capture mode not restored; ";
  return text;
}

// Forgets everything, so that a test starts afresh after a failed one.
inline void reset() {
  for (auto &m : memory) simt::device_free(m.first);
  memory.clear(), modules.clear(), programs.clear(), current.clear(), events.clear();
  for (int &references : primary_references) references = 0;
  machine = Machine();
  counts = Counts();
  fail_at = 0, fail_with = 999, capture_mode = 0, strict_capture = false;
  failed_call.clear();
  on_launch = nullptr, on_compile = nullptr;
}

inline Stream *make_stream(void *context = &primary[0]) {
  static unsigned long long ids = 7;
  Stream *s = new Stream{context, ++ids, 0, 0};
  streams.insert(s);
  return s;
}
inline void destroy_stream(Stream *s) {
  streams.erase(s);
  delete s;
}

// ---- kernels

using Run = std::function<int(dim3 grid, dim3 block, unsigned shared_bytes, void *arguments)>;
inline std::map<std::string, Run> &kernels() {
  static std::map<std::string, Run> all;
  return all;
}
inline std::string squeeze(const std::string &text) {
  std::string out;
  for (char c : text)
    if (c != ' ' && c != '\n') out += c;
  return out;
}
template<class Args> int register_kernel(const char *name, void (*kernel)(const Args &)) {
  kernels()[squeeze(name)] = [=](dim3 grid, dim3 block, unsigned shared_bytes, void *arguments) {
    const Args a = *static_cast<const Args *>(arguments);
    return int(simt::launch_kernel(name, grid, block, shared_bytes, [=] { kernel(a); }));
  };
  return 0;
}
#define FAKE_JOIN2(a, b) a##b
#define FAKE_JOIN(a, b) FAKE_JOIN2(a, b)
#define FAKE_KERNEL(ARGS, ...) FAKE_NUMBERED_KERNEL(__COUNTER__, ARGS, __VA_ARGS__) // a line number recurs in headers
#define FAKE_NUMBERED_KERNEL(NUMBER, ARGS, ...) \
  static void FAKE_JOIN(fake_kernel_, NUMBER)(const ARGS &a) { __VA_ARGS__(a); } \
  static const int FAKE_JOIN(fake_registered_, NUMBER) = \
      fake::register_kernel<ARGS>(#__VA_ARGS__, FAKE_JOIN(fake_kernel_, NUMBER))

// Makes a program's kernel runnable; an empty Run, with the reason in `log`, if it does not compile.
inline std::function<Run(const std::string &program, std::string &log)> compiler;

// ---- the calls

// Counts a call; returns its code if it is the one to fail.
inline int enter(const char *name) {
  ++counts.total;
  ++counts.calls[name];
  if (counts.total != fail_at) return 0;
  failed_call = name;
  return fail_with;
}
#define FAKE_CALL(name) \
  std::lock_guard<std::recursive_mutex> guard(fake::lock); \
  const int failure = fake::enter(#name); \
  (void)failure
#define FAKE_FAIL \
  if (failure) return failure

enum { OUT_OF_MEMORY = 2, INVALID_VALUE = 1, INVALID_HANDLE = 400, INVALID_CONTEXT = 201, CAPTURE_UNSAFE = 900 };

inline bool known_stream(void *s) { return !s || s == (void *)1 || s == (void *)2 || streams.count(s); }
inline bool have_context() { return !current.empty() && current.back(); }
inline bool unsafe() { return strict_capture && capture_mode != 2; }

inline int cuInit(unsigned) {
  FAKE_CALL(cuInit);
  FAKE_FAIL;
  return machine.init_error;
}
inline int cuDriverGetVersion(int *version) {
  FAKE_CALL(cuDriverGetVersion);
  FAKE_FAIL;
  *version = 13000;
  return 0;
}
inline int cuDeviceGetCount(int *count) {
  FAKE_CALL(cuDeviceGetCount);
  FAKE_FAIL;
  *count = machine.devices;
  return 0;
}
inline int cuDeviceGet(int *device, int ordinal) {
  FAKE_CALL(cuDeviceGet);
  FAKE_FAIL;
  if (ordinal < 0 || ordinal >= machine.devices) return 101;
  *device = ordinal;
  return 0;
}
inline int cuDeviceGetName(char *name, int capacity, int) {
  FAKE_CALL(cuDeviceGetName);
  FAKE_FAIL;
  snprintf(name, size_t(capacity), "%s", machine.name.c_str());
  return 0;
}
inline int cuDeviceGetAttribute(int *value, int attribute, int) {
  FAKE_CALL(cuDeviceGetAttribute);
  FAKE_FAIL;
  switch (attribute) {
  case GP__CU_MULTIPROCESSORS: *value = machine.multiprocessors; return 0;
  case GP__CU_CAPABILITY_MAJOR: *value = machine.capability / 10; return 0;
  case GP__CU_CAPABILITY_MINOR: *value = machine.capability % 10; return 0;
  case GP__CU_SHARED_BYTES_OPT_IN: *value = machine.shared_bytes; return 0;
  case GP__CU_MEMORY_POOLS: *value = machine.pools; return 0;
  case GP__CU_PAGEABLE_ACCESS: *value = machine.pageable; return 0;
  }
  return INVALID_VALUE;
}
inline int cuDeviceTotalMem(size_t *bytes, int) {
  FAKE_CALL(cuDeviceTotalMem);
  FAKE_FAIL;
  *bytes = size_t(140) << 30;
  return 0;
}
inline int cuDevicePrimaryCtxRetain(void **context, int device) {
  FAKE_CALL(cuDevicePrimaryCtxRetain);
  FAKE_FAIL;
  ++primary_references[device];
  *context = &primary[device];
  return 0;
}
inline int cuDevicePrimaryCtxRelease(int device) { // releases happen even with an error
  FAKE_CALL(cuDevicePrimaryCtxRelease);
  --primary_references[device];
  FAKE_FAIL;
  return 0;
}
inline int cuCtxGetCurrent(void **context) {
  FAKE_CALL(cuCtxGetCurrent);
  FAKE_FAIL;
  *context = current.empty() ? nullptr : current.back();
  return 0;
}
inline int cuCtxPushCurrent(void *context) {
  FAKE_CALL(cuCtxPushCurrent);
  FAKE_FAIL;
  current.push_back(context);
  return 0;
}
inline int cuCtxPopCurrent(void **context) {
  FAKE_CALL(cuCtxPopCurrent);
  if (current.empty()) return INVALID_CONTEXT;
  *context = current.back();
  current.pop_back();
  FAKE_FAIL;
  return 0;
}
inline int cuCtxGetDevice(int *device) {
  FAKE_CALL(cuCtxGetDevice);
  FAKE_FAIL;
  if (!have_context()) return INVALID_CONTEXT;
  const char *context = static_cast<char *>(current.back());
  *device = context >= primary && context < primary + 8 ? int(context - primary) : 0;
  return 0;
}
inline int cuCtxSynchronize() {
  FAKE_CALL(cuCtxSynchronize);
  FAKE_FAIL;
  if (!have_context()) return INVALID_CONTEXT;
  return unsafe() ? CAPTURE_UNSAFE : 0;
}
inline int cuStreamGetCtx(void *stream, void **context) {
  FAKE_CALL(cuStreamGetCtx);
  FAKE_FAIL;
  if (!known_stream(stream)) return INVALID_HANDLE;
  *context = streams.count(stream) ? static_cast<Stream *>(stream)->context : current.back();
  return 0;
}
inline int cuStreamGetId(void *stream, unsigned long long *id) {
  FAKE_CALL(cuStreamGetId);
  FAKE_FAIL;
  if (!known_stream(stream)) return INVALID_HANDLE;
  if (streams.count(stream) && static_cast<Stream *>(stream)->capturing) return CAPTURE_UNSAFE; // as the driver does
  *id = streams.count(stream) ? static_cast<Stream *>(stream)->id : reinterpret_cast<uintptr_t>(stream);
  return 0;
}
inline int cuStreamIsCapturing(void *stream, int *status) {
  FAKE_CALL(cuStreamIsCapturing);
  FAKE_FAIL;
  if (!known_stream(stream)) return INVALID_HANDLE;
  *status = streams.count(stream) ? static_cast<Stream *>(stream)->capturing : 0;
  return 0;
}
inline int cuStreamSynchronize(void *stream) {
  FAKE_CALL(cuStreamSynchronize);
  FAKE_FAIL;
  return known_stream(stream) ? 0 : INVALID_HANDLE;
}
inline int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  FAKE_CALL(cuStreamCreateWithPriority);
  FAKE_FAIL;
  if (!have_context() || flags > 1 || priority > 0) return INVALID_VALUE;
  *stream = make_stream(current.back());
  return 0;
}
inline int cuStreamDestroy(void *stream) {
  FAKE_CALL(cuStreamDestroy);
  if (!streams.count(stream)) return INVALID_HANDLE;
  destroy_stream(static_cast<Stream *>(stream));
  return failure;
}
inline int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  FAKE_CALL(cuStreamWaitEvent);
  FAKE_FAIL;
  return !known_stream(stream) || !events.count(event) || flags ? INVALID_HANDLE : 0;
}
inline int cuThreadExchangeStreamCaptureMode(int *mode) {
  FAKE_CALL(cuThreadExchangeStreamCaptureMode);
  const int before = capture_mode;
  if (failure && *mode == 2) return failure; // the release happens even with an error
  capture_mode = *mode;
  *mode = before;
  return failure;
}
inline int cuMemAllocAsync(gp__cu_pointer *pointer, size_t bytes, void *stream) {
  FAKE_CALL(cuMemAllocAsync);
  FAKE_FAIL;
  if (!known_stream(stream) || !have_context()) return INVALID_HANDLE;
  void *p = simt::device_malloc(bytes);
  if (!p) return OUT_OF_MEMORY;
  memory[p] = bytes;
  *pointer = reinterpret_cast<uintptr_t>(p);
  return 0;
}
inline int free_memory(gp__cu_pointer pointer) {
  void *p = reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
  if (!memory.count(p)) return INVALID_VALUE;
  memory.erase(p);
  simt::device_free(p);
  return 0;
}
inline int cuMemFreeAsync(gp__cu_pointer pointer, void *stream) {
  FAKE_CALL(cuMemFreeAsync);
  if (!known_stream(stream)) return INVALID_HANDLE;
  const int result = free_memory(pointer);
  return failure ? failure : result;
}
inline int cuMemAlloc(gp__cu_pointer *pointer, size_t bytes) {
  FAKE_CALL(cuMemAlloc);
  FAKE_FAIL;
  if (unsafe()) return CAPTURE_UNSAFE;
  void *p = simt::device_malloc(bytes);
  if (!p) return OUT_OF_MEMORY;
  memory[p] = bytes;
  *pointer = reinterpret_cast<uintptr_t>(p);
  return 0;
}
inline int cuMemFree(gp__cu_pointer pointer) {
  FAKE_CALL(cuMemFree);
  if (unsafe()) return CAPTURE_UNSAFE;
  const int result = free_memory(pointer);
  return failure ? failure : result;
}
// Attributes of pointers: ranges of memory known to the driver, of a CUmemorytype; 8 more: managed.
inline std::map<const void *, std::pair<size_t, int>> places;
inline int cuPointerGetAttributes(unsigned count, int *attributes, void *const *answers, gp__cu_pointer pointer) {
  FAKE_CALL(cuPointerGetAttributes);
  FAKE_FAIL;
  const char *p = reinterpret_cast<const char *>(static_cast<uintptr_t>(pointer));
  int about = 0; // memory unknown to the driver: all zero, no error
  for (const auto &place : places)
    if (p >= place.first && p < static_cast<const char *>(place.first) + place.second.first)
      about = place.second.second;
  for (unsigned i = 0; i < count; i++)
    *static_cast<int *>(answers[i]) = attributes[i] == GP__CU_POINTER_MEMORY_TYPE ? about & 7 : about >> 3;
  return 0;
}
inline int cuEventCreate(void **event, unsigned flags) {
  FAKE_CALL(cuEventCreate);
  FAKE_FAIL;
  if (!have_context() || (flags && flags != GP__CU_EVENT_NO_TIMING)) return INVALID_CONTEXT;
  *event = new Event{false, !flags, 0};
  events.insert(*event);
  return 0;
}
inline int cuEventDestroy(void *event) {
  FAKE_CALL(cuEventDestroy);
  if (!events.erase(event)) return INVALID_HANDLE;
  delete static_cast<Event *>(event);
  return failure;
}
inline int cuEventRecord(void *event, void *stream) {
  FAKE_CALL(cuEventRecord);
  FAKE_FAIL;
  if (!events.count(event) || !known_stream(stream)) return INVALID_HANDLE;
  if (streams.count(stream) && static_cast<Stream *>(stream)->capturing) return CAPTURE_UNSAFE;
  static_cast<Event *>(event)->recorded = true;
  static_cast<Event *>(event)->us = machine.clock;
  return 0;
}
inline int cuEventElapsedTime(float *ms, void *begin, void *end) {
  FAKE_CALL(cuEventElapsedTime);
  FAKE_FAIL;
  const Event *a = static_cast<Event *>(begin), *b = static_cast<Event *>(end);
  if (!events.count(begin) || !events.count(end) || !a->recorded || !b->recorded || !a->timed || !b->timed)
    return INVALID_HANDLE;
  if (!machine.finished) return 600;
  *ms = static_cast<float>(1e-3 * (b->us - a->us));
  return 0;
}
inline int cuEventSynchronize(void *event) {
  FAKE_CALL(cuEventSynchronize);
  FAKE_FAIL;
  (void)event;
  return 0;
}
inline int cuEventQuery(void *event) {
  FAKE_CALL(cuEventQuery);
  FAKE_FAIL;
  if (!events.count(event) || !static_cast<Event *>(event)->recorded) return INVALID_HANDLE;
  if (unsafe()) return CAPTURE_UNSAFE;
  return machine.finished ? 0 : 600; // CUDA_ERROR_NOT_READY
}
inline int cuMemsetD8Async(gp__cu_pointer pointer, unsigned char value, size_t bytes, void *stream) {
  FAKE_CALL(cuMemsetD8Async);
  FAKE_FAIL;
  if (!known_stream(stream)) return INVALID_HANDLE;
  simt::host_fill(reinterpret_cast<void *>(static_cast<uintptr_t>(pointer)), value, bytes);
  return 0;
}

struct Module {
  std::string kernel, algorithm; // of the image, "FAKE:algorithm:kernel"
  std::string program; // the source, its options first: after the image's zero
  int echo[8];
  unsigned shared_bytes = 48 * 1024; // largest launch
};
inline int cuModuleLoadData(void **module, const void *image) {
  if (machine.load_ms) usleep(machine.load_ms * 1000);
  FAKE_CALL(cuModuleLoadData);
  FAKE_FAIL;
  if (!have_context()) return INVALID_CONTEXT;
  if (unsafe()) return CAPTURE_UNSAFE;
  const char *text = static_cast<const char *>(image);
  if (strncmp(text, "FAKE:", 5) != 0) return 200; // CUDA_ERROR_INVALID_IMAGE
  const char *colon = strchr(text + 5, ':');
  if (!colon) return 200;
  Module *m = new Module{colon + 1, std::string(text + 5, colon), text + strlen(text) + 1, {}};
  modules.insert(m);
  *module = m;
  return 0;
}
inline int cuModuleUnload(void *module) {
  FAKE_CALL(cuModuleUnload);
  if (!modules.erase(module)) return INVALID_HANDLE;
  delete static_cast<Module *>(module);
  FAKE_FAIL;
  return 0;
}
inline int cuModuleGetFunction(void **function, void *module, const char *name) {
  FAKE_CALL(cuModuleGetFunction);
  FAKE_FAIL;
  if (strcmp(name, "gp__entry") != 0) return 500;
  *function = module;
  return 0;
}
// A fake module's echo: the numbers of the gp__policy in its kernel's name, then the algorithm.
inline int cuModuleGetGlobal(gp__cu_pointer *pointer, size_t *bytes, void *module, const char *name) {
  FAKE_CALL(cuModuleGetGlobal);
  FAKE_FAIL;
  if (!modules.count(module)) return INVALID_HANDLE;
  if (strcmp(name, "gp__echo") != 0) return 500;
  Module *m = static_cast<Module *>(module);
  const size_t at = m->kernel.find("gp__policy<");
  if (at == std::string::npos ||
      sscanf(m->kernel.c_str() + at, "gp__policy<%d, %d, %d, %d, %d, %d, %d>", &m->echo[1], &m->echo[2], &m->echo[3],
          &m->echo[4], &m->echo[5], &m->echo[6], &m->echo[7]) != 7)
    return 500;
  m->echo[0] = atoi(m->algorithm.c_str());
  *pointer = static_cast<gp__cu_pointer>(reinterpret_cast<uintptr_t>(m->echo));
  *bytes = sizeof m->echo;
  return 0;
}
inline int cuMemcpyDtoH(void *to, gp__cu_pointer from, size_t bytes) {
  FAKE_CALL(cuMemcpyDtoH);
  FAKE_FAIL;
  memcpy(to, reinterpret_cast<const void *>(static_cast<uintptr_t>(from)), bytes);
  return 0;
}
inline int cuMemcpyAsync(gp__cu_pointer to, gp__cu_pointer from, size_t bytes, void *) {
  FAKE_CALL(cuMemcpyAsync);
  FAKE_FAIL;
  memmove(reinterpret_cast<void *>(static_cast<uintptr_t>(to)),
      reinterpret_cast<const void *>(static_cast<uintptr_t>(from)), bytes);
  simt::host_init(reinterpret_cast<void *>(static_cast<uintptr_t>(to)), bytes);
  return 0;
}
inline int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  FAKE_CALL(cuMemHostAlloc);
  FAKE_FAIL;
  *pointer = malloc(bytes);
  return *pointer ? 0 : 2;
}
inline int cuMemFreeHost(void *pointer) {
  FAKE_CALL(cuMemFreeHost);
  FAKE_FAIL;
  free(pointer);
  return 0;
}
inline int cuFuncSetAttribute(void *function, int attribute, int value) {
  FAKE_CALL(cuFuncSetAttribute);
  FAKE_FAIL;
  if (attribute == GP__CU_NON_PORTABLE_CLUSTERS) return value == 1 && machine.capability >= 90 ? 0 : INVALID_VALUE;
  if (attribute != GP__CU_DYNAMIC_SHARED_BYTES || value <= 0 || value > machine.shared_bytes ||
      !modules.count(function))
    return INVALID_VALUE;
  static_cast<Module *>(function)->shared_bytes = unsigned(value);
  return 0;
}
inline int cuOccupancyMaxActiveClusters(int *clusters, void *, const gp__cu_launch *config) {
  FAKE_CALL(cuOccupancyMaxActiveClusters);
  FAKE_FAIL;
  if (config->attribute_count != 1 || config->attributes[0].id != GP__CU_CLUSTER_DIMENSION) return INVALID_VALUE;
  *clusters = machine.clusters;
  return 0;
}
inline int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
  FAKE_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  FAKE_FAIL;
  *blocks = machine.occupancy;
  return 0;
}
inline int run(const gp__cu_launch &l, void *function, void **parameters) {
  if (!known_stream(l.stream) || !have_context()) return INVALID_HANDLE;
  if (streams.count(l.stream) && static_cast<Stream *>(l.stream)->context != current.back()) return INVALID_HANDLE;
  if (!modules.count(function) || !l.grid_x || !l.block_x || l.block_x > 1024) return INVALID_VALUE;
  if (l.shared_bytes > static_cast<Module *>(function)->shared_bytes) return INVALID_VALUE;
  if (l.block_x == machine.refused_threads) return 701; // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
  last_launch = l;
  if (on_launch) on_launch(*static_cast<Module *>(function), l);
  last_kernel = static_cast<Module *>(function)->kernel;
  if (streams.count(l.stream) && static_cast<Stream *>(l.stream)->capturing) {
    ++static_cast<Stream *>(l.stream)->launches;
    ++counts.recorded;
    return 0;
  }
  ++counts.launches;
  auto k = kernels().find(squeeze(last_kernel));
  if (k == kernels().end()) ++counts.unregistered, last_unregistered = last_kernel;
  else if (machine.run) return k->second(dim3(l.grid_x), dim3(l.block_x), l.shared_bytes, parameters[0]);
  return 0;
}
inline int cuLaunchKernelEx(const gp__cu_launch *config, void *function, void **parameters, void **) {
  FAKE_CALL(cuLaunchKernelEx);
  FAKE_FAIL;
  const bool dependent = config->attribute_count == 1 &&
      config->attributes[0].id == GP__CU_PROGRAMMATIC_SERIALIZATION && config->attributes[0].value.number == 1;
  if (dependent) ++counts.overlapped;
  if (!config->attribute_count || config->attributes[0].id != GP__CU_CLUSTER_DIMENSION) {
    simt::config.dependent = dependent;
    const int code = run(*config, function, parameters);
    simt::config.dependent = false;
    return code;
  }
  const unsigned *extent = config->attributes[0].value.extent, resident = simt::config.resident;
  if (machine.cluster_refusal) return machine.cluster_refusal;
  const bool cooperative = config->attribute_count == 2 && config->attributes[1].id == GP__CU_COOPERATIVE &&
      config->attributes[1].value.number == 1;
  if ((config->grid_x > extent[0] && !cooperative) || extent[1] != 1 || extent[2] != 1 || config->grid_x % extent[0])
    return INVALID_VALUE;
  if (config->grid_x > unsigned(machine.clusters) * extent[0]) return GP__CU_COOPERATIVE_TOO_LARGE;
  if (cooperative) ++counts.cooperative; // a single cluster always fits
  ++counts.clustered;
  if (simt::config.resident < config->grid_x) simt::config.resident = config->grid_x;
  simt::config.cluster = extent[0];
  const int code = run(*config, function, parameters);
  simt::config.resident = resident, simt::config.cluster = 1;
  return code;
}
inline int cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters) {
  FAKE_CALL(cuLaunchCooperativeKernel);
  FAKE_FAIL;
  if (machine.refusal) return machine.refusal;
  if (grid_x > unsigned(machine.multiprocessors * machine.occupancy)) return GP__CU_COOPERATIVE_TOO_LARGE;
  gp__cu_launch l;
  memset(&l, 0, sizeof l);
  l.grid_x = grid_x, l.grid_y = grid_y, l.grid_z = grid_z;
  l.block_x = block_x, l.block_y = block_y, l.block_z = block_z;
  l.shared_bytes = shared_bytes, l.stream = stream;
  ++counts.cooperative;
  const unsigned resident = simt::config.resident;
  if (simt::config.resident < grid_x) simt::config.resident = grid_x;
  const int code = run(l, function, parameters);
  simt::config.resident = resident;
  return code;
}
inline int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **) {
  FAKE_CALL(cuLaunchKernel);
  FAKE_FAIL;
  gp__cu_launch l;
  memset(&l, 0, sizeof l);
  l.grid_x = grid_x, l.grid_y = grid_y, l.grid_z = grid_z;
  l.block_x = block_x, l.block_y = block_y, l.block_z = block_z;
  l.shared_bytes = shared_bytes, l.stream = stream;
  return run(l, function, parameters);
}
inline int cuGetErrorName(int error, const char **name) {
  *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
inline int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : "made to fail";
  return 0;
}

// ---- NVRTC

struct Program {
  std::string text, image, log;
};
// The first name of the library, in a program's call of its kernel, that neither the text before nor the header has.
inline std::string undefined_name(const char *text, const char *at, const char *header) {
  const auto of_name = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const auto has = [&](const char *begin, const char *end, const std::string &name) {
    for (const char *found = begin; (found = strstr(found, name.c_str())) && found < end; ++found)
      if ((found == begin || !of_name(found[-1])) && !of_name(found[name.size()])) return true;
    return false;
  };
  while (*at && strncmp(at, "(a); }", 6) != 0) {
    const char *first = at;
    while (of_name(*at)) ++at;
    const std::string name(first, at);
    if (name.compare(0, 3, "gp_") == 0 && !has(text, first, name) && !has(header, header + strlen(header), name))
      return name;
    if (at == first) ++at;
  }
  return "";
}
inline int nvrtcVersion(int *major, int *minor) {
  FAKE_CALL(nvrtcVersion);
  FAKE_FAIL;
  *major = 13, *minor = machine.nvrtc_minor;
  return 0;
}
inline int nvrtcGetNumSupportedArchs(int *count) {
  FAKE_CALL(nvrtcGetNumSupportedArchs);
  FAKE_FAIL;
  *count = int(machine.architectures.size());
  return 0;
}
inline int nvrtcGetSupportedArchs(int *architectures) {
  FAKE_CALL(nvrtcGetSupportedArchs);
  FAKE_FAIL;
  for (int a : machine.architectures) *architectures++ = a;
  return 0;
}
inline int nvrtcCreateProgram(void **program, const char *text, const char *, int headers, const char *const *header,
    const char *const *header_name) {
  FAKE_CALL(nvrtcCreateProgram);
  FAKE_FAIL;
  if (headers != 1 || strcmp(*header_name, "gpuprims.h") != 0) return 3;
  const char *entry = strstr(text, " gp__entry("), *call = entry ? strstr(entry, "{ ") : nullptr;
  if (call && !strstr(*header, (" " + std::string(call + 2, strcspn(call + 2, "<")) + "(").c_str())) return 3;
  Program *p = new Program{text, "", call ? undefined_name(text, call, *header) : ""};
  programs.insert(p);
  *program = p;
  return 0;
}
inline int nvrtcDestroyProgram(void **program) {
  FAKE_CALL(nvrtcDestroyProgram);
  if (!programs.erase(*program)) return 4;
  delete static_cast<Program *>(*program);
  *program = nullptr;
  FAKE_FAIL;
  return 0;
}
inline int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  if (machine.compile_ms) usleep(machine.compile_ms * 1000); // others may run meanwhile
  FAKE_CALL(nvrtcCompileProgram);
  if (on_compile) on_compile();
  FAKE_FAIL;
  Program *p = static_cast<Program *>(program);
  last_program = p->text;
  last_options.assign(options, options + count);
  if (!p->log.empty()) {
    p->log = "gpuprims_program.cu(2): error: identifier \"" + p->log + "\" is undefined\n1 error detected\n";
    return 6;
  }
  if (!machine.compile_error.empty() && p->text.find(machine.compile_error) != std::string::npos) {
    p->log = "operator faulty(2): error: identifier \"" + machine.compile_error + "\" is undefined\n1 error detected\n";
    return 6;
  }
  const size_t entry = p->text.rfind("gp__entry("), open = p->text.find("{ ", entry), close = p->text.rfind("(a); }");
  if (entry == std::string::npos || open == std::string::npos || close == std::string::npos) return 6;
  const size_t echo = p->text.find("gp__echo[8] = {");
  if (echo == std::string::npos) return 5;
  p->image =
      "FAKE:" + std::to_string(atoi(p->text.c_str() + echo + 15)) + ":" + p->text.substr(open + 2, close - open - 2);
  if (compiler) {
    const Run run = compiler(p->text, p->log);
    if (!run) return 6;
    kernels()[squeeze(p->text.substr(open + 2, close - open - 2))] = run;
  }
  p->image += '\0';
  for (const std::string &option : last_options) p->image += option + "\n";
  p->image += p->text;
  return 0;
}
inline int nvrtcGetCUBINSize(void *program, size_t *bytes) {
  FAKE_CALL(nvrtcGetCUBINSize);
  FAKE_FAIL;
  *bytes = static_cast<Program *>(program)->image.size() + 1;
  return 0;
}
inline int nvrtcGetCUBIN(void *program, char *image) {
  FAKE_CALL(nvrtcGetCUBIN);
  FAKE_FAIL;
  memcpy(image, static_cast<Program *>(program)->image.c_str(), static_cast<Program *>(program)->image.size() + 1);
  return 0;
}
inline int nvrtcGetPTXSize(void *program, size_t *bytes) {
  FAKE_CALL(nvrtcGetPTXSize);
  FAKE_FAIL;
  *bytes = static_cast<Program *>(program)->image.size() + 1;
  return 0;
}
inline int nvrtcGetPTX(void *program, char *image) {
  FAKE_CALL(nvrtcGetPTX);
  FAKE_FAIL;
  memcpy(image, static_cast<Program *>(program)->image.c_str(), static_cast<Program *>(program)->image.size() + 1);
  return 0;
}
inline int nvrtcGetProgramLogSize(void *program, size_t *bytes) {
  FAKE_CALL(nvrtcGetProgramLogSize);
  FAKE_FAIL;
  *bytes = static_cast<Program *>(program)->log.size() + 1;
  return 0;
}
inline int nvrtcGetProgramLog(void *program, char *log) {
  FAKE_CALL(nvrtcGetProgramLog);
  FAKE_FAIL;
  strcpy(log, static_cast<Program *>(program)->log.c_str());
  return 0;
}
#undef FAKE_CALL
#undef FAKE_FAIL

inline const gp_driver *table() {
  static gp_driver t;
#define FAKE_ENTRY(needed, name, symbol, parameters) t.name = name;
  GP__CUDA_FUNCTIONS(FAKE_ENTRY)
  GP__NVRTC_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
  if (!machine.stream_ids) t.cuStreamGetId = nullptr;
  if (!machine.launch_ex) t.cuLaunchKernelEx = nullptr;
  if (!machine.cooperative) t.cuLaunchCooperativeKernel = nullptr;
  if (!machine.max_clusters) t.cuOccupancyMaxActiveClusters = nullptr;
  if (!machine.nvrtc) {
#define FAKE_ENTRY(needed, name, symbol, parameters) t.name = nullptr;
    GP__NVRTC_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
  }
  return &t;
}

} // namespace fake
#endif // FAKE_DRIVER_H
