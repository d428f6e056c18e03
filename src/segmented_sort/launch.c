// segmented_sort/launch.c - launches of segmented sort
// uses: api/lists.h, api/structs.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h,
//   segmented_sort/scratch.h, segmented_sort/arguments.h, core/system.c, core/request.c, core/launch.c

// Only the device knows the segments of each class. Grids are as large as they may need to be; blocks of an empty class
// exit at once.
GP__HOST gp_result gp__launch_segmented_sort(const gp__launching *l) {
  const gp__request *q = l->q;
  const int few = gp__has_few_segments(q->segments), last = few ? 1 : 3;
  const gp__segmented_sort_layout at = gp__lay_out_segmented_sort(*l->p, *l->h, few);
  const gp__u64 sms = (unsigned)l->h->multiprocessors, warps = (unsigned)l->p->threads / GP__WARP;
  const gp__u64 batches = gp__ceil_div(q->segments, (int)GP__WARP * (int)GP__SHORT_ROUNDS);
  const unsigned threads = (unsigned)l->p->threads, short_bytes = (unsigned)gp__short_shared_bytes(*l->p, *l->h);
  const int bits = q->end_bit - q->begin_bit;
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  gp__u64 blocks = gp__ceil_div(batches, warps);
  gp__segmented_sort_args a;
  int i;
  memset(&a, 0, sizeof a);
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
  a.header = (gp__sort_header *)(void *)scratch;
  for (i = 0; i < GP__MIDDLE_CLASSES; ++i) {
    a.list[i] = (gp__sort_span *)(void *)(scratch + at.list[i]);
    a.list_size[i] = at.list_size[i];
  }
  a.buckets = (gp__sort_bucket *)(void *)(scratch + at.buckets);
  a.group_counts = (gp__u64 *)(void *)(scratch + at.group_counts);
  a.tile_counts = (unsigned *)(void *)(scratch + at.tile_counts);
  a.other_keys = scratch + at.other_keys;
  a.other_values = scratch + at.other_values;
  a.queue_size = at.queue_size;
  a.bucket_size = at.bucket_size;
  a.tile_size = at.tile_size;
  a.group_size = at.group_size;
  a.flip = q->flags & GP_DESCENDING ? ~0ull : 0;
  a.mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
  a.low_bit = (unsigned)q->begin_bit;
  a.top_shift = (unsigned)(bits > GP__RADIX_BITS ? bits - GP__RADIX_BITS : 0);
  a.whole = bits == 8 * (int)q->key_size;
  a.few = few ? q->segments : 0;
  GP__CHECK(gp__launch_step(l, 0, 1, threads, 0, &a));
  if (blocks > 0x7fffffff) blocks = 0x7fffffff;
  if (!few) GP__CHECK(gp__launch_step(l, 1, (unsigned)blocks, threads, short_bytes, &a));
  if (!few && q->count > GP__SHORT && at.limit > GP__SHORT) {
    const gp__u64 most = gp__ceil_div(q->count, GP__SHORT + 1),
                  resident = sms * (unsigned)gp__max(l->kernels[2]->occupancy, 1);
    blocks = gp__ceil_div(most < q->segments ? most : q->segments, warps);
    GP__CHECK(gp__launch_step(l, 2, (unsigned)(blocks < resident ? blocks : resident), threads, short_bytes, &a));
  }
  if (few || q->count > at.limit) {
    const gp__u64 resident = sms * (unsigned)gp__max(l->kernels[last]->occupancy, 1);
    const gp__u64 most = few ? q->segments : q->count / (at.limit + 1);
    blocks = q->count > at.capacity ? 2 * gp__ceil_div(q->count, at.capacity) : at.queue_size;
    if (blocks < at.queue_size && most > blocks) blocks = most;
    return gp__launch_step(l, last, (unsigned)(blocks < resident ? blocks : resident),
        (unsigned)gp__long_threads_of(*l->p, *l->h), (unsigned)gp__long_shared_bytes(*l->p, *l->h), &a);
  }
  return GP_SUCCESS;
}
