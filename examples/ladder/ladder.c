// ladder.c - measures the classic steps of kernel optimisation on this GPU beside this library's calls: Mark Harris's
// seven sums, and the transposes, floats and structs of the accompanying tutorial (sources: ladder.cuh).
//
//     make examples && build/examples/ladder/ladder --out build/ladder.json
//     build/venv/bin/python examples/ladder/ladder.py build/ladder.json --out build/ladder
//
//     --out FILE     results as JSON, which ladder.py draws
//     --quick        small inputs, one batch: a check, no measurement
//     --counters     each kernel once, for a profiler: python3 -m tools.quality.ladder reads the lines that it prints
//     --kernels FILE where ladder.cuh is, from elsewhere than the project's folder
//
// Every kernel's result is compared with the host's before it is timed. Times are medians of batches of some
// milliseconds, measured by events; kernels take turns, batch by batch. Inputs rotate through more memory than the
// cache holds, so that each launch reads from memory, as on the G80 of the published figures, which had no cache.
// Without a GPU or NVRTC the program says what it would do and exits with status 0.
//
// Published figures: Mark Harris, Optimizing Parallel Reduction in CUDA (NVIDIA, 2007), "Performance for 4M element
// reduction", GeForce 8800 GTX (G80, 86.4 GB/s); the floats' from the slides of NVIDIA's CUDA tutorial of 2008,
// "Coalescing: timing results".
#ifndef LADDER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

enum { BATCHES = 9, BATCH_US = 3000, MOST_CALLS = 400, MOST_RUNGS = 12 };

typedef struct ladder ladder;
typedef struct rung rung;

// A kernel or a call, and its results.
struct rung {
  const char *name, *what;
  double published_us, published_gbs; // 0: no published figure
  void (*start)(ladder *l, const rung *r, char *in, char *out);
  const char *kernel_name; // NULL: a library call, or the driver's copy
  unsigned threads, share; // share: elements a thread; 0: given by the number of blocks
  unsigned blocks_per_sm;
  unsigned tile, rows; // transposes: block size
  unsigned shift, skip; // floats: offset in elements; it skips every skip-th (0: none)
  gp_call call;
  void *kernel;
  int calls, batches;
  double us[BATCHES], median_us;
};

enum { REDUCTION, TRANSPOSE, FLOATS, FAMILIES };
static const char *const family_names[FAMILIES] = {"reduction", "transpose", "floats"};

// One table: rungs on one input.
typedef struct table {
  int family;
  uint64_t n; // elements of 4 bytes
  unsigned width, height; // transposes: n is the product
  uint64_t moved; // bytes for GB/s
  rung rungs[MOST_RUNGS];
  int count;
} table;

struct ladder {
  own_gpu gpu;
  gp_context *ctx;
  void *module;
  const table *t;
  char *in, *out; // `sets` of each, one after another
  uint64_t stride, sets; //
  uint64_t at; // the next set
  unsigned *partial[2]; // the blocks' sums
  gp_op increment, increment3;
  gp_type float3;
  int batches, quick, counters, launches, checked, wrong;
  FILE *json;
  int tables;
};

static void check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}

static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// ---- inputs and expected results ------------------------------------------------------------------------------------

static unsigned word_at(uint64_t i) { return (uint32_t)i * 2654435761u ^ (uint32_t)i >> 7; }
static float float_at(uint64_t i) { return (float)((uint32_t)i * 2654435761u >> 9); } // one more is exact too

static void fill(const table *t, void *data) {
  uint64_t i;
  for (i = 0; i < t->n; ++i) {
    if (t->family == REDUCTION) ((unsigned *)data)[i] = word_at(i);
    else ((float *)data)[i] = float_at(i);
  }
}

