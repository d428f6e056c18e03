// rows/kinds.c - the kernels of rows of strided arrays

#define GP__KINDS_OF_ROWS(X) \
  X(REDUCE_ROWS, gp__rows_reduce, gp__rows_args, rows, 0) \
  X(REDUCE_COLUMNS, gp__columns_reduce, gp__rows_args, columns, 0) \
  X(MAP_ROWS, gp__rows_map, gp__rows_args, row_map, 0) \
  X(APPLY_ROWS, gp__rows_apply, gp__rows_args, row_apply, 0) \
  X(SCAN_ROWS, gp__rows_scan, gp__rows_args, scanned_rows, 0) \
  X(SCAN_COLUMNS, gp__columns_scan, gp__rows_args, scanned_columns, 0) \
  X(COPY_KEYS, gp__rows_copy, gp__rows_args, copied_rows, 0) \
  X(COPY_INDICES, gp__rows_copy, gp__rows_args, copied_rows, 0)
