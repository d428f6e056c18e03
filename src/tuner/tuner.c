// tuner/tuner.c - a tuner's parameters, buckets and what they have learned
// uses: api/config.h, api/lists.h, api/context_types.h, api/tuner.h, core/words.h, core/rules.h, core/system.c,
//   core/messages.c, core/text.c, core/state.c, core/close.c, tuner/points.c, tuner/search.c

enum {
  GP__TUNED_PATH = 4096, // measured sections that the report keeps
  GP__BUCKETS = 256, // of a tuner
  GP__TIMINGS = 64, // sections whose times are not read yet
  GP__RECENT = 15, // times of the best configuration that a drift shows in
  GP__CU_NOT_READY = 600,
  GP__CREDIT = 400, // sections whose budget a bucket has from the start
  GP__BUILDING = 3 // sections in a row that are not measured, because the library loads kernels in each
};

typedef struct gp__tuned { // a parameter
  char *name;
  int *variable, *values;
  int count, categorical, start; // start: the default's index
} gp__tuned;

// Sections with the same numbers, up to a factor of two, learn together.
typedef struct gp__size_bucket {
  int numbers, log2[GP_TUNER_NUMBERS];
  gp__search *search; // NULL: the best point was read from disk, or memory has run out
  int done; // the search has ended
  int best[GP__TUNED_MOST], measured;
  double us; // of the best; 0: not measured yet
  double total, spent; // us of its sections; of that, beyond the best's
  double recent[GP__RECENT], usual, spread; // times of the best after the search; their usual median and spread
  int recent_count, usual_known;
} gp__size_bucket;

typedef struct gp__timing {
  struct gp__timing *next;
  double us; // host back end: the begin, then the time
  int bucket, explored, point[GP__TUNED_MOST];
  unsigned loads; // of the context, when the time began
} gp__timing;

typedef struct gp__section {
  const void *thread;
  gp_stream stream;
  gp__timing *timing; // NULL: it is not measured
} gp__section;

typedef struct gp__step_of_path {
  uint64_t n; // elements of a call of the library; 0 otherwise
  int bucket, point[GP__TUNED_MOST];
  double us; // negative: rejected
} gp__step_of_path;

struct gp_tuner {
  gp_context *ctx;
  pthread_mutex_t lock;
  gp_tuner_search kind;
  double budget;
  uint64_t seed;
  gp_tuner_valid_fn valid;
  void *user;
  char *name;
  gp__tuned tuned[GP__TUNED_MOST];
  int parameters, started;
  gp__size_bucket *buckets;
  int bucket_count;
  gp__events *events; // two for each timing; NULL on the host
  gp__timing timings[GP__TIMINGS], *unused, *first, **last; // first to last: stopped, in that order
  gp__section *sections; // open ones
  int section_count, section_room;
  int building; // the last sections in a row that loaded kernels
  int bucket, point[GP__TUNED_MOST]; // of the open sections
  gp__step_of_path *path; // the last path_room ones
  int path_room;
  uint64_t steps; // measured so far; the path keeps the last ones
};

// Differs between threads that live.
GP__HOST const void *gp__this_thread(void) {
  static __thread char here;
  return &here;
}

// ---- parameters

