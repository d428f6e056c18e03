// rows/scan_columns.cuh - columns of strided arrays: scans
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, rows/policy.h, rows/arguments.h, device/operators.cuh,
//   device/warp.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh, rows/row.cuh, rows/kernels.cuh,
//   rows/scan.cuh

// A tile of columns: lanes lie across them, and `slots` threads behind each other share one.
template<class P, class Acc> struct gp__columns_scan_storage {
  Acc cell[2][P::threads];
  gp__u8 found[P::threads];
  gp__ticket ticket;
};
template<class P, class Acc, class Op> struct gp__columns_tile {
  gp__columns_scan_storage<P, Acc> &s;
  unsigned lanes, slots, lane, slot, turn;

  GP_DEVICE gp__columns_tile(gp__columns_scan_storage<P, Acc> &storage, unsigned log2_lanes)
    : s(storage), lanes(1u << log2_lanes), slots(P::threads >> log2_lanes), lane(threadIdx.x & (lanes - 1)),
      slot(threadIdx.x >> log2_lanes), turn(0) {}
  // The fold of a column's values, one a slot, to all its threads; before: of the slots before this one. Two folds
  // after each other use different cells, so that one barrier is enough.
  GP_DEVICE Acc fold(Acc value, gp_carry<Acc> &before) {
    const unsigned across = lanes < 32 ? lanes : 32, wide = lanes / across; // wide: warps that lie across the columns
    for (unsigned d = across; d < 32; d *= 2) {
      const Acc up = gp_warp_shift_up(value, d);
      if (gp_lane() >= d) value = Op()(up, value);
    }
    Acc *cell = s.cell[turn];
    turn ^= 1;
    if (gp_lane() >= 32 - across) cell[gp_warp() * across + (gp_lane() & (across - 1))] = value;
    __syncthreads();
    gp_carry<Acc> all = {Op::identity(), false};
    before = all;
    for (unsigned w = gp_warp() & (wide - 1); w < unsigned(P::threads / 32); w += wide) {
      if (w == gp_warp()) before = all;
      all.append(cell[w * across + (gp_lane() & (across - 1))], Op());
    }
    if (across < 32) {
      const Acc up = gp_warp_shift_up(value, across);
      if (gp_lane() >= across) before.append(up, Op());
    }
    return all.value;
  }
};

// gp__look_back for all columns of a tile at once, by all threads of its block. Groups have as many tiles as a column
// has slots; a slot receives one aggregate of the group, and looks at one group before it. Its waits end for the
// reasons that are said there.
template<class P, class Acc, class Op> struct gp__columns_look_back {
  gp__word *words; // of the tile's columns: aggregates, prefixes, totals; each one after the other, lane by lane
  gp__u64 tiles, tag;
  gp_carry<Acc> start;
  bool mine; // a column of this lane exists

  GP_DEVICE gp_carry<Acc> operator()(gp__u64 tile, const Acc &aggregate, gp__columns_tile<P, Acc, Op> &t) const {
    const gp__u64 group = tile / t.slots, groups = tiles / t.slots + 1;
    const unsigned before = unsigned(tile - group * t.slots);
    const bool last = before == t.slots - 1 && tile + 1 < tiles, first = mine && t.slot == 0;
    if (first && tile + 1 < tiles) gp__publish(words, tile * t.lanes + t.lane, aggregate, tag);
    gp_carry<Acc> prefix = start, unused;
    bool there = !mine || group == 0 || gp__try_receive(words, (tiles + group) * t.lanes + t.lane, tag, prefix.value);
    Acc one = Op::identity();
    if (mine && t.slot < before) one = gp__receive<Acc>(words, (group * t.slots + t.slot) * t.lanes + t.lane, tag);
    const Acc part = t.fold(one, unused);
    Acc total = part;
    if (last) total = t.fold(t.slot == before ? aggregate : one, unused);
    if (last && first) gp__publish(words, (tiles + groups + group) * t.lanes + t.lane, total, tag);
    prefix.has = group > 0 || start.has;
    while (__syncthreads_or(!there)) { // a slot: prefix(group - slot), and the total of the group before
      const bool near = mine && t.slot < group;
      Acc x = start.value;
      unsigned found = mine && t.slot == group ? 1 : 0;
      if (near && gp__try_receive(words, (tiles + group - t.slot) * t.lanes + t.lane, tag, x)) found = 1;
      t.s.cell[0][threadIdx.x] = x;
      if (near && gp__try_receive(words, (tiles + groups + group - t.slot - 1) * t.lanes + t.lane, tag, x)) found |= 2;
      t.s.cell[1][threadIdx.x] = x;
      t.s.found[threadIdx.x] = gp__u8(found);
      __syncthreads();
      unsigned depth = 0; // of the nearest prefix behind totals
      while (!there && depth < t.slots && t.s.found[depth * t.lanes + t.lane] == 2) ++depth;
      if (there || depth == t.slots || !(t.s.found[depth * t.lanes + t.lane] & 1)) continue;
      there = true;
      prefix.value = t.s.cell[0][depth * t.lanes + t.lane];
      prefix.has = group > depth || start.has;
      while (depth-- > 0) prefix.append(t.s.cell[1][depth * t.lanes + t.lane], Op());
      prefix.has = true;
    }
    if (last && first) {
      gp_carry<Acc> next = prefix;
      next.append(total, Op());
      gp__publish(words, (tiles + group + 1) * t.lanes + t.lane, next.value, tag);
    }
    if (before) prefix.append(part, Op());
    return prefix;
  }
};

