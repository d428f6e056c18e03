// search/check.c - checking a call: searches in sorted arrays
// uses: api/lists.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c, core/request.c,
//   core/primitive.c, core/check_types.c, core/checking.c, core/check_operators.c, core/check_call_types.c,
//   core/check_buffers.c

GP__HOST gp_result gp__check_bound_order(gp__checking *k) { return gp__check_order_of(k, 0); }
GP__HOST gp_result gp__check_position_type(gp__checking *k) { return gp__check_index_type(k, "out_type (index_type)"); }
GP__HOST gp_result gp__check_needles(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  q->key_type = q->in_type;
  k->key = k->in;
  if (c->key_type) GP__CHECK(gp__check_keys_type(k, "key_type"));
  if (q->key_type != q->in_type)
    return gp__fail(
        GP_E_TYPE, "%s: @in_type and @key_type differ: needles must have the type of the sorted array", k->who);
  if (k->in.info && !q->user_op) return gp__no_struct(k, "op", q->op);
  return q->user_op ? GP_SUCCESS : gp__check_operator_on(k->who, "op", q->op, q->in_type);
}
// Positions of type u32 must reach the array's length, or the number of segments.
GP__HOST gp_result gp__check_positions(gp__checking *k) {
  const gp_call *c = k->c;
  const char *who = k->who;
  if (k->q->out_size == 4 && (c->key_count | c->segments) > UINT32_MAX)
    return gp__fail(GP_E_SIZE, "%s: @%s is %llu, too large for u32 positions (@out_type): use u64", who,
        c->key_count ? "key_count" : "segments", (gp__u64)(c->key_count | c->segments));
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_bound_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  const char *who = k->who;
  if (c->key_count >> 63)
    return gp__fail(GP_E_SIZE, "%s: @key_count is %llu, not below 2^63", who, (gp__u64)c->key_count);
  return gp__check_positions(k);
}
GP__HOST gp_result gp__bound_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  return b->keys = k->c->key_count, GP_SUCCESS;
}
static const gp__own_check gp__checks_bound[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_bound_order},
    {GP__CHECK_OUT_TYPE, gp__check_position_type}, {GP__CHECK_KEY_TYPES, gp__check_needles},
    {GP__CHECK_NUMBERS, gp__check_bound_numbers}, {GP__CHECK_BUFFERS, gp__bound_buffers}};
