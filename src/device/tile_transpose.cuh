// device/tile_transpose.cuh - transpose of a tile
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h,
//   transpose/policy.h, transpose/arguments.h, device/types.cuh, device/warp.cuh, device/tile_load.cuh

// A tile is loaded row by row and stored column by column, both in adjacent accesses of 16 bytes. A group of rows fills
// 16 bytes of a column, and neighbouring lanes read shared memory whole groups apart. Padding of 16 bytes behind each
// group gives lanes banks of their own (Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, pad each row by
// an element).

GP_DEVICE unsigned gp__quotient(const gp__divisor &d, unsigned x) { return d.magic ? gp__high_product(x, d.magic) : x; }

template<int WORD> struct gp__word_of { typedef typename gp__unsigned_of<WORD>::type type; };
template<> struct gp__word_of<16> { typedef gp_vector type; };

// Loads the words of the 16 bytes at `at` that are in [from, to); the others are zeros, because the compiler gives
// partly written registers arbitrary bytes.
template<int WORD> GP_DEVICE gp_vector gp__load_words(const gp__u8 *at, const gp__u8 *from, const gp__u8 *to) {
  typedef typename gp__word_of<WORD>::type Word;
  gp__vec<Word> p;
  GP__EACH(i, 16 / WORD) {
    const gp__u8 *word = at + i * WORD;
    p.item[i] = word >= from && word < to ? *gp__as<const Word>(word) : Word();
  }
  return p.vector;
}
// Loads the 16 bytes at `at`: whole if they are within [begin, end), otherwise only their words in [from, to). begin ==
// end: [from, to) takes its place.
template<int CACHE, int WORD>
GP_DEVICE gp_vector gp__load_unit(
    const gp__u8 *at, const gp__u8 *from, const gp__u8 *to, const gp__u8 *begin, const gp__u8 *end) {
  if (at >= (begin == end ? from : begin) && at + 16 <= (begin == end ? to : end)) return gp__load_vector<CACHE>(at);
  return gp__load_words<WORD>(at, from, to);
}

// Layout of a tile's rows: row after row, and 16 bytes of padding after each group of rows.
template<int GROUP> struct gp__padded_rows {
  unsigned pitch, pad;
  GP_DEVICE unsigned at(unsigned row, unsigned byte) const { return row * pitch + row / GROUP * pad + byte; }
  GP_DEVICE unsigned step() const { return pitch; } // to the next row of a group
};
// The same for narrow elements if nothing is aligned: lanes that read neighbouring columns read different rows, whose
// words have different places in their 16 bytes, so different banks.
template<int GROUP> struct gp__exchanged_rows : gp__padded_rows<GROUP> {
  GP_DEVICE unsigned at(unsigned row, unsigned byte) const {
    return gp__padded_rows<GROUP>::at(row, byte ^ (row & 3u) << 2);
  }
};
template<int GROUP, int PITCH, bool EXCHANGED> struct gp__tile_rows {
  typedef gp__padded_rows<GROUP> type;
  static GP_DEVICE type make() { return type{unsigned(PITCH), GROUP > 1 ? 16u : 0u}; }
};
template<int GROUP, int PITCH> struct gp__tile_rows<GROUP, PITCH, true> {
  typedef gp__exchanged_rows<GROUP> type;
  static GP_DEVICE type make() {
    type r;
    r.pitch = unsigned(PITCH), r.pad = 16u;
    return r;
  }
};

