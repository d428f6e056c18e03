// transpose/buffered.cuh - transposes in place through a buffer
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, transpose/policy.h,
//   transpose/panels_policy.h, transpose/panels_arguments.h, device/warp.cuh, device/tile_transpose.cuh,
//   device/kernel.cuh

// Panels through a buffer. Blocks take turns in order, by tickets. The turns of step x are the tiles of panel x, first
// those for the buffer, then those for their places, and last the copies of group x - 1 from the buffer to its place. A
// tile is read at once; it is written, or lines are copied, as soon as the steps that it must follow are done.
struct gp__buffered_turn {
  const gp__u8 *in, *begin, *end; // begin, end: the panel; begin is null if lines are copied
  gp__u8 *out;
  gp__u64 out_pitch;
  unsigned rows, columns, unit; // elements of a line; lines; the first unit of each
  unsigned row, column; // in the matrix: the first row, the tile column
  unsigned step, ready; // steps that must be done
};
template<class P, int SIZE, int WORD, int FORM> struct gp__buffered_panels {
  static const int ROWS = gp__transpose_rows(P::threads, P::vectors, SIZE);
  static const int COLUMNS = gp__transpose_columns(P::threads, P::vectors, SIZE);
  static const bool IN_ALIGNED = (FORM & GP__FORM_IN_ALIGNED) != 0, OUT_ALIGNED = (FORM & GP__FORM_OUT_ALIGNED) != 0;
  typedef gp__transposed_tile<P::threads, P::load, P::store, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED,
      (SIZE <= 2 && SIZE == WORD)>
      Tile;
  struct storage {
    gp__buffered_turn turn[2];
    unsigned step, done; // one thread's: step of the latest ticket; steps known to be done
  };
  const gp__buffered_args &a;
  storage &s;
  GP_DEVICE gp__buffered_panels(const gp__buffered_args &args, storage &memory) : a(args), s(memory) {}

  GP_DEVICE unsigned ticket() const { return unsigned(gp__add_relaxed(a.counters, 1)); }
  GP_DEVICE static unsigned least(gp__u64 x, gp__u64 y) { return unsigned(x < y ? x : y); }
  // Elements that panel x and group g have in common: their place, and their block of the buffer.
  GP_DEVICE gp__u8 *place(unsigned x, unsigned g) const {
    return a.data + (gp__u64(a.border[g]) * COLUMNS * a.rows + x * a.height) * SIZE;
  }
  GP_DEVICE gp__u8 *block(unsigned x, unsigned g) const {
    return a.buffer + gp__buffered_slot(a.panels, x, g) * a.slot + gp__misalignment(place(x, g), GP__BUFFERED_SHIFT);
  }
  GP_DEVICE void find(unsigned number, gp__buffered_turn &t) const {
    unsigned x = s.step;
    while (x <= a.panels && number >= a.first[x + 1]) ++x;
    t.step = s.step = x;
    if (x > a.panels) return;
    number -= a.first[x];
    const gp__u64 rest = a.rows - x * a.height; // meaningless after the last panel
    const unsigned high = x < a.panels ? (least(rest, a.height) + ROWS - 1) / ROWS : 0;
    if (number < high * a.column_tiles) {
      unsigned column = number / high, g = 0;
      const unsigned row = (number - column * high) * ROWS;
      column += a.border[x];
      if (column >= a.column_tiles) column -= a.column_tiles;
      else g = x;
      while (a.border[g + 1] <= column) ++g;
      t.begin = a.data + x * a.height * a.columns * SIZE;
      t.rows = least(rest, a.height);
      t.end = t.begin + t.rows * a.columns * SIZE;
      t.rows = least(t.rows - row, ROWS);
      t.columns = least(a.columns - gp__u64(column) * COLUMNS, COLUMNS);
      t.in = t.begin + (row * a.columns + gp__u64(column) * COLUMNS) * SIZE;
      t.row = unsigned(x * a.height) + row;
      t.column = column;
      t.out_pitch = g < x ? a.rows * SIZE : a.pitch;
      t.out = (g < x ? place(x, g) : block(x, g)) + (column - a.border[g]) * COLUMNS * t.out_pitch + row * SIZE;
      t.ready = g < x ? g + 1 : x ? x - 1 : 0;
    } else {
      number -= high * a.column_tiles;
      const unsigned g = x - 1, part = number % a.parts, from = number / a.parts % x;
      const unsigned line = number / a.parts / x * a.lines;
      t.begin = nullptr;
      t.out_pitch = a.rows * SIZE;
      t.rows = least(a.rows - from * a.height, a.height);
      t.columns =
          least(least(a.columns, gp__u64(a.border[x]) * COLUMNS) - gp__u64(a.border[g]) * COLUMNS - line, a.lines);
      t.unit = part * a.part;
      t.in = block(from, g) + line * a.pitch;
      t.out = place(from, g) + line * t.out_pitch;
      t.ready = x;
    }
  }
  // Returns whether `ready` steps are done. Waits until they are, or only looks.
  GP_DEVICE bool wait(unsigned ready, bool looks = false) const {
    if (s.done >= ready) return true;
    for (unsigned x = s.done; x < ready; s.done = ++x)
      while (gp__load_relaxed(a.counters + GP__PANELS_COUNTERS + x) < a.first[x + 1] - a.first[x]) {
        if (looks) return false;
        __nanosleep(50);
      }
    __threadfence();
    return true;
  }
  // Finds whole unit i: its line, and its byte there. Returns false if there is none.
  GP_DEVICE bool finds(const gp__buffered_turn &t, unsigned i, unsigned &line, unsigned &at) const {
    line = gp__quotient(a.units, i);
    at = (t.unit + i - line * a.part) * 16;
    if (!OUT_ALIGNED) at -= gp__misalignment(t.out + line * t.out_pitch, 16); // wraps below 0
    return line < t.columns && at < t.rows * SIZE && at + 16 <= t.rows * SIZE;
  }
  // Copies lines of the buffer, which are aligned as their places are, modulo 16: whole units, then the words at both
  // ends.
  GP_DEVICE void copy(const gp__buffered_turn &t) const {
    typedef typename gp__word_of<WORD>::type Word;
    const unsigned works = t.columns * a.part, bytes = t.rows * SIZE;
    for (unsigned first = threadIdx.x; first < works; first += P::threads * P::vectors) {
      gp_vector v[P::vectors];
      GP__EACH(k, P::vectors) {
        unsigned line, at;
        if (finds(t, first + k * P::threads, line, at)) v[k] = gp__load_vector<P::load>(t.in + line * a.pitch + at);
      }
      GP__EACH(k, P::vectors) {
        unsigned line, at;
        if (finds(t, first + k * P::threads, line, at))
          gp__store_vector<P::store>(t.out + line * t.out_pitch + at, v[k]);
      }
    }
    if (OUT_ALIGNED || t.unit) return;
    const unsigned W = 16 / WORD;
    for (unsigned i = threadIdx.x; i < t.columns * 2 * W; i += P::threads) {
      const unsigned line = i / (2 * W), skip = gp__misalignment(t.out + line * t.out_pitch, 16), all = skip + bytes;
      const unsigned at = (i / W % 2 ? all / 16 * 16 : 0) + i % W * WORD;
      if (at < skip || at >= all || (i / W % 2 ? all < 16 : skip == 0 && all >= 16)) continue;
      *gp__as<Word>(t.out + line * t.out_pitch + (at - skip)) =
          *gp__as<const Word>(t.in + line * a.pitch + (at - skip));
    }
  }
  // Publishes that this block has done a turn of step `of`: whoever reads the counter sees what it wrote.
  GP_DEVICE void tell(unsigned of) const {
    __threadfence();
    if (of <= a.panels) gp__add_relaxed(a.counters + GP__PANELS_COUNTERS + of, 1);
  }
  // Called by one warp: prefetches what a turn reads to the L2 cache.
  GP_DEVICE void prefetch(const gp__buffered_turn &t) const {
    if (t.step > a.panels) return;
    const unsigned lines = t.begin ? t.rows : t.columns;
    const unsigned bytes =
        t.begin ? t.columns * SIZE : least(t.rows * SIZE - least(t.rows * SIZE, t.unit * 16), a.part * 16);
    for (unsigned i = gp_lane(); i < lines && bytes; i += GP__WARP)
      gp__prefetch_bytes(t.in + i * (t.begin ? a.columns * SIZE : a.pitch) + (t.begin ? 0 : t.unit * 16), bytes);
  }
  // An extra warp finds the next turn, waits and publishes, while the others load and store. Without it, one of the
  // threads does so between its loads and its stores.
  GP_DEVICE void run(gp__u8 *shared) const {
    const bool LEADS = gp__buffered_leads(SIZE);
    const unsigned in_pitch = unsigned(a.columns * SIZE) & 15u;
    const bool leads = LEADS && threadIdx.x >= P::threads, first = threadIdx.x == (LEADS ? P::threads : 0);
    unsigned which = 0, next = 0;
    if (first) {
      s.step = s.done = 0;
      find(ticket(), s.turn[0]);
      next = ticket();
      s.turn[1].step = ~0u;
    }
    __syncthreads();
    for (; s.turn[which].step <= a.panels; which ^= 1) {
      const gp__buffered_turn &t = s.turn[which];
      if (LEADS && first) {
        tell(s.turn[which ^ 1].step);
        wait(t.ready);
      }
      if (!leads && t.begin) Tile::load(shared, t.in, a.columns * SIZE, t.rows, t.columns, t.begin, t.end);
      if (!LEADS && first) {
        tell(s.turn[which ^ 1].step);
        wait(t.ready);
        find(next, s.turn[which ^ 1]);
        next = ticket();
      }
      __syncthreads();
      if (leads) {
        if (first) {
          find(next, s.turn[which ^ 1]);
          next = ticket();
        }
        __syncwarp();
        prefetch(s.turn[which ^ 1]);
      } else if (t.begin)
        Tile::store(shared, t.out, t.out_pitch, t.rows, t.columns, gp__misalignment(t.in, 16), in_pitch);
      else copy(t);
      __syncthreads();
    }
    if (first) tell(s.turn[which ^ 1].step);
  }
};
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose_buffered(const gp__buffered_args &a) {
  typedef gp__buffered_panels<P, SIZE, WORD, FORM> Panels;
  GP_DYNAMIC_SHARED(shared);
  GP_SHARED(typename Panels::storage, s);
  gp__pdl_wait<P>();
  Panels(a, s).run(shared);
}
