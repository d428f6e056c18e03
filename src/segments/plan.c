// segments/plan.c - plans of segmented reductions and of load balance; the check of offsets
// uses: api/lists.h, api/policy.h, api/structs.h, core/words.h, core/rules.h, core/shape.h, segments/policy.h,
//   segments/arguments.h, search/arguments.h, core/system.c, core/request.c, host/values.c, segments/host.c,
//   search/host.c, search/kinds.c, scan/kinds.c, segments/kinds.c, core/kinds.c, core/primitive.c, host/run.c,
//   core/reads.c, segments/check.c, core/spelling.c, core/launch.c

// The check that GP_CHECKED asks for, as a separate call.
GP__HOST gp__request gp__offsets_check(const gp__request *q) {
  gp__request check;
  memset(&check, 0, sizeof check);
  check.primitive = GP_CHECK_OFFSETS;
  check.offset_type = q->offset_type;
  check.offset_size = q->offset_size;
  check.begin = q->begin;
  check.segments = q->segments;
  check.count = q->count;
  check.limit_device = q->count_device;
  check.bad = q->bad;
  check.out_type = check.acc_type = GP_U64;
  check.out_size = check.acc_size = 8;
  check.channels = check.active = 1;
  return check;
}
GP__HOST int gp__segments_are_idle(const gp__request *q) {
  return q->primitive == GP_LOAD_BALANCE ? !q->count : !q->segments;
}
GP__HOST void gp__shape_segments(const gp__request *q, gp__shape *h) {
  h->offset_size = (int)q->offset_size;
  h->segmented.by_ranges = q->end != NULL;
  h->segments = q->segments;
}
GP__HOST int gp__kinds_of_segments(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  int count = 0;
  if (p->algorithm == GP_MERGE_PATH && q->end) kinds[count++] = GP__SEGMENT_SPANS;
  kinds[count++] = p->algorithm == GP_PIPELINED ? GP__SEGMENTED_PIPELINED
      : p->algorithm == GP_WARP_SEGMENTS ? GP__WARP_SEGMENTS
      : q->primitive == GP_LOAD_BALANCE ? GP__LOAD_BALANCE
      : GP__SEGMENTED_REDUCE;
  return count;
}
GP__HOST gp_result gp__launch_load_balance(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__search_args a;
  memset(&a, 0, sizeof a);
  a.sorted = q->begin;
  a.length = q->segments;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.bad = (const gp__u64 *)q->bad;
  return gp__launch_all(l, &a);
}
GP__HOST gp_result gp__launch_segments(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__segment_args a;
  if (q->primitive == GP_LOAD_BALANCE) return gp__launch_load_balance(l);
  memset(&a, 0, sizeof a);
  a.in = q->in;
  a.begin = q->begin;
  a.end = q->end;
  a.out = q->out;
  a.count = q->count;
  a.segments = q->segments;
  a.length = q->length;
  a.bad = (const gp__u64 *)q->bad;
  a.workspace = l->workspace;
  a.share = l->g->share;
  a.rate = (double)q->segments / ((double)q->count + (double)q->segments);
  a.init = q->init;
  a.has_init = q->has_init;
  a.log2_lanes = l->g->log2_lanes;
  a.once = gp__segments_are_few(l->h) ? 1 + (l->g->log2_lanes == 5 && l->h->count >> 7 < l->h->segments) : 0;
  if (q->key_size) a.workspace = q->out_count, a.end = q->count_device; // runs
  return gp__launch_all(l, &a);
}
GP__HOST void gp__spell_segments(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)p;
  if (gp__segments_reproduce(h)) w->index_bytes = 8;
  if (q->key_size) w->ranged = 2; // runs: gp_prepare has no buffers to tell
}
static const gp__kernel_rules gp__kernels_of_segments = {
    GP__SAME_KERNELS, gp__resident_blocks, gp__spell_segments, GP__NO_FIT};
GP__HOST gp_result gp__host_segments(gp__host_call *h) {
  if (h->q->primitive == GP_LOAD_BALANCE) return gp__host_search(h);
  GP__CHECK(gp__host_take_fold(h, 0));
  return gp__host_segmented_reduce(h);
}

static const gp__family gp__family_segments = {gp__checks_segments, gp__segments_are_idle, gp__shape_segments,
    gp__kinds_of_segments, &gp__kernels_of_segments, GP__FOLD_OPERATORS,
    GP__LAUNCH_AFTER(gp__launch_segments, gp__offsets_check), gp__host_segments};
static const gp__primitive gp__primitive_segmented_reduce = {&gp__family_segments,
    (GP__READS_STORED & ~GP__READS_COUNT_DEVICE) | GP__READS_OFFSETS | GP__READS_END | GP__READS_SEGMENT_LENGTH |
        GP__READS_BAD,
    GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES, GP_CHECKED};
static const gp__primitive gp__primitive_load_balance = {&gp__family_segments,
    GP__READS_OFFSETS | GP__READS_OUT_TYPE | GP__READS_OUT | GP__READS_COUNT_DEVICE | GP__READS_BAD, 0, GP_CHECKED};
