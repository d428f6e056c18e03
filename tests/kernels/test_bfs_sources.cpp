// Breadth-first search from many sources at once, under the emulator, against a search from each: words of 32 and 64
// bits, offsets and vertices of 32 and 64 bits, symmetric graphs, directed ones with and without the transposed graph,
// every direction, levels of one block and of all, limits, repeated sources and sources outside the graph, one launch
// and a launch a step. Usage: test_bfs_sources [seeds] [name of a test]
// TEST_FEW compiles only the instances that mutants.py needs; sanitizer builds use it too, because they compile slowly.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#ifndef TEST_FEW
#define TEST_FEW
#endif
#pragma GCC optimize("O0")
#endif
#define GPUPRIMS_IMPLEMENTATION
#include "kernel_test.h"

#include "search_graphs.h"

struct How {
  int count = 1, alpha = 2;
  unsigned blocks = 3, small = 16;
  bool up = true, depths = true, reached = true, device_sources = false, fault = false;
  u64 limit = 0;
  int batch = 0, steps = -1; // steps: -1: one launch; else this many launches of a step, and one block for the rest
};
// All outputs of a batch, and their references.
struct Batch {
  std::vector<int> depths;
  std::vector<u64> reached;
  u64 pairs = 0, edges = 0, levels = 0;
};
static Batch expected(const Graph &g, const std::vector<u64> &sources, u64 limit) {
  Batch b;
  for (u64 source : sources) {
    const Reached r = oracle(g, source, ~0ull, limit);
    b.depths.insert(b.depths.end(), r.depth.begin(), r.depth.end());
    b.reached.push_back(r.reached);
    b.pairs += r.reached, b.edges += r.edges, b.levels = std::max(b.levels, u64(r.levels));
  }
  return b;
}
template<class P, class O, class V, class W> static int launch(gp__sources_args &a, const How &how) {
  const auto part = [&](int which) {
    a.part = which;
    a.blocks = which == GP__SOURCES_REST ? 1 : how.blocks;
    return simt::launch_kernel(
        "bfs_sources", a.blocks, P::threads, P::threads / 32 * GP__BFS_BUFFER, gp__bfs_sources<P, O, V, W>, a);
  };
  simt::config.resident = std::max(simt::config.resident, how.blocks); // as a cooperative launch promises
  int e = part(GP__SOURCES_CLEAR);
  if (how.steps < 0) return e ? e : part(GP__SOURCES_ALL);
  for (int i = 0; i < how.steps && !e; ++i) e = part(GP__SOURCES_STEP);
  if (!e) e = part(GP__SOURCES_REST);
  return e ? e : part(GP__SOURCES_FINISH);
}
static bool told(const gp_traversal &t, const Batch &want) {
  bool good = t.steps >= 2 && t.steps <= GP_TRAVERSAL_STEPS && t.step[0].kind == GP_STEP_START;
  for (u64 i = 1; good && i < t.steps; ++i) {
    const gp_traversal_step &x = t.step[i], &before = t.step[i - 1];
    good = x.nanoseconds >= before.nanoseconds && x.reached >= before.reached && x.edges >= before.edges &&
        x.kind > GP_STEP_START && x.kind <= GP_STEP_FINISH;
  }
  const gp_traversal_step &last = t.step[t.steps ? t.steps - 1 : 0];
  if (good && t.steps < GP_TRAVERSAL_STEPS)
    good = last.kind == GP_STEP_FINISH && last.reached == want.pairs && last.edges == want.edges;
  return good;
}
template<class P, class O, class V, class W> static void run(const Graph &g, const How &how, int seed) {
  const Csr<O, V> csr(g.out), in_csr(g.symmetric ? g.out : transposed(g));
  const u64 n = g.vertices, m = csr.targets.size();
  const std::string what = g.name + " n=" + std::to_string(n) + " count=" + std::to_string(how.count) +
      " alpha=" + std::to_string(how.alpha) + " blocks=" + std::to_string(how.blocks) +
      " small=" + std::to_string(how.small) + " up=" + std::to_string(how.up) + " limit=" + std::to_string(how.limit) +
      " steps=" + std::to_string(how.steps) + " seed=" + std::to_string(seed);
  gp__shape shape = {};
  shape.primitive = GP_BFS_SOURCES, shape.count = n, shape.count2 = m;
  shape.key_size = sizeof(V), shape.offset_size = sizeof(O), shape.acc_size = sizeof(W),
  shape.bfs.has_transpose = how.up;
  const gp__sources_layout layout = gp__lay_out_sources(&shape);
  Device<O> offsets(csr.offsets, 0), in_offsets(in_csr.offsets, 0);
  Device<V> targets(csr.targets, 0), in_sources(in_csr.targets, 0);
  Device<int> depths(n * u64(how.count));
  Device<u64> reached(u64(how.count));
  Device<u8> scratch(layout.bytes);
  gp_traversal before = {};
  before.reached = 1000, before.edges = 2000, before.inspected = 3000, before.levels = 3; // left by an earlier batch
  Device<gp_traversal> statistics(std::vector<gp_traversal>(1, before), 0);
  gp__sources_args a = {};
  std::vector<u64> sources;
  for (int i = 0; i < how.count; ++i) {
    u64 v = n ? random32() % n : 0;
    if (i % 4 == 3) v = sources[random32() % sources.size()]; // the same again
    if (how.device_sources && i % 6 == 5) v = i % 12 == 5 ? n : ~0ull; // a source outside the graph reaches none
    sources.push_back(v);
    a.source[i] = how.device_sources ? 0 : v;
  }
  Device<u64> device_sources(sources, 0);
  const gp_fault some = {GP_FAULT_TARGET, 1, 1}, none = {};
  Device<gp_fault> fault(std::vector<gp_fault>(1, how.fault ? some : none), 0);
  std::vector<int> untouched(size_t(n) * size_t(how.count), 77);
  simt::host_write(depths.data, untouched.data(), untouched.size() * sizeof(int));
  a.offsets = offsets.data, a.targets = targets.data;
  if (how.up) a.in_offsets = g.symmetric ? offsets.data : in_offsets.data;
  if (how.up) a.in_sources = g.symmetric ? targets.data : in_sources.data;
  a.depths = how.depths ? depths.data : nullptr, a.reached = how.reached ? reached.data : nullptr;
  a.statistics = statistics.data;
  a.seen = scratch.data + layout.seen, a.queue = scratch.data + layout.queue;
  a.control = scratch.data + layout.control;
  for (int i = 0; i < 2; ++i) a.words[i] = scratch.data + layout.words[i], a.lists[i] = scratch.data + layout.lists[i];
  a.vertices = n, a.count = how.count, a.batch = how.batch, a.limit = int(how.limit), a.alpha = how.alpha;
  a.source_device = how.device_sources ? device_sources.data : nullptr;
  a.small = how.small, a.fault = fault.data;
  const int e = launch<P, O, V, W>(a, how);
  const Batch want = expected(g, sources, how.limit);
  const gp_traversal &t = *statistics.data, empty = {}, &base = how.batch ? before : empty;
  if (how.fault) {
    check(!e && same_items(depths.data, untouched) && t.reached == before.reached, "a graph with a fault: " + what);
    return;
  }
  check(!e && same_items(depths.data, how.depths ? want.depths : untouched), "depths: " + what);
  if (how.reached) check(!e && same_items(reached.data, want.reached), "reached: " + what);
  check(!e && t.reached == base.reached + want.pairs && t.edges == base.edges + want.edges &&
          t.levels == std::max(u64(base.levels), want.levels),
      "statistics: " + what + " pairs " + std::to_string(t.reached) + "/" + std::to_string(want.pairs) + " edges " +
          std::to_string(t.edges) + "/" + std::to_string(want.edges) + " levels " + std::to_string(t.levels));
  if (how.alpha < 0 || !how.up) check(t.bottom_up == 0, "never bottom-up: " + what);
  if (how.alpha > 100000 && how.up && want.levels && t.small == 0 && m * 8 > n && how.steps < 0 && g.name == "complete")
    check(t.bottom_up > 0, "bottom-up: " + what);
  if (!how.batch && how.steps < 0) check(!e && told(t, want), "steps: " + what);
  if (how.blocks == 1 || how.steps >= 0) check(t.small == 0, "nobody goes on alone: " + what);
  simt::clear_error();
}

