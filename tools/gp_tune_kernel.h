// gp_tune_kernel.h - tune a kernel of your own, together with the tile routines it is built from:
//
//     gp_tune --kernel my_kernel.cuh --sizes 1M,64M --out my_store.jsonl --policy-out my_policy.h
//
// (Merrill, Garland and Grimshaw: an enclosing kernel and its library routines share one best policy.)
//
// The .cuh file holds three things; examples/tuned_kernel.cuh is a complete one.
//   1. The fields, each a macro for the kernel's compilation: F(MACRO, default, values...). Values are numbers, or the
//      header's GP_CACHE_... names. The space is the product of all values.
//          #define GP_TUNE_FIELDS(F) F(MY_THREADS, 256, 128, 256) F(MY_LOAD, GP_CACHE_ALL, GP_CACHE_ALL, GP_CACHE_L2)
//      A field called GP_LAYOUT_NAME is the layout of the arrays of that name (section >>types of gpuprims.h): its
//      values are GP_AOS, GP_SOA and multiples of 16, each also with +GP_TRANSPOSED or another order of axes, as
//      GP_SOA+GP_AXES_2013, and with +GP_READ_ONLY (an application's arrays may be textures or constant memory, too:
//      gp_tune_application.h). The kernel's GP_AT is compiled for them. Its default should be GP_AOS,
//      the safe layout without measurements.
//          F(GP_LAYOUT_Particle, GP_AOS, GP_AOS, GP_SOA, 32) F(GP_LAYOUT_Staged, GP_AOS, GP_AOS, GP_SOA)
//   2. The kernel: extern "C" __global__ void NAME(A *a, B *b, ..., unsigned long long n), a pointer a buffer (a
//      gp_array where the host part calls it an array), and the problem's size last. For run-time compilation it may
//      include only "gpuprims.h".
//   3. Under #ifdef GP_TUNE_HOST, in plain C: its launch, its inputs and the check of its output, as
//          const gp_tune_kernel gp_tune_description = {...};
//      gp_tune compiles this part with cc into a library of its own.
//
// python3 -m tools.farm layouts (tools/farm/README.md) runs a kernel over its layouts and learns the best one for each
// size; examples/tuned_layouts.cuh is a kernel with layouts.
#ifndef GP_TUNE_KERNEL_H
#define GP_TUNE_KERNEL_H

#include <stdint.h>

struct gp_array; // of gpuprims.h

// The value of a field GP_LAYOUT_NAME as a layout of gpuprims.h. A field has 31 bits: the width, the memory, the order
// of axes, GP_TRANSPOSED.
enum { GP_TUNE_READ_ONLY = 1 << 20, GP_TUNE_AXES = 0xff << 22, GP_TUNE_TRANSPOSED = 1 << 30 };
static inline uint64_t gp_tune_layout(int field) {
  return (uint64_t)(field & (GP_TUNE_READ_ONLY - 1)) | (uint64_t)(field & GP_TUNE_READ_ONLY) << 12 |
      (uint64_t)(field & GP_TUNE_AXES) << 18 | (uint64_t)(field & GP_TUNE_TRANSPOSED) << 33;
}

// A launch: its inputs, and the shape that the host part returns.
typedef struct gp_tune_launch {
  const int *field; // in: the fields' values, in the order of their declaration
  uint64_t n; // in: the problem's size
  int multiprocessors; // in
  unsigned blocks; // out
  unsigned threads; // out: of a block
  unsigned shared_bytes; // out: dynamic; 0 at first
} gp_tune_launch;

typedef struct gp_tune_kernel {
  const char *name; // of the __global__ function
  int buffers; // pointers before n, at most 8
  uint64_t (*bytes)(int buffer, uint64_t n); // size of a buffer; NULL if all are arrays
  void (*fill)(int buffer, void *data, uint64_t n); // what it holds before the first call; the rest is bytes of 0xA5
  uint64_t (*moved)(uint64_t n); // bytes that a call must at least read and write
  int (*launch)(gp_tune_launch *launch); // 0: these fields are invalid together, or for this n
  const char *(*check)(void *const *data,
      uint64_t n); // copies of the buffers after a call; NULL: right, else the fault
  // NULL, or: describes the buffers that are arrays of GP_AT by *array = GP_ARRAY_OF(...), in the layout of a field
  // (gp_tune_layout). If *array stays all zero, the buffer has `bytes`. For an array `fill` and `check` get its
  // gp_array instead of its memory.
  void (*array)(int buffer, uint64_t n, const int *field, struct gp_array *array);
} gp_tune_kernel;

#endif
