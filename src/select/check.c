// select/check.c - checking a call: predicates, parts, runs
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, select/host.c, core/names.c, find/kinds.c, core/primitive.c, core/check_types.c, core/checking.c,
//   core/check_operators.c, core/check_call_types.c, core/check_buffers.c, columns/check.c

GP__HOST int gp__is_predicated(gp_primitive p) {
  return (p >= GP_SELECT && p <= GP_ALL) || p == GP_FIND_IF || p == GP_IS_PARTITIONED || p == GP_PARTITION_POINT;
}
GP__HOST gp_result gp__check_predicate(const gp__checking *k, const char *field, gp_op op, const char *scalar,
    const void *value, const gp__op_info **user) {
  *user = NULL;
  if (op >= GP_EQUAL && op <= GP_GREATER_EQUAL)
    return value || !k->pointers ? GP_SUCCESS
        : gp__fail(GP_E_NULL, "%s: @%s is null, but @%s (%s) compares with it", k->who, scalar,
                                       field, gp__op_rows[op].name);
  if (op > 0 && op < GP_OP_COUNT)
    return gp__fail(GP_E_OPERATOR, "%s: @%s is %s, not a comparison or a user's unary operator", k->who, field,
        gp__op_rows[op].name);
  GP__CHECK(gp__check_operator(k->s, k->who, field, op, 1, k->host, user));
  return value ? gp__fail(GP_E_ARGUMENT, "%s: @%s is not null, but @%s (operator \"%s\") takes no scalar", k->who,
                     scalar, field, (*user)->name)
               : GP_SUCCESS;
}

GP__HOST gp_result gp__check_predicates(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  q->op = c->op;
  q->transform = c->predicate2;
  k->by_flags = !c->op && (c->keys || c->key_type); // select and partition: others read none
  k->by_stencil = c->op && (c->keys || c->key_type);
  if (k->by_flags) {
    if (c->predicate2)
      return gp__fail(GP_E_OPERATOR, "%s: @predicate2: a call with flags takes no second predicate", k->who);
    return c->scalar || c->scalar2 ? gp__fail(GP_E_ARGUMENT, "%s: @%s: a call with flags takes no scalar", k->who,
                                         c->scalar ? "scalar" : "scalar2")
                                   : GP_SUCCESS;
  }
  GP__CHECK(gp__check_predicate(k, "op", c->op, "scalar", c->scalar, &q->user_op));
  if (c->predicate2)
    return gp__check_predicate(k, "predicate2", c->predicate2, "scalar2", c->scalar2, &q->user_transform);
  return c->scalar2
      ? gp__fail(GP_E_ARGUMENT, "%s: @scalar2 is set, but there is no second predicate (@predicate2)", k->who)
      : GP_SUCCESS;
}
// Predicates test the elements, or the stencil in their place. Comparisons need a built-in type.
GP__HOST gp_result gp__check_predicate_type(gp__checking *k) {
  gp__request *q = k->q;
  const gp__checked_type *tested = k->by_stencil ? &k->key : &k->in;
  gp_type type;
  if (!gp__is_predicated(k->c->primitive)) return GP_SUCCESS;
  if (k->by_stencil) GP__CHECK(gp__check_keys_type(k, "key_type (of the stencil)"));
  type = k->by_stencil ? q->key_type : q->in_type;
  if (tested->info && q->op && !q->user_op) return gp__no_struct(k, "op", q->op);
  if (tested->info && q->transform && !q->user_transform) return gp__no_struct(k, "predicate2", q->transform);
  GP__CHECK(gp__check_operator_on(k->who, "op", q->op, type));
  return gp__check_operator_on(k->who, "predicate2", q->transform, type);
}
GP__HOST gp_result gp__check_predicate_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const size_t size = k->by_stencil ? q->key_size : q->in_size;
  if (c->init) memcpy(q->init.bytes, c->init, q->acc_size);
  if (c->scalar) memcpy(q->init.bytes, c->scalar, size);
  if (c->scalar2) memcpy(q->step.bytes, c->scalar2, size);
  return GP_SUCCESS;
}

GP__HOST gp_result gp__check_stream_operators(gp__checking *k) {
  return gp__is_predicated(k->c->primitive) ? gp__check_predicates(k) : gp__check_operators(k);
}
GP__HOST gp_result gp__stream_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  k->q->in_steps = k->c->primitive == GP_REDUCE_BY_KEY && (k->c->flags & GP_REPRODUCIBLE) && !gp__any_order(k->q);
  b->counts = (uint64_t)gp__parts_of(k->q);
  if (k->c->column_count) b->keys_alias = 0; // they are read again
  if (k->c->primitive == GP_NONTRIVIAL_RUNS) {
    b->out = b->out2 = b->out - b->out / 2;
    b->out2_wanted = 1;
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_parts(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  int i;
  if (c->primitive != GP_PARTITION) return gp__check_run_columns(k);
  GP__CHECK(gp__writing(k, "out2 (the second part)", c->out2, k->in.align, q->in_size, q->count, 1, 0));
  if (q->transform)
    GP__CHECK(gp__writing(k, "out3 (the third part)", c->out3, k->in.align, q->in_size, q->count, 1, 0));
  else if (c->out3)
    return gp__fail(GP_E_ARGUMENT, "%s: @out3 is set, but there is no second predicate (@predicate2)", k->who);
  // A part's output may be as small as the part: only its beginning is known.
  for (i = 0; i < k->written_count; ++i)
    if (q->count) k->written[i].bytes = q->in_size;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_stream[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_stream_operators},
    {GP__CHECK_KEY_TYPES, gp__check_predicate_type}, {GP__CHECK_BUFFERS, gp__stream_buffers},
    {GP__CHECK_OUTPUTS, gp__check_parts}, {GP__CHECK_VALUES, gp__check_predicate_values}};
