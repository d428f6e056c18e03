// top_k/geometry.h - launches of top-k and nth element
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, sort/cooperative_policy.h,
//   segmented_sort/policy.h, top_k/policy.h, core/rows.h, core/geometry.h, core/family.h, top_k/portable.h,
//   sort/geometry.h

// Top-k and nth element. grid: the blocks of the first launch.
GP__HOST gp__u64 gp__rows_of(gp__form s) { return s->primitive == GP_TOP_K && s->segments ? s->segments : 1; }
// Blocks of a row: its share of the resident ones, or fewer if they had too little to do.
GP__HOST gp__u64 gp__blocks_of_row(gp_policy p, gp__form s, gp__u64 resident) {
  const gp__u64 rows = gp__rows_of(s), tiles = gp__ceil_div(s->count, gp__top_k_tile(p, s));
  const gp__u64 useful = p.algorithm == GP_BEST_LISTS && tiles <= 16 ? 1
      : p.algorithm == GP_SAMPLED_SELECT ? tiles
      : gp__ceil_div(tiles, 4);
  const gp__u64 there = rows < resident ? resident / rows : 1;
  return useful < 1 ? 1 : useful < there ? useful : there;
}
// Blocks of a row that merge the lists of `blocks` blocks: one, or about the root of their number.
GP__HOST gp__u64 gp__top_k_mergers(gp__u64 blocks, gp__u64 k) {
  return blocks * k <= GP__TOP_K_MERGED ? 1 : 1ull << (64 - __builtin_clzll(blocks)) / 2;
}
// Most keys of a row that radix select puts aside; scratch memory before them.
GP__HOST gp__u64 gp__select_room(gp_policy p, gp__form s) {
  return p.algorithm == GP_SAMPLED_SELECT ? gp__sampled_room(s) : s->count / 16 + 1024;
}
GP__HOST gp__u64 gp__select_bytes(gp_policy p, gp__form s) {
  return GP__SELECT_STATE_BYTES +
      (gp__u64)GP__SELECT_BINS * 8 *
      (unsigned)(gp__is_bounded(p.algorithm, s->primitive, s->out_size, s->count, s->top_k.results)
              ? 2 * gp__select_levels(s->key_size)
              : 1);
}
// Lanes that sort short segments hold GP__TOP_K_LANE ranks each: 64 registers are enough for ranks of 4 bytes, 128 for
// longer ones.
GP__HOST gp_policy gp__policy_of_short_top_k(gp_policy p, gp__form s) {
  p.threads = p.threads < 256 ? p.threads : 256;
  p.vectors = 1;
  p.load = p.store = GP_CACHE_ALL;
  p.blocks_per_sm =
      (s->top_k.order_bytes || gp__sort_item_bytes(s->key_size, s->out_size > 0) > 4 ? 512 : 1024) / p.threads;
  return p;
}
// One launch: bytes of the keys that move, before their values.
GP__HOST gp__u64 gp__top_k_moved(gp__form s) { return gp__ceil_div(s->count * (unsigned)s->key_size, 256) * 256; }
// Scratch memory of a top-k of segments. part: most keys of a task; direct: segments of one length, not cut.
typedef struct gp__segment_top_k_layout {
  gp__u64 part, task_room, list_room, tasks, arrived, lists, bytes;
  int direct;
} gp__segment_top_k_layout;
GP__HOST gp__u64 gp__segment_top_k_part(gp_policy p, gp__form s, gp__u64 resident) {
  gp__u64 part = gp__ceil_div(s->count, resident);
  if (part < 16 * gp__top_k_tile(p, s)) part = 16 * gp__top_k_tile(p, s);
  return part < 8 * s->top_k.results ? 8 * s->top_k.results : part;
}
GP__HOST gp__segment_top_k_layout gp__lay_out_segment_top_k(gp_policy p, gp__form s, gp__u64 part) {
  gp__segment_top_k_layout l;
  l.part = part;
  l.direct = !s->offset_size && (!s->segments || s->count / s->segments <= part);
  l.list_room = l.direct ? 0 : 2 * (s->count / part);
  l.task_room = s->count / (gp__top_k_most_of_warp(p, s) + 1);
  l.task_room = l.direct ? 0 : l.list_room + (l.task_room < s->segments ? l.task_room : s->segments);
  l.tasks = 256;
  l.arrived = l.tasks + gp__ceil_div(l.task_room * 16, 256) * 256;
  l.lists = l.arrived + gp__ceil_div(l.list_room * 4, 256) * 256;
  l.bytes = l.task_room ? l.lists + l.list_room * s->top_k.results * gp__rank_bytes(s) : 0;
  return l;
}
// Rows whose keys an operator orders are segments of one length.
GP__HOST gp__shape gp__rows_as_segments(gp__shape s) {
  if (s.primitive != GP_TOP_K) return s;
  s.segments = gp__rows_of(&s);
  s.count *= s.segments;
  s.primitive = GP_SEGMENTED_TOP_K;
  return s;
}
GP__HOST void gp__geometry_segment_top_k(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__segment_top_k_layout l = gp__lay_out_segment_top_k(p, s, gp__segment_top_k_part(p, s, resident));
  const gp__u64 most = l.direct ? 0x7fffffff : resident, works = l.direct ? s->segments : l.task_room;
  g->tile_items = gp__top_k_tile(p, s);
  g->tiles = gp__ceil_div(s->count, g->tile_items);
  g->share = l.part;
  g->shared_bytes = gp__top_k_shared_bytes(p, s);
  g->grid = (unsigned)(works < 1 ? 1 : works < most ? works : most);
  g->scratch = l.bytes;
}
GP__HOST void gp__geometry_top_k(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__u64 rows = gp__rows_of(s), blocks = gp__blocks_of_row(p, s, resident), works = rows * blocks;
  if (s->primitive == GP_SEGMENTED_TOP_K || s->top_k.order_bytes) {
    const gp__shape rows_of = gp__rows_as_segments(*s);
    gp__geometry_segment_top_k(p, &rows_of, resident, g);
    return;
  }
  if (gp__is_cooperative(p.algorithm)) {
    const gp__shape sort = gp__sorted_top_k(*s);
    gp__geometry_radix(p, &sort, resident, g);
    if (p.algorithm == GP_ONE_LAUNCH) g->scratch = gp__top_k_moved(s) + s->count * (unsigned)s->out_size;
    return;
  }
  g->tile_items = (gp__u64)(p.threads * p.vectors * gp__vector_items(s->key_size));
  g->tiles = gp__ceil_div(s->count, g->tile_items) * rows;
  g->share = blocks;
  g->shared_bytes = gp__top_k_shared_bytes(p, s);
  if (p.algorithm == GP_BEST_LISTS) {
    g->grid = (unsigned)(works < resident ? works : resident);
    if (blocks > 1)
      g->scratch = rows * (blocks + gp__top_k_mergers(blocks, s->top_k.results)) * s->top_k.results * gp__rank_bytes(s);
  } else {
    const gp__u64 collect = gp__look_back_slots(g->tiles) * 2;
    g->grid = (unsigned)works;
    g->words = rows;
    if (s->primitive == GP_TOP_K && g->words < collect) g->words = collect;
    g->scratch = rows * (gp__select_bytes(p, s) + gp__select_room(p, s) * (unsigned)s->key_size);
  }
}

static const gp__rules gp__rules_top_k = {gp__policy_valid_ranked, gp__measure_keys, gp__portable_top_k,
    GP__ALWAYS_OVERLAPS, gp__geometry_top_k, GP__POLICY_THREADS, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
