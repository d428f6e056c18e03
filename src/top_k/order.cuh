// top_k/order.cuh - top-k by an operator: struct keys, users' orders
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, top_k/arguments.h, device/types.cuh,
//   device/warp.cuh, device/lanes.cuh, device/kernel.cuh, top_k/lists.cuh, top_k/segments.cuh

// The launches are those of segments. A list that is full is sorted, as an operator's keys have no digits.

// Keys that tie keep the order of their indices.
template<class Key, class Before, bool WIDE> struct gp__order_rank {
  typedef typename gp__unsigned_of<WIDE ? 8 : 4>::type Index;
  struct type {
    Key key;
    Index index; // ~0: none
  };
  static GP_DEVICE type make(const Key &key, gp__u64 index) {
    type r;
    r.key = key;
    r.index = Index(index);
    return r;
  }
  static GP_DEVICE type worst() { return make(Key(), ~0ull); }
  static GP_DEVICE bool there(const type &r) { return r.index != Index(~Index(0)); }
  static GP_DEVICE bool before(const type &a, const type &b) {
    return Before()(a.key, b.key) || (a.index < b.index && !Before()(b.key, a.key));
  }
};

// Sorts list[0 .. count) in shared memory; called by THREADS threads, those of a warp or of the block. The bitonic
// network, whose merges begin with the mirrored half: the earlier rank always goes to the lower place, so places from
// `count` on need no ranks. Ends with a barrier.
template<int THREADS> GP_DEVICE void gp__order_barrier() {
  if (THREADS == 32) __syncwarp();
  else __syncthreads();
}
template<int THREADS, class R> GP_DEVICE void gp__sort_by_order(typename R::type *list, gp__u32 count) {
  gp__order_barrier<THREADS>();
  GP__UNROLL_BY(1)
  for (gp__u32 half = 1; half < count; half *= 2) {
    GP__UNROLL_BY(1)
    for (gp__u32 stride = half; stride > 0; stride /= 2) {
      for (gp__u32 i = threadIdx.x % THREADS;; i += THREADS) {
        const gp__u32 low = 2 * i - (i & (stride - 1)), high = stride == half ? low ^ (2 * half - 1) : low + stride;
        if (low - (low & (stride - 1)) + stride >= count) break; // no pair from here on
        if (high >= count) continue;
        const typename R::type a = list[low], b = list[high];
        if (R::before(b, a)) {
          list[low] = b;
          list[high] = a;
        }
      }
      gp__order_barrier<THREADS>();
    }
  }
}

// The best ranks that a block has seen, as gp__best: up to k sorted ones, and unsorted ones behind them.
template<int THREADS, class R> struct gp__best_by_order {
  typedef typename R::type Rank;
  static const int MERGED = 1; // a tile has room for these
  gp__best_storage &s;
  Rank *list;
  gp__u32 capacity, k;
  gp__u32 seen; // list length known to this warp
  bool full; // k ranks are there; the last bounds what is taken

  GP_DEVICE gp__best_by_order(gp__best_storage &storage, void *memory, gp__u32 room, gp__u32 wanted)
    : s(storage), list(gp__as<Rank>(memory)), capacity(room), k(wanted), seen(0), full(false) {
    __syncthreads();
    if (!threadIdx.x) s.listed = 0;
    __syncthreads();
  }
  GP_DEVICE bool takes(const Rank &r) const { return R::there(r) && (!full || R::before(r, list[k - 1])); }
  GP_DEVICE void push(bool there, const Rank &r) {
    const gp__u32 at = gp__warp_draw(&s.listed, there, seen);
    if (there) list[at] = r;
  }
  // Sorts list[0 .. k) and returns how many of these exist; drops the others.
  GP_DEVICE gp__u32 finish() {
    __syncthreads();
    const gp__u32 count = s.listed, kept = count < k ? count : k;
    gp__sort_by_order<THREADS, R>(list, count);
    if (!threadIdx.x) s.listed = kept;
    __syncthreads();
    full = true;
    seen = 0;
    return kept;
  }
  GP_DEVICE void make_room(gp__u32 more) {
    if (__syncthreads_or(seen + more > capacity)) finish();
  }
};

template<class P, class Before, class Key, class In, class Out, bool WIDE> struct gp__top_k_by_order {
  typedef gp__order_rank<Key, Before, WIDE> Rank;
  typedef typename Rank::type Ranked;
  typedef gp__best_by_order<P::threads, Rank> Best;
  static const int ITEMS = gp__order_items(P::vectors, int(sizeof(Key))), TILE = P::threads * ITEMS;
  static GP_DEVICE void load(const Key *in, gp__u64 first, gp__u64 n, Key (&key)[ITEMS]) {
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * P::threads + threadIdx.x;
      if (at < n) key[i] = in[at];
    }
  }
  static GP_DEVICE void take(
      const gp__segmented_top_k_args &a, const gp__top_k_segment &s, gp__u32 part, gp__u32 parts, Best &best) {
    const Key *in = gp__as<const Key>(a.top.keys) + s.begin;
    const gp__u64 tiles = (s.count + TILE - 1) / TILE, own = part < tiles ? (tiles - part - 1) / parts + 1 : 0;
    gp__u64 all = 1, t = 0; // as in gp__take_part
    while (all < own) all *= 2;
    Key now[ITEMS];
    load(in, part * gp__u64(TILE), s.count, now);
    for (gp__u64 i = 0; i < own; ++i) {
      const gp__u64 first = (t * parts + part) * TILE;
      do t = (t + (all / 8 * 5 | 1)) & (all - 1);
      while (t >= own);
      Key next[ITEMS]; // in flight meanwhile
      load(in, (t * parts + part) * TILE, i + 1 < own ? s.count : 0, next);
      GP__EACH(j, ITEMS) {
        const gp__u64 at = first + j * P::threads + threadIdx.x;
        const Ranked r = Rank::make(now[j], at);
        best.push(at < s.count && best.takes(r), r);
        now[j] = next[j];
      }
      best.make_room(TILE);
    }
  }
  static GP_DEVICE void put(const gp__top_k_args &a, gp__u64 to, gp__u64 begin, const Ranked &r) {
    if (a.out_keys) gp__as<Key>(a.out_keys)[to] = r.key;
    gp__top_k_value<In, Out>::store(a, to, begin + r.index, r.index);
  }
};

