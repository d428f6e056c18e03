// sets/kernels.cuh - sets: the kernel
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, merge/arguments.h, device/operators.cuh,
//   device/warp.cuh, device/tile_reduce.cuh, device/tile_copy.cuh, device/tile_search.cuh, device/look_back.cuh,
//   device/kernel.cuh, merge/kernels.cuh, merge/tile_sort.cuh, sets/tile.cuh

// Called by one thread: writes the marked keys to `out` in shared memory. Returns false if keys are not words, or have
// values.
template<class Key, bool WORDS> struct gp__set_push {
  template<class Mask, int ITEMS> static GP_DEVICE bool run(Key *, const Key (&)[ITEMS], Mask) { return false; }
};
template<class Key> struct gp__set_push<Key, true> {
  template<class Mask, int ITEMS> static GP_DEVICE bool run(Key *out, const Key (&key)[ITEMS], Mask marks) {
    gp__shared_pointer to(out);
    GP__EACH(k, ITEMS) to.push_if(marks >> k & 1 ? 1 : 0, gp__bits_of(key[k]));
    return true;
  }
};

// Called by one thread: merges its part of a tile, from element `mine` on; i of the elements before it are of the first
// input. Returns which of the part's elements are results. `second`: which are of the second input.
template<class Tile, class Key, int ITEMS>
GP_DEVICE typename Tile::Mask gp__set_part(
    const Tile &tile, int &mine, int &i, Key (&key)[ITEMS], typename Tile::Mask &second) {
  const int size = tile.n + tile.m;
  mine = int(threadIdx.x) * ITEMS < size ? int(threadIdx.x) * ITEMS : size;
  const int count = size - mine < ITEMS ? size - mine : ITEMS;
  i = tile.split(mine);
  return tile.operate(i, mine - i, count, key, second);
}
// Called by one thread: writes its part's results to shared memory, after `before` others of the tile: keys and, with
// values, the places of these. place, place2: of the values of the part's first elements.
template<class Tile, class Key, int ITEMS>
GP_DEVICE void gp__set_keep(gp__u8 *results, gp__u32 before, const Key (&key)[ITEMS], typename Tile::Mask marks,
    typename Tile::Mask second, int place, int place2) {
  Key *out = gp__as<Key>(results) + before;
  if (gp__set_push<Key, Tile::WORDS>::run(out, key, marks)) return;
  gp__u16 *places = gp__as<gp__u16>(results + Tile::PLACES_AT) + before;
  GP__EACH(k, ITEMS) {
    const bool of_two = Tile::VALUE && (second >> k & 1);
    if (marks >> k & 1) {
      *out++ = key[k];
      if (Tile::VALUE) *places++ = gp__u16(of_two ? place2 : place);
    }
    if (of_two) ++place2;
    else ++place;
  }
}

