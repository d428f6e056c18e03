// reverse/kinds.c - the kernels of reverse

#define GPUPRIMS__KINDS_OF_REVERSE(X) X(REVERSE, gp__reverse, gp__map_args, in, 0)
