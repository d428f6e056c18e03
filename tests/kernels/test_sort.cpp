// One-sweep radix sort under the emulator: keys of every kind, pairs, indices, bit ranges, both directions, in place,
// passes that equal digits make unnecessary, against a stable sort, on adversarial schedules. Usage: test_sort [seeds]
// [name of a test]
// TEST_RADIX and TEST_FEW compile only the instances that mutants.py needs.
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

enum Data { UNIFORM, CONSTANT, FEW, LOW_BITS, HIGH_BITS, ONE_HOT, SORTED, REVERSED, GAP, DATA };
static const char *const data_names[] = {
    "uniform", "constant", "few", "low bits", "high bits", "one hot", "sorted", "reversed", "a digit all the same"};

struct Options {
  size_t offset; // of the buffers, in elements
  int data, grid, begin_bit, end_bit;
  unsigned same; // bytes that all keys share, a bit each
  bool descending, in_place, drop_keys, from_device;
  int team; // GP_ONE_CLUSTER, GP_ONE_LAUNCH, or 0
  bool cut; // a team stores
  size_t most; // so many results
};

struct Fields { // compared by c, then a downwards, then b: 7 bytes of a struct of 12
  short b;
  u8 c, d;
  float a;
  u32 rest;
};
typedef gp__field_key<Fields, gp__key_field<2, u8, false>, gp__key_field<4, float, true>,
    gp__key_field<0, short, false>>
    FieldsKey;
struct Long { // 24 bytes, all significant: the middle one's word is split
  u64 x;
  u32 y, z;
  double w;
};
typedef gp__field_key<Long, gp__key_field<12, u32, false>, gp__key_field<0, u64, true>,
    gp__key_field<16, double, false>, gp__key_field<8, u32, true>>
    LongKey;
struct Sum {
  float operator()(const Triple &t) const { return float(t.x) - float(t.y); }
};
typedef gp__decomposed_key<Triple, Sum, float> TripleKey;

template<class K> struct Ordered {
  typedef typename K::Key Key;
  static const int bits = 8 * int(sizeof(typename K::Bits));
};
template<> struct Ordered<FieldsKey> { static const int bits = 56; };
template<> struct Ordered<LongKey> { static const int bits = 192; };

template<class Key> void vary(Key &key, int data, size_t i, size_t n) { // of unsigned integers
  const u64 x = u64(random32()) << 32 ^ random32();
  key = Key(data == UNIFORM ? x
          : data == CONSTANT ? 77
          : data == FEW ? x % 5 * 0x0101010101010101ull
          : data == LOW_BITS ? x & 0x3ff
          : data == HIGH_BITS ? x << (8 * sizeof(Key) - 6)
          : data == GAP ? (x & 0xff00ffffff00ffffull)
          : data == ONE_HOT ? (x % 10 ? 0x1234567812345678ull : x)
          : data == SORTED ? i * 1000003
          : (n - i) * 1000003);
}
template<> void vary<Fields>(Fields &k, int data, size_t i, size_t n) {
  u32 x;
  vary(x, data, i, n);
  k.b = short(x), k.c = u8(x >> 16), k.d = u8(i), k.a = float(int(x >> 8) % 100) - 50, k.rest = u32(i);
}
template<> void vary<Long>(Long &k, int data, size_t i, size_t n) {
  u64 x;
  vary(x, data, i, n);
  k.x = random32() % 3 ? x : 5, k.y = u32(x >> 20), k.z = data == UNIFORM ? u32(x % 3) : 9, k.w = double(x % 7) - 3;
}
template<> void vary<Triple>(Triple &k, int data, size_t i, size_t n) {
  u32 x;
  vary(x, data, i, n);
  k.x = int(x % 1000), k.y = int(x >> 20), k.z = int(i);
}

