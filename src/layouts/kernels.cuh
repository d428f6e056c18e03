// layouts/kernels.cuh - conversion of layouts
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/rules.h, core/shape.h, top_k/policy.h,
//   layouts/policy.h, layouts/arguments.h, device/tile_copy.cuh, device/kernel.cuh

// Converts structs from one layout to another, tile by tile. A tile of the source is loaded by vectors, as it is in
// memory: one range of bytes if blocks divide the tile, otherwise a range for each field. The ranges are consecutive in
// shared memory. Each thread takes `chunk` structs at a time into registers, field by field, and writes them to the
// destination's ranges; these are stored as the source's were loaded. Offsets and sizes are constants, so between two
// accesses to shared memory a thread only permutes bytes, and does nothing for fields of whole words. (Arrays of
// structs of arrays, and what they are good for: Strzodka, Abstraction for AoS and SoA Layout in C++; Weber and
// Goesele, MATOG: Array Layout Auto-Tuning for CUDA.)

// A field's size, and its offsets in both structs; a gap of the destination has source offset -1.
template<int SIZE, int IN, int OUT> struct gp__moved {};
// WIDTH: of a block, which divides the tile; 0 and -1: a range for each field, of an array or of a larger block. SIZE:
// of a struct.
template<int WIDTH, int SIZE> struct gp__side {
  static const int width = WIDTH > 0 ? WIDTH : 0, size = SIZE;
  static const bool parts = WIDTH < 0;
};

// A list of moved fields, gaps last. A field's part of the registers is whole words.
template<class... Fields> struct gp__moved_list {
  static const int count = 0, moved = 0, bytes = 0;
  static GP__BOTH constexpr int size(int) { return 0; }
  static GP__BOTH constexpr int offset(bool, int) { return 0; }
  static GP__BOTH constexpr int before(int) { return 0; }
  static GP__BOTH constexpr int word(int, int) { return 0; }
  static GP__BOTH constexpr int of_register(int, int, int) { return -1; }
  static GP__BOTH constexpr int of_struct(int, int, int, int) { return -1; }
};
template<int SIZE, int IN, int OUT, class... Rest> struct gp__moved_list<gp__moved<SIZE, IN, OUT>, Rest...> {
  typedef gp__moved_list<Rest...> rest;
  static const int count = 1 + rest::count, moved = (IN >= 0) + rest::moved, bytes = (IN >= 0 ? SIZE : 0) + rest::bytes;
  static GP__BOTH constexpr int size(int f) { return f == 0 ? SIZE : rest::size(f - 1); }
  static GP__BOTH constexpr int offset(bool out, int f) { return f == 0 ? (out ? OUT : IN) : rest::offset(out, f - 1); }
  // Bytes of the fields before the f-th.
  static GP__BOTH constexpr int before(int f) { return f == 0 ? 0 : (IN >= 0 ? SIZE : 0) + rest::before(f - 1); }
  // The first word of the f-th field's part, of a chunk.
  static GP__BOTH constexpr int word(int chunk, int f) {
    return f == 0 ? 0 : (IN >= 0 ? (chunk * SIZE + 3) / 4 : 0) + rest::word(chunk, f - 1);
  }
  // Byte of the source's structs in byte b of the registers; -1: none.
  static GP__BOTH constexpr int of_register(int chunk, int struct_size, int b) {
    return b >= (chunk * SIZE + 3) / 4 * 4 ? rest::of_register(chunk, struct_size, b - (chunk * SIZE + 3) / 4 * 4)
        : b < chunk * SIZE && IN >= 0 ? b / SIZE * struct_size + IN + b % SIZE
        : -1;
  }
  // Byte of the registers for byte b of the destination's k-th struct; -1: a gap. first: word.
  static GP__BOTH constexpr int of_struct(int chunk, int k, int b, int first) {
    return IN >= 0 && b >= OUT && b < OUT + SIZE
        ? first * 4 + k * SIZE + b - OUT
        : rest::of_struct(chunk, k, b, first + (IN >= 0 ? (chunk * SIZE + 3) / 4 : 0));
  }
};

