// device/tile_items.cuh - tiles: reduce and scan several items a thread, partial tiles, prefixes, runs to decode
// uses: core/words.h, device/vocabulary.cuh, device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh,
//   device/tile_search.cuh, device/warp_groups.cuh

// Items are blocked. op(a, b) is associative, a lambda for example; a is of earlier items, so op need not commute. It
// needs no identity. All threads call. Storage may be used again after the next __syncthreads().

// The fold of the tile's first `count` items, at least one. Thread 0 holds the result (others hold partial results).
template<int THREADS, int ITEMS, class T, class Op>
GP_DEVICE T gp_tile_reduce_items(const T (&items)[ITEMS], const Op &op, gp_tile_reduce_storage<THREADS, T> &storage,
    unsigned count = THREADS * ITEMS) {
  const unsigned threads = (count + ITEMS - 1) / ITEMS, before = gp_warp() * 32;
  T sum = items[0];
  GP__UNROLL
  for (int i = 1; i < ITEMS; ++i)
    if (threadIdx.x * ITEMS + unsigned(i) < count) sum = op(sum, items[i]);
  sum = gp_warp_group_reduce<32>(sum, op, threads > before ? threads - before : 1);
  if (!gp_lane()) storage.warp_total[gp_warp()] = sum;
  __syncthreads();
  if (!gp_warp())
    sum =
        gp_warp_group_reduce<32>(storage.warp_total[gp_lane() < THREADS / 32 ? gp_lane() : 0], op, (threads + 31) / 32);
  return sum;
}

// before: the fold of earlier threads' items; undefined in thread 0. Returns the tile's.
template<int THREADS, int ITEMS, class T, class Op>
GP_DEVICE T gp__tile_before(
    const T (&items)[ITEMS], const Op &op, T &before, gp_tile_scan_storage<THREADS, T> &storage) {
  const unsigned WARPS = THREADS / 32;
  T sum = items[0];
  GP__UNROLL
  for (int i = 1; i < ITEMS; ++i) sum = op(sum, items[i]);
  sum = gp_warp_group_inclusive_scan<32>(sum, op);
  if (gp_lane() == 31) storage.warp_total[gp_warp()] = sum;
  __syncthreads();
  const T totals = gp_warp_group_inclusive_scan<32>(storage.warp_total[gp_lane() < WARPS ? gp_lane() : 0], op);
  const T within = gp_warp_shift_up(sum, 1), warps = gp_warp_broadcast(totals, gp_warp() ? int(gp_warp()) - 1 : 0);
  before = !gp_lane() ? warps : gp_warp() == 0 ? within : op(warps, within);
  return gp_warp_broadcast(totals, int(WARPS) - 1);
}
// before: the exclusive prefix of a thread's first item.
template<bool EXCLUSIVE, int ITEMS, class T, class Op>
GP_DEVICE void gp__prefixes(T (&items)[ITEMS], const Op &op, T before) {
  GP__EACH(i, ITEMS) {
    const T x = items[i];
    if (EXCLUSIVE) items[i] = before;
    if (!EXCLUSIVE || i + 1 < ITEMS) before = op(before, x);
    if (!EXCLUSIVE) items[i] = before;
  }
}
// Items become initial, initial op item 0, initial op item 0 op item 1, ... Returns the fold of the tile's items,
// without `initial`, to all threads.
template<int THREADS, int ITEMS, class T, class Op>
GP_DEVICE T gp_tile_exclusive_scan_items(
    T (&items)[ITEMS], const Op &op, const T &initial, gp_tile_scan_storage<THREADS, T> &storage) {
  T before;
  const T total = gp__tile_before(items, op, before, storage);
  gp__prefixes<true>(items, op, threadIdx.x ? op(initial, before) : initial);
  return total;
}
// Items become item 0, item 0 op item 1, ... Returns the fold of the tile's items to all threads.
template<int THREADS, int ITEMS, class T, class Op>
GP_DEVICE T gp_tile_inclusive_scan_items(T (&items)[ITEMS], const Op &op, gp_tile_scan_storage<THREADS, T> &storage) {
  T before;
  const T total = gp__tile_before(items, op, before, storage);
  if (threadIdx.x) items[0] = op(before, items[0]);
  GP__UNROLL
  for (int i = 1; i < ITEMS; ++i) items[i] = op(items[i - 1], items[i]);
  return total;
}
// A scan behind a prefix that is known when the tile's total is: the lanes of warp 0 call prefix(total), and lane 0
// returns the fold of all that precedes the tile. Returns the fold of the tile's items to all threads.
template<int THREADS, class T> struct gp_tile_scan_after_storage {
  gp_tile_scan_storage<THREADS, T> scan;
  T prefix;
};
template<bool EXCLUSIVE, int THREADS, int ITEMS, class T, class Op, class Prefix>
GP_DEVICE T gp_tile_scan_after(
    T (&items)[ITEMS], const Op &op, Prefix &&prefix, gp_tile_scan_after_storage<THREADS, T> &storage) {
  T before;
  const T total = gp__tile_before(items, op, before, storage.scan);
  if (!gp_warp()) {
    const T preceding = prefix(total);
    if (!gp_lane()) storage.prefix = preceding;
  }
  __syncthreads();
  const T start = storage.prefix;
  gp__prefixes<EXCLUSIVE>(items, op, threadIdx.x ? op(start, before) : start);
  return total;
}

// Runs of a block, blocked: a value and a length, which may be 0. Together they have fewer than 2^32 elements.
template<int THREADS, int RUNS, class T> struct gp_tile_runs_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u32 end[THREADS * RUNS];
  T value[THREADS * RUNS];
};
// Puts the runs into storage, for gp_tile_decode_runs. Returns the number of elements to all threads. Ends with a
// barrier.
template<int THREADS, int RUNS, class T>
GP_DEVICE gp__u32 gp_tile_begin_runs(
    const T (&values)[RUNS], const gp__u32 (&lengths)[RUNS], gp_tile_runs_storage<THREADS, RUNS, T> &storage) {
  gp__u32 end = 0;
  GP__EACH(i, RUNS) end += lengths[i];
  const gp__u32 total = gp_tile_exclusive_scan<THREADS>(end, gp_sum<gp__u32>(), storage.scan);
  GP__EACH(i, RUNS) {
    storage.end[threadIdx.x * RUNS + unsigned(i)] = end += lengths[i];
    storage.value[threadIdx.x * RUNS + unsigned(i)] = values[i];
  }
  __syncthreads();
  return total;
}
// A window of the decoded elements, blocked, from `first` on: items[i] is the value of an element's run, place[i] the
// element's place in it. Elements from the total on get the last run's value. Windows need no barrier between them.
template<int THREADS, int ITEMS, int RUNS, class T>
GP_DEVICE void gp_tile_decode_runs(
    T (&items)[ITEMS], gp__u32 (&place)[ITEMS], gp__u32 first, const gp_tile_runs_storage<THREADS, RUNS, T> &storage) {
  const unsigned LAST = THREADS * RUNS - 1;
  gp__u32 element = first + threadIdx.x * ITEMS;
  unsigned run = unsigned(gp_search(0, LAST, [&](gp__u64 r) { return storage.end[r] <= element; }));
  GP__UNROLL
  for (int i = 0; i < ITEMS; ++i, ++element) {
    while (run < LAST && storage.end[run] <= element) ++run;
    items[i] = storage.value[run];
    place[i] = element - (run ? storage.end[run - 1] : 0);
  }
}
