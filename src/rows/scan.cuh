// rows/scan.cuh - rows and columns of strided arrays: scans
// uses: device/vocabulary.cuh, device/machine.cuh, scan/policy.h, rows/policy.h, rows/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/tile_reduce.cuh, device/look_back.cuh,
//   device/kernel.cuh, rows/kernels.cuh

// A running value becomes an element of the output.
template <class In, class Acc, class Out> struct gp__keep_state {
  GP_DEVICE Out operator()(const In &, const Acc &state) const { return gp_convert<Acc, Out>()(state); }
};
template <class Op, class Acc> GP_DEVICE gp_carry<Acc> gp__row_start(const gp__rows_args &a) {
  gp_carry<Acc> start;
  start.value = a.has_init ? Op::prepare(gp__value_as<Acc>(a.init)) : Op::identity();
  start.has = a.has_init != 0;
  return start;
}
// x becomes element i of a row: `carry` is the fold of those before. Returns its result.
template <bool EXCLUSIVE, class Op, class Acc> GP_DEVICE Acc gp__scan_step(gp_carry<Acc> &carry, const Acc &x) {
  const Acc before = carry.has ? carry.value : Op::identity();
  carry.append(x, Op());
  return EXCLUSIVE ? before : carry.value;
}
// value of lane 0 op ... op this lane's, in each group of so many lanes.
template <class Acc, class Op> GP_DEVICE Acc gp__lanes_scan(Acc value, Op op, unsigned lanes) {
  for (unsigned d = 1; d < lanes; d *= 2) {
    const Acc up = gp_warp_shift_up(value, d);
    if ((gp_lane() & (lanes - 1)) >= d) value = op(up, value);
  }
  return value;
}
// The fold of a window's elements; identity, if it has none.
template <class Op, class Acc, class T, class Load>
GP_DEVICE Acc gp__fold_window(const Load &load, const gp__row<T> &row, gp__u64 window,
                              const typename gp__row<T>::Window &x) {
  const gp__u64 i = row.first(window);
  gp_carry<Acc> sum = {Op::identity(), false};
  GPUPRIMS__UNROLL
  for (int j = 0; j < gp__row<T>::V; ++j)
    if (i + j < row.length) sum.append(Op::prepare(load(x.item[j], i + j)), Op());
  return sum.value;
}
// Writes a window's results. before: the fold of the row's elements before the window.
template <class P, bool EXCLUSIVE, class Op, class Acc, class Out, class T, class Load>
GP_DEVICE void gp__scan_window(const Load &load, const gp__row<T> &row, Out *to, long long to_stride, gp__u64 window,
                               const typename gp__row<T>::Window &x, gp_carry<Acc> before) {
  const int V = gp__row<T>::V;
  const gp__u64 i = row.first(window);
  Acc y[V];
  GPUPRIMS__UNROLL
  for (int j = 0; j < V; ++j)
    if (i + j < row.length) y[j] = gp__scan_step<EXCLUSIVE, Op>(before, Op::prepare(load(x.item[j], i + j)));
  row.template store<P::store, gp__keep_state<T, Acc, Out>>(to, to_stride, window, x, y);
}

