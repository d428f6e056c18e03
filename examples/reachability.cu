// reachability.cu - finds the crossings that a lorry reaches from the depot through a city's streets with enough
// headroom. Your own kernel runs once a level, on a frontier. The graph stays unchanged, because the search evaluates
// the predicate on each street.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/reachability.cu -o reachability && ./reachability
#include "gpuprims.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned vertex;
typedef gp_frontier_storage<256, 2, GP_GATHER_ALL, GP_CULL_BITMAP, vertex> storage; // threads, edges a thread, ...

struct level {
  const unsigned *offsets; // crossing v's streets are [offsets[v], offsets[v + 1]) of
  const vertex *targets; // where they lead, and
  const float *clearance; // their headroom, in metres
  float height; // of the lorry
  unsigned *visited; // a bit a crossing
  gp_frontier<vertex> in, out;
};

__global__ void __launch_bounds__(256) drive_on(level a) {
  GP_SHARED(storage, s);
  gp_frontier_expand_contract(
      a.in, a.offsets, a.targets,
      [&](vertex, vertex, unsigned long long street) { return a.clearance[street] > a.height; }, a.visited,
      [](vertex, vertex) { return true; }, // unvisited crossings go on
      a.out, s);
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

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  // Streets between neighbours of a grid, both ways; every third has a bridge above it.
  const unsigned side = 60, crossings = side * side, depot = crossings / 2 + side / 2;
  const float height = 3.9f;
  std::vector<unsigned> offsets(1, 0);
  std::vector<vertex> targets;
  std::vector<float> clearance;
  for (unsigned v = 0; v < crossings; ++v) {
    const unsigned x = v % side, y = v / side;
    for (unsigned to = 0; to < 4; ++to) {
      if (to == 0 ? x == 0 : to == 1 ? x + 1 == side : to == 2 ? y == 0 : y + 1 == side) continue;
      const vertex w = to == 0 ? v - 1 : to == 1 ? v + 1 : to == 2 ? v - side : v + side;
      const unsigned hash = ((v < w ? v : w) * 2u + to / 2) * 2654435761u >> 16; // one street, one height
      targets.push_back(w);
      clearance.push_back(hash % 3 ? 9.9f : 3.0f + float(hash / 3 % 15) / 10);
    }
    offsets.push_back(unsigned(targets.size()));
  }

  // On the GPU: two frontiers alternate, and the host asks after each level whether anything is left.
  std::vector<unsigned> visited((crossings + 31) / 32, 0);
  visited[depot / 32] |= 1u << depot % 32;
  std::vector<vertex> first(crossings, depot); // room for all: a crossing is visited once
  unsigned long long count = 1, levels = 0;
  gp_frontier<vertex> frontier[2];
  for (gp_frontier<vertex> &f : frontier) {
    f.vertices = to_device(first);
    f.count = to_device(std::vector<unsigned long long>(1, count));
    f.room = crossings;
  }
  level a = {to_device(offsets), to_device(targets), to_device(clearance), height, to_device(visited), {}, {}};
  for (; count; ++levels) {
    const unsigned long long none = 0;
    const unsigned blocks = unsigned(count + 255) / 256;
    a.in = frontier[levels % 2];
    a.out = frontier[(levels + 1) % 2];
    check(cudaMemcpy(a.out.count, &none, sizeof none, cudaMemcpyHostToDevice), "cudaMemcpy");
    drive_on<<<blocks, 256>>>(a);
    check(cudaGetLastError(), "drive_on");
    check(cudaMemcpy(&count, a.out.count, sizeof count, cudaMemcpyDeviceToHost), "drive_on");
  }
  std::vector<unsigned> found(visited.size());
  check(cudaMemcpy(found.data(), a.visited, found.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), "cudaMemcpy");

  // The same on the host.
  std::vector<vertex> queue(1, depot);
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned e = offsets[queue[i]]; e < offsets[queue[i] + 1]; ++e) {
      const vertex w = targets[e];
      if (clearance[e] <= height || (visited[w / 32] >> w % 32 & 1u)) continue;
      visited[w / 32] |= 1u << w % 32;
      queue.push_back(w);
    }
  const bool agree = found == visited;
  std::printf("of %u crossings %zu can be reached at %.1f m, the farthest by %llu streets: %s\n", crossings,
      queue.size(), height, levels - 1, agree ? "as on the host" : "NOT as on the host");
  for (gp_frontier<vertex> &f : frontier) {
    check(cudaFree(f.vertices), "cudaFree");
    check(cudaFree(f.count), "cudaFree");
  }
  check(cudaFree(const_cast<unsigned *>(a.offsets)), "cudaFree");
  check(cudaFree(const_cast<vertex *>(a.targets)), "cudaFree");
  check(cudaFree(const_cast<float *>(a.clearance)), "cudaFree");
  check(cudaFree(a.visited), "cudaFree");
  return !agree;
}
