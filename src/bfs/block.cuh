// bfs/block.cuh - breadth-first search: a block, from the beginning to the end
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h,
//   bfs/policy.h, device/operators.cuh, device/warp.cuh, device/edges.cuh, device/look_back.cuh, bfs/state.cuh,
//   bfs/search.cuh, bfs/bottom_up.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_block : gp__bfs_bottom_up<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_bottom_up<P, Offset, Vertex, CLUSTERS> Below;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::add_to_block;
  using Below::add_warp;
  using Below::clear_words;
  using Below::cluster;
  using Below::collect;
  using Below::decide;
  using Below::finish_step;
  using Below::go_down;
  using Below::merge_frontier;
  using Below::note;
  using Below::part_of;
  using Below::small_levels;
  using Below::top_down;
  using Below::wait;
  using Below::warp_of_grid;
  using Below::warps_of_grid;
  using Below::write;

  // Called by one thread: sets the initial state.
  GP_DEVICE void set_out(unsigned rank) {
    gp__bfs_state &t = s.state;
    const gp__u64 source = a.source_device ? *a.source_device : a.source;
    const bool valid = source < vertices;
    const gp__u64 begin = valid ? offsets[source] : 0, degree = valid ? offsets[source + 1] - begin : 0;
    enter(rank);
    s.source = source;
    s.begin = begin;
    t.barriers = 0;
    t.first = t.kept = t.merged = t.list = t.news = t.levels = t.bottom_up = t.small = t.again = 0;
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
    if (CLUSTERS) s.cluster_rank = rank % a.cluster;
    s.edges = vertices ? offsets[vertices] : 0;
    s.steps = 0, s.clock = gp__nanoseconds();
    for (int i = 0; i < 3; ++i) s.sums[i].clear(), s.appended[i] = 0;
  }
  // Initialises the bitmap and the first frontier.
  GP_DEVICE void fill() {
    const gp__u64 source = s.source;
    for (gp__u64 i = gp__u64(s.rank) * P::threads + threadIdx.x; i < words; i += gp__u64(a.blocks) * P::threads)
      a.reached[0][i] = i == source >> 5 ? 1u << (source & 31u) : 0;
    if (CLUSTERS) {
      for (gp__u64 i = gp__u64(s.rank) * P::threads + threadIdx.x; i < vertices; i += gp__u64(a.blocks) * P::threads)
        if (i != source) write(Vertex(i), -1, Vertex(~Vertex(0)));
    }
    if (s.rank != 0) return;
    const gp__u64 parts = s.state.last, degree = s.state.edges;
    for (gp__u64 i = threadIdx.x; i < parts; i += P::threads) {
      const gp__u64 done = i * GP__BFS_PART, rest = degree - done;
      queue[i] = gp_edges_of(s.begin + done, part_of(rest), source);
    }
    if (!threadIdx.x) {
      control->queue = parts;
      control->kept = control->merged = control->deepest = 0;
      if (source < vertices) write(Vertex(source), 0, Vertex(source));
    }
  }
  GP_DEVICE void start() {
    if (!threadIdx.x) {
      const gp__ticket ticket = gp__draw(a.workspace, a.blocks);
      set_out(cluster() > 1 ? blockIdx.x : unsigned(ticket.number));
      s.tag = ticket.tag;
    }
    if (CLUSTERS) {
      clear_words();
      gp__cluster_arrive();
    }
    __syncthreads();
    fill();
    if (CLUSTERS) gp__cluster_wait(); // others' words are clear, and may be written
    if (s.rank == 0 && !threadIdx.x) {
      for (int i = 0; i < GP__BFS_SUMS; ++i) gp__store_relaxed(control->barrier[0].word + i, 0);
      __threadfence();
      if (a.blocks > 1) gp__publish(gp__words(a.workspace), 0, gp__u64(0), s.tag);
    }
    if (s.rank != 0 && !gp_warp()) { // the counters of the first barrier are clear
      gp__receive<gp__u64>(gp__words(a.workspace), 0, s.tag);
      __threadfence();
    }
    wait();
    if (!threadIdx.x) ++s.state.barriers;
    note(GP_STEP_START);
    __syncthreads();
  }
  GP_DEVICE void run(int step) {
    if (step == GP__BFS_TOP_DOWN) top_down();
    else if (step == GP__BFS_BOTTOM_UP) Below::template bottom_up<false>();
    else if (step == GP__BFS_LISTED) Below::template bottom_up<true>();
    else if (step == GP__BFS_MERGE_FRONTIER) merge_frontier();
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
  // Writes depths of vertices not reached, unless a level has.
  GP_DEVICE void fill_rest() {
    const gp__bfs_state &t = s.state;
    const gp__u32 *map = a.reached[t.map];
    if (CLUSTERS || t.listed) return;
    for (gp__u64 at = warp_of_grid() * GP__WARP; at < words; at += warps_of_grid() * GP__WARP) {
      const gp__u32 mine = at + gp_lane() < words ? ~map[at + gp_lane()] : 0;
      for (unsigned left = __ballot_sync(~0u, mine != 0); left; left &= left - 1) {
        const int owner = __ffs(int(left)) - 1;
        const gp__u32 word = __shfl_sync(~0u, mine, owner);
        const gp__u64 v = (at + unsigned(owner)) * 32 + gp_lane();
        if ((word >> gp_lane() & 1u) && v < vertices) write(Vertex(v), -1, Vertex(~Vertex(0)));
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
    if (threadIdx.x != 0 || s.rank != 0) return; // no other thread reads next to what note() writes
    note(GP_STEP_FINISH);
    report(all);
  }
  // A block one level ahead may have counted a level that is empty in the end.
  GP_DEVICE void find_deepest() {
    gp__u64 most = 0;
    for (gp__u64 i = gp__u64(s.rank) * P::threads + threadIdx.x; i < vertices; i += gp__u64(a.blocks) * P::threads)
      if (a.depths[i] > int(most)) most = gp__u64(a.depths[i]);
    most = gp_warp_reduce(most, gp_max<gp__u64>());
    if (!gp_lane()) atomicMax(&control->deepest, most);
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

  // ---- steps by launches, none of which waits. Their state is in one of two places in memory: blocks of a launch may
  // still read the old one when the first block is done

  GP_DEVICE gp__bfs_state &left(int launch) const { return control->state[launch & 1]; }
  GP_DEVICE void set_out_by_launches() {
    if (!threadIdx.x) set_out(blockIdx.x);
    __syncthreads();
    fill();
    if (s.rank != 0 || threadIdx.x != 0) return;
    control->arrived = control->inspected = 0;
    for (int i = 0; i < GP__BFS_SUMS; ++i) control->sums[i] = 0;
    left(a.step + 1) = s.state;
  }
  GP_DEVICE void resume() {
    if (!threadIdx.x) {
      enter(blockIdx.x);
      s.state = left(a.step);
      s.state.barriers = unsigned(a.step) + 1; // so that levels of one block write the next state
    }
    __syncthreads();
  }
  // Thread 0 of the last block to finish the step decides what comes next, from all blocks' sums, and returns true.
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
  // Does one step or, by one block, all that are left.
  GP_DEVICE void go_on() {
    const bool all = a.step > GP__BFS_LAUNCHES;
    bool decided = s.rank == 0 && !threadIdx.x;
    if (all && !threadIdx.x) s.steps = GP_TRAVERSAL_STEPS; // notes nothing
    while (s.state.step != GP__BFS_DONE) {
      const int step = s.state.step;
      run(step);
      if (all) finish_step(step);
      else {
        if (step != GP__BFS_SMALL) decided = decides();
        break;
      }
    }
    const gp__u64 looks = gp_warp_reduce(gp__u64(inspected), gp_sum<gp__u64>());
    if (!gp_lane() && looks) atomicAdd(&control->inspected, looks);
    if (decided) left(a.step + 1) = s.state;
  }
  GP_DEVICE void finish_by_launches() {
    fill_rest();
    if (!threadIdx.x && s.rank == 0 && a.statistics) report(control->inspected);
  }
};
