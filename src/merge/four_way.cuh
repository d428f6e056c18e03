// merge/four_way.cuh - merge sort: four runs at a time
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, merge/policy.h, merge/arguments.h,
//   device/types.cuh, device/warp.cuh, device/tile_copy.cuh, device/kernel.cuh, merge/kernels.cuh, merge/tile_sort.cuh

// Four-way passes merge a group of four runs into one, which halves the passes over memory. A launch finds where each
// tile of the result begins in each run. Then a block merges a tile: two pairs of runs at once, then the two results.
// Runs are tiles times powers of two, so that no tile belongs to two groups.
//
// gp__four_split finds where the first `rank` elements of four merged runs end in each run; of equal keys those of the
// earlier run come first. LANES neighbouring threads work together, a quarter of them on each run. `keys` is the
// thread's run, `length` the number of its keys that may be among the first, and the result the number that are. Evenly
// spaced keys of each run's rest are probes. A probe's place among the other runs' probes bounds the keys before it:
// lesser probes give the least number, the next probe the most. If the most is below `rank`, the probe and all keys
// before it are among the first. If the least is `rank` or more, the probe and all keys after it are not. `probe` has
// room for LANES keys. All lanes of a warp call; if LANES exceeds a warp, all threads of the block.
template<int LANES> struct gp__four_split {
  static const int PROBES = LANES / 4;
  struct Storage {
    gp__u64 rest[4], taken[4]; // keys of each run
  };
  template<int N> struct Storages { Storage of[N]; };
  static GP_DEVICE bool any(bool x) {
    if (LANES > GP__WARP) return __syncthreads_or(x);
    __syncwarp();
    return __ballot_sync(~0u, x) != 0;
  }
  static GP_DEVICE void synchronise() {
    if (LANES > GP__WARP) __syncthreads();
    else __syncwarp();
  }
  // Index of the k-th probe of `rest` keys. There may be fewer keys than probes. Two probes are near the thirds.
  template<class Count> static GP_DEVICE Count probe_at(int k, Count rest) {
    const int STEP = PROBES == 2 ? 11 : 2, FIRST = PROBES == 2 ? 11 : 1, ALL = PROBES == 2 ? 32 : 2 * PROBES;
    return Count(gp__u64(STEP * k + FIRST) * rest / ALL);
  }
  static GP_DEVICE int of_run(unsigned lanes) {
    return __popc(lanes >> (gp_lane() & ~unsigned(PROBES - 1)) & (~0u >> (32 - PROBES)));
  }
  template<class Before, class Count, class Key>
  static GP_DEVICE Count run(const Key *keys, Count length, Count rank, Key *probe, Storage &s) {
    const int lane = int(threadIdx.x) % LANES, mine = lane / PROBES, k = lane % PROBES;
    const Key &x = probe[lane];
    Count passed = 0;
    for (;;) {
      const bool there = length > 0;
      const Count at = probe_at(k, length);
      if (there) probe[lane] = keys[passed + at];
      if (k == 0) s.rest[mine] = length;
      if (!any(there)) return passed;
      int lesser[3] = {0, 0, 0}; // lesser probes of the other runs
      GP__UNROLL
      for (int left = PROBES; left; left /= 2) {
        const int step = left > 1 ? left / 2 : 1;
        GP__EACH(i, 3) {
          const int r = (mine + i + 1) % 4;
          const bool earlier = r < mine;
          if (!there || s.rest[r] == 0) continue;
          const Key &y = probe[r * PROBES + lesser[i] + step - 1];
          if (Before()(earlier ? x : y, earlier ? y : x) != earlier) lesser[i] += step;
        }
      }
      Count least = at, most = at;
      GP__EACH(i, 3) {
        const Count rest = Count(s.rest[(mine + i + 1) % 4]);
        least += lesser[i] ? probe_at(lesser[i] - 1, rest) + 1 : 0;
        most += lesser[i] < PROBES ? probe_at(lesser[i], rest) : rest;
      }
      const int ins = of_run(__ballot_sync(~0u, there && most < rank)),
                outs = of_run(__ballot_sync(~0u, there && least >= rank));
      const Count taken = ins ? probe_at(ins - 1, length) + 1 : 0,
                  end = outs ? probe_at(PROBES - outs, length) : length;
      passed += taken;
      length = end - taken;
      if (k == 0) s.taken[mine] = taken;
      synchronise(); // the probes have been read
      GP__EACH(r, 4) rank -= Count(s.taken[r]);
    }
  }
};

