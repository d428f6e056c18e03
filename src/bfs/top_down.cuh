// bfs/top_down.cuh - breadth-first search: levels top-down
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/warp.cuh, device/edges.cuh,
//   bfs/state.cuh, bfs/search.cuh, bfs/queue.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_top_down : gp__bfs_queue<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_queue<P, Offset, Vertex, CLUSTERS> Below;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::flush;
  using Below::move_small;
  using Below::reached_at;
  using Below::set_bit_of;
  using Below::warp_of_grid;
  using Below::warps_of_grid;
  using Below::write;

  // Each step goes over all of a lane's edges before the next one begins, so that a lane waits once a step, not once an
  // edge. A level bound by latency rather than bandwidth loads lists before it is known which lane wins.
  template<int TEAM> GP_DEVICE void expand(const gp_edges &edges, bool looks) {
    const auto all = [&](const bool(&there)[ITEMS], const Vertex(&source)[ITEMS], const Vertex(&v)[ITEMS]) {
      visit<TEAM>(there, source, v, looks);
    };
    gp__warp_expand<ITEMS>(edges, targets, all);
  }
  // Levels know reached vertices by bits, small levels of a launch in clusters by depths (reached_at). state_of: the
  // word of either. is_new: whether its value makes a vertex new. take: marks the vertex, and returns the value before.
  GP_DEVICE static bool by_depth(int team) { return CLUSTERS && team == ONE_BLOCK; }
  template<int TEAM> GP_DEVICE gp__u32 *state_of(Vertex v, gp__u32 *map) const {
    return by_depth(TEAM) ? reached_at(v) : map + (v >> 5);
  }
  template<int TEAM> GP_DEVICE bool is_new(Vertex v, gp__u32 was) const {
    return by_depth(TEAM) ? was > gp__u32(depth) : !(was >> (v & 31u) & 1u);
  }
  template<int TEAM> GP_DEVICE gp__u32 take(Vertex v, gp__u32 *map) const {
    return by_depth(TEAM) ? atomicMin(reached_at(v), gp__u32(depth)) : atomicOr(map + (v >> 5), 1u << (v & 31u));
  }
  template<int TEAM>
  GP_DEVICE void visit(
      const bool (&there)[ITEMS], const Vertex (&source)[ITEMS], const Vertex (&v)[ITEMS], bool looks) {
    gp__u32 *map = a.reached[s.state.map];
    bool mine[ITEMS];
    gp__u32 was[ITEMS];
    Offset begin[ITEMS], end[ITEMS];
    GP__EACH(i, ITEMS) {
      inspected += there[i];
      was[i] = looks && there[i] ? gp__load_volatile(state_of<TEAM>(v[i], map)) : by_depth(TEAM) ? ~0u : 0;
    }
    GP__EACH(i, ITEMS) mine[i] = there[i] && is_new<TEAM>(v[i], was[i]);
    GP__EACH(i, ITEMS) was[i] = mine[i] ? take<TEAM>(v[i], map) : 0;
    if (TEAM != WARPS_OF_GRID) get_lists(mine, v, begin, end);
    GP__EACH(i, ITEMS) mine[i] = mine[i] && is_new<TEAM>(v[i], was[i]);
    if (TEAM == WARPS_OF_GRID) get_lists(mine, v, begin, end);
    GP__EACH(i, ITEMS) {
      const unsigned won = __ballot_sync(~0u, mine[i]);
      if (!won) continue;
      if (mine[i] && by_depth(TEAM)) {
        reach(v[i], was[i], source[i], end[i] - begin[i]);
        set_bit_of(begin[i] == end[i], v[i], map);
      }
      if (mine[i] && !by_depth(TEAM)) write(v[i], depth, source[i]);
      if (!gp_lane()) sums.found += unsigned(__popc(won));
      if (mine[i] && !by_depth(TEAM) && v[i] == a.target) gp__bfs_tally::add(s.sums[turn].found, GP__BFS_HIT);
      Below::template append<TEAM>(mine[i], begin[i], end[i] - begin[i], v[i], true);
    }
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
  GP_DEVICE void get_lists(
      const bool (&has)[ITEMS], const Vertex (&v)[ITEMS], Offset (&begin)[ITEMS], Offset (&end)[ITEMS]) const {
    GP__EACH(i, ITEMS) {
      begin[i] = has[i] ? offsets[v[i]] : 0;
      end[i] = has[i] ? offsets[v[i] + 1] : 0;
    }
  }
  GP_DEVICE void top_down() {
    const gp__u64 first = s.state.first, count = s.state.last - first;
    depth = s.state.depth + 1;
    if (count <= gp__u64(a.blocks) * P::threads && s.state.edges <= gp__u64(a.blocks) * SMALL)
      return top_down_by_blocks(first, count);
    // With fewer parts than lanes, more warps have fewer parts each.
    const gp__u64 share = (count + warps_of_grid() - 1) / warps_of_grid();
    const unsigned width = share < GP__WARP ? unsigned(share) : unsigned(GP__WARP);
    for (gp__u64 at = warp_of_grid() * width; at < count; at += warps_of_grid() * width) {
      gp_edges edges = gp_edges_of(0, 0, 0);
      if (gp_lane() < width && at + gp_lane() < count) edges = queue[first + at + gp_lane()];
      expand<WARPS_OF_GRID>(edges, true);
    }
    flush();
  }
  // For parts too few to keep all lanes busy: each block has its share, and reserves room in the queue for all its
  // warps by one atomic, as thousands on one word would queue up.
  GP_DEVICE void top_down_by_blocks(gp__u64 first, gp__u64 count) {
    const unsigned most = unsigned((count + a.blocks - 1) / a.blocks);
    const gp__u64 from = gp__u64(s.rank) * most;
    const unsigned share = from >= count ? 0 : count - from < most ? unsigned(count - from) : most;
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
      expand<BLOCKS_OF_GRID>(edges, most >= unsigned(a.look_from));
    }
    __syncthreads();
    const unsigned appended = s.appended[0], there = appended < SMALL ? appended : SMALL;
    if (!threadIdx.x) sums.appended += appended;
    move_small(0, there);
    if (!threadIdx.x) s.appended[0] = 0;
  }
};
