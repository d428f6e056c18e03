// bfs/kinds.c - the kernels of breadth-first search

#define GP__KINDS_OF_BFS(X) \
  X(BFS, gp__bfs, gp__bfs_args, bfs, 0) \
  X(BFS_CHECKED, gp__bfs_checked, gp__bfs_args, bfs, 0) \
  X(BFS_STEPWISE, gp__bfs_stepwise, gp__bfs_args, offset_key, 0) \
  X(BFS_STEPS, gp__bfs_steps, gp__bfs_args, offset_key, 0) \
  X(BFS_PARENTS, gp__bfs_parents, gp__graph_args, offset_key, 0) \
  X(BFS_SOURCES, gp__bfs_sources, gp__sources_args, sources, 0)
