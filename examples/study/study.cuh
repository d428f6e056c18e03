// study.cuh - the kernels of study.c: Back40's four problems with every parameter of its study left open. Plain CUDA
// without the library; NVRTC and the tests' emulator compile it.
//
// Merrill, Garland and Grimshaw, "Policy-based Tuning for Performance Portability and Library Co-optimization" (InPar
// 2012), Section 5.1: loads a thread and tile, elements a load, threads a block, even shares or stealing, caching of
// loads and stores. Reduction, prefix sum and reduce-by-key have an upsweep, a spine and, the latter two, a downsweep,
// each with a policy of its own. The code is our own.

#ifdef SIMT_H
#define STUDY_SHARED(T, name) SIMT_SHARED(T, name)
#define STUDY_BY_CACHE(plain, one, two, three) plain
#else
#define STUDY_SHARED(T, name) __shared__ T name
#define STUDY_BY_CACHE(plain, one, two, three) \
  if (CACHE == 1) one; \
  else if (CACHE == 2) two; \
  else if (CACHE == 3) three; \
  else plain
#endif
#define STUDY_DEVICE static __device__ __forceinline__

typedef unsigned long long study_count;

// ---- policies

enum { STUDY_GRAIN = 128 }; // shares of blocks begin at multiples of so many elements: of every vector

// load: 0 all levels, 1 .cg, 2 .cs, 3 .cv. store: 0 .wb, 1 .cg, 2 .cs, 3 .wt. steal: tiles by ticket, not even shares.
template<int THREADS, int LOADS, int ITEMS, int LOAD = 0, int STORE = 0, int STEAL = 0> struct study_policy {
  static const int threads = THREADS, loads = LOADS, items = ITEMS, load = LOAD, store = STORE, steal = STEAL;
  static const int tile = THREADS * LOADS * ITEMS;
};

// ---- accesses

template<int BYTES> struct study_word;
template<> struct study_word<1> { typedef unsigned char type; };
template<> struct study_word<2> { typedef unsigned short type; };
template<> struct study_word<4> { typedef unsigned type; };
template<> struct study_word<8> { typedef unsigned long long type; };
template<> struct study_word<16> { typedef uint4 type; };

template<int CACHE, class W> STUDY_DEVICE void study_read(W *to, const W *from) {
  STUDY_BY_CACHE(*to = *from, *to = __ldcg(from), *to = __ldcs(from), *to = __ldcv(from));
}
template<int CACHE, class W> STUDY_DEVICE void study_write(W *to, const W *from) {
  STUDY_BY_CACHE(*to = *from, __stcg(to, *from), __stcs(to, *from), __stwt(to, *from));
}

// ITEMS elements, in accesses of at most 16 bytes.
template<class T, int ITEMS> union study_vector {
  static const int BYTES = ITEMS * int(sizeof(T)), WIDTH = BYTES < 16 ? BYTES : 16;
  typename study_word<WIDTH>::type word[BYTES / WIDTH];
  T item[ITEMS];
};

// The place of an element in its tile: a load of all threads reads neighbouring vectors.
template<class P> STUDY_DEVICE int study_place(int load, int item) {
  return (load * P::threads + int(threadIdx.x)) * P::items + item;
}
template<class P, class T> STUDY_DEVICE void study_load(T (&data)[P::loads][P::items], const T *in, study_count left) {
  typedef study_vector<T, P::items> vector;
  if (left >= P::tile) {
    vector v[P::loads];
#pragma unroll
    for (int l = 0; l < P::loads; ++l) {
      const vector *from = reinterpret_cast<const vector *>(in) + l * P::threads + threadIdx.x;
#pragma unroll
      for (int w = 0; w < vector::BYTES / vector::WIDTH; ++w) study_read<P::load>(&v[l].word[w], &from->word[w]);
    }
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i) data[l][i] = v[l].item[i];
  } else {
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i)
        data[l][i] = study_count(study_place<P>(l, i)) < left ? in[study_place<P>(l, i)] : T(0);
  }
}
template<class P, class T>
STUDY_DEVICE void study_store(T *out, const T (&data)[P::loads][P::items], study_count left) {
  typedef study_vector<T, P::items> vector;
  if (left >= P::tile) {
#pragma unroll
    for (int l = 0; l < P::loads; ++l) {
      vector v, *to = reinterpret_cast<vector *>(out) + l * P::threads + threadIdx.x;
#pragma unroll
      for (int i = 0; i < P::items; ++i) v.item[i] = data[l][i];
#pragma unroll
      for (int w = 0; w < vector::BYTES / vector::WIDTH; ++w) study_write<P::store>(&to->word[w], &v.word[w]);
    }
  } else {
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i)
        if (study_count(study_place<P>(l, i)) < left) out[study_place<P>(l, i)] = data[l][i];
  }
}

