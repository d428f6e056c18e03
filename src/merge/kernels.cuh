// merge/kernels.cuh - merge: a tile, rings, and the kernel
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, merge/policy.h, merge/arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/tile_search.cuh, device/tile_transpose.cuh,
//   device/kernel.cuh, select/stream.cuh

// Green, Odeh and Birk, Merge Path: A Visually Intuitive Approach to Parallel Merging. Every block takes one range of
// the output and searches memory once, for its start in each input. Rings in shared memory hold the next elements of
// each input, a tile's worth of both. The end of an output tile is found in the rings. While a tile is merged, as many
// elements as it takes are loaded; they enter the rings when it is done. Each element is read once for any inputs. A
// thread merges consecutive output elements from both ends at once: a load depends on the one before it, and two such
// chains wait together. A warp writes its own elements. Values are not merged: a tile has consecutive values of each
// input, as many as keys. They are loaded while keys are merged, then picked by their places.

// Elements are loaded by units: of 16 bytes if they are aligned to their size, otherwise of their alignment.
template<int BYTES> struct gp__unit_of { typedef typename gp__unsigned_of<BYTES>::type type; };
template<> struct gp__unit_of<16> { typedef gp_vector type; };
template<class T> struct gp__unit {
  static const int ALIGN = int(alignof(T)), BYTES = ALIGN >= 16 || ALIGN == int(sizeof(T)) ? 16 : ALIGN;
  typedef typename gp__unit_of<BYTES>::type type;
};
template<int CACHE> GP_DEVICE void gp__load_merge_unit(gp_vector &v, const void *p) { v = gp__load_vector<CACHE>(p); }
template<int CACHE, class U> GP_DEVICE void gp__load_merge_unit(U &u, const void *p) { u = *gp__as<const U>(p); }
// Loads the unit at p. If it is partly outside [begin, end), a vector gets the elements inside, other units nothing.
// WHOLE: it is inside.
template<class T>
GP_DEVICE void gp__load_unit_parts(gp_vector &u, const gp__u8 *p, const gp__u8 *begin, const gp__u8 *end) {
  u = gp__load_words<(sizeof(T) < 4 ? int(sizeof(T)) : 4)>(p, begin, end);
}
template<class T, class Unit>
GP_DEVICE void gp__load_unit_parts(Unit &, const gp__u8 *, const gp__u8 *, const gp__u8 *) {}
template<bool WHOLE, int CACHE, class T>
GP_DEVICE void gp__load_unit_between(
    typename gp__unit<T>::type &u, const gp__u8 *p, const gp__u8 *begin, const gp__u8 *end) {
  if (WHOLE || (p >= begin && p + gp__unit<T>::BYTES <= end)) gp__load_merge_unit<CACHE>(u, p);
  else gp__load_unit_parts<T>(u, p, begin, end);
}

