// Rows of strided arrays under the emulator: reductions, maps and scans of rows and columns against loops, on
// adversarial schedules: extents between powers of two, strides of any sign, gaps, alignments, several blocks a row, no
// elements. Usage: test_axes [seeds] [name of a test]. TEST_FEW compiles only the instances that mutants.py needs.
#include "sweep_test.h"

// A random array: dimension 0 is the axis. Gaps, orders and signs of strides are random; zeros too, if it is read only.
struct Strides {
  long long of[4];
  size_t span, zero; // elements; index of the element whose indices are all 0
};
static Strides random_strides(const u64 (&extent)[4], int closest, bool zeros, bool gaps) {
  Strides s = {};
  int order[4] = {0, 1, 2, 3};
  for (int i = 3; i > 0; --i) std::swap(order[i], order[random32() % (i + 1)]);
  for (int i = 0; i < 4; ++i)
    if (order[i] == closest) std::swap(order[0], order[i]);
  size_t step = 1;
  for (int i = 0; i < 4; ++i) {
    const int d = order[i];
    if (i && gaps) step += random32() % 4 ? 0 : random32() % 5;
    if (!i && gaps && random32() % 4 == 0) step = 1 + random32() % 3;
    const size_t last = size_t(extent[d] ? extent[d] - 1 : 0);
    const bool zero = zeros && i && random32() % 6 == 0, back = gaps && random32() % 5 == 0;
    s.of[d] = zero ? 0 : back ? -(long long)step : (long long)step;
    if (zero) continue;
    if (back) s.zero += last * step;
    s.span += last * step;
    step *= extent[d] ? size_t(extent[d]) : 1;
  }
  for (int d = 0; d < 4; ++d)
    if (!extent[d]) return s.span = s.zero = 0, s;
  ++s.span;
  return s;
}
static size_t place(const Strides &s, const u64 (&i)[4]) {
  long long at = (long long)s.zero;
  for (int d = 0; d < 4; ++d) at += (long long)i[d] * s.of[d];
  return size_t(at);
}
template<class F> static void each(const u64 (&extent)[4], F f) {
  u64 i[4];
  for (i[3] = 0; i[3] < extent[3]; ++i[3])
    for (i[2] = 0; i[2] < extent[2]; ++i[2])
      for (i[1] = 0; i[1] < extent[1]; ++i[1])
        for (i[0] = 0; i[0] < extent[0]; ++i[0]) f(i);
}

// A map of an element and its row's reduction; no other element and no other state gives the same.
template<class In, class Acc, class Out> struct Both {
  Out operator()(const In &x, const Acc &s) const { return Out(x) * Out(3) + Out(s); }
};
template<> struct Both<Affine, Affine, Affine> {
  Affine operator()(const Affine &x, const Affine &s) const { return {x.a * 3 + s.a, x.b * 5 + s.b}; }
};
template<> struct Both<Triple, Triple, int> {
  int operator()(const Triple &x, const Triple &s) const { return x.x * 3 + x.y + s.z; }
};

