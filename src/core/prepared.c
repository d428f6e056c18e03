// core/prepared.c - prepared calls
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/input.h, api/call.h, core/rules.h,
//   core/shape.h, core/geometry.h, core/families.h, core/system.c, core/messages.c, core/request.c, core/kinds.c,
//   core/primitive.c, core/state.c, core/life.c, core/check_types.c, core/checking.c, core/check_buffers.c,
//   core/check_values.c, core/check.c, core/shape.c, core/choose.c, core/kinds_of.c, core/kernels.c, core/load.c,
//   core/workspaces.c, core/launch.c, core/launch_plan.c, core/run.c

// A plan is what a run has found out: the checked call, its shape, geometry and kernels. It serves the next run as it
// is where the two calls differ in pointers alone, the pointers have the same low bits, the same ones are null, and the
// same ones are equal: then nothing that a check, a policy or a kernel depends on has changed, except which buffers
// overlap. Other runs make a new plan.

// Pointers that a run may change: X(member), inputs before outputs.
#define GP__CALL_POINTERS(X) \
  X(in) \
  X(in2) \
  X(keys) \
  X(keys2) \
  X(begin) \
  X(end) \
  X(count_device) \
  X(init_device) \
  X(out) \
  X(out2) \
  X(out3) \
  X(out_keys) \
  X(out_count) \
  X(bad) \
  X(workspace)
enum { GP__INPUTS = 8, GP__POINTERS = 15 };
// Host memory of values: X(member).
#define GP__CALL_VALUES(X) X(init) X(value) X(start) X(step) X(scalar) X(scalar2) X(lower) X(upper)

struct gp_prepared {
  gp_context *ctx;
  pthread_mutex_t lock; // held by a run
  gp_policy given;      // the caller's
  int has_given;
  gp_policy policy; // chosen by gp_prepared_open
  int composed;     // its calls choose for themselves
  // The plan.
  int quick; // it serves calls that differ in pointers
  int has_values;
  gp_call call, whole; // whole: the copy of a shorter struct
  gp__checking check;
  gp__request q;
  gp__shape h;
  gp_policy p;
  gp__geometry g;
  gp__kernel *kernels[GP__KINDS_MAX];
  int kernel_count;
  signed char read[8 + GP_INPUT_ARRAYS], written[8]; // pointers of the extents that were checked
  uint64_t equal;                                    // bits: which of them are equal
  gp__recent recent;
  const unsigned *settled; // with GP_TUNING_ONLINE: says whether the search is as it was when the plan was made
  unsigned settled_as;
};

GP__HOST void gp__pointers_of(const gp_call *c, const void **pointers) {
#define GP__POINTER(member) *pointers++ = c->member;
  GP__CALL_POINTERS(GP__POINTER)
#undef GP__POINTER
}
// Notes the pointers in the extents; returns a bit for each pair of an output and another buffer that are equal.
GP__HOST uint64_t gp__set_extents(gp_prepared *prepared, const void *const *pointers) {
  gp__checking *k = &prepared->check;
  uint64_t equal = 0;
  int i, j;
  for (j = 0; j < k->read_count; ++j) k->read[j].pointer = pointers[prepared->read[j]];
  for (i = 0; i < k->written_count; ++i) {
    const void *written = k->written[i].pointer = pointers[prepared->written[i]];
    for (j = 0; j < k->read_count; ++j) equal = equal << 1 | (written == k->read[j].pointer);
    for (j = 0; j < i; ++j) equal = equal << 1 | (written == k->written[j].pointer);
  }
  return equal;
}
// Finds the members that extents were made of. 0: not all of them, or not all pointers have an extent.
GP__HOST int gp__name_extents(gp_prepared *prepared, const void *const *pointers) {
  const gp__checking *k = &prepared->check;
  unsigned seen = 0;
  int i, j;
  for (i = 0; i < k->read_count; ++i) {
    for (j = 0; j < GP__INPUTS && (pointers[j] != k->read[i].pointer || seen >> j & 1); ++j) {}
    if (j == GP__INPUTS) return 0;
    seen |= 1u << j;
    prepared->read[i] = (signed char)j;
  }
  for (i = 0; i < k->written_count; ++i) {
    for (j = GP__INPUTS; j < GP__POINTERS && (pointers[j] != k->written[i].pointer || seen >> j & 1); ++j) {}
    if (j == GP__POINTERS) return 0;
    seen |= 1u << j;
    prepared->written[i] = (signed char)j;
  }
  for (j = 0; j < GP__POINTERS; ++j)
    if (pointers[j] && !(seen >> j & 1)) return 0;
  for (i = 0; i < GP__POINTERS; ++i) // inputs that are equal could be taken for each other
    for (j = 0; j < i; ++j)
      if (pointers[i] == pointers[j] && pointers[i] && (i < GP__INPUTS) == (j < GP__INPUTS)) return 0;
  return 1;
}
// Whether the checked call holds the caller's pointers, and none that other members of it lead to.
GP__HOST int gp__is_plain(const gp__request *q, const gp_call *c) {
#define GP__POINTER(member) \
  if (q->member != c->member) return 0;
  GP__CALL_POINTERS(GP__POINTER)
#undef GP__POINTER
  return !q->limit_device && !c->fields && !c->in_layout && !c->out_layout && !c->permutation && !c->axes &&
      !c->graph && !c->out_graph && !c->sources && !c->source_device && !c->statistics && !c->fault && !c->aggregates &&
      !c->columns;
}

