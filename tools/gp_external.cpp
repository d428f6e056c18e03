// gp_external.cpp - the rate of gp_external_sort in host memory, beside sorts of the host and what the link allows
//     gp_external [KEYS [MEMORY ...]]
// KEYS of u32 and as many pairs of u64 and u32, in page-locked and pageable memory, through MEMORY bytes of device
// memory each. The roof is the time in which a link busy both ways carries what must cross, twice each way if there
// are runs: measured by copies of page-locked memory. GB/s are bytes of keys and values over time.
#include <parallel/algorithm>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static void check(gp_result result) {
  if (result == GP_SUCCESS) return;
  std::fprintf(stderr, "%s\n", gp_last_message());
  std::exit(1);
}
static void check(int code, const char *what) {
  if (!code) return;
  std::fprintf(stderr, "%s: error %d\n", what, code);
  std::exit(1);
}

struct functions {
  int (*host_alloc)(void **, size_t), (*host_free)(void *), (*alloc)(uint64_t *, size_t), (*release)(uint64_t);
  int (*copy)(uint64_t, uint64_t, size_t, void *), (*stream)(void **, unsigned), (*wait)(void *);
  int (*retain)(void **, int), (*set_current)(void *);
};

// Bytes a second each way, of copies in both directions at once.
static double duplex(const functions &f) {
  const size_t bytes = size_t(1) << 30;
  void *host[2], *streams[2];
  uint64_t device[2];
  for (int i = 0; i < 2; ++i) {
    check(f.host_alloc(&host[i], bytes), "cuMemAllocHost");
    check(f.alloc(&device[i], bytes), "cuMemAlloc");
    check(f.stream(&streams[i], 1), "cuStreamCreate");
  }
  double best = 1e9;
  for (int turn = 0; turn < 4; ++turn) {
    const double begin = now();
    for (int i = 0; i < 4; ++i) {
      check(f.copy(device[0], uint64_t(uintptr_t(host[0])), bytes, streams[0]), "cuMemcpyAsync");
      check(f.copy(uint64_t(uintptr_t(host[1])), device[1], bytes, streams[1]), "cuMemcpyAsync");
    }
    check(f.wait(streams[0]), "cuStreamSynchronize");
    check(f.wait(streams[1]), "cuStreamSynchronize");
    best = std::min(best, (now() - begin) / 4);
  }
  for (int i = 0; i < 2; ++i) f.host_free(host[i]), f.release(device[i]);
  return double(bytes) / best;
}

static void *memory_of(const functions &f, bool locked, size_t bytes) {
  void *made = nullptr;
  if (locked) check(f.host_alloc(&made, bytes), "cuMemAllocHost");
  else made = std::malloc(bytes), std::memset(made, 1, bytes);
  return made;
}

template<class Key> static void fill(Key *keys, uint64_t n) {
  uint64_t x = 88172645463325252ull;
  for (uint64_t i = 0; i < n; ++i) x ^= x << 13, x ^= x >> 7, x ^= x << 17, keys[i] = Key(x);
}

