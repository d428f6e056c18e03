// cotuning.c - a kernel and the library routine inside it, tuned together and apart: how much is lost by tuning apart?
// (source: cotuning.cuh)
//
//     make examples && build/examples/cotuning/cotuning --out build/cotuning.json --seconds 60
//
//     --out FILE     results as JSON, which make paper reads
//     --seconds N    begins no further size after so long (default 120)
//     --quick        one small size, one batch: a check, no measurement
//     --folder PATH  where cotuning.cuh is, --header FILE: gpuprims.h, from elsewhere than the project's folder
//
// The routine has two parameters, the kernel around it three. Compared are, for each size:
//     default    every parameter at its default
//     apart      the routine's parameters from the routine alone, the kernel's from the kernel with a default routine
//     in turn    the routine's parameters from the routine alone, then the kernel's around that routine
//     together   the best of all points
// (Merrill, Garland and Grimshaw, Policy-based Tuning for Performance Portability and Library Co-optimization, 2012.)
// The best of many is partly luck, so that the four are measured again, in turns; the losses are of these times.
//
// Every point's result is compared with the host's. Without a GPU or NVRTC the program says so and exits with status 0.
#ifndef COTUNING_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include <math.h>
#include <time.h>

#ifndef COTUNING_COLUMNS
#define COTUNING_COLUMNS 4096
#endif
enum {
  THREADS = 4,
  LOADS = 3,
  PASSES = 2,
  STORES = 2,
  BLOCKS = 4,
  POINTS = THREADS * LOADS * PASSES * STORES * BLOCKS
};
enum { BATCHES = 9, BATCH_US = 1000, MOST_CALLS = 200 };
static const int thread_values[THREADS] = {256, 128, 512, 1024}; // the first of each is the default
static const int load_values[LOADS] = {GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2};
static const int pass_values[PASSES] = {2, 1};
static const int store_values[STORES] = {GP_CACHE_ALL, GP_CACHE_STREAMING};
static const int block_values[BLOCKS] = {0, 1, 2, 4}; // of a multiprocessor; 0: a block a row
static const char *const cache_names[] = {"", "STREAMING", "L2", "ALL"};
enum { DEFAULT, APART, IN_TURN, TOGETHER, WAYS };
static const char *const way_names[WAYS] = {"default", "apart", "in turn", "together"};

typedef struct point {
  int threads, load, passes, store, blocks; // indices
} point;

typedef struct cotuning {
  own_gpu gpu;
  gp_context *ctx;
  void *rows[THREADS][LOADS][PASSES][STORES], *sums[THREADS][LOADS];
  int quick, checked, wrong, sizes;
  uint64_t n, sets, at;
  float *in, *out, *norms;
  FILE *json;
} cotuning;

