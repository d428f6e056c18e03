// Segmented reduce, load balance, expansions, bounds, and the search routines for users' kernels under the emulator:
// all distributions of lengths, against a sequential reference, on adversarial schedules. Usage: test_segments [seeds]
// [name of a test] Define TEST_SEGMENTS, TEST_SEARCH or TEST_EXPAND to compile that part alone; TEST_FEW compiles only
// the instances that mutants.py needs.
#if !defined(TEST_SEGMENTS) && !defined(TEST_SEARCH) && !defined(TEST_EXPAND)
#define TEST_SEGMENTS
#define TEST_SEARCH
#define TEST_EXPAND
#endif
#include "kernel_test.h"

#include <algorithm>
#include <limits>

// ---- lengths of segments

enum Shape { FIXED, ONES, EMPTY, GIANT, MIXED, SKEWED, LEADING, TRAILING, CLUSTER, SHAPES };
static const char *const shapes[] = {
    "fixed", "ones", "empty", "giant", "mixed", "skewed", "leading", "trailing", "cluster"};

// Segments with about n elements in total.
static std::vector<u64> lengths_of(int shape, size_t n) {
  std::vector<u64> l;
  size_t total = 0;
  const u64 fixed = random32() % 3 ? 1 + random32() % 40 : 300 + random32() % 3000;
  if (shape == EMPTY) l.assign(1 + random32() % 3000, 0);
  else if (shape == GIANT) l.assign(1, n);
  else if (shape == LEADING || shape == TRAILING) {
    l.assign(random32() % 2000, 0);
    l.push_back(n);
    if (shape == TRAILING) std::reverse(l.begin(), l.end());
  } else if (shape == CLUSTER) { // adjacent long ones among many short ones
    for (unsigned i = 0, few = random32() % 100; i < 200; ++i)
      l.push_back(i >= few && i < few + 4 ? 150 + random32() % 300 : random32() % 4);
  } else
    while (total < n) {
      u64 k = fixed;
      if (shape == ONES) k = 1;
      if (shape == MIXED) {
        const unsigned r = random32() % 100;
        k = r < 40 ? 0 : r < 80 ? random32() % 8 : r < 98 ? random32() % 200 : random32() % 3000;
      }
      if (shape == SKEWED) k = u64(4.0 / (1e-4 + double(random32() % 10000) / 1e4)) - 1;
      l.push_back(k);
      total += k;
    }
  return l;
}

static std::string what_of(const char *name, int shape, size_t n, size_t segments, size_t offset, int sms, int seed) {
  char text[200];
  std::snprintf(text, sizeof text, "%s %s n=%zu segments=%zu offset=%zu sms=%d seed=%d:", name, shapes[shape], n,
      segments, offset, sms, seed);
  return text;
}

#ifdef TEST_SEGMENTS

enum Ends { OFFSETS, FIXED_ENDS, RANGES };
template<int ENDS, class O> struct EndsOf { typedef gp__offset_ends<O> type; };
template<class O> struct EndsOf<FIXED_ENDS, O> { typedef gp__fixed_ends type; };
template<class O> struct EndsOf<RANGES, O> { typedef gp__range_ends<O> type; };

struct Options {
  size_t offset; // of the buffers, in elements
  int sms;
  bool init, bad;
  int algorithm;
  bool wide; // 64-bit positions, as GP_REPRODUCIBLE has them
};

