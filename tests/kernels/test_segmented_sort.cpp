// Segmented sort under the emulator: all distributions of lengths, and lengths around every class boundary, against a
// stable sort of each segment, on adversarial schedules. Usage: test_segmented_sort [seeds] [name of a test] Define
// TEST_SEGMENTED_SORT_SHORT or TEST_SEGMENTED_SORT_LONG to compile that part alone; TEST_FEW compiles only the
// instances that mutants.py needs.
#if !defined(TEST_SEGMENTED_SORT_SHORT) && !defined(TEST_SEGMENTED_SORT_LONG)
#define TEST_SEGMENTED_SORT_SHORT
#define TEST_SEGMENTED_SORT_LONG
#endif
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

// ---- lengths of segments

enum Shape { ONES, EMPTY, FIXED, MIXED, BORDERS, PARETO, GIANT, SHAPES };
static const char *const shapes[] = {"ones", "empty", "fixed", "mixed", "borders", "pareto", "giant"};

static std::vector<u64> lengths_of(int shape, size_t n, const std::vector<u64> &borders) {
  std::vector<u64> l;
  size_t total = 0;
  const u64 fixed = 1 + random32() % 70;
  if (shape == EMPTY) l.assign(1 + random32() % 300, 0);
  else if (shape == GIANT) {
    l.assign(random32() % 50, 0);
    l.push_back(n);
    l.push_back(random32() % 3);
  } else
    while (total < n) {
      u64 k = fixed;
      if (shape == ONES) k = 1;
      if (shape == MIXED) {
        const unsigned r = random32() % 100;
        k = r < 30 ? 0 : r < 70 ? random32() % 9 : r < 95 ? random32() % 40 : random32() % 700;
      }
      if (shape == BORDERS) k = borders[random32() % borders.size()] + random32() % 3 - 1;
      if (shape == PARETO) k = u64(3.0 / (1e-4 + double(random32() % 10000) / 1e4));
      l.push_back(k);
      total += k;
    }
  return l;
}

enum Order { UNIFORM, FEW, CONSTANT, SORTED, REVERSED, LOW_BITS, HOT, ORDERS };
static const char *const orders[] = {"uniform", "few", "constant", "sorted", "reversed", "low bits", "hot digit"};

// A key's raw bits: floats include NaN payloads and both zeros.
template<class Bits> Bits key_of(int order, size_t i, size_t n) {
  const u64 any = u64(random32()) << 32 | random32();
  switch (order) {
  case FEW: return Bits(u64(any % 3) << (8 * sizeof(Bits) - 2));
  case CONSTANT: return Bits(0x5a5a5a5a5a5a5a5aull);
  case SORTED: return Bits(i);
  case REVERSED: return Bits(n - i);
  case LOW_BITS: return Bits(any & 0x7f) | Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  case HOT: return any % 16 ? Bits(any & 0x3ff) : Bits(any);
  default: return any % 11 == 0 ? Bits(0) : any % 11 == 1 ? Bits(Bits(1) << (8 * sizeof(Bits) - 1)) : Bits(any);
  }
}

struct Options {
  size_t offset; // of the buffers, in elements
  bool in_place, descending, ranges, bad;
  int begin_bit, end_bit;
};

template<class K, class Bits> u64 field_of(const Bits &raw, const Options &o) {
  u64 x = u64(gp__ordered<K>::encode(raw));
  if (o.descending) x = ~x & (~0ull >> (64 - 8 * sizeof(Bits)));
  const int bits = o.end_bit - o.begin_bit;
  return x >> o.begin_bit & (bits < 64 ? (1ull << bits) - 1 : ~0ull);
}

