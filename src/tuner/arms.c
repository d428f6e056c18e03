// tuner/arms.c - the search by simplexes: categories, rivals, neighbours, restarts
// uses: core/rules.h, tuner/points.c, tuner/neighbours.c, tuner/simplex.c

// 1. Categories: the start with each value of a categorical parameter, one parameter after the other; those that may
//    win, twice. The best few are arms.
// 2. Lines: points far apart along each axis through the best one. A single arm begins at the best of them. They are
//    left out where there are more than two arms, for they would probably be of the wrong category.
// 3. Arms: each has a simplex. All measure alike, then the worse half is dropped, until one is left and converges.
// 4. Neighbours of the best point along each axis, as long as one is better; lines again; the best point in the other
//    categories, and theirs a second time. A better one among them begins this step again.
// 5. Restarts: simplexes from points far from all measured ones. One that begins much worse than the best is dropped.

enum { GP__ARMS_MOST = 8, GP__RESTARTS = 2 };
enum {
  GP__STAGE_CATEGORIES,
  GP__STAGE_FIRST_LINES,
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
  int axis; // the parameter whose categories are compared
  int line; // the parameter along which points are asked for
  int arms, round;
  int restarts;
  gp__arm arm[GP__ARMS_MOST];
  size_t around; // the best point whose neighbours are known, plus one
} gp__simplexes;

GP__HOST void gp__begin_arm(const gp__lattice *l, gp__arm *a, const int *origin) {
  gp__simplex_begin(l, &a->simplex, origin);
  a->left = a->simplex.vertices;
  a->converged = 0;
}
GP__HOST double gp__arm_value(gp__points *p, const gp__arm *a) {
  double best = GP__NEVER;
  int v;
  for (v = 0; v < a->simplex.vertices; ++v) {
    double value = GP__NEVER;
    if (gp__look_up(p, a->simplex.vertex[v], &value) == GP__POINT_KNOWN && value < best) best = value;
  }
  return best;
}

GP__HOST int gp__same_categories(const gp__lattice *l, const int *a, const int *b) {
  int d;
  for (d = 0; d < l->dimensions; ++d)
    if (l->categorical[d] && a[d] != b[d]) return 0;
  return 1;
}

// A time that is no more than twice the best's may be an outlier, and its point the best. A first time may be more: it
// may contain what the program does once, as the slowest first time so far did.
GP__HOST int gp__may_win(const gp__points *p, const gp__tried *t) {
  const double time = t->samples == 1 ? t->median / p->slowest_first : gp__time_of(p, t);
  return !t->invalid && t->samples && time <= 2 * gp__best_time(p);
}
// A second time of a point that has one and may win.
GP__HOST int gp__ask_twice(gp__points *p, const gp__tried *t, int *point) {
  if (!gp__may_win(p, t) || t->samples > 1) return GP__ASK_DONE;
  return t->pending ? GP__ASK_WAIT : gp__hand_point(p, t->point, point);
}