template<class P, int ENDS, class O, class Op, class F, class In, class Out> struct Segmented {
  typedef typename Op::type Acc;
  typedef gp__load<In, Acc, F> Load;

  // Segments are begin[s] .. end[s] - 1 of the input. With `result` the caller compares.
  static void run(const std::string &what, const std::vector<In> &input, const std::vector<O> &begin,
      const std::vector<O> &end, u64 length, const Options &o, std::vector<Out> *result = nullptr) {
    const size_t segments = ENDS == OFFSETS ? begin.size() - 1 : ENDS == RANGES ? begin.size() : end.size();
    Device<In> in(input, o.offset);
    Device<O> begins(begin, o.offset % 5), ends(end, o.offset % 3);
    Device<Out> out(segments, o.offset % 7);
    Device<u64> bad(std::vector<u64>(1, o.bad ? 3 : ~0ull), 0);
    if (segments) simt::host_fill(out.data, 0x5a, segments * sizeof(Out));
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_REDUCE;
    s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out);
    s.in_misaligned = int(misalignment(in.data)), s.commutative = Op::commutative, s.offset_size = sizeof(O);
    s.compute_capability = 90, s.multiprocessors = o.sms, s.shared_bytes = 227 * 1024;
    s.count = input.size(), s.segments = segments, s.segmented.by_ranges = ENDS == RANGES;
    const gp_policy p = policy_of<P>(o.algorithm != GP_MERGE_PATH ? o.algorithm
            : P::stages ? GP_PIPELINED
            : GP_MERGE_PATH);
    gp__geometry g = {};
    g.threads = unsigned(p.threads);
    gp__geometry_segments(p, &s, u64(o.sms) * P::blocks_per_sm, &g);
    typedef typename EndsOf<ENDS, O>::type Ends;
    const auto kernel = o.algorithm == GP_MERGE_PATH ? gp__segmented_merge<P::stages, P, Ends, Op, Load, In, Acc, Out>
        : o.wide ? gp__warp_segments<P, Ends, Op, Load, In, Acc, Out, gp__u64>
        : gp__warp_segments<P, Ends, Op, Load, In, Acc, Out>;
    Acc init = Op::identity();
    if (o.init) init = Load()(draw<In>(), 0);
    gp__segment_args a = {};
    a.in = in.data, a.begin = ENDS == FIXED_ENDS ? nullptr : begins.data, a.end = ENDS == RANGES ? ends.data : nullptr;
    a.out = out.data, a.count = input.size(), a.segments = segments, a.length = length;
    a.bad = o.bad || o.offset % 2 ? bad.data : nullptr, a.workspace = workspace(g.words), a.has_init = o.init;
    a.share = g.share, a.rate = double(segments) / double(input.size() + segments);
    a.log2_lanes = g.log2_lanes;
    a.once = gp__segments_are_few(&s) && !o.wide ? 1 + (g.log2_lanes == 5 && s.count >> 7 < s.segments) : 0;
    std::memcpy(a.init.bytes, &init, sizeof init);
    int e = gp__policy_valid_segments(p, &s) ? 0 : 1;
    if (!e && ENDS == RANGES && o.algorithm == GP_MERGE_PATH)
      e = simt::launch_kernel("spans", g.grid, g.threads, 0, gp__segment_spans<P, O>, a);
    if (!e) e = simt::launch_kernel("segments", g.grid, g.threads, g.shared_bytes, kernel, a);
    size_t wrong = segments;
    for (size_t i = 0; i < segments && !e && !result; ++i) {
      u64 k = ENDS == FIXED_ENDS ? i * length : begin[i];
      const u64 stop = ENDS == OFFSETS ? begin[i + 1] : ENDS == RANGES ? end[i] : (i + 1) * length;
      Acc total = Op::prepare(init);
      bool has = o.init;
      for (; k < stop; ++k) {
        const Acc x = Op::prepare(Load()(input[k], k));
        total = has ? Op()(total, x) : x;
        has = true;
      }
      Out expected = gp_convert<Acc, Out>()(has ? total : Op::identity());
      if (o.bad) std::memset(reinterpret_cast<char *>(&expected), 0x5a, sizeof expected);
      if (!same(expected, out.data[i]) && wrong == segments) wrong = i;
    }
    check(!e && wrong == segments, what + (wrong < segments ? " wrong at " + std::to_string(wrong) : ""));
    if (result) result->assign(out.data, out.data + segments);
    simt::clear_error();
  }

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t chunk =
        size_t(32) * gp__scan_items(P::vectors, ENDS == RANGES ? sizeof(Acc) : sizeof(In), sizeof(Acc));
    const size_t sizes[] = {0, 1, chunk - 1, chunk, chunk + 1, 5 * chunk + 3, 20 * chunk - 2};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int shape = ENDS == FIXED_ENDS ? FIXED : FIXED + seed % 2; shape < SHAPES; shape += 1 + seed % 2) {
        const size_t n = sizes[random32() % 7];
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
        Options o = {};
        o.offset = seed % 3 ? random32() % 16 : 0;
        o.sms = seed % 4 == 0 ? 100 : 1 + int(random32() % 5);
        o.init = seed % 3 == 1;
        o.bad = seed % 7 == 0 && shape == MIXED;
        u64 length = 0;
        std::vector<O> begin, end;
        const u64 lead = ENDS == FIXED_ENDS ? 0 : seed % 2 * (random32() % 50),
                  tail = ENDS == FIXED_ENDS ? 0 : random32() % 2 * (random32() % 30);
        size_t items = 0;
        if (ENDS == FIXED_ENDS) {
          const u64 some[] = {1, 2, 7, 32, 100, chunk, chunk + 1, n + 1, 0, 3};
          length = some[shape + seed % 2];
          end.assign(length ? n / length + 1 : 1000, 0);
          items = end.size() * length;
        } else {
          const std::vector<u64> lengths = lengths_of(shape, n);
          u64 at = lead;
          for (u64 l : lengths) {
            begin.push_back(O(at));
            at += l;
            end.push_back(O(at));
          }
          items = at + tail;
          if (ENDS == OFFSETS) begin.push_back(O(at));
          else { // any order, overlaps and gaps, ends before begins
            for (size_t i = 0; i < begin.size(); ++i) {
              if (random32() % 4 == 0) std::swap(begin[i], begin[random32() % begin.size()]);
              if (end[i] > begin[i] + 2 * n / (1 + begin.size()) + 4 && shape != GIANT) end[i] = O(begin[i] + 3);
            }
          }
        }
        std::vector<In> input(items);
        for (auto &x : input) x = draw<In>();
        for (int way = 0; way < 3; ++way) {
          o.algorithm = way ? GP_WARP_SEGMENTS : GP_MERGE_PATH;
          o.wide = way == 2;
          const std::string what = way == 0 ? name : std::string(o.wide ? "wide " : "warp ") + name;
          run(what_of(what.c_str(), shape, n, ENDS == OFFSETS ? begin.size() - 1 : end.size(), o.offset, o.sms, seed),
              input, begin, end, length, o);
        }
      }
  }
};

