// top_k/launch.c - launches of top-k and radix select
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/call.h, api/init.h, core/words.h, core/rules.h,
//   core/shape.h, sort/cooperative_policy.h, top_k/policy.h, core/geometry.h, top_k/portable.h, sort/scratch.h,
//   top_k/geometry.h, core/families.h, sort/arguments.h, top_k/arguments.h, core/system.c, core/request.c,
//   host/values.c, core/names.c, core/kinds.c, core/state.c, top_k/check.c, core/load.c, core/launch.c, sort/launch.c,
//   graph/launch.c

GP__HOST void gp__fill_top_k(const gp__request *q, gp__top_k_args *a) {
  a->keys = q->keys;
  a->in = q->in;
  a->out_keys = q->out_keys;
  a->out = q->out;
  a->count = q->count;
}
GP__HOST gp_result gp__launch_lists(const gp__launching *l, gp__top_k_args *a) {
  const gp__shape *h = l->h;
  const gp__u64 rank = gp__rank_bytes(h), rows = a->rows, mergers = gp__top_k_mergers(a->blocks, a->k);
  gp__u8 *lists = (gp__u8 *)l->scratch, *fewer = lists + rows * a->blocks * a->k * rank;
  int occupancy;
  if (a->blocks > 1) GP__CHECK(gp__fit_kernel(l->s, l->who, l->kernels[1], l->g, &occupancy));
  a->capacity = gp__top_k_capacity(*l->p, h);
  a->jump = gp__top_k_jump(gp__ceil_div(a->count, l->g->tile_items));
  a->to = a->blocks > 1 ? lists : NULL;
  GP__CHECK(gp__launch_step(l, 0, l->g->grid, l->g->threads, l->g->shared_bytes, a));
  while (a->to) { // lists of all blocks, then of fewer, then the result
    a->from = a->to;
    a->ranks = a->blocks * a->k;
    a->blocks = a->blocks > mergers ? mergers : 1;
    a->to = a->blocks > 1 ? fewer : NULL;
    GP__CHECK(gp__launch_step(l, 1, (unsigned)(rows * a->blocks < 0x7fffffff ? rows * a->blocks : 0x7fffffff),
        l->g->threads, l->g->shared_bytes, a));
  }
  return GP_SUCCESS;
}
GP__HOST int gp__bounds_keys(const gp__request *q, const gp_policy *p) {
  return gp__is_bounded(p->algorithm, q->primitive, (int)q->out_size, q->count, q->length);
}
// Sampled select: a cluster sorts the keys put aside, whose number is in the state, and stores the first k.
GP__HOST gp_result gp__launch_sampled_sort(const gp__launching *l, const gp__top_k_args *a) {
  const gp_policy p = gp__sampled_sort(*l->p, l->h);
  const gp__shape sampled = gp__sampled_shape(*l->h);
  const gp__geometry g = gp__geometry_of(p, &sampled, 0);
  gp__launching sort = *l;
  gp__radix_args r;
  memset(&r, 0, sizeof r);
  sort.p = &p;
  sort.g = &g;
  ++sort.kernels;
  r.keys = a->aside;
  r.out_keys = a->out_keys;
  r.count = a->room;
  r.count_device = &((gp__select_state *)a->states)->inside;
  r.end_bit = 8 * (int)l->q->key_size;
  r.flip = l->q->flags & GP_DESCENDING ? ~0u : 0;
  r.capacity = (unsigned)a->k;
  return gp__launch_passes_at_once(&sort, r);
}
GP__HOST gp_result gp__launch_select(const gp__launching *l, gp__top_k_args *a) {
  const gp__request *q = l->q;
  const int sorts = l->p->algorithm == GP_SAMPLED_SELECT;
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__launching bounded = *l;
  gp__geometry g = *l->g;
  a->states = scratch;
  a->bins = scratch + a->rows * GP__SELECT_STATE_BYTES;
  a->aside = scratch + a->rows * gp__select_bytes(*l->p, l->h);
  a->room = gp__select_room(*l->p, l->h);
  a->nth = q->primitive == GP_NTH_ELEMENT;
  a->many = GP__SELECT_SAMPLED;
  a->to = sorts ? a->aside : a->out_keys;
  a->ranks = sorts ? a->room : a->k;
  g.shared_bytes = 0;
  bounded.g = &g;
  if (!sorts) bounded.kernels += 3;
  if (gp__bounds_keys(q, l->p)) {
    const gp_result result = gp__launch_resident(&bounded, a);
    if (sorts && !result) return gp__launch_sampled_sort(l, a);
    if (sorts || result != (gp_result)GP__REFUSED) return result;
  }
  GP__CHECK(gp__launch_step(l, 0, l->g->grid, l->g->threads, 0, a));
  for (a->level = 1; a->level * GP__SELECT_BITS < 8 * (int)q->key_size; ++a->level)
    GP__CHECK(gp__launch_step(l, 1, l->g->grid, l->g->threads, l->g->shared_bytes, a));
  if (a->nth) return GP_SUCCESS;
  return gp__launch_step(l, 2, gp__grid_of_step(l, 2, l->p->blocks_per_sm, l->g->tiles), l->g->threads, 0, a);
}
// Few keys: a sort of all, which stores the first k.
GP__HOST gp_result gp__launch_first_sorted(const gp__launching *l) {
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__radix_plan none;
  gp__radix_args a;
  memset(&none, 0, sizeof none);
  a = gp__radix_arguments(l, &none, scratch);
  a.other = scratch + gp__top_k_moved(l->h);
  a.end_bit = 8 * (int)l->q->key_size;
  a.capacity = (unsigned)l->q->length;
  a.drop_keys = !a.out_keys;
  return gp__launch_passes_at_once(l, a);
}
GP__HOST gp_result gp__launch_segmented_top_k(const gp__launching *l);
GP__HOST gp_result gp__launch_top_k(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__top_k_args a;
  if (q->op) return gp__launch_segmented_top_k(l);
  if (gp__is_cooperative(l->p->algorithm)) return gp__launch_first_sorted(l);
  memset(&a, 0, sizeof a);
  gp__fill_top_k(q, &a);
  a.count_device = (const gp__u64 *)q->count_device;
  a.rows = gp__rows_of(l->h);
  a.k = q->primitive == GP_NTH_ELEMENT ? q->length + 1 : q->length;
  a.blocks = l->g->share;
  a.workspace = l->workspace;
  return l->p->algorithm == GP_BEST_LISTS ? gp__launch_lists(l, &a) : gp__launch_select(l, &a);
}

