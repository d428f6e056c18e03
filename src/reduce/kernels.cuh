// reduce/kernels.cuh - reduce
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, reduce/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/inputs.cuh, device/tile_reduce.cuh,
//   device/tile_chunk.cuh, device/look_back.cuh, device/kernel.cuh

template<int THREADS, class Acc> struct gp__reduce_storage {
  gp_tile_reduce_storage<THREADS, Acc> reduce;
  gp__ticket ticket;
};

template<class Op, class Acc, class Out> GP_DEVICE void gp__reduce_result(const gp__reduce_args &a, const Acc &sum) {
  const Acc init = Op::prepare(gp__value_as<Acc>(a.init));
  const Acc result = !a.has_init ? sum : gp__count(a) == 0 ? init : Op()(init, sum);
  *gp__as<Out>(a.out) = gp_convert<Acc, Out>()(result);
}

// Last step of a one-launch reduction: one block waits for the partial results of all others and folds them in order.
template<int THREADS, class Op, class Acc, class Out>
GP_DEVICE void gp__reduce_finish(
    const gp__reduce_args &a, gp__u64 partials, gp__u64 tag, gp__reduce_storage<THREADS, Acc> &s) {
  const gp__word *words = gp__words(a.workspace);
  const gp__u64 share = (partials + THREADS - 1) / THREADS, first = threadIdx.x * share;
  const gp__u64 end = first + share < partials ? first + share : partials;
  Acc sum = Op::identity();
  for (gp__u64 i = first; i < end; ++i) sum = Op()(sum, gp__receive<Acc>(words, i, tag));
  sum = gp_tile_reduce<THREADS>(sum, Op(), s.reduce);
  if (!threadIdx.x) gp__reduce_result<Op, Acc, Out>(a, sum);
}

// Elements in one access of a reduction in order or by tiles.
template<class In> struct gp__reduce_input { static const int V = 16 % sizeof(In) == 0 ? 16 / int(sizeof(In)) : 1; };

// One thread folds the elements first .. first + ITEMS - 1 of in[0 .. n) that exist.
template<class P, class Op, class Load, class In, class Acc>
GP_DEVICE Acc gp__reduce_consecutive(const Load &load, const In *in, gp__u64 first, gp__u64 n, unsigned misaligned) {
  const int K = P::vectors, V = gp__reduce_input<In>::V;
  Acc sum = Op::identity();
  if (first + K * V <= n) {
    gp__vector_access<In, V> p[K];
    GP__EACH(k, K)
      gp__load_operand<P::load>(p[k], load, in, first + k * V, misaligned, first > 0 && first + (K + 1) * V <= n);
    GP__EACH(k, K)
      GP__EACH(j, V) sum = gp__append(Op(), sum, Op::prepare(load(p[k].item[j], first + k * V + j)));
  } else
    for (gp__u64 i = first; i < n; ++i) sum = Op()(sum, Op::prepare(gp__loaded(load, in, i)));
  return sum;
}

// Folds a thread's packs i, i + stride, ... below `packs`, all of PACKS if WHOLE. One trip to memory: all loads come
// first, of pack i again where there is none.
template<bool WHOLE, int PACKS, class P, class Op, class Pack, class Load, class Acc>
GP_DEVICE void gp__reduce_packs(
    const Load &load, const gp_vector *base, gp__u64 head, gp__u64 i, gp__u64 stride, gp__u64 packs, Acc &sum) {
  Pack p[PACKS];
  GP__EACH(k, PACKS) {
    const gp__u64 at = WHOLE || i + k * stride < packs ? i + k * stride : i;
    GP__EACH(l, Pack::vectors) p[k].vector[l] = gp__load_vector<P::load>(base + at * Pack::vectors + l);
  }
  GP__EACH(k, PACKS) {
    const gp__u64 at = WHOLE || i + k * stride < packs ? i + k * stride : i;
    Acc with = sum; // computed in any case: a branch would hold back its load
    GP__EACH(j, Pack::items)
      with = gp__append(Op(), with, Op::prepare(load(p[k].item[j], head + at * Pack::items + j)));
    if (WHOLE || i + k * stride < packs) sum = with;
  }
}

