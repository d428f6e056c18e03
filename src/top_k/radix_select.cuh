// top_k/radix_select.cuh - top-k of many, nth element: radix select
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, top_k/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/tile_reduce.cuh, device/look_back.cuh,
//   device/kernel.cuh, histogram/counts.cuh, scan/kernels.cuh, top_k/lists.cuh

// Alabi, Blanchard, Gordon and Steinbach, Fast k-Selection Algorithms for Graphics Processing Units; Zhang, Naruse, Li
// and Wang, Parallel Top-K Algorithms on GPU.
//
// One launch a digit of the keys, the most significant first. It counts the next digit of keys that have the k-th key's
// known upper bits; the last block to finish finds that digit of the k-th key. Once few enough keys are left, a launch
// puts them aside, and later launches read only those. If k of many keys are wanted without values, one launch does all
// this (a bounded select), and most often reads all keys but once.

// The bits of digit `level`: how far up the known bits begin, the digit's shift, and its bins.
struct gp__select_digit {
  int known, shift, bins;
  GP_DEVICE gp__select_digit(int key_bits, int level) {
    const int top = key_bits - level * GP__SELECT_BITS;
    known = top;
    shift = top > GP__SELECT_BITS ? top - GP__SELECT_BITS : 0;
    bins = 1 << (top - shift);
  }
};
GP_DEVICE gp__u64 *gp__select_bins(const gp__top_k_args &a, gp__u64 row) {
  return gp__as<gp__u64>(a.bins) + row * GP__SELECT_BINS;
}

// A bin, the keys in the bins before it, and those in it.
struct gp__select_bin {
  gp__u64 bin, before, inside;
};
template<int THREADS, int COPIES> struct gp__select_storage {
  gp_tile_scan_storage<THREADS, gp__u64> scan;
  gp__ticket ticket;
  gp__select_bin found;
  gp__u32 last;
  alignas(16) gp__u32 count[GP__SELECT_BINS * COPIES];
};
// Adds the block's counts to the row's.
template<int THREADS, int COPIES>
GP_DEVICE void gp__select_add(gp__u64 *bins, int all, const gp__select_storage<THREADS, COPIES> &s) {
  for (int i = threadIdx.x; i < all; i += THREADS) {
    gp__u32 sum = 0;
    GP__EACH(c, COPIES) sum += s.count[i * COPIES + c];
    if (sum) atomicAdd(bins + i, gp__u64(sum));
  }
}
// Finds the bin of the key at `rank`: one thread does, and returns true. All threads call.
template<int THREADS, bool CLEARS, class Storage>
GP_DEVICE bool gp__select_find(gp__u64 *bins, gp__u64 rank, Storage &s, gp__select_bin &found) {
  const int EACH = GP__SELECT_BINS / THREADS;
  gp__u64 n[EACH], mine = 0;
  GP__UNROLL
  for (int j = 0; j < EACH; j += 2) {
    union {
      gp_vector vector;
      gp__u64 two[2];
    } pair;
    pair.vector = gp__load_vector<GP_CACHE_L2>(bins + threadIdx.x * EACH + j);
    n[j] = pair.two[0];
    n[j + 1] = pair.two[1];
    mine += n[j] + n[j + 1];
    if (CLEARS) gp__store_vector<GP_CACHE_ALL>(bins + threadIdx.x * EACH + j, gp_vector{{0, 0, 0, 0}});
  }
  gp__u64 before = mine;
  gp_tile_exclusive_scan<THREADS>(before, gp_sum<gp__u64>(), s.scan);
  if (before > rank || rank >= before + mine) return false;
  GP__EACH(j, EACH) {
    if (before <= rank && rank < before + n[j]) found = gp__select_bin{threadIdx.x * EACH + j, before, n[j]};
    before += n[j];
  }
  return true;
}
// Ends a pass: the last block finds the digit.
template<class P, class T, bool DESCENDING, int COPIES>
GP_DEVICE void gp__select_finish(
    const gp__top_k_args &a, gp__u64 row, const gp__select_digit &digit, gp__select_storage<P::threads, COPIES> &s) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  gp__u64 *bins = gp__select_bins(a, row);
  gp__select_add(bins, digit.bins, s);
  __syncthreads();
  if (!threadIdx.x) {
    __threadfence();
    s.last = atomicAdd(&state->arrived, 1ull) + 1 == a.blocks;
    __threadfence();
  }
  __syncthreads();
  if (!s.last) return;
  const gp__u64 rank = state->rank, prefix = state->prefix; // all threads have read them before one finds the bin
  gp__select_bin at;
  if (!gp__select_find<P::threads, true>(bins, rank, s, at)) return;
  state->prefix = prefix << (digit.known - digit.shift) | at.bin;
  state->rank = rank - at.before;
  if (!state->buffered) state->buffered = a.level > 0 && state->inside <= a.room;
  state->inside = at.inside;
  state->arrived = 0;
  if (digit.shift == 0 && a.nth) gp__as<Bits>(a.out_keys)[row] = Key::decode(Bits(state->prefix));
}

