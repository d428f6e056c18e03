// rows/row.cuh - a row of a strided array, by windows of 16 bytes
// uses: core/words.h, device/vocabulary.cuh, core/shape.h, rows/arguments.h, device/warp.cuh, device/vector_access.cuh

// Elements from the first row's beginning to that of row r: dimensions 1 to 3.
GP_DEVICE gp__i64 gp__row_offset(const gp__rows_args &a, const gp__i64 (&stride)[4], gp__u64 r) {
  gp__i64 at = 0;
  if (a.extent[2] * a.extent[3] != 1) {
    const gp__u64 q = r / a.extent[1], s = a.extent[3] == 1 ? 0 : q / a.extent[2];
    r -= q * a.extent[1];
    at = gp__i64(q - s * a.extent[2]) * stride[2] + gp__i64(s) * stride[3];
  }
  return at + gp__i64(r) * stride[1];
}

// A line of elements. A window is V of them. If they are contiguous, it begins at a multiple of 16 bytes, and the first
// and the last may be partly outside. Count: of elements.
template<class T, class Count = gp__u64> struct gp__row {
  static const int V = gp__vector_items(int(sizeof(T)));
  typedef gp__vector_access<T, V> Window;
  const T *at;
  Count length;
  gp__i64 stride;
  unsigned skipped; // elements from the first window's beginning to the row's
  bool dense;
  GP_DEVICE gp__row() : at(nullptr), length(0), stride(0), skipped(0), dense(false) {}
  GP_DEVICE gp__row(const T *at_, Count length_, gp__i64 stride_) : at(at_), length(length_), stride(stride_) {
    const unsigned misaligned = gp__misalignment(at, 16);
    dense = stride == 1 && misaligned % sizeof(T) == 0;
    skipped = V > 1 && dense ? misaligned / unsigned(sizeof(T)) : 0;
  }
  // The window's first element; before the row it is a number above any length.
  GP_DEVICE Count first(Count window) const { return window * V - skipped; }
  GP_DEVICE bool is_inner(Count i) const { return i < length && i + V <= length; }
  template<int CACHE> GP_DEVICE void load(Count window, Window &x) const {
    const Count i = first(window);
    if (dense && is_inner(i)) x.template load<CACHE>(at + i, 0, false);
    else {
      GP__EACH(j, V)
        if (i + j < length) x.item[j] = at[gp__i64(i + j) * stride];
    }
  }
  template<class Op, class Load, class Acc>
  GP_DEVICE void fold(const Load &load, gp__u64 window, const Window &x, Acc &sum) const {
    const gp__u64 i = first(window);
    if (is_inner(i)) {
      GP__EACH(j, V) sum = Op()(sum, Op::prepare(load(x.item[j], i + j)));
    } else {
      GP__EACH(j, V)
        if (i + j < length) sum = Op()(sum, Op::prepare(load(x.item[j], i + j)));
    }
  }
  // to[i] = map(element i, its state) for the elements of the window. states: V of them, or one.
  template<int CACHE, class Map, class Out, class S, int N>
  GP_DEVICE void store(Out *to, gp__i64 to_stride, gp__u64 window, const Window &x, const S (&states)[N]) const {
    const int OV = 16 % sizeof(Out) ? 1 : V * sizeof(Out) > 16 ? 16 / int(sizeof(Out)) : V;
    typedef gp__vector_access<Out, OV> Group;
    const gp__u64 i = first(window);
    if (to_stride == 1 && is_inner(i) && gp__misalignment(to + i, gp__vector_access_alignment<Out, OV>::value) == 0) {
      GP__UNROLL
      for (int j = 0; j < V; j += OV) {
        Group y;
        GP__EACH(k, OV) y.item[k] = Map()(x.item[j + k], states[N > 1 ? j + k : 0]);
        y.template store<CACHE>(to + i + j);
      }
    } else {
      GP__EACH(j, V)
        if (i + j < length) to[gp__i64(i + j) * to_stride] = Map()(x.item[j], states[N > 1 ? j : 0]);
    }
  }
};
template<class T> GP_DEVICE gp__row<T> gp__row_of(const gp__rows_args &a, gp__u64 r) {
  return gp__row<T>(gp__as<const T>(a.in) + gp__row_offset(a, a.in_stride, r), a.extent[0], a.in_stride[0]);
}
