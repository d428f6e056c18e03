// demo.c - a year of flights, reduced and scanned. `make demo` runs it through demo.py, which makes its input, checks
// its results against pandas and draws them.
//
//     demo DIRECTORY      reads DIRECTORY/{dep_delay,arr_delay,distance,air_time}.f32 (NaN: not known), one float a
//                         flight; writes DIRECTORY/late.i64 (accumulated minutes) and DIRECTORY/results.json
//
// Plain C: the GPU is reached through gpuprims.h alone. Every figure is computed twice, on the year as it is and on the
// year a hundred times over, since a year is too little to keep a GPU busy; times are medians.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#include <time.h>

enum { YEARS = 100, ROUNDS = 7, FEWEST_ROUNDS = 3 };
enum { DEP_DELAY, ARR_DELAY, DISTANCE, AIR_TIME, COLUMNS };
static const char *const column_files[COLUMNS] = {"dep_delay.f32", "arr_delay.f32", "distance.f32", "air_time.f32"};

// Operators on a column with gaps: as source for the GPU, as a function for the host. A comparison with NaN is false.
#define LOWEST "-3.402823466e+38f"
#define HIGHEST "3.402823466e+38f"
typedef struct gap_operator {
  const char *name, *body;
  int arity;
  gp_host_fn host;
} gap_operator;

static void known(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(int64_t *)result = x == x;
}
static void known_or_zero(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(double *)result = x == x ? x : 0;
}
static void known_or_lowest(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(float *)result = x == x ? x : -3.402823466e+38f;
}
static void known_or_highest(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(float *)result = x == x ? x : 3.402823466e+38f;
}
static void late_minutes(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(int64_t *)result = x > 0 ? (int64_t)x : 0;
}
static void miles_per_hour(void *user, void *result, const void *a, const void *b) {
  (void)user;
  *(float *)result = *(const float *)a / *(const float *)b * 60.0f;
}

enum { KNOWN, KNOWN_OR_ZERO, KNOWN_OR_LOWEST, KNOWN_OR_HIGHEST, LATE_MINUTES, MILES_PER_HOUR, OPERATORS };
static const gap_operator gap_operators[OPERATORS] = {
    {"known", "return a == a;", 1, known},
    {"known_or_zero", "return a == a ? a : 0;", 1, known_or_zero},
    {"known_or_lowest", "return a == a ? a : " LOWEST ";", 1, known_or_lowest},
    {"known_or_highest", "return a == a ? a : " HIGHEST ";", 1, known_or_highest},
    {"late_minutes", "return a > 0 ? (long long)a : 0;", 1, late_minutes},
    {"miles_per_hour", "return a / b * 60.0f;", 2, miles_per_hour}};

// The steps, as data. A column of SPEED is the result of the step that computes it.
enum { SPEED = COLUMNS, INPUTS };
typedef struct step {
  const char *name;
  gp_primitive primitive;
  gp_op op;      // built in; 0: MILES_PER_HOUR
  int transform; // of gap_operators, or -1
  int column;
  gp_type out_type;
} step;
static const step steps[] = {{"departures known", GP_REDUCE, GP_SUM, KNOWN, DEP_DELAY, GP_I64},
                             {"departure delay, sum", GP_REDUCE, GP_SUM, KNOWN_OR_ZERO, DEP_DELAY, GP_F64},
                             {"departure delay, worst", GP_REDUCE, GP_ARGMAX, KNOWN_OR_LOWEST, DEP_DELAY, GP_F32},
                             {"departure delay, best", GP_REDUCE, GP_ARGMIN, KNOWN_OR_HIGHEST, DEP_DELAY, GP_F32},
                             {"arrivals known", GP_REDUCE, GP_SUM, KNOWN, ARR_DELAY, GP_I64},
                             {"arrival delay, sum", GP_REDUCE, GP_SUM, KNOWN_OR_ZERO, ARR_DELAY, GP_F64},
                             {"arrival delay, worst", GP_REDUCE, GP_ARGMAX, KNOWN_OR_LOWEST, ARR_DELAY, GP_F32},
                             {"arrival delay, best", GP_REDUCE, GP_ARGMIN, KNOWN_OR_HIGHEST, ARR_DELAY, GP_F32},
                             {"distance, sum", GP_REDUCE, GP_SUM, -1, DISTANCE, GP_F64},
                             {"late minutes, accumulated", GP_INCLUSIVE_SCAN, GP_SUM, LATE_MINUTES, DEP_DELAY, GP_I64},
                             {"speed of every flight", GP_TRANSFORM2, 0, -1, DISTANCE, GP_F32},
                             {"speeds known", GP_REDUCE, GP_SUM, KNOWN, SPEED, GP_I64},
                             {"speed, sum", GP_REDUCE, GP_SUM, KNOWN_OR_ZERO, SPEED, GP_F64},
                             {"speed, fastest", GP_REDUCE, GP_ARGMAX, KNOWN_OR_LOWEST, SPEED, GP_F32}};
