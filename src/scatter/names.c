// scatter/names.c - template arguments of scatters and replacements
// uses: core/rules.h, core/text.c, core/names.c, scatter/kinds.c, sort/kinds.c, core/spelling.c, core/kernel_names.c,
//   select/names.c

GP__HOST void gp__name_scatter(const gp__spelling *q, gp__text *t) {
  const int described = q->described || q->described2;
  const char *in = gp__in_name(q), *out = gp__out_name(q);
  gp__add(t, q->primitive == GP_GATHER ? ", true, " : ", false, ");
  gp__begin_described(q, t);
  if (described) gp__add(t, "gp__stateless<");
  if (q->key_size && !q->op) gp__add(t, "gp__flag<%s>", gp__key_name(q));
  else gp__name_predicate(q->op, q->user_op, "gp__op_1", gp__key_name(q), t);
  if (described) gp__add(t, ">");
  gp__end_described(q, t);
  if (q->user_transform) gp__add(t, ", gp__op_2");
  else gp__add(t, ", %s<%s, %s>", q->transform ? gp__op_rows[q->transform].functor : "gp_convert", in, out);
  gp__add(t, ", %s, %s, %s, %s", in, gp__in2_name(q), gp__key_name(q), out);
}
GP__HOST void gp__name_replace(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q);
  gp__add(t, ", gp__replace_value<%s, ", in);
  gp__name_predicate(q->op, q->user_op, "gp__op_1", in, t);
  gp__add(t, ">, %s, gp__none, %s", in, in);
}
GP__HOST void gp__operators_of_scatter(const gp__spelling *q, gp__program_op *ops) {
  gp__set_operator(ops, q->primitive == GP_REPLACE ? gp__in_name(q) : gp__key_name(q), NULL, "bool");
  gp__set_operator(ops + 1, gp__in_name(q), NULL, gp__out_name(q));
}
