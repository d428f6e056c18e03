// core/close.c - freeing what a context holds
// uses: api/lists.h, api/context_types.h, core/rules.h, core/messages.c, core/driver.c, core/libraries.c, core/state.c,
//   core/life.c

// Returns memory through the user's hook.
GP__HOST void gp__release(gp__state *s, void *pointer, size_t bytes, gp_stream stream) {
  const char *outer = gp__hook_begins("gp_config.release");
  s->release(s->allocator_user, pointer, bytes, stream);
  gp__hook_ends(outer);
}
// Frees a stream's entry, not its memory.
GP__HOST void gp__free_stream(gp__state *s, gp__workspace *r) {
  if (r->event) s->library.runtime.driver.cuEventDestroy(r->event);
  pthread_mutex_destroy(&r->lock);
  free(r);
}

// Waits for the work on workspaces, for which the context has recorded events. 0: one of them has none, or a graph may
// use it. *error: the driver's.
GP__HOST int gp__wait_for_own(gp__state *s, const gp__workspace *r, int *error) {
  for (; r; r = r->next) {
    if (r->captured || !r->recorded) return 0;
    if (!*error) *error = s->library.runtime.driver.cuEventSynchronize(r->event);
  }
  return 1;
}

GP__HOST void gp__destroy_events(gp__state *s, gp__events *e) {
  while (e->count)
    if (e->event[--e->count]) s->library.runtime.driver.cuEventDestroy(e->event[e->count]);
}
GP__HOST void gp__let_events_go(gp__events *e) {
  if (!__atomic_sub_fetch(&e->owners, 1, __ATOMIC_ACQ_REL)) free(e);
}

GP__HOST gp_result gp__destroy(gp__state *s, const char *who) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const int cuda = s->context != NULL;
  gp_result result = GP_SUCCESS;
  int pushed = 0, mode = GP__CU_CAPTURE_RELAXED, busy = s->stream_count || s->retired, error, i;
  if (cuda) {
    for (i = 0; i < GP__KERNEL_SLOTS && !busy; ++i) busy = s->kernels[i] != NULL;
    result = gp__enter(s, who, &pushed);
    if (result == GP_SUCCESS && !d->cuThreadExchangeStreamCaptureMode(&mode) && busy) {
      int own = s->own_work && !s->retired && !s->captured;
      error = 0;
      for (i = 0; i < GP__STREAM_SLOTS && own; ++i) own = gp__wait_for_own(s, s->streams[i], &error);
      // Not cuCtxRecordEvent: it waits for no less, and ends the captures of all streams of the context.
      if (!own && !error) error = d->cuCtxSynchronize();
      if (error)
        result = gp__cuda_fail(&s->library.runtime, who, own ? "cuEventSynchronize" : "cuCtxSynchronize", error);
    }
  }
#define GP__RELEASE(pointer_, bytes_) \
  if (pointer_) { \
    if (s->release) gp__release(s, pointer_, bytes_, NULL); \
    else if ((error = d->cuMemFree((gp__cu_pointer)(uintptr_t)(pointer_))) != 0 && result == GP_SUCCESS) \
      result = gp__cuda_fail(&s->library.runtime, who, "cuMemFree", error); \
  }
  while (s->retired) {
    gp__retired *r = s->retired;
    GP__RELEASE(r->pointer, r->bytes)
    s->retired = r->next;
    free(r);
  }
  for (i = 0; i < GP__STREAM_SLOTS; ++i)
    while (s->streams[i]) {
      gp__workspace *r = s->streams[i];
      GP__RELEASE(r->workspace, r->bytes)
      s->streams[i] = r->next;
      gp__free_stream(s, r);
    }
#undef GP__RELEASE
  while (s->timers) {
    gp__events *e = s->timers;
    s->timers = e->next;
    gp__destroy_events(s, e);
    gp__let_events_go(e);
  }
  for (i = 0; i < GP__CODE_SLOTS; ++i)
    while (s->codes[i]) {
      gp__code *c = s->codes[i];
      if (c->module && (error = d->cuModuleUnload(c->module)) != 0 && result == GP_SUCCESS)
        result = gp__cuda_fail(&s->library.runtime, who, "cuModuleUnload", error);
      s->codes[i] = c->next;
      free(c->image.owned);
      free(c->line.data);
      free(c);
    }
  for (i = 0; i < GP__KERNEL_SLOTS; ++i)
    while (s->kernels[i]) {
      gp__kernel *k = s->kernels[i];
      s->kernels[i] = k->next;
      free(k->spelling);
      free(k);
    }
  if (cuda) {
    if (mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
    result = gp__leave(s, who, pushed, result);
    error = d->cuDevicePrimaryCtxRelease(s->device);
    if (error && result == GP_SUCCESS)
      result = gp__cuda_fail(&s->library.runtime, who, "cuDevicePrimaryCtxRelease", error);
  }
  for (i = 0; i < s->type_count; ++i) {
    free(s->types[i]->name);
    free(s->types[i]->source);
    free(s->types[i]);
  }
  for (i = 0; i < s->op_count; ++i) {
    free(s->ops[i]->name);
    free(s->ops[i]->body);
    free(s->ops[i]->prelude);
    free(s->ops[i]->identity);
    free(s->ops[i]);
  }
  for (i = 0; i < GP__PLANS; ++i) free(s->plans[i]);
  free(s->types);
  free(s->ops);
  free(s->library.runtime.nvrtc_path);
  free(s->library.cache.folder);
  free(s->library.file.entries);
  if (s->library.file.file >= 0) close(s->library.file.file);
  pthread_mutex_destroy(&s->library.runtime.nvrtc_lock);
  pthread_mutex_destroy(&s->library.cache.lock);
  pthread_mutex_destroy(&s->library.file.lock);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->built);
  free(s);
  return result;
}
