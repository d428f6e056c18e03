// bitonic.cuh - sorts rows of four columns by all of them, first to fourth, in place, in any layout. Compiled for
// ROWS_LAYOUT, the layout's width in memory, and TILE_LAYOUT, the width of the tile in shared memory.
//
// Batcher's bitonic network with the first round of each stage mirrored: every comparison puts the smaller row first.
// So imagined rows beyond n would stay at the end, and n may be any number. Rounds at a distance of BITONIC_TILE or
// more go through memory, a launch each; the others share a launch on a tile in shared memory.
#include "layout.h"

// Pair number t at `distance`, a power of two: row i, and the partner that takes the larger row.
struct bitonic_pair {
  layout_count i, partner;
};
LAYOUT_CODE bitonic_pair bitonic_pair_of(layout_count t, layout_count distance, bool mirrored) {
  bitonic_pair p;
  p.i = ((t & ~(distance - 1)) << 1) | (t & (distance - 1));
  p.partner = mirrored ? p.i ^ (2 * distance - 1) : p.i + distance;
  return p;
}

// Reads columns one after another, and only until they decide.
template <class Rows> LAYOUT_CODE bool bitonic_out_of_order(const Rows &rows, bitonic_pair p) {
  const unsigned long long a = rows.first(p.i), b = rows.first(p.partner);
  if (a != b) return a > b;
  const unsigned c = rows.second(p.i), d = rows.second(p.partner);
  if (c != d) return c > d;
  const unsigned short e = rows.third(p.i), f = rows.third(p.partner);
  if (e != f) return e > f;
  return rows.fourth(p.i) > rows.fourth(p.partner);
}

template <class Rows> LAYOUT_CODE void bitonic_compare(const Rows &rows, bitonic_pair p, layout_count n) {
  if (p.partner >= n || !bitonic_out_of_order(rows, p)) return;
  const row a = rows.get(p.i), b = rows.get(p.partner);
  rows.set(p.i, b);
  rows.set(p.partner, a);
}

// One round in memory.
LAYOUT_KERNEL bitonic_round(unsigned char *memory, layout_count capacity, layout_count n, layout_count distance,
                            int mirrored) {
  const row_array<ROWS_LAYOUT> rows = {memory, capacity};
  const layout_count t = (layout_count)blockIdx.x * BITONIC_THREADS + threadIdx.x;
  bitonic_compare(rows, bitonic_pair_of(t, distance, mirrored != 0), n);
}

// A tile's rounds. whole: all stages up to the tile's size; otherwise the end of a stage, from half a tile on.
LAYOUT_KERNEL bitonic_tiles(unsigned char *memory, layout_count capacity, layout_count n, int whole) {
  struct alignas(16) storage {
    unsigned char bytes[BITONIC_TILE * sizeof(row)];
  };
  LAYOUT_SHARED(storage, s);
  const row_array<ROWS_LAYOUT> rows = {memory, capacity};
  const row_array<TILE_LAYOUT> tile = {s.bytes, BITONIC_TILE};
  const layout_count first = (layout_count)blockIdx.x * BITONIC_TILE;
  const layout_count count = n - first < BITONIC_TILE ? n - first : BITONIC_TILE;
  for (layout_count i = threadIdx.x; i < count; i += BITONIC_THREADS) tile.set(i, rows.get(first + i));
  __syncthreads();
  for (unsigned stage = whole ? 1 : BITONIC_TILE / 2; stage < BITONIC_TILE; stage *= 2)
    for (unsigned distance = stage; distance; distance /= 2) {
      bitonic_compare(tile, bitonic_pair_of(threadIdx.x, distance, whole && distance == stage), count);
      __syncthreads();
    }
  for (layout_count i = threadIdx.x; i < count; i += BITONIC_THREADS) rows.set(first + i, tile.get(i));
}
