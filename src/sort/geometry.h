// sort/geometry.h - launches of sorts
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, sort/radix_policy.h,
//   sort/counting_policy.h, sort/cooperative_policy.h, core/rows.h, core/geometry.h, core/family.h, sort/portable.h,
//   histogram/geometry.h, sort/scratch.h

// Sorts and merges: tiles of the policy's block. Each step of a plan has its own geometry; this one gives the words and
// scratch memory of the call.
GP__HOST void gp__geometry_tiles(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  g->tile_items = (gp__u64)(p.threads * p.vectors * gp__vector_items(s->key_size));
  g->tiles = gp__ceil_div(s->count + s->count2, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = 0;
}
GP__HOST void gp__geometry_radix(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  gp__geometry_tiles(p, s, resident, g);
  if (gp__sweeps(p.algorithm)) {
    g->words = 1;
    g->scratch = p.algorithm == GP_LEADING_SWEEP ? gp__leading_plan_of(p, s).bytes : gp__radix_plan_of(p, s).bytes;
    g->shared_bytes = gp__radix_shared_bytes(p, s);
  }
  if ((p.algorithm == GP_HYBRID || p.algorithm == GP_ADAPTIVE)) {
    g->words = p.algorithm == GP_HYBRID || !gp__adaptive_is_cooperative(p, s)
        ? 1
        : gp__cooperative_words(gp__cooperative_blocks(gp__adaptive_cooperative(p, s), s));
    g->scratch = p.algorithm == GP_HYBRID ? gp__hybrid_plan_of(p, s).bytes : gp__adaptive_scratch(p, s);
  }
  if (gp__is_cooperative(p.algorithm)) {
    g->grid = gp__cooperative_blocks(p, s);
    g->shared_bytes = gp__cooperative_bytes(p, s);
    if (p.algorithm == GP_ONE_LAUNCH) {
      g->words = gp__cooperative_words(g->grid);
      g->scratch = s->sorted.drop_keys ? s->count * (unsigned)s->key_size : 0;
    }
  }
}
// The histogram's shape in a counting sort.
GP__HOST gp__shape gp__counting_histogram(gp__shape s) {
  gp__shape h = s;
  h.primitive = GP_HISTOGRAM_EVEN;
  h.in_size = s.key_size;
  h.in2_size = 0;
  h.out_size = 8;
  h.exact = 1;
  h.histogram.by_ranges = 0;
  h.histogram.channels = h.histogram.active = 1;
  h.histogram.bins = 1ull << 8 * s.key_size;
  return h;
}
GP__HOST gp_policy gp__counting_policy(gp_policy p, gp__form s) {
  p.algorithm = GP_SHARED_BINS;
  p.threads = gp__counting_threads(s->key_size);
  p.vectors = gp__counting_vectors(s->key_size);
  p.blocks_per_sm = gp__counting_blocks(s->key_size);
  return p;
}
// The launch of the histogram.
GP__HOST gp__geometry gp__counting_geometry(gp_policy p, gp__form s) {
  const gp_policy q = gp__counting_policy(p, s);
  const gp__shape h = gp__counting_histogram(*s);
  gp__geometry g;
  g.words = g.share = g.scratch = 0;
  g.log2_lanes = 0;
  gp__geometry_histogram(q, &h, (gp__u64)gp__max(s->multiprocessors, 1) * (unsigned)q.blocks_per_sm, &g);
  return g;
}
GP__HOST void gp__geometry_counting(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__u64 values = 1ull << 8 * s->key_size;
  const gp__u64 look_back = s->key_size == 1 ? 0 : gp__look_back_slots(GP__COUNTING_BLOCKS) * 2;
  const gp__geometry counting = gp__counting_geometry(p, s);
  g->tile_items = (gp__u64)(p.threads * gp__vector_items(s->key_size)); // a row for each warp
  g->tiles = gp__ceil_div(s->count + GP__VECTOR - 1, g->tile_items); // the first tile begins at a 16-byte boundary
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = 0;
  g->words = counting.words;
  if (g->words < look_back) g->words = look_back;
  g->scratch = values * 8;
  if (s->key_size > 1)
    g->scratch += values * 10 + gp__counting_rows(s, counting.grid) * (gp__u64)GP__COUNTING_ROW_BYTES + 8;
}
GP__HOST void gp__geometry_sort(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  if (p.algorithm == GP_COUNTING) gp__geometry_counting(p, s, resident, g);
  else gp__geometry_radix(p, s, resident, g);
}
// Between sweeps of many keys overlap costs more than launches do.
GP__HOST int gp__sort_overlaps(gp_policy p, gp__form s) { return !gp__sweeps(p.algorithm) || !(s->count >> 20); }

static const gp__rules gp__rules_sort = {gp__policy_valid_sort, gp__measure_keys, gp__portable_sort, gp__sort_overlaps,
    gp__geometry_sort, GP__POLICY_THREADS, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
