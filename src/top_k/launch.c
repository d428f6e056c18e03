// top_k/launch.c - launches of top-k and radix select
// uses: api/config.h, api/lists.h, core/rules.h, core/shape.h, top_k/policy.h, top_k/geometry.h, top_k/arguments.h,
//   core/system.c, core/request.c, core/load.c, core/launch.c

GPUPRIMS__PRIVATE void gp__fill_top_k(const gp__request *q, gp__top_k_args *a) {
  a->keys = q->keys;
  a->in = q->in;
  a->out_keys = q->out_keys;
  a->out = q->out;
  a->count = q->count;
}
GPUPRIMS__PRIVATE gp_result gp__launch_lists(const gp__launching *l, gp__top_k_args *a) {
  const gp__shape *h = l->h;
  const unsigned long long rank = gp__rank_bytes(*h), rows = a->rows, mergers = gp__top_k_mergers(a->blocks * a->k);
  unsigned char *lists = (unsigned char *)l->scratch, *fewer = lists + rows * a->blocks * a->k * rank;
  int occupancy;
  if (a->blocks > 1) GPUPRIMS__CHECK(gp__fit_kernel(l->s, l->who, l->kernels[1], l->g, &occupancy));
  a->capacity = gp__top_k_capacity(*l->p, *h);
  a->jump = gp__top_k_jump(gp__ceil_div(a->count, l->g->tile_items));
  a->to = a->blocks > 1 ? lists : NULL;
  GPUPRIMS__CHECK(gp__launch_step(l, 0, l->g->grid, l->g->threads, l->g->shared_bytes, a));
  while (a->to) { // lists of all blocks, then of fewer, then the result
    a->from = a->to;
    a->ranks = a->blocks * a->k;
    a->blocks = a->blocks > mergers ? mergers : 1;
    a->to = a->blocks > 1 ? fewer : NULL;
    GPUPRIMS__CHECK(gp__launch_step(l, 1, (unsigned)(rows * a->blocks < 0x7fffffff ? rows * a->blocks : 0x7fffffff),
                                    l->g->threads, l->g->shared_bytes, a));
  }
  return GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__launch_select(const gp__launching *l, gp__top_k_args *a) {
  const gp__request *q = l->q;
  unsigned char *scratch = (unsigned char *)l->scratch;
  a->states = scratch;
  a->bins = scratch + a->rows * GP__SELECT_STATE_BYTES;
  a->aside = scratch + a->rows * (GP__SELECT_STATE_BYTES + GP__SELECT_BINS * 8);
  a->room = gp__select_room(*l->h);
  a->nth = q->primitive == GP_NTH_ELEMENT;
  GPUPRIMS__CHECK(gp__launch_step(l, 0, l->g->grid, l->g->threads, 0, a));
  for (a->level = 1; a->level * GP__SELECT_BITS < 8 * (int)q->key_size; ++a->level)
    GPUPRIMS__CHECK(gp__launch_step(l, 1, l->g->grid, l->g->threads, l->g->shared_bytes, a));
  if (a->nth) return GP_SUCCESS;
  return gp__launch_step(l, 2, gp__grid_of_step(l, 2, l->p->blocks_per_sm, l->g->tiles), l->g->threads, 0, a);
}
GPUPRIMS__PRIVATE gp_result gp__launch_top_k(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__top_k_args a;
  memset(&a, 0, sizeof a);
  gp__fill_top_k(q, &a);
  a.count_device = (const unsigned long long *)q->count_device;
  a.rows = gp__rows_of(*l->h);
  a.k = q->primitive == GP_NTH_ELEMENT ? q->length + 1 : q->length;
  a.blocks = l->g->share;
  a.workspace = l->workspace;
  return l->p->algorithm == GP_BEST_LISTS ? gp__launch_lists(l, &a) : gp__launch_select(l, &a);
}

GPUPRIMS__PRIVATE gp_result gp__launch_segmented_top_k(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__segment_top_k_layout at = gp__lay_out_segment_top_k(*l->h, l->g->share);
  const unsigned threads = l->g->threads, sorting = (unsigned)gp__policy_of_short_top_k(*l->p, *l->h).threads;
  const unsigned long long length = q->count / q->segments;
  unsigned char *scratch = (unsigned char *)l->scratch;
  gp__segmented_top_k_args a;
  memset(&a, 0, sizeof a);
  gp__fill_top_k(q, &a.top);
  a.top.rows = q->segments;
  a.top.k = q->length;
  a.top.capacity = gp__segment_top_k_capacity(*l->p, *l->h);
  a.begin = q->begin;
  a.end = q->end;
  a.ks = (const unsigned *)q->in2;
  a.bad = (const unsigned long long *)q->bad;
  a.length = length;
  a.part = at.part;
  a.offset_bytes = (unsigned)q->offset_size;
  if (at.task_room) {
    a.header = (gp__top_k_header *)(void *)scratch;
    a.tasks = (gp__top_k_task *)(void *)(scratch + at.tasks);
    a.arrived = (unsigned *)(void *)(scratch + at.arrived);
    a.lists = scratch + at.lists;
    a.task_room = at.task_room;
    a.list_room = at.list_room;
    GPUPRIMS__CHECK(gp__launch_step(l, 1, 1, threads, 0, &a));
  }
  if (!at.direct || length <= GP__TOP_K_BY_LANES) {
    const unsigned most = gp__grid_of_step(l, 2, 0, UINT64_MAX);
    const unsigned warps = sorting / GP__WARP;
    const uint64_t each = q->segments / (most * (uint64_t)warps);
    a.batch = each < 1 ? 1 : each < 32 ? (unsigned)each : 32;
    GPUPRIMS__CHECK(
        gp__launch_step(l, 2, gp__grid_of_step(l, 2, 0, gp__ceil_div(q->segments, a.batch * warps)), sorting, 0, &a));
  }
  if (at.direct ? length <= GP__TOP_K_BY_LANES : !at.task_room) return GP_SUCCESS;
  return gp__launch_step(l, 0, l->g->grid, threads, l->g->shared_bytes, &a);
}
