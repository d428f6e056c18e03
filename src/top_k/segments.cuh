// top_k/segments.cuh - top-k of segments: by lanes, by a block, by several blocks
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, top_k/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/kernel.cuh, segmented_sort/items.cuh, top_k/lists.cuh

// The first launch clears counters. In the second, lanes sort short segments in registers; longer ones become tasks,
// one for each part of a very long one. In the third, blocks draw tasks. Parts leave lists of ranks, which the block
// that leaves the last one merges. If segments have one length, the host knows which launches they need.

// A segment: [begin, begin + count), of which k <= count are wanted. Wrong offsets read nothing outside the input.
struct gp__top_k_segment {
  gp__u64 begin, count;
  gp__u32 k;
  static GP_DEVICE gp__u64 offset(const gp__segmented_top_k_args &a, const void *offsets, gp__u64 i) {
    return !offsets ? i * a.length
        : a.offset_bytes == 4 ? gp__as<const gp__u32>(offsets)[i]
        : gp__as<const gp__u64>(offsets)[i];
  }
  GP_DEVICE gp__top_k_segment(const gp__segmented_top_k_args &a, gp__u64 i) {
    gp__u64 end = a.end ? offset(a, a.end, i) : offset(a, a.begin, i + 1);
    begin = offset(a, a.begin, i);
    if (end > a.top.count) end = a.top.count;
    count = begin < end ? end - begin : 0;
    k = gp__u32(a.top.k);
    if (a.ks && a.ks[i] < k) k = a.ks[i];
    if (count < k) k = gp__u32(count);
  }
  GP_DEVICE gp__u32 parts(gp__u64 part) const { return count > part ? gp__u32((count - 1) / part) + 1 : 1; }
};
// The position of the set bit number n of a mask that has more than n.
GP_DEVICE unsigned gp__nth_bit(unsigned mask, unsigned n) {
  unsigned at = 0;
  GP__UNROLL
  for (unsigned step = 16; step > 0; step /= 2)
    if (unsigned(__popc(mask & ((1u << (at + step)) - 1))) <= n) at += step;
  return at;
}
// Called by all lanes: lists tasks for segment first + lane, one for each of its parts; 0 parts: none.
GP_DEVICE void gp__list_tasks(const gp__segmented_top_k_args &a, gp__u64 first, gp__u32 parts) {
  if (!a.tasks || !__any_sync(~0u, parts > 0)) return;
  const gp__u32 up_to = gp_warp_inclusive_scan(parts, gp_sum<gp__u32>());
  gp__u64 slot = 0, lists = 0;
  if (gp_lane() == 31) slot = gp__add_relaxed(&a.header->listed, up_to);
  slot = gp_warp_broadcast(slot, 31) + up_to - parts;
  if (parts > 1) {
    lists = gp__add_relaxed(&a.header->lists, parts);
    if (lists < a.list_room) a.arrived[lists] = 0;
  }
  for (unsigned left = __ballot_sync(~0u, parts > 0); left; left &= left - 1) {
    const unsigned lane = gp__nth_bit(left, 0), number = gp_warp_broadcast(parts, lane);
    const gp__u64 at = gp_warp_broadcast(slot, lane), list = gp_warp_broadcast(lists, lane);
    for (gp__u32 p = gp_lane(); p < number; p += 32)
      if (at + p < a.task_room) a.tasks[at + p] = gp__top_k_task{first + lane, gp__u32(list), p};
  }
}
// room: for results, padded against bank conflicts, or for a list.
template<class T, class In, class Out, bool DESCENDING> struct gp__top_k_lanes {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__item<Bits, !gp__is_none<Out>::value> Item;
  typedef gp__item<Bits, false> Lone;
  typedef typename Item::type C;
  typedef typename Lone::type Word;
  template<int WARPS> struct rooms { alignas(16) Word of[WARPS][32 * (GP__TOP_K_LANE + 1)]; };
  const gp__top_k_args &a;
  Word *room;

  // Stores results: N sorted items a lane, `lanes` lanes a segment.
  template<int N> GP_DEVICE void store(const C (&x)[N], unsigned lanes, gp__u32 k, gp__u64 to, gp__u64 begin) const {
    GP__EACH(pass, 2) { // keys; indices
      if (pass ? gp__is_none<Out>::value : !a.out_keys) continue;
      __syncwarp();
      GP__UNROLL
      for (unsigned j = 0; j < N; ++j)
        room[gp_lane() * (N + 1) + j] = pass ? Word(Item::index(x[j])) : Word(Item::bits(x[j]));
      __syncwarp();
      GP__UNROLL_BY(2)
      for (gp__u32 r = gp_lane() & (lanes - 1); r < k; r += lanes) {
        const Word w = room[(gp_lane() & (0 - lanes)) * (N + 1) + r + r / N];
        if (pass) gp__top_k_value<In, Out>::store(a, to + r, begin + w, w);
        else gp__as<Bits>(a.out_keys)[to + r] = Key::decode(Bits(w));
      }
    }
    __syncwarp();
  }
  // N keys a lane, 32 apart, of `left` that exist; worst ones behind them.
  template<int N> static GP_DEVICE void load(const Bits *in, gp__u32 left, Word (&key)[N]) {
    const gp__u32 own = left > gp_lane() ? left - gp_lane() : 0;
    in += gp_lane();
    if (left >= 32 * N) {
      GP__EACH(j, N) key[j] = Key::encode(in[32 * j]);
    } else {
      GP__UNROLL
      for (unsigned j = 0; j < N; ++j) key[j] = 32 * j < own ? Word(Key::encode(in[32 * j])) : Lone::last();
    }
  }
  // Sorts N items a lane; returns the k-th.
  template<class I, int N> static GP_DEVICE typename I::type sort(typename I::type (&x)[N], gp__u32 k) {
    gp__sort_lanes<I>(x, 32);
    typename I::type kth = x[0];
    GP__UNROLL
    for (unsigned j = 0; j < N; ++j) {
      const typename I::type item = gp_warp_broadcast(x[j], int((k - 1) / N));
      if ((k - 1) % N == j) kth = item;
    }
    return kth;
  }
  // Every 128th key is a group. The k-th of the groups' best bounds the k-th of n keys: the few within it are listed. A
  // full list is sorted, and lowers the bound; keys behind its k-th lose if equal.
  GP_DEVICE void find(gp__u64 begin, gp__u32 n, gp__u32 k, gp__u64 to) const {
    const int N = GP__TOP_K_OF_WARP / 16, FIRST = 64 / int(sizeof(Word)), STEPS = 8; // the latter: loads in flight
    const Bits *in = gp__as<const Bits>(a.keys) + begin;
    C *list = gp__as<C>(room), x[N];
    Word best[N];
    GP__EACH(j, N) best[j] = Lone::last();
    GP__UNROLL_BY(1)
    for (gp__u32 at = 0; at < n; at += 32 * FIRST) {
      Word key[FIRST];
      load(in + at, n - at, key);
      GP__EACH(j, FIRST) best[j % N] = key[j] < best[j % N] ? key[j] : best[j % N];
    }
    Word bound = sort<Lone>(best, k);
    gp__u32 listed = 0, steps = STEPS;
    GP__UNROLL_BY(1)
    for (gp__u32 at = 0;;) {
      GP__UNROLL_BY(1)
      while (at < n) {
        Word key[STEPS];
        gp__u32 mine = 0;
        load(in + at, n - at, key);
        GP__EACH(j, STEPS) mine += key[j] <= bound && (j == 0 || steps > 1) ? 1 : 0;
        const gp__u32 next = gp_warp_inclusive_scan(mine, gp_sum<gp__u32>()) + listed,
                      all = gp_warp_broadcast(next, 31);
        if (all > 32 * N) {
          if (steps == 1) break;
          steps = 1;
          continue;
        }
        gp__u32 to_list = next - mine;
        GP__UNROLL
        for (unsigned j = 0; j < STEPS; ++j)
          if (key[j] <= bound && (j == 0 || steps > 1))
            list[to_list++] = Item::make(Bits(key[j]), at + 32 * j + gp_lane());
        listed = all;
        at += 32 * steps;
      }
      __syncwarp();
      GP__UNROLL
      for (unsigned j = 0; j < N; ++j) x[j] = 32 * j + gp_lane() < listed ? list[32 * j + gp_lane()] : Item::last();
      bound = Item::bits(sort<Item>(x, k));
      if (at >= n || bound-- == 0) break; // no key is better than 0
      listed = k;
      steps = STEPS;
      __syncwarp();
      GP__UNROLL
      for (unsigned j = 0; j < N; ++j)
        if (gp_lane() * N + j < k) list[gp_lane() * N + j] = x[j];
    }
    store(x, 32, k, to, begin);
  }
};

