// bfs/state.cuh - breadth-first search: counts and state of blocks
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h,
//   device/warp.cuh

// One launch of resident blocks does the whole traversal. A grid barrier separates its steps and sums the blocks'
// counts, so that all blocks take the same decisions from the same sums.
//
// Top-down (Merrill, Garland and Grimshaw, Scalable GPU Graph Traversal): warps take parts of the frontier's lists,
// expand them with a share of edges for each lane, and contract. The thread that sets a vertex's bit has reached it: it
// writes the depth and appends the vertex's list to the queue, in parts if it is long, so that no list is one warp's
// alone. A vertex is reached once, so the queue is one array from which levels take their ranges.
//
// Bottom-up (Beamer, Asanovic and Patterson, Direction-Optimizing Breadth-First Search): each vertex not reached looks
// for a neighbour that was reached before this level. That one is of the last level, or the vertex would have been
// reached earlier; so the bitmap of reached vertices serves as the frontier's. The first such level goes over all
// vertices, writes bitmap and depths in whole words (also of vertices not reached, which need no clearing), and leaves
// a list of unreached vertices that have edges; later levels go over that list. It has one neighbour of each vertex,
// which mostly is all that a later level needs to look at.
//
// One block handles a small frontier alone, in its shared memory, with barriers of the block only. A frontier too large
// for that, and small for all blocks, is one cluster's, whose blocks exchange their counts through shared memory. The
// others wait at the barrier after these levels. If a search is long, and its frontier too large for one cluster to be
// fast, all blocks have a part of it each, and clusters exchange their blocks' counts by words in memory. A block of a
// cluster begins the next level before it knows the others' counts of this one, but does not end it before: it is one
// level ahead at most. A block behind reaches again, with the smaller depth, what was reached too early. If that would
// be seen (parents, an end at a target), or room might not suffice, blocks wait at each level.
//
// Memory: bits of reached[] are set by atomics. A bottom-up level sets no bits of the bitmap that it reads, which may
// therefore come from L1.

