// own_kernels_emulated.h - examples/own_kernels.h on the emulator, so that the examples run unchanged, with their own
// kernels, without a GPU. The test lists the kernels: own_kernel searches `emulated_kernels`.
#ifndef OWN_KERNELS_H
#define OWN_KERNELS_H

#include "simt.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <utility>

struct emulated_kernel {
  const char *name;
  simt::Result (*launch)(const char *name, dim3 grid, dim3 block, unsigned shared_bytes, void **arguments);
};

template<class A> static A emulated_argument(void *at) {
  A a;
  std::memcpy(&a, at, sizeof a);
  return a;
}
template<class... A, size_t... I>
static simt::Result emulated_call(void (*kernel)(A...), std::index_sequence<I...>, const char *name, dim3 grid,
    dim3 block, unsigned shared_bytes, void **arguments) {
  return simt::launch_kernel(name, grid, block, shared_bytes, kernel, emulated_argument<A>(arguments[I])...);
}
template<class... A>
static simt::Result emulated_unpack(
    void (*kernel)(A...), const char *name, dim3 grid, dim3 block, unsigned shared_bytes, void **arguments) {
  return emulated_call(kernel, std::index_sequence_for<A...>(), name, grid, block, shared_bytes, arguments);
}
template<auto KERNEL>
static simt::Result emulated_launch(const char *name, dim3 grid, dim3 block, unsigned shared_bytes, void **arguments) {
  return emulated_unpack(KERNEL, name, grid, block, shared_bytes, arguments);
}
#define EMULATED(kernel) \
  { #kernel, emulated_launch < kernel> }

// Provided by the test: the kernel of a module compiled with these options, each followed by a blank. NULL: none.
static const emulated_kernel *emulated_kernel_of(const char *options, const char *name);
static int emulated_launches;

struct own_gpu {
  char name[128];
  int capability, multiprocessors, l2_bytes, driver_version, nvrtc_version;
  void *stream;
  double began;
};

[[noreturn]] static void own_stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(1);
}
static inline const char *own_open_compiler(own_gpu *) { return nullptr; }
static inline const char *own_open(own_gpu *g, gp_context *) {
  std::memset(g, 0, sizeof *g);
  snprintf(g->name, sizeof g->name, "emulator");
  g->capability = 90, g->multiprocessors = 2, g->l2_bytes = 1 << 12;
  return nullptr;
}
static inline char *own_compile(
    own_gpu *, const char *, const char *, const char *, const char *, int, const char *const *, int) {
  return nullptr;
}
static inline void *own_module(
    own_gpu *, const char *, const char *, const char *, const char *, const char *const *options, int count) {
  static std::list<std::string> modules;
  modules.emplace_back();
  for (int i = 0; i < count; ++i) modules.back() += std::string(options[i]) + " ";
  return &modules.back();
}
static inline void *own_load(own_gpu *g, char *) { return own_module(g, 0, 0, 0, 0, 0, 0); }
static inline void *own_kernel(own_gpu *, void *module, const char *name) {
  const emulated_kernel *kernel = emulated_kernel_of(static_cast<std::string *>(module)->c_str(), name);
  if (!kernel) own_stop("there is no kernel %s", name);
  return const_cast<emulated_kernel *>(kernel);
}
static inline void own_prefer(own_gpu *, void *, int) {}
static inline uint64_t own_texture(own_gpu *, const void *memory, uint64_t, const char **why) {
  *why = nullptr;
  return uint64_t(uintptr_t(memory));
}
static inline void own_texture_free(uint64_t) {}
static inline const char *own_try_launch(own_gpu *, void *kernel, unsigned blocks_x, unsigned blocks_y,
    unsigned threads_x, unsigned threads_y, unsigned shared_bytes, void **arguments) {
  const emulated_kernel *k = static_cast<const emulated_kernel *>(kernel);
  ++emulated_launches;
  k->launch(k->name, dim3(blocks_x, blocks_y), dim3(threads_x, threads_y), shared_bytes, arguments);
  return nullptr;
}
static inline void own_launch(own_gpu *g, void *kernel, unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
    unsigned threads_y, unsigned shared_bytes, void **arguments) {
  own_try_launch(g, kernel, blocks_x, blocks_y, threads_x, threads_y, shared_bytes, arguments);
}
static inline void *own_new(own_gpu *, uint64_t bytes) { return simt::device_malloc(bytes); }
static inline void own_free(own_gpu *, void *memory) { simt::device_free(memory); }
static inline void own_write(own_gpu *, void *to, const void *from, uint64_t bytes) {
  simt::host_write(to, from, bytes);
}
static inline void own_read(own_gpu *, void *to, const void *from, uint64_t bytes) { std::memcpy(to, from, bytes); }
static inline void own_wait(own_gpu *) {}
static inline void own_set(own_gpu *, void *to, int byte, uint64_t bytes) { simt::host_fill(to, byte, bytes); }
static inline void own_copy(own_gpu *, void *to, const void *from, uint64_t bytes) {
  simt::host_write(to, from, bytes);
}
static inline double emulated_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static inline void own_begin(own_gpu *g) { g->began = emulated_us(); }
static inline double own_end(own_gpu *g) { return emulated_us() - g->began; }
static inline char *own_text(const char *) { return static_cast<char *>(calloc(1, 1)); }

#endif
