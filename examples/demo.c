// demo.c - a year of flights, reduced, scanned, counted and grouped. `make demo` runs it through demo.py, which makes
// its input, checks its results against pandas and draws them.
//
//     demo DIRECTORY [YEARS]    reads DIRECTORY/*.{f32,u8,u16} (column_files: a number a flight, flights in order of
//                               their schedule); writes DIRECTORY/late.i64 (accumulated minutes),
//                               DIRECTORY/results.json, and a file for each output of a grouping step (groups:
//                               NAME.out, NAME.keys, ...)
//
// Plain C: gpuprims.h alone reaches the GPU. Every figure is computed twice, on one year and on the year repeated: a
// hundred times on a GPU, because one year does not keep it busy, ten times on the host. Times are medians.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#include <time.h>

enum { YEARS_ON_GPU = 100, YEARS_ON_HOST = 10, MOST_YEARS = 100, ROUNDS = 7, FEWEST_ROUNDS = 3 };

// The columns. Delays are in minutes, NaN if unknown; a delay is late from LATE minutes on. DAY and HOUR count from the
// start of the year, by schedule, and rise; carriers and destinations are in no order.
enum { DEP_DELAY, ARR_DELAY, DISTANCE, AIR_TIME, CARRIER, DAY, HOUR, DESTINATION, COLUMNS };
static const char *const column_files[COLUMNS] = {
    "dep_delay.f32", "arr_delay.f32", "distance.f32", "air_time.f32", "carrier.u8", "day.u16", "hour.u16", "dest.u8"};
static const gp_type column_types[COLUMNS] = {GP_F32, GP_F32, GP_F32, GP_F32, GP_U8, GP_U16, GP_U16, GP_U8};
static const float late_from = 15, very_late = 300, a_day_late = 1440, nowhere = 0;

// Operators on a column with gaps: source for the GPU, a function for the host. A comparison with NaN is false.
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
static void late_whole_minutes(void *user, void *result, const void *a, const void *b) {
  const float x = *(const float *)a;
  (void)user, (void)b;
  *(int32_t *)result = x > 0 ? (int32_t)x : 0;
}
static void miles_per_hour(void *user, void *result, const void *a, const void *b) {
  (void)user;
  *(float *)result = *(const float *)a / *(const float *)b * 60.0f;
}
static void both_late(void *user, void *result, const void *a, const void *b) { // both in one streak?
  (void)user;
  *(unsigned char *)result = *(const float *)a >= 15 && *(const float *)b >= 15;
}

enum {
  KNOWN,
  KNOWN_OR_ZERO,
  KNOWN_OR_LOWEST,
  KNOWN_OR_HIGHEST,
  LATE_MINUTES,
  LATE_WHOLE_MINUTES,
  MILES_PER_HOUR,
  BOTH_LATE,
  OPERATORS
};
static const gap_operator gap_operators[OPERATORS] = {{"known", "return a == a;", 1, known},
    {"known_or_zero", "return a == a ? a : 0;", 1, known_or_zero},
    {"known_or_lowest", "return a == a ? a : " LOWEST ";", 1, known_or_lowest},
    {"known_or_highest", "return a == a ? a : " HIGHEST ";", 1, known_or_highest},
    {"late_minutes", "return a > 0 ? (long long)a : 0;", 1, late_minutes},
    {"late_whole_minutes", "return a > 0 ? (int)a : 0;", 1, late_whole_minutes},
    {"miles_per_hour", "return a / b * 60.0f;", 2, miles_per_hour},
    {"both_late", "return a >= 15 && b >= 15;", 2, both_late}};

// The first steps, as data. The columns SPEED and LATE are the results of earlier steps.
enum { SPEED = COLUMNS, LATE, INPUTS };
typedef struct step {
  const char *name;
  gp_primitive primitive;
  gp_op op; // built in; 0: MILES_PER_HOUR
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
    {"speed of every flight", GP_TRANSFORM2, GP_OP_DEFAULT, -1, DISTANCE, GP_F32},
    {"speeds known", GP_REDUCE, GP_SUM, KNOWN, SPEED, GP_I64},
    {"speed, sum", GP_REDUCE, GP_SUM, KNOWN_OR_ZERO, SPEED, GP_F64},
    {"speed, fastest", GP_REDUCE, GP_ARGMAX, KNOWN_OR_LOWEST, SPEED, GP_F32}};
enum { STEPS = sizeof steps / sizeof steps[0] };

