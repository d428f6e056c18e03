// top_k/lists.cuh - top-k: ranks and lists
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, top_k/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/lanes.cuh, device/kernel.cuh,
//   histogram/counts.cuh

// A rank is a key and its index, as one unsigned integer or a pair. Ranks are ordered as the result: among equal keys
// the lower index comes first. Ranks can only be equal without indices. FORM: 0, 32 bits, a key alone; 1, 64 bits, a
// key, alone or above its index; 2, a key and its index apart.
template<class R, int SHIFT> struct gp__scalar_rank { // SHIFT: of the key; the index, if any, is below it
  typedef R type;
  static const int DIGITS = int(sizeof(R)), BITS = 8 * DIGITS; // digits of eight bits
  static const bool INDEXED = BITS == 64 && SHIFT;
  static GP_DEVICE R make(gp__u64 key, gp__u64 index) { return INDEXED ? R(key << SHIFT | index) : R(key) << SHIFT; }
  static GP_DEVICE gp__u64 key(R r) { return r >> SHIFT; }
  static GP_DEVICE gp__u64 index(R r) { return INDEXED ? r & ((1ull << SHIFT) - 1) : 0; }
  static GP_DEVICE R worst() { return ~R(0); }
  static GP_DEVICE bool before(R a, R b) { return a < b; }
  static GP_DEVICE gp__u32 digit(R r, int d) { return gp__u32(r >> (BITS - 8 - 8 * d)) & 255u; }
  static GP_DEVICE R with(R r, int d, gp__u32 digit) { return r | R(digit) << (BITS - 8 - 8 * d); }
  static GP_DEVICE bool matches(R r, R upper, int d) { return d == 0 || (r ^ upper) >> (BITS - 8 * d) == 0; }
  static GP_DEVICE R filled(R upper, int d) { return d == DIGITS ? upper : upper | ~R(0) >> (8 * d); }
};
template<int FORM, int SHIFT> struct gp__rank_of : gp__scalar_rank<gp__u32, SHIFT> {};
template<int SHIFT> struct gp__rank_of<1, SHIFT> : gp__scalar_rank<gp__u64, SHIFT> {};
struct gp__rank_pair {
  gp__u64 key, index;
};
template<int SHIFT> struct gp__rank_of<2, SHIFT> {
  typedef gp__rank_pair type;
  typedef gp__rank_of<1, 0> half;
  static const int DIGITS = 16;
  static GP_DEVICE type make(gp__u64 key, gp__u64 index) {
    type r = {key, index};
    return r;
  }
  static GP_DEVICE gp__u64 key(const type &r) { return r.key; }
  static GP_DEVICE gp__u64 index(const type &r) { return r.index; }
  static GP_DEVICE type worst() { return make(~0ull, ~0ull); }
  static GP_DEVICE bool before(const type &a, const type &b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
  static GP_DEVICE gp__u32 digit(const type &r, int d) {
    return d < 8 ? half::digit(r.key, d) : half::digit(r.index, d - 8);
  }
  static GP_DEVICE type with(const type &r, int d, gp__u32 digit) {
    return d < 8 ? make(half::with(r.key, d, digit), r.index) : make(r.key, half::with(r.index, d - 8, digit));
  }
  static GP_DEVICE bool matches(const type &r, const type &upper, int d) {
    return d <= 8 ? half::matches(r.key, upper.key, d)
        : r.key == upper.key && half::matches(r.index, upper.index, d - 8);
  }
  static GP_DEVICE type filled(const type &upper, int d) {
    return d <= 8 ? make(half::filled(upper.key, d), ~0ull) : make(upper.key, half::filled(upper.index, d - 8));
  }
};
template<int KEY_SIZE, bool INDEXED, bool WIDE>
struct gp__rank
  : gp__rank_of<gp__rank_form(KEY_SIZE, INDEXED, WIDE), KEY_SIZE == 8 ? 0 : (INDEXED ? 64 : 32) - 8 * KEY_SIZE> {};
template<class T> struct gp__is_none { static const bool value = false; };
template<> struct gp__is_none<gp__none> { static const bool value = true; };

// Sorts list[0 .. count) in shared memory (Batcher's bitonic network). The list must have room for the next power of
// two, at least 64. Steps within a warp's part of the list need no block barrier. Ends with a barrier.
template<int THREADS, class R> GP_DEVICE void gp__sort_ranks(typename R::type *list, unsigned count) {
  unsigned all = 64;
  while (all < count) all *= 2;
  for (unsigned i = count + threadIdx.x; i < all; i += THREADS) list[i] = R::worst();
  const unsigned warps = all / 64 < THREADS / 32 ? all / 64 : THREADS / 32, part = all / warps;
  bool crossed = true;
  GP__UNROLL_BY(1)
  for (unsigned size = 2; size <= all; size *= 2) {
    GP__UNROLL_BY(1)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const bool crosses = 2 * stride > part;
      if (crosses || crossed) __syncthreads();
      else __syncwarp();
      crossed = crosses;
      if (gp_warp() < warps) {
        GP__UNROLL_BY(4)
        for (unsigned i = gp_lane(); i < part / 2; i += 32) {
          const unsigned pair = gp_warp() * (part / 2) + i, low = 2 * pair - (pair & (stride - 1));
          const typename R::type a = list[low], b = list[low + stride];
          if (((low & size) == 0) == R::before(b, a)) {
            list[low] = b;
            list[low + stride] = a;
          }
        }
      }
    }
  }
  __syncthreads();
}

