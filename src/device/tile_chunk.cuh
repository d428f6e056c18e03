// device/tile_chunk.cuh - a thread's chunk of a tile: fold and scan
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/operators.cuh, device/loads.cuh,
//   device/tile_reduce.cuh

// A thread's chunk: ITEMS consecutive elements in shared memory. If a chunk has an odd number of 16-byte vectors, the
// threads of a warp read theirs without bank conflicts.

// The fewest vectors that hold a whole number of elements, in registers.
template<class T> struct gp__vec_group {
  static const int vectors = gp__vec_group_vectors(int(sizeof(T))), items = gp__vec_group_items(int(sizeof(T)));
  union {
    gp_vector vector[vectors];
    T item[items];
  };
  GP_DEVICE gp__vec_group() {}
  GP_DEVICE explicit gp__vec_group(const gp_vector *from) {
    GP__EACH(i, vectors) vector[i] = from[i];
  }
  GP_DEVICE void store(gp_vector *to) const {
    GP__EACH(i, vectors) to[i] = vector[i];
  }
};

// One step of a running prefix: returns the element's result and advances. FIRST: `carry` may be empty.
template<bool EXCLUSIVE, bool FIRST, class Op, class Acc>
GP_DEVICE Acc gp__running(gp_carry<Acc> &carry, const Acc &x) {
  const Acc before = FIRST && !carry.has ? Op::identity() : carry.value;
  carry.value = FIRST && !carry.has ? x : Op()(carry.value, x);
  carry.has = true;
  return EXCLUSIVE ? before : carry.value;
}

// One group of a chunk: its fold onto `sum`, or its running prefixes. The general form goes element by element.
template<class Op, class Load, class In, class Acc, class Out> struct gp__vec_group_step {
  static const int V = gp__vec_group<In>::items;
  template<bool FIRST> static GP_DEVICE Acc fold(const gp__vec_group<In> &p, gp__u64 index, const Acc &sum) {
    Acc x[V];
    GP__EACH(j, V) x[j] = Op::prepare(Load()(p.item[j], index + j));
    GP__UNROLL
    for (int d = 1; d < V; d *= 2) { // a tree: short, and in order
      GP__UNROLL
      for (int j = 0; j + d < V; j += 2 * d) x[j] = Op()(x[j], x[j + d]);
    }
    return FIRST ? x[0] : Op()(sum, x[0]);
  }
  template<bool EXCLUSIVE, bool FIRST>
  static GP_DEVICE gp__vec_group<Out> scan(const gp__vec_group<In> &p, gp__u64 index, gp_carry<Acc> &carry) {
    gp__vec_group<Out> q;
    q.item[0] = gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, FIRST, Op>(carry, Op::prepare(Load()(p.item[0], index))));
    GP__UNROLL
    for (int j = 1; j < V; ++j)
      q.item[j] =
          gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, false, Op>(carry, Op::prepare(Load()(p.item[j], index + j))));
    return q;
  }
};
// Sums of bytes go by words: byte k of a word's prefixes is a dot product with k ones; the fourth is the carry.
template<class T> struct gp__byte_sum_step {
  template<bool FIRST> static GP_DEVICE T fold(const gp__vec_group<T> &p, gp__u64, T sum) {
    gp__u32 s = FIRST ? 0 : gp__u8(sum);
    GP__EACH(i, 4) s = gp__dot_bytes(p.vector[0].word[i], 0x01010101u, s);
    return T(s);
  }
  template<bool EXCLUSIVE, bool FIRST>
  static GP_DEVICE gp__vec_group<T> scan(const gp__vec_group<T> &p, gp__u64, gp_carry<T> &carry) {
    gp__vec_group<T> q;
    gp__u32 c = FIRST && !carry.has ? 0 : gp__u8(carry.value);
    GP__EACH(i, 4) {
      const gp__u32 x = p.vector[0].word[i], p1 = gp__dot_bytes(x, 0x00000001u, c),
                    p2 = gp__dot_bytes(x, 0x00000101u, c);
      const gp__u32 p3 = gp__dot_bytes(x, 0x00010101u, c), p4 = gp__dot_bytes(x, 0x01010101u, c);
      q.vector[0].word[i] = EXCLUSIVE ? __byte_perm(__byte_perm(c, p1, 0x0040), __byte_perm(p2, p3, 0x0040), 0x5410)
          : __byte_perm(__byte_perm(p1, p2, 0x0040), __byte_perm(p3, p4, 0x0040), 0x5410);
      c = p4;
    }
    carry.value = T(c);
    carry.has = true;
    return q;
  }
};
template<>
struct gp__vec_group_step<gp_sum<gp__u8>, gp__load<gp__u8, gp__u8, gp_convert<gp__u8, gp__u8>>, gp__u8, gp__u8, gp__u8>
  : gp__byte_sum_step<gp__u8> {};
