// core/check_operators.c - checking a call: its operators
// uses: api/lists.h, api/call.h, core/system.c, core/messages.c, core/request.c, core/names.c, core/check_types.c,
//   core/reads.c, core/checking.c

// Of the built-in binary operators, those that have a role of their own; NULL: for folds and maps.
GPUPRIMS__PRIVATE const char *gp__role_of(gp_op op) {
  return op == GP_ARGMIN || op == GP_ARGMAX         ? "reduce and scan"
         : op == GP_SUB                             ? "transform2 and adjacent_difference"
         : op >= GP_EQUAL && op <= GP_GREATER_EQUAL ? "predicates and runs"
         : op == GP_HEADS                           ? "runs"
                                                    : NULL;
}

GPUPRIMS__PRIVATE gp_result gp__check_predicate(const gp__checking *k, const char *field, gp_op op, const char *scalar,
                                                const void *value, const gp__op_info **user) {
  *user = NULL;
  if (op >= GP_EQUAL && op <= GP_GREATER_EQUAL)
    return value || !k->pointers ? GP_SUCCESS
                                 : gp__fail(GP_E_NULL, "%s: @%s (the scalar) is null: @%s: %s compares with it", k->who,
                                            scalar, field, gp__op_rows[op].name);
  if (op > 0 && op < GP_OP_COUNT)
    return gp__fail(GP_E_OPERATOR, "%s: @%s: %s is no predicate: a comparison is, or a user's unary operator", k->who,
                    field, gp__op_rows[op].name);
  GPUPRIMS__CHECK(gp__check_operator(k->s, k->who, field, op, 1, k->host, user));
  return value ? gp__fail(GP_E_ARGUMENT, "%s: @%s (the scalar) is not null, but @%s, operator \"%s\", takes none",
                          k->who, scalar, field, (*user)->name)
               : GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_operators(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *role;
  q->op = c->op;
  q->transform = c->transform;
  if (gp__is_predicated(c->primitive)) {
    k->by_flags = !c->op && (c->primitive == GP_SELECT || c->primitive == GP_PARTITION) && (c->keys || c->key_type);
    if (k->by_flags) {
      if (c->transform)
        return gp__fail(GP_E_OPERATOR, "%s: @transform (the second predicate): flags make two parts", k->who);
      return c->init || c->step
                 ? gp__fail(GP_E_ARGUMENT, "%s: @%s: flags are not compared", k->who, c->init ? "init" : "step")
                 : GP_SUCCESS;
    }
    if (c->keys || c->key_type)
      return gp__fail(c->keys ? GP_E_ARGUMENT : GP_E_TYPE, "%s: @%s: flags serve calls without a predicate (@op)",
                      k->who, c->keys ? "keys" : "key_type");
    GPUPRIMS__CHECK(gp__check_predicate(k, "op", c->op, "init", c->init, &q->user_op));
    if (c->transform) return gp__check_predicate(k, "transform", c->transform, "step", c->step, &q->user_transform);
    return c->step ? gp__fail(GP_E_ARGUMENT, "%s: @step: there is no second predicate (@transform)", k->who)
                   : GP_SUCCESS;
  }
  if (gp__is_bound(c->primitive)) {
    if (!c->op) q->op = GP_LESS;
    if (q->op == GP_LESS) return GP_SUCCESS;
    if (q->op > 0 && q->op < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR, "%s: @op: %s is no order: LESS is, or a user's binary operator", k->who,
                      gp__op_rows[q->op].name);
    return gp__check_operator(k->s, k->who, "op", q->op, 2, k->host, &q->user_op);
  }
  if (gp__is_ordered(c->primitive)) {
    if (!c->op) q->op = GP_LESS;
    if (q->op == GP_LESS || q->op == GP_GREATER) return GP_SUCCESS;
    if (q->op > 0 && q->op < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR, "%s: @op: %s is no order: LESS and GREATER are, or a user's binary operator",
                      k->who, gp__op_rows[q->op].name);
    return gp__check_operator(k->s, k->who, "op", q->op, 2, k->host, &q->user_op);
  }
  if (k->reads & GP__READS_OP) {
    GPUPRIMS__CHECK(
        gp__check_operator(k->s, k->who, "op", c->op, c->primitive == GP_TRANSFORM ? 1 : 2, k->host, &q->user_op));
    role = q->user_op ? NULL : gp__role_of(c->op);
    if (role && (c->op == GP_SUB ? k->fold : !k->fold || c->op > GP_SUB))
      return gp__fail(GP_E_OPERATOR, "%s: @op: %s serves %s only", k->who, gp__op_rows[c->op].name, role);
  }
  if (c->transform) {
    GPUPRIMS__CHECK(gp__check_operator(k->s, k->who, "transform", c->transform, 1, k->host, &q->user_transform));
    if (q->transform == GP_CONVERT) q->transform = GP_OP_DEFAULT; // what a load does anyway
  }
  if (k->reads & GP__READS_EQUAL) {
    q->equal = c->equal ? c->equal : (gp_op)GP_EQUAL;
    if (q->equal == GP_EQUAL || q->equal == GP_NOT_EQUAL || q->equal == GP_HEADS) return GP_SUCCESS;
    if (q->equal > 0 && q->equal < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR,
                      "%s: @equal: %s does not say what belongs to one run: EQUAL does, NOT_EQUAL, HEADS, or a user's "
                      "binary operator",
                      k->who, gp__op_rows[q->equal].name);
    return gp__check_operator(k->s, k->who, "equal", q->equal, 2, k->host, &q->user_equal);
  }
  return GP_SUCCESS;
}
