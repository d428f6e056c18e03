// Described inputs of gpuprims.h under the emulator: each kind, and some nested ones, read by maps, reductions and
// scans, against elements that the test makes itself, on adversarial schedules. Usage: test_inputs [seeds] [name]
// TEST_FEW compiles only the instances that mutants.py needs.
#include "sweep_test.h"

#include <algorithm>
#include <memory>

// A description's data, and the elements that it stands for, made here.
template<class T> struct Data {
  gp__input_data input = {};
  std::vector<T> elements;
};

template<class T> struct SameBytes {
  typedef T type;
  bool operator()(const T &a, const T &b) const { return same(a, b); }
};

// The kernels with the description in place of their array. F: of a map; Op: of a fold.
template<class P, class D> struct Read {
  typedef typename D::type T;
  template<class Args> static gp__with_input<Args> with(const Args &args, const gp__input_data &data) {
    gp__with_input<Args> a;
    static_cast<Args &>(a) = args;
    a.input = data;
    return a;
  }
  static gp__shape shape(int primitive, size_t n, size_t acc_size) {
    gp__shape s = {};
    s.primitive = primitive, s.in_size = s.out_size = sizeof(T), s.acc_size = int(acc_size), s.described = 1;
    s.commutative = 1, s.compute_capability = 90, s.multiprocessors = 3, s.shared_bytes = 227 * 1024, s.count = n;
    return s;
  }

  static void map(const std::string &what, const Data<T> &data, size_t offset) {
    typedef gp__described<gp__stateless<gp_convert<T, T>>, D> F;
    const size_t n = data.elements.size();
    Device<T> out(n, offset);
    gp__map_args args = {};
    args.in = args.in2 = args.out = out.data, args.count = n;
    const gp__shape s = shape(GP_TRANSFORM, n, 0);
    const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
    const gp__with_input<gp__map_args> a = with(args, data.input);
    const int e = simt::launch_kernel(
        "map", g.grid, g.threads, 0,
        [](const gp__with_input<gp__map_args> &all) { gp__map_kernel<P, F, T, gp__none, T>(all); }, a);
    size_t i = 0;
    while (i < n && same(out.data[i], data.elements[i])) ++i;
    check(!e && i == n, what + " map, element " + std::to_string(i));
    simt::clear_error();
  }
  // The second operand described, the first an array.
  static void map2(const std::string &what, const Data<T> &data, size_t offset) {
    typedef gp__described<gp__stateless<gp__binary<gp_sub<T>, T, T, T>>, gp__from_array, D> F;
    const size_t n = data.elements.size();
    std::vector<T> a(n);
    for (auto &x : a) x = draw<T>();
    Device<T> in(a, offset), out(n, 0);
    gp__map_args args = {};
    args.in = in.data, args.in2 = args.out = out.data, args.count = n;
    const gp__shape s = shape(GP_TRANSFORM2, n, 0);
    const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
    const int e = simt::launch_kernel(
        "map2", g.grid, g.threads, 0,
        [](const gp__with_input<gp__map_args> &all) { gp__map_kernel<P, F, T, T, T>(all); }, with(args, data.input));
    size_t i = 0;
    while (i < n && same(out.data[i], gp_sub<T>()(a[i], data.elements[i]))) ++i;
    check(!e && i == n, what + " map of two, element " + std::to_string(i));
    simt::clear_error();
  }
  template<int ALGORITHM, class Op> static void reduce(const std::string &what, const Data<T> &data) {
    typedef gp__described<gp__load<T, T, gp_convert<T, T>>, D> Load;
    const size_t n = data.elements.size();
    Device<T> out(1);
    gp__shape s = shape(GP_REDUCE, n, sizeof(T));
    s.commutative = Op::commutative;
    const gp__geometry g = gp__geometry_by(&gp__rules_reduce, policy_of<P>(ALGORITHM), &s, 0);
    gp__reduce_args args = {};
    args.out = out.data, args.count = n, args.rounds = 2, args.workspace = g.words ? workspace(g.words) : nullptr;
    const int e = simt::launch_kernel(
        "reduce", g.grid, g.threads, 0,
        [](const gp__with_input<gp__reduce_args> &all) {
          if (ALGORITHM == GP_STEALING) gp__reduce_stealing<P, Op, Load, T, T, T>(all);
          else gp__reduce_even_share<P, Op, Load, T, T, T>(all);
        },
        with(args, data.input));
    T expected = Op::identity();
    for (const T &x : data.elements) expected = Op()(expected, x);
    check(!e && same(*out.data, expected), what + (ALGORITHM == GP_STEALING ? " reduce, stealing" : " reduce"));
    simt::clear_error();
  }
  // Segments by offsets, as ranges (in any order, with gaps), and of one length.
  template<class Ends, class Op> static void segments(const std::string &what, const Data<T> &data, int algorithm) {
    typedef gp__described<gp__load<T, T, gp_convert<T, T>>, D> Load;
    typedef gp__with_input<gp__segment_args> Args;
    const bool ranges = !Ends::direct, fixed = std::is_same<Ends, gp__fixed_ends>::value;
    const u64 length = fixed ? 1 + random32() % 90 : 0;
    const size_t n = fixed ? data.elements.size() / length * length : data.elements.size();
    std::vector<u32> begin, end;
    for (size_t at = 0; at < n;) {
      const size_t most = random32() % 9 ? 40 : n, l = fixed ? length : random32() % (most + 1);
      begin.push_back(u32(at));
      at = at + l < n ? at + l : n;
      end.push_back(u32(ranges && at - begin.back() > 3 ? at - 2 : at));
    }
    if (ranges && begin.size() > 2) std::swap(begin[0], begin[1]), std::swap(end[0], end[1]);
    const size_t count = begin.size();
    std::vector<u32> offsets = begin;
    offsets.push_back(u32(n));
    Device<u32> begins(offsets, 1), ends(end, 2);
    Device<T> out(count);
    gp__shape s = shape(GP_SEGMENTED_REDUCE, n, sizeof(T));
    s.commutative = Op::commutative, s.offset_size = fixed ? 0 : 4, s.segments = count, s.segmented.by_ranges = ranges;
    const gp_policy p = policy_of<P>(algorithm);
    gp__geometry g = {};
    g.threads = unsigned(p.threads);
    gp__geometry_segments(p, &s, 3u * P::blocks_per_sm, &g);
    gp__segment_args args = {};
    args.out = out.data, args.count = n, args.segments = count, args.length = length, args.share = g.share;
    args.begin = fixed ? nullptr : begins.data, args.end = ranges ? ends.data : nullptr;
    args.rate = double(count) / double(n + count), args.log2_lanes = g.log2_lanes;
    args.workspace = g.words ? workspace(g.words) : nullptr;
    const Args a = with(args, data.input);
    int e = gp__policy_valid_segments(p, &s) ? 0 : 1;
    if (!e && ranges && algorithm == GP_MERGE_PATH)
      e = simt::launch_kernel(
          "spans", g.grid, g.threads, 0, [](const Args &all) { gp__segment_spans<P, u32>(all); }, a);
    if (!e && algorithm == GP_MERGE_PATH)
      e = simt::launch_kernel(
          "segments", g.grid, g.threads, g.shared_bytes,
          [](const Args &all) { gp__segmented_reduce<P, Ends, Op, Load, T, T, T>(all); }, a);
    else if (!e)
      e = simt::launch_kernel(
          "segments by lanes", g.grid, g.threads, g.shared_bytes,
          [](const Args &all) { gp__warp_segments<P, Ends, Op, Load, T, T, T>(all); }, a);
    size_t i = 0;
    for (; i < count; ++i) {
      T sum = Op::identity();
      for (u32 k = begin[i]; k < end[i]; ++k) sum = Op()(sum, data.elements[k]);
      if (!same(out.data[i], sum)) break;
    }
    check(!e && i == count,
        what + (algorithm == GP_MERGE_PATH ? " segments" : " segments by lanes") +
            (ranges ? " (ranges)"
                    : fixed ? " (one length)"
                    : "") +
            ", segment " + std::to_string(i) + " of " + std::to_string(count));
    simt::clear_error();
  }
  // The first element that is the middle one.
  static void find(const std::string &what, const Data<T> &data) {
    typedef gp__find_described<T, gp__compare<SameBytes<T>>, true, D> Search;
    const size_t n = data.elements.size();
    Device<u64> out(1);
    const gp__shape s = shape(GP_FIND_IF, n, 8);
    const gp__geometry g = gp__geometry_by(&gp__rules_find, policy_of<P>(GP_STEALING), &s, 0);
    gp__find_args args = {};
    args.out = out.data, args.count = n, args.rounds = 1, args.workspace = g.words ? workspace(g.words) : nullptr;
    if (n) std::memcpy(args.scalar.bytes, &data.elements[n / 2], sizeof(T));
    const int e = simt::launch_kernel(
        "find", g.grid, g.threads, 0,
        [](const gp__with_input<gp__find_args> &all) { gp__find<P, Search, GP__FIND_INDEX>(all); },
        with(args, data.input));
    size_t first = 0;
    while (first < n && !same(data.elements[first], data.elements[n / 2])) ++first;
    check(!e && *out.data == first, what + " find");
    simt::clear_error();
  }
  template<int ALGORITHM, class Op> static void scan(const std::string &what, const Data<T> &data, size_t offset) {
    typedef gp__described<gp__load<T, T, gp_convert<T, T>>, D> Load;
    typedef gp__with_input<gp__scan_args> Args;
    const size_t n = data.elements.size();
    Device<T> out(n, offset);
    const gp_policy p = policy_of<P>(ALGORITHM);
    gp__shape s = shape(GP_INCLUSIVE_SCAN, n, sizeof(T));
    s.out_misaligned = int(misalignment(out.data));
    check(gp__valid_by(&gp__rules_scan, p, &s), what + " the policy is valid");
    const gp__geometry g = gp__geometry_by(&gp__rules_scan, p, &s, 0);
    gp__scan_args args = {};
    args.out = out.data, args.count = n, args.workspace = g.words ? workspace(g.words) : nullptr;
    args.blocks = g.grid;
    const Args a = with(args, data.input);
    int e = 0;
    if (g.grid && ALGORITHM == GP_LOOK_BACK)
      e = simt::launch_kernel(
          "scan", g.grid, g.threads, g.shared_bytes,
          [](const Args &all) { gp__scan_look_back<P, false, Op, Load, T, T, T>(all); }, a);
    else if (g.grid) {
      e = simt::launch_kernel(
          "upsweep", g.grid, g.threads, g.shared_bytes,
          [](const Args &all) { gp__scan_upsweep<P, false, Op, Load, T, T, T>(all); }, a);
      if (!e)
        e = simt::launch_kernel(
            "spine", 1, g.threads, 0, [](const Args &all) { gp__scan_spine<P, false, Op, Load, T, T, T>(all); }, a);
      if (!e)
        e = simt::launch_kernel(
            "downsweep", g.grid, g.threads, g.shared_bytes,
            [](const Args &all) { gp__scan_downsweep<P, false, Op, Load, T, T, T>(all); }, a);
    }
    T sum = Op::identity();
    size_t i = 0;
    for (; i < n; ++i) {
      sum = Op()(sum, data.elements[i]);
      if (!same(out.data[i], sum)) break;
    }
    check(!e && i == n,
        what + (ALGORITHM == GP_LOOK_BACK ? " scan" : " scan in sweeps") + ", element " + std::to_string(i));
    simt::clear_error();
  }
};

