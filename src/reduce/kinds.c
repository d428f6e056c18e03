// reduce/kinds.c - the kernels of reductions

#define GP__KINDS_OF_REDUCE(X) \
  X(EVEN_SHARE, gp__reduce_even_share, gp__reduce_args, reduction, 0) \
  X(STEALING, gp__reduce_stealing, gp__reduce_args, reduction, 0)
