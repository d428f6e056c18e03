// The kernels of gpuprims.h that build and check graphs, under the emulator, step by step as dispatch launches them:
// lists against a plain sort, transposes and new numbers against maps, depths against a plain search, and every kind of
// planted fault. Usage: test_graph [seeds] [name of a test]
#include "kernel_test.h"

#include "tools/gp_graphs.h"

#include <algorithm>
#include <deque>
#include <set>

typedef std::pair<u64, u64> Edge;

template<class O, class V> struct Lists {
  u64 vertices = 0, room = 0;
  std::vector<O> offsets;
  std::vector<V> targets;
};
template<class O, class V> Lists<O, V> lists_of(u64 vertices, std::vector<Edge> edges, u64 more_room) {
  Lists<O, V> l;
  l.vertices = vertices;
  std::sort(edges.begin(), edges.end());
  l.offsets.assign(vertices + 1, 0);
  for (const Edge &e : edges) ++l.offsets[e.first + 1], l.targets.push_back(V(e.second));
  for (u64 v = 0; v < vertices; ++v) l.offsets[v + 1] = O(l.offsets[v + 1] + l.offsets[v]);
  l.room = edges.size() + more_room;
  l.targets.resize(l.room, V(0));
  return l;
}
template<class O, class V> std::vector<Edge> edges_of(const O *offsets, const V *targets, u64 vertices) {
  std::vector<Edge> edges;
  for (u64 v = 0; v < vertices; ++v)
    for (u64 e = offsets[v]; e < offsets[v + 1]; ++e) edges.push_back(Edge(v, targets[e]));
  return edges;
}
static std::vector<Edge> drawn(u64 vertices, size_t count, bool with_bad) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < count; ++i) {
    const u64 hub = random32() % 3 == 0 ? 0 : random32() % vertices; // a third leave one vertex
    edges.push_back(Edge(hub, random32() % 8 ? random32() % vertices : hub));
    if (with_bad && random32() % 16 == 0) (random32() % 2 ? edges.back().first : edges.back().second) = vertices;
  }
  return edges;
}
static int bits(u64 x) { return x ? 64 - __builtin_clzll(x) : 0; }

// ---- lists

// Sorts keys between the kernels on the host: other tests cover the sorts.
static u64 sort_keys(Device<u64> &keys, u64 count, bool unique) {
  std::vector<u64> sorted = keys.read(size_t(count));
  std::sort(sorted.begin(), sorted.end());
  if (unique) sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (!sorted.empty()) simt::host_write(keys.data, sorted.data(), sorted.size() * 8);
  return sorted.size();
}
template<class P, class L, class O, class V>
void list(const char *name, u64 vertices, size_t count, int flags, bool pairs, bool on_device, unsigned blocks) {
  char text[200];
  std::snprintf(text, sizeof text, "%s vertices=%llu edges=%zu flags=%d pairs=%d device=%d blocks=%u:", name, vertices,
      count, flags, int(pairs), int(on_device), blocks);
  const std::vector<Edge> edges = drawn(vertices, count, true);
  const u64 copies = flags & GP_SYMMETRISE ? 2 : 1, none = ~u64(0);
  std::vector<Edge> expected;
  std::vector<L> in(2 * count);
  u64 first_bad = none;
  for (size_t i = 0; i < count; ++i) {
    in[pairs ? 2 * i : i] = L(edges[i].first), in[pairs ? 2 * i + 1 : count + i] = L(edges[i].second);
    const bool loop = edges[i].first == edges[i].second;
    if (edges[i].first >= vertices || edges[i].second >= vertices) {
      if (first_bad == none) first_bad = i;
      continue;
    }
    if (loop && (flags & GP_DROP_LOOPS)) continue;
    expected.push_back(edges[i]);
    if (copies == 2 && !loop) expected.push_back(Edge(edges[i].second, edges[i].first));
  }
  std::sort(expected.begin(), expected.end());
  if (flags & GP_UNIQUE_EDGES) expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  Device<L> from(in, 1);
  Device<u64> keys(count * copies + 1), number(std::vector<u64>(1, count), 0), bad(std::vector<u64>(1, none), 0);
  Device<u64> state(std::vector<u64>(2, 77), 0);
  Device<O> offsets(size_t(vertices) + 1);
  Device<V> targets(count * copies + 1);
  gp__graph_args a = {};
  a.offsets = from.data, a.targets = pairs ? from.data + 1 : from.data + count, a.apart = pairs ? 2 : 1;
  a.vertices = vertices, a.shift = bits(vertices - 1), a.flags = flags;
  a.count = count + (on_device ? 5 : 0), a.count_device = on_device ? number.data : nullptr;
  a.keys = keys.data, a.state = state.data, a.bad = bad.data;
  a.out_offsets = offsets.data, a.out_targets = targets.data;
  int e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_list_keys<P, L>, a);
  check(!e && state.read(1)[0] == count * copies && bad.read(1)[0] == first_bad, std::string(text) + " keys");
  a.count = sort_keys(keys, count * copies, flags & GP_UNIQUE_EDGES);
  a.count_device = nullptr;
  e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_from_keys<P, O, V>, a);
  check(!e && edges_of(offsets.data, targets.data, vertices) == expected && !offsets.data[0], std::string(text));
  simt::clear_error();
}

