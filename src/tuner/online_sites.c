// tuner/online_sites.c - calls that are tuned while they run: what is known of them, which policy is next
// uses: api/config.h, api/policy.h, api/context_types.h, api/structs.h, core/rules.h, core/shape.h, core/geometry.h,
//   core/families.h, core/request.c, core/sha256.c, core/kinds.c, core/primitive.c, core/state.c, core/workspaces.c,
//   core/launch_plan.c, tuner/points.c, tuner/tuner.c

// Calls of one kind (a primitive, its types, operator, flags, alignment) on sizes within a factor of two make a site.
// A site has a search and a few proposals: policies whose kernels are compiled in the background. A call looks its site
// up and takes a proposal that is ready, or the best policy known; two events measure some of the calls. A proposal's
// second run counts. Everything else happens in threads of the context (online_threads.c).

enum {
  GP__SITES = 512, // of a context; further calls are not tuned
  GP__SITE_SLOTS = 256, //
  GP__SITE_ALIKE = 31, // words that calls of a site share
  GP__SITE_SIZES = 9, // binary logarithms of their sizes
  GP__SITE_WORDS = 42, // and two of their lists
  GP__PROPOSALS = 3, // of a site at a time
  GP__CALLS_BEFORE = 4, // calls of a site before its search begins
  GP__CALLS_MEASURED = 12, // that are all measured; of later ones, on the best policy known, one
  GP__WATCHED_US = 20000, // in so many us: events between calls take time, and a moment's noise is not all times
  GP__WATCHED_MOST = 4096, // or in so many calls
  GP__CHALLENGES = 7, // times that the point which was the fastest may take to come back
  GP__USUAL_AGAIN = 8, // of the measured calls on the best policy, one in so many is on the usual one
  GP__UNREAD = 16, // times that wake the thread which reads them
  GP__MEASURED_MOST = 64, // calls whose times are not read yet
  GP__ONLINE_THREADS = 4, // at most
  GP__SITE_PATH = 512 // steps that a site's report keeps
};
enum {
  GP__PROPOSAL_NONE,
  GP__PROPOSAL_NEW,
  GP__PROPOSAL_BUILT, // a thread builds its kernels
  GP__PROPOSAL_FAILED,
  GP__PROPOSAL_READY,
  GP__PROPOSAL_RUN // a call has it, or its time is not read yet
};

typedef struct gp__proposal {
  int state, warm; // warm: it has run
  int point[GP__TUNED_MOST];
  gp_policy policy;
  gp__kernel *kernels[GP__KINDS_MAX]; // that it holds
  int kernel_count;
  double loading_us; // of its modules
} gp__proposal;

typedef struct gp__site {
  struct gp__site *next, *older;
  uint64_t words[GP__SITE_WORDS];
  gp__request q; // the first call; its lists are copies, its pointers to buffers only tell which are null
  gp__shape h;
  uint64_t bytes; // of it
  gp_policy usual; // the table's, or the portable one
  uint64_t calls, accounted; // accounted: those whose time the search knows, about
  unsigned seen; // measured calls on the best policy known
  unsigned watched; // one in so many calls is measured
  int begun; // its search; `usual_point` is known
  int failed; // no memory for its search
  int searching; //
  unsigned settled; // 0: it searches; otherwise changes with `best`
  unsigned version; // of `best`
  int has_best; // otherwise the usual policy is the best one known
  gp_policy best;
  int best_point[GP__TUNED_MOST], usual_point[GP__TUNED_MOST];
  gp__proposal proposals[GP__PROPOSALS];
  int champion[GP__TUNED_MOST], challenges; // the point that was the fastest so far, and its times since it is not
  double champion_us; // 0: none yet
  gp_tuner *tuner; // of the threads; under `searches`
} gp__site;

// A call whose time is measured.
typedef struct gp__measured {
  struct gp__measured *next;
  gp__stamps stamps;
  gp__site *site;
  gp__proposal *proposal; // NULL: the best policy known ran
  int point[GP__TUNED_MOST];
  uint64_t bytes, n, calls; // calls: of the site, so far
  gp_stream stream;
  unsigned loads; // of modules, when it began
} gp__measured;

