// transpose/panels.cuh - transposes in place by panels and chunks
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, transpose/policy.h,
//   transpose/panels_policy.h, transpose/panels_arguments.h, device/warp.cuh, device/hash.cuh,
//   device/tile_transpose.cuh, device/kernel.cuh

// Transposes panel i + holes into the place of panel i, in a circle. Some panels were saved, so that there are free
// places to begin with. A block reads a tile as soon as it has its ticket, and writes it once blocks with lower tickets
// have read everything in its place.
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose_panels(const gp__panels_args &a) {
  const int ROWS = gp__transpose_rows(P::threads, P::vectors, SIZE);
  const int COLUMNS = gp__transpose_columns(P::threads, P::vectors, SIZE);
  const bool IN_ALIGNED = (FORM & GP__FORM_IN_ALIGNED) != 0, OUT_ALIGNED = (FORM & GP__FORM_OUT_ALIGNED) != 0;
  typedef gp__transposed_tile<P::threads, P::load, P::store, SIZE, WORD, ROWS, COLUMNS, IN_ALIGNED, OUT_ALIGNED,
      (SIZE <= 2 && SIZE == WORD)>
      Tile;
  struct storage {
    gp__u64 ticket;
  };
  GP_DYNAMIC_SHARED(shared);
  GP_SHARED(storage, s);
  gp__pdl_wait<P>();
  const gp__u64 in_pitch = a.columns * SIZE, out_pitch = a.rows * SIZE, panel = a.rows * in_pitch;
  if (!threadIdx.x) s.ticket = gp__add_relaxed(a.counters, 1);
  __syncthreads();
  for (gp__u64 ticket = s.ticket; ticket < a.panels * a.panel_tiles; ticket = s.ticket) {
    gp__u64 next = 0;
    if (!threadIdx.x) next = gp__add_relaxed(a.counters, 1);
    const gp__u64 place = ticket / a.panel_tiles, tile = ticket - place * a.panel_tiles;
    const gp__u64 row = tile / a.column_tiles * ROWS, column = tile % a.column_tiles * COLUMNS;
    const unsigned rows = unsigned(a.rows - row < ROWS ? a.rows - row : gp__u64(ROWS));
    const unsigned columns = unsigned(a.columns - column < COLUMNS ? a.columns - column : gp__u64(COLUMNS));
    const bool is_saved = place + a.holes >= a.panels;
    const gp__u8 *begin =
        is_saved ? a.saved + (place + a.holes - a.panels) * panel : a.data + (place + a.holes) * panel;
    const gp__u8 *in = begin + row * in_pitch + column * SIZE;
    Tile::load(shared, in, in_pitch, rows, columns, begin, begin + panel);
    __syncthreads();
    if (!threadIdx.x) {
      __threadfence();
      if (!is_saved) gp__add_relaxed(a.counters + GP__PANELS_COUNTERS + place + a.holes, 1);
      if (place >= a.holes)
        while (gp__load_relaxed(a.counters + GP__PANELS_COUNTERS + place) < a.panel_tiles) __nanosleep(50);
      __threadfence();
      s.ticket = next;
    }
    __syncthreads();
    Tile::store(shared, a.data + place * panel + column * out_pitch + row * SIZE, out_pitch, rows, columns,
        gp__misalignment(in, 16), unsigned(in_pitch) & 15u);
    __syncthreads();
  }
}
// Moves chunks to their places: each warp follows a cycle until it meets a chunk that another one has claimed (the idea
// of Sung, Gomez-Luna, Gonzalez-Linares, Guil and Hwu, In-place Transposition of Rectangular Matrices on Accelerators).
// A warp that claims a chunk loads it, and writes it over its successor once that is loaded. It claims P::vectors
// successors at once; a new chain begins after any that others have.
template<class P, int WORD> struct gp__chunk_mover {
  typedef typename gp__word_of<WORD>::type Word;
  static const int DEEP = P::vectors, WORDS = WORD >= 4 ? 16 / WORD : 4;
  struct chunk {
    Word word[WORDS];
  };
  const gp__panels_args &a;
  GP_DEVICE explicit gp__chunk_mover(const gp__panels_args &args) : a(args) {}

  GP_DEVICE Word *at(gp__u32 i) const { return gp__as<Word>(a.data + gp__u64(i) * a.chunk); }
  GP_DEVICE void load(chunk &c, gp__u32 i) const {
    GP__EACH(k, WORDS)
      if ((k * GP__WARP + gp_lane()) * WORD < a.chunk) c.word[k] = at(i)[k * GP__WARP + gp_lane()];
  }
  GP_DEVICE void store(const chunk &c, gp__u32 i) const {
    GP__EACH(k, WORDS)
      if ((k * GP__WARP + gp_lane()) * WORD < a.chunk) at(i)[k * GP__WARP + gp_lane()] = c.word[k];
  }
  GP_DEVICE gp__u32 next(gp__u32 i) const {
    const gp__u32 x = i / a.chunk_columns, y = i - x * a.chunk_columns;
    const gp__u32 over_x = a.chunk_rows - a.shift_x, over_y = a.chunk_columns - a.shift_y;
    return (y >= over_y ? y - over_y : y + a.shift_y) * a.chunk_rows + (x >= over_x ? x - over_x : x + a.shift_x);
  }
  GP_DEVICE bool claim(gp__u32 i) const { return gp__set_bit(a.claimed, i); }
  // Lanes of `lanes` have the number of a loaded chunk each: publishes that its place may be overwritten.
  GP_DEVICE void tell(gp__u32 lanes, gp__u32 i) const {
    __syncwarp();
    if (lanes >> gp_lane() & 1u) {
      __threadfence();
      atomicOr(a.loaded + i / 32, 1u << i % 32);
    }
  }
  GP_DEVICE void wait(gp__u32 lanes, gp__u32 i) const {
    if (lanes >> gp_lane() & 1u) {
      while ((gp__load_volatile(a.loaded + i / 32) >> i % 32 & 1u) == 0) __nanosleep(50);
      __threadfence();
    }
    __syncwarp();
  }
  GP_DEVICE void chain(gp__u32 from) const {
    chunk held, c[DEEP];
    const gp__u32 all = (1u << DEEP) - 1;
    if (!__ballot_sync(~0u, gp_lane() == 0 && claim(from))) return;
    load(held, from);
    tell(1, from);
    for (gp__u32 last = 1; last != 0;) {
      gp__u32 place[DEEP], mine = 0;
      GP__EACH(k, DEEP) {
        from = place[k] = next(from);
        if (gp_lane() == unsigned(k)) mine = from;
      }
      const gp__u32 got = __ballot_sync(~0u, gp_lane() < DEEP && claim(mine));
      const gp__u32 behind = (got << 1 | 1u) & all; // places whose predecessor this warp has
      GP__EACH(k, DEEP)
        if (got >> k & 1u) load(c[k], place[k]);
      if (got & ~behind) tell(got & ~behind, mine);
      if (behind & ~got) wait(behind & ~got, mine);
      GP__EACH(k, DEEP)
        if (behind >> k & 1u) store(k ? c[k ? k - 1 : 0] : held, place[k]);
      last = got >> (DEEP - 1) & 1u;
      held = c[DEEP - 1];
    }
  }
};
template<class P, int SIZE, int WORD, int FORM> GP_DEVICE void gp__transpose_chunks(const gp__panels_args &a) {
  gp__pdl_wait<P>();
  const gp__chunk_mover<P, FORM / GP__FORM_WORD> mover(a);
  const gp__u64 chunks = gp__u64(a.chunk_rows) * a.chunk_columns;
  for (;;) {
    gp__u64 first = 0;
    if (!gp_lane()) first = gp__add_relaxed(a.counters + 1, 1) * GP__CHUNK_TICKET;
    first = __shfl_sync(~0u, first, 0);
    if (first >= chunks) break;
    const gp__u64 left = chunks - first < GP__CHUNK_TICKET ? chunks - first : gp__u64(GP__CHUNK_TICKET);
    const gp__u32 there = ~0u >> (32 - left);
    gp__u32 rest = 0;
    if (!gp_lane()) rest = gp__load_volatile(a.claimed + first / 32) >> first % 32;
    for (rest = ~__shfl_sync(~0u, rest, 0) & there; rest; rest &= rest - 1)
      mover.chain(gp__u32(first) + gp__u32(__ffs(int(rest)) - 1));
  }
}
