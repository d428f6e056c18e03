// group_by/kernels.cuh - group by: tables in shared memory
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h, group_by/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/kernel.cuh

// Blocks fold the elements that they read in hash tables with open addressing: each in its own, in shared memory, and
// what finds no slot there in a table of all blocks, in global memory, which also gets the blocks' tables at the end. A
// key without a slot in that one makes it useless: the input's length is then written for a sort, and blocks stop.
// Otherwise the groups' keys become a list. A sort puts them in order, and each finds its value in the table again.

// The same bytes as another type of the same size.
template <class To, class From> GP_DEVICE To gp__same_bytes(const From &from) {
  union {
    From from;
    To to;
  } x;
  x.from = from;
  return x.to;
}
// Folds into a value of a table, in any order. Sums of integers have an instruction.
template <class Op, class Acc> struct gp__table_fold {
  static GP_DEVICE void add(typename gp__unsigned_of<sizeof(Acc)>::type *at, const Acc &x) {
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
template <class T> struct gp__table_fold<gp_sum<T>, T> { // integers alone
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static GP_DEVICE void add(Bits *at, T x) { atomicAdd(at, Bits(x)); }
};

// A table of 1 << log2 slots, and one more for the key of all ones: as another slot's key, that means free. Its own is
// 0 while free.
template <class Key, class Op, class Acc> struct gp__groups {
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
  // The slot of a key, which takes a free one (`taken` counts them); above slots(): no probe found one. Multiplicative
  // and double hashing (Knuth, The Art of Computer Programming 3).
  GP_DEVICE unsigned slot(int probes, Key k, gp__u32 &taken) const {
    const gp__u64 hash = k * 0x9e3779b97f4a7c15ull;
    unsigned at = k == ~Key(0) ? slots() : unsigned(hash >> (64 - log2));
    for (;; at = (at + (unsigned(hash >> 8) | 1u)) & (slots() - 1)) {
      const Key none = free(at);
      Key there = gp__load_volatile(keys + at);
      if (there == none) {
        there = atomicCAS(keys + at, none, k);
        taken += there == none;
      }
      if (there == none || there == k) return at;
      if (--probes == 0) return slots() + 1;
    }
  }
  GP_DEVICE bool fold(int probes, Key k, const Acc &x) const {
    gp__u32 taken = 0;
    const unsigned at = slot(probes, k, taken);
    if (at <= slots()) gp__table_fold<Op, Acc>::add(values + at, x);
    return at <= slots();
  }
};

// The steps of a call. K: the unsigned type of the key's size.
template <class P, class K, class Op, class Load, class In, class Acc, class Out> struct gp__grouping_steps {
  typedef typename gp__unsigned_of<(sizeof(K) <= 4 ? 4 : 8)>::type Key;
  typedef gp__groups<Key, Op, Acc> Groups;
  static const int THREADS = P::threads, LOG2 = sizeof(Key) + sizeof(Acc) <= 8 ? 12 : 11, NEAR_PROBES = 8,
                   FAR_PROBES = 32;
  struct Storage {
    Key key[(1 << LOG2) + 1];
    typename Groups::Bits value[(1 << LOG2) + 1];
    gp__u32 full, votes; // votes: warps, and 256 times the slots that they took
  };
  const gp__group_args &a;
  Storage &s;
  const Groups near, far; // the block's table; that of all blocks

  GP_DEVICE void stop() const {
    gp__store_relaxed(a.left, gp__count(a));
    atomicOr(&s.full, 1u);
  }
  GP_DEVICE void fold_far(Key k, const Acc &x) const {
    if (!gp__load_volatile(&s.full) && !far.fold(FAR_PROBES, k, x)) stop();
  }
  GP_DEVICE void fold(Key k, const Acc &x) const {
    if (!near.fold(NEAR_PROBES, k, x)) fold_far(k, x);
  }
  // The first elements, an eighth as many as slots, take slots at once. In a block's last tile of them
  // exp(-slots / 8 G) of the keys of G groups are new: its last warp stops all if the table cannot hold so many.
  GP_DEVICE void vote(unsigned tile, gp__u32 taken) const {
    const gp__u32 mine = gp_warp_reduce(taken, gp_sum<gp__u32>());
    if (gp_lane()) return;
    const gp__u32 others = atomicAdd(&s.votes, mine * 256 + 1);
    if ((others & 255) == THREADS / 32 - 1 && (others / 256 + mine) * 16 > tile * (sizeof(Key) > 4 ? 14u : 12u)) stop();
  }
  // A warp whose elements have one key folds them in registers first.
  GP_DEVICE void read() const {
    const int ITEMS = gp__map_items(P::vectors, int(sizeof(K)), int(sizeof(In)), 0);
    const Load load(a);
    const K *keys = gp__as<const K>(a.keys);
    const In *in = gp__as<const In>(a.in);
    const gp__u64 count = gp__count(a), tile = gp__u64(THREADS) * ITEMS, sample = far.slots() / 8;
    near.clear(threadIdx.x, THREADS);
    if (!threadIdx.x) s.full = s.votes = 0;
    __syncthreads();
    for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
      K key[ITEMS];
      In x[ITEMS];
      gp__u32 taken = 0;
      const bool stopped = !threadIdx.x && gp__load_relaxed(a.left) != 0;
      GP__EACH(i, ITEMS) {
        const gp__u64 at = first + i * THREADS + threadIdx.x;
        if (at < count) key[i] = keys[at], x[i] = in[at];
      }
      if (__any_sync(0xffffffffu, gp__load_volatile(&s.full) != 0)) break;
      GP__EACH(i, ITEMS) {
        const gp__u64 at = first + i * THREADS + threadIdx.x;
        const bool there = at < count;
        const Acc value = there ? Op::prepare(load(x[i], at)) : Op::identity();
        const K mine = there ? key[i] : K(0), leader = gp_warp_broadcast(mine, 0);
        if (there && first < sample) far.slot(FAR_PROBES, mine, taken);
        if (__all_sync(0xffffffffu, there && mine == leader)) {
          const Acc sum = gp_warp_reduce(value, Op());
          if (!gp_lane()) fold(leader, sum);
        } else if (there) fold(mine, value);
      }
      if (stopped) atomicOr(&s.full, 1u);
      if (first < sample && sample - first <= gridDim.x * tile) vote(unsigned(tile), taken);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i <= near.slots(); i += THREADS)
      if (s.key[i] != near.free(i)) fold_far(s.key[i], gp__same_bytes<Acc>(s.value[i]));
  }
  // Lists the table's keys, in no order. A warp takes 16 rows of slots; lane j keeps which slots of row j are taken.
  GP_DEVICE void list() const {
    const unsigned warps = gridDim.x * (THREADS / 32);
    for (unsigned first = (blockIdx.x * (THREADS / 32) + gp_warp()) * 512; first <= far.slots(); first += warps * 512) {
      gp__u32 mine = 0, total = 0;
      GP__UNROLL_BY(4)
      for (int j = 0; j < 16; ++j) {
        const unsigned i = first + j * 32 + gp_lane();
        const gp__u32 row = __ballot_sync(0xffffffffu, i <= far.slots() && far.keys[i] != far.free(i));
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
      gp__u32 taken = 0;
      const Acc x = gp__same_bytes<Acc>(far.values[far.slot(FAR_PROBES, k, taken)]);
      if (a.out_keys) gp__as<K>(a.out_keys)[g] = k;
      gp__as<Out>(a.out)[g] = gp_convert<Acc, Out>()(a.has_init ? Op()(init, x) : x);
    }
  }
};
template <class P, class K, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__group_table(const gp__group_args &a) {
  typedef gp__grouping_steps<P, K, Op, Load, In, Acc, Out> Steps;
  typedef typename Steps::Groups Groups;
  GP_SHARED(typename Steps::Storage, s);
  gp__pdl_wait<P>();
  const Groups near = {s.key, s.value, Steps::LOG2},
               far = {gp__as<typename Steps::Key>(a.table_keys), gp__as<typename Groups::Bits>(a.table_values), a.log2};
  const Steps steps = {a, s, near, far};
  const unsigned thread = blockIdx.x * P::threads + threadIdx.x;
  if (a.step == GP__GROUP_CLEARS) {
    far.clear(thread, gridDim.x * P::threads);
    if (thread == 0) *a.left = *a.found = 0;
  } else if (a.step == GP__GROUP_READS) steps.read();
  else if (*a.left) return;
  else if (a.step == GP__GROUP_LISTS) steps.list();
  else steps.write();
}
