// The histograms of gpuprims.h under the emulator: types, counters, bins, channels, weights and alignments against a
// sequential reference, on adversarial schedules. Usage: test_histogram [seeds] [name of a test] Define one of
// TEST_HISTOGRAM_SHARED, TEST_HISTOGRAM_GLOBAL, TEST_HISTOGRAM_ORDERED, TEST_HISTOGRAM_CLUSTER to compile that part
// alone; TEST_FEW compiles only the instances that mutants.py needs.
#if !defined(TEST_HISTOGRAM_SHARED) && !defined(TEST_HISTOGRAM_GLOBAL) && !defined(TEST_HISTOGRAM_ORDERED) && \
    !defined(TEST_HISTOGRAM_CLUSTER)
#define TEST_HISTOGRAM_SHARED
#define TEST_HISTOGRAM_GLOBAL
#define TEST_HISTOGRAM_ORDERED
#define TEST_HISTOGRAM_CLUSTER
#endif
#include "kernel_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

__extension__ typedef __int128 i128;

template<> struct Device<gp__none> { // no weights
  gp__none *data = nullptr;
  Device(const std::vector<gp__none> &, size_t) {}
};

// ---- the reference

template<class T> constexpr bool is_float = gp__traits<T>::kind == GP__FLOAT;

// Even bins do not follow from bins + 1 limits but from the contract's formula. `through`: the type's largest value is
// in the last bin, whatever `upper` is. -1: in no bin.
template<class T> long long even_bin(T x, T lower, T upper, bool through, long long bins) {
  if constexpr (is_float<T>) {
    typedef typename gp__traits<T>::wide F;
    const F v = x, low = lower, high = upper, scale = F(bins) / (high - low);
    if (!(v >= low && v < high)) return -1;
    const F q = (v - low) * scale;
    return q < F(bins) ? (long long)q : bins - 1;
  } else {
    const i128 end = through ? i128(std::numeric_limits<T>::max()) + 1 : i128(upper);
    if (i128(x) < i128(lower) || i128(x) >= end) return -1;
    return (long long)((i128(x) - lower) * bins / (end - lower));
  }
}
template<class T> long long range_bin(T x, const T *boundaries, long long bins) {
  for (long long i = 0, end = bins; i < end;) { // bisection, unlike the kernel
    const long long middle = (i + end) / 2;
    if (boundaries[middle] <= x && x < boundaries[middle + 1]) return middle;
    if (x < boundaries[middle]) end = middle;
    else if (boundaries[middle + 1] <= x) i = middle + 1;
    else return -1; // NaN
  }
  return -1;
}

// ---- one call

struct Options {
  size_t offset, weight_offset; // elements
  int sms, channels, active;
  long long bins;
  unsigned replicas; // 0: from the policy
  bool count_on_device, through;
  int data; // kind of samples, see fill
};

template<class W> void fill_weights(std::vector<W> &w, bool exact) {
  for (auto &x : w) {
    if constexpr (is_float<W>) x = exact ? W(float(random32() % 64)) : W(float(random32()) * 1e-7f - 100.f);
    else x = W(random32() % 100);
  }
}
static void fill_weights(std::vector<gp__none> &, bool) {}

template<class T> T from_bits() {
  if constexpr (is_float<T>) return T(float(int(random32() % 40000) - 20000) * 0.01f);
  else return T(u64(random32()) << 32 | random32());
}
template<> double from_bits<double>() { return double(int(random32() % 40000) - 20000) * 0.01; }

