// top_k/radix_select.cuh - top-k of many, nth element: radix select
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, top_k/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/lanes.cuh, device/tile_reduce.cuh,
//   device/look_back.cuh, device/kernel.cuh, histogram/counts.cuh, scan/kernels.cuh, top_k/lists.cuh

// Alabi, Blanchard, Gordon and Steinbach, Fast k-Selection Algorithms for Graphics Processing Units; Zhang, Naruse, Li
// and Wang, Parallel Top-K Algorithms on GPU.
//
// One launch a digit of the keys, the most significant first. It counts the next digit of keys that have the k-th key's
// known upper bits; the last block to finish finds that digit of the k-th key. Once few enough keys are left, a launch
// puts them aside, and later launches read only those. Where k of many keys are wanted, a sample bounds them, and one
// sweep puts aside all keys within the bound; if these are too few or too many, all keys are read as before. A sampled
// select sorts the keys aside, or else its results.

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

// Keys of a row within the bound, if all that matter have been put aside; else 0.
GP_DEVICE gp__u64 gp__select_filtered(const gp__top_k_args &a, gp__u64 row) {
  if (!a.filtered) return 0;
  const gp__u64 appended = gp__as<const gp__select_state>(a.states)[row].appended;
  return appended >= a.k && appended <= a.room ? appended : 0;
}

// Ends a pass: adds the block's counts to the row's; the last block finds the digit.
template <int THREADS, int COPIES> struct gp__select_storage {
  gp_tile_scan_storage<THREADS, gp__u64> scan;
  gp__ticket ticket;
  gp__u64 base;
  gp__u32 staged, last;
  gp__u32 count[GP__SELECT_BINS * COPIES];
};
template <class P, class T, bool DESCENDING, int COPIES>
GP_DEVICE void gp__select_finish(
    const gp__top_k_args &a, gp__u64 row, const gp__select_digit &digit, gp__select_storage<P::threads, COPIES> &s) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  const int THREADS = P::threads, EACH = GP__SELECT_BINS / THREADS;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  gp__u64 *bins = gp__select_bins(a, row);
  for (int i = threadIdx.x; i < digit.bins; i += THREADS) {
    gp__u32 sum = 0;
    GP__EACH(c, COPIES) sum += s.count[i * COPIES + c];
    if (sum) atomicAdd(bins + i, gp__u64(sum));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    s.last = atomicAdd(&state->arrived, 1ull) + 1 == a.blocks;
    __threadfence();
  }
  __syncthreads();
  if (!s.last) return;
  gp__u64 n[EACH], sum = 0;
  GP__UNROLL
  for (int j = 0; j < EACH; j += 2) {
    union {
      gp_vector vector;
      gp__u64 two[2];
    } pair;
    pair.vector = gp__load_vector<GP_CACHE_L2>(bins + threadIdx.x * EACH + j);
    n[j] = pair.two[0];
    n[j + 1] = pair.two[1];
    sum += n[j] + n[j + 1];
    gp__store_vector<GP_CACHE_ALL>(bins + threadIdx.x * EACH + j, gp_vector{{0, 0, 0, 0}});
  }
  const gp__u64 rank = state->rank, mine = sum, prefix = state->prefix;
  gp__u64 before = sum;
  gp_tile_exclusive_scan<THREADS>(before, gp_sum<gp__u64>(), s.scan); // its barrier: all threads have read the state
  if (before <= rank && rank < before + mine) {
    GP__EACH(j, EACH) {
      if (before <= rank && rank < before + n[j]) {
        const gp__u64 found = prefix << (digit.known - digit.shift) | (threadIdx.x * EACH + j);
        state->prefix = found;
        state->rank = rank - before;
        if (a.level == 0 && !state->buffered) state->appended = 0;
        if (!state->buffered) state->buffered = a.level > 0 && state->inside <= a.room;
        state->inside = n[j];
        state->arrived = 0;
        if (digit.shift == 0 && a.nth) gp__as<Bits>(a.out_keys)[row] = Key::decode(Bits(found));
      }
      before += n[j];
    }
  }
}

// Passes a block's share of a row's keys, or of those put aside, to f by vectors, tile by tile: f.take(keys, number).
template <class P, class Bits, class F>
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
    f.flush_if_full();
    now = next;
  }
}