// Checks `out`. A rung leaves the bytes 0xff where it writes nothing.
static int is_right(const table *t, const rung *r, const void *out) {
  const float *floats = (const float *)out;
  uint64_t i;
  if (t->family == REDUCTION) {
    uint32_t sum = 0, got;
    for (i = 0; i < t->n; ++i) sum += word_at(i);
    memcpy(&got, out, sizeof got);
    return got == sum;
  }
  if (t->family == TRANSPOSE) {
    unsigned x, y;
    for (x = 0; x < t->width; ++x)
      for (y = 0; y < t->height; ++y)
        if (floats[(uint64_t)x * t->height + y] != float_at((uint64_t)y * t->width + x)) return 0;
    return 1;
  }
  for (i = 0; i < t->n; ++i) {
    const int written = i >= r->shift && !(r->skip && (i - r->shift) % r->skip);
    if (written ? floats[i] != float_at(i) + 1 : floats[i] == floats[i]) return 0; // 0xffffffff is a NaN
  }
  return 1;
}

// ---- starting a rung ------------------------------------------------------------------------------------------------

static unsigned grid_of(uint64_t blocks) {
  if (!blocks || blocks > 0x7fffffff) own_stop("a grid of %llu blocks", (unsigned long long)blocks);
  return (unsigned)blocks;
}

static void launch(ladder *l, const rung *r, unsigned blocks_x, unsigned blocks_y, unsigned threads_x,
    unsigned threads_y, unsigned shared_bytes, void **arguments) {
  ++l->launches;
  own_launch(&l->gpu, r->kernel, blocks_x, blocks_y, threads_x, threads_y, shared_bytes, arguments);
}

// Sums of blocks, and sums of those, until one is left.
static void start_reduction(ladder *l, const rung *r, char *in, char *out) {
  const void *from = in;
  unsigned long long n = l->t->n;
  int turn = 0;
  for (;;) {
    const uint64_t most = (uint64_t)l->gpu.multiprocessors * r->blocks_per_sm;
    uint64_t blocks = divide_up(n, (uint64_t)r->threads * (r->share ? r->share : 2));
    void *to, *arguments[3];
    if (!r->share && blocks > most) blocks = most;
    if (!r->share && turn) blocks = 1;
    to = blocks == 1 ? (void *)out : (void *)l->partial[turn % 2];
    arguments[0] = (void *)&from, arguments[1] = &to, arguments[2] = &n;
    launch(l, r, grid_of(blocks), 1, r->threads, 1, r->threads * (unsigned)sizeof(unsigned), arguments);
    if (blocks == 1) return;
    from = to;
    n = blocks;
    ++turn;
  }
}

static void start_transpose(ladder *l, const rung *r, char *in, char *out) {
  unsigned width = l->t->width, height = l->t->height;
  void *arguments[4];
  arguments[0] = &in, arguments[1] = &out, arguments[2] = &width, arguments[3] = &height;
  launch(
      l, r, (unsigned)divide_up(width, r->tile), (unsigned)divide_up(height, r->tile), r->tile, r->rows, 0, arguments);
}

static void start_floats(ladder *l, const rung *r, char *in, char *out) {
  unsigned long long n = (l->t->n - r->shift) / r->share;
  void *from = in + 4 * r->shift, *to = out + 4 * r->shift, *arguments[3];
  arguments[0] = &from, arguments[1] = &to, arguments[2] = &n;
  launch(l, r, grid_of(divide_up(n, r->threads)), 1, r->threads, 1, r->share == 3 ? r->threads * 12 : 0, arguments);
}

static void start_read(ladder *l, const rung *r, char *in, char *out) {
  unsigned long long n = l->t->n / 4;
  const uint64_t wanted = divide_up(n + 1, r->threads), most = (uint64_t)l->gpu.multiprocessors * r->blocks_per_sm;
  void *arguments[3];
  arguments[0] = &in, arguments[1] = &out, arguments[2] = &n;
  launch(l, r, grid_of(wanted < most ? wanted : most), 1, r->threads, 1, 0, arguments);
}

static void start_copy(ladder *l, const rung *r, char *in, char *out) {
  (void)r;
  own_copy(&l->gpu, out, in, 4 * l->t->n);
}

static void start_call(ladder *l, const rung *r, char *in, char *out) {
  gp_call call = r->call;
  call.in = in;
  call.out = out;
  check(gp_run(l->ctx, &call, l->gpu.stream));
}

