// peers_sorting.h - parts 19 and later of peers.cu: sorts, merges, sets, top-k, shuffles and group-by with CUB and
// Thrust. Where CUB has no call, these do what its users write: a sort of indices sorts pairs with counted values,
// top-k before CUB 3.3 sorts everything and takes the first, and later sorts what DeviceTopK leaves without an order; a
// group-by sorts and reduces by key.
#ifndef GP_PEERS_SORTING_H
#define GP_PEERS_SORTING_H

#include "peers_segments.h"

// Whether this is CUB with these types of keys and values ("": no values) and this form.
[[maybe_unused]] static bool cub_keys(const gp_peer_cell *c, const char *key, const char *value, const char *form) {
  return cub_of(c, key) && is(c->payload, value) && is(c->form, form);
}

// Consecutive parts of a workspace; with workspace NULL, only their total.
struct carver {
  char *at;
  size_t used;
  explicit carver(void *workspace) : at((char *)workspace), used(0) {}
  template<class T> T *take(uint64_t count) {
    T *const taken = at ? (T *)(void *)(at + used) : NULL;
    used += (count * sizeof(T) + 511) / 256 * 256;
    return taken;
  }
  void *rest() const { return at ? at + used : NULL; }
};

[[maybe_unused]] static __global__ void count_up(u32 *out, u64 count, u64 row) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    out[i] = (u32)(row ? i % row : i);
}
[[maybe_unused]] static int start_indices(u32 *out, uint64_t count, uint64_t row, void *stream) {
  count_up<<<1056, 256, 0, STREAM>>>(out, count, row);
  return (int)cudaGetLastError();
}
template<class T> __global__ void store_kernel(T *out, T value) { *out = value; }

static inline int end_of(const gp_peer_args *a, int size) { return a->end_bit ? a->end_bit : 8 * size; }

// ---- radix sort

#if GP_PEERS_PART >= 19 && GP_PEERS_PART <= 22
#include <cub/device/device_radix_sort.cuh>

template<class K> struct radix_keys {
  static int ascending(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRadixSort::SortKeys(
        w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int)a->count, a->begin_bit, end_of(a, sizeof(K)), STREAM);
  }
  static int descending(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRadixSort::SortKeysDescending(
        w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int)a->count, a->begin_bit, end_of(a, sizeof(K)), STREAM);
  }
  // Sorts all and takes `length` from the first on; NTH: takes the one at `length`.
  template<bool DESCENDING, bool NTH> static int part(ARGUMENTS) {
    carver parts(w);
    K *const sorted = parts.take<K>(a->count);
    gp_peer_args all = *a;
    size_t rest = w ? *bytes - parts.used : 0;
    all.out_keys = sorted;
    const int code = (DESCENDING ? descending : ascending)(parts.rest(), &rest, &all, stream);
    if (!w) *bytes = rest + parts.used;
    if (code || !w) return code;
    return cudaMemcpyAsync(a->out_keys, NTH ? sorted + a->length : sorted, (NTH ? 1 : a->length) * sizeof(K),
        cudaMemcpyDeviceToDevice, STREAM);
  }
};