// Whether the plan serves a call; the plan has its pointers and values then. *result: what is wrong with them.
GP__HOST int gp__plan_serves(gp_prepared *prepared, const gp_call *c, gp_result *result) {
  gp_call *like = &prepared->call;
  const void *now[GP__POINTERS], *before[GP__POINTERS];
  uintptr_t differ = 0;
  int i;
  if (c->struct_size != sizeof *c) return 0;
  gp__pointers_of(c, now);
  gp__pointers_of(like, before);
  for (i = 0; i < GP__POINTERS; ++i) {
    const uintptr_t a = (uintptr_t)now[i], b = (uintptr_t)before[i];
    differ |= ((a ^ b) & (GP__VECTOR - 1)) | (uintptr_t)(!a != !b);
  }
#define GP__VALUE(member) \
  differ |= (uintptr_t)(!c->member != !like->member); \
  like->member = c->member;
  GP__CALL_VALUES(GP__VALUE)
#undef GP__VALUE
#define GP__POINTER(member) like->member = c->member;
  GP__CALL_POINTERS(GP__POINTER)
  like->policy = c->policy;
  if (differ || memcmp(like, c, sizeof *c) != 0 || gp__set_extents(prepared, now) != prepared->equal) return 0;
#undef GP__POINTER
#define GP__POINTER(member) prepared->q.member = c->member;
  GP__CALL_POINTERS(GP__POINTER)
#undef GP__POINTER
  for (i = 0; i < prepared->check.read_count + prepared->check.written_count; ++i) {
    const int reads = prepared->check.read_count;
    const gp__extent *e = i < reads ? &prepared->check.read[i] : &prepared->check.written[i - reads];
    if (e->bytes > UINT64_MAX - (uintptr_t)e->pointer || !gp__is_reached(&prepared->check, e->pointer, e->bytes))
      return 0; // a whole check says what is wrong
  }
  *result = gp__check_apart(prepared->check.who, prepared->check.read, prepared->check.read_count,
      prepared->check.written, prepared->check.written_count);
  if (*result == GP_SUCCESS && prepared->has_values) *result = gp__check_values(&prepared->check);
  return *result != (gp_result)GP__UNKNOWN;
}

// A run may change neither what the call does nor its types.
GP__HOST gp_result gp__check_same(const gp_prepared *prepared, const gp_call *c) {
#define GP__SAME(member) \
  if (c->member != prepared->call.member) \
    return gp__fail(GP_E_ARGUMENT, "gp_prepared_run: call." #member " is %d, but the call was prepared with %d", \
        (int)c->member, (int)prepared->call.member);
  GP__SAME(primitive)
  GP__SAME(flags)
  GP__SAME(op)
  GP__SAME(transform)
  GP__SAME(predicate2)
  GP__SAME(equal)
  GP__SAME(apply)
  GP__SAME(in_type)
  GP__SAME(in2_type)
  GP__SAME(key_type)
  GP__SAME(offset_type)
  GP__SAME(acc_type)
  GP__SAME(out_type)
  GP__SAME(out2_type)
#undef GP__SAME
  return GP_SUCCESS;
}