template <class P, class Acc> struct gp__scan_rows_storage {
  Acc warp[P::threads / 32];
  gp_carry<Acc> prefix;
  gp__ticket ticket;
};
// Scans of rows. FORM: GP__ROWS_LANES, GP__ROWS_WARP, GP__ROWS_BLOCK. A lane scans a window, lanes of a row pass their
// totals on. A warp walks down its row. A block takes a tile of a row, and tiles of one row look back; tickets number
// the tiles, row after row, so that a tile waits for lower numbers only. Each element is read and written by one
// thread, the reading first: in place is possible.
template <class P, int FORM, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__rows_scan(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors;
  typedef gp__scan_rows_storage<P, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const gp_carry<Acc> start = gp__row_start<Op, Acc>(a);
  Out *out = static_cast<Out *>(a.out);
  const gp__u64 warp = static_cast<gp__u64>(blockIdx.x) * (T / 32) + gp_warp();
  const gp__u64 warps = static_cast<gp__u64>(gridDim.x) * (T / 32);
  if (FORM == GP__ROWS_LANES) {
    const unsigned lanes = 1u << a.log2_lanes, groups = 32 >> a.log2_lanes;
    const unsigned group = gp_lane() >> a.log2_lanes, lane = gp_lane() & (lanes - 1);
    for (gp__u64 first = warp * (groups * K); first < a.rows; first += warps * (groups * K)) {
      gp__row<In> row[K];
      typename gp__row<In>::Window x[K];
      gp__load_groups<P>(a, first, groups, group, lane, row, x);
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        const Acc up_to = gp__lanes_scan(gp__fold_window<Op, Acc>(load, row[k], lane, x[k]), Op(), lanes);
        const Acc up = gp_warp_shift_up(up_to, 1);
        gp_carry<Acc> before = start;
        if (lane) before.append(up, Op());
        gp__scan_window<P, EXCLUSIVE, Op>(load, row[k],
                                          out + gp__row_offset(a, a.out_stride, first + k * groups + group),
                                          a.out_stride[0], lane, x[k], before);
      }
    }
    return;
  }
  const bool block = FORM == GP__ROWS_BLOCK;
  const gp__ticket ticket = block ? gp__part_ticket(a, s.ticket) : gp__ticket();
  for (gp__u64 unit = block ? ticket.number : warp; unit < a.rows * a.parts; unit += block ? gridDim.x : warps) {
    const gp__u64 r = unit / a.parts, part = unit - r * a.parts;
    const gp__row<In> row = gp__row_of<In>(a, r);
    const gp__u64 windows = (row.skipped + row.length + row.V - 1) / row.V;
    const gp__u64 begin = block ? part * (T * K) + gp_warp() * (32 * K) : 0;
    Out *to = out + gp__row_offset(a, a.out_stride, r);
    gp_carry<Acc> carry = start;
    for (gp__u64 round = begin; block || round < windows; round += 32 * K) {
      typename gp__row<In>::Window x[K];
      Acc before[K]; // the fold of the round's windows before this one
      gp_carry<Acc> sum = {Op::identity(), false};
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) row.template load<P::load>(round + k * 32 + gp_lane(), x[k]);
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        const Acc own = gp__fold_window<Op, Acc>(load, row, round + k * 32 + gp_lane(), x[k]);
        const Acc up_to = gp_warp_inclusive_scan(own, Op()), up = gp_warp_shift_up(up_to, 1);
        gp_carry<Acc> mine = sum;
        if (gp_lane()) mine.append(up, Op());
        before[k] = mine.value;
        sum.append(gp_warp_broadcast(up_to, 31), Op());
      }
      if (block) { // the fold of the row before this warp's windows
        if (gp_lane() == 0) s.warp[gp_warp()] = sum.value;
        __syncthreads();
        if (gp_warp() == 0) {
          const Acc up_to = gp_warp_inclusive_scan(gp_lane() < T / 32 ? s.warp[gp_lane()] : Op::identity(), Op());
          const Acc all = gp_warp_broadcast(up_to, T / 32 - 1), up = gp_warp_shift_up(up_to, 1);
          gp_carry<Acc> prefix = start;
          if (a.parts > 1) {
            const gp__u64 words = gp__look_back_slots(a.parts) * ((sizeof(Acc) + 7) / 8);
            const gp__look_back<Acc, Op> look_back = {gp__words(a.workspace) + r * words, a.parts, ticket.tag, start,
                                                      false};
            if (gp_lane() == 0) look_back.publish_aggregate(part, all);
            prefix = look_back(part, all);
          }
          if (gp_lane() == 0) s.prefix = prefix;
          if (gp_lane()) prefix.append(up, Op());
          if (gp_lane() < T / 32) s.warp[gp_lane()] = prefix.value;
        }
        __syncthreads();
        carry.value = s.warp[gp_warp()];
        carry.has = s.prefix.has || gp_warp() > 0;
      }
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        gp_carry<Acc> all = carry;
        if (k > 0 || gp_lane()) all.append(before[k], Op());
        gp__scan_window<P, EXCLUSIVE, Op>(load, row, to, a.out_stride[0], round + k * 32 + gp_lane(), x[k], all);
      }
      if (block) break;
      carry.append(sum.value, Op());
    }
    if (block) __syncthreads(); // before the storage is used again
  }
}

