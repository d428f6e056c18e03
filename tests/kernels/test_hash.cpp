// The hash tables of gpuprims.h under the emulator: groups, folds and joins against maps, on adversarial schedules.
// Sorts and scans between the kernels are the test's own. Usage: test_hash [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

// ---- keys

struct Odd { // 6 bytes: three words of 2
  u16 v[3];
};
struct Mixed { // 12 bytes: three words of 4
  u32 v[3];
};
struct Deep { // 16 bytes: two words of 8
  u64 v[2];
};
template<class K> struct words_of { // as gp__spell_hash has them
  static const int bytes = sizeof(K) % alignof(K) ? 1 : int(alignof(K)), count = int(sizeof(K)) / bytes;
  typedef typename gp__unsigned_of<bytes>::type type;
};
template<> struct words_of<gp_bool> {
  static const int bytes = 1, count = 1;
  typedef gp_bool type;
};
template<class K> K key_from(u64 x) {
  K key;
  std::memset(&key, 0, sizeof key);
  std::memcpy(&key, &x, std::min(sizeof key, sizeof x));
  if (sizeof key > sizeof x) { // keys that differ in their last word alone, too
    unsigned char *last = reinterpret_cast<unsigned char *>(&key) + sizeof key - 1;
    *last = static_cast<unsigned char>(x % 7);
  }
  return key;
}
// 8-byte keys of which each has the hash of its neighbour.
static std::vector<u64> colliding() {
  static std::vector<u64> keys;
  if (!keys.empty()) return keys;
  std::vector<std::pair<u32, u64>> all;
  for (u64 i = 0; i < 400000; ++i) {
    const u64 x = i * 0x123456789abcdefull + 5;
    all.emplace_back(gp__hash_key<u64, 1>::hash(&x), x);
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i].first == all[i - 1].first) keys.push_back(all[i - 1].second), keys.push_back(all[i].second);
  return keys;
}
enum Way { ANY, ONE, DISTINCT, ZIPF, ENDS, RUNS, WAYS };
// ENDS: the values that a table might take for a mark, and keys of equal hashes.
template<class K> std::vector<K> make_keys(size_t n, u64 different, int way) {
  std::vector<K> keys(n);
  const std::vector<u64> same_hash = sizeof(K) == 8 ? colliding() : std::vector<u64>();
  for (size_t i = 0; i < n; ++i) {
    u64 x = random32() % different * 0x9e3779b97f4a7c15ull;
    if (way == ONE) x = 42;
    if (way == DISTINCT) x = i;
    if (way == ZIPF) x = u64(double(different) / (1 + random32() % (different * 4)));
    if (way == ENDS)
      x = random32() % 4 ? 0 - u64(random32() % 3) : same_hash.empty() ? 0 : same_hash[random32() % same_hash.size()];
    if (way == ENDS && sizeof(K) == 16 && random32() % 2) { // the same first word, and one hash
      const u64 pair[2] = {7, colliding()[random32() % colliding().size()] - gp__mix2(7 * 0x9e3779b97f4a7c15ull)};
      std::memcpy(&keys[i], pair, std::min(sizeof pair, sizeof(K)));
      continue;
    }
    keys[i] = way == RUNS && i % (n % 3 ? 37 : 32) ? keys[i - 1] : key_from<K>(x);
  }
  return keys;
}
static std::string bytes_of(const gp_bool &key) { return std::string(1, char(key.bits != 0)); } // of equal keys
template<class K> std::string bytes_of(const K &key) {
  return std::string(reinterpret_cast<const char *>(&key), sizeof key);
}

// ---- launches

template<class T> T *null_if(bool no, T *p) { return no ? nullptr : p; }
template<class Kernel> bool run(const char *name, unsigned blocks, int threads, Kernel kernel, const gp__hash_args &a) {
  return simt::launch_kernel(name, blocks, threads, 0, kernel, a) == 0;
}
struct Table {
  Device<u64> slots;
  explicit Table(u64 rows) : slots(std::vector<u64>(size_t(2 * rows + 3), 0), 0) {}
  void give(u64 rows, gp__hash_args &a) {
    a.slot_count = 2 * rows + 2;
    a.slots = slots.data;
    a.found = slots.data + a.slot_count;
    a.count = rows;
  }
};

// ---- groups