// Launches the plan; a launch that the driver refuses goes the way of gp_run.
GP__HOST gp_result gp__run_plan(gp__state *s, gp_prepared *prepared, gp_stream stream) {
  const char *who = prepared->check.who;
  gp_result result;
  int pushed;
  if (gp__wants_to_lend(&prepared->q)) {
    gp__workspace own;
    gp__lend(&own, &prepared->q, stream);
    return gp__take_back(&own, gp__run_plan(s, prepared, stream));
  }
  GP__CHECK(gp__enter(s, who, &pushed));
  result = gp__launch_at(s, who, &prepared->q, &prepared->h, &prepared->p, prepared->kernels, prepared->kernel_count,
      &prepared->g, stream, 0, &prepared->recent);
  result = gp__leave(s, who, pushed, result);
  if (result != (gp_result)GP__REFUSED) return result;
  prepared->quick = 0;
  return gp__run_request(s, &prepared->q, &prepared->p, 1, stream, 0);
}
GP__HOST void gp__drop_plan(gp_prepared *prepared) {
  gp__let_kernels_go(prepared->kernels, prepared->kernel_count);
  prepared->kernel_count = 0;
  prepared->quick = 0;
}
// Finds the kernels of a checked call; the primary context is current.
GP__HOST gp_result gp__plan_kernels(gp__state *s, gp_prepared *prepared) {
  const char *who = prepared->check.who;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  const int count = gp__kinds_of(&prepared->q, &prepared->p, kinds);
  int i;
  for (i = 0; i < count; ++i) {
    GP__CHECK(gp__get_kernel(s, who, &prepared->q, &prepared->p, &prepared->h, kinds[i], 1, &prepared->kernels[i]));
    ++prepared->kernel_count;
  }
  return gp__geometry_here(s, who, &prepared->q, &prepared->h, &prepared->p, prepared->kernels, count, &prepared->g);
}
// Checks a call, makes a plan of it, and runs it.
GP__HOST gp_result gp__run_new_plan(gp__state *s, gp_prepared *prepared, const gp_call *call, gp_stream stream) {
  gp__request *q = &prepared->q, behind;
  const gp_policy *given = prepared->has_given ? &prepared->given : NULL;
  const void *pointers[GP__POINTERS];
  gp_result result;
  int pushed;
  gp__drop_plan(prepared);
  GP__CHECK(gp__check_reached(&prepared->check, &prepared->whole, s, "gp_prepared_run", call, stream, q));
  call = prepared->check.c;
  GP__CHECK(gp__check_same(prepared, call));
  if (!s->context) return gp__run_on_host(s, q);
  if (prepared->composed || gp__is_checked(q) || gp__nothing_to_do(q))
    return gp__run_request(s, q, given, 1, stream, 0);
  prepared->h = gp__shape_of(q);
  gp__shape_on(&prepared->h, &s->about);
  prepared->p = prepared->policy;
  if (!gp__policy_valid(prepared->p, prepared->h))
    GP__CHECK(gp__choose_here(s, q, given, &prepared->h, &prepared->p, NULL));
  if (s->online && !given) {
    prepared->settled = gp__settled(s, q, &prepared->h, &prepared->p, &prepared->settled_as);
    if (!prepared->settled) return gp__run_tuned(s, q, stream);
  }
  if (gp__calls_behind(q, &prepared->p, 0, &behind)) return gp__run_request(s, q, &prepared->p, 1, stream, 0);
  GP__CHECK(gp__enter(s, prepared->check.who, &pushed));
  result = gp__leave(s, prepared->check.who, pushed, gp__plan_kernels(s, prepared));
  if (result != GP_SUCCESS) return result;
  gp__pointers_of(call, pointers);
  prepared->call = *call;
  prepared->check.c = &prepared->call;
  prepared->check.pointers = GP__POINTERS_KNOWN;
#define GP__VALUE(member) || call->member
  prepared->has_values = 0 GP__CALL_VALUES(GP__VALUE);
#undef GP__VALUE
  prepared->quick = gp__is_plain(q, call) && gp__name_extents(prepared, pointers);
  if (prepared->quick) prepared->equal = gp__set_extents(prepared, pointers);
  return gp__run_plan(s, prepared, stream);
}

