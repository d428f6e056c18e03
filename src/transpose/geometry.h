// transpose/geometry.h - plans and launches of transposes
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, transpose/policy.h,
//   transpose/panels_policy.h, core/geometry.h, core/family.h, transpose/portable.h

// Tiles of a transpose: sizes in elements, and shared memory.
typedef struct gp__transpose_plan {
  int form;
  unsigned tile_rows, tile_columns; // moved rows: log2 of a tile's words in a row
  unsigned matrices; // matrices of a tile, if both sides are whole
  unsigned pitch, pad; // layout of a tile with a whole side
  unsigned shared_bytes;
  gp__u64 row_tiles, column_tiles, tiles;
} gp__transpose_plan;
GP__HOST gp__transpose_plan gp__transpose_plan_of(gp_policy p, gp__shape s) {
  const int size = s.key_size, group = gp__vec_group_items(size);
  const unsigned room = (unsigned)(p.threads * p.vectors * GP__VECTOR);
  const gp__panels_plan panels = gp__panels_plan_of(p, &s);
  gp__transpose_plan r;
  gp__u64 whole, step;
  s = gp__tiled(p, s);
  r.matrices = r.pitch = r.pad = r.shared_bytes = 0;
  r.form = gp__transpose_form(p, &s);
  r.tile_rows = (unsigned)gp__transpose_rows(p.threads, p.vectors, size);
  r.tile_columns = (unsigned)gp__transpose_columns(p.threads, p.vectors, size);
  if (panels.whole) s.moved.rows = panels.rows, s.moved.columns = panels.columns, s.segments = panels.panels;
  if (s.moved.kind == GP__MOVE_ROWS) {
    const unsigned most = (unsigned)(p.threads * p.vectors);
    r.tile_columns = (unsigned)gp__floor_log2(most); // a power of two, though threads are not
    if (s.moved.columns < 1u << r.tile_columns) r.tile_columns = (unsigned)gp__floor_log2(s.moved.columns * 2 - 1);
    r.row_tiles = gp__ceil_div(s.moved.rows, most >> r.tile_columns);
    r.column_tiles = gp__ceil_div(s.moved.columns, 1u << r.tile_columns);
  } else if (s.moved.kind == GP__MOVE_SQUARE) {
    r.tile_rows = r.tile_columns = (unsigned)gp__transpose_side(p.threads, p.vectors, size);
    r.row_tiles = gp__ceil_div(s.moved.rows, r.tile_rows);
    r.column_tiles = gp__ceil_div(r.row_tiles, (unsigned)GP__SQUARE_PANEL);
    r.shared_bytes = 2 *
        (unsigned)gp__transpose_tile_bytes(size, (int)r.tile_rows, (int)r.tile_columns, r.form & GP__FORM_IN_ALIGNED);
  } else if (s.moved.kind == GP__MOVE_TILES && (r.form & GP__FORM_FEW)) {
    r.tile_columns = (unsigned)(p.threads * gp__few_unit(size) / size);
    r.shared_bytes = gp__few_bytes(p, size, (unsigned)s.moved.rows);
    r.row_tiles = 1;
    r.column_tiles = gp__ceil_div(s.moved.columns, r.tile_columns);
  } else if (r.form & GP__FORM_IN_WHOLE) {
    r.pitch = (unsigned)s.moved.columns * (unsigned)size;
    r.pad = r.pitch * (unsigned)group / GP__VECTOR % 2 ? 0 : GP__VECTOR;
    r.tile_rows = (unsigned)(room / r.pitch);
    if (r.tile_rows > s.moved.rows) r.tile_rows = (unsigned)s.moved.rows;
    r.tile_rows = (unsigned)gp__round_up(r.tile_rows, (unsigned)group * 8);
    while (r.tile_rows * r.pitch > room) r.tile_rows -= (unsigned)group * 8;
    if (r.form & GP__FORM_OUT_WHOLE)
      r.matrices = (unsigned)(panels.whole ? panels.whole : gp__transpose_matrices(p, &s));
    if (panels.whole) r.tile_rows = (unsigned)s.moved.rows;
    whole = r.matrices ? r.matrices * s.moved.rows : r.tile_rows;
    r.shared_bytes = (unsigned)(whole * r.pitch + (whole / (unsigned)group + 1) * GP__VECTOR);
    r.row_tiles = r.matrices ? 1 : gp__ceil_div(s.moved.rows, r.tile_rows);
    r.column_tiles = 1;
  } else if (r.form & GP__FORM_OUT_WHOLE) {
    r.tile_columns = 1u << gp__floor_log2(room / (s.moved.rows * (unsigned)size));
    r.pitch = (r.tile_columns * (unsigned)size / GP__VECTOR + 1) * GP__VECTOR;
    r.shared_bytes = (unsigned)s.moved.rows * r.pitch;
    r.row_tiles = 1;
    r.column_tiles = gp__ceil_div(s.moved.columns, r.tile_columns);
  } else {
    r.shared_bytes =
        (unsigned)gp__transpose_tile_bytes(size, (int)r.tile_rows, (int)r.tile_columns, r.form & GP__FORM_IN_ALIGNED);
    step = (unsigned)gp__transpose_step((int)r.tile_rows, size, s.moved.word, r.form & GP__FORM_OUT_ALIGNED);
    r.row_tiles = s.moved.rows > r.tile_rows ? 1 + gp__ceil_div(s.moved.rows - r.tile_rows, step) : 1;
    r.column_tiles = gp__ceil_div(s.moved.columns, r.tile_columns);
  }
  r.tiles = r.matrices ? gp__ceil_div(s.segments, r.matrices)
      : s.moved.kind == GP__MOVE_SQUARE
      ? r.column_tiles * (r.column_tiles + 1) / 2 * GP__SQUARE_PANEL * GP__SQUARE_PANEL * s.segments
      : r.row_tiles * r.column_tiles * s.segments;
  return r;
}
// Dense matrices in place: steps within columns, within rows. m is the smaller side, n the larger one.
enum {
  GP__STRIP_BYTES = 128, // bytes of a strip of columns, in each row
  GP__STRIPS_SCRATCH = 64 << 20, // most bytes of scratch memory, if one block fits
  GP__STRIP_BLOCKS = 4 // most blocks of a multiprocessor
};
typedef struct gp__rectangle_plan {
  gp__u64 m, n, strip, tiles, scratch; // strip: bytes of a block; scratch: of all, or 0
  unsigned width, grid, shared_bytes; // width: columns of a strip
} gp__rectangle_plan;
GP__HOST gp__rectangle_plan gp__rectangle_plan_of(gp__form s, int within_rows) {
  const gp__u64 size = (unsigned)s->key_size, sms = (unsigned)gp__max(s->multiprocessors, 1);
  gp__rectangle_plan r;
  gp__u64 blocks = sms * GP__STRIP_BLOCKS;
  r.m = gp__smaller(s->moved.rows, s->moved.columns);
  r.n = s->moved.rows < s->moved.columns ? s->moved.columns : s->moved.rows;
  r.width = size >= GP__STRIP_BYTES ? 1 : (unsigned)(GP__STRIP_BYTES / size);
  if (r.width > r.n) r.width = (unsigned)r.n;
  r.strip = gp__round_up(within_rows ? r.n * size : r.m * r.width * size, 256);
  r.tiles = (within_rows ? r.m : gp__ceil_div(r.n, r.width)) * s->segments;
  r.scratch = r.strip > (unsigned)(s->shared_bytes - 2048) / 2;
  r.shared_bytes = r.scratch ? (unsigned)GP__VECTOR : (unsigned)r.strip;
  if (r.scratch && blocks > GP__STRIPS_SCRATCH / r.strip) blocks = GP__STRIPS_SCRATCH / r.strip;
  if (blocks > r.tiles) blocks = r.tiles;
  r.grid = (unsigned)(blocks < 1 ? 1 : blocks);
  r.scratch *= r.grid * r.strip;
  return r;
}
// Tiles of a panel; then offsets in the scratch memory of panels, in bytes.
GP__HOST gp__u64 gp__panels_tiles(gp__panels_plan r, gp__transpose_plan t) {
  return gp__ceil_div(r.rows, t.tile_rows) * gp__ceil_div(r.columns, t.tile_columns);
}
typedef struct gp__panels_scratch {
  gp__u64 counters, claimed, loaded, bytes; // saved panels are first; counters, flags; the end
} gp__panels_scratch;
GP__HOST gp__panels_scratch gp__panels_scratch_of(gp__panels_plan r, unsigned size) {
  const gp__u64 panel = r.rows * r.columns, chunks = panel / r.items * r.panels;
  gp__panels_scratch s;
  s.counters = gp__round_up(panel * size * r.holes, 256);
  s.claimed = s.counters + gp__round_up((GP__PANELS_COUNTERS + r.panels) * 8, 256);
  s.loaded = s.claimed + gp__round_up(gp__ceil_div(chunks, 8), 256);
  s.bytes = s.loaded + gp__round_up(gp__ceil_div(chunks, 8), 256);
  return s;
}
// Buffered panels: counters, then the buffer.
GP__HOST gp__u64 gp__buffered_counters(gp__buffered_plan r) { // bytes
  return gp__round_up((GP__PANELS_COUNTERS + r.panels + 1) * 8, 256);
}
GP__HOST void gp__geometry_transpose(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__transpose_plan r = gp__transpose_plan_of(p, *s);
  const gp__panels_plan panels = gp__panels_plan_of(p, s);
  const gp__shape tiled = gp__tiled(p, *s);
  s = &tiled;
  if (p.algorithm == GP_ROUND_TRIP) g->scratch = s->segments * s->moved.rows * s->moved.columns * (unsigned)s->key_size;
  if (panels.items) {
    g->tile_items = (gp__u64)r.tile_rows * r.tile_columns;
    g->tiles = panels.whole ? r.tiles : gp__panels_tiles(panels, r) * panels.panels;
    g->grid = (unsigned)gp__smaller(g->tiles, resident);
    g->shared_bytes = r.shared_bytes;
    g->scratch = gp__panels_scratch_of(panels, (unsigned)s->key_size).bytes;
    return;
  }
  if (p.algorithm == GP_BUFFERED_PANELS) {
    const gp__buffered_plan buffered = gp__buffered_plan_of(p, s);
    g->tile_items = (gp__u64)r.tile_rows * r.tile_columns;
    g->tiles = r.row_tiles * r.column_tiles;
    g->grid = (unsigned)gp__smaller(g->tiles, resident);
    g->shared_bytes = r.shared_bytes;
    g->scratch = gp__buffered_counters(buffered) + gp__buffered_slots(buffered.panels) * buffered.slot;
    return;
  }
  if (s->moved.kind == GP__MOVE_RECTANGLE) {
    const gp__rectangle_plan columns = gp__rectangle_plan_of(s, 0), rows = gp__rectangle_plan_of(s, 1);
    g->tile_items = columns.width;
    g->tiles = columns.tiles;
    g->grid = columns.grid;
    g->shared_bytes = columns.shared_bytes;
    g->scratch = columns.scratch > rows.scratch ? columns.scratch : rows.scratch;
    return;
  }
  if (p.blocks_per_sm == 0) resident = 0x7fffffffull;
  g->tile_items = (gp__u64)r.tile_rows * r.tile_columns;
  g->tiles = r.tiles;
  g->grid = (unsigned)(r.tiles < 1 ? 1 : gp__smaller(r.tiles, resident));
  g->shared_bytes = r.shared_bytes;
}

static const gp__rules gp__rules_transpose = {gp__policy_valid_transpose, gp__measure_matrices, gp__portable_transpose,
    GP__ALWAYS_OVERLAPS, gp__geometry_transpose, GP__POLICY_THREADS, GP__ANY_ALGORITHM, gp__row_serves_matrices};
