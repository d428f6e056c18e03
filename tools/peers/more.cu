// more.cu - more peers behind the interface of peers.h: moderngpu, CUDPP, and calls of Thrust that peers.cu lacks.
// tools/quality/libraries.py fetches their sources and compiles this file to libgp_more.so, once a part:
//   GP_MORE_PART=0  the table     1  moderngpu     2  Thrust     3  CUDPP
// Only `find` of the table exists: data, comparison and roofs are those of libgp_peers.so. Types are those of
// tools/quality/cells.txt.
#include "data.h"
#include "peers.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <climits>
#include <cstring>
#include <map>
#include <new>
#include <tuple>
#include <vector>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef gp_s16 s16;

static inline bool is(const char *a, const char *b) { return !strcmp(a, b); }
#include "peers_segments.h" // ARGUMENTS, STREAM, NO_WORKSPACE, IS, COUNTS, below

gp_peer_fn gp_more_find_moderngpu(const gp_peer_cell *c);
gp_peer_fn gp_more_find_thrust(const gp_peer_cell *c);
gp_peer_fn gp_more_find_cudpp(const gp_peer_cell *c);

// A sum, scan or the like within one type.
[[maybe_unused]] static bool folds_in(const gp_peer_cell *c, const char *op, const char *type) {
  return is(c->op, op) && is(c->in, type) && is(c->acc, type) && is(c->out, type);
}
[[maybe_unused]] static bool keys_are(const gp_peer_cell *c, const char *key) {
  return is(c->in, key) && is(c->payload, "") && is(c->form, "keys") && !c->descending;
}
[[maybe_unused]] static bool selects_by_predicate(const gp_peer_cell *c, const char *type) {
  return is(c->in, type) && is(c->form, "if") && c->parts != 3 && c->keep < 100;
}

template<class T> __global__ void store_kernel(T *out, T value) { *out = value; }

// Memory stays between calls: people who time a library keep it, too.
struct kept_memory {
  typedef char value_type;
  struct block {
    void *at;
    size_t bytes;
    bool on_host, used;
  };
  static std::vector<block> &blocks() {
    static std::vector<block> all;
    return all;
  }
  static void *take(size_t bytes, bool on_host) {
    void *at = NULL;
    for (block &b : blocks())
      if (!b.used && b.on_host == on_host && b.bytes >= bytes) return b.used = true, b.at;
    if (on_host ? cudaMallocHost(&at, bytes) : cudaMalloc(&at, bytes)) throw std::bad_alloc();
    blocks().push_back({at, bytes, on_host, true});
    return at;
  }
  static void give_back(void *at) {
    for (block &b : blocks())
      if (b.at == at) b.used = false;
  }
  char *allocate(std::ptrdiff_t bytes) { return (char *)take((size_t)bytes, false); } // Thrust's names
  void deallocate(char *at, size_t) { give_back(at); }
};

#if GP_MORE_PART == 0

static const char *about() {
  static const char text[] = ""
#ifdef GP_MORE_MODERNGPU
                             ", moderngpu " GP_MORE_MODERNGPU
#endif
#ifdef GP_MORE_CUDPP
                             ", CUDPP " GP_MORE_CUDPP
#endif
      ;
  return text;
}
static const char *error(int code) { return cudaGetErrorString((cudaError_t)code); }

static gp_peer_fn find(const gp_peer_cell *c) {
#ifdef GP_MORE_MODERNGPU
  if (is(c->peer, "moderngpu")) return gp_more_find_moderngpu(c);
#endif
#ifdef GP_MORE_CUDPP
  if (is(c->peer, "cudpp")) return gp_more_find_cudpp(c);
#endif
  return is(c->peer, "thrust") ? gp_more_find_thrust(c) : NULL;
}

extern "C" const gp_peers_table *gp_peers(void) {
  static const gp_peers_table table = {GP_PEERS_ABI, about, error, find, NULL, NULL, 0, NULL, NULL, NULL};
  return &table;
}

#elif GP_MORE_PART == 1 // ---- moderngpu ------------------------------------------------------------------------------

#include <moderngpu/kernel_compact.hxx>
#include <moderngpu/kernel_intervalmove.hxx>
#include <moderngpu/kernel_load_balance.hxx>
#include <moderngpu/kernel_merge.hxx>
#include <moderngpu/kernel_mergesort.hxx>
#include <moderngpu/kernel_reduce.hxx>
#include <moderngpu/kernel_scan.hxx>
#include <moderngpu/kernel_segreduce.hxx>
#include <moderngpu/kernel_segsort.hxx>
#include <moderngpu/kernel_sortedsearch.hxx>

