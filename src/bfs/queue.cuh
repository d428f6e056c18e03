// bfs/queue.cuh - breadth-first search: queues and lists
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h, device/operators.cuh,
//   device/warp.cuh, device/lanes.cuh, device/edges.cuh, bfs/search.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_queue : gp__bfs_search<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_search<P, Offset, Vertex, CLUSTERS> Below;
  typedef typename Below::Seeker Seeker;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::part_of;

  // A warp's buffer: parts of the queue; or items of a list, and waiting vertices.
  GP_DEVICE gp_edges *buffer() const { return gp__as<gp_edges>(dynamic + gp_warp() * GP__BFS_BUFFER); }
  GP_DEVICE Seeker *slots() const { return gp__as<Seeker>(dynamic + gp_warp() * GP__BFS_BUFFER); }
  GP_DEVICE gp_edges *small_queue(unsigned which) const { return gp__as<gp_edges>(dynamic) + (which & 1u) * SMALL; }
  // Reserves `count` places by the cursor; the warp's first lane asks.
  GP_DEVICE static gp__u64 reserve(gp__u64 *cursor, unsigned count) {
    return gp_warp_broadcast(!gp_lane() ? atomicAdd(cursor, gp__u64(count)) : 0, 0);
  }
  GP_DEVICE void flush() {
    if (!buffered) return;
    __syncwarp();
    const gp__u64 at = reserve(&control->queue, buffered);
    for (unsigned i = gp_lane(); i < buffered; i += GP__WARP) queue[at + i] = buffer()[i];
    if (!gp_lane()) sums.appended += buffered;
    buffered = 0;
    __syncwarp();
  }
  // Appends to a queue in shared memory or, if that is full, to the queue in memory (for one block's, see leave_small).
  template<int TEAM> GP_DEVICE void put_small(unsigned at, const gp_edges &edges) {
    if (at < SMALL) small_queue(TEAM == ONE_BLOCK ? unsigned(depth) : 0)[at] = edges;
    else queue[atomicAdd(&control->queue, 1ull)] = edges;
  }
  // Moves the first `there` parts of a queue in shared memory to the queue in memory.
  GP_DEVICE void move_small(unsigned which, unsigned there) {
    if (!threadIdx.x) s.begin = there ? atomicAdd(&control->queue, gp__u64(there)) : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < there; i += P::threads) queue[s.begin + i] = small_queue(which)[i];
  }
  // Lanes append the lists of their vertices. counts: the vertices are new, and their edges are counted.
  template<int TEAM> GP_DEVICE void append(bool has, gp__u64 begin, gp__u64 count, Vertex v, bool counts) {
    const bool is_long = has && count > GP__BFS_PART;
    const unsigned small = !has ? 0 : !is_long ? unsigned(count) : TEAM == ONE_BLOCK ? GP__BFS_LONG : 0;
    const unsigned whole = __ballot_sync(~0u, small != 0);
    unsigned large = __ballot_sync(~0u, is_long);
    if (TEAM == ONE_BLOCK && large) sums.edges += gp_warp_reduce(is_long ? count - small : 0, gp_sum<gp__u64>());
    if (TEAM == ONE_BLOCK) large = 0;
    if (whole) {
      if (counts) sums.edges += gp_warp_reduce(small, gp_sum<unsigned>());
      if (small) gp__prefetch(targets + begin);
      const unsigned before = gp__lanes_before(whole);
      const unsigned number = unsigned(__popc(whole));
      if (TEAM != WARPS_OF_GRID) {
        const unsigned at = gp_warp_broadcast(!gp_lane() ? atomicAdd(&s.appended[turn], number) : 0, 0);
        if (small) put_small<TEAM>(at + before, gp_edges_of(begin, small, v));
      } else {
        if (buffered + number > ROOM) flush();
        if (small) buffer()[buffered + before] = gp_edges_of(begin, small, v);
        buffered += number;
      }
    }
    if (TEAM != ONE_BLOCK && counts && large && a.in_offsets &&
        a.alpha > 0) { // split once the search is known to go on top-down
      const unsigned number = unsigned(__popc(large));
      const gp__u64 at = reserve(&control->merged, number) - s.state.merged;
      const bool is = (large >> gp_lane() & 1u) != 0;
      if (is) gp__as<Vertex>(a.found)[at + gp__lanes_before(large)] = v;
      sums.edges += gp_warp_reduce(is ? count : 0, gp_sum<gp__u64>());
      if (!gp_lane()) sums.longer += number;
      return;
    }
    for (; large; large &= large - 1) { // the whole warp splits a long list
      const int owner = __ffs(int(large)) - 1;
      const gp__u64 from = __shfl_sync(~0u, begin, owner), length = __shfl_sync(~0u, count, owner);
      const Vertex vertex = __shfl_sync(~0u, v, owner);
      const unsigned parts = unsigned((length + GP__BFS_PART - 1) / GP__BFS_PART);
      gp__u64 at;
      if (counts) sums.edges += length;
      if (TEAM != WARPS_OF_GRID) at = gp_warp_broadcast(!gp_lane() ? atomicAdd(&s.appended[turn], parts) : 0, 0);
      else at = reserve(&control->queue, parts);
      for (unsigned i = gp_lane(); i < parts; i += GP__WARP) {
        const gp__u64 done = gp__u64(i) * GP__BFS_PART, rest = length - done;
        const gp_edges part = gp_edges_of(from + done, part_of(rest), vertex);
        if (TEAM != WARPS_OF_GRID) put_small<TEAM>(unsigned(at) + i, part);
        else queue[at + i] = part;
      }
      if (TEAM == WARPS_OF_GRID && !gp_lane()) sums.appended += parts;
    }
  }
  // Lanes append vertices to the next list.
  template<bool LISTED> GP_DEVICE void flush_list() {
    if (!buffered) return;
    __syncwarp();
    Seeker *list = gp__as<Seeker>(a.lists[LISTED ? s.state.side ^ 1 : s.state.side]);
    const gp__u64 at = reserve(&control->kept, buffered) - s.state.kept;
    for (unsigned i = gp_lane(); i < buffered; i += GP__WARP) list[at + i] = slots()[i];
    buffered = 0;
    __syncwarp();
  }
  template<bool LISTED> GP_DEVICE void append_to_list(bool has, Vertex v, Vertex neighbour) {
    const unsigned mask = __ballot_sync(~0u, has), number = unsigned(__popc(mask));
    if (!number) return;
    if (buffered + number > SLOTS) flush_list<LISTED>();
    if (has) slots()[buffered + gp__lanes_before(mask)] = Seeker{v, neighbour};
    buffered += number;
  }
};
