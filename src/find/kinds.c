// find/kinds.c - the kernels of searches for the first element

#define GP__KINDS_OF_FIND(X) \
  X(FIND, gp__find, gp__find_args, find, 0) \
  X(PARTITION_POINT, gp__partition_point, gp__find_args, find, 0)
