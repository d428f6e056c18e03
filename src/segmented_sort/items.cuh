// segmented_sort/items.cuh - items: a key and its place, sorted by threads and lanes
// uses: core/words.h, device/vocabulary.cuh, device/warp.cuh

// Segments are sorted in classes by length. Up to GP__SHORT elements: a warp's shared memory holds many segments; one
// or two lanes sort a segment by a network in registers. Up to gp__middle_limit: 2 to 32 lanes a segment, also in
// registers. Up to a block's capacity: the block counts, or merges what its warps sorted. Longer: partitions by eight
// bits, the most significant that differ first, until parts fit a block (Stehle and Jacobsen, A Memory
// Bandwidth-Efficient Hybrid Radix Sort on GPUs); small neighbouring parts are sorted as one. The kernel for short
// segments lists the others. Long segments and their parts are tasks of a queue.
//
// The result depends on the input alone. Equal keys keep their order: after the key, the position in the input is
// compared. Without values, if all bits of the keys count, equal keys are indistinguishable and positions are left out.

// Operands of networks and merges: the bits of a key and, if INDEXED, the element's index below them.
template<class T> struct gp__scalar_item {
  typedef T type;
  static GP_DEVICE T last() { return T(~T(0)); } // not less than any item
  static GP_DEVICE bool less(T a, T b) { return a < b; }
  static GP_DEVICE void order(T &a, T &b) {
    const T low = b < a ? b : a, high = b < a ? a : b;
    a = low;
    b = high;
  }
  static GP_DEVICE T choose(T a, T b, bool lower) { return (b < a) == lower ? b : a; }
};
template<class Bits, bool INDEXED> struct gp__item;
template<class Bits> struct gp__key_register { typedef gp__u32 type; };
template<> struct gp__key_register<gp__u64> { typedef gp__u64 type; };
template<class Bits> struct gp__item<Bits, false> : gp__scalar_item<typename gp__key_register<Bits>::type> {
  typedef typename gp__key_register<Bits>::type C;
  static GP_DEVICE C make(Bits bits, gp__u32) { return bits; }
  static GP_DEVICE Bits bits(C c) { return Bits(c); }
  static GP_DEVICE gp__u32 index(C) { return 0; }
};
template<class Bits, class C, int SHIFT> struct gp__packed_item : gp__scalar_item<C> {
  static GP_DEVICE C make(Bits bits, gp__u32 index) { return C(bits) << SHIFT | index; }
  static GP_DEVICE Bits bits(C c) { return Bits(c >> SHIFT); }
  static GP_DEVICE gp__u32 index(C c) { return gp__u32(c & ((C(1) << SHIFT) - 1)); }
};
template<> struct gp__item<gp__u8, true> : gp__packed_item<gp__u8, gp__u32, 16> {};
template<> struct gp__item<gp__u16, true> : gp__packed_item<gp__u16, gp__u32, 16> {};
template<> struct gp__item<gp__u32, true> : gp__packed_item<gp__u32, gp__u64, 32> {};
template<> struct gp__item<gp__u64, true> {
  struct alignas(16) type {
    gp__u64 bits, index;
  };
  static GP_DEVICE type make(gp__u64 bits, gp__u32 index) { return type{bits, index}; }
  static GP_DEVICE type last() { return type{~0ull, ~0ull}; }
  static GP_DEVICE gp__u64 bits(const type &c) { return c.bits; }
  static GP_DEVICE gp__u32 index(const type &c) { return gp__u32(c.index); }
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

// Sorts a thread's K items, a power of two, by odd-even merge sort (Batcher, Sorting networks and their applications).
template<class Item, int K> GP_DEVICE void gp__sort_thread(typename Item::type (&x)[K]) {
  GP__UNROLL
  for (int size = 2; size <= K; size *= 2) {
    GP__EACH(i, K)
      if (!(i & (size / 2))) Item::order(x[i], x[i + size / 2]);
    GP__UNROLL
    for (int step = size / 4; step > 0; step /= 2) {
      GP__EACH(i, K)
        if ((i & step) && (i & (size - 1)) + step < size) Item::order(x[i], x[i + step]);
    }
  }
}
// Sorts the items of `lanes` neighbouring lanes, a power of two; each lane gets K consecutive items of the result.
// Lanes sort their own items, then merge halves bitonically, the second half read backwards. All lanes call. Loops over
// lanes are not unrolled: that costs most of a second of compile time for each number of lanes.
template<class Item, int K> GP_DEVICE void gp__sort_lanes(typename Item::type (&x)[K], int lanes) {
  typedef typename Item::type C;
  gp__sort_thread<Item>(x);
  GP__UNROLL_BY(1)
  for (int size = 2; size <= lanes; size *= 2) {
    const bool low = (gp_lane() & unsigned(size / 2)) == 0;
    GP__EACH(i, K / 2) {
      const C a = gp_warp_exchange(x[K - 1 - i], size - 1), b = gp_warp_exchange(x[i], size - 1);
      x[i] = Item::choose(x[i], a, low);
      x[K - 1 - i] = Item::choose(x[K - 1 - i], b, low);
    }
    GP__UNROLL_BY(1)
    for (int step = size / 4; step > 0; step /= 2) {
      const bool lower = (gp_lane() & unsigned(step)) == 0;
      GP__EACH(i, K) x[i] = Item::choose(x[i], gp_warp_exchange(x[i], step), lower);
    }
    GP__UNROLL
    for (int step = K / 2; step > 0; step /= 2) {
      GP__EACH(i, K)
        if (!(i & step)) Item::order(x[i], x[i + step]);
    }
  }
}