// Values: an array, indices (INDEX), or none (V = gp__none).
template<class V> V value_of(size_t i) {
  V v;
  std::memset(&v, 0, sizeof v);
  const u32 x = u32(i) * 2654435761u + 1;
  std::memcpy(&v, &x, sizeof v < 4 ? sizeof v : 4);
  return v;
}
template<class S> struct ValueTraits {
  typedef typename S::type V;
  static V of(size_t i) { return value_of<V>(i); }
  static const bool given = true;
};
template<class V> struct ValueTraits<gp__value_index<V>> {
  static V of(size_t i) { return V(i); }
  static const bool given = false;
};
template<class V> struct ValueTraits<gp__value_place<V>> : ValueTraits<gp__value_index<V>> {};
// Segments of one length have no offsets.
template<class O> struct Offsets { typedef O type; };
template<> struct Offsets<gp__none> { typedef u32 type; };
template<class S> struct IsPlace { static const bool value = false; };
template<class V> struct IsPlace<gp__value_place<V>> { static const bool value = true; };
template<> struct ValueTraits<gp__no_values> {
  static unsigned char of(size_t) { return 0; }
  static const bool given = false;
};
template<class V> struct Stored { typedef V type; };
template<> struct Stored<gp__none> { typedef unsigned char type; };

// Launches the kernels of a call, as dispatch does: for its segments, or for as many as change the launches.
template<class P, class K, class S, bool INDEXED, class O>
static int launch(const gp__shape &s, gp__segmented_sort_args a, int sms) {
  const gp_policy p = policy_of<P>(GP_SIZE_CLASSES);
  gp__shape as = s;
  if (random32() % (a.bad && *a.bad != ~0ull ? 2 : 3)) as.segments = std::max<u64>(s.segments, GP__FEW_SEGMENTS + 1);
  if (!s.offset_size && s.segments) as.count = as.segments * (s.count / s.segments);
  gp__segmented_sort_args at;
  if (!gp__policy_valid_segmented_sort(p, &s)) return 1;
  Device<unsigned char> scratch(gp__lay_out_segmented_sort(p, &as, nullptr, &at));
  gp__lay_out_segmented_sort(p, &as, scratch.data, &at);
  const int launches = at.launches, few = !(launches & GP__SORT_LISTS);
  a.header = at.header;
  for (int i = 0; i < GP__MIDDLE_CLASSES; ++i) a.list[i] = at.list[i], a.list_size[i] = at.list_size[i];
  a.buckets = at.buckets, a.group_counts = at.group_counts, a.tile_counts = at.tile_counts;
  a.other_keys = at.other_keys, a.other_values = at.other_values;
  a.queue_size = at.queue_size, a.bucket_size = at.bucket_size, a.tile_size = at.tile_size,
  a.group_size = at.group_size;
  a.workspace = workspace(1 + at.queue_size);
  a.few = few ? s.segments : 0;
  const unsigned short_bytes = unsigned(gp__short_shared_bytes(p, &s)), blocks = unsigned(sms);
  int e = 0;
  if (launches & GP__SORT_BEGINS) e = simt::launch_kernel("begin", 1, P::threads, 0, gp__segments_begin<P>, a);
  if (!e && launches & GP__SORT_LISTS)
    e = simt::launch_kernel("short", blocks, P::threads, short_bytes, gp__segments_short<P, K, S, INDEXED, O>, a);
  if (!e && launches & GP__SORT_BY_WARPS)
    e = simt::launch_kernel("middle", blocks, P::threads, short_bytes, gp__segments_middle<P, K, S, INDEXED>, a);
  if (!e && launches & GP__SORT_BY_BLOCKS)
    e = simt::launch_kernel("long", blocks, unsigned(gp__long_threads_of(p, &s)),
        unsigned(gp__long_shared_bytes(p, &s)), gp__segments_long<P, K, S, INDEXED, O>, a);
  return e;
}

