// Reductions of gpuprims.h under the emulator: every algorithm, operand shape and alignment, counts of elements and
// checks of offsets, against a sequential reference, on adversarial schedules.
// Usage: test_reduce [seeds] [name of a test]
// TEST_FEW compiles only the instances that mutants.py needs.
#include "sweep_test.h"

template<int ALGORITHM, class P, class Op, class F, class In, class Out> struct Reduce {
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
    check(gp__valid_by(&gp__rules_reduce, p, &s), what + " the policy is valid");
    const gp__geometry g = gp__geometry_by(&gp__rules_reduce, p, &s, 0);
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
        if (!has_turn()) continue;
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

// ---- counts of elements, checks of offsets

// A reduction of `n` elements by a load that knows the kernel's arguments.
template<class Op, class Load, class In, class Out>
static Out fold_with(const char *name, const std::vector<In> &input, gp__reduce_args a, bool &good) {
  typedef gp__policy<64, 2, 3, 3, 0, 2, 2> P;
  Device<In> in(input, 3);
  Device<Out> out(1);
  gp__shape s = {};
  s.primitive = GP_REDUCE, s.in_size = sizeof(In), s.acc_size = sizeof(typename Op::type), s.out_size = sizeof(Out);
  s.in_misaligned = int(misalignment(in.data)), s.multiprocessors = 3, s.count = input.size();
  s.compute_capability = 90;
  const gp__geometry g = gp__geometry_by(&gp__rules_reduce, policy_of<P>(GP_EVEN_SHARE), &s, 0);
  a.in = in.data, a.out = out.data, a.count = input.size(), a.rounds = 1;
  a.workspace = g.words ? workspace(g.words) : nullptr;
  good = !simt::launch_kernel(
      name, g.grid, g.threads, 0, gp__reduce_even_share<P, Op, Load, In, typename Op::type, Out>, a);
  return *out.data;
}
template<class T, class L> void sweep_counted(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 255, 3000, 20011}) {
      if (!has_turn()) continue;
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
template<class O> void sweep_offsets(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {1, 2, 700, 12345}) {
      if (!has_turn()) continue;
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
      // Half of the time the limit is the device's, and the host knows only an upper bound; or the reverse.
      Device<unsigned long long> limit(std::vector<unsigned long long>(1, a.limit + (seed % 4 == 2 ? 5 : 0)), 0);
      if (seed % 2 == 0) a.limit_device = limit.data;
      if (seed % 4 == 0) a.limit += 7;
      bool good = false;
      const u64 bad = fold_with<gp_min<u64>, gp__offset_fault<O>, O, u64>(name, offsets, a, good);
      check(good && bad == expected, std::string(name) + " n=" + std::to_string(n));
    }
}

// Floats with rounded sums: the bits must not depend on the schedule, nor (stealing) on the grid.
template<class R> void reduce_is_deterministic(const char *name, int seeds, bool any_grid) {
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

// Elements of few values, so that many tie, with a NaN now and then; and elements that are no larger than the identity.
struct FewValues {
  GP_DEVICE float operator()(u16 x) const { return x % 1021 == 0 ? __builtin_nanf("") : float(x % 5) - 2; }
};
struct Lowest {
  GP_DEVICE float operator()(u16) const { return -__builtin_inff(); }
};
#define REDUCE(name, algorithm, P, Op, F, In, Out) Reduce<algorithm, P, Op, F, In, Out>::sweep(name, seeds)

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);

  REDUCE("reduce f32", GP_EVEN_SHARE, Pair, gp_sum<float>, SameFloat, float, float);
  typedef gp__policy<64, 4, 3, 3, 0, 2, 2> Four; // the rest of a share has up to three vectors
  REDUCE("reduce f32 by four", GP_EVEN_SHARE, Four, gp_sum<float>, SameFloat, float, float);
  REDUCE("reduce affine", GP_EVEN_SHARE, Pair, Compose, SameAffine, Affine, Affine);
  typedef gp_convert<u16, u16> SameU16;
  REDUCE("reduce minmax", GP_EVEN_SHARE, Pair, gp_minmax<u16>, SameU16, u16, gp_both<u16>);
  REDUCE("stealing affine", GP_STEALING, Pair, Compose, SameAffine, Affine, Affine);
  REDUCE("argmax of few values", GP_EVEN_SHARE, Pair, gp_argmax<float>, FewValues, u16, gp_arg<float>);
  REDUCE("argmax of the lowest", GP_EVEN_SHARE, Pair, gp_argmax<float>, Lowest, u16, gp_arg<float>);
#ifndef TEST_FEW
  REDUCE("stealing argminmax of few values", GP_STEALING, Tiny, gp_argminmax<float>, FewValues, u16,
      gp_both<gp_arg<float>>);
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
  REDUCE("stealing argminmax", GP_STEALING, Tiny, gp_argminmax<float>, SameFloat, float, gp_both<gp_arg<float>>);
  REDUCE("stealing argmax of abs", GP_STEALING, Pair, gp_argmax<int>, AbsInt, int, gp_arg<int>);
  REDUCE("stealing squares", GP_STEALING, Tiny, gp_sum<float>, SquareHalf, gp_bf16, float);
  reduce_is_deterministic<Reduce<GP_EVEN_SHARE, Pair, gp_sum<float>, SameFloat, float, float>>(
      "reduce f32 bits", seeds, false);
  reduce_is_deterministic<Reduce<GP_STEALING, Pair, gp_sum<float>, SameFloat, float, float>>(
      "stealing f32 bits", seeds, true);
  sweep_counted<u16, gp_less<u16>>("counted u16", seeds);
  sweep_counted<gp_f16, gp_not_equal<gp_f16>>("counted f16", seeds);
  sweep_offsets<u32>("offsets u32", seeds);
  sweep_offsets<u64>("offsets u64", seeds);
#endif

  return finish();
}
