// A kernel on arrays of structs, included once for each layout. NAME: the kernel's name.
//
// Each block stages tiles of 32 structs of `in` in shared memory, counts their kinds, moves them by a step, and writes
// them to `out`; grid[i][j] is the sum of the elements above and to the left.
template <int COPIES> static GP_DEVICE void NAME(const Access &a) {
  typedef gp_tile_bins<32, 5, COPIES> Bins;
  GP_SHARED(Bins, bins);
  GP_SHARED_ARRAY(Staged, staged, 32, STAGED);
  gp_tile_clear(bins);
  for (u64 first = blockIdx.x * 32; first < a.count; first += gridDim.x * 32) {
    const u64 n = a.count - first < 32 ? a.count - first : 32;
    GP_TILE_MOVE(Particle, Staged, staged, 0, Particle, a.in, first, n);
    __syncthreads();
    const u64 i = 31 - threadIdx.x; // of another thread
    if (i < n) {
      gp_tile_count(bins, GP_AT(Staged, staged, i, kind), 1);
      GP_AT(Staged, staged, i, x) += float(GP_AT(Staged, staged, i, v)) * 2;
    }
    __syncthreads();
    GP_TILE_MOVE(Particle, Particle, a.out, first, Staged, staged, 0, n);
    __syncthreads();
  }
  if (threadIdx.x < 5) atomicAdd(a.kinds + threadIdx.x, gp_tile_total(bins, int(threadIdx.x)));
  for (u64 at = blockIdx.x * 32 + threadIdx.x; at < a.grid.extent[0] * a.grid.extent[1]; at += gridDim.x * 32) {
    const u64 i = at / a.grid.extent[1], j = at % a.grid.extent[1];
    GP_AT2(Cell, a.sums, i, j, sum) =
        (i ? GP_AT2(Cell, a.grid, i - 1, j, sum) : 0) + (j ? GP_AT2(Cell, a.grid, i, j - 1, sum) : 0);
  }
}
#undef NAME
#undef STAGED
#undef GP_LAYOUT_Particle
#undef GP_LAYOUT_Cell
