// tuner/surrogate.c - the search by a model of the times so far
// uses: core/rules.h, tuner/points.c, tuner/neighbours.c

// Kriging (Gaussian process regression; Jones, Schonlau and Welch, Efficient Global Optimization, 1998): each measured
// point tells of those near it, the less the farther they are. The next point is the candidate whose expected time less
// its uncertainty is the least. A candidate costs the square of the measured points, so there are few of both: an ask
// takes up to a millisecond.

enum {
  GP__MODEL_MOST = 80, // points of the model: the best ones
  GP__MODEL_CANDIDATES = 160 // points that the model is asked about
};
typedef struct gp__model {
  int count;
  int point[GP__MODEL_MOST][GP__TUNED_MOST]; // copies: rows of the table move
  int samples[GP__MODEL_MOST];
  double mean, weight[GP__MODEL_MOST];
  double factor[GP__MODEL_MOST][GP__MODEL_MOST]; // L of L D L^T, the covariance; D on the diagonal
} gp__model;
typedef struct gp__surrogate {
  gp__model *model;
  int designed, most; // points of the first design that were handed out; of all
  int ended;
  size_t around;
} gp__surrogate;

GP__HOST double gp__square_root(double x) { // Newton, from above
  double root = x < 1 ? 1 : x;
  int turn;
  for (turn = 0; turn < 30; ++turn) root = 0.5 * (root + x / root);
  return root;
}
// Points tell half of each other at 0.35 of a parameter's range, or in another category.
GP__HOST double gp__covariance(const gp__lattice *l, const int *a, const int *b) {
  double sum = 0;
  int d;
  for (d = 0; d < l->dimensions; ++d) {
    const double off = (double)(a[d] - b[d]) / (l->count[d] > 4 ? l->count[d] - 1 : 4) / 0.35;
    sum += l->categorical[d] ? (a[d] != b[d]) : off * off;
  }
  return 1 / (1 + sum);
}
// The measured points into the model; 0: no memory.
GP__HOST int gp__fit_model(gp__points *p, gp__surrogate *s) {
  const double noise = gp__noise(p), best = gp__best_time(p);
  const gp__tried *row[GP__MODEL_MOST];
  gp__model *m = s->model;
  double worst = 0;
  size_t i;
  int j, k, r;
  if (!m) m = s->model = (gp__model *)malloc(sizeof *m);
  if (!m) return 0;
  for (i = 0, m->count = 0; i < p->count; ++i) {
    const gp__tried *t = &p->tried[i];
    if (t->invalid || !t->samples) continue;
    for (k = m->count; k > 0 && gp__time_of(p, row[k - 1]) > gp__time_of(p, t); --k)
      if (k < GP__MODEL_MOST) row[k] = row[k - 1];
    if (k < GP__MODEL_MOST) row[k] = t;
    m->count += m->count < GP__MODEL_MOST;
  }
  for (j = 0, m->mean = 0; j < m->count; ++j) { // speeds, not times: how bad a bad point is matters little
    gp__copy_point(&p->lattice, m->point[j], row[j]->point);
    m->samples[j] = row[j]->samples;
    m->weight[j] = 1 - best / gp__time_of(p, row[j]);
    m->mean += m->weight[j] / m->count;
  }
  for (j = 0; j < m->count; ++j) {
    m->weight[j] -= m->mean;
    worst += m->weight[j] * m->weight[j] / m->count;
  }
  worst = worst < 1e-6 ? 1e-6 : worst;
  for (j = 0; j < m->count; ++j) {
    for (k = 0; k <= j; ++k) {
      double sum = gp__covariance(&p->lattice, m->point[j], m->point[k]);
      if (j == k) sum += 1e-4 + noise * noise / worst / (m->samples[j] < 4 ? m->samples[j] : 4);
      for (r = 0; r < k; ++r) sum -= m->factor[j][r] * m->factor[k][r] * m->factor[r][r];
      m->factor[j][k] = j == k ? sum : sum / m->factor[k][k];
    }
    for (r = 0; r < j; ++r) m->weight[j] -= m->factor[j][r] * m->weight[r];
  }
  for (j = m->count - 1; j >= 0; --j) {
    m->weight[j] /= m->factor[j][j];
    for (r = j + 1; r < m->count; ++r) m->weight[j] -= m->factor[r][j] * m->weight[r];
  }
  m->mean /= gp__square_root(worst); // in standard deviations from here on
  for (j = 0; j < m->count; ++j) m->weight[j] /= gp__square_root(worst);
  return 1;
}
// Expected slowness less its standard deviation.
GP__HOST double gp__model_bound(const gp__points *p, const gp__model *m, const int *point) {
  double mean = m->mean, left = 1, row[GP__MODEL_MOST];
  int j, r;
  for (j = 0; j < m->count; ++j) {
    row[j] = gp__covariance(&p->lattice, m->point[j], point);
    mean += m->weight[j] * row[j];
  }
  for (j = 0; j < m->count; ++j) {
    for (r = 0; r < j; ++r) row[j] -= m->factor[j][r] * row[r];
    left -= row[j] * row[j] / m->factor[j][j];
  }
  return mean - gp__square_root(left < 1e-6 ? 1e-6 : left);
}

