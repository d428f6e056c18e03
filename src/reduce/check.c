// reduce/check.c - checking a call: reductions
// uses: api/lists.h, api/call.h, core/rules.h, core/request.c, host/values.c, core/primitive.c, core/checking.c,
//   core/check_operators.c, core/check_call_types.c, core/check_buffers.c, select/check.c

GP__HOST gp_result gp__check_reduce_operators(gp__checking *k) {
  return gp__is_predicated(k->c->primitive) ? gp__check_predicates(k) : gp__check_operators(k);
}
GP__HOST gp_result gp__check_reduce_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->primitive == GP_COUNT_IF || c->primitive == GP_CHECK_OFFSETS)
    q->out_type = q->acc_type = GP_U64, q->acc_size = 8;
  return gp__check_out_type(k);
}
GP__HOST gp_result gp__reduce_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  if (k->c->primitive == GP_CHECK_OFFSETS) b->begin_wanted = 1;
  b->out = 1;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_reduce[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_reduce_operators},
    {GP__CHECK_OUT_TYPE, gp__check_reduce_out_type}, {GP__CHECK_KEY_TYPES, gp__check_predicate_type},
    {GP__CHECK_BUFFERS, gp__reduce_buffers}, {GP__CHECK_VALUES, gp__check_predicate_values}};
