// tuner/online.c - calls of the library that are tuned while they run
// uses: api/version.h, api/config.h, api/lists.h, api/policy.h, api/context_types.h, core/words.h, core/rules.h,
//   core/shape.h, core/system.c, core/messages.c, core/libraries.c, core/text.c, core/request.c, core/sha256.c,
//   core/device_text.c, core/names.c, core/state.c, core/life.c, core/check.c, core/choose.c, core/launch_plan.c,
//   core/run.c, tuner/tuner.c, tuner/online_sites.c, tuner/calls.c

// Whether an output of a call is one of its inputs: it cannot be run again.
GP__HOST int gp__writes_its_input(const gp__request *q) {
  const void *const in[] = {q->in, q->in2, q->keys, q->keys2, q->begin, q->end};
  const void *const out[] = {q->out, q->out2, q->out3, q->out_keys, q->out_count};
  size_t i, k;
  for (i = 0; i < sizeof out / sizeof *out; ++i)
    for (k = 0; k < sizeof in / sizeof *in && out[i]; ++k)
      if (out[i] == in[k]) return 1;
  return q->in_layout.columns != NULL;
}

// Whether a stream is captured, for a call that begins.
GP__HOST gp_result gp__is_captured(gp__state *s, const char *who, gp_stream stream, int *capturing) {
  int pushed, error;
  *capturing = 0;
  if (!stream || stream == (gp_stream)1) return GP_SUCCESS;
  GP__CHECK(gp__enter(s, who, &pushed));
  error = s->library.runtime.driver.cuStreamIsCapturing(stream, capturing);
  if (error) gp__cuda_fail(&s->library.runtime, who, "stream: cuStreamIsCapturing", error);
  return gp__leave(s, who, pushed, error ? GP_E_STREAM : GP_SUCCESS);
}
// Runs a call on the best policy known, or on one that may be better, and measures it.
GP__HOST gp_result gp__run_tuned(gp__state *s, const gp__request *q, gp_stream stream) {
  gp__attempt a;
  gp__shape h;
  gp_policy usual;
  gp_result result = GP_SUCCESS;
  int capturing = 0;
  if (!gp__is_tunable(q) || gp__nothing_to_do(q)) return gp__run_request(s, q, NULL, 1, stream, 0);
  GP__CHECK(gp__choose_here(s, q, NULL, &h, &usual, NULL));
  gp__attempt_begins(s->online, q, &h, &usual, q->workspace != NULL, stream, &a);
  if (a.free) result = gp__is_captured(s, gp__primitive_names[q->primitive], stream, &capturing);
  if (capturing || result != GP_SUCCESS) {
    gp__attempt_ends(s->online, &a, 0);
    if (result != GP_SUCCESS) return result;
    gp__attempt_begins(s->online, q, &h, &usual, 1, stream, &a);
  }
  gp__stamped = a.measured ? &a.measured->stamps : NULL;
  result = q->workspace ? gp__run_request(s, q, a.has_policy ? &a.policy : NULL, 1, stream, 0)
      : gp__run_chosen(s, q, &h, a.has_policy ? &a.policy : &usual, 1, stream, 0);
  gp__stamped = NULL;
  gp__attempt_ends(s->online, &a, result != GP_SUCCESS);
  // Kernels and memory are found before anything is launched: then, or into other buffers, the call can run once more.
  if (result != GP_SUCCESS && a.has_policy && (result != GP_E_DRIVER || !gp__writes_its_input(q)))
    result = gp__run_request(s, q, NULL, 1, stream, 0);
  return result;
}

