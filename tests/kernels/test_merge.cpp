// Merge, merge sort and sets under the emulator: keys of every shape and value against the C++ standard's algorithms,
// on adversarial schedules. Usage: test_merge [seeds] [name of a test]
// Define TEST_MERGE, TEST_MERGE_SORT or TEST_SETS to compile that part alone; TEST_FEW compiles only the instances that
// mutants.py needs.
#if !defined(TEST_MERGE) && !defined(TEST_MERGE_SORT) && !defined(TEST_SETS)
#define TEST_MERGE
#define TEST_MERGE_SORT
#define TEST_SETS
#endif
#include "kernel_test.h"

#include <algorithm>

// ---- user orders: tying keys differ, which shows their order

struct ByLowByte {
  bool operator()(u32 a, u32 b) const { return (a & 255u) < (b & 255u); }
};
struct ByX {
  bool operator()(const Triple &a, const Triple &b) const { return a.x > b.x; }
};
struct ByFirst {
  bool operator()(const Large &a, const Large &b) const { return a.v[0] < b.v[0]; }
};
struct Pair { // 8 bytes, aligned to 4
  u32 key, rest;
};
struct ByKey {
  bool operator()(const Pair &a, const Pair &b) const { return a.key < b.key; }
};
template<> Pair draw<Pair>() { return {random32(), random32()}; }

// A key with about `range` values; the other bits are random.
template<class T> T narrow(u32 range) { return T(random32() % range); }
template<> u32 narrow<u32>(u32 range) { return random32() << 8 | random32() % (range < 256 ? range : 256); }
template<> float narrow<float>(u32 range) { // zeros of both signs
  const float x = float(random32() % range);
  return x == 0 && random32() % 2 ? -x : x;
}
template<> Triple narrow<Triple>(u32 range) { return {int(random32() % range), int(random32()), int(random32())}; }
template<> Large narrow<Large>(u32 range) { return {{(long long)(random32() % range), random32(), 1, 2, 3}}; }
template<> Pair narrow<Pair>(u32 range) { return {random32() % range, random32()}; }

// ---- inputs: two sorted arrays with n keys together

enum Shape { UNIFORM, FEW, EQUAL, DISJOINT, BEHIND, FIRST_EMPTY, SECOND_EMPTY, ALTERNATE, LONG_RUNS, SHAPES };
static const char *const shapes[] = {
    "uniform", "few", "equal", "disjoint", "behind", "first empty", "second empty", "alternate", "long runs"};

template<class Before, class Key>
static void make_inputs(int shape, size_t n, std::vector<Key> &a, std::vector<Key> &b) {
  const u32 range = shape == FEW ? 3 : shape == EQUAL ? 1 : shape == LONG_RUNS ? 2 + random32() % 9 : 250;
  std::vector<Key> all(n);
  for (auto &x : all) x = narrow<Key>(range);
  if (shape == LONG_RUNS) // half of one key, few of the others
    for (size_t i = 0; i < n / 2; ++i) all[i] = all[0];
  std::stable_sort(all.begin(), all.end(), Before());
  const size_t cut = shape == FIRST_EMPTY ? 0 : shape == SECOND_EMPTY ? n : n ? random32() % (n + 1) : 0;
  a.clear();
  b.clear();
  const u32 chance = 1 + random32() % 9;
  for (size_t i = 0; i < n; ++i) {
    const bool first = shape == DISJOINT || shape == FIRST_EMPTY || shape == SECOND_EMPTY ? i < cut
        : shape == BEHIND ? i >= cut
        : shape == ALTERNATE ? i % 2 == 0
        : random32() % 10 < chance;
    (first ? a : b).push_back(all[i]);
  }
}

static std::string what_of(const char *name, const char *shape, size_t n, size_t m, size_t offset, int sms, int seed) {
  char text[200];
  std::snprintf(
      text, sizeof text, "%s %s n=%zu m=%zu offset=%zu sms=%d seed=%d:", name, shape, n, m, offset, sms, seed);
  return text;
}

