// rows/kernels.cuh - rows and columns of strided arrays: reductions, maps of elements and their row's reduction
// uses: device/vocabulary.cuh, device/machine.cuh, core/shape.h, rows/policy.h, rows/arguments.h, device/operators.cuh,
//   device/warp.cuh, device/vector_access.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh

// Elements from the first row's beginning to that of row r: dimensions 1 to 3.
GP_DEVICE long long gp__row_offset(const gp__rows_args &a, const long long (&stride)[4], gp__u64 r) {
  long long at = 0;
  if (a.extent[2] * a.extent[3] != 1) {
    const gp__u64 q = r / a.extent[1], s = a.extent[3] == 1 ? 0 : q / a.extent[2];
    r -= q * a.extent[1];
    at = static_cast<long long>(q - s * a.extent[2]) * stride[2] + static_cast<long long>(s) * stride[3];
  }
  return at + static_cast<long long>(r) * stride[1];
}

// A line of elements. A window is V of them. If they are contiguous, it begins at a multiple of 16 bytes, and the first
// and the last may be partly outside.
template <class T> struct gp__row {
  static const int V = gp__vector_items(int(sizeof(T)));
  typedef gp__vector_access<T, V> Window;
  const T *at;
  gp__u64 length;
  long long stride;
  unsigned skipped; // elements from the first window's beginning to the row's
  bool dense;
  GP_DEVICE gp__row() : at(nullptr), length(0), stride(0), skipped(0), dense(false) {}
  GP_DEVICE gp__row(const T *at_, gp__u64 length_, long long stride_) : at(at_), length(length_), stride(stride_) {
    const unsigned misaligned = gp__misalignment(at, 16);
    dense = stride == 1 && misaligned % sizeof(T) == 0;
    skipped = V > 1 && dense ? misaligned / unsigned(sizeof(T)) : 0;
  }
  // The window's first element; before the row it is a number above any length.
  GP_DEVICE gp__u64 first(gp__u64 window) const { return window * V - skipped; }
  GP_DEVICE bool is_inner(gp__u64 i) const { return i < length && i + V <= length; }
  template <int CACHE> GP_DEVICE void load(gp__u64 window, Window &x) const {
    const gp__u64 i = first(window);
    if (dense && is_inner(i)) x.template load<CACHE>(at + i, 0, false);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j)
        if (i + j < length) x.item[j] = at[static_cast<long long>(i + j) * stride];
    }
  }
  template <class Op, class Load, class Acc>
  GP_DEVICE void fold(const Load &load, gp__u64 window, const Window &x, Acc &sum) const {
    const gp__u64 i = first(window);
    if (is_inner(i)) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) sum = Op()(sum, Op::prepare(load(x.item[j], i + j)));
    } else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j)
        if (i + j < length) sum = Op()(sum, Op::prepare(load(x.item[j], i + j)));
    }
  }
  // to[i] = map(element i, its state) for the elements of the window. states: V of them, or one.
  template <int CACHE, class Map, class Out, class S, int N>
  GP_DEVICE void store(Out *to, long long to_stride, gp__u64 window, const Window &x, const S (&states)[N]) const {
    const int OV = 16 % sizeof(Out) ? 1 : V * sizeof(Out) > 16 ? 16 / int(sizeof(Out)) : V;
    typedef gp__vector_access<Out, OV> Group;
    const gp__u64 i = first(window);
    if (to_stride == 1 && is_inner(i) && gp__misalignment(to + i, gp__vector_access_alignment<Out, OV>::value) == 0) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; j += OV) {
        Group y;
        GPUPRIMS__UNROLL
        for (int k = 0; k < OV; ++k) y.item[k] = Map()(x.item[j + k], states[N > 1 ? j + k : 0]);
        y.template store<CACHE>(to + i + j);
      }
    } else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j)
        if (i + j < length) to[static_cast<long long>(i + j) * to_stride] = Map()(x.item[j], states[N > 1 ? j : 0]);
    }
  }
};
template <class T> GP_DEVICE gp__row<T> gp__row_of(const gp__rows_args &a, gp__u64 r) {
  return r < a.rows
      ? gp__row<T>(static_cast<const T *>(a.in) + gp__row_offset(a, a.in_stride, r), a.extent[0], a.in_stride[0])
      : gp__row<T>();
}

