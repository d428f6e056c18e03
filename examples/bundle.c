// bundle.c - runs kernels compiled ahead of time, without a compiler.
//
//     cc -O2 -I. tools/gp_bundle.c -o gp_bundle -ldl -lpthread -lm
//     ./gp_bundle examples/bundle.txt example_kernels 80 90 > bundle_kernels.h        needs NVRTC but no GPU cc -I.
//     -DBUNDLE='"bundle_kernels.h"' examples/bundle.c -o bundle -ldl -lpthread -lm && ./bundle
//
// Built without BUNDLE it runs on the host.
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#ifdef BUNDLE
#include BUNDLE
#endif

enum { COUNT = 1000003 };

typedef struct vec3 {
  float x, y, z;
} vec3;

static void nearest(void *user, void *result, const void *a, const void *b) { // the host's form of the operator
  const vec3 *p = (const vec3 *)a, *q = (const vec3 *)b;
  (void)user;
  *(vec3 *)result = p->x * p->x + p->y * p->y + p->z * p->z <= q->x * q->x + q->y * q->y + q->z * q->z ? *p : *q;
}

int main(void) {
  const vec3 far_away = {1e30f, 1e30f, 1e30f};
  gp_config config = gp_config_init();
  gp_type_desc type_desc = gp_type_desc_init();
  gp_op_desc op_desc = gp_op_desc_init();
  gp_call call;
  gp_kernel_source source;
  gp_context *ctx;
  gp_description description = gp_description_init();
  gp_type vec3_type;
  gp_op nearest_op;
  device_memory m;
  float *values = (float *)malloc(3 * COUNT * sizeof *values), *in, *out;
  double sum;
  float last;
  vec3 found;
  int i;
  if (!values) return 1;
  for (i = 0; i < 3 * COUNT; ++i) values[i] = (float)(1 + i * 31 % 7);

  config.no_compile = 1;
  config.cache_dir = ""; // only the bundle, no compiler
#ifdef BUNDLE
  config.bundle = &example_kernels;
#else
  config.backend = GP_BACKEND_HOST;
#endif
  check(gp_open(&config, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  in = (float *)device_memory_new(&m, 3 * COUNT * sizeof *in);
  out = (float *)device_memory_new(&m, COUNT * sizeof *out);
  device_memory_write(&m, in, values, 3 * COUNT * sizeof *in);

  call = gp_call_init(GP_REDUCE);
  call.op = GP_SUM;
  call.in_type = GP_F32;
  call.out_type = GP_F64;
  call.in = in;
  call.out = out;
  call.count = COUNT;
  check(gp_run(ctx, &call, NULL));
  check(gp_kernel_origin(ctx, &call, &source, NULL, 0));
  device_memory_read(&m, &sum, out, sizeof sum);
  check(gp_inclusive_scan(ctx, GP_SUM, GP_F32, GP_F32, in, COUNT, out, NULL));
  device_memory_read(&m, &last, out + COUNT - 1, sizeof last);

  // A user's operator with the text of examples/bundle.txt.
  type_desc.name = "vec3";
  type_desc.source = "struct vec3 { float x, y, z; };";
  type_desc.size = sizeof(vec3);
  type_desc.align = 4;
  check(gp_type_struct(ctx, &type_desc, &vec3_type));
  op_desc.name = "nearest";
  op_desc.body = "return a.x * a.x + a.y * a.y + a.z * a.z <= b.x * b.x + b.y * b.y + b.z * b.z ? a : b;";
  op_desc.identity = "{1e30f, 1e30f, 1e30f}";
  op_desc.arity = 2;
  op_desc.commutative = 1;
  op_desc.host = nearest;
  op_desc.host_identity = &far_away;
  op_desc.host_identity_size = sizeof far_away;
  check(gp_op_define(ctx, &op_desc, &nearest_op));
  check(gp_reduce(ctx, nearest_op, vec3_type, vec3_type, in, COUNT, out, NULL));
  device_memory_read(&m, &found, out, sizeof found);

  printf("on %s, kernels from %s: sum %.1f, last of the scan %.1f, nearest (%.1f, %.1f, %.1f)\n", description.name,
      source == GP_KERNEL_BUNDLE ? "the bundle" : "the host back end", sum, last, found.x, found.y, found.z);
  device_memory_free(&m, in);
  device_memory_free(&m, out);
  free(values);
  check(gp_close(ctx));
  return sum > 0 && last > 0 ? 0 : 1;
}
