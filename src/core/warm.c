// core/warm.c - threads that get kernels before calls need them
// uses: api/version.h, api/config.h, api/lists.h, api/context_types.h, api/call.h, core/words.h, core/rules.h,
//   core/messages.c, core/libraries.c, core/text.c, core/program.c, core/disk_cache.c, core/disk_cache_limit.c,
//   core/image.c, core/state.c, core/life.c, core/spelling.c, core/kernel_text.c, core/load.c, core/run.c,
//   tuner/online_threads.c

// A list has programs: '0' or '1' (exact_rounding), the text, a zero.

GP__HOST void *gp__warm_up(void *user) {
  gp__state *s = (gp__state *)user;
  gp__warming *w = &s->warming;
  int pushed = 0;
  if (!gp__enter_thread(s, &pushed)) return NULL;
  pthread_mutex_lock(&s->lock);
  while (!w->stop) {
    const char *line;
    gp__code *code = NULL;
    gp__program p;
    gp_result result;
    if (w->next == w->list.size) {
      pthread_cond_wait(&w->work, &s->lock);
      continue;
    }
    line = w->list.data + w->next;
    memset(&p, 0, sizeof p);
    p.exact_rounding = *line == '1';
    gp__add(&p.text, "%s", line + 1);
    w->next += strlen(line) + 1;
    pthread_mutex_unlock(&s->lock);
    result = gp__seal_program("gp_warm", &p);
    if (result == GP_SUCCESS) result = gp__get_code(s, "gp_warm", &p, s->about.compute_capability, 0, &code);
    if (result != GP_SUCCESS) gp__log(&s->library.runtime, GP_LOG_WARNING, "%s", gp__here.draft);
    gp__free_program(&p);
    pthread_mutex_lock(&s->lock);
    if (code) --code->kernels; // with none it stays, until gp_trim
    --s->about.warming;
  }
  pthread_mutex_unlock(&s->lock);
  gp__leave(s, "gp_warm", pushed, GP_SUCCESS);
  --gp__here.inside;
  return NULL;
}
GP__HOST gp_result gp__warm_list(gp__state *s, const char *list, size_t bytes) {
  gp__text *all = &s->warming.list;
  int failed;
  pthread_mutex_lock(&s->lock);
  gp__make_room(all, bytes);
  failed = all->failed;
  if (!failed) {
    memcpy(all->data + all->size, list, bytes);
    all->size += bytes;
    for (; bytes; --bytes) s->about.warming += !list[bytes - 1];
    pthread_cond_broadcast(&s->warming.work);
  }
  pthread_mutex_unlock(&s->lock);
  return failed ? gp__fail(GP_E_MEMORY, "gp_warm: no memory") : GP_SUCCESS;
}
GP__HOST gp_result gp__warm_spelled(void *user, const char *who, const gp__spelling *spelling) {
  gp__program p;
  const gp_result result = gp__write_program(who, spelling, &p);
  if (result == GP_SUCCESS) gp__list_program((gp__text *)user, &p);
  gp__free_program(&p);
  return result;
}
GP__HOST gp_result gp__remember(gp__state *s, const char *name, int write) {
  gp__library *l = &s->library;
  gp__text key = {NULL, 0, 0, 0}, list = {NULL, 0, 0, 0};
  gp__image image;
  gp_result result = GP_SUCCESS;
  char nvrtc[sizeof l->cache.nvrtc_name];
  int i;
  const gp__code *c;
  memset(&image, 0, sizeof image);
  gp__add(&key, "used last by %s, gpuprims " GPUPRIMS_VERSION, name);
  for (i = 0; i < GP__CODE_SLOTS && write; ++i)
    for (c = s->codes[i]; c; c = c->next)
      if (c->line.data && c->kernels) gp__add(&list, "%s%c", c->line.data, 0);
  image.data = list.data;
  image.bytes = list.size;
  if (!key.failed && !list.failed && gp__cache_usable(l, nvrtc)) {
    if (list.size) gp__cache_write(l, &key, &image);
    else if (!write && gp__cache_read(l, &key, &image)) result = gp__warm_list(s, (char *)image.owned, image.bytes);
  }
  free(image.owned);
  gp__free_text(&list);
  gp__free_text(&key);
  return result;
}
GP__HOST void gp__close_warm(gp__state *s) {
  gp__warming *w = &s->warming;
  int i;
  pthread_mutex_lock(&s->lock);
  w->stop = 1;
  pthread_cond_broadcast(&w->work);
  pthread_mutex_unlock(&s->lock);
  for (i = 0; i < w->thread_count; ++i) pthread_join(w->threads[i], NULL);
  if (w->name) gp__remember(s, w->name, 1);
  free(w->name);
  gp__free_text(&w->list);
  pthread_cond_destroy(&w->work);
}

GP__HOST gp_result gp__warm(gp__state *s, const gp_call *calls, uint64_t count, const char *name) {
  gp__warming *w = &s->warming;
  gp__text list = {NULL, 0, 0, 0};
  char said[GP__MESSAGE_BYTES];
  gp_result result = GP_SUCCESS;
  uint64_t i;
  int failed = 0;
  if (!calls && count) return gp__fail(GP_E_NULL, "gp_warm: calls is null");
  if (name && !*name) return gp__fail(GP_E_ARGUMENT, "gp_warm: name is empty");
  gp__seeking.user = &list;
  for (i = 0; i < count && result == GP_SUCCESS; ++i) {
    gp__seeking.spelled = gp__warm_spelled;
    result = gp__prepare_call(s, &calls[i]);
    gp__seeking.spelled = NULL;
  }
  if (result != GP_SUCCESS) {
    strcpy(said, gp__here.draft);
    result = gp__fail(result, "gp_warm: calls[%llu]: %s", (gp__u64)i - 1, said);
  } else if (list.failed) result = gp__fail(GP_E_MEMORY, "gp_warm: no memory");
  else if (list.size) result = gp__warm_list(s, list.data, list.size);
  gp__free_text(&list);
  if (result != GP_SUCCESS) return result;
  if (!s->context) return GP_SUCCESS;
  pthread_mutex_lock(&s->lock);
  if (!w->name) w->name = gp__duplicate(name, &failed);
  while (w->thread_count < GP__WARM_THREADS && !pthread_create(&w->threads[w->thread_count], NULL, gp__warm_up, s))
    ++w->thread_count;
  failed |= !w->thread_count;
  pthread_mutex_unlock(&s->lock);
  if (failed) return gp__fail(GP_E_MEMORY, "gp_warm: no memory, or a thread cannot be made");
  return name ? gp__remember(s, name, 0) : GP_SUCCESS;
}
GP__API gp_result gp_warm(gp_context *ctx, const gp_call *calls, uint64_t count, const char *name) {
  GP__WITHIN(ctx, "gp_warm", gp__warm(s, calls, count, name));
}