// Floats with rounded sums: the bits must not depend on the schedule.
template<class S> static void is_deterministic(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  std::vector<float> input(9000), first, again;
  for (auto &x : input) x = float(random32()) * 1e-7f - 100.f;
  std::vector<u32> offsets(1, 0);
  while (offsets.back() < 9000) offsets.push_back(std::min(9000u, offsets.back() + random32() % 4000));
  Options o = {};
  o.sms = 5;
  for (int algorithm : {GP_MERGE_PATH, GP_WARP_SEGMENTS}) {
    o.algorithm = algorithm;
    for (int seed = 1; seed <= seeds + 2; ++seed) {
      simt::set_random_schedule(uint64_t(seed));
      S::run(name, input, offsets, {}, 0, o, seed == 1 ? &first : &again);
      check(seed == 1 || !std::memcmp(first.data(), again.data(), first.size() * 4), std::string(name) + " same bits");
    }
  }
}

#endif

#ifdef TEST_SEGMENTS
// The same bits for every number of blocks, every alignment and both places where offsets may be.
static void is_reproducible() {
  if (!only.empty() && only != "reproducible") return;
  typedef gp__policy<256, 3, 3, 3, 0, 3, 1> P;
  typedef gp__load<float, float, gp_convert<float, float>> Load;
  std::vector<float> input(30000);
  for (auto &x : input) x = float(random32()) * 1e-7f - 100.f;
  std::vector<u32> offsets(1, 7);
  for (u32 length : {0, 1, 3, 4, 5, 383, 384, 385, 1535, 1536, 1537, 6000, 9, 0, 12000})
    offsets.push_back(offsets.back() + length);
  const size_t segments = offsets.size() - 1;
  std::vector<float> first;
  for (int seed = 0; seed < 12; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    Device<float> in(input, size_t(seed)), out(segments);
    std::vector<u32> begins(offsets);
    if (seed % 2) begins.back() = 3; // runs end where the elements do
    Device<u32> begin(begins, 0);
    Device<u64> runs(std::vector<u64>(1, segments), 0), count(std::vector<u64>(1, offsets.back()), 0);
    gp__segment_args a = {};
    a.in = in.data, a.begin = begin.data, a.out = out.data, a.count = input.size(), a.segments = segments;
    a.log2_lanes = GP__RANGE_LOG2_LANES;
    int e = 0;
    if (seed % 2) { // runs, whose number and end the device knows
      a.segments = 999, a.workspace = runs.data, a.end = count.data;
      e = simt::launch_kernel("runs", 1 + unsigned(seed) % 3, P::threads, 0,
          gp__warp_segments<P, gp__run_ends<u32>, gp_sum<float>, Load, float, float, float, gp__u64>, a);
    } else
      e = simt::launch_kernel("segments", 1 + unsigned(seed) % 3, P::threads, 0,
          gp__warp_segments<P, gp__offset_ends<u32>, gp_sum<float>, Load, float, float, float, gp__u64>, a);
    const std::vector<float> got(out.data, out.data + segments);
    if (!seed) first = got;
    check(!e && !std::memcmp(first.data(), got.data(), segments * 4), "reproducible " + std::to_string(seed));
    simt::clear_error();
  }
}
#endif

#ifdef TEST_EXPAND

