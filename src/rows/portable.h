// rows/portable.h - portable rule of rows of strided arrays
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, rows/policy.h, core/canonical.h

// Not measured yet. A warp reads a row if there are rows for all warps or the row is short; otherwise blocks share it.
// A map keeps a row in registers, up to 16 vectors a thread.
enum {
  GP__ROWS_FEW = 32, // rows a multiprocessor, below which blocks read those longer than
  GP__ROWS_SHORT = 256, // windows; and, however many there are, those longer than
  GP__ROWS_LONG = 16 << 10, // windows
  GP__ROWS_KEPT = 16, // vectors of a thread, at most
  GP__ROWS_HELD = 16 // windows of a whole row, from which on lanes hold it (H200, 2026-11-30)
};
GP__HOST gp_policy gp__portable_rows(gp_policy p, gp__form s) {
  const gp__u64 windows = gp__row_windows(s->rows.length, s->in_size, s->rows.shifted);
  const gp__u64 most = gp__row_windows(s->rows.length, s->in_size, 1); // the workspace depends on no alignment
  const int map = s->primitive == GP_ROW_MAP, scan = s->primitive == GP_SCAN_AXIS;
  const gp__u64 whole = gp__row_windows(s->rows.length, s->in_size, 0);
  const int tile = !s->rows.columns && whole <= (unsigned)(GP__ROWS_KEPT / 2 * GP__WARP);
  const int vectors = p.vectors, algorithm = p.algorithm; // what the caller chose stays
  if (s->primitive == GP_REDUCE_AXIS && s->rows.whole && !s->rows.columns && s->commutative && tile && !vectors &&
      GP__VECTOR % s->in_size == 0 && whole >= GP__ROWS_HELD && (!algorithm || algorithm == GP_DIRECT)) {
    int lanes = 8; // at least; up to five vectors a lane, if a warp can hold the row so
    while (lanes < GP__WARP && whole > 5u * (unsigned)lanes) lanes *= 2;
    p.vectors = (int)gp__ceil_div(whole, (unsigned)lanes);
    p.algorithm = GP_DIRECT, p.threads = gp__default_to(p.threads, 256);
    p.load = gp__default_to(p.load, GP_CACHE_STREAMING);
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.vectors > 5 ? 4 : p.vectors > 2 ? 6 : 8);
    return p;
  }
  const int threads = gp__default_to(p.threads, tile ? 128 : 256);
  if (!p.algorithm)
    p.algorithm = scan ? (tile ? GP_WARP_SEGMENTS : GP_LOOK_BACK)
        : s->rows.columns ||
            (map ? most > (unsigned)(gp__default_to(p.vectors, GP__ROWS_KEPT) * threads)
                : most > GP__ROWS_LONG ||
                        (most > GP__ROWS_SHORT && s->segments < (unsigned)s->multiprocessors * GP__ROWS_FEW))
        ? GP_EVEN_SHARE
        : map ? GP_DIRECT
        : GP_WARP_SEGMENTS;
  p.threads = threads;
  if (!p.vectors && p.algorithm == GP_DIRECT && !tile) { // the fewest that hold a row
    p.vectors = 1;
    while (p.vectors < GP__ROWS_KEPT && (unsigned)(p.vectors * threads) < windows) p.vectors *= 2;
  }
  // Long rows of whole vectors are read by warps.
  if (!p.vectors)
    p.vectors = (scan && (s->rows.columns || whole > (unsigned)(4 * threads))) ||
            (s->rows.columns && s->in_size == 2) ||
            (tile && p.algorithm != GP_EVEN_SHARE &&
                (scan || map || whole <= GP__ROWS_SHORT / 2 || s->rows.length % (unsigned)gp__vector_items(s->in_size)))
        ? GP__ROWS_KEPT / 2
        : 4;
  while (!vectors && p.vectors > 1 && (scan || gp__rows_form(p, s) == GP__ROWS_TILE) && !gp__rows_tile_fits(p, s))
    p.vectors /= 2;
  if (scan && !algorithm && p.algorithm == GP_WARP_SEGMENTS && gp__rows_form(p, s) != GP__ROWS_TILE)
    p.algorithm = GP_LOOK_BACK;
  p.load = gp__default_to(p.load, p.algorithm == GP_EVEN_SHARE && map ? GP_CACHE_ALL : GP_CACHE_STREAMING);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm,
      gp__rows_form(p, s) == GP__ROWS_TILE ? 8
          : p.vectors > 8 ? 2
          : (!scan && p.vectors > 4) || s->rows.columns ? 3
          : 4);
  return p;
}