// ---- a graph unchanged, transposed, relabelled

template<class P, class O, class V> void turned(const char *name, u64 vertices, size_t count, unsigned blocks) {
  const std::string text = std::string(name) + " vertices=" + std::to_string(vertices) +
      " edges=" + std::to_string(count) + " blocks=" + std::to_string(blocks);
  std::vector<Edge> edges = drawn(vertices, count, false), expected;
  const Lists<O, V> l = lists_of<O, V>(vertices, edges, 3);
  Device<O> offsets(l.offsets, 0), degrees(size_t(vertices) + 1), out_offsets(size_t(vertices) + 1);
  Device<V> targets(l.targets, 1), out_targets(size_t(l.room) + 1), numbers(size_t(vertices) + 1);
  Device<u64> keys(size_t(l.room) + 1), state(2);
  gp__graph_args a = {};
  a.offsets = offsets.data, a.targets = targets.data, a.vertices = vertices, a.edges = l.room;
  a.shift = bits(vertices - 1), a.keys = keys.data, a.state = state.data;
  a.out_offsets = out_offsets.data, a.out_targets = out_targets.data;
  int e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_keys<P, O, V, false>, a);
  check(!e && state.read(1)[0] == count, text + " turned keys");
  a.count = sort_keys(keys, count, false);
  e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_from_keys<P, O, V>, a);
  for (const Edge &x : edges) expected.push_back(Edge(x.second, x.first));
  std::sort(expected.begin(), expected.end());
  check(!e && edges_of(out_offsets.data, out_targets.data, vertices) == expected, text + " turned");

  gp__graph_args of_vertices = a;
  of_vertices.out_offsets = degrees.data;
  e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_degree_keys<P, O>, of_vertices);
  const std::vector<O> degree = degrees.read(size_t(vertices));
  std::vector<V> order(static_cast<size_t>(vertices));
  for (u64 v = 0; v < vertices; ++v) order[v] = V(v);
  std::stable_sort(order.begin(), order.end(), [&](V x, V y) { return degree[x] > degree[y]; });
  Device<V> in_order(order, 0);
  of_vertices.parents = in_order.data, of_vertices.out_targets = numbers.data;
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_invert<P, V>, of_vertices);
  bool good = !e;
  for (u64 v = 0; v < vertices; ++v)
    good = good && degree[v] == l.offsets[v + 1] - l.offsets[v] && numbers.data[order[v]] == v;
  check(good, text + " numbers");
  a.parents = numbers.data;
  e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_keys<P, O, V, true>, a);
  a.count = sort_keys(keys, count, false);
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_from_keys<P, O, V>, a);
  expected.clear();
  for (const Edge &x : edges) expected.push_back(Edge(numbers.data[x.first], numbers.data[x.second]));
  std::sort(expected.begin(), expected.end());
  check(!e && edges_of(out_offsets.data, out_targets.data, vertices) == expected, text + " under new numbers");

  Device<u64> words(std::vector<u64>(GP__DEGREE_STATE, 0), 0);
  Device<gp_degrees> report(1);
  a.state = words.data, a.out_targets = report.data;
  e = simt::launch_kernel(name, blocks, P::threads, 0, gp__graph_degrees<P, O>, a);
  e |= simt::launch_kernel(name, 1, P::threads, 0, gp__graph_degree_report<P>, a);
  gp_degrees d = {};
  d.vertices = vertices, d.edges = count;
  d.least = *std::min_element(degree.begin(), degree.end()), d.most = *std::max_element(degree.begin(), degree.end());
  for (O x : degree) ++d.histogram[bits(x)];
  const gp_degrees got = report.read(1)[0];
  check(!e && !std::memcmp(&got, &d, sizeof d), text + " degrees");
  simt::clear_error();
}

