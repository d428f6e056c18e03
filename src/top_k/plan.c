// top_k/plan.c - plans of top-k, nth element and shuffle
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, core/words.h, core/rules.h, core/shape.h,
//   sort/cooperative_policy.h, top_k/portable.h, top_k/geometry.h, core/request.c, top_k/host.c, top_k/shuffle_host.c,
//   segments/kinds.c, core/kinds.c, core/primitive.c, core/reads.c, top_k/check.c, core/shape.c, core/spelling.c,
//   merge/names.c, top_k/names.c, top_k/launch.c, map/plan.c, segments/plan.c

// Between and after other calls.
GP__HOST int gp__kinds_of_composed_top_k(const gp__request *q, gp__kernel_kind *kinds) {
  int count = 0;
  if (q->out2_size) kinds[count++] = GP__TOP_K_VALUES;
  if (gp__has_many_ranks(q)) {
    kinds[count++] = q->op ? GP__TOP_K_ORDER_CUT : GP__TOP_K_CUT;
    if (q->op && !gp__top_k_is_one(q)) kinds[count++] = GP__TOP_K_PLACES;
  }
  return count;
}
GP__HOST int gp__kinds_of_ordered_top_k(gp__kernel_kind *kinds) {
  kinds[0] = GP__TOP_K_ORDER_TASKS;
  kinds[1] = GP__TOP_K_BEGIN;
  kinds[2] = GP__TOP_K_ORDER_SHORT;
  return 3;
}
GP__HOST int gp__kinds_of_top_k(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  int count = 0;
  if (q->composed) return gp__kinds_of_composed_top_k(q, kinds);
  if (q->op) return gp__kinds_of_ordered_top_k(kinds);
  if (gp__is_cooperative(p->algorithm))
    return kinds[0] = p->algorithm == GP_ONE_CLUSTER ? GP__SORT_ONE_CLUSTER : GP__SORT_ONE_LAUNCH, 1;
  if (p->algorithm == GP_SAMPLED_SELECT) return kinds[0] = GP__SELECT_BOUNDED, kinds[1] = GP__SORT_ONE_CLUSTER, 2;
  kinds[count++] = p->algorithm == GP_BEST_LISTS ? GP__TOP_K_LISTS : GP__SELECT_FIRST;
  kinds[count++] = p->algorithm == GP_BEST_LISTS ? GP__TOP_K_MERGE : GP__SELECT_NEXT;
  if (p->algorithm == GP_BEST_LISTS || q->primitive != GP_TOP_K) return count;
  kinds[count++] = GP__SELECT_COLLECT;
  if (gp__bounds_keys(q, p)) kinds[count++] = GP__SELECT_BOUNDED;
  return count;
}

GP__HOST void gp__shape_top_k(const gp__request *q, gp__shape *h) {
  gp__shape_keys(q, h);
  if (q->out2_size) { // indices are found, as if there were no values
    h->in_size = 0;
    h->out_size = (int)q->out2_size;
  }
  h->top_k.results = gp__has_many_ranks(q) ? 1 : q->length;
  h->top_k.order_bytes = q->op ? gp__order_index_bytes(q) : 0;
  h->top_k.drop_keys =
      q->primitive == GP_TOP_K && !q->op && q->out && !q->out_keys && q->length > 1 && !(q->flags & GP_UNSORTED);
}
GP__HOST int gp__top_k_is_idle(const gp__request *q) {
  return !q->count || (q->primitive != GP_NTH_ELEMENT && !q->length) ||
      (q->primitive == GP_SEGMENTED_TOP_K && !q->segments);
}
GP__HOST int gp__fit_top_k(const gp_policy *p, int occupancy) {
  (void)occupancy;
  return p->algorithm == GP_BEST_LISTS || p->algorithm == GP_WARP_SEGMENTS ? INT32_MAX : 0;
}
// Top-k of many sorts its results in place by one call: rows as segments, unless the device may shorten them.
GP__HOST uint64_t gp__sort_results(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call) {
  const uint64_t rows = q->segments ? q->segments : 1, calls = q->count_device ? rows : 1;
  if (q->primitive != GP_TOP_K || p->algorithm != GP_RADIX_SELECT || q->length < 2 ||
      (q->flags & GP_UNSORTED && !gp__bounds_keys(q, p))) // whose order differs from call to call
    return 0;
  memset(call, 0, sizeof *call);
  call->primitive = rows > calls ? GP_SEGMENTED_SORT : GP_SORT;
  call->segments = rows > calls ? rows : 0;
  call->flags = q->flags & GP_DESCENDING;
  call->key_type = q->key_type;
  call->key_size = q->key_size;
  call->end_bit = 8 * (int)q->key_size;
  call->in_type = call->out_type = gp__moved_as(q);
  call->in_struct = call->out_struct = q->out_struct;
  call->in_size = call->out_size = q->out_size;
  call->channels = call->active = 1;
  call->count = call->stride = q->length * (rows / calls);
  call->row_bytes = calls > 1 ? q->length * q->key_size : 0;
  call->count_device = q->count_device; // fewer elements, fewer results
  call->keys = call->out_keys = q->out_keys ? (gp__u8 *)q->out_keys + row * q->length * q->key_size : NULL;
  call->in = call->out = q->out ? (gp__u8 *)q->out + row * q->length * q->out_size : NULL;
  return calls;
}
GP__HOST gp_result gp__host_ranks(gp__host_call *h) {
  return h->q->primitive == GP_NTH_ELEMENT ? gp__host_nth(h) : gp__host_top_k(h);
}

