// transpose/policy.h - transposes: policy fields, forms, tiles, shared memory
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, top_k/policy.h

#define GP_POLICY_FIELDS_TRANSPOSE(F) \
  F(algorithm, GP_AUTO, GP_PADDED_TILES, GP_BUFFERED_PANELS, GP_ROUND_TRIP) \
  F(threads, 0, 128, 256, 512) \
  F(vectors, 0, 1, 2, 4, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING) \
  F(stages, 0, 1, 2, 3, 4, 8, 16, 32, 64) \
  F(blocks_per_sm, 0, 0, 2, 4, 8) \
  F(overlap, 0, 1, 2)

// Kind of a transpose after dimensions that stay neighbours are merged.
enum {
  GP__MOVE_NOTHING, // in place, and everything stays
  GP__MOVE_ROWS, // rows move unchanged
  GP__MOVE_TILES, // matrices are transposed
  GP__MOVE_SQUARE, // in place: square matrices
  GP__MOVE_RECTANGLE // in place: dense matrices
};
// Properties of a transpose's sides, and of its kernel.
enum {
  GP__FORM_IN_ALIGNED = 1, // addresses of all rows are multiples of 16
  GP__FORM_OUT_ALIGNED = 2, // addresses of all columns are
  GP__FORM_IN_WHOLE = 4, // kernel: a whole side
  GP__FORM_OUT_WHOLE = 8,
  GP__FORM_WHOLE = 12, // either
  GP__FORM_IN_START = 16, // addresses of all matrices of the input are multiples of 16
  GP__FORM_IN_DENSE = 32, // rows of a matrix are contiguous
  GP__FORM_OUT_DENSE = 64, // columns are
  GP__FORM_STACKED = 128, // and matrices, on both sides
  GP__FORM_DENSE = 256, // stacked, and the first matrix begins at a multiple of 16
  GP__FORM_FEW = 16, // kernel: few long rows
  GP__FORM_WORD = 256, // kernel: times the bytes of a word of chunks
  GP__SQUARE_PANEL = 8, // tile rows and columns of a panel of a square in place
  GP__TRANSPOSE_PANEL = 8, // default tile rows of a panel
  GP__TRANSPOSE_SEGMENT = 9 * 16, // least bytes of a line of a tile with a whole side, and 16 more
  GP__TRANSPOSE_WHOLE = 1 << 30 // no tile has so many rows or columns
};
GP__RULE int gp__lowest_bit(int x) { return x & -x; }
GP__RULE int gp__floor_log2(gp__u64 x) { return x > 1 ? 1 + gp__floor_log2(x / 2) : 0; }
GP__RULE int gp__is_power_of_two_size(int size) { return size <= 16 && (size & (size - 1)) == 0; }
// A tile has a power of two of elements, at most so many vectors a thread, about as many rows as columns, and whole
// vectors of a row and of a column.
GP__RULE int gp__transpose_log2(int threads, int vectors, int size) {
  return gp__floor_log2((unsigned)(threads * vectors * GP__VECTOR / size));
}
GP__RULE int gp__transpose_columns(int threads, int vectors, int size) {
  return gp__max(gp__vec_group_items(size), 1 << gp__transpose_log2(threads, vectors, size) / 2);
}
GP__RULE int gp__transpose_rows(int threads, int vectors, int size) {
  return gp__max(gp__vec_group_items(size), 1 << (gp__transpose_log2(threads, vectors, size) + 1) / 2);
}
// Tile rows of a panel: neighbouring blocks write its tiles, tile column by tile column. Best on an H200, where DRAM is
// the limit.
GP__RULE int gp__transpose_panel(int size, int vectors, int form) {
  return !(form & GP__FORM_OUT_ALIGNED) ? 64
      : !(form & GP__FORM_IN_ALIGNED) ? (int)GP__TRANSPOSE_PANEL
      : size == 1 || size == 4 || size == 16 ? 64
      : size == 8 && vectors == 8 ? 1
      : (int)GP__TRANSPOSE_PANEL;
}
// Rows from tile to tile. If the output's columns are not aligned, tiles overlap, so that each has whole sectors (small
// tiles: whole vectors) of a column from its first aligned byte on. Sectors that two blocks write in part cost more
// than rows that are read twice.
GP__RULE int gp__transpose_alignment(int rows, int size) { return rows * size < 256 ? 16 : 32; }
GP__RULE int gp__transpose_step(int rows, int size, int word, int aligned) {
  return size < GP__VECTOR && size == word && !aligned ? rows - gp__transpose_alignment(rows, size) / size : rows;
}
// Narrow elements become words of columns on their way into shared memory if rows and columns are aligned; for bytes it
// is enough that rows are. Others are gathered from shared memory one by one, as wide ones are: that takes fewer
// instructions than shifting both sides. Measured on an H200.
GP__RULE int gp__is_scattered(int size, int word, int form) {
  return size <= 2 && size == word && (form & GP__FORM_IN_ALIGNED) && (size == 1 || (form & GP__FORM_OUT_ALIGNED));
}
GP__RULE int gp__transpose_side(int threads, int vectors, int size) { // side of a square tile
  return gp__transpose_columns(threads, vectors, size);
}
// Bytes from row to row of a tile in shared memory, and of a tile. Unaligned rows take one vector more.
GP__RULE int gp__transpose_pitch(int size, int columns, int aligned) {
  return ((columns * size / GP__VECTOR + !aligned) | (gp__vec_group_items(size) == 1)) * GP__VECTOR;
}
GP__RULE int gp__transpose_tile_bytes(int size, int rows, int columns, int aligned) {
  return gp__max(rows * gp__transpose_pitch(size, columns, aligned) +
          (gp__vec_group_items(size) == 1 ? 0 : rows / gp__vec_group_items(size) * GP__VECTOR),
      columns * rows * size + (size > 2 ? 0 : columns * size));
}
// Short contiguous rows (columns) are a whole side if tiles would not be full, and there is room for a vector of each
// lane on the other side.
GP__RULE int gp__transpose_thin(gp_policy p, gp__form s, gp__u64 extent, int of_tile) {
  return extent < 2ull * (unsigned)of_tile && extent != (unsigned)of_tile &&
      extent * (unsigned)gp__vec_group_items(s->key_size) * (unsigned)s->key_size * 8 <=
      (unsigned)(p.threads * p.vectors * GP__VECTOR) &&
      extent * (unsigned)GP__TRANSPOSE_SEGMENT <= (unsigned)(p.threads * p.vectors * GP__VECTOR);
}
GP__RULE int gp__transpose_thin_in(gp_policy p, gp__form s) {
  return (s->moved.form & GP__FORM_IN_DENSE) && (s->moved.form & GP__FORM_IN_START) &&
      gp__transpose_thin(p, s, s->moved.columns, gp__transpose_columns(p.threads, p.vectors, s->key_size));
}
GP__RULE int gp__transpose_thin_out(gp_policy p, gp__form s) {
  return (s->moved.form & GP__FORM_OUT_DENSE) &&
      gp__transpose_thin(p, s, s->moved.rows, gp__transpose_rows(p.threads, p.vectors, s->key_size));
}
// Few long rows with contiguous columns: a thread has a unit of each row, a word or an element; a tile has a unit of
// each thread. Units in shared memory have a gap after 128 bytes if columns are even.
GP__RULE int gp__are_few(int size, gp__u64 rows, int aligned) { // winners on an H200
  return rows >= (size == 1 ? 8u : 9u) &&
      rows <= (size == 1 ? (aligned ? 64u : 80u)
                      : size == 2 ? 112u
                      : size == 4 ? 47u
                      : 39u);
}
GP__RULE int gp__few_unit(int size) { return gp__max(size, 4); }
GP__RULE int gp__few_line(int size, unsigned rows) { // log2 of units between gaps
  return rows % 2 ? 31 : gp__floor_log2(128u / (unsigned)gp__few_unit(size));
}
GP__RULE unsigned gp__few_bytes(gp_policy p, int size, unsigned rows) {
  return ((unsigned)p.threads * rows + ((unsigned)p.threads * rows >> gp__few_line(size, rows))) *
      (unsigned)gp__few_unit(size);
}
GP__RULE int gp__transpose_few(gp_policy p, gp__form s) {
  return (p.algorithm == GP_PADDED_TILES || p.algorithm == GP_ROUND_TRIP) && (s->moved.form & GP__FORM_OUT_DENSE) &&
      gp__is_power_of_two_size(s->key_size) && s->key_size <= 8 && s->moved.word == s->key_size &&
      gp__are_few(s->key_size, s->moved.rows, s->moved.form & GP__FORM_IN_ALIGNED) &&
      s->moved.columns * (unsigned)s->key_size >= 2ull * (unsigned)(p.threads * gp__few_unit(s->key_size)) &&
      gp__few_bytes(p, s->key_size, (unsigned)s->moved.rows) <= (unsigned)s->shared_bytes - 2048;
}
// Matrices of a tile: as many as fit, in whole vectors.
GP__RULE gp__u64 gp__transpose_multiple(gp__u64 matrix) { return 16 / gp__common_factor(16, matrix); }
GP__RULE gp__u64 gp__transpose_matrices_of(gp__u64 tile, gp__u64 matrix) {
  return tile / matrix / gp__transpose_multiple(matrix) * gp__transpose_multiple(matrix);
}
GP__RULE gp__u64 gp__transpose_matrices(gp_policy p, gp__form s) {
  return !(s->moved.form & GP__FORM_DENSE) || s->moved.rows > 65536 || s->moved.columns > 65536 ? 0
      : s->segments == 1
      ? s->moved.rows * s->moved.columns * (unsigned)s->key_size <= (unsigned)(p.threads * p.vectors * GP__VECTOR)
      : gp__transpose_matrices_of(
            (unsigned)(p.threads * p.vectors * GP__VECTOR), s->moved.rows * s->moved.columns * (unsigned)s->key_size);
}
GP__RULE int gp__transpose_packs(gp_policy p, gp__form s) {
  return (s->moved.form & GP__FORM_DENSE) && gp__transpose_matrices(p, s) &&
      gp__transpose_thin(p, s, s->moved.columns, gp__transpose_columns(p.threads, p.vectors, s->key_size)) &&
      gp__transpose_thin(p, s, s->moved.rows, gp__transpose_rows(p.threads, p.vectors, s->key_size));
}
// Dense matrices in place by way of the workspace. A trip takes contiguous matrices, of so many bytes together, one at
// least. It takes whole vectors of them, so that each trip is aligned as the first one is.
enum { GP__TRIP_BYTES = 64 << 20 };
// The shape that tiles see of a dense matrix in place: that of a trip to the workspace, which is out of place, or of
// matrices that fit a tile, which are transposed in their places. Other shapes stay as they are.
GP__BOTH static inline __attribute__((unused)) gp__shape gp__tiled(gp_policy p, gp__shape s) {
  const gp__u64 column = s.moved.rows * (unsigned)s.key_size;
  gp__u64 most;
  if (s.moved.kind != GP__MOVE_RECTANGLE) return s;
  if (p.algorithm == GP_ROUND_TRIP) {
    most = GP__TRIP_BYTES / (column * s.moved.columns);
    if (most > 16) most -= most % 16;
    if (most < 1 || !(s.moved.form & GP__FORM_STACKED)) most = 1;
    if (s.segments > most) s.segments = most;
    s.moved.form = (s.moved.form & ~GP__FORM_OUT_ALIGNED) | (column % GP__VECTOR ? 0 : GP__FORM_OUT_ALIGNED);
  }
  if (p.algorithm == GP_ROUND_TRIP || (p.algorithm == GP_PADDED_TILES && gp__transpose_packs(p, &s)))
    s.moved.kind = GP__MOVE_TILES;
  return s;
}
