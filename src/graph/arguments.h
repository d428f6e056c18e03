// graph/arguments.h - arguments of graph building
// uses: api/graph_types.h

// Group by: tables of keys in shared memory.
// Graphs are built and checked by steps of one plan, which have one struct of arguments.
typedef struct gp__graph_args {
  const void *offsets, *targets; // of the graph that is read; a list's sources and targets
  const void *parents;           // of gp_bfs_check; numbers of vertices, of relabel and invert
  const int *depths;
  void *out_offsets, *out_targets; // what is written: a graph; degrees or numbers; a report
  unsigned long long *keys;
  unsigned long long vertices;
  unsigned long long edges; // of the graph, at most
  unsigned long long count; // edges of the list; keys
  const unsigned long long *count_device;
  unsigned long long *bad;   // the first edge of the list that was left out, or NULL
  unsigned long long *state; // a number of keys; the least fault; degrees
  unsigned *marks;           // two bits a vertex: set as long as there is no witness, no edge from the parent
  unsigned long long source, limit;
  int apart; // a list's: numbers from one edge's to the next one's
  int shift; // bits of a target in a key
  int flags;
  int incoming;          // check: of in_offsets and in_sources
  const gp_fault *fault; // bfs with GP_CHECKED: of its graph
} gp__graph_args;
// The state's words where degrees are counted: a sum, the complement of the least, the most, the histogram.
enum { GP__DEGREE_SUM, GP__DEGREE_LEAST, GP__DEGREE_MOST, GP__DEGREE_HISTOGRAM, GP__DEGREE_STATE = 3 + 65 };
enum { GP__FAULT_SHIFT = 58 }; // kind and vertex (or edge) of a fault in a word, the first one being the least
