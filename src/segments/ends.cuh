// segments/ends.cuh - ends of segments, and a warp's share of them
// uses: core/words.h, device/vocabulary.cuh, segments/arguments.h, device/warp.cuh, device/tile_search.cuh,
//   device/look_back.cuh

// Merge path over elements and segment ends (Merrill and Garland, Merge-based Parallel Sparse Matrix-vector
// Multiplication): every warp takes the same number of both together, one contiguous range of each. It works alone,
// chunk by chunk: the next chunk is loaded to registers while this one is in shared memory; the pipelined kernel has
// several in flight, by bulk copies to a ring. Marks show where segments end. Each lane scans its consecutive elements
// and restarts after each mark; a scan over the lanes adds a lane's prefix to its first mark. Lanes, one a segment,
// collect results at the marks. The block joins what is open at the ends of its warps' ranges; the block that draws
// last joins those of blocks, in fixed order.

// Ends of segments, and the input position of an element. `Number` holds begin() and end() modulo its size, enough for
// differences within a warp's range. WINDOW: ends of a lane that are loaded together.
template<class O> struct gp__offset_ends {
  typedef gp__u32 Number;
  static const bool direct = true;
  static const int WINDOW = 2;
  const O *offsets;
  gp__u64 segments;
  GP_DEVICE explicit gp__offset_ends(const gp__segment_args &a)
    : offsets(gp__as<const O>(a.begin)), segments(a.segments) {}
  GP_DEVICE gp__u64 first() const { return offsets[0]; }
  GP_DEVICE gp__u64 last() const { return offsets[segments]; }
  GP_DEVICE gp__u64 end_of(gp__u64 s) const { return offsets[s + 1]; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = offsets[s], to = offsets[s + 1]; }
  GP_DEVICE void move(gp__u64 s) { offsets += s; } // segment s becomes segment 0
  GP_DEVICE Number begin(gp__u64 s) const { return Number(offsets[s]); }
  GP_DEVICE Number end(gp__u64 s) const { return Number(offsets[s + 1]); }
  GP_DEVICE gp__u64 source(gp__u64, gp__u64 element) const { return element; }
};
struct gp__fixed_ends {
  typedef gp__u32 Number;
  static const bool direct = true;
  static const int WINDOW = 1;
  gp__u64 segments, length;
  gp__u32 moved;
  GP_DEVICE explicit gp__fixed_ends(const gp__segment_args &a) : segments(a.segments), length(a.length), moved(0) {}
  GP_DEVICE gp__u64 first() const { return 0; }
  GP_DEVICE gp__u64 last() const { return segments * length; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = s * length, to = from + length; }
  GP_DEVICE void move(gp__u64 s) { moved = begin(s); }
  GP_DEVICE Number begin(gp__u64 s) const { return moved + gp__u32(s) * gp__u32(length); }
  GP_DEVICE Number end(gp__u64 s) const { return begin(s + 1); }
  GP_DEVICE gp__u64 source(gp__u64, gp__u64 element) const { return element; }
};
// Runs by where they begin; their number, and that of elements, may be in device memory.
template<class O> struct gp__run_ends {
  const O *offsets;
  gp__u64 segments, count;
  GP_DEVICE explicit gp__run_ends(const gp__segment_args &a)
    : offsets(gp__as<const O>(a.begin)), segments(*gp__as<const gp__u64>(a.workspace)), count(a.count) {
    if (a.end && *gp__as<const gp__u64>(a.end) < count) count = *gp__as<const gp__u64>(a.end);
  }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const {
    from = offsets[s], to = s + 1 < segments ? gp__u64(offsets[s + 1]) : count;
  }
};
// Ranges are numbered consecutively: gp__segment_spans has left the scanned lengths in the workspace.
template<class O> struct gp__range_ends {
  typedef gp__u64 Number;
  static const bool direct = false;
  static const int WINDOW = 1;
  const gp__word *spans;
  const O *begins, *stops;
  gp__u64 segments;
  GP_DEVICE explicit gp__range_ends(const gp__segment_args &a)
    : spans(gp__words(a.workspace)), begins(gp__as<const O>(a.begin)), stops(gp__as<const O>(a.end)),
      segments(a.segments) {}
  GP_DEVICE gp__u64 first() const { return 0; }
  GP_DEVICE gp__u64 last() const { return spans[segments].value; }
  GP_DEVICE gp__u64 end_of(gp__u64 s) const { return spans[s + 1].value; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = begins[s], to = stops[s]; }
  GP_DEVICE void move(gp__u64 s) { spans += s; }
  GP_DEVICE Number begin(gp__u64 s) const { return spans[s].value; }
  GP_DEVICE Number end(gp__u64 s) const { return spans[s + 1].value; }
  GP_DEVICE gp__u64 source(gp__u64 s, gp__u64 element) const { return begins[s] + (element - begin(s)); }
};
// The number of ends among the first diagonal[n] elements and ends.
template<class Ends, int N> struct gp__split_before {
  const Ends &ends;
  const gp__u64 (&diagonal)[N];
  gp__u64 first;
  GP_DEVICE bool operator()(int n, gp__u64 s) const { return ends.end_of(s) - first + s < diagonal[n]; }
};
template<class Ends, int N>
GP_DEVICE void gp__split(const Ends &ends, gp__u64 items, const gp__u64 (&diagonal)[N], gp__u64 (&segment)[N]) {
  gp__u64 count[N];
  GP__EACH(n, N) {
    const gp__u64 least = diagonal[n] > items ? diagonal[n] - items : 0;
    const gp__u64 most = diagonal[n] < ends.segments ? diagonal[n] : ends.segments;
    segment[n] = least < most ? least : most;
    count[n] = most - segment[n];
  }
  gp__warp_search(segment, count, gp__split_before<Ends, N>{ends, diagonal, ends.first()});
}
template<int N>
GP_DEVICE void gp__split(const gp__fixed_ends &ends, gp__u64, const gp__u64 (&diagonal)[N], gp__u64 (&segment)[N]) {
  GP__EACH(n, N) {
    const gp__u64 s = diagonal[n] / (ends.length + 1);
    segment[n] = s < ends.segments ? s : ends.segments;
  }
}

