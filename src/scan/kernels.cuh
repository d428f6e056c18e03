// scan/kernels.cuh - scans in one pass by look-back, and in three sweeps
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, scan/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/inputs.cuh, device/tile_reduce.cuh, device/tile_copy.cuh,
//   device/tile_chunk.cuh, device/look_back.cuh, device/kernel.cuh

template<int THREADS, class Acc> struct gp__scan_storage {
  gp_tile_scan_storage<THREADS, Acc> scan;
  gp_carry<Acc> prefix; // fold of everything before the tile
  gp__ticket ticket;
};

template<class Op, class Acc, class Args> GP_DEVICE gp_carry<Acc> gp__start(const Args &a) {
  gp_carry<Acc> start;
  start.value = Op::prepare(a.init_device ? *gp__as<const Acc>(a.init_device) : gp__value_as<Acc>(a.init));
  start.has = a.has_init != 0;
  return start;
}

// A tile of a scan, in shared memory: common to all kernels of the family. A thread owns ITEMS consecutive elements.
// `from` and `to` are the tile's input and output bytes, the same if the sizes are equal.
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out> struct gp__scan_tile {
  static const int MAX = sizeof(In) > sizeof(Out) ? int(sizeof(In)) : int(sizeof(Out));
  static const int ITEMS = 16 * P::vectors >= MAX ? 16 * P::vectors / MAX : 1;
  static const int TILE = P::threads * ITEMS;
  static const int IN_BYTES = (TILE * int(sizeof(In)) + 127) / 128 * 128;
  static const int UNROLL = TILE * int(sizeof(In)) / 16 / P::threads > 0 ? TILE *int(sizeof(In)) / 16 / P::threads : 1;

  gp__u8 *from, *to; // shared memory
  gp__u64 index; // of the tile's first element
  gp__u64 items; // of the tile
  int end; // elements of this thread's chunk within the input

  GP_DEVICE gp__scan_tile(gp__u8 *shared, gp__u64 first, gp__u64 count)
    : from(shared), to(sizeof(In) == sizeof(Out) ? shared : shared + IN_BYTES), index(first),
      items(first >= count ? 0
              : count - first < TILE ? count - first
              : TILE) {
    const gp__u64 mine = gp__u64(threadIdx.x) * ITEMS;
    end = mine >= items ? 0 : items - mine >= ITEMS ? ITEMS : int(items - mine);
  }
  GP_DEVICE gp__u64 chunk_index() const { return index + threadIdx.x * ITEMS; }
  template<class Args, class F> GP_DEVICE void load(const Args &a, const gp__operands<F> &) const {
    const In *in = gp__as<const In>(a.in);
    gp__copy_to_shared<P::threads, UNROLL, P::load>(
        from, gp__as<const gp__u8>(in + index), unsigned(items * sizeof(In)), threadIdx.x);
  }
  template<class Args, class F, class Input>
  GP_DEVICE void load(const Args &a, const gp__operands<gp__described<F, Input>> &) const {
    const gp__described<F, Input> described(a);
    gp__make_tile<P::threads, P::load>(described.first, index, items, gp__as<In>(from), threadIdx.x);
  }
  GP_DEVICE void store(Out *out) const {
    gp__copy_from_shared<P::threads, P::store, 0, (P::vectors < 4 ? P::vectors : 4)>(
        gp__as<gp__u8>(out + index), to, unsigned(items * sizeof(Out)), threadIdx.x);
  }
  GP_DEVICE Acc fold() const {
    gp__u8 *chunk = from + threadIdx.x * (ITEMS * sizeof(In));
    if (!end) return Op::identity();
    gp__chunk_pad<ITEMS, In>(chunk, end);
    return gp__chunk_fold<ITEMS, Op, Load, Acc, In>(chunk, chunk_index());
  }
  GP_DEVICE void scan(const gp_carry<Acc> &carry) const {
    const gp__u8 *chunk = from + threadIdx.x * (ITEMS * sizeof(In));
    gp__u8 *result = to + threadIdx.x * (ITEMS * sizeof(Out));
    if (end) gp__chunk_scan<ITEMS, EXCLUSIVE, Op, Load, Out, In>(result, chunk, chunk_index(), carry);
  }
};

// One pass. Blocks take tiles by ticket; if no block has more than one, each draws once.
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_look_back(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, typename gp__operands<Load>::functor, In, Acc, Out> Tile;
  typedef gp__scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tiles = (n + Tile::TILE - 1) / Tile::TILE;
  const bool once = tiles <= gridDim.x;
  if (once && !gp__operands<Load>::described) gp__prefetch_tile<int(sizeof(In)), Tile::TILE>(a.in, n);
  for (;;) {
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, once ? gridDim.x : tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const Tile tile(shared, gp__u64(ticket.number) * Tile::TILE, n);
    tile.load(a, gp__operands<Load>());
    __syncthreads();
    gp_carry<Acc> within, warps;
    const Acc aggregate = gp__tile_scan<P::threads>(tile.fold(), Op(), within, warps, s.scan);
    if (!gp_warp()) {
      const gp__look_back<Acc, Op> look_back = {
          gp__words(a.workspace), tiles, ticket.tag, gp__start<Op, Acc>(a), false};
      if (!gp_lane()) look_back.publish_aggregate(ticket.number, aggregate);
      const gp_carry<Acc> prefix = look_back(ticket.number, aggregate);
      if (!gp_lane()) s.prefix = prefix;
    }
    __syncthreads();
    gp_carry<Acc> carry = s.prefix;
    if (warps.has) carry.append(warps.value, Op());
    if (within.has) carry.append(within.value, Op());
    tile.scan(carry);
    __syncthreads();
    tile.store(gp__as<Out>(a.out));
    if (once) return;
  }
}

