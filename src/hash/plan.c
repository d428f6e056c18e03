// hash/plan.c - plans of calls with hash tables
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, core/request.c, host/values.c,
//   core/kinds.c, core/primitive.c, hash/host.c, core/reads.c, hash/check.c, core/spelling.c, graph/launch.c,
//   hash/launch.c

GP__HOST int gp__kinds_of_hash(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  int count = 0;
  (void)p;
  if (q->primitive == GP_JOIN || !gp__groups_by_sort(q)) kinds[count++] = GP__HASH_INSERT;
  if (q->primitive == GP_JOIN) {
    if (q->join <= GP_JOIN_LEFT) kinds[count++] = GP__JOIN_ENDS;
    kinds[count++] = GP__JOIN_PROBE;
    if (q->join != GP_JOIN_FLAGS) kinds[count++] = GP__JOIN_PAIRS;
    return count;
  }
  if (!gp__groups_by_sort(q)) kinds[count++] = GP__HASH_TAKE;
  kinds[count++] = GP__HASH_NUMBER;
  if (q->primitive == GP_DISTINCT) return count;
  kinds[count++] = GP__HASH_FOLD;
  kinds[count++] = GP__HASH_FINISH;
  return count;
}
// Kernels know keys as words, the largest that their size and alignment allow, but for bool.
GP__HOST void gp__spell_hash(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  int word = 8;
  (void)p, (void)h;
  while ((q->key_struct ? q->key_struct->align : q->key_size) % (unsigned)word || q->key_size % (unsigned)word)
    word /= 2;
  w->word = q->key_type == GP_BOOL ? 0 : word;
  w->size = (int)q->key_size / word;
  w->in_type = w->key_type = w->out_type = GP_TYPE_DEFAULT;
  w->in_struct = w->key_struct = NULL;
  w->in_size = w->key_size = w->out_size = 0;
  w->described = 0;
  w->list_count = 0;
}
GP__HOST unsigned gp__resident_hash(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)q, (void)p, (void)h, (void)w;
  return 0;
}
GP__CALLS_BY_PLAN(hash, gp__hash_plan_of);
static const gp__kernel_rules gp__kernels_of_hash = {GP__SAME_KERNELS, gp__resident_hash, gp__spell_hash, GP__NO_FIT};
static const gp__family gp__family_hash = {gp__checks_hash, gp__is_never_idle, GP__SHAPE_OF_ELEMENTS, gp__kinds_of_hash,
    &gp__kernels_of_hash, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__hash_calls), gp__host_hash};
static const gp__primitive gp__primitive_group_by_many = {
    &gp__family_hash, GP__READS_TABLE | GP__READS_OUT_KEYS | GP__READS_AGGREGATES | GP__READS_AGGREGATE_COUNT, 0, 0};
static const gp__primitive gp__primitive_distinct = {
    &gp__family_hash, GP__READS_TABLE | GP__READS_OUT_KEYS, 0, GP_UNSORTED};
static const gp__primitive gp__primitive_join = {&gp__family_hash,
    GP__READS_TABLE | GP__READS_KEYS2 | GP__READS_COUNT2 | GP__READS_OUT | GP__READS_OUT2 | GP__READS_OUT_TYPE |
        GP__READS_JOIN,
    0, 0};