// Called by a block: writes a tile's results to the output, at any alignment. Single words take fewer instructions than
// assembled vectors.
template<int THREADS, int ITEMS, class Key> GP_DEVICE void gp__set_write(Key *out, const gp__u8 *shared, int n) {
  if (sizeof(Key) != 4 && sizeof(Key) != 8) {
    gp__copy_from_shared<THREADS, GP_CACHE_ALL>(
        gp__as<gp__u8>(out), shared, unsigned(n) * unsigned(sizeof(Key)), threadIdx.x);
    return;
  }
  const Key *from = gp__as<const Key>(shared) + threadIdx.x;
  out += threadIdx.x;
  n -= int(threadIdx.x);
  GP__EACH(k, ITEMS)
    if (k * THREADS < n) out[k * THREADS] = from[k * THREADS];
}
// Called by a warp: searches memory for the ends of the block's first tile.
template<int STEP, class Key, class Before>
GP_DEVICE void gp__set_search(const gp__set_inputs<Key, Before> &inputs, gp__u64 number, gp__u64 (&at)[2][2]) {
  const gp__u64 begin = number * STEP, all = inputs.count[0] + inputs.count[1];
  const gp__u64 diagonal[2] = {begin, begin + STEP < all ? begin + STEP : all};
  gp__u64 split[2], found[2];
  gp__warp_merge_splits(inputs.keys[0], inputs.count[0], inputs.keys[1], inputs.count[1], diagonal, Before(), split);
  const int end = int(gp_lane());
  if (end < 2) {
    gp__balanced_path(inputs, end ? diagonal[1] : diagonal[0], end ? split[1] : split[0], found);
    at[end][0] = found[0], at[end][1] = found[1];
  }
}
// A tile's keys on their way to shared memory; each array keeps its alignment to 16 bytes.
template<class Key, class Loads> struct gp__set_window {
  static const unsigned SIZE = unsigned(sizeof(Key)), UNIT = unsigned(Loads::UNIT);
  gp__u64 number, first, first2; // the tile; its start in each input
  int n, m; // its elements of each
  GP_DEVICE gp__set_window(gp__u64 tile, const gp__u64 (&at)[2][2])
    : number(tile), first(at[0][0]), first2(at[0][1]), n(int(at[1][0] - first)), m(int(at[1][1] - first2)) {}
  static GP_DEVICE unsigned units(const gp__u8 *p, int count) {
    return count ? (gp__misalignment(p, UNIT) + unsigned(count) * SIZE + UNIT - 1) / UNIT : 0;
  }
  template<class Inputs> GP_DEVICE void load(Loads &loads, const Inputs &s) const {
    const gp__u8 *all = gp__bytes_at(s.keys[0]), *all2 = gp__bytes_at(s.keys[1]);
    const gp__u8 *p = all + first * SIZE, *q = all2 + first2 * SIZE;
    loads.load(p - gp__misalignment(p, UNIT), units(p, n), all, all + s.count[0] * SIZE, q - gp__misalignment(q, UNIT),
        units(q, m), all2, all2 + s.count[1] * SIZE);
  }
  // Stores to shared memory. keys, keys2: each input's keys there.
  template<class Inputs>
  GP_DEVICE void store(const Loads &loads, const Inputs &s, gp__u8 *shared, const Key *&keys, const Key *&keys2) const {
    const gp__u8 *p = gp__bytes_at(s.keys[0]) + first * SIZE, *q = gp__bytes_at(s.keys[1]) + first2 * SIZE;
    gp__u8 *const second = shared + units(p, n) * UNIT;
    loads.template store<~0u, 0>(shared, 0, units(p, n), second, 0, units(q, m));
    keys = gp__as<const Key>(shared + gp__misalignment(p, UNIT));
    keys2 = gp__as<const Key>(second + gp__misalignment(q, UNIT));
  }
};

// Called by a block: looks back, then writes a tile's `kept` results to the output. The aggregates of this tile and of
// those before were published one tile ago, so waits are short.
template<class Tile, class Values, class Window, class LookBack>
GP_DEVICE void gp__set_finish(const gp__merge_args &a, LookBack &look_back, const Window &tile, gp__u64 tiles,
    const Values &values, gp__u32 kept, const gp__u8 *results, typename Tile::Storage &s) {
  typedef typename Tile::KeyType Key;
  if (!gp_warp()) {
    const gp_carry<gp__u64> before = look_back(tile.number, kept);
    if (!gp_lane()) {
      s.before = before.has ? before.value : 0;
      if (tile.number == tiles - 1) *a.out_count = s.before + kept;
    }
  }
  __syncthreads();
  gp__set_write<Tile::THREADS, Tile::ITEMS>(gp__as<Key>(a.out_keys) + s.before, results, int(kept));
  if (Tile::VALUE)
    values.write(s.before, gp__as<const gp__u16>(results + Tile::PLACES_AT), int(kept), results + Tile::VALUES_AT);
}

