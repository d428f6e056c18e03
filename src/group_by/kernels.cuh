// group_by/kernels.cuh - group by: tables in shared memory
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h, group_by/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/look_back.cuh, device/kernel.cuh

// Every block folds the elements that it reads, tile by tile, in a hash table with open addressing in shared memory. At
// the end the blocks append their tables to a list in global memory. A block whose table overflows sets a flag and
// stops, and so do all others; the list is then useless. The last block to finish writes the length of the list, or of
// the input, for the sorts that follow.

// The same bytes as another type of the same size.
template <class To, class From> GP_DEVICE To gp__same_bytes(const From &from) {
  union {
    From from;
    To to;
  } x;
  x.from = from;
  return x.to;
}
// Folds into a value in shared memory, in any order. Sums of integers have an instruction.
template <class Op, class Acc> struct gp__shared_fold {
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
#define GP__SHARED_SUM(T) \
  template <> struct gp__shared_fold<gp_sum<T>, T> { \
    static GP_DEVICE void add(gp__unsigned_of<sizeof(T)>::type *at, T x) { \
      atomicAdd(at, static_cast<gp__unsigned_of<sizeof(T)>::type>(x)); \
    } \
  };
GP__SHARED_SUM(int)
GP__SHARED_SUM(unsigned int)
GP__SHARED_SUM(long long)
GP__SHARED_SUM(unsigned long long)
#undef GP__SHARED_SUM

template <class Op, class Acc> struct gp__group_storage {
  typedef typename gp__unsigned_of<sizeof(Acc)>::type Bits;
  enum { SLOTS = GP__GROUP_SLOTS, PROBES = 64 };
  gp__u64 key[SLOTS + 1]; // all ones: free; the key of all ones has the slot after the others
  Bits value[SLOTS + 1];
  gp__u32 used, full, last, ends; // used: slots taken; last: the slot of the key of all ones is
  gp__u64 first;                  // this table's place in the list
  gp__ticket ticket;
  template <int THREADS> GP_DEVICE void clear() {
    for (int i = int(threadIdx.x); i <= SLOTS; i += THREADS) {
      key[i] = ~gp__u64(0);
      value[i] = gp__same_bytes<Bits>(Op::identity());
    }
    if (threadIdx.x == 0) used = full = last = ends = 0;
  }
  GP_DEVICE void fold(gp__u64 k, const Acc &x) {
    int at = int(k * 0x9e3779b97f4a7c15ull >> 53); // multiplicative hashing (Knuth, The Art of Computer Programming 3)
    if (k == ~gp__u64(0)) {
      if (!gp__load_volatile(&last) && atomicExch(&last, 1u) == 0) atomicAdd(&used, 1u);
      at = SLOTS;
    } else {
      for (int probe = 0;; ++probe, at = (at + 1) & (SLOTS - 1)) {
        gp__u64 there = gp__load_volatile(&key[at]);
        if (there == ~gp__u64(0)) {
          there = atomicCAS(&key[at], ~gp__u64(0), k);
          if (there == ~gp__u64(0)) {
            if (atomicAdd(&used, 1u) >= GP__GROUP_MOST) atomicOr(&full, 1u);
            break;
          }
        }
        if (there == k) break;
        if (probe == PROBES) {
          atomicOr(&full, 1u);
          return;
        }
        if (probe % 4 == 3 && gp__load_volatile(&full)) return; // the table is useless
      }
    }
    gp__shared_fold<Op, Acc>::add(&value[at], x);
  }
};
static_assert(GP__GROUP_SLOTS == 1 << 11, "fold takes 11 bits of the hash");

// K: the unsigned type of the key's size. A warp whose elements have one key folds them in registers first.
template <class P, class K, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__group_table(const gp__group_args &a) {
  typedef gp__group_storage<Op, Acc> Storage;
  const int THREADS = P::threads, ITEMS = gp__map_items(P::vectors, int(sizeof(K)), int(sizeof(In)), 0);
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Load load(a);
  const K *keys = gp__as<const K>(a.keys);
  const In *in = gp__as<const In>(a.in);
  const gp__u64 count = gp__count(a), tile = gp__u64(THREADS) * ITEMS;
  s.template clear<THREADS>();
  __syncthreads();
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    K key[ITEMS];
    In x[ITEMS];
    bool stop = gp__load_volatile(&s.full) != 0;
    if (threadIdx.x == 0 && gp__load_volatile(a.state + GP__GROUP_FULL) != 0) atomicOr(&s.full, 1u);
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * THREADS + threadIdx.x;
      if (at < count && !stop) key[i] = keys[at], x[i] = in[at];
    }
    if (__all_sync(0xffffffffu, stop)) break;
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * THREADS + threadIdx.x;
      const bool there = at < count && !stop;
      const Acc value = there ? Op::prepare(load(x[i], at)) : Op::identity();
      const K mine = there ? key[i] : K(0), leader = gp_warp_broadcast(mine, 0);
      if (__all_sync(0xffffffffu, there && mine == leader)) {
        const Acc sum = gp_warp_reduce(value, Op());
        if (gp_lane() == 0) s.fold(leader, sum);
      } else if (there) s.fold(mine, value);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    gp__u64 *length = a.state + GP__GROUP_LENGTH;
    if (s.full) gp__add_relaxed(a.state + GP__GROUP_FULL, 1);
    else s.first = gp__add_relaxed(length, s.used);
    __threadfence();
    s.ticket = gp__draw(a.workspace, gridDim.x);
    if (s.ticket.number == gridDim.x - 1) {
      __threadfence();
      const bool overflowed = gp__add_relaxed(a.state + GP__GROUP_FULL, 0) != 0;
      gp__store_relaxed(a.state + GP__GROUP_OF_LIST, overflowed ? 0 : gp__add_relaxed(length, 0));
      gp__store_relaxed(a.state + GP__GROUP_OF_INPUT, overflowed ? count : 0);
    }
  }
  __syncthreads();
  if (s.full) return;
  for (int i = int(threadIdx.x); i <= Storage::SLOTS; i += THREADS) {
    if (i < Storage::SLOTS ? s.key[i] == ~gp__u64(0) : s.last == 0) continue;
    const gp__u64 to = s.first + atomicAdd(&s.ends, 1u);
    gp__as<K>(a.list_keys)[to] = static_cast<K>(s.key[i]);
    gp__as<Acc>(a.list_values)[to] = gp__same_bytes<Acc>(s.value[i]);
  }
}