// ---- who works on which tiles

// One block's even share, or tiles by ticket: `next` says which tile comes, until `first` reaches `end`. The last block
// to end sets both counters to 0 for the next launch.
template<class P> struct study_work {
  study_count first, end, share;
  unsigned *ticket;
  __device__ study_work(study_count n, unsigned *counters) : end(n), ticket(counters) {
    const study_count grains = (n + STUDY_GRAIN - 1) / STUDY_GRAIN, each = (grains + gridDim.x - 1) / gridDim.x;
    share = each * STUDY_GRAIN;
    first = blockIdx.x * share;
    if (!P::steal) end = first + share < n ? first + share : n;
    else first = 0;
  }
  // Whether there is a tile; the block shares `drawn`.
  __device__ bool next(bool begin, unsigned *drawn) {
    if (!P::steal) {
      if (!begin) first += P::tile;
      return first < end;
    }
    if (threadIdx.x == 0) *drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    first = study_count(*drawn) * P::tile;
    __syncthreads();
    if (first < end) return true;
    if (threadIdx.x == 0 && atomicAdd(ticket + 1, 1u) == gridDim.x - 1) {
      atomicExch(ticket, 0u);
      atomicExch(ticket + 1, 0u);
    }
    return false;
  }
};

// ---- folds of a block, in three phases: registers, a warp that rakes over shared memory, the warp

// Segmented sums: heads of runs so far, and the sum since the last one.
template<class T> struct study_runs {
  unsigned heads;
  T sum;
};
template<class T> STUDY_DEVICE study_runs<T> operator+(const study_runs<T> &a, const study_runs<T> &b) {
  study_runs<T> r;
  r.heads = a.heads + b.heads;
  r.sum = b.heads ? b.sum : T(a.sum + b.sum);
  return r;
}
template<class E> STUDY_DEVICE E study_zero() {
  E zero = E();
  return zero;
}

template<class E, int THREADS> struct study_storage {
  E partial[THREADS];
  E warp[32];
  E total;
};

// The fold of the elements of all threads before this one; the block's total. In order. The next call's first barrier
// comes before anything of this one is overwritten that another thread reads.
template<int THREADS, class E> STUDY_DEVICE E study_block_scan(E mine, E *total, study_storage<E, THREADS> *s) {
  const int PER = THREADS / 32, t = int(threadIdx.x);
  s->partial[t] = mine;
  __syncthreads();
  if (t < 32) {
    E sum = s->partial[t * PER], before;
    for (int k = 1; k < PER; ++k) sum = E(sum + s->partial[t * PER + k]);
    s->warp[t] = sum;
    for (int distance = 1; distance < 32; distance *= 2) {
      __syncwarp();
      before = t >= distance ? s->warp[t - distance] : study_zero<E>();
      __syncwarp();
      sum = E(before + sum);
      s->warp[t] = sum;
    }
    __syncwarp();
    before = t ? s->warp[t - 1] : study_zero<E>();
    for (int k = 0; k < PER; ++k) {
      const E x = s->partial[t * PER + k];
      s->partial[t * PER + k] = before;
      before = E(before + x);
    }
    if (t == 31) s->total = before;
  }
  __syncthreads();
  *total = s->total;
  return s->partial[t];
}

// The sum of all threads' values, in thread 0: one barrier.
template<int THREADS, class T> STUDY_DEVICE T study_block_reduce(T mine, study_storage<T, THREADS> *s) {
  const int t = int(threadIdx.x);
  s->partial[t] = mine;
  __syncthreads();
  if (t >= 32) return mine;
  T sum = 0;
  for (int k = 0; k < THREADS / 32; ++k) sum = T(sum + s->partial[k * 32 + t]);
  for (int distance = 16; distance > 0; distance /= 2) {
    s->warp[t] = sum;
    __syncwarp();
    const T other = s->warp[(t + distance) % 32];
    __syncwarp();
    sum = T(sum + other);
  }
  return sum;
}