// The best ranks that a block has seen: a list of ranks up to a limit, k of which exist. If the list is full, the limit
// is lowered digit by digit until there is room; later ranks beyond it are dropped at once.
struct gp__best_storage {
  gp__u32 listed, bins[256];
  alignas(16) gp__u32 bin; // a digit; the three are read as 16 bytes that hold nothing else
  gp__u32 before, in_bin;
};
template<int THREADS, class R> struct gp__best {
  typedef typename R::type Rank;
  static const int MERGED = 4; // ranks that a thread takes at a time from lists of parts
  gp__best_storage &s;
  Rank *list, limit;
  gp__u64 limit_key; // no key above it is taken
  gp__u32 capacity, k;
  gp__u32 seen; // list length known to this warp
  bool closed; // ranks equal to the limit are no longer taken

  // Called by all threads; contains a barrier.
  GP_DEVICE gp__best(gp__best_storage &storage, void *memory, gp__u32 room, gp__u32 wanted)
    : s(storage), list(gp__as<Rank>(memory)), limit(R::worst()), limit_key(R::key(limit)), capacity(room), k(wanted),
      seen(0), closed(false) {
    __syncthreads();
    if (!threadIdx.x) s.listed = 0;
    __syncthreads();
  }
  GP_DEVICE bool takes(const Rank &r) const { return R::before(r, limit) || (!closed && !R::before(limit, r)); }
  // Called by all lanes of a warp.
  GP_DEVICE void push(bool there, const Rank &r) {
    const gp__u32 at = gp__warp_draw(&s.listed, there, seen);
    if (there) list[at] = r;
  }
  // Lowers the limit until at most `enough` ranks are left, and at least k; does nothing if there are no more.
  GP_DEVICE void tighten_threshold() {
    const gp__u32 enough = k + k / 2 + 32;
    __syncthreads();
    const gp__u32 count = s.listed;
    __syncthreads();
    if (count <= enough) return;
    Rank upper = R::make(0, 0);
    gp__u32 before = 0;
    bool exact = false;
    GP__UNROLL_BY(1)
    for (int d = 0; d < R::DIGITS; ++d) {
      for (unsigned i = threadIdx.x; i < 256; i += THREADS) s.bins[i] = 0;
      __syncthreads();
      for (gp__u32 i = threadIdx.x; i < count; i += THREADS) {
        const Rank r = list[i];
        if (R::matches(r, upper, d)) atomicAdd(&s.bins[R::digit(r, d)], 1u);
      }
      __syncthreads();
      if (!gp_warp()) {
        gp__u32 bin[8], sum = 0;
        GP__EACH(j, 8) sum += bin[j] = s.bins[gp_lane() * 8 + j];
        gp__u32 at = before + gp_warp_inclusive_scan(sum, gp_sum<gp__u32>()) - sum;
        if (at < k && k <= at + sum) {
          GP__EACH(j, 8) {
            if (at < k && k <= at + bin[j]) s.bin = gp_lane() * 8 + j, s.before = at, s.in_bin = bin[j];
            at += bin[j];
          }
        }
      }
      __syncthreads();
      upper = R::with(upper, d, s.bin);
      before = s.before;
      exact = d + 1 == R::DIGITS;
      if (before + s.in_bin <= enough || exact) {
        limit = R::filled(upper, d + 1);
        break;
      }
    }
    exact = exact && before + s.in_bin > k; // equal ranks: as many as are wanted
    limit_key = R::key(limit);
    if (!threadIdx.x) s.listed = 0;
    __syncthreads();
    closed = exact;
    for (gp__u32 first = 0; first < count; first += THREADS) { // nothing is overwritten before it is read
      const gp__u32 i = first + threadIdx.x;
      const Rank r = i < count ? list[i] : limit;
      __syncthreads();
      push(i < count && takes(r), r);
    }
    __syncthreads();
    if (exact) {
      for (gp__u32 i = before + threadIdx.x; i < k; i += THREADS) list[i] = limit;
      if (!threadIdx.x) s.listed = k;
      __syncthreads();
    }
    seen = 0;
  }
  // Called between tiles; the next one has at most `more` ranks.
  GP_DEVICE void make_room(gp__u32 more) {
    if (__syncthreads_or(seen + more > capacity)) tighten_threshold();
  }
  // Called at the end: sorts list[0 .. k) and returns how many of these exist.
  GP_DEVICE gp__u32 finish() {
    tighten_threshold();
    __syncthreads();
    const gp__u32 count = s.listed;
    __syncthreads();
    gp__sort_ranks<THREADS, R>(list, count);
    return count < k ? count : k;
  }
};