// Second launch. A warp takes `batch` segments at a time, a lane each, and sorts those of similar length side by side.
// The warp finds the best of longer ones.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE>
GP_DEVICE void gp__top_k_short(const gp__segmented_top_k_args &a) {
  typedef gp__top_k_lanes<T, In, Out, DESCENDING> Lanes;
  typedef typename Lanes::Key Key;
  typedef typename Lanes::Bits Bits;
  typedef typename Lanes::Item Item;
  typedef typename Lanes::template rooms<P::threads / 32> Rooms;
  const int ITEMS = GP__TOP_K_LANE;
  GP_SHARED(Rooms, rooms);
  const Lanes by = {a.top, rooms.of[gp_warp()]};
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const gp__u64 warps = gp__u64(gridDim.x) * (P::threads / 32);
  for (gp__u64 batch = blockIdx.x * gp__u64(P::threads / 32) + gp_warp(); batch * a.batch < a.top.rows;
       batch += warps) {
    const gp__u64 first = batch * a.batch, i = first + gp_lane();
    const bool there = gp_lane() < a.batch && i < a.top.rows;
    gp__top_k_segment mine(a, there ? i : first);
    if (!there) mine.k = 0;
    const gp__u32 parts = mine.k && mine.count > a.by_warps ? mine.parts(a.part) : 0;
    gp__list_tasks(a, first, parts);
    GP__UNROLL_BY(1)
    for (unsigned log2 = 0; log2 <= 5; ++log2) { // of the lanes that sort a segment
      const unsigned lanes = 1u << log2, most = unsigned(ITEMS) << log2, own = gp_lane() >> log2;
      unsigned left = __ballot_sync(
          ~0u, mine.k && mine.count <= most && mine.count <= a.by_lanes && (log2 == 0 || mine.count > most / 2));
      while (left) {
        const unsigned together = unsigned(__popc(left)), last = 32 >> log2, e = gp_lane() & (lanes - 1);
        const int owner = int(gp__nth_bit(left, own < together ? own : 0));
        const gp__u64 begin = __shfl_sync(~0u, mine.begin, owner);
        const gp__u32 count = __shfl_sync(~0u, gp__u32(mine.count), owner);
        const gp__u32 n = own < together ? count : 0, wanted = __shfl_sync(~0u, mine.k, owner);
        const gp__u32 k = own < together ? wanted : 0;
        const Bits *in = gp__as<const Bits>(a.top.keys) + begin;
        typename Item::type x[ITEMS];
        GP__UNROLL
        for (unsigned j = 0; j < ITEMS; ++j) {
          const gp__u32 at = e + j * lanes;
          x[j] = at < n ? Item::make(Key::encode(in[at]), at) : Item::last();
        }
        gp__sort_lanes<Item>(x, int(lanes));
        by.store(x, lanes, k, (first + owner) * a.top.k, begin);
        if (together <= last) break;
        left &= ~0u << gp__nth_bit(left, last);
      }
    }
    for (unsigned left = __ballot_sync(~0u, mine.k && mine.count > a.by_lanes && mine.count <= a.by_warps); left;
         left &= left - 1) {
      const int owner = int(gp__nth_bit(left, 0));
      by.find(__shfl_sync(~0u, mine.begin, owner), __shfl_sync(~0u, gp__u32(mine.count), owner),
          __shfl_sync(~0u, mine.k, owner), (first + unsigned(owner)) * a.top.k);
    }
  }
}

