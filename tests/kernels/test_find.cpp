// Searches of gpuprims.h for the first element under the emulator: predicates, differences of two arrays, neighbours;
// types, alignments, counts around tiles, hits at every boundary, on adversarial schedules; which tiles were begun.
// Usage: test_find [seeds] [name of a test]
// TEST_FEW compiles only the instances that mutants.py needs.
#include "sweep_test.h"

#include <cmath>
#include <limits>

// ---- what is searched for

struct SameTriple {
  bool operator()(const Triple &a, const Triple &b) const { return a.x == b.x && a.y == b.y && a.z == b.z; }
};
struct SameLarge {
  bool operator()(const Large &a, const Large &b) const { return a.v[0] == b.v[0] && a.v[4] == b.v[4]; }
};
struct IsMarked { // a user's predicate
  bool operator()(const Wide &x) const { return x.y < 0; }
};

// A hit or no hit at an index of one or two arrays, for each kind of search. hit(), miss(): make element i so.
template<class T> struct Numbers {
  static T plain(size_t i) { return T(float(1 + i % 3)); }
  static T marked() { return T(float(7)); }
};
template<> struct Numbers<Triple> {
  static Triple plain(size_t i) { return {int(i % 5), int(i % 3), 1}; }
  static Triple marked() { return {9, 9, 9}; }
};
template<> struct Numbers<Wide> {
  static Wide plain(size_t i) { return {0.5, (long long)(i % 7)}; }
  static Wide marked() { return {0, -1}; }
};
template<> struct Numbers<Large> {
  static Large plain(size_t i) { return {{(long long)(i % 3), 1, 2, 3, 4}}; }
  static Large marked() { return {{-1, 0, 0, 0, 0}}; }
};
template<class T, class Predicate> struct OfPredicate {
  typedef gp__find_element<T, Predicate, true> Search;
  static void hit(std::vector<T> &a, std::vector<T> &, size_t i) { a[i] = Numbers<T>::marked(); }
  static bool may_hit(size_t) { return true; }
};
template<class T, class Predicate> struct OfOthers : OfPredicate<T, Predicate> {
  typedef gp__find_element<T, Predicate, false> Search;
};
template<class T, class Equal> struct OfDifference {
  typedef gp__find_difference<T, Equal> Search;
  static void hit(std::vector<T> &, std::vector<T> &b, size_t i) { b[i] = Numbers<T>::marked(); }
  static bool may_hit(size_t) { return true; }
};
template<class T, class Equal> struct OfPairs { // plain neighbours differ
  typedef gp__find_neighbours<T, Equal, false> Search;
  static void hit(std::vector<T> &a, std::vector<T> &, size_t i) { a[i] = a[i - 1]; }
  static bool may_hit(size_t i) { return i > 0; }
};
template<class T, class Less> struct OfOrder { // plain elements have to rise: see below
  typedef gp__find_neighbours<T, Less, true> Search;
  static void hit(std::vector<T> &a, std::vector<T> &, size_t i) { a[i] = T(0); }
  static bool may_hit(size_t i) { return i > 0; }
};

// Elements for which the predicate holds come back: plain ones do not meet it.
template<class T, class Predicate> struct OfReturn {
  typedef gp__find_return<T, Predicate> Search;
  static void hit(std::vector<T> &a, std::vector<T> &, size_t i) { a[i] = Numbers<T>::marked(); }
  static bool may_hit(size_t i) { return i > 0; }
};
// Arrays in lexicographic order: plain elements are less than marked ones, which the second array has.
template<class T, class Less> struct OfLexicographic : OfDifference<T, gp__equivalent<Less>> {};

