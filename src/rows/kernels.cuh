// rows/kernels.cuh - rows and columns of strided arrays: reductions, maps of elements and their row's reduction
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, rows/policy.h, rows/arguments.h, device/operators.cuh,
//   device/warp.cuh, device/vector_access.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh,
//   rows/row.cuh, rows/tile.cuh

// Writes the result of row r. STATE: as it is, by row, for the second launch.
template<class Op, class Acc, class Out, bool STATE>
GP_DEVICE void gp__row_result(const gp__rows_args &a, gp__u64 r, const Acc &sum) {
  if (STATE) gp__as<Acc>(a.states)[r] = sum;
  else {
    const Acc init = Op::prepare(gp__value_as<Acc>(a.init));
    const Acc result = !a.has_init ? sum : a.extent[0] == 0 ? init : Op()(init, sum);
    gp__as<Out>(a.out)[gp__row_offset(a, a.out_stride, r)] = gp_convert<Acc, Out>()(result);
  }
}
// value of lane 0 op ... op value of lane `lanes` - 1, in the first of each group of so many lanes.
template<class Acc, class Op> GP_DEVICE Acc gp__lanes_reduce(Acc value, Op op, unsigned lanes) {
  for (unsigned d = 1; d < lanes; d *= 2) value = op(value, gp_warp_shift_down(value, d));
  return value;
}

// The fold of windows begin .. end - 1 of a row by READERS threads, a warp or the block: the first has the result.
// Commutative operators: neighbours read neighbouring windows. Others: a thread reads consecutive ones, and each round
// is a tree.
template<class P, int READERS, class Op, class Acc, class T, class Load>
GP_DEVICE Acc gp__fold_row(const Load &load, const gp__row<T> &row, gp__u64 begin, gp__u64 end, unsigned reader,
    gp_tile_reduce_storage<P::threads, Acc> &storage) {
  const int K = P::vectors;
  Acc sum = Op::identity(), all = Op::identity();
  for (gp__u64 round = begin; round < end; round += K * READERS) {
    typename gp__row<T>::Window x[K];
    const gp__u64 first = round + (Op::commutative ? reader : reader * K);
    const unsigned step = Op::commutative ? READERS : 1;
    GP__EACH(k, K) row.template load<P::load>(first + k * step, x[k]);
    GP__EACH(k, K) row.template fold<Op>(load, first + k * step, x[k], sum);
    if (Op::commutative) continue;
    sum = READERS == 32 ? gp_warp_reduce(sum, Op()) : gp_tile_reduce<P::threads>(sum, Op(), storage);
    all = Op()(all, sum);
    sum = Op::identity();
    if (READERS > 32) __syncthreads();
  }
  if (!Op::commutative) return all;
  return READERS == 32 ? gp_warp_reduce(sum, Op()) : gp_tile_reduce<P::threads>(sum, Op(), storage);
}

// The same of a row of whole vectors, which lanes hold at once; it begins at `at`, or is not there.
template<class P, class Op, class Acc, class T, class Load>
GP_DEVICE Acc gp__fold_held(const Load &load, const T *at, unsigned vectors, unsigned lane, unsigned lanes) {
  const int K = P::vectors, V = gp__row<T>::V;
  const unsigned first = Op::commutative ? lane : lane * K, step = Op::commutative ? lanes : 1;
  gp__vector_access<T, V> x[K];
  GP__EACH(k, K) x[k].template load_if<P::load>(first + k * step < vectors, at + (first + k * step) * V);
  Acc sum = Op::identity();
  GP__EACH(k, K) {
    if (first + k * step >= vectors) continue;
    GP__EACH(j, V) sum = Op()(sum, Op::prepare(load(x[k].item[j], (first + k * step) * V + j)));
  }
  return gp__lanes_reduce(sum, Op(), lanes);
}

template<class P, int FORM, class In, class Acc, class Out> struct gp__rows_storage {
  gp_tile_reduce_storage<P::threads, Acc> reduce;
  gp__ticket ticket;
  Acc state;
  gp__rows_tile<P, FORM == GP__ROWS_TILE, In, Out> tile;
};