static void start_gp_transpose(ladder *l, const rung *r, char *in, char *out) {
  (void)r;
  check(gp_transpose(l->ctx, GP_F32, in, 0, l->t->height, l->t->width, out, 0, l->gpu.stream));
}

// ---- timing ---------------------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Microseconds a launch, over `calls` launches, rotating through the sets of buffers.
static double time_batch(ladder *l, const rung *r, int calls) {
  int i;
  own_begin(&l->gpu);
  for (i = 0; i < calls; ++i) {
    r->start(l, r, l->in + l->at * l->stride, l->out + l->at * l->stride);
    l->at = (l->at + 1) % l->sets;
  }
  return own_end(&l->gpu) / calls;
}

static int calls_of_a_batch(ladder *l, const rung *r) {
  double us;
  if (l->quick) return 1;
  time_batch(l, r, 2);
  us = time_batch(l, r, 4);
  return us * MOST_CALLS < BATCH_US ? MOST_CALLS : us > BATCH_US ? 1 : (int)(BATCH_US / us);
}

// Finds the fastest block and grid size for kernels that step through their input by grids.
static void choose_launch(ladder *l, rung *r, const char *const *kernels, const unsigned *threads, int count) {
  static const unsigned blocks_per_sm[] = {1, 2, 4, 8, 16};
  rung best = *r;
  double best_us = 1e30;
  int i, k, again;
  if (l->counters) { // the middle one of each
    r->kernel_name = kernels[count / 2];
    r->kernel = own_kernel(&l->gpu, l->module, r->kernel_name);
    r->threads = threads[count / 2];
    r->blocks_per_sm = 4;
    return;
  }
  for (i = 0; i < count; ++i)
    for (k = 0; k < 5; ++k) {
      if (threads[i] * blocks_per_sm[k] > 2048) continue;
      r->kernel_name = kernels[i];
      r->kernel = own_kernel(&l->gpu, l->module, kernels[i]);
      r->threads = threads[i];
      r->blocks_per_sm = blocks_per_sm[k];
      for (again = 0; again < (l->quick ? 1 : 3); ++again) { // the first also warms up
        const double us = time_batch(l, r, calls_of_a_batch(l, r));
        if (us < best_us) best_us = us, best = *r;
      }
    }
  *r = best;
}

// ---- tables ---------------------------------------------------------------------------------------------------------

static rung *add(
    table *t, const char *name, const char *what, void (*start)(ladder *l, const rung *r, char *in, char *out)) {
  rung *r = &t->rungs[t->count++];
  if (t->count > MOST_RUNGS) own_stop("too many rungs");
  memset(r, 0, sizeof *r);
  r->name = name;
  r->what = what;
  r->start = start;
  return r;
}

static table reduction_table(const ladder *l, uint64_t n) {
  static const char *const whats[] = {"interleaved addressing, divergent", "interleaved addressing, bank conflicts",
      "sequential addressing", "first add during load", "last warp unrolled", "completely unrolled",
      "multiple elements a thread"};
  static const char *const kernels[] = {
      "reduce_1", "reduce_2", "reduce_3", "reduce_4", "reduce_5", "reduce_6_128", NULL};
  static const double published_us[] = {8054, 3456, 1722, 965, 536, 381, 268};
  static const double published_gbs[] = {2.083, 4.854, 9.741, 17.377, 31.289, 43.996, 62.671};
  static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7"};
  table t;
  rung *r;
  int i;
  (void)l;
  memset(&t, 0, sizeof t);
  t.family = REDUCTION;
  t.n = n;
  t.moved = 4 * n;
  for (i = 0; i < 7; ++i) {
    r = add(&t, names[i], whats[i], start_reduction);
    r->kernel_name = kernels[i];
    r->threads = 128;
    r->share = i < 3 ? 1 : i < 6 ? 2 : 0;
    if (n == 4u << 20) r->published_us = published_us[i], r->published_gbs = published_gbs[i];
    if (n == 16u << 20 && i == 6) r->published_us = 4e-3 * (double)n / 72, r->published_gbs = 72; // "72 GB/s!"
  }
  r = add(&t, "gp_reduce", "this library's call", start_call);
  r->call = gp_call_init(GP_REDUCE);
  r->call.op = GP_SUM;
  r->call.in_type = r->call.out_type = GP_U32;
  r->call.count = n;
  add(&t, "read", "each byte read once: the roof", start_read);
  return t;
}

