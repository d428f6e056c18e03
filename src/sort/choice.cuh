// sort/choice.cuh - adaptive sort: a sample chooses; one block's sort
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, sort/choice_policy.h, sort/hybrid_arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/hash.cuh, device/tile_sort.cuh, device/kernel.cuh,
//   sort/radix_count.cuh, sort/hybrid.cuh, sort/hybrid_count.cuh, sort/buckets.cuh

// Chooses between hybrid and one-sweep sort. The hybrid sort moves keys once a level while many share their upper bits;
// the one-sweep sort takes the same time for all distributions. One block sorts a sample. The sample is so small that a
// bucket of uniform keys has about one sampled key. A sampled key that shares its upper bits with a different sampled
// key counts as moved at the level after these bits. (Equal keys end as a constant part.) Costs are an H200's for one
// of 2^26 keys, in tenths of a picosecond. One sweep also wins where random keys occur REPEATS times each or more:
// buckets then differ in size and keys share bins. Pairs and 8-byte keys are excepted if keys repeat so often that
// parts soon become constant.
template<class P, class T, bool DESCENDING, class Value> struct gp__sort_sampling {
  typedef gp__hybrid<P, T, DESCENDING, Value> Hybrid;
  typedef typename Hybrid::Code Code;
  typedef typename Hybrid::Key Key;
  static const int THREADS = GP__SAMPLE_THREADS, ITEMS = GP__SAMPLE / THREADS, BITS = Hybrid::BITS;
  typedef gp__tile_sort<Key, THREADS, ITEMS, GP__SAMPLE_LOG2_BINS> Sort;
  struct Storage {
    typename Sort::Storage tile;
    gp__u32 total[THREADS / 32];
    gp__u32 head[GP__SAMPLE + 1]; // start of each run of equal keys
    gp__u32 alike[64]; // [b]: keys whose longest prefix shared with a different key has b bits
    gp__u32 lowest[256]; // [b]: keys whose lowest 8 bits are b
    gp__u32 different;
  };
  typedef gp__duplicate_sampler<THREADS, GP__DUPLICATE_PLACES, GP__DUPLICATE_SAMPLE> Duplicates;
  static const bool PAIRS = Hybrid::PAIRS;
  static const int KIND = PAIRS ? sizeof(Value) > 4 ? 3 : 2 : BITS > 32; // costs of pairs are for 8-byte keys
  static const unsigned COUNT = gp__of_kind(KIND, 11, 19, 19, 19), MOVE = gp__of_kind(KIND, 43, 55, 95, 115),
                        MOVE_DEEP = gp__of_kind(KIND, 74, 141, 440, 440), FILL = gp__of_kind(KIND, 11, 22, 22, 22),
                        BUCKETS = gp__of_kind(KIND, 50, 90, 130, 150), HISTOGRAM = gp__of_kind(KIND, 11, 20, 20, 20),
                        PASS = gp__of_kind(KIND, 41, 57, 87, 105), REPEATS = gp__of_kind(KIND, 6, 24, 10, 10),
                        FEWEST = gp__of_kind(KIND, 3, 3, 4, 4), SOON = gp__of_kind(KIND, 0, 64, 1024, 1024);
  static_assert(sizeof(Storage) == gp__sample_bytes(int(sizeof(T))) && sizeof(Duplicates) == gp__duplicate_bytes(),
      "shared memory");
  const Hybrid &h;
  Storage &s;
  Duplicates &r;

  GP_DEVICE Key key(unsigned i) const { return s.tile.key[Sort::Storage::slot(i)]; }
  // One key of each `each` keys.
  GP_DEVICE Key drawn(unsigned i, gp__u64 each) const { return Code::encode(h.from(GP__FROM_IN)[gp__drawn(i, each)]); }
  // Random keys that occur t times each have t m^2 / 2n equal pairs in a sample of m. True if t is REPEATS or more.
  // `soon`: parts become constant early, as t exceeds about 2000 (140 for 8-byte keys alone). With d = n / t distinct
  // keys, m^2 / (m + 2.2 d) sampled keys equal another one. The estimate fails where a few keys make up most of these.
  // Samples of pairs are drawn anywhere, so that equal neighbours are found too: they are also slow on chip.
  GP_DEVICE bool has_duplicates(gp__u64 n, unsigned m) const {
    Key x[Duplicates::EACH];
    r.look(
        [&](int i, unsigned at) {
          x[i] = Code::encode(h.from(GP__FROM_IN)[PAIRS ? gp__hash_of(at) * n >> 32 : gp__drawn(at, n / m)]);
          return gp__hash_of(x[i]);
        },
        m);
    const gp__u64 times = (REPEATS >> (PAIRS && n >> 24 == 0)) + PAIRS; // a key may be drawn twice
    const gp__u64 least = times * m * m * 2 / (5 * n);
    const gp__u64 all = m, equal = r.equal, different = r.different;
    const bool soon =
        SOON && equal * (all + n / (SOON ? SOON : 1)) > all * all && 4 * different * all >= 3 * equal * (all - equal);
    // Below 2^25 pairs a key that is frequent in all buckets, among other keys, makes levels costlier than passes.
    const bool hot = PAIRS && n >> 25 == 0 && 4 * equal >= all && 64 * (all - equal) >= all;
    const bool is = ((different >= (n >> 27 ? 2 : FEWEST) && different >= least) || hot) && !soon;
    __syncthreads();
    return is || (!PAIRS && BITS > 32 && h.a.sample == 1 && crowd(x, m));
  }
  // Used where costs are not compared. True if many different keys share the 12 highest bits in which keys differ.
  GP_DEVICE bool crowd(const Key (&x)[Duplicates::EACH], unsigned m) const {
    gp__u32 *word = r.key, alike = 0;
    gp__u64 differ = 0;
    GP__UNROLL
    for (int i = 1; i < Duplicates::EACH; ++i)
      if (unsigned(i + 1) * THREADS <= m) differ |= x[i] ^ x[i - 1];
    if (threadIdx.x < 3) word[threadIdx.x] = 0;
    __syncthreads();
    differ = gp_warp_reduce(differ, gp_bit_or<gp__u64>());
    if (!gp_lane()) atomicOr(word, gp__u32(differ)), atomicOr(word + 1, gp__u32(differ >> 32));
    __syncthreads();
    const int width = gp__width(gp__u64(word[1]) << 32 | word[0]), shift = width > 12 ? width - 12 : 0;
    GP__UNROLL
    for (int i = 1; i < Duplicates::EACH; ++i)
      if (unsigned(i + 1) * THREADS <= m) alike += x[i] != x[i - 1] && (x[i] ^ x[i - 1]) >> shift == 0;
    alike = gp_warp_reduce(alike, gp_sum<gp__u32>());
    if (!gp_lane()) atomicAdd(word + 2, alike);
    __syncthreads();
    const bool is = word[2] * 32 > m;
    __syncthreads();
    return is;
  }
  // Draws one key of each n / m and sorts them.
  GP_DEVICE void draw(gp__u64 n, unsigned m) const {
    const Sort sort = {s.tile, gp__opaque_copy(threadIdx.x)};
    const gp__u64 each = n / m;
    sort.clear();
    for (unsigned i = threadIdx.x; i < 64; i += THREADS) s.alike[i] = 0;
    for (unsigned i = threadIdx.x; i < 256; i += THREADS) s.lowest[i] = 0;
    for (unsigned i = threadIdx.x; i < m; i += THREADS) s.tile.key[Sort::Storage::slot(i)] = drawn(i, each);
    sort.surround(m);
    __syncthreads();
    sort.sort(m, 64);
  }
  // Finds the distinct keys and the lengths of their common prefixes. Returns the number of 8-bit digits in which any
  // two of them differ.
  GP_DEVICE int compare(unsigned m) const {
    const unsigned first = threadIdx.x * ITEMS;
    gp__u32 heads = 0;
    for (unsigned i = first; i < first + ITEMS && i < m; ++i) heads += i == 0 || key(i) != key(i - 1) ? 1 : 0;
    gp__u32 at = gp__sum_before<THREADS>(heads, s.total);
    for (unsigned i = first; i < first + ITEMS && i < m; ++i)
      if (i == 0 || key(i) != key(i - 1)) s.head[at++] = i;
    if (threadIdx.x == THREADS - 1) {
      s.head[at] = m;
      s.different = at;
    }
    __syncthreads();
    Key differ = 0;
    for (unsigned j = threadIdx.x; j < s.different; j += THREADS) {
      const Key x = key(s.head[j]);
      const int before = j > 0 ? gp__width(Key(x ^ key(s.head[j - 1]))) : BITS,
                behind = j + 1 < s.different ? gp__width(Key(x ^ key(s.head[j + 1]))) : BITS;
      atomicAdd(&s.alike[BITS - (before < behind ? before : behind)], s.head[j + 1] - s.head[j]);
      if (j > 0) differ |= x ^ key(s.head[j - 1]);
    }
    int digits = 0;
    for (int d = 0; d < BITS / 8; ++d) digits += __syncthreads_or((differ >> (8 * d) & 0xff) != 0) ? 1 : 0;
    return digits;
  }
  // 4-byte keys that repeat or share their lowest bits are slow on chip.
  GP_DEVICE bool is_slow_on_chip(unsigned m) const {
    for (unsigned i = threadIdx.x; i < m; i += THREADS) atomicAdd(&s.lowest[gp__u32(key(i)) & 0xffu], 1u);
    __syncthreads();
    return __syncthreads_or(threadIdx.x < 256 && s.lowest[threadIdx.x] > m / 8) || s.different < m / 4 * 3;
  }
  // Called by one warp.
  GP_DEVICE gp__u64 hybrid_cost(gp__u64 n, unsigned m) const {
    const int common = BITS - gp__width(Key(key(0) ^ key(m - 1)));
    gp__u64 cost = 0, size = n;
    gp__u32 sorted = m; // keys that end in buckets
    int prefix = 0;
    unsigned moves = 0;
    for (int level = 0; level < h.a.levels && prefix < BITS; ++level) {
      const int lane = int(gp_lane()), bits = h.digit_bits(level, moves, size, BITS - prefix);
      const gp__u32 own = (lane >= prefix ? s.alike[lane] : 0) + (lane + 32 >= prefix ? s.alike[lane + 32] : 0);
      const gp__u32 moved = gp_warp_broadcast(gp_warp_reduce(own, gp_sum<gp__u32>()), 0);
      if (prefix + bits <= common) { // all keys have one digit: the part stays
        cost += gp__u64(COUNT) * m;
        prefix = common;
      } else if (prefix + bits == BITS) { // keys are counted, then written from the counts
        cost += gp__u64(COUNT + FILL) * moved;
        sorted -= moved;
        prefix = BITS;
      } else {
        cost += gp__u64(COUNT + (moves < 2 ? MOVE : MOVE_DEEP)) * moved;
        ++moves;
        prefix += bits;
        size >>= bits;
      }
    }
    return cost + gp__u64(BUCKETS) * sorted;
  }
  GP_DEVICE void run() const {
    const gp__u64 n = gp__count(h.a);
    const unsigned m = n < h.a.sample ? unsigned(n) : h.a.sample;
    if (h.a.duplicate_sample && n >= h.a.duplicate_sample && has_duplicates(n, h.a.duplicate_sample)) {
      if (!threadIdx.x) *h.a.choice = GP__CHOSE_ONE_SWEEP;
      return;
    }
    int digits = 0;
    bool slow = false;
    if (m > 1) {
      draw(n, m);
      digits = compare(m);
      slow = BITS <= 32 && is_slow_on_chip(m);
    }
    __syncthreads();
    if (gp_warp() != 0) return;
    const gp__u64 one_sweep = gp__u64(HISTOGRAM + PASS * unsigned(digits)) * m;
    const bool sweeps = digits > 0 && (slow || one_sweep < hybrid_cost(n, m));
    if (!threadIdx.x) *h.a.choice = sweeps ? GP__CHOSE_ONE_SWEEP : GP__CHOSE_HYBRID;
  }
};
template<class P, class T, bool DESCENDING, class Value = gp__none>
GP_DEVICE void gp__sort_sample(const gp__hybrid_args &a) {
  typedef gp__sort_sampling<P, T, DESCENDING, Value> Sampling;
  GP_DYNAMIC_SHARED(bytes);
  gp__pdl_wait<P>();
  const gp__hybrid<P, T, DESCENDING, Value> h = {a, 0, 0};
  const Sampling sampling = {
      h, *gp__as<typename Sampling::Storage>(bytes), *gp__as<typename Sampling::Duplicates>(bytes)};
  sampling.run();
}

// All keys in one block.
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS>
GP_DEVICE void gp__sort_one_block(const gp__hybrid_args &a) {
  typedef gp__bucket<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS> Bucket;
  GP_DYNAMIC_SHARED(bytes);
  gp__pdl_wait<P>();
  const Bucket bucket = {*gp__as<typename Bucket::Storage>(bytes)};
  const typename Bucket::Sort sort = {bucket.s, threadIdx.x};
  sort.clear();
  __syncthreads();
  typename Bucket::Raw *out = gp__as<typename Bucket::Raw>(a.out);
  const unsigned n = unsigned(gp__count(a));
  if (bucket.sort(gp__as<const typename Bucket::Raw>(a.in), out, n, 0, 8 * int(sizeof(T)))) return;
  __syncthreads();
  bucket.sort_any(out, out, n);
}
