// bfs/exchange.cuh - breadth-first search: exchange between blocks of small levels
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, bfs/policy.h, device/operators.cuh, device/warp.cuh,
//   device/edges.cuh, bfs/state.cuh, bfs/search.cuh, bfs/top_down.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_exchange : gp__bfs_top_down<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_top_down<P, Offset, Vertex, CLUSTERS> Below;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::fits_cluster;
  using Below::fits_grid;
  using Below::small_queue;

  enum {
    LEVEL_DONE = 1,
    LEVEL_STAYS = 2,
    LEVEL_UNEVEN = 4,
    LEVEL_FEW = 8,
    LEVEL_FOUND = 16,
    LEVEL_PLAIN = 32,
    LEVEL_OVER = 64
  };
  // Clears the words of a cluster's blocks in shared memory. One block writes each word, with the tag of its level, for
  // which it is read only once.
  GP_DEVICE void clear_words() {
    gp__u64 *word = s.message[0][0], *of_clusters = control->news[0];
    for (unsigned i = threadIdx.x; i < sizeof s.message / sizeof *word; i += P::threads) gp__cluster_store(word + i, 0);
    if (!blockIdx.x && threadIdx.x < sizeof control->news / sizeof *word)
      gp__store_relaxed(of_clusters + threadIdx.x, 0);
  }
  GP_DEVICE gp__u64 *words_of_level(unsigned half) const { return s.message[depth & 1][half]; }
  GP_DEVICE unsigned tag_of_level() const { // a clear word is of no level
    return (unsigned(depth) & 0x7fffu) | 0x8000u;
  }
  // Sends a word of each block to each: a lane's to block `to`, if there is one. Returns the word from there.
  GP_DEVICE gp__u64 exchange_word(gp__u64 *words, unsigned to, gp__u64 value) const {
    if (to < a.cluster) gp__cluster_send(words + s.cluster_rank, to, value << 16 | tag_of_level());
    return await_words(to < a.cluster, [&] { return gp__cluster_load(words + to); });
  }
  // Waits until all words are of this level. Lanes with a word get its value, others 0.
  template<class Load> GP_DEVICE gp__u64 await_words(bool has, const Load &load) const {
    const unsigned tag = tag_of_level();
    gp__u64 got = tag;
    do
      if (has) got = load();
    while (!__all_sync(~0u, (got & 0xffffu) == tag));
    return got >> 16;
  }
  // Called by the blocks of a cluster, or of the grid: exchanges their counts of a level and draws the verdict. No
  // block can be two levels ahead, so two sets of words suffice. LEVEL_PLAIN: at the end of the next level blocks need
  // not know the others' counts; a block has room for all that it finds there, as it has no more edges than that.
  // fenced: blocks have read others' queues, which will be overwritten. before: parts of the level before.
  GP_DEVICE void exchange(bool in_grid, bool fenced, unsigned &before) {
    if (gp_warp() != 0) return;
    if (fenced) gp__fence();
    const gp__bfs_block_totals own = gp__bfs_block_totals::of(s.appended[turn], s.sums[turn]);
    const gp__bfs_block_totals got = gp__bfs_block_totals::of(exchange_word(words_of_level(0), gp_lane(), own.word()));
    if (fenced) gp__fence();
    gp__bfs_cluster_totals all;
    all.appended = gp__warp_sum(got.appended), all.edges = gp__warp_sum(got.edges);
    const unsigned most = P::threads / (in_grid ? FEW_LANES : 8); // grid: what warps take at once
    const bool much =
        got.appended > most && got.appended * (in_grid ? a.blocks : a.cluster) > 2 * (in_grid ? before : all.appended);
    all.found = __any_sync(~0u, got.found), all.hit = __any_sync(~0u, got.hit);
    all.over = __any_sync(~0u, got.appended > SMALL), all.wide = __any_sync(~0u, got.edges > SMALL);
    all.uneven = __any_sync(~0u, much);
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
    if (!gp_lane())
      s.verdict[depth & 1] = (done ? LEVEL_DONE : 0) | (stays ? LEVEL_STAYS : 0) | (uneven ? LEVEL_UNEVEN : 0) |
          (all.edges <= all.appended * 8 ? LEVEL_FEW : 0) | (all.found ? LEVEL_FOUND : 0) |
          (all.over ? LEVEL_OVER : 0) | (plain ? LEVEL_PLAIN : 0);
  }
  // Exchanges the counts of clusters: two words each, which their first blocks write and all blocks read.
  GP_DEVICE gp__bfs_cluster_totals exchange_of_clusters(const gp__bfs_cluster_totals &own) {
    const unsigned lane = gp_lane();
    gp__u64 *words = control->news[depth & 1];
    if (s.cluster_rank == 0 && lane < 2)
      gp__store_relaxed(words + s.rank / a.cluster * 2 + lane, own.word(lane == 0) << 16 | tag_of_level());
    return gp__bfs_cluster_totals::of_lanes(
        await_words(lane < a.blocks / a.cluster * 2, [&] { return gp__load_relaxed(words + lane); }));
  }
  // Called by the first warp of each block: sums over all blocks, for four lanes.
  GP_DEVICE gp__u64 meet_in_grid(gp__u64 mine) {
    const gp__u64 number = s.state.barriers;
    __syncwarp();
    if (!gp_lane()) s.state.barriers = number + 1;
    return gp__grid_barrier_sum(control->barrier, unsigned(number), a.blocks, s.rank, mine);
  }
  // Sums the counts of all blocks, at the end.
  GP_DEVICE void sum_levels(bool in_grid) {
    if (gp_warp() != 0) return;
    const unsigned half = gp_lane() / 16, other = gp_lane() % 16;
    const gp__bfs_sums mine = s.sums[turn].sums(), again = s.again.sums();
    const gp__u64 all_found = s.found - again.found, all_explored = s.explored - again.edges;
    const gp__u64 last = s.appended[turn] | (again.found ? 1ull << GP__BFS_AGAIN_SHIFT : 0);
    gp__u64 found, explored, appended, edges;
    if (in_grid) {
      const gp__u64 sum = meet_in_grid(!gp_lane() ? all_found
              : gp_lane() == 1 ? all_explored
              : gp_lane() == 2 ? last
              : mine.edges);
      found = __shfl_sync(~0u, sum, 0), explored = __shfl_sync(~0u, sum, 1);
      appended = __shfl_sync(~0u, sum, 2), edges = __shfl_sync(~0u, sum, 3);
    } else {
      const gp__u64 of_all = exchange_word(s.message[3][half], other, half ? all_explored : all_found);
      const gp__u64 of_last = exchange_word(s.message[2][half], other, half ? mine.edges : last);
      const auto sum = [&](gp__u64 x, unsigned which) {
        const gp__u64 low = gp__warp_sum(half == which && other < a.cluster ? unsigned(x) & 0xffffffu : 0);
        const gp__u64 high = gp__warp_sum(half == which && other < a.cluster ? unsigned(x >> 24) : 0);
        return low + (high << 24);
      };
      found = sum(of_all, 0), explored = sum(of_all, 1), appended = sum(of_last, 0), edges = sum(of_last, 1);
    }
    if (!gp_lane()) {
      s.level = gp__bfs_sums{appended & ((1ull << GP__BFS_AGAIN_SHIFT) - 1), 0, edges, 0};
      if (appended >> GP__BFS_AGAIN_SHIFT) s.state.again = 1;
      s.state.reached += found, s.state.explored += explored, s.state.unexplored -= explored;
    }
  }
  // After this, all blocks of the cluster, or of the grid, may read the others' queues.
  GP_DEVICE void open_queues(bool in_grid, gp__u64 *words) {
    if (!gp_warp()) {
      gp__fence();
      if (in_grid) meet_in_grid(0);
      else exchange_word(words, gp_lane(), 0);
      gp__fence();
    }
    __syncthreads();
  }
  // Part i of all parts in the queues of the cluster's blocks.
  GP_DEVICE gp_edges part_of_cluster(unsigned which, unsigned i) {
    unsigned block = 0, begin = 0;
    while (s.ends[block] <= i) begin = s.ends[block++];
    return *gp__in_block(small_queue(which) + (i - begin), block);
  }
};
