// device/tile_order.cuh - tiles and groups of lanes: merge sort, radix sort, the k first keys
// uses: core/words.h, device/vocabulary.cuh, device/types.cuh, device/operators.cuh, device/warp.cuh,
//   device/tile_reduce.cuh, device/tile_bins.cuh, device/tile_rank.cuh, device/tile_arrange.cuh

// Items are blocked; values[i] goes with keys[i]. V: the type of values, if there are any. THREADS * ITEMS is below
// 2^16. All threads call. Storage may be used again after the next __syncthreads().

template<int THREADS, int ITEMS, class K, class V> union gp__pair_exchange {
  gp_tile_exchange_storage<THREADS, ITEMS, K> keys;
  gp_tile_exchange_storage<THREADS, ITEMS, V> values;
  static_assert(THREADS * ITEMS < 65536, "places have 16 bits");
};
template<class V> struct gp__has_values { static const bool value = true; };
template<> struct gp__has_values<gp__none> { static const bool value = false; };
template<int THREADS, int TO, bool ALL, int ITEMS, class K, class V, class Exchange>
GP_DEVICE void gp__scatter_pairs(
    K (&keys)[ITEMS], V (&values)[ITEMS], const gp__u32 (&rank)[ITEMS], Exchange &s, unsigned count) {
  gp__scatter_items<gp__of_block<THREADS>, TO, ALL>(keys, rank, s.keys, count);
  if (gp__has_values<V>::value) {
    __syncthreads();
    gp__scatter_items<gp__of_block<THREADS>, TO, ALL>(values, rank, s.values, count);
  }
}

template<int THREADS, int ITEMS, class K, class V = gp__none> struct gp_tile_merge_sort_storage {
  gp__pair_exchange<THREADS, ITEMS, K, V> exchange;
  gp__u16 place[gp__has_values<V>::value ? THREADS * ITEMS : 1];
};
template<class Of, int ITEMS, class K, class V, class Before, class Storage>
GP_DEVICE void gp__merge_sort(
    K (&keys)[ITEMS], V (&values)[ITEMS], const Before &before, Storage &storage, unsigned count) {
  const bool PLACES = gp__has_values<V>::value;
  const unsigned first = Of::rank() * ITEMS;
  decltype(storage.exchange.keys) &s = storage.exchange.keys;
  unsigned place[ITEMS];
  GP__EACH(i, ITEMS) place[i] = first + unsigned(i);
  GP__EACH(round, ITEMS) { // odd-even transposition is stable
    GP__UNROLL
    for (int i = round % 2; i + 1 < ITEMS; i += 2) {
      if (first + unsigned(i) + 1 >= count || !before(keys[i + 1], keys[i])) continue;
      const K key = keys[i];
      const unsigned p = place[i];
      keys[i] = keys[i + 1], keys[i + 1] = key;
      place[i] = place[i + 1], place[i + 1] = p;
    }
  }
  GP__UNROLL_BY(1)
  for (unsigned run = ITEMS; run < Of::WIDTH * ITEMS; run *= 2) {
    GP__EACH(i, ITEMS) {
      s.element[s.slot(int(first) + i)] = keys[i];
      if (PLACES) storage.place[first + unsigned(i)] = (gp__u16)(place[i]);
    }
    Of::sync();
    const unsigned from = first / (2 * run) * (2 * run), left = count > from ? count - from : 0;
    const unsigned n = left < run ? left : run, m = left - n < run ? left - n : run, diagonal = first - from;
    const unsigned middle = from + n, end = middle + m;
    unsigned x = diagonal > m ? diagonal - m : 0, high = diagonal < n ? diagonal : n;
    while (x < high) {
      const unsigned probe = (x + high) / 2;
      if (before(s.element[s.slot(int(middle + diagonal - 1 - probe))], s.element[s.slot(int(from + probe))]))
        high = probe;
      else x = probe + 1;
    }
    unsigned y = middle + diagonal - x;
    x += from;
    GP__EACH(i, ITEMS) {
      if (first + unsigned(i) >= end) continue;
      const bool second = x >= middle || (y < end && before(s.element[s.slot(int(y))], s.element[s.slot(int(x))]));
      const unsigned at = second ? y++ : x++;
      keys[i] = s.element[s.slot(int(at))];
      if (PLACES) place[i] = storage.place[at];
    }
    Of::sync();
  }
  if (PLACES) {
    GP__EACH(i, ITEMS) storage.exchange.values.element[s.slot(int(first) + i)] = values[i];
    Of::sync();
    GP__EACH(i, ITEMS) values[i] = storage.exchange.values.element[s.slot(int(place[i]))];
  }
}
// Merge sort in any order: before(a, b) says whether a comes before b, a lambda for example. Equal keys keep their
// order. Items from `count` on stay where they are. Threads sort their items by a network, then merge runs, two to one,
// each its part.
template<int THREADS, int ITEMS, class K, class Before>
GP_DEVICE void gp_tile_merge_sort(K (&keys)[ITEMS], const Before &before,
    gp_tile_merge_sort_storage<THREADS, ITEMS, K> &storage, unsigned count = THREADS * ITEMS) {
  gp__none none[ITEMS];
  gp__merge_sort<gp__of_block<THREADS>>(keys, none, before, storage, count);
}
template<int THREADS, int ITEMS, class K, class V, class Before>
GP_DEVICE void gp_tile_merge_sort_pairs(K (&keys)[ITEMS], V (&values)[ITEMS], const Before &before,
    gp_tile_merge_sort_storage<THREADS, ITEMS, K, V> &storage, unsigned count = THREADS * ITEMS) {
  gp__merge_sort<gp__of_block<THREADS>>(keys, values, before, storage, count);
}
// A group of LANES lanes, a power of two, sorts its items in its own storage, which may be used again after the next
// __syncwarp(). All lanes of the warp call.
template<int LANES, int ITEMS, class K, class Before>
GP_DEVICE void gp_warp_group_merge_sort(K (&keys)[ITEMS], const Before &before,
    gp_tile_merge_sort_storage<LANES, ITEMS, K> &storage, unsigned count = LANES * ITEMS) {
  gp__none none[ITEMS];
  gp__merge_sort<gp__of_group<LANES>>(keys, none, before, storage, count);
}
template<int LANES, int ITEMS, class K, class V, class Before>
GP_DEVICE void gp_warp_group_merge_sort_pairs(K (&keys)[ITEMS], V (&values)[ITEMS], const Before &before,
    gp_tile_merge_sort_storage<LANES, ITEMS, K, V> &storage, unsigned count = LANES * ITEMS) {
  gp__merge_sort<gp__of_group<LANES>>(keys, values, before, storage, count);
}