template<class T> struct Column {
  std::vector<T> values;
  Device<T> in;
  Column(const std::vector<T> &x, size_t shift) : values(x), in(x, shift) {}
};
// Numbers whose order of addition matters.
template<class T> T rough() { return T(random32()); }
template<> double rough<double>() {
  return std::ldexp(double(int(random32() % 20001) - 10000), int(random32() % 60) - 30);
}
template<> float rough<float>() {
  return random32() % 50 ? float(std::ldexp(double(int(random32() % 20001) - 10000), int(random32() % 40) - 20))
      : random32() % 2 ? 0.0f
      : -0.0f;
}

// by_key: a sort of the keys brings groups together, otherwise one of their first rows, which a table finds. moved: the
// columns are in the order of the groups.
template<class P, class K>
void groups(const char *name, size_t n, u64 different, int way, unsigned blocks, bool by_key, bool moved,
    bool on_device, u64 capacity, unsigned seed) {
  typedef words_of<K> Words;
  typedef typename Words::type W;
  char text[200];
  std::snprintf(text, sizeof text,
      "%s n=%zu different=%llu way=%d blocks=%u by_key=%d moved=%d capacity=%llu seed=%u:", name, n, different, way,
      blocks, int(by_key), int(moved), capacity, seed);
  std::vector<K> keys = make_keys<K>(n, different, way);
  std::vector<int> ints(n);
  std::vector<float> floats(n);
  std::vector<double> doubles(n);
  for (size_t i = 0; i < n; ++i) ints[i] = rough<int>(), floats[i] = rough<float>(), doubles[i] = rough<double>();
  if (n > 40 && seed % 3 == 1)
    floats[n / 2] = NAN, doubles[n / 3] = INFINITY, doubles[n / 4] = way == ONE ? -INFINITY : 1;
  // The oracle: rows of each key, in the order of the groups.
  std::map<std::string, std::vector<size_t>> of_key;
  std::vector<std::pair<size_t, std::string>> first;
  for (size_t i = 0; i < n; ++i) {
    std::vector<size_t> &rows = of_key[bytes_of(keys[i])];
    if (rows.empty()) first.emplace_back(i, bytes_of(keys[i]));
    rows.push_back(i);
  }
  if (by_key)
    std::sort(first.begin(), first.end(),
        [](const std::pair<size_t, std::string> &x, const std::pair<size_t, std::string> &y) {
          return std::memcmp(x.second.data(), y.second.data(), x.second.size()) < 0;
        });
  const size_t found = first.size(), kept = std::min<size_t>(found, capacity);
  std::vector<u32> order, begins;
  for (const auto &group : first) {
    begins.push_back(u32(order.size()));
    for (size_t row : of_key[group.second]) order.push_back(u32(row));
  }
  const auto in_order = [&](const auto &x) {
    auto y = x;
    for (size_t i = 0; i < n && moved; ++i) y[i] = x[order[i]];
    return y;
  };
  Device<K> in_keys(keys, seed % 3), out_keys(kept + 1);
  Column<int> c(in_order(ints), seed % 3);
  Column<float> f(in_order(floats), 0);
  Column<double> d(in_order(doubles), 1);
  std::vector<u8> bits(n);
  for (u8 &bit : bits) bit = random32() % 2 ? u8(random32()) : 0;
  Column<u8> t(in_order(bits), seed % 2);
  const bool truths = seed % 2; // the first sum and the last mean: of bool
  Device<u64> count(std::vector<u64>(1, n), 0), out_count(1);
  Device<u32> places(n), rows(n), list(begins, seed % 3), sorted(order, 0);
  Device<u64> number(std::vector<u64>(1, found), 0);
  gp__hash_args a = {};
  a.keys = in_keys.data;
  a.count = n;
  Table table(n);
  bool good = true;
  if (!by_key) {
    table.give(n, a);
    a.places = places.data;
    if (on_device) a.count += 3, a.count_device = count.data;
    good = run("insert", blocks, P::threads, gp__hash_insert<P, W, Words::count>, a);
    a.list = places.data, a.rows = rows.data;
    good = good && run("take", blocks, P::threads, gp__hash_take<P>, a);
    if (!good) return simt::clear_error();
    bool firsts = true;
    for (size_t i = 0; i < n; ++i) firsts = firsts && rows.data[i] == of_key[bytes_of(keys[i])][0];
    check(firsts, std::string(text) + " first rows");
  } else if (on_device) a.count += 3, a.count_device = count.data;
  // The sort and what follows it: here the test's own.
  std::vector<u32> first_rows;
  std::vector<K> group_keys;
  for (const auto &group : first) first_rows.push_back(u32(group.first)), group_keys.push_back(keys[group.first]);
  Device<u32> of_group(first_rows, 0);
  Device<K> key_of_group(group_keys, seed % 3);
  a.found = number.data;
  a.list = nullptr, a.rows = nullptr;
  if (!by_key) a.rows = of_group.data;
  else if (seed % 2) a.list = list.data, a.rows = sorted.data; // as for keys of bool
  else a.keys = key_of_group.data;
  // Sums and means of ints and floats, extremes and their places.
  gp_aggregate of[8] = {{GP_AGGREGATE_SUM, GP_I32, c.in.data, nullptr, GP_I64},
      {GP_AGGREGATE_MEAN, GP_F64, d.in.data, nullptr, GP_F64},
      {GP_AGGREGATE_ARGMAX, GP_F32, f.in.data, nullptr, GP_I64}, {GP_AGGREGATE_MIN, GP_F32, f.in.data, nullptr, GP_F32},
      {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, nullptr, GP_U32},
      {GP_AGGREGATE_SUM, GP_F64, d.in.data, nullptr, GP_F64}, {GP_AGGREGATE_ARGMIN, GP_I32, c.in.data, nullptr, GP_U32},
      {GP_AGGREGATE_MEAN, GP_I32, c.in.data, nullptr, GP_F32}};
  Device<long long> sum(kept), argmax(kept);
  Device<double> mean(kept), total(kept);
  Device<float> least(kept), middle(kept);
  Device<u32> many(kept), argmin(kept);
  if (truths) of[0].type = of[7].type = GP_BOOL, of[0].column = of[7].column = t.in.data;
  void *const outs[8] = {sum.data, mean.data, argmax.data, least.data, many.data, total.data, argmin.data, middle.data};
  for (int i = 0; i < 8; ++i) of[i].out = outs[i];
  check(gp__list_folds(of, 8, &a) == 3, "both passes fold");
  Device<u64> words(std::vector<u64>((n / GP__GROUP_LONG + 1) * size_t(a.group_words), 0), 0);
  a.words = words.data;
  a.capacity = capacity, a.out_keys = seed % 4 ? out_keys.data : nullptr, a.out_count = out_count.data;
  good = good && run("number", blocks, P::threads, gp__hash_number<P, W, Words::count>, a);
  a.list = list.data, a.order = moved ? nullptr : sorted.data;
  good = good && run("fold", blocks, P::threads, gp__hash_fold<P>, a);
  a.pass = 1;
  good = good && run("second fold", blocks, P::threads, gp__hash_fold<P>, a);
  good = good && run("finish", blocks, P::threads, gp__hash_finish<P>, a);
  check(good && out_count.data[0] == found, std::string(text) + " launches");
  if (!good) return simt::clear_error();
  bool same_keys = true, same_results = true, same_sums = true;
  for (size_t g = 0; g < kept; ++g) {
    const std::vector<size_t> &r = of_key[first[g].second];
    if (a.out_keys) same_keys = same_keys && bytes_of(out_keys.data[g]) == first[g].second;
    long long int_sum = 0, true_sum = 0;
    size_t low = r[0], high = r[0];
    __int128 exact = 0; // in units of 2^-30
    bool nan = false, up = false, down = false, float_nan = false;
    float smallest = floats[r[0]];
    for (size_t i : r) {
      int_sum += ints[i], true_sum += bits[i] != 0;
      if (ints[i] < ints[low]) low = i;
      if (!std::isnan(floats[high]) && (std::isnan(floats[i]) || floats[i] > floats[high])) high = i;
      float_nan = float_nan || std::isnan(floats[i]);
      if (floats[i] < smallest || (floats[i] == smallest && std::signbit(floats[i]))) smallest = floats[i];
      nan = nan || std::isnan(doubles[i]), up = up || doubles[i] == INFINITY, down = down || doubles[i] == -INFINITY;
      if (std::isfinite(doubles[i])) exact += __int128(std::ldexp(doubles[i], 30));
    }
    double expected = nan || (up && down) ? NAN : up ? INFINITY : down ? -INFINITY : std::ldexp(double(exact), -30);
    same_results = same_results && sum.data[g] == (truths ? true_sum : int_sum) && many.data[g] == r.size() &&
        (moved ? order[argmin.data[g]] : argmin.data[g]) == low &&
        (moved ? order[size_t(argmax.data[g])] : size_t(argmax.data[g])) == high &&
        same(middle.data[g], float(double(truths ? true_sum : int_sum) / double(r.size()))) &&
        (float_nan ? std::isnan(least.data[g]) : same(least.data[g], smallest));
    const double average = expected / double(r.size());
    same_sums = same_sums &&
        (std::isnan(expected) ? std::isnan(total.data[g]) && std::isnan(mean.data[g])
            : total.data[g] == expected && mean.data[g] == average);
  }
  check(same_keys, std::string(text) + " keys");
  check(same_results, std::string(text) + " counts, extremes and sums of integers");
  check(same_sums, std::string(text) + " sums of floats");
}

