// top_k/names.c - template arguments of top-k
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, sort/cooperative_policy.h, core/text.c, core/request.c,
//   host/values.c, top_k/check.c, core/spelling.c, core/kernel_names.c, merge/names.c

GP__HOST void gp__name_ranked(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s, %s, %s", gp__key_name(q), gp__in_name(q), q->out_size ? gp__out_name(q) : "gp__none",
      q->descending ? "true" : "false");
  if (q->kind != GP__SELECT_COLLECT) gp__add(t, ", %s", q->index_bytes ? "true" : "false");
}
// A type as large as a value or an index.
GP__HOST gp_type gp__moved_as(const gp__request *q) {
  return q->out_size == 1 ? GP_U8
      : q->out_size == 2 ? GP_U16
      : q->out_size == 4 ? GP_U32
      : q->out_size == 8 ? GP_U64
      : q->out_type;
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
GP__HOST void gp__spell_top_k(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)h;
  if (q->out2_size) {
    if (w->kind != GP__TOP_K_VALUES) { // others find indices
      w->in_type = GP_TYPE_DEFAULT;
      w->out_type = q->out2_type;
      w->in_struct = w->out_struct = NULL;
      w->in_size = 0;
      w->out_size = (int)q->out2_size;
    }
  } else if (gp__is_cooperative(p->algorithm)) { // sorts pairs
    w->in_type = gp__moved_as(q);
    w->in_struct = q->out_struct;
    w->in_size = (int)q->out_size;
    return;
  }
  if (q->op) w->index_bytes = gp__order_index_bytes(q);
  else if (q->out_size && q->count > UINT32_MAX) w->index_bytes = 8; // ranks need it
  if (!q->composed) return;
  if (q->op) w->op = GP_OP_DEFAULT, w->user_op = NULL, w->descending = 0; // the sort has compared
  w->described = 0; // other calls have written the inputs
  w->list_count = 0;
}