// Radix sort of numbers (floats in total order) by bits begin .. end - 1, 8 a pass. Equal keys keep their order: a
// partial tile may be filled up with the last key of the order. TO: the result's arrangement.
template<int THREADS, int ITEMS, class K, class V = gp__none> struct gp_tile_radix_sort_storage {
  gp_tile_rank_storage<THREADS> rank;
  gp__pair_exchange<THREADS, ITEMS, K, V> exchange;
};
template<int THREADS, bool DESCENDING = false, int TO = GP_BLOCKED, int ITEMS, class K, class V>
GP_DEVICE void gp_tile_radix_sort_pairs(K (&keys)[ITEMS], V (&values)[ITEMS],
    gp_tile_radix_sort_storage<THREADS, ITEMS, K, V> &storage, int begin = 0, int end = 8 * int(sizeof(K))) {
  gp__u32 rank[ITEMS];
  GP__EACH(i, ITEMS) rank[i] = threadIdx.x * ITEMS + unsigned(i);
  for (int bit = begin;; bit += 8) { // gp_tile_rank takes warp-striped keys
    gp__scatter_pairs<THREADS, GP_WARP_STRIPED, true>(keys, values, rank, storage.exchange, 0);
    const gp__u32 mask = end - bit < 8 ? (1u << (end - bit)) - 1 : 255;
    gp_tile_rank(
        rank, keys, [=](const K &key, int) { return gp__u32(gp__radix_bits<DESCENDING>(key) >> bit) & mask; },
        storage.rank);
    if (bit + 8 >= end) break;
  }
  gp__scatter_pairs<THREADS, TO, true>(keys, values, rank, storage.exchange, 0);
}
template<int THREADS, bool DESCENDING = false, int TO = GP_BLOCKED, int ITEMS, class K>
GP_DEVICE void gp_tile_radix_sort(K (&keys)[ITEMS], gp_tile_radix_sort_storage<THREADS, ITEMS, K> &storage,
    int begin = 0, int end = 8 * int(sizeof(K))) {
  gp__none none[ITEMS];
  gp_tile_radix_sort_pairs<THREADS, DESCENDING, TO>(keys, none, storage, begin, end);
}

