// inputs.cu - calls with described inputs beside CUB and Thrust with their iterators, and beside loops by hand; cold:
// a write of 256 MiB precedes each timed call. Results are compared. Prints a JSON array: medians of 31 times in us,
// and for each call the time of the roof: a copy (gp_copy) that moves as many bytes, or a sum (gp_reduce) of as many
// bytes where little is written, or a fill.
//   nvcc -O3 -std=c++17 --extended-lambda -arch=native -I. tools/peers/inputs.cu -o build/inputs -lcuda && build/inputs
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "cold.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <string>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/tuple.h>
#include <vector>

struct Negated {
  __host__ __device__ float operator()(float x) const { return -x; }
};
struct Product {
  __host__ __device__ float operator()(const thrust::tuple<float, float> &x) const {
    return thrust::get<0>(x) * thrust::get<1>(x);
  }
};
struct Difference {
  __host__ __device__ float operator()(const thrust::tuple<float, float> &x) const {
    return thrust::get<0>(x) - thrust::get<1>(x);
  }
};
struct SquareOf {
  __host__ __device__ long long operator()(long long i) const { return i * i; }
};
struct Third {
  __host__ __device__ size_t operator()(size_t i) const { return 3 * i; }
};
__global__ void gather_by_hand(const float *__restrict__ x, const int *__restrict__ index, float *out, size_t n) {
  for (size_t i = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * 4; i < n; i += size_t(gridDim.x) * blockDim.x * 4) {
    if (i + 4 <= n) {
      const int4 k = *reinterpret_cast<const int4 *>(index + i);
      *reinterpret_cast<float4 *>(out + i) = make_float4(x[k.x], x[k.y], x[k.z], x[k.w]);
    } else
      for (size_t j = i; j < n; ++j) out[j] = x[index[j]];
  }
}

static void *room;
static size_t room_bytes;
template<class Call> static void with_room(const Call &call) { // CUB's two calls; the first is not timed
  size_t bytes = 0;
  good(call(nullptr, bytes));
  if (bytes > room_bytes) {
    good(cudaFree(room));
    good(cudaMalloc(&room, room_bytes = bytes));
  }
}

static int lines;
static void print(const char *device, const char *call, size_t n, double ours, double roof,
    const std::vector<std::pair<const char *, double>> &peers, bool same) {
  printf("%s{\"device\": \"%s\", \"call\": \"%s\", \"n\": %zu, \"us\": %.2f, \"roof_us\": %.2f",
      lines++ ? ",\n" : "[\n", device, call, n, ours, roof);
  for (const auto &peer : peers) printf(", \"%s\": %.2f", peer.first, peer.second);
  printf(", \"same\": %s}", same ? "true" : "false");
  fprintf(stderr, "%-28s %10zu  %9.2f us  %5.2f of the roof", call, n, ours, roof / ours);
  for (const auto &peer : peers) fprintf(stderr, "  %s %.2f", peer.first, peer.second / ours);
  fprintf(stderr, same ? "\n" : "  WRONG\n");
}

