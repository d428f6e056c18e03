// find/kinds.c - the kernel of searches for the first element

#define GPUPRIMS__KINDS_OF_FIND(X) X(FIND, gp__find, gp__find_args, find, 0)
