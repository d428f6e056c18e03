// batch/kernels.cuh - copies of many buffers
// uses: api/policy.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, scan/policy.h, batch/policy.h,
//   batch/arguments.h, device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/tile_search.cuh,
//   device/look_back.cuh, device/kernel.cuh

// A buffer's windows are the 16-byte vectors, aligned in the destination, that hold its bytes. Blocks draw tiles of
// consecutive buffers. A block scans the windows of its tile's buffers and copies the first of these windows, up to
// AT_ONCE. A look-back over the tiles numbers the windows that are left. When no tile is left, blocks draw equal shares
// of those windows. A block finds the tile of a share by search, and scans the tile again. So neither many small
// buffers nor a large one keeps a block busy while others are idle. In a block, warps draw pieces of 32 * vectors
// windows.
//
// Why all waits end: a block waits for words of tiles only, and draws a share only after every tile was drawn. Tiles
// publish their words before and during the look-back, which waits for lower tickets alone.
struct gp__batch_window {
  const unsigned char *in; // source of the window's first byte; may precede the buffer
  unsigned char *out;      // a multiple of 16
  unsigned from, to;       // bytes that belong to the buffer
  bool inner;              // whole, and so are the aligned vectors that hold its source

  GP_DEVICE gp__batch_window() : in(nullptr), out(nullptr), from(0), to(0), inner(false) {}
  GP_DEVICE gp__batch_window(const unsigned char *source, unsigned char *destination, gp__u64 size, gp__u64 window) {
    const unsigned skipped = gp__misalignment(destination, 16);
    const gp__u64 at = window * 16, end = skipped + size; // from the boundary before the destination
    in = source + at - skipped;
    out = destination + at - skipped;
    from = window == 0 ? skipped : 0;
    to = end - at < 16 ? static_cast<unsigned>(end - at) : 16;
    const unsigned offset = gp__misalignment(in, 16);
    inner = at >= skipped + offset && at + (offset ? 32 - offset : 16) <= end;
  }
  template <int LOAD> GP_DEVICE void load(gp_vector &v) const {
    const unsigned offset = gp__misalignment(in, 16);
    if (inner && offset == 0) v = gp__load_vector<LOAD>(in);
    else if (inner)
      v = gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(in - offset), gp__load_vector<GP_CACHE_ALL>(in - offset + 16),
                            offset);
    else {
      GPUPRIMS__UNROLL
      for (unsigned w = 0; w < 4; ++w) {
        v.word[w] = 0;
        if (offset % 4 == 0 && has_word(w)) v.word[w] = *reinterpret_cast<const gp__u32 *>(in + 4 * w);
        else {
          GPUPRIMS__UNROLL
          for (unsigned i = 4 * w; i < 4 * w + 4; ++i)
            if (i >= from && i < to) v.word[w] |= static_cast<gp__u32>(in[i]) << (8 * (i % 4));
        }
      }
    }
  }
  template <int STORE> GP_DEVICE void store(const gp_vector &v) const {
    if (to - from == 16) {
      gp__store_vector<STORE>(out, v);
      return;
    }
    GPUPRIMS__UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      if (has_word(w)) *reinterpret_cast<gp__u32 *>(out + 4 * w) = v.word[w];
      else {
        GPUPRIMS__UNROLL
        for (unsigned i = 4 * w; i < 4 * w + 4; ++i)
          if (i >= from && i < to) out[i] = static_cast<unsigned char>(v.word[w] >> (8 * (i % 4)));
      }
    }
  }
  GP_DEVICE bool has_word(unsigned w) const { return from <= 4 * w && 4 * w + 4 <= to; }
};

