// reyes.cuh - the four kernels of a REYES renderer (reyes.h), whose text is the same in all layouts. A compiler's
// options give the layouts: GP_LAYOUT_Point, GP_LAYOUT_Control, GP_LAYOUT_Vertex, GP_LAYOUT_Sample, GP_LAYOUT_Pixel.
#include "reyes.h"

#ifdef SIMT_H // the tests read the layouts of arrays from the arrays
#define REYES_KERNEL static void
#else
#define REYES_KERNEL extern "C" __global__ void
#define REYES_CONTROLS GP_AOS
#define REYES_VERTICES GP_AOS
#endif

// Splits the patches that are too large for a grid, and drops those outside the picture. One thread a patch.
REYES_KERNEL bound_split(
    gp_array patches, unsigned count, gp_array slots, unsigned *live, unsigned *ready, reyes_view view) {
  const unsigned i = blockIdx.x * REYES_FLAT_THREADS + threadIdx.x;
  if (i < count) reyes_bound_split(patches, i, slots, live, ready, view);
}

// One thread a slot.
REYES_KERNEL compact(gp_array slots, unsigned count, const unsigned *live, const unsigned *place, const unsigned *list,
    const unsigned long long *listed, gp_array patches, gp_array done, unsigned base, unsigned room,
    reyes_totals *totals) {
  const unsigned i = blockIdx.x * REYES_FLAT_THREADS + threadIdx.x;
  if (i < count) reyes_compact(slots, i, count, live, place, list, listed, patches, done, base, room, totals);
}

// One block a patch: its vertices to shared memory, its micropolygons to the z-buffer.
REYES_KERNEL dice_shade(gp_array patches, gp_array samples, reyes_view view) {
  GP_SHARED_ARRAY(Control, control, 16, REYES_CONTROLS);
  GP_SHARED_ARRAY(Vertex, grid, REYES_ROOM, REYES_VERTICES);
  const unsigned t = threadIdx.x;
  if (t < 16) {
    const reyes_point p = reyes_read(patches, blockIdx.x, t);
    GP_AT(Control, control, t, x) = p.x, GP_AT(Control, control, t, y) = p.y, GP_AT(Control, control, t, z) = p.z;
  }
  __syncthreads();
  for (unsigned i = t; i < REYES_SIDE * REYES_SIDE; i += REYES_THREADS) reyes_vertex(control, grid, i, view);
  __syncthreads();
  reyes_micropolygon(grid, t, samples, view);
}

// One thread a pixel.
REYES_KERNEL paint(gp_array samples, gp_array pixels, unsigned width, unsigned height, unsigned side, reyes_view view) {
  const unsigned x = blockIdx.x * REYES_FLAT_THREADS + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) reyes_paint(samples, pixels, x, y, side, view);
}