// The steps that group, select and count: their names and outputs. call_of has the calls.
enum {
  LATE_FLIGHTS,
  ANY_DAY_LATE,
  ALL_FLY,
  VERY_LATE,
  PUNCTUALITY,
  MINUTES,
  RANGES,
  WEIGHTS,
  CARRIERS,
  CARRIER_MINUTES,
  DAYS,
  DAY_WORST,
  DAY_RUNNING,
  HOURS,
  HOUR_MINUTES,
  TO_KNOWN,
  TO_SUM,
  TO_WORST,
  CARRIER_SUMS,
  TOP_CARRIERS,
  BUSIEST_HOURS,
  LONGEST_DELAYS,
  DELAYS_SORTED,
  STREAKS,
  GROUPS
};
typedef struct group {
  const char *name, *file;
  gp_primitive primitive;
} group;
static const group groups[GROUPS] = {{"delayed flights", "late_flights", GP_COUNT_IF},
    {"any a day late?", "any_day_late", GP_ANY}, {"all go somewhere?", "all_fly", GP_ALL},
    {"five hours late, selected", "very_late", GP_SELECT}, {"on time, delayed, unknown", "punctuality", GP_PARTITION},
    {"delays, minute by minute", "minutes", GP_HISTOGRAM_EVEN}, {"delays, by ranges", "ranges", GP_HISTOGRAM_RANGES},
    {"late minutes, each flight", "weights", GP_TRANSFORM}, {"carriers: flights", "carriers", GP_HISTOGRAM_EVEN},
    {"carriers: minutes, weighted", "carrier_minutes", GP_HISTOGRAM_EVEN}, {"days: flights", "days", GP_RUN_LENGTHS},
    {"days: worst delay", "day_worst", GP_SEGMENTED_REDUCE},
    {"days: late minutes so far", "day_running", GP_SEGMENTED_INCLUSIVE_SCAN},
    {"hours: flights", "hours", GP_RUN_LENGTHS}, {"hours: late minutes", "hour_minutes", GP_REDUCE_BY_KEY},
    {"destinations: arrivals", "to_known", GP_GROUP_BY}, {"destinations: delay, sum", "to_sum", GP_GROUP_BY},
    {"destinations: delay, worst", "to_worst", GP_GROUP_BY}, {"carriers: late minutes", "carrier_sums", GP_GROUP_BY},
    {"carriers: the latest five", "top_carriers", GP_TOP_K}, {"hours: the busiest ten", "busiest_hours", GP_TOP_K},
    {"delays: the longest twenty", "longest_delays", GP_TOP_K}, {"delays, sorted", "delays_sorted", GP_SORT},
    {"streaks of delayed flights", "streaks", GP_NONTRIVIAL_RUNS}};
enum { CARRIER_BINS = 16, MINUTE_BINS = 210, RANGE_BINS = 8, PARTS = 3 };
enum { LATEST_CARRIERS = 5, BUSIEST = 10, LONGEST = 20 };
static const uint8_t first_carrier = 0, end_of_carriers = CARRIER_BINS;
static const float first_minute = -30, end_of_minutes = -30 + MINUTE_BINS;
static const float range_ends[RANGE_BINS + 1] = {-60, 0, 15, 30, 60, 120, 240, 480, 1440};

typedef struct place { // the output type of ARGMIN and ARGMAX of f32
  float value;
  int64_t index;
} place;

typedef struct result {
  double value;
  int64_t index; // -1: no position
  double seconds, gigabytes, roof; // of all years: time; GB/s; GB/s of a copy of as many bytes
  double year_seconds, year_gigabytes, year_roof;
  double first; // seconds of the first call with its compilation
  const char *kernel;
} result;

typedef struct demo {
  gp_context *ctx;
  device_memory memory;
  gp_op operators[OPERATORS];
  void *inputs[INPUTS];
  void *output, *spare, *lengths; // 8, 4 and 4 bytes a flight of all years
  void *scratch; // 8 bytes a flight: no step's results, but copies and other temporary data
  void *offsets, *boundaries; // starts of days; bounds of RANGES
  uint64_t *counts; // numbers of results, in device memory until needed
  uint64_t days[2]; // of one year and of all
  void *kept[2][2]; // top-k's inputs, for one year and all: flights by hour; minutes by carrier
  uint64_t kept_counts[2][2]; //
  int years;
  size_t rows, all;
  const char *directory;
  int wrong;
} demo;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Either a call or, if call is null, a copy of `bytes` bytes without the library: the driver's, or memcpy on the host
// with as many threads as the library uses.
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
    device_memory_check(
        w->memory->copy((uint64_t)(uintptr_t)w->to, (uint64_t)(uintptr_t)w->from, w->bytes, NULL), "cuMemcpyDtoDAsync");
  else copy_on_the_host((char *)w->to, (const char *)w->from, w->bytes);
}

// Seconds of one run, back to back: the median of batches of 2 ms or more. Slow work gets fewer batches.
static double time_of(const work *w) {
  double batches[ROUNDS], began, enough;
  int round, repeats = 1, i;
  start(w);
  device_memory_wait(w->memory);
  for (;; repeats *= 2) {
    began = now();
    for (i = 0; i < repeats; ++i) start(w);
    device_memory_wait(w->memory);
    batches[0] = now() - began; // the first batch, if it is long enough
    if (batches[0] >= 0.002) break;
  }
  batches[0] /= repeats;
  enough = now() + 0.5;
  for (round = 1; round < ROUNDS && (round < FEWEST_ROUNDS || now() < enough); ++round) {
    began = now();
    for (i = 0; i < repeats; ++i) start(w);
    device_memory_wait(w->memory);
    batches[round] = (now() - began) / repeats;
  }
  qsort(batches, (size_t)round, sizeof batches[0], ascending);
  return batches[round / 2];
}

