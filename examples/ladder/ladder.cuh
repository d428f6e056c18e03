// ladder.cuh - the kernels of ladder.c: seven sums, four transposes, six ways to read and write floats, and the roof of
// reading. Plain CUDA without the library; NVRTC, nvcc and the tests' emulator compile it.
//
// The steps are those of Mark Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007), and of the tutorial
// "Optimizing CUDA" (Harris and others, SC07): each kernel removes one bottleneck of the previous one. They were
// written for a G80, whose warps ran in lockstep and whose memory had no cache; comments mark the changes for today's
// GPUs. The code is our own.

#ifdef SIMT_H
#define LADDER_SHARED(T, name) SIMT_SHARED(T, name)
#define LADDER_DYNAMIC(T, name) SIMT_DYN_SHARED(T, name)
#else
#define LADDER_SHARED(T, name) __shared__ T name
#define LADDER_DYNAMIC(T, name) extern __shared__ T name[]
#endif

typedef unsigned long long ladder_count;

// ---- seven sums: each block writes the sum of its part of in[0 .. n) to out[blockIdx.x]; further launches sum these
// until one is left. Blocks are powers of two, at least 64; dynamic shared memory holds a word a thread. Elements are
// unsigned, so that the sum may overflow.

// 1: interleaved addressing. In round r every 2^r-th thread adds. These threads are spread over all warps, so each warp
// runs both sides of the branch until the last rounds.
extern "C" __global__ void reduce_1(const unsigned *in, unsigned *out, ladder_count n) {
  LADDER_DYNAMIC(unsigned, sums);
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (t % (2 * distance) == 0) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// 2: the same pairs, added by the first threads of the block: whole warps add or rest. But neighbouring threads are now
// 2 * distance words apart, and words 32 apart (16 on a G80) share a bank.
extern "C" __global__ void reduce_2(const unsigned *in, unsigned *out, ladder_count n) {
  LADDER_DYNAMIC(unsigned, sums);
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned to = 2 * distance * t;
    if (to < blockDim.x) sums[to] += sums[to + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// 3: sequential addressing. The upper half is added to the lower half: neighbours stay adjacent, without conflicts.
extern "C" __global__ void reduce_3(const unsigned *in, unsigned *out, ladder_count n) {
  LADDER_DYNAMIC(unsigned, sums);
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned distance = blockDim.x / 2; distance; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// 4: half of the threads of 3 never add. So a block takes twice as many elements, and each thread adds two of them
// while loading.
extern "C" __global__ void reduce_4(const unsigned *in, unsigned *out, ladder_count n) {
  LADDER_DYNAMIC(unsigned, sums);
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * (2 * blockDim.x) + t;
  unsigned sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  sums[t] = sum;
  __syncthreads();
  for (unsigned distance = blockDim.x / 2; distance; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// The last 64 sums, by the first warp. On a G80 a warp ran in lockstep, and volatile sufficed; since Volta its lanes
// may diverge, so each round reads, synchronises, writes, and synchronises again.
static __device__ __forceinline__ void ladder_last_warp(unsigned *sums, unsigned t) {
  unsigned sum = sums[t];
#pragma unroll
  for (unsigned distance = 32; distance; distance /= 2) {
    sum += sums[t + distance];
    __syncwarp();
    sums[t] = sum;
    __syncwarp();
  }
}

// 5: below 64 sums one warp remains, which needs no block barrier, no test and no loop.
extern "C" __global__ void reduce_5(const unsigned *in, unsigned *out, ladder_count n) {
  LADDER_DYNAMIC(unsigned, sums);
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * (2 * blockDim.x) + t;
  unsigned sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  sums[t] = sum;
  __syncthreads();
  for (unsigned distance = blockDim.x / 2; distance > 32; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t < 32) ladder_last_warp(sums, t);
  if (t == 0) out[blockIdx.x] = sums[0];
}

// The sum over a block of constant size: the compiler removes the loop.
template<unsigned THREADS> static __device__ __forceinline__ void ladder_unrolled(unsigned *sums, unsigned t) {
#pragma unroll
  for (unsigned distance = THREADS / 2; distance > 32; distance /= 2) {
    if (t < distance) sums[t] += sums[t + distance];
    __syncthreads();
  }
  if (t < 32) ladder_last_warp(sums, t);
}

// 6: completely unrolled: a kernel for each block size, by a template.
template<unsigned THREADS>
static __device__ __forceinline__ void ladder_reduce_6(
    unsigned *sums, const unsigned *in, unsigned *out, ladder_count n) {
  const unsigned t = threadIdx.x;
  const ladder_count i = (ladder_count)blockIdx.x * (2 * THREADS) + t;
  unsigned sum = i < n ? in[i] : 0;
  if (i + THREADS < n) sum += in[i + THREADS];
  sums[t] = sum;
  __syncthreads();
  ladder_unrolled<THREADS>(sums, t);
  if (t == 0) out[blockIdx.x] = sums[0];
}

// 7: multiple elements a thread. The grid has as many blocks as keep the GPU busy, for any n. Each steps through the
// input by grids, which keeps loads coalesced. By Brent's theorem many adds amortise the tree's cost.
template<unsigned THREADS>
static __device__ __forceinline__ void ladder_reduce_7(
    unsigned *sums, const unsigned *in, unsigned *out, ladder_count n) {
  const unsigned t = threadIdx.x;
  const ladder_count step = (ladder_count)gridDim.x * (2 * THREADS);
  unsigned sum = 0;
  for (ladder_count i = (ladder_count)blockIdx.x * (2 * THREADS) + t; i < n; i += step) {
    sum += in[i];
    if (i + THREADS < n) sum += in[i + THREADS];
  }
  sums[t] = sum;
  __syncthreads();
  ladder_unrolled<THREADS>(sums, t);
  if (t == 0) out[blockIdx.x] = sums[0];
}

#define LADDER_REDUCE(STEP, THREADS) \
  extern "C" __global__ void __launch_bounds__(THREADS) \
      reduce_##STEP##_##THREADS(const unsigned *in, unsigned *out, ladder_count n) { \
    LADDER_DYNAMIC(unsigned, sums); \
    ladder_reduce_##STEP<THREADS>(sums, in, out, n); \
  }
LADDER_REDUCE(6, 128)
LADDER_REDUCE(7, 128)
LADDER_REDUCE(7, 256)
LADDER_REDUCE(7, 512)
LADDER_REDUCE(7, 1024)

// ---- transposes: in has `height` rows of `width` floats, out `width` rows of `height`.

// naive: reads along rows, writes along columns: each write of a warp touches a sector of its own. Blocks of 16 x 16.
extern "C" __global__ void transpose_naive(const float *in, float *out, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) out[(ladder_count)x * height + y] = in[(ladder_count)y * width + x];
}

// Through a tile in shared memory, TILE columns by TILE rows, in blocks of TILE x ROWS threads: reads and writes run
// along rows. Columns of the tile have words TILE + PAD apart: without padding they share a bank.
template<unsigned TILE, unsigned ROWS, unsigned PAD> struct ladder_tile { float at[TILE][TILE + PAD]; };
template<unsigned TILE, unsigned ROWS, unsigned PAD>
static __device__ __forceinline__ void ladder_transpose(
    ladder_tile<TILE, ROWS, PAD> &tile, const float *in, float *out, unsigned width, unsigned height) {
  unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (unsigned row = 0; row < TILE; row += ROWS)
    if (x < width && y + row < height)
      tile.at[threadIdx.y + row][threadIdx.x] = in[(ladder_count)(y + row) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
  for (unsigned row = 0; row < TILE; row += ROWS)
    if (x < height && y + row < width)
      out[(ladder_count)(y + row) * height + x] = tile.at[threadIdx.x][threadIdx.y + row];
}

#define LADDER_TRANSPOSE(NAME, TILE, ROWS, PAD) \
  extern "C" __global__ void NAME(const float *in, float *out, unsigned width, unsigned height) { \
    typedef ladder_tile<TILE, ROWS, PAD> storage; \
    LADDER_SHARED(storage, tile); \
    ladder_transpose<TILE, ROWS, PAD>(tile, in, out, width, height); \
  }
LADDER_TRANSPOSE(transpose_shared, 16, 16, 0) // coalesced, with bank conflicts
LADDER_TRANSPOSE(transpose_padded, 16, 16, 1) // coalesced and padded: the tutorial's last step
LADDER_TRANSPOSE(transpose_rows, 32, 8, 1) // a warp's width, four elements a thread (Ruetsch and Micikevicius, 2009)

// ---- floats: out[i] = in[i] + 1 for i < n. The tutorial's kernel adds in place, which moves as many bytes.

extern "C" __global__ void floats_coalesced(const float *in, float *out, ladder_count n) {
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}

// Every other thread is idle: half of the elements stay unchanged.
extern "C" __global__ void floats_some(const float *in, float *out, ladder_count n) {
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) out[i] = in[i] + 1;
}

// Neighbours swap their elements: on a G80 sixteen accesses instead of one. n is even.
extern "C" __global__ void floats_permuted(const float *in, float *out, ladder_count n) {
  const ladder_count i = ((ladder_count)blockIdx.x * blockDim.x + threadIdx.x) ^ 1;
  if (i < n) out[i] = in[i] + 1;
}

struct ladder_float3 {
  float x, y, z;
};

// Structs of 12 bytes, a thread each: three loads at a stride of 12 bytes. n counts structs, in all three kernels
// below.
extern "C" __global__ void float3_naive(const ladder_float3 *in, ladder_float3 *out, ladder_count n) {
  const ladder_count i = (ladder_count)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    ladder_float3 value = in[i];
    value.x += 1, value.y += 1, value.z += 1;
    out[i] = value;
  }
}

// The same through shared memory: the block reads and writes floats, coalesced; a thread takes its struct from shared
// memory. The stride of 3 words meets every bank once.
extern "C" __global__ void float3_shared(const float *in, float *out, ladder_count n) {
  LADDER_DYNAMIC(float, words); // three a thread
  const ladder_count first = (ladder_count)blockIdx.x * blockDim.x * 3, end = 3 * n;
  for (unsigned k = threadIdx.x; k < 3 * blockDim.x; k += blockDim.x)
    if (first + k < end) words[k] = in[first + k];
  __syncthreads();
  ladder_float3 *mine = reinterpret_cast<ladder_float3 *>(words) + threadIdx.x;
  if (first + 3 * threadIdx.x < end) mine->x += 1, mine->y += 1, mine->z += 1;
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 3 * blockDim.x; k += blockDim.x)
    if (first + k < end) out[first + k] = words[k];
}

// ---- the roof of reading: n vectors of 16 bytes, DEPTH loads of a thread at a time. Its write never happens for real
// data, which the compiler cannot know.

struct alignas(16) ladder_vector {
  unsigned x, y, z, w;
};
template<unsigned DEPTH>
static __device__ __forceinline__ void ladder_read(const ladder_vector *in, unsigned *out, ladder_count n) {
  const ladder_count step = (ladder_count)gridDim.x * blockDim.x;
  ladder_count i = (ladder_count)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (; i + (DEPTH - 1) * step < n; i += DEPTH * step) {
    ladder_vector v[DEPTH];
#pragma unroll
    for (unsigned k = 0; k < DEPTH; k++) v[k] = in[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < DEPTH; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  for (; i < n; i += step) sum += in[i].x ^ in[i].y ^ in[i].z ^ in[i].w;
  if (sum == 0x9E3779B9u) out[0] = sum;
}
extern "C" __global__ void read_4(const ladder_vector *in, unsigned *out, ladder_count n) {
  ladder_read<4>(in, out, n);
}
extern "C" __global__ void read_8(const ladder_vector *in, unsigned *out, ladder_count n) {
  ladder_read<8>(in, out, n);
}