template<int ALGORITHM, class P, bool RANGES, class T, class W, class C> struct Histogram {
  typedef typename std::conditional<RANGES, gp__range_bins<T>, gp__even_bins<T>>::type Bins;
  static constexpr bool weighted = !std::is_same<W, gp__none>::value;

  // Bin limits for a channel, in the middle of the samples' values or over all of them.
  static void limits(const Options &o, int channel, T &lower, T &upper) {
    if (is_float<T>) {
      lower = T(float(-50 - channel)), upper = T(float(37 + channel));
      if (o.data == 3) upper = T(float(lower) + float(o.bins)); // a bin for each whole number
      return;
    }
    const bool sign = gp__traits<T>::kind == GP__SIGNED;
    const u64 all = sizeof(T) == 8 ? ~0ull : (1ull << (8 * sizeof(T))) - 1;
    const u64 low = sign ? all / 2 + 1 : 0; // its lowest value, as bits
    const u64 first = o.data == 1 ? 0 : all / 5 + u64(channel) * 3;
    const u64 width = o.data == 3 ? u64(o.bins) * (sizeof(T) > 1 ? 4 : 1) : all / 2 + u64(channel);
    lower = T(low + first), upper = T(low + first + std::min(width, all - first));
  }
  static T sample(const Options &o, const T &lower, const T &upper) {
    const unsigned r = random32();
    if (is_float<T> && r % 50 == 0) return T(std::nanf(""));
    if (o.data == 2 && r % 1000) return lower; // nearly constant
    if (o.data == 3 && r % 4) { // a few values, and the ends
      const unsigned which = (r >> 8) % 8;
      if (is_float<T>) return which < 2 ? (which ? upper : lower) : T(float(lower) + float(r >> 16 & 15));
      return which < 2 ? (which ? upper : lower) : T(u64(lower) + (r >> 16 & 15));
    }
    return from_bits<T>();
  }

  static std::vector<C> run(const char *name, size_t n, const Options &o, unsigned seed, bool exact_weights = true,
      const std::vector<T> *given = nullptr, const std::vector<W> *given_weights = nullptr) {
    char text[240];
    std::snprintf(text, sizeof text,
        "%s n=%zu bins=%lld channels=%d/%d offsets=%zu,%zu sms=%d data=%d replicas=%u "
        "seed=%u:",
        name, n, o.bins, o.active, o.channels, o.offset, o.weight_offset, o.sms, o.data, o.replicas, seed);
    std::vector<T> lower(o.active), upper(o.active), boundaries;
    std::vector<T> input(n * o.channels);
    std::vector<W> weights(weighted ? n : 0);
    for (int c = 0; c < o.active; ++c) limits(o, c, lower[c], upper[c]);
    for (size_t i = 0; i < input.size(); ++i) {
      const int c = int(i % o.channels) % o.active;
      input[i] = sample(o, lower[c], upper[c]);
    }
    fill_weights(weights, exact_weights);
    if (given) input = *given;
    if (given_weights) weights = *given_weights;
    if (RANGES)
      for (int c = 0; c < o.active; ++c) { // rising, some of them equal, uneven
        std::vector<T> b(o.bins + 1);
        for (auto &x : b) do
            x = from_bits<T>();
          while (x != x);
        const bool all_equal = random32() % 2;
        for (auto &x : b) // crowded in one place; or most of them equal
          if (o.data == 1 && random32() % 8) x = is_float<T> ? T(float(x) * 1e-3f) : T(x / T(64));
          else if (o.data == 2 && (all_equal || random32() % 4)) x = b[0];
        if (is_float<T> && o.data == 3) {
          b[0] = T(-std::numeric_limits<float>::infinity());
          if (random32() % 2) b[o.bins] = T(std::numeric_limits<float>::infinity());
        }
        std::sort(b.begin(), b.end());
        boundaries.insert(boundaries.end(), b.begin(), b.end());
        for (size_t i = 0; i < n && !given; ++i) // values on a boundary
          if (random32() % 2) input[i * o.channels + c] = b[random32() % b.size()];
      }

    Device<T> in(input, o.offset);
    Device<W> in2(weights, o.weight_offset);
    Device<T> table(boundaries, seed % 3);
    Device<C> out(size_t(o.active) * o.bins, seed % 2);
    Device<u64> count(std::vector<u64>(1, n), 0);
    gp__shape s = {};
    s.primitive = RANGES ? GP_HISTOGRAM_RANGES : GP_HISTOGRAM_EVEN;
    s.in_size = sizeof(T), s.in2_size = weighted ? sizeof(W) : 0, s.out_size = sizeof(C), s.exact = !is_float<C>;
    s.histogram.by_ranges = RANGES, s.histogram.channels = o.channels, s.histogram.active = o.active,
    s.histogram.bins = o.bins;
    s.compute_capability = 90, s.multiprocessors = o.sms, s.shared_bytes = 227 * 1024;
    s.count = n + (o.count_on_device ? 1000 : 0);
    const gp_policy p = policy_of<P>(ALGORITHM);
    gp__geometry g = {};
    if (!gp__policy_valid_histogram(p, &s)) {
      check(false, std::string(text) + " the policy is not valid");
      return {};
    }
    gp__geometry_histogram(p, &s, u64(o.sms) * P::blocks_per_sm, &g);
    if (o.replicas && g.replicas > o.replicas) {
      g.shared_bytes -= unsigned((g.replicas - o.replicas) * gp__histogram_copy_bytes(p, &s)) / 16 * 16;
      g.replicas = o.replicas;
    }
    gp__histogram_args a = {};
    a.in = in.data, a.weights = in2.data, a.boundaries = table.data, a.out = out.data, a.count = s.count;
    a.count_device = o.count_on_device ? count.data : nullptr, a.bins = o.bins;
    a.channels = o.channels, a.active = o.active, a.replicas = g.replicas;
    a.workspace = g.words ? workspace(g.words) : nullptr;
    for (int c = 0; c < o.active && !RANGES; ++c) {
      const T high = o.through ? std::numeric_limits<T>::min() : upper[c]; // the one beyond the largest wraps
      std::memcpy(a.lower.bytes + c * sizeof(T), &lower[c], sizeof(T));
      std::memcpy(a.upper.bytes + c * sizeof(T), &high, sizeof(T));
    }
    if (ALGORITHM == GP_ONE_CLUSTER) {
      check(g.grid <= 16 && !g.words, std::string(text) + " one cluster, no words");
      simt::config.cluster = g.grid;
      simt::config.resident = std::max(simt::config.resident, g.grid);
    }
    const int e =
        simt::launch_kernel(name, g.grid, g.threads, g.shared_bytes, gp__histogram<P, ALGORITHM, Bins, T, W, C>, a);
    simt::config.cluster = 1;

    std::vector<C> expected(size_t(o.active) * o.bins), got(out.data, out.data + expected.size());
    for (size_t i = 0; i < n; ++i)
      for (int c = 0; c < o.active; ++c) {
        const T x = input[i * o.channels + c];
        const long long bin = RANGES ? range_bin(x, boundaries.data() + c * (o.bins + 1), o.bins)
            : even_bin(x, lower[c], upper[c], o.through, o.bins);
        if (bin >= 0) expected[c * o.bins + bin] += weight(weights, i);
      }
    size_t wrong = expected.size();
    for (size_t i = 0; i < expected.size() && wrong == expected.size() && exact_weights; ++i)
      if (!(got[i] == expected[i])) wrong = i;
    check(!e && wrong == expected.size(),
        std::string(text) + " blocks=" + std::to_string(g.grid) +
            (wrong < expected.size() ? " wrong in bin " + std::to_string(wrong) : ""));
    simt::clear_error();
    return got;
  }
  template<class X> static C weight(const std::vector<X> &w, size_t i) { return gp_convert<X, C>()(w[i]); }
  static C weight(const std::vector<gp__none> &, size_t) { return C(1); }

  static void sweep(const char *name, int seeds, const std::vector<long long> &bins, int most_channels = 4) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * 16 / sizeof(T);
    const size_t sizes[] = {0, 1, 7, tile - 1, 3 * tile + 5, 13 * tile / 2, 40 * tile + 3};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + k);
        Options o = {};
        o.offset = seed % 2 ? 0 : random32() % 16;
        o.weight_offset = seed % 3 ? 0 : random32() % 16;
        o.sms = seed % 3 == 0 ? 100 : 1 + int(random32() % 5);
        o.channels = (seed + k) % 4 == 3 ? 1 + int(random32() % most_channels) : 1;
        o.active = o.channels > 1 ? 1 + int(random32() % unsigned(o.channels)) : 1;
        o.bins = bins[random32() % bins.size()];
        if (ALGORITHM != GP_GLOBAL_BINS && !is_float<C> && o.bins * o.channels * P::blocks_per_sm > 50000)
          o.channels = o.active = 1; // a block holds no more
        if (ALGORITHM == GP_ONE_CLUSTER && o.bins * o.channels > 9000) o.channels = o.active = 1;
        o.replicas = seed % 4 == 2 ? 1u << (k + 1) % 3 : 0;
        o.data = int((seed + k / 2) % 4);
        o.count_on_device = seed % 4 == 3;
        o.through = !is_float<T> && !RANGES && random32() % 3 == 0;
        run(name, sizes[k], o, unsigned(seed));
      }
  }
};

