// map/check.c - checking a call: maps
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/request.c, map/kinds.c,
//   core/primitive.c, core/check_types.c, core/reads.c, core/checking.c, core/check_call_types.c, core/check_buffers.c

GP__HOST gp_result gp__check_map_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_out_type(k));
  if (c->primitive == GP_TRANSFORM2) return gp__check_in2_type(k, "in2_type", c->in2_type ? c->in2_type : c->in_type);
  if ((c->primitive == GP_COPY || c->primitive == GP_FILL || c->primitive == GP_IOTA) && c->in_type &&
      (q->inputs.in ? q->in_type : c->in_type) != q->out_type)
    return gp__fail(
        GP_E_TYPE, "%s: @in_type and @out_type differ: to convert, use gp_transform with GP_CONVERT", k->who);
  if (c->primitive == GP_IOTA && k->out.info)
    return gp__fail(GP_E_TYPE, "%s: @out_type is a struct type, not a built-in type", k->who);
  if (c->primitive == GP_IOTA) return gp__check_ramp_type(k->who, "out_type", q->out_type);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_map_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_types(k));
  if (!(k->reads & GP__READS_OP)) return GP_SUCCESS;
  if (!q->user_op && (k->in.info || k->in2.info || k->out.info)) return gp__no_struct(k, "op", q->op);
  GP__CHECK(gp__check_operator_on(k->who, "op", q->op, q->out_type));
  if (c->primitive == GP_ADJACENT_DIFFERENCE && (k->in.info || k->out.info) && q->in_type != q->out_type)
    return gp__fail(GP_E_TYPE,
        "%s: @in_type and @out_type differ: the call copies one element and cannot convert struct types", k->who);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__map_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  if (k->c->primitive != GP_TRANSFORM2) return GP_SUCCESS;
  b->in_name = "in (a)";
  b->in2_name = "in2 (b)";
  b->in2_alias = k->q->in2_size == k->q->out_size ? GP__ALIAS_OF_OUT : 0;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_map_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->primitive == GP_FILL && !c->value && k->pointers) return gp__fail(GP_E_NULL, "%s: @value is null", k->who);
  const void *first = c->primitive == GP_FILL ? c->value : c->start;
  if (first) memcpy(q->init.bytes, first, q->out_size);
  if (c->step) memcpy(q->step.bytes, c->step, q->out_size);
  else if (c->primitive == GP_IOTA) gp__one(q->out_type, &q->step);
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_map[GP__CHECKS] = {{GP__CHECK_TYPES, gp__check_map_types},
    {GP__CHECK_OUT_TYPE, gp__check_map_out_type}, {GP__CHECK_BUFFERS, gp__map_buffers},
    {GP__CHECK_VALUES, gp__check_map_values}};
