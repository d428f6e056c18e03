// merge/plan.c - plans of merges, merge sort and sets
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, merge/policy.h, core/request.c, merge/host.c,
//   sets/host.c, scan/kinds.c, merge/kinds.c, core/kinds.c, core/primitive.c, core/reads.c, merge/check.c,
//   core/shape.c, core/spelling.c, merge/names.c, merge/launch.c

GP__HOST int gp__kinds_of_merge(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  const int sets = gp__is_set(q->primitive), served = p->algorithm == GP_PIPELINED;
  int count = 0;
  if (q->primitive != GP_MERGE && !served) kinds[count++] = sets ? GP__SET_BORDERS : GP__MERGE_SORT_TILES;
  if (p->algorithm == GP_FOUR_WAY_PASSES) kinds[count++] = GP__MERGE_FOUR_BORDERS;
  kinds[count++] = served ? GP__SET_PIPELINED
      : sets ? GP__SET_OPERATION
      : p->algorithm == GP_FOUR_WAY_PASSES ? GP__MERGE_FOUR
      : GP__MERGE;
  return count;
}
GP__HOST int gp__merge_is_idle(const gp__request *q) { return !q->count && !q->count2 && !q->out_count; }
GP__HOST gp_result gp__host_merges(gp__host_call *h) {
  return h->q->primitive == GP_MERGE ? gp__host_merge(h)
      : h->q->primitive == GP_MERGE_SORT ? gp__host_merge_sort(h)
      : gp__host_set(h);
}

static const gp__kernel_rules gp__kernels_of_merge = {GP__SAME_POLICY, GP__SAME_THREADS, gp__block_of_merge_kernel,
    GP__NO_FORM, gp__resident_blocks, GP__SPELL_NO_MORE, GP__NO_FIT};
static const gp__family gp__family_merge = {gp__checks_merge, gp__merge_is_idle, gp__shape_keys, gp__kinds_of_merge,
    &gp__kernels_of_merge, gp__operators_of_order, GP__LAUNCH(gp__launch_merge), gp__host_merges};
static const gp__primitive gp__primitive_merge_sort = {&gp__family_merge, GP__READS_PAIRS | GP__READS_OP,
    GP__IN_PLACE | GP__KEYS_IN_PLACE | GP__WANTS_KEYS, GP_DESCENDING | GP_LITTLE_MEMORY};
static const gp__primitive gp__primitive_merge = {&gp__family_merge, GP__READS_TWO_SORTED, GP__WANTS_KEYS, 0};
static const gp__primitive gp__primitive_set_union = {
    &gp__family_merge, GP__READS_TWO_SORTED | GP__READS_OUT_COUNT, GP__WANTS_KEYS, 0};
static const gp__primitive gp__primitive_set_intersection = {
    &gp__family_merge, GP__READS_TWO_SORTED | GP__READS_OUT_COUNT, GP__WANTS_KEYS, 0};
static const gp__primitive gp__primitive_set_difference = {
    &gp__family_merge, GP__READS_TWO_SORTED | GP__READS_OUT_COUNT, GP__WANTS_KEYS, 0};
static const gp__primitive gp__primitive_set_symmetric_difference = {
    &gp__family_merge, GP__READS_TWO_SORTED | GP__READS_OUT_COUNT, GP__WANTS_KEYS, 0};
