// reduce/plan.c - plans of reductions
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, reduce/policy.h, reduce/arguments.h,
//   core/system.c, core/request.c, host/exact.c, host/canonical.c, segments/host.c, select/host.c, reduce/kinds.c,
//   core/kinds.c, core/primitive.c, host/run.c, core/reads.c, reduce/check.c, core/spelling.c, select/names.c,
//   core/launch.c

GP__HOST void gp__shape_reduce(const gp__request *q, gp__shape *h) {
  if (q->primitive != GP_REDUCE) h->commutative = h->exact = 1; // counts and minima of integers
  if (q->primitive == GP_CHECK_OFFSETS) {
    h->in_size = (int)q->offset_size;
    h->in_misaligned = (int)((uintptr_t)q->begin % GP__VECTOR);
    h->count = q->segments + 1;
  }
}
GP__HOST int gp__kinds_of_reduce(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q;
  kinds[0] = p->algorithm == GP_STEALING ? GP__STEALING : GP__EVEN_SHARE;
  return 1;
}
GP__HOST gp_result gp__launch_reduce(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__shape *h = l->h;
  gp__reduce_args a;
  memset(&a, 0, sizeof a);
  a.in = q->primitive == GP_CHECK_OFFSETS ? q->begin : q->in;
  a.out = q->primitive == GP_CHECK_OFFSETS ? q->bad : q->primitive == GP_COUNT_IF ? q->out_count : q->out;
  a.count = h->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  a.rounds = h->reproducible ? gp__canonical_rounds(q->stride, h->in_size) : 1;
  a.limit = q->count;
  a.limit_device = (const gp__u64 *)q->limit_device;
  if (q->primitive == GP_REDUCE) {
    a.init = q->init;
    a.has_init = q->has_init;
  } else a.scalar = q->init;
  return gp__launch_all(l, &a);
}
// MINMAX, ARGMINMAX: one result after the other.
static gp_result gp__host_reduce_both(const gp__request *q, int threads) {
  gp__request one = *q;
  int k;
  one.is_arg &= ~GP__IS_BOTH;
  one.acc_size = one.out_size = q->acc_size / 2;
  for (k = 0; k < 2; ++k) {
    one.op = one.is_arg ? (k ? GP_ARGMAX : GP_ARGMIN) : k ? GP_MAX : GP_MIN;
    one.out = (gp__u8 *)q->out + (size_t)k * one.out_size;
    memcpy(one.init.bytes, q->init.bytes + (size_t)k * one.out_size, one.out_size);
    GP__CHECK(gp__host_run(&one, threads));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__host_reduces(gp__host_call *h) {
  const gp__request *q = h->q;
  if (q->is_arg & GP__IS_BOTH) return gp__host_reduce_both(q, h->asked);
  if (q->primitive == GP_CHECK_OFFSETS) return *q->bad = gp__host_first_bad(q), GP_SUCCESS;
  if (q->primitive != GP_REDUCE) return gp__host_select(h);
  GP__CHECK(gp__host_take_fold(h, 0));
  return h->op.exact ? gp__host_reduce_exact(h) : gp__host_reduce_canonical(h);
}

static const gp__family gp__family_reduce = {gp__checks_reduce, gp__is_never_idle, gp__shape_reduce,
    gp__kinds_of_reduce, &gp__kernels_of_policy, gp__operators_of_predicate, GP__LAUNCH(gp__launch_reduce),
    gp__host_reduces};
static const gp__primitive gp__primitive_reduce = {
    &gp__family_reduce, GP__READS_STORED, GP__REPRODUCES | GP__STORES | GP__TAKES_INPUTS | GP__TAKES_BOTH, 0};
static const gp__primitive gp__primitive_count_if = {&gp__family_reduce,
    (GP__READS_MAP & ~(GP__READS_OUT | GP__READS_OUT_TYPE)) | GP__READS_OP | GP__READS_OUT_COUNT | GP__READS_SCALAR,
    GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_check_offsets = {
    &gp__family_reduce, GP__READS_OFFSETS | GP__READS_BAD, GP__TAKES_BAD, 0};
