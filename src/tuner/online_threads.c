// tuner/online_threads.c - the threads that tune the library's calls: they read times, search, and build kernels
// uses: api/version.h, api/config.h, api/lists.h, api/policy.h, core/words.h, core/rules.h, core/canonical.h,
//   core/messages.c, core/driver.c, core/text.c, core/request.c, core/sha256.c, core/names.c, core/kinds.c,
//   core/state.c, core/life.c, core/kinds_of.c, core/kernels.c, core/load.c, tuner/points.c, tuner/search.c,
//   tuner/tuner.c, tuner/memory.c, tuner/online_space.c, tuner/online_sites.c

enum {
  GP__NAP_MS = 1,
  GP__SEARCH_MS = 4, // a time that is read late may seem disturbed
  GP__DOZE_MS = 64,
  GP__ALIKE_BYTES = 4 << 20 // a launch takes about as long as so many bytes
};

#ifndef GP__SHORT_US // tests tune short calls too
#define GP__SHORT_US 10
#endif
#ifndef GP__ONLINE_BUDGET // share of the calls' time that trying may cost; tests try more
#define GP__ONLINE_BUDGET 0.05
#endif
#define GP__GAIN 0.97 // of the usual policy's time: a slower one does not replace it

// Writes what calls of a site have in common, for the name of its tuner: the same in every process.
GP__HOST void gp__add_user_text(gp__text *t, const char *text) {
  if (text) gp__add(t, " %016llx", (gp__u64)gp__hash_bytes(text, strlen(text)));
}
GP__HOST void gp__add_user_op(gp__text *t, const gp__op_info *op) {
  if (!op) return;
  gp__add_user_text(t, op->body);
  gp__add_user_text(t, op->prelude);
  gp__add_user_text(t, op->identity);
}
GP__HOST void gp__add_user_type(gp__text *t, const gp__type_info *type) {
  if (type) gp__add(t, " %s %llu", type->name, (gp__u64)type->size), gp__add_user_text(t, type->source);
}
GP__HOST char *gp__name_site(const gp__site *x) {
  const gp__request *q = &x->q;
  gp__text name = {NULL, 0, 0, 0};
  char *text;
  int i, failed = 0;
  gp__add(&name, "%s %s:", GPUPRIMS_VERSION, gp__primitive_names[q->primitive]);
  for (i = 0; i < GP__SITE_WORDS; ++i) { // users' handles differ from process to process
    const int of_user = (i == 1 && q->user_op) || (i == 2 && q->user_transform) || (i == 3 && q->user_equal) ||
        (i >= 4 && i <= 8 && x->words[i] >= (uint64_t)GP_TYPE_COUNT);
    gp__add(&name, " %llx", of_user ? 0ull : (gp__u64)x->words[i]);
  }
  gp__add_user_op(&name, q->user_op);
  gp__add_user_op(&name, q->user_transform);
  gp__add_user_op(&name, q->user_equal);
  gp__add_user_type(&name, q->in_struct);
  gp__add_user_type(&name, q->in2_struct);
  gp__add_user_type(&name, q->acc_struct);
  gp__add_user_type(&name, q->out_struct);
  gp__add_user_type(&name, q->key_struct);
  text = name.failed ? NULL : gp__duplicate(gp__string(&name), &failed);
  gp__free_text(&name);
  return text;
}

