// columns/kernels.cuh - columns that follow their keys
// uses: core/words.h, device/vocabulary.cuh, map/policy.h, columns/arguments.h, device/kernel.cuh

// Moves the tile's elements of a column. `from` has their indices; elements of several words take them from memory
// again, so that neighbouring threads write neighbouring words.
template<class P, class W, class I, int ITEMS>
GP_DEVICE void gp__move_column(
    const gp__moved_column &c, const I *index, const I (&from)[ITEMS], gp__u64 first, gp__u64 count) {
  const W *in = gp__as<const W>(c.in);
  W *out = gp__as<W>(c.out) + first * unsigned(c.words);
  const gp__u64 left = count - first;
  const unsigned rows = left < unsigned(P::threads * ITEMS) ? unsigned(left) : unsigned(P::threads * ITEMS);
  if (c.words == 1) {
    W word[ITEMS];
    GP__EACH(i, ITEMS)
      if (i * P::threads + threadIdx.x < rows) word[i] = in[from[i]];
    GP__EACH(i, ITEMS)
      if (i * P::threads + threadIdx.x < rows) out[i * P::threads + threadIdx.x] = word[i];
    return;
  }
  const unsigned words = unsigned(c.words);
  for (unsigned k = threadIdx.x; k < rows * words; k += P::threads)
    out[k] = in[gp__u64(index[first + k / words]) * words + k % words];
}
// out[i] = in[index[i]] of every column. Each tile reads its indices once, and writes one column after the other.
template<class P, class I> GP_DEVICE void gp__gather_columns(const gp__columns_args &a) {
  const int ITEMS = gp__hash_items(P::vectors);
  const I *index = gp__as<const I>(a.index);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  for (gp__u64 first = blockIdx.x * gp__u64(P::threads * ITEMS); first < count;
       first += gridDim.x * gp__u64(P::threads * ITEMS)) {
    I from[ITEMS];
    GP__EACH(i, ITEMS)
      if (first + i * P::threads + threadIdx.x < count) from[i] = index[first + i * P::threads + threadIdx.x];
    for (int c = 0; c < a.columns; ++c) {
      const gp__moved_column &column = a.column[c];
      if (column.word == 4) gp__move_column<P, gp__u32>(column, index, from, first, count);
      else if (column.word == 8) gp__move_column<P, gp__u64>(column, index, from, first, count);
      else if (column.word == 16) gp__move_column<P, gp_vector>(column, index, from, first, count);
      else if (column.word == 2) gp__move_column<P, gp__u16>(column, index, from, first, count);
      else gp__move_column<P, gp__u8>(column, index, from, first, count);
    }
  }
}
