// Scans of gpuprims.h under the emulator: every algorithm, operand shape and alignment against a sequential reference,
// on adversarial schedules. Usage: test_scan [seeds] [name of a test]
// Define one of TEST_LOOK_BACK, TEST_PIPELINED, TEST_SWEEPS to compile that part alone; TEST_FEW compiles only the
// instances that mutants.py needs.
#if !defined(TEST_LOOK_BACK) && !defined(TEST_PIPELINED) && !defined(TEST_SWEEPS)
#define TEST_LOOK_BACK
#define TEST_PIPELINED
#define TEST_SWEEPS
#endif
#include "sweep_test.h"

template<int ALGORITHM, class P, bool EXCLUSIVE, class Op, class F, class In, class Out> struct Scan {
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
    if (!gp__valid_by(&gp__rules_scan, p, &s)) {
      // Pipelined tiles begin at 16-byte boundaries of whole elements; a struct may have an offset without any.
      check(ALGORITHM == GP_PIPELINED && s.in_misaligned % int(sizeof(In)) != 0, what + " the policy is not valid");
      return false;
    }
    const gp__geometry g = gp__geometry_by(&gp__rules_scan, p, &s, 0);
    Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
    Acc init = Op::identity();
    gp__scan_args a = {};
    a.in = in.data, a.out = out, a.count = s.count, a.count_device = o.count_on_device ? count.data : nullptr;
    a.workspace = g.words ? workspace(g.words) : nullptr, a.has_init = o.init, a.blocks = g.grid;
    if (o.init) init = Op::prepare(F()(draw<In>()));
    std::memcpy(a.init.bytes, &init, sizeof init);
    Device<Acc> first(std::vector<Acc>(1, init), 0);
    if (o.init && n % 2) { // the operand comes from device memory, and that of the arguments is not read
      a.init_device = first.data;
      std::memset(a.init.bytes, 0x5a, sizeof a.init.bytes);
    }
    auto launch = [&](void (*kernel)(const gp__scan_args &), unsigned grid, unsigned shared) {
      return simt::launch_kernel(name, grid, g.threads, shared, kernel, a);
    };
    int e = 0;
    if (g.grid) {
      if (ALGORITHM == GP_LOOK_BACK)
        e = launch(gp__scan_look_back<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
      else if (ALGORITHM == GP_ONE_BLOCK || ALGORITHM == GP_ONE_CLUSTER) {
        check(g.grid <= (ALGORITHM == GP_ONE_BLOCK ? 1 : GP__CLUSTER) && !g.words, what + " a block or a cluster");
        simt::config.cluster = seed % 4 ? g.grid : 1; // 1: where clusters are refused
        simt::config.resident = std::max(simt::config.resident, simt::config.cluster);
        e = launch(gp__scan_cluster<P, EXCLUSIVE, Op, Load, In, Acc, Out>, simt::config.cluster, g.shared_bytes);
        simt::config.cluster = 1;
        check(sizeof(gp_tile_scan_storage<P::threads, Acc>) + sizeof(gp__cluster_values<Acc>) <=
                size_t(gp__scan_static_bytes(p, s.acc_size)),
            what + " static shared memory as the kernel has it");
      } else if (ALGORITHM == GP_THREE_SWEEP) {
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
  template<class Launch> static int pipelined(const Launch &launch, const gp__geometry &g, std::true_type) {
    return launch(gp__scan_pipelined<P, EXCLUSIVE, Op, Load, In, Acc, Out>, g.grid, g.shared_bytes);
  }
  template<class Launch> static int pipelined(const Launch &, const gp__geometry &, std::false_type) { return 1; }

  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * gp__scan_items(P::vectors, sizeof(In), sizeof(Out));
    const size_t sizes[] = {0, 1, 3, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 7, 66 * tile + 1, 200 * tile - 2};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        if (sizes[k] > 6 * tile && (seed + k) % 2) continue; // the long ones less often
        if (!has_turn()) continue;
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

// Floats with rounded sums: the bits must not depend on the schedule, nor on the grid.
template<class S> void scan_is_deterministic(const char *name, int seeds) {
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

#define SCAN(name, algorithm, P, exclusive, Op, In, Out) \
  Scan<algorithm, P, exclusive, Op, gp_convert<In, typename Op::type>, In, Out>::sweep(name, seeds)

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);

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
  scan_is_deterministic<Scan<GP_LOOK_BACK, Tiny, false, gp_sum<float>, SameFloat, float, float>>(
      "look_back f32 bits", seeds);
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
  scan_is_deterministic<Scan<GP_PIPELINED, Tiny, true, gp_sum<float>, SameFloat, float, float>>(
      "pipelined f32 bits", seeds);
#endif
#endif

#ifdef TEST_SWEEPS
  SCAN("one_cluster affine", GP_ONE_CLUSTER, Tiny, true, Compose, Affine, Affine);
  SCAN("three_sweep affine", GP_THREE_SWEEP, Tiny, true, Compose, Affine, Affine);
#ifndef TEST_FEW
  SCAN("one_cluster u8 to u64", GP_ONE_CLUSTER, Small, false, gp_sum<u64>, u8, u64);
  SCAN("one_cluster triple", GP_ONE_CLUSTER, Odd, false, AddTriple, Triple, Triple);
  SCAN("one_block u16", GP_ONE_BLOCK, Small, false, gp_sum<u16>, u16, u16);
#endif
#endif

  return finish();
}