// Passes a block's share of a row's keys, or of those put aside, to f by vectors, tile by tile: f.take(keys, number).
template<class P, class Bits, class F>
GP_DEVICE void gp__select_tiles(const Bits *in, gp__u64 n, gp__u64 share, gp__u64 shares, F &f) {
  typedef gp__key_tile<P, Bits> Tile;
  const unsigned misaligned = gp__misalignment(in, 16);
  const gp__u64 apart = shares * Tile::ITEMS;
  Tile now;
  now.load(in, share * Tile::ITEMS, n, misaligned);
  for (gp__u64 first = share * Tile::ITEMS; first < n; first += apart) {
    Tile next; // in flight meanwhile
    next.load(in, first + apart, n, misaligned);
    GP__EACH(i, Tile::K) f.take(now.x[i], Tile::there(Tile::at(first, i), n));
    now = next;
  }
}

// Counts a digit of keys whose upper bits are `prefix`; of all keys, if it is the first digit.
template<class P, class T, bool DESCENDING> struct gp__select_counter {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  static const int COPIES = 4, V = 16 / int(sizeof(T));
  typedef gp__select_storage<P::threads, COPIES> Storage;
  gp__u32 *count; // this lane's copy
  gp__u64 prefix;
  gp__u32 bins;
  int shift, width; // width: bits of the digit
  GP_DEVICE gp__select_counter(Storage &s, gp__u64 known, const gp__select_digit &digit)
    : count(s.count + gp_lane() % COPIES), prefix(known), bins(gp__u32(digit.bins)), shift(digit.shift),
      width(digit.known - digit.shift) {}
  GP_DEVICE void take(const gp__vector_access<Bits, V> &x, int there) {
    GP__EACH(j, V) {
      const gp__u64 bits = gp__u64(Key::encode(x.item[j]) >> shift);
      if (j < there && bits >> width == prefix) atomicAdd(count + (gp__u32(bits) & (bins - 1)) * COPIES, 1u);
    }
  }
};
// Called by a row's first block: clears what its blocks add to, and publishes that as a word.
template<int THREADS>
GP_DEVICE void gp__select_begin(const gp__top_k_args &a, gp__u64 row, gp__u64 n, gp__u64 *bins, int all, gp__u64 tag) {
  for (int i = threadIdx.x; i < all; i += THREADS) bins[i] = 0;
  if (!threadIdx.x) {
    gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
    state->prefix = state->arrived = state->appended = state->buffered = 0;
    state->rank = a.k - 1 < n ? a.k - 1 : n - 1;
    state->inside = n;
  }
  __syncthreads();
  if (!threadIdx.x) {
    __threadfence();
    gp__publish(gp__words(a.workspace), row, 0u, tag);
  }
}
// Called by all blocks, before they add.
GP_DEVICE void gp__select_await(const gp__top_k_args &a, gp__u64 row, gp__u64 tag) {
  if (!threadIdx.x) {
    gp__receive<gp__u32>(gp__words(a.workspace), row, tag);
    __threadfence();
  }
  __syncthreads();
}
// Barrier of a row's blocks; arrivals: theirs so far.
GP_DEVICE void gp__select_meet(gp__select_state *state, gp__u64 arrivals) {
  __syncthreads();
  if (!threadIdx.x) {
    gp__fence();
    gp__add_relaxed(&state->arrived, 1);
    while (gp__load_relaxed(&state->arrived) < arrivals) {}
    gp__fence();
  }
  __syncthreads();
}
// The first digit: every key counts.
template<class P, class T, bool DESCENDING> GP_DEVICE void gp__select_first(const gp__top_k_args &a) {
  typedef gp__select_counter<P, T, DESCENDING> First;
  typedef typename First::Bits Bits;
  GP_SHARED(typename First::Storage, s);
  for (int i = threadIdx.x; i < GP__SELECT_BINS * First::COPIES; i += P::threads) s.count[i] = 0;
  gp__pdl_wait<P>();
  if (!threadIdx.x) s.ticket = gp__draw(a.workspace, a.rows * a.blocks);
  __syncthreads();
  const gp__ticket ticket = s.ticket;
  const gp__u64 row = ticket.number / a.blocks, share = ticket.number % a.blocks;
  const gp__u64 n = gp__count(a);
  if (share == 0) gp__select_begin<P::threads>(a, row, n, gp__select_bins(a, row), GP__SELECT_BINS, ticket.tag);
  const gp__select_digit digit(8 * int(sizeof(T)), 0);
  First first(s, 0, digit);
  gp__select_tiles<P>(gp__as<const Bits>(a.keys) + row * a.count, n, share, a.blocks, first);
  gp__select_await(a, row, ticket.tag);
  gp__select_finish<P, T, DESCENDING, First::COPIES>(a, row, digit, s);
}

