// bfs/sources.cuh - search from many sources: a block, the kernel
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, bfs/policy.h,
//   bfs/arguments.h, device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/edges.cuh, device/kernel.cuh,
//   bfs/state.cuh, bfs/sources_state.cuh

// Items that a warp appends to an array of all warps. They are gathered in shared memory first: thousands of atomics on
// one cursor would queue up.
template<class T> struct gp__warp_list {
  static const unsigned ROOM = GP__BFS_BUFFER / unsigned(sizeof(T));
  T *buffer, *array;
  gp__u64 *cursor, before; // before: the cursor when the array was empty
  unsigned filled, appended;
  GP_DEVICE gp__u64 reserve(unsigned number) {
    appended += number;
    return gp_warp_broadcast(!gp_lane() ? atomicAdd(cursor, gp__u64(number)) : 0, 0) - before;
  }
  GP_DEVICE void add(bool has, const T &x) {
    const unsigned mask = __ballot_sync(~0u, has), number = unsigned(__popc(mask));
    if (!number) return;
    if (filled + number > ROOM) flush();
    if (has) buffer[filled + gp__lanes_before(mask)] = x;
    filled += number;
  }
  GP_DEVICE void flush() {
    if (!filled) return;
    __syncwarp();
    const gp__u64 at = reserve(filled);
    for (unsigned i = gp_lane(); i < filled; i += GP__WARP) array[at + i] = buffer[i];
    filled = 0;
    __syncwarp();
  }
};