template<class P, class Of, int RESULT, class T> struct Find {
  static const int INPUTS = Of::Search::inputs;
  static size_t round_items() {
    const gp__shape s = shape(0, 1);
    return size_t(gp__find_round_items(policy_of<P>(GP_STEALING), &s));
  }
  static gp__shape shape(size_t n, int sms) {
    gp__shape s = {};
    s.primitive = INPUTS == 2 ? GP_MISMATCH : GP_FIND_IF;
    s.in_size = sizeof(T), s.in2_size = INPUTS == 2 ? sizeof(T) : 0, s.acc_size = s.out_size = 8;
    s.commutative = s.exact = 1, s.compute_capability = 90, s.multiprocessors = sms, s.count = n;
    return s;
  }
  // first: the index that the search has to find; n: none.
  static void run(const char *name, const std::vector<T> &a, const std::vector<T> &b, size_t first, const Options &o,
      int algorithm, unsigned seed) {
    const size_t n = a.size();
    const std::string what =
        describe(name, n, o.in_offset, o.out_offset, o.sms, seed) + " hit " + std::to_string(first);
    Device<T> in(a, o.in_offset), in2(INPUTS == 2 ? b : std::vector<T>(), o.out_offset);
    Device<u64> out(2);
    Device<u64> count(std::vector<u64>(1, n), 0);
    const u64 guard = 0x5555555555555555ull, written[2] = {guard, guard};
    simt::host_write(out.data, written, sizeof written);
    gp__shape s = shape(n + (o.count_on_device ? 3 * round_items() : 0), o.sms);
    const gp_policy p = policy_of<P>(algorithm);
    check(gp__valid_by(&gp__rules_find, p, &s), what + " the policy is valid");
    const gp__geometry g = gp__geometry_by(&gp__rules_find, p, &s, 0);
    gp__find_args args = {};
    args.in = in.data, args.in2 = in2.data, args.out = out.data, args.count = s.count;
    args.count_device = o.count_on_device ? count.data : nullptr;
    args.workspace = g.words ? workspace(g.words) : nullptr;
    // Half of the time tiles are shorter than the geometry has them, as those of large inputs are beside the input.
    args.rounds = seed % 2 ? 1 + seed % 3 : unsigned(g.tile_items / gp__find_round_items(p, &s));
    const T marked = Numbers<T>::marked();
    std::memcpy(args.scalar.bytes, &marked, sizeof marked);
    const int longer = -2;
    if (RESULT == GP__FIND_ORDER) {
      std::memcpy(args.scalar.bytes, &longer, sizeof longer);
      if (seed % 3 == 0) std::swap(args.in, args.in2); // then the first array is the greater one
    }
    const int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__find<P, typename Of::Search, RESULT>, args);
    const bool some = first < n;
    const u64 expected = RESULT == GP__FIND_BEFORE ? (some ? first - 1 : n)
        : RESULT == GP__FIND_BAD ? (some ? first : ~u64(0))
        : first;
    if (RESULT == GP__FIND_SOME || RESULT == GP__FIND_NONE) {
      const u8 byte = u8(some == (RESULT == GP__FIND_SOME));
      check(!e && out.data[0] == ((guard & ~u64(255)) | byte), what);
    } else if (RESULT == GP__FIND_ORDER) { // an int: all arrays are as if the second were the longer one
      const u64 order = (guard & ~u64(0xffffffff)) | u32(some ? seed % 3 ? -1 : 1 : -2);
      check(!e && out.data[0] == order, what + " order " + std::to_string(int(out.data[0])));
    } else check(!e && out.data[0] == expected, what + " got " + std::to_string(out.data[0]));
    check(out.data[1] == guard, what + " writes one result");
    simt::clear_error();
  }
  static std::vector<T> elements(size_t n, bool rising) {
    std::vector<T> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = Numbers<T>::plain(rising ? 2 : i);
    return x;
  }
  static void sweep(const char *name, int seeds, bool constant = false) {
    if (!only.empty() && only != name) return;
    const size_t round = round_items();
    const size_t sizes[] = {0, 1, 2, 17, round - 1, round, round + 1, 3 * round, 7 * round + 5, 20 * round + 3};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        if (!has_turn()) continue;
        const size_t n = sizes[k];
        Options o = {};
        o.in_offset = seed % 2 ? 0 : random32() % 16, o.out_offset = seed % 3 ? 0 : random32() % 16;
        o.sms = seed % 3 == 0 ? 100 : 1 + int(random32() % 5);
        o.count_on_device = seed % 4 == 3;
        const int algorithm = seed % 5 == 4 ? GP_ONE_BLOCK : GP_STEALING;
        // The first hit: nowhere; at the ends; beside a boundary of rounds; anywhere. After it some hits, or
        // nothing else.
        for (int where = 0; where < 5; ++where) {
          simt::set_random_schedule(uint64_t(seed) * 1000 + k * 10 + unsigned(where));
          std::vector<T> a = elements(n, constant), b = a;
          size_t first = where == 0 || !n ? n
              : where == 1 ? 0
              : where == 2 ? n - 1
              : where == 3 ? (1 + random32() % (n / round + 1)) * round + 1 - random32() % 3
              : random32() % n;
          while (first < n && !Of::may_hit(first)) ++first;
          if (first > n) first = n;
          if (first < n) Of::hit(a, b, first);
          if (first < n && seed % 2)
            for (int more = 0; more < 9; ++more) {
              const size_t i = first + 1 + random32() % (n - first);
              if (i < n) Of::hit(a, b, i);
            }
          else if (seed % 4 == 2)
            for (size_t i = first + 1; i < n; ++i) Of::hit(a, b, i);
          run(name, a, b, first, o, algorithm, unsigned(seed));
        }
      }
  }
};

