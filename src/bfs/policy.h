// bfs/policy.h - breadth-first search: policy fields, constants, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_GRAPH(F) \
  F(algorithm, GP_AUTO, GP_EXPAND_CONTRACT, GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID) \
  F(threads, 0, 128, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4) \
  F(blocks_per_sm, 0, 1, 2, 4) \
  F(alpha, 0, -1, 1, 2, 4, 8, 16, 32, 64) \
  F(beta, 0, 1, 2, 4, 8, 16, 32) \
  F(small, 0, 1, 64, 128, 256, 512, 1024, 2048) \
  F(look, 0, 1, 64, 128, 256, 1000000) \
  F(gather, 0, 7, 1) \
  F(cull, 0, 7, 4, 8) \
  F(cluster, 0, 1, 8, 16)

enum {
  GP__BFS_PART = 256, // most edges of a part of a list
  GP__BFS_LONG = 0xffff, // as a part's count: all of a longer list, in the queue of one block
  GP__BFS_BUFFER = 2048, // bytes of a warp's shared memory, for what it appends to queue and lists
  GP__BFS_CLUSTER_MOST = 16, // most blocks of a cluster that goes on alone
  GP__BFS_CLUSTERS = 16, // most clusters in which all blocks go on, each with its own part of the frontier,
  GP__BFS_SPREAD_AFTER = 64, // after so many levels
  GP__BFS_WORDS = 1, // tagged words: the counters of the barrier are clear
  GP__BFS_LAUNCHES = 48, // steps, or levels, with launches of their own if blocks cannot wait for each other
  GP__BFS_EDGE_STEPS = 2 * GP__BFS_LAUNCHES + 1, // the last step of a level, if frontiers are of edges
  GP__SOURCES_LAUNCHES = 96 // steps likewise, of a search from many sources: two a level
};
// Parts that fit each of two queues in shared memory.
GP__RULE unsigned gp__bfs_small_most(int threads) { return (unsigned)(threads / GP__WARP * GP__BFS_BUFFER / 32); }
GP__RULE int gp__bfs_by_edges(int algorithm) {
  return algorithm == GP_CONTRACT_EXPAND || algorithm == GP_TWO_PHASE || algorithm == GP_HYBRID;
}
// Bytes that levels by launches need besides gp__lay_out_bfs: the edges that are expanded, source and target.
GP__RULE gp__u64 gp__bfs_edge_bytes(gp_policy p, gp__form s) {
  return gp__bfs_by_edges(p.algorithm) ? s->count2 * 2 * (unsigned)s->key_size : 0;
}
// Roads and grids have few edges a vertex and many levels, other graphs the opposite: rows of the table depend on this.
GP__RULE int gp__degree_class(gp__form s) { return s->count2 < 8 * s->count ? 0 : 8; }
GP__RULE int gp__policy_valid_graph(gp_policy p, gp__form s) {
  return (p.algorithm == GP_EXPAND_CONTRACT ||
             (s->primitive == GP_BFS && (p.algorithm == GP_FUSED_LAUNCHES || gp__bfs_by_edges(p.algorithm)))) &&
      (p.vectors == 1 || p.vectors == 2 || p.vectors == 4) && p.threads * p.vectors <= 2048 && p.blocks_per_sm >= 1 &&
      p.overlap == 2 && p.alpha >= -1 && p.alpha <= 1 << 20 && p.beta >= 1 && p.beta <= 1 << 20 && p.look >= 1 &&
      p.small >= 1 && p.gather >= 1 && p.gather <= GP_GATHER_ALL && p.cull >= 1 && p.cull <= GP_CULL_NOTHING &&
      p.cluster >= 1 && p.cluster <= GP__BFS_CLUSTER_MOST &&
      (p.cluster == 1 || (s->primitive == GP_BFS && s->compute_capability >= 90)) &&
      (unsigned)p.small <= gp__bfs_small_most(p.threads) &&
      p.threads / GP__WARP * GP__BFS_BUFFER + p.threads * 8 + 2048 <= s->shared_bytes;
}