template <class P> struct gp__batch_storage {
  gp__u64 end[P::threads * GP__BATCH_ITEMS]; // windows of the tile up to each buffer's end
  gp_tile_scan_storage<P::threads, gp__u64> scan;
  gp__u64 drawn;        // the control word before the block's draw
  gp__u64 rest;         // windows that all tiles have left
  gp__u64 tile, before; // where a share begins: its tile, and windows that earlier tiles have left
  unsigned next;        // piece
};
struct gp__batch_ended {
  const gp__u64 *end;
  gp__u64 window;
  GP_DEVICE bool operator()(gp__u64 buffer) const { return end[buffer] <= window; }
};
// Waits for the tile's word.
struct gp__batch_tile_before {
  const gp__word *left;
  gp__u64 tag, window;
  GP_DEVICE bool operator()(gp__u64 tile) const { return gp__receive<gp__u64>(left, tile, tag) <= window; }
};

template <class P, class S> struct gp__batch_block {
  static const int PIECE = 32 * P::vectors;
  static const gp__u64 AT_ONCE = static_cast<gp__u64>(P::threads) * P::vectors * GP__BATCH_ROUNDS;
  static const gp__u64 LEAST_SHARE = static_cast<gp__u64>(P::threads) * P::vectors;
  const gp__batch_args &a;
  gp__batch_storage<P> &s;
  const unsigned char *const *sources;
  unsigned char *const *destinations;
  const S *sizes;
  gp__u64 count;

  GP_DEVICE gp__batch_block(const gp__batch_args &args, gp__batch_storage<P> &storage)
      : a(args), s(storage), sources(static_cast<const unsigned char *const *>(args.sources)),
        destinations(static_cast<unsigned char *const *>(args.destinations)), sizes(static_cast<const S *>(args.sizes)),
        count(gp__count(args)) {}
  GP_DEVICE unsigned buffers(gp__u64 tile) const {
    const gp__u64 left = count - tile * a.tile;
    return static_cast<unsigned>(left < a.tile ? left : a.tile);
  }
  GP_DEVICE gp__u64 windows(gp__u64 buffer) const {
    const gp__u64 size = sizes[buffer];
    return size ? (gp__misalignment(destinations[buffer], 16) + size + 15) / 16 : 0;
  }
  // Scans the windows of a tile's buffers, and returns their number. All threads call; a barrier is between the copy of
  // the tile before and this call.
  GP_DEVICE gp__u64 scan(gp__u64 tile) {
    const unsigned n = buffers(tile);
    GPUPRIMS__UNROLL
    for (unsigned i = 0; i < GP__BATCH_ITEMS; ++i) {
      const unsigned b = i * P::threads + threadIdx.x;
      s.end[b] = b < n ? windows(tile * a.tile + b) : 0;
    }
    if (threadIdx.x == 0) s.next = 0;
    __syncthreads();
    gp__u64 length[GP__BATCH_ITEMS], sum = 0;
    GPUPRIMS__UNROLL
    for (unsigned i = 0; i < GP__BATCH_ITEMS; ++i) sum += length[i] = s.end[threadIdx.x * GP__BATCH_ITEMS + i];
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, gp_sum<gp__u64>(), s.scan);
    GPUPRIMS__UNROLL
    for (unsigned i = 0; i < GP__BATCH_ITEMS; ++i) s.end[threadIdx.x * GP__BATCH_ITEMS + i] = sum += length[i];
    __syncthreads();
    return total;
  }
  // Copies windows from .. to - 1 of the tile that was scanned. Its warps need not be together.
  GP_DEVICE void copy(gp__u64 tile, gp__u64 from, gp__u64 to) {
    const unsigned n = buffers(tile);
    for (;;) {
      unsigned piece = 0;
      if (gp_lane() == 0) piece = atomicAdd(&s.next, 1u);
      const gp__u64 begin = from + static_cast<gp__u64>(gp_warp_broadcast(piece, 0)) * PIECE;
      if (begin >= to) return;
      const gp__u64 end = to - begin < PIECE ? to : begin + PIECE;
      const gp__u64 first = gp_search(0, n, gp__batch_ended{s.end, begin});
      const gp__u64 last = s.end[first] >= end ? first : gp_search(first, n - first, gp__batch_ended{s.end, end - 1});
      gp__batch_window w[P::vectors];
      gp_vector v[P::vectors];
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k) {
        const gp__u64 x = begin + k * 32u + gp_lane();
        if (x >= end) continue;
        const gp__u64 b = gp_search(first, last - first, gp__batch_ended{s.end, x}), i = tile * a.tile + b;
        w[k] = gp__batch_window(sources[i], destinations[i], sizes[i], x - (b ? s.end[b - 1] : 0));
      }
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k) w[k].template load<P::load>(v[k]);
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k) w[k].template store<P::store>(v[k]);
    }
  }
  // Draws a ticket; returns the control word before. A barrier follows each use of the one before.
  GP_DEVICE gp__u64 draw() {
    if (threadIdx.x == 0) s.drawn = gp__add_relaxed(static_cast<gp__u64 *>(a.workspace), 1);
    __syncthreads();
    return s.drawn;
  }
  GP_DEVICE void run() {
    const gp__u64 tiles = (count + a.tile - 1) / a.tile;
    if (tiles == 0) return;
    gp__word *words = gp__words(a.workspace), *left = words + gp__look_back_slots(tiles);
    gp__u64 drawn = draw();
    const gp__u64 tag = (drawn >> 28) + 1;
    for (; (drawn & 0xfffffffu) < tiles; drawn = draw()) {
      const gp__u64 tile = drawn & 0xfffffffu, total = scan(tile), rest = total > AT_ONCE ? total - AT_ONCE : 0;
      if (gp_warp() == 0) { // the other warps begin to copy
        gp_carry<gp__u64> start;
        start.has = false;
        const gp__look_back<gp__u64, gp_sum<gp__u64>> look_back = {words, tiles, tag, start, false};
        if (gp_lane() == 0) look_back.publish_aggregate(tile, rest);
        const gp_carry<gp__u64> prefix = look_back(tile, rest);
        if (gp_lane() == 0) gp__publish(left, tile, (prefix.has ? prefix.value : 0) + rest, tag);
      }
      copy(tile, 0, total - rest);
    }
    if (threadIdx.x == 0) s.rest = gp__receive<gp__u64>(left, tiles - 1, tag);
    __syncthreads();
    const gp__u64 rest = s.rest, even = (rest + gridDim.x * GP__BATCH_SHARES - 1) / (gridDim.x * GP__BATCH_SHARES);
    const gp__u64 share = even > LEAST_SHARE ? even : LEAST_SHARE, shares = (rest + share - 1) / share;
    for (;; drawn = draw()) {
      const gp__u64 mine = (drawn & 0xfffffffu) - tiles;
      if (threadIdx.x == 0) gp__ticket_of(a.workspace, tiles + shares + gridDim.x, drawn);
      if (mine >= shares) return;
      const gp__u64 end = mine + 1 == shares ? rest : (mine + 1) * share;
      for (gp__u64 begin = mine * share; begin < end;) {
        if (gp_warp() == 0) {
          const gp__u64 tile = gp_warp_search(0, tiles, gp__batch_tile_before{left, tag, begin});
          const gp__u64 before = tile ? gp__receive<gp__u64>(left, tile - 1, tag) : 0;
          if (gp_lane() == 0) s.tile = tile, s.before = before;
        }
        __syncthreads();
        const gp__u64 tile = s.tile, before = s.before, total = scan(tile), to = AT_ONCE + (end - before);
        copy(tile, AT_ONCE + (begin - before), to < total ? to : total);
        begin = before + total - AT_ONCE;
      }
    }
  }
};
template <class P, class S> GP_DEVICE void gp__copy_batch(const gp__batch_args &a) {
  typedef gp__batch_storage<P> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  gp__batch_block<P, S>(a, s).run();
}