static table transpose_table(const ladder *l, unsigned width, unsigned height) {
  static const struct {
    const char *name, *what, *kernel;
    unsigned tile, rows;
  } rungs[] = {{"naive", "rows are read, columns written", "transpose_naive", 16, 16},
      {"shared", "coalesced through shared memory", "transpose_shared", 16, 16},
      {"padded", "and no bank conflicts", "transpose_padded", 16, 16},
      {"rows", "32 x 33 tiles, four elements a thread", "transpose_rows", 32, 8}};
  // Naive, and coalesced without bank conflicts.
  static const struct {
    unsigned width, height;
    double us[2];
  } published[] = {{128, 128, {22, 11}}, {512, 512, {330, 70}}, {1024, 1024, {1920, 300}}, {1024, 2048, {6600, 790}}};
  table t;
  rung *r;
  int i, k;
  (void)l;
  memset(&t, 0, sizeof t);
  t.family = TRANSPOSE;
  t.width = width;
  t.height = height;
  t.n = (uint64_t)width * height;
  t.moved = 8 * t.n;
  for (i = 0; i < 4; ++i) {
    r = add(&t, rungs[i].name, rungs[i].what, start_transpose);
    r->kernel_name = rungs[i].kernel;
    r->tile = rungs[i].tile;
    r->rows = rungs[i].rows;
    for (k = 0; k < 4; ++k)
      if (published[k].width == width && published[k].height == height && i % 2 == 0 && i < 3)
        r->published_us = published[k].us[i / 2];
  }
  add(&t, "gp_transpose", "this library's call", start_gp_transpose);
  add(&t, "copy", "the driver's copy: the roof", start_copy);
  return t;
}

static table floats_table(const ladder *l, uint64_t n) {
  static const struct {
    const char *name, *what, *kernel;
    unsigned share, shift, skip;
    double us; // of 3 Mi floats
  } rungs[] = {{"coalesced", "a float a thread", "floats_coalesced", 1, 0, 0, 356},
      {"some", "every other thread takes no part", "floats_some", 1, 0, 2, 357},
      {"permuted", "neighbours swapped", "floats_permuted", 1, 0, 0, 3494},
      {"misaligned", "one float further on", "floats_coalesced", 1, 1, 0, 3494},
      {"float3", "a struct of 12 bytes a thread", "float3_naive", 3, 0, 0, 3302},
      {"float3 shared", "the same through shared memory", "float3_shared", 3, 0, 0, 359}};
  table t;
  rung *r;
  int i;
  memset(&t, 0, sizeof t);
  t.family = FLOATS;
  t.n = n;
  t.moved = 8 * n;
  for (i = 0; i < 6; ++i) {
    r = add(&t, rungs[i].name, rungs[i].what, start_floats);
    r->kernel_name = rungs[i].kernel;
    r->threads = 256;
    r->share = rungs[i].share;
    r->shift = rungs[i].shift;
    r->skip = rungs[i].skip;
    if (n == 3u << 20) r->published_us = rungs[i].us;
  }
  for (i = 0; i < 2; ++i) {
    r = add(&t, i ? "gp_transform 3" : "gp_transform",
        i ? "this library's call, structs" : "this library's call, floats", start_call);
    r->call = gp_call_init(GP_TRANSFORM);
    r->call.op = i ? l->increment3 : l->increment;
    r->call.in_type = r->call.out_type = i ? l->float3 : GP_F32;
    r->call.count = i ? n / 3 : n;
  }
  add(&t, "copy", "the driver's copy: the roof", start_copy);
  return t;
}