// Bits that count blocks, below a sum of the barrier; first bit, in a sum of parts, of those that tell of vertices
// reached again.
enum { GP__BFS_SUMS = 4, GP__BFS_BLOCK_BITS = 16, GP__BFS_AGAIN_SHIFT = 36 };
enum {
  GP__BFS_DONE = 0,
  GP__BFS_SMALL = GP_STEP_ALONE,
  GP__BFS_TOP_DOWN = GP_STEP_TOP_DOWN,
  GP__BFS_BOTTOM_UP = GP_STEP_BOTTOM_UP,
  GP__BFS_LISTED = GP_STEP_LISTED,
  GP__BFS_MERGE_FRONTIER = GP_STEP_MERGE_FRONTIER, // and, if it goes on top-down, queues their edges
  GP__BFS_COLLECT = GP_STEP_COLLECT,
  GP__BFS_CLUSTER = GP_STEP_CLUSTER,
  GP__BFS_SPREAD = GP_STEP_SPREAD
};
// An unreached vertex, and one of its neighbours.
template<class Vertex> struct alignas(2 * sizeof(Vertex)) gp__bfs_unvisited { Vertex vertex, neighbour; };
// A warp's counts of a step; GP__BFS_HIT goes to the block's sums at once.
struct gp__bfs_counts {
  unsigned appended, found, longer;
  gp__u64 edges;
};
struct gp__bfs_sums {
  gp__u64 appended; // parts in the queue; vertices in a list
  gp__u64 found; // vertices, and GP__BFS_HIT if the target is among them
  gp__u64 edges; // edges that leave them
  gp__u64 longer; // vertices whose lists are longer than a part, top-down
};
#define GP__BFS_HIT (1ull << 47)
// The sums in shared memory, where warps add to them, in 24 bits and the rest: 32-bit additions are one instruction,
// 64-bit ones a loop in which a block's warps wait for each other.
struct gp__bfs_tally {
  gp__u32 appended[2], found[2], edges[2], longer[2];
  GP_DEVICE static void add(gp__u32 (&sum)[2], gp__u64 x) {
    const gp__u32 low = gp__u32(x) & 0xffffffu, high = gp__u32(x >> 24);
    if (low) atomicAdd(&sum[0], low);
    if (high) atomicAdd(&sum[1], high);
  }
  GP_DEVICE static gp__u64 whole(const gp__u32 (&sum)[2]) { return sum[0] + (gp__u64(sum[1]) << 24); }
  GP_DEVICE bool has_found() const { return found[0] || found[1]; }
  GP_DEVICE bool has_hit() const { return found[1] >> 23; }
  GP_DEVICE gp__bfs_sums sums() const {
    return gp__bfs_sums{whole(appended), whole(found), whole(edges), whole(longer)};
  }
  GP_DEVICE void clear() {
    appended[0] = appended[1] = found[0] = found[1] = edges[0] = edges[1] = longer[0] = longer[1] = 0;
  }
};
// A block's counts of a level for the others of its cluster, in 48 bits of a word: parts in its queue and edges that
// leave what it has found, both saturated; whether it has found any, and the target.
struct gp__bfs_block_totals {
  unsigned appended, edges;
  bool found, hit;
  GP_DEVICE static gp__bfs_block_totals of(unsigned appended, const gp__bfs_tally &mine) {
    const gp__u64 edges = gp__bfs_tally::whole(mine.edges);
    return gp__bfs_block_totals{appended < 0xffffu ? appended : 0xffffu, edges < 1u << 24 ? unsigned(edges) : 1u << 24,
        mine.has_found(), mine.has_hit()};
  }
  GP_DEVICE static gp__bfs_block_totals of(gp__u64 word) {
    return gp__bfs_block_totals{
        unsigned(word) & 0xffffu, unsigned(word >> 18), (word >> 16 & 1u) != 0, (word >> 17 & 1u) != 0};
  }
  GP_DEVICE gp__u64 word() const {
    return appended | (found ? 1u << 16 : 0) | (hit ? 1u << 17 : 0) | gp__u64(edges) << 18;
  }
};
// Counts of a level of all blocks of a cluster.
struct gp__bfs_cluster_totals {
  unsigned appended, edges;
  bool found, hit;
  bool over, wide, uneven; // a block has too many parts for its room; too many edges; far more than others
  // Two words of 48 bits: parts and flags; edges, saturated so that those of all clusters can be added.
  GP_DEVICE gp__u64 word(bool first) const {
    const unsigned is = found | hit << 1 | over << 2 | wide << 3 | uneven << 4;
    return first ? appended | gp__u64(is) << 32 : edges < 1u << 27 ? edges : 1u << 27;
  }
  // Totals of all clusters: even lanes have the first words, odd ones the second, others 0.
  GP_DEVICE static gp__bfs_cluster_totals of_lanes(gp__u64 word) {
    const bool first = gp_lane() % 2 == 0;
    const unsigned count = unsigned(word), is = unsigned(word >> 32);
    const auto any = [is](int bit) { return __any_sync(~0u, is >> bit & 1u) != 0; };
    return gp__bfs_cluster_totals{
        gp__warp_sum(first ? count : 0), gp__warp_sum(first ? 0 : count), any(0), any(1), any(2), any(3), any(4)};
  }
};
// What the queue gets while a level is merged: nothing if the search goes on bottom-up; the level if it goes on
// top-down; only long lists, which it lacks, if it went top-down before.
enum { GP__BFS_APPENDS_NOTHING, GP__BFS_APPENDS_LEVEL, GP__BFS_APPENDS_LONG };
// State of the traversal; every block has its copy.
struct gp__bfs_state {
  gp__u64 first, last; // range of the queue that is the frontier, if it is there
  gp__u64 edges; // edges that leave the frontier
  gp__u64 unexplored; // edges that leave vertices not reached
  gp__u64 kept, merged; // cursors of lists before the step
  gp__u64 list, news; // vertices in the list; in the list of long ones
  gp__u64 reached, explored; // vertices; edges that leave them
  gp__u64 levels, bottom_up, small;
  gp__u64 again; // vertices may have been reached twice
  gp__u64 barriers; // grid barriers so far
  int step, depth;
  int map, side; // indices of the bitmap and of the list that are read
  int listed; // 1: there is a list, and depths not reached are written; 2: some on it may have been reached
  int appends; // what the queue gets when a frontier is merged
};
// Counters of barriers, three sets in turn: one is added to, one may still be read, one is clear.
template<int SUMS> struct alignas(128) gp__arrivals {
  gp__u64 word[SUMS]; // a sum, and below it 16 bits that count the blocks
};
enum { GP__BFS_NAP = 200 }; // nanoseconds between two looks of a block that waits for long
// Grid barrier, called by one warp of each block. Each lane below SUMS brings `mine` and gets the sum over all blocks.
// A sum carries the number of blocks that have arrived, so one load tells whether it is complete. The first block
// clears the counters of the next barrier only after it has passed the last: by then no block reads them. number: of
// the barrier, from 0 on. naps: a block that waits for long.
template<int SUMS>
GP_DEVICE gp__u64 gp__grid_barrier_sum(gp__arrivals<SUMS> (&barrier)[3], unsigned number, unsigned blocks,
    unsigned rank, gp__u64 mine, bool naps = false) {
  const unsigned lane = gp_lane(), set = number % 3;
  const gp__u64 arrived = (1ull << GP__BFS_BLOCK_BITS) - 1;
  gp__u64 *word = barrier[set].word + (lane < SUMS ? lane : 0), *next = barrier[set == 2 ? 0 : set + 1].word;
  gp__u64 all;
  if (lane < SUMS) {
    if (rank == 0) gp__store_relaxed(next + lane, 0);
    gp__fence();
    gp__add_relaxed(word, mine << GP__BFS_BLOCK_BITS | 1u);
  }
  while (all = gp__load_relaxed(word), !__all_sync(~0u, (all & arrived) == blocks))
    if (naps) __nanosleep(GP__BFS_NAP);
  __syncwarp(); // sums have been read, and may be cleared
  gp__fence();
  return all >> GP__BFS_BLOCK_BITS;
}
// State that blocks share in scratch memory.
struct gp__bfs_control {
  gp__u64 queue, kept, merged; // cursors: how much has been appended since the beginning
  gp__u64 deepest; // greatest depth
  gp__bfs_state state[2]; // left by blocks that went on alone, by the barrier's parity: the last may still be read
  gp__u64 sums[GP__BFS_SUMS], arrived, inspected; // by launches: a step's sums; neighbours looked at
  gp__arrivals<GP__BFS_SUMS> barrier[3];
  gp__u64 news[2][2 * GP__BFS_CLUSTERS]; // words of clusters, two levels in turn
};
template<int WARPS> struct gp__bfs_shared {
  gp__bfs_state state;
  gp__bfs_tally sums[3]; // levels of one block take them in turn; others the first
  unsigned appended[3];
  // Words of a cluster's blocks: counts, and that queues may be read, of two levels in turn; then the final sums.
  gp__u64 message[5][2][GP__BFS_CLUSTER_MOST];
  gp__bfs_sums level;
  unsigned ends[GP__BFS_CLUSTER_MOST];
  unsigned verdict[2]; // LEVEL_..., of a level, two in turn
  gp__u64 found, explored; // by this block in levels of a cluster: vertices, edges
  gp__bfs_tally again; // vertices reached again, and their edges
  gp__u64 source, begin; // the source, and where its edges begin
  gp__u64 edges; // edges of the graph
  gp__u64 tag; // tag of this launch
  unsigned rank, cluster_rank; // rank of the block: in the grid, in its cluster
  gp__u64 clock; // when it began
  unsigned steps; // written by note(): no other thread's load of rank may include it
  gp__u32 nowhere[2][WARPS * GP__WARP]; // gp__prefetch_near
};
