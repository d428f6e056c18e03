// scatter/kinds.c - the kernels of scatters and replacements

#define GP__KINDS_OF_SCATTER(X) \
  X(SCATTER, gp__scatter, gp__scatter_args, scatter, 0) \
  X(REPLACE, gp__map_kernel, gp__map_args, replace, 0)
