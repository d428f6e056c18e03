// rows/names.c - template arguments of kernels on rows
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, rows/policy.h, core/text.c,
//   core/request.c, host/values.c, core/names.c, core/kinds_of.c, core/spelling.c, core/kernel_names.c

// The first launch of a map writes accumulators.
GP__HOST void gp__name_row_fold(const gp__spelling *q, gp__text *t) {
  const char *open = q->is_arg ? "gp_arg<" : "", *close = q->is_arg ? ">" : "";
  gp__add(t, q->primitive == GP_ROW_MAP ? "true, " : "false, ");
  gp__name_operands(q, 0, t);
  gp__add(t, ", %s%s%s", open,
      q->primitive == GP_ROW_MAP ? gp__device_type(q->acc_type, q->acc_struct) : gp__out_name(q), close);
}
GP__HOST void gp__name_rows(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, ", q->form);
  gp__name_row_fold(q, t);
}
GP__HOST void gp__name_columns(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", ");
  gp__name_row_fold(q, t);
}
// Writes Map, Out.
GP__HOST void gp__name_apply(const gp__spelling *q, gp__text *t) {
  const char *out = gp__out_name(q);
  if (q->user_equal) gp__add(t, ", gp__op_3, %s", out);
  else
    gp__add(t, ", gp__binary<%s<%s>, %s, %s, %s>, %s", gp__op_rows[q->equal].functor, out, gp__in_name(q),
        gp__device_type(q->acc_type, q->acc_struct), out, out);
}
GP__HOST void gp__name_row_map(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, ", q->form);
  gp__name_operands(q, 0, t);
  gp__name_apply(q, t);
}
GP__HOST void gp__name_row_apply(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s, %s", q->form == GP__ROWS_COLUMNS ? "true" : "false", gp__in_name(q),
      gp__device_type(q->acc_type, q->acc_struct));
  gp__name_apply(q, t);
}
GP__HOST void gp__name_scanned_columns(const gp__spelling *q, gp__text *t) {
  gp__add(t, q->exclusive ? ", true, " : ", false, ");
  gp__name_fold_of(q, 0, t);
}
GP__HOST void gp__name_scanned_rows(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d", q->form);
  gp__name_scanned_columns(q, t);
}
GP__HOST void gp__name_copied_rows(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s", gp__device_type(gp__bits_type((size_t)q->size), q->key_struct));
}
GP__HOST void gp__operators_of_rows(const gp__spelling *q, gp__program_op *ops) {
  if (q->primitive != GP_ROW_MAP) return;
  gp__set_operator(&ops[2], gp__in_name(q), gp__device_type(q->acc_type, q->acc_struct), gp__out_name(q));
}
GP__HOST void gp__spell_rows(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  w->exclusive = (q->flags & GP_EXCLUSIVE) != 0;
  w->form = gp__rows_form(*p, h);
}
