// batch/kernels.cuh - copies of many buffers
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, batch/policy.h,
//   batch/arguments.h, device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/tile_reduce.cuh,
//   device/tile_search.cuh, device/look_back.cuh, device/kernel.cuh

// A buffer's windows are the 16-byte vectors, aligned in the destination, that hold its bytes. Blocks draw tiles of
// consecutive buffers. A block scans the windows of its tile's buffers and copies the first of these windows, up to
// AT_ONCE. What is left of the tile gets a place among the leftovers of all tiles, in the order of their coming. When
// all tiles are scanned, blocks draw equal shares of the leftovers. A block finds the tile of a share by search, and
// scans the tile again. So neither many small buffers nor a large one keeps a block busy while others are idle. In a
// block, warps draw pieces of windows.
//
// Why all waits end: a block waits for all tiles' scans after its last tile. Each tile is drawn by a running block, and
// its scan waits for nobody.
struct gp__batch_window {
  const gp__u8 *in; // source of the window's first byte; may precede the buffer
  gp__u8 *out; // a multiple of 16
  unsigned bounds; // from() + 32 * to(), in one register
  bool inner; // whole, and so are the aligned vectors that hold its source

  GP_DEVICE gp__batch_window() : in(nullptr), out(nullptr), bounds(0), inner(false) {}
  GP_DEVICE unsigned from() const { return bounds & 31; } // bytes that belong to the buffer
  GP_DEVICE unsigned to() const { return bounds >> 5; }
  // before, after: windows of the buffer before this one and after it. skipped, tail: bytes of its first window that
  // are not the buffer's, and of its last that are.
  GP_DEVICE gp__batch_window(
      const gp__u8 *in_, gp__u8 *out_, gp__u64 before, gp__u64 after, unsigned skipped, unsigned tail)
    : in(in_), out(out_), bounds((before ? 0 : skipped) + 32 * (after ? 16 : tail)) {
    const unsigned offset = gp__misalignment(in, 16);
    inner = (before > 1 || 16 * unsigned(before) >= skipped + offset) &&
        (after > 1 || 16 * unsigned(after) + tail >= (offset ? 32 - offset : 16));
  }
  template<int LOAD> GP_DEVICE void load(gp_vector &v) const {
    const unsigned offset = gp__misalignment(in, 16);
    if (inner && offset == 0) v = gp__load_vector<LOAD>(in);
    else if (inner)
      v = gp__shift_vectors(
          gp__load_vector<GP_CACHE_ALL>(in - offset), gp__load_vector<GP_CACHE_ALL>(in - offset + 16), offset);
    else {
      GP__UNROLL
      for (unsigned w = 0; w < 4; ++w) {
        v.word[w] = 0;
        if (offset % 4 == 0 && has_word(w)) v.word[w] = *gp__as<const gp__u32>(in + 4 * w);
        else {
          GP__UNROLL
          for (unsigned i = 4 * w; i < 4 * w + 4; ++i)
            if (i >= from() && i < to()) v.word[w] |= gp__u32(in[i]) << (8 * (i % 4));
        }
      }
    }
  }
  template<int STORE> GP_DEVICE void store(const gp_vector &v) const {
    if (bounds == 32 * 16) {
      gp__store_vector<STORE>(out, v);
      return;
    }
    GP__UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      if (has_word(w)) *gp__as<gp__u32>(out + 4 * w) = v.word[w];
      else {
        GP__UNROLL
        for (unsigned i = 4 * w; i < 4 * w + 4; ++i)
          if (i >= from() && i < to()) out[i] = gp__u8(v.word[w] >> (8 * (i % 4)));
      }
    }
  }
  GP_DEVICE bool has_word(unsigned w) const { return from() <= 4 * w && 4 * w + 4 <= to(); }
};

