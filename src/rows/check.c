// rows/check.c - checking a call: rows of strided arrays
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/system.c,
//   core/messages.c, core/struct_size.c, core/request.c, host/values.c, core/names.c, core/primitive.c,
//   core/check_types.c, core/checking.c, core/check_operators.c, core/check_call_types.c, core/check_buffers.c

// gp_call.apply: an operator on an element and a state.
GP__HOST gp_result gp__check_row_operators(gp__checking *k) {
  const gp_op apply = k->c->apply;
  gp__request *q = k->q;
  const char *role;
  GP__CHECK(gp__check_operators(k));
  if (k->c->primitive != GP_ROW_MAP) return GP_SUCCESS;
  if (q->op == GP_ARGMIN || q->op == GP_ARGMAX)
    return gp__fail(GP_E_OPERATOR, "%s: @op: %s is for reduce, scan, reduce_axis and scan_axis only", k->who,
        gp__op_rows[q->op].name);
  q->equal = apply;
  GP__CHECK(gp__check_operator(k->s, k->who, "apply", apply, 2, k->host, &q->user_equal));
  role = q->user_equal || apply == GP_SUB ? NULL : gp__role_of(apply);
  return role ? gp__fail(GP_E_OPERATOR, "%s: @apply: %s is for %s only", k->who, gp__op_rows[apply].name, role)
      : GP_SUCCESS;
}
// A map's accumulator is its state, whose type the output's has nothing to do with.
GP__HOST gp_result gp__check_state_type(gp__checking *k) {
  const gp_call *c = k->c;
  if (c->primitive != GP_ROW_MAP) return gp__check_out_type(k);
  k->q->out_type = c->acc_type ? c->acc_type : gp__is_small_float(c->in_type) ? (gp_type)GP_F32 : c->in_type;
  return gp__check_type(k->s, k->who, "acc_type", k->q->out_type, &k->out);
}
GP__HOST gp_result gp__check_row_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_types(k));
  if (c->primitive != GP_ROW_MAP) return GP_SUCCESS;
  q->out_type = c->out_type ? c->out_type : c->in_type;
  GP__CHECK(gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out));
  q->out_struct = k->out.info;
  q->out_size = k->out.size;
  if (q->user_equal) return GP_SUCCESS;
  if (q->in_struct || q->acc_struct || q->out_struct) return gp__no_struct(k, "apply", q->equal);
  return gp__check_operator_on(k->who, "apply", q->equal, q->out_type);
}