typedef struct gp__online {
  gp__state *s;
  pthread_mutex_t lock; // of all but the searches; held for short
  pthread_mutex_t searches; // taken before `lock`
  pthread_cond_t wake; // for the first thread, which searches
  pthread_cond_t work; // for the others, which build kernels
  pthread_t threads[GP__ONLINE_THREADS];
  int thread_count, stop;
  int dozing; // the first thread sleeps for long
  uint64_t begun; // calls so far
  int open; // calls on their way through the host; also without the lock
  gp__site *slots[GP__SITE_SLOTS], *sites; // sites: the newest first
  int site_count;
  gp__measured measured[GP__MEASURED_MOST], *unused, *stopped, **last;
  int stopped_count;
} gp__online;

// Lists what calls of one site have in common.
GP__HOST void gp__site_words(const gp__request *q, gp__form h, uint64_t words[GP__SITE_WORDS]) {
  const uint64_t alike[GP__SITE_ALIKE] = {(uint64_t)q->primitive, (uint64_t)q->op, (uint64_t)q->transform,
      (uint64_t)q->equal, (uint64_t)q->in_type, (uint64_t)q->in2_type, (uint64_t)q->acc_type, (uint64_t)q->out_type,
      (uint64_t)q->key_type, (uint64_t)q->offset_type, (uint64_t)q->out2_type, (uint64_t)q->flags,
      (uint64_t)(q->is_arg | q->has_init << 2 | q->numbers << 3 | (q->end != NULL) << 4), (uint64_t)q->begin_bit,
      (uint64_t)q->end_bit, (uint64_t)h->in_misaligned, (uint64_t)h->out_misaligned, (uint64_t)h->in_place,
      (uint64_t)h->in_size, (uint64_t)h->key_size, (uint64_t)h->out_size, (uint64_t)h->histogram.channels,
      (uint64_t)h->histogram.active, (uint64_t)h->histogram.by_ranges,
      (uint64_t)(h->sorted.drop_keys | h->top_k.drop_keys << 1), (uint64_t)h->moved.kind, (uint64_t)h->moved.form,
      (uint64_t)h->moved.word, (uint64_t)h->layout.chunk, (uint64_t)h->bfs.has_transpose, (uint64_t)h->stream.parts};
  const uint64_t sizes[GP__SITE_SIZES] = {h->count, h->segments, h->count2, h->histogram.bins, h->top_k.results,
      h->moved.columns, h->moved.rows, h->layout.in_width, h->layout.out_width};
  uint64_t *lists = words + GP__SITE_ALIKE + GP__SITE_SIZES;
  int i;
  memset(words, 0, GP__SITE_WORDS * sizeof *words);
  memcpy(words, alike, sizeof alike);
  for (i = 0; i < GP__SITE_SIZES; ++i) words[GP__SITE_ALIKE + i] = (uint64_t)(gp__log2_of(sizes[i]) + 1);
  if (q->field_count) lists[0] = gp__hash_bytes(q->fields, (size_t)q->field_count * sizeof *q->fields);
  if (q->in_layout.field_count) {
    const size_t bytes = (size_t)q->in_layout.field_count * sizeof *q->in_layout.fields;
    lists[0] = gp__hash_bytes(q->in_layout.fields, bytes);
    lists[1] = gp__hash_bytes(q->out_layout.fields, bytes);
  }
}

// A copy of a list, or NULL.
GP__HOST void *gp__copy_list(const void *list, size_t bytes, int *failed) {
  void *copy = list && bytes ? malloc(bytes) : NULL;
  if (copy) memcpy(copy, list, bytes);
  else if (list && bytes) *failed = 1;
  return copy;
}
GP__HOST void gp__free_site(gp__site *x) {
  free((void *)(uintptr_t)x->q.fields);
  free((void *)(uintptr_t)x->q.in_layout.fields);
  free((void *)(uintptr_t)x->q.out_layout.fields);
  gp__free_tuner(x->tuner);
  free(x);
}
GP__HOST gp__site *gp__make_site(const gp__request *q, gp__form h, const gp_policy *usual) {
  gp__site *x = (gp__site *)calloc(1, sizeof *x);
  const size_t fields = (size_t)q->in_layout.field_count * sizeof *q->in_layout.fields;
  int failed = 0;
  if (!x) return NULL;
  x->q = *q;
  x->h = *h;
  x->usual = *usual;
  x->bytes = gp__rules_of(h->primitive)->measure(h).bytes;
  x->searching = 1;
  x->watched = 1;
  x->q.fields = (gp_key_field *)gp__copy_list(q->fields, (size_t)q->field_count * sizeof *q->fields, &failed);
  x->q.in_layout.fields = (gp_field *)gp__copy_list(q->in_layout.fields, fields, &failed);
  x->q.out_layout.fields = (gp_field *)gp__copy_list(q->out_layout.fields, fields, &failed);
  if (!failed) return x;
  gp__free_site(x);
  return NULL;
}
GP__HOST gp__site **gp__site_slot(gp__online *o, const uint64_t words[GP__SITE_WORDS]) {
  uint64_t hash = 0;
  int i;
  for (i = 0; i < GP__SITE_WORDS; ++i) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
  return &o->slots[(hash >> 40) % GP__SITE_SLOTS];
}
// The site of a call, or NULL. `lock` is held.
GP__HOST gp__site *gp__find_site(gp__online *o, const uint64_t words[GP__SITE_WORDS]) {
  gp__site *x = *gp__site_slot(o, words);
  while (x && memcmp(x->words, words, sizeof x->words) != 0) x = x->next;
  return x;
}

