// tuner/calls.c - the tuner's functions of the API
// uses: api/config.h, api/lists.h, api/context_types.h, api/tuner.h, core/rules.h, core/system.c, core/messages.c,
//   core/struct_size.c, core/text.c, core/state.c, core/life.c, core/close.c, tuner/points.c, tuner/tuner.c,
//   tuner/memory.c, tuner/sections.c

GP__HOST gp_result gp__tuner_open(gp__state *s, gp_context *ctx, const gp_tuner_config *config, gp_tuner **tuner) {
  const char *who = "gp_tuner_open";
  gp_tuner_config own;
  gp_tuner *t;
  int failed = 0;
  (void)s;
  if (!tuner) return gp__fail(GP_E_NULL, "%s: tuner is null", who);
  *tuner = NULL;
  if (!config) return gp__fail(GP_E_NULL, "%s: config is null", who);
  GP__TAKE_STRUCT(who, "config", config, own, gp_tuner_config);
  if ((int)config->search < 0 || (int)config->search > (int)GP_SEARCH_SURROGATE)
    return gp__fail(GP_E_ARGUMENT, "%s: config.search is %d, not a gp_tuner_search", who, (int)config->search);
  if (!(config->budget >= 0 && config->budget <= 1))
    return gp__fail(GP_E_ARGUMENT, "%s: config.budget is %g, not from 0 to 1", who, config->budget);
  if (config->name && (!*config->name || strlen(config->name) > 255 || strpbrk(config->name, "\r\n\"\\")))
    return gp__fail(GP_E_ARGUMENT,
        "%s: config.name is empty, longer than 255 bytes, or has a line break, a quote or a backslash", who);
  t = (gp_tuner *)calloc(1, sizeof *t);
  if (t) t->name = gp__duplicate(config->name, &failed);
  if (!t || failed) {
    free(t);
    return gp__fail(GP_E_MEMORY, "%s: no memory", who);
  }
  t->ctx = ctx;
  t->kind = config->search;
  t->budget = config->budget > 0 ? config->budget : 0.05;
  t->seed = config->seed;
  t->valid = config->valid;
  t->user = config->user;
  pthread_mutex_init(&t->lock, NULL);
  *tuner = t;
  return GP_SUCCESS;
}
GP__API gp_result gp_tuner_open(gp_context *ctx, const gp_tuner_config *config, gp_tuner **tuner) {
  if (tuner) *tuner = NULL;
  GP__WITHIN(ctx, "gp_tuner_open", gp__tuner_open(s, ctx, config, tuner));
}

GP__API gp_result gp_tuner_add_parameter(gp_tuner *tuner, const char *name, int *variable, gp_range range, int value) {
  gp_result result;
  if (!tuner) return gp__fail(GP_E_NULL, "gp_tuner_add_parameter: tuner is null");
  pthread_mutex_lock(&tuner->lock);
  result = gp__tuner_add(tuner, name, variable, &range, value);
  pthread_mutex_unlock(&tuner->lock);
  return result;
}