// The share of a block of a commutative reduction, strided: an array by its 16-byte vectors, or a described input.
template<class P, class Op, class Acc, class In, class Load>
GP_DEVICE Acc gp__reduce_strided(const Load &load, const In *in, gp__u64 n, unsigned misaligned) {
  const int T = P::threads, K = P::vectors;
  Acc sum = Op::identity();
  typedef gp__vec_group<In> Pack;
  const int PACKS = K / Pack::vectors > 0 ? K / Pack::vectors : 1, ITEMS = Pack::items;
  if (misaligned % gp__common_with_vector(int(sizeof(In))) == 0) {
    unsigned to_boundary = 0; // elements
    while (((misaligned + to_boundary * sizeof(In)) & 15u) != 0) ++to_boundary;
    const gp__u64 head = to_boundary < n ? to_boundary : n, packs = (n - head) / ITEMS, tail = head + packs * ITEMS;
    const gp__u64 stride = gp__u64(gridDim.x) * T;
    const gp_vector *base = gp__as<const gp_vector>(in + head);
    gp__u64 i = gp__u64(blockIdx.x) * T + threadIdx.x;
    for (; i + (PACKS - 1) * stride < packs; i += PACKS * stride)
      gp__reduce_packs<true, PACKS, P, Op, Pack>(load, base, head, i, stride, packs, sum);
    if (i < packs) gp__reduce_packs<false, PACKS, P, Op, Pack>(load, base, head, i, stride, packs, sum);
    const gp__u64 edge = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head; // before or behind the packs
    if (!blockIdx.x && edge < n) sum = Op()(sum, Op::prepare(load(in[edge], edge)));
  } else {
    const gp__u64 stride = gp__u64(gridDim.x) * T;
    GP__UNROLL_BY(4)
    for (gp__u64 i = gp__u64(blockIdx.x) * T + threadIdx.x; i < n; i += stride)
      sum = gp__append(Op(), sum, Op::prepare(load(in[i], i)));
  }
  return sum;
}
// Folds the runs of V elements from r on of which a thread has K, and returns where it ends.
template<bool ALIGNED, int K, int V, class P, class Op, class In, class Acc, class Load>
GP_DEVICE gp__u64 gp__reduce_runs(const Load &load, gp__u64 r, gp__u64 stride, gp__u64 runs, Acc &sum) {
  for (; r + (K - 1) * stride < runs; r += K * stride) {
    In x[K][V];
    GP__EACH(k, K)
      if (ALIGNED) load.first.template load_whole<P::load>((r + k * stride) * V, x[k]);
      else load.first.template load<P::load>((r + k * stride) * V, x[k]);
    GP__EACH(k, K)
      GP__EACH(j, V) sum = gp__append(Op(), sum, Op::prepare(load(x[k][j], (r + k * stride) * V + j)));
  }
  return r;
}
template<class P, class Op, class Acc, class In, class F, class Input>
GP_DEVICE Acc gp__reduce_strided(const gp__described<F, Input> &load, const In *, gp__u64 n, unsigned) {
  const int T = P::threads, WHOLE = gp__reduce_input<In>::V;
  const int V = Input::apart ? 1 : WHOLE, K = P::vectors * WHOLE / V;
  const gp__u64 runs = n / V, stride = gp__u64(gridDim.x) * T;
  gp__u64 r = gp__u64(blockIdx.x) * T + threadIdx.x;
  Acc sum = Op::identity();
  if (load.first.template aligned<V>()) r = gp__reduce_runs<true, K, V, P, Op, In>(load, r, stride, runs, sum);
  else r = gp__reduce_runs<false, K, V, P, Op, In>(load, r, stride, runs, sum);
  for (; r < runs; r += stride) {
    In x[V];
    load.first.template load<P::load>(r * V, x);
    GP__EACH(j, V) sum = gp__append(Op(), sum, Op::prepare(load(x[j], r * V + j)));
  }
  const gp__u64 tail = runs * V + threadIdx.x;
  if (!blockIdx.x && tail < n) sum = Op()(sum, Op::prepare(load(load.first.at(tail), tail)));
  return sum;
}

