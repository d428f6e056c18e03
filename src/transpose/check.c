// transpose/check.c - checking a call: transposes
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/rules.h, core/shape.h, transpose/policy.h,
//   core/system.c, core/messages.c, core/struct_size.c, core/request.c, core/primitive.c, core/checking.c,
//   core/check_buffers.c

// Checks the strides of one side of a transpose (0: dense), and computes its span: elements from the first to the last.
GP__HOST gp_result gp__check_strides(const gp__checking *k, const char *name, int dimensions, const uint64_t *extent,
    const uint64_t *given, uint64_t *stride, uint64_t *span) {
  uint64_t least = 1;
  int d;
  *span = 1;
  for (d = dimensions - 1; d >= 0; --d) {
    stride[d] = given[d] ? given[d] : least;
    if (d == dimensions - 1 && stride[d] != 1)
      return gp__fail(GP_E_ARGUMENT, "%s: @permutation.%s[%d] is %llu, but the stride of the last dimension must be 1",
          k->who, name, d, (gp__u64)stride[d]);
    if (stride[d] < least)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @permutation.%s[%d] (a leading dimension) is %llu, below the %llu elements of one step", k->who, name, d,
          (gp__u64)stride[d], (gp__u64)least);
    if (extent[d] && stride[d] > UINT64_MAX / k->in.size / extent[d])
      return gp__fail(GP_E_SIZE,
          "%s: @permutation.%s[%d] times the extent overflows: %llu times %llu elements of %lu bytes", k->who, name, d,
          (gp__u64)stride[d], (gp__u64)extent[d], (unsigned long)k->in.size);
    least = stride[d] * extent[d];
    if (!extent[d]) *span = 0;
    else if (*span) *span += (extent[d] - 1) * stride[d];
  }
  return GP_SUCCESS;
}
// One dimension while dimensions are merged.
typedef struct gp__dimension {
  uint64_t extent, in, out; // strides in bytes
} gp__dimension;
// Drops dimensions of one element, and merges dimensions that are contiguous on both sides. d: in the output's order.
GP__HOST int gp__merge_dimensions(gp__dimension *d, int count) {
  int i, j, kept = 0;
  for (i = 0; i < count; ++i)
    if (d[i].extent != 1) d[kept++] = d[i];
  for (i = 0; i < kept;) { // is another dimension one step of dimension i?
    for (j = 0; j < kept; ++j)
      if (i != j && d[i].in == d[j].in * d[j].extent && d[i].out == d[j].out * d[j].extent) break;
    if (j == kept) {
      ++i;
      continue;
    }
    d[j].extent *= d[i].extent;
    for (j = i; j + 1 < kept; ++j) d[j] = d[j + 1];
    --kept;
    i = 0;
  }
  return kept;
}
GP__HOST void gp__swap_dimensions(gp__dimension *a, gp__dimension *b) {
  const gp__dimension c = *a;
  *a = *b;
  *b = c;
}
// Derives the moves from the merged dimensions.
GP__HOST void gp__find_moves(gp__moves *m, gp__dimension *d, int count) {
  uint64_t all = 16;
  int i, columns = -1, rows = -1;
  for (;;) { // short rows that stay whole and are contiguous on both sides become elements
    columns = rows = -1;
    for (i = 0; i < count; ++i) {
      if (d[i].in == (uint64_t)m->size) columns = i;
      if (d[i].out == (uint64_t)m->size) rows = i;
    }
    if (columns < 0 || columns != rows || count == 1 || d[columns].extent > 64 / (unsigned)m->size) break;
    const uint64_t bytes = d[columns].extent * (unsigned)m->size;
    int in = 0, out = 0;
    for (i = 0; i < count; ++i) in |= d[i].in == bytes, out |= d[i].out == bytes;
    if (!in || !out) break;
    m->size = (int)bytes;
    for (i = columns; i + 1 < count; ++i) d[i] = d[i + 1];
    --count;
  }
  if (columns < 0 || rows < 0) { // the last dimension has one element
    if (columns < 0) columns = count;
    if (rows < 0) rows = count;
    d[count].extent = 1, d[count].in = d[count].out = (unsigned)m->size;
    ++count;
  }
  while (count < 4) d[count].extent = 1, d[count].in = d[count].out = 0, ++count;
  if (columns != rows) {
    m->kind = GP__MOVE_TILES;
    gp__swap_dimensions(&d[0], &d[columns]);
    gp__swap_dimensions(&d[1], &d[rows == 0 ? columns : rows]);
  } else {
    m->kind = GP__MOVE_ROWS;
    gp__swap_dimensions(&d[0], &d[columns]);
    for (i = 2; i < 4; ++i)
      if (d[i].extent > d[1].extent) gp__swap_dimensions(&d[1], &d[i]);
    d[0].extent *= (unsigned)m->size; // bytes
    all |= d[0].extent;
  }
  if (d[3].extent == 1) gp__swap_dimensions(&d[2], &d[3]);
  for (i = 0; i < 4; ++i) {
    m->extent[i] = d[i].extent, m->in_stride[i] = d[i].in, m->out_stride[i] = d[i].out;
    if (i || m->kind == GP__MOVE_TILES) all |= d[i].extent > 1 ? d[i].in | d[i].out : 0;
  }
  m->word = (int)(all & (~all + 1));
}
GP__HOST gp_result gp__check_permutation(gp__checking *k) {
  const gp_permutation *p = k->c->permutation;
  gp__request *q = k->q;
  gp__moves *m = &q->moves;
  gp__dimension d[4];
  gp_permutation own;
  uint64_t extent[4], in_stride[4], out_stride[4];
  unsigned seen = 0;
  int i;
  if (!p) return gp__fail(GP_E_NULL, "%s: @permutation is null", k->who);
  GP__TAKE_STRUCT(k->who, "permutation", p, own, gp_permutation);
  if (p->dimensions < 1 || p->dimensions > 4)
    return gp__fail(GP_E_ARGUMENT, "%s: @permutation.dimensions is %d, not 1 to 4", k->who, p->dimensions);
  q->count = 1;
  for (i = 0; i < p->dimensions; ++i) {
    if (p->order[i] < 0 || p->order[i] >= p->dimensions || seen >> p->order[i] & 1)
      return gp__fail(GP_E_ARGUMENT, "%s: @permutation.order[%d] is %d: this is not a permutation of %d dimensions",
          k->who, i, p->order[i], p->dimensions);
    seen |= 1u << p->order[i];
    if (q->count && p->extent[i] > UINT64_MAX / k->in.size / q->count)
      return gp__fail(GP_E_SIZE,
          "%s: @permutation.extent[%d] is %llu: the product of the extents times %lu bytes overflows", k->who, i,
          (gp__u64)p->extent[i], (unsigned long)k->in.size);
    q->count *= p->extent[i];
    extent[i] = p->extent[p->order[i]];
  }
  if (k->c->count && k->c->count != q->count)
    return gp__fail(GP_E_ARGUMENT, "%s: @count is %llu, neither 0 nor the product of @permutation.extent (%llu)",
        k->who, (gp__u64)k->c->count, (gp__u64)q->count);
  GP__CHECK(gp__check_strides(k, "in_stride", p->dimensions, p->extent, p->in_stride, in_stride, &m->in_span));
  GP__CHECK(gp__check_strides(k, "out_stride", p->dimensions, extent, p->out_stride, out_stride, &m->out_span));
  for (i = 0; i < p->dimensions; ++i) {
    d[i].extent = extent[i];
    d[i].in = in_stride[p->order[i]] * k->in.size;
    d[i].out = out_stride[i] * k->in.size;
  }
  m->size = (int)k->in.size;
  m->word = gp__lowest_bit(m->size | GP__VECTOR);
  if (!q->count) return GP_SUCCESS;
  gp__find_moves(m, d, gp__merge_dimensions(d, p->dimensions));
  m->word = (int)gp__lowest_bit((int)((unsigned)m->word | (unsigned)((uintptr_t)k->c->in % 16) |
      (unsigned)((uintptr_t)k->c->out % 16) | (m->kind == GP__MOVE_ROWS ? 0u : (unsigned)m->size)));
  if (!k->c->in || k->c->in != k->c->out) return GP_SUCCESS;
  if (m->kind == GP__MOVE_ROWS) {
    for (i = 1; i < 4 && m->in_stride[i] == m->out_stride[i]; ++i) {}
    m->kind = GP__MOVE_NOTHING;
    return i == 4
        ? GP_SUCCESS
        : gp__fail(GP_E_OVERLAP,
              "%s: @in and @out are the same, but this permutation moves whole rows and cannot run in place", k->who);
  }
  if (m->in_stride[2] != m->out_stride[2] || m->in_stride[3] != m->out_stride[3] ||
      (m->extent[0] == m->extent[1] ? m->in_stride[1] != m->out_stride[0]
          : m->in_stride[1] != m->extent[0] * (unsigned)m->size ||
                  m->out_stride[0] != m->extent[1] * (unsigned)m->size))
    return gp__fail(GP_E_OVERLAP,
        "%s: @in and @out are the same: an in-place transpose needs square matrices with the same strides "
        "on both sides, or dense matrices",
        k->who);
  m->kind = m->extent[0] == m->extent[1] ? GP__MOVE_SQUARE : GP__MOVE_RECTANGLE;
  return GP_SUCCESS;
}

GP__HOST gp_result gp__transpose_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->in = k->q->moves.in_span;
  b->out = k->q->moves.out_span;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_transpose[GP__CHECKS] = {
    {GP__CHECK_NUMBERS, gp__check_permutation}, {GP__CHECK_BUFFERS, gp__transpose_buffers}};
