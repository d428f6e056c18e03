// merge_sort.cuh - the kernels of merge_sort.c: a stable sort of 32-bit keys with 32-bit values. Any block size that is
// a multiple of 32 works, for each kernel on its own: it is read from the launch.
//
//     sort_tiles       each block sorts 8 elements a thread: runs
//     split_runs       each thread finds where an interval of the merged output begins in both runs of its pair
//     merge_intervals  each warp merges one interval
//
// The last two repeat, on runs of twice the length, until one run is left. Splitting by output positions is the merge
// path of Green, McColl and Bader (GPU Merge Path, 2012).
#include "gpuprims.h"

#define MERGE_ITEMS 8 // elements a thread
#define MERGE_INTERVAL (32 * MERGE_ITEMS) // elements a warp

// The word of shared memory for place p: blocked access by 32 lanes, 8 places apart, meets every bank once.
GP_DEVICE unsigned merge_slot(unsigned p) { return p + p / 32; }

// Between registers (a thread's elements are consecutive) and shared memory.
GP_DEVICE void merge_put(unsigned *shared, unsigned thread, const unsigned (&x)[MERGE_ITEMS]) {
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) shared[merge_slot(thread * MERGE_ITEMS + i)] = x[i];
}
GP_DEVICE void merge_get(const unsigned *shared, unsigned thread, unsigned (&x)[MERGE_ITEMS]) {
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) x[i] = shared[merge_slot(thread * MERGE_ITEMS + i)];
}
// The elements at given places.
GP_DEVICE void merge_gather(const unsigned *shared, const unsigned (&place)[MERGE_ITEMS], unsigned (&x)[MERGE_ITEMS]) {
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) x[i] = shared[merge_slot(place[i])];
}

// Two sorted runs in shared memory: places [first, middle) and [middle, end). The thread's 8 outputs from output
// `skip` on: their keys and places. Among equal keys the first run's come first. The 8 outputs must exist.
GP_DEVICE void merge_pair(const unsigned *shared, unsigned first, unsigned middle, unsigned end, unsigned skip,
    unsigned (&key)[MERGE_ITEMS], unsigned (&place)[MERGE_ITEMS]) {
  const unsigned second = end - middle;
  unsigned low = skip > second ? skip - second : 0, high = skip < middle - first ? skip : middle - first;
  while (low < high) { // how many of the skipped ones are in the first run
    const unsigned half = (low + high) / 2;
    if (shared[merge_slot(middle + skip - 1 - half)] < shared[merge_slot(first + half)]) high = half;
    else low = half + 1;
  }
  unsigned a = first + low, b = middle + skip - low;
  unsigned x = a < middle ? shared[merge_slot(a)] : 0, y = b < end ? shared[merge_slot(b)] : 0;
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) {
    const bool from_first = b >= end || (a < middle && x <= y);
    key[i] = from_first ? x : y;
    place[i] = from_first ? a : b;
    if (from_first) {
      if (++a < middle) x = shared[merge_slot(a)];
    } else if (++b < end) y = shared[merge_slot(b)];
  }
}

// Loads a tile: element p of it goes to place p. Past the end: fill.
GP_DEVICE void merge_load(unsigned *shared, const unsigned *in, unsigned count, unsigned fill) {
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) {
    const unsigned p = i * blockDim.x + threadIdx.x;
    shared[merge_slot(p)] = p < count ? in[p] : fill;
  }
}
GP_DEVICE void merge_store(const unsigned *shared, unsigned *out, unsigned count) {
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) {
    const unsigned p = i * blockDim.x + threadIdx.x;
    if (p < count) out[p] = shared[merge_slot(p)];
  }
}

