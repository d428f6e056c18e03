// Transposes under the emulator: element sizes 1 to 64, shapes around tiles, thin ones, batches, pitches, permutations
// of up to four dimensions, alignments, in place. Usage: test_transpose [seeds] [name of a test] Define one of
// TEST_TRANSPOSE, TEST_TRANSPOSE_IN_PLACE, TEST_TRANSPOSE_TILE to compile that part alone; TEST_FEW compiles only the
// instances that mutants.py needs; sanitizer builds use it too, because they compile slowly.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#ifndef TEST_FEW
#define TEST_FEW
#endif
#pragma GCC optimize("O0")
#endif
#if !defined(TEST_TRANSPOSE) && !defined(TEST_TRANSPOSE_IN_PLACE) && !defined(TEST_TRANSPOSE_TILE)
#define TEST_TRANSPOSE
#define TEST_TRANSPOSE_IN_PLACE
#define TEST_TRANSPOSE_TILE
#endif
#define GPUPRIMS_IMPLEMENTATION
#include "kernel_test.h"

typedef gp__policy<128, 1, 3, 3, 0, 0, 2> Small;
typedef gp__policy<64, 2, 1, 1, 0, 0, 2> Larger;
typedef gp__policy<32, 8, 1, 1, 0, 0, 2> Warp;
typedef gp__policy<256, 8, 1, 1, 0, 0, 2> Tall; // columns of 256 bytes and more
#ifdef TEST_FEW
static const bool ALL_TALL = false;
#else
static const bool ALL_TALL = true;
#endif
// The compiled sizes.
template<class P> constexpr bool has_size(int size) {
  return std::is_same<P, Tall>::value ? size == 1 || size == 4 || (ALL_TALL && (size == 2 || size == 8))
      : std::is_same<P, Warp>::value ? size == 1 || size == 4
      : std::is_same<P, Larger>::value ? size == 1 || size == 8 || size == 12 || size == 40
      : size != 8 && size != 12 && size != 40;
}

// ---- the request, after the header's own checks

struct Case {
  gp_permutation p = gp_permutation_init();
  int size = 4;
  size_t in_skip = 0, out_skip = 0; // bytes past a multiple of 256
  bool in_place = false;
};
struct Run {
  gp__request q;
  gp__shape shape;
  gp__transpose_plan plan;
  gp__transpose_args args;
};
static u64 in_bytes(const Case &c) { // of both sides, from the first element to the last, by their strides
  u64 last = 0, stride = 1;
  for (int d = c.p.dimensions - 1; d >= 0; --d) {
    stride = c.p.in_stride[d] ? c.p.in_stride[d] : stride;
    last += (c.p.extent[d] - 1) * stride;
    stride *= c.p.extent[d];
  }
  return (last + 1) * u64(c.size);
}
static Case inverse(const Case &c) {
  Case r = c;
  for (int d = 0; d < c.p.dimensions; ++d) {
    r.p.extent[d] = c.p.extent[c.p.order[d]];
    r.p.order[c.p.order[d]] = d;
    r.p.in_stride[d] = c.p.out_stride[d];
    r.p.out_stride[d] = c.p.in_stride[d];
  }
  return r;
}
static bool prepare(const Case &c, const void *in, void *out, gp_policy policy, Run &r) {
  gp_call call = {};
  gp__checking k;
  std::memset(&r, 0, sizeof r);
  std::memset(&k, 0, sizeof k);
  call.primitive = GP_TRANSPOSE;
  call.in = in, call.out = out, call.permutation = &c.p;
  k.who = "test", k.c = &call, k.q = &r.q;
  k.in.size = size_t(c.size);
  r.q.primitive = GP_TRANSPOSE;
  r.q.in = in, r.q.out = out;
  r.q.in_size = size_t(c.size);
  if (gp__check_permutation(&k)) return false;
  r.shape = gp__shape_of(&r.q);
  r.shape.compute_capability = 90, r.shape.shared_bytes = 227 * 1024, r.shape.multiprocessors = 2;
  if (!gp__valid_by(&gp__rules_transpose, policy, &r.shape)) return false;
  r.plan = gp__transpose_plan_of(policy, r.shape);
  r.args = gp__transpose_arguments(&r.q.moves, r.shape, policy, in, out, in_bytes(c));
  return true;
}

// ---- kernels by their template arguments

