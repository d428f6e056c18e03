// bfs/portable.h - portable rule of graphs
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, bfs/policy.h, core/canonical.h, core/rows.h

// A search from many sources has a small alpha: a vertex lacks bits until all sources have reached it. Few vertices
// take no clusters.
enum { GP__IF_BFS_CLUSTERS = GP__IF };
#define GP__H200_GRAPH( \
    primitive, degree, when, from, algorithm, vectors, alpha, beta, look, gather, cull, cluster, day) \
  { \
    "portable", primitive, -1, -1, degree, when, from, 0, \
        {algorithm, 0, vectors, 0, 0, 0, 0, 0, alpha, beta, 0, look, gather, cull, cluster, {0}}, \
        "NVIDIA H200, 2026-11-" #day \
  }
static const gp__policy_row gp__graph_rows[] = {
    GP__H200_GRAPH(GP_BFS_SOURCES, -1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 22),
    GP__H200_GRAPH(GP_BFS, 0, GP__BY_COUNT | GP__IF_BFS_CLUSTERS, 1 << 16, GP_EXPAND_CONTRACT, 0, 0, 0, 0, 0, 0,
        GP__BFS_CLUSTER_MOST, 22),
    GP__H200_GRAPH(0, -1, GP__CHOOSES, 0, GP_EXPAND_CONTRACT, 0, 0, 0, 0, 0, 0, 0, 22),
    GP__H200_GRAPH(0, -1, 0, 0, 0, 2, 16, 2, 128, GP_GATHER_ALL, GP_CULL_ALL, 1, 22),
};
#undef GP__H200_GRAPH
// Sizes of offsets and vertices, and the class of the mean degree. Vertices and edges.
GP__HOST gp__measures gp__measure_graph(gp__form s) {
  gp__measures m = gp__measure_keys(s);
  m.in_size = s->offset_size;
  m.acc_size = s->key_size;
  m.out_size = gp__degree_class(s);
  return m;
}
GP__HOST gp_policy gp__portable_graph(gp_policy p, gp__form s) {
  // few blocks pass a barrier sooner
  p.threads = gp__default_to(
      p.threads, s->shared_bytes >= 1024 / GP__WARP * GP__BFS_BUFFER + 2048 && p.vectors <= 2 ? 1024 : 512);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.threads > 512 ? 1 : 2);
  if (!p.small) p.small = (int)gp__bfs_small_most(p.threads) / 2;
  return GP__FILL(p, gp__graph_rows, gp__measure_graph, s, s->compute_capability >= 90 ? GP__IF_BFS_CLUSTERS : 0);
}
