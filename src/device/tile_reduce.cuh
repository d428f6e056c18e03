// device/tile_reduce.cuh - tiles: broadcast, reduce, scan
// uses: device/vocabulary.cuh, device/warp.cuh

// All threads call and get the value of thread `source`. Storage, one T, is free after the next __syncthreads().
template<class T> GP_DEVICE T gp_tile_broadcast(const T &value, unsigned source, T &storage) {
  if (threadIdx.x == source) storage = value;
  __syncthreads();
  return storage;
}

template<int THREADS, class T> struct gp_tile_reduce_storage { T warp_total[THREADS / 32]; };
// value of thread 0 op value of thread 1 op ... : thread 0 holds the result (others hold partial results). Order is
// kept. All threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, class T, class Op>
GP_DEVICE T gp_tile_reduce(T value, Op op, gp_tile_reduce_storage<THREADS, T> &storage) {
  value = gp_warp_reduce(value, op);
  if (!gp_lane()) storage.warp_total[gp_warp()] = value;
  __syncthreads();
  if (!gp_warp()) value = gp_warp_reduce(gp_lane() < THREADS / 32 ? storage.warp_total[gp_lane()] : Op::identity(), op);
  return value;
}

template<int THREADS, class T> struct gp_tile_scan_storage { T warp_total[THREADS / 32]; };
// A prefix that may be empty: value is meaningful if has is set.
template<class T> struct gp_carry {
  T value;
  bool has;
  template<class Op> GP_DEVICE void append(const T &x, Op op) {
    value = has ? op(value, x) : x;
    has = true;
  }
};
// Scan over one value a thread. `within`: the thread's prefix in its warp; `warps`: the fold of the warps before its
// own. Returns the block's total to all threads. Storage may be used again after the next __syncthreads().
template<int THREADS, class T, class Op>
GP_DEVICE T gp__tile_scan(
    const T &value, Op op, gp_carry<T> &within, gp_carry<T> &warps, gp_tile_scan_storage<THREADS, T> &storage) {
  const T inclusive = gp_warp_inclusive_scan(value, op);
  within.value = gp_warp_shift_up(inclusive, 1);
  within.has = gp_lane() > 0;
  if (gp_lane() == 31) storage.warp_total[gp_warp()] = inclusive;
  __syncthreads();
  const T totals =
      gp_warp_inclusive_scan(gp_lane() < THREADS / 32 ? storage.warp_total[gp_lane()] : Op::identity(), op);
  warps.value = gp_warp_broadcast(totals, gp_warp() ? int(gp_warp()) - 1 : 0);
  warps.has = gp_warp() > 0;
  return gp_warp_broadcast(totals, THREADS / 32 - 1);
}
// value becomes the exclusive (inclusive) prefix over the block's threads; returns the total, to all threads. All
// threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, class T, class Op>
GP_DEVICE T gp_tile_exclusive_scan(T &value, Op op, gp_tile_scan_storage<THREADS, T> &storage) {
  gp_carry<T> within, warps;
  const T total = gp__tile_scan<THREADS>(value, op, within, warps, storage);
  if (within.has) warps.append(within.value, op);
  value = warps.has ? warps.value : Op::identity();
  return total;
}
template<int THREADS, class T, class Op>
GP_DEVICE T gp_tile_inclusive_scan(T &value, Op op, gp_tile_scan_storage<THREADS, T> &storage) {
  gp_carry<T> within, warps;
  const T total = gp__tile_scan<THREADS>(value, op, within, warps, storage);
  if (within.has) warps.append(within.value, op);
  warps.append(value, op);
  value = warps.value;
  return total;
}