template<class P, int SIZE, int WORD> static int launch_form(const Run &r, unsigned grid) {
#define FORM(F) \
  if (r.plan.form == F) \
  return simt::launch_kernel( \
      "transpose", grid, P::threads, r.plan.shared_bytes, gp__transpose<P, SIZE, WORD, F>, r.args)
  if constexpr (SIZE == WORD && SIZE <= 8) {
    FORM(16);
    FORM(17);
  }
  FORM(0);
  FORM(1);
  FORM(2);
  FORM(3);
  FORM(4);
  FORM(5);
  FORM(6);
  FORM(7);
  FORM(8);
  FORM(9);
  FORM(10);
  FORM(11);
  FORM(12);
  FORM(13);
  FORM(14);
  FORM(15);
#undef FORM
  return -1;
}
template<class P, int SIZE, int WORD> static int launch_square(const Run &r, unsigned grid) {
#define FORM(F) \
  if (r.plan.form == F) \
  return simt::launch_kernel( \
      "transpose square", grid, P::threads, r.plan.shared_bytes, gp__transpose_square<P, SIZE, WORD, F>, r.args)
  FORM(0);
  FORM(3);
#undef FORM
  return -1;
}
template<class P, int SIZE, int WORD> static int launch_one(const Run &r, unsigned grid) {
  return r.q.moves.kind == GP__MOVE_SQUARE ? launch_square<P, SIZE, WORD>(r, grid)
      : launch_form<P, SIZE, WORD>(r, grid);
}
template<class P, int WORD> static int launch_rows(const Run &r, unsigned grid) {
  return simt::launch_kernel("transpose rows", grid, P::threads, 0, gp__transpose_rows_of<P, WORD>, r.args);
}
// Dense matrices in place, in shared memory or, if a block has little of it, in scratch memory.
template<class P, int SIZE, int WORD> static int launch_steps(Run &r, void *out, int seed) {
  int e = 0;
  if (seed % 2) r.shape.shared_bytes = 2048 + 2 * 1024;
  for (int step = 0; step < 3 && !e; ++step) {
    gp__rectangle_plan plan;
    if (!gp__rectangle_step(&r.q.moves, &r.shape, step, out, nullptr, &plan, &r.args)) continue;
    Device<u8> scratch(plan.scratch);
    r.args.scratch = plan.scratch ? scratch.data : nullptr;
    e = step == 1 ? simt::launch_kernel("within rows", plan.grid, P::threads, plan.shared_bytes,
                        gp__transpose_within_rows<P, SIZE, WORD>, r.args)
                  : simt::launch_kernel("columns", plan.grid, P::threads, plan.shared_bytes,
                        gp__transpose_columns_of<P, SIZE, WORD>, r.args);
  }
  return e;
}
// Large ones, by panels and chunks.
template<class P, int SIZE, int WORD, int FORM> static int launch_panels(Run &r, gp_policy policy, void *out) {
  const gp__panels_plan plan = gp__panels_plan_of(policy, &r.shape);
  Device<u8> scratch(size_t(gp__panels_scratch_of(plan, unsigned(SIZE)).bytes));
  int e = 0;
  for (u64 matrix = 0; matrix < r.shape.segments && !e; ++matrix) {
    gp__panels_args a = gp__panels_arguments(policy, &r.shape,
        static_cast<u8 *>(out) + matrix * r.shape.moved.rows * r.shape.moved.columns * SIZE, scratch.data);
    for (int step = 0; step < 4 && !e; ++step) {
      const int which = gp__panels_step(plan, unsigned(SIZE), step, &a);
      if (which < 0) break;
      const unsigned grid = 1 + random32() % 6;
      if (which == 0 && plan.whole) {
        const gp__transpose_args t = gp__whole_panels_arguments(policy, &r.shape, &r.q.moves, a.data);
        if constexpr ((FORM & GP__FORM_WHOLE) == GP__FORM_WHOLE)
          e = simt::launch_kernel(
              "whole panels", grid, P::threads, r.plan.shared_bytes, gp__transpose<P, SIZE, WORD, FORM>, t);
        continue;
      }
      e = which == 0 ? simt::launch_kernel("panels", grid, P::threads, r.plan.shared_bytes,
                           gp__transpose_panels<P, SIZE, WORD, FORM>, a)
          : which == 1
          ? simt::launch_kernel("chunks", grid, P::threads, 0, gp__transpose_chunks<P, SIZE, WORD, FORM>, a)
          : simt::launch_kernel("save", grid, P::threads, 0, gp__transpose_save<P, SIZE, WORD, FORM>, a);
    }
  }
  return e;
}
template<class P, int SIZE, int WORD> static int launch_panels_of(Run &r, gp_policy policy, void *out) {
#define FORM(W, F) \
  if constexpr (W >= WORD) \
    if (r.plan.form == W * GP__FORM_WORD + F) return launch_panels<P, SIZE, WORD, W * GP__FORM_WORD + F>(r, policy, out)
  FORM(16, 3);
  FORM(16, 1);
  FORM(16, 2);
  FORM(4, 0);
  FORM(1, 0);
  FORM(16, 12);
  FORM(4, 12);
#ifndef TEST_FEW
  FORM(1, 12);
  FORM(2, 12);
  FORM(8, 12);
  FORM(16, 0);
  FORM(8, 2);
  FORM(8, 1);
  FORM(8, 0);
  FORM(4, 2);
  FORM(4, 1);
  FORM(2, 0);
#endif
#undef FORM
  return -1;
}
// The same through a buffer.
template<class P, int SIZE, int WORD, int FORM> static int launch_buffered(Run &r, gp_policy policy, void *out) {
  const gp__geometry g = gp__geometry_by(&gp__rules_transpose, policy, &r.shape, 1);
  Device<u8> scratch(size_t(g.scratch));
  int e = 0;
  for (u64 matrix = 0; matrix < r.shape.segments && !e; ++matrix) {
    gp__panels_args clears;
    gp__buffered_args a = gp__buffered_arguments(policy, &r.shape,
        static_cast<u8 *>(out) + matrix * r.shape.moved.rows * r.shape.moved.columns * SIZE, scratch.data, &clears);
    e = simt::launch_kernel("save", 1, P::threads, 0, gp__transpose_save<P, SIZE, WORD, FORM>, clears);
    if (!e)
      e = simt::launch_kernel("buffered", 1 + random32() % 24,
          P::threads + (gp__buffered_leads(SIZE) ? unsigned(GP__WARP) : 0), g.shared_bytes,
          gp__transpose_buffered<P, SIZE, WORD, FORM>, a);
  }
  return e;
}
template<class P, int SIZE, int WORD> static int launch_buffered_of(Run &r, gp_policy policy, void *out) {
#define FORM(F) \
  if (r.plan.form == 16 * GP__FORM_WORD + F) \
  return launch_buffered<P, SIZE, WORD, 16 * GP__FORM_WORD + F>(r, policy, out)
  FORM(0);
  FORM(1);
  FORM(2);
  FORM(3);
#undef FORM
  return -1;
}
// Out of place into the workspace, and back: all matrices in one trip, or in several.
template<class P, int SIZE, int WORD> static int launch_round_trip(const Run &r, gp_policy policy, u8 *out) {
  const uint64_t *extent = r.q.moves.extent, *stride = r.q.moves.out_stride;
  const u64 all = r.shape.segments;
  gp__shape h = gp__tiled(policy, r.shape);
  if (h.segments > 16 && random32() % 4) h.segments = 16;
  const u64 bytes = h.segments * h.moved.rows * h.moved.columns * SIZE;
  Device<u8> scratch((size_t(bytes)));
  int e = 0;
  check(gp__geometry_by(&gp__rules_transpose, policy, &r.shape, 1).scratch >= bytes, "scratch memory of a trip");
  for (u64 first = 0; first < all && !e; first += h.segments) {
    Run trip = r;
    gp__map_args back;
    trip.plan = gp__transpose_plan_of(policy, h);
    trip.args = gp__trip_arguments(policy, &h, &r.q.moves, std::min(all - first, u64(h.segments)),
        out + first / extent[3] * stride[2] + first % extent[3] * stride[3], scratch.data, &back);
    e = launch_form<P, SIZE, WORD>(trip, 1 + random32() % 6);
    if (!e) e = simt::launch_kernel("back", 1 + random32() % 6, P::threads, 0, gp__copy_kernel<P, SIZE>, back);
  }
  return e;
}
template<class P> static int launch_rectangle(Run &r, gp_policy policy, void *out, int seed) {
  const int size = r.q.moves.size, word = r.q.moves.word;
#define ONE(s, w) \
  if constexpr (has_size<P>(s)) \
    if (size == s && word == w) \
      return policy.algorithm == GP_ROUND_TRIP ? launch_round_trip<P, s, w>(r, policy, static_cast<u8 *>(out)) \
          : policy.algorithm == GP_BUFFERED_PANELS ? launch_buffered_of<P, s, w>(r, policy, out) \
          : r.plan.form ? launch_panels_of<P, s, w>(r, policy, out) \
          : launch_steps<P, s, w>(r, out, seed);
  ONE(4, 4)
  ONE(12, 4)
#ifdef TEST_FEW
  if constexpr (std::is_same<P, Larger>::value)
#endif
    ONE(1, 1)
#ifndef TEST_FEW
  ONE(64, 16)
#endif
#undef ONE
  return -1;
}
// -1: not compiled in the test.
template<class P> static int launch(const Run &r, unsigned grid) {
  const int size = r.q.moves.size, word = r.q.moves.word;
  if (r.q.moves.kind == GP__MOVE_NOTHING) return 0;
  if (r.q.moves.kind == GP__MOVE_ROWS)
    return word == 1 ? launch_rows<P, 1>(r, grid)
        : word == 2 ? launch_rows<P, 2>(r, grid)
        : word == 4 ? launch_rows<P, 4>(r, grid)
        : word == 8 ? launch_rows<P, 8>(r, grid)
        : launch_rows<P, 16>(r, grid);
#define ONE(s, w) \
  if constexpr (has_size<P>(s)) \
    if (size == s && word == w) return launch_one<P, s, w>(r, grid);
  ONE(1, 1)
  ONE(2, 2)
  ONE(4, 4)
  ONE(12, 4)
#ifndef TEST_FEW
  ONE(8, 8)
  ONE(16, 16)
  ONE(3, 1)
  ONE(64, 16)
  ONE(40, 8)
#endif
#undef ONE
  return -1;
}

