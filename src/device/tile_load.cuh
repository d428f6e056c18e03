// device/tile_load.cuh - tiles: loads and stores, blocked, striped, vectorised
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh

// V elements, accessed as one vector of 16 bytes.
template<class T> union gp__vec {
  gp_vector vector;
  T item[sizeof(T) <= 16 ? 16 / sizeof(T) : 1];
  GP_DEVICE gp__vec() {}
};

// Each thread loads ITEMS consecutive elements of in[0 .. count) straight from memory. No storage, no barrier. Best for
// cached data or few elements; gp_tile_load_transposed is faster from memory.
template<int ITEMS, class T> GP_DEVICE void gp_tile_load_direct(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  const gp__u64 first = gp__u64(threadIdx.x) * ITEMS;
  GP__EACH(i, ITEMS) items[i] = first + i < count ? in[first + i] : fill;
}
template<int ITEMS, class T> GP_DEVICE void gp_tile_store_direct(const T (&items)[ITEMS], T *out, gp__u64 count) {
  const gp__u64 first = gp__u64(threadIdx.x) * ITEMS;
  GP__EACH(i, ITEMS)
    if (first + i < count) out[first + i] = items[i];
}

// Striped: neighbouring threads touch neighbouring elements. No storage, no barrier.
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_load_striped(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  GP__EACH(i, ITEMS) {
    const gp__u64 k = gp__u64(i) * THREADS + threadIdx.x;
    items[i] = k < count ? in[k] : fill;
  }
}
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_store_striped(const T (&items)[ITEMS], T *out, gp__u64 count) {
  GP__EACH(i, ITEMS) {
    const gp__u64 k = gp__u64(i) * THREADS + threadIdx.x;
    if (k < count) out[k] = items[i];
  }
}

// Vectorised: `in` (`out`) is aligned to 16 bytes, sizeof(T) divides 16, ITEMS is a multiple of V. items[k * V + j] is
// element (k * THREADS + t) * V + j. No storage, no barrier.
template<int THREADS, int CACHE, int ITEMS, class T>
GP_DEVICE void gp_tile_load_vectorised(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  const int V = 16 / sizeof(T);
  static_assert(16 % sizeof(T) == 0 && ITEMS % V == 0, "ITEMS is a multiple of 16 / sizeof(T)");
  GP__EACH(k, ITEMS / V) {
    const gp__u64 first = (gp__u64(k) * THREADS + threadIdx.x) * V;
    gp__vec<T> p;
    if (first + V <= count) p.vector = gp__load_vector<CACHE>(in + first);
    else {
      GP__EACH(j, V) p.item[j] = first + j < count ? in[first + j] : fill;
    }
    GP__EACH(j, V) items[k * V + j] = p.item[j];
  }
}
template<int THREADS, int CACHE, int ITEMS, class T>
GP_DEVICE void gp_tile_store_vectorised(const T (&items)[ITEMS], T *out, gp__u64 count) {
  const int V = 16 / sizeof(T);
  static_assert(16 % sizeof(T) == 0 && ITEMS % V == 0, "ITEMS is a multiple of 16 / sizeof(T)");
  GP__EACH(k, ITEMS / V) {
    const gp__u64 first = (gp__u64(k) * THREADS + threadIdx.x) * V;
    gp__vec<T> p;
    GP__EACH(j, V) p.item[j] = items[k * V + j];
    if (first + V <= count) gp__store_vector<CACHE>(out + first, p.vector);
    else {
      GP__EACH(j, V)
        if (first + j < count) out[first + j] = p.item[j];
    }
  }
}
