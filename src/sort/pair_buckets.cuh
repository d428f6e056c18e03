// sort/pair_buckets.cuh - hybrid sort: buckets of pairs
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, sort/hybrid_policy.h,
//   device/types.cuh, device/warp.cuh, device/vector_access.cuh, device/tile_load.cuh, device/tile_sort.cuh,
//   sort/keys.cuh, sort/radix_sweep.cuh, sort/hybrid.cuh

// Splits the n elements at `in` into `head` ones, `whole` vectors of 16 bytes, and the rest. `in` must be aligned to an
// element.
template<class E> struct gp__vectors_of {
  static const int EACH = 16 / int(sizeof(E));
  unsigned before, head, whole; // before: elements from the last 16-byte boundary to `in`
  GP_DEVICE gp__vectors_of(const E *in, unsigned n) : before(gp__misalignment(in, 16) / unsigned(sizeof(E))) {
    head = before ? EACH - before : 0;
    if (head > n) head = n;
    whole = (n - head) / EACH;
  }
  // This thread's element outside whole vectors; n or more: none.
  GP_DEVICE unsigned edge(unsigned thread) const { return thread < head ? thread : thread + whole * EACH; }
};

// A bucket's values in shared memory, in input order. One thread starts a bulk copy, if the device has such copies and
// the policy has a stage; otherwise threads load vectors through registers.
template<class P, class Value, int THREADS, int ITEMS> struct gp__staged_values {
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900
  static const bool BULK = P::stages > 0;
#else
  static const bool BULK = false;
#endif
  typedef gp__vectors_of<Value> Vectors;
  Value *values; // 16-byte aligned; THREADS * ITEMS, and a vector
  gp__u64 *arrived; // a barrier of one thread

  // A struct whose alignment is less than its size may begin between multiples of its size; it has no whole vectors.
  static GP_DEVICE Vectors vectors(const Value *in, unsigned n) {
    Vectors v(in, n);
    if (!gp__is_whole<sizeof(Value)>(in)) v.before = 0, v.head = n, v.whole = 0;
    return v;
  }
  GP_DEVICE const Value *of(const Value *in) const { return values + vectors(in, 0).before; }
  // Called once, before a barrier of the block.
  GP_DEVICE void init() const {
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900
    if (BULK && !threadIdx.x) {
      gp__mbarrier_init(arrived, 1);
      gp__mbarrier_init_fence();
    }
#endif
  }
  // Starts a bulk copy and does not wait. The last bucket's values must no longer be needed.
  GP_DEVICE void ask(const Value *in, unsigned n) const {
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900
    if (BULK && !threadIdx.x) {
      const Vectors v = vectors(in, n);
      gp__mbarrier_arrive_expect(arrived, v.whole * 16);
      if (v.whole) gp__bulk_load(values + v.before + v.head, in + v.head, v.whole * 16, arrived);
    }
#endif
  }
  // Loads the values that no bulk copy brings.
  GP_DEVICE void fetch(const Value *in, unsigned n, unsigned thread) const {
    const Vectors v = vectors(in, n);
    const int EACH = Vectors::EACH, COUNT = BULK ? 0 : ITEMS / EACH, AT_ONCE = 4;
    static_assert(ITEMS / Vectors::EACH <= 4 || ITEMS / Vectors::EACH % 4 == 0, "vectors of a thread");
    GP__UNROLL
    for (int i = 0; i < COUNT; i += AT_ONCE) {
      gp_vector pack[AT_ONCE];
      GP__EACH(j, AT_ONCE) {
        const unsigned at = unsigned(i + j) * THREADS + thread;
        pack[j] = gp_vector{{0, 0, 0, 0}};
        gp__load_vector_if<P::load>(at < v.whole, in + v.head + at * EACH, pack[j]);
      }
      GP__EACH(j, AT_ONCE) {
        const unsigned at = unsigned(i + j) * THREADS + thread;
        if (at < v.whole) *gp__as<gp_vector>(values + v.before + v.head + at * EACH) = pack[j];
      }
    }
    const unsigned edge = v.edge(thread);
    if (edge < n) values[v.before + edge] = in[edge];
    if (!gp__is_whole<sizeof(Value)>(in))
      for (unsigned i = edge + THREADS; i < n; i += THREADS) values[i] = in[i];
  }
  // Called after fetch and a barrier of the block. turn: number of earlier calls.
  GP_DEVICE void wait(gp__u32 turn) const {
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900
    if (BULK) gp__mbarrier_wait(arrived, turn & 1u);
#else
    (void)turn;
#endif
  }
  // Called by each thread after its last read of the values, before a barrier of the block.
  GP_DEVICE void end() const {
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900
    if (BULK) gp__bulk_fence(); // they and fetched values are where the next copy writes
#endif
  }
};