static std::string what_of(const Case &c, const char *name, int seed) {
  std::string text = std::string(name) + " size=" + std::to_string(c.size);
  for (int d = 0; d < c.p.dimensions; ++d)
    text += " [" + std::to_string(c.p.extent[d]) + ", " + std::to_string(c.p.in_stride[d]) + "/" +
        std::to_string(c.p.out_stride[d]) + " " + std::to_string(c.p.order[d]) + "]";
  return text + " skips " + std::to_string(c.in_skip) + " " + std::to_string(c.out_skip) +
      " seed=" + std::to_string(seed);
}

// Runs a case and compares every byte, including gaps. panels: through a buffer, this many; or TRIP, or 0: neither.
enum { TRIP = -1 };
template<class P> static void run(const Case &c, const char *name, int seed, bool must, int panels = 0) {
  if ((!only.empty() && only != name) || !has_turn()) return;
  simt::set_random_schedule(u64(seed) * 977 + random32() % 1000);
  const u64 from = in_bytes(c), to = in_bytes(inverse(c));
  const u64 bytes = c.in_place ? std::max(from, to) : from;
  std::vector<u8> source(bytes), before(c.in_place ? 0 : to);
  for (auto &x : source) x = u8(random32());
  for (auto &x : before) x = u8(random32());
  Device<u8> in(source, c.in_skip), other(before, c.out_skip);
  u8 *out = c.in_place ? in.data : other.data;
  std::vector<u8> expected = c.in_place ? source : before;
  u64 in_stride[4], out_stride[4], i[4], least = 1;
  const int n = c.p.dimensions;
  for (int d = n - 1; d >= 0; --d) {
    in_stride[d] = c.p.in_stride[d] ? c.p.in_stride[d] : least;
    least = in_stride[d] * c.p.extent[d];
  }
  least = 1;
  for (int d = n - 1; d >= 0; --d) {
    out_stride[d] = c.p.out_stride[d] ? c.p.out_stride[d] : least;
    least = out_stride[d] * c.p.extent[c.p.order[d]];
  }
  u64 all = 1;
  for (int d = 0; d < n; ++d) all *= c.p.extent[d];
  for (u64 e = 0; e < all; ++e) {
    u64 rest = e, a = 0, b = 0;
    for (int d = n - 1; d >= 0; --d) {
      i[d] = rest % c.p.extent[d];
      rest /= c.p.extent[d];
      a += i[d] * in_stride[d];
    }
    for (int d = 0; d < n; ++d) b += i[c.p.order[d]] * out_stride[d];
    std::memcpy(&expected[b * u64(c.size)], &source[a * u64(c.size)], size_t(c.size));
  }
  Run r;
  gp_policy policy = policy_of<P>(panels ? GP_BUFFERED_PANELS : GP_PADDED_TILES);
  policy.stages = panels > 0 ? panels : 0;
  if (panels == TRIP) policy.algorithm = GP_ROUND_TRIP;
  if (!prepare(c, in.data, out, policy, r)) {
    if (must) check(false, what_of(c, name, seed) + " is not taken: " + gp_last_message());
    return;
  }
  const unsigned tiles = unsigned(r.plan.tiles), grid = seed % 3 ? tiles : 1 + random32() % tiles;
  const int e = panels == TRIP || gp__tiled(policy, r.shape).moved.kind == GP__MOVE_RECTANGLE
      ? launch_rectangle<P>(r, policy, out, seed)
      : launch<P>(r, grid);
  if (e == -1 && !must) return;
  check(!e && same_items(out, expected),
      what_of(c, name, seed) + " kind " + std::to_string(r.q.moves.kind) + " form " + std::to_string(r.plan.form));
  simt::clear_error();
}