static void check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}
static point point_of(int index) {
  point p;
  p.blocks = index % BLOCKS, index /= BLOCKS;
  p.store = index % STORES, index /= STORES;
  p.passes = index % PASSES, index /= PASSES;
  p.load = index % LOADS, index /= LOADS;
  p.threads = index;
  return p;
}
static void point_text(char *to, size_t size, point p) {
  snprintf(to, size, "threads=%d,load=%s,passes=%d,store=%s,blocks_per_sm=%d", thread_values[p.threads],
      cache_names[load_values[p.load]], pass_values[p.passes], cache_names[store_values[p.store]],
      block_values[p.blocks]);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// All points of a block size, in one program. The caller frees the text.
static char *program_of(const char *source, int t) {
  const size_t room = strlen(source) + 8000;
  char *text = (char *)malloc(room);
  int l, p, s;
  size_t at;
  if (!text) own_stop("no memory for a program's text");
  at = (size_t)snprintf(text, room, "#include \"gpuprims.h\"\n%s\n", source);
  for (l = 0; l < LOADS; ++l) {
    at += (size_t)snprintf(text + at, room - at, "COTUNING_SUMS(cotuning_sums_%d_%d, %d, %d)\n", thread_values[t],
        load_values[l], thread_values[t], load_values[l]);
    for (p = 0; p < PASSES; ++p)
      for (s = 0; s < STORES; ++s)
        at += (size_t)snprintf(text + at, room - at, "COTUNING_ROWS(cotuning_rows_%d_%d_%d_%d, %d, %d, %d, %d)\n",
            thread_values[t], load_values[l], pass_values[p], store_values[s], thread_values[t], load_values[l],
            pass_values[p], store_values[s]);
  }
  return text;
}

static void make_kernels(cotuning *c, const char *source, const char *header) {
  char name[80];
  int t, l, p, s;
  for (t = 0; t < THREADS; ++t) {
    char *text = program_of(source, t);
    void *module = own_module(&c->gpu, "cotuning.cuh", text, "gpuprims.h", header, NULL, 0);
    free(text);
    for (l = 0; l < LOADS; ++l) {
      snprintf(name, sizeof name, "cotuning_sums_%d_%d", thread_values[t], load_values[l]);
      c->sums[t][l] = own_kernel(&c->gpu, module, name);
      for (p = 0; p < PASSES; ++p)
        for (s = 0; s < STORES; ++s) {
          snprintf(name, sizeof name, "cotuning_rows_%d_%d_%d_%d", thread_values[t], load_values[l], pass_values[p],
              store_values[s]);
          c->rows[t][l][p][s] = own_kernel(&c->gpu, module, name);
        }
    }
  }
}

static unsigned blocks_of(const cotuning *c, int blocks) {
  const uint64_t rows = c->n / COTUNING_COLUMNS,
                 most = (uint64_t)block_values[blocks] * (unsigned)c->gpu.multiprocessors;
  return (unsigned)(most && most < rows ? most : rows);
}
// alone: the routine.
static void start(cotuning *c, point p, int alone) {
  const uint64_t set = c->at++ % c->sets * c->n;
  float *in = c->in + set, *out = c->out + set;
  unsigned long long n = c->n;
  void *arguments[4];
  int i = 0;
  arguments[i++] = &in;
  if (!alone) arguments[i++] = &out;
  arguments[i++] = &c->norms;
  arguments[i++] = &n;
  own_launch(&c->gpu, alone ? c->sums[p.threads][p.load] : c->rows[p.threads][p.load][p.passes][p.store],
      blocks_of(c, p.blocks), 1, (unsigned)thread_values[p.threads], 1, 0, arguments);
}

// ---- inputs and expected results ------------------------------------------------------------------------------------

static float value_at(uint64_t i) { return (float)((uint32_t)i * 2654435761u >> 20) / 1024 - 1; }
static int near(double got, double wanted) { return fabs(got - wanted) <= 2e-3 * (1 + fabs(wanted)); }

static int is_right(cotuning *c, const float *out, const float *norms, int alone) {
  uint64_t row, i;
  for (row = 0; row < c->n / COTUNING_COLUMNS; ++row) {
    double sum = 0, squares = 0, mean, scale;
    for (i = 0; i < COTUNING_COLUMNS; ++i) {
      const double x = value_at(row * COTUNING_COLUMNS + i);
      sum += x, squares += x * x;
    }
    if (alone) {
      if (!near(norms[row], sum)) return 0;
      continue;
    }
    mean = sum / COTUNING_COLUMNS;
    scale = 1 / sqrt(squares / COTUNING_COLUMNS - mean * mean + 1e-5);
    if (!near(norms[row], sqrt(squares))) return 0;
    for (i = 0; i < COTUNING_COLUMNS; ++i) {
      const uint64_t at = row * COTUNING_COLUMNS + i;
      if (!near(out[at], (value_at(at) - mean) * scale)) return 0;
    }
  }
  return 1;
}
static void check_point(cotuning *c, point p, int alone) {
  const uint64_t bytes = 4 * c->n, rows = c->n / COTUNING_COLUMNS;
  float *out = (float *)malloc(bytes), *norms = (float *)malloc(4 * rows);
  char text[120];
  if (!out || !norms) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  own_set(&c->gpu, c->out, 0xff, bytes);
  own_set(&c->gpu, c->norms, 0xff, 4 * rows);
  c->at = 0;
  start(c, p, alone);
  own_read(&c->gpu, out, c->out, bytes);
  own_read(&c->gpu, norms, c->norms, 4 * rows);
  ++c->checked;
  if (!is_right(c, out, norms, alone)) {
    point_text(text, sizeof text, p);
    fprintf(stderr, "FAILED: %s %s\n", alone ? "routine" : "kernel", text);
    ++c->wrong;
  }
  free(out);
  free(norms);
}

// ---- timing ---------------------------------------------------------------------------------------------------------

static double time_batch(cotuning *c, point p, int alone, int calls) {
  int i;
  own_begin(&c->gpu);
  for (i = 0; i < calls; ++i) start(c, p, alone);
  return own_end(&c->gpu) / calls;
}
static int calls_of(cotuning *c, point p, int alone) {
  double us;
  if (c->quick) return 1;
  time_batch(c, p, alone, 2);
  us = time_batch(c, p, alone, 4);
  return us * MOST_CALLS < BATCH_US ? MOST_CALLS : us > BATCH_US ? 1 : (int)(BATCH_US / us);
}
static double least_us(cotuning *c, point p, int alone) {
  const int calls = calls_of(c, p, alone);
  double least = time_batch(c, p, alone, calls);
  int i;
  for (i = 1; i < (c->quick ? 1 : 3); ++i) {
    const double us = time_batch(c, p, alone, calls);
    if (us < least) least = us;
  }
  return least;
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The points of the four ways, from the times of all points and of the routine alone.
static void choose(const double *us, const double alone[THREADS][LOADS], point chosen[WAYS]) {
  double least[WAYS] = {1e30, 1e30, 1e30, 1e30};
  int i, t, l, best_t = 0, best_l = 0;
  memset(chosen, 0, WAYS * sizeof *chosen);
  for (t = 0; t < THREADS; ++t)
    for (l = 0; l < LOADS; ++l)
      if (alone[t][l] < alone[best_t][best_l]) best_t = t, best_l = l;
  for (i = 0; i < POINTS; ++i) {
    const point p = point_of(i);
    if (us[i] < least[TOGETHER]) least[TOGETHER] = us[i], chosen[TOGETHER] = p;
    if (p.threads == best_t && p.load == best_l && us[i] < least[IN_TURN]) least[IN_TURN] = us[i], chosen[IN_TURN] = p;
    if (p.threads == 0 && p.load == 0 && us[i] < least[APART]) least[APART] = us[i], chosen[APART] = p;
  }
  chosen[APART].threads = best_t, chosen[APART].load = best_l;
}

// Every point is checked at the first size, the chosen ones at all: a check copies the result to the host.
static void run_size(cotuning *c, uint64_t n) {
  static double us[POINTS];
  const uint64_t least = c->quick ? 0 : 4 * (uint64_t)c->gpu.l2_bytes, bytes = 4 * n, rows = n / COTUNING_COLUMNS;
  double alone[THREADS][LOADS], again[WAYS][BATCHES];
  float *data = (float *)malloc(bytes);
  point chosen[WAYS], p;
  char text[120];
  uint64_t i;
  const int first = c->n == 0;
  int k, way, round, rounds = c->quick ? 1 : BATCHES;
  if (!data) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  c->n = n, c->at = 0, c->sets = least / bytes > 2 ? least / bytes : 2;
  c->in = (float *)own_new(&c->gpu, c->sets * bytes);
  c->out = (float *)own_new(&c->gpu, c->sets * bytes);
  c->norms = (float *)own_new(&c->gpu, 4 * rows);
  for (i = 0; i < n; ++i) data[i] = value_at(i);
  for (i = 0; i < c->sets; ++i) own_write(&c->gpu, c->in + i * n, data, bytes);
  free(data);
  for (k = 0; k < POINTS; ++k) {
    p = point_of(k);
    if (first) check_point(c, p, 0);
    us[k] = least_us(c, p, 0);
    if (p.passes || p.store || p.blocks) continue;
    if (first) check_point(c, p, 1);
    alone[p.threads][p.load] = least_us(c, p, 1);
  }
  choose(us, (const double(*)[LOADS])alone, chosen);
  for (way = 0; way < WAYS; ++way) check_point(c, chosen[way], 0);
  for (round = 0; round < rounds; ++round)
    for (way = 0; way < WAYS; ++way) again[way][round] = time_batch(c, chosen[way], 0, calls_of(c, chosen[way], 0));
  for (way = 0; way < WAYS; ++way) qsort(again[way], (size_t)rounds, sizeof(double), ascending);
  printf("\n%llu rows of %d floats\n", (unsigned long long)rows, COTUNING_COLUMNS);
  if (c->json)
    fprintf(c->json, "%s\n {\"elements\": %llu, \"columns\": %d, \"points\": %d, \"ways\": {", c->sizes++ ? "," : "",
        (unsigned long long)n, COTUNING_COLUMNS, POINTS);
  for (way = 0; way < WAYS; ++way) {
    const double median = again[way][rounds / 2], best = again[TOGETHER][rounds / 2];
    point_text(text, sizeof text, chosen[way]);
    printf(
        "  %-9s %10.2f us  %6.1f %% more than together  %s\n", way_names[way], median, 100 * (median / best - 1), text);
    if (c->json)
      fprintf(c->json, "%s\n  \"%s\": {\"policy\": \"%s\", \"us\": %.4f, \"min_us\": %.4f, \"max_us\": %.4f}",
          way ? "," : "", way_names[way], text, median, again[way][0], again[way][rounds - 1]);
  }
  if (c->json) {
    fprintf(c->json, "},\n  \"us\": {");
    for (k = 0; k < POINTS; ++k) {
      point_text(text, sizeof text, point_of(k));
      fprintf(c->json, "%s\"%s\": %.4f", k ? ", " : "", text, us[k]);
    }
    fprintf(c->json, "}}");
    fflush(c->json);
  }
  fflush(stdout);
  own_free(&c->gpu, c->in);
  own_free(&c->gpu, c->out);
  own_free(&c->gpu, c->norms);
}

// ---- the program ----------------------------------------------------------------------------------------------------

static int without_gpu(const char *why, const char *source, const char *header) {
  own_gpu g;
  char *text;
  printf(
      "skipped: %s\nOn a GPU it times %d points of a kernel around a library routine, and %d of the routine alone.\n",
      why, POINTS, THREADS * LOADS);
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) {
    printf("%s, so the kernels were not compiled either\n", why);
    return 0;
  }
  text = program_of(source, 0);
  free(own_compile(&g, "cotuning.cuh", text, "gpuprims.h", header, 90, NULL, 0));
  free(text);
  printf("the kernels of the default block compile for sm_90\n");
  return 0;
}

int main(int argc, char **argv) {
  static cotuning c;
  static const uint64_t rows[] = {256, 4096, 65536};
  const char *folder = "examples/cotuning", *header = "gpuprims.h", *out = NULL, *why;
  char path[1000], *source, *library;
  double seconds = 120;
  time_t end;
  int i, left = 0;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--quick")) c.quick = 1;
    else if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
    else if (!strcmp(argv[i], "--folder") && i + 1 < argc) folder = argv[++i];
    else if (!strcmp(argv[i], "--header") && i + 1 < argc) header = argv[++i];
    else if (!strcmp(argv[i], "--seconds") && i + 1 < argc && (seconds = atof(argv[i + 1])) > 0) ++i;
    else {
      fprintf(stderr, "usage: %s [--out FILE.json] [--seconds N] [--quick] [--folder PATH] [--header FILE]\n", argv[0]);
      return 2;
    }
  }
  end = time(NULL) + (time_t)seconds;
  snprintf(path, sizeof path, "%s/cotuning.cuh", folder);
  source = own_text(path);
  library = own_text(header);
  check(gp_open(NULL, &c.ctx));
  why = own_open(&c.gpu, c.ctx);
  if (why) {
    check(gp_close(c.ctx));
    i = without_gpu(why, source, library);
    free(source);
    free(library);
    return i;
  }
  make_kernels(&c, source, library);
  free(source);
  free(library);
  if (out) {
    c.json = fopen(out, "w");
    if (!c.json) own_stop("%s cannot be written", out);
    fprintf(c.json, "{\"device\": \"%s\", \"capability\": %d, \"multiprocessors\": %d, \"sizes\": [", c.gpu.name,
        c.gpu.capability, c.gpu.multiprocessors);
  }
  for (i = 0; i < (c.quick ? 1 : 3); ++i) {
    if (i && time(NULL) > end) ++left;
    else run_size(&c, (c.quick ? 3 : rows[i]) * COTUNING_COLUMNS);
  }
  if (c.json) {
    fprintf(c.json, "]}\n");
    if (fclose(c.json)) own_stop("%s cannot be written", out);
  }
  check(gp_close(c.ctx));
  if (left) printf("the time ran out: %d sizes were not measured (--seconds)\n", left);
  printf("\nResults, compared with the host's:\n%d passed, %d failed, 0 skipped\n", c.checked - c.wrong, c.wrong);
  return c.wrong != 0;
}
