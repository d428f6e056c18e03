// hash/launch.c - calls with hash tables: steps and other calls
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, api/init.h, core/rules.h, hash/arguments.h, hash/folds.h,
//   core/system.c, core/request.c, host/values.c, core/names.c, core/kinds.c, graph/host.c, core/state.c,
//   graph/launch.c, map/written.c

GPUPRIMS__PRIVATE void gp__add_hash(gp__graph_plan *g, gp__kernel_kind kind, uint64_t items,
                                    const gp__hash_args *args) {
  gp__graph_step *step = &g->steps[g->count++];
  step->request = -1;
  step->kind = kind;
  step->items = items;
  step->args.hash = *args;
}
// Takes an empty table for `rows` rows, with a counter behind it.
GPUPRIMS__PRIVATE gp_result gp__add_table(gp__state *s, const char *who, gp__graph_plan *g, uint64_t rows,
                                          gp__hash_args *a) {
  a->slot_count = 2 * rows + 2;
  a->slots = (unsigned long long *)gp__take(g, (a->slot_count + 1) * 8);
  a->found = a->slots ? a->slots + a->slot_count : NULL;
  a->count = rows;
  return gp__add_fill(s, who, g, 0, a->slots, a->slot_count + 1);
}
GPUPRIMS__PRIVATE gp_result gp__plan_groups(gp__state *s, const char *who, const gp__request *q, gp__hash_args *a,
                                            gp__graph_plan *g) {
  const int folds = q->primitive == GP_GROUP_BY_MANY, by_key = folds && !q->key_struct;
  gp_call sort = gp_call_init(GP_SORT);
  uint64_t room = q->capacity < q->count ? q->capacity : q->count;
  GPUPRIMS__CHECK(gp__add_table(s, who, g, q->count, a));
  a->out_keys = q->out_keys;
  a->out_count = (unsigned long long *)q->out_count;
  a->capacity = q->capacity;
  if (!folds && !q->out_keys && g->at) { // only a count
    gp__add_hash(g, GP__HASH_INSERT, q->count, a);
    gp__add_hash(g, GP__HASH_NUMBER, 1, a);
    return GP_SUCCESS;
  }
  a->list = (unsigned *)gp__take(g, q->count * 4);
  if (folds) a->places = (unsigned *)gp__take(g, q->count * 4);
  if (by_key) a->taken = gp__take(g, q->count * q->key_size);
  else a->rows = (unsigned *)gp__take(g, q->count * 4);
  gp__add_hash(g, GP__HASH_INSERT, q->count, a);
  gp__add_hash(g, GP__HASH_TAKE, q->count, a);
  sort.key_type = by_key ? q->key_type : GP_U32;
  sort.keys = sort.out_keys = by_key ? a->taken : a->rows;
  if (folds) sort.in_type = sort.out_type = GP_U32, sort.in = sort.out = a->list;
  sort.count = q->count;
  sort.count_device = (const uint64_t *)a->found;
  if (q->count) GPUPRIMS__CHECK(gp__add_call(s, who, g, &sort));
  if (folds) {
    gp__list_folds(q->aggregates, (int)q->aggregate_count, 0, a);
    a->words = (unsigned long long *)gp__take(g, room * (unsigned)a->group_words * 8);
  }
  gp__add_hash(g, GP__HASH_NUMBER, q->count, a);
  if (!folds) return GP_SUCCESS;
  if (a->fold_count) gp__add_hash(g, GP__HASH_FOLD, q->count, a);
  gp__list_folds(q->aggregates, (int)q->aggregate_count, 1, a);
  if (a->fold_count) gp__add_hash(g, GP__HASH_FOLD, q->count, a);
  gp__add_hash(g, GP__HASH_FINISH, room, a);
  return GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__plan_join(gp__state *s, const char *who, const gp__request *q, gp__hash_args *a,
                                          gp__graph_plan *g) {
  const int pairs = q->join == GP_JOIN_INNER || q->join == GP_JOIN_LEFT;
  a->keys = q->keys2;
  a->probes = q->in;
  a->count_device = NULL;
  a->join = (int)q->join;
  a->out = q->out;
  a->out2 = q->out2;
  a->capacity = q->capacity;
  a->out_count = (unsigned long long *)q->out_count;
  GPUPRIMS__CHECK(gp__add_table(s, who, g, q->count2, a));
  a->found = NULL;
  if (pairs) {
    a->places = (unsigned *)gp__take(g, q->count2 * 4);
    a->order = (unsigned *)gp__take(g, q->count2 * 4);
    a->ends = (unsigned *)gp__take(g, a->slot_count * 4);
  }
  gp__add_hash(g, GP__HASH_INSERT, q->count2, a);
  if (pairs) {
    gp_call sort = gp_call_init(GP_SORT);
    sort.key_type = sort.out_type = GP_U32;
    sort.keys = sort.out_keys = a->places;
    sort.out = a->order;
    sort.count = q->count2;
    sort.end_bit = gp__bit_length(a->slot_count);
    if (q->count2) GPUPRIMS__CHECK(gp__add_call(s, who, g, &sort));
    gp__add_hash(g, GP__JOIN_ENDS, q->count2, a);
  }
  a->count = q->count;
  a->count_device = (const unsigned long long *)q->count_device;
  if (q->join != GP_JOIN_FLAGS) {
    a->counts = (unsigned *)gp__take(g, q->count * 4);
    if (pairs) a->firsts = (unsigned *)gp__take(g, q->count * 4);
    a->offsets = (unsigned long long *)gp__take(g, (q->count + 32) * 8);
    if (a->offsets) a->offsets += 31; // the scan's output lies as a whole allocation does
  }
  gp__add_hash(g, GP__JOIN_PROBE, q->count, a);
  if (q->join != GP_JOIN_FLAGS) {
    gp_call scan = gp_call_init(GP_INCLUSIVE_SCAN);
    scan.op = GP_SUM;
    scan.in_type = GP_U32;
    scan.out_type = GP_U64;
    scan.in = a->counts;
    scan.out = a->offsets ? a->offsets + 1 : NULL;
    scan.count = q->count;
    scan.count_device = q->count_device;
    if (q->count) GPUPRIMS__CHECK(gp__add_call(s, who, g, &scan));
    gp__add_hash(g, GP__JOIN_PAIRS, q->out || q->out2 ? q->capacity : 1, a);
  }
  return GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__hash_plan_of(gp__state *s, const gp__request *q, unsigned char *at, gp__graph_plan *g) {
  const char *who = gp__primitive_names[q->primitive];
  gp__hash_args a;
  memset(g, 0, sizeof *g);
  memset(&a, 0, sizeof a);
  g->at = at;
  a.keys = q->in;
  a.count_device = (const unsigned long long *)q->count_device;
  if (q->inputs.in) // kernels read arrays
    GPUPRIMS__CHECK(gp__add_written(s, g, q, q->inputs.in, q->count, q->count_device, NULL, &a.keys));
  return q->primitive == GP_JOIN ? gp__plan_join(s, who, q, &a, g) : gp__plan_groups(s, who, q, &a, g);
}
