// transpose/kernels.cuh - transposes: tiles
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, transpose/policy.h,
//   transpose/arguments.h, device/warp.cuh, device/tile_load.cuh, device/tile_transpose.cuh, device/kernel.cuh

// Tiles are ordered by panels of some tile rows: neighbouring blocks write neighbouring tiles, and blocks some way off
// read them.
GP_DEVICE void gp__tile_of_panel(const gp__transpose_args &a, gp__u64 tile, gp__u64 &row, gp__u64 &column) {
  const gp__u64 of_panel = a.panel * a.column_tiles, panel = tile / of_panel;
  const gp__u64 first = panel * a.panel, rest = a.row_tiles - first;
  const gp__u64 height = rest < a.panel ? rest : a.panel;
  tile -= panel * of_panel;
  column = tile / height;
  row = first + tile - column * height;
}

// Transposes one tile a turn. FORM: GP__FORM_... A whole side has short, contiguous lines: it is loaded or stored as
// one array.
template<class P, int SIZE, int WORD, int FORM, bool FEW = (FORM & GP__FORM_FEW) != 0> struct gp__transposer {
  static const bool IN_ALIGNED = (FORM & GP__FORM_IN_ALIGNED) != 0, OUT_ALIGNED = (FORM & GP__FORM_OUT_ALIGNED) != 0;
  static const bool IN_WHOLE = (FORM & GP__FORM_IN_WHOLE) != 0, OUT_WHOLE = (FORM & GP__FORM_OUT_WHOLE) != 0;
  static const int ROWS = gp__transpose_rows(P::threads, P::vectors, SIZE);
  static const int COLUMNS = gp__transpose_columns(P::threads, P::vectors, SIZE), GROUP = gp__vec_group_items(SIZE);
  static const int STEP = gp__transpose_step(ROWS, SIZE, WORD, OUT_ALIGNED);
  static const bool OVERLAPS = STEP != ROWS;
  typedef gp__transposed_tile<P::threads, P::load, P::store, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED,
      gp__is_scattered(SIZE, WORD, FORM), OVERLAPS ? gp__transpose_alignment(ROWS, SIZE) : 16>
      Tile;
  const gp__transpose_args &a;
  const gp__padded_rows<GROUP> layout;
  GP_DEVICE explicit gp__transposer(const gp__transpose_args &args)
    : a(args), layout(gp__padded_rows<GROUP>{args.pitch, args.pad}) {}

  // Loads `bytes` bytes, from a multiple of 16 on, into rows with no gaps but the padding.
  GP_DEVICE void load_whole(gp__u8 *shared, const gp__u8 *in, unsigned bytes, const gp__u8 *end) {
    gp_vector v[P::vectors];
    GP__EACH(k, P::vectors) {
      const unsigned at = (k * P::threads + threadIdx.x) * 16;
      if (at < bytes) v[k] = gp__load_unit<P::load, WORD>(in + at, in, in + bytes, in, end);
    }
    GP__EACH(k, P::vectors) {
      const unsigned unit = k * P::threads + threadIdx.x;
      if (unit * 16 >= bytes) continue;
      *gp__as<gp_vector>(shared + unit * 16 + (a.pad ? gp__quotient(a.group, unit) * a.pad : 0)) = v[k];
    }
  }
  // Loads a part of few long rows.
  GP_DEVICE void load_few(gp__u8 *shared, const gp__u8 *in, unsigned rows, unsigned columns, const gp__u8 *end) {
    const int ROUNDS = P::vectors + !IN_ALIGNED;
    const unsigned units = a.tile_columns * SIZE / 16 + !IN_ALIGNED;
    const gp__u8 *begin = gp__as<const gp__u8>(a.in);
    for (unsigned first = 0; first < units * rows; first += ROUNDS * P::threads) {
      gp_vector v[ROUNDS];
      unsigned at[ROUNDS];
      GP__EACH(k, ROUNDS) {
        const unsigned i = first + k * P::threads + threadIdx.x, row = gp__quotient(a.units, i);
        const unsigned unit = (i - row * units) * 16;
        const gp__u8 *from = in + row * a.in_pitch;
        const unsigned skip = IN_ALIGNED ? 0 : gp__misalignment(from, 16);
        at[k] = ~0u;
        if (row >= rows || unit >= skip + columns * SIZE) continue;
        at[k] = layout.at(row, unit);
        v[k] = gp__load_unit<P::load, WORD>(from - skip + unit, from, from + columns * SIZE, begin, end);
      }
      GP__EACH(k, ROUNDS)
        if (at[k] != ~0u) *gp__as<gp_vector>(shared + at[k]) = v[k];
    }
  }
  // Position in shared memory of a word of the output of whole columns, and of the words after it.
  struct place_of_word {
    unsigned row, column, part, above; // above: rows of earlier matrices
    GP_DEVICE void find(const gp__transpose_args &a, unsigned word) {
      const unsigned N = SIZE / WORD, element = word / N;
      part = word % N;
      column = gp__quotient(a.row, element);
      row = element - column * a.row.by;
      above = 0;
      if (!IN_WHOLE) return;
      const unsigned matrix = gp__quotient(a.column, column);
      above = matrix * a.row.by;
      column -= matrix * a.column.by;
    }
    GP_DEVICE void advance(const gp__transpose_args &a) {
      if (SIZE > WORD && ++part < SIZE / WORD) return;
      part = 0;
      if (++row < a.row.by) return;
      row = 0;
      if (++column < a.column.by || !IN_WHOLE) return;
      column = 0;
      above += a.row.by;
    }
  };
  // Stores `columns` short, contiguous columns of one or several matrices.
  GP_DEVICE void store_whole(const gp__u8 *shared, gp__u8 *out, unsigned columns, unsigned start) {
    typedef typename gp__word_of<WORD>::type Word;
    const int N = SIZE / WORD, W = 16 / WORD;
    const unsigned skip = gp__misalignment(out, 16), start_pitch = unsigned(a.in_pitch) & 15u;
    const int all = int(columns * a.row.by * N);
    const bool even = IN_WHOLE && N == 1 && skip == 0 && a.row.by % GROUP == 0; // a unit: of one column and group
    for (unsigned unit = threadIdx.x; unit * 16 < skip + columns * a.row.by * SIZE; unit += P::threads) {
      const int first = int(unit * W) - int(skip / WORD);
      gp__u8 *to = out + gp__u64(unit) * 16 - skip;
      place_of_word p;
      p.find(a, unsigned(first < 0 ? 0 : first));
      if (first >= 0 && first + W <= all) {
        gp__vec<Word> words;
        if (even) {
          const unsigned from = layout.at(p.above + p.row, p.column * SIZE);
          GP__EACH(w, W) words.item[w] = *gp__as<const Word>(shared + from + w * layout.step());
        } else {
          GP__UNROLL
          for (int w = 0; w < W; ++w, p.advance(a)) words.item[w] = *at<Word>(shared, p, start, start_pitch);
        }
        gp__store_vector<P::store>(to, words.vector);
        continue;
      }
      GP__UNROLL_BY(1)
      for (int w = first < 0 ? -first : 0; w < W && first + w < all; ++w, p.advance(a))
        *gp__as<Word>(to + w * WORD) = *at<Word>(shared, p, start, start_pitch);
    }
  }
  template<class Word>
  GP_DEVICE const Word *at(const gp__u8 *shared, const place_of_word &p, unsigned start, unsigned start_pitch) const {
    const unsigned behind = IN_WHOLE || IN_ALIGNED ? 0 : (start + p.row * start_pitch) & 15u;
    return gp__as<const Word>(shared +
        (IN_WHOLE ? layout.at(p.above + p.row, p.column * SIZE + p.part * WORD)
            : p.row * layout.pitch + behind + p.column * SIZE + p.part * WORD)); // no padding there
  }
  GP_DEVICE void turn(gp__u8 *shared, gp__u64 tile) {
    const gp__u8 *in = gp__as<const gp__u8>(a.in), *end = in + a.in_bytes;
    gp__u8 *out = gp__as<gp__u8>(a.out);
    if (IN_WHOLE && OUT_WHOLE) { // several matrices
      const gp__u64 first = tile * a.matrices, rest = a.outer[1] - first, matrix = a.rows * a.columns * SIZE;
      const unsigned matrices = unsigned(rest < a.matrices ? rest : a.matrices);
      load_whole(shared, in + first * matrix, unsigned(matrices * matrix), end);
      __syncthreads();
      store_whole(shared, out + first * matrix, unsigned(matrices * a.columns), 0);
      return;
    }
    gp__u64 row, column, from = 0, to = 0;
    if (a.outer[0] * a.outer[1] > 1) {
      const gp__u64 of_matrix = a.row_tiles * a.column_tiles, matrix = tile / of_matrix, far = matrix / a.outer[1];
      tile -= matrix * of_matrix;
      from = far * a.in_outer[0] + (matrix - far * a.outer[1]) * a.in_outer[1];
      to = far * a.out_outer[0] + (matrix - far * a.outer[1]) * a.out_outer[1];
    }
    gp__tile_of_panel(a, tile, row, column);
    row *= IN_WHOLE ? a.tile_rows : OUT_WHOLE ? unsigned(GP__TRANSPOSE_WHOLE) : unsigned(STEP);
    column *= OUT_WHOLE ? a.tile_columns : IN_WHOLE ? unsigned(GP__TRANSPOSE_WHOLE) : unsigned(COLUMNS);
    const unsigned most_rows = IN_WHOLE ? a.tile_rows : OUT_WHOLE ? unsigned(GP__TRANSPOSE_WHOLE) : unsigned(ROWS);
    const unsigned most_columns = OUT_WHOLE ? a.tile_columns
        : IN_WHOLE ? unsigned(GP__TRANSPOSE_WHOLE)
        : unsigned(COLUMNS);
    const unsigned rows = unsigned(a.rows - row < most_rows ? a.rows - row : most_rows);
    const unsigned columns = unsigned(a.columns - column < most_columns ? a.columns - column : most_columns);
    in += from + row * a.in_pitch + column * SIZE;
    out += to + column * a.out_pitch + row * SIZE;
    const unsigned start = gp__misalignment(in, 16);
    if (IN_WHOLE) load_whole(shared, in, rows * unsigned(a.columns) * SIZE, end);
    else if (OUT_WHOLE) load_few(shared, in, rows, columns, end);
    else Tile::load(shared, in, a.in_pitch, rows, columns, gp__as<const gp__u8>(a.in), end);
    __syncthreads();
    if (OUT_WHOLE) store_whole(shared, out, columns, start);
    else if (IN_WHOLE)
      gp__store_lines<P::threads, P::store, SIZE, WORD, OUT_ALIGNED>(
          shared, layout, out, a.out_pitch, rows, columns, a.units);
    else
      Tile::store(shared, out, a.out_pitch, rows, columns, start, unsigned(a.in_pitch) & 15u, !OVERLAPS || row == 0,
          !OVERLAPS || row + ROWS >= a.rows);
  }
};
// Units of few long rows. A word has several narrow elements; words of as many rows become words of columns.
template<int SIZE, bool ALIGNED, bool NARROW = (SIZE < 4)> struct gp__few_words {
  typedef typename gp__word_of<SIZE>::type Unit;
  static const bool SHIFTED = false;
  static GP_DEVICE Unit load(const gp__u8 *at) { return *gp__as<const Unit>(at); }
  static GP_DEVICE Unit load_part(const gp__u8 *at, unsigned) { return load(at); }
  static GP_DEVICE Unit shifted(const Unit &x, gp__u32, unsigned, unsigned) { return x; }
  static GP_DEVICE void turn(Unit (&)[1]) {}
  static GP_DEVICE Unit append(const Unit &, const Unit &next, unsigned) { return next; }
  static GP_DEVICE Unit last(const Unit &, const Unit &next, unsigned) { return next; }
};
template<int SIZE, bool ALIGNED> struct gp__few_words<SIZE, ALIGNED, true> {
  typedef gp__u32 Unit;
  typedef typename gp__word_of<SIZE>::type Element;
  static const bool SHIFTED = !ALIGNED;
  // The aligned word that contains `at`. If rows are not aligned, the next lane has the rest.
  static GP_DEVICE Unit load(const gp__u8 *at) {
    return *gp__as<const gp__u32>(at - (ALIGNED ? 0 : gp__misalignment(at, 4)));
  }
  static GP_DEVICE Unit load_part(const gp__u8 *at, unsigned elements) {
    Unit r = 0;
    GP__UNROLL
    for (unsigned i = 0; i < 4 / SIZE; ++i)
      if (i < elements) r |= gp__u32(gp__as<const Element>(at)[i]) << i * SIZE * 8;
    return r;
  }
  // x and the next lane's word, from bit `bits` on (modulo 32). `behind` of lane i: the word after the last lane's, in
  // row i.
  static GP_DEVICE Unit shifted(Unit x, gp__u32 behind, unsigned row, unsigned bits) {
    const gp__u32 next = __shfl_down_sync(~0u, x, 1), other = __shfl_sync(~0u, behind, int(row));
    return __funnelshift_r(x, gp_lane() == GP__WARP - 1 ? other : next, bits);
  }
  static GP_DEVICE void turn(Unit (&x)[4 / SIZE]) { gp__transpose_words<SIZE>(x); }
  // append: `next` after the upper `bits` bits of `before`. last: the last word of both, with `bits` bits of `next`.
  static GP_DEVICE Unit append(Unit before, Unit next, unsigned bits) { return __funnelshift_l(before, next, bits); }
  static GP_DEVICE Unit last(Unit before, Unit next, unsigned bits) { return __funnelshift_r(before, next, bits); }
};
// A thread has all rows of some columns, which are as many units of the output as there are rows. It moves each
// column's words to the column's start, and joins the first one to the end of the column before.
template<class P, int SIZE, int WORD, int FORM> struct gp__transposer<P, SIZE, WORD, FORM, true> {
  static const int UNIT = gp__few_unit(SIZE), K = UNIT / SIZE; // K: columns of a thread, rows of a group
  static const int GROUPS = P::vectors * 16 / UNIT > K ? P::vectors * 16 / UNIT / K : 1; // in flight at a time
  typedef gp__few_words<SIZE, (FORM & GP__FORM_IN_ALIGNED) != 0> Words;
  typedef typename Words::Unit Unit;
  typedef typename gp__word_of<SIZE>::type Element;
  const gp__transpose_args &a;
  const unsigned rows, line;
  GP_DEVICE explicit gp__transposer(const gp__transpose_args &args)
    : a(args), rows(unsigned(args.rows)), line(args.pad) {}

  GP_DEVICE unsigned slot_of(unsigned unit) const { return unit + (unit >> line); }

  // Stores group k of words of columns. Column j begins in shared memory bits[j] bits after the start of unit at[j].
  GP_DEVICE void put(Unit *shared, const unsigned (&at)[K], const unsigned (&bits)[K], unsigned k, const Unit (&x)[K],
      Unit (&before)[K]) const {
    GP__EACH(j, K) {
      shared[slot_of(at[j] + k)] = Words::append(before[j], x[j], bits[j]);
      before[j] = x[j];
    }
  }
  // Takes a column of elements that are units, four rows at a time. Pairs are contiguous: gaps are after pairs.
  GP_DEVICE void take_one(Unit *shared, const gp__u8 *in) const {
    const int FOURS = P::vectors * 16 / UNIT > 4 ? P::vectors * 16 / UNIT / 4 : 1;
    const unsigned fours = rows / 4, rest = rows % 4;
    unsigned at = threadIdx.x * rows;
    Unit x[FOURS][4], tail[3];
    const gp__u8 *from = in + gp__u64(fours * 4) * a.in_pitch;
    GP__UNROLL
    for (int i = 0; i < 3; ++i, from += a.in_pitch)
      if (i < int(rest)) tail[i] = Words::load(from);
    for (unsigned k = 0; k < fours; k += FOURS) {
      GP__EACH(b, FOURS)
        if (k + b < fours) {
          GP__UNROLL
          for (int i = 0; i < 4; ++i, in += a.in_pitch) x[b][i] = Words::load(in);
        }
      GP__EACH(b, FOURS)
        if (k + b < fours) {
          GP__UNROLL
          for (int i = 0; i < 4; i += 2, at += 2) shared[slot_of(at)] = x[b][i], shared[slot_of(at) + 1] = x[b][i + 1];
        }
    }
    GP__EACH(i, 3)
      if (i < int(rest)) shared[slot_of(at + i)] = tail[i];
  }
  // Takes the columns that begin at `in` in the first row; `columns` of them exist. WHOLE: all words of the warp do.
  template<bool WHOLE> GP_DEVICE void take(Unit *shared, const gp__u8 *in, unsigned columns) const {
    const unsigned groups = rows / K, rest = rows % K, most = groups - 1;
    const unsigned trips = (most + GROUPS - 1) / GROUPS, step = trips > 1 ? (most + trips - 1) / trips : most;
    const unsigned pitch = unsigned(a.in_pitch) * 8; // in bits, as `start` is: modulo 32
    unsigned at[K], bits[K], start = gp__misalignment(in, 4) * 8;
    gp__u32 behind = 0;
    Unit x[GROUPS][K], before[K], end[K], tail[K];
    GP__EACH(j, K) {
      at[j] = threadIdx.x * rows + j * rows * SIZE / UNIT;
      bits[j] = j * rows * SIZE % UNIT * 8;
    }
    const gp__u8 *from = in + gp__u64(most * K) * a.in_pitch;
    behind = load_behind<WHOLE>(from, K + rest);
    GP__UNROLL
    for (int i = 0; i < K; ++i, from += a.in_pitch) end[i] = load<WHOLE>(from, columns);
    GP__UNROLL
    for (int i = 0; i < K; ++i, from += a.in_pitch) tail[i] = i < int(rest) ? load<WHOLE>(from, columns) : Unit();
    for (unsigned k = 0; k < most; k += step) {
      const unsigned all = most - k < step ? most - k : step;
      const gp__u32 last_words = load_behind<WHOLE>(in, all * K);
      GP__UNROLL
      for (unsigned b = 0; b < GROUPS; ++b)
        if (b < all) {
          GP__UNROLL
          for (int i = 0; i < K; ++i, in += a.in_pitch) x[b][i] = load<WHOLE>(in, columns);
        }
      if (k == 0) {
        to_columns<WHOLE>(end, behind, 0, start + most * K * pitch);
        to_columns<WHOLE>(tail, behind, K, start + groups * K * pitch);
        before[0] = Unit();
        GP__UNROLL
        for (int j = 1; j < K; ++j) before[j] = Words::last(end[j - 1], tail[j - 1], rest * SIZE * 8);
      }
      GP__UNROLL
      for (unsigned b = 0; b < GROUPS; ++b)
        if (b < all) {
          to_columns<WHOLE>(x[b], last_words, b * K, start);
          start += K * pitch;
          put(shared, at, bits, k + b, x[b], before);
        }
    }
    put(shared, at, bits, most, end, before);
    GP__EACH(j, K)
      if (bits[j] + rest * SIZE * 8 >= UNIT * 8)
        shared[slot_of(at[j] + groups)] = Words::append(before[j], tail[j], bits[j]);
  }
  template<bool WHOLE> GP_DEVICE Unit load(const gp__u8 *at, unsigned columns) const {
    return WHOLE ? Words::load(at) : Words::load_part(at, columns);
  }
  // For `of` rows, one a lane: the word that contains the last lane's last bytes.
  template<bool WHOLE> GP_DEVICE gp__u32 load_behind(const gp__u8 *in, unsigned of) const {
    const unsigned lane = gp_lane();
    const gp__u8 *at = in + lane * a.in_pitch + (GP__WARP - lane) * 4;
    const unsigned skip = gp__misalignment(at, 4);
    return WHOLE && Words::SHIFTED && lane < of && skip ? *gp__as<const gp__u32>(at - skip) : 0;
  }
  // Turns words of K rows, the first of which begins at bit `start`, into words of columns.
  template<bool WHOLE> GP_DEVICE void to_columns(Unit (&x)[K], gp__u32 behind, unsigned row, unsigned start) const {
    GP__UNROLL
    for (int i = 0; WHOLE && Words::SHIFTED && i < K; ++i)
      x[i] = Words::shifted(x[i], behind, row + i, start + i * (unsigned(a.in_pitch) * 8));
    Words::turn(x);
  }
  // True if all words that a warp reads, from `in` on, are within [begin, end).
  GP_DEVICE bool is_whole(const gp__u8 *in, const gp__u8 *begin, const gp__u8 *end) const {
    const gp__u8 *last = in + (rows - 1) * a.in_pitch + GP__WARP * 4;
    return Words::SHIFTED ? in >= begin + 3 && last + 4 <= end : last <= end;
  }
  GP_DEVICE const Element &element(const gp__u8 *shared, unsigned byte) const {
    return *gp__as<const Element>(shared + slot_of(byte / UNIT) * UNIT + byte % UNIT);
  }
  // Stores vectors of the output: straight from shared memory, or element by element; both ends an element a thread.
  GP_DEVICE void store(const gp__u8 *shared, gp__u8 *out, unsigned bytes) const {
    const unsigned head = gp__words_before<1, 16>(out), vectors = bytes > head ? (bytes - head) / 16 : 0;
    unsigned byte = threadIdx.x * SIZE;
    if (head == 0 && rows % 2) {
      GP__UNROLL_BY(4)
      for (unsigned i = threadIdx.x; i < vectors; i += P::threads)
        gp__store_vector<P::store>(out + i * 16, *gp__as<const gp_vector>(shared + i * 16));
    } else if (head == 0) {
      GP__UNROLL_BY(4)
      for (unsigned i = threadIdx.x; i < vectors; i += P::threads) {
        const Unit *from = gp__as<const Unit>(shared) + slot_of(i * 16 / UNIT);
        gp__vec<Unit> v;
        GP__EACH(w, 16 / UNIT) v.item[w] = from[w];
        gp__store_vector<P::store>(out + i * 16, v.vector);
      }
    } else {
      GP__UNROLL_BY(1)
      for (unsigned i = threadIdx.x; i < vectors; i += P::threads) {
        gp__vec<Element> v;
        GP__EACH(w, 16 / SIZE) v.item[w] = element(shared, head + i * 16 + w * SIZE);
        gp__store_vector<P::store>(out + head + i * 16, v.vector);
      }
    }
    if (byte >= head) byte += vectors * 16;
    if (byte < bytes) *gp__as<Element>(out + byte) = element(shared, byte);
  }
  GP_DEVICE void turn(gp__u8 *shared, gp__u64 tile) const {
    const gp__u8 *in = gp__as<const gp__u8>(a.in), *begin = in, *end = in + a.in_bytes;
    gp__u8 *out = gp__as<gp__u8>(a.out);
    if ((a.outer[0] | a.outer[1]) > 1) {
      const gp__u64 matrix = tile / a.column_tiles, far = matrix / a.outer[1], near = matrix - far * a.outer[1];
      tile -= matrix * a.column_tiles;
      in += far * a.in_outer[0] + near * a.in_outer[1];
      out += far * a.out_outer[0] + near * a.out_outer[1];
    }
    const gp__u64 column = tile * a.tile_columns, rest = a.columns - column;
    const unsigned columns = unsigned(rest < a.tile_columns ? rest : a.tile_columns);
    const unsigned first = threadIdx.x * K;
    in += column * SIZE + threadIdx.x * UNIT;
    const unsigned needed = first - gp_lane() * K + GP__WARP * K; // by the warp
    if (K == 1) {
      if (first < columns) take_one(gp__as<Unit>(shared), in);
    } else if (needed <= columns && is_whole(in - gp_lane() * UNIT, begin, end))
      take<true>(gp__as<Unit>(shared), in, columns - first);
    else if (first < columns) take<false>(gp__as<Unit>(shared), in, columns - first);
    __syncthreads();
    store(shared, out + column * a.out_pitch, columns * rows * SIZE);
  }
};
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose(const gp__transpose_args &a) {
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  gp__transposer<P, SIZE, WORD, FORM> t(a);
  for (gp__u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    if (tile >= gridDim.x) __syncthreads();
    t.turn(shared, tile);
  }
}
