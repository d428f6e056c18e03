// own_kernels.h - your own kernels from plain C, beside the library's: compiled by NVRTC at run time, launched and
// timed through the driver. No nvcc, no CUDA headers; link with -ldl. For examples: any failure ends the program.
//
// Include it after gpuprims.h. OWN_KERNELS_H defined before leaves all of this out: the tests then provide the same
// functions on their emulator.
#ifndef OWN_KERNELS_H
#define OWN_KERNELS_H

#include "tools/gp_cuda.h"

#include <stdarg.h>
#include <unistd.h>

typedef struct own_gpu {
  gp_cuda cuda;
  char name[128];
  int capability, multiprocessors, l2_bytes; // 90 for 9.0
  int driver_version, nvrtc_version; // 13000 for 13.0
  void *stream, *begin, *end; // a stream of its own, and events for timing
  void *nvrtc;
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*code_bytes)(void *, size_t *);
  int (*code)(void *, char *);
  int (*log_bytes)(void *, size_t *);
  int (*log)(void *, char *);
  int (*destroy)(void **);
} own_gpu;

static void own_stop(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void own_stop(const char *format, ...) {
  va_list arguments;
  fflush(stdout);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(1);
}

// Opens NVRTC under the names that the library tries. NULL, or the reason.
static inline const char *own_open_compiler(own_gpu *g) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  static const char *const symbols[] = {"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize",
      "nvrtcGetCUBIN", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcDestroyProgram", "nvrtcVersion"};
  void *found[8];
  int (*version)(int *, int *), major = 0, minor = 0, i;
  for (i = 0; i < 3 && !g->nvrtc; ++i) g->nvrtc = dlopen(names[i], RTLD_NOW);
  if (!g->nvrtc) return "no libnvrtc on this machine (its PyPI package is nvidia-cuda-nvrtc)";
  for (i = 0; i < 8; ++i)
    if (!(found[i] = dlsym(g->nvrtc, symbols[i]))) return "libnvrtc lacks a function";
  *(void **)&g->create = found[0];
  *(void **)&g->compile = found[1];
  *(void **)&g->code_bytes = found[2];
  *(void **)&g->code = found[3];
  *(void **)&g->log_bytes = found[4];
  *(void **)&g->log = found[5];
  *(void **)&g->destroy = found[6];
  *(void **)&version = found[7];
  if (version(&major, &minor)) return "libnvrtc does not say its version";
  g->nvrtc_version = 1000 * major + 10 * minor;
  return NULL;
}

// Opens NVRTC and ctx's device. NULL, or the reason: no GPU, no compiler.
static inline const char *own_open(own_gpu *g, gp_context *ctx) {
  gp_description description = gp_description_init();
  const char *why;
  void *primary = NULL;
  int major = 0, minor = 0;
  memset(g, 0, sizeof *g);
  why = gp_cuda_open(&g->cuda);
  if (!why) why = own_open_compiler(g);
  if (why) return why;
  if (gp_describe(ctx, &description) || description.backend != GP_BACKEND_CUDA) return "the library runs on the host";
  GP_CUDA_CHECK(&g->cuda, retain(&primary, description.device));
  GP_CUDA_CHECK(&g->cuda, set_current(primary));
  GP_CUDA_CHECK(&g->cuda, driver_version(&g->driver_version));
  GP_CUDA_CHECK(&g->cuda, device_name(g->name, (int)sizeof g->name, description.device));
  GP_CUDA_CHECK(&g->cuda, device_attribute(&major, GP_CUDA_MAJOR, description.device));
  GP_CUDA_CHECK(&g->cuda, device_attribute(&minor, GP_CUDA_MINOR, description.device));
  GP_CUDA_CHECK(&g->cuda, device_attribute(&g->multiprocessors, GP_CUDA_MULTIPROCESSORS, description.device));
  GP_CUDA_CHECK(&g->cuda, device_attribute(&g->l2_bytes, GP_CUDA_L2_BYTES, description.device));
  g->capability = 10 * major + minor;
  GP_CUDA_CHECK(&g->cuda, stream_create(&g->stream, GP_CUDA_STREAM_NON_BLOCKING));
  GP_CUDA_CHECK(&g->cuda, event_create(&g->begin, 0));
  GP_CUDA_CHECK(&g->cuda, event_create(&g->end, 0));
  return NULL;
}

// Compiles a program's text to machine code for a compute capability; the caller frees it. header: NULL, or the text of
// the one header that the program includes as `header_name`. options: `count` of them, such as "-DNAME=VALUE". Needs no
// GPU.
static inline char *own_compile_sized(own_gpu *g, const char *name, const char *text, const char *header_name,
    const char *header, int capability, const char *const *options, int count, size_t *code_bytes) {
  const char *all[24];
  char architecture[40], *log, *code;
  void *program = NULL;
  size_t bytes = 0;
  int error, i;
  if (count > 20) own_stop("%s: too many options", name);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", capability);
  all[0] = architecture;
  all[1] = "-std=c++17";
  all[2] = "-default-device";
  for (i = 0; i < count; ++i) all[3 + i] = options[i];
  error = g->create(&program, text, name, header ? 1 : 0, header ? &header : NULL, header ? &header_name : NULL);
  if (error) own_stop("%s: nvrtcCreateProgram: error %d", name, error);
  error = g->compile(program, 3 + count, all);
  if (error) {
    g->log_bytes(program, &bytes);
    log = (char *)calloc(bytes + 1, 1);
    if (log) g->log(program, log);
    own_stop("%s: the compiler for sm_%d:\n%s", name, capability, log ? log : "?");
  }
  g->code_bytes(program, &bytes);
  code = (char *)malloc(bytes + 1);
  if (!code || g->code(program, code)) own_stop("%s: no machine code for sm_%d", name, capability);
  g->destroy(&program);
  *code_bytes = bytes;
  return code;
}
static inline char *own_compile(own_gpu *g, const char *name, const char *text, const char *header_name,
    const char *header, int capability, const char *const *options, int count) {
  size_t bytes;
  return own_compile_sized(g, name, text, header_name, header, capability, options, count, &bytes);
}

// Loads machine code, and frees it. Modules stay until the program ends.
static inline void *own_load(own_gpu *g, char *code) {
  void *module = NULL;
  GP_CUDA_CHECK(&g->cuda, module_load(&module, code));
  free(code);
  return module;
}
// Writes machine code to a folder that processes share; what fails costs a compilation later.
static inline void own_keep(const char *path, const char *code, size_t bytes) {
  char other[1100];
  FILE *file;
  int good;
  snprintf(other, sizeof other, "%s.%ld", path, (long)getpid());
  file = fopen(other, "wb");
  if (!file) return;
  good = fwrite(code, bytes, 1, file) == 1;
  if (fclose(file) || !good || rename(other, path)) remove(other);
}
// The module of a file that own_keep wrote; NULL: there is none.
static inline void *own_kept(own_gpu *g, const char *path) {
  FILE *file = fopen(path, "rb");
  char *code = NULL;
  void *module = NULL;
  long bytes = 0;
  if (!file) return NULL;
  if (!fseek(file, 0, SEEK_END) && (bytes = ftell(file)) > 0) code = (char *)malloc((size_t)bytes);
  rewind(file);
  if (code && fread(code, (size_t)bytes, 1, file) == 1 && g->cuda.module_load(&module, code)) module = NULL;
  fclose(file);
  free(code);
  return module;
}
// Compiles for the device and loads. With GPUPRIMS_OWN_KERNELS, a folder, machine code is kept there, and found again.
static inline void *own_module(own_gpu *g, const char *name, const char *text, const char *header_name,
    const char *header, const char *const *options, int count) {
  const char *folder = getenv("GPUPRIMS_OWN_KERNELS"), *texts[3];
  char path[1024], *code;
  void *module = NULL;
  size_t bytes = 0;
  uint64_t hash = 14695981039346656037u;
  int i;
  texts[0] = name, texts[1] = text, texts[2] = header ? header : "";
  for (i = 0; i < 3 + count; ++i) {
    const char *c = i < 3 ? texts[i] : options[i - 3];
    do hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    while (*c++);
  }
  if (folder) {
    snprintf(
        path, sizeof path, "%s/%d.%d.%016llx.cubin", folder, g->capability, g->nvrtc_version, (unsigned long long)hash);
    module = own_kept(g, path);
    if (module) return module;
  }
  code = own_compile_sized(g, name, text, header_name, header, g->capability, options, count, &bytes);
  if (folder) own_keep(path, code, bytes);
  return own_load(g, code);
}

// A texture over device memory as words of 32 bits, for GP_TEXTURE (cuTexObjectCreate); 0, and the reason.
static inline uint64_t own_texture(own_gpu *g, const void *memory, uint64_t bytes, const char **why) {
  enum { LINEAR = 2, UNSIGNED_32 = 3, READ_AS_INTEGER = 1, MOST_TEXELS = 69 };
  struct { // CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC
    int kind;
    uint64_t address;
    int format;
    unsigned channels;
    uint64_t bytes, reserved[13], flags;
  } resource;
  struct {
    int address_mode[3], filter_mode;
    unsigned flags, rest[21];
  } texture;
  static int (*create)(uint64_t *, const void *, const void *, const void *);
  void *library = create ? NULL : dlopen("libcuda.so.1", RTLD_NOW);
  uint64_t object = 0;
  int most = 0;
  if (library) *(void **)&create = dlsym(library, "cuTexObjectCreate");
  memset(&resource, 0, sizeof resource), memset(&texture, 0, sizeof texture);
  resource.kind = LINEAR, resource.address = (uint64_t)(uintptr_t)memory, resource.bytes = bytes;
  resource.format = UNSIGNED_32, resource.channels = 1, texture.flags = READ_AS_INTEGER;
  GP_CUDA_CHECK(&g->cuda, device_attribute(&most, MOST_TEXELS, 0));
  *why = !create ? "the driver makes no textures"
      : bytes / 4 > (uint64_t)most ? "the array is larger than a texture"
      : create(&object, &resource, &texture, NULL) ? "the driver makes no texture of it"
      : NULL;
  return *why ? 0 : object;
}
static inline void own_texture_free(uint64_t object) {
  static int (*destroy)(uint64_t);
  void *library = destroy ? NULL : dlopen("libcuda.so.1", RTLD_NOW);
  if (library) *(void **)&destroy = dlsym(library, "cuTexObjectDestroy");
  if (destroy && object) destroy(object);
}

static inline void *own_kernel(own_gpu *g, void *module, const char *name) {
  void *function = NULL;
  if (g->cuda.module_function(&function, module, name)) own_stop("it has no kernel %s", name);
  return function;
}

// How the multiprocessor's memory is shared out while a kernel runs: 0 prefers L1, 100 shared memory.
static inline void own_prefer(own_gpu *g, void *kernel, int percent_shared) {
  GP_CUDA_CHECK(&g->cuda, function_attribute(kernel, GP_CUDA_CARVEOUT, percent_shared));
}

// Launches on g->stream. arguments: their addresses. NULL, or the driver's error: the kernel cannot run so.
static inline const char *own_try_launch(own_gpu *g, void *kernel, unsigned blocks_x, unsigned blocks_y,
    unsigned threads_x, unsigned threads_y, unsigned shared_bytes, void **arguments) {
  const char *error = "unknown error";
  gp_cuda_launch launch;
  int code;
  memset(&launch, 0, sizeof launch);
  launch.grid[0] = blocks_x, launch.grid[1] = blocks_y, launch.grid[2] = 1;
  launch.block[0] = threads_x, launch.block[1] = threads_y, launch.block[2] = 1;
  launch.shared_bytes = shared_bytes;
  launch.stream = g->stream;
  code = g->cuda.launch(&launch, kernel, arguments, NULL);
  if (code) g->cuda.error_name(code, &error);
  return code ? error : NULL;
}
// The same where a failure ends the program.
static inline void own_launch(own_gpu *g, void *kernel, unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
    unsigned threads_y, unsigned shared_bytes, void **arguments) {
  const char *why = own_try_launch(g, kernel, blocks_x, blocks_y, threads_x, threads_y, shared_bytes, arguments);
  if (why) own_stop("a kernel's launch: %s", why);
}

static inline void *own_new(own_gpu *g, uint64_t bytes) {
  uint64_t address = 0;
  GP_CUDA_CHECK(&g->cuda, alloc(&address, bytes));
  return (void *)(uintptr_t)address;
}
static inline void own_free(own_gpu *g, void *memory) {
  GP_CUDA_CHECK(&g->cuda, stream_wait(g->stream));
  GP_CUDA_CHECK(&g->cuda, free_((uint64_t)(uintptr_t)memory));
}
static inline void own_write(own_gpu *g, void *to, const void *from, uint64_t bytes) {
  GP_CUDA_CHECK(&g->cuda, to_device_async((uint64_t)(uintptr_t)to, from, bytes, g->stream));
  GP_CUDA_CHECK(&g->cuda, stream_wait(g->stream));
}
static inline void own_read(own_gpu *g, void *to, const void *from, uint64_t bytes) {
  GP_CUDA_CHECK(&g->cuda, stream_wait(g->stream));
  GP_CUDA_CHECK(&g->cuda, to_host(to, (uint64_t)(uintptr_t)from, bytes));
}
static inline void own_set(own_gpu *g, void *to, int byte, uint64_t bytes) {
  GP_CUDA_CHECK(&g->cuda, set8((uint64_t)(uintptr_t)to, (unsigned char)byte, bytes, g->stream));
}
// The driver's copy, on g->stream.
static inline void own_copy(own_gpu *g, void *to, const void *from, uint64_t bytes) {
  GP_CUDA_CHECK(&g->cuda, copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, g->stream));
}

static inline void own_wait(own_gpu *g) { GP_CUDA_CHECK(&g->cuda, stream_wait(g->stream)); }

// Microseconds between two events, by the GPU's clock.
static inline void own_begin(own_gpu *g) { GP_CUDA_CHECK(&g->cuda, event_record(g->begin, g->stream)); }
static inline double own_end(own_gpu *g) {
  float ms = 0;
  GP_CUDA_CHECK(&g->cuda, event_record(g->end, g->stream));
  GP_CUDA_CHECK(&g->cuda, event_wait(g->end));
  GP_CUDA_CHECK(&g->cuda, event_elapsed(&ms, g->begin, g->end));
  return 1e3 * (double)ms;
}

// A source file's text; the caller frees it.
static inline char *own_text(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long bytes = -1;
  if (file && !fseek(file, 0, SEEK_END)) bytes = ftell(file);
  if (bytes >= 0) text = (char *)calloc((size_t)bytes + 1, 1);
  if (!text || fseek(file, 0, SEEK_SET) || fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
    own_stop("%s cannot be read: run this from the project's folder", path);
  fclose(file);
  return text;
}

#endif