GP__HOST int gp__ask_categories(gp__points *p, gp__simplexes *s, int *point) {
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
    double least = GP__NEVER;
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
    for (k = 0; k < l->count[s->axis] && !wait; ++k) {
      int asked;
      const gp__tried *t;
      at[s->axis] = k;
      t = gp__find_point(p, at);
      asked = t ? gp__ask_twice(p, t, point) : GP__ASK_DONE;
      if (asked == GP__ASK_MEASURE) return asked;
      wait = asked == GP__ASK_WAIT;
    }
    if (wait) return GP__ASK_WAIT;
    s->base[s->axis] = best;
  }
  return at_start == GP__POINT_PENDING ? GP__ASK_WAIT : GP__ASK_DONE;
}
// Makes an arm of each of the best points so far.
GP__HOST void gp__make_arms(gp__points *p, gp__simplexes *s) {
  const gp__lattice *l = &p->lattice;
  const gp__tried *origin[GP__ARMS_MOST];
  size_t i;
  int k;
  for (i = 0; i < p->count; ++i) {
    const gp__tried *t = &p->tried[i];
    if (t->invalid || !t->samples || gp__time_of(p, t) > 1.5 * gp__best_time(p)) continue;
    for (k = s->arms; k > 0 && gp__time_of(p, origin[k - 1]) > gp__time_of(p, t); --k)
      if (k < GP__ARMS_MOST) origin[k] = origin[k - 1];
    if (k < GP__ARMS_MOST) origin[k] = t;
    s->arms += s->arms < GP__ARMS_MOST;
  }
  for (k = 0; k < s->arms; ++k) gp__begin_arm(l, &s->arm[k], origin[k]->point);
  if (s->arms) return;
  if (!gp__far_point(p, 0, s->base)) gp__copy_point(l, s->base, l->start); // every one of them is invalid
  gp__begin_arm(l, &s->arm[s->arms++], s->base);
}
// Drops the arms that are worse than the better half or too much worse than the best, and begins the next round.
GP__HOST void gp__drop_arms(gp__points *p, gp__simplexes *s) {
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
GP__HOST int gp__hopeless(gp__points *p, const gp__arm *a) {
  double first = 0;
  gp__look_up(p, a->simplex.vertex[0], &first);
  if (a->simplex.step == GP__SIMPLEX_BEGIN) return first < GP__NEVER && first > 2 * gp__best_time(p);
  return a->simplex.step != GP__SIMPLEX_SHRINK && p->measured && gp__arm_value(p, a) > 1.3 * gp__best_time(p);
}
GP__HOST int gp__ask_arms(gp__points *p, gp__simplexes *s, int *point) {
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

// In each other category: the best known point a second time, and the best point of all with this category.
GP__HOST int gp__ask_others(gp__points *p, int *point) {
  const gp__lattice *l = &p->lattice;
  int d, wait = 0, at[GP__TUNED_MOST];
  size_t i, j;
  for (i = 0; i < p->count && p->measured; ++i) {
    const gp__tried *t = &p->tried[i];
    double value;
    int asked;
    gp__copy_point(l, at, p->tried[p->best].point);
    if (!gp__may_win(p, t) || gp__same_categories(l, t->point, at)) continue;
    for (j = 0; j < p->count; ++j) {
      const gp__tried *u = &p->tried[j];
      if (u->samples && !u->invalid && gp__time_of(p, u) < gp__time_of(p, t) &&
          gp__same_categories(l, t->point, u->point))
        break;
    }
    if (j < p->count) continue;
    for (d = 0; d < l->dimensions; ++d)
      if (l->categorical[d]) at[d] = t->point[d];
    asked = gp__ask_twice(p, t, point);
    if (asked == GP__ASK_MEASURE) return asked;
    wait |= asked == GP__ASK_WAIT;
    asked = gp__look_up(p, at, &value);
    if (asked == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
    wait |= asked == GP__POINT_PENDING;
  }
  return wait ? GP__ASK_WAIT : GP__ASK_DONE;
}

GP__HOST int gp__ask_simplexes(gp__points *p, gp__simplexes *s, int *point) {
  while (s->stage != GP__STAGE_END && !p->failed) {
    const size_t best = p->best;
    int asked = GP__ASK_DONE;
    switch (s->stage) {
    case GP__STAGE_CATEGORIES: asked = gp__ask_categories(p, s, point); break;
    case GP__STAGE_FIRST_LINES:
    case GP__STAGE_LINES:
      while (s->line < p->lattice.dimensions && (asked = gp__ask_axis(p, s->line, point)) == GP__ASK_DONE) ++s->line;
      break;
    case GP__STAGE_ARMS: asked = gp__ask_arms(p, s, point); break;
    case GP__STAGE_NEIGHBOURS: asked = gp__ask_neighbours(p, &s->around, point); break;
    case GP__STAGE_OTHERS: asked = gp__ask_others(p, point); break;
    default: break;
    }
    if (asked != GP__ASK_DONE) return asked;
    switch (s->stage) {
    case GP__STAGE_CATEGORIES:
      gp__make_arms(p, s);
      s->stage = s->arms > 2 ? GP__STAGE_ARMS : GP__STAGE_FIRST_LINES;
      break;
    case GP__STAGE_FIRST_LINES:
      if (s->arms == 1 && p->measured) gp__begin_arm(&p->lattice, s->arm, p->tried[best].point); // it races with none
      ++s->stage;
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
        gp__begin_arm(&p->lattice, &s->arm[0], s->base);
        s->arms = 1;
        s->stage = GP__STAGE_ARMS;
      }
      break;
    default:
      s->line = 0;
      ++s->stage;
      break;
    }
  }
  return GP__ASK_DONE;
}
