// bfs/sources_state.cuh - search from many sources: what is counted
// uses: device/vocabulary.cuh, core/shape.h, bfs/state.cuh

// A vertex has a word with a bit for each source (Then et al., The More the Merrier: Efficient Multi-Source Graph
// Traversal), in three arrays: seen[], which sources have reached it; of the frontier, which of them in the last level;
// next[], which in this one. An edge is inspected once a level, whatever the number of sources.
//
// Top-down, a level is two steps. Vertices of the frontier give their bits to neighbours that lack them, by atomics;
// who brings the first bits to a vertex puts it on a list. Then the listed vertices are merged: what is new becomes
// seen, depths are written, and their lists of edges, long ones in parts, are the next queue. Bottom-up, where the
// transposed graph is there, it is one step over all vertices: each gathers the bits that it lacks from its neighbours,
// until it has all. Where a frontier is small, its levels are one block's alone, and barriers are those of the block.
//
// Nothing that a step reads is written in the same step but by atomics, or by who reads it: so depths, and what is
// counted, are the same in every call.

// What is counted in a step.
enum {
  GP__NEW_ITEMS,    // vertices on the list, or parts in the queue
  GP__NEW_PAIRS,    // of a source and a vertex that it has reached
  GP__NEW_EDGES,    // that leave the vertices
  GP__NEW_EXPLORED, // the same, of each pair
  GP__NEW_CLOSED,   // edges that lead to vertices that all sources have reached
  GP__NEW_LOOKS,    // edges that were inspected
  GP__SOURCES_SUMS
};
struct gp__sources_state {
  int step; // GP_STEP_START: bits of the sources; ... GP_STEP_FINISH: nothing is left
  int depth, side, alone;
  gp__u64 count, before;  // vertices of the last two lists
  gp__u64 parts;          // of the queue
  gp__u64 edges, open;    // that leave the frontier; that lead to vertices that some source has not reached
  gp__u64 listed, parted; // what the cursors were
  gp__u64 pairs, explored, inspected, visits, bottom_up, small;
};
struct gp__sources_control {
  gp__u64 list, queue; // cursors: how much has been appended since the beginning
  gp__sources_state state;
  gp__u64 sums[GP__SOURCES_SUMS], arrived; // of launches of a step each
  gp__arrivals<GP__SOURCES_SUMS> barrier[3];
};
template <int WARPS> struct gp__sources_shared {
  gp__sources_state state;
  gp__u64 sums[GP__SOURCES_SUMS][GP__WARP];
  gp__u64 clock, barriers;
  unsigned steps, last;
};