// ---- runs of elements for which a predicate holds

template<class P> static void find_returns(const char *name, int seeds) {
  typedef gp__compare<gp_equal<u32>> IsMark;
  typedef Find<P, OfReturn<u32, IsMark>, GP__FIND_NONE, u32> Of;
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed) {
    const size_t n = 5 * Of::round_items() + 3, point = random32() % (n / 2), later = point + 1 + random32() % (n / 2);
    std::vector<u32> a = Of::elements(n, false);
    for (size_t i = 0; i < point; ++i) a[i] = Numbers<u32>::marked();
    Options o = {};
    o.sms = 3;
    Of::run(name, a, a, n, o, GP_STEALING, unsigned(seed));
    a[later] = Numbers<u32>::marked();
    Of::run(name, a, a, later, o, GP_STEALING, unsigned(seed));
  }
}

// ---- partition points

template<class P, class T, class F> static void sweep_partition_point(const char *name, int seeds) {
  typedef gp__find_element<T, F, true> Search;
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 2, 63, 64, 65, 127, 4095, 4096, 4097, 70000})
      for (int where = 0; where < 4; ++where) {
        const size_t point = where == 0 ? 0 : where == 1 ? n : where == 2 && n ? n - 1 : n ? random32() % n : 0;
        simt::set_random_schedule(uint64_t(seed) * 100 + n);
        std::vector<T> a(n);
        for (size_t i = 0; i < n; ++i) a[i] = i < point ? Numbers<T>::marked() : Numbers<T>::plain(i);
        Device<T> in(a, random32() % 4);
        Device<u64> out(2);
        Device<u64> count(std::vector<u64>(1, n), 0);
        const u64 guard = 0x5555555555555555ull, written[2] = {guard, guard};
        simt::host_write(out.data, written, sizeof written);
        gp__find_args args = {};
        args.in = in.data, args.out = out.data, args.count = seed % 2 ? n : n + 9;
        args.count_device = seed % 2 ? nullptr : count.data;
        const T marked = Numbers<T>::marked();
        std::memcpy(args.scalar.bytes, &marked, sizeof marked);
        const int e = simt::launch_kernel(name, 1, P::threads, 0, gp__partition_point<P, Search>, args);
        check(!e && out.data[0] == point && out.data[1] == guard,
            std::string(name) + " n=" + std::to_string(n) + " point " + std::to_string(point));
        simt::clear_error();
      }
}

// ---- differences and pairs of floats: == of the type

template<class P> static void compare_floats(const char *name) {
  if (!only.empty() && only != name) return;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const size_t n = 700;
  std::vector<float> a(n), b(n);
  for (size_t i = 0; i < n; ++i) a[i] = b[i] = float(i);
  a[3] = 0.f, b[3] = -0.f;
  typedef Find<P, OfDifference<float, gp_equal<float>>, GP__FIND_INDEX, float> Differ;
  Options o = {};
  o.sms = 2;
  Differ::run(name, a, b, n, o, GP_STEALING, 0);
  a[500] = b[500] = nan;
  Differ::run(name, a, b, 500, o, GP_STEALING, 0);
  typedef Find<P, OfPairs<float, gp_equal<float>>, GP__FIND_BEFORE, float> Adjacent;
  for (size_t i = 0; i < n; ++i) a[i] = i % 2 ? nan : float(i);
  a[20] = a[21] = nan; // equal bits
  Adjacent::run(name, a, b, n, o, GP_STEALING, 0);
  a[600] = 0.f, a[601] = -0.f;
  Adjacent::run(name, a, b, 601, o, GP_STEALING, 0);
}

// ---- which tiles are begun

// The elements are their indices. The predicate notes tiles when their first element is tested, and how many had been
// begun when a test first saw the counter of tickets behind the last tile.
struct Watch {
  static size_t tile_items, tiles, first, late;
  static u8 begun[64]; // an array: its accesses are seen to be none of the kernel's
  static size_t begun_tiles, when_known;
  static bool known, late_came_first, first_came;
  static const u64 *control;
  SIMT_UNCHECKED static bool test(u32 x) {
    const size_t tile = x / tile_items;
    known = known || (*control & 0xfffffffu) >= tiles;
    if (!begun[tile]) {
      begun[tile] = 1;
      ++begun_tiles;
      if (!known) when_known = begun_tiles;
    }
    if (x == first) first_came = true;
    if (x == late && !first_came) late_came_first = true;
    return x == first || x == late;
  }
};
size_t Watch::tile_items, Watch::tiles, Watch::first, Watch::late, Watch::begun_tiles, Watch::when_known;
u8 Watch::begun[64];
bool Watch::known, Watch::late_came_first, Watch::first_came;
const u64 *Watch::control;
struct Watched {
  bool operator()(const u32 &x) const { return Watch::test(x); }
};

