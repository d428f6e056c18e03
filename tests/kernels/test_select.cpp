// Streams of gpuprims.h under the emulator: selection, partitions, runs, scans by key and of segments, reduce by key,
// against sequential references, on adversarial schedules. Usage: test_select [seeds] [name of a test] Define one of
// TEST_SELECT, TEST_RUNS, TEST_BY_KEY, TEST_BYTES to compile that part alone; TEST_FEW compiles only the instances that
// mutants.py needs.
#if !defined(TEST_SELECT) && !defined(TEST_RUNS) && !defined(TEST_BY_KEY) && !defined(TEST_BYTES)
#define TEST_SELECT
#define TEST_RUNS
#define TEST_BY_KEY
#define TEST_BYTES
#endif
#include "kernel_test.h"

// A test's random parameters: sizes around tiles, number of multiprocessors, offsets of the buffers.
struct Draw {
  size_t n, key_offset, value_offset, out_offset;
  int sms;
  bool count_on_device, in_place;
  unsigned seed;
  std::string text(const char *name) const {
    char t[200];
    std::snprintf(t, sizeof t, "%s n=%zu offsets %zu %zu %zu sms=%d%s%s seed=%u:", name, n, key_offset, value_offset,
        out_offset, sms, in_place ? " in place" : "", count_on_device ? " count on device" : "", seed);
    return t;
  }
};
template<class Run> void sweep(const char *name, size_t tile, int seeds, const Run &run) {
  if (!only.empty() && only != name) return;
  const size_t sizes[] = {0, 1, 31, 33, tile - 1, tile, tile + 1, 3 * tile + 5, 7 * tile, 66 * tile + 1};
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      if (sizes[k] > 8 * tile && (seed + k) % 3) continue; // the long one less often
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 100 + k);
      Draw d = {};
      d.n = sizes[k];
      d.seed = unsigned(seed);
      d.key_offset = seed % 2 ? 0 : random32() % 16;
      d.value_offset = seed % 4 < 2 ? d.key_offset : random32() % 16;
      d.out_offset = seed % 3 ? random32() % 16 : 0;
      d.sms = seed % 3 == 0 ? 100 : 1 + int(random32() % 5);
      d.count_on_device = seed % 4 == 3;
      d.in_place = (seed + k) % 5 == 0;
      run(d);
      simt::clear_error();
    }
}

template<int ALGORITHM, class P, class Body> struct Stream {
  static int run(const char *name, const Draw &d, gp__shape s, gp__stream_args a) {
    Device<unsigned long long> count(std::vector<unsigned long long>(1, d.n), 0);
    s.compute_capability = 90, s.multiprocessors = d.sms, s.shared_bytes = 227 * 1024;
    s.count = a.count = d.n + (d.count_on_device ? 1000 : 0);
    a.count_device = d.count_on_device ? count.data : nullptr;
    const gp_policy p = policy_of<P>(ALGORITHM);
    check(gp__policy_valid_stream(p, &s), d.text(name) + " the policy is valid");
    gp__geometry g = {};
    g.threads = unsigned(gp__stream_threads(p));
    gp__geometry_stream(p, &s, (unsigned long long)(s.multiprocessors * p.blocks_per_sm), &g);
    typedef gp__stream<P, Body> S;
    check(g.shared_bytes == unsigned(gp__stream_stages(p) * S::STAGE + S::SCRATCH),
        d.text(name) + " shared memory as the kernel has it");
    check(int(sizeof(gp__stream_storage<(ALGORITHM == GP_PIPELINED ? P::stages : 1), S::GROUPS, typename S::State>)) <=
            gp__stream_static_bytes(p, &s),
        d.text(name) + " static shared memory as the kernel has it");
    check(gp__acc_words(gp__stream_state_bytes(s.primitive, s.stream.parts, s.acc_size)) * 8 >=
            int(sizeof(typename S::State)),
        d.text(name) + " the state fits its words");
    a.workspace = workspace(g.words);
    return launch(name, g, a, std::integral_constant<int, ALGORITHM>());
  }
  static int launch(
      const char *name, const gp__geometry &g, const gp__stream_args &a, std::integral_constant<int, GP_PIPELINED>) {
    return simt::launch_kernel(name, g.grid, g.threads, g.shared_bytes, gp__stream_pipelined<P, Body>, a);
  }
  static int launch(
      const char *name, const gp__geometry &g, const gp__stream_args &a, std::integral_constant<int, GP_LOOK_BACK>) {
    return simt::launch_kernel(name, g.grid, g.threads, g.shared_bytes, gp__stream_look_back<P, Body>, a);
  }
  static int launch(
      const char *name, const gp__geometry &g, const gp__stream_args &a, std::integral_constant<int, GP_ONE_CLUSTER>) {
    check(g.grid <= GP__CLUSTER && !g.words, std::string(name) + " is one cluster");
    simt::config.cluster = random32() % 4 ? g.grid : 1; // 1: where clusters are refused
    simt::config.resident = std::max(simt::config.resident, simt::config.cluster);
    const int e =
        simt::launch_kernel(name, simt::config.cluster, g.threads, g.shared_bytes, gp__stream_cluster<P, Body>, a);
    simt::config.cluster = 1;
    return e;
  }
};

