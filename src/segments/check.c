// segments/check.c - checking a call: segmented reductions, load balance
// uses: api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, search/kinds.c, segments/kinds.c, core/primitive.c, core/checking.c, core/check_call_types.c,
//   core/check_buffers.c, search/check.c

GP__HOST gp_result gp__check_segments_out_type(gp__checking *k) {
  return k->c->primitive == GP_LOAD_BALANCE ? gp__check_position_type(k) : gp__check_out_type(k);
}
// Segments of one length, if there are no offsets: sets the count.
GP__HOST gp_result gp__check_equal_segments(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  if (q->offset_size && c->segment_length)
    return gp__fail(GP_E_ARGUMENT, "%s: @segment_length is set, but the segments have offsets (@begin)", who);
  if (!q->offset_size) {
    if (c->segment_length && c->segments > UINT64_MAX / c->segment_length)
      return gp__fail(GP_E_SIZE, "%s: @segments times @segment_length overflows: %llu times %llu", who,
          (gp__u64)c->segments, (gp__u64)c->segment_length);
    q->count = c->segments * c->segment_length;
    if (c->count && c->count != q->count)
      return gp__fail(GP_E_ARGUMENT, "%s: @count is %llu, neither 0 nor @segments times @segment_length (%llu)", who,
          (gp__u64)c->count, (gp__u64)q->count);
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_segments_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  const char *who = k->who;
  if (c->primitive == GP_LOAD_BALANCE) GP__CHECK(gp__check_positions(k));
  if (c->primitive == GP_LOAD_BALANCE && !c->segments && c->count)
    return gp__fail(GP_E_ARGUMENT, "%s: @segments is 0, but @count is not", who);
  return c->primitive == GP_SEGMENTED_REDUCE ? gp__check_equal_segments(k) : GP_SUCCESS;
}
GP__HOST gp_result gp__segments_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  if (k->c->primitive == GP_LOAD_BALANCE) return GP_SUCCESS;
  b->begin_wanted = (k->c->flags & GP_CHECKED) || k->c->segments > 0;
  b->out = k->c->segments;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_segments[GP__CHECKS] = {{GP__CHECK_OUT_TYPE, gp__check_segments_out_type},
    {GP__CHECK_NUMBERS, gp__check_segments_numbers}, {GP__CHECK_BUFFERS, gp__segments_buffers}};
