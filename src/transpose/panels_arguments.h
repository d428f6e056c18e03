// transpose/panels_arguments.h - arguments of panels
// uses: core/words.h, transpose/panels_policy.h, transpose/arguments.h

// Dense matrices in place, by panels and chunks. In bytes unless stated otherwise.
typedef struct gp__panels_args {
  gp__u8 *data, *saved; // the matrix; saved panels
  gp__u64 saves, clears; // to save; 8-byte words to clear, from `counters` on
  gp__u64 *counters; // GP__PANELS_COUNTERS, then one a panel
  unsigned *claimed, *loaded; // a bit for each chunk
  gp__u64 rows, columns, panels, holes; // extents of a panel, in elements; panels of the matrix
  gp__u64 column_tiles, panel_tiles; // tiles of a panel
  // The chunk at x * chunk_columns + y goes to (y + shift_y) * chunk_rows + (x + shift_x), modulo the extents.
  unsigned chunk, chunk_rows, chunk_columns, shift_x, shift_y;
} gp__panels_args;
// Dense matrices in place, by panels through a buffer. In bytes unless stated otherwise.
typedef struct gp__buffered_args {
  gp__u8 *data, *buffer; // the matrix; slots of blocks
  gp__u64 *counters; // GP__PANELS_COUNTERS, then turns done of each step
  gp__u64 rows, columns, height; // elements
  gp__u64 pitch, slot; // gp__buffered_plan
  unsigned panels, column_tiles, lines, part, parts; // copied at a time: lines, 16-byte units
  gp__divisor units; // part
  unsigned border[GP__BUFFERED_MOST + 1]; // gp__buffered_border
  unsigned first[GP__BUFFERED_MOST + 2]; // turns before each step
} gp__buffered_args;
