// A kernel on arrays of structs, included once for each layout. NAME: the kernel's name.
//
// Each block stages tiles of 32 structs of `in` in shared memory, counts their kinds, moves them by a step, and writes
// them to `out`; grid[i][j] is the sum of the elements above and to the left.
template<int COPIES> static GP_DEVICE void NAME(const Access &a) {
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
  gp_array blocks = a.blocks; // read only, of any kind of memory; `turned` has another order of axes
  GP_IN_CONSTANT(Block, blocks);
  const uint64_t *e = a.turned.extent;
  for (u64 at = blockIdx.x * 32 + threadIdx.x; at < e[0] * e[1] * e[2] * e[3]; at += gridDim.x * 32) {
    const u64 i = at / e[3] / e[2] / e[1], j = at / e[3] / e[2] % e[1], k = at / e[3] % e[2], l = at % e[3];
    const u64 from = GP_NUMBER(Block, blocks, 4, i, j, k, l);
    GP_AT4(Turned, a.turned, i, j, k, l, flag) = GP_GET(Block, blocks, from, flag);
    GP_AT4(Turned, a.turned, i, j, k, l, kind) = GP_GET(Block, blocks, from, kind);
    GP_AT4(Turned, a.turned, i, j, k, l, sum) = GP_GET(Block, blocks, from, sum);
    GP_AT4(Turned, a.turned, i, j, k, l, v) = GP_GET(Block, blocks, from, v);
    GP_AT4(Turned, a.turned, i, j, k, l, corner) = GP_GET(Block, blocks, from, corner);
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
#undef GP_LAYOUT_Block
#undef GP_LAYOUT_Turned