struct kept_context : mgpu::standard_context_t {
  kept_context() : standard_context_t(false) {}
  void *alloc(size_t bytes, mgpu::memory_space_t space) override {
    return bytes ? kept_memory::take(bytes, space == mgpu::memory_space_host) : NULL;
  }
  void free(void *at, mgpu::memory_space_t) override { kept_memory::give_back(at); }
  kept_context &in(void *stream) {
    _stream = STREAM;
    return *this;
  }
};
static kept_context &context_in(void *stream) {
  static kept_context context;
  return context.in(stream);
}

// A call of moderngpu: `context` is in the stream, `n` the count.
#define CALL(...) \
  NO_WORKSPACE; \
  if (a->count > INT_MAX) return GP_PEER_UNSUPPORTED; \
  const int n = (int)a->count; \
  (void)n; \
  try { \
    kept_context &context = context_in(stream); \
    __VA_ARGS__; \
  } catch (...) { \
    return cudaErrorUnknown; \
  } \
  return cudaGetLastError()

// Its partitions have the keys' type and are taken as int: unsigned keys go in as int, with an order of their own.
struct unsigned_less {
  MGPU_HOST_DEVICE bool operator()(int x, int y) const { return (u32)x < (u32)y; }
};
#define AS_INT(pointer) ((const int *)(pointer))

template<class T> static int copy(ARGUMENTS) {
  const T *in = (const T *)a->in;
  T *out = (T *)a->out;
  CALL(mgpu::transform([=] MGPU_DEVICE(int i) { out[i] = in[i]; }, n, context));
}
template<class T> static int negate(ARGUMENTS) {
  const T *in = (const T *)a->in;
  T *out = (T *)a->out;
  CALL(mgpu::transform([=] MGPU_DEVICE(int i) { out[i] = -in[i]; }, n, context));
}
template<class T, class F> static int reduce(ARGUMENTS) {
  CALL(mgpu::reduce((const T *)a->in, n, (T *)a->out, F(), context));
}
template<class T, mgpu::scan_type_t TYPE> static int scan(ARGUMENTS) {
  CALL(mgpu::scan<TYPE>((const T *)a->in, n, (T *)a->out, context));
}
template<class T> static int segmented_sum(ARGUMENTS) {
  CALL(mgpu::segreduce(
      (const T *)a->in, n, (const int *)a->begin, (int)a->segments, (T *)a->out, mgpu::plus_t<T>(), T(), context));
}
// Needles must be sorted: gp_bench asks for dist=sorted alone.
static int sorted_search(ARGUMENTS) {
  CALL(mgpu::sorted_search<mgpu::bounds_lower>(
      AS_INT(a->in), n, AS_INT(a->keys), (int)a->length, (int *)a->out, unsigned_less(), context));
}
static int load_balance(ARGUMENTS) {
  CALL(mgpu::load_balance_search(n, (const int *)a->begin, (int)a->segments, (int *)a->out, context));
}
template<class T> static int expand(ARGUMENTS) {
  CALL(mgpu::interval_expand((const T *)a->in, n, (const int *)a->begin, (int)a->segments, (T *)a->out, context));
}
static int merge(ARGUMENTS) {
  CALL(mgpu::merge(AS_INT(a->keys), n, AS_INT(a->keys2), (int)a->count2, (int *)a->out_keys, unsigned_less(), context));
}
// Sorts in place: the keys are copied first.
static int merge_sort(ARGUMENTS) {
  CALL(cudaMemcpyAsync(a->out_keys, a->keys, a->count * 4, cudaMemcpyDeviceToDevice, STREAM);
       mgpu::mergesort((int *)a->out_keys, n, unsigned_less(), context));
}
static int segmented_sort(ARGUMENTS) {
  CALL(cudaMemcpyAsync(a->out_keys, a->keys, a->count * 4, cudaMemcpyDeviceToDevice, STREAM);
       mgpu::segmented_sort((int *)a->out_keys, n, AS_INT(a->begin), (int)a->segments, unsigned_less(), context));
}
template<class T> static int select(ARGUMENTS) {
  const T *in = (const T *)a->in;
  T *out = (T *)a->out;
  const below<T> predicate = {scalar_of<T>(a->scalar)};
  CALL(auto compact = mgpu::transform_compact(n, context);
       const int selected = compact.upsweep([=] MGPU_DEVICE(int i) { return predicate(in[i]); });
       compact.downsweep([=] MGPU_DEVICE(int to, int from) { out[to] = in[from]; });
       store_kernel<<<1, 1, 0, STREAM>>>(COUNTS, (unsigned long long)selected));
}

