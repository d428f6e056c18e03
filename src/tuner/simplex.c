// tuner/simplex.c - Nelder and Mead's simplex on the lattice of configurations
// uses: core/rules.h, tuner/points.c

// Nelder and Mead, A simplex method for function minimization, 1965; online as by Tillmann, Karcher, Dachsbacher and
// Tichy, Application-independent Autotuning for GPUs. Points are rounded to the lattice and clamped to it. Each point
// is measured once, so that a move to a known point costs nothing. A simplex without a next move has converged.

#ifndef GP__REACH
#define GP__REACH 3 // a simplex begins as wide as a parameter's values divided by this
#endif

enum { GP__SIMPLEX_BEGIN, GP__SIMPLEX_REFLECT, GP__SIMPLEX_EXPAND, GP__SIMPLEX_CONTRACT, GP__SIMPLEX_SHRINK };
typedef struct gp__simplex {
  int step, vertices;
  int axis[GP__TUNED_MOST];      // the ordered parameters; vertex i + 1 begins apart from vertex 0 along axis[i]
  int tries[GP__TUNED_MOST + 1]; // places tried for a vertex that turned out invalid
  int reach;                     // the divisor of the first edges
  int vertex[GP__TUNED_MOST + 1][GP__TUNED_MOST];
  int reflected[GP__TUNED_MOST], trial[GP__TUNED_MOST];
  int moves; // since the last shrink or replaced best vertex
} gp__simplex;

// Begins a simplex at `origin`, over the ordered parameters.
GPUPRIMS__PRIVATE void gp__simplex_begin(const gp__lattice *l, gp__simplex *x, const int *origin, int reach) {
  int d;
  memset(x, 0, sizeof *x);
  x->reach = reach;
  gp__copy_point(l, x->vertex[0], origin);
  for (d = 0; d < l->dimensions; ++d)
    if (!l->categorical[d] && l->count[d] > 1) x->axis[x->vertices++] = d;
  ++x->vertices;
  for (d = 1; d < x->vertices; ++d) x->tries[d] = -1;
}
// The next place for vertex v > 0: an edge's length from vertex 0 to the roomier side, then to the other side, then
// half as far. 0: there is no further place; the vertex stays at vertex 0.
GPUPRIMS__PRIVATE int gp__simplex_place(const gp__lattice *l, gp__simplex *x, int v) {
  const int d = x->axis[v - 1], last = l->count[d] - 1, at = x->vertex[0][d];
  const int roomier = at <= last / 2 ? 1 : -1;
  int edge = (last + 1) / x->reach, turn;
  for (turn = ++x->tries[v]; turn > 1; turn -= 2) edge = edge > 1 ? edge / 2 : 0;
  gp__copy_point(l, x->vertex[v], x->vertex[0]);
  if (!edge && x->tries[v] > 1) return 0;
  edge = (edge < 1 ? 1 : edge) * (turn ? -roomier : roomier);
  x->vertex[v][d] = at + edge < 0 ? 0 : at + edge > last ? last : at + edge;
  return x->vertex[v][d] != at || gp__simplex_place(l, x, v);
}

