// The routines for users' traversals, under the emulator: expansion by every gathering method, contraction by every
// culling method, filters, full frontiers; and breadth-first searches built from the kernels' bodies, fused in three
// ways. Usage: test_frontier [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <map>

// ---- graphs: lists of all lengths that gathering distinguishes, among them empty ones and equal edges

template<class O, class V> struct Csr {
  std::vector<O> offsets;
  std::vector<V> targets;
  u64 vertices() const { return offsets.size() - 1; }
  u64 degree(u64 v) const { return u64(offsets[v + 1] - offsets[v]); }
};
template<class O, class V> static Csr<O, V> draw_graph(u64 vertices, unsigned hubs) {
  const unsigned lengths[] = {0, 1, 2, 3, 0, 5, 31, 32, 33, 63, 64};
  Csr<O, V> g;
  g.offsets.push_back(0);
  for (u64 v = 0; v < vertices; ++v) {
    const unsigned degree = v % 50 < hubs ? 64 + random32() % 300 : v % 3 ? random32() % 4 : lengths[random32() % 11];
    for (unsigned i = 0; i < degree; ++i) g.targets.push_back(V(random32() % 4 ? random32() % vertices : v / 2));
    g.offsets.push_back(O(g.targets.size()));
  }
  return g;
}
template<class O, class V> struct OnDevice {
  Device<O> offsets;
  Device<V> targets;
  explicit OnDevice(const Csr<O, V> &g) : offsets(g.offsets, 0), targets(g.targets, 0) {}
};
template<class T> struct Frontier {
  Device<T> elements;
  Device<u64> count;
  u64 room;
  explicit Frontier(u64 r) : elements(r), count(std::vector<u64>(1, 0), 0), room(r) {}
  explicit Frontier(const std::vector<T> &v)
    : elements(v, 0), count(std::vector<u64>(1, v.size()), 0), room(v.size()) {}
  gp_frontier<T> on_device() const { return {elements.data, count.data, room}; }
  std::vector<T> sorted() const {
    std::vector<T> v = elements.read(std::min(*count.data, room));
    std::sort(v.begin(), v.end());
    return v;
  }
};
template<class T> static std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}

// ---- expansion

static bool goes_on(u64 source, u64 target, u64 edge) { return (source + 3 * target + 7 * edge) % 4 != 0; }

// Two tiles in turn in the same storage; a list is processed in pieces of 128.
template<class O, class V> struct ExpandArgs {
  const O *offsets;
  const V *targets, *vertices;
  u64 count;
  u32 *asked, *wrong;
  gp_frontier<V> out;
};
template<int THREADS, int ITEMS, int GATHER, int ROOM, class O, class V> static void expand(ExpandArgs<O, V> a) {
  struct Storage {
    gp_tile_expand_storage<THREADS, V, 128> expand;
    gp_tile_append_storage<ROOM, V> append;
  };
  GP_SHARED(Storage, s);
  gp_tile_append_begin(s.append);
  for (u64 first = 0; first < 2 * THREADS; first += THREADS) {
    const u64 at = blockIdx.x * 2 * THREADS + first + threadIdx.x;
    const bool there = at < a.count && a.vertices[at] != V(~V(0));
    gp_tile_expand<THREADS, ITEMS, GATHER>(
        there, there ? a.vertices[at] : V(~V(0)), a.offsets, a.targets,
        [&](V source, V target, u64 edge) {
          atomicAdd(a.asked + edge, 1u);
          if (a.targets[edge] != target || edge < a.offsets[source] || edge >= a.offsets[source + 1]) *a.wrong = 1;
          return goes_on(source, target, edge);
        },
        [&](bool on, V, V target) { gp_warp_append(on, target, a.out, s.append); }, s.expand);
  }
  gp_tile_append<THREADS>(a.out, s.append);
}
template<int THREADS, int ITEMS, int GATHER, int ROOM, class O, class V> static void expands(int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(u64(seed) * 31 + THREADS);
    const std::string what = "expand threads=" + std::to_string(THREADS) + " gather=" + std::to_string(GATHER) +
        " seed=" + std::to_string(seed);
    const Csr<O, V> g = draw_graph<O, V>(700, unsigned(seed) % 3);
    const OnDevice<O, V> d(g);
    std::vector<V> vertices, want;
    std::vector<u32> asked(g.targets.size(), 0);
    for (u64 i = 0; i < 3u * THREADS + 17; ++i) {
      vertices.push_back(V(random32() % 8 ? random32() % g.vertices() : ~u64(0))); // some threads have none
      if (vertices.back() == V(~V(0))) continue;
      for (u64 e = g.offsets[vertices.back()]; e < g.offsets[vertices.back() + 1]; ++e) {
        ++asked[e];
        if (goes_on(vertices.back(), g.targets[e], e)) want.push_back(g.targets[e]);
      }
    }
    const u64 room = seed % 4 == 0 ? want.size() / 2 : want.size(); // and its last element is the last in memory
    const Device<V> tile(vertices, 0);
    const Device<u32> counts(std::vector<u32>(asked.size(), 0), 0), wrong(std::vector<u32>(1, 0), 0);
    const Frontier<V> out(room);
    const ExpandArgs<O, V> a = {
        d.offsets.data, d.targets.data, tile.data, vertices.size(), counts.data, wrong.data, out.on_device()};
    const bool good =
        !simt::launch_kernel("expand", 2, THREADS, 0, expand<THREADS, ITEMS, GATHER, ROOM, O, V>, a) && !*wrong.data;
    check(good && same_items(counts.data, asked), "each edge is asked once: " + what);
    check(good && *out.count.data == want.size(), "as many as go on: " + what);
    std::vector<V> got = out.sorted(), all = sorted(want);
    check(good && (room == want.size() ? got == all : std::includes(all.begin(), all.end(), got.begin(), got.end())),
        "those that go on: " + what);
  }
}

