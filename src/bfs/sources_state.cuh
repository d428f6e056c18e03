// bfs/sources_state.cuh - search from many sources: what is counted
// uses: core/words.h, core/shape.h, bfs/state.cuh

// A vertex has a word with a bit for each source (Then et al., The More the Merrier: Efficient Multi-Source Graph
// Traversal), in three arrays: in seen[], sources that have reached it; in the frontier's, those of the last level; in
// next[], those of this level. An edge is inspected once a level for any number of sources.
//
// A top-down level has two steps. Vertices of the frontier give their bits to neighbours that lack them, by atomics;
// the thread that brings the first bits to a vertex puts it on a list. Then the listed vertices are merged: new bits
// become seen, depths are written, and their lists of edges, long ones in parts, are the next queue. A bottom-up level
// needs the transposed graph and is one step over all vertices: each gathers the bits that it lacks from its
// neighbours, until it has all. One block does the levels of a small frontier alone, with barriers of the block.
//
// A step writes what it reads only by atomics, or in the thread that reads it: so depths and counts are the same in
// every call.

// Counts of a step.
enum {
  GP__NEW_ITEMS, // vertices on the list, or parts in the queue
  GP__NEW_PAIRS, // pairs of a source and a vertex that it has reached
  GP__NEW_EDGES, // edges that leave the vertices
  GP__NEW_EXPLORED, // the same, for each pair
  GP__NEW_CLOSED, // edges that lead to vertices that all sources have reached
  GP__NEW_LOOKS, // edges that were inspected
  GP__SOURCES_SUMS
};
struct gp__sources_state {
  int step; // GP_STEP_START: bits of the sources; ... GP_STEP_FINISH: nothing is left
  int depth, side, alone;
  gp__u64 count, before; // vertices of the last two lists
  gp__u64 parts; // parts of the queue
  gp__u64 edges, open; // edges: leave the frontier; open: lead to vertices that some source has not reached
  gp__u64 listed, parted; // earlier values of the cursors
  gp__u64 pairs, explored, inspected, visits, bottom_up, small;
};
struct gp__sources_control {
  gp__u64 list, queue; // cursors: how much has been appended since the beginning
  gp__sources_state state;
  gp__u64 sums[GP__SOURCES_SUMS], arrived; // for launches of one step each
  gp__arrivals<GP__SOURCES_SUMS> barrier[3];
};
template<int WARPS> struct gp__sources_shared {
  gp__sources_state state;
  gp__u64 sums[GP__SOURCES_SUMS][GP__WARP];
  gp__u64 clock, barriers;
  unsigned steps, last;
};