// Elements of two arrays on their way to shared memory, in the registers of a block of THREADS; ITEMS a thread for both
// together.
template<int THREADS, int ITEMS, int CACHE, class T> struct gp__two_loads {
  typedef typename gp__unit<T>::type Unit;
  static const int UNIT = gp__unit<T>::BYTES, SIZE = int(sizeof(T));
  static const int COUNT = (THREADS * ITEMS * SIZE / UNIT + (UNIT > SIZE ? 4 : 0) + THREADS - 1) / THREADS;
  Unit unit[COUNT];
  template<bool WHOLE>
  GP_DEVICE void load_units(const gp__u8 *p, unsigned n, const gp__u8 *p_begin, const gp__u8 *p_end, const gp__u8 *q,
      unsigned m, const gp__u8 *q_begin, const gp__u8 *q_end) {
    const gp__u8 *one = p + threadIdx.x * UNIT;
    const gp__u8 *two = (m ? q : p) + (int(threadIdx.x) - int(n)) * UNIT; // q may be null if m is 0
    GP__EACH(k, COUNT) {
      const unsigned i = unsigned(k * THREADS) + threadIdx.x;
      const bool second = i >= n;
      if (i < n + m)
        gp__load_unit_between<WHOLE, CACHE, T>(
            unit[k], (second ? two : one) + k * (THREADS * UNIT), second ? q_begin : p_begin, second ? q_end : p_end);
    }
  }
  // Loads n units from p on, and m from q on. Nothing outside an array's [begin, end) may be read; only its first and
  // last units may be partly outside.
  GP_DEVICE void load(const gp__u8 *p, unsigned n, const gp__u8 *p_begin, const gp__u8 *p_end, const gp__u8 *q,
      unsigned m, const gp__u8 *q_begin, const gp__u8 *q_end) {
    const bool whole = SIZE >= UNIT ||
        ((n == 0 || (p >= p_begin && p + n * UNIT <= p_end)) && (m == 0 || (q >= q_begin && q + m * UNIT <= q_end)));
    if (whole) load_units<true>(p, n, p_begin, p_end, q, m, q_begin, q_end);
    else load_units<false>(p, n, p_begin, p_end, q, m, q_begin, q_end);
  }
  // Stores to byte `to` of the ring at `base`, and `also` of the one at `other`. A ring has RING bytes; its first
  // MIRROR bytes are repeated after it.
  template<unsigned RING, unsigned MIRROR>
  GP_DEVICE void store(gp__u8 *base, unsigned to, unsigned n, gp__u8 *other, unsigned also, unsigned m) const {
    const unsigned one = to + threadIdx.x * UNIT, two = also + (threadIdx.x - n) * UNIT;
    GP__EACH(k, COUNT) {
      const unsigned i = unsigned(k * THREADS) + threadIdx.x;
      const bool second = i >= n;
      const unsigned at = (second ? two : one) + unsigned(k * THREADS * UNIT), from = gp_min<gp__u32>()(at, at - RING);
      gp__u8 *const target = (second ? other : base) + from;
      if (i < n + m) *gp__as<Unit>(target) = unit[k];
      if (MIRROR && i < n + m && from < MIRROR) *gp__as<Unit>(target + RING) = unit[k];
    }
  }
};

// One input of a range: the contents of its ring, and what comes next. The element before these, if any, stays in the
// ring (KEEPS: elements smaller than a unit). A ring has more units than a tile takes, unless the tile begins within a
// unit; then the element is in that unit.
template<class T, int TILE, int ITEMS> struct gp__merge_side {
  static const unsigned SIZE = unsigned(sizeof(T)), UNIT = unsigned(gp__unit<T>::BYTES);
  static const bool KEEPS = UNIT > SIZE;
  static const unsigned WINDOW = (TILE * SIZE + (KEEPS ? 2 * UNIT : 0) + UNIT - 1) / UNIT * UNIT; // bytes
  static const unsigned ROOM = gp__merge_ring_bytes(TILE, int(SIZE));
  static const bool MASKED = (ROOM & (ROOM - 1)) == 0 && (SIZE & (SIZE - 1)) == 0;
  static const unsigned RING = MASKED ? ROOM : WINDOW, MIRROR = unsigned(gp__merge_mirror_bytes(ITEMS, int(SIZE)));
  const gp__u8 *next; // the next unit to load
  gp__u32 left; // elements not merged that may be in the range
  unsigned first; // byte of the ring where they begin
  unsigned fill; // byte of the ring where the next unit goes
  int have; // units from the one of `first` to `fill`
  bool before; // an element before `first` is in the ring
  GP_DEVICE void start(const T *from, gp__u32 count, bool has_before) {
    before = KEEPS && has_before;
    from -= before ? 1 : 0;
    const unsigned shift = gp__misalignment(from, UNIT);
    next = gp__as<const gp__u8>(from) - shift;
    left = count;
    first = shift + (before ? SIZE : 0);
    fill = 0;
    have = -int(first / UNIT);
  }
  static GP_DEVICE unsigned wrap(unsigned at) { // below 2 * RING
    return MASKED ? at & (RING - 1) : gp_min<gp__u32>()(at, at - RING);
  }
  // Byte at which a thread's part begins. The thread also reads the element before it, so the part may be in the
  // mirror.
  static GP_DEVICE unsigned part(unsigned at) {
    const unsigned LEAD = KEEPS ? UNIT : 0, from = wrap(at);
    return from < LEAD ? from + RING : from;
  }
  // Most elements of this input in a tile if `rest` are left; these are in the ring.
  GP_DEVICE unsigned window(gp__u32 rest) const { return gp_min<gp__u32>()(gp_min<gp__u32>()(left, rest), TILE); }
  // Units missing in the ring for that.
  GP_DEVICE unsigned missing(gp__u32 rest) const {
    const unsigned m = window(rest);
    const int wanted = m ? int((first % UNIT + m * SIZE + UNIT - 1) / UNIT) : 0;
    return wanted > have ? unsigned(wanted - have) : 0;
  }
  GP_DEVICE void merged(unsigned n) {
    have -= int((first % UNIT + n * SIZE) / UNIT);
    first = wrap(first + n * SIZE);
    left -= n;
    before = before || (KEEPS && n > 0);
  }
  GP_DEVICE void loaded(unsigned units) {
    next += units * UNIT;
    fill = wrap(fill + units * UNIT);
    have += int(units);
  }
};

