// bfs/plan.c - plans of searches in graphs
// uses: api/lists.h, api/policy.h, api/structs.h, api/graph_types.h, core/rules.h, core/shape.h, bfs/policy.h,
//   core/request.c, bfs/kinds.c, graph/kinds.c, core/kinds.c, core/primitive.c, bfs/host.c, core/reads.c,
//   core/checking.c, graph/check.c, core/spelling.c, core/launch.c, bfs/launch.c

GP__HOST int gp__kinds_of_bfs(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  if (q->primitive == GP_BFS_SOURCES) return kinds[0] = GP__BFS_SOURCES, 1;
  kinds[0] = gp__bfs_by_edges(p->algorithm) ? GP__BFS_STEPS
      : q->stepwise || p->algorithm == GP_FUSED_LAUNCHES ? GP__BFS_STEPWISE
      : q->flags & GP_CHECKED ? GP__BFS_CHECKED
      : GP__BFS;
  kinds[1] = GP__BFS_PARENTS;
  return (q->out2 || !q->out) && (q->flags & GP_REPRODUCIBLE) ? 2 : 1; // without buffers: may run
}
GP__HOST int gp__bfs_is_idle(const gp__request *q) {
  return q->primitive == GP_BFS_SOURCES ? !q->segments || (!q->count && !q->out2 && !q->statistics)
      : !q->count && !q->statistics;
}
GP__HOST void gp__shape_bfs(const gp__request *q, gp__shape *h) {
  h->key_size = (int)q->key_size;
  h->offset_size = (int)q->offset_size;
  h->count2 = q->graph.edges;
  h->bfs.has_transpose = (q->graph.flags & GP_SYMMETRIC) || q->graph.in_offsets;
  h->in_size = h->out_size = h->in_misaligned = h->in_place = 0;
  h->exact = 1;
}
GP__HOST gp_result gp__launch_search(const gp__launching *l) {
  return l->q->primitive == GP_BFS ? gp__launch_bfs(l) : gp__launch_sources(l);
}
// The check of the graph that GP_CHECKED asks for, as a call of its own.
GP__HOST gp__request gp__graph_check_of(const gp__request *q) {
  gp__request check;
  memset(&check, 0, sizeof check);
  check.primitive = GP_GRAPH_CHECK;
  check.graph = check.out_graph = q->graph;
  gp__note_graph(&check, &q->graph);
  check.count = q->graph.edges > q->graph.vertices ? q->graph.edges : q->graph.vertices;
  check.out = q->fault;
  return check;
}
GP__HOST gp_result gp__check_search(gp__checking *k) {
  return k->c->primitive == GP_BFS ? gp__check_bfs(k) : gp__check_sources(k);
}
GP__HOST gp_result gp__host_searches(gp__host_call *h) {
  return h->q->primitive == GP_BFS ? gp__host_bfs(h->q) : gp__host_bfs_sources(h->q, h->asked);
}

static const gp__own_check gp__checks_search[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_search}};
static const gp__family gp__family_bfs = {gp__checks_search, gp__bfs_is_idle, gp__shape_bfs, gp__kinds_of_bfs,
    &gp__kernels_of_policy, GP__FOLD_OPERATORS, GP__LAUNCH_AFTER(gp__launch_search, gp__graph_check_of),
    gp__host_searches};
static const gp__primitive gp__primitive_bfs = {&gp__family_bfs, GP__READS_OUT | GP__READS_OUT2,
    GP__TAKES_GRAPH | GP__TAKES_SEARCH | GP__TAKES_SOURCE | GP__TAKES_LIMIT, GP_CHECKED | GP_UNTIL_TARGET};
static const gp__primitive gp__primitive_bfs_sources = {&gp__family_bfs, GP__READS_OUT | GP__READS_OUT2,
    GP__TAKES_GRAPH | GP__TAKES_SEARCH | GP__TAKES_SOURCES | GP__TAKES_LIMIT, GP_CHECKED};
