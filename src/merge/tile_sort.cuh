// merge/tile_sort.cuh - merge sort: ties, and tiles sorted by themselves
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, merge/policy.h, merge/arguments.h, device/types.cuh,
//   device/operators.cuh, device/tile_copy.cuh, device/kernel.cuh, select/stream.cuh, merge/kernels.cuh

// A block sorts a tile. Each thread sorts consecutive keys in registers by a network; then the block merges runs of
// threads in shared memory, two to one. Passes of gp__merge make longer runs.

// The bits of a word-sized key.
template<class T, class Bits = typename gp__unsigned_of<sizeof(T)>::type> GP_DEVICE Bits gp__bits_of(const T &x) {
  union Cast {
    Bits bits;
    T value;
    GP_DEVICE Cast() {}
  } cast;
  cast.value = x;
  return cast.bits;
}

// True if keys that tie have the same bits, so that their order does not matter.
template<class Before> struct gp__ties_are_same { static const bool value = false; };
template<class T> struct gp__ties_are_same<gp_less<T>> { static const bool value = gp__is_exact<T>::value; };
template<class T> struct gp__ties_are_same<gp_greater<T>> { static const bool value = gp__is_exact<T>::value; };
// Floats that tie differ only as zeros of different sign. negative: true for -0.
template<class Before> struct gp__zeros_tie {
  static const bool value = false;
  template<class Key> static GP_DEVICE bool negative(const Key &) { return false; }
};
template<class T, bool FLOAT> struct gp__float_zeros_tie : gp__zeros_tie<void> {};
template<class T> struct gp__float_zeros_tie<T, true> {
  typedef typename gp__unsigned_of<int(sizeof(T))>::type Bits;
  static const bool value = true;
  static GP_DEVICE bool negative(const T &x) { return gp__bits_of(x) == Bits(Bits(1) << (8 * sizeof(T) - 1)); }
};
template<class T> struct gp__zeros_tie<gp_less<T>> : gp__float_zeros_tie<T, gp__traits<T>::kind == GP__FLOAT> {};
template<class T> struct gp__zeros_tie<gp_greater<T>> : gp__float_zeros_tie<T, gp__traits<T>::kind == GP__FLOAT> {};

// Sorts the first n keys of a thread (FULL: all), and their places if there are values.
template<class Before, class Key, int ITEMS, bool SOURCES> struct gp__thread_sort {
  static GP_DEVICE void exchange(Key &x, Key &y, gp__u32 &p, gp__u32 &q, bool there) {
    const Key a = x, b = y; // copies: with references the compiler selects addresses
    const bool swap = there && Before()(b, a);
    x = swap ? b : a;
    y = swap ? a : b;
    if (SOURCES) {
      const gp__u32 c = p, d = q;
      p = swap ? d : c;
      q = swap ? c : d;
    }
  }
  // Odd-even transposition compares neighbours alone: it is stable.
  template<bool FULL> static GP_DEVICE void stable(Key (&key)[ITEMS], gp__u32 (&source)[SOURCES ? ITEMS : 1], int n) {
    GP__EACH(round, ITEMS) {
      GP__UNROLL
      for (int i = round % 2; i + 1 < ITEMS; i += 2)
        exchange(key[i], key[i + 1], source[SOURCES ? i : 0], source[SOURCES ? i + 1 : 0], FULL || i + 1 < n);
    }
  }
};

// Batcher's odd-even merge sort for any number of keys (Knuth, The Art of Computer Programming, volume 3, 5.2.2 M):
// fewer comparisons, not stable. A stage compares keys that are K apart.
template<class Before, class Key, int ITEMS, int P = 1, int K = 1, bool MORE = (P < ITEMS)> struct gp__batcher {
  static GP_DEVICE void run(Key (&key)[ITEMS]) {
    gp__u32 none = 0;
    GP__UNROLL
    for (int i = 0; i + K < ITEMS; ++i) {
      const int start = K & (P - 1);
      if (i >= start && ((i - start) / K & 1) == 0 && i / (2 * P) == (i + K) / (2 * P))
        gp__thread_sort<Before, Key, ITEMS, false>::exchange(key[i], key[i + K], none, none, true);
    }
    gp__batcher<Before, Key, ITEMS, K == 1 ? 2 * P : P, K == 1 ? 2 * P : K / 2>::run(key);
  }
};
template<class Before, class Key, int ITEMS, int P, int K> struct gp__batcher<Before, Key, ITEMS, P, K, false> {
  static GP_DEVICE void run(Key (&)[ITEMS]) {}
};