GP__HOST int gp__site_may_run(void *user, const int *values) {
  const gp__site *x = (const gp__site *)user;
  int repeats;
  const gp_policy p = gp__policy_at(x->tuner, gp__values_of(x->q.primitive), &x->h, values, &repeats);
  return !repeats && gp__worth_trying(&p, &x->usual, &x->h);
}
GP__HOST gp_policy gp__policy_of_point(const gp__site *x, const int *point) {
  int values[GP__TUNED_MOST], i, repeats;
  for (i = 0; i < x->tuner->parameters; ++i) values[i] = x->tuner->tuned[i].values[point[i]];
  return gp__policy_at(x->tuner, gp__values_of(x->q.primitive), &x->h, values, &repeats);
}
// Finds a policy's point. 0: a value is not among the parameter's.
GP__HOST int gp__point_of_policy(const gp__site *x, const gp_policy *p, int *point) {
  const gp__field_values *f = gp__values_of(x->q.primitive);
  const gp_policy read = gp__canonical(*p);
  int i, k;
  for (i = 0; i < x->tuner->parameters; ++i) {
    const gp__tuned *a = &x->tuner->tuned[i];
    const int value = gp__value_in(&read, &f[i]);
    for (k = 0; k < a->count && a->values[k] != value; ++k) {}
    if (k == a->count && value) return 0;
    point[i] = k == a->count ? a->start : k;
  }
  return 1;
}
// Finds the best policy of the site of the same kind and the nearest sizes. 0: none knows more than its usual policy.
GP__HOST int gp__neighbours_best(gp__online *o, const gp__site *x, gp_policy *best) {
  const gp__site *other, *nearest = NULL;
  uint64_t least = 0;
  pthread_mutex_lock(&o->lock);
  for (other = o->sites; other; other = other->older) {
    uint64_t far = 0;
    int i, alike = other != x && other->has_best;
    for (i = 0; i < GP__SITE_WORDS && alike; ++i)
      if (i >= GP__SITE_ALIKE && i < GP__SITE_ALIKE + GP__SITE_SIZES)
        far += x->words[i] > other->words[i] ? x->words[i] - other->words[i] : other->words[i] - x->words[i];
      else alike = x->words[i] == other->words[i];
    if (alike && (!nearest || far < least)) nearest = other, least = far;
  }
  if (nearest) *best = nearest->best;
  pthread_mutex_unlock(&o->lock);
  return nearest != NULL;
}
// Makes a point a proposal, if there is room for one. `lock` is held.
GP__HOST void gp__propose(gp__online *o, gp__site *x, const int *point) {
  int i;
  for (i = 0; i < GP__PROPOSALS; ++i) {
    gp__proposal *c = &x->proposals[i];
    if (c->state != GP__PROPOSAL_NONE) continue;
    memcpy(c->point, point, sizeof c->point);
    c->policy = gp__policy_of_point(x, point);
    c->warm = 0;
    c->state = GP__PROPOSAL_NEW;
    pthread_cond_signal(&o->work);
    return;
  }
}
// Begins the search of a site. 0: no memory.
GP__HOST int gp__begin_site(gp__online *o, gp__site *x) {
  gp_tuner *t = x->tuner = (gp_tuner *)calloc(1, sizeof *t);
  gp_policy best;
  int point[GP__TUNED_MOST], i;
  if (!t) return 0;
  pthread_mutex_init(&t->lock, NULL);
  t->budget = GP__ONLINE_BUDGET;
  t->valid = gp__site_may_run;
  t->user = x;
  t->name = gp__name_site(x);
  t->started = 1;
  t->path_room = GP__SITE_PATH;
  t->path = (gp__step_of_path *)malloc(GP__SITE_PATH * sizeof *t->path);
  if (!t->name || !t->path || !gp__tune_fields(t, gp__values_of(x->q.primitive), &x->usual)) return 0;
  gp__tuner_read(t, o->s);
  if (t->bucket_count != 1 || t->buckets[0].numbers) { // nothing, or nothing of ours
    for (i = 0; i < t->bucket_count; ++i) gp__search_close(t->buckets[i].search);
    t->bucket_count = 0;
    if (gp__find_bucket(t, NULL, 0, 1) != 0) return 0;
    if (gp__neighbours_best(o, x, &best) && gp__point_of_policy(x, &best, point)) {
      memcpy(t->buckets[0].best, point, sizeof point);
      gp__bucket_search(t, &t->buckets[0]);
    }
  }
  pthread_mutex_lock(&o->lock);
  gp__default_point(t, x->usual_point);
  x->begun = 1;
  if (t->buckets[0].done && t->buckets[0].us > 0) gp__propose(o, x, t->buckets[0].best); // it has to prove itself
  pthread_mutex_unlock(&o->lock);
  return 1;
}

