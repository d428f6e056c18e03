// gp_pairs.c - the cost of a change of the library: the same calls on two builds, in one process, in turn.
//
//   make lib, in both trees;  gcc -O2 -std=gnu11 -I. -Itools tools/gp_pairs.c -o build/gp_pairs -ldl -lpthread -lm
//   gp_pairs OLD.so NEW.so [PART ...]     parts: operators alignment segments sets sorts streams; default: all
//
// A line a call: microseconds of both builds and their ratio, each the median of 11 rounds in alternating order. A
// round replays a graph of calls, which leaves out the host's share; `streams` measures that share alone. The last
// lines are the device, its copy roof and the geometric mean of each part's ratios. tools/farm regress compares trees
// in separate processes, with verdicts; this tool takes any gp_call and needs a minute.
#define _GNU_SOURCE
#include "gpuprims.h"

#include "gp_cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, PARTS_MAX = 16 };

typedef struct build {
  gp_result (*open)(const gp_config *, gp_context **);
  gp_result (*run)(gp_context *, const gp_call *, gp_stream);
  gp_result (*prepare)(gp_context *, const gp_call *);
  const char *(*message)(void);
  gp_context *ctx;
} build;

static gp_cuda cuda;
static build builds[2];
static void *stream, *events[2];
static char *memory; // 1 GiB: inputs in its first half, outputs in the second
static struct {
  const char *name;
  double log_sum;
  int count;
} parts[PARTS_MAX];
static int part_count;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static void stop(const char *what, const char *why) {
  printf("%s: %s\n", what, why);
  exit(1);
}
static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static void open_build(build *b, const char *path) {
  gp_config config;
  char padded[sizeof config + 256] = {0}; // a later build may read further fields
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) stop(path, dlerror());
  *(void **)&b->open = dlsym(library, "gp_open");
  *(void **)&b->run = dlsym(library, "gp_run");
  *(void **)&b->prepare = dlsym(library, "gp_prepare");
  *(void **)&b->message = dlsym(library, "gp_last_message");
  if (!b->open || !b->run || !b->prepare || !b->message) stop(path, "no gp_open, gp_run, gp_prepare, gp_last_message");
  config = gp_config_init();
  config.backend = GP_BACKEND_CUDA;
  memcpy(padded, &config, sizeof config);
  if (b->open((const gp_config *)(const void *)padded, &b->ctx)) stop(path, b->message());
}

// Calls of one build as a graph.
static void *capture(const build *b, const gp_call *call, int calls) {
  void *graph = NULL, *made = NULL;
  int i;
  if (b->run(b->ctx, call, stream)) stop("gp_run", b->message()); // kernels and workspace
  GP_CUDA_CHECK(&cuda, stream_wait(stream));
  GP_CUDA_CHECK(&cuda, capture_begin(stream, 0));
  for (i = 0; i < calls; i++)
    if (b->run(b->ctx, call, stream)) stop("gp_run", b->message());
  GP_CUDA_CHECK(&cuda, capture_end(stream, &graph));
  GP_CUDA_CHECK(&cuda, graph_instantiate(&made, graph, 0));
  GP_CUDA_CHECK(&cuda, graph_destroy(graph));
  return made;
}
static double replay(void *graph, int calls) {
  float ms = 0;
  GP_CUDA_CHECK(&cuda, event_record(events[0], stream));
  GP_CUDA_CHECK(&cuda, graph_launch(graph, stream));
  GP_CUDA_CHECK(&cuda, event_record(events[1], stream));
  GP_CUDA_CHECK(&cuda, event_wait(events[1]));
  GP_CUDA_CHECK(&cuda, event_elapsed(&ms, events[0], events[1]));
  return 1e3 * ms / calls;
}
static void tell(const char *part, const char *name, double a, double b) {
  int i;
  printf("%-10s %-52s %10.2f %10.2f us %6.3f\n", part, name, a, b, a / b);
  for (i = 0; i < part_count && strcmp(parts[i].name, part); i++) {}
  if (i == part_count) parts[part_count++].name = part;
  parts[i].log_sum += log(a / b);
  parts[i].count++;
}
static void compare(const char *part, const char *name, const gp_call *call) {
  double times[2][ROUNDS];
  void *graphs[2];
  const int calls = call->count > (1 << 23) ? 3 : 20;
  int round, i;
  for (i = 0; i < 2; i++) graphs[i] = capture(&builds[i], call, calls), replay(graphs[i], calls);
  for (round = 0; round < ROUNDS; round++)
    for (i = 0; i < 2; i++) times[i ^ (round & 1)][round] = replay(graphs[i ^ (round & 1)], calls);
  tell(part, name, median(times[0], ROUNDS), median(times[1], ROUNDS));
  for (i = 0; i < 2; i++) GP_CUDA_CHECK(&cuda, graph_exec_destroy(graphs[i]));
}

