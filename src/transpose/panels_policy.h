// transpose/panels_policy.h - panels, buffered panels: plans, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, transpose/policy.h

// Large dense matrices in place, if a side has a divisor that suits a chunk: as many elements of a line as have 64 to
// 512 bytes, which a warp takes at a time. A chunk is part of a row of the output and comes from as many rows of the
// input (a panel, which is transposed first). With `inverse` it is part of a row of the input, and panels are
// transposed last.
enum {
  GP__CHUNK_LEAST = 64,
  GP__CHUNK_MOST = 512, // and 4 words, or 16 bytes, a lane
  GP__HOLE_BYTES = 16 << 20, // panels saved, about, so that the others have room to move
  GP__PANEL_MOST = 32 << 20, // bytes of a panel
  GP__PANELS_MOST = 1 << 20, // panels of a matrix
  GP__CHUNK_FLAGS = 16 << 20, // most bytes of flags, of two kinds
  GP__PANELS_COUNTERS = 2, // tickets of tiles, and of chunks, before a counter for each panel
  GP__CHUNK_TICKET = 32, // chunks at which a warp begins, one after another: a divisor of 32
  GP__CHUNK_MATRICES = 4, // so many matrices may be small
  GP__CHUNK_MATRIX = 4 << 20 // bytes of a matrix that is not small
};
GP__RULE int gp__chunk_word(gp__form s, gp__u64 items) {
  return (s->moved.form & GP__FORM_IN_START) ? gp__lowest_bit((int)(items * (unsigned)s->key_size) | GP__VECTOR)
      : s->moved.word;
}
GP__RULE gp__u64 gp__chunk_most(int word) {
  return 32ull * (unsigned)word * (word >= 4 ? GP__VECTOR / (unsigned)word : 4u);
}
// Merit of chunks of `items` elements of a side of `extent`; 0: not possible.
GP__RULE gp__u64 gp__chunk_merit(gp__form s, gp__u64 extent, gp__u64 other, gp__u64 items) {
  return extent % items || extent / items < 2 || items * (unsigned)s->key_size < GP__CHUNK_LEAST ||
          items * (unsigned)s->key_size > gp__chunk_most(gp__chunk_word(s, items)) ||
          other > GP__PANEL_MOST / (items * (unsigned)s->key_size) || extent / items * other > GP__CHUNK_FLAGS * 8ull ||
          extent / items > GP__PANELS_MOST
      ? 0
      : items * (unsigned)s->key_size * (unsigned)gp__chunk_word(s, items);
}
GP__BOTH static inline __attribute__((unused)) gp__u64 gp__chunk_items(gp__form s, gp__u64 extent, gp__u64 other) {
  gp__u64 best = 0, most = 0, items = GP__CHUNK_MOST / (unsigned)s->key_size;
  if (items > extent / 2) items = extent / 2;
  for (; items * GP__VECTOR * (unsigned)s->key_size > most && items * (unsigned)s->key_size >= GP__CHUNK_LEAST;
       --items) {
    const gp__u64 merit = gp__chunk_merit(s, extent, other, items);
    if (merit > most) best = items, most = merit;
  }
  return best;
}
typedef struct gp__panels_plan {
  gp__u64 items; // elements of a chunk; 0: no panels
  int inverse, word, form;
  gp__u64 rows, columns, panels, holes; // extents of a panel before its transpose; panels of a matrix
  gp__u64 whole; // panels that are a tile: each is transposed in its own place, without holes
} gp__panels_plan;
GP__BOTH static inline __attribute__((unused)) gp__panels_plan gp__panels_plan_of(gp_policy p, gp__form s) {
  gp__panels_plan r = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  const gp__u64 size = (unsigned)s->key_size, matrix = s->moved.rows * s->moved.columns * size;
  gp__u64 rows = 0, columns = 0;
  if (s->moved.kind != GP__MOVE_RECTANGLE || p.algorithm != GP_PADDED_TILES ||
      matrix <= 8ull * (unsigned)(p.threads * p.vectors * GP__VECTOR) ||
      (s->segments > GP__CHUNK_MATRICES && matrix < GP__CHUNK_MATRIX))
    return r;
  rows = gp__chunk_items(s, s->moved.rows, s->moved.columns);
  columns = gp__chunk_items(s, s->moved.columns, s->moved.rows);
  if (!rows && !columns) return r;
  r.inverse = (columns ? gp__chunk_merit(s, s->moved.columns, s->moved.rows, columns) : 0) >
      (rows ? gp__chunk_merit(s, s->moved.rows, s->moved.columns, rows) : 0);
  r.items = r.inverse ? columns : rows;
  r.word = gp__chunk_word(s, r.items);
  r.rows = r.inverse ? s->moved.rows : r.items;
  r.columns = r.inverse ? r.items : s->moved.columns;
  r.panels = (r.inverse ? s->moved.columns : s->moved.rows) / r.items;
  r.whole = (s->moved.form & GP__FORM_IN_START)
      ? gp__transpose_matrices_of((unsigned)(p.threads * p.vectors * GP__VECTOR), r.rows * r.columns * size)
      : 0;
  if (r.whole) {
    r.form = GP__FORM_WHOLE;
    return r;
  }
  r.holes = 1 + (GP__HOLE_BYTES - 1) / (r.rows * r.columns * size);
  if (r.holes >= r.panels) r.holes = r.panels - 1;
  if ((s->moved.form & GP__FORM_IN_START) && r.rows * r.columns * size % GP__VECTOR == 0)
    r.form = (r.columns * size % GP__VECTOR ? 0 : GP__FORM_IN_ALIGNED) |
        (r.rows * size % GP__VECTOR ? 0 : GP__FORM_OUT_ALIGNED);
  return r;
}
// Panels through a buffer. A panel is several rows of the input. Step x reads panel x; what it overwrites is free once
// the panels before have been read. Group g is the columns that become rows in the place of panel g. In step x elements
// of groups g < x go to their places at once, the others to block (x, g) of the buffer. After step g, when panel g has
// been read, the blocks of group g go to their places. Each element is read and written once, half of them twice.
enum {
  GP__BUFFERED_LEAST = 4, // panels
  GP__BUFFERED_MOST = 64,
  GP__BUFFERED_SHIFT = 128, // lines of the buffer are aligned as the output's, modulo so many bytes
  GP__BUFFERED_LAG = 2 // steps until a group has left the buffer: panel g, one between, the copies
};
// Slot of block (x, g), x <= g, which is in use from step x to step g + GP__BUFFERED_LAG. Blocks in use in the middle,
// of panels 0 to half + GP__BUFFERED_LAG and groups from half on, have one each. Blocks that end before one of these
// begins, or begin after it has ended, share its slot.
GP__RULE unsigned gp__buffered_slot(unsigned panels, unsigned x, unsigned g) {
  return g < panels / 2 ? (g + GP__BUFFERED_LAG + 1) * (panels - panels / 2) + x
      : x > panels / 2 + GP__BUFFERED_LAG
      ? (g - panels / 2 - GP__BUFFERED_LAG - 1) * (panels - panels / 2) + x - GP__BUFFERED_LAG - 1 - panels / 2
      : x * (panels - panels / 2) + g - panels / 2;
}
GP__RULE unsigned gp__buffered_slots(unsigned panels) {
  return (panels / 2 + GP__BUFFERED_LAG + 1) * (panels - panels / 2);
}
// True if an extra warp leads. Tiles of narrow elements need the registers that it would have.
GP__RULE int gp__buffered_leads(int size) { return size >= 4; }
// Threads of a block: those that move tiles, and a warp that leads.
GP__RULE int gp__buffered_threads(gp_policy p, int size) {
  return p.threads + (gp__buffered_leads(size) ? (int)GP__WARP : 0);
}
typedef struct gp__buffered_plan {
  unsigned panels; // 0: not possible
  int form;
  gp__u64 height, pitch, slot; // rows of a panel; bytes from line to line of a block, and of a slot
} gp__buffered_plan;
// The first tile column of group g.
GP__RULE gp__u64 gp__buffered_border(gp__buffered_plan r, gp__form s, unsigned columns, unsigned g) {
  return g < r.panels ? g * r.height * s->moved.columns / (s->moved.rows * columns)
      : (s->moved.columns + columns - 1) / columns;
}
GP__BOTH static inline __attribute__((unused)) gp__buffered_plan gp__buffered_plan_of(gp_policy p, gp__form s) {
  const gp__u64 size = (unsigned)s->key_size;
  const unsigned rows = (unsigned)gp__transpose_rows(p.threads, p.vectors, s->key_size);
  const unsigned columns = (unsigned)gp__transpose_columns(p.threads, p.vectors, s->key_size);
  gp__buffered_plan r = {0, 0, 0, 0, 0};
  gp__u64 widest = 0;
  unsigned g;
  if (s->moved.kind != GP__MOVE_RECTANGLE || p.algorithm != GP_BUFFERED_PANELS ||
      gp__buffered_threads(p, s->key_size) > 1024 || p.stages < GP__BUFFERED_LEAST || p.stages > GP__BUFFERED_MOST ||
      s->moved.rows < (unsigned)GP__BUFFERED_LEAST * rows ||
      s->moved.columns < (unsigned)GP__BUFFERED_LEAST * columns || s->moved.rows > 1ull << 31 ||
      s->moved.columns > 1ull << 31 || s->moved.rows / rows * (s->moved.columns / columns) > 1ull << 29)
    return r;
  r.height = ((s->moved.rows - 1) / rows / (unsigned)p.stages + 1) * rows;
  r.panels = (unsigned)((s->moved.rows - 1) / r.height + 1);
  if (r.height * size > 1ull << 30) r.panels = 0;
  for (g = 0; g < r.panels; ++g) {
    const gp__u64 end = gp__buffered_border(r, s, columns, g + 1) * columns;
    const gp__u64 width =
        (end < s->moved.columns ? end : s->moved.columns) - gp__buffered_border(r, s, columns, g) * columns;
    if (width > widest) widest = width;
  }
  r.pitch = r.height * size + (s->moved.rows - r.height) * size % GP__BUFFERED_SHIFT;
  r.slot = ((widest * r.pitch - 1) / GP__BUFFERED_SHIFT + 2) * GP__BUFFERED_SHIFT;
  r.form = (int)GP__VECTOR * (int)GP__FORM_WORD; // for the kernel that clears counters
  if (s->moved.form & GP__FORM_IN_START)
    r.form |= (s->moved.columns * size % GP__VECTOR ? 0 : GP__FORM_IN_ALIGNED) |
        (s->moved.rows * size % GP__VECTOR ? 0 : GP__FORM_OUT_ALIGNED);
  return r;
}
// Form of the kernel: GP__FORM_IN_ALIGNED to GP__FORM_OUT_WHOLE; of panels, also the bytes of a chunk's word.
GP__RULE int gp__panels_form(gp__panels_plan r) { return r.items ? r.form | r.word * GP__FORM_WORD : 0; }
GP__BOTH static inline __attribute__((unused)) int gp__transpose_form(gp_policy p, gp__form s) {
  gp__shape tiled;
  if (p.algorithm == GP_BUFFERED_PANELS) return gp__buffered_plan_of(p, s).form;
  tiled = gp__tiled(p, *s);
  s = &tiled;
  return s->moved.kind == GP__MOVE_RECTANGLE ? gp__panels_form(gp__panels_plan_of(p, s))
      : s->moved.kind == GP__MOVE_TILES && gp__transpose_few(p, s)
      ? (s->moved.form & GP__FORM_IN_ALIGNED) | GP__FORM_FEW
      : (s->moved.form & (GP__FORM_IN_ALIGNED | GP__FORM_OUT_ALIGNED)) |
          (s->moved.kind != GP__MOVE_TILES ? 0
                  : gp__transpose_packs(p, s) ? GP__FORM_IN_WHOLE | GP__FORM_OUT_WHOLE
                  : gp__transpose_thin_in(p, s) ? GP__FORM_IN_WHOLE
                  : gp__transpose_thin_out(p, s) ? GP__FORM_OUT_WHOLE
                  : 0);
}
GP__RULE int gp__policy_valid_transpose(gp_policy p, gp__form s) {
  return (p.algorithm == GP_PADDED_TILES ||
             (p.algorithm == GP_BUFFERED_PANELS && gp__buffered_plan_of(p, s).panels >= GP__BUFFERED_LEAST) ||
             (p.algorithm == GP_ROUND_TRIP && s->moved.kind == GP__MOVE_RECTANGLE)) &&
      p.vectors <= 8 &&
      (s->moved.kind == GP__MOVE_SQUARE ? 2 : 1) *
          gp__transpose_tile_bytes(s->key_size, gp__transpose_rows(p.threads, p.vectors, s->key_size),
              gp__transpose_columns(p.threads, p.vectors, s->key_size), 0) <=
      s->shared_bytes - 1024;
}