enum Kind { REDUCE, MAP, SCAN };
template<class P, int FORM, bool STATE, class Op, class Load, class In, class Acc, class Out> struct Row {
  static int launch(const char *name, const gp__geometry &g, const gp__rows_args &a) {
    return simt::launch_kernel(name, g.grid, g.threads, 0, gp__rows_reduce<P, FORM, STATE, Op, Load, In, Acc, Out>, a);
  }
};
// Reductions have gp__reduce_..., maps of numbers the rest. MAPS: In, Acc and Out have a map.
template<bool MAPS> struct Maps {
  template<class P, class Op, class Load, class In, class Acc, class Map, class Out>
  static int run(const char *, int, bool, const gp__geometry &, const gp__rows_args &) {
    return 1;
  }
};
template<> struct Maps<true> {
  template<class P, class Op, class Load, class In, class Acc, class Map, class Out>
  static int run(const char *name, int form, bool direct, const gp__geometry &g, const gp__rows_args &a) {
    int e;
    if (direct)
      return form == GP__ROWS_TILE ? simt::launch_kernel(name, g.grid, g.threads, 0,
                                         gp__rows_map<P, GP__ROWS_TILE, Op, Load, In, Acc, Map, Out>, a)
                                   : simt::launch_kernel(name, g.grid, g.threads, 0,
                                         gp__rows_map<P, GP__ROWS_BLOCK, Op, Load, In, Acc, Map, Out>, a);
    if (form == GP__ROWS_COLUMNS) {
      e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__columns_reduce<P, true, Op, Load, In, Acc, Acc>, a);
      return e
          ? e
          : simt::launch_kernel(name, 1 + random32() % 4, g.threads, 0, gp__rows_apply<P, true, In, Acc, Map, Out>, a);
    }
    e = Row<P, GP__ROWS_BLOCK, true, Op, Load, In, Acc, Acc>::launch(name, g, a);
    return e
        ? e
        : simt::launch_kernel(name, 1 + random32() % 4, g.threads, 0, gp__rows_apply<P, false, In, Acc, Map, Out>, a);
  }
};
// Scans: NONE, or one of the two kinds for each list of types.
enum Scan { NONE, INCLUSIVE, EXCLUSIVE };
template<int SCAN> struct Scans {
  template<class P, class Op, class Load, class In, class Acc, class Out>
  static int run(const char *name, int form, const gp__geometry &g, const gp__rows_args &a) {
    const bool E = SCAN == EXCLUSIVE;
    return form == GP__ROWS_TILE
        ? simt::launch_kernel(name, g.grid, g.threads, 0, gp__rows_scan<P, GP__ROWS_TILE, E, Op, Load, In, Acc, Out>, a)
        : form == GP__ROWS_BLOCK
        ? simt::launch_kernel(
              name, g.grid, g.threads, 0, gp__rows_scan<P, GP__ROWS_BLOCK, E, Op, Load, In, Acc, Out>, a)
        : simt::launch_kernel(name, g.grid, g.threads, 0, gp__columns_scan<P, E, Op, Load, In, Acc, Out>, a);
  }
};
template<> struct Scans<NONE> {
  template<class P, class Op, class Load, class In, class Acc, class Out>
  static int run(const char *, int, const gp__geometry &, const gp__rows_args &) {
    return 1;
  }
};
template<class P, class Op, class In, class Acc, class Out, class F, bool MAPS, int SCANS>
static void run(const char *name, Kind kind, unsigned seed, const u64 (&extent)[4], bool columns, int algorithm) {
  typedef gp__load<In, Acc, F> Load;
  typedef Both<In, Acc, Out> Map;
  const bool whole = kind == REDUCE && algorithm == GP_DIRECT; // rows of whole vectors
  const bool gaps = seed % 3 != 0 && !whole, init = kind != MAP && seed % 4 == 1;
  const bool in_place = kind != REDUCE && std::is_same<In, Out>::value && seed % 5 == 2;
  const size_t offset = seed % 2 && !whole ? random32() % 16 : 0;
  const Strides from = random_strides(extent, columns ? 1 : 0, !in_place, gaps);
  u64 out_extent[4] = {kind == REDUCE ? 1 : extent[0], extent[1], extent[2], extent[3]};
  const Strides to = in_place ? from : random_strides(out_extent, columns ? 1 : 0, false, gaps);
  const u64 rows = extent[1] * extent[2] * extent[3], count = rows * extent[0];

  gp__shape s = {};
  s.primitive = kind == MAP ? GP_ROW_MAP : kind == SCAN ? GP_SCAN_AXIS : GP_REDUCE_AXIS;
  s.shared_bytes = 48 << 10;
  s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out), s.commutative = Op::commutative;
  s.multiprocessors = 1 + int(random32() % 6), s.compute_capability = 90, s.count = count, s.segments = rows;
  s.rows.length = extent[0], s.rows.columns = columns ? extent[1] : 0;

  Device<In> in(from.span, offset);
  std::vector<In> data(from.span);
  std::vector<char> there(from.span, 0);
  each(extent, [&](const u64(&i)[4]) { // gaps stay as they are: the race build reports their reads
    const size_t at = place(from, i);
    if (there[at]) return;
    there[at] = 1, data[at] = draw<In>();
    simt::host_write(in.data + at, &data[at], sizeof(In));
  });
  Device<Out> apart(in_place ? 0 : to.span, in_place ? 0 : random32() % 16);
  Out *const out = in_place ? reinterpret_cast<Out *>(in.data) : apart.data;
  std::vector<Out> expected(to.span);
  std::vector<char> written(to.span, 0);
  if (!in_place && to.span) simt::host_fill(out, 0x5a, to.span * sizeof(Out));
  if (to.span) std::memset(static_cast<void *>(expected.data()), 0x5a, to.span * sizeof(Out));

  gp__rows_args a = {};
  const Acc start = init ? Op::prepare(Load()(draw<In>(), 77)) : Op::identity();
  u64 r[4] = {0, 0, 0, 0};
  for (r[3] = 0; r[3] < extent[3]; ++r[3])
    for (r[2] = 0; r[2] < extent[2]; ++r[2])
      for (r[1] = 0; r[1] < extent[1]; ++r[1]) {
        Acc sum = start;
        bool first = true;
        u64 i[4] = {0, r[1], r[2], r[3]};
        for (i[0] = 0; i[0] < extent[0]; ++i[0], first = false) {
          const Acc x = Op::prepare(Load()(data[place(from, i)], i[0]));
          const Acc before = sum;
          sum = first && !init ? x : Op()(sum, x);
          if constexpr (SCANS != NONE) {
            if (kind == SCAN) {
              const size_t at = place(to, i);
              written[at] = 1, expected[at] = gp_convert<Acc, Out>()(SCANS == EXCLUSIVE ? before : sum);
            }
          }
        }
        if (kind == SCAN) continue;
        for (i[0] = 0; i[0] < out_extent[0]; ++i[0]) {
          const size_t at = place(to, i);
          written[at] = 1;
          if constexpr (MAPS) {
            if (kind == MAP) expected[at] = Map()(data[place(from, i)], sum);
          }
          if constexpr (!std::is_same<Out, int>::value || !std::is_same<Acc, Triple>::value)
            if (kind == REDUCE) expected[at] = gp_convert<Acc, Out>()(sum);
        }
      }
  uint64_t bits = uint64_t(uintptr_t(in.data + from.zero)), line_bits = bits;
  for (int d = 0; d < 4; ++d) {
    const uint64_t step = extent[d] > 1 ? uint64_t(from.of[d]) * sizeof(In) : 0;
    if (d != 0) bits |= step;
    if (d != int(columns)) line_bits |= step;
    a.extent[d] = extent[d], a.in_stride[d] = from.of[d], a.out_stride[d] = kind == REDUCE && d == 0 ? 0 : to.of[d];
  }
  s.rows.shifted = from.of[0] == 1 && bits % 16 != 0;
  s.rows.whole = from.of[0] == 1 && bits % 16 == 0 && extent[0] * sizeof(In) % 16 == 0;
  gp_policy p = policy_of<P>(algorithm);
  if (!gp__valid_by(&gp__rules_rows, p, &s)) return;
  const int form = gp__rows_form(p, &s);
  const gp__geometry g = gp__geometry_by(&gp__rules_rows, p, &s, 0);
  a.in = in.data + from.zero, a.out = out + to.zero, a.rows = rows;
  a.parts = g.replicas, a.share = g.tile_items, a.log2_lanes = g.log2_lanes;
  a.chunk = form == GP__ROWS_TILE ? gp__rows_chunk(sizeof(In), extent[0], g.log2_lanes) : 0;
  a.vectors =
      columns && from.of[1] == 1 && line_bits % (unsigned(gp__column_items(sizeof(In), sizeof(Acc))) * sizeof(In)) == 0;
  a.windows = gp__row_windows(extent[columns], sizeof(In), from.of[columns] == 1 && line_bits % 16 != 0);
  const auto together = [&](const u64(&n)[4], const long long(&stride)[4]) {
    return (n[0] <= 1 || stride[0] == 1) && (n[1] <= 1 || stride[1] == (long long)n[0]) &&
        (n[2] <= 1 || stride[2] == (long long)(n[0] * n[1])) &&
        (n[3] <= 1 || stride[3] == (long long)(n[0] * n[1] * n[2]));
  };
  a.together = together(extent, from.of) + 2 * together(extent, to.of);
  Device<Acc> states(kind == MAP && algorithm == GP_EVEN_SHARE ? size_t(rows) : 0);
  a.states = states.data;
  a.workspace = g.words ? workspace(g.words) : nullptr;
  a.has_init = init;
  if (init) std::memcpy(a.init.bytes, &start, sizeof start);
  int e = 0;
  if (kind == SCAN) {
    e = Scans<SCANS>::template run<P, Op, Load, In, Acc, Out>(name, form, g, a);
  } else if (kind == MAP) {
    e = Maps<MAPS>::template run<P, Op, Load, In, Acc, Map, Out>(name, form, algorithm == GP_DIRECT, g, a);
  } else if constexpr (!std::is_same<Out, int>::value || !std::is_same<Acc, Triple>::value) {
    e = form == GP__ROWS_TILE ? Row<P, GP__ROWS_TILE, false, Op, Load, In, Acc, Out>::launch(name, g, a)
        : form == GP__ROWS_LANES ? Row<P, GP__ROWS_LANES, false, Op, Load, In, Acc, Out>::launch(name, g, a)
        : form == GP__ROWS_WARP ? Row<P, GP__ROWS_WARP, false, Op, Load, In, Acc, Out>::launch(name, g, a)
        : form == GP__ROWS_BLOCK
        ? Row<P, GP__ROWS_BLOCK, false, Op, Load, In, Acc, Out>::launch(name, g, a)
        : simt::launch_kernel(name, g.grid, g.threads, 0, gp__columns_reduce<P, false, Op, Load, In, Acc, Out>, a);
  }
  size_t wrong = to.span;
  for (size_t i = 0; i < to.span && !e && wrong == to.span; ++i)
    if ((!in_place || written[i]) && !same(out[i], expected[i])) wrong = i;
  check(!e && wrong == to.span,
      describe(name, size_t(count), offset, g.replicas, s.multiprocessors, seed) +
          (kind == MAP ? " map"
                  : kind == SCAN ? " scan"
                  : " reduce") +
          " form " + std::to_string(form) + " extents " + std::to_string(extent[0]) + " " + std::to_string(extent[1]) +
          " " + std::to_string(extent[2]) + " " + std::to_string(extent[3]) + " stride " + std::to_string(from.of[0]) +
          (wrong < to.span ? " wrong at " + std::to_string(wrong) : ""));
  simt::clear_error();
}

