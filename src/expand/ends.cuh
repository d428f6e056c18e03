// expand/ends.cuh - where the values of an expansion end: a warp's way along offsets, or along lengths
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, expand/policy.h, segments/arguments.h,
//   expand/arguments.h, device/operators.cuh, device/warp.cuh, device/tile_search.cuh, device/kernel.cuh,
//   segments/ends.cuh

// A warp's share: elements begin .. end - 1; `segment`: the first's. Shares have equally many elements and segments,
// as in the segmented reduction.
struct gp__expand_share {
  gp__u64 begin, end, segment;
};
GP_DEVICE void gp__expand_diagonals(gp__u64 work, gp__u64 warps, gp__u64 mine, gp__u64 (&diagonal)[2]) {
  const gp__u64 share = (work + warps - 1) / warps;
  diagonal[0] = mine * share < work ? mine * share : work;
  diagonal[1] = (mine + 1) * share < work ? (mine + 1) * share : work;
}

// Prefetches what a step reads, from number `first` on.
template<class T> GP_DEVICE void gp__expand_prefetch(const T *items, gp__u64 first, gp__u64 limit) {
  const int SIZE = int(sizeof(T)), LINE = SIZE < 128 ? 128 / SIZE : 1;
  const gp__u64 i = first + gp_lane() * LINE;
  if (gp_lane() * LINE < GP__EXPAND_STEP && i < limit) gp__prefetch(items + i);
}

// By offsets. A step is the ends of GP__EXPAND_STEP segments, a few a lane; they are loaded ahead of their use.
template<class O> struct gp__expand_by_offsets {
  const O *offsets;
  gp__u64 limit; // segments before it may end in the share
  O ahead[GP__EXPAND_ENDS];

  GP_DEVICE gp__expand_by_offsets(const gp__expand_args &a, gp__u64 warps, gp__u64 mine, gp__expand_share &share)
    : offsets(gp__as<const O>(a.begin)) {
    gp__segment_args args = {};
    args.begin = a.begin;
    args.segments = a.segments;
    const gp__offset_ends<O> ends(args);
    const gp__u64 room = gp__count(a), all = ends.last(), count = all < room ? all : room, work = count + a.segments;
    gp__u64 diagonal[2], s[2];
    gp__expand_diagonals(work, warps, mine, diagonal);
    gp__split(ends, work, diagonal, s);
    const gp__u64 end = diagonal[1] - s[1];
    share.begin = diagonal[0] - s[0], share.end = end < count ? end : count, share.segment = s[0];
    limit = s[1];
  }
  GP_DEVICE void look(gp__u64 segment) {
    GP__UNROLL
    for (unsigned k = 0; k < GP__EXPAND_ENDS; ++k) {
      const gp__u64 i = segment + k * 32 + gp_lane();
      ahead[k] = i < limit ? offsets[i + 1] : O(0);
    }
  }
  // Ends of the step's segments, counted from the piece on.
  GP_DEVICE void places(gp__u64 piece, gp__u64 segment, gp__u32 (&at)[GP__EXPAND_ENDS]) const {
    GP__UNROLL
    for (unsigned k = 0; k < GP__EXPAND_ENDS; ++k)
      at[k] = segment + k * 32 + gp_lane() < limit ? gp__u32(ahead[k] - piece) : ~0u;
  }
  GP_DEVICE void pass(gp__u64, const gp__u32 (&)[GP__EXPAND_ENDS], unsigned) {}
};

// By lengths: begins[t] is where tile t of GP__EXPAND_RUNS runs begins. A warp adds the lengths up again.
struct gp__expand_tile_before {
  const gp__u64 *begins;
  const gp__u64 (&diagonal)[2];
  GP_DEVICE bool operator()(int n, gp__u64 t) const { return begins[t + 1] + (t + 1) * GP__EXPAND_RUNS <= diagonal[n]; }
};
template<class L> struct gp__expand_by_lengths {
  const L *lengths;
  gp__u64 limit, start; // start: of the step's first run
  L ahead[GP__EXPAND_ENDS];

  GP_DEVICE gp__expand_by_lengths(const gp__expand_args &a, gp__u64 warps, gp__u64 mine, gp__expand_share &share)
    : lengths(gp__as<const L>(a.lengths)), limit(a.segments) {
    const gp__u64 *begins = gp__as<const gp__u64>(a.begin);
    const gp__u64 tiles = (a.segments + GP__EXPAND_RUNS - 1) / GP__EXPAND_RUNS;
    const gp__u64 room = gp__count(a), all = begins[tiles], count = all < room ? all : room;
    gp__u64 diagonal[2], tile[2] = {0, 0}, most[2] = {tiles, tiles}, at[2];
    gp__expand_diagonals(count + a.segments, warps, mine, diagonal);
    gp__warp_search(tile, most, gp__expand_tile_before{begins, diagonal});
    GP__EACH(n, 2) {
      const gp__u64 along = diagonal[n] - tile[n] * GP__EXPAND_RUNS;
      at[n] = tile[n] < tiles ? begins[tile[n] + 1] : all;
      if (tile[n] < tiles && along < at[n]) at[n] = along;
      if (at[n] > count) at[n] = count;
    }
    share.begin = at[0], share.end = at[1], share.segment = tile[0] * GP__EXPAND_RUNS;
    start = begins[tile[0]];
    if (share.begin >= share.end) return;
    for (unsigned passed = 32; passed == 32; share.segment += passed) { // runs that end before the share
      const gp__u64 i = share.segment + gp_lane();
      const gp__u64 end = start + gp_warp_inclusive_scan(i < limit ? gp__u64(lengths[i]) : 0, gp_sum<gp__u64>());
      passed = unsigned(__popc(__ballot_sync(~0u, i < limit && end <= share.begin)));
      if (passed) start = gp_warp_broadcast(end, int(passed) - 1);
    }
  }
  GP_DEVICE void look(gp__u64 segment) {
    GP__UNROLL
    for (unsigned k = 0; k < GP__EXPAND_ENDS; ++k) {
      const gp__u64 i = segment + k * 32 + gp_lane();
      ahead[k] = i < limit ? lengths[i] : L(0);
    }
  }
  // A run that reaches beyond the piece may seem shorter than it is. The first may begin before the piece.
  GP_DEVICE void places(gp__u64 piece, gp__u64 segment, gp__u32 (&at)[GP__EXPAND_ENDS]) const {
    const gp__u64 most = 32 * GP__EXPAND_MOST;
    gp__u32 sum = 0;
    GP__UNROLL
    for (unsigned k = 0; k < GP__EXPAND_ENDS; ++k) {
      const gp__u64 length = ahead[k] + (k == 0 && !gp_lane() ? start - piece : 0);
      const gp__u32 to = sum + gp_warp_inclusive_scan(gp__u32(length < most ? length : most), gp_sum<gp__u32>());
      sum = gp_warp_broadcast(to, 31);
      at[k] = segment + k * 32 + gp_lane() < limit ? to : ~0u;
    }
  }
  GP_DEVICE void pass(gp__u64 piece, const gp__u32 (&at)[GP__EXPAND_ENDS], unsigned ended) {
    GP__UNROLL
    for (unsigned k = 0; k < GP__EXPAND_ENDS; ++k)
      if (ended > k * 32 && ended <= k * 32 + 32) start = piece + gp_warp_broadcast(at[k], int(ended - k * 32) - 1);
  }
};
