// expand/ends.cuh - where the values of an expansion end: a warp's way along offsets, or along lengths
// uses: core/words.h, device/vocabulary.cuh, expand/policy.h, segments/arguments.h, expand/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_search.cuh, device/kernel.cuh, segments/ends.cuh

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

// Segments of a share are fewer than 2^32.
GP_DEVICE gp__u32 gp__expand_limit(gp__u64 segments) { return segments < ~0u ? gp__u32(segments) : ~0u; }

// `items` has what end() makes the end of segment i of: its place from element `base` on, all ones beyond the share.
// Segments have numbers from the share's first on. end() is called for 32 segments after 32 segments. By offsets.
template<class O> struct gp__expand_by_offsets {
  typedef O Item;
  const O *items;
  gp__u32 limit; // segments before it may begin in the share

  GP_DEVICE gp__expand_by_offsets(const gp__expand_args &a, gp__u64 warps, gp__u64 mine, gp__expand_share &share)
    : items(gp__as<const O>(a.begin)) {
    gp__segment_args args = {};
    args.begin = a.begin;
    args.segments = a.segments;
    const gp__offset_ends<O> ends(args);
    const gp__u64 room = gp__count(a);
    gp__u64 diagonal[2], s[2];
    gp__expand_diagonals(room + a.segments, warps, mine, diagonal); // the search starts before the total is known
    const gp__split_look<gp__offset_ends<O>> look(ends, double(float(a.segments) / float(room + a.segments)), diagonal);
    const gp__u64 all = ends.last(), count = all < room ? all : room, work = count + a.segments;
    if (count < room) gp__expand_diagonals(work, warps, mine, diagonal);
    look.split(ends, 0, work, diagonal, s);
    const gp__u64 end = diagonal[1] - s[1];
    share.begin = diagonal[0] - s[0], share.end = end < count ? end : count, share.segment = s[0];
    items += s[0] + 1, limit = gp__u32((s[1] < a.segments ? s[1] + 1 : s[1]) - s[0]);
  }
  GP_DEVICE gp__u32 end(const O &ahead, gp__u32 i, gp__u64 base) const {
    return i < limit ? gp__u32(gp_min<O>()(O(ahead - O(base)), O(~0u))) : ~0u;
  }
};

// By lengths: begins[t] is where tile t of GP__EXPAND_RUNS runs begins. A warp adds the lengths up again.
struct gp__expand_tile_before {
  const gp__u64 *begins;
  const gp__u64 (&diagonal)[2];
  GP_DEVICE bool operator()(int n, gp__u64 t) const { return begins[t + 1] + (t + 1) * GP__EXPAND_RUNS <= diagonal[n]; }
};
template<class L> struct gp__expand_by_lengths {
  typedef L Item;
  const L *items;
  gp__u64 start; // of the next 32 segments' first
  gp__u32 limit;

  GP_DEVICE gp__expand_by_lengths(const gp__expand_args &a, gp__u64 warps, gp__u64 mine, gp__expand_share &share)
    : items(gp__as<const L>(a.lengths)) {
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
    items += share.segment;
    // Runs of the tile behind the share's last one are not in it.
    const gp__u64 runs = gp_min<gp__u64>()(a.segments, (tile[1] + 1) * GP__EXPAND_RUNS);
    limit = gp__expand_limit(runs - share.segment);
    if (share.begin >= share.end) return;
    const int ROWS = GP__EXPAND_RUNS / 32; // runs of the tile that end before the share are skipped
    gp__u32 skipped = 0;
    L length[ROWS];
    GP__EACH(r, ROWS) length[r] = r * 32 + gp_lane() < limit ? items[r * 32 + int(gp_lane())] : L(0);
    GP__EACH(r, ROWS) {
      const gp__u64 end = start + gp_warp_inclusive_scan(gp__u64(length[r]), gp_sum<gp__u64>());
      const bool before = r * 32 + gp_lane() < limit && end <= share.begin;
      const unsigned passed = unsigned(__popc(__ballot_sync(~0u, before)));
      if (passed) start = gp_warp_broadcast(end, int(passed) - 1);
      skipped += passed;
      if (passed < 32) break;
    }
    items += skipped, share.segment += skipped, limit = gp__expand_limit(runs - share.segment);
  }
  GP_DEVICE gp__u32 end(const L &ahead, gp__u32 i, gp__u64 base) {
    const bool large = __ballot_sync(~0u, (gp__u64(ahead) >> 26) != 0) != 0; // 32 others fit 32 bits
    gp__u64 stop = large ? gp_warp_inclusive_scan(gp__u64(ahead), gp_sum<gp__u64>())
        : gp__u64(gp_warp_inclusive_scan(gp__u32(ahead), gp_sum<gp__u32>()));
    stop += start;
    start = gp_warp_broadcast(stop, 31);
    return i < limit && stop - base < ~0u ? gp__u32(stop - base) : ~0u;
  }
};
