// core/ask.c - queries about a call before it runs
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/call.h, api/init.h, api/run.h, core/words.h,
//   core/rules.h, core/shape.h, core/geometry.h, core/families.h, core/system.c, core/messages.c, core/struct_size.c,
//   core/driver.c, core/libraries.c, core/text.c, core/request.c, core/table.c, core/names.c, core/kinds.c,
//   core/primitive.c, core/state.c, core/life.c, core/open.c, core/types.c, core/check.c, core/shape.c, core/choose.c,
//   core/kinds_of.c, core/spelling.c, core/kernel_text.c, core/kernels.c, core/load.c, core/workspaces.c,
//   core/launch_plan.c, core/run.c

// Addresses of elements modulo 16 that decide what a call needs: none, the largest, and half a vector.
GP__HOST int gp__misaligned_by(int size, int which) {
  const int most = GP__VECTOR - 1, half = GP__VECTOR / 2;
  return size < 1 || !which ? 0 : which == 1 && size < GP__VECTOR ? most / size * size : half;
}
// Raises *bytes to the most of what aligned and misaligned buffers need: the answer holds for all pointers. (A shape
// that a family derives from pointers stays as it is: a transpose in place needs nothing or everything.)
GP__HOST gp_result gp__workspace_of(gp__state *s, const gp__request *q, const gp_policy *given, uint64_t *bytes) {
  const gp__composition *composed = gp__composition_of(q);
  gp__request behind;
  uint64_t row = 0;
  int shift;
  for (shift = 0; shift < 16; ++shift) {
    gp__shape h = gp__shape_of(q);
    gp_policy p;
    gp_policy_source source;
    gp__geometry g;
    gp_result result;
    const int in = gp__misaligned_by((int)(shift % 5 < 3 ? q->in_size : q->key_size), shift % 5 % 3 + shift % 5 / 3);
    const int out = gp__misaligned_by((int)q->out_size, shift / 5);
    gp__shape_on(&h, &s->about);
    if (composed) return composed->room(s, q, given, &h, bytes);
    if (shift < 15) { // the last time, as it is
      h.in_misaligned = in;
      if (!gp__methods_of(q)->shape) h.out_misaligned = out;
    }
    result = gp__choose(gp__primitive_names[q->primitive], given, &h, &s->table, &p, &source);
    if (result != GP_SUCCESS && !shift) return result;
    if (result != GP_SUCCESS) continue; // a policy that does not serve such buffers
    g = gp__geometry_of(p, &h, 0);
    if (gp__workspace_bytes(&g) > *bytes) *bytes = gp__workspace_bytes(&g);
    for (; !shift && gp__next_behind(q, &p, row, &behind); ++row) GP__CHECK(gp__workspace_of(s, &behind, NULL, bytes));
  }
  return GP_SUCCESS;
}