// Packs four bytes of registers, given by number, into a word; -1: zero.
template<int B0, int B1, int B2, int B3> GP_DEVICE gp__u32 gp__pick_bytes(const gp__u32 *word) {
  const int W0 = B0 < 0 ? -1 : B0 / 4, W1 = B1 < 0 ? -1 : B1 / 4, W2 = B2 < 0 ? -1 : B2 / 4, W3 = B3 < 0 ? -1 : B3 / 4;
  const int A = W0, B = W1 != A ? W1 : W2 != A ? W2 : W3; // of at most two words
  if (W0 == W1 && W0 == W2 && W0 == W3 && (W0 < 0 || (B0 % 4 == 0 && B1 % 4 == 1 && B2 % 4 == 2 && B3 % 4 == 3)))
    return W0 < 0 ? 0 : word[W0 < 0 ? 0 : W0];
  if ((W1 == A || W1 == B) && (W2 == A || W2 == B) && (W3 == A || W3 == B)) {
    const gp__u32 a = A < 0 ? 0 : word[A < 0 ? 0 : A], b = B < 0 ? 0 : word[B < 0 ? 0 : B];
    const int S0 = A < 0 ? 0 : B0 % 4, S1 = (W1 == A ? 0 : 4) + (W1 < 0 ? 0 : B1 % 4),
              S2 = (W2 == A ? 0 : 4) + (W2 < 0 ? 0 : B2 % 4), S3 = (W3 == A ? 0 : 4) + (W3 < 0 ? 0 : B3 % 4);
    return __byte_perm(a, b, S0 | S1 << 4 | S2 << 8 | S3 << 12);
  }
  const gp__u32 low = gp__pick_bytes<B0, B1, B0, B1>(word), high = gp__pick_bytes<B2, B3, B2, B3>(word);
  return __byte_perm(low, high, 0x5410);
}
// Permutes bytes of `from` by Map::at into words [J, END).
template<class Map, int J, int END> struct gp__permuted_words {
  static GP_DEVICE void run(const gp__u32 *from, gp__u32 *to) {
    to[J] = gp__pick_bytes<Map::at(4 * J), Map::at(4 * J + 1), Map::at(4 * J + 2), Map::at(4 * J + 3)>(from);
    gp__permuted_words<Map, J + 1, END>::run(from, to);
  }
};
template<class Map, int END> struct gp__permuted_words<Map, END, END> {
  static GP_DEVICE void run(const gp__u32 *, gp__u32 *) {}
};
template<class List, int CHUNK, int SIZE> struct gp__from_structs {
  static GP__BOTH constexpr int at(int b) { return List::of_register(CHUNK, SIZE, b); }
};
template<class List, int CHUNK, int SIZE> struct gp__to_structs {
  static GP__BOTH constexpr int at(int b) {
    return b < CHUNK * SIZE ? List::of_struct(CHUNK, b / SIZE, b % SIZE, 0) : -1;
  }
};

// BYTES bytes of shared memory at a multiple of ALIGN, as words.
template<int BYTES, int ALIGN> struct gp__some_bytes {
  static const int STEP = ALIGN % 16 == 0 ? 16 : ALIGN % 8 == 0 ? 8 : ALIGN % 4 == 0 ? 4 : ALIGN % 2 == 0 ? 2 : 1;
  static GP_DEVICE void load(gp__u32 *word, const gp__u8 *from) {
    GP__UNROLL
    for (int b = 0; b < BYTES; b += STEP) {
      if (STEP == 16) {
        const gp_vector v = *gp__as<const gp_vector>(from + b);
        GP__EACH(i, 4) word[b / 4 + (STEP == 16 ? i : 0)] = v.word[i];
      } else if (STEP == 8) {
        const gp__u64 x = *gp__as<const gp__u64>(from + b);
        word[b / 4] = gp__u32(x);
        word[b / 4 + (STEP == 8)] = gp__u32(x >> 32);
      } else if (STEP == 4) {
        word[b / 4] = *gp__as<const gp__u32>(from + b);
      } else {
        const gp__u32 x = STEP == 2 ? *gp__as<const gp__u16>(from + b) : from[b];
        word[b / 4] = b % 4 ? word[b / 4] | x << b % 4 * 8 : x;
      }
    }
  }
  static GP_DEVICE void store(const gp__u32 *word, gp__u8 *to) {
    GP__UNROLL
    for (int b = 0; b < BYTES; b += STEP) {
      if (STEP == 16) {
        gp_vector v;
        GP__EACH(i, 4) v.word[i] = word[b / 4 + (STEP == 16 ? i : 0)];
        *gp__as<gp_vector>(to + b) = v;
      } else if (STEP == 8) {
        *gp__as<gp__u64>(to + b) = word[b / 4] | gp__u64(word[b / 4 + (STEP == 8)]) << 32;
      } else if (STEP == 4) {
        *gp__as<gp__u32>(to + b) = word[b / 4];
      } else if (STEP == 2) {
        *gp__as<gp__u16>(to + b) = gp__u16(word[b / 4] >> b % 4 * 8);
      } else {
        to[b] = gp__u8(word[b / 4] >> b % 4 * 8);
      }
    }
  }
};