// Sorts tiles of 8 * blockDim.x elements. Dynamic shared memory: a word an element, and one for each 32. Absent
// elements have the largest key; they are last in input order, and so behind all others.
extern "C" __global__ void __launch_bounds__(1024)
    sort_tiles(const unsigned *keys, const unsigned *values, unsigned *out_keys, unsigned *out_values, unsigned n) {
  GP_DYNAMIC_SHARED(bytes);
  unsigned *shared = reinterpret_cast<unsigned *>(bytes);
  const unsigned t = threadIdx.x, tile = blockDim.x * MERGE_ITEMS, start = blockIdx.x * tile;
  const unsigned count = n - start < tile ? n - start : tile;
  unsigned key[MERGE_ITEMS], value[MERGE_ITEMS], place[MERGE_ITEMS];
  merge_load(shared, values + start, count, 0);
  __syncthreads();
  merge_get(shared, t, value);
  __syncthreads();
  merge_load(shared, keys + start, count, 0xffffffffu);
  __syncthreads();
  merge_get(shared, t, key);
  // The thread's elements, by odd-even transpositions: only neighbours in strict disorder swap.
#pragma unroll
  for (unsigned round = 0; round < MERGE_ITEMS; ++round)
#pragma unroll
    for (unsigned i = round % 2; i + 1 < MERGE_ITEMS; i += 2) {
      const bool swap = key[i + 1] < key[i];
      const unsigned low = swap ? key[i + 1] : key[i], of_low = swap ? value[i + 1] : value[i];
      key[i + 1] = swap ? key[i] : key[i + 1], value[i + 1] = swap ? value[i] : value[i + 1];
      key[i] = low, value[i] = of_low;
    }
  for (unsigned width = MERGE_ITEMS; width < tile; width *= 2) {
    const unsigned first = t * MERGE_ITEMS / (2 * width) * (2 * width);
    const unsigned middle = first + width < tile ? first + width : tile;
    const unsigned end = middle + width < tile ? middle + width : tile;
    __syncthreads();
    merge_put(shared, t, key);
    __syncthreads();
    merge_pair(shared, first, middle, end, t * MERGE_ITEMS - first, key, place);
    __syncthreads();
    merge_put(shared, t, value);
    __syncthreads();
    merge_gather(shared, place, value);
  }
  __syncthreads();
  merge_put(shared, t, key);
  __syncthreads();
  merge_store(shared, out_keys + start, count);
  __syncthreads();
  merge_put(shared, t, value);
  __syncthreads();
  merge_store(shared, out_values + start, count);
}

// The pair of runs around an output position: [start, middle) and [middle, end). Runs have `width` elements, the last
// one fewer; it may lack a partner.
struct merge_runs {
  unsigned start, middle, end;
  GP_DEVICE merge_runs(unsigned at, unsigned width, unsigned n) {
    start = at / (2 * width) * (2 * width);
    middle = n - start < width ? n : start + width;
    end = n - middle < width ? n : middle + width;
  }
};

// splits[k]: how many of the outputs before output k * MERGE_INTERVAL, in its pair, come from the first run.
extern "C" __global__ void __launch_bounds__(1024)
    split_runs(const unsigned *keys, unsigned *splits, unsigned n, unsigned width, unsigned intervals) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= intervals) return;
  const merge_runs runs(k * MERGE_INTERVAL, width, n);
  splits[k] = static_cast<unsigned>(gp_merge_split(keys + runs.start, runs.middle - runs.start, keys + runs.middle,
      runs.end - runs.middle, k * MERGE_INTERVAL - runs.start, gp_less<unsigned>()));
}

// Dynamic shared memory: MERGE_INTERVAL words a warp, and one for each 32. Warps do not wait for each other. Intervals
// are full: absent elements of the last one are in its second run, with the largest key.
extern "C" __global__ void __launch_bounds__(1024) merge_intervals(const unsigned *keys, const unsigned *values,
    unsigned *out_keys, unsigned *out_values, const unsigned *splits, unsigned n, unsigned width, unsigned intervals) {
  GP_DYNAMIC_SHARED(bytes);
  const unsigned lane = gp_lane(), warp = threadIdx.x / 32, k = blockIdx.x * (blockDim.x / 32) + warp;
  if (k >= intervals) return;
  unsigned *shared = reinterpret_cast<unsigned *>(bytes) + warp * (MERGE_INTERVAL + MERGE_INTERVAL / 32);
  const unsigned at = k * MERGE_INTERVAL, count = n - at < MERGE_INTERVAL ? n - at : MERGE_INTERVAL;
  const merge_runs runs(at, width, n);
  const unsigned skip_first = splits[k], skip_second = at - runs.start - skip_first;
  const unsigned first = (at + count == runs.end ? runs.middle - runs.start : splits[k + 1]) - skip_first;
  unsigned from[MERGE_ITEMS], key[MERGE_ITEMS], place[MERGE_ITEMS], value[MERGE_ITEMS];
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) { // where place p is loaded from
    const unsigned p = i * 32 + lane;
    from[i] = p < first ? runs.start + skip_first + p : runs.middle + skip_second + p - first;
    shared[merge_slot(p)] = p < count ? keys[from[i]] : 0xffffffffu;
  }
  __syncwarp();
  merge_pair(shared, 0, first, MERGE_INTERVAL, lane * MERGE_ITEMS, key, place);
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i) {
    const unsigned p = i * 32 + lane;
    shared[merge_slot(p)] = p < count ? values[from[i]] : 0;
  }
  __syncwarp();
  merge_gather(shared, place, value);
  __syncwarp();
  merge_put(shared, lane, key);
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i)
    if (i * 32 + lane < count) out_keys[at + i * 32 + lane] = shared[merge_slot(i * 32 + lane)];
  __syncwarp();
  merge_put(shared, lane, value);
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < MERGE_ITEMS; ++i)
    if (i * 32 + lane < count) out_values[at + i * 32 + lane] = shared[merge_slot(i * 32 + lane)];
}