template<class K, class V> struct radix_pairs {
  static int ascending(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRadixSort::SortPairs(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (const V *)a->in,
        (V *)a->out, (int)a->count, a->begin_bit, end_of(a, sizeof(K)), STREAM);
  }
  static int descending(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRadixSort::SortPairsDescending(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (const V *)a->in,
        (V *)a->out, (int)a->count, a->begin_bit, end_of(a, sizeof(K)), STREAM);
  }
};

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/execution>
#include <cuda/iterator>
#include <cuda/stream_ref>
// The k largest; SORTED: then sorted.
static auto any_order(void *stream) {
  return ::cuda::std::execution::env{::cuda::stream_ref(STREAM),
      ::cuda::execution::require(
          ::cuda::execution::determinism::not_guaranteed, ::cuda::execution::output_ordering::unsorted)};
}
template<class K, bool SORTED> static int largest_keys(ARGUMENTS) {
  carver parts(w);
  K *const found = SORTED ? parts.take<K>(a->length) : (K *)a->out_keys;
  size_t first = w ? *bytes - parts.used : 0, then = first;
  CHECK_COUNT;
  int code = cub::DeviceTopK::MaxKeys(
      parts.rest(), first, (const K *)a->keys, found, (int)a->count, (int)a->length, any_order(stream));
  if (SORTED && !code)
    code = cub::DeviceRadixSort::SortKeysDescending(
        parts.rest(), then, (const K *)found, (K *)a->out_keys, (int)a->length, 0, 8 * (int)sizeof(K), STREAM);
  if (!w) *bytes = parts.used + (first > then ? first : then);
  return code;
}
template<class K, bool INDICES, bool SORTED> static int largest_pairs(ARGUMENTS) {
  carver parts(w);
  K *const keys = SORTED || !a->out_keys ? parts.take<K>(a->length) : (K *)a->out_keys;
  K *const sorted = SORTED && !a->out_keys ? parts.take<K>(a->length) : (K *)a->out_keys;
  u32 *const values = SORTED ? parts.take<u32>(a->length) : (u32 *)a->out;
  size_t first = w ? *bytes - parts.used : 0, then = first;
  int code;
  CHECK_COUNT;
  if (INDICES)
    code = cub::DeviceTopK::MaxPairs(parts.rest(), first, (const K *)a->keys, keys, ::cuda::counting_iterator<u32>(0u),
        values, (int)a->count, (int)a->length, any_order(stream));
  else
    code = cub::DeviceTopK::MaxPairs(parts.rest(), first, (const K *)a->keys, keys, (const u32 *)a->in, values,
        (int)a->count, (int)a->length, any_order(stream));
  if (SORTED && !code)
    code = cub::DeviceRadixSort::SortPairsDescending(parts.rest(), then, (const K *)keys, sorted, (const u32 *)values,
        (u32 *)a->out, (int)a->length, 0, 8 * (int)sizeof(K), STREAM);
  if (!w) *bytes = parts.used + (first > then ? first : then);
  return code;
}
#define TOP_KEYS(K) (c->sorted ? largest_keys<K, true> : largest_keys<K, false>)
#define TOP_PAIRS(K, INDICES) (c->sorted ? largest_pairs<K, INDICES, true> : largest_pairs<K, INDICES, false>)
#else
#define TOP_KEYS(K) radix_keys<K>::part<true, false>
#define TOP_PAIRS(K, INDICES) first_pairs<K, INDICES>
#endif

// Values are u32 indices, counted up in every call, as in ours.
template<class K> static int radix_indices(ARGUMENTS) {
  carver parts(w);
  u32 *const indices = parts.take<u32>(a->count);
  K *const sorted = parts.take<K>(a->count);
  gp_peer_args pairs = *a;
  size_t rest = w ? *bytes - parts.used : 0;
  pairs.in = indices;
  pairs.out_keys = sorted;
  int code = w ? start_indices(indices, a->count, 0, stream) : 0;
  if (!code) code = radix_pairs<K, u32>::ascending(parts.rest(), &rest, &pairs, stream);
  if (!w) *bytes = rest + parts.used;
  return code;
}
// The first `length` pairs; INDICES: values are counted up.
template<class K, bool INDICES> static int first_pairs(ARGUMENTS) {
  carver parts(w);
  K *const keys = parts.take<K>(a->count);
  u32 *const values = parts.take<u32>(a->count), *const indices = parts.take<u32>(INDICES ? a->count : 0);
  gp_peer_args pairs = *a;
  size_t rest = w ? *bytes - parts.used : 0;
  if (INDICES) pairs.in = indices;
  pairs.out_keys = keys;
  pairs.out = values;
  int code = w && INDICES ? start_indices(indices, a->count, 0, stream) : 0;
  if (!code) code = radix_pairs<K, u32>::descending(parts.rest(), &rest, &pairs, stream);
  if (!w) *bytes = rest + parts.used;
  if (code || !w) return code;
  if (a->out_keys) code = cudaMemcpyAsync(a->out_keys, keys, a->length * sizeof(K), cudaMemcpyDeviceToDevice, STREAM);
  if (code) return code;
  return cudaMemcpyAsync(a->out, values, a->length * sizeof(u32), cudaMemcpyDeviceToDevice, STREAM);
}