// ---- connected components

template<class P, class O, class V>
void components(const char *name, u64 vertices, size_t count, bool symmetric, unsigned blocks) {
  const std::string text = std::string(name) + " components of vertices=" + std::to_string(vertices) +
      " edges=" + std::to_string(count) + " symmetric=" + std::to_string(symmetric) +
      " blocks=" + std::to_string(blocks);
  std::vector<Edge> edges = drawn(vertices, count, false);
  if (symmetric)
    for (size_t i = 0; i < count; ++i) edges.push_back(Edge(edges[i].second, edges[i].first));
  std::sort(edges.begin(), edges.end());
  const Lists<O, V> l = lists_of<O, V>(vertices, edges, 3);
  std::vector<V> expected(static_cast<size_t>(vertices));
  for (u64 v = 0; v < vertices; ++v) expected[v] = V(v);
  for (bool changes = true; changes;) {
    changes = false;
    for (const Edge &x : edges) {
      V &a = expected[x.first], &b = expected[x.second];
      if (a != b) changes = true, a = b = std::min(a, b);
    }
  }
  u64 roots = 0;
  for (u64 v = 0; v < vertices; ++v) roots += expected[v] == v;
  Device<O> offsets(l.offsets, 0);
  Device<V> targets(l.targets, 1), labels(static_cast<size_t>(vertices) + 1);
  Device<u64> state(1), found(1);
  gp__graph_args a = {};
  a.offsets = offsets.data, a.targets = targets.data, a.vertices = vertices, a.edges = l.room;
  a.out_targets = labels.data, a.state = state.data, a.bad = found.data, a.flags = symmetric;
  int e = simt::launch_kernel(name, blocks, P::threads, 0, gp__components_first<P, O, V>, a);
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__components_few<P, O, V>, a);
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__components_roots<P, V>, a);
  e |= simt::launch_kernel(name, 1, P::threads, 0, gp__components_sample<P, V>, a);
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__components_link<P, O, V>, a);
  a.incoming = 1;
  e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__components_roots<P, V>, a);
  check(!e && labels.read(static_cast<size_t>(vertices)) == expected && found.read(1)[0] == roots, text);
  simt::clear_error();
}

// ---- faults

