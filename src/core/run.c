// core/run.c - running a call
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, api/call.h, core/rules.h,
//   core/shape.h, core/geometry.h, core/families.h, core/system.c, core/libraries.c, core/request.c, core/names.c,
//   core/kinds.c, core/primitive.c, host/run.c, core/state.c, core/life.c, core/checking.c, core/check.c,
//   core/choose.c, core/kinds_of.c, core/kernels.c, core/load.c, core/workspaces.c, core/launch.c, core/launch_plan.c,
//   host/inputs.c

GP__HOST gp_result gp__workspace_of(gp__state *s, const gp__request *q, const gp_policy *given, uint64_t *bytes);
// Makes the call at `row` of those that follow, and returns how many follow.
GP__HOST uint64_t gp__calls_behind(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call) {
  const gp__family *family = gp__methods_of(q);
  return family->behind ? family->behind(q, p, row, call) : 0;
}
// The same; 0: it needs the kernels and the room of the call at row 0.
GP__HOST int gp__next_behind(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call) {
  return (!row || q->column_count) && row < gp__calls_behind(q, p, row, call);
}
GP__HOST gp_result gp__run_request(
    gp__state *s, const gp__request *q, const gp_policy *given, int run, gp_stream stream, uint64_t least);
// Finds the kernels of a call of this shape and policy; with `run`, launches in a workspace of at least `least` bytes.
GP__HOST gp_result gp__run_chosen(
    gp__state *s, const gp__request *q, gp__form h, const gp_policy *p, int run, gp_stream stream, uint64_t least) {
  const char *who = gp__primitive_names[q->primitive];
  const gp__family *family = gp__methods_of(q);
  const gp__composition *composed = gp__composition_of(q);
  gp__request behind;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__kernel *kernels[GP__KINDS_MAX] = {NULL};
  gp_result result = GP_SUCCESS;
  const int idle = run && gp__nothing_to_do(q);
  uint64_t row = 0;
  int pushed, count, i;
  if (idle && !gp__is_checked(q)) return GP_SUCCESS;
  GP__CHECK(gp__enter(s, who, &pushed));
  if (composed) return gp__leave(s, who, pushed, composed->run(s, q, p, run, stream, least));
  count = gp__kinds_of(q, p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS && !idle; ++i)
    result = gp__get_kernel(s, who, q, p, h, kinds[i], 1, &kernels[i]);
  if (result == GP_SUCCESS && gp__is_checked(q)) { // first; both find room in the workspace, or neither is launched
    const gp__request check = family->checked(q);
    const gp__geometry g = gp__geometry_of(*p, h, 0);
    result = gp__run_request(s, &check, NULL, run, stream, gp__workspace_bytes(&g));
  }
  for (; result == GP_SUCCESS && !idle && gp__next_behind(q, p, row, &behind); ++row) {
    uint64_t room = least; // kernels and room before anything happens
    result = gp__run_request(s, &behind, NULL, 0, stream, 0);
    if (result == GP_SUCCESS) result = gp__workspace_of(s, &behind, NULL, &room);
    least = room;
  }
  if (result == GP_SUCCESS && run && !idle) result = gp__launch(s, who, q, h, p, kernels, count, stream, least);
  gp__let_kernels_go(kernels, count);
  if (result == (gp_result)GP__REFUSED && family->refused) {
    gp__log(&s->library.runtime, GP_LOG_WARNING,
        "%s: the device refused a cooperative launch: falling back to one launch per pass", who);
    result = gp__run_request(s, q, family->refused, run, stream, least);
  }
  if (result == (gp_result)GP__REFUSED) { // nothing has been launched that would matter
    gp__request steps = *q;
    gp__log(&s->library.runtime, GP_LOG_WARNING,
        "%s: the device refused a cooperative launch: falling back to one launch per step", who);
    steps.stepwise = 1;
    memset(kernels, 0, sizeof kernels);
    count = gp__kinds_of(&steps, p, kinds);
    for (i = 0, result = GP_SUCCESS; i < count && result == GP_SUCCESS; ++i)
      result = gp__get_kernel(s, who, &steps, p, h, kinds[i], 1, &kernels[i]);
    if (result == GP_SUCCESS) result = gp__launch(s, who, &steps, h, p, kernels, count, stream, least);
    gp__let_kernels_go(kernels, count);
  }
  for (row = 0; run && !idle && result == GP_SUCCESS && row < gp__calls_behind(q, p, row, &behind); ++row)
    result = gp__run_request(s, &behind, NULL, 1, stream, 0);
  return gp__leave(s, who, pushed, result);
}

