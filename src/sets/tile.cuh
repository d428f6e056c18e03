// sets/tile.cuh - sets: inputs, borders, a tile
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, merge/policy.h, merge/arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/tile_search.cuh,
//   device/tile_sort.cuh, device/look_back.cuh, device/kernel.cuh, select/stream.cuh, merge/kernels.cuh,
//   merge/tile_sort.cuh

// Combines multisets as the C++ standard does. Both inputs are merged, the first one's elements first among equals. An
// element is kept or dropped by its rank among its equals: the k-th of the first input is paired with the k-th of the
// second, if both exist. A tile of the merged sequence ends where it splits no pair (Green, Odeh and Birk, Merge Path;
// Baxter's balanced path in Modern GPU, whose rule this is), so that ranks counted from its start give the same pairs.
// One pass counts the kept elements, gets the counts of earlier tiles by look-back, and writes the results.
//
// In a run of equal keys it is simple to tell which keys of the input that is merged last have a partner: the k-th has
// one if the other input has k. Union drops these keys of the second input. Intersection keeps those of the first
// input, and difference drops them: for both, the inputs change places.

// The inputs, in the order in which they are merged.
template<class Key, class Before> struct gp__set_inputs {
  const Key *keys[2];
  gp__u64 count[2];
  GP_DEVICE gp__set_inputs(const gp__merge_args &a, bool swapped)
    : keys{gp__as<const Key>(swapped ? a.keys2 : a.keys), gp__as<const Key>(swapped ? a.keys : a.keys2)},
      count{swapped ? a.count2 : gp__count(a), swapped ? gp__count(a) : a.count2} {}
};
// Finds a tile's border: at[i] elements of input i are before it. It is at `diagonal` or one element before; the merge
// path is there at `split`. In a run of equal keys, half of those before the border are of each input, if both have so
// many; otherwise all that the shorter one has.
template<class Key, class Before>
GP_DEVICE void gp__balanced_path(
    const gp__set_inputs<Key, Before> &s, gp__u64 diagonal, gp__u64 split, gp__u64 (&at)[2]) {
  at[0] = split;
  at[1] = diagonal - split;
  if (diagonal == 0 || diagonal == s.count[0] + s.count[1]) return;
  const bool second = at[1] > 0 && (at[0] == 0 || !Before()(s.keys[1][at[1] - 1], s.keys[0][at[0] - 1]));
  const Key x = second ? s.keys[1][at[1] - 1] : s.keys[0][at[0] - 1];
  gp__u64 first[2];
  GP__EACH(i, 2) { // start of x: back by powers of two, then by halves
    gp__u64 known = 0, back = at[i] ? 1 : 0;
    while (known < back && !Before()(s.keys[i][at[i] - back], x)) {
      known = back;
      back = 2 * back < at[i] ? 2 * back : at[i];
    }
    first[i] = gp_search(at[i] - back, back - known, gp__bound_before<false, Key, Before>{s.keys[i], x});
  }
  const gp__u64 half = (at[0] - first[0] + at[1] - first[1]) / 2;
  bool shorter[2]; // the run has no such half in this input
  GP__EACH(i, 2) shorter[i] = half && (first[i] + half > s.count[i] || Before()(x, s.keys[i][first[i] + half - 1]));
  at[0] = first[0] + half, at[1] = first[1] + half;
  GP__EACH(i, 2)
    if (shorter[i]) {
      const gp__u64 rest = s.count[i] - first[i];
      at[i] = gp_search(first[i], half < rest ? half : rest, gp__bound_before<true, Key, Before>{s.keys[i], x});
      at[1 - i] = diagonal - at[i];
    }
}
// Finds the starts of all tiles, one a thread. This takes more sequential steps than a warp would, but a small part of
// the loads.
template<class P, class Before, class Key, class Value> GP_DEVICE void gp__balanced_paths(const gp__merge_args &a) {
  const gp__u64 STEP =
      gp__u64(P::threads) * gp__merge_items(P::vectors, int(sizeof(Key)), gp__bytes_of<Value>::value) - 1;
  gp__pdl_wait<P>();
  const gp__set_inputs<Key, Before> s(a, false); // a border is the same in either order
  const gp__u64 all = s.count[0] + s.count[1], tiles = (all + STEP - 1) / STEP;
  const gp__u64 b = gp__u64(blockIdx.x) * P::threads + threadIdx.x;
  if (b > tiles) return;
  const gp__u64 diagonal = b * STEP < all ? b * STEP : all;
  gp__u64 at[2];
  gp__balanced_path(s, diagonal, gp_merge_split(s.keys[0], s.count[0], s.keys[1], s.count[1], diagonal, Before()), at);
  a.borders[b * 2] = at[0], a.borders[b * 2 + 1] = at[1];
}

