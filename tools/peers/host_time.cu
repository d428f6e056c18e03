// host_time.cu - host time of a call that is enqueued and not waited for: gp_run, a prepared call, CUB's call, and the
// driver's launch of an empty kernel with four pointers. Prints a JSON array: median and least of 200 batches.
//   nvcc -O2 -std=c++17 -arch=native -I. tools/peers/host_time.cu -o build/host_time -lcuda && build/host_time
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda.h>
#include <vector>

__global__ void nothing(const void *, const void *, const void *, const void *) {}

static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static const char *device;
static int lines; // printed so far
// Times `call` with enough room in the stream's queue that no launch waits for another.
template<class Call> static void time(const char *name, uint64_t count, Call call) {
  enum { BATCHES = 200, CALLS = 100 };
  std::vector<double> taken;
  for (int batch = 0; batch < BATCHES; ++batch) {
    const double start = now();
    for (int i = 0; i < CALLS; ++i) call(i);
    taken.push_back((now() - start) / CALLS);
    if (cudaDeviceSynchronize() != cudaSuccess) exit(1);
  }
  std::sort(taken.begin(), taken.end());
  printf("%s{\"device\": \"%s\", \"call\": \"%s\", \"n\": %llu, \"median_us\": %.3f, \"least_us\": %.3f}",
      lines++ ? ",\n" : "[\n", device, name, (unsigned long long)count, taken[BATCHES / 2], taken[0]);
}
static void good(gp_result result) {
  if (result == GP_SUCCESS) return;
  printf("%s\n", gp_last_message());
  exit(1);
}

