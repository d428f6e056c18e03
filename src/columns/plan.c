// columns/plan.c - plans of sorts of columns
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, core/request.c, columns/host.c,
//   core/kinds.c, core/primitive.c, columns/check.c, core/spelling.c, graph/launch.c, columns/launch.c, hash/plan.c

GP__HOST int gp__kinds_of_columns(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__GATHER_COLUMNS, 1;
}
// The kernel knows indices alone.
GP__HOST void gp__spell_columns(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)q, (void)p, (void)h;
  w->in_type = w->key_type = w->out_type = GP_TYPE_DEFAULT;
  w->in_size = w->key_size = w->out_size = w->descending = 0;
}
GP__CALLS_BY_PLAN(columns, gp__columns_plan_of);
static const gp__kernel_rules gp__kernels_of_columns = {
    GP__SAME_KERNELS, gp__resident_hash, gp__spell_columns, GP__NO_FIT};
static const gp__family gp__family_columns = {gp__checks_columns, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_columns, &gp__kernels_of_columns, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__columns_calls),
    gp__host_sort_columns};
static const gp__primitive gp__primitive_sort_columns = {&gp__family_columns,
    GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_KEYS | GP__READS_OUT | GP__READS_OUT_TYPE |
        GP__READS_COUNT_DEVICE | GP__READS_COLUMNS | GP__READS_COLUMN_COUNT | GP__READS_KEY_COLUMNS,
    0, GP_DESCENDING};