// A warp's way to put keys into memory, in any order, until there is no room: BYTES of shared memory.
template<class Bits, int BYTES> struct gp__select_stage {
  static const int V = 16 / int(sizeof(Bits)), PLACES = BYTES / int(sizeof(Bits));
  Bits *stage, *to;
  gp__u64 *appended, room;
  gp__u32 staged;
  bool full;
  GP_DEVICE gp__select_stage(void *shared, Bits *out, gp__u64 *counter, gp__u64 most)
    : stage(gp__as<Bits>(shared) + gp_warp() * PLACES), to(out), appended(counter), room(most), staged(0), full(false) {
  }
  // All lanes call. hits: a bit a key.
  GP_DEVICE void put(gp__vector_access<Bits, V> x, gp__u32 hits) {
    const gp__u32 own = gp__u32(__popc(hits)), end = gp_warp_inclusive_scan(own, gp_sum<gp__u32>());
    gp__u32 at = staged + end - own;
    GP__UNROLL_BY(1)
    for (int j = 0; j < V; ++j) {
      if (hits >> j & 1u) stage[at++] = x.item[0];
      gp__drop_first(x);
    }
    staged += gp_warp_broadcast(end, 31);
    if (staged > PLACES - 32 * V) flush();
  }
  GP_DEVICE void flush() {
    gp__u64 first = 0;
    if (!gp_lane() && staged) first = atomicAdd(appended, gp__u64(staged));
    first = gp_warp_broadcast(first, 0);
    __syncwarp();
    for (gp__u32 i = gp_lane(); i < staged; i += 32)
      if (first + i < room) to[first + i] = stage[i];
    full = first + staged > room;
    staged = 0;
    __syncwarp();
  }
};
// Keys up to a bound, by way of a block's counters.
template<class P, class T, bool DESCENDING>
struct gp__select_bound : gp__select_stage<typename gp__top_k_key<T, DESCENDING>::Bits, 1024> {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__select_stage<Bits, 1024> Stage;
  static const int V = Stage::V;
  gp__u64 bound;
  GP_DEVICE gp__select_bound(const Stage &stage, gp__u64 last) : Stage(stage), bound(last) {}
  GP_DEVICE void take(const gp__vector_access<Bits, V> &x, int there) {
    gp__u32 hits = 0;
    GP__EACH(j, V) {
      hits |= (j < there && !this->full && gp__u64(Key::encode(x.item[j])) <= bound ? 1u : 0u) << j;
    }
    if (__any_sync(~0u, hits != 0)) this->put(x, hits);
  }
};
// A bounded select: one launch, its blocks resident. A row's blocks count digit after digit, with a barrier after each,
// until `to` has room for all keys that come before the k-th or have its known bits. Each block finds the digits by
// itself. Then they put these keys into `to`; if too many keys equal the k-th, as many copies as are wanted. Of many
// keys, a sample first gives a bound that is most likely beyond the k-th; the keys within it are put aside and take the
// place of the input, if they are enough and not too many.
template<class P, class T, bool DESCENDING> GP_DEVICE void gp__select_bounded(const gp__top_k_args &a) {
  typedef gp__select_counter<P, T, DESCENDING> Counter;
  typedef gp__select_bound<P, T, DESCENDING> Bound;
  typedef typename Counter::Bits Bits;
  const int V = Counter::V, BITS = 8 * int(sizeof(T)), BINS = 2 * gp__select_levels(int(sizeof(T))) * GP__SELECT_BINS;
  GP_SHARED(typename Counter::Storage, s);
  gp__pdl_wait<P>();
  const gp__u32 blocks = gp__u32(a.blocks), row = blockIdx.x / blocks, share = blockIdx.x % blocks;
  const gp__u64 tag = !threadIdx.x ? gp__draw(a.workspace, gridDim.x).tag : 0;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  gp__u64 *bins = gp__as<gp__u64>(a.bins) + gp__u64(row) * BINS;
  const Bits *in = gp__as<const Bits>(a.keys) + row * a.count;
  Bits *aside = gp__as<Bits>(a.aside) + row * a.room, *to = gp__as<Bits>(a.to) + row * a.ranks;
  gp__u64 n = gp__count(a), prefix, rank, within, bound;
  gp__u32 met = 0; // barriers
  const gp__u64 wanted = a.k < n ? a.k : n;
  bool sampling = n >= a.many && wanted <= n / GP__SELECT_PART;
  if (share == 0) gp__select_begin<P::threads>(a, row, n, bins, sampling ? BINS : BINS / 2, tag);
  for (;; sampling = false) {
    // One vector of `apart` neighbours, at random: one a thread, or more.
    const gp__u64 vectors = n / V, most = vectors / (blocks * P::threads);
    const gp__u64 apart = !sampling || most == 0 ? 1 : most < 256 ? most : 256, few = wanted / apart;
    prefix = 0;
    const gp__u64 last = sampling ? few + few / 4 + 16 : wanted - 1;
    rank = last;
    within = n;
    bound = ~0ull;
    bool more = sampling || n > a.ranks;
    for (int level = 0; more || met == 0; ++level) {
      const gp__select_digit digit(BITS, level);
      for (int i = threadIdx.x; i < GP__SELECT_BINS * Counter::COPIES; i += P::threads) s.count[i] = 0;
      __syncthreads();
      Counter counter(s, prefix, digit);
      if (!sampling && more) gp__select_tiles<P>(in, n, share, blocks, counter);
      for (gp__u64 i = share * P::threads + threadIdx.x; sampling && i < vectors / apart; i += blocks * P::threads) {
        const gp__u64 at = (i * apart + gp__u32(i) * 2654435761u % apart) * V;
        gp__vector_access<Bits, V> x;
        x.template load<P::load>(in + at, gp__misalignment(in, 16), at >= V && at + 2 * V <= n);
        counter.take(x, V);
      }
      __syncthreads();
      if (met == 0) gp__select_await(a, row, tag);
      if (!more) break;
      gp__select_add(bins, digit.bins, s);
      gp__select_meet(state, ++met * blocks);
      gp__select_bin at;
      if (gp__select_find<P::threads, false>(bins, rank, s, at)) s.found = at;
      __syncthreads();
      bins += GP__SELECT_BINS;
      prefix = prefix << (digit.known - digit.shift) | s.found.bin;
      bound = prefix << digit.shift | ((1ull << digit.shift) - 1);
      rank -= s.found.before;
      within = last - rank + s.found.inside;
      more = digit.shift && (sampling ? s.found.inside > few / 4 + 64 : within > a.ranks);
    }
    if (!sampling) break;
    if (within * apart > a.room) continue;
    Bound keys({s.count, aside, &state->appended, a.room}, bound);
    gp__select_tiles<P>(in, n, share, blocks, keys);
    keys.flush();
    gp__select_meet(state, ++met * blocks);
    const gp__u64 appended = gp__load_relaxed(&state->appended);
    if (appended < wanted || appended > a.room) continue;
    in = aside;
    n = appended;
  }
  const bool copies = within > a.ranks;
  Bound keys({s.count, to, &state->prefix, a.ranks}, bound - copies);
  if (in != to && (!copies || bound)) gp__select_tiles<P>(in, n, share, blocks, keys);
  keys.flush();
  for (gp__u64 i = wanted - 1 - rank + share * P::threads + threadIdx.x; copies && i < wanted; i += blocks * P::threads)
    to[i] = Counter::Key::decode(Bits(bound));
  if (share + threadIdx.x == 0) state->inside = copies ? wanted : within;
}

