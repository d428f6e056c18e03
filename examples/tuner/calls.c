// calls.c - calls of the library that get faster while the program runs: GP_TUNING_ONLINE. The program sums, sorts and
// selects in a loop, 20 calls of a kind at a time, checks the results, and prints the time of a call on the GPU by
// second, and the host's.
//
//     make examples && build/examples/tuner/calls --seconds 10
//
//     --off            without tuning
//     --size N         elements (5,000,000)
//     --report FILE    what was learned (gp_tuning_report), for `python3 -m tools.farm tuner`
//     --times FILE     the medians by second and the host's times, as JSON
//     --cache PATH     an absolute path: where kernels and what was learned are kept; "": nowhere
//
// Without a GPU the host back end does the work, and nothing is tuned.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include <sys/time.h>

enum { CALLS_KINDS = 3, CALLS_SECONDS = 600, CALLS_BATCH = 20 };
static const char *const calls_names[CALLS_KINDS] = {"reduce SUM u32", "sort_keys u32", "select LESS u32"};

typedef struct calls_times { // of one kind
  double *us, *host_us;
  int *second;
  int count, room;
} calls_times;

static void calls_good(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}
static double calls_now(void) { // us
  struct timeval now; // what strict C99 leaves
  gettimeofday(&now, NULL);
  return (double)now.tv_sec * 1e6 + (double)now.tv_usec;
}
static void calls_note(calls_times *t, double us, double host_us, int second) {
  if (t->count == t->room) {
    t->room = 2 * t->room + 1024;
    t->us = (double *)realloc(t->us, (size_t)t->room * sizeof *t->us);
    t->host_us = (double *)realloc(t->host_us, (size_t)t->room * sizeof *t->host_us);
    t->second = (int *)realloc(t->second, (size_t)t->room * sizeof *t->second);
    if (!t->us || !t->host_us || !t->second) own_stop("no memory");
  }
  t->us[t->count] = us;
  t->host_us[t->count] = host_us;
  t->second[t->count++] = second;
}
static int calls_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
// The share `at` of a second's times (-1: of all), from the least on; 0: there is none.
static double calls_quantile(const calls_times *t, const double *of, int second, double at) {
  double *x = (double *)malloc((size_t)(t->count + 1) * sizeof *x), value;
  int i, count = 0;
  if (!x) own_stop("no memory");
  for (i = 0; i < t->count; ++i)
    if (second < 0 || t->second[i] == second) x[count++] = of[i];
  qsort(x, (size_t)count, sizeof *x, calls_ascending);
  value = count ? x[(int)(at * (count - 1) + 0.5)] : 0;
  free(x);
  return value;
}

typedef struct calls_data {
  uint32_t *in, *sorted, *selected, *sum; // the GPU's, or the host's
  uint64_t *selected_count;
  uint64_t size;
} calls_data;

static uint32_t calls_value(uint64_t i) {
  const uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
  return (uint32_t)(x >> 32 ^ x >> 11);
}
static const uint32_t calls_limit = 1u << 31;

static gp_result calls_run(gp_context *ctx, const calls_data *d, int kind, gp_stream stream) {
  if (kind == 0) return gp_reduce(ctx, GP_SUM, GP_U32, GP_U32, d->in, d->size, d->sum, stream);
  if (kind == 1) return gp_sort_keys(ctx, GP_U32, d->in, d->size, d->sorted, 0, stream);
  return gp_select_if(ctx, GP_LESS, GP_U32, &calls_limit, d->in, d->size, d->selected, d->selected_count, stream);
}
// The number of wrong results. The arrays are the host's.
static int calls_wrong(const calls_data *d) {
  uint32_t sum = 0;
  uint64_t i, count = 0, wrong = 0, mixed = 0, sorted_mixed = 0;
  for (i = 0; i < d->size; ++i) {
    sum += d->in[i];
    mixed += d->in[i] * (uint64_t)d->in[i];
    sorted_mixed += d->sorted[i] * (uint64_t)d->sorted[i];
    wrong += i && d->sorted[i - 1] > d->sorted[i];
    if (d->in[i] < calls_limit) {
      wrong += count < d->selected_count[0] && d->selected[count] != d->in[i];
      ++count;
    }
  }
  return (wrong != 0) + (sum != *d->sum) + (mixed != sorted_mixed) + (count != *d->selected_count);
}

