// slow.h - a renderer to check the fast one with: for each sample it looks, in every patch, for the surface that the
// sample's ray meets first, by bisection in double precision. It dices nothing, so that it has no cracks.
#ifndef EXAMPLES_REYES_SLOW_H
#define EXAMPLES_REYES_SLOW_H

#include "examples/reyes/reyes.h"

#include <stdlib.h>
#include <string.h>

typedef struct slow_patch {
  double at[16][3];
} slow_patch;
typedef struct slow_hit {
  double depth; // 0: nothing
  unsigned colour;
} slow_hit;
typedef struct slow_search {
  const reyes_view *view;
  double x, y, best, u, v; // the sample; the nearest depth so far and its place
} slow_search;

enum { SLOW_DEEPEST = 60 };
#define SLOW_SMALL 0.015 // pixels

static void slow_halve(const slow_patch *p, int along_v, slow_patch *first, slow_patch *second) {
  const int step = along_v ? 4 : 1;
  int curve, k, axis;
  for (curve = 0; curve < 4; ++curve)
    for (axis = 0; axis < 3; ++axis) {
      const int from = along_v ? curve : 4 * curve;
      double c[4];
      for (k = 0; k < 4; ++k) c[k] = p->at[from + k * step][axis];
      for (k = 0; k < 4; ++k) { // the ends of de Casteljau's triangle
        int j;
        first->at[from + k * step][axis] = c[0];
        second->at[from + (3 - k) * step][axis] = c[3 - k];
        for (j = 0; j < 3 - k; ++j) c[j] = 0.5 * (c[j] + c[j + 1]);
      }
    }
}

// The part [u, u + du] x [v, v + dv] of a patch.
static void slow_look(slow_search *s, const slow_patch *p, double u, double v, double du, double dv, int depth) {
  double low[3] = {1e300, 1e300, 1e300}, high[2] = {-1e300, -1e300}, x[16], y[16], along_u = 0, along_v = 0;
  slow_patch halves[2];
  int k;
  for (k = 0; k < 16; ++k) {
    x[k] = (double)s->view->centre_x + (double)s->view->scale * p->at[k][0] / p->at[k][2];
    y[k] = (double)s->view->centre_y - (double)s->view->scale * p->at[k][1] / p->at[k][2];
    low[0] = x[k] < low[0] ? x[k] : low[0], high[0] = x[k] > high[0] ? x[k] : high[0];
    low[1] = y[k] < low[1] ? y[k] : low[1], high[1] = y[k] > high[1] ? y[k] : high[1];
    low[2] = p->at[k][2] < low[2] ? p->at[k][2] : low[2];
  }
  if (s->x < low[0] || s->x > high[0] || s->y < low[1] || s->y > high[1] || low[2] >= s->best) return;
  if ((high[0] - low[0] < SLOW_SMALL && high[1] - low[1] < SLOW_SMALL) || depth == SLOW_DEEPEST) {
    s->best = low[2], s->u = u + 0.5 * du, s->v = v + 0.5 * dv;
    return;
  }
  for (k = 0; k < 16; ++k) {
    if (k % 4 < 3) along_u = fmax(along_u, fabs(x[k + 1] - x[k]) + fabs(y[k + 1] - y[k]));
    if (k < 12) along_v = fmax(along_v, fabs(x[k + 4] - x[k]) + fabs(y[k + 4] - y[k]));
  }
  slow_halve(p, along_v > along_u, &halves[0], &halves[1]);
  if (along_v > along_u) {
    slow_look(s, &halves[0], u, v, du, 0.5 * dv, depth + 1);
    slow_look(s, &halves[1], u, v + 0.5 * dv, du, 0.5 * dv, depth + 1);
  } else {
    slow_look(s, &halves[0], u, v, 0.5 * du, dv, depth + 1);
    slow_look(s, &halves[1], u + 0.5 * du, v, 0.5 * du, dv, depth + 1);
  }
}

static unsigned slow_colour(const slow_patch *p, double u, double v) {
  reyes_surface s;
  Point points[16];
  gp_array control = GP_ARRAY_OF(Point, GP_AOS, 16, 1, 1);
  int k;
  for (k = 0; k < 16; ++k)
    points[k].x = (float)p->at[k][0], points[k].y = (float)p->at[k][1], points[k].z = (float)p->at[k][2];
  control.base = points;
  s = reyes_evaluate(control, (float)u, (float)v);
  return reyes_shade(s);
}

// A ray through (x, y), in samples, meets this.
static slow_hit slow_trace(const slow_patch *patches, int count, const reyes_view *view, double x, double y) {
  slow_search s;
  slow_hit hit;
  int i, nearest = -1;
  s.view = view, s.x = x, s.y = y, s.best = 1e300, s.u = s.v = 0;
  for (i = 0; i < count; ++i) {
    const double before = s.best;
    slow_look(&s, &patches[i], 0, 0, 1, 1, 0);
    if (s.best < before) nearest = i;
  }
  hit.depth = nearest < 0 ? 0 : s.best;
  hit.colour = nearest < 0 ? 0 : slow_colour(&patches[nearest], s.u, s.v);
  return hit;
}

