// layouts/plan.c - plans of conversions of layouts
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, core/words.h, core/rules.h, core/shape.h,
//   top_k/policy.h, transpose/policy.h, layouts/policy.h, map/arguments.h, layouts/arguments.h, core/system.c,
//   core/request.c, layouts/host.c, core/kinds.c, core/primitive.c, core/reads.c, layouts/check.c, core/shape.c,
//   layouts/names.c, core/launch.c

// True if the input of a conversion is copied first.
GP__HOST int gp__converts_copy(const gp__request *q, const gp_policy *p) {
  const gp__shape h = gp__shape_of(q);
  return h.in_place && !gp__layout_local(*p, &h);
}
// Structs that a thread takes at a time: as many as make each field's values whole words, if registers hold them.
GP__HOST int gp__layout_chunk(const gp__request *q) {
  const size_t size = q->in_size > q->out_size ? q->in_size : q->out_size;
  unsigned common = 4, chunk;
  int i;
  if (q->moves.kind) return -1;
  if ((q->flags & GP_KEEP_GAPS) || size > GP__LAYOUT_REGISTER_BYTES) return 0;
  for (i = 0; i < q->in_layout.field_count; ++i)
    common = (unsigned)gp__common_factor(common, q->in_layout.fields[i].size);
  chunk = 4 / common;
  while (chunk > 1 &&
      (chunk * size > GP__LAYOUT_REGISTER_BYTES || (q->in_layout.width > 1 && q->in_layout.width % chunk) ||
          (q->out_layout.width > 1 && q->out_layout.width % chunk)))
    chunk /= 2;
  return (int)chunk;
}

GP__HOST void gp__shape_layouts(const gp__request *q, gp__shape *h) {
  h->out_misaligned = (int)((uintptr_t)q->out % GP__VECTOR);
  h->layout.in_width = q->in_layout.width;
  h->layout.out_width = q->out_layout.width;
  h->layout.chunk = gp__layout_chunk(q);
  h->layout.in_bytes = gp__layout_bytes(&q->in_layout, q->count);
  h->in_place = q->in == q->out && !q->in_layout.columns && !q->out_layout.columns; // without buffers: may be
}
GP__HOST int gp__kinds_of_layouts(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  kinds[0] = q->moves.kind ? GP__TURN_LAYOUT : GP__CONVERT_LAYOUT;
  kinds[1] = GP__COPY;
  return gp__converts_copy(q, p) ? 2 : 1;
}
// room: places in shared memory; a line along axis 0 leaves one free, against bank conflicts.
GP__HOST void gp__turned_tiles(const gp__moves *m, uint64_t room, gp__layout_args *a) {
  gp__u64 *tile = a->tile;
  int d;
  a->straight = m->kind == GP__MOVE_ROWS;
  tile[2] = tile[3] = 1;
  tile[0] = gp__smaller(m->extent[0], a->straight ? room - 1 : gp__smaller(room / 2 - 1, 32));
  tile[1] = gp__smaller(m->extent[1], room / (tile[0] + 1));
  if (tile[1] == m->extent[1]) tile[0] = gp__smaller(m->extent[0], room / tile[1] - 1);
  else if (tile[1] > 8) tile[1] &= ~7ull; // whole sectors
  for (d = 0; d < 4; ++d) {
    a->extent[d] = m->extent[d], a->step[0][d] = m->in_stride[d], a->step[1][d] = m->out_stride[d];
    a->tiles[d] = gp__ceil_div(m->extent[d], tile[d]);
  }
}
GP__HOST gp_result gp__launch_layouts(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__layout_args a;
  gp__layout_arguments(q, l->count == 2 ? l->scratch : q->in, &a);
  if (q->moves.kind) gp__turned_tiles(&q->moves, (unsigned)gp__layout_tile(*l->p, l->h), &a);
  if (l->count == 2) { // in place: from a copy in the workspace
    const uint64_t tiles =
        gp__ceil_div(l->h->layout.in_bytes, (gp__u64)l->p->threads * (unsigned)l->p->vectors * GP__VECTOR);
    gp__map_args copy;
    memset(&copy, 0, sizeof copy);
    copy.in = copy.in2 = q->in;
    copy.out = l->scratch;
    copy.count = l->h->layout.in_bytes;
    GP__CHECK(gp__launch_step(l, 1, tiles < 0x7fffffff ? (unsigned)tiles : 0x7fffffffu, l->g->threads, 0, &copy));
  }
  return gp__launch_step(l, 0, l->g->grid, l->g->threads, l->g->shared_bytes, &a);
}

static const gp__kernel_rules gp__kernels_of_layouts = {
    GP__SAME_KERNELS, gp__resident_layouts, gp__spell_layouts, GP__NO_FIT};
static const gp__own_check gp__checks_layouts[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_layouts}};
static const gp__family gp__family_layouts = {gp__checks_layouts, GP__IDLE_IF_EMPTY, gp__shape_layouts,
    gp__kinds_of_layouts, &gp__kernels_of_layouts, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_layouts),
    gp__host_layouts};
static const gp__primitive gp__primitive_convert_layout = {
    &gp__family_layouts, GP__READS_IN | GP__READS_OUT, GP__TAKES_LAYOUTS, GP_KEEP_GAPS};
