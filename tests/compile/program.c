// program.c - the implementation in one file: it must compile, link and work. Compiled as every standard of C and C++.
//   LATE          the declarations are included first, the implementation later
//   OTHERS_FIRST  other headers come first, with their names and feature macros
//   WITHOUT_MAIN  no main: for a shared library
#ifdef OTHERS_FIRST
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef LATE
#include "gpuprims.h"
#endif
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#ifndef WITHOUT_MAIN
#include <stdio.h>

int main(void) {
  enum { COUNT = 1000 };
  static int32_t in[COUNT], prefix[COUNT];
  gp_config config = gp_config_init();
  gp_context *ctx;
  int64_t sum = -1;
  int i, wrong = 0;
  for (i = 0; i < COUNT; ++i) in[i] = i - 100;
  config.backend = GP_BACKEND_HOST;
  if (gp_open(&config, &ctx) != GP_SUCCESS) {
    printf("gp_open: %s\n", gp_last_message());
    return 1;
  }
  wrong += gp_reduce(ctx, GP_SUM, GP_I32, GP_I64, in, COUNT, &sum, NULL) != GP_SUCCESS;
  wrong += gp_exclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, NULL, in, COUNT, prefix, NULL) != GP_SUCCESS;
  wrong += sum != 399500 || prefix[0] != 0 || prefix[COUNT - 1] != 399500 - 899;
  wrong += gp_reduce(ctx, GP_SUM, GP_I32, GP_I64, NULL, COUNT, &sum, NULL) != GP_E_NULL;
  wrong += gp_close(ctx) != GP_SUCCESS;
  if (wrong) printf("%d wrong, sum %lld: %s\n", wrong, (long long)sum, gp_last_message());
  return wrong != 0;
}
#endif