GP__HOST int gp__is_current(const gp_prepared *prepared) {
  return !prepared->settled || __atomic_load_n(prepared->settled, __ATOMIC_RELAXED) == prepared->settled_as;
}
GP__HOST gp_result gp__prepared_run(gp__state *s, gp_prepared *prepared, const gp_call *call, gp_stream stream) {
  gp_result result = GP_SUCCESS;
  pthread_mutex_lock(&prepared->lock);
  if (call && prepared->quick && gp__is_current(prepared) && gp__plan_serves(prepared, call, &result)) {
    if (result == GP_SUCCESS) result = gp__run_plan(s, prepared, stream);
  } else result = gp__run_new_plan(s, prepared, call, stream);
  pthread_mutex_unlock(&prepared->lock);
  return result;
}
GP__API gp_result gp_prepared_run(gp_prepared *prepared, const gp_call *call, gp_stream stream) {
  if (!prepared) return gp__fail(GP_E_NULL, "gp_prepared_run: prepared is null");
  GP__WITHIN(prepared->ctx, "gp_prepared_run", gp__prepared_run(s, prepared, call, stream));
}

GP__HOST gp_result gp__prepared_open(gp__state *s, gp_context *ctx, const gp_call *call, gp_prepared **opened) {
  gp_prepared *prepared;
  gp_result result;
  if (!opened) return gp__fail(GP_E_NULL, "gp_prepared_open: prepared is null");
  *opened = NULL;
  prepared = (gp_prepared *)calloc(1, sizeof *prepared);
  if (!prepared) return gp__fail(GP_E_MEMORY, "gp_prepared_open: no memory");
  prepared->ctx = ctx;
  result = gp__check_call_with(
      &prepared->check, &prepared->whole, s, "gp_prepared_open", call, !s->context, 0, &prepared->q);
  if (result == GP_SUCCESS) {
    prepared->call = *prepared->check.c;
    prepared->composed = gp__composition_of(&prepared->q) != NULL;
    prepared->has_given = prepared->call.policy != NULL;
    if (prepared->has_given) prepared->given = *prepared->call.policy;
    if (s->context) result = gp__run_request(s, &prepared->q, prepared->call.policy, 0, NULL, 0);
    if (result == GP_SUCCESS && s->context && !prepared->composed)
      result = gp__choose_here(s, &prepared->q, prepared->call.policy, &prepared->h, &prepared->policy, NULL);
  }
  if (result != GP_SUCCESS) {
    free(prepared);
    return result;
  }
  pthread_mutex_init(&prepared->lock, NULL);
  *opened = prepared;
  return GP_SUCCESS;
}
GP__API gp_result gp_prepared_open(gp_context *ctx, const gp_call *call, gp_prepared **prepared) {
  GP__WITHIN(ctx, "gp_prepared_open", gp__prepared_open(s, ctx, call, prepared));
}

GP__API gp_result gp_prepared_close(gp_prepared *prepared) {
  gp_result result = GP_SUCCESS;
  gp__state *s;
  if (!prepared) return gp__fail(GP_E_NULL, "gp_prepared_close: prepared is null");
  if (gp__is_hook("gp_prepared_close", &result)) return result;
  ++gp__here.inside; // a closed context is no error here: its message stays a draft
  s = gp__begin(prepared->ctx, "gp_prepared_close", &result);
  if (s) { // otherwise kernels and workspaces have gone with the context
    gp__drop_plan(prepared);
    gp__forget_stream(&prepared->recent);
    gp__end(prepared->ctx, GP_SUCCESS);
  }
  --gp__here.inside;
  pthread_mutex_destroy(&prepared->lock);
  free(prepared);
  return GP_SUCCESS;
}
