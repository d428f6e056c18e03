// histogram/plan.c - plans of histograms
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/arguments.h, core/request.c,
//   histogram/host.c, core/kinds.c, core/primitive.c, core/check_types.c, core/reads.c, histogram/check.c,
//   histogram/names.c, core/launch.c

GP__HOST void gp__shape_histogram(const gp__request *q, gp__shape *h) {
  h->histogram.by_ranges = q->primitive == GP_HISTOGRAM_RANGES;
  h->histogram.channels = q->channels;
  h->histogram.active = q->active;
  h->histogram.bins = q->bins;
  h->exact = gp__is_integer(q->out_type);
}
GP__HOST int gp__kinds_of_histogram(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__HISTOGRAM, 1;
}
GP__HOST int gp__fit_histogram(const gp_policy *p, int occupancy) {
  (void)p, (void)occupancy;
  return INT32_MAX;
}
GP__HOST gp_result gp__launch_histogram(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__histogram_args a;
  memset(&a, 0, sizeof a);
  a.in = q->in;
  a.weights = q->in2;
  a.boundaries = q->begin;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.bins = q->bins;
  a.workspace = l->workspace;
  a.lower = q->init;
  a.upper = q->step;
  a.channels = q->channels;
  a.active = q->active;
  a.replicas = l->g->replicas;
  if (l->p->algorithm == GP_ONE_CLUSTER && l->g->grid > 1) return gp__launch_clusters(l, l->g->grid, NULL, &a);
  return gp__launch_all(l, &a);
}

static const gp__kernel_rules gp__kernels_of_histogram = {
    GP__SAME_KERNELS, gp__resident_histograms, GP__SPELL_NO_MORE, gp__fit_histogram};
static const gp_policy gp__shared_bins = {GP_SHARED_BINS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}};
static const gp__family gp__family_histogram = {gp__checks_histogram, gp__is_never_idle, gp__shape_histogram,
    gp__kinds_of_histogram, &gp__kernels_of_histogram, GP__FOLD_OPERATORS, gp__launch_histogram, &gp__shared_bins, NULL,
    NULL, NULL, gp__host_histogram};
static const gp__primitive gp__primitive_histogram_even = {
    &gp__family_histogram, GP__READS_HISTOGRAM | GP__READS_ENDS, GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_histogram_ranges = {
    &gp__family_histogram, GP__READS_HISTOGRAM | GP__READS_BEGIN, GP__TAKES_INPUTS, 0};
