// kd_tree.cuh - the binning of a KD-tree's node: counts the boxes of triangles that begin and end in each of KD_BINS
// slabs along each axis, and computes the cost of a split between two slabs by the surface area heuristic. (Binning:
// Popov and others, Experiences with Streaming Construction of SAH KD-Trees; Shevtsov and others, Highly Parallel Fast
// KD-tree Construction. Layouts: Weber and Goesele, MATOG.)
//
// Compiled for BOXES_LAYOUT, the width of the array of boxes; KD_COUNTERS, the histogram of a thread: 0 in memory, 1
// its block's, 2 its warp's, both in shared memory; and KD_ORDER, the order of the counters: 0 [line][slab], 1
// transposed. Lines 0 to 2 count begins of boxes on x, y and z; lines 3 to 5 count ends, last slab first. So the sums
// of begins up to a slab, and of ends from a slab on, are prefix sums of lines.
#include "layout.h"

enum { KD_COPIES = KD_COUNTERS == 2 ? KD_THREADS / 32 : 1 };

LAYOUT_CODE int kd_slab(float x, float low, float scale) {
  const int slab = (int)((x - low) * scale);
  return slab < 0 ? 0 : slab < KD_BINS ? slab : KD_BINS - 1;
}
LAYOUT_CODE unsigned kd_counter(unsigned line, unsigned slab) {
  return KD_ORDER ? slab * KD_LINES + line : line * KD_BINS + slab;
}

// counts: KD_COUNTS zeroed counters.
LAYOUT_KERNEL kd_bin(unsigned char *memory, layout_count capacity, layout_count n, kd_space space, unsigned *counts) {
  const box_array<BOXES_LAYOUT> boxes = {memory, capacity};
#if KD_COUNTERS
  struct storage {
    unsigned counts[KD_COPIES][KD_COUNTS];
  };
  LAYOUT_SHARED(storage, s);
  for (unsigned k = threadIdx.x; k < KD_COPIES * KD_COUNTS; k += KD_THREADS) s.counts[k / KD_COUNTS][k % KD_COUNTS] = 0;
  __syncthreads();
  unsigned *mine = s.counts[KD_COPIES > 1 ? threadIdx.x / 32 : 0];
#else
  unsigned *mine = counts;
#endif
  const layout_count step = (layout_count)gridDim.x * KD_THREADS;
  for (layout_count i = (layout_count)blockIdx.x * KD_THREADS + threadIdx.x; i < n; i += step) {
    const box b = boxes.get(i);
    atomicAdd(&mine[kd_counter(0, kd_slab(b.low_x, space.low[0], space.scale[0]))], 1u);
    atomicAdd(&mine[kd_counter(1, kd_slab(b.low_y, space.low[1], space.scale[1]))], 1u);
    atomicAdd(&mine[kd_counter(2, kd_slab(b.low_z, space.low[2], space.scale[2]))], 1u);
    atomicAdd(&mine[kd_counter(3, KD_BINS - 1 - kd_slab(b.high_x, space.low[0], space.scale[0]))], 1u);
    atomicAdd(&mine[kd_counter(4, KD_BINS - 1 - kd_slab(b.high_y, space.low[1], space.scale[1]))], 1u);
    atomicAdd(&mine[kd_counter(5, KD_BINS - 1 - kd_slab(b.high_z, space.low[2], space.scale[2]))], 1u);
  }
#if KD_COUNTERS
  __syncthreads();
  for (unsigned k = threadIdx.x; k < KD_COUNTS; k += KD_THREADS) {
    unsigned sum = 0;
    for (unsigned copy = 0; copy < KD_COPIES; copy++) sum += s.counts[copy][k];
    if (sum) atomicAdd(&counts[k], sum);
  }
#endif
}

// Costs of a split before each slab of each axis, KD_BINS an axis, from the inclusive sums of every line. Nothing to
// split before the first slab. One thread a plane.
LAYOUT_KERNEL kd_costs(const unsigned *sums, float *costs, kd_space space) {
  const unsigned t = blockIdx.x * KD_THREADS + threadIdx.x, axis = t / KD_BINS, slab = t % KD_BINS;
  if (t >= 3 * KD_BINS) return;
  if (!slab) {
    costs[t] = 3.402823466e+38f;
    return;
  }
  const float left = (float)sums[kd_counter(axis, slab - 1)],
              right = (float)sums[kd_counter(3 + axis, KD_BINS - 1 - slab)];
  const float length = space.high[axis] - space.low[axis], part = (float)slab / KD_BINS;
  const float a = space.high[(axis + 1) % 3] - space.low[(axis + 1) % 3];
  const float b = space.high[(axis + 2) % 3] - space.low[(axis + 2) % 3];
  costs[t] = left * (a * b + part * length * (a + b)) + right * (a * b + (1 - part) * length * (a + b));
}
