// map/names.c - template arguments of maps
// uses: api/lists.h, core/rules.h, core/text.c, map/kinds.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_map(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *in2 = gp__in2_name(q), *out = gp__out_name(q);
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  gp__add(t, ", ");
  gp__begin_described(q, t);
  if (q->described || q->described2) gp__add(t, "gp__stateless<");
  if (q->primitive == GP_FILL) gp__add(t, "gp__fill_value<%s>", out);
  else if (q->primitive == GP_IOTA) gp__add(t, "gp__iota_value<%s>", out);
  else if (q->user_op) gp__add(t, "%s", functor);
  else if (q->primitive == GP_TRANSFORM) gp__add(t, "%s<%s, %s>", functor, in, out);
  else if (q->primitive == GP_COPY) gp__add(t, "gp_convert<%s, %s>", in, out);
  else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in2, out);
  if (q->described || q->described2) gp__add(t, ">");
  gp__end_described(q, t);
  gp__add(t, ", %s, %s, %s", in, in2, out);
}
GP__HOST void gp__name_adjacent(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *out = gp__out_name(q);
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  gp__add(t, q->right ? ", true, " : ", false, ");
  if (q->user_op) gp__add(t, "%s", functor);
  else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in, out);
  gp__add(t, ", %s, %s", in, out);
}
GP__HOST void gp__operators_of_map(const gp__spelling *q, gp__program_op *ops) {
  gp__set_operator(ops, gp__in_name(q),
      q->primitive == GP_TRANSFORM2 ? gp__in2_name(q)
          : q->primitive == GP_ADJACENT_DIFFERENCE ? gp__in_name(q)
          : NULL,
      gp__out_name(q));
}
