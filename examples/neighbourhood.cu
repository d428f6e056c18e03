// neighbourhood.cu - finds the people within three acquaintances of a person, and which of them live nearby: a k-hop
// neighbourhood, with your own kernels on the tile routines. The host launches all hops at once and never asks for the
// number of people: each launch takes the previous one's count from device memory.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/neighbourhood.cu -o neighbourhood && ./neighbourhood
#include "gpuprims.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int THREADS = 128, HOPS = 3, BLOCKS = 8;
constexpr int CULL = GP_CULL_WARP | GP_CULL_HISTORY | GP_CULL_BITMAP; // the cheap test first, then the exact one

typedef unsigned vertex;
typedef unsigned long long count;

struct hop_storage {
  gp_tile_expand_storage<THREADS, vertex> expand;
  gp_tile_contract_storage<CULL, vertex> contract;
  gp_tile_append_storage<4 * THREADS, vertex> append;
};

// Writes people to `out` that somebody in `in` knows and that were not found before; hops[v] is the hop of their
// discovery.
__global__ void __launch_bounds__(THREADS) hop(const unsigned *offsets, const vertex *targets, unsigned *visited,
    int *hops, int number, gp_frontier<vertex> in, gp_frontier<vertex> out) {
  GP_SHARED(hop_storage, s);
  gp_tile_contract_begin<THREADS>(s.contract);
  gp_tile_append_begin(s.append); // its barrier serves both
  const count people = in.size();
  for (count first = blockIdx.x * THREADS; first < people; first += gridDim.x * THREADS) {
    const count i = first + threadIdx.x; // a person a thread; all threads share the acquaintances
    gp_tile_expand<THREADS, 1, GP_GATHER_ALL>(
        i < people, i < people ? in.vertices[i] : 0, offsets, targets,
        [](vertex who, vertex whom, count) { return who != whom; }, // nobody is an acquaintance of their own
        [&](bool there, vertex, vertex whom) { // by whole warps
          there = gp_warp_contract(there, whom, visited, s.contract);
          if (there) hops[whom] = number;
          gp_warp_append(there, whom, out, s.append);
        },
        s.expand);
  }
  gp_tile_append<THREADS>(out, s.append);
}
// The people of `in` that live in the same town.
__global__ void __launch_bounds__(THREADS)
    nearby(const int *town, int here, gp_frontier<vertex> in, gp_frontier<vertex> out) {
  typedef gp_tile_filter_storage<THREADS> filter_storage;
  GP_SHARED(filter_storage, s);
  gp_frontier_filter(
      in, [&](vertex v) { return town[v] == here; }, out, s);
}

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
template<class T> static T *to_device(const std::vector<T> &from) {
  T *memory;
  check(cudaMalloc(&memory, from.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(memory, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}
template<class T> static std::vector<T> to_host(const T *from, size_t n) {
  std::vector<T> to(n);
  check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return to;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  // Some know three people, some two hundred; some are known twice.
  const vertex people = 20000, somebody = 4790;
  std::vector<unsigned> offsets(1, 0), visited((people + 31) / 32, 0);
  std::vector<vertex> targets;
  std::vector<int> town(people), hops(people, -1);
  unsigned state = 1;
  const auto draw = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (vertex v = 0; v < people; ++v) {
    const unsigned known = draw() % 20 == 0 ? 200 : 2 + draw() % 5;
    for (unsigned i = 0; i < known; ++i) targets.push_back(draw() % 4 ? draw() % people : (v + draw() % 20) % people);
    offsets.push_back(unsigned(targets.size()));
    town[v] = int(draw() % 9);
  }
  visited[somebody / 32] |= 1u << somebody % 32;
  hops[somebody] = 0;

  // Two lists alternate, with room for everybody; each hop has its own count, zeroed at the start.
  std::vector<count> counts(HOPS + 1, 0);
  counts[0] = 1;
  vertex *list[2] = {to_device(std::vector<vertex>(people, somebody)), to_device(std::vector<vertex>(people))};
  count *device_counts = to_device(counts), *near_count = to_device(std::vector<count>(1, 0));
  unsigned *device_offsets = to_device(offsets), *device_visited = to_device(visited);
  vertex *device_targets = to_device(targets), *near = to_device(std::vector<vertex>(people));
  int *device_hops = to_device(hops), *device_town = to_device(town);
  for (int k = 1; k <= HOPS; ++k) {
    const gp_frontier<vertex> in = {list[(k - 1) % 2], device_counts + k - 1, people};
    const gp_frontier<vertex> out = {list[k % 2], device_counts + k, people};
    hop<<<BLOCKS, THREADS>>>(device_offsets, device_targets, device_visited, device_hops, k, in, out);
    nearby<<<BLOCKS, THREADS>>>(device_town, town[somebody], out, gp_frontier<vertex>{near, near_count, people});
  }
  check(cudaGetLastError(), "hop");
  const std::vector<int> found = to_host(device_hops, people);
  counts = to_host(device_counts, HOPS + 1);
  std::vector<vertex> near_found = to_host(near, to_host(near_count, 1)[0]);

  // The same on the host.
  std::vector<vertex> queue(1, somebody), near_wanted;
  for (size_t i = 0; i < queue.size() && hops[queue[i]] < HOPS; ++i)
    for (unsigned e = offsets[queue[i]]; e < offsets[queue[i] + 1]; ++e) {
      const vertex v = targets[e];
      if (hops[v] >= 0) continue;
      hops[v] = hops[queue[i]] + 1;
      queue.push_back(v);
      if (town[v] == town[somebody]) near_wanted.push_back(v);
    }
  std::sort(near_found.begin(), near_found.end()); // frontiers are unordered
  std::sort(near_wanted.begin(), near_wanted.end());
  const bool agree = found == hops && near_found == near_wanted;
  std::printf("%llu people are one hop away, %llu two, %llu three; %zu of them live nearby: %s\n", counts[1], counts[2],
      counts[3], near_found.size(), agree ? "as on the host" : "NOT as on the host");
  void *all[] = {list[0], list[1], device_counts, near_count, device_offsets, device_visited, device_targets, near,
      device_hops, device_town};
  for (void *memory : all) check(cudaFree(memory), "cudaFree");
  return !agree;
}