// The number of a block's part of all rows, or of all columns: a ticket, if several blocks share a row.
GP_DEVICE gp__ticket gp__part_ticket(const gp__rows_args &a, gp__ticket &shared) {
  const gp__ticket mine = {0, blockIdx.x};
  if (a.parts == 1) return mine;
  if (!threadIdx.x) shared = gp__draw(a.workspace, gridDim.x);
  __syncthreads();
  return shared;
}

// Reductions of rows. FORM: GP__ROWS_TILE, _LANES, _WARP or _BLOCK. If several blocks share a row, tickets number the
// parts, row after row, one a block. The block of a row's last part waits for those before: their tickets are lower, so
// their blocks run already, and they wait for none. Words carry the launch's tag, so none is ever cleared.
template<class P, int FORM, bool STATE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__rows_reduce(const gp__rows_args &a) {
  const int T = P::threads;
  typedef gp__rows_storage<P, FORM, In, Acc, In> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const gp__u64 warp = gp__u64(blockIdx.x) * (T / 32) + gp_warp();
  const gp__u64 warps = gp__u64(gridDim.x) * (T / 32);
  if (FORM == GP__ROWS_TILE) {
    gp__each_row_tile<false, In, In>(a, s.tile, [&](const gp__chunk &c, gp__u64 r, unsigned lane, bool there) {
      const Acc sum = gp__lanes_reduce(gp__fold_chunk<false, Op, Acc>(load, s.tile, c, 0), Op(), 1u << a.log2_lanes);
      if (lane == 0 && there) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
    });
  } else if (FORM == GP__ROWS_LANES) {
    const unsigned lanes = 1u << a.log2_lanes, lane = gp_lane() & (lanes - 1), held = 32u >> a.log2_lanes;
    const unsigned vectors = unsigned(a.extent[0]) / gp__row<In>::V;
    for (gp__u64 first = warp * held; first < a.rows; first += warps * held) {
      const gp__u64 r = first + (gp_lane() >> a.log2_lanes);
      const bool there = r < a.rows;
      const In *at = gp__as<const In>(a.in) + gp__row_offset(a, a.in_stride, there ? r : first);
      const Acc sum = gp__fold_held<P, Op, Acc>(load, at, there ? vectors : 0, lane, lanes);
      if (lane == 0 && there) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
    }
  } else if (FORM == GP__ROWS_WARP) {
    for (gp__u64 r = warp; r < a.rows; r += warps) {
      const gp__row<In> row = gp__row_of<In>(a, r);
      const gp__u64 windows = (row.skipped + row.length + row.V - 1) / row.V;
      const Acc sum = gp__fold_row<P, 32, Op, Acc>(load, row, 0, windows, gp_lane(), s.reduce);
      if (!gp_lane()) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
    }
  } else {
    const gp__ticket ticket = gp__part_ticket(a, s.ticket);
    for (gp__u64 r = ticket.number / a.parts; r < a.rows; r += gridDim.x) {
      const gp__u64 part = ticket.number % a.parts, begin = part * a.share, others = a.parts - 1;
      const gp__row<In> row = gp__row_of<In>(a, r);
      Acc sum = gp__fold_row<P, T, Op, Acc>(load, row, begin, begin + a.share, threadIdx.x, s.reduce);
      if (!threadIdx.x) {
        if (part < others) gp__publish(gp__words(a.workspace), ticket.number, sum, ticket.tag);
        else s.state = sum;
      }
      if (part < others) return;
      __syncthreads();
      if (others) {
        const gp__u64 each = (others + T - 1) / T, first = threadIdx.x * each;
        sum = Op::identity();
        for (gp__u64 i = first; i < first + each && i < others; ++i)
          sum = Op()(sum, gp__receive<Acc>(gp__words(a.workspace), r * a.parts + i, ticket.tag));
        sum = Op()(gp_tile_reduce<T>(sum, Op(), s.reduce), s.state);
      }
      if (!threadIdx.x) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
      if (others) return;
      __syncthreads();
    }
  }
}