// Weights with rounded sums: the bits must not depend on the schedule.
template<class H, class T, class W> void is_deterministic(const char *name, int seeds, long long bins) {
  if (!only.empty() && only != name) return;
  Options o = {};
  o.sms = 20, o.channels = o.active = 1, o.bins = bins, o.offset = 1;
  std::vector<T> input(9001);
  std::vector<W> weights(input.size());
  for (auto &x : input) x = random32() % 3 ? T(float(int(random32() % 40000) - 20000) * 0.01f) : T(1.f);
  fill_weights(weights, false);
  decltype(H::run(name, 0, o, 0)) first;
  for (int seed = 1; seed <= seeds + 2; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    random_state = 2463534242ull; // the same boundaries
    const auto now = H::run(name, input.size(), o, 1, false, &input, &weights);
    if (seed == 1) first = now;
    check(now.size() == first.size() && !std::memcmp(now.data(), first.data(), now.size() * sizeof now[0]),
        std::string(name) + " same bits");
  }
}

// Two neighbours that share a word of 16-bit counters and pass 2^16 together.
template<class H> void halves_overflow(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  Options o = {};
  o.sms = 2, o.channels = o.active = 1, o.bins = 65536, o.data = 1, o.through = true;
  for (int seed = 1; seed <= (seeds + 3) / 4; ++seed) {
    if (!has_turn()) continue;
    simt::set_random_schedule(uint64_t(seed));
    std::vector<u16> input(280000);
    for (size_t i = 0; i < input.size(); ++i) input[i] = u16(4000 + (i + (random32() % 64 == 0)) % 2);
    o.sms = seed % 2 ? 2 : 1;
    H::run(name, input.size(), o, unsigned(seed), true, &input);
  }
}

