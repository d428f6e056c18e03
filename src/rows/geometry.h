// rows/geometry.h - launches on rows of strided arrays
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h, rows/policy.h, core/rows.h,
//   core/geometry.h, core/family.h, rows/portable.h

// Blocks that share a row, or the length of a tile of columns: `units` of them, each `rounds` of work long. share:
// rounds of a block.
GPUPRIMS__PRIVATE unsigned long long gp__row_parts(unsigned long long units, unsigned long long rounds,
                                                   unsigned long long resident, unsigned long long *share) {
  const unsigned long long most = units ? resident / units : 1, parts = most < 1 ? 1 : most < rounds ? most : rounds;
  *share = parts ? gp__ceil_div(rounds, parts) : 0;
  return *share ? gp__ceil_div(rounds, *share) : 1;
}
// tile_items: what a part of a row has, in windows, or in elements of columns. replicas: parts.
GPUPRIMS__PRIVATE void gp__geometry_rows(gp_policy p, gp__shape s, unsigned long long resident, gp__geometry *g) {
  const int form = gp__rows_form(p, s), threads = p.threads, warps = threads / GP__WARP;
  const unsigned long long windows = gp__row_windows(s.rows.length, s.in_size, s.rows.shifted);
  unsigned long long units = s.segments, share = 0, results = 1;
  g->replicas = 1;
  if (form == GP__ROWS_LANES) {
    while (1ull << g->log2_lanes < windows) ++g->log2_lanes;
    units = gp__ceil_div(s.segments, (unsigned long long)(threads >> g->log2_lanes) * (unsigned)p.vectors);
  } else if (form == GP__ROWS_WARP) units = gp__ceil_div(s.segments, (unsigned)warps);
  else if (form == GP__ROWS_BLOCK) {
    const unsigned round = (unsigned)(threads * p.vectors);
    share = 1;
    if (p.algorithm == GP_LOOK_BACK)
      g->replicas = (unsigned)gp__ceil_div(gp__row_windows(s.rows.length, s.in_size, 1), round);
    if (p.algorithm == GP_EVEN_SHARE)
      g->replicas = (unsigned)gp__row_parts(units, gp__ceil_div(gp__row_windows(s.rows.length, s.in_size, 1), round),
                                            resident, &share);
    g->tile_items = share * round;
  } else {
    const unsigned long long columns = s.rows.columns;
    const unsigned items = (unsigned)gp__column_items(s.in_size, s.acc_size);
    unsigned round;
    // Lanes across the rows: a warp, or more if rows are so short that others would have nothing to do.
    while (1 << (g->log2_lanes + 1) <= threads && (unsigned long long)items << g->log2_lanes < columns &&
           (g->log2_lanes < 5 || (unsigned)threads >> g->log2_lanes > s.rows.length))
      ++g->log2_lanes;
    round = ((unsigned)threads >> g->log2_lanes) * (unsigned)p.vectors;
    results = (unsigned long long)items << g->log2_lanes;
    units = s.segments / columns * gp__ceil_div(columns, results);
    g->replicas = (unsigned)gp__row_parts(units, gp__ceil_div(s.rows.length, round), resident, &share);
    if (p.algorithm == GP_LOOK_BACK && g->replicas > 1) // a block has one tile of each column, with two words
      g->replicas = (unsigned)gp__ceil_div(s.rows.length, round), share = 1, results *= 2;
    g->tile_items = share * round;
  }
  g->tiles = units * g->replicas;
  g->grid = (unsigned)(g->replicas > 1 || g->tiles < resident ? g->tiles : resident);
  if (g->replicas > 1 && p.algorithm == GP_LOOK_BACK && form == GP__ROWS_BLOCK)
    g->words = s.segments * gp__look_back_slots(g->replicas) * (unsigned)gp__acc_words(s.acc_size);
  else if (g->replicas > 1) g->words = g->tiles * results * (unsigned)gp__acc_words(s.acc_size);
  if (s.primitive == GP_ROW_MAP && p.algorithm == GP_EVEN_SHARE) g->scratch = s.segments * (unsigned)s.acc_size;
}

static const gp__rules gp__rules_rows = {gp__policy_valid_rows,     gp__measure_elements, gp__portable_rows,
                                         GPUPRIMS__ALWAYS_OVERLAPS, gp__geometry_rows,    GPUPRIMS__POLICY_THREADS,
                                         GP__OWN_ALGORITHM,         GPUPRIMS__ROWS_SERVE};