static How draw_how(int bits) {
  How h;
  const int alphas[] = {-1, 1, 4, 1000000};
  const unsigned smalls[] = {1, 8, 64, 1u << 20};
  h.count = random32() % 4 == 0 ? bits : 1 + int(random32() % unsigned(bits));
  h.alpha = alphas[random32() % 4], h.blocks = 1 + random32() % 5, h.small = smalls[random32() % 4];
  h.up = random32() % 4 != 0, h.device_sources = random32() % 3 == 0, h.fault = random32() % 16 == 0;
  h.depths = random32() % 8 != 0, h.reached = random32() % 2;
  if (random32() % 4 == 0) h.limit = 1 + random32() % 6;
  if (random32() % 3 == 0) h.steps = int(random32() % 12);
  h.batch = random32() % 4 == 0;
  return h;
}
template<class P, class O, class V, class W> static void each(const Graph &g, int seeds) {
  if (!only.empty() && only != g.name) return;
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(u64(seed) * 17 + g.vertices);
    How how = draw_how(8 * int(sizeof(W)));
    if (!g.vertices) how.device_sources = true;
    run<P, O, V, W>(g, how, seed);
  }
}
template<class P, class O, class V, class W> static void all(int seeds) {
  each<P, O, V, W>(chain(70), seeds);
  each<P, O, V, W>(ring(90), seeds);
  each<P, O, V, W>(star(700), seeds);
  each<P, O, V, W>(spider(200), seeds);
  each<P, O, V, W>(late(), seeds);
  each<P, O, V, W>(torus(11, 13), seeds);
  each<P, O, V, W>(hypercube(7), seeds);
  each<P, O, V, W>(tree(300), seeds);
  each<P, O, V, W>(complete(60), 2 * seeds);
  each<P, O, V, W>(islands(203), seeds);
  each<P, O, V, W>(none(65), seeds);
  each<P, O, V, W>(none(0), 1);
  each<P, O, V, W>(chain(1), 1);
  each<P, O, V, W>(random_graph(700, 2000, true), 2 * seeds);
  each<P, O, V, W>(random_graph(600, 1500, false), 2 * seeds);
  each<P, O, V, W>(random_graph(200, 6000, false), seeds);
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  all<Small, u32, u32, u64>(seeds);
#ifndef TEST_FEW
  all<Larger, u64, u32, u32>(seeds);
  all<Odd, u32, u64, u64>(seeds);
#endif
  return finish();
}
