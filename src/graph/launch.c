// graph/launch.c - work on graphs: steps and other calls
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, api/graph_types.h, api/call.h,
//   api/init.h, core/words.h, core/rules.h, core/shape.h, core/geometry.h, core/families.h, hash/arguments.h,
//   columns/arguments.h, graph/arguments.h, group_by/arguments.h, top_k/arguments.h, rows/arguments.h, core/system.c,
//   core/request.c, host/values.c, core/names.c, map/kinds.c, graph/kinds.c, core/kinds.c, core/primitive.c,
//   graph/host.c, core/state.c, core/reads.c, core/check.c, core/shape.c, core/kinds_of.c, core/kernels.c, core/load.c,
//   core/launch.c, group_by/launch.c

typedef struct gp__graph_step {
  int request; // index in gp__graph_plan, or -1: a kernel
  gp__kernel_kind kind;
  uint64_t items; // edges, vertices or rows of the kernel
  union {
    gp__graph_args graph;
    gp__hash_args hash;
    gp__group_args group;
    gp__rows_args rows;
    gp__columns_args columns;
    gp__segmented_top_k_args top_k;
  } args;
} gp__graph_step;
typedef struct gp__graph_plan {
  gp__graph_step steps[20];
  gp__request requests[GP__CALLS_MAX];
  int count, request_count;
  int (*more)(const struct gp__graph_plan *g, int i, gp__request *call); // calls after the steps, or NULL
  uint64_t held; // bytes
  gp__u8 *at; // their address, or NULL
} gp__graph_plan;

