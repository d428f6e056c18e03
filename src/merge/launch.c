// merge/launch.c - launches of merges and merge sort
// uses: api/lists.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, merge/policy.h, core/geometry.h,
//   merge/geometry.h, merge/arguments.h, core/system.c, core/request.c, scan/kinds.c, core/launch.c

GP__HOST gp__merge_args gp__merge_arguments(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__merge_args a;
  memset(&a, 0, sizeof a);
  a.keys = q->keys;
  a.keys2 = q->keys2;
  a.values = q->in;
  a.values2 = q->in2;
  a.out_keys = q->out_keys;
  a.out_values = q->out;
  a.out_count = (gp__u64 *)q->out_count;
  a.count = q->count;
  a.count2 = q->count2;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  return a;
}
// Launches a four-way pass: finds where tiles begin, then merges them. The next pass has runs as long as this one's
// groups.
GP__HOST gp_result gp__launch_four_way(const gp__launching *l, gp__merge_args *a) {
  const gp__geometry *g = l->g;
  const gp__u64 most = 0x7fffffff, searching = gp__ceil_div(g->tiles * GP__FOUR_LANES, g->threads);
  if (a->borders)
    GP__CHECK(gp__launch_step(
        l, 1, (unsigned)(searching < most ? searching : most), g->threads, g->threads * (unsigned)l->h->key_size, a));
  GP__CHECK(gp__launch_step(l, 2, (unsigned)g->tiles, g->threads, g->shared_bytes, a));
  a->log2_run += a->log2_ways;
  a->log2_ways = 2;
  return GP_SUCCESS;
}
// Sorts tiles, then merges two or four runs a pass. Passes alternate between the output and scratch memory so that the
// last one writes the output. If the number of levels is odd, the first four-way pass merges two runs.
GP__HOST gp_result gp__launch_merge_sort(const gp__launching *l) {
  const gp__geometry *g = l->g;
  const gp__u64 tiles = g->tiles;
  const int four = l->p->algorithm == GP_FOUR_WAY_PASSES;
  gp__u64 run;
  unsigned left = 0; // levels, then passes
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__merge_args a = gp__merge_arguments(l);
  void *const keys[2] = {l->q->out_keys, scratch};
  void *const values[2] = {l->q->out, scratch ? scratch + gp__round_up(l->q->count * l->q->key_size, 256) : NULL};
  while ((tiles - 1) >> left) ++left;
  a.log2_ways = four ? 2 - left % 2 : 1;
  if (four) left = (left + 1) / 2;
  if (four && !gp__four_together(*l->p, l->h, tiles))
    a.borders = (gp__u64 *)(scratch + gp__merge_sort_borders_at(l->h));
  a.out_keys = keys[left & 1], a.out_values = l->q->out ? values[left & 1] : NULL;
  GP__CHECK(gp__launch_step(l, 0, (unsigned)gp__smaller(tiles, 0x7fffffffu), g->threads,
      (unsigned)gp__sort_tile_shared_bytes(*l->p, l->h), &a));
  for (run = g->tile_items; left--; run *= 2) {
    a.run = run;
    a.keys = a.out_keys, a.values = a.out_values;
    a.out_keys = keys[left & 1], a.out_values = l->q->out ? values[left & 1] : NULL;
    GP__CHECK(four ? gp__launch_four_way(l, &a) : gp__launch_step(l, 1, g->grid, g->threads, g->shared_bytes, &a));
  }
  return GP_SUCCESS;
}
// Sets with more tiles than resident blocks: a launch of its own finds all tiles' borders in parallel.
GP__HOST gp_result gp__launch_merge(const gp__launching *l) {
  const gp__geometry *g = l->g;
  gp__merge_args a = gp__merge_arguments(l);
  if (l->q->primitive == GP_MERGE_SORT) return gp__launch_merge_sort(l);
  if (gp__is_set(l->q->primitive) && l->p->algorithm != GP_PIPELINED && g->tiles > g->grid) {
    a.borders = (gp__u64 *)l->scratch;
    GP__CHECK(gp__launch_step(l, 0, (unsigned)gp__balanced_path_blocks(*l->p, g->tiles), g->threads, 0, &a));
  }
  return gp__launch_step(l, l->count - 1, g->grid, g->threads, g->shared_bytes, &a);
}