// Lengths around those of a lane, a warp's lanes, a warp, a block and several blocks.
static u64 length_of(unsigned which, u64 round) {
  const u64 lengths[] = {0, 1, 2, 3, 5, 8, 13, 31, 33, 63, 100, 129, round - 1, round, round + 1, 2 * round + 7,
      5 * round - 3, 11 * round + 5};
  return lengths[which % (sizeof lengths / sizeof *lengths)];
}
enum { LENGTHS = 18 };
template<class P, class Op, class In, class Acc, class Out, class F, bool MAPS = true, int SCANS = NONE>
static void sweep(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  const u64 round = u64(P::threads) * P::vectors * u64(gp__vector_items(sizeof(In)));
  for (unsigned seed = 1; seed <= unsigned(seeds); ++seed)
    for (unsigned which = 0; which < LENGTHS; ++which)
      for (int columns = 0; columns < 2; ++columns)
        for (int algorithm : {GP_WARP_SEGMENTS, GP_EVEN_SHARE, GP_DIRECT, GP_LOOK_BACK}) {
          const u64 length = length_of(which, round);
          const unsigned most = length > round ? 3 : length > 100 ? 6 : 40;
          u64 extent[4] = {length, 1 + random32() % most, 1, 1};
          if (columns) extent[1] = 1 + random32() % (length > 200 ? 9 : 150);
          if (!columns && length == 2 && algorithm == GP_WARP_SEGMENTS)
            extent[1] = 1 + random32() % 1500; // a tile has its rows in passes
          if (random32() % 3 == 0) extent[2] = 1 + random32() % 3;
          if (random32() % 4 == 0) extent[3] = 1 + random32() % 2;
          if (random32() % 40 == 0) extent[1 + random32() % 3] = 0;
          if (columns && algorithm != GP_EVEN_SHARE && algorithm != GP_LOOK_BACK) continue;
          if (columns && extent[0] * extent[1] > 20000) extent[0] = 20000 / extent[1];
          if (extent[1] * extent[2] * extent[3] == 0) continue; // nothing is launched
          if (!has_turn()) continue;
          simt::set_random_schedule(uint64_t(seed) * 1000 + which * 10 + unsigned(columns));
          if (algorithm == GP_WARP_SEGMENTS || algorithm == GP_EVEN_SHARE)
            run<P, Op, In, Acc, Out, F, MAPS, SCANS>(name, REDUCE, seed, extent, columns, algorithm);
          if (algorithm == GP_DIRECT && !columns) {
            const unsigned V = unsigned(gp__vector_items(sizeof(In)));
            const u64 held[4] = {length % (V * P::vectors * 32) / V * V, extent[1], extent[2], extent[3]};
            run<P, Op, In, Acc, Out, F, MAPS, SCANS>(name, REDUCE, seed, held, columns, algorithm);
          }
          if (MAPS && length && (algorithm == GP_EVEN_SHARE || algorithm == GP_DIRECT))
            run<P, Op, In, Acc, Out, F, MAPS, SCANS>(name, MAP, seed, extent, columns, algorithm);
          if (SCANS != NONE && length && (algorithm == GP_WARP_SEGMENTS || algorithm == GP_LOOK_BACK))
            run<P, Op, In, Acc, Out, F, MAPS, SCANS>(name, SCAN, seed, extent, columns, algorithm);
        }
}