// GB/s of a copy of `bytes` bytes, reads and writes together.
static double roof_of(const work *like, void *from, void *to, size_t bytes) {
  work w = *like;
  w.call = NULL;
  w.from = from;
  w.to = to;
  w.bytes = bytes / 2;
  return 1e-9 * (double)bytes / time_of(&w);
}

// The call of a grouping step, on one year or on all.
static gp_call call_of(const demo *d, int step, int on_all) {
  gp_call call = gp_call_init(groups[step].primitive);
  const gp_op *ops = d->operators;
  call.count = on_all ? d->all : d->rows;
  call.in_type = GP_F32;
  call.in = d->inputs[DEP_DELAY];
  call.out = d->output;
  call.out_count = d->counts;
  switch (step) {
  case LATE_FLIGHTS: // NaN is not >= anything
    call.op = GP_GREATER_EQUAL, call.scalar = &late_from;
    call.out = NULL;
    break;
  case ANY_DAY_LATE:
    call.op = GP_GREATER_EQUAL, call.scalar = &a_day_late;
    call.out_count = NULL;
    break;
  case ALL_FLY:
    call.op = GP_GREATER, call.scalar = &nowhere;
    call.in = d->inputs[DISTANCE];
    call.out_count = NULL;
    break;
  case VERY_LATE: call.op = GP_GREATER_EQUAL, call.scalar = &very_late; break;
  case PUNCTUALITY: // the third part: neither holds, because the delay is unknown
    call.op = GP_LESS, call.scalar = &late_from;
    call.predicate2 = GP_GREATER_EQUAL, call.scalar2 = &late_from;
    call.out2 = (float *)d->output + d->all;
    call.out3 = d->spare;
    break;
  case MINUTES:
    call.lower = &first_minute, call.upper = &end_of_minutes;
    call.bins = MINUTE_BINS;
    call.out_type = GP_U32, call.out_count = NULL;
    break;
  case RANGES:
    call.begin = d->boundaries;
    call.bins = RANGE_BINS;
    call.out_type = GP_U32, call.out_count = NULL;
    break;
  case WEIGHTS:
    call.op = ops[LATE_WHOLE_MINUTES];
    call.out_type = GP_I32, call.out = d->inputs[LATE];
    call.out_count = NULL;
    break;
  case CARRIERS:
  case CARRIER_MINUTES: // the same histogram of flights and of their minutes
    call.in_type = GP_U8, call.in = d->inputs[CARRIER];
    call.lower = &first_carrier, call.upper = &end_of_carriers;
    call.bins = CARRIER_BINS;
    call.out_type = GP_U32, call.out_count = NULL;
    if (step == CARRIER_MINUTES) call.in2_type = GP_I32, call.in2 = d->inputs[LATE], call.out_type = GP_I64;
    break;
  case DAYS:
  case HOURS:
    call.in_type = GP_TYPE_DEFAULT, call.in = NULL, call.out = NULL;
    call.key_type = GP_U16, call.keys = d->inputs[step == DAYS ? DAY : HOUR];
    call.out_keys = d->spare;
    call.out2_type = GP_U32, call.out2 = d->lengths;
    break;
  case DAY_WORST: // segments from offsets: the keys are not read again
  case DAY_RUNNING:
    call.op = step == DAY_WORST ? GP_MAX : GP_SUM;
    call.transform = ops[step == DAY_WORST ? KNOWN_OR_LOWEST : LATE_MINUTES];
    call.out_type = step == DAY_WORST ? GP_F32 : GP_I64;
    call.offset_type = GP_U64, call.begin = d->offsets, call.segments = d->days[on_all];
    call.out_count = NULL;
    break;
  case HOUR_MINUTES:
    call.op = GP_SUM, call.transform = ops[LATE_MINUTES];
    call.key_type = GP_U16, call.keys = d->inputs[HOUR];
    call.out_type = GP_I64, call.out_keys = d->spare;
    break;
  case TO_KNOWN:
  case TO_SUM:
  case TO_WORST:
    call.op = step == TO_WORST ? GP_MAX : GP_SUM;
    call.transform = ops[step == TO_KNOWN ? KNOWN : step == TO_SUM ? KNOWN_OR_ZERO : KNOWN_OR_LOWEST];
    call.in = d->inputs[ARR_DELAY];
    call.key_type = GP_U8, call.keys = d->inputs[DESTINATION];
    call.out_type = step == TO_KNOWN ? GP_I64 : step == TO_SUM ? GP_F64 : GP_F32, call.out_keys = d->spare;
    break;
  case CARRIER_SUMS:
    call.op = GP_SUM;
    call.in_type = GP_I32, call.in = d->inputs[LATE];
    call.key_type = GP_U8, call.keys = d->inputs[CARRIER];
    call.out_type = GP_I64, call.out_keys = d->spare;
    break;
  case TOP_CARRIERS: // without values: the indices of the largest keys
  case BUSIEST_HOURS:
  case LONGEST_DELAYS: {
    const int which = step == BUSIEST_HOURS ? 0 : 1;
    call.flags = GP_DESCENDING;
    call.in_type = GP_TYPE_DEFAULT, call.in = NULL, call.out_count = NULL;
    call.key_type = step == TOP_CARRIERS ? GP_I64 : step == BUSIEST_HOURS ? GP_U32 : GP_I32;
    call.keys = step == LONGEST_DELAYS ? d->inputs[LATE] : d->kept[which][on_all];
    if (step != LONGEST_DELAYS) call.count = d->kept_counts[which][on_all];
    // For all years, the number of results grows too, except of carriers.
    call.k = step == TOP_CARRIERS ? LATEST_CARRIERS : step == BUSIEST_HOURS ? BUSIEST : LONGEST;
    if (on_all && step != TOP_CARRIERS) call.k *= (uint64_t)d->years;
    call.out_keys = d->spare;
    call.out_type = GP_U32, call.out = d->output;
    break;
  }
  case DELAYS_SORTED: // NaN, unknown, is beyond all numbers
    call.in_type = GP_TYPE_DEFAULT, call.in = NULL, call.out = NULL, call.out_count = NULL;
    call.key_type = GP_F32, call.keys = d->inputs[ARR_DELAY];
    call.out_keys = d->output;
    break;
  default: // STREAKS: runs of late flights; all others are runs of one, which do not count
    call.in_type = GP_TYPE_DEFAULT, call.in = NULL;
    call.key_type = GP_F32, call.keys = d->inputs[DEP_DELAY];
    call.equal = ops[BOTH_LATE];
    call.out2_type = GP_U32, call.out2 = d->lengths;
  }
  return call;
}