// Whether calls like this one are tuned: they are kernels of one policy.
GP__HOST int gp__is_tunable(const gp__request *q) {
  return !gp__composition_of(q) && !q->inputs.count && !q->stored; // a site knows neither
}
// Whether a policy needs no more of a workspace than the usual one, whose size the caller may have been told.
GP__HOST int gp__fits_room(const gp_policy *p, const gp_policy *usual, gp__form h) {
  const gp__geometry g = gp__geometry_of(*p, h, 0), by_rule = gp__geometry_of(*usual, h, 0);
  return gp__workspace_bytes(&g) <= gp__workspace_bytes(&by_rule);
}

// A call on its way.
typedef struct gp__attempt {
  gp__site *site;
  int has_policy; // otherwise the usual one
  gp_policy policy;
  gp__proposal *proposal; // whose policy it is, or NULL
  gp__measured *measured; // or NULL
  uint64_t begun;
  int free;
} gp__attempt;

// The site of a call that begins, made if there is none; NULL: it is not tuned. `lock` is held.
GP__HOST gp__site *gp__visit_site(gp__online *o, const gp__request *q, gp__form h, const gp_policy *usual) {
  uint64_t words[GP__SITE_WORDS];
  gp__site *x, **slot;
  gp__site_words(q, h, words);
  x = gp__find_site(o, words);
  if (!x && o->site_count < GP__SITES && (x = gp__make_site(q, h, usual)) != NULL) {
    slot = gp__site_slot(o, words);
    memcpy(x->words, words, sizeof x->words);
    x->next = *slot;
    x->older = o->sites;
    *slot = o->sites = x;
    ++o->site_count;
  }
  if (x && ++x->calls == GP__CALLS_BEFORE && o->dozing) pthread_cond_signal(&o->wake);
  return x;
}
// A proposal that a call of this shape can try, or NULL. `lock` is held.
GP__HOST gp__proposal *gp__ready_proposal(gp__site *x, gp__form h) {
  int i;
  for (i = 0; i < GP__PROPOSALS; ++i)
    if (x->proposals[i].state == GP__PROPOSAL_READY && gp__policy_valid(x->proposals[i].policy, h))
      return &x->proposals[i];
  return NULL;
}
// Chooses the policy of a call that begins. fixed: its workspace cannot grow, or it is captured: the best policy known,
// if there is room for it, and no measurement. a->free: what was chosen is not for calls that are captured.
GP__HOST void gp__attempt_begins(gp__online *o, const gp__request *q, gp__form h, const gp_policy *usual, int fixed,
    gp_stream stream, gp__attempt *a) {
  gp__measured *m = NULL;
  gp__site *x;
  memset(a, 0, sizeof *a);
  pthread_mutex_lock(&o->lock);
  a->begun = ++o->begun;
  x = gp__visit_site(o, q, h, usual);
  if (x && x->has_best && gp__policy_valid(x->best, h)) {
    const int fits = gp__fits_room(&x->best, usual, h);
    if (fits || !fixed) {
      a->policy = x->best;
      a->has_policy = 1;
      a->free = !fits;
    }
  }
  // Others on their way through the host, or on another stream, may run beside this call; loading a module slows it.
  if (x && !fixed && x->begun && !x->failed && !__atomic_load_n(&o->open, __ATOMIC_RELAXED) &&
      (!o->stopped || o->stopped->stream == stream))
    m = o->unused;
  if (__atomic_load_n(&o->s->loading, __ATOMIC_RELAXED)) m = NULL;
  if (m) a->proposal = gp__ready_proposal(x, h);
  if (a->proposal) { // the first run is slower, because the driver loads its kernels: the next one is measured
    if (!a->proposal->warm) m = NULL;
    a->proposal->warm = 1;
    a->policy = a->proposal->policy;
    a->has_policy = 1;
  } else if (m) {
    const int as_usual = !memcmp(usual, &x->usual, sizeof *usual), known = x->has_best ? a->has_policy : as_usual;
    if (!known || (x->calls > GP__CALLS_MEASURED && x->calls % x->watched)) m = NULL;
    // Times change with the machine. The usual policy's are renewed, so that it comes back if it is better.
    if (m && x->has_best && as_usual && ++x->seen % GP__USUAL_AGAIN == 0) a->has_policy = 0;
  }
  if (m) {
    o->unused = m->next;
    m->site = x;
    m->proposal = a->proposal;
    m->bytes = gp__rules_of(h->primitive)->measure(h).bytes;
    m->n = h->count;
    m->calls = x->calls;
    m->loads = __atomic_load_n(&o->s->loads, __ATOMIC_RELAXED);
    m->stream = stream;
    m->stamps.recorded = m->stamps.failed = 0;
    memcpy(m->point,
        m->proposal ? m->proposal->point
            : x->has_best && a->has_policy ? x->best_point
            : x->usual_point,
        sizeof m->point);
    if (m->proposal) m->proposal->state = GP__PROPOSAL_RUN;
    a->measured = m;
  }
  a->free |= m || a->proposal;
  __atomic_add_fetch(&o->open, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&o->lock);
}
// Ends it. failed: the policy cannot run, if it is a proposal's.
GP__HOST void gp__attempt_ends(gp__online *o, gp__attempt *a, int failed) {
  gp__measured *m = a->measured;
  gp__proposal *c = a->proposal;
  __atomic_sub_fetch(&o->open, 1, __ATOMIC_RELAXED);
  if (!m && !c) return;
  pthread_mutex_lock(&o->lock);
  if (m && !failed && o->begun == a->begun && m->stamps.recorded == 2 && !m->stamps.failed) {
    m->next = NULL;
    *o->last = m;
    o->last = &m->next;
    if (++o->stopped_count >= GP__UNREAD && o->dozing) pthread_cond_signal(&o->wake);
    c = NULL; // until its time is read
  } else if (m) {
    m->next = o->unused;
    o->unused = m;
    if (c) c->state = GP__PROPOSAL_READY;
  }
  if (c && failed && c->state == GP__PROPOSAL_READY) c->state = GP__PROPOSAL_FAILED;
  pthread_mutex_unlock(&o->lock);
}

