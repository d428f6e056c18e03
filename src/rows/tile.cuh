// rows/tile.cuh - lines of a strided array in shared memory
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, rows/arguments.h,
//   device/vector_access.cuh, device/tile_reduce.cuh, rows/row.cuh

enum { GP__LINES = 11 << 12 }; // more than a tile has
// n / by, for n below 2 GP__LINES and `by` up to that.
struct gp__line_number {
  unsigned by, factor;
  GP_DEVICE explicit gp__line_number(unsigned by_) : by(by_), factor(by_ > 1 ? ~0u / by_ + 1 : 0) {}
  GP_DEVICE unsigned operator()(unsigned n) const { return by > 1 ? gp__high_product(n, factor) : n; }
};
// How often an index of a dimension starts again within n steps from `at` on.
struct gp__line_turns {
  gp__line_number number;
  unsigned skipped;
  GP_DEVICE gp__line_turns(gp__u64 at, gp__u64 extent)
    : number(extent < GP__LINES ? unsigned(extent) : unsigned(GP__LINES)),
      skipped(extent - at < number.by ? number.by - unsigned(extent - at) : 0) {}
  GP_DEVICE unsigned operator()(unsigned n) const { return number(skipped + n); }
};
// Rows `first` ... of the call, `pitch` elements apart, or anywhere; or a part of a row.
template<class T> struct gp__lines {
  typedef gp__row<T, unsigned> Line;
  const T *at;
  gp__i64 pitch, stride; // in elements, from line to line, from element to element
  unsigned rows, length;
  bool pitched;
  gp__line_turns turns[2]; // of dimensions 1 and 2
  gp__i64 turned[2]; // elements that a turn adds
  // Elements `begin` ... of row r.
  GP_DEVICE gp__lines(
      const gp__rows_args &a, const void *base, const gp__i64 (&steps)[4], gp__u64 r, gp__u64 begin, unsigned length_)
    : at(gp__as<const T>(base) + gp__row_offset(a, steps, r) + gp__i64(begin) * steps[0]), pitch(0), stride(steps[0]),
      rows(1), length(length_), pitched(true), turns{{0, 1}, {0, 1}}, turned{} {}
  // Rows of the call. together: they are one line.
  GP_DEVICE gp__lines(
      const gp__rows_args &a, const void *base, const gp__i64 (&steps)[4], gp__u64 first, unsigned rows_, bool together)
    : at(gp__as<const T>(base)), pitch(steps[1]), stride(steps[0]), rows(rows_), length(unsigned(a.extent[0])),
      pitched(together || a.extent[2] * a.extent[3] == 1), turns{{0, 1}, {0, 1}}, turned{} {
    if (pitched) at += gp__i64(first) * (together ? gp__i64(length) : pitch);
    else {
      const gp__u64 q = first / a.extent[1], s = q / a.extent[2];
      turns[0] = gp__line_turns(first - q * a.extent[1], a.extent[1]);
      turns[1] = gp__line_turns(q - s * a.extent[2], a.extent[2]);
      turned[0] = steps[2] - gp__i64(a.extent[1]) * pitch;
      turned[1] = steps[3] - gp__i64(a.extent[2]) * steps[2];
      at += gp__i64(first) * pitch + gp__i64(q) * turned[0] + gp__i64(s) * turned[1];
    }
    if (together) length *= rows, rows = 1, stride = 1;
  }
  GP_DEVICE Line operator()(unsigned r) const {
    if (r >= rows) return Line();
    const T *line = at + r * pitch;
    if (!pitched) {
      const unsigned q = turns[0](r);
      line += gp__i64(q) * turned[0] + gp__i64(turns[1](q)) * turned[1];
    }
    return Line(line, length, stride);
  }
};
template<class In, class Out> union gp__row_slot { // a result takes its element's place
  In in;
  Out out;
  GP_DEVICE gp__row_slot() {}
};
// Elements of lines, one line behind the other. Even: lanes read vectors of rows, and a vector is left out behind each
// eight. Otherwise the first element of a single line is as far behind a multiple of 16 bytes as in memory, and lanes
// have an odd number of elements each. So lanes read different banks of shared memory.
template<class P, bool ROOM, class In, class Out> struct gp__rows_tile {
  typedef gp__row_slot<In, Out> Slot;
  static const int T = P::threads, V = gp__row<In>::V;
  static const unsigned ITEMS = T * P::vectors * V;
  typedef gp__vector_access<Slot, V> Group;
  gp_vector room[ROOM ? (ITEMS / 8 * 9 * sizeof(Slot) + 15) / 16 : 1];

  GP_DEVICE Slot *slot(unsigned i, bool even) { return gp__as<Slot>(room) + i + (even ? i / (8 * V) * V : 0); }
  template<bool ONE> GP_DEVICE unsigned take_lines(const gp__lines<In> &lines, bool even) {
    const int U = P::vectors < 8 ? P::vectors : 8; // windows under way
    const unsigned each = (lines.length + 2 * V - 2) / V, count = lines.rows * each;
    const gp__row<In, unsigned> only = lines(0);
    const unsigned skip = ONE && !even ? only.skipped : 0;
    const gp__line_number line_of(ONE ? 1 : each);
    for (unsigned n = threadIdx.x; n < count; n += U * T) {
      typename gp__row<In>::Window x[U];
      unsigned at[U]; // the window's first element in its line
      GP__EACH(u, U) {
        const unsigned r = ONE ? 0 : line_of(n + u * T);
        const gp__row<In, unsigned> line = ONE ? only : lines(r);
        line.template load<P::load>(n + u * T - r * each, x[u]);
        at[u] = line.length ? line.first(n + u * T - r * each) : lines.length;
      }
      GP__EACH(u, U) {
        const unsigned r = ONE ? 0 : line_of(n + u * T), to = skip + r * lines.length + at[u];
        Group y;
        GP__EACH(j, V) y.item[j].in = x[u].item[j];
        if (at[u] < lines.length && at[u] + V <= lines.length && to % V == 0)
          y.template store<GP_CACHE_ALL>(slot(to, even));
        else {
          GP__EACH(j, V)
            if (at[u] + j < lines.length) *slot(to + j, even) = y.item[j];
        }
      }
    }
    return skip;
  }
  // Reads the lines. Returns the number of the first element's slot.
  GP_DEVICE unsigned take(const gp__lines<In> &lines, bool even) {
    return lines.rows == 1 ? take_lines<true>(lines, even) : take_lines<false>(lines, even);
  }
  template<bool ONE, class Y> GP_DEVICE void put_lines(const gp__lines<Y> &lines, unsigned skip, bool even) {
    const int N = gp__row<Y>::V;
    const unsigned each = (lines.length + 2 * N - 2) / N, count = lines.rows * each;
    const gp__row<Y, unsigned> only = lines(0);
    const gp__line_number line_of(ONE ? 1 : each);
    for (unsigned n = threadIdx.x; n < count; n += T) {
      const unsigned r = ONE ? 0 : line_of(n);
      const gp__row<Y, unsigned> line = ONE ? only : lines(r);
      const unsigned i = line.first(n - r * each), from = skip + r * lines.length + i;
      gp__vector_access<Slot, N> x;
      gp__vector_access<Y, N> y;
      if (N == V && line.is_inner(i) && from % N == 0) x.template load<GP_CACHE_ALL>(slot(from, even), 0, false);
      else {
        GP__EACH(j, N)
          if (i + j < line.length) x.item[j] = *slot(from + j, even);
      }
      GP__EACH(j, N) y.item[j] = x.item[j].out;
      Y *to = const_cast<Y *>(line.at);
      if (line.is_inner(i) && line.dense) y.template store<P::store>(to + i);
      else {
        GP__EACH(j, N)
          if (i + j < line.length) to[gp__i64(i + j) * line.stride] = y.item[j];
      }
    }
  }
  // Writes the results.
  template<class Y> GP_DEVICE void put(const gp__lines<Y> &lines, unsigned skip, bool even) {
    if (lines.rows == 1) put_lines<true>(lines, skip, even);
    else put_lines<false>(lines, skip, even);
  }
  // f(slot, number) for the elements begin .. end - 1 of a line. EVEN: they are multiples of V. STORE: f changes slots.
  template<bool EVEN, bool STORE, class F> GP_DEVICE void each_of(unsigned first, unsigned begin, unsigned end, F &f) {
    Slot *const row = slot(first, false);
    unsigned i = begin;
    for (; i + V <= end; i += V) {
      Slot *at = EVEN ? slot(first + i, true) : row + i;
      Group x;
      if (EVEN) x.template load<GP_CACHE_ALL>(at, 0, false);
      GP__UNROLL
      for (int j = 0; j < V && !EVEN; ++j) x.item[j] = at[j];
      GP__EACH(j, V) f(x.item[j], i + j);
      if (EVEN && STORE) x.template store<GP_CACHE_ALL>(at);
      GP__UNROLL
      for (int j = 0; j < V && STORE && !EVEN; ++j) at[j] = x.item[j];
    }
    GP__UNROLL
    for (int j = 0; j < V - 1 && !EVEN; ++j)
      if (i + j < end) f(row[i + j], i + j);
  }
};
// A thread's elements begin .. end - 1 of a line, whose slots begin at `first`.
struct gp__chunk {
  unsigned first, begin, end;
  bool even;
  GP_DEVICE gp__chunk(unsigned first_, unsigned length, unsigned begin_, unsigned size, bool even_)
    : first(first_), begin(begin_ < length ? begin_ : length), end(length - begin < size ? length : begin + size),
      even(even_) {}
  template<bool STORE, class Tile, class F> GP_DEVICE void each(Tile &tile, F &f) const {
    if (even) tile.template each_of<true, STORE>(first, begin, end, f);
    else tile.template each_of<false, STORE>(first, begin, end, f);
  }
};
// The fold of slots. FIRST: the first one is taken as it is; otherwise identity precedes it.
template<bool FIRST, class Op, class Acc, class Load> struct gp__fold_slots {
  const Load &load;
  gp__u64 base; // number in its row of the line's first element
  gp_carry<Acc> sum;
  GP_DEVICE gp__fold_slots(const Load &load_, gp__u64 base_) : load(load_), base(base_) {
    sum.value = Op::identity();
    sum.has = !FIRST;
  }
  template<class Slot> GP_DEVICE void operator()(const Slot &x, unsigned i) {
    sum.append(Op::prepare(load(x.in, base + i)), Op());
  }
};
template<bool FIRST, class Op, class Acc, class Load, class Tile>
GP_DEVICE Acc gp__fold_chunk(const Load &load, Tile &tile, const gp__chunk &c, gp__u64 base) {
  gp__fold_slots<FIRST, Op, Acc, Load> f(load, base);
  c.template each<false>(tile, f);
  return f.sum.value;
}
// f(chunk, row, its lane) for all rows of a block's tiles, in the warps that hold them together. PUT: results are
// written.
template<bool PUT, class In, class Out, class Tile, class F>
GP_DEVICE void gp__each_row_tile(const gp__rows_args &a, Tile &tile, const F &f) {
  const unsigned each = unsigned(a.share), lanes = 1u << a.log2_lanes, groups = unsigned(Tile::T) >> a.log2_lanes;
  const unsigned length = unsigned(a.extent[0]), lane = threadIdx.x & (lanes - 1), mine = threadIdx.x >> a.log2_lanes;
  const bool even = length % Tile::V == 0;
  for (gp__u64 first = gp__u64(blockIdx.x) * each; first < a.rows; first += gp__u64(gridDim.x) * each) {
    const unsigned rows = a.rows - first < each ? unsigned(a.rows - first) : each;
    const unsigned skip = tile.take(gp__lines<In>(a, a.in, a.in_stride, first, rows, a.together & 1), even);
    __syncthreads();
    for (unsigned r = mine; r - mine < rows; r += groups)
      f(gp__chunk(skip + r * length, r < rows ? length : 0, lane * a.chunk, a.chunk, even), first + r, lane, r < rows);
    __syncthreads();
    if (!PUT) continue;
    tile.put(gp__lines<Out>(a, a.out, a.out_stride, first, rows, (a.together & 2) != 0), skip, even);
    __syncthreads();
  }
}
