// scan/pipelined.cuh - scans by specialised warps, sm_90
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, scan/arguments.h, device/warp.cuh,
//   device/tile_reduce.cuh, device/tile_copy.cuh, device/tile_chunk.cuh, device/look_back.cuh, device/kernel.cuh,
//   scan/kernels.cuh

#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900 || GP__ARCH == 0

// One pass, persistent blocks, compute capability 9.0. Bulk copies stream tiles through `stages` buffers of shared
// memory. The warps of a block have four roles; they meet at barriers in shared memory, never at a barrier of the
// block:
//    computing warps   fold tiles as soon as they arrive, so that aggregates are published early; scan a tile in place
//                      once its prefix is known
//    publishing warp   publishes each tile's aggregate, and waits for the fold only
//    look-back warp    finds each tile's prefix while earlier tiles are scanned
//    copying warp      draws tickets, loads tiles, and stores them after the scan
// A tile is a range of 16-byte vectors of the input: if the input is misaligned, tile 0 begins before element 0.
template<int STAGES, int WARPS, class Acc> struct gp__pipeline_storage {
  gp__u64 loaded[STAGES]; // tile and ticket (copying warp, and the bytes of the copy)
  gp__u64 folded[STAGES]; // the warps' totals (each computing warp)
  gp__u64 published[STAGES]; // the warps' prefixes and the aggregate (publishing warp)
  gp__u64 carried[STAGES]; // the tile's prefix (look-back warp)
  gp__u64 scanned[STAGES]; // the results (each computing warp)
  gp__ticket ticket[STAGES];
  Acc warp_total[STAGES][WARPS]; // then inclusive prefixes over the warps
  gp_carry<Acc> before[STAGES];
};

