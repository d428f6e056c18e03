// tuner/neighbours.c - points near the best one, and points far from all
// uses: core/rules.h, tuner/points.c

// The neighbours of the best point along each axis, one and two steps away, until it is better than all of them. Two
// steps: times often alternate, as where every second block size is a power of two. Invalid ones are stepped over.
GP__HOST int gp__ask_neighbours(gp__points *p, size_t *around, int *point) {
  const gp__lattice *l = &p->lattice;
  while (p->measured && *around != p->best + 1) {
    const size_t best = p->best;
    int at[GP__TUNED_MOST], d, side, wait = 0;
    gp__copy_point(l, at, p->tried[best].point);
    for (d = 0; d < l->dimensions; ++d) {
      const int from = at[d];
      for (side = -1; side <= 1 && !l->categorical[d]; side += 2) {
        int steps = 0;
        for (at[d] = from + side; at[d] >= 0 && at[d] < l->count[d] && abs(at[d] - from) <= 16 && steps < 2;
             at[d] += side) {
          double value = 0;
          const int known = gp__look_up(p, at, &value);
          if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
          wait |= known == GP__POINT_PENDING;
          steps += known == GP__POINT_PENDING || value < GP__NEVER;
        }
      }
      at[d] = from;
    }
    if (wait) return GP__ASK_WAIT;
    *around = best + 1;
  }
  return GP__ASK_DONE;
}

// Points along an axis through the best one, far apart, outwards to the ends as long as they are not much worse: other
// optima often lie there. Two invalid ones in a row end a side.
GP__HOST int gp__ask_axis(gp__points *p, int d, int *point) {
  const gp__lattice *l = &p->lattice;
  const double worst = 1.3 * gp__best_time(p);
  const int last = l->count[d] - 1, step = last > 23 ? (last + 1) / 8 : 3;
  int at[GP__TUNED_MOST], side, wait = 0;
  if (!p->measured || l->categorical[d]) return GP__ASK_DONE;
  for (side = -step; side <= step; side += 2 * step) {
    int invalid = 0;
    gp__copy_point(l, at, p->tried[p->best].point);
    while (at[d] != (side < 0 ? 0 : last) && invalid < 2) {
      double value = 0;
      int known;
      at[d] = at[d] + side < 0 ? 0 : at[d] + side > last ? last : at[d] + side;
      known = gp__look_up(p, at, &value);
      if (known == GP__POINT_UNKNOWN) return gp__hand_point(p, at, point);
      wait |= known == GP__POINT_PENDING;
      if (known == GP__POINT_PENDING || (value > worst && value < GP__NEVER)) break;
      invalid = value < GP__NEVER ? 0 : invalid + 1;
    }
  }
  return wait ? GP__ASK_WAIT : GP__ASK_DONE;
}

// A valid point at random, far from the known ones, `here`: in the best one's categories; 0: none was found.
GP__HOST int gp__far_point(gp__points *p, int here, int *point) {
  const gp__lattice *l = &p->lattice;
  double farthest = -1;
  int turn, d, found[GP__TUNED_MOST];
  for (turn = 0; turn < 64 || (turn < 1024 && farthest < 0); ++turn) {
    double nearest = GP__NEVER, value;
    size_t i;
    for (d = 0; d < l->dimensions; ++d)
      found[d] = l->categorical[d] && here ? p->tried[p->best].point[d] : gp__random_below(p, l->count[d]);
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
