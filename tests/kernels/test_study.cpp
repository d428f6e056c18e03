// examples/study under the emulator: the unchanged program and its kernels on adversarial schedules, at sizes around
// shares, tiles and vectors; its comparisons with the host must agree. Usage:
// test_study [seeds [file that the program's results go to]]
#include <cstddef>
#include <cstdint>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#ifndef __launch_bounds__
#define __launch_bounds__(threads)
#endif
#include "examples/study/study.cuh"

#define STUDY_WITHOUT_IMPLEMENTATION
#define main study_main
#include "examples/study/study.c"
#undef main
#include "own_calls_emulated.h"

// The quick policies of two types: of one byte and of the widest vectors.
#define SHAPES(X, ...) \
  X(__VA_ARGS__, 32, 1, 1) \
  X(__VA_ARGS__, 32, 1, 4) \
  X(__VA_ARGS__, 32, 2, 1) \
  X(__VA_ARGS__, 32, 2, 4) \
  X(__VA_ARGS__, 64, 1, 1) \
  X(__VA_ARGS__, 64, 1, 4) \
  X(__VA_ARGS__, 64, 2, 1) X(__VA_ARGS__, 64, 2, 4)
#define ONE(X, MACRO, part, T, C) SHAPES(X, MACRO, part, T, C, 0, 0, 0)
#define STEALS(X, MACRO, part, T, C) ONE(X, MACRO, part, T, C) SHAPES(X, MACRO, part, T, C, 0, 0, 1)
#define TYPE(X, T, C) \
  STEALS(X, COPY, copy, T, C) \
  SHAPES(X, COPY, copy, T, C, 3, 3, 0) \
  SHAPES(X, COPY, copy, T, C, 3, 3, 1) \
  STEALS(X, REDUCE, reduce, T, C) \
  ONE(X, REDUCE, reduce_spine, T, C) \
  ONE(X, SCAN_UP, scan_up, T, C) \
  ONE(X, SCAN_SPINE, scan_spine, T, C) \
  ONE(X, SCAN_DOWN, scan_down, T, C) \
  ONE(X, KEY_UP, key_up, T, C) \
  ONE(X, KEY_SPINE, key_spine, T, C) \
  ONE(X, KEY_DOWN, key_down, T, C)
#define NAME(part, T, threads, loads, items, load, store, steal) \
  study_##part##_##T##_##threads##_##loads##_##items##_##load##_##store##_##steal
#define DEFINE(MACRO, part, T, C, load, store, steal, threads, loads, items) \
  STUDY_##MACRO(NAME(part, T, threads, loads, items, load, store, steal), C, threads, loads, items, load, store, steal)
typedef unsigned char byte_;
typedef unsigned long long wide_;
TYPE(DEFINE, u8, byte_)
TYPE(DEFINE, u64, wide_)

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define LIST(MACRO, part, T, C, load, store, steal, threads, loads, items) \
  {TEXT(NAME(part, T, threads, loads, items, load, store, steal)), \
      emulated_launch<NAME(part, T, threads, loads, items, load, store, steal)>},
static const emulated_kernel *emulated_kernel_of(const char *, const char *name) {
  static const emulated_kernel kernels[] = {TYPE(LIST, u8, byte_) TYPE(LIST, u64, wide_)};
  for (const emulated_kernel &kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

static int passed, failed;

static void check_size(study *s, uint64_t n) {
  open_size(s, n * uint64_t(type_size(s)));
  check_kernels(s, n > 4096);
  close_size(s);
  if (!s->wrong && simt::error().empty()) ++passed;
  else if (++failed < 20)
    std::printf("FAILED: %s n=%llu %s\n", type_names[s->type], (unsigned long long)n, simt::error().c_str());
  s->wrong = 0;
  simt::clear_error();
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  static study s;
  own_open(&s.gpu, nullptr);
  s.quick = 1;
  s.source = own_text("");
  s.partials = static_cast<char *>(own_new(&s.gpu, 16 * (room_of(&s) + 1)));
  s.offsets = static_cast<char *>(own_new(&s.gpu, 16 * room_of(&s)));
  s.ticket = static_cast<unsigned *>(own_new(&s.gpu, 2 * sizeof(unsigned)));
  s.runs = static_cast<unsigned *>(own_new(&s.gpu, sizeof(unsigned)));
  own_set(&s.gpu, s.ticket, 0, 2 * sizeof(unsigned));
  for (int seed = 1; seed <= seeds; ++seed)
    for (int type : {0, 3}) {
      static const uint64_t sizes[] = {1, 31, 127, 128, 129, 385, 1000, 1537, 12288};
      s.type = type;
      make_kernels(&s);
      int number = 100 * seed;
      for (uint64_t n : sizes) simt::set_random_schedule(uint64_t(++number)), check_size(&s, n);
    }
  own_free(&s.gpu, s.partials);
  own_free(&s.gpu, s.offsets);
  own_free(&s.gpu, s.ticket);
  own_free(&s.gpu, s.runs);
  static char program[] = "study", quick[] = "--quick", types[] = "--types", u64[] = "u64", out[] = "--out",
              file[] = "build/test_study.jsonl";
  char *arguments[] = {program, quick, types, u64, out, argc > 2 ? argv[2] : file, nullptr};
  if (study_main(6, arguments) || !simt::error().empty() || simt::live_allocations()) {
    std::printf("FAILED: the program: %s, %d allocations live\n", simt::error().c_str(), int(simt::live_allocations()));
    ++failed;
  } else ++passed;
  char wrong[] = "u99";
  char *bad[] = {program, types, wrong, nullptr};
  failed += study_main(3, bad) != 2;
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
