// The kernels of gpuprims.h under the emulator: every algorithm, operand shape and alignment against a sequential
// reference, on adversarial schedules. Usage: test_kernels [seeds] [name of a test]
// Define one of TEST_LOOK_BACK, TEST_PIPELINED, TEST_SWEEPS, TEST_REDUCE, TEST_MAP, TEST_NEIGHBOURS to compile that
// part alone; with TEST_FEW besides, only as many instances as mutants.py needs.
#if !defined(TEST_LOOK_BACK) && !defined(TEST_PIPELINED) && !defined(TEST_SWEEPS) && !defined(TEST_REDUCE) &&          \
    !defined(TEST_MAP) && !defined(TEST_NEIGHBOURS)
#define TEST_LOOK_BACK
#define TEST_PIPELINED
#define TEST_SWEEPS
#define TEST_REDUCE
#define TEST_MAP
#define TEST_NEIGHBOURS
#endif
#include "kernel_test.h"

static std::string describe(const char *name, size_t n, size_t in_offset, size_t out_offset, int sms, unsigned seed) {
  char text[200];
  std::snprintf(text, sizeof text, "%s n=%zu offsets %zu %zu sms=%d seed=%u:", name, n, in_offset, out_offset, sms,
                seed);
  return text;
}

struct Options {
  size_t in_offset, out_offset;
  int sms;
  bool in_place, init, count_on_device;
};

// ---- scan

