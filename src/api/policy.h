// api/policy.h - a policy: its members, and where it comes from

// Cache modifiers of loads and stores (the policy fields "load" and "store").
// STREAMING: evict first; L2: not in L1; ALL: every level.
#define GP_CACHES(X) X(GP_CACHE_DEFAULT, 0) X(GP_CACHE_STREAMING, 1) X(GP_CACHE_L2, 2) X(GP_CACHE_ALL, 3)
#define GP__CACHE(name, value) name = value,
enum { GP_CACHES(GP__CACHE) GP_CACHE_COUNT };
#undef GP__CACHE

// How lists of neighbours, of any lengths, become equal shares of a block's threads: flags. What they leave goes by
// merge path: the block's lists are laid end to end, and each thread looks up whose edge its own is. WARP: lists of 32
// edges and more are a warp's. BLOCK: lists as long as the block is wide are the block's. Both spare the look-ups.
enum { GP_GATHER_MERGE = 1, GP_GATHER_WARP = 2, GP_GATHER_BLOCK = 4, GP_GATHER_ALL = 7 };

// What becomes of vertices that come several times: flags. WARP: of equal ones in a warp's lanes one goes on. HISTORY:
// one that the block remembers does not; it remembers a few hundred, the latest at each place. Both need no memory but
// the block's, and let some through. BITMAP is exact: of all threads, blocks and launches one sets the vertex's bit.
enum { GP_CULL_WARP = 1, GP_CULL_HISTORY = 2, GP_CULL_BITMAP = 4, GP_CULL_ALL = 7, GP_CULL_NOTHING = 8 };

// The policy of a call: zero in a field means the default. Which fields a primitive has, and their values, is declared
// once, in >>policy; gp_policy_space prints it.
typedef struct gp_policy {
  int algorithm; // GP_AUTO and the names after it
  int threads; // threads of a block that compute (a pipelined scan adds three warps, a set operation one)
  int vectors; // 16-byte vectors a thread holds at a time
  int load; // GP_CACHE_...; STREAMING in a gather: its indices, not the elements that they name
  int store; // GP_CACHE_...
  int stages; // tiles (segmented reduce: a warp's chunks) in flight in shared memory (pipelined, one-sweep);
      // buffered panels: panels, about
  int blocks_per_sm; // resident blocks a multiprocessor; the grid is this times their number, or fewer for small inputs
  int overlap; // 1: start while the kernel before it on the stream drains (compute capability 9.0 on); 2: do not
  int alpha; // bfs: bottom-up where the frontier's edges times this are more than those not explored; -1: never;
      // bfs_sources: more than those that lead to vertices which some source has not reached
  int beta; // bfs: top-down again where the frontier's edges times this are fewer than the vertices left
  int small; // both: one block goes on alone where the frontier has so many lists (parts of 256 edges), or fewer
      // (bfs: and an edge for each of its threads at most); bfs, hybrid: levels of more than 256 times as many
      // edges have two launches
  int look; // bfs: a block looks at a vertex's bit before it sets it where it has so many lists, or more
  int gather; // bfs, frontiers of edges: GP_GATHER_..., or several: how edges are shared out
  int cull; // bfs, frontiers of edges: GP_CULL_..., or several: before depths decide who is first
  int cluster; // bfs: blocks of the cluster that goes on alone, where one block would have too much and all of them too
      // little: up to `small` lists a block, and one block then up to an eighth of that; in long searches all
      // clusters from twice `small` lists on, each block with its own; 1: none, as where there are 8 edges a
      // vertex and more by default (random geometric graphs of 14 take half the time with 16, on an H200)
  int reserved[9]; // 0: room for numbers of later versions, so that the size never changes
} gp_policy;

// Its numbers, in order: what lists them all is made of this.
#define GP_POLICY_MEMBERS(X) \
  X(algorithm) \
  X(threads) \
  X(vectors) \
  X(load) \
  X(store) \
  X(stages) \
  X(blocks_per_sm) \
  X(overlap) \
  X(alpha) \
  X(beta) \
  X(small) \
  X(look) \
  X(gather) \
  X(cull) \
  X(cluster)

// Where a policy came from, in the order in which the choice is made.
typedef enum gp_policy_source {
  GP_POLICY_CALLER = 1, // gp_call.policy
  GP_POLICY_DEVICE = 2, // a row of the tuned table for exactly this device
  GP_POLICY_CAPABILITY = 3, // a row for exactly this compute capability
  GP_POLICY_CLASS = 4, // a row for a class of like devices that names this one
  GP_POLICY_PORTABLE = 5, // the portable row
  GP_POLICY_HOST = 6, // the host back end has no policy
  GP_POLICY_ONLINE = 7 // after CALLER: learned by this program's calls, with GP_TUNING_ONLINE
} gp_policy_source;
