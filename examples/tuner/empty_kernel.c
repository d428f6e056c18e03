// empty_kernel.c - the time of an empty kernel by block size, between two events: average and standard deviation of 20
// launches, as in Table 1 of Tillmann and others, "Application-independent Autotuning for GPUs" (2013). The paper does
// not give the grid: here it is one block, and as many as 2^22 elements take, a thread each.
//
//     make examples && build/examples/tuner/empty_kernel --out build/empty_kernel.json
//
//     --out FILE     results as JSON, which spaces.py prints
//
// Without a GPU or NVRTC the program says so and exits with status 0.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include <math.h>
#include <time.h>

enum { EMPTY_LAUNCHES = 20, EMPTY_SIZES = 4, EMPTY_GRIDS = 2 };
static const unsigned empty_threads[EMPTY_SIZES] = {128, 256, 512, 1024};
static uint64_t empty_elements[EMPTY_GRIDS] = {1, 1 << 22};
static const char empty_text[] = "extern \"C\" __global__ void empty() {}";

typedef struct empty_row {
  unsigned threads, blocks;
  double us[EMPTY_LAUNCHES], average, deviation;
} empty_row;

static void empty_check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}

// Launches take turns, so that a drift of clocks hits all block sizes alike. The first round warms up.
static void empty_measure(own_gpu *g, void *kernel, empty_row *rows, int count) {
  int i, k;
  for (k = -1; k < EMPTY_LAUNCHES; ++k)
    for (i = 0; i < count; ++i) {
      double us;
      own_begin(g);
      own_launch(g, kernel, rows[i].blocks, 1, rows[i].threads, 1, 0, NULL);
      us = own_end(g);
      if (k >= 0) rows[i].us[k] = us;
    }
  for (i = 0; i < count; ++i) {
    double squares = 0;
    for (rows[i].average = 0, k = 0; k < EMPTY_LAUNCHES; ++k) rows[i].average += rows[i].us[k] / (double)EMPTY_LAUNCHES;
    for (k = 0; k < EMPTY_LAUNCHES; ++k) {
      const double off = rows[i].us[k] - rows[i].average;
      squares += off * off;
    }
    rows[i].deviation = sqrt(squares / (EMPTY_LAUNCHES - 1));
  }
}

static void empty_write(const own_gpu *g, const empty_row *rows, int count, const char *path) {
  FILE *file = fopen(path, "w");
  const time_t now = time(NULL);
  char date[32];
  int i, k;
  if (!file) own_stop("%s cannot be written", path);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  fprintf(file,
      "{\"program\": \"empty_kernel\", \"device\": \"%s\", \"driver\": \"%d.%d\", \"date\": \"%s\", \"rows\": [",
      g->name, g->driver_version / 1000, g->driver_version % 1000 / 10, date);
  for (i = 0; i < count; ++i) {
    fprintf(file, "%s\n  {\"threads\": %u, \"blocks\": %u, \"average_us\": %.3f, \"deviation_us\": %.3f, \"us\": [",
        i ? "," : "", rows[i].threads, rows[i].blocks, rows[i].average, rows[i].deviation);
    for (k = 0; k < EMPTY_LAUNCHES; ++k) fprintf(file, "%s%.3f", k ? ", " : "", rows[i].us[k]);
    fprintf(file, "]}");
  }
  fprintf(file, "]}\n");
  if (fclose(file)) own_stop("%s cannot be written", path);
}

int main(int argc, char **argv) {
  static own_gpu gpu;
  // The paper's, GeForce GTX 680, in ms.
  static const double published[EMPTY_SIZES][2] = {{0.256, 0.011}, {0.210, 0.009}, {0.232, 0.028}, {0.251, 0.022}};
  empty_row rows[EMPTY_GRIDS * EMPTY_SIZES];
  const char *out = NULL, *why;
  gp_context *ctx;
  int i;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
    else {
      fprintf(stderr, "usage: %s [--out FILE.json]\n", argv[0]);
      return 2;
    }
  }
  empty_check(gp_open(NULL, &ctx));
  why = own_open(&gpu, ctx);
  if (why) printf("skipped: %s\nOn a GPU it times an empty kernel at four block sizes.\n", why);
  else {
    void *module = own_module(&gpu, "empty_kernel", empty_text, NULL, NULL, NULL, 0);
    for (i = 0; i < EMPTY_GRIDS * EMPTY_SIZES; ++i) {
      const uint64_t elements = empty_elements[i / EMPTY_SIZES];
      rows[i].threads = empty_threads[i % EMPTY_SIZES];
      rows[i].blocks = (unsigned)((elements + rows[i].threads - 1) / rows[i].threads);
    }
    empty_measure(&gpu, own_kernel(&gpu, module, "empty"), rows, EMPTY_GRIDS * EMPTY_SIZES);
    printf("An empty kernel, %d launches each, on %s; us\n%10s%10s%12s%12s   %s\n", (int)EMPTY_LAUNCHES, gpu.name,
        "threads", "blocks", "average", "deviation", "GTX 680 (2013, grid not given)");
    for (i = 0; i < EMPTY_GRIDS * EMPTY_SIZES; ++i)
      printf("%10u%10u%12.2f%12.2f%12.0f%12.0f\n", rows[i].threads, rows[i].blocks, rows[i].average, rows[i].deviation,
          1e3 * published[i % EMPTY_SIZES][0], 1e3 * published[i % EMPTY_SIZES][1]);
    if (out) empty_write(&gpu, rows, EMPTY_GRIDS * EMPTY_SIZES, out);
  }
  empty_check(gp_close(ctx));
  return 0;
}
