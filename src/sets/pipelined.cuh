// sets/pipelined.cuh - sets by warps with roles, sm_90
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h, merge/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/tile_search.cuh, device/look_back.cuh,
//   device/kernel.cuh, merge/kernels.cuh, sets/tile.cuh, sets/kernels.cuh

// One warp serves the others. While they merge a tile, it draws the next one and finds its ends, then looks back for
// the tile before, whose results wait. No launch finds borders. The others wait for no other block until they have the
// next tile's results.
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900 || GP__ARCH == 0
template<int THREADS> struct gp__set_pipeline_storage {
  gp__u64 tag, number[2], at[2][2][2]; // a tile and the next one: two ends in each input
  gp__u64 before[2]; // results before a tile, and before the one that follows it here
  gp__u64 found, taken; // barriers: the next tile is ready; has been seen
  gp__u64 placed[2]; // results have their place; taking the next tile but one implies it
  gp__u64 meeting;
  gp__u32 kept[2];
  gp__u32 sum[THREADS / 32];
};
template<class P, int SET, class Before, class Key, class Value> struct gp__set_pipeline {
  typedef gp__set_tile<P, SET, Before, Key, Value> Tile;
  static const int THREADS = P::threads, ITEMS = Tile::ITEMS, STEP = Tile::TILE - 1, VALUE = Tile::VALUE;
  typedef gp__two_loads<THREADS, ITEMS, P::load, Key> KeyLoads;
  typedef gp__two_loads<THREADS, ITEMS, P::load, typename gp__either<VALUE == 0, Key, Value>::type> ValueLoads;
  typedef gp__set_window<Key, KeyLoads> Window;
  typedef gp__set_tile_values<Tile, ValueLoads, Value> Values;
  typedef gp__look_back<gp__u64, gp_sum<gp__u64>> LookBack;
  typedef gp__set_pipeline_storage<THREADS> Storage;

  const gp__merge_args &a;
  Storage &s;
  gp__u8 *shared;
  const gp__set_inputs<Key, Before> inputs;
  gp__u64 tiles;

  GP_DEVICE LookBack look_back(gp__u64 tag) const {
    LookBack l = {gp__words(a.workspace), tiles, tag, gp_carry<gp__u64>(), false};
    l.start.value = 0;
    l.start.has = false;
    return l;
  }
  // ---- the warp that serves

  // Finds the ends of a tile. known: an earlier tile ends at this element of the merged inputs, after so many of the
  // first.
  GP_DEVICE void find(gp__u64 number, gp__u64 (&known)[2], gp__u64 (&at)[2][2]) const {
    const gp__u64 begin = number * STEP, n = inputs.count[0], m = inputs.count[1];
    const gp__u64 diagonal[2] = {begin, begin + STEP < n + m ? begin + STEP : n + m};
    gp__u64 split[2], count[2], found[2];
    GP__EACH(k, 2) {
      const gp__u64 d = diagonal[k], low = d > m ? d - m : 0, high = d < n ? d : n, most = known[1] + (d - known[0]);
      split[k] = low > known[1] ? low : known[1];
      count[k] = (high < most ? high : most) - split[k];
    }
    gp__warp_search(split, count, gp__merge_splits_before<Key, Before, 2>{inputs.keys[0], inputs.keys[1], diagonal});
    known[0] = diagonal[1], known[1] = split[1];
    const int end = int(gp_lane());
    if (end < 2) {
      gp__balanced_path(inputs, end ? diagonal[1] : diagonal[0], end ? split[1] : split[0], found);
      at[end][0] = found[0], at[end][1] = found[1];
    }
  }
  // Looks back for the place of the results of the block's r-th tile.
  GP_DEVICE void assign_offset(const LookBack &l, unsigned r, gp__u64 number) const {
    const gp__u32 kept = s.kept[r & 1u];
    const gp_carry<gp__u64> before = l(number, kept);
    if (!gp_lane()) {
      const gp__u64 first = before.has ? before.value : 0;
      s.before[r & 1u] = first;
      if (number == tiles - 1) *a.out_count = first + kept;
      gp__mbarrier_arrive(&s.placed[r & 1u]);
    }
    __syncwarp();
  }
  GP_DEVICE void serve() const {
    const gp__u64 draws = tiles + gridDim.x; // each block draws one number that no tile has
    gp__ticket drawn = {0, 0};
    if (!gp_lane()) drawn = gp__draw(a.workspace, draws);
    const LookBack l = look_back(gp_warp_broadcast(drawn.tag, 0));
    gp__u64 number = gp_warp_broadcast(drawn.number, 0), last = 0, last_but_one = 0, known[2] = {0, 0};
    for (unsigned r = 0;; ++r) {
      if (r) gp__mbarrier_wait(&s.taken, (r - 1) & 1u);
      const bool more = number < tiles;
      if (more) find(number, known, s.at[r & 1u]);
      if (!gp_lane()) s.number[r & 1u] = number;
      if (!gp_lane() && r == 0) s.tag = l.tag;
      __syncwarp();
      if (!gp_lane()) {
        gp__mbarrier_arrive(&s.found);
        if (more) drawn = gp__draw(a.workspace, draws);
      }
      if (r > 1) assign_offset(l, r - 2, last_but_one);
      if (!more) {
        if (r) gp__mbarrier_wait(&s.taken, r & 1u);
        if (r) assign_offset(l, r - 1, last);
        return;
      }
      last_but_one = last;
      last = number;
      number = gp_warp_broadcast(drawn.number, 0);
    }
  }
  // ---- the others

  // tile: the block's r-th tile, once it is known. take: waits for it and loads its keys; false: there is none.
  GP_DEVICE Window tile(unsigned r) const { return Window(s.number[r & 1u], s.at[r & 1u]); }
  GP_DEVICE bool take(unsigned r, KeyLoads &loads) const {
    gp__mbarrier_wait(&s.found, r & 1u);
    const bool more = s.number[r & 1u] < tiles;
    __syncwarp();
    if (!gp_lane()) gp__mbarrier_arrive(&s.taken);
    if (more) tile(r).load(loads, inputs);
    return more;
  }
  GP_DEVICE gp__u8 *results_of(unsigned r) const { return shared + Tile::RESULTS_AT + (r & 1u) * Tile::RESULT; }
  // Writes the results of the block's r-th tile to the output.
  GP_DEVICE void write(unsigned r, const Values &values, gp__u32 kept, const gp__u8 *results) const {
    gp__mbarrier_wait(&s.placed[r & 1u], r >> 1 & 1u);
    const gp__u64 before = s.before[r & 1u];
    gp__set_write<THREADS, ITEMS>(gp__as<Key>(a.out_keys) + before, results, int(kept));
    if (VALUE)
      values.write(before, gp__as<const gp__u16>(results + Tile::PLACES_AT), int(kept), results + Tile::VALUES_AT);
  }
  GP_DEVICE void meet(unsigned &meetings) const { gp__named_barrier(&s.meeting, meetings, THREADS); }
  // rank: a thread's results; becomes the number of the tile's results before them. Returns the tile's results.
  GP_DEVICE gp__u32 count(gp__u32 &rank, unsigned &meetings) const {
    const gp__u32 own = rank, upto = gp_warp_inclusive_scan(own, gp_sum<gp__u32>());
    if (gp_lane() == GP__WARP - 1) s.sum[gp_warp()] = upto;
    meet(meetings);
    rank = upto - own;
    gp__u32 all = 0;
    GP__EACH(w, THREADS / 32) {
      const gp__u32 sum = s.sum[w];
      rank += w < int(gp_warp()) ? sum : 0;
      all += sum;
    }
    return all;
  }
  GP_DEVICE void work() const {
    KeyLoads loads;
    if (!take(0, loads)) return;
    const LookBack l = look_back(s.tag);
    unsigned meetings = 0;
    Window behind = tile(0); // the tile whose results wait; their number
    gp__u32 waiting = 0;
    for (unsigned r = 0;; ++r) {
      gp__u8 *const results = results_of(r);
      const Window here = tile(r);
      Tile tile;
      tile.n = here.n, tile.m = here.m, tile.window = shared;
      here.store(loads, inputs, shared, tile.keys, tile.keys2);
      const Values values = Values::of(a, inputs.count[0], inputs.count[1], here);
      meet(meetings);
      Key key[ITEMS];
      int mine, i; // elements before the thread's part: of both inputs, of the first
      typename Tile::Mask second;
      const typename Tile::Mask marks = gp__set_part(tile, mine, i, key, second);
      ValueLoads moving; // in flight while results are counted
      if (VALUE) values.load(moving);
      gp__u32 rank = gp__u32(gp__bit_count(marks));
      const gp__u32 kept = count(rank, meetings);
      if (!threadIdx.x) {
        l.publish_aggregate(s.number[r & 1u], kept);
        s.kept[r & 1u] = kept;
      }
      gp__set_keep<Tile>(results, rank, key, marks, second, i, values.n + mine - i);
      if (VALUE) values.store(moving, results + Tile::VALUES_AT);
      const bool more = take(r + 1, loads);
      if (r) write(r - 1, Values::of(a, inputs.count[0], inputs.count[1], behind), waiting, results_of(r - 1));
      if (!more) { // all have seen that there is no more before this one gets its place
        write(r, values, kept, results);
        return;
      }
      behind = here;
      waiting = kept;
    }
  }
};
template<class P, int SET, class Before, class Key, class Value>
GP_DEVICE void gp__set_pipelined(const gp__merge_args &a) {
  typedef gp__set_pipeline<P, SET, Before, Key, Value> Pipeline;
  typedef typename Pipeline::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__set_inputs<Key, Before> inputs(a, Pipeline::Tile::SWAPPED);
  const Pipeline block = {
      a, s, shared, inputs, (inputs.count[0] + inputs.count[1] + Pipeline::STEP - 1) / Pipeline::STEP};
  if (block.tiles == 0) {
    if (!blockIdx.x && !threadIdx.x) *a.out_count = 0;
    return;
  }
  if (!threadIdx.x) {
    gp__mbarrier_init(&s.found, 1);
    gp__mbarrier_init(&s.taken, P::threads / 32);
    gp__mbarrier_init(&s.placed[0], 1);
    gp__mbarrier_init(&s.placed[1], 1);
    gp__mbarrier_init(&s.meeting, P::threads);
    gp__mbarrier_init_fence();
  }
  __syncthreads();
  if (gp_warp() == P::threads / 32) block.serve();
  else block.work();
}
#endif
