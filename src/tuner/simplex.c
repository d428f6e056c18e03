// tuner/simplex.c - Nelder and Mead's simplex on the lattice of configurations
// uses: core/rules.h, tuner/points.c

// Nelder and Mead, A simplex method for function minimization, 1965; online as by Tillmann, Karcher, Dachsbacher and
// Tichy, Application-independent Autotuning for GPUs. Points are rounded to the lattice and clamped to it. Each point
// is measured once, so that a move to a known point costs nothing. A simplex without a next move has converged.

enum {
  GP__REACH = 4, // a simplex begins as wide as a parameter's values divided by this
  GP__VERTEX_PLACES = 12 // places tried for a vertex
};

enum { GP__SIMPLEX_BEGIN, GP__SIMPLEX_REFLECT, GP__SIMPLEX_EXPAND, GP__SIMPLEX_CONTRACT, GP__SIMPLEX_SHRINK };
typedef struct gp__simplex {
  int step, vertices;
  int axis[GP__TUNED_MOST]; // the ordered parameters; vertex i + 1 begins apart from vertex 0 along axis[i]
  int tries[GP__TUNED_MOST + 1]; // places tried for a vertex that turned out invalid
  int vertex[GP__TUNED_MOST + 1][GP__TUNED_MOST];
  int reflected[GP__TUNED_MOST], trial[GP__TUNED_MOST];
  int moves; // since the last shrink or replaced best vertex
} gp__simplex;

// Begins a simplex at `origin`, over the ordered parameters.
GP__HOST void gp__simplex_begin(const gp__lattice *l, gp__simplex *x, const int *origin) {
  int d;
  memset(x, 0, sizeof *x);
  gp__copy_point(l, x->vertex[0], origin);
  for (d = 0; d < l->dimensions; ++d)
    if (!l->categorical[d] && l->count[d] > 1) x->axis[x->vertices++] = d;
  ++x->vertices;
  for (d = 1; d < x->vertices; ++d) x->tries[d] = -1;
}
// The next place for vertex v > 0: an edge's length from vertex 0 to the roomier side, then to the other side, then
// half as far. 0: there is no further place; the vertex stays at vertex 0.
GP__HOST int gp__simplex_place(const gp__lattice *l, gp__simplex *x, int v) {
  const int d = x->axis[v - 1], last = l->count[d] - 1, at = x->vertex[0][d];
  const int roomier = at <= last / 2 ? 1 : -1;
  int edge = (last + 1) / GP__REACH, turn;
  for (turn = ++x->tries[v]; turn > 1; turn -= 2) edge = edge > 1 ? edge / 2 : 0;
  gp__copy_point(l, x->vertex[v], x->vertex[0]);
  if (!edge && x->tries[v] > 1) return 0;
  edge = (edge < 1 ? 1 : edge) * (turn ? -roomier : roomier);
  x->vertex[v][d] = at + edge < 0 ? 0 : at + edge > last ? last : at + edge;
  return x->vertex[v][d] != at || gp__simplex_place(l, x, v);
}

// centroid + factor / 2 * (centroid - worst), on the lattice.
GP__HOST void gp__simplex_point(const gp__lattice *l, const gp__simplex *x, int factor, int *to) {
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
GP__HOST int gp__simplex_shrink(gp__simplex *x) {
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
GP__HOST void gp__simplex_sort(gp__points *p, gp__simplex *x, double *value) {
  int v, k, moved[GP__TUNED_MOST];
  for (v = 0; v < x->vertices; ++v) {
    double mine = GP__NEVER;
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
GP__HOST int gp__is_vertex(const gp__lattice *l, const gp__simplex *x, const int *point) {
  int v;
  for (v = 0; v < x->vertices; ++v)
    if (gp__same_point(l, x->vertex[v], point)) return 1;
  return 0;
}
// Moves a point that is known to be invalid to a valid one near by, if there is one among a few.
GP__HOST void gp__simplex_snap(gp__points *p, const gp__simplex *x, int *point) {
  const gp__lattice *l = &p->lattice;
  int turn, a, at[GP__TUNED_MOST];
  double value = 0;
  if (gp__look_up(p, point, &value) != GP__POINT_KNOWN || value < GP__NEVER) return;
  gp__copy_point(l, at, point);
  for (turn = 0; turn < 64; ++turn) {
    for (a = 0; a < x->vertices - 1; ++a) {
      const int d = x->axis[a], radius = 1 + turn / 16;
      at[d] = point[d] + gp__random_below(p, 2 * radius + 1) - radius;
      if (at[d] < 0 || at[d] >= l->count[d]) at[d] = point[d];
    }
    if (gp__is_vertex(l, x, at)) continue;
    if (gp__look_up(p, at, &value) != GP__POINT_KNOWN || value < GP__NEVER) break;
  }
  if (turn < 64) gp__copy_point(l, point, at);
}
GP__HOST void gp__simplex_replace(const gp__lattice *l, gp__simplex *x, const int *point) {
  gp__copy_point(l, x->vertex[x->vertices - 1], point);
  x->step = GP__SIMPLEX_REFLECT;
}

// Asks for vertices from the first to the last until all are known. GP__ASK_DONE: they are.
GP__HOST int gp__simplex_vertices(gp__points *p, gp__simplex *x, int *point) {
  int v, wait = 0;
  for (v = 0; v < x->vertices; ++v) {
    const int begins = x->step == GP__SIMPLEX_BEGIN && v > 0;
    double value = 0;
    int known;
    if (begins && x->tries[v] < 0) gp__simplex_place(&p->lattice, x, v);
    known = gp__look_up(p, x->vertex[v], &value);
    while (begins && known == GP__POINT_KNOWN && value >= GP__NEVER && x->tries[v] < GP__VERTEX_PLACES) {
      if (!gp__simplex_place(&p->lattice, x, v)) { // anywhere near, once the axis has none
        const int d = x->axis[v - 1];
        x->vertex[v][d] = (x->vertex[0][d] + x->tries[v]) % p->lattice.count[d];
        gp__simplex_snap(p, x, x->vertex[v]);
      }
      known = gp__look_up(p, x->vertex[v], &value);
    }
    if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, x->vertex[v], point);
    wait |= known == GP__POINT_PENDING;
  }
  return wait ? GP__ASK_WAIT : GP__ASK_DONE;
}

// The next point of a simplex; GP__ASK_DONE: it has converged.
GP__HOST int gp__simplex_ask(gp__points *p, gp__simplex *x, int *point) {
  const gp__lattice *l = &p->lattice;
  const int n = x->vertices - 1;
  double value[GP__TUNED_MOST + 1], reflected = GP__NEVER, trial = GP__NEVER;
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
