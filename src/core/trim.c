// core/trim.c - gives memory back before the context is closed
// uses: api/config.h, api/lists.h, core/rules.h, core/system.c, core/driver.c, core/libraries.c, core/state.c,
//   core/life.c, core/close.c, core/kernels.c

// Takes workspaces out of the table, the least recently used first, until those left have at most `bytes`. Those of
// running calls and of captured graphs stay. The lock is held.
GP__HOST gp__workspace *gp__take_workspaces(gp__state *s, uint64_t bytes) {
  gp__workspace *taken = NULL, *r;
  uint64_t total = 0;
  int i;
  for (i = 0; i < GP__STREAM_SLOTS; ++i)
    for (r = s->streams[i]; r; r = r->next) total += r->bytes;
  while (total > bytes) {
    gp__workspace **oldest = NULL, **at;
    for (i = 0; i < GP__STREAM_SLOTS; ++i)
      for (at = &s->streams[i]; (r = *at) != NULL; at = &r->next)
        if (r->workspace && !r->captured && !__atomic_load_n(&r->users, __ATOMIC_ACQUIRE) &&
            (!oldest || r->used < (*oldest)->used))
          oldest = at;
    if (!oldest) break;
    r = *oldest;
    *oldest = r->next;
    __atomic_store_n(&s->stream_count, s->stream_count - 1, __ATOMIC_RELAXED);
    total -= r->bytes;
    r->next = taken;
    taken = r;
  }
  return taken;
}

GP__HOST gp_result gp__trim(gp__state *s, uint64_t bytes) {
  const char *who = "gp_trim";
  const struct gp_driver *d = &s->library.runtime.driver;
  gp_result result = GP_SUCCESS;
  gp__code *dropped = NULL, *c, *next;
  gp__workspace *taken;
  int pushed, mode = GP__CU_CAPTURE_RELAXED, error = 0, i;
  if (!s->context) return GP_SUCCESS;
  GP__CHECK(gp__enter(s, who, &pushed));
  pthread_mutex_lock(&s->lock);
  taken = gp__take_workspaces(s, bytes);
  if (!bytes) gp__drop_kernels(s, s->kernel_count, &dropped);
  for (i = 0; i < GP__CODE_SLOTS && !bytes; ++i)
    for (c = s->codes[i]; c; c = next) {
      next = c->next;
      if (!c->kernels && c->state == 2) ++c->kernels, gp__drop_code(s, c, &dropped);
    }
  pthread_mutex_unlock(&s->lock);
  if (taken || dropped) { // no call finds them any more: what runs on them has been launched
    error = d->cuThreadExchangeStreamCaptureMode(&mode);
    if (error) result = gp__cuda_fail(&s->library.runtime, who, "cuThreadExchangeStreamCaptureMode", error);
    else if (!(s->own_work && !dropped && gp__wait_for_own(s, taken, &error)) && !error) error = d->cuCtxSynchronize();
    if (error && result == GP_SUCCESS)
      result = gp__cuda_fail(&s->library.runtime, who, s->own_work ? "waiting" : "cuCtxSynchronize", error);
  }
  while (taken) {
    gp__workspace *r = taken;
    taken = r->next;
    if (s->release) gp__release(s, r->workspace, r->bytes, NULL);
    else if ((error = d->cuMemFree((gp__cu_pointer)(uintptr_t)r->workspace)) != 0 && result == GP_SUCCESS)
      result = gp__cuda_fail(&s->library.runtime, who, "cuMemFree", error);
    gp__free_stream(s, r);
  }
  if (mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
  gp__free_codes(s, dropped);
  return gp__leave(s, who, pushed, result);
}
GP__API gp_result gp_trim(gp_context *ctx, uint64_t bytes) { GP__WITHIN(ctx, "gp_trim", gp__trim(s, bytes)); }
