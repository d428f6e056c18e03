// sort/plan.c - plans of sorts
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/shape.h, sort/radix_policy.h, sort/scratch.h,
//   core/request.c, sort/host.c, core/kinds.c, core/primitive.c, core/reads.c, sort/check.c, core/shape.c,
//   sort/shape.c, sort/names.c, core/launch.c, sort/launch.c, sort/counting_launch.c

// In the order of gp__launch_sweeps.
GP__HOST int gp__kinds_of_sweeps(const gp__request *q, gp__kernel_kind *kinds) {
  int count = 0;
  kinds[count++] = GP__RADIX_HISTOGRAM;
  kinds[count++] = q->count >> GP__RADIX_NARROW_LOG2 ? GP__RADIX_PASS_WIDE : GP__RADIX_PASS;
  if (q->in_size > GP__RADIX_VALUE_BYTES) {
    kinds[count++] = GP__GATHER;
    if (q->in == q->out) kinds[count++] = GP__COPY;
  }
  return count;
}
// In the order of gp__launch_hybrid.
GP__HOST int gp__kinds_of_hybrid(gp__kernel_kind *kinds) {
  kinds[0] = GP__HYBRID_COUNT;
  kinds[1] = GP__HYBRID_MOVE;
  kinds[2] = GP__HYBRID_SORT;
  kinds[3] = GP__HYBRID_REST;
  return 4;
}
// The sample, one sweep, hybrid, and the cooperative sort of sorts that take no sample.
GP__HOST int gp__kinds_of_adaptive(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  const gp__shape h = gp__shape_of(q);
  kinds[0] = GP__SORT_SAMPLE;
  kinds[1] = GP__RADIX_HISTOGRAM;
  kinds[2] = GP__RADIX_SWEEPS;
  kinds[7] = GP__SORT_ONE_LAUNCH;
  return 3 + gp__kinds_of_hybrid(kinds + 3) + !gp__adaptive_samples(*p, &h);
}
GP__HOST int gp__kinds_of_leading_sweep(gp__kernel_kind *kinds) {
  kinds[0] = GP__RADIX_HISTOGRAM;
  kinds[1] = GP__RADIX_PASS;
  kinds[2] = GP__LEADING_EDGES;
  kinds[3] = GP__LEADING_SORT;
  kinds[4] = GP__RADIX_SWEEPS;
  return 5;
}
GP__HOST int gp__kinds_of_counting(const gp__request *q, gp__kernel_kind *kinds) {
  int count = 0;
  kinds[count++] = GP__COUNT_KEYS;
  kinds[count++] = GP__COUNTING_FILL;
  if (q->key_size > 1) kinds[count++] = GP__COUNTING_RUNS;
  return count;
}

GP__HOST int gp__kinds_of_sort(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  switch (p->algorithm) {
  case GP_COUNTING: return gp__kinds_of_counting(q, kinds);
  case GP_HYBRID: return gp__kinds_of_hybrid(kinds);
  case GP_ADAPTIVE: return gp__kinds_of_adaptive(q, p, kinds);
  case GP_LEADING_SWEEP: return gp__kinds_of_leading_sweep(kinds);
  case GP_ONE_BLOCK: return kinds[0] = GP__SORT_ONE_BLOCK, 1;
  case GP_ONE_CLUSTER: return kinds[0] = GP__SORT_ONE_CLUSTER, 1;
  case GP_ONE_LAUNCH: return kinds[0] = GP__SORT_ONE_LAUNCH, 1;
  default: return gp__kinds_of_sweeps(q, kinds);
  }
}
GP__HOST gp_result gp__launch_sort(const gp__launching *l) {
  switch (l->p->algorithm) {
  case GP_COUNTING: return gp__launch_counting(l);
  case GP_HYBRID: return gp__launch_hybrid(l);
  case GP_ADAPTIVE: return gp__launch_adaptive(l);
  case GP_LEADING_SWEEP: return gp__launch_leading_sweep(l);
  case GP_ONE_BLOCK: return gp__launch_one_block_sort(l);
  case GP_ONE_CLUSTER:
  case GP_ONE_LAUNCH: return gp__launch_cooperative(l);
  default: return gp__launch_sweeps(l);
  }
}
GP__HOST void gp__shape_sort(const gp__request *q, gp__shape *h) {
  gp__shape_radix_keys(q, h);
  h->sorted.drop_keys = !q->in && q->in_size && !q->out_keys;
  h->in_place = !q->in || q->in == q->out; // without buffers: it may be in place
}
static const gp_policy gp__one_sweep = {GP_ONE_SWEEP, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}};

static const gp__kernel_rules gp__kernels_of_sort = {gp__policy_of_sort_kernel, gp__threads_of_sort_kernel,
    gp__block_of_sort_kernel, GP__NO_FORM, gp__resident_sorts, gp__spell_sort, GP__NO_FIT};
static const gp__family gp__family_sort = {gp__checks_sort, GP__IDLE_IF_EMPTY, gp__shape_sort, gp__kinds_of_sort,
    &gp__kernels_of_sort, gp__operators_of_sort, gp__launch_sort, &gp__one_sweep, NULL, NULL, NULL, gp__host_sort};
static const gp__primitive gp__primitive_sort = {&gp__family_sort,
    GP__READS_PAIRS | GP__READS_TRANSFORM | GP__READS_ACC_TYPE | GP__READS_FIELDS,
    GP__TAKES_BITS | GP__IN_PLACE | GP__KEYS_IN_PLACE, GP_DESCENDING | GP_LITTLE_MEMORY};
