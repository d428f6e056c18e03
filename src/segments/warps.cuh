// segments/warps.cuh - segments by lanes: as many lanes a segment as its length needs
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, segments/policy.h, segments/arguments.h,
//   device/warp.cuh, device/vector_access.cuh, device/inputs.cuh, device/tile_reduce.cuh, device/kernel.cuh,
//   reduce/kernels.cuh, segments/carries.cuh

// Small calls, of fewer than 2^31 elements: no search, no fix-up. All segments of a call get the same power of two of
// lanes. Segments that are long for their lanes go to whole warps, and those that are long for a warp to the block. The
// length of a segment alone decides who reads it, and in which order. With 64-bit positions I (GP_REPRODUCIBLE) runs
// begin with the segment, whatever its address.

// Reads segments by runs: vectors on 16-byte boundaries, if elements can be on these. A thread has K in flight. Runs of
// described elements begin with the segment; neighbours that are apart in memory are runs of their own.
template<class P, class Op, class Load, class In, class Acc, class I = gp__u32> struct gp__segment_reader {
  typedef gp__operands<Load> Operands;
  static const bool FREE = sizeof(I) == 4, APART = FREE && gp__operands_apart<typename Operands::type>::value;
  static const int WHOLE = gp__reduce_input<In>::V, V = APART ? 1 : WHOLE;
  static const int K = (sizeof(In) <= 16 ? P::vectors : 1) * (WHOLE / V);
  const typename Operands::type operands;
  const In *in;
  bool vectors;
  I room; // a vector at element i is within the input if i < room
  GP_DEVICE explicit gp__segment_reader(const gp__segment_args &a)
    : operands(a), in(gp__as<const In>(a.in)),
      vectors(FREE && !Operands::described && 16 % sizeof(In) == 0 && gp__misalignment(a.in, 16) % sizeof(In) == 0),
      room(vectors && a.count >= gp__u64(V) ? I(a.count) - V + 1 : 0) {}
  // The fold of thread `rank` of `ranks` in n elements. Neighbours read neighbouring vectors or, if the order counts,
  // each reads consecutive ones.
  GP_DEVICE Acc operator()(I begin, I n, unsigned rank, unsigned ranks) const {
    const I head = vectors ? gp__misalignment(in + begin, 16) / unsigned(sizeof(In)) : 0;
    const I runs = n ? (head + n + V - 1) / V : 0;
    I run = rank, stop = runs, step = ranks;
    if (!Op::commutative) {
      const I share = (runs + ranks - 1) / ranks;
      run = rank * share;
      stop = run + share < runs ? run + share : runs;
      step = 1;
    }
    Acc sum = Op::identity();
    for (; run < stop; run += K * step) {
      gp__vector_access<In, V> x[K];
      gp__u32 own[K]; // bits of the segment's own elements; others are ignored
      GP__EACH(k, K) {
        const I r = run + k * step, at = begin - head + r * V, left = begin + n - at;
        own[k] = 0;
        if (r >= stop) continue;
        own[k] = ((1u << (left < I(V) ? left : V)) - 1) & ~0u << (r ? 0 : head);
        if (Operands::described ? own[k] == (1u << V) - 1 : at < room) {
          gp__load_operand<P::load>(x[k], operands, in, at, 0, true);
        } else {
          GP__EACH(j, V) x[k].item[j] = own[k] >> j & 1u ? gp__operand_at(operands, in, at + j) : In();
        }
      }
      GP__EACH(k, K) {
        const I at = begin - head + (run + k * step) * V;
        if (own[k] == 0) continue;
        GP__EACH(j, V)
          if (own[k] >> j & 1u) sum = Op()(sum, Op::prepare(typename Operands::functor()(x[k].item[j], at + j)));
      }
    }
    return sum;
  }
  static const bool BY_ROWS = FREE && Op::commutative && !Operands::described && sizeof(In) <= 16;
  // The same by a warp for short segments, in rows of 32 elements: fewer instructions.
  GP_DEVICE Acc by_rows(I begin, I n) const {
    const int R = 8;
    Acc sum = Op::identity();
    GP__UNROLL_BY(1)
    for (I i = gp_lane(); i < n; i += 32 * R) {
      const In *at = in + begin + i;
      const I left = n - i;
      Acc x[R];
      GP__EACH(j, R)
        x[j] =
            32u * j < left ? Op::prepare(typename Operands::functor()(at[32 * j], begin + i + 32 * j)) : Op::identity();
      GP__EACH(j, R) sum = Op()(sum, x[j]);
    }
    return sum;
  }
};