// Reductions of rows whose neighbours are closer than their elements: columns of a matrix. Lanes lie across V rows
// each. `slots` threads behind each other share their length, and so may several blocks, as above.
template<class P, class Acc, int V> struct gp__columns_storage {
  Acc cell[V][P::threads];
  gp__ticket ticket;
};
template<class P, bool STATE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__columns_reduce(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__column_items(int(sizeof(In)), int(sizeof(Acc)));
  typedef gp__columns_storage<P, Acc, V> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const unsigned lanes = 1u << a.log2_lanes, slots = T >> a.log2_lanes;
  const unsigned lane = threadIdx.x & (lanes - 1), slot = threadIdx.x >> a.log2_lanes;
  const gp__u64 columns = a.extent[1], across = (columns + lanes * V - 1) / (lanes * V);
  const gp__u64 units = a.extent[2] * a.extent[3] * across;
  const gp__ticket ticket = gp__part_ticket(a, s.ticket);
  for (gp__u64 unit = ticket.number / a.parts; unit < units; unit += gridDim.x) {
    const gp__u64 outer = unit / across, part = ticket.number % a.parts, others = a.parts - 1;
    // A thread's rows: c, c + apart, ... of `outer`.
    const gp__u64 c = (unit - outer * across) * (lanes * V) + (a.vectors ? lane * V : lane);
    const unsigned apart = a.vectors ? 1 : lanes;
    const gp__u64 begin = part * a.share, end = a.extent[0] - begin < a.share ? a.extent[0] : begin + a.share;
    Acc sum[V];
    GP__EACH(j, V) sum[j] = Op::identity();
    if (c < columns) {
      // A thread reads every slots-th element, or consecutive ones if their order matters.
      const gp__u64 each = (end - begin + slots - 1) / slots, step = Op::commutative ? slots : 1;
      gp__u64 i = begin + (Op::commutative ? slot : slot * each);
      const gp__u64 stop = Op::commutative || i >= end || end - i < each ? end : i + each;
      const gp__i64 hop = gp__i64(step) * a.in_stride[0], next = apart * a.in_stride[1];
      const In *from = gp__as<const In>(a.in) + gp__row_offset(a, a.in_stride, outer * columns) +
          gp__i64(c) * a.in_stride[1] + gp__i64(i) * a.in_stride[0];
      const bool vectors = a.vectors && c + V <= columns;
      for (; i < stop; i += K * step, from += K * hop) {
        gp__vector_access<In, V> x[K];
        GP__EACH(k, K) {
          if (i + k * step >= stop) continue;
          if (vectors) x[k].template load<P::load>(from + k * hop, 0, false);
          else {
            GP__EACH(j, V)
              if (c + j * apart < columns) x[k].item[j] = from[k * hop + j * next];
          }
        }
        GP__EACH(k, K) {
          if (i + k * step >= stop) continue;
          GP__EACH(j, V)
            if (c + j * apart < columns) sum[j] = Op()(sum[j], Op::prepare(load(x[k].item[j], i + k * step)));
        }
      }
    }
    for (bool again = others && part == others;; again = false) {
      GP__EACH(j, V) s.cell[j][threadIdx.x] = sum[j];
      for (unsigned d = 1; d < slots; d *= 2) { // a tree of neighbours over the slots
        __syncthreads();
        if (slot % (2 * d) == 0 && slot + d < slots) {
          GP__EACH(j, V) s.cell[j][threadIdx.x] = Op()(s.cell[j][threadIdx.x], s.cell[j][threadIdx.x + d * lanes]);
        }
      }
      if (!again) break;
      // The block of the last part folds the others' results, and its own behind them: the last slot takes that.
      __syncthreads();
      Acc own[V];
      GP__EACH(j, V) own[j] = s.cell[j][lane];
      const gp__u64 each = (others + slots - 1) / slots, first = slot * each;
      GP__EACH(j, V) {
        sum[j] = Op::identity();
        for (gp__u64 i = first; i < first + each && i < others; ++i)
          sum[j] = Op()(sum[j],
              gp__receive<Acc>(gp__words(a.workspace), ((unit * a.parts + i) * V + j) * lanes + lane, ticket.tag));
        if (slot == slots - 1) sum[j] = Op()(sum[j], own[j]);
      }
      __syncthreads();
    }
    if (slot == 0) {
      GP__EACH(j, V) {
        if (part < others)
          gp__publish(gp__words(a.workspace), (ticket.number * V + j) * lanes + lane, s.cell[j][lane], ticket.tag);
        else if (c + j * apart < columns)
          gp__row_result<Op, Acc, Out, STATE>(a, outer * columns + c + j * apart, s.cell[j][lane]);
      }
    }
    if (others) return;
    __syncthreads();
  }
}

