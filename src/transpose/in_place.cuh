// transpose/in_place.cuh - transposes in place: squares, rectangles
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, transpose/policy.h, transpose/arguments.h,
//   transpose/panels_arguments.h, device/warp.cuh, device/tile_transpose.cuh, device/kernel.cuh

// Transposes a square matrix in place: exchanges tiles on both sides of the diagonal.
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose_square(const gp__transpose_args &a) {
  const int SIDE = gp__transpose_side(P::threads, P::vectors, SIZE);
  const bool ALIGNED = (FORM & GP__FORM_IN_ALIGNED) != 0;
  typedef gp__transposed_tile<P::threads, P::load, P::store, SIZE, WORD, SIDE, SIDE, ALIGNED, ALIGNED,
      gp__is_scattered(SIZE, WORD, FORM)>
      Tile;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  gp__u8 *shared2 = shared + gp__transpose_tile_bytes(SIZE, SIDE, SIDE, ALIGNED);
  const unsigned start_pitch = unsigned(a.in_pitch) & 15u;
  for (gp__u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    const unsigned n = unsigned(a.column_tiles), Q = GP__SQUARE_PANEL;
    gp__u64 rest = tile, far = 0, near = 0;
    if (a.outer[0] * a.outer[1] > 1) {
      const gp__u64 of_matrix = a.column_tiles * (n + 1) / 2 * (Q * Q), matrix = tile / of_matrix;
      rest -= matrix * of_matrix, far = matrix / a.outer[1], near = matrix - far * a.outer[1];
    }
    const unsigned panel = unsigned(rest / (Q * Q)), inner = unsigned(rest % (Q * Q));
    const unsigned x = panel / (n + 1), y = panel - x * (n + 1); // row x of panels, and the x-th last one
    const gp__u64 i = (x + y < n ? x : n - 1 - x) * Q + inner % Q, j = (x + y < n ? x + y : y - 1) * Q + inner / Q;
    if (i > j || j >= a.row_tiles) continue;
    gp__u8 *base = gp__as<gp__u8>(a.out) + far * a.out_outer[0] + near * a.out_outer[1];
    gp__u8 *upper = base + i * SIDE * a.out_pitch + j * SIDE * SIZE;
    gp__u8 *lower = base + j * SIDE * a.out_pitch + i * SIDE * SIZE;
    const gp__u64 rest_i = a.rows - i * SIDE, rest_j = a.rows - j * SIDE;
    const unsigned rows = unsigned(rest_i < SIDE ? rest_i : gp__u64(SIDE));
    const unsigned columns = unsigned(rest_j < SIDE ? rest_j : gp__u64(SIDE));
    // Memory beside a tile's rows belongs to other blocks and is not read.
    Tile::template load<true>(shared, upper, a.out_pitch, rows, columns, upper, upper);
    if (i != j) Tile::template load<true>(shared2, lower, a.out_pitch, columns, rows, lower, lower);
    __syncthreads();
    Tile::store(shared, lower, a.out_pitch, rows, columns, gp__misalignment(upper, 16), start_pitch);
    if (i != j) Tile::store(shared2, upper, a.out_pitch, columns, rows, gp__misalignment(lower, 16), start_pitch);
    __syncthreads();
  }
}

// Transposes a dense matrix in place, of m rows and n columns, m <= n, or inverts that (Catanzaro, Keller and Garland,
// A Decomposition for In-place Matrix Transposition): rotates columns if m and n have a common factor, then permutes
// elements within each row, then within each column. A step reads and writes everything once.
template<class P, int SIZE, int WORD> GP_DEVICE void gp__transpose_columns_of(const gp__transpose_args &a) {
  typedef typename gp__word_of<WORD>::type Word;
  const unsigned N = SIZE / WORD;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  gp__u8 *at = a.scratch ? gp__as<gp__u8>(a.scratch) + blockIdx.x * a.strip : shared;
  Word *strip = gp__as<Word>(at);
  for (gp__u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    const gp__u64 matrix = tile / a.column_tiles, first = (tile - matrix * a.column_tiles) * a.tile_columns;
    const gp__u64 far = matrix / a.outer[1], rest = a.columns - first;
    Word *base = gp__as<Word>(
        gp__as<gp__u8>(a.out) + far * a.out_outer[0] + (matrix - far * a.outer[1]) * a.out_outer[1] + first * SIZE);
    const unsigned words = unsigned(rest < a.tile_columns ? rest : a.tile_columns) * N;
    for (gp__u64 i = threadIdx.x; i < a.rows * words; i += P::threads) {
      const gp__u64 row = i / words, word = i - row * words, column = first + word / N;
      const gp__u64 other = (a.rotates ? row + column / a.b : column + row * a.columns - row / a.a) % a.rows;
      strip[(a.gathers ? row : other) * words + word] = base[(a.gathers ? other : row) * a.columns * N + word];
    }
    __syncthreads();
    for (gp__u64 i = threadIdx.x; i < a.rows * words; i += P::threads) {
      const gp__u64 row = i / words, word = i - row * words;
      base[row * a.columns * N + word] = strip[i];
    }
    __syncthreads();
  }
}
template<class P, int SIZE, int WORD> GP_DEVICE void gp__transpose_within_rows(const gp__transpose_args &a) {
  typedef typename gp__word_of<WORD>::type Word;
  const unsigned N = SIZE / WORD;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  gp__u8 *at = a.scratch ? gp__as<gp__u8>(a.scratch) + blockIdx.x * a.strip : shared;
  Word *strip = gp__as<Word>(at);
  for (gp__u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    const gp__u64 matrix = tile / a.rows, row = tile - matrix * a.rows, far = matrix / a.outer[1];
    Word *base = gp__as<Word>(gp__as<gp__u8>(a.out) + far * a.out_outer[0] +
        (matrix - far * a.outer[1]) * a.out_outer[1] + row * a.columns * SIZE);
    for (gp__u64 i = threadIdx.x; i < a.columns * N; i += P::threads) {
      const gp__u64 column = i / N, word = i % N;
      const gp__u64 other = ((row + column / a.b) % a.rows + column * a.rows) % a.columns * N + word;
      strip[a.gathers ? i : other] = base[a.gathers ? other : i];
    }
    __syncthreads();
    for (gp__u64 i = threadIdx.x; i < a.columns * N; i += P::threads) base[i] = strip[i];
    __syncthreads();
  }
}

// Large dense matrices in place, of which a side has a divisor. A panel is as many rows of the input as the divisor; a
// chunk is a panel's share of a row of the output. Two steps read and write everything once each: each panel is
// transposed, which makes chunks contiguous; then chunks move to their places. The inverse has the steps in the other
// order. If a side is short, panels are tiles of gp__transpose. This kernel prepares both steps: it saves some panels,
// and clears counters and flags.
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose_save(const gp__panels_args &a) {
  typedef typename gp__word_of<FORM / GP__FORM_WORD>::type Word;
  gp__pdl_wait<P>();
  const gp__u64 words = a.saves / sizeof(Word), threads = gp__u64(gridDim.x) * P::threads;
  const gp__u64 thread = gp__u64(blockIdx.x) * P::threads + threadIdx.x;
  const Word *from = gp__as<const Word>(a.data);
  Word *to = gp__as<Word>(a.saved);
  GP__UNROLL_BY(4)
  for (gp__u64 i = thread; i < words; i += threads) to[i] = from[i];
  for (gp__u64 i = thread; i < a.clears; i += threads) a.counters[i] = 0;
}
