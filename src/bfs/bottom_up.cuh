// bfs/bottom_up.cuh - breadth-first search: levels bottom-up
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h,
//   device/warp.cuh, device/lanes.cuh, device/tile_load.cuh, bfs/state.cuh, bfs/search.cuh, bfs/small_levels.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS>
struct gp__bfs_bottom_up : gp__bfs_small<P, Offset, Vertex, CLUSTERS> {
  typedef gp__bfs_small<P, Offset, Vertex, CLUSTERS> Below;
  typedef typename Below::Seeker Seeker;
  using Below::Below;
  GP__BFS_STATE(Below);
  using Below::add_warp;
  using Below::counts_rest;
  using Below::flush;
  using Below::has_bit;
  using Below::warp_of_grid;
  using Below::warps_of_grid;
  using Below::write;

  // Bottom-up. WAITING: vertices of a warp that wait, and where they look next. WORDS: words of the bitmap, or as many
  // of the list, that a warp takes at a time: one less than WAITING has room for. LOOK: neighbours of one access.
  static const int WAITING = GP__BFS_BUFFER / 4 * 3 / int(sizeof(Vertex) + 2 * sizeof(Offset)) / GP__WARP * GP__WARP;
  static const int WORDS = ITEMS < WAITING / GP__WARP ? ITEMS : WAITING / GP__WARP - 1, LOOK = 16 / int(sizeof(Vertex));
  GP_DEVICE Offset *waiting_at() const { // followed by the ends of their neighbours
    return gp__as<Offset>(dynamic + gp_warp() * GP__BFS_BUFFER + GP__BFS_BUFFER / 4);
  }
  GP_DEVICE Vertex *waiting_vertices() const { return gp__as<Vertex>(waiting_at() + 2 * WAITING); }
  // Neighbours before p in the 16 bytes that hold it.
  GP_DEVICE static unsigned before_whole(const Vertex *p) {
    return unsigned(gp__u64(p) / sizeof(Vertex)) & (LOOK - 1u);
  }
  // Loads the existing part of the 16 bytes that hold p. These bypass L1, which is for the bitmap.
  GP_DEVICE void load_neighbours(const Vertex *p, Vertex (&u)[LOOK]) const {
    const Vertex *from = p - before_whole(p), *end = in_sources + s.edges;
    if (from >= in_sources && from + LOOK <= end) {
      gp__vec<Vertex> whole;
      whole.vector = gp__load_vector<GP_CACHE_L2>(from);
      GP__EACH(i, LOOK) u[i] = whole.item[i];
    } else {
      GP__EACH(i, LOOK) u[i] = from + i >= p && from + i < end ? from[i] : 0;
    }
  }
  // End of a look from `at` on, over `whole` times 16 bytes, the first of which hold `at`.
  GP_DEVICE Offset behind(Offset at, Offset end, unsigned whole) const {
    const unsigned n = whole * LOOK - before_whole(in_sources + at);
    return end - at < n ? end : at + n;
  }
  // True if a neighbour in the 16 bytes of `at`, from there on, has been reached; it becomes the parent. Otherwise
  // another neighbour does.
  GP_DEVICE bool look(const gp__u32 *map, Offset at, Offset end, Vertex &parent) {
    const unsigned from = before_whole(in_sources + at), n = unsigned(behind(at, end, 1) - at);
    Vertex u[LOOK];
    bool hit = false;
    load_neighbours(in_sources + at, u);
    GP__UNROLL
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
  // Ends the look of a vertex that has found a neighbour, or none of its `degree` neighbours, `parent` among them.
  template<bool LISTED> GP_DEVICE void conclude(bool ends, Vertex v, bool found, Vertex parent, Offset degree) {
    const bool keeps = ends && !found && degree != 0;
    if (ends && (found || !LISTED)) write(v, found ? depth : -1, found ? parent : Vertex(~Vertex(0)));
    if (found) {
      ++sums.found;
      if (LISTED) atomicOr(a.fresh + (v >> 5), 1u << (v & 31u));
      if (v == a.target) gp__bfs_tally::add(s.sums[0].found, GP__BFS_HIT);
    }
    if (counts_rest()) sums.edges += keeps ? degree : 0;
    else if (found) sums.edges += Offset(offsets[v + 1] - offsets[v]);
    Below::template append_to_list<LISTED>(keeps, v, parent);
    sums.appended += keeps;
  }
  // A vertex that has found none yet, and the neighbours that it has not looked at.
  struct Waiter {
    Vertex vertex;
    Offset at, end;
  };
  GP_DEVICE Waiter waiter(bool is, unsigned slot) const {
    return Waiter{
        is ? waiting_vertices()[slot] : 0, is ? waiting_at()[slot] : 0, is ? waiting_at()[WAITING + slot] : 0};
  }
  // Vertices wait until there is a warp of them.
  GP_DEVICE void wait_for_others(bool waits, const Waiter &x, unsigned &waiting) const {
    const unsigned mask = __ballot_sync(~0u, waits);
    if (waits) {
      const unsigned slot = waiting + gp__lanes_before(mask);
      waiting_vertices()[slot] = x.vertex;
      waiting_at()[slot] = x.at;
      waiting_at()[WAITING + slot] = x.end;
    }
    waiting += unsigned(__popc(mask));
  }
  // Waiting vertices look on, at 16 bytes each; few vertices have several lanes each.
  template<bool LISTED> GP_DEVICE void look_on(const gp__u32 *map, gp__u32 *next, unsigned &waiting) {
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
    const unsigned hits = team.of(__ballot_sync(~0u, hit));
    parent = __shfl_sync(~0u, parent, int(team.first(hits)));
    const Offset rest = is ? behind(mine.at, mine.end, team.width) : mine.end;
    const bool leads = is && !team.rank, waits = leads && !hits && rest < mine.end, found = leads && hits;
    if (!LISTED && found) atomicOr(next + (v >> 5), 1u << (v & 31u));
    const bool keeps = leads && !waits && !found;
    conclude<LISTED>(leads && !waits, v, found, parent, keeps ? Offset(mine.end - in_offsets[v]) : 0);
    wait_for_others(waits, Waiter{v, rest, mine.end}, waiting);
  }
  // A warp goes over words of the bitmap, or as many vertices of the list. Each vertex looks at one neighbour: its
  // first, or the list's, which has mostly been reached. Vertices that need more look on later.
  template<bool LISTED> GP_DEVICE void bottom_up() {
    const gp__bfs_state &t = s.state;
    const gp__u32 *map = a.reached[t.map];
    gp__u32 *next = a.reached[t.map ^ 1];
    const Seeker *list = gp__as<const Seeker>(a.lists[t.side]);
    const Vertex last = Vertex((LISTED ? t.list : vertices) - 1), step = Vertex(warps_of_grid());
    const Vertex rows = last / GP__WARP + 1; // not empty: a step has something to do
    unsigned waiting = 0;
    depth = t.depth + 1;
    if (!LISTED) {
      for (gp__u64 i = gp__u64(s.rank) * P::threads + threadIdx.x; i < words; i += gp__u64(a.blocks) * P::threads)
        a.fresh[i] = 0;
    }
    for (Vertex row = Vertex(warp_of_grid()); row < rows; row += WORDS * step) {
      Vertex v[WORDS], parent[WORDS];
      Offset begin[WORDS], end[WORDS];
      gp__u32 word[WORDS];
      bool there[WORDS], found[WORDS];
      GP__EACH(w, WORDS) {
        const Vertex mine = row + unsigned(w) * step, i = mine * GP__WARP + gp_lane();
        const bool is = mine < rows && i <= last;
        word[w] = !LISTED && mine < rows ? map[mine] : 0;
        const Seeker seeker = LISTED && is ? list[i] : Seeker{i, 0};
        v[w] = seeker.vertex, parent[w] = seeker.neighbour;
        there[w] = is && (LISTED ? t.listed == 1 || !has_bit(map, v[w]) : (word[w] >> gp_lane() & 1u) == 0);
        begin[w] = !LISTED && there[w] ? in_offsets[v[w]] : 0;
        end[w] = !LISTED && there[w] ? in_offsets[v[w] + 1] : 0;
      }
      GP__UNROLL
      for (int w = 0; w < WORDS && !LISTED; ++w) parent[w] = begin[w] < end[w] ? in_sources[begin[w]] : 0;
      GP__UNROLL
      for (int w = 0; w < WORDS && !LISTED; ++w) { // prefetches the next offsets
        const Vertex mine = row + unsigned(w + WORDS) * step, i = mine * GP__WARP + gp_lane();
        if (mine < rows && i <= last) gp__prefetch(in_offsets + i);
      }
      GP__EACH(w, WORDS) {
        const bool looks = LISTED ? there[w] : begin[w] < end[w];
        found[w] = looks && has_bit(map, parent[w]);
        inspected += looks;
      }
      GP__UNROLL
      for (int w = 0; w < WORDS && LISTED; ++w) {
        const bool looks = there[w] && !found[w];
        begin[w] = looks ? in_offsets[v[w]] : 0;
        end[w] = looks ? in_offsets[v[w] + 1] : 0;
      }
      GP__EACH(w, WORDS) {
        const bool waits = !found[w] && begin[w] + 1 < end[w];
        const unsigned bits = __ballot_sync(~0u, found[w]);
        const Vertex mine = row + unsigned(w) * step;
        if (!LISTED && !gp_lane() && mine < rows) next[mine] = word[w] | bits;
        conclude<LISTED>(there[w] && !waits, v[w], found[w], parent[w], Offset(end[w] - begin[w]));
        wait_for_others(waits, Waiter{v[w], Offset(begin[w] + (LISTED ? 0 : 1)), end[w]}, waiting);
      }
      while (waiting >= GP__WARP) look_on<LISTED>(map, next, waiting);
    }
    while (waiting) look_on<LISTED>(map, next, waiting);
    Below::template flush_list<LISTED>();
    add_warp(sums);
  }
  GP_DEVICE void append_vertex(bool there, Vertex v) {
    const gp__u64 begin = there ? offsets[v] : 0, end = there ? offsets[v + 1] : 0;
    Below::template append<WARPS_OF_GRID>(there, begin, end - begin, v, false);
  }
  // Appends the lists of vertices in a bitmap: lanes have a word each, the first of them word `at`.
  GP_DEVICE void append_words(gp__u64 at, gp__u32 mine) {
    for (unsigned left = __ballot_sync(~0u, mine != 0); left; left &= left - 1) {
      const int owner = __ffs(int(left)) - 1;
      const gp__u32 word = __shfl_sync(~0u, mine, owner);
      append_vertex((word >> gp_lane() & 1u) != 0, Vertex((at + unsigned(owner)) * 32 + gp_lane()));
    }
  }
  // Merges the vertices that the last level has found into the reached ones and, if the search goes on top-down, into
  // the queue; or appends long lists to the queue, which lacks them.
  GP_DEVICE void merge_frontier() {
    const Vertex *list = gp__as<const Vertex>(a.found);
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
  // Queues the edges of vertices that the level over all vertices has found: those in one bitmap but not in the other.
  GP_DEVICE void collect() {
    const gp__u32 *map = a.reached[s.state.map], *before = a.reached[s.state.map ^ 1];
    for (gp__u64 at = warp_of_grid() * GP__WARP; at < words; at += warps_of_grid() * GP__WARP) {
      const bool there = at + gp_lane() < words;
      append_words(at, there ? map[at + gp_lane()] & ~before[at + gp_lane()] : 0);
    }
    flush();
  }
};