// Buckets of pairs with 8-byte keys. A word is key minus the bucket's lowest key, with the place in the bucket below
// it.
template<class P, class T, bool DESCENDING, class Value, int THREADS, int ITEMS, int LOG2_BINS, bool NARROW,
    bool RECORDS = false>
struct gp__pair_bucket {
  typedef gp__hybrid<P, T, DESCENDING, Value> Hybrid;
  typedef typename Hybrid::Code Code;
  typedef typename Hybrid::Key Key;
  typedef typename Hybrid::Raw Raw;
  typedef gp__tile_sort<gp__u64, THREADS, ITEMS, LOG2_BINS> Sort;
  typedef typename Sort::Storage Storage;
  static const int PLACE_BITS = GP__HYBRID_PLACE_BITS;
  static_assert(THREADS * ITEMS <= 1 << PLACE_BITS, "places");
  const Hybrid &h;
  Storage &s;
  gp__staged_values<P, Value, THREADS, ITEMS> staged;

  GP_DEVICE Value value(const Value *in, gp__u64 i) const { return in ? in[i] : gp__radix_value<Value>::index(i); }
  GP_DEVICE void copy(const gp__hybrid_item &item) const {
    const Raw *in = h.from(item.source);
    const Value *values_in = h.values_from(item.source);
    for (unsigned q = threadIdx.x; q < item.count; q += THREADS) {
      if (!h.a.drop_keys) gp__as<Raw>(h.a.out)[item.begin + q] = in[item.begin + q];
      gp__as<Value>(h.a.out_values)[item.begin + q] = value(values_in, item.begin + q);
    }
  }
  // turn: number of earlier buckets with values.
  GP_DEVICE void sort(const gp__hybrid_item &item, gp__u32 &turn) const {
    const unsigned thread = gp__opaque_copy(threadIdx.x), n = item.count;
    const Sort sort = {s, thread};
    const Raw *in = h.from(item.source) + item.begin;
    const Key low = Key(item.low);
    const int width = item.width + PLACE_BITS, shift = width > LOG2_BINS ? width - LOG2_BINS : 0;
    const auto there = [=](int i) { return i >= 0 && unsigned(i) * THREADS + thread < n; };
    gp__u64 keys[ITEMS];
    if (h.values_from(item.source)) staged.ask(h.values_from(item.source) + item.begin, n);
    GP__EACH(i, ITEMS) {
      const unsigned p = unsigned(i) * THREADS + thread;
      keys[i] = there(i) ? gp__u64(Key(Code::encode(in[p]) - low)) << PLACE_BITS | p : 0;
    }
    sort.scatter(keys, 0, there, n, 0, shift);
    if (h.values_from(item.source)) staged.fetch(h.values_from(item.source) + item.begin, item.count, thread);
    if (!sort.template finish<Sort::MORE>(shift)) sort.sort(n, shift);
    store(item, turn);
  }
  GP_DEVICE void store(const gp__hybrid_item &item, gp__u32 &turn) const {
    const int AT_ONCE = 4;
    const unsigned n = item.count, thread = gp__opaque_copy(threadIdx.x);
    const Key low = Key(item.low);
    const Value *values_in = h.values_from(item.source), *values = nullptr;
    Raw *out = gp__as<Raw>(h.a.out) + item.begin;
    Value *out_values = gp__as<Value>(h.a.out_values) + item.begin;
    const bool with_keys = !h.a.drop_keys;
    if (values_in) {
      values = staged.of(values_in + item.begin);
      staged.wait(turn++);
    }
    for (unsigned first = thread; first < n; first += AT_ONCE * THREADS) {
      gp__u64 x[AT_ONCE];
      Value value[AT_ONCE];
      GP__EACH(i, AT_ONCE) {
        const unsigned q = first + unsigned(i) * THREADS;
        x[i] = s.key[Storage::slot(q < n ? q : first)];
      }
      GP__EACH(i, AT_ONCE) {
        const unsigned place = unsigned(x[i]) & ((1u << PLACE_BITS) - 1);
        value[i] = values ? values[place] : gp__radix_value<Value>::index(item.begin + place);
      }
      GP__EACH(i, AT_ONCE) {
        const unsigned q = first + unsigned(i) * THREADS;
        if (q < n) {
          if (with_keys) out[q] = Code::decode(Key(low + Key(x[i] >> PLACE_BITS)));
          out_values[q] = value[i];
        }
      }
    }
    staged.end();
  }
};