static Case matrix(int size, u64 rows, u64 columns, u64 batch = 1) {
  Case c;
  c.size = size;
  c.p.dimensions = 3;
  c.p.extent[0] = batch, c.p.extent[1] = rows, c.p.extent[2] = columns;
  c.p.order[0] = 0, c.p.order[1] = 2, c.p.order[2] = 1;
  return c;
}
[[maybe_unused]] static size_t skip_of(int size, int seed) { // whole words of the element
  const size_t word = size_t(gp__lowest_bit(size | 16));
  return seed % 2 ? random32() % 16 / word * word : 0;
}

#ifdef TEST_TRANSPOSE
static u64 around(u64 tile) {
  const u64 sizes[] = {tile, tile, tile - 1, tile + 1, 2 * tile, 3 * tile + 5, 1, 2, 3, 7, 5 * tile / 2, 8};
  return sizes[random32() % 12];
}
template<class P> static void sweep(const char *name, int size, int seeds) {
  const u64 rows = u64(gp__transpose_rows(P::threads, P::vectors, size));
  const u64 columns = u64(gp__transpose_columns(P::threads, P::vectors, size));
  for (int seed = 1; seed <= 6 * seeds; ++seed) {
    Case c = matrix(size, around(rows), around(columns), seed % 4 == 0 ? 1 + random32() % 5 : 1);
    if (seed % 6 == 0) { // one long, one short
      c.p.extent[1 + seed / 6 % 2] = 900 + random32() % 300;
      c.p.extent[2 - seed / 6 % 2] = 1 + random32() % 9;
    }
    if (seed % 5 == 4) { // pitches; some keep rows aligned
      const u64 gap = seed % 2 ? 1 + random32() % 9 : u64(gp__vec_group_items(size));
      c.p.in_stride[1] = c.p.extent[2] + gap;
      c.p.out_stride[1] = (c.p.extent[1] + 15) / 16 * 16 + gap;
    }
    c.in_skip = skip_of(size, seed), c.out_skip = skip_of(size, seed / 2);
    run<P>(c, name, seed, true);
    // Makes rows and columns aligned.
    Case d = matrix(size, (c.p.extent[1] + 15) / 16 * 16, (c.p.extent[2] + 15) / 16 * 16, c.p.extent[0]);
    run<P>(d, name, seed, true);
  }
  for (int seed = 1; seed <= 2 * seeds; ++seed) { // many small matrices
    Case c = matrix(size, 1 + random32() % 9, 2 + random32() % 9, 40 + random32() % 60);
    if (seed % 2) c.out_skip = skip_of(size, 1);
    run<P>(c, name, seed, true);
  }
}
// Both pointers and both pitches at all positions modulo 16, around the sizes at which one more tile begins.
template<class P> static void alignments(const char *name, int size, u32 cases) {
  const int rows = gp__transpose_rows(P::threads, P::vectors, size), step = gp__transpose_step(rows, size, size, 0);
  const u64 columns = u64(gp__transpose_columns(P::threads, P::vectors, size)), places = u64(16 / size);
  const u64 all = places * places * places * places;
  for (u64 n = 0; n < std::min(all, u64(cases)); ++n) {
    const u64 i = all <= cases ? n : random32() % all;
    const int tiles = int(random32() % 4);
    const u64 few = u64(rows + (tiles - 1) * step) + random32() % 5 - 2;
    Case c =
        matrix(size, tiles ? few : 1 + random32() % u32(rows), columns * (1 + random32() % 3) + random32() % 3 - 1);
    c.p.in_stride[1] = c.p.extent[2] + (places - c.p.extent[2] % places + i) % places;
    c.p.out_stride[1] = c.p.extent[1] + (places - c.p.extent[1] % places + i / places) % places;
    c.in_skip = i / (places * places) % places * u64(size), c.out_skip = i / (places * places * places) * u64(size);
    if (n % 3 == 2) c.p.in_stride[1] += (places - i % places) % places, c.in_skip = 0; // rows that are aligned
    run<P>(c, name, int(n), true);
  }
}
// Few long rows with contiguous columns: even and odd numbers of rows, ends of rows within a word, pitches, any
// alignment of both sides, several matrices.
template<class P> static void few(const char *name, int size, int seeds) {
  const u64 tile = u64(P::threads * gp__few_unit(size) / size);
  for (int seed = 1; seed <= 8 * seeds; ++seed) {
    const u64 rows = 9 + random32() % (seed % 8 ? 20u : size <= 2 ? 104u : 31u);
    u64 columns = tile * (2 + random32() % 2) + (seed % 3 ? random32() % 24 : 0);
    if (seed % 5 == 3) columns += 16 - columns % 16;
    Case c = matrix(size, rows, columns, seed % 4 == 3 ? 2 : 1);
    if (seed % 4 == 1) c.p.in_stride[1] = seed % 8 == 1 ? columns + 1 + random32() % 9 : (columns / 16 + 2) * 16;
    if (seed % 5 == 2) { // matrices with alternating rows
      c.p.dimensions = 4;
      c.p.extent[3] = columns, c.p.extent[2] = 2, c.p.extent[1] = rows, c.p.extent[0] = c.p.extent[0];
      c.p.in_stride[1] = 0;
      c.p.order[0] = 0, c.p.order[1] = 2, c.p.order[2] = 3, c.p.order[3] = 1;
    }
    c.in_skip = seed % 2 ? skip_of(size, 1) : 0, c.out_skip = seed % 3 ? 0 : skip_of(size, 1);
    run<P>(c, name, seed, true);
  }
}
// Any permutation: the header simplifies it, perhaps to an instance that the test lacks.
static void permutations(int seeds) {
  for (int seed = 1; seed <= 40 * seeds; ++seed) {
    Case c;
    static const int sizes[] = {1, 2, 4, 4, 12};
    c.size = sizes[random32() % 5];
    c.p.dimensions = 1 + int(random32() % 4);
    for (int d = 0; d < c.p.dimensions; ++d) {
      c.p.order[d] = d;
      c.p.extent[d] = random32() % 4 ? 1 + random32() % 9 : 1 + random32() % 40;
    }
    for (int d = c.p.dimensions - 1; d > 0; --d) std::swap(c.p.order[d], c.p.order[random32() % u32(d + 1)]);
    if (seed % 3 == 0) {
      u64 stride = 1, out = 1;
      for (int d = c.p.dimensions - 1; d >= 0; --d) {
        c.p.in_stride[d] = stride, c.p.out_stride[d] = out;
        stride = stride * c.p.extent[d] + (d ? random32() % 5 : 0);
        out = out * c.p.extent[c.p.order[d]] + (d ? random32() % 3 : 0);
      }
    }
    c.in_skip = skip_of(c.size, seed), c.out_skip = skip_of(c.size, seed / 2);
    if (c.size == 12) run<Larger>(c, "permutations", seed, false);
    else run<Small>(c, "permutations", seed, false);
  }
}
#endif