// Rows are segments of one length. A single one may end at a count in device memory.
GP__HOST void gp__fill_top_k_segments(const gp__request *q, gp__segmented_top_k_args *a) {
  const int rows = q->primitive == GP_TOP_K;
  memset(a, 0, sizeof *a);
  gp__fill_top_k(q, &a->top);
  a->top.rows = q->segments || !rows ? q->segments : 1;
  a->top.k = q->length;
  a->begin = q->begin;
  a->end = rows ? q->count_device : q->end;
  a->ks = (const unsigned *)q->in2;
  a->bad = (const gp__u64 *)q->bad;
  a->length = rows ? q->count : q->segments ? q->count / q->segments : 0;
  a->offset_bytes = rows ? 8 : (unsigned)q->offset_size;
  if (rows) a->top.count *= a->top.rows;
}
GP__HOST gp_result gp__launch_segmented_top_k(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__shape h = gp__rows_as_segments(*l->h);
  const gp__segment_top_k_layout at = gp__lay_out_segment_top_k(*l->p, &h, l->g->share);
  const unsigned threads = l->g->threads, sorting = (unsigned)gp__policy_of_short_top_k(*l->p, l->h).threads;
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__segmented_top_k_args a;
  gp__fill_top_k_segments(q, &a);
  a.top.capacity = q->op ? gp__order_capacity(*l->p, &h) : gp__segment_top_k_capacity(*l->p, &h);
  a.part = at.part;
  a.by_warps = gp__top_k_most_of_warp(*l->p, &h);
  a.by_lanes = GP__TOP_K_BY_LANES >> (a.by_warps > GP__TOP_K_BY_LANES);
  if (at.task_room) {
    a.header = (gp__top_k_header *)(void *)scratch;
    a.tasks = (gp__top_k_task *)(void *)(scratch + at.tasks);
    a.arrived = (unsigned *)(void *)(scratch + at.arrived);
    a.lists = scratch + at.lists;
    a.task_room = at.task_room;
    a.list_room = at.list_room;
    GP__CHECK(gp__launch_step(l, 1, 1, threads, 0, &a));
  }
  if (!at.direct || a.length <= a.by_warps) {
    const unsigned most = gp__grid_of_step(l, 2, 0, UINT64_MAX);
    const unsigned warps = sorting / GP__WARP;
    const uint64_t each = gp__ceil_div(a.top.rows, most * (uint64_t)warps);
    a.batch = each < 1 ? 1 : each < 32 ? (unsigned)each : 32;
    GP__CHECK(
        gp__launch_step(l, 2, gp__grid_of_step(l, 2, 0, gp__ceil_div(a.top.rows, a.batch * warps)), sorting, 0, &a));
  }
  if (at.direct ? a.length <= a.by_warps : !at.task_room) return GP_SUCCESS;
  return gp__launch_step(l, 0, l->g->grid, threads, l->g->shared_bytes, &a);
}

