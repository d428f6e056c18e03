// examples/tuner under the emulator: merge sort, n-body and the empty kernel, unchanged, with their kernels, on
// adversarial schedules, at sizes around tiles and intervals and with block sizes that are powers of two and not; their
// comparisons with the host must agree. The library's sort is no part of it. Usage:
// test_tuner_examples [seeds [file that a measured space goes to]]
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#define GPUPRIMS_SIMT
#include "examples/tuner/merge_sort.cuh"

#define N_BODY_UNROLL 1
namespace unroll_1 {
#include "examples/tuner/n_body.cuh"
}
#undef N_BODY_UNROLL
#undef N_BODY_KERNEL
#undef N_BODY_DYNAMIC
#undef N_BODY_RSQRT
#define N_BODY_UNROLL 32
namespace unroll_32 {
#include "examples/tuner/n_body.cuh"
}

#define TUNER_WITHOUT_IMPLEMENTATION
#define main merge_sort_main
#include "examples/tuner/merge_sort.c"
#undef main
#define main n_body_main
#include "examples/tuner/n_body.c"
#undef main

#define main empty_kernel_main
#include "examples/tuner/empty_kernel.c"
#undef main
static __global__ void empty() {}

static const emulated_kernel *emulated_kernel_of(const char *options, const char *name) {
  static const emulated_kernel sort[] = {
      EMULATED(sort_tiles), EMULATED(split_runs), EMULATED(merge_intervals), EMULATED(empty)};
  static const emulated_kernel bodies[2][2] = {{{"n_body_step", emulated_launch<unroll_1::n_body_step>},
                                                   {"n_body_energy", emulated_launch<unroll_1::n_body_energy>}},
      {{"n_body_step", emulated_launch<unroll_32::n_body_step>},
          {"n_body_energy", emulated_launch<unroll_32::n_body_energy>}}};
  for (const emulated_kernel &kernel : sort)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  const bool most = std::strstr(options, "-DN_BODY_UNROLL=32 ");
  if (!most && !std::strstr(options, "-DN_BODY_UNROLL=1 ")) return nullptr;
  for (const emulated_kernel &kernel : bodies[most])
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

// ---- the library's calls

#include "own_calls_emulated.h"
gp_result gp_sort_pairs(
    gp_context *, gp_type, gp_type, const void *, const void *, uint64_t, void *, void *, int, gp_stream) {
  return GP_E_UNSUPPORTED; // for machines without a GPU
}

// ---- the test

static int passed, failed;
static own_gpu gpu;

static void count(bool good, const std::string &what) {
  if (good && simt::error().empty() && !simt::live_allocations()) ++passed;
  else if (++failed < 20) std::printf("FAILED: %s %s\n", what.c_str(), simt::error().c_str());
  simt::clear_error();
}

// A section of a program at a size, with these values.
static void run(tuner_program p, uint64_t size, std::initializer_list<int> values, int seed, bool more = false) {
  const int launches = emulated_launches;
  std::string what = p.name + (" " + std::to_string(size)) + ":";
  simt::set_random_schedule(uint64_t(seed));
  p.gpu = &gpu;
  p.size = size;
  int wrong, i = 0;
  for (int value : values) {
    *p.parameters[i++].variable = value;
    what += " " + std::to_string(value);
  }
  p.open(&p);
  const char *why = tuner_checked(&p, &wrong);
  if (!why && more) why = p.check_more(&p);
  p.close(&p);
  count(!why && emulated_launches > launches, what + ": " + (why ? why : "no launch"));
}

// The output of a kernel that wrote nothing, and of one that was changed in one place, must not pass.
template<class T> static void spoil(tuner_program p, uint64_t size, T *(*output)()) {
  p.gpu = &gpu;
  p.size = size;
  p.open(&p);
  tuner_take(&p, tuner_default(&p));
  p.clear(&p);
  const bool nothing = p.check(&p) != nullptr;
  int wrong;
  const bool right = tuner_checked(&p, &wrong) == nullptr;
  T changed;
  std::memcpy(&changed, output() + size / 2, sizeof changed);
  reinterpret_cast<unsigned char *>(&changed)[sizeof changed > 4 ? 3 : 0] ^= 1;
  simt::host_write(output() + size / 2, &changed, sizeof changed);
  const bool one = p.check(&p) != nullptr;
  p.close(&p);
  count(nothing && right && one, std::string(p.name) + ": a wrong output passes");
}

// Parameters with few values, so that the emulator runs the whole space.
template<int N> static void reduce(tuner_parameter (&parameters)[N], const int (&values)[N][2]) {
  for (int i = 0; i < N; ++i)
    parameters[i].values = values[i], parameters[i].count = 2, parameters[i].start = values[i][1];
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  const tuner_program sort = merge_sort_program(), bodies = n_body_program();
  own_open(&gpu, nullptr);
  for (int seed = 1; seed <= seeds; ++seed) {
    int number = 100 * seed;
    for (uint64_t n : {1, 255, 256, 257, 511, 769, 1800}) run(sort, n, {32, 32, 32}, ++number);
    for (uint64_t n : {768, 1537, 3100}) run(sort, n, {96, 64, 96}, ++number);
    run(sort, 5000, {160, 32, 64}, ++number);
    run(sort, 9000, {1024, 96, 256}, ++number);
    for (int unroll : {1, 32}) {
      for (uint64_t n : {1, 31, 33, 97}) run(bodies, n, {32, unroll}, ++number);
      run(bodies, 300, {96, unroll}, ++number, true); // two tiles of the energy's blocks
    }
  }
  static const int threads[3][2] = {{32, 64}, {32, 96}, {64, 32}}, few[2][2] = {{32, 96}, {1, 32}};
  reduce(merge_sort_parameters, threads);
  reduce(n_body_parameters, few);
  spoil<uint32_t>(sort, 700, [] { return merge_sort_state.values[merge_sort_state.result]; });
  spoil<uint32_t>(sort, 700, [] { return merge_sort_state.keys[merge_sort_state.result]; });
  spoil<n_body_body>(bodies, 100, [] { return n_body_state.velocity[1]; });
  // The programs from end to end: the measured space of each.
  static char file[] = "build/test_tuner.jsonl", name[] = "program", space[] = "--exhaustive", size[] = "--size",
              few_elements[] = "700", rounds[] = "--rounds", two[] = "2", check[] = "--check";
  char *measure[] = {name, space, argc > 2 ? argv[2] : file, size, few_elements, rounds, two, nullptr};
  char *plain[] = {name, check, size, few_elements, nullptr};
  count(!merge_sort_main(7, measure), "merge_sort --exhaustive");
  count(!merge_sort_main(4, plain), "merge_sort --check");
  few_elements[1] = 0; // 7
  count(!n_body_main(7, measure), "n_body --exhaustive");
  count(!n_body_main(4, plain), "n_body --check");
  empty_elements[1] = 3000;
  char *empty_plain[] = {name, nullptr};
  count(!empty_kernel_main(1, empty_plain), "empty_kernel");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