FIND_BEGIN
#define FIND_KEYS(K) \
  if (IS(sort) && cub_keys(c, #K, "", "keys") && !c->descending) return radix_keys<K>::ascending;
#define FIND_KEYS_DESCENDING(K) \
  if (IS(sort) && cub_keys(c, #K, "", "keys") && c->descending) return radix_keys<K>::descending;
#define FIND_PAIRS(K, V) \
  if (IS(sort) && cub_keys(c, #K, #V, "keys") && !c->descending) return radix_pairs<K, V>::ascending;
#if GP_PEERS_PART == 19
FIND_KEYS(u8)
FIND_KEYS(u16)
FIND_KEYS(u32)
FIND_KEYS_DESCENDING(u32)
if (IS(nth_element) && cub_of(c, "u32") && !c->descending) return radix_keys<u32>::part<false, true>;
if (IS(top_k) && c->rows == 1 && cub_keys(c, "u32", "", "keys") && c->descending) return TOP_KEYS(u32);
#elif GP_PEERS_PART == 20
FIND_KEYS(u64)
FIND_KEYS(f32)
FIND_KEYS_DESCENDING(f32)
if (IS(nth_element) && cub_of(c, "f32") && !c->descending) return radix_keys<f32>::part<false, true>;
if (IS(top_k) && c->rows == 1 && cub_keys(c, "f32", "", "keys") && c->descending) return TOP_KEYS(f32);
#elif GP_PEERS_PART == 21
FIND_PAIRS(u32, u32)
if (IS(sort) && cub_keys(c, "u32", "u32", "keys") && c->descending) return radix_pairs<u32, u32>::descending;
if (IS(sort) && cub_keys(c, "u32", "u32", "indices") && !c->descending) return radix_indices<u32>;
if (IS(top_k) && c->rows == 1 && cub_keys(c, "u32", "u32", "keys") && c->descending) return TOP_PAIRS(u32, false);
if (IS(top_k) && c->rows == 1 && cub_keys(c, "u32", "u32", "indices") && c->descending) return TOP_PAIRS(u32, true);
#else
FIND_PAIRS(u64, u32)
FIND_PAIRS(u32, u64)
FIND_PAIRS(u64, u64)
if (IS(sort) && cub_keys(c, "u64", "u32", "indices") && !c->descending) return radix_indices<u64>;
#endif
FIND_END
#endif

// ---- merge sort and merge

#if GP_PEERS_PART == 23 || GP_PEERS_PART == 24
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>

struct less_than {
  template<class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};
template<class K> static int merge_sort_keys(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceMergeSort::SortKeysCopy(
      w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int)a->count, less_than{}, STREAM);
}
template<class K, class V> static int merge_sort_pairs(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceMergeSort::SortPairsCopy(w, *bytes, (const K *)a->keys, (const V *)a->in, (K *)a->out_keys,
      (V *)a->out, (int)a->count, less_than{}, STREAM);
}
template<class K> static int merge_keys(ARGUMENTS) {
  return cub::DeviceMerge::MergeKeys(w, *bytes, (const K *)a->keys, (int64_t)a->count, (const K *)a->keys2,
      (int64_t)a->count2, (K *)a->out_keys, less_than{}, STREAM);
}
template<class K, class V> static int merge_pairs(ARGUMENTS) {
  return cub::DeviceMerge::MergePairs(w, *bytes, (const K *)a->keys, (const V *)a->in, (int64_t)a->count,
      (const K *)a->keys2, (const V *)a->in2, (int64_t)a->count2, (K *)a->out_keys, (V *)a->out, less_than{}, STREAM);
}
FIND_BEGIN
#if GP_PEERS_PART == 23
if (IS(merge_sort) && cub_keys(c, "u32", "", "keys")) return merge_sort_keys<u32>;
if (IS(merge_sort) && cub_keys(c, "u64", "", "keys")) return merge_sort_keys<u64>;
if (IS(merge_sort) && cub_keys(c, "u32", "u32", "keys")) return merge_sort_pairs<u32, u32>;
#else
if (IS(merge) && cub_of(c, "u32") && is(c->payload, "")) return merge_keys<u32>;
if (IS(merge) && cub_of(c, "u64") && is(c->payload, "")) return merge_keys<u64>;
if (IS(merge) && cub_of(c, "u32") && is(c->payload, "u32")) return merge_pairs<u32, u32>;
if (IS(merge) && cub_of(c, "u64") && is(c->payload, "u64")) return merge_pairs<u64, u64>;
#endif
FIND_END
#endif

// ---- segments, and rows of top-k

#if GP_PEERS_PART == 25 || GP_PEERS_PART == 26
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#define OFFSETS (const u32 *)a->begin, (const u32 *)a->begin + 1
template<class K> struct segmented_keys {
  static int sort(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedSort::StableSortKeys(
        w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int64_t)a->count, (int64_t)a->segments, OFFSETS, STREAM);
  }
  static int radix(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedRadixSort::SortKeys(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int64_t)a->count,
        (int64_t)a->segments, OFFSETS, 0, 8 * (int)sizeof(K), STREAM);
  }
};
template<class K, class V> struct segmented_pairs {
  static int sort(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedSort::StableSortPairs(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (const V *)a->in,
        (V *)a->out, (int64_t)a->count, (int64_t)a->segments, OFFSETS, STREAM);
  }
  static int radix(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedRadixSort::SortPairs(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (const V *)a->in,
        (V *)a->out, (int64_t)a->count, (int64_t)a->segments, OFFSETS, 0, 8 * (int)sizeof(K), STREAM);
  }
};

struct row_start {
  long long length;
  __host__ __device__ long long operator()(long long i) const { return i * length; }
};
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cuda/execution>
#include <cuda/iterator>
#include <cuda/stream_ref>
template<class T> struct rows_of { // a row's first element
  T *base;
  const u32 *begin;
  long long length;
  __host__ __device__ T *operator()(long long i) const { return base + (begin ? begin[i] : i * length); }
};
template<class T> static auto rows_at(T *base, const u32 *begin, uint64_t length) {
  return thrust::make_transform_iterator(
      thrust::make_counting_iterator(0ll), rows_of<T>{base, begin, (long long)length});
}
struct end_of_row { // of a row's results
  const u32 *begin;
  long long k;
  __host__ __device__ long long operator()(long long i) const {
    const long long n = begin ? (long long)begin[i + 1] - (long long)begin[i] : k;
    return i * k + (n < k ? n : k);
  }
};
struct size_of_row {
  const u32 *begin;
  __host__ __device__ int operator()(long long i) const { return (int)(begin[i + 1] - begin[i]); }
};
// MOST: the longest segment that the kernel is compiled for. Its results have no order; SORTED: a sort follows.
template<class K, int MOST, bool FIXED, bool SORTED>
static int largest_of_rows(
    void *w, size_t *bytes, const gp_peer_args *a, uint64_t rows, uint64_t length, uint64_t k, void *stream) {
  const u32 *const begin = FIXED ? NULL : (const u32 *)a->begin;
  carver parts(w);
  K *const found = SORTED ? parts.take<K>(rows * k) : (K *)a->out_keys;
  size_t first = w ? *bytes - parts.used : 0, then = first;
  const auto from = rows_at((const K *)a->keys, begin, length);
  const auto to = rows_at(found, NULL, k);
  const auto on = ::cuda::std::execution::env{::cuda::stream_ref(STREAM),
      ::cuda::execution::require(::cuda::execution::determinism::not_guaranteed,
          ::cuda::execution::tie_break::unspecified, ::cuda::execution::output_ordering::unsorted)};
  const auto most = ::cuda::args::immediate{(int64_t)k};
  const auto all = ::cuda::args::immediate{(int64_t)rows};
  const auto numbers = thrust::make_counting_iterator(0ll);
  int code;
  if constexpr (FIXED)
    code = cub::DeviceBatchedTopK::MaxKeys(parts.rest(), first, from, to,
        ::cuda::args::immediate{(int)length, ::cuda::args::bounds<0, MOST>()}, most, all, on);
  else
    code = cub::DeviceBatchedTopK::MaxKeys(parts.rest(), first, from, to,
        ::cuda::args::deferred_sequence{
            thrust::make_transform_iterator(numbers, size_of_row{begin}), ::cuda::args::bounds<0, MOST>()},
        most, all, on);
  if (SORTED && !code)
    code = cub::DeviceSegmentedSort::SortKeysDescending(parts.rest(), then, (const K *)found, (K *)a->out_keys,
        (int64_t)(rows * k), (int64_t)rows, thrust::make_transform_iterator(numbers, row_start{(long long)k}),
        thrust::make_transform_iterator(numbers, end_of_row{begin, (long long)k}), STREAM);
  if (!w) *bytes = parts.used + (first > then ? first : then);
  return code;
}
template<class K, bool SORTED> static int first_of_rows(ARGUMENTS) {
  const uint64_t n = a->count;
  if (n <= 1024) return largest_of_rows<K, 1024, true, SORTED>(w, bytes, a, a->segments, n, a->length, stream);
  if (n <= 1 << 17) return largest_of_rows<K, 1 << 17, true, SORTED>(w, bytes, a, a->segments, n, a->length, stream);
  return GP_PEER_UNSUPPORTED;
}
template<class K, bool FIXED> static int first_of_segments(ARGUMENTS) {
  const uint64_t n = a->count / (a->segments ? a->segments : 1);
  if (!a->segments) return GP_PEER_UNSUPPORTED; // rows along another axis than the last
  if (!FIXED) return largest_of_rows<K, 1 << 21, false, true>(w, bytes, a, a->segments, 0, a->length, stream);
  if (n <= 1024) return largest_of_rows<K, 1024, true, true>(w, bytes, a, a->segments, n, a->length, stream);
  if (n <= 1 << 17) return largest_of_rows<K, 1 << 17, true, true>(w, bytes, a, a->segments, n, a->length, stream);
  return GP_PEER_UNSUPPORTED;
}
#else
template<class K, bool> static int first_of_rows(ARGUMENTS) {
  const uint64_t all = a->count * a->segments;
  const auto begin =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), row_start{(long long)a->count});
  carver parts(w);
  K *const sorted = parts.take<K>(all);
  size_t rest = w ? *bytes - parts.used : 0;
  const int code = cub::DeviceSegmentedSort::SortKeysDescending(
      parts.rest(), rest, (const K *)a->keys, sorted, (int64_t)all, (int64_t)a->segments, begin, begin + 1, STREAM);
  if (!w) *bytes = rest + parts.used;
  if (code || !w) return code;
  return cudaMemcpy2DAsync(a->out_keys, a->length * sizeof(K), sorted, a->count * sizeof(K), a->length * sizeof(K),
      a->segments, cudaMemcpyDeviceToDevice, STREAM);
}
// CUB before 3.5 has no top-k of segments: all are sorted, and the first k of each copied.
template<class K>
static __global__ void copy_first(
    const K *sorted, const u32 *begin, uint64_t length, uint64_t segments, uint64_t k, K *out) {
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t s = (uint64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; s < segments; s += warps) {
    const uint64_t first = begin ? begin[s] : s * length, n = begin ? begin[s + 1] - first : length;
    for (uint64_t i = threadIdx.x % 32; i < k && i < n; i += 32) out[s * k + i] = sorted[first + i];
  }
}
template<class K, bool FIXED> static int first_of_segments(ARGUMENTS) {
  const uint64_t length = a->count / (a->segments ? a->segments : 1);
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), row_start{(long long)length});
  carver parts(w);
  K *const sorted = parts.take<K>(a->count);
  size_t rest = w ? *bytes - parts.used : 0;
  int code;
  if (!a->segments) return GP_PEER_UNSUPPORTED; // rows along another axis than the last
  if (FIXED)
    code = cub::DeviceSegmentedSort::SortKeysDescending(parts.rest(), rest, (const K *)a->keys, sorted,
        (int64_t)a->count, (int64_t)a->segments, rows, rows + 1, STREAM);
  else
    code = cub::DeviceSegmentedSort::SortKeysDescending(
        parts.rest(), rest, (const K *)a->keys, sorted, (int64_t)a->count, (int64_t)a->segments, OFFSETS, STREAM);
  if (!w) *bytes = rest + parts.used;
  if (code || !w) return code;
  copy_first<<<1024, 256, 0, STREAM>>>(
      sorted, FIXED ? (const u32 *)NULL : (const u32 *)a->begin, length, a->segments, a->length, (K *)a->out_keys);
  return cudaGetLastError();
}
#endif
template<class K> static int sort_rows(ARGUMENTS) {
  const auto begin =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), row_start{(long long)a->length});
  if (!a->segments) return GP_PEER_UNSUPPORTED; // rows along another axis than the last
  CHECK_COUNT;
  return cub::DeviceSegmentedSort::StableSortKeys(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (int64_t)a->count,
      (int64_t)a->segments, begin, begin + 1, STREAM);
}
FIND_BEGIN
#define FIND_ROWS(K) \
  if (IS(sort_axis) && is(c->peer, "cub") && is(c->in, #K) && is(c->form, "keys") && !c->descending) \
    return sort_rows<K>; \
  if (IS(top_k_axis) && is(c->peer, "cub") && is(c->in, #K) && is(c->form, "keys") && c->descending) \
    return first_of_segments<K, true>;
#define FIND_SEGMENTED_TOP_K(K) \
  if (IS(segmented_top_k) && is(c->peer, "cub") && is(c->in, #K) && is(c->payload, "") && c->descending) { \
    if (is(c->form, "fixed")) return first_of_segments<K, true>; \
    if (is(c->offsets, "u32")) return first_of_segments<K, false>; \
  }
#define FIND_SEGMENTED_SORT(K, payload_, ...) \
  if (IS(segmented_sort) && is(c->in, #K) && is(c->payload, payload_) && is(c->form, "keys") && \
      is(c->offsets, "u32") && !c->descending) { \
    if (is(c->peer, "cub")) return __VA_ARGS__::sort; \
    if (is(c->peer, "cub_radix")) return __VA_ARGS__::radix; \
  }
#if GP_PEERS_PART == 25
FIND_SEGMENTED_SORT(u32, "", segmented_keys<u32>)
FIND_SEGMENTED_SORT(u64, "", segmented_keys<u64>)
FIND_SEGMENTED_TOP_K(u32)
FIND_ROWS(u32)
if (IS(top_k) && c->rows > 1 && cub_keys(c, "u32", "", "keys") && c->descending)
  return c->sorted ? first_of_rows<u32, true> : first_of_rows<u32, false>;
#else
FIND_SEGMENTED_SORT(u32, "u32", segmented_pairs<u32, u32>)
FIND_SEGMENTED_TOP_K(f32)
FIND_ROWS(f32)
if (IS(top_k) && c->rows > 1 && cub_keys(c, "f32", "", "keys") && c->descending)
  return c->sorted ? first_of_rows<f32, true> : first_of_rows<f32, false>;
#endif
FIND_END
#endif

// ---- group by

#if GP_PEERS_PART == 27
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

template<class K, class T> static int group_by(ARGUMENTS) {
  CHECK_COUNT;
  carver parts(w);
  K *const keys = parts.take<K>(a->count);
  T *const values = parts.take<T>(a->count);
  size_t sort_bytes = 0, reduce_bytes = 0, rest;
  int code = cub::DeviceRadixSort::SortPairs(NULL, sort_bytes, (const K *)a->keys, keys, (const T *)a->in, values,
      (int)a->count, 0, 8 * (int)sizeof(K), STREAM);
  if (!code)
    code = cub::DeviceReduce::ReduceByKey(NULL, reduce_bytes, keys, (K *)a->out_keys, values, (T *)a->out, COUNTS,
        ::cuda::std::plus<T>{}, (int)a->count, STREAM);
  rest = sort_bytes > reduce_bytes ? sort_bytes : reduce_bytes;
  if (!w) *bytes = parts.used + rest;
  if (code || !w) return code;
  code = cub::DeviceRadixSort::SortPairs(parts.rest(), rest, (const K *)a->keys, keys, (const T *)a->in, values,
      (int)a->count, 0, 8 * (int)sizeof(K), STREAM);
  if (code) return code;
  return cub::DeviceReduce::ReduceByKey(parts.rest(), rest, keys, (K *)a->out_keys, values, (T *)a->out, COUNTS,
      ::cuda::std::plus<T>{}, (int)a->count, STREAM);
}
#define FIND_GROUP_BY(K, T) \
  if (IS(group_by) && cub_sum_of(c, #T) && is(c->key, #K)) return group_by<K, T>;
FIND_BEGIN
FIND_GROUP_BY(u32, u32)
FIND_GROUP_BY(u32, f32)
FIND_GROUP_BY(u64, u64)
FIND_END
#endif

// ---- Thrust

#if GP_PEERS_PART == 28
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>

// Memory that is kept between calls, as Thrust's users do for timing.
struct kept_memory {
  typedef char value_type;
  struct block {
    char *at;
    size_t bytes;
    bool used;
  };
  static block *blocks() {
    static block all[64];
    return all;
  }
  char *allocate(std::ptrdiff_t bytes) {
    block *fresh = NULL;
    for (block *b = blocks(); b < blocks() + 64; b++) {
      if (b->at && !b->used && b->bytes >= (size_t)bytes) return b->used = true, b->at;
      if (!b->at && !fresh) fresh = b;
    }
    if (!fresh || cudaMalloc((void **)&fresh->at, bytes)) throw std::bad_alloc();
    fresh->bytes = bytes;
    fresh->used = true;
    return fresh->at;
  }
  void deallocate(char *at, size_t) {
    for (block *b = blocks(); b < blocks() + 64; b++)
      if (b->at == at) b->used = false;
  }
};
#define POLICY thrust::cuda::par_nosync(memory).on(STREAM)

// OPERATION: on keys; on keys and values.
enum { UNION, INTERSECTION, DIFFERENCE, SYMMETRIC_DIFFERENCE };
template<class K, int OPERATION> static int set_of_keys(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const K *x = (const K *)a->keys, *x_end = x + a->count, *y = (const K *)a->keys2, *y_end = y + a->count2;
  K *out = (K *)a->out_keys, *end;
  try {
    end = OPERATION == UNION ? thrust::set_union(POLICY, x, x_end, y, y_end, out)
        : OPERATION == INTERSECTION ? thrust::set_intersection(POLICY, x, x_end, y, y_end, out)
        : OPERATION == DIFFERENCE ? thrust::set_difference(POLICY, x, x_end, y, y_end, out)
        : thrust::set_symmetric_difference(POLICY, x, x_end, y, y_end, out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  store_kernel<<<1, 1, 0, STREAM>>>(COUNTS, (unsigned long long)(end - out));
  return cudaGetLastError();
}
template<class K> static int check_sorted(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const K *const end = (const K *)a->keys + a->count, *sorted;
  try {
    sorted = thrust::is_sorted_until(POLICY, (const K *)a->keys, end);
  } catch (...) {
    return cudaErrorUnknown;
  }
  store_kernel<<<1, 1, 0, STREAM>>>(COUNTS, sorted == end ? ~0ull : (unsigned long long)(sorted - (const K *)a->keys));
  return cudaGetLastError();
}
// Its permutation differs from ours: there is nothing to compare.
template<class T> static int shuffle(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  try {
    thrust::shuffle_copy(
        POLICY, (const T *)a->in, (const T *)a->in + a->count, (T *)a->out, thrust::default_random_engine(12345));
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
template<class T> static int reverse(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  try {
    thrust::reverse_copy(POLICY, (const T *)a->in, (const T *)a->in + a->count, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
// Searches for the first element. Thrust hands the result to the host; it is stored from there.
template<class T> struct less_than {
  T scalar;
  __host__ __device__ bool operator()(const T &x) const { return x < scalar; }
};
enum { FIRST, ANY, ALL, MISMATCH, EQUAL_ARRAYS, PARTITIONED };
template<class T, int OPERATION> static int find_first(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const T *const in = (const T *)a->in, *const end = in + a->count, *const in2 = (const T *)a->in2;
  unsigned long long result;
  less_than<T> predicate = {T()};
  if (a->scalar) memcpy(&predicate.scalar, a->scalar, sizeof predicate.scalar);
  try {
    result = OPERATION == FIRST ? (unsigned long long)(thrust::find_if(POLICY, in, end, predicate) - in)
        : OPERATION == ANY ? thrust::any_of(POLICY, in, end, predicate)
        : OPERATION == ALL ? thrust::all_of(POLICY, in, end, predicate)
        : OPERATION == PARTITIONED ? thrust::is_partitioned(POLICY, in, end, predicate)
        : OPERATION == MISMATCH ? (unsigned long long)(thrust::mismatch(POLICY, in, end, in2).first - in)
        : thrust::equal(POLICY, in, end, in2);
  } catch (...) {
    return cudaErrorUnknown;
  }
  if (OPERATION == FIRST || OPERATION == MISMATCH) store_kernel<<<1, 1, 0, STREAM>>>(COUNTS, result);
  else if (cudaMemsetAsync(a->out, (int)result, 1, STREAM)) return cudaErrorUnknown;
  return cudaGetLastError();
}
// `place` takes elements to their indices, `fetch` from there.
template<class T> static int place(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const T *const in = (const T *)a->in;
  try {
    thrust::scatter(POLICY, in, in + a->count, (const u32 *)a->in2, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
template<class T> static int fetch(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const u32 *const index = (const u32 *)a->in2;
  try {
    thrust::gather(POLICY, index, index + a->count, (const T *)a->in, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
// The same where a flag is set.
template<class T> static int place_if(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const T *const in = (const T *)a->in;
  try {
    thrust::scatter_if(POLICY, in, in + a->count, (const u32 *)a->in2, (const u8 *)a->keys, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
template<class T> static int fetch_if(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const u32 *const index = (const u32 *)a->in2;
  try {
    thrust::gather_if(POLICY, index, index + a->count, (const u8 *)a->keys, (const T *)a->in, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
template<class T> static int replace_if(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const T *const in = (const T *)a->in;
  const unsigned char value[8] = {0x35, 0x3a, 0x11, 0x3c, 0x52, 0x0f, 0x77, 0x3f}; // of cells
  less_than<T> predicate = {T()};
  T replaced;
  memcpy(&replaced, value, sizeof replaced);
  if (a->scalar) memcpy(&predicate.scalar, a->scalar, sizeof predicate.scalar);
  try {
    thrust::replace_copy_if(POLICY, in, in + a->count, (T *)a->out, predicate, replaced);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
// Thrust gives the elements' addresses to the host.
template<class T> static __global__ void store_both(T *out, const T *least, const T *greatest) {
  out[0] = *least, out[1] = *greatest;
}
template<class T> static int minmax(ARGUMENTS) {
  NO_WORKSPACE;
  kept_memory memory;
  const T *const in = (const T *)a->in;
  try {
    const auto found = thrust::minmax_element(POLICY, in, in + a->count);
    store_both<T><<<1, 1, 0, STREAM>>>((T *)a->out, found.first, found.second);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
static __global__ void store_last(unsigned long long *out, const u32 *last) { *out = *last; }
// As users write it with Thrust: the runs' numbers scattered to their first elements, a running maximum, a gather.
struct has_elements {
  const u32 *offsets;
  __host__ __device__ bool operator()(u32 run) const { return offsets[run] < offsets[run + 1]; }
};
template<class T, bool BY_LENGTHS> static int expand(ARGUMENTS) {
  const size_t runs = (size_t)a->segments;
  kept_memory memory;
  if (!w) return *bytes = (a->count + runs + 1) * sizeof(u32), 0;
  u32 *const run_of = (u32 *)w, *const scanned = run_of + a->count;
  const u32 *const offsets = BY_LENGTHS ? scanned : (const u32 *)a->begin, *const lengths = (const u32 *)a->begin;
  const auto first = thrust::make_counting_iterator(0u);
  try {
    if (BY_LENGTHS) {
      cudaMemsetAsync(scanned, 0, sizeof(u32), STREAM);
      thrust::inclusive_scan(POLICY, lengths, lengths + runs, scanned + 1);
      store_last<<<1, 1, 0, STREAM>>>(COUNTS, scanned + runs);
    }
    cudaMemsetAsync(run_of, 0, a->count * sizeof(u32), STREAM);
    thrust::scatter_if(POLICY, first, first + (u32)runs, offsets, first, run_of, has_elements{offsets});
    thrust::inclusive_scan(POLICY, run_of, run_of + a->count, run_of, thrust::maximum<u32>());
    thrust::gather(POLICY, run_of, run_of + a->count, (const T *)a->in, (T *)a->out);
  } catch (...) {
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}
FIND_BEGIN
#define FIND_EXPAND(T) \
  if (is(c->peer, "thrust") && is(c->in, #T) && is(c->offsets, "u32")) { \
    if (IS(expand)) return expand<T, false>; \
    if (IS(run_length_expand)) return expand<T, true>; \
  }
FIND_EXPAND(u8)
FIND_EXPAND(u32)
FIND_EXPAND(u64)
#define FIND_SETS(K) \
  if (is(c->peer, "thrust") && is(c->in, #K) && is(c->payload, "")) { \
    if (IS(set_union)) return set_of_keys<K, UNION>; \
    if (IS(set_intersection)) return set_of_keys<K, INTERSECTION>; \
    if (IS(set_difference)) return set_of_keys<K, DIFFERENCE>; \
    if (IS(set_symmetric_difference)) return set_of_keys<K, SYMMETRIC_DIFFERENCE>; \
    if (IS(is_sorted)) return check_sorted<K>; \
    if (IS(shuffle) && c->plain) return shuffle<K>; \
    if (IS(reverse) && c->plain) return reverse<K>; \
    if (IS(find_if) && c->keep < 100) return find_first<K, FIRST>; \
    if (IS(any) && c->keep < 100) return find_first<K, ANY>; \
    if (IS(all) && c->keep < 100) return find_first<K, ALL>; \
    if (IS(mismatch)) return find_first<K, MISMATCH>; \
    if (IS(is_partitioned) && c->keep < 100) return find_first<K, PARTITIONED>; \
    if (IS(scatter) && is(c->form, "")) return place<K>; \
    if (IS(gather) && is(c->form, "")) return fetch<K>; \
    if (IS(scatter) && is(c->form, "flags") && is(c->key, "u8")) return place_if<K>; \
    if (IS(gather) && is(c->form, "flags") && is(c->key, "u8")) return fetch_if<K>; \
    if (IS(replace) && c->keep < 100) return replace_if<K>; \
    if (IS(reduce) && is(c->op, "MINMAX")) return minmax<K>; \
    if (IS(equal_arrays)) return find_first<K, EQUAL_ARRAYS>; \
  }
FIND_SETS(u32)
FIND_SETS(u64)
FIND_END
#endif

#endif
