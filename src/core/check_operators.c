// core/check_operators.c - checking a call: its operators
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/request.c, core/names.c,
//   core/check_types.c, core/reads.c, core/checking.c

// The calls that a built-in binary operator with a role of its own serves; NULL: folds and maps.
GP__HOST const char *gp__role_of(gp_op op) {
  return op >= GP_MINMAX && op < GP_OP_COUNT ? "reduce"
      : op == GP_ARGMIN || op == GP_ARGMAX ? "reduce and scan"
      : op == GP_SUB ? "transform2 and adjacent_difference"
      : op >= GP_EQUAL && op <= GP_GREATER_EQUAL ? "predicates and runs"
      : op == GP_HEADS ? "runs"
      : NULL;
}

GP__HOST gp_result gp__check_operators(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *role;
  q->op = c->op;
  q->transform = c->transform;
  if (k->reads & GP__READS_OP) {
    GP__CHECK(gp__check_operator(k->s, k->who, "op", c->op, k->traits & GP__TAKES_UNARY ? 1 : 2, k->host, &q->user_op));
    role = q->user_op ? NULL : gp__role_of(c->op);
    if (role &&
        (c->op == GP_SUB ? k->fold
                : c->op >= GP_MINMAX ? !(k->traits & GP__TAKES_BOTH)
                : !k->fold || c->op > GP_SUB))
      return gp__fail(GP_E_OPERATOR, "%s: @op: %s is for %s only", k->who, gp__op_rows[c->op].name, role);
  }
  if (c->transform) {
    GP__CHECK(gp__check_operator(k->s, k->who, "transform", c->transform, 1, k->host, &q->user_transform));
    if (q->transform == GP_CONVERT) q->transform = GP_OP_DEFAULT; // what a load does anyway
  }
  if (c->apply && (k->traits & GP__STORES)) {
    q->stored = c->apply;
    GP__CHECK(gp__check_operator(k->s, k->who, "apply", c->apply, 1, k->host, &q->user_stored));
  }
  if (k->reads & GP__READS_EQUAL) {
    q->equal = c->equal ? c->equal : (gp_op)GP_EQUAL;
    if (q->equal == GP_EQUAL || q->equal == GP_NOT_EQUAL || q->equal == GP_HEADS) return GP_SUCCESS;
    if (q->equal > 0 && q->equal < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR, "%s: @equal is %s, not EQUAL, NOT_EQUAL, HEADS or a user's binary operator",
          k->who, gp__op_rows[q->equal].name);
    return gp__check_operator(k->s, k->who, "equal", q->equal, 2, k->host, &q->user_equal);
  }
  return GP_SUCCESS;
}

// `op` is an order of keys: LESS or a user's, and with `both` GREATER.
GP__HOST gp_result gp__check_order_of(const gp__checking *k, int both) {
  gp__request *q = k->q;
  q->op = k->c->op ? k->c->op : (gp_op)GP_LESS;
  if (q->op == GP_LESS || (both && q->op == GP_GREATER)) return GP_SUCCESS;
  if (q->op > 0 && q->op < GP_OP_COUNT)
    return gp__fail(GP_E_OPERATOR, "%s: @op is %s, not %s or a user's binary operator", k->who, gp__op_rows[q->op].name,
        both ? "LESS, GREATER" : "LESS");
  return gp__check_operator(k->s, k->who, "op", q->op, 2, k->host, &q->user_op);
}
