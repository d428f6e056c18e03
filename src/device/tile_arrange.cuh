// device/tile_arrange.cuh - tiles and groups of lanes: load, store and exchange in any arrangement
// uses: core/words.h, device/vocabulary.cuh, device/warp.cuh, device/tile_load.cuh, device/tile_rank.cuh

// The arrangements. Warp-striped: item i of a thread is element gp_tile_warp_striped<ITEMS>(i), so that each warp has
// ITEMS * 32 consecutive elements.

enum { GP_BLOCKED = 0, GP_STRIPED = 1, GP_WARP_STRIPED = 2 };

template<int THREADS, int ITEMS, class T> struct gp_tile_exchange_storage {
  T element[THREADS * ITEMS + THREADS * ITEMS / 32]; // one element of padding every 32, against bank conflicts
  static GP_DEVICE int slot(int i) { return i + i / 32; }
};

// The threads of a block, or a group of LANES neighbouring lanes. WARPS: each warp for itself.
template<int THREADS, bool WARPS = false> struct gp__of_block {
  static const int WIDTH = THREADS;
  static GP_DEVICE unsigned rank() { return threadIdx.x; }
  static GP_DEVICE void sync() {
    if (WARPS) __syncwarp();
    else __syncthreads();
  }
};
template<int LANES> struct gp__of_group {
  static_assert(LANES >= 1 && LANES <= 32 && 32 % LANES == 0, "1, 2, 4, 8, 16 or 32 lanes");
  static const int WIDTH = LANES;
  static GP_DEVICE unsigned rank() { return gp_lane() % LANES; }
  static GP_DEVICE void sync() { __syncwarp(); }
};
// The element of the tile that is item i of this thread.
template<class Of, int HOW, int ITEMS> GP_DEVICE unsigned gp__element_of(int i) {
  static_assert(HOW != GP_WARP_STRIPED || Of::WIDTH >= 32, "whole warps");
  return HOW == GP_BLOCKED ? Of::rank() * ITEMS + unsigned(i)
      : HOW == GP_STRIPED ? unsigned(i) * Of::WIDTH + Of::rank()
      : gp_tile_warp_striped<ITEMS>(i);
}
template<class Of, int HOW, int ITEMS, class T>
GP_DEVICE void gp__load_tile(T (&items)[ITEMS], const T *in, gp__u64 count, const T &fill) {
  GP__EACH(i, ITEMS) {
    const unsigned at = gp__element_of<Of, HOW, ITEMS>(i);
    items[i] = at < count ? in[at] : fill;
  }
}
template<class Of, int HOW, int ITEMS, class T>
GP_DEVICE void gp__store_tile(const T (&items)[ITEMS], T *out, gp__u64 count) {
  GP__EACH(i, ITEMS) {
    const unsigned at = gp__element_of<Of, HOW, ITEMS>(i);
    if (at < count) out[at] = items[i];
  }
}
// ALL: every rank is below count.
template<class Of, int TO, bool ALL, int ITEMS, class T, class Storage>
GP_DEVICE void gp__scatter_items(T (&items)[ITEMS], const gp__u32 (&rank)[ITEMS], Storage &s, unsigned count) {
  GP__EACH(i, ITEMS)
    if (ALL || rank[i] < count) s.element[s.slot(int(rank[i]))] = items[i];
  Of::sync();
  GP__EACH(i, ITEMS) {
    const unsigned at = gp__element_of<Of, TO, ITEMS>(i);
    if (ALL || at < count) items[i] = s.element[s.slot(int(at))];
  }
}
template<class Of, int FROM, int TO, int ITEMS, class T, class Storage>
GP_DEVICE void gp__rearrange(T (&items)[ITEMS], Storage &s) {
  gp__u32 rank[ITEMS];
  GP__EACH(i, ITEMS) rank[i] = gp__element_of<Of, FROM, ITEMS>(i);
  gp__scatter_items<Of, TO, true>(items, rank, s, 0);
}