// Selections and partitions: of elements by a predicate, and of their values by flags or a stencil.
template<class P, class D> struct Select {
  typedef typename D::type T;
  template<class Body>
  static bool run(gp__stream_args args, const gp__input_data &data, size_t key, int parts, bool by_position) {
    gp__shape s = {};
    s.primitive = parts > 1 ? GP_PARTITION : GP_SELECT, s.key_size = int(key), s.out_size = sizeof(T), s.described = 1;
    s.stream.parts = parts > 1 ? parts : 0, s.stream.by_position = by_position;
    s.compute_capability = 90, s.multiprocessors = 3, s.shared_bytes = 227 * 1024, s.count = args.count;
    const gp_policy p = policy_of<P>(GP_LOOK_BACK);
    const gp__geometry g = gp__geometry_by(&gp__rules_stream, p, &s, 0);
    args.workspace = g.words ? workspace(g.words) : nullptr;
    gp__with_input<gp__stream_args> a;
    static_cast<gp__stream_args &>(a) = args;
    a.input = data;
    return gp__valid_by(&gp__rules_stream, p, &s) &&
        !simt::launch_kernel(
            "select", g.grid, g.threads, g.shared_bytes,
            [](const gp__with_input<gp__stream_args> &all) { gp__stream_look_back<P, Body>(all); }, a);
  }
  // Elements in parts: out[part[i]] gets element i.
  static bool right(const Data<T> &data, const std::vector<int> &part, int parts, const std::vector<const T *> &out,
      const u64 *counts) {
    u64 found[3] = {0, 0, 0};
    for (size_t i = 0; i < part.size(); ++i) {
      const int p = part[i];
      if (p < parts && !same(out[size_t(p)][found[p]++], data.elements[i])) return false;
    }
    for (int p = 0; p < parts; ++p)
      if (counts[p] != found[p]) return false;
    return true;
  }
  static void all(const std::string &what, const Data<T> &data, size_t offset) {
    const size_t n = data.elements.size();
    const T half = T(~T(0) / 2);
    const u16 low = 1 + u16(random32() % 2), high = 40;
    Device<T> out(n + 1, offset), out2(n + 1, offset % 3), out3(n + 1, 0);
    Device<u64> counts(3);
    std::vector<u16> stencil(n);
    for (auto &x : stencil) x = random32() % 9 ? u16(random32() % 3) : u16(random32() % 90);
    Device<u16> keys(stencil, offset % 5);
    gp__stream_args args = {};
    args.out_values = out.data, args.out2 = out2.data, args.out3 = out3.data, args.out_count = counts.data;
    args.count = n;
    const std::vector<const T *> outs = {out.data, out2.data, out3.data};
    std::vector<int> part(n);
    std::memcpy(args.first.bytes, &half, sizeof half);
    args.keys = nullptr;
    typedef gp__compare<gp_less<u16>> Less;
    typedef gp__compare<gp_greater<u16>> Greater;
    bool ran = run<gp__fed<gp__select<1, T, gp__none, gp__compare<gp_less<T>>, gp__none>, D>>(
        args, data.input, sizeof(T), 1, false);
    for (size_t i = 0; i < n; ++i) part[i] = data.elements[i] < half ? 0 : 1;
    check(ran && right(data, part, 1, outs, counts.data), what + " select");
    simt::clear_error();
    args.keys = keys.data;
    ran = run<gp__select_at<1, T, u16, gp__flag<u16>, gp__none, D>>(args, data.input, 2, 1, true);
    for (size_t i = 0; i < n; ++i) part[i] = stencil[i] ? 0 : 1;
    check(ran && right(data, part, 1, outs, counts.data), what + " select by flags");
    simt::clear_error();
    std::memset(args.first.bytes, 0, sizeof args.first.bytes);
    std::memcpy(args.first.bytes, &low, sizeof low);
    std::memcpy(args.second.bytes, &high, sizeof high);
    ran = run<gp__select_at<3, T, u16, Less, Greater, D>>(args, data.input, 2, 3, true);
    for (size_t i = 0; i < n; ++i) part[i] = stencil[i] < low ? 0 : stencil[i] > high ? 1 : 2;
    check(ran && right(data, part, 3, outs, counts.data), what + " three parts by a stencil");
    simt::clear_error();
#ifndef TEST_FEW
    ran = run<gp__select_at<2, T, u16, Less, gp__none, D>>(args, data.input, 2, 2, true);
    for (int &p : part) p = p ? 1 : 0;
    check(ran && right(data, part, 2, outs, counts.data), what + " two parts by a stencil");
    simt::clear_error();
    ran = run<gp__select_at<1, T, u16, Less, gp__none, D>>(args, data.input, 2, 1, true);
    check(ran && right(data, part, 1, outs, counts.data), what + " select by a stencil");
    simt::clear_error();
#endif
  }
};
// Histograms, with and without weights, and searches.
template<class P, class D> struct Count {
  typedef typename D::type T;
  typedef gp__described<gp__stateless<gp__none>, D> Source;
  template<class Args> static gp__with_input<Args> with(const Args &args, const gp__input_data &data) {
    return Read<P, D>::with(args, data);
  }
  template<int ALGORITHM, class W, class C> static void histogram(const std::string &what, const Data<T> &data) {
    const size_t n = data.elements.size();
    const bool weighted = !std::is_same<W, gp__none>::value, floats = std::is_same<C, float>::value;
    const u64 bins = 13 + random32() % 60;
    const T lower = T(random32() % 1000), upper = T(T(~T(0)) - T(random32() % 1000));
    typedef typename std::conditional<weighted, W, u16>::type Weight;
    std::vector<Weight> weights(n);
    for (auto &w : weights) w = Weight(random32() % 10);
    Device<Weight> in2(weights, 1);
    Device<C> out(bins);
    gp__shape s = {};
    s.primitive = GP_HISTOGRAM_EVEN, s.in_size = sizeof(T), s.in2_size = weighted ? sizeof(W) : 0;
    s.out_size = sizeof(C), s.exact = !floats, s.described = 1, s.histogram.channels = s.histogram.active = 1;
    s.histogram.bins = bins, s.compute_capability = 90, s.multiprocessors = 3, s.shared_bytes = 227 * 1024, s.count = n;
    const gp_policy p = policy_of<P>(ALGORITHM);
    gp__geometry g = {};
    gp__geometry_histogram(p, &s, 3u * P::blocks_per_sm, &g);
    gp__histogram_args args = {};
    args.weights = weighted ? in2.data : nullptr, args.out = out.data, args.count = n, args.bins = bins;
    args.channels = args.active = 1, args.replicas = g.replicas,
    args.workspace = g.words ? workspace(g.words) : nullptr;
    std::memcpy(args.lower.bytes, &lower, sizeof lower);
    std::memcpy(args.upper.bytes, &upper, sizeof upper);
    const int e = simt::launch_kernel(
        "histogram", g.grid, g.threads, g.shared_bytes,
        [](const gp__with_input<gp__histogram_args> &all) {
          gp__histogram<P, ALGORITHM, gp__even_bins<T>, T, W, C, Source>(all);
        },
        with(args, data.input));
    std::vector<C> expected(bins);
    for (size_t i = 0; i < n; ++i) {
      const T x = data.elements[i];
      if (x >= lower && x < upper)
        expected[size_t((unsigned __int128)(x - lower) * bins / T(upper - lower))] += weighted ? C(weights[i]) : C(1);
    }
    size_t b = 0;
    while (b < bins && out.data[b] == expected[b]) ++b;
    check(!e && b == bins, what + " histogram of " + std::to_string(bins) + ", bin " + std::to_string(b));
    simt::clear_error();
  }
  static void bound(const std::string &what, const Data<T> &data) {
    const size_t n = data.elements.size();
    std::vector<T> sorted(random32() % 500);
    for (auto &x : sorted) x = n && random32() % 2 ? data.elements[random32() % n] : draw<T>();
    std::sort(sorted.begin(), sorted.end());
    Device<T> in(sorted, 1);
    Device<u32> out(n);
    gp__search_args args = {};
    args.sorted = in.data, args.length = sorted.size(), args.out = out.data, args.count = n;
    const int e = simt::launch_kernel(
        "bound", 3, P::threads, 0,
        [](const gp__with_input<gp__search_args> &all) { gp__bound<P, true, T, gp_less<T>, u32, Source>(all); },
        with(args, data.input));
    size_t i = 0;
    for (; i < n; ++i)
      if (out.data[i] != std::upper_bound(sorted.begin(), sorted.end(), data.elements[i]) - sorted.begin()) break;
    check(!e && i == n, what + " upper bound, element " + std::to_string(i));
    simt::clear_error();
  }
  static void all(const std::string &what, const Data<T> &data) {
    bound(what, data);
    if (sizeof(T) == 8) return; // bins of 8 bytes end with padding, which the race build takes for elements
    histogram<GP_SHARED_BINS, gp__none, u32>(what, data);
#ifndef TEST_FEW
    histogram<GP_GLOBAL_BINS, gp__none, u64>(what, data);
    histogram<GP_SHARED_BINS, u16, u32>(what, data);
    histogram<GP_SHARED_BINS, u16, float>(what, data);
#endif
  }
};
template<class P, class D, class Make> void sweep_select(const char *name, int seeds, const Make &make) {
  if (!only.empty() && only != name) return;
  const size_t tile = size_t(P::threads) * P::vectors * 16;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {size_t(0), size_t(1), size_t(33), tile / 2, tile + 1, 3 * tile + 7}) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      Data<typename D::type> data;
      const auto kept = make(n, seed, data);
      Select<P, D>::all(describe(name, n, 0, 0, 3, unsigned(seed)), data, size_t(seed % 5));
      Count<P, D>::all(describe(name, n, 0, 0, 3, unsigned(seed)), data);
      (void)kept;
    }
}