// The i-th value of a range, and how many there are.
GP__HOST int64_t gp__range_value(const gp_range *r, int64_t i) {
  return r->kind == 1 ? r->lowest + i * r->step : r->kind == 2 ? (int64_t)r->lowest << i : r->values[i];
}
GP__HOST int64_t gp__range_count(const gp_range *r) {
  int64_t count = 0;
  if (r->kind == 1) return r->highest < r->lowest ? 0 : ((int64_t)r->highest - r->lowest) / r->step + 1;
  if (r->kind != 2) return r->count;
  while (((int64_t)r->lowest << count) <= r->highest) ++count;
  return count;
}
GP__HOST gp_result gp__check_range(const char *who, const gp_range *r, int value) {
  int64_t i, k, count, found = 0;
  if (r->kind < 1 || r->kind > 4)
    return gp__fail(GP_E_ARGUMENT,
        "%s: range.kind is %d: make the range by gp_range_steps, _powers, _values or _choices", who, r->kind);
  if (r->kind == 1 && r->step < 1) return gp__fail(GP_E_ARGUMENT, "%s: range.step is %d, below 1", who, r->step);
  if (r->kind == 2 && r->lowest < 1) return gp__fail(GP_E_ARGUMENT, "%s: range.lowest is %d, below 1", who, r->lowest);
  if (r->kind > 2 && r->count > 0 && !r->values) return gp__fail(GP_E_NULL, "%s: range.values is null", who);
  count = gp__range_count(r);
  if (count < 1) return gp__fail(GP_E_ARGUMENT, "%s: range is empty", who);
  if (count > 65536)
    return gp__fail(GP_E_ARGUMENT, "%s: range has %lld values, more than 65536", who, (long long)count);
  for (i = 0; i < count; ++i) {
    found |= gp__range_value(r, i) == value;
    for (k = 0; k < i && r->kind > 2; ++k)
      if (r->values[k] == r->values[i])
        return gp__fail(GP_E_ARGUMENT, "%s: range.values has %d twice", who, r->values[i]);
  }
  return found ? GP_SUCCESS : gp__fail(GP_E_ARGUMENT, "%s: value, %d, is not in range", who, value);
}
GP__HOST gp_result gp__tuner_add(gp_tuner *t, const char *name, int *variable, const gp_range *range, int value) {
  const char *who = "gp_tuner_add_parameter";
  gp__tuned *p = &t->tuned[t->parameters];
  int i, failed = 0;
  if (!name) return gp__fail(GP_E_NULL, "%s: name is null", who);
  if (!variable) return gp__fail(GP_E_NULL, "%s: variable is null", who);
  if (!*name || strlen(name) > 63 || strcspn(name, " \t\r\n\"\\") != strlen(name))
    return gp__fail(
        GP_E_ARGUMENT, "%s: name is empty, longer than 63 bytes, or has a space, a quote or a backslash", who);
  if (t->started) return gp__fail(GP_E_ARGUMENT, "%s: the tuner has started: add every parameter before", who);
  if (t->parameters == GP_TUNER_PARAMETERS)
    return gp__fail(GP_E_ARGUMENT, "%s: the tuner has %d parameters, the most", who, t->parameters);
  for (i = 0; i < t->parameters; ++i) {
    if (!strcmp(t->tuned[i].name, name))
      return gp__fail(GP_E_ARGUMENT, "%s: name: the tuner has a parameter %s", who, name);
    if (t->tuned[i].variable == variable)
      return gp__fail(GP_E_ARGUMENT, "%s: variable is that of the parameter %s", who, t->tuned[i].name);
  }
  GP__CHECK(gp__check_range(who, range, value));
  p->count = (int)gp__range_count(range);
  p->name = gp__duplicate(name, &failed);
  p->values = (int *)malloc((size_t)p->count * sizeof(int));
  if (failed || !p->values) {
    free(p->name);
    free(p->values);
    return gp__fail(GP_E_MEMORY, "%s: no memory", who);
  }
  for (i = 0; i < p->count; ++i) {
    p->values[i] = (int)gp__range_value(range, i);
    if (p->values[i] == value) p->start = i;
  }
  p->categorical = range->kind == 4;
  p->variable = variable;
  *variable = value;
  ++t->parameters;
  return GP_SUCCESS;
}

GP__HOST void gp__set_variables(const gp_tuner *t, const int *point) {
  int i;
  for (i = 0; i < t->parameters; ++i) // a thread whose section shares the configuration may read them now
    __atomic_store_n(t->tuned[i].variable, t->tuned[i].values[point[i]], __ATOMIC_RELAXED);
}
GP__HOST void gp__default_point(const gp_tuner *t, int *point) {
  int i;
  for (i = 0; i < t->parameters; ++i) point[i] = t->tuned[i].start;
}
GP__HOST int gp__tuner_may_run(void *user, const int *point) {
  const gp_tuner *t = (const gp_tuner *)user;
  int values[GP__TUNED_MOST], i, may;
  const char *outer;
  if (!t->valid) return 1;
  for (i = 0; i < t->parameters; ++i) values[i] = t->tuned[i].values[point[i]];
  outer = gp__hook_begins("gp_tuner_config.valid");
  may = t->valid(t->user, values);
  gp__hook_ends(outer);
  return may;
}