// Later digits: keys with the known upper bits of the k-th key.
template<class P, class T, bool DESCENDING>
struct gp__select_next_digit : gp__select_stage<typename gp__top_k_key<T, DESCENDING>::Bits, 1024 * P::vectors> {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__select_stage<Bits, 1024 * P::vectors> Stage;
  static const int V = Stage::V;
  gp__u32 *count;
  gp__u64 prefix;
  gp__select_digit digit;
  bool buffered, appends; // the keys read were put aside; are to be put aside
  GP_DEVICE gp__select_next_digit(const Stage &stage, gp__u32 *counters, gp__u64 known, const gp__select_digit &next,
      bool were_aside, bool puts_aside)
    : Stage(stage), count(counters), prefix(known), digit(next), buffered(were_aside), appends(puts_aside) {}
  GP_DEVICE void take(gp__vector_access<Bits, V> x, int there) {
    gp__u32 hits = 0;
    GP__EACH(j, V) {
      if (!buffered) x.item[j] = Key::encode(x.item[j]);
      const bool hit = j < there && gp__u64(x.item[j]) >> digit.known == prefix;
      hits |= (hit ? 1u : 0u) << j;
      if (hit) atomicAdd(count + (gp__u32(x.item[j] >> digit.shift) & unsigned(digit.bins - 1)), 1u);
    }
    if (!appends) return;
    if (__any_sync(~0u, hits != 0)) this->put(x, hits);
  }
};
template<class P, class T, bool DESCENDING> GP_DEVICE void gp__select_next(const gp__top_k_args &a) {
  typedef gp__select_next_digit<P, T, DESCENDING> Next;
  typedef typename Next::Bits Bits;
  typedef gp__select_storage<P::threads, 1> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(stage);
  for (int i = threadIdx.x; i < GP__SELECT_BINS; i += P::threads) s.count[i] = 0;
  __syncthreads();
  gp__pdl_wait<P>();
  const gp__u64 row = blockIdx.x / a.blocks, share = blockIdx.x % a.blocks;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  Bits *aside = gp__as<Bits>(a.aside) + row * a.room;
  const gp__select_digit digit(8 * int(sizeof(T)), a.level);
  const bool buffered = state->buffered != 0;
  const gp__u64 n = buffered ? state->appended : gp__count(a);
  Next next({stage, aside, &state->appended, a.room}, s.count, state->prefix, digit, buffered,
      !buffered && state->inside <= a.room);
  gp__select_tiles<P>(
      buffered ? gp__as<const Bits>(aside) : gp__as<const Bits>(a.keys) + row * a.count, n, share, a.blocks, next);
  next.flush();
  __syncthreads();
  gp__select_finish<P, T, DESCENDING, 1>(a, row, digit, s);
}