// Moves field F of a chunk, and those after it, between registers and a tile in shared memory that is no array of
// structs. Clears gaps of the destination.
template<bool OUT, class Side, int TILE, int CHUNK, class List, int F, int END> struct gp__fields_of_chunk {
  static const int SIZE = List::size(F), BYTES = CHUNK * SIZE, OFFSET = List::offset(OUT, F), W = Side::width;
  static const int ALIGN = W
      ? int(gp__common_factor(gp__common_factor(unsigned(W * Side::size), unsigned(OFFSET *W)), unsigned(BYTES)))
      : BYTES;
  static const bool GAP = List::offset(false, F) < 0;
  static const int WORD = GAP ? 0 : List::word(CHUNK, F);
  static GP_DEVICE gp__u8 *at(gp__u8 *tile, int c) {
    return tile +
        (W ? c * CHUNK / (W ? W : 1) * (W * Side::size) + OFFSET * W + c * CHUNK % (W ? W : 1) * SIZE
            : TILE * List::before(F) + c * BYTES);
  }
  static GP_DEVICE void run(gp__u32 *word, gp__u8 *tile, int c) {
    if (!OUT && !GAP) gp__some_bytes<BYTES, ALIGN>::load(word + WORD, at(tile, c));
    if (OUT && !GAP) gp__some_bytes<BYTES, ALIGN>::store(word + WORD, at(tile, c));
    if (OUT && GAP && W) {
      const gp__u32 zero[(BYTES + 3) / 4] = {};
      gp__some_bytes<BYTES, ALIGN>::store(zero, at(tile, c));
    }
    gp__fields_of_chunk<OUT, Side, TILE, CHUNK, List, F + 1, END>::run(word, tile, c);
  }
};
template<bool OUT, class Side, int TILE, int CHUNK, class List, int END>
struct gp__fields_of_chunk<OUT, Side, TILE, CHUNK, List, END, END> {
  static GP_DEVICE void run(gp__u32 *, gp__u8 *, int) {}
};

// Moves a chunk between registers and a side's tile in shared memory.
template<bool OUT, class Side, int TILE, int CHUNK, class List> struct gp__side_of_chunk {
  static GP_DEVICE void run(gp__u32 *word, gp__u8 *tile, int c) {
    gp__fields_of_chunk<OUT, Side, TILE, CHUNK, List, 0, List::count>::run(word, tile, c);
  }
};
template<bool OUT, int SIZE, int TILE, int CHUNK, class List>
struct gp__side_of_chunk<OUT, gp__side<1, SIZE>, TILE, CHUNK, List> {
  static const int BYTES = CHUNK * SIZE, APART = BYTES + (gp__layout_padding(CHUNK, SIZE) ? GP__VECTOR : 0);
  static GP_DEVICE void run(gp__u32 *word, gp__u8 *tile, int c) {
    gp__u32 chunk[(BYTES + 3) / 4];
    if (OUT) {
      gp__permuted_words<gp__to_structs<List, CHUNK, SIZE>, 0, (BYTES + 3) / 4>::run(word, chunk);
      gp__some_bytes<BYTES, BYTES>::store(chunk, tile + c * APART);
    } else {
      gp__some_bytes<BYTES, BYTES>::load(chunk, tile + c * APART);
      gp__permuted_words<gp__from_structs<List, CHUNK, SIZE>, 0, List::word(CHUNK, List::moved)>::run(chunk, word);
    }
  }
};

// Position of a tile's first struct: bytes from the first block to its own, and its number there.
struct gp__tile_start {
  gp__u64 block, number;
  GP_DEVICE gp__tile_start(gp__u64 first, gp__u64 width, int struct_size) {
    block = width == 0 ? 0 : width == 1 ? first * gp__u64(struct_size) : first / width * width * struct_size;
    number = width == 0 ? first : width == 1 ? 0 : first % width;
  }
};