// Checks and times all rungs of a table.
static void measure(ladder *l, table *t) {
  static const char *const reduce_kernels[] = {"reduce_7_128", "reduce_7_256", "reduce_7_512", "reduce_7_1024"};
  static const unsigned reduce_threads[] = {128, 256, 512, 1024};
  static const char *const read_kernels[] = {"read_4", "read_4", "read_4", "read_8", "read_8"};
  static const unsigned read_threads[] = {256, 512, 1024, 256, 512};
  const uint64_t bytes = 4 * t->n;
  const uint64_t least = l->quick ? 0 : 8 * (uint64_t)l->gpu.l2_bytes; // each side: more than the cache holds
  char *data = (char *)malloc(bytes);
  uint64_t set;
  int i, round;
  if (!data) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  l->t = t;
  l->stride = divide_up(bytes + 16, 256) * 256;
  l->sets = least / l->stride > 2 ? least / l->stride : 2;
  l->at = 0;
  l->in = (char *)own_new(&l->gpu, l->sets * l->stride);
  l->out = (char *)own_new(&l->gpu, l->sets * l->stride);
  for (i = 0; i < 2; ++i) l->partial[i] = (unsigned *)own_new(&l->gpu, divide_up(t->n, 128) * sizeof(unsigned));
  fill(t, data);
  own_write(&l->gpu, l->in, data, bytes);
  for (set = 1; set < l->sets; ++set) own_copy(&l->gpu, l->in + set * l->stride, l->in, bytes);
  for (i = 0; i < t->count; ++i) {
    rung *r = &t->rungs[i];
    if (r->start == start_read) choose_launch(l, r, read_kernels, read_threads, 5);
    else if (r->start == start_reduction && !r->share) choose_launch(l, r, reduce_kernels, reduce_threads, 4);
    else if (r->kernel_name) r->kernel = own_kernel(&l->gpu, l->module, r->kernel_name);
    own_set(&l->gpu, l->out, 0xff, bytes);
    l->launches = 0;
    r->start(l, r, l->in, l->out);
    if (l->counters && l->launches)
      printf("counted\t%s\t%llu\t%u\t%s\t%s\t%d\t%u\n", family_names[t->family], (unsigned long long)t->n, t->width,
          r->name, r->kernel_name, l->launches, r->threads);
    own_read(&l->gpu, data, l->out, t->family == REDUCTION ? 4 : bytes);
    if (r->start != start_read && r->start != start_copy) {
      ++l->checked;
      if (!is_right(t, r, data)) {
        fprintf(
            stderr, "FAILED: %s of %llu elements: %s\n", family_names[t->family], (unsigned long long)t->n, r->name);
        ++l->wrong;
      }
    }
    if (!l->counters) r->calls = calls_of_a_batch(l, r);
  }
  for (round = 0; !l->counters && round < l->batches; ++round)
    for (i = 0; i < t->count; ++i) {
      rung *r = &t->rungs[i];
      r->us[r->batches++] = time_batch(l, r, r->calls);
    }
  for (i = 0; i < t->count; ++i) {
    rung *r = &t->rungs[i];
    qsort(r->us, (size_t)r->batches, sizeof r->us[0], ascending);
    r->median_us = r->us[r->batches / 2];
  }
  own_free(&l->gpu, l->in);
  own_free(&l->gpu, l->out);
  for (i = 0; i < 2; ++i) own_free(&l->gpu, l->partial[i]);
  free(data);
}

// ---- printing -------------------------------------------------------------------------------------------------------

// A number, or blanks for none.
static const char *cell(char *to, const char *format, double value) {
  if (value > 0) snprintf(to, 32, format, value);
  else to[0] = 0;
  return to;
}

// As published, or from the bytes and the published time. 0: not published.
static double published_gbs(const table *t, const rung *r) {
  if (r->published_gbs > 0) return r->published_gbs;
  return r->published_us > 0 ? 1e-3 * (double)t->moved / r->published_us : 0;
}

