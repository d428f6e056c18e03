// peers_segments.h - parts 5 and later of peers.cu: runs, segments, selection, histograms and searches with CUB and
// Thrust. A line of a FIND costs seconds of compilation, so each part compiles only what the cells of tools/bench.py
// ask for.
#ifndef GP_PEERS_SEGMENTS_H
#define GP_PEERS_SEGMENTS_H

#define ARGUMENTS void *w, size_t *bytes, const gp_peer_args *a, void *stream
#define STREAM ((cudaStream_t)stream)
// Counts below 2^31 go in as int, as CUB's users write it; larger counts are not compiled.
#define CHECK_COUNT \
  if (a->count > INT_MAX || a->segments > INT_MAX) return GP_PEER_UNSUPPORTED
#define NO_WORKSPACE \
  if (!w) return *bytes = 0, 0
#define IS(primitive_) is(c->primitive, #primitive_)
#define COUNTS ((unsigned long long *)a->counts)

#define GP_PEERS_NAME(part) gp_peers_find_##part
#define GP_PEERS_NAMED(part) GP_PEERS_NAME(part)
#define FIND_BEGIN gp_peer_fn GP_PEERS_NAMED(GP_PEERS_PART)(const gp_peer_cell *c) {
#define FIND_END \
  return NULL; \
  }

[[maybe_unused]] static bool cub_of(const gp_peer_cell *c, const char *in) {
  return is(c->peer, "cub") && is(c->in, in);
}
// A sum in the type of its elements.
[[maybe_unused]] static bool cub_sum_of(const gp_peer_cell *c, const char *in) {
  return cub_of(c, in) && is(c->op, "SUM") && is(c->acc, in) && is(c->out, in);
}

struct equal {
  template<class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a == b; }
  __host__ __device__ bool operator()(const s16 &a, const s16 &b) const { return a.x == b.x && a.y == b.y; }
};
// Keys are flags: the second key continues the first one's run unless it is a head.
struct same_segment {
  __host__ __device__ bool operator()(u8, u8 b) const { return !b; }
};

// An element as a number for comparison, and the scalar in that type.
template<class T> struct compared {
  typedef T type;
  static __host__ __device__ T of(const T &x) { return x; }
};
template<> struct compared<s16> {
  typedef double type;
  static __host__ __device__ double of(const s16 &x) { return x.x; }
};
template<class T> struct below {
  typename compared<T>::type scalar;
  __host__ __device__ bool operator()(const T &x) const { return compared<T>::of(x) < scalar; }
};
// A part's contents; parts are numbered, up to `last`. For checking, where another branch does not matter.
template<class T> struct in_part {
  typename compared<T>::type first, second;
  int part, last, all, all2; // all: the predicate is "at most"
  __host__ __device__ bool operator()(const T &x) const {
    const auto value = compared<T>::of(x);
    const bool one = all ? value <= first : value < first, two = all2 ? value <= second : value < second;
    const int mine = one ? 0 : last == 2 && !two ? 2 : 1;
    return mine == part;
  }
};
template<class T> static typename compared<T>::type scalar_of(const void *at) {
  typename compared<T>::type value;
  memcpy(&value, at, sizeof value);
  return value;
}

// ---- segmented reduce

#if GP_PEERS_PART == 5
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct times_length {
  long long length;
  __host__ __device__ long long operator()(long long i) const { return i * length; }
};
template<class T, class O> struct segmented {
  static int offsets(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedReduce::Sum(w, *bytes, (const T *)a->in, (T *)a->out, (long long)a->segments,
        (const O *)a->begin, (const O *)a->begin + 1, STREAM);
  }
  static int ends(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSegmentedReduce::Sum(w, *bytes, (const T *)a->in, (T *)a->out, (long long)a->segments,
        (const O *)a->begin, (const O *)a->end, STREAM);
  }
  // CUB before 3.1 has no call for a fixed length: offsets are computed, not read.
  static int fixed(ARGUMENTS) {
    if (!a->length) return GP_PEER_UNSUPPORTED; // rows along another axis than the last
#if CUB_VERSION >= 300100
    if (a->length > INT_MAX) return GP_PEER_UNSUPPORTED;
    return cub::DeviceSegmentedReduce::Sum(
        w, *bytes, (const T *)a->in, (T *)a->out, (int64_t)a->segments, (int)a->length, STREAM);
#else
    const auto begin =
        thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), times_length{(long long)a->length});
    CHECK_COUNT;
    return cub::DeviceSegmentedReduce::Sum(
        w, *bytes, (const T *)a->in, (T *)a->out, (long long)a->segments, begin, begin + 1, STREAM);
