// graph/calls.c - calls by name: graphs
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h, api/call.h, api/init.h, core/words.h,
//   core/messages.c, graph/kinds.c, core/state.c, core/run.c, map/calls.c

GP__API gp_result gp_graph_from_edges(gp_context *ctx, gp_type type, const void *sources, const void *targets,
    uint64_t count, const gp_graph *graph, uint64_t *bad, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_GRAPH_FROM_EDGES, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, sources, NULL, count);
  c.in2 = targets;
  c.flags = flags;
  c.bad = bad;
  c.out_graph = graph;
  return gp__named(gp_run(ctx, &c, stream), "gp_graph_from_edges in_type=type in=sources in2=targets out_graph=graph");
}
GP__API gp_result gp_graph_transpose(gp_context *ctx, const gp_graph *graph, gp_stream stream) {
  gp_call c = gp_call_init(GP_GRAPH_TRANSPOSE);
  c.graph = graph;
  return gp__named(gp_run(ctx, &c, stream), "gp_graph_transpose");
}
GP__API gp_result gp_graph_relabel(
    gp_context *ctx, const gp_graph *graph, const gp_graph *relabelled, void *order, void *numbers, gp_stream stream) {
  gp_call c = gp_call_init(GP_GRAPH_RELABEL);
  c.graph = graph;
  c.out_graph = relabelled;
  c.out = order;
  c.out2 = numbers;
  return gp__named(gp_run(ctx, &c, stream), "gp_graph_relabel out_graph=relabelled out=order out2=numbers");
}
GP__API gp_result gp_graph_degrees(gp_context *ctx, const gp_graph *graph, gp_degrees *degrees, gp_stream stream) {
  gp_call c = gp_call_init(GP_GRAPH_DEGREES);
  c.graph = graph;
  c.out = degrees;
  return gp__named(gp_run(ctx, &c, stream), "gp_graph_degrees out=degrees");
}
GP__API gp_result gp_graph_check(gp_context *ctx, const gp_graph *graph, gp_fault *fault, gp_stream stream) {
  gp_call c = gp_call_init(GP_GRAPH_CHECK);
  c.graph = graph;
  c.out = fault;
  return gp__named(gp_run(ctx, &c, stream), "gp_graph_check out=fault");
}
GP__API gp_result gp_bfs_check(gp_context *ctx, const gp_graph *graph, uint64_t source, const void *depths,
    const void *parents, gp_fault *fault, gp_stream stream) {
  gp_call c = gp_call_init(GP_BFS_CHECK);
  c.graph = graph;
  c.source = source;
  c.in = depths;
  c.in2 = parents;
  c.out = fault;
  return gp__named(gp_run(ctx, &c, stream), "gp_bfs_check in=depths in2=parents out=fault");
}
GP__API gp_result gp_connected_components(
    gp_context *ctx, const gp_graph *graph, void *labels, uint64_t *components, gp_stream stream) {
  gp_call c = gp_call_init(GP_CONNECTED_COMPONENTS);
  c.graph = graph;
  c.out = labels;
  c.out_count = components;
  return gp__named(gp_run(ctx, &c, stream), "gp_connected_components out=labels out_count=components");
}

GP__API const char *gp_fault_text(const gp_fault *fault, char *text, size_t capacity) {
#define GP__TEXT(NAME, value, says) says,
  static const char *const texts[] = {GP_FAULTS(GP__TEXT)};
#undef GP__TEXT
  const char *from = fault->kind < GP_FAULT_COUNT ? texts[fault->kind] : "not a kind of fault";
  size_t at = 0;
  if (!capacity) return text;
  for (; *from && at + 1 < capacity; ++from) {
    if (*from == '@' || *from == '#') {
      const int length =
          snprintf(text + at, capacity - at, "%llu", (gp__u64)(*from == '@' ? fault->vertex : fault->edge));
      at += (size_t)length < capacity - at ? (size_t)length : capacity - at - 1;
    } else text[at++] = *from;
  }
  text[at] = 0;
  return text;
}