GP__HOST const char *gp__word_of_type(gp_type type, const gp__type_info *info) {
  return info ? "user" : type > GP_TYPE_DEFAULT && type < GP_TYPE_COUNT ? gp__type_rows[type].name : "";
}
GP__HOST const char *gp__word_of_op(gp_op op, const gp__op_info *info) {
  return info ? "user" : op > GP_OP_DEFAULT && op < GP_OP_COUNT ? gp__op_rows[op].name : "";
}
// Writes the call of a site as a member of a report.
GP__HOST void gp__report_call(const gp__request *q, gp__text *t) {
  const int user = q->user_op || q->user_transform || q->user_equal || q->in_struct || q->in2_struct || q->acc_struct ||
      q->out_struct || q->key_struct;
  gp__add(t, "\"call\": {\"primitive\": \"%s\", \"op\": \"%s\", \"transform\": \"%s\", \"equal\": \"%s\", ",
      gp__primitive_names[q->primitive] + 3, gp__word_of_op(q->op, q->user_op),
      gp__word_of_op(q->transform, q->user_transform), gp__word_of_op(q->equal, q->user_equal));
  gp__add(t, "\"in\": \"%s\", \"in2\": \"%s\", \"acc\": \"%s\", \"out\": \"%s\", \"key\": \"%s\", ",
      gp__word_of_type(q->in_type, q->in_struct), gp__word_of_type(q->in2_type, q->in2_struct),
      gp__word_of_type(q->acc_type, q->acc_struct), gp__word_of_type(q->out_type, q->out_struct),
      gp__word_of_type(q->key_type, q->key_struct));
  gp__add(t, "\"offset\": \"%s\", \"out2\": \"%s\", \"flags\": %d, \"user\": %d}, ",
      gp__word_of_type(q->offset_type, NULL), gp__word_of_type(q->out2_type, NULL), q->flags, user);
}
GP__HOST gp_result gp__tuning_report(gp__state *s, char *text, size_t capacity, size_t *length) {
  gp__text report = {NULL, 0, 0, 0}, call = {NULL, 0, 0, 0};
  gp__part_set parts;
  char header[GP__HEX] = "";
  gp__online *o = s->online;
  const gp__site *x;
  if (!length) return gp__fail(GP_E_NULL, "gp_tuning_report: length is null");
  *length = 0;
  if (!text && capacity) return gp__fail(GP_E_NULL, "gp_tuning_report: text is null");
  if (!o) return gp__fail(GP_E_ARGUMENT, "gp_tuning_report: ctx has no calls that are tuned: set gp_config.tuning");
  memset(parts, 1, sizeof parts);
  if (gp__device_text()) gp__hash_parts(parts, header);
  pthread_mutex_lock(&s->library.runtime.nvrtc_lock);
  gp__add(&report,
      "{\"tuning\": \"gpuprims\", \"version\": \"%s\", \"device\": \"%s\", \"compute_capability\": %d, "
      "\"multiprocessors\": %d, \"memory_bytes\": %llu, \"driver\": %d, \"nvrtc\": %d, \"header\": \"%.16s\", "
      "\"unix_seconds\": %lld}\n",
      GPUPRIMS_VERSION, s->about.name, s->about.compute_capability, s->about.multiprocessors,
      (gp__u64)s->about.memory_bytes, s->about.driver_version, s->library.runtime.nvrtc_version, header,
      (long long)time(NULL));
  pthread_mutex_unlock(&s->library.runtime.nvrtc_lock);
  pthread_mutex_lock(&o->searches);
  pthread_mutex_lock(&o->lock);
  x = o->sites;
  pthread_mutex_unlock(&o->lock);
  for (; x; x = x->older)
    if (x->tuner && !x->failed) {
      call.size = 0;
      gp__report_call(&x->q, &call);
      gp__report_tuner(x->tuner, gp__string(&call), &report);
    }
  pthread_mutex_unlock(&o->searches);
  gp__free_text(&call);
  if (report.failed) {
    gp__free_text(&report);
    return gp__fail(GP_E_MEMORY, "gp_tuning_report: no memory");
  }
  *length = gp__hand_report_out(&report, text, capacity);
  return GP_SUCCESS;
}
GP__API gp_result gp_tuning_report(gp_context *ctx, char *text, size_t capacity, size_t *length) {
  GP__WITHIN(ctx, "gp_tuning_report", gp__tuning_report(s, text, capacity, length));
}