// Buckets of pairs with 4-byte keys. A word has the leading bits of key - lowest, with the place in the bucket below:
// 32 bits that are distinct. Bits of the key that words leave out are stored by place, in the memory of the counters,
// while keys with the same leading bits are put in order; these are few as a rule. RECORDS: values are beside their
// keys.
template<class T, class Value, bool RECORDS> struct gp__bucket_element {
  typedef typename gp__ordered<T>::Bits Type;
  static GP_DEVICE Type key(Type x) { return x; }
  static GP_DEVICE Value value(Type) { return Value(); }
};
template<class T, class Value> struct gp__bucket_element<T, Value, true> {
  typedef typename gp__radix_record<gp__radix_key<T>, Value>::Key Type;
  static GP_DEVICE typename gp__ordered<T>::Bits key(const Type &x) { return x.key; }
  static GP_DEVICE Value value(const Type &x) { return x.value; }
};
template<class P, class T, bool DESCENDING, class Value, int THREADS, int ITEMS, int LOG2_BINS, bool RECORDS>
struct gp__pair_bucket<P, T, DESCENDING, Value, THREADS, ITEMS, LOG2_BINS, true, RECORDS> {
  typedef gp__hybrid<P, T, DESCENDING, Value> Hybrid;
  typedef typename Hybrid::Code Code;
  typedef typename Hybrid::Raw Raw;
  typedef gp__bucket_element<T, Value, RECORDS> Element;
  typedef typename Element::Type In;
  typedef gp__tile_sort<gp__u32, THREADS, ITEMS, LOG2_BINS> Sort;
  typedef typename Sort::Storage Storage;
  static const int PLACE_BITS = GP__HYBRID_PLACE_BITS, KEY_BITS = 32 - PLACE_BITS, LONGEST = 15;
  static const int V = 16 / int(sizeof(In));
  static const gp__u32 PLACES = (1u << PLACE_BITS) - 1;
  static_assert(sizeof(T) == 4 && THREADS * ITEMS < 1 << PLACE_BITS, "places; none is all ones");
  static_assert(32 - KEY_BITS <= 16 && THREADS * ITEMS <= 2 * Storage::BINS && ITEMS <= 16, "what is left out of keys");
  const Hybrid &h;
  Storage &s;
  gp__staged_values<P, Value, THREADS, ITEMS> staged;
  GP_DEVICE gp__u16 *rest() const { return gp__as<gp__u16>(s.counter); }
  GP_DEVICE const In *in_of(const gp__hybrid_item &item) const {
    return (RECORDS ? gp__as<const In>(h.a.spare) : gp__as<const In>(h.from(item.source))) + item.begin;
  }
  GP_DEVICE const Value *values_of(const gp__hybrid_item &item) const {
    return RECORDS ? nullptr : h.values_from(item.source);
  }

