// tuner/arms.c - the search by simplexes: categories, rivals, neighbours, restarts
// uses: core/rules.h, tuner/points.c, tuner/neighbours.c, tuner/simplex.c

// 1. Categories: the start with each value of a categorical parameter, one parameter after the other. The best few
//    are arms.
// 2. Arms: each has a simplex. All measure alike, then the worse half is dropped, until one is left and converges.
// 3. Neighbours of the best point along each axis, as long as one is better; points far apart along each axis; the best
//    point in the other arms' categories. A better one among them begins this step again.
// 4. Restarts: simplexes from points far from all measured ones. One that begins much worse than the best is dropped.

enum { GP__ARMS_MOST = 8, GP__RESTARTS = 2 };
enum {
  GP__STAGE_CATEGORIES,
  GP__STAGE_ARMS,
  GP__STAGE_NEIGHBOURS,
  GP__STAGE_LINES,
  GP__STAGE_OTHERS,
  GP__STAGE_RESTART,
  GP__STAGE_END
};
typedef struct gp__arm {
  gp__simplex simplex;
  int left; // points that it may still ask for in this round
  int converged;
} gp__arm;
typedef struct gp__simplexes {
  int stage, begun;
  int base[GP__TUNED_MOST]; // the best of the categories so far
  int axis;                 // the parameter whose categories are compared
  int arms, round;
  int restarts;
  gp__arm arm[GP__ARMS_MOST];
  int others[GP__ARMS_MOST][GP__TUNED_MOST]; // where the arms began
  int other_count;
  size_t around; // the best point whose neighbours are known, plus one
} gp__simplexes;

GPUPRIMS__PRIVATE double gp__arm_value(gp__points *p, const gp__arm *a) {
  double best = GPUPRIMS__NEVER;
  int v;
  for (v = 0; v < a->simplex.vertices; ++v) {
    double value = GPUPRIMS__NEVER;
    if (gp__look_up(p, a->simplex.vertex[v], &value) == GP__POINT_KNOWN && value < best) best = value;
  }
  return best;
}

GPUPRIMS__PRIVATE int gp__ask_categories(gp__points *p, gp__simplexes *s, int *point) {
  const gp__lattice *l = &p->lattice;
  double value = 0;
  int at_start;
  if (!s->begun) {
    gp__copy_point(l, s->base, l->start);
    s->begun = 1;
  }
  at_start = gp__look_up(p, l->start, &value);
  if (at_start == GP__POINT_UNKNOWN) return gp__hand_point(p, l->start, point);
  for (; s->axis < l->dimensions; ++s->axis) {
    int at[GP__TUNED_MOST], k, wait = 0, best = s->base[s->axis];
    double least = GPUPRIMS__NEVER;
    if (!l->categorical[s->axis]) continue;
    gp__copy_point(l, at, s->base);
    for (k = 0; k < l->count[s->axis]; ++k) {
      int known;
      at[s->axis] = (l->start[s->axis] + k) % l->count[s->axis];
      known = gp__look_up(p, at, &value);
      if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
      wait |= known == GP__POINT_PENDING;
      if (known == GP__POINT_KNOWN && value < least) {
        least = value;
        best = at[s->axis];
      }
    }
    if (wait) return GP__ASK_WAIT;
    s->base[s->axis] = best;
  }
  return at_start == GP__POINT_PENDING ? GP__ASK_WAIT : GP__ASK_DONE;
}
// Makes an arm of each of the best points so far.
GPUPRIMS__PRIVATE void gp__make_arms(gp__points *p, gp__simplexes *s) {
  const gp__lattice *l = &p->lattice;
  size_t i;
  int k;
  double values[GP__ARMS_MOST];
  for (i = 0; i < p->count; ++i) {
    const gp__tried *t = &p->tried[i];
    if (t->invalid || !t->samples || gp__time_of(p, t) > 1.5 * gp__best_time(p)) continue;
    for (k = 0; k < s->other_count && values[k] <= gp__time_of(p, t);) ++k;
    if (k == GP__ARMS_MOST) continue;
    if (s->other_count < GP__ARMS_MOST) ++s->other_count;
    memmove(values + k + 1, values + k, (size_t)(s->other_count - k - 1) * sizeof *values);
    memmove(s->others[k + 1], s->others[k], (size_t)(s->other_count - k - 1) * sizeof *s->others);
    values[k] = gp__time_of(p, t);
    gp__copy_point(l, s->others[k], t->point);
  }
  if (!s->other_count) { // every one of them is invalid
    if (!gp__far_point(p, 0, s->base)) gp__copy_point(l, s->base, l->start);
    gp__copy_point(l, s->others[s->other_count++], s->base);
  }
  s->arms = s->other_count;
  for (k = 0; k < s->arms; ++k) {
    gp__simplex_begin(l, &s->arm[k].simplex, s->others[k]);
    s->arm[k].left = s->arm[k].simplex.vertices;
    s->arm[k].converged = 0;
  }
}
// Drops the arms that are worse than the better half or too much worse than the best, and begins the next round.
GPUPRIMS__PRIVATE void gp__drop_arms(gp__points *p, gp__simplexes *s) {
  const double slack = s->round == 0 ? 1.15 : 1.05;
  double value[GP__ARMS_MOST];
  int i, k, kept;
  for (i = 0; i < s->arms; ++i) {
    const gp__arm mine = s->arm[i];
    const double now = gp__arm_value(p, &mine);
    for (k = i; k > 0 && value[k - 1] > now; --k) {
      value[k] = value[k - 1];
      s->arm[k] = s->arm[k - 1];
    }
    value[k] = now;
    s->arm[k] = mine;
  }
  for (kept = 1; kept < (s->arms + (s->round == 0)) / 2 && value[kept] <= slack * value[0];) ++kept;
  s->arms = kept;
  ++s->round;
  for (i = 0; i < s->arms; ++i) s->arm[i].left = 2 * s->arm[i].simplex.vertices;
}
// Whether a restarted simplex has begun so much worse than the best that the rest is not worth its time: its first
// point alone, or all of its vertices.
GPUPRIMS__PRIVATE int gp__hopeless(gp__points *p, const gp__arm *a) {
  double first = 0;
  gp__look_up(p, a->simplex.vertex[0], &first);
  if (a->simplex.step == GP__SIMPLEX_BEGIN) return first < GPUPRIMS__NEVER && first > 2 * gp__best_time(p);
  return a->simplex.step != GP__SIMPLEX_SHRINK && p->measured && gp__arm_value(p, a) > 1.3 * gp__best_time(p);
}
GPUPRIMS__PRIVATE int gp__ask_arms(gp__points *p, gp__simplexes *s, int *point) {
  for (;;) {
    int i, wait = 0, busy = 0;
    for (i = 0; i < s->arms; ++i) {
      gp__arm *a = &s->arm[i];
      int asked;
      if (a->converged || (s->arms > 1 && a->left <= 0)) continue;
      if (s->restarts && gp__hopeless(p, a)) {
        a->converged = 1;
        continue;
      }
      busy = 1;
      asked = gp__simplex_ask(p, &a->simplex, point);
      if (asked == GP__ASK_MEASURE) {
        --a->left;
        return asked;
      }
      wait |= asked == GP__ASK_WAIT;
      a->converged |= asked == GP__ASK_DONE;
    }
    if (wait) return GP__ASK_WAIT;
    if (p->failed || (!busy && s->arms <= 1)) return GP__ASK_DONE;
    if (!busy) gp__drop_arms(p, s);
  }
}

