// bfs/calls.c - calls by name: search in graphs
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h, api/call.h, api/init.h, core/messages.c,
//   bfs/kinds.c, core/state.c, core/run.c

GP__API gp_result gp_bfs(
    gp_context *ctx, const gp_graph *graph, uint64_t source, void *depths, void *parents, gp_stream stream) {
  gp_call c = gp_call_init(GP_BFS);
  c.graph = graph;
  c.source = source;
  c.out = depths;
  c.out2 = parents;
  return gp__named(gp_run(ctx, &c, stream), "gp_bfs out=depths out2=parents");
}
GP__API gp_result gp_bfs_sources(gp_context *ctx, const gp_graph *graph, const uint64_t *sources, uint64_t count,
    void *depths, uint64_t *reached, gp_stream stream) {
  gp_call c = gp_call_init(GP_BFS_SOURCES);
  c.graph = graph;
  c.sources = sources;
  c.count = count;
  c.out = depths;
  c.out2 = reached;
  return gp__named(gp_run(ctx, &c, stream), "gp_bfs_sources out=depths out2=reached");
}