// K elements of a column, from number `first` on. WHOLE: all belong to it; otherwise the first `count` do.
template<bool WHOLE, bool EXCLUSIVE, int K, class Op, class Load, class In, class Acc, class Out>
struct gp__column_part {
  const Load &load;
  gp__u64 first;
  unsigned count;
  GP_DEVICE bool has(int k) const { return WHOLE || unsigned(k) < count; }
  GP_DEVICE Acc take(const In *in, gp__i64 stride, In (&x)[K]) const {
    GP__UNROLL
    for (int k = 0; k < K; ++k, in += stride)
      if (has(k)) x[k] = *in;
    gp_carry<Acc> own = {Op::identity(), false};
    GP__EACH(k, K)
      if (has(k)) own.append(Op::prepare(load(x[k], first + k)), Op());
    return own.value;
  }
  GP_DEVICE void put(gp_carry<Acc> running, const In (&x)[K], Out *out, gp__i64 stride) const {
    GP__UNROLL
    for (int k = 0; k < K; ++k, out += stride)
      if (has(k))
        *out = gp_convert<Acc, Out>()(gp__scan_step<EXCLUSIVE, Op>(running, Op::prepare(load(x[k], first + k))));
  }
};

// Scans of rows whose neighbours are closer than their elements: columns of a matrix. A tile has some 128 bytes of
// neighbouring columns; a thread holds K elements of one. A block walks down its columns; or, if there are few, each
// block has one tile of their length, and looks back.
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__columns_scan(const gp__rows_args &a) {
  typedef gp__columns_scan_storage<P, Acc> Storage;
  const int K = gp__column_chunk(P::vectors, int(sizeof(In)));
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const gp_carry<Acc> start = gp__row_start<Op, Acc>(a);
  gp__columns_tile<P, Acc, Op> t(s, a.log2_lanes);
  const gp__u64 columns = a.extent[1], across = (columns + t.lanes - 1) / t.lanes;
  const gp__u64 units = a.extent[2] * a.extent[3] * across;
  const gp__ticket ticket = gp__part_ticket(a, s.ticket);
  // Tiles side by side have neighbouring tickets.
  const gp__u64 part = a.parts > 1 ? ticket.number / units : 0;
  const gp__u64 begin = part * a.share, end = a.extent[0] - begin < a.share ? a.extent[0] : begin + a.share;
  for (gp__u64 unit = ticket.number - part * units; unit < units; unit += gridDim.x) {
    const gp__u64 outer = unit / across, c = (unit - outer * across) * t.lanes;
    const unsigned width = columns - c < t.lanes ? unsigned(columns - c) : t.lanes;
    const In *in = gp__as<const In>(a.in) + gp__row_offset(a, a.in_stride, outer * columns + c + t.lane);
    Out *out = gp__as<Out>(a.out) + gp__row_offset(a, a.out_stride, outer * columns + c + t.lane);
    gp_carry<Acc> carry = start;
    for (gp__u64 round = begin; round < end; round += t.slots * K) {
      const unsigned rows = end - round < t.slots * K ? unsigned(end - round) : t.slots * K, at = t.slot * K;
      const gp__u64 first = round + at;
      const bool whole = rows == t.slots * K && width == t.lanes && t.slot < t.slots;
      const unsigned count = t.lane >= width || at >= rows ? 0 : rows - at;
      const gp__column_part<true, EXCLUSIVE, K, Op, Load, In, Acc, Out> all_of = {load, first, unsigned(K)};
      const gp__column_part<false, EXCLUSIVE, K, Op, Load, In, Acc, Out> part_of = {load, first, count};
      const In *from = in + gp__i64(first) * a.in_stride[0];
      Out *to = out + gp__i64(first) * a.out_stride[0];
      In x[K];
      const Acc own = whole ? all_of.take(from, a.in_stride[0], x) : part_of.take(from, a.in_stride[0], x);
      gp_carry<Acc> before;
      const Acc all = t.fold(own, before);
      if (a.parts > 1) {
        const gp__u64 slots = gp__columns_look_back_slots(a.parts, t.slots) * t.lanes;
        const gp__columns_look_back<P, Acc, Op> look_back = {
            gp__words(a.workspace) + unit * slots * ((sizeof(Acc) + 7) / 8), a.parts, ticket.tag, start,
            t.lane < width};
        carry = look_back(part, all, t);
      }
      gp_carry<Acc> running = carry;
      if (before.has) running.append(before.value, Op());
      if (whole) all_of.put(running, x, to, a.out_stride[0]);
      else part_of.put(running, x, to, a.out_stride[0]);
      carry.append(all, Op());
    }
  }
}
