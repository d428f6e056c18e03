// Copies, transforms, reversals, scatters and adjacent differences of gpuprims.h under the emulator: operand shapes
// and alignments against a sequential reference, on adversarial schedules. Usage: test_map [seeds] [name of a test]
// Define TEST_MAP or TEST_NEIGHBOURS to compile that part alone; TEST_FEW compiles only the instances that mutants.py
// needs.
#if !defined(TEST_MAP) && !defined(TEST_NEIGHBOURS)
#define TEST_MAP
#define TEST_NEIGHBOURS
#endif
#include "sweep_test.h"

// ---- copy and transform

// None, a few, about one tile, and about three tiles of results.
template<class P, class R> std::vector<size_t> sizes_of() {
  const size_t tile = size_t(P::threads) * P::vectors * 16;
  return {0, 1, 2, 15, 16, 17, 31, tile / 4 - 1, tile / sizeof(R) + 1, 3 * tile / sizeof(R) + 5};
}

template<class P, class F, class A, class B, class R> struct Map {
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes_of<P, R>()) {
        simt::set_random_schedule(uint64_t(seed) * 100 + n);
        std::vector<A> a(n);
        std::vector<B> b(n);
        for (auto &x : a) x = draw<A>();
        for (auto &x : b) x = draw<B>();
        const size_t oa = seed % 3 ? random32() % 16 : 0, ob = seed % 3 ? random32() % 16 : 0;
        const size_t oo = seed % 3 == 1 ? oa : seed % 3 ? random32() % 16 : 0;
        Device<A> in(a, oa);
        Device<B> in2(b, ob);
        Device<R> out(n, oo);
        gp__map_args args = {};
        args.in = in.data, args.in2 = in2.data, args.out = out.data, args.count = n;
        gp__shape s = {};
        s.primitive = GP_TRANSFORM2, s.in_size = sizeof(A), s.in2_size = sizeof(B), s.out_size = sizeof(R);
        s.multiprocessors = 2, s.count = n;
        const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
        int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__map_kernel<P, F, A, B, R>, args);
        bool good = !e;
        for (size_t i = 0; i < n && good; ++i) good = same(out.data[i], F()(a[i], b[i]));
        check(good, describe(name, n, oa, oo, 2, unsigned(seed)));
        simt::clear_error();
      }
  }
};
template<class P, int SIZE> void sweep_copy(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 7, 15, 16, 17, 48, 333, 2048, 2049, 5000}) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      std::vector<unsigned char> bytes(n * SIZE);
      for (auto &x : bytes) x = draw<unsigned char>();
      const size_t oi = seed % 3 ? random32() % 16 : 0, oo = seed % 3 == 1 ? oi : random32() % 16;
      Device<unsigned char> in(bytes, oi), out(bytes.size(), oo);
      gp__map_args args = {};
      args.in = in.data, args.out = out.data, args.count = n;
      gp__shape s = {};
      s.primitive = GP_COPY, s.in_size = SIZE, s.out_size = SIZE, s.multiprocessors = 2, s.count = n;
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
      const int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__copy_kernel<P, SIZE>, args);
      check(!e && (bytes.empty() || !std::memcmp(out.data, bytes.data(), bytes.size())),
          describe(name, n, oi, oo, 2, unsigned(seed)));
      simt::clear_error();
    }
}

// ---- reverse: apart, and in place

template<class P, class T> void sweep_reverse(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  const size_t tile = size_t(P::threads) * P::vectors * 16 / sizeof(T);
  const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, tile - 1, tile, 2 * tile + 1, 5 * tile + 6};
  for (int seed = 1; seed <= 2 * seeds; ++seed)
    for (size_t n : sizes) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      const bool in_place = seed % 2, count_on_device = seed % 3 == 1;
      std::vector<T> a(n), around(3);
      for (auto &x : a) x = draw<T>();
      for (auto &x : around) x = draw<T>();
      std::vector<T> longer(a); // elements beyond the count stay unchanged
      if (count_on_device) longer.insert(longer.end(), around.begin(), around.end());
      const size_t oi = seed % 4 < 2 ? 0 : random32() % 16, oo = seed % 4 == 2 ? oi : random32() % 16;
      Device<T> in(longer, oi), separate(in_place ? 0 : longer.size(), oo);
      T *out = in_place ? in.data : separate.data;
      Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
      gp__map_args args = {};
      args.in = in.data, args.out = out, args.count = longer.size();
      args.count_device = count_on_device ? count.data : nullptr;
      gp__shape s = {};
      s.primitive = GP_REVERSE, s.in_size = s.out_size = sizeof(T), s.in_place = in_place;
      s.multiprocessors = 2, s.count = args.count;
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
      bool good = !simt::launch_kernel(name, g.grid, g.threads, 0, gp__reverse<P, T>, args);
      for (size_t i = 0; i < n && good; ++i) good = same(out[i], a[n - 1 - i]) && (in_place || same(in.data[i], a[i]));
      for (size_t i = n; i < longer.size() && in_place && good; ++i) good = same(out[i], longer[i]);
      check(good, describe(name, n, oi, in_place ? oi : oo, 2, unsigned(seed)) + (in_place ? " in place" : ""));
      simt::clear_error();
    }
}

