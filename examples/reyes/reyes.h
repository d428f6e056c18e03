// reyes.h - what a thread does in each kernel of a REYES renderer, as functions: for the kernels of reyes.cuh and, in
// plain C, for the host. (Cook, Carpenter and Catmull, The Reyes Image Rendering Architecture, 1987; on a GPU: Patney
// and Owens, Real-Time Reyes-Style Adaptive Surface Subdivision, 2008. Layouts: Weber and Goesele, Auto-Tuning Complex
// Array Layouts for GPUs, 2014.)
//
// A patch is split until it is small, then diced into a grid of micropolygons, each a quadrilateral of less than a
// pixel. Why pictures have no cracks: a patch is ready if no leg of its control net is longer than a third of
// REYES_GRID pixels. A cubic's speed is at most three times its longest leg, so an edge of a micropolygon is at most a
// pixel. Its second derivative is at most twelve legs, so the chord of a 1/REYES_GRID part leaves the curve by at most
// 12 / 8 / REYES_GRID^2 legs: 1/32 pixel. Two neighbours of different sizes therefore leave a gap of at most 1/16 pixel
// between their chords, and micropolygons cover samples up to REYES_REACH beyond their edges.
#ifndef EXAMPLES_REYES_H
#define EXAMPLES_REYES_H

#ifndef __CUDACC_RTC__
#include "gpuprims.h"

#include <math.h>
#endif

// The arrays. Control points are a matrix [patch][16], samples and pixels are matrices [y][x].
#define POINT(F) F(float, x) F(float, y) F(float, z)
#define VERTEX(F) F(float, x) F(float, y) F(float, depth) F(unsigned, colour)
#define SAMPLE(F) F(unsigned long long, key)
#define PIXEL(F) F(unsigned char, red) F(unsigned char, green) F(unsigned char, blue)
GP_LAYOUT(Point, POINT)
GP_LAYOUT_NAME(Control, Point) // the control points of a block's patch, in shared memory
GP_LAYOUT(Vertex, VERTEX) // the corners of its micropolygons, in shared memory
GP_LAYOUT(Sample, SAMPLE) // the z-buffer: depth, then colour; the smallest wins
GP_LAYOUT(Pixel, PIXEL)

#define REYES_GRID 16 // micropolygons along a side of a patch
#define REYES_SIDE (REYES_GRID + 1) // vertices
#define REYES_ROOM 320 // of a grid, a multiple of a layout's blocks
#define REYES_THREADS 256 // one a micropolygon
#define REYES_FLAT_THREADS 128 // of the kernels with a thread a patch or a pixel
#define REYES_REACH 0.0625f // pixels
#define REYES_NOTHING 0xffffffffffffffffull

#if defined(__CUDACC__) || defined(SIMT_H)
#define REYES_CODE static __device__ __forceinline__ __attribute__((unused))
#define REYES_LOWER(address, value) atomicMin(&(address), value)
#else
#define REYES_CODE static inline __attribute__((unused))
#define REYES_LOWER(address, value) ((address) = (value) < (address) ? (value) : (address))
#endif

typedef struct reyes_point {
  float x, y, z;
} reyes_point;
typedef struct reyes_patch { // u runs along columns, v along rows
  reyes_point at[16];
} reyes_patch;
// A camera at the origin that looks along z; x is to the right, y up. All z are positive.
typedef struct reyes_view {
  float centre_x, centre_y, scale; // samples
  unsigned width, height; // samples
} reyes_view;

enum { REYES_OUTSIDE, REYES_READY, REYES_SPLIT_U, REYES_SPLIT_V };