// Reads the tiles part, part + parts, part + 2 * parts, ... in an order that jumps about, so that sorted segments do
// not bring the worst keys first. Tiles begin at multiples of 16 bytes, `lead` elements before the segment. A warp
// appends its keys of a tile at once.
template<class P, class T, bool DESCENDING, class R>
GP_DEVICE void gp__take_part(const gp__segmented_top_k_args &a, const gp__top_k_segment &s, gp__u32 part, gp__u32 parts,
    gp__best<P::threads, R> &best) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  typedef typename Key::Bits Bits;
  typedef gp__key_tile<P, Bits> Tile;
  const int K = Tile::K, V = Tile::V;
  const Bits *in = gp__as<const Bits>(a.top.keys) + s.begin;
  const gp__u32 lead = gp__misalignment(in, 16) / unsigned(sizeof(Bits));
  in -= lead;
  const gp__u64 end = lead + s.count, tiles = (end + Tile::ITEMS - 1) / Tile::ITEMS;
  const gp__u64 own = part < tiles ? (tiles - part - 1) / parts + 1 : 0;
  gp__u64 all = 1, at = 0; // tile number `at` of the part; `all`: the next power of two
  while (all < own) all *= 2;
  const gp__u64 jump = all / 8 * 5 | 1;
  Tile now;
  now.load(in, part * gp__u64(Tile::ITEMS), own ? end : 0, 0, lead);
  for (gp__u64 i = 0; i < own; ++i) {
    const gp__u64 first = (at * parts + part) * Tile::ITEMS;
    do at = (at + jump) & (all - 1);
    while (at >= own);
    Tile next; // in flight meanwhile
    next.load(in, (at * parts + part) * Tile::ITEMS, i + 1 < own ? end : 0, 0, lead);
    const Bits bound = Bits(best.limit_key);
    gp__u32 hits[K], any = 0;
    GP__EACH(v, K) {
      hits[v] = 0;
      GP__EACH(j, V) {
        now.x[v].item[j] = Key::encode(now.x[v].item[j]);
        hits[v] |= (now.x[v].item[j] <= bound ? 1u : 0u) << j;
      }
      const gp__u64 from = Tile::at(first, v);
      hits[v] &= (1u << Tile::there(from, end)) - 1;
      if (from < lead) hits[v] &= ~0u << (lead - from);
      any |= hits[v];
    }
    if (__any_sync(~0u, any != 0)) {
      gp__u32 mine = 0;
      GP__EACH(v, K) {
        GP__EACH(j, V)
          if (!best.takes(R::make(now.x[v].item[j], Tile::at(first, v) + j - lead))) hits[v] &= ~(1u << j);
        mine += unsigned(__popc(hits[v]));
      }
      const gp__u32 up_to = gp_warp_inclusive_scan(mine, gp_sum<gp__u32>());
      gp__u32 to = 0;
      if (gp_lane() == 31) to = atomicAdd(&best.s.listed, up_to);
      to = gp_warp_broadcast(to, 31);
      best.seen = to + gp_warp_broadcast(up_to, 31);
      to += up_to - mine;
      GP__EACH(v, K) {
        GP__EACH(j, V)
          if (hits[v] >> j & 1u) best.list[to++] = R::make(now.x[v].item[j], Tile::at(first, v) + j - lead);
      }
    }
    best.make_room(Tile::ITEMS);
    now = next;
  }
}

