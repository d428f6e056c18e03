// select/plan.c - plans of streams: selection, runs, by key, segmented scans
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/input.h, api/call.h, core/words.h, core/rules.h,
//   core/shape.h, select/arguments.h, core/system.c, core/request.c, host/values.c, segments/host.c,
//   select/runs_host.c, select/host.c, core/names.c, scan/kinds.c, segments/kinds.c, core/kinds.c, core/primitive.c,
//   host/run.c, core/state.c, core/reads.c, core/check_call_types.c, select/check.c, select/names.c, core/launch.c,
//   group_by/launch.c, graph/launch.c, map/written.c, segments/plan.c

GP__HOST int gp__stream_is_idle(const gp__request *q) { return !q->count && !q->out_count; }
GP__HOST void gp__shape_stream(const gp__request *q, gp__shape *h) {
  h->key_size = (int)q->key_size;
  if (!h->key_size && !q->offset_size) { // a predicate reads the elements themselves
    h->key_size = h->in_size;
    h->in_size = 0;
  }
  h->stream.by_position = q->inputs.in && q->key_size && (q->primitive == GP_SELECT || q->primitive == GP_PARTITION);
  if (h->stream.by_position) h->in_size = 0; // a tile has no values
  h->in_misaligned |= (int)((uintptr_t)q->keys % GP__VECTOR);
  h->stream.parts = q->primitive == GP_PARTITION ? gp__parts_of(q) : 0;
  h->offset_size = (int)q->offset_size;
  h->segments = q->segments;
  if (!q->acc_size) h->exact = 1; // nothing is folded
}
GP__HOST int gp__kinds_of_stream(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q;
  kinds[0] = p->algorithm == GP_PIPELINED ? GP__STREAM_PIPELINED
      : p->algorithm == GP_WARP_SEGMENTS ? GP__STREAM_SEGMENTS
      : p->algorithm == GP_ONE_CLUSTER ? GP__STREAM_CLUSTER
      : GP__STREAM_LOOK_BACK;
  return 1;
}
GP__HOST gp_result gp__launch_stream(const gp__launching *l) {
  const gp__request *q = l->q;
  const int predicate = gp__is_predicated(q->primitive) && q->op && !q->key_size;
  gp__stream_args a;
  memset(&a, 0, sizeof a);
  a.keys = predicate ? q->in : q->keys;
  a.values = predicate ? NULL : q->in;
  a.out_keys = q->out_keys;
  a.out_values = q->out;
  a.out2 = q->out2;
  a.out3 = q->out3;
  a.out_count = (gp__u64 *)q->out_count;
  a.offsets = q->begin;
  a.segments = q->segments;
  a.bad = (const gp__u64 *)q->bad;
  a.first = q->init;
  a.second = q->step;
  a.has_init = q->has_init;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  return l->p->algorithm == GP_ONE_CLUSTER ? gp__launch_cluster(l, &a) : gp__launch_all(l, &a);
}
GP__HOST gp_result gp__host_stream(gp__host_call *h) {
  const gp_primitive p = h->q->primitive;
  if (p == GP_SELECT || p == GP_PARTITION) return gp__host_select(h);
  if (p == GP_RUN_LENGTHS || p == GP_NONTRIVIAL_RUNS || p == GP_UNIQUE) return gp__host_runs(h);
  GP__CHECK(gp__host_take_fold(h, p == GP_SEGMENTED_EXCLUSIVE_SCAN || p == GP_EXCLUSIVE_SCAN_BY_KEY));
  return p == GP_SEGMENTED_INCLUSIVE_SCAN || p == GP_SEGMENTED_EXCLUSIVE_SCAN ? gp__host_segmented_scan(h)
      : gp__host_runs(h);
}

static const gp__kernel_rules gp__kernels_of_stream = {
    GP__SAME_KERNELS, gp__resident_streams, gp__spell_stream, GP__NO_FIT};
