// select/kernels.cuh - the kernel of a stream
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, select/policy.h,
//   select/arguments.h, device/types.cuh, device/warp.cuh, device/inputs.cuh, device/tile_reduce.cuh,
//   device/tile_copy.cuh, device/look_back.cuh, device/kernel.cuh, select/stream.cuh

template<int STAGES, int GROUPS, class State> struct gp__stream_storage {
  gp__u64 drawn[STAGES]; // by offsets: the ticket is drawn (copying warp)
  gp__u64 found[STAGES]; // by offsets: they are found, the first heads marked (look-back warp)
  gp__u64 marked[STAGES]; // by offsets: all heads are marked (each folding warp)
  gp__u64 loaded[STAGES]; // tile and ticket are loaded (copying warp, and the bytes of the copies)
  gp__u64 folded[STAGES]; // groups' totals and kept words are written (each folding warp)
  gp__u64 published[STAGES]; // groups' prefixes and the aggregate are written (publishing warp)
  gp__u64 carried[STAGES]; // the tile's prefix is written (look-back warp)
  gp__u64 emitted[STAGES]; // the buffer is free (each emitting warp)
  gp__ticket ticket[STAGES];
  gp__span offsets[STAGES];
  State total[STAGES][GROUPS]; // then inclusive prefixes over the groups
  State before[STAGES];
};

