// tuner/points.c - the lattice of a tuner's configurations, and what is known of its points
// uses: api/config.h, core/rules.h

// A point is an index for each parameter. The table keeps the points that were handed out, told or found invalid, each
// with its last few times. Their lower median is the point's value: outliers are slow.
//
// The first time of a configuration may be slower than the later ones, since its code is loaded. Points with several
// times tell by how much. The value of a point with one time is that time without this share.

enum {
  GP__TUNED_MOST = 12, // parameters of a search
  GP__SAMPLES = 11, // times kept of a point
  GP__NOISE_SAMPLES = 32 // deviations kept of all points
};
typedef struct gp__lattice {
  int dimensions, count[GP__TUNED_MOST]; // values of each parameter
  int categorical[GP__TUNED_MOST]; // their order means nothing
  int start[GP__TUNED_MOST]; // where the search begins: the default's indices
} gp__lattice;
typedef int (*gp__point_fn)(void *user, const int *point); // may the point run?

enum { GP__ASK_MEASURE, GP__ASK_WAIT, GP__ASK_DONE };

typedef struct gp__tried {
  int point[GP__TUNED_MOST];
  int samples; // times told; the last GP__SAMPLES of them are kept
  int pending; // handed out, and not told yet
  int invalid;
  double time[GP__SAMPLES], median;
} gp__tried;

typedef struct gp__points {
  gp__lattice lattice;
  gp__point_fn valid;
  void *user;
  uint64_t random;
  gp__tried *tried;
  size_t count, room;
  uint32_t *slots; // a hash table of 2 * room slots: 0, or an index into `tried` plus one
  size_t pending; // points that were handed out and not told yet
  size_t measured; // points that have a value
  size_t best; // index into `tried`, if measured
  double before; // the time of the best before this one
  size_t last; // the point told last
  int failed; // no memory: the table does not grow any more
  double deviation[GP__NOISE_SAMPLES],
      first[GP__NOISE_SAMPLES]; // the last ones: shares of a time; first by second time
  unsigned deviations, firsts;
  double slow_first, slowest_first; // the usual first time by the second, and the most that it was
} gp__points;

// The value of an invalid point, above every time.
#define GP__NEVER 1e300