int main() {
  const uint64_t count = 1000, room = 1 << 20;
  cudaDeviceProp about;
  unsigned *buffers;
  void *scratch;
  size_t scratch_bytes = 1 << 22, need = scratch_bytes;
  gp_context *ctx;
  gp_prepared *prepared;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaFunction_t entry;
  if (cudaGetDeviceProperties(&about, 0) || cudaMalloc(&buffers, 4 * room * sizeof *buffers) ||
      cudaMalloc(&scratch, scratch_bytes) || cudaStreamCreate(&stream) ||
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming) || cudaGetFuncBySymbol(&entry, (const void *)nothing))
    return puts("no device"), 1;
  device = about.name;
  unsigned *const in[2] = {buffers, buffers + room}, *const out[2] = {buffers + 2 * room, buffers + 3 * room};
  cudaMemset(buffers, 0, 4 * room * sizeof *buffers);
  good(gp_open(nullptr, &ctx));

  const void *pointers[4] = {in[0], in[1], out[0], out[1]};
  void *arguments[4] = {&pointers[0], &pointers[1], &pointers[2], &pointers[3]};
  time("cuLaunchKernel", 1,
      [&](int) { cuLaunchKernel((CUfunction)entry, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL); });
  time("cuLaunchKernel and cuEventRecord", 1, [&](int) {
    cuLaunchKernel((CUfunction)entry, 1, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);
    cudaEventRecord(event, stream);
  });
  { // what the library asks the driver
    const gp_driver &d = ctx->state->library.runtime.driver;
    void *owner;
    gp__u64 id;
    int status;
    time("cuCtxGetCurrent", 1, [&](int) { d.cuCtxGetCurrent(&owner); });
    time("cuStreamGetCtx", 1, [&](int) { d.cuStreamGetCtx(stream, &owner); });
    time("cuStreamGetId", 1, [&](int) { d.cuStreamGetId(stream, &id); });
    time("cuStreamIsCapturing", 1, [&](int) { d.cuStreamIsCapturing(stream, &status); });
  }
  struct {
    const char *name;
    gp_primitive primitive;
    gp_op op;
  } const calls[] = {
      {"copy", GP_COPY, GP_OP_DEFAULT}, {"reduce", GP_REDUCE, GP_SUM}, {"scan", GP_INCLUSIVE_SCAN, GP_SUM}};
  for (const auto &one : calls)
    for (const uint64_t n : {count, room}) {
      char name[64];
      unsigned next = 0;
      gp_call c = gp_call_init(one.primitive);
      c.op = one.op, c.in_type = GP_U32, c.count = n, c.in = in[0], c.out = out[0];
      good(gp_prepared_open(ctx, &c, &prepared));
      snprintf(name, sizeof name, "gp_run of %s", one.name);
      time(name, n, [&](int i) {
        c.in = in[i & 1], c.out = out[i & 1];
        good(gp_run(ctx, &c, stream));
      });
      snprintf(name, sizeof name, "gp_run of %s, another count", one.name);
      time(name, n, [&](int i) { // more counts than the context remembers
        c.in = in[i & 1], c.out = out[i & 1], c.count = n - unsigned(next++ % 900);
        good(gp_run(ctx, &c, stream));
      });
      c.count = n;
      snprintf(name, sizeof name, "gp_prepared_run of %s", one.name);
      time(name, n, [&](int i) {
        c.in = in[i & 1], c.out = out[i & 1];
        good(gp_prepared_run(prepared, &c, stream));
      });
      snprintf(name, sizeof name, "gp_prepared_run of %s, another count", one.name);
      time(name, n, [&](int i) {
        c.in = in[i & 1], c.out = out[i & 1], c.count = n - unsigned(i & 7);
        good(gp_prepared_run(prepared, &c, stream));
      });
      good(gp_prepared_close(prepared));
    }
  { // a section that launches nothing, while the search goes on and after it
    gp_tuner_config config = gp_tuner_config_init();
    gp_tuner *tuner;
    int threads, searching = 1, best;
    good(gp_tuner_open(ctx, &config, &tuner));
    good(gp_tuner_add_parameter(tuner, "threads", &threads, gp_range_steps(32, 1024, 32), 128));
    const auto section = [&](int) { good(gp_tuner_start(tuner, stream)), good(gp_tuner_stop(tuner, stream)); };
    time("gp_tuner_start and gp_tuner_stop", 1, section);
    for (int i = 0; i < 100000 && searching; ++i) {
      section(i);
      if (i % 50 == 0) cudaDeviceSynchronize();
      good(gp_tuner_best(tuner, NULL, 0, &best, NULL, NULL, &searching));
    }
    time("gp_tuner_start and gp_tuner_stop, after the search", 1, section);
    good(gp_tuner_close(tuner));
  }
  { // calls that are tuned while they run
    gp_config config = gp_config_init();
    gp_context *tuned;
    config.tuning = GP_TUNING_ONLINE;
    config.cache_dir = "";
    good(gp_open(&config, &tuned));
    for (const auto &one : calls)
      for (const uint64_t n : {count, room}) {
        char name[80];
        gp_call c = gp_call_init(one.primitive);
        c.op = one.op, c.in_type = GP_U32, c.count = n, c.in = in[0], c.out = out[0];
        snprintf(name, sizeof name, "gp_run of %s, with GP_TUNING_ONLINE", one.name);
        time(name, n, [&](int i) {
          c.in = in[i & 1], c.out = out[i & 1];
          good(gp_run(tuned, &c, stream));
        });
      }
    good(gp_close(tuned));
  }
  for (const uint64_t n : {count, room}) {
    time("cub::DeviceReduce::Sum", n,
        [&](int i) { need = scratch_bytes, cub::DeviceReduce::Sum(scratch, need, in[i & 1], out[i & 1], n, stream); });
    time("cub::DeviceScan::InclusiveSum", n, [&](int i) {
      need = scratch_bytes, cub::DeviceScan::InclusiveSum(scratch, need, in[i & 1], out[i & 1], n, stream);
    });
    time("cudaMemcpyAsync", n,
        [&](int i) { cudaMemcpyAsync(out[i & 1], in[i & 1], n * sizeof **in, cudaMemcpyDeviceToDevice, stream); });
  }
  printf("\n]\n");
  good(gp_close(ctx));
  return 0;
}
