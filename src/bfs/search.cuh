// bfs/search.cuh - breadth-first search: state of a traversal, and what comes next
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h,
//   bfs/arguments.h, device/operators.cuh, device/warp.cuh, device/edges.cuh, device/hash.cuh, bfs/state.cuh

// A block's traversal is a struct in layers, one part each: search, queue, top_down, exchange, small_levels, bottom_up,
// block. A template must declare the names that it takes from the layer below; these are the search's own.
#define GP__BFS_STATE(Below) \
  using Below::WARPS; \
  using Below::ITEMS; \
  using Below::COUNTER; \
  using Below::SMALL; \
  using Below::ROOM; \
  using Below::SLOTS; \
  using Below::WARPS_OF_GRID; \
  using Below::BLOCKS_OF_GRID; \
  using Below::ONE_BLOCK; \
  using Below::FEW_LANES; \
  using Below::FEW_EDGES; \
  using Below::FEW_SHIFT; \
  using Below::a; \
  using Below::s; \
  using Below::dynamic; \
  using Below::offsets; \
  using Below::in_offsets; \
  using Below::targets; \
  using Below::in_sources; \
  using Below::queue; \
  using Below::parents; \
  using Below::control; \
  using Below::vertices; \
  using Below::words; \
  using Below::sums; \
  using Below::inspected; \
  using Below::buffered; \
  using Below::depth; \
  using Below::turn