// ---- selection

static const int DENSITIES[] = {0, 1, 50, 99, 100};

struct Two { // bytes, aligned to one
  u8 low, high;
  Two() = default;
  explicit Two(int x) : low(u8(x)), high(u8(3 * x)) {}
  bool operator<(const Two &b) const { return low < b.low; }
  bool operator==(const Two &b) const { return low == b.low && high == b.high; }
};
template<int ALGORITHM, class P, int PARTS, class T> void select_if(const char *name, int seeds) {
  typedef gp__compare<gp_less<T>> Less;
  typedef gp__compare<gp_equal<T>> Equal;
  typedef gp__select<PARTS, T, gp__none, Less, typename std::conditional<PARTS == 3, Equal, gp__none>::type> Body;
  sweep(name, gp__stream<P, Body>::TILE, seeds, [&](const Draw &d) {
    std::vector<T> input(d.n);
    const int density = DENSITIES[random32() % 5];
    for (auto &x : input) x = T(int(random32() % 100) < density ? random32() % 50 : 50 + random32() % 5);
    const T scalar = T(50);
    Device<T> in(input, d.key_offset);
    const bool in_place = d.in_place && PARTS == 1;
    std::vector<T> part[3];
    for (const T &x : input) part[x < scalar ? 0 : PARTS == 3 && x == scalar ? 1 : PARTS - 1].push_back(x);
    if (PARTS == 1) part[0].clear();
    if (PARTS == 1)
      for (const T &x : input)
        if (x < scalar) part[0].push_back(x);
    Device<T> out(in_place ? 0 : part[0].size(), d.out_offset), out2(PARTS > 1 ? part[1].size() : 0, d.value_offset),
        out3(PARTS > 2 ? part[2].size() : 0);
    Device<unsigned long long> counts(3);
    gp__shape s = {};
    s.primitive = PARTS == 1 ? GP_SELECT : GP_PARTITION, s.stream.parts = PARTS == 1 ? 0 : PARTS,
    s.key_size = sizeof(T);
    gp__stream_args a = {};
    a.keys = in.data, a.out_values = in_place ? in.data : out.data, a.out2 = out2.data, a.out3 = out3.data;
    a.out_count = counts.data;
    std::memcpy(a.first.bytes, &scalar, sizeof scalar), std::memcpy(a.second.bytes, &scalar, sizeof scalar);
    const int e = Stream<ALGORITHM, P, Body>::run(name, d, s, a);
    bool good = !e && same_items(static_cast<T *>(a.out_values), part[0]);
    for (int p = 0; p < PARTS && good; ++p) good = counts.data[p] == part[p].size();
    if (PARTS > 1) good = good && same_items(out2.data, part[1]);
    if (PARTS > 2) good = good && same_items(out3.data, part[2]);
    check(good, d.text(name));
  });
}
template<int ALGORITHM, class P, int PARTS, class T, class F> void select_flags(const char *name, int seeds) {
  typedef gp__select<PARTS, T, F, gp__flag<F>, gp__none> Body;
  sweep(name, gp__stream<P, Body>::TILE, seeds, [&](const Draw &d) {
    std::vector<T> input(d.n), part[2];
    std::vector<F> flags(d.n);
    const int density = DENSITIES[random32() % 5];
    for (size_t i = 0; i < d.n; ++i) {
      input[i] = draw<T>();
      flags[i] = int(random32() % 100) < density ? F(1 + random32() % 255) : F(0);
      part[flags[i] ? 0 : 1].push_back(input[i]);
    }
    Device<T> in(input, d.value_offset);
    Device<F> flag(flags, d.key_offset);
    const bool in_place = d.in_place && PARTS == 1;
    Device<T> out(in_place ? 0 : part[0].size(), d.out_offset), out2(PARTS > 1 ? part[1].size() : 0);
    Device<unsigned long long> counts(2);
    gp__shape s = {};
    s.primitive = PARTS == 1 ? GP_SELECT : GP_PARTITION, s.stream.parts = PARTS == 1 ? 0 : PARTS,
    s.key_size = sizeof(F);
    s.in_size = sizeof(T);
    gp__stream_args a = {};
    a.keys = flag.data, a.values = in.data, a.out_values = in_place ? in.data : out.data, a.out2 = out2.data;
    a.out_count = counts.data;
    const int e = Stream<ALGORITHM, P, Body>::run(name, d, s, a);
    bool good = !e && same_items(static_cast<T *>(a.out_values), part[0]) && counts.data[0] == part[0].size();
    if (PARTS > 1) good = good && same_items(out2.data, part[1]) && counts.data[1] == part[1].size();
    check(good, d.text(name));
  });
}