static bool is(const gp_fault &f, int kind, u64 vertex, u64 edge) {
  return f.kind == u64(kind) && f.vertex == vertex && f.edge == edge;
}
template<class P, class O, class V> gp_fault graph_fault(const Lists<O, V> &l, const Lists<O, V> *in, unsigned blocks) {
  Device<O> offsets(l.offsets, 0), in_offsets(in ? in->offsets : l.offsets, 0);
  Device<V> targets(l.targets, 0), in_sources(in ? in->targets : l.targets, 0);
  Device<u64> state(std::vector<u64>(1, ~u64(0)), 0);
  Device<gp_fault> report(1);
  gp__graph_args a = {}, b;
  a.offsets = offsets.data, a.targets = targets.data, a.vertices = l.vertices, a.edges = l.room;
  a.state = state.data, a.out_targets = report.data;
  b = a;
  b.offsets = in_offsets.data, b.targets = in_sources.data, b.parents = offsets.data, b.incoming = 1;
  int e = simt::launch_kernel("check", blocks, P::threads, 0, gp__graph_check<P, O, V>, a);
  if (in) e |= simt::launch_kernel("check", blocks, P::threads, 0, gp__graph_check<P, O, V>, b);
  a.out_offsets = in_offsets.data;
  e |= simt::launch_kernel("report", 1, P::threads, 0, gp__fault_report<P, O>, a);
  check(!e, "check of a graph");
  simt::clear_error();
  return report.read(1)[0];
}
template<class P, class O, class V> void graph_faults(const char *name, unsigned blocks) {
  const u64 n = 300, none = ~u64(0);
  const std::vector<Edge> edges = drawn(n, 2000, false);
  std::vector<Edge> opposite;
  for (const Edge &e : edges) opposite.push_back(Edge(e.second, e.first));
  const Lists<O, V> good = lists_of<O, V>(n, edges, 2), in = lists_of<O, V>(n, opposite, 2);
  const std::string text = std::string(name) + " blocks=" + std::to_string(blocks) + ": ";
  check(is(graph_fault<P>(good, &in, blocks), GP_FAULT_NONE, none, none), text + "nothing is wrong");
  Lists<O, V> l = good;
  l.offsets[0] = 1;
  check(is(graph_fault<P>(l, &in, blocks), GP_FAULT_FIRST_OFFSET, 0, none), text + "first offset");
  l = good;
  l.offsets[n] = O(good.room + 1), l.targets[3] = V(n);
  check(is(graph_fault<P>(l, &in, blocks), GP_FAULT_OFFSETS, n - 1, none), text + "an offset beyond the edges");
  l = good;
  l.offsets[100] = O(l.offsets[101] + 1), l.offsets[200] = O(l.offsets[201] + 1);
  check(is(graph_fault<P>(l, &in, blocks), GP_FAULT_OFFSETS, 100, none), text + "offsets that decrease");
  l = good;
  l.targets[1700] = V(n + 5), l.targets[1200] = V(n);
  u64 v = 0;
  while (l.offsets[v + 1] <= 1200) ++v;
  check(is(graph_fault<P>(l, &in, blocks), GP_FAULT_TARGET, v, 1200), text + "a target");
  l = in;
  l.offsets[0] = 1;
  check(is(graph_fault<P>(good, &l, blocks), GP_FAULT_FIRST_IN_OFFSET, 0, none), text + "first in_offset");
  l = in;
  l.offsets[7] = O(l.offsets[8] + 1);
  check(is(graph_fault<P>(good, &l, blocks), GP_FAULT_IN_OFFSETS, 7, none), text + "in_offsets");
  l = in;
  l.targets[500] = V(~V(0)); // edges to an earlier vertex; edges from one, the hub's
  for (v = 0; l.offsets[v + 1] <= 500;) ++v;
  check(v && is(graph_fault<P>(good, &l, blocks), GP_FAULT_IN_SOURCE, v, 500), text + "an in_source");
  l = in;
  --l.offsets[n];
  check(is(graph_fault<P>(good, &l, blocks), l.offsets[n] < l.offsets[n - 1] ? GP_FAULT_IN_OFFSETS : GP_FAULT_IN_EDGES,
            l.offsets[n] < l.offsets[n - 1] ? n - 1 : none, none),
      text + "another number of edges");
}