struct Four {
  u8 b[4];
};
template<> Four draw<Four>() {
  const u32 x = random32();
  return {{u8(x), u8(x >> 8), u8(x >> 16), u8(x >> 24)}};
}
typedef gp__field_key<Four, gp__key_field<3, u8, false>, gp__key_field<0, u8, true>> FourKey;
template<> struct Ordered<FourKey> { static const int bits = 16; };
template<> void vary<Four>(Four &k, int data, size_t i, size_t n) {
  u32 x;
  vary(x, data, i, n);
  k.b[0] = u8(x), k.b[1] = u8(i), k.b[2] = u8(i >> 8), k.b[3] = u8(x >> 8);
}
struct Pair16 {
  u64 a, b;
};
template<> Pair16 draw<Pair16>() { return {random32(), random32()}; }
template<> gp__none draw<gp__none>() { return {}; }

// PAIRED: values travel with their keys.
template<class P, class K, class V, class W, int HISTOGRAM_THREADS, int REPLICAS, bool PAIRED = false> struct Sort {
  typedef typename K::Key Key;
  typedef typename std::conditional<PAIRED, gp__radix_record<K, V>, K>::type Moved;
  typedef typename std::conditional<PAIRED, gp__none, V>::type Beside;
  static const bool pairs = !std::is_same<V, gp__none>::value;
  static const size_t tile = P::threads * gp__radix_items(P::vectors, int(sizeof(Key)));

  static u64 word(const Key &key, int w, const Options &o) { // the bits that decide, in this word
    u64 x = K::bits(key, w);
    if (o.descending) x = ~x;
    const int low = std::max(o.begin_bit - 64 * w, 0), high = std::min(o.end_bit - 64 * w, 64);
    return low >= high ? 0 : x >> low << low & (~0ull >> (64 - high));
  }
  static void run(const std::string &what, size_t n, const Options &o, bool indices) {
    std::vector<Key> keys(n);
    std::vector<V> values(pairs ? n : 0);
    for (size_t i = 0; i < n; ++i) {
      std::memset(reinterpret_cast<char *>(&keys[i]), 0, sizeof(Key));
      vary(keys[i], o.data, i, n);
      for (unsigned b = 0; b < sizeof(Key) && o.same; ++b)
        if (o.same >> b & 1) reinterpret_cast<u8 *>(&keys[i])[b] = u8(0x35 + b);
    }
    for (auto &v : values) {
      std::memset(reinterpret_cast<char *>(&v), 0, sizeof v);
      v = draw<V>();
    }
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
      for (int w = (Ordered<K>::bits - 1) / 64; w >= 0; --w) {
        const u64 x = word(keys[i], w, o), y = word(keys[j], w, o);
        if (x != y) return x < y;
      }
      return false;
    });

    gp__shape s = {};
    s.primitive = GP_SORT, s.key_size = sizeof(Key), s.in_size = s.out_size = pairs ? int(sizeof(V)) : 0;
    s.acc_size = Ordered<K>::bits / 8, s.sorted.begin_bit = o.begin_bit, s.sorted.end_bit = o.end_bit, s.count = n;
    s.compute_capability = 90, s.shared_bytes = 227 * 1024, s.sorted.drop_keys = o.drop_keys, s.multiprocessors = 20;
    const gp_policy p = policy_of<P>(o.team ? o.team : PAIRED ? GP_PAIRED_SWEEP : GP_ONE_SWEEP);
    const bool wide = std::is_same<W, gp__radix_wide>::value;
    gp__radix_plan r = gp__radix_plan_of(p, &s);
    if (wide) { // as if there were 2^30 keys
      r.words = r.bytes, r.clear = gp__radix_words_bytes(r.tiles, r.passes, 16) / 16, r.bytes += r.clear * 16;
    }
    Device<u8> scratch(r.bytes, 0);
    simt::host_fill(scratch.data, 0xa5, r.bytes);
    Device<Key> in(keys, o.offset), out(n, o.offset % 3);
    Device<V> in_values(values, o.offset % 5), out_values(pairs ? n : 0, o.offset % 7);
    Device<u64> count(std::vector<u64>(1, n), 0);
    if (o.cut) simt::host_fill(out.data, 0x5a, n * sizeof(Key));
    if (o.cut && pairs) simt::host_fill(out_values.data, 0x5a, n * sizeof(V));
    gp__radix_args a = {};
    a.keys = in.data, a.in = indices ? nullptr : in_values.data;
    a.out_keys = o.drop_keys ? static_cast<void *>(scratch.data + r.keys) : o.in_place ? in.data : out.data;
    a.out = o.in_place && !indices ? in_values.data : out_values.data;
    a.other_keys = scratch.data + r.other_keys, a.other = scratch.data + r.other;
    a.count = n + (o.from_device ? 5 * tile : 0), a.count_device = o.from_device ? count.data : nullptr;
    if (o.from_device) a.count = n; // nothing exists beyond the count
    a.workspace = workspace(o.team ? 2 * unsigned(o.grid) * GP__COOPERATIVE_QUADS : 1);
    a.counts = reinterpret_cast<u64 *>(scratch.data + r.counts);
    a.tickets = reinterpret_cast<u64 *>(scratch.data + r.tickets);
    a.steps = reinterpret_cast<u32 *>(scratch.data + r.steps);
    a.words = scratch.data + r.words, a.clear = r.clear;
    a.passes = r.passes, a.begin_bit = o.begin_bit, a.end_bit = o.end_bit, a.in_place = o.in_place;
    a.flip = o.descending ? ~0u : 0, a.drop_keys = o.drop_keys;
    a.paired = PAIRED && !(misalignment(a.out_keys) % 8) && !(misalignment(a.out) % 8);
    int e = gp__valid_by(&gp__rules_sort, p, &s) ? 0 : 1;
    if (!e && o.team) {
      const bool cluster = o.team == GP_ONE_CLUSTER;
      a.passes = std::max(r.passes, 1);
      a.capacity = o.cut ? unsigned(o.most) : ~0u;
      if (!o.cut) a.other_keys = a.out_keys, a.other = a.out; // a sort moves within its output
      simt::config.resident = std::max(simt::config.resident, unsigned(o.grid));
      simt::config.cluster = cluster ? unsigned(o.grid) : 1;
      for (int times = cluster || o.in_place ? 1 : 2; times && !e; --times) // holds words of the previous launch
        e = simt::launch_kernel("team", o.grid, P::threads, gp__cooperative_bytes(p, &s), team(cluster), a);
      simt::config.cluster = 1;
    } else if (!e)
      e = simt::launch_kernel("histogram", o.grid, HISTOGRAM_THREADS,
          gp__radix_histogram_bytes(int(sizeof(typename K::Bits)), REPLICAS),
          gp__radix_histogram<P, K, false, HISTOGRAM_THREADS, REPLICAS>, a);
    int bit = o.begin_bit;
    const bool at_once = Ordered<K>::bits <= 64 && o.begin_bit == 0 && o.end_bit == Ordered<K>::bits;
    if (!e && !o.team && at_once && o.grid % 2) { // all passes by one launch
      a.mask = 255;
      e = simt::launch_kernel(
          "passes", o.grid, P::threads, gp__radix_shared_bytes(p, &s), gp__radix_sweeps<P, Moved, Beside, W>, a);
      a.pass = r.passes + 1;
    }
    for (; !o.team && a.pass < r.passes + (o.in_place || !r.passes) && !e; ++a.pass) {
      gp__radix_digit_of(&a, &bit);
      e = simt::launch_kernel(
          "pass", o.grid, P::threads, gp__radix_shared_bytes(p, &s), gp__radix_pass<P, Moved, Beside, W>, a);
      if (e || !(a.steps[a.pass] & GP__RADIX_RUNS)) continue;
      const u64 groups = (r.tiles + GP__RADIX_GROUP - 1) / GP__RADIX_GROUP, complete = r.tiles / GP__RADIX_GROUP;
      const u64 *of_group =
          static_cast<const u64 *>(a.words) + (r.tiles + unsigned(a.pass) * groups) * (GP__DIGITS / 2);
      for (u64 i = 0; i < complete * (GP__DIGITS / 2) && !e; ++i) e = of_group[i] >> 48 != GP__RADIX_GROUP;
    }
    int moves = 0, read = 0, written = 0;
    for (int p = 0; p < r.passes && !o.team; ++p) {
      moves += (a.steps[p] & GP__RADIX_RUNS) != 0;
      read += (a.steps[p] & GP__RADIX_READS_PAIRS) != 0, written += (a.steps[p] & GP__RADIX_WRITES_PAIRS) != 0;
    }
    const int between = a.paired && moves ? moves - 1 : 0;
    if (!e && (read != between || written != between)) e = 1;
    if (!o.team && o.same && n > 100 && moves != r.passes - __builtin_popcount(o.same)) e = 1;
    size_t wrong = n;
    const Key *got = static_cast<const Key *>(a.out_keys);
    const V *got_values = static_cast<const V *>(a.out);
    for (size_t i = 0; i < n && !e && wrong == n; ++i) {
      if (o.cut && i >= o.most) { // is left as it was
        const auto kept = [](const void *x, size_t size) {
          return std::count(static_cast<const u8 *>(x), static_cast<const u8 *>(x) + size, 0x5a) == long(size);
        };
        if ((!o.drop_keys && !kept(got + i, sizeof(Key))) || (pairs && !kept(got_values + i, sizeof(V)))) wrong = i;
        continue;
      }
      if (!o.drop_keys && !same(got[i], keys[order[i]])) wrong = i;
      if (pairs && !indices && !same(got_values[i], values[order[i]])) wrong = i;
      if (pairs && indices) {
        const u64 index[] = {order[i], 0}; // with the bytes of an index
        if (std::memcmp(&got_values[i], index, sizeof(V))) wrong = i;
      }
    }
    check(!e && wrong == n, what + (wrong < n ? " wrong at " + std::to_string(wrong) : ""));
    simt::clear_error();
  }

  typedef void (*Kernel)(const gp__radix_args &);
  static Kernel team(bool cluster) {
    if constexpr (P::threads < 128 || PAIRED) return nullptr;
    else return cluster ? gp__sort_one_cluster<P, K, V> : gp__sort_one_launch<P, K, V>;
  }
  // All passes by blocks that wait for each other: as many as tiles; one more if the device has the count.
  static void teams(const char *name, int seeds, bool indices = false) {
    if (!only.empty() && only != name) return;
    const size_t sizes[] = {0, 1, tile - 1, tile, tile + 1, 2 * tile, 4 * tile + 3, 6 * tile - 2, 16 * tile, 19 * tile};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes)
        for (int way : {GP_ONE_CLUSTER, GP_ONE_LAUNCH}) {
          if (n > 6 * tile && (seed + way) % 2) continue;
          if (n > 16 * tile && way == GP_ONE_CLUSTER) continue;
          if (!has_turn()) continue;
          simt::set_random_schedule(uint64_t(seed) * 100 + n + unsigned(way));
          Options o = {};
          o.team = way;
          o.data = int(random32() % DATA);
          o.offset = seed % 3 ? random32() % 16 : 0;
          o.grid = n ? int((n - 1) / tile + 1) : 1;
          o.from_device = n < 15 * tile && random32() % 4 == 0;
          if (o.from_device) ++o.grid;
          o.descending = random32() % 3 == 0;
          o.in_place = random32() % 3 == 0;
          o.cut = !o.in_place && random32() % 2;
          o.most = o.cut ? 1 + random32() % (n + 2) : n;
          o.drop_keys = indices && !o.in_place && random32() % 2;
          o.same = random32() % 3 ? 0 : random32() & ((1u << sizeof(Key)) - 1);
          o.end_bit = Ordered<K>::bits;
          if (random32() % 3 == 0) {
            o.begin_bit = int(random32() % unsigned(o.end_bit));
            o.end_bit = o.begin_bit + int(random32() % unsigned(o.end_bit - o.begin_bit + 1));
          }
          char text[200];
          std::snprintf(text, sizeof text,
              "%s %s %s n=%zu first %zu same=%x bits=%d..%d offset=%zu grid=%d%s%s%s%s seed=%d:", name,
              way == GP_ONE_CLUSTER ? "cluster" : "launch", data_names[o.data], n, o.most, o.same, o.begin_bit,
              o.end_bit, o.offset, o.grid, o.descending ? " descending" : "", o.in_place ? " in place" : "",
              o.drop_keys ? " no keys" : "", o.from_device ? " from device" : "", seed);
          run(text, n, o, indices);
        }
  }

  // Many tiles under way at once, and a skipped pass: looks back over groups, and over leftovers of other passes.
  static void crowd(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 1000);
      Options o = {};
      o.data = GAP, o.grid = 40 + seed, o.end_bit = Ordered<K>::bits;
      run(std::string(name) + " crowd seed=" + std::to_string(seed) + ":", (90 + unsigned(seed)) * tile + 3, o, false);
    }
  }

  // Every number of moving passes, from and to everywhere.
  static void moves(const char *name, int seeds, bool indices = false) {
    if (!only.empty() && only != name) return;
    const size_t sizes[] = {1, 2 * tile - 1, 4 * tile, 7 * tile + tile / 2 + 1};
    for (int seed = 1; seed <= seeds; ++seed)
      for (unsigned same = 0; same < 1u << sizeof(Key); ++same)
        for (int form = 0; form < 4; ++form) {
          const size_t n = sizes[(unsigned(seed) + unsigned(form) + same) % 4];
          if (!has_turn()) continue;
          simt::set_random_schedule(uint64_t(seed) * 100 + same * 4 + unsigned(form));
          Options o = {};
          o.same = same, o.end_bit = Ordered<K>::bits;
          o.offset = form == 3 ? 1 : 210 * (random32() % 3); // the first one is not aligned for pairs
          o.grid = 1 + int(random32() % 7);
          o.descending = random32() % 2;
          o.in_place = form % 2;
          o.drop_keys = indices && !o.in_place;
          char text[200];
          std::snprintf(text, sizeof text, "%s moves n=%zu same=%x offset=%zu grid=%d%s%s%s seed=%d:", name, n, same,
              o.offset, o.grid, o.descending ? " descending" : "", o.in_place ? " in place" : "",
              o.drop_keys ? " no keys" : "", seed);
          run(text, n, o, indices);
        }
  }

  static void sweep(const char *name, int seeds, bool indices = false) {
    if (!only.empty() && only != name) return;
    const size_t sizes[] = {0, 1, 2, tile - 1, tile, tile + 1, 5 * tile + 3, 9 * tile - 2, 30 * tile};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes) {
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + n);
        Options o = {};
        o.data = int(random32() % DATA);
        o.offset = seed % 3 ? random32() % 16 : 0;
        o.grid = 1 + int(random32() % 5);
        o.descending = random32() % 3 == 0;
        o.in_place = random32() % 3 == 0;
        o.drop_keys = indices && !o.in_place && random32() % 2;
        o.from_device = random32() % 4 == 0;
        o.end_bit = Ordered<K>::bits;
        if (random32() % 3 == 0) {
          o.begin_bit = int(random32() % unsigned(o.end_bit));
          o.end_bit = o.begin_bit + int(random32() % unsigned(o.end_bit - o.begin_bit + 1));
        }
        if (o.in_place && random32() % 2) { // an odd number of passes
          o.begin_bit = Ordered<K>::bits > 24 && random32() % 2 ? Ordered<K>::bits - 24 : Ordered<K>::bits - 8;
          o.end_bit = Ordered<K>::bits;
        }
        char text[200];
        std::snprintf(text, sizeof text, "%s %s n=%zu bits=%d..%d offset=%zu grid=%d%s%s%s seed=%d:", name,
            data_names[o.data], n, o.begin_bit, o.end_bit, o.offset, o.grid, o.descending ? " descending" : "",
            o.in_place ? " in place" : "", o.drop_keys ? " no keys" : "", seed);
        run(text, n, o, indices);
      }
  }
};