// ---- runs: keys with a mean length of run, one run over everything, or all distinct

template<class K> std::vector<K> draw_runs(size_t n) {
  std::vector<K> keys(n);
  const int mean = (int[]){1, 2, 3, 4, 30, 1000, 1 << 30}[random32() % 7];
  unsigned now = 0;
  for (size_t i = 0; i < n; ++i) {
    if (mean == 1 || (mean == 2 && i % 2) || (mean > 2 && random32() % unsigned(mean) == 0)) ++now;
    keys[i] = K(now * 7919u);
  }
  return keys;
}
template<int ALGORITHM, class P, int WHAT, class K, class V, class Length> void runs(const char *name, int seeds) {
  typedef typename std::conditional<std::is_same<Length, gp__none>::value, unsigned char, Length>::type L;
  typedef typename std::conditional<std::is_same<V, gp__none>::value, unsigned char, V>::type Payload;
  const bool payload = !std::is_same<V, gp__none>::value;
  typedef gp__runs<WHAT, gp__key_heads<K, gp_equal<K>>, V, Length> Body;
  sweep(name, gp__stream<P, Body>::TILE, seeds, [&](const Draw &d) {
    const std::vector<K> input = draw_runs<K>(d.n);
    std::vector<Payload> values(payload ? d.n : 0);
    for (auto &x : values) x = draw<Payload>();
    std::vector<K> first;
    std::vector<Payload> with;
    std::vector<L> lengths, places;
    for (size_t i = 0, j; i < d.n; i = j) {
      for (j = i + 1; j < d.n && input[j] == input[i]; ++j) {}
      if (WHAT == GP_NONTRIVIAL_RUNS && j == i + 1) continue;
      first.push_back(input[i]);
      if (payload) with.push_back(values[i]);
      lengths.push_back(L(j - i)), places.push_back(L(i));
    }
    const size_t r = first.size();
    const bool in_place = d.in_place && WHAT == GP_UNIQUE;
    Device<K> in(input, d.key_offset), keys(in_place || WHAT == GP_NONTRIVIAL_RUNS ? 0 : r, d.out_offset);
    Device<Payload> value(values, d.value_offset), out(payload && !in_place ? r : 0);
    Device<L> length(WHAT == GP_UNIQUE ? 0 : r, d.out_offset), place(WHAT == GP_NONTRIVIAL_RUNS ? r : 0);
    Device<unsigned long long> counts(1);
    gp__shape s = {};
    s.primitive = WHAT, s.key_size = sizeof(K), s.in_size = payload ? sizeof(Payload) : 0;
    gp__stream_args a = {};
    a.keys = in.data, a.values = payload ? value.data : nullptr, a.out_count = counts.data;
    a.out_keys = in_place ? in.data : WHAT == GP_NONTRIVIAL_RUNS ? nullptr : keys.data;
    a.out_values = WHAT == GP_NONTRIVIAL_RUNS ? (void *)place.data
        : !payload ? nullptr
        : in_place ? value.data
        : out.data;
    a.out2 = WHAT == GP_UNIQUE ? nullptr : length.data;
    const int e = Stream<ALGORITHM, P, Body>::run(name, d, s, a);
    bool good = !e && counts.data[0] == r;
    if (good && a.out_keys) good = same_items(static_cast<K *>(a.out_keys), first);
    if (good && payload) good = same_items(static_cast<Payload *>(a.out_values), with);
    if (good && a.out2) good = same_items(length.data, lengths);
    if (good && WHAT == GP_NONTRIVIAL_RUNS) good = same_items(place.data, places);
    check(good, d.text(name));
  });
}

