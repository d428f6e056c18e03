// custom_operator.c - a type and an operator of your own: running mean and variance in one scan.
//
// The struct and the operator are given as source, which the first call compiles for the GPU, and as a C function for
// the host back end. Chan, Golub and LeVeque's update combines the moments of two pieces of data; it is associative,
// which is all that the library needs.
//
//     cc -I. examples/custom_operator.c -o custom_operator -ldl -lpthread -lm && ./custom_operator
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#include <math.h>

enum { COUNT = 100003 };

typedef struct moments {
  double n, mean, m2; // count, mean, sum of squared deviations
} moments;

static const char moments_source[] = "struct moments { double n, mean, m2; };";
static const char combine_body[] = "const double n = a.n + b.n;\n"
                                   "if (n == 0) return a;\n"
                                   "const double delta = b.mean - a.mean;\n"
                                   "moments r;\n"
                                   "r.n = n;\n"
                                   "r.mean = a.mean + delta * (b.n / n);\n"
                                   "r.m2 = a.m2 + b.m2 + delta * delta * (a.n * b.n / n);\n"
                                   "return r;";

static void combine(void *user, void *result, const void *left, const void *right) {
  moments a = *(const moments *)left, b = *(const moments *)right, r;
  const double n = a.n + b.n, delta = b.mean - a.mean;
  (void)user;
  if (n == 0) {
    *(moments *)result = a;
    return;
  }
  r.n = n;
  r.mean = a.mean + delta * (b.n / n);
  r.m2 = a.m2 + b.m2 + delta * delta * (a.n * b.n / n);
  *(moments *)result = r;
}

int main(void) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  gp_type_desc type_desc = gp_type_desc_init();
  gp_op_desc op_desc = gp_op_desc_init();
  const moments identity = {0, 0, 0};
  gp_type type;
  gp_op op;
  device_memory m;
  moments *values = (moments *)malloc(COUNT * sizeof *values);
  void *data;
  double sum = 0, squares = 0, mean, variance;
  moments last;
  int i;
  if (!values) return 1;
  for (i = 0; i < COUNT; ++i) { // a sample each
    values[i].n = 1;
    values[i].mean = (double)((i * 7919LL) % 1009);
    values[i].m2 = 0;
    sum += values[i].mean;
  }
  for (i = 0; i < COUNT; ++i) squares += (values[i].mean - sum / COUNT) * (values[i].mean - sum / COUNT);

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  type_desc.name = "moments";
  type_desc.source = moments_source;
  type_desc.size = sizeof(moments);
  type_desc.align = 8;
  check(gp_type_struct(ctx, &type_desc, &type));
  op_desc.name = "combine";
  op_desc.body = combine_body;
  op_desc.identity = "moments{0, 0, 0}";
  op_desc.arity = 2;
  op_desc.host = combine;
  op_desc.host_identity = &identity;
  op_desc.host_identity_size = sizeof identity;
  check(gp_op_define(ctx, &op_desc, &op));

  m = device_memory_open(ctx);
  data = device_memory_new(&m, COUNT * sizeof *values);
  device_memory_write(&m, data, values, COUNT * sizeof *values);
  check(gp_inclusive_scan(ctx, op, type, type, data, COUNT, data, NULL));
  device_memory_read(&m, values, data, COUNT * sizeof *values);
  last = values[COUNT - 1];
  mean = last.mean;
  variance = last.m2 / (last.n - 1);
  printf("on %s: after %.0f samples mean %.6f, variance %.6f (two passes: %.6f, %.6f)\n", description.name, last.n,
      mean, variance, sum / COUNT, squares / (COUNT - 1));

  device_memory_free(&m, data);
  free(values);
  check(gp_close(ctx));
  return !(last.n == COUNT && fabs(mean - sum / COUNT) < 1e-9 * mean &&
      fabs(variance - squares / (COUNT - 1)) < 1e-9 * variance);
}