// A tile's group: its first element, and the lengths of its runs.
struct gp__four_runs {
  gp__u64 base, run, length[4];
  GP_DEVICE gp__four_runs(const gp__merge_args &a, gp__u64 count, gp__u64 tile_items, gp__u64 tile) {
    const unsigned log2_group = a.log2_run + a.log2_ways;
    base = (tile >> log2_group << log2_group) * tile_items;
    run = tile_items << a.log2_run;
    GP__EACH(r, 4) {
      const gp__u64 from = base + unsigned(r) * run, rest = from < count && r >> a.log2_ways == 0 ? count - from : 0;
      length[r] = rest < run ? rest : run;
    }
  }
  GP_DEVICE gp__u64 of(unsigned run_of_group) const {
    gp__u64 x = length[0];
    GP__UNROLL
    for (unsigned r = 1; r < 4; ++r) x = r == run_of_group ? length[r] : x;
    return x;
  }
};
template<class P, class Before, class Key, class Value> GP_DEVICE void gp__merge_four_borders(const gp__merge_args &a) {
  typedef gp__four_split<GP__FOUR_LANES> Split;
  typedef typename Split::template Storages<P::threads / GP__FOUR_LANES> Storage;
  const gp__u64 TILE = gp__tile_sorter<P, Before, Key, Value>::TILE;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  const unsigned group = threadIdx.x / GP__FOUR_LANES, mine = threadIdx.x % GP__FOUR_LANES / Split::PROBES;
  Key *const probe = gp__as<Key>(shared) + group * GP__FOUR_LANES;
  const gp__u64 BORDERS = P::threads / GP__FOUR_LANES, tiles = (n + TILE - 1) / TILE;
  for (gp__u64 first = blockIdx.x * BORDERS; first < tiles; first += gridDim.x * BORDERS) {
    const gp__u64 t = first + group;
    const gp__four_runs runs(a, n, TILE, t);
    const gp__u64 rank = t < tiles ? t * TILE - runs.base : 0;
    const gp__u64 whole = runs.of(mine), length = whole < rank ? whole : rank;
    const Key *const keys = gp__as<const Key>(a.keys) + (runs.base + mine * runs.run);
    const gp__u64 border = n >> 31
        ? Split::template run<Before>(keys, length, rank, probe, s.of[group])
        : Split::template run<Before>(keys, gp__u32(length), gp__u32(rank), probe, s.of[group]);
    if (t < tiles && threadIdx.x % Split::PROBES == 0) a.borders[t * 4 + mine] = border;
  }
}