// The output arrays of the call: place, number of elements, element size. Each has its own file.
enum { OUT, OUT_KEYS, OUT2, OUT3, COUNTS, ARRAYS };
static const char *const array_files[ARRAYS] = {"out", "keys", "out2", "out3", "counts"};
typedef struct array {
  const void *data;
  uint64_t elements;
  size_t size;
} array;
static uint64_t bytes_of(array a) { return a.elements * a.size; }

static void arrays_of(const demo *d, const gp_call *c, array *arrays) {
  const int histogram = c->bins > 0, partition = c->primitive == GP_PARTITION;
  const int single = c->primitive == GP_ANY || c->primitive == GP_ALL;
  uint64_t n[PARTS] = {c->count, 0, 0}, outs;
  if (c->out_count) device_memory_read(&d->memory, n, c->out_count, (partition ? PARTS : 1) * sizeof n[0]);
  if (c->primitive == GP_TOP_K) n[0] = c->k;
  outs = histogram ? c->bins : c->primitive == GP_SEGMENTED_REDUCE ? c->segments : single ? 1 : n[0];
  memset(arrays, 0, ARRAYS * sizeof arrays[0]);
  arrays[OUT].data = c->out, arrays[OUT].elements = c->out ? outs : 0;
  arrays[OUT].size = single ? 1
      : c->primitive == GP_NONTRIVIAL_RUNS ? 4
      : gp_type_size(d->ctx, c->out_type ? c->out_type : c->in_type);
  arrays[OUT_KEYS].data = c->out_keys, arrays[OUT_KEYS].elements = c->out_keys ? n[0] : 0;
  arrays[OUT_KEYS].size = gp_type_size(d->ctx, c->key_type);
  arrays[OUT2].data = c->out2, arrays[OUT2].elements = partition ? n[1] : c->out2 ? n[0] : 0;
  arrays[OUT2].size = gp_type_size(d->ctx, partition ? c->in_type : c->out2_type);
  arrays[OUT3].data = c->out3, arrays[OUT3].elements = n[2], arrays[OUT3].size = gp_type_size(d->ctx, c->in_type);
  arrays[COUNTS].data = c->out_count, arrays[COUNTS].elements = !c->out_count ? 0 : partition ? PARTS : 1;
  arrays[COUNTS].size = sizeof n[0];
}

// Bytes that the call reads and writes, each once.
static size_t bytes_moved(const demo *d, const gp_call *c) {
  array arrays[ARRAYS];
  uint64_t bytes = 0;
  int i;
  arrays_of(d, c, arrays);
  for (i = 0; i < ARRAYS; ++i) bytes += bytes_of(arrays[i]);
  if (c->in) bytes += c->count * gp_type_size(d->ctx, c->in_type);
  if (c->in2) bytes += c->count * gp_type_size(d->ctx, c->in2_type);
  if (c->keys) bytes += c->count * gp_type_size(d->ctx, c->key_type);
  if (c->segments) bytes += (c->segments + 1) * sizeof(uint64_t);
  return (size_t)bytes;
}