// ---- distinct

template<class P, class K>
void distinct(const char *name, size_t n, u64 different, int way, unsigned blocks, u64 capacity, unsigned seed) {
  typedef words_of<K> Words;
  typedef typename Words::type W;
  char text[200];
  std::snprintf(text, sizeof text, "%s distinct n=%zu way=%d blocks=%u capacity=%llu seed=%u:", name, n, way, blocks,
      capacity, seed);
  const std::vector<K> keys = make_keys<K>(n, different, way);
  std::vector<K> expected;
  std::map<std::string, int> seen;
  for (const K &key : keys)
    if (!seen[bytes_of(key)]++) expected.push_back(key);
  const size_t kept = std::min<size_t>(expected.size(), capacity);
  Device<K> in(keys, 0), out(kept);
  Device<u64> out_count(1);
  Device<u32> list(n), rows(n);
  Table table(n);
  gp__hash_args a = {};
  a.keys = in.data;
  table.give(n, a);
  a.list = list.data, a.rows = rows.data, a.out_keys = out.data, a.out_count = out_count.data, a.capacity = capacity;
  bool good = run("insert", blocks, P::threads, gp__hash_insert<P, W, Words::count>, a);
  check(good && *a.found == expected.size(), std::string(text) + " number of slots");
  std::vector<u32> slots = list.read(good ? expected.size() : 0);
  std::sort(slots.begin(), slots.end());
  check(std::unique(slots.begin(), slots.end()) == slots.end(), std::string(text) + " listed once");
  a.count_device = a.found;
  good = good && run("take", blocks, P::threads, gp__hash_take<P>, a);
  a.list = nullptr;
  if (good) std::sort(rows.data, rows.data + expected.size());
  good = good && run("number", blocks, P::threads, gp__hash_number<P, W, Words::count>, a);
  check(good && out_count.data[0] == expected.size(), std::string(text) + " number");
  check(good && (!kept || !std::memcmp(out.data, expected.data(), kept * sizeof(K))), std::string(text) + " elements");
  // Only a count.
  Table other(n);
  gp__hash_args b = {};
  b.keys = in.data;
  other.give(n, b);
  b.out_count = out_count.data;
  out_count.data[0] = 77;
  good = run("insert", blocks, P::threads, gp__hash_insert<P, W, Words::count>, b) &&
      run("number", blocks, P::threads, gp__hash_number<P, W, Words::count>, b);
  check(good && out_count.data[0] == expected.size(), std::string(text) + " count");
  simt::clear_error();
}

