// tile_signal.cu - kernels of your own on a signal, a tile a block: smooth it, level it, find its period, scale it,
// and transpose a table of it. Each is a few tile routines; the host repeats it in a loop and compares.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tile_signal.cu -o tile_signal && ./tile_signal
#include "gpuprims.h"

#include <cmath>
#include <cstdio>

constexpr int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS, TILES = 3, COUNT = TILE * TILES - 37;

// out[i] = the mean of in[i] and its two neighbours. The neighbours beyond a tile come from memory; the signal's ends
// count themselves twice.
union smooth_storage {
  gp_tile_exchange_storage<THREADS, ITEMS, float> exchange;
  gp_tile_shuffle_storage<THREADS, float> neighbours;
};
__global__ void smooth(const float *in, float *out, unsigned count) {
  GP_SHARED(smooth_storage, s);
  const unsigned first = blockIdx.x * TILE, left = count - first, end = left < TILE ? first + left : first + TILE;
  float x[ITEMS], before[ITEMS], after[ITEMS];
  gp_tile_load_striped<THREADS>(x, in + first, left, in[count - 1]); // coalesced
  gp_tile_striped_to_blocked<THREADS>(x, s.exchange); // a thread's items are neighbours now
  for (int i = 0; i < ITEMS; ++i) before[i] = after[i] = x[i];
  __syncthreads();
  gp_tile_shift<THREADS, GP_BEFORE>(before, in[first ? first - 1 : 0], s.neighbours);
  __syncthreads();
  gp_tile_shift<THREADS, GP_AFTER>(after, in[end < count ? end : count - 1], s.neighbours);
  for (int i = 0; i < ITEMS; ++i) x[i] = (before[i] + x[i] + after[i]) / 3;
  __syncthreads();
  gp_tile_blocked_to_striped<THREADS>(x, s.exchange);
  gp_tile_store_striped<THREADS>(x, out + first, left);
}

// Divides a tile by its largest magnitude, and writes the highest value so far.
union level_storage {
  gp_tile_reduce_storage<THREADS, float> reduce;
  gp_tile_scan_storage<THREADS, float> scan;
};
__global__ void level(const float *in, float *out, float *highest, unsigned count) {
  GP_SHARED(level_storage, s);
  GP_SHARED(float, shared_peak);
  const unsigned first = blockIdx.x * TILE, left = count - first < TILE ? count - first : TILE;
  float x[ITEMS], size[ITEMS];
  gp_tile_load<THREADS, GP_BLOCKED>(x, in + first, left, 0.0f);
  for (int i = 0; i < ITEMS; ++i) size[i] = x[i] < 0 ? -x[i] : x[i];
  const float most = gp_tile_reduce_items<THREADS>(size, gp_max<float>(), s.reduce, left); // thread 0 has it
  const float peak = gp_tile_broadcast(most, 0, shared_peak); // and now all have
  for (int i = 0; i < ITEMS; ++i) x[i] = peak > 0 ? x[i] / peak : 0;
  gp_tile_store<THREADS, GP_BLOCKED>(x, out + first, left);
  __syncthreads();
  gp_tile_inclusive_scan_items(x, gp_max<float>(), s.scan);
  gp_tile_store<THREADS, GP_BLOCKED>(x, highest + first, left);
}

// A circle of THREADS values, one a thread: its product with itself turned by each lag, whose largest is the period.
union period_storage {
  gp_tile_shuffle_storage<THREADS, int> shuffle;
  gp_tile_reduce_storage<THREADS, int> reduce;
};
__global__ void correlate(const int *in, int *products) {
  GP_SHARED(period_storage, s);
  const int x = in[threadIdx.x];
  for (unsigned lag = 0; lag < THREADS; ++lag) {
    const int other = gp_tile_rotate<THREADS>(x, lag, s.shuffle);
    __syncthreads();
    const int sum = gp_tile_reduce<THREADS>(x * other, gp_sum<int>(), s.reduce);
    if (threadIdx.x == 0) products[lag] = sum;
    __syncthreads();
  }
}
// Running total of what changed since a season ago; the first season has no season before it.
struct season_storage {
  gp_tile_shuffle_storage<THREADS, int> shuffle;
  gp_tile_scan_storage<THREADS, int> scan;
};
__global__ void seasonal(const int *in, int *out, int season) {
  GP_SHARED(season_storage, s);
  const int x = in[threadIdx.x];
  int change = x - gp_tile_offset<THREADS>(x, -season, s.shuffle); // without such a neighbour: x - x
  gp_tile_inclusive_scan<THREADS>(change, gp_sum<int>(), s.scan);
  out[threadIdx.x] = change;
}