static size_t read_column(const char *directory, const char *name, size_t size, void **values) {
  char path[4096];
  FILE *file;
  long bytes;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) || (bytes = ftell(file)) <= 0 || fseek(file, 0, SEEK_SET) ||
      !(*values = malloc((size_t)bytes)) || fread(*values, 1, (size_t)bytes, file) != (size_t)bytes) {
    fprintf(stderr, "%s cannot be read: demo.py makes it\n", path);
    exit(1);
  }
  fclose(file);
  return (size_t)bytes / size;
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

static void print_heads(const char *title, int years) {
  char all[16];
  snprintf(all, sizeof all, "%d years", years);
  printf("\n%-27s %10s | %10s %8s %7s | %10s %8s %7s\n", title, "first call", "one year", "", "of", all, "", "of");
  printf("%-27s %10s | %10s %8s %7s | %10s %8s %7s\n", "", "ms", "us", "GB/s", "roof", "us", "GB/s", "roof");
}

// The first call, on one year: compiles or loads its kernel.
static void first_call(const demo *d, const gp_call *call, result *r) {
  work w;
  double began = now();
  memset(&w, 0, sizeof w);
  w.ctx = d->ctx;
  w.memory = &d->memory;
  w.call = call;
  start(&w);
  device_memory_wait(&d->memory);
  r->first = now() - began;
  r->kernel = kernel_origin(d->ctx, call);
  r->index = -1;
  r->year_seconds = time_of(&w);
}

// The same on all years, then a copy of as many bytes. Leaves the results of all years in the outputs.
static void all_years(
    const demo *d, const char *name, const gp_call *call, size_t year_bytes, size_t bytes, result *r) {
  const size_t half_bytes = d->all * sizeof(float), most = 2 * half_bytes;
  work w;
  memset(&w, 0, sizeof w);
  w.ctx = d->ctx;
  w.memory = &d->memory;
  w.call = call;
  r->seconds = time_of(&w);
  r->year_gigabytes = 1e-9 * (double)year_bytes / r->year_seconds;
  r->gigabytes = 1e-9 * (double)bytes / r->seconds;
  // Both buffers of the roof's copy are halves of a column, each large enough for 4 bytes a row.
  r->roof = roof_of(&w, d->scratch, (char *)d->scratch + half_bytes, bytes < most ? bytes : most);
  r->year_roof = roof_of(&w, d->scratch, (char *)d->scratch + half_bytes, year_bytes);
  printf("%-27s %10.2f | %10.1f %8.1f %6.0f%% | %10.1f %8.1f %6.0f%%\n", name, 1e3 * r->first, 1e6 * r->year_seconds,
      r->year_gigabytes, 100 * r->year_gigabytes / r->year_roof, 1e6 * r->seconds, r->gigabytes,
      100 * r->gigabytes / r->roof);
}

// A step that reduces, scans or transforms. late: the scan's output.
static void run_step(demo *d, const step *s, int64_t *late, result *r) {
  const int is_scan = s->primitive == GP_INCLUSIVE_SCAN, is_map = s->primitive == GP_TRANSFORM2;
  const int is_place = s->op == GP_ARGMAX || s->op == GP_ARGMIN;
  const size_t row_bytes = sizeof(float) * (is_map ? 3 : 1) + (is_scan ? sizeof(int64_t) : 0);
  gp_call call = gp_call_init(s->primitive);
  int64_t whole;
  place found;
  call.op = s->op ? s->op : d->operators[MILES_PER_HOUR];
  call.transform = s->transform >= 0 ? d->operators[s->transform] : GP_OP_DEFAULT;
  call.in_type = GP_F32;
  call.out_type = s->out_type;
  call.in = d->inputs[s->column];
  call.in2 = is_map ? d->inputs[AIR_TIME] : NULL;
  call.out = is_map ? d->inputs[SPEED] : d->output;

  call.count = d->rows;
  first_call(d, &call, r);
  if (is_place) {
    device_memory_read(&d->memory, &found, d->output, sizeof found);
    r->value = found.value;
    r->index = found.index;
  } else if (is_scan) {
    device_memory_read(&d->memory, late, d->output, d->rows * sizeof *late);
    r->value = (double)late[d->rows - 1];
  } else if (is_map) {
    float first;
    device_memory_read(&d->memory, &first, d->inputs[SPEED], sizeof first);
    r->value = first;
  } else if (s->out_type == GP_I64) {
    device_memory_read(&d->memory, &whole, d->output, sizeof whole);
    r->value = (double)whole;
  } else device_memory_read(&d->memory, &r->value, d->output, sizeof r->value);

  // The sum over all years must be a multiple of the first year's, the extreme equal. Minutes and miles are whole
  // numbers, so their sums are exact; a sum of speeds is rounded.
  call.count = d->all;
  all_years(d, s->name, &call, d->rows * row_bytes, d->all * row_bytes, r);
  if (is_place) {
    device_memory_read(&d->memory, &found, d->output, sizeof found);
    d->wrong += found.value != (float)r->value || found.index != r->index;
  } else if (!is_map) {
    const double expected = d->years * r->value, tolerance = s->column == SPEED ? 1e-10 * expected : 0;
    double sum;
    device_memory_read(
        &d->memory, &whole, is_scan ? (int64_t *)d->output + d->all - 1 : (int64_t *)d->output, sizeof whole);
    memcpy(&sum, &whole, sizeof sum);
    if (s->out_type == GP_I64) sum = (double)whole;
    d->wrong += !(sum >= expected - tolerance && sum <= expected + tolerance);
  }
}

