// core/launch_plan.c - launching a call
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, core/shape.h,
//   sort/cooperative_policy.h, core/geometry.h, core/geometry_of.h, map/arguments.h, core/system.c, core/messages.c,
//   core/request.c, layouts/host.c, core/kinds.c, core/state.c, core/reads.c, core/checking.c, graph/check.c,
//   core/kernels.c, core/load.c, core/workspaces.c, core/launch.c, sort/launch.c, segmented_sort/launch.c,
//   merge/launch.c, sort/counting_launch.c, top_k/launch.c, transpose/launch.c, bfs/launch.c

GPUPRIMS__PRIVATE gp_result gp__launch_plan(const gp__launching *l) {
  if (l->p->algorithm == GP_COUNTING) return gp__launch_counting(l);
  if (gp__family_of(l->q->primitive) == GP__FAMILY_MERGE) return gp__launch_merge(l);
  if (l->q->primitive == GP_SORT && l->p->algorithm == GP_HYBRID) return gp__launch_hybrid(l);
  if (l->q->primitive == GP_SORT && l->p->algorithm == GP_ONE_BLOCK) return gp__launch_one_block_sort(l);
  if (l->q->primitive == GP_SORT && gp__is_cooperative(l->p->algorithm)) return gp__launch_cooperative(l);
  if (l->q->primitive == GP_SORT && l->p->algorithm == GP_ADAPTIVE) return gp__launch_adaptive(l);
  if (l->q->primitive == GP_SORT && l->p->algorithm == GP_LEADING_SWEEP) return gp__launch_leading_sweep(l);
  if (l->q->primitive == GP_SORT) return gp__launch_sort(l);
  if (l->q->primitive == GP_SEGMENTED_SORT) return gp__launch_segmented_sort(l);
  if (gp__family_of(l->q->primitive) == GP__FAMILY_TOP_K) return gp__launch_top_k(l);
  if (l->q->primitive == GP_TRANSPOSE) return gp__launch_transpose(l);
  if (l->q->primitive == GP_BFS) return gp__launch_bfs(l);
  if (l->q->primitive == GP_BFS_SOURCES) return gp__launch_sources(l);
  return gp__fail(GP_E_UNSUPPORTED, "%s: no plan", l->who);
}

// The primary context is current, the kernels are loaded. The workspace gets `least` bytes at least.
GPUPRIMS__PRIVATE gp_result gp__launch(gp__state *s, const char *who, const gp__request *q, const gp__shape *h,
                                       const gp_policy *p, gp__kernel *const *kernels, int count, gp_stream stream,
                                       uint64_t least) {
  gp__arguments a;
  gp__geometry g;
  gp__workspace *r = NULL;
  void *scratch = NULL;
  unsigned long long stream_key;
  int capturing;
  gp_result result;
  int occupancy = count ? kernels[0]->occupancy : 0, i;
  for (i = 1; i < count; ++i)
    if (kernels[i]->occupancy < occupancy) occupancy = kernels[i]->occupancy;
  if (gp__family_of(q->primitive) == GP__FAMILY_HISTOGRAM || p->algorithm == GP_BEST_LISTS ||
      (q->primitive == GP_TRANSPOSE && count)) { // shared memory of one kernel by the shape
    const int most = q->primitive == GP_TRANSPOSE ? occupancy : INT32_MAX;
    g = gp__geometry_of(*p, *h, 0);
    result = gp__fit_kernel(s, who, kernels[0], &g, &occupancy);
    if (result != GP_SUCCESS) return result;
    if (occupancy > most) occupancy = most;
  }
  g = gp__geometry_of(*p, *h, occupancy);
  result = gp__number_of_stream(s, who, stream, &stream_key, &capturing);
  if (result != GP_SUCCESS) return result;
  if (capturing) gp__keep_captured(kernels, count);
  if (g.words || g.scratch) {
    GPUPRIMS__CHECK(gp__find_stream(s, who, stream_key, stream, capturing, &r));
    gp__lock_stream(r, capturing);
    result = gp__find_room(s, who, r, stream, gp__word_bytes(&g), gp__scratch_bytes(&g), least, capturing, &scratch);
  }
  if (gp__is_planned(q->primitive)) {
    const gp__launching l = {s, who, q, h, p, kernels, count, &g, r ? r->workspace : NULL, scratch, stream};
    if (result == GP_SUCCESS) result = gp__launch_plan(&l);
    if (r) gp__unlock_stream(s, r);
    return result;
  }
  gp__fill_arguments(q, h, &g, r ? r->workspace : NULL, &a);
  if (q->primitive == GP_CONVERT_LAYOUT && count == 2) { // in place: of a copy in the workspace
    gp__map_args copy;
    gp__geometry of_copy = g;
    memset(&copy, 0, sizeof copy);
    copy.in = copy.in2 = q->in;
    copy.out = scratch;
    copy.count = h->length;
    of_copy.shared_bytes = 0;
    of_copy.tiles = gp__ceil_div(h->length, (unsigned long long)p->threads * (unsigned)p->vectors * GP__VECTOR);
    if (result == GP_SUCCESS)
      result = gp__launch_one(s, who, kernels[1], of_copy.tiles < 0x7fffffff ? (unsigned)of_copy.tiles : 0x7fffffffu,
                              &of_copy, p->overlap, stream, &copy);
    gp__layout_arguments(q, scratch, &a.layout);
    count = 1;
  }
  for (i = 0; i < count && result == GP_SUCCESS; ++i)
    result = gp__launch_one(s, who, kernels[i], count == 3 && i == 1 ? 1 : g.grid, &g, p->overlap, stream, &a);
  if (r) gp__unlock_stream(s, r);
  return result;
}

// Of a GP_CHECKED call: the check of its offsets, or of its graph, as a call of its own.
GPUPRIMS__PRIVATE int gp__is_checked(const gp__request *q) { return (q->flags & GP_CHECKED) != 0; }
GPUPRIMS__PRIVATE gp__request gp__check_of(const gp__request *q) {
  gp__request check;
  memset(&check, 0, sizeof check);
  if (gp__is_search(q->primitive)) {
    check.primitive = GP_GRAPH_CHECK;
    check.graph = check.out_graph = q->graph;
    gp__note_graph(&check, &q->graph);
    check.count = q->graph.edges > q->graph.vertices ? q->graph.edges : q->graph.vertices;
    check.out = q->fault;
    return check;
  }
  check.primitive = GP_CHECK_OFFSETS;
  check.offset_type = q->offset_type;
  check.offset_size = q->offset_size;
  check.begin = q->begin;
  check.segments = q->segments;
  check.count = q->count;
  check.limit_device = q->count_device;
  check.bad = q->bad;
  check.out_type = check.acc_type = GP_U64;
  check.out_size = check.acc_size = 8;
  check.channels = check.active = 1;
  return check;
}