// ---- scans of segments without a look-back: what a warp takes, what the block takes, more segments than blocks

template<class P, int WHAT, bool INIT, class O, class Op, class In, class Out>
void scan_segments(const char *name, int seeds) {
  typedef typename Op::type Acc;
  typedef gp__load<In, Acc, gp_convert<In, Acc>> Load;
  typedef gp__by_key<WHAT, INIT, gp__offset_heads<O>, Op, Load, In, Acc, Out> Body;
  typedef gp__segment_scans<P, Body> Scans;
  sweep(name, Scans::LONG, seeds, [&](const Draw &d) {
    const size_t most = Scans::LONG, lengths[] = {1, 2, 31, 32, 33, most, most + 1, most - 1, 5 * most + 3, most * 2};
    std::vector<In> values(d.n);
    for (auto &x : values) x = draw<In>();
    std::vector<O> offsets;
    std::vector<bool> head(d.n + 1);
    head[0] = true;
    size_t at = d.seed % 2 ? random32() % (d.n + 1) : 0; // what precedes is a segment, too
    const size_t mean = random32() % 2 ? random32() % 9 + 1 : 0, all = d.n - (d.n && d.seed % 3 == 0 ? 1 : 0);
    for (;; at += mean ? random32() % (2 * mean + 1) : lengths[random32() % 10]) {
      if (at > all) at = all;
      head[at] = true;
      offsets.push_back(O(at));
      if (at == all && random32() % 3) break;
    }
    const Acc given = gp_convert<In, Acc>()(draw<In>()), start = INIT ? Op::prepare(given) : Op::identity();
    std::vector<Out> expected;
    Acc now = start;
    for (size_t i = 0; i < d.n; ++i) {
      const Acc x = Op::prepare(Load()(values[i], i));
      if (WHAT == GP_EXCLUSIVE_SCAN_BY_KEY) expected.push_back(gp_convert<Acc, Out>()(head[i] ? start : now));
      now = head[i] ? (INIT ? Op()(start, x) : x) : Op()(now, x);
      if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) expected.push_back(gp_convert<Acc, Out>()(now));
    }
    // the count on the device cuts elements that offsets have
    if (d.count_on_device)
      for (int k = 0; k < 3; ++k) offsets.push_back(O(d.n + size_t(k) * 300));
    const bool in_place = d.in_place && sizeof(In) == sizeof(Out), bad = d.seed % 7 == 6;
    Device<O> offset(offsets, d.key_offset);
    Device<In> value(values, d.value_offset);
    Device<Out> out(in_place ? 0 : d.n, d.out_offset);
    Device<u64> wrong(std::vector<u64>(1, bad ? 3 : ~0ull), 0);
    Device<unsigned long long> count(std::vector<unsigned long long>(1, d.n), 0);
    gp__shape s = {};
    s.primitive = WHAT == GP_INCLUSIVE_SCAN_BY_KEY ? GP_SEGMENTED_INCLUSIVE_SCAN : GP_SEGMENTED_EXCLUSIVE_SCAN;
    s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out), s.offset_size = sizeof(O);
    s.compute_capability = 75, s.multiprocessors = d.sms, s.shared_bytes = 48 * 1024;
    s.count = d.n + (d.count_on_device ? 1000 : 0), s.segments = offsets.size() - 1;
    const gp_policy p = policy_of<P>(GP_WARP_SEGMENTS);
    check(gp__policy_valid_stream(p, &s), d.text(name) + " the policy is valid");
    check(int(sizeof(typename Scans::Storage)) <= gp__stream_static_bytes(p, &s), d.text(name) + " static memory");
    gp__geometry g = {};
    g.threads = unsigned(gp__stream_threads(p));
    gp__geometry_stream(p, &s, u64(d.sms) * P::blocks_per_sm, &g);
    check(g.grid >= 1 && g.words == 0 && g.shared_bytes == 0, d.text(name) + " the launch");
    gp__stream_args a = {};
    a.values = value.data, a.out_values = in_place ? (void *)value.data : out.data;
    a.offsets = offset.data, a.segments = s.segments, a.count = s.count, a.has_init = INIT;
    a.count_device = d.count_on_device ? count.data : nullptr;
    a.bad = bad || d.seed % 2 ? wrong.data : nullptr;
    std::memcpy(a.first.bytes, &given, sizeof given);
    if (d.n) simt::host_fill(out.data, 0x5a, (in_place ? 0 : d.n) * sizeof(Out));
    const int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__stream_segments<P, Body>, a);
    if (bad && in_place)
      expected.assign(reinterpret_cast<Out *>(values.data()), reinterpret_cast<Out *>(values.data()) + d.n);
    else if (bad) std::memset(static_cast<void *>(expected.data()), 0x5a, d.n * sizeof(Out));
    check(!e && same_items(static_cast<Out *>(a.out_values), expected), d.text(name));
  });
}