// ---- buckets

GP__HOST int gp__log2_of(uint64_t number) { return number ? 63 - __builtin_clzll(number) : -1; }
GP__HOST int gp__bucket_distance(const gp__size_bucket *a, const gp__size_bucket *b) {
  int i, sum = a->numbers == b->numbers ? 0 : 1000;
  for (i = 0; i < a->numbers && i < b->numbers; ++i) sum += abs(a->log2[i] - b->log2[i]);
  return sum;
}
// Begins a bucket's search at its best point.
GP__HOST void gp__bucket_search(gp_tuner *t, gp__size_bucket *b) {
  gp__lattice lattice;
  int i;
  memset(&lattice, 0, sizeof lattice);
  lattice.dimensions = t->parameters;
  for (i = 0; i < t->parameters; ++i) {
    lattice.count[i] = t->tuned[i].count;
    lattice.categorical[i] = t->tuned[i].categorical;
    lattice.start[i] = b->best[i];
  }
  if (b->search) gp__search_close(b->search);
  b->search = gp__search_open(&lattice, t->kind, t->seed + (uint64_t)(b - t->buckets), gp__tuner_may_run, t);
  b->done = !b->search;
  b->us = b->total = b->spent = 0;
  b->recent_count = b->usual_known = 0;
}
// The index of the bucket of these numbers, a new one if need be; -1: no memory.
GP__HOST int gp__find_bucket(gp_tuner *t, const uint64_t *numbers, int count, int make) {
  gp__size_bucket wanted, *grown;
  int i, near = -1;
  memset(&wanted, 0, sizeof wanted);
  wanted.numbers = count;
  for (i = 0; i < count; ++i) wanted.log2[i] = gp__log2_of(numbers[i]);
  for (i = 0; i < t->bucket_count; ++i)
    if (near < 0 || gp__bucket_distance(&t->buckets[i], &wanted) < gp__bucket_distance(&t->buckets[near], &wanted))
      near = i;
  if (near >= 0 && !gp__bucket_distance(&t->buckets[near], &wanted)) return near;
  if (!make || t->bucket_count == GP__BUCKETS) return near;
  grown = (gp__size_bucket *)realloc(t->buckets, (size_t)(t->bucket_count + 1) * sizeof *grown);
  if (!grown) return near;
  t->buckets = grown;
  gp__default_point(t, wanted.best);
  if (near >= 0 && grown[near].us > 0) memcpy(wanted.best, grown[near].best, sizeof wanted.best);
  grown[t->bucket_count] = wanted;
  gp__bucket_search(t, &grown[t->bucket_count]);
  return t->bucket_count++;
}

GP__HOST double gp__median_of(double *x, int count) { // sorts
  int i, k;
  for (i = 1; i < count; ++i) {
    const double key = x[i];
    for (k = i; k > 0 && x[k - 1] > key; --k) x[k] = x[k - 1];
    x[k] = key;
  }
  return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}
// After the search, notes a time of the best point. 1: the best has become slower than noise explains.
GP__HOST int gp__bucket_drifts(gp__size_bucket *b, double us) {
  double sorted[GP__RECENT], median, spread;
  int i;
  b->recent[b->recent_count++ % GP__RECENT] = us;
  if (b->recent_count % GP__RECENT) return 0;
  b->recent_count = 0;
  memcpy(sorted, b->recent, sizeof sorted);
  median = gp__median_of(sorted, GP__RECENT);
  for (i = 0; i < GP__RECENT; ++i) sorted[i] = sorted[i] > median ? sorted[i] - median : median - sorted[i];
  spread = gp__median_of(sorted, GP__RECENT);
  if (b->usual_known && median > 1.1 * b->usual + 4 * (spread > b->spread ? spread : b->spread)) return 1;
  if (!b->usual_known || median < b->usual) b->usual = median, b->spread = spread;
  b->usual_known = 1;
  return 0;
}