// ---- joins

template<class P, class K, class I>
void join(const char *name, int kind, size_t builds, size_t probes, u64 different, int way, unsigned blocks,
    u64 capacity, bool on_device, unsigned seed) {
  typedef words_of<K> Words;
  typedef typename Words::type W;
  char text[200];
  std::snprintf(text, sizeof text, "%s join %d of %zu and %zu way=%d blocks=%u capacity=%llu seed=%u:", name, kind,
      builds, probes, way, blocks, capacity, seed);
  const std::vector<K> build = make_keys<K>(builds, different, way), probe = make_keys<K>(probes, different, way);
  const bool pairs = kind == GP_JOIN_INNER || kind == GP_JOIN_LEFT;
  std::map<std::string, std::vector<size_t>> rows;
  for (size_t i = 0; i < builds; ++i) rows[bytes_of(build[i])].push_back(i);
  std::vector<I> left, right;
  std::vector<u8> flags;
  for (size_t i = 0; i < probes; ++i) {
    const auto found = rows.find(bytes_of(probe[i]));
    const bool has = found != rows.end();
    flags.push_back(has);
    if (pairs && has)
      for (size_t row : found->second) left.push_back(I(i)), right.push_back(I(row));
    else if (kind == GP_JOIN_LEFT || (kind == GP_JOIN_SEMI && has) || (kind == GP_JOIN_ANTI && !has))
      left.push_back(I(i)), right.push_back(I(-1));
  }
  const size_t kept = std::min<size_t>(left.size(), capacity);
  Device<K> in_build(build, seed % 2), in_probe(probe, 0);
  Device<I> out(kept), out2(kept);
  Device<u8> bytes(probes);
  Device<u32> places(builds), order(builds), ends(2 * builds + 2), counts(probes), firsts(probes);
  Device<u64> offsets(probes + 1), out_count(1), count(std::vector<u64>(1, probes), 0);
  Table table(builds);
  gp__hash_args a = {};
  a.keys = in_build.data;
  table.give(builds, a);
  a.found = nullptr;
  if (pairs) a.places = places.data, a.order = order.data, a.ends = ends.data;
  a.join = kind;
  bool good = run("insert", blocks, P::threads, gp__hash_insert<P, W, Words::count>, a);
  if (good && pairs) {
    std::vector<std::pair<u32, u32>> sorted;
    for (size_t i = 0; i < builds; ++i) sorted.emplace_back(places.data[i], u32(i));
    std::sort(sorted.begin(), sorted.end());
    std::vector<u32> of_place, rows_of;
    for (const auto &x : sorted) of_place.push_back(x.first), rows_of.push_back(x.second);
    simt::host_write(places.data, of_place.data(), builds * sizeof(u32));
    simt::host_write(order.data, rows_of.data(), builds * sizeof(u32));
    good = run("ends", blocks, P::threads, gp__join_ends<P>, a);
  }
  a.probes = in_probe.data;
  a.count = probes + (on_device ? 9 : 0), a.count_device = on_device ? count.data : nullptr;
  a.out = kind == GP_JOIN_FLAGS ? (void *)bytes.data : out.data;
  if (kind != GP_JOIN_FLAGS) a.counts = counts.data, a.offsets = offsets.data;
  if (pairs) a.firsts = firsts.data, a.out2 = out2.data;
  good = good && run("probe", blocks, P::threads, gp__join_probe<P, W, Words::count>, a);
  if (kind == GP_JOIN_FLAGS) {
    check(good && bytes.read(probes) == flags, std::string(text) + " flags");
    return simt::clear_error();
  }
  std::vector<u64> scanned(probes + 1, 0);
  for (size_t i = 0; i < probes && good; ++i) scanned[i + 1] = scanned[i] + counts.data[i];
  check(!good || offsets.data[0] == 0, std::string(text) + " the first offset");
  simt::host_write(offsets.data, scanned.data(), scanned.size() * sizeof(u64));
  a.capacity = capacity, a.out_count = out_count.data;
  good = good && run("pairs", blocks, P::threads, gp__join_pairs<P, I>, a);
  left.resize(kept), right.resize(kept);
  check(good && out_count.data[0] == offsets.data[probes] && same_items(out.data, left), std::string(text) + " probes");
  check(good && (!pairs || same_items(out2.data, right)), std::string(text) + " partners");
  a.out = a.out2 = nullptr, out_count.data[0] = 77; // only a count
  good = good && run("pairs", blocks, P::threads, gp__join_pairs<P, I>, a);
  check(good && out_count.data[0] == offsets.data[probes], std::string(text) + " count");
  simt::clear_error();
}

