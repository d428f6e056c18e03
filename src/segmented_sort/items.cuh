// segmented_sort/items.cuh - items: a key and its place, sorted by threads and lanes
// uses: device/vocabulary.cuh, device/warp.cuh

// Segments by length, each class where it fits. Up to GP__SHORT elements: many side by side in the shared memory of a
// warp, where one or two lanes sort a segment by a network in registers. Up to gp__middle_limit: a warp sorts one to
// eight segments, 4 to 32 lanes a segment, again in registers. Up to what a block's shared memory holds: warps sort
// their parts, which are then merged there. Longer ones: partitions by eight bits, from the most significant that
// differ, until parts fit a block (Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs); parts
// side by side that are small are sorted as one. Short segments are read straight from the offsets; the others are
// listed by the kernel that reads these. Long ones and their parts are tasks of a queue: who finishes the last task of
// a step appends those of the next, so that no block waits for one that has not begun.
//
// The result depends on nothing but the input: equal keys keep their order, as the place in the input is sorted by,
// after the key. Where there are no values, and all bits of the keys count, equal keys cannot be told apart, and places
// are left out.

// What networks and merges compare: the bits of a key, and behind these the place of the element where PLACED.
template <class T> struct gp__scalar_item {
  typedef T type;
  static GP_DEVICE T last() { return static_cast<T>(~static_cast<T>(0)); } // behind all others, or equal to them
  static GP_DEVICE bool less(T a, T b) { return a < b; }
  static GP_DEVICE void order(T &a, T &b) {
    const T low = b < a ? b : a, high = b < a ? a : b;
    a = low;
    b = high;
  }
  static GP_DEVICE T choose(T a, T b, bool lower) { return (b < a) == lower ? b : a; }
};
template <class Bits, bool INDEXED> struct gp__item;
template <class Bits> struct gp__key_register { typedef gp__u32 type; };
template <> struct gp__key_register<gp__u64> { typedef gp__u64 type; };
template <class Bits> struct gp__item<Bits, false> : gp__scalar_item<typename gp__key_register<Bits>::type> {
  typedef typename gp__key_register<Bits>::type C;
  static GP_DEVICE C make(Bits bits, gp__u32) { return bits; }
  static GP_DEVICE Bits bits(C c) { return static_cast<Bits>(c); }
  static GP_DEVICE gp__u32 index(C) { return 0; }
};
template <> struct gp__item<unsigned char, true> : gp__scalar_item<gp__u32> {
  static GP_DEVICE gp__u32 make(unsigned char bits, gp__u32 index) { return static_cast<gp__u32>(bits) << 16 | index; }
  static GP_DEVICE unsigned char bits(gp__u32 c) { return static_cast<unsigned char>(c >> 16); }
  static GP_DEVICE gp__u32 index(gp__u32 c) { return c & 0xffffu; }
};
template <> struct gp__item<unsigned short, true> : gp__scalar_item<gp__u32> {
  static GP_DEVICE gp__u32 make(unsigned short bits, gp__u32 index) { return static_cast<gp__u32>(bits) << 16 | index; }
  static GP_DEVICE unsigned short bits(gp__u32 c) { return static_cast<unsigned short>(c >> 16); }
  static GP_DEVICE gp__u32 index(gp__u32 c) { return c & 0xffffu; }
};
template <> struct gp__item<gp__u32, true> : gp__scalar_item<gp__u64> {
  static GP_DEVICE gp__u64 make(gp__u32 bits, gp__u32 index) { return static_cast<gp__u64>(bits) << 32 | index; }
  static GP_DEVICE gp__u32 bits(gp__u64 c) { return static_cast<gp__u32>(c >> 32); }
  static GP_DEVICE gp__u32 index(gp__u64 c) { return static_cast<gp__u32>(c); }
};
template <> struct gp__item<gp__u64, true> {
  struct alignas(16) type {
    gp__u64 bits, index;
  };
  static GP_DEVICE type make(gp__u64 bits, gp__u32 index) { return type{bits, index}; }
  static GP_DEVICE type last() { return type{~0ull, ~0ull}; }
  static GP_DEVICE gp__u64 bits(const type &c) { return c.bits; }
  static GP_DEVICE gp__u32 index(const type &c) { return static_cast<gp__u32>(c.index); }
  static GP_DEVICE bool less(const type &a, const type &b) {
    return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
  }
  static GP_DEVICE void order(type &a, type &b) {
    const type x = a, y = b;
    const bool swap = less(y, x);
    a = swap ? y : x;
    b = swap ? x : y;
  }
  static GP_DEVICE type choose(const type &a, const type &b, bool lower) { return less(b, a) == lower ? b : a; }
};

// Sorts what a thread holds: odd-even merge sort (Batcher, Sorting networks and their applications). K: a power of two.
template <class Item, int K> GP_DEVICE void gp__sort_thread(typename Item::type (&x)[K]) {
  GPUPRIMS__UNROLL
  for (int size = 2; size <= K; size *= 2) {
    GPUPRIMS__UNROLL
    for (int i = 0; i < K; ++i)
      if (!(i & (size / 2))) Item::order(x[i], x[i + size / 2]);
    GPUPRIMS__UNROLL
    for (int step = size / 4; step > 0; step /= 2) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < K; ++i)
        if ((i & step) && (i & (size - 1)) + step < size) Item::order(x[i], x[i + step]);
    }
  }
}
// Sorts what so many neighbouring lanes of a warp hold, a power of two, each K consecutive elements of the result.
// Lanes sort their own, then bitonic merges of two halves, of which the second is read backwards. All lanes call.
// Loops over lanes stay loops: unrolled, they are most of a second of compiling for each number of lanes.
template <class Item, int K> GP_DEVICE void gp__sort_lanes(typename Item::type (&x)[K], int lanes) {
  typedef typename Item::type C;
  gp__sort_thread<Item>(x);
  GPUPRIMS__UNROLL_BY(1)
  for (int size = 2; size <= lanes; size *= 2) {
    const bool low = (gp_lane() & unsigned(size / 2)) == 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < K / 2; ++i) {
      const C a = gp_warp_exchange(x[K - 1 - i], size - 1), b = gp_warp_exchange(x[i], size - 1);
      x[i] = Item::choose(x[i], a, low);
      x[K - 1 - i] = Item::choose(x[K - 1 - i], b, low);
    }
    GPUPRIMS__UNROLL_BY(1)
    for (int step = size / 4; step > 0; step /= 2) {
      const bool lower = (gp_lane() & unsigned(step)) == 0;
      GPUPRIMS__UNROLL
      for (int i = 0; i < K; ++i) x[i] = Item::choose(x[i], gp_warp_exchange(x[i], step), lower);
    }
    GPUPRIMS__UNROLL
    for (int step = K / 2; step > 0; step /= 2) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < K; ++i)
        if (!(i & step)) Item::order(x[i], x[i + step]);
    }
  }
}