// Scans of rows whose neighbours are closer than their elements: columns of a matrix. Lanes lie across V columns each;
// `slots` threads behind each other have K elements each of every column. A block walks down its columns; or, if there
// are few columns, each block has one tile of their length, publishes its columns' folds and prefixes, and looks back:
// to the nearest tile whose prefix is there, and from it over the folds of those between. Prefixes are folded from the
// first tile on, wherever they come from: the same bits in every run.
template <class P, class Acc, int V> struct gp__scan_columns_storage {
  Acc cell[V][P::threads];
  gp__ticket ticket;
};
// The fold of a column's tiles first .. first + part - 1. A tile has `wide` words of folds, then as many of prefixes.
template <class Op, class Acc>
GP_DEVICE gp_carry<Acc> gp__columns_before(gp__word *words, gp__u64 tag, gp__u64 first, gp__u64 part, gp__u64 wide,
                                           const gp_carry<Acc> &start) {
  gp_carry<Acc> prefix = start;
  gp__u64 near = part;
  for (; near > 0; --near)
    if (gp__try_receive(words, (2 * (first + near) - 1) * wide, tag, prefix.value)) {
      prefix.has = true;
      break;
    }
  for (; near < part; ++near) prefix.append(gp__receive<Acc>(words, 2 * (first + near) * wide, tag), Op());
  return prefix;
}
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__columns_scan(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__column_items(int(sizeof(In)), int(sizeof(Acc)));
  const int OV = 16 % sizeof(Out) ? 1 : V * sizeof(Out) > 16 ? 16 / int(sizeof(Out)) : V;
  const int N = (sizeof(Acc) + 7) / 8; // words of an accumulator
  typedef gp__scan_columns_storage<P, Acc, V> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const gp_carry<Acc> start = gp__row_start<Op, Acc>(a);
  const unsigned lanes = 1u << a.log2_lanes, slots = T >> a.log2_lanes;
  const unsigned lane = threadIdx.x & (lanes - 1), slot = threadIdx.x >> a.log2_lanes;
  const gp__u64 columns = a.extent[1], across = (columns + lanes * V - 1) / (lanes * V);
  const gp__u64 units = a.extent[2] * a.extent[3] * across;
  const gp__ticket ticket = gp__part_ticket(a, s.ticket);
  for (gp__u64 unit = ticket.number / a.parts; unit < units; unit += gridDim.x) {
    const gp__u64 outer = unit / across, part = ticket.number % a.parts;
    // A thread's columns: c, c + apart, ... of `outer`.
    const gp__u64 c = (unit - outer * across) * (lanes * V) + (a.vectors ? lane * V : lane);
    const unsigned apart = a.vectors ? 1 : lanes;
    const bool whole = a.vectors && c + V <= columns;
    const gp__u64 begin = part * a.share, end = a.extent[0] - begin < a.share ? a.extent[0] : begin + a.share;
    const In *in = static_cast<const In *>(a.in) + gp__row_offset(a, a.in_stride, outer * columns) +
        static_cast<long long>(c) * a.in_stride[1];
    Out *out = static_cast<Out *>(a.out) + gp__row_offset(a, a.out_stride, outer * columns) +
        static_cast<long long>(c) * a.out_stride[1];
    const long long next = apart * a.in_stride[1], out_next = apart * a.out_stride[1];
    gp_carry<Acc> carry[V];
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) carry[j] = start;
    for (gp__u64 round = begin; round < end; round += slots * K) {
      const gp__u64 i = round + slot * K;
      gp__vector_access<In, V> x[K];
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        if (i + k >= end) continue;
        const In *from = in + static_cast<long long>(i + k) * a.in_stride[0];
        if (whole) x[k].template load<P::load>(from, 0, false);
        else {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            if (c + j * apart < columns) x[k].item[j] = from[j * next];
        }
      }
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        gp_carry<Acc> sum = {Op::identity(), false};
        GPUPRIMS__UNROLL
        for (int k = 0; k < K; ++k)
          if (i + k < end && c + j * apart < columns) sum.append(Op::prepare(load(x[k].item[j], i + k)), Op());
        s.cell[j][threadIdx.x] = sum.value;
      }
      for (unsigned d = 1; d < slots; d *= 2) { // cells become the folds of all slots up to their own
        Acc up[V];
        __syncthreads();
        if (slot >= d) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j) up[j] = s.cell[j][threadIdx.x - d * lanes];
        }
        __syncthreads();
        if (slot >= d) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j) s.cell[j][threadIdx.x] = Op()(up[j], s.cell[j][threadIdx.x]);
        }
      }
      __syncthreads();
      Acc before[V], all[V]; // before: of the first slot nothing
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        before[j] = s.cell[j][slot > 0 ? threadIdx.x - lanes : threadIdx.x];
        all[j] = s.cell[j][(slots - 1) * lanes + lane];
      }
      __syncthreads();
      if (a.parts > 1) { // cells of the first slot become what is before the tile
        const gp__u64 wide = gp__u64(lanes) * V;
        for (unsigned j = slot; j < unsigned(V); j += slots) {
          const Acc own = s.cell[j][(slots - 1) * lanes + lane];
          gp__word *words = gp__words(a.workspace) + (j * lanes + lane) * N;
          if (part + 1 < a.parts) gp__publish(words, 2 * ticket.number * wide, own, ticket.tag);
          gp_carry<Acc> prefix = gp__columns_before<Op>(words, ticket.tag, ticket.number - part, part, wide, start);
          if (prefix.has) s.cell[j][lane] = prefix.value;
          prefix.append(own, Op());
          if (part + 1 < a.parts) gp__publish(words, (2 * ticket.number + 1) * wide, prefix.value, ticket.tag);
        }
        __syncthreads();
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) {
          carry[j].value = s.cell[j][lane];
          carry[j].has = start.has || part > 0;
        }
      }
      gp_carry<Acc> running[V];
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        running[j] = carry[j];
        if (slot > 0) running[j].append(before[j], Op());
        carry[j].append(all[j], Op());
      }
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        if (i + k >= end) continue;
        Out *to = out + static_cast<long long>(i + k) * a.out_stride[0];
        Out y[V];
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j)
          if (c + j * apart < columns)
            y[j] = gp_convert<Acc, Out>()(
                gp__scan_step<EXCLUSIVE, Op>(running[j], Op::prepare(load(x[k].item[j], i + k))));
        if (whole && out_next == 1 && gp__misalignment(to, gp__vector_access_alignment<Out, OV>::value) == 0) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; j += OV) {
            gp__vector_access<Out, OV> group;
            GPUPRIMS__UNROLL
            for (int o = 0; o < OV; ++o) group.item[o] = y[j + o];
            group.template store<P::store>(to + j);
          }
        } else {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            if (c + j * apart < columns) to[j * out_next] = y[j];
        }
      }
    }
  }
}
