// segments/by_key.cuh - scans and reduces by key and of segments as the body of a stream
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, select/arguments.h, device/types.cuh, device/operators.cuh,
//   device/warp.cuh, device/lanes.cuh, select/stream.cuh, segments/heads.cuh, select/runs.cuh

// Scans by key and of segments, reduce by key: a scan that restarts at each head.
template<class Acc, bool COUNTED> struct gp__segment_state {
  Acc value; // of the run that is open at the end
  gp__u64 heads; // runs that began
};
template<class Acc> struct gp__segment_state<Acc, false> {
  Acc value;
  gp__u32 heads; // 1: a run began; in a warp, those that began
};
template<class Op, bool COUNTED> struct gp__segment_join {
  typedef typename Op::type Acc;
  typedef gp__segment_state<Acc, COUNTED> State;
  static GP_DEVICE State identity() {
    State s;
    s.value = Op::identity();
    s.heads = 0;
    return s;
  }
  template<class S> GP_DEVICE S operator()(const S &a, const S &b) const {
    S s;
    s.value = b.heads ? b.value : Op()(a.value, b.value);
    s.heads = COUNTED ? a.heads + b.heads : a.heads | b.heads;
    return s;
  }
  template<int TILE> struct Form { // runs that begin in a tile are below 2^32
    typedef gp__segment_state<Acc, false> Packed;
    static GP_DEVICE Packed pack(const State &s, gp__u64) {
      Packed p;
      p.value = s.value;
      p.heads = gp__u32(s.heads);
      return p;
    }
    static GP_DEVICE State unpack(const Packed &p, gp__u64) {
      State s;
      s.value = p.value;
      s.heads = p.heads;
      return s;
    }
  };
};
template<class K> struct gp__compact_keys {
  template<int ITEMS, bool FULL>
  static GP_DEVICE void run(const gp__stream_args &a, const gp__stream_tile &t, int first, const gp__bits<ITEMS> &heads,
      gp__u64 before, int rank, int total, int exist) {
    if (a.out_keys && total > 0)
      gp__compact<K, true>::template run<ITEMS, FULL>(
          a.out_keys, before, t.keys + first * int(sizeof(K)), heads, rank, total, exist, t.exist<32 * ITEMS>(first));
  }
};
template<> struct gp__compact_keys<gp__none> {
  template<int ITEMS, bool FULL>
  static GP_DEVICE void run(
      const gp__stream_args &, const gp__stream_tile &, int, const gp__bits<ITEMS> &, gp__u64, int, int, int) {}
};
// The number of heads in the lanes up to this one, kept only if COUNTED.
template<bool COUNTED> struct gp__kept_heads {
  gp__u32 upto;
  GP_DEVICE void keep(gp__u32 n) { upto = n; }
  GP_DEVICE gp__u32 kept() const { return upto; }
};
template<> struct gp__kept_heads<false> {
  GP_DEVICE void keep(gp__u32) {}
  GP_DEVICE gp__u32 kept() const { return 0; }
};
// INIT: args.first precedes the first value of each run.
template<int WHAT, bool INIT, class Heads, class Op, class Load, class In, class Acc, class Out> struct gp__by_key {
  typedef typename Heads::Key Key;
  typedef In Value;
  typedef typename Heads::Offsets Offsets;
  static const bool REDUCE = WHAT == GP_REDUCE_BY_KEY;
  static const int SCRATCH = sizeof(Out) == sizeof(In) ? 0 : int(sizeof(Out)); // 0: results replace the values
  static const bool BEFORE = Heads::BEFORE, BEHIND = REDUCE;
  typedef gp__segment_join<Op, REDUCE> Join;
  typedef typename Join::State State;
  typedef gp__segment_state<Acc, false> Run;
  template<int ITEMS> struct Kept : gp__kept_heads<REDUCE> {
    gp__bits<ITEMS + 1> heads;
    gp__u32 before[(sizeof(Acc) + 3) / 4]; // the run that the lanes before this one leave open
  };
  // Results replace values of another type, whose alignment may be smaller.
  static const bool LOOSE = !SCRATCH && alignof(Out) > alignof(In);
  static GP_DEVICE void put(gp__u8 *p, const Out &x) {
    if (!LOOSE) *gp__as<Out>(p) = x;
    else {
      gp__shuffled<Out> s;
      s.value = x;
      GP__EACH(b, int(sizeof(Out))) p[b] = gp__as<const gp__u8>(&s)[b];
    }
  }

  template<int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i);
    typedef typename Heads::template Marks<ITEMS, FULL> Marks;
    const Marks marks(a, t, first, kept.heads);
    gp__vecs<In, ITEMS> v;
    v.template load<FULL>(t.values + i * int(sizeof(In)), exist);
    const Load load(a);
    const Acc init = gp__value_as<Acc>(a.first);
    Acc run = Op::identity();
    if (Marks::KNOWN) {
      kept.heads = marks.heads;
      if (!FULL) kept.heads.keep(exist);
    } else kept.heads.clear();
    GP__EACH(j, ITEMS) {
      if (!FULL && j >= exist) continue;
      const Acc x = Op::prepare(load(v.item[j], t.first + i + j));
      const bool head = marks.at(j);
      if (!Marks::KNOWN) kept.heads.set(j, head);
      run = head ? (INIT ? Op()(init, x) : x) : j == 0 ? x : Op()(run, x);
    }
    if (BEHIND) kept.heads.set(ITEMS, marks.behind());
    Run mine;
    mine.value = run;
    mine.heads = gp__u32(gp__first_bits<ITEMS>(kept.heads).count());
    const Run upto = gp_warp_inclusive_scan(mine, gp__segment_join<Op, true>());
    gp__shuffled<Acc> before;
    if (sizeof(Acc) % 4) before.word[sizeof(Acc) / 4] = 0;
    before.value = gp_warp_shift_up(upto.value, 1);
    GP__EACH(w, int(sizeof(Acc) + 3) / 4) kept.before[w] = before.word[w];
    kept.keep(upto.heads);
    State s;
    s.value = gp_warp_broadcast(upto.value, 31);
    const gp__u32 heads = gp_warp_broadcast(upto.heads, 31);
    s.heads = REDUCE ? heads : heads != 0;
    return s;
  }
  template<int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
      const State &before, gp__u8 *scratch) {
    const bool DIRECT = REDUCE && ITEMS <= GP__FEW_ITEMS;
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    gp__u8 *results = SCRATCH ? scratch : t.values + first * int(sizeof(In)); // of the group
    const Load load(a);
    const Acc init = Op::prepare(gp__value_as<Acc>(a.first)), start = INIT ? init : Op::identity();
    gp__vecs<In, ITEMS> v;
    v.template load<FULL>(t.values + i * int(sizeof(In)), exist);
    const gp__bits<ITEMS> heads = gp__first_bits<ITEMS>(kept.heads);
    const unsigned with_heads = __ballot_sync(~0u, heads.count() > 0);
    const int heads_before = int(kept.kept()) - heads.count(); // valid for reduce only
    gp__shuffled<Acc> kept_run;
    GP__EACH(w, int(sizeof(Acc) + 3) / 4) kept_run.word[w] = kept.before[w];
    Acc run = !gp_lane() ? before.value
        : gp__earlier_lanes(with_heads) ? kept_run.value
        : Op()(before.value, kept_run.value);
    gp__bits<ITEMS> ends;
    Out *out = gp__as<Out>(a.out_values) + (t.first + first);
    gp__u8 *next = results;
    int heads_all = 0, results_all = all;
    if (REDUCE) {
      ends = gp__ends<ITEMS>(kept.heads, t, i);
      heads_all = int(gp_warp_broadcast(kept.kept(), 31));
      const gp__end_ranks<ITEMS> ranks(kept.heads, heads_before, heads_all, t, first);
      const bool open = !(gp_warp_broadcast(heads.word[0], 0) & 1u); // the first run to end here began before the group
      results_all = ranks.all;
      out = gp__as<Out>(a.out_values) + (before.heads - (open ? 1 : 0));
      if (DIRECT) out += ranks.before;
      else {
        __syncwarp();
        if (!LOOSE) results = gp__copy_out<Out>::alike(out, results, results_all, 32 * ITEMS);
        next = results + ranks.before * int(sizeof(Out));
      }
    }
    gp__vecs<Out, ITEMS> r;
    if (!FULL) r.clear();
    GP__EACH(j, ITEMS) {
      if (!FULL && j >= exist) continue;
      const Acc x = Op::prepare(load(v.item[j], t.first + i + j));
      const bool head = heads.get(j);
      if (WHAT == GP_EXCLUSIVE_SCAN_BY_KEY) r.item[j] = gp_convert<Acc, Out>()(head ? start : run);
      run = head ? (INIT ? Op()(init, x) : x) : Op()(run, x);
      if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) r.item[j] = gp_convert<Acc, Out>()(run);
      if (DIRECT && ends.get(j)) *out++ = gp_convert<Acc, Out>()(run);
      if (REDUCE && !DIRECT && ends.get(j)) {
        put(next, gp_convert<Acc, Out>()(run));
        next += sizeof(Out);
      }
    }
    if (!REDUCE) {
      gp__u8 *to = results + gp_lane() * (ITEMS * sizeof(Out));
      if (!LOOSE) r.template store<FULL>(to, exist);
      else {
        GP__EACH(j, ITEMS)
          if (FULL || j < exist) put(to + j * int(sizeof(Out)), r.item[j]);
      }
    }
    if (!DIRECT) {
      __syncwarp();
      copy(out, results, results_all);
    }
    if (REDUCE)
      gp__compact_keys<Key>::template run<ITEMS, FULL>(
          a, t, first, heads, before.heads, heads_before, heads_all, exist);
    __syncwarp();
  }
  static GP_DEVICE void copy(Out *to, const gp__u8 *from, int n) {
    if (!LOOSE) {
      gp__copy_out<Out>::run(to, from, n);
      return;
    }
    const int bytes = n * int(sizeof(Out));
    for (int b = int(gp_lane()); b < bytes; b += 32) gp__as<gp__u8>(to)[b] = from[b];
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64, const State &total) {
    if (REDUCE) a.out_count[0] = total.heads;
  }
};
