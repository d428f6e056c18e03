// search/plan.c - plans of searches
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, search/arguments.h, core/request.c, search/host.c,
//   core/kinds.c, core/primitive.c, core/reads.c, search/check.c, search/names.c, core/launch.c

GP__HOST int gp__kinds_of_bound(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__BOUND, 1;
}
GP__HOST gp_result gp__launch_bound(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__search_args a;
  memset(&a, 0, sizeof a);
  a.sorted = q->keys;
  a.length = q->length;
  a.needles = q->in;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_bound = {gp__checks_bound, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_bound, GP__NO_KERNEL_RULES, gp__operators_of_bound, GP__LAUNCH(gp__launch_bound), gp__host_search};
static const gp__primitive gp__primitive_lower_bound = {&gp__family_bound, GP__READS_SORTED, GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_upper_bound = {&gp__family_bound, GP__READS_SORTED, GP__TAKES_INPUTS, 0};