// Columns of many small tiles, whose groups look back over several others.
static void look_back(int seeds) {
  typedef gp__policy<64, 1, 1, 1, 0, 1, 1> P;
  for (unsigned seed = 1; seed <= 8 * unsigned(seeds); ++seed) {
    const u64 extent[4] = {400 + random32() % 600, 9 + random32() % 40, 1, 1};
    if (!only.empty() && only != "look-back") continue;
    simt::set_random_schedule(seed);
    run<P, Compose, Affine, Affine, Affine, gp_convert<Affine, Affine>, true, EXCLUSIVE>(
        "look-back", SCAN, seed, extent, true, GP_LOOK_BACK);
  }
}

// ---- copies from strides to strides
static void copies(int seeds) {
  if (!only.empty() && only != "copies") return;
  for (unsigned seed = 1; seed <= unsigned(seeds) * 12; ++seed) {
    if (!has_turn()) continue;
    simt::set_random_schedule(seed);
    const u64 extent[4] = {1 + random32() % 30, 1 + random32() % 9, 1 + random32() % 4, 1 + random32() % 3};
    const Strides from = random_strides(extent, int(random32() % 4), true, true),
                  to = random_strides(extent, int(random32() % 4), false, true);
    Device<u16> in(from.span, random32() % 8), out(to.span, random32() % 8);
    std::vector<u16> expected(to.span, 0x5a5a);
    simt::host_fill(out.data, 0x5a, to.span * 2);
    each(extent, [&](const u64(&i)[4]) {
      const u16 x = u16(place(from, i) * 7 + 1);
      simt::host_write(in.data + place(from, i), &x, 2);
      expected[place(to, i)] = x;
    });
    gp__rows_args a = {};
    a.in = in.data + from.zero, a.out = out.data + to.zero, a.rows = extent[1] * extent[2] * extent[3];
    for (int d = 0; d < 4; ++d) a.extent[d] = extent[d], a.in_stride[d] = from.of[d], a.out_stride[d] = to.of[d];
    const int e =
        simt::launch_kernel("copy", 1 + random32() % 4, 64, 0, gp__rows_copy<gp__policy<64, 2, 3, 3, 3, 2, 2>, u16>, a);
    check(!e && !std::memcmp(out.data, expected.data(), to.span * 2), "copies, seed " + std::to_string(seed));
    simt::clear_error();
  }
}