REYES_CODE float reyes_screen_x(reyes_point p, reyes_view v) { return v.centre_x + v.scale * p.x / p.z; }
REYES_CODE float reyes_screen_y(reyes_point p, reyes_view v) { return v.centre_y - v.scale * p.y / p.z; }
REYES_CODE reyes_point reyes_middle(reyes_point a, reyes_point b) {
  reyes_point m;
  m.x = 0.5f * (a.x + b.x), m.y = 0.5f * (a.y + b.y), m.z = 0.5f * (a.z + b.z);
  return m;
}
REYES_CODE reyes_point reyes_read(gp_array patches, unsigned patch, unsigned k) {
  reyes_point p;
  p.x = GP_AT2(Point, patches, patch, k, x);
  p.y = GP_AT2(Point, patches, patch, k, y);
  p.z = GP_AT2(Point, patches, patch, k, z);
  return p;
}
REYES_CODE void reyes_write(gp_array patches, unsigned patch, unsigned k, reyes_point p) {
  GP_AT2(Point, patches, patch, k, x) = p.x;
  GP_AT2(Point, patches, patch, k, y) = p.y;
  GP_AT2(Point, patches, patch, k, z) = p.z;
}

// ---- bound and split

// A patch lies within the projected hull of its control points.
REYES_CODE int reyes_fate(const reyes_patch *p, reyes_view v) {
  const float most = REYES_GRID / 3.0f;
  float x[16], y[16], low_x = 1e30f, low_y = 1e30f, high_x = -1e30f, high_y = -1e30f, along_u = 0, along_v = 0;
  int k;
  for (k = 0; k < 16; ++k) {
    x[k] = reyes_screen_x(p->at[k], v), y[k] = reyes_screen_y(p->at[k], v);
    low_x = x[k] < low_x ? x[k] : low_x, high_x = x[k] > high_x ? x[k] : high_x;
    low_y = y[k] < low_y ? y[k] : low_y, high_y = y[k] > high_y ? y[k] : high_y;
  }
  if (high_x < -REYES_REACH || high_y < -REYES_REACH || low_x > (float)v.width + REYES_REACH ||
      low_y > (float)v.height + REYES_REACH)
    return REYES_OUTSIDE;
  for (k = 0; k < 16; ++k) {
    if (k % 4 < 3) {
      const float dx = x[k + 1] - x[k], dy = y[k + 1] - y[k], square = dx * dx + dy * dy;
      along_u = square > along_u ? square : along_u;
    }
    if (k < 12) {
      const float dx = x[k + 4] - x[k], dy = y[k + 4] - y[k], square = dx * dx + dy * dy;
      along_v = square > along_v ? square : along_v;
    }
  }
  if (along_u <= most * most && along_v <= most * most) return REYES_READY;
  return along_u >= along_v ? REYES_SPLIT_U : REYES_SPLIT_V;
}
// The halves of patch i become slots 2 i and 2 i + 1; a patch that is ready becomes slot 2 i. live: 1 for a slot to
// bound and split again; ready: 1 for a slot to dice.
REYES_CODE void reyes_bound_split(
    gp_array patches, unsigned i, gp_array slots, unsigned *live, unsigned *ready, reyes_view view) {
  reyes_patch p;
  int fate, k;
  for (k = 0; k < 16; ++k) p.at[k] = reyes_read(patches, i, (unsigned)k);
  fate = reyes_fate(&p, view);
  live[2 * i] = live[2 * i + 1] = fate >= REYES_SPLIT_U;
  ready[2 * i] = fate == REYES_READY, ready[2 * i + 1] = 0;
  if (fate == REYES_READY)
    for (k = 0; k < 16; ++k) reyes_write(slots, 2 * i, (unsigned)k, p.at[k]);
  if (fate < REYES_SPLIT_U) return;
  for (k = 0; k < 4; ++k) { // de Casteljau's algorithm, on each of four curves
    const unsigned step = fate == REYES_SPLIT_U ? 1 : 4, first = fate == REYES_SPLIT_U ? 4 * (unsigned)k : (unsigned)k;
    reyes_point a, b, c, d, ab, bc, cd, abc, bcd, middle;
    if (fate == REYES_SPLIT_U) a = p.at[4 * k], b = p.at[4 * k + 1], c = p.at[4 * k + 2], d = p.at[4 * k + 3];
    else a = p.at[k], b = p.at[k + 4], c = p.at[k + 8], d = p.at[k + 12];
    ab = reyes_middle(a, b), bc = reyes_middle(b, c), cd = reyes_middle(c, d);
    abc = reyes_middle(ab, bc), bcd = reyes_middle(bc, cd), middle = reyes_middle(abc, bcd);
    reyes_write(slots, 2 * i, first, a);
    reyes_write(slots, 2 * i, first + step, ab);
    reyes_write(slots, 2 * i, first + 2 * step, abc);
    reyes_write(slots, 2 * i, first + 3 * step, middle);
    reyes_write(slots, 2 * i + 1, first, middle);
    reyes_write(slots, 2 * i + 1, first + step, bcd);
    reyes_write(slots, 2 * i + 1, first + 2 * step, cd);
    reyes_write(slots, 2 * i + 1, first + 3 * step, d);
  }
}

