// sort/hybrid_kernels.cuh - hybrid and leading-sweep sort: the last kernels
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, sort/hybrid_policy.h,
//   sort/hybrid_arguments.h, device/types.cuh, device/kernel.cuh, sort/keys.cuh, sort/hybrid.cuh, sort/buckets.cuh,
//   sort/pair_buckets.cuh

// Sorts the items of the list, dealt to blocks in turn.
template<class P, class T, bool DESCENDING, class Value, int THREADS, int ITEMS, int LOG2_BINS>
GP_DEVICE void gp__hybrid_sort_pairs(const gp__hybrid_args &a) {
  typedef gp__pair_bucket<P, T, DESCENDING, Value, THREADS, ITEMS, LOG2_BINS, sizeof(T) == 4> Bucket;
  typedef typename Bucket::Storage Storage;
  GP_DYNAMIC_SHARED(bytes);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;
  static_assert(sizeof(Storage) == gp__tile_sort_bytes(int(sizeof(T)), THREADS, ITEMS, LOG2_BINS), "shared memory");
  const typename Bucket::Hybrid h = {a, 0, blockIdx.x};
  const gp__u32 items = gp__u32(a.list[GP__HYBRID_ITEMS]);
  GP_SHARED(gp__pair_bucket_storage, own);
  const Bucket b = {h, *gp__as<Storage>(bytes), {gp__as<Value>(bytes + sizeof(Storage)), &own.arrived}};
  if (!threadIdx.x && blockIdx.x < items) own.item[0] = h.items()[blockIdx.x];
  gp__u32 at = 0, turn = 0;
  const typename Bucket::Sort sort = {b.s, threadIdx.x};
  sort.clear();
  b.staged.init();
  for (gp__u32 i = blockIdx.x; i < items; i += gridDim.x, at ^= 1) {
    __syncthreads();
    if (own.item[at].width) b.sort(own.item[at], turn);
    else b.copy(own.item[at]);
    if (!threadIdx.x && items - i > gridDim.x) own.item[at ^ 1] = h.items()[i + gridDim.x];
  }
}

// Sorts the items of the list, dealt to blocks in turn.
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS>
GP_DEVICE void gp__hybrid_sort_keys(const gp__hybrid_args &a) {
  typedef gp__bucket<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS> Bucket;
  GP_DYNAMIC_SHARED(bytes);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;
  const Bucket bucket = {*gp__as<typename Bucket::Storage>(bytes)};
  const gp__hybrid<P, T, DESCENDING> h = {a, 0, blockIdx.x};
  const typename Bucket::Sort sort = {bucket.s, threadIdx.x};
  sort.clear();
  typename Bucket::Raw *out = gp__as<typename Bucket::Raw>(a.out);
  const gp__u64 items = a.list[GP__HYBRID_ITEMS];
  gp__u32 unsorted = 0; // buckets that the block left for later
  for (gp__u64 i = blockIdx.x; i < items; i += gridDim.x) {
    const gp__hybrid_item item = h.items()[i];
    __syncthreads();
    if (!bucket.sort(h.from(item.source) + item.begin, out + item.begin, item.count,
            static_cast<typename Bucket::Key>(item.low), item.width)) {
      if (!threadIdx.x)
        h.items()[blockIdx.x + gp__u64(unsorted) * gridDim.x] = item; // a slot that only this block uses
      ++unsorted;
    }
  }
  __syncthreads();
  for (gp__u32 i = 0; i < unsorted; ++i) {
    const gp__hybrid_item item = h.items()[blockIdx.x + gp__u64(i) * gridDim.x];
    bucket.sort_any(out + item.begin, out + item.begin, item.count);
    __syncthreads();
  }
}

template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS, class Value>
struct gp__bucket_sorter {
  static GP_DEVICE void run(const gp__hybrid_args &a) {
    gp__hybrid_sort_pairs<P, T, DESCENDING, Value, THREADS, ITEMS, LOG2_BINS>(a);
  }
};
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS>
struct gp__bucket_sorter<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS, gp__none> {
  static GP_DEVICE void run(const gp__hybrid_args &a) {
    gp__hybrid_sort_keys<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS>(a);
  }
};
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS, class Value = gp__none>
GP_DEVICE void gp__hybrid_sort(const gp__hybrid_args &a) {
  gp__bucket_sorter<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS, Value>::run(a);
}