// Writes the result of row r. STATE: as it is, by row, for the second launch.
template <class Op, class Acc, class Out, bool STATE>
GP_DEVICE void gp__row_result(const gp__rows_args &a, gp__u64 r, const Acc &sum) {
  if (STATE) static_cast<Acc *>(a.states)[r] = sum;
  else {
    const Acc init = Op::prepare(gp__value_as<Acc>(a.init));
    const Acc result = !a.has_init ? sum : a.extent[0] == 0 ? init : Op()(init, sum);
    static_cast<Out *>(a.out)[gp__row_offset(a, a.out_stride, r)] = gp_convert<Acc, Out>()(result);
  }
}
// value of lane 0 op ... op value of lane `lanes` - 1, in the first of each group of so many lanes.
template <class Acc, class Op> GP_DEVICE Acc gp__lanes_reduce(Acc value, Op op, unsigned lanes) {
  for (unsigned d = 1; d < lanes; d *= 2) value = op(value, gp_warp_shift_down(value, d));
  return value;
}

// The fold of windows begin .. end - 1 of a row by READERS threads, a warp or the block: the first has the result.
// Commutative operators: neighbours read neighbouring windows. Others: a thread reads consecutive ones, and each round
// is a tree.
template <class P, int READERS, class Op, class Acc, class T, class Load>
GP_DEVICE Acc gp__fold_row(const Load &load, const gp__row<T> &row, gp__u64 begin, gp__u64 end, unsigned reader,
                           gp_tile_reduce_storage<P::threads, Acc> &storage) {
  const int K = P::vectors;
  Acc sum = Op::identity(), all = Op::identity();
  for (gp__u64 round = begin; round < end; round += K * READERS) {
    typename gp__row<T>::Window x[K];
    const gp__u64 first = round + (Op::commutative ? reader : reader * K);
    const unsigned step = Op::commutative ? READERS : 1;
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) row.template load<P::load>(first + k * step, x[k]);
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) row.template fold<Op>(load, first + k * step, x[k], sum);
    if (Op::commutative) continue;
    sum = READERS == 32 ? gp_warp_reduce(sum, Op()) : gp_tile_reduce<P::threads>(sum, Op(), storage);
    all = Op()(all, sum);
    sum = Op::identity();
    if (READERS > 32) __syncthreads();
  }
  if (!Op::commutative) return all;
  return READERS == 32 ? gp_warp_reduce(sum, Op()) : gp_tile_reduce<P::threads>(sum, Op(), storage);
}

template <class P, class Acc> struct gp__rows_storage {
  gp_tile_reduce_storage<P::threads, Acc> reduce;
  gp__ticket ticket;
  Acc state;
};

// The number of a block's part of all rows, or of all columns: a ticket, if several blocks share a row.
GP_DEVICE gp__ticket gp__part_ticket(const gp__rows_args &a, gp__ticket &shared) {
  const gp__ticket mine = {0, blockIdx.x};
  if (a.parts == 1) return mine;
  if (threadIdx.x == 0) shared = gp__draw(a.workspace, gridDim.x);
  __syncthreads();
  return shared;
}

// Lanes load the windows of K groups of rows, all in flight.
template <class P, class In>
GP_DEVICE void gp__load_groups(const gp__rows_args &a, gp__u64 first, unsigned groups, unsigned group, unsigned lane,
                               gp__row<In> (&row)[P::vectors], typename gp__row<In>::Window (&x)[P::vectors]) {
  GPUPRIMS__UNROLL
  for (int k = 0; k < P::vectors; ++k) {
    row[k] = gp__row_of<In>(a, first + k * groups + group);
    row[k].template load<P::load>(lane, x[k]);
  }
}