// Takes the time of a section; negative: its configuration cannot run.
GP__HOST void gp__tuner_learn(gp_tuner *t, int bucket, const int *point, double us) {
  gp__size_bucket *b = &t->buckets[bucket];
  gp__step_of_path *step = t->path ? &t->path[t->steps % (uint64_t)t->path_room] : NULL;
  const int is_best = !memcmp(point, b->best, (size_t)t->parameters * sizeof(int));
  if (step) {
    step->n = 0;
    step->bucket = bucket;
    memcpy(step->point, point, sizeof step->point);
    step->us = us;
  }
  ++t->steps;
  ++b->measured;
  if (us >= 0) {
    if (us < 0.05) us = 0.05; // the events' resolution: a section that launches nothing
    b->total += us;
    if (b->us > 0 && us > b->us && !is_best) b->spent += us - b->us;
  }
  if (b->search) {
    gp__search_tell(b->search, point, us);
    gp__search_best(b->search, b->best, &b->us);
  }
  if (us < 0 && is_best && b->done) gp__bucket_search(t, b); // what was read from disk does not run here
  if (us >= 0 && b->done && is_best) {
    if (!b->search) b->us = us;
    if (gp__bucket_drifts(b, us)) gp__bucket_search(t, b);
  }
}

// The point of the next section of a bucket; 1: it is one to try.
GP__HOST int gp__tuner_choose(gp_tuner *t, int bucket, int *point) {
  gp__size_bucket *b = &t->buckets[bucket];
  int asked = GP__ASK_WAIT;
  // The budget counts what was tried beyond the best; at first, as if GP__CREDIT sections had passed.
  if (!b->done && (b->us <= 0 || b->spent <= t->budget * (b->total + (double)GP__CREDIT * b->us)))
    asked = gp__search_ask(b->search, point);
  if (asked == GP__ASK_DONE) b->done = 2;
  if (asked == GP__ASK_MEASURE) return 1;
  memcpy(point, b->best, sizeof b->best);
  return 0;
}

// Adds a tuner's path as JSON Lines: its parameters, then its steps. call: a further member of the first line, or "".
GP__HOST void gp__report_tuner(const gp_tuner *t, const char *call, gp__text *report) {
  const uint64_t room = (uint64_t)t->path_room;
  uint64_t i;
  int k, j;
  gp__add(report, "{\"tuner\": \"%s\", %s\"parameters\": [", t->name ? t->name : "", call);
  for (k = 0; k < t->parameters; ++k) {
    const gp__tuned *p = &t->tuned[k];
    gp__add(report, "%s{\"name\": \"%s\", \"values\": [", k ? ", " : "", p->name);
    for (j = 0; j < p->count; ++j) gp__add(report, "%s%d", j ? ", " : "", p->values[j]);
    gp__add(report, "], \"default\": %d, \"categorical\": %s}", p->values[p->start], p->categorical ? "true" : "false");
  }
  gp__add(report, "]}\n");
  for (i = t->steps > room ? t->steps - room : 0; t->path && i < t->steps; ++i) {
    const gp__step_of_path *step = &t->path[i % room];
    const gp__size_bucket *b = &t->buckets[step->bucket];
    gp__add(report, "{\"bucket\": [");
    for (k = 0; k < b->numbers; ++k)
      gp__add(report, "%s%llu", k ? ", " : "", b->log2[k] < 0 ? 0ull : 1ull << b->log2[k]);
    gp__add(report, "], ");
    if (step->n) gp__add(report, "\"n\": %llu, ", (gp__u64)step->n);
    gp__add(report, "\"values\": [");
    for (k = 0; k < t->parameters; ++k) gp__add(report, "%s%d", k ? ", " : "", t->tuned[k].values[step->point[k]]);
    if (step->us < 0) gp__add(report, "], \"rejected\": true}\n");
    else {
      const gp__u64 ns = (gp__u64)(1e3 * step->us + 0.5);
      gp__add(report, "], \"us\": %llu.%03llu}\n", ns / 1000, ns % 1000); // no locale's comma
    }
  }
}

GP__HOST void gp__free_tuner(gp_tuner *t) {
  int i;
  if (!t) return;
  for (i = 0; i < t->bucket_count; ++i) gp__search_close(t->buckets[i].search);
  for (i = 0; i < t->parameters; ++i) {
    free(t->tuned[i].name);
    free(t->tuned[i].values);
  }
  if (t->events) gp__let_events_go(t->events);
  free(t->buckets);
  free(t->sections);
  free(t->path);
  free(t->name);
  pthread_mutex_destroy(&t->lock);
  free(t);
}
