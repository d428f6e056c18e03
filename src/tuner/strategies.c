// tuner/strategies.c - random search, coordinate descent, exhaustive search
// uses: api/config.h, core/rules.h, top_k/policy.h, tuner/points.c

// Points at random, each once, until `most` are measured or no new valid one is found among many.
typedef struct gp__at_random {
  uint64_t handed_out, most;
} gp__at_random;

GPUPRIMS__PRIVATE int gp__ask_random(gp__points *p, gp__at_random *s, int *point) {
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

GPUPRIMS__PRIVATE int gp__ask_exhaustive(gp__points *p, gp__exhaustive *s, int *point) {
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
