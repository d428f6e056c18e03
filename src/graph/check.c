// graph/check.c - checking a call: its graph
// uses: api/config.h, api/lists.h, api/structs.h, api/graph_types.h, api/call.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, core/struct_size.c, core/request.c, host/values.c, core/names.c, bfs/kinds.c,
//   graph/kinds.c, core/check_types.c, core/checking.c, core/check_call_types.c, core/check_buffers.c

GP__HOST int gp__is_search(gp_primitive p) { return p == GP_BFS || p == GP_BFS_SOURCES; }
// Checks the numbers and types of a graph that is read or made, but not its memory.
GP__HOST gp_result gp__check_shape(const gp__checking *k, const char *name, const gp_graph *given, gp_graph *g) {
  gp_graph own;
  if (!given) return gp__fail(GP_E_NULL, "%s: @%s is null", k->who, name);
  GP__TAKE_STRUCT(k->who, name, given, own, gp_graph);
  *g = *given;
  g->offset_type = g->offset_type ? g->offset_type : GP_U32;
  g->vertex_type = g->vertex_type ? g->vertex_type : GP_U32;
  if (g->offset_type != GP_U32 && g->offset_type != GP_U64)
    return gp__fail(GP_E_TYPE, "%s: @%s->offset_type is %d, neither u32 nor u64", k->who, name, g->offset_type);
  if (g->vertex_type != GP_U32 && g->vertex_type != GP_U64)
    return gp__fail(GP_E_TYPE, "%s: @%s->vertex_type is %d, neither u32 nor u64", k->who, name, g->vertex_type);
  if (g->flags & ~GP_SYMMETRIC)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s->flags has unknown bits: %#x", k->who, name, g->flags);
  if (g->vertices >= (g->vertex_type == GP_U32 ? UINT32_MAX : (uint64_t)1 << 48))
    return gp__fail(GP_E_SIZE, "%s: @%s->vertices is %llu, not below %s", k->who, name, (gp__u64)g->vertices,
        g->vertex_type == GP_U32 ? "2^32 - 1, the limit of u32 vertices" : "2^48");
  if (g->edges > (g->offset_type == GP_U32 ? UINT32_MAX : ((uint64_t)1 << 48) - 1))
    return gp__fail(GP_E_SIZE, "%s: @%s->edges is %llu, not below %s", k->who, name, (gp__u64)g->edges,
        g->offset_type == GP_U32 ? "2^32, the limit of u32 offsets" : "2^48");
  if (!g->in_offsets != !g->in_sources)
    return gp__fail(GP_E_NULL, "%s: @%s->%s is null, but @%s->%s is not", k->who, name,
        g->in_offsets ? "in_sources" : "in_offsets", name, g->in_offsets ? "in_offsets" : "in_sources");
  return GP_SUCCESS;
}
// Sets a request's types from its graph's.
GP__HOST void gp__note_graph(gp__request *q, const gp_graph *g) {
  q->offset_type = g->offset_type;
  q->key_type = g->vertex_type;
  q->offset_size = gp__type_rows[g->offset_type].size;
  q->key_size = gp__type_rows[g->vertex_type].size;
  q->channels = q->active = 1;
}
// Checks the memory of a graph's outgoing or incoming lists, read or written.
GP__HOST gp_result gp__check_lists(gp__checking *k, const char *const names[2], const gp_graph *g, const void *offsets,
    const void *ends, int written) {
  gp__checked_type offset = {gp__type_rows[g->offset_type].size, 0, NULL};
  gp__checked_type vertex = {gp__type_rows[g->vertex_type].size, 0, NULL};
  offset.align = offset.size, vertex.align = vertex.size;
  if (written) {
    GP__CHECK(gp__writing(k, names[0], offsets, offset.align, offset.size, g->vertices + 1, 1, 0));
    return gp__writing(k, names[1], ends, vertex.align, vertex.size, g->edges, 1, 0);
  }
  GP__CHECK(gp__reading(k, names[0], offsets, &offset, g->vertices + 1, 1, 0));
  return gp__reading(k, names[1], ends, &vertex, g->edges, 1, 0);
}
GP__HOST gp_result gp__check_graph(gp__checking *k) {
  static const char *const names[] = {"graph->offsets", "graph->targets", "graph->in_offsets", "graph->in_sources"};
  gp__request *q = k->q;
  gp_graph *g = &q->graph;
  GP__CHECK(gp__check_shape(k, "graph", k->c->graph, g));
  gp__note_graph(q, g);
  q->count = q->stride = g->vertices;
  GP__CHECK(gp__check_lists(k, names, g, g->offsets, g->targets, 0));
  return g->in_offsets ? gp__check_lists(k, names + 2, g, g->in_offsets, g->in_sources, 0) : GP_SUCCESS;
}
// Checks the buffers that all searches have: the last step of their check.
GP__HOST gp_result gp__check_search_buffers(gp__checking *k, uint64_t sources) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  if (c->source_device) GP__CHECK(gp__reading(k, "source_device", c->source_device, &number, sources, 1, 0));
  GP__CHECK(gp__writing(k, "statistics", c->statistics, 8, sizeof *c->statistics, 1, 0, 0));
  if (c->flags & GP_CHECKED) GP__CHECK(gp__writing(k, "fault", c->fault, 8, sizeof *c->fault, 1, 1, 0));
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
GP__HOST gp_result gp__check_bfs(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_graph(k));
  if (!c->source_device && c->source >= q->graph.vertices && k->pointers)
    return gp__fail(GP_E_ARGUMENT, "%s: @source is %llu, not below the %llu vertices of @graph", k->who,
        (gp__u64)c->source, (gp__u64)q->graph.vertices);
  if ((c->flags & GP_UNTIL_TARGET) && c->target >= q->graph.vertices && k->pointers)
    return gp__fail(GP_E_ARGUMENT, "%s: @target is %llu, not below the %llu vertices of @graph", k->who,
        (gp__u64)c->target, (gp__u64)q->graph.vertices);
  if (c->target && !(c->flags & GP_UNTIL_TARGET))
    return gp__fail(GP_E_ARGUMENT, "%s: @target is set, but @flags lacks GP_UNTIL_TARGET", k->who);
  GP__CHECK(gp__writing(k, "out (depths)", c->out, 4, 4, q->graph.vertices, 1, 0));
  GP__CHECK(gp__writing(k, "out2 (parents)", c->out2, q->key_size, q->key_size, q->graph.vertices, 0, 0));
  q->target = c->flags & GP_UNTIL_TARGET ? c->target : UINT64_MAX;
  return gp__check_search_buffers(k, 1);
}
GP__HOST gp_result gp__check_sources(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const uint64_t n = c->graph ? c->graph->vertices : 0;
  uint64_t i;
  GP__CHECK(gp__check_graph(k));
  if (n && c->count > UINT64_MAX / 4 / n)
    return gp__fail(
        GP_E_SIZE, "%s: @count is %llu: that many rows of %llu depths overflow", k->who, (gp__u64)c->count, (gp__u64)n);
  if (c->sources && c->source_device)
    return gp__fail(GP_E_ARGUMENT, "%s: @sources and @source_device are both set: set one of them", k->who);
  if (k->pointers && c->count && !c->sources && !c->source_device)
    return gp__fail(GP_E_NULL, "%s: @sources is null", k->who);
  for (i = 0; c->sources && i < c->count && k->pointers; ++i)
    if (c->sources[i] >= n)
      return gp__fail(GP_E_ARGUMENT, "%s: @sources[%llu] is %llu, not below the %llu vertices of @graph", k->who,
          (gp__u64)i, (gp__u64)c->sources[i], (gp__u64)n);
  if (k->pointers && !c->out && !c->out2 && !c->statistics)
    return gp__fail(
        GP_E_NULL, "%s: @out (depths), @out2 (reached) and @statistics are all null: set at least one output", k->who);
  GP__CHECK(gp__writing(k, "out (depths)", c->out, 4, 4, c->count * n, 0, 0));
  GP__CHECK(gp__writing(k, "out2 (reached)", c->out2, 8, 8, c->count, 0, 0));
  q->segments = c->count;
  q->acc_type = c->count > 32 ? GP_U64 : GP_U32; // a word with a bit for each source
  q->acc_size = c->count > 32 ? 8 : 4;
  q->target = UINT64_MAX;
  return gp__check_search_buffers(k, c->count);
}
// Checks a list of edges, and the graph that it becomes.
GP__HOST gp_result gp__check_edge_list(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int copies = c->flags & GP_SYMMETRISE ? 2 : 1;
  gp_type type;
  GP__CHECK(gp__check_integer(k, "in_type (of the list)", c->in_type, 4, 8, "i32, u32, i64 or u64", &type, &k->in));
  q->in_type = type;
  q->in_size = k->in.size;
  q->count = c->count;
  if (c->count > UINT64_MAX / 16 / (unsigned)copies)
    return gp__fail(GP_E_SIZE, "%s: @count is %llu: the keys of that many edges overflow", k->who, (gp__u64)c->count);
  if (q->out_graph.edges < c->count * (unsigned)copies)
    return gp__fail(GP_E_ARGUMENT, "%s: @out_graph->edges is %llu, but the graph can have up to %llu edges%s", k->who,
        (gp__u64)q->out_graph.edges, (gp__u64)c->count * (unsigned)copies,
        copies == 2 ? " (each edge in both directions)" : "");
  GP__CHECK(
      gp__reading(k, c->in2 ? "in (sources)" : "in (pairs)", c->in, &k->in, c->in2 ? c->count : 2 * c->count, 1, 0));
  if (c->in2) GP__CHECK(gp__reading(k, "in2 (targets)", c->in2, &k->in, c->count, 1, 0));
  if (c->bad) GP__CHECK(gp__writing(k, "bad", c->bad, 8, 8, 1, 1, 0));
  if (c->count_device) {
    static const gp__checked_type number = {8, 8, NULL};
    GP__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_graph_work(gp__checking *k) {
  static const char *const lists[2] = {"graph->offsets", "graph->targets"};
  static const char *const out_lists[2] = {"out_graph->offsets", "out_graph->targets"};
  static const char *const in_lists[2] = {"graph->in_offsets", "graph->in_sources"};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_graph *g = &q->graph;
  const gp_primitive p = c->primitive;
  const int makes = p == GP_GRAPH_FROM_EDGES || p == GP_GRAPH_RELABEL, builds = makes || p == GP_GRAPH_TRANSPOSE;
  size_t vertex;
  if (p != GP_GRAPH_FROM_EDGES) {
    GP__CHECK(gp__check_shape(k, "graph", c->graph, &q->graph));
    GP__CHECK(gp__check_lists(k, lists, g, g->offsets, g->targets, 0));
  }
  if (makes) {
    GP__CHECK(gp__check_shape(k, "out_graph", c->out_graph, &q->out_graph));
    GP__CHECK(gp__check_lists(k, out_lists, &q->out_graph, q->out_graph.offsets, q->out_graph.targets, 1));
    if (p == GP_GRAPH_FROM_EDGES) GP__CHECK(gp__check_edge_list(k));
    else if (q->out_graph.vertices != g->vertices || q->out_graph.edges < g->edges ||
        q->out_graph.offset_type != g->offset_type || q->out_graph.vertex_type != g->vertex_type)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @out_graph: vertices and types must equal those of @graph, and edges must be at least %llu", k->who,
          (gp__u64)g->edges);
  } else q->out_graph = *g;
  gp__note_graph(q, &q->out_graph);
  vertex = q->key_size;
  if (builds && q->out_graph.vertices > UINT32_MAX)
    return gp__fail(GP_E_UNSUPPORTED, "%s: @%s->vertices is %llu, not below 2^32", k->who,
        makes ? "out_graph" : "graph", (gp__u64)q->out_graph.vertices);
  if (p != GP_GRAPH_FROM_EDGES) q->count = g->edges > g->vertices ? g->edges : g->vertices;
  if (p == GP_GRAPH_TRANSPOSE) {
    if (k->pointers && !g->in_offsets)
      return gp__fail(GP_E_NULL, "%s: @graph->in_offsets and in_sources are null: the call writes them", k->who);
    GP__CHECK(gp__check_lists(k, in_lists, g, g->in_offsets, g->in_sources, 1));
  } else if (p == GP_GRAPH_CHECK && g->in_offsets) {
    GP__CHECK(gp__check_lists(k, in_lists, g, g->in_offsets, g->in_sources, 0));
  }
  if (p == GP_GRAPH_RELABEL) {
    GP__CHECK(gp__writing(k, "out (order)", c->out, vertex, vertex, g->vertices, 0, 0));
    GP__CHECK(gp__writing(k, "out2 (numbers)", c->out2, vertex, vertex, g->vertices, 0, 0));
  } else if (p == GP_CONNECTED_COMPONENTS) {
    GP__CHECK(gp__writing(k, "out (labels)", c->out, vertex, vertex, g->vertices, 1, 0));
    GP__CHECK(gp__writing(k, "out_count (components)", c->out_count, 8, 8, 1, 0, 0));
  } else if (!builds) {
    const size_t bytes = p == GP_GRAPH_DEGREES ? sizeof(gp_degrees) : sizeof(gp_fault);
    GP__CHECK(gp__writing(k, p == GP_GRAPH_DEGREES ? "out (degrees)" : "out (fault)", c->out, 8, bytes, 1, 1, 0));
  }
  if (p == GP_BFS_CHECK) {
    const gp__checked_type depth = {4, 4, NULL}, number = {vertex, vertex, NULL};
    if (c->source >= g->vertices)
      return gp__fail(GP_E_ARGUMENT, "%s: @source is %llu, not below the %llu vertices of @graph", k->who,
          (gp__u64)c->source, (gp__u64)g->vertices);
    GP__CHECK(gp__reading(k, "in (depths)", c->in, &depth, g->vertices, 1, 0));
    GP__CHECK(gp__reading(k, "in2 (parents)", c->in2, &number, g->vertices, 0, 0));
  }
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
