// reduce/names.c - template arguments of reductions
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c, select/names.c

GP__HOST void gp__name_reduction(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *out = gp__out_name(q), *offset = gp__offset_name(q);
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  gp__add(t, ", ");
  if (q->primitive == GP_REDUCE) {
    gp__name_fold(q, t);
  } else if (q->primitive == GP_CHECK_OFFSETS) {
    gp__add(t, "gp_min<%s>, gp__offset_fault<%s>, %s, %s, %s", out, offset, offset, out, out);
  } else {
    gp__add(t, "gp_sum<%s>, ", out);
    gp__begin_described(q, t);
    gp__add(t, "gp__counted<%s, ", in);
    gp__name_predicate(q->op, q->user_op, functor, in, t);
    gp__add(t, ">");
    gp__end_described(q, t);
    gp__add(t, ", %s, %s, %s", in, out, out);
  }
}