// Chooses the policy first.
GP__HOST gp_result gp__run_request(
    gp__state *s, const gp__request *q, const gp_policy *given, int run, gp_stream stream, uint64_t least) {
  gp__shape h;
  gp_policy p;
  if (run && gp__wants_to_lend(q)) {
    gp__workspace own;
    gp__lend(&own, q, stream);
    return gp__take_back(&own, gp__run_request(s, q, given, run, stream, least));
  }
  GP__CHECK(gp__choose_here(s, q, given, &h, &p, NULL));
  return gp__run_chosen(s, q, &h, &p, run, stream, least);
}

// Checks a call with the places of its buffers and values. Not under capture: a graph's own memory is there when the
// graph runs, and the driver may not know it yet.
GP__HOST gp_result gp__check_memory_of_call(gp__checking *k, gp_call *whole, gp__state *s, const char *caller,
    const gp_call *call, gp_stream stream, gp__request *q) {
  int capturing = 0, pushed = 0, error = 0;
  gp_result result = s->context ? gp__enter(s, caller, &pushed) : GP_SUCCESS;
  if (result != GP_SUCCESS) return result;
  if (s->context && stream && stream != (gp_stream)1)
    error = s->library.runtime.driver.cuStreamIsCapturing(stream, &capturing);
  if (error) {
    gp__cuda_fail(&s->library.runtime, caller, "stream: cuStreamIsCapturing", error);
    result = GP_E_STREAM;
  } else {
    result = gp__check_call_with(
        k, whole, s, caller, call, !s->context, capturing ? GP__POINTERS_GIVEN : GP__POINTERS_REACHED, q);
  }
  return gp__leave(s, caller, pushed, result);
}
// Checks a call that will run. Asks the driver about pointers into places that no call has asked about, and about all
// pointers with GP_CHECKED.
GP__HOST gp_result gp__check_reached(gp__checking *k, gp_call *whole, gp__state *s, const char *caller,
    const gp_call *call, gp_stream stream, gp__request *q) {
  gp_result result = (gp_result)GP__UNKNOWN;
  if (!call || !(call->flags & GP_CHECKED))
    result = gp__check_call_with(k, whole, s, caller, call, !s->context, GP__POINTERS_KNOWN, q);
  return result == (gp_result)GP__UNKNOWN ? gp__check_memory_of_call(k, whole, s, caller, call, stream, q) : result;
}
GP__HOST gp_result gp__run_on_host(gp__state *s, gp__request *q) {
  gp__request column;
  uint64_t i;
  if (q->count_device && *q->count_device < q->count) q->count = *q->count_device;
  if (q->init_device) memcpy(q->init.bytes, q->init_device, q->acc_size);
  if (gp__is_checked(q) && q->bad) {
    const gp__request check = gp__methods_of(q)->checked(q);
    const gp_result result = gp__host_run(&check, s->host_threads);
    if (result != GP_SUCCESS || *q->bad != UINT64_MAX) return result;
  }
  if (gp__nothing_to_do(q) && !gp__is_checked(q)) return GP_SUCCESS;
  GP__CHECK(gp__host_run_described(q, s->host_threads));
  for (i = 0; i < q->column_count && gp__calls_behind(q, NULL, i, &column); ++i)
    GP__CHECK(gp__host_run(&column, s->host_threads));
  return GP_SUCCESS;
}
GP__HOST gp_result gp__run_by_plan(gp__state *s, const gp_call *c, gp_stream stream);
GP__HOST gp_result gp__run_call(gp__state *s, const gp_call *call, gp_stream stream) {
  gp__checking k;
  gp_call whole;
  gp__request q;
  const gp_result result = gp__run_by_plan(s, call, stream);
  if (result != (gp_result)GP__UNKNOWN) return result;
  GP__CHECK(gp__check_reached(&k, &whole, s, "gp_run", call, stream, &q));
  if (!s->context) return gp__run_on_host(s, &q);
  return s->online && !call->policy ? gp__run_tuned(s, &q, stream) : gp__run_request(s, &q, call->policy, 1, stream, 0);
}
GP__API gp_result gp_run(gp_context *ctx, const gp_call *call, gp_stream stream) {
  GP__WITHIN(ctx, "gp_run", gp__run_call(s, call, stream));
}

GP__HOST gp_result gp__prepare_call(gp__state *s, const gp_call *call) {
  gp_result result = GP_SUCCESS;
  gp__request q;
  result = gp__check_call(s, "gp_prepare", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  return gp__run_request(s, &q, call->policy, 0, NULL, 0);
}
GP__API gp_result gp_prepare(gp_context *ctx, const gp_call *call) {
  GP__WITHIN(ctx, "gp_prepare", gp__prepare_call(s, call));
}