// ---- contraction

template<int CULL, class V> struct ContractArgs {
  const V *vertices;
  u64 count;
  u32 *visited, *passed; // passed: by position
};
template<int THREADS, int CULL, class V> static void contract(ContractArgs<CULL, V> a) {
  typedef gp_tile_contract_storage<CULL, V, 64> Storage;
  GP_SHARED(Storage, s);
  gp_tile_contract_begin<THREADS>(s);
  __syncthreads();
  for (u64 first = 0; first < 2 * THREADS; first += THREADS) {
    const u64 at = blockIdx.x * 2 * THREADS + first + threadIdx.x;
    const bool there = at < a.count;
    const bool passes = gp_warp_contract(there, there ? a.vertices[at] : V(5), a.visited, s);
    if (there) a.passed[at] = passes;
    else if (passes) a.passed[0] = 77;
  }
}
template<int THREADS, int CULL, class V> static void contracts(int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(u64(seed) * 37 + CULL);
    const std::string what = "contract cull=" + std::to_string(CULL) + " seed=" + std::to_string(seed);
    const u64 blocks = 3, count = blocks * 2 * THREADS - 13, known = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 40 : 2000;
    std::vector<V> vertices;
    std::vector<u32> bits(known / 32 + 1, 0);
    for (u64 i = 0; i < known; i += 5) bits[i / 32] |= 1u << i % 32;
    for (u64 i = 0; i < count; ++i) vertices.push_back(V(i % 4 ? random32() % known : i / 9 % known));
    const Device<V> in(vertices, 0);
    const Device<u32> visited(bits, 0), passed(count);
    const ContractArgs<CULL, V> a = {in.data, count, CULL & GP_CULL_BITMAP ? visited.data : nullptr, passed.data};
    bool good = !simt::launch_kernel("contract", unsigned(blocks), THREADS, 0, contract<THREADS, CULL, V>, a);
    std::map<V, u32> times;
    for (u64 i = 0; good && i < count; ++i) times[vertices[i]] += passed.data[i];
    for (auto &x : times) {
      const bool before = (CULL & GP_CULL_BITMAP) && (bits[x.first / 32] >> x.first % 32 & 1);
      good = good && (before ? x.second == 0 : CULL & GP_CULL_BITMAP ? x.second == 1 : x.second >= 1);
      if (good && (CULL & GP_CULL_BITMAP)) good = visited.data[x.first / 32] >> x.first % 32 & 1;
    }
    check(good, "one of each: " + what);
    if (CULL == GP_CULL_NOTHING)
      for (u64 i = 0; i < count; ++i) good = good && passed.data[i] == 1;
    if (CULL == GP_CULL_WARP) // the first of each warp's equal ones
      for (u64 i = 0; i < count; ++i) {
        const bool first = std::find(&vertices[i / 32 * 32], &vertices[i], vertices[i]) == &vertices[i];
        good = good && passed.data[i] == u32(first);
      }
    if (CULL == GP_CULL_HISTORY && known <= 64) { // each has a slot: one a block
      std::map<std::pair<u64, V>, u32> each;
      for (u64 i = 0; i < count; ++i) each[std::make_pair(i / (2 * THREADS), vertices[i])] += passed.data[i];
      for (auto &x : each) good = good && x.second == 1;
    }
    check(good, "culled: " + what);
  }
}

// ---- filter

