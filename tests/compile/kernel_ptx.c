// kernel_ptx.c - prints the PTX of the calls' kernels for compute capability 9.0: an argument a call, spelled as a cell
// (tools/gp_cells.h). For tests/unit/test_written_registers.py. Exit status 77: no NVRTC.
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"

#include "gp_cells.h"

static int (*compile)(void *program, int count, const char *const *options);
static int compile_to_ptx(void *program, int count, const char *const *options) {
  const char *changed[8] = {"--gpu-architecture=compute_90"};
  int i;
  for (i = 1; i < count && i < 8; ++i) changed[i] = options[i]; // [0] is the architecture
  return compile(program, count, changed);
}

static void print_image(void *user, const char *key, const void *image, size_t bytes) {
  printf("// %s %s\n%.*s\n", (const char *)user, key, (int)bytes, (const char *)image);
}

int main(int argc, char **argv) {
  gp_config config = gp_config_init();
  gp_context *ctx;
  struct gp_driver *driver;
  gp__state *state;
  cell_types types;
  const char *wrong;
  int i;
  memset(&types, 0, sizeof types);
  config.backend = GP_BACKEND_HOST;
  config.cache_dir = "";
  if (!gp_open(&config, &ctx)) {
    state = ctx->state;
    if (gp__open_nvrtc(&state->library.runtime, "kernel_ptx")) {
      fprintf(stderr, "%s\n", gp_last_message());
      return 77;
    }
    driver = &state->library.runtime.driver;
    compile = driver->nvrtcCompileProgram;
    driver->nvrtcCompileProgram = compile_to_ptx;
    driver->nvrtcGetCUBINSize = driver->nvrtcGetPTXSize;
    driver->nvrtcGetCUBIN = driver->nvrtcGetPTX;
    wrong = cell_types_define(&types, ctx);
    for (i = 1; i < argc && !wrong; ++i) {
      cell c;
      gp_call call;
      wrong = parse_cell(argv[i], &c);
      if (wrong) break;
      call = cell_call(&types, &c, NULL);
      if (gp_compile(ctx, &call, 90, print_image, argv[i])) wrong = gp_last_message();
    }
    if (!wrong) return 0;
    fprintf(stderr, "%s: %s\n", i < argc ? argv[i] : "types", wrong);
  } else fprintf(stderr, "%s\n", gp_last_message());
  return 1;
}