GP__HOST uint64_t gp__distance(int64_t stride) { return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride; }
// Bytes from an array's lowest address to its end, and from there to its element 0. size: of an element.
GP__HOST gp_result gp__check_reach_of(const gp__checking *k, const char *name, const gp__rows *r, const int64_t *stride,
    size_t size, gp__row_span *span) {
  int d, none = 0;
  span->bytes = size, span->before = 0;
  for (d = 0; d < 4; ++d) {
    const uint64_t step = gp__distance(stride[d]), last = r->extent[d] ? r->extent[d] - 1 : 0;
    if (last && step > (UINT64_MAX >> 3) / size / last)
      return gp__fail(GP_E_SIZE, "%s: @axes.%s: %llu elements of %lu bytes at a stride of %lld overflow", k->who, name,
          (gp__u64)r->extent[d], (unsigned long)size, (long long)stride[d]);
    span->bytes += last * step * size;
    if (stride[d] < 0) span->before += last * step * size;
    none |= !r->extent[d];
  }
  if (none) span->bytes = span->before = 0;
  return GP_SUCCESS;
}
// Each element of the output has a place of its own: from the smallest on, each stride exceeds the reach of those
// before.
GP__HOST gp_result gp__check_places(const gp__checking *k, const gp__rows *r, int from) {
  uint64_t reach = 0;
  unsigned seen = 0;
  for (;;) {
    int d, least = -1;
    for (d = from; d < 4; ++d)
      if (r->extent[d] > 1 && !(seen >> d & 1) &&
          (least < 0 || gp__distance(r->out_stride[d]) < gp__distance(r->out_stride[least])))
        least = d;
    if (least < 0) return GP_SUCCESS;
    if (gp__distance(r->out_stride[least]) <= reach)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @axes.out_stride: two elements of the output are at one place, or may be: a stride of %lld "
          "is within the %llu elements of dimensions of smaller strides",
          k->who, (long long)r->out_stride[least], (gp__u64)(reach + 1));
    seen |= 1u << least;
    reach += gp__distance(r->out_stride[least]) * (r->extent[least] - 1);
  }
}
GP__HOST void gp__swap_rows(gp__rows *r, int a, int b) {
  const uint64_t extent = r->extent[a];
  const int64_t in = r->in_stride[a], out = r->out_stride[a];
  r->extent[a] = r->extent[b], r->in_stride[a] = r->in_stride[b], r->out_stride[a] = r->out_stride[b];
  r->extent[b] = extent, r->in_stride[b] = in, r->out_stride[b] = out;
}
// Whether dimension a's elements are closer in memory than b's. Dimensions of one element and of stride 0 come last.
GP__HOST int gp__is_closer(const gp__rows *r, int a, int b) {
  const uint64_t x = r->extent[a] > 1 ? gp__distance(r->in_stride[a]) - 1 : UINT64_MAX;
  const uint64_t y = r->extent[b] > 1 ? gp__distance(r->in_stride[b]) - 1 : UINT64_MAX;
  return x < y || (x == y && r->extent[a] > 1 && r->extent[b] <= 1);
}
// The dimensions of rows: the closest first, those that continue each other merged.
GP__HOST void gp__order_rows(gp__rows *r) {
  int d, e;
  for (d = 1; d < 4; ++d)
    for (e = d + 1; e < 4; ++e)
      if (gp__is_closer(r, e, d)) gp__swap_rows(r, d, e);
  for (d = 1; d < 3;) {
    const int64_t n = (int64_t)r->extent[d];
    if (r->extent[d + 1] == 1 || r->in_stride[d + 1] != r->in_stride[d] * n ||
        r->out_stride[d + 1] != r->out_stride[d] * n) {
      ++d;
      continue;
    }
    r->extent[d] *= r->extent[d + 1];
    for (e = d + 1; e < 3; ++e)
      r->extent[e] = r->extent[e + 1], r->in_stride[e] = r->in_stride[e + 1], r->out_stride[e] = r->out_stride[e + 1];
    r->extent[3] = 1, r->in_stride[3] = r->out_stride[3] = 0;
  }
}
// Takes the axes. results: elements of a row of the output, GP__WHOLE_ROWS: as many as the input's has. out_size: bytes
// of one; span: of the output.
#define GP__WHOLE_ROWS UINT64_MAX
GP__HOST gp_result gp__take_axes(gp__checking *k, uint64_t results, size_t out_size, gp__row_span *span) {
  const gp_axes *a = k->c->axes;
  const int shortened = k->c->primitive == GP_REDUCE_AXIS; // the output has no such dimension
  gp__request *q = k->q;
  gp__rows *r = &q->rows;
  gp_axes own;
  uint64_t length;
  int d, to = 1;
  if (!a) return gp__fail(GP_E_NULL, "%s: @axes is null", k->who);
  GP__TAKE_STRUCT(k->who, "axes", a, own, gp_axes);
  if (a->dimensions < 1 || a->dimensions > 4)
    return gp__fail(GP_E_ARGUMENT, "%s: @axes.dimensions is %d, not 1 to 4", k->who, a->dimensions);
  if (a->axis < 0 || a->axis >= a->dimensions)
    return gp__fail(GP_E_ARGUMENT, "%s: @axes.axis is %d, not one of %d dimensions", k->who, a->axis, a->dimensions);
  for (d = 0; d < 4; ++d) r->extent[d] = 1, r->in_stride[d] = r->out_stride[d] = 0;
  q->segments = 1;
  for (d = 0; d < a->dimensions; ++d) {
    const int at = d == a->axis ? 0 : to++;
    r->extent[at] = a->extent[d];
    r->in_stride[at] = a->in_stride[d];
    r->out_stride[at] = at || !shortened ? a->out_stride[d] : 0;
  }
  if (!shortened && results != GP__WHOLE_ROWS && results > r->extent[0])
    return gp__fail(GP_E_ARGUMENT, "%s: @k is %llu, above the %llu elements of a row (@axes.extent)", k->who,
        (gp__u64)results, (gp__u64)r->extent[0]);
  for (d = 3; d >= 0; --d) { // the axis comes last
    if (q->segments && r->extent[d] > (UINT64_MAX >> 2) / q->segments)
      return gp__fail(GP_E_SIZE, "%s: @axes.extent: the product of the extents overflows", k->who);
    q->count = q->segments * r->extent[d];
    if (d) q->segments = q->count;
  }
  if (k->c->count && k->c->count != q->count)
    return gp__fail(GP_E_ARGUMENT, "%s: @count is %llu, neither 0 nor the product of @axes.extent (%llu)", k->who,
        (gp__u64)k->c->count, (gp__u64)q->count);
  GP__CHECK(gp__check_reach_of(k, "in_stride", r, r->in_stride, k->in.size, &r->in_span));
  length = r->extent[0];
  if (results != GP__WHOLE_ROWS) r->extent[0] = results; // a row has a result even if it has no elements
  GP__CHECK(gp__check_reach_of(k, "out_stride", r, r->out_stride, out_size, span));
  if (span->bytes) GP__CHECK(gp__check_places(k, r, shortened));
  r->extent[0] = length;
  r->same = 1;
  for (d = 0; d < 4; ++d)
    if (r->extent[d] > 1 && r->in_stride[d] != r->out_stride[d]) r->same = 0;
  if (q->segments) gp__order_rows(r);
  r->columns = r->extent[1] > 1 && r->extent[0] > 1 && r->in_stride[1] && gp__is_closer(r, 1, 0);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_axes(gp__checking *k) {
  return gp__take_axes(k, k->c->primitive == GP_REDUCE_AXIS ? 1 : GP__WHOLE_ROWS, k->q->out_size, &k->q->rows.out_span);
}
// The buffers' spans, from their lowest addresses.
GP__HOST const void *gp__lowest(const void *pointer, const gp__row_span *span) {
  return pointer ? (const gp__u8 *)pointer - span->before : NULL;
}
GP__HOST gp_result gp__row_buffers(gp__checking *k) {
  const gp__rows *r = &k->q->rows;
  const gp__checked_type bytes = {1, 1, NULL};
  const int in_place = k->c->primitive != GP_REDUCE_AXIS && r->same && k->q->in_size == k->q->out_size;
  k->buffers->in = k->buffers->out = 0; // alignment is all that is checked of them there
  return gp__reading(
      k, "in", gp__lowest(k->c->in, &r->in_span), &bytes, r->in_span.bytes, 1, in_place ? GP__ALIAS_OF_OUT : 0);
}
GP__HOST gp_result gp__row_outputs(gp__checking *k) {
  const gp__rows *r = &k->q->rows;
  return gp__writing(k, "out", gp__lowest(k->c->out, &r->out_span), 1, 1, r->out_span.bytes, 1, GP__ALIAS_OF_OUT);
}
static const gp__own_check gp__checks_rows[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_row_operators},
    {GP__CHECK_TYPES, gp__check_row_types}, {GP__CHECK_OUT_TYPE, gp__check_state_type},
    {GP__CHECK_NUMBERS, gp__check_axes}, {GP__CHECK_BUFFERS, gp__row_buffers}, {GP__CHECK_OUTPUTS, gp__row_outputs}};
