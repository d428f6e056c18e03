// group_by/launch.c - group by: a sequence of other calls
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, api/input.h, api/call.h,
//   api/init.h, core/words.h, core/rules.h, core/shape.h, core/geometry.h, core/families.h, group_by/arguments.h,
//   core/system.c, core/request.c, host/values.c, core/names.c, segments/kinds.c, core/primitive.c, group_by/host.c,
//   core/state.c, core/check_call_types.c, core/check.c, core/shape.c, core/choose.c, core/kernels.c, core/load.c,
//   core/workspaces.c, core/launch.c, core/launch_plan.c

// True if a group-by tries tables in shared memory.
GP__HOST int gp__groups_in_tables(const gp__request *q) {
  return !q->user_op && q->key_type != GP_BOOL && q->key_size <= 8 && gp__any_order(q) &&
      (q->acc_size == 4 || q->acc_size == 8) && q->count >= GP__GROUP_FROM;
}

// A group-by is a sequence of other calls; the workspace holds memory for it meanwhile.

typedef struct gp__grouping {
  gp__request steps[6];
  int count, table;                                   // the table's kernel is launched before this step; 0: never
  uint64_t held, list_keys, list_values, state, room; // bytes held; offsets of parts; entries of the list
} gp__grouping;

GP__HOST gp_result gp__add_step(gp__state *s, const char *who, gp__grouping *g, const gp_call *c, int pointers) {
  return gp__check_call(s, who, c, 0, pointers, &g->steps[g->count++]);
}
// GP_REPRODUCIBLE by key: the call finds where runs begin. Then the request reduces these segments.
GP__HOST gp_call gp__split_by_key(gp__request *q, gp_input *index, void *begins, void *keys) {
  gp_call runs = gp_call_init(GP_UNIQUE);
  *index = gp_input_ramp(q->count >> 32 ? GP_U64 : GP_U32, NULL, NULL);
  runs.equal = q->equal;
  runs.key_type = q->key_type;
  runs.keys = q->keys;
  runs.in_type = GP_INPUT;
  runs.in = index;
  runs.out = begins;
  runs.out_keys = keys;
  runs.out_count = q->out_count;
  runs.count = q->count;
  runs.count_device = q->count_device;
  q->primitive = GP_SEGMENTED_REDUCE;
  q->in_steps = 0;
  q->begin = begins;
  q->offset_type = index->type;
  q->offset_size = index->type == GP_U64 ? 8 : 4;
  q->segments = q->count;
  return runs;
}
// Adds a sort of pairs and the reduction of its runs. pointers 0: the held memory has no address yet. transform: of the
// values; the list's values are already transformed.
GP__HOST gp_result gp__add_way(gp__state *s, const char *who, const gp__request *q, gp__grouping *g, int pointers,
    gp_op transform, const void *keys, const void *values, gp_type value_type, gp__u8 *sorted, gp__u8 *moved,
    void *begins, uint64_t count, const uint64_t *count_device, uint64_t *out_count) {
  gp_call sort = gp_call_init(GP_SORT), runs = gp_call_init(GP_REDUCE_BY_KEY);
  gp__request reduce;
  gp_input index;
  sort.key_type = q->key_type;
  sort.in_type = sort.out_type = runs.in_type = value_type;
  sort.keys = keys, sort.in = values;
  sort.out_keys = pointers ? sorted : NULL, sort.out = pointers ? moved : NULL;
  sort.count = runs.count = count;
  sort.count_device = runs.count_device = count_device;
  if (count) GP__CHECK(gp__add_step(s, who, g, &sort, pointers));
  runs.key_type = gp__group_type(q->key_type, q->key_size);
  runs.keys = sort.out_keys, runs.in = sort.out;
  runs.op = q->op;
  runs.acc_type = q->acc_type, runs.out_type = q->out_type;
  runs.transform = transform;
  runs.init = q->has_init ? &q->init : NULL;
  runs.out_keys = q->out_keys, runs.out = q->out, runs.out_count = out_count;
  runs.flags = q->flags;
  GP__CHECK(gp__add_step(s, who, g, &runs, pointers));
  reduce = g->steps[g->count - 1];
  if (!reduce.in_steps) return GP_SUCCESS;
  runs = gp__split_by_key(&reduce, &index, begins, q->out_keys ? q->out_keys : (void *)sorted);
  --g->count;
  GP__CHECK(gp__add_step(s, who, g, &runs, pointers));
  g->steps[g->count++] = reduce;
  return GP_SUCCESS;
}
// Lists the steps. blocks: most blocks of the table's kernel. at: the held memory, or NULL.
GP__HOST gp_result gp__grouping_of(gp__state *s, const gp__request *q, uint64_t blocks, gp__u8 *at, gp__grouping *g) {
#define GP__TAKE(bytes) (g->held += ((bytes) | 255) + 1, g->held - (((bytes) | 255) + 1))
#define GP__AT(offset) (at ? at + (offset) : NULL)
  const char *who = gp__primitive_names[q->primitive];
  static const uint64_t zero = 0;
  uint64_t sorted, moved, begins, of_list;
  uint64_t *state;
  gp_call clear = gp_call_init(GP_FILL), sum = gp_call_init(GP_REDUCE);
  memset(g, 0, sizeof *g);
  sorted = GP__TAKE(q->count * q->key_size);
  moved = GP__TAKE(q->count * q->in_size);
  begins = GP__TAKE(q->flags & GP_REPRODUCIBLE && !gp__any_order(q) ? q->count << (q->count >> 32 ? 3 : 2) : 0);
  if (!gp__groups_in_tables(q))
    return gp__add_way(s, who, q, g, at != NULL, q->transform, q->keys, q->in, q->in_type, GP__AT(sorted),
        GP__AT(moved), GP__AT(begins), q->count, q->count_device, q->out_count);
  g->room = blocks * (GP__GROUP_MOST + 1); // a table that is not full
  if (g->room > q->count) g->room = q->count;
  g->list_keys = GP__TAKE(g->room * q->key_size);
  g->list_values = GP__TAKE(g->room * q->acc_size);
  of_list = GP__TAKE(g->room * q->acc_size);
  g->state = GP__TAKE((uint64_t)(GP__GROUP_STATE * 8));
  state = (uint64_t *)(void *)GP__AT(g->state);
  clear.out_type = sum.in_type = sum.out_type = GP_U64;
  clear.value = &zero;
  clear.out = state;
  clear.count = GP__GROUP_STATE;
  GP__CHECK(gp__add_step(s, who, g, &clear, at != NULL));
  g->table = g->count;
  GP__CHECK(gp__add_way(s, who, q, g, at != NULL, GP_OP_DEFAULT, GP__AT(g->list_keys), GP__AT(g->list_values),
      q->acc_type, GP__AT(sorted), GP__AT(of_list), NULL, g->room, at ? state + GP__GROUP_OF_LIST : NULL,
      at ? state + GP__GROUP_FROM_LIST : NULL));
  GP__CHECK(gp__add_way(s, who, q, g, at != NULL, q->transform, q->keys, q->in, q->in_type, GP__AT(sorted),
      GP__AT(moved), NULL, q->count, at ? state + GP__GROUP_OF_INPUT : NULL, at ? state + GP__GROUP_FROM_INPUT : NULL));
  sum.op = GP_SUM;
  sum.in = at ? state + GP__GROUP_FROM_LIST : NULL;
  sum.count = 2;
  sum.out = q->out_count;
  return gp__add_step(s, who, g, &sum, at != NULL);
#undef GP__TAKE
#undef GP__AT
}
// Raises the bytes to those that a call needs, with the calls before and after it.
GP__HOST uint64_t gp__calls_behind(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call);
GP__HOST gp_result gp__step_room(gp__state *s, const gp__request *q, uint64_t *words, uint64_t *scratch) {
  gp__request other;
  gp__shape h;
  gp_policy p;
  gp__geometry geometry;
  GP__CHECK(gp__choose_here(s, q, NULL, &h, &p, NULL));
  geometry = gp__geometry_of(p, h, 0);
  if (gp__word_bytes(&geometry) > *words) *words = gp__word_bytes(&geometry);
  if (gp__scratch_bytes(&geometry) > *scratch) *scratch = gp__scratch_bytes(&geometry);
  if (gp__calls_behind(q, &p, 0, &other)) GP__CHECK(gp__step_room(s, &other, words, scratch));
  if (!gp__is_checked(q)) return GP_SUCCESS;
  other = gp__methods_of(q)->checked(q);
  return gp__step_room(s, &other, words, scratch);
}
// Bytes of the workspace that calls need: words at the front, scratch at the back of what is not held.
GP__HOST gp_result gp__steps_room(
    gp__state *s, const gp__request *steps, int count, uint64_t *words, uint64_t *scratch) {
  int i;
  *words = GP__CONTROL_BYTES + GP__WORD_BYTES; // a kernel of a plan's own may draw tickets
  *scratch = 0;
  for (i = 0; i < count; ++i) GP__CHECK(gp__step_room(s, &steps[i], words, scratch));
  return GP_SUCCESS;
}