template<int THREADS> struct gp__set_storage {
  gp__ticket ticket; // the next tile's; while results are counted, that of the one after it
  gp__u64 at[2][2]; // the next tile's two ends, in each input
  gp__u64 before; // results of the tiles before
  gp_tile_scan_storage<THREADS, gp__u32> scan;
};

template<class P, int SET, class Before, class Key, class Value> struct gp__set_tile {
  static const int THREADS = P::threads, KEY = int(sizeof(Key)), VALUE = gp__bytes_of<Value>::value;
  static const int ITEMS = gp__merge_items(P::vectors, KEY, VALUE), TILE = THREADS * ITEMS;
  static const int RESULTS_AT = gp__merge_window_bytes(TILE, KEY, 2), RESULT = gp__set_result_bytes(TILE, KEY, VALUE);
  static const int PLACES_AT = gp__merge_window_bytes(TILE, KEY, 1); // in the results
  static const int VALUES_AT = PLACES_AT + gp__merge_source_bytes(TILE, VALUE);
  static const bool SWAPPED =
      SET == GP_SET_INTERSECTION || SET == GP_SET_DIFFERENCE; // the second input is merged first
  typedef typename gp__either<(ITEMS < 32), gp__u32, gp__u64>::type Mask; // of a thread's elements and the one after
  // The upper halves of a thread's read positions record the inputs of its elements: predicates, which the compiler
  // would collect, cost more.
  static const bool MARKED = ITEMS < 32 && RESULTS_AT < 0x10000;
  static const bool WORDS = // word-sized keys alone
      VALUE == 0 && KEY == int(alignof(Key)) && (KEY == 4 || KEY == 8);
  typedef gp__set_storage<THREADS> Storage;
  typedef Key KeyType;

  const gp__u8 *window; // in shared memory
  const Key *keys, *keys2; // the tile's keys, there
  int n, m;

  // Returns how many of keys[0 .. end) equal x; none is after x. Rarely more than a few; if more, searches back by
  // powers of two, then by halves.
  static GP_DEVICE int equal_before(const Key *keys, int end, const Key &x) {
    const int FEW = 3;
    int low = 0, high = 2 * FEW;
    GP__UNROLL
    for (; low < FEW; ++low)
      if (low == end || Before()(keys[end - 1 - low], x)) return low;
    while (high <= end && !Before()(keys[end - high], x)) {
      low = high;
      high *= 2;
    }
    high = high <= end ? high : end + 1;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (Before()(keys[end - middle], x)) high = middle;
      else low = middle;
    }
    return low;
  }
  // Returns how many of keys[begin .. end) equal x; none is before x.
  static GP_DEVICE int equal_behind(const Key *keys, int begin, int end, const Key &x) {
    int low = begin, high = end;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (Before()(x, keys[middle])) high = middle;
      else low = middle + 1;
    }
    return low - begin;
  }
  GP_DEVICE int split(int diagonal) const {
    int low = diagonal > m ? diagonal - m : 0;
    const int high = diagonal < n ? diagonal : n;
    if (low == high) return low;
    GP__UNROLL
    for (int step = int(gp__power_of_two(TILE / 2 + 1, 1)); step; step /= 2) { // TILE's steps, for any range
      const int next = low + step < high ? low + step : high;
      if (!Before()(keys2[diagonal - next], keys[next - 1])) low = next;
    }
    return low;
  }
  // Called by one thread: merges elements from i and j on. Bit k of `second`: element k is of the second input; of
  // `tie`: it equals the one before it. Bit ITEMS: of the element after the thread's last. FULL: either input has more
  // than ITEMS elements from there on.
  template<bool FULL>
  GP_DEVICE void merge(int i, int j, bool after_second, Key (&key)[ITEMS], Mask &second, Mask &tie) const {
    const gp__u32 one_at = gp__u32(gp__as<const gp__u8>(keys) - window),
                  two_at = gp__u32(gp__as<const gp__u8>(keys2) - window);
    const gp__u32 one_end = one_at + gp__u32(n * KEY), two_end = two_at + gp__u32(m * KEY);
    gp__u32 x = one_at + gp__u32(i * KEY), y = two_at + gp__u32(j * KEY);
    Key one, two;
    second = tie = 0;
    if (FULL || i < n) one = keys[i];
    if (FULL || j < m) two = keys2[j];
    if (!FULL && i >= n) one = two; // never taken, but compared
    if (!FULL && j >= m) two = one;
    Key before = one;
    if (i + j > 0) before = after_second ? keys2[j - 1] : keys[i - 1];
    const gp__u8 *const behind = window + KEY;
    const gp__u32 PLACE = MARKED ? 0xffffu : ~0u;
    GP__EACH(k, ITEMS) {
      const bool later = Before()(two, one),
                 of_two = FULL ? later : (y & PLACE) < two_end && ((x & PLACE) >= one_end || later);
      const gp__u32 at = (of_two ? y : x) & PLACE;
      key[k] = of_two ? two : one;
      if (!MARKED) second |= Mask(of_two ? 1 : 0) << k;
      gp__select_advance(x, y, of_two, KEY + (MARKED && k < 16 ? 1u << (16 + k) % 32 : 0),
          KEY + (MARKED && k >= 16 ? 1u << k % 32 : 0));
      Key fresh = key[k];
      if (FULL || at + KEY < (of_two ? two_end : one_end)) fresh = *gp__as<const Key>(behind + at);
      one = of_two ? one : fresh;
      two = of_two ? fresh : two;
    }
    if (MARKED) second = (~x >> 16 & gp__bits_below<gp__u32>(ITEMS)) | (y & 0xffff0000u);
    const bool later = Before()(two, one),
               of_two = FULL ? later : (y & PLACE) < two_end && ((x & PLACE) >= one_end || later);
    second |= Mask(of_two ? 1 : 0) << ITEMS;
    GP__UNROLL
    for (int k = 0; k <= ITEMS; ++k) {
      const Key &a = k ? key[k - 1] : before, &b = k < ITEMS ? key[k < ITEMS ? k : 0] : of_two ? two : one;
      tie |= Mask(Before()(a, b) ? 0 : 1) << k;
    }
    tie &= gp__bits_below<Mask>(n + m - i - j);
    if (i + j == 0) tie &= ~Mask(1);
  }
  // Returns which elements of the second input have a partner. Shifts tell in runs that begin here; in a run that began
  // before, ranks do.
  GP_DEVICE Mask pairs(int i, int j, bool after_second, Mask second, Mask tie) const {
    const Mask outside = tie & ~(tie + 1), twos = outside & second; // the run that began before, if one did
    Mask ones, paired = gp__nested_pairs<ITEMS>(second, tie & ~outside, ones);
    if (twos) {
      const Key x = after_second ? keys2[j - 1] : keys[i - 1];
      const int ahead = equal_before(keys, i, x) - equal_before(keys2, j, x), here = gp__bit_count(outside & ~second);
      paired |= twos & gp__bits_below<Mask>(here + gp_max<int>()(ahead + here, 0));
    }
    return paired;
  }
  // Returns which elements of either input have a partner. If no two keys of one input are equal, a pair is adjacent,
  // the first input's key before the second's. Other runs of equal keys are handled one by one: keys of the first input
  // come first, and as many of either input are paired as both have. If keys that tie are identical, it does not matter
  // which are paired: shifts tell in runs that begin and end here.
  GP_DEVICE Mask pairs_of_both(int i, int j, bool after_second, const Key (&key)[ITEMS], Mask second, Mask tie) const {
    Mask paired = (second & tie) | (~second & tie >> 1);
    Mask others = tie & ~(second & ~(second << 1 | Mask(after_second ? 1 : 0)));
    if (VALUE == 0 && gp__ties_are_same<Before>::value) {
      const Mask starts = ~tie & gp__bits_below<Mask>(ITEMS + 1);
      const Mask behind = tie >> ITEMS ? ~gp__bits_below<Mask>(starts ? gp__width(starts) - 1 : 0) : 0;
      const Mask edges = (tie & ~(tie + 1)) | behind;
      Mask ones;
      const Mask twos = gp__nested_pairs<ITEMS>(second, tie & ~edges, ones);
      paired = (paired & edges) | ((ones | twos) & ~edges);
      others &= edges;
    }
    while (others) {
      const Mask upto = gp__bits_below<Mask>(gp__first_bit(others) + 1), starts = ~tie & upto,
                 ends = ~tie & ~upto & gp__bits_below<Mask>(ITEMS + 1);
      const int begin = starts ? gp__width(starts) - 1 : 0, end = ends ? gp__first_bit(ends) : ITEMS + 1;
      const Mask run = gp__bits_below<Mask>(end) & ~gp__bits_below<Mask>(begin),
                 here = run & gp__bits_below<Mask>(ITEMS);
      const int ones_here = gp__bit_count(here & ~second), twos_here = gp__bit_count(here & second);
      int one_rank = 0, two_rank = 0; // ranks of the first ones here in their inputs
      if (!starts) {
        const Key x = after_second ? keys2[j - 1] : keys[i - 1];
        one_rank = equal_before(keys, i, x);
        two_rank = equal_before(keys2, j, x);
      }
      int twos = two_rank + twos_here; // keys of the run; after the thread's elements only as far as they count
      if (end > ITEMS && ones_here) {
        const int from = j + gp__bit_count(second & gp__bits_below<Mask>(ITEMS)), most = one_rank + ones_here;
        twos += equal_behind(keys2, from, from + most < m ? from + most : m, key[ITEMS - 1]);
      }
      const int one_pairs = gp_min<int>()(gp_max<int>()(twos - one_rank, 0), ones_here);
      const int two_pairs = gp_min<int>()(gp_max<int>()(one_rank + ones_here - two_rank, 0), twos_here);
      paired = (paired & ~run) | (gp__bits_below<Mask>(begin + one_pairs) & ~gp__bits_below<Mask>(begin)) |
          (gp__bits_below<Mask>(begin + ones_here + two_pairs) & ~gp__bits_below<Mask>(begin + ones_here));
      others &= ~gp__bits_below<Mask>(end);
    }
    return paired;
  }
  // Called by one thread: merges `count` elements from i and j on. Returns which are kept; `second`: which are of the
  // second input.
  GP_DEVICE Mask operate(int i, int j, int count, Key (&key)[ITEMS], Mask &second) const {
    Mask tie;
    second = 0;
    if (count <= 0) return 0;
    const bool after_second = j > 0 && (i == 0 || !Before()(keys2[j - 1], keys[i - 1]));
    if (i + ITEMS < n && j + ITEMS < m) merge<true>(i, j, after_second, key, second, tie);
    else merge<false>(i, j, after_second, key, second, tie);
    const bool BOTH = SET == GP_SET_SYMMETRIC_DIFFERENCE;
    const Mask paired =
        BOTH ? pairs_of_both(i, j, after_second, key, second, tie) : pairs(i, j, after_second, second, tie);
    return gp__bits_below<Mask>(count) &
        (SET == GP_SET_INTERSECTION ? paired
                : SET == GP_SET_DIFFERENCE ? second & ~paired
                : ~paired);
  }
};