template<class P, class Offset, class Vertex, class Word> struct gp__sources_block {
  static const int WARPS = P::threads / GP__WARP, ITEMS = P::vectors, BITS = 8 * int(sizeof(Word));
  static const int LOOK = 4, FEW = 8; // neighbours that a lane looks at in a turn; most vertices that the warp helps
  typedef gp__sources_shared<WARPS> Shared;
  typedef gp__sources_state State;
  const gp__sources_args &a;
  Shared &s;
  gp__u8 *dynamic;
  const Offset *offsets, *in_offsets;
  const Vertex *targets, *in_sources;
  gp__sources_control *control;
  Word *seen;
  gp_edges *queue;
  gp__u64 vertices;
  unsigned rank;
  gp__u64 sums[GP__SOURCES_SUMS]; // this thread's sums in this step

  GP_DEVICE gp__sources_block(const gp__sources_args &args, Shared &shared, gp__u8 *memory)
    : a(args), s(shared), dynamic(memory), offsets(gp__as<const Offset>(args.offsets)),
      in_offsets(gp__as<const Offset>(args.in_offsets)), targets(gp__as<const Vertex>(args.targets)),
      in_sources(gp__as<const Vertex>(args.in_sources)), control(gp__as<gp__sources_control>(args.control)),
      seen(gp__as<Word>(args.seen)), queue(gp__as<gp_edges>(args.queue)), vertices(args.vertices), rank(blockIdx.x) {
    clear_sums();
  }

  GP_DEVICE void clear_sums() {
    GP__EACH(i, GP__SOURCES_SUMS) sums[i] = 0;
  }
  // Words of the frontier, and of the one after it; likewise their lists.
  GP_DEVICE Word *visit() const { return gp__as<Word>(a.words[s.state.side]); }
  GP_DEVICE Word *next() const { return gp__as<Word>(a.words[s.state.side ^ 1]); }
  GP_DEVICE Vertex *list(int side) const { return gp__as<Vertex>(a.lists[side]); }
  GP_DEVICE Word full() const { return Word(~Word(0)) >> (BITS - a.count); }
  GP_DEVICE static int number_of_bits(gp__u32 x) { return __popc(x); }
  GP_DEVICE static int number_of_bits(gp__u64 x) { return __popcll(x); }
  GP_DEVICE static int lowest_bit(gp__u32 x) { return __ffs(int(x)) - 1; }
  GP_DEVICE static int lowest_bit(gp__u64 x) { return __ffsll(gp__i64(x)) - 1; }
  // OR of all lanes' bits, in all lanes.
  GP_DEVICE static Word all_bits(Word x) {
    GP__UNROLL
    for (int other = GP__WARP / 2; other; other /= 2) x |= gp_warp_exchange(x, other);
    return x;
  }
  // Warps that share the work of a step; this warp's number.
  GP_DEVICE gp__u64 warps() const { return s.state.alone ? WARPS : gp__u64(a.blocks) * WARPS; }
  GP_DEVICE gp__u64 warp() const { return gp__u64(rank) * WARPS + gp_warp(); }
  template<class T> GP_DEVICE gp__warp_list<T> appending_to(T *array, gp__u64 *cursor, gp__u64 before) const {
    return gp__warp_list<T>{gp__as<T>(dynamic + gp_warp() * GP__BFS_BUFFER), array, cursor, before, 0, 0};
  }
  template<class T> GP_DEVICE void finish_list(gp__warp_list<T> &l) {
    l.flush();
    if (!gp_lane()) sums[GP__NEW_ITEMS] += l.appended;
  }
  GP_DEVICE gp__warp_list<Vertex> next_list() const {
    return appending_to(list(s.state.side ^ 1), &control->list, s.state.listed);
  }

  // ---- steps

  // Writes the depth of a lane's vertex to the rows of its bits: row by row, as vertices of a warp are mostly
  // neighbours.
  GP_DEVICE void write(gp__u64 v, Word bits, int depth) const {
    if (!a.depths) return;
    for (Word any = all_bits(bits); any; any &= any - 1) {
      const int row = lowest_bit(any);
      if (bits >> row & 1u) a.depths[unsigned(row) * vertices + v] = depth;
    }
  }
  // Called by all lanes: merges the fresh bits of a lane's vertex, if any. Returns the number of edges that leave it.
  GP_DEVICE gp__u64 merge_vertex(gp__u64 v, Word fresh) {
    gp__u64 degree = 0;
    if (fresh) {
      const Word now = seen[v] | fresh;
      const gp__u64 pairs = gp__u64(number_of_bits(fresh));
      seen[v] = now;
      degree = gp__u64(offsets[v + 1] - offsets[v]);
      sums[GP__NEW_PAIRS] += pairs;
      sums[GP__NEW_EDGES] += degree;
      sums[GP__NEW_EXPLORED] += pairs * degree;
      if (now == full()) sums[GP__NEW_CLOSED] += in_offsets ? in_offsets[v + 1] - in_offsets[v] : 0;
    }
    write(v, fresh, s.state.depth + 1);
    return degree;
  }
  // Appends a frontier vertex's edges to the queue, in parts.
  GP_DEVICE void append_parts(gp__warp_list<gp_edges> &parts, gp__u64 v, gp__u64 degree) const {
    const gp__u64 begin = degree ? offsets[v] : 0;
    const bool is_short = degree <= GP__BFS_PART;
    parts.add(degree && is_short, gp_edges_of(begin, is_short ? unsigned(degree) : 0, v));
    for (unsigned large = __ballot_sync(~0u, !is_short); large; large &= large - 1) {
      const int owner = __ffs(int(large)) - 1;
      const gp__u64 from = __shfl_sync(~0u, begin, owner), length = __shfl_sync(~0u, degree, owner);
      const gp__u64 vertex = __shfl_sync(~0u, v, owner);
      const unsigned count = unsigned((length + GP__BFS_PART - 1) / GP__BFS_PART);
      const gp__u64 at = parts.reserve(count);
      for (unsigned i = gp_lane(); i < count; i += GP__WARP) {
        const gp__u64 done = gp__u64(i) * GP__BFS_PART, rest = length - done;
        queue[at + i] = gp_edges_of(from + done, rest < GP__BFS_PART ? unsigned(rest) : unsigned(GP__BFS_PART), vertex);
      }
    }
  }
  GP_DEVICE void clear_words(Word *words, const Vertex *of, gp__u64 count) const {
    for (gp__u64 i = warp() * GP__WARP + gp_lane(); i < count; i += warps() * GP__WARP) words[of[i]] = 0;
  }
  // One warp sets the bits of the sources.
  GP_DEVICE void seed() {
    if (warp() != 0) return;
    gp__warp_list<Vertex> reached = next_list();
    for (int first = 0; first < a.count; first += GP__WARP) {
      const int i = first + int(gp_lane());
      const gp__u64 v = i >= a.count ? vertices : a.source_device ? a.source_device[i] : a.source[i];
      const bool mine = v < vertices && atomicOr(next() + v, Word(1) << (i & (BITS - 1))) == 0;
      reached.add(mine, Vertex(v));
    }
    finish_list(reached);
  }
  GP_DEVICE void expand() {
    const gp__u64 count = s.state.parts, share = (count + warps() - 1) / warps();
    const unsigned width = share < GP__WARP ? unsigned(share) : unsigned(GP__WARP);
    const Word *from = visit(), *have = seen;
    Word *to = next();
    gp__warp_list<Vertex> reached = next_list();
    const auto give = [&](const bool(&there)[ITEMS], const Vertex(&source)[ITEMS], const Vertex(&v)[ITEMS]) {
      Word bits[ITEMS];
      GP__EACH(i, ITEMS) bits[i] = there[i] ? from[source[i]] & ~have[v[i]] : 0;
      GP__EACH(i, ITEMS)
        if (bits[i] && !(bits[i] & ~gp__load_volatile(to + v[i]))) bits[i] = 0; // another thread has given them
      GP__EACH(i, ITEMS) {
        sums[GP__NEW_LOOKS] += there[i];
        reached.add(bits[i] && atomicOr(to + v[i], bits[i]) == 0, v[i]);
      }
    };
    for (gp__u64 at = warp() * width; at < count; at += warps() * width) {
      gp_edges edges = gp_edges_of(0, 0, 0);
      if (gp_lane() < width && at + gp_lane() < count) edges = queue[at + gp_lane()];
      gp__warp_expand<ITEMS>(edges, targets, give);
    }
    finish_list(reached);
  }
  // Many vertices are found faster in the order of all vertices, and their rows are written in longer pieces.
  GP_DEVICE void merge_frontier() {
    const State &t = s.state;
    const bool dense = t.count * 4 > vertices;
    const gp__u64 count = dense ? vertices : t.count;
    const Vertex *reached = list(t.side ^ 1);
    const Word *fresh = next();
    gp__warp_list<gp_edges> parts = appending_to(queue, &control->queue, t.parted);
    for (gp__u64 at = warp() * GP__WARP; at < count; at += warps() * GP__WARP) {
      const bool there = at + gp_lane() < count;
      const gp__u64 v = !there ? 0 : dense ? at + gp_lane() : gp__u64(reached[at + gp_lane()]);
      append_parts(parts, v, merge_vertex(v, there ? fresh[v] : 0));
    }
    finish_list(parts);
    clear_words(visit(), list(t.side), t.before);
  }
  // Queues a gathered frontier, to go on top-down.
  GP_DEVICE void collect() {
    const State &t = s.state;
    const Vertex *frontier = list(t.side);
    gp__warp_list<gp_edges> parts = appending_to(queue, &control->queue, t.parted);
    for (gp__u64 at = warp() * GP__WARP; at < t.count; at += warps() * GP__WARP) {
      const bool there = at + gp_lane() < t.count;
      const gp__u64 v = there ? gp__u64(frontier[at + gp_lane()]) : 0;
      append_parts(parts, v, there ? gp__u64(offsets[v + 1] - offsets[v]) : 0);
    }
    finish_list(parts);
    clear_words(next(), list(t.side ^ 1), t.before);
  }
  // Returns the wanted bits that neighbours have.
  GP_DEVICE Word gather_vertex(const Word *from, Word wants, Offset at, Offset end) {
    Word got = 0;
    for (;;) {
      const bool looks = (wants & ~got) && at < end;
      const unsigned pending = __ballot_sync(~0u, looks);
      if (__popc(pending) <= FEW) return gather_together(from, pending, wants, got, at, end);
      if (!looks) continue;
      Word bits[LOOK];
      const unsigned there = end - at < LOOK ? unsigned(end - at) : unsigned(LOOK);
      GP__UNROLL
      for (unsigned i = 0; i < LOOK; ++i) bits[i] = i < there ? from[in_sources[at + i]] : 0;
      GP__EACH(i, LOOK) got |= bits[i];
      sums[GP__NEW_LOOKS] += there;
      at += there;
    }
  }
  GP_DEVICE Word gather_together(const Word *from, unsigned pending, Word wants, Word got, Offset at, Offset end) {
    for (; pending; pending &= pending - 1) {
      const int owner = __ffs(int(pending)) - 1;
      const Offset last = __shfl_sync(~0u, end, owner);
      Word left = __shfl_sync(~0u, Word(wants & ~got), owner);
      for (Offset first = __shfl_sync(~0u, at, owner); left;) {
        const bool there = gp_lane() < last - first;
        const Word all = all_bits(there ? from[in_sources[first + gp_lane()]] : 0);
        sums[GP__NEW_LOOKS] += there;
        if (int(gp_lane()) == owner) got |= all;
        left &= ~all;
        if (last - first <= GP__WARP) break;
        first += GP__WARP;
      }
    }
    return got & wants;
  }
  GP_DEVICE void gather() {
    const Word *from = visit();
    Word *to = next();
    gp__warp_list<Vertex> reached = next_list();
    for (gp__u64 at = warp() * GP__WARP; at < vertices; at += warps() * GP__WARP) {
      const gp__u64 v = at + gp_lane();
      const bool there = v < vertices;
      const Word wants = there ? full() & ~seen[v] : 0;
      const Offset begin = wants ? in_offsets[v] : 0, end = wants ? in_offsets[v + 1] : 0;
      const Word fresh = gather_vertex(from, wants, begin, end);
      if (there) to[v] = fresh;
      merge_vertex(v, fresh);
      reached.add(fresh != 0, Vertex(v));
    }
    finish_list(reached);
  }
  GP_DEVICE void run() {
    const int step = s.state.step;
    if (step == GP_STEP_START) seed();
    else if (step == GP_STEP_TOP_DOWN) expand();
    else if (step == GP_STEP_BOTTOM_UP) gather();
    else if (step == GP_STEP_MERGE_FRONTIER) merge_frontier();
    else collect();
  }

  // ---- what comes next: one thread of each block, from the same numbers

  GP_DEVICE bool grows() const {
    const State &t = s.state;
    return in_offsets && a.alpha > 0 && t.edges * unsigned(a.alpha) > t.open && t.edges * 8 > vertices;
  }
  GP_DEVICE void decide(const gp__u64 (&x)[GP__SOURCES_SUMS]) {
    State &t = s.state;
    const int step = t.step;
    const gp__u64 items = x[GP__NEW_ITEMS];
    t.inspected += x[GP__NEW_LOOKS];
    if (step == GP_STEP_MERGE_FRONTIER || step == GP_STEP_COLLECT) {
      t.parts = items;
      t.parted += items;
    } else {
      t.before = t.count;
      t.count = items;
      t.listed += items;
    }
    if (step == GP_STEP_START || step == GP_STEP_TOP_DOWN) {
      t.step = items ? GP_STEP_MERGE_FRONTIER : GP_STEP_FINISH;
      return;
    }
    if (step != GP_STEP_COLLECT) {
      if (!t.count) {
        t.step = GP_STEP_FINISH;
        return;
      }
      ++t.depth;
      t.side ^= 1;
      t.small += unsigned(t.alone);
      t.bottom_up += step == GP_STEP_BOTTOM_UP;
      t.visits += t.count;
      t.pairs += x[GP__NEW_PAIRS];
      t.explored += x[GP__NEW_EXPLORED];
      t.edges = x[GP__NEW_EDGES];
      t.open -= x[GP__NEW_CLOSED];
    }
    t.step = !t.edges || (a.limit && t.depth == a.limit) ? GP_STEP_FINISH
        : step != GP_STEP_COLLECT && grows() ? GP_STEP_BOTTOM_UP
        : step == GP_STEP_BOTTOM_UP ? GP_STEP_COLLECT
        : GP_STEP_TOP_DOWN;
    t.alone = a.blocks > 1 && t.step == GP_STEP_TOP_DOWN && t.parts <= a.small && t.edges <= a.small * 8ull;
  }

  // ---- sums and barriers

  // The block's sums: lane i of the first warp gets the i-th.
  GP_DEVICE gp__u64 block_sums() {
    GP__EACH(i, GP__SOURCES_SUMS) {
      const gp__u64 of_warp = gp_warp_reduce(sums[i], gp_sum<gp__u64>());
      if (!gp_lane()) s.sums[i][gp_warp()] = of_warp;
    }
    clear_sums();
    __syncthreads();
    if (gp_warp() != 0) return 0;
    gp__u64 mine = 0;
    if (gp_lane() < GP__SOURCES_SUMS)
      for (int w = 0; w < WARPS; ++w) mine += s.sums[gp_lane()][w];
    return mine;
  }
  // The first thread decides from the sums of all blocks, which the first warp's lanes have.
  GP_DEVICE void decide_by(gp__u64 mine, int step) {
    if (!gp_warp()) {
      gp__u64 all[GP__SOURCES_SUMS];
      GP__EACH(i, GP__SOURCES_SUMS) all[i] = __shfl_sync(~0u, mine, i);
      if (!threadIdx.x) {
        const bool alone = s.state.alone != 0;
        decide(all);
        if (!alone) note(step);
      }
    }
    __syncthreads();
  }
  GP_DEVICE gp__u64 wait() {
    gp__u64 mine = block_sums();
    if (a.blocks > 1 && !gp_warp()) {
      mine = gp__grid_barrier_sum(control->barrier, unsigned(s.barriers), a.blocks, rank, mine);
      if (!threadIdx.x) ++s.barriers;
    }
    return mine;
  }
  // The first block's first thread records a step, of the first batch only.
  GP_DEVICE void note(int kind) {
    if (!a.statistics || a.batch || rank != 0 || a.part != GP__SOURCES_ALL || s.steps == GP_TRAVERSAL_STEPS) return;
    gp_traversal_step &r = a.statistics->step[s.steps++];
    r.nanoseconds = gp__nanoseconds() - s.clock;
    r.reached = s.state.pairs, r.edges = s.state.explored;
    r.kind = gp__u32(kind), r.depth = gp__u32(s.state.depth < 0 ? 0 : s.state.depth);
  }

  // ---- parts of the work: launches

  GP_DEVICE void load_state() {
    if (!threadIdx.x) {
      s.state = control->state;
      s.barriers = 0, s.steps = 0, s.clock = gp__nanoseconds();
    }
    __syncthreads();
  }
  // Clears the state: nothing has been reached.
  GP_DEVICE void clear() {
    const gp__u64 threads = gp__u64(a.blocks) * P::threads;
    const gp__u64 first = gp__u64(rank) * P::threads + threadIdx.x;
    Word *words[2] = {gp__as<Word>(a.words[0]), gp__as<Word>(a.words[1])};
    for (gp__u64 v = first; v < vertices; v += threads) seen[v] = words[0][v] = words[1][v] = 0;
    if (a.reached && first < unsigned(a.count)) a.reached[first] = 0;
    if (first != 0) return;
    State t;
    t.step = GP_STEP_START;
    t.depth = -1;
    t.side = t.alone = 0;
    t.count = t.before = t.parts = t.edges = t.listed = t.parted = 0;
    t.pairs = t.explored = t.inspected = t.visits = t.bottom_up = t.small = 0;
    t.open = in_offsets && vertices ? in_offsets[vertices] : 0;
    control->list = control->queue = control->arrived = 0;
    control->state = t;
    for (int i = 0; i < GP__SOURCES_SUMS; ++i) {
      control->sums[i] = 0;
      for (int b = 0; b < 3; ++b) control->barrier[b].word[i] = 0;
    }
  }
  // Does all levels that are left. Other blocks wait for levels of one block, then read the new state.
  GP_DEVICE void levels() {
    while (s.state.step != GP_STEP_FINISH) {
      const bool alone = s.state.alone != 0;
      while (alone && rank == 0 && s.state.alone && s.state.step != GP_STEP_FINISH) {
        const int step = s.state.step;
        run();
        decide_by(block_sums(), step);
      }
      if (alone) {
        if (rank == 0 && !threadIdx.x) {
          control->state = s.state;
          note(GP_STEP_ALONE);
        }
        wait();
        if (rank != 0 && !threadIdx.x) s.state = control->state;
        __syncthreads();
      } else {
        const int step = s.state.step;
        run();
        decide_by(wait(), step);
      }
    }
  }
  // Does one step; the last block to finish it decides.
  GP_DEVICE void step() {
    const int step = s.state.step;
    if (step == GP_STEP_FINISH) return;
    run();
    gp__u64 mine = block_sums();
    if (!gp_warp()) {
      if (gp_lane() < GP__SOURCES_SUMS && mine) gp__add_relaxed(control->sums + gp_lane(), mine);
      __threadfence();
      __syncwarp();
      if (!gp_lane()) s.last = gp__add_relaxed(&control->arrived, 1) == a.blocks - 1;
    }
    __syncthreads();
    if (!s.last) return;
    __threadfence();
    if (!gp_warp() && gp_lane() < GP__SOURCES_SUMS) {
      mine = gp__load_relaxed(control->sums + gp_lane());
      gp__store_relaxed(control->sums + gp_lane(), 0);
    }
    decide_by(mine, step);
    if (!threadIdx.x) {
      s.state.alone = 0;
      control->state = s.state;
      control->arrived = 0;
    }
  }
  // Writes depths where nothing was reached, the number of vertices that each source has reached, and the statistics.
  GP_DEVICE void finish() {
    const Word all = full();
    gp__u64 reached[BITS / GP__WARP];
    GP__EACH(i, BITS / GP__WARP) reached[i] = 0;
    if (!threadIdx.x) s.state.alone = 0;
    __syncthreads();
    for (gp__u64 at = warp() * GP__WARP; at < vertices; at += warps() * GP__WARP) {
      const gp__u64 v = at + gp_lane();
      const Word has = v < vertices ? seen[v] : all;
      write(v, all & ~has, -1);
      if (!a.reached) continue;
      GP__EACH(i, BITS / GP__WARP) {
        GP__UNROLL_BY(4)
        for (unsigned b = 0; b < GP__WARP; ++b) {
          const bool mine = v < vertices && (has >> (unsigned(i) * GP__WARP + b) & 1u);
          const unsigned votes = __ballot_sync(~0u, mine);
          if (gp_lane() == b) reached[i] += unsigned(__popc(votes));
        }
      }
    }
    GP__EACH(i, BITS / GP__WARP)
      if (a.reached && reached[i]) atomicAdd(a.reached + i * GP__WARP + gp_lane(), reached[i]);
    if (rank == 0 && !threadIdx.x && a.statistics) report();
  }
  GP_DEVICE void report() {
    const State &t = s.state;
    gp_traversal &r = *a.statistics;
    const gp__u64 levels = t.depth > 0 ? gp__u64(t.depth) : 0;
    const gp__u64 bytes = (a.depths ? vertices * 4 * unsigned(a.count) : 0) + t.visits * 2 * sizeof(Offset) +
        t.inspected * (sizeof(Vertex) + sizeof(Word));
    note(GP_STEP_FINISH);
    if (!a.batch) {
      r.reached = r.edges = r.inspected = r.levels = r.bottom_up = r.small = r.bytes = 0;
      r.steps = s.steps;
    }
    r.reached += t.pairs;
    r.edges += t.explored;
    r.inspected += t.inspected;
    r.levels = r.levels < levels ? levels : r.levels;
    r.bottom_up += t.bottom_up;
    r.small += t.small;
    r.bytes += bytes;
  }
};

template<class P, class Offset, class Vertex, class Word> GP_DEVICE void gp__bfs_sources(const gp__sources_args &a) {
  typedef gp__sources_block<P, Offset, Vertex, Word> Block;
  GP_SHARED(typename Block::Shared, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  if (a.fault && a.fault->kind != GP_FAULT_NONE) return;
  Block block(a, s, memory);
  if (a.part == GP__SOURCES_CLEAR) {
    block.clear();
    return;
  }
  block.load_state();
  if (a.part == GP__SOURCES_STEP) block.step();
  else {
    if (a.part != GP__SOURCES_FINISH) block.levels();
    if (a.part != GP__SOURCES_REST) block.finish();
    else if (!threadIdx.x) block.control->state = s.state;
  }
}
