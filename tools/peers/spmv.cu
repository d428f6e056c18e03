// spmv.cu - a sparse matrix times a vector, by a segmented reduction of described products, beside cuSPARSE (its
// default algorithm, preprocessed, and CSR_ALG2, which splits work evenly) and CUB's segmented reduction over
// iterators; cold: a write of 256 MiB precedes each timed call. Matrices: a five-point stencil, rows of random columns,
// rows of Pareto's lengths, one full row among short ones, and rows of a power-law graph. Results are compared. Prints
// a JSON array: medians of 31 times in us; roof_us: a sum (gp_reduce) of as many bytes as entries, offsets, columns and
// vectors have.
//   nvcc -O3 -std=c++17 -arch=native -I. tools/peers/spmv.cu -o build/spmv -lcuda -lcusparse && build/spmv
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "cold.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cusparse.h>
#include <string>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <vector>

static void good(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  fprintf(stderr, "%s\n", cusparseGetErrorString(status));
  exit(1);
}

static unsigned long long seed = 1;
static unsigned random32() {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return unsigned(seed >> 33);
}
struct Csr {
  std::vector<int> offsets, columns;
  int rows() const { return int(offsets.size()) - 1; }
  int entries() const { return int(columns.size()); }
};
// Rows of these lengths, with random columns in order.
static Csr random_csr(const std::vector<int> &lengths, bool skewed) {
  Csr m;
  const int n = int(lengths.size());
  m.offsets.push_back(0);
  for (const int length : lengths) {
    const size_t from = m.columns.size();
    for (int k = 0; k < length; ++k) {
      const double u = (random32() + 0.5) / 2147483648.0;
      m.columns.push_back(std::min(n - 1, int(skewed ? n * u * u * u : n * u)));
    }
    std::sort(m.columns.begin() + long(from), m.columns.end());
    m.offsets.push_back(int(m.columns.size()));
  }
  return m;
}
static std::vector<int> pareto(int rows, double alpha, int most) {
  std::vector<int> lengths(rows);
  for (int &l : lengths) l = int(std::min(double(most), std::pow((random32() + 0.5) / 2147483648.0, -1 / alpha) - 1));
  return lengths;
}
static Csr make(const std::string &kind, int scale) {
  if (kind == "stencil") {
    Csr m;
    const int side = 512 * scale;
    m.offsets.push_back(0);
    for (int row = 0; row < side * side; ++row) {
      const int cells[] = {row - side, row - 1, row, row + 1, row + side};
      for (const int c : cells)
        if (c >= 0 && c < side * side && (c / side == row / side || c % side == row % side)) m.columns.push_back(c);
      m.offsets.push_back(int(m.columns.size()));
    }
    return m;
  }
  const int rows = (100 << 10) * scale * scale + 7;
  if (kind == "random 32") return random_csr(std::vector<int>(size_t(rows), 32), false);
  if (kind == "pareto 1.2") return random_csr(pareto(rows * 3, 1.2, 1 << 20), false);
  if (kind == "power law") return random_csr(pareto(rows * 3, 1.5, 1 << 18), true);
  std::vector<int> lengths(size_t(rows) * 2, 4);
  lengths[lengths.size() / 3] = int(lengths.size()) * 2;
  return random_csr(lengths, false);
}