// Called by a warp: copies n elements, at most and often N, from shared memory to consecutive addresses of the same
// alignment to 16 bytes.
template<class T, bool VECTORS = (sizeof(T) < 16 && 16 % sizeof(T) == 0)> struct gp__write_alike {
  template<int N> static GP_DEVICE void run(T *to, const gp__u8 *shared, int n) {
    const int V = 16 / int(sizeof(T)), lane = int(gp_lane());
    const int head = int(((16 - gp__misalignment(to, 16)) & 15u) / unsigned(sizeof(T))), vectors = (N - head) / V;
    if (n < N || V >= 32 || (alignof(T) < sizeof(T) && gp__misalignment(to, sizeof(T)))) {
      gp__copy_out<T>::run(to, shared, n);
      return;
    }
    const T *from = gp__as<const T>(shared);
    if (lane < head) to[lane] = from[lane];
    GP__EACH(k, (N / V + 31) / 32)
      if (k * 32 + lane < vectors)
        gp__vector_at(gp__as<gp_vector>(to + head) + k * 32 + lane) =
            gp__vector_at(gp__as<const gp_vector>(from + head) + k * 32 + lane);
    const int tail = head + vectors * V + lane;
    if (tail < N) to[tail] = from[tail];
  }
};
template<class T> struct gp__write_alike<T, false> {
  template<int N> static GP_DEVICE void run(T *to, const gp__u8 *shared, int n) {
    typedef typename gp__unit<T>::type Unit;
    const int units = n * (int(sizeof(T)) / gp__unit<T>::BYTES);
    GP__UNROLL_BY(4)
    for (int i = int(gp_lane()); i < units; i += 32) gp__as<Unit>(to)[i] = gp__as<const Unit>(shared)[i];
  }
};

GP_DEVICE const gp__u8 *gp__bytes_at(const void *p) { return gp__as<const gp__u8>(p); }
// Advances a pointer to values, which may be absent.
template<class V> GP_DEVICE V *gp__ahead(V *p, gp__u64 n) { return p + n; }
GP_DEVICE gp__none *gp__ahead(gp__none *p, gp__u64) { return p; }
GP_DEVICE const gp__none *gp__ahead(const gp__none *p, gp__u64) { return p; }
template<bool FIRST, class A, class B> struct gp__either { typedef A type; };
template<class A, class B> struct gp__either<false, A, B> { typedef B type; };

