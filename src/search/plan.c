// search/plan.c - plans of searches
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, search/arguments.h, core/request.c,
//   search/host.c, core/kinds.c, core/primitive.c, core/reads.c, search/check.c, search/names.c, core/launch.c

GP__HOST int gp__kinds_of_bound(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  const int sampled = p->algorithm == GP_TWO_PHASE;
  (void)q;
  kinds[0] = GP__BOUND_SAMPLE;
  return kinds[sampled] = GP__BOUND, 1 + sampled;
}
GP__HOST void gp__shape_bound(const gp__request *q, gp__shape *h) { h->segments = q->length; }
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
  a.sample = l->scratch;
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_bound = {gp__checks_bound, GP__IDLE_IF_EMPTY, gp__shape_bound, gp__kinds_of_bound,
    GP__NO_KERNEL_RULES, gp__operators_of_bound, GP__LAUNCH(gp__launch_bound), gp__host_search};
static const gp__primitive gp__primitive_lower_bound = {&gp__family_bound, GP__READS_SORTED, GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_upper_bound = {&gp__family_bound, GP__READS_SORTED, GP__TAKES_INPUTS, 0};
