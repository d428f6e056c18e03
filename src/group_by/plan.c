// group_by/plan.c - plans of group-by
// uses: api/config.h, api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/system.c, core/request.c,
//   core/names.c, core/kinds.c, core/primitive.c, group_by/host.c, core/state.c, core/reads.c, group_by/check.c,
//   core/choose.c, group_by/launch.c

// Everything else is done by other calls.
GP__HOST int gp__kinds_of_groups(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  kinds[0] = GP__GROUP_TABLE;
  return gp__groups_in_tables(q);
}
GP__HOST gp_result gp__grouping_bytes(
    gp__state *s, const gp__request *q, const gp_policy *given, const gp__shape *h, uint64_t *bytes) {
  gp_policy p;
  gp_policy_source source;
  gp__grouping g;
  GP__CHECK(gp__choose(gp__primitive_names[q->primitive], given, h, &s->table, &p, &source));
  GP__CHECK(gp__grouping_of(s, q, (uint64_t)s->about.multiprocessors * (unsigned)p.blocks_per_sm, NULL, &g));
  return gp__room_of_steps(s, g.steps, g.count, g.held, bytes);
}
GP__HOST gp_result gp__calls_of_grouping(gp__state *s, const gp__request *q, gp__request *calls, int *count) {
  gp__grouping g;
  const gp_result result = gp__grouping_of(s, q, 1, NULL, &g);
  *count = g.count;
  memcpy(calls, g.steps, (size_t)g.count * sizeof *calls);
  return result;
}
static const gp__composition gp__group_by_calls = {gp__run_group_by, gp__grouping_bytes, gp__calls_of_grouping};

static const gp__family gp__family_group_by = {gp__checks_group_by, gp__is_never_idle, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_groups, GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__group_by_calls), gp__host_group_by};
static const gp__primitive gp__primitive_group_by = {&gp__family_group_by,
    GP__READS_FOLD | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COMPACTED, GP__IN_PLACE | GP__REPRODUCES, 0};