// ---- compact

typedef struct reyes_totals {
  unsigned live, ready;
} reyes_totals;

// Slot i of `count`: those to split go to `patches`, at their places, and place[count] is their number. Those that are
// ready, whose numbers are listed, go behind the `base` earlier ones of `done`. Both arrays have room for `room`
// patches; what does not fit is left out, which the totals tell.
REYES_CODE void reyes_compact(gp_array slots, unsigned i, unsigned count, const unsigned *live, const unsigned *place,
    const unsigned *list, const unsigned long long *listed, gp_array patches, gp_array done, unsigned base,
    unsigned room, reyes_totals *totals) {
  const unsigned ready = (unsigned)*listed;
  unsigned k;
  if (live[i] && place[i] < room)
    for (k = 0; k < 16; ++k) reyes_write(patches, place[i], k, reyes_read(slots, i, k));
  if (i < ready && base + i < room)
    for (k = 0; k < 16; ++k) reyes_write(done, base + i, k, reyes_read(slots, list[i], k));
  if (!i) totals->live = place[count], totals->ready = ready;
}

// ---- dice and shade

typedef struct reyes_surface {
  reyes_point at, normal; // the normal is not of length 1
} reyes_surface;

REYES_CODE reyes_point reyes_cross(reyes_point a, reyes_point b) {
  reyes_point c;
  c.x = a.y * b.z - a.z * b.y, c.y = a.z * b.x - a.x * b.z, c.z = a.x * b.y - a.y * b.x;
  return c;
}
REYES_CODE float reyes_dot(reyes_point a, reyes_point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
REYES_CODE void reyes_weights(float t, float *b, float *d) {
  const float s = 1 - t;
  b[0] = s * s * s, b[1] = 3 * s * s * t, b[2] = 3 * s * t * t, b[3] = t * t * t;
  d[0] = -3 * s * s, d[1] = 3 * s * s - 6 * s * t, d[2] = 6 * s * t - 3 * t * t, d[3] = 3 * t * t;
}
REYES_CODE reyes_surface reyes_evaluate(gp_array control, float u, float v) {
  reyes_surface s;
  reyes_point du, dv;
  float bu[4], cu[4], bv[4], cv[4];
  unsigned k;
  reyes_weights(u, bu, cu);
  reyes_weights(v, bv, cv);
  s.at.x = s.at.y = s.at.z = du.x = du.y = du.z = dv.x = dv.y = dv.z = 0;
  for (k = 0; k < 16; ++k) {
    const float x = GP_AT(Control, control, k, x), y = GP_AT(Control, control, k, y), z = GP_AT(Control, control, k, z);
    const float w = bu[k % 4] * bv[k / 4], wu = cu[k % 4] * bv[k / 4], wv = bu[k % 4] * cv[k / 4];
    s.at.x += w * x, s.at.y += w * y, s.at.z += w * z;
    du.x += wu * x, du.y += wu * y, du.z += wu * z;
    dv.x += wv * x, dv.y += wv * y, dv.z += wv * z;
  }
  s.normal = reyes_cross(du, dv);
  return s;
}
REYES_CODE unsigned reyes_level(float light) { // of 256; sqrt stands for the display's gamma
  const float x = 255 * sqrtf(light < 0 ? 0 : light > 1 ? 1 : light) + 0.5f;
  return (unsigned)x;
}
// The colour of a surface of copper, seen from the origin: light from above on the left, sky and ground.
REYES_CODE unsigned reyes_shade(reyes_surface s) {
  const float lx = -0.48f, ly = 0.68f, lz = -0.5546f;
  const float far_off = 1 / sqrtf(reyes_dot(s.at, s.at)), length = reyes_dot(s.normal, s.normal);
  const float side = reyes_dot(s.normal, s.at) > 0 ? -1.0f : 1.0f, scale = length > 0 ? side / sqrtf(length) : 0;
  const float nx = s.normal.x * scale, ny = s.normal.y * scale, nz = s.normal.z * scale;
  const float vx = -s.at.x * far_off, vy = -s.at.y * far_off, vz = -s.at.z * far_off;
  const float hx = lx + vx, hy = ly + vy, hz = lz + vz, half = 1 / sqrtf(hx * hx + hy * hy + hz * hz);
  float diffuse = nx * lx + ny * ly + nz * lz, shine = (nx * hx + ny * hy + nz * hz) * half, rim;
  diffuse = diffuse < 0 ? 0 : diffuse;
  shine = shine < 0 ? 0 : shine;
  shine *= shine, shine *= shine, shine *= shine, shine *= shine;
  rim = 1 - (nx * vx + ny * vy + nz * vz);
  rim = 0.12f * rim * rim;
  const float sky = 0.10f + 0.06f * ny;
  return reyes_level(0.62f * diffuse + 0.9f * sky + 0.45f * shine + rim) << 16 |
      reyes_level(0.27f * diffuse + 0.55f * sky + 0.40f * shine + rim) << 8 |
      reyes_level(0.13f * diffuse + 0.40f * sky + 0.34f * shine + 1.2f * rim);
}
// Vertex number i of the grid. Where the control net collapses to a point, the normal is that of a place further in.
REYES_CODE void reyes_vertex(gp_array control, gp_array grid, unsigned i, reyes_view view) {
  const float u = (float)(i % REYES_SIDE) / REYES_GRID, v = (float)(i / REYES_SIDE) / REYES_GRID;
  reyes_surface s = reyes_evaluate(control, u, v);
  if (!(reyes_dot(s.normal, s.normal) > 1e-14f)) {
    const reyes_point at = s.at;
    s = reyes_evaluate(control, 0.9f * u + 0.05f, 0.9f * v + 0.05f);
    s.at = at;
  }
  GP_AT(Vertex, grid, i, x) = reyes_screen_x(s.at, view);
  GP_AT(Vertex, grid, i, y) = reyes_screen_y(s.at, view);
  GP_AT(Vertex, grid, i, depth) = s.at.z;
  GP_AT(Vertex, grid, i, colour) = reyes_shade(s);
}

typedef struct reyes_corner {
  float x, y, depth;
} reyes_corner;

REYES_CODE unsigned long long reyes_key(float depth, unsigned colour) {
  union {
    float value;
    unsigned bits;
  } d;
  d.value = depth; // positive: ordered like its bits
  return (unsigned long long)d.bits << 32 | colour;
}
// Twice the area of a, b, p.
REYES_CODE float reyes_area(reyes_corner a, reyes_corner b, float x, float y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}
REYES_CODE float reyes_length(reyes_corner a, reyes_corner b) {
  return sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
}
// Samples of a triangle, and those within REYES_REACH of it. A triangle without area covers none; its neighbours do.
REYES_CODE void reyes_triangle(
    reyes_corner a, reyes_corner b, reyes_corner c, unsigned colour, gp_array samples, reyes_view v) {
  const float area = reyes_area(a, b, c.x, c.y), side = area < 0 ? -1.0f : 1.0f;
  const float low_x = fminf(a.x, fminf(b.x, c.x)) - REYES_REACH, high_x = fmaxf(a.x, fmaxf(b.x, c.x)) + REYES_REACH;
  const float low_y = fminf(a.y, fminf(b.y, c.y)) - REYES_REACH, high_y = fmaxf(a.y, fmaxf(b.y, c.y)) + REYES_REACH;
  const float near_by = fminf(a.depth, fminf(b.depth, c.depth)), far_off = fmaxf(a.depth, fmaxf(b.depth, c.depth));
  const float ab = -REYES_REACH * reyes_length(a, b), bc = -REYES_REACH * reyes_length(b, c),
              ca = -REYES_REACH * reyes_length(c, a);
  const float first_x = fmaxf(0, ceilf(low_x - 0.5f)), first_y = fmaxf(0, ceilf(low_y - 0.5f));
  const float last_x = fminf((float)v.width - 1, floorf(high_x - 0.5f)),
              last_y = fminf((float)v.height - 1, floorf(high_y - 0.5f));
  float x, y;
  if (!(side * area > 1e-12f)) return;
  for (y = first_y; y <= last_y; ++y)
    for (x = first_x; x <= last_x; ++x) {
      const float c_part = reyes_area(a, b, x + 0.5f, y + 0.5f), a_part = reyes_area(b, c, x + 0.5f, y + 0.5f),
                  b_part = reyes_area(c, a, x + 0.5f, y + 0.5f);
      float depth;
      if (side * c_part < ab || side * a_part < bc || side * b_part < ca) continue;
      depth = (a_part * a.depth + b_part * b.depth + c_part * c.depth) / area;
      depth = fminf(fmaxf(depth, near_by), far_off);
      REYES_LOWER(GP_AT2(Sample, samples, (unsigned)y, (unsigned)x, key), reyes_key(depth, colour));
    }
}
REYES_CODE reyes_corner reyes_corner_of(gp_array grid, unsigned i) {
  reyes_corner c;
  c.x = GP_AT(Vertex, grid, i, x), c.y = GP_AT(Vertex, grid, i, y), c.depth = GP_AT(Vertex, grid, i, depth);
  return c;
}
// Micropolygon number i: two triangles of one colour.
REYES_CODE void reyes_micropolygon(gp_array grid, unsigned i, gp_array samples, reyes_view view) {
  const unsigned first = i / REYES_GRID * REYES_SIDE + i % REYES_GRID;
  const reyes_corner a = reyes_corner_of(grid, first), b = reyes_corner_of(grid, first + 1),
                     c = reyes_corner_of(grid, first + REYES_SIDE), d = reyes_corner_of(grid, first + REYES_SIDE + 1);
  const unsigned colour = GP_AT(Vertex, grid, first, colour);
  reyes_triangle(a, b, d, colour, samples, view);
  reyes_triangle(a, d, c, colour, samples, view);
}

// ---- paint

// The background at a height from 0, the top, to 1.
REYES_CODE unsigned reyes_background(float height) {
  const float light = 0.020f + 0.16f * height * height;
  return reyes_level(0.92f * light) << 16 | reyes_level(light) << 8 | reyes_level(1.18f * light);
}
// The pixel at (x, y): the mean of `side` x `side` samples, which become empty for the next frame.
REYES_CODE void reyes_paint(gp_array samples, gp_array pixels, unsigned x, unsigned y, unsigned side, reyes_view view) {
  unsigned red = 0, green = 0, blue = 0, i;
  const unsigned all = side * side;
  for (i = 0; i < all; ++i) {
    const unsigned sy = y * side + i / side, sx = x * side + i % side;
    const unsigned long long key = GP_AT2(Sample, samples, sy, sx, key);
    const unsigned colour =
        key == REYES_NOTHING ? reyes_background(((float)sy + 0.5f) / (float)view.height) : (unsigned)key;
    red += colour >> 16 & 255, green += colour >> 8 & 255, blue += colour & 255;
    GP_AT2(Sample, samples, sy, sx, key) = REYES_NOTHING;
  }
  GP_AT2(Pixel, pixels, y, x, red) = (unsigned char)((red + all / 2) / all);
  GP_AT2(Pixel, pixels, y, x, green) = (unsigned char)((green + all / 2) / all);
  GP_AT2(Pixel, pixels, y, x, blue) = (unsigned char)((blue + all / 2) / all);
}

#endif