template<class P> struct gp__batch_storage {
  static const int BUFFERS = P::threads * gp__batch_items(P::threads);
  gp__u64 end[BUFFERS]; // windows of the tile up to each buffer's end
  const gp__u8 *in[BUFFERS]; // source and destination of a buffer's first window
  gp__u8 *out[BUFFERS];
  gp__u8 skipped[BUFFERS], tail[BUFFERS];
  alignas(4) gp__u16 mark[P::threads * GP__BATCH_PIECE]; // by window of a warp's piece: a buffer begins there
  gp_tile_scan_storage<P::threads, gp__u64> scan;
  gp__u64 drawn; // the control word before the block's draw
  gp__u64 rest; // what all tiles have left
  gp__u64 tile, before; // where a share begins: its tile, and where that tile's leftovers begin
  unsigned next; // piece
};
struct gp__batch_ended {
  const gp__u64 *end;
  gp__u64 window;
  GP_DEVICE bool operator()(gp__u64 buffer) const { return end[buffer] <= window; }
};
// Windows that tiles leave: counters behind the ticket word, zero between launches.
struct gp__batch_leftovers {
  static const int LOG2_SUM = 40; // fewer than 2^24 tiles leave windows, since each has more than 16 KiB
  gp__u64 control[2], sum, scanned, readers; // sum: windows, and tiles << LOG2_SUM
};
struct gp__batch_entry { // of a tile that leaves windows, in the order of `at`
  gp__u64 at, tile; // at: windows of earlier ones
};
// Waits for the entry.
struct gp__batch_entry_before {
  const gp__word *words;
  gp__u64 tag, window;
  GP_DEVICE bool operator()(gp__u64 i) const { return gp__receive<gp__batch_entry>(words, i, tag).at <= window; }
};