// Leading sweep. Radix passes by the leading bits alone, which are stable, leave pairs in buckets. This kernel finds
// where the buckets begin. Blocks then sort them on chip as in a hybrid sort. If a bucket is too large, a sweep of all
// bits follows; most often the digit counts tell before anything has moved.
template<class P, class T, bool DESCENDING, class Value> GP_DEVICE void gp__leading_edges(const gp__hybrid_args &a) {
  typedef gp__bucket_element<T, Value, sizeof(Value) == 4> Element;
  struct Storage {
    gp__u32 start[P::threads];
  };
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  if (!__syncthreads_and(gp__load_relaxed(a.choice) == GP__CHOSE_HYBRID)) return;
  const typename Element::Type *in = gp__as<const typename Element::Type>(a.spare);
  const unsigned bucket = blockIdx.x * (P::threads - 1) + threadIdx.x, buckets = 1u << a.leading;
  const int below = a.leading > 8 ? a.leading - 8 : 0; // bits of a bucket's number after the first digit
  gp__u32 low = gp__u32(gp__count(a));
  if (bucket < buckets) {
    const unsigned digit = bucket >> below << (8 + below - a.leading);
    gp__u32 high = digit < GP__DIGITS - 1 ? gp__u32(a.bins[digit + 1]) : low;
    low = gp__u32(a.bins[digit]);
    if (!(bucket & ((1u << below) - 1))) high = low;
    while (low < high) {
      const gp__u32 middle = low + (high - low) / 2;
      if (gp__sorted<T, DESCENDING>::encode(Element::key(in[middle])) >> (32 - a.leading) < bucket) low = middle + 1;
      else high = middle;
    }
  }
  s.start[threadIdx.x] = low;
  __syncthreads();
  if (threadIdx.x == P::threads - 1 || bucket > buckets) return;
  gp__as<gp__u32>(a.items)[bucket] = low;
  if (bucket < buckets && s.start[threadIdx.x + 1] - low > a.capacity) gp__store_relaxed(a.choice, GP__CHOSE_ONE_SWEEP);
}
// Sorts the buckets, dealt to blocks in turn. A block reads the starts of THREADS of its buckets at a time, and
// prefetches the next bucket before it sorts one.
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS, class Value>
GP_DEVICE void gp__leading_sort(const gp__hybrid_args &a) {
  const bool RECORDS = sizeof(Value) == 4;
  typedef gp__pair_bucket<P, T, DESCENDING, Value, THREADS, ITEMS, LOG2_BINS, true, RECORDS> Bucket;
  typedef typename Bucket::In In;
  typedef typename Bucket::Storage Storage;
  struct Own {
    gp__hybrid_item item; // read where needed: saves registers
    gp__u64 arrived;
    gp__u32 begin[THREADS], count[THREADS];
  };
  GP_SHARED(Own, own);
  GP_DYNAMIC_SHARED(bytes);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;
  const typename Bucket::Hybrid h = {a, 0, blockIdx.x};
  const Bucket b = {h, *gp__as<Storage>(bytes), {gp__as<Value>(bytes + sizeof(Storage)), &own.arrived}};
  const gp__u32 *starts = gp__as<const gp__u32>(a.items), buckets = 1u << a.leading;
  const int width = 32 - a.leading;
  const typename Bucket::Sort sort = {b.s, threadIdx.x};
  gp__u32 turn = 0;
  sort.clear();
  if (!RECORDS) b.staged.init();
  for (gp__u32 bucket = blockIdx.x, at = THREADS; bucket < buckets; bucket += gridDim.x, ++at) {
    __syncthreads();
    if (at == THREADS) {
      const gp__u32 mine = bucket + threadIdx.x * gridDim.x, begin = mine < buckets ? starts[mine] : 0;
      own.begin[threadIdx.x] = begin;
      own.count[threadIdx.x] = mine < buckets ? starts[mine + 1] - begin : 0;
      at = 0;
      __syncthreads();
    }
    if (!threadIdx.x) {
      own.item.begin = own.begin[at], own.item.count = own.count[at];
      own.item.low = gp__u64(bucket) << width, own.item.width = gp__u16(width);
      own.item.source = GP__FROM_SPARE;
      if (at + 1 < THREADS && own.count[at + 1])
        gp__prefetch_bytes(gp__as<const In>(a.spare) + own.begin[at + 1], own.count[at + 1] * gp__u32(sizeof(In)));
    }
    __syncthreads();
    if (own.item.count) b.sort(own.item, turn);
  }
}
