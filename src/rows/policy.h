// rows/policy.h - rows of strided arrays: policy fields, forms, windows, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_ROWS(F) \
  F(algorithm, GP_AUTO, GP_DIRECT, GP_WARP_SEGMENTS, GP_EVEN_SHARE, GP_LOOK_BACK) \
  F(threads, 0, 128, 256, 512) \
  F(vectors, 0, 1, 2, 4, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 8) \
  F(overlap, 0, 1, 2)

// Readers of a row: lanes, a warp, a block or several.
enum {
  GP__ROWS_LANES,  // a power of two of lanes, one window each; a warp has several rows, `vectors` times
  GP__ROWS_WARP,   // a warp
  GP__ROWS_BLOCK,  // a block, or several
  GP__ROWS_COLUMNS // a warp reads neighbouring elements of several rows
};
// A row is read by windows: gp__vector_items elements, aligned in memory. shifted: the first may begin before the row.
GPUPRIMS__RULE unsigned long long gp__row_windows(unsigned long long length, int size, int shifted) {
  return (length + (unsigned)(gp__vector_items(size) - 1) * (shifted ? 2u : 1u)) / (unsigned)gp__vector_items(size);
}
// Neighbouring rows of a thread, whose accumulators have up to 32 bytes together.
GPUPRIMS__RULE int gp__column_items_of(int items, int acc_size) {
  return items > 1 && items * acc_size > 32 ? gp__column_items_of(items / 2, acc_size) : items;
}
GPUPRIMS__RULE int gp__column_items(int in_size, int acc_size) {
  return gp__column_items_of(gp__vector_items(in_size), acc_size);
}
// The form of a call's first kernel. GP_DIRECT keeps a row in the registers of those who read it.
GPUPRIMS__RULE int gp__rows_form(gp_policy p, gp__shape s) {
  return s.rows.columns                                                       ? GP__ROWS_COLUMNS
      : p.algorithm == GP_EVEN_SHARE || p.algorithm == GP_LOOK_BACK           ? GP__ROWS_BLOCK
      : gp__row_windows(s.rows.length, s.in_size, s.rows.shifted) <= GP__WARP ? GP__ROWS_LANES
      : p.algorithm == GP_WARP_SEGMENTS ||
          gp__row_windows(s.rows.length, s.in_size, s.rows.shifted) <= (unsigned)(GP__WARP * p.vectors)
      ? GP__ROWS_WARP
      : GP__ROWS_BLOCK;
}
// A scan holds vectors of elements, and the fold before each.
GPUPRIMS__RULE int gp__valid_row_scan(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_LOOK_BACK || (p.algorithm == GP_WARP_SEGMENTS && !s.rows.columns)) &&
      (p.vectors == 1 || p.vectors * (gp__max(GP__VECTOR, s.in_size) + s.acc_size) <= 256) &&
      (!s.rows.columns ||
       p.threads * gp__column_items(s.in_size, s.acc_size) * s.acc_size + 64 <= GP__STATIC_SHARED_BYTES);
}
GPUPRIMS__RULE int gp__policy_valid_rows(gp_policy p, gp__shape s) {
  return p.blocks_per_sm >= 1 &&
      (s.primitive == GP_SCAN_AXIS        ? gp__valid_row_scan(p, s)
           : p.algorithm == GP_EVEN_SHARE ? !s.rows.columns ||
               p.threads * gp__column_items(s.in_size, s.acc_size) * s.acc_size + 64 <= GP__STATIC_SHARED_BYTES
                                          : !s.rows.columns &&
               (s.primitive == GP_REDUCE_AXIS ? p.algorithm == GP_WARP_SEGMENTS
                                              : p.algorithm == GP_DIRECT &&
                        gp__row_windows(s.rows.length, s.in_size, s.rows.shifted) <=
                            (unsigned)(p.threads * p.vectors)));
}
