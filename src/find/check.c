// find/check.c - checking a call: searches for the first element
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/request.c, host/values.c,
//   core/names.c, core/primitive.c, core/check_types.c, core/checking.c, core/check_call_types.c, core/check_buffers.c,
//   select/check.c, merge/check.c

// True if the result is one byte.
GP__HOST int gp__finds_truth(gp_primitive p) {
  return p == GP_ANY || p == GP_ALL || p == GP_EQUAL_ARRAYS || p == GP_IS_PARTITIONED;
}
// True if there are two arrays.
GP__HOST int gp__finds_difference(gp_primitive p) {
  return p == GP_MISMATCH || p == GP_EQUAL_ARRAYS || p == GP_LEXICOGRAPHIC;
}

// `op` is an equality of elements.
GP__HOST gp_result gp__check_equality(gp__checking *k) {
  gp__request *q = k->q;
  q->op = k->c->op ? k->c->op : (gp_op)GP_EQUAL;
  if (q->op == GP_EQUAL || q->op == GP_NOT_EQUAL) return GP_SUCCESS;
  if (q->op > 0 && q->op < GP_OP_COUNT)
    return gp__fail(GP_E_OPERATOR, "%s: @op is %s, not EQUAL, NOT_EQUAL or a user's binary operator", k->who,
        gp__op_rows[q->op].name);
  return gp__check_operator(k->s, k->who, "op", q->op, 2, k->host, &q->user_op);
}
GP__HOST gp_result gp__check_find_operators(gp__checking *k) {
  return gp__is_predicated(k->c->primitive) ? gp__check_predicates(k)
      : k->c->primitive == GP_IS_SORTED || k->c->primitive == GP_LEXICOGRAPHIC ? gp__check_order(k)
      : gp__check_equality(k);
}
GP__HOST gp_result gp__check_find_types(gp__checking *k) {
  return k->c->primitive == GP_IS_SORTED ? gp__check_ordered_types(k) : gp__check_types(k);
}
GP__HOST gp_result gp__check_find_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (gp__finds_truth(c->primitive)) {
    q->out_type = GP_U8;
    q->acc_type = GP_U32, q->acc_size = 4;
    if (c->out_type && c->out_type != GP_U8 && c->out_type != GP_BOOL)
      return gp__fail(GP_E_TYPE, "%s: @out_type is not u8 or bool: the result is one byte", k->who);
  } else if (c->primitive == GP_LEXICOGRAPHIC) q->out_type = q->acc_type = GP_I32, q->acc_size = 4;
  else q->out_type = q->acc_type = GP_U64, q->acc_size = 8;
  if (gp__finds_difference(c->primitive)) {
    GP__CHECK(gp__check_in2_type(k, "in2_type", c->in2_type ? c->in2_type : c->in_type));
    if (q->in2_type != q->in_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @in2_type differ: this call does not convert elements", k->who);
  }
  return gp__check_out_type(k);
}
// Comparisons need elements of a built-in type.
GP__HOST gp_result gp__check_find_type(gp__checking *k) {
  if (k->in.info && !k->q->user_op) return gp__no_struct(k, "op", k->q->op);
  return gp__check_operator_on(k->who, "op", k->q->op, k->q->in_type);
}
GP__HOST gp_result gp__find_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->out = 1;
  if (k->c->primitive == GP_LEXICOGRAPHIC) b->in2 = k->c->count2;
  b->in2_name = "in2 (the second array)";
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_find[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_find_operators},
    {GP__CHECK_TYPES, gp__check_find_types}, {GP__CHECK_OUT_TYPE, gp__check_find_out_type},
    {GP__CHECK_KEY_TYPES, gp__check_find_type}, {GP__CHECK_BUFFERS, gp__find_buffers},
    {GP__CHECK_VALUES, gp__check_predicate_values}};
