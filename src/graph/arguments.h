// graph/arguments.h - arguments of graph building
// uses: api/graph_types.h

// Graphs are built and checked by steps of one plan, which share one struct of arguments.
typedef struct gp__graph_args {
  const void *offsets, *targets; // the graph read; or an edge list's sources and targets
  const void *parents;           // gp_bfs_check: parents; relabel, invert: numbers of vertices
  const int *depths;
  void *out_offsets, *out_targets; // written: a graph; degrees or numbers; a report
  unsigned long long *keys;
  unsigned long long vertices;
  unsigned long long edges; // most edges of the graph
  unsigned long long count; // edges of the list; keys
  const unsigned long long *count_device;
  unsigned long long *bad;   // the first edge of the list that was left out, or NULL
  unsigned long long *state; // a number of keys; the least fault; degrees
  unsigned *marks;           // two bits a vertex, set while no witness, no edge from the parent, is found
  unsigned long long source, limit;
  int apart; // edge list: numbers from one edge to the next
  int shift; // bits of a target in a key
  int flags;
  int incoming;          // check: the lists are in_offsets and in_sources
  const gp_fault *fault; // bfs with GP_CHECKED: of its graph
} gp__graph_args;
// The state's words of a degree count: the sum, the complement of the least, the most, the histogram.
enum { GP__DEGREE_SUM, GP__DEGREE_LEAST, GP__DEGREE_MOST, GP__DEGREE_HISTOGRAM, GP__DEGREE_STATE = 3 + 65 };
enum { GP__FAULT_SHIFT = 58 }; // a fault in a word: kind, then vertex or edge; the first fault is the least
