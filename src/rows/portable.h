// rows/portable.h - portable rule of rows of strided arrays
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, rows/policy.h, core/canonical.h

// Not measured yet. A warp reads a row if there are rows for all warps or the row is short; otherwise blocks share it.
// A map keeps a row in registers, up to 16 vectors a thread.
enum {
  GP__ROWS_FEW = 32,        // rows a multiprocessor, below which blocks read those longer than
  GP__ROWS_SHORT = 256,     // windows; and, however many there are, those longer than
  GP__ROWS_LONG = 16 << 10, // windows
  GP__ROWS_KEPT = 16        // vectors of a thread, at most
};
GPUPRIMS__PRIVATE gp_policy gp__portable_rows(gp_policy p, gp__shape s) {
  const unsigned long long windows = gp__row_windows(s.rows.length, s.in_size, s.rows.shifted);
  const unsigned long long most = gp__row_windows(s.rows.length, s.in_size, 1); // the workspace depends on no alignment
  const int threads = gp__default_to(p.threads, 256);
  const int map = s.primitive == GP_ROW_MAP;
  const int scan = s.primitive == GP_SCAN_AXIS;
  if (!p.algorithm)
    p.algorithm = s.rows.columns ||
            (map ? most > (unsigned)(gp__default_to(p.vectors, GP__ROWS_KEPT) * threads)
                 : most > GP__ROWS_LONG ||
                     (most > GP__ROWS_SHORT && s.segments < (unsigned)s.multiprocessors * GP__ROWS_FEW))
        ? (scan ? GP_LOOK_BACK : GP_EVEN_SHARE)
        : map ? GP_DIRECT
              : GP_WARP_SEGMENTS;
  p.threads = threads;
  if (p.algorithm == GP_DIRECT && !p.vectors) { // the fewest that hold a row; rows of a warp's lanes are read together
    const unsigned readers = windows > (unsigned)(8 * GP__WARP) ? (unsigned)threads : (unsigned)GP__WARP;
    p.vectors = windows <= GP__WARP ? 2 : 1;
    while (p.vectors < GP__ROWS_KEPT && (unsigned)p.vectors * readers < windows) p.vectors *= 2;
  }
  if (scan && !p.vectors) { // what registers hold
    p.vectors = s.rows.columns ? 8 : 4;
    while (p.vectors > 1 && !gp__valid_row_scan(p, s)) p.vectors /= 2;
  }
  p.vectors = gp__default_to(p.vectors, 4);
  p.load = gp__default_to(p.load, p.algorithm == GP_EVEN_SHARE && map ? GP_CACHE_ALL : GP_CACHE_STREAMING);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.vectors > 8 ? 2 : p.vectors > 4 || s.rows.columns ? 3 : 4);
  return p;
}