template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out> struct gp__scan_pipeline {
  static const int ITEMS = 16 * P::vectors / int(sizeof(In)), TILE = P::threads * ITEMS;
  static const int BYTES = TILE * int(sizeof(In)), WARPS = P::threads / 32, STAGES = P::stages;
  typedef gp__pipeline_storage<STAGES, WARPS, Acc> Storage;

  Storage &s;
  gp__u8 *shared; // STAGES tiles
  const gp__u8 *in; // the 16-byte boundary at or before the input
  gp__u8 *out; // the same distance before the output
  gp__u64 skipped; // elements between `in` and element 0
  gp__u64 end; // skipped + count
  unsigned tiles;

  GP_DEVICE bool same_alignment() const { return gp__misalignment(out, 16) == 0; }
  // The elements of a tile within the input, counted from `in`.
  GP_DEVICE gp__u64 first_of(unsigned tile) const { return tile ? gp__u64(tile) * TILE : skipped; }
  GP_DEVICE gp__u64 end_of(unsigned tile) const {
    const gp__u64 e = (gp__u64(tile) + 1) * TILE;
    return e < end ? e : end;
  }

  // ---- the copying warp (one thread of it)

  // Whole vectors of a tile go by bulk copy; fewer than 16 bytes on either side go one by one.
  struct Range {
    unsigned begin, bulk_begin, bulk_end, end; // bytes from the start of the tile
  };
  GP_DEVICE Range range_of(unsigned tile) const {
    const gp__u64 origin = gp__u64(tile) * TILE;
    Range r;
    r.begin = unsigned((first_of(tile) - origin) * sizeof(In));
    r.end = unsigned((end_of(tile) - origin) * sizeof(In));
    r.bulk_begin = (r.begin + 15u) & ~15u;
    r.bulk_end = r.end & ~15u;
    if (r.bulk_begin >= r.bulk_end) r.bulk_begin = r.bulk_end = r.end;
    return r;
  }
  // Each block draws `stages` tickets at its start, and one more for each tile it had.
  GP_DEVICE gp__ticket draw(void *workspace) const {
    return gp__draw(workspace, gp__u64(tiles) + gp__u64(gridDim.x) * STAGES);
  }
  GP_DEVICE void load(int stage, const gp__ticket &ticket) const {
    s.ticket[stage] = ticket;
    if (ticket.number >= tiles) {
      gp__mbarrier_arrive(&s.loaded[stage]);
      return;
    }
    const Range r = range_of(ticket.number);
    const gp__u8 *from = in + gp__u64(ticket.number) * BYTES;
    gp__u8 *to = shared + stage * BYTES;
    for (unsigned i = r.begin; i < r.bulk_begin; ++i) to[i] = from[i];
    for (unsigned i = r.bulk_end; i < r.end; ++i) to[i] = from[i];
    gp__mbarrier_arrive_expect(&s.loaded[stage], r.bulk_end - r.bulk_begin);
    if (r.bulk_begin < r.bulk_end)
      gp__bulk_load(to + r.bulk_begin, from + r.bulk_begin, r.bulk_end - r.bulk_begin, &s.loaded[stage]);
  }
  GP_DEVICE void store(int stage, unsigned tile) const {
    const Range r = range_of(tile);
    const gp__u8 *from = shared + stage * BYTES;
    gp__u8 *to = out + gp__u64(tile) * BYTES;
    if (r.bulk_begin < r.bulk_end) gp__bulk_store(to + r.bulk_begin, from + r.bulk_begin, r.bulk_end - r.bulk_begin);
    gp__bulk_commit();
    for (unsigned i = r.begin; i < r.bulk_begin; ++i) to[i] = from[i];
    for (unsigned i = r.bulk_end; i < r.end; ++i) to[i] = from[i];
  }
  GP_DEVICE void copy(void *workspace) const {
    for (int stage = 0; stage < STAGES; ++stage) load(stage, draw(workspace));
    unsigned round = 0;
    for (;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) break;
      gp__mbarrier_wait(&s.scanned[stage], round / STAGES & 1u);
      if (same_alignment()) store(stage, tile);
      if (round == 0) continue;
      gp__bulk_wait_read<1>(); // the previous round's tile has left its buffer
      load(int((round - 1) % STAGES), draw(workspace));
    }
    if (round > 0) draw(workspace); // for the last tile
    gp__bulk_wait();
  }

  // ---- the publishing warp and the look-back warp

  GP_DEVICE gp__look_back<Acc, Op> look_back_of(int stage, const gp__scan_args &a) const {
    return {gp__words(a.workspace), tiles, s.ticket[stage].tag, gp__start<Op, Acc>(a), false};
  }
  GP_DEVICE void publish(const gp__scan_args &a) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      gp__mbarrier_wait(&s.loaded[stage], round / STAGES & 1u);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) return;
      gp__mbarrier_wait(&s.folded[stage], round / STAGES & 1u);
      const Acc totals =
          gp_warp_inclusive_scan(gp_lane() < WARPS ? s.warp_total[stage][gp_lane()] : Op::identity(), Op());
      if (gp_lane() == WARPS - 1) look_back_of(stage, a).publish_aggregate(tile, totals);
      if (gp_lane() < WARPS) s.warp_total[stage][gp_lane()] = totals;
      __syncwarp();
      if (!gp_lane()) gp__mbarrier_arrive(&s.published[stage]);
    }
  }
  GP_DEVICE void look_back(const gp__scan_args &a) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      gp__mbarrier_wait(&s.loaded[stage], round / STAGES & 1u);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) return;
      gp__mbarrier_wait(&s.published[stage], round / STAGES & 1u);
      const gp_carry<Acc> before = look_back_of(stage, a)(tile, s.warp_total[stage][WARPS - 1]);
      if (!gp_lane()) {
        s.before[stage] = before;
        gp__mbarrier_arrive(&s.carried[stage]);
      }
    }
  }

  // ---- a computing warp

  // The part of this thread's chunk within the input.
  GP_DEVICE void part(unsigned tile, int &begin, int &chunk_end) const {
    const gp__u64 origin = gp__u64(tile) * TILE + threadIdx.x * ITEMS;
    const gp__u64 first = first_of(tile), last = end_of(tile);
    begin = first > origin ? (first - origin < ITEMS ? int(first - origin) : ITEMS) : 0;
    chunk_end = last > origin ? (last - origin < ITEMS ? int(last - origin) : ITEMS) : 0;
  }
  GP_DEVICE gp__u64 index_of(unsigned tile) const { // the chunk's first element; wraps below 0 in skipped elements
    return gp__u64(tile) * TILE + threadIdx.x * ITEMS - skipped;
  }
  // Folds the tile of a stage; returns the thread's prefix within its warp (lane 0: none).
  GP_DEVICE Acc fold(int stage, unsigned tile) const {
    gp__u8 *chunk = shared + stage * BYTES + threadIdx.x * (ITEMS * sizeof(In));
    Acc sum;
    int begin, chunk_end;
    part(tile, begin, chunk_end);
    if (begin == 0 && chunk_end) {
      gp__chunk_pad<ITEMS, In>(chunk, chunk_end);
      sum = gp__chunk_fold<ITEMS, Op, Load, Acc, In>(chunk, index_of(tile));
    } else sum = gp__chunk_fold_part<Op, Load, Acc, In>(chunk, index_of(tile), begin, chunk_end);
    const Acc inclusive = gp_warp_inclusive_scan(sum, Op());
    if (gp_lane() == 31) {
      s.warp_total[stage][gp_warp()] = inclusive;
      gp__mbarrier_arrive(&s.folded[stage]);
    }
    return gp_warp_shift_up(inclusive, 1);
  }
  GP_DEVICE void scan(int stage, unsigned tile, const gp_carry<Acc> &within) const {
    gp__u8 *chunk = shared + stage * BYTES + threadIdx.x * (ITEMS * sizeof(In));
    gp_carry<Acc> carry = s.before[stage];
    if (gp_warp() > 0) carry.append(s.warp_total[stage][gp_warp() - 1], Op());
    if (within.has) carry.append(within.value, Op());
    int begin, chunk_end;
    part(tile, begin, chunk_end);
    if (begin == 0 && chunk_end)
      gp__chunk_scan<ITEMS, EXCLUSIVE, Op, Load, Out, In>(chunk, chunk, index_of(tile), carry);
    else gp__chunk_scan_part<EXCLUSIVE, Op, Load, Out, In>(chunk, chunk, index_of(tile), carry, begin, chunk_end);
    gp__bulk_fence(); // before the store, or before the buffer's next load
    __syncwarp();
    if (!same_alignment()) { // the warp stores its own elements
      const gp__u64 origin = gp__u64(tile) * TILE, mine = origin + gp_warp() * (32 * ITEMS);
      const gp__u64 first = first_of(tile) > mine ? first_of(tile) : mine;
      const gp__u64 last = end_of(tile) < mine + 32 * ITEMS ? end_of(tile) : mine + 32 * ITEMS;
      if (first < last) {
        gp__u8 *from = shared + stage * BYTES + (mine - origin) * sizeof(In);
        const unsigned skip = unsigned((first - mine) * sizeof(In)) & ~15u; // whole vectors only
        const unsigned ragged = unsigned((first - mine) * sizeof(In)) & 15u;
        gp__u8 *to = out + mine * sizeof(Out) + skip;
        const unsigned bytes = unsigned((last - mine) * sizeof(Out)) - skip;
        if (ragged == 0) gp__copy_from_shared<32, P::store>(to, from + skip, bytes, gp_lane());
        else
          for (unsigned i = ragged + gp_lane(); i < bytes; i += 32) to[i] = from[skip + i];
      }
      __syncwarp();
    }
    if (!gp_lane()) gp__mbarrier_arrive(&s.scanned[stage]);
  }
  // Folds first, as far ahead as tiles have arrived: the earlier an aggregate is published, the shorter are the waits.
  GP_DEVICE void compute() const {
    Acc within[STAGES]; // of tiles that are folded but not scanned; the newest last
    unsigned folds = 0, scans = 0; // rounds done
    bool more = true; // another tile may arrive
    while (more || scans < folds) {
      const int fold_stage = int(folds % STAGES), scan_stage = int(scans % STAGES);
      if (more && folds - scans < STAGES && all(gp__mbarrier_peek(&s.loaded[fold_stage], folds / STAGES & 1u))) {
        const unsigned tile = s.ticket[fold_stage].number;
        more = tile < tiles;
        if (more) {
          GP__UNROLL
          for (int i = 0; i + 1 < STAGES; ++i) within[i] = within[i + 1];
          within[STAGES - 1] = fold(fold_stage, tile);
          ++folds;
        }
      } else if (scans < folds && all(gp__mbarrier_peek(&s.carried[scan_stage], scans / STAGES & 1u))) {
        gp_carry<Acc> before;
        before.value = within[STAGES - 1];
        before.has = gp_lane() > 0;
        GP__UNROLL
        for (int i = 0; i + 1 < STAGES; ++i)
          if (folds - scans == unsigned(STAGES - i)) before.value = within[i];
        scan(scan_stage, s.ticket[scan_stage].number, before);
        ++scans;
      }
    }
  }
  static GP_DEVICE bool all(bool x) { return __all_sync(~0u, x) != 0; }
};

