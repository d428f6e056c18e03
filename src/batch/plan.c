// batch/plan.c - plan of copies of many buffers
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, batch/arguments.h, core/request.c,
//   batch/host.c, core/kinds.c, core/primitive.c, batch/check.c, core/launch.c

GP__HOST int gp__kinds_of_batch(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__COPY_BATCH, 1;
}
GP__HOST void gp__shape_batch(const gp__request *q, gp__shape *h) {
  h->offset_size = (int)q->offset_size;
  h->in_misaligned = 0; // of the pointers' array: it does not matter
}
GP__HOST gp_result gp__launch_copy_batch(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__batch_args a;
  memset(&a, 0, sizeof a);
  a.sources = q->in;
  a.destinations = q->in2;
  a.sizes = q->begin;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.tile = l->g->tile_items;
  a.workspace = l->workspace;
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_batch = {gp__checks_batch, GP__IDLE_IF_EMPTY, gp__shape_batch, gp__kinds_of_batch,
    GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_copy_batch), gp__host_copy_batch};
static const gp__primitive gp__primitive_copy_batch = {&gp__family_batch,
    GP__READS_IN | GP__READS_IN2 | GP__READS_OFFSET_TYPE | GP__READS_BEGIN | GP__READS_COUNT_DEVICE, 0, 0};