// A policy's launch plan, without a launch.
static void geometries() {
  if (!only.empty() && only != "geometries") return;
  gp__shape s = {};
  s.primitive = GP_HISTOGRAM_EVEN, s.in_size = 1, s.out_size = 4, s.exact = 1,
  s.histogram.channels = s.histogram.active = 1, s.histogram.bins = 256;
  s.compute_capability = 90, s.multiprocessors = 132, s.shared_bytes = 227 * 1024, s.count = 1ull << 30;
  gp_policy none = {};
  const int archs[] = {75, 80, 86, 90, 100, 120}, sizes[] = {1, 2, 4, 8};
  for (int arch : archs)
    for (int size : sizes)
      for (int counter = 0; counter < 3; ++counter) // u32, u64 with weights, f32 with weights
        for (int ranges = 0; ranges < 2; ++ranges)
          for (long long bins : {1, 255, 256, 1000, 4096, 10000, 16384, 30000, 49152, 65536, 1000000})
            for (u64 count : {0ull, 1000ull, 1000000ull, 1ull << 33}) {
              gp__shape t = s;
              t.compute_capability = arch, t.shared_bytes = gp__shared_bytes_of(arch), t.in_size = size;
              t.histogram.bins = u64(bins), t.count = count, t.histogram.by_ranges = ranges, t.exact = counter < 2;
              t.in2_size = counter ? 4 : 0, t.out_size = counter == 1 ? 8 : 4;
              gp_policy p = gp__portable_histogram(none, &t);
              gp__geometry g = {};
              gp__geometry_histogram(p, &t, u64(132) * unsigned(p.blocks_per_sm), &g);
              if (!gp__policy_valid_histogram(p, &t) || g.shared_bytes > unsigned(t.shared_bytes) || !g.grid ||
                  (p.algorithm == GP_SHARED_BINS && !g.replicas && !gp__histogram_halves(p, &t)))
                check(false,
                    "the portable policy is valid: arch " + std::to_string(arch) + " size " + std::to_string(size) +
                        " bins " + std::to_string(bins));
              else ++passed;
            }
  gp_policy p = gp__portable_histogram(none, &s);
  gp__geometry g = {};
  gp__geometry_histogram(p, &s, 132, &g);
  check(p.algorithm == GP_SHARED_BINS && p.threads == 512 && p.blocks_per_sm == 3 && g.replicas == 32,
      "256 bins: a copy a lane, three blocks a multiprocessor");
  gp__shape less = s;
  less.count = 1 << 24;
  p = gp__portable_histogram(none, &less);
  gp__geometry_histogram(p, &s, 132, &g);
  check(p.threads == 1024 && p.blocks_per_sm == 1 && g.replicas == 32 && g.grid == 132, "a block a multiprocessor");
  less.count = 1 << 20;
  p = gp__portable_histogram(none, &less);
  check(p.threads == 512 && p.blocks_per_sm == 2 && gp__histogram_replicas(p, &s) == 32, "small: more blocks");
  for (const int arch : {80, 89, 90, 100, 119, 120}) { // 256 bins of bytes by a cluster, where there are clusters
    gp__shape t = s;
    t.compute_capability = arch, t.count = 512 << 10;
    const gp_policy q = gp__portable_histogram(none, &t);
    check((q.algorithm == GP_ONE_CLUSTER) == (arch >= 90 && arch < 120), "a cluster for arch " + std::to_string(arch));
    t.count += 1;
    check(gp__portable_histogram(none, &t).algorithm == GP_SHARED_BINS, "no cluster for more samples");
    t.count = 1 << 10, t.histogram.bins = 9000, t.in_size = 2;
    check(gp__portable_histogram(none, &t).algorithm != GP_ONE_CLUSTER, "no cluster for more bins");
    t.count = 9002;
    check(gp__portable_histogram(none, &t).algorithm == q.algorithm, "a cluster for more bins of more samples");
    t.count = t.histogram.bins = 17000;
    check(gp__portable_histogram(none, &t).algorithm != GP_ONE_CLUSTER, "no cluster for still more bins");
    t.count = 32 << 10, t.histogram.bins = 256, t.in_size = 4, t.histogram.by_ranges = 1;
    check(gp__portable_histogram(none, &t).algorithm == q.algorithm, "a cluster searches");
    t.count += 1;
    check(gp__portable_histogram(none, &t).algorithm == GP_SHARED_BINS, "no cluster searches for more");
    t.count = 1000, t.histogram.channels = 2;
    check(gp__portable_histogram(none, &t).algorithm == GP_SHARED_BINS, "no cluster for channels");
    t.histogram.channels = 1, t.in2_size = 4;
    check(gp__portable_histogram(none, &t).algorithm == GP_SHARED_BINS, "no cluster for weights");
    gp_policy alone = q;
    alone.algorithm = GP_ONE_CLUSTER;
    t = s, t.compute_capability = arch, t.count = (1ull << 31) - 1;
    check(gp__policy_valid_histogram(alone, &t) == (arch >= 90 && arch < 120), "few enough samples for a cluster");
    ++t.count;
    check(!gp__policy_valid_histogram(alone, &t), "too many samples for a cluster");
  }
  const struct {
    u64 vectors;
    unsigned blocks;
  } clusters[] = {{0, 1}, {1, 1}, {63, 1}, {64, 2}, {255, 4}, {256, 5}, {511, 8}, {512, 8}, {2047, 8}, {2048, 9},
      {3839, 15}, {3840, 16}, {1ull << 31, 16}};
  for (const auto &c : clusters)
    check(gp__histogram_blocks(c.vectors, 256) == c.blocks, "a cluster for " + std::to_string(c.vectors) + " vectors");
  s.count = 1ull << 45;
  gp__geometry_histogram(p, &s, 132, &g);
  check(g.grid == 1u << 14, "no block sees 2^32 samples");
  s.count = 1ull << 30, s.in_size = 4, s.histogram.bins = 48 << 10;
  p = gp__portable_histogram(none, &s);
  gp__geometry_histogram(p, &s, 132, &g);
  check(p.algorithm == GP_SHARED_BINS && g.replicas == 1 && g.shared_bytes < 193 << 10, "48 Ki bins on chip");
  s.histogram.bins = 64 << 10;
  p = gp__portable_histogram(none, &s);
  gp__geometry_histogram(p, &s, 132, &g);
  check(p.algorithm == GP_SHARED_BINS && g.replicas == 0 && g.shared_bytes < 129 << 10, "64 Ki bins in halves");
  s.count = 1000;
  check(gp__portable_histogram(none, &s).algorithm == GP_GLOBAL_BINS, "few samples, many bins");
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 2, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Small;
  [[maybe_unused]] typedef gp__policy<128, 1, GP_CACHE_STREAMING, GP_CACHE_ALL, 0, 1, 1> Larger;
#define HISTOGRAM(name, algorithm, P, ranges, T, W, C, ...) \
  Histogram<algorithm, P, ranges, T, W, C>::sweep(name, seeds, __VA_ARGS__)

#ifdef TEST_HISTOGRAM_SHARED
  HISTOGRAM("shared u16", GP_SHARED_BINS, Small, false, u16, gp__none, u32, {1, 3, 256, 1000, 20000});
  typedef Histogram<GP_SHARED_BINS, Larger, false, u16, gp__none, u32> Halves;
  Halves::sweep("shared halves", seeds, {57700, 65536, 100001}, 1);
  halves_overflow<Halves>("shared halves overflow", seeds);
  HISTOGRAM("shared u8", GP_SHARED_BINS, Small, false, u8, gp__none, u32, {1, 7, 255, 256, 300, 20000});
  HISTOGRAM("shared i32 ranges", GP_SHARED_BINS, Larger, true, int, gp__none, u32, {1, 5, 1000, 4000});
#ifndef TEST_FEW
  HISTOGRAM("shared f32 ranges", GP_SHARED_BINS, Small, true, float, gp__none, u32, {1, 2, 256, 1000, 9000});
  HISTOGRAM("shared i8", GP_SHARED_BINS, Larger, false, signed char, gp__none, u64, {1, 100, 256});
  HISTOGRAM("shared i32", GP_SHARED_BINS, Small, false, int, gp__none, u64, {1, 256, 1000, 4096});
  HISTOGRAM("shared u64", GP_SHARED_BINS, Small, false, u64, gp__none, u32, {1, 3, 256, 1000});
  HISTOGRAM("shared i64", GP_SHARED_BINS, Larger, false, long long, gp__none, u32, {1, 7, 4096});
  HISTOGRAM("shared f32", GP_SHARED_BINS, Larger, false, float, gp__none, u32, {1, 16, 256, 1000, 50000});
  HISTOGRAM("shared f16", GP_SHARED_BINS, Small, false, gp_f16, gp__none, u32, {1, 16, 256});
  HISTOGRAM("shared f64 by weights", GP_SHARED_BINS, Small, false, double, int, u64, {1, 16, 256});
  HISTOGRAM("shared u8 by weights", GP_SHARED_BINS, Small, false, u8, u32, u32, {1, 16, 256});
  HISTOGRAM("shared u8 ranges", GP_SHARED_BINS, Small, true, u8, gp__none, u32, {1, 16, 256, 1000});
  HISTOGRAM("shared u64 ranges", GP_SHARED_BINS, Small, true, u64, gp__none, u32, {1, 300, 2000});
#endif
#endif

#ifdef TEST_HISTOGRAM_GLOBAL
  HISTOGRAM("global u32", GP_GLOBAL_BINS, Small, false, u32, gp__none, u32, {1, 256, 5000, 100000});
#ifndef TEST_FEW
  HISTOGRAM("global u8", GP_GLOBAL_BINS, Small, false, u8, gp__none, u64, {1, 256, 5000});
  HISTOGRAM("global i16 ranges by weights", GP_GLOBAL_BINS, Larger, true, short, int, u64, {1, 255, 5000});
#endif
#endif

#ifdef TEST_HISTOGRAM_CLUSTER
  HISTOGRAM("cluster u8", GP_ONE_CLUSTER, Small, false, u8, gp__none, u32, {1, 7, 255, 256, 300, 9000});
  HISTOGRAM("cluster i32 ranges", GP_ONE_CLUSTER, Larger, true, int, gp__none, u32, {1, 5, 1000, 4000});
#ifndef TEST_FEW
  HISTOGRAM("cluster f32 ranges", GP_ONE_CLUSTER, Small, true, float, gp__none, u32, {1, 2, 256, 1000, 9000});
  HISTOGRAM("cluster i8", GP_ONE_CLUSTER, Larger, false, signed char, gp__none, u64, {1, 100, 256});
  HISTOGRAM("cluster u16", GP_ONE_CLUSTER, Small, false, u16, gp__none, u32, {1, 3, 256, 1000, 9000});
  HISTOGRAM("cluster f32", GP_ONE_CLUSTER, Larger, false, float, gp__none, u32, {1, 16, 256, 1000, 6000});
  HISTOGRAM("cluster f64 by weights", GP_ONE_CLUSTER, Small, false, double, int, u64, {1, 16, 256});
  HISTOGRAM("cluster u8 by weights", GP_ONE_CLUSTER, Small, false, u8, u32, u32, {1, 16, 256});
  HISTOGRAM("cluster u8 ranges", GP_ONE_CLUSTER, Larger, true, u8, gp__none, u32, {1, 16, 256, 1000});
#endif
#endif

#ifdef TEST_HISTOGRAM_ORDERED
  typedef Histogram<GP_SHARED_BINS, Small, false, float, float, float> Ordered;
  Ordered::sweep("ordered f32", seeds, {1, 16, 256, 1000, 30000});
  is_deterministic<Ordered, float, float>("ordered f32 bits", seeds, 37);
#ifndef TEST_FEW
  typedef Histogram<GP_SHARED_BINS, Larger, true, u8, gp_f16, double> OrderedRanges;
  OrderedRanges::sweep("ordered u8 ranges", seeds, {1, 16, 256, 12000});
  is_deterministic<OrderedRanges, u8, gp_f16>("ordered u8 ranges bits", seeds, 3);
#endif
#endif
  geometries();
  return finish();
}