template<int THREADS, class Acc> struct gp__warp_segments_storage {
  gp_tile_reduce_storage<THREADS, Acc> reduce;
  unsigned longs, number[THREADS]; // the long segments of the tile, in any order
};

template<class P, class ENDS, class Op, class Load, class In, class Acc, class Out, class I = gp__u32>
GP_DEVICE void gp__warp_segments(const gp__segment_args &a) {
  typedef gp__segment_reader<P, Op, Load, In, Acc, I> Reader;
  typedef gp__warp_segments_storage<P::threads, Acc> Storage;
  const unsigned T = P::threads, lane = (a.once ? 1 : GP__LONG_ROUNDS) * Reader::K * Reader::V; // most of a lane
  GP_SHARED(Storage, s);
  if (!threadIdx.x) s.longs = 0;
  __syncthreads();
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const Reader read(a);
  const ENDS ends(a);
  const gp__segment_result<Op, Out, Acc> result(a);
  const I tile = T >> a.log2_lanes ? T >> a.log2_lanes : 1, segments = I(ends.segments);
  for (I first = blockIdx.x * tile; first < segments;) {
    unsigned log2_lanes = a.log2_lanes, count = tile;
    I done = 0; // segments up to this length are done
    for (bool all = true;; all = false) { // all segments of the tile, then the long ones
      const unsigned lanes = 1u << log2_lanes, rank = threadIdx.x & (lanes - 1);
      const I most = log2_lanes > 5 ? ~I(0) : I(lane << log2_lanes);
      for (unsigned i = threadIdx.x >> log2_lanes; i < count; i += T >> log2_lanes ? T >> log2_lanes : 1) {
        const unsigned number = all ? i : s.number[i];
        const I segment = first + number;
        gp__u64 begin = 0, end = 0;
        if (segment < segments) ends.bounds(segment, begin, end);
        const I length = begin < end ? I(end - begin) : 0;
        const bool mine = length <= most && (all || length > done);
        if (!all && !mine) continue;
        Acc sum = Op::identity();
        if (Reader::BY_ROWS && a.once > 1 && all) sum = read.by_rows(I(begin), mine ? length : 0);
        else sum = read(I(begin), mine ? length : 0, rank, lanes < T ? lanes : T);
        if (log2_lanes > 5) {
          sum = gp_tile_reduce<P::threads>(sum, Op(), s.reduce);
          __syncthreads();
        } else {
          for (unsigned d = 1; d < lanes; d *= 2) sum = Op()(sum, gp_warp_shift_down(sum, d));
        }
        if (rank == 0 && segment < segments) {
          if (mine) gp__as<Out>(a.out)[segment] = result(length > 0, sum);
          else s.number[atomicAdd(&s.longs, 1u)] = number;
        }
      }
      if (log2_lanes > 5) break;
      if (all) __syncthreads();
      count = s.longs;
      if (count == 0) break;
      done = most;
      log2_lanes = log2_lanes < 5 ? 5 : GP__LOG2_BLOCK;
    }
    first += gridDim.x * tile;
    if (first >= segments) break;
    __syncthreads();
    if (!threadIdx.x) s.longs = 0;
    __syncthreads();
  }
}
