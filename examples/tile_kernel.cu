// tile_kernel.cu - your own kernel on the tile routines: turns rows of weights into cumulative distributions, a row a
// block, in one pass over memory. (Sampling an index by weight draws from these.)
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tile_kernel.cu -o tile_kernel && ./tile_kernel
#include "gpuprims.h"

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int THREADS = 256, ITEMS = 8, ROW = THREADS * ITEMS;

// The block's storage. The exchange and the scan are never in use at the same time, so they share the bytes.
union row_storage {
  gp_tile_exchange_storage<THREADS, ITEMS, float> exchange;
  gp_tile_scan_storage<THREADS, float> scan;
};

// weights and distribution have `columns` (at most ROW) elements a row.
__global__ void __launch_bounds__(THREADS) cumulative(const float *weights, float *distribution, unsigned columns) {
  GP_SHARED(row_storage, storage);
  const size_t row = size_t(blockIdx.x) * columns;
  float items[ITEMS];
  // Coalesced loads; thread t then holds elements t * ITEMS and the ITEMS - 1 after it. Beyond the row: 0.
  gp_tile_load_transposed<THREADS>(items, weights + row, columns, 0.0f, storage.exchange);
  __syncthreads(); // the exchange no longer needs the storage
  float sum = 0;
  for (int i = 0; i < ITEMS; ++i) sum += items[i];
  // sum becomes the sum of all earlier threads' elements; every thread gets the total.
  const float total = gp_tile_exclusive_scan<THREADS>(sum, gp_sum<float>(), storage.scan);
  for (int i = 0; i < ITEMS; ++i) {
    sum += items[i];
    items[i] = sum / total;
  }
  __syncthreads(); // the scan no longer needs the storage
  gp_tile_store_transposed<THREADS>(items, distribution + row, columns, storage.exchange);
}

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  constexpr unsigned rows = 1000, columns = 1999;
  static_assert(columns <= ROW, "a row must fit a block");
  std::vector<float> weights(size_t(rows) * columns), distribution(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = float(i * 2654435761u % 1000u) + 1.0f;
  float *in, *out;
  const size_t bytes = weights.size() * sizeof(float);
  check(cudaMalloc(&in, bytes), "cudaMalloc");
  check(cudaMalloc(&out, bytes), "cudaMalloc");
  check(cudaMemcpy(in, weights.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  cumulative<<<rows, THREADS>>>(in, out, columns);
  check(cudaGetLastError(), "cumulative");
  check(cudaMemcpy(distribution.data(), out, bytes, cudaMemcpyDeviceToHost), "cumulative");

  double worst = 0;
  for (unsigned r = 0; r < rows; ++r) {
    double total = 0, running = 0;
    for (unsigned c = 0; c < columns; ++c) total += weights[size_t(r) * columns + c];
    for (unsigned c = 0; c < columns; ++c) {
      running += weights[size_t(r) * columns + c];
      worst = std::fmax(worst, std::fabs(distribution[size_t(r) * columns + c] - running / total));
    }
  }
  std::printf("%u rows of %u weights; largest error %.1e\n", rows, columns, worst);
  check(cudaFree(in), "cudaFree");
  check(cudaFree(out), "cudaFree");
  return worst > 1e-5;
}
