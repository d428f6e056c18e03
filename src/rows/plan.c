// rows/plan.c - plans of calls on rows of strided arrays
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, rows/policy.h,
//   rows/geometry.h, rows/arguments.h, core/system.c, core/request.c, host/call.c, rows/host.c, core/kinds.c,
//   core/primitive.c, host/run.c, core/reads.c, rows/check.c, core/spelling.c, rows/names.c, core/launch.c,
//   rows/order_launch.c

// A row of no elements has a result, which a reduction writes.
GP__HOST int gp__rows_are_idle(const gp__request *q) {
  return !q->segments || (q->primitive != GP_REDUCE_AXIS && !q->count);
}
// Bits of every address that a stride leads to, but for that of dimension `except`, and for that of the array.
GP__HOST uint64_t gp__row_addresses(
    const gp__rows *r, const void *base, const int64_t *stride, size_t size, int except) {
  uint64_t all = (uintptr_t)base;
  int d;
  for (d = 0; d < 4; ++d)
    if (d != except && r->extent[d] > 1) all |= gp__distance(stride[d]) * size;
  return all;
}
GP__HOST void gp__shape_rows(const gp__request *q, gp__shape *h) {
  const gp__rows *r = &q->rows;
  h->segments = q->segments;
  h->rows.length = r->extent[0];
  h->rows.columns = r->columns ? r->extent[1] : 0;
  h->rows.shifted = r->in_stride[0] == 1 && gp__row_addresses(r, q->in, r->in_stride, q->in_size, 0) % GP__VECTOR != 0;
  h->rows.whole = r->in_stride[0] == 1 && !h->rows.shifted && r->extent[0] * q->in_size % GP__VECTOR == 0;
}
GP__HOST int gp__kinds_of_rows(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  if (q->primitive == GP_SCAN_AXIS) return kinds[0] = q->rows.columns ? GP__SCAN_COLUMNS : GP__SCAN_ROWS, 1;
  if (p->algorithm == GP_DIRECT && q->primitive == GP_ROW_MAP) return kinds[0] = GP__MAP_ROWS, 1;
  kinds[0] = q->rows.columns ? GP__REDUCE_COLUMNS : GP__REDUCE_ROWS;
  kinds[1] = GP__APPLY_ROWS;
  return q->primitive == GP_ROW_MAP ? 2 : 1;
}
GP__HOST gp_result gp__launch_rows(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__rows *r = &q->rows;
  gp__rows_args a;
  uint64_t lines;
  int d;
  memset(&a, 0, sizeof a);
  a.in = q->in;
  a.out = q->out;
  a.rows = q->segments;
  for (d = 0; d < 4; ++d) {
    a.extent[d] = r->extent[d];
    a.in_stride[d] = r->in_stride[d];
    a.out_stride[d] = r->out_stride[d];
  }
  a.parts = l->g->replicas;
  a.share = l->g->tile_items;
  a.log2_lanes = l->g->log2_lanes;
  if (gp__row_windows(r->extent[0], (int)q->in_size, 0) <= (unsigned)(GP__WARP * l->p->vectors)) // a tile of rows
    a.chunk = gp__rows_chunk((int)q->in_size, r->extent[0], a.log2_lanes);
  a.vectors = r->columns && r->in_stride[1] == 1 &&
      gp__row_addresses(r, q->in, r->in_stride, q->in_size, 1) %
              ((unsigned)gp__column_items((int)q->in_size, (int)q->acc_size) * q->in_size) ==
          0;
  a.together =
      gp__rows_are_dense(r, r->in_stride, r->extent[0]) + 2 * gp__rows_are_dense(r, r->out_stride, r->extent[0]);
  a.states = l->scratch;
  a.workspace = l->workspace;
  a.init = q->init;
  a.has_init = q->has_init;
  if (l->count == 1) return gp__launch_all(l, &a);
  a.windows = gp__row_windows(r->extent[r->columns], (int)q->in_size,
      r->in_stride[r->columns] == 1 &&
          gp__row_addresses(r, q->in, r->in_stride, q->in_size, r->columns) % GP__VECTOR != 0);
  lines = r->columns ? r->extent[0] * r->extent[2] * r->extent[3] : a.rows;
  GP__CHECK(gp__launch_step(l, 0, l->g->grid, l->g->threads, 0, &a));
  return gp__launch_step(
      l, 1, gp__grid_of_step(l, 1, 0, gp__ceil_div(lines * a.windows, (uint64_t)l->p->threads)), l->g->threads, 0, &a);
}
GP__HOST gp_result gp__host_axis(gp__host_call *h) {
  const gp__request *q = h->q;
  if (q->primitive == GP_ROW_MAP) { // its states are not converted to the output's type
    GP__CHECK(gp__host_take(h, q->acc_type, q->acc_size, q->transform, q->user_transform,
        gp__host_normalises(q->op, q->user_op, q->acc_type), "transform"));
    GP__CHECK(gp__host_take_operator(h, q->acc_type, q->acc_size));
  } else GP__CHECK(gp__host_take_fold(h, (q->flags & GP_EXCLUSIVE) != 0));
  return q->primitive == GP_SCAN_AXIS ? gp__host_scan_rows(h) : gp__host_rows(h);
}

// Threads that hold 64 elements and more are promised 128 registers, others 64.
GP__HOST unsigned gp__resident_rows(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  return gp__promise(q, w, (unsigned)p->blocks_per_sm,
      gp__rows_form(*p, h) != GP__ROWS_TILE && q->primitive != GP_SCAN_AXIS &&
              p->vectors * gp__vector_items(h->in_size) >= 64
          ? 512
          : 1024);
}
static const gp__kernel_rules gp__kernels_of_rows = {GP__SAME_KERNELS, gp__resident_rows, gp__spell_rows, GP__NO_FIT};
static const gp__family gp__family_rows = {gp__checks_rows, gp__rows_are_idle, gp__shape_rows, gp__kinds_of_rows,
    &gp__kernels_of_rows, gp__operators_of_rows, GP__LAUNCH(gp__launch_rows), gp__host_axis};
static const gp__primitive gp__primitive_reduce_axis = {
    &gp__family_rows, GP__READS_FOLD & ~GP__READS_COUNT_DEVICE, GP__TAKES_AXES, 0};
static const gp__primitive gp__primitive_row_map = {&gp__family_rows,
    (GP__READS_FOLD & ~(GP__READS_COUNT_DEVICE | GP__READS_INIT)) | GP__READS_APPLY, GP__TAKES_AXES | GP__IN_PLACE, 0};
static const gp__primitive gp__primitive_scan_axis = {
    &gp__family_rows, GP__READS_FOLD & ~GP__READS_COUNT_DEVICE, GP__TAKES_AXES | GP__IN_PLACE, GP_EXCLUSIVE};