// Harris's table twice, side by side: as published, and for this GPU. A step's speed-up is over the previous rung, the
// cumulative one over the first.
static void print_table(const ladder *l, const table *t) {
  const double moved = (double)t->moved, roof_us = t->rungs[t->count - 1].median_us;
  double before = 0, first = 0, published_before = 0, published_first = 0;
  char title[120], text[6][32];
  int i;
  if (t->family == REDUCTION) snprintf(title, sizeof title, "Sum of %llu integers", (unsigned long long)t->n);
  else if (t->family == TRANSPOSE) snprintf(title, sizeof title, "Transpose of %u x %u floats", t->width, t->height);
  else snprintf(title, sizeof title, "Increment of %llu floats", (unsigned long long)t->n);
  printf("\n%s, %.3g MB moved\n", title, moved * 1e-6);
  printf("%-57s|%33s |  %s\n", "", t->family == REDUCTION ? "G80, Harris 2007" : "G80, tutorial 2007", l->gpu.name);
  printf(
      "%-57s|%9s%8s%8s%8s |%9s%8s%8s%8s%8s\n", "", "us", "GB/s", "step", "all", "us", "GB/s", "step", "all", "of roof");
  for (i = 0; i < t->count; ++i) {
    const rung *r = &t->rungs[i];
    if (!i) first = r->median_us, published_first = r->published_us;
    printf("%-15s%-42s|%9s%8s%8s%8s |%9.2f%8.1f%8s%8.2f%8.2f\n", r->name, r->what,
        cell(text[0], "%.0f", r->published_us), cell(text[1], "%.1f", published_gbs(t, r)),
        cell(text[2], "%.2f", r->published_us > 0 ? published_before / r->published_us : 0),
        cell(text[3], "%.2f", r->published_us > 0 && i ? published_first / r->published_us : 0), r->median_us,
        1e-3 * moved / r->median_us, cell(text[4], "%.2f", before / r->median_us), first / r->median_us,
        roof_us / r->median_us);
    before = r->median_us;
    published_before = r->published_us;
  }
}

static void write_table(ladder *l, const table *t) {
  int i;
  fprintf(l->json,
      "%s\n{\"family\": \"%s\", \"elements\": %llu, \"width\": %u, \"height\": %u, \"moved\": %llu, \"rungs\": [",
      l->tables++ ? "," : "", family_names[t->family], (unsigned long long)t->n, t->width, t->height,
      (unsigned long long)t->moved);
  for (i = 0; i < t->count; ++i) {
    const rung *r = &t->rungs[i];
    fprintf(l->json,
        "%s\n  {\"name\": \"%s\", \"what\": \"%s\", \"kernel\": \"%s\", \"threads\": %u, \"blocks_per_sm\": %u, "
        "\"calls\": %d, \"us\": %.4f, \"min_us\": %.4f, \"max_us\": %.4f, \"gbs\": %.2f, \"published_us\": %g, "
        "\"published_gbs\": %.3f}",
        i ? "," : "", r->name, r->what, r->kernel_name ? r->kernel_name : "", r->threads, r->blocks_per_sm, r->calls,
        r->median_us, r->us[0], r->us[r->batches - 1], 1e-3 * (double)t->moved / r->median_us, r->published_us,
        published_gbs(t, r));
  }
  fprintf(l->json, "]}");
}

static void run_table(ladder *l, table t) {
  measure(l, &t);
  if (l->counters) return;
  print_table(l, &t);
  if (l->json) write_table(l, &t);
}

// ---- the program ----------------------------------------------------------------------------------------------------

typedef struct float3 {
  float x, y, z;
} float3;
static void increment(void *user, void *result, const void *a, const void *b) {
  (void)user, (void)b;
  *(float *)result = *(const float *)a + 1;
}
static void increment3(void *user, void *result, const void *a, const void *b) {
  float3 value = *(const float3 *)a;
  (void)user, (void)b;
  value.x += 1, value.y += 1, value.z += 1;
  *(float3 *)result = value;
}