// CLUSTERS: the launch may be in clusters.
template<class P, class Offset, class Vertex, bool CLUSTERS> struct gp__bfs_search {
  static const int WARPS = P::threads / GP__WARP, ITEMS = P::vectors;
  static const unsigned COUNTER = WARPS > 1 ? GP__WARP : 0; // a thread that counts while the first warp waits
  static const unsigned SMALL = gp__bfs_small_most(P::threads); // parts of each of two queues in shared memory
  static const unsigned ROOM = GP__BFS_BUFFER / unsigned(sizeof(gp_edges)); // parts of a warp's buffer
  static const unsigned SLOTS = GP__BFS_BUFFER / 8 / unsigned(sizeof(Vertex)); // items of a list in it
  typedef gp__bfs_unvisited<Vertex> Seeker;
  // Teams that append: each warp by itself; blocks of the grid, once a level; one block, in its shared memory.
  enum { WARPS_OF_GRID, BLOCKS_OF_GRID, ONE_BLOCK };
  // A level of few short parts: lanes of a part, its most edges, and the lowest bit of a count of vertices.
  enum { FEW_LANES = 4, FEW_EDGES = 16, FEW_SHIFT = 20 };
  typedef gp__bfs_shared<WARPS> Shared;

  const gp__bfs_args &a;
  Shared &s;
  gp__u8 *dynamic;
  const Offset *offsets, *in_offsets;
  const Vertex *targets, *in_sources;
  gp_edges *queue;
  Vertex *parents;
  gp__bfs_control *control;
  gp__u64 vertices, words;
  gp__bfs_counts sums; // this warp's sums of this step, in its first lane; bottom-up in each lane until the end
  unsigned inspected; // by this thread, in all steps
  unsigned buffered; // in the warp's buffer
  int depth; // depth of what this step finds
  unsigned turn; // index of Shared::sums

  GP_DEVICE gp__bfs_search(const gp__bfs_args &args, Shared &shared, gp__u8 *memory)
    : a(args), s(shared), dynamic(memory), offsets(gp__as<const Offset>(args.offsets)),
      in_offsets(gp__as<const Offset>(args.in_offsets)), targets(gp__as<const Vertex>(args.targets)),
      in_sources(gp__as<const Vertex>(args.in_sources)), queue(gp__as<gp_edges>(args.queue)),
      parents(gp__as<Vertex>(args.parents)), control(gp__as<gp__bfs_control>(args.control)), vertices(args.vertices),
      words((args.vertices + 31) / 32), sums(gp__bfs_counts{0, 0, 0, 0}), inspected(0), buffered(0), depth(0), turn(0) {
  }

  GP_DEVICE unsigned cluster() const { return CLUSTERS ? a.cluster : 1; }
  GP_DEVICE gp__u64 warp_of_grid() const { return gp__u64(s.rank) * WARPS + gp_warp(); }
  GP_DEVICE gp__u64 warps_of_grid() const { return gp__u64(a.blocks) * WARPS; }
  // Edges of the next part of a list.
  GP_DEVICE static unsigned part_of(gp__u64 rest) {
    return rest < GP__BFS_PART ? unsigned(rest) : unsigned(GP__BFS_PART);
  }

  // ---- sums and the barrier

  template<class Sums> GP_DEVICE static void add_warp(Sums &x) {
    x.appended = gp_warp_reduce(x.appended, gp_sum<decltype(x.appended)>());
    x.found = gp_warp_reduce(x.found, gp_sum<decltype(x.found)>());
    x.edges = gp_warp_reduce(x.edges, gp_sum<gp__u64>());
  }
  // Adds this warp's sums to the block's.
  GP_DEVICE void add_to_block() {
    if (!gp_lane() && (sums.appended | sums.found | sums.longer | sums.edges) != 0) {
      gp__bfs_tally::add(s.sums[turn].appended, sums.appended);
      gp__bfs_tally::add(s.sums[turn].found, sums.found);
      gp__bfs_tally::add(s.sums[turn].edges, sums.edges);
      gp__bfs_tally::add(s.sums[turn].longer, sums.longer);
    }
    sums = gp__bfs_counts{0, 0, 0, 0};
  }
  // Grid barrier. Thread 0 gets the sums of all blocks; a barrier of the block must follow.
  GP_DEVICE gp__bfs_sums wait(bool naps = false) {
    add_to_block();
    __syncthreads();
    if (a.blocks == 1 || gp_warp() != 0) return !threadIdx.x ? s.sums[0].sums() : gp__bfs_sums{0, 0, 0, 0};
    const unsigned lane = gp_lane();
    const gp__bfs_sums of_block = s.sums[0].sums();
    const gp__u64 mine = lane == 0 ? of_block.found
        : lane == 1 ? of_block.appended
        : lane == 2 ? of_block.edges
        : of_block.longer;
    const gp__u64 all =
        gp__grid_barrier_sum(control->barrier, unsigned(s.state.barriers), a.blocks, s.rank, mine, naps);
    return gp__bfs_sums{
        __shfl_sync(~0u, all, 1), __shfl_sync(~0u, all, 0), __shfl_sync(~0u, all, 2), __shfl_sync(~0u, all, 3)};
  }

  // ---- what comes next: one thread of each block, from the same numbers

  GP_DEVICE bool over(const gp__bfs_sums &x) const {
    return !(x.found & ~GP__BFS_HIT) || (x.found & GP__BFS_HIT) || s.state.depth == a.limit;
  }
  // Counts a finished level.
  GP_DEVICE void count_level(const gp__bfs_sums &x, gp__u64 edges) {
    gp__bfs_state &t = s.state;
    const gp__u64 found = x.found & ~GP__BFS_HIT;
    ++t.depth;
    t.levels += found != 0;
    t.reached += found;
    t.explored += edges;
    t.unexplored -= edges;
    t.edges = edges;
  }
  // True if a bottom-up level counts the edges of vertices that it has not found: these are on its list, and the
  // degrees of the others need not be loaded.
  GP_DEVICE bool counts_rest() const { return a.symmetric && s.state.listed != 2; }
  GP_DEVICE void count_bottom_up(const gp__bfs_sums &x) {
    gp__bfs_state &t = s.state;
    count_level(x, counts_rest() ? t.unexplored - x.edges : x.edges);
    ++t.bottom_up;
    t.listed = 1;
    t.list = x.appended;
    t.kept += x.appended;
  }
  GP_DEVICE void go_down() {
    gp__bfs_state &t = s.state;
    const bool grows =
        a.in_offsets && a.alpha > 0 && t.edges * unsigned(a.alpha) > t.unexplored && t.edges * 8 > vertices;
    const gp__u64 parts = t.last - t.first;
    t.step = fits_block(parts, t.edges) ? GP__BFS_SMALL
        : fits_grid(parts, t.edges, t.depth, a.spread) ? GP__BFS_SPREAD
        : cluster() > 1 && fits_cluster(parts, t.edges) ? GP__BFS_CLUSTER
        : !grows ? GP__BFS_TOP_DOWN
        : t.listed ? GP__BFS_LISTED
        : GP__BFS_BOTTOM_UP;
    if (t.listed) t.listed = 2;
  }
  // True if a frontier is small enough for one block to go on alone. Edges make that slower than a grid barrier: there
  // must be at most one a thread, and a warp must finish a list in one step.
  GP_DEVICE bool fits_block(gp__u64 parts, gp__u64 edges) const {
    return parts <= a.small && edges <= P::threads && edges <= parts * GP__WARP;
  }
  GP_DEVICE bool fits_cluster(gp__u64 parts, gp__u64 edges) const {
    return parts <= a.cluster_small && edges <= a.cluster_small * 8ull;
  }
  // True if a long search has a frontier large enough for all blocks to go on, each with a part of it in its shared
  // memory.
  GP_DEVICE bool fits_grid(gp__u64 parts, gp__u64 edges, int depth_of, unsigned least) const {
    return CLUSTERS && a.spread && a.blocks <= a.cluster * GP__BFS_CLUSTERS && depth_of >= a.spread_after &&
        parts >= least && parts <= a.blocks * (P::threads / FEW_LANES * 1ull) && edges <= parts * 8;
  }
  // True if the search goes on top-down after a bottom-up level.
  GP_DEVICE bool shrinks() const { return s.state.edges * unsigned(a.beta) < s.state.list || a.alpha <= 0; }
  GP_DEVICE void decide(const gp__bfs_sums &x) {
    gp__bfs_state &t = s.state;
    switch (t.step) {
    case GP__BFS_TOP_DOWN:
      t.first = t.last;
      t.last += x.appended;
      t.merged += x.longer;
      count_level(x, x.edges);
      go_down();
      if (over(x)) t.step = GP__BFS_DONE;
      else if (x.longer && t.step != GP__BFS_BOTTOM_UP && t.step != GP__BFS_LISTED) {
        t.step = GP__BFS_MERGE_FRONTIER;
        t.appends = GP__BFS_APPENDS_LONG;
        t.news = x.longer;
      }
      break;
    case GP__BFS_BOTTOM_UP:
      count_bottom_up(x);
      t.map ^= 1;
      t.step = over(x) || !t.list ? GP__BFS_DONE : shrinks() ? GP__BFS_COLLECT : GP__BFS_LISTED;
      break;
    case GP__BFS_LISTED:
      count_bottom_up(x);
      t.side ^= 1;
      t.appends = shrinks() ? GP__BFS_APPENDS_LEVEL : GP__BFS_APPENDS_NOTHING;
      t.step = over(x) || !t.list ? GP__BFS_DONE : GP__BFS_MERGE_FRONTIER;
      break;
    default: // merge_frontier, collect
      if (t.step != GP__BFS_MERGE_FRONTIER || t.appends != GP__BFS_APPENDS_LONG) t.first = t.last;
      t.last += x.appended;
      if (t.step == GP__BFS_MERGE_FRONTIER && t.appends == GP__BFS_APPENDS_NOTHING) t.step = GP__BFS_LISTED;
      else {
        go_down();
        if (t.step == GP__BFS_LISTED) t.step = GP__BFS_TOP_DOWN; // the frontier has been collected: no way back
      }
    }
  }
  // The first block's first thread records a step.
  GP_DEVICE void note(int kind) {
    if (threadIdx.x != 0 || !a.statistics || s.rank != 0 || s.steps == GP_TRAVERSAL_STEPS) return;
    gp_traversal_step &r = a.statistics->step[s.steps++];
    r.nanoseconds = gp__nanoseconds() - s.clock;
    r.reached = s.state.reached, r.edges = s.state.explored;
    r.kind = gp__u32(kind), r.depth = gp__u32(s.state.depth);
  }
  // Ends a step. After levels of one block, or of one cluster, the other blocks read the new state.
  GP_DEVICE void finish_step(int step) {
    const bool alone = step == GP__BFS_SMALL || step == GP__BFS_CLUSTER;
    const gp__bfs_sums all = wait(alone);
    if (!threadIdx.x) {
      gp__bfs_state &t = s.state;
      const gp__u64 barriers = t.barriers;
      if (!alone && !(CLUSTERS && step == GP__BFS_SPREAD)) decide(all); // after these levels all blocks know it
      else if (alone && s.rank != 0) t = control->state[barriers & 1u];
      t.barriers = barriers + 1;
      s.sums[0].clear();
      note(step);
    }
    __syncthreads();
  }

  // ---- which vertices are reached

  GP_DEVICE static bool has_bit(const gp__u32 *map, Vertex v) { return (map[v >> 5] >> (v & 31u) & 1u) != 0; }
  GP_DEVICE void write(Vertex v, int d, Vertex parent) {
    a.depths[v] = d;
    if (parents) parents[v] = parent;
  }
  // In launches in clusters, levels of one block and of a cluster use depths: a block may be one level ahead, and
  // blocks behind reach its vertices again. A vertex's bit is set when its list is visited, or left.
  GP_DEVICE gp__u32 *reached_at(Vertex v) const { return gp__as<gp__u32>(a.depths) + v; }
  GP_DEVICE void set_bit_of(bool has, gp__u64 v, gp__u32 *map) const {
    if (CLUSTERS && has) gp__set_bit_alone(map, v);
  }
};