template<class T> struct ValueOf { typedef T type; };
template<> struct ValueOf<gp__none> { typedef u8 type; };
template<class V> static void number(std::vector<V> &values, u32 from) { // all different, if the type allows
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = draw<V>();
    const u32 mark = from + u32(i);
    std::memcpy(&values[i], &mark, sizeof(V) < 4 ? sizeof(V) : 4);
  }
}

template<class P>
static gp__shape shape_of(gp_primitive primitive, int key_size, int value_size, int sms, u64 n, u64 m) {
  gp__shape s = {};
  s.primitive = primitive;
  s.key_size = key_size, s.in_size = value_size;
  s.compute_capability = 90, s.multiprocessors = sms, s.shared_bytes = 227 * 1024;
  s.count = n, s.count2 = m;
  return s;
}

static const size_t NONE = ~size_t(0);
template<class T> static size_t first_wrong(const T *got, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!same(got[i], expected[i])) return i;
  return NONE;
}

// Sizes around a tile and several of them.
static size_t some_size(size_t tile) {
  const size_t sizes[] = {
      0, 1, 2, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 3 * tile + 1, 7 * tile + 5, 12 * tile};
  return sizes[random32() % 11];
}

#ifdef TEST_MERGE

template<class P, class Before, class Key, class Value> struct Merge {
  typedef typename ValueOf<Value>::type V;
  static const bool HAS = !std::is_same<Value, gp__none>::value;

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const int value_size = HAS ? int(sizeof(V)) : 0;
    const size_t tile = size_t(P::threads) * gp__merge_items(P::vectors, sizeof(Key), value_size);
    for (int seed = 1; seed <= seeds; ++seed)
      for (int shape = 0; shape < SHAPES; ++shape) {
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
        std::vector<Key> a, b;
        make_inputs<Before>(shape, shape == UNIFORM ? 23 * tile + 7 : some_size(tile), a, b);
        const size_t offset = seed % 3 ? random32() % 16 : 0;
        const int sms = shape == UNIFORM ? 1 : seed % 4 == 0 ? 100 : 1 + int(random32() % 4); // also: long ranges
        std::vector<V> u(a.size()), v(b.size());
        number(u, 0);
        number(v, 1u << 20);
        const size_t all = a.size() + b.size();
        Device<Key> keys(a, offset), keys2(b, offset % 7), out(all, offset % 5);
        Device<V> values(u, offset % 3), values2(v, offset % 11), out_values(HAS ? all : 0, offset % 13);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, a.size()), 0);
        gp__shape s =
            shape_of<P>(GP_MERGE, sizeof(Key), value_size, sms, a.size() + (seed % 5 == 0 ? 900 : 0), b.size());
        gp__geometry g = {};
        g.threads = unsigned(gp__merge_threads(policy_of<P>(GP_MERGE_PATH)));
        gp__geometry_merge(policy_of<P>(GP_MERGE_PATH), &s, u64(sms) * P::blocks_per_sm, &g);
        gp__merge_args x = {};
        x.keys = keys.data, x.keys2 = keys2.data, x.out_keys = out.data, x.count = s.count, x.count2 = s.count2;
        x.count_device = s.count > a.size() ? count.data : nullptr;
        if (HAS) x.values = values.data, x.values2 = values2.data, x.out_values = out_values.data;
        int e = gp__policy_valid_merge(policy_of<P>(GP_MERGE_PATH), &s) ? 0 : 1;
        if (!e) e = simt::launch_kernel(name, g.grid, P::threads, g.shared_bytes, gp__merge<P, Before, Key, Value>, x);
        std::vector<size_t> place(all), place2(b.size());
        std::vector<Key> expected(all);
        for (size_t i = 0; i < b.size(); ++i) place2[i] = a.size() + i;
        std::vector<size_t> place1(a.size());
        for (size_t i = 0; i < a.size(); ++i) place1[i] = i;
        const auto at = [&](size_t i) -> const Key & { return i < a.size() ? a[i] : b[i - a.size()]; };
        std::merge(place1.begin(), place1.end(), place2.begin(), place2.end(), place.begin(),
            [&](size_t i, size_t j) { return Before()(at(i), at(j)); });
        std::vector<V> expected_values(HAS ? all : 0);
        for (size_t i = 0; i < all; ++i) {
          expected[i] = at(place[i]);
          if (HAS) expected_values[i] = place[i] < a.size() ? u[place[i]] : v[place[i] - a.size()];
        }
        const size_t wrong = e ? 0 : first_wrong(out.data, expected);
        const size_t wrong2 = e ? 0 : first_wrong(out_values.data, expected_values);
        check(!e && wrong == NONE && wrong2 == NONE,
            what_of(name, shapes[shape], a.size(), b.size(), offset, sms, seed) +
                (wrong != NONE ? " key " + std::to_string(wrong) : "") +
                (wrong2 != NONE ? " value " + std::to_string(wrong2) : ""));
        simt::clear_error();
      }
  }
};