// Raises *bytes to those of a call that holds `held` bytes beside its steps, which it may change: aligned keys and
// others may have another policy than these.
GP__HOST gp_result gp__room_of_steps(gp__state *s, gp__request *steps, int count, uint64_t held, uint64_t *bytes) {
  uint64_t words, scratch;
  int turn, i;
  for (turn = 0; turn < 3; ++turn) {
    GP__CHECK(gp__steps_room(s, steps, count, &words, &scratch));
    if (words + scratch + held + 512 > *bytes) *bytes = words + scratch + held + 512;
    for (i = 0; i < count; ++i) steps[i].keys = (const void *)(uintptr_t)(turn ? 8 : 16);
  }
  return GP_SUCCESS;
}

// Launches the table kernel, which fills the list and selects the path.
GP__HOST gp_result gp__launch_tables(gp__state *s, const char *who, const gp__request *q, const gp_policy *p,
    const gp__kernel *k, const gp__grouping *g, gp__u8 *held, void *workspace, gp_stream stream) {
  gp__shape h = gp__shape_of(q);
  gp__geometry geometry;
  gp__group_args a;
  unsigned grid;
  gp__shape_on(&h, &s->about);
  geometry = gp__geometry_of(*p, h, k->occupancy);
  grid = (unsigned)s->about.multiprocessors *
      (unsigned)(k->occupancy < p->blocks_per_sm ? k->occupancy : p->blocks_per_sm);
  memset(&a, 0, sizeof a);
  a.keys = q->keys;
  a.in = q->in;
  a.list_keys = held + g->list_keys;
  a.list_values = held + g->list_values;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.state = (gp__u64 *)(void *)(held + g->state);
  a.workspace = workspace;
  return gp__launch_one(s, who, k, grid, &geometry, p->overlap, stream, &a);
}