// The value of a key, or its place. `named`: the place is in shared memory already.
template<class Value, bool CARRIED> struct gp__carried_values {
  typedef Value type;
  static GP_DEVICE Value of(const Value *carried, gp__u32 source, bool) { return carried[source]; }
};
template<class Value> struct gp__carried_values<Value, false> {
  typedef unsigned short type;
  static GP_DEVICE type of(const type *carried, gp__u32 source, bool named) {
    return named ? carried[source] : type(source);
  }
};
template<class P, class Before, class Key, class Value> struct gp__four_merger {
  typedef gp__tile_sorter<P, Before, Key, Value> Sorter;
  typedef typename gp__unit<Key>::type Unit;
  static const int THREADS = P::threads, KEY = Sorter::KEY, VALUE = Sorter::VALUE, ITEMS = Sorter::ITEMS,
                   TILE = Sorter::TILE, PART = gp__merge_four_part(ITEMS), UNIT = gp__unit<Key>::BYTES,
                   COUNT = (TILE * KEY / UNIT + (UNIT > KEY ? 8 : 0) + THREADS - 1) / THREADS,
                   SLACK = gp__merge_slack_bytes(ITEMS, KEY) / UNIT, // after the keys: compared, never taken
      CARRIED_AT = gp__merge_window_bytes(TILE, KEY, 4) + gp__merge_slack_bytes(ITEMS, KEY),
                   LANES = THREADS < 256 ? THREADS / 2 : 128; // lanes that find a border within a block
  static const bool CARRIED = gp__merge_carries(VALUE) != 0;
  typedef gp__carried_values<Value, CARRIED> Carrier;
  typedef typename Carrier::type Carried;
  typedef gp__four_split<LANES> Split;
  struct Storage {
    typename Split::Storage split[THREADS / LANES];
    gp__u64 border[8];
  };

  // A tile's parts of its group's runs: in memory, and consecutive in shared memory, where they are loaded by units.
  struct Parts {
    const gp__u8 *begin_of_keys, *end_of_keys; //
    gp__u64 from[4]; // from the first key, minus the bytes of earlier units
    gp__u64 begin[4]; // first element in each run
    unsigned units[5]; // units of earlier parts
    int count[4], behind[5]; // elements of a part, and of earlier parts
    gp__u32 at[4], last; // byte offsets of parts, and of the last key of all
    bool whole; // units are within the keys
    // border: start of the tile in each run, then of the next tile.
    GP_DEVICE Parts(const gp__merge_args &a, const gp__four_runs &runs, gp__u64 n, bool ends, const gp__u64 *border)
      : last(0), whole(true) {
      begin_of_keys = gp__as<const gp__u8>(a.keys);
      end_of_keys = begin_of_keys + n * KEY;
      units[0] = 0, behind[0] = 0;
      GP__EACH(r, 4) {
        begin[r] = border[r];
        count[r] = int((ends ? runs.length[r] : border[4 + r]) - begin[r]);
        const gp__u8 *p = begin_of_keys + (runs.base + unsigned(r) * runs.run + begin[r]) * KEY;
        const unsigned shift = gp__misalignment(p, UNIT), mine = (shift + unsigned(count[r] * KEY) + UNIT - 1) / UNIT;
        p -= shift;
        units[r + 1] = units[r] + (count[r] ? mine : 0);
        behind[r + 1] = behind[r] + count[r];
        whole = whole && (count[r] == 0 || (p >= begin_of_keys && p + mine * UNIT <= end_of_keys));
        from[r] = gp__u64(p - begin_of_keys) - units[r] * UNIT;
        at[r] = units[r] * UNIT + shift;
        if (count[r]) last = at[r] + gp__u32((count[r] - 1) * KEY);
      }
    }
    GP_DEVICE int tile() const { return behind[4]; }
    template<bool WHOLE> GP_DEVICE void load(Unit &unit, unsigned i, const gp__u8 *begin, const gp__u8 *end) const {
      const gp__u64 p = i < units[1] ? from[0] : i < units[2] ? from[1] : i < units[3] ? from[2] : from[3];
      gp__load_unit_between<WHOLE, P::load, Key>(unit, begin + (p + i * unsigned(UNIT)), begin, end);
    }
  };
  // Two sorted sequences of keys in shared memory: byte offsets and lengths.
  struct Two {
    gp__u32 at, at2;
    int count, count2;
  };
  // Called by one thread: merges N elements of both, from element `mine` on.
  template<int N>
  static GP_DEVICE void merge(
      const gp__u8 *shared, const Two &two, int mine, gp__u32 last, Key (&key)[N], gp__u32 (&source)[VALUE ? N : 1]) {
    const gp__u32 reach = 0x80000000u >> __clz((two.count < two.count2 ? two.count : two.count2) | 1);
    Sorter::template merge<false>(shared, two.at, two.count, two.at2, two.count2, mine, reach, last, key, source);
  }
  static GP_DEVICE int at_most(int x, int most) { return x < most ? x : most; }
  // Called by a block: loads the tile's keys to shared memory, or values of the same size and alignment.
  static GP_DEVICE void fetch(const Parts &parts, const gp__u8 *begin, const gp__u8 *end, gp__u8 *shared) {
    const unsigned units = parts.units[4];
    if (parts.whole) {
      Unit unit[COUNT];
      GP__EACH(k, COUNT) {
        const unsigned i = unsigned(k * THREADS) + threadIdx.x;
        if (i < units) parts.template load<true>(unit[k], i, begin, end);
      }
      GP__EACH(k, COUNT) {
        const unsigned i = unsigned(k * THREADS) + threadIdx.x;
        if (i < units) gp__as<Unit>(shared)[i] = unit[k];
      }
    } else {
      for (unsigned i = threadIdx.x; i < units; i += THREADS) {
        Unit unit = Unit();
        parts.template load<false>(unit, i, begin, end);
        gp__as<Unit>(shared)[i] = unit;
      }
    }
  }
  template<bool FULL, int N>
  static GP_DEVICE void put(
      Key *keys, Carried *carried, int here, const Key (&key)[N], const Carried (&with)[VALUE ? N : 1]) {
    GP__EACH(k, N)
      if (FULL || k < here) {
        keys[k] = key[k];
        if (VALUE) carried[k] = with[VALUE ? k : 0];
      }
  }
  // Called by a block: a thread merges N elements of `two` from element `mine` on, of which `here` exist, and stores
  // them from `to` on.
  template<int N>
  static GP_DEVICE void merge_to(gp__u8 *shared, const Two &two, int mine, int here, gp__u32 last, int to, bool named) {
    Carried *const carried = gp__as<Carried>(shared + CARRIED_AT);
    Key key[N];
    gp__u32 source[VALUE ? N : 1];
    Carried with[VALUE ? N : 1];
    merge(shared, two, mine, last, key, source);
    GP__UNROLL
    for (int k = 0; VALUE && k < N; ++k)
      if (k < here) with[VALUE ? k : 0] = Carrier::of(carried, source[VALUE ? k : 0], named);
    __syncthreads();
    if (here == N) put<true>(gp__as<Key>(shared) + to, carried + to, here, key, with);
    else put<false>(gp__as<Key>(shared) + to, carried + to, here, key, with);
    __syncthreads();
  }
  // Called by a block: merges the first two parts and, by other threads, the last two, to follow them.
  static GP_DEVICE void merge_pairs(const Parts &parts, gp__u8 *shared) {
    const int first_ends = parts.behind[2], threads = (first_ends + PART - 1) / PART;
    const bool later = int(threadIdx.x) >= threads; // thread of the second pair
    const int base = later ? first_ends : 0, all = later ? parts.tile() - first_ends : first_ends;
    const int mine = at_most((int(threadIdx.x) - (later ? threads : 0)) * PART, all), here = at_most(all - mine, PART);
    Two two = {parts.at[0], parts.at[1], parts.count[0], parts.count[1]};
    if (later) two.at = parts.at[2], two.at2 = parts.at[3], two.count = parts.count[2], two.count2 = parts.count[3];
    merge_to<PART>(shared, two, mine, here, parts.last, base + mine, false);
  }
  // Called by a block: loads values; a value's index in shared memory is that of its key.
  static GP_DEVICE void fetch_values(
      const gp__merge_args &, const gp__four_runs &, const Parts &, void *, const gp__none *, gp__u64) {}
  template<class V>
  static GP_DEVICE void fetch_values(
      const gp__merge_args &a, const gp__four_runs &runs, const Parts &parts, void *to, const V *values, gp__u64 n) {
    if (VALUE == KEY && gp__misalignment(a.keys, UNIT) == gp__misalignment(values, UNIT)) {
      fetch(parts, gp__bytes_at(values), gp__bytes_at(values) + n * KEY, gp__as<gp__u8>(to));
    } else {
      const int *const behind = parts.behind;
      const V *from[4];
      int by[4];
      GP__EACH(r, 4) {
        from[r] = values + (runs.base + unsigned(r) * runs.run + parts.begin[r]) - behind[r];
        by[r] = int(parts.at[r]) / KEY - behind[r];
      }
      GP__UNROLL_BY(4)
      for (int i = int(threadIdx.x); i < parts.tile(); i += THREADS) {
        const V *const p = i < behind[1] ? from[0] : i < behind[2] ? from[1] : i < behind[3] ? from[2] : from[3];
        const int k = i < behind[1] ? by[0] : i < behind[2] ? by[1] : i < behind[3] ? by[2] : by[3];
        gp__as<V>(to)[i + k] = p[i];
      }
    }
  }
  // Called by a block: copies values from memory to the output, piece by piece, in the order of `sources`. A warp reads
  // neighbours of each run.
  static GP_DEVICE void move(
      const gp__merge_args &, const gp__four_runs &, const Parts &, const void *, gp__u64, const gp__none *) {}
  template<class V>
  static GP_DEVICE void move(const gp__merge_args &a, const gp__four_runs &runs, const Parts &parts,
      const void *sources, gp__u64 first, const V *values) {
    typedef typename gp__picked<V>::Piece Piece;
    const int PIECES = int(sizeof(V)) / gp__picked<V>::PIECE;
    const V *from[4];
    unsigned begin[4];
    GP__EACH(r, 4) {
      from[r] = values + (runs.base + unsigned(r) * runs.run + parts.begin[r]) - parts.at[r] / KEY;
      begin[r] = parts.units[r] * UNIT / KEY;
    }
    Piece *const out = gp__as<Piece>(gp__as<V>(a.out_values) + first);
    GP__UNROLL_BY(4)
    for (int i = int(threadIdx.x); i < parts.tile() * PIECES; i += THREADS) {
      const unsigned k = gp__as<const gp__u16>(sources)[i / PIECES];
      const V *p = k >= begin[3] ? from[3] : k >= begin[2] ? from[2] : k >= begin[1] ? from[1] : from[0];
      out[i] = gp__as<const Piece>(p + k)[i % PIECES];
    }
  }
  // Called by a block: finds the start of a tile, and of the next one if it is in the same group.
  static GP_DEVICE void find(
      const gp__merge_args &a, const gp__four_runs &runs, gp__u64 t, bool ends, Storage &s, gp__u8 *shared) {
    const unsigned which = threadIdx.x / LANES, mine = threadIdx.x % LANES / Split::PROBES;
    const gp__u64 rank = which > 1 || (which == 1 && ends) ? 0 : (t + which) * TILE - runs.base, whole = runs.of(mine);
    const gp__u32 border = Split::template run<Before>(gp__as<const Key>(a.keys) + (runs.base + mine * runs.run),
        gp__u32(whole < rank ? whole : rank), gp__u32(rank), gp__as<Key>(shared) + which * LANES, s.split[which]);
    if (which < 2 && threadIdx.x % Split::PROBES == 0) s.border[which * 4 + mine] = border;
    __syncthreads();
  }
  // Called by a block: merges tile t of the pass.
  static GP_DEVICE void tile(const gp__merge_args &a, gp__u64 n, gp__u64 t, gp__u8 *shared, Storage &s) {
    const bool four = a.log2_ways == 2;
    const bool ends = (t + 1) * TILE >= n || ((t + 1) & ((gp__u64(1) << (a.log2_run + a.log2_ways)) - 1)) == 0; // group
    const gp__four_runs runs(a, n, TILE, t);
    if (!a.borders) find(a, runs, t, ends, s, shared);
    const Parts parts(a, runs, n, ends, a.borders ? a.borders + t * 4 : s.border);
    const Value *const values = gp__as<const Value>(a.values);
    const int tile = parts.tile();
    Two two = {parts.at[0], parts.at[1], parts.count[0], parts.count[1]};
    gp__u32 last = parts.last;
    Carried *const carried = gp__as<Carried>(shared + CARRIED_AT);
    if (CARRIED) fetch_values(a, runs, parts, carried, values, n);
    fetch(parts, parts.begin_of_keys, parts.end_of_keys, shared);
    if (int(threadIdx.x) < SLACK) gp__as<Unit>(shared)[parts.units[4] + threadIdx.x] = Unit();
    __syncthreads();
    if (four) {
      merge_pairs(parts, shared);
      two = Two{0, gp__u32(parts.behind[2] * KEY), parts.behind[2], tile - parts.behind[2]};
      last = gp__u32((tile - 1) * KEY);
    }
    const int mine = at_most(int(threadIdx.x) * ITEMS, tile), here = at_most(tile - mine, ITEMS);
    merge_to<ITEMS>(shared, two, mine, here, last, mine, four);
    gp__copy_from_shared<THREADS, P::store>(
        gp__as<gp__u8>(a.out_keys) + t * TILE * unsigned(KEY), shared, unsigned(tile) * unsigned(KEY), threadIdx.x);
    if (CARRIED)
      gp__copy_from_shared<THREADS, P::store>(gp__as<gp__u8>(a.out_values) + t * TILE * unsigned(VALUE),
          gp__bytes_at(carried), unsigned(tile * VALUE), threadIdx.x);
    else move(a, runs, parts, carried, t * TILE, values);
  }
};
// One block a tile.
template<class P, class Before, class Key, class Value> GP_DEVICE void gp__merge_four(const gp__merge_args &a) {
  typedef gp__four_merger<P, Before, Key, Value> Merger;
  typedef typename Merger::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  if (blockIdx.x * gp__u64(Merger::TILE) < n) Merger::tile(a, n, blockIdx.x, shared, s);
}
