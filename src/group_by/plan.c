// group_by/plan.c - plans of group-by
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/input.h, api/call.h, api/init.h, core/words.h,
//   core/rules.h, core/shape.h, group_by/arguments.h, core/system.c, core/request.c, host/values.c, core/names.c,
//   core/kinds.c, core/primitive.c, group_by/host.c, core/state.c, core/reads.c, core/check_call_types.c,
//   group_by/check.c, core/spelling.c, group_by/launch.c, graph/launch.c

// Half the fewest elements with keys of up to 4 bytes, whose sorts are fast.
#ifndef GP__GROUP_LOG2 // in tests
#define GP__GROUP_LOG2 21
#endif
// Log2 of the slots of the table of all blocks, 21 at most; 0: no tables. *most: groups with which they are faster than
// a sort.
GP__HOST int gp__group_log2(const gp__request *q, uint64_t *most) {
  const int wide = q->key_size > 4;
  const uint64_t slots = wide ? q->count / 4 * 3 : q->count / 16;
  int log2 = 0;
  if (q->user_op || q->key_type == GP_BOOL || q->key_size > 8 || !gp__any_order(q) ||
      (q->acc_size != 4 && q->acc_size != 8) || !(q->count >> (GP__GROUP_LOG2 + 1 - 3 * wide)))
    return 0;
  while (log2 < GP__GROUP_LOG2 && (uint64_t)1 << log2 < slots) ++log2;
  *most = wide ? ((uint64_t)1 << log2) / 3 * 2 : q->count / 24;
  return log2;
}

GP__HOST int gp__kinds_of_groups(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  uint64_t most;
  (void)p;
  kinds[0] = GP__GROUP_TABLE;
  return gp__group_log2(q, &most) != 0;
}
GP__HOST void gp__add_groups(gp__graph_plan *g, uint64_t count, gp__group_args *a, int step) {
  a->step = step;
  g->steps[g->count].request = -1;
  g->steps[g->count].kind = GP__GROUP_TABLE;
  g->steps[g->count].items = 4 * count; // full grids
  g->steps[g->count++].args.group = *a;
}
// A sort of pairs and the reduction of its runs; with tables, their kernel's steps and a sort of the groups' keys, too.
GP__HOST gp_result gp__group_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const char *who = gp__primitive_names[q->primitive];
  uint64_t most = 0;
  const int log2 = gp__group_log2(q, &most);
  const uint64_t words = ((uint64_t)1 << log2) + 1;
  gp_call sort = gp_call_init(GP_SORT), runs = gp_call_init(GP_REDUCE_BY_KEY);
  gp__group_args a;
  gp__request reduce;
  gp_input index;
  memset(&a, 0, sizeof a);
  sort.key_type = q->key_type;
  sort.in_type = sort.out_type = runs.in_type = q->in_type;
  sort.keys = q->keys, sort.in = q->in;
  sort.out_keys = gp__take(g, q->count * q->key_size), sort.out = gp__take(g, q->count * q->in_size);
  sort.count = runs.count = q->count;
  sort.count_device = q->count_device;
  if (log2) {
    a.keys = q->keys, a.in = q->in;
    a.table_keys = gp__take(g, words * (q->key_size > 4 ? 8 : 4));
    a.table_values = gp__take(g, words * q->acc_size);
    a.list = gp__take(g, words * q->key_size);
    a.left = (gp__u64 *)gp__take(g, 8), a.found = (gp__u64 *)gp__take(g, 8), a.votes = (gp__u32 *)gp__take(g, 128);
    a.sorted = sort.out_keys;
    a.out_keys = q->out_keys, a.out = q->out, a.out_count = (gp__u64 *)q->out_count;
    a.count = q->count, a.count_device = (const gp__u64 *)q->count_device;
    a.first = q->init, a.has_init = q->has_init;
    a.log2 = log2, a.most = (gp__u32)most;
    gp__add_groups(g, q->count, &a, GP__GROUP_CLEARS);
    gp__add_groups(g, q->count, &a, GP__GROUP_READS);
    gp__add_groups(g, q->count, &a, GP__GROUP_LISTS);
    sort.count_device = (uint64_t *)a.left;
  }
  runs.count_device = sort.count_device;
  if (q->count) GP__CHECK(gp__add_call(s, who, g, &sort));
  runs.key_type = gp__group_type(q->key_type, q->key_size);
  runs.keys = sort.out_keys, runs.in = sort.out;
  runs.op = q->op;
  runs.acc_type = q->acc_type, runs.out_type = q->out_type;
  runs.transform = q->transform;
  runs.init = q->has_init ? &q->init : NULL;
  runs.out_keys = q->out_keys, runs.out = q->out, runs.out_count = q->out_count;
  runs.flags = q->flags & GP_REPRODUCIBLE;
  GP__CHECK(gp__add_call(s, who, g, &runs));
  reduce = g->requests[g->request_count - 1];
  if (reduce.in_steps) {
    runs = gp__split_by_key(
        &reduce, &index, gp__take(g, q->count << (q->count >> 32 ? 3 : 2)), q->out_keys ? q->out_keys : sort.out_keys);
    --g->count, --g->request_count;
    GP__CHECK(gp__add_call(s, who, g, &runs));
    gp__add_request(g, &reduce);
  }
  if (!log2) return GP_SUCCESS;
  sort.in_type = sort.out_type = GP_TYPE_DEFAULT;
  sort.in = sort.out = NULL;
  sort.keys = a.list;
  sort.count = gp__smaller(q->count, words);
  sort.count_device = (uint64_t *)a.found;
  if (q->flags & GP_UNSORTED) a.sorted = a.list;
  else GP__CHECK(gp__add_call(s, who, g, &sort));
  gp__add_groups(g, q->count, &a, GP__GROUP_WRITES);
  return GP_SUCCESS;
}
GP__CALLS_BY_PLAN(group_by, gp__group_plan_of);

// 40 registers suffice.
GP__HOST unsigned gp__resident_groups(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)h;
  return gp__promise(q, w, (unsigned)p->blocks_per_sm, p->vectors < 4 ? 1536 : 1024);
}
static const gp__kernel_rules gp__kernels_of_groups = {
    GP__SAME_KERNELS, gp__resident_groups, GP__SPELL_NO_MORE, GP__NO_FIT};
static const gp__family gp__family_group_by = {gp__checks_group_by, gp__is_never_idle, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_groups, &gp__kernels_of_groups, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__group_by_calls),
    gp__host_group_by};
static const gp__primitive gp__primitive_group_by = {&gp__family_group_by,
    GP__READS_FOLD | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COMPACTED, GP__IN_PLACE | GP__REPRODUCES,
    GP_UNSORTED};
