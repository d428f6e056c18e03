// segments/scans.cuh - scans of short calls' segments: a warp or the block a segment
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, select/policy.h, select/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/kernel.cuh, segments/heads.cuh,
//   segments/by_key.cuh

// Small calls: no look-back, no search. A block takes neighbouring segments, one a warp. Those that are long for a warp
// go to the block, one after another. A warp reads and writes ROWS rows of 32 neighbours at a time. In between, shared
// memory turns them: a lane scans ROWS neighbours, and the warp scans once. A segment of a row needs no turn.
template<class P, class Body> struct gp__segment_scans;
template<class P, int WHAT, bool INIT, class O, class Op, class Load, class In, class Acc, class Out>
struct gp__segment_scans<P, gp__by_key<WHAT, INIT, gp__offset_heads<O>, Op, Load, In, Acc, Out>> {
  static const int WARPS = P::threads / 32, ROWS = gp__segment_rows(int(sizeof(Acc))),
                   PLACES = gp__segment_places(int(sizeof(Acc))),
                   STEP = 32 + 32 / ROWS; // from row to row in shared memory
  static const unsigned LONG = 2 * 32 * ROWS; // most elements of a warp
  struct Storage {
    Acc total[WARPS], turned[P::threads * PLACES + 1]; // a lane's ROWS lie together, an odd distance apart
    unsigned longs, number[WARPS]; // the block's segments, in any order
  };
  // By `warps` warps, of which this is number `warp`: one, or the block's. R rows at a time.
  template<int R>
  static GP_DEVICE void scan(
      const gp__stream_args &a, unsigned begin, unsigned length, unsigned warp, unsigned warps, Storage &s) {
    Acc *mine = s.turned + threadIdx.x * PLACES, *row = s.turned + gp_warp() * 32 * PLACES + gp_lane() + gp_lane() / R;
    const Load load(a);
    gp_carry<Acc> carry; // of the elements before these
    carry.has = INIT;
    carry.value = INIT ? Op::prepare(gp__value_as<Acc>(a.first)) : Op::identity();
    for (unsigned first = 0; first < length; first += warps * (32 * R)) {
      const unsigned skip = first + warp * (32 * R) + gp_lane();
      const int rest = int(length - skip);
      const gp__u64 at = gp__u64(begin) + skip;
      const In *in = gp__as<const In>(a.values) + at;
      Out *out = gp__as<Out>(a.out_values) + at;
      gp_carry<Acc> before = carry;
      Acc x[R];
      GP__EACH(j, R) x[j] = 32 * j < rest ? Op::prepare(load(in[32 * j], at + 32 * j)) : Op::identity();
      if (R > 1) {
        GP__EACH(j, R) row[j * STEP] = x[j];
        __syncwarp();
        GP__EACH(j, R) x[j] = j ? Op()(x[j ? j - 1 : 0], mine[j]) : mine[0];
      }
      const Acc upto = gp_warp_inclusive_scan(x[R - 1], Op()), left = gp_warp_shift_up(upto, 1),
                total = gp_warp_broadcast(upto, 31);
      if (warps > 1) {
        if (!gp_lane()) s.total[warp] = total;
        __syncthreads();
        for (unsigned w = 0; w < warps; ++w) {
          if (w == warp) before = carry;
          carry.append(s.total[w], Op());
        }
        __syncthreads();
      } else carry.append(total, Op());
      if (gp_lane() > 0) before.append(left, Op());
      GP__EACH(k, R) { // from the last on: each needs the one before it
        const int j = R - 1 - k;
        gp_carry<Acc> own = before;
        if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) own.append(x[j], Op());
        else if (j > 0) own.append(x[j ? j - 1 : 0], Op());
        x[j] = own.has ? own.value : Op::identity();
        if (R > 1) mine[j] = x[j];
      }
      if (R > 1) __syncwarp();
      GP__EACH(j, R)
        if (32 * j < rest) out[32 * j] = gp_convert<Acc, Out>()(R > 1 ? row[j * STEP] : x[j]);
    }
  }
  // Segment s of a.segments + 2: what precedes and what follows all are segments, too.
  static GP_DEVICE unsigned find(const gp__stream_args &a, gp__u64 s, unsigned n, unsigned &begin) {
    const O *offsets = gp__as<const O>(a.offsets);
    const gp__u64 from = s ? offsets[s - 1] : 0, next = s > a.segments ? n : offsets[s];
    const unsigned end = next < n ? unsigned(next) : n;
    begin = unsigned(from);
    return from < end ? end - begin : 0;
  }
  static GP_DEVICE void run(const gp__stream_args &a) {
    GP_SHARED(Storage, s);
    gp__pdl_wait<P>();
    if (a.bad && *a.bad != ~0ull) return;
    const gp__u64 segments = a.segments + 2;
    const unsigned n = unsigned(gp__count(a)),
                   tile = segments > gp__u64(WARPS) * gridDim.x ? WARPS : (unsigned(segments) - 1) / gridDim.x + 1;
    for (gp__u64 first = gp__u64(blockIdx.x) * tile; first < segments; first += gp__u64(gridDim.x) * tile) {
      const bool idle = gp_warp() >= tile || first + gp_warp() >= segments;
      unsigned begin = 0, length = idle ? 0 : find(a, first + gp_warp(), n, begin);
      if (!threadIdx.x) s.longs = 0;
      __syncthreads();
      if (length > LONG) {
        if (!gp_lane()) s.number[atomicAdd(&s.longs, 1u)] = gp_warp();
        length = 0;
      }
      if (length <= 32) scan<1>(a, begin, length, 0, 1, s), length = 0;
      GP__UNROLL_BY(1)
      for (unsigned longs = 0, warps = 1;; warps = WARPS) { // the warp's own, then the block's
        scan<ROWS>(a, begin, length, warps > 1 ? gp_warp() : 0, warps, s);
        if (warps == 1) __syncthreads();
        if (longs == s.longs) break;
        length = find(a, first + s.number[longs++], n, begin);
      }
      __syncthreads();
    }
  }
};
template<class P, class Body> GP_DEVICE void gp__stream_segments(const gp__stream_args &a) {
  gp__segment_scans<P, Body>::run(a);
}
