// transpose/rows.cuh - rows that move unchanged
// uses: core/words.h, device/vocabulary.cuh, transpose/arguments.h, device/tile_transpose.cuh, device/kernel.cuh

// Moves rows unchanged: `columns` words of WORD bytes each. A tile is 2^tile_columns words of several rows.
template<class P, int WORD> GP_DEVICE void gp__transpose_rows_of(const gp__transpose_args &a) {
  typedef typename gp__word_of<WORD>::type Word;
  gp__pdl_wait<P>();
  const unsigned width = 1u << a.tile_columns, height = P::threads * P::vectors / width;
  for (gp__u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    const gp__u64 of_matrix = a.row_tiles * a.column_tiles, matrix = tile / of_matrix, far = matrix / a.outer[1];
    const gp__u64 rest = tile - matrix * of_matrix, row_tile = rest / a.column_tiles;
    const gp__u64 row = row_tile * height, column = (rest - row_tile * a.column_tiles) * width;
    const gp__u8 *in = gp__as<const gp__u8>(a.in) + far * a.in_outer[0] + (matrix - far * a.outer[1]) * a.in_outer[1] +
        row * a.in_pitch + column * WORD;
    gp__u8 *out = gp__as<gp__u8>(a.out) + far * a.out_outer[0] + (matrix - far * a.outer[1]) * a.out_outer[1] +
        row * a.out_pitch + column * WORD;
    const gp__u64 rows = a.rows - row, columns = a.columns - column;
    Word v[P::vectors];
    GP__EACH(k, P::vectors) {
      const unsigned i = k * P::threads + threadIdx.x, r = i >> a.tile_columns, c = i & (width - 1);
      if (r < rows && c < columns) v[k] = *gp__as<const Word>(in + r * a.in_pitch + c * WORD);
    }
    GP__EACH(k, P::vectors) {
      const unsigned i = k * P::threads + threadIdx.x, r = i >> a.tile_columns, c = i & (width - 1);
      if (r < rows && c < columns) *gp__as<Word>(out + r * a.out_pitch + c * WORD) = v[k];
    }
  }
}
