// rows/order_plan.c - plans of sorts and top-k along an axis
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, core/request.c, rows/order_host.c,
//   core/kinds.c, core/primitive.c, core/reads.c, top_k/check.c, rows/order_check.c, core/spelling.c, graph/launch.c,
//   rows/order_launch.c, hash/plan.c

GP__HOST int gp__row_order_is_idle(const gp__request *q) { return !q->count || !q->length; }
GP__HOST int gp__kinds_of_row_order(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  int count = 0;
  (void)p;
  if (gp__copies_rows(q, 1, 1) || (gp__wants_row_keys(q) && gp__copies_rows(q, 0, 1))) kinds[count++] = GP__COPY_KEYS;
  if (q->out_size && gp__copies_rows(q, 0, 1)) kinds[count++] = GP__COPY_INDICES;
  if (gp__ranks_many(q)) kinds[count++] = GP__TOP_K_ORDER_CUT, kinds[count++] = GP__TOP_K_PLACES;
  return count;
}
GP__CALLS_BY_PLAN(row_order, gp__row_order_plan_of);
// Built-in elements move as words of their size. No kernel compares.
GP__HOST void gp__spell_row_order(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)p, (void)h;
  w->op = GP_OP_DEFAULT, w->in_type = GP_TYPE_DEFAULT;
  w->user_op = NULL, w->in_struct = NULL;
  w->in_size = w->descending = 0;
  w->index_bytes = gp__order_index_bytes(q);
  w->size = (int)(w->kind == GP__COPY_KEYS ? q->key_size : w->kind == GP__COPY_INDICES ? q->out_size : 0);
  if (!w->size) return;
  w->key_type = w->out_type = GP_TYPE_DEFAULT;
  if (w->kind != GP__COPY_KEYS) w->key_struct = NULL;
  w->key_size = w->out_size = w->index_bytes = 0;
}
static const gp__kernel_rules gp__kernels_of_row_order = {
    GP__SAME_KERNELS, gp__resident_hash, gp__spell_row_order, GP__NO_FIT};
static const gp__family gp__family_row_order = {gp__checks_row_order, gp__row_order_is_idle, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_row_order, &gp__kernels_of_row_order, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__row_order_calls),
    gp__host_order_rows};
static const gp__primitive gp__primitive_sort_axis = {&gp__family_row_order,
    GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_TYPE | GP__READS_OUT | GP__READS_OUT_KEYS,
    GP__TAKES_AXES | GP__KEYS_IN_PLACE, GP_DESCENDING};
static const gp__primitive gp__primitive_top_k_axis = {&gp__family_row_order,
    GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_TYPE | GP__READS_OUT | GP__READS_OUT_KEYS | GP__READS_OP |
        GP__READS_K,
    GP__TAKES_AXES, GP_DESCENDING | GP_UNSORTED};