struct Place { // not a number: a user's struct
  u32 index, other;
};
template<int THREADS, int ITEMS> static void filter(const Place *in, u64 count, gp_frontier<Place> out) {
  typedef gp_tile_filter_storage<THREADS> Storage;
  GP_SHARED(Storage, s);
  const u64 first = blockIdx.x * u64(THREADS * ITEMS);
  Place items[ITEMS];
  bool keep[ITEMS];
  gp_tile_load_direct(items, in + first, count - first, Place{0, 1});
  for (int i = 0; i < ITEMS; ++i) keep[i] = items[i].other == 0;
  gp_tile_filter(items, keep, out, s);
}
template<int THREADS> static void filter_all(gp_frontier<Place> in, gp_frontier<Place> out) {
  typedef gp_tile_filter_storage<THREADS> Storage;
  GP_SHARED(Storage, s);
  gp_frontier_filter(
      in, [](const Place &p) { return p.other == 0; }, out, s);
}
template<int THREADS, int ITEMS> static void filters(int seeds) {
  const u32 tile = THREADS * ITEMS;
  for (int seed = 1; seed <= seeds; ++seed)
    for (u32 count : {1u, tile, 4 * tile - 5}) {
      simt::set_random_schedule(u64(seed) * 41 + count);
      const std::string what = "filter n=" + std::to_string(count) + " seed=" + std::to_string(seed);
      std::vector<Place> places;
      u64 kept = 0;
      for (u32 i = 0; i < count; ++i) {
        places.push_back({i, seed % 3 == 0 ? 1 : i / tile % 2 ? 1 : random32() % 3});
        kept += places.back().other == 0;
      }
      const u64 room = seed % 2 ? kept : kept / 2;
      const Frontier<Place> in(places), out(room), out2(room);
      int e = simt::launch_kernel("filter", (count + tile - 1) / tile, THREADS, 0, filter<THREADS, ITEMS>,
          (const Place *)in.elements.data, u64(count), out.on_device());
      std::vector<bool> seen(count, false);
      bool good = !e && *out.count.data == kept;
      for (u64 i = 0; good && i < room; ++i) { // consecutive in one tile, in order
        const Place &p = out.elements.data[i];
        good = p.index < count && p.other == 0 && !seen[p.index] && places[p.index].other == 0;
        if (good) seen[p.index] = true;
        if (good && i && out.elements.data[i - 1].index / tile == p.index / tile)
          good = out.elements.data[i - 1].index < p.index;
      }
      check(good, what);
      e = simt::launch_kernel("filter all", 2, THREADS, 0, filter_all<THREADS>, in.on_device(), out2.on_device());
      seen.assign(count, false);
      good = !e && *out2.count.data == kept;
      for (u64 i = 0; good && i < room; ++i) {
        const Place &p = out2.elements.data[i];
        good = p.index < count && places[p.index].other == 0 && !seen[p.index];
        if (good) seen[p.index] = true;
      }
      check(good, "all of them: " + what);
    }
}

// ---- searches: depths along the edges that pass the predicate

