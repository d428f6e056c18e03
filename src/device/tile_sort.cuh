// device/tile_sort.cuh - sort of a tile of keys
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, sort/hybrid_policy.h, device/operators.cuh,
//   device/warp.cuh

// Sorts keys of a known range. Counting brings them into the order of their leading bits, with about as many bins as
// keys; a key is then near its place. Rounds of odd-even transpositions (Habermann), on overlapping windows in
// registers, bring it there, and the block agrees that it is sorted. If that takes too long, the bins are fitted to the
// smallest and the largest key; if that does not help either, the threads' runs are merged. The order of equal keys is
// lost.
template<class K> GP_DEVICE int gp__width(K x) { // bits up to the highest set one
  return sizeof(K) > 4 ? 64 - __clzll(gp__i64(x)) : 32 - __clz(int(x));
}

template<class K, int THREADS, int ITEMS, int LOG2_BINS> struct gp_tile_sort_storage {
  static const int CAPACITY = THREADS * ITEMS, BINS = 1 << LOG2_BINS, WARPS = THREADS / 32;
  static const int ROUNDS = gp__tile_sort_rounds(CAPACITY, LOG2_BINS), HALO = ROUNDS + 1;
  static const int GROUPS = BINS / 128, GROUPS_A_WARP = (GROUPS + WARPS - 1) / WARPS; // of 32 vectors of counters
  static_assert((ITEMS & (ITEMS - 1)) == 0 && ITEMS >= 8 && BINS % 128 == 0 && CAPACITY < 65536, "shape of a tile");
  union {
    gp_vector vector[BINS / 4 + 8];
    gp__u32 counter[BINS + 32]; // the last 32 count lanes without a key
  };
  alignas(16) K key[THREADS * (ITEMS + 1) + 3 * HALO + 4]; // key p is at slot(p): windows have no bank conflicts
  K least[WARPS], most[WARPS];
  gp__u32 total[WARPS];
  static GP_DEVICE unsigned slot(unsigned p) { return p + p / ITEMS + 2 * HALO; }
};