// ---- by key, by flags, by offsets

enum { KEYS, BYTE_KEYS, FLAGS, OFFSETS, LONG_OFFSETS };
template<int SOURCE> struct Heads {
  typedef u32 Key, Offset;
  typedef gp__key_heads<u32, gp_equal<u32>> type;
};
template<> struct Heads<BYTE_KEYS> {
  typedef u8 Key;
  typedef u32 Offset;
  typedef gp__key_heads<u8, gp_equal<u8>> type;
};
template<> struct Heads<FLAGS> {
  typedef u8 Key;
  typedef u32 Offset;
  typedef gp__flag_heads<u8> type;
};
template<> struct Heads<OFFSETS> {
  typedef u32 Key, Offset;
  typedef gp__offset_heads<u32> type;
};
template<> struct Heads<LONG_OFFSETS> {
  typedef u32 Key;
  typedef long long Offset;
  typedef gp__offset_heads<long long> type;
};
template<int ALGORITHM, class P, int WHAT, bool INIT, int SOURCE, class Op, class In, class Out>
void by_key(const char *name, int seeds, std::vector<Out> *bits = nullptr) {
  typedef typename Op::type Acc;
  typedef typename Heads<SOURCE>::Key Key;
  typedef typename Heads<SOURCE>::Offset Offset;
  typedef gp__load<In, Acc, gp_convert<In, Acc>> Load;
  typedef gp__by_key<WHAT, INIT, typename Heads<SOURCE>::type, Op, Load, In, Acc, Out> Body;
  const bool reduce = WHAT == GP_REDUCE_BY_KEY, by_offsets = SOURCE == OFFSETS || SOURCE == LONG_OFFSETS;
  sweep(name, gp__stream<P, Body>::TILE, seeds, [&](const Draw &d) {
    const std::vector<u32> keys = draw_runs<u32>(d.n);
    std::vector<In> values(d.n);
    std::vector<u8> flags(d.n); // or keys of one byte
    std::vector<Offset> offsets;
    const unsigned empty = random32() % 4 ? 1 : 4 + random32() % 5; // segments with equal begins: mostly
    for (auto &x : values) x = draw<In>();
    for (size_t i = 0; i < d.n; ++i) {
      flags[i] = i ? u8(keys[i] != keys[i - 1] ? 1 + random32() % 200 : 0) : u8(0);
      if ((i == 0 && d.seed % 2) || flags[i])
        for (unsigned k = random32() % 8 ? empty : random32() % 8 ? 5 : random32() % 8 ? 300 : 5000; k; --k)
          offsets.push_back(Offset(i));
      if (SOURCE == BYTE_KEYS) flags[i] = u8(keys[i]);
    }
    offsets.push_back(Offset(d.n));
    const bool init = INIT;
    const Acc given = gp_convert<In, Acc>()(draw<In>()), start = init ? Op::prepare(given) : Op::identity();
    std::vector<Out> expected;
    std::vector<u32> first;
    Acc now = start;
    for (size_t i = 0; i < d.n; ++i) {
      const bool head = i == 0 || keys[i] != keys[i - 1];
      const Acc x = Op::prepare(Load()(values[i], i));
      if (WHAT == GP_EXCLUSIVE_SCAN_BY_KEY) expected.push_back(gp_convert<Acc, Out>()(head ? start : now));
      now = head ? (init ? Op()(start, x) : x) : Op()(now, x);
      if (head) first.push_back(keys[i]);
      if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY || (reduce && (i + 1 == d.n || keys[i + 1] != keys[i])))
        expected.push_back(gp_convert<Acc, Out>()(now));
    }
    const bool in_place = d.in_place && !reduce && sizeof(In) == sizeof(Out);
    const Key *source = reinterpret_cast<const Key *>(sizeof(Key) == 1 ? (const void *)flags.data() : keys.data());
    Device<Key> key(std::vector<Key>(source, source + d.n), d.key_offset);
    Device<Offset> offset(offsets, d.out_offset);
    Device<In> value(values, d.value_offset);
    Device<Out> out(in_place ? 0 : expected.size(), d.out_offset);
    const bool by_keys = SOURCE == KEYS || SOURCE == BYTE_KEYS;
    Device<Key> out_keys(reduce && by_keys ? first.size() : 0);
    Device<unsigned long long> counts(1);
    gp__shape s = {};
    s.primitive = WHAT, s.key_size = by_offsets ? 0 : sizeof(Key), s.in_size = sizeof(In), s.acc_size = sizeof(Acc);
    s.out_size = sizeof(Out);
    gp__stream_args a = {};
    a.keys = by_offsets ? nullptr : key.data, a.values = value.data;
    a.out_values = in_place ? (void *)value.data : out.data, a.out_keys = reduce && by_keys ? out_keys.data : nullptr;
    a.out_count = reduce ? counts.data : nullptr;
    if (by_offsets) a.offsets = offset.data, a.segments = offsets.size() - 1;
    std::memcpy(a.first.bytes, &given, sizeof given);
    a.has_init = init;
    const int e = Stream<ALGORITHM, P, Body>::run(name, d, s, a);
    bool good = !e && (bits || same_items(static_cast<Out *>(a.out_values), expected));
    if (good && reduce) good = counts.data[0] == first.size();
    if (good && a.out_keys) good = same_items(out_keys.data, std::vector<Key>(first.begin(), first.end()));
    check(good, d.text(name));
    if (bits)
      *bits = std::vector<Out>(static_cast<Out *>(a.out_values), static_cast<Out *>(a.out_values) + expected.size());
  });
}

