// bfs/launch.c - launches of searches in graphs
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h, core/words.h, core/rules.h, core/shape.h,
//   bfs/policy.h, bfs/geometry.h, graph/arguments.h, bfs/arguments.h, core/system.c, core/libraries.c, core/request.c,
//   core/launch.c

GP__HOST gp_result gp__launch_parents(const gp__launching *l, const gp__bfs_args *a) {
  gp__graph_args of;
  if (l->count < 2) return GP_SUCCESS;
  memset(&of, 0, sizeof of);
  of.offsets = a->offsets;
  of.targets = a->targets;
  of.vertices = a->vertices;
  of.edges = l->q->graph.edges;
  of.depths = a->depths;
  of.out_targets = a->parents;
  of.fault = a->fault;
  return gp__launch_step(l, 1, l->g->grid, l->g->threads, 0, &of);
}
// A search by launches: no block waits for another.
GP__HOST gp_result gp__launch_bfs_steps(const gp__launching *l, gp__bfs_args *a) {
  for (a->step = 0; a->step <= GP__BFS_LAUNCHES + 2; ++a->step) {
    a->blocks = a->step == GP__BFS_LAUNCHES + 1 ? 1 : l->g->grid;
    GP__CHECK(gp__launch_step(l, 0, a->blocks, l->g->threads, l->g->shared_bytes, a));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__launch_bfs_by_edges(const gp__launching *l, gp__bfs_args *a) {
  for (a->step = 0; a->step <= GP__BFS_EDGE_STEPS + 1; ++a->step) {
    if (l->p->algorithm == GP_CONTRACT_EXPAND && a->step % 2 && a->step > 1 && a->step <= GP__BFS_EDGE_STEPS) continue;
    GP__CHECK(gp__launch_step(l, 0, a->step > GP__BFS_EDGE_STEPS ? 1 : l->g->grid, l->g->threads, 0, a));
  }
  return GP_SUCCESS;
}
// Launches as many clusters as fit, at most; the first one may go on alone.
GP__HOST gp_result gp__launch_bfs_clusters(const gp__launching *l, const gp__bfs_args *args) {
  const unsigned blocks = (unsigned)l->p->cluster;
  gp__bfs_args a = *args;
  a.cluster = blocks;
  a.small = (unsigned)gp__max(l->p->small / 8, 1);
  a.cluster_small = (unsigned)l->p->small * blocks;
  a.spread = 2 * (unsigned)l->p->small;
  a.spread_after = GP__BFS_SPREAD_AFTER;
  return l->g->grid < blocks ? (gp_result)GP__REFUSED : gp__launch_clusters(l, blocks, &a.blocks, &a);
}
GP__HOST gp_result gp__launch_bfs(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__bfs_layout r = gp__lay_out_bfs(l->h);
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__bfs_args a;
  gp_result result;
  memset(&a, 0, sizeof a);
  a.offsets = q->graph.offsets;
  a.targets = q->graph.targets;
  a.symmetric = (q->graph.flags & GP_SYMMETRIC) != 0;
  a.in_offsets = a.symmetric ? q->graph.offsets : q->graph.in_offsets;
  a.in_sources = a.symmetric ? q->graph.targets : q->graph.in_sources;
  a.depths = (int *)q->out;
  a.parents = q->out2;
  a.statistics = q->statistics;
  a.workspace = l->workspace;
  a.reached[0] = (unsigned *)(scratch + r.reached[0]);
  a.reached[1] = (unsigned *)(scratch + r.reached[1]);
  a.queue = scratch + r.queue;
  a.lists[0] = scratch + r.lists[0];
  a.lists[1] = scratch + r.lists[1];
  a.found = scratch + r.found;
  a.fresh = (unsigned *)(scratch + r.fresh);
  a.control = scratch + r.control;
  a.vertices = q->graph.vertices;
  a.source = q->source;
  a.source_device = (const gp__u64 *)q->source_device;
  a.target = q->target;
  a.limit = q->limit > INT32_MAX ? 0 : (int)q->limit;
  a.alpha = l->p->alpha;
  a.beta = l->p->beta;
  a.small = (unsigned)l->p->small;
  a.cluster = 1;
  a.look_from = l->p->look;
  a.blocks = l->g->grid;
  a.fault = q->fault;
  a.gather = l->p->gather;
  a.cull = l->p->cull;
  if (gp__bfs_by_edges(l->p->algorithm)) a.edge_queue = scratch + r.bytes;
  a.edges = q->graph.edges;
  a.fused_edges = l->p->algorithm == GP_TWO_PHASE ? 0 : l->p->algorithm == GP_HYBRID ? l->p->small * 256ull : ~0ull;
  result = (gp_result)GP__REFUSED;
  if (a.edge_queue) result = gp__launch_bfs_by_edges(l, &a);
  else if (q->stepwise || l->p->algorithm == GP_FUSED_LAUNCHES) result = gp__launch_bfs_steps(l, &a);
  else {
    if (l->p->cluster > 1) result = gp__launch_bfs_clusters(l, &a);
    if (result == (gp_result)GP__REFUSED) {
      if (l->p->cluster > 1 && l->g->grid >= (unsigned)l->p->cluster)
        gp__log(&l->s->library.runtime, GP_LOG_WARNING,
            "%s: the device refused a launch in clusters: launched without clusters", l->who);
      result = gp__launch_resident(l, &a);
    }
  }
  return result == GP_SUCCESS ? gp__launch_parents(l, &a) : result;
}
GP__HOST gp_result gp__launch_sources_part(const gp__launching *l, gp__sources_args *a, int part) {
  a->part = part;
  a->blocks = part == GP__SOURCES_REST ? 1 : l->g->grid;
  return part == GP__SOURCES_ALL ? gp__launch_resident(l, a)
      : gp__launch_step(l, 0, a->blocks, l->g->threads, l->g->shared_bytes, a);
}
GP__HOST gp_result gp__launch_batch(const gp__launching *l, gp__sources_args *a) {
  int i;
  GP__CHECK(gp__launch_sources_part(l, a, GP__SOURCES_CLEAR));
  if (!l->q->stepwise) return gp__launch_sources_part(l, a, GP__SOURCES_ALL);
  for (i = 0; i < GP__SOURCES_LAUNCHES; ++i) GP__CHECK(gp__launch_sources_part(l, a, GP__SOURCES_STEP));
  GP__CHECK(gp__launch_sources_part(l, a, GP__SOURCES_REST));
  return gp__launch_sources_part(l, a, GP__SOURCES_FINISH);
}
GP__HOST gp_result gp__launch_sources(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__sources_layout r = gp__lay_out_sources(l->h);
  const int symmetric = (q->graph.flags & GP_SYMMETRIC) != 0;
  const uint64_t most = (uint64_t)q->acc_size * 8;
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  uint64_t first = 0;
  gp__sources_args a;
  memset(&a, 0, sizeof a);
  a.offsets = q->graph.offsets;
  a.targets = q->graph.targets;
  a.in_offsets = symmetric ? q->graph.offsets : q->graph.in_offsets;
  a.in_sources = symmetric ? q->graph.targets : q->graph.in_sources;
  a.statistics = q->statistics;
  a.seen = scratch + r.seen;
  a.words[0] = scratch + r.words[0];
  a.words[1] = scratch + r.words[1];
  a.lists[0] = scratch + r.lists[0];
  a.lists[1] = scratch + r.lists[1];
  a.queue = scratch + r.queue;
  a.control = scratch + r.control;
  a.vertices = q->graph.vertices;
  a.fault = q->fault;
  a.limit = q->limit > INT32_MAX ? 0 : (int)q->limit;
  a.alpha = l->p->alpha;
  a.small = (unsigned)l->p->small;
  for (; first < q->segments; first += most, ++a.batch) {
    a.count = (int)(q->segments - first < most ? q->segments - first : most);
    a.depths = q->out ? (int *)q->out + first * a.vertices : NULL;
    a.reached = q->out2 ? (gp__u64 *)q->out2 + first : NULL;
    a.source_device = q->source_device ? (const gp__u64 *)q->source_device + first : NULL;
    if (q->sources) memcpy(a.source, q->sources + first, (size_t)a.count * sizeof *a.source);
    GP__CHECK(gp__launch_batch(l, &a));
  }
  return GP_SUCCESS;
}