// The ranges of bytes that a tile has in memory.
template<class P, class Side, int TILE, int CHUNK, class List> struct gp__ranges {
  static const int T = P::threads, BYTES = TILE * (Side::width ? Side::size : List::bytes), VECTORS = BYTES / 16;
  static const int ROUNDS = (VECTORS + T - 1) / T, COUNT = Side::width ? 1 : List::moved;
  // Vectors between free ones; 0: none is free.
  static const int PADDING = Side::width == 1 ? gp__layout_padding(CHUNK, Side::size) : 0;
  static GP_DEVICE int slot(int vector) { return PADDING ? vector + vector / (PADDING ? PADDING : 1) : vector; }
  // A range's first vector, and its bytes.
  static GP__BOTH constexpr int first(int f) { return Side::width ? f * VECTORS : TILE * List::before(f) / 16; }
  static GP__BOTH constexpr int bytes(int f) { return Side::width ? BYTES : TILE * List::size(f); }
  // Addresses of a tile's ranges. Byte: unsigned char, const or not. `width` is the layout's own.
  gp__u64 tile;
  gp__tile_start start;
  GP_DEVICE gp__ranges(gp__u64 tile_, gp__u64 width)
    : tile(tile_), start(tile_ * TILE, Side::parts ? width : 0, Side::size) {}
  template<class Byte> GP_DEVICE Byte *begin(Byte *base, Byte *const *column, int f) const {
    if (Side::width) return base + tile * BYTES;
    return column[f] + (Side::parts ? start.block : 0) + start.number * gp__u64(List::size(f));
  }
  // Address of the thread's vector of round `u`.
  template<class Byte> GP_DEVICE Byte *of_vector(Byte *base, Byte *const *column, int u, int vector) const {
    Byte *at = base;
    GP__EACH(f, COUNT) {
      if (first(f + 1) <= u * T || first(f) >= (u + 1) * T) continue; // no vector of this round is there
      if (first(f) <= u * T || vector >= first(f)) at = begin(base, column, f) - first(f) * 16;
    }
    return at + vector * 16;
  }

  template<int CACHE> GP_DEVICE void load(gp__u8 *shared, const gp__layout_args &a) const {
    if (a.in_aligned) {
      gp_vector v[ROUNDS];
      GP__EACH(u, ROUNDS) {
        const int i = u * T + int(threadIdx.x);
        if (i < VECTORS) v[u] = gp__load_vector<CACHE>(of_vector<const gp__u8>(a.in, a.in_column, u, i));
      }
      GP__EACH(u, ROUNDS) {
        const int i = u * T + int(threadIdx.x);
        if (i < VECTORS) *gp__as<gp_vector>(shared + slot(i) * 16) = v[u];
      }
      return;
    }
    GP__UNROLL_BY(1)
    for (int f = 0; f < COUNT; ++f) {
      const gp__u8 *from = begin<const gp__u8>(a.in, a.in_column, f);
      GP__UNROLL_BY(1)
      for (int i = int(threadIdx.x); i < bytes(f) / 16; i += T)
        *gp__as<gp_vector>(shared + slot(first(f) + i) * 16) =
            gp__vector_of_range<CACHE>(from, unsigned(i), unsigned(bytes(f)));
    }
  }
  // Clears the gaps of a block that is larger than the tile; they are in no range.
  template<int CACHE> GP_DEVICE void clear_gaps(const gp__layout_args &a) const {
    GP__UNROLL_BY(1)
    for (int f = List::moved; f < List::count; ++f) {
      gp__u8 *to = begin<gp__u8>(a.out, a.out_column, f);
      const gp_vector zero = {};
      GP__UNROLL_BY(1)
      for (int i = int(threadIdx.x); a.out_aligned && i < bytes(f) / 16; i += T)
        gp__store_vector<CACHE>(to + i * 16, zero);
      GP__UNROLL_BY(1)
      for (int b = int(threadIdx.x); !a.out_aligned && b < bytes(f); b += T) to[b] = 0;
    }
  }
  template<int CACHE> GP_DEVICE void store(const gp__u8 *shared, const gp__layout_args &a) const {
    if (Side::parts) clear_gaps<CACHE>(a);
    if (a.out_aligned) {
      GP__EACH(u, ROUNDS) {
        const int i = u * T + int(threadIdx.x);
        if (i < VECTORS)
          gp__store_vector<CACHE>(
              of_vector<gp__u8>(a.out, a.out_column, u, i), *gp__as<const gp_vector>(shared + slot(i) * 16));
      }
      return;
    }
    GP__UNROLL_BY(1)
    for (int f = 0; f < COUNT; ++f)
      gp__copy_from_shared<T, CACHE, PADDING, 1>(
          begin<gp__u8>(a.out, a.out_column, f), shared + first(f) * 16, unsigned(bytes(f)), threadIdx.x);
  }
};