// By offsets and by lengths; the output has room for less, for all or for more, or the device says for how much.
template<class P, class O, class T> static void expand(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  const size_t piece = size_t(32) * unsigned(gp__expand_items(P::vectors, sizeof(T)));
  for (int seed = 1; seed <= seeds; ++seed)
    for (int shape = 0; shape < SHAPES; ++shape)
      for (const bool by_lengths : {false, true}) {
        const size_t sizes[] = {0, 1, piece - 1, piece, piece + 1, 9 * piece + 5};
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
        std::vector<u64> wide = lengths_of(shape, sizes[random32() % 6]);
        if (seed % 7 == 0) wide.resize(random32() % 2); // no run, or one
        if (seed % 3 == 0) // more of them than a warp looks at in a step end at one place
          wide.insert(wide.begin() + long(random32() % (wide.size() + 1)), 100 + random32() % 400, 0);
        const bool giant = sizeof(O) == 8 && seed % 2 == 0; // a last run of more than 2^32 elements
        if (giant) wide.push_back((1ull << 32) + random32() % 5);
        const size_t runs = wide.size();
        std::vector<O> offsets(1, 0), lengths(wide.begin(), wide.end());
        for (u64 l : wide) offsets.push_back(O(offsets.back() + l));
        std::vector<T> values(runs);
        for (T &x : values) x = draw<T>();
        const size_t all = offsets.back(), most = giant ? offsets[runs - 1] + 700 : all;
        const size_t room = seed % 3 == 0 ? most / 2 : seed % 3 == 1 ? most : most + random32() % 999;
        const size_t misaligned = seed % 2 ? random32() % 16 : 0;
        const int sms = seed % 4 == 0 ? 100 : 1 + int(random32() % 5);
        Device<T> in(values, random32() % 4), out(room, misaligned);
        Device<O> begin(by_lengths ? lengths : offsets, random32() % 4);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, room), 0), total(1);
        Device<unsigned long long> bad(std::vector<unsigned long long>{7, ~0ull}, 0); // for offsets that were checked
        if (room) simt::host_fill(out.data, 0x5a, room * sizeof(T));
        gp__shape s = {};
        s.primitive = by_lengths ? GP_RUN_LENGTH_EXPAND : GP_EXPAND;
        s.in_size = s.out_size = sizeof(T), s.offset_size = sizeof(O), s.multiprocessors = sms;
        s.shared_bytes = 64 * 1024, s.compute_capability = 90, s.segments = runs;
        s.count = room + (seed % 5 == 0 ? 700 : 0);
        const gp_policy p = policy_of<P>(GP_MERGE_PATH);
        const gp__geometry g = gp__geometry_by(&gp__rules_segments, p, &s, 0);
        Device<unsigned char> scratch(g.scratch);
        gp__expand_args a = {};
        a.values = in.data, a.begin = by_lengths ? scratch.data : static_cast<void *>(begin.data);
        a.lengths = begin.data, a.offsets = scratch.data, a.out = out.data, a.segments = runs, a.count = s.count;
        a.count_device = s.count > room ? count.data : nullptr;
        a.out_count = total.data, a.workspace = workspace(g.words);
        const std::string what =
            what_of(name, shape, room, runs, misaligned, sms, seed) + (by_lengths ? " lengths" : "");
        int e = gp__valid_by(&gp__rules_segments, p, &s) ? 0 : 1;
        if (!e && by_lengths) {
          e = simt::launch_kernel(name, g.grid, P::threads, g.shared_bytes, gp__expand_offsets<P, O>, a);
          check(!e && total.data[0] == all, what + " the total");
          if (!e)
            e = simt::launch_kernel(
                name, g.grid, P::threads, g.shared_bytes, gp__expand<P, gp__expand_by_lengths<O>, T>, a);
        } else if (!e) {
          if (seed % 2 == 0) { // one offset is wrong: nothing is written
            a.bad = bad.data;
            e = simt::launch_kernel(
                name, g.grid, P::threads, g.shared_bytes, gp__expand<P, gp__expand_by_offsets<O>, T>, a);
            size_t written = 0;
            for (size_t i = 0; i < room * sizeof(T); ++i)
              written += reinterpret_cast<unsigned char *>(out.data)[i] != 0x5a;
            check(!e && written == 0, what + " written in spite of offsets");
            a.bad = bad.data + 1;
          }
          if (!e)
            e = simt::launch_kernel(
                name, g.grid, P::threads, g.shared_bytes, gp__expand<P, gp__expand_by_offsets<O>, T>, a);
        }
        size_t wrong = room, segment = 0;
        T none;
        std::memset(static_cast<void *>(&none), 0x5a, sizeof none);
        for (size_t i = 0; i < room && !e; ++i) {
          while (segment < runs && offsets[segment + 1] <= i) ++segment;
          if (!same(out.data[i], segment < runs ? values[segment] : none) && wrong == room) wrong = i;
        }
        check(!e && wrong == room, what + (wrong < room ? " wrong at " + std::to_string(wrong) : ""));
        simt::clear_error();
      }
}

// Unchecked offsets that decrease, of a warp: more segments begin in a piece than it has elements. Nothing beyond the
// output or a warp's memory is written. (A lane's segments begin at one place, so that no two lanes write there.)
template<class P, class O, class T> static void expand_decreasing(const char *name) {
  if (!only.empty() && only != name) return;
  const size_t piece = size_t(32) * unsigned(gp__expand_items(P::vectors, sizeof(T))), runs = 3 * piece;
  for (const size_t room : {piece - 1, piece, 2 * piece + 5}) {
    if (!has_turn()) continue;
    std::vector<O> offsets;
    for (size_t i = 0; i < runs; ++i) offsets.push_back(O(i % 32));
    offsets.push_back(O(room));
    std::vector<T> values(runs);
    for (T &x : values) x = draw<T>();
    Device<T> in(values, 0), out(room);
    Device<O> begin(offsets, 0);
    gp__expand_args a = {};
    a.values = in.data, a.begin = begin.data, a.out = out.data, a.segments = runs, a.count = room;
    const int bytes = P::threads / 32 * gp__expand_warp_bytes(P::vectors, sizeof(T));
    const int e =
        simt::launch_kernel(name, 1, P::threads, unsigned(bytes), gp__expand<P, gp__expand_by_offsets<O>, T>, a);
    check(!e, std::string(name) + " room=" + std::to_string(room) + ":");
    simt::clear_error();
  }
}

