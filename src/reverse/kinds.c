// reverse/kinds.c - the kernels of reverse and swap

#define GP__KINDS_OF_REVERSE(X) \
  X(REVERSE, gp__reverse, gp__map_args, in, 0) \
  X(SWAP, gp__swap, gp__map_args, in, 0)
