// examples/layouts under the emulator: the unchanged program and its kernels in every combination of layouts, on
// adversarial schedules; its comparisons with the host must agree. The library's calls are plain loops here. Usage:
// test_layout_examples [seeds [file that the program's results go to]]
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#include "gpuprims.h"
// Shared memory as the library declares it.
#define GP_SHARED(T, name) SIMT_SHARED(T, name)
#define GP_DEVICE __device__ __forceinline__
#define GP__UNROLL_BY(n)
typedef unsigned long long gp__u64;
typedef unsigned gp__u32;
typedef unsigned char gp__u8;
#include "src/device/tile_bins.cuh"

// Blocks and slabs small enough for a few rows and boxes.
#define BITONIC_THREADS 64
#define KD_THREADS 64
#define KD_BINS 8
#define KD_USUAL_BINS 8
static uint64_t staged_layout; // of the module that was loaded last
#define BITONIC_STAGED staged_layout
#include "examples/layouts/bitonic.cuh"

// A kernel of each specialisation, with a part of the options that the program compiles it with.
struct instance {
  std::string options;
  emulated_kernel kernel;
};
static std::vector<instance> instances = {
    {"-DGP_LAYOUT_Row", EMULATED(bitonic_round)}, {"-DGP_LAYOUT_Row", EMULATED(bitonic_tiles)}};
static int add_kd_tree(int counters, int order, emulated_kernel kernel) {
  const std::string options =
      "-DKD_COUNTERS=" + std::to_string(counters) + " -DKD_ORDER=" + std::to_string(order) + " ";
  return instances.push_back({options, kernel}), 0;
}
#define JOIN_3(a, b, c) a##_##b##_##c
#define JOIN(a, b, c) JOIN_3(a, b, c)
#define KD_TREE_NAMESPACE JOIN(kd_tree, KD_COUNTERS, KD_ORDER)
#define KD_COUNTERS 0
#include "layout_examples.h"
#define KD_COUNTERS 1
#include "layout_examples.h"
#define KD_COUNTERS 2
#include "layout_examples.h"
#define KD_COUNTERS 3
#include "layout_examples.h"

static const emulated_kernel *emulated_kernel_of(const char *options, const char *name) {
  const char *staged = std::strstr(options, "GP_LAYOUT_Staged");
  if (staged) staged_layout = std::strtoull(std::strchr(staged, '(') + 1, nullptr, 10);
  for (const instance &one : instances)
    if (std::strstr(options, one.options.c_str()) && !std::strcmp(one.kernel.name, name)) return &one.kernel;
  return nullptr;
}

#define LAYOUTS_WITHOUT_IMPLEMENTATION
#define main layouts_main
#include "examples/layouts/layouts.c"
#undef main

// ---- the library's calls

#include "own_calls_emulated.h"
gp_result gp_op_define(gp_context *, const gp_op_desc *, gp_op *op) { return *op = gp_op(1000), GP_SUCCESS; }
gp_result gp_convert_layout(
    gp_context *, const gp_layout *, const gp_layout *, const void *, uint64_t, void *, int, gp_stream) {
  return GP_E_ARGUMENT; // the tuner's requests, which no test here makes
}
gp_result gp_run(gp_context *, const gp_call *call, gp_stream) {
  const unsigned *in = static_cast<const unsigned *>(call->in);
  if (call->primitive == GP_SORT) {
    const Row *keys = static_cast<const Row *>(call->keys);
    std::vector<Row> rows(keys, keys + call->count);
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return compare_rows(&a, &b) < 0; });
    simt::host_write(call->out_keys, rows.data(), rows.size() * sizeof(Row));
  } else if (call->primitive == GP_REDUCE) {
    const float *costs = static_cast<const float *>(call->in);
    best_plane best = {};
    best.place = std::min_element(costs, costs + call->count) - costs;
    best.cost = costs[best.place];
    simt::host_write(call->out, &best, sizeof best);
  } else { // scans of lines: interleaved for transposed counters
    const bool six = call->primitive == GP_INCLUSIVE_SCAN;
    unsigned sums[KD_LINES * KD_BINS];
    for (int k = 0; k < KD_LINES * KD_BINS; ++k)
      sums[k] = in[k] + (six ? k >= KD_LINES ? sums[k - KD_LINES] : 0 : k % KD_BINS ? sums[k - 1] : 0);
    simt::host_write(call->out, sums, sizeof sums);
  }
  return GP_SUCCESS;
}

// ---- the test

static int passed, failed;

static void checked(program *p, const char *what, uint64_t n) {
  if (!p->wrong && simt::error().empty() && !simt::live_allocations()) ++passed;
  else if (++failed < 20) fprintf(stderr, "FAILED: %s n=%llu %s\n", what, (unsigned long long)n, simt::error().c_str());
  p->wrong = 0;
  simt::clear_error();
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  static program p;
  p.quick = p.rounds = p.on_gpu = 1;
  p.bins = KD_BINS;
  own_open(&p.gpu, nullptr);
  for (int seed = 1; seed <= seeds; ++seed) {
    int number = 100 * seed;
    for (uint64_t n : {1, 2, 127, 128, 129, 300, 513}) {
      simt::set_random_schedule(uint64_t(++number));
      run_bitonic(&p, n);
      checked(&p, "bitonic sort", n);
    }
    for (uint64_t n : {1, 5, 64, 200, 777}) {
      simt::set_random_schedule(uint64_t(++number));
      run_kd_tree(&p, n);
      checked(&p, "KD-tree", n);
    }
  }
  static char name[] = "layouts", quick[] = "--quick", out[] = "--out", file[] = "build/test_layouts.json";
  char *arguments[] = {name, quick, out, argc > 2 ? argv[2] : file, nullptr};
  const int status = layouts_main(4, arguments);
  p.wrong = status;
  checked(&p, "the whole program", 0);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
