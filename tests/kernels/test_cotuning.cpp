// examples/cotuning under the emulator: the unchanged program with its kernels on the library's tile routines, on
// adversarial schedules; its comparisons with the host must agree, and its choices follow from made-up times. Usage:
// test_cotuning [seeds [file that the program's results go to]]
#include <math.h>

#include <cstddef>
#include <cstdint>

#define GPUPRIMS_SIMT
typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#include "gpuprims.h"

#ifndef __launch_bounds__
#define __launch_bounds__(threads)
#endif
#include "examples/cotuning/cotuning.cuh"

#define COTUNING_WITHOUT_IMPLEMENTATION
#define main cotuning_main
#include "examples/cotuning/cotuning.c"
#undef main
#include "own_calls_emulated.h"

#define SUMS(X, t) X(t, 1) X(t, 2) X(t, 3)
#define ROWS(X, t, l) X(t, l, 1, 1) X(t, l, 1, 3) X(t, l, 2, 1) X(t, l, 2, 3)
#define OF_THREADS(S, R, t) SUMS(S, t) ROWS(R, t, 1) ROWS(R, t, 2) ROWS(R, t, 3)
#define ALL_POINTS(S, R) OF_THREADS(S, R, 128) OF_THREADS(S, R, 256) OF_THREADS(S, R, 512) OF_THREADS(S, R, 1024)
#define DEFINE_SUMS(t, l) COTUNING_SUMS(cotuning_sums_##t##_##l, t, l)
#define DEFINE_ROWS(t, l, p, s) COTUNING_ROWS(cotuning_rows_##t##_##l##_##p##_##s, t, l, p, s)
ALL_POINTS(DEFINE_SUMS, DEFINE_ROWS)
#define LIST_SUMS(t, l) EMULATED(cotuning_sums_##t##_##l),
#define LIST_ROWS(t, l, p, s) EMULATED(cotuning_rows_##t##_##l##_##p##_##s),
static const emulated_kernel *emulated_kernel_of(const char *, const char *name) {
  static const emulated_kernel kernels[] = {ALL_POINTS(LIST_SUMS, LIST_ROWS)};
  for (const emulated_kernel &kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

static int passed, failed;
static void expect(bool good, const char *what) {
  if (good) ++passed;
  else ++failed, std::printf("FAILED: %s %s\n", what, simt::error().c_str());
}

static int index_of(const char *policy) {
  char text[120];
  for (int i = 0; i < POINTS; ++i) {
    point_text(text, sizeof text, point_of(i));
    if (!std::strcmp(text, policy)) return i;
  }
  return -1;
}
static bool is(const point &p, const char *policy) {
  char text[120];
  point_text(text, sizeof text, p);
  return !std::strcmp(text, policy);
}

// The routine alone likes 512 threads; the kernel around it 128, and one pass only there.
static void test_choices() {
  static double us[POINTS];
  double alone[THREADS][LOADS];
  point chosen[WAYS];
  for (double &time : us) time = 10;
  for (auto &times : alone)
    for (double &time : times) time = 5;
  alone[2][1] = 4; // 512, STREAMING
  us[index_of("threads=128,load=L2,passes=1,store=ALL,blocks_per_sm=2")] = 6;
  us[index_of("threads=512,load=STREAMING,passes=2,store=STREAMING,blocks_per_sm=4")] = 8;
  us[index_of("threads=256,load=ALL,passes=1,store=ALL,blocks_per_sm=1")] = 9;
  choose(us, alone, chosen);
  expect(is(chosen[DEFAULT], "threads=256,load=ALL,passes=2,store=ALL,blocks_per_sm=0"), "the default");
  expect(is(chosen[APART], "threads=512,load=STREAMING,passes=1,store=ALL,blocks_per_sm=1"), "apart");
  expect(is(chosen[IN_TURN], "threads=512,load=STREAMING,passes=2,store=STREAMING,blocks_per_sm=4"), "in turn");
  expect(is(chosen[TOGETHER], "threads=128,load=L2,passes=1,store=ALL,blocks_per_sm=2"), "together");
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  static char program[] = "cotuning", quick[] = "--quick", out[] = "--out", file[] = "build/test_cotuning.json",
              seconds[] = "--seconds", none[] = "0";
  test_choices();
  for (int seed = 1; seed <= seeds; ++seed) {
    char *arguments[] = {program, quick, out, argc > 2 ? argv[2] : file, nullptr};
    simt::set_random_schedule(uint64_t(seed));
    expect(!cotuning_main(4, arguments) && simt::error().empty() && !simt::live_allocations(), "the program");
    simt::clear_error();
  }
  char *bad[] = {program, seconds, none, nullptr};
  expect(cotuning_main(3, bad) == 2, "--seconds 0");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