// centroid + factor / 2 * (centroid - worst), on the lattice.
GPUPRIMS__PRIVATE void gp__simplex_point(const gp__lattice *l, const gp__simplex *x, int factor, int *to) {
  const int n = x->vertices - 1;
  int a, v;
  gp__copy_point(l, to, x->vertex[0]);
  for (a = 0; a < n; ++a) {
    const int d = x->axis[a], last = l->count[d] - 1;
    double sum = 0, at;
    for (v = 0; v < n; ++v) sum += x->vertex[v][d];
    at = sum / n + factor * 0.5 * (sum / n - x->vertex[n][d]);
    to[d] = at < 0 ? 0 : at > last ? last : (int)(at + 0.5);
  }
}
// Halves the edges to the best vertex. Returns whether a vertex moved.
GPUPRIMS__PRIVATE int gp__simplex_shrink(gp__simplex *x) {
  int a, v, moved = 0;
  for (v = 1; v < x->vertices; ++v)
    for (a = 0; a < x->vertices - 1; ++a) {
      const int d = x->axis[a], off = x->vertex[v][d] - x->vertex[0][d];
      x->vertex[v][d] = x->vertex[0][d] + off / 2;
      moved |= off != 0;
    }
  return moved;
}
// The values of the vertices, which are known, best first; vertices of the same value keep their order.
GPUPRIMS__PRIVATE void gp__simplex_sort(gp__points *p, gp__simplex *x, double *value) {
  int v, k, moved[GP__TUNED_MOST];
  for (v = 0; v < x->vertices; ++v) {
    double mine = GPUPRIMS__NEVER;
    gp__look_up(p, x->vertex[v], &mine);
    gp__copy_point(&p->lattice, moved, x->vertex[v]);
    for (k = v; k > 0 && value[k - 1] > mine; --k) {
      value[k] = value[k - 1];
      gp__copy_point(&p->lattice, x->vertex[k], x->vertex[k - 1]);
    }
    value[k] = mine;
    gp__copy_point(&p->lattice, x->vertex[k], moved);
  }
}
GPUPRIMS__PRIVATE int gp__is_vertex(const gp__lattice *l, const gp__simplex *x, const int *point) {
  int v;
  for (v = 0; v < x->vertices; ++v)
    if (gp__same_point(l, x->vertex[v], point)) return 1;
  return 0;
}
// Moves a point that is known to be invalid to a valid one near by, if there is one among a few.
GPUPRIMS__PRIVATE void gp__simplex_snap(gp__points *p, const gp__simplex *x, int *point) {
  const gp__lattice *l = &p->lattice;
  int turn, a, at[GP__TUNED_MOST];
  double value = 0;
  if (gp__look_up(p, point, &value) != GP__POINT_KNOWN || value < GPUPRIMS__NEVER) return;
  gp__copy_point(l, at, point);
  for (turn = 0; turn < 64; ++turn) {
    for (a = 0; a < x->vertices - 1; ++a) {
      const int d = x->axis[a], radius = 1 + turn / 16;
      at[d] = point[d] + gp__random_below(p, 2 * radius + 1) - radius;
      if (at[d] < 0 || at[d] >= l->count[d]) at[d] = point[d];
    }
    if (gp__is_vertex(l, x, at)) continue;
    if (gp__look_up(p, at, &value) != GP__POINT_KNOWN || value < GPUPRIMS__NEVER) break;
  }
  if (turn < 64) gp__copy_point(l, point, at);
}
GPUPRIMS__PRIVATE void gp__simplex_replace(const gp__lattice *l, gp__simplex *x, const int *point) {
  gp__copy_point(l, x->vertex[x->vertices - 1], point);
  x->step = GP__SIMPLEX_REFLECT;
}

// Asks for vertices from the first to the last until all are known. GP__ASK_DONE: they are.
GPUPRIMS__PRIVATE int gp__simplex_vertices(gp__points *p, gp__simplex *x, int *point) {
  int v, wait = 0;
  for (v = 0; v < x->vertices; ++v) {
    const int begins = x->step == GP__SIMPLEX_BEGIN && v > 0;
    double value = 0;
    int known;
    if (begins && x->tries[v] < 0) gp__simplex_place(&p->lattice, x, v);
    known = gp__look_up(p, x->vertex[v], &value);
    while (begins && known == GP__POINT_KNOWN && value >= GPUPRIMS__NEVER && gp__simplex_place(&p->lattice, x, v))
      known = gp__look_up(p, x->vertex[v], &value);
    if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, x->vertex[v], point);
    wait |= known == GP__POINT_PENDING;
  }
  return wait ? GP__ASK_WAIT : GP__ASK_DONE;
}

