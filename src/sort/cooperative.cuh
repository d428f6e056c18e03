// sort/cooperative.cuh - cooperative radix sort: all blocks in one launch, or one cluster
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h, sort/radix_policy.h,
//   sort/cooperative_policy.h, sort/arguments.h, sort/hybrid_arguments.h, device/look_back.cuh, device/kernel.cuh,
//   sort/keys.cuh, sort/radix_sweep.cuh

// One launch does all passes. Its blocks form one cluster or one grid. Each holds a tile of keys in registers while the
// blocks exchange their digit counts. After that no block needs the pass's input, so keys may overwrite it: they go to
// the tiles of the cluster's blocks, or to a buffer (a sort's is its output), which the next pass reads after a grid
// barrier. A pass in which all keys share a digit moves nothing, unless it is the last, which stores a top-k's part.
//
// A grid's counts are tagged words. Its barrier uses the workspace's tickets: each block draws one after a pass. The
// last pass and passes that move nothing have no barrier; a block draws their tickets at its end.
template<class P, class K, class V, bool CLUSTER> struct gp__cooperative_radix {
  typedef gp__radix_sweep<P, K, V, gp__radix_narrow> Sweep;
  typedef typename Sweep::Rank Rank;
  typedef typename Sweep::Digit Digit;
  typedef typename K::Key Key;
  static const int THREADS = Sweep::THREADS, ITEMS = Sweep::ITEMS, TILE = Sweep::TILE, AT_ONCE = 4,
                   QUADS = GP__COOPERATIVE_QUADS;
  static const bool PAIRS = gp__radix_value<V>::is;
  static_assert(THREADS >= GP__DIGITS / 2, "a thread counts two digits at most");
  struct Storage {
    typename Sweep::Storage sweep;
    // Cluster: each block's counts of two digits, for alternate passes. Grid: sums of digit 4 i + j, at j * QUADS + i,
    // over all blocks and over the blocks before this one.
    gp__u32 row[CLUSTER ? 2 : 1][CLUSTER ? int(GP__CLUSTER) : 1][2 * QUADS];
    gp__u32 all[CLUSTER ? 1 : int(GP__DIGITS)], before[CLUSTER ? 1 : int(GP__DIGITS)];
    gp__u64 tag;
    int alike; // the last pass in which all keys had one digit
  };
  const Sweep &of;
  Storage &s;
  Key *keys; // the tile in order
  V *values;
  Key *own_keys; // cluster: the block's tile
  V *own_values;
  unsigned rank, blocks;
  gp__u32 met; // grid barriers passed
  const void *in;

  GP_DEVICE gp__word *word(int pass, unsigned block, unsigned quad) const {
    return gp__words(of.a.workspace) + (unsigned(pass & 1) * blocks + block) * QUADS + quad;
  }
  GP_DEVICE gp__u64 tag(int pass) const { return s.tag | gp__u64(pass + 1) << 40; }
  // Called by a counting thread: publishes the block's counts of digits 2 * threadIdx.x and the next.
  GP_DEVICE void publish(int pass, gp__u32 total) const {
    if (CLUSTER) {
      for (unsigned to = 0; to < blocks; ++to) *gp__in_block(&s.row[pass & 1][rank][threadIdx.x], to) = total;
      return;
    }
    const gp__u32 next = __shfl_down_sync(~0u, total, 1);
    if (threadIdx.x & 1u) return;
    gp__fence();
    gp__store_word(word(pass, rank, threadIdx.x / 2), gp__word{gp__u64(next) << 32 | total, tag(pass)});
  }
  // Called by all threads of a grid: sums the published counts into s.all and s.before.
  GP_DEVICE void gather(int pass) const {
    const unsigned quad = threadIdx.x % QUADS, SLICES = THREADS / QUADS, AHEAD = 8;
    gp__u32 all[4] = {0, 0, 0, 0}, before[4] = {0, 0, 0, 0};
    for (unsigned first = threadIdx.x / QUADS; first < blocks; first += AHEAD * SLICES) {
      gp__word w[AHEAD];
      GP__UNROLL
      for (unsigned j = 0; j < AHEAD; ++j) {
        w[j] = gp__word{0, tag(pass)};
        if (first + j * SLICES < blocks) w[j] = gp__load_word(word(pass, first + j * SLICES, quad));
      }
      GP__UNROLL
      for (unsigned j = 0; j < AHEAD; ++j) {
        const unsigned block = first + j * SLICES;
        while (w[j].tag != tag(pass)) w[j] = gp__load_word(word(pass, block, quad));
        GP__EACH(i, 4) {
          const gp__u32 count = gp__u32(w[j].value >> (16 * i)) & 0xffffu;
          all[i] += count;
          before[i] += block < rank ? count : 0;
        }
      }
    }
    gp__fence();
    GP__EACH(i, 4) {
      atomicAdd(&s.all[i * QUADS + quad], all[i]);
      atomicAdd(&s.before[i * QUADS + quad], before[i]);
    }
  }
  // Called by a counting thread: counts of its two digits in all blocks, and in the blocks before this one.
  GP_DEVICE void sum(int pass, gp__u32 (&all)[2], gp__u32 (&before)[2]) const {
    if (CLUSTER) {
      GP__UNROLL_BY(4)
      for (unsigned block = 0; block < blocks; ++block) {
        const gp__u32 both = s.row[pass & 1][block][threadIdx.x], even = both & 0xffffu, odd = both >> 16;
        all[0] += even, all[1] += odd;
        before[0] += block < rank ? even : 0, before[1] += block < rank ? odd : 0;
      }
    } else {
      const unsigned at = threadIdx.x % 2 * 2 * QUADS + threadIdx.x / 2;
      all[0] = s.all[at], all[1] = s.all[at + QUADS];
      before[0] = s.before[at], before[1] = s.before[at + QUADS];
    }
  }
  GP_DEVICE gp__u64 *control() const { return gp__as<gp__u64>(of.a.workspace); }
  // Grid barrier.
  GP_DEVICE void meet() {
    ++met;
    __syncthreads();
    if (!threadIdx.x) {
      gp__fence();
      gp__add_relaxed(control(), 1);
      while ((gp__load_relaxed(control()) & 0xfffffffu) < met * blocks) {}
      gp__fence();
    }
    __syncthreads();
  }
  // No block waits any more; the last one to leave starts the next launch's epoch.
  GP_DEVICE void leave() const {
    const gp__u64 left = gp__u64(of.a.passes) - met;
    if (!threadIdx.x && (gp__add_relaxed(control(), left) & 0xfffffffu) + left == gp__u64(of.a.passes) * blocks)
      gp__store_relaxed(control(), s.tag << 28);
  }
  GP_DEVICE void scatter(Digit digit, bool last) const {
    const bool to_tiles = CLUSTER && !last;
    const unsigned n = last && of.a.capacity < of.n ? of.a.capacity : unsigned(of.n);
    Key *out_keys = gp__as<Key>(last ? of.a.out_keys : of.a.other_keys);
    V *out = gp__as<V>(last ? of.a.out : of.a.other);
    GP__UNROLL
    for (int i = 0; i < ITEMS; i += AT_ONCE) {
      Key key[AT_ONCE];
      gp__u32 at[AT_ONCE];
      GP__UNROLL
      for (int j = 0; j < AT_ONCE && i + j < ITEMS; ++j) {
        const unsigned k = unsigned(i + j) * THREADS + threadIdx.x;
        key[j] = keys[k];
        at[j] = k + s.sweep.offset[K::pads || k < digit.valid ? digit(key[j]) : digit.mask];
      }
      GP__UNROLL
      for (int j = 0; j < AT_ONCE && i + j < ITEMS; ++j) {
        const unsigned k = unsigned(i + j) * THREADS + threadIdx.x;
        if (to_tiles) {
          *gp__in_block(own_keys + at[j] % TILE, at[j] / TILE) = key[j];
          if (PAIRS) *gp__in_block(own_values + at[j] % TILE, at[j] / TILE) = values[k];
        } else if (at[j] < n) {
          if (!last || !of.a.drop_keys) out_keys[at[j]] = key[j];
          if (PAIRS) out[at[j]] = values[k];
        }
      }
    }
  }
  // Does one pass. Returns whether keys moved.
  GP_DEVICE bool pass(
      int number, const Digit &digit, const Key (&key)[ITEMS], const V (&value)[ITEMS], bool last) const {
    const Rank r = {s.sweep.rank};
    const unsigned pair = threadIdx.x;
    gp__u32 at[ITEMS], total = 0, all[2] = {0, 0}, before[2] = {0, 0};
    for (unsigned i = threadIdx.x; i < GP__DIGITS && !CLUSTER; i += THREADS) s.all[i] = s.before[i] = 0;
    r.within_warp(at, key, digit);
    __syncthreads();
    if (r.counts()) {
      total = r.total(pair);
      publish(number, total);
    }
    if (CLUSTER) gp__cluster_arrive();
    const gp__u32 first = r.before((total & 0xffffu) + (total >> 16));
    if (r.counts()) r.start_at(pair, first | (first + (total & 0xffffu)) << 16);
    __syncthreads();
    GP__EACH(i, ITEMS) {
      const gp__u32 to = r.position(at[i], digit(key[i], i));
      keys[to] = key[i];
      if (PAIRS) values[to] = value[i];
    }
    if (CLUSTER) gp__cluster_wait();
    else {
      gather(number);
      __syncthreads();
    }
    if (r.counts()) sum(number, all, before);
    const gp__u32 start = r.before(all[0] + all[1]), padding = blocks * TILE - gp__u32(of.n);
    if (r.counts()) {
      s.sweep.offset[2 * pair] = start + before[0] - first;
      s.sweep.offset[2 * pair + 1] = start + all[0] + before[1] - first - (total & 0xffffu);
    }
    all[0] -= 2 * pair == digit.mask ? padding : 0;
    all[1] -= 2 * pair + 1 == digit.mask ? padding : 0;
    if (of.n && (all[0] == of.n || all[1] == of.n)) s.alike = number; // with a vote ptxas runs out of predicates
    __syncthreads();
    if (s.alike == number && !last) return false;
    scatter(digit, last);
    return true;
  }
  GP_DEVICE void run() {
    const gp__u64 first = gp__u64(rank) * TILE, n = of.n;
    const unsigned valid = first >= n ? 0 : n - first < TILE ? unsigned(n - first) : TILE;
    const Key *from = gp__as<const Key>(in);
    const V *values_from = gp__as<const V>(of.a.in);
    Key key[ITEMS];
    V value[ITEMS];
    of.load_keys(key, from + first, valid);
    if (PAIRS) of.load_values(key, value, values_from, first, valid);
    if (!threadIdx.x) s.alike = -1;
    if (CLUSTER) { // all blocks have started
      gp__cluster_arrive();
      gp__cluster_wait();
    } else if (!threadIdx.x) s.tag = (gp__load_relaxed(control()) >> 28) + 1;
    int bit = of.a.begin_bit;
    for (int number = 0; n && (number == 0 || bit < of.a.end_bit); ++number) {
      const int bits = gp__radix_digit_bits(bit, of.a.end_bit);
      const Digit digit = {bit / 64, bit % 64, (1u << bits) - 1, of.a.flip, valid};
      bit += bits;
      const bool last = bit >= of.a.end_bit;
      const bool moved = pass(number, digit, key, value, last);
      if (last) break;
      if (moved && !CLUSTER) {
        meet();
        of.load_keys(key, gp__as<const Key>(of.a.other_keys) + first, valid);
        if (PAIRS) of.load_values(key, value, gp__as<const V>(of.a.other), first, valid);
        continue;
      }
      if (moved) {
        gp__cluster_arrive();
        gp__cluster_wait();
      }
      of.load_keys(key, moved ? own_keys : keys, TILE); // with one digit the tile kept its order
      if (PAIRS) of.load_values(key, value, moved ? own_values : values, 0, TILE);
    }
    if (!CLUSTER) leave();
  }
};
template<class P, class K, class V, bool CLUSTER> GP_DEVICE void gp__cooperative_radix_sort(const gp__radix_args &a) {
  typedef gp__cooperative_radix<P, K, V, CLUSTER> Sort;
  const unsigned KEYS = (Sort::TILE * unsigned(sizeof(typename K::Key)) + 15) / 16 * 16,
                 VALUES = Sort::PAIRS ? (Sort::TILE * unsigned(sizeof(V)) + 15) / 16 * 16 : 0;
  GP_SHARED(typename Sort::Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_ONE_SWEEP)) return;
  typename K::Key *const keys = gp__as<typename K::Key>(shared);
  V *const values = gp__as<V>(shared + KEYS);
  const typename Sort::Sweep of = {a, s.sweep, keys, values, 0, 0, gp__count(a)};
  Sort sort = {of, s, keys, values, gp__as<typename K::Key>(shared + KEYS + VALUES),
      gp__as<V>(shared + 2 * KEYS + VALUES), blockIdx.x, gridDim.x, 0, a.keys};
  sort.run();
}
template<class P, class K, class V> GP_DEVICE void gp__sort_one_cluster(const gp__radix_args &a) {
  gp__cooperative_radix_sort<P, K, V, true>(a);
}
template<class P, class K, class V> GP_DEVICE void gp__sort_one_launch(const gp__radix_args &a) {
  gp__cooperative_radix_sort<P, K, V, false>(a);
}