// RANKS threads pick values from shared memory by their places, piece by piece, and write them to consecutive
// addresses. Places from `split` on are in the second array.
template<class Value> struct gp__picked {
  static const int SIZE = int(sizeof(Value)), ALIGN = int(alignof(Value)),
                   PIECE = ALIGN >= 16 ? 16 : ALIGN; // bytes moved at once
  typedef typename gp__unit_of<PIECE>::type Piece;
  template<int RANKS>
  static GP_DEVICE void run(
      void *to, const gp__u16 *source, int n, const gp__u8 *first, const gp__u8 *second, int split, unsigned rank) {
    const int PIECES = SIZE / PIECE;
    Piece *out = gp__as<Piece>(to);
    GP__UNROLL_BY(4)
    for (int i = int(rank); i < n * PIECES; i += RANKS) {
      const int k = source[i / PIECES], part = i % PIECES;
      const gp__u8 *from = k < split ? first + k * SIZE : second + (k - split) * SIZE;
      out[i] = *gp__as<const Piece>(from + part * PIECE);
    }
  }
};

template<int THREADS> struct gp__merge_storage {
  gp__u64 border; // elements of the first input before the range
  gp__u32 split[THREADS + 1]; // elements of the first input, in a tile, before each thread's part
};

template<class P, class Before, class Key, class Value> struct gp__merger {
  static const int THREADS = P::threads, KEY = int(sizeof(Key)), VALUE = gp__bytes_of<Value>::value;
  static const int ITEMS = gp__merge_items(P::vectors, KEY, VALUE), TILE = THREADS * ITEMS;
  static const int RING_AT = gp__merge_ring_bytes(TILE, KEY) + gp__merge_mirror_bytes(ITEMS, KEY), OUT_AT = 2 * RING_AT;
  static const int SOURCES_AT = OUT_AT + gp__merge_out_bytes(THREADS, ITEMS, KEY);
  static const int VALUES_AT = SOURCES_AT + gp__merge_source_bytes(TILE, VALUE);
  typedef gp__merge_side<Key, TILE, ITEMS> Side;
  typedef gp__two_loads<THREADS, ITEMS, P::load, Key> KeyLoads;
  typedef gp__two_loads<THREADS, ITEMS, P::load, typename gp__either<VALUE == 0, Key, Value>::type> ValueLoads;
  typedef gp__merge_storage<THREADS> Storage;

  const gp__merge_args &a;
  Storage &s;
  gp__u8 *shared;
  gp__u64 count, count2; // elements of the inputs

  GP_DEVICE const gp__u8 *end_of_keys() const { return gp__bytes_at(a.keys) + count * KEY; }
  GP_DEVICE const gp__u8 *begin2() const { return gp__bytes_at(a.run ? a.keys : a.keys2); }
  GP_DEVICE const gp__u8 *end2() const { return a.run ? end_of_keys() : begin2() + count2 * KEY; }

  // Returns how many of the first `diagonal` merged elements of two windows are in the first window. The windows have n
  // and m elements and begin at bytes `first` and `second` of the rings.
  GP_DEVICE int split(unsigned first, int n, unsigned second, int m, int diagonal) const {
    int low = diagonal > m ? diagonal - m : 0;
    const int high = diagonal < n ? diagonal : n;
    const unsigned from = first - KEY, last = second + unsigned(diagonal * KEY);
    if (low == high) return low;
    GP__UNROLL
    for (int step = int(gp__power_of_two(TILE / 2 + 1, 1)); step; step /= 2) { // TILE's steps, for any range
      const int next = low + step < high ? low + step : high;
      const unsigned x = Side::wrap(from + unsigned(next * KEY)), y = Side::wrap(last - unsigned(next * KEY));
      if (!Before()(*gp__as<const Key>(shared + RING_AT + y), *gp__as<const Key>(shared + x))) low = next;
    }
    return low;
  }
  // The key at byte `at`, or `behind` keys after it. This offset is added to the base first, which all threads share.
  GP_DEVICE Key key_at(unsigned at, int behind = 0) const { return *gp__as<const Key>(shared + behind * KEY + at); }
  // One thread merges ITEMS elements from both ends: forwards from bytes x and y, and backwards from the keys before
  // bytes x_end and y_end. at to at2_end: places of their values. If all keys of one input are taken, the key before
  // them is compared but not taken: it comes before all others.
  GP_DEVICE void merge_ends(unsigned x, unsigned y, unsigned x_end, unsigned y_end, int at, int at2, int at_end,
      int at2_end, Key *out, gp__u16 *sources) const {
    const int HALF = (ITEMS + 1) / 2;
    const gp__u32 BACK = gp__u32(0) - KEY;
    Key one = key_at(x), two = key_at(y), one_end = key_at(x_end, -1), two_end = key_at(y_end, -1);
    GP__EACH(k, HALF) {
      const int last = ITEMS - 1 - k;
      const bool second = Before()(two, one), end_second = !Before()(two_end, one_end);
      out[k] = second ? two : one;
      if (VALUE) sources[k] = gp__u16(second ? at2 : at);
      if (last > k) {
        out[last] = end_second ? two_end : one_end;
        if (VALUE) sources[last] = gp__u16(end_second ? --at2_end : --at_end);
      }
      if (k + 1 < HALF) {
        const Key fresh = key_at(second ? y : x, 1), fresh_end = key_at(end_second ? y_end : x_end, -2);
        gp__select_advance(x, y, second, KEY, KEY);
        gp__select_advance(x_end, y_end, end_second, BACK, BACK);
        if (VALUE) at += second ? 0 : 1;
        if (VALUE) at2 += second ? 1 : 0;
        one = second ? one : fresh;
        two = second ? fresh : two;
        one_end = end_second ? one_end : fresh_end;
        two_end = end_second ? fresh_end : two_end;
      }
    }
  }
  // One thread merges n elements: `left` of the first input, from byte x on, and left2 of the second, from byte y on.
  // FULL: n is ITEMS, and elements follow. at, at2: places of their values.
  template<bool FULL>
  GP_DEVICE void merge(
      unsigned x, int left, unsigned y, int left2, int n, int at, int at2, Key *out, gp__u16 *sources) const {
    Key one, two;
    if (FULL || left > 0) one = key_at(x);
    if (FULL || left2 > 0) two = key_at(y);
    if (!FULL && n == 0) return;
    if (!FULL && left == 0) one = two; // never taken, but compared
    if (!FULL && left2 == 0) two = one;
    GP__EACH(k, ITEMS) {
      const bool later = Before()(two, one), of_second = FULL ? later : left2 > 0 && (left == 0 || later);
      if (FULL || k < n) {
        out[k] = of_second ? two : one;
        if (VALUE) sources[k] = gp__u16(of_second ? at2 : at);
      }
      if (k + 1 == ITEMS) break;
      left -= of_second ? 0 : 1;
      left2 -= of_second ? 1 : 0;
      if (VALUE) at += of_second ? 0 : 1;
      if (VALUE) at2 += of_second ? 1 : 0;
      Key fresh = of_second ? two : one;
      if (FULL || (k + 1 < n && (of_second ? left2 : left) > 0)) fresh = key_at(of_second ? y : x, 1);
      gp__select_advance(x, y, of_second, KEY, KEY);
      one = of_second ? one : fresh;
      two = of_second ? fresh : two;
    }
  }

  // Merges `rest` elements of the inputs, of which n are from `keys` on and m from `keys2` on, to `out`. has, has2: the
  // element before these is merged already.
  GP_DEVICE void range(const Key *keys, bool has, const Key *keys2, bool has2, const Value *values,
      const Value *values2, gp__u32 n, gp__u32 m, gp__u32 rest, Key *out, Value *out_values) const {
    Side first, second;
    first.start(keys, n, has);
    second.start(keys2, m, has2);
    unsigned units = first.missing(rest), units2 = second.missing(rest);
    KeyLoads next;
    next.load(first.next, units, gp__bytes_at(a.keys), end_of_keys(), second.next, 0, begin2(), end2());
    next.template store<Side::RING, Side::MIRROR>(shared, 0, units, shared + RING_AT, 0, 0);
    next.load(first.next, 0, gp__bytes_at(a.keys), end_of_keys(), second.next, units2, begin2(), end2());
    next.template store<Side::RING, Side::MIRROR>(shared, 0, 0, shared + RING_AT, 0, units2);
    first.loaded(units);
    second.loaded(units2);
    const int from = int(gp_warp()) * (32 * ITEMS); // the warp's first element of a tile
    while (rest) {
      __syncthreads(); // the rings are filled
      const unsigned window = first.window(rest), window2 = second.window(rest);
      const unsigned tile = gp_min<gp__u32>()(rest, TILE);
      const unsigned mine = threadIdx.x * ITEMS < tile ? threadIdx.x * ITEMS : tile;
      const unsigned end = mine + ITEMS < tile ? mine + ITEMS : tile;
      const unsigned at = first.first, at2 = second.first;
      const bool ends = first.before && second.before;
      const unsigned i_end = unsigned(split(at, int(window), at2, int(window2), int(end)));
      s.split[threadIdx.x + 1] = i_end;
      if (!threadIdx.x) s.split[0] = 0;
      __syncthreads();
      const unsigned i = s.split[threadIdx.x], taken = s.split[THREADS], taken2 = tile - taken;
      first.merged(taken);
      second.merged(taken2);
      rest -= tile;
      units = first.missing(rest);
      units2 = second.missing(rest);
      next.load(first.next, units, gp__bytes_at(a.keys), end_of_keys(), second.next, units2, begin2(), end2());
      ValueLoads moving;
      const unsigned shift = VALUE ? gp__misalignment(values, ValueLoads::UNIT) : 0,
                     shift2 = VALUE ? gp__misalignment(values2, ValueLoads::UNIT) : 0;
      const unsigned values_units = taken ? (shift + taken * VALUE + ValueLoads::UNIT - 1) / ValueLoads::UNIT : 0,
                     values_units2 = taken2 ? (shift2 + taken2 * VALUE + ValueLoads::UNIT - 1) / ValueLoads::UNIT : 0;
      if (VALUE)
        moving.load(gp__bytes_at(values) - shift, values_units, gp__bytes_at(a.values),
            gp__bytes_at(a.values) + count * VALUE, gp__bytes_at(values2) - shift2, values_units2,
            gp__bytes_at(a.run ? a.values : a.values2),
            a.run ? gp__bytes_at(a.values) + count * VALUE : gp__bytes_at(a.values2) + count2 * VALUE);
      const int here = int(tile) - from < 0 ? 0 : int(tile) - from < 32 * ITEMS ? int(tile) - from : 32 * ITEMS;
      gp__u8 *gathered = shared + OUT_AT + int(gp_warp()) * (32 * ITEMS * KEY + GP__VECTOR);
      gathered += gp__misalignment(out + from, 16);
      Key *mine_out = gp__as<Key>(gathered) + gp_lane() * ITEMS;
      gp__u16 *sources = gp__as<gp__u16>(shared + SOURCES_AT) + threadIdx.x * ITEMS;
      const unsigned x = Side::part(at + i * KEY), y = RING_AT + Side::part(at2 + (mine - i) * KEY);
      const int left = int(i_end - i), left2 = int(end - mine) - left;
      if (window == TILE && window2 == TILE && ends)
        merge_ends(x, y, x + unsigned(left * KEY), y + unsigned(left2 * KEY), int(i), int(taken + mine - i), int(i_end),
            int(taken + end - i_end), mine_out, sources);
      else if (window == TILE && window2 == TILE)
        merge<true>(x, left, y, left2, ITEMS, int(i), int(taken + mine - i), mine_out, sources);
      else merge<false>(x, left, y, left2, int(end - mine), int(i), int(taken + mine - i), mine_out, sources);
      __syncwarp();
      gp__write_alike<Key>::template run<32 * ITEMS>(out + from, gathered, here);
      __syncthreads(); // the rings have been read
      next.template store<Side::RING, Side::MIRROR>(shared, first.fill, units, shared + RING_AT, second.fill, units2);
      first.loaded(units);
      second.loaded(units2);
      if (VALUE) {
        gp__u8 *at_values = shared + VALUES_AT, *at_values2 = at_values + values_units * ValueLoads::UNIT;
        moving.template store<~0u, 0>(at_values, 0, values_units, at_values2, 0, values_units2);
        __syncthreads();
        pick(gp__ahead(out_values, from), gp__as<const gp__u16>(shared + SOURCES_AT) + from, here, at_values + shift,
            at_values2 + shift2, int(taken));
        values = gp__ahead(values, taken);
        values2 = gp__ahead(values2, taken2);
        out_values = gp__ahead(out_values, tile);
      }
      out += tile;
    }
  }
  template<class V>
  static GP_DEVICE void pick(
      V *to, const gp__u16 *source, int n, const gp__u8 *first, const gp__u8 *second, int split) {
    gp__picked<V>::template run<32>(to, source, n, first, second, split, gp_lane());
  }
  static GP_DEVICE void pick(gp__none *, const gp__u16 *, int, const gp__u8 *, const gp__u8 *, int) {}
};