// Copies one value, by words as large as size and addresses allow.
template<class Word> GP_DEVICE void gp__copy_words(gp__u8 *to, const gp__u8 *from, unsigned size) {
  GP__UNROLL_BY(1)
  for (unsigned i = 0; i < size; i += sizeof(Word)) *gp__as<Word>(to + i) = *gp__as<const Word>(from + i);
}
GP_DEVICE void gp__copy_value(gp__u8 *to, const gp__u8 *from, unsigned size) {
  const unsigned odd = unsigned(gp__u64(to) | gp__u64(from)) | size;
  if (odd % 8 == 0) gp__copy_words<gp__u64>(to, from, size);
  else if (odd % 4 == 0) gp__copy_words<gp__u32>(to, from, size);
  else if (odd % 2 == 0) gp__copy_words<gp__u16>(to, from, size);
  else gp__copy_words<gp__u8>(to, from, size);
}
// Address of value i of a tile in a column. TILE: most values.
template<int TILE, class Byte>
GP_DEVICE Byte *gp__layout_value(
    Byte *column, const gp__tile_start &tile, gp__u64 width, int struct_size, int size, unsigned i) {
  const gp__u64 number = tile.number + i;
  if (width == 0) return column + number * gp__u64(size);
  const gp__u64 blocks = width > TILE ? number >= width : gp__u32(number) / gp__u32(width);
  return column + tile.block + blocks * width * struct_size + (number - blocks * width) * size;
}
// Converts `count` structs of a tile, value by value, through a column for each field in shared memory: in place
// nothing is written before all is read. Contains one barrier.
template<class P, int TILE, class In, class Out, class List>
GP_DEVICE void gp__convert_values(const gp__layout_args &a, gp__u64 first, unsigned count, gp__u8 *shared) {
  const gp__tile_start from(first, a.in_width, In::size), to(first, a.out_width, Out::size);
  GP__UNROLL_BY(1)
  for (int f = 0; f < List::moved; ++f) GP__UNROLL_BY(1)
  for (unsigned i = threadIdx.x; i < count; i += P::threads)
    gp__copy_value(shared + TILE * List::before(f) + i * unsigned(List::size(f)),
        gp__layout_value<TILE, const gp__u8>(a.in_column[f], from, a.in_width, In::size, List::size(f), i),
        unsigned(List::size(f)));
  __syncthreads();
  GP__UNROLL_BY(1)
  for (int f = 0; f < List::count; ++f) GP__UNROLL_BY(1)
  for (unsigned i = threadIdx.x; i < count; i += P::threads) {
    const unsigned size = unsigned(List::size(f));
    gp__u8 *at = gp__layout_value<TILE, gp__u8>(a.out_column[f], to, a.out_width, Out::size, int(size), i);
    if (f < List::moved) gp__copy_value(at, shared + TILE * List::before(f) + i * size, size);
    else GP__UNROLL_BY(1)
    for (unsigned b = 0; b < size; ++b) at[b] = 0;
  }
}

