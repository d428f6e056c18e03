// graph_capture.c - two calls recorded into a CUDA graph, and the graph replayed on new data.
//
// A capture allows no allocation, so the stream's workspace is reserved before, and gp_prepare compiles the kernels
// before.
//
//     cc -I. examples/graph_capture.c -o graph_capture -ldl -lpthread -lm && ./graph_capture
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { COUNT = 1 << 20, REPLAYS = 3, CAPTURE_MODE_GLOBAL = 0 };

static void reserve_for(gp_context *ctx, const gp_call *call, void *stream) {
  uint64_t bytes;
  check(gp_prepare(ctx, call));
  check(gp_workspace_size(ctx, call, &bytes));
  check(gp_reserve(ctx, stream, bytes));
}

int main(void) {
  gp_context *ctx;
  device_memory m;
  gp_call scan = gp_call_init(GP_INCLUSIVE_SCAN), reduce = gp_call_init(GP_REDUCE);
  void *stream, *graph, *executable;
  int (*stream_create)(void **, unsigned), (*begin_capture)(void *, int), (*end_capture)(void *, void **);
  int (*instantiate)(void **, void *, unsigned long long), (*launch)(void *, void *), (*synchronize)(void *);
  int (*graph_destroy)(void *), (*executable_destroy)(void *), (*stream_destroy)(void *);
  int32_t *values = (int32_t *)malloc(COUNT * sizeof *values), *in, *prefix;
  int64_t *total;
  int replay, i, wrong = 0;
  if (!values) return 1;

  check(gp_open(NULL, &ctx));
  m = device_memory_open(ctx);
  if (!m.library) {
    printf("skipped: CUDA graphs need a GPU\n");
    free(values);
    check(gp_close(ctx));
    return 0;
  }
  *(void **)&stream_create = device_memory_symbol(m.library, "cuStreamCreate");
  *(void **)&stream_destroy = device_memory_symbol(m.library, "cuStreamDestroy_v2");
  *(void **)&synchronize = device_memory_symbol(m.library, "cuStreamSynchronize");
  *(void **)&begin_capture = device_memory_symbol(m.library, "cuStreamBeginCapture_v2");
  *(void **)&end_capture = device_memory_symbol(m.library, "cuStreamEndCapture");
  *(void **)&instantiate = device_memory_symbol(m.library, "cuGraphInstantiateWithFlags");
  *(void **)&launch = device_memory_symbol(m.library, "cuGraphLaunch");
  *(void **)&executable_destroy = device_memory_symbol(m.library, "cuGraphExecDestroy");
  *(void **)&graph_destroy = device_memory_symbol(m.library, "cuGraphDestroy");
  device_memory_check(stream_create(&stream, 0), "cuStreamCreate");

  in = (int32_t *)device_memory_new(&m, COUNT * sizeof *in);
  prefix = (int32_t *)device_memory_new(&m, COUNT * sizeof *prefix);
  total = (int64_t *)device_memory_new(&m, sizeof *total);
  scan.op = reduce.op = GP_SUM;
  scan.in_type = scan.out_type = reduce.in_type = GP_I32;
  reduce.out_type = GP_I64;
  scan.in = reduce.in = in;
  scan.out = prefix;
  reduce.out = total;
  scan.count = reduce.count = COUNT;
  reserve_for(ctx, &scan, stream);
  reserve_for(ctx, &reduce, stream);

  device_memory_check(begin_capture(stream, CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  check(gp_run(ctx, &scan, stream));
  check(gp_run(ctx, &reduce, stream));
  device_memory_check(end_capture(stream, &graph), "cuStreamEndCapture");
  device_memory_check(instantiate(&executable, graph, 0), "cuGraphInstantiate");

  for (replay = 0; replay < REPLAYS; ++replay) {
    int64_t sum, expected = 0;
    int32_t last;
    for (i = 0; i < COUNT; ++i) values[i] = (i + replay) % 17 - 5;
    for (i = 0; i < COUNT; ++i) expected += values[i];
    device_memory_write(&m, in, values, COUNT * sizeof *in);
    device_memory_check(launch(executable, stream), "cuGraphLaunch");
    device_memory_check(synchronize(stream), "cuStreamSynchronize");
    device_memory_read(&m, &sum, total, sizeof sum);
    device_memory_read(&m, &last, prefix + COUNT - 1, sizeof last);
    printf("replay %d: sum %lld, last prefix %d\n", replay, (long long)sum, last);
    wrong += sum != expected || last != (int32_t)expected;
  }

  device_memory_check(executable_destroy(executable), "cuGraphExecDestroy");
  device_memory_check(graph_destroy(graph), "cuGraphDestroy");
  device_memory_free(&m, in);
  device_memory_free(&m, prefix);
  device_memory_free(&m, total);
  check(gp_close(ctx)); // before the stream is destroyed: the context waits for the streams that it used
  device_memory_check(stream_destroy(stream), "cuStreamDestroy");
  free(values);
  return wrong != 0;
}
