// select/runs.cuh - runs as the body of a stream
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, select/arguments.h, device/types.cuh, device/operators.cuh,
//   device/warp.cuh, device/lanes.cuh, select/stream.cuh, segments/heads.cuh

// Unique, run lengths, runs of two or more. V: the type of values beside keys; Length: of lengths and positions.
struct gp__run_state {
  gp__u64 runs; // runs that count
  gp__u64 last; // 1 + where the last run began, 0: none did
};
struct gp__run_join {
  static GP_DEVICE gp__run_state identity() { return gp__run_state{0, 0}; }
  GP_DEVICE gp__run_state operator()(const gp__run_state &a, const gp__run_state &b) const {
    return gp__run_state{a.runs + b.runs, b.last ? b.last : a.last};
  }
  template<int TILE> struct Form { // `last` counted from the tile's first element
    struct Packed {
      gp__u32 runs, last;
    };
    static GP_DEVICE Packed pack(const gp__run_state &s, gp__u64 tile) {
      return Packed{gp__u32(s.runs), s.last ? gp__u32(s.last - tile * TILE) : 0u};
    }
    static GP_DEVICE gp__run_state unpack(const Packed &p, gp__u64 tile) {
      return gp__run_state{p.runs, p.last ? p.last + tile * TILE : 0};
    }
  };
};
// x of the last of these lanes; 0 if there are none.
GP_DEVICE int gp__of_last(unsigned lanes, int x) {
  const int found = __shfl_sync(~0u, x, lanes ? 31 - __clz(int(lanes)) : 0);
  return lanes ? found : 0;
}
template<int ITEMS> GP_DEVICE gp__bits<ITEMS> gp__first_bits(const gp__bits<ITEMS + 1> &b) {
  gp__bits<ITEMS> r;
  GP__EACH(w, gp__bits<ITEMS>::WORDS) r.word[w] = b.word[w];
  if (ITEMS % 32) r.word[ITEMS / 32] &= (1u << (ITEMS % 32)) - 1u;
  return r;
}
template<class L> struct gp__length { typedef L type; };
template<> struct gp__length<gp__none> { typedef gp__u32 type; }; // never stored
// How many runs end in the lanes before this one, and in all. `heads_before` begin in the lanes before. A run ends
// before each head, and at the last of all elements.
template<int ITEMS> struct gp__end_ranks {
  int before, all;
  GP_DEVICE gp__end_ranks(
      const gp__bits<ITEMS + 1> &heads, int heads_before, int heads_all, const gp__stream_tile &t, int first) {
    const int exist = t.exist<32 * ITEMS>(first), own = int(heads.word[0] & 1u), lead = gp_warp_broadcast(own, 0);
    const int behind = gp_warp_broadcast(heads.get(ITEMS) ? 1 : 0, 31);
    before = heads_before - lead + own;
    all = heads_all - lead + behind + (exist > 0 && t.first + first + exist == t.count ? 1 : 0);
  }
};
template<int WHAT, class Heads, class V, class Length> struct gp__runs {
  typedef typename gp__length<Length>::type L;
  typedef typename Heads::Key Key;
  typedef V Value;
  typedef typename Heads::Offsets Offsets;
  static const int SCRATCH = 0;
  static const bool LENGTHS = WHAT != GP_UNIQUE && gp__bytes_of<Length>::value > 0;
  static const bool BEFORE = Heads::BEFORE, BEHIND = WHAT != GP_UNIQUE;
  typedef gp__run_state State;
  typedef gp__run_join Join;
  template<int ITEMS> struct Kept {
    gp__bits<ITEMS + 1> heads;
    gp__u32 upto; // runs that count, in the group's lanes up to this one
  };

  // Marks the runs that count: at their first element or, for runs of two or more, at their last.
  template<int ITEMS>
  static GP_DEVICE gp__bits<ITEMS> counted(const gp__bits<ITEMS + 1> &heads, const gp__stream_tile &t, int i) {
    const gp__bits<ITEMS> h = gp__first_bits<ITEMS>(heads);
    if (WHAT != GP_NONTRIVIAL_RUNS) return h;
    gp__bits<ITEMS> e = gp__ends<ITEMS>(heads, t, i);
    GP__EACH(w, gp__bits<ITEMS>::WORDS) e.word[w] &= ~h.word[w];
    return e;
  }
  // 1 + the thread's last head, counted from the group's first element; 0: it has none.
  template<int ITEMS> static GP_DEVICE int last_head(const gp__bits<ITEMS> &h) {
    int last = 0;
    GP__EACH(w, gp__bits<ITEMS>::WORDS)
      if (h.word[w]) last = int(gp_lane()) * ITEMS + w * 32 + 32 - __clz(int(h.word[w]));
    return last;
  }
  template<int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    kept.heads = gp__mark<Heads, ITEMS, FULL, BEHIND>(a, t, first);
    const int mine = counted<ITEMS>(kept.heads, t, first + int(gp_lane()) * ITEMS).count();
    kept.upto = gp__u32(gp_warp_inclusive_scan(mine, gp_sum<int>()));
    const int last = last_head<ITEMS>(gp__first_bits<ITEMS>(kept.heads)),
              newest = gp__of_last(__ballot_sync(~0u, last > 0), last);
    return gp__run_state{gp__u64(gp_warp_broadcast(kept.upto, 31)), newest ? t.first + first + newest : 0};
  }
  template<int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
      const State &before, gp__u8 *) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    const gp__bits<ITEMS> marks = counted<ITEMS>(kept.heads, t, i);
    const int rank = int(kept.upto) - marks.count(), total = int(gp_warp_broadcast(kept.upto, 31));
    const bool keys = a.out_keys != 0;
    if ((WHAT == GP_UNIQUE || (WHAT != GP_NONTRIVIAL_RUNS && keys)) && total > 0) { // in place: see gp__select
      const bool stays = total == all && t.first + first == before.runs;
      if (keys && (!stays || a.out_keys != a.keys))
        gp__compact<Key, WHAT != GP_UNIQUE>::template run<ITEMS, FULL>(
            a.out_keys, before.runs, t.keys + first * int(sizeof(Key)), marks, rank, total, exist, all);
      if (!stays || a.out_values != a.values)
        gp__compact<V, WHAT != GP_UNIQUE>::template run<ITEMS, FULL>(
            a.out_values, before.runs, t.values + first * gp__bytes_of<V>::value, marks, rank, total, exist, all);
    }
    if (!LENGTHS || !a.out2) return;
    const gp__bits<ITEMS> heads = gp__first_bits<ITEMS>(kept.heads);
    L *out = gp__as<L>(a.out2) + before.runs;
    if (WHAT == GP_RUN_LENGTHS) {
      const gp__end_ranks<ITEMS> ends(kept.heads, rank, total, t, first);
      // A run that enters the group is already counted.
      if (!(gp_warp_broadcast(heads.word[0], 0) & 1u)) --out;
      numbers<ITEMS, false>(out, t, first, heads, gp__ends<ITEMS>(kept.heads, t, i), ends.before, ends.all, before);
    } else {
      numbers<ITEMS, false>(out, t, first, heads, marks, rank, total, before);
      numbers<ITEMS, true>(gp__as<L>(a.out_values) + before.runs, t, first, heads, marks, rank, total, before);
    }
  }
  // The lengths of runs, or where they begin (BEGINS), known at their ends (`marks`). Gathers them in the group's part
  // of the keys, as numbers of one byte or two. A number too large for that goes straight to memory and leaves 0. Only
  // a thread's first can be, because a chunk has fewer than 256 elements.
  template<int ITEMS, bool BEGINS>
  static GP_DEVICE void numbers(L *out, const gp__stream_tile &t, int first, const gp__bits<ITEMS> &heads,
      const gp__bits<ITEMS> &marks, int rank, int total, const State &before) {
    const int BYTES = BEGINS ? 2 : 1, lane_first = int(gp_lane()) * ITEMS;
    gp__u8 *group = t.keys + first * int(sizeof(Key)), *mine = group + rank * BYTES;
    const gp__i64 origin = gp__i64(t.first) + first;
    // Positions count from the group's first element, which is 1. `open`: start of the run that enters the thread.
    const int last = last_head<ITEMS>(heads),
              earlier = gp__of_last(gp__earlier_lanes(__ballot_sync(~0u, last > 0)), last);
    const gp__i64 open = earlier ? earlier : gp__i64(before.last) - origin;
    if (ITEMS <= GP__FEW_ITEMS) {
      gp__i64 begin = open;
      L *next = out + rank;
      GP__EACH(j, ITEMS) {
        if (heads.get(j)) begin = lane_first + j + 1;
        if (marks.get(j)) *next++ = L(BEGINS ? origin + begin - 1 : lane_first + j + 2 - begin);
      }
      return;
    }
    int begin = int(open), head = 32 * ITEMS + 1, end = 0; // the thread's first head and end, if any
    GP__UNROLL
    for (int w = gp__bits<ITEMS>::WORDS - 1; w >= 0; --w) {
      if (heads.word[w]) head = lane_first + w * 32 + __ffs(int(heads.word[w]));
      if (marks.word[w]) end = lane_first + w * 32 + __ffs(int(marks.word[w]));
    }
    const bool large = end > 0 && head > end && (BEGINS ? open <= 0 : end + 1 - open > 255);
    if (large) out[rank] = L(BEGINS ? origin + open - 1 : end + 1 - open);
    if (heads.word[0] & 1u) begin = lane_first + 1;
    gp__u8 *next = mine;
    __syncwarp(); // what stood there has been read
    GP__EACH(w, gp__bits<ITEMS>::WORDS) {
      GP__UNROLL_BY(1)
      for (gp__u32 left = marks.word[w]; left; left &= left - 1) {
        const gp__u32 upto = left ^ (left - 1), heads_upto = heads.word[w] & upto;
        if (WHAT == GP_NONTRIVIAL_RUNS && heads_upto) begin = lane_first + w * 32 + 32 - __clz(int(heads_upto));
        end = lane_first + w * 32 + 32 - __clz(int(upto));
        const int number = BEGINS ? begin : end + 1 - begin;
        next[0] = gp__u8(number);
        if (BEGINS) next[1] = gp__u8(number >> 8);
        next += BYTES;
        begin = end + 1; // the next run; nontrivial runs look for its head
      }
      if (WHAT == GP_NONTRIVIAL_RUNS && heads.word[w]) begin = lane_first + w * 32 + 32 - __clz(int(heads.word[w]));
    }
    GP__EACH(b, BYTES)
      if (large) mine[b] = 0;
    __syncwarp();
    GP__UNROLL_BY(4)
    for (int r = int(gp_lane()); r < total; r += 32) {
      const int number = group[r * BYTES] | (BEGINS ? group[r * BYTES + 1] << 8 : 0);
      if (number) out[r] = L(BEGINS ? origin + number - 1 : number);
    }
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64, const State &total) { a.out_count[0] = total.runs; }
};
