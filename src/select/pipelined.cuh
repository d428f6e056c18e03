// select/pipelined.cuh - streams by specialised warps, sm_90
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, select/policy.h,
//   select/arguments.h, device/warp.cuh, device/tile_reduce.cuh, device/look_back.cuh, device/kernel.cuh,
//   select/stream.cuh, select/kernels.cuh

#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900 || GP__ARCH == 0

// Persistent blocks of specialised warps, so that work others wait for is never delayed by other work. Warps that do
// nothing else fold tiles and publish their aggregates as soon as the tiles arrive. Tiles are emitted once a look-back
// warp knows their prefix. P::threads emit, one warp a group.
template<class P, class Body> struct gp__stream_pipeline {
  typedef gp__stream<P, Body> S;
  typedef typename S::State State;
  static const int STAGES = P::stages, GROUPS = S::GROUPS, FOLDS = gp__stream_fold_warps(P::threads);
  typedef gp__stream_storage<STAGES, GROUPS, State> Storage;

  Storage &s;
  gp__u8 *shared; // STAGES stages, then the bodies' scratch
  const gp__stream_args &a;
  gp__u64 count;
  unsigned tiles;
  bool in_place; // results overwrite the elements that are read

  GP_DEVICE gp__stream_tile tile_of(int stage, unsigned number) const {
    return S::tile_in(shared + stage * S::STAGE, number, count, S::KEY ? gp__misalignment(a.keys, 16) : 0,
        S::VALUE ? gp__misalignment(a.values, 16) : 0);
  }
  // ---- the copying warp (one thread of it)

  // Copies bytes from..to of an array of `bytes` bytes; byte `from` goes to `place`. Whole vectors go by bulk copy, and
  // their bytes are returned; fewer than 16 on either side go one by one.
  GP_DEVICE unsigned copy_bytes(
      gp__u8 *place, const void *array, gp__u64 bytes, gp__u64 from, gp__u64 to, gp__u64 *bar, bool bulk) const {
    const gp__u8 *base = gp__as<const gp__u8>(array);
    const gp__u64 shift = gp__misalignment(array, 16); // offset of byte 0
    gp__u64 begin = (from + shift) & ~15ull, end = (to + shift + 15) & ~15ull; // the covering vectors
    if (in_place || begin < shift) begin = (from + shift + 15) & ~15ull; // but no bytes outside the array
    if (in_place || end > bytes + shift) end = (to + shift) & ~15ull; // nor, in place, bytes that change
    if (begin >= end) begin = end = to + shift;
    if (!bulk) {
      for (gp__u64 i = from; i + shift < begin; ++i) place[i - from] = base[i];
      for (gp__u64 i = end - shift > from ? end - shift : from; i < to; ++i) place[i - from] = base[i];
    } else if (begin < end)
      gp__bulk_load(
          place + (gp__i64(begin - shift) - gp__i64(from)), base + (begin - shift), unsigned(end - begin), bar);
    return unsigned(end - begin);
  }
  // Copies an array's part of a tile, and its neighbours if the body reads them.
  GP_DEVICE unsigned copy_array(gp__u8 *item0, const void *array, int size, const gp__stream_tile &t, bool before,
      bool behind, gp__u64 *bar, bool bulk) const {
    const gp__u64 from = t.first * size, to = from + gp__u64(t.items) * size;
    const gp__u64 low = before && t.first > 0 ? from - size : from,
                  high = behind && t.first + t.items < count ? to + size : to;
    return copy_bytes(item0 - (from - low), array, count * size, low, high, bar, bulk);
  }
  GP_DEVICE unsigned copy_tile(const gp__stream_tile &t, gp__u64 *bar, bool bulk) const {
    unsigned bytes = 0;
    if (S::KEY) bytes += copy_array(t.keys, a.keys, S::KEY, t, Body::BEFORE, Body::BEHIND, bar, bulk);
    if (S::VALUE) bytes += copy_array(t.values, a.values, S::VALUE, t, false, false, bar, bulk);
    return bytes;
  }
  GP_DEVICE gp__ticket draw() const { return gp__draw(a.workspace, tiles + gp__u64(gridDim.x) * STAGES); }
  GP_DEVICE void load(int stage, const gp__ticket &ticket) const {
    s.ticket[stage] = ticket;
    if (S::Offsets::any) gp__mbarrier_arrive(&s.drawn[stage]);
    if (ticket.number >= tiles) {
      gp__mbarrier_arrive(&s.loaded[stage]);
      return;
    }
    const gp__stream_tile t = tile_of(stage, ticket.number);
    gp__mbarrier_arrive_expect(&s.loaded[stage], copy_tile(t, &s.loaded[stage], false));
    gp__bulk_fence(); // some bytes of the buffer were stored one by one
    copy_tile(t, &s.loaded[stage], true);
  }
  GP_DEVICE void copy() const {
    for (int stage = 0; stage < STAGES; ++stage) load(stage, draw());
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      if (s.ticket[stage].number >= tiles) return;
      gp__mbarrier_wait(&s.emitted[stage], parity);
      load(stage, draw());
    }
  }

  // ---- the publishing warp and the look-back warp

  GP_DEVICE void publish() const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(&s.loaded[stage], parity);
      const gp__ticket ticket = s.ticket[stage];
      if (ticket.number >= tiles) return;
      gp__mbarrier_wait(&s.folded[stage], parity);
      const State upto = S::prefixes(s.total[stage]);
      if (gp_lane() == unsigned(GROUPS) - 1) S::look_back(a, tiles, ticket.tag).publish_aggregate(ticket.number, upto);
      __syncwarp();
      if (!gp_lane()) gp__mbarrier_arrive(&s.published[stage]);
    }
  }
  // One warp a stage, so that the look-backs of a block's tiles overlap. By offsets it marks the first heads while the
  // tile is loading.
  GP_DEVICE void look_back(int stage) const {
    for (unsigned round = unsigned(stage);; round += STAGES) {
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(S::Offsets::any ? &s.drawn[stage] : &s.loaded[stage], parity);
      const gp__ticket ticket = s.ticket[stage];
      if (ticket.number >= tiles) return;
      if (S::Offsets::any) {
        const gp__stream_tile t = tile_of(stage, ticket.number);
        const gp__span rest = S::mark_first(a, t, shared + stage * S::STAGE);
        if (!gp_lane()) s.offsets[stage] = rest;
        __syncwarp();
        if (!gp_lane()) gp__mbarrier_arrive(&s.found[stage]);
      }
      gp__mbarrier_wait(&s.published[stage], parity);
      const gp_carry<State> before = S::look_back(a, tiles, ticket.tag)(ticket.number, s.total[stage][GROUPS - 1]);
      __syncwarp();
      if (!gp_lane()) {
        s.before[stage] = S::or_identity(before);
        gp__mbarrier_arrive(&s.carried[stage]);
      }
    }
  }

  // ---- a folding warp: groups `warp`, `warp` + FOLDS, ...

  GP_DEVICE void fold(int warp) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(S::Offsets::any ? &s.drawn[stage] : &s.loaded[stage], parity);
      const unsigned number = s.ticket[stage].number;
      if (number >= tiles) return;
      const gp__stream_tile t = tile_of(stage, number);
      if (S::Offsets::any) {
        gp__mbarrier_wait(&s.found[stage], parity);
        S::mark(a, t, s.offsets[stage], shared + stage * S::STAGE, unsigned(warp), FOLDS);
        __syncwarp();
        if (!gp_lane()) gp__mbarrier_arrive(&s.marked[stage]);
        gp__mbarrier_wait(&s.marked[stage], parity);
        gp__mbarrier_wait(&s.loaded[stage], parity);
      }
      GP__UNROLL_BY(1)
      for (int group = warp; group < GROUPS; group += FOLDS)
        S::fold(a, t, shared + stage * S::STAGE, group, s.total[stage]);
      if (!gp_lane()) gp__mbarrier_arrive(&s.folded[stage]);
    }
  }

  // ---- an emitting warp

  GP_DEVICE void emit(int group) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(&s.loaded[stage], parity);
      const unsigned number = s.ticket[stage].number;
      if (number >= tiles) return;
      gp__mbarrier_wait(&s.carried[stage], parity);
      S::emit(a, tile_of(stage, number), shared + stage * S::STAGE, group, s.before[stage], s.total[stage],
          shared + STAGES * S::STAGE);
      gp__bulk_fence(); // before the buffer's next load
      __syncwarp();
      if (!gp_lane()) gp__mbarrier_arrive(&s.emitted[stage]);
    }
  }
};