GP__HOST const unsigned *gp__settled(gp__state *s, const gp__request *q, gp__form h, gp_policy *policy, unsigned *as) {
  gp__online *o = s->online;
  uint64_t words[GP__SITE_WORDS];
  const gp__site *x;
  const unsigned *settled = NULL;
  gp__site_words(q, h, words);
  pthread_mutex_lock(&o->lock);
  x = gp__find_site(o, words);
  if (x && x->settled) {
    if (x->has_best && gp__policy_valid(x->best, h) && gp__fits_room(&x->best, policy, h)) *policy = x->best;
    *as = x->settled;
    settled = &x->settled;
  }
  pthread_mutex_unlock(&o->lock);
  return settled;
}
// The best policy known for a call, if it was learned here.
GP__HOST int gp__learned(gp__state *s, const gp__request *q, gp__form h, gp_policy *policy) {
  gp__online *o = s->online;
  uint64_t words[GP__SITE_WORDS];
  const gp__site *x;
  int found = 0;
  if (!o || !gp__is_tunable(q)) return 0;
  gp__site_words(q, h, words);
  pthread_mutex_lock(&o->lock);
  x = gp__find_site(o, words);
  if (x && x->has_best && gp__policy_valid(x->best, h)) {
    *policy = x->best;
    found = 1;
  }
  pthread_mutex_unlock(&o->lock);
  return found;
}
