// program.c - a program of a package's user: with the implementation in it, or in libgpuprims.so
#include "gpuprims.h"

int main(void) {
  gp_config config = gp_config_init();
  gp_context *ctx;
  int32_t in[3] = {1, 2, 3}, sum = 0;
  config.backend = GP_BACKEND_HOST;
  if (gp_open(&config, &ctx) || gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, in, 3, &sum, NULL)) return 1;
  return gp_close(ctx) || sum != 6;
}
