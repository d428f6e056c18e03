// search/kinds.c - the kernels of searches

#define GP__KINDS_OF_SEARCH(X) \
  X(BOUND_SAMPLE, gp__bound_sample, gp__search_args, bound, 0) \
  X(BOUND, gp__bound, gp__search_args, bound, 0) \
  X(LOAD_BALANCE, gp__load_balance, gp__search_args, offset_out, 0)
