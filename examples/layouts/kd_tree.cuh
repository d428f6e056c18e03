// kd_tree.cuh - the binning of a KD-tree's node: counts the boxes of triangles that begin and end in each of KD_BINS
// slabs along each axis, and computes the cost of a split between two slabs by the surface area heuristic. (Binning:
// Popov and others, Experiences with Streaming Construction of SAH KD-Trees; Shevtsov and others, Highly Parallel Fast
// KD-tree Construction. Layouts: Weber and Goesele, MATOG.)
//
// Compiled for GP_LAYOUT_Box, the layout of the array of boxes; KD_BINS; KD_COUNTERS, the histogram of a thread: 0 in
// memory, 1 its block's, 2 its warp's, both in shared memory, 3 its own, in local memory; and KD_ORDER, the order of
// the counters: 0 [line][slab], 1 transposed.
#include "layout.h"

#define KD_COUNTS (KD_LINES * KD_BINS)

// counts: KD_COUNTS zeroed counters.
LAYOUT_KERNEL kd_bin(gp_array boxes, layout_count n, kd_space space, unsigned *counts) {
#if KD_COUNTERS == 1 || KD_COUNTERS == 2
  enum { COPIES = KD_COUNTERS == 2 ? KD_THREADS / 32 : 1 };
  struct storage {
    unsigned counts[COPIES][KD_COUNTS];
  };
  GP_SHARED(storage, s);
  for (unsigned k = threadIdx.x; k < COPIES * KD_COUNTS; k += KD_THREADS) s.counts[k / KD_COUNTS][k % KD_COUNTS] = 0;
  __syncthreads();
  unsigned *mine = s.counts[COPIES > 1 ? threadIdx.x / 32 : 0];
#elif KD_COUNTERS == 3
  unsigned mine[KD_COUNTS];
  for (unsigned k = 0; k < KD_COUNTS; k++) mine[k] = 0;
#else
  unsigned *mine = counts;
#endif
  const layout_count step = (layout_count)gridDim.x * KD_THREADS;
  for (layout_count i = (layout_count)blockIdx.x * KD_THREADS + threadIdx.x; i < n; i += step) {
    unsigned counter[KD_LINES];
    kd_counters(boxes, i, &space, KD_BINS, KD_ORDER, counter);
    for (int line = 0; line < KD_LINES; line++)
#if KD_COUNTERS == 3
      ++mine[counter[line]];
#else
      atomicAdd(&mine[counter[line]], 1u);
#endif
  }
#if KD_COUNTERS == 1 || KD_COUNTERS == 2
  __syncthreads();
  for (unsigned k = threadIdx.x; k < KD_COUNTS; k += KD_THREADS) {
    unsigned sum = 0;
    for (unsigned copy = 0; copy < COPIES; copy++) sum += s.counts[copy][k];
    if (sum) atomicAdd(&counts[k], sum);
  }
#elif KD_COUNTERS == 3
  for (unsigned k = 0; k < KD_COUNTS; k++)
    if (mine[k]) atomicAdd(&counts[k], mine[k]);
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
  const float left = (float)sums[kd_counter(axis, slab - 1, KD_BINS, KD_ORDER)],
              right = (float)sums[kd_counter(3 + axis, KD_BINS - 1 - slab, KD_BINS, KD_ORDER)];
  const float length = space.high[axis] - space.low[axis], part = (float)slab / KD_BINS;
  const float a = space.high[(axis + 1) % 3] - space.low[(axis + 1) % 3];
  const float b = space.high[(axis + 2) % 3] - space.low[(axis + 2) % 3];
  costs[t] = left * (a * b + part * length * (a + b)) + right * (a * b + (1 - part) * length * (a + b));
}
