// kinds.c - the kernels of all families

#define GPUPRIMS__KINDS(X)                                                                                             \
  GPUPRIMS__KINDS_OF_MAP(X)                                                                                            \
  GPUPRIMS__KINDS_OF_REVERSE(X)                                                                                        \
  GPUPRIMS__KINDS_OF_SEARCH(X)                                                                                         \
  GPUPRIMS__KINDS_OF_REDUCE(X)                                                                                         \
  GPUPRIMS__KINDS_OF_SCAN(X)                                                                                           \
  GPUPRIMS__KINDS_OF_SELECT(X)                                                                                         \
  GPUPRIMS__KINDS_OF_SEGMENTS(X)                                                                                       \
  GPUPRIMS__KINDS_OF_GROUP_BY(X)                                                                                       \
  GPUPRIMS__KINDS_OF_HISTOGRAM(X)                                                                                      \
  GPUPRIMS__KINDS_OF_SORT(X)                                                                                           \
  GPUPRIMS__KINDS_OF_SEGMENTED_SORT(X)                                                                                 \
  GPUPRIMS__KINDS_OF_MERGE(X)                                                                                          \
  GPUPRIMS__KINDS_OF_TOP_K(X)                                                                                          \
  GPUPRIMS__KINDS_OF_TRANSPOSE(X)                                                                                      \
  GPUPRIMS__KINDS_OF_LAYOUTS(X)                                                                                        \
  GPUPRIMS__KINDS_OF_BFS(X)                                                                                            \
  GPUPRIMS__KINDS_OF_GRAPH(X)
