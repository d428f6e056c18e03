// search_graphs.h - small graphs for searches under the emulator, most with known distances, a reference search, and
// policies. Include it after kernel_test.h.
#ifndef SEARCH_GRAPHS_H
#define SEARCH_GRAPHS_H
#include <algorithm>
#include <string>
#include <vector>

typedef gp__policy<64, 1, 3, 3, 0, 1, 2> Small;
typedef gp__policy<128, 2, 3, 3, 0, 1, 2> Larger;
typedef gp__policy<96, 4, 3, 3, 0, 1, 2> Odd;

struct Graph {
  std::string name;
  u64 vertices = 0;
  std::vector<std::vector<u64>> out; // neighbours, any order, several times
  bool symmetric = true;
  explicit Graph(const std::string &n, u64 v) : name(n), vertices(v), out(v) {}
  void edge(u64 a, u64 b) { // both directions if the graph is symmetric
    out[a].push_back(b);
    if (symmetric) out[b].push_back(a);
  }
  void shuffle() {
    for (auto &list : out)
      for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random32() % i]);
  }
};
__attribute__((unused)) static Graph chain(u64 n) {
  Graph g("chain", n);
  for (u64 i = 0; i + 1 < n; ++i) g.edge(i, i + 1);
  return g;
}
__attribute__((unused)) static Graph ring(u64 n) {
  Graph g("ring", n);
  for (u64 i = 0; i < n; ++i) g.edge(i, (i + 1) % n);
  return g;
}
__attribute__((unused)) static Graph star(u64 n) {
  Graph g("star", n);
  for (u64 i = 1; i < n; ++i) g.edge(0, i);
  return g;
}
__attribute__((unused)) static Graph spider(
    u64 legs) { // of three vertices each: a frontier too wide for one block matters later
  Graph g("spider", 3 * legs + 1);
  for (u64 i = 0; i < legs; ++i) g.edge(0, 3 * i + 1), g.edge(3 * i + 1, 3 * i + 2), g.edge(3 * i + 2, 3 * i + 3);
  return g;
}
__attribute__((unused)) static Graph late() { // the only neighbour of vertex 1 reached earlier is the last of many
  Graph g("late", 700);
  for (u64 i = 2; i < 200; ++i) g.edge(0, i);
  for (u64 i = 200; i < 700; ++i) g.edge(1, i);
  g.edge(1, 0);
  return g;
}
__attribute__((unused)) static Graph in_vain() { // bottom-up, all but one scan all neighbours, and wait between
  Graph g("in vain", 1300);
  for (u64 i = 1; i <= 300; ++i) g.edge(0, i);
  for (u64 i = 301; i < 1300; ++i)
    for (u64 k = 1; k <= 10; ++k) g.edge(i, 301 + (i - 301 + k * k) % 999);
  g.edge(300, 301);
  return g;
}
__attribute__((unused)) static Graph torus(u64 x, u64 y) {
  Graph g("torus", x * y);
  for (u64 i = 0; i < x; ++i)
    for (u64 j = 0; j < y; ++j) {
      g.edge(i * y + j, i * y + (j + 1) % y);
      g.edge(i * y + j, (i + 1) % x * y + j);
    }
  return g;
}
__attribute__((unused)) static Graph hypercube(int d) {
  Graph g("hypercube", 1ull << d);
  for (u64 i = 0; i < g.vertices; ++i)
    for (int b = 0; b < d; ++b)
      if (!(i >> b & 1)) g.edge(i, i | 1ull << b);
  return g;
}
__attribute__((unused)) static Graph tree(u64 n) {
  Graph g("tree", n);
  for (u64 i = 1; i < n; ++i) g.edge((i - 1) / 2, i);
  return g;
}
__attribute__((unused)) static Graph complete(u64 n) {
  Graph g("complete", n);
  for (u64 i = 0; i < n; ++i)
    for (u64 j = i + 1; j < n; ++j) g.edge(i, j);
  return g;
}
__attribute__((unused)) static Graph islands(u64 n) { // of three vertices each, and vertices without edges
  Graph g("islands", n);
  for (u64 i = 0; i + 3 < n; i += 4) g.edge(i, i + 1), g.edge(i + 1, i + 2);
  return g;
}
__attribute__((unused)) static Graph band(u64 n, u64 width) { // neighbours of a level are adjacent
  Graph g("band", n);
  for (u64 i = 0; i < n; ++i)
    for (u64 j = i + 1; j < n && j <= i + width; ++j) g.edge(i, j);
  return g;
}
__attribute__((unused)) static Graph tower() { // of eight a floor, and a roof whose vertices are all neighbours
  Graph g("tower", 89);
  for (u64 i = 0; i < 8; ++i) g.edge(0, 1 + i);
  for (u64 i = 1; i < 65; ++i)
    for (u64 j = (i - 1) / 8 * 8 + 9; j < (i - 1) / 8 * 8 + 17 && i < 57; ++j) g.edge(i, j);
  for (u64 i = 57; i < 89; ++i)
    for (u64 j = i < 65 ? 65 : i + 1; j < 89; ++j) g.edge(i, j);
  return g;
}
__attribute__((unused)) static Graph broom(u64 hairs, u64 length) { // one vertex finds all of them
  Graph g("broom", 10 + hairs * length);
  for (u64 i = 0; i < 9; ++i) g.edge(i, i + 1);
  for (u64 i = 0; i < hairs * length; ++i) g.edge(i < hairs ? 9 : 10 + i - hairs, 10 + i);
  return g;
}
__attribute__((unused)) static Graph hubs(u64 leaves) { // on a ring, two with shared leaves; twelve small ones
  const u64 small = 60 + leaves + 300;
  Graph g("hubs", small + 12 * 281);
  for (u64 i = 0; i < 60; ++i) g.edge(i, (i + 1) % 60);
  for (u64 i = 0; i < leaves; ++i) g.edge(20, 60 + i), g.edge(22, 60 + i + 300), g.edge(40, 60 + i);
  for (u64 i = 0; i < 12 * 281; ++i) g.edge(i < 12 ? 12 : small + i % 12, small + i);
  return g;
}
__attribute__((unused)) static Graph brush() { // on a ring: eight fit one block, and their successors far exceed it
  Graph g("brush", 60 + 8 + 2 * 240);
  for (u64 i = 0; i < 60; ++i) g.edge(i, (i + 1) % 60);
  for (u64 i = 0; i < 8; ++i) g.edge(14, 60 + i);
  for (u64 i = 0; i < 240; ++i) g.edge(60 + i / 30, 68 + i), g.edge(68 + i, 308 + i);
  return g;
}
__attribute__((unused)) static Graph dangling(u64 n, u64 m) { // a third without edges
  Graph g("dangling", n);
  g.symmetric = false;
  for (u64 i = 0; i < m; ++i) g.edge(random32() % (n / 3 * 2), random32() % n);
  for (u64 i = 0; i + 1 < n / 3; ++i) g.edge(i, i + 1), g.edge(i, n - 1 - i);
  return g;
}
__attribute__((unused)) static Graph none(u64 n) { return Graph("no edges", n); }
// Loops, repeated edges, hubs; vertices without edges.
__attribute__((unused)) static Graph random_graph(u64 n, u64 m, bool symmetric) {
  Graph g(symmetric ? "random" : "random directed", n);
  g.symmetric = symmetric;
  for (u64 i = 0; i < m; ++i) {
    u64 a = random32() % n, b = random32() % n;
    if (i % 3 == 0) a = a * a / n * a / n; // hubs
    if (i % 5 == 0) b = a;
    g.edge(a, b);
    if (i % 7 == 0) g.edge(a, b);
  }
  g.shuffle();
  return g;
}