// More elements and runs than any memory has.
static void expand_geometry() {
  if (!only.empty() && only != "expand geometry") return;
  const gp_policy p = policy_of<gp__policy<256, 4, 1, 1, 0, 6, 1>>(GP_MERGE_PATH);
  for (int size : {1, 2, 3, 4, 8, 12, 16, 24, 63, 64})
    for (u64 n : {1ull, 4095ull, 1ull << 32, (1ull << 40) + 3})
      for (u64 runs : {0ull, 1ull, (1ull << 33) + 1}) {
        gp__shape s = {};
        s.primitive = GP_RUN_LENGTH_EXPAND, s.in_size = s.out_size = size, s.offset_size = 8, s.count = n;
        s.segments = runs, s.multiprocessors = 132, s.shared_bytes = 227 * 1024, s.compute_capability = 90;
        const gp__geometry g = gp__geometry_by(&gp__rules_segments, p, &s, 0);
        const std::string what = "expand geometry of " + std::to_string(n) + " and " + std::to_string(runs);
        check(gp__valid_by(&gp__rules_segments, p, &s), what + ": valid");
        check(g.scratch == 8 * ((runs + 127) / 128 + 1), what + ": offsets of tiles");
        check(g.words >= (runs + 4095) / 4096, what + ": words");
        check(g.grid >= 1 && g.grid <= 132 * 6 && u64(g.grid) <= g.tiles, what + ": grid");
        check(g.tile_items * g.tiles >= n + runs, what + ": tiles");
        check(g.shared_bytes == 8u * unsigned(gp__expand_warp_bytes(4, size)) && g.shared_bytes % 128 == 0,
            what + ": shared memory");
      }
}

#endif

#ifdef TEST_SEARCH

template<class P, class O, class R> static void load_balance(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  const size_t chunk = 32 * 16 * P::vectors / sizeof(R);
  for (int seed = 1; seed <= seeds; ++seed)
    for (int shape = 0; shape < SHAPES; ++shape) {
      const size_t sizes[] = {0, 1, chunk - 1, chunk, chunk + 1, 9 * chunk + 5};
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
      const std::vector<u64> lengths = lengths_of(shape, sizes[random32() % 6]);
      std::vector<O> offsets(1, 0);
      for (u64 l : lengths) offsets.push_back(O(offsets.back() + l));
      const size_t all = offsets.back(), n = seed % 3 == 0 ? all / 2 : seed % 3 == 1 ? all : all + random32() % 999;
      const int sms = seed % 4 == 0 ? 100 : 1 + int(random32() % 5);
      Device<O> in(offsets, random32() % 4);
      Device<R> out(n, random32() % 4);
      Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
      gp__shape s = {};
      s.primitive = GP_LOAD_BALANCE;
      s.out_size = sizeof(R), s.offset_size = sizeof(O), s.multiprocessors = sms, s.shared_bytes = 64 * 1024;
      s.compute_capability = 75, s.segments = lengths.size(), s.count = n + (seed % 5 == 0 ? 700 : 0);
      gp__geometry g = {};
      const gp_policy p = policy_of<P>(GP_MERGE_PATH);
      gp__geometry_segments(p, &s, u64(sms) * P::blocks_per_sm, &g);
      gp__search_args a = {};
      a.sorted = in.data, a.length = lengths.size(), a.out = out.data, a.count = s.count;
      a.count_device = s.count > n ? count.data : nullptr;
      int e = gp__policy_valid_segments(p, &s) ? 0 : 1;
      Device<unsigned long long> bad(std::vector<unsigned long long>{7, ~0ull}, 0); // for offsets that were checked
      if (seed % 2 == 0 && !e) { // one is wrong: nothing is written
        const R other = R(123456789);
        for (size_t i = 0; i < n; ++i) simt::host_write(out.data + i, &other, sizeof other);
        a.bad = bad.data;
        e = simt::launch_kernel(name, g.grid, P::threads, g.shared_bytes, gp__load_balance<P, O, R>, a);
        size_t written = 0;
        for (size_t i = 0; i < n; ++i) written += out.data[i] != other;
        check(
            !e && written == 0, what_of(name, shape, n, lengths.size(), 0, sms, seed) + " written in spite of offsets");
        a.bad = bad.data + 1;
      }
      if (!e) e = simt::launch_kernel(name, g.grid, P::threads, g.shared_bytes, gp__load_balance<P, O, R>, a);
      size_t wrong = n, segment = 0;
      for (size_t i = 0; i < n && !e; ++i) {
        while (segment < lengths.size() && offsets[segment + 1] <= i) ++segment;
        if (out.data[i] != R(segment) && wrong == n) wrong = i;
      }
      check(!e && wrong == n,
          what_of(name, shape, n, lengths.size(), 0, sms, seed) +
              (wrong < n ? " wrong at " + std::to_string(wrong) : ""));
      simt::clear_error();
    }
}

template<class T> static std::vector<T> sorted_values(size_t n, unsigned range) {
  std::vector<T> v(n);
  for (auto &x : v) x = T(random32() % range);
  std::sort(v.begin(), v.end());
  return v;
}

// Needles, and orders of users' operators.
template<class T> struct Needle {
  static T of(unsigned x) { return T(x); }
};
template<> struct Needle<gp_f16> {
  static gp_f16 of(unsigned x) { return gp_f16(float(x)); } // many are equal
};
template<> struct Needle<Triple> {
  static Triple of(unsigned x) { return {int(x / 7), int(x % 7), int(random32())}; }
};
struct Pair4 { // 8 bytes, aligned to 4: no sector holds whole elements
  u32 key, other;
};
template<> struct Needle<Pair4> {
  static Pair4 of(unsigned x) { return {x, random32()}; }
};
struct TripleBefore {
  bool operator()(const Triple &a, const Triple &b) const { return a.x != b.x ? a.x < b.x : a.y < b.y; }
};
struct Pair4After { // from large to small
  bool operator()(const Pair4 &a, const Pair4 &b) const { return a.key > b.key; }
};
template<class T> static void spoil(std::vector<T> &) {}
static void spoil(std::vector<float> &needles) { // no order holds for NaN
  for (size_t i = random32() % 300; i < needles.size(); i += 1 + random32() % 300)
    needles[i] = std::numeric_limits<float>::quiet_NaN();
}