template<class P, class K, class I> void all(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  static const size_t sizes[] = {0, 1, 31, 33, 64, 257, 700, 1500};
  for (int seed = 0; seed < seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    for (size_t n : sizes) {
      const unsigned blocks = 1 + random32() % 4;
      const int way = int(random32() % WAYS);
      const u64 some[] = {1, n / 32 + 1, n / 2 + 1, n + 1};
      const u64 different = some[random32() % 4], capacity = random32() % 3 ? n : random32() % (n + 1);
      groups<P, K>(
          name, n, different, way, blocks, random32() % 2, random32() % 2, random32() % 2, capacity, unsigned(seed));
      distinct<P, K>(name, n, different, int(random32() % WAYS), blocks, capacity, unsigned(seed));
      join<P, K, I>(name, int(random32() % 5), random32() % 3 ? n / 2 : random32() % 2, n, different,
          n > 300 && way == ONE ? int(ANY) : way, blocks, random32() % 3 ? n * n : n / 3, random32() % 2,
          unsigned(seed));
    }
  }
}

// Rounding of sums: against 128 bits.
static void wide_numbers() {
  if (!only.empty() && only != "wide numbers") return;
  bool back = true, nearest = true, ordered = true;
  for (int i = 0; i < 200000; ++i) {
    unsigned long long high = 0;
    const double x = std::ldexp(double(random32()) * 4294967296.0 + random32(), int(random32() % 2100) - 1140) *
        (random32() % 2 ? 1 : -1);
    const u64 bits = gp__bits_of_f64(x);
    if (!std::isfinite(x)) continue;
    const unsigned long long low = gp__wide_of(bits, unsigned(gp__exponent_of(bits)), &high);
    back = back && gp__number_of_wide(low, high, unsigned(gp__exponent_of(bits))) == (x == 0 ? 0 : bits);
    const __int128 whole =
        (__int128)((unsigned __int128)random32() << (random32() % 95) ^ (u64(random32()) << 32 | random32())) *
        (random32() % 2 ? 1 : -1);
    nearest = nearest && gp__f64_from_bits(gp__number_of_wide(u64(whole), u64(whole >> 64), 1116)) == double(whole);
  }
  for (int i = 0; i < 20000; ++i) { // halves, and what is next to them
    const int down = 1 + int(random32() % 72);
    const unsigned __int128 m = 1ull << 52 | (u64(random32()) << 32 | random32()) >> 12, half = 1;
    const __int128 whole = __int128((m << down) + (half << (down - 1)) + random32() % 3 - 1);
    nearest = nearest && gp__f64_from_bits(gp__number_of_wide(u64(whole), u64(whole >> 64), 1116)) == double(whole);
  }
  check(back, "numbers come back from 128 bits");
  check(nearest, "nearest, ties to even");
  check(gp__number_of_sum(0, 0, 1) == 0 && std::isnan(gp__f64_from_bits(gp__number_of_sum(0, 0, 7ull << 32))) &&
          gp__f64_from_bits(gp__number_of_sum(5, 0, 2ull << 32 | 9)) == -INFINITY,
      "sums that are not finite");
  for (int type : {GP_U64, GP_I64, GP_F64})
    for (int i = 0; i < 3000; ++i) {
      u64 x[2];
      for (u64 &y : x) {
        y = (u64(random32()) << 32 | random32()) >> random32() % 60;
        if (random32() % 2) y = 0 - y;
        if (type == GP_F64 && std::isnan(gp__f64_from_bits(y))) y = random32() % 2 ? 0 : 1ull << 63;
      }
      const double p = gp__f64_from_bits(x[0]), r = gp__f64_from_bits(x[1]);
      const bool less = type == GP_U64 ? x[0] < x[1]
          : type == GP_I64 ? (long long)x[0] < (long long)x[1]
          : p < r || (p == r && x[0] >> 63 && !(x[1] >> 63));
      for (int most = 0; most < 2; ++most) {
        const u64 a = gp__ordered_number(x[0], type, most, 0), b = gp__ordered_number(x[1], type, most, 0);
        ordered =
            ordered && (a < b) == (most ? x[0] != x[1] && !less : less) && gp__number_of_ordered(a, type, most) == x[0];
      }
    }
  check(ordered, "order of numbers");
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, 3, 3, 0, 1, 2> Narrow;
  typedef gp__policy<128, 2, 3, 3, 0, 2, 2> Wider;
  wide_numbers();
  all<Narrow, u32, u32>("u32", seeds);
  all<Wider, u64, long long>("u64", seeds);
  all<Narrow, u8, u32>("u8", seeds);
  all<Wider, Odd, u32>("6 bytes", seeds);
  all<Narrow, Mixed, long long>("12 bytes", seeds);
  all<Narrow, Deep, u32>("16 bytes", seeds);
  all<Narrow, gp_bool, u32>("bool", seeds);
  return finish();
}