// make(n, seed) gives the data of n elements, whose device memory the maker keeps.
template<class P, class D, class Op, class Make> void sweep(const char *name, int seeds, const Make &make) {
  typedef typename D::type T;
  if (!only.empty() && only != name) return;
  const size_t tile = size_t(P::threads) * P::vectors * gp__vector_items(sizeof(T));
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {size_t(0), size_t(1), size_t(17), tile - 1, tile, tile + 1, 7 * tile + 5, 20 * tile + 3}) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      Data<T> data;
      const auto kept = make(n, seed, data); // lives as long as the launches
      const size_t offset = seed % 3 ? random32() % 16 : 0;
      const std::string what = describe(name, n, size_t(seed % 2), offset, 3, unsigned(seed));
      Read<P, D>::map(what, data, offset);
      Read<P, D>::template reduce<GP_EVEN_SHARE, Op>(what, data);
      Read<P, D>::template scan<GP_LOOK_BACK, Op>(what, data, offset);
      Read<P, D>::find(what, data);
      Read<P, D>::template segments<gp__offset_ends<u32>, Op>(what, data, GP_MERGE_PATH);
      Read<P, D>::template segments<gp__offset_ends<u32>, Op>(what, data, GP_WARP_SEGMENTS);
#ifndef TEST_FEW
      Read<P, D>::template segments<gp__range_ends<u32>, Op>(what, data, GP_MERGE_PATH);
      Read<P, D>::template segments<gp__fixed_ends, Op>(what, data, GP_MERGE_PATH);
      Read<P, D>::template segments<gp__fixed_ends, Op>(what, data, GP_WARP_SEGMENTS);
      Read<P, D>::template reduce<GP_STEALING, Op>(what, data);
      Read<P, D>::template scan<GP_THREE_SWEEP, Op>(what, data, offset);