// While a block merges a tile, it loads the ends of the next one and draws the number of the one after that. A tile's
// results wait in shared memory until the next one's are counted: a block publishes a tile's aggregate before it asks
// for earlier ones, so that blocks do not wait for each other in chains. Meanwhile the next tile's keys are loaded. If
// no launch has found borders, a block finds the ends of its first tile.
template<class P, int SET, class Before, class Key, class Value>
GP_DEVICE void gp__set_operation(const gp__merge_args &a) {
  typedef gp__set_tile<P, SET, Before, Key, Value> Tile;
  typedef typename Tile::Storage Storage;
  const int THREADS = P::threads, ITEMS = Tile::ITEMS, TILE = Tile::TILE, VALUE = Tile::VALUE;
  typedef gp__two_loads<THREADS, ITEMS, P::load, Key> KeyLoads;
  typedef gp__two_loads<THREADS, ITEMS, P::load, typename gp__either<VALUE == 0, Key, Value>::type> ValueLoads;
  typedef gp__look_back<gp__u64, gp_sum<gp__u64>> LookBack;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__set_inputs<Key, Before> inputs(a, Tile::SWAPPED);
  const gp__u64 n = inputs.count[0], m = inputs.count[1], all = n + m, tiles = (all + TILE - 2) / (TILE - 1);
  if (tiles == 0) {
    if (!blockIdx.x && !threadIdx.x) *a.out_count = 0;
    return;
  }
  // Without borders a block has one tile. Otherwise it draws until it has two numbers that no tile has.
  const gp__u64 draws = a.borders ? tiles + 2 * gridDim.x : gridDim.x;
  if (!threadIdx.x) s.ticket = gp__draw(a.workspace, draws);
  __syncthreads();
  const gp__ticket drawn = s.ticket;
  const auto end_of = [&](gp__u64 number, unsigned i) { // found by the launch before
    return a.borders[number * 2 + (i ^ (Tile::SWAPPED ? 1 : 0))];
  };
  if (drawn.number < tiles && !gp_warp()) {
    if (!a.borders) gp__set_search<TILE - 1>(inputs, drawn.number, s.at);
    else if (threadIdx.x < 4) s.at[threadIdx.x >> 1][threadIdx.x & 1] = end_of(drawn.number, threadIdx.x);
  }
  __syncthreads();
  if (!threadIdx.x) {
    if (a.borders) s.ticket = gp__draw(a.workspace, draws);
    else s.ticket.number = tiles;
  }
  if (drawn.number >= tiles) return;
  typedef gp__set_window<Key, KeyLoads> Window;
  typedef gp__set_tile_values<Tile, ValueLoads, Value> Values;
  LookBack look_back = {gp__words(a.workspace), tiles, drawn.tag, gp_carry<gp__u64>(), false};
  look_back.start.value = 0;
  look_back.start.has = false;
  Window here(drawn.number, s.at), behind = here; // behind: the tile whose results wait
  KeyLoads loads;
  here.load(loads, inputs);
  gp__u32 waiting = 0; // its results
  gp__u8 *results = shared + Tile::RESULTS_AT, *others = results + Tile::RESULT;
  for (bool first = true;; first = false) {
    Tile tile;
    tile.n = here.n, tile.m = here.m, tile.window = shared;
    here.store(loads, inputs, shared, tile.keys, tile.keys2);
    const Values values = Values::of(a, n, m, here);
    __syncthreads();
    const gp__u64 next = s.ticket.number;
    gp__u64 border = 0, was = 0;
    if (threadIdx.x < 4 && next < tiles) border = end_of(next, threadIdx.x);
    if (!threadIdx.x && a.borders) was = gp__add_relaxed(gp__as<gp__u64>(a.workspace), 1);
    Key key[ITEMS];
    int mine, i; // elements before the thread's part: of both inputs, of the first
    typename Tile::Mask second;
    const typename Tile::Mask marks = gp__set_part(tile, mine, i, key, second);
    ValueLoads moving; // in flight while results are counted
    if (VALUE) values.load(moving);
    if (threadIdx.x < 4) s.at[threadIdx.x >> 1][threadIdx.x & 1] = border;
    gp__u32 rank = gp__u32(gp__bit_count(marks));
    const gp__u32 kept = gp_tile_exclusive_scan<THREADS>(rank, gp_sum<gp__u32>(), s.scan);
    if (!threadIdx.x) {
      look_back.publish_aggregate(here.number, kept);
      s.ticket = a.borders ? gp__ticket_of(a.workspace, draws, was) : gp__ticket{drawn.tag, tiles};
    }
    gp__set_keep<Tile>(results, rank, key, marks, second, i, values.n + mine - i);
    if (VALUE) values.store(moving, results + Tile::VALUES_AT);
    const Window then(next, s.at);
    if (next < tiles) then.load(loads, inputs);
    if (!first) {
      const Values before = Values::of(a, n, m, behind);
      gp__set_finish<Tile>(a, look_back, behind, tiles, before, waiting, others, s);
      if (next >= tiles) __syncthreads(); // s.before is written again
    }
    if (next >= tiles) {
      gp__set_finish<Tile>(a, look_back, here, tiles, values, kept, results, s);
      return;
    }
    gp__u8 *const free = others;
    others = results;
    results = free;
    behind = here;
    waiting = kept;
    here = then;
  }
}
