// graph/arguments.h - arguments of graph building
// uses: api/graph_types.h, core/words.h

// Graphs are built and checked by steps of one plan, which share one struct of arguments.
typedef struct gp__graph_args {
  const void *offsets, *targets; // the graph read; or an edge list's sources and targets
  const void *parents; // gp_bfs_check: parents; relabel, invert: numbers of vertices
  const int *depths;
  void *out_offsets, *out_targets; // written: a graph; degrees or numbers; a report
  gp__u64 *keys;
  gp__u64 vertices;
  gp__u64 edges; // most edges of the graph
  gp__u64 count; // edges of the list; keys
  const gp__u64 *count_device;
  gp__u64 *bad; // the first edge of the list that was left out, or NULL
  gp__u64 *state; // a number of keys; the least fault; degrees
  unsigned *marks; // two bits a vertex, set while no witness, no edge from the parent, is found
  gp__u64 source, limit;
  int apart; // edge list: numbers from one edge to the next
  int shift; // bits of a target in a key
  int flags;
  int incoming; // check: the lists are in_offsets and in_sources
  const gp_fault *fault; // bfs with GP_CHECKED: of its graph
} gp__graph_args;
// The state's words of a degree count: the sum, the complement of the least, the most, the histogram.
enum { GP__DEGREE_SUM, GP__DEGREE_LEAST, GP__DEGREE_MOST, GP__DEGREE_HISTOGRAM, GP__DEGREE_STATE = 3 + 65 };
enum { GP__FAULT_SHIFT = 58 }; // a fault in a word: kind, then vertex or edge; the first fault is the least
