// merge/kinds.c - the kernels of merges and sets

#define GP__KINDS_OF_MERGE(X) \
  X(MERGE, gp__merge, gp__merge_args, merge, 0) \
  X(MERGE_SORT_TILES, gp__merge_sort_tiles, gp__merge_args, merge, 0) \
  X(MERGE_FOUR_BORDERS, gp__merge_four_borders, gp__merge_args, merge, 0) \
  X(MERGE_FOUR, gp__merge_four, gp__merge_args, merge, 0) \
  X(SET_BORDERS, gp__balanced_paths, gp__merge_args, merge, GP__NO_SHARED) \
  X(SET_OPERATION, gp__set_operation, gp__merge_args, set, 0) \
  X(SET_PIPELINED, gp__set_pipelined, gp__merge_args, set, 0)