typedef struct slow_verdict {
  unsigned cracks, wrong_depths, wrong_colours, strays, covered, x, y; // (x, y): the first that is wrong
} slow_verdict;

#define SLOW_PROBE 0.125 // pixels: twice REYES_REACH
#define SLOW_DEPTH 0.02 // units of length
#define SLOW_OUTLINE 0.25 // the same at an outline, where depth changes at any rate
#define SLOW_STEEP 0.6 // samples: depths of five rays that differ by more belong to an outline within the teapot
#define SLOW_LEVELS 16 // of 256

// A range of depths and of colours.
typedef struct slow_range {
  double near_by, far_off;
  int low[3], high[3], hits;
} slow_range;

static void slow_widen(slow_range *r, slow_hit hit, int depth_counts) {
  int channel;
  if (!(hit.depth > 0)) return;
  if (depth_counts) {
    ++r->hits;
    r->near_by = hit.depth < r->near_by ? hit.depth : r->near_by;
    r->far_off = hit.depth > r->far_off ? hit.depth : r->far_off;
  }
  for (channel = 0; channel < 3; ++channel) {
    const int level = (int)(hit.colour >> (16 - 8 * channel) & 255);
    r->low[channel] = level < r->low[channel] ? level : r->low[channel];
    r->high[channel] = level > r->high[channel] ? level : r->high[channel];
  }
}
static int slow_is_coloured(const slow_range *r, unsigned colour) {
  int channel;
  for (channel = 0; channel < 3; ++channel) {
    const int level = (int)(colour >> (16 - 8 * channel) & 255);
    if (level < r->low[channel] - SLOW_LEVELS || level > r->high[channel] + SLOW_LEVELS) return 0;
  }
  return 1;
}

// Compares a z-buffer with five rays a sample: its centre, and SLOW_PROBE beside it. A sample is right if its depth
// lies between theirs, or, where a ray meets nothing, if it is empty. Its colour, that of a corner of a micropolygon,
// lies between those of these rays and of others nearby; at an outline it may be any. A crack is a
// sample that shows what lies behind all five. Returns 0 without memory.
static int slow_compare(
    const slow_patch *patches, int count, const reyes_view *view, gp_array samples, slow_verdict *all) {
  static const double dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
  const unsigned width = view->width, height = view->height;
  slow_hit *centre = (slow_hit *)calloc((size_t)width * height, sizeof *centre);
  unsigned x, y;
  memset(all, 0, sizeof *all);
  if (!centre) return 0;
  for (y = 0; y < height; ++y)
    for (x = 0; x < width; ++x) centre[y * width + x] = slow_trace(patches, count, view, x + 0.5, y + 0.5);
  for (y = 0; y < height; ++y)
    for (x = 0; x < width; ++x) {
      const unsigned long long key = GP_AT2(Sample, samples, y, x, key);
      const unsigned before = all->cracks + all->wrong_depths + all->wrong_colours + all->strays;
      const unsigned bits = (unsigned)(key >> 32);
      slow_range r = {1e300, 0, {255, 255, 255}, {0, 0, 0}, 0};
      float depth;
      double more;
      int k, i, j;
      memcpy(&depth, &bits, sizeof depth);
      slow_widen(&r, centre[y * width + x], 1);
      for (k = 0; k < 4; ++k)
        slow_widen(&r, slow_trace(patches, count, view, x + 0.5 + SLOW_PROBE * dx[k], y + 0.5 + SLOW_PROBE * dy[k]), 1);
      for (i = -1; i <= 1; ++i)
        for (j = -1; j <= 1; ++j)
          if (x + (unsigned)j < width && y + (unsigned)i < height)
            slow_widen(&r, centre[(y + (unsigned)i) * width + x + (unsigned)j], 0);
      more = r.hits < 5 ? SLOW_OUTLINE : SLOW_DEPTH;
      if (key == REYES_NOTHING) all->cracks += r.hits == 5;
      else {
        ++all->covered;
        if (!r.hits) ++all->strays;
        else if ((double)depth > r.far_off + more) all->cracks += r.hits == 5, all->wrong_depths += r.hits < 5;
        else if ((double)depth < r.near_by - more) ++all->wrong_depths;
        else if (r.hits == 5 && (r.far_off - r.near_by) * (double)view->scale < SLOW_STEEP * r.far_off &&
            !slow_is_coloured(&r, (unsigned)key)) {
          for (i = -6; i <= 6; ++i) // a highlight may be narrower than a pixel
            for (j = -6; j <= 6; ++j)
              slow_widen(&r, slow_trace(patches, count, view, x + 0.5 + 0.25 * j, y + 0.5 + 0.25 * i), 0);
          all->wrong_colours += !slow_is_coloured(&r, (unsigned)key);
        }
      }
      if (!before && all->cracks + all->wrong_depths + all->wrong_colours + all->strays) all->x = x, all->y = y;
    }
  free(centre);
  return 1;
}

#endif