// Louder, at most 255: bytes in and out by vectors of 16, one a thread.
__global__ void amplify(const unsigned char *in, unsigned char *out, unsigned count, unsigned by) {
  unsigned char x[16];
  const unsigned first = blockIdx.x * THREADS * 16;
  gp_tile_load_vectorised<THREADS, GP_CACHE_STREAMING>(x, in + first, count - first, (unsigned char)0);
  for (int i = 0; i < 16; ++i) x[i] = x[i] * by < 255 ? (unsigned char)(x[i] * by) : (unsigned char)255;
  gp_tile_store_vectorised<THREADS, GP_CACHE_STREAMING>(x, out + first, count - first);
}

// A table of rows x columns becomes columns x rows, a tile of 32 x 32 a block.
typedef gp_tile_transpose<THREADS, float, 32, 32> turned;
__global__ void turn(const float *in, float *out, unsigned rows, unsigned columns) {
  GP_SHARED(turned::storage, s);
  const unsigned across = (columns + 31) / 32, row = blockIdx.x / across * 32, column = blockIdx.x % across * 32;
  const unsigned tall = rows - row < 32 ? rows - row : 32, wide = columns - column < 32 ? columns - column : 32;
  turned::load(s, in + row * columns + column, columns, tall, wide);
  __syncthreads();
  turned::store(s, out + column * rows + row, rows, tall, wide);
}

template<class T> static T *managed(unsigned count) {
  T *pointer = nullptr;
  if (cudaMallocManaged(&pointer, count * sizeof(T)) != cudaSuccess) std::printf("no memory\n");
  return pointer;
}

int main() {
  int devices = 0, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  float *in = managed<float>(COUNT), *smoothed = managed<float>(COUNT), *levelled = managed<float>(COUNT);
  float *highest = managed<float>(COUNT), *table = managed<float>(COUNT);
  int *wave = managed<int>(THREADS), *products = managed<int>(THREADS), *changes = managed<int>(THREADS);
  unsigned char *sound = managed<unsigned char>(COUNT), *loud = managed<unsigned char>(COUNT);
  constexpr unsigned ROWS = 41, COLUMNS = 35, SEASON = 16;
  for (int i = 0; i < COUNT; ++i) in[i] = float(i * 7919 % 1009) - 500;
  for (int i = 0; i < COUNT; ++i) sound[i] = (unsigned char)(i * 31 % 251);
  for (int i = 0; i < THREADS; ++i) wave[i] = i % int(SEASON) * 37 % 7 + (i == 70); // alike, but for one value

  smooth<<<TILES, THREADS>>>(in, smoothed, COUNT);
  level<<<TILES, THREADS>>>(in, levelled, highest, COUNT);
  correlate<<<1, THREADS>>>(wave, products);
  seasonal<<<1, THREADS>>>(wave, changes, int(SEASON));
  amplify<<<1, THREADS>>>(sound, loud, COUNT, 3);
  turn<<<4, THREADS>>>(in, table, ROWS, COLUMNS);
  wrong += cudaDeviceSynchronize() != cudaSuccess;

  for (int i = 0; i < COUNT; ++i)
    wrong += smoothed[i] != (in[i ? i - 1 : 0] + in[i] + in[i + 1 < COUNT ? i + 1 : i]) / 3;
  for (int first = 0; first < COUNT; first += TILE) {
    const int end = first + TILE < COUNT ? first + TILE : COUNT;
    float peak = 0, most = -2;
    for (int i = first; i < end; ++i) peak = std::fmax(peak, std::fabs(in[i]));
    for (int i = first; i < end; ++i) {
      most = std::fmax(most, in[i] / peak);
      wrong += levelled[i] != in[i] / peak || highest[i] != most;
    }
  }
  unsigned period = 1;
  for (unsigned lag = 0, total = 0; lag < THREADS; ++lag) {
    int sum = 0;
    for (unsigned i = 0; i < THREADS; ++i) sum += wave[i] * wave[(i + lag) % THREADS];
    wrong += products[lag] != sum;
    if (lag && products[lag] > products[period]) period = lag;
    total += lag < SEASON ? 0u : unsigned(wave[lag] - wave[lag - SEASON]);
    wrong += changes[lag] != int(total);
  }
  wrong += period != SEASON;
  for (int i = 0; i < COUNT; ++i) wrong += loud[i] != (sound[i] * 3 < 255 ? sound[i] * 3 : 255);
  for (unsigned r = 0; r < ROWS; ++r)
    for (unsigned c = 0; c < COLUMNS; ++c) wrong += table[c * ROWS + r] != in[r * COLUMNS + c];
  std::printf("%d samples, a period of %u; %d faults\n", COUNT, period, wrong);
  for (void *pointer : {(void *)in, (void *)smoothed, (void *)levelled, (void *)highest, (void *)table, (void *)wave,
           (void *)products, (void *)changes, (void *)sound, (void *)loud})
    cudaFree(pointer);
  return wrong != 0;
}