// True if all keys are one row.
GP__HOST int gp__top_k_is_one(const gp__request *q) { return q->primitive == GP_TOP_K && q->segments <= 1; }
GP__HOST void gp__add_top_k_kernel(
    gp__graph_plan *g, const gp__segmented_top_k_args *a, gp__kernel_kind kind, uint64_t items) {
  gp__graph_step *step = &g->steps[g->count++];
  step->request = -1;
  step->kind = kind;
  step->items = items;
  step->args.top_k = *a;
}
// Many results by an operator: a merge sort of all keys, a sort of each segment by the places that its keys have got
// (unless they are one row), and the first k.
GP__HOST gp_result gp__add_ordered_top_k(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const int bytes = gp__order_index_bytes(q);
  const gp_type index = bytes == 8 ? GP_U64 : GP_U32;
  const char *who = gp__primitive_names[q->primitive];
  gp_call c = gp_call_init(GP_MERGE_SORT);
  gp__segmented_top_k_args a;
  gp__fill_top_k_segments(q, &a);
  c.op = q->op;
  c.flags = q->flags & GP_DESCENDING;
  c.key_type = q->key_type;
  c.keys = q->keys;
  c.count = a.top.count;
  c.count_device = q->count_device;
  c.out_type = index;
  a.top.keys = c.out_keys = gp__take(g, c.count * q->key_size);
  a.top.from = c.out = gp__take(g, c.count * (unsigned)bytes);
  GP__CHECK(gp__add_call(s, who, g, &c));
  if (!gp__top_k_is_one(q)) {
    gp_call sort = gp_call_init(GP_SEGMENTED_SORT);
    a.lists = gp__take(g, c.count * (unsigned)bytes);
    gp__add_top_k_kernel(g, &a, GP__TOP_K_PLACES, c.count);
    sort.key_type = index;
    sort.keys = sort.out_keys = g->at ? a.lists : g; // the sort's room depends on whether it has an output
    sort.count = c.count;
    sort.segments = a.top.rows;
    sort.flags = q->flags & GP_CHECKED;
    sort.bad = q->bad;
    sort.offset_type = q->offset_type;
    sort.begin = q->begin;
    sort.end = q->end;
    if (!q->offset_size) sort.segment_length = a.length;
    GP__CHECK(gp__add_call(s, who, g, &sort));
  }
  gp__add_top_k_kernel(g, &a, GP__TOP_K_ORDER_CUT, a.top.rows * a.top.k);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__add_top_k(gp__state *s, const gp__request *q, gp__graph_plan *g);
// Values and indices: a top-k with indices, and the values that they lead to.
GP__HOST gp_result gp__add_top_k_of_both(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  gp__request indices = *q;
  gp__segmented_top_k_args a;
  indices.in = NULL;
  indices.in_type = GP_TYPE_DEFAULT;
  indices.out = q->out2;
  indices.out_type = q->out2_type;
  indices.in_struct = indices.out_struct = NULL;
  indices.out_size = q->out2_size;
  indices.in_size = indices.out2_size = 0;
  indices.composed = gp__has_many_ranks(q);
  GP__CHECK(gp__add_top_k(s, &indices, g));
  gp__fill_top_k_segments(q, &a);
  a.top.from = q->out2;
  a.index_bytes = (unsigned)q->out2_size;
  if (q->primitive == GP_TOP_K) {
    a.end = NULL;
    a.top.count_device = (const gp__u64 *)q->count_device;
  }
  gp__add_top_k_kernel(g, &a, GP__TOP_K_VALUES, a.top.rows * a.top.k);
  return GP_SUCCESS;
}
// Many results of segments: a sort, then the first k.
GP__HOST gp_result gp__add_top_k(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const int wide = q->count > UINT32_MAX;
  gp_call c = gp_call_init(GP_SEGMENTED_SORT);
  gp__segmented_top_k_args a;
  if (!q->composed) {
    gp__add_request(g, q);
    return GP_SUCCESS;
  }
  if (q->out2_size) return gp__add_top_k_of_both(s, q, g);
  if (q->op) return gp__add_ordered_top_k(s, q, g);
  gp__fill_top_k_segments(q, &a);
  c.key_type = q->key_type;
  c.keys = q->keys;
  c.count = q->count;
  c.flags = q->flags & (GP_DESCENDING | GP_CHECKED);
  c.bad = q->bad;
  c.offset_type = q->offset_type;
  c.begin = q->begin;
  c.end = q->end;
  c.segments = q->segments;
  if (!q->offset_size) c.segment_length = a.length;
  a.top.keys = c.out_keys = gp__take(g, c.count * q->key_size);
  if (q->out_size) { // indices
    c.out_type = wide ? GP_U64 : GP_U32;
    a.lists = c.out = gp__take(g, c.count * (wide ? 8 : 4));
  }
  GP__CHECK(gp__add_call(s, gp__primitive_names[q->primitive], g, &c));
  gp__add_top_k_kernel(g, &a, GP__TOP_K_CUT, q->segments * q->length);
  return GP_SUCCESS;
}
