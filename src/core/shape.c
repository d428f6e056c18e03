// core/shape.c - the shape of a call
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/graph_types.h, core/shape.h,
//   transpose/policy.h, core/system.c, core/request.c, layouts/host.c, core/names.c, core/kinds.c, core/check_types.c,
//   core/check_call_types.c, core/check_buffers.c, core/check.c

GPUPRIMS__PRIVATE void gp__shape_moves(const gp__request *q, gp__shape *h) {
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
  h->move = m->kind;
  h->word = m->word;
  h->rows = m->extent[1];
  h->columns = m->kind == GP__MOVE_ROWS ? m->extent[0] / (unsigned)m->word : m->extent[0];
  h->segments = m->extent[2] * m->extent[3];
  h->in_misaligned = (int)(in % GP__VECTOR);
  h->out_misaligned = m->kind == GP__MOVE_ROWS ? 0 : (int)(out % GP__VECTOR);
  if (m->kind == GP__MOVE_ROWS) return;
  h->form = (in % GP__VECTOR ? 0 : GP__FORM_IN_ALIGNED) | (out % GP__VECTOR ? 0 : GP__FORM_OUT_ALIGNED) |
            (in_start % GP__VECTOR ? 0 : GP__FORM_IN_START) |
            (m->in_stride[1] == m->extent[0] * size ? GP__FORM_IN_DENSE : 0) |
            (m->out_stride[0] == m->extent[1] * size ? GP__FORM_OUT_DENSE : 0);
  if ((h->form & GP__FORM_IN_DENSE) && (h->form & GP__FORM_OUT_DENSE) && m->extent[2] == 1 &&
      (m->extent[3] == 1 || (m->in_stride[3] == matrix && m->out_stride[3] == matrix)))
    h->form |= GP__FORM_STACKED | ((uintptr_t)q->in % GP__VECTOR ? 0 : GP__FORM_DENSE);
}
GPUPRIMS__PRIVATE gp__shape gp__shape_of(const gp__request *q) {
  const int family = gp__family_of(q->primitive);
  gp__shape h;
  memset(&h, 0, sizeof h);
  h.primitive = q->primitive;
  h.in_size = (int)q->in_size;
  h.acc_size = (int)q->acc_size;
  h.out_size = (int)q->out_size;
  h.in_misaligned = (int)((uintptr_t)q->in % GP__VECTOR);
  h.in_place = q->in && q->in == q->out;
  h.commutative = q->user_op ? q->user_op->commutative : q->op ? gp__op_rows[q->op].commutative : 0;
  h.exact = gp__any_order(q);
  h.count = q->count;
  switch (family) {
  case GP__FAMILY_STREAM:
    h.key_size = (int)q->key_size;
    if (!h.key_size && !q->offset_size) { // a predicate looks at the elements themselves
      h.key_size = h.in_size;
      h.in_size = 0;
    }
    h.in_misaligned |= (int)((uintptr_t)q->keys % GP__VECTOR);
    h.parts = q->primitive == GP_PARTITION ? (int)gp__parts_of(q) : 0;
    h.offset_size = (int)q->offset_size;
    h.segments = q->segments;
    break;
  case GP__FAMILY_SEGMENTS:
    h.offset_size = (int)q->offset_size;
    h.ranges = q->end != NULL;
    h.segments = q->segments;
    h.length = q->offset_size ? 0 : q->length;
    break;
  case GP__FAMILY_HISTOGRAM:
    h.in2_size = (int)q->in2_size;
    h.ranges = q->primitive == GP_HISTOGRAM_RANGES;
    h.channels = q->channels;
    h.active = q->active;
    h.bins = q->bins;
    break;
  case GP__FAMILY_SORT:
  case GP__FAMILY_MERGE:
  case GP__FAMILY_SEGMENTED_SORT:
  case GP__FAMILY_TOP_K:
    h.key_size = (int)q->key_size;
    if (q->key_struct && !h.acc_size) h.acc_size = h.key_size; // no keys that sort by themselves
    h.count2 = q->count2;
    h.begin_bit = q->begin_bit;
    h.end_bit = q->end_bit;
    h.offset_size = (int)q->offset_size;
    h.segments = q->segments;
    h.length = q->length;
    h.in_misaligned = (int)(((uintptr_t)q->keys | q->row_bytes) % GP__VECTOR);
    h.exact = 1;
    break;
  case GP__FAMILY_TRANSPOSE:
    gp__shape_moves(q, &h);
    break;
  case GP__FAMILY_GRAPH:
    h.key_size = (int)q->key_size;
    h.offset_size = (int)q->offset_size;
    h.count2 = q->graph.edges;
    h.rows = (q->graph.flags & GP_SYMMETRIC) || q->graph.in_offsets;
    h.acc_size = (int)q->acc_size;
    h.in_size = h.out_size = h.in_misaligned = h.in_place = 0;
    h.exact = 1;
    break;
  default:
    h.in2_size = (int)q->in2_size;
    if (family != GP__FAMILY_REDUCE) h.out_misaligned = (int)((uintptr_t)q->out % GP__VECTOR);
    if (family == GP__FAMILY_REDUCE && q->primitive != GP_REDUCE) h.commutative = h.exact = 1; // sums of 0 and 1
    if (q->primitive == GP_CONVERT_LAYOUT) {
      h.in_width = q->in_layout->width;
      h.out_width = q->out_layout->width;
      h.chunk = gp__layout_chunk(q);
      h.length = gp__layout_bytes(q->in_layout, q->count);
      h.in_place = q->in == q->out && !q->in_layout->columns && !q->out_layout->columns; // without buffers: may be
    }
    if (q->primitive == GP_IS_SORTED) {
      h.in_size = (int)q->key_size;
      h.in_misaligned = (int)((uintptr_t)q->keys % GP__VECTOR);
    }
    if (q->primitive == GP_CHECK_OFFSETS) {
      h.in_size = (int)q->offset_size;
      h.in_misaligned = (int)((uintptr_t)q->begin % GP__VECTOR);
      h.count = q->segments + 1;
    }
  }
  if (family == GP__FAMILY_STREAM && !q->acc_size) h.exact = 1; // nothing is folded
  if (family == GP__FAMILY_HISTOGRAM) h.exact = gp__is_integer(q->out_type);
  if (family == GP__FAMILY_SORT) {
    h.drop_keys = !q->in && q->in_size && !q->out_keys;
    h.in_place = !q->in || q->in == q->out; // without buffers: it may be
  }
  if (q->primitive == GP_TOP_K) h.drop_keys = q->out && !q->out_keys && q->length > 1 && !(q->flags & GP_UNSORTED);
  h.reproducible = (q->flags & GP_REPRODUCIBLE) && !h.exact && q->primitive != GP_BFS;
  return h;
}
GPUPRIMS__PRIVATE void gp__shape_on(gp__shape *h, const gp_description *a) {
  h->compute_capability = a->compute_capability;
  h->multiprocessors = a->multiprocessors;
  h->shared_bytes = a->shared_bytes_per_block;
}