enum { EXPAND_CONTRACT, CONTRACT_EXPAND, TWO_PHASE };
template<class O, class V> struct SearchArgs {
  const O *offsets;
  const V *targets;
  u32 *visited;
  int *depths;
  V *parents; // for EXPAND_CONTRACT
  int level;
  gp_frontier<V> in, out;
};
template<int THREADS, int ITEMS, int GATHER, int CULL, int WAY, class O, class V>
static void search_level(SearchArgs<O, V> a) {
  typedef gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, V> Storage;
  GP_SHARED(Storage, s);
  const auto goes = [](V source, V target, u64 edge) { return goes_on(source, target, edge); };
  const auto deep = [&](V v) {
    if (!(CULL & GP_CULL_BITMAP)) return atomicCAS(a.depths + v, -1, a.level) == -1;
    a.depths[v] = a.level;
    return true;
  };
  if (WAY == EXPAND_CONTRACT)
    gp_frontier_expand_contract(
        a.in, a.offsets, a.targets, goes, a.visited,
        [&](V source, V v) {
          const bool is_new = deep(v);
          if (is_new) a.parents[v] = source;
          return is_new;
        },
        a.out, s);
  if (WAY == CONTRACT_EXPAND) gp_frontier_contract_expand(a.in, a.visited, deep, a.offsets, a.targets, goes, a.out, s);
  if (WAY == TWO_PHASE) gp_frontier_contract(a.in, a.visited, deep, a.out, s);
}
template<int THREADS, int ITEMS, int GATHER, int CULL, class O, class V> static void only_expand(SearchArgs<O, V> a) {
  typedef gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, V> Storage;
  GP_SHARED(Storage, s);
  const auto goes = [](V source, V target, u64 edge) { return goes_on(source, target, edge); };
  gp_frontier_expand(a.in, a.offsets, a.targets, goes, a.out, s);
}
template<int THREADS, int ITEMS, int GATHER, int CULL, int WAY, class O, class V> static void search(int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(u64(seed) * 43 + WAY);
    const std::string what = "search way=" + std::to_string(WAY) + " gather=" + std::to_string(GATHER) +
        " cull=" + std::to_string(CULL) + " seed=" + std::to_string(seed);
    const Csr<O, V> g = draw_graph<O, V>(seed % 2 ? 900 : 90, 1);
    const OnDevice<O, V> d(g);
    const u64 n = g.vertices(), source = 2, room = g.targets.size() + 1;
    std::vector<int> want(n, -1);
    std::vector<V> level(1, V(source));
    want[source] = 0;
    for (int depth = 1; !level.empty(); ++depth) {
      std::vector<V> next;
      for (V u : level)
        for (u64 e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
          if (want[g.targets[e]] < 0 && goes_on(u, g.targets[e], e))
            want[g.targets[e]] = depth, next.push_back(g.targets[e]);
      level.swap(next);
    }
    std::vector<int> unseen(n, -1);
    std::vector<u32> bits(n / 32 + 1, 0);
    if (WAY == EXPAND_CONTRACT) bits[source / 32] |= 1u << source % 32, unseen[source] = 0;
    const Device<u32> visited(bits, 0);
    const Device<int> depths(unseen, 0);
    const Device<V> parents(n);
    const Frontier<V> a(room), b(room);
    const Frontier<V> *in = &a, *out = &b;
    const V first = V(source);
    const u64 one = 1, none = 0;
    simt::host_write(a.elements.data, &first, sizeof first);
    simt::host_write(a.count.data, &one, sizeof one);
    int e = 0;
    SearchArgs<O, V> args = {d.offsets.data, d.targets.data, visited.data, depths.data, parents.data, 0, {}, {}};
    for (args.level = WAY == EXPAND_CONTRACT; !e && *in->count.data; ++args.level) {
      for (int launch = 0; launch < 1 + (WAY == TWO_PHASE) && !e; ++launch) {
        simt::host_write(out->count.data, &none, sizeof none);
        args.in = in->on_device(), args.out = out->on_device();
        e = launch
            ? simt::launch_kernel("expand", 3, THREADS, 0, only_expand<THREADS, ITEMS, GATHER, CULL, O, V>, args)
            : simt::launch_kernel("level", 3, THREADS, 0, search_level<THREADS, ITEMS, GATHER, CULL, WAY, O, V>, args);
        std::swap(in, out);
      }
    }
    check(!e && same_items(depths.data, want), what);
    bool good = !e;
    for (u64 v = 0; WAY == EXPAND_CONTRACT && good && v < n; ++v)
      if (want[v] > 0) {
        const u64 p = parents.data[v];
        good = false;
        for (u64 i = g.offsets[p]; i < g.offsets[p + 1]; ++i)
          good = good || (g.targets[i] == v && want[p] + 1 == want[v] && goes_on(p, v, i));
      }
    check(good, "parents: " + what);
  }
}

static bool wants(const char *name) { return only.empty() || only == name; }

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  if (wants("expand")) {
    expands<64, 1, GP_GATHER_MERGE, 256, u32, u32>(seeds);
    expands<96, 2, GP_GATHER_ALL, 64, u64, u32>(seeds);
    expands<64, 4, GP_GATHER_WARP, 2000, u32, u64>(seeds);
    expands<128, 1, GP_GATHER_BLOCK, 40, u64, u64>(seeds);
  }
  if (wants("contract")) {
    contracts<64, GP_CULL_NOTHING, u32>(seeds);
    contracts<64, GP_CULL_WARP, u32>(seeds);
    contracts<96, GP_CULL_HISTORY, u64>(seeds);
    contracts<64, GP_CULL_BITMAP, u32>(seeds);
    contracts<96, GP_CULL_WARP | GP_CULL_HISTORY, u32>(seeds);
    contracts<64, GP_CULL_ALL, u64>(seeds);
  }
  if (wants("filter")) {
    filters<64, 1>(seeds);
    filters<96, 3>(seeds);
  }
  if (wants("search")) {
    search<64, 2, GP_GATHER_ALL, GP_CULL_ALL, EXPAND_CONTRACT, u32, u32>(seeds);
    search<96, 1, GP_GATHER_MERGE, GP_CULL_WARP | GP_CULL_HISTORY, EXPAND_CONTRACT, u64, u32>(seeds);
    search<64, 2, GP_GATHER_WARP, GP_CULL_BITMAP, CONTRACT_EXPAND, u32, u64>(seeds);
    search<64, 1, GP_GATHER_ALL, GP_CULL_HISTORY | GP_CULL_BITMAP, TWO_PHASE, u32, u32>(seeds);
  }
  return finish();
}
