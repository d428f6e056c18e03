// Breadth-first search under the emulator: graphs with known distances, random graphs, offsets and vertices of 32 and
// 64 bits, symmetric graphs, directed ones with and without the transposed graph, every direction, frontiers of one
// block and of all, limits, targets. Usage: test_bfs [seeds] [name of a test]
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

// ---- a launch

struct How {
  int alpha = 8, beta = 2;
  unsigned blocks = 3, small = 128, cluster = 1, cluster_small = 0, spread = 0;
  int spread_after = 0;
  int look = 1;
  bool parents = true, up = true, device_source = false;
  int steps = 0; // 1: also by launches; 2: on a faulty graph
  int algorithm = GP_FUSED_LAUNCHES, gather = GP_GATHER_ALL, cull = GP_CULL_ALL;
  u64 fused_edges = ~0ull;
  u64 target = ~0ull, limit = 0;
};

template<class V>
static void verify(const Graph &g, const Reached &want, const How &how, int e, const int *depths, const V *parents,
    const gp_traversal &t, const std::string &what) {
  check(!e && same_items(depths, want.depth), "depths: " + what);
  check(!e && t.reached == want.reached && t.edges == want.edges && t.levels == u64(want.levels),
      "statistics: " + what + " reached " + std::to_string(t.reached) + "/" + std::to_string(want.reached) + " edges " +
          std::to_string(t.edges) + "/" + std::to_string(want.edges) + " levels " + std::to_string(t.levels) + "/" +
          std::to_string(want.levels));
  if (how.alpha < 0 || !how.up) check(t.bottom_up == 0, "never bottom-up: " + what);
  bool good = !e;
  for (u64 v = 0; v < g.vertices && how.parents && good; ++v) {
    const V p = parents[v];
    if (want.depth[v] < 0) good = p == V(~V(0));
    else if (want.depth[v] == 0) good = p == v;
    else
      good = p < g.vertices && want.depth[p] + 1 == want.depth[v] &&
          std::find(g.out[p].data(), g.out[p].data() + g.out[p].size(), v) != g.out[p].data() + g.out[p].size();
  }
  check(good, "parents: " + what);
}
// GP_REPRODUCIBLE: the smallest parents.
template<class P, class O, class V>
static void smallest(const gp__bfs_args &a, const Graph &g, const Reached &want, const How &how, u64 edges, V *parents,
    const std::string &what) {
  if (!how.parents) return;
  std::vector<V> least(parents, parents + g.vertices);
  for (u64 u = 0; u < g.vertices; ++u)
    for (u64 v : g.out[u])
      if (want.depth[u] >= 0 && want.depth[v] == want.depth[u] + 1 && u < least[v]) least[v] = V(u);
  gp__graph_args of = {};
  of.offsets = a.offsets, of.targets = a.targets, of.vertices = a.vertices, of.edges = edges;
  of.depths = a.depths, of.out_targets = parents;
  const int e = simt::launch_kernel("bfs_parents", how.blocks, P::threads, 0, gp__bfs_parents<P, O, V>, of);
  check(!e && same_items(parents, least), "the smallest parents: " + what);
}
template<class P, class O, class V> static void run(const Graph &g, u64 source, const How &how, int seed) {
  const Csr<O, V> csr(g.out), in_csr(g.symmetric ? g.out : transposed(g));
  const u64 n = g.vertices, m = csr.targets.size();
  const std::string what = g.name + " n=" + std::to_string(n) + " source=" + std::to_string(source) +
      " alpha=" + std::to_string(how.alpha) + " beta=" + std::to_string(how.beta) +
      " blocks=" + std::to_string(how.blocks) + " small=" + std::to_string(how.small) +
      " cluster=" + std::to_string(how.cluster) + "," + std::to_string(how.cluster_small) +
      " spread=" + std::to_string(how.spread) + "," + std::to_string(how.spread_after) +
      " up=" + std::to_string(how.up) + " limit=" + std::to_string(how.limit) +
      " target=" + (how.target == ~0ull ? "none" : std::to_string(how.target)) + " seed=" + std::to_string(seed);
  gp__shape shape = {};
  shape.primitive = GP_BFS, shape.count = n, shape.count2 = m, shape.key_size = sizeof(V),
  shape.offset_size = sizeof(O);
  shape.bfs.has_transpose = how.up;
  const gp__bfs_layout layout = gp__lay_out_bfs(&shape);
  Device<O> offsets(csr.offsets, 0), in_offsets(in_csr.offsets, 0);
  Device<V> targets(csr.targets, 0), in_sources(in_csr.targets, 0);
  Device<int> depths(n);
  Device<V> parents(n);
  // With words that clusters of the starting level may have left there.
  Device<u64> scratch(std::vector<u64>(layout.bytes / 8, 0x8001 + u64(how.spread_after) + u64(seed) % 2), 0);
  u8 *const memory = reinterpret_cast<u8 *>(scratch.data);
  Device<gp_traversal> statistics(1);
  Device<u64> sources(std::vector<u64>(1, source), 0);
  gp__bfs_args a = {};
  a.offsets = offsets.data, a.targets = targets.data;
  if (how.up) a.in_offsets = g.symmetric ? offsets.data : in_offsets.data;
  if (how.up) a.in_sources = g.symmetric ? targets.data : in_sources.data;
  a.symmetric = g.symmetric;
  a.depths = depths.data, a.parents = how.parents ? parents.data : nullptr, a.statistics = statistics.data;
  a.workspace = workspace(GP__BFS_WORDS);
  for (int i = 0; i < 2; ++i) {
    a.reached[i] = reinterpret_cast<unsigned *>(memory + layout.reached[i]);
    a.lists[i] = memory + layout.lists[i];
  }
  a.queue = memory + layout.queue, a.found = memory + layout.found;
  a.fresh = reinterpret_cast<unsigned *>(memory + layout.fresh);
  a.control = memory + layout.control;
  a.vertices = n, a.source = how.device_source ? 12345678 : source;
  a.source_device = how.device_source ? sources.data : nullptr;
  a.target = how.target, a.limit = int(how.limit);
  a.alpha = how.alpha, a.beta = how.beta, a.small = how.small, a.look_from = how.look, a.blocks = how.blocks;
  a.cluster = how.cluster, a.cluster_small = how.cluster_small;
  a.spread = how.spread, a.spread_after = how.spread_after;
  simt::config.resident = std::max(simt::config.resident, how.blocks); // as a cooperative launch promises
  simt::config.cluster = how.cluster;
  const int e = simt::launch_kernel("bfs", how.blocks, P::threads, P::threads / 32 * GP__BFS_BUFFER,
      how.cluster > 1 ? gp__bfs<P, O, V, true> : gp__bfs<P, O, V>, a);
  simt::config.cluster = 1;
  const Reached want = oracle(g, source, how.target, how.limit);
  verify<V>(g, want, how, e, depths.data, parents.data, *statistics.data, what);
  const gp_traversal &t = *statistics.data;
  bool told = !e && t.steps >= 2 && t.steps <= GP_TRAVERSAL_STEPS && t.step[0].kind == GP_STEP_START;
  for (u64 i = 1; told && i < t.steps; ++i) {
    const gp_traversal_step &x = t.step[i], &before = t.step[i - 1];
    told = x.nanoseconds >= before.nanoseconds && x.reached >= before.reached && x.edges >= before.edges &&
        x.kind > GP_STEP_START && x.kind <= GP_STEP_FINISH;
  }
  if (told && t.steps < GP_TRAVERSAL_STEPS)
    told = t.step[t.steps - 1].kind == GP_STEP_FINISH && t.step[t.steps - 1].reached == t.reached &&
        t.step[t.steps - 1].edges == t.edges;
  check(told, "steps: " + what);
  smallest<P, O, V>(a, g, want, how, m, parents.data, what);
  if (how.steps) { // the same by launches that never wait for another
    const gp_fault none = {}, some = {GP_FAULT_TARGET, 1, 1};
    Device<gp_fault> fault(std::vector<gp_fault>(1, how.steps > 1 ? some : none), 0);
    std::vector<int> untouched(n, 77);
    const gp_policy policy = policy_of<P>(how.algorithm);
    Device<u8> edge_queue(gp__bfs_edge_bytes(policy, &shape));
    const bool by_edges = gp__bfs_by_edges(how.algorithm);
    a.fault = fault.data;
    a.gather = how.gather, a.cull = how.cull, a.edges = m, a.fused_edges = how.fused_edges;
    if (by_edges) a.edge_queue = edge_queue.data;
    a.cluster = 1;
    simt::host_write(depths.data, untouched.data(), n * sizeof(int));
    int failed = 0;
    const int last = by_edges ? int(GP__BFS_EDGE_STEPS) : int(GP__BFS_LAUNCHES);
    simt::config.resident = 1 + random32() % how.blocks;
    for (a.step = 0; a.step <= last + 1 + !by_edges && !failed; ++a.step) {
      if (how.algorithm == GP_CONTRACT_EXPAND && a.step % 2 && a.step > 1 && a.step <= last) continue;
      a.blocks = a.step == last + 1 ? 1 : how.blocks;
      failed = by_edges ? simt::launch_kernel("bfs_steps", a.blocks, P::threads, 0, gp__bfs_steps<P, O, V>, a)
          : simt::launch_kernel("bfs_stepwise", a.blocks, P::threads, P::threads / 32 * GP__BFS_BUFFER,
                              gp__bfs_stepwise<P, O, V>, a);
    }
    a.blocks = how.blocks;
    simt::config.resident = std::max(simt::config.resident, how.blocks);
    if (how.steps > 1) { // a malformed graph is not searched
      if (!failed)
        failed = simt::launch_kernel(
            "bfs_checked", how.blocks, P::threads, P::threads / 32 * GP__BFS_BUFFER, gp__bfs_checked<P, O, V>, a);
      check(!failed && same_items(depths.data, untouched), "a graph with a fault: " + what);
    } else {
      verify<V>(g, want, how, failed, depths.data, parents.data, *statistics.data,
          "launches, algorithm " + std::to_string(how.algorithm) + " gather=" + std::to_string(how.gather) +
              " cull=" + std::to_string(how.cull) + ": " + what);
    }
  }
  simt::clear_error();
}

