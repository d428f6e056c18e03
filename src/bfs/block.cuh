// bfs/block.cuh - breadth-first search: a block
// uses: api/policy.h, api/graph_types.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h,
//   bfs/policy.h, bfs/arguments.h, device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/edges.cuh,
//   device/tile_load.cuh, device/hash.cuh, device/look_back.cuh, bfs/state.cuh

// CLUSTERS: may the launch be in clusters?
template <class P, class Offset, class Vertex, bool CLUSTERS> struct gp__bfs_block {
  static const int WARPS = P::threads / GP__WARP, ITEMS = P::vectors;
  static const unsigned BESIDE = WARPS > 1 ? GP__WARP : 0;      // a thread that counts while the first warp waits
  static const unsigned SMALL = gp__bfs_small_most(P::threads); // parts of each of two queues in shared memory
  static const unsigned ROOM = GP__BFS_BUFFER / unsigned(sizeof(gp_edges));     // parts of a warp's buffer
  static const unsigned PLACES = GP__BFS_BUFFER / 8 / unsigned(sizeof(Vertex)); // of a list, in it
  typedef gp__bfs_unvisited<Vertex> Seeker;
  // Bottom-up: vertices of a warp that wait and where they look next; words of the bitmap, or as many of the list, that
  // a warp goes over at a time, less than one for which there is room; neighbours of one access.
  static const int WAITING = GP__BFS_BUFFER / 4 * 3 / int(sizeof(Vertex) + 2 * sizeof(Offset)) / GP__WARP * GP__WARP;
  static const int WORDS = ITEMS < WAITING / GP__WARP ? ITEMS : WAITING / GP__WARP - 1, LOOK = 16 / int(sizeof(Vertex));
  // Who appends: each warp by itself; blocks of the grid, once a level; one block, in its shared memory.
  enum { WARPS_OF_GRID, BLOCKS_OF_GRID, ONE_BLOCK };
  typedef gp__bfs_shared<WARPS> Shared;

  const gp__bfs_args &a;
  Shared &s;
  unsigned char *dynamic;
  const Offset *offsets, *in_offsets;
  const Vertex *targets, *in_sources;
  gp_edges *queue;
  Vertex *parents;
  gp__bfs_control *control;
  gp__u64 vertices, words;
  gp__bfs_counts sums; // of this warp, in this step: its first lane's; bottom-up each lane's until the end
  unsigned inspected;  // by this thread, in all steps
  unsigned buffered;   // in the warp's buffer
  int depth;           // of what this step finds
  unsigned turn;       // which of Shared::sums is added to

  GP_DEVICE gp__bfs_block(const gp__bfs_args &args, Shared &shared, unsigned char *memory)
      : a(args), s(shared), dynamic(memory), offsets(static_cast<const Offset *>(args.offsets)),
        in_offsets(static_cast<const Offset *>(args.in_offsets)), targets(static_cast<const Vertex *>(args.targets)),
        in_sources(static_cast<const Vertex *>(args.in_sources)), queue(static_cast<gp_edges *>(args.queue)),
        parents(static_cast<Vertex *>(args.parents)), control(static_cast<gp__bfs_control *>(args.control)),
        vertices(args.vertices), words((args.vertices + 31) / 32), sums(gp__bfs_counts{0, 0, 0, 0}), inspected(0),
        buffered(0), depth(0), turn(0) {}

  GP_DEVICE unsigned cluster() const { return CLUSTERS ? a.cluster : 1; }
  GP_DEVICE gp__u64 warp_of_grid() const { return static_cast<gp__u64>(s.rank) * WARPS + gp_warp(); }
  GP_DEVICE gp__u64 warps_of_grid() const { return static_cast<gp__u64>(a.blocks) * WARPS; }
  // Edges of the next part of a list.
  GP_DEVICE static unsigned part_of(gp__u64 rest) {
    return rest < GP__BFS_PART ? static_cast<unsigned>(rest) : unsigned(GP__BFS_PART);
  }

  // ---- sums and the barrier

  template <class Sums> GP_DEVICE static void add_warp(Sums &x) {
    x.appended = gp_warp_reduce(x.appended, gp_sum<decltype(x.appended)>());
    x.found = gp_warp_reduce(x.found, gp_sum<decltype(x.found)>());
    x.edges = gp_warp_reduce(x.edges, gp_sum<gp__u64>());
  }
  // This warp's sums become part of the block's.
  GP_DEVICE void add_to_block() {
    if (gp_lane() == 0 && (sums.appended | sums.found | sums.longer | sums.edges) != 0) {
      gp__bfs_tally::add(s.sums[turn].appended, sums.appended);
      gp__bfs_tally::add(s.sums[turn].found, sums.found);
      gp__bfs_tally::add(s.sums[turn].edges, sums.edges);
      gp__bfs_tally::add(s.sums[turn].longer, sums.longer);
    }
    sums = gp__bfs_counts{0, 0, 0, 0};
  }
  // A barrier of the grid: thread 0 gets the sums of all blocks, and must be waited for.
  GP_DEVICE gp__bfs_sums wait(bool naps = false) {
    add_to_block();
    __syncthreads();
    if (a.blocks == 1 || gp_warp() != 0) return threadIdx.x == 0 ? s.sums[0].sums() : gp__bfs_sums{0, 0, 0, 0};
    const unsigned lane = gp_lane();
    const gp__bfs_sums of_block = s.sums[0].sums();
    const gp__u64 mine = lane == 0   ? of_block.found
                         : lane == 1 ? of_block.appended
                         : lane == 2 ? of_block.edges
                                     : of_block.longer;
    const gp__u64 all =
        gp__grid_barrier_sum(control->barrier, static_cast<unsigned>(s.state.barriers), a.blocks, s.rank, mine, naps);
    return gp__bfs_sums{__shfl_sync(0xffffffffu, all, 1), __shfl_sync(0xffffffffu, all, 0),
                        __shfl_sync(0xffffffffu, all, 2), __shfl_sync(0xffffffffu, all, 3)};
  }

  // ---- what comes next: one thread of each block, from the same numbers

  GP_DEVICE bool over(const gp__bfs_sums &x) const {
    return !(x.found & ~GP__BFS_HIT) || (x.found & GP__BFS_HIT) || s.state.depth == a.limit;
  }
  // A level has been done.
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
  // Does a level bottom-up count the edges of those that it has not found? They are on its list, the others need not
  // be asked how many they have.
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
    const bool grows = a.in_offsets && a.alpha > 0 && t.edges * static_cast<unsigned>(a.alpha) > t.unexplored &&
                       t.edges * 8 > vertices;
    const gp__u64 parts = t.last - t.first;
    t.step = fits_block(parts, t.edges)                      ? GP__BFS_SMALL
             : fits_grid(parts, t.edges, t.depth, a.spread)  ? GP__BFS_SPREAD
             : cluster() > 1 && fits_cluster(parts, t.edges) ? GP__BFS_CLUSTER
             : !grows                                        ? GP__BFS_TOP_DOWN
             : t.listed                                      ? GP__BFS_LISTED
                                                             : GP__BFS_BOTTOM_UP;
    if (t.listed) t.listed = 2;
  }
  // Is such a frontier small enough for one block to go on alone? What takes it longer than the whole grid's barrier is
  // edges: it has one for each thread, and a list is a warp's, who should be through with it in a step.
  GP_DEVICE bool fits_block(gp__u64 parts, gp__u64 edges) const {
    return parts <= a.small && edges <= P::threads && edges <= parts * GP__WARP;
  }
  GP_DEVICE bool fits_cluster(gp__u64 parts, gp__u64 edges) const {
    return parts <= a.cluster_small && edges <= a.cluster_small * 8ull;
  }
  // A long search: is its frontier large enough that all blocks go on, each with a part of it in its shared memory?
  GP_DEVICE bool fits_grid(gp__u64 parts, gp__u64 edges, int depth_of, unsigned least) const {
    return CLUSTERS && a.spread && a.blocks <= a.cluster * GP__BFS_CLUSTERS && depth_of >= a.spread_after &&
           parts >= least && parts <= a.blocks * (P::threads / FEW_LANES * 1ull) && edges <= parts * 8;
  }
  // Does it go on top-down, behind a level bottom-up?
  GP_DEVICE bool shrinks() const {
    return s.state.edges * static_cast<unsigned>(a.beta) < s.state.list || a.alpha <= 0;
  }
  GP_DEVICE void decide(const gp__bfs_sums &x) {
    gp__bfs_state &t = s.state;
    switch (t.step) {
    case GP__BFS_TOP_DOWN:
      t.first = t.last;
      t.last += x.appended;
      t.settled += x.longer;
      count_level(x, x.edges);
      go_down();
      if (over(x)) t.step = GP__BFS_DONE;
      else if (x.longer && t.step != GP__BFS_BOTTOM_UP && t.step != GP__BFS_LISTED) {
        t.step = GP__BFS_SETTLE;
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
      t.step = over(x) || !t.list ? GP__BFS_DONE : GP__BFS_SETTLE;
      break;
    default: // settle, collect
      if (t.step != GP__BFS_SETTLE || t.appends != GP__BFS_APPENDS_LONG) t.first = t.last;
      t.last += x.appended;
      if (t.step == GP__BFS_SETTLE && t.appends == GP__BFS_APPENDS_NOTHING) t.step = GP__BFS_LISTED;
      else {
        go_down();
        if (t.step == GP__BFS_LISTED) t.step = GP__BFS_TOP_DOWN; // the frontier has been collected: no way back
      }
    }
  }
  // The first block's first thread says what has been done.
  GP_DEVICE void note(int kind) {
    if (threadIdx.x != 0 || !a.statistics || s.rank != 0 || s.steps == GP_TRAVERSAL_STEPS) return;
    gp_traversal_step &r = a.statistics->step[s.steps++];
    r.nanoseconds = gp__nanoseconds() - s.clock;
    r.reached = s.state.reached, r.edges = s.state.explored;
    r.kind = static_cast<gp__u32>(kind), r.depth = static_cast<gp__u32>(s.state.depth);
  }
  // The end of a step. Of levels of one block, or of one cluster, the others learn what has become of the traversal.
  GP_DEVICE void finish_step(int step) {
    const bool alone = step == GP__BFS_SMALL || step == GP__BFS_CLUSTER;
    const gp__bfs_sums all = wait(alone);
    if (threadIdx.x == 0) {
      gp__bfs_state &t = s.state;
      const gp__u64 barriers = t.barriers;
      if (!alone && !(CLUSTERS && step == GP__BFS_SPREAD)) decide(all); // behind those levels all blocks know
      else if (alone && s.rank != 0) t = control->state[barriers & 1u];
      t.barriers = barriers + 1;
      s.sums[0].clear();
      note(step);
    }
    __syncthreads();
  }

  // ---- the queue

  // A warp's buffer: parts of the queue; or of a list, and vertices that wait.
  GP_DEVICE gp_edges *buffer() const { return reinterpret_cast<gp_edges *>(dynamic + gp_warp() * GP__BFS_BUFFER); }
  GP_DEVICE Seeker *places() const { return reinterpret_cast<Seeker *>(dynamic + gp_warp() * GP__BFS_BUFFER); }
  GP_DEVICE Offset *waiting_at() const { // and behind them, where their neighbours end
    return reinterpret_cast<Offset *>(dynamic + gp_warp() * GP__BFS_BUFFER + GP__BFS_BUFFER / 4);
  }
  GP_DEVICE Vertex *waiting_vertices() const { return reinterpret_cast<Vertex *>(waiting_at() + 2 * WAITING); }
  GP_DEVICE gp_edges *small_queue(unsigned which) const {
    return reinterpret_cast<gp_edges *>(dynamic) + (which & 1u) * SMALL;
  }
  // Room for so many, in the cursor; the warp's first lane asks.
  GP_DEVICE static gp__u64 reserve(gp__u64 *cursor, unsigned count) {
    return gp_warp_broadcast(gp_lane() == 0 ? atomicAdd(cursor, static_cast<gp__u64>(count)) : 0, 0);
  }
  GP_DEVICE void flush() {
    if (!buffered) return;
    __syncwarp();
    const gp__u64 at = reserve(&control->queue, buffered);
    for (unsigned i = gp_lane(); i < buffered; i += GP__WARP) queue[at + i] = buffer()[i];
    if (gp_lane() == 0) sums.appended += buffered;
    buffered = 0;
    __syncwarp();
  }
  // In a queue of shared memory, and what does not fit in the queue in memory (of one block's, leave_small).
  template <int TEAM> GP_DEVICE void put_small(unsigned at, const gp_edges &edges) {
    if (at < SMALL) small_queue(TEAM == ONE_BLOCK ? static_cast<unsigned>(depth) : 0)[at] = edges;
    else queue[atomicAdd(&control->queue, 1ull)] = edges;
  }
  // A part of one block's queue joins the queue in memory, in its parts where it is a long list.
  GP_DEVICE void leave(const gp_edges &part, gp__u64 at) {
    const Vertex v = static_cast<Vertex>(part.source);
    set_bit_of(true, v, a.reached[s.state.map]);
    queue[at] = part;
    if (part.count() != GP__BFS_LONG) return;
    const gp__u64 begin = offsets[v], count = offsets[v + 1] - begin, others = (count - 1) / GP__BFS_PART;
    const gp__u64 rest = atomicAdd(&control->queue, others);
    queue[at] = gp_edges_of(begin, GP__BFS_PART, v);
    for (gp__u64 i = 0; i < others; ++i) {
      const gp__u64 done = (i + 1) * GP__BFS_PART;
      queue[rest + i] = gp_edges_of(begin + done, part_of(count - done), v);
    }
    atomicAdd(&s.appended[turn], static_cast<unsigned>(others));
  }
  // What is in one block's queue, `there` parts; over: and, of this cluster, what there was no room for.
  GP_DEVICE void leave_small(unsigned which, unsigned there, unsigned blocks, bool over) {
    gp__u64 i = threadIdx.x, end = 0, j = s.state.last + s.rank * unsigned(P::threads) + i;
    if (over) {
      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[depth & 1][1]);
      end = gp__load_relaxed(&control->queue);
      __syncthreads();
      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[4][0]);
    }
    if (threadIdx.x == 0) s.begin = there ? atomicAdd(&control->queue, static_cast<gp__u64>(there)) : 0;
    __syncthreads();
    while (i < there || j < end) {
      const bool own = i < there;
      leave(own ? small_queue(which)[i] : queue[j], own ? s.begin + i : j);
      (own ? i : j) += own ? unsigned(P::threads) : blocks * P::threads;
    }
  }
  // The first `there` parts of a queue of shared memory join those in memory.
  GP_DEVICE void move_small(unsigned which, unsigned there) {
    if (threadIdx.x == 0) s.begin = there ? atomicAdd(&control->queue, static_cast<gp__u64>(there)) : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < there; i += P::threads) queue[s.begin + i] = small_queue(which)[i];
  }
  // Lanes append the lists of their vertices, and count their edges where they are new.
  template <int TEAM> GP_DEVICE void append(bool has, gp__u64 begin, gp__u64 count, Vertex v, bool counts) {
    const bool is_long = has && count > GP__BFS_PART;
    const unsigned small = !has ? 0 : !is_long ? static_cast<unsigned>(count) : TEAM == ONE_BLOCK ? GP__BFS_LONG : 0;
    const unsigned whole = __ballot_sync(0xffffffffu, small != 0);
    unsigned large = __ballot_sync(0xffffffffu, is_long);
    if (TEAM == ONE_BLOCK && large) sums.edges += gp_warp_reduce(is_long ? count - small : 0, gp_sum<gp__u64>());
    if (TEAM == ONE_BLOCK) large = 0;
    if (whole) {
      if (counts) sums.edges += gp_warp_reduce(small, gp_sum<unsigned>());
      if (small) gp__prefetch(targets + begin);
      const unsigned before = gp__lanes_before(whole);
      const unsigned number = static_cast<unsigned>(__popc(whole));
      if (TEAM != WARPS_OF_GRID) {
        const unsigned at = gp_warp_broadcast(gp_lane() == 0 ? atomicAdd(&s.appended[turn], number) : 0, 0);
        if (small) put_small<TEAM>(at + before, gp_edges_of(begin, small, v));
      } else {
        if (buffered + number > ROOM) flush();
        if (small) buffer()[buffered + before] = gp_edges_of(begin, small, v);
        buffered += number;
      }
    }
    if (TEAM != ONE_BLOCK && counts && large && a.in_offsets &&
        a.alpha > 0) { // in parts once it is known that it goes on top-down
      const unsigned number = static_cast<unsigned>(__popc(large));
      const gp__u64 at = reserve(&control->settled, number) - s.state.settled;
      const bool is = (large >> gp_lane() & 1u) != 0;
      if (is) static_cast<Vertex *>(a.found)[at + gp__lanes_before(large)] = v;
      sums.edges += gp_warp_reduce(is ? count : 0, gp_sum<gp__u64>());
      if (gp_lane() == 0) sums.longer += number;
      return;
    }
    for (; large; large &= large - 1) { // a long list in parts, by the whole warp
      const int owner = __ffs(static_cast<int>(large)) - 1;
      const gp__u64 from = __shfl_sync(0xffffffffu, begin, owner), length = __shfl_sync(0xffffffffu, count, owner);
      const Vertex vertex = __shfl_sync(0xffffffffu, v, owner);
      const unsigned parts = static_cast<unsigned>((length + GP__BFS_PART - 1) / GP__BFS_PART);
      gp__u64 at;
      if (counts) sums.edges += length;
      if (TEAM != WARPS_OF_GRID) at = gp_warp_broadcast(gp_lane() == 0 ? atomicAdd(&s.appended[turn], parts) : 0, 0);
      else at = reserve(&control->queue, parts);
      for (unsigned i = gp_lane(); i < parts; i += GP__WARP) {
        const gp__u64 done = static_cast<gp__u64>(i) * GP__BFS_PART, rest = length - done;
        const gp_edges part = gp_edges_of(from + done, part_of(rest), vertex);
        if (TEAM != WARPS_OF_GRID) put_small<TEAM>(static_cast<unsigned>(at) + i, part);
        else queue[at + i] = part;
      }
      if (TEAM == WARPS_OF_GRID && gp_lane() == 0) sums.appended += parts;
    }
  }
  // Vertices that lanes append to the next list.
  template <bool LISTED> GP_DEVICE void flush_list() {
    if (!buffered) return;
    __syncwarp();
    Seeker *list = static_cast<Seeker *>(a.lists[LISTED ? s.state.side ^ 1 : s.state.side]);
    const gp__u64 at = reserve(&control->kept, buffered) - s.state.kept;
    for (unsigned i = gp_lane(); i < buffered; i += GP__WARP) list[at + i] = places()[i];
    buffered = 0;
    __syncwarp();
  }
  template <bool LISTED> GP_DEVICE void append_to_list(bool has, Vertex v, Vertex neighbour) {
    const unsigned mask = __ballot_sync(0xffffffffu, has), number = static_cast<unsigned>(__popc(mask));
    if (!number) return;
    if (buffered + number > PLACES) flush_list<LISTED>();
    if (has) places()[buffered + gp__lanes_before(mask)] = Seeker{v, neighbour};
    buffered += number;
  }

  // ---- top-down

  GP_DEVICE static bool has_bit(const gp__u32 *map, Vertex v) { return (map[v >> 5] >> (v & 31u) & 1u) != 0; }
  GP_DEVICE void write(Vertex v, int d, Vertex parent) {
    a.depths[v] = d;
    if (parents) parents[v] = parent;
  }
  // Each step goes over all of a lane's edges before the next one begins, so that a lane waits once a step, not once an
  // edge. Where a level is short of time rather than of bandwidth, lists are asked for before it is known who wins.
  template <int TEAM> GP_DEVICE void expand(const gp_edges &edges, bool looks) {
    const auto all = [&](const bool(&there)[ITEMS], const Vertex(&source)[ITEMS], const Vertex(&v)[ITEMS]) {
      visit<TEAM>(there, source, v, looks);
    };
    gp__warp_expand<ITEMS>(edges, targets, all);
  }
  // Which vertices are reached, levels know by bits; small ones of a launch in clusters by depths (reached_at). The
  // word of either; its value, by which a vertex is new; and its value before this level took the vertex.
  GP_DEVICE static bool by_depth(int team) { return CLUSTERS && team == ONE_BLOCK; }
  template <int TEAM> GP_DEVICE gp__u32 *state_of(Vertex v, gp__u32 *map) const {
    return by_depth(TEAM) ? reached_at(v) : map + (v >> 5);
  }
  template <int TEAM> GP_DEVICE bool is_new(Vertex v, gp__u32 was) const {
    return by_depth(TEAM) ? was > static_cast<gp__u32>(depth) : !(was >> (v & 31u) & 1u);
  }
  template <int TEAM> GP_DEVICE gp__u32 take(Vertex v, gp__u32 *map) const {
    return by_depth(TEAM) ? atomicMin(reached_at(v), static_cast<gp__u32>(depth))
                          : atomicOr(map + (v >> 5), 1u << (v & 31u));
  }
  template <int TEAM>
  GP_DEVICE void visit(const bool (&there)[ITEMS], const Vertex (&source)[ITEMS], const Vertex (&v)[ITEMS],
                       bool looks) {
    gp__u32 *map = a.reached[s.state.map];
    bool mine[ITEMS];
    gp__u32 was[ITEMS];
    Offset begin[ITEMS], end[ITEMS];
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      inspected += there[i];
      was[i] = looks && there[i] ? gp__load_volatile(state_of<TEAM>(v[i], map)) : by_depth(TEAM) ? ~0u : 0;
    }
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) mine[i] = there[i] && is_new<TEAM>(v[i], was[i]);
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) was[i] = mine[i] ? take<TEAM>(v[i], map) : 0;
    if (TEAM != WARPS_OF_GRID) get_lists(mine, v, begin, end);
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) mine[i] = mine[i] && is_new<TEAM>(v[i], was[i]);
    if (TEAM == WARPS_OF_GRID) get_lists(mine, v, begin, end);
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const unsigned won = __ballot_sync(0xffffffffu, mine[i]);
      if (!won) continue;
      if (mine[i] && by_depth(TEAM)) {
        reach(v[i], was[i], source[i], end[i] - begin[i]);
        set_bit_of(begin[i] == end[i], v[i], map);
      }
      if (mine[i] && !by_depth(TEAM)) write(v[i], depth, source[i]);
      if (gp_lane() == 0) sums.found += static_cast<unsigned>(__popc(won));
      if (mine[i] && !by_depth(TEAM) && v[i] == a.target) gp__bfs_tally::add(s.sums[turn].found, GP__BFS_HIT);
      append<TEAM>(mine[i], begin[i], end[i] - begin[i], v[i], true);
    }
  }
  // The beginning and the end of a list that this block visits next; 32 bytes are what a cache gets at least.
  GP_DEVICE void prefetch_list(Offset begin, Offset count) {
    const unsigned sector = 32 / unsigned(sizeof(Vertex)), from = static_cast<unsigned>(begin) % sector;
    gp__cp_async_wait(); // those before, which have long since come, as they would be written over
    gp__prefetch_near(targets + begin, s.nowhere[0] + threadIdx.x);
    if (from + static_cast<unsigned>(count) > sector)
      gp__prefetch_near(targets + begin + count - 1, s.nowhere[1] + threadIdx.x);
  }
  // In a launch in clusters levels of one block and of a cluster go by depths: a block may be one level ahead, and what
  // it has reached is reached again by those behind. Bits are set by who visits a list, or leaves it.
  GP_DEVICE gp__u32 *reached_at(Vertex v) const { return reinterpret_cast<gp__u32 *>(a.depths) + v; }
  GP_DEVICE void set_bit_of(bool has, gp__u64 v, gp__u32 *map) const {
    if (CLUSTERS && has) gp__set_bit_alone(map, v);
  }
  GP_DEVICE void reach(Vertex v, gp__u32 was, Vertex parent, gp__u64 count) {
    if (!CLUSTERS) a.depths[v] = depth;
    else if (was != ~0u) {
      gp__bfs_tally::add(s.again.found, 1);
      gp__bfs_tally::add(s.again.edges, count);
    }
    if (parents) parents[v] = parent;
    if (v == a.target) gp__bfs_tally::add(s.sums[turn].found, GP__BFS_HIT);
  }
  // A level of few short parts waits for memory, and for a warp's next instruction, so it has few: each part has four
  // lanes, which append by themselves. `counted` gets vertices found, from bit 20 on, and edges that leave them.
  enum { FEW_LANES = 4, FEW_EDGES = 16, FEW_SHIFT = 20 };
  GP_DEVICE void visit_few(const gp_edges &part, gp__u32 *map, unsigned &counted) {
    const Vertex *list = targets + part.begin();
    const unsigned edges = part.count();
    unsigned at = gp_lane() % FEW_LANES;
    Vertex v = at < edges ? list[at] : 0;
    set_bit_of(at == 0 && edges, part.source, map);
    for (;;) {
      const bool there = at < edges;
      gp__u32 was = 0; // above depth: v is reached by this
      if (there && CLUSTERS) was = atomicMin(reached_at(v), static_cast<gp__u32>(depth));
      if (there && !CLUSTERS) was = gp__set_bit(map, v) ? ~0u : 0;
      const Offset begin = there ? offsets[v] : 0, count = (there ? offsets[v + 1] : 0) - begin;
      inspected += there;
      if (was > static_cast<gp__u32>(depth)) {
        const bool is_long = count > GP__BFS_PART;
        if (count) {
          prefetch_list(begin, count);
          put_small<ONE_BLOCK>(gp__shared_add_unaggregated(&s.appended[turn], 1u),
                               gp_edges_of(begin, is_long ? unsigned(GP__BFS_LONG) : static_cast<unsigned>(count), v));
        } else set_bit_of(true, v, map);
        counted += 1u << FEW_SHIFT | (is_long ? 0 : static_cast<unsigned>(count));
        if (is_long) gp__bfs_tally::add(s.sums[turn].edges, count);
        reach(v, was, static_cast<Vertex>(part.source), count);
      }
      at += FEW_LANES;
      if (!__any_sync(0xffffffffu, at < edges)) return;
      v = at < edges ? list[at] : 0;
    }
  }
  // Lanes' parts of one block's queue; then the warp takes long lists together.
  GP_DEVICE void visit_all(const gp_edges &part, gp__u32 *map, bool looks) {
    const Vertex source = static_cast<Vertex>(part.source);
    const bool is_long = part.count() == GP__BFS_LONG;
    unsigned left = __ballot_sync(0xffffffffu, is_long);
    gp_edges now = is_long ? gp_edges_of(0, 0, 0) : part;
    Offset done = 0;
    set_bit_of(part.count() != 0, source, map);
    for (;;) {
      expand<ONE_BLOCK>(now, looks);
      if (!left) return;
      const Vertex v = __shfl_sync(0xffffffffu, source, __ffs(static_cast<int>(left)) - 1);
      const Offset begin = offsets[v], count = offsets[v + 1] - begin;
      const Offset mine = done + gp_lane() * unsigned(GP__BFS_PART);
      now = gp_edges_of(begin + mine, mine < count ? part_of(count - mine) : 0, v);
      done += GP__WARP * unsigned(GP__BFS_PART);
      if (done >= count) done = 0, left &= left - 1;
    }
  }
  GP_DEVICE void get_lists(const bool (&has)[ITEMS], const Vertex (&v)[ITEMS], Offset (&begin)[ITEMS],
                           Offset (&end)[ITEMS]) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      begin[i] = has[i] ? offsets[v[i]] : 0;
      end[i] = has[i] ? offsets[v[i] + 1] : 0;
    }
  }
  GP_DEVICE void top_down() {
    const gp__u64 first = s.state.first, count = s.state.last - first;
    depth = s.state.depth + 1;
    if (count <= static_cast<gp__u64>(a.blocks) * P::threads && s.state.edges <= static_cast<gp__u64>(a.blocks) * SMALL)
      return top_down_by_blocks(first, count);
    // Where there are fewer parts than lanes, more warps have fewer.
    const gp__u64 share = (count + warps_of_grid() - 1) / warps_of_grid();
    const unsigned width = share < GP__WARP ? static_cast<unsigned>(share) : unsigned(GP__WARP);
    for (gp__u64 at = warp_of_grid() * width; at < count; at += warps_of_grid() * width) {
      gp_edges edges = gp_edges_of(0, 0, 0);
      if (gp_lane() < width && at + gp_lane() < count) edges = queue[first + at + gp_lane()];
      expand<WARPS_OF_GRID>(edges, true);
    }
    flush();
  }
  // Parts are too few to keep all lanes busy: each block has its share, and takes room in the queue for all its warps
  // by one atomic, as thousands on one word are a queue of their own.
  GP_DEVICE void top_down_by_blocks(gp__u64 first, gp__u64 count) {
    const unsigned most = static_cast<unsigned>((count + a.blocks - 1) / a.blocks);
    const gp__u64 from = static_cast<gp__u64>(s.rank) * most;
    const unsigned share = from >= count ? 0 : count - from < most ? static_cast<unsigned>(count - from) : most;
    const unsigned width = (most + WARPS - 1) / WARPS, each = most < WARPS ? WARPS / most : 1; // warps a part
    const unsigned at = gp_warp() / each * width;
    if (at < share) {
      gp_edges edges = gp_edges_of(0, 0, 0);
      if (gp_lane() < width && at + gp_lane() < share) edges = queue[first + from + at + gp_lane()];
      if (each > 1) { // one lane's part: this warp's piece of it
        const unsigned piece = (edges.count() + each - 1) / each, before = gp_warp() % each * piece;
        const unsigned rest = edges.count() > before ? edges.count() - before : 0;
        edges = gp_edges_of(edges.begin() + before, rest < piece ? rest : piece, edges.source);
      }
      expand<BLOCKS_OF_GRID>(edges, most >= static_cast<unsigned>(a.look_from));
    }
    __syncthreads();
    const unsigned appended = s.appended[0], there = appended < SMALL ? appended : SMALL;
    if (threadIdx.x == 0) sums.appended += appended;
    move_small(0, there);
    if (threadIdx.x == 0) s.appended[0] = 0;
  }
  // Words of a cluster's blocks in shared memory: each is written by the block that it is of, and says of which level,
  // which nobody reads it for but once.
  GP_DEVICE void clear_words() {
    gp__u64 *word = s.message[0][0], *of_clusters = control->news[0];
    for (unsigned i = threadIdx.x; i < sizeof s.message / sizeof *word; i += P::threads) gp__cluster_store(word + i, 0);
    if (blockIdx.x == 0 && threadIdx.x < sizeof control->news / sizeof *word)
      gp__store_relaxed(of_clusters + threadIdx.x, 0);
  }
  GP_DEVICE gp__u64 *words_of_level(unsigned half) const { return s.message[depth & 1][half]; }
  GP_DEVICE unsigned tag_of_level() const { // a clear word is of no level
    return (static_cast<unsigned>(depth) & 0x7fffu) | 0x8000u;
  }
  // A word of each block to each: a lane's to block `to`, or none's.
  GP_DEVICE gp__u64 exchange_word(gp__u64 *words, unsigned to, gp__u64 value) const {
    if (to < a.cluster) gp__cluster_send(words + s.place, to, value << 16 | tag_of_level());
    return await_words(to < a.cluster, [&] { return gp__cluster_load(words + to); });
  }
  // Of lanes that have a word: what it says, once all words are of this level; others get 0.
  template <class Load> GP_DEVICE gp__u64 await_words(bool has, const Load &load) const {
    const unsigned tag = tag_of_level();
    gp__u64 got = tag;
    do
      if (has) got = load();
    while (!__all_sync(0xffffffffu, (got & 0xffffu) == tag));
    return got >> 16;
  }
  // The blocks of a cluster, or of the grid, bring what they have counted in a level, and get what all have. Nobody can
  // be two levels ahead, so two sets of words do. LEVEL_PLAIN: of the next level it need not be known at its end what
  // the others have; all that a block finds in it has room, as it has no more edges than that.
  // fenced: some have read what lies in others' queues, which will be written over. before: how many parts there were.
  GP_DEVICE void exchange(bool in_grid, bool fenced, unsigned &before) {
    if (gp_warp() != 0) return;
    if (fenced) gp__fence();
    const gp__bfs_block_totals own = gp__bfs_block_totals::of(s.appended[turn], s.sums[turn]);
    const gp__bfs_block_totals got = gp__bfs_block_totals::of(exchange_word(words_of_level(0), gp_lane(), own.word()));
    if (fenced) gp__fence();
    gp__bfs_cluster_totals all;
    all.appended = gp__warp_sum(got.appended), all.edges = gp__warp_sum(got.edges);
    const unsigned most = P::threads / (in_grid ? FEW_LANES : 8); // of the grid, what warps take at once
    const bool much =
        got.appended > most && got.appended * (in_grid ? a.blocks : a.cluster) > 2 * (in_grid ? before : all.appended);
    all.found = __any_sync(0xffffffffu, got.found), all.hit = __any_sync(0xffffffffu, got.hit);
    all.over = __any_sync(0xffffffffu, got.appended > SMALL), all.wide = __any_sync(0xffffffffu, got.edges > SMALL);
    all.uneven = __any_sync(0xffffffffu, much);
    if (in_grid) all = exchange_of_clusters(all);
    const bool done = !all.found || all.hit || depth == a.limit;
    const bool stays = !done && !all.over &&
                       (in_grid ? !all.uneven && fits_grid(all.appended, all.edges, depth, a.spread / 2)
                                : fits_cluster(all.appended, all.edges) && all.appended * 4 > a.small &&
                                      !fits_grid(all.appended, all.edges, depth, a.spread));
    const bool uneven = all.uneven && stays;
    const bool plain = stays && !uneven && !all.wide && a.target == ~0ull && !parents && depth + 1 != a.limit &&
                       all.appended <= before + before / 4 + 64;
    before = all.appended;
    if (uneven) {
      const unsigned end = gp_warp_inclusive_scan(got.appended, gp_sum<unsigned>());
      if (gp_lane() < GP__BFS_CLUSTER_MOST) s.ends[gp_lane()] = end;
    }
    if (gp_lane() == 0)
      s.verdict[depth & 1] = (done ? LEVEL_DONE : 0) | (stays ? LEVEL_STAYS : 0) | (uneven ? LEVEL_UNEVEN : 0) |
                             (all.edges <= all.appended * 8 ? LEVEL_FEW : 0) | (all.found ? LEVEL_FOUND : 0) |
                             (all.over ? LEVEL_OVER : 0) | (plain ? LEVEL_PLAIN : 0);
  }
  // What clusters have counted: two words of each, that its first block writes and all blocks read.
  GP_DEVICE gp__bfs_cluster_totals exchange_of_clusters(const gp__bfs_cluster_totals &own) {
    const unsigned lane = gp_lane();
    gp__u64 *words = control->news[depth & 1];
    if (s.place == 0 && lane < 2)
      gp__store_relaxed(words + s.rank / a.cluster * 2 + lane, own.word(lane == 0) << 16 | tag_of_level());
    return gp__bfs_cluster_totals::of_lanes(
        await_words(lane < a.blocks / a.cluster * 2, [&] { return gp__load_relaxed(words + lane); }));
  }
  // The first warp of each block: sums of all, of four lanes.
  GP_DEVICE gp__u64 meet_in_grid(gp__u64 mine) {
    const gp__u64 number = s.state.barriers;
    __syncwarp();
    if (gp_lane() == 0) s.state.barriers = number + 1;
    return gp__grid_barrier_sum(control->barrier, static_cast<unsigned>(number), a.blocks, s.rank, mine);
  }
  // What all have counted, at the end.
  GP_DEVICE void sum_levels(bool in_grid) {
    if (gp_warp() != 0) return;
    const unsigned half = gp_lane() / 16, other = gp_lane() % 16;
    const gp__bfs_sums mine = s.sums[turn].sums(), again = s.again.sums();
    const gp__u64 all_found = s.found - again.found, all_explored = s.explored - again.edges;
    const gp__u64 last = s.appended[turn] | (again.found ? 1ull << GP__BFS_AGAIN_SHIFT : 0);
    gp__u64 found, explored, appended, edges;
    if (in_grid) {
      const gp__u64 sum = meet_in_grid(gp_lane() == 0   ? all_found
                                       : gp_lane() == 1 ? all_explored
                                       : gp_lane() == 2 ? last
                                                        : mine.edges);
      found = __shfl_sync(0xffffffffu, sum, 0), explored = __shfl_sync(0xffffffffu, sum, 1);
      appended = __shfl_sync(0xffffffffu, sum, 2), edges = __shfl_sync(0xffffffffu, sum, 3);
    } else {
      const gp__u64 of_all = exchange_word(s.message[3][half], other, half ? all_explored : all_found);
      const gp__u64 of_last = exchange_word(s.message[2][half], other, half ? mine.edges : last);
      const auto sum = [&](gp__u64 x, unsigned which) {
        const gp__u64 low = gp__warp_sum(half == which && other < a.cluster ? static_cast<unsigned>(x) & 0xffffffu : 0);
        const gp__u64 high = gp__warp_sum(half == which && other < a.cluster ? static_cast<unsigned>(x >> 24) : 0);
        return low + (high << 24);
      };
      found = sum(of_all, 0), explored = sum(of_all, 1), appended = sum(of_last, 0), edges = sum(of_last, 1);
    }
    if (gp_lane() == 0) {
      s.level = gp__bfs_sums{appended & ((1ull << GP__BFS_AGAIN_SHIFT) - 1), 0, edges, 0};
      if (appended >> GP__BFS_AGAIN_SHIFT) s.state.again = 1;
      s.state.reached += found, s.state.explored += explored, s.state.unexplored -= explored;
    }
  }
  // All blocks of the cluster, or of the grid, may read what is in the others' queues.
  GP_DEVICE void open_queues(bool in_grid, gp__u64 *words) {
    if (gp_warp() == 0) {
      gp__fence();
      if (in_grid) meet_in_grid(0);
      else exchange_word(words, gp_lane(), 0);
      gp__fence();
    }
    __syncthreads();
  }
  // Part i of those in the queues of all blocks of the cluster.
  GP_DEVICE gp_edges part_of_cluster(unsigned which, unsigned i) {
    unsigned block = 0, begin = 0;
    while (s.ends[block] <= i) begin = s.ends[block++];
    return *gp__in_block(small_queue(which) + (i - begin), block);
  }
  // Levels of one block, of one cluster or of the grid, `blocks` in all, as long as the frontier is of that size; each
  // block appends to a queue in its own shared memory, and parts are shared out anew where some have far more than
  // others (of the grid, by a new beginning). One barrier a level: counters are three in turn, one that is added to,
  // one that is read, one that is cleared. Behind a plain level of a cluster the first warp alone waits for words, and
  // what they say is known at the barrier of the next.
  enum {
    LEVEL_DONE = 1,
    LEVEL_STAYS = 2,
    LEVEL_UNEVEN = 4,
    LEVEL_FEW = 8,
    LEVEL_FOUND = 16,
    LEVEL_PLAIN = 32,
    LEVEL_OVER = 64
  };
  GP_DEVICE void small_levels(unsigned blocks) {
    gp__bfs_state &t = s.state;
    gp__u32 *map = a.reached[t.map];
    const bool in_team = CLUSTERS && blocks > 1, in_grid = CLUSTERS && blocks > a.cluster;
    const unsigned parts = static_cast<unsigned>(t.last - t.first);
    const unsigned turned = WARPS - 1 - gp_warp(); // from the last warp on, as the first has more to do
    unsigned first = parts * s.rank / blocks, count = parts * (s.rank + 1) / blocks - first, appended;
    unsigned verdict = t.edges <= parts * 8ull ? LEVEL_FEW : 0, before = parts, alive = 1;
    depth = t.depth;
    for (unsigned i = threadIdx.x; i < count; i += P::threads)
      small_queue(static_cast<unsigned>(depth))[i] = queue[t.first + first + i];
    if (threadIdx.x == 0) s.verdict[depth & 1] = 0, s.found = s.explored = 0, s.again.clear();
    __syncthreads();
    do {
      const unsigned from = static_cast<unsigned>(depth++), next = turn == 2 ? 0 : turn + 1;
      const bool few = (verdict & LEVEL_FEW) != 0, uneven = CLUSTERS && (verdict & LEVEL_UNEVEN) != 0;
      const unsigned share = (count + WARPS - 1) / WARPS, width = few                ? unsigned(GP__WARP / FEW_LANES)
                                                                  : share < GP__WARP ? share
                                                                                     : unsigned(GP__WARP);
      unsigned counted = 0;
      for (unsigned at = turned * width; at < count; at += WARPS * width) {
        const auto part = [&](unsigned i, unsigned end) {
          return i >= end ? gp_edges_of(0, 0, 0) : uneven ? part_of_cluster(from, first + i) : small_queue(from)[i];
        };
        if (few) {
          const gp_edges one = part(at + gp_lane() / FEW_LANES, count);
          if (__all_sync(0xffffffffu, one.count() <= FEW_EDGES)) {
            visit_few(one, map, counted);
            continue;
          }
        }
        visit_all(part(at + gp_lane(), count < at + width ? count : at + width), map,
                  count >= static_cast<unsigned>(a.look_from));
      }
      if (turned * width < count) {
        counted = gp__warp_sum(counted);
        if (gp_lane() == 0 && counted) {
          gp__shared_add_unaggregated(&s.sums[turn].found[0], counted >> FEW_SHIFT);
          gp__shared_add_unaggregated(&s.sums[turn].edges[0], counted & ((1u << FEW_SHIFT) - 1));
        }
        add_to_block(); // of long lists
      }
      if (threadIdx.x == BESIDE) s.sums[next].clear(), s.appended[next] = 0;
      __syncthreads();
      if (in_team) {
        const unsigned last = s.verdict[~depth & 1];
        count = appended = s.appended[turn];
        if (last & LEVEL_PLAIN) { // on, before it is known what the others have
          exchange(in_grid, false, before);
          verdict = LEVEL_STAYS | (last & LEVEL_FEW);
        } else {
          exchange(in_grid, uneven, before);
          __syncthreads();
          verdict = s.verdict[depth & 1];
          if (verdict & LEVEL_UNEVEN) {
            const unsigned all = s.ends[a.cluster - 1];
            open_queues(false, s.message[depth & 1][1]);
            first = all * s.rank / blocks, count = all * (s.rank + 1) / blocks - first;
          }
        }
        if (threadIdx.x == BESIDE) { // in shared memory, as registers are short
          const gp__bfs_sums level = s.sums[turn].sums();
          s.found += level.found & ~GP__BFS_HIT;
          s.explored += level.edges;
          if (depth != t.depth + 1) { // of the level before
            t.small += alive, alive = last / LEVEL_FOUND % 2;
            t.levels += alive;
          }
        }
      } else {
        gp__bfs_sums level = s.sums[turn].sums();
        level.appended = count = appended = s.appended[turn];
        const bool done = !(level.found & ~GP__BFS_HIT) || (level.found & GP__BFS_HIT) || depth == a.limit;
        verdict = (done                             ? LEVEL_DONE
                   : fits_block(count, level.edges) ? LEVEL_STAYS
                                                    : 0) |
                  (level.edges <= count * 8ull ? LEVEL_FEW : 0) | (count > SMALL ? LEVEL_OVER : 0);
        if (threadIdx.x == BESIDE) {
          s.level = level;
          ++t.small;
          t.levels += (level.found & ~GP__BFS_HIT) != 0;
          t.reached += level.found & ~GP__BFS_HIT;
          t.explored += level.edges;
          t.unexplored -= level.edges;
        }
      }
      if (verdict & LEVEL_STAYS) turn = next;
    } while (verdict & LEVEL_STAYS);
    const bool done = (verdict & LEVEL_DONE) != 0;
    leave_small(static_cast<unsigned>(depth),
                done               ? 0
                : appended < SMALL ? appended
                                   : SMALL,
                blocks, !done && (verdict & LEVEL_OVER));
    __syncthreads();
    if (in_team) {
      sum_levels(in_grid);
      if (threadIdx.x == BESIDE) t.small += alive, t.levels += verdict / LEVEL_FOUND % 2;
      __syncthreads();
      clear_words();
    }
    gp__cp_async_wait();
    __syncthreads();
    const unsigned in_turn = turn;
    turn = 0;
    if (threadIdx.x == 0) {
      const gp__bfs_sums level = s.level;
      const unsigned all_parts = s.appended[in_turn];
      for (int i = 0; i < 3; ++i) s.sums[i].clear(), s.appended[i] = 0;
      t.depth = depth;
      t.edges = level.edges;
      t.first = t.last;
      if (verdict & LEVEL_DONE) t.step = GP__BFS_DONE;
      else {
        t.last += in_team ? level.appended : all_parts;
        go_down();
      }
      if (s.rank == 0) control->state[t.barriers & 1u] = t;
    }
    __syncthreads();
  }

  // ---- bottom-up

  // Neighbours before p in the 16 bytes that hold it.
  GP_DEVICE static unsigned before_whole(const Vertex *p) {
    return static_cast<unsigned>(reinterpret_cast<gp__u64>(p) / sizeof(Vertex)) & (LOOK - 1u);
  }
  // The 16 bytes that hold p, of what is there. They stay out of the nearest cache, which is the bitmap's.
  GP_DEVICE void load_neighbours(const Vertex *p, Vertex (&u)[LOOK]) const {
    const Vertex *from = p - before_whole(p), *end = in_sources + s.edges;
    if (from >= in_sources && from + LOOK <= end) {
      gp__vec<Vertex> whole;
      whole.vector = gp__load_vector<GP_CACHE_L2>(from);
      GPUPRIMS__UNROLL
      for (int i = 0; i < LOOK; ++i) u[i] = whole.item[i];
    } else {
      GPUPRIMS__UNROLL
      for (int i = 0; i < LOOK; ++i) u[i] = from + i >= p && from + i < end ? from[i] : 0;
    }
  }
  // Where a look at the 16 bytes that hold `at`, and others behind them, ends: `whole` of 16 bytes in all.
  GP_DEVICE Offset behind(Offset at, Offset end, unsigned whole) const {
    const unsigned n = whole * LOOK - before_whole(in_sources + at);
    return end - at < n ? end : at + n;
  }
  // Has one of the neighbours been reached that stand in the 16 bytes of `at`, from there on? It is the parent, or else
  // one of the others is.
  GP_DEVICE bool look(const gp__u32 *map, Offset at, Offset end, Vertex &parent) {
    const unsigned from = before_whole(in_sources + at), n = static_cast<unsigned>(behind(at, end, 1) - at);
    Vertex u[LOOK];
    bool hit = false;
    load_neighbours(in_sources + at, u);
    GPUPRIMS__UNROLL
    for (unsigned i = 0; i < LOOK; i += 2) { // by twos, as each word of the bitmap is an access of L2
      const bool first = !hit && i >= from && i < from + n, second = !hit && i + 1 >= from && i + 1 < from + n;
      const bool one = first && has_bit(map, u[i]), two = second && has_bit(map, u[i + 1]);
      inspected += first + second;
      if (second) parent = u[i + 1];
      if (one || (first && !second)) parent = u[i];
      hit = hit || one || two;
    }
    return hit;
  }
  // A vertex has found a neighbour, or has none of its `degree` neighbours, `parent` among them.
  template <bool LISTED> GP_DEVICE void conclude(bool ends, Vertex v, bool found, Vertex parent, Offset degree) {
    const bool keeps = ends && !found && degree != 0;
    if (ends && (found || !LISTED)) write(v, found ? depth : -1, found ? parent : static_cast<Vertex>(~Vertex(0)));
    if (found) {
      ++sums.found;
      if (LISTED) atomicOr(a.fresh + (v >> 5), 1u << (v & 31u));
      if (v == a.target) gp__bfs_tally::add(s.sums[0].found, GP__BFS_HIT);
    }
    if (counts_rest()) sums.edges += keeps ? degree : 0;
    else if (found) sums.edges += static_cast<Offset>(offsets[v + 1] - offsets[v]);
    append_to_list<LISTED>(keeps, v, parent);
    sums.appended += keeps;
  }
  // A vertex that has looked in vain, and the neighbours that it has not looked at.
  struct Waiter {
    Vertex vertex;
    Offset at, end;
  };
  GP_DEVICE Waiter waiter(bool is, unsigned place) const {
    return Waiter{is ? waiting_vertices()[place] : 0, is ? waiting_at()[place] : 0,
                  is ? waiting_at()[WAITING + place] : 0};
  }
  // They wait until there is a warp of them.
  GP_DEVICE void wait_for_others(bool waits, const Waiter &x, unsigned &waiting) const {
    const unsigned mask = __ballot_sync(0xffffffffu, waits);
    if (waits) {
      const unsigned place = waiting + gp__lanes_before(mask);
      waiting_vertices()[place] = x.vertex;
      waiting_at()[place] = x.at;
      waiting_at()[WAITING + place] = x.end;
    }
    waiting += static_cast<unsigned>(__popc(mask));
  }
  // They look on, at 16 bytes each; where they are few, with several lanes each.
  template <bool LISTED> GP_DEVICE void look_on(const gp__u32 *map, gp__u32 *next, unsigned &waiting) {
    const unsigned taken = waiting < GP__WARP ? waiting : unsigned(GP__WARP);
    const gp__lane_team team(taken);
    waiting -= taken;
    const bool is = team.number < taken;
    __syncwarp();
    const Waiter mine = waiter(is, waiting + team.number);
    const Vertex v = mine.vertex;
    __syncwarp(); // they have been taken
    Vertex parent = 0;
    const Offset from = is && team.rank ? behind(mine.at, mine.end, team.rank) : mine.at;
    const bool hit = from < mine.end && look(map, from, mine.end, parent);
    const unsigned hits = team.of(__ballot_sync(0xffffffffu, hit));
    parent = __shfl_sync(0xffffffffu, parent, static_cast<int>(team.first(hits)));
    const Offset rest = is ? behind(mine.at, mine.end, team.width) : mine.end;
    const bool leads = is && !team.rank, waits = leads && !hits && rest < mine.end, found = leads && hits;
    if (!LISTED && found) atomicOr(next + (v >> 5), 1u << (v & 31u));
    const bool keeps = leads && !waits && !found;
    conclude<LISTED>(leads && !waits, v, found, parent, keeps ? static_cast<Offset>(mine.end - in_offsets[v]) : 0);
    wait_for_others(waits, Waiter{v, rest, mine.end}, waiting);
  }
  // A warp goes over words of the bitmap, or as many vertices of the list. Each looks at one neighbour, its first or
  // the list's, which has most often been reached; who needs more looks on later.
  template <bool LISTED> GP_DEVICE void bottom_up() {
    const gp__bfs_state &t = s.state;
    const gp__u32 *map = a.reached[t.map];
    gp__u32 *next = a.reached[t.map ^ 1];
    const Seeker *list = static_cast<const Seeker *>(a.lists[t.side]);
    const Vertex last = static_cast<Vertex>((LISTED ? t.list : vertices) - 1),
                 step = static_cast<Vertex>(warps_of_grid());
    const Vertex rows = last / GP__WARP + 1; // a step has something to do
    unsigned waiting = 0;
    depth = t.depth + 1;
    if (!LISTED) {
      for (gp__u64 i = static_cast<gp__u64>(s.rank) * P::threads + threadIdx.x; i < words;
           i += static_cast<gp__u64>(a.blocks) * P::threads)
        a.fresh[i] = 0;
    }
    for (Vertex row = static_cast<Vertex>(warp_of_grid()); row < rows; row += WORDS * step) {
      Vertex v[WORDS], parent[WORDS];
      Offset begin[WORDS], end[WORDS];
      gp__u32 word[WORDS];
      bool there[WORDS], found[WORDS];
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS; ++w) {
        const Vertex mine = row + unsigned(w) * step, i = mine * GP__WARP + gp_lane();
        const bool is = mine < rows && i <= last;
        word[w] = !LISTED && mine < rows ? map[mine] : 0;
        const Seeker seeker = LISTED && is ? list[i] : Seeker{i, 0};
        v[w] = seeker.vertex, parent[w] = seeker.neighbour;
        there[w] = is && (LISTED ? t.listed == 1 || !has_bit(map, v[w]) : (word[w] >> gp_lane() & 1u) == 0);
        begin[w] = !LISTED && there[w] ? in_offsets[v[w]] : 0;
        end[w] = !LISTED && there[w] ? in_offsets[v[w] + 1] : 0;
      }
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS && !LISTED; ++w) parent[w] = begin[w] < end[w] ? in_sources[begin[w]] : 0;
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS && !LISTED; ++w) { // offsets that come next
        const Vertex mine = row + unsigned(w + WORDS) * step, i = mine * GP__WARP + gp_lane();
        if (mine < rows && i <= last) gp__prefetch(in_offsets + i);
      }
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS; ++w) {
        const bool looks = LISTED ? there[w] : begin[w] < end[w];
        found[w] = looks && has_bit(map, parent[w]);
        inspected += looks;
      }
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS && LISTED; ++w) {
        const bool looks = there[w] && !found[w];
        begin[w] = looks ? in_offsets[v[w]] : 0;
        end[w] = looks ? in_offsets[v[w] + 1] : 0;
      }
      GPUPRIMS__UNROLL
      for (int w = 0; w < WORDS; ++w) {
        const bool waits = !found[w] && begin[w] + 1 < end[w];
        const unsigned bits = __ballot_sync(0xffffffffu, found[w]);
        const Vertex mine = row + unsigned(w) * step;
        if (!LISTED && gp_lane() == 0 && mine < rows) next[mine] = word[w] | bits;
        conclude<LISTED>(there[w] && !waits, v[w], found[w], parent[w], static_cast<Offset>(end[w] - begin[w]));
        wait_for_others(waits, Waiter{v[w], static_cast<Offset>(begin[w] + (LISTED ? 0 : 1)), end[w]}, waiting);
      }
      while (waiting >= GP__WARP) look_on<LISTED>(map, next, waiting);
    }
    while (waiting) look_on<LISTED>(map, next, waiting);
    flush_list<LISTED>();
    add_warp(sums);
  }
  GP_DEVICE void append_vertex(bool there, Vertex v) {
    const gp__u64 begin = there ? offsets[v] : 0, end = there ? offsets[v + 1] : 0;
    append<WARPS_OF_GRID>(there, begin, end - begin, v, false);
  }
  // Lanes have a word of a bitmap each, the first of them word `at`: the lists of its vertices.
  GP_DEVICE void append_words(gp__u64 at, gp__u32 mine) {
    for (unsigned left = __ballot_sync(0xffffffffu, mine != 0); left; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const gp__u32 word = __shfl_sync(0xffffffffu, mine, owner);
      append_vertex((word >> gp_lane() & 1u) != 0, static_cast<Vertex>((at + unsigned(owner)) * 32 + gp_lane()));
    }
  }
  // What the level before has found joins what was reached, and the queue where it goes on top-down; or long lists do
  // that are missing there.
  GP_DEVICE void merge_frontier() {
    const Vertex *list = static_cast<const Vertex *>(a.found);
    gp__u32 *map = a.reached[s.state.map];
    const bool longs = s.state.appends == GP__BFS_APPENDS_LONG;
    const gp__u64 count = longs ? s.state.news : words;
    for (gp__u64 at = warp_of_grid() * GP__WARP; at < count; at += warps_of_grid() * GP__WARP) {
      const bool there = at + gp_lane() < count;
      if (longs) {
        append_vertex(there, there ? list[at + gp_lane()] : 0);
        continue;
      }
      const gp__u32 mine = there ? a.fresh[at + gp_lane()] : 0, before = there ? map[at + gp_lane()] : 0;
      if (mine) map[at + gp_lane()] = before | mine, a.fresh[at + gp_lane()] = 0;
      if (s.state.appends == GP__BFS_APPENDS_LEVEL) append_words(at, mine);
    }
    flush();
  }
  // Edges of the vertices that the level over all vertices has found: those in one bitmap, not in the other.
  GP_DEVICE void collect() {
    const gp__u32 *map = a.reached[s.state.map], *before = a.reached[s.state.map ^ 1];
    for (gp__u64 at = warp_of_grid() * GP__WARP; at < words; at += warps_of_grid() * GP__WARP) {
      const bool there = at + gp_lane() < words;
      append_words(at, there ? map[at + gp_lane()] & ~before[at + gp_lane()] : 0);
    }
    flush();
  }

  // ---- the beginning and the end

  // One thread: where the traversal stands at first.
  GP_DEVICE void set_out(unsigned rank) {
    gp__bfs_state &t = s.state;
    const gp__u64 source = a.source_device ? *a.source_device : a.source;
    const bool valid = source < vertices;
    const gp__u64 begin = valid ? offsets[source] : 0, degree = valid ? offsets[source + 1] - begin : 0;
    enter(rank);
    s.source = source;
    s.begin = begin;
    t.barriers = 0;
    t.first = t.kept = t.settled = t.list = t.news = t.levels = t.bottom_up = t.small = t.again = 0;
    t.last = (degree + GP__BFS_PART - 1) / GP__BFS_PART;
    t.edges = t.explored = degree;
    t.unexplored = valid ? s.edges - degree : 0;
    t.reached = valid;
    t.depth = t.map = t.side = t.listed = t.appends = 0;
    if (degree && source != a.target) go_down();
    else t.step = GP__BFS_DONE;
  }
  GP_DEVICE void enter(unsigned rank) {
    s.rank = rank;
    if (CLUSTERS) s.place = rank % a.cluster;
    s.edges = vertices ? offsets[vertices] : 0;
    s.steps = 0, s.clock = gp__nanoseconds();
    for (int i = 0; i < 3; ++i) s.sums[i].clear(), s.appended[i] = 0;
  }
  // The bitmap, and the first frontier.
  GP_DEVICE void fill() {
    const gp__u64 source = s.source;
    for (gp__u64 i = static_cast<gp__u64>(s.rank) * P::threads + threadIdx.x; i < words;
         i += static_cast<gp__u64>(a.blocks) * P::threads)
      a.reached[0][i] = i == source >> 5 ? 1u << (source & 31u) : 0;
    if (CLUSTERS) {
      for (gp__u64 i = static_cast<gp__u64>(s.rank) * P::threads + threadIdx.x; i < vertices;
           i += static_cast<gp__u64>(a.blocks) * P::threads)
        if (i != source) write(static_cast<Vertex>(i), -1, static_cast<Vertex>(~Vertex(0)));
    }
    if (s.rank != 0) return;
    const gp__u64 parts = s.state.last, degree = s.state.edges;
    for (gp__u64 i = threadIdx.x; i < parts; i += P::threads) {
      const gp__u64 done = i * GP__BFS_PART, rest = degree - done;
      queue[i] = gp_edges_of(s.begin + done, part_of(rest), source);
    }
    if (threadIdx.x == 0) {
      control->queue = parts;
      control->kept = control->settled = control->deepest = 0;
      if (source < vertices) write(static_cast<Vertex>(source), 0, static_cast<Vertex>(source));
    }
  }
  GP_DEVICE void start() {
    if (threadIdx.x == 0) {
      const gp__ticket ticket = gp__draw(a.workspace, a.blocks);
      set_out(cluster() > 1 ? blockIdx.x : static_cast<unsigned>(ticket.number));
      s.tag = ticket.tag;
    }
    if (CLUSTERS) {
      clear_words();
      gp__cluster_arrive();
    }
    __syncthreads();
    fill();
    if (CLUSTERS) gp__cluster_wait(); // others' words are clear, and may be written
    if (s.rank == 0 && threadIdx.x == 0) {
      for (int i = 0; i < GP__BFS_SUMS; ++i) gp__store_relaxed(control->barrier[0].word + i, 0);
      __threadfence();
      if (a.blocks > 1) gp__publish(gp__words(a.workspace), 0, gp__u64(0), s.tag);
    }
    if (s.rank != 0 && gp_warp() == 0) { // the counters of the first barrier are clear
      gp__receive<gp__u64>(gp__words(a.workspace), 0, s.tag);
      __threadfence();
    }
    wait();
    if (threadIdx.x == 0) ++s.state.barriers;
    note(GP_STEP_START);
    __syncthreads();
  }
  GP_DEVICE void run(int step) {
    if (step == GP__BFS_TOP_DOWN) top_down();
    else if (step == GP__BFS_BOTTOM_UP) bottom_up<false>();
    else if (step == GP__BFS_LISTED) bottom_up<true>();
    else if (step == GP__BFS_SETTLE) merge_frontier();
    else if (step == GP__BFS_COLLECT) collect();
    else {
      const unsigned blocks = !CLUSTERS || step == GP__BFS_SMALL ? 1 : step == GP__BFS_CLUSTER ? a.cluster : a.blocks;
      if (s.rank < blocks) small_levels(blocks);
    }
  }
  GP_DEVICE void levels() {
    while (s.state.step != GP__BFS_DONE) {
      const int step = s.state.step;
      run(step);
      finish_step(step);
    }
  }
  // What was not reached, where nobody has written that.
  GP_DEVICE void fill_rest() {
    const gp__bfs_state &t = s.state;
    const gp__u32 *map = a.reached[t.map];
    if (CLUSTERS || t.listed) return;
    for (gp__u64 at = warp_of_grid() * GP__WARP; at < words; at += warps_of_grid() * GP__WARP) {
      const gp__u32 mine = at + gp_lane() < words ? ~map[at + gp_lane()] : 0;
      for (unsigned left = __ballot_sync(0xffffffffu, mine != 0); left; left &= left - 1) {
        const int owner = __ffs(static_cast<int>(left)) - 1;
        const gp__u32 word = __shfl_sync(0xffffffffu, mine, owner);
        const gp__u64 v = (at + unsigned(owner)) * 32 + gp_lane();
        if ((word >> gp_lane() & 1u) && v < vertices)
          write(static_cast<Vertex>(v), -1, static_cast<Vertex>(~Vertex(0)));
      }
    }
  }
  GP_DEVICE void finish() {
    fill_rest();
    if (!a.statistics) return;
    if (CLUSTERS && s.state.again) find_deepest();
    sums.edges = inspected;
    add_warp(sums);
    const gp__u64 all = wait().edges;
    if (threadIdx.x != 0 || s.rank != 0) return; // nobody else reads beside what note() writes
    note(GP_STEP_FINISH);
    report(all);
  }
  // A block ahead may have counted a level that nobody is of in the end.
  GP_DEVICE void find_deepest() {
    gp__u64 most = 0;
    for (gp__u64 i = static_cast<gp__u64>(s.rank) * P::threads + threadIdx.x; i < vertices;
         i += static_cast<gp__u64>(a.blocks) * P::threads)
      if (a.depths[i] > static_cast<int>(most)) most = static_cast<gp__u64>(a.depths[i]);
    most = gp_warp_reduce(most, gp_max<gp__u64>());
    if (gp_lane() == 0) atomicMax(&control->deepest, most);
  }
  GP_DEVICE void report(gp__u64 looks) const {
    const gp__bfs_state &t = s.state;
    gp_traversal &r = *a.statistics;
    const gp__u64 of_vertex = sizeof(Vertex), of_offset = sizeof(Offset);
    r.reached = t.reached;
    r.edges = t.explored;
    r.inspected = looks;
    r.levels = CLUSTERS && t.again ? control->deepest : t.levels;
    r.bottom_up = t.bottom_up;
    r.small = t.small;
    r.steps = s.steps;
    r.bytes = vertices * (4 + (parents ? of_vertex : 0)) + t.reached * 2 * of_offset + looks * of_vertex;
  }

  // ---- the same by launches, of which none waits: what a step leaves for the next lies in memory, in one of two
  // places, as blocks of a launch may still read how it began when its first block is through

  GP_DEVICE gp__bfs_state &left(int launch) const { return control->state[launch & 1]; }
  GP_DEVICE void set_out_by_launches() {
    if (threadIdx.x == 0) set_out(blockIdx.x);
    __syncthreads();
    fill();
    if (s.rank != 0 || threadIdx.x != 0) return;
    control->arrived = control->inspected = 0;
    for (int i = 0; i < GP__BFS_SUMS; ++i) control->sums[i] = 0;
    left(a.step + 1) = s.state;
  }
  GP_DEVICE void resume() {
    if (threadIdx.x == 0) {
      enter(blockIdx.x);
      s.state = left(a.step);
      s.state.barriers = static_cast<unsigned>(a.step) + 1; // where levels of one block leave what comes next
    }
    __syncthreads();
  }
  // By what all blocks have counted, thread 0 of the one that is through with the step last decides what comes next.
  GP_DEVICE bool decides() {
    add_to_block();
    __syncthreads();
    if (threadIdx.x != 0) return false;
    const gp__bfs_sums mine = s.sums[0].sums();
    gp__u64 all[GP__BFS_SUMS] = {mine.appended, mine.found, mine.edges, mine.longer};
    for (int i = 0; i < GP__BFS_SUMS; ++i)
      if (all[i]) gp__add_relaxed(control->sums + i, all[i]);
    __threadfence();
    if (gp__add_relaxed(&control->arrived, 1) != a.blocks - 1) return false;
    __threadfence();
    for (int i = 0; i < GP__BFS_SUMS; ++i) {
      all[i] = gp__load_relaxed(control->sums + i);
      gp__store_relaxed(control->sums + i, 0);
    }
    control->arrived = 0;
    decide(gp__bfs_sums{all[0], all[1], all[2], all[3]});
    return true;
  }
  // A step; or, by one block, those that are left.
  GP_DEVICE void go_on() {
    const bool all = a.step > GP__BFS_LAUNCHES;
    bool decided = s.rank == 0 && threadIdx.x == 0;
    if (all && threadIdx.x == 0) s.steps = GP_TRAVERSAL_STEPS; // notes nothing
    while (s.state.step != GP__BFS_DONE) {
      const int step = s.state.step;
      run(step);
      if (all) finish_step(step);
      else {
        if (step != GP__BFS_SMALL) decided = decides();
        break;
      }
    }
    const gp__u64 looks = gp_warp_reduce(static_cast<gp__u64>(inspected), gp_sum<gp__u64>());
    if (gp_lane() == 0 && looks) atomicAdd(&control->inspected, looks);
    if (decided) left(a.step + 1) = s.state;
  }
  GP_DEVICE void finish_by_launches() {
    fill_rest();
    if (threadIdx.x == 0 && s.rank == 0 && a.statistics) report(control->inspected);
  }
};
