// group_by/kernels.cuh - group by: tables in shared memory
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h, group_by/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/kernel.cuh

// Blocks fold the elements that they read in hash tables with open addressing: each in its own, in shared memory, and
// what finds no slot there in a table of all blocks, in global memory, which also gets the blocks' tables at the end. A
// key without a slot in that one makes it useless, as a sample can say before: the input's length is then written for a
// sort. Otherwise the groups' keys become a list. A sort puts them in order; each finds its value in the table again.

// The same bytes as another type of the same size.
template<class To, class From> GP_DEVICE To gp__same_bytes(const From &from) {
  union {
    From from;
    To to;
  } x;
  x.from = from;
  return x.to;
}
// Folds into a value of a table, in any order. Sums of integers have an instruction; those of 8 bytes in shared memory
// one for each half: the addition that overflows the low one carries.
template<class Op, class Acc> struct gp__table_fold {
  template<bool SHARED> static GP_DEVICE void add(typename gp__unsigned_of<sizeof(Acc)>::type *at, const Acc &x) {
    typedef typename gp__unsigned_of<sizeof(Acc)>::type Bits;
    for (Bits was = gp__load_volatile(at);;) {
      const Bits now = gp__same_bytes<Bits>(Op()(gp__same_bytes<Acc>(was), x));
      if (now == was) return; // most minima and maxima
      const Bits found = atomicCAS(at, was, now);
      if (found == was) return;
      was = found;
    }
  }
};
template<class T> struct gp__table_fold<gp_sum<T>, T> { // integers alone
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  template<bool SHARED> static GP_DEVICE void add(Bits *at, T x) {
    if (SHARED && sizeof(T) == 8) {
      gp__u32 *half = reinterpret_cast<gp__u32 *>(at);
      const gp__u32 low = gp__u32(x), high = gp__u32(gp__u64(x) >> 32) + (atomicAdd(half, low) > ~low);
      if (high) atomicAdd(half + 1, high);
    } else atomicAdd(at, Bits(x));
  }
};

// A table of 1 << log2 slots, and one more for the key of all ones: as another slot's key, that means free. Its own is
// 0 while free.
template<class Key, class Op, class Acc, bool SHARED> struct gp__groups {
  typedef typename gp__unsigned_of<sizeof(Acc)>::type Bits;
  Key *keys;
  Bits *values;
  int log2;
  GP_DEVICE unsigned slots() const { return 1u << log2; }
  GP_DEVICE Key free(unsigned slot) const { return slot < slots() ? ~Key(0) : Key(0); }
  GP_DEVICE void clear(unsigned first, unsigned step) const {
    for (unsigned i = first; i <= slots(); i += step) {
      keys[i] = free(i);
      values[i] = gp__same_bytes<Bits>(Op::identity());
    }
  }
  // The slot of a key, which takes a free one; above slots(): no probe found one. Multiplicative and double hashing
  // (Knuth, The Art of Computer Programming 3).
  GP_DEVICE unsigned slot(int probes, Key k) const {
    const int BITS = 8 * sizeof(Key);
    const Key hash = k * (Key(0x9e3779b97f4a7c15ull >> (64 - BITS)) | 1);
    unsigned at = k == ~Key(0) ? slots() : unsigned(hash >> (BITS - log2));
    GP__UNROLL_BY(1)
    for (;; at = (at + (unsigned(hash >> 8 ^ k) | 1u)) & (slots() - 1)) {
      const Key none = free(at);
      Key there = gp__load_volatile(keys + at);
      if (there == none) there = atomicCAS(keys + at, none, k);
      if (there == none || there == k) return at;
      if (--probes == 0) return slots() + 1;
    }
  }
  GP_DEVICE bool fold(int probes, Key k, const Acc &x) const {
    const unsigned at = slot(probes, k);
    if (at <= slots()) gp__table_fold<Op, Acc>::template add<SHARED>(values + at, x);
    return at <= slots();
  }
};