// Writes `lines` lines of `items` elements, SIZE bytes an element, `pitch` bytes from line to line. Element i of line j
// is in row i of shared memory, at byte j * SIZE. blocks: a line's blocks of 8 units of 16 bytes.
template<int THREADS, int CACHE, int SIZE, int WORD, bool OUT_ALIGNED, class Layout>
GP_DEVICE void gp__store_lines(const gp__u8 *shared, const Layout &layout, gp__u8 *out, gp__u64 pitch, unsigned items,
    unsigned lines, gp__divisor blocks) {
  typedef typename gp__word_of<WORD>::type Word;
  const int N = SIZE / WORD, W = 16 / WORD, KW = 8, JW = GP__WARP / KW;
  const unsigned works = (lines + JW - 1) / JW * blocks.by * GP__WARP;
  GP__UNROLL_BY(2)
  for (unsigned i = threadIdx.x; i < works; i += THREADS) {
    const unsigned rest = i / GP__WARP, group = gp__quotient(blocks, rest),
                   unit = (rest - group * blocks.by) * KW + i % KW;
    const unsigned line = group * JW + i / KW % JW;
    if (line >= lines) continue;
    gp__u8 *to = out + line * pitch;
    const unsigned skip = OUT_ALIGNED ? 0 : gp__misalignment(to, 16);
    const int first = int(unit * W) - int(skip / WORD), all = int(items * N);
    if (first >= all || first <= -W) continue;
    to += gp__u64(unit) * 16 - skip;
    if (first >= 0 && first + W <= all) {
      gp__vec<Word> p;
      const unsigned from = OUT_ALIGNED && N == 1 ? layout.at(unsigned(first), line * SIZE) : 0;
      GP__EACH(w, W) {
        const unsigned row = unsigned(first + w) / N, part = unsigned(first + w) % N;
        p.item[w] = *gp__as<const Word>(shared +
            (OUT_ALIGNED && N == 1 ? from + w * layout.step() // one group of rows
                : layout.at(row, line * SIZE + part * WORD)));
      }
      gp__store_vector<CACHE>(to, p.vector);
      continue;
    }
    GP__UNROLL_BY(1)
    for (int w = 0; w < W; ++w) {
      if (first + w < 0 || first + w >= all) continue;
      const unsigned row = unsigned(first + w) / N, part = unsigned(first + w) % N;
      *gp__as<Word>(to + w * WORD) = *gp__as<const Word>(shared + layout.at(row, line * SIZE + part * WORD));
    }
  }
}

// Words of a line before its first multiple of ALIGNMENT, which may be past its end.
template<int WORD, int ALIGNMENT> GP_DEVICE unsigned gp__words_before(const gp__u8 *line) {
  return (0u - gp__misalignment(line, ALIGNMENT)) % ALIGNMENT / WORD;
}
// The i-th of a line's words outside whole units: first those before the first unit, then those after the last.
template<int WORD> GP_DEVICE unsigned gp__end_word(unsigned i, unsigned words, unsigned before) {
  return i < before ? i : words - (words - before) % (16 / WORD) + i - before;
}
// Stores the words before each line's first unit and after its last, a lane each; at(word, line): their source. Lines
// of whole units have no more of these than a unit has; other lines may.
template<int THREADS, int WORD, int ALIGNMENT, int LINES, bool OUT_ALIGNED, class At>
GP_DEVICE void gp__store_ends(
    gp__u8 *out, gp__u64 pitch, unsigned words, unsigned lines, bool heads, bool tails, const At &at) {
  typedef typename gp__word_of<WORD>::type Word;
  const unsigned W = 16 / WORD, PART = ALIGNMENT / WORD, STEP = THREADS / PART;
  const bool even = words % PART == 0;
  heads = heads && !OUT_ALIGNED, tails = tails && !(OUT_ALIGNED && words % W == 0);
  for (unsigned i = threadIdx.x % PART; (heads || tails) && i < (even ? PART : PART + W); i += PART) {
    GP__UNROLL_BY(4)
    for (unsigned k = 0; k < (LINES + STEP - 1) / STEP; ++k) {
      const unsigned line = threadIdx.x / PART + k * STEP;
      gp__u8 *to = out + line * pitch;
      const unsigned skip = OUT_ALIGNED ? 0 : gp__words_before<WORD, ALIGNMENT>(to), head = skip < words ? skip : words;
      const unsigned word = gp__end_word<WORD>(i, words, head);
      if (line < lines && word < words && (i < head ? heads : tails))
        *gp__as<Word>(to + word * WORD) = *gp__as<const Word>(at(word, line));
    }
  }
}
// The same for a tile, whose columns are the lines: stores units from the first multiple of ALIGNMENT on. A thread's
// lines of a set have the same offset from such a multiple, so its reads of each are equally far apart.
template<int THREADS, int CACHE, int SIZE, int WORD, int ROWS, int COLUMNS, bool IN_ALIGNED, bool OUT_ALIGNED,
    int ALIGNMENT, class Layout>