#endif

#ifdef TEST_MERGE_SORT

enum Order { RANDOM, SORTED, REVERSED, CONSTANT, TWO, ALMOST, ORGAN_PIPE, ORDERS };
static const char *const orders[] = {"random", "sorted", "reversed", "constant", "two", "almost sorted", "organ pipe"};

template<class P, class Before, class Key, class Value, bool FOUR = false> struct MergeSort {
  typedef typename ValueOf<Value>::type V;
  static const bool HAS = !std::is_same<Value, gp__none>::value;

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const int value_size = HAS ? int(sizeof(V)) : 0;
    const size_t tile = size_t(P::threads) * gp__sort_tile_items(P::vectors, sizeof(Key), value_size);
    for (int seed = 1; seed <= seeds; ++seed)
      for (int order = 0; order < ORDERS; ++order) {
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(order));
        const size_t n = some_size(tile) + (FOUR && random32() % 3 == 0 ? 4 * tile : 0);
        const size_t offset = seed % 3 ? random32() % 16 : 0;
        const int sms = seed % 4 == 0 ? 100 : 1 + int(random32() % 4);
        std::vector<Key> input(n);
        for (auto &x : input) x = narrow<Key>(order == CONSTANT ? 1 : order == TWO ? 2 : 250);
        if (order >= SORTED && order != CONSTANT && order != TWO)
          std::stable_sort(input.begin(), input.end(), Before());
        if (order == REVERSED) std::reverse(input.begin(), input.end());
        if (order == ORGAN_PIPE) std::reverse(input.begin() + long(n / 2), input.end());
        if (order == ALMOST)
          for (size_t i = 0; i < n; i += 37) std::swap(input[i], input[random32() % n]);
        const bool indices = HAS && std::is_same<V, u32>::value && seed % 2, in_place = seed % 4 == 1;
        std::vector<V> u(n);
        number(u, 0);
        Device<Key> keys(input, offset), out(in_place ? 0 : n, offset % 5), other(n, 0);
        Device<V> values(u, offset % 3), out_values(HAS ? n : 0, offset % 13),
            other_values(HAS ? n : 0, size_t(seed % 3));
        const gp__shape s = shape_of<P>(GP_MERGE_SORT, sizeof(Key), value_size, sms, n, 0);
        const gp_policy p = policy_of<P>(FOUR ? GP_FOUR_WAY_PASSES : GP_MERGE_PASSES);
        gp__geometry g = {};
        g.threads = unsigned(gp__merge_threads(p));
        gp__geometry_merge(p, &s, u64(sms) * P::blocks_per_sm, &g);
        Key *final_keys = in_place ? keys.data : out.data;
        V *final_values = in_place && !indices ? values.data : out_values.data;
        int passes = 0, e = gp__policy_valid_merge(p, &s) ? 0 : 1;
        for (size_t run = tile; run < n; run *= 2) ++passes;
        gp__merge_args x = {};
        Device<unsigned long long> borders(FOUR ? g.tiles * 4 : 0, 0);
        x.count = n;
        x.borders = borders.data;
        x.log2_ways = 2 - unsigned(passes) % 2;
        if (FOUR) passes = (passes + 1) / 2;
        x.keys = keys.data, x.values = HAS && !indices ? values.data : nullptr;
        x.out_keys = passes % 2 ? other.data : final_keys;
        if (HAS) x.out_values = passes % 2 ? other_values.data : final_values;
        if (!e && n)
          e = simt::launch_kernel("tiles", seed % 2 ? unsigned(g.tiles) : 1 + random32() % unsigned(g.tiles),
              P::threads, unsigned(gp__sort_tile_shared_bytes(p, &s)), gp__merge_sort_tiles<P, Before, Key, Value>, x);
        for (int pass = 0; pass < passes && !e; ++pass) {
          x.run = tile << pass;
          x.keys = x.out_keys, x.values = x.out_values;
          x.out_keys = (passes - pass) % 2 ? final_keys : other.data;
          if (HAS) x.out_values = (passes - pass) % 2 ? final_values : other_values.data;
          if (FOUR) {
            x.borders = seed % 4 < 2 ? borders.data : nullptr; // a tile finds its own
            if (x.borders)
              e = simt::launch_kernel("borders", 1 + random32() % unsigned(g.tiles), P::threads,
                  P::threads * unsigned(sizeof(Key)), gp__merge_four_borders<P, Before, Key, Value>, x);
            if (!e)
              e = simt::launch_kernel(
                  "pass", unsigned(g.tiles), P::threads, g.shared_bytes, gp__merge_four<P, Before, Key, Value>, x);
            x.log2_run += x.log2_ways, x.log2_ways = 2;
          } else
            e = simt::launch_kernel("pass", g.grid, P::threads, g.shared_bytes, gp__merge<P, Before, Key, Value>, x);
        }
        std::vector<size_t> place(n);
        for (size_t i = 0; i < n; ++i) place[i] = i;
        std::stable_sort(place.begin(), place.end(), [&](size_t i, size_t j) { return Before()(input[i], input[j]); });
        std::vector<Key> expected(n);
        std::vector<V> expected_values(HAS ? n : 0);
        for (size_t i = 0; i < n; ++i) {
          expected[i] = input[place[i]];
          const u32 index = u32(place[i]);
          if (HAS) expected_values[i] = u[place[i]];
          if (indices) std::memcpy(&expected_values[i], &index, sizeof(V) < 4 ? sizeof(V) : 4);
        }
        const size_t wrong = e ? 0 : first_wrong(final_keys, expected);
        const size_t wrong2 = e ? 0 : first_wrong(final_values, expected_values);
        check(!e && wrong == NONE && wrong2 == NONE,
            what_of(name, orders[order], n, 0, offset, sms, seed) +
                (wrong != NONE ? " key " + std::to_string(wrong) : "") +
                (wrong2 != NONE ? " value " + std::to_string(wrong2) : ""));
        simt::clear_error();
      }
  }
};

