// segments/scans.cuh - scans of short calls' segments: a warp or the block a segment
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, select/policy.h, select/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/kernel.cuh, segments/heads.cuh,
//   segments/by_key.cuh

// Small calls: no look-back, no search. A block takes neighbouring segments, one a warp. Those that are long for a warp
// go to the block, one after another. A thread has ITEMS consecutive elements at a time.
template <class P, class Body> struct gp__segment_scans;
template <class P, int WHAT, bool INIT, class O, class Op, class Load, class In, class Acc, class Out>
struct gp__segment_scans<P, gp__by_key<WHAT, INIT, gp__offset_heads<O>, Op, Load, In, Acc, Out>> {
  static const int ITEMS = gp__stream_items(P::vectors, 0, int(sizeof(In))), WARPS = P::threads / 32;
  static const unsigned LONG = 2 * 32 * ITEMS; // most elements of a warp
  struct Storage {
    gp_tile_scan_storage<P::threads, Acc> scan;
    unsigned longs, number[WARPS]; // the block's segments, in any order
  };
  // `ranks` threads, of which this is thread `rank`: the lanes of a warp, or the block.
  static GP_DEVICE void scan(
      const gp__stream_args &a, gp__u64 begin, unsigned length, unsigned rank, unsigned ranks, Storage &s) {
    const In *in = gp__as<const In>(a.values) + begin;
    Out *out = gp__as<Out>(a.out_values) + begin;
    const Load load(a);
    const Acc init = Op::prepare(gp__value_as<Acc>(a.first));
    Acc carry = Op::identity(); // of the elements before these
    for (unsigned first = 0; first < length; first += ranks * ITEMS) {
      const unsigned i = first + rank * ITEMS;
      Acc x[ITEMS], sum = Op::identity();
      GP__EACH(j, ITEMS)
        if (i + j < length) x[j] = Op::prepare(load(in[i + j], begin + i + j));
      GP__EACH(j, ITEMS)
        if (i + j < length) sum = j ? Op()(sum, x[j]) : INIT && i == 0 ? Op()(init, x[0]) : x[0];
      gp_carry<Acc> run, warps;
      Acc all;
      warps.has = false;
      if (ranks > 32) all = gp__tile_scan<P::threads>(sum, Op(), run, warps, s.scan);
      else {
        const Acc upto = gp_warp_inclusive_scan(sum, Op());
        run.value = gp_warp_shift_up(upto, 1);
        all = gp_warp_broadcast(upto, 31);
      }
      run.has = gp_lane() > 0;
      if (run.has && warps.has) run.value = Op()(warps.value, run.value);
      else if (warps.has) run = warps;
      if (first) run.value = run.has ? Op()(carry, run.value) : carry;
      carry = first ? Op()(carry, all) : all;
      GP__EACH(j, ITEMS) {
        if (i + j >= length) continue;
        const bool head = i + j == 0;
        if (WHAT == GP_EXCLUSIVE_SCAN_BY_KEY)
          out[i + j] = gp_convert<Acc, Out>()(!head ? run.value : INIT ? init : Op::identity());
        run.value = !head ? Op()(run.value, x[j]) : INIT ? Op()(init, x[j]) : x[j];
        if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) out[i + j] = gp_convert<Acc, Out>()(run.value);
      }
      if (ranks > 32) __syncthreads();
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
      if (threadIdx.x == 0) s.longs = 0;
      __syncthreads();
      if (length <= LONG) scan(a, begin, length, gp_lane(), 32, s);
      else if (gp_lane() == 0) s.number[atomicAdd(&s.longs, 1u)] = gp_warp();
      __syncthreads();
      for (unsigned i = 0; i < s.longs; ++i) {
        const unsigned all = find(a, first + s.number[i], n, begin);
        scan(a, begin, all, threadIdx.x, P::threads, s);
      }
      __syncthreads();
    }
  }
};
template <class P, class Body> GP_DEVICE void gp__stream_segments(const gp__stream_args &a) {
  gp__segment_scans<P, Body>::run(a);
}