// Moves field F of a struct, and those after it, between registers and memory.
template<bool OUT, bool ALIGNED, class List, int F, int END> struct gp__fields_of_struct {
  static const int SIZE = List::size(F), ALIGN = ALIGNED ? SIZE : 1;
  static const bool GAP = List::offset(false, F) < 0;
  static GP_DEVICE void run(gp__u32 *word, const gp__layout_args &a, const gp__tile_start &at) {
    const gp__u64 byte = at.block + at.number * SIZE;
    const gp__u32 zero[(SIZE + 3) / 4] = {};
    if (OUT) gp__some_bytes<SIZE, ALIGN>::store(GAP ? zero : word, a.out_column[F] + byte);
    else if (!GAP) gp__some_bytes<SIZE, ALIGN>::load(word, a.in_column[GAP ? 0 : F] + byte);
    gp__fields_of_struct<OUT, ALIGNED, List, F + 1, END>::run(word + (GAP ? 0 : (SIZE + 3) / 4), a, at);
  }
};
template<bool OUT, bool ALIGNED, class List, int END> struct gp__fields_of_struct<OUT, ALIGNED, List, END, END> {
  static GP_DEVICE void run(gp__u32 *, const gp__layout_args &, const gp__tile_start &) {}
};
// Moves a tile between memory, from struct `first` on, and columns in shared memory. Lanes run along axis 1 or 0.
template<bool OUT, bool ALIGNED, class P, int TILE, int SIZE, class List>
GP_DEVICE void gp__turned_side(
    const gp__layout_args &a, gp__u64 first, const unsigned *tile, bool along, gp__u8 *shared) {
  typedef gp__side_of_chunk<!OUT, gp__side<0, SIZE>, TILE, 1, List> Columns;
  for (unsigned i = threadIdx.x; i < tile[0] * tile[1]; i += P::threads) {
    const unsigned x = along ? i / tile[1] : i % tile[0], y = along ? i % tile[1] : i / tile[0];
    const int place = int(y * (unsigned(a.tile[0]) + 1) + x);
    gp__u32 word[List::word(1, List::moved)];
    if (OUT) Columns::run(word, shared, place);
    gp__fields_of_struct<OUT, ALIGNED, List, 0, List::count>::run(
        word, a, gp__tile_start(first + x * a.step[OUT][0] + y * a.step[OUT][1], OUT ? a.out_width : a.in_width, SIZE));
    if (!OUT) Columns::run(word, shared, place);
  }
  __syncthreads();
}
template<class P, int TILE, bool ALIGNED, class In, class Out, class List>
GP_DEVICE void gp__turn_tiles(const gp__layout_args &a, gp__u8 *shared) {
  const gp__u64 tiles = a.tiles[0] * a.tiles[1] * a.tiles[2] * a.tiles[3];
  for (gp__u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    gp__u64 rest = tile, in = 0, out = 0;
    unsigned size[4];
    GP__EACH(d, 4) {
      const gp__u64 first = rest % a.tiles[d] * a.tile[d], left = a.extent[d] - first;
      rest /= a.tiles[d];
      in += first * a.step[0][d], out += first * a.step[1][d];
      size[d] = unsigned(left < a.tile[d] ? left : a.tile[d]);
    }
    gp__turned_side<false, ALIGNED, P, TILE, In::size, List>(a, in, size, false, shared);
    gp__turned_side<true, ALIGNED, P, TILE, Out::size, List>(a, out, size, !a.straight, shared);
  }
}
// Another order of axes, as in a transpose: tiles in the plane of both fastest axes.
template<class P, int TILE, int CHUNK, class In, class Out, class... Fields>
GP_DEVICE void gp__turn_layout(const gp__layout_args &a) {
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.odd) gp__turn_tiles<P, TILE, false, In, Out, gp__moved_list<Fields...>>(a, shared);
  else gp__turn_tiles<P, TILE, true, In, Out, gp__moved_list<Fields...>>(a, shared);
}

// CHUNK 0: converts value by value; In and Out then have only the structs' sizes. Tiles need no barrier between them: a
// store reads the destination's part alone, and the next load writes the source's, which no thread reads after the
// barrier before that store. Values one by one are a thread's own.
template<class P, int TILE, int CHUNK, class In, class Out, class... Fields>
GP_DEVICE void gp__convert_layout(const gp__layout_args &a) {
  typedef gp__moved_list<Fields...> List;
  const int C = CHUNK ? CHUNK : 1;
  typedef gp__ranges<P, In, TILE, C, List> Source;
  typedef gp__ranges<P, Out, TILE, C, List> Destination;
  GP_DYNAMIC_SHARED(shared);
  gp__u8 *out = shared + gp__layout_region(TILE, C, In::size, In::width == 1);
  gp__pdl_wait<P>();
  const gp__u64 tiles = (a.count + TILE - 1) / TILE;
  for (gp__u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const gp__u64 left = a.count - tile * TILE;
    if (CHUNK && left >= TILE) {
      Source(tile, a.in_width).template load<P::load>(shared, a);
      __syncthreads();
      GP__UNROLL_BY(1)
      for (int c = int(threadIdx.x); c < TILE / C; c += P::threads) {
        gp__u32 word[List::word(C, List::moved)];
        gp__side_of_chunk<false, In, TILE, C, List>::run(word, shared, c);
        gp__side_of_chunk<true, Out, TILE, C, List>::run(word, out, c);
      }
      __syncthreads();
      Destination(tile, a.out_width).template store<P::store>(out, a);
    } else gp__convert_values<P, TILE, In, Out, List>(a, tile * TILE, unsigned(left < TILE ? left : TILE), shared);
  }
}