#endif

#ifdef TEST_SETS

template<class P, int SET, class Before, class Key, class Value, bool PIPELINED = false> struct Sets {
  typedef typename ValueOf<Value>::type V;
  static const bool HAS = !std::is_same<Value, gp__none>::value;
  static const bool BOTH = SET == GP_SET_UNION || SET == GP_SET_SYMMETRIC_DIFFERENCE;

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const int value_size = HAS ? int(sizeof(V)) : 0;
    const size_t tile = size_t(P::threads) * gp__merge_items(P::vectors, sizeof(Key), value_size) - 1;
    for (int seed = 1; seed <= seeds; ++seed)
      for (int shape = 0; shape < SHAPES; ++shape) {
        if (!has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 100 + unsigned(shape));
        std::vector<Key> a, b;
        make_inputs<Before>(shape, some_size(tile), a, b);
        const size_t offset = seed % 3 ? random32() % 16 : 0;
        const int sms = seed % 4 == 0 ? 100 : 1 + int(random32() % 4);
        std::vector<V> u(a.size()), v(BOTH ? b.size() : 0);
        number(u, 0);
        number(v, 1u << 20);
        std::vector<size_t> place1(a.size()), place2(b.size()), place;
        for (size_t i = 0; i < a.size(); ++i) place1[i] = i;
        for (size_t i = 0; i < b.size(); ++i) place2[i] = a.size() + i;
        const auto at = [&](size_t i) -> const Key & { return i < a.size() ? a[i] : b[i - a.size()]; };
        const auto before = [&](size_t i, size_t j) { return Before()(at(i), at(j)); };
        const auto to = std::back_inserter(place);
        if (SET == GP_SET_UNION) std::set_union(place1.begin(), place1.end(), place2.begin(), place2.end(), to, before);
        else if (SET == GP_SET_INTERSECTION)
          std::set_intersection(place1.begin(), place1.end(), place2.begin(), place2.end(), to, before);
        else if (SET == GP_SET_DIFFERENCE)
          std::set_difference(place1.begin(), place1.end(), place2.begin(), place2.end(), to, before);
        else std::set_symmetric_difference(place1.begin(), place1.end(), place2.begin(), place2.end(), to, before);
        const size_t results = place.size(); // nothing after them is written
        Device<Key> keys(a, offset), keys2(b, offset % 7), out(results, offset % 5);
        Device<V> values(u, offset % 3), values2(v, offset % 11), out_values(HAS ? results : 0, offset % 13);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, a.size()), 0), out_count(1, 0);
        const gp__shape s = shape_of<P>(
            gp_primitive(SET), sizeof(Key), value_size, sms, a.size() + (seed % 5 == 0 ? 900 : 0), b.size());
        const gp_policy p = policy_of<P>(PIPELINED ? GP_PIPELINED : GP_MERGE_PATH);
        gp__geometry g = {};
        g.threads = unsigned(gp__merge_threads(p));
        gp__geometry_merge(p, &s, u64(sms) * P::blocks_per_sm, &g);
        Device<unsigned long long> borders(g.scratch / 8, 0);
        gp__merge_args x = {};
        x.keys = keys.data, x.keys2 = keys2.data, x.out_keys = out.data, x.count = s.count, x.count2 = s.count2;
        x.count_device = s.count > a.size() ? count.data : nullptr;
        if (HAS) x.values = values.data, x.values2 = BOTH ? values2.data : nullptr, x.out_values = out_values.data;
        x.out_count = out_count.data;
        x.workspace = workspace(g.words);
        if (seed % 2 == 0 && g.tiles) g.grid = unsigned(g.tiles); // a tile a block finds its own borders
        x.borders = !PIPELINED && g.tiles > g.grid ? borders.data : nullptr;
        int e = gp__policy_valid_merge(p, &s) ? 0 : 1;
        if (!e && x.borders)
          e = simt::launch_kernel("borders", unsigned(gp__balanced_path_blocks(p, g.tiles)), P::threads, 0,
              gp__balanced_paths<P, Before, Key, Value>, x);
        if (!e)
          e = simt::launch_kernel(name, g.grid, g.threads, g.shared_bytes,
              PIPELINED ? gp__set_pipelined<P, SET, Before, Key, Value> : gp__set_operation<P, SET, Before, Key, Value>,
              x);
        std::vector<Key> expected(results);
        std::vector<V> expected_values(HAS ? results : 0);
        for (size_t i = 0; i < results; ++i) {
          expected[i] = at(place[i]);
          if (HAS) expected_values[i] = place[i] < a.size() ? u[place[i]] : v[place[i] - a.size()];
        }
        const bool counted = !e && *out_count.data == results;
        const size_t wrong = !counted ? 0 : first_wrong(out.data, expected);
        const size_t wrong2 = !counted ? 0 : first_wrong(out_values.data, expected_values);
        check(counted && wrong == NONE && wrong2 == NONE,
            what_of(name, shapes[shape], a.size(), b.size(), offset, sms, seed) + (counted ? "" : " count") +
                (wrong != NONE ? " key " + std::to_string(wrong) : "") +
                (wrong2 != NONE ? " value " + std::to_string(wrong2) : ""));
        simt::clear_error();
      }
  }
};

