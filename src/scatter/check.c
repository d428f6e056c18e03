// scatter/check.c - checking a call: scatters, gathers and replacements
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/request.c, scatter/kinds.c,
//   sort/kinds.c, core/primitive.c, core/check_types.c, core/checking.c, core/check_call_types.c, core/check_buffers.c,
//   select/check.c

GP__HOST gp_result gp__check_scatter_operators(gp__checking *k) {
  const gp_call *c = k->c;
  const int stencil = c->keys || c->key_type;
  k->q->transform = c->transform;
  if (c->transform)
    GP__CHECK(gp__check_operator(k->s, k->who, "transform", c->transform, 1, k->host, &k->q->user_transform));
  k->q->op = c->op;
  if (c->primitive == GP_REPLACE) return gp__check_predicate(k, "op", c->op, "scalar", c->scalar, &k->q->user_op);
  k->by_flags = stencil && !c->op;
  if (!stencil && c->op)
    return gp__fail(GP_E_OPERATOR, "%s: @op: the call has no stencil (@keys) that a predicate could decide of", k->who);
  if (c->scalar && !c->op)
    return gp__fail(GP_E_ARGUMENT, "%s: @scalar is set, but there is no predicate (@op)", k->who);
  return c->op ? gp__check_predicate(k, "op", c->op, "scalar", c->scalar, &k->q->user_op) : GP_SUCCESS;
}
// A transform alone changes the element's type. Indices are signed or unsigned.
GP__HOST gp_result gp__check_scatter_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_out_type(k));
  if (!c->transform && q->in_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: this call does not convert elements", k->who);
  if (c->transform && !q->user_transform && k->out.info) return gp__no_struct(k, "transform", c->transform);
  GP__CHECK(gp__check_operator_on(k->who, "transform", c->transform, q->out_type));
  if (c->primitive == GP_GATHER && q->inputs.in)
    return gp__fail(GP_E_TYPE, "%s: @in_type is GP_INPUT: this call takes described indices, not elements", k->who);
  if (!c->in2 && !c->in2_type && c->primitive != GP_GATHER) return GP_SUCCESS;
  GP__CHECK(gp__check_in2_type(k, "in2_type", c->in2_type));
  return k->in2.info || !gp__is_integer(q->in2_type) || k->in2.size < 4 || k->in2.size > 8
      ? gp__fail(GP_E_TYPE, "%s: @in2_type (of indices) is not i32, u32, i64 or u64", k->who)
      : GP_SUCCESS;
}
// A predicate reads a built-in type, or its operator is a user's.
GP__HOST gp_result gp__check_scatter_key_type(gp__checking *k) {
  const int replaces = k->c->primitive == GP_REPLACE;
  if (!replaces && !k->c->keys && !k->c->key_type) return GP_SUCCESS;
  if (!replaces) GP__CHECK(gp__check_keys_type(k, "key_type"));
  if ((replaces ? k->in.info : k->key.info) && !k->q->user_op) return gp__no_struct(k, "op", k->q->op);
  return gp__check_operator_on(k->who, "op", k->q->op, replaces ? k->q->in_type : k->q->key_type);
}
GP__HOST gp_result gp__check_scatter_numbers(gp__checking *k) {
  return k->c->n && !k->in2.size && k->c->primitive == GP_SCATTER
      ? gp__fail(GP_E_ARGUMENT, "%s: @n: without indices (@in2), @out has @count elements", k->who)
      : GP_SUCCESS;
}
// Without indices a thread reads what it writes, and nothing else of the output.
GP__HOST gp_result gp__scatter_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  if (k->c->primitive == GP_REPLACE) return GP_SUCCESS;
  b->in2_name = "in2 (indices)";
  b->keys_alias = k->key.size == k->out.size ? GP__ALIAS_OF_OUT : 0; // gather: likewise
  if (k->c->primitive == GP_GATHER) b->in = k->c->n;
  else if (k->in2.size) b->out = k->c->n, b->keys_alias = 0;
  else b->in_alias = k->in.size == k->out.size ? GP__ALIAS_OF_OUT : 0;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_scatter_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int replaces = c->primitive == GP_REPLACE;
  if (replaces && !c->value && k->pointers) return gp__fail(GP_E_NULL, "%s: @value is null", k->who);
  if (c->value) memcpy(q->init.bytes, c->value, q->out_size);
  if (c->scalar) memcpy(replaces ? q->step.bytes : q->init.bytes, c->scalar, replaces ? q->in_size : q->key_size);
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_scatter[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_scatter_operators},
    {GP__CHECK_OUT_TYPE, gp__check_scatter_out_type}, {GP__CHECK_KEY_TYPES, gp__check_scatter_key_type},
    {GP__CHECK_NUMBERS, gp__check_scatter_numbers}, {GP__CHECK_BUFFERS, gp__scatter_buffers},
    {GP__CHECK_VALUES, gp__check_scatter_values}};