#ifdef TEST_TRANSPOSE_IN_PLACE
template<class P> static void squares(const char *name, int size, int seeds) {
  const u64 side = u64(gp__transpose_side(P::threads, P::vectors, size));
  for (int seed = 1; seed <= 4 * seeds; ++seed) {
    const u64 sides[] = {side, side - 1, side + 1, 2 * side, 3 * side + 2, 1, 2, 2 * side + 7};
    const u64 n = seed == 3 && side <= 32 ? 17 * side - 3 : sides[random32() % 8]; // tiles of several panels
    Case c = matrix(size, n, n, seed % 3 ? 1 : 3);
    if (seed % 4 == 2) c.p.in_stride[1] = c.p.out_stride[1] = n + random32() % 6;
    if (seed % 8 == 0) c = matrix(size, 2 * side, 2 * side); // aligned
    c.in_place = true;
    c.in_skip = seed % 8 ? skip_of(size, seed) : 0;
    run<P>(c, name, seed, true);
  }
}
#endif

#ifdef TEST_TRANSPOSE_IN_PLACE
template<class P> static void rectangles(const char *name, int size, int seeds) {
  for (int seed = 1; seed <= 6 * seeds; ++seed) {
    u64 rows = 1 + random32() % 90, columns = 1 + random32() % 90;
    if (seed % 3 == 0) rows = 12 * (1 + random32() % 9), columns = 12 * (1 + random32() % 9); // a common factor
    if (seed % 5 == 0) rows = seed % 2 ? 3 : 700, columns = seed % 2 ? 700 : 4;
    Case c = matrix(size, rows, columns, seed % 4 ? 1 : 3);
    if (seed % 6 == 2)
      c = matrix(size, 1 + random32() % 15, 2 + random32() % 13, 1 + random32() % 99); // tiles have them
    c.in_place = true;
    c.in_skip = seed % 6 == 2 ? 0 : skip_of(size, seed);
    run<P>(c, name, seed, rows > 1 && columns > 1 && rows != columns && size != 1 && seed % 6 != 2);
  }
}
#endif

