// find/plan.c - plans of searches for the first element
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, find/geometry.h, find/arguments.h,
//   core/request.c, find/host.c, find/kinds.c, core/kinds.c, core/primitive.c, core/reads.c, find/check.c,
//   core/spelling.c, find/names.c, core/launch.c

GP__HOST void gp__shape_find(const gp__request *q, gp__shape *h) {
  h->commutative = h->exact = 1; // the least index, in any order
  h->in_misaligned |= (int)((uintptr_t)q->in2 % GP__VECTOR);
  if (q->primitive == GP_LEXICOGRAPHIC && q->count2 < h->count) h->count = q->count2;
  if (q->primitive != GP_IS_SORTED) return;
  h->in_size = (int)q->key_size;
  h->in_misaligned = (int)((uintptr_t)q->keys % GP__VECTOR);
}
GP__HOST int gp__kinds_of_find(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  return kinds[0] = q->primitive == GP_PARTITION_POINT ? GP__PARTITION_POINT : GP__FIND, 1;
}
GP__HOST gp_result gp__launch_find(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__find_args a;
  memset(&a, 0, sizeof a);
  a.in = q->primitive == GP_IS_SORTED ? q->keys : q->in;
  a.in2 = q->in2;
  a.out = q->out ? q->out : q->out_count;
  a.count = l->h->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.workspace = l->workspace;
  a.rounds = l->g->tile_items / gp__find_round_items(*l->p, l->h);
  a.scalar = q->init;
  if (q->primitive == GP_LEXICOGRAPHIC) {
    const int shorter = q->count < q->count2 ? -1 : q->count > q->count2;
    memcpy(a.scalar.bytes, &shorter, sizeof shorter);
  }
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_find = {gp__checks_find, gp__is_never_idle, gp__shape_find, gp__kinds_of_find,
    &gp__kernels_of_policy, gp__operators_of_find, GP__LAUNCH(gp__launch_find), gp__host_find};
#define GP__READS_QUESTION (GP__READS_MAP | GP__READS_OP | GP__READS_SCALAR)
#define GP__READS_TO_INDEX(reads) (((reads) & ~(GP__READS_OUT | GP__READS_OUT_TYPE)) | GP__READS_OUT_COUNT)
#define GP__READS_TWO (GP__READS_MAP | GP__READS_OP | GP__READS_IN2_TYPE | GP__READS_IN2)
static const gp__primitive gp__primitive_any = {&gp__family_find, GP__READS_QUESTION, GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_all = {&gp__family_find, GP__READS_QUESTION, GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_find_if = {
    &gp__family_find, GP__READS_TO_INDEX(GP__READS_QUESTION), GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_mismatch = {&gp__family_find, GP__READS_TO_INDEX(GP__READS_TWO), 0, 0};
static const gp__primitive gp__primitive_equal_arrays = {&gp__family_find, GP__READS_TWO, 0, 0};
static const gp__primitive gp__primitive_adjacent_find = {
    &gp__family_find, GP__READS_TO_INDEX(GP__READS_MAP | GP__READS_OP), 0, 0};
static const gp__primitive gp__primitive_is_sorted = {&gp__family_find,
    GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE | GP__READS_OUT_COUNT, 0, 0};
static const gp__primitive gp__primitive_lexicographic = {
    &gp__family_find, (GP__READS_TWO | GP__READS_COUNT2) & ~(GP__READS_COUNT_DEVICE | GP__READS_OUT_TYPE), 0, 0};
static const gp__primitive gp__primitive_is_partitioned = {&gp__family_find, GP__READS_QUESTION, 0, 0};
static const gp__primitive gp__primitive_partition_point = {
    &gp__family_find, GP__READS_TO_INDEX(GP__READS_QUESTION), GP__TAKES_INPUTS, 0};
