// bfs/arguments.h - arguments of searches in graphs
// uses: api/graph_types.h, core/words.h

// Breadth-first search. Scratch memory holds bitmaps of reached vertices, the queue, and lists of vertices.
typedef struct gp__bfs_args {
  const void *offsets, *targets;
  const void *in_offsets, *in_sources; // the transposed graph, or null: never bottom-up
  int *depths;
  void *parents; // or null
  gp_traversal *statistics;
  void *workspace;
  unsigned *reached[2]; // bitmaps
  unsigned *fresh; // bitmap of what a level over a list has found
  void *queue; // gp_edges
  void *lists[2]; // gp__bfs_unvisited
  void *found; // vertices with long lists
  void *control; // gp__bfs_control
  gp__u64 vertices, source;
  const gp__u64 *source_device; // or null
  gp__u64 target; // or ~0
  int limit; // limit of depth
  int symmetric;
  int alpha, beta; // gp_policy
  int look_from; // a block with so many parts looks at bits before it sets them
  unsigned small, cluster_small; // most parts with which one block, one cluster, goes on alone
  unsigned cluster; // blocks of a cluster; 1: no clusters
  unsigned blocks; // blocks of the grid, all resident
  int step; // number of the launch, in a search by launches
  int gather, cull; // gp_policy
  void *edge_queue; // gp__bfs_edge: as many as the graph has edges
  gp__u64 edges;
  gp__u64 fused_edges; // levels with more edges contract and expand in separate launches
  const gp_fault *fault; // GP_CHECKED: searches only if there is none
  unsigned spread; // fewest parts with which all blocks go on, each with its own; 0: never
  int spread_after; // after so many levels: GP__BFS_SPREAD_AFTER, except in tests
} gp__bfs_args;
// Search from up to 64 sources at once.
enum { GP__SOURCES_MOST = 64 };
enum {
  GP__SOURCES_CLEAR, // the first launch
  GP__SOURCES_ALL, // all levels and the end, by blocks that can wait for each other
  GP__SOURCES_STEP, // by blocks that cannot: one step
  GP__SOURCES_REST, // later steps, by one block
  GP__SOURCES_FINISH // the end
};
typedef struct gp__sources_args {
  const void *offsets, *targets;
  const void *in_offsets, *in_sources; // the transposed graph, or null: never bottom-up
  int *depths; // a row for each source, or null
  gp__u64 *reached; // vertices reached from each source; or null
  gp_traversal *statistics; // or null
  void *seen, *words[2]; // a word a vertex
  void *lists[2]; // vertices
  void *queue; // gp_edges
  void *control; // gp__sources_control
  gp__u64 vertices;
  gp__u64 source[GP__SOURCES_MOST];
  const gp__u64 *source_device; // instead of `source`, or null
  const gp_fault *fault; // GP_CHECKED: searches only if there is none
  int count, batch; // sources; number of their batch in the call
  int limit; // limit of depth
  int alpha; // gp_policy
  unsigned small;
  unsigned blocks; // blocks of the grid
  int part;
} gp__sources_args;