// After the passes: collects, in input order, the keys before the k-th, and of those equal to it the first ones, as
// many as are wanted. One sweep with look-back, over all rows.
struct gp__below_equal {
  gp__u64 below, equal; // the upper bit of `below`: a row begins here
};
struct gp__add_below_equal {
  typedef gp__below_equal type;
  enum { commutative = 0, exact = 1 };
  static GP_DEVICE gp__below_equal identity() {
    gp__below_equal x = {0, 0};
    return x;
  }
  GP_DEVICE gp__below_equal operator()(const gp__below_equal &a, const gp__below_equal &b) const {
    if (b.below >> 63) return b;
    gp__below_equal x = {a.below + b.below, a.equal + b.equal};
    return x;
  }
};
template<class P, class T, class In, class Out, bool DESCENDING>
GP_DEVICE void gp__select_collect(const gp__top_k_args &a) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__key_tile<P, Bits> Tile;
  const int THREADS = P::threads, K = Tile::K, V = Tile::V;
  typedef gp__scan_storage<THREADS, gp__below_equal> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), of_row = (a.count + Tile::ITEMS - 1) / Tile::ITEMS, tiles = a.rows * of_row;
  for (;;) {
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const gp__u64 row = ticket.number / of_row, tile = ticket.number % of_row;
    const gp__select_state *state = gp__as<const gp__select_state>(a.states) + row;
    const Bits *in = gp__as<const Bits>(a.keys) + row * a.count;
    const unsigned misaligned = gp__misalignment(in, 16);
    const gp__u64 wanted = state->rank + 1; // equal keys wanted
    const Bits kth = Bits(state->prefix);
    Tile keys;
    keys.load(in, tile * Tile::ITEMS, n, misaligned);
    gp__u32 below[K], equal[K]; // a bit a key
    gp__below_equal before[K], total = gp__add_below_equal::identity();
    GP__EACH(i, K) {
      const gp__u64 at = Tile::at(tile * Tile::ITEMS, i);
      below[i] = equal[i] = 0;
      GP__EACH(j, V) {
        const Bits bits = Key::encode(keys.x[i].item[j]);
        below[i] |= (bits < kth ? 1u : 0u) << j;
        equal[i] |= (bits == kth ? 1u : 0u) << j;
      }
      const gp__u32 there = (1u << Tile::there(at, n)) - 1;
      below[i] &= there;
      equal[i] &= there;
      before[i].below = gp__u64(__popc(below[i]));
      before[i].equal = gp__u64(__popc(equal[i]));
      const gp__below_equal sum = gp_tile_exclusive_scan<THREADS>(before[i], gp__add_below_equal(), s.scan);
      before[i] = gp__add_below_equal()(total, before[i]);
      total = gp__add_below_equal()(total, sum);
      __syncthreads();
    }
    if (tile == 0) total.below |= 1ull << 63;
    if (!gp_warp()) {
      gp_carry<gp__below_equal> start;
      start.has = false;
      start.value = gp__add_below_equal::identity();
      const gp__look_back<gp__below_equal, gp__add_below_equal> look_back = {
          gp__words(a.workspace), tiles, ticket.tag, start, false};
      if (!gp_lane()) look_back.publish_aggregate(ticket.number, total);
      const gp_carry<gp__below_equal> prefix = look_back(ticket.number, total);
      if (!gp_lane()) s.prefix = prefix;
    }
    __syncthreads();
    gp__below_equal from = gp__add_below_equal::identity();
    if (tile > 0) from = s.prefix.value;
    from.below &= ~(1ull << 63);
    GP__EACH(i, K) {
      const gp__u64 at = Tile::at(tile * Tile::ITEMS, i);
      gp__u64 lower = from.below + before[i].below, same = from.equal + before[i].equal;
      gp__u32 left = below[i] | equal[i];
      while (left) {
        const int j = __ffs(int(left)) - 1;
        left &= left - 1;
        const bool is_equal = equal[i] >> j & 1u;
        if (!is_equal || same < wanted)
          gp__top_k_put<T, DESCENDING, In, Out>(a, row * a.k + lower + (same < wanted ? same : wanted), row * a.count,
              is_equal ? kth : Key::encode(in[at + j]), at + j);
        if (is_equal) ++same;
        else ++lower;
      }
    }
  }
}
