// transpose/launch.c - launches of transposes
// uses: api/config.h, api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, top_k/policy.h,
//   transpose/policy.h, transpose/panels_policy.h, core/geometry.h, transpose/geometry.h, map/arguments.h,
//   transpose/arguments.h, transpose/panels_arguments.h, core/system.c, core/request.c, core/load.c, core/launch.c

GP__HOST gp__divisor gp__divisor_of(uint64_t by) {
  gp__divisor d;
  d.by = by ? (unsigned)by : 1;
  d.magic = ~0u / d.by + 1;
  return d;
}
// The arguments of all kernels of a transpose.
GP__HOST gp__transpose_args gp__transpose_arguments(
    const gp__moves *m, gp__shape h, gp_policy p, const void *in, void *out, uint64_t in_bytes) {
  const gp__transpose_plan r = gp__transpose_plan_of(p, h);
  const gp__panels_plan panels = gp__panels_plan_of(p, &h);
  const unsigned group = (unsigned)gp__vec_group_items(m->size), size = (unsigned)m->size;
  gp__transpose_args a;
  int i;
  memset(&a, 0, sizeof a);
  if (panels.whole) h.moved.rows = panels.rows, h.moved.columns = panels.columns;
  a.in = in;
  a.out = out;
  a.columns = h.moved.columns;
  a.rows = h.moved.rows;
  a.in_pitch = m->in_stride[1];
  a.out_pitch = m->kind == GP__MOVE_ROWS ? m->out_stride[1] : m->out_stride[0];
  for (i = 0; i < 2; ++i)
    a.outer[i] = m->extent[2 + i], a.in_outer[i] = m->in_stride[2 + i], a.out_outer[i] = m->out_stride[2 + i];
  a.in_bytes = in_bytes;
  a.tiles = r.tiles;
  a.row_tiles = r.row_tiles;
  a.column_tiles = r.column_tiles;
  a.tile_rows = r.tile_rows;
  a.tile_columns = r.tile_columns;
  a.matrices = r.matrices;
  a.pitch = r.pitch;
  a.pad = r.form & GP__FORM_FEW ? (unsigned)gp__few_line(m->size, (unsigned)h.moved.rows) : r.pad;
  a.panel = (unsigned)gp__transpose_panel(m->size, p.vectors, r.form);
  a.units = gp__divisor_of(r.form & GP__FORM_IN_WHOLE
          ? gp__ceil_div(r.tile_rows * size / GP__VECTOR + !(r.form & GP__FORM_OUT_ALIGNED), 8)
          : r.tile_columns * size / GP__VECTOR + !(r.form & GP__FORM_IN_ALIGNED));
  a.group = gp__divisor_of(r.pitch * group / GP__VECTOR);
  a.row = gp__divisor_of(h.moved.rows < GP__TRANSPOSE_WHOLE ? h.moved.rows : 1);
  a.column = gp__divisor_of(h.moved.columns < GP__TRANSPOSE_WHOLE ? h.moved.columns : 1);
  return a;
}
// Plan and arguments of one of the three steps of a dense matrix in place. Returns 0 if the step has nothing to do.
GP__HOST int gp__rectangle_step(
    const gp__moves *m, gp__form h, int step, void *out, void *scratch, gp__rectangle_plan *r, gp__transpose_args *a) {
  const int inverse = h->moved.rows > h->moved.columns, within = step == 1;
  const gp__u64 common = gp__common_factor(h->moved.rows, h->moved.columns);
  int i;
  *r = gp__rectangle_plan_of(h, within);
  memset(a, 0, sizeof *a);
  a->out = out;
  a->rows = r->m;
  a->columns = r->n;
  a->a = r->m / common;
  a->b = r->n / common;
  for (i = 0; i < 2; ++i) a->outer[i] = m->extent[2 + i], a->out_outer[i] = m->out_stride[2 + i];
  a->tiles = r->tiles;
  a->column_tiles = gp__ceil_div(r->n, r->width);
  a->tile_columns = r->width;
  a->strip = r->strip;
  a->scratch = r->scratch ? scratch : NULL;
  a->rotates = step == (inverse ? 2 : 0);
  a->gathers = within == inverse;
  return !a->rotates || common > 1;
}
// Launches steps within columns, rows, columns.
GP__HOST gp_result gp__launch_rectangle(const gp__launching *l) {
  gp__rectangle_plan r;
  gp__transpose_args a;
  int step;
  for (step = 0; step < 3; ++step) {
    int occupancy;
    gp__geometry g = *l->g;
    if (!gp__rectangle_step(&l->q->moves, l->h, step, l->q->out, l->scratch, &r, &a)) continue;
    g.shared_bytes = r.shared_bytes;
    GP__CHECK(gp__fit_kernel(l->s, l->who, l->kernels[step == 1], &g, &occupancy));
    GP__CHECK(gp__launch_step(l, step == 1, r.grid, l->g->threads, r.shared_bytes, &a));
  }
  return GP_SUCCESS;
}
// The arguments of panels and chunks of one matrix, `data`.
GP__HOST gp__panels_args gp__panels_arguments(gp_policy p, gp__form h, void *data, void *scratch) {
  const gp__panels_plan r = gp__panels_plan_of(p, h);
  const gp__transpose_plan t = gp__transpose_plan_of(p, *h);
  const gp__panels_scratch s = gp__panels_scratch_of(r, (unsigned)h->key_size);
  gp__u8 *at = (gp__u8 *)scratch;
  gp__panels_args a;
  memset(&a, 0, sizeof a);
  a.data = (gp__u8 *)data;
  a.saved = at;
  a.counters = (gp__u64 *)(void *)(at + s.counters);
  a.claimed = (unsigned *)(void *)(at + s.claimed);
  a.loaded = (unsigned *)(void *)(at + s.loaded);
  a.clears = (s.bytes - s.counters) / 8;
  a.saves = r.inverse ? 0 : r.rows * r.columns * (unsigned)h->key_size * r.holes; // if panels are next
  a.rows = r.rows;
  a.columns = r.columns;
  a.panels = r.panels;
  a.holes = r.holes;
  a.column_tiles = gp__ceil_div(r.columns, t.tile_columns);
  a.panel_tiles = gp__panels_tiles(r, t);
  a.chunk = (unsigned)(r.items * (unsigned)h->key_size);
  a.chunk_rows = (unsigned)(r.inverse ? r.rows : r.panels);
  a.chunk_columns = (unsigned)(r.inverse ? r.panels : r.columns);
  if (r.inverse) a.shift_y = (unsigned)r.holes;
  else a.shift_x = (unsigned)r.holes;
  return a;
}
// Arguments of panels that are tiles, of one matrix.
GP__HOST gp__transpose_args gp__whole_panels_arguments(gp_policy p, gp__form h, const gp__moves *of, void *data) {
  const gp__panels_plan r = gp__panels_plan_of(p, h);
  gp__moves m = *of;
  m.in_stride[1] = r.columns * (unsigned)m.size;
  m.out_stride[0] = r.rows * (unsigned)m.size;
  m.extent[2] = 1;
  m.extent[3] = r.panels;
  return gp__transpose_arguments(&m, *h, p, data, data, r.panels * r.rows * m.in_stride[1]);
}
// Kernel of a step of a matrix: 0 panels, 1 chunks, 2 what saves and clears for both. -1: no more.
GP__HOST int gp__panels_step(gp__panels_plan r, unsigned size, int step, gp__panels_args *a) {
  static const int order[2][4] = {{2, 0, 1, -1}, {2, 1, 2, 0}};
  if (r.inverse && r.whole && step >= 2) return step == 2 ? 0 : -1;
  if (r.inverse && step == 2) a->clears = 0, a->saves = r.rows * r.columns * size * r.holes;
  return order[r.inverse][step];
}
GP__HOST void *gp__matrix_of(const gp__launching *l, uint64_t matrix) {
  const gp__moves *m = &l->q->moves;
  return (gp__u8 *)l->q->out + matrix / m->extent[3] * m->out_stride[2] + matrix % m->extent[3] * m->out_stride[3];
}
GP__HOST gp_result gp__launch_panels(const gp__launching *l) {
  const gp__panels_plan r = gp__panels_plan_of(*l->p, l->h);
  const unsigned threads = l->g->threads;
  uint64_t matrix;
  for (matrix = 0; matrix < l->h->segments; ++matrix) {
    gp__panels_args a = gp__panels_arguments(*l->p, l->h, gp__matrix_of(l, matrix), l->scratch);
    int step, which;
    for (step = 0; step < 4; ++step) {
      uint64_t work;
      which = gp__panels_step(r, (unsigned)l->h->key_size, step, &a);
      if (which < 0) break;
      if (which == 0 && r.whole) {
        gp__transpose_args t = gp__whole_panels_arguments(*l->p, l->h, &l->q->moves, gp__matrix_of(l, matrix));
        GP__CHECK(gp__launch_step(l, 0, (unsigned)gp__smaller(t.tiles, 0x7fffffff), threads, l->g->shared_bytes, &t));
        continue;
      }
      work = which == 0 ? a.panels * a.panel_tiles
          : which == 1 ? gp__ceil_div((uint64_t)a.chunk_rows * a.chunk_columns, threads / GP__WARP * GP__CHUNK_TICKET)
          : gp__ceil_div(a.saves / (unsigned)r.word + a.clears, (uint64_t)threads * 4);
      GP__CHECK(gp__launch_step(
          l, which, gp__grid_of_step(l, which, 0, work), threads, which == 0 ? l->g->shared_bytes : 0, &a));
    }
  }
  return GP_SUCCESS;
}
// Arguments of a trip of `count` matrices from `data` to the workspace, and back. h: of gp__tiled.
GP__HOST gp__transpose_args gp__trip_arguments(
    gp_policy p, gp__form h, const gp__moves *of, uint64_t count, void *data, void *scratch, gp__map_args *back) {
  const uint64_t matrix = h->moved.rows * h->moved.columns * (unsigned)h->key_size;
  gp__transpose_args a;
  gp__moves m = *of;
  m.extent[2] = 1;
  m.extent[3] = count;
  a = gp__transpose_arguments(&m, *h, p, data, scratch, count * matrix);
  a.tiles = a.matrices ? gp__ceil_div(count, a.matrices) : a.row_tiles * a.column_tiles * count;
  memset(back, 0, sizeof *back);
  back->in = scratch;
  back->out = data;
  back->count = count * h->moved.rows * h->moved.columns;
  return a;
}
GP__HOST gp_result gp__launch_round_trip(const gp__launching *l) {
  const gp__shape h = gp__tiled(*l->p, *l->h);
  uint64_t first;
  for (first = 0; first < l->h->segments; first += h.segments) {
    const uint64_t rest = l->h->segments - first;
    gp__map_args back;
    gp__transpose_args a = gp__trip_arguments(
        *l->p, &h, &l->q->moves, gp__smaller(rest, h.segments), gp__matrix_of(l, first), l->scratch, &back);
    const uint64_t blocks = gp__ceil_div(back.count * (unsigned)h.key_size, (uint64_t)l->g->threads * GP__VECTOR);
    GP__CHECK(gp__launch_step(l, 0, (unsigned)gp__smaller(a.tiles, l->g->grid), l->g->threads, l->g->shared_bytes, &a));
    GP__CHECK(gp__launch_step(l, 1, blocks < 0x7fffffff ? (unsigned)blocks : 0x7fffffffu, l->g->threads, 0, &back));
  }
  return GP_SUCCESS;
}
// Arguments of panels through a buffer, of one matrix, and of the kernel that clears their counters.
GP__HOST gp__buffered_args gp__buffered_arguments(
    gp_policy p, gp__form h, void *data, void *scratch, gp__panels_args *clears) {
  const gp__buffered_plan r = gp__buffered_plan_of(p, h);
  const unsigned rows = (unsigned)gp__transpose_rows(p.threads, p.vectors, h->key_size), size = (unsigned)h->key_size;
  const unsigned columns = (unsigned)gp__transpose_columns(p.threads, p.vectors, h->key_size);
  const unsigned most = (unsigned)(p.threads * p.vectors); // units of a turn
  gp__buffered_args a;
  unsigned x, units = (unsigned)(gp__ceil_div(r.height * size, GP__VECTOR) + !(r.form & GP__FORM_OUT_ALIGNED));
  memset(&a, 0, sizeof a);
  memset(clears, 0, sizeof *clears);
  a.data = (gp__u8 *)data;
  a.counters = clears->counters = (gp__u64 *)scratch;
  a.buffer = (gp__u8 *)scratch + gp__buffered_counters(r);
  clears->clears = gp__buffered_counters(r) / 8;
  a.rows = h->moved.rows;
  a.columns = h->moved.columns;
  a.height = r.height;
  a.pitch = r.pitch;
  a.slot = r.slot;
  a.panels = r.panels;
  a.column_tiles = (unsigned)gp__ceil_div(h->moved.columns, columns);
  a.part = units < most ? units : most;
  a.parts = (unsigned)gp__ceil_div(units, a.part);
  a.lines = most / a.part;
  a.units = gp__divisor_of(a.part);
  for (x = 0; x <= r.panels; ++x) a.border[x] = (unsigned)gp__buffered_border(r, h, columns, x);
  for (x = 0; x <= r.panels; ++x) {
    const gp__u64 rest = x < r.panels ? h->moved.rows - x * r.height : 0;
    a.first[x + 1] = a.first[x] + (unsigned)gp__ceil_div(rest < r.height ? rest : r.height, rows) * a.column_tiles;
    if (x) {
      const gp__u64 from = (gp__u64)a.border[x - 1] * columns, to = (gp__u64)a.border[x] * columns;
      a.first[x + 1] += (unsigned)gp__ceil_div(gp__smaller(to, h->moved.columns) - from, a.lines) * x * a.parts;
    }
  }
  return a;
}
GP__HOST gp_result gp__launch_buffered(const gp__launching *l) {
  uint64_t matrix;
  for (matrix = 0; matrix < l->h->segments; ++matrix) {
    void *data = gp__matrix_of(l, matrix);
    gp__panels_args clears;
    gp__buffered_args a = gp__buffered_arguments(*l->p, l->h, data, l->scratch, &clears);
    GP__CHECK(gp__launch_step(l, 1, 1, l->g->threads, 0, &clears));
    GP__CHECK(gp__launch_step(l, 0, gp__grid_of_step(l, 0, l->p->blocks_per_sm, a.first[a.panels + 1]),
        (unsigned)gp__buffered_threads(*l->p, l->h->key_size), l->g->shared_bytes, &a));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__launch_transpose(const gp__launching *l) {
  gp__transpose_args a;
  if (l->p->algorithm == GP_BUFFERED_PANELS) return gp__launch_buffered(l);
  if (l->p->algorithm == GP_ROUND_TRIP) return gp__launch_round_trip(l);
  if (gp__panels_plan_of(*l->p, l->h).items) return gp__launch_panels(l);
  if (gp__tiled(*l->p, *l->h).moved.kind == GP__MOVE_RECTANGLE) return gp__launch_rectangle(l);
  a = gp__transpose_arguments(&l->q->moves, *l->h, *l->p, l->q->in, l->q->out, l->q->moves.in_span * l->q->in_size);
  return gp__launch_step(l, 0, l->g->grid, l->g->threads, l->g->shared_bytes, &a);
}