// The rules' launch plans, without a launch: policies are valid, and where a block takes two tiles at a time, all
// blocks of a multiprocessor fit.
static void test_rules() {
  const int capabilities[] = {75, 80, 86, 90}, kib[] = {64, 163, 99, 227}, sizes[] = {0, 1, 2, 4, 8, 12, 16, 24};
  for (int device = 0; device < 4; ++device)
    for (int key : {1, 2, 4, 8, 12, 24, 64})
      for (int value : sizes)
        for (int stages = 0; stages < 3; ++stages) {
          gp__shape s = {};
          s.primitive = GP_SORT, s.key_size = key, s.in_size = s.out_size = value, s.sorted.end_bit = 8 * key;
          s.count = 1u << 24, s.multiprocessors = 132;
          s.compute_capability = capabilities[device], s.shared_bytes = kib[device] * 1024;
          gp_policy p = {};
          p.algorithm = GP_ONE_SWEEP, p.stages = stages;
          const gp_policy q = gp__portable_by(&gp__rules_sort, p, &s);
          const unsigned long long shared = gp__radix_shared_bytes(q, &s) + gp__radix_static_bytes(q) + 1024;
          check((gp__valid_by(&gp__rules_sort, q, &s) || (stages == 2 && device == 0)) &&
                  (stages ? q.stages == stages : q.stages == 1 || q.stages == 2) &&
                  (stages || q.stages == 1 || shared * unsigned(q.blocks_per_sm) <= (kib[device] + 1) * 1024ull) &&
                  (stages || key > 4 || value || capabilities[device] != 90 || q.stages == 2),
              "rule: sm_" + std::to_string(capabilities[device]) + ", key of " + std::to_string(key) + ", value of " +
                  std::to_string(value) + ", stages " + std::to_string(stages));
        }
}