template<class T> struct Product {
  __host__ __device__ T operator()(const thrust::tuple<T, T> &x) const { return thrust::get<0>(x) * thrust::get<1>(x); }
};
template<class T> static T *upload(const std::vector<T> &v) {
  T *p;
  good(cudaMalloc(&p, v.size() * sizeof(T) + 64));
  good(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

static int lines;
template<class T>
static void measure(gp_context *ctx, cusparseHandle_t sparse, const std::string &kind, const Csr &m, gp_type type,
    cudaDataType_t cuda_type, const char *device) {
  const int rows = m.rows(), entries = m.entries();
  std::vector<T> a(static_cast<size_t>(entries)), v(static_cast<size_t>(rows));
  for (T &e : a) e = T(int(random32() % 1000) - 500) / 64;
  for (T &e : v) e = T(int(random32() % 1000) - 500) / 64;
  int *offsets = upload(m.offsets), *columns = upload(m.columns);
  T *values = upload(a), *x = upload(v), *y = upload(v), *z = upload(v);
  const gp_stream s = (gp_stream)stream;

  const gp_segments segments = gp_segments_init(GP_I32, offsets, uint64_t(rows));
  const gp_input of_a = gp_input_array(type, values), of_x = gp_input_array(type, x);
  const gp_input column = gp_input_array(GP_I32, columns), at_columns = gp_input_gathered(&of_x, &column);
  const gp_input products = gp_input_of_two(GP_PROD, type, &of_a, &at_columns);
  const double ours = median_us(
      [&] { good(gp_segmented_reduce(ctx, GP_SUM, GP_INPUT, type, &products, uint64_t(entries), &segments, y, s)); });

  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t vector, result;
  const T one = 1, zero = 0;
  double theirs[2];
  good(cusparseSetStream(sparse, stream));
  good(cusparseCreateCsr(&matrix, rows, rows, entries, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
      CUSPARSE_INDEX_BASE_ZERO, cuda_type));
  good(cusparseCreateDnVec(&vector, rows, x, cuda_type));
  good(cusparseCreateDnVec(&result, rows, z, cuda_type));
  for (int i = 0; i < 2; ++i) {
    const cusparseSpMVAlg_t algorithm = i ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_ALG_DEFAULT;
    size_t bytes;
    void *room;
    good(cusparseSpMV_bufferSize(
        sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &zero, result, cuda_type, algorithm, &bytes));
    good(cudaMalloc(&room, bytes + 64));
    good(cusparseSpMV_preprocess(
        sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &zero, result, cuda_type, algorithm, room));
    theirs[i] = median_us([&] {
      good(cusparseSpMV(
          sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &zero, result, cuda_type, algorithm, room));
    });
    good(cudaStreamSynchronize(stream));
    good(cudaFree(room));
  }
  std::vector<T> p(static_cast<size_t>(rows)), q(static_cast<size_t>(rows));
  good(cudaMemcpy(p.data(), y, sizeof(T) * size_t(rows), cudaMemcpyDeviceToHost));
  good(cudaMemcpy(q.data(), z, sizeof(T) * size_t(rows), cudaMemcpyDeviceToHost));
  bool same = true; // but for rounding
  for (size_t r = 0; r < size_t(rows); ++r) {
    double size = 0;
    for (int k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      size += std::abs(double(a[size_t(k)]) * double(v[size_t(m.columns[size_t(k)])]));
    same = same && std::abs(double(p[r]) - double(q[r])) <= (sizeof(T) == 4 ? 1e-4 : 1e-12) * size;
  }

  const auto made = thrust::make_transform_iterator(
      thrust::make_zip_iterator(
          thrust::make_tuple((const T *)values, thrust::make_permutation_iterator((const T *)x, (const int *)columns))),
      Product<T>());
  size_t bytes = 0;
  void *room;
  good(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, made, z, rows, offsets, offsets + 1, stream));
  good(cudaMalloc(&room, bytes + 64));
  const double cub_us = median_us(
      [&] { good(cub::DeviceSegmentedReduce::Sum(room, bytes, made, z, rows, offsets, offsets + 1, stream)); });
  const size_t moved = size_t(entries) * (sizeof(T) + 4) + size_t(rows) * (4 + 2 * sizeof(T));
  float *source;
  good(cudaMalloc(&source, moved + 64));
  good(cudaMemset(source, 0, moved));
  const double roof = median_us([&] { good(gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, source, moved / 4, z, s)); });
  good(cudaStreamSynchronize(stream));
  printf("%s{\"device\": \"%s\", \"matrix\": \"%s\", \"type\": \"%s\", \"rows\": %d, \"entries\": %d, \"us\": %.2f, "
         "\"roof_us\": %.2f, \"cusparse\": %.2f, \"cusparse_alg2\": %.2f, \"cub\": %.2f, \"same\": %s}",
      lines++ ? ",\n" : "[\n", device, kind.c_str(), sizeof(T) == 4 ? "f32" : "f64", rows, entries, ours, roof,
      theirs[0], theirs[1], cub_us, same ? "true" : "false");
  fprintf(stderr, "%-12s %s %9d rows %10d entries  %8.2f us  %.2f of the roof  cusparse %.2f  alg2 %.2f  cub %.2f%s\n",
      kind.c_str(), sizeof(T) == 4 ? "f32" : "f64", rows, entries, ours, roof / ours, theirs[0] / ours,
      theirs[1] / ours, cub_us / ours, same ? "" : "  WRONG");
  good(cusparseDestroySpMat(matrix));
  good(cusparseDestroyDnVec(vector)), good(cusparseDestroyDnVec(result));
  for (void *pointer :
      {(void *)offsets, (void *)columns, (void *)values, (void *)x, (void *)y, (void *)z, room, (void *)source})
    good(cudaFree(pointer));
}

int main() {
  cudaDeviceProp about;
  gp_context *ctx;
  cusparseHandle_t sparse;
  good(cudaGetDeviceProperties(&about, 0));
  good(cudaStreamCreate(&stream));
  good(cudaEventCreate(&begins)), good(cudaEventCreate(&ends));
  good(cudaMalloc(&flushed, 256 << 20));
  good(cusparseCreate(&sparse));
  good(gp_open(nullptr, &ctx));
  for (const char *kind : {"stencil", "random 32", "pareto 1.2", "power law", "one long row"})
    for (const int scale : {1, 4}) {
      const Csr m = make(kind, scale);
      measure<float>(ctx, sparse, kind, m, GP_F32, CUDA_R_32F, about.name);
      measure<double>(ctx, sparse, kind, m, GP_F64, CUDA_R_64F, about.name);
    }
  printf("\n]\n");
  return 0;
}