// The next point of a simplex; GP__ASK_DONE: it has converged.
GPUPRIMS__PRIVATE int gp__simplex_ask(gp__points *p, gp__simplex *x, int *point) {
  const gp__lattice *l = &p->lattice;
  const int n = x->vertices - 1;
  double value[GP__TUNED_MOST + 1], reflected = GPUPRIMS__NEVER, trial = GPUPRIMS__NEVER;
  for (;;) {
    int known;
    if (x->step == GP__SIMPLEX_BEGIN || x->step == GP__SIMPLEX_SHRINK) {
      const int asked = gp__simplex_vertices(p, x, point);
      if (asked != GP__ASK_DONE || p->failed) return asked;
      if (!n) return GP__ASK_DONE;
      x->step = GP__SIMPLEX_REFLECT;
      x->moves = 0;
    }
    if (x->step == GP__SIMPLEX_REFLECT) {
      gp__simplex_sort(p, x, value);
      gp__simplex_point(l, x, 2, x->reflected);
      gp__simplex_snap(p, x, x->reflected);
      gp__copy_point(l, x->trial, x->reflected);
      if (++x->moves > 16 * x->vertices) return GP__ASK_DONE; // it goes round known points
    } else {
      gp__simplex_sort(p, x, value); // values of vertices change where they are measured again
    }
    known = gp__look_up(p, x->trial, &trial);
    if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, x->trial, point);
    if (known == GP__POINT_PENDING) return GP__ASK_WAIT;
    if (x->step == GP__SIMPLEX_REFLECT) {
      if (trial < value[0]) {
        gp__simplex_point(l, x, 4, x->trial);
        x->step = GP__SIMPLEX_EXPAND;
      } else if (trial < value[n - 1] && !gp__is_vertex(l, x, x->reflected)) {
        gp__simplex_replace(l, x, x->reflected);
      } else {
        gp__simplex_point(l, x, trial < value[n] ? 1 : -1, x->trial);
        gp__simplex_snap(p, x, x->trial);
        x->step = GP__SIMPLEX_CONTRACT;
      }
      continue;
    }
    gp__look_up(p, x->reflected, &reflected);
    if (x->step == GP__SIMPLEX_EXPAND) {
      gp__simplex_replace(l, x, trial < reflected ? x->trial : x->reflected);
      x->moves = 0;
    } else if (trial < value[n] && trial <= reflected && !gp__is_vertex(l, x, x->trial)) {
      gp__simplex_replace(l, x, x->trial);
    } else if (gp__simplex_shrink(x)) {
      x->step = GP__SIMPLEX_SHRINK;
    } else {
      return GP__ASK_DONE;
    }
  }
}

// ---- the search by simplexes -----------------------------------------------------------------------------------------

// 1. Categories: the start with each value of a categorical parameter, one parameter after the other. The best few
//    are arms.
// 2. Arms: each has a simplex. All measure alike, then the worse half is dropped, until one is left and converges.
// 3. Neighbours: those of the best point, one step along each axis, as long as one is better; then the best point in
//    the other arms' categories.
// 4. Restarts: simplexes from points far from all measured ones, dropped early where they are much worse.