// Common to the kernels of a stream: shapes, and the steps of a warp that folds or emits a group.
template<class P, class Body> struct gp__stream {
  typedef typename Body::Key Key;
  typedef typename Body::Value Value;
  typedef typename Body::State State;
  typedef typename Body::Join Join;
  typedef typename Body::Offsets Offsets;
  static const int KEY = gp__bytes_of<Key>::value, VALUE = gp__bytes_of<Value>::value;
  static const int ITEMS = gp__stream_items(P::vectors, KEY, VALUE), GROUPS = P::threads / 32,
                   TILE = P::threads * ITEMS;
  typedef typename Body::template Kept<ITEMS> Kept;
  static const int VALUES_AT = gp__stream_region_bytes(TILE, KEY);
  static const int KEPT_AT = VALUES_AT + gp__stream_region_bytes(TILE, VALUE);
  static const int KEPT = int(sizeof(Kept)) / 4; // words
  static const int STAGE = KEPT_AT + P::threads * KEPT * 4, SCRATCH = TILE * Body::SCRATCH;

  // A tile in a stage. Offsets are element 0's from a 16-byte boundary; bulk copies need those it has in memory.
  static GP_DEVICE gp__stream_tile tile_in(
      gp__u8 *stage, gp__u64 number, gp__u64 count, unsigned key_offset, unsigned value_offset) {
    gp__stream_tile t;
    t.first = number * TILE;
    t.count = count;
    t.items = count - t.first < gp__u64(TILE) ? int(count - t.first) : TILE;
    t.keys = stage + (KEY ? GP__STREAM_MARGIN + key_offset : 0);
    t.values = stage + VALUES_AT + GP__STREAM_MARGIN + value_offset;
    return t;
  }
  static GP_DEVICE bool full(const gp__stream_tile &t, int first) { // the group that begins at element `first`
    return t.items - first >= 32 * ITEMS &&
        ((KEY ? gp__misalignment(t.keys, 16) : 0) | (VALUE ? gp__misalignment(t.values, 16) : 0)) == 0;
  }
  // The words that this thread keeps of a group: word k of all threads is contiguous.
  static GP_DEVICE gp__u32 *kept_in(gp__u8 *stage, int group) { return marks_in(stage) + group * 32 + gp_lane(); }
  // By offsets: the bits that mark heads.
  static GP_DEVICE gp__u32 *marks_in(gp__u8 *stage) { return gp__as<gp__u32>(stage + KEPT_AT); }
  // One warp: clears the marks, then marks the heads of the first offsets. Returns the rest of the tile's offsets.
  static GP_DEVICE gp__span mark_first(const gp__stream_args &a, const gp__stream_tile &t, gp__u8 *stage) {
    Offsets::template clear<P::threads, ITEMS>(t, marks_in(stage), gp_lane(), 32);
    gp__span span = Offsets::find(a, t);
    const gp__span mine = Offsets::take(span);
    __syncwarp();
    mark(a, t, mine, stage, 0, 1);
    return span;
  }
  static GP_DEVICE void mark(const gp__stream_args &a, const gp__stream_tile &t, const gp__span &span, gp__u8 *stage,
      unsigned warp, unsigned warps) {
    Offsets::template mark<P::threads, ITEMS>(a, t, span, marks_in(stage), warp, warps);
  }
  static GP_DEVICE void fold(
      const gp__stream_args &a, const gp__stream_tile &t, gp__u8 *stage, int group, State *totals) {
    const int first = group * (32 * ITEMS);
    gp__u32 *words = kept_in(stage, group);
    gp__shuffled<Kept> kept;
    if (Offsets::any) {
      GP__EACH(k, gp__bits<ITEMS + 1>::WORDS) kept.word[k] = words[k * P::threads];
    }
    const State s = full(t, first) ? Body::template fold<ITEMS, true>(a, t, first, kept.value)
        : Body::template fold<ITEMS, false>(a, t, first, kept.value);
    GP__EACH(k, KEPT) words[k * P::threads] = kept.word[k];
    if (!gp_lane()) totals[group] = s;
    __syncwarp(); // lane 0 will say that the warp is done
  }
  // before: the tile's prefix; prefixes: inclusive, over the groups; scratch: the block's.
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, gp__u8 *stage, int group,
      const State &before, const State *prefixes, gp__u8 *scratch) {
    const int first = group * (32 * ITEMS);
    const State mine = group > 0 ? Join()(before, prefixes[group - 1]) : before;
    const gp__u32 *words = kept_in(stage, group);
    gp__shuffled<Kept> kept;
    GP__EACH(k, KEPT) kept.word[k] = words[k * P::threads];
    scratch += first * Body::SCRATCH;
    if (full(t, first)) Body::template emit<ITEMS, true>(a, t, first, kept.value, mine, scratch);
    else Body::template emit<ITEMS, false>(a, t, first, kept.value, mine, scratch);
    if (group == GROUPS - 1 && !gp_lane() && t.first + t.items == t.count)
      Body::finish(a, t.count, Join()(before, prefixes[GROUPS - 1]));
  }
  // Whether results overwrite the elements that are read.
  static GP_DEVICE bool in_place(const gp__stream_args &a) {
    return (a.out_keys && a.out_keys == a.keys) ||
        (a.out_values && (a.out_values == a.values || a.out_values == a.keys));
  }
  typedef gp__look_back<State, Join, typename Join::template Form<TILE>> LookBack;
  static GP_DEVICE LookBack look_back(const gp__stream_args &a, gp__u64 tiles, gp__u64 tag) {
    LookBack l = {gp__words(a.workspace), tiles, tag, gp_carry<State>(), in_place(a)};
    l.start.value = Join::identity();
    l.start.has = false;
    return l;
  }
  static GP_DEVICE State or_identity(const gp_carry<State> &before) {
    return before.has ? before.value : Join::identity();
  }
  // One warp: turns the groups' totals into inclusive prefixes. Returns the tile's aggregate to lane GROUPS - 1.
  static GP_DEVICE State prefixes(State *totals) {
    const State s = gp_warp_inclusive_scan(gp_lane() < unsigned(GROUPS) ? totals[gp_lane()] : Join::identity(), Join());
    if (gp_lane() < unsigned(GROUPS)) totals[gp_lane()] = s;
    return s;
  }
  // Whether there is nothing to do: wrong offsets (GP_CHECKED), or an empty input, whose counts it writes.
  static GP_DEVICE bool idle(const gp__stream_args &a, gp__u64 count) {
    if (a.bad && *a.bad != ~0ull) return true;
    if (count == 0 && !blockIdx.x && !threadIdx.x) Body::finish(a, 0, Join::identity());
    return count == 0;
  }
};