enum { RANDOM, IN_ORDER, BUT_SOME, BY_WARPS, HALF, BACKWARDS, EQUAL, NEEDLE_ORDERS };
template<class P, bool UPPER, class T, class R, class Less = gp_less<T>>
static void bounds(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int c = 0; c < seeds * (7 + 2 * NEEDLE_ORDERS); ++c) {
    if (!has_turn()) continue;
    static const size_t lengths[] = {0, 1, 2, 3, 31, 64, 1000, 3777, 9001};
    const int seed = c % seeds + 1, place = c / seeds; // long arrays: needles of every order
    const size_t length = lengths[place < 7 ? place : 7 + place % 2];
    const unsigned order = unsigned(place < 7 ? seed + place : (place - 7) / 2) % NEEDLE_ORDERS;
    simt::set_random_schedule(uint64_t(c) * 10000 + length);
    const bool many = length > 3000; // enough of both for pivots in shared memory, and for ranges
    const size_t n = many ? 1600 + random32() % 1500 : random32() % 3 ? random32() % 1500 : random32() % 3;
    const unsigned range = random32() % 3 ? 5000 : 20;
    std::vector<T> sorted(length), needles(n);
    for (auto &x : sorted) x = Needle<T>::of(random32() % range);
    std::sort(sorted.begin(), sorted.end(), Less());
    for (auto &x : needles) x = Needle<T>::of(random32() % (range + 9));
    const auto sort = [&](size_t from, size_t to) {
      std::sort(needles.begin() + std::ptrdiff_t(from), needles.begin() + std::ptrdiff_t(to), Less());
    };
    if (order == IN_ORDER || order == BUT_SOME || order == BACKWARDS) sort(0, n);
    for (size_t i = 0; order == BY_WARPS && i < n; i += 32) sort(i, std::min(n, i + 32));
    for (size_t i = 0; order == BUT_SOME && i < n; i += 600)
      needles[i] = needles[random32() % n]; // in every other tile
    if (order == HALF) seed % 2 ? sort(0, n / 2) : sort(n / 2, n);
    if (order == BACKWARDS) std::reverse(needles.begin(), needles.end());
    if (order == EQUAL && n) std::fill(needles.begin(), needles.end(), needles[0]);
    if (random32() % 2) spoil(needles);
    Device<T> in(sorted, random32() % 9), needle(needles, random32() % 4);
    Device<R> out(n, random32() % 4);
    gp__search_args a = {};
    a.sorted = in.data, a.length = length, a.needles = needle.data, a.out = out.data, a.count = n;
    const unsigned grid = 1 + random32() % (many ? 2 : 4);
    gp__shape s = {};
    s.primitive = GP_LOWER_BOUND, s.in_size = sizeof(T), s.out_size = sizeof(R), s.count = n, s.segments = length;
    const gp_policy p = policy_of<P>(GP_TWO_PHASE);
    gp__geometry g = {};
    gp__geometry_map(p, &s, grid, &g);
    Device<T> sample((g.scratch + sizeof(T) - 1) / sizeof(T));
    int e = 0;
    if (random32() % 2 && gp__policy_valid_map(p, &s)) {
      a.sample = sample.data;
      e = simt::launch_kernel(name, grid, P::threads, 0, gp__bound_sample<P, UPPER, T, Less, R>, a);
    }
    if (!e) e = simt::launch_kernel(name, grid, P::threads, 0, gp__bound<P, UPPER, T, Less, R>, a);
    bool good = !e;
    for (size_t i = 0; i < n && good; ++i) {
      const auto at = UPPER ? std::upper_bound(sorted.begin(), sorted.end(), needles[i], Less())
          : std::lower_bound(sorted.begin(), sorted.end(), needles[i], Less());
      good = out.data[i] == R(at - sorted.begin());
    }
    check(good,
        std::string(name) + " length=" + std::to_string(length) + " n=" + std::to_string(n) +
            " order=" + std::to_string(order) + " seed=" + std::to_string(seed) + ":");
    simt::clear_error();
  }
}

