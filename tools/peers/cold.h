// cold.h - what programs that time calls beside their peers share: errors end them, and a write of 256 MiB precedes
// each timed call. Include it after gpuprims.h.
#ifndef COLD_H
#define COLD_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void good(gp_result result) {
  if (result == GP_SUCCESS) return;
  fprintf(stderr, "%s\n", gp_last_message());
  exit(1);
}
static void good(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

static cudaStream_t stream;
static cudaEvent_t begins, ends;
static void *flushed;
// The median of 31 times of a call on `stream`, in us.
template<class Call> static double median_us(const Call &call) {
  std::vector<float> taken;
  for (int i = 0; i < 34; ++i) {
    float ms;
    good(cudaMemsetAsync(flushed, i, 256 << 20, stream));
    good(cudaEventRecord(begins, stream));
    call();
    good(cudaEventRecord(ends, stream));
    good(cudaEventSynchronize(ends));
    good(cudaEventElapsedTime(&ms, begins, ends));
    if (i >= 3) taken.push_back(1e3f * ms);
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

#endif