// ---- bytes, four at a time: all pairs, with other bytes around them

template<class C> void compare_bytes(const char *name) {
  typedef typename C::type T;
  bool good = gp__compare_bytes<C>::is;
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) {
      const u32 x = random32(), y = random32(), k = random32() % 4;
      const u32 p = (x & ~(255u << 8 * k)) | a << 8 * k, q = (y & ~(255u << 8 * k)) | b << 8 * k;
      u32 expected = 0;
      for (int i = 0; i < 4; ++i) expected |= u32(C()(T(p >> 8 * i & 255), T(q >> 8 * i & 255))) << i;
      good = good && gp__upper_bits(gp__compare_bytes<C>::of(p, q)) >> 28 == expected;
    }
  check(good, name);
}
template<class T> void compare_bytes() {
  compare_bytes<gp_equal<T>>("equal bytes");
  compare_bytes<gp_not_equal<T>>("bytes that are not equal");
  compare_bytes<gp_less<T>>("bytes that are less");
  compare_bytes<gp_less_equal<T>>("bytes that are less or equal");
  compare_bytes<gp_greater<T>>("bytes that are greater");
  compare_bytes<gp_greater_equal<T>>("bytes that are greater or equal");
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  [[maybe_unused]] typedef gp__policy<64, 1, 3, 3, 3, 2, 2> Tiny;
  [[maybe_unused]] typedef gp__policy<96, 3, 1, 3, 2, 2, 1> Odd; // three warps, two stages
  [[maybe_unused]] typedef gp__policy<64, 5, 3, 3, 4, 1, 2> Deep;

#ifdef TEST_SELECT
  select_if<GP_LOOK_BACK, Tiny, 1, u32>("select u32", seeds);
  select_if<GP_ONE_CLUSTER, Odd, 1, u32>("select u32 by a cluster", seeds);
  select_if<GP_PIPELINED, Tiny, 1, u32>("select u32 pipelined", seeds);
  select_if<GP_PIPELINED, Tiny, 2, Two>("partition s2 pipelined", seeds);
#ifndef TEST_FEW
  select_if<GP_PIPELINED, Odd, 1, u8>("select u8 pipelined", seeds);
  select_if<GP_LOOK_BACK, Tiny, 2, u16>("partition u16", seeds);
  select_if<GP_PIPELINED, Deep, 2, double>("partition f64 pipelined", seeds);
  select_if<GP_PIPELINED, Odd, 3, u32>("partition in three u32 pipelined", seeds);
  select_flags<GP_PIPELINED, Odd, 1, Wide, u8>("select wide by flags pipelined", seeds);
  select_flags<GP_PIPELINED, Tiny, 2, Triple, u8>("partition triple by flags pipelined", seeds);
  select_flags<GP_LOOK_BACK, Tiny, 1, Large, u32>("select large by flags", seeds);
#endif
#endif

#ifdef TEST_RUNS
  runs<GP_PIPELINED, Odd, GP_NONTRIVIAL_RUNS, u32, gp__none, u32>("nontrivial runs pipelined", seeds);
  runs<GP_LOOK_BACK, Tiny, GP_RUN_LENGTHS, u32, gp__none, u32>("run lengths u32", seeds);
  runs<GP_LOOK_BACK, Odd, GP_RUN_LENGTHS, u16, gp__none, u64>("run lengths u16", seeds);
#ifndef TEST_FEW
  runs<GP_ONE_CLUSTER, Odd, GP_RUN_LENGTHS, u16, gp__none, u32>("run lengths u16 by a cluster", seeds);
  runs<GP_LOOK_BACK, Tiny, GP_NONTRIVIAL_RUNS, u32, gp__none, u32>("nontrivial runs u32", seeds);
  runs<GP_PIPELINED, Odd, GP_RUN_LENGTHS, u8, gp__none, u32>("run lengths u8 pipelined", seeds);
  runs<GP_PIPELINED, Tiny, GP_UNIQUE, u64, gp__none, gp__none>("unique u64 pipelined", seeds);
  runs<GP_PIPELINED, Odd, GP_UNIQUE, u16, Triple, gp__none>("unique by key pipelined", seeds);
  runs<GP_LOOK_BACK, Tiny, GP_NONTRIVIAL_RUNS, u8, gp__none, u64>("nontrivial runs u8", seeds);
#endif
#endif

#ifdef TEST_BY_KEY
  by_key<GP_PIPELINED, Tiny, GP_REDUCE_BY_KEY, false, KEYS, Compose, Affine, Affine>(
      "reduce by key affine pipelined", seeds);
  by_key<GP_LOOK_BACK, Odd, GP_REDUCE_BY_KEY, false, KEYS, Compose, Affine, Affine>("reduce by key affine", seeds);
  by_key<GP_LOOK_BACK, Odd, GP_EXCLUSIVE_SCAN_BY_KEY, true, OFFSETS, Compose, Affine, Affine>(
      "scan of segments affine", seeds);
  by_key<GP_PIPELINED, Odd, GP_INCLUSIVE_SCAN_BY_KEY, true, OFFSETS, AddTriple, Triple, Triple>(
      "scan of segments triple", seeds);
  by_key<GP_LOOK_BACK, Tiny, GP_EXCLUSIVE_SCAN_BY_KEY, true, OFFSETS, gp_or<int>, int, int>(
      "scan of segments by OR", seeds);
  by_key<GP_ONE_CLUSTER, Odd, GP_EXCLUSIVE_SCAN_BY_KEY, true, OFFSETS, Compose, Affine, Affine>(
      "scan of segments affine by a cluster", seeds);
  scan_segments<Tiny, GP_EXCLUSIVE_SCAN_BY_KEY, true, u32, Compose, Affine, Affine>("segments affine", seeds);
  scan_segments<Odd, GP_INCLUSIVE_SCAN_BY_KEY, false, u32, gp_sum<u32>, u32, u32>("segments u32", seeds);
#ifndef TEST_FEW
  scan_segments<Tiny, GP_INCLUSIVE_SCAN_BY_KEY, true, u64, AddTriple, Triple, Triple>("segments triple", seeds);
  scan_segments<Odd, GP_EXCLUSIVE_SCAN_BY_KEY, false, long long, gp_sum<u64>, u8, u64>("segments u8 to u64", seeds);
  by_key<GP_PIPELINED, Odd, GP_EXCLUSIVE_SCAN_BY_KEY, true, KEYS, gp_and<float>, float, float>(
      "exclusive by key by AND", seeds);
  by_key<GP_PIPELINED, Odd, GP_INCLUSIVE_SCAN_BY_KEY, true, KEYS, gp_sum<u64>, u8, u64>(
      "inclusive by key u8 to u64", seeds);
  by_key<GP_PIPELINED, Tiny, GP_EXCLUSIVE_SCAN_BY_KEY, true, FLAGS, gp_max<float>, float, float>(
      "exclusive by flags f32", seeds);
  by_key<GP_PIPELINED, Deep, GP_EXCLUSIVE_SCAN_BY_KEY, false, LONG_OFFSETS, gp_sum<u32>, u8, u32>(
      "scan of segments u8 by i64", seeds);
  by_key<GP_LOOK_BACK, Tiny, GP_REDUCE_BY_KEY, false, FLAGS, gp_sum<float>, gp_f16, gp_f16>(
      "reduce by flags f16", seeds);
  by_key<GP_LOOK_BACK, Tiny, GP_REDUCE_BY_KEY, false, KEYS, AddLarge, Large, Large>("reduce by key large", seeds);
  by_key<GP_ONE_CLUSTER, Tiny, GP_REDUCE_BY_KEY, false, KEYS, gp_sum<float>, gp_f16, gp_f16>(
      "reduce by key f16 by a cluster", seeds);
#endif
#endif

#ifdef TEST_BYTES
  compare_bytes<signed char>();
  select_if<GP_PIPELINED, Deep, 1, u8>("select long chunks of u8 pipelined", seeds);
  select_if<GP_LOOK_BACK, Tiny, 3, u8>("partition in three u8", seeds);
#ifndef TEST_FEW
  compare_bytes<u8>();
  select_if<GP_LOOK_BACK, Tiny, 1, signed char>("select i8", seeds);
  select_if<GP_PIPELINED, Odd, 2, u8>("partition u8 pipelined", seeds);
  select_if<GP_PIPELINED, Deep, 3, signed char>("partition in three long chunks of i8 pipelined", seeds);
  select_flags<GP_PIPELINED, Odd, 1, u8, u8>("select u8 by flags pipelined", seeds);
  select_flags<GP_PIPELINED, Tiny, 2, u8, u8>("partition u8 by flags pipelined", seeds);
  select_flags<GP_LOOK_BACK, Tiny, 1, u8, u64>("select u8 by wide flags", seeds); // six elements a thread
  runs<GP_PIPELINED, Deep, GP_UNIQUE, u8, gp__none, gp__none>("unique u8 pipelined", seeds);
  runs<GP_LOOK_BACK, Tiny, GP_UNIQUE, u32, u8, gp__none>("unique u32 with u8", seeds);
  runs<GP_PIPELINED, Deep, GP_RUN_LENGTHS, u8, gp__none, u64>("run lengths of long chunks of u8 pipelined", seeds);
  runs<GP_PIPELINED, Deep, GP_NONTRIVIAL_RUNS, u8, gp__none, u32>("nontrivial runs of u8 pipelined", seeds);
  by_key<GP_PIPELINED, Tiny, GP_REDUCE_BY_KEY, false, BYTE_KEYS, gp_sum<u8>, u8, u8>(
      "reduce u8 by u8 pipelined", seeds);
  by_key<GP_LOOK_BACK, Odd, GP_REDUCE_BY_KEY, false, BYTE_KEYS, gp_sum<u32>, u32, u32>("reduce by keys of u8", seeds);
#endif
#endif
  return finish();
}
