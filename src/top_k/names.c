// top_k/names.c - template arguments of top-k
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/text.c, core/request.c, top_k/check.c,
//   core/spelling.c, core/kernel_names.c, merge/names.c

GP__HOST void gp__name_ranked(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s, %s, %s", gp__key_name(q), gp__in_name(q), q->out_size ? gp__out_name(q) : "gp__none",
      q->descending ? "true" : "false");
  if (q->kind != GP__SELECT_COLLECT) gp__add(t, ", %s", q->index_bytes ? "true" : "false");
}
GP__HOST void gp__name_wide(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s", q->index_bytes == 8 ? "true" : "false");
}
// Key, In, Out, WIDE.
GP__HOST void gp__name_order_cut(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s, %s", gp__key_name(q), gp__in_name(q), q->out_size ? gp__out_name(q) : "gp__none");
  gp__name_wide(q, t);
}
GP__HOST void gp__name_by_order(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", ");
  gp__name_order(q, t);
  gp__name_order_cut(q, t);
}
GP__HOST void gp__spell_top_k(const gp__request *q, const gp_policy *p, const gp__shape *h, gp__spelling *w) {
  (void)p, (void)h;
  if (q->op) w->index_bytes = gp__order_index_bytes(q);
  else if (q->out_size && q->count > UINT32_MAX) w->index_bytes = 8; // ranks need it
  if (!q->composed) return;
  if (q->op) w->op = GP_OP_DEFAULT, w->user_op = NULL, w->descending = 0; // the sort has compared
  w->described = 0;                                                       // other calls have written the inputs
  w->list_count = 0;
}