int main() {
  const size_t sizes[] = {100003, 1 << 20, (1 << 24) + 4099, (1 << 26) + 10007};
  const size_t most = sizes[3] + 16;
  cudaDeviceProp about;
  gp_context *ctx;
  float *x, *y, *out, *other;
  int *sorted, *shuffled;
  long long *wide, *wide2;
  good(cudaGetDeviceProperties(&about, 0));
  good(cudaStreamCreate(&stream));
  good(cudaEventCreate(&begins)), good(cudaEventCreate(&ends));
  good(cudaMalloc(&flushed, 256 << 20));
  good(cudaMalloc(&x, 4 * most)), good(cudaMalloc(&y, 3 * 4 * most));
  good(cudaMalloc(&out, 4 * most)), good(cudaMalloc(&other, 4 * most));
  good(cudaMalloc(&sorted, 4 * most)), good(cudaMalloc(&shuffled, 4 * most));
  good(cudaMalloc(&wide, 8 * most)), good(cudaMalloc(&wide2, 8 * most));
  good(gp_open(nullptr, &ctx));
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  const float one = 1, none = 0;
  good(gp_iota(ctx, GP_F32, &none, &one, x, most, s)); // exact up to 2^24; sums are compared to within rounding
  good(gp_fill(ctx, GP_F32, &one, y, 3 * most, s));
  const auto equal = [&](const void *a, const void *b, size_t bytes) {
    std::vector<char> p(bytes), q(bytes);
    good(cudaStreamSynchronize(stream));
    good(cudaMemcpy(p.data(), a, bytes, cudaMemcpyDeviceToHost));
    good(cudaMemcpy(q.data(), b, bytes, cudaMemcpyDeviceToHost));
    return memcmp(p.data(), q.data(), bytes) == 0;
  };
  const auto near = [&](const float *a, const float *b) {
    float p, q;
    good(cudaStreamSynchronize(stream));
    good(cudaMemcpy(&p, a, 4, cudaMemcpyDeviceToHost)), good(cudaMemcpy(&q, b, 4, cudaMemcpyDeviceToHost));
    return std::abs(p - q) <= 1e-3f * std::abs(q);
  };
  for (const size_t n : sizes) {
    const auto copy_of = [&](size_t bytes) { // read and written together
      return median_us([&] { good(gp_copy(ctx, GP_U8, y, bytes / 2, wide, s)); });
    };
    const auto read_of = [&](size_t bytes) {
      return median_us([&] { good(gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, y, bytes / 4, other, s)); });
    };
    const gp_input ax = gp_input_array(GP_F32, x), ay = gp_input_array(GP_F32, y);
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple((const float *)x, (const float *)y));
    const auto products = thrust::make_transform_iterator(zipped, Product());
    const auto differences = thrust::make_transform_iterator(zipped, Difference());

    { // sum of x[i] * y[i]
      const gp_input xy = gp_input_of_two(GP_PROD, GP_F32, &ax, &ay);
      const double ours = median_us([&] { good(gp_reduce(ctx, GP_SUM, GP_INPUT, GP_F32, &xy, n, out, s)); });
      const auto cub_sum = [&](void *p, size_t &b) {
        return cub::DeviceReduce::Sum(p, b, products, other, (long long)n, stream);
      };
      with_room(cub_sum);
      const double cub_us = median_us([&] { good(cub_sum(room, room_bytes)); });
      const bool same = near(out, other);
      print(about.name, "inner product f32", n, ours, read_of(8 * n), {{"cub", cub_us}}, same);
    }
    { // where x - y is the largest
      const gp_input d = gp_input_of_two(GP_SUB, GP_F32, &ax, &ay);
      const double ours = median_us([&] { good(gp_reduce(ctx, GP_ARGMAX, GP_INPUT, GP_F32, &d, n, wide2, s)); });
      cub::KeyValuePair<int, float> *best = (cub::KeyValuePair<int, float> *)other;
      const auto cub_max = [&](void *p, size_t &b) {
        return cub::DeviceReduce::ArgMax(p, b, differences, best, int(n), stream);
      };
      with_room(cub_max);
      const double cub_us = median_us([&] { good(cub_max(room, room_bytes)); });
      struct {
        float value;
        int pad;
        long long index;
      } mine;
      cub::KeyValuePair<int, float> theirs;
      good(cudaStreamSynchronize(stream));
      good(cudaMemcpy(&mine, wide2, 16, cudaMemcpyDeviceToHost));
      good(cudaMemcpy(&theirs, best, sizeof theirs, cudaMemcpyDeviceToHost));
      print(about.name, "argmax of a difference f32", n, ours, read_of(8 * n), {{"cub", cub_us}},
          mine.value == theirs.value);
    }
    { // running sums of x[i] * y[i]
      const gp_input xy = gp_input_of_two(GP_PROD, GP_F32, &ay, &ay);
      const auto ones = thrust::make_transform_iterator(
          thrust::make_zip_iterator(thrust::make_tuple((const float *)y, (const float *)y)), Product());
      const double ours = median_us([&] { good(gp_inclusive_scan(ctx, GP_SUM, GP_INPUT, GP_F32, &xy, n, out, s)); });
      const auto cub_scan = [&](void *p, size_t &b) {
        return cub::DeviceScan::InclusiveSum(p, b, ones, other, (long long)n, stream);
      };
      with_room(cub_scan);
      const double cub_us = median_us([&] { good(cub_scan(room, room_bytes)); });
      print(about.name, "scan of products f32", n, ours, copy_of(8 * n), {{"cub", cub_us}},
          n > 1 << 24 || equal(out, other, 4 * n));
    }
    { // keys read from the end, sorted
      const gp_input back = gp_input_strided(GP_F32, y + n - 1, -1);
      const double ours = median_us([&] { good(gp_sort_keys(ctx, GP_INPUT, &back, n, out, 0, s)); });
      const double theirs = median_us([&] {
        thrust::reverse_copy(policy, y, y + n, other);
        thrust::sort(policy, other, other + n);
      });
      print(about.name, "sort of a reversed array f32", n, ours, copy_of(8 * n), {{"thrust", theirs}},
          n > 1 << 24 || equal(out, other, 4 * n));
    }
    { // running sums, stored with the other sign
      gp_call c = gp_call_init(GP_INCLUSIVE_SCAN);
      c.op = GP_SUM, c.apply = GP_NEGATE, c.in_type = c.out_type = GP_F32;
      c.in = y, c.out = out, c.count = n;
      const double ours = median_us([&] { good(gp_run(ctx, &c, s)); });
      const auto to = thrust::make_transform_output_iterator(other, Negated());
      const auto cub_scan = [&](void *p, size_t &b) {
        return cub::DeviceScan::InclusiveSum(p, b, (const float *)y, to, (long long)n, stream);
      };
      with_room(cub_scan);
      const double cub_us = median_us([&] { good(cub_scan(room, room_bytes)); });
      print(about.name, "scan stored negated f32", n, ours, copy_of(8 * n), {{"cub", cub_us}},
          n > 1 << 24 || equal(out, other, 4 * n));
    }
    for (const bool random : {false, true}) { // x[index[i]]
      int *index = random ? shuffled : sorted;
      const int zero = 0, step = 1;
      good(gp_iota(ctx, GP_I32, &zero, &step, sorted, n, s));
      if (random) good(gp_shuffle(ctx, GP_I32, 5, sorted, n, shuffled, s));
      const gp_input at = gp_input_array(GP_I32, index), g = gp_input_gathered(&ax, &at);
      const double ours = median_us([&] { good(gp_copy(ctx, GP_INPUT, &g, n, out, s)); });
      const double theirs = median_us([&] { thrust::gather(policy, index, index + n, x, other); });
      const bool same = equal(out, other, 4 * n);
      double hand = 1e30;
      for (const int threads : {128, 256, 512})
        for (const int share : {1, 4}) {
          const unsigned blocks = unsigned((n / (4 * size_t(threads) * share)) + 1);
          hand = std::min(hand, median_us([&] { gather_by_hand<<<blocks, threads, 0, stream>>>(x, index, other, n); }));
        }
      print(about.name, random ? "gather at random f32" : "gather in order f32", n, ours, copy_of(12 * n),
          {{"thrust", theirs}, {"by hand", hand}}, same && equal(out, other, 4 * n));
    }
    { // i * i
      const gp_input i = gp_input_ramp(GP_I64, nullptr, nullptr);
      const double ours = median_us([&] { good(gp_transform(ctx, GP_SQUARE, GP_INPUT, GP_I64, &i, n, wide, s)); });
      const double theirs = median_us([&] { thrust::tabulate(policy, wide2, wide2 + n, SquareOf()); });
      const bool same = equal(wide, wide2, 8 * n);
      print(about.name, "tabulate i64", n, ours, median_us([&] { good(gp_fill(ctx, GP_F32, &one, wide2, 2 * n, s)); }),
          {{"thrust", theirs}}, same);
    }
    { // the sum of every third element: a column of a matrix
      const gp_input column = gp_input_strided(GP_F32, y, 3);
      const auto thirds = thrust::make_permutation_iterator(
          (const float *)y, thrust::make_transform_iterator(thrust::counting_iterator<size_t>(0), Third()));
      const double ours = median_us([&] { good(gp_reduce(ctx, GP_SUM, GP_INPUT, GP_F32, &column, n, out, s)); });
      const auto cub_sum = [&](void *p, size_t &b) {
        return cub::DeviceReduce::Sum(p, b, thirds, other, (long long)n, stream);
      };
      with_room(cub_sum);
      const double cub_us = median_us([&] { good(cub_sum(room, room_bytes)); });
      const bool same = near(out, other);
      print(about.name, "sum of a column of 3 f32", n, ours, read_of(12 * n), {{"cub", cub_us}}, same);
    }
    { // the indices of what is marked: a tenth
      unsigned char *marks = (unsigned char *)other;
      std::vector<unsigned char> drawn(n);
      unsigned seed = 1;
      for (auto &mark : drawn) seed = seed * 1664525 + 1013904223, mark = (seed >> 16) % 10 == 0;
      good(cudaStreamSynchronize(stream));
      good(cudaMemcpy(marks, drawn.data(), n, cudaMemcpyHostToDevice));
      const gp_input everywhere = gp_input_ramp(GP_I64, nullptr, nullptr);
      uint64_t *count = (uint64_t *)sorted;
      const double ours =
          median_us([&] { good(gp_select_flags(ctx, GP_INPUT, GP_U8, &everywhere, marks, n, wide, count, s)); });
      const auto cub_select = [&](void *p, size_t &b) {
        return cub::DeviceSelect::Flagged(
            p, b, thrust::counting_iterator<long long>(0), marks, wide2, shuffled, (long long)n, stream);
      };
      with_room(cub_select);
      const double cub_us = median_us([&] { good(cub_select(room, room_bytes)); });
      const bool same = equal(wide, wide2, n / 11 * 8);
      print(about.name, "nonzero i64", n, ours, copy_of(n + n / 10 * 8), {{"cub", cub_us}}, same);
    }
    { // sums of x[i] * y[i] over runs of 100 equal keys
      std::vector<int> keys(n);
      for (size_t i = 0; i < n; ++i) keys[i] = int(i / 100);
      good(cudaStreamSynchronize(stream));
      good(cudaMemcpy(sorted, keys.data(), 4 * n, cudaMemcpyHostToDevice));
      const gp_input yy = gp_input_of_two(GP_PROD, GP_F32, &ay, &ay);
      const auto ones = thrust::make_transform_iterator(
          thrust::make_zip_iterator(thrust::make_tuple((const float *)y, (const float *)y)), Product());
      uint64_t *count = (uint64_t *)wide;
      const double ours = median_us(
          [&] { good(gp_reduce_by_key(ctx, GP_SUM, GP_I32, GP_INPUT, sorted, &yy, n, shuffled, out, count, s)); });
      const auto cub_sums = [&](void *p, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(
            p, b, sorted, (int *)wide2, ones, other, (int *)flushed, cuda::std::plus<>(), (long long)n, stream);
      };
      with_room(cub_sums);
      const double cub_us = median_us([&] { good(cub_sums(room, room_bytes)); });
      const bool same = equal(out, other, n / 100 * 4);
      print(about.name, "sums of products by key f32", n, ours, read_of(12 * n), {{"cub", cub_us}}, same);
    }
    { // z = x + y into another type
      const gp_input sum = gp_input_of_two(GP_SUM, GP_F32, &ax, &ay);
      const double ours = median_us([&] { good(gp_transform(ctx, GP_NEGATE, GP_INPUT, GP_F32, &sum, n, out, s)); });
      const double plain = median_us([&] { good(gp_transform2(ctx, GP_SUM, GP_F32, GP_F32, x, y, n, other, s)); });
      print(about.name, "negated sum of two f32", n, ours, copy_of(12 * n), {{"gp_transform2", plain}}, true);
    }
  }
  printf("\n]\n");
  return 0;
}