// The k smallest (LARGEST: largest) of the first `count` keys, numbers, become the tile's first k items, in the order
// that they had; of equal keys the first are kept. Other items are undefined. k <= count.
template<int THREADS, int ITEMS, class K, class V = gp__none> struct gp_tile_top_k_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp_tile_bins<THREADS, 256, 1> bins;
  gp__u32 digit, before; // of the last key kept; candidates before it
  gp__pair_exchange<THREADS, ITEMS, K, V> exchange;
};
template<int THREADS, bool LARGEST = false, int ITEMS, class K, class V>
GP_DEVICE void gp_tile_top_k_pairs(K (&keys)[ITEMS], V (&values)[ITEMS], unsigned k,
    gp_tile_top_k_storage<THREADS, ITEMS, K, V> &storage, unsigned count = THREADS * ITEMS) {
  typedef typename gp__ordered<K>::Bits Bits;
  const unsigned first = threadIdx.x * ITEMS;
  Bits last = 0, known = 0; // the last key that is kept, as far as it is known
  gp__u32 left = k, rank[ITEMS], earlier = 0;
  if (k == 0) return;
  GP__UNROLL_BY(1)
  for (int shift = 8 * int(sizeof(K)) - 8; shift >= 0; shift -= 8) {
    gp_tile_clear(storage.bins);
    GP__EACH(i, ITEMS) {
      const Bits bits = gp__radix_bits<LARGEST>(keys[i]);
      if (first + unsigned(i) < count && (bits & known) == last)
        gp_tile_count(storage.bins, gp__u32(bits >> shift) & 255u, 1);
    }
    __syncthreads();
    if (!gp_warp()) {
      const gp__u32 *bin = storage.bins.count + gp_lane() * 8;
      gp__u32 own = 0, b = 0;
      for (; b < 8; ++b) own += bin[b];
      gp__u32 before = gp_warp_inclusive_scan(own, gp_sum<gp__u32>()) - own;
      if (before < left && left <= before + own) { // in one lane
        for (b = 0; before + bin[b] < left;) before += bin[b++];
        storage.digit = gp_lane() * 8 + b;
        storage.before = before;
      }
    }
    __syncthreads();
    left -= storage.before;
    last = Bits(last | Bits(storage.digit) << shift);
    known = Bits(known | Bits(255) << shift);
  }
  // Keys before `last` count in lower halves, its equals, of which `left` are kept, in upper halves.
  GP__EACH(i, ITEMS) {
    const Bits bits = gp__radix_bits<LARGEST>(keys[i]);
    rank[i] = first + unsigned(i) >= count ? 0 : bits < last ? 1 : bits == last ? 65536 : 0;
    earlier += rank[i];
  }
  gp_tile_exclusive_scan<THREADS>(earlier, gp_sum<gp__u32>(), storage.scan);
  GP__EACH(i, ITEMS) {
    const gp__u32 own = rank[i], equals = earlier >> 16;
    const gp__u32 place = (earlier & 65535u) + (equals < left ? equals : left);
    rank[i] = own == 1 || (own && equals < left) ? place : ~0u;
    earlier += own;
  }
  gp__scatter_pairs<THREADS, GP_BLOCKED, false>(keys, values, rank, storage.exchange, k);
}
template<int THREADS, bool LARGEST = false, int ITEMS, class K>
GP_DEVICE void gp_tile_top_k(
    K (&keys)[ITEMS], unsigned k, gp_tile_top_k_storage<THREADS, ITEMS, K> &storage, unsigned count = THREADS * ITEMS) {
  gp__none none[ITEMS];
  gp_tile_top_k_pairs<THREADS, LARGEST>(keys, none, k, storage, count);
}