// ---- copy

template<class P, class T> STUDY_DEVICE void study_copy(const T *in, T *out, study_count n, unsigned *ticket) {
  STUDY_SHARED(unsigned, drawn);
  study_work<P> work(n, ticket);
  for (bool begin = true; work.next(begin, &drawn); begin = false) {
    T data[P::loads][P::items];
    study_load<P>(data, in + work.first, work.end - work.first);
    study_store<P>(out + work.first, data, work.end - work.first);
  }
}

// ---- reduction: upsweep, spine. An upsweep's result is a sum a block.

template<class P, class T> STUDY_DEVICE void study_reduce(const T *in, T *out, study_count n, unsigned *ticket) {
  typedef study_storage<T, P::threads> storage;
  STUDY_SHARED(unsigned, drawn);
  STUDY_SHARED(storage, s);
  study_work<P> work(n, ticket);
  T sum = 0;
  for (bool begin = true; work.next(begin, &drawn); begin = false) {
    T data[P::loads][P::items];
    study_load<P>(data, in + work.first, work.end - work.first);
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i) sum = T(sum + data[l][i]);
  }
  sum = study_block_reduce<P::threads>(sum, &s);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// ---- prefix sum and reduce-by-key: upsweep, spine, downsweep over elements of a fold

// The elements of a prefix sum.
template<class T> struct study_sums {
  typedef T element;
  const T *in;
  T *out;
  template<class P> __device__ void load(element (&x)[P::loads][P::items], study_count first, study_count end) const {
    study_load<P>(x, in + first, end - first);
  }
  // `before`: the fold of everything in front of each element; exclusive.
  template<class P>
  __device__ void store(const element (&before)[P::loads][P::items], const element (&)[P::loads][P::items],
      study_count first, study_count end, study_count) const {
    study_store<P>(out + first, before, end - first);
  }
};

// The elements of a reduce-by-key. A head is an element whose key differs from the key before it.
template<class T> struct study_keys {
  typedef study_runs<T> element;
  const T *keys, *values;
  T *out_keys, *out_sums;
  unsigned *runs;
  template<class P> __device__ void load(element (&x)[P::loads][P::items], study_count first, study_count end) const {
    T key[P::loads][P::items], value[P::loads][P::items];
    study_load<P>(key, keys + first, end - first);
    study_load<P>(value, values + first, end - first);
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i) {
        const study_count at = first + study_place<P>(l, i);
        const bool is_first = at == 0;
        const T before = i ? key[l][i ? i - 1 : 0] : at < end && !is_first ? keys[at - 1] : T(0);
        x[l][i].heads = at < end && (is_first || before != key[l][i]);
        x[l][i].sum = at < end ? value[l][i] : T(0);
      }
  }
  // The last element of a run stores its key and sum.
  template<class P>
  __device__ void store(const element (&before)[P::loads][P::items], const element (&x)[P::loads][P::items],
      study_count first, study_count end, study_count n) const {
#pragma unroll
    for (int l = 0; l < P::loads; ++l)
#pragma unroll
      for (int i = 0; i < P::items; ++i) {
        const study_count at = first + study_place<P>(l, i);
        if (at >= end || (at + 1 < n && keys[at + 1] == keys[at])) continue;
        const element with = before[l][i] + x[l][i];
        out_keys[with.heads - 1] = keys[at];
        out_sums[with.heads - 1] = with.sum;
        if (at + 1 == n) *runs = with.heads;
      }
  }
};

