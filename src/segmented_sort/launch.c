// segmented_sort/launch.c - launches of segmented sort
// uses: api/lists.h, api/structs.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h,
//   segmented_sort/arguments.h, segmented_sort/scratch.h, core/system.c, core/request.c, core/launch.c

// The device knows the segments of each class. Grids are as large as they may need to be; other blocks exit at once.
GP__HOST gp_result gp__launch_segmented_sort(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__u64 warps = (unsigned)l->p->threads / GP__WARP;
  const unsigned threads = (unsigned)l->p->threads, short_bytes = (unsigned)gp__short_shared_bytes(*l->p, l->h);
  const int bits = q->end_bit - q->begin_bit;
  gp__u64 blocks = gp__ceil_div(q->segments, warps * (int)GP__WARP * (int)GP__SHORT_ROUNDS);
  gp__segmented_sort_args a;
  int step = 0;
  gp__lay_out_segmented_sort(*l->p, l->h, l->scratch, &a);
  a.few = a.launches & GP__SORT_LISTS ? 0 : q->segments;
  a.keys = q->keys;
  a.length = q->count / q->segments;
  a.values = q->in_segments ? (const void *)(uintptr_t)a.length : q->in;
  a.out_keys = q->out_keys;
  a.out_values = q->out;
  a.begin = q->begin;
  a.end = q->end;
  a.count = q->count;
  a.segments = q->segments;
  a.bad = (const gp__u64 *)q->bad;
  a.workspace = l->workspace;
  a.flip = q->flags & GP_DESCENDING ? ~0ull : 0;
  a.mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
  a.low_bit = (unsigned)q->begin_bit;
  a.top_shift = (unsigned)(bits > GP__RADIX_BITS ? bits - GP__RADIX_BITS : 0);
  a.whole = bits == 8 * (int)q->key_size;
  if (a.header) GP__CHECK(gp__launch_step(l, step++, 1, threads, 0, &a));
  if (a.launches & GP__SORT_LISTS)
    GP__CHECK(gp__launch_step(l, step++, (unsigned)gp__smaller(blocks, 0x7fffffff), threads, short_bytes, &a));
  if (a.launches & GP__SORT_BY_WARPS) {
    blocks = gp__ceil_div(gp__smaller(q->count / GP__SHORT, q->segments), warps);
    GP__CHECK(gp__launch_step(l, step, gp__grid_of_step(l, step, 0, blocks), threads, short_bytes, &a));
    ++step;
  }
  if (!(a.launches & GP__SORT_BY_BLOCKS)) return GP_SUCCESS;
  blocks = a.few ? a.few : q->count / (a.limit + 1);
  if (blocks < a.tile_size) blocks = a.tile_size;
  return gp__launch_step(l, step, gp__grid_of_step(l, step, 0, blocks), (unsigned)gp__long_threads_of(*l->p, l->h),
      (unsigned)gp__long_shared_bytes(*l->p, l->h), &a);
}