// The first digit: every key counts. The block that draws the first ticket of a row clears what the row's blocks add
// to, and publishes that as a word.
template <class P, class T, bool DESCENDING> struct gp__select_first_digit {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  static const int COPIES = 4, V = 16 / int(sizeof(T));
  typedef gp__select_storage<P::threads, COPIES> Storage;
  gp__u32 *count; // this lane's copy
  int shift;
  GP_DEVICE void take(const gp__vector_access<Bits, V> &x, int there) {
    GP__EACH(j, V)
      if (j < there) atomicAdd(count + gp__u32(Key::encode(x.item[j]) >> shift) * COPIES, 1u);
  }
  GP_DEVICE void flush_if_full() {}
};
template <class P, class T, bool DESCENDING> GP_DEVICE void gp__select_first(const gp__top_k_args &a) {
  typedef gp__select_first_digit<P, T, DESCENDING> First;
  typedef typename First::Bits Bits;
  GP_SHARED(typename First::Storage, s);
  for (int i = threadIdx.x; i < GP__SELECT_BINS * First::COPIES; i += P::threads) s.count[i] = 0;
  gp__pdl_wait<P>();
  if (a.finish && gp__select_filtered(a, 0)) {
    if (blockIdx.x + threadIdx.x == 0) gp__as<gp__select_state>(a.states)->buffered = 2;
    return;
  }
  if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, a.rows * a.blocks);
  __syncthreads();
  const gp__ticket ticket = s.ticket;
  const gp__u64 row = ticket.number / a.blocks, share = ticket.number % a.blocks;
  gp__word *words = gp__words(a.workspace);
  const gp__u64 appended = gp__select_filtered(a, row), n = appended ? appended : gp__count(a);
  if (share == 0) {
    gp__u64 *bins = gp__select_bins(a, row);
    for (int i = threadIdx.x; i < GP__SELECT_BINS; i += P::threads) bins[i] = 0;
    if (threadIdx.x == 0) {
      gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
      state->prefix = state->arrived = 0;
      state->rank = a.k - 1 < n ? a.k - 1 : n - 1;
      state->inside = n;
      state->buffered = appended ? 2 : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      gp__publish(words, row, 0u, ticket.tag);
    }
  }
  const gp__select_digit digit(8 * int(sizeof(T)), 0);
  First first = {s.count + gp_lane() % First::COPIES, digit.shift};
  gp__select_tiles<P>(
      appended ? gp__as<const Bits>(a.aside) + row * a.room : gp__as<const Bits>(a.keys) + row * a.count, n, share,
      a.blocks, first);
  if (threadIdx.x == 0) {
    gp__receive<gp__u32>(words, row, ticket.tag);
    __threadfence();
  }
  __syncthreads();
  gp__select_finish<P, T, DESCENDING, First::COPIES>(a, row, digit, s);
}

// Puts keys aside by way of shared memory, which holds two tiles of them. A row's room may be too small.
template <class P, class Bits> struct gp__select_stage {
  static const int V = 16 / int(sizeof(Bits)), TILE = P::threads * P::vectors * V;
  typedef gp__select_storage<P::threads, 1> Storage;
  Storage &s;
  Bits *stage, *aside; // stage: of this block; aside: of the row
  gp__u64 *appended, room;
  gp__u32 seen;
  GP_DEVICE void put(bool hit, Bits bits) {
    const gp__u32 at = gp__warp_draw(&s.staged, hit, seen);
    if (hit) stage[at] = bits;
  }
  GP_DEVICE void flush_if_full() {
    if (__syncthreads_or(seen > TILE)) flush();
  }
  GP_DEVICE void flush() {
    __syncthreads();
    const gp__u32 count = s.staged;
    __syncthreads();
    if (threadIdx.x == 0) {
      s.base = atomicAdd(appended, gp__u64(count));
      s.staged = 0;
    }
    __syncthreads();
    for (gp__u32 i = threadIdx.x; i < count; i += P::threads)
      if (s.base + i < room) aside[s.base + i] = stage[i];
    __syncthreads();
    seen = 0;
  }
};

