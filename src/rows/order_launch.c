// rows/order_launch.c - sorts and top-k along an axis: copies around a call on segments
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, api/init.h, core/rules.h, top_k/policy.h,
//   rows/arguments.h, core/system.c, core/request.c, host/values.c, core/names.c, transpose/kinds.c, core/kinds.c,
//   core/state.c, top_k/check.c, graph/launch.c, top_k/launch.c

// A strided array as rows of `length` elements: what a copy reads or writes. Rows without gaps, one behind the other,
// dimension 1 fastest, are those of a call on segments of one length.
GP__HOST int gp__rows_are_dense(const gp__rows *r, const int64_t *stride, uint64_t length) {
  uint64_t step = length;
  int d;
  if (length > 1 && stride[0] != 1) return 0;
  for (d = 1; d < 4; ++d) {
    if (r->extent[d] > 1 && stride[d] != (int64_t)step) return 0;
    step *= r->extent[d];
  }
  return 1;
}
GP__HOST void gp__dense_rows(const gp__rows *r, uint64_t length, int64_t *stride) {
  int d;
  stride[0] = 1;
  for (d = 1; d < 4; ++d) stride[d] = stride[d - 1] * (int64_t)(d == 1 ? length : r->extent[d - 1]);
}
// Lists dimensions by their strides, the largest first; 0 unless the smallest is 1 and each spans the next.
GP__HOST int gp__nested_strides(const uint64_t *extent, const int64_t *stride, int count, int *order) {
  int i, j;
  for (i = 0; i < count; ++i) {
    for (j = i; j > 0 && stride[order[j - 1]] < stride[i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  for (i = 0; i + 1 < count; ++i)
    if (stride[order[i]] <= 0 || (uint64_t)stride[order[i]] < (uint64_t)stride[order[i + 1]] * extent[order[i + 1]])
      return 0;
  return stride[order[count - 1]] == 1;
}
// The copy as a transpose; 0: its strides are none of a transpose's.
GP__HOST int gp__rows_as_permutation(
    const gp__rows *r, uint64_t length, const int64_t *in_stride, const int64_t *out_stride, gp_permutation *p) {
  uint64_t extent[5];
  int64_t in[5], out[5];
  int of_in[5], of_out[5], place[5], count = 0, has_in = 0, has_out = 0, d;
  for (d = 0; d < 4; ++d) {
    const uint64_t n = d ? r->extent[d] : length;
    if (n == 1) continue;
    extent[count] = n, in[count] = in_stride[d], out[count] = out_stride[d];
    has_in |= in[count] == 1, has_out |= out[count] == 1;
    ++count;
  }
  if (!has_in || !has_out) { // a last dimension of one element
    if (count == 4) return 0;
    extent[count] = 1, in[count] = out[count] = 1;
    ++count;
  }
  if (!gp__nested_strides(extent, in, count, of_in) || !gp__nested_strides(extent, out, count, of_out)) return 0;
  *p = gp_permutation_init();
  p->dimensions = count;
  for (d = 0; d < count; ++d) {
    place[of_in[d]] = d;
    p->extent[d] = extent[of_in[d]];
    p->in_stride[d] = (uint64_t)in[of_in[d]];
  }
  for (d = 0; d < count; ++d) {
    p->order[d] = place[of_out[d]];
    p->out_stride[d] = (uint64_t)out[of_out[d]];
  }
  return 1;
}
// Without buffers a call may want keys.
GP__HOST int gp__wants_row_keys(const gp__request *q) { return q->out_keys || !q->keys; }
// Whether the call copies its input, or its output; kernel: by a kernel of this family.
GP__HOST int gp__copies_rows(const gp__request *q, int in, int kernel) {
  const gp__rows *r = &q->rows;
  const uint64_t length = in ? r->extent[0] : q->length;
  const int cut = !in && q->composed; // the first k of sorted rows
  int64_t dense[4];
  gp_permutation p;
  if (!q->count || !q->length) return 0;
  if (!cut && gp__rows_are_dense(r, in ? r->in_stride : r->out_stride, length)) return 0;
  gp__dense_rows(r, cut ? r->extent[0] : length, dense);
  return !kernel || !gp__rows_as_permutation(r, length, in ? r->in_stride : dense, in ? dense : r->out_stride, &p);
}
GP__HOST gp_result gp__add_row_copy(gp__state *s, const gp__request *q, gp__graph_plan *g, int from_input,
    gp__kernel_kind kind, size_t size, const void *in, void *out) {
  const gp__rows *r = &q->rows;
  const uint64_t length = from_input ? r->extent[0] : q->length;
  gp_call c = gp_call_init(GP_TRANSPOSE);
  gp__graph_step *step;
  gp__rows_args *a;
  gp_permutation p;
  int64_t dense[4];
  int d;
  gp__dense_rows(r, q->composed ? r->extent[0] : length, dense);
  if (gp__rows_as_permutation(r, length, from_input ? r->in_stride : dense, from_input ? dense : r->out_stride, &p)) {
    c.in_type = c.out_type = kind == GP__COPY_KEYS && q->key_struct ? q->key_type : gp__bits_type(size);
    c.permutation = &p;
    c.in = in;
    c.out = out;
    return gp__add_call(s, gp__primitive_names[q->primitive], g, &c);
  }
  step = &g->steps[g->count++];
  step->request = -1;
  step->kind = kind;
  step->items = length * q->segments;
  a = &step->args.rows;
  memset(a, 0, sizeof *a);
  a->in = in;
  a->out = out;
  a->rows = q->segments;
  for (d = 0; d < 4; ++d) {
    a->extent[d] = d ? r->extent[d] : length;
    a->in_stride[d] = from_input ? r->in_stride[d] : dense[d];
    a->out_stride[d] = from_input ? dense[d] : r->out_stride[d];
  }
  return GP_SUCCESS;
}
// An operator ranks so many results that a merge sort does (top_k/launch.c).
GP__HOST int gp__ranks_many(const gp__request *q) {
  return q->op && q->length > gp__order_few((int)q->key_size, gp__order_index_bytes(q));
}
GP__HOST gp_result gp__row_order_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const int top = q->primitive == GP_TOP_K_AXIS && !q->composed;
  const int copies_in = gp__copies_rows(q, 1, 0), copies_out = gp__copies_rows(q, 0, 0);
  const uint64_t results = q->composed ? q->count : q->segments * q->length;
  gp_call c = gp_call_init(top ? GP_SEGMENTED_TOP_K : GP_SEGMENTED_SORT);
  void *keys = NULL;
  c.key_type = q->key_type;
  c.keys = q->keys;
  c.segments = q->segments;
  c.segment_length = q->rows.extent[0];
  c.flags = q->flags & (top ? GP_DESCENDING | GP_UNSORTED : GP_DESCENDING);
  c.out_keys = q->out_keys;
  c.out = q->out;
  c.out_type = q->out_size ? q->out_type : GP_TYPE_DEFAULT;
  c.op = q->op;
  if (top) c.k = q->length;
  gp__take(g, 1); // a plan holds something
  if (!q->count || !q->length) return GP_SUCCESS;
  if (copies_in) {
    c.keys = keys = gp__take(g, q->count * q->key_size);
    GP__CHECK(gp__add_row_copy(s, q, g, 1, GP__COPY_KEYS, q->key_size, q->keys, keys));
  }
  // Sorts always write keys: over those in the workspace, if there are any.
  if (top ? gp__wants_row_keys(q) && copies_out : !q->out_keys || copies_out)
    c.out_keys = copies_in && !top ? keys : gp__take(g, results * q->key_size);
  if (q->out_size && copies_out) c.out = gp__take(g, results * q->out_size);
  GP__CHECK(gp__add_call(s, gp__primitive_names[q->primitive], g, &c));
  g->requests[g->request_count - 1].in_segments = !top;
  if (gp__ranks_many(q)) { // its steps in place of the call
    const gp__request of_segments = g->requests[--g->request_count];
    --g->count;
    GP__CHECK(gp__add_ordered_top_k(s, &of_segments, g));
  }
  if (!copies_out) return GP_SUCCESS;
  if (gp__wants_row_keys(q))
    GP__CHECK(gp__add_row_copy(s, q, g, 0, GP__COPY_KEYS, q->key_size, c.out_keys, q->out_keys));
  return q->out_size ? gp__add_row_copy(s, q, g, 0, GP__COPY_INDICES, q->out_size, c.out, q->out) : GP_SUCCESS;
}