#ifdef TEST_TRANSPOSE_IN_PLACE
// Through the workspace: short sides; matrices that are small, dense or not dense.
template<class P> static void trips(const char *name, int size, int seeds) {
  for (int seed = 1; seed <= 8 * seeds; ++seed) {
    u64 rows = 1 + random32() % 90, columns = 1 + random32() % 90;
    if (seed % 3 == 0) rows = 16 * (1 + random32() % 6), columns = 16 * (1 + random32() % 6); // aligned
    if (seed % 4 == 1) (seed % 8 == 1 ? rows : columns) = 2 + random32() % 8;
    Case c = matrix(size, rows, columns, seed % 2 ? 1 : 2 + random32() % 3);
    if (seed % 4 == 2) c = matrix(size, 1 + random32() % 15, 2 + random32() % 14, 17 + random32() % 60);
    if (c.p.extent[1] == c.p.extent[2]) ++c.p.extent[1];
    if (seed % 8 == 4) c.p.in_stride[0] = c.p.out_stride[0] = c.p.extent[1] * c.p.extent[2] + 1 + random32() % 20;
    c.in_place = true;
    c.in_skip = seed % 5 ? 0 : skip_of(size, 1);
    run<P>(c, name, seed, c.p.extent[1] > 1 && c.p.extent[2] > 1 && size != 1, TRIP);
  }
}
#endif

#ifdef TEST_TRANSPOSE_IN_PLACE
// Matrices that are large for their policy: chunks of either side, aligned or not, and cycles of all kinds: powers of
// two have only short ones, others a few long ones.
template<class P> static void panels(const char *name, int size, int seeds) {
  const u64 chunk = u64(64 / gp__common_factor(64, u64(size))), least = 8 * u64(P::threads * P::vectors * GP__VECTOR);
  for (int seed = 1; seed <= 8 * seeds; ++seed) {
    u64 one = chunk * (2 + random32() % 6), other = 3 + random32() % 90;
    if (seed % 4 == 1) one = chunk << random32() % 3 << 1, other = 1ull << (2 + random32() % 6);
    if (seed % 4 == 3) one = chunk * (2 + random32() % 3), other = chunk * (2 + random32() % 5);
    if (seed % 8 == 6) one = 2 * (chunk + 1 + random32() % 4); // chunks of some other size
    while (one * other * u64(size) <= least) other = other * 2 + seed % 3;
    if (one == other) other += chunk;
    Case c = seed % 2 ? matrix(size, one, other) : matrix(size, other, one);
    if (seed % 8 == 4) c.p.extent[0] = 2;
    c.in_place = true;
    c.in_skip = seed % 5 ? 0 : skip_of(size, 1);
#ifdef TEST_FEW
    run<P>(c, name, seed, false);
#else
    run<P>(c, name, seed, size == 4);
#endif
  }
}
#endif