gp_peer_fn gp_more_find_moderngpu(const gp_peer_cell *c) {
  if (IS(copy) && is(c->in, "u32")) return copy<u32>;
  if (IS(transform) && is(c->op, "NEGATE") && is(c->in, "f32") && is(c->out, "f32")) return negate<f32>;
  if (IS(reduce) && folds_in(c, "SUM", "f32")) return reduce<f32, mgpu::plus_t<f32>>;
  if (IS(reduce) && folds_in(c, "MAX", "u32")) return reduce<u32, mgpu::maximum_t<u32>>;
  if (IS(exclusive_scan) && folds_in(c, "SUM", "f32")) return scan<f32, mgpu::scan_type_exc>;
  if (IS(inclusive_scan) && folds_in(c, "SUM", "f32")) return scan<f32, mgpu::scan_type_inc>;
  if (IS(segmented_reduce) && folds_in(c, "SUM", "f32") && is(c->offsets, "u32") && is(c->form, "offsets"))
    return segmented_sum<f32>;
  if (IS(lower_bound) && is(c->in, "u32") && is(c->out, "u32")) return sorted_search;
  if (IS(load_balance) && is(c->in, "u32") && is(c->out, "u32")) return load_balance;
  if (IS(expand) && is(c->in, "u32") && is(c->offsets, "u32")) return expand<u32>;
  if (IS(merge) && is(c->in, "u32") && is(c->payload, "")) return merge;
  if (IS(merge_sort) && keys_are(c, "u32")) return merge_sort;
  if (IS(segmented_sort) && keys_are(c, "u32") && is(c->offsets, "u32")) return segmented_sort;
  if (IS(select) && selects_by_predicate(c, "u32")) return select<u32>;
  return NULL;
}

#elif GP_MORE_PART == 2 // ---- Thrust ---------------------------------------------------------------------------------

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

// A call of Thrust with the policy `with`.
#define CALL(...) \
  NO_WORKSPACE; \
  try { \
    kept_memory memory; \
    const auto with = thrust::cuda::par_nosync(memory).on(STREAM); \
    __VA_ARGS__; \
  } catch (...) { \
    return cudaErrorUnknown; \
  } \
  return cudaGetLastError()
#define IN(T) ((const T *)a->in), ((const T *)a->in + a->count)
#define KEYS(K) ((const K *)a->keys), ((const K *)a->keys + a->count)
#define STORE(to, value) store_kernel<<<1, 1, 0, STREAM>>>(to, value)
#define STORE_COUNT(count) STORE(COUNTS, (unsigned long long)(count))

// No operator of Thrust, so that its merge sort runs.
struct own_less {
  template<class T> __host__ __device__ bool operator()(const T &x, const T &y) const { return x < y; }
};

template<class T> static int fill(ARGUMENTS) {
  const unsigned char value[8] = {0x35, 0x3a, 0x11, 0x3c, 0x52, 0x0f, 0x77, 0x3f}; // of cells
  T filled;
  memcpy(&filled, value, sizeof filled);
  CALL(thrust::fill_n(with, (T *)a->out, a->count, filled));
}
template<class T> static int sequence(ARGUMENTS) { CALL(thrust::sequence(with, (T *)a->out, (T *)a->out + a->count)); }
template<class T> static int negate(ARGUMENTS) {
  CALL(thrust::transform(with, IN(T), (T *)a->out, thrust::negate<T>()));
}
template<class T> static int difference(ARGUMENTS) { CALL(thrust::adjacent_difference(with, IN(T), (T *)a->out)); }
template<class T> static int count_if(ARGUMENTS) {
  CALL(STORE_COUNT(thrust::count_if(with, IN(T), below<T>{scalar_of<T>(a->scalar)})));
}
template<class T, class F> static int reduce(ARGUMENTS) {
  CALL(STORE((T *)a->out, thrust::reduce(with, IN(T), T(), F())));
}
template<class T> static int inclusive(ARGUMENTS) { CALL(thrust::inclusive_scan(with, IN(T), (T *)a->out)); }
template<class T> static int exclusive(ARGUMENTS) { CALL(thrust::exclusive_scan(with, IN(T), (T *)a->out)); }
template<class K, class T> static int inclusive_by_key(ARGUMENTS) {
  CALL(thrust::inclusive_scan_by_key(with, KEYS(K), (const T *)a->in, (T *)a->out));
}
template<class K, class T> static int reduce_by_key(ARGUMENTS) {
  CALL(const auto end = thrust::reduce_by_key(with, KEYS(K), (const T *)a->in, (K *)a->out_keys, (T *)a->out);
       STORE_COUNT(end.first - (K *)a->out_keys));
}
template<class T> static int select(ARGUMENTS) {
  CALL(T *const end = thrust::copy_if(with, IN(T), (T *)a->out, below<T>{scalar_of<T>(a->scalar)});
       STORE_COUNT(end - (T *)a->out));
}
// Both parts in one array, the second reversed from its end, as CUB has them.
template<class T> static int partition(ARGUMENTS) {
  CALL(const auto ends = thrust::partition_copy(with, IN(T), (T *)a->out,
           thrust::make_reverse_iterator((T *)a->out + a->count), below<T>{scalar_of<T>(a->scalar)});
       STORE_COUNT(ends.first - (T *)a->out));
}
template<class K> static int merge(ARGUMENTS) {
  CALL(thrust::merge(with, KEYS(K), (const K *)a->keys2, (const K *)a->keys2 + a->count2, (K *)a->out_keys));
}
// Sorts in place: the keys are copied first.
template<class K, class F> static int sort(ARGUMENTS) {
  CALL(cudaMemcpyAsync(a->out_keys, a->keys, a->count * sizeof(K), cudaMemcpyDeviceToDevice, STREAM);
       thrust::sort(with, (K *)a->out_keys, (K *)a->out_keys + a->count, F()));
}
template<class K> static int unique(ARGUMENTS) {
  CALL(K *const end = thrust::unique_copy(with, KEYS(K), (K *)a->out_keys); STORE_COUNT(end - (K *)a->out_keys));
}