// Reductions of rows. FORM: GP__ROWS_LANES, _WARP or _BLOCK. If several blocks share a row, tickets number the parts,
// row after row, one a block. The block of a row's last part waits for those before: their tickets are lower, so their
// blocks run already, and they wait for none. Words carry the launch's tag, so none is ever cleared.
template <class P, int FORM, bool STATE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__rows_reduce(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors;
  typedef gp__rows_storage<P, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
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
        const gp__u64 r = first + k * groups + group;
        Acc sum = Op::identity();
        row[k].template fold<Op>(load, lane, x[k], sum);
        sum = gp__lanes_reduce(sum, Op(), lanes);
        if (lane == 0 && r < a.rows) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
      }
    }
  } else if (FORM == GP__ROWS_WARP) {
    for (gp__u64 r = warp; r < a.rows; r += warps) {
      const gp__row<In> row = gp__row_of<In>(a, r);
      const gp__u64 windows = (row.skipped + row.length + row.V - 1) / row.V;
      const Acc sum = gp__fold_row<P, 32, Op, Acc>(load, row, 0, windows, gp_lane(), s.reduce);
      if (gp_lane() == 0) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
    }
  } else {
    const gp__ticket ticket = gp__part_ticket(a, s.ticket);
    for (gp__u64 r = ticket.number / a.parts; r < a.rows; r += gridDim.x) {
      const gp__u64 part = ticket.number % a.parts, begin = part * a.share, others = a.parts - 1;
      const gp__row<In> row = gp__row_of<In>(a, r);
      Acc sum = gp__fold_row<P, T, Op, Acc>(load, row, begin, begin + a.share, threadIdx.x, s.reduce);
      if (threadIdx.x == 0) {
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
      if (threadIdx.x == 0) gp__row_result<Op, Acc, Out, STATE>(a, r, sum);
      if (others) return;
      __syncthreads();
    }
  }
}

// Reductions of rows whose neighbours are closer than their elements: columns of a matrix. Lanes lie across V rows
// each. `slots` threads behind each other share their length, and so may several blocks, as above.
template <class P, class Acc, int V> struct gp__columns_storage {
  Acc cell[V][P::threads];
  gp__ticket ticket;
};
template <class P, bool STATE, class Op, class Load, class In, class Acc, class Out>
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
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) sum[j] = Op::identity();
    if (c < columns) {
      // A thread reads every slots-th element, or consecutive ones if their order matters.
      const gp__u64 each = (end - begin + slots - 1) / slots, step = Op::commutative ? slots : 1;
      gp__u64 i = begin + (Op::commutative ? slot : slot * each);
      const gp__u64 stop = Op::commutative || i >= end || end - i < each ? end : i + each;
      const long long hop = static_cast<long long>(step) * a.in_stride[0], next = apart * a.in_stride[1];
      const In *from = static_cast<const In *>(a.in) + gp__row_offset(a, a.in_stride, outer * columns) +
          static_cast<long long>(c) * a.in_stride[1] + static_cast<long long>(i) * a.in_stride[0];
      const bool vectors = a.vectors && c + V <= columns;
      for (; i < stop; i += K * step, from += K * hop) {
        gp__vector_access<In, V> x[K];
        GPUPRIMS__UNROLL
        for (int k = 0; k < K; ++k) {
          if (i + k * step >= stop) continue;
          if (vectors) x[k].template load<P::load>(from + k * hop, 0, false);
          else {
            GPUPRIMS__UNROLL
            for (int j = 0; j < V; ++j)
              if (c + j * apart < columns) x[k].item[j] = from[k * hop + j * next];
          }
        }
        GPUPRIMS__UNROLL
        for (int k = 0; k < K; ++k) {
          if (i + k * step >= stop) continue;
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            if (c + j * apart < columns) sum[j] = Op()(sum[j], Op::prepare(load(x[k].item[j], i + k * step)));
        }
      }
    }
    for (bool again = others && part == others;; again = false) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) s.cell[j][threadIdx.x] = sum[j];
      for (unsigned d = 1; d < slots; d *= 2) { // a tree of neighbours over the slots
        __syncthreads();
        if (slot % (2 * d) == 0 && slot + d < slots) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            s.cell[j][threadIdx.x] = Op()(s.cell[j][threadIdx.x], s.cell[j][threadIdx.x + d * lanes]);
        }
      }
      if (!again) break;
      // The block of the last part folds the others' results, and its own behind them: the last slot takes that.
      __syncthreads();
      Acc own[V];
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) own[j] = s.cell[j][lane];
      const gp__u64 each = (others + slots - 1) / slots, first = slot * each;
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        sum[j] = Op::identity();
        for (gp__u64 i = first; i < first + each && i < others; ++i)
          sum[j] =
              Op()(sum[j],
                   gp__receive<Acc>(gp__words(a.workspace), ((unit * a.parts + i) * V + j) * lanes + lane, ticket.tag));
        if (slot == slots - 1) sum[j] = Op()(sum[j], own[j]);
      }
      __syncthreads();
    }
    if (slot == 0) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
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