// Loads and stores in arrangement HOW. No storage, no barrier.
template<int THREADS, int HOW, int ITEMS, class T>
GP_DEVICE void gp_tile_load(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  gp__load_tile<gp__of_block<THREADS>, HOW>(items, in, count, fill);
}
template<int THREADS, int HOW, int ITEMS, class T>
GP_DEVICE void gp_tile_store(const T (&items)[ITEMS], T *out, gp__u64 count) {
  gp__store_tile<gp__of_block<THREADS>, HOW>(items, out, count);
}
// Items change from arrangement FROM to TO. Between GP_BLOCKED and GP_WARP_STRIPED warps do not wait for each other.
// All threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, int FROM, int TO, int ITEMS, class T>
GP_DEVICE void gp_tile_rearrange(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp__rearrange<gp__of_block<THREADS, FROM != GP_STRIPED && TO != GP_STRIPED>, FROM, TO>(items, storage);
}
// Sends items[i] to place rank[i] of the tile, which is in arrangement TO then. Ranks below `count` are distinct; items
// with other ranks are dropped. Places below `count` without an item are undefined, those from there on keep what they
// held. All threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, int TO, int ITEMS, class T>
GP_DEVICE void gp_tile_scatter(T (&items)[ITEMS], const gp__u32 (&rank)[ITEMS],
    gp_tile_exchange_storage<THREADS, ITEMS, T> &storage, unsigned count = THREADS * ITEMS) {
  gp__scatter_items<gp__of_block<THREADS>, TO, false>(items, rank, storage, count);
}
// Items become blocked (striped).
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_striped_to_blocked(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_rearrange<THREADS, GP_STRIPED, GP_BLOCKED>(items, storage);
}
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_blocked_to_striped(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_rearrange<THREADS, GP_BLOCKED, GP_STRIPED>(items, storage);
}
// Coalesced loads with a blocked result (and the reverse for stores). Storage as for the exchange.
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_load_transposed(
    T (&items)[ITEMS], const T *in, gp__u64 count, T fill, gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_load_striped<THREADS>(items, in, count, fill);
  gp_tile_striped_to_blocked<THREADS>(items, storage);
}
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_store_transposed(
    T (&items)[ITEMS], T *out, gp__u64 count, gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_blocked_to_striped<THREADS>(items, storage);
  gp_tile_store_striped<THREADS>(items, out, count);
}

// Groups of LANES lanes, a power of two: each has a tile of LANES * ITEMS elements, blocked or striped over its lanes,
// `in`, `out` and storage of its own. All lanes of the warp call. Storage may be used again after the next
// __syncwarp().
template<int LANES, int HOW, int ITEMS, class T>
GP_DEVICE void gp_warp_group_load(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  gp__load_tile<gp__of_group<LANES>, HOW>(items, in, count, fill);
}
template<int LANES, int HOW, int ITEMS, class T>
GP_DEVICE void gp_warp_group_store(const T (&items)[ITEMS], T *out, gp__u64 count) {
  gp__store_tile<gp__of_group<LANES>, HOW>(items, out, count);
}
template<int LANES, int FROM, int TO, int ITEMS, class T>
GP_DEVICE void gp_warp_group_rearrange(T (&items)[ITEMS], gp_tile_exchange_storage<LANES, ITEMS, T> &storage) {
  gp__rearrange<gp__of_group<LANES>, FROM, TO>(items, storage);
}
template<int LANES, int TO, int ITEMS, class T>
GP_DEVICE void gp_warp_group_scatter(T (&items)[ITEMS], const gp__u32 (&rank)[ITEMS],
    gp_tile_exchange_storage<LANES, ITEMS, T> &storage, unsigned count = LANES * ITEMS) {
  gp__scatter_items<gp__of_group<LANES>, TO, false>(items, rank, storage, count);
}
