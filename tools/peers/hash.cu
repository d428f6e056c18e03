// hash.cu - calls with hash tables beside Thrust's sorts and searches, as CUB has no hash tables; cold: a write of
// 256 MiB precedes each timed call. Results are compared. Prints a JSON array: medians of 31 times in us, and the time
// of a copy (gp_copy) of as many bytes as the call must read.
//   nvcc -O3 -std=c++17 --extended-lambda -arch=native -I. tools/peers/hash.cu -o build/hash -lcuda && build/hash
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "cold.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <vector>

// Sum, least and greatest of pairs of groups.
struct Fold {
  double sum;
  float least, greatest;
  unsigned count;
};
struct Folded {
  __host__ __device__ Fold operator()(float x) const { return {x, x, x, 1}; }
};
struct Both {
  __host__ __device__ Fold operator()(const Fold &a, const Fold &b) const {
    return {a.sum + b.sum, a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest,
            a.count + b.count};
  }
};
static int lines;
static void print(const char *device, const std::string &call, size_t n, size_t groups, double ours, double roof,
                  double thrust, bool same) {
  printf("%s{\"device\": \"%s\", \"call\": \"%s\", \"n\": %zu, \"groups\": %zu, \"us\": %.2f, \"roof_us\": %.2f, "
         "\"thrust\": %.2f, \"same\": %s}",
         lines++ ? ",\n" : "[\n", device, call.c_str(), n, groups, ours, roof, thrust, same ? "true" : "false");
  fprintf(stderr, "%-24s %10zu %9zu  %9.2f us  %5.2f of the roof  thrust %.2f%s\n", call.c_str(), n, groups, ours,
          roof / ours, thrust / ours, same ? "" : "  WRONG");
}