#endif
  }
};
#define FIND_SEGMENTED(T) \
  if (IS(reduce_axis) && cub_sum_of(c, #T)) return segmented<T, u32>::fixed; \
  if (IS(segmented_reduce) && cub_sum_of(c, #T)) { \
    if (is(c->form, "fixed")) return segmented<T, u32>::fixed; \
    if (is(c->offsets, "u32") || is(c->offsets, "i32")) \
      return is(c->form, "ends") ? segmented<T, u32>::ends : segmented<T, u32>::offsets; \
  }
FIND_BEGIN
FIND_SEGMENTED(f32)
FIND_SEGMENTED(u32)
FIND_SEGMENTED(u64)
FIND_END
#endif

// ---- scans by key

#if GP_PEERS_PART == 6 || GP_PEERS_PART == 7
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct row_of {
  long long length;
  __host__ __device__ long long operator()(long long i) const { return i / length; }
};
template<class T> static int scan_rows(ARGUMENTS) {
  if (!a->length) return GP_PEER_UNSUPPORTED; // rows along another axis than the last
  const auto row = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), row_of{(long long)a->length});
  CHECK_COUNT;
  return cub::DeviceScan::InclusiveSumByKey(
      w, *bytes, row, (const T *)a->in, (T *)a->out, (int)a->count, cuda::std::equal_to<>{}, STREAM);
}
template<class K, class T, class E> struct scan_by_key {
  static int inclusive(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceScan::InclusiveSumByKey(
        w, *bytes, (const K *)a->keys, (const T *)a->in, (T *)a->out, (int)a->count, E{}, STREAM);
  }
  static int exclusive(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceScan::ExclusiveSumByKey(
        w, *bytes, (const K *)a->keys, (const T *)a->in, (T *)a->out, (int)a->count, E{}, STREAM);
  }
};
#endif

#if GP_PEERS_PART == 6
#define FIND_BY_KEY(K, T) \
  if (cub_sum_of(c, #T) && is(c->key, #K) && is(c->form, "keys")) { \
    if (IS(inclusive_scan_by_key)) return scan_by_key<K, T, equal>::inclusive; \
    if (IS(exclusive_scan_by_key)) return scan_by_key<K, T, equal>::exclusive; \
  }
FIND_BEGIN
if (IS(scan_axis) && cub_sum_of(c, "f32")) return scan_rows<f32>;
FIND_BY_KEY(u8, u8)
FIND_BY_KEY(u16, u16)
FIND_BY_KEY(u32, u32)
FIND_BY_KEY(u32, f32)
FIND_BY_KEY(u64, u64)
FIND_END
#elif GP_PEERS_PART == 7
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
template<class T, bool INCLUSIVE> static int scan_segments(ARGUMENTS) {
  const u32 *const begin = (const u32 *)a->begin;
  if (INCLUSIVE)
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(
        w, *bytes, (const T *)a->in, (T *)a->out, begin, begin + 1, (int64_t)a->segments, STREAM);
  return cub::DeviceSegmentedScan::ExclusiveSegmentedSum(
      w, *bytes, (const T *)a->in, (T *)a->out, begin, begin + 1, (int64_t)a->segments, STREAM);
}
#define FIND_OF_OFFSETS(T) \
  if (is(c->offsets, "u32") && is(c->form, "offsets")) { \
    if (IS(segmented_inclusive_scan)) return scan_segments<T, true>; \
    if (IS(segmented_exclusive_scan)) return scan_segments<T, false>; \
  }
#else
#define FIND_OF_OFFSETS(T)
#endif
#define FIND_SEGMENTED_SCAN(T) \
  if (cub_sum_of(c, #T)) { \
    FIND_OF_OFFSETS(T) \
    if (IS(segmented_inclusive_scan)) return scan_by_key<u8, T, same_segment>::inclusive; \
    if (IS(segmented_exclusive_scan)) return scan_by_key<u8, T, same_segment>::exclusive; \
    if (is(c->key, "u8") && is(c->form, "heads") && IS(inclusive_scan_by_key)) \
      return scan_by_key<u8, T, same_segment>::inclusive; \
    if (is(c->key, "u8") && is(c->form, "heads") && IS(exclusive_scan_by_key)) \
      return scan_by_key<u8, T, same_segment>::exclusive; \
  }
FIND_BEGIN
FIND_SEGMENTED_SCAN(u8)
FIND_SEGMENTED_SCAN(f32)
FIND_SEGMENTED_SCAN(u64)
FIND_END
#endif

// ---- runs

#if GP_PEERS_PART == 8
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

template<class K, class T> static int reduce_by_key(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceReduce::ReduceByKey(w, *bytes, (const K *)a->keys, (K *)a->out_keys, (const T *)a->in, (T *)a->out,
      COUNTS, ::cuda::std::plus<T>{}, (int)a->count, STREAM);
}
#define FIND_REDUCE_BY_KEY(K, T) \
  if (IS(reduce_by_key) && cub_sum_of(c, #T) && is(c->key, #K) && is(c->form, "keys")) return reduce_by_key<K, T>;
FIND_BEGIN
FIND_REDUCE_BY_KEY(u8, u8)
FIND_REDUCE_BY_KEY(u16, u16)
FIND_REDUCE_BY_KEY(u32, u32)
FIND_REDUCE_BY_KEY(u32, f32)
FIND_REDUCE_BY_KEY(u32, u64)
FIND_REDUCE_BY_KEY(u64, u64)
FIND_END
#endif

#if GP_PEERS_PART == 9 || GP_PEERS_PART == 10
[[maybe_unused]] __host__ __device__ static inline bool operator==(const s16 &a, const s16 &b) { return equal()(a, b); }
[[maybe_unused]] __host__ __device__ static inline bool operator!=(const s16 &a, const s16 &b) { return !(a == b); }
#endif

#if GP_PEERS_PART == 9
#include <cub/device/device_run_length_encode.cuh>

template<class K> struct run_lengths {
  static int encode(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRunLengthEncode::Encode(
        w, *bytes, (const K *)a->keys, (K *)a->out_keys, (u32 *)a->out2, COUNTS, (int)a->count, STREAM);
  }
  static int nontrivial(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceRunLengthEncode::NonTrivialRuns(
        w, *bytes, (const K *)a->keys, (u32 *)a->out, (u32 *)a->out2, COUNTS, (int)a->count, STREAM);
  }
};
FIND_BEGIN
#define FIND_RUNS(K) \
  if (IS(run_lengths) && cub_of(c, #K) && is(c->lengths, "u32")) return run_lengths<K>::encode;
FIND_RUNS(u8)
FIND_RUNS(u16)
FIND_RUNS(u32)
FIND_RUNS(u64)
FIND_RUNS(s16)
#define FIND_NONTRIVIAL(K) \
  if (IS(nontrivial_runs) && cub_of(c, #K) && is(c->lengths, "u32")) return run_lengths<K>::nontrivial;
FIND_NONTRIVIAL(u8)
FIND_NONTRIVIAL(u32)
FIND_NONTRIVIAL(u64)
FIND_END
#endif

#if GP_PEERS_PART == 10
#include <cub/device/device_select.cuh>

template<class K> static int unique(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceSelect::Unique(w, *bytes, (const K *)a->keys, (K *)a->out_keys, COUNTS, (int)a->count, STREAM);
}
template<class K, class V> static int unique_by_key(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceSelect::UniqueByKey(
      w, *bytes, (const K *)a->keys, (const V *)a->in, (K *)a->out_keys, (V *)a->out, COUNTS, (int)a->count, STREAM);
}
FIND_BEGIN
#define FIND_UNIQUE(K) \
  if (IS(unique) && cub_of(c, #K) && is(c->payload, "")) return unique<K>;
FIND_UNIQUE(u8)
FIND_UNIQUE(u16)
FIND_UNIQUE(u32)
FIND_UNIQUE(u64)
FIND_UNIQUE(s16)
#define FIND_UNIQUE_BY_KEY(K, V) \
  if (IS(unique) && cub_of(c, #K) && is(c->payload, #V)) return unique_by_key<K, V>;
FIND_UNIQUE_BY_KEY(u32, u32)
FIND_UNIQUE_BY_KEY(u64, u64)
FIND_END
#endif

// ---- selection

#if GP_PEERS_PART >= 11 && GP_PEERS_PART <= 14
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

template<class T> struct selection {
  static int select(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSelect::If(
        w, *bytes, (const T *)a->in, (T *)a->out, COUNTS, (int)a->count, below<T>{scalar_of<T>(a->scalar)}, STREAM);
  }
  static int flagged(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceSelect::Flagged(
        w, *bytes, (const T *)a->in, (const u8 *)a->keys, (T *)a->out, COUNTS, (int)a->count, STREAM);
  }
  // Both parts in one array, the second reversed from its end.
  static int partition(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DevicePartition::If(
        w, *bytes, (const T *)a->in, (T *)a->out, COUNTS, (int)a->count, below<T>{scalar_of<T>(a->scalar)}, STREAM);
  }
  static int partition_flagged(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DevicePartition::Flagged(
        w, *bytes, (const T *)a->in, (const u8 *)a->keys, (T *)a->out, COUNTS, (int)a->count, STREAM);
  }
  static int partition3(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DevicePartition::If(w, *bytes, (const T *)a->in, (T *)a->out, (T *)a->out2, (T *)a->out3, COUNTS,
        (int)a->count, below<T>{scalar_of<T>(a->scalar)}, below<T>{scalar_of<T>(a->scalar2)}, STREAM);
  }
  // A selection for each part keeps their order. ALL: keep=100, where the first predicate is "at most".
  template<int PARTS, bool ALL> static int in_order(ARGUMENTS) {
    void *const outs[3] = {a->out, a->out2, a->out3};
    const auto second = PARTS == 3 ? scalar_of<T>(a->scalar2) : scalar_of<T>(a->scalar);
    CHECK_COUNT;
    for (int part = 0; part < PARTS; part++) {
      const in_part<T> predicate = {scalar_of<T>(a->scalar), second, part, PARTS - 1, ALL, ALL};
      const int code = cub::DeviceSelect::If(
          w, *bytes, (const T *)a->in, (T *)outs[part], COUNTS + part, (int)a->count, predicate, STREAM);
      if (code || !w) return code;
    }
    return 0;
  }
};
#define FIND_TYPES(FIND) FIND(u8) FIND(u16) FIND(u32) FIND(u64) FIND(s16)
#endif

#if GP_PEERS_PART == 11
FIND_BEGIN
#define FIND_SELECT(T) \
  if (IS(select) && cub_of(c, #T) && (c->keep < 100 || c->plain)) { \
    if (is(c->form, "if")) return selection<T>::select; \
  } \
  if (IS(select) && cub_of(c, #T) && is(c->form, "flags") && is(c->key, "u8")) return selection<T>::flagged;
FIND_TYPES(FIND_SELECT)
FIND_SELECT(f32)
FIND_END
#elif GP_PEERS_PART == 12
FIND_BEGIN
#define FIND_PARTITION(T) \
  if (IS(partition) && cub_of(c, #T) && c->parts == 2 && c->plain && is(c->form, "if")) return selection<T>::partition;
FIND_TYPES(FIND_PARTITION)
#define FIND_PARTITION_FLAGGED(T) \
  if (IS(partition) && cub_of(c, #T) && c->plain && is(c->form, "flags") && is(c->key, "u8")) \
    return selection<T>::partition_flagged;
FIND_PARTITION_FLAGGED(u32)
FIND_END
#elif GP_PEERS_PART == 13
FIND_BEGIN
#define FIND_PARTITION3(T) \
  if (IS(partition) && cub_of(c, #T) && c->parts == 3 && c->plain) return selection<T>::partition3;
FIND_TYPES(FIND_PARTITION3)
FIND_END
#elif GP_PEERS_PART == 14
FIND_BEGIN
#define FIND_IN_ORDER(T) \
  if (cub_of(c, #T) && is(c->form, "if")) { \
    const bool all = c->keep == 100; \
    if (IS(select)) return all ? selection<T>::template in_order<1, true> : selection<T>::template in_order<1, false>; \
    if (IS(partition) && c->parts == 2 && !c->plain) \
      return all ? selection<T>::template in_order<2, true> : selection<T>::template in_order<2, false>; \
    if (IS(partition) && c->parts == 3 && !c->plain) \
      return all ? selection<T>::template in_order<3, true> : selection<T>::template in_order<3, false>; \
  }
FIND_TYPES(FIND_IN_ORDER)
FIND_IN_ORDER(f32)
FIND_END
#endif

// ---- histograms

#if GP_PEERS_PART == 15 || GP_PEERS_PART == 16
#include <cub/device/device_histogram.cuh>

// Levels in L, as CUB's users give them: int for one and two bytes.
template<class T, class L> struct histogram {
  static L level(const void *at) {
    T value;
    memcpy(&value, at, sizeof value);
    return (L)value;
  }
  static int even(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceHistogram::HistogramEven(w, *bytes, (const T *)a->in, (u32 *)a->out, (int)a->bins + 1,
        a->scalar ? level(a->scalar) : (L)0, a->scalar2 ? level(a->scalar2) : (L)(1ull << (8 * sizeof(T) % 64)),
        (int)a->count, STREAM);
  }
  static int ranges(ARGUMENTS) {
    CHECK_COUNT;
    return cub::DeviceHistogram::HistogramRange(
        w, *bytes, (const T *)a->in, (u32 *)a->out, (int)a->bins + 1, (const T *)a->begin, (int)a->count, STREAM);
  }
};
#define FIND_EVEN(T, L) \
  if (IS(histogram_even) && cub_of(c, #T) && is(c->out, "u32")) return histogram<T, L>::even;
#define FIND_RANGES(T) \
  if (IS(histogram_ranges) && cub_of(c, #T) && is(c->out, "u32")) return histogram<T, T>::ranges;
FIND_BEGIN
#if GP_PEERS_PART == 15
FIND_EVEN(u8, int)
FIND_EVEN(u16, int)
#else
FIND_EVEN(u32, u32)
FIND_EVEN(f32, float)
FIND_RANGES(u32)
FIND_RANGES(f32)
#endif
FIND_END
#endif

// ---- the rest

#if GP_PEERS_PART == 17
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

template<class T> struct zero_one {
  below<T> predicate;
  __host__ __device__ unsigned long long operator()(const T &x) const { return predicate(x); }
};
template<class T> static int count_if(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceReduce::TransformReduce(w, *bytes, (const T *)a->in, COUNTS, (int)a->count,
      ::cuda::std::plus<unsigned long long>{}, zero_one<T>{{scalar_of<T>(a->scalar)}}, 0ull, STREAM);
}
template<class T> static int adjacent_difference(ARGUMENTS) {
  CHECK_COUNT;
  return cub::DeviceAdjacentDifference::SubtractLeftCopy(
      w, *bytes, (const T *)a->in, (T *)a->out, (int)a->count, ::cuda::std::minus<T>{}, STREAM);
}
template<class S> static int copy_batch(ARGUMENTS) {
  return cub::DeviceMemcpy::Batched(w, *bytes, (const void *const *)a->keys, (void *const *)a->keys2,
      (const S *)a->begin, (int64_t)a->segments, STREAM);
}
FIND_BEGIN
if (IS(copy_batch) && is(c->peer, "cub")) return is(c->offsets, "u32") ? copy_batch<u32> : copy_batch<u64>;
#define FIND_COUNT_IF(T) \
  if (IS(count_if) && cub_of(c, #T) && c->keep < 100) return count_if<T>;
FIND_COUNT_IF(u8)
FIND_COUNT_IF(u16)
FIND_COUNT_IF(u32)
FIND_COUNT_IF(u64)
FIND_COUNT_IF(f32)
#define FIND_ADJACENT(T) \
  if (IS(adjacent_difference) && cub_of(c, #T) && is(c->out, #T) && is(c->op, "SUB")) return adjacent_difference<T>;
FIND_ADJACENT(u8)
FIND_ADJACENT(u32)
FIND_ADJACENT(u64)
FIND_ADJACENT(f32)
FIND_END
#endif

#if GP_PEERS_PART == 18
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#define POLICY thrust::cuda::par_nosync.on(STREAM)
template<class T> struct bounds {
  static int lower(ARGUMENTS) {
    NO_WORKSPACE;
    thrust::lower_bound(POLICY, (const T *)a->keys, (const T *)a->keys + a->length, (const T *)a->in,
        (const T *)a->in + a->count, (u32 *)a->out);
    return cudaGetLastError();
  }
  static int upper(ARGUMENTS) {
    NO_WORKSPACE;
    thrust::upper_bound(POLICY, (const T *)a->keys, (const T *)a->keys + a->length, (const T *)a->in,
        (const T *)a->in + a->count, (u32 *)a->out);
    return cudaGetLastError();
  }
};
// An element's segment is the last offset not above it: a search for each element, as users write it with Thrust.
struct before {
  __host__ __device__ u32 operator()(u32 i) const { return i - 1; }
};
static int load_balance(ARGUMENTS) {
  NO_WORKSPACE;
  const u32 *offsets = (const u32 *)a->begin;
  const auto first = thrust::make_counting_iterator(0u);
  thrust::upper_bound(POLICY, offsets, offsets + a->segments + 1, first, first + (u32)a->count,
      thrust::make_transform_output_iterator((u32 *)a->out, before{}));
  return cudaGetLastError();
}
#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#include <cuda/std/functional>
#include <cuda/stream_ref>
template<class T, bool UPPER, bool SORTED> static int find_bound(ARGUMENTS) {
  const T *const hay = (const T *)a->keys, *const needles = (const T *)a->in;
  u32 *const out = (u32 *)a->out;
  const int length = (int)a->length, count = (int)a->count;
  const ::cuda::std::less<> before{};
  const ::cuda::stream_ref on(STREAM);
  CHECK_COUNT;
  if (a->length > INT_MAX) return GP_PEER_UNSUPPORTED;
  if (SORTED && UPPER)
    return cub::DeviceFind::UpperBoundSortedValues(w, *bytes, hay, length, needles, count, out, before, STREAM);
  if (SORTED)
    return cub::DeviceFind::LowerBoundSortedValues(w, *bytes, hay, length, needles, count, out, before, STREAM);
  if (UPPER) return cub::DeviceFind::UpperBound(w, *bytes, hay, length, needles, count, out, before, on);
  return cub::DeviceFind::LowerBound(w, *bytes, hay, length, needles, count, out, before, on);
}
template<class T> static int find_first_if(ARGUMENTS) {
  below<T> predicate{};
  CHECK_COUNT;
  if (a->scalar) predicate.scalar = scalar_of<T>(a->scalar);
  return cub::DeviceFind::FindIf(
      w, *bytes, (const T *)a->in, COUNTS, predicate, (int)a->count, ::cuda::stream_ref(STREAM));
}
#define FIND_BOUNDS_OF_CUB(T) \
  if (cub_of(c, #T) && is(c->out, "u32")) { \
    if (IS(lower_bound)) return c->sorted ? find_bound<T, false, true> : find_bound<T, false, false>; \
    if (IS(upper_bound)) return c->sorted ? find_bound<T, true, true> : find_bound<T, true, false>; \
  } \
  if (cub_of(c, #T) && IS(find_if) && c->keep < 100) return find_first_if<T>;
#else
#define FIND_BOUNDS_OF_CUB(T)
#endif
FIND_BEGIN
#define FIND_BOUNDS(T) \
  FIND_BOUNDS_OF_CUB(T) \
  if (is(c->peer, "thrust") && is(c->in, #T) && is(c->out, "u32")) { \
    if (IS(lower_bound)) return bounds<T>::lower; \
    if (IS(upper_bound)) return bounds<T>::upper; \
  }
FIND_BOUNDS(u32)
FIND_BOUNDS(u64)
FIND_BOUNDS(f32)
if (IS(load_balance) && is(c->peer, "thrust") && is(c->in, "u32") && is(c->out, "u32")) return load_balance;
FIND_END
#endif

#endif