// The bound: the last of the first `wanted` keys of a sample, rounded up by bits that divide few keys of the sample.
// `wanted` is well above the share of k.
template <class P, class T, bool DESCENDING> GP_DEVICE void gp__select_sample(const gp__top_k_args &a) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  const int THREADS = P::threads, EACH = GP__SAMPLED_KEYS / THREADS, BINS = GP__SELECT_BINS / THREADS;
  typedef gp__select_storage<THREADS, 1> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 row = blockIdx.x, n = gp__count(a), step = n / GP__SAMPLED_KEYS;
  const Bits *in = gp__as<const Bits>(a.keys) + row * a.count;
  gp__u32 rank = gp__u32(n ? a.k * GP__SAMPLED_KEYS / n : 0);
  rank += rank / 4 + 12;
  const gp__u32 few = rank / 4;
  const bool whole = !step || rank >= GP__SAMPLED_KEYS; // the bound is no bound
  gp__u64 bound = 0;
  int shift = 8 * int(sizeof(T));
  Bits x[EACH];
  GP__EACH(i, EACH) {
    const gp__u64 at = gp__u64(i / 4) * THREADS + threadIdx.x; // four neighbours of four steps, at random
    x[i] = Bits(0);
    if (step) x[i] = Key::encode(in[at * 4 * step + gp__u32(at) * 2654435761u % (4 * step - 3) + i % 4]);
  }
  for (int level = 0; !whole && shift; ++level) {
    const gp__select_digit digit(8 * int(sizeof(T)), level);
    for (int i = threadIdx.x; i < digit.bins; i += THREADS) s.count[i] = 0;
    __syncthreads();
    GP__EACH(i, EACH)
      if (level == 0 || gp__u64(x[i]) >> digit.known == bound)
        atomicAdd(s.count + (gp__u32(x[i] >> digit.shift) & unsigned(digit.bins - 1)), 1u);
    __syncthreads();
    gp__u64 before = 0;
    GP__EACH(j, BINS) before += int(threadIdx.x) * BINS + j < digit.bins ? s.count[threadIdx.x * BINS + j] : 0;
    gp_tile_exclusive_scan<THREADS>(before, gp_sum<gp__u64>(), s.scan);
    GP__EACH(j, BINS) {
      const int bin = int(threadIdx.x) * BINS + j;
      const gp__u32 inside = bin < digit.bins ? s.count[bin] : 0;
      if (before <= rank && rank < before + inside)
        s.base = gp__u64(bin), s.staged = rank - gp__u32(before), s.last = inside;
      before += inside;
    }
    __syncthreads();
    bound = bound << (digit.known - digit.shift) | s.base;
    rank = s.staged;
    shift = s.last <= few ? 0 : digit.shift;
    const int rest = digit.shift;
    __syncthreads();
    if (!shift) bound = bound << rest | ((1ull << rest) - 1);
  }
  if (threadIdx.x == 0) {
    gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
    state->prefix = whole ? ~0ull : bound;
    state->appended = 0;
  }
}
// Puts aside all keys within the bound.
template <class P, class T, bool DESCENDING>
struct gp__select_bound : gp__select_stage<P, typename gp__top_k_key<T, DESCENDING>::Bits> {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__select_stage<P, Bits> Stage;
  gp__u64 bound;
  GP_DEVICE gp__select_bound(const Stage &stage, gp__u64 within) : Stage(stage), bound(within) {}
  GP_DEVICE void take(gp__vector_access<Bits, Stage::V> x, int there) {
    gp__u32 hits = 0;
    GP__EACH(j, Stage::V) {
      hits |= (j < there && gp__u64(Key::encode(x.item[j])) <= bound ? 1u : 0u) << j;
    }
    if (!__any_sync(0xffffffffu, hits != 0)) return;
    GP__UNROLL_BY(1)
    for (int j = 0; j < Stage::V; ++j) {
      this->put(hits >> j & 1u, x.item[0]);
      gp__drop_first(x);
    }
  }
};
template <class P, class T, bool DESCENDING> GP_DEVICE void gp__select_filter(const gp__top_k_args &a) {
  typedef gp__select_bound<P, T, DESCENDING> Bound;
  typedef typename Bound::Bits Bits;
  GP_SHARED(typename Bound::Storage, s);
  GP_DYNAMIC_SHARED(stage);
  if (threadIdx.x == 0) s.staged = 0;
  __syncthreads();
  gp__pdl_wait<P>();
  const gp__u64 row = blockIdx.x / a.blocks;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  Bound within(
      {s, gp__as<Bits>(stage), gp__as<Bits>(a.aside) + row * a.room, &state->appended, a.room, 0}, state->prefix);
  gp__select_tiles<P>(
      gp__as<const Bits>(a.keys) + row * a.count, gp__count(a), blockIdx.x % a.blocks, a.blocks, within);
  within.flush();
}