gp_peer_fn gp_more_find_thrust(const gp_peer_cell *c) {
  if (!c->plain) return NULL; // checks have a reference in peers.cu, or the host back end
  if (IS(fill) && is(c->out, "u32")) return fill<u32>;
  if (IS(iota) && is(c->out, "u32")) return sequence<u32>;
  if (IS(transform) && is(c->op, "NEGATE") && is(c->in, "f32") && is(c->out, "f32")) return negate<f32>;
  if (IS(adjacent_difference) && is(c->op, "SUB") && is(c->in, "f32") && is(c->out, "f32")) return difference<f32>;
  if (IS(count_if) && is(c->in, "u32") && c->keep < 100) return count_if<u32>;
#define SUM(T) \
  if (IS(reduce) && folds_in(c, "SUM", #T)) return reduce<T, thrust::plus<T>>
  SUM(u8);
  SUM(u16);
  SUM(u32);
  SUM(u64);
  SUM(f32);
#undef SUM
  if (IS(reduce) && folds_in(c, "MAX", "u32")) return reduce<u32, thrust::maximum<u32>>;
  if (IS(inclusive_scan) && folds_in(c, "SUM", "f32")) return inclusive<f32>;
  if (IS(exclusive_scan) && folds_in(c, "SUM", "f32")) return exclusive<f32>;
  if (IS(inclusive_scan_by_key) && folds_in(c, "SUM", "f32") && is(c->key, "u32") && is(c->form, "keys"))
    return inclusive_by_key<u32, f32>;
  if (IS(reduce_by_key) && folds_in(c, "SUM", "f32") && is(c->key, "u32") && is(c->form, "keys"))
    return reduce_by_key<u32, f32>;
  if (IS(select) && selects_by_predicate(c, "u32")) return select<u32>;
  if (IS(partition) && selects_by_predicate(c, "u32")) return partition<u32>;
  if (IS(merge) && is(c->in, "u32") && is(c->payload, "")) return merge<u32>;
  if (IS(sort) && keys_are(c, "u32")) return sort<u32, thrust::less<u32>>;
  if (IS(merge_sort) && keys_are(c, "u32")) return sort<u32, own_less>;
  if (IS(unique) && is(c->in, "u32") && is(c->payload, "")) return unique<u32>;
  return NULL;
}

#else // ---- CUDPP ----------------------------------------------------------------------------------------------------

#include <cudpp.h>

// The plan of an algorithm for n elements; plans stay, as CUDPP's users keep them.
static CUDPPHandle plan_of(
    CUDPPAlgorithm algorithm, CUDPPOperator op, CUDPPDatatype type, unsigned options, uint64_t n) {
  static CUDPPHandle library;
  static std::map<std::tuple<int, int, int, unsigned, uint64_t>, CUDPPHandle> plans;
  CUDPPConfiguration config;
  memset(&config, 0, sizeof config);
  config.algorithm = algorithm, config.op = op, config.datatype = type, config.options = options;
  if (!library && cudppCreate(&library) != CUDPP_SUCCESS) throw std::bad_alloc();
  CUDPPHandle &plan = plans[{algorithm, op, type, options, n}];
  if (!plan && cudppPlan(library, &plan, config, n, 1, 0) != CUDPP_SUCCESS) throw std::bad_alloc();
  return plan;
}
// CUDPP launches in the default stream, which waits for `stream` before and for which `stream` waits behind.
static void one_waits_for_the_other(cudaStream_t one, cudaStream_t other) {
  static cudaEvent_t event;
  if (!event) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(one, event, 0);
}
#define CALL(...) \
  NO_WORKSPACE; \
  CUDPPResult code; \
  try { \
    one_waits_for_the_other(cudaStreamLegacy, STREAM); \
    code = __VA_ARGS__; \
    one_waits_for_the_other(STREAM, cudaStreamLegacy); \
  } catch (...) { \
    return cudaErrorUnknown; \
  } \
  return code == CUDPP_SUCCESS ? cudaGetLastError() : cudaErrorUnknown

template<CUDPPOperator OP, CUDPPDatatype TYPE> static int reduce(ARGUMENTS) {
  CALL(cudppReduce(plan_of(CUDPP_REDUCE, OP, TYPE, 0, a->count), a->out, a->in, a->count));
}
template<unsigned OPTION> static int scan(ARGUMENTS) {
  CALL(cudppScan(
      plan_of(CUDPP_SCAN, CUDPP_ADD, CUDPP_FLOAT, OPTION | CUDPP_OPTION_FORWARD, a->count), a->out, a->in, a->count));
}
static int segmented_scan(ARGUMENTS) { // by flags of 4 bytes
  const unsigned options = CUDPP_OPTION_INCLUSIVE | CUDPP_OPTION_FORWARD;
  CALL(cudppSegmentedScan(plan_of(CUDPP_SEGMENTED_SCAN, CUDPP_ADD, CUDPP_FLOAT, options, a->count), a->out, a->in,
      (const unsigned *)a->keys, a->count));
}
static int compact(ARGUMENTS) { // by flags of 4 bytes
  CALL(cudppCompact(plan_of(CUDPP_COMPACT, CUDPP_ADD, CUDPP_UINT, CUDPP_OPTION_FORWARD, a->count), a->out,
      (size_t *)a->counts, a->in, (const unsigned *)a->keys, a->count));
}
// Sorts in place: the keys are copied first.
static int radix_sort(ARGUMENTS) {
  const cudaError_t copied =
      w ? cudaMemcpyAsync(a->out_keys, a->keys, a->count * sizeof(u32), cudaMemcpyDeviceToDevice, STREAM) : cudaSuccess;
  if (copied) return copied;
  CALL(cudppRadixSort(
      plan_of(CUDPP_SORT_RADIX, CUDPP_ADD, CUDPP_UINT, CUDPP_OPTION_KEYS_ONLY, a->count), a->out_keys, NULL, a->count));
}

gp_peer_fn gp_more_find_cudpp(const gp_peer_cell *c) {
  if (IS(reduce) && folds_in(c, "SUM", "f32")) return reduce<CUDPP_ADD, CUDPP_FLOAT>;
  if (IS(reduce) && folds_in(c, "MAX", "u32")) return reduce<CUDPP_MAX, CUDPP_UINT>;
  if (IS(inclusive_scan) && folds_in(c, "SUM", "f32")) return scan<CUDPP_OPTION_INCLUSIVE>;
  if (IS(exclusive_scan) && folds_in(c, "SUM", "f32")) return scan<CUDPP_OPTION_EXCLUSIVE>;
  if (IS(inclusive_scan_by_key) && folds_in(c, "SUM", "f32") && is(c->key, "u32") && is(c->form, "heads"))
    return segmented_scan;
  if (IS(select) && is(c->in, "u32") && is(c->key, "u32") && is(c->form, "flags")) return compact;
  if (IS(sort) && keys_are(c, "u32")) return radix_sort;
  return NULL;
}

// Applications of CUDPP that do not build today (tools/quality/libraries.py). No call here reaches them.
extern "C" {
void allocSaStorage(void *) { throw std::bad_alloc(); }
void freeSaStorage(void *) {}
void cudppSuffixArrayDispatch() { throw std::bad_alloc(); }
void allocMultiSplitStorage(void *) { throw std::bad_alloc(); }
void freeMultiSplitStorage(void *) {}
void cudppMultiSplitDispatch() { throw std::bad_alloc(); }
}

#endif