// The best point in the categories of the other arms.
GPUPRIMS__PRIVATE int gp__ask_others(gp__points *p, gp__simplexes *s, int *point) {
  const gp__lattice *l = &p->lattice;
  int k, d, wait = 0, at[GP__TUNED_MOST];
  for (k = 0; k < s->other_count && p->measured; ++k) {
    double value;
    int known;
    gp__copy_point(l, at, p->tried[p->best].point);
    for (d = 0; d < l->dimensions; ++d)
      if (l->categorical[d]) at[d] = s->others[k][d];
    known = gp__look_up(p, at, &value);
    if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
    wait |= known == GP__POINT_PENDING;
  }
  return wait ? GP__ASK_WAIT : GP__ASK_DONE;
}

GPUPRIMS__PRIVATE int gp__ask_simplexes(gp__points *p, gp__simplexes *s, int *point) {
  while (s->stage != GP__STAGE_END && !p->failed) {
    const size_t best = p->best;
    int asked = GP__ASK_DONE;
    switch (s->stage) {
    case GP__STAGE_CATEGORIES:
      asked = gp__ask_categories(p, s, point);
      break;
    case GP__STAGE_ARMS:
      asked = gp__ask_arms(p, s, point);
      break;
    case GP__STAGE_NEIGHBOURS:
      asked = gp__ask_neighbours(p, &s->around, point);
      break;
    case GP__STAGE_LINES:
      asked = gp__ask_lines(p, point);
      break;
    case GP__STAGE_OTHERS:
      asked = gp__ask_others(p, s, point);
      break;
    default:
      break;
    }
    if (asked != GP__ASK_DONE) return asked;
    switch (s->stage) {
    case GP__STAGE_CATEGORIES:
      gp__make_arms(p, s);
      s->stage = GP__STAGE_ARMS;
      break;
    case GP__STAGE_LINES:
      s->stage = !p->measured || s->around == best + 1 ? GP__STAGE_OTHERS : GP__STAGE_NEIGHBOURS;
      break;
    case GP__STAGE_OTHERS:
      s->stage = !p->measured || s->around == best + 1 ? GP__STAGE_RESTART : GP__STAGE_NEIGHBOURS;
      break;
    case GP__STAGE_RESTART:
      s->stage = GP__STAGE_END;
      if (s->restarts++ < GP__RESTARTS && gp__far_point(p, p->measured != 0, s->base)) {
        gp__simplex_begin(&p->lattice, &s->arm[0].simplex, s->base);
        s->arm[0].converged = 0;
        s->arms = 1;
        s->stage = GP__STAGE_ARMS;
      }
      break;
    default:
      ++s->stage;
      break;
    }
  }
  return GP__ASK_DONE;
}
