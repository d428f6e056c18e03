// transpose/arguments.h - arguments of transposes
// uses: core/words.h

// Transposes. Extents are in elements, all else in bytes.
typedef struct gp__divisor {
  unsigned by, magic; // magic: 2^32 / by, rounded up; 0 if by is 1
} gp__divisor;
typedef struct gp__transpose_args {
  const void *in;
  void *out;
  gp__u64 columns, rows; // extents of a matrix; the input's rows are contiguous
  gp__u64 in_pitch, out_pitch; // from row to row; from column to column
  gp__u64 outer[2], in_outer[2], out_outer[2]; // matrices
  gp__u64 in_bytes; // from `in` to the end of its last element
  gp__u64 tiles, row_tiles, column_tiles; // all; of a matrix
  unsigned tile_rows, tile_columns, matrices, pitch, pad; // gp__transpose_plan
  unsigned panel; // gp__transpose_panel
  gp__divisor units; // whole input: groups of 8 vectors of a tile's column; whole output: vectors of a tile's row
  gp__divisor group; // whole input: vectors of a group of rows
  gp__divisor row, column; // whole output: rows and columns of a matrix
  // Dense, in place: a and b are rows and columns divided by their common factor. A strip of whole columns, or a row,
  // is assembled in shared memory, or in `strip` bytes of scratch memory a block.
  gp__u64 a, b, strip;
  void *scratch; // NULL: shared memory
  int rotates, gathers; // this step: rotates columns, not shuffles; gathers by the formula, not scatters
} gp__transpose_args;