template<class V> struct Search {
  std::vector<int> depths;
  std::vector<V> parents;
};
template<class O, class V> Search<V> search(const Lists<O, V> &l, u64 source, u64 limit) {
  Search<V> s;
  s.depths.assign(size_t(l.vertices), -1);
  s.parents.assign(size_t(l.vertices), V(~V(0)));
  s.depths[source] = 0, s.parents[source] = V(source);
  std::deque<u64> queue(1, source);
  for (; !queue.empty(); queue.pop_front()) {
    const u64 v = queue.front();
    if (limit && u64(s.depths[v]) == limit) continue;
    for (u64 e = l.offsets[v]; e < l.offsets[v + 1]; ++e)
      if (s.depths[l.targets[e]] < 0) {
        s.depths[l.targets[e]] = s.depths[v] + 1;
        s.parents[l.targets[e]] = V(v);
        queue.push_back(l.targets[e]);
      }
  }
  return s;
}
template<class P, class O, class V>
gp_fault depth_fault(const Lists<O, V> &l, const Search<V> &s, u64 source, u64 limit, bool parents, unsigned blocks) {
  Device<O> offsets(l.offsets, 0);
  Device<V> targets(l.targets, 0), of(s.parents, 0);
  Device<int> depths(s.depths, 1);
  Device<u64> state(std::vector<u64>(1 + (l.vertices + 31) / 32, ~u64(0)), 0);
  Device<gp_fault> report(1);
  gp__graph_args a = {};
  a.offsets = offsets.data, a.targets = targets.data, a.vertices = l.vertices, a.edges = l.room;
  a.depths = depths.data, a.parents = parents ? of.data : nullptr, a.source = source, a.limit = limit;
  a.state = state.data, a.marks = reinterpret_cast<unsigned *>(state.data + 1), a.out_targets = report.data;
  int e = simt::launch_kernel("depths", blocks, P::threads, 0, gp__depths_of_edges<P, O, V>, a);
  e |= simt::launch_kernel("depths", blocks, P::threads, 0, gp__depths_of_vertices<P, V>, a);
  e |= simt::launch_kernel("report", 1, P::threads, 0, gp__fault_report<P, O>, a);
  check(!e, "check of depths");
  simt::clear_error();
  return report.read(1)[0];
}
// A chain 0 1 2 ... 199 in both directions, a shortcut 0 to 100, and unreachable vertices 200 to 249.
template<class P, class O, class V> void depth_faults(const char *name, unsigned blocks) {
  const std::string text = std::string(name) + " blocks=" + std::to_string(blocks) + ": ";
  const u64 none = ~u64(0);
  std::vector<Edge> edges(1, Edge(0, 100));
  for (u64 v = 0; v + 1 < 200; ++v) edges.push_back(Edge(v, v + 1)), edges.push_back(Edge(v + 1, v));
  for (u64 v = 200; v < 250; ++v) edges.push_back(Edge(v, v - 1)); // from an unreachable vertex
  const Lists<O, V> l = lists_of<O, V>(250, edges, 0);
  const Search<V> good = search(l, 3, 0);
  auto fault = [&](const Search<V> &s, u64 limit, bool parents) {
    return depth_fault<P>(l, s, 3, limit, parents, blocks);
  };
  auto edge = [&](u64 from, u64 to) {
    for (u64 e = l.offsets[from];; ++e)
      if (l.targets[e] == to) return e;
  };
  check(is(fault(good, 0, true), GP_FAULT_NONE, none, none), text + "nothing is wrong");
  check(is(fault(search(l, 3, 10), 10, true), GP_FAULT_NONE, none, none), text + "nothing is wrong with a limit");
  check(
      is(fault(search(l, 3, 10), 0, true), GP_FAULT_NOT_REACHED, 13, edge(13, 14)), text + "a limit that was not said");
  Search<V> s = good;
  s.depths[3] = 1;
  check(is(fault(s, 0, true), GP_FAULT_SOURCE_DEPTH, 3, none), text + "the source's depth");
  s = good, s.depths[240] = -2, s.depths[230] = -7;
  check(is(fault(s, 0, true), GP_FAULT_DEPTH, 230, none), text + "a depth below -1");
  check(fault(good, 20, false).kind == GP_FAULT_DEPTH, text + "a depth beyond the limit");
  s = good, s.depths[77] = 0;
  check(is(fault(s, 0, false), GP_FAULT_SECOND_SOURCE, 77, none), text + "a second source");
  s = good;
  for (int v = 150; v < 200; ++v) s.depths[v] = -1;
  check(is(fault(s, 0, false), GP_FAULT_NOT_REACHED, 149, edge(149, 150)), text + "not reached");
  s = good, s.depths[199] += 1;
  check(is(fault(s, 0, false), GP_FAULT_TOO_DEEP, 198, edge(198, 199)), text + "too deep");
  s = good, s.depths[210] = 5, s.depths[209] = 5;
  check(fault(s, 0, false).kind == GP_FAULT_NOT_REACHED, text + "reached from nowhere");
  s = good, s.depths[249] = 500; // leads to 248, which is not reached unless it is
  for (int v = 200; v < 249; ++v) s.depths[v] = 400;
  check(is(fault(s, 0, false), GP_FAULT_NO_WITNESS, 200, none), text + "no witness");
  s = good, s.parents[3] = 4;
  check(is(fault(s, 0, true), GP_FAULT_SOURCE_PARENT, 3, none), text + "the source's parent");
  s = good, s.parents[60] = V(~V(0)), s.parents[61] = 0;
  check(is(fault(s, 0, true), GP_FAULT_PARENT, 60, none), text + "a parent that is no vertex");
  s = good, s.parents[61] = 61;
  check(is(fault(s, 0, true), GP_FAULT_PARENT, 61, none), text + "a parent that is not less deep");
  u64 elsewhere = 0; // as deep as the parent of 20, but on the other side
  for (u64 v = 100; v < 200; ++v)
    if (good.depths[v] == good.depths[19]) elsewhere = v;
  s = good, s.parents[20] = V(elsewhere);
  check(elsewhere && is(fault(s, 0, true), GP_FAULT_PARENT_EDGE, 20, none), text + "no edge from the parent");
  s = good, s.parents[222] = 221;
  check(is(fault(s, 0, true), GP_FAULT_STRAY_PARENT, 222, none), text + "a parent of one that was not reached");
}