static void *copy_to_host(const demo *d, array a, uint64_t first, uint64_t elements) {
  void *values = malloc(elements ? elements * a.size : 1);
  if (!values) exit(1);
  if (elements) device_memory_read(&d->memory, values, (const char *)a.data + first * a.size, elements * a.size);
  return values;
}

// A counter's value, 4 or 8 bytes wide.
static int64_t number(const void *values, size_t size, uint64_t i) {
  return size == 4 ? (int64_t)((const uint32_t *)values)[i] : ((const int64_t *)values)[i];
}

// Groups of all years are the year's groups, with multiplied sums.
static int groups_agree(
    const demo *d, const gp_call *call, int which, array year, const void *of_year, const void *of_all) {
  uint64_t i;
  int wrong = 0;
  if (which != OUT || call->op == GP_MAX) return memcmp(of_all, of_year, (size_t)bytes_of(year)) == 0;
  for (i = 0; i < year.elements; ++i)
    wrong |= call->out_type == GP_F64 ? ((const double *)of_all)[i] != d->years * ((const double *)of_year)[i]
        : number(of_all, year.size, i) != d->years * number(of_year, year.size, i);
  return !wrong;
}

// Sorted values repeat as often as there are years. Checks the first and the last ones.
static int orders_agree(const demo *d, array year, const void *of_year, array all) {
  const uint64_t starts[2] = {0, all.elements - year.elements};
  uint64_t i;
  int k, wrong = 0;
  for (k = 0; k < 2; ++k) {
    void *of_all = copy_to_host(d, all, starts[k], year.elements);
    for (i = 0; i < year.elements; ++i)
      wrong |= memcmp((char *)of_all + i * year.size, (const char *)of_year + (starts[k] + i) / d->years * year.size,
                   year.size) != 0;
    free(of_all);
  }
  return !wrong;
}

// Compares a year's array with that of all years. Numbers of results and counters must be multiples. In other arrays
// the first and the last year must equal the year's, except positions, which go on rising.
static int agree(const demo *d, const gp_call *call, int which, array year, const void *of_year, array all) {
  void *of_all;
  uint64_t i, first;
  int wrong = 0;
  if (call->primitive == GP_GROUP_BY) {
    if (all.elements != year.elements) return 0;
    of_all = copy_to_host(d, all, 0, all.elements);
    wrong = !groups_agree(d, call, which, year, of_year, of_all);
    free(of_all);
    return !wrong;
  }
  if (call->primitive == GP_SORT || (call->primitive == GP_TOP_K && call->k != LATEST_CARRIERS))
    return which == OUT || (all.elements == d->years * year.elements && orders_agree(d, year, of_year, all));
  if (call->primitive == GP_TOP_K && which == OUT) { // the same carriers
    of_all = copy_to_host(d, all, 0, all.elements);
    wrong = memcmp(of_all, of_year, (size_t)bytes_of(year)) != 0;
    free(of_all);
    return !wrong;
  }
  if (call->bins || which == COUNTS || call->primitive == GP_TOP_K) {
    of_all = copy_to_host(d, all, 0, all.elements);
    for (i = 0; i < year.elements; ++i)
      wrong |= number(of_all, all.size, i) != d->years * number(of_year, year.size, i);
    free(of_all);
    return !wrong && all.elements == year.elements;
  }
  if (all.elements != (call->out == all.data && all.elements == 1 ? 1 : d->years * year.elements)) return 0;
  for (first = 0; first<all.elements; first += all.elements> year.elements ? all.elements - year.elements : 1) {
    if (first && call->primitive == GP_NONTRIVIAL_RUNS && which == OUT) break;
    of_all = copy_to_host(d, all, first, year.elements);
    wrong |= memcmp(of_all, of_year, (size_t)bytes_of(year)) != 0;
    free(of_all);
  }
  return !wrong;
}