// Writes the value or the index that goes with a key.
template<class In, class Out> struct gp__top_k_value {
  static GP_DEVICE void store(const gp__top_k_args &a, gp__u64 to, gp__u64 from, gp__u64) {
    gp__as<Out>(a.out)[to] = gp__as<const In>(a.in)[from];
  }
};
template<class Out> struct gp__top_k_value<gp__none, Out> {
  static GP_DEVICE void store(const gp__top_k_args &a, gp__u64 to, gp__u64, gp__u64 index) {
    gp__as<Out>(a.out)[to] = Out(index);
  }
};
template<> struct gp__top_k_value<gp__none, gp__none> {
  static GP_DEVICE void store(const gp__top_k_args &, gp__u64, gp__u64, gp__u64) {}
};
// Keys as bits in the order of the result.
template<class T, bool DESCENDING> struct gp__top_k_key {
  typedef gp__ordered<T> Ordered;
  typedef typename Ordered::Bits Bits;
  static GP_DEVICE Bits encode(Bits raw) { return Bits(DESCENDING ? ~Ordered::encode(raw) : Ordered::encode(raw)); }
  static GP_DEVICE Bits decode(Bits bits) { return Ordered::decode(Bits(DESCENDING ? ~bits : bits)); }
};
template<class T, bool DESCENDING, class In, class Out>
GP_DEVICE void gp__top_k_put(const gp__top_k_args &a, gp__u64 to, gp__u64 begin, gp__u64 key, gp__u64 index) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  if (a.out_keys) gp__as<Bits>(a.out_keys)[to] = Key::decode(Bits(key));
  gp__top_k_value<In, Out>::store(a, to, begin + index, index);
}
// Writes a row's best to the output, or as a list for the next launch, padded to k.
template<class T, bool DESCENDING, class In, class Out, int THREADS, class R>
GP_DEVICE void gp__top_k_finish(const gp__top_k_args &a, gp__u64 work, gp__best<THREADS, R> &best) {
  const gp__u32 found = best.finish();
  if (a.to)
    for (gp__u32 i = threadIdx.x; i < a.k; i += THREADS)
      gp__as<typename R::type>(a.to)[work * a.k + i] = i < found ? best.list[i] : R::worst();
  else
    for (gp__u32 i = threadIdx.x; i < found; i += THREADS)
      gp__top_k_put<T, DESCENDING, In, Out>(
          a, work * a.k + i, work * a.count, R::key(best.list[i]), R::index(best.list[i]));
}

// Keys of a tile in a thread's registers: vectors, THREADS apart. Keys before `lead` and from n on are zero.
template<class P, class Bits> struct gp__key_tile {
  static const int K = P::vectors, V = 16 / int(sizeof(Bits)), ITEMS = P::threads * K * V;
  gp__vector_access<Bits, V> x[K];
  static GP_DEVICE gp__u64 at(gp__u64 first, int i) { return first + gp__u64(i * P::threads + threadIdx.x) * V; }
  // Keys that exist of the vector at `at`.
  static GP_DEVICE int there(gp__u64 at, gp__u64 n) { return at + V <= n ? V : at < n ? int(n - at) : 0; }
  GP_DEVICE void load(const Bits *in, gp__u64 first, gp__u64 n, unsigned misaligned, gp__u32 lead = 0) {
    GP__EACH(i, K) {
      const gp__u64 from = at(first, i);
      if (from >= lead && from + V <= n)
        x[i].template load<P::load>(in + from, misaligned, from >= V && from + 2 * V <= n);
      else {
        GP__EACH(j, V) x[i].item[j] = from + j >= lead && from + j < n ? in[from + j] : Bits(0);
      }
    }
  }
};