GP__HOST gp_result gp__check_tuner_numbers(const char *who, const uint64_t *numbers, int count) {
  if (count && !numbers) return gp__fail(GP_E_NULL, "%s: numbers is null", who);
  if (count < 0 || count > GP_TUNER_NUMBERS)
    return gp__fail(GP_E_ARGUMENT, "%s: count is %d, not from 0 to %d", who, count, GP_TUNER_NUMBERS);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__tuner_enter(gp_tuner *t, const char *who, const uint64_t *numbers, int count, gp_stream stream) {
  gp_result result = GP_SUCCESS;
  gp__state *s;
  int point[GP__TUNED_MOST];
  if (!t) return gp__fail(GP_E_NULL, "%s: tuner is null", who);
  GP__CHECK(gp__check_tuner_numbers(who, numbers, count));
  s = gp__begin(t->ctx, who, &result);
  pthread_mutex_lock(&t->lock);
  if (s) result = gp__tuner_start(t, s, who, numbers, count, stream);
  else if (!t->section_count) {
    gp__default_point(t, point);
    gp__set_variables(t, point);
  }
  pthread_mutex_unlock(&t->lock);
  return s ? gp__end(t->ctx, result) : result;
}
GP__API gp_result gp_tuner_start(gp_tuner *tuner, gp_stream stream) {
  return gp__tuner_enter(tuner, "gp_tuner_start", NULL, 0, stream);
}
GP__API gp_result gp_tuner_start_for(gp_tuner *tuner, const uint64_t *numbers, int count, gp_stream stream) {
  return gp__tuner_enter(tuner, "gp_tuner_start_for", numbers, count, stream);
}

GP__HOST gp_result gp__tuner_leave(gp_tuner *t, const char *who, gp_stream stream, int way) {
  gp_result result = GP_SUCCESS;
  gp__state *s;
  if (!t) return gp__fail(GP_E_NULL, "%s: tuner is null", who);
  s = gp__begin(t->ctx, who, &result);
  if (!s) return result;
  pthread_mutex_lock(&t->lock);
  result = gp__tuner_stop(t, s, who, stream, way);
  pthread_mutex_unlock(&t->lock);
  return gp__end(t->ctx, result);
}
GP__API gp_result gp_tuner_stop(gp_tuner *tuner, gp_stream stream) {
  return gp__tuner_leave(tuner, "gp_tuner_stop", stream, GP__SECTION_STOPS);
}
GP__API gp_result gp_tuner_restart(gp_tuner *tuner, gp_stream stream) {
  return gp__tuner_leave(tuner, "gp_tuner_restart", stream, GP__SECTION_RESTARTS);
}
GP__API gp_result gp_tuner_reject(gp_tuner *tuner) {
  return gp__tuner_leave(tuner, "gp_tuner_reject", NULL, GP__SECTION_IS_REJECTED);
}

GP__HOST gp_result gp__tuner_best(gp_tuner *t, gp__state *s, const uint64_t *numbers, int count, int *values,
    double *us, int *measured, int *searching) {
  const char *who = "gp_tuner_best";
  const gp__size_bucket *b;
  int point[GP__TUNED_MOST], bucket, i, pushed = 0;
  GP__CHECK(gp__check_tuner_numbers(who, numbers, count));
  if (!values) return gp__fail(GP_E_NULL, "%s: values is null", who);
  if (t->started) {
    if (s->context) GP__CHECK(gp__enter(s, who, &pushed));
    GP__CHECK(gp__leave(s, who, pushed, gp__collect_timings(t, s, who)));
  }
  bucket = gp__find_bucket(t, numbers, count, 0);
  b = bucket < 0 ? NULL : &t->buckets[bucket];
  gp__default_point(t, point);
  if (b) memcpy(point, b->best, sizeof point);
  for (i = 0; i < t->parameters; ++i) values[i] = t->tuned[i].values[point[i]];
  if (us) *us = b ? b->us : 0;
  if (measured) *measured = b ? b->measured : 0;
  if (searching) *searching = !b || !b->done;
  return GP_SUCCESS;
}
GP__API gp_result gp_tuner_best(
    gp_tuner *tuner, const uint64_t *numbers, int count, int *values, double *us, int *measured, int *searching) {
  gp_result result = GP_SUCCESS;
  gp__state *s;
  if (!tuner) return gp__fail(GP_E_NULL, "gp_tuner_best: tuner is null");
  s = gp__begin(tuner->ctx, "gp_tuner_best", &result);
  if (!s) return result;
  pthread_mutex_lock(&tuner->lock);
  result = gp__tuner_best(tuner, s, numbers, count, values, us, measured, searching);
  pthread_mutex_unlock(&tuner->lock);
  return gp__end(tuner->ctx, result);
}

// Copies a report to the caller's memory; returns its length.
GP__HOST size_t gp__hand_report_out(gp__text *report, char *text, size_t capacity) {
  const size_t length = report->failed ? 0 : report->size;
  if (capacity) snprintf(text, capacity, "%s", report->failed ? "" : gp__string(report));
  gp__free_text(report);
  return length;
}
GP__API size_t gp_tuner_report(gp_tuner *tuner, char *text, size_t capacity) {
  gp__text report = {NULL, 0, 0, 0};
  if (!tuner) return 0;
  pthread_mutex_lock(&tuner->lock);
  gp__report_tuner(tuner, "", &report);
  pthread_mutex_unlock(&tuner->lock);
  return gp__hand_report_out(&report, text, text ? capacity : 0);
}

GP__API gp_result gp_tuner_close(gp_tuner *tuner) {
  gp_result result = GP_SUCCESS;
  gp__state *s;
  int pushed = 0;
  if (!tuner) return gp__fail(GP_E_NULL, "gp_tuner_close: tuner is null");
  if (gp__is_hook("gp_tuner_close", &result)) return result;
  ++gp__here.inside; // a closed context is no error here: its message stays a draft
  s = gp__begin(tuner->ctx, "gp_tuner_close", &result);
  if (s) { // otherwise the events have gone with the context
    if (tuner->started && (!s->context || gp__enter(s, "gp_tuner_close", &pushed) == GP_SUCCESS)) {
      gp__collect_timings(tuner, s, "gp_tuner_close");
      if (tuner->events) {
        gp__events **at = &s->timers;
        pthread_mutex_lock(&s->lock);
        while (*at != tuner->events) at = &(*at)->next;
        *at = tuner->events->next;
        pthread_mutex_unlock(&s->lock);
        gp__destroy_events(s, tuner->events);
        gp__let_events_go(tuner->events);
      }
      gp__leave(s, "gp_tuner_close", pushed, GP_SUCCESS);
      if (tuner->name) gp__tuner_write(tuner, s);
    }
    gp__end(tuner->ctx, GP_SUCCESS);
  }
  --gp__here.inside;
  gp__free_tuner(tuner);
  return GP_SUCCESS;
}