// ---- launches for more rows and elements than any memory has
static void geometry() {
  if (!only.empty() && only != "geometry") return;
  for (u64 rows : {u64(1), u64(3), u64(131), u64(132), u64(4096), u64(1) << 33})
    for (u64 length :
        {u64(0), u64(1), u64(33), u64(60), u64(64), u64(300), u64(1024), u64(4096), u64(1) << 20, u64(1) << 35})
      for (u64 columns : {u64(0), u64(1), u64(3), u64(129)})
        for (int primitive : {GP_REDUCE_AXIS, GP_ROW_MAP, GP_SCAN_AXIS}) {
          gp__shape s = {};
          s.primitive = primitive, s.in_size = s.out_size = 4, s.acc_size = 8, s.commutative = 1;
          s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 << 10;
          s.segments = rows * (columns ? columns : 1), s.rows.length = length, s.rows.columns = columns;
          s.count = s.segments * length;
          s.rows.whole = !columns && length % 4 == 0 && rows % 2;
          // 2^38 results are a terabyte: each needs memory of its own
          if (primitive == GP_SCAN_AXIS && double(s.segments) * double(length) >= 0x1p38) continue;
          gp_policy p = {};
          p = gp__portable_by(&gp__rules_rows, p, &s);
          const gp__geometry g = gp__geometry_by(&gp__rules_rows, p, &s, 0);
          const std::string what = "geometry of " + std::to_string(rows) + " rows of " + std::to_string(length) +
              ", columns " + std::to_string(columns);
          check(gp__valid_by(&gp__rules_rows, p, &s), what + ": valid");
          const int form = gp__rows_form(p, &s);
          const bool held = s.rows.whole && primitive == GP_REDUCE_AXIS && length >= 64 && length <= 1024;
          check((form == GP__ROWS_LANES) == held, what + ": rows in registers");
          if (held) {
            const u64 windows = length / 4, most = u64(p.vectors) << g.log2_lanes;
            check(g.log2_lanes >= 3 && g.log2_lanes <= 5 && most >= windows && most - (1u << g.log2_lanes) < windows,
                what + ": lanes of a row");
          }
          const u64 work =
              form == GP__ROWS_COLUMNS || primitive == GP_SCAN_AXIS ? length : gp__row_windows(length, 4, 1);
          check(g.grid >= 1 && (g.grid <= 132u * unsigned(p.blocks_per_sm) || (g.replicas > 1 && g.grid == g.tiles)),
              what + ": grid");
          if (primitive == GP_SCAN_AXIS) {
            check(g.replicas * g.tile_items >= (p.algorithm == GP_LOOK_BACK ? work : 0), what + ": tiles of a scan");
            check(g.words ==
                    (g.replicas == 1 ? 0
                            : form != GP__ROWS_COLUMNS ? g.tiles / g.replicas * gp__look_back_slots(g.replicas)
                            : g.tiles / g.replicas *
                                    gp__columns_look_back_slots(g.replicas, unsigned(p.threads) >> g.log2_lanes)
                                << g.log2_lanes),
                what + ": words of a scan");
            check(g.replicas == 1 || g.tiles < u64(1) << 28, what + ": tickets have 28 bits");
          }
          if (p.algorithm == GP_EVEN_SHARE) {
            check(g.replicas * g.tile_items >= work && (g.replicas == 1 || (g.replicas - 1) * g.tile_items < work),
                what + ": shares");
            check(g.replicas == 1 || g.grid == g.tiles, what + ": a block a part");
            const u64 results = form == GP__ROWS_COLUMNS ? u64(gp__column_items(4, 8)) << g.log2_lanes : 1;
            check(g.words == (g.replicas > 1 ? g.tiles * results : 0), what + ": words");
            const u64 round = u64(p.threads) * unsigned(p.vectors);
            check(g.grid >= 66u * unsigned(p.blocks_per_sm) || g.tile_items <= round, what + ": blocks share rows");
          }
        }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  geometry();
  copies(seeds);
  typedef gp__policy<64, 2, 3, 3, 3, 2, 2> Two; // windows of a thread
  sweep<Two, gp_sum<float>, float, float, float, gp_convert<float, float>, true, INCLUSIVE>("sum", seeds);
  sweep<gp__policy<96, 2, 1, 1, 0, 1, 1>, Compose, Affine, Affine, Affine, gp_convert<Affine, Affine>, true, EXCLUSIVE>(
      "compose", seeds);
  look_back(seeds);
#ifndef TEST_FEW
  sweep<Small, gp_sum<u64>, u8, u64, u64, gp_convert<u8, u64>, true, EXCLUSIVE>("sum u8", seeds);
  sweep<Pair, gp_max<float>, gp_f16, float, gp_f16, gp_convert<gp_f16, float>, true, INCLUSIVE>("max f16", seeds);
  sweep<Tiny, gp_argmax<float>, float, gp_arg<float>, gp_arg<float>, gp_convert<float, float>, false, INCLUSIVE>(
      "argmax", seeds);
  sweep<Small, gp_argmin<u8>, u8, gp_arg<u8>, gp_arg<u8>, gp_convert<u8, u8>, false>("argmin u8", seeds);
  sweep<Tiny, AddTriple, Triple, Triple, int, gp_convert<Triple, Triple>>("triple", seeds);
  sweep<Pair, AddWide, Wide, Wide, Wide, gp_convert<Wide, Wide>, false, INCLUSIVE>("wide", seeds);
  sweep<Odd, AddLarge, Large, Large, Large, gp_convert<Large, Large>, false>("large", seeds);
  sweep<gp__policy<32, 4, 3, 3, 0, 1, 2>, gp_and<u16>, u16, u16, u8, gp_convert<u16, u16>, false, EXCLUSIVE>(
      "and u16", seeds);
  sweep<Tiny, gp_sum<double>, double, double, float, gp_square<double, double>, false>("squares", seeds);
#endif
  return finish();
}