// Ends a proposal. The budget pays for the time that its modules took to load: calls may have waited.
GP__HOST void gp__forget_proposal(gp__online *o, gp__site *x, gp__proposal *c) {
  x->tuner->buckets[0].spent += c->loading_us;
  pthread_mutex_lock(&o->lock);
  gp__let_kernels_go(c->kernels, c->kernel_count);
  c->kernel_count = 0;
  c->loading_us = 0;
  c->state = GP__PROPOSAL_NONE;
  pthread_mutex_unlock(&o->lock);
}
// Whether the best point is so much faster than the usual one that it replaces it: calls that follow another overlap,
// and a time between two events does not show that.
GP__HOST int gp__gains(const gp__site *x) {
  const gp__size_bucket *b = &x->tuner->buckets[0];
  const gp__tried *usual = b->search ? gp__find_point(&b->search->points, x->usual_point) : NULL;
  return !usual || !usual->samples || usual->invalid || b->us < GP__GAIN * gp__time_of(&b->search->points, usual);
}
// Noise that lasts may make the best point look slow, and then nothing would renew its times: the point that was the
// fastest so far is proposed again, a few times, now and then.
GP__HOST void gp__challenge(gp__online *o, gp__site *x, const int *point) {
  const gp__size_bucket *b = &x->tuner->buckets[0];
  int i;
  if (!b->search) return;
  if (x->champion_us <= 0 || b->us <= x->champion_us || x->challenges == GP__CHALLENGES) {
    memcpy(x->champion, b->best, sizeof x->champion);
    x->champion_us = b->us;
    x->challenges = 0;
  }
  if (!memcmp(x->champion, b->best, sizeof x->champion)) {
    x->challenges = 0;
    return;
  }
  if (!memcmp(x->champion, point, sizeof x->champion)) ++x->challenges;
  pthread_mutex_lock(&o->lock);
  for (i = 0; i < GP__PROPOSALS; ++i)
    if (x->proposals[i].state != GP__PROPOSAL_NONE && !memcmp(x->proposals[i].point, x->champion, sizeof x->champion))
      break;
  if (i == GP__PROPOSALS && b->measured % GP__USUAL_AGAIN == 0) gp__propose(o, x, x->champion);
  pthread_mutex_unlock(&o->lock);
}
// Takes a time of a site's point; negative: its policy cannot run. What is best by now runs from now on.
GP__HOST void gp__site_learns(gp__online *o, gp__site *x, const int *point, double us, uint64_t n) {
  gp_tuner *t = x->tuner;
  gp__size_bucket *b = &t->buckets[0];
  const uint64_t room = (uint64_t)t->path_room;
  gp__step_of_path *step;
  const int *best;
  double each;
  gp__tuner_learn(t, 0, point, us);
  step = &t->path[(t->steps - 1) % room];
  step->n = n;
  // The report has one time of the best policy between two proposals.
  if (t->steps > 1 && !memcmp(step->point, t->path[(t->steps - 2) % room].point, sizeof step->point)) --t->steps;
  if (us >= 0) gp__challenge(o, x, point);
  if (us < 0 || (!b->search && memcmp(point, b->best, sizeof b->best) != 0)) return;
  pthread_mutex_lock(&o->lock);
  each = b->us > 0 ? (double)GP__WATCHED_US / b->us : (double)GP__WATCHED_MOST;
  x->watched = each < (double)GP__WATCHED_MOST ? 1 + (unsigned)each : (unsigned)GP__WATCHED_MOST;
  best = gp__gains(x) ? b->best : x->usual_point;
  if (!x->version || memcmp(x->best_point, best, sizeof b->best) != 0) {
    memcpy(x->best_point, best, sizeof b->best);
    x->best = gp__policy_of_point(x, best);
    x->has_best = memcmp(best, x->usual_point, sizeof b->best) != 0;
    x->version += 2;
    if (x->settled) __atomic_store_n(&x->settled, x->version | 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&o->lock);
}
// Takes the time of a call, as if it had had as many elements as the site's first one.
GP__HOST void gp__take_measured(gp__online *o, const gp__measured *m, double us) {
  gp__site *x = m->site;
  const uint64_t calls = m->calls > x->accounted ? m->calls - x->accounted : 1;
  const double alike = us * (double)(GP__ALIKE_BYTES + x->bytes) / (double)(GP__ALIKE_BYTES + m->bytes);
  gp__site_learns(o, x, m->point, alike, m->n);
  if (m->proposal) return;
  x->tuner->buckets[0].total += alike * (double)(calls - 1); // calls that were not measured
  x->accounted = m->calls;
}
// Reads the times of calls that have ended. Returns how many.
GP__HOST int gp__read_measured(gp__online *o) {
  const struct gp_driver *d = &o->s->library.runtime.driver;
  int read = 0;
  for (;;) {
    gp__measured *m;
    float ms = -1;
    int error, disturbed;
    pthread_mutex_lock(&o->lock);
    m = o->stopped;
    pthread_mutex_unlock(&o->lock);
    error = m ? d->cuEventQuery(m->stamps.event[1]) : GP__CU_NOT_READY;
    if (error == GP__CU_NOT_READY) return read;
    if (!error) error = d->cuEventElapsedTime(&ms, m->stamps.event[0], m->stamps.event[1]);
    disturbed = !error && m->loads != __atomic_load_n(&o->s->loads, __ATOMIC_RELAXED);
    if (!error && ms >= 0 && !disturbed) gp__take_measured(o, m, 1e3 * (double)ms);
    else if (m->proposal && !disturbed) gp__site_learns(o, m->site, m->point, -1, m->n);
    if (m->proposal && !disturbed) gp__forget_proposal(o, m->site, m->proposal);
    pthread_mutex_lock(&o->lock);
    if (m->proposal && disturbed) m->proposal->state = GP__PROPOSAL_READY; // for another call
    o->stopped = m->next;
    if (!o->stopped) o->last = &o->stopped;
    --o->stopped_count;
    m->next = o->unused;
    o->unused = m;
    pthread_mutex_unlock(&o->lock);
    ++read;
  }
}
// Whether a search may try policies: it knows how long a call takes, and that is not short. Short calls overlap those
// before and after, and the host takes as long to enqueue them: a time between two events says nothing of either.
GP__HOST int gp__is_worth_it(const gp__site *x, gp__size_bucket *b) {
  const gp__tried *usual = gp__find_point(&b->search->points, x->usual_point);
  if (!usual || usual->samples < 3) return 0;
  if (gp__time_of(&b->search->points, usual) < GP__SHORT_US) b->done = 1;
  return !b->done;
}
// Carries a site's search on. Returns whether anything happened. *searching: it has not ended.
GP__HOST int gp__search_site(gp__online *o, gp__site *x, int *searching) {
  gp__size_bucket *b;
  int point[GP__TUNED_MOST], happened = 0, i;
  if (!x->tuner && !x->failed) {
    const int failed = !gp__begin_site(o, x);
    pthread_mutex_lock(&o->lock);
    x->failed = failed;
    pthread_mutex_unlock(&o->lock);
    happened = 1;
  }
  if (x->failed) return happened;
  b = &x->tuner->buckets[0];
  if (!b->done && !gp__is_worth_it(x, b)) {
    *searching |= !b->done;
    return happened;
  }
  for (i = 0; i < GP__PROPOSALS; ++i) {
    gp__proposal *c = &x->proposals[i];
    int state;
    pthread_mutex_lock(&o->lock);
    state = c->state;
    pthread_mutex_unlock(&o->lock);
    if (state == GP__PROPOSAL_FAILED) {
      gp__site_learns(o, x, c->point, -1, 0);
      gp__forget_proposal(o, x, c);
      happened = 1;
    } else if (state == GP__PROPOSAL_NONE && !b->done && gp__tuner_choose(x->tuner, 0, point)) {
      pthread_mutex_lock(&o->lock);
      gp__propose(o, x, point);
      pthread_mutex_unlock(&o->lock);
      happened = 1;
    }
  }
  if (b->done == 2) {
    b->done = 1;
    gp__tuner_write(x->tuner, o->s);
    happened = 1;
  }
  pthread_mutex_lock(&o->lock);
  x->searching = !b->done;
  __atomic_store_n(&x->settled, b->done ? x->version | 1 : 0u, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&o->lock);
  *searching |= !b->done;
  return happened;
}

// A proposal whose kernels are to be built, of the site that is called most; NULL: none. `lock` is held.
GP__HOST gp__proposal *gp__next_proposal(gp__online *o, gp__site **of) {
  gp__proposal *found = NULL;
  gp__site *x;
  int i;
  for (x = o->sites; x; x = x->older)
    for (i = 0; i < GP__PROPOSALS; ++i)
      if (x->proposals[i].state == GP__PROPOSAL_NEW && (!found || x->calls > (*of)->calls))
        found = &x->proposals[i], *of = x;
  return found;
}
// Builds the kernels of a proposal. 0: there is none that waits for them. `lock` is held.
GP__HOST int gp__build_proposal(gp__online *o) {
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__site *x = NULL;
  gp__proposal *c = gp__next_proposal(o, &x);
  gp_result result = GP_SUCCESS;
  int count;
  if (!c) return 0;
  c->state = GP__PROPOSAL_BUILT;
  pthread_mutex_unlock(&o->lock);
  gp__loading_us = 0;
  count = gp__kinds_of(&x->q, &c->policy, kinds);
  for (c->kernel_count = 0; c->kernel_count < count && result == GP_SUCCESS; ++c->kernel_count)
    result = gp__get_kernel(o->s, gp__primitive_names[x->q.primitive], &x->q, &c->policy, &x->h, kinds[c->kernel_count],
        1, &c->kernels[c->kernel_count]);
  pthread_mutex_lock(&o->lock);
  c->loading_us = gp__loading_us;
  c->state = result == GP_SUCCESS ? GP__PROPOSAL_READY : GP__PROPOSAL_FAILED;
  return 1;
}

// Waits for `wake`, or so many milliseconds; 0: as long as it takes. `lock` is held.
GP__HOST void gp__nap(gp__online *o, int ms) {
  struct timeval now;
  struct timespec until;
  o->dozing = !ms || ms > 4;
  if (ms) {
    gettimeofday(&now, NULL);
    now.tv_usec += ms * 1000;
    until.tv_sec = now.tv_sec + now.tv_usec / 1000000;
    until.tv_nsec = now.tv_usec % 1000000 * 1000;
    pthread_cond_timedwait(&o->wake, &o->lock, &until);
  } else pthread_cond_wait(&o->wake, &o->lock);
  o->dozing = 0;
}
// Prepares a thread of the context for calls of the driver, also while streams of others are captured.
GP__HOST int gp__enter_thread(gp__state *s, int *pushed) {
  int mode = GP__CU_CAPTURE_RELAXED;
  ++gp__here.inside;
  return gp__enter(s, "gp_open", pushed) == GP_SUCCESS &&
      !s->library.runtime.driver.cuThreadExchangeStreamCaptureMode(&mode);
}
GP__HOST void *gp__search_online(void *user) {
  gp__online *o = (gp__online *)user;
  const struct gp_driver *d = &o->s->library.runtime.driver;
  int pushed = 0, nap = GP__NAP_MS, i, error = 0;
  if (!gp__enter_thread(o->s, &pushed)) return NULL;
  for (i = 0; i < GP__MEASURED_MOST && !error; ++i) {
    gp__measured *m = &o->measured[i];
    error = d->cuEventCreate(&m->stamps.event[0], 0);
    if (!error) error = d->cuEventCreate(&m->stamps.event[1], 0);
    if (error) break;
    pthread_mutex_lock(&o->lock);
    m->next = o->unused;
    o->unused = m;
    pthread_mutex_unlock(&o->lock);
  }
  for (;;) {
    gp__site *x;
    int searching = 0, happened;
    pthread_mutex_lock(&o->searches);
    happened = gp__read_measured(o);
    pthread_mutex_lock(&o->lock);
    for (x = o->sites; x && !o->stop; x = x->older) {
      if (x->calls < GP__CALLS_BEFORE) continue;
      pthread_mutex_unlock(&o->lock);
      happened |= gp__search_site(o, x, &searching);
      pthread_mutex_lock(&o->lock);
    }
    pthread_mutex_unlock(&o->searches);
    if (o->stop) break;
    nap = happened ? GP__NAP_MS : nap < (searching ? GP__SEARCH_MS : GP__DOZE_MS) ? 2 * nap : nap;
    gp__nap(o, searching || o->stopped || nap < GP__DOZE_MS ? nap : 0);
    pthread_mutex_unlock(&o->lock);
  }
  pthread_mutex_unlock(&o->lock);
  gp__leave(o->s, "gp_open", pushed, GP_SUCCESS);
  --gp__here.inside;
  return NULL;
}
GP__HOST void *gp__build_online(void *user) {
  gp__online *o = (gp__online *)user;
  int pushed = 0;
  if (!gp__enter_thread(o->s, &pushed)) return NULL;
  pthread_mutex_lock(&o->lock);
  while (!o->stop)
    if (!gp__build_proposal(o)) pthread_cond_wait(&o->work, &o->lock);
  pthread_mutex_unlock(&o->lock);
  gp__leave(o->s, "gp_open", pushed, GP_SUCCESS);
  --gp__here.inside;
  return NULL;
}

// Begins to tune a context's calls.
GP__HOST gp_result gp__open_online(gp__state *s) {
  gp__online *o = (gp__online *)calloc(1, sizeof *o);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int threads = cores < 4 ? 2 : GP__ONLINE_THREADS;
  if (!o) return gp__fail(GP_E_MEMORY, "gp_open: no memory for the context");
  o->s = s;
  o->last = &o->stopped;
  pthread_mutex_init(&o->lock, NULL);
  pthread_mutex_init(&o->searches, NULL);
  pthread_cond_init(&o->wake, NULL);
  pthread_cond_init(&o->work, NULL);
  s->online = o;
  while (o->thread_count < threads) {
    if (pthread_create(&o->threads[o->thread_count], NULL, o->thread_count ? gp__build_online : gp__search_online, o))
      break;
    ++o->thread_count;
  }
  return o->thread_count > 1 ? GP_SUCCESS : gp__fail(GP_E_MEMORY, "gp_open: gp_config.tuning: a thread cannot be made");
}
// Ends the threads, and keeps on disk what was learned. Waits for kernels that are being built.
GP__HOST void gp__close_online(gp__state *s) {
  gp__online *o = s->online;
  int i, k, pushed = 0;
  if (!o) return;
  pthread_mutex_lock(&o->lock);
  o->stop = 1;
  pthread_cond_broadcast(&o->wake);
  pthread_cond_broadcast(&o->work);
  pthread_mutex_unlock(&o->lock);
  for (i = 0; i < o->thread_count; ++i) pthread_join(o->threads[i], NULL);
  if (gp__enter(s, "gp_close", &pushed) == GP_SUCCESS) {
    gp__read_measured(o);
    for (i = 0; i < GP__MEASURED_MOST; ++i)
      for (k = 0; k < 2; ++k)
        if (o->measured[i].stamps.event[k]) s->library.runtime.driver.cuEventDestroy(o->measured[i].stamps.event[k]);
    gp__leave(s, "gp_close", pushed, GP_SUCCESS);
  }
  while (o->sites) {
    gp__site *x = o->sites;
    if (x->begun && !x->failed) gp__tuner_write(x->tuner, s);
    o->sites = x->older;
    gp__free_site(x);
  }
  pthread_mutex_destroy(&o->lock);
  pthread_mutex_destroy(&o->searches);
  pthread_cond_destroy(&o->wake);
  pthread_cond_destroy(&o->work);
  free(o);
  s->online = NULL;
}
