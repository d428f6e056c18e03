// columns.cu - sorts and runs of columns beside CUB's sorts with gathers, its reductions and selections by key, and
// Thrust's calls of zipped values; cold: a write of 256 MiB precedes each timed call. Results are compared. Prints a
// JSON array: medians of 31 times in us, and the time of a copy (gp_copy) of as many bytes.
//   nvcc -O3 -std=c++17 --extended-lambda -arch=native -I. tools/peers/columns.cu -o build/columns -lcuda
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "cold.h"

#include <cub/cub.cuh>
#include <string>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

static int lines;
static void print(const char *device, const std::string &call, size_t n, double ours, double roof, double cub,
    double thrust, bool same) {
  printf("%s{\"device\": \"%s\", \"call\": \"%s\", \"n\": %zu, \"us\": %.2f, \"roof_us\": %.2f, \"cub\": %.2f, "
         "\"thrust\": %.2f, \"same\": %s}",
      lines++ ? ",\n" : "[\n", device, call.c_str(), n, ours, roof, cub, thrust, same ? "true" : "false");
  fprintf(stderr, "%-24s %10zu  %9.2f us  copy %9.2f  cub %.2f  thrust %.2f%s\n", call.c_str(), n, ours, roof,
      cub / ours, thrust / ours, same ? "" : "  WRONG");
}
template<class T> static T *raw(thrust::device_vector<T> &v) { return thrust::raw_pointer_cast(v.data()); }
template<class T> static thrust::device_vector<T> noise(size_t n, unsigned values, unsigned long long seed) {
  std::vector<T> made(n);
  for (auto &x : made) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    x = T((seed >> 33) % values);
  }
  return thrust::device_vector<T>(made.begin(), made.end());
}