// The steps of a call. K: the unsigned type of the key's size.
template<class P, class K, class Op, class Load, class In, class Acc, class Out> struct gp__grouping_steps {
  typedef typename gp__unsigned_of<(sizeof(K) <= 4 ? 4 : 8)>::type Key;
  typedef gp__groups<Key, Op, Acc, true> Near;
  typedef gp__groups<Key, Op, Acc, false> Groups;
  static const int THREADS = P::threads, LOG2 = sizeof(Key) + sizeof(Acc) <= 8 ? 12 : 11, FAR_PROBES = 32,
                   SAMPLE_LOG2 = 13, SAMPLE = 2048, VOTERS = 32;
  struct Storage {
    union {
      struct {
        Key key[(1 << LOG2) + 1];
        typename Groups::Bits value[(1 << LOG2) + 1];
      } table;
      gp__u32 sample[1 << SAMPLE_LOG2];
    } u;
    gp__u32 full; // or a part's vote
  };
  const gp__group_args &a;
  Storage &s;
  const Near near; // the block's table
  const Groups far; // that of all blocks

  // Counts a key of the sample, up to 3, in the last two bits of a slot whose others are bits of its hash.
  GP_DEVICE void count(gp__u64 hash) const {
    const gp__u32 key = gp__u32(hash >> 21) << 2;
    for (gp__u32 probe = 0; probe < 16; ++probe) {
      gp__u32 *slot = s.u.sample + ((gp__u32(hash >> 51) + probe) & ((1u << SAMPLE_LOG2) - 1));
      gp__u32 was = gp__load_volatile(slot);
      while ((!was || (was ^ key) < 4) && (was & 3u) < 3) {
        const gp__u32 found = atomicCAS(slot, was, key + (was & 3u) + 1);
        if (found == was) return;
        was = found;
      }
      if ((was ^ key) < 4) return;
    }
  }
  GP_DEVICE gp__u32 voters() const { return gridDim.x < VOTERS ? gridDim.x : VOTERS; }
  // Blocks take a sample each, from one place in each of many stretches of the input. 16 bits say how many of its keys
  // occur once, 16 how many occur twice.
  GP_DEVICE void vote() const {
    const int ITEMS = 4;
    const K *keys = gp__as<const K>(a.keys);
    const gp__u64 n = gp__count(a), stretch = n / (SAMPLE * voters()) + 1;
    gp__u32 mine = 0;
    for (int i = int(threadIdx.x); i < 1 << SAMPLE_LOG2; i += THREADS) s.u.sample[i] = 0;
    if (!threadIdx.x) s.full = 0;
    __syncthreads();
    for (gp__u32 first = threadIdx.x; first < SAMPLE; first += THREADS * ITEMS) {
      K key[ITEMS];
      bool there[ITEMS];
      GP__EACH(i, ITEMS) {
        const gp__u32 j = first + i * THREADS, k = j * voters() + blockIdx.x;
        const gp__u64 at = k * stretch + (k * 0x9e3779b9u * stretch >> 32);
        there[i] = j < SAMPLE && at < n;
        if (there[i]) key[i] = keys[at];
      }
      GP__EACH(i, ITEMS)
        if (there[i]) count(key[i] * 0x9e3779b97f4a7c15ull);
    }
    __syncthreads();
    for (int i = int(threadIdx.x); i < 1 << SAMPLE_LOG2; i += THREADS) {
      const gp__u32 times = s.u.sample[i] & 3u;
      mine += times == 1 ? 1u : times == 2 ? 65536u : 0u;
    }
    mine = gp_warp_reduce(mine, gp_sum<gp__u32>());
    if (!gp_lane()) atomicAdd(&s.full, mine);
    __syncthreads();
    if (!threadIdx.x) a.votes[blockIdx.x] = s.full;
  }
  GP_DEVICE void fold(int probes, Key k, const Acc &x) const {
    if (!near.fold(probes, k, x) && !gp__load_volatile(&s.full) && !far.fold(FAR_PROBES, k, x)) atomicOr(&s.full, 1u);
  }
  // f keys of a sample occur once and g twice: so f * f / 2g groups are not in it, if not more (Chao 1984). If
  // that is a lot, a sort is faster. If it is more than a block has slots for, blocks soon go to the table of all. A
  // warp whose elements have one key folds them in registers. What a first slot does not take is read again, when lanes
  // need not wait for others' probes of each element.
  GP_DEVICE void read() const {
    const int MOST = gp__map_items(P::vectors, int(sizeof(K)), int(sizeof(In)), 0), ITEMS = MOST < 16 ? MOST : 16;
    const Load load(a);
    const K *keys = gp__as<const K>(a.keys);
    const In *in = gp__as<const In>(a.in);
    const gp__u64 count = gp__count(a), tile = gp__u64(THREADS) * ITEMS;
    const gp__u32 vote = gp_lane() < voters() ? a.votes[gp_lane()] : 0,
                  once = gp_warp_broadcast(gp_warp_reduce(vote & 65535u, gp_sum<gp__u32>()), 0),
                  twice = gp_warp_broadcast(gp_warp_reduce(vote >> 16, gp_sum<gp__u32>()), 0);
    const gp__u64 unseen = count > SAMPLE * voters() ? gp__u64(once) * once / ((twice * 2 + 1) * voters()) : 0;
    const int probes = unseen > near.slots() / 4 ? 2 : 8;
    if (unseen > a.most) {
      if (!blockIdx.x && !threadIdx.x) *a.left = count;
      return;
    }
    near.clear(threadIdx.x, THREADS);
    if (!threadIdx.x) s.full = 0;
    __syncthreads();
    for (gp__u64 first = blockIdx.x * tile + threadIdx.x; first - threadIdx.x < count; first += gridDim.x * tile) {
      K key[ITEMS];
      In x[ITEMS];
      gp__u32 missed = 0; // 65537 << i: a warp's sum
      GP__EACH(i, ITEMS) {
        const gp__u64 at = first + i * THREADS;
        if (at < count) key[i] = keys[at], x[i] = in[at];
      }
      GP__EACH(i, ITEMS) {
        const gp__u64 at = first + i * THREADS;
        const bool there = at < count;
        const Key k = there ? key[i] : K(0), leader = gp_warp_broadcast(k, 0);
        const bool same = __all_sync(~0u, there && k == leader);
        Acc value = there ? Op::prepare(load(x[i], at)) : Op::identity();
        if (same) value = gp_warp_reduce(value, Op());
        if (there && !(same && gp_lane()) && !near.fold(1, k, value)) missed |= (same ? 65537u : 1u) << i;
      }
      GP__UNROLL_BY(1)
      for (gp__u32 rows = gp_warp_broadcast(missed, 0) >> 16; rows; rows &= rows - 1) {
        const gp__u64 at = first + (__ffs(int(rows)) - 1) * THREADS;
        const Acc sum = gp_warp_reduce(Op::prepare(load(in[at], at)), Op());
        if (!gp_lane()) fold(probes, keys[at], sum);
      }
      GP__UNROLL_BY(1)
      for (missed = missed & ~(missed >> 16) & 65535u; missed; missed &= missed - 1) {
        const gp__u64 at = first + (__ffs(int(missed)) - 1) * THREADS;
        fold(probes, keys[at], Op::prepare(load(in[at], at)));
      }
      if (__any_sync(~0u, gp__load_volatile(&s.full) != 0)) break;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i <= near.slots() && !gp__load_volatile(&s.full); i += THREADS)
      if (near.keys[i] != near.free(i) && !far.fold(FAR_PROBES, near.keys[i], gp__same_bytes<Acc>(near.values[i])))
        atomicOr(&s.full, 1u);
    __syncthreads();
    if (!threadIdx.x && s.full) gp__store_relaxed(a.left, count);
  }
  // Lists the table's keys, in no order. A warp takes 16 rows of slots; lane j keeps which slots of row j are taken.
  GP_DEVICE void list() const {
    const unsigned warps = gridDim.x * (THREADS / 32);
    for (unsigned first = (blockIdx.x * (THREADS / 32) + gp_warp()) * 512; first <= far.slots(); first += warps * 512) {
      gp__u32 mine = 0, total = 0;
      GP__UNROLL_BY(4)
      for (int j = 0; j < 16; ++j) {
        const unsigned i = first + j * 32 + gp_lane();
        const gp__u32 row = __ballot_sync(~0u, i <= far.slots() && far.keys[i] != far.free(i));
        mine = gp_lane() == unsigned(j) ? row : mine;
        total += gp__u32(__popc(row));
      }
      gp__u64 at = 0;
      if (!gp_lane() && total) at = gp__add_relaxed(a.found, total);
      at = gp_warp_broadcast(at, 0);
      GP__UNROLL_BY(1)
      for (int j = 0; j < 16; ++j) {
        const gp__u32 row = gp_warp_broadcast(mine, j);
        if (row >> gp_lane() & 1u)
          gp__as<K>(a.list)[at + gp__lanes_before(row)] = K(far.keys[first + j * 32 + gp_lane()]);
        at += gp__u32(__popc(row));
      }
    }
  }
  // Writes the groups in the order of the sorted keys.
  GP_DEVICE void write() const {
    const Acc init = Op::prepare(gp__value_as<Acc>(a.first));
    if (!blockIdx.x && !threadIdx.x) *a.out_count = *a.found;
    for (gp__u64 g = blockIdx.x * THREADS + threadIdx.x; g < *a.found; g += gridDim.x * THREADS) {
      const K k = gp__as<const K>(a.sorted)[g];
      const Acc x = gp__same_bytes<Acc>(far.values[far.slot(FAR_PROBES, k)]);
      if (a.out_keys) gp__as<K>(a.out_keys)[g] = k;
      gp__as<Out>(a.out)[g] = gp_convert<Acc, Out>()(a.has_init ? Op()(init, x) : x);
    }
  }
};
template<class P, class K, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__group_table(const gp__group_args &a) {
  typedef gp__grouping_steps<P, K, Op, Load, In, Acc, Out> Steps;
  typedef typename Steps::Groups Groups;
  GP_SHARED(typename Steps::Storage, s);
  gp__pdl_wait<P>();
  const typename Steps::Near near = {s.u.table.key, s.u.table.value, Steps::LOG2};
  const Groups far = {gp__as<typename Steps::Key>(a.table_keys), gp__as<typename Groups::Bits>(a.table_values), a.log2};
  const Steps steps = {a, s, near, far};
  if (a.step == GP__GROUP_CLEARS) {
    if (!blockIdx.x && !threadIdx.x) *a.left = *a.found = 0;
    if (blockIdx.x < Steps::VOTERS) steps.vote();
    far.clear(blockIdx.x * P::threads + threadIdx.x, gridDim.x * P::threads);
  } else if (a.step == GP__GROUP_READS) steps.read();
  else if (*a.left) return;
  else if (a.step == GP__GROUP_LISTS) steps.list();
  else steps.write();
}
