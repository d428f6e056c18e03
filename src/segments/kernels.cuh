// segments/kernels.cuh - segmented reduce: the kernels; spans
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, segments/policy.h, segments/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh,
//   scan/kernels.cuh, segments/ends.cuh, segments/carries.cuh, segments/reduce.cuh

template<int STAGES, class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_merge(const gp__segment_args &a) {
  typedef gp__segment_warp<STAGES, P, ENDS, Op, Load, In, Acc, Out> Warp;
  typedef gp__segment_storage<P, Op, Acc> Storage;
  typedef gp__segment_partial<Acc> Partial;
  typedef gp__join_carries<Acc, Op> Join;
  const unsigned WARPS = P::threads / 32;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  const ENDS ends(a);
  gp__u8 *const of_warp = shared + gp_warp() * Warp::BYTES; // in a register if there are enough
  Warp warp(a, ends, STAGES ? gp__shared_pointer(of_warp).template at<gp__u8>(0) : of_warp);
  gp__pdl_wait<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  const gp__u64 warps = gp__u64(gridDim.x) * WARPS, mine = blockIdx.x * WARPS + gp_warp();
  gp__u64 share = a.share, diagonal[2] = {mine * share, (mine + 1) * share}, segment[2];
  const gp__split_look<ENDS> look(ends, a.rate, diagonal);
  const gp__u64 start = ends.first(), stop = ends.last(), items = stop > start ? stop - start : 0;
  const gp__u64 work = items + a.segments;
  if (items != a.count) share = (work + warps - 1) / warps;
  diagonal[0] = mine * share < work ? mine * share : work;
  diagonal[1] = (mine + 1) * share < work ? (mine + 1) * share : work;
  look.split(ends, start, items, diagonal, segment);
  gp__u64 element[2] = {diagonal[0] - segment[0], diagonal[1] - segment[1]};
  if (segment[1] < segment[0]) segment[1] = segment[0]; // if offsets decrease, only the end is certain
  if (element[1] < element[0]) element[1] = element[0];
  warp.begin(start + element[0], start + element[1], segment[0], segment[1]);
  if (!threadIdx.x && gridDim.x > 1) s.ticket = gp__draw(a.workspace, gridDim.x);
  warp.run(s.warp[gp_warp()]);
  __syncthreads();
  gp__word *words = gp__words(a.workspace) + (ENDS::direct ? 0 : a.segments + 1);
  if (!gp_warp()) { // a lane for each warp
    const gp__segment_result<Op, Out, Acc> result(a);
    gp__segment_carry<Acc> upto = Join::identity();
    gp_carry<Acc> sum = upto.open; // of the segment that is open at the start of the warp's range
    gp__u64 open = 0;
    if (gp_lane() < WARPS) {
      const gp__segment_open<Acc> &own = s.warp[gp_lane()];
      open = own.segment;
      upto.ended = own.ended;
      if (own.first.has) sum.append(own.first.value, Op());
      if (own.last.has) upto.open.append(own.last.value, Op());
    }
    const unsigned ended = __ballot_sync(~0u, upto.ended);
    const bool mine_ends = upto.ended;
    upto = gp_warp_inclusive_scan(upto, Join());
    gp__segment_carry<Acc> before = gp_warp_shift_up(upto, 1);
    const gp__segment_carry<Acc> all = gp_warp_broadcast(upto, 31);
    if (!gp_lane()) before = Join::identity();
    if (sum.has) before.open.append(sum.value, Op());
    sum = before.open;
    if (mine_ends && (before.ended || gridDim.x == 1)) gp__as<Out>(a.out)[open] = result(sum.has, sum.value);
    if (gridDim.x > 1 && int(gp_lane()) == (ended ? __ffs(int(ended)) - 1 : 0)) {
      const bool more = ended && all.open.has;
      if (!ended) sum = all.open;
      Partial p;
      p.first = sum.has ? sum.value : Op::identity();
      p.last = more ? all.open.value : Op::identity();
      p.segment = (ended ? open << 3 : 0) | (more ? 4u : 0u) | (sum.has ? 2u : 0u) | (ended ? 1u : 0u);
      gp__publish(words, blockIdx.x, p, s.ticket.tag);
    }
  }
  if (gridDim.x > 1 && s.ticket.number == gridDim.x - 1)
    gp__segment_finish<P, Op, Out, Acc>(a, words, gridDim.x, s.ticket.tag, s);
}

template<class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_reduce(const gp__segment_args &a) {
  gp__segmented_merge<0, P, ENDS, Op, Load, In, Acc, Out>(a);
}
template<class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_pipelined(const gp__segment_args &a) {
  gp__segmented_merge<P::stages, P, ENDS, Op, Load, In, Acc, Out>(a);
}

// The launch before, if segments are ranges: the exclusive scan of their lengths, and the total.
template<class P, class O> GP_DEVICE void gp__segment_spans(const gp__segment_args &a) {
  const int ITEMS = GP__SPAN_ITEMS, TILE = P::threads * ITEMS;
  typedef gp__scan_storage<P::threads, gp__u64> Storage;
  typedef gp_sum<gp__u64> Sum;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  const O *begin = gp__as<const O>(a.begin), *end = gp__as<const O>(a.end);
  gp__word *spans = gp__words(a.workspace);
  const gp__u64 tiles = (a.segments + TILE - 1) / TILE;
  for (;;) {
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const gp__u64 first = gp__u64(ticket.number) * TILE + threadIdx.x * ITEMS;
    gp__u64 length[ITEMS], sum = 0;
    GP__EACH(i, ITEMS) {
      const gp__u64 k = first + i;
      length[i] = k < a.segments && begin[k] < end[k] ? gp__u64(end[k]) - begin[k] : 0;
      sum += length[i];
    }
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, Sum(), s.scan);
    if (!gp_warp()) {
      gp_carry<gp__u64> start;
      start.has = false;
      const gp__look_back<gp__u64, Sum> look_back = {spans + a.segments + 1, tiles, ticket.tag, start, false};
      if (!gp_lane()) look_back.publish_aggregate(ticket.number, total);
      const gp_carry<gp__u64> prefix = look_back(ticket.number, total);
      if (!gp_lane()) s.prefix = prefix;
    }
    __syncthreads();
    gp__u64 at = sum + (s.prefix.has ? s.prefix.value : 0);
    GP__EACH(i, ITEMS) {
      if (first + i >= a.segments) continue;
      spans[first + i] = gp__word{at, 0};
      at += length[i];
      if (first + i + 1 == a.segments) spans[a.segments] = gp__word{at, 0};
    }
  }
}