#endif

typedef gp__policy<32, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Tiny;
typedef gp__policy<64, 4, GP_CACHE_STREAMING, GP_CACHE_ALL, 0, 2, 1> Small; // beside the launch before
typedef gp__policy<128, 2, GP_CACHE_L2, GP_CACHE_ALL, 0, 1, 2> Medium;

#ifdef TEST_MERGE
// The order of a radix sort as a comparison: fields of more than 64 bits, up and down; floats with zeros and NaNs.
static void test_key_order() {
  if (!only.empty() && only != "key order") return;
  typedef gp__key_field<8, int, true> Last;
  typedef gp__field_key<Triple, gp__key_field<4, int, false>, Last, gp__key_field<0, int, false>> Fields;
  for (int i = 0; i < 3000; ++i) {
    const Triple a = narrow<Triple>(3), b = {int(random32() % 3), i % 2 ? a.y : int(random32()), i % 3 ? a.z : -a.x};
    const bool up = a.y != b.y ? a.y < b.y : a.z != b.z ? a.z > b.z : a.x < b.x;
    const bool down = a.y != b.y ? a.y > b.y : a.z != b.z ? a.z < b.z : a.x > b.x;
    check(gp__key_before<Fields, false>()(a, b) == up, "three fields, up");
    check(gp__key_before<Fields, true>()(a, b) == down, "three fields, down");
  }
  static const u32 ordered[] = {
      0xffc00000, 0xff800000, 0xbf800000, 0x80000000, 0, 1, 0x3f800000, 0x7f800000, 0x7fc00000};
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) {
      check(gp__key_before<gp__radix_key<float>, false>()(ordered[i], ordered[j]) == (i < j), "floats, up");
      check(gp__key_before<gp__radix_key<float>, true>()(ordered[i], ordered[j]) == (i > j), "floats, down");
      check(gp__key_before<gp__radix_number<float>, false>()(ordered[i], ordered[j]) == (i < j && (i != 3 || j != 4)),
          "numbers, up");
    }
}
#endif

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
#ifdef TEST_MERGE
  test_key_order();
  Merge<Small, ByLowByte, u32, gp__none>::sweep("merge u32", seeds);
  Merge<Tiny, ByX, Triple, u32>::sweep("merge s12 + u32", seeds);
  Merge<Tiny, ByLowByte, u32, gp__none>::sweep("merge u32, a ring that is no power of two", seeds);
  Merge<Medium, ByKey, Pair, Large>::sweep("merge s8 + s40", seeds);