template<class P, class S> struct gp__batch_block {
  static const int PIECE = 32 * GP__BATCH_PIECE, ITEMS = gp__batch_items(P::threads);
  static const int FLIGHT = P::vectors < 2 ? 1 : P::vectors < 4 || P::threads > 256 ? 2 : 4; // as registers allow
  static const gp__u64 AT_ONCE = gp__u64(P::threads) * P::vectors * GP__BATCH_ROUNDS;
  static const gp__u64 LEAST_SHARE = gp__u64(P::threads) * P::vectors * 4;
  const gp__batch_args &a;
  gp__batch_storage<P> &s;
  const gp__u8 *const *sources;
  gp__u8 *const *destinations;
  const S *sizes;
  gp__u64 count;

  GP_DEVICE gp__batch_block(const gp__batch_args &args, gp__batch_storage<P> &storage)
    : a(args), s(storage), sources(static_cast<const gp__u8 *const *>(args.sources)),
      destinations(static_cast<gp__u8 *const *>(args.destinations)), sizes(gp__as<const S>(args.sizes)),
      count(gp__count(args)) {}
  GP_DEVICE unsigned buffers(gp__u64 tile) const {
    const gp__u64 left = count - tile * a.tile;
    return unsigned(left < a.tile ? left : a.tile);
  }
  // Scans the windows of a tile's buffers, and returns their number. All threads call; a barrier is between the copy of
  // the tile before and this call.
  GP_DEVICE gp__u64 scan(gp__u64 tile) {
    const unsigned n = buffers(tile);
    GP__UNROLL
    for (unsigned i = 0; i < ITEMS; ++i) {
      const unsigned b = i * P::threads + threadIdx.x;
      const gp__u64 buffer = tile * a.tile + b, size = b < n ? sizes[buffer] : 0;
      s.end[b] = 0;
      if (size == 0) continue;
      const unsigned skipped = gp__misalignment(destinations[buffer], 16);
      s.end[b] = (skipped + size + 15) / 16;
      s.in[b] = sources[buffer] - skipped, s.out[b] = destinations[buffer] - skipped;
      s.skipped[b] = gp__u8(skipped);
      s.tail[b] = gp__u8(1 + (skipped + size + 15) % 16);
    }
    if (!threadIdx.x) s.next = 0;
    __syncthreads();
    gp__u64 length[ITEMS], sum = 0;
    GP__UNROLL
    for (unsigned i = 0; i < ITEMS; ++i) sum += length[i] = s.end[threadIdx.x * ITEMS + i];
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, gp_sum<gp__u64>(), s.scan);
    GP__UNROLL
    for (unsigned i = 0; i < ITEMS; ++i) s.end[threadIdx.x * ITEMS + i] = sum += length[i];
    __syncthreads();
    return total;
  }
  // Copies windows from .. to - 1 of the tile that was scanned. Its warps need not be together. Buffers mark the
  // windows where they begin with their number from the piece's first one on; the newest mark up to a window is its
  // buffer.
  GP_DEVICE void copy(gp__u64 tile, gp__u64 from, gp__u64 to) {
    const unsigned n = buffers(tile);
    gp__u16 *mark = s.mark + gp_warp() * PIECE;
    for (;;) {
      unsigned piece = 0;
      if (!gp_lane()) piece = atomicAdd(&s.next, 1u);
      const gp__u64 begin = from + gp__u64(gp_warp_broadcast(piece, 0)) * PIECE;
      if (begin >= to) return;
      const gp__u64 end = to - begin < PIECE ? to : begin + PIECE;
      const unsigned first = unsigned(gp_warp_search(0, n, gp__batch_ended{s.end, begin}));
      const bool several = s.end[first] < end;
      if (several) {
        for (unsigned i = gp_lane(); i < PIECE / 2; i += 32) gp__as<gp__u32>(mark)[i] = 0;
        __syncwarp();
        bool more = true;
        for (unsigned b = first + 1 + gp_lane(); more; b += 32) {
          const gp__u64 at = b < n ? s.end[b - 1] : end;
          if (at < end && at < s.end[b]) mark[at - begin] = gp__u16(b - first);
          more = __all_sync(~0u, at < end);
        }
        __syncwarp();
      }
      gp__u32 open = 0;
      GP__UNROLL_BY(1)
      for (unsigned i = gp_lane(); i < PIECE; i += 32 * FLIGHT) {
        gp__batch_window w[FLIGHT];
        gp_vector v[FLIGHT];
        GP__EACH(k, FLIGHT) {
          const gp__u64 x = begin + i + k * 32u;
          const gp__u32 mine = several ? mark[i + k * 32u] : 0, before = gp__earlier_mark(mine, open);
          if (x >= end) continue;
          const unsigned b = first + (mine ? mine : before);
          const gp__u64 at = x - (b ? s.end[b - 1] : 0);
          w[k] = gp__batch_window(s.in[b] + at * 16, s.out[b] + at * 16, at, s.end[b] - x - 1, s.skipped[b], s.tail[b]);
          w[k].template load<P::load>(v[k]); // here the source's address needs no register any more
        }
        GP__EACH(k, FLIGHT) w[k].template store<P::store>(v[k]);
      }
      __syncwarp();
    }
  }
  // Draws a ticket; returns the control word before. A barrier follows each use of the one before.
  GP_DEVICE gp__u64 draw() {
    if (!threadIdx.x) s.drawn = gp__add_relaxed(gp__as<gp__u64>(a.workspace), 1);
    __syncthreads();
    return s.drawn;
  }
  // One thread, while others copy: gives the rest of the scanned tile its place, draws the block's next ticket,
  // and prefetches what the scan of that tile reads.
  GP_DEVICE void go_ahead(gp__batch_leftovers &left, gp__u64 tile, gp__u64 rest, gp__u64 tiles) {
    if (rest) {
      const gp__u64 was = gp__add_relaxed(&left.sum, (gp__u64(1) << left.LOG2_SUM) + rest);
      const gp__batch_entry entry = {was & ((gp__u64(1) << left.LOG2_SUM) - 1), tile};
      gp__publish(gp__words(a.workspace), was >> left.LOG2_SUM, entry, (s.drawn >> 28) + 1);
      __threadfence();
    }
    gp__add_relaxed(&left.scanned, 1);
    s.drawn = gp__add_relaxed(gp__as<gp__u64>(a.workspace), 1);
    const gp__u64 next = s.drawn & 0xfffffffu, first = next * a.tile;
    if (next >= tiles) return;
    const unsigned n = buffers(next);
    gp__prefetch_bytes(sizes + first, n * unsigned(sizeof(S)));
    gp__prefetch_bytes(sources + first, n * unsigned(sizeof *sources));
    gp__prefetch_bytes(destinations + first, n * unsigned(sizeof *destinations));
  }
  GP_DEVICE void run() {
    const gp__u64 tiles = (count + a.tile - 1) / a.tile;
    if (tiles == 0) return;
    gp__batch_leftovers &left = *gp__as<gp__batch_leftovers>(a.workspace);
    gp__u64 drawn = draw();
    const gp__u64 tag = (drawn >> 28) + 1;
    while ((drawn & 0xfffffffu) < tiles) {
      const gp__u64 tile = drawn & 0xfffffffu, total = scan(tile), rest = total > AT_ONCE ? total - AT_ONCE : 0;
      if (threadIdx.x == P::threads - 1) go_ahead(left, tile, rest, tiles);
      copy(tile, 0, total - rest);
      __syncthreads();
      drawn = s.drawn;
    }
    if (!threadIdx.x) {
      while (gp__load_relaxed(&left.scanned) < tiles) {}
      __threadfence();
      s.rest = gp__load_relaxed(&left.sum);
      __threadfence();
      if (gp__add_relaxed(&left.readers, 1) == gridDim.x - 1) { // all blocks have read
        gp__store_relaxed(&left.sum, 0);
        gp__store_relaxed(&left.scanned, 0);
        gp__store_relaxed(&left.readers, 0);
      }
    }
    __syncthreads();
    const gp__u64 rest = s.rest & ((gp__u64(1) << left.LOG2_SUM) - 1), entries = s.rest >> left.LOG2_SUM;
    const gp__u64 even = (rest + gridDim.x * GP__BATCH_SHARES - 1) / (gridDim.x * GP__BATCH_SHARES);
    const gp__u64 share = even > LEAST_SHARE ? even : LEAST_SHARE, shares = (rest + share - 1) / share;
    gp__u64 scanned = tiles, total = 0; // the tile that was scanned last, of those that left windows
    for (;; drawn = draw()) {
      const gp__u64 mine = (drawn & 0xfffffffu) - tiles;
      if (!threadIdx.x) gp__ticket_of(a.workspace, tiles + shares + gridDim.x, drawn);
      if (mine >= shares) return;
      const gp__u64 end = mine + 1 == shares ? rest : (mine + 1) * share;
      for (gp__u64 begin = mine * share; begin < end;) {
        if (!gp_warp()) {
          const gp__word *words = gp__words(a.workspace);
          const gp__u64 i = gp_warp_search(0, entries, gp__batch_entry_before{words, tag, begin}) - 1;
          const gp__batch_entry entry = gp__receive<gp__batch_entry>(words, i, tag);
          if (!gp_lane()) s.tile = entry.tile, s.before = entry.at;
        }
        __syncthreads();
        const gp__u64 tile = s.tile, before = s.before, to = AT_ONCE + (end - before);
        if (tile != scanned) total = scan(scanned = tile);
        else {
          if (!threadIdx.x) s.next = 0;
          __syncthreads();
        }
        copy(tile, AT_ONCE + (begin - before), to < total ? to : total);
        begin = before + total - AT_ONCE;
      }
    }
  }
};
template<class P, class S> GP_DEVICE void gp__copy_batch(const gp__batch_args &a) {
  typedef gp__batch_storage<P> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  gp__batch_block<P, S>(a, s).run();
}