template<>
struct gp__vec_group_step<gp_sum<signed char>, gp__load<signed char, signed char, gp_convert<signed char, signed char>>,
    signed char, signed char, signed char> : gp__byte_sum_step<signed char> {};

// x[0] op x[1] op ... op x[ITEMS - 1]: a tree in each vector, left to right over vectors.
template<int ITEMS, class Op, class Load, class Acc, class In>
GP_DEVICE Acc gp__chunk_fold(const gp__u8 *chunk, gp__u64 index) {
  Acc sum = Op::identity();
  if (gp__chunk_by_vectors(int(sizeof(In)), ITEMS)) {
    typedef gp__vec_group_step<Op, Load, In, Acc, In> step;
    const int V = gp__vec_group<In>::items, L = gp__vec_group<In>::vectors;
    const gp_vector *from = gp__as<const gp_vector>(chunk);
    sum = step::template fold<true>(gp__vec_group<In>(from), index, sum);
    GP__UNROLL_BY(2)
    for (int k = 1; k < ITEMS / V; ++k)
      sum = step::template fold<false>(gp__vec_group<In>(from + k * L), index + k * V, sum);
  } else {
    const In *item = gp__as<const In>(chunk);
    sum = Op::prepare(Load()(item[0], index));
    GP__UNROLL_BY(4)
    for (int j = 1; j < ITEMS; ++j) sum = Op()(sum, Op::prepare(Load()(item[j], index + j)));
  }
  return sum;
}
// The same over elements begin to end - 1; the identity if there are none.
template<class Op, class Load, class Acc, class In>
GP_DEVICE Acc gp__chunk_fold_part(const gp__u8 *chunk, gp__u64 index, int begin, int end) {
  const In *item = gp__as<const In>(chunk);
  Acc sum = Op::identity();
  GP__UNROLL_BY(1)
  for (int j = begin; j < end; ++j) {
    const Acc x = Op::prepare(Load()(item[j], index + j));
    sum = j == begin ? x : Op()(sum, x);
  }
  return sum;
}

// The input ends within the chunk: its last element takes the places behind, and the chunk counts as a whole one, which
// is faster. Nobody uses the results there.
template<int ITEMS, class In> GP_DEVICE void gp__chunk_pad(gp__u8 *chunk, int end) {
  In *item = gp__as<In>(chunk);
  GP__UNROLL_BY(4)
  for (int j = end; j < ITEMS; ++j) item[j] = item[end - 1];
}

// Writes the running prefixes, started with `carry`, to `to`, which may be `chunk` if the element sizes are equal.
template<int ITEMS, bool EXCLUSIVE, class Op, class Load, class Out, class In, class Acc>
GP_DEVICE void gp__chunk_scan(gp__u8 *to, const gp__u8 *chunk, gp__u64 index, gp_carry<Acc> carry) {
  if (gp__chunk_by_vectors(int(sizeof(In)), ITEMS) && sizeof(In) == sizeof(Out)) {
    typedef gp__vec_group_step<Op, Load, In, Acc, Out> step;
    const int V = gp__vec_group<In>::items, L = gp__vec_group<In>::vectors;
    const gp_vector *from = gp__as<const gp_vector>(chunk);
    gp_vector *result = gp__as<gp_vector>(to);
    step::template scan<EXCLUSIVE, true>(gp__vec_group<In>(from), index, carry).store(result);
    GP__UNROLL_BY(2)
    for (int k = 1; k < ITEMS / V; ++k)
      step::template scan<EXCLUSIVE, false>(gp__vec_group<In>(from + k * L), index + k * V, carry)
          .store(result + k * L);
  } else {
    const In *item = gp__as<const In>(chunk);
    Out *result = gp__as<Out>(to);
    result[0] = gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, true, Op>(carry, Op::prepare(Load()(item[0], index))));
    GP__UNROLL_BY(4)
    for (int j = 1; j < ITEMS; ++j)
      result[j] =
          gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, false, Op>(carry, Op::prepare(Load()(item[j], index + j))));
  }
}
template<bool EXCLUSIVE, class Op, class Load, class Out, class In, class Acc>
GP_DEVICE void gp__chunk_scan_part(
    gp__u8 *to, const gp__u8 *chunk, gp__u64 index, gp_carry<Acc> carry, int begin, int end) {
  const In *item = gp__as<const In>(chunk);
  Out *result = gp__as<Out>(to);
  GP__UNROLL_BY(1)
  for (int j = begin; j < end; ++j)
    result[j] =
        gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, true, Op>(carry, Op::prepare(Load()(item[j], index + j))));
}