enum { STEPS = sizeof steps / sizeof steps[0] };

typedef struct place { // what ARGMIN and ARGMAX of f32 write
  float value;
  int64_t index;
} place;

typedef struct result {
  double value;
  int64_t index;                   // -1: no position
  double seconds, gigabytes, roof; // of the hundred years: time; GB/s; GB/s of a copy that moves as much
  double year_seconds, year_gigabytes, year_roof;
  double first; // seconds of the first call, kernel and all
  const char *kernel;
} result;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Either a call, or (call is null) a copy of `bytes` bytes that does not go through the library: the driver's, or on
// the host memcpy, on as many threads as the library uses.
typedef struct work {
  gp_context *ctx;
  const device_memory *memory;
  const gp_call *call;
  void *from, *to;
  size_t bytes;
} work;

static void copy_on_the_host(char *to, const char *from, size_t bytes) {
  const int pieces = 64;
  int i;
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (i = 0; i < pieces; ++i) {
    const size_t first = bytes / (size_t)pieces * (size_t)i;
    memcpy(to + first, from + first, (i + 1 < pieces ? bytes / (size_t)pieces * (size_t)(i + 1) : bytes) - first);
  }
}

static void start(const work *w) {
  if (w->call) check(gp_run(w->ctx, w->call, NULL));
  else if (w->memory->library)
    device_memory_check(w->memory->copy((uint64_t)(uintptr_t)w->to, (uint64_t)(uintptr_t)w->from, w->bytes, NULL),
                        "cuMemcpyDtoDAsync");
  else copy_on_the_host((char *)w->to, (const char *)w->from, w->bytes);
}

// Seconds of one piece of work, back to back: the median of batches of 2 ms or more. Slow work gets fewer batches.
static double time_of(const work *w) {
  double batches[ROUNDS], began, enough;
  int round, repeats = 1, i;
  start(w);
  device_memory_wait(w->memory);
  for (;; repeats *= 2) {
    began = now();
    for (i = 0; i < repeats; ++i) start(w);
    device_memory_wait(w->memory);
    if (now() - began >= 0.002) break;
  }
  enough = now() + 0.5;
  for (round = 0; round < ROUNDS && (round < FEWEST_ROUNDS || now() < enough); ++round) {
    began = now();
    for (i = 0; i < repeats; ++i) start(w);
    device_memory_wait(w->memory);
    batches[round] = (now() - began) / repeats;
  }
  qsort(batches, (size_t)round, sizeof batches[0], ascending);
  return batches[round / 2];
}

// GB/s of a copy that moves `bytes` bytes, reads and writes together.
static double roof_of(const work *like, void *from, void *to, size_t bytes) {
  work w = *like;
  w.call = NULL;
  w.from = from;
  w.to = to;
  w.bytes = bytes / 2;
  return 1e-9 * (double)bytes / time_of(&w);
}

static size_t read_column(const char *directory, const char *name, float **values) {
  char path[4096];
  FILE *file;
  long bytes;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) || (bytes = ftell(file)) <= 0 || fseek(file, 0, SEEK_SET) ||
      !(*values = (float *)malloc((size_t)bytes)) || fread(*values, 1, (size_t)bytes, file) != (size_t)bytes) {
    fprintf(stderr, "%s cannot be read: demo.py makes it\n", path);
    exit(1);
  }
  fclose(file);
  return (size_t)bytes / sizeof(float);
}

static FILE *create(const char *directory, const char *name) {
  char path[4096];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  file = fopen(path, "wb");
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}

static void log_warning(void *user, gp_log_level level, const char *message) {
  (void)user;
  if (level == GP_LOG_WARNING) fprintf(stderr, "gpuprims: %s\n", message);
}