// Keeps the results that other steps need: starts of days, and the longest streak.
static void follow_up(demo *d, int step, int on_all, result *r) {
  if (step == DAYS) { // lengths to offsets, one more than days: no sum uses the length after the last
    device_memory_read(&d->memory, &d->days[on_all], d->counts, sizeof d->days[on_all]);
    if (on_all) device_memory_free(&d->memory, d->offsets);
    d->offsets = device_memory_new(&d->memory, (d->days[on_all] + 1) * sizeof(uint64_t));
    check(gp_exclusive_scan(d->ctx, GP_SUM, GP_U32, GP_U64, NULL, d->lengths, d->days[on_all] + 1, d->offsets, NULL));
  } else if (step == HOURS || step == CARRIER_SUMS) { // top-k's input
    const int which = step == HOURS ? 0 : 1;
    const gp_type type = which ? GP_I64 : GP_U32;
    uint64_t *count = &d->kept_counts[which][on_all];
    device_memory_read(&d->memory, count, d->counts, sizeof *count);
    d->kept[which][on_all] = device_memory_new(&d->memory, *count * gp_type_size(d->ctx, type));
    check(gp_copy(d->ctx, type, which ? d->output : d->lengths, *count, d->kept[which][on_all], NULL));
  } else if (step == STREAKS && !on_all) { // as many as the previous step found: the number stays in device memory
    struct {
      uint32_t length;
      int64_t index;
    } longest;
    uint32_t first;
    gp_call call = gp_call_init(GP_REDUCE);
    call.op = GP_ARGMAX;
    call.in_type = GP_U32;
    call.in = d->lengths;
    call.out = d->scratch;
    call.count = d->rows;
    call.count_device = d->counts;
    check(gp_run(d->ctx, &call, NULL));
    device_memory_read(&d->memory, &longest, d->scratch, sizeof longest);
    device_memory_read(&d->memory, &first, (uint32_t *)d->output + longest.index, sizeof first);
    r->value = longest.length;
    r->index = first;
  }
}

// A step that groups, selects or counts.
static void run_group(demo *d, int step, result *r) {
  const group *g = &groups[step];
  array of_year[ARRAYS], of_all[ARRAYS];
  void *values[ARRAYS];
  gp_call call = call_of(d, step, 0);
  size_t year_bytes;
  char name[64];
  int i;
  first_call(d, &call, r);
  year_bytes = bytes_moved(d, &call);
  arrays_of(d, &call, of_year);
  for (i = 0; i < ARRAYS; ++i) {
    FILE *file;
    values[i] = copy_to_host(d, of_year[i], 0, of_year[i].elements);
    if (!of_year[i].elements || step == WEIGHTS) continue;
    snprintf(name, sizeof name, "%s.%s", g->file, array_files[i]);
    file = create(d->directory, name);
    d->wrong += fwrite(values[i], of_year[i].size, of_year[i].elements, file) != of_year[i].elements;
    d->wrong += fclose(file) != 0;
  }
  follow_up(d, step, 0, r);
  call = call_of(d, step, 1);
  check(gp_run(d->ctx, &call, NULL)); // counts first: bytes_moved needs them
  all_years(d, g->name, &call, year_bytes, bytes_moved(d, &call), r);
  arrays_of(d, &call, of_all);
  for (i = 0; i < ARRAYS; ++i) {
    if (of_year[i].elements && !agree(d, &call, i, of_year[i], values[i], of_all[i])) {
      fprintf(stderr, "%s: %s of all years is not that of one\n", g->name, array_files[i]);
      ++d->wrong;
    }
    free(values[i]);
  }
  follow_up(d, step, 1, r);
}

static void write_result(FILE *file, const char *name, const result *r, int first) {
  fprintf(file,
      "%s\n  \"%s\": {\"value\": %.17g, \"index\": %lld, \"first_s\": %.9g, \"kernel\": \"%s\", "
      "\"year_s\": %.9g, \"year_gbs\": %.6g, \"year_roof_gbs\": %.6g, "
      "\"s\": %.9g, \"gbs\": %.6g, \"roof_gbs\": %.6g}",
      first ? "" : ",", name, r->value, (long long)r->index, r->first, r->kernel, r->year_seconds, r->year_gigabytes,
      r->year_roof, r->seconds, r->gigabytes, r->roof);
}

