// map/kinds.c - the kernels of maps

#define GP__KINDS_OF_MAP(X) \
  X(COPY, gp__copy_kernel, gp__map_args, size, GP__OF_BYTES | GP__NO_SHARED) \
  X(MAP, gp__map_kernel, gp__map_args, map, 0) \
  X(ADJACENT, gp__adjacent, gp__map_args, adjacent, 0)