static const char *kernel_origin(gp_context *ctx, const gp_call *call) {
  static const char *const names[] = {"not loaded", "from the bundle", "from the disk cache", "compiled", "host"};
  gp_kernel_source source;
  check(gp_kernel_origin(ctx, call, &source, NULL, 0));
  return names[source];
}

int main(int argc, char **argv) {
  gp_context *ctx;
  gp_config config = gp_config_init();
  gp_description description;
  device_memory memory;
  gp_op operators[OPERATORS];
  void *inputs[INPUTS], *output;
  result results[STEPS];
  size_t rows = 0, all;
  int64_t *late;
  FILE *file;
  int i, wrong = 0;

  if (argc != 2) {
    fprintf(stderr, "usage: %s DIRECTORY (made by demo.py)\n", argv[0]);
    return 2;
  }
  config.log = log_warning;
  check(gp_open(&config, &ctx));
  check(gp_describe(ctx, &description));
  memory = device_memory_open(ctx);
  for (i = 0; i < OPERATORS; ++i) {
    gp_op_desc desc = gp_op_desc_init();
    desc.name = gap_operators[i].name;
    desc.body = gap_operators[i].body;
    desc.arity = gap_operators[i].arity;
    desc.host = gap_operators[i].host;
    check(gp_op_define(ctx, &desc, &operators[i]));
  }

  // The columns, one after the other and then again and again, as in a table of a hundred such years.
  for (i = 0; i < COLUMNS; ++i) {
    float *values;
    const size_t count = read_column(argv[1], column_files[i], &values);
    size_t filled;
    if (i && count != rows) {
      fprintf(stderr, "%s has %zu rows, the columns before it have %zu\n", column_files[i], count, rows);
      return 1;
    }
    rows = count;
    inputs[i] = device_memory_new(&memory, rows * YEARS * sizeof(float));
    device_memory_write(&memory, inputs[i], values, rows * sizeof(float));
    for (filled = rows; filled < rows * YEARS; filled *= 2)
      check(gp_copy(ctx, GP_F32, inputs[i], (float *)inputs[i] + filled,
                    filled * 2 <= rows * YEARS ? filled : rows * YEARS - filled, NULL));
    free(values);
  }
  all = rows * YEARS;
  inputs[SPEED] = device_memory_new(&memory, all * sizeof(float));
  output = device_memory_new(&memory, all * sizeof(int64_t));
  late = (int64_t *)malloc(rows * sizeof *late);
  if (!late) return 1;

  if (description.backend == GP_BACKEND_CUDA) printf("%zu flights, on the GPU: %s\n\n", rows, description.name);
  else printf("%zu flights, on the host: %d threads\n\n", rows, description.multiprocessors);
  printf("%-27s %10s | %10s %8s %7s | %10s %8s %7s\n", "", "first call", "one year", "", "of", "100 years", "", "of");
  printf("%-27s %10s | %10s %8s %7s | %10s %8s %7s\n", "", "ms", "us", "GB/s", "roof", "us", "GB/s", "roof");
  for (i = 0; i < STEPS; ++i) {
    const step *s = &steps[i];
    const int is_scan = s->primitive == GP_INCLUSIVE_SCAN, is_map = s->primitive == GP_TRANSFORM2;
    const int is_place = s->op == GP_ARGMAX || s->op == GP_ARGMIN;
    const size_t row_bytes = sizeof(float) * (is_map ? 3 : 1) + (is_scan ? sizeof(int64_t) : 0);
    gp_call call = gp_call_init(s->primitive);
    work w;
    result *r = &results[i];
    double began;
    int64_t whole;
    place found;
    call.op = s->op ? s->op : operators[MILES_PER_HOUR];
    call.transform = s->transform >= 0 ? operators[s->transform] : 0;
    call.in_type = GP_F32;
    call.out_type = s->out_type;
    call.in = inputs[s->column];
    call.in2 = is_map ? inputs[AIR_TIME] : NULL;
    call.out = is_map ? inputs[SPEED] : output;
    memset(&w, 0, sizeof w);
    w.ctx = ctx;
    w.memory = &memory;
    w.call = &call;

    call.count = rows;
    began = now();
    start(&w);
    device_memory_wait(&memory);
    r->first = now() - began;
    r->kernel = kernel_origin(ctx, &call);
    r->index = -1;
    if (is_place) {
      device_memory_read(&memory, &found, output, sizeof found);
      r->value = found.value;
      r->index = found.index;
    } else if (is_scan) {
      device_memory_read(&memory, late, output, rows * sizeof *late);
      r->value = (double)late[rows - 1];
    } else if (is_map) {
      float first;
      device_memory_read(&memory, &first, inputs[SPEED], sizeof first);
      r->value = first;
    } else if (s->out_type == GP_I64) {
      device_memory_read(&memory, &whole, output, sizeof whole);
      r->value = (double)whole;
    } else device_memory_read(&memory, &r->value, output, sizeof r->value);
    r->year_seconds = time_of(&w);
    call.count = all;
    r->seconds = time_of(&w);

    // A hundred years must give a hundred times the sum, and the extreme of the first year. Minutes and miles are whole
    // numbers, so their sums are exact; a sum of speeds is rounded.
    if (is_place) {
      device_memory_read(&memory, &found, output, sizeof found);
      wrong += found.value != (float)r->value || found.index != r->index;
    } else if (!is_map) {
      const double expected = YEARS * r->value, tolerance = s->column == SPEED ? 1e-10 * expected : 0;
      double sum;
      device_memory_read(&memory, &whole, is_scan ? (int64_t *)output + all - 1 : (int64_t *)output, sizeof whole);
      memcpy(&sum, &whole, sizeof sum);
      if (s->out_type == GP_I64) sum = (double)whole;
      wrong += !(sum >= expected - tolerance && sum <= expected + tolerance);
    }
    r->year_gigabytes = 1e-9 * (double)(rows * row_bytes) / r->year_seconds;
    r->gigabytes = 1e-9 * (double)(all * row_bytes) / r->seconds;
    // Both buffers of the roof's copy are the output: it has two halves, each large enough for 4 bytes a row.
    {
      char *half = (char *)output + all * sizeof(float);
      const size_t most = 2 * all * sizeof(float), bytes = all * row_bytes < most ? all * row_bytes : most;
      r->roof = roof_of(&w, output, half, bytes);
      r->year_roof = roof_of(&w, output, half, rows * row_bytes);
    }
    printf("%-27s %10.2f | %10.1f %8.1f %6.0f%% | %10.1f %8.1f %6.0f%%\n", s->name, 1e3 * r->first,
           1e6 * r->year_seconds, r->year_gigabytes, 100 * r->year_gigabytes / r->year_roof, 1e6 * r->seconds,
           r->gigabytes, 100 * r->gigabytes / r->roof);
  }
  printf("\nroof: a copy by %s that moves as many bytes, timed here beside each step; a step that writes nothing\n"
         "can be faster than it. Times are medians of %d to %d batches of calls, back to back.\n",
         memory.library ? "the driver" : "memcpy on all threads", FEWEST_ROUNDS, ROUNDS);
  if (wrong) fprintf(stderr, "%d steps gave something else on a hundred years than on one\n", wrong);

  file = create(argv[1], "late.i64");
  wrong += fwrite(late, sizeof *late, rows, file) != rows;
  wrong += fclose(file) != 0;
  file = create(argv[1], "results.json");
  fprintf(file, "{\"rows\": %zu, \"years\": %d, \"backend\": \"%s\", \"device\": \"%s\", \"steps\": {", rows, YEARS,
          description.backend == GP_BACKEND_CUDA ? "gpu" : "host", description.name);
  for (i = 0; i < STEPS; ++i)
    fprintf(file,
            "%s\n  \"%s\": {\"value\": %.17g, \"index\": %lld, \"first_s\": %.9g, \"kernel\": \"%s\", "
            "\"year_s\": %.9g, \"year_gbs\": %.6g, \"year_roof_gbs\": %.6g, "
            "\"s\": %.9g, \"gbs\": %.6g, \"roof_gbs\": %.6g}",
            i ? "," : "", steps[i].name, results[i].value, (long long)results[i].index, results[i].first,
            results[i].kernel, results[i].year_seconds, results[i].year_gigabytes, results[i].year_roof,
            results[i].seconds, results[i].gigabytes, results[i].roof);
  fprintf(file, "}}\n");
  wrong += fclose(file) != 0;

  for (i = 0; i < INPUTS; ++i) device_memory_free(&memory, inputs[i]);
  device_memory_free(&memory, output);
  free(late);
  check(gp_close(ctx));
  return wrong != 0;
}
