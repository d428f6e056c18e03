// device/tile_bins.cuh - arrays in shared memory whose layout is chosen late; bins
// uses: api/array.h, core/words.h, device/vocabulary.cuh, device/machine.cuh

template<int BYTES> struct alignas(16) gp__bytes { gp__u8 byte[BYTES]; };
// Declares `name`, a gp_array of CAPACITY structs in shared memory. CAPACITY is a multiple of 16, and of the blocks of
// its layout. GP_LAYOUT_Name gives the layout; without it, LAYOUT.
#define GP_SHARED_ARRAY(Name, name, CAPACITY, LAYOUT) \
  GP_SHARED(gp__bytes<(CAPACITY) * int(sizeof(Name))>, name##_of_block); \
  gp_array name = gp__seen_as(GP_ARRAY_OF(Name, LAYOUT, CAPACITY, 1, 1), GP__USED(GP_LAYOUT_##Name)); \
  name.base = name##_of_block.byte
// Moves structs [first, first + count) of `from` to [to_first, to_first + count) of `to`, from memory to shared memory
// or back. All threads of the block call. No barrier.
#define GP_TILE_MOVE(Struct, To, to, to_first, From, from, first, count) \
  do { \
    for (gp__u64 gp__i = threadIdx.x; gp__i < (count); gp__i += blockDim.x) \
      GP_MOVE(Struct, To, to, (to_first) + gp__i, From, from, (first) + gp__i); \
  } while (0)

// A block's counters in shared memory. COPIES of each: one for all threads (1), one a thread (THREADS), or a power of
// two between. Copies of a bin are neighbours: threads with different copies never conflict in a bank, and a thread
// with its own copy needs no atomics. Bins beyond BINS are not counted.
template<int THREADS, int BINS, int COPIES> struct gp_tile_bins { gp__u32 count[BINS * COPIES]; };
// Sets all counters to zero. All threads call. Ends with a barrier.
template<int THREADS, int BINS, int COPIES> GP_DEVICE void gp_tile_clear(gp_tile_bins<THREADS, BINS, COPIES> &bins) {
  for (int i = int(threadIdx.x); i < BINS * COPIES; i += THREADS) bins.count[i] = 0;
  __syncthreads();
}
template<int THREADS, int BINS, int COPIES>
GP_DEVICE void gp_tile_count(gp_tile_bins<THREADS, BINS, COPIES> &bins, gp__u32 bin, gp__u32 by) {
  if (bin >= BINS) return;
  gp__u32 &count = bins.count[bin * COPIES + threadIdx.x % COPIES];
  if (COPIES >= THREADS) count += by;
  else atomicAdd(&count, by);
}
// The total of a bin over all threads. Any thread may call, after a barrier.
template<int THREADS, int BINS, int COPIES>
GP_DEVICE gp__u32 gp_tile_total(const gp_tile_bins<THREADS, BINS, COPIES> &bins, int bin) {
  gp__u32 sum = 0;
  GP__UNROLL_BY(4)
  for (int i = 0; i < COPIES; ++i) sum += bins.count[bin * COPIES + (i + int(threadIdx.x)) % COPIES];
  return sum;
}