// Back40's three sweeps. Each block has one contiguous range of tiles. The upsweep reduces it, the spine (one block)
// scans the blocks' totals, and the downsweep scans the range from the spine's prefix. The launches order the words, so
// they need no tags.
template<int TILE> struct gp__scan_share {
  gp__u64 first, end; // tiles of this block
  GP_DEVICE explicit gp__scan_share(gp__u64 n) {
    const gp__u64 tiles = (n + TILE - 1) / TILE, share = (tiles + gridDim.x - 1) / gridDim.x;
    first = blockIdx.x * share;
    end = first + share < tiles ? first + share : tiles;
  }
};
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_upsweep(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, typename gp__operands<Load>::functor, In, Acc, Out> Tile;
  typedef gp_tile_reduce_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  const gp__scan_share<Tile::TILE> share(n);
  Acc total = Op::identity();
  for (gp__u64 t = share.first; t < share.end; ++t) {
    const Tile tile(shared, t * Tile::TILE, n);
    tile.load(a, gp__operands<Load>());
    __syncthreads();
    const Acc sum = gp_tile_reduce<P::threads>(tile.fold(), Op(), s);
    total = t == share.first ? sum : Op()(total, sum); // thread 0 has the result
    __syncthreads();
  }
  if (!threadIdx.x) gp__publish(gp__words(a.workspace), blockIdx.x, total, 0);
}
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_spine(const gp__scan_args &a) {
  typedef gp_tile_scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  gp__word *words = gp__words(a.workspace);
  gp_carry<Acc> start = gp__start<Op, Acc>(a);
  for (unsigned first = 0; first < a.blocks; first += P::threads) {
    const unsigned i = first + threadIdx.x;
    gp_carry<Acc> within, warps, before = start;
    const Acc x = i < a.blocks ? gp__receive<Acc>(words, i, 0) : Op::identity();
    const Acc total = gp__tile_scan<P::threads>(x, Op(), within, warps, s);
    if (warps.has) before.append(warps.value, Op());
    if (within.has) before.append(within.value, Op());
    if (i < a.blocks && before.has) gp__publish(words, i, before.value, 0);
    start.append(total, Op());
    __syncthreads();
  }
}
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_downsweep(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, typename gp__operands<Load>::functor, In, Acc, Out> Tile;
  typedef gp_tile_scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  const gp__scan_share<Tile::TILE> share(n);
  gp_carry<Acc> prefix = gp__start<Op, Acc>(a);
  if (prefix.has || blockIdx.x > 0) { // block 0 may have no prefix
    prefix.value = gp__receive<Acc>(gp__words(a.workspace), blockIdx.x, 0);
    prefix.has = true;
  }
  for (gp__u64 t = share.first; t < share.end; ++t) {
    const Tile tile(shared, t * Tile::TILE, n);
    tile.load(a, gp__operands<Load>());
    __syncthreads();
    gp_carry<Acc> within, warps, carry = prefix;
    const Acc total = gp__tile_scan<P::threads>(tile.fold(), Op(), within, warps, s);
    prefix.append(total, Op());
    if (warps.has) carry.append(warps.value, Op());
    if (within.has) carry.append(within.value, Op());
    tile.scan(carry);
    __syncthreads();
    tile.store(gp__as<Out>(a.out));
    __syncthreads();
  }
}

// Few elements: one cluster, or one block, without a workspace. Its blocks take neighbouring tiles, round by round.
template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_cluster(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, typename gp__operands<Load>::functor, In, Acc, Out> Tile;
  typedef gp_tile_scan_storage<P::threads, Acc> Storage;
  typedef gp__cluster_values<Acc> Values;
  GP_SHARED(Storage, s);
  GP_SHARED(Values, values);
  GP_DYNAMIC_SHARED(shared);
  gp__cluster_start();
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), each = gp__u64(gridDim.x) * Tile::TILE;
  gp_carry<Acc> prefix = gp__start<Op, Acc>(a);
  gp__cluster_wait(); // all blocks have started
  for (gp__u64 round = 0; round * each < n; ++round) {
    const Tile tile(shared, round * each + blockIdx.x * Tile::TILE, n);
    tile.load(a, gp__operands<Load>());
    __syncthreads();
    gp_carry<Acc> within, warps;
    values.send(round, gp__tile_scan<P::threads>(tile.fold(), Op(), within, warps, s));
    gp__cluster_arrive();
    gp__cluster_wait();
    values.append(prefix, round, 0, blockIdx.x, Op());
    gp_carry<Acc> carry = prefix;
    if (n - round * each > each) values.append(prefix, round, blockIdx.x, gridDim.x, Op());
    if (warps.has) carry.append(warps.value, Op());
    if (within.has) carry.append(within.value, Op());
    tile.scan(carry);
    __syncthreads();
    tile.store(gp__as<Out>(a.out));
    __syncthreads();
  }
}
