// tuner/search.c - the search of a tuner: asking for points, telling their times
// uses: api/config.h, api/tuner.h, core/rules.h, tuner/points.c, tuner/arms.c, tuner/strategies.c, tuner/surrogate.c

typedef struct gp__search {
  gp__points points;
  gp_tuner_search kind;
  int ended; // the strategy has no further point
  int settled; // nor is there one to measure again
  gp__simplexes simplexes;
  gp__at_random at_random;
  gp__exhaustive exhaustive;
  gp__coordinates coordinates;
  gp__surrogate surrogate;
} gp__search;

GP__HOST gp__search *gp__search_open(
    const gp__lattice *l, gp_tuner_search kind, uint64_t seed, gp__point_fn valid, void *user) {
  gp__search *s = (gp__search *)calloc(1, sizeof *s);
  if (s && !gp__open_points(&s->points, l, seed, valid, user)) {
    free(s);
    s = NULL;
  }
  if (s) s->kind = kind;
  return s;
}
GP__HOST void gp__search_close(gp__search *s) {
  if (s) gp__close_points(&s->points);
  if (s) free(s->surrogate.model);
  free(s);
}

GP__HOST void gp__search_tell(gp__search *s, const int *point, double time) { gp__note_time(&s->points, point, time); }
GP__HOST int gp__search_best(const gp__search *s, int *point, double *time) {
  const gp__points *p = &s->points;
  gp__copy_point(&p->lattice, point, p->measured ? p->tried[p->best].point : p->lattice.start);
  *time = p->measured ? gp__best_time(p) : 0;
  return p->measured != 0;
}

enum {
  GP__START_SAMPLES = 7, // times of the start before anything else is measured
  GP__RIVALS = 5, // points that race
  GP__RACE_SAMPLES = 11 // times of a point that end its race
};

// The start is what the program would run anyway: its times cost nothing, and the first of them are slow, for code is
// loaded, clocks rise and caches are cold. All others are compared with it.
GP__HOST int gp__ask_start(gp__points *p, int *point) {
  const gp__tried *t = gp__find_point(p, p->lattice.start);
  double value;
  if (!t) {
    if (gp__look_up(p, p->lattice.start, &value) != GP__POINT_UNKNOWN) return GP__ASK_DONE;
    return gp__hand_point(p, p->lattice.start, point);
  }
  if (t->invalid || t->samples >= GP__START_SAMPLES) return GP__ASK_DONE;
  return t->pending ? GP__ASK_WAIT : gp__hand_point(p, p->lattice.start, point);
}

// The best point deserves three times where it is close to the best before it: noise may have put it there. The point
// told last deserves a second time if its first is close to the best. So do the first few points: they tell how much
// slower first times are. One that is far over the best is not tried again.
GP__HOST int gp__ask_again(gp__points *p, int *point) {
  const gp__tried *last = &p->tried[p->last], *best = &p->tried[p->best];
  const double noise = gp__noise(p), close = 3 * noise > 0.1 ? 0.1 : 3 * noise < 0.03 ? 0.03 : 3 * noise;
  if (!p->measured) return GP__ASK_DONE;
  if (!best->pending && best->samples < 3 && gp__best_time(p) * (1 + close) > p->before)
    return gp__hand_point(p, best->point, point);
  if (last == best || last->invalid || last->pending || last->samples != 1 ||
      gp__time_of(p, last) > (p->firsts < 3 ? 3 : 1 + close) * gp__best_time(p))
    return GP__ASK_DONE;
  return gp__hand_point(p, last->point, point);
}
// The end of a search: the best few points are measured again until they are told apart, or are alike. Before, the best
// one is measured until the noise is known. Nothing is pending.
GP__HOST int gp__ask_race(gp__points *p, int *point) {
  const double noise = gp__noise(p), best = gp__best_time(p);
  const gp__tried *rival[GP__RIVALS];
  int count = 0, k;
  size_t i;
  const gp__tried *fewest = NULL;
  if (p->measured && p->deviations < 8) return gp__hand_point(p, p->tried[p->best].point, point);
  for (i = 0; i < p->count; ++i) {
    const gp__tried *t = &p->tried[i];
    if (t->invalid || !t->samples || gp__time_of(p, t) > best * (1 + 4 * noise)) continue;
    for (k = count; k > 0 && gp__time_of(p, rival[k - 1]) > gp__time_of(p, t); --k)
      if (k < GP__RIVALS) rival[k] = rival[k - 1];
    if (k < GP__RIVALS) rival[k] = t;
    if (count < GP__RIVALS) ++count;
  }
  for (k = 0; k < count; ++k) {
    const int n = rival[k]->samples;
    const double off = (gp__time_of(p, rival[k]) - best) / best, apart = 4 * noise * noise * 2 / n;
    const int enough =
        k && (n >= GP__RACE_SAMPLES || (n >= 2 && off * off > apart) || (n >= 3 && apart < 0.005 * 0.005));
    if (enough || (!k && ((count == 1 && n >= 2) || n >= GP__RACE_SAMPLES || (n >= 3 && apart < 0.005 * 0.005))))
      continue;
    if (!fewest || n < fewest->samples) fewest = rival[k];
  }
  return fewest ? gp__hand_point(p, fewest->point, point) : GP__ASK_DONE;
}

GP__HOST int gp__ask_strategy(gp__search *s, int *point) {
  switch (s->kind) {
  case GP_SEARCH_RANDOM: return gp__ask_random(&s->points, &s->at_random, point);
  case GP_SEARCH_COORDINATES: return gp__ask_coordinates(&s->points, &s->coordinates, point);
  case GP_SEARCH_SURROGATE: return gp__ask_surrogate(&s->points, &s->surrogate, point);
  case GP_SEARCH_EXHAUSTIVE: return gp__ask_exhaustive(&s->points, &s->exhaustive, point);
  default: // AUTO: of all, it reaches 2 % above the optimum of measured spaces with the fewest points
    return gp__ask_simplexes(&s->points, &s->simplexes, point);
  }
}
// A point to measure next; WAIT: the next one depends on times that are not told yet; DONE: the search has ended.
GP__HOST int gp__search_ask(gp__search *s, int *point) {
  int asked = s->settled ? GP__ASK_DONE : gp__ask_start(&s->points, point);
  if (asked == GP__ASK_DONE && !s->settled) asked = gp__ask_again(&s->points, point);
  if (asked != GP__ASK_DONE || s->settled) return asked;
  if (!s->ended) {
    asked = gp__ask_strategy(s, point);
    if (asked != GP__ASK_DONE) return asked;
    s->ended = 1;
  }
  asked = s->points.pending ? GP__ASK_WAIT : gp__ask_race(&s->points, point);
  s->settled = asked == GP__ASK_DONE;
  return asked;
}
