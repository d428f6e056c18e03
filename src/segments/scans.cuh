// segments/scans.cuh - scans of short calls' segments: a warp or the block a segment
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, select/policy.h, select/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/kernel.cuh, segments/heads.cuh,
//   segments/by_key.cuh

// Small calls: no look-back, no search. A block takes neighbouring segments, one a warp. Those that are long for a warp
// go to the block, one after another. A warp reads and writes ROWS rows of 32 neighbours at a time.
template<class P, class Body> struct gp__segment_scans;
template<class P, int WHAT, bool INIT, class O, class Op, class Load, class In, class Acc, class Out>
struct gp__segment_scans<P, gp__by_key<WHAT, INIT, gp__offset_heads<O>, Op, Load, In, Acc, Out>> {
  static const int ITEMS = 2 * gp__stream_items(P::vectors, 0, int(sizeof(In))), ROWS = ITEMS < 8 ? ITEMS : 8,
                   WARPS = P::threads / 32;
  static const unsigned LONG = 2 * 32 * ROWS; // most elements of a warp
  struct Storage {
    Acc total[WARPS];
    unsigned longs, number[WARPS]; // the block's segments, in any order
  };
  // By `warps` warps, of which this is number `warp`: one, or the block's.
  static GP_DEVICE void scan(
      const gp__stream_args &a, gp__u64 begin, unsigned length, unsigned warp, unsigned warps, Storage &s) {
    const In *in = gp__as<const In>(a.values) + begin;
    Out *out = gp__as<Out>(a.out_values) + begin;
    const Load load(a);
    gp_carry<Acc> carry; // of the elements before these
    carry.has = INIT;
    carry.value = INIT ? Op::prepare(gp__value_as<Acc>(a.first)) : Op::identity();
    for (unsigned first = 0; first < length; first += warps * (32 * ROWS)) {
      const unsigned i = first + warp * (32 * ROWS) + gp_lane();
      gp_carry<Acc> before = carry;
      Acc x[ROWS], total;
      GP__EACH(j, ROWS)
        x[j] = i + 32 * j < length ? Op::prepare(load(in[i + 32 * j], begin + i + 32 * j)) : Op::identity();
      GP__EACH(j, ROWS) {
        x[j] = gp_warp_inclusive_scan(x[j], Op());
        const Acc row = gp_warp_broadcast(x[j], 31);
        total = j ? Op()(total, row) : row;
      }
      if (warps > 1) {
        if (!gp_lane()) s.total[warp] = total;
        __syncthreads();
        for (unsigned w = 0; w < warps; ++w) {
          if (w == warp) before = carry;
          carry.append(s.total[w], Op());
        }
        __syncthreads();
      } else carry.append(total, Op());
      GP__EACH(j, ROWS) {
        const Acc left = gp_warp_shift_up(x[j], 1), row = gp_warp_broadcast(x[j], 31);
        gp_carry<Acc> own = before;
        if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) own.append(x[j], Op());
        else if (gp_lane() > 0) own.append(left, Op());
        if (i + 32 * j < length) out[i + 32 * j] = gp_convert<Acc, Out>()(own.has ? own.value : Op::identity());
        before.append(row, Op());
      }
    }
  }
  // Segment s of a.segments + 2: what precedes and what follows all are segments, too.
  static GP_DEVICE unsigned find(const gp__stream_args &a, gp__u64 s, gp__u64 n, gp__u64 &begin) {
    const O *offsets = gp__as<const O>(a.offsets);
    begin = s ? offsets[s - 1] : 0;
    const gp__u64 next = s > a.segments ? n : offsets[s], end = next < n ? next : n;
    return begin < end ? unsigned(end - begin) : 0;
  }
  static GP_DEVICE void run(const gp__stream_args &a) {
    GP_SHARED(Storage, s);
    gp__pdl_wait<P>();
    if (a.bad && *a.bad != ~0ull) return;
    const gp__u64 n = gp__count(a), segments = a.segments + 2;
    const gp__u64 share = (segments - 1) / gridDim.x + 1, tile = share < WARPS ? share : WARPS;
    for (gp__u64 first = blockIdx.x * tile; first < segments; first += gridDim.x * tile) {
      const gp__u64 mine = first + gp_warp();
      gp__u64 begin = 0;
      const unsigned length = gp_warp() < tile && mine < segments ? find(a, mine, n, begin) : 0;
      if (!threadIdx.x) s.longs = 0;
      __syncthreads();
      if (length <= LONG) scan(a, begin, length, 0, 1, s);
      else if (!gp_lane()) s.number[atomicAdd(&s.longs, 1u)] = gp_warp();
      __syncthreads();
      for (unsigned i = 0; i < s.longs; ++i) {
        const unsigned all = find(a, first + s.number[i], n, begin);
        scan(a, begin, all, gp_warp(), WARPS, s);
      }
      __syncthreads();
    }
  }
};
template<class P, class Body> GP_DEVICE void gp__stream_segments(const gp__stream_args &a) {
  gp__segment_scans<P, Body>::run(a);
}
