// examples/reyes under the emulator: the unchanged program and its kernels in layouts of every kind, on adversarial
// schedules. Its own checks must agree: no crack beside a slow renderer, none at seams, one picture in all layouts. The
// library's calls are plain loops here. Usage: test_reyes [seeds]
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

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

static uint64_t control_layout, vertex_layout; // of the module that was loaded last
#define REYES_CONTROLS control_layout
#define REYES_VERTICES vertex_layout
#include "examples/reyes/reyes.cuh"

#define REYES_WITHOUT_IMPLEMENTATION
#define main program_main
#include "examples/reyes/reyes.c"
#undef main

static uint64_t layout_in(const char *options, const char *name) {
  const char *at = std::strstr(options, name);
  return at ? std::strtoull(std::strchr(at, '(') + 1, nullptr, 10) : uint64_t(GP_AOS);
}
static const emulated_kernel *emulated_kernel_of(const char *options, const char *name) {
  static const emulated_kernel kernels[] = {
      EMULATED(bound_split), EMULATED(compact), EMULATED(dice_shade), EMULATED(paint)};
  if (!std::strcmp(name, "dice_shade")) {
    control_layout = layout_in(options, "GP_LAYOUT_Control");
    vertex_layout = layout_in(options, "GP_LAYOUT_Vertex");
  }
  for (const emulated_kernel &kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

// ---- the library's calls

#include "own_calls_emulated.h"
gp_result gp_array_check(const gp_array *) { return GP_SUCCESS; }
gp_result gp_array_relayout(gp_array *a, uint64_t layout) {
  *a = gp__array_of(layout, a->extent[0], a->extent[1], a->extent[2], a->extent[3], a->size, a->packed);
  return GP_SUCCESS;
}
gp_result gp_exclusive_scan(
    gp_context *, gp_op, gp_type, gp_type, const void *, const void *in, uint64_t count, void *out, gp_stream) {
  unsigned sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    simt::host_write(static_cast<unsigned *>(out) + i, &sum, 4);
    sum += static_cast<const unsigned *>(in)[i];
  }
  return GP_SUCCESS;
}
gp_result gp_select_flags(gp_context *, gp_type type, gp_type, const void *, const void *flags, uint64_t count,
    void *out, uint64_t *out_count, gp_stream) {
  uint64_t kept = 0;
  if (type != GP_INPUT) return GP_E_ARGUMENT; // the slots' numbers, described
  for (unsigned i = 0; i < count; ++i)
    if (static_cast<const unsigned *>(flags)[i]) simt::host_write(static_cast<unsigned *>(out) + kept++, &i, 4);
  simt::host_write(out_count, &kept, sizeof kept);
  return GP_SUCCESS;
}

// ---- the test

static int passed, failed;

static void expect(bool good, const char *what) {
  if (good && simt::error().empty()) ++passed;
  else if (++failed < 20) std::printf("FAILED: %s %s\n", what, simt::error().c_str());
  simt::clear_error();
#ifdef TEST_MUTANT // which is caught
  if (failed) std::exit(1);
#endif
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  static const char *const layouts[] = {"Point=GP_SOA+GP_TRANSPOSED,dice_shade.Vertex=32,Pixel=GP_SOA",
      "Point=32,Sample=GP_AOS+GP_TRANSPOSED,dice_shade.Control=GP_SOA,dice_shade.Vertex=GP_SOA",
      "Point=GP_AOS+GP_TRANSPOSED,Pixel=GP_AOS+GP_TRANSPOSED,paint.prefer=shared"};
  static reyes r;
  char empty[1] = "";
  std::freopen("/dev/null", "w", stderr);
  own_open(&r.gpu, nullptr);
  r.on_gpu = 1, r.kernels = r.header = empty;
  r.width = 24, r.height = 14, r.side = 2, r.frames = 1;
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    open_arrays(&r);
    use_defaults(&r);
    use_layouts(&r);
    expect(!compare_teapot(&r), "a slow renderer sees another teapot");
    expect(!check_seams(&r), "a seam has gaps");
    draw_teapot(&r, 0.6);
    paint_picture(&r);
    read_picture(&r, r.first_picture);
    expect(r.drawn > 32 && r.split > r.drawn, "patches were split");
    for (const char *list : layouts) {
      simt::set_random_schedule(uint64_t(100 * seed + int(list[6])));
      use_defaults(&r);
      expect(!read_layouts(&r, list), list);
      use_layouts(&r);
      draw_teapot(&r, 0.6);
      paint_picture(&r);
      read_picture(&r, r.picture);
      expect(!std::memcmp(r.picture, r.first_picture, 24 * 14 * 3), list);
    }
    expect(read_layouts(&r, "Point=48") && read_layouts(&r, "Points=GP_AOS") && read_layouts(&r, "Point"),
        "bad layouts are refused");
    close_arrays(&r);
    expect(!simt::live_allocations(), "memory");
  }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