// The split at two diagonals. A first look at the ends starts before it is known where they begin. `rate`: the expected
// share of ends among elements and ends. Offsets: half a warp probes at distances 1, 4, 16, ... on both sides of where
// the rate puts the diagonal; segments of equal length end there.
template<class Ends> struct gp__split_look {
  GP_DEVICE gp__split_look(const Ends &, double, const gp__u64 (&)[2]) {}
  GP_DEVICE void split(
      const Ends &ends, gp__u64, gp__u64 items, const gp__u64 (&diagonal)[2], gp__u64 (&segment)[2]) const {
    gp__split(ends, items, diagonal, segment);
  }
};
template<class O> struct gp__split_look<gp__offset_ends<O>> {
  typedef gp__offset_ends<O> Ends;
  gp__u64 guess, end; // the lane's probe
  GP_DEVICE gp__split_look(const Ends &ends, double rate, const gp__u64 (&diagonal)[2]) {
    guess = gp__u64((double(gp_lane() < 16 ? diagonal[0] : diagonal[1]) + 0.5) * rate);
    end = ends.end_of(probe(ends, int(gp_lane() & 15u)));
  }
  GP_DEVICE gp__u64 probe(const Ends &ends, int i) const { // rises with i
    const gp__u64 far = 1u << (2 * (i < 8 ? 7 - i : i - 8));
    const gp__u64 at = i >= 8 ? guess + far - 1 : guess > far ? guess - far : 0;
    return at < ends.segments ? at : ends.segments - 1;
  }
  GP_DEVICE void split(
      const Ends &ends, gp__u64 first, gp__u64 items, const gp__u64 (&diagonal)[2], gp__u64 (&segment)[2]) const {
    const gp__u64 mine = gp_lane() < 16 ? diagonal[0] : diagonal[1];
    const unsigned before =
        __ballot_sync(~0u, end - first + probe(ends, int(gp_lane() & 15u)) < mine) >> (gp_lane() & 16u);
    const int probes = __popc(before & 0xffffu);
    gp__u64 low = mine > items ? mine - items : 0, high = mine < ends.segments ? mine : ends.segments;
    if (probes > 0 && low <= probe(ends, probes - 1)) low = probe(ends, probes - 1) + 1;
    if (low > high) low = high; // if offsets decrease
    if (probes < 16 && high > probe(ends, probes)) high = probe(ends, probes);
    const gp__u64 left = high > low ? high - low : 0;
    segment[0] = gp_warp_broadcast(low, 0);
    segment[1] = gp_warp_broadcast(low, 16);
    if (!__ballot_sync(~0u, left > 0)) return;
    gp__u64 count[2] = {gp_warp_broadcast(left, 0), gp_warp_broadcast(left, 16)};
    gp__warp_search(segment, count, gp__split_before<Ends, 2>{ends, diagonal, first});
  }
};