struct Reached {
  std::vector<int> depth;
  u64 reached = 0, edges = 0;
  int levels = 0;
};
__attribute__((unused)) static Reached oracle(const Graph &g, u64 source, u64 target, u64 limit) {
  Reached r;
  std::vector<u64> level, next;
  r.depth.assign(g.vertices, -1);
  if (source < g.vertices) level.push_back(source), r.depth[source] = 0;
  bool done = source == target;
  for (auto v : level) ++r.reached, r.edges += g.out[v].size();
  while (!level.empty() && !done && !(limit && u64(r.levels) == limit)) {
    next.clear();
    for (u64 u : level)
      for (u64 v : g.out[u])
        if (r.depth[v] < 0) {
          r.depth[v] = r.depth[u] + 1;
          next.push_back(v);
          ++r.reached, r.edges += g.out[v].size();
          done |= v == target;
        }
    if (!next.empty()) ++r.levels;
    level.swap(next);
  }
  return r;
}

template<class O, class V> struct Csr {
  std::vector<O> offsets;
  std::vector<V> targets;
  explicit Csr(const std::vector<std::vector<u64>> &lists) : offsets(1, 0) {
    for (auto &list : lists) {
      for (u64 v : list) targets.push_back(V(v));
      offsets.push_back(O(targets.size()));
    }
  }
};
__attribute__((unused)) static std::vector<std::vector<u64>> transposed(const Graph &g) {
  std::vector<std::vector<u64>> in(g.vertices);
  for (u64 u = 0; u < g.vertices; ++u)
    for (u64 v : g.out[u]) in[v].push_back(u);
  return in;
}
#endif