#endif
      (void)kept;
    }
}
template<class P, class D, class Make> void sweep_second(const char *name, int seeds, const Make &make) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 31, 1000, 5003}) {
      Data<typename D::type> data;
      const auto kept = make(n, seed, data);
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      Read<P, D>::map2(describe(name, n, 0, 0, 3, unsigned(seed)), data, size_t(seed % 5));
      (void)kept;
    }
}

template<class T> std::vector<T> drawn(size_t n) {
  std::vector<T> x(n);
  for (auto &one : x) one = draw<T>();
  return x;
}
template<class T> void constant(Data<T> &data, int number, const T &value) {
  std::memcpy(data.input.value[number].bytes, &value, sizeof value);
}
template<class T> void ramp(Data<T> &data, int number, const T &start, const T &step) {
  std::memcpy(data.input.value[number].bytes, &start, sizeof start);
  std::memcpy(&data.input.step[number], &step, sizeof step);
}

struct TimesPlus { // of a user: a * 3 + b, of two types
  u32 operator()(u32 a, u16 b) const { return a * 3 + b; }
};
struct Halves {
  u16 low, high;
};
struct Join {
  u32 operator()(const Halves &x) const { return u32(x.low) | u32(x.high) << 16; }
};
struct Mixed { // members of several sizes, with padding
  u8 a;
  u32 b;
  u16 c;
  u64 d;
};
struct Hash {
  u64 operator()(const Mixed &x) const { return x.a * 1000003ull + x.b * 10007ull + x.c * 101ull + x.d; }
};

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, 3, 3, 3, 2, 2> P1;
  typedef gp__policy<96, 3, 1, 1, 3, 2, 1> P3;
  typedef std::vector<std::shared_ptr<void>> Kept;
  // Keeps an array on the device, at an offset of elements.
  const auto array = [](auto &data, int number, const auto &x, size_t offset, Kept &kept) {
    typedef typename std::decay<decltype(x[0])>::type T;
    const std::shared_ptr<Device<T>> device = std::make_shared<Device<T>>(x, offset);
    data.input.array[number] = device->data;
    kept.push_back(device);
  };

  const auto of_array = [&](size_t n, int seed, Data<u32> &data) {
    Kept kept;
    data.elements = drawn<u32>(n);
    array(data, 0, data.elements, size_t(seed % 5), kept);
    return kept;
  };
  sweep<P1, gp__input_array<u32, 0>, gp_sum<u32>>("array u32", seeds, of_array);

  const auto of_gathered = [&](size_t n, int seed, Data<u32> &data) {
    Kept kept;
    const std::vector<u32> base = drawn<u32>(n / 3 + 1);
    std::vector<u32> index(n);
    for (auto &i : index) i = u32(random32() % base.size());
    for (u32 i : index) data.elements.push_back(base[i]);
    array(data, 1, base, 0, kept);
    array(data, 0, index, size_t(seed % 4), kept);
    return kept;
  };
  sweep<P3, gp__input_gathered<gp__input_array<u32, 1>, gp__input_array<u32, 0>>, gp_sum<u32>>(
      "gathered", seeds, of_gathered);
  sweep_second<P1, gp__input_gathered<gp__input_array<u32, 1>, gp__input_array<u32, 0>>>(
      "gathered second", seeds, of_gathered);

  sweep_select<P1, gp__input_gathered<gp__input_array<u32, 1>, gp__input_array<u32, 0>>>(
      "select gathered", seeds, of_gathered);

  const auto of_two = [&](size_t n, int seed, Data<u32> &data) {
    Kept kept;
    const std::vector<u32> a = drawn<u32>(n);
    const std::vector<u16> b = drawn<u16>(n);
    for (size_t i = 0; i < n; ++i) data.elements.push_back(a[i] * 3 + b[i]);
    array(data, 0, a, size_t(seed % 3), kept);
    array(data, 3, b, size_t(seed % 7), kept);
    return kept;
  };
  sweep<P3, gp__input_mapped<TimesPlus, u32, gp__input_array<u32, 0>, gp__input_array<u16, 3>>, gp_sum<u32>>(
      "mapped two", seeds, of_two);

  const auto of_strided = [&](size_t n, int seed, Data<u16> &data) { // also backwards, and one element
    Kept kept;
    const int strides[] = {1, -1, 5, -3, 0};
    const int stride = strides[seed % 5];
    const std::vector<u16> a = drawn<u16>(n * 5 + 1);
    array(data, 0, a, size_t(seed % 3), kept);
    const size_t first = stride < 0 ? size_t(-stride) * n : 0;
    data.input.array[0] = static_cast<const u16 *>(data.input.array[0]) + first;
    data.input.stride[0] = stride;
    for (size_t i = 0; i < n; ++i) data.elements.push_back(a[size_t(int64_t(first) + int64_t(i) * stride)]);
    return kept;
  };
  sweep<P1, gp__input_strided<u16, 0>, gp_sum<u16>>("strided u16", seeds, of_strided);

  sweep_select<P3, gp__input_strided<u16, 0>>("select strided", seeds, of_strided);

