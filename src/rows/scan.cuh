// rows/scan.cuh - rows and columns of strided arrays: scans
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, scan/policy.h, rows/policy.h, rows/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh,
//   rows/tile.cuh, rows/kernels.cuh

// A running value becomes an element of the output.
template<class In, class Acc, class Out> struct gp__keep_state {
  GP_DEVICE Out operator()(const In &, const Acc &state) const { return gp_convert<Acc, Out>()(state); }
};
template<class Op, class Acc> GP_DEVICE gp_carry<Acc> gp__row_start(const gp__rows_args &a) {
  gp_carry<Acc> start;
  start.value = a.has_init ? Op::prepare(gp__value_as<Acc>(a.init)) : Op::identity();
  start.has = a.has_init != 0;
  return start;
}
// x becomes element i of a row: `carry` is the fold of those before. Returns its result.
template<bool EXCLUSIVE, class Op, class Acc> GP_DEVICE Acc gp__scan_step(gp_carry<Acc> &carry, const Acc &x) {
  const Acc before = carry.has ? carry.value : Op::identity();
  carry.append(x, Op());
  return EXCLUSIVE ? before : carry.value;
}
// value of lane 0 op ... op this lane's, in each group of so many lanes.
template<class Acc, class Op> GP_DEVICE Acc gp__lanes_scan(Acc value, Op op, unsigned lanes) {
  for (unsigned d = 1; d < lanes; d *= 2) {
    const Acc up = gp_warp_shift_up(value, d);
    if ((gp_lane() & (lanes - 1)) >= d) value = op(up, value);
  }
  return value;
}
// Elements become the results of a scan. `before`: the fold of those before.
template<bool EXCLUSIVE, class Op, class Acc, class Load, class Out> struct gp__scan_slots {
  const Load &load;
  gp__u64 base; // of the first element's number in its row
  gp_carry<Acc> before;
  template<class Slot> GP_DEVICE void operator()(Slot &x, unsigned i) {
    x.out = gp_convert<Acc, Out>()(gp__scan_step<EXCLUSIVE, Op>(before, Op::prepare(load(x.in, base + i))));
  }
};

template<class P, class In, class Acc, class Out> struct gp__scan_rows_storage {
  Acc warp[P::threads / 32];
  gp_carry<Acc> prefix;
  gp__ticket ticket;
  gp__rows_tile<P, true, In, Out> tile;
};
// Scans of rows. FORM: GP__ROWS_TILE, GP__ROWS_BLOCK. A thread scans a chunk in place. In a tile of rows, lanes of a
// row pass their totals on. Otherwise a block takes a tile of a row, and tiles of one row look back; tickets number the
// tiles, row after row, so that a tile waits for lower numbers only. A block reads all of its tile before it writes: in
// place is possible.
template<class P, int FORM, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__rows_scan(const gp__rows_args &a) {
  typedef gp__scan_slots<EXCLUSIVE, Op, Acc, Load, Out> Scan;
  typedef gp__scan_rows_storage<P, In, Acc, Out> Storage;
  const int T = P::threads;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const gp_carry<Acc> start = gp__row_start<Op, Acc>(a);
  if (FORM == GP__ROWS_TILE) {
    gp__each_row_tile<true, In, Out>(a, s.tile, [&](const gp__chunk &c, gp__u64, unsigned lane, bool) {
      const Acc up_to = gp__lanes_scan(gp__fold_chunk<true, Op, Acc>(load, s.tile, c, 0), Op(), 1u << a.log2_lanes);
      const Acc up = gp_warp_shift_up(up_to, 1);
      Scan scan = {load, 0, start};
      if (lane) scan.before.append(up, Op());
      c.template each<true>(s.tile, scan);
    });
    return;
  }
  const gp__ticket ticket = gp__part_ticket(a, s.ticket);
  for (gp__u64 unit = ticket.number; unit < a.rows * a.parts; unit += gridDim.x) {
    const gp__u64 r = unit / a.parts, part = unit - r * a.parts, begin = part * a.share, left = a.extent[0] - begin;
    const unsigned length = unsigned(left < a.share ? left : a.share);
    const bool even = length % s.tile.V == 0;
    const unsigned chunk = even ? (length / s.tile.V + T - 1) / T * s.tile.V : (length + T - 1) / T | 1;
    const unsigned skip = s.tile.take(gp__lines<In>(a, a.in, a.in_stride, r, begin, length), even);
    __syncthreads();
    const gp__chunk c(skip, length, threadIdx.x * chunk, chunk, even);
    const Acc up_to = gp_warp_inclusive_scan(gp__fold_chunk<true, Op, Acc>(load, s.tile, c, begin), Op());
    const Acc up = gp_warp_shift_up(up_to, 1);
    if (gp_lane() == 31) s.warp[gp_warp()] = up_to;
    __syncthreads();
    if (!gp_warp()) { // the fold of the row before each warp's chunks
      const Acc to = gp_warp_inclusive_scan(gp_lane() < T / 32 ? s.warp[gp_lane()] : Op::identity(), Op());
      const Acc all = gp_warp_broadcast(to, T / 32 - 1), before = gp_warp_shift_up(to, 1);
      gp_carry<Acc> prefix = start;
      if (a.parts > 1) {
        const gp__u64 words = gp__look_back_slots(a.parts) * ((sizeof(Acc) + 7) / 8);
        const gp__look_back<Acc, Op> look_back = {
            gp__words(a.workspace) + r * words, a.parts, ticket.tag, start, false};
        if (!gp_lane()) look_back.publish_aggregate(part, all);
        prefix = look_back(part, all);
      }
      if (!gp_lane()) s.prefix = prefix;
      if (gp_lane()) prefix.append(before, Op());
      if (gp_lane() < T / 32) s.warp[gp_lane()] = prefix.value;
    }
    __syncthreads();
    Scan scan = {load, begin, {s.warp[gp_warp()], s.prefix.has || gp_warp() > 0}};
    if (gp_lane()) scan.before.append(up, Op());
    c.template each<true>(s.tile, scan);
    __syncthreads();
    s.tile.put(gp__lines<Out>(a, a.out, a.out_stride, r, begin, length), skip, even);
    __syncthreads();
  }
}
