// rows/policy.h - rows of strided arrays: policy fields, forms, windows, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

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
  GP__ROWS_TILE, // a block has several rows in shared memory, and a power of two of lanes each
  GP__ROWS_WARP, // a warp
  GP__ROWS_BLOCK, // a block, or several
  GP__ROWS_COLUMNS, // a warp reads neighbouring elements of several rows
  GP__ROWS_LANES // a power of two of lanes, which hold a row of whole vectors
};
// Elements of a thread that scans columns: it holds them.
GP__RULE int gp__column_chunk(int vectors, int size) {
  return vectors * (gp__vector_items(size) < 4 ? gp__vector_items(size) : 4);
}
// Columns that a tile of a scan has, at least: 128 bytes.
GP__RULE unsigned gp__rows_line(int size) { return size < 128 ? 128u / (unsigned)size : 1; }
// Slots of words of a column whose tiles look back: aggregates, and prefixes and totals of groups of tiles.
GP__RULE gp__u64 gp__columns_look_back_slots(gp__u64 tiles, unsigned group) { return tiles + 2 * (tiles / group + 1); }
// A row is read by windows: gp__vector_items elements, aligned in memory. shifted: the first may begin before the row.
GP__RULE gp__u64 gp__row_windows(gp__u64 length, int size, int shifted) {
  return (length + (unsigned)(gp__vector_items(size) - 1) * (shifted ? 2u : 1u)) / (unsigned)gp__vector_items(size);
}
// Neighbouring rows of a thread, whose accumulators have up to 32 bytes together.
GP__RULE int gp__column_items_of(int items, int acc_size) {
  return items > 1 && items * acc_size > 32 ? gp__column_items_of(items / 2, acc_size) : items;
}
GP__RULE int gp__column_items(int in_size, int acc_size) {
  return gp__column_items_of(gp__vector_items(in_size), acc_size);
}
// The form of a call's first kernel. GP_DIRECT keeps a row in the registers of those who read it.
GP__RULE int gp__rows_form(gp_policy p, gp__form s) {
  return s->rows.columns ? GP__ROWS_COLUMNS
      : p.algorithm == GP_DIRECT && s->primitive == GP_REDUCE_AXIS ? GP__ROWS_LANES
      : p.algorithm == GP_EVEN_SHARE || p.algorithm == GP_LOOK_BACK ? GP__ROWS_BLOCK
      : gp__row_windows(s->rows.length, s->in_size, 0) <= (unsigned)(GP__WARP * p.vectors) ? GP__ROWS_TILE
      : p.algorithm == GP_WARP_SEGMENTS ? GP__ROWS_WARP
      : GP__ROWS_BLOCK;
}
// Shared memory of a tile: elements, or results in their places; folds of warps, or of columns' threads.
GP__RULE int gp__rows_tile_fits(gp_policy p, gp__form s) {
  return s->rows.columns ? gp__column_chunk(p.vectors, s->in_size) * s->in_size <= 256 &&
          p.threads * (s->acc_size * 2 + 1) + 64 <= GP__STATIC_SHARED_BYTES
                         : p.threads * p.vectors / 8 * 9 * gp__vector_items(s->in_size) *
                  gp__max(s->in_size, s->primitive == GP_REDUCE_AXIS ? 0 : s->out_size) +
              (2 + p.threads / GP__WARP) * s->acc_size + 64 <=
          GP__STATIC_SHARED_BYTES;
}
GP__RULE int gp__policy_valid_rows(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 && (gp__rows_form(p, s) != GP__ROWS_TILE || gp__rows_tile_fits(p, s)) &&
      (s->primitive == GP_SCAN_AXIS ? gp__rows_tile_fits(p, s) &&
                  (p.algorithm == GP_LOOK_BACK ||
                      (p.algorithm == GP_WARP_SEGMENTS && gp__rows_form(p, s) == GP__ROWS_TILE))
              : p.algorithm == GP_EVEN_SHARE ? !s->rows.columns ||
                  p.threads * gp__column_items(s->in_size, s->acc_size) * s->acc_size + 64 <= GP__STATIC_SHARED_BYTES
                                             : !s->rows.columns &&
                  (s->primitive == GP_REDUCE_AXIS ? p.algorithm == GP_WARP_SEGMENTS ||
                              (p.algorithm == GP_DIRECT && s->rows.whole &&
                                  gp__row_windows(s->rows.length, s->in_size, 0) <= (unsigned)(GP__WARP * p.vectors))
                                                  : p.algorithm == GP_DIRECT &&
                              gp__row_windows(s->rows.length, s->in_size, s->rows.shifted) <=
                                  (unsigned)(p.threads * p.vectors)));
}