// Merges lists: rank r of part p is lists[r * parts + p], each list sorted and padded to k. Once `parts` ranks in a row
// are beyond the limit, so are all that follow.
template<int THREADS, class R, class Best>
GP_DEVICE void gp__merge_parts(const typename R::type *lists, gp__u32 parts, Best &best) {
  const int ITEMS = Best::MERGED, TILE = THREADS * ITEMS;
  const gp__u64 ranks = gp__u64(parts) * best.k;
  gp__u32 beyond = 0;
  for (gp__u64 first = 0; first < ranks && beyond < parts; first += TILE) {
    typename R::type r[ITEMS];
    bool any = false;
    GP__EACH(j, ITEMS) {
      const gp__u64 at = first + unsigned(j * THREADS) + threadIdx.x;
      r[j] = at < ranks ? lists[at] : R::worst();
    }
    GP__EACH(j, ITEMS) {
      const bool taken = best.takes(r[j]);
      best.push(taken, r[j]);
      any = any || taken;
    }
    beyond = __syncthreads_or(any) ? 0 : beyond + TILE;
    best.make_room(TILE);
  }
}

// Third launch. Way: how ranks are compared, taken and written.
struct gp__top_k_task_storage {
  gp__best_storage best;
  gp__u64 task;
  gp__u32 last;
};
template<class P, class Way> GP_DEVICE void gp__do_top_k_tasks(const gp__segmented_top_k_args &a) {
  typedef typename Way::Rank R;
  GP_SHARED(gp__top_k_task_storage, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  gp__u64 tasks = a.top.rows;
  if (a.tasks) tasks = a.header->listed < a.task_room ? a.header->listed : a.task_room;
  for (gp__u64 t = blockIdx.x;; t += gridDim.x) {
    gp__top_k_task task = {t, 0, 0};
    if (a.tasks) {
      __syncthreads();
      if (!threadIdx.x) s.task = gp__add_relaxed(&a.header->taken, 1);
      __syncthreads();
      t = s.task;
    }
    if (t >= tasks) return;
    if (a.tasks) task = a.tasks[t];
    const gp__top_k_segment segment(a, task.segment);
    const gp__u32 parts = segment.parts(a.part);
    if (!segment.k || (parts > 1 && task.list + parts > a.list_room)) continue;
    typename R::type *lists = gp__as<typename R::type>(a.lists) + task.list * a.top.k;
    GP__UNROLL_BY(1)
    for (bool merges = false;; merges = true) {
      typename Way::Best best(s.best, memory, a.top.capacity, segment.k);
      if (merges) gp__merge_parts<P::threads, R>(lists, parts, best);
      else Way::take(a, segment, task.part, parts, best);
      const gp__u32 found = best.finish();
      if (merges || parts == 1) {
        for (gp__u32 i = threadIdx.x; i < found; i += P::threads)
          Way::put(a.top, task.segment * a.top.k + i, segment.begin, best.list[i]);
        break;
      }
      for (gp__u32 i = threadIdx.x; i < segment.k; i += P::threads)
        lists[gp__u64(i) * parts + task.part] = i < found ? best.list[i] : R::worst();
      __syncthreads();
      if (!threadIdx.x) {
        __threadfence();
        s.last = atomicAdd(a.arrived + task.list, 1u) + 1 == parts;
        __threadfence();
      }
      __syncthreads();
      if (!s.last) break;
    }
  }
}
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE> struct gp__top_k_by_bits {
  typedef gp__rank<int(sizeof(T)), !gp__is_none<Out>::value, WIDE> Rank;
  typedef gp__best<P::threads, Rank> Best;
  static GP_DEVICE void take(
      const gp__segmented_top_k_args &a, const gp__top_k_segment &s, gp__u32 part, gp__u32 parts, Best &best) {
    gp__take_part<P, T, DESCENDING, Rank>(a, s, part, parts, best);
  }
  static GP_DEVICE void put(const gp__top_k_args &a, gp__u64 to, gp__u64 begin, typename Rank::type r) {
    gp__top_k_put<T, DESCENDING, In, Out>(a, to, begin, Rank::key(r), Rank::index(r));
  }
};
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE>
GP_DEVICE void gp__top_k_tasks(const gp__segmented_top_k_args &a) {
  gp__do_top_k_tasks<P, gp__top_k_by_bits<P, T, In, Out, DESCENDING, WIDE>>(a);
}

// First launch, one block.
template<class P> GP_DEVICE void gp__top_k_begin(const gp__segmented_top_k_args &a) {
  gp__pdl_wait<P>();
  if (!threadIdx.x) a.header->listed = a.header->lists = a.header->taken = 0;
}

// The values of results. from: their indices, from the start of a segment on. count_device: limits every segment.
template<class P, class In, class Out> GP_DEVICE void gp__top_k_values(const gp__segmented_top_k_args &a) {
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const gp__u64 most = a.top.count_device ? *a.top.count_device : ~0ull;
  for (gp__u64 to = blockIdx.x * gp__u64(P::threads) + threadIdx.x; to < a.top.rows * a.top.k;
       to += gp__u64(gridDim.x) * P::threads) {
    const gp__top_k_segment s(a, to / a.top.k);
    const gp__u64 place = to % a.top.k;
    if (place >= s.k || place >= most) continue;
    const gp__u64 index =
        a.index_bytes == 8 ? gp__as<const gp__u64>(a.top.from)[to] : gp__as<const gp__u32>(a.top.from)[to];
    if (index < s.count) // wrong offsets
      gp__as<Out>(a.top.out)[to] = gp__as<const In>(a.top.in)[s.begin + index];
  }
}

// The first k of sorted segments. lists: indices, of 4 bytes; WIDE: of 8.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE>
GP_DEVICE void gp__top_k_cut(const gp__segmented_top_k_args &a) {
  typedef gp__top_k_key<T, DESCENDING> Key;
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  for (gp__u64 to = blockIdx.x * gp__u64(P::threads) + threadIdx.x; to < a.top.rows * a.top.k;
       to += gp__u64(gridDim.x) * P::threads) {
    const gp__top_k_segment s(a, to / a.top.k);
    const gp__u64 place = to % a.top.k, at = s.begin + place;
    if (place >= s.k) continue;
    gp__u64 from = at;
    if (!gp__is_none<Out>::value) from = WIDE ? gp__as<const gp__u64>(a.lists)[at] : gp__as<const gp__u32>(a.lists)[at];
    if (from < a.top.count) // wrong offsets
      gp__top_k_put<T, DESCENDING, In, Out>(
          a.top, to, s.begin, Key::encode(gp__as<const typename Key::Bits>(a.top.keys)[at]), from - s.begin);
  }
}