template<class P, class A> STUDY_DEVICE void study_upsweep(const A &of, typename A::element *partials, study_count n) {
  typedef typename A::element E;
  typedef study_storage<E, P::threads> storage;
  STUDY_SHARED(storage, s);
  study_work<P> work(n, 0);
  E sum = study_zero<E>();
  for (bool begin = true; work.next(begin, 0); begin = false) {
    E x[P::loads][P::items];
    of.template load<P>(x, work.first, work.end);
#pragma unroll
    for (int l = 0; l < P::loads; ++l) { // a load of all threads is consecutive: their order matters
      E mine = x[l][0], total;
#pragma unroll
      for (int i = 1; i < P::items; ++i) mine = E(mine + x[l][i]);
      study_block_scan<P::threads>(mine, &total, &s);
      sum = E(sum + total);
    }
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// An exclusive scan of the partial results, by one block. The elements of a thread are neighbours.
template<class P, class E> STUDY_DEVICE void study_spine(const E *partials, E *offsets, unsigned count) {
  typedef study_storage<E, P::threads> storage;
  STUDY_SHARED(storage, s);
  E carry = study_zero<E>();
  for (unsigned first = 0; first < count; first += P::tile) {
#pragma unroll
    for (int l = 0; l < P::loads; ++l) {
      const unsigned at = first + study_place<P>(l, 0);
      E x[P::items], mine = study_zero<E>(), total;
#pragma unroll
      for (int i = 0; i < P::items; ++i) {
        x[i] = at + i < count ? partials[at + i] : study_zero<E>();
        mine = E(mine + x[i]);
      }
      E before = E(carry + study_block_scan<P::threads>(mine, &total, &s));
      carry = E(carry + total);
#pragma unroll
      for (int i = 0; i < P::items; ++i) {
        if (at + i < count) offsets[at + i] = before;
        before = E(before + x[i]);
      }
    }
  }
}

template<class P, class A>
STUDY_DEVICE void study_downsweep(const A &of, const typename A::element *offsets, study_count n) {
  typedef typename A::element E;
  typedef study_storage<E, P::threads> storage;
  STUDY_SHARED(storage, s);
  study_work<P> work(n, 0);
  E carry = offsets[blockIdx.x];
  for (bool begin = true; work.next(begin, 0); begin = false) {
    E x[P::loads][P::items], before[P::loads][P::items];
    of.template load<P>(x, work.first, work.end);
#pragma unroll
    for (int l = 0; l < P::loads; ++l) {
      E mine = x[l][0], total;
#pragma unroll
      for (int i = 1; i < P::items; ++i) mine = E(mine + x[l][i]);
      before[l][0] = E(carry + study_block_scan<P::threads>(mine, &total, &s));
      carry = E(carry + total);
#pragma unroll
      for (int i = 1; i < P::items; ++i) before[l][i] = E(before[l][i - 1] + x[l][i - 1]);
    }
    of.template store<P>(before, x, work.first, work.end, n);
  }
}

// ---- entries: study.c appends a line for each policy, with the name that it looks up

#define STUDY_ENTRY(name, THREADS) extern "C" __global__ void __launch_bounds__(THREADS) name
#define STUDY_COPY(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *in, T *out, study_count n, unsigned *ticket) { \
    study_copy<study_policy<THREADS, __VA_ARGS__>, T>(in, out, n, ticket); \
  }
#define STUDY_REDUCE(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *in, T *out, study_count n, unsigned *ticket) { \
    study_reduce<study_policy<THREADS, __VA_ARGS__>, T>(in, out, n, ticket); \
  }
#define STUDY_SCAN_UP(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *in, T *partials, study_count n) { \
    const study_sums<T> of = {in, 0}; \
    study_upsweep<study_policy<THREADS, __VA_ARGS__>>(of, partials, n); \
  }
#define STUDY_SCAN_SPINE(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *partials, T *offsets, unsigned count) { \
    study_spine<study_policy<THREADS, __VA_ARGS__>, T>(partials, offsets, count); \
  }
#define STUDY_SCAN_DOWN(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *in, const T *offsets, T *out, study_count n) { \
    const study_sums<T> of = {in, out}; \
    study_downsweep<study_policy<THREADS, __VA_ARGS__>>(of, offsets, n); \
  }
#define STUDY_KEY_UP(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const T *keys, const T *values, study_runs<T> *partials, study_count n) { \
    const study_keys<T> of = {keys, values, 0, 0, 0}; \
    study_upsweep<study_policy<THREADS, __VA_ARGS__>>(of, partials, n); \
  }
#define STUDY_KEY_SPINE(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS)(const study_runs<T> *partials, study_runs<T> *offsets, unsigned count) { \
    study_spine<study_policy<THREADS, __VA_ARGS__>, study_runs<T>>(partials, offsets, count); \
  }
#define STUDY_KEY_DOWN(name, T, THREADS, ...) \
  STUDY_ENTRY(name, THREADS) \
  (const T *keys, const T *values, const study_runs<T> *offsets, T *out_keys, T *out_sums, unsigned *runs, \
      study_count n) { \
    const study_keys<T> of = {keys, values, out_keys, out_sums, runs}; \
    study_downsweep<study_policy<THREADS, __VA_ARGS__>>(of, offsets, n); \
  }