// ---- swap, replace, scatter

template<class P, class T> void sweep_swap(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : sizes_of<P, T>()) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      const size_t more = seed % 2 ? 0 : 3; // elements beyond a count on the device
      std::vector<T> a(n + more), b(n + more);
      for (auto &x : a) x = draw<T>();
      for (auto &x : b) x = draw<T>();
      const size_t oa = seed % 3 ? 0 : random32() % 16, ob = seed % 3 == 1 ? 0 : random32() % 16;
      Device<T> left(a, oa), right(b, ob);
      Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
      gp__map_args args = {};
      args.in2 = right.data, args.out = left.data, args.count = a.size();
      args.count_device = more ? count.data : nullptr;
      gp__shape s = {};
      s.primitive = GP_SWAP, s.in_size = s.in2_size = s.out_size = sizeof(T), s.multiprocessors = 2, s.count = a.size();
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
      bool good = !simt::launch_kernel(name, g.grid, g.threads, 0, gp__swap<P, T>, args);
      for (size_t i = 0; i < a.size() && good; ++i)
        good = same(left.data[i], i < n ? b[i] : a[i]) && same(right.data[i], i < n ? a[i] : b[i]);
      check(good, describe(name, n, oa, ob, 2, unsigned(seed)));
      simt::clear_error();
    }
}

template<class T> struct IsOdd { // a predicate of any type, by its first byte
  bool operator()(const T &x, const gp__value &) const {
    unsigned char first;
    std::memcpy(&first, &x, 1);
    return first & 1;
  }
};
template<class P, class F, class T> void sweep_replace(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : sizes_of<P, T>()) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      std::vector<T> a(n);
      for (auto &x : a) x = draw<T>();
      const size_t oa = seed % 3 ? random32() % 16 : 0, oo = seed % 3 == 1 ? oa : random32() % 16;
      const T value = draw<T>(), scalar = n && seed % 2 ? a[n / 2] : draw<T>();
      Device<T> in(a, oa), separate(n, oo);
      gp__map_args args = {};
      args.in = in.data, args.in2 = args.out = seed % 4 == 3 ? in.data : separate.data, args.count = n;
      std::memcpy(args.value.bytes, &value, sizeof value);
      std::memcpy(args.step.bytes, &scalar, sizeof scalar);
      gp__shape s = {};
      s.primitive = GP_REPLACE, s.in_size = s.out_size = sizeof(T), s.multiprocessors = 2, s.count = n;
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
      bool good = !simt::launch_kernel(
          name, g.grid, g.threads, 0, gp__map_kernel<P, gp__replace_value<T, F>, T, gp__none, T>, args);
      const T *out = static_cast<const T *>(args.out);
      for (size_t i = 0; i < n && good; ++i) good = same(out[i], F()(a[i], args.step) ? value : a[i]);
      check(good, describe(name, n, oa, oo, 2, unsigned(seed)));
      simt::clear_error();
    }
}