template<class P> static void begins_no_tile_after_a_hit(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  typedef gp__find_element<u32, gp__test<Watched, u32>, true> Search;
  typedef Find<P, OfPredicate<u32, gp__test<Watched, u32>>, GP__FIND_INDEX, u32> Of;
  int late_first = 0;
  for (int seed = 0; seed <= 24 + 4 * seeds; ++seed) {
    const size_t n = 40 * Of::round_items();
    std::vector<u32> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = u32(i);
    Device<u32> in(x, 0);
    Device<u64> out(1);
    const gp__shape s = Of::shape(n, 3);
    const gp_policy p = policy_of<P>(GP_STEALING);
    const gp__geometry g = gp__geometry_by(&gp__rules_find, p, &s, 0);
    gp__find_args a = {};
    a.in = in.data, a.out = out.data, a.count = n, a.workspace = workspace(g.words);
    a.rounds = 1;
    const size_t tile = Of::round_items(), tiles = n / tile;
    check(tiles > 3 * g.grid && g.grid > 3, std::string(name) + " has more tiles than blocks");
    Watch::tile_items = tile, Watch::tiles = tiles;
    Watch::first = tile * (g.grid / 2) + 5, Watch::late = Watch::first + tile;
    std::memset(Watch::begun, 0, sizeof Watch::begun);
    Watch::begun_tiles = Watch::when_known = 0;
    Watch::known = Watch::late_came_first = Watch::first_came = false;
    Watch::control = static_cast<const u64 *>(a.workspace);
    simt::set_random_schedule(uint64_t(seed));
    if (!seed) simt::config.resident = 1, simt::config.policy = simt::sequential; // a block runs alone
    const int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__find<P, Search, GP__FIND_INDEX>, a);
    const std::string what = std::string(name) + " seed " + std::to_string(seed) + ", begun " +
        std::to_string(Watch::begun_tiles) + " of " + std::to_string(tiles);
    check(!e && *out.data == Watch::first, what);
    size_t begun = 0;
    while (begun < tiles && Watch::begun[begun]) ++begun;
    check(begun == Watch::begun_tiles, what + ": tiles are begun in order");
    if (!seed) check(begun == Watch::first / tile + 1, what + ": one block alone reads up to the hit");
    // Blocks that had drawn a ticket before the hit was known begin its tile.
    check(begun < Watch::when_known + g.grid, what + ", " + std::to_string(Watch::when_known) + " before the hit");
    late_first += Watch::late_came_first;
    simt::clear_error();
  }
  check(late_first > 0, std::string(name) + ": in some schedule a later block finds a hit first");
}

// ---- tiles: short enough to end early, and one a block where that is enough

static void tiles_are_short() {
  if (!only.empty() && only != "tiles") return;
  for (int threads : {128, 256, 512, 1024})
    for (int vectors : {1, 2, 4, 8})
      for (int size : {1, 2, 3, 4, 8, 12, 16, 24, 40, 1000})
        for (int inputs : {1, 2}) {
          gp_policy p = policy_of<Tiny>(GP_STEALING);
          p.threads = threads, p.vectors = vectors, p.blocks_per_sm = 2;
          gp__shape s = {};
          s.primitive = GP_FIND_IF, s.in_size = size, s.in2_size = inputs == 2 ? size : 0, s.multiprocessors = 10;
          const u64 round = gp__find_round_items(p, &s) * unsigned(size * inputs), limit = 32 << 10,
                    most = limit > round ? limit / round * round : round;
          check(round <= u64(threads * vectors * 16) || gp__find_packs(size, inputs, vectors) == 1,
              "a round of " + std::to_string(size) + " bytes, " + std::to_string(inputs) + " inputs");
          for (u64 bytes : {u64(1), round, 19 * round, 20 * round, 20 * most, 21 * most, u64(1) << 30}) {
            s.count = bytes / unsigned(size * inputs) + 1;
            const gp__geometry g = gp__geometry_by(&gp__rules_find, p, &s, 0);
            const u64 tile = g.tile_items * unsigned(size * inputs);
            const std::string what = "tiles of " + std::to_string(threads) + " threads, " + std::to_string(vectors) +
                " vectors, " + std::to_string(inputs) + " inputs, " + std::to_string(size) + " bytes, " +
                std::to_string(s.count) + " elements: " + std::to_string(tile) + " bytes";
            check(tile <= most, what);
            check(g.grid <= 20 && g.tiles * g.tile_items >= s.count, what);
            check(s.count * unsigned(size * inputs) > 20 * most || g.tiles == g.grid, what + ", a tile a block");
            check(g.words == (g.grid > 1 ? g.grid : 0), what + ", a word a block");
            p.algorithm = GP_ONE_BLOCK;
            check(gp__geometry_by(&gp__rules_find, p, &s, 0).grid == 1, what + ", one block");
            p.algorithm = GP_STEALING;
          }
        }
}

