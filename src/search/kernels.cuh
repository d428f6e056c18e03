// search/kernels.cuh - load balance, lower and upper bound
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h, segments/arguments.h,
//   search/arguments.h, device/operators.cuh, device/warp.cuh, device/inputs.cuh, device/tile_chunk.cuh,
//   device/tile_search.cuh, device/kernel.cuh, segments/ends.cuh

// out[i] = the segment of element i. Warps share elements and segment ends as in the segmented reduction. In a chunk,
// the last segment that ends at an element leaves the next segment's number there. A running maximum fills the others,
// and whole vectors are written.
template <class P, class O, class R> GP_DEVICE void gp__load_balance(const gp__search_args &a) {
  const int ITEMS = 16 * P::vectors / int(sizeof(R)), CHUNK = 32 * ITEMS, V = 16 / int(sizeof(R));
  typedef gp_max<R> Max;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const gp__u64 count = gp__count(a), work = count + a.length;
  const O *offsets = static_cast<const O *>(a.sorted);
  R *out = static_cast<R *>(a.out), *mark = reinterpret_cast<R *>(shared) + gp_warp() * CHUNK;
  const gp__u64 warps = gp__u64(gridDim.x) * (P::threads / 32), share = (work + warps - 1) / warps;
  const gp__u64 mine = blockIdx.x * (P::threads / 32) + gp_warp();
  gp__segment_args args = {};
  args.begin = offsets;
  args.segments = a.length;
  const gp__offset_ends<O> ends(args);
  gp__u64 diagonal[2] = {
      mine * share < work ? mine * share : work, (mine + 1) * share < work ? (mine + 1) * share : work};
  gp__u64 s[2];
  gp__split(ends, work, diagonal, s);
  gp__u64 begin = diagonal[0] - s[0], end = diagonal[1] - s[1], segment = s[0];
  if (end > count) end = count; // segments may go on past the elements
  if (begin >= end) return;
  const gp__u64 skipped = gp__misalignment(out + begin, 16) / sizeof(R); // chunks begin on a 16-byte boundary
  R before = static_cast<R>(segment);
  for (gp__u64 chunk = begin - skipped;; chunk += CHUNK) {
    const gp__u64 left = end - chunk;
    const int from = chunk + skipped == begin ? int(skipped) : 0, to = left < CHUNK ? int(left) : CHUNK;
    gp_vector *mine_at = reinterpret_cast<gp_vector *>(mark + gp_lane() * ITEMS);
    GP__UNROLL
    for (int k = 0; k < P::vectors; ++k) mine_at[k] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    for (;;) {
      const gp__u64 i = segment + gp_lane();
      const gp__u64 at = i < s[1] ? ends.end_of(i) - chunk : 0;
      const bool here = i < s[1] && at < gp__u64(to);
      if (here && (i + 1 == s[1] || ends.end_of(i + 1) - chunk != at)) mark[at] = static_cast<R>(i + 1);
      const unsigned found = unsigned(__popc(__ballot_sync(0xffffffffu, here)));
      segment += found;
      if (found < 32) break;
    }
    __syncwarp();
    gp__vec_group<R> v[P::vectors];
    R newest = 0;
    GP__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      v[k] = gp__vec_group<R>(mine_at + k);
      GP__UNROLL
      for (int j = 0; j < V; ++j) v[k].item[j] = newest = Max()(newest, v[k].item[j]);
    }
    const R up_to = gp_warp_inclusive_scan(newest, Max());
    const R left_of = gp_warp_shift_up(up_to, 1), high = Max()(before, gp_lane() > 0 ? left_of : R(0));
    before = Max()(before, gp_warp_broadcast(up_to, 31));
    GP__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      GP__UNROLL
      for (int j = 0; j < V; ++j) v[k].item[j] = Max()(high, v[k].item[j]);
      v[k].store(mine_at + k);
    }
    __syncwarp();
    GP__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      const int i = (k * 32 + int(gp_lane())) * V;
      if (i >= from && i + V <= to)
        gp__store_vector<P::store>(out + chunk + i, *reinterpret_cast<const gp_vector *>(mark + i));
      else
        for (int j = i < from ? from : i; j < i + V && j < to; ++j) out[chunk + j] = mark[j];
    }
    if (left <= CHUNK) return;
    __syncwarp();
  }
}

// Searches of `left` elements from at[k] on, which halve in step, without branches.
template <bool UPPER, class T, class Less, int K>
GP_DEVICE void gp__bound_steps(gp__bound_before<UPPER, T, Less> (&before)[K], gp__u64 (&at)[K], gp__u64 left) {
  while (left > 1) {
    const gp__u64 half = left / 2;
    GP__UNROLL
    for (int k = 0; k < K; ++k) at[k] += before[k](at[k] + half - 1) ? half : 0;
    left -= half;
  }
  GP__UNROLL
  for (int k = 0; k < K; ++k)
    if (left && before[k](at[k])) ++at[k];
}
template <class T, int BYTES> struct gp__pivots {
  static const int COUNT = BYTES / int(sizeof(T));
  T item[COUNT];
};
// out[i] = the bound of needle i. A thread has `vectors` vectors of needles in flight. If a block has enough needles,
// the upper levels of the searches are in shared memory: every stride-th element. Source: gp__arrays, or the
// gp__described that makes the needles.
template <class P, bool UPPER, class T, class Less, class R, class Source = gp__arrays>
GP_DEVICE void gp__bound(const gp__search_args &a) {
  const int K = gp__map_items(P::vectors, int(sizeof(T)), 0, int(sizeof(R)));
  typedef gp__pivots<T, P::threads <= 512 ? P::threads * 64 : 32768> Pivots;
  GP_SHARED(Pivots, pivots);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a), tile = gp__u64(P::threads) * K;
  const T *sorted = static_cast<const T *>(a.sorted), *needles = static_cast<const T *>(a.needles);
  const Source source(a);
  R *out = static_cast<R *>(a.out);
  const bool staged = a.length > 2 * Pivots::COUNT && count >= gp__u64(gridDim.x) * (Pivots::COUNT / 2);
  const gp__u64 stride = staged ? (a.length + Pivots::COUNT - 1) / Pivots::COUNT : a.length;
  const gp__u64 levels = staged ? a.length / stride : 0;
  for (gp__u64 i = threadIdx.x; i < levels; i += P::threads) pivots.item[i] = sorted[(i + 1) * stride - 1];
  if (staged) __syncthreads();
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__bound_before<UPPER, T, Less> before[K];
    gp__u64 at[K];
    GP__UNROLL
    for (int k = 0; k < K; ++k) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      before[k].sorted = pivots.item;
      before[k].x = gp__operand_at(source, needles, i < count ? i : count - 1);
      at[k] = 0;
    }
    gp__bound_steps(before, at, levels);
    GP__UNROLL
    for (int k = 0; k < K; ++k) { // the last part may be shorter: it then begins earlier
      before[k].sorted = sorted;
      at[k] = at[k] * stride < a.length - stride ? at[k] * stride : a.length - stride;
    }
    gp__bound_steps(before, at, stride);
    GP__UNROLL
    for (int k = 0; k < K; ++k) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      if (i < count) out[i] = static_cast<R>(at[k]);
    }
  }
}