struct gp__column_store {
  typedef typename gp__word_of<WORD>::type Word;
  static const int N = SIZE / WORD, W = 16 / WORD, UNITS = ROWS * SIZE / 16;
  static const int KW = gp__lowest_bit(UNITS | 8), JW = GP__WARP / KW, BLOCKS = UNITS / KW;
  static const int ROUNDS = ((COLUMNS + JW - 1) / JW * BLOCKS * GP__WARP + THREADS - 1) / THREADS;
  static const int LINES = THREADS / GP__WARP / BLOCKS * JW, // of a round
      ALIKE = ALIGNMENT / WORD; // distance of lines that begin alike
  static const int STRIDE = LINES > ALIKE ? LINES : ALIKE;
  static const bool FIXED =
      THREADS % (GP__WARP * BLOCKS) == 0 && STRIDE % LINES == 0 && STRIDE % ALIKE == 0 && COLUMNS % STRIDE == 0;
  static const int SETS = FIXED ? STRIDE / LINES : ROUNDS;
  const gp__u8 *shared;
  const Layout layout;
  const unsigned start, start_pitch;

  GP_DEVICE unsigned at(unsigned word, unsigned line) const {
    const unsigned row = word / N;
    return layout.at(row, (IN_ALIGNED ? 0 : (start + row * start_pitch) & 15u) + line * SIZE + word % N * WORD);
  }
  GP_DEVICE const gp__u8 *operator()(unsigned word, unsigned line) const { return shared + at(word, line); }
  GP_DEVICE void units(gp__u8 *out, gp__u64 pitch, unsigned words, unsigned lines, bool tails) const {
    GP__UNROLL_BY(FIXED ? 1 : 8)
    for (int set = 0; set < SETS; ++set) {
      const unsigned i = (FIXED ? 0 : set * THREADS) + threadIdx.x, unit = i / GP__WARP % BLOCKS * KW + i % KW;
      const unsigned first_line = i / GP__WARP / BLOCKS * JW + i / KW % JW + (FIXED ? set * LINES : 0);
      gp__u8 *to = out + first_line * pitch;
      const unsigned first = unit * W + (OUT_ALIGNED ? 0 : gp__words_before<WORD, ALIGNMENT>(to));
      int from[W];
      if (first + W > words || !(OUT_ALIGNED || tails || unit < unsigned(UNITS - ALIGNMENT / 16))) continue;
      GP__EACH(w, W) gp__optimizer_barrier(from[w] = int(at(first + w, first_line)));
      to += first * WORD;
      GP__UNROLL_BY(8)
      for (int k = 0; k < ROUNDS / SETS; ++k) {
        gp__vec<Word> p;
        if (first_line + k * STRIDE >= lines) continue;
        GP__EACH(w, W) p.item[w] = *gp__as<const Word>(shared + from[w] + k * STRIDE * SIZE);
        gp__store_vector<CACHE>(to + k * STRIDE * pitch, p.vector);
      }
    }
  }
};

// A tile of ROWS rows of COLUMNS elements of SIZE bytes: units of 16 bytes in, words of WORD bytes out. Addresses are
// multiples of WORD; IN_ALIGNED, OUT_ALIGNED: of 16, for all rows (columns). `shared` is aligned to 16.
template<int THREADS, int LOAD, int STORE, int SIZE, int WORD, int ROWS, int COLUMNS, bool IN_ALIGNED, bool OUT_ALIGNED,
    int ALIGNMENT>
