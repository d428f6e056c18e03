// core/life.c - contexts in use: forks, hooks, entering and leaving
// uses: api/lists.h, core/rules.h, core/messages.c, core/driver.c, core/libraries.c, core/state.c

static void gp__before_fork(void) { pthread_mutex_lock(&gp__contexts_lock); }
static void gp__parent_after_fork(void) { pthread_mutex_unlock(&gp__contexts_lock); }
static void gp__child_after_fork(void) {
  ++gp__generation;
  pthread_mutex_unlock(&gp__contexts_lock);
}
GP__HOST void gp__watch_forks(void) { pthread_atfork(gp__before_fork, gp__parent_after_fork, gp__child_after_fork); }

// Whether this process opened the context, which may be closed by now. Otherwise sets *result and a message.
GP__HOST int gp__is_context(gp_context *ctx, const char *who, gp_result *result) {
  if (ctx != gp__known[0] || !ctx) {
    gp_context *c = ctx;
    if (!ctx) {
      *result = gp__fail(GP_E_CONTEXT, "%s: ctx is null", who);
      return 0;
    }
    if (ctx != gp__known[1])
      for (c = __atomic_load_n(&gp__contexts, __ATOMIC_ACQUIRE); c && c != ctx; c = c->next) {}
    if (!c) {
      *result = gp__fail(GP_E_CONTEXT, "%s: ctx was never opened", who);
      return 0;
    }
    gp__known[1] = gp__known[0];
    gp__known[0] = ctx;
  }
  if (ctx->generation == gp__generation) return 1;
  *result = gp__fail(GP_E_FORK, "%s: ctx was opened by the parent process: open another context after fork", who);
  return 0;
}
GP__HOST int gp__is_hook(const char *who, gp_result *result) {
  if (!gp__here.hook) return 0;
  *result = gp__fail(GP_E_CONTEXT, "%s: called from %s: a hook must not use a context", who, gp__here.hook);
  return 1;
}

// A call counts itself before it checks that the context is open; gp_close closes it before it checks that nobody is
// inside. All four steps have one order, so at least one of the two sees the other.
GP__HOST void gp__step_out(gp_context *ctx) {
  if (__atomic_sub_fetch(&ctx->inside, 1, __ATOMIC_SEQ_CST) || __atomic_load_n(&ctx->state, __ATOMIC_SEQ_CST)) return;
  pthread_mutex_lock(&ctx->lock);
  pthread_cond_broadcast(&ctx->left);
  pthread_mutex_unlock(&ctx->lock);
}
// The state of a context, not freed before gp__end; or NULL with *result and a message.
GP__HOST gp__state *gp__begin(gp_context *ctx, const char *who, gp_result *result) {
  gp__state *state;
  if (gp__is_hook(who, result) || !gp__is_context(ctx, who, result)) return NULL;
  __atomic_add_fetch(&ctx->inside, 1, __ATOMIC_SEQ_CST);
  state = __atomic_load_n(&ctx->state, __ATOMIC_SEQ_CST);
  if (state) ++gp__here.inside;
  else {
    gp__step_out(ctx);
    *result = gp__fail(GP_E_CONTEXT, "%s: ctx is closed", who);
  }
  return state;
}
GP__HOST gp_result gp__end(gp_context *ctx, gp_result result) {
  gp__step_out(ctx);
  return gp__said(result);
}
// The body of a public function: `work` on the state s.
#define GP__WITHIN(ctx, who, work) \
  gp_result result_ = GP_SUCCESS; \
  gp__state *s = gp__begin(ctx, who, &result_); \
  return s ? gp__end(ctx, work) : result_

// Makes the context's primary context current if it is not; *pushed says whether gp__leave must undo that.
GP__HOST gp_result gp__enter(const gp__state *s, const char *who, int *pushed) {
  const struct gp_driver *d = &s->library.runtime.driver;
  void *current = NULL;
  int error = d->cuCtxGetCurrent(&current);
  *pushed = 0;
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuCtxGetCurrent", error);
  if (current == s->context) return GP_SUCCESS;
  error = d->cuCtxPushCurrent(s->context);
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuCtxPushCurrent", error);
  *pushed = 1;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__leave(const gp__state *s, const char *who, int pushed, gp_result result) {
  void *popped = NULL;
  const int error = pushed ? s->library.runtime.driver.cuCtxPopCurrent(&popped) : 0;
  return error && result == GP_SUCCESS ? gp__cuda_fail(&s->library.runtime, who, "cuCtxPopCurrent", error) : result;
}