template<class K, int THREADS, int ITEMS, int LOG2_BINS> struct gp__tile_sort {
  typedef gp_tile_sort_storage<K, THREADS, ITEMS, LOG2_BINS> Storage;
  static const int HALO = Storage::HALO, ROUNDS = Storage::ROUNDS, WINDOW = ITEMS + 2 * HALO;
  enum { REPEATS = 3, MORE = 7 }; // of all rounds; MORE if bins hold a dozen copies of a key, some of two keys
  Storage &s;
  const unsigned thread; // gp__opaque_copy(threadIdx.x)

  // Call once before the first tile; a barrier follows.
  GP_DEVICE void clear() const {
    for (unsigned i = thread; i < Storage::BINS / 4 + 8; i += THREADS) s.vector[i] = gp_vector{{0, 0, 0, 0}};
  }
  // Counters become the number of earlier keys.
  GP_DEVICE void scan() const {
    gp__u32 before[Storage::GROUPS_A_WARP], run = 0;
    GP__EACH(j, Storage::GROUPS_A_WARP) {
      const unsigned group = gp_warp() * Storage::GROUPS_A_WARP + unsigned(j);
      gp_vector v = {{0, 0, 0, 0}};
      if (group < Storage::GROUPS) v = s.vector[group * 32 + gp_lane()];
      const gp__u32 sum = v.word[0] + v.word[1] + v.word[2] + v.word[3];
      const gp__u32 up_to = gp_warp_inclusive_scan(sum, gp_sum<gp__u32>());
      before[j] = run + up_to - sum;
      run += gp_warp_broadcast(up_to, 31);
    }
    if (!gp_lane()) s.total[gp_warp()] = run;
    __syncthreads();
    const gp__u32 total = gp_lane() < Storage::WARPS ? s.total[gp_lane()] : 0;
    const gp__u32 base = gp_warp_broadcast(gp_warp_inclusive_scan(total, gp_sum<gp__u32>()) - total, gp_warp());
    GP__EACH(j, Storage::GROUPS_A_WARP) {
      const unsigned group = gp_warp() * Storage::GROUPS_A_WARP + unsigned(j);
      if (group < Storage::GROUPS) {
        gp_vector v = s.vector[group * 32 + gp_lane()];
        gp__u32 start = base + before[j];
        GP__EACH(w, 4) {
          const gp__u32 own = v.word[w];
          v.word[w] = start;
          start += own;
        }
        s.vector[group * 32 + gp_lane()] = v;
      }
    }
  }
  GP_DEVICE gp__u32 draw(K key, bool there, K low, int shift) const {
    const gp__u32 bin = there ? gp__u32((key - low) >> shift) : gp__u32(Storage::BINS) + gp_lane();
    return gp__opaque_copy(atomicAdd(&s.counter[bin], 1u) << 16 | bin); // one register
  }
  GP_DEVICE void put(K key, bool there, gp__u32 drawn) const {
    const unsigned p = s.counter[drawn & 0xffffu] + (drawn >> 16);
    if (there) s.key[Storage::slot(p)] = key;
  }
  // The counters must be zero, and a barrier passed since. Puts n keys into the order of their bins, (key - low) >>
  // shift: keys[i] with there(i), and `edge` of warp 0's lanes with there(-1). Ends with a barrier.
  template<class There>
  GP_DEVICE void scatter(const K (&keys)[ITEMS], K edge, const There &there, unsigned n, K low, int shift) const {
    gp__u32 at[ITEMS], at_edge = 0;
    GP__EACH(i, ITEMS) at[i] = draw(keys[i], there(i), low, shift);
    if (!gp_warp()) at_edge = draw(edge, there(-1), low, shift);
    __syncthreads();
    scan();
    __syncthreads();
    GP__EACH(i, ITEMS) put(keys[i], there(i), at[i]);
    if (!gp_warp()) put(edge, there(-1), at_edge);
    surround(n);
    __syncthreads();
  }
  // The same without an edge and with bins of the caller's, in the keys' order; false, without a key at its place, if a
  // bin has more than `crowd` keys.
  template<class There, class Bin>
  GP_DEVICE bool scatter_unless(
      unsigned crowd, const K (&keys)[ITEMS], const There &there, unsigned n, const Bin &bin) const {
    gp__u32 at[ITEMS];
    bool crowded = false;
    GP__EACH(i, ITEMS) {
      at[i] = draw(bin(keys[i]), there(i), 0, 0);
      crowded = crowded || (there(i) && at[i] >> 16 >= crowd);
    }
    if (__syncthreads_or(crowded)) return false;
    scan();
    __syncthreads();
    GP__EACH(i, ITEMS) put(keys[i], there(i), at[i]);
    surround(n);
    __syncthreads();
    return true;
  }
  // Sentinels before and after the keys, for the windows.
  GP_DEVICE void surround(unsigned n) const {
    for (unsigned p = n + thread; p < Storage::CAPACITY + HALO; p += THREADS) s.key[Storage::slot(p)] = ~K(0);
    if (thread < 2 * HALO) s.key[thread] = 0;
  }
  // Loads the thread's window and orders it, all rounds; whether its own keys are in order then.
  GP_DEVICE bool order_window(K (&w)[WINDOW], unsigned first) const {
    GP__EACH(j, WINDOW) {
      const int p = j - HALO, row = p >= 0 ? p / ITEMS : -((-p + ITEMS - 1) / ITEMS);
      w[j] = s.key[first + unsigned(p + row + 2 * HALO)];
    }
    // Round r orders pairs of places (p, p + 1), p + r even, as far as the thread's own keys depend on them.
    GP__EACH(r, ROUNDS) {
      const int low = HALO - ROUNDS + r > 0 ? HALO - ROUNDS + r : 0, high = WINDOW - 1 - low;
      GP__UNROLL
      for (int j = 0; j + 1 < WINDOW; ++j)
        if ((j + HALO + r) % 2 == 0 && j + 1 >= low && j <= high) {
          const K a = w[j], b = w[j + 1];
          w[j] = b < a ? b : a;
          w[j + 1] = b < a ? a : b;
        }
    }
    bool ok = true;
    GP__UNROLL
    for (int j = HALO; j < HALO + ITEMS; ++j) ok &= w[j] <= w[j + 1];
    return ok;
  }
  // All rounds on n keys, a few times, and some more if at most half the threads have keys in disorder then. Returns
  // whether the keys are sorted. Leaves zeros in the counters. Ends with a barrier.
  template<int MOST> GP_DEVICE bool repair(unsigned n) const {
    const bool has_keys = n == Storage::CAPACITY || thread * ITEMS < n;
    const unsigned first = thread * (ITEMS + 1);
    clear();
    for (int repeat = 1; repeat <= MOST; ++repeat) {
      K w[WINDOW];
      bool ok = true;
      if (has_keys) ok = order_window(w, first);
      __syncthreads();
      if (has_keys) {
        GP__EACH(j, ITEMS) s.key[first + unsigned(j + 2 * HALO)] = w[HALO + j];
      }
      const int left = __syncthreads_count(!ok);
      if (left == 0) return true;
      if (MOST > REPEATS && repeat == REPEATS && left > THREADS / 2) return false;
    }
    return false;
  }
  // Sorts each thread's run in registers, then merges.
  GP_DEVICE void merge(unsigned n) const {
    const unsigned own = thread * (ITEMS + 1) + 2 * HALO;
    K w[ITEMS];
    GP__EACH(j, ITEMS) w[j] = s.key[own + unsigned(j)];
    GP__EACH(r, ITEMS) {
      GP__UNROLL
      for (int j = r % 2; j + 1 < ITEMS; j += 2) {
        const K a = w[j], b = w[j + 1];
        w[j] = b < a ? b : a;
        w[j + 1] = b < a ? a : b;
      }
    }
    merge_runs(w, n, [](K a, K b) { return a < b; });
  }
  // Each thread has a run. Merges pairs of runs; each thread makes its part of the result (Merge Path). The n keys are
  // followed by all ones, not less than any key. Ends with a barrier.
  template<class Less> GP_DEVICE void merge_runs(K (&w)[ITEMS], unsigned n, const Less &less) const {
    const unsigned first = thread * ITEMS, own = thread * (ITEMS + 1) + 2 * HALO;
    for (unsigned run = ITEMS;; run *= 2) {
      GP__EACH(j, ITEMS) s.key[own + unsigned(j)] = w[j];
      __syncthreads();
      if (run >= n) return;
      const unsigned from = first / (2 * run) * (2 * run), diagonal = first - from;
      const unsigned middle = from + run < Storage::CAPACITY ? from + run : unsigned(Storage::CAPACITY);
      const unsigned end = middle + run < Storage::CAPACITY ? middle + run : unsigned(Storage::CAPACITY);
      const unsigned second = end - middle;
      unsigned low = diagonal > second ? diagonal - second : 0,
               high = diagonal < middle - from ? diagonal : middle - from;
      while (low < high) {
        const unsigned probe = (low + high) / 2;
        if (less(s.key[Storage::slot(middle + diagonal - 1 - probe)], s.key[Storage::slot(from + probe)])) high = probe;
        else low = probe + 1;
      }
      unsigned a = from + low, b = middle + diagonal - low;
      GP__EACH(j, ITEMS) {
        const K x = s.key[Storage::slot(a < middle ? a : from)], y = s.key[Storage::slot(b < end ? b : from)];
        const bool take = b >= end || (a < middle && !less(y, x));
        w[j] = take ? x : y;
        a += take ? 1u : 0u;
        b += take ? 0u : 1u;
      }
      __syncthreads();
    }
  }
  // Sorts what scatter has left; false if it stays unsorted. Ends with a barrier; the counters are zero then.
  template<int MOST = REPEATS> GP_DEVICE bool finish(int shift, unsigned n = Storage::CAPACITY) const {
    if (shift > 0) return repair<MOST>(n); // otherwise each key value has its own bin
    clear();
    __syncthreads();
    return true;
  }
  // Sorts n keys of unknown range, in any order, in place; all ones follow them.
  GP_DEVICE void sort(unsigned n, int shift) const {
    if (!fit(n, shift)) merge(n);
  }
  // Fits the bins to the smallest and the largest key; false if that does not help.
  GP_DEVICE bool fit(unsigned n, int shift) const {
    K keys[ITEMS], least = ~K(0), most = 0;
    GP__EACH(i, ITEMS) {
      const unsigned p = unsigned(i) * THREADS + thread;
      keys[i] = p < n ? s.key[Storage::slot(p)] : least;
      if (p < n && keys[i] > most) most = keys[i];
    }
    GP__EACH(i, ITEMS) least = keys[i] < least ? keys[i] : least;
    least = gp_warp_broadcast(gp_warp_reduce(least, gp_min<K>()), 0);
    most = gp_warp_broadcast(gp_warp_reduce(most, gp_max<K>()), 0);
    if (!gp_lane()) s.least[gp_warp()] = least, s.most[gp_warp()] = most;
    __syncthreads();
    least = s.least[gp_lane() < Storage::WARPS ? gp_lane() : 0];
    most = s.most[gp_lane() < Storage::WARPS ? gp_lane() : 0];
    least = gp_warp_broadcast(gp_warp_reduce(least, gp_min<K>()), 0);
    most = gp_warp_broadcast(gp_warp_reduce(most, gp_max<K>()), 0);
    const int width = gp__width(K(most - least)), fitted = width > LOG2_BINS ? width - LOG2_BINS : 0;
    if (fitted >= shift) return false;
    scatter(
        keys, 0, [this, n](int i) { return i >= 0 && unsigned(i) * THREADS + thread < n; }, n, least, fitted);
    return finish(fitted);
  }
};