#ifndef TEST_FEW
  Merge<Medium, gp_less<u8>, u8, gp__none>::sweep("merge u8", seeds);
  Merge<Small, gp_greater<u64>, u64, u64>::sweep("merge u64 descending + u64", seeds / 2 + 1);
  Merge<Tiny, gp_less<double>, double, u16>::sweep("merge f64 + u16", seeds);
  Merge<Small, gp_less<gp_f16>, gp_f16, Triple>::sweep("merge f16 + s12", seeds);
  Merge<Tiny, ByFirst, Large, u8>::sweep("merge s40 + u8", seeds);
#endif
#endif
#ifdef TEST_MERGE_SORT
  MergeSort<Small, ByLowByte, u32, u32>::sweep("sort u32 + u32", seeds);
  MergeSort<Medium, gp_less<float>, float, gp__none>::sweep("sort f32", seeds);
  MergeSort<Tiny, ByLowByte, u32, u32, true>::sweep("sort u32 + u32, four ways", seeds);
  MergeSort<Small, ByLowByte, u32, gp__none, true>::sweep("sort u32, four ways", seeds);
  MergeSort<Tiny, ByX, Triple, Wide, true>::sweep("sort s12 + s16, four ways", seeds);
  MergeSort<Small, gp_less<float>, float, gp__none, true>::sweep("sort f32, four ways", seeds);