// Merges two sorted arrays; among equals the first one's elements come first. With a.run, merges all pairs of runs of
// one array.
template<class P, class Before, class Key, class Value> GP_DEVICE void gp__merge(const gp__merge_args &a) {
  typedef gp__merger<P, Before, Key, Value> Merger;
  typedef typename Merger::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), all = n + (a.run ? 0 : a.count2), tiles = (all + Merger::TILE - 1) / Merger::TILE;
  const Merger merger = {a, s, shared, n, a.count2};
  const gp__u64 stop = tiles * (blockIdx.x + 1) / gridDim.x * Merger::TILE, end = stop < all ? stop : all;
  const Key *keys = gp__as<const Key>(a.keys);
  const Value *values = gp__as<const Value>(a.values);
  gp__u64 at = tiles * blockIdx.x / gridDim.x * Merger::TILE;
  while (at < end) {
    gp__u64 base = 0, n1 = n, n2 = a.count2;
    const Key *one = keys, *two = gp__as<const Key>(a.keys2);
    const Value *value1 = values, *value2 = gp__as<const Value>(a.values2);
    if (a.run) {
      base = at / (2 * a.run) * (2 * a.run);
      n1 = n - base < a.run ? n - base : a.run;
      n2 = n - base - n1 < a.run ? n - base - n1 : a.run;
      one += base;
      two = one + n1;
      value1 = gp__ahead(value1, base);
      value2 = gp__ahead(value1, n1);
    }
    const gp__u64 MOST = gp__u64(1) << 30, length = end - at < MOST ? end - at : MOST; // most elements of a range
    const gp__u64 diagonal = at - base, rest = n1 + n2 - diagonal < length ? n1 + n2 - diagonal : length;
    if (!gp_warp()) {
      const gp__u64 split = gp_warp_merge_split(one, n1, two, n2, diagonal, Before());
      if (!gp_lane()) s.border = split;
    }
    __syncthreads();
    const gp__u64 i = s.border, j = diagonal - i, i_most = n1 - i < rest ? n1 - i : rest,
                  j_most = n2 - j < rest ? n2 - j : rest;
    merger.range(one + i, i > 0, two + j, j > 0, gp__ahead(value1, i), gp__ahead(value2, j), gp__u32(i_most),
        gp__u32(j_most), gp__u32(rest), gp__as<Key>(a.out_keys) + at, gp__ahead(gp__as<Value>(a.out_values), at));
    at += rest;
  }
}