// A key of 4 bytes with values of 4, 8, 2 and 1 bytes.
static void values(gp_context *ctx, const char *device, size_t n) {
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  auto keys = noise<unsigned>(n, 1u << 31, 1), a = noise<unsigned>(n, 1u << 31, 2);
  auto b = noise<unsigned long long>(n, 1u << 31, 3);
  auto c = noise<unsigned short>(n, 1u << 16, 4);
  auto d = noise<unsigned char>(n, 256, 5);
  auto out_keys = keys, out_a = a, their_keys = keys, their_a = a;
  auto out_b = b, their_b = b;
  auto out_c = c, their_c = c;
  auto out_d = d, their_d = d;
  thrust::device_vector<unsigned> order(n), sorted(n);
  const gp_column columns[4] = {{GP_U32, 0, raw(a), raw(out_a)}, {GP_U64, 0, raw(b), raw(out_b)},
      {GP_U16, 0, raw(c), raw(out_c)}, {GP_U8, 0, raw(d), raw(out_d)}};
  const double ours =
      median_us([&] { good(gp_sort_columns(ctx, GP_U32, raw(keys), n, columns, 4, raw(out_keys), 0, s)); });
  size_t bytes = 0;
  good(cub::DeviceRadixSort::SortPairs(nullptr, bytes, raw(keys), raw(their_keys), raw(order), raw(sorted), n));
  thrust::device_vector<char> room(bytes);
  const double cub = median_us([&] {
    thrust::sequence(policy, order.begin(), order.end());
    good(cub::DeviceRadixSort::SortPairs(
        raw(room), bytes, raw(keys), raw(their_keys), raw(order), raw(sorted), n, 0, 32, stream));
    thrust::gather(policy, sorted.begin(), sorted.end(), a.begin(), their_a.begin());
    thrust::gather(policy, sorted.begin(), sorted.end(), b.begin(), their_b.begin());
    thrust::gather(policy, sorted.begin(), sorted.end(), c.begin(), their_c.begin());
    thrust::gather(policy, sorted.begin(), sorted.end(), d.begin(), their_d.begin());
  });
  good(cudaStreamSynchronize(stream));
  const bool same =
      out_keys == their_keys && out_a == their_a && out_b == their_b && out_c == their_c && out_d == their_d;
  const double thrust = median_us([&] { // in place, after copies
    thrust::copy(policy, keys.begin(), keys.end(), their_keys.begin());
    thrust::copy(policy, a.begin(), a.end(), their_a.begin());
    thrust::copy(policy, b.begin(), b.end(), their_b.begin());
    thrust::copy(policy, c.begin(), c.end(), their_c.begin());
    thrust::copy(policy, d.begin(), d.end(), their_d.begin());
    thrust::stable_sort_by_key(policy, their_keys.begin(), their_keys.end(),
        thrust::make_zip_iterator(
            thrust::make_tuple(their_a.begin(), their_b.begin(), their_c.begin(), their_d.begin())));
  });
  good(cudaStreamSynchronize(stream));
  const double roof = median_us([&] { good(gp_copy(ctx, GP_U8, raw(b), n * 8, raw(out_b), s)); });
  print(device, "values of 4, 8, 2, 1", n, ours, roof, cub, thrust, same && out_d == their_d);
}
// Indices by three keys of 4 bytes: 1000 values, 1000 values, any.
static void several_keys(gp_context *ctx, const char *device, size_t n) {
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  auto a = noise<unsigned>(n, 1000, 1), b = noise<unsigned>(n, 1000, 2), c = noise<unsigned>(n, 1u << 31, 3);
  thrust::device_vector<unsigned> out(n), order(n), other(n), key(n), sorted(n);
  const gp_column columns[3] = {
      {GP_U32, 0, raw(a), nullptr}, {GP_U32, 0, raw(b), nullptr}, {GP_U32, 0, raw(c), nullptr}};
  const double ours = median_us([&] { good(gp_argsort_columns(ctx, GP_U32, columns, 3, n, raw(out), 0, s)); });
  size_t bytes = 0;
  good(cub::DeviceRadixSort::SortPairs(nullptr, bytes, raw(key), raw(sorted), raw(order), raw(other), n));
  thrust::device_vector<char> room(bytes);
  const double cub = median_us([&] {
    thrust::sequence(policy, order.begin(), order.end());
    good(cub::DeviceRadixSort::SortPairs(
        raw(room), bytes, raw(c), raw(sorted), raw(order), raw(other), n, 0, 32, stream));
    thrust::gather(policy, other.begin(), other.end(), b.begin(), key.begin());
    good(cub::DeviceRadixSort::SortPairs(
        raw(room), bytes, raw(key), raw(sorted), raw(other), raw(order), n, 0, 32, stream));
    thrust::gather(policy, order.begin(), order.end(), a.begin(), key.begin());
    good(cub::DeviceRadixSort::SortPairs(
        raw(room), bytes, raw(key), raw(sorted), raw(order), raw(other), n, 0, 32, stream));
  });
  good(cudaStreamSynchronize(stream));
  const bool same = out == other;
  auto ka = a, kb = b, kc = c;
  const double thrust = median_us([&] { // zipped keys: a merge sort by comparisons
    thrust::copy(policy, a.begin(), a.end(), ka.begin());
    thrust::copy(policy, b.begin(), b.end(), kb.begin());
    thrust::copy(policy, c.begin(), c.end(), kc.begin());
    thrust::sequence(policy, order.begin(), order.end());
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(ka.begin(), kb.begin(), kc.begin()));
    thrust::stable_sort_by_key(policy, zipped, zipped + n, order.begin());
  });
  good(cudaStreamSynchronize(stream));
  const double roof = median_us([&] { good(gp_copy(ctx, GP_U8, raw(a), n * 4, raw(b), s)); });
  print(device, "indices by 3 keys", n, ours, roof, cub, thrust, same && out == order);
}
struct sum_of_three {
  typedef thrust::tuple<unsigned, unsigned, unsigned long long> values;
  __host__ __device__ values operator()(const values &a, const values &b) const {
    return values(thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b),
        thrust::get<2>(a) + thrust::get<2>(b));
  }
};
// Runs of `length` equal keys of 4 bytes: sums, or first elements, of values of 4, 4 and 8 bytes.
static void runs(gp_context *ctx, const char *device, size_t n, unsigned length, bool sums) {
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  std::vector<unsigned> heads(n);
  for (size_t i = 0, at = 0; i < n; ++i) heads[i] = unsigned(at += i % length == 0);
  thrust::device_vector<unsigned> keys(heads.begin(), heads.end());
  auto a = noise<unsigned>(n, 1u << 31, 2), b = noise<unsigned>(n, 1u << 31, 3);
  auto c = noise<unsigned long long>(n, 1u << 31, 4);
  auto out_keys = keys, their_keys = keys, out_a = a, their_a = a, out_b = b, their_b = b;
  auto out_c = c, their_c = c;
  thrust::device_vector<uint64_t> number(1);
  thrust::device_vector<int> their_number(1);
  const gp_column columns[] = {{GP_U32, 0, raw(b), raw(out_b)}, {GP_U64, 0, raw(c), raw(out_c)}};
  gp_call call = gp_call_init(sums ? GP_REDUCE_BY_KEY : GP_UNIQUE);
  call.key_type = call.in_type = GP_U32, call.op = sums ? GP_SUM : GP_OP_DEFAULT;
  call.out_type = sums ? GP_U32 : GP_TYPE_DEFAULT;
  call.keys = raw(keys), call.in = raw(a), call.out = raw(out_a), call.out_keys = raw(out_keys);
  call.out_count = raw(number), call.count = n, call.columns = columns, call.column_count = 2;
  const double ours = median_us([&] { good(gp_run(ctx, &call, s)); });
  size_t bytes = 0;
  const auto by_key = [&](void *room, auto *in, auto *out) {
    if (sums)
      good(cub::DeviceReduce::ReduceByKey(
          room, bytes, raw(keys), raw(their_keys), in, out, raw(their_number), ::cuda::std::plus<>{}, int(n), stream));
    else
      good(cub::DeviceSelect::UniqueByKey(
          room, bytes, raw(keys), in, raw(their_keys), out, raw(their_number), int(n), stream));
  };
  by_key(nullptr, raw(c), raw(their_c));
  thrust::device_vector<char> room(bytes);
  const double cub = median_us([&] {
    by_key(raw(room), raw(a), raw(their_a));
    by_key(raw(room), raw(b), raw(their_b));
    by_key(raw(room), raw(c), raw(their_c));
  });
  good(cudaStreamSynchronize(stream));
  const size_t found = number[0];
  bool same = found == size_t(their_number[0]);
  for (size_t i : {size_t(0), found / 2, found - 1})
    same = same && out_keys[i] == their_keys[i] && out_a[i] == their_a[i] && out_b[i] == their_b[i] &&
        out_c[i] == their_c[i];
  const double thrust = median_us([&] {
    const auto values = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin()));
    const auto results =
        thrust::make_zip_iterator(thrust::make_tuple(their_a.begin(), their_b.begin(), their_c.begin()));
    if (sums)
      thrust::reduce_by_key(policy, keys.begin(), keys.end(), values, their_keys.begin(), results,
          thrust::equal_to<unsigned>(), sum_of_three());
    else thrust::unique_by_key_copy(policy, keys.begin(), keys.end(), values, their_keys.begin(), results);
  });
  good(cudaStreamSynchronize(stream));
  const double roof = median_us([&] { good(gp_copy(ctx, GP_U8, raw(a), n * 4, raw(out_a), s)); }) * 5 / 2;
  print(device, (sums ? "sums of 3, runs of " : "first of 3, runs of ") + std::to_string(length), n, ours, roof, cub,
      thrust, same);
}
int main() {
  cudaDeviceProp about;
  gp_context *ctx;
  good(cudaGetDeviceProperties(&about, 0));
  good(cudaStreamCreate(&stream));
  good(cudaEventCreate(&begins)), good(cudaEventCreate(&ends));
  good(cudaMalloc(&flushed, 256 << 20));
  good(gp_open(nullptr, &ctx));
  for (const size_t n : {size_t(1) << 16, size_t(1) << 20, (size_t(1) << 24) + 4099, (size_t(1) << 26) + 10007}) {
    values(ctx, about.name, n);
    several_keys(ctx, about.name, n);
    for (const unsigned length : {2u, 50u})
      for (const bool sums : {false, true}) runs(ctx, about.name, n, length, sums);
  }
  printf("\n]\n");
  return gp_close(ctx);
}
