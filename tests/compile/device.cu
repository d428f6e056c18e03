// device.cu - a user's kernel on warp and tile routines, for several types; compiled only.
#include "gpuprims.h"

template<int THREADS, int ITEMS, class T> union storage {
  gp_tile_exchange_storage<THREADS, ITEMS, T> exchange;
  gp_tile_reduce_storage<THREADS, T> reduce;
  gp_tile_scan_storage<THREADS, T> scan;
  T one;
};

template<int THREADS, int ITEMS, class T, class Op>
__global__ void __launch_bounds__(THREADS) tile_routines(const T *in, T *out, T *total, unsigned count) {
  typedef storage<THREADS, ITEMS, T> block_storage;
  GP_SHARED(block_storage, s);
  T items[ITEMS], sum;
  gp_tile_load_transposed<THREADS>(items, in, count, Op::identity(), s.exchange);
  __syncthreads();
  sum = items[0];
  for (int i = 1; i < ITEMS; ++i) sum = Op()(sum, items[i]);
  T all = gp_tile_reduce<THREADS>(sum, Op(), s.reduce);
  __syncthreads();
  all = gp_tile_broadcast(all, 0, s.one);
  __syncthreads();
  gp_tile_exclusive_scan<THREADS>(sum, Op(), s.scan);
  for (int i = 0; i < ITEMS; ++i) items[i] = Op()(sum, items[i]);
  __syncthreads();
  gp_tile_store_transposed<THREADS>(items, out, count, s.exchange);
  if (threadIdx.x == 0) *total = all;
}

template __global__ void tile_routines<128, 4, int, gp_sum<int>>(const int *, int *, int *, unsigned);
template __global__ void tile_routines<256, 7, float, gp_max<float>>(const float *, float *, float *, unsigned);
template __global__ void tile_routines<64, 3, double, gp_min<double>>(const double *, double *, double *, unsigned);
template __global__ void tile_routines<512, 2, gp_f16, gp_sum<gp_f16>>(const gp_f16 *, gp_f16 *, gp_f16 *, unsigned);

__global__ void warp_routines(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x];
  x = gp_warp_inclusive_scan(x, gp_sum<unsigned>());
  x += gp_warp_broadcast(gp_warp_reduce(x, gp_max<unsigned>()), 0);
  out[threadIdx.x] = x;
}

template<int THREADS, int ITEMS, class O>
__global__ void __launch_bounds__(THREADS)
    search_routines(const O *offsets, unsigned segments, const float *sorted, unsigned count, gp__u64 *out) {
  typedef gp_tile_load_balance_storage<THREADS, ITEMS> balance_storage;
  GP_SHARED(balance_storage, s);
  gp__u64 segment[ITEMS];
  gp_tile_load_balance<THREADS>(segment, offsets, segments, blockIdx.x * THREADS * ITEMS, s);
  segment[0] += gp_search_lower(sorted, count, sorted[threadIdx.x], gp_less<float>());
  segment[0] += gp_search_upper(sorted, count, sorted[threadIdx.x], gp_less<float>());
  segment[0] += gp_warp_search_lower(sorted, count, sorted[gp_warp()], gp_less<float>());
  segment[0] += gp_warp_search_upper(sorted, count, sorted[gp_warp()], gp_less<float>());
  segment[0] += gp_merge_path(offsets + 1, segments, threadIdx.x);
  segment[0] += gp_warp_merge_path(offsets + 1, segments, gp_warp());
  gp_tile_store_direct(segment, out, count);
}

template __global__ void search_routines<128, 4, unsigned>(
    const unsigned *, unsigned, const float *, unsigned, gp__u64 *);
template __global__ void search_routines<256, 3, gp__u64>(
    const gp__u64 *, unsigned, const float *, unsigned, gp__u64 *);

// Bodies of kernels on frontiers, and their routines.
template<int GATHER, int CULL, class Offset, class Vertex>
__global__ void __launch_bounds__(128) frontier_routines(
    const Offset *offsets, const Vertex *targets, unsigned *visited, gp_frontier<Vertex> in, gp_frontier<Vertex> out) {
  typedef gp_frontier_storage<128, 2, GATHER, CULL, Vertex> level_storage;
  GP_SHARED(level_storage, s);
  const auto goes = [](Vertex source, Vertex target, gp__u64 edge) { return source != target && edge % 3; };
  const auto fresh = [](Vertex v) { return v % 2 == 0; };
  gp_frontier_expand(in, offsets, targets, goes, out, s);
  __syncthreads();
  gp_frontier_contract(in, visited, fresh, out, s);
  __syncthreads();
  gp_frontier_expand_contract(
      in, offsets, targets, goes, visited, [](Vertex source, Vertex v) { return source < v; }, out, s);
  __syncthreads();
  gp_frontier_contract_expand(in, visited, fresh, offsets, targets, goes, out, s);
  typedef gp_tile_filter_storage<128> filter_storage;
  GP_SHARED(filter_storage, filter);
  gp_frontier_filter(in, fresh, out, filter);
}

template __global__ void frontier_routines<GP_GATHER_ALL, GP_CULL_ALL, unsigned, unsigned>(
    const unsigned *, const unsigned *, unsigned *, gp_frontier<unsigned>, gp_frontier<unsigned>);
template __global__ void frontier_routines<GP_GATHER_MERGE, GP_CULL_NOTHING, gp__u64, gp__u64>(
    const gp__u64 *, const gp__u64 *, unsigned *, gp_frontier<gp__u64>, gp_frontier<gp__u64>);
