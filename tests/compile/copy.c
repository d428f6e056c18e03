// copy.c - a library with its own copy of gpuprims, by GPUPRIMS_NAMESPACE or GPUPRIMS_STATIC. ENTRY is the name of its
// one function, which returns the sum of 1 to n.
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#ifdef __cplusplus
extern "C" long long ENTRY(int n);
#else
long long ENTRY(int n);
#endif

long long ENTRY(int n) {
  static const int32_t first = 1;
  int32_t values[256];
  int64_t sum = -1;
  gp_config config = gp_config_init();
  gp_context *ctx;
  config.backend = GP_BACKEND_HOST;
  if (n > 256 || gp_open(&config, &ctx) != GP_SUCCESS) return -1;
  if (gp_iota(ctx, GP_I32, &first, NULL, values, (uint64_t)n, NULL) != GP_SUCCESS ||
      gp_reduce(ctx, GP_SUM, GP_I32, GP_I64, values, (uint64_t)n, &sum, NULL) != GP_SUCCESS)
    sum = -1;
  if (gp_close(ctx) != GP_SUCCESS) sum = -1;
  return sum;
}
