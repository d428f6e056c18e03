// sort/launch.c - launches of sorts
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, core/words.h, core/rules.h,
//   core/shape.h, sort/hybrid_policy.h, sort/radix_policy.h, sort/choice_policy.h, core/geometry.h, sort/scratch.h,
//   map/arguments.h, sort/arguments.h, layouts/arguments.h, sort/hybrid_arguments.h, core/system.c, core/driver.c,
//   core/libraries.c, core/request.c, core/kinds.c, core/load.c, core/launch.c

GP__HOST gp__radix_args gp__radix_arguments(const gp__launching *l, const gp__radix_plan *plan, gp__u8 *scratch) {
  const gp__request *q = l->q;
  const gp__radix_plan r = *plan;
  gp__radix_args a;
  memset(&a, 0, sizeof a);
  a.keys = q->keys;
  a.in = r.large ? NULL : q->in;
  a.out_keys = l->h->sorted.drop_keys ? scratch + r.keys : q->out_keys;
  a.out = r.large ? scratch + r.index : q->out;
  a.other_keys = scratch + r.other_keys;
  a.other = scratch + r.other;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  a.counts = (gp__u64 *)(scratch + r.counts);
  a.tickets = (gp__u64 *)(scratch + r.tickets);
  a.steps = (unsigned *)(scratch + r.steps);
  a.words = scratch + r.words;
  a.clear = r.clear;
  a.passes = r.passes;
  a.begin_bit = q->begin_bit;
  a.end_bit = q->end_bit;
  a.in_place = q->keys == a.out_keys || (a.in && a.in == a.out);
  a.capacity = UINT32_MAX;
  a.paired = gp__is_paired(l->p->algorithm, l->h->in_size) && ((uintptr_t)a.out_keys | (uintptr_t)a.out) % 8 == 0;
  a.flip = q->flags & GP_DESCENDING ? ~0u : 0;
  a.drop_keys = l->h->sorted.drop_keys;
  return a;
}
// Launches the histogram and the passes. Sorts in place, or without passes, have one more launch, which may copy.
GP__HOST gp_result gp__launch_passes(const gp__launching *l, uint64_t tiles, gp__radix_args a) {
  const gp__geometry counting = gp__geometry_of_kind(*l->p, l->h, GP__RADIX_HISTOGRAM);
  unsigned grid = gp__grid_of_step(l, 0, 0, gp__ceil_div(a.count, GP__RADIX_HISTOGRAM_THREADS));
  int bit = a.begin_bit;
  GP__CHECK(gp__launch_step(l, 0, grid, counting.threads, counting.shared_bytes, &a));
  grid = gp__grid_of_step(l, 1, l->p->blocks_per_sm, tiles);
  for (; a.pass < a.passes + (a.in_place || !a.passes); ++a.pass) {
    gp__radix_digit_of(&a, &bit);
    GP__CHECK(gp__launch_step(l, 1, grid, l->g->threads, l->g->shared_bytes, &a));
  }
  return GP_SUCCESS;
}
// Launches a radix sort. Large values are gathered last.
GP__HOST gp_result gp__launch_sweeps(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__radix_plan r = gp__radix_plan_of(*l->p, l->h);
  gp__u8 *scratch = (gp__u8 *)l->scratch;
  const gp__radix_args a = gp__radix_arguments(l, &r, scratch);
  GP__CHECK(gp__launch_passes(l, r.tiles, a));
  if (r.large) {
    gp__gather_args gather;
    memset(&gather, 0, sizeof gather);
    gather.in = q->in;
    gather.index = a.out;
    gather.out = q->in == q->out ? scratch + r.moved : q->out;
    gather.count = q->count;
    gather.count_device = a.count_device;
    GP__CHECK(gp__launch_step(
        l, 2, gp__grid_of_step(l, 2, 0, gp__ceil_div(q->count, l->g->threads)), l->g->threads, 0, &gather));
    if (q->in == q->out) {
      gp__map_args copy;
      memset(&copy, 0, sizeof copy);
      copy.in = gather.out;
      copy.out = q->out;
      copy.count = q->count;
      copy.count_device = a.count_device;
      return gp__launch_step(l, 3, gp__grid_of_step(l, 3, 0, gp__ceil_div(q->count * q->in_size, 16 * l->g->threads)),
          l->g->threads, 0, &copy);
    }
  }
  return GP_SUCCESS;
}
// All keys in one block.
GP__HOST gp_result gp__launch_one_block_sort(const gp__launching *l) {
  const gp__geometry g = gp__geometry_of_kind(*l->p, l->h, GP__SORT_ONE_BLOCK);
  gp__hybrid_args a;
  memset(&a, 0, sizeof a);
  a.in = l->q->keys;
  a.out = l->q->out_keys;
  a.count = l->q->count;
  a.count_device = (const gp__u64 *)l->q->count_device;
  return gp__launch_step(l, 0, 1, g.threads, g.shared_bytes, &a);
}
// Launches all passes at once; blocks wait for each other. They move elements within the output.
GP__HOST gp_result gp__launch_passes_at_once(const gp__launching *l, gp__radix_args a) {
  a.passes = gp__max(gp__radix_passes(a.begin_bit, a.end_bit), 1);
  if (l->g->grid > 1 && l->p->algorithm == GP_ONE_CLUSTER) return gp__launch_clusters(l, l->g->grid, NULL, &a);
  return gp__launch_resident(l, &a);
}
GP__HOST gp__radix_args gp__within_output(gp__radix_args a) {
  a.other_keys = a.out_keys;
  a.other = a.out;
  return a;
}
GP__HOST gp_result gp__launch_cooperative(const gp__launching *l) {
  gp__radix_plan none;
  memset(&none, 0, sizeof none);
  return gp__launch_passes_at_once(l, gp__within_output(gp__radix_arguments(l, &none, (gp__u8 *)l->scratch)));
}
GP__HOST gp__hybrid_args gp__hybrid_arguments(const gp__launching *l, const gp__hybrid_plan *plan, gp__u8 *scratch) {
  const gp__request *q = l->q;
  const gp__hybrid_plan r = *plan;
  gp__hybrid_args a;
  memset(&a, 0, sizeof a);
  a.in = q->keys;
  a.out = q->out_keys;
  a.values = q->in;
  a.out_values = q->out;
  a.drop_keys = l->h->sorted.drop_keys;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  a.spare = scratch + r.spare;
  a.spare_values = scratch + r.spare_values;
  if (a.drop_keys) a.out = scratch + r.keys;
  a.list = (gp__u64 *)(scratch + r.list);
  a.parts = scratch + r.parts;
  a.next_parts = scratch + r.next_parts;
  a.bins = (gp__u64 *)(scratch + r.bins);
  a.next_bins = (gp__u64 *)(scratch + r.next_bins);
  a.items = scratch + r.items;
  a.capacity = (unsigned)r.capacity;
  a.levels = gp__hybrid_levels(l->h->key_size);
  return a;
}
// Launches a hybrid sort, with the kernels from `first` on: count and move of each level that uniform keys need, one
// launch for all other levels, then the buckets.
GP__HOST gp_result gp__launch_levels(const gp__launching *l, int first, gp__hybrid_args a) {
  const gp__hybrid_plan r = gp__hybrid_plan_of(*l->p, l->h);
  gp__geometry steps[4];
  unsigned grid[4];
  int i;
  for (i = 0; i < 4; ++i) {
    steps[i] = gp__geometry_of_kind(*l->p, l->h, (gp__kernel_kind)(GP__HYBRID_COUNT + i));
    grid[i] = gp__grid_of_step(l, first + i, 0, i == 2 ? l->q->count / 64 + 1 : r.tiles);
  }
  if (l->h->in_size) { // count and move deal tiles alike; there is room for the pieces of r.blocks
    const unsigned least = grid[0] < grid[1] ? grid[0] : grid[1];
    grid[0] = grid[1] = least < r.blocks ? least : (unsigned)r.blocks;
    if (grid[3] > r.blocks) grid[3] = (unsigned)r.blocks;
  }
  for (; a.level < r.even_levels; ++a.level)
    for (i = 0; i < 2; ++i)
      GP__CHECK(gp__launch_step(l, first + i, grid[i], steps[i].threads, steps[i].shared_bytes, &a));
  if (a.level < a.levels)
    GP__CHECK(gp__launch_step(l, first + 3, grid[3], steps[3].threads, steps[3].shared_bytes, &a));
  return gp__launch_step(l, first + 2, grid[2], steps[2].threads, steps[2].shared_bytes, &a);
}
// Begins with the second level: each digit's keys are a part that the first one would have left. There are so many keys
// that every digit may be a part. Takes the list and the parts from q->staged.
GP__HOST gp_result gp__begin_with_digits(const gp__launching *l, const gp__hybrid_plan *r, gp__hybrid_args *a) {
  const struct gp_driver *d = &l->s->library.runtime.driver;
  const gp__request *q = l->q;
  const int size = l->h->key_size, width = 8 * (size - 1), wide = q->in_size ? width + GP__HYBRID_PLACE_BITS - 64 : 0;
  gp__u64 *list = (gp__u64 *)(void *)*q->staged, tiles = 0, digit;
  gp__hybrid_part *parts = (gp__hybrid_part *)(void *)(list + GP__HYBRID_LIST), *p = parts;
  int error;
  memset(list, 0, GP__HYBRID_LIST * sizeof *list);
  for (digit = 0; digit < GP__DIGITS; ++digit) {
    const gp__u64 from = q->starts_from, end = q->starts[digit + 1] < from ? 0 : q->starts[digit + 1] - from;
    const gp__u64 begin = q->starts[digit] < from ? 0 : q->starts[digit] - from, last = end < q->count ? end : q->count;
    int need, levels;
    if (begin >= last) continue;
    memset(p, 0, sizeof *p); // GP__FROM_IN, GP__PART_MOVES
    p->begin = begin;
    p->end = last;
    need = gp__max(gp__bits_of_buckets(p->end - p->begin, gp__hybrid_fit(a->capacity)), wide);
    levels = (need + 7) / 8;
    p->bits = levels && levels < size - 1 ? gp__max((need + levels - 1) / levels, 4) : 8;
    p->shift = width - p->bits;
    p->low = digit << width;
    p->least = ~0ull;
    p->first_tile = (unsigned)tiles;
    p->tiles = (unsigned)gp__ceil_div(
        ((uintptr_t)a->in / (unsigned)size + p->begin) % (16u / (unsigned)size) + p->end - p->begin, (unsigned)r->tile);
    p->depth = 1;
    p->hot = 256;
    tiles += p++->tiles;
  }
  list[a->level = 1] = tiles << 32 | (gp__u64)(p - parts);
  *q->staged = (gp__u8 *)p;
  error = d->cuMemcpyAsync(
      (gp__cu_pointer)(uintptr_t)a->list, (gp__cu_pointer)(uintptr_t)list, GP__HYBRID_LIST * sizeof *list, l->stream);
  if (!error)
    error = d->cuMemcpyAsync((gp__cu_pointer)(uintptr_t)a->next_parts, (gp__cu_pointer)(uintptr_t)parts,
        (size_t)(p - parts) * sizeof *p, l->stream);
  if (!error && !q->in_size)
    error =
        d->cuMemsetD8Async((gp__cu_pointer)(uintptr_t)a->next_bins, 0, (size_t)(p - parts) * GP__DIGITS * 8, l->stream);
  return error ? gp__cuda_fail(&l->s->library.runtime, l->who, "cuMemcpyAsync", error) : GP_SUCCESS;
}
GP__HOST gp_result gp__launch_hybrid(const gp__launching *l) {
  const gp__hybrid_plan r = gp__hybrid_plan_of(*l->p, l->h);
  gp__hybrid_args a = gp__hybrid_arguments(l, &r, (gp__u8 *)l->scratch);
  if (l->q->starts) GP__CHECK(gp__begin_with_digits(l, &r, &a));
  return gp__launch_levels(l, 0, a);
}
// A sample of the keys chooses the sort; if uniform keys need one level, the hybrid sort's first count does. Kernels of
// the other sort exit at once.
GP__HOST gp_result gp__launch_adaptive(const gp__launching *l) {
  const gp_policy sweep = gp__adaptive_sweep(*l->p, l->h), hybrid = gp__adaptive_hybrid(*l->p);
  const gp__geometry sampling = gp__geometry_of_kind(*l->p, l->h, GP__SORT_SAMPLE);
  const gp__geometry counting = gp__geometry_of_kind(sweep, l->h, GP__RADIX_HISTOGRAM);
  const gp__geometry passes = gp__geometry_of_kind(sweep, l->h, GP__RADIX_SWEEPS);
  const gp__radix_plan r = gp__radix_plan_of(sweep, l->h);
  const gp__hybrid_plan levels = gp__hybrid_plan_of(hybrid, l->h);
  gp__u8 *scratch = (gp__u8 *)l->scratch + GP__CHOICE_BYTES;
  gp__launching of_hybrid = *l;
  gp__radix_args radix = gp__radix_arguments(l, &r, scratch);
  gp__hybrid_args a = gp__hybrid_arguments(l, &levels, scratch);
  const int samples = gp__adaptive_samples(*l->p, l->h);
  gp_result result;
  of_hybrid.p = &hybrid;
  radix.choice = a.choice = (gp__u64 *)l->scratch;
  radix.mask = GP__DIGITS - 1;
  if (samples && (!l->h->in_size || l->h->key_size > 4)) a.sample = gp__sample_size(l->q->count, a.capacity);
  if (samples) a.duplicate_sample = GP__DUPLICATE_SAMPLE;
  if (samples && !l->h->in_size && l->h->key_size > 4 && !(l->q->count >> 23)) // comparing costs takes too long
    a.sample = 1, a.duplicate_sample = GP__DUPLICATE_SAMPLE / 2;
  GP__CHECK(samples ? gp__launch_step(l, 0, 1, sampling.threads, sampling.shared_bytes, &a)
      : gp__launch_levels(&of_hybrid, 3, a));
  if (gp__adaptive_is_cooperative(*l->p, l->h)) {
    const gp_policy by_cooperative = gp__adaptive_cooperative(*l->p, l->h);
    const gp__geometry g = gp__geometry_of_kind(by_cooperative, l->h, GP__SORT_ONE_LAUNCH);
    gp__launching cooperative = *l;
    gp__radix_args within = gp__within_output(radix);
    cooperative.p = &by_cooperative;
    cooperative.g = &g;
    cooperative.kernels = l->kernels + 7;
    result = gp__launch_resident(&cooperative, &within);
    if (result != (gp_result)GP__REFUSED) return result;
    gp__log(&l->s->library.runtime, GP_LOG_WARNING,
        "%s: the device refused a cooperative launch: falling back to one-sweep", l->who);
  }
  GP__CHECK(gp__launch_step(l, 1, gp__grid_of_step(l, 1, 0, gp__ceil_div(l->q->count, GP__RADIX_HISTOGRAM_THREADS)),
      counting.threads, counting.shared_bytes, &radix));
  GP__CHECK(gp__launch_step(
      l, 2, gp__grid_of_step(l, 2, sweep.blocks_per_sm, r.tiles), passes.threads, passes.shared_bytes, &radix));
  return samples ? gp__launch_levels(&of_hybrid, 3, a) : GP_SUCCESS;
}
// The digit counts choose between a sweep of the leading bits with buckets, and one of all bits. If a bucket is too
// large after all, another sweep sorts by all bits from the input. Sorts in place have no second buffer, and some
// outputs are not aligned for pairs: these sort by all bits.
GP__HOST gp_result gp__launch_leading_sweep(const gp__launching *l) {
  const gp__leading_plan r = gp__leading_plan_of(*l->p, l->h);
  const gp__geometry counting = gp__geometry_of_kind(*l->p, l->h, GP__RADIX_HISTOGRAM);
  const gp__geometry sorting = gp__geometry_of_kind(*l->p, l->h, GP__LEADING_SORT);
  gp__u8 *scratch = (gp__u8 *)l->scratch, *again = scratch + r.again;
  const unsigned threads = l->g->threads, buckets = 1u << r.bits;
  gp__radix_args sweep = gp__radix_arguments(l, &r.sweep, scratch + r.of_sweep);
  gp__hybrid_args a;
  if (!r.bits || (l->h->in_size == 4 && !sweep.paired) || sweep.in_place)
    return gp__launch_passes(l, r.sweep.tiles, sweep);
  sweep.leads = (gp__u64 *)scratch;
  sweep.capacity = gp__leading_capacity();
  sweep.leading = r.bits;
  memset(&a, 0, sizeof a);
  a.out = sweep.out_keys;
  a.out_values = sweep.out;
  a.drop_keys = sweep.drop_keys;
  a.spare = sweep.other_keys;
  a.spare_values = sweep.other;
  a.bins = sweep.counts + 3 * GP__DIGITS;
  a.items = scratch + r.starts;
  a.choice = sweep.leads;
  a.count = sweep.count;
  a.count_device = sweep.count_device;
  a.capacity = sweep.capacity;
  a.leading = r.bits;
  GP__CHECK(gp__launch_passes(l, r.sweep.tiles, sweep));
  GP__CHECK(gp__launch_step(l, 2, (unsigned)gp__ceil_div(buckets + 1, threads - 1), threads, 0, &a));
  GP__CHECK(gp__launch_step(l, 3, gp__grid_of_step(l, 3, 0, buckets), sorting.threads, sorting.shared_bytes, &a));
  sweep.choice = sweep.leads;
  sweep.leads = NULL;
  sweep.mask = GP__DIGITS - 1;
  sweep.counts = (gp__u64 *)(again + r.sweep.counts);
  sweep.tickets = (gp__u64 *)(again + r.sweep.tickets);
  sweep.steps = (unsigned *)(again + r.sweep.steps);
  sweep.words = again + r.sweep.words;
  GP__CHECK(gp__launch_step(l, 0, gp__grid_of_step(l, 0, 0, gp__ceil_div(a.count, GP__RADIX_HISTOGRAM_THREADS)),
      counting.threads, counting.shared_bytes, &sweep));
  return gp__launch_step(
      l, 4, gp__grid_of_step(l, 4, l->p->blocks_per_sm, r.sweep.tiles), threads, l->g->shared_bytes, &sweep);
}
