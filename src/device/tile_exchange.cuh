// device/tile_exchange.cuh - tiles: exchange between arrangements
// uses: device/vocabulary.cuh, device/tile_load.cuh

template <int THREADS, int ITEMS, class T> struct gp_tile_exchange_storage {
  T element[THREADS * ITEMS + THREADS * ITEMS / 32]; // one element of padding every 32, against bank conflicts
  static GP_DEVICE int slot(int i) { return i + i / 32; }
};
// items become blocked (striped). All threads call. Storage may be used again after the next __syncthreads().
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_striped_to_blocked(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) storage.element[storage.slot(i * THREADS + int(threadIdx.x))] = items[i];
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) items[i] = storage.element[storage.slot(int(threadIdx.x) * ITEMS + i)];
}
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_blocked_to_striped(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) storage.element[storage.slot(int(threadIdx.x) * ITEMS + i)] = items[i];
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) items[i] = storage.element[storage.slot(i * THREADS + int(threadIdx.x))];
}
// Coalesced loads with a blocked result (and the reverse for stores). Storage as for the exchange.
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_load_transposed(T (&items)[ITEMS], const T *in, gp__u64 count, T fill,
                                       gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_load_striped<THREADS>(items, in, count, fill);
  gp_tile_striped_to_blocked<THREADS>(items, storage);
}
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_store_transposed(T (&items)[ITEMS], T *out, gp__u64 count,
                                        gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_blocked_to_striped<THREADS>(items, storage);
  gp_tile_store_striped<THREADS>(items, out, count);
}
