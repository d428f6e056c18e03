// scan/plan.c - plans of scans
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, scan/arguments.h, core/system.c, core/request.c,
//   host/exact.c, host/canonical.c, scan/kinds.c, core/kinds.c, core/primitive.c, host/run.c, core/reads.c,
//   core/check_values.c, core/spelling.c, core/launch.c

GP__HOST int gp__kinds_of_scan(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q;
  kinds[0] = p->algorithm == GP_LOOK_BACK ? GP__LOOK_BACK
      : p->algorithm == GP_PIPELINED ? GP__PIPELINED
      : p->algorithm == GP_THREE_SWEEP ? GP__UPSWEEP
      : GP__SCAN_CLUSTER;
  if (p->algorithm != GP_THREE_SWEEP) return 1;
  kinds[1] = GP__SPINE;
  kinds[2] = GP__DOWNSWEEP;
  return 3;
}
GP__HOST gp_result gp__launch_scan(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__scan_args a;
  int i;
  memset(&a, 0, sizeof a);
  a.in = q->in;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  a.init = q->init;
  a.has_init = q->has_init;
  a.init_device = q->init_device;
  a.blocks = l->g->grid;
  if (l->p->algorithm == GP_ONE_CLUSTER) return gp__launch_cluster(l, &a);
  for (i = 0; i < l->count; ++i) // the spine is one block
    GP__CHECK(gp__launch_step(l, i, i == 1 ? 1 : l->g->grid, l->g->threads, l->g->shared_bytes, &a));
  return GP_SUCCESS;
}
GP__HOST gp_result gp__host_scan(gp__host_call *h) {
  GP__CHECK(gp__host_take_fold(h, h->q->primitive == GP_EXCLUSIVE_SCAN));
  return h->op.exact ? gp__host_scan_exact(h) : gp__host_scan_canonical(h);
}

static const gp__family gp__family_scan = {gp__checks_none, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS, gp__kinds_of_scan,
    &gp__kernels_of_policy, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_scan), gp__host_scan};
static const gp__primitive gp__primitive_inclusive_scan = {
    &gp__family_scan, GP__READS_SCAN, GP__IN_PLACE | GP__REPRODUCES | GP__STORES | GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_exclusive_scan = {
    &gp__family_scan, GP__READS_SCAN, GP__IN_PLACE | GP__REPRODUCES | GP__STORES | GP__TAKES_INPUTS, 0};
