// segments/geometry.h - launches of segmented reduce
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, expand/policy.h,
//   segments/policy.h, core/rows.h, core/geometry.h, core/family.h, segments/portable.h

// A tile is the segments that a block reads at once. With one vector a lane, the lanes of a segment hold one of mean
// length. The whole block reads a segment if a warp would need more loads than it has in flight.
GP__HOST void gp__geometry_warp_segments(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__u64 mean = s->segments ? gp__ceil_div(s->count, s->segments) : 0;
  const unsigned items = (unsigned)gp__vector_items(s->in_size);
  g->log2_lanes = s->segmented.by_ranges ? GP__RANGE_LOG2_LANES : 0;
  while (g->log2_lanes < 5 && (gp__segments_are_few(s) || (gp__u64)items << g->log2_lanes < mean)) ++g->log2_lanes;
  // Fewer lanes, each with several vectors in flight, rather than a second round.
  while (!gp__segments_are_few(s) && g->log2_lanes > (s->segmented.by_ranges ? GP__RANGE_LOG2_LANES : 0) &&
      gp__ceil_div(s->segments << g->log2_lanes, (unsigned)p.threads) > resident && p.vectors > 1 &&
      mean <= (gp__u64)(items * (unsigned)(p.vectors - 1)) << (g->log2_lanes - 1))
    --g->log2_lanes;
  if (mean > (gp__u64)(items * (unsigned)p.vectors) << 5) g->log2_lanes = GP__LOG2_BLOCK;
  if (s->reproducible) g->log2_lanes = GP__RANGE_LOG2_LANES;
  g->tile_items = g->log2_lanes < GP__LOG2_BLOCK ? (unsigned)p.threads >> g->log2_lanes : 1;
  g->tiles = gp__ceil_div(s->segments, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = 0;
}
// A tile is a chunk of each warp of a block. The total of ranges is unknown here: they get the whole grid.
GP__HOST void gp__geometry_segments(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  if (p.algorithm == GP_WARP_SEGMENTS) {
    gp__geometry_warp_segments(p, s, resident, g);
    return;
  }
  g->tile_items = (gp__u64)(p.threads * gp__segment_items(p, s));
  g->tiles = gp__ceil_div(s->count + s->segments, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident && !s->segmented.by_ranges ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = (unsigned)gp__segment_shared_bytes(p, s);
  if (s->primitive == GP_LOAD_BALANCE || s->primitive == GP_EXPAND) return;
  if (s->primitive == GP_RUN_LENGTH_EXPAND) { // a look-back over lengths, and the offsets of tiles
    g->words = gp__look_back_slots(gp__ceil_div(s->segments, (gp__u64)(p.threads * GP__EXPAND_LENGTHS)));
    g->scratch = (gp__ceil_div(s->segments, GP__EXPAND_RUNS) + 1) * 8;
    return;
  }
  g->share = gp__ceil_div(s->count + s->segments, g->grid * (gp__u64)(p.threads / GP__WARP));
  g->words = g->grid * (gp__u64)gp__segment_words(s->acc_size);
  if (s->segmented.by_ranges) { // scanned lengths, then words that the two launches use in turn
    const gp__u64 spans = gp__ceil_div(s->segments, (gp__u64)(p.threads * GP__SPAN_ITEMS));
    const gp__u64 look_back = gp__look_back_slots(spans);
    g->words = s->segments + 1 + (g->words > look_back ? g->words : look_back);
  }
}

static const gp__rules gp__rules_segments = {gp__policy_valid_segments, gp__measure_elements, gp__portable_segments,
    GP__ALWAYS_OVERLAPS, gp__geometry_segments, GP__POLICY_THREADS, GP__OWN_ALGORITHM, GP__ROWS_SERVE};
