// rows/geometry.h - launches on rows of strided arrays
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, rows/policy.h, core/rows.h,
//   core/geometry.h, core/family.h, rows/portable.h

// Blocks that share a row, or the length of a tile of columns: `units` of them, each `rounds` of work long. share:
// rounds of a block.
GP__HOST gp__u64 gp__row_parts(gp__u64 units, gp__u64 rounds, gp__u64 resident, gp__u64 *share) {
  const gp__u64 most = units ? resident / units : 1, parts = most < 1 ? 1 : most < rounds ? most : rounds;
  *share = parts ? gp__ceil_div(rounds, parts) : 0;
  return *share ? gp__ceil_div(rounds, *share) : 1;
}
// Elements of a lane of a tile of rows, of the lanes of a row: whole vectors, if rows are. Otherwise as many, and up to
// four more, as make lanes read different banks of shared memory: 128 bytes at a time.
GP__HOST unsigned gp__rows_chunk(int size, gp__u64 length, unsigned log2_lanes) {
  const unsigned items = (unsigned)gp__vector_items(size), word = (unsigned)gp__max(size, 4), banks = 128 / word;
  const unsigned least = (unsigned)gp__ceil_div(length, 1u << log2_lanes);
  unsigned best = least | 1, cost = ~0u, c, i;
  if (length % items == 0) return (unsigned)gp__ceil_div(length / items, 1u << log2_lanes) * items;
  for (c = least; c <= least + 4; ++c) {
    gp__u8 lanes[32] = {0};
    unsigned most = 0;
    for (i = 0; i < banks; ++i) {
      const unsigned at = (unsigned)(length * (i >> log2_lanes)) + c * (i & ((1u << log2_lanes) - 1));
      gp__u8 *n = &lanes[at * (unsigned)size / word % banks];
      if (++*n > most) most = *n;
    }
    if (most * c < cost) cost = most * c, best = c;
  }
  return best;
}
// tile_items: what a part of a row has, in windows, or in elements of columns and scans; or the rows of a tile.
// replicas: parts.
GP__HOST void gp__geometry_rows(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const int form = gp__rows_form(p, s), threads = p.threads, warps = threads / GP__WARP;
  gp__u64 units = s->segments, share = 0, results = 1;
  const unsigned chunk = (unsigned)(p.vectors * gp__vector_items(s->in_size)),
                 items = (unsigned)threads * chunk; // of a tile
  g->replicas = 1;
  if (form == GP__ROWS_TILE) { // as many rows as fit, and as leave a tile for each block
    gp__u64 groups, fit, most;
    while ((gp__u64)(chunk + chunk / 2) << g->log2_lanes < s->rows.length ||
        (g->log2_lanes < 5 && s->segments << g->log2_lanes < resident * (unsigned)threads &&
            s->rows.length >> g->log2_lanes > (unsigned)gp__vector_items(s->in_size))) // others have nothing to do
      ++g->log2_lanes;
    groups = (unsigned)threads >> g->log2_lanes;
    fit = s->rows.length ? items / s->rows.length : groups;
    most = s->segments / resident;
    if (fit > 0 && fit <= most) // all rounds have as many tiles
      g->tile_items = gp__ceil_div(s->segments, gp__ceil_div(gp__ceil_div(s->segments, fit), resident) * resident);
    else g->tile_items = fit < groups ? fit : most < groups ? groups : most / groups * groups;
    units = gp__ceil_div(s->segments, g->tile_items);
  } else if (form == GP__ROWS_LANES) {
    while ((gp__u64)(unsigned)p.vectors << g->log2_lanes < gp__row_windows(s->rows.length, s->in_size, 0))
      ++g->log2_lanes;
    units = gp__ceil_div(s->segments, (unsigned)threads >> g->log2_lanes);
  } else if (form == GP__ROWS_WARP) units = gp__ceil_div(s->segments, (unsigned)warps);
  else if (form == GP__ROWS_BLOCK) {
    const unsigned round = (unsigned)(threads * p.vectors);
    share = 1;
    if (p.algorithm == GP_LOOK_BACK) { // a tile of single elements has an odd number
      g->tile_items = items - (s->rows.length % (unsigned)gp__vector_items(s->in_size) != 0);
      g->replicas = (unsigned)gp__ceil_div(s->rows.length, g->tile_items);
    } else if (p.algorithm == GP_EVEN_SHARE)
      g->replicas = (unsigned)gp__row_parts(
          units, gp__ceil_div(gp__row_windows(s->rows.length, s->in_size, 1), round), resident, &share);
    if (p.algorithm != GP_LOOK_BACK) g->tile_items = share * round;
  } else {
    const gp__u64 columns = s->rows.columns;
    const int scan = p.algorithm == GP_LOOK_BACK;
    const unsigned wide = scan ? 1 : (unsigned)gp__column_items(s->in_size, s->acc_size); // columns of a lane
    const unsigned each = scan ? (unsigned)gp__column_chunk(p.vectors, s->in_size) : 1; // elements of a slot
    const unsigned lanes = scan ? gp__rows_line(s->in_size) : (unsigned)GP__WARP;
    unsigned round;
    // Lanes across the rows, or more if rows are so short that others had nothing to do.
    while (1 << (g->log2_lanes + 1) <= threads && (gp__u64)wide << g->log2_lanes < columns &&
        (1u << g->log2_lanes < lanes ||
            (((unsigned)threads >> g->log2_lanes) - !scan) * each >= s->rows.length * (scan + 1)))
      ++g->log2_lanes;
    round = ((unsigned)threads >> g->log2_lanes) * (scan ? each : (unsigned)p.vectors);
    results = (gp__u64)wide << g->log2_lanes;
    units = s->segments / columns * gp__ceil_div(columns, results);
    g->replicas = (unsigned)gp__row_parts(units, gp__ceil_div(s->rows.length, round), resident, &share);
    if (scan && g->replicas > 1) // a block has one tile of each column
      g->replicas = (unsigned)gp__ceil_div(s->rows.length, round), share = 1;
    g->tile_items = share * round;
  }
  g->tiles = units * g->replicas;
  g->grid = (unsigned)(g->replicas > 1 || g->tiles < resident ? g->tiles : resident);
  if (g->replicas > 1 && p.algorithm == GP_LOOK_BACK)
    g->words = units * results *
        (form == GP__ROWS_COLUMNS ? gp__columns_look_back_slots(g->replicas, (unsigned)threads >> g->log2_lanes)
            : gp__look_back_slots(g->replicas)) *
        (unsigned)gp__acc_words(s->acc_size);
  else if (g->replicas > 1) g->words = g->tiles * results * (unsigned)gp__acc_words(s->acc_size);
  if (s->primitive == GP_ROW_MAP && p.algorithm == GP_EVEN_SHARE) g->scratch = s->segments * (unsigned)s->acc_size;
}

static const gp__rules gp__rules_rows = {gp__policy_valid_rows, gp__measure_elements, gp__portable_rows,
    GP__ALWAYS_OVERLAPS, gp__geometry_rows, GP__POLICY_THREADS, GP__OWN_ALGORITHM, GP__ROWS_SERVE};