// Elements at the places of a permutation, some of them out of the output; I: gp__none: element i goes to place i, also
// in place. K: the stencil's type; gp__none: all pass. GATHER: elements from these places.
template<class P, class F, class T, class I, class K, bool GATHER = false> struct Scatter {
  static const bool INDEXED = !std::is_same<I, gp__none>::value, STENCIL = !std::is_same<K, gp__none>::value;
  static void sweep(const char *name, int seeds) {
    typedef typename std::conditional<INDEXED, I, int>::type Index;
    typedef typename std::conditional<STENCIL, K, u8>::type Key;
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes_of<P, T>()) {
        simt::set_random_schedule(uint64_t(seed) * 100 + n);
        const bool in_place = !INDEXED && seed % 3 == 1;
        const size_t more = seed % 2 ? 0 : 5, limit = INDEXED ? n - n / 5 : n + more, results = GATHER ? n : limit;
        std::vector<T> a(n + more);
        std::vector<Index> index(n + more);
        std::vector<Key> key(n + more);
        for (auto &x : a) x = draw<T>();
        for (auto &x : key) x = draw<Key>();
        for (size_t i = 0; i < index.size(); ++i) index[i] = Index(i);
        // Every third seed moves only the first third: other tiles have places that are near one another.
        for (size_t i = seed % 3 == 2 ? index.size() / 3 : index.size(); i > 1; --i)
          std::swap(index[i - 1], index[random32() % i]);
        for (size_t i = 0; i < index.size(); i += 7) index[i] = Index(-1); // in no output
        std::vector<T> expected(results);
        for (auto &x : expected) x = draw<T>();
        if (in_place) expected = a;
        const size_t oi = random32() % 4, oo = in_place ? oi : random32() % 4;
        Device<T> in(a, oi), separate(in_place ? std::vector<T>() : expected, oo);
        Device<Index> indices(index, random32() % 4);
        Device<Key> keys(key, random32() % 4);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
        T *out = in_place ? in.data : separate.data;
        gp__scatter_args args = {};
        args.in = in.data, args.in2 = INDEXED ? indices.data : nullptr, args.keys = STENCIL ? keys.data : nullptr;
        args.out = out, args.count = n + more, args.limit = INDEXED ? limit : 0;
        args.count_device = more ? count.data : nullptr;
        args.window = seed % 3 ? 1 + random32() % (limit / 3 + 1) : 0; // of places
        const Key scalar = key.empty() ? Key() : key[0];
        std::memcpy(args.scalar.bytes, &scalar, sizeof scalar);
        for (size_t i = 0; i < n; ++i) {
          const u64 place = INDEXED ? u64((long long)(index[i])) : i;
          if (place < limit && passes(key[i], args.scalar)) expected[GATHER ? i : place] = a[GATHER ? place : i];
        }
        gp__shape s = {};
        s.primitive = GP_SCATTER, s.in_size = s.out_size = sizeof(T), s.in2_size = INDEXED ? sizeof(I) : 0;
        s.multiprocessors = 2, s.count = args.count;
        const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
        const unsigned blocks = args.window < limit && g.grid > 2 ? 2 : g.grid; // several tiles a block
        bool good = !simt::launch_kernel(
            name, blocks, g.threads, 0, gp__scatter<P, GATHER, F, gp_convert<T, T>, T, I, K, T>, args);
        for (size_t i = 0; i < results && good; ++i) good = same(out[i], expected[i]);
        check(good, describe(name, n, oi, oo, 2, unsigned(seed)) + (in_place ? " in place" : ""));
        simt::clear_error();
      }
  }
  template<class A> static bool passes(const A &key, const gp__value &scalar) {
    return passes_by(key, scalar, std::integral_constant<bool, STENCIL>());
  }
  template<class A> static bool passes_by(const A &key, const gp__value &scalar, std::true_type) {
    return F()(key, scalar);
  }
  template<class A> static bool passes_by(const A &, const gp__value &, std::false_type) { return true; }
};

// ---- neighbours

template<class P, bool RIGHT, class F, class A, class R> struct Adjacent {
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes_of<P, R>()) {
        simt::set_random_schedule(uint64_t(seed) * 100 + n);
        std::vector<A> a(n);
        for (auto &x : a) x = draw<A>();
        const size_t oa = seed % 3 ? random32() % 16 : 0, oo = seed % 3 == 1 ? oa : seed % 3 ? random32() % 16 : 0;
        Device<A> in(a, oa);
        Device<R> out(n, oo);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
        gp__map_args args = {};
        args.in = in.data, args.out = out.data, args.count = n + (seed % 2 ? 0 : 70);
        args.count_device = seed % 2 ? nullptr : count.data;
        gp__shape s = {};
        s.primitive = GP_ADJACENT_DIFFERENCE, s.in_size = sizeof(A), s.out_size = sizeof(R);
        s.multiprocessors = 2, s.count = args.count;
        const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), &s, 0);
        int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__adjacent<P, RIGHT, F, A, R>, args);
        bool good = !e;
        for (size_t i = 0; i < n && good; ++i) {
          const bool edge = i == (RIGHT ? n - 1 : 0);
          good = same(out.data[i], edge ? gp_convert<A, R>()(a[i]) : F()(a[i], a[RIGHT ? i + 1 : i - 1]));
        }
        check(good, describe(name, n, oa, oo, 2, unsigned(seed)));
        simt::clear_error();
      }
  }
};

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);