GP__HOST void *gp__take(gp__graph_plan *g, uint64_t bytes) {
  gp__u8 *at = g->at ? g->at + g->held : NULL;
  g->held += (bytes | 255) + 1;
  return at;
}
GP__HOST void gp__add_kernel(gp__graph_plan *g, gp__kernel_kind kind, uint64_t items, const gp__graph_args *args) {
  gp__graph_step *step = &g->steps[g->count++];
  step->request = -1;
  step->kind = kind;
  step->items = items;
  step->args.graph = *args;
}
GP__HOST gp_result gp__add_call(gp__state *s, const char *who, gp__graph_plan *g, const gp_call *c) {
  g->steps[g->count++].request = g->request_count;
  return gp__check_call(s, who, c, 0, g->at != NULL, &g->requests[g->request_count++]);
}
GP__HOST void gp__add_request(gp__graph_plan *g, const gp__request *q) {
  g->steps[g->count++].request = g->request_count;
  g->requests[g->request_count++] = *q;
}
GP__HOST gp_result gp__add_fill(
    gp__state *s, const char *who, gp__graph_plan *g, uint64_t value, void *out, uint64_t words) {
  gp_call c = gp_call_init(GP_FILL);
  c.out_type = GP_U64;
  c.value = &value;
  c.out = out;
  c.count = words;
  return gp__add_call(s, who, g, &c);
}
// Adds the steps that sort keys and turn them into a graph. counted: the state has their number.
GP__HOST gp_result gp__add_from_keys(
    gp__state *s, const char *who, gp__graph_plan *g, gp__graph_args *a, int counted, int unique) {
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = GP_U64;
  c.keys = c.out_keys = a->keys;
  c.count = a->count;
  a->count_device = counted ? a->state : NULL;
  c.count_device = (const uint64_t *)a->count_device;
  c.end_bit = a->shift + gp__bit_length(a->vertices);
  if (!c.end_bit) c.end_bit = 1;
  if (a->count) GP__CHECK(gp__add_call(s, who, g, &c));
  if (unique && a->count) {
    c.primitive = GP_UNIQUE;
    c.end_bit = 0;
    a->count_device = g->at ? a->state + 1 : NULL;
    c.out_count = (uint64_t *)(uintptr_t)a->count_device;
    GP__CHECK(gp__add_call(s, who, g, &c));
  }
  gp__add_kernel(g, GP__GRAPH_FROM_KEYS, a->count > a->vertices ? a->count : a->vertices + 1, a);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__plan_building(
    gp__state *s, const char *who, const gp__request *q, gp__graph_args *a, gp__graph_plan *g) {
  const gp_graph *to = &q->out_graph;
  const int list = q->primitive == GP_GRAPH_FROM_EDGES, relabel = q->primitive == GP_GRAPH_RELABEL;
  const int unique = (q->flags & GP_UNIQUE_EDGES) != 0;
  a->vertices = to->vertices;
  a->shift = gp__bit_length(to->vertices ? to->vertices - 1 : 0);
  a->state = (gp__u64 *)gp__take(g, 16);
  a->out_offsets = (void *)(uintptr_t)(list || relabel ? to->offsets : to->in_offsets);
  a->out_targets = (void *)(uintptr_t)(list || relabel ? to->targets : to->in_sources);
  if (list) {
    a->keys = (gp__u64 *)gp__take(g, q->count * (q->flags & GP_SYMMETRISE ? 16 : 8));
    a->apart = q->in2 ? 1 : 2;
    a->offsets = q->in;
    a->targets = q->in2 ? q->in2 : q->in && q->in_size ? (const gp__u8 *)q->in + q->in_size : NULL;
    a->count = q->count;
    a->count_device = (const gp__u64 *)q->count_device;
    a->bad = (gp__u64 *)q->bad;
    a->flags = q->flags;
    if (q->bad || (!q->in && !g->at)) // without buffers it may be
      GP__CHECK(gp__add_fill(s, who, g, UINT64_MAX, q->bad, 1));
    gp__add_kernel(g, GP__GRAPH_LIST_KEYS, q->count, a);
    if (q->flags & GP_SYMMETRISE) a->count *= 2;
    return gp__add_from_keys(s, who, g, a, q->count_device != NULL, unique);
  }
  if (relabel) { // degrees, their sort, and the inverse of the order
    gp_call sort = gp_call_init(GP_SORT);
    gp__graph_args of_vertices = *a;
    void *order = q->out ? q->out : gp__take(g, to->vertices * q->key_size);
    void *numbers = q->out2 ? q->out2 : gp__take(g, to->vertices * q->key_size);
    of_vertices.out_offsets = gp__take(g, to->vertices * q->offset_size);
    gp__add_kernel(g, GP__GRAPH_DEGREE_KEYS, to->vertices, &of_vertices);
    sort.key_type = q->offset_type;
    sort.keys = sort.out_keys = of_vertices.out_offsets;
    sort.out_type = q->key_type;
    sort.out = order;
    sort.count = to->vertices;
    sort.flags = GP_DESCENDING;
    if (to->vertices) GP__CHECK(gp__add_call(s, who, g, &sort));
    of_vertices.parents = order;
    of_vertices.out_targets = numbers;
    gp__add_kernel(g, GP__GRAPH_INVERT, to->vertices, &of_vertices);
    a->parents = numbers;
  }
  a->count = q->graph.edges;
  a->keys = (gp__u64 *)gp__take(g, a->count * 8);
  gp__add_kernel(g, GP__GRAPH_KEYS, a->count, a);
  return gp__add_from_keys(s, who, g, a, 1, 0);
}
GP__HOST gp_result gp__plan_checking(
    gp__state *s, const char *who, const gp__request *q, gp__graph_args *a, gp__graph_plan *g) {
  const gp_graph *of = &q->graph;
  const int degrees = q->primitive == GP_GRAPH_DEGREES, depths = q->primitive == GP_BFS_CHECK;
  const uint64_t words = degrees ? (uint64_t)GP__DEGREE_STATE : 1 + (depths ? (of->vertices + 31) / 32 : 0);
  gp__graph_args incoming;
  a->state = (gp__u64 *)gp__take(g, words * 8);
  if (depths) a->marks = (unsigned *)(void *)(g->at ? a->state + 1 : NULL);
  a->depths = (const int *)q->in;
  a->parents = q->in2;
  a->source = q->source;
  a->limit = q->limit;
  a->out_targets = q->out;
  GP__CHECK(gp__add_fill(s, who, g, degrees ? 0 : UINT64_MAX, a->state, words));
  if (degrees) {
    gp__add_kernel(g, GP__GRAPH_DEGREES, of->vertices, a);
    gp__add_kernel(g, GP__GRAPH_DEGREE_REPORT, 1, a);
    return GP_SUCCESS;
  }
  incoming = *a;
  if (depths) {
    gp__add_kernel(g, GP__DEPTHS_OF_EDGES, of->edges, a);
    gp__add_kernel(g, GP__DEPTHS_OF_VERTICES, of->vertices, a);
  } else {
    gp__add_kernel(g, GP__GRAPH_CHECK, q->count, a);
    incoming.offsets = of->in_offsets;
    incoming.targets = of->in_sources;
    incoming.parents = of->offsets;
    incoming.incoming = 1;
    if (of->in_offsets) gp__add_kernel(g, GP__GRAPH_CHECK, q->count, &incoming);
  }
  a->out_offsets = (void *)(uintptr_t)of->in_offsets;
  gp__add_kernel(g, GP__FAULT_REPORT, 1, a);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__plan_components(const gp__request *q, gp__graph_args *a, gp__graph_plan *g) {
  const uint64_t n = q->graph.vertices;
  a->state = (gp__u64 *)gp__take(g, 8);
  a->out_targets = q->out;
  a->bad = (gp__u64 *)q->out_count;
  a->flags = q->graph.flags & GP_SYMMETRIC;
  gp__add_kernel(g, GP__COMPONENTS_FIRST, n, a);
  gp__add_kernel(g, GP__COMPONENTS_FEW, n, a);
  gp__add_kernel(g, GP__COMPONENTS_ROOTS, n, a);
  gp__add_kernel(g, GP__COMPONENTS_SAMPLE, 1, a);
  gp__add_kernel(g, GP__COMPONENTS_LINK, q->graph.edges, a);
  a->incoming = 1;
  gp__add_kernel(g, GP__COMPONENTS_ROOTS, n, a);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__graph_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const char *who = gp__primitive_names[q->primitive];
  gp__graph_args a;
  memset(&a, 0, sizeof a);
  a.offsets = q->graph.offsets;
  a.targets = q->graph.targets;
  a.vertices = q->graph.vertices;
  a.edges = q->graph.edges;
  if (q->primitive == GP_CONNECTED_COMPONENTS) return gp__plan_components(q, &a, g);
  return q->primitive <= GP_GRAPH_RELABEL ? gp__plan_building(s, who, q, &a, g) : gp__plan_checking(s, who, q, &a, g);
}
typedef gp_result (*gp__make_plan)(gp__state *s, const gp__request *q, gp__graph_plan *g);
// Makes a plan whose memory is at `at`, or NULL. Described inputs that no kernel reads are written first: by sorts to
// their outputs, otherwise to memory that the plan holds. Then `make` plans the call on arrays, with policy p.
GP__HOST gp_result gp__plan_at(
    gp__state *s, const gp__request *q, const gp_policy *p, gp__make_plan make, gp__u8 *at, gp__graph_plan *g) {
  const int in_place = q->primitive == GP_SORT || q->primitive == GP_MERGE_SORT;
  gp__request plain = *q;
  gp__inputs *all = &plain.inputs;
  int *const roots[] = {&all->in, &all->in2, &all->keys, &all->keys2};
  const void **const arrays[] = {&plain.in, &plain.in2, &plain.keys, &plain.keys2};
  void *const outs[] = {q->out, NULL, q->out_keys, NULL};
  int i;
  memset(g, 0, sizeof *g);
  g->at = at;
  plain.policy = p;
  plain.written = 0;
  for (i = 3; i >= 0; --i) {
    const gp__input_node *n = all->node + *roots[i];
    gp_call copy = gp_call_init(GP_COPY);
    if (!*roots[i] || q->fused >> i & 1) continue;
    --n;
    *roots[i] = 0;
    copy.in_type = GP_INPUT;
    copy.out_type = n->type;
    copy.in = n->from;
    copy.out = in_place ? outs[i] : NULL;
    copy.count = q->inputs.elements[i];
    if (gp__is_counted(q->primitive, i)) copy.count_device = q->count_device;
    if (!copy.out && !(in_place && q->in_steps)) copy.out = gp__take(g, copy.count * n->size);
    *arrays[i] = copy.out ? copy.out : (void *)(uintptr_t)GP__VECTOR; // an address alone
    if (copy.count) GP__CHECK(gp__add_call(s, gp__primitive_names[q->primitive], g, &copy));
  }
  if (in_place && plain.in && !q->in && !q->out) plain.in = plain.out = g; // asked without buffers
  all->count = all->in > all->in2 ? all->in : all->in2; // the parts of the others follow
  return make(s, &plain, g);
}
// Runs a plan. The primary context must be current. run 0: only builds the kernels.
GP__HOST gp_result gp__run_plan_of(gp__state *s, const gp__request *q, const gp_policy *p, int run, gp_stream stream,
    uint64_t least, gp__make_plan make) {
  const char *who = gp__primitive_names[q->primitive];
  const uint64_t tile = 4 * (uint64_t)p->threads * (unsigned)p->vectors;
  gp__shape h = gp__shape_of(q);
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__kernel *kernels[GP__KINDS_MAX] = {NULL};
  gp__geometry geometry;
  gp__graph_plan g;
  gp__request behind;
  gp__holding held = {s, NULL, NULL, 0, 0};
  int count, i;
  gp_result result = gp__plan_at(s, q, p, make, NULL, &g);
  gp__shape_on(&h, &s->about);
  count = gp__kinds_of(q, p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS; ++i)
    result = gp__get_kernel(s, who, q, p, &h, kinds[i], 1, &kernels[i]);
  for (i = 0; i < g.request_count && result == GP_SUCCESS; ++i)
    result = gp__run_request(s, &g.requests[i], NULL, 0, stream, 0);
  if (result == GP_SUCCESS && run) result = gp__hold(s, who, stream, g.requests, g.request_count, g.held, least, &held);
  if (result != GP_SUCCESS || !run) {
    gp__let_kernels_go(kernels, count);
    return result;
  }
  if (held.capturing) gp__keep_captured(kernels, count);
  geometry = gp__geometry_of(*p, &h, 0);
  geometry.shared_bytes = 0;
  result = gp__plan_at(s, q, p, make, held.at, &g);
  for (i = 0; i < g.count && result == GP_SUCCESS; ++i) {
    gp__graph_step *step = &g.steps[i];
    int k = 0;
    if (step->request >= 0) {
      const gp__request *call = &g.requests[step->request];
      result = gp__run_request(s, call, NULL, 1, stream, 0);
      continue;
    }
    while (kinds[k] != step->kind) ++k;
    {
      const uint64_t blocks = gp__ceil_div(step->items, tile);
      const uint64_t most = (uint64_t)s->about.multiprocessors *
          (unsigned)(!p->blocks_per_sm || kernels[k]->occupancy < p->blocks_per_sm ? kernels[k]->occupancy
              : p->blocks_per_sm);
      result = gp__launch_one(s, who, kernels[k], blocks < 1 ? 1 : (unsigned)(blocks < most ? blocks : most), &geometry,
          p->overlap, stream, &step->args);
    }
  }
  for (i = 0; g.more && result == GP_SUCCESS && g.more(&g, i, &behind); ++i)
    result = gp__run_request(s, &behind, NULL, 1, stream, 0);
  gp__let_go(&held);
  gp__let_kernels_go(kernels, count);
  return result;
}
GP__HOST gp_result gp__bytes_of_plan(
    gp__state *s, const gp__request *q, const gp_policy *given, uint64_t *bytes, gp__make_plan make) {
  gp__graph_plan g;
  GP__CHECK(gp__plan_at(s, q, given, make, NULL, &g));
  return gp__room_of_steps(s, g.requests, g.request_count, g.held, bytes);
}
GP__HOST gp_result gp__calls_of_plan(
    gp__state *s, const gp__request *q, gp__request *calls, int *count, gp__make_plan make) {
  gp__graph_plan g;
  const gp_result result = gp__plan_at(s, q, q->policy, make, NULL, &g);
  *count = g.request_count;
  memcpy(calls, g.requests, (size_t)g.request_count * sizeof *calls);
  return result;
}
// The composition gp__NAME_calls of a family whose calls are plans.
#define GP__CALLS_BY_PLAN(name, plan_of) \
  GP__HOST gp_result gp__run_##name( \
      gp__state *s, const gp__request *q, const gp_policy *p, int run, gp_stream stream, uint64_t least) { \
    return gp__run_plan_of(s, q, p, run, stream, least, plan_of); \
  } \
  GP__HOST gp_result gp__bytes_of_##name( \
      gp__state *s, const gp__request *q, const gp_policy *given, const gp__shape *h, uint64_t *bytes) { \
    (void)h; \
    return gp__bytes_of_plan(s, q, given, bytes, plan_of); \
  } \
  GP__HOST gp_result gp__calls_of_##name(gp__state *s, const gp__request *q, gp__request *calls, int *count) { \
    return gp__calls_of_plan(s, q, calls, count, plan_of); \
  } \
  static const gp__composition gp__##name##_calls = {gp__run_##name, gp__bytes_of_##name, gp__calls_of_##name}