static void *calls_new(own_gpu *g, uint64_t bytes) {
  void *memory = g ? own_new(g, bytes) : calloc((size_t)bytes, 1);
  if (!memory) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  return memory;
}
// Whether the last results are right: 0.
static int calls_check(own_gpu *g, const calls_data *d) {
  const uint64_t bytes = d->size * sizeof(uint32_t);
  calls_data h = *d;
  int wrong;
  if (!g) return calls_wrong(d);
  h.in = (uint32_t *)calls_new(NULL, bytes), h.sorted = (uint32_t *)calls_new(NULL, bytes);
  h.selected = (uint32_t *)calls_new(NULL, bytes), h.sum = (uint32_t *)calls_new(NULL, sizeof *h.sum);
  h.selected_count = (uint64_t *)calls_new(NULL, sizeof *h.selected_count);
  own_read(g, h.in, d->in, bytes), own_read(g, h.sorted, d->sorted, bytes);
  own_read(g, h.selected, d->selected, bytes), own_read(g, h.sum, d->sum, sizeof *h.sum);
  own_read(g, h.selected_count, d->selected_count, sizeof *h.selected_count);
  wrong = calls_wrong(&h);
  free(h.in), free(h.sorted), free(h.selected), free(h.sum), free(h.selected_count);
  return wrong;
}

static void calls_write_times(
    const char *path, const char *device, const calls_data *d, int tuned, const calls_times *times, int seconds) {
  FILE *file = fopen(path, "w");
  int kind, k;
  if (!file) own_stop("%s cannot be written", path);
  fprintf(file, "{\"program\": \"calls\", \"device\": \"%s\", \"size\": %llu, \"tuned\": %s, \"calls\": [", device,
      (unsigned long long)d->size, tuned ? "true" : "false");
  for (kind = 0; kind < CALLS_KINDS; ++kind) {
    const calls_times *t = &times[kind];
    fprintf(
        file, "%s\n  {\"call\": \"%s\", \"count\": %d, \"median_us\": [", kind ? "," : "", calls_names[kind], t->count);
    for (k = 0; k < seconds; ++k) fprintf(file, "%s%.3f", k ? ", " : "", calls_quantile(t, t->us, k, 0.5));
    fprintf(file, "], \"host_us\": {\"median\": %.3f, \"p99\": %.3f, \"p999\": %.3f, \"most\": %.3f}}",
        calls_quantile(t, t->host_us, -1, 0.5), calls_quantile(t, t->host_us, -1, 0.99),
        calls_quantile(t, t->host_us, -1, 0.999), calls_quantile(t, t->host_us, -1, 1));
  }
  fprintf(file, "]}\n");
  if (fclose(file)) own_stop("%s cannot be written", path);
}
static void calls_write_report(gp_context *ctx, const char *path) {
  FILE *file = fopen(path, "w");
  size_t length;
  char *text;
  if (!file) own_stop("%s cannot be written", path);
  calls_good(gp_tuning_report(ctx, NULL, 0, &length));
  text = (char *)malloc(length + 1);
  if (!text) own_stop("no memory");
  calls_good(gp_tuning_report(ctx, text, length + 1, &length));
  fputs(text, file);
  free(text);
  if (fclose(file)) own_stop("%s cannot be written", path);
}

static int calls_usage(const char *program) {
  fprintf(
      stderr, "usage: %s [--seconds S] [--off] [--size N] [--report FILE] [--times FILE] [--cache PATH]\n", program);
  return 2;
}