// The routines for users' kernels: each thread (each warp) one needle; a diagonal; a tile a block.
struct Found {
  u64 lower, upper, split, warp_lower, warp_upper, warp_split;
};
static void search_kernel(const u32 *sorted, u64 length, const u32 *needles, Found *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Found f = {};
  f.lower = gp_search_lower(sorted, length, needles[i], gp_less<u32>());
  f.upper = gp_search_upper(sorted, length, needles[i], gp_less<u32>());
  f.split = gp_merge_path(sorted, length, needles[i]);
  for (int l = 0; l < 32; ++l) {
    const u32 x = gp_warp_broadcast(needles[i], l);
    const u64 lower = gp_warp_search_lower(sorted, length, x, gp_less<u32>());
    const u64 upper = gp_warp_search_upper(sorted, length, x, gp_less<u32>());
    const u64 split = gp_warp_merge_path(sorted, length, x);
    if (int(gp_lane()) == l) f.warp_lower = lower, f.warp_upper = upper, f.warp_split = split;
  }
  out[i] = f;
}
template<int THREADS, int ITEMS, class O> static void tile_kernel(const O *offsets, u64 segments, u64 n, u64 *out) {
  typedef gp_tile_load_balance_storage<THREADS, ITEMS> Storage;
  GP_SHARED(Storage, storage);
  for (u64 first = blockIdx.x * u64(THREADS * ITEMS); first < n; first += gridDim.x * u64(THREADS * ITEMS)) {
    gp__u64 segment[ITEMS];
    gp_tile_load_balance<THREADS>(segment, offsets, segments, first, storage);
    gp_tile_store_direct(segment, reinterpret_cast<gp__u64 *>(out) + first, n - first);
    __syncthreads();
  }
}
static void routines(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t length : {0, 1, 5, 31, 32, 33, 700, 1023, 1025, 2000}) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + length);
      const std::vector<u32> sorted = sorted_values<u32>(length, random32() % 2 ? 30 : 4000);
      std::vector<u32> needles(128);
      for (auto &x : needles) x = random32() % (seed % 2 ? 40 : 6100);
      Device<u32> in(sorted, random32() % 4), needle(needles, 0);
      Device<Found> out(128);
      const int e = simt::launch_kernel(name, 2, 64, 0, search_kernel, in.data, u64(length), needle.data, out.data);
      bool good = !e;
      for (size_t i = 0; i < 128 && good; ++i) {
        const u64 lower = u64(std::lower_bound(sorted.begin(), sorted.end(), needles[i]) - sorted.begin());
        const u64 upper = u64(std::upper_bound(sorted.begin(), sorted.end(), needles[i]) - sorted.begin());
        u64 ends = 0, items = 0; // merge by hand
        while (ends + items < needles[i] && (ends < length || items < 7000)) {
          if (ends < length && sorted[ends] <= items) ++ends;
          else ++items;
        }
        const Found &f = out.data[i];
        good = f.lower == lower && f.warp_lower == lower && f.upper == upper && f.warp_upper == upper &&
            f.split == ends && f.warp_split == ends;
      }
      check(good, std::string(name) + " length=" + std::to_string(length) + " seed=" + std::to_string(seed) + ":");
      simt::clear_error();
    }
  for (int seed = 1; seed <= seeds; ++seed)
    for (int shape = 0; shape < SHAPES; ++shape) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
      const std::vector<u64> lengths = lengths_of(shape, random32() % 3000);
      std::vector<u32> offsets(1, 0);
      for (u64 l : lengths) offsets.push_back(u32(offsets.back() + l));
      const size_t n = offsets.back() + random32() % 300;
      Device<u32> in(offsets, random32() % 4);
      Device<u64> out(n);
      const int e = simt::launch_kernel(
          name, 1 + random32() % 5, 64, 0, tile_kernel<64, 5, u32>, in.data, u64(lengths.size()), u64(n), out.data);
      bool good = !e;
      size_t segment = 0;
      for (size_t i = 0; i < n && good; ++i) {
        while (segment < lengths.size() && offsets[segment + 1] <= i) ++segment;
        good = out.data[i] == segment;
      }
      check(good, what_of(name, shape, n, lengths.size(), 0, 0, seed));
      simt::clear_error();
    }
}

#endif

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  [[maybe_unused]] typedef gp__policy<64, 1, 3, 3, 0, 2, 2> Tiny;
  [[maybe_unused]] typedef gp__policy<96, 3, 1, 3, 0, 1, 1> Odd;
  [[maybe_unused]] typedef gp__policy<32, 5, 2, 1, 0, 3, 2> Deep;
  [[maybe_unused]] typedef gp__policy<64, 2, 3, 3, 0, 8, 2> Full;
  [[maybe_unused]] typedef gp__policy<64, 1, 3, 3, 3, 2, 2> Ring; // pipelined
  [[maybe_unused]] typedef gp__policy<96, 3, 1, 3, 2, 1, 1> Pair;
  [[maybe_unused]] typedef gp__policy<32, 5, 2, 1, 4, 3, 2> Long;

#define SEGMENTED(name, P, ends, O, Op, F, In, Out) Segmented<P, ends, O, Op, F, In, Out>::sweep(name, seeds)
#ifdef TEST_SEGMENTS
  for (const int offsets : {0, 4}) { // short segments: those of one length have no ends to hold
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_REDUCE, s.in_size = s.acc_size = s.out_size = 4, s.offset_size = offsets;
    s.compute_capability = 90, s.multiprocessors = 132, s.shared_bytes = 227 * 1024;
    s.count = 1 << 25, s.segments = s.count / 7;
    const gp_policy p = gp__portable_segments(gp_policy(), &s);
    check(p.algorithm == (offsets ? GP_PIPELINED : GP_MERGE_PATH) && p.threads == (offsets ? 768 : 256), "short");
  }
  typedef gp_convert<Affine, Affine> SameAffine;
  SEGMENTED("offsets affine", Tiny, OFFSETS, u32, Compose, SameAffine, Affine, Affine);
  SEGMENTED("ranges affine", Tiny, RANGES, u32, Compose, SameAffine, Affine, Affine);
  is_reproducible();
  SEGMENTED("pipelined affine", Ring, OFFSETS, u32, Compose, SameAffine, Affine, Affine);
  typedef gp_convert<float, float> SameFloat;
  SEGMENTED("offsets f32", Deep, OFFSETS, u32, gp_sum<float>, SameFloat, float, float);
