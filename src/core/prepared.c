// core/prepared.c - plans of calls that run again: prepared calls, and those of gp_run
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/input.h, api/call.h, core/rules.h,
//   core/shape.h, core/geometry.h, core/families.h, core/system.c, core/messages.c, core/request.c, core/kinds.c,
//   core/primitive.c, core/state.c, core/life.c, core/check_types.c, core/checking.c, core/check_buffers.c,
//   core/check_values.c, core/check.c, core/shape.c, core/choose.c, core/kinds_of.c, core/kernels.c, core/load.c,
//   core/workspaces.c, core/launch.c, core/launch_plan.c, core/run.c

// A plan is what a run has found out: the checked call, its shape, geometry and kernels. It serves the next run as it
// is where the two calls differ in pointers alone, the pointers have the same low bits, the same ones are null, and the
// same ones are equal: then nothing that a check, a policy or a kernel depends on has changed, except which buffers
// overlap. Other runs make a new plan. A prepared call's plan keeps its kernels, those of gp_run end with them.

// Pointers that a run may change: GP__CALL_POINTERS.
enum { GP__INPUTS = 8, GP__POINTERS = 15 };

struct gp_prepared {
  gp_context *ctx; // NULL: a plan of gp_run
  pthread_mutex_t lock; // held by a run
  gp_policy given; // the caller's, if it gave one
  int has_given;
  gp_policy policy; // chosen by gp_prepared_open
  // The plan.
  int quick; // it serves calls that differ in pointers
  int apart; // the last call's pointers were found right
  int never; // the call leads to pointers that a plan does not know
  unsigned evictions; // of the context, when gp_run made it
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
  uint64_t equal; // bits: which of them are equal
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
GP__HOST uint64_t gp__set_extents(gp_prepared *plan, const void *const *pointers) {
  gp__checking *k = &plan->check;
  uint64_t equal = 0;
  int i, j;
  for (j = 0; j < k->read_count; ++j) k->read[j].pointer = pointers[plan->read[j]];
  for (i = 0; i < k->written_count; ++i) {
    const void *written = k->written[i].pointer = pointers[plan->written[i]];
    for (j = 0; j < k->read_count; ++j) equal = equal << 1 | (written == k->read[j].pointer);
    for (j = 0; j < i; ++j) equal = equal << 1 | (written == k->written[j].pointer);
  }
  return equal;
}
// Finds the members that extents were made of. 0: not all of them, or not all pointers have an extent.
GP__HOST int gp__name_extents(gp_prepared *plan, const void *const *pointers) {
  const gp__checking *k = &plan->check;
  unsigned seen = 0;
  int i, j;
  for (i = 0; i < k->read_count; ++i) {
    for (j = 0; j < GP__INPUTS && (pointers[j] != k->read[i].pointer || seen >> j & 1); ++j) {}
    if (j == GP__INPUTS) return 0;
    seen |= 1u << j;
    plan->read[i] = (signed char)j;
  }
  for (i = 0; i < k->written_count; ++i) {
    for (j = GP__INPUTS; j < GP__POINTERS && (pointers[j] != k->written[i].pointer || seen >> j & 1); ++j) {}
    if (j == GP__POINTERS) return 0;
    seen |= 1u << j;
    plan->written[i] = (signed char)j;
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
GP__HOST int gp__plan_serves(gp_prepared *plan, const gp_call *c, gp_result *result) {
  gp_call *like = &plan->call;
  const void *now[GP__POINTERS];
  uintptr_t differ = (uintptr_t)c->workspace % 256;
  const int reads = plan->check.read_count;
  int same, i;
  if (c->struct_size != sizeof *c) return 0;
  if (!plan->ctx && (c->policy != like->policy || (c->policy && memcmp(&plan->given, c->policy, sizeof plan->given))))
    return 0;
  same = plan->apart && memcmp(like, c, sizeof *c) == 0;
  if (!same) {
    plan->apart = 0;
    gp__pointers_of(c, now);
#define GP__VALUE(member) \
  differ |= (uintptr_t)(!c->member != !like->member); \
  like->member = c->member;
    GP__CALL_VALUES(GP__VALUE)
#undef GP__VALUE
#define GP__POINTER(member) \
  differ |= ((uintptr_t)c->member ^ (uintptr_t)like->member) % GP__VECTOR | (uintptr_t)(!c->member != !like->member); \
  plan->q.member = like->member = c->member;
    GP__CALL_POINTERS(GP__POINTER)
#undef GP__POINTER
    like->policy = c->policy;
    if (differ || memcmp(like, c, sizeof *c) != 0 || gp__set_extents(plan, now) != plan->equal) return 0;
  }
  for (i = 0; i < reads + plan->check.written_count; ++i) {
    const gp__extent *e = i < reads ? &plan->check.read[i] : &plan->check.written[i - reads];
    if (e->bytes > UINT64_MAX - (uintptr_t)e->pointer || !gp__is_reached(&plan->check, e->pointer, e->bytes))
      return 0; // a whole check says what is wrong
  }
  *result = same
      ? GP_SUCCESS
      : gp__check_apart(plan->check.who, plan->check.read, reads, plan->check.written, plan->check.written_count);
  plan->apart = *result == GP_SUCCESS;
  if (plan->apart && plan->has_values) *result = gp__check_values(&plan->check);
  return *result != (gp_result)GP__UNKNOWN;
}

// A run may change neither what the call does nor its types.
GP__HOST gp_result gp__check_same(const gp_prepared *plan, const gp_call *c) {
#define GP__SAME(member) \
  if (c->member != plan->call.member) \
    return gp__fail(GP_E_ARGUMENT, "gp_prepared_run: call." #member " is %d, but the call was prepared with %d", \
        (int)c->member, (int)plan->call.member);
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
GP__HOST gp_result gp__run_plan(gp__state *s, gp_prepared *plan, gp_stream stream) {
  const char *who = plan->check.who;
  gp_result result;
  int pushed;
  if (gp__wants_to_lend(&plan->q)) {
    gp__workspace own;
    gp__lend(&own, &plan->q, stream);
    return gp__take_back(&own, gp__run_plan(s, plan, stream));
  }
  GP__CHECK(gp__enter(s, who, &pushed));
  result = gp__launch_at(
      s, who, &plan->q, &plan->h, &plan->p, plan->kernels, plan->kernel_count, &plan->g, stream, 0, &plan->recent);
  result = gp__leave(s, who, pushed, result);
  if (result != (gp_result)GP__REFUSED) return result;
  plan->quick = 0;
  return gp__run_request(s, &plan->q, &plan->p, 1, stream, 0);
}
GP__HOST void gp__drop_plan(gp_prepared *plan) {
  gp__let_kernels_go(plan->kernels, plan->kernel_count);
  plan->kernel_count = plan->quick = plan->apart = 0;
}
// Finds the kernels of a checked call; the primary context is current.
GP__HOST gp_result gp__plan_kernels(gp__state *s, gp_prepared *plan) {
  const char *who = plan->check.who;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  const int count = gp__kinds_of(&plan->q, &plan->p, kinds);
  int i;
  for (i = 0; i < count; ++i) {
    GP__CHECK(gp__get_kernel(s, who, &plan->q, &plan->p, &plan->h, kinds[i], 1, &plan->kernels[i]));
    ++plan->kernel_count;
  }
  plan->evictions = __atomic_load_n(&s->evictions, __ATOMIC_RELAXED); // while this call holds its kernels
  return gp__geometry_here(s, who, &plan->q, &plan->h, &plan->p, plan->kernels, count, &plan->g);
}
// Checks a call, makes a plan of it, and runs it.
GP__HOST gp_result gp__run_new_plan(gp__state *s, gp_prepared *plan, const gp_call *call, gp_stream stream) {
  gp__request *q = &plan->q, behind;
  const gp_policy *given = plan->has_given ? &plan->given : NULL;
  const void *pointers[GP__POINTERS];
  gp_result result;
  int pushed;
  gp__drop_plan(plan);
  GP__CHECK(
      gp__check_reached(&plan->check, &plan->whole, s, plan->ctx ? "gp_prepared_run" : "gp_run", call, stream, q));
  call = plan->check.c;
  if (plan->ctx) GP__CHECK(gp__check_same(plan, call));
  else if ((given = call->policy) != NULL) plan->given = *given;
  if (!s->context) return gp__run_on_host(s, q);
  if (gp__composition_of(q) || gp__is_checked(q) || gp__nothing_to_do(q))
    return gp__run_request(s, q, given, 1, stream, 0);
  gp__set_shape(q, &plan->h);
  gp__shape_on(&plan->h, &s->about);
  plan->p = plan->policy;
  if (!plan->ctx || !gp__policy_valid(plan->p, &plan->h))
    GP__CHECK(gp__choose_here(s, q, given, &plan->h, &plan->p, NULL));
  if (s->online && !given) {
    plan->settled = gp__settled(s, q, &plan->h, &plan->p, &plan->settled_as);
    if (!plan->settled) return gp__run_tuned(s, q, stream);
  }
  if (gp__calls_behind(q, &plan->p, 0, &behind)) return gp__run_request(s, q, &plan->p, 1, stream, 0);
  GP__CHECK(gp__enter(s, plan->check.who, &pushed));
  result = gp__leave(s, plan->check.who, pushed, gp__plan_kernels(s, plan));
  if (result != GP_SUCCESS) return result;
  gp__pointers_of(call, pointers);
  plan->call = *call;
  plan->check.c = &plan->call;
  plan->check.pointers = GP__POINTERS_KNOWN;
#define GP__VALUE(member) || call->member
  plan->has_values = 0 GP__CALL_VALUES(GP__VALUE);
#undef GP__VALUE
  plan->never = !gp__is_plain(q, call);
  plan->quick = !plan->never && gp__name_extents(plan, pointers);
  if (plan->quick) plan->equal = gp__set_extents(plan, pointers);
  return gp__run_plan(s, plan, stream);
}

GP__HOST int gp__is_current(const gp_prepared *plan) {
  return !plan->settled || __atomic_load_n(plan->settled, __ATOMIC_RELAXED) == plan->settled_as;
}
GP__HOST gp_result gp__prepared_run(gp__state *s, gp_prepared *plan, const gp_call *call, gp_stream stream) {
  gp_result result = GP_SUCCESS;
  pthread_mutex_lock(&plan->lock);
  if (call && plan->quick && gp__is_current(plan) && gp__plan_serves(plan, call, &result)) {
    if (result == GP_SUCCESS) result = gp__run_plan(s, plan, stream);
  } else result = gp__run_new_plan(s, plan, call, stream);
  pthread_mutex_unlock(&plan->lock);
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
  prepared->recent.keep = 1;
  result = gp__check_call_with(
      &prepared->check, &prepared->whole, s, "gp_prepared_open", call, !s->context, 0, &prepared->q);
  if (result == GP_SUCCESS) {
    prepared->call = *prepared->check.c;
    prepared->has_given = prepared->call.policy != NULL;
    if (prepared->has_given) prepared->given = *prepared->call.policy;
    if (s->context) result = gp__run_request(s, &prepared->q, prepared->call.policy, 0, NULL, 0);
    if (result == GP_SUCCESS && s->context && !gp__composition_of(&prepared->q))
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

// Holds a plan's kernels. The plan ends if kernels have been evicted since.
GP__HOST void gp__hold_kernels(gp__state *s, gp_prepared *plan) {
  int i;
  pthread_mutex_lock(&s->lock);
  if (plan->evictions != s->evictions) plan->kernel_count = plan->quick = 0;
  for (i = 0; i < plan->kernel_count; ++i) gp__use_kernel(s, plan->kernels[i]);
  pthread_mutex_unlock(&s->lock);
}
// Runs a call of gp_run by its plan, made by the second such call of a thread. GP__UNKNOWN: it has none.
GP__HOST gp_result gp__run_by_plan(gp__state *s, const gp_call *c, gp_stream stream) {
  gp_prepared *plan = NULL;
  gp_result result = (gp_result)GP__UNKNOWN;
  if (c && c->struct_size == sizeof *c && s->context && (!s->online || c->policy)) {
    const uint64_t all[] = {(uintptr_t)&gp__here, gp__mixed(c, offsetof(gp_call, in)), c->count + c->segments,
        c->count2 + c->bins + c->k + c->n, (uintptr_t)c->in % GP__VECTOR << 4 | (uintptr_t)c->out % GP__VECTOR};
    const uint64_t number = gp__mixed(all, sizeof all);
    unsigned at = (number >> 40) % GP__PLANS & ~3u;
    const unsigned end = at + 4;
    while (at < end && __atomic_load_n(&s->numbers[at], __ATOMIC_RELAXED) != number) ++at;
    if (at == end) {
      at -= 1 + __atomic_fetch_add(&s->turn, 1, __ATOMIC_RELAXED) % 4;
      __atomic_store_n(&s->numbers[at], number, __ATOMIC_RELAXED);
      return result;
    }
    plan = __atomic_exchange_n(&s->plans[at], plan, __ATOMIC_ACQUIRE);
    if (!plan) plan = (gp_prepared *)calloc(1, sizeof *plan);
    if (!plan) return result;
    gp__hold_kernels(s, plan);
    if (plan->quick ? !gp__plan_serves(plan, c, &result) : !plan->never) result = gp__run_new_plan(s, plan, c, stream);
    else if (result == GP_SUCCESS) result = gp__run_plan(s, plan, stream);
    gp__let_kernels_go(plan->kernels, plan->kernel_count);
    free(__atomic_exchange_n(&s->plans[at], plan, __ATOMIC_RELEASE));
  }
  return result;
}