#ifdef TEST_TRANSPOSE_IN_PLACE
// A side so short that panels are tiles, several or one.
template<class P> static void thin(const char *name, int size, int seeds) {
  const u64 chunk = u64(64 / gp__common_factor(64, u64(size)));
  const u64 most = u64(P::threads * P::vectors * GP__VECTOR) / (chunk * u64(size));
  for (int seed = 1; seed <= 2 * seeds; ++seed) {
    const u64 other = 2 + random32() % (most - 1);
    static const u64 primes[] = {131, 137, 149, 151};
    u64 one = chunk * primes[random32() % 4]; // not divisible by larger chunks
    if (seed % 4 == 3) one = (chunk + 1) * primes[random32() % 4];
    if (one * other * u64(size) <= 8 * u64(P::threads * P::vectors * GP__VECTOR)) one *= 131;
    Case c = seed % 2 ? matrix(size, one, other) : matrix(size, other, one);
    if (seed % 8 == 4) c.p.extent[0] = 2;
    c.in_place = true;
#ifdef TEST_FEW
    run<P>(c, name, seed, false);
#else
    run<P>(c, name, seed, size == 4);
#endif
  }
}
// Blocks of panels and groups that share a slot of the buffer are never in use in the same step.
static void slots(const char *name) {
  if (!only.empty() && only != name) return;
  for (unsigned panels = GP__BUFFERED_LEAST; panels <= GP__BUFFERED_MOST; ++panels) {
    std::vector<std::vector<bool>> used(gp__buffered_slots(panels));
    bool good = true;
    for (unsigned x = 0; x < panels; ++x)
      for (unsigned g = x; g < panels; ++g) {
        const unsigned slot = gp__buffered_slot(panels, x, g);
        if (slot >= used.size()) {
          good = false;
          continue;
        }
        used[slot].resize(panels + GP__BUFFERED_LAG);
        for (unsigned step = x; step <= g + GP__BUFFERED_LAG; ++step) {
          good = good && !used[slot][step];
          used[slot][step] = true;
        }
      }
    check(good, std::string(name) + " of " + std::to_string(panels) + " panels");
  }
}
// Chunks are optimal.
static void chunks(const char *name) {
  if (!only.empty() && only != name) return;
  static const int sizes[] = {1, 2, 3, 4, 8, 12, 40, 64};
  for (int size : sizes) {
    bool good = true;
    for (int i = 0; i < 2000; ++i) {
      gp__shape s = {};
      s.key_size = size, s.moved.word = gp__lowest_bit(size | 16), s.moved.form = i % 2 ? GP__FORM_IN_START : 0;
      const u64 extent = i < 1000 ? u64(i + 1) : (1 + random32() % 3000000) << random32() % 8,
                other = 1 + random32() % 40000;
      u64 best = 0;
      for (u64 items = 1; items * u64(size) <= GP__CHUNK_MOST; ++items)
        if (gp__chunk_merit(&s, extent, other, items) > (best ? gp__chunk_merit(&s, extent, other, best) : 0))
          best = items;
      good = good && gp__chunk_items(&s, extent, other) == best;
    }
    check(good, std::string(name) + " of elements of " + std::to_string(size) + " bytes");
  }
}
// Panels through a buffer: whole and ragged ones, of any alignment; about as many rows as columns, or more of either.
template<class P> static void buffered(const char *name, int size, int seeds) {
  const u64 rows = u64(gp__transpose_rows(P::threads, P::vectors, size));
  const u64 columns = u64(gp__transpose_columns(P::threads, P::vectors, size));
  for (int seed = 1; seed <= 6 * seeds; ++seed) {
    Case c = matrix(size, rows * (4 + random32() % 9), columns * (4 + random32() % 9));
    if (seed % 3 == 1) c.p.extent[1] += random32() % rows;
    if (seed % 4 == 1) c.p.extent[2] += random32() % columns;
    if (seed % 6 == 5) c.p.extent[1 + seed / 6 % 2] *= 3;
    if (seed % 6 == 4) c.p.extent[0] = 2;
    if (c.p.extent[1] == c.p.extent[2]) ++c.p.extent[1];
    c.in_place = true;
    c.in_skip = seed % 5 ? 0 : skip_of(size, 1);
    run<P>(c, name, seed, false, 4 + int(random32() % 9));
  }
}
#endif

