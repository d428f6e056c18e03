// tile_groups.cu - kernels of your own in which a few lanes share a small job, without a barrier of the block: eight
// lanes sort a short list and drop what it repeats, sixteen find a point's nearest neighbours, a warp adds up the runs
// of its keys and counts votes.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tile_groups.cu -o tile_groups && ./tile_groups
#include "gpuprims.h"

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int THREADS = 64, LANES = 8, ITEMS = 4, LIST = LANES * ITEMS, GROUPS = THREADS / LANES;

// Each list has LIST numbers; out gets its different ones in order, different[list] their number.
struct list_storage {
  gp_tile_merge_sort_storage<LANES, ITEMS, unsigned> sort;
  gp_tile_exchange_storage<LANES, ITEMS, unsigned> exchange;
};
__global__ void distinct(const unsigned *lists, unsigned *out, unsigned *different) {
  typedef list_storage storage_of_groups[GROUPS];
  GP_SHARED(storage_of_groups, storage);
  list_storage &s = storage[threadIdx.x / LANES];
  const unsigned list = blockIdx.x * GROUPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  unsigned x[ITEMS], rank[ITEMS], heads = 0;
  gp_warp_group_load<LANES, GP_STRIPED>(x, lists + list * LIST, LIST, 0u);
  gp_warp_group_rearrange<LANES, GP_STRIPED, GP_BLOCKED>(x, s.exchange);
  gp_warp_group_merge_sort<LANES>(x, gp_less<unsigned>(), s.sort);
  // The number before a lane's first: a scan whose operator takes the later operand.
  unsigned before = gp_warp_group_exclusive_scan<LANES>(
      x[ITEMS - 1], [](unsigned, unsigned b) { return b; }, ~x[0]);
  for (int i = 0; i < ITEMS; ++i) {
    rank[i] = x[i] != before;
    heads += rank[i];
    before = x[i];
  }
  const unsigned up_to = gp_warp_group_inclusive_scan<LANES>(heads, gp_sum<unsigned>());
  const unsigned total = gp_warp_group_broadcast<LANES>(up_to, LANES - 1);
  unsigned at = up_to - heads;
  for (int i = 0; i < ITEMS; ++i) rank[i] = rank[i] ? at++ : ~0u; // repeated numbers are dropped
  __syncwarp();
  gp_warp_group_scatter<LANES, GP_STRIPED>(x, rank, s.exchange, total);
  gp_warp_group_store<LANES, GP_STRIPED>(x, out + list * LIST, total);
  if (lane == 0) different[list] = total;
}

// The k nearest of 64 candidates to each query, nearest first: sixteen lanes a query, pairs of distance and index.
constexpr int NEAR_LANES = 16, CANDIDATES = NEAR_LANES * ITEMS, NEAR_GROUPS = THREADS / NEAR_LANES;
__global__ void nearest(const float *queries, const float *points, unsigned *out, unsigned k) {
  typedef gp_tile_merge_sort_storage<NEAR_LANES, ITEMS, float, unsigned> storage_of_groups[NEAR_GROUPS];
  GP_SHARED(storage_of_groups, storage);
  const unsigned query = blockIdx.x * NEAR_GROUPS + threadIdx.x / NEAR_LANES;
  float distance[ITEMS];
  unsigned index[ITEMS];
  gp_warp_group_load<NEAR_LANES, GP_BLOCKED>(distance, points, CANDIDATES, 0.0f);
  for (int i = 0; i < ITEMS; ++i) {
    distance[i] = (distance[i] - queries[query]) * (distance[i] - queries[query]);
    index[i] = threadIdx.x % NEAR_LANES * ITEMS + unsigned(i);
  }
  gp_warp_group_merge_sort_pairs<NEAR_LANES>(distance, index, gp_less<float>(), storage[threadIdx.x / NEAR_LANES]);
  gp_warp_group_store<NEAR_LANES, GP_BLOCKED>(index, out + query * k, k);
}