int main(int argc, char **argv) {
  static own_gpu gpu;
  static calls_times times[CALLS_KINDS];
  gp_config config = gp_config_init();
  gp_context *ctx;
  calls_data d;
  const char *report = NULL, *file = NULL, *why;
  int seconds = 2, kind, i, wrong;
  double began, host_us[CALLS_BATCH];
  own_gpu *g;
  uint64_t k;
  memset(&d, 0, sizeof d);
  config.tuning = GP_TUNING_ONLINE;
  for (i = 1; i < argc; ++i) {
    const int more = i + 1 < argc;
    if (!strcmp(argv[i], "--off")) config.tuning = GP_TUNING_OFF;
    else if (!strcmp(argv[i], "--seconds") && more) seconds = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--size") && more) d.size = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--report") && more) report = argv[++i];
    else if (!strcmp(argv[i], "--times") && more) file = argv[++i];
    else if (!strcmp(argv[i], "--cache") && more) config.cache_dir = argv[++i];
    else return calls_usage(argv[0]);
  }
  if (seconds < 1 || seconds > CALLS_SECONDS) return calls_usage(argv[0]);
  calls_good(gp_open(&config, &ctx));
  why = own_open(&gpu, ctx);
  g = why ? NULL : &gpu;
  if (why) printf("no GPU, so nothing is tuned: %s\n", why);
  if (!d.size) d.size = g ? 5000000 : 100000;
  d.in = (uint32_t *)calls_new(g, d.size * sizeof *d.in),
  d.sorted = (uint32_t *)calls_new(g, d.size * sizeof *d.sorted);
  d.selected = (uint32_t *)calls_new(g, d.size * sizeof *d.selected);
  d.sum = (uint32_t *)calls_new(g, sizeof *d.sum);
  d.selected_count = (uint64_t *)calls_new(g, sizeof *d.selected_count);
  {
    uint32_t *values = g ? (uint32_t *)calls_new(NULL, d.size * sizeof *values) : d.in;
    for (k = 0; k < d.size; ++k) values[k] = calls_value(k);
    if (g) own_write(g, d.in, values, d.size * sizeof *values), free(values);
  }
  printf("%llu elements on %s, %s\n", (unsigned long long)d.size, g ? gpu.name : "the host",
      g && config.tuning ? "tuned while they run" : "not tuned");
  for (kind = 0; kind < CALLS_KINDS; ++kind) // compiles the kernels
    calls_good(calls_run(ctx, &d, kind, g ? (gp_stream)g->stream : NULL));
  if (g) own_wait(g);
  began = calls_now();
  for (;;) {
    const int second = (int)((calls_now() - began) / 1e6);
    if (second >= seconds) break;
    for (kind = 0; kind < CALLS_KINDS; ++kind) {
      const double batch = calls_now();
      double us;
      if (g) own_begin(g);
      for (i = 0; i < CALLS_BATCH; ++i) {
        const double start = calls_now();
        calls_good(calls_run(ctx, &d, kind, g ? (gp_stream)g->stream : NULL));
        host_us[i] = calls_now() - start;
      }
      us = (g ? own_end(g) : calls_now() - batch) / CALLS_BATCH;
      for (i = 0; i < CALLS_BATCH; ++i) calls_note(&times[kind], us, host_us[i], second);
    }
  }
  wrong = calls_check(g, &d);
  printf("%-16s %8s %11s %11s %36s\n", "", "calls", "first s, us", "last s, us", "host us: median, p99, p99.9, most");
  for (kind = 0; kind < CALLS_KINDS; ++kind) {
    const calls_times *t = &times[kind];
    printf("%-16s %8d %11.2f %11.2f %12.2f %7.2f %7.2f %7.2f\n", calls_names[kind], t->count,
        calls_quantile(t, t->us, 0, 0.5), calls_quantile(t, t->us, seconds - 1, 0.5),
        calls_quantile(t, t->host_us, -1, 0.5), calls_quantile(t, t->host_us, -1, 0.99),
        calls_quantile(t, t->host_us, -1, 0.999), calls_quantile(t, t->host_us, -1, 1));
  }
  if (file) calls_write_times(file, g ? gpu.name : "host", &d, config.tuning != GP_TUNING_OFF, times, seconds);
  if (report && g && config.tuning) calls_write_report(ctx, report);
  calls_good(gp_close(ctx));
  printf("Results:\n%d passed, %d failed, 0 skipped\n", 4 - wrong, wrong);
  return wrong != 0;
}
