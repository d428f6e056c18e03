// api/graph_types.h - graphs, what a traversal tells, faults, lists of edges
// uses: api/config.h, api/lists.h

// A directed graph by its adjacency lists (compressed sparse rows): the edges that leave vertex v lead to targets[e],
// offsets[v] <= e < offsets[v + 1]. Lists have any order; an edge may occur in a list more than once, and may lead back
// to its own vertex. The pointers are device memory (host memory on the host back end), aligned to their types; the
// struct itself is host memory, read during the call.
enum { GP_SYMMETRIC = 1 }; // gp_graph.flags: every edge has its opposite: the graph is its own transpose
typedef struct gp_graph {
  uint32_t struct_size; // sizeof(gp_graph): gp_graph_init sets it
  uint64_t vertices;
  uint64_t edges; // room of targets (and of in_sources); how many there are is offsets[vertices]
  gp_type offset_type; // of offsets and in_offsets: 0, GP_U32 or GP_U64
  gp_type vertex_type; // of targets and in_sources: 0, GP_U32 or GP_U64
  const void *offsets; // vertices + 1, ascending, the first one 0
  const void *targets; // each below `vertices`
  const void *in_offsets; // the transposed graph: edges that lead to v come from in_sources[e], in_offsets[v] <= e <
  const void *in_sources; // in_offsets[v + 1]. Both or neither; NULL: it is not there, or GP_SYMMETRIC
  int flags; // GP_SYMMETRIC
} gp_graph;

// The steps of a traversal, on a device.
typedef enum gp_step_kind {
  GP_STEP_START = 0, // bitmaps are cleared
  GP_STEP_ALONE = 1, // levels that one block did alone, as many as follow each other
  GP_STEP_TOP_DOWN = 2, // a level from the frontier's edges
  GP_STEP_BOTTOM_UP = 3, // a level over all vertices
  GP_STEP_LISTED = 4, // a level bottom-up, over a list of the vertices not reached
  GP_STEP_MERGE_FRONTIER = 5, // bits of the vertices that such a level has found
  GP_STEP_COLLECT = 6, // a frontier for a top-down level after one over all vertices
  GP_STEP_CLUSTER = 7, // levels that one cluster of blocks did alone
  GP_STEP_SPREAD = 8, // levels that all blocks did, each with its own part of the frontier
  GP_STEP_FINISH = 9 // depths of vertices that were not reached are written
} gp_step_kind;
typedef struct gp_traversal_step {
  uint64_t nanoseconds; // from the beginning of the launch to the end of the step, by a clock that may tick in coarse
      // steps
  uint64_t reached, edges; // vertices, and edges that leave them, at its end
  uint32_t kind, depth; // gp_step_kind; of the last level
} gp_traversal_step;
enum { GP_TRAVERSAL_STEPS = 32 };

// A traversal's report, in device memory.
typedef struct gp_traversal {
  uint64_t reached; // vertices, the source among them
  uint64_t edges; // that leave them (of a symmetric graph: twice its undirected edges)
  uint64_t inspected; // edges that were looked at: fewer where levels went bottom-up, more where edges were seen twice
  uint64_t levels; // the largest depth
  uint64_t bottom_up; // levels that went bottom-up
  uint64_t small; // levels that one block, one cluster of blocks, or blocks with a part each did
  uint64_t bytes; // the least that must be read and written: depths, parents, the offsets of vertices that were
      // reached, and targets that were inspected
  uint64_t steps; // that are told of: the first GP_TRAVERSAL_STEPS at most; 0: the host back end
  gp_traversal_step step[GP_TRAVERSAL_STEPS];
} gp_traversal;

// How many edges leave the vertices of a graph, in device memory. The mean is edges / vertices.
typedef struct gp_degrees {
  uint64_t vertices, edges;
  uint64_t least, most; // edges of a vertex; 0 where there is none
  uint64_t histogram[65]; // [0]: vertices with no edge (isolated, where the graph is symmetric); [i]: with 2^(i - 1) to
      // 2^i - 1 edges
} gp_degrees;

// Faults of a graph, or of depths and parents: X(NAME, value, message); @ is the vertex, # the edge. The check looks
// for them in this order, and reports the first one, at the lowest vertex or edge.
#define GP_FAULTS(X) \
  X(GP_FAULT_NONE, 0, "nothing is wrong") \
  X(GP_FAULT_FIRST_OFFSET, 1, "offsets[0] is not 0") \
  X(GP_FAULT_OFFSETS, 2, "vertex @: offsets[vertex + 1] is below offsets[vertex], or beyond the graph's edges") \
  X(GP_FAULT_TARGET, 3, "vertex @: targets[#] is not a vertex") \
  X(GP_FAULT_FIRST_IN_OFFSET, 4, "in_offsets[0] is not 0") \
  X(GP_FAULT_IN_OFFSETS, 5, \
      "vertex @: in_offsets[vertex + 1] is below in_offsets[vertex], or beyond the graph's edges") \
  X(GP_FAULT_IN_SOURCE, 6, "vertex @: in_sources[#] is not a vertex") \
  X(GP_FAULT_IN_EDGES, 7, "offsets and in_offsets end with different numbers of edges") \
  X(GP_FAULT_SOURCE_DEPTH, 8, "vertex @: it is the source, but its depth is not 0") \
  X(GP_FAULT_DEPTH, 9, "vertex @: its depth is below -1, or beyond the limit") \
  X(GP_FAULT_SECOND_SOURCE, 10, "vertex @: its depth is 0, but it is not the source") \
  X(GP_FAULT_NOT_REACHED, 11, "vertex @: it was reached, but its edge # leads to an unreached vertex") \
  X(GP_FAULT_TOO_DEEP, 12, "vertex @: its edge # leads to a vertex more than one level deeper") \
  X(GP_FAULT_NO_WITNESS, 13, "vertex @: no edge leads to it from a vertex one level above") \
  X(GP_FAULT_SOURCE_PARENT, 14, "vertex @: it is the source, but its parent is another vertex") \
  X(GP_FAULT_PARENT, 15, "vertex @: its parent is not a vertex one level above") \
  X(GP_FAULT_PARENT_EDGE, 16, "vertex @: no edge leads from its parent to it") \
  X(GP_FAULT_STRAY_PARENT, 17, "vertex @: it was not reached, but has a parent")
#define GP__ENUM(NAME, value, text) NAME = value,
enum { GP_FAULTS(GP__ENUM) GP_FAULT_COUNT };
#undef GP__ENUM
typedef struct gp_fault {
  uint64_t kind; // GP_FAULT_...
  uint64_t vertex, edge; // UINT64_MAX: none
} gp_fault;

// Edges of a file: gp_edges_read.
typedef struct gp_edge_list {
  uint64_t
      vertices; // one more than the largest number; of a Matrix Market file its rows or columns, whichever are more
  uint64_t count; // of edges
  gp_type vertex_type; // GP_U32; GP_U64 where there are 2^32 vertices or more
  void *pairs; // source, target, source, target, ...
  int symmetric; // the file implies the opposite edges, which are not in pairs (GP_SYMMETRISE adds them)
} gp_edge_list;