// ---- generated graphs with known distances: built here, searched plainly, checked by the kernels

template<class P> void made(const char *text, unsigned blocks) {
  graph_made g;
  if (!graph_read(text, &g)) return check(false, text);
  std::vector<u32> pairs(size_t(2 * g.edges));
  graph_edges(&g, 0, g.edges, pairs.data());
  std::set<Edge> edges;
  for (u64 i = 0; i < g.edges; ++i)
    if (pairs[2 * i] != pairs[2 * i + 1])
      edges.insert(Edge(pairs[2 * i], pairs[2 * i + 1])), edges.insert(Edge(pairs[2 * i + 1], pairs[2 * i]));
  bool good = true;
  for (const Edge &e : edges) good = good && e.first < g.vertices;
  check(good && g.vertices, std::string(text) + ": ends are vertices");
  const Lists<u32, u32> l = lists_of<u32, u32>(g.vertices, std::vector<Edge>(edges.begin(), edges.end()), 0);
  for (u64 source : {u64(0), g.vertices / 2, g.vertices - 1}) {
    const Search<u32> s = search(l, source, 0);
    for (u64 v = 0; g.exact && v < g.vertices; ++v) good = good && s.depths[v] == graph_depth(&g, source, v);
    check(good, std::string(text) + ": distances");
    check(depth_fault<P>(l, s, source, 0, true, blocks).kind == GP_FAULT_NONE, std::string(text) + ": checked");
  }
}

template<class P, class L, class O, class V> void all(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 0; seed < seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    for (u64 vertices : {1, 2, 3, 64, 300, 1024})
      for (size_t count : {0, 1, 255, 256, 257, 900}) {
        const unsigned blocks = 1 + random32() % 4;
        list<P, L, O, V>(
            name, vertices, count, int(random32() % 8) * GP_SYMMETRISE, random32() % 2, random32() % 2, blocks);
        turned<P, O, V>(name, vertices, count, blocks);
        components<P, O, V>(name, vertices, count, blocks % 2, blocks);
        components<P, O, V>(name, vertices, static_cast<size_t>(vertices / 2), blocks % 2 == 0, blocks);
      }
    graph_faults<P, O, V>(name, 1 + random32() % 3);
    depth_faults<P, O, V>(name, 1 + random32() % 3);
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, 3, 3, 0, 1, 2> Narrow;
  typedef gp__policy<128, 2, 3, 3, 0, 2, 2> Wider;
  all<Narrow, u32, u32, u32>("32 bits", seeds);
  all<Wider, u64, u64, u64>("64 bits", seeds);
  all<Narrow, u32, u64, u32>("offsets of 64 bits", seeds);
  if (only.empty() || only == "made")
    for (const char *text : {"chain n=300", "ring n=301", "star n=300", "torus rows=7 columns=9", "hypercube scale=7",
             "tree n=300", "complete n=30", "pieces n=300 columns=37", "chain n=1", "grid rows=20 columns=15",
             "small_world n=300 factor=3", "geometric rows=9 columns=8", "kronecker scale=8", "uniform n=300 factor=4"})
      made<Narrow>(text, 3);
  return finish();
}