GP__HOST gp_result gp__by_key_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  gp_input index;
  gp__request reduce = *q;
  gp_call runs;
  if (!q->in_steps) return gp__written_plan_of(s, q, g);
  runs = gp__split_by_key(&reduce, &index, gp__take(g, q->count << (q->count >> 32 ? 3 : 2)),
      q->out_keys ? q->out_keys : gp__take(g, q->count * q->key_size));
  GP__CHECK(gp__add_call(s, gp__primitive_names[q->primitive], g, &runs));
  gp__add_request(g, &reduce);
  return GP_SUCCESS;
}
GP__CALLS_BY_PLAN(by_key, gp__by_key_plan_of);
// A call for each further column: it finds the runs again.
GP__HOST uint64_t gp__column_behind(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call) {
  (void)p;
  if (row >= q->column_count) return q->column_count;
  *call = *q;
  call->in_type = call->out_type = q->columns[row].type;
  call->in_size = call->out_size = q->column_size[row];
  call->in = q->columns[row].in;
  call->out = q->columns[row].out;
  call->out_keys = NULL;
  call->policy = NULL;
  call->column_count = 0;
  call->in_struct = call->acc_struct = call->out_struct = NULL;
  memset(&call->inputs, 0, offsetof(gp__inputs, node));
  if (q->acc_size) {
    call->acc_type = gp__accumulator_of(call->in_type, q->op);
    call->acc_size = gp__host_size(call->acc_type);
  }
  return q->column_count;
}
static const gp__family gp__family_stream = {gp__checks_stream, gp__stream_is_idle, gp__shape_stream,
    gp__kinds_of_stream, &gp__kernels_of_stream, gp__operators_of_predicate, gp__launch_stream, NULL, gp__offsets_check,
    gp__column_behind, &gp__by_key_calls, gp__host_stream};
static const gp__primitive gp__primitive_segmented_inclusive_scan = {&gp__family_stream,
    GP__READS_STORED | GP__READS_OFFSETS | GP__READS_BAD, GP__IN_PLACE | GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES,
    GP_CHECKED};
static const gp__primitive gp__primitive_segmented_exclusive_scan = {&gp__family_stream,
    GP__READS_STORED | GP__READS_OFFSETS | GP__READS_BAD, GP__IN_PLACE | GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES,
    GP_CHECKED};
static const gp__primitive gp__primitive_inclusive_scan_by_key = {&gp__family_stream, GP__READS_STORED | GP__READS_RUNS,
    GP__IN_PLACE | GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES, 0};
static const gp__primitive gp__primitive_exclusive_scan_by_key = {&gp__family_stream, GP__READS_STORED | GP__READS_RUNS,
    GP__IN_PLACE | GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES, 0};
static const gp__primitive gp__primitive_reduce_by_key = {&gp__family_stream,
    GP__READS_STORED | GP__READS_RUNS | GP__READS_COMPACTED | GP__READS_COLUMNS | GP__READS_COLUMN_COUNT,
    GP__TAKES_INPUTS | GP__REPRODUCES | GP__STORES, 0};
static const gp__primitive gp__primitive_run_lengths = {
    &gp__family_stream, GP__READS_LENGTHS | GP__READS_OUT_KEYS, 0, 0};
static const gp__primitive gp__primitive_nontrivial_runs = {
    &gp__family_stream, GP__READS_LENGTHS | GP__READS_OUT_TYPE | GP__READS_OUT, 0, 0};
static const gp__primitive gp__primitive_unique = {&gp__family_stream,
    GP__READS_MAP | GP__READS_RUNS | GP__READS_COMPACTED | GP__READS_COLUMNS | GP__READS_COLUMN_COUNT,
    GP__TAKES_KEYS_ALONE | GP__KEEPS_TYPE | GP__IN_PLACE | GP__KEYS_IN_PLACE | GP__WANTS_KEYS | GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_select = {
    &gp__family_stream, GP__READS_SELECT, GP__KEEPS_TYPE | GP__IN_PLACE | GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_partition = {&gp__family_stream,
    GP__READS_SELECT | GP__READS_SECOND | GP__READS_OUT2 | GP__READS_OUT3, GP__KEEPS_TYPE | GP__TAKES_INPUTS, 0};