template <int ALGORITHM, class P, bool EXCLUSIVE, class Op, class F, class In, class Out> struct Scan {
  typedef typename Op::type Acc;
  typedef gp__load<In, Acc, F> Load;
  static bool run(const char *name, const std::vector<In> &input, const Options &o, unsigned seed,
                  std::vector<Out> *result = nullptr) { // with `result`, the caller compares
    const size_t n = input.size();
    const std::string what = describe(name, n, o.in_offset, o.out_offset, o.sms, seed);
    Device<In> in(input, o.in_offset);
    Device<Out> separate(o.in_place ? 0 : n, o.out_offset);
    Out *out = o.in_place ? reinterpret_cast<Out *>(in.data) : separate.data;
    gp__shape s = {};
    s.primitive = EXCLUSIVE ? GP_EXCLUSIVE_SCAN : GP_INCLUSIVE_SCAN;
    s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out);
    s.in_misaligned = int(misalignment(in.data)), s.out_misaligned = int(misalignment(out));
    s.compute_capability = 90, s.multiprocessors = o.sms, s.shared_bytes = 227 * 1024;
    s.count = n + (o.count_on_device ? 1000 : 0);
    const gp_policy p = policy_of<P>(ALGORITHM);
    if (!gp__valid_by(&gp__rules_scan, p, s)) {
      // Pipelined tiles begin at 16-byte boundaries of whole elements; a struct may lie where there are none.
      check(ALGORITHM == GP_PIPELINED && s.in_misaligned % int(sizeof(In)) != 0, what + " the policy is not valid");
      return false;
    }
    const gp__geometry g = gp__geometry_by(&gp__rules_scan, p, s, 0);
    Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
    Acc init = Op::identity();
    gp__scan_args a = {};
    a.in = in.data, a.out = out, a.count = s.count, a.count_device = o.count_on_device ? count.data : nullptr;
    a.workspace = g.words ? workspace(g.words) : nullptr, a.has_init = o.init, a.blocks = g.grid;
    if (o.init) init = Op::prepare(F()(draw<In>()));
    std::memcpy(a.init.bytes, &init, sizeof init);
    auto launch = [&](void (*kernel)(const gp__scan_args &), unsigned grid, unsigned shared) {
      return simt::launch_kernel(name, grid, g.threads, shared, kernel, a);
    };
    int e = 0;
    if (g.grid) {
      if (ALGORITHM == GP_LOOK_BACK)
        e = launch(gp__scan_look_back<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
      else if (ALGORITHM == GP_ONE_BLOCK)
        e = launch(gp__scan_downsweep<P, EXCLUSIVE, Op, Load, In, Acc, Out>, 1, g.shared_bytes);
      else if (ALGORITHM == GP_THREE_SWEEP) {
        e = launch(gp__scan_upsweep<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
        if (!e) e = launch(gp__scan_spine<P, EXCLUSIVE, Op, Load, In, Acc, Out>, 1, 0);
        if (!e) e = launch(gp__scan_downsweep<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
      } else e = pipelined(launch, g, std::integral_constant<bool, ALGORITHM == GP_PIPELINED>());
    }
    size_t wrong = n;
    std::vector<Out> got(out, out + n);
    if (!e && !result) {
      Acc running = init;
      bool has = o.init;
      for (size_t i = 0; i < n && wrong == n; ++i) {
        const Acc x = Op::prepare(Load()(input[i], i)), before = running;
        running = has ? Op()(running, x) : x;
        has = true;
        if (!same(gp_convert<Acc, Out>()(EXCLUSIVE ? before : running), got[i])) wrong = i;
      }
    }
    check(!e && wrong == n, what + (wrong < n ? " wrong at " + std::to_string(wrong) : std::string()));
    if (result) *result = got;
    simt::clear_error();
    return !e && wrong == n;
  }
  template <class Launch> static int pipelined(const Launch &launch, const gp__geometry &g, std::true_type) {
    return launch(gp__scan_pipelined<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
  }
  template <class Launch> static int pipelined(const Launch &, const gp__geometry &, std::false_type) { return 1; }

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * gp__scan_items(P::vectors, sizeof(In), sizeof(Out));
    const size_t sizes[] = {0, 1, 3, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 7, 66 * tile + 1, 200 * tile - 2};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        if (sizes[k] > 6 * tile && (seed + k) % 2) continue; // the long ones less often
        simt::set_random_schedule(uint64_t(seed) * 100 + k);
        Options o = {};
        o.in_offset = seed % 2 ? 0 : random32() % 16;
        o.out_offset = seed % 4 < 2 ? o.in_offset : random32() % 16;
        o.sms = seed % 3 == 0 ? 100 : 1 + int(random32() % 5);
        o.in_place = sizeof(In) == sizeof(Out) && seed % 5 == 0;
        o.init = seed % 3 == 1;
        o.count_on_device = seed % 4 == 3;
        if (ALGORITHM == GP_PIPELINED && o.in_offset * sizeof(In) % 16 % sizeof(In)) o.in_offset = 0;
        if ((sizeof(In) == 16 || 16 % sizeof(In)) && ALGORITHM == GP_PIPELINED) o.in_offset = 0;
        std::vector<In> input(sizes[k]);
        for (auto &x : input) x = draw<In>();
        run(name, input, o, unsigned(seed));
      }
  }
};

// ---- reduce

template <int ALGORITHM, class P, class Op, class F, class In, class Out> struct Reduce {
  typedef typename Op::type Acc;
  typedef gp__load<In, Acc, F> Load;
  static Out run(const char *name, const std::vector<In> &input, const Options &o, uint64_t rounds, unsigned seed,
                 bool compare = true) {
    const size_t n = input.size();
    const std::string what = describe(name, n, o.in_offset, o.out_offset, o.sms, seed);
    Device<In> in(input, o.in_offset);
    Device<Out> out(1);
    gp__shape s = {};
    s.primitive = GP_REDUCE;
    s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out);
    s.in_misaligned = int(misalignment(in.data)), s.commutative = Op::commutative;
    s.compute_capability = 90, s.multiprocessors = o.sms, s.shared_bytes = 227 * 1024;
    s.count = n + (o.count_on_device ? 1000 : 0);
    const gp_policy p = policy_of<P>(ALGORITHM);
    check(gp__valid_by(&gp__rules_reduce, p, s), what + " the policy is valid");
    const gp__geometry g = gp__geometry_by(&gp__rules_reduce, p, s, 0);
    Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
    Acc init = Op::identity();
    if (o.init) init = Load()(draw<In>(), 0);
    gp__reduce_args a = {};
    a.in = in.data, a.out = out.data, a.count = s.count, a.count_device = o.count_on_device ? count.data : nullptr;
    a.workspace = g.words ? workspace(g.words) : nullptr, a.has_init = o.init, a.rounds = rounds;
    std::memcpy(a.init.bytes, &init, sizeof init);
    const int e = simt::launch_kernel(name, g.grid, g.threads, 0,
                                      ALGORITHM == GP_STEALING ? gp__reduce_stealing<P, Op, Load, In, Acc, Out>
                                                               : gp__reduce_even_share<P, Op, Load, In, Acc, Out>,
                                      a);
    Acc total = init;
    bool has = o.init;
    for (size_t i = 0; i < n; ++i) {
      const Acc x = Op::prepare(Load()(input[i], i));
      total = has ? Op()(total, x) : x;
      has = true;
    }
    const Out expected = gp_convert<Acc, Out>()(total);
    check(!e && (!compare || same(*out.data, expected)), what);
    simt::clear_error();
    return *out.data;
  }
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * gp__vector_items(sizeof(In));
    const size_t sizes[] = {0, 1, 17, tile - 1, tile, tile + 1, 3 * tile, 7 * tile + 5, 40 * tile + 3};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        simt::set_random_schedule(uint64_t(seed) * 100 + k);
        Options o = {};
        o.in_offset = seed % 2 ? 0 : random32() % 16;
        o.sms = seed % 3 == 0 ? 100 : 1 + int(random32() % 5);
        o.init = seed % 3 == 1;
        o.count_on_device = seed % 4 == 3;
        std::vector<In> input(sizes[k]);
        for (auto &x : input) x = draw<In>();
        run(name, input, o, ALGORITHM == GP_STEALING ? 1 + seed % 3 : 1, unsigned(seed));
      }
  }
};

