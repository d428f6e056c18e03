// reduce.c - sums, extremes and their positions, from plain C: on the GPU if there is one, otherwise on the host.
//
//     cc -I. examples/reduce.c -o reduce -ldl -lpthread -lm && ./reduce
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { COUNT = 1000003 };

typedef struct place { // the output type of ARGMIN and ARGMAX of f32
  float value;
  int64_t index;
} place;

int main(void) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  float *values = (float *)malloc(COUNT * sizeof *values), *in;
  void *out;
  double sum, expected = 0;
  place largest, smallest;
  int64_t i;
  if (!values) return 1;
  for (i = 0; i < COUNT; ++i) values[i] = (float)((i * 7919) % 1000) - 500.0f; // the same every run
  values[777777] = 12345.0f;
  values[42] = -12345.0f;
  for (i = 0; i < COUNT; ++i) expected += values[i];

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  in = (float *)device_memory_new(&m, COUNT * sizeof *in);
  out = device_memory_new(&m, sizeof(place));
  device_memory_write(&m, in, values, COUNT * sizeof *in);

  // Elements are f32; the sum is computed and written in f64. Results stay in device memory until needed.
  check(gp_reduce(ctx, GP_SUM, GP_F32, GP_F64, in, COUNT, out, NULL));
  device_memory_read(&m, &sum, out, sizeof sum);
  check(gp_reduce(ctx, GP_ARGMAX, GP_F32, GP_F32, in, COUNT, out, NULL));
  device_memory_read(&m, &largest, out, sizeof largest);
  check(gp_reduce(ctx, GP_ARGMIN, GP_F32, GP_F32, in, COUNT, out, NULL));
  device_memory_read(&m, &smallest, out, sizeof smallest);

  printf("on %s: sum %.1f, largest %.1f at %lld, smallest %.1f at %lld\n", description.name, sum, largest.value,
      (long long)largest.index, smallest.value, (long long)smallest.index);

  device_memory_free(&m, in);
  device_memory_free(&m, out);
  free(values);
  check(gp_close(ctx));
  return !(sum == expected && largest.index == 777777 && smallest.index == 42);
}