GP__HOST gp_policy gp__policy_of_top_k_kernel(gp_policy p, gp__form s, gp__kernel_kind kind) {
  if (p.algorithm == GP_SAMPLED_SELECT && kind == GP__SORT_ONE_CLUSTER) return gp__sampled_sort(p, s);
  return kind == GP__TOP_K_SHORT || kind == GP__TOP_K_ORDER_SHORT ? gp__policy_of_short_top_k(p, s) : p;
}
// One block at least is promised for segments: a compiler that is told nothing spills to fit another.
GP__HOST unsigned gp__resident_top_k(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  const unsigned blocks = gp__resident_blocks(q, p, h, w);
  return blocks || (q->primitive != GP_SEGMENTED_TOP_K && !q->op) ? blocks : 1;
}
static const gp_policy gp__radix_select = {GP_RADIX_SELECT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}};
static const gp__kernel_rules gp__kernels_of_top_k = {gp__policy_of_top_k_kernel, GP__SAME_THREADS, GP__SAME_BLOCK,
    GP__NO_FORM, gp__resident_top_k, gp__spell_top_k, gp__fit_top_k};
static const gp__family gp__family_top_k = {gp__checks_top_k, gp__top_k_is_idle, gp__shape_top_k, gp__kinds_of_top_k,
    &gp__kernels_of_top_k, gp__operators_of_order, gp__launch_top_k, &gp__radix_select, NULL, gp__sort_results, NULL,
    gp__host_ranks};
static const gp__primitive gp__primitive_top_k = {&gp__family_top_k,
    GP__READS_PAIRS | GP__READS_OP | GP__READS_K | GP__READS_ROWS | GP__READS_OUT2 | GP__READS_OUT2_TYPE,
    GP__TAKES_KEYS_ALONE | GP__TAKES_INDICES, GP_DESCENDING | GP_UNSORTED};
static const gp__primitive gp__primitive_nth_element = {&gp__family_top_k,
    GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE | GP__READS_OUT_KEYS | GP__READS_N, GP__WANTS_KEYS,
    GP_DESCENDING};

GP__HOST int gp__kinds_of_segmented_top_k(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  if (q->composed) return gp__kinds_of_composed_top_k(q, kinds);
  if (q->op) return gp__kinds_of_ordered_top_k(kinds);
  kinds[0] = GP__TOP_K_TASKS;
  kinds[1] = GP__TOP_K_BEGIN;
  kinds[2] = GP__TOP_K_SHORT;
  return 3;
}
static const gp__family gp__family_segmented_top_k = {gp__checks_segmented_top_k, gp__top_k_is_idle, gp__shape_top_k,
    gp__kinds_of_segmented_top_k, &gp__kernels_of_top_k, gp__operators_of_order,
    GP__LAUNCH_AFTER(gp__launch_segmented_top_k, gp__offsets_check), gp__host_ranks};
static const gp__primitive gp__primitive_segmented_top_k = {&gp__family_segmented_top_k,
    (GP__READS_PAIRS & ~GP__READS_COUNT_DEVICE) | GP__READS_OP | GP__READS_K | GP__READS_OFFSETS | GP__READS_END |
        GP__READS_SEGMENT_LENGTH | GP__READS_IN2 | GP__READS_BAD | GP__READS_OUT2 | GP__READS_OUT2_TYPE,
    GP__TAKES_KEYS_ALONE | GP__TAKES_INDICES, GP_CHECKED | GP_DESCENDING | GP_UNSORTED};

GP__HOST int gp__kinds_of_shuffle(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__SHUFFLE, 1;
}

static const gp__family gp__family_shuffle = {gp__checks_shuffle, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_shuffle, GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_map), gp__host_shuffle};
static const gp__primitive gp__primitive_shuffle = {
    &gp__family_shuffle, GP__READS_MAP | GP__READS_SEED, GP__TAKES_KEYS_ALONE | GP__TAKES_INDICES, 0};
