// hash/launch.c - calls with hash tables: steps and other calls
// uses: api/config.h, api/lists.h, api/structs.h, api/input.h, api/call.h, api/init.h, core/words.h, core/rules.h,
//   hash/arguments.h, hash/folds.h, core/system.c, core/request.c, host/values.c, core/names.c, core/kinds.c,
//   group_by/host.c, graph/host.c, core/state.c, graph/launch.c

GP__HOST void gp__add_hash(gp__graph_plan *g, gp__kernel_kind kind, uint64_t items, const gp__hash_args *args) {
  gp__graph_step *step = &g->steps[g->count++];
  step->request = -1;
  step->kind = kind;
  step->items = items;
  step->args.hash = *args;
}
// Takes an empty table for `rows` rows, with a counter behind it.
GP__HOST gp_result gp__add_table(gp__state *s, const char *who, gp__graph_plan *g, uint64_t rows, gp__hash_args *a) {
  a->slot_count = 2 * rows + 2;
  a->slots = (gp__u64 *)gp__take(g, (a->slot_count + 1) * 8);
  a->found = a->slots ? a->slots + a->slot_count : NULL;
  a->count = rows;
  return gp__add_fill(s, who, g, 0, a->slots, a->slot_count + 1);
}
// Keys that gp_sort brings together; a table finds the first row of each other key.
GP__HOST int gp__groups_by_sort(const gp__request *q) { return !q->key_struct && !gp__is_complex(q->key_type); }
// A sort of the keys, or of their first rows, brings the rows of a group together. One column moves along; several are
// read through the order, and so is a column whose rows must be known.
GP__HOST gp_result gp__plan_groups(
    gp__state *s, const char *who, const gp__request *q, gp__hash_args *a, gp__graph_plan *g) {
  const int folds = q->primitive == GP_GROUP_BY_MANY, plain = gp__groups_by_sort(q), truths = q->key_type == GP_BOOL;
  const int counts = !folds && !q->out_keys && g->at; // writes no elements
  const int either = !folds && !g->at; // asked without buffers: with elements or without
  const int any = !folds && q->flags & GP_UNSORTED, bare = counts || (any && plain && !truths); // bare: keys alone
  const uint64_t n = q->count, room = q->capacity < n ? q->capacity : n;
  const gp_input ramp = gp_input_ramp(GP_U32, NULL, NULL);
  const gp_aggregate *one = NULL;
  gp_call sort = gp_call_init(GP_SORT), unique = gp_call_init(GP_UNIQUE);
  gp__hash_args named;
  void *sorted = NULL, *order = NULL;
  int moves = folds && plain && !truths, passes, i;
  a->out_keys = q->out_keys;
  a->out_count = (gp__u64 *)q->out_count;
  a->capacity = q->capacity;
  a->count = n;
  sort.count = n;
  sort.keys = a->keys, sort.key_type = q->key_type;
  sort.count_device = q->count_device;
  if (!plain) {
    GP__CHECK(gp__add_table(s, who, g, n, a));
    a->rows = (unsigned *)gp__take(g, n * 4);
    if (folds) a->places = (unsigned *)gp__take(g, n * 4);
    else a->list = (unsigned *)gp__take(g, n * 4);
    gp__add_hash(g, GP__HASH_INSERT, n, a);
    if (folds) a->list = a->places; // of every row, not of every key
    else a->count_device = a->found;
    if (!counts) gp__add_hash(g, GP__HASH_TAKE, n, a);
    sort.keys = a->rows, sort.key_type = GP_U32;
    sort.end_bit = gp__bit_length(n);
  } else a->found = (gp__u64 *)gp__take(g, 8);
  if (plain || folds) {
    const uint64_t size = plain ? q->key_size : 4;
    uint64_t width = 4;
    for (i = 0; i < (int)q->aggregate_count && folds; ++i) {
      const gp_aggregate *of = &q->aggregates[i];
      if (of->op == GP_AGGREGATE_COUNT) continue;
      if (of->op >= GP_AGGREGATE_ARGMIN || (one && (of->column != one->column || of->type != one->type))) moves = 0;
      one = of;
    }
    if (moves && one) width = gp__host_size(one->type);
    sorted = gp__take(g, n * size);
    order = gp__take(g, n * (width < 4 ? 4 : width));
    sort.out_keys = sorted;
    if (!bare && (!moves || (one && !one->column))) { // without addresses: whichever it will be
      sort.out_type = GP_U32, sort.out = order;
      if (n) GP__CHECK(gp__add_call(s, who, g, &sort));
    }
    if (moves && one) {
      sort.in_type = sort.out_type = gp__bits_type(width);
      sort.in = one->column, sort.out = order;
    }
    if (either) sort.out_type = GP_TYPE_DEFAULT, sort.out = NULL;
    if (n && (moves || bare || either)) GP__CHECK(gp__add_call(s, who, g, &sort));
    unique.key_type = gp__group_type(sort.key_type, size);
    unique.keys = unique.out_keys = sorted;
    unique.count = n;
    unique.count_device = q->count_device;
    unique.out_count = (uint64_t *)a->found;
    if (either) GP__CHECK(gp__add_call(s, who, g, &unique));
    if (folds) {
      unique.in_type = GP_INPUT, unique.in = &ramp;
      unique.out = a->list = (unsigned *)gp__take(g, n * 4);
    } else if (!bare) {
      unique.in_type = GP_U32, unique.in = order;
      unique.out = a->rows = (unsigned *)gp__take(g, n * 4);
    }
    GP__CHECK(gp__add_call(s, who, g, &unique));
  }
  named = *a;
  if (!truths || !folds) named.list = NULL;
  if (!folds && !counts && !any) {
    sort = gp_call_init(GP_SORT);
    sort.key_type = GP_U32;
    sort.keys = sort.out_keys = a->rows;
    sort.count = n;
    sort.count_device = (const uint64_t *)a->found;
    sort.end_bit = gp__bit_length(n);
    if (n) GP__CHECK(gp__add_call(s, who, g, &sort));
  } else if (plain && !truths) named.keys = sorted;
  else if (folds) named.rows = (unsigned *)(plain ? order : sorted);
  gp__add_hash(g, GP__HASH_NUMBER, n, &named);
  if (!folds) return GP_SUCCESS;
  passes = gp__list_folds(q->aggregates, (int)q->aggregate_count, a);
  if (!moves) a->order = (unsigned *)order;
  for (i = 0; i < a->column_count && moves; ++i) a->columns[i].in = order;
  a->words = (gp__u64 *)gp__take(g, (n / GP__GROUP_LONG + 1) * (unsigned)a->group_words * 8);
  if (passes) GP__CHECK(gp__add_fill(s, who, g, 0, a->words, (n / GP__GROUP_LONG + 1) * (unsigned)a->group_words));
  for (a->pass = 0; a->pass < 2; ++a->pass)
    if (passes >> a->pass & 1) gp__add_hash(g, GP__HASH_FOLD, n, a);
  gp__add_hash(g, GP__HASH_FINISH, room, a);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__plan_join(
    gp__state *s, const char *who, const gp__request *q, gp__hash_args *a, gp__graph_plan *g) {
  const int pairs = q->join == GP_JOIN_INNER || q->join == GP_JOIN_LEFT;
  a->keys = q->keys2;
  a->probes = q->in;
  a->count_device = NULL;
  a->join = (int)q->join;
  a->out = q->out;
  a->out2 = q->out2;
  a->capacity = q->capacity;
  a->out_count = (gp__u64 *)q->out_count;
  GP__CHECK(gp__add_table(s, who, g, q->count2, a));
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
    if (q->count2) GP__CHECK(gp__add_call(s, who, g, &sort));
    gp__add_hash(g, GP__JOIN_ENDS, q->count2, a);
  }
  a->count = q->count;
  a->count_device = (const gp__u64 *)q->count_device;
  if (q->join != GP_JOIN_FLAGS) {
    a->counts = (unsigned *)gp__take(g, q->count * 4);
    if (pairs) a->firsts = (unsigned *)gp__take(g, q->count * 4);
    a->offsets = (gp__u64 *)gp__take(g, (q->count + 32) * 8);
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
    if (q->count) GP__CHECK(gp__add_call(s, who, g, &scan));
    gp__add_hash(g, GP__JOIN_PAIRS, q->out || q->out2 ? q->capacity : 1, a);
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__hash_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const char *who = gp__primitive_names[q->primitive];
  gp__hash_args a;
  memset(&a, 0, sizeof a);
  a.keys = q->in;
  a.count_device = (const gp__u64 *)q->count_device;
  return q->primitive == GP_JOIN ? gp__plan_join(s, who, q, &a, g) : gp__plan_groups(s, who, q, &a, g);
}
