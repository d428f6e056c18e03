// device/tile_neighbours.cuh - tiles: shifts, differences of neighbours, ends of runs
// uses: device/vocabulary.cuh

// Items are blocked. All threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, class T> struct gp_tile_shuffle_storage { T item[THREADS]; };

// The value of thread t + distance, |distance| < THREADS; a thread without such a neighbour gets its own.
template<int THREADS, class T>
GP_DEVICE T gp_tile_offset(const T &value, int distance, gp_tile_shuffle_storage<THREADS, T> &storage) {
  storage.item[threadIdx.x] = value;
  __syncthreads();
  const int from = int(threadIdx.x) + distance;
  return from >= 0 && from < THREADS ? storage.item[from] : value;
}
// The value of thread (t + distance) modulo THREADS, distance < THREADS.
template<int THREADS, class T>
GP_DEVICE T gp_tile_rotate(const T &value, unsigned distance, gp_tile_shuffle_storage<THREADS, T> &storage) {
  storage.item[threadIdx.x] = value;
  __syncthreads();
  return storage.item[(threadIdx.x + distance) % THREADS];
}
// The side of a neighbour.
enum { GP_BEFORE = 0, GP_AFTER = 1 };
template<bool AFTER, int THREADS, int ITEMS, class R, class T, class F, class Alone>
GP_DEVICE void gp__beside(R (&out)[ITEMS], const T (&items)[ITEMS], const F &f, const Alone &alone,
    gp_tile_shuffle_storage<THREADS, T> &storage, unsigned count, const T *beyond) {
  storage.item[threadIdx.x] = items[AFTER ? 0 : ITEMS - 1];
  __syncthreads();
  GP__EACH(j, ITEMS) {
    const int i = AFTER ? j : ITEMS - 1 - j; // out may be items
    const unsigned at = threadIdx.x * ITEMS + unsigned(i);
    const bool outer = AFTER ? at + 1 == count : at == 0, within = AFTER ? i + 1 < ITEMS : i > 0;
    if (at >= count || (outer && !beyond)) out[i] = alone(items[i], at < count);
    else
      out[i] = f(items[i],
          outer ? *beyond
              : within ? items[(AFTER ? i + 1 : i + ITEMS - 1) % ITEMS]
              : storage.item[AFTER ? threadIdx.x + 1 : threadIdx.x - 1]);
  }
}
// Each item becomes its neighbour on SIDE, the outermost one `beyond`. Returns the item at the tile's other end, as it
// was, to all threads.
template<int THREADS, int SIDE, int ITEMS, class T>
GP_DEVICE T gp_tile_shift(T (&items)[ITEMS], T beyond, gp_tile_shuffle_storage<THREADS, T> &storage) {
  gp__beside<SIDE == GP_AFTER>(
      items, items, [](const T &, const T &other) { return other; }, [](const T &item, bool) { return item; }, storage,
      THREADS * ITEMS, &beyond);
  return storage.item[SIDE == GP_AFTER ? 0 : THREADS - 1];
}
// out[i] = f(item, its neighbour on SIDE). The outermost item, the first or item count - 1, takes *beyond, or is copied
// if there is no `beyond`. Items from `count` on are copied. An R is made from a T. `out` may be `items`.
template<int THREADS, int SIDE, int ITEMS, class R, class T, class F>
GP_DEVICE void gp_tile_difference(R (&out)[ITEMS], const T (&items)[ITEMS], const F &f,
    gp_tile_shuffle_storage<THREADS, T> &storage, unsigned count = THREADS * ITEMS, const T *beyond = nullptr) {
  gp__beside<SIDE == GP_AFTER>(
      out, items, f, [](const T &item, bool) { return R(item); }, storage, count, beyond);
}
// flags[i] = 1 if differ(a, b), a before b, of an item and its neighbour on SIDE, otherwise 0: heads of runs
// (GP_BEFORE), tails (GP_AFTER). The outermost item takes *beyond, or gets 1 without. Items from `count` on get 0.
template<int THREADS, int SIDE, int ITEMS, class Flag, class T, class F>
GP_DEVICE void gp_tile_flag(Flag (&flags)[ITEMS], const T (&items)[ITEMS], const F &differ,
    gp_tile_shuffle_storage<THREADS, T> &storage, unsigned count = THREADS * ITEMS, const T *beyond = nullptr) {
  gp__beside<SIDE == GP_AFTER>(
      flags, items,
      [&](const T &item, const T &other) { return SIDE == GP_AFTER ? differ(item, other) : differ(other, item); },
      [](const T &, bool below) { return below; }, storage, count, beyond);
}
