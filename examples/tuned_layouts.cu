// tuned_layouts.cu - uses the decision tree of the kernel in tuned_layouts.cuh: particles get the best layout for their
// number. The kernel here is compiled for any layout, and reads the particles' layout from the array at run time. NVRTC
// with the printed options compiles the same file for the chosen layout.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tuned_layouts.cu -o tuned_layouts && ./tuned_layouts
#include <cstdio>
#include <vector>

#define STEP_THREADS 256
#define STEP_HOST
#include "tuned_layouts.cuh"

#include "tools/gp_tune_tree.h"

#include "tuned_layouts_tree.h"

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// A step of n particles in the layout `layout`, on the GPU. NULL, or what is wrong.
static const char *run(uint64_t n, uint64_t layout) {
  gp_array host = GP_ARRAY_OF(Particle, layout, n, 1, 1), particles = host;
  const size_t bytes = gp_array_bytes(&host);
  std::vector<gp__bytes<16>> memory((bytes + 15) / 16);
  host.base = memory.data();
  step_fill(host, n);
  check(cudaMalloc(&particles.base, bytes), "cudaMalloc");
  check(cudaMemcpy(particles.base, host.base, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  const int blocks = int((n + STEP_THREADS - 1) / STEP_THREADS);
  step<<<blocks, STEP_THREADS>>>(particles, n);
  check(cudaGetLastError(), "step");
  check(cudaMemcpy(host.base, particles.base, bytes, cudaMemcpyDeviceToHost), "step");
  check(cudaFree(particles.base), "cudaFree");
  return step_wrong(host, n);
}

int main() {
  int devices = 0, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  for (uint64_t n : {uint64_t(1000), uint64_t(4096)}) {
    uint64_t fixed[STEP_FIELDS], values[STEP_FIELDS];
    gp_array particles = GP_ARRAY_OF(Particle, GP_AOS, n, 1, 1);
    gp_tune_nothing_fixed(&step_tree, fixed);
    fixed[STEP_GP_LAYOUT_PARTICLE] = gp_tune_fixed(&particles); // it has no memory yet: any layout
    const int measured = gp_tune_choose(&step_tree, n, fixed, values);
    std::printf("%llu particles, %s:", (unsigned long long)n, measured ? "as measured" : "by default");
    for (int field = 0; field < STEP_FIELDS; ++field) {
      char option[100];
      gp_tune_option(&step_tree, values, field, option, sizeof option);
      std::printf(" %s", option);
    }
    for (uint64_t layout : {values[STEP_GP_LAYOUT_PARTICLE], uint64_t(GP_AOS), uint64_t(GP_SOA), uint64_t(32)}) {
      const char *reason = run(n, layout);
      if (reason) std::printf("\nWRONG in layout %llu: %s", (unsigned long long)layout, reason);
      wrong += reason != nullptr;
    }
    std::printf("\n");
  }
  std::printf("%s\n", wrong ? "WRONG" : "right");
  return wrong;
}