struct gp__gathered_tile {
  static const int GROUP = gp__vec_group_items(SIZE), UNITS = COLUMNS * SIZE / 16 + !IN_ALIGNED;
  static const int PITCH = gp__transpose_pitch(SIZE, COLUMNS, IN_ALIGNED);
  static const int ROUNDS = (ROWS * UNITS + THREADS - 1) / THREADS;
  static const int MAIN = COLUMNS * SIZE / 16, ROWS_A_ROUND = THREADS / MAIN; // if rows are not aligned
  static const bool EVEN = THREADS % MAIN == 0 && ROWS * MAIN % THREADS == 0 && ROWS_A_ROUND * WORD % 16 == 0;
  static const bool EXCHANGED = SIZE <= 2 && !IN_ALIGNED && !OUT_ALIGNED;
  typedef gp__tile_rows<GROUP, PITCH, EXCHANGED> Rows;
  static GP_DEVICE void put(
      gp__u8 *shared, const typename Rows::type &layout, unsigned row, unsigned byte, const gp_vector &v) {
    if (!EXCHANGED) *gp__as<gp_vector>(shared + layout.at(row, byte)) = v;
    else {
      GP__UNROLL
      for (unsigned i = 0; i < 4; ++i) *gp__as<gp__u32>(shared + layout.at(row, byte + i * 4)) = v.word[i];
    }
  }
  // Row and unit of this thread's k-th unit.
  static GP_DEVICE unsigned row_of(unsigned k) {
    return THREADS % UNITS == 0 ? threadIdx.x / UNITS + k * (THREADS / UNITS) : (k * THREADS + threadIdx.x) / UNITS;
  }
  static GP_DEVICE unsigned unit_of(unsigned k) {
    return THREADS % UNITS == 0 ? threadIdx.x % UNITS : (k * THREADS + threadIdx.x) % UNITS;
  }
  // Loads rows of `columns` elements, `pitch` bytes from row to row. It may read bytes of [begin, end) beside them.
  // ALONE: it may not, and begin == end.
  template<bool ALONE = false>
  static GP_DEVICE void load(gp__u8 *shared, const gp__u8 *in, gp__u64 pitch, unsigned rows, unsigned columns,
      const gp__u8 *begin, const gp__u8 *end) {
    const typename Rows::type layout = Rows::make();
    gp_vector v[ROUNDS];
    const bool full = rows == ROWS && columns == COLUMNS;
    if (IN_ALIGNED && ROWS * UNITS % THREADS == 0 &&
        (full || (!ALONE && in + (rows - 1) * pitch + COLUMNS * SIZE <= end))) {
      if (full) {
        GP__EACH(k, ROUNDS) v[k] = gp__load_vector<LOAD>(in + row_of(k) * pitch + unit_of(k) * 16);
      } else {
        GP__EACH(k, ROUNDS) // repeats the last row
          v[k] = gp__load_vector<LOAD>(in + (row_of(k) < rows ? row_of(k) : rows - 1) * pitch + unit_of(k) * 16);
      }
      GP__EACH(k, ROUNDS) {
        put(shared, layout, row_of(k), unit_of(k) * 16, v[k]);
      }
      return;
    }
    if (ALONE && !IN_ALIGNED && EVEN) return load_alone(shared, in, pitch, rows, columns);
    if (!ALONE && !IN_ALIGNED && EVEN && in >= begin + 16 && in + (rows - 1) * pitch + COLUMNS * SIZE + 16 <= end)
      return load_shifted(shared, in, pitch, rows);
    GP__UNROLL_BY(1)
    for (int k = 0; k < ROUNDS; ++k) {
      const unsigned row = row_of(k), unit = unit_of(k) * 16;
      if (row >= rows) continue;
      const gp__u8 *from = in + row * pitch;
      const unsigned skip = IN_ALIGNED ? 0 : gp__misalignment(from, 16);
      if (unit < skip + columns * SIZE)
        put(shared, layout, row, unit,
            gp__load_unit<LOAD, WORD>(from - skip + unit, from, from + columns * SIZE, begin, end));
    }
  }
  // Loads unaligned rows at the tile's full width, with the bytes beside them. A thread's rows have the same offset
  // from a multiple of 16. Another thread loads the last unit of each row.
  static GP_DEVICE void load_shifted(gp__u8 *shared, const gp__u8 *in, gp__u64 pitch, unsigned rows) {
    const int K = EVEN ? ROWS * MAIN / THREADS : 1, LAST = (ROWS + THREADS - 1) / THREADS;
    const typename Rows::type layout = Rows::make();
    const unsigned row = threadIdx.x / MAIN, unit = threadIdx.x % MAIN * 16;
    const gp__u8 *from = in + row * pitch;
    gp_vector v[K], last[LAST];
    from = from - gp__misalignment(from, 16) + unit;
    GP__EACH(k, K) {
      v[k] = gp_vector();
      gp__load_vector_if<LOAD>(row + k * ROWS_A_ROUND < rows, from + k * ROWS_A_ROUND * pitch, v[k]);
    }
    GP__EACH(k, LAST) {
      const unsigned r = k * THREADS + threadIdx.x;
      const gp__u8 *at = in + r * pitch;
      last[k] = gp_vector();
      gp__load_vector_if<LOAD>(r < rows, at - gp__misalignment(at, 16) + MAIN * 16, last[k]);
    }
    GP__EACH(k, K) put(shared, layout, row + k * ROWS_A_ROUND, unit, v[k]);
    GP__EACH(k, LAST) {
      const unsigned r = k * THREADS + threadIdx.x;
      if (r < ROWS) put(shared, layout, r, MAIN * 16, last[k]);
    }
  }
  // The same without the bytes beside them: whole units, then the words before and after these, a lane each.
  static GP_DEVICE void load_alone(gp__u8 *shared, const gp__u8 *in, gp__u64 pitch, unsigned rows, unsigned columns) {
    typedef typename gp__word_of<WORD>::type Word;
    const int K = EVEN ? ROWS * MAIN / THREADS : 1;
    const unsigned W = 16 / WORD, STEP = THREADS / W, ENDS = (ROWS + STEP - 1) / STEP, words = columns * (SIZE / WORD);
    const typename Rows::type layout = Rows::make();
    const unsigned row = threadIdx.x / MAIN;
    const gp__u8 *from = in + row * pitch;
    const unsigned head = gp__words_before<WORD, 16>(from) * WORD, unit = head + threadIdx.x % MAIN * 16;
    const unsigned to = gp__misalignment(from, 16) + unit;
    gp_vector v[K];
    Word end[ENDS];
    GP__EACH(k, K) {
      v[k] = gp_vector();
      gp__load_vector_if<LOAD>(
          unit + 16 <= columns * SIZE && row + k * ROWS_A_ROUND < rows, from + unit + k * ROWS_A_ROUND * pitch, v[k]);
    }
    for (unsigned i = threadIdx.x % W; i < (words % W ? 2 * W : W); i += W) {
      const unsigned first = threadIdx.x / W;
      GP__UNROLL
      for (unsigned k = 0; k < ENDS; ++k) {
        const gp__u8 *line = in + (first + k * STEP) * pitch;
        const unsigned skip = gp__words_before<WORD, 16>(line), before = skip < words ? skip : words;
        const unsigned word = gp__end_word<WORD>(i, words, before);
        end[k] = Word();
        if (first + k * STEP < rows && word < words) end[k] = *gp__as<const Word>(line + word * WORD);
      }
      if (i < W) {
        GP__EACH(k, K)
          if (unit + 16 <= columns * SIZE) put(shared, layout, row + k * ROWS_A_ROUND, to, v[k]);
      }
      GP__UNROLL
      for (unsigned k = 0; k < ENDS; ++k) {
        const gp__u8 *line = in + (first + k * STEP) * pitch;
        const unsigned skip = gp__words_before<WORD, 16>(line), before = skip < words ? skip : words;
        const unsigned word = gp__end_word<WORD>(i, words, before);
        if (first + k * STEP < rows && word < words)
          *gp__as<Word>(shared + layout.at(first + k * STEP, gp__misalignment(line, 16) + word * WORD)) = end[k];
      }
    }
  }
  // Stores columns of `rows` elements, `pitch` bytes from column to column. start, start_pitch: of the loaded rows,
  // modulo 16. heads, tails: without them, overlapping tiles leave the ends of columns to their neighbours.
  static GP_DEVICE void store(const gp__u8 *shared, gp__u8 *out, gp__u64 pitch, unsigned rows, unsigned columns,
      unsigned start, unsigned start_pitch, bool heads = true, bool tails = true) {
    const gp__column_store<THREADS, STORE, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED, ALIGNMENT,
        typename Rows::type>
        to = {shared, Rows::make(), start, start_pitch};
    const unsigned words = rows * (SIZE / WORD);
    to.units(out, pitch, words, columns, tails);
    gp__store_ends<THREADS, WORD, ALIGNMENT, COLUMNS, OUT_ALIGNED>(out, pitch, words, columns, heads, tails, to);
  }
};

