// bfs/small_levels.cuh - breadth-first search: levels of one block, of a cluster, and of all with a part each
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h, device/warp.cuh,
//   device/edges.cuh, device/hash.cuh, bfs/state.cuh, bfs/search.cuh, bfs/exchange.cuh

// A frontier of few parts costs less time than the grid barrier that ends a level. So one block, one cluster, or all
// blocks go on by themselves, level after level, until the frontier no longer suits them. The others wait at the grid
// barrier after the step (finish_step).
//
// Modes
//   ALONE    one block. Its barrier ends a level.
//   CLUSTER  the blocks of the first cluster. Each has its part of the frontier in its own shared memory, and sends
//            every other block a word with its counts of a level.
//   GRID     the blocks of all clusters. The first block of each cluster also writes two words to memory, for all.
//
// A level: visit_parts, then close_alone or an exchange of words; after the last one, leave_levels.
//   Visit    A block has two queues in shared memory, for even and for odd levels. It reads this level's, takes new
//            vertices (by bits in one block without clusters, else by depths), and appends their lists to the other.
//   Close    The block's barrier completes its sums. ALONE: every thread reads them. Otherwise the first warp exchanges
//            words, and all blocks draw the same verdict from the same words:
//              DONE     nothing was found, or the target, or the limit of depth is reached: the search is over.
//              STAYS    the next level is of the same mode. If neither: leave_levels, and go_down chooses the step.
//              UNEVEN   a block has far more parts than its share: CLUSTER redistributes all parts, and reads others'
//                       queues (share_out); GRID leaves.
//              FEW      parts are short: four lanes take each (visit_few), not a warp all (visit_all).
//              OVER     parts did not fit a queue; those are in memory (put_small), and all blocks leave.
//              PLAIN    see below.
//   Leave    Queues move to the one in memory, sums are added to the state, words are cleared for the next time.
//
// One level ahead. After a PLAIN level only the first warp waits for the words of the level that ends; the other warps
// begin the next one. The words' verdict is read at the barrier that ends the next level. PLAIN guarantees that no
// thread needs it sooner: all that is found has room, and neither parents nor a target are asked for. A block that is
// ahead may take a vertex too early; a block behind takes it again with the smaller depth (atomicMin), and s.again
// counts it.
//
// Waits, and why they end. A block sends its words of level d when it has visited d, and visits do not wait. Its first
// warp then waits for the others' words of d, before the block's barrier of d + 1. So no block is two levels ahead: two
// sets of words suffice, by the parity of the level, and a word's tag tells its level. Three sets of counters are used
// in turn: one is added to, one may still be read by the first warp, one is being cleared. All blocks of the launch are
// resident, so a block that others wait for runs. Verdicts are equal in all blocks, so all leave after the same level.

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_small : gp__bfs_exchange<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_exchange<P, Offset, Vertex, CLUSTERS> Below;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::add_to_block;
  using Below::clear_words;
  using Below::exchange;
  using Below::fits_block;
  using Below::go_down;
  using Below::LEVEL_DONE;
  using Below::LEVEL_FEW;
  using Below::LEVEL_FOUND;
  using Below::LEVEL_OVER;
  using Below::LEVEL_PLAIN;
  using Below::LEVEL_STAYS;
  using Below::LEVEL_UNEVEN;
  using Below::open_queues;
  using Below::part_of;
  using Below::part_of_cluster;
  using Below::reach;
  using Below::reached_at;
  using Below::set_bit_of;
  using Below::small_queue;
  using Below::sum_levels;

  // Moves a part of one block's queue to the queue in memory, split if it is a long list.
  GP_DEVICE void leave(const gp_edges &part, gp__u64 at) {
    const Vertex v = Vertex(part.source);
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
    atomicAdd(&s.appended[turn], unsigned(others));
  }
  // Moves the `there` parts of one block's queue to the queue in memory. over: also completes this cluster's parts
  // there that had no room.
  GP_DEVICE void leave_small(unsigned which, unsigned there, unsigned blocks, bool over) {
    gp__u64 i = threadIdx.x, end = 0, j = s.state.last + s.rank * unsigned(P::threads) + i;
    if (over) {
      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[depth & 1][1]);
      end = gp__load_relaxed(&control->queue);
      __syncthreads();
      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[4][0]);
    }
    if (!threadIdx.x) s.begin = there ? atomicAdd(&control->queue, gp__u64(there)) : 0;
    __syncthreads();
    while (i < there || j < end) {
      const bool own = i < there;
      leave(own ? small_queue(which)[i] : queue[j], own ? s.begin + i : j);
      (own ? i : j) += own ? unsigned(P::threads) : blocks * P::threads;
    }
  }
  // Prefetches the beginning and the end of a list that this block visits next; a cache gets at least 32 bytes.
  GP_DEVICE void prefetch_list(Offset begin, Offset count) {
    const unsigned sector = 32 / unsigned(sizeof(Vertex)), from = unsigned(begin) % sector;
    gp__cp_async_wait(); // earlier ones, long complete: they would be overwritten
    gp__prefetch_near(targets + begin, s.nowhere[0] + threadIdx.x);
    if (from + unsigned(count) > sector) gp__prefetch_near(targets + begin + count - 1, s.nowhere[1] + threadIdx.x);
  }
  // A level of few short parts waits for memory and for each warp's next instruction, so this path has few: each part
  // has four lanes, which append by themselves. `counted` gets vertices found, from bit 20 on, and edges that leave
  // them.
  GP_DEVICE void visit_few(const gp_edges &part, gp__u32 *map, unsigned &counted) {
    const Vertex *list = targets + part.begin();
    const unsigned edges = part.count();
    unsigned at = gp_lane() % FEW_LANES;
    Vertex v = at < edges ? list[at] : 0;
    set_bit_of(at == 0 && edges, part.source, map);
    for (;;) {
      const bool there = at < edges;
      gp__u32 was = 0; // above depth: this lane reaches v
      if (there && CLUSTERS) was = atomicMin(reached_at(v), gp__u32(depth));
      if (there && !CLUSTERS) was = gp__set_bit(map, v) ? ~0u : 0;
      const Offset begin = there ? offsets[v] : 0, count = (there ? offsets[v + 1] : 0) - begin;
      inspected += there;
      if (was > gp__u32(depth)) {
        const bool is_long = count > GP__BFS_PART;
        if (count) {
          prefetch_list(begin, count);
          Below::template put_small<ONE_BLOCK>(gp__shared_add_unaggregated(&s.appended[turn], 1u),
              gp_edges_of(begin, is_long ? unsigned(GP__BFS_LONG) : unsigned(count), v));
        } else set_bit_of(true, v, map);
        counted += 1u << FEW_SHIFT | (is_long ? 0 : unsigned(count));
        if (is_long) gp__bfs_tally::add(s.sums[turn].edges, count);
        reach(v, was, Vertex(part.source), count);
      }
      at += FEW_LANES;
      if (!__any_sync(~0u, at < edges)) return;
      v = at < edges ? list[at] : 0;
    }
  }
  // Visits lanes' parts of one block's queue; then the warp takes long lists together.
  GP_DEVICE void visit_all(const gp_edges &part, gp__u32 *map, bool looks) {
    const Vertex source = Vertex(part.source);
    const bool is_long = part.count() == GP__BFS_LONG;
    unsigned left = __ballot_sync(~0u, is_long);
    gp_edges now = is_long ? gp_edges_of(0, 0, 0) : part;
    Offset done = 0;
    set_bit_of(part.count() != 0, source, map);
    for (;;) {
      Below::template expand<ONE_BLOCK>(now, looks);
      if (!left) return;
      const Vertex v = __shfl_sync(~0u, source, __ffs(int(left)) - 1);
      const Offset begin = offsets[v], count = offsets[v + 1] - begin;
      const Offset mine = done + gp_lane() * unsigned(GP__BFS_PART);
      now = gp_edges_of(begin + mine, mine < count ? part_of(count - mine) : 0, v);
      done += GP__WARP * unsigned(GP__BFS_PART);
      if (done >= count) done = 0, left &= left - 1;
    }
  }
  // Warps visit the parts of the queue `from`, the last warp first, as the first has more to do at the end.
  GP_DEVICE void visit_parts(unsigned from, unsigned first, unsigned count, bool few, bool uneven, gp__u32 *map) {
    const unsigned turned = WARPS - 1 - gp_warp(), share = (count + WARPS - 1) / WARPS;
    const unsigned width = few ? unsigned(GP__WARP / FEW_LANES) : share < GP__WARP ? share : unsigned(GP__WARP);
    unsigned counted = 0;
    for (unsigned at = turned * width; at < count; at += WARPS * width) {
      const auto part = [&](unsigned i, unsigned end) {
        return i >= end ? gp_edges_of(0, 0, 0) : uneven ? part_of_cluster(from, first + i) : small_queue(from)[i];
      };
      if (few) {
        const gp_edges one = part(at + gp_lane() / FEW_LANES, count);
        if (__all_sync(~0u, one.count() <= FEW_EDGES)) {
          visit_few(one, map, counted);
          continue;
        }
      }
      visit_all(part(at + gp_lane(), count < at + width ? count : at + width), map, count >= unsigned(a.look_from));
    }
    if (turned * width < count) {
      counted = gp__warp_sum(counted);
      if (!gp_lane() && counted) {
        gp__shared_add_unaggregated(&s.sums[turn].found[0], counted >> FEW_SHIFT);
        gp__shared_add_unaggregated(&s.sums[turn].edges[0], counted & ((1u << FEW_SHIFT) - 1));
      }
      add_to_block(); // sums of long lists
    }
  }
  // Ends a level of one block and returns its verdict. count: parts of the next one.
  GP_DEVICE unsigned close_alone(unsigned &count) {
    gp__bfs_state &t = s.state;
    gp__bfs_sums level = s.sums[turn].sums();
    level.appended = count = s.appended[turn];
    const bool done = !(level.found & ~GP__BFS_HIT) || (level.found & GP__BFS_HIT) || depth == a.limit;
    const unsigned verdict = (done ? LEVEL_DONE
                                     : fits_block(count, level.edges) ? LEVEL_STAYS
                                     : 0) |
        (level.edges <= count * 8ull ? LEVEL_FEW : 0) | (count > SMALL ? LEVEL_OVER : 0);
    if (threadIdx.x == COUNTER) {
      s.level = level;
      ++t.small;
      t.levels += (level.found & ~GP__BFS_HIT) != 0;
      t.reached += level.found & ~GP__BFS_HIT;
      t.explored += level.edges;
      t.unexplored -= level.edges;
    }
    return verdict;
  }
  // Redistributes all parts in the queues of the cluster's blocks.
  GP_DEVICE void share_out(unsigned &first, unsigned &count, unsigned blocks) {
    const unsigned all = s.ends[a.cluster - 1];
    open_queues(false, s.message[depth & 1][1]);
    first = all * s.rank / blocks, count = all * (s.rank + 1) / blocks - first;
  }
  // Adds this block's counts, in shared memory, as registers are scarce. last: the verdict of the level before. alive:
  // whether that level found anything.
  GP_DEVICE void count_own(unsigned &alive, unsigned last) {
    gp__bfs_state &t = s.state;
    if (threadIdx.x == COUNTER) {
      const gp__bfs_sums level = s.sums[turn].sums();
      s.found += level.found & ~GP__BFS_HIT;
      s.explored += level.edges;
      if (depth != t.depth + 1) { // of the level before
        t.small += alive, alive = last / LEVEL_FOUND % 2;
        t.levels += alive;
      }
    }
  }
  // Moves the frontier to the queue in memory, adds the counts to the state, and chooses the next step.
  GP_DEVICE void leave_levels(
      unsigned verdict, unsigned appended, unsigned alive, unsigned blocks, bool in_team, bool in_grid) {
    gp__bfs_state &t = s.state;
    const bool done = (verdict & LEVEL_DONE) != 0;
    leave_small(unsigned(depth),
        done ? 0
            : appended < SMALL ? appended
            : SMALL,
        blocks, !done && (verdict & LEVEL_OVER));
    __syncthreads();
    if (in_team) {
      sum_levels(in_grid);
      if (threadIdx.x == COUNTER) t.small += alive, t.levels += verdict / LEVEL_FOUND % 2;
      __syncthreads();
      clear_words();
    }
    gp__cp_async_wait();
    __syncthreads();
    const unsigned in_turn = turn;
    turn = 0;
    if (!threadIdx.x) {
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
  // Does levels by `blocks` blocks, as long as the frontier suits them: one (ALONE), a cluster's, or the grid's.
  GP_DEVICE void small_levels(unsigned blocks) {
    gp__bfs_state &t = s.state;
    gp__u32 *map = a.reached[t.map];
    const bool in_team = CLUSTERS && blocks > 1, in_grid = CLUSTERS && blocks > a.cluster;
    const unsigned parts = unsigned(t.last - t.first);
    // This block's parts: in its own queue or, after an uneven level, among all of its cluster's.
    unsigned first = parts * s.rank / blocks, count = parts * (s.rank + 1) / blocks - first, appended;
    unsigned verdict = t.edges <= parts * 8ull ? LEVEL_FEW : 0; // of the level before
    unsigned before = parts, alive = 1; // parts of all blocks in it; whether it found anything
    depth = t.depth;
    for (unsigned i = threadIdx.x; i < count; i += P::threads)
      small_queue(unsigned(depth))[i] = queue[t.first + first + i];
    if (!threadIdx.x) s.verdict[depth & 1] = 0, s.found = s.explored = 0, s.again.clear();
    __syncthreads();
    do {
      const unsigned from = unsigned(depth++), next = turn == 2 ? 0 : turn + 1;
      const bool few = (verdict & LEVEL_FEW) != 0, uneven = CLUSTERS && (verdict & LEVEL_UNEVEN) != 0;
      visit_parts(from, first, count, few, uneven, map);
      if (threadIdx.x == COUNTER) s.sums[next].clear(), s.appended[next] = 0;
      __syncthreads();
      if (in_team) {
        const unsigned last = s.verdict[~depth & 1];
        count = appended = s.appended[turn];
        if (last & LEVEL_PLAIN) { // goes on before the others' counts are known
          exchange(in_grid, false, before);
          verdict = LEVEL_STAYS | (last & LEVEL_FEW);
        } else {
          exchange(in_grid, uneven, before);
          __syncthreads();
          verdict = s.verdict[depth & 1];
          if (verdict & LEVEL_UNEVEN) share_out(first, count, blocks);
        }
        count_own(alive, last);
      } else verdict = close_alone(count), appended = count;
      if (verdict & LEVEL_STAYS) turn = next;
    } while (verdict & LEVEL_STAYS);
    leave_levels(verdict, appended, alive, blocks, in_team, in_grid);
  }
};