template<class P, class K, class S, bool INDEXED, class Offset> struct Sort {
  typedef typename Offsets<Offset>::type O;
  static const bool EQUAL = std::is_same<Offset, gp__none>::value;
  typedef typename gp__ordered<K>::Bits Bits;
  typedef typename Stored<typename S::type>::type V;
  typedef ValueTraits<S> Values;

  static void run(const std::string &what, const std::vector<Bits> &keys, const std::vector<u64> &lengths, u64 gap,
      const Options &o, int sms) {
    const size_t n = keys.size(), segments = lengths.size();
    std::vector<O> begin, end;
    std::vector<V> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = V(Values::of(IsPlace<S>::value ? i % size_t(lengths[0]) : i));
    u64 position = gap;
    for (u64 l : lengths) {
      begin.push_back(O(position));
      end.push_back(O(position + l));
      position += l;
    }
    if (o.ranges) { // in any order
      for (size_t i = segments; i > 1; --i) {
        const size_t j = random32() % i;
        std::swap(begin[i - 1], begin[j]);
        std::swap(end[i - 1], end[j]);
      }
    } else begin.push_back(O(position));
    Device<Bits> in(keys, o.offset), out(n, o.offset % 3);
    Device<V> in_values(values, o.offset % 7), out_values(n, o.offset % 5);
    Device<O> begins(begin, o.offset % 5), ends(end, o.offset % 3);
    Device<u64> bad(std::vector<u64>(1, o.bad ? 3 : ~0ull), 0);
    if (n) simt::host_fill(out.data, 0x5a, n * sizeof(Bits)), simt::host_fill(out_values.data, 0x5a, n * sizeof(V));
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_SORT;
    s.key_size = sizeof(Bits), s.in_size = Values::given ? sizeof(V) : 0, s.out_size = S::any ? sizeof(V) : 0;
    s.compute_capability = 90, s.multiprocessors = sms, s.shared_bytes = 227 * 1024;
    s.count = n, s.segments = segments, s.offset_size = EQUAL ? 0 : sizeof(O), s.sorted.begin_bit = o.begin_bit,
    s.sorted.end_bit = o.end_bit;
    gp__segmented_sort_args a = {};
    const int bits = o.end_bit - o.begin_bit;
    const bool value_in_place = o.in_place && Values::given;
    Bits *result = o.in_place ? in.data : out.data;
    V *result_values = value_in_place ? in_values.data : out_values.data;
    a.keys = in.data, a.out_keys = result, a.values = Values::given ? in_values.data : nullptr;
    a.out_values = S::any ? result_values : nullptr;
    a.begin = begins.data, a.end = o.ranges ? ends.data : nullptr, a.segments = segments, a.count = n;
    a.bad = o.bad || o.offset % 2 ? bad.data : nullptr;
    a.flip = o.descending ? ~0ull : 0, a.mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
    a.low_bit = unsigned(o.begin_bit), a.top_shift = unsigned(bits > GP__RADIX_BITS ? bits - GP__RADIX_BITS : 0);
    a.whole = bits == 8 * int(sizeof(Bits));
    if (EQUAL) a.begin = nullptr, a.length = segments ? lengths[0] : 0;
    if (IsPlace<S>::value) a.values = reinterpret_cast<const void *>(uintptr_t(a.length));
    const int e = launch<P, K, S, INDEXED, O>(s, a, sms);
    // Elements outside of every segment stay unchanged.
    std::vector<Bits> expected(n);
    std::vector<V> expected_values(n);
    if (n)
      std::memset(expected.data(), 0x5a, n * sizeof(Bits)), std::memset(expected_values.data(), 0x5a, n * sizeof(V));
    if (o.in_place) expected = keys;
    if (value_in_place) expected_values = values;
    for (size_t i = 0; i < segments && !o.bad; ++i) {
      std::vector<size_t> order(size_t(end[i] - begin[i]));
      const size_t first = size_t(begin[i]);
      std::iota(order.begin(), order.end(), first);
      std::stable_sort(order.begin(), order.end(),
          [&](size_t x, size_t y) { return field_of<K>(keys[x], o) < field_of<K>(keys[y], o); });
      for (size_t j = 0; j < order.size(); ++j) {
        expected[first + j] = keys[order[j]];
        if (S::any) expected_values[first + j] = values[order[j]];
      }
    }
    check(!e && same_items(result, expected), what + " keys");
    if (S::any) check(!e && same_items(result_values, expected_values), what + " values");
    simt::clear_error();
  }

  static void sweep(const char *name, int seeds, bool large) {
    if (!only.empty() && only != name) return;
    gp__shape s = {};
    s.key_size = sizeof(Bits), s.out_size = S::any ? sizeof(V) : 0;
    s.sorted.end_bit = 8 * int(sizeof(Bits)) - (INDEXED && !S::any ? 1 : 0);
    const gp_policy p = policy_of<P>(GP_SIZE_CLASSES);
    gp__segmented_sort_args l;
    gp__lay_out_segmented_sort(p, &s, nullptr, &l);
    const u64 capacity = u64(gp__long_capacity(p, &s));
    std::vector<u64> borders = {1, 2, 3, 5, 8, 9, 16, 32, 64, 128, 256, 512, l.limit};
    if (large) borders = {1, 30, 300, l.limit, 1024, capacity / 2, capacity, 2 * capacity};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int shape = 0; shape < SHAPES; ++shape) {
        if (large && shape < PARETO && shape != BORDERS) continue;
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
        const u64 deep = shape == GIANT && seed % 3 == 1 ? 2 * GP__COUNT_TILES : 0; // several groups of tiles
        const size_t most = large ? size_t(capacity) * (1 + deep + random32() % 6) + random32() % 50
            : std::min<size_t>(capacity, 200 + random32() % 3000);
        std::vector<u64> lengths = lengths_of(shape, most, borders);
        if (EQUAL) {
          const u64 some = std::max<u64>(lengths.empty() ? 1 : lengths[lengths.size() / 2], 1);
          const u64 one = shape == PARETO ? l.limit >> random32() % 2 : some; // as long as a class
          lengths.assign(size_t(std::max<u64>(most / one, 1)), one);
        }
        u64 total = 0;
        for (u64 k : lengths) total += k;
        const u64 gap = !EQUAL && random32() % 2 ? random32() % 40 : 0;
        const size_t n = size_t(total + gap + (EQUAL ? 0 : random32() % 9));
        Options o = {};
        o.offset = seed % 3 ? random32() % 16 : 0;
        o.in_place = random32() % 2, o.descending = random32() % 2, o.ranges = !EQUAL && random32() % 3 == 0;
        o.bad = random32() % 5 == 0;
        o.end_bit = 8 * int(sizeof(Bits));
        if (INDEXED && (!S::any || random32() % 3 == 0)) {
          o.begin_bit = int(random32() % unsigned(o.end_bit));
          o.end_bit = o.begin_bit + int(random32() % 4 ? 1 + random32() % unsigned(o.end_bit - o.begin_bit) : 0);
          if (!S::any && o.end_bit - o.begin_bit == 8 * int(sizeof(Bits))) --o.end_bit;
        }
        const int order = shape == BORDERS && seed <= 2 ? int(HOT) : int(random32() % ORDERS),
                  sms = 1 + int(random32() % 12);
        std::vector<Bits> keys(n);
        for (size_t i = 0; i < n; ++i) keys[i] = key_of<Bits>(order, i, n);
        char text[240];
        std::snprintf(text, sizeof text,
            "%s %s %s n=%zu segments=%zu offset=%zu in_place=%d descending=%d ranges=%d bad=%d bits=%d..%d "
            "blocks=%d seed=%d:",
            name, shapes[shape], orders[order], n, lengths.size(), o.offset, o.in_place, o.descending, o.ranges, o.bad,
            o.begin_bit, o.end_bit, sms, seed);
        run(text, keys, lengths, gap, o, sms);
      }
  }
};