// Writes the indices of keys without values.
template<class V, bool INDEX> struct gp__index_writer {
  template<int THREADS> static GP_DEVICE void run(V *out, const gp__u16 *sources, gp__u64 first, int n) {
    for (int i = int(threadIdx.x); i < n; i += THREADS) out[i] = V(first + sources[i]);
  }
};
template<class V> struct gp__index_writer<V, false> {
  template<int THREADS> static GP_DEVICE void run(V *, const gp__u16 *, gp__u64, int) {}
};

template<class P, class Before, class Key, class Value> struct gp__tile_sorter {
  static const int THREADS = P::threads, KEY = int(sizeof(Key)), VALUE = gp__bytes_of<Value>::value;
  static const int ITEMS = gp__sort_tile_items(P::vectors, KEY, VALUE), TILE = THREADS * ITEMS;
  static const int SOURCES_AT = gp__merge_window_bytes(TILE + 1, KEY, 1), // one key more
      VALUES_AT = SOURCES_AT + gp__merge_source_bytes(TILE, VALUE);
  typedef gp__thread_sort<Before, Key, ITEMS, (VALUE > 0)> Network;

  // One thread merges N elements of two runs, from element `diagonal` of the result on. The runs have n and m elements,
  // from bytes one_at and two_at on. reach: the search's first step, more than half as long as the shorter run. After
  // both runs it takes any element. Unless any bits may be compared, no load goes past the key at byte `last`; FULL
  // tiles come nowhere near it. source: the position of each element, in sizes of a key.
  template<bool FULL, int N>
  static GP_DEVICE void merge(const gp__u8 *bytes, gp__u32 one_at, int n, gp__u32 two_at, int m, int diagonal,
      gp__u32 reach, gp__u32 last, Key (&key)[N], gp__u32 (&source)[VALUE ? N : 1]) {
    const bool ANY = FULL || gp__ties_are_same<Before>::value || gp__zeros_tie<Before>::value; // bits may be compared
    const gp__u32 one_end = one_at + gp__u32(n * KEY), end = two_at + gp__u32(m * KEY);
    int low = diagonal > m ? diagonal - m : 0;
    const int high = diagonal < n ? diagonal : n;
    if (low < high) {
      const gp__u32 behind = two_at + gp__u32(diagonal * KEY);
      GP__UNROLL_BY(1)
      for (gp__u32 step = reach; step; step >>= 1) {
        const int next = low + int(step) < high ? low + int(step) : high;
        const Key &x = *gp__as<const Key>(bytes - KEY + (one_at + gp__u32(next * KEY)));
        if (!Before()(*gp__as<const Key>(bytes + (behind - gp__u32(next * KEY))), x)) low = next;
      }
    }
    gp__u32 x = one_at + gp__u32(low * KEY), y = two_at + gp__u32((diagonal - low) * KEY);
    Key first = *gp__as<const Key>(bytes + (ANY ? x : gp_min<gp__u32>()(x, last)));
    Key second = *gp__as<const Key>(bytes + (ANY ? y : gp_min<gp__u32>()(y, last)));
    GP__EACH(k, N) {
      const bool later = Before()(second, first), of_second = y < end && (x >= one_end || later);
      key[k] = of_second ? second : first;
      if (VALUE) source[VALUE ? k : 0] = (of_second ? y : x) / gp__u32(KEY);
      if (k + 1 == N) continue;
      const gp__u32 next = (of_second ? y : x) + KEY;
      gp__select_advance(x, y, of_second, KEY, KEY);
      if (!VALUE || (KEY > 4 && KEY <= 16)) { // otherwise two conditional loads cost less than selections
        const Key fresh = *gp__as<const Key>(bytes + (ANY ? next : gp_min<gp__u32>()(next, last)));
        first = of_second ? first : fresh;
        second = of_second ? fresh : second;
      } else if (of_second) second = *gp__as<const Key>(bytes + (ANY ? y : gp_min<gp__u32>()(y, last)));
      else first = *gp__as<const Key>(bytes + (ANY ? x : gp_min<gp__u32>()(x, last)));
    }
  }
  // Stores what a thread has merged, at places from `mine` on.
  template<int N>
  static GP_DEVICE void put(
      Key *keys, gp__u16 *sources, int mine, int count, const Key (&key)[N], const gp__u32 (&source)[VALUE ? N : 1]) {
    GP__EACH(k, N)
      if (k < count) {
        keys[mine + k] = key[k];
        if (VALUE) sources[mine + k] = gp__u16(source[VALUE ? k : 0]);
      }
  }
  // Sorts the tile in shared memory.
  template<bool FULL> static GP_DEVICE void sort_shared(Key *keys, gp__u16 *sources, int tile) {
    Key key[ITEMS];
    gp__u32 source[VALUE ? ITEMS : 1];
    const int mine = int(threadIdx.x) * ITEMS,
              count = FULL ? ITEMS
        : tile - mine < 0 ? 0
        : tile - mine < ITEMS ? tile - mine
        : ITEMS;
    GP__EACH(k, ITEMS) {
      if (k < count) key[k] = keys[mine + k];
      if (VALUE) source[VALUE ? k : 0] = gp__u32(mine + k);
    }
    for (int i = tile + int(threadIdx.x); i <= TILE && i <= tile + ITEMS; i += THREADS)
      keys[i] = keys[tile - 1]; // compared, never taken
    const bool any_order = FULL && !VALUE && (gp__ties_are_same<Before>::value || gp__zeros_tie<Before>::value);
    bool in_order = !any_order; // keys that tie keep their order
    if (any_order && gp__zeros_tie<Before>::value) {
      GP__EACH(k, ITEMS) in_order = in_order || gp__zeros_tie<Before>::negative(key[k]);
    }
    if (!in_order) gp__batcher<Before, Key, ITEMS>::run(key);
    else Network::template stable<FULL>(key, source, count);
    GP__UNROLL_BY(1)
    for (int width = 1;; width *= 2) { // threads of a run
      __syncthreads();
      put(keys, sources, mine, count, key, source);
      __syncthreads();
      if (width * ITEMS >= tile) break;
      if (count == 0) continue;
      const int base = (int(threadIdx.x) & ~(2 * width - 1)) * ITEMS, run = width * ITEMS;
      const int rest = FULL ? 2 * run : tile - base, n = rest < run ? rest : run, m = rest - n < run ? rest - n : run;
      const gp__u32 at = gp__u32(base * KEY), at2 = at + gp__u32(n * KEY);
      merge<FULL>(gp__as<const gp__u8>(keys), at, n, at2, m, mine - base,
          gp__power_of_two(ITEMS / 2 + 1, 1) * unsigned(width), at2 + gp__u32(m * KEY), key, source);
      if (VALUE) {
        GP__EACH(k, ITEMS)
          if (k < count) source[VALUE ? k : 0] = sources[source[VALUE ? k : 0]];
      }
    }
  }
  static GP_DEVICE void write_values(
      const gp__merge_args &, const gp__u16 *, gp__u8 *, gp__u64, int, const gp__none *) {}
  // Writes the tile's values in sorted order; without values, the keys' indices.
  template<class V>
  static GP_DEVICE void write_values(
      const gp__merge_args &a, const gp__u16 *sources, gp__u8 *staged, gp__u64 first, int tile, const V *values) {
    V *out = gp__as<V>(a.out_values) + first;
    if (values) {
      gp__copy_to_shared<THREADS, 4, P::load>(
          staged, gp__as<const gp__u8>(values + first), unsigned(tile) * unsigned(sizeof(V)), threadIdx.x);
      __syncthreads();
      gp__picked<V>::template run<THREADS>(out, sources, tile, staged, staged, tile, threadIdx.x);
    } else gp__index_writer<V, gp__traits<V>::kind == GP__UNSIGNED>::template run<THREADS>(out, sources, first, tile);
  }
  static GP_DEVICE void sort(const gp__merge_args &a, gp__u64 first, int tile, gp__u8 *shared) {
    Key *keys = gp__as<Key>(shared);
    gp__u16 *sources = gp__as<gp__u16>(shared + SOURCES_AT);
    gp__copy_to_shared<THREADS, 4, P::load>(
        shared, gp__as<const gp__u8>(a.keys) + first * unsigned(KEY), unsigned(tile) * unsigned(KEY), threadIdx.x);
    __syncthreads();
    if (tile == TILE) sort_shared<true>(keys, sources, tile);
    else sort_shared<false>(keys, sources, tile);
    gp__copy_from_shared<THREADS, P::store>(
        gp__as<gp__u8>(a.out_keys) + first * unsigned(KEY), shared, unsigned(tile) * unsigned(KEY), threadIdx.x);
    if (VALUE) write_values(a, sources, shared + VALUES_AT, first, tile, gp__as<const Value>(a.values));
  }
};

// In place or not: a block reads its tile before it writes it.
template<class P, class Before, class Key, class Value> GP_DEVICE void gp__merge_sort_tiles(const gp__merge_args &a) {
  typedef gp__tile_sorter<P, Before, Key, Value> Sorter;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  for (gp__u64 first = gp__u64(blockIdx.x) * Sorter::TILE; first < n; first += gp__u64(gridDim.x) * Sorter::TILE) {
    Sorter::sort(a, first, n - first < gp__u64(Sorter::TILE) ? int(n - first) : Sorter::TILE, shared);
    __syncthreads();
  }
}
