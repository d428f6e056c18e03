// search/names.c - template arguments of searches
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_bound(const gp__spelling *q, gp__text *t) {
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  gp__add(t, ", %s, %s, ", q->primitive == GP_UPPER_BOUND ? "true" : "false", gp__in_name(q));
  gp__add(t, q->user_op ? "%s, " : "%s<%s>, ", functor, gp__in_name(q));
  gp__add(t, "%s", gp__out_name(q));
  if (q->described) gp__add(t, ", "), gp__name_source(q, t);
}
GP__HOST void gp__operators_of_bound(const gp__spelling *q, gp__program_op *ops) {
  gp__set_operator(ops, gp__in_name(q), gp__in_name(q), "bool");
}