#ifdef TEST_TRANSPOSE_TILE
// A user's kernel, of one block, that transposes a matrix tile by tile.
struct TileArgs {
  const void *in;
  void *out;
  u64 in_pitch, out_pitch;
  unsigned rows, columns;
};
template<class T, int ROWS, int COLUMNS, bool ALIGNED> static void tile_kernel(const TileArgs &a) {
  typedef gp_tile_transpose<64, T, ROWS, COLUMNS, ALIGNED> Tile;
  GP_SHARED(typename Tile::storage, s);
  for (unsigned r = 0; r < a.rows; r += ROWS)
    for (unsigned c = 0; c < a.columns; c += COLUMNS) {
      const unsigned rows = a.rows - r < ROWS ? a.rows - r : ROWS;
      const unsigned columns = a.columns - c < COLUMNS ? a.columns - c : COLUMNS;
      Tile::load(s, static_cast<const T *>(a.in) + r * a.in_pitch + c, a.in_pitch, rows, columns);
      __syncthreads();
      Tile::store(s, static_cast<T *>(a.out) + c * a.out_pitch + r, a.out_pitch, rows, columns);
      __syncthreads();
    }
}
template<class T, int ROWS, int COLUMNS, bool ALIGNED> static void tiles(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= 3 * seeds; ++seed) {
    if (!has_turn()) continue;
    simt::set_random_schedule(u64(seed) * 31);
    const u32 multiple = ALIGNED ? 16 : 1;
    const u32 rows = (1 + random32() % (3 * ROWS)) * multiple, columns = (1 + random32() % (2 * COLUMNS)) * multiple;
    std::vector<T> x(size_t(rows) * columns), expected(x.size());
    for (auto &v : x) v = draw<T>();
    for (u32 r = 0; r < rows; ++r)
      for (u32 c = 0; c < columns; ++c) expected[size_t(c) * rows + r] = x[size_t(r) * columns + c];
    Device<T> in(x, ALIGNED ? 0 : seed % 5), out(x.size(), ALIGNED ? 0 : seed % 3);
    TileArgs a = {in.data, out.data, columns, rows, rows, columns};
    const int e = simt::launch_kernel(name, 1, 64, 0, tile_kernel<T, ROWS, COLUMNS, ALIGNED>, a);
    check(!e && same_items(out.data, expected),
        std::string(name) + " " + std::to_string(rows) + " x " + std::to_string(columns) +
            " seed=" + std::to_string(seed));
    simt::clear_error();
  }
}
#endif

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  (void)seeds;
#ifdef TEST_TRANSPOSE
  sweep<Small>("transpose 4", 4, seeds);
  sweep<Small>("transpose 1", 1, seeds);
  sweep<Small>("transpose 2", 2, seeds);
  sweep<Larger>("transpose 12", 12, seeds);
  alignments<Warp>("alignments 1", 1, 128 * u32(seeds));
  alignments<Small>("alignments 2", 2, 128 * u32(seeds));
  alignments<Warp>("alignments 4", 4, 256);
  alignments<Tall>("alignments 1, tall", 1, 12 * u32(seeds));
  alignments<Tall>("alignments 4, tall", 4, 12 * u32(seeds));
  permutations(seeds);
  few<Small>("few 1", 1, seeds);
  few<Small>("few 2", 2, seeds);
  few<Small>("few 4", 4, seeds);
#ifndef TEST_FEW
  sweep<Larger>("transpose 8", 8, seeds);
  alignments<Larger>("alignments 1, larger", 1, 128 * u32(seeds));
  alignments<Larger>("alignments 8", 8, 128);
  alignments<Tall>("alignments 2, tall", 2, 12 * u32(seeds));
  alignments<Tall>("alignments 8, tall", 8, 12 * u32(seeds));
  few<Larger>("few 1, larger", 1, seeds);
  few<Larger>("few 8", 8, seeds);
  sweep<Small>("transpose 16", 16, seeds);
  sweep<Small>("transpose 3", 3, seeds);
  sweep<Small>("transpose 64", 64, seeds);
  sweep<Larger>("transpose 40", 40, seeds);
#endif
#endif
#ifdef TEST_TRANSPOSE_IN_PLACE
  squares<Small>("square 4", 4, seeds);
  squares<Small>("square 2", 2, seeds);
  squares<Tall>("square 1, tall", 1, seeds);
  rectangles<Small>("rectangle 4", 4, seeds);
  trips<Small>("trip 4", 4, seeds);
  panels<Small>("panels 4", 4, seeds);
  panels<Larger>("panels 12", 12, seeds);
  thin<Small>("thin 4", 4, seeds);
  slots("slots");
  chunks("chunks");
  buffered<Small>("buffered 4", 4, seeds);
  buffered<Larger>("buffered 12", 12, seeds);
  buffered<Larger>("buffered 1", 1, seeds);
#ifndef TEST_FEW
  squares<Larger>("square 1", 1, seeds);
  squares<Larger>("square 12", 12, seeds);
  squares<Small>("square 64", 64, seeds);
  rectangles<Larger>("rectangle 12", 12, seeds);
  rectangles<Larger>("rectangle 1", 1, seeds);
  trips<Larger>("trip 1", 1, seeds);
  trips<Larger>("trip 12", 12, seeds);
  trips<Small>("trip 64", 64, seeds);
  panels<Larger>("panels 1", 1, seeds);
  thin<Larger>("thin 1", 1, seeds);
  thin<Larger>("thin 12", 12, seeds);
  buffered<Small>("buffered 64", 64, seeds);
  rectangles<Small>("rectangle 64", 64, seeds);
#endif
#endif
#ifdef TEST_TRANSPOSE_TILE
  tiles<u32, 32, 16, false>("tile u32", seeds);
  tiles<u8, 32, 32, true>("tile u8 aligned", seeds);
  tiles<u8, 256, 16, false>("tile u8", seeds);
#ifndef TEST_FEW
  tiles<u16, 16, 32, true>("tile u16", seeds);
  tiles<Large, 8, 8, false>("tile 40 bytes", seeds);
  tiles<u64, 16, 16, true>("tile u64 aligned", seeds);
#endif
#endif
  return finish();
}