#ifndef GP__STEPS
#define GP__STEPS 2
#endif
#ifndef GP__RESTARTS
#define GP__RESTARTS 2
#endif
enum { GP__ARMS_MOST = 8 };
enum { GP__STAGE_CATEGORIES, GP__STAGE_ARMS, GP__STAGE_NEIGHBOURS, GP__STAGE_OTHERS, GP__STAGE_RESTART, GP__STAGE_END };
typedef struct gp__arm {
  gp__simplex simplex;
  int left; // points that it may still ask for in this round
  int converged;
} gp__arm;
typedef struct gp__simplexes {
  int stage, begun;
  int base[GP__TUNED_MOST]; // the best of the categories so far
  int axis;                 // the parameter whose categories are compared
  int arms, round, restarts;
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

// A valid point at random, far from the known ones; 0: none was found.
GPUPRIMS__PRIVATE int gp__far_point(gp__points *p, const int *categories, int *point) {
  const gp__lattice *l = &p->lattice;
  double farthest = -1;
  int turn, d, found[GP__TUNED_MOST];
  for (turn = 0; turn < 64 || (turn < 1024 && farthest < 0); ++turn) {
    double nearest = GPUPRIMS__NEVER, value;
    size_t i;
    for (d = 0; d < l->dimensions; ++d)
      found[d] = l->categorical[d] && categories ? categories[d] : gp__random_below(p, l->count[d]);
    if (gp__find_point(p, found)) continue;
    for (i = 0; i < p->count; ++i) {
      double sum = 0;
      if (p->tried[i].invalid) continue;
      for (d = 0; d < l->dimensions; ++d) {
        const double off = (double)(p->tried[i].point[d] - found[d]) / l->count[d];
        sum += l->categorical[d] ? 0 : off * off;
      }
      if (sum < nearest) nearest = sum;
    }
    if (nearest > farthest && gp__look_up(p, found, &value) == GP__POINT_UNKNOWN) {
      farthest = nearest;
      gp__copy_point(l, point, found);
    }
  }
  return farthest >= 0;
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
    if (!gp__far_point(p, NULL, s->base)) gp__copy_point(l, s->base, l->start);
    gp__copy_point(l, s->others[s->other_count++], s->base);
  }
  s->arms = s->other_count;
  for (k = 0; k < s->arms; ++k) {
    gp__simplex_begin(l, &s->arm[k].simplex, s->others[k], GP__REACH);
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
GPUPRIMS__PRIVATE int gp__ask_arms(gp__points *p, gp__simplexes *s, int *point) {
  for (;;) {
    int i, wait = 0, busy = 0;
    for (i = 0; i < s->arms; ++i) {
      gp__arm *a = &s->arm[i];
      int asked;
      if (a->converged || (s->arms > 1 && a->left <= 0)) continue;
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

// The neighbours of the best point along each axis, one and two steps away, until it is better than all of them. Two
// steps: times often alternate, as where every second block size is a power of two. An invalid one is stepped over.
GPUPRIMS__PRIVATE int gp__ask_neighbours(gp__points *p, size_t *around, int *point) {
  const gp__lattice *l = &p->lattice;
  while (p->measured && *around != p->best + 1) {
    const size_t best = p->best;
    int at[GP__TUNED_MOST], d, side, wait = 0;
    gp__copy_point(l, at, p->tried[best].point);
    for (d = 0; d < l->dimensions; ++d) {
      const int from = at[d];
      for (side = -1; side <= 1 && !l->categorical[d]; side += 2) {
        int steps = 0;
        for (at[d] = from + side; at[d] >= 0 && at[d] < l->count[d] && steps < GP__STEPS; at[d] += side) {
          double value = 0;
          const int known = gp__look_up(p, at, &value);
          if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
          wait |= known == GP__POINT_PENDING;
          steps += known == GP__POINT_PENDING || value < GPUPRIMS__NEVER;
        }
      }
      at[d] = from;
    }
    if (wait) return GP__ASK_WAIT;
    *around = best + 1;
  }
  return GP__ASK_DONE;
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
    case GP__STAGE_OTHERS:
      s->stage = !p->measured || s->around == best + 1 ? GP__STAGE_RESTART : GP__STAGE_NEIGHBOURS;
      break;
    case GP__STAGE_RESTART:
      s->stage = GP__STAGE_END;
      if (s->restarts++ < GP__RESTARTS && gp__far_point(p, p->measured ? p->tried[best].point : NULL, s->base)) {
        gp__simplex_begin(&p->lattice, &s->arm[0].simplex, s->base, GP__REACH);
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