#define FIND(name, P, Of, RESULT, T, ...) Find<P, Of, RESULT, T>::sweep(name, seeds, ##__VA_ARGS__)

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__compare<gp_equal<u32>> IsU32;
  typedef gp__test<IsMarked, Wide> IsWide;
  typedef OfPredicate<u32, IsU32> FindU32;
  typedef OfDifference<u16, gp_equal<u16>> DifferU16;
  typedef OfDifference<Triple, SameTriple> DifferTriple;
  typedef OfPairs<u32, gp_equal<u32>> PairsU32;
  typedef OfReturn<u32, IsU32> ReturnU32;
  typedef OfLexicographic<u16, gp_less<u16>> OrderedU16;
  typedef gp__policy<64, 2, 3, 3, 0, 2, 2> Double; // an access to each of two arrays

  FIND("find u32", Pair, FindU32, GP__FIND_INDEX, u32);
  FIND("mismatch u16", Double, DifferU16, GP__FIND_INDEX, u16);
  FIND("mismatch triple", Tiny, DifferTriple, GP__FIND_INDEX, Triple);
  FIND("adjacent u32", Pair, PairsU32, GP__FIND_BEFORE, u32);
  FIND("return u32", Pair, ReturnU32, GP__FIND_NONE, u32);
  find_returns<Pair>("returns", seeds);
  FIND("order u16", Double, OrderedU16, GP__FIND_ORDER, u16);
  sweep_partition_point<Tiny, u32, IsU32>("point u32", seeds);
  begins_no_tile_after_a_hit<Tiny>("begun tiles", seeds);
  tiles_are_short();
#ifndef TEST_FEW
  typedef gp__compare<gp_greater_equal<u8>> IsU8;
  typedef gp__compare<gp_less<gp_f16>> BelowHalf;
  typedef OfPredicate<u8, IsU8> FindU8;
  typedef OfPredicate<Wide, IsWide> FindWide;
  typedef OfOthers<gp_f16, BelowHalf> OthersHalf;
  typedef OfDifference<Large, SameLarge> DifferLarge;
  typedef OfDifference<double, gp_equal<double>> DifferDouble;
  typedef OfPairs<Triple, SameTriple> PairsTriple;
  typedef OfReturn<Wide, IsWide> ReturnWide;
  typedef OfLexicographic<double, gp_less<double>> OrderedDouble;
  typedef OfOrder<u64, gp_less<u64>> OrderU64;
  typedef OfOrder<u8, gp_less<u8>> OrderU8;
  FIND("find u8", Pair, FindU8, GP__FIND_INDEX, u8);
  FIND("any wide", Tiny, FindWide, GP__FIND_SOME, Wide);
  FIND("all f16", Pair, OthersHalf, GP__FIND_NONE, gp_f16);
  FIND("mismatch large", Pair, DifferLarge, GP__FIND_INDEX, Large);
  FIND("equal arrays f64", Odd, DifferDouble, GP__FIND_NONE, double);
  FIND("adjacent triple", Pair, PairsTriple, GP__FIND_BEFORE, Triple);
  FIND("is sorted u64", Pair, OrderU64, GP__FIND_BAD, u64, true);
  FIND("is sorted u8", Tiny, OrderU8, GP__FIND_BAD, u8, true);
  FIND("return wide", Tiny, ReturnWide, GP__FIND_NONE, Wide);
  FIND("order f64", Odd, OrderedDouble, GP__FIND_ORDER, double);
  sweep_partition_point<Odd, Wide, IsWide>("point wide", seeds);
  compare_floats<Tiny>("== of floats");
  begins_no_tile_after_a_hit<Double>("begun tiles of two accesses", seeds);
#endif
  return finish();
}