  GP_DEVICE void copy(const gp__hybrid_item &item) const {
    const Raw *in = h.from(item.source);
    const Value *values_in = h.values_from(item.source);
    for (unsigned q = threadIdx.x; q < item.count; q += THREADS) {
      const gp__u64 at = item.begin + q;
      if (!h.a.drop_keys) gp__as<Raw>(h.a.out)[at] = in[at];
      gp__as<Value>(h.a.out_values)[at] = values_in ? values_in[at] : gp__radix_value<Value>::index(at);
    }
  }
  // turn: number of earlier buckets with values.
  GP_DEVICE void sort(const gp__hybrid_item &item, gp__u32 &turn) const {
    const unsigned thread = gp__opaque_copy(threadIdx.x), n = item.count;
    const Sort sort = {s, thread};
    const In *in = in_of(item);
    const gp__u32 low = gp__u32(item.low);
    const int drop = item.width > KEY_BITS ? item.width - KEY_BITS : 0;
    const int width = item.width - drop + PLACE_BITS, shift = width > LOG2_BINS ? width - LOG2_BINS : 0;
    const gp__vectors_of<In> v(in, n);
    const unsigned at_edge = v.edge(thread);
    const auto there = [=](int i) { return i >= 0 ? unsigned(i) / V * THREADS + thread < v.whole : at_edge < n; };
    const auto word = [=](const In &x, unsigned place) {
      return (Code::encode(Element::key(x)) - low) >> drop << PLACE_BITS | place;
    };
    gp__u32 keys[ITEMS], edge = 0;
    if (values_of(item)) staged.ask(values_of(item) + item.begin, n);
    const int AT_ONCE = RECORDS ? ITEMS / 2 : ITEMS; // records take twice the registers
    GP__UNROLL
    for (int first = 0; first < ITEMS; first += AT_ONCE) {
      const auto place = [=](int i) { return v.head + (unsigned(i) / V * THREADS + thread) * V + unsigned(i % V); };
      gp__vec<In> pack[AT_ONCE / V];
      GP__UNROLL
      for (int i = 0; i < AT_ONCE; i += V) {
        pack[i / V].vector = gp_vector{{0, 0, 0, 0}};
        gp__load_vector_if<P::load>(there(first + i), in + place(first + i), pack[i / V].vector);
      }
      GP__EACH(i, AT_ONCE) {
        const In &x = pack[i / V].item[i % V];
        keys[first + i] = word(x, place(first + i));
        if (RECORDS && there(first + i)) staged.values[v.before + place(first + i)] = Element::value(x);
      }
    }
    if (!gp_warp() && at_edge < n) {
      edge = word(in[at_edge], at_edge);
      if (RECORDS) staged.values[v.before + at_edge] = Element::value(in[at_edge]);
    }
    sort.scatter(keys, edge, there, n, 0, shift);
    if (values_of(item)) staged.fetch(values_of(item) + item.begin, item.count, thread);
    if (!sort.template finish<Sort::MORE>(shift)) sort.sort(n, shift);
    if (item.width <= KEY_BITS) {
      store<false>(item, turn);
      return;
    }
    order_prefix_ties(item);
    store<true>(item, turn);
    __syncthreads();
    sort.clear();
  }
  // Orders words with equal leading bits by the bits left out. Ends with a barrier; the bits left out remain at rest().
  GP_DEVICE void order_prefix_ties(const gp__hybrid_item &item) const {
    const unsigned n = item.count, thread = gp__opaque_copy(threadIdx.x);
    const In *in = in_of(item);
    const gp__u32 low = gp__u32(item.low);
    const int drop = item.width - KEY_BITS;
    gp__u16 *left_out = rest();
    const auto tied = [](gp__u32 x, gp__u32 y) { return (x ^ y) >> PLACE_BITS == 0; };
    GP__UNROLL_BY(4)
    for (unsigned p = thread; p < n; p += THREADS)
      left_out[p] = gp__u16((Code::encode(Element::key(in[p])) - low) & ((1u << drop) - 1));
    __syncthreads();
    gp__u64 lengths = 0, ahead = 0; // 4 bits for each of the thread's words that is the first to exceed its successor
    bool is_long = false; // in a run of tied words: the run's length, and the words of the run before it
    for (unsigned q = thread, i = 0; q + 1 < n; q += THREADS, i += 4) {
      const gp__u32 x = s.key[Storage::slot(q)], y = s.key[Storage::slot(q + 1)];
      if (!tied(x, y) || left_out[y & PLACES] >= left_out[x & PLACES]) continue;
      unsigned before = 0, length = 2, own = left_out[x & PLACES];
      bool first = true;
      for (; before < LONGEST && before < q; ++before) {
        const gp__u32 z = s.key[Storage::slot(q - before - 1)];
        if (!tied(x, z)) break;
        first &= left_out[z & PLACES] <= own;
        own = left_out[z & PLACES];
      }
      while (before + length <= LONGEST && q + length < n && tied(x, s.key[Storage::slot(q + length)])) ++length;
      if (before + length > LONGEST) is_long = true;
      else if (first) lengths |= gp__u64(before + length) << i, ahead |= gp__u64(before) << i;
    }
    if (!__syncthreads_or(lengths || is_long)) return;
    if (__syncthreads_or(is_long)) {
      merge(n, thread);
      return;
    }
    for (unsigned q = thread; lengths; q += THREADS, lengths >>= 4, ahead >>= 4)
      if (lengths & 15) insert(q - unsigned(ahead & 15), unsigned(lengths & 15));
    __syncthreads();
  }
  // Insertion sort of tied words.
  GP_DEVICE void insert(unsigned q, unsigned length) const {
    for (unsigned i = 1; i < length; ++i) {
      const gp__u32 x = s.key[Storage::slot(q + i)], own = rest()[x & PLACES];
      unsigned to = i;
      for (; to > 0; --to) {
        const gp__u32 y = s.key[Storage::slot(q + to - 1)];
        if (rest()[y & PLACES] <= own) break;
        s.key[Storage::slot(q + to)] = y;
      }
      s.key[Storage::slot(q + to)] = x;
    }
  }
  // Orders runs of any length: sorts a thread's words, then merges.
  GP_DEVICE void merge(unsigned n, unsigned thread) const {
    const gp__u16 *left_out = rest();
    const auto less = [=](gp__u32 x, gp__u32 y) {
      if ((x ^ y) >> PLACE_BITS || x == ~0u || y == ~0u) return x < y;
      const gp__u32 a = left_out[x & PLACES], b = left_out[y & PLACES];
      return a != b ? a < b : x < y;
    };
    gp__u32 w[ITEMS];
    for (unsigned i = 1; i < ITEMS; ++i) {
      const unsigned first = thread * ITEMS;
      const gp__u32 x = s.key[Storage::slot(first + i)];
      unsigned to = i;
      for (; to > 0 && less(x, s.key[Storage::slot(first + to - 1)]); --to)
        s.key[Storage::slot(first + to)] = s.key[Storage::slot(first + to - 1)];
      s.key[Storage::slot(first + to)] = x;
    }
    GP__EACH(j, ITEMS) w[j] = s.key[Storage::slot(thread * ITEMS + unsigned(j))];
    const Sort sort = {s, thread};
    sort.merge_runs(w, n, less);
  }
  // TIES: words leave out bits of the keys.
  template<bool TIES> GP_DEVICE void store(const gp__hybrid_item &item, gp__u32 &turn) const {
    const int AT_ONCE = 4;
    const unsigned n = item.count, thread = gp__opaque_copy(threadIdx.x);
    const gp__u32 low = gp__u32(item.low);
    const int drop = TIES ? item.width - KEY_BITS : 0;
    const Value *values_in = values_of(item), *values = nullptr;
    if (RECORDS) values = staged.values + gp__vectors_of<In>(in_of(item), 0).before;
    else if (values_in) {
      values = staged.of(values_in + item.begin);
      staged.wait(turn++);
    }
    Raw *out = gp__as<Raw>(h.a.out) + item.begin;
    Value *out_values = gp__as<Value>(h.a.out_values) + item.begin;
    const bool with_keys = !h.a.drop_keys;
    for (unsigned first = thread; first < n; first += AT_ONCE * THREADS) {
      gp__u32 x[AT_ONCE];
      Value value[AT_ONCE];
      GP__EACH(i, AT_ONCE) {
        const unsigned q = first + unsigned(i) * THREADS;
        x[i] = s.key[Storage::slot(q < n ? q : first)];
      }
      GP__EACH(i, AT_ONCE)
        value[i] = values ? values[x[i] & PLACES] : gp__radix_value<Value>::index(item.begin + (x[i] & PLACES));
      GP__EACH(i, AT_ONCE) {
        const unsigned q = first + unsigned(i) * THREADS;
        if (q < n) {
          gp__u32 key = x[i] >> PLACE_BITS;
          if (TIES) key = key << drop | rest()[x[i] & PLACES];
          if (with_keys) out[q] = Code::decode(low + key);
          out_values[q] = value[i];
        }
      }
    }
    if (!RECORDS) staged.end();
  }
};

struct gp__pair_bucket_storage {
  gp__hybrid_item item[2]; // this one and the next; read where needed: saves registers
  gp__u64 arrived;
};
