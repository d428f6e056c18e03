// expand/kinds.c - the kernels of expansions

#define GP__KINDS_OF_EXPAND(X) \
  X(EXPAND_OFFSETS, gp__expand_offsets, gp__expand_args, offset, 0) \
  X(EXPAND_VALUES, gp__expand, gp__expand_args, expand, 0)