// Sorted keys of a warp: each run's sum where it begins (by heads), and the same found from where runs end (by tails).
// And votes, numbers below 16: the first lane of each writes how many lanes gave it.
__global__ void runs(const unsigned *keys, const int *values, int *by_heads, int *by_tails, unsigned *votes) {
  const unsigned lane = gp_lane(), key = keys[lane];
  const bool head = lane == 0 || keys[lane - 1] != key, tail = lane == 31 || keys[lane + 1] != key;
  const int from_head = gp_warp_group_reduce_heads<32>(values[lane], head, gp_sum<int>());
  const int to_tail = gp_warp_group_reduce_tails<32>(values[lane], tail, gp_sum<int>());
  by_heads[lane] = head ? from_head : 0;
  by_tails[lane] = head ? to_tail : 0;
  const unsigned vote = unsigned(values[lane]) % 16, alike = gp_warp_match<4>(vote);
  if (__ffs(int(alike)) == int(lane) + 1) votes[vote] = unsigned(__popc(alike));
}

template<class T> static T *managed(size_t count) {
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
  constexpr unsigned LISTS = 2 * GROUPS, QUERIES = NEAR_GROUPS, K = 5;
  unsigned *lists = managed<unsigned>(LISTS * LIST), *sets = managed<unsigned>(LISTS * LIST);
  unsigned *different = managed<unsigned>(LISTS), *near = managed<unsigned>(QUERIES * K);
  unsigned *keys = managed<unsigned>(32), *votes = managed<unsigned>(16);
  float *queries = managed<float>(QUERIES), *points = managed<float>(CANDIDATES);
  int *values = managed<int>(32), *by_heads = managed<int>(32), *by_tails = managed<int>(32);
  for (unsigned i = 0; i < LISTS * LIST; ++i) lists[i] = (i * 2654435761u >> 20) % (1 + i / LIST * 3);
  for (unsigned i = 0; i < QUERIES; ++i) queries[i] = float(i * 23 % 64);
  for (unsigned i = 0; i < CANDIDATES; ++i) points[i] = float(i * 29 % 64) + float(i) / 1024;
  for (unsigned i = 0; i < 32; ++i) keys[i] = i * i / 100, values[i] = int(i * 7 % 13);
  for (unsigned i = 0; i < 16; ++i) votes[i] = 0;

  distinct<<<2, THREADS>>>(lists, sets, different);
  nearest<<<1, THREADS>>>(queries, points, near, K);
  runs<<<1, 32>>>(keys, values, by_heads, by_tails, votes);
  wrong += cudaDeviceSynchronize() != cudaSuccess;

  for (unsigned l = 0; l < LISTS; ++l) {
    std::vector<unsigned> set(lists + l * LIST, lists + (l + 1) * LIST);
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    wrong += different[l] != set.size() || !std::equal(set.begin(), set.end(), sets + l * LIST);
  }
  for (unsigned q = 0; q < QUERIES; ++q) {
    std::vector<unsigned> order(CANDIDATES);
    for (unsigned i = 0; i < CANDIDATES; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](unsigned i, unsigned j) {
      return (points[i] - queries[q]) * (points[i] - queries[q]) < (points[j] - queries[q]) * (points[j] - queries[q]);
    });
    wrong += !std::equal(order.begin(), order.begin() + K, near + q * K);
  }
  unsigned counts[16] = {};
  for (unsigned i = 0; i < 32; ++i) {
    int sum = 0;
    ++counts[unsigned(values[i]) % 16];
    for (unsigned j = i; j < 32 && keys[j] == keys[i]; ++j) sum += values[j];
    if (i && keys[i - 1] == keys[i]) sum = 0;
    wrong += by_heads[i] != sum || by_tails[i] != sum;
  }
  for (unsigned i = 0; i < 16; ++i) wrong += votes[i] != counts[i];
  std::printf("%u lists, the last of %u different numbers; %d faults\n", LISTS, different[LISTS - 1], wrong);
  for (void *pointer : {(void *)lists, (void *)sets, (void *)different, (void *)near, (void *)keys, (void *)votes,
           (void *)queries, (void *)points, (void *)values, (void *)by_heads, (void *)by_tails})
    cudaFree(pointer);
  return wrong != 0;
}