static gp_call call_of(gp_primitive primitive, uint64_t count) {
  gp_call c;
  memset(&c, 0, sizeof c);
  c.primitive = primitive;
  c.count = count;
  c.in = memory;
  c.out = memory + (512u << 20);
  return c;
}

static void operators(void) {
  static const struct {
    const char *name;
    gp_type in, acc;
  } types[] = {{"u8", GP_U8, GP_U8}, {"u8 in i32", GP_U8, GP_I32}, {"i8", GP_I8, GP_I8}, {"i16", GP_I16, GP_I16},
      {"i32", GP_I32, GP_I32}};
  static const struct {
    const char *name;
    gp_op op;
  } transforms[] = {{"", 0}, {" NEGATE", GP_NEGATE}, {" ABS", GP_ABS}}, ops[] = {{"MAX", GP_MAX}, {"SUM", GP_SUM}};
  static const uint64_t counts[] = {(1 << 20) + 7919, (1 << 26) + 15485863};
  char name[128];
  size_t t, m, o, s, k;
  for (k = 0; k < 2; k++)
    for (o = 0; o < 2; o++)
      for (t = 0; t < sizeof types / sizeof *types; t++)
        for (m = 0; m < 3; m++)
          for (s = 0; s < 2; s++) {
            gp_call c = call_of(k ? GP_INCLUSIVE_SCAN : GP_REDUCE, counts[s]);
            c.op = ops[o].op, c.transform = transforms[m].op;
            c.in_type = types[t].in, c.acc_type = c.out_type = types[t].acc;
            if (k && c.count > 1 << 23 && o) continue; // a scan's operator costs the same at any size
            snprintf(name, sizeof name, "%s %s%s %s n=%llu", k ? "inclusive_scan" : "reduce", ops[o].name,
                transforms[m].name, types[t].name, (unsigned long long)c.count);
            compare("operators", name, &c);
          }
}
static void alignment(void) {
  static const gp_type types[] = {GP_F32, GP_F64};
  static const uint64_t counts[] = {4127, 70001, (1 << 20) + 7919, (1 << 23) + 9973, (1 << 25) + 39};
  char name[128];
  size_t t, s;
  int shift;
  for (t = 0; t < 2; t++)
    for (s = 0; s < sizeof counts / sizeof *counts; s++)
      for (shift = 0; shift < 16; shift += 8) {
        gp_call c = call_of(GP_REDUCE, counts[s]);
        c.op = GP_SUM, c.in_type = c.out_type = types[t];
        c.out = (char *)c.out + shift;
        snprintf(name, sizeof name, "reduce SUM f%d out at %d n=%llu", 32 << t, shift, (unsigned long long)counts[s]);
        compare("alignment", name, &c);
      }
}
// Ascending u32 keys with some equal ones, at an input's start, for calls on sorted keys or offsets.
static void make_keys(char *at, uint64_t count, unsigned step) {
  unsigned *keys = (unsigned *)malloc(count * sizeof *keys), x = 0, h = 1;
  uint64_t i;
  if (!keys) stop("keys", "no memory");
  for (i = 0; i < count; i++) keys[i] = x, h = h * 1664525u + 1013904223u, x += (h >> 16) % step;
  GP_CUDA_CHECK(&cuda, to_device((uint64_t)(uintptr_t)at, keys, count * sizeof *keys));
  free(keys);
}
static void segments(void) {
  static const uint64_t counts[] = {70001, (1 << 20) + 7919, (1 << 24) + 1619};
  static const unsigned init = 189;
  char name[128];
  size_t s;
  int op;
  make_keys(memory + (256u << 20), 1 << 25, 3);
  for (s = 0; s < 3; s++)
    for (op = 0; op < 3; op++) {
      gp_call c = call_of(GP_EXCLUSIVE_SCAN_BY_KEY, counts[s]);
      c.op = op == 0 ? GP_SUM : op == 1 ? GP_AND : GP_OR, c.in_type = c.out_type = GP_I32;
      c.keys = memory + (256u << 20), c.key_type = GP_U32, c.equal = GP_EQUAL, c.init = &init;
      snprintf(name, sizeof name, "exclusive_scan_by_key %s i32 n=%llu",
          op == 0 ? "SUM"
              : op == 1 ? "AND"
              : "OR",
          (unsigned long long)counts[s]);
      compare("segments", name, &c);
    }
  for (s = 0; s < 3; s++) {
    gp_call c = call_of(GP_UNIQUE, counts[s]);
    c.in = memory + (256u << 20), c.in_type = c.out_type = c.key_type = GP_U32, c.equal = GP_EQUAL;
    c.keys = c.in, c.in = NULL, c.in_type = 0, c.out_type = 0;
    c.out_keys = c.out, c.out = NULL;
    c.out_count = (uint64_t *)(void *)(memory + (1020u << 20));
    snprintf(name, sizeof name, "unique u32 n=%llu", (unsigned long long)counts[s]);
    compare("segments", name, &c);
    c.primitive = GP_RUN_LENGTHS, c.out2_type = GP_U32, c.out2 = memory + (768u << 20);
    snprintf(name, sizeof name, "run_lengths u32 n=%llu", (unsigned long long)counts[s]);
    compare("segments", name, &c);
  }
}
static void sets(void) {
  static const uint64_t counts[] = {1031, 4127, 16411, 70001, (1 << 18) + 3, (1 << 20) + 7919, (1 << 24) + 1619};
  static const struct {
    const char *name;
    gp_primitive primitive;
  } kinds[] = {{"set_union", GP_SET_UNION}, {"set_difference", GP_SET_DIFFERENCE}, {"merge", GP_MERGE}};
  char name[128];
  size_t s, k;
  int values;
  make_keys(memory, 1 << 25, 4);
  make_keys(memory + (128u << 20), 1 << 25, 5);
  for (k = 0; k < 3; k++)
    for (values = 0; values < 2; values++)
      for (s = 0; s < sizeof counts / sizeof *counts; s++) {
        gp_call c = call_of(kinds[k].primitive, counts[s]);
        c.keys = memory, c.keys2 = memory + (128u << 20), c.count2 = counts[s], c.key_type = GP_U32, c.op = GP_LESS;
        c.in = values ? memory + (256u << 20) : NULL, c.in2 = values ? memory + (384u << 20) : NULL;
        c.in_type = values ? GP_U32 : 0;
        c.out_keys = memory + (512u << 20), c.out = values ? memory + (768u << 20) : NULL;
        if (k < 2) c.out_count = (uint64_t *)(void *)(memory + (1020u << 20));
        snprintf(name, sizeof name, "%s u32%s n=2*%llu", kinds[k].name, values ? " with u32" : "",
            (unsigned long long)counts[s]);
        compare("sets", name, &c);
      }
}
static void sorts(void) {
  static const uint64_t counts[] = {1031, 4127, 16411, 70001, (1 << 18) + 3, (1 << 20) + 7919, (1 << 24) + 1619};
  char name[128];
  size_t s;
  int values;
  for (values = 0; values < 2; values++)
    for (s = 0; s < sizeof counts / sizeof *counts; s++) {
      gp_call c = call_of(GP_SORT, counts[s]);
      c.keys = memory + (256u << 20), c.key_type = GP_U32, c.out_keys = memory + (512u << 20);
      c.in = values ? memory : NULL, c.in_type = values ? GP_U32 : 0, c.out = values ? memory + (768u << 20) : NULL;
      snprintf(name, sizeof name, "sort u32%s n=%llu", values ? " with u32" : "", (unsigned long long)counts[s]);
      compare("sorts", name, &c);
    }
}
// The host's share: small calls on one stream, on many streams, and on destroyed streams.
static double small_calls(const build *b, void **streams, int count, int rounds) {
  gp_call c = call_of(GP_INCLUSIVE_SCAN, 64);
  double from;
  int i, r;
  c.op = GP_SUM, c.in_type = c.out_type = GP_U32;
  for (i = 0; i < count; i++)
    if (b->run(b->ctx, &c, streams[i])) stop("gp_run", b->message());
  GP_CUDA_CHECK(&cuda, synchronize());
  from = now();
  for (r = 0; r < rounds; r++)
    for (i = 0; i < count; i++)
      if (b->run(b->ctx, &c, streams[i])) stop("gp_run", b->message());
  from = now() - from; // queued by the host; too few to fill a queue
  GP_CUDA_CHECK(&cuda, synchronize());
  return from / (rounds * count);
}
static void streams_part(void) {
  static const int counts[] = {1, 60, 100, 300};
  enum { SOME = 300 };
  void *some[SOME];
  char name[128];
  size_t s;
  int i, round;
  for (i = 0; i < SOME; i++) GP_CUDA_CHECK(&cuda, stream_create(&some[i], 1));
  for (s = 0; s < sizeof counts / sizeof *counts; s++) {
    double times[2][ROUNDS];
    const int rounds = counts[s] > 1 ? 4 : 200;
    for (round = 0; round < ROUNDS; round++)
      for (i = 0; i < 2; i++)
        times[i ^ (round & 1)][round] = small_calls(&builds[i ^ (round & 1)], some, counts[s], rounds);
    snprintf(name, sizeof name, "a call's time on the host, %d stream%s", counts[s], counts[s] > 1 ? "s" : "");
    tell("streams", name, median(times[0], ROUNDS), median(times[1], ROUNDS));
  }
  for (i = 0; i < SOME; i++) GP_CUDA_CHECK(&cuda, stream_destroy(some[i]));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } all[] = {{"operators", operators}, {"alignment", alignment}, {"segments", segments}, {"sets", sets},
      {"sorts", sorts}, {"streams", streams_part}};
  const char *why = gp_cuda_open(&cuda);
  void *primary = NULL;
  char device[128] = "";
  uint64_t address = 0;
  unsigned h = 1, *words;
  double copies[ROUNDS];
  float ms = 0;
  size_t i;
  int j;
  if (argc < 3) stop("usage", "gp_pairs OLD.so NEW.so [PART ...]");
  if (why) stop("gp_pairs", why);
  GP_CUDA_CHECK(&cuda, device_name(device, sizeof device, 0));
  GP_CUDA_CHECK(&cuda, retain(&primary, 0));
  GP_CUDA_CHECK(&cuda, set_current(primary));
  GP_CUDA_CHECK(&cuda, alloc(&address, (size_t)1 << 30));
  memory = (char *)(uintptr_t)address;
  words = (unsigned *)malloc((size_t)512 << 20);
  if (!words) stop("gp_pairs", "no memory");
  for (i = 0; i < (size_t)128 << 20; i++) words[i] = h = h * 1664525u + 1013904223u, words[i] ^= words[i] >> 15;
  GP_CUDA_CHECK(&cuda, to_device(address, words, (size_t)512 << 20));
  free(words);
  GP_CUDA_CHECK(&cuda, stream_create(&stream, 1));
  for (j = 0; j < 2; j++) GP_CUDA_CHECK(&cuda, event_create(&events[j], 0));
  for (j = 0; j < 2; j++) open_build(&builds[j], argv[1 + j]);
  for (i = 0; i < sizeof all / sizeof *all; i++) {
    int wanted = argc == 3;
    for (j = 3; j < argc; j++) wanted |= !strcmp(argv[j], all[i].name);
    if (wanted) all[i].run();
  }
  for (j = 0; j < ROUNDS; j++) {
    GP_CUDA_CHECK(&cuda, event_record(events[0], stream));
    GP_CUDA_CHECK(&cuda, copy(address + (512u << 20), address, (size_t)512 << 20, stream));
    GP_CUDA_CHECK(&cuda, event_record(events[1], stream));
    GP_CUDA_CHECK(&cuda, event_wait(events[1]));
    GP_CUDA_CHECK(&cuda, event_elapsed(&ms, events[0], events[1]));
    copies[j] = ms;
  }
  printf("%s; copy of 512 MiB: %.0f GB/s\n", device, 2e-6 * (double)(512u << 20) / median(copies, ROUNDS));
  for (j = 0; j < part_count; j++)
    printf("%-10s %3d calls, geometric mean of old / new %.3f\n", parts[j].name, parts[j].count,
        exp(parts[j].log_sum / parts[j].count));
  return 0;
}