template<class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_pipelined(const gp__scan_args &a) {
  typedef gp__scan_pipeline<P, EXCLUSIVE, Op, Load, In, Acc, Out> Pipeline;
  typedef typename Pipeline::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  if (!threadIdx.x) {
    for (int i = 0; i < P::stages; ++i) {
      gp__mbarrier_init(&s.loaded[i], 1);
      gp__mbarrier_init(&s.folded[i], Pipeline::WARPS);
      gp__mbarrier_init(&s.published[i], 1);
      gp__mbarrier_init(&s.carried[i], 1);
      gp__mbarrier_init(&s.scanned[i], Pipeline::WARPS);
    }
    gp__mbarrier_init_fence();
  }
  __syncthreads();
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), skipped = gp__misalignment(a.in, 16) / sizeof(In);
  const Pipeline pipeline = {s, shared, gp__as<const gp__u8>(a.in) - skipped * sizeof(In),
      gp__as<gp__u8>(a.out) - skipped * sizeof(Out), skipped, skipped + n,
      unsigned(n ? (skipped + n + Pipeline::TILE - 1) / Pipeline::TILE : 0)};
  if (gp_warp() < Pipeline::WARPS) pipeline.compute();
  else if (gp_warp() == Pipeline::WARPS) pipeline.publish(a);
  else if (gp_warp() == Pipeline::WARPS + 1) pipeline.look_back(a);
  else if (!gp_lane()) pipeline.copy(a.workspace);
}

#endif // sm_90