// Each block reduces one share; the last block to start folds all partial results. Commutative operators: shares are
// strided, so neighbouring blocks read neighbouring vectors. Others: each warp has one contiguous range, and each of
// its threads consecutive elements.
template<class P, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__reduce_even_share(const gp__reduce_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__reduce_input<In>::V;
  typedef gp__reduce_storage<T, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  if (!threadIdx.x && gridDim.x > 1) s.ticket = gp__draw(a.workspace, gridDim.x);
  const gp__u64 n = gp__count(a);
  const In *in = gp__as<const In>(a.in);
  const Load load(a);
  const unsigned misaligned = gp__misalignment(in, 16);
  Acc sum = Op::identity();
  if (Op::commutative) {
    sum = gp__reduce_strided<P, Op, Acc, In>(load, in, n, misaligned);
  } else {
    const int ITEMS = K * V;
    const gp__u64 warps = gp__u64(gridDim.x) * (T / 32), tiles = (n + ITEMS * 32 - 1) / (ITEMS * 32);
    const gp__u64 share = (tiles + warps - 1) / warps, mine = gp__u64(blockIdx.x) * (T / 32) + gp_warp();
    const gp__u64 end = (mine + 1) * share < tiles ? (mine + 1) * share : tiles;
    for (gp__u64 tile = mine * share; tile < end; ++tile) {
      const Acc x =
          gp__reduce_consecutive<P, Op, Load, In, Acc>(load, in, (tile * 32 + gp_lane()) * ITEMS, n, misaligned);
      sum = Op()(sum, gp_warp_reduce(x, Op())); // lane 0 has the result
    }
    sum = gp_warp_broadcast(sum, 0);
    if (gp_lane() != 0) sum = Op::identity();
  }
  sum = gp_tile_reduce<T>(sum, Op(), s.reduce); // its barrier makes the ticket visible to all
  if (gridDim.x > 1) {
    if (!threadIdx.x) gp__publish(gp__words(a.workspace), blockIdx.x, sum, s.ticket.tag);
    if (s.ticket.number != gridDim.x - 1) return;
    __syncthreads();
    gp__reduce_finish<T, Op, Acc, Out>(a, gridDim.x, s.ticket.tag, s);
  } else if (!threadIdx.x) gp__reduce_result<Op, Acc, Out>(a, sum);
}

// Tiles by ticket, one partial result a tile. The association depends on the tile's shape alone, not on the grid or on
// which block took a tile: GP_REPRODUCIBLE runs here, with a pinned shape.
template<class P, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__reduce_stealing(const gp__reduce_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__reduce_input<In>::V, ROUND = T * K * V;
  typedef gp__reduce_storage<T, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tile_items = a.rounds * ROUND, tiles = (n + tile_items - 1) / tile_items;
  const In *in = gp__as<const In>(a.in);
  const Load load(a);
  const unsigned misaligned = gp__misalignment(in, 16);
  for (;;) {
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) {
      if (ticket.number != tiles + gridDim.x - 1) return;
      gp__reduce_finish<T, Op, Acc, Out>(a, tiles, ticket.tag, s);
      return;
    }
    const gp__u64 first = ticket.number * tile_items, end = first + tile_items < n ? first + tile_items : n;
    Acc sum = Op::identity(), tile = Op::identity();
    for (gp__u64 round = first; round < end; round += ROUND) {
      if (Op::commutative) {
        gp__vector_access<In, V> p[K];
        GP__EACH(k, K) {
          const gp__u64 i = round + gp__u64(k * T + threadIdx.x) * V;
          if (i + V <= n) gp__load_operand<P::load>(p[k], load, in, i, misaligned, i >= V && i + 2 * V <= n);
        }
        GP__EACH(k, K) {
          const gp__u64 i = round + gp__u64(k * T + threadIdx.x) * V;
          if (i + V <= n) {
            GP__EACH(j, V) sum = Op()(sum, Op::prepare(load(p[k].item[j], i + j)));
          } else
            for (gp__u64 j = i; j < n; ++j) sum = Op()(sum, Op::prepare(gp__loaded(load, in, j)));
        }
      } else {
        const Acc x =
            gp__reduce_consecutive<P, Op, Load, In, Acc>(load, in, round + threadIdx.x * (K * V), n, misaligned);
        const Acc r = gp_tile_reduce<T>(x, Op(), s.reduce);
        tile = round == first ? r : Op()(tile, r); // thread 0 counts
        __syncthreads();
      }
    }
    if (Op::commutative) tile = gp_tile_reduce<T>(sum, Op(), s.reduce);
    if (!threadIdx.x) gp__publish(gp__words(a.workspace), ticket.number, tile, ticket.tag);
  }
}