// Memory at the back of a stream's workspace that a call holds while it runs others. Until gp__let_go the stream's lock
// is held.
typedef struct gp__holding {
  gp__state *state;
  gp__workspace *workspace;
  gp__u8 *at;
  uint64_t before;
  int capturing;
} gp__holding;
GP__HOST void gp__let_go(gp__holding *held) {
  held->workspace->held = held->before;
  gp__unlock_stream(held->state, held->workspace);
}
// Holds `bytes`, and leaves room for each of the calls beside them, in a workspace of at least `least` bytes. On an
// error nothing is held.
GP__HOST gp_result gp__hold(gp__state *s, const char *who, gp_stream stream, const gp__request *steps, int count,
    uint64_t bytes, uint64_t least, gp__holding *held) {
  gp__u64 key;
  uint64_t words, scratch, most;
  void *at = NULL;
  int capturing;
  gp_result result;
  gp__workspace *r;
  GP__CHECK(gp__steps_room(s, steps, count, &words, &scratch));
  GP__CHECK(gp__number_of_stream(s, who, stream, &key, &capturing));
  GP__CHECK(gp__find_stream(s, who, key, stream, capturing, &r));
  gp__lock_stream(r, capturing);
  held->state = s;
  held->workspace = r;
  held->before = r->held;
  held->capturing = capturing;
  most = capturing || r->lent || words > r->words ? words : r->words; // as gp__find_room will have it, for every step
  if (most < r->pinned) most = r->pinned;
  most += scratch + bytes + held->before + 512;
  if (most < least) most = least;
  result = gp__find_room(s, who, r, stream, GP__CONTROL_BYTES + GP__WORD_BYTES, bytes, most, capturing, &at);
  held->at = (gp__u8 *)at;
  if (result == GP_SUCCESS) r->held = r->bytes - (size_t)((gp__u8 *)at - (gp__u8 *)r->workspace);
  else gp__let_go(held);
  return result;
}

GP__HOST gp_result gp__run_request(
    gp__state *s, const gp__request *q, const gp_policy *given, int run, gp_stream stream, uint64_t least);
// The primary context must be current. run 0: only builds the kernels.
GP__HOST gp_result gp__run_group_by(
    gp__state *s, const gp__request *q, const gp_policy *p, int run, gp_stream stream, uint64_t least) {
  const char *who = gp__primitive_names[q->primitive];
  const uint64_t blocks = (uint64_t)s->about.multiprocessors * (unsigned)p->blocks_per_sm;
  gp__shape h = gp__shape_of(q);
  gp__kernel *table = NULL;
  gp__grouping g;
  gp__holding held;
  int i;
  gp_result result = gp__grouping_of(s, q, blocks, NULL, &g);
  if (result != GP_SUCCESS) return result;
  gp__shape_on(&h, &s->about);
  if (g.table) result = gp__get_kernel(s, who, q, p, &h, GP__GROUP_TABLE, 1, &table);
  for (i = 0; i < g.count && result == GP_SUCCESS; ++i) result = gp__run_request(s, &g.steps[i], NULL, 0, stream, 0);
  if (result == GP_SUCCESS && run) result = gp__hold(s, who, stream, g.steps, g.count, g.held, least, &held);
  if (result != GP_SUCCESS || !run) {
    gp__let_kernels_go(&table, 1);
    return result;
  }
  if (held.capturing) gp__keep_captured(&table, 1);
  result = gp__grouping_of(s, q, blocks, held.at, &g);
  for (i = 0; i < g.count && result == GP_SUCCESS; ++i) {
    if (i == g.table && i)
      result = gp__launch_tables(s, who, q, p, table, &g, held.at, held.workspace->workspace, stream);
    if (result == GP_SUCCESS) result = gp__run_request(s, &g.steps[i], NULL, 1, stream, 0);
  }
  gp__let_go(&held);
  gp__let_kernels_go(&table, 1);
  return result;
}