// ---- copy and transform

template <class P, class F, class A, class B, class R> struct Map {
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * 16;
    const size_t sizes[] = {0, 1, 2, 15, 16, 17, 31, tile / 4 - 1, tile / sizeof(R) + 1, 3 * tile / sizeof(R) + 5};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes) {
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
        const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), s, 0);
        int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__map_kernel<P, F, A, B, R>, args);
        bool good = !e;
        for (size_t i = 0; i < n && good; ++i) good = same(out.data[i], F()(a[i], b[i]));
        check(good, describe(name, n, oa, oo, 2, unsigned(seed)));
        simt::clear_error();
      }
  }
};
template <class P, int SIZE> void sweep_copy(const char *name, int seeds) {
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
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), s, 0);
      const int e = simt::launch_kernel(name, g.grid, g.threads, 0, gp__copy_kernel<P, SIZE>, args);
      check(!e && (bytes.empty() || !std::memcmp(out.data, bytes.data(), bytes.size())),
            describe(name, n, oi, oo, 2, unsigned(seed)));
      simt::clear_error();
    }
}

// ---- reverse: apart, and in place

template <class P, class T> void sweep_reverse(const char *name, int seeds) {
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
      std::vector<T> longer(a); // elements behind the count stay as they are
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
      const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), s, 0);
      bool good = !simt::launch_kernel(name, g.grid, g.threads, 0, gp__reverse<P, T>, args);
      for (size_t i = 0; i < n && good; ++i) good = same(out[i], a[n - 1 - i]) && (in_place || same(in.data[i], a[i]));
      for (size_t i = n; i < longer.size() && in_place && good; ++i) good = same(out[i], longer[i]);
      check(good, describe(name, n, oi, in_place ? oi : oo, 2, unsigned(seed)) + (in_place ? " in place" : ""));
      simt::clear_error();
    }
}

// ---- what compares: neighbours, elements with a scalar, offsets