// Pairs: the choice of sort by sizes, number and bits.
static void test_rule_of_pairs() {
  const struct {
    int key, value;
    unsigned long long count;
    int end_bit, algorithm;
  } cases[] = {{4, 4, 1, 32, GP_ONE_CLUSTER}, {4, 4, 1u << 15, 32, GP_ONE_CLUSTER},
      {4, 4, (1u << 15) + 1, 32, GP_ONE_LAUNCH}, {4, 4, 1u << 20, 32, GP_ONE_LAUNCH},
      {4, 4, (1u << 20) + 1, 32, GP_LEADING_SWEEP}, {4, 4, 1u << 22, 32, GP_PAIRED_SWEEP},
      {4, 4, 1u << 23, 32, GP_LEADING_SWEEP}, {4, 4, 1u << 28, 32, GP_LEADING_SWEEP},
      {4, 4, 1ull << 29, 32, GP_PAIRED_SWEEP}, {4, 4, 1u << 24, 31, GP_PAIRED_SWEEP},
      {4, 8, 1u << 17, 32, GP_ONE_LAUNCH}, {4, 8, 1u << 20, 32, GP_ONE_LAUNCH}, {4, 16, 1u << 15, 20, GP_ONE_CLUSTER},
      {4, 0, 1u << 8, 32, GP_ONE_BLOCK}, {4, 0, (1u << 8) + 1, 32, GP_ONE_CLUSTER},
      {4, 0, 1u << 14, 32, GP_ONE_CLUSTER}, {4, 0, 1u << 15, 32, GP_ONE_CLUSTER}, {4, 0, 1u << 19, 32, GP_ONE_LAUNCH},
      {4, 0, 1u << 20, 32, GP_ADAPTIVE}, {4, 0, (1u << 20) + 1, 32, GP_ONE_LAUNCH}, {4, 0, 1u << 21, 32, GP_ONE_LAUNCH},
      {4, 0, (1u << 21) + 1, 32, GP_ONE_SWEEP}, {4, 0, (1u << 24) - 1, 32, GP_ONE_SWEEP},
      {4, 0, 1u << 24, 32, GP_ADAPTIVE}, {8, 0, 1u << 13, 64, GP_ONE_BLOCK}, {8, 0, (1u << 13) + 1, 64, GP_ONE_CLUSTER},
      {8, 0, 1u << 15, 64, GP_ADAPTIVE}, {8, 0, 1u << 22, 64, GP_ADAPTIVE}, {8, 0, 1u << 30, 64, GP_HYBRID},
      {8, 4, 1u << 20, 64, GP_ONE_LAUNCH}, {4, 8, 1u << 21, 32, GP_ONE_SWEEP}, {4, 8, 1u << 22, 32, GP_LEADING_SWEEP},
      {4, 8, 1u << 28, 32, GP_LEADING_SWEEP}, {4, 8, 1ull << 29, 32, GP_ONE_SWEEP}, {4, 8, 1u << 24, 31, GP_ONE_SWEEP},
      {4, 16, 1u << 24, 32, GP_ONE_SWEEP}, {8, 4, (1u << 23) - 1, 64, GP_ONE_SWEEP}, {8, 4, 1u << 23, 64, GP_ADAPTIVE},
      {8, 4, 1u << 30, 64, GP_HYBRID}, {8, 8, (1u << 23) - 1, 64, GP_ONE_SWEEP}, {8, 8, 1u << 23, 64, GP_ADAPTIVE}};
  for (const auto &c : cases) {
    gp__shape s = {};
    s.primitive = GP_SORT, s.key_size = c.key, s.in_size = s.out_size = c.value, s.sorted.end_bit = c.end_bit;
    s.count = c.count;
    s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    const gp_policy p = gp__portable_by(&gp__rules_sort, gp_policy(), &s);
    check(p.algorithm == c.algorithm && gp__valid_by(&gp__rules_sort, p, &s),
        "rule of pairs: " + std::to_string(c.key) + " and " + std::to_string(c.value) + ", " + std::to_string(c.count));
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  if (only.empty() || only == "rules") test_rules(), test_rule_of_pairs();
  typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 2, 2, 2> Small;
  typedef gp__policy<32, 2, GP_CACHE_ALL, GP_CACHE_ALL, 1, 2, 2> Warp;
  Sort<Small, gp__radix_key<u32>, gp__none, gp__radix_narrow, 64, 8>::sweep("u32", seeds);
  Sort<Warp, gp__radix_key<u64>, u32, gp__radix_wide, 32, 8>::sweep("u64 and u32", seeds);
  Sort<Warp, gp__radix_key<u32>, gp__none, gp__radix_narrow, 32, 8>::crowd("u32", seeds);
  Sort<Warp, gp__radix_key<u32>, u32, gp__radix_wide, 32, 8>::crowd("u32 and u32", seeds);
  Sort<Warp, gp__radix_key<u32>, u32, gp__radix_narrow, 32, 8, true>::moves("u32 beside u32", seeds);
  Sort<Small, gp__radix_key<float>, int, gp__radix_wide, 64, 8, true>::sweep("f32 beside i32", seeds);
  typedef gp__policy<128, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 1, 2> Team;
  Sort<Team, gp__radix_key<u32>, u32, gp__radix_narrow, 32, 8>::teams("team: u32 and u32", seeds);
#ifndef TEST_FEW
  typedef gp__policy<192, 2, GP_CACHE_ALL, GP_CACHE_ALL, 0, 1, 2> LargeTeam;
  Sort<Team, gp__radix_key<float>, gp__none, gp__radix_narrow, 32, 8>::teams("team: f32", seeds);
  Sort<LargeTeam, gp__radix_key<long long>, gp__none, gp__radix_narrow, 32, 8>::teams("team: i64", seeds);
  Sort<Team, gp__radix_key<u32>, u32, gp__radix_narrow, 32, 8>::teams("team: u32, indices", seeds, true);
  Sort<Team, gp__radix_key<u16>, Triple, gp__radix_narrow, 32, 8>::teams("team: u16 and 12 bytes", seeds);
  Sort<Team, LongKey, u8, gp__radix_narrow, 32, 8>::teams("team: 24 bytes of fields and u8", seeds);
  typedef gp__policy<128, 1, GP_CACHE_STREAMING, GP_CACHE_ALL, 2, 2, 2> Middle;
  typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 1, 2, 2> AtOnce;
  typedef gp__policy<32, 2, GP_CACHE_ALL, GP_CACHE_ALL, 2, 2, 2> WarpBehind;
  Sort<Middle, gp__radix_key<u8>, u32, gp__radix_narrow, 64, 32>::sweep("u8 and u32", seeds);
  Sort<Warp, gp__radix_key<signed char>, gp__none, gp__radix_wide, 64, 32>::sweep("i8", seeds);
  Sort<Middle, gp__radix_key<gp_f16>, u16, gp__radix_narrow, 64, 16>::sweep("f16 and u16", seeds);
  Sort<Small, gp__radix_key<int>, u8, gp__radix_wide, 64, 8>::sweep("i32 and u8", seeds);
  Sort<AtOnce, gp__radix_key<float>, Triple, gp__radix_narrow, 128, 16>::sweep("f32 and 12 bytes", seeds);
  Sort<Middle, gp__radix_key<double>, Pair16, gp__radix_narrow, 32, 32>::sweep("f64 and 16 bytes", seeds);
  Sort<AtOnce, gp__radix_key<long long>, gp__none, gp__radix_narrow, 64, 32>::sweep("i64", seeds);
  Sort<Small, gp__radix_key<float>, u32, gp__radix_narrow, 64, 8>::sweep("f32, indices", seeds, true);
  Sort<WarpBehind, gp__radix_key<int>, u32, gp__radix_narrow, 64, 8, true>::moves("i32, indices beside", seeds, true);
  Sort<WarpBehind, gp__radix_key<u32>, u32, gp__radix_wide, 64, 8, true>::crowd("u32 beside u32, crowd", seeds);
  Sort<Middle, gp__radix_number<float>, Four, gp__radix_narrow, 64, 8, true>::sweep("f32 beside 4 bytes", seeds);
  Sort<Small, FourKey, u32, gp__radix_narrow, 64, 8, true>::sweep("4 bytes of fields beside u32", seeds);
  Sort<Small, gp__radix_number<float>, u32, gp__radix_narrow, 64, 8>::sweep("f32 as numbers", seeds);
  typedef gp__radix_number<gp_f16> Halves;
  check(Halves::bits(0x8000, 0) == Halves::bits(0, 0) && Halves::bits(0x8001, 0) < Halves::bits(0, 0) &&
          Halves::bits(1, 0) > Halves::bits(0, 0),
      "as numbers, -0 is 0");
  Sort<WarpBehind, gp__radix_key<u32>, u64, gp__radix_wide, 64, 8>::sweep("u32, long indices", seeds, true);
  Sort<Middle, FieldsKey, gp__none, gp__radix_narrow, 64, 8>::sweep("fields", seeds);
  Sort<WarpBehind, LongKey, u32, gp__radix_narrow, 64, 8>::sweep("24 bytes of fields", seeds);
  Sort<Small, TripleKey, u32, gp__radix_narrow, 64, 8>::sweep("decomposed", seeds);
#endif
  return finish();
}