// Loads the 16 bytes at `at`, a multiple of WORD (of 16 if ALIGNED), from two units if it is unaligned. Bytes outside
// [from, to) are undefined.
template<int CACHE, int WORD, bool ALIGNED>
GP_DEVICE gp_vector gp__load_across(
    const gp__u8 *at, const gp__u8 *from, const gp__u8 *to, const gp__u8 *begin, const gp__u8 *end) {
  const unsigned skip = ALIGNED ? 0 : gp__misalignment(at, 16);
  const gp__u8 *low = at - skip;
  const gp_vector v = gp__load_unit<CACHE, WORD>(low, from, to, begin, end);
  if (skip == 0) return v;
  return gp__shift_vectors(
      v, low + 16 < to ? gp__load_unit<CACHE, WORD>(low + 16, from, to, begin, end) : gp_vector(), skip);
}

// Transposes words of 4 / SIZE rows into words of columns.
template<int SIZE> GP_DEVICE void gp__transpose_words(gp__u32 (&x)[SIZE < 4 ? 4 / SIZE : 1]) {
  if (SIZE == 2) {
    const gp__u32 a = x[0], b = x[SIZE < 4 ? 1 : 0];
    x[0] = gp__permute(a, b, 0x5410);
    x[SIZE < 4 ? 1 : 0] = gp__permute(a, b, 0x7632);
  } else if (SIZE == 1) {
    const int i = SIZE == 1; // only then are there four words
    const gp__u32 low = gp__permute(x[0], x[i], 0x5140), low2 = gp__permute(x[2 * i], x[3 * i], 0x5140);
    const gp__u32 high = gp__permute(x[0], x[i], 0x7362), high2 = gp__permute(x[2 * i], x[3 * i], 0x7362);
    x[0] = gp__permute(low, low2, 0x5410);
    x[i] = gp__permute(low, low2, 0x7632);
    x[2 * i] = gp__permute(high, high2, 0x5410);
    x[3 * i] = gp__permute(high, high2, 0x7632);
  }
}
// Transposes 16 / SIZE units, one below the other, into units of columns.
template<int SIZE> GP_DEVICE void gp__transpose_units(gp_vector (&v)[16 / SIZE]) {
  const int E = 16 / SIZE, K = SIZE < 4 ? 4 / SIZE : 1, M = SIZE < 4 ? 1 : SIZE / 4; // words of an element
  gp_vector r[E];
  GP__UNROLL
  for (int i = 0; i < E; i += K) { // row
    GP__EACH(j, 4) { // word
      gp__u32 words[K];
      GP__EACH(k, K) words[k] = v[i + k].word[j];
      gp__transpose_words<SIZE>(words);
      GP__EACH(k, K) r[j / M * K + k].word[i / K * M + j % M] = words[k];
    }
  }
  GP__EACH(i, E) v[i] = r[i];
}

