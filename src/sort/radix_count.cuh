// sort/radix_count.cuh - counts of digits, and whether keys recur
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, sort/radix_policy.h, sort/arguments.h,
//   sort/hybrid_arguments.h, device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/hash.cuh,
//   device/look_back.cuh, device/kernel.cuh, sort/keys.cuh

// Index of a sample's i-th key; the sample has one key of each `each`.
GP_DEVICE gp__u64 gp__drawn(unsigned i, gp__u64 each) { return i * each + ((i * 0x9e3779b1u ^ i >> 3) * each >> 32); }
// Finds repeated keys in a sample. A hash table keeps, at each place, the largest number of the sampled keys that fall
// there. A key repeats if it equals the key whose number it finds and is not that key. A fifth of the repeats is
// missed, as other keys fall in the same place.
template<int THREADS, int PLACES, int SAMPLE> struct gp__duplicate_sampler {
  static const int EACH = SAMPLE / THREADS;
  static_assert(SAMPLE % THREADS == 0, "keys of a thread");
  gp__u32 place[PLACES]; // 0, or the largest number of the keys that fall there
  gp__u32 key[SAMPLE]; // [i]: hash of the key with number i + 1
  gp__u32 again[SAMPLE / 32]; // a bit a key: others equal it
  gp__u32 different, equal; // keys with such a bit; others that equal one of them

  // Called by a block, for m keys. hashed(i, at): hash of key `at`, the thread's i-th.
  template<class Hashed> GP_DEVICE void look(const Hashed &hashed, unsigned m) {
    gp__u32 own[EACH], with_others = 0, others = 0;
    GP__EACH(i, EACH) {
      const unsigned at = unsigned(i) * THREADS + threadIdx.x;
      own[i] = at < m ? hashed(i, at) : 0;
    }
    for (unsigned i = threadIdx.x; i < PLACES; i += THREADS) place[i] = 0;
    for (unsigned i = threadIdx.x; i < SAMPLE / 32; i += THREADS) again[i] = 0;
    if (!threadIdx.x) different = equal = 0;
    __syncthreads();
    GP__UNROLL
    for (int i = EACH - 1; i >= 0; --i) { // descending: equal keys mostly find a larger number
      const unsigned at = unsigned(i) * THREADS + threadIdx.x;
      gp__u32 *to = place + own[i] % PLACES;
      key[at] = own[i];
      if (at < m && gp__load_volatile(to) <= at) atomicMax(to, at + 1);
    }
    __syncthreads();
    GP__EACH(i, EACH) {
      const unsigned at = unsigned(i) * THREADS + threadIdx.x, other = place[own[i] % PLACES] - 1;
      if (at < m && other != at && key[other] == own[i]) {
        ++others;
        if (!(gp__load_volatile(again + other / 32) >> other % 32 & 1u)) with_others += gp__set_bit(again, other);
      }
    }
    others = gp_warp_reduce(with_others << 16 | others, gp_sum<gp__u32>());
    if (!gp_lane()) {
      atomicAdd(&different, others >> 16);
      atomicAdd(&equal, others & 0xffffu);
    }
    __syncthreads();
  }
};