// Finds the best k of each row, for small k. `blocks` blocks a row read its keys once, tile by tile, in an order that
// jumps about the row, so that sorted rows do not come worst first. One block writes the result; several write a list
// each.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE>
GP_DEVICE void gp__top_k_lists(const gp__top_k_args &a) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__key_tile<P, Bits> Tile;
  const int THREADS = P::threads;
  const bool INDEXED = !gp__is_none<Out>::value;
  typedef gp__rank<int(sizeof(T)), INDEXED, WIDE> R;
  GP_SHARED(gp__best_storage, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tiles = (a.count + Tile::ITEMS - 1) / Tile::ITEMS, works = a.rows * a.blocks;
  for (gp__u64 work = blockIdx.x; work < works; work += gridDim.x) {
    const gp__u64 row = work / a.blocks, share = work % a.blocks;
    const Bits *in = gp__as<const Bits>(a.keys) + row * a.count;
    const unsigned misaligned = gp__misalignment(in, 16);
    gp__best<THREADS, R> best(s, memory, a.capacity, gp__u32(a.k));
    // Tile t of the order is tile t * jump mod tiles of the row; jump and tiles are coprime.
    gp__u64 tile = share * a.jump % tiles;
    const gp__u64 step = a.blocks * a.jump % tiles;
    Tile now;
    now.load(in, tile * Tile::ITEMS, n, misaligned);
    for (gp__u64 t = share; t < tiles; t += a.blocks) {
      const gp__u64 first = tile * Tile::ITEMS;
      tile += step;
      if (tile >= tiles) tile -= tiles;
      Tile next; // in flight meanwhile
      next.load(in, tile * Tile::ITEMS, t + a.blocks < tiles ? n : 0, misaligned);
      GP__EACH(i, Tile::K) {
        const gp__u64 at = Tile::at(first, i);
        const Bits bound = Bits(best.limit_key);
        gp__u32 hits = 0;
        GP__EACH(j, Tile::V) hits |= (Key::encode(now.x[i].item[j]) <= bound ? 1u : 0u) << j;
        hits &= (1u << Tile::there(at, n)) - 1;
        if (!__any_sync(~0u, hits != 0)) continue;
        GP__UNROLL_BY(1)
        for (int j = 0; j < Tile::V; ++j) {
          const bool hit = hits >> j & 1u;
          const typename R::type r = R::make(hit ? Key::encode(now.x[i].item[0]) : 0, at + j);
          best.push(hit && best.takes(r), r);
          gp__drop_first(now.x[i]);
        }
      }
      best.make_room(Tile::ITEMS);
      now = next;
    }
    gp__top_k_finish<T, DESCENDING, In, Out>(a, a.to ? work : row, best);
  }
}
// Merges the lists of a row, `ranks` ranks in all.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE>
GP_DEVICE void gp__top_k_merge(const gp__top_k_args &a) {
  const int THREADS = P::threads, ITEMS = 4, TILE = THREADS * ITEMS;
  const bool INDEXED = !gp__is_none<Out>::value;
  typedef gp__rank<int(sizeof(T)), INDEXED, WIDE> R;
  GP_SHARED(gp__best_storage, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  const gp__u64 works = a.rows * a.blocks, n = gp__count(a);
  for (gp__u64 work = blockIdx.x; work < works; work += gridDim.x) {
    const gp__u64 row = work / a.blocks, share = work % a.blocks;
    const typename R::type *in = gp__as<const typename R::type>(a.from) + row * a.ranks;
    gp__best<THREADS, R> best(s, memory, a.capacity, gp__u32(a.k));
    for (gp__u64 first = share * TILE; first < a.ranks; first += a.blocks * TILE) {
      typename R::type r[ITEMS];
      GP__EACH(i, ITEMS) {
        const gp__u64 at = first + i * THREADS + threadIdx.x;
        r[i] = at < a.ranks ? in[at] : R::worst();
      }
      GP__EACH(i, ITEMS) best.push(first + i * THREADS + threadIdx.x < a.ranks && best.takes(r[i]), r[i]);
      best.make_room(TILE);
    }
    if (a.to || n >= a.k) gp__top_k_finish<T, DESCENDING, In, Out>(a, a.to ? work : row, best);
    else { // padding of the lists is not written
      best.finish();
      for (gp__u32 i = threadIdx.x; i < n; i += THREADS)
        gp__top_k_put<T, DESCENDING, In, Out>(
            a, row * a.k + i, row * a.count, R::key(best.list[i]), R::index(best.list[i]));
    }
  }
}