template<class P, class Body> GP_DEVICE void gp__stream_pipelined(const gp__stream_args &a) {
  typedef gp__stream_pipeline<P, Body> Pipeline;
  typedef typename Pipeline::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  if (!threadIdx.x) {
    for (int i = 0; i < P::stages; ++i) {
      gp__mbarrier_init(&s.drawn[i], 1);
      gp__mbarrier_init(&s.found[i], 1);
      gp__mbarrier_init(&s.marked[i], Pipeline::FOLDS);
      gp__mbarrier_init(&s.loaded[i], 1);
      gp__mbarrier_init(&s.folded[i], Pipeline::FOLDS);
      gp__mbarrier_init(&s.published[i], 1);
      gp__mbarrier_init(&s.carried[i], 1);
      gp__mbarrier_init(&s.emitted[i], Pipeline::GROUPS);
    }
    gp__mbarrier_init_fence();
  }
  __syncthreads();
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  if (Pipeline::S::idle(a, n)) return;
  const Pipeline pipeline = {
      s, shared, a, n, unsigned((n + Pipeline::S::TILE - 1) / Pipeline::S::TILE), Pipeline::S::in_place(a)};
  const int role = int(gp_warp()) - Pipeline::GROUPS;
  if (role < 0) pipeline.emit(int(gp_warp()));
  else if (role < Pipeline::FOLDS) pipeline.fold(role);
  else if (role == Pipeline::FOLDS) pipeline.publish();
  else if (role <= Pipeline::FOLDS + P::stages) pipeline.look_back(role - Pipeline::FOLDS - 1);
  else if (!gp_lane()) pipeline.copy();
}

#endif // sm_90