GP__HOST uint64_t gp__random64(uint64_t *state) { // Steele, Lea and Flood, SplitMix64
  uint64_t z = *state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
// 0 ... below - 1.
GP__HOST int gp__random_below(gp__points *p, int below) {
  return (int)((gp__random64(&p->random) >> 32) * (uint64_t)below >> 32);
}

GP__HOST int gp__same_point(const gp__lattice *l, const int *a, const int *b) {
  return memcmp(a, b, (size_t)l->dimensions * sizeof *a) == 0;
}
GP__HOST void gp__copy_point(const gp__lattice *l, int *to, const int *from) {
  memcpy(to, from, (size_t)l->dimensions * sizeof *to);
}
// The configurations of the lattice; `most` if there are more.
GP__HOST uint64_t gp__lattice_size(const gp__lattice *l, uint64_t most) {
  uint64_t size = 1;
  int d;
  for (d = 0; d < l->dimensions; ++d) {
    if (size > most / (uint64_t)l->count[d]) return most;
    size *= (uint64_t)l->count[d];
  }
  return size;
}

GP__HOST uint64_t gp__hash_point(const gp__lattice *l, const int *point) {
  uint64_t hash = 0;
  int d;
  for (d = 0; d < l->dimensions; ++d) {
    hash += (uint64_t)point[d];
    hash = gp__random64(&hash);
  }
  return hash;
}
// The slot of a point, or the empty one where it belongs. The table has slots.
GP__HOST uint32_t *gp__point_slot(const gp__points *p, const int *point) {
  size_t at = (size_t)gp__hash_point(&p->lattice, point) & (2 * p->room - 1);
  while (p->slots[at] && !gp__same_point(&p->lattice, p->tried[p->slots[at] - 1].point, point))
    at = (at + 1) & (2 * p->room - 1);
  return &p->slots[at];
}
GP__HOST gp__tried *gp__find_point(const gp__points *p, const int *point) {
  const uint32_t *slot = p->room ? gp__point_slot(p, point) : NULL;
  return slot && *slot ? &p->tried[*slot - 1] : NULL;
}
GP__HOST int gp__grow_points(gp__points *p) {
  const size_t room = p->room ? p->room * 2 : 64;
  gp__tried *tried;
  uint32_t *slots;
  size_t i;
  if (room > UINT32_MAX / 2) return 0;
  slots = (uint32_t *)calloc(2 * room, sizeof *slots);
  tried = slots ? (gp__tried *)realloc(p->tried, room * sizeof *tried) : NULL;
  if (!tried) {
    free(slots);
    return 0;
  }
  free(p->slots);
  p->tried = tried;
  p->slots = slots;
  p->room = room;
  for (i = 0; i < p->count; ++i) *gp__point_slot(p, tried[i].point) = (uint32_t)(i + 1);
  return 1;
}
// The point's row, made if need be; NULL: no memory. Rows move when one is made.
GP__HOST gp__tried *gp__make_point(gp__points *p, const int *point) {
  gp__tried *t = gp__find_point(p, point);
  if (t) return t;
  if (p->count == p->room && (p->failed || !gp__grow_points(p))) {
    p->failed = 1;
    return NULL;
  }
  *gp__point_slot(p, point) = (uint32_t)(p->count + 1);
  t = &p->tried[p->count++];
  memset(t, 0, sizeof *t);
  gp__copy_point(&p->lattice, t->point, point);
  return t;
}

GP__HOST int gp__open_points(gp__points *p, const gp__lattice *l, uint64_t seed, gp__point_fn valid, void *user) {
  memset(p, 0, sizeof *p);
  p->lattice = *l;
  p->random = seed;
  p->valid = valid;
  p->user = user;
  p->slow_first = p->slowest_first = 1;
  p->before = GP__NEVER;
  return gp__grow_points(p);
}
GP__HOST void gp__close_points(gp__points *p) {
  free(p->tried);
  free(p->slots);
}

enum { GP__POINT_UNKNOWN, GP__POINT_PENDING, GP__POINT_KNOWN };

GP__HOST double gp__time_of(const gp__points *p, const gp__tried *t) {
  return t->samples == 1 ? t->median / p->slow_first : t->median;
}
GP__HOST double gp__best_time(const gp__points *p) {
  return p->measured ? gp__time_of(p, &p->tried[p->best]) : GP__NEVER;
}

// Looks a point up; *value is its time if it is known, or GP__NEVER: it is invalid. Validity is
// asked for once.
GP__HOST int gp__look_up(gp__points *p, const int *point, double *value) {
  gp__tried *t = gp__find_point(p, point);
  if (!t) {
    if (!p->valid || p->valid(p->user, point)) return GP__POINT_UNKNOWN;
    *value = GP__NEVER;
    t = gp__make_point(p, point);
    if (t) t->invalid = 1;
    return GP__POINT_KNOWN;
  }
  *value = t->invalid ? GP__NEVER : gp__time_of(p, t);
  return t->invalid || t->samples ? GP__POINT_KNOWN : t->pending ? GP__POINT_PENDING : GP__POINT_UNKNOWN;
}
// Hands a point out.
GP__HOST int gp__hand_point(gp__points *p, const int *point, int *to) {
  gp__tried *t = gp__make_point(p, point);
  if (!t) return GP__ASK_DONE;
  p->pending += (size_t)!t->pending;
  t->pending = 1;
  memmove(to, t->point, (size_t)p->lattice.dimensions * sizeof *to);
  return GP__ASK_MEASURE;
}

// The lower median of `count` numbers, 1 to GP__NOISE_SAMPLES.
GP__HOST double gp__lower_median(const double *numbers, int count) {
  double sorted[GP__NOISE_SAMPLES];
  int i, k;
  for (i = 0; i < count; ++i) {
    for (k = i; k > 0 && sorted[k - 1] > numbers[i]; --k) sorted[k] = sorted[k - 1];
    sorted[k] = numbers[i];
  }
  return sorted[(count - 1) / 2];
}
GP__HOST int gp__kept(unsigned count) { return count < GP__NOISE_SAMPLES ? (int)count : GP__NOISE_SAMPLES; }
// The standard deviation of a time, as a share of it, from points that have several: 1.48 times the median deviation.
// Without any, a guess.
GP__HOST double gp__noise(const gp__points *p) {
  const double noise = p->deviations < 4 ? 0.01 : 1.48 * gp__lower_median(p->deviation, gp__kept(p->deviations));
  return noise < 0.001 ? 0.001 : noise > 0.2 ? 0.2 : noise;
}

// Takes back a point that was handed out and will not be told.
GP__HOST void gp__take_point_back(gp__points *p, const int *point) {
  gp__tried *t = gp__find_point(p, point);
  if (!t) return;
  p->pending -= (size_t)t->pending;
  t->pending = 0;
}

GP__HOST void gp__find_best(gp__points *p) {
  size_t i;
  int found = 0;
  for (i = 0; i < p->count; ++i) {
    const gp__tried *t = &p->tried[i];
    if (t->invalid || !t->samples || (found && gp__time_of(p, t) >= gp__best_time(p))) continue;
    p->best = i;
    found = 1;
  }
}
// Notes a time. A negative one makes the point invalid.
GP__HOST void gp__note_time(gp__points *p, const int *point, double time) {
  gp__tried *t = gp__make_point(p, point);
  const int was = t && t->samples && !t->invalid;
  const double best_was = gp__best_time(p);
  const size_t was_best = p->best;
  double before;
  if (!t) return;
  before = t->median;
  p->pending -= (size_t)t->pending;
  t->pending = 0;
  if (!(time > 0)) {
    t->invalid = 1;
    p->measured -= (size_t)was;
    if (was) gp__find_best(p);
    return;
  }
  if (t->invalid) return; // it ran elsewhere before it was refused
  t->time[t->samples % GP__SAMPLES] = time;
  t->samples = t->samples < 1 << 30 ? t->samples + 1 : GP__SAMPLES;
  t->median = gp__lower_median(t->time, t->samples < GP__SAMPLES ? t->samples : GP__SAMPLES);
  p->last = (size_t)(t - p->tried);
  p->measured += (size_t)!was;
  if (t->samples == 2) {
    p->first[p->firsts++ % GP__NOISE_SAMPLES] = before / time;
    p->slow_first = p->firsts < 3 ? 1 : gp__lower_median(p->first, gp__kept(p->firsts));
    if (p->slow_first < 1) p->slow_first = 1;
    if (before / time > p->slowest_first) p->slowest_first = before / time;
  } else if (t->samples > 2) { // a time less the median of n others deviates by sqrt(1 + 1.57 / n) as much as a time
    const int n = t->samples <= GP__SAMPLES ? t->samples - 1 : GP__SAMPLES;
    const double off = (1 - 0.6 / n) * (time - before) / before;
    p->deviation[p->deviations++ % GP__NOISE_SAMPLES] = off < 0 ? -off : off;
  }
  if (was || p->measured == 1) gp__find_best(p);
  else if (gp__time_of(p, t) < gp__best_time(p)) p->best = p->last;
  if (p->best != was_best) p->before = best_was;
}