template<class Key>
static void measure(gp_context *ctx, const functions &f, const char *what, gp_type type, gp_type value_type, uint64_t n,
    const std::vector<uint64_t> &memories, double rate) {
  const size_t each = sizeof(Key) + (value_type ? 4 : 0);
  for (int locked = 1; locked >= 0; --locked) {
    Key *in = static_cast<Key *>(memory_of(f, locked, n * sizeof(Key)));
    Key *out = static_cast<Key *>(memory_of(f, locked, n * sizeof(Key)));
    uint32_t *values = static_cast<uint32_t *>(memory_of(f, locked, n * 4));
    uint32_t *out_values = static_cast<uint32_t *>(memory_of(f, locked, n * 4));
    void *runs = memory_of(f, locked, n * each + 256);
    fill(in, n);
    for (uint64_t i = 0; i < n; ++i) values[i] = uint32_t(i);
    gp_external_array arrays[5] = {};
    void *memory[5] = {in, values, out, out_values, runs};
    for (int i = 0; i < 5; ++i) arrays[i].memory = memory[i];
    for (uint64_t bytes : memories) {
      gp_external_config config = gp_external_config_init();
      config.memory = bytes;
      config.scratch = &arrays[4];
      uint64_t blocks = 0;
      double best = 1e9;
      config.user = &blocks;
      config.progress = [](void *user, uint64_t, uint64_t) { return ++*static_cast<uint64_t *>(user), 0; };
      for (int turn = 0; turn < 3; ++turn) {
        const double begin = now();
        blocks = 0;
        check(gp_external_sort(ctx, &config, type, value_type, &arrays[0], value_type ? &arrays[1] : nullptr, n,
            &arrays[2], value_type ? &arrays[3] : nullptr));
        best = std::min(best, now() - begin);
      }
      bool right = std::is_sorted(out, out + n);
      for (uint64_t i = 0; value_type && i < n; ++i) right &= in[out_values[i]] == out[i];
      const double roof = double(n) * double(each) * (blocks > 1 ? 2 : 1) / rate;
      std::printf("%s, %llu, %s memory, through %llu bytes: %llu blocks, %.4f s, %.2f GB/s, %.2f of the roof: %s\n",
          what, (unsigned long long)n, locked ? "page-locked" : "pageable", (unsigned long long)bytes,
          (unsigned long long)blocks, best, 1e-9 * double(n) * double(each) / best, roof / best,
          right ? "right" : "WRONG");
      std::fflush(stdout);
    }
    for (void *one : memory)
      if (locked) f.host_free(one);
      else std::free(one);
  }
}

template<class Sort> static void on_host(const char *what, uint64_t n, Sort sort) {
  std::vector<uint32_t> keys(n);
  fill(keys.data(), n);
  const double begin = now();
  sort(keys);
  const double seconds = now() - begin;
  std::printf("%s: u32, %llu, %.4f s, %.2f GB/s\n", what, (unsigned long long)n, seconds, 4e-9 * double(n) / seconds);
}

int main(int argc, char **argv) {
  const uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : uint64_t(1) << 28;
  std::vector<uint64_t> memories;
  for (int i = 2; i < argc; ++i) memories.push_back(std::strtoull(argv[i], nullptr, 10));
  if (memories.empty()) memories = {uint64_t(1) << 30, uint64_t(4) << 30, 0};
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *primary;
  if (!library || !n) return std::printf("skipped: gp_external: no GPU, or no keys\n"), 0;
  functions f;
  const char *names[] = {"cuMemAllocHost_v2", "cuMemFreeHost", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyAsync",
      "cuStreamCreate", "cuStreamSynchronize", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"};
  void *found[9];
  for (int i = 0; i < 9; ++i) found[i] = dlsym(library, names[i]);
  static_assert(sizeof found == sizeof f, "a pointer a function");
  std::memcpy(&f, found, sizeof f);
  gp_context *ctx;
  gp_config config = gp_config_init();
  config.backend = GP_BACKEND_CUDA;
  check(gp_open(&config, &ctx));
  check(f.retain(&primary, 0), "cuDevicePrimaryCtxRetain");
  check(f.set_current(primary), "cuCtxSetCurrent");
  const double rate = duplex(f);
  std::printf("copies both ways at once: %.1f GB/s each way\n", 1e-9 * rate);
  measure<uint32_t>(ctx, f, "u32", GP_U32, GP_TYPE_DEFAULT, n, memories, rate);
  measure<uint64_t>(ctx, f, "u64 and u32", GP_U64, GP_U32, n, memories, rate);
  on_host("std::sort", n, [](std::vector<uint32_t> &keys) { std::sort(keys.begin(), keys.end()); });
  on_host(
      "__gnu_parallel::sort", n, [](std::vector<uint32_t> &keys) { __gnu_parallel::sort(keys.begin(), keys.end()); });
  check(gp_close(ctx));
  return 0;
}
