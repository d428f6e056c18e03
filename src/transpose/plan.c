// transpose/plan.c - plans of transposes
// uses: api/config.h, api/lists.h, api/policy.h, core/rules.h, core/shape.h, transpose/policy.h,
//   transpose/panels_policy.h, core/request.c, transpose/host.c, core/kinds.c, core/primitive.c, core/reads.c,
//   transpose/check.c, core/shape.c, transpose/names.c, transpose/launch.c

GP__HOST void gp__shape_moves(const gp__request *q, gp__shape *h) {
  const gp__moves *m = &q->moves;
  const uint64_t in_start =
      (uintptr_t)q->in | (m->extent[2] > 1 ? m->in_stride[2] : 0) | (m->extent[3] > 1 ? m->in_stride[3] : 0);
  const uint64_t out_start =
      (uintptr_t)q->out | (m->extent[2] > 1 ? m->out_stride[2] : 0) | (m->extent[3] > 1 ? m->out_stride[3] : 0);
  const uint64_t in = in_start | m->in_stride[1], out = out_start | m->out_stride[0];
  const uint64_t size = (unsigned)m->size, matrix = m->extent[0] * m->extent[1] * size;
  h->key_size = m->size;
  h->in_size = 0;
  h->out_size = 0;
  h->count = q->count * q->in_size / size;
  h->exact = 1;
  h->moved.kind = m->kind;
  h->moved.word = m->word;
  h->moved.rows = m->extent[1];
  h->moved.columns = m->kind == GP__MOVE_ROWS ? m->extent[0] / (unsigned)m->word : m->extent[0];
  h->segments = m->extent[2] * m->extent[3];
  h->in_misaligned = (int)(in % GP__VECTOR);
  h->out_misaligned = m->kind == GP__MOVE_ROWS ? 0 : (int)(out % GP__VECTOR);
  if (m->kind == GP__MOVE_ROWS) return;
  h->moved.form = (in % GP__VECTOR ? 0 : GP__FORM_IN_ALIGNED) | (out % GP__VECTOR ? 0 : GP__FORM_OUT_ALIGNED) |
      (in_start % GP__VECTOR ? 0 : GP__FORM_IN_START) |
      (m->in_stride[1] == m->extent[0] * size ? GP__FORM_IN_DENSE : 0) |
      (m->out_stride[0] == m->extent[1] * size ? GP__FORM_OUT_DENSE : 0);
  if ((h->moved.form & GP__FORM_IN_DENSE) && (h->moved.form & GP__FORM_OUT_DENSE) && m->extent[2] == 1 &&
      (m->extent[3] == 1 || (m->in_stride[3] == matrix && m->out_stride[3] == matrix)))
    h->moved.form |= GP__FORM_STACKED | ((uintptr_t)q->in % GP__VECTOR ? 0 : GP__FORM_DENSE);
}
GP__HOST int gp__kinds_of_transpose(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  const gp__shape h = gp__shape_of(q);
  const gp__panels_plan panels = gp__panels_plan_of(*p, &h);
  const int move = gp__tiled(*p, h).moved.kind;
  if (p->algorithm == GP_BUFFERED_PANELS) {
    kinds[0] = GP__TRANSPOSE_BUFFERED;
    kinds[1] = GP__TRANSPOSE_SAVE;
    return 2;
  }
  if (p->algorithm == GP_ROUND_TRIP) {
    kinds[0] = GP__TRANSPOSE;
    kinds[1] = GP__COPY;
    return 2;
  }
  if (panels.items) { // in the order of gp__launch_panels
    kinds[0] = panels.whole ? GP__TRANSPOSE : GP__TRANSPOSE_PANELS;
    kinds[1] = GP__TRANSPOSE_CHUNKS;
    kinds[2] = GP__TRANSPOSE_SAVE;
    return 3;
  }
  if (move == GP__MOVE_RECTANGLE) { // in the order of gp__launch_rectangle
    kinds[0] = GP__TRANSPOSE_COLUMNS;
    kinds[1] = GP__TRANSPOSE_WITHIN;
    return 2;
  }
  kinds[0] = move == GP__MOVE_TILES ? GP__TRANSPOSE
      : move == GP__MOVE_SQUARE ? GP__TRANSPOSE_SQUARE
      : GP__TRANSPOSE_ROWS;
  return 1;
}

GP__HOST int gp__transpose_is_idle(const gp__request *q) { return !q->count || q->moves.kind == GP__MOVE_NOTHING; }
GP__HOST int gp__fit_transpose(const gp_policy *p, int occupancy) {
  (void)p;
  return occupancy;
}

static const gp__kernel_rules gp__kernels_of_transpose = {gp__policy_of_transpose_kernel,
    gp__threads_of_transpose_kernel, gp__block_of_transpose_kernel, gp__transpose_form, gp__resident_transposes,
    GP__SPELL_NO_MORE, gp__fit_transpose};
static const gp__family gp__family_transpose = {gp__checks_transpose, gp__transpose_is_idle, gp__shape_moves,
    gp__kinds_of_transpose, &gp__kernels_of_transpose, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_transpose),
    gp__host_transpose};
static const gp__primitive gp__primitive_transpose = {&gp__family_transpose, GP__READS_MAP & ~GP__READS_COUNT_DEVICE,
    GP__TAKES_PERMUTATION | GP__KEEPS_TYPE | GP__IN_PLACE, 0};