template<class T> struct gp__stream_load { // loads a tile, by THREADS threads
  template<class P, int THREADS, bool BEFORE, bool BEHIND>
  static GP_DEVICE void run(
      gp__u8 *to, const void *from, const gp__stream_tile &t, unsigned thread, const gp__stream_args &) {
    const gp__u8 *in = gp__as<const gp__u8>(from) + t.first * sizeof(T);
    const unsigned bytes = unsigned(t.items) * unsigned(sizeof(T));
    gp__copy_to_shared<THREADS, (P::vectors < 2 ? 1 : 2), P::load>(to, in, bytes, thread);
    if (BEFORE && t.first > 0 && thread < sizeof(T)) (to - sizeof(T))[thread] = (in - sizeof(T))[thread];
    if (BEHIND && t.first + t.items < t.count && thread < sizeof(T)) to[bytes + thread] = in[bytes + thread];
    if (THREADS >= sizeof(T)) return;
    for (unsigned i = THREADS + thread; i < sizeof(T); i += THREADS) { // an element of more bytes than threads
      if (BEFORE && t.first > 0) (to - sizeof(T))[i] = (in - sizeof(T))[i];
      if (BEHIND && t.first + t.items < t.count) to[bytes + i] = in[bytes + i];
    }
  }
};
template<> struct gp__stream_load<gp__none> {
  template<class P, int THREADS, bool BEFORE, bool BEHIND>
  static GP_DEVICE void run(gp__u8 *, const void *, const gp__stream_tile &, unsigned, const gp__stream_args &) {}
};
template<class T, class Input> struct gp__made_of {}; // elements of a described input
template<class T, class Input> struct gp__stream_load<gp__made_of<T, Input>> {
  template<class P, int THREADS, bool BEFORE, bool BEHIND>
  static GP_DEVICE void run(
      gp__u8 *to, const void *, const gp__stream_tile &t, unsigned thread, const gp__stream_args &a) {
    const Input input(static_cast<const gp__with_input<gp__stream_args> &>(a).input);
    gp__make_tile<THREADS, P::load>(input, t.first, gp__u64(t.items), gp__as<T>(to), thread);
  }
};

// A body whose elements are described: its values, or the keys of a selection by a predicate.
template<class Body, class Input> struct gp__fed : Body {};
template<class Body> struct gp__stream_sources {
  typedef typename Body::Key Key;
  typedef typename Body::Value Value;
};
template<class K, class V, class Input> struct gp__fed_sources {
  typedef K Key;
  typedef gp__made_of<V, Input> Value;
};
template<class K, class Input> struct gp__fed_sources<K, gp__none, Input> {
  typedef gp__made_of<K, Input> Key;
  typedef gp__none Value;
};
template<class Body, class Input>
struct gp__stream_sources<gp__fed<Body, Input>> : gp__fed_sources<typename Body::Key, typename Body::Value, Input> {};