// The values of a tile: those of each input are consecutive and keep their alignment to 16 bytes.
template<class Tile, class Loads, class Value> struct gp__set_tile_values {
  static const unsigned SIZE = unsigned(sizeof(Value)), UNIT = unsigned(Loads::UNIT);
  const gp__merge_args &a;
  gp__u64 all, all2, first, first2; // counts of the inputs; the tile's start in each
  int n, m;
  static const bool TWO = !Tile::SWAPPED; // values of the input merged first are output
  template<class Window>
  static GP_DEVICE gp__set_tile_values of(const gp__merge_args &a, gp__u64 all, gp__u64 all2, const Window &w) {
    return gp__set_tile_values{a, all, all2, w.first, w.first2, TWO ? w.n : 0, w.m};
  }
  GP_DEVICE const gp__u8 *from() const { return gp__bytes_at(a.values) + (TWO ? first : 0) * SIZE; }
  GP_DEVICE const gp__u8 *from2() const { return gp__bytes_at(TWO ? a.values2 : a.values) + first2 * SIZE; }
  static GP_DEVICE unsigned units(const gp__u8 *p, int count) {
    return count ? (gp__misalignment(p, UNIT) + unsigned(count) * SIZE + UNIT - 1) / UNIT : 0;
  }
  GP_DEVICE void load(Loads &loads) const {
    const gp__u8 *p = from(), *q = from2();
    loads.load(p - gp__misalignment(p, UNIT), units(p, n), p - (TWO ? first : 0) * SIZE,
        p + ((TWO ? all - first : 0) * SIZE), q - gp__misalignment(q, UNIT), units(q, m), q - first2 * SIZE,
        q + (all2 - first2) * SIZE);
  }
  GP_DEVICE void store(const Loads &loads, gp__u8 *shared) const {
    loads.template store<~0u, 0>(shared, 0, units(from(), n), shared + units(from(), n) * UNIT, 0, units(from2(), m));
  }
  GP_DEVICE void write(gp__u64 before, const gp__u16 *places, int kept, const gp__u8 *shared) const {
    gp__picked<Value>::template run<Tile::THREADS>(gp__as<Value>(a.out_values) + before, places, kept,
        shared + gp__misalignment(from(), UNIT), shared + units(from(), n) * UNIT + gp__misalignment(from2(), UNIT), n,
        threadIdx.x);
  }
};
template<class Tile, class Loads> struct gp__set_tile_values<Tile, Loads, gp__none> {
  int n;
  template<class Window>
  static GP_DEVICE gp__set_tile_values of(const gp__merge_args &, gp__u64, gp__u64, const Window &) {
    return gp__set_tile_values{0};
  }
  GP_DEVICE void load(Loads &) const {}
  GP_DEVICE void store(const Loads &, gp__u8 *) const {}
  GP_DEVICE void write(gp__u64, const gp__u16 *, int, const gp__u8 *) const {}
};