#ifndef TEST_FEW
  typedef gp_convert<u32, u32> SameU32;
  typedef gp_convert<u8, u64> U8ToU64;
  typedef gp_convert<gp_f16, float> HalfToFloat;
  typedef gp_convert<Triple, Triple> SameTriple;
  typedef gp_convert<Wide, Wide> SameWide;
  typedef gp_convert<Large, Large> SameLarge;
  typedef gp_convert<u8, u8> SameU8;
  SEGMENTED("offsets u32", Odd, OFFSETS, u64, gp_sum<u32>, SameU32, u32, u32);
  SEGMENTED("offsets u8", Tiny, OFFSETS, u32, gp_sum<u8>, SameU8, u8, u8);
  SEGMENTED("offsets u8 to u64", Odd, OFFSETS, u32, gp_sum<u64>, U8ToU64, u8, u64);
  SEGMENTED("offsets f16 by f32", Odd, OFFSETS, u64, gp_sum<float>, HalfToFloat, gp_f16, gp_f16);
  SEGMENTED("offsets argmin", Tiny, OFFSETS, u32, gp_argmin<float>, SameFloat, float, gp_arg<float>);
  SEGMENTED("offsets triple", Odd, OFFSETS, u32, AddTriple, SameTriple, Triple, Triple);
  SEGMENTED("offsets wide", Tiny, OFFSETS, u64, AddWide, SameWide, Wide, Wide);
  SEGMENTED("offsets large", Tiny, OFFSETS, u32, AddLarge, SameLarge, Large, Large);
  SEGMENTED("fixed affine", Odd, FIXED_ENDS, u32, Compose, SameAffine, Affine, Affine);
  SEGMENTED("fixed f32", Deep, FIXED_ENDS, u32, gp_sum<float>, SameFloat, float, float);
  SEGMENTED("ranges argmax", Odd, RANGES, u64, gp_argmax<u8>, SameU8, u8, gp_arg<u8>);
  SEGMENTED("pipelined u32", Pair, OFFSETS, u64, gp_sum<u32>, SameU32, u32, u32);
  SEGMENTED("pipelined f32", Long, OFFSETS, u32, gp_sum<float>, SameFloat, float, float);
  SEGMENTED("pipelined u8", Ring, OFFSETS, u32, gp_sum<u8>, SameU8, u8, u8);
  SEGMENTED("pipelined u8 to u64", Pair, OFFSETS, u32, gp_sum<u64>, U8ToU64, u8, u64);
  SEGMENTED("pipelined triple", Ring, OFFSETS, u32, AddTriple, SameTriple, Triple, Triple);
  SEGMENTED("pipelined large", Pair, OFFSETS, u32, AddLarge, SameLarge, Large, Large);
  SEGMENTED("pipelined fixed affine", Pair, FIXED_ENDS, u32, Compose, SameAffine, Affine, Affine);
  SEGMENTED("pipelined fixed f32", Long, FIXED_ENDS, u32, gp_sum<float>, SameFloat, float, float);
  is_deterministic<Segmented<Tiny, OFFSETS, u32, gp_sum<float>, SameFloat, float, float>>("deterministic", seeds);
#endif
#endif
#ifdef TEST_EXPAND
  expand_geometry();
  expand_decreasing<Deep, u32, u32>("expand decreasing u32");
  expand_decreasing<Deep, u64, Triple>("expand decreasing triple");
  expand<Full, u32, u32>("expand u32", seeds);
  expand<Odd, u64, Triple>("expand triple", seeds);
#ifndef TEST_FEW
  expand<Deep, u32, u8>("expand u8", seeds);
  expand<Odd, u64, u16>("expand u16", seeds);
  expand<Deep, u32, Affine>("expand affine", seeds);
  expand<Tiny, u64, Wide>("expand wide", seeds);
  expand<Deep, u32, Large>("expand large", seeds);
#endif
#endif
#ifdef TEST_SEARCH
  load_balance<Tiny, u32, u32>("load balance", seeds);
  routines("routines", seeds);
#ifndef TEST_FEW
  load_balance<Odd, u64, u64>("load balance u64", seeds);
  load_balance<Deep, u32, u64>("load balance u32 u64", seeds);
#endif
  bounds<Tiny, false, u32, u32>("lower bound", seeds);
  bounds<Odd, true, float, u64>("upper bound f32", seeds);
  bounds<Full, false, float, u32>("lower bound f32", seeds);
  bounds<Tiny, false, Triple, u32, TripleBefore>("lower bound triple", seeds);
#ifndef TEST_FEW
  bounds<Tiny, true, u8, u32>("upper bound u8", seeds);
  bounds<Deep, true, u64, u32>("upper bound u64", seeds);
  bounds<Full, true, gp_f16, u64>("upper bound f16", seeds);
  bounds<Tiny, true, Pair4, u32, Pair4After>("upper bound pair", seeds);
#endif
#endif
  return finish();
}