GP__HOST gp_result gp__workspace_of_call(gp__state *s, const gp__request *q, const gp_policy *given, uint64_t *bytes) {
  GP__CHECK(gp__workspace_of(s, q, given, bytes));
  if (gp__is_checked(q)) {
    const gp__request check = gp__methods_of(q)->checked(q);
    return gp__workspace_of(s, &check, NULL, bytes);
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__workspace_size(gp__state *s, const gp_call *call, uint64_t *bytes) {
  gp__request q;
  if (!bytes) return gp__fail(GP_E_NULL, "gp_workspace_size: bytes is null");
  *bytes = 0;
  GP__CHECK(gp__check_call(s, "gp_workspace_size", call, !s->context, 0, &q));
  return s->context ? gp__workspace_of_call(s, &q, call->policy, bytes) : GP_SUCCESS;
}
GP__API gp_result gp_workspace_size(gp_context *ctx, const gp_call *call, uint64_t *bytes) {
  GP__WITHIN(ctx, "gp_workspace_size", gp__workspace_size(s, call, bytes));
}
GP__HOST gp_result gp__workspace_size_on(
    gp__state *s, const gp_call *call, const gp_description *device, uint64_t *bytes) {
  const char *who = "gp_workspace_size_on";
  gp__state *there; // the same types and operators on that device
  gp_description own;
  gp__request q;
  gp_result result;
  if (!call) return gp__fail(GP_E_NULL, "%s: call is null", who);
  if (!device) return gp__fail(GP_E_NULL, "%s: device is null", who);
  if (!bytes) return gp__fail(GP_E_NULL, "%s: bytes is null", who);
  *bytes = 0;
  GP__TAKE_STRUCT(who, "device", device, own, gp_description);
  if (device->compute_capability < 75)
    return gp__fail(GP_E_DEVICE_TOO_OLD, "%s: device.compute_capability is %d; 75 is the oldest that works", who,
        device->compute_capability);
  if (device->multiprocessors < 1)
    return gp__fail(GP_E_ARGUMENT, "%s: device.multiprocessors is %d, not 1 or more", who, device->multiprocessors);
  GP__CHECK(gp__check_call(s, who, call, 0, 0, &q));
  there = (gp__state *)calloc(1, sizeof *there);
  if (!there || !gp__share_types(there, s)) {
    free(there);
    return gp__fail(GP_E_MEMORY, "%s: no memory", who);
  }
  pthread_mutex_init(&there->lock, NULL);
  there->about = *device;
  if (!there->about.shared_bytes_per_block)
    there->about.shared_bytes_per_block = gp__shared_bytes_of(device->compute_capability);
  there->about.name[sizeof there->about.name - 1] = 0;
  gp__make_table(&there->table, there->about.name, device->compute_capability);
  result = gp__workspace_of_call(there, &q, call->policy, bytes);
  pthread_mutex_destroy(&there->lock);
  free(there->types);
  free(there->ops);
  free(there);
  return result;
}
GP__API gp_result gp_workspace_size_on(
    gp_context *ctx, const gp_call *call, const gp_description *device, uint64_t *bytes) {
  GP__WITHIN(ctx, "gp_workspace_size_on", gp__workspace_size_on(s, call, device, bytes));
}

GP__HOST gp_result gp__reserve(gp__state *s, gp_stream stream, uint64_t bytes) {
  const char *who = "gp_reserve";
  gp_result result = GP_SUCCESS;
  gp__u64 key;
  int pushed, capturing;
  if (!s->context || !bytes) return GP_SUCCESS;
  GP__CHECK(gp__enter(s, who, &pushed));
  result = gp__number_of_stream(s, who, stream, &key, &capturing);
  if (result == GP_SUCCESS) {
    gp__workspace *r;
    result = gp__find_stream(s, who, key, stream, capturing, &r);
    if (result == GP_SUCCESS) {
      gp__lock_stream(r, capturing);
      if (r->bytes < bytes) result = gp__grow(s, who, r, stream, bytes, 0, capturing);
      gp__unlock_stream(s, r);
    }
  }
  return gp__leave(s, who, pushed, result);
}
GP__API gp_result gp_reserve(gp_context *ctx, gp_stream stream, uint64_t bytes) {
  GP__WITHIN(ctx, "gp_reserve", gp__reserve(s, stream, bytes));
}

// The policy of a call that runs now.
GP__HOST gp_result gp__choose_now(gp__state *s, const gp__request *q, const gp_policy *given, gp__shape *h,
    gp_policy *policy, gp_policy_source *source) {
  GP__CHECK(gp__choose_here(s, q, given, h, policy, source));
  if (!given && gp__learned(s, q, h, policy)) *source = GP_POLICY_ONLINE;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__policy_origin(gp__state *s, const gp_call *call, gp_policy *policy, gp_policy_source *source) {
  gp_result result = GP_SUCCESS;
  gp__request q;
  gp__shape h;
  gp_policy chosen;
  if (!policy) return gp__fail(GP_E_NULL, "gp_policy_origin: policy is null");
  if (!source) return gp__fail(GP_E_NULL, "gp_policy_origin: source is null");
  memset(&chosen, 0, sizeof chosen); // *policy may be *call->policy
  *source = GP_POLICY_HOST;
  result = gp__check_call(s, "gp_policy_origin", call, !s->context, 0, &q);
  if (result == GP_SUCCESS && s->context) result = gp__choose_now(s, &q, call->policy, &h, &chosen, source);
  *policy = chosen;
  return result;
}
GP__API gp_result gp_policy_origin(gp_context *ctx, const gp_call *call, gp_policy *policy, gp_policy_source *source) {
  GP__WITHIN(ctx, "gp_policy_origin", gp__policy_origin(s, call, policy, source));
}

GP__HOST gp_result gp__policy_echo(gp__state *s, const gp_call *call, gp_policy *policy) {
  const char *who = "gp_policy_echo";
  gp_result result = GP_SUCCESS;
  gp__request q;
  gp__shape h;
  gp_policy p;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__cu_pointer from = 0;
  size_t bytes = 0;
  gp_policy_source origin;
  int pushed, count, i, number[8], error = 0;
  const char *call_name = "cuModuleGetGlobal";
  if (!policy) return gp__fail(GP_E_NULL, "%s: policy is null", who);
  result = gp__check_call(s, who, call, !s->context, 0, &q);
  if (result == GP_SUCCESS && s->context) result = gp__choose_now(s, &q, call->policy, &h, &p, &origin);
  memset(policy, 0, sizeof *policy); // only now: it may be *call->policy
  if (result != GP_SUCCESS || !s->context) return result;
  GP__CHECK(gp__enter(s, who, &pushed));
  count = gp__kinds_of(&q, &p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS; ++i) { // all kernels of a call must say the same
    gp_policy said = p; // arguments carry what is not compiled in
    gp__kernel *k = NULL;
    result = gp__get_kernel(s, who, &q, &p, &h, kinds[i], 1, &k);
    if (result != GP_SUCCESS) break;
    call_name = "cuModuleGetGlobal";
    error = s->library.runtime.driver.cuModuleGetGlobal(&from, &bytes, k->code->module, "gp__echo");
    if (!error && bytes != sizeof number)
      result = gp__fail(
          GP_E_DRIVER, "%s: the kernel reports a policy of %d bytes, not %d", who, (int)bytes, (int)sizeof number);
    if (!error && result == GP_SUCCESS)
      call_name = "cuMemcpyDtoH", error = s->library.runtime.driver.cuMemcpyDtoH(number, from, sizeof number);
    if (error) result = gp__cuda_fail(&s->library.runtime, who, call_name, error);
    gp__let_kernels_go(&k, 1);
    if (result != GP_SUCCESS) break;
    memset(&said, 0, sizeof said); // fields of a launch's arguments are not compiled in
    said.algorithm = number[0], said.threads = number[1], said.vectors = number[2], said.load = number[3];
    said.store = number[4], said.stages = number[5], said.blocks_per_sm = number[6], said.overlap = number[7];
    if (i == 0) *policy = said;
    else {
      const gp_policy own = gp__policy_of_kind(*policy, &h, kinds[i]);
      if (memcmp(&said, &own, sizeof said) != 0)
        result = gp__fail(GP_E_POLICY, "%s: the kernels of the call were compiled for different policies", who);
    }
  }
  return gp__leave(s, who, pushed, result);
}
GP__API gp_result gp_policy_echo(gp_context *ctx, const gp_call *call, gp_policy *policy) {
  GP__WITHIN(ctx, "gp_policy_echo", gp__policy_echo(s, call, policy));
}

GP__HOST gp_result gp__kernel_origin(
    gp__state *s, const gp_call *call, gp_kernel_source *source, char *name, size_t capacity) {
  gp_result result = GP_SUCCESS;
  gp__request q;
  gp__shape h;
  gp_policy p;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__text text = {NULL, 0, 0, 0};
  gp__spelling spelling;
  gp_policy_source origin;
  int count, i;
  if (!source) return gp__fail(GP_E_NULL, "gp_kernel_origin: source is null");
  if (!name && capacity) return gp__fail(GP_E_NULL, "gp_kernel_origin: name is null");
  *source = s->context ? GP_KERNEL_NONE : GP_KERNEL_HOST;
  if (capacity) *name = 0;
  result = gp__check_call(s, "gp_kernel_origin", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  GP__CHECK(gp__choose_now(s, &q, call->policy, &h, &p, &origin));
  count = gp__kinds_of(&q, &p, kinds);
  for (i = 0; i < count; ++i) { // of several kernels, the last one's
    const gp_policy own = gp__policy_of_kind(p, &h, kinds[i]);
    const gp__kernel *k;
    gp__spell(&q, &own, &h, kinds[i], 0, &spelling);
    pthread_mutex_lock(&s->lock);
    k = gp__find_kernel(s, gp__slot(&spelling), &spelling);
    *source = k && k->state == 2 ? k->code->source : GP_KERNEL_NONE;
    pthread_mutex_unlock(&s->lock);
  }
  if (count) gp__name_kernel(&spelling, &text);
  if (text.failed) result = gp__fail(GP_E_MEMORY, "gp_kernel_origin: no memory");
  else if (capacity) snprintf(name, capacity, "%s", gp__string(&text));
  gp__free_text(&text);
  return result;
}
GP__API gp_result gp_kernel_origin(
    gp_context *ctx, const gp_call *call, gp_kernel_source *source, char *name, size_t capacity) {
  GP__WITHIN(ctx, "gp_kernel_origin", gp__kernel_origin(s, call, source, name, capacity));
}

GP__HOST gp_result gp__compile_request(gp__state *s, const char *who, const gp__request *q, const gp_policy *given,
    const gp_description *on, const gp__table *table, gp_take_image_fn take, void *user) {
  gp__request behind;
  gp__shape h = gp__shape_of(q);
  gp_policy p;
  gp_policy_source source;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp_result result = GP_SUCCESS;
  uint64_t row = 0;
  int count, i;
  gp__shape_on(&h, on);
  GP__CHECK(gp__choose(gp__primitive_names[q->primitive], given, &h, table, &p, &source));
  count = gp__kinds_of(q, &p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS; ++i) {
    gp__kernel *k = NULL;
    result = gp__get_kernel(s, who, q, &p, &h, kinds[i], 0, &k);
    if (k) {
      const char *outer = gp__hook_begins("gp_take_image_fn");
      take(user, k->code->key, k->code->image.data, k->code->image.bytes);
      gp__hook_ends(outer);
    }
    gp__let_kernels_go(&k, 1);
  }
  for (; result == GP_SUCCESS && gp__next_behind(q, &p, row, &behind); ++row)
    result = gp__compile_request(s, who, &behind, NULL, on, table, take, user);
  return result;
}

GP__HOST gp_result gp__compile_on(
    gp__state *s, const gp_call *call, const gp_description *on, gp_take_image_fn take, void *user) {
  const char *who = "gp_compile";
  gp_result result = GP_SUCCESS;
  gp__table table;
  gp__request q;
  if (!take) return gp__fail(GP_E_NULL, "%s: take is null", who);
  if (on->compute_capability < 75)
    return gp__fail(
        GP_E_DEVICE_TOO_OLD, "%s: compute_capability is %d; 75 is the oldest that works", who, on->compute_capability);
  GP__CHECK(gp__check_call(s, who, call, 0, 0, &q));
  gp__make_table(&table, on->name, on->compute_capability);
  result = gp__compile_request(s, who, &q, call->policy, on, &table, take, user);
  if (result == GP_SUCCESS && gp__is_checked(&q)) {
    const gp__request check = gp__methods_of(&q)->checked(&q);
    result = gp__compile_request(s, who, &check, NULL, on, &table, take, user);
  }
  if (result == GP_SUCCESS && gp__composition_of(&q)) {
    gp__request calls[GP__CALLS_MAX];
    int count, i;
    q.policy = call->policy;
    result = gp__composition_of(&q)->calls(s, &q, calls, &count);
    for (i = 0; i < count && result == GP_SUCCESS; ++i)
      result = gp__compile_request(s, who, &calls[i], calls[i].policy, on, &table, take, user);
  }
  return result;
}
GP__API gp_result gp_compile(
    gp_context *ctx, const gp_call *call, int compute_capability, gp_take_image_fn take, void *user) {
  gp_description on = gp_description_init();
  on.compute_capability = compute_capability;
  on.multiprocessors = 1;
  on.shared_bytes_per_block = gp__shared_bytes_of(compute_capability);
  GP__WITHIN(ctx, "gp_compile", gp__compile_on(s, call, &on, take, user));
}