// The same for elements of 1 or 2 bytes: K = 4 / SIZE rows become words of a column in registers, on their way into
// shared memory, and leave it as 16-byte units. Unaligned data is shifted, in registers too.
template<int THREADS, int LOAD, int STORE, int SIZE, int ROWS, int COLUMNS, bool IN_ALIGNED, bool OUT_ALIGNED,
    int ALIGNMENT>
struct gp__scattered_tile {
  static const int K = 4 / SIZE, V = 16 / SIZE, UNITS = COLUMNS / V, OUT_UNITS = ROWS / V, BUNDLES = ROWS / K;
  static const int UC = UNITS >= 8 ? 8 : UNITS, ROUNDS = (BUNDLES * UNITS + THREADS - 1) / THREADS;
  static GP_DEVICE unsigned offset_of(unsigned column, unsigned unit) { // of a column's 16 bytes
    return column * ROWS * SIZE + column / V * 16 + unit * 16;
  }
  static GP_DEVICE void put(gp__u8 *shared, unsigned column, unsigned bundle, gp__u32 word) {
    *gp__as<gp__u32>(shared + offset_of(column, bundle / 4) + bundle % 4 * 4) = word;
  }
  static GP_DEVICE unsigned unit_of(unsigned i) { return i % UC + i / UC / BUNDLES * UC; }
  static GP_DEVICE unsigned bundle_of(unsigned i) { return i / UC % BUNDLES; }
  static GP_DEVICE void scatter(gp__u8 *shared, unsigned i, const gp_vector (&v)[K]) {
    if (i >= BUNDLES * UNITS) return;
    GP__EACH(w, 4) {
      gp__u32 words[K];
      GP__EACH(k, K) words[k] = v[k].word[w];
      gp__transpose_words<SIZE>(words);
      GP__EACH(k, K) put(shared, unit_of(i) * V + w * K + k, bundle_of(i), words[k]);
    }
  }
  template<bool = false> // ALONE of gathered tiles: here begin and end say it
  static GP_DEVICE void load(gp__u8 *shared, const gp__u8 *in, gp__u64 pitch, unsigned rows, unsigned columns,
      const gp__u8 *begin, const gp__u8 *end) {
    const bool full = rows == ROWS && columns == COLUMNS;
    if (IN_ALIGNED && full) {
      gp_vector v[ROUNDS][K];
      GP__EACH(n, ROUNDS) {
        const unsigned i = n * THREADS + threadIdx.x;
        GP__EACH(k, K)
          if (i < BUNDLES * UNITS)
            v[n][k] = gp__load_vector<LOAD>(in + (bundle_of(i) * K + k) * pitch + unit_of(i) * 16);
      }
      GP__EACH(n, ROUNDS) scatter(shared, n * THREADS + threadIdx.x, v[n]);
      return;
    }
    // Unaligned data spans two units: loads all before it uses one, if the bytes beside may be read.
    const bool both_units =
        !IN_ALIGNED && full && begin != end && in >= begin + 16 && in + (ROWS - 1) * pitch + COLUMNS * SIZE + 16 <= end;
    GP__UNROLL_BY(1)
    for (int n = 0; n < ROUNDS; ++n) {
      const unsigned i = n * THREADS + threadIdx.x, unit = unit_of(i), row = bundle_of(i) * K;
      const gp__u8 *from = in + row * pitch;
      gp_vector v[K], high[K];
      GP__EACH(k, K) v[k] = high[k] = gp_vector();
      if (i >= BUNDLES * UNITS) continue;
      if (both_units) {
        GP__EACH(k, K) {
          const gp__u8 *at = from + k * pitch + unit * 16, *low = at - gp__misalignment(at, 16);
          v[k] = gp__load_vector<LOAD>(low), high[k] = gp__load_vector<LOAD>(low + 16);
        }
        GP__EACH(k, K) v[k] = gp__shift_vectors(v[k], high[k], gp__misalignment(from + k * pitch, 16));
      } else {
        GP__EACH(k, K)
          if (row + k < rows && unit * V < columns)
            v[k] = gp__load_across<LOAD, SIZE, IN_ALIGNED>(
                from + k * pitch + unit * 16, from + k * pitch, from + k * pitch + columns * SIZE, begin, end);
      }
      scatter(shared, i, v);
    }
  }
  // heads, tails: without them, overlapping tiles leave the ends of columns to their neighbours.
  static GP_DEVICE void store(const gp__u8 *shared, gp__u8 *out, gp__u64 pitch, unsigned rows, unsigned columns,
      unsigned, unsigned, bool heads = true, bool tails = true) {
    typedef typename gp__word_of<SIZE>::type Word;
    if (!OUT_ALIGNED) return store_across(shared, out, pitch, rows, columns, heads, tails);
    GP__UNROLL_BY(4)
    for (unsigned i = threadIdx.x; i < COLUMNS * OUT_UNITS; i += THREADS) {
      const unsigned column = i / OUT_UNITS, unit = i % OUT_UNITS;
      if (column >= columns || unit * V >= rows) continue;
      gp__u8 *to = out + column * pitch + unit * 16;
      gp__vec<Word> p;
      p.vector = *gp__as<const gp_vector>(shared + offset_of(column, unit));
      if ((unit + 1) * V <= rows) gp__store_vector<STORE>(to, p.vector);
      else {
        GP__EACH(w, V)
          if (unit * V + w < rows) *gp__as<Word>(to + w * SIZE) = p.item[w];
      }
    }
  }
  // Stores units of the output, each from two units of shared memory.
  static GP_DEVICE void store_across(
      const gp__u8 *shared, gp__u8 *out, gp__u64 pitch, unsigned rows, unsigned columns, bool heads, bool tails) {
    const int LINES = THREADS / OUT_UNITS, STORES = (COLUMNS * OUT_UNITS + THREADS - 1) / THREADS;
    const bool FIXED = THREADS % OUT_UNITS == 0 && LINES % V == 0; // a thread's columns are misaligned alike
    unsigned at = 0, shift = 0;
    GP__UNROLL_BY(8)
    for (int k = 0; k < STORES; ++k) {
      const unsigned i = k * THREADS + threadIdx.x, column = i / OUT_UNITS;
      gp__u8 *to = out + column * pitch;
      const unsigned lead = gp__words_before<SIZE, ALIGNMENT>(to), unit = i % OUT_UNITS + lead / V;
      const unsigned first = i % OUT_UNITS * V + lead;
      if (!FIXED || k == 0) at = offset_of(column, 0), shift = lead % V * SIZE;
      if (column >= columns || first + V > rows || !(tails || i % OUT_UNITS < unsigned(OUT_UNITS - ALIGNMENT / 16)))
        continue;
      const gp__u8 *from = shared + at + unit * 16 + (FIXED ? k * (LINES * ROWS * SIZE + LINES / V * 16) : 0);
      gp_vector v = *gp__as<const gp_vector>(from);
      if (shift) v = gp__shift_vectors(v, *gp__as<const gp_vector>(from + 16), shift);
      gp__store_vector<STORE>(to + first * SIZE, v);
    }
    gp__store_ends<THREADS, SIZE, ALIGNMENT, COLUMNS, false>(out, pitch, rows, columns, heads, tails,
        [shared](unsigned row, unsigned column) { return shared + offset_of(column, row / V) + row % V * SIZE; });
  }
};
template<int THREADS, int LOAD, int STORE, int SIZE, int WORD, int ROWS, int COLUMNS, bool IN_ALIGNED, bool OUT_ALIGNED,
    bool SCATTERED, int ALIGNMENT = 16>
