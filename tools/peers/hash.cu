// hash.cu - calls with hash tables beside Thrust's sorts and searches, as CUB has no hash tables; cold: a write of
// 256 MiB precedes each timed call. Results are compared. Prints a JSON array: medians of 31 times in us, and the time
// of a copy (gp_copy) of as many bytes as the call must read.
//   nvcc -O3 -std=c++17 --extended-lambda -arch=native -I. tools/peers/hash.cu -o build/hash -lcuda && build/hash
// Arguments: log2 of the keys (default: 20 24 26); u32 or u64 (default: both); groups alone (no joins).
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "cold.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
#include <thrust/tabulate.h>
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
struct Rowed { // count: the row of the least
  __host__ __device__ Fold operator()(const thrust::tuple<float, float, unsigned> &row) const {
    return {thrust::get<0>(row), thrust::get<0>(row), thrust::get<1>(row), thrust::get<2>(row)};
  }
};
struct Best {
  __host__ __device__ Fold operator()(const Fold &a, const Fold &b) const {
    const bool first = a.least < b.least || (a.least == b.least && a.count < b.count);
    return {a.sum + b.sum, first ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest,
        first ? a.count : b.count};
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
template<class K> struct Key {
  size_t groups;
  bool zipf;
  unsigned long long seed;
  __host__ __device__ K operator()(unsigned long long i) const {
    unsigned long long x = (i + (seed << 40) + 1) * 0x9e3779b97f4a7c15ull; // SplitMix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    const double u = double(x >> 11) / 9007199254740992.0;
    const size_t group = zipf ? size_t(pow(double(groups), u)) : size_t(u * double(groups));
    return K((group + 1) * 0x9e3779b97f4a7c15ull >> 8);
  }
};
template<class K> static thrust::device_vector<K> make_keys(size_t n, const Key<K> &key) {
  thrust::device_vector<K> keys(n);
  thrust::tabulate(keys.begin(), keys.end(), key);
  return keys;
}
template<class K>
static void calls(gp_context *ctx, const char *device, gp_type type, size_t n, size_t groups, bool zipf, bool joins) {
  const gp_stream s = (gp_stream)stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  const std::string of = std::string(sizeof(K) == 4 ? " u32" : " u64") + (zipf ? " zipf" : "");
  const thrust::device_vector<K> keys = make_keys<K>(n, {groups, zipf, 1}),
                                 build = make_keys<K>(n / 4, {groups, false, 2});
  thrust::device_vector<K> sorted(n), out(n), theirs(n);
  thrust::device_vector<float> x(n, 1.5f), y(n, 2.5f), least(n), greatest(n), moved(n);
  thrust::device_vector<double> sum(n);
  const size_t pairs = joins && !zipf ? 4 * n : n;
  thrust::device_vector<unsigned> many(n), probe(pairs), partner(pairs), order(n / 4), begin(n), end(n);
  thrust::device_vector<unsigned long long> count(1), offsets(n + 1);
  thrust::device_vector<Fold> folds(n);
  const auto raw = [](auto &v) { return thrust::raw_pointer_cast(v.data()); };
  const auto read_of = [&](size_t bytes) {
    return median_us([&] { good(gp_copy(ctx, GP_U8, raw(folds), bytes / 2, raw(offsets), s)); });
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
  { // two columns and an index: the columns are read through the order
    const gp_aggregate list[3] = {{GP_AGGREGATE_SUM, GP_F32, raw(x), raw(sum), GP_F64},
        {GP_AGGREGATE_ARGMIN, GP_F32, raw(x), raw(many), GP_U32},
        {GP_AGGREGATE_MAX, GP_F32, raw(y), raw(greatest), GP_F32}};
    const double ours =
        median_us([&] { good(gp_group_by_many(ctx, type, raw(keys), n, list, 3, raw(out), 0, found, s)); });
    size_t r = 0;
    const double peer = median_us([&] { // its rows move whole: both columns and the index
      thrust::copy(policy, keys.begin(), keys.end(), sorted.begin());
      thrust::copy(policy, x.begin(), x.end(), moved.begin());
      thrust::copy(policy, y.begin(), y.end(), least.begin());
      thrust::sequence(policy, begin.begin(), begin.end());
      thrust::sort_by_key(policy, sorted.begin(), sorted.end(),
          thrust::make_zip_iterator(thrust::make_tuple(moved.begin(), least.begin(), begin.begin())));
      const auto values = thrust::make_transform_iterator(
          thrust::make_zip_iterator(thrust::make_tuple(moved.begin(), least.begin(), begin.begin())), Rowed());
      r = thrust::reduce_by_key(policy, sorted.begin(), sorted.end(), values, theirs.begin(), folds.begin(),
              thrust::equal_to<K>(), Best())
              .first -
          theirs.begin();
    });
    good(cudaStreamSynchronize(stream));
    const bool same = count[0] == r && thrust::equal(out.begin(), out.begin() + r, theirs.begin());
    print(device, "group_by_many, 2 columns" + of, n, groups, ours, read_of(n * (sizeof(K) + 8)), peer, same);
  }
  if (zipf || !joins) return;
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
int main(int argc, char **argv) {
  std::vector<size_t> sizes;
  bool narrow = true, wide = true, joins = true;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "u32")) wide = false;
    else if (!strcmp(argv[i], "u64")) narrow = false;
    else if (!strcmp(argv[i], "groups")) joins = false;
    else sizes.push_back((size_t(1) << atoi(argv[i])) + (atoi(argv[i]) > 20 ? 4099 : 0));
  }
  if (sizes.empty()) sizes = {size_t(1) << 20, (size_t(1) << 24) + 4099, (size_t(1) << 26) + 4099};
  cudaDeviceProp about;
  gp_context *ctx;
  good(cudaGetDeviceProperties(&about, 0));
  good(cudaStreamCreate(&stream));
  good(cudaEventCreate(&begins)), good(cudaEventCreate(&ends));
  good(cudaMalloc(&flushed, 256 << 20));
  good(gp_open(nullptr, &ctx));
  for (const size_t n : sizes)
    for (const size_t groups : {size_t(100), size_t(10000), n / 16, n}) {
      const bool zipf = groups * 64 < n; // a join of these would have more pairs than memory holds
      if (narrow) calls<uint32_t>(ctx, about.name, GP_U32, n, groups, zipf, joins);
      if (wide) calls<uint64_t>(ctx, about.name, GP_U64, n, groups, zipf, joins);
    }
  printf("\n]\n");
  return 0;
}