// out = map(x, the reduction of x's row). The row stays in shared memory, or in a block's registers.
template<class Map, class Acc> struct gp__map_slots {
  Acc state;
  template<class Slot> GP_DEVICE void operator()(Slot &x, unsigned) const { x.out = Map()(x.in, state); }
};
template<class P, int FORM, class Op, class Load, class In, class Acc, class Map, class Out>
GP_DEVICE void gp__rows_map(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors;
  typedef gp__rows_storage<P, FORM, In, Acc, Out> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  if (FORM == GP__ROWS_TILE) {
    gp__each_row_tile<true, In, Out>(a, s.tile, [&](const gp__chunk &c, gp__u64, unsigned lane, bool) {
      const Acc sum = gp__lanes_reduce(gp__fold_chunk<false, Op, Acc>(load, s.tile, c, 0), Op(), 1u << a.log2_lanes);
      gp__map_slots<Map, Acc> f = {gp_warp_broadcast(sum, int(gp_lane() - lane))};
      c.template each<true>(s.tile, f);
    });
    return;
  }
  const unsigned step = Op::commutative ? T : 1;
  const gp__u64 window = Op::commutative ? threadIdx.x : threadIdx.x * K;
  for (gp__u64 r = blockIdx.x; r < a.rows; r += gridDim.x) {
    const gp__row<In> row = gp__row_of<In>(a, r);
    typename gp__row<In>::Window x[K];
    Acc sum[1];
    sum[0] = Op::identity();
    GP__EACH(k, K) row.template load<P::load>(window + k * step, x[k]);
    GP__EACH(k, K) row.template fold<Op>(load, window + k * step, x[k], sum[0]);
    sum[0] = gp_tile_reduce<T>(sum[0], Op(), s.reduce);
    sum[0] = gp_tile_broadcast(sum[0], 0, s.state); // the next row's barrier comes before its state
    Out *to = gp__as<Out>(a.out) + gp__row_offset(a, a.out_stride, r);
    GP__EACH(k, K) row.template store<P::store, Map>(to, a.out_stride[0], window + k * step, x[k], sum);
  }
}

// The second launch of a map: states are in memory. Lines are rows, or, with COLUMNS, the elements of rows that are
// side by side, each with a state of its own.
template<class P, bool COLUMNS, class In, class Acc, class Map, class Out>
GP_DEVICE void gp__rows_apply(const gp__rows_args &a) {
  const int V = gp__row<In>::V, N = COLUMNS ? V : 1;
  gp__pdl_wait<P>();
  const gp__u64 lines = COLUMNS ? a.extent[0] * a.extent[2] * a.extent[3] : a.rows, step = gridDim.x * P::threads;
  for (gp__u64 n = gp__u64(blockIdx.x) * P::threads + threadIdx.x; n < lines * a.windows; n += step) {
    const gp__u64 l = n / a.windows, window = n - l * a.windows, r = COLUMNS ? l / a.extent[0] * a.extent[1] : l;
    const gp__i64 i = COLUMNS ? gp__i64(l % a.extent[0]) : 0;
    const gp__row<In> line(gp__as<const In>(a.in) + gp__row_offset(a, a.in_stride, r) + i * a.in_stride[0],
        a.extent[COLUMNS], a.in_stride[COLUMNS]);
    const Acc *states = gp__as<const Acc>(a.states) + r;
    typename gp__row<In>::Window x;
    Acc state[N];
    line.template load<P::load>(window, x);
    GP__EACH(j, N)
      if (!COLUMNS || line.first(window) + j < line.length) state[j] = states[COLUMNS ? line.first(window) + j : 0];
    line.template store<P::store, Map>(gp__as<Out>(a.out) + gp__row_offset(a, a.out_stride, r) + i * a.out_stride[0],
        a.out_stride[COLUMNS], window, x, state);
  }
}
