// expand/plan.c - plans of expansions
// uses: api/lists.h, api/policy.h, api/structs.h, core/words.h, core/rules.h, expand/arguments.h, core/request.c,
//   expand/host.c, core/kinds.c, core/primitive.c, core/reads.c, expand/check.c, core/spelling.c, core/launch.c,
//   segments/plan.c

GP__HOST int gp__expand_is_idle(const gp__request *q) {
  return q->primitive == GP_EXPAND && (!q->count || !q->segments);
}
GP__HOST int gp__kinds_of_expand(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  int count = 0;
  (void)p;
  if (q->primitive == GP_RUN_LENGTH_EXPAND) kinds[count++] = GP__EXPAND_OFFSETS;
  kinds[count++] = GP__EXPAND_VALUES;
  return count;
}
GP__HOST gp_result gp__launch_expand(const gp__launching *l) {
  const gp__request *q = l->q;
  const int by_lengths = q->primitive == GP_RUN_LENGTH_EXPAND;
  gp__expand_args a;
  memset(&a, 0, sizeof a);
  a.values = q->in;
  a.begin = by_lengths ? l->scratch : q->begin;
  a.lengths = q->begin;
  a.offsets = l->scratch;
  a.out = q->out;
  a.count = q->count;
  a.segments = q->segments;
  a.count_device = (const gp__u64 *)q->count_device;
  a.out_count = (gp__u64 *)q->out_count;
  a.bad = (const gp__u64 *)q->bad;
  a.workspace = l->workspace;
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_expand = {gp__checks_expand, gp__expand_is_idle, gp__shape_segments,
    gp__kinds_of_expand, &gp__kernels_of_policy, GP__FOLD_OPERATORS,
    GP__LAUNCH_AFTER(gp__launch_expand, gp__offsets_check), gp__host_expand};
static const gp__primitive gp__primitive_expand = {
    &gp__family_expand, GP__READS_MAP | GP__READS_OFFSETS | GP__READS_BAD, GP__KEEPS_TYPE, GP_CHECKED};
static const gp__primitive gp__primitive_run_length_expand = {
    &gp__family_expand, GP__READS_MAP | GP__READS_OFFSETS | GP__READS_OUT_COUNT, GP__KEEPS_TYPE, 0};