#ifdef TEST_NEIGHBOURS
  typedef gp__policy<64, 2, 3, 3, 0, 0, 2> Neighbours;
  Adjacent<Neighbours, false, gp__binary<gp_sub<u8>, u8, u8, u8>, u8, u8>::sweep("adjacent u8", seeds);
  Adjacent<Neighbours, true, Compose, Affine, Affine>::sweep("adjacent affine", seeds);
#ifndef TEST_FEW
  Adjacent<Small, true, gp__binary<gp_sub<float>, float, float, float>, float, float>::sweep("adjacent f32", seeds);
  Adjacent<Neighbours, true, gp__binary<gp_sub<u64>, u16, u16, u64>, u16, u64>::sweep("adjacent u16 to u64", seeds);
  Adjacent<Neighbours, false, AddTriple, Triple, Triple>::sweep("adjacent triple", seeds);
#endif
#endif

#ifdef TEST_MAP
  typedef gp__policy<64, 2, 3, 3, 0, 0, 2> MapPolicy;
  sweep_copy<MapPolicy, 1>("copy bytes", seeds);
  sweep_reverse<MapPolicy, u8>("reverse u8", seeds);
  sweep_reverse<MapPolicy, Affine>("reverse affine", seeds);
  sweep_swap<MapPolicy, u16>("swap u16", seeds);
  sweep_replace<MapPolicy, gp__compare<gp_equal<u16>>, u16>("replace u16", seeds);
  Scatter<MapPolicy, gp__none, u32, int, gp__none>::sweep("scatter u32", seeds);
  Scatter<MapPolicy, gp__compare<gp_less<u8>>, u16, gp__none, u8>::sweep("pass u16", seeds);
  Scatter<MapPolicy, gp__flag<u8>, u32, int, u8, true>::sweep("gather u32", seeds);
  Map<MapPolicy, gp__binary<Compose, Affine, Affine, Affine>, Affine, Affine, Affine>::sweep("map affine", seeds);
#ifndef TEST_FEW
  sweep_swap<gp__policy<64, 1, 2, 1, 0, 2, 1>, u8>("swap u8", seeds);
  sweep_swap<MapPolicy, Triple>("swap triple", seeds);
  sweep_swap<Small, Wide>("swap wide", seeds);
  sweep_replace<Small, IsOdd<Triple>, Triple>("replace triple", seeds);
  Scatter<MapPolicy, gp__flag<u8>, Triple, u64, u8>::sweep("scatter triple", seeds);
  Scatter<Small, IsOdd<Wide>, u8, u32, Wide>::sweep("scatter u8 if", seeds);
  Scatter<Small, gp__flag<u16>, Wide, gp__none, u16>::sweep("pass wide", seeds);
  Scatter<Small, gp__none, Triple, u64, gp__none, true>::sweep("gather triple", seeds);
  sweep_copy<gp__policy<64, 1, 1, 1, 0, 2, 1>, 12>("copy triples", seeds);
  sweep_reverse<gp__policy<64, 1, 2, 1, 0, 2, 1>, u16>("reverse u16", seeds);
  sweep_reverse<Pair, float>("reverse f32", seeds);
  sweep_reverse<MapPolicy, Triple>("reverse triple", seeds);
  sweep_reverse<Small, Wide>("reverse wide", seeds);
  sweep_reverse<MapPolicy, Large>("reverse large", seeds);
  Map<MapPolicy, gp__binary<gp_sum<u8>, u8, u8, u8>, u8, u8, u8>::sweep("map u8", seeds);
  Map<MapPolicy, gp__binary<gp_prod<float>, u8, float, float>, u8, float, float>::sweep("map u8 f32", seeds);
  Map<MapPolicy, gp__binary<gp_min<gp_f16>, gp_f16, gp_f16, gp_f16>, gp_f16, gp_f16, gp_f16>::sweep("map f16", seeds);
  Map<MapPolicy, gp__binary<AddTriple, Triple, Triple, Triple>, Triple, Triple, Triple>::sweep("map triple", seeds);
  Map<MapPolicy, gp__binary<AddWide, Wide, Wide, Wide>, Wide, Wide, Wide>::sweep("map wide", seeds);
#endif
#endif

  return finish();
}