// The i-th candidate: most are near the best point, the others anywhere.
GP__HOST void gp__candidate(gp__points *p, int i, int *point) {
  const gp__lattice *l = &p->lattice;
  int d;
  gp__copy_point(l, point, p->tried[p->best].point);
  for (d = 0; d < l->dimensions; ++d) {
    const int far = l->count[d] / 6 + 1;
    if (i % 2 || (l->categorical[d] && !gp__random_below(p, 4))) {
      point[d] = gp__random_below(p, l->count[d]);
    } else if (!l->categorical[d] && gp__random_below(p, 2)) {
      const int at = point[d] + gp__random_below(p, 2 * far + 1) - far;
      point[d] = at < 0 ? 0 : at >= l->count[d] ? l->count[d] - 1 : at;
    }
  }
}
GP__HOST int gp__ask_model(gp__points *p, gp__surrogate *s, int *point) {
  double least = GP__NEVER, value;
  int i, best[GP__TUNED_MOST], at[GP__TUNED_MOST];
  if (!gp__fit_model(p, s)) {
    p->failed = 1;
    return GP__ASK_DONE;
  }
  for (i = 0; i < GP__MODEL_CANDIDATES || (i < 8 * GP__MODEL_CANDIDATES && least >= GP__NEVER); ++i) {
    double mine;
    gp__candidate(p, i, at);
    if (gp__find_point(p, at) || gp__look_up(p, at, &value) != GP__POINT_UNKNOWN) continue;
    mine = gp__model_bound(p, s->model, at);
    if (mine >= least) continue;
    least = mine;
    gp__copy_point(&p->lattice, best, at);
  }
  return least < GP__NEVER ? gp__hand_point(p, best, point) : GP__ASK_DONE;
}

GP__HOST int gp__ask_surrogate(gp__points *p, gp__surrogate *s, int *point) {
  const gp__lattice *l = &p->lattice;
  double value;
  int asked, at[GP__TUNED_MOST];
  if (!s->most) {
    s->most = 20 + 15 * l->dimensions;
    s->most = s->most < GP__MODEL_MOST ? s->most : GP__MODEL_MOST;
    if (gp__look_up(p, l->start, &value) == GP__POINT_UNKNOWN) return gp__hand_point(p, l->start, point);
  }
  while (s->designed < 2 * l->dimensions) {
    ++s->designed;
    if (gp__far_point(p, 0, at)) return gp__hand_point(p, at, point);
    s->designed = 2 * l->dimensions; // next to nothing is valid
  }
  if (!p->measured) {
    if (p->pending) return GP__ASK_WAIT;
    return gp__far_point(p, 0, at) ? gp__hand_point(p, at, point) : GP__ASK_DONE;
  }
  if (!s->ended && p->measured < (size_t)s->most) {
    asked = gp__ask_model(p, s, point);
    if (asked != GP__ASK_DONE) return asked;
  }
  s->ended = 1;
  return gp__ask_neighbours(p, &s->around, point);
}