// The portable rule's launches and threads for keys of 4 bytes; length 0: by offsets.
static void launches_of(u64 segments, u64 length, u64 count, int value, int launches, int threads, gp_policy given) {
  gp__shape s = {};
  gp__segmented_sort_args a;
  s.primitive = GP_SEGMENTED_SORT, s.key_size = 4, s.in_size = s.out_size = value;
  s.compute_capability = 90, s.multiprocessors = 132, s.shared_bytes = 227 * 1024, s.sorted.end_bit = 32;
  s.count = length ? segments * length : count, s.segments = segments, s.offset_size = length ? 0 : 4;
  const gp_policy p = gp__portable_segmented_sort(given, &s);
  const u64 bytes = gp__lay_out_segmented_sort(p, &s, nullptr, &a);
  char text[200];
  std::snprintf(text, sizeof text, "%llu segments of %llu, count %llu: launches %d, %d threads, %llu bytes", segments,
      length, s.count, a.launches, p.threads, bytes);
  check(a.launches == launches && p.threads == threads && (bytes > 0) == (launches & GP__SORT_BEGINS), text);
}
static void test_launches() {
  const int all = 15, blocks = GP__SORT_BY_BLOCKS, queue = GP__SORT_BEGINS | GP__SORT_BY_BLOCKS;
  gp_policy none = {}, given = {};
  given.threads = 256;
  launches_of(41, 0, 4127, 0, blocks, 256, none); // together a block's
  launches_of(2048, 0, 8192, 0, blocks, 256, none);
  launches_of(2048, 0, 8193, 0, blocks, 512, none); // twice the threads hold them
  launches_of(2048, 0, 16385, 0, queue, 256, none);
  launches_of(2049, 0, 8192, 0, all, 256, none);
  launches_of(172, 0, 2048, 4, blocks, 256, none);
  launches_of(172, 0, 4127, 4, blocks, 512, none); // one of them may be too long for counting
  launches_of(172, 0, 4127, 4, queue, 256, given);
  launches_of(172, 0, 8193, 4, queue, 256, none);
  launches_of(61, 1009, 0, 0, blocks, 256, none); // one length
  launches_of(257, 1009, 0, 0, GP__SORT_BY_WARPS, 256, none);
  launches_of(257, 1025, 0, 0, blocks, 256, none);
  launches_of(100003, 33, 0, 0, GP__SORT_BY_WARPS, 256, none);
  launches_of(100003, 32, 0, 0, GP__SORT_LISTS, 256, none);
  launches_of(10007, 3001, 0, 4, blocks, 512, none);
  launches_of(10007, 16385, 0, 0, all, 256, none);
  launches_of(11, 16385, 0, 0, queue, 256, none);
}

typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 1, 2> Small;
typedef gp__policy<64, 4, GP_CACHE_ALL, GP_CACHE_ALL, 0, 1, 2> Roomy;

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
#ifdef TEST_SEGMENTED_SORT_SHORT
  if (only.empty() || only == "launches") test_launches();
  Sort<Small, u32, gp__no_values, false, u32>::sweep("keys", seeds, false);
  Sort<Small, float, gp__value_array<u32>, true, u64>::sweep("pairs", seeds, false);
  Sort<Small, u32, gp__value_place<u32>, true, gp__none>::sweep("one length", seeds, false);
  Sort<Roomy, u32, gp__no_values, false, gp__none>::sweep("keys of one length", seeds, false);
#ifndef TEST_FEW
  Sort<Roomy, u32, gp__no_values, false, int>::sweep("keys, large rooms", seeds, false);
  Sort<Roomy, u64, gp__value_array<Wide>, true, u32>::sweep("u64 and 16 bytes", seeds, false);
  Sort<Small, short, gp__no_values, true, u32>::sweep("some bits", seeds, false);
  Sort<Small, gp_bf16, gp__value_index<u32>, true, u32>::sweep("indices", seeds, false);
  Sort<Small, signed char, gp__value_array<Large>, true, long long>::sweep("40 bytes", seeds, false);
  Sort<Small, double, gp__no_values, false, u32>::sweep("f64", seeds, false);
  Sort<Small, unsigned char, gp__no_values, false, u32>::sweep("u8", seeds, false);
#endif
#endif
#ifdef TEST_SEGMENTED_SORT_LONG
  Sort<Small, u32, gp__value_array<u32>, true, u32>::sweep("long pairs", seeds, true);
  Sort<Roomy, u32, gp__no_values, false, u32>::sweep("long keys, in bins", seeds, true);
  Sort<Roomy, float, gp__value_array<u32>, true, u32>::sweep("long pairs, in bins", seeds, true);
  Sort<Roomy, u64, gp__no_values, false, u32>::sweep("long u64, in bins", seeds, true);
#ifndef TEST_FEW
  Sort<Roomy, u32, gp__value_index<u32>, true, u32>::sweep("long u32 and indices, in bins", seeds, true);
  Sort<Roomy, signed char, gp__value_array<u64>, true, u32>::sweep("long i8 and u64, in bins", seeds, true);
  Sort<Roomy, signed char, gp__no_values, false, u32>::sweep("long i8, in bins", seeds, true);
  Sort<Small, float, gp__no_values, false, u32>::sweep("long keys", seeds, true);
  Sort<Small, u64, gp__value_index<u64>, true, u64>::sweep("long u64 and indices", seeds, true);
  Sort<Small, unsigned char, gp__no_values, true, u32>::sweep("long, some bits", seeds, true);
  Sort<Small, unsigned short, gp__value_array<Large>, true, u32>::sweep("long, 40 bytes", seeds, true);
#endif
#endif
  return finish();
}
