// rows/arguments.h - arguments of kernels on rows of strided arrays
// uses: core/words.h, core/arguments.h

// Dimension 0 is the axis. Rows have the numbers of dimensions 1 to 3, where 1 runs fastest. Strides are in elements.
typedef struct gp__rows_args {
  const void *in;
  void *out; // of a reduction: one element a row, whatever out_stride[0] is
  gp__u64 rows;
  gp__u64 extent[4];
  gp__i64 in_stride[4], out_stride[4];
  gp__u64 parts, share; // blocks that share a row, or columns; what each takes; or rows of a tile
  unsigned log2_lanes; // that share a row, or lie across columns
  unsigned chunk; // elements of a lane of a tile of rows
  int vectors; // columns: a thread's elements are a vector
  int together; // rows lie one behind the other without gaps: 1: of the input, 2: of the output
  gp__u64 windows; // of a line, which the second launch of a map reads
  void *states; // results of the first launch of a map, by row
  void *workspace; // NULL: parts is 1
  gp__value init;
  int has_init;
} gp__rows_args;
