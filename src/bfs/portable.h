// bfs/portable.h - portable rule of graphs
// uses: api/lists.h, api/policy.h, core/shape.h, bfs/policy.h, core/canonical.h

__attribute__((unused)) static gp_policy gp__portable_graph(gp_policy p, gp__shape s) {
  p.algorithm = gp__default_to(p.algorithm, GP_EXPAND_CONTRACT);
  // few blocks meet at a barrier sooner
  p.threads = gp__default_to(p.threads,
                             s.shared_bytes >= 1024 / GP__WARP * GP__BFS_BUFFER + 2048 && p.vectors <= 2 ? 1024 : 512);
  p.vectors = gp__default_to(p.vectors, 2);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.threads > 512 ? 1 : 2);
  p.alpha =
      gp__default_to(p.alpha, s.primitive == GP_BFS_SOURCES ? 2 : 16); // a vertex lacks bits until all have reached it
  p.beta = gp__default_to(p.beta, 2);
  p.look = gp__default_to(p.look, 128);
  p.gather = gp__default_to(p.gather, GP_GATHER_ALL);
  p.cull = gp__default_to(p.cull, GP_CULL_ALL);
  p.cluster =
      gp__default_to(p.cluster, s.primitive == GP_BFS && s.compute_capability >= 90 && s.count >= 1 << 16 &&
                                        !gp__degree_class(s) && p.algorithm == GP_EXPAND_CONTRACT // few make no cluster
                                    ? GP__BFS_CLUSTER_MOST
                                    : 1);
  if (!p.small) p.small = (int)gp__bfs_small_most(p.threads) / 2;
  return p;
}