struct gp__transposed_tile
  : gp__gathered_tile<THREADS, LOAD, STORE, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED, ALIGNMENT> {};
template<int THREADS, int LOAD, int STORE, int SIZE, int WORD, int ROWS, int COLUMNS, bool IN_ALIGNED, bool OUT_ALIGNED,
    int ALIGNMENT>
struct gp__transposed_tile<THREADS, LOAD, STORE, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED, true, ALIGNMENT>
  : gp__scattered_tile<THREADS, LOAD, STORE, SIZE, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED, ALIGNMENT> {};

// Transposes tiles. load() brings rows x columns elements (at most ROWS x COLUMNS) of a row-major matrix into storage,
// `pitch` elements from row to row. After a barrier, store() writes them as columns x rows. All threads call. Matrices
// need only the alignment of their elements; ALIGNED saves a little if all rows of both are aligned to 16 bytes.
// COLUMNS and ROWS times sizeof(T) are multiples of 16. Storage may be used again after a barrier that follows store().
//    GP_SHARED(Tile::storage, s);
//    Tile::load(s, in + row * pitch + column, pitch, rows, columns);
//    __syncthreads();
//    Tile::store(s, out + column * out_pitch + row, out_pitch, rows, columns);
template<int THREADS, class T, int ROWS, int COLUMNS, bool ALIGNED = false> struct gp_tile_transpose {
  static const int SIZE = int(sizeof(T)), WORD = gp__lowest_bit(SIZE | int(alignof(T)) | 16);
  static_assert(ROWS * SIZE % 16 == 0 && COLUMNS * SIZE % 16 == 0, "rows and columns of a tile are whole 16 bytes");
  typedef gp__transposed_tile<THREADS, GP_CACHE_ALL, GP_CACHE_ALL, SIZE, WORD, ROWS, COLUMNS, ALIGNED, ALIGNED,
      (SIZE <= 2 && ALIGNED)>
      Tile;
  struct storage {
    unsigned start, start_pitch; // of the loaded rows, modulo 16
    alignas(16) gp__u8 bytes[gp__transpose_tile_bytes(SIZE, ROWS, COLUMNS, ALIGNED)];
  };
  static GP_DEVICE void load(storage &s, const T *in, gp__u64 pitch, unsigned rows, unsigned columns) {
    const gp__u8 *from = gp__as<const gp__u8>(in);
    if (!threadIdx.x) s.start = gp__misalignment(in, 16), s.start_pitch = unsigned(pitch * SIZE) & 15u;
    Tile::load(
        s.bytes, from, pitch * SIZE, rows, columns, from, rows ? from + ((rows - 1) * pitch + columns) * SIZE : from);
  }
  static GP_DEVICE void store(const storage &s, T *out, gp__u64 pitch, unsigned rows, unsigned columns) {
    Tile::store(s.bytes, gp__as<gp__u8>(out), pitch * SIZE, rows, columns, s.start, s.start_pitch);
  }
};
