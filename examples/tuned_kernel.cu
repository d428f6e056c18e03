// tuned_kernel.cu - runs the kernel of tuned_kernel.cuh on gp_tune's policy: centres and scales rows of 4096 floats,
// and keeps their norms.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tuned_kernel.cu -o tuned_kernel && ./tuned_kernel
#include <cmath>
#include <cstdio>
#include <vector>

#include "tuned_kernel_policy.h"

#include "tuned_kernel.cuh"

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
  constexpr size_t rows = 100, count = rows * NORMALISE_COLUMNS;
  std::vector<float> data(count), norms(rows);
  for (size_t i = 0; i < count; ++i) data[i] = float(i * 2654435761u % 1000u) / 500 - 0.75f;
  float *in, *out, *device_norms;
  check(cudaMalloc(&in, count * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&out, count * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&device_norms, rows * sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(in, data.data(), count * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  normalise<<<rows, NORMALISE_THREADS>>>(in, out, device_norms, count);
  check(cudaGetLastError(), "normalise");
  check(cudaMemcpy(data.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost), "normalise");
  check(cudaMemcpy(norms.data(), device_norms, rows * sizeof(float), cudaMemcpyDeviceToHost), "normalise");

  double worst_mean = 0, worst_variance = 0;
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int c = 0; c < NORMALISE_COLUMNS; ++c) {
      sum += data[r * NORMALISE_COLUMNS + c];
      squares += double(data[r * NORMALISE_COLUMNS + c]) * data[r * NORMALISE_COLUMNS + c];
    }
    worst_mean = std::fmax(worst_mean, std::fabs(sum / NORMALISE_COLUMNS));
    worst_variance = std::fmax(worst_variance, std::fabs(squares / NORMALISE_COLUMNS - 1));
  }
  std::printf("%zu rows of %d; norm of the first %.2f; mean within %.1e of 0, variance within %.1e of 1\n", rows,
      int(NORMALISE_COLUMNS), double(norms[0]), worst_mean, worst_variance);
  check(cudaFree(in), "cudaFree");
  check(cudaFree(out), "cudaFree");
  check(cudaFree(device_norms), "cudaFree");
  return worst_mean > 1e-4 || worst_variance > 1e-3;
}
