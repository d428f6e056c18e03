// bitonic.cuh - sorts rows of four columns by all of them, first to fourth, in place, in any layout. Compiled for
// GP_LAYOUT_Row, the rows' layout in memory, and GP_LAYOUT_Staged, that of a tile in shared memory.
//
// Batcher's bitonic network with the first round of each stage mirrored: every comparison puts the smaller row first.
// So imagined rows beyond n would stay at the end, and n may be any number. Rounds at a distance of BITONIC_TILE or
// more go through memory, a launch each; the others share a launch on a tile in shared memory.
#include "layout.h"

#ifndef SIMT_H // the tests give the layout when they run
#define BITONIC_STAGED GP_AOS
#endif

// One round in memory.
LAYOUT_KERNEL bitonic_round(gp_array rows, layout_count n, layout_count distance, int mirrored) {
  const layout_count t = (layout_count)blockIdx.x * BITONIC_THREADS + threadIdx.x;
  Row_compare(rows, bitonic_pair_of(t, distance, mirrored), n);
}

// A tile's rounds. whole: all stages up to the tile's size; otherwise the end of a stage, from half a tile on.
LAYOUT_KERNEL bitonic_tiles(gp_array rows, layout_count n, int whole) {
  GP_SHARED_ARRAY(Staged, tile, BITONIC_TILE, BITONIC_STAGED);
  const layout_count first = (layout_count)blockIdx.x * BITONIC_TILE;
  const layout_count count = n - first < BITONIC_TILE ? n - first : BITONIC_TILE;
  for (layout_count i = threadIdx.x; i < count; i += BITONIC_THREADS) Staged_write(tile, i, Row_read(rows, first + i));
  __syncthreads();
  for (unsigned stage = whole ? 1 : BITONIC_TILE / 2; stage < BITONIC_TILE; stage *= 2)
    for (unsigned distance = stage; distance; distance /= 2) {
      Staged_compare(tile, bitonic_pair_of(threadIdx.x, distance, whole && distance == stage), count);
      __syncthreads();
    }
  for (layout_count i = threadIdx.x; i < count; i += BITONIC_THREADS) Row_write(rows, first + i, Staged_read(tile, i));
}
