// tuner/strategies.c - random search, coordinate descent, exhaustive search
// uses: api/config.h, core/rules.h, top_k/policy.h, tuner/points.c, tuner/neighbours.c

// Points at random, each once, until `most` are measured or no new valid one is found among many.
typedef struct gp__at_random {
  uint64_t handed_out, most;
} gp__at_random;

GP__HOST int gp__ask_random(gp__points *p, gp__at_random *s, int *point) {
  const gp__lattice *l = &p->lattice;
  double value;
  int turn, d, at[GP__TUNED_MOST];
  if (s->handed_out == 0) {
    s->most = gp__lattice_size(l, 200);
    s->handed_out = 1;
    if (gp__look_up(p, l->start, &value) == GP__POINT_UNKNOWN) return gp__hand_point(p, l->start, point);
  }
  for (turn = 0; turn < 4096 && s->handed_out < s->most; ++turn) {
    for (d = 0; d < l->dimensions; ++d) at[d] = gp__random_below(p, l->count[d]);
    if (gp__find_point(p, at) || gp__look_up(p, at, &value) != GP__POINT_UNKNOWN) continue;
    ++s->handed_out;
    return gp__hand_point(p, at, point);
  }
  s->handed_out = s->most;
  return GP__ASK_DONE;
}

// Every point once: the start, then the others in a random order. A walk by a stride that shares no factor with the
// number of points visits each of them.
typedef struct gp__exhaustive {
  uint64_t size, at, stride, left;
} gp__exhaustive;

GP__HOST int gp__ask_exhaustive(gp__points *p, gp__exhaustive *s, int *point) {
  const gp__lattice *l = &p->lattice;
  int d, at[GP__TUNED_MOST];
  if (!s->size) {
    s->size = s->left = gp__lattice_size(l, UINT64_MAX / 4);
    s->at = gp__random64(&p->random) % s->size;
    s->stride = 1 + gp__random64(&p->random) % s->size;
    s->stride = gp__coprime(s->stride, s->size);
    ++s->left;
    gp__copy_point(l, at, l->start);
  }
  while (s->left && !p->failed) {
    uint64_t rest = s->at;
    double value;
    if (s->left-- <= s->size) {
      for (d = 0; d < l->dimensions; rest /= (uint64_t)l->count[d++]) at[d] = (int)(rest % (uint64_t)l->count[d]);
      s->at = (s->at + s->stride) % s->size;
    }
    if (gp__look_up(p, at, &value) == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
  }
  return GP__ASK_DONE;
}

// Coordinate descent: a line search along one parameter after the other, until none finds a better point. A line search
// measures a few points spread over the parameter's values, then halves the step around the best of them. A categorical
// parameter's line is all of its values.
typedef struct gp__coordinates {
  int base[GP__TUNED_MOST], axis, step; // step 0: the line has yet to begin
  int pass, spread, begun;
  int moved; // in this pass
  size_t around;
} gp__coordinates;

GP__HOST int gp__ask_line(gp__points *p, gp__coordinates *s, int *point) {
  const gp__lattice *l = &p->lattice;
  const int d = s->axis, count = l->count[d];
  int at[GP__TUNED_MOST];
  if (!s->step) {
    s->step = l->categorical[d] ? 1 : count > 4 ? (count - 1) / (s->pass ? 6 : 3) : 1;
    s->step = s->step < 1 ? 1 : s->step;
    s->spread = l->categorical[d] || !s->pass;
  }
  gp__copy_point(l, at, s->base);
  for (;;) {
    const int from = s->base[d], first = s->spread ? from % s->step : from - s->step;
    const int last = s->spread ? count - 1 : from + s->step;
    double least = GP__NEVER, value = 0;
    int wait = 0, best = from;
    at[d] = from;
    gp__look_up(p, at, &least);
    for (at[d] = first; at[d] <= last; at[d] += s->step) {
      int known;
      if (at[d] < 0 || at[d] >= count) continue;
      known = gp__look_up(p, at, &value);
      if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
      wait |= known == GP__POINT_PENDING;
      if (known != GP__POINT_KNOWN || value >= least) continue;
      least = value;
      best = at[d];
    }
    if (wait) return GP__ASK_WAIT;
    s->moved |= best != from;
    s->base[d] = best;
    if (s->step == 1) return GP__ASK_DONE;
    s->step = (s->step + 1) / 2;
    s->spread = 0;
  }
}
GP__HOST int gp__ask_coordinates(gp__points *p, gp__coordinates *s, int *point) {
  const gp__lattice *l = &p->lattice;
  double value = 0;
  int known;
  if (!s->begun) {
    gp__copy_point(l, s->base, l->start);
    s->begun = 1;
  }
  known = gp__look_up(p, s->base, &value);
  if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, s->base, point);
  if (known == GP__POINT_PENDING) return GP__ASK_WAIT;
  while (s->pass < 8 && !p->failed) {
    const int asked = gp__ask_line(p, s, point);
    if (asked != GP__ASK_DONE) return asked;
    s->step = 0;
    if (++s->axis < l->dimensions) continue;
    s->axis = 0;
    s->pass = s->moved ? s->pass + 1 : 8;
    s->moved = 0;
    if (p->measured) gp__copy_point(l, s->base, p->tried[p->best].point);
    else if (gp__far_point(p, 0, s->base)) s->pass = 0; // nothing of these lines runs
  }
  return gp__ask_neighbours(p, &s->around, point);
}