int main(int argc, char **argv) {
  gp_config config = gp_config_init();
  gp_description description = gp_description_init();
  static result results[STEPS + GROUPS];
  demo d;
  const int64_t zero = 0;
  int64_t *late;
  FILE *file;
  int i;

  memset(&d, 0, sizeof d);
  d.years = argc == 3 ? atoi(argv[2]) : 0;
  if (argc < 2 || argc > 3 || (argc == 3 && (d.years < 1 || d.years > MOST_YEARS))) {
    fprintf(stderr, "usage: %s DIRECTORY [YEARS, at most %d] (made by demo.py)\n", argv[0], MOST_YEARS);
    return 2;
  }
  d.directory = argv[1];
  config.log = log_warning;
  check(gp_open(&config, &d.ctx));
  check(gp_describe(d.ctx, &description));
  if (!d.years) d.years = description.backend == GP_BACKEND_CUDA ? YEARS_ON_GPU : YEARS_ON_HOST;
  d.memory = device_memory_open(d.ctx);
  for (i = 0; i < OPERATORS; ++i) {
    gp_op_desc desc = gp_op_desc_init();
    desc.name = gap_operators[i].name;
    desc.body = gap_operators[i].body;
    desc.arity = gap_operators[i].arity;
    desc.host = gap_operators[i].host;
    check(gp_op_define(d.ctx, &desc, &d.operators[i]));
  }

  // Uploads the columns, and repeats them as in a table of many such years.
  for (i = 0; i < COLUMNS; ++i) {
    const size_t size = gp_type_size(d.ctx, column_types[i]);
    void *values;
    const size_t count = read_column(argv[1], column_files[i], size, &values);
    size_t filled;
    if (i && count != d.rows) {
      fprintf(stderr, "%s has %zu rows, the columns before it have %zu\n", column_files[i], count, d.rows);
      return 1;
    }
    d.rows = count;
    d.all = count * (size_t)d.years;
    d.inputs[i] = device_memory_new(&d.memory, d.all * size);
    device_memory_write(&d.memory, d.inputs[i], values, count * size);
    for (filled = count; filled < d.all; filled *= 2)
      check(gp_copy(d.ctx, column_types[i], d.inputs[i], filled * 2 <= d.all ? filled : d.all - filled,
          (char *)d.inputs[i] + filled * size, NULL));
    free(values);
  }
  d.inputs[SPEED] = device_memory_new(&d.memory, d.all * sizeof(float));
  d.inputs[LATE] = device_memory_new(&d.memory, d.all * sizeof(int32_t));
  d.output = device_memory_new(&d.memory, d.all * sizeof(int64_t));
  d.spare = device_memory_new(&d.memory, d.all * sizeof(float));
  d.scratch = device_memory_new(&d.memory, d.all * sizeof(int64_t));
  check(gp_fill(d.ctx, GP_I64, &zero, d.scratch, d.all, NULL)); // unwritten memory would copy too fast
  d.lengths = device_memory_new(&d.memory, (d.all + 1) * sizeof(uint32_t));
  d.boundaries = device_memory_new(&d.memory, sizeof range_ends);
  d.counts = (uint64_t *)device_memory_new(&d.memory, PARTS * sizeof *d.counts);
  device_memory_write(&d.memory, d.boundaries, range_ends, sizeof range_ends);
  late = (int64_t *)malloc(d.rows * sizeof *late);
  if (!late) return 1;

  if (description.backend == GP_BACKEND_CUDA) printf("%zu flights, on the GPU: %s\n", d.rows, description.name);
  else printf("%zu flights, on the host: %d threads\n", d.rows, description.multiprocessors);
  print_heads("Reduced and scanned", d.years);
  for (i = 0; i < STEPS; ++i) run_step(&d, &steps[i], late, &results[i]);
  print_heads("Selected, grouped, sorted", d.years);
  for (i = 0; i < GROUPS; ++i) run_group(&d, i, &results[STEPS + i]);
  printf("\nroof: a copy by %s that moves as many bytes, timed here beside each step; a step that writes nothing\n"
         "can be faster than it. Times are medians of %d to %d batches of calls, back to back.\n",
      d.memory.library ? "the driver" : "memcpy on all threads", FEWEST_ROUNDS, ROUNDS);
  if (d.wrong) fprintf(stderr, "%d results are something else on all years than on one\n", d.wrong);

  file = create(argv[1], "late.i64");
  d.wrong += fwrite(late, sizeof *late, d.rows, file) != d.rows;
  d.wrong += fclose(file) != 0;
  file = create(argv[1], "results.json");
  fprintf(file, "{\"rows\": %zu, \"years\": %d, \"backend\": \"%s\", \"device\": \"%s\", \"steps\": {", d.rows, d.years,
      description.backend == GP_BACKEND_CUDA ? "gpu" : "host", description.name);
  for (i = 0; i < STEPS; ++i) write_result(file, steps[i].name, &results[i], !i);
  fprintf(file, "}, \"groups\": {");
  for (i = 0; i < GROUPS; ++i) write_result(file, groups[i].name, &results[STEPS + i], !i);
  fprintf(file, "}}\n");
  d.wrong += fclose(file) != 0;

  for (i = 0; i < INPUTS; ++i) device_memory_free(&d.memory, d.inputs[i]);
  device_memory_free(&d.memory, d.output);
  device_memory_free(&d.memory, d.spare);
  device_memory_free(&d.memory, d.scratch);
  device_memory_free(&d.memory, d.lengths);
  device_memory_free(&d.memory, d.offsets);
  for (i = 0; i < 4; ++i) device_memory_free(&d.memory, d.kept[i / 2][i % 2]);
  device_memory_free(&d.memory, d.boundaries);
  device_memory_free(&d.memory, d.counts);
  free(late);
  check(gp_close(d.ctx));
  return d.wrong != 0;
}