// out = map(x, the reduction of x's row): the row stays in registers between its reduction and the map.
template <class P, int FORM, class Op, class Load, class In, class Acc, class Map, class Out>
GP_DEVICE void gp__rows_map(const gp__rows_args &a) {
  const int T = P::threads, K = P::vectors;
  typedef gp__rows_storage<P, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  Out *out = static_cast<Out *>(a.out);
  const bool block = FORM == GP__ROWS_BLOCK;
  const int R = FORM == GP__ROWS_LANES ? K : 1; // rows of a lane at once: K with a window each, or one with K of them
  const unsigned log2 = FORM == GP__ROWS_LANES ? a.log2_lanes : 5, groups = 32 >> log2, group = gp_lane() >> log2;
  const unsigned readers = block ? T : 1u << log2, reader = block ? threadIdx.x : gp_lane() & (readers - 1);
  const gp__u64 team = block ? blockIdx.x : static_cast<gp__u64>(blockIdx.x) * (T / 32) + gp_warp();
  const gp__u64 teams = block ? gridDim.x : static_cast<gp__u64>(gridDim.x) * (T / 32);
  const unsigned step = R > 1 ? 0 : Op::commutative ? readers : 1;
  const gp__u64 window = R > 1 || Op::commutative ? reader : reader * K;
  for (gp__u64 first = team * (groups * R); first < a.rows; first += teams * (groups * R)) {
    gp__row<In> row[R];
    typename gp__row<In>::Window x[K];
    Acc state[R][1];
    GPUPRIMS__UNROLL
    for (int k = 0; k < R; ++k) {
      row[k] = gp__row_of<In>(a, first + k * groups + group);
      state[k][0] = Op::identity();
    }
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) row[k % R].template load<P::load>(window + k * step, x[k]);
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) row[k % R].template fold<Op>(load, window + k * step, x[k], state[k % R][0]);
    GPUPRIMS__UNROLL
    for (int k = 0; k < R; ++k) {
      Acc &sum = state[k][0];
      if (block) {
        sum = gp_tile_reduce<T>(sum, Op(), s.reduce);
        sum = gp_tile_broadcast(sum, 0, s.state); // the next row's barrier comes before its state
      } else sum = gp_warp_broadcast(gp__lanes_reduce(sum, Op(), readers), int(gp_lane() & ~(readers - 1)));
    }
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k)
      row[k % R].template store<P::store, Map>(out + gp__row_offset(a, a.out_stride, first + k % R * groups + group),
                                               a.out_stride[0], window + k * step, x[k], state[k % R]);
  }
}

// The second launch of a map: states are in memory. Lines are rows, or, with COLUMNS, the elements of rows that are
// side by side, each with a state of its own.
template <class P, bool COLUMNS, class In, class Acc, class Map, class Out>
GP_DEVICE void gp__rows_apply(const gp__rows_args &a) {
  const int V = gp__row<In>::V, N = COLUMNS ? V : 1;
  gp__pdl_wait<P>();
  const gp__u64 lines = COLUMNS ? a.extent[0] * a.extent[2] * a.extent[3] : a.rows, step = gridDim.x * P::threads;
  for (gp__u64 n = static_cast<gp__u64>(blockIdx.x) * P::threads + threadIdx.x; n < lines * a.windows; n += step) {
    const gp__u64 l = n / a.windows, window = n - l * a.windows, r = COLUMNS ? l / a.extent[0] * a.extent[1] : l;
    const long long i = COLUMNS ? static_cast<long long>(l % a.extent[0]) : 0;
    const gp__row<In> line(static_cast<const In *>(a.in) + gp__row_offset(a, a.in_stride, r) + i * a.in_stride[0],
                           a.extent[COLUMNS], a.in_stride[COLUMNS]);
    const Acc *states = static_cast<const Acc *>(a.states) + r;
    typename gp__row<In>::Window x;
    Acc state[N];
    line.template load<P::load>(window, x);
    GPUPRIMS__UNROLL
    for (int j = 0; j < N; ++j)
      if (!COLUMNS || line.first(window) + j < line.length) state[j] = states[COLUMNS ? line.first(window) + j : 0];
    line.template store<P::store, Map>(static_cast<Out *>(a.out) + gp__row_offset(a, a.out_stride, r) +
                                           i * a.out_stride[0],
                                       a.out_stride[COLUMNS], window, x, state);
  }
}
