// transpose/kinds.c - the kernels of transposes

#define GP__KINDS_OF_TRANSPOSE(X) \
  X(TRANSPOSE, gp__transpose, gp__transpose_args, tiles, GP__OF_BYTES) \
  X(TRANSPOSE_SQUARE, gp__transpose_square, gp__transpose_args, tiles, GP__OF_BYTES) \
  X(TRANSPOSE_ROWS, gp__transpose_rows_of, gp__transpose_args, word, GP__OF_BYTES) \
  X(TRANSPOSE_COLUMNS, gp__transpose_columns_of, gp__transpose_args, rectangle, GP__OF_BYTES) \
  X(TRANSPOSE_WITHIN, gp__transpose_within_rows, gp__transpose_args, rectangle, GP__OF_BYTES) \
  X(TRANSPOSE_SAVE, gp__transpose_save, gp__panels_args, tiles, GP__OF_BYTES | GP__NO_SHARED) \
  X(TRANSPOSE_PANELS, gp__transpose_panels, gp__panels_args, tiles, GP__OF_BYTES) \
  X(TRANSPOSE_CHUNKS, gp__transpose_chunks, gp__panels_args, tiles, GP__OF_BYTES | GP__NO_SHARED) \
  X(TRANSPOSE_BUFFERED, gp__transpose_buffered, gp__buffered_args, tiles, GP__OF_BYTES)
