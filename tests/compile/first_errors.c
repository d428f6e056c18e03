// The first errors of a newcomer that show at run time. Usage: first_errors CASE LIBRARY; prints gp_last_message.
// tests/compile/first_errors.py says what each must say. LIBRARY: a driver or an NVRTC, or none by that name.
#include "gpuprims.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(void *user, const char *key, const void *image, size_t bytes) {
  (void)user, (void)key, (void)image, (void)bytes;
}
static gp_config config_of(gp_backend backend) {
  gp_config config = gp_config_init();
  config.backend = backend;
  config.cache_dir = "";
  return config;
}
static gp_context *open_with(const gp_config *config) {
  gp_context *ctx = NULL;
  if (gp_open(config, &ctx)) printf("%s\n", gp_last_message());
  return ctx;
}

static void compile_operator(const char *library, const char *prelude, const char *body) {
  gp_config config = config_of(GP_BACKEND_HOST);
  gp_op_desc desc = gp_op_desc_init();
  gp_call call = gp_call_init(GP_REDUCE);
  gp_context *ctx;
  if (strcmp(library, "-")) config.nvrtc_library = library;
  ctx = open_with(&config);
  desc.name = "larger";
  desc.arity = 2;
  desc.identity = "0";
  desc.prelude = prelude;
  desc.body = body;
  call.in_type = call.out_type = GP_F32;
  call.count = 1000;
  if (!ctx || gp_op_define(ctx, &desc, &call.op) || gp_compile(ctx, &call, 90, take, NULL))
    printf("%s\n", gp_last_message());
  gp_close(ctx);
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "", *library = argc > 2 ? argv[2] : "";
  float in[4] = {1, 2, 3, 4}, out[4] = {0};
  if (!strcmp(what, "driver")) {
    gp_config config = config_of(GP_BACKEND_CUDA);
    config.cuda_library = library;
    gp_close(open_with(&config));
  } else if (!strcmp(what, "host pointer")) {
    gp_config config = config_of(GP_BACKEND_CUDA);
    gp_context *ctx;
    config.cuda_library = library;
    ctx = open_with(&config);
    if (gp_copy(ctx, GP_F32, in, 4, out, NULL)) printf("%s\n", gp_last_message());
    gp_close(ctx);
  } else if (!strcmp(what, "device pointer")) {
    gp_config config = config_of(GP_BACKEND_HOST);
    gp_context *ctx = open_with(&config);
    if (!dlopen(library, RTLD_NOW)) printf("%s\n", dlerror());
    if (gp_copy(ctx, GP_F32, in, 4, out, NULL)) printf("%s\n", gp_last_message());
    gp_close(ctx);
  } else if (!strcmp(what, "typo")) {
    compile_operator(library, NULL, "float larger = a > b ? a : b;\nreturn lager;");
  } else if (!strcmp(what, "include")) {
    compile_operator(library, "#include <cuda_fp16.h>", "return a > b ? a : b;");
  } else {
    printf("no such case: %s\n", what);
  }
  return 0;
}