template <class P, bool RIGHT, class F, class A, class R> struct Adjacent {
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * 16;
    const size_t sizes[] = {0, 1, 2, 15, 16, 17, 31, tile / 4 - 1, tile / sizeof(R) + 1, 3 * tile / sizeof(R) + 5};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t n : sizes) {
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
        const gp__geometry g = gp__geometry_by(&gp__rules_map, policy_of<P>(GP_DIRECT), s, 0);
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

// A reduction of `n` elements by a load that knows the kernel's arguments.
template <class Op, class Load, class In, class Out>
static Out fold_with(const char *name, const std::vector<In> &input, gp__reduce_args a, bool &good) {
  typedef gp__policy<64, 2, 3, 3, 0, 2, 2> P;
  Device<In> in(input, 3);
  Device<Out> out(1);
  gp__shape s = {};
  s.primitive = GP_REDUCE, s.in_size = sizeof(In), s.acc_size = sizeof(typename Op::type), s.out_size = sizeof(Out);
  s.in_misaligned = int(misalignment(in.data)), s.multiprocessors = 3, s.count = input.size();
  s.compute_capability = 90;
  const gp__geometry g = gp__geometry_by(&gp__rules_reduce, policy_of<P>(GP_EVEN_SHARE), s, 0);
  a.in = in.data, a.out = out.data, a.count = input.size(), a.rounds = 1;
  a.workspace = g.words ? workspace(g.words) : nullptr;
  good = !simt::launch_kernel(name, g.grid, g.threads, 0,
                              gp__reduce_even_share<P, Op, Load, In, typename Op::type, Out>, a);
  return *out.data;
}
template <class T, class L> void sweep_counted(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 255, 3000, 20011}) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      std::vector<T> input(n);
      for (auto &x : input) x = draw<T>();
      const T scalar = n && seed % 2 ? input[n / 2] : draw<T>();
      gp__reduce_args a = {};
      std::memcpy(a.scalar.bytes, &scalar, sizeof scalar);
      u64 expected = 0;
      for (const T &x : input) expected += L()(x, scalar);
      bool good = false;
      const u64 count = fold_with<gp_sum<u64>, gp__counted<T, gp__compare<L>>, T, u64>(name, input, a, good);
      check(good && count == expected, std::string(name) + " count_if");
      const u8 any = fold_with<gp_or<u32>, gp__counted<T, gp__compare<L>>, T, u8>(name, input, a, good);
      check(good && any == (expected > 0), std::string(name) + " any");
      const u8 all = fold_with<gp_and<u32>, gp__counted<T, gp__compare<L>>, T, u8>(name, input, a, good);
      check(good && all == (expected == n), std::string(name) + " all");
    }
}
template <class O> void sweep_offsets(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {1, 2, 700, 12345}) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      std::vector<O> offsets(n);
      for (size_t i = 0; i < n; ++i) offsets[i] = O((i ? offsets[i - 1] : 0) + random32() % 3);
      gp__reduce_args a = {};
      a.limit = offsets[n - 1];
      u64 expected = ~u64(0);
      if (seed % 3 == 1) {
        a.limit = offsets[n / 2];
        for (expected = 0; expected < n && offsets[expected] <= a.limit; ++expected) {}
        if (expected == n) expected = ~u64(0);
      } else if (seed % 3 == 2 && n > 2) {
        const size_t at = 1 + random32() % (n - 1);
        offsets[at - 1] = O(a.limit), offsets[at] = O(a.limit - 1), expected = at;
        if (at + 1 < n && offsets[n - 1] > a.limit) expected = ~u64(0);
      }
      // Half of the time the limit is the device's, and the host knows only the most that it may be; or the reverse.
      Device<unsigned long long> limit(std::vector<unsigned long long>(1, a.limit + (seed % 4 == 2 ? 5 : 0)), 0);
      if (seed % 2 == 0) a.limit_device = limit.data;
      if (seed % 4 == 0) a.limit += 7;
      bool good = false;
      const u64 bad = fold_with<gp_min<u64>, gp__offset_fault<O>, O, u64>(name, offsets, a, good);
      check(good && bad == expected, std::string(name) + " n=" + std::to_string(n));
    }
}

