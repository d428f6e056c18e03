// group_by/launch.c - calls that consist of others: memory of the workspace for them
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/input.h, api/call.h, api/init.h,
//   core/words.h, core/rules.h, core/shape.h, core/geometry.h, core/families.h, core/system.c, core/request.c,
//   host/values.c, segments/kinds.c, core/primitive.c, core/state.c, core/choose.c, core/workspaces.c,
//   core/launch_plan.c

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
  q->policy = NULL;
  q->begin = begins;
  q->offset_type = index->type;
  q->offset_size = index->type == GP_U64 ? 8 : 4;
  q->segments = q->count;
  return runs;
}
// Raises the bytes to those that a call needs, with the calls before and after it.
GP__HOST uint64_t gp__calls_behind(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call);
GP__HOST gp_result gp__step_room(gp__state *s, const gp__request *q, uint64_t *words, uint64_t *scratch) {
  gp__request other;
  gp__shape h;
  gp_policy p;
  gp__geometry geometry;
  GP__CHECK(gp__choose_here(s, q, NULL, &h, &p, NULL));
  geometry = gp__geometry_of(p, &h, 0);
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