static void define(ladder *l) {
  gp_type_desc type = gp_type_desc_init();
  gp_op_desc op = gp_op_desc_init();
  op.name = "increment";
  op.body = "return a + 1;";
  op.arity = 1;
  op.host = increment;
  check(gp_op_define(l->ctx, &op, &l->increment));
  type.name = "triple";
  type.source = "struct triple { float x, y, z; };";
  type.size = sizeof(float3);
  type.align = 4;
  check(gp_type_struct(l->ctx, &type, &l->float3));
  op.name = "increment3";
  op.body = "triple r; r.x = a.x + 1; r.y = a.y + 1; r.z = a.z + 1; return r;";
  op.host = increment3;
  check(gp_op_define(l->ctx, &op, &l->increment3));
}

// No GPU: compiles the kernels, if NVRTC is found.
static int without_gpu(const char *why, const char *kernels) {
  static const int capabilities[] = {75, 80, 90};
  own_gpu g;
  int i;
  printf("skipped: %s\n"
         "On a GPU it checks and times seven sums, four transposes and six kernels on floats and structs, beside\n"
         "gp_reduce, gp_transpose, gp_transform, copies and reads, as tables beside the figures of 2007.\n",
      why);
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) {
    printf("%s, so the kernels were not compiled either\n", why);
    return 0;
  }
  for (i = 0; i < 3; ++i) {
    char *text = own_text(kernels);
    free(own_compile(&g, kernels, text, NULL, NULL, capabilities[i], NULL, 0));
    free(text);
    printf("the kernels compile for sm_%d\n", capabilities[i]);
  }
  return 0;
}

int main(int argc, char **argv) {
  static ladder l;
  static const unsigned sizes[][2] = {{128, 128}, {512, 512}, {1024, 1024}, {1024, 2048}, {4096, 4096}, {16384, 16384}};
  const char *kernels = "examples/ladder/ladder.cuh", *out = NULL, *why;
  char *text;
  int i;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--quick")) l.quick = 1;
    else if (!strcmp(argv[i], "--counters")) l.counters = 1;
    else if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
    else if (!strcmp(argv[i], "--kernels") && i + 1 < argc) kernels = argv[++i];
    else {
      fprintf(stderr, "usage: %s [--out FILE.json] [--quick] [--counters] [--kernels FILE]\n", argv[0]);
      return 2;
    }
  }
  check(gp_open(NULL, &l.ctx));
  why = own_open(&l.gpu, l.ctx);
  if (why) {
    check(gp_close(l.ctx));
    return without_gpu(why, kernels);
  }
  l.batches = l.quick ? 1 : BATCHES;
  text = own_text(kernels);
  l.module = own_module(&l.gpu, kernels, text, NULL, NULL, NULL, 0);
  free(text);
  define(&l);
  if (out) {
    l.json = fopen(out, "w");
    if (!l.json) own_stop("%s cannot be written", out);
    fprintf(l.json, "{\"device\": \"%s\", \"capability\": %d, \"multiprocessors\": %d, \"tables\": [", l.gpu.name,
        l.gpu.capability, l.gpu.multiprocessors);
  }
  if (l.quick) {
    run_table(&l, reduction_table(&l, 12289));
    run_table(&l, transpose_table(&l, 67, 37));
    run_table(&l, floats_table(&l, 3072));
  } else if (l.counters) {
    run_table(&l, reduction_table(&l, 4u << 20));
    for (i = 2; i < 5; ++i) run_table(&l, transpose_table(&l, sizes[i][0], sizes[i][1]));
    run_table(&l, floats_table(&l, 3u << 20));
  } else {
    for (i = 22; i <= 28; i += i == 22 ? 2 : i == 24 ? 1 : 3) run_table(&l, reduction_table(&l, (uint64_t)1 << i));
    for (i = 0; i < 6; ++i) run_table(&l, transpose_table(&l, sizes[i][0], sizes[i][1]));
    run_table(&l, floats_table(&l, 3u << 20));
    run_table(&l, floats_table(&l, 192u << 20));
  }
  if (l.json) {
    fprintf(l.json, "]}\n");
    if (fclose(l.json)) own_stop("%s cannot be written", out);
    l.json = NULL;
  }
  check(gp_close(l.ctx));
  printf("\nResults, compared with the host's:\n%d passed, %d failed, 0 skipped\n", l.checked - l.wrong, l.wrong);
  return l.wrong != 0;
}