#ifndef TEST_FEW
  MergeSort<Small, gp_less<u32>, u32, gp__none>::sweep("sort u32", seeds);
  MergeSort<Tiny, gp_greater<u8>, u8, gp__none>::sweep("sort u8 descending", seeds);
  MergeSort<Tiny, ByX, Triple, Wide>::sweep("sort s12 + s16", seeds);
  MergeSort<Medium, ByKey, Pair, gp__none>::sweep("sort s8", seeds);
  MergeSort<Medium, ByKey, Pair, Pair, true>::sweep("sort s8 + s8, four ways", seeds);
  MergeSort<Medium, gp_greater<u64>, u64, gp__none, true>::sweep("sort u64 descending, four ways", seeds / 2 + 1);
  MergeSort<Tiny, gp_less<u32>, u32, u64, true>::sweep("sort u32 + u64, four ways", seeds);
  MergeSort<Tiny, gp_less<u16>, u16, u16, true>::sweep("sort u16 + u16, four ways", seeds);
  MergeSort<Tiny, gp_greater<u8>, u8, u8, true>::sweep("sort u8 descending + u8, four ways", seeds);
  MergeSort<Tiny, ByFirst, Large, gp__none, true>::sweep("sort s40, four ways", seeds);
  MergeSort<Medium, gp_less<long long>, long long, Large, true>::sweep("sort i64 + s40, four ways", seeds / 2 + 1);
  MergeSort<Tiny, ByFirst, Large, u16>::sweep("sort s40 + u16", seeds);
  MergeSort<Medium, gp_less<long long>, long long, Large>::sweep("sort i64 + s40", seeds / 2 + 1);
#endif
#endif
#ifdef TEST_SETS
  Sets<Tiny, GP_SET_UNION, ByLowByte, u32, u32>::sweep("union u32 + u32", seeds);
  Sets<Small, GP_SET_UNION, ByLowByte, u32, gp__none>::sweep("union u32", seeds);
  Sets<Small, GP_SET_INTERSECTION, ByX, Triple, gp__none>::sweep("intersection s12", seeds);
  Sets<Tiny, GP_SET_UNION, ByLowByte, u32, u32, true>::sweep("union u32 + u32, pipelined", seeds);
  Sets<Small, GP_SET_INTERSECTION, gp_less<u32>, u32, gp__none, true>::sweep("intersection u32, pipelined", seeds);
  Sets<Small, GP_SET_DIFFERENCE, ByLowByte, u32, gp__none>::sweep("difference u32", seeds);
  Sets<Medium, GP_SET_SYMMETRIC_DIFFERENCE, gp_less<u16>, u16, gp__none>::sweep("symmetric difference u16", seeds);
#ifndef TEST_FEW
  Sets<Tiny, GP_SET_SYMMETRIC_DIFFERENCE, ByKey, Pair, Triple>::sweep("symmetric difference s8 + s12", seeds);
  Sets<Small, GP_SET_DIFFERENCE, ByX, Triple, u8, true>::sweep("difference s12 + u8, pipelined", seeds);
  Sets<Tiny, GP_SET_SYMMETRIC_DIFFERENCE, gp_less<u64>, u64, gp__none, true>::sweep(
      "symmetric difference u64, pipelined", seeds);
  Sets<Medium, GP_SET_UNION, gp_less<u8>, u8, gp__none>::sweep("union u8", seeds);
  Sets<Tiny, GP_SET_DIFFERENCE, gp_greater<double>, double, Large>::sweep("difference f64 descending + s40", seeds);
  Sets<Small, GP_SET_INTERSECTION, ByFirst, Large, u16>::sweep("intersection s40 + u16", seeds);
#endif
#endif
  return finish();
}