// Second launch: warps sort segments that their lists have room for; longer ones become tasks.
template<class P, class Before, class Key, class In, class Out, bool WIDE>
GP_DEVICE void gp__top_k_order_short(const gp__segmented_top_k_args &a) {
  typedef gp__top_k_by_order<P, Before, Key, In, Out, WIDE> Way;
  typedef typename Way::Ranked Ranked;
  struct Rooms {
    alignas(16) gp__u8 of[P::threads / 32][GP__ORDER_OF_WARP];
  };
  GP_SHARED(Rooms, rooms);
  Ranked *list = gp__as<Ranked>(rooms.of[gp_warp()]);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const gp__u64 warps = gp__u64(gridDim.x) * (P::threads / 32);
  for (gp__u64 batch = blockIdx.x * gp__u64(P::threads / 32) + gp_warp(); batch * a.batch < a.top.rows;
       batch += warps) {
    const gp__u64 first = batch * a.batch, i = first + gp_lane();
    const bool exists = gp_lane() < a.batch && i < a.top.rows;
    gp__top_k_segment mine(a, exists ? i : first);
    if (!exists) mine.k = 0;
    gp__list_tasks(a, first, mine.k && mine.count > a.by_warps ? mine.parts(a.part) : 0);
    for (unsigned left = __ballot_sync(~0u, mine.k && mine.count <= a.by_warps); left; left &= left - 1) {
      const int owner = int(gp__nth_bit(left, 0));
      const gp__u64 begin = __shfl_sync(~0u, mine.begin, owner);
      const gp__u32 count = __shfl_sync(~0u, gp__u32(mine.count), owner), k = __shfl_sync(~0u, mine.k, owner);
      for (gp__u32 at = gp_lane(); at < count; at += 32)
        list[at] = Way::Rank::make(gp__as<const Key>(a.top.keys)[begin + at], at);
      gp__sort_by_order<32, typename Way::Rank>(list, count);
      for (gp__u32 at = gp_lane(); at < k; at += 32)
        Way::put(a.top, (first + unsigned(owner)) * a.top.k + at, begin, list[at]);
      __syncwarp();
    }
  }
}
// Third launch.
template<class P, class Before, class Key, class In, class Out, bool WIDE>
GP_DEVICE void gp__top_k_order_tasks(const gp__segmented_top_k_args &a) {
  gp__do_top_k_tasks<P, gp__top_k_by_order<P, Before, Key, In, Out, WIDE>>(a);
}

// Many results: a merge sort gives every key a place in the order of all, so that segments are sorted by places.
// from: the index of the key at a place. lists: the place of the key at an index.
template<class P, bool WIDE> GP_DEVICE void gp__top_k_places(const gp__segmented_top_k_args &a) {
  typedef typename gp__unsigned_of<WIDE ? 8 : 4>::type Index;
  gp__pdl_wait<P>();
  for (gp__u64 i = blockIdx.x * gp__u64(P::threads) + threadIdx.x; i < a.top.count;
       i += gp__u64(gridDim.x) * P::threads)
    gp__as<Index>(a.lists)[gp__as<const Index>(a.top.from)[i]] = Index(i);
}
// The first k of each segment. lists: places, sorted in each segment; NULL: all keys are one segment.
template<class P, class Key, class In, class Out, bool WIDE>
GP_DEVICE void gp__top_k_order_cut(const gp__segmented_top_k_args &a) {
  typedef typename gp__unsigned_of<WIDE ? 8 : 4>::type Index;
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  for (gp__u64 to = blockIdx.x * gp__u64(P::threads) + threadIdx.x; to < a.top.rows * a.top.k;
       to += gp__u64(gridDim.x) * P::threads) {
    const gp__top_k_segment s(a, to / a.top.k);
    const gp__u64 number = to % a.top.k, at = s.begin + number;
    if (number >= s.k) continue;
    const gp__u64 place = a.lists ? gp__as<const Index>(a.lists)[at] : at;
    if (place >= a.top.count) continue; // wrong offsets
    const gp__u64 from = gp__as<const Index>(a.top.from)[place];
    if (a.top.out_keys) gp__as<Key>(a.top.out_keys)[to] = gp__as<const Key>(a.top.keys)[place];
    gp__top_k_value<In, Out>::store(a.top, to, from, from - s.begin);
  }
}