// Keys of `groups` values: Zipf's law if `zipf`.
template <class K> static std::vector<K> make_keys(size_t n, size_t groups, bool zipf, unsigned long long seed) {
  std::vector<K> keys(n);
  for (auto &key : keys) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const double u = double(seed >> 11) / 9007199254740992.0;
    const size_t group = zipf ? size_t(std::pow(double(groups), u)) : size_t(u * double(groups));
    key = K((group + 1) * 0x9e3779b97f4a7c15ull >> 8);
  }
  return keys;
}
template <class K>
static void calls(gp_context *ctx, const char *device, gp_type type, size_t n, size_t groups, bool zipf) {
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  const std::string of = std::string(sizeof(K) == 4 ? " u32" : " u64") + (zipf ? " zipf" : "");
  const std::vector<K> made = make_keys<K>(n, groups, zipf, 1), other = make_keys<K>(n / 4, groups, false, 2);
  thrust::device_vector<K> keys(made.begin(), made.end()), build(other.begin(), other.end()), sorted(n), out(n),
      theirs(n);
  thrust::device_vector<float> x(n, 1.5f), least(n), greatest(n), moved(n);
  thrust::device_vector<double> sum(n);
  thrust::device_vector<unsigned> many(n), probe(4 * n), partner(4 * n), order(n / 4), begin(n), end(n);
  thrust::device_vector<unsigned long long> count(1), offsets(n + 1);
  thrust::device_vector<Fold> folds(n);
  const auto raw = [](auto &v) { return thrust::raw_pointer_cast(v.data()); };
  const auto read_of = [&](size_t bytes) {
    return median_us([&] { good(gp_copy(ctx, GP_U8, raw(keys), bytes / 2, raw(folds), s)); });
  };
  uint64_t *const found = (uint64_t *)raw(count);
  { // sum, least, greatest, count
    const gp_aggregate list[4] = {{GP_AGGREGATE_SUM, GP_F32, raw(x), raw(sum), GP_F64},
                                  {GP_AGGREGATE_MIN, GP_F32, raw(x), raw(least), GP_F32},
                                  {GP_AGGREGATE_MAX, GP_F32, raw(x), raw(greatest), GP_F32},
                                  {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, raw(many), GP_U32}};
    const double ours =
        median_us([&] { good(gp_group_by_many(ctx, type, raw(keys), n, list, 4, raw(out), 0, found, s)); });
    size_t r = 0;
    const double peer = median_us([&] {
      thrust::copy(policy, keys.begin(), keys.end(), sorted.begin());
      thrust::copy(policy, x.begin(), x.end(), moved.begin());
      thrust::sort_by_key(policy, sorted.begin(), sorted.end(), moved.begin());
      const auto values = thrust::make_transform_iterator(moved.begin(), Folded());
      r = thrust::reduce_by_key(policy, sorted.begin(), sorted.end(), values, theirs.begin(), folds.begin(),
                                thrust::equal_to<K>(), Both())
              .first -
          theirs.begin();
    });
    good(cudaStreamSynchronize(stream));
    const bool same = count[0] == r && thrust::equal(out.begin(), out.begin() + r, theirs.begin());
    print(device, "group_by_many" + of, n, groups, ours, read_of(n * (sizeof(K) + 4)), peer, same);
  }
  { // distinct elements; Thrust's in ascending order
    const double ours = median_us([&] { good(gp_distinct(ctx, type, raw(keys), n, raw(out), 0, found, s)); });
    size_t r = 0;
    const double peer = median_us([&] {
      thrust::copy(policy, keys.begin(), keys.end(), sorted.begin());
      thrust::sort(policy, sorted.begin(), sorted.end());
      r = thrust::unique(policy, sorted.begin(), sorted.end()) - sorted.begin();
    });
    good(cudaStreamSynchronize(stream));
    bool same = count[0] == r;
    print(device, "distinct" + of, n, groups, ours, read_of(n * sizeof(K)), peer, same);
    const double counted = median_us([&] { good(gp_count_distinct(ctx, type, raw(keys), n, found, s)); });
    good(cudaStreamSynchronize(stream));
    same = count[0] == r;
    print(device, "count_distinct" + of, n, groups, counted, read_of(n * sizeof(K)), peer, same);
  }
  if (zipf) return;
  // n probes, a quarter as many build keys; Thrust's: a sort, two searches of each probe, and a scan: no pairs written
  for (const bool flags : {false, true}) {
    const double ours = median_us([&] {
      if (flags) good(gp_contains(ctx, type, raw(build), n / 4, raw(keys), n, (uint8_t *)raw(probe), s));
      else good(gp_inner_join(ctx, type, raw(build), n / 4, raw(keys), n, raw(probe), raw(partner), 4 * n, found, s));
    });
    const double peer = median_us([&] {
      thrust::copy(policy, build.begin(), build.end(), sorted.begin());
      thrust::sequence(policy, order.begin(), order.end());
      thrust::sort_by_key(policy, sorted.begin(), sorted.begin() + n / 4, order.begin());
      thrust::lower_bound(policy, sorted.begin(), sorted.begin() + n / 4, keys.begin(), keys.end(), begin.begin());
      if (flags) return;
      thrust::upper_bound(policy, sorted.begin(), sorted.begin() + n / 4, keys.begin(), keys.end(), end.begin());
      const auto both = thrust::make_zip_iterator(thrust::make_tuple(begin.begin(), end.begin()));
      const auto matches = thrust::make_transform_iterator(
          both, [] __device__(const thrust::tuple<unsigned, unsigned> &x) -> unsigned long long {
            return thrust::get<1>(x) - thrust::get<0>(x);
          });
      thrust::inclusive_scan(policy, matches, matches + n, offsets.begin());
    });
    good(cudaStreamSynchronize(stream));
    const bool same = flags || count[0] == offsets[n - 1];
    print(device, (flags ? "contains" : "inner_join") + of, n, groups, ours, read_of((n + n / 4) * sizeof(K)), peer,
          same);
  }
}
int main() {
  cudaDeviceProp about;
  gp_context *ctx;
  good(cudaGetDeviceProperties(&about, 0));
  good(cudaStreamCreate(&stream));
  good(cudaEventCreate(&begins)), good(cudaEventCreate(&ends));
  good(cudaMalloc(&flushed, 256 << 20));
  good(gp_open(nullptr, &ctx));
  for (const size_t n : {size_t(1) << 20, (size_t(1) << 24) + 4099, (size_t(1) << 26) + 10007})
    for (const size_t groups : {size_t(100), size_t(10000), n / 16, n}) {
      if (groups * 64 < n) { // a join of these would have more pairs than memory holds
        calls<uint32_t>(ctx, about.name, GP_U32, n, groups, true);
        continue;
      }
      calls<uint32_t>(ctx, about.name, GP_U32, n, groups, false);
      calls<uint64_t>(ctx, about.name, GP_U64, n, groups, false);
    }
  printf("\n]\n");
  return 0;
}
