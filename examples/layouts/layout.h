// layout.h - the structs of the two programs, arrays of which are in any layout, and what a thread does with them: for
// the kernels of this folder and, in plain C, for the host. GP_AT names a member of a struct, not an address; the
// compiler gets the layout by an option, and the text is the same for every layout. (Weber and Goesele, MATOG: Array
// Layout Auto-Tuning for CUDA, ACM TACO 2017.)
#ifndef EXAMPLES_LAYOUT_H
#define EXAMPLES_LAYOUT_H

#ifndef __CUDACC_RTC__
#include "gpuprims.h"
#endif

#define ROW(F) F(unsigned long long, first) F(unsigned, second) F(unsigned short, third) F(unsigned char, fourth)
#define BOX(F) F(float, low_x) F(float, low_y) F(float, low_z) F(float, high_x) F(float, high_y) F(float, high_z)
GP_LAYOUT(Row, ROW) // the rows to sort
GP_LAYOUT_NAME(Staged, Row) // a tile of them in shared memory
GP_LAYOUT(Box, BOX) // the boxes of triangles

#if defined(__CUDACC__) || defined(SIMT_H)
#define LAYOUT_CODE static __device__ __forceinline__ __attribute__((unused))
#else
#define LAYOUT_CODE static inline __attribute__((unused))
#endif
typedef unsigned long long layout_count;

// Constants that a kernel and its launch share.
#ifndef BITONIC_THREADS
#define BITONIC_THREADS 512
#endif
#define BITONIC_TILE (2 * BITONIC_THREADS) // rows
#ifndef KD_THREADS
#define KD_THREADS 256
#endif
#define KD_LINES 6 // of counters

// ---- the bitonic sort

// Pair number t at `distance`, a power of two: row i, and the partner that takes the larger row.
typedef struct bitonic_pair {
  layout_count i, partner;
} bitonic_pair;
LAYOUT_CODE bitonic_pair bitonic_pair_of(layout_count t, layout_count distance, int mirrored) {
  bitonic_pair p;
  p.i = ((t & ~(distance - 1)) << 1) | (t & (distance - 1));
  p.partner = mirrored ? p.i ^ (2 * distance - 1) : p.i + distance;
  return p;
}
// For an array under a name: whether a pair is out of order, which reads columns one after another, and only until they
// decide; and a step of the network.
#define BITONIC_STEPS(Name) \
  LAYOUT_CODE int Name##_out_of_order(gp_array rows, bitonic_pair p) { \
    const unsigned long long a = GP_AT(Name, rows, p.i, first), b = GP_AT(Name, rows, p.partner, first); \
    if (a != b) return a > b; \
    const unsigned c = GP_AT(Name, rows, p.i, second), d = GP_AT(Name, rows, p.partner, second); \
    if (c != d) return c > d; \
    const unsigned short e = GP_AT(Name, rows, p.i, third), f = GP_AT(Name, rows, p.partner, third); \
    if (e != f) return e > f; \
    return GP_AT(Name, rows, p.i, fourth) > GP_AT(Name, rows, p.partner, fourth); \
  } \
  LAYOUT_CODE Row Name##_read(gp_array rows, layout_count i) { \
    Row r; \
    r.first = GP_AT(Name, rows, i, first), r.second = GP_AT(Name, rows, i, second); \
    r.third = GP_AT(Name, rows, i, third), r.fourth = GP_AT(Name, rows, i, fourth); \
    return r; \
  } \
  LAYOUT_CODE void Name##_write(gp_array rows, layout_count i, Row r) { \
    GP_AT(Name, rows, i, first) = r.first, GP_AT(Name, rows, i, second) = r.second; \
    GP_AT(Name, rows, i, third) = r.third, GP_AT(Name, rows, i, fourth) = r.fourth; \
  } \
  LAYOUT_CODE void Name##_compare(gp_array rows, bitonic_pair p, layout_count n) { \
    if (p.partner >= n || !Name##_out_of_order(rows, p)) return; \
    const Row a = Name##_read(rows, p.i), b = Name##_read(rows, p.partner); \
    Name##_write(rows, p.i, b); \
    Name##_write(rows, p.partner, a); \
  }
BITONIC_STEPS(Row)
BITONIC_STEPS(Staged)

// ---- the KD-tree

typedef struct kd_space { // a node: its box, and slabs a unit of length, for each axis
  float low[3], high[3], scale[3];
} kd_space;

LAYOUT_CODE unsigned kd_slab(float x, float low, float scale, int bins) {
  const int slab = (int)((x - low) * scale);
  return (unsigned)(slab < 0 ? 0 : slab < bins ? slab : bins - 1);
}
// The place of a counter: [line][slab], or transposed. Lines 0 to 2 count begins of boxes on x, y and z; lines 3 to 5
// count ends, last slab first. So sums of begins up to a slab, and of ends from a slab on, are prefix sums of lines.
LAYOUT_CODE unsigned kd_counter(unsigned line, unsigned slab, int bins, int transposed) {
  return transposed ? slab * KD_LINES + line : line * (unsigned)bins + slab;
}
// The counters of box i.
LAYOUT_CODE void kd_counters(
    gp_array boxes, layout_count i, const kd_space *s, int bins, int transposed, unsigned *counter) {
  const unsigned last = (unsigned)bins - 1;
  counter[0] = kd_counter(0, kd_slab(GP_GET(Box, boxes, i, low_x), s->low[0], s->scale[0], bins), bins, transposed);
  counter[1] = kd_counter(1, kd_slab(GP_GET(Box, boxes, i, low_y), s->low[1], s->scale[1], bins), bins, transposed);
  counter[2] = kd_counter(2, kd_slab(GP_GET(Box, boxes, i, low_z), s->low[2], s->scale[2], bins), bins, transposed);
  counter[3] =
      kd_counter(3, last - kd_slab(GP_GET(Box, boxes, i, high_x), s->low[0], s->scale[0], bins), bins, transposed);
  counter[4] =
      kd_counter(4, last - kd_slab(GP_GET(Box, boxes, i, high_y), s->low[1], s->scale[1], bins), bins, transposed);
  counter[5] =
      kd_counter(5, last - kd_slab(GP_GET(Box, boxes, i, high_z), s->low[2], s->scale[2], bins), bins, transposed);
}

#if defined(__CUDACC__) || defined(SIMT_H)
#ifdef SIMT_H
#define LAYOUT_KERNEL static void
#else
#define LAYOUT_KERNEL extern "C" __global__ void
#endif
#endif

#endif
