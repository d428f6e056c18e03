// made_up_tuner_program.c - a program on examples/tuner/program.h with a GPU and times that are made up, so that the
// measurement of a space can be checked by hand. Usage: made_up_tuner_program HOW ORDER [options of program.h], HOW
// being right, wrong, changes or no_gpu. ORDER: a file for the configurations, a line for each run of one.
#include "gpuprims.h"
#include "tests/kernels/own_tuner_emulated.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- examples/own_kernels.h

#define OWN_KERNELS_H
typedef struct own_gpu {
  char name[128];
  int driver_version, nvrtc_version;
  void *stream;
} own_gpu;

static const char *how;
static FILE *order;
static int threads, unroll, mode, timing, runs, checks;
static double us; // of the last run

static void own_stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  exit(1);
}
static const char *own_open_compiler(own_gpu *g) { return (void)g, "no compiler"; }
static const char *own_open(own_gpu *g, gp_context *ctx) {
  (void)ctx;
  strcpy(g->name, "made up");
  g->driver_version = 13010, g->nvrtc_version = 12080;
  return strcmp(how, "no_gpu") ? NULL : "it is made up";
}
static char *own_text(const char *path) { return (void)path, (char *)calloc(1, 1); }
static char *own_compile(own_gpu *g, const char *name, const char *text, const char *header_name, const char *header,
    int capability, const char *const *options, int count) {
  (void)g, (void)name, (void)text, (void)header_name, (void)header, (void)capability, (void)options, (void)count;
  return NULL;
}
static void *own_module(own_gpu *g, const char *name, const char *text, const char *header_name, const char *header,
    const char *const *options, int count) {
  return own_compile(g, name, text, header_name, header, 0, options, count);
}
static void *own_kernel(own_gpu *g, void *module, const char *name) { return (void)g, (void)name, module; }
static const char *own_try_launch(own_gpu *g, void *kernel, unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
    unsigned threads_y, unsigned shared_bytes, void **arguments) {
  (void)g, (void)kernel, (void)blocks_x, (void)blocks_y, (void)threads_y, (void)shared_bytes, (void)arguments;
  return threads_x > 1024 ? "CUDA_ERROR_INVALID_VALUE" : NULL;
}
static void *own_new(own_gpu *g, uint64_t bytes) { return (void)g, malloc(bytes); }
static void own_free(own_gpu *g, void *memory) { (void)g, free(memory); }
static void own_write(own_gpu *g, void *to, const void *from, uint64_t bytes) { (void)g, memcpy(to, from, bytes); }
static void own_read(own_gpu *g, void *to, const void *from, uint64_t bytes) { (void)g, memcpy(to, from, bytes); }
static void own_set(own_gpu *g, void *to, int byte, uint64_t bytes) { (void)g, memset(to, byte, bytes); }
static void own_wait(own_gpu *g) { (void)g; }
static void own_begin(own_gpu *g) { (void)g, timing = 1; }
static double own_end(own_gpu *g) { return (void)g, timing = 0, us; }

#include "examples/tuner/program.h"

// ---- the library's calls

gp_result gp_open(const gp_config *config, gp_context **ctx) { return (void)config, *ctx = NULL, GP_SUCCESS; }
gp_result gp_close(gp_context *ctx) { return (void)ctx, GP_SUCCESS; }
const char *gp_result_name(gp_result result) { return (void)result, "?"; }
const char *gp_last_message(void) { return "?"; }

// ---- the program: 100 us, more for other threads than 64 and other degrees of unrolling than 4; mode 7 doubles it

static int *memory;

static void open_(tuner_program *p) { memory = (int *)tuner_new(p, sizeof *memory); }
static void close_(tuner_program *p) { tuner_free(p, memory); }
static const char *invalid(tuner_program *p) {
  (void)p;
  return threads == 96 && unroll == 4 ? "96 by 4" : NULL;
}
static void clear(tuner_program *p) { tuner_set(p, memory, 0xff, sizeof *memory); }
static const char *run(tuner_program *p) {
  const char *why = p->gpu ? tuner_launch(p, NULL, 1, threads, 0, NULL) : NULL;
  const int result = strcmp(how, "wrong") || threads != 32 || unroll != 1;
  fprintf(order, "%d %d %d %d\n", threads, unroll, mode, timing);
  if (why) return why;
  if (!strcmp(how, "changes") && timing) return "it has run before";
  us = (100 + (threads > 64 ? threads - 64 : 64 - threads) + 10 * (unroll > 4 ? unroll - 4 : 4 - unroll)) *
      (mode == 7 ? 2 : 1);
  us += 0.25 * (runs++ % 2);
  tuner_write(p, memory, &result, sizeof result);
  return NULL;
}
static const char *check(tuner_program *p) {
  int result;
  tuner_read(p, &result, memory, sizeof result);
  ++checks;
  return result == 1 ? NULL : "a made-up fault";
}
static const char *check_more(tuner_program *p) {
  printf("more of %d %d %d at size %llu\n", threads, unroll, mode, (unsigned long long)p->size);
  return NULL;
}

int main(int argc, char **argv) {
  static const int all_threads[] = {32, 64, 96, 2048}, unrolls[] = {1, 2, 4, 8}, modes[] = {7, 3};
  const tuner_parameter parameters[] = {{"threads", &threads, all_threads, 4, 32, 0},
      {"unroll", &unroll, unrolls, 4, 2, 0}, {"mode", &mode, modes, 2, 7, 1}};
  tuner_program p;
  int status;
  if (argc < 3) return 2;
  how = argv[1];
  order = fopen(argv[2], "w");
  if (!order) return 2;
  memset(&p, 0, sizeof p);
  p.name = "made_up", p.about = "a made-up program";
  p.parameters = parameters, p.parameter_count = 3;
  p.size = 1000, p.host_size = 10;
  p.open = open_, p.invalid = invalid, p.clear = clear, p.run = run, p.check = check, p.check_more = check_more;
  p.close = close_;
  status = tuner_main(&p, argc - 2, argv + 2);
  fclose(order);
  printf("%d checks\n", checks);
  return status;
}