// Later digits: keys with the known upper bits of the k-th key.
template <class P, class T, bool DESCENDING>
struct gp__select_next_digit : gp__select_stage<P, typename gp__top_k_key<T, DESCENDING>::Bits> {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__select_stage<P, Bits> Stage;
  static const int V = Stage::V;
  gp__u64 prefix;
  gp__select_digit digit;
  bool encoded, appends; // the keys read were put aside; are to be put aside
  GP_DEVICE gp__select_next_digit(
      const Stage &stage, gp__u64 known, const gp__select_digit &next, bool is_encoded, bool puts_aside)
      : Stage(stage), prefix(known), digit(next), encoded(is_encoded), appends(puts_aside) {}
  GP_DEVICE void take(gp__vector_access<Bits, V> x, int there) {
    gp__u32 hits = 0;
    GP__EACH(j, V) {
      const Bits bits = encoded ? x.item[j] : Key::encode(x.item[j]);
      hits |= (j < there && gp__u64(bits) >> digit.known == prefix ? 1u : 0u) << j;
    }
    if (!__any_sync(0xffffffffu, hits != 0)) return;
    GP__UNROLL_BY(1)
    for (int j = 0; j < V; ++j) {
      const bool hit = hits >> j & 1u;
      const Bits bits = encoded ? x.item[0] : Key::encode(x.item[0]);
      if (hit) atomicAdd(this->s.count + (gp__u32(bits >> digit.shift) & unsigned(digit.bins - 1)), 1u);
      gp__drop_first(x);
      if (appends) this->put(hit, bits);
    }
  }
  GP_DEVICE void flush_if_full() {
    if (appends) Stage::flush_if_full();
  }
};
template <class P, class T, bool DESCENDING> GP_DEVICE void gp__select_next(const gp__top_k_args &a) {
  typedef gp__select_next_digit<P, T, DESCENDING> Next;
  typedef typename Next::Bits Bits;
  GP_SHARED(typename Next::Storage, s);
  GP_DYNAMIC_SHARED(stage);
  for (int i = threadIdx.x; i < GP__SELECT_BINS; i += P::threads) s.count[i] = 0;
  if (threadIdx.x == 0) s.staged = 0;
  __syncthreads();
  gp__pdl_wait<P>();
  const gp__u64 row = blockIdx.x / a.blocks, share = blockIdx.x % a.blocks;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  if (a.finish && state->buffered == 2) return;
  Bits *aside = gp__as<Bits>(a.aside) + row * a.room;
  const gp__select_digit digit(8 * int(sizeof(T)), a.level);
  const bool buffered = state->buffered != 0;
  const gp__u64 n = buffered ? state->appended : gp__count(a);
  Next next({s, gp__as<Bits>(stage), aside, &state->appended, a.room, 0}, state->prefix, digit, state->buffered == 1,
      !buffered && state->inside <= a.room);
  gp__select_tiles<P>(
      buffered ? gp__as<const Bits>(aside) : gp__as<const Bits>(a.keys) + row * a.count, n, share, a.blocks, next);
  if (next.appends) next.flush();
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
// The result of a row whose keys within the bound were put aside: those before the k-th in any order, then its copies.
template <class P, class T, bool DESCENDING, class Storage>
GP_DEVICE void gp__select_gather(const gp__top_k_args &a, gp__u64 row, Storage &s) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  gp__select_state *state = gp__as<gp__select_state>(a.states) + row;
  const Bits kth = Bits(state->prefix), *aside = gp__as<const Bits>(a.aside) + row * a.room;
  Bits *out = gp__as<Bits>(a.out_keys) + row * a.k;
  const gp__u64 n = state->appended, from = a.k - 1 - state->rank; // of the copies
  for (gp__u64 first = blockIdx.x * gp__u64(P::threads); first < n; first += gridDim.x * gp__u64(P::threads)) {
    const gp__u64 i = first + threadIdx.x;
    const Bits bits = i < n ? Key::encode(aside[i]) : kth;
    gp__below_equal at = {bits < kth ? 1ull : 0ull, 0};
    const gp__below_equal sum = gp_tile_exclusive_scan<P::threads>(at, gp__add_below_equal(), s.scan);
    if (threadIdx.x == 0) s.ticket.number = atomicAdd(&state->arrived, sum.below);
    __syncthreads();
    if (bits < kth) out[s.ticket.number + at.below] = Key::decode(bits);
    __syncthreads();
  }
  if (blockIdx.x == 0)
    for (gp__u64 i = from + threadIdx.x; i < a.k; i += P::threads) out[i] = Key::decode(kth);
}
template <class P, class T, class In, class Out, bool DESCENDING>
GP_DEVICE void gp__select_collect(const gp__top_k_args &a) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__key_tile<P, Bits> Tile;
  const int THREADS = P::threads, K = Tile::K, V = Tile::V;
  typedef gp__scan_storage<THREADS, gp__below_equal> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), of_row = (a.count + Tile::ITEMS - 1) / Tile::ITEMS, tiles = a.rows * of_row;
  // One way for all rows: a sweep whose tiles did not all publish would wait for them.
  bool gathers = gp__is_none<Out>::value && a.filtered;
  for (gp__u64 row = 0; gathers && row < a.rows; ++row)
    gathers = gp__as<const gp__select_state>(a.states)[row].buffered == 2;
  for (gp__u64 row = 0; gathers && !a.finish && row < a.rows; ++row) gp__select_gather<P, T, DESCENDING>(a, row, s);
  if (gathers) return;
  for (;;) {
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
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
    if (gp_warp() == 0) {
      gp_carry<gp__below_equal> start;
      start.has = false;
      start.value = gp__add_below_equal::identity();
      const gp__look_back<gp__below_equal, gp__add_below_equal> look_back = {
          gp__words(a.workspace), tiles, ticket.tag, start, false};
      if (gp_lane() == 0) look_back.publish_aggregate(ticket.number, total);
      const gp_carry<gp__below_equal> prefix = look_back(ticket.number, total);
      if (gp_lane() == 0) s.prefix = prefix;
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
