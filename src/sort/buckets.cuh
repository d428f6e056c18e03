// sort/buckets.cuh - hybrid sort: buckets of keys
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, sort/hybrid_policy.h, sort/hybrid_arguments.h,
//   device/types.cuh, device/warp.cuh, device/tile_load.cuh, device/tile_sort.cuh, device/kernel.cuh, sort/keys.cuh,
//   sort/hybrid.cuh, sort/hybrid_count.cuh, sort/hybrid_move.cuh

// Does all levels from a.level on, while there are parts. Blocks draw shares by ticket: of a level's count, then of its
// move, and so on. A share waits until all shares of the step before are done. Running blocks have drawn these, so this
// ends however few blocks are resident.
template<class P, class T, bool DESCENDING, class Value = gp__none>
GP_DEVICE void gp__hybrid_rest(const gp__hybrid_args &a) {
  typedef gp__hybrid_counting<P, T, DESCENDING, P::threads, Value> Counting;
  struct Drawn {
    gp__u64 number;
  };
  GP_SHARED(Drawn, drawn);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID) || a.list[a.level] == 0) return;
  for (;;) {
    if (!threadIdx.x) {
      drawn.number = gp__add_relaxed(a.list + GP__HYBRID_DRAWN, 1);
      while (gp__load_relaxed(a.list + GP__HYBRID_DONE) < drawn.number / gridDim.x * gridDim.x) {}
      __threadfence();
    }
    __syncthreads();
    const gp__u32 number = gp__u32(drawn.number), step = number / gridDim.x;
    const gp__hybrid<P, T, DESCENDING, Value> h = {a, a.level + int(step / 2), number % gridDim.x};
    if (h.level >= a.levels || a.list[h.level] == 0) return;
    if (step % 2 == 0) Counting(a, h.level, h.block, *gp__as<typename Counting::Storage>(shared)).later_level();
    else gp__hybrid_mover<P, T, DESCENDING, Value>::run(h, shared);
    __syncthreads();
    if (!threadIdx.x) { // for the whole block
      __threadfence();
      gp__add_relaxed(a.list + GP__HYBRID_DONE, 1);
    }
  }
}

// Sorts buckets on chip.
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS> struct gp__bucket {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Key Key;
  typedef typename Code::Raw Raw;
  typedef gp__vec<Raw> Pack;
  typedef gp__tile_sort<Key, THREADS, ITEMS, LOG2_BINS> Sort;
  typedef typename Sort::Storage Storage;
  static const int V = Code::V <= ITEMS ? Code::V : 1;
  static_assert(sizeof(Storage) == gp__tile_sort_bytes(int(sizeof(T)), THREADS, ITEMS, LOG2_BINS), "shared memory");
  Storage &s;

  // Sorts n keys at `in` to `out`, which may be `in`; key - low has `width` bits. Returns false if `out` has them in
  // another order.
  GP_DEVICE bool sort(const Raw *in, Raw *out, unsigned n, Key low, int width) const {
    const unsigned thread = gp__opaque_copy(threadIdx.x);
    const Sort sort = {s, thread};
    const int shift = width > LOG2_BINS ? width - LOG2_BINS : 0;
    Key keys[ITEMS], edge = 0; // keys: whole vectors; edge: before and after them, one a lane of warp 0
    const unsigned before = V > 1 ? gp__misalignment(in, 16) / unsigned(sizeof(Raw)) : 0;
    const unsigned head = before && V - before < n ? V - before : before ? n : 0, vectors = (n - head) / V;
    const unsigned at_edge = thread < head ? thread : thread + vectors * V;
    const auto there = [=](int i) { return i >= 0 ? unsigned(i) / V * THREADS + thread < vectors : at_edge < n; };
    GP__UNROLL
    for (int i = 0; i < ITEMS; i += V) {
      Pack pack;
      pack.vector = gp_vector{{0, 0, 0, 0}};
      const Raw *from = in + head + (unsigned(i) / V * THREADS + thread) * V;
      if (V > 1) gp__load_vector_if<P::load>(there(i), from, pack.vector);
      else if (there(i)) pack.item[0] = *from;
      GP__EACH(j, V) keys[i + j] = Code::encode(pack.item[j]);
    }
    if (!gp_warp() && at_edge < n) edge = Code::encode(in[at_edge]);
    sort.scatter(keys, edge, there, n, low, shift);
    const bool sorted = sort.template finish<Sort::MORE>(shift);
    store(out, n, thread);
    return sorted;
  }
  // Sorts any keys. Slower.
  GP_DEVICE void sort_any(const Raw *in, Raw *out, unsigned n) const {
    const Sort sort = {s, gp__opaque_copy(threadIdx.x)};
    for (unsigned q = threadIdx.x; q < n; q += THREADS) s.key[Storage::slot(q)] = Code::encode(in[q]);
    sort.surround(n);
    __syncthreads();
    sort.sort(n, 64);
    store(out, n, threadIdx.x);
  }
  GP_DEVICE void store(Raw *out, unsigned n, unsigned thread) const {
    const unsigned ahead = V > 1 ? gp__misalignment(out, 16) / unsigned(sizeof(Raw)) : 0;
    for (unsigned q = thread * V; q < ahead + n; q += THREADS * V) {
      const bool whole = V > 1 && q >= ahead && q + V <= ahead + n;
      Pack pack;
      GP__EACH(j, V) {
        const unsigned p = q + unsigned(j) - ahead;
        pack.item[j] = Code::decode(s.key[Storage::slot(p < n ? p : 0)]);
      }
      gp__store_vector_if(whole, out + q - ahead, pack.vector);
      if (!whole) {
        GP__EACH(j, V)
          if (q + unsigned(j) - ahead < n) out[q + unsigned(j) - ahead] = pack.item[j];
      }
    }
  }
};