// Each of REPLICAS neighbouring lanes has a copy of the counters. For keys of more than four digits, half the lanes
// count a key's lower word first and the other half its upper word, each in counters on its own side. With 32 copies no
// two lanes of a warp then use one bank. Meanwhile the first block clears the sums in memory.
template<class P, class K, int THREADS, int REPLICAS, bool SAMPLES> struct gp__radix_counting {
  typedef typename K::Key Key;
  typedef typename K::Bits Bits;
  static const int V = 16 % sizeof(Key) == 0 ? 16 / int(sizeof(Key)) : 1, AT_ONCE = 4;
  static const int TABLES = int(sizeof(Bits)) < GP__RADIX_TABLES ? int(sizeof(Bits)) : GP__RADIX_TABLES;
  struct Storage {
    gp__ticket ticket;
    gp__u32 last;
    gp__u64 most[GP__RADIX_PASSES]; // per pass: the most keys of one digit
  };

  const gp__radix_args &a;
  gp__u32 *cells;
  gp__shared_pointer own, other; // this lane's copy of the first counter; the one on the other side
  Bits flip, mask; // flip: all ones if descending; mask: the bits counted now
  int word, shift, digits; // their position in the ordered key, and the number of their digits
  unsigned blocks; // blocks that count: all, or all but the last, which samples

  GP_DEVICE gp__radix_counting(const gp__radix_args &args, gp__u32 *counters)
    : a(args), cells(counters), own(counters + gp_lane() % REPLICAS),
      other(counters + (gp_lane() % REPLICAS ^ REPLICAS / 2)), flip(args.flip ? Bits(~Bits(0)) : Bits(0)), mask(0),
      word(0), shift(0), digits(0), blocks(SAMPLES && args.leads && gridDim.x > 1 ? gridDim.x - 1 : gridDim.x) {}

  // ALL: every bit of the ordered key is counted.
  template<bool ALL> GP_DEVICE void add(gp__u32 x, const gp__shared_pointer &copy) const {
    GP__EACH(i, TABLES)
      if (ALL || i < digits)
        atomicAdd(
            copy.template at<gp__u32>((x >> (8 * i) & 0xffu) * (REPLICAS * 4) + i * GP__DIGITS * REPLICAS * 4), 1u);
  }
  template<bool ALL> GP_DEVICE void count(const Key &key) const {
    Bits x = Bits(K::bits(key, word) ^ flip);
    if (!ALL) x = Bits(x >> shift) & mask;
    const gp__u32 low = gp__u32(x);
    if (sizeof(Bits) > 4 && (ALL || digits > 4)) {
      const gp__u32 high = gp__u32(gp__u64(x) >> 32);
      const bool upper = gp_lane() % REPLICAS >= REPLICAS / 2;
      add<ALL>(upper ? high : low, own);
      add<ALL>(upper ? low : high, other);
    } else add<ALL>(low, own);
  }
  template<bool ALL> GP_DEVICE void count_all(gp__u64 n) const {
    const Key *in = gp__as<const Key>(a.keys);
    const gp__u64 to_boundary = (16 - gp__misalignment(in, 16)) % 16 / sizeof(Key);
    const gp__u64 head = V > 1 ? (to_boundary < n ? to_boundary : n) : 0, vectors = (n - head) / V;
    const gp__u64 mine = gp__u64(blockIdx.x) * THREADS + threadIdx.x;
    const gp__u64 step = gp__u64(blocks) * THREADS;
    for (gp__u64 v = mine; v < vectors; v += step * AT_ONCE) {
      gp__vector_access<Key, V> x[AT_ONCE];
      GP__EACH(k, AT_ONCE) x[k].template load_if<P::load>(v + k * step < vectors, in + head + (v + k * step) * V);
      GP__EACH(k, AT_ONCE)
        if (v + k * step < vectors) {
          GP__EACH(j, V) count<ALL>(x[k].item[j]);
        }
    }
    if (mine < head) count<ALL>(in[mine]);
    if (head + vectors * V + mine < n) count<ALL>(in[head + vectors * V + mine]);
  }
  GP_DEVICE void clear() const {
    for (unsigned i = threadIdx.x; i < TABLES * GP__DIGITS * REPLICAS / 4; i += THREADS)
      gp__as<gp_vector>(cells)[i] = gp_vector{{0, 0, 0, 0}};
  }
  GP_DEVICE void add_to_sums(int first_pass) const {
    const bool halves = sizeof(Bits) > 4 && digits > 4;
    const unsigned copies = halves ? REPLICAS / 2 : REPLICAS;
    for (unsigned i = threadIdx.x; i < unsigned(digits) * GP__DIGITS; i += THREADS) {
      const unsigned table = i / GP__DIGITS % GP__RADIX_TABLES, side = i / GP__DIGITS / GP__RADIX_TABLES;
      const gp__u32 *cell = cells + (table * GP__DIGITS + i % GP__DIGITS) * REPLICAS + side * copies;
      gp__u64 sum = 0;
      GP__UNROLL_BY(4)
      for (unsigned c = 0; c < copies; ++c) sum += cell[(c + threadIdx.x) & (copies - 1)];
      if (sum) atomicAdd(a.counts + unsigned(first_pass) * GP__DIGITS + i, sum);
    }
  }
  // Called by one warp: turns a pass's counts into the starts of its digits. Returns the largest count.
  GP_DEVICE gp__u64 scan_digits(int pass) const {
    gp__u64 *count = a.counts + pass * GP__DIGITS + gp_lane() * 8, c[8], sum = 0, most = 0;
    GP__EACH(i, 8) {
      c[i] = gp__load_relaxed(count + i);
      most = c[i] > most ? c[i] : most;
      sum += c[i];
    }
    gp__u64 before = gp_warp_inclusive_scan(sum, gp_sum<gp__u64>()) - sum;
    GP__EACH(i, 8) {
      count[i] = before;
      before += c[i];
    }
    return gp_warp_reduce(most, gp_max<gp__u64>());
  }
  // True if a bucket of `even` keys, by the digits' shares, would be too large, or hold too many copies of a key for
  // its bins, with random keys that occur m times each. A digit's count has a standard deviation of the root of m times
  // the mean. The fullest of 256 counts is 2.4 deviations above the mean or more; the digit with the smallest maximum
  // gives the estimate. The fullest of all buckets is 4.4 deviations above.
  GP_DEVICE bool keys_recur(const gp__u64 *most, gp__u64 n, gp__u64 even) const {
    gp__u64 least = most[0];
    for (int p = 1; p < 4; ++p) least = most[p] < least ? most[p] : least;
    const float mean = float(n) / GP__DIGITS, fullest = float(least);
    const float above = (fullest - mean) / 2.4f, times = above * above / mean; // m
    const float size = float(even) * (mean / fullest) * (mean / fullest), room = a.capacity - size;
    return times > 12 || (a.leading > 8 && (room < 0 || 4.4f * 4.4f * times * size > room * room));
  }
  // Called by the last block, which counts no keys if there are other blocks. Finds keys that repeat so often that a
  // bucket's bin would hold too many, which digit counts need not show: 20 times each, evenly spread, or a few far more
  // often.
  GP_DEVICE void sample(gp__u64 n) const {
    typedef gp__duplicate_sampler<THREADS, 512 * REPLICAS, 384 * REPLICAS> Duplicates;
    static_assert(!SAMPLES || sizeof(Duplicates) <= gp__radix_histogram_bytes(sizeof(Bits), REPLICAS), "shared memory");
    Duplicates &r = *gp__as<Duplicates>(cells);
    const unsigned m = n >> 25 ? 384 * REPLICAS : n >> 24 ? 192 * REPLICAS : 128 * REPLICAS;
    const Key *in = gp__as<const Key>(a.keys);
    const gp__u64 each = n / m, least = gp__u64(8) * m * m / (n + 1);
    if (each) r.look([=](int, unsigned at) { return gp__hash_of(gp__u64(K::bits(in[gp__drawn(at, each)], 0))); }, m);
    if (!threadIdx.x)
      gp__store_relaxed(
          a.leads, gp__u64(each && r.equal > 2 && r.equal >= least ? GP__CHOSE_PASSES : GP__CHOSE_HYBRID));
    __syncthreads();
  }
  // True if buckets by the leading bits most likely fit on chip and their bins hold few keys, with digits taken as
  // independent. Bins use the 12 bits after the leading ones; `lower` of these are in the second digit after the
  // passes.
  GP_DEVICE bool leads(const gp__u64 *most, gp__u64 n) const {
    if (!a.leads || n == 0 || gp__load_relaxed(a.leads) == GP__CHOSE_PASSES) return false;
    const int first = a.leading > 8 ? 2 : 3, rest = 8 * (4 - first) - a.leading, lower = rest < 4 ? 4 - rest : 0;
    const gp__u64 bucket = first == 2 ? (most[3] * most[2] << rest) / n : most[3] << rest; // n < 2^(leading + 13)
    const gp__u64 even = most[first - 2] << (8 - lower), bin = (most[first - 1] << (8 + lower)) / n;
    return bucket <= a.capacity && bin * (even < n ? even : n) <= 8 * n && !keys_recur(most, n, bucket);
  }
  // Called by one thread: decides what the passes do. A leading sweep runs the last passes alone, from the input to the
  // other buffer, in pairs.
  GP_DEVICE void decide(const gp__u64 *most, gp__u64 n) const {
    const bool leading = leads(most, n);
    int left = 0, done = 0;
    gp__u32 from = 0;
    const int first = !leading ? 0 : a.leading > 8 ? 2 : 3;
    const auto moves = [=](int p) { return leading ? p >= first : most[p] != n; };
    for (int p = 0; p < a.passes; ++p) left += moves(p);
    const bool none = left == 0;
    for (int p = 0; p < a.passes; ++p) {
      gp__u32 step = 0;
      if (moves(p)) {
        const bool to_other = a.in_place ? done % 2 == 0 : left % 2 == leading;
        step = GP__RADIX_RUNS | (done % 2 ? GP__RADIX_ODD : 0) | (left == 1 && !leading ? GP__RADIX_LAST : 0) |
            (to_other ? GP__RADIX_TO_OTHER : 0) | from * GP__RADIX_FROM |
            (a.paired && done ? GP__RADIX_READS_PAIRS : 0) |
            (a.paired && (leading || left > 1) ? GP__RADIX_WRITES_PAIRS : 0);
        from = to_other ? 2 : 1;
        --left, ++done;
      } else if (none && p + 1 == a.passes) step = GP__RADIX_COPIES;
      a.steps[p] = step;
    }
    a.steps[a.passes] = (from == 2 && !leading) || a.passes == 0 ? GP__RADIX_COPIES | from * GP__RADIX_FROM : 0;
    if (a.leads) *a.leads = leading ? GP__CHOSE_HYBRID : GP__CHOSE_PASSES;
  }
  static GP_DEVICE void run(const gp__radix_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    gp__pdl_wait<P>();
    if (!gp__is_chosen(a.choice, GP__CHOSE_ONE_SWEEP)) return;
    const gp__u64 n = gp__count(a), draws = gp__u64(gridDim.x) * 2;
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, draws);
    for (gp__u64 i = gp__u64(blockIdx.x) * THREADS + threadIdx.x; i < a.clear; i += gp__u64(gridDim.x) * THREADS)
      gp__as<gp_vector>(a.words)[i] = gp_vector{{0, 0, 0, 0}};
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number == 0) {
      for (int i = threadIdx.x; i < a.passes * GP__DIGITS; i += THREADS) a.counts[i] = 0;
      for (int i = threadIdx.x; i < 2 * a.passes; i += THREADS) a.tickets[i] = 0;
      __syncthreads();
      if (!threadIdx.x) {
        __threadfence();
        gp__publish(gp__words(a.workspace), 0, gp__u64(1), ticket.tag);
      }
    }
    gp__radix_counting c(a, gp__as<gp__u32>(shared));
    if (SAMPLES && a.leads && blockIdx.x == gridDim.x - 1) c.sample(n);
    const gp__u64 counted = blockIdx.x < c.blocks ? n : 0;
    int pass = 0;
    GP__UNROLL_BY(1)
    for (c.word = a.begin_bit / 64; pass < a.passes; ++c.word) {
      const int low = a.begin_bit > c.word * 64 ? a.begin_bit - c.word * 64 : 0;
      const int high = a.end_bit < c.word * 64 + 64 ? a.end_bit - c.word * 64 : 64;
      c.shift = low;
      c.digits = (high - low + 7) / 8;
      c.mask = Bits(~gp__u64(0) >> (64 - (high - low)));
      c.clear();
      __syncthreads();
      if (high - low == 8 * int(sizeof(Bits))) c.template count_all<true>(counted);
      else c.template count_all<false>(counted);
      if (!threadIdx.x && pass == 0) {
        gp__receive<gp__u64>(gp__words(a.workspace), 0, ticket.tag);
        __threadfence();
      }
      __syncthreads();
      c.add_to_sums(pass);
      pass += c.digits;
      __syncthreads();
    }
    if (!threadIdx.x) {
      __threadfence();
      s.last = gp__draw(a.workspace, draws).number == draws - 1;
      __threadfence();
    }
    __syncthreads();
    if (!s.last) return;
    for (int p = int(gp_warp()); p < a.passes; p += THREADS / 32) {
      const gp__u64 most = c.scan_digits(p);
      if (!gp_lane()) s.most[p] = most;
    }
    __syncthreads();
    if (!threadIdx.x) c.decide(s.most, n);
  }
};
#ifdef GP__ARCH
#define GP__CAPABILITY (GP__ARCH / 10)
#else
#define GP__CAPABILITY 90
#endif
template<class P, class K, bool SAMPLES = false, int THREADS = GP__RADIX_HISTOGRAM_THREADS,
    int REPLICAS = gp__radix_replicas(int(sizeof(typename K::Bits)), GP__CAPABILITY, 32)>
GP_DEVICE void gp__radix_histogram(const gp__radix_args &a) {
  gp__radix_counting<P, K, THREADS, REPLICAS, SAMPLES>::run(a);
}