static How draw_how(const Graph &g, int threads) {
  How h;
  const int alphas[] = {-1, 1, 8, 1000000}, betas[] = {0, 1, 16, 1000000}; // 0: top-down again at once
  const unsigned smalls[] = {1, 8, 64, 1u << 20};
  h.alpha = alphas[random32() % 4], h.beta = betas[random32() % 4];
  h.blocks = 1 + random32() % 5, h.look = random32() % 2 ? 1 : 20;
  h.small = std::min(smalls[random32() % 4], gp__bfs_small_most(threads));
  if (random32() % 2) { // in clusters; the first may continue alone
    h.cluster = 2 + random32() % 3, h.blocks = h.cluster * (1 + random32() % 2);
    h.small = std::min(h.small, 8u);
    h.cluster_small = std::min(8u << random32() % 8, h.cluster * gp__bfs_small_most(threads));
    if (h.blocks > h.cluster && random32() % 2) h.spread = 1 + random32() % 20, h.spread_after = int(random32() % 4);
  }
  h.parents = random32() % 2, h.up = random32() % 4 != 0, h.device_source = random32() % 2;
  if (random32() % 4 == 0) h.limit = 1 + random32() % 6;
  h.steps = random32() % 3;
  const int algorithms[] = {GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID};
  h.algorithm = algorithms[random32() % 4];
  h.gather = random32() % 2 ? GP_GATHER_ALL : 1 << random32() % 3;
  h.cull = 1 + int(random32() % 8);
  h.fused_edges = h.algorithm == GP_CONTRACT_EXPAND ? ~0ull : h.algorithm == GP_TWO_PHASE ? 0 : 40;
  if (random32() % 4 == 0 && g.vertices) h.target = random32() % g.vertices;
  return h;
}
template<class P, class O, class V> static void each(const Graph &g, u64 source, int seeds) {
  if (!only.empty() && only != g.name) return;
  for (int seed = 1; seed <= seeds; ++seed) {
    if (!has_turn()) continue;
    simt::set_random_schedule(u64(seed) * 17 + g.vertices);
    run<P, O, V>(g, source, draw_how(g, P::threads), seed);
  }
}
// Every algorithm by launches, on graphs much deeper than the number of launches.
template<class P, class O, class V> static void deep() {
  const Graph g = chain(71);
  if (!only.empty() && only != g.name) return;
  for (int algorithm : {GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID}) {
    How h = draw_how(g, P::threads);
    if (!has_turn()) continue;
    simt::set_random_schedule(u64(algorithm));
    h.algorithm = algorithm, h.fused_edges = algorithm == GP_CONTRACT_EXPAND ? ~0ull : algorithm == GP_HYBRID;
    h.steps = 1, h.limit = 0, h.target = ~0ull;
    run<P, O, V>(g, 0, h, algorithm);
  }
}
template<class P, class O, class V> static void waiting() {
  const Graph g = in_vain();
  if (!only.empty() && only != g.name) return;
  for (int blocks = 1; blocks < 4; ++blocks) {
    How h = draw_how(g, P::threads);
    if (!has_turn()) continue;
    simt::set_random_schedule(u64(blocks));
    h.up = true, h.alpha = h.beta = 1000000, h.small = 1, h.blocks = unsigned(blocks), h.cluster = 1, h.steps = 0,
    h.limit = 0, h.target = ~0ull;
    run<P, O, V>(g, 0, h, blocks);
  }
}
// Levels of a cluster, from the second on. One block finds more than fits it, all of them less; four lists each; random
// ones. All blocks with more lists than their queues hold.
template<class P, class O, class V> static void clusters() {
  const Graph graphs[] = {spider(300), torus(17, 23), random_graph(1500, 3000, true)};
  const u64 sources[] = {0, 2, 1};
  for (int i = 0; i < 3; ++i) {
    const Graph &g = graphs[i];
    if (!only.empty() && only != g.name) continue;
    How h = draw_how(g, P::threads);
    h.cluster = h.blocks = 4, h.cluster_small = 4 * gp__bfs_small_most(P::threads), h.small = 1;
    h.alpha = -1, h.steps = 0, h.limit = 0, h.target = ~0ull;
    run<P, O, V>(g, sources[i], h, i + 1);
  }
  const Graph g = star(3000);
  if (!only.empty() && only != g.name) return;
  How h = draw_how(g, P::threads);
  h.cluster = 2, h.blocks = 4, h.small = h.spread = 1, h.spread_after = h.cluster_small = 0;
  h.alpha = -1, h.steps = 0, h.limit = 0, h.target = ~0ull;
  run<P, O, V>(g, 0, h, 4);
}
// Blocks of a cluster that run a level ahead. In odd cycles the blocks behind reach vertices again. With parents or a
// target nobody runs ahead; a limit ends in the middle.
template<class P, class O, class V> static void ahead(int seeds) {
  const Graph graphs[] = {band(400, 4), band(300, 8), tower(), torus(17, 23), random_graph(1500, 2200, true), brush(),
      broom(40, 20), hubs(9000), dangling(900, 700), dangling(600, 6000)};
  for (const Graph &g : graphs) {
    if (!only.empty() && only != "ahead") continue;
    for (int seed = 1; seed <= (g.vertices == 17 * 23 ? 16 : g.vertices <= 300 ? 8 : 3) * seeds; ++seed) {
      How h = draw_how(g, P::threads);
      if (!has_turn()) continue;
      simt::set_random_schedule(u64(seed));
      h.cluster = h.blocks = 2 + unsigned(seed) % 3, h.cluster_small = h.cluster * gp__bfs_small_most(P::threads);
      if (seed % 3 == 0) h.cluster_small = 40; // the grid continues
      h.small = 1, h.alpha = -1, h.steps = 0, h.parents = seed % 8 == 2;
      h.limit = seed % 8 == 6 ? 2 + unsigned(seed) : 0, h.target = seed % 8 == 4 ? g.vertices / 2 : ~0ull;
      if ((seed + seed / 8) % 2) h.blocks = 2 * h.cluster, h.spread = 1u << seed % 6, h.spread_after = seed % 5; // all
      run<P, O, V>(g, u64(seed) % 3 * 5, h, seed);
    }
  }
}
template<class P, class O, class V> static void all(int seeds) {
  clusters<P, O, V>();
  ahead<P, O, V>(seeds);
  deep<P, O, V>();
  waiting<P, O, V>();
  each<P, O, V>(chain(70), 20, seeds);
  each<P, O, V>(chain(71), 0, seeds); // deeper than the launches, in the one block's turn of three
  each<P, O, V>(ring(90), 3, seeds);
  each<P, O, V>(star(700), 0, seeds);
  each<P, O, V>(star(900), 7, seeds);
  each<P, O, V>(spider(300), 0, seeds);
  each<P, O, V>(late(), 0, seeds);
  each<P, O, V>(torus(17, 23), 100, seeds);
  each<P, O, V>(hypercube(8), 5, seeds);
  each<P, O, V>(tree(600), 0, seeds);
  each<P, O, V>(tree(500), 499, seeds);
  each<P, O, V>(complete(60), 59, seeds);
  each<P, O, V>(islands(203), 41, seeds);
  each<P, O, V>(none(65), 64, seeds);
  each<P, O, V>(none(0), 0, 2);
  each<P, O, V>(chain(1), 0, 2);
  each<P, O, V>(chain(40), 40, 2); // a source outside the graph
  each<P, O, V>(random_graph(1500, 4000, true), 1, 2 * seeds);
  each<P, O, V>(random_graph(1000, 2500, false), 0, 2 * seeds);
  each<P, O, V>(random_graph(300, 9000, false), 7, seeds);
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  all<Small, u32, u32>(seeds);
#ifndef TEST_FEW
  all<Larger, u64, u32>(seeds);
  all<Odd, u32, u64>(seeds);
  all<Larger, u64, u64>(seeds);
#endif
  return finish();
}