// A tile in shared memory, its groups folded. A block calls; its barriers are the call's first and last.
template<class P, class Body, class Storage>
GP_DEVICE void gp__stream_take(const gp__stream_args &a, const gp__stream_tile &t, gp__u8 *shared, Storage &s) {
  typedef gp__stream<P, Body> S;
  typedef gp__stream_sources<Body> Sources;
  const int LOADERS = S::Offsets::any && S::GROUPS > 1 ? P::threads - 32 : P::threads;
  const bool marks = S::Offsets::any && !gp_warp(); // the other warps load
  if (marks) {
    const gp__span rest = S::mark_first(a, t, shared);
    if (!gp_lane()) s.offsets[0] = rest;
  }
  if (!marks || LOADERS == P::threads) {
    const unsigned loader = threadIdx.x % LOADERS;
    gp__stream_load<typename Sources::Key>::template run<P, LOADERS, Body::BEFORE, Body::BEHIND>(
        t.keys, a.keys, t, loader, a);
    gp__stream_load<typename Sources::Value>::template run<P, LOADERS, false, false>(t.values, a.values, t, loader, a);
  }
  __syncthreads();
  if (S::Offsets::any && s.offsets[0].begin < s.offsets[0].end) {
    S::mark(a, t, s.offsets[0], shared, gp_warp(), S::GROUPS);
    __syncthreads();
  }
  S::fold(a, t, shared, int(gp_warp()), s.total[0]);
  __syncthreads();
}
// Blocks take tiles by ticket; if no block has more than one, each draws once.
template<class P, class Body> GP_DEVICE void gp__stream_look_back(const gp__stream_args &a) {
  typedef gp__stream<P, Body> S;
  typedef typename S::State State;
  typedef gp__stream_storage<1, S::GROUPS, State> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tiles = (n + S::TILE - 1) / S::TILE;
  if (S::idle(a, n)) return;
  const bool once = tiles <= gridDim.x;
  if (once) {
    gp__prefetch_tile<S::KEY, S::TILE>(a.keys, n);
    gp__prefetch_tile<S::VALUE, S::TILE>(a.values, n);
  }
  for (;;) {
    if (!threadIdx.x) // nobody waits for a lone tile
      s.ticket[0] =
          tiles == 1 ? gp__ticket{0, blockIdx.x} : gp__draw(a.workspace, once ? gridDim.x : tiles + gridDim.x);
    __syncthreads();
    const unsigned number = s.ticket[0].number;
    const gp__u64 tag = s.ticket[0].tag;
    if (number >= tiles) return;
    const gp__stream_tile t = S::tile_in(shared, number, n, 0, 0);
    gp__stream_take<P, Body>(a, t, shared, s);
    if (!gp_warp()) {
      const State aggregate = gp_warp_broadcast(S::prefixes(s.total[0]), S::GROUPS - 1);
      const typename S::LookBack look_back = S::look_back(a, tiles, tag);
      if (!gp_lane()) look_back.publish_aggregate(number, aggregate);
      const gp_carry<State> before = look_back(number, aggregate);
      if (!gp_lane()) s.before[0] = S::or_identity(before);
    }
    __syncthreads();
    S::emit(a, t, shared, int(gp_warp()), s.before[0], s.total[0], shared + S::STAGE);
    if (once) return;
    __syncthreads();
  }
}
// Few elements: one cluster, or one block, without a workspace. Its blocks take neighbouring tiles, round by round.
template<class P, class Body> GP_DEVICE void gp__stream_cluster(const gp__stream_args &a) {
  typedef gp__stream<P, Body> S;
  typedef typename S::State State;
  typedef gp__stream_storage<1, S::GROUPS, State> Storage;
  typedef gp__cluster_values<State> Values;
  GP_SHARED(Storage, s);
  GP_SHARED(Values, values);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tiles = (n + S::TILE - 1) / S::TILE;
  if (S::idle(a, n)) return;
  gp_carry<State> prefix;
  prefix.has = false;
  gp__cluster_start();
  for (gp__u64 round = 0;; ++round) {
    const gp__u64 number = round * gridDim.x + blockIdx.x;
    const bool mine = number < tiles;
    const gp__stream_tile t = S::tile_in(shared, number, n, 0, 0);
    if (mine) gp__stream_take<P, Body>(a, t, shared, s);
    if (!round) gp__cluster_wait(); // all blocks have started
    if (!gp_warp())
      values.send(round, mine ? gp_warp_broadcast(S::prefixes(s.total[0]), S::GROUPS - 1) : S::Join::identity());
    gp__cluster_arrive();
    gp__cluster_wait();
    values.append(prefix, round, 0, blockIdx.x, typename S::Join());
    if (mine) S::emit(a, t, shared, int(gp_warp()), S::or_identity(prefix), s.total[0], shared + S::STAGE);
    if ((round + 1) * gridDim.x >= tiles) return;
    values.append(prefix, round, blockIdx.x, gridDim.x, typename S::Join());
    __syncthreads();
  }
}