#ifndef TEST_FEW
  const auto of_ramp = [&](size_t n, int seed, Data<u64> &data) {
    const u64 start = random32(), step = seed % 2 ? 1 : ~u64(2);
    ramp(data, 2, start, step);
    for (size_t i = 0; i < n; ++i) data.elements.push_back(start + i * step);
    return 0;
  };
  sweep<P3, gp__input_ramp<u64, 2>, gp_sum<u64>>("ramp u64", seeds, of_ramp);
  sweep_select<P1, gp__input_ramp<u64, 2>>("select a ramp", seeds, of_ramp);
  const auto of_constant = [&](size_t n, int, Data<u8> &data) {
    const u8 value = draw<u8>();
    constant(data, 3, value);
    data.elements.assign(n, value);
    return 0;
  };
  sweep<P1, gp__input_constant<u8, 3>, gp_sum<u8>>("constant u8", seeds, of_constant);

  const auto of_bytes = [&](size_t n, int seed, Data<u8> &data) { // sums of bytes have steps of their own
    Kept kept;
    data.elements = drawn<u8>(n);
    array(data, 0, data.elements, size_t(seed % 17), kept);
    return kept;
  };
  sweep<P1, gp__input_array<u8, 0>, gp_sum<u8>>("array u8", seeds, of_bytes);

  // Elements that do not divide a vector, and an order that matters.
  const auto of_triples = [&](size_t n, int seed, Data<Triple> &data) {
    Kept kept;
    const std::vector<Triple> base = drawn<Triple>(50);
    std::vector<long long> index(n);
    for (auto &i : index) i = random32() % 50;
    for (long long i : index) data.elements.push_back(base[size_t(i)]);
    array(data, 5, base, size_t(seed % 3), kept);
    array(data, 4, index, size_t(seed % 2), kept);
    return kept;
  };
  sweep<P1, gp__input_gathered<gp__input_array<Triple, 5>, gp__input_array<long long, 4>>, AddTriple>(
      "gathered structs", seeds, of_triples);
  const auto of_affine = [&](size_t n, int seed, Data<Affine> &data) {
    Kept kept;
    const std::vector<u32> a = drawn<u32>(n), b = drawn<u32>(n);
    for (size_t i = 0; i < n; ++i) data.elements.push_back(Affine{a[i], b[i]});
    array(data, 0, a, size_t(seed % 4), kept);
    array(data, 1, b, size_t(seed % 3), kept);
    return kept;
  };
  sweep<P3, gp__input_zipped<Affine, gp__input_array<u32, 0>, gp__input_array<u32, 1>>, Compose>(
      "zipped, not commutative", seeds, of_affine);

  // Nested: a join of zipped strided parts of one array, at indices that a ramp makes: a transposed walk.
  typedef gp__input_zipped<Halves, gp__input_strided<u16, 0>, gp__input_strided<u16, 1>> Parts;
  const auto of_nested = [&](size_t n, int, Data<u32> &data) {
    Kept kept;
    const std::vector<u16> a = drawn<u16>(2 * n + 2);
    array(data, 0, a, 0, kept);
    data.input.array[1] = static_cast<const u16 *>(data.input.array[0]) + 1;
    data.input.stride[0] = data.input.stride[1] = 2;
    const long long start = (long long)n - 1, step = -1;
    std::memcpy(data.input.value[0].bytes, &start, sizeof start);
    std::memcpy(&data.input.step[0], &step, sizeof step);
    for (size_t i = 0; i < n; ++i) {
      const size_t k = n - 1 - i;
      data.elements.push_back(u32(a[2 * k]) | u32(a[2 * k + 1]) << 16);
    }
    return kept;
  };
  sweep<P1, gp__input_mapped<Join, u32, gp__input_gathered<Parts, gp__input_ramp<long long, 0>>>, gp_sum<u32>>(
      "nested", seeds, of_nested);

  typedef gp__input_zipped<Mixed, gp__input_array<u8, 0>, gp__input_array<u32, 1>, gp__input_array<u16, 2>,
      gp__input_ramp<u64, 1>>
      Four;
  const auto of_four = [&](size_t n, int seed, Data<u64> &data) {
    Kept kept;
    const std::vector<u8> a = drawn<u8>(n);
    const std::vector<u32> b = drawn<u32>(n);
    const std::vector<u16> c = drawn<u16>(n);
    array(data, 0, a, size_t(seed % 9), kept);
    array(data, 1, b, size_t(seed % 4), kept);
    array(data, 2, c, size_t(seed % 6), kept);
    ramp<u64>(data, 1, 7, 11);
    for (size_t i = 0; i < n; ++i) data.elements.push_back(Hash()(Mixed{a[i], b[i], c[i], 7 + 11 * u64(i)}));
    return kept;
  };
  sweep<P3, gp__input_mapped<Hash, u64, Four>, gp_sum<u64>>("zipped four", seeds, of_four);
  const auto of_three = [&](size_t n, int seed, Data<Triple> &data) {
    Kept kept;
    std::vector<int> a(n), b(n);
    for (size_t i = 0; i < n; ++i) a[i] = int(random32() % 1000), b[i] = int(random32() % 1000); // sums fit
    array(data, 0, a, size_t(seed % 4), kept);
    array(data, 1, b, size_t(seed % 4), kept);
    int one = -5;
    std::memcpy(data.input.value[0].bytes, &one, sizeof one);
    for (size_t i = 0; i < n; ++i) data.elements.push_back(Triple{a[i], b[i], one});
    return kept;
  };
  sweep<P1, gp__input_zipped<Triple, gp__input_array<int, 0>, gp__input_array<int, 1>, gp__input_constant<int, 0>>,
      AddTriple>("zipped three", seeds, of_three);
#endif
  return finish();
}