// Floats whose sums round: the bits must not depend on the schedule, nor (scan, stealing) on the grid.
template <class S> void scan_is_deterministic(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  std::vector<float> input(7000), first, again;
  for (auto &x : input) x = float(random32()) * 1e-7f - 100.f;
  Options o = {};
  for (int seed = 1; seed <= seeds + 2; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    o.sms = 1 + seed % 7 * 9;
    S::run(name, input, o, unsigned(seed), seed == 1 ? &first : &again);
    check(seed == 1 || !std::memcmp(first.data(), again.data(), first.size() * 4), std::string(name) + " same bits");
  }
}
template <class R> void reduce_is_deterministic(const char *name, int seeds, bool any_grid) {
  if (!only.empty() && only != name) return;
  std::vector<float> input(9001);
  for (auto &x : input) x = float(random32()) * 1e-7f - 100.f;
  float first = 0;
  for (int seed = 1; seed <= seeds + 2; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    Options o = {};
    o.sms = any_grid ? 1 + seed % 7 * 3 : 5;
    const float r = R::run(name, input, o, 2, unsigned(seed), false);
    if (seed == 1) first = r;
    check(same(r, first), std::string(name) + " same bits");
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  [[maybe_unused]] typedef gp__policy<64, 1, 3, 3, 3, 2, 2> Tiny; // tiles of 64 vectors
  typedef gp__policy<64, 3, 1, 1, 3, 2, 1> Small;                 // chunks of three vectors
  typedef gp__policy<96, 1, 3, 3, 4, 1, 2> Odd;                   // three warps, four stages
  typedef gp__policy<128, 2, 2, 3, 3, 2, 1> Pair;

#define SCAN(name, algorithm, P, exclusive, Op, In, Out)                                                               \
  Scan<algorithm, P, exclusive, Op, gp_convert<In, typename Op::type>, In, Out>::sweep(name, seeds)
#define REDUCE(name, algorithm, P, Op, F, In, Out) Reduce<algorithm, P, Op, F, In, Out>::sweep(name, seeds)
  typedef gp_convert<float, float> SameFloat;
  typedef gp_convert<Affine, Affine> SameAffine;

#ifdef TEST_LOOK_BACK
  SCAN("look_back u32", GP_LOOK_BACK, Tiny, true, gp_sum<u32>, u32, u32);
  SCAN("look_back affine", GP_LOOK_BACK, Odd, false, Compose, Affine, Affine);
#ifndef TEST_FEW
  SCAN("look_back u8", GP_LOOK_BACK, Small, false, gp_sum<u8>, u8, u8);
  SCAN("look_back u8 to u64", GP_LOOK_BACK, Tiny, true, gp_sum<u64>, u8, u64);
  SCAN("look_back f16 by f32", GP_LOOK_BACK, Small, false, gp_sum<float>, gp_f16, gp_f16);
  SCAN("look_back and of f16", GP_LOOK_BACK, Small, true, gp_and<float>, gp_f16, gp_f16);
  SCAN("look_back triple", GP_LOOK_BACK, Tiny, true, AddTriple, Triple, Triple);
  SCAN("look_back large", GP_LOOK_BACK, Small, false, AddLarge, Large, Large);
  scan_is_deterministic<Scan<GP_LOOK_BACK, Tiny, false, gp_sum<float>, SameFloat, float, float>>("look_back f32 bits",
                                                                                                 seeds);
#endif
#endif

#ifdef TEST_PIPELINED
  SCAN("pipelined u32", GP_PIPELINED, Tiny, true, gp_sum<u32>, u32, u32);
#ifndef TEST_FEW
  SCAN("pipelined u8", GP_PIPELINED, Odd, false, gp_sum<u8>, u8, u8);
  SCAN("pipelined u16", GP_PIPELINED, Small, true, gp_max<u16>, u16, u16);
  SCAN("pipelined affine", GP_PIPELINED, Odd, true, Compose, Affine, Affine);
  SCAN("pipelined triple", GP_PIPELINED, Small, true, AddTriple, Triple, Triple);
  SCAN("pipelined wide", GP_PIPELINED, Small, false, AddWide, Wide, Wide);
  scan_is_deterministic<Scan<GP_PIPELINED, Tiny, true, gp_sum<float>, SameFloat, float, float>>("pipelined f32 bits",
                                                                                                seeds);
#endif
#endif

#ifdef TEST_SWEEPS
  SCAN("three_sweep affine", GP_THREE_SWEEP, Tiny, true, Compose, Affine, Affine);
#ifndef TEST_FEW
  SCAN("one_block u16", GP_ONE_BLOCK, Small, false, gp_sum<u16>, u16, u16);
#endif
#endif

#ifdef TEST_REDUCE
  REDUCE("reduce f32", GP_EVEN_SHARE, Pair, gp_sum<float>, SameFloat, float, float);
  REDUCE("reduce affine", GP_EVEN_SHARE, Pair, Compose, SameAffine, Affine, Affine);
  REDUCE("stealing affine", GP_STEALING, Pair, Compose, SameAffine, Affine, Affine);
#ifndef TEST_FEW
  typedef gp_abs<int, int> AbsInt;
  typedef gp_convert<Triple, Triple> SameTriple;
  typedef gp_convert<Wide, Wide> SameWide;
  typedef gp_convert<u8, u64> Widen;
  typedef gp_square<gp_bf16, float> SquareHalf;
  REDUCE("reduce u8 to u64", GP_EVEN_SHARE, Pair, gp_sum<u64>, Widen, u8, u64);
  REDUCE("reduce triple", GP_EVEN_SHARE, Tiny, AddTriple, SameTriple, Triple, Triple);
  REDUCE("reduce wide", GP_EVEN_SHARE, Pair, AddWide, SameWide, Wide, Wide);
  REDUCE("reduce one block", GP_ONE_BLOCK, Pair, Compose, SameAffine, Affine, Affine);
  REDUCE("reduce argmin", GP_EVEN_SHARE, Pair, gp_argmin<float>, SameFloat, float, gp_arg<float>);
  REDUCE("stealing argmax of abs", GP_STEALING, Pair, gp_argmax<int>, AbsInt, int, gp_arg<int>);
  REDUCE("stealing squares", GP_STEALING, Tiny, gp_sum<float>, SquareHalf, gp_bf16, float);
  reduce_is_deterministic<Reduce<GP_EVEN_SHARE, Pair, gp_sum<float>, SameFloat, float, float>>("reduce f32 bits", seeds,
                                                                                               false);
  reduce_is_deterministic<Reduce<GP_STEALING, Pair, gp_sum<float>, SameFloat, float, float>>("stealing f32 bits", seeds,
                                                                                             true);
#endif
#endif

#ifdef TEST_NEIGHBOURS
  typedef gp__policy<64, 2, 3, 3, 0, 0, 2> Neighbours;
  Adjacent<Neighbours, false, gp__binary<gp_sub<u8>, u8, u8, u8>, u8, u8>::sweep("adjacent u8", seeds);
  Adjacent<Neighbours, true, Compose, Affine, Affine>::sweep("adjacent affine", seeds);
#ifndef TEST_FEW
  Adjacent<Small, true, gp__binary<gp_sub<float>, float, float, float>, float, float>::sweep("adjacent f32", seeds);
  Adjacent<Neighbours, true, gp__binary<gp_sub<u64>, u16, u16, u64>, u16, u64>::sweep("adjacent u16 to u64", seeds);
  Adjacent<Neighbours, false, AddTriple, Triple, Triple>::sweep("adjacent triple", seeds);
  sweep_counted<u16, gp_less<u16>>("counted u16", seeds);
  sweep_counted<gp_f16, gp_not_equal<gp_f16>>("counted f16", seeds);
  sweep_offsets<u32>("offsets u32", seeds);
  sweep_offsets<u64>("offsets u64", seeds);
#endif
#endif

#ifdef TEST_MAP
  typedef gp__policy<64, 2, 3, 3, 0, 0, 2> MapPolicy;
  sweep_copy<MapPolicy, 1>("copy bytes", seeds);
  sweep_reverse<MapPolicy, u8>("reverse u8", seeds);
  sweep_reverse<MapPolicy, Affine>("reverse affine", seeds);
  Map<MapPolicy, gp__binary<Compose, Affine, Affine, Affine>, Affine, Affine, Affine>::sweep("map affine", seeds);
#ifndef TEST_FEW
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
