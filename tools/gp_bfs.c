// gp_bfs.c - graph cells: searches, components and building on generated graphs, checked and timed.
//
//        gp_bfs "kronecker scale=24" [call=bfs] [sources=64] [at_once=64] [steps=1] [relabel=1]
//               [json=FILE] [commit=TEXT] [backend=host] [POLICY ...]
//
// The graph is described as in tools/gp_graphs.h; it has each edge once in both directions, and no loops. call: bfs
// runs one source after another; bfs_sources takes at_once sources a call; or connected_components; or
// graph_from_edges. POLICY: threads=512,vectors=2,small=512 (gp_cells.h); "default" is the choice without a policy;
// "list" is a built-in list for bfs. steps=1 prints the time of each step of the first call. relabel=1 repeats the run
// with hubs first (gp_graph_relabel), whose time is printed separately. Sources are random vertices with an edge.
//
// Only depths are timed: the best of three runs of a source or batch (other calls: seven runs), then the median. GTEPS:
// edges of the source's component, each counted once as Graph500 does, over the time; directed: each counted twice.
// Means are harmonic; a batch sums over its sources. Components count all edges; building counts the generated edges,
// and those of the graph. Bytes are the model's average (gp_traversal, README.md); limit: the time in which a copy in
// the same run moves them. gp_bfs_check checks depths (and parents) of the first calls, a search the components,
// gp_graph_check a built graph.
//
// json=FILE: lines in the form of tools/gp_bench, which the pages read: an environment, then a line a policy. gp_bench
// does not measure these cells, because the cost depends on the source, the work is known only afterwards, and no peer
// has the call. gp_tune measures gains of policies and compares trees, on fixed sources of the same graphs.
#define _GNU_SOURCE
#define GPUPRIMS_IMPLEMENTATION
#include "../gpuprims.h"

#include "gp_cells.h"
#include "gp_cuda.h"
#include "gp_searches.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

#define CU(call) \
  do { \
    if (on_gpu) GP_CUDA_CHECK(&cuda, call); \
  } while (0)
static gp_cuda cuda;
static gp_context *ctx;
static void *stream, *events[2];
static int on_gpu = 1;

static void good(gp_result r) {
  if (!r) return;
  fprintf(stderr, "%s\n", gp_last_message());
  exit(1);
}
static void *device(uint64_t bytes) {
  uint64_t p = 0;
  if (!on_gpu) return calloc(bytes ? bytes : 16, 1);
  CU(alloc(&p, bytes ? bytes : 16));
  return (void *)(uintptr_t)p;
}
static void release(void *at) {
  CU(free_((uint64_t)(uintptr_t)at));
  if (!on_gpu) free(at);
}
static void to_host(void *out, const void *in, size_t bytes) {
  CU(stream_wait(stream));
  CU(to_host(out, (uint64_t)(uintptr_t)in, bytes));
  if (!on_gpu) memcpy(out, in, bytes);
}
static void fill(void *p, int byte, size_t bytes) {
  CU(set8((uint64_t)(uintptr_t)p, (unsigned char)byte, bytes, stream));
  if (!on_gpu) memset(p, byte, bytes);
}
static const search_memory memory = {device, release, to_host, fill};
static float timed(const gp_call *call) {
  struct timespec from, to;
  float ms = 0;
  CU(event_record(events[0], stream));
  clock_gettime(CLOCK_MONOTONIC, &from);
  good(gp_run(ctx, call, stream));
  clock_gettime(CLOCK_MONOTONIC, &to);
  CU(event_record(events[1], stream));
  CU(event_wait(events[1]));
  CU(event_elapsed(&ms, events[0], events[1]));
  return on_gpu ? ms : (float)((double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6);
}

// A measurement and its inputs.
enum { REPEATS = 7 };
static const char *graph_name;
static gp_traversal *statistics;
static double copy_gbs;
// Results of a policy's calls. Times in ms.
typedef struct tally {
  float *ms;
  double ms_an_edge, sum, levels, bottom_up, small, inspected, bytes;
  int wrong;
} tally;

// The graph with hubs first, and the same sources there.
static void relabel(searches *s) {
  const size_t width = s->g.offset_type == GP_U64 ? 8 : 4;
  gp_graph r = s->g;
  void *numbers = device(r.vertices * 4);
  float ms = 0;
  int i;
  r.offsets = device((r.vertices + 1) * width), r.targets = device(r.edges * 4);
  for (i = 0; i < 3; ++i) { // the first compiles
    CU(event_record(events[0], stream));
    good(gp_graph_relabel(ctx, &s->g, &r, NULL, numbers, stream));
    CU(event_record(events[1], stream));
    CU(event_wait(events[1]));
    CU(event_elapsed(&ms, events[0], events[1]));
  }
  for (i = 0; i < s->sources; ++i) {
    uint32_t number;
    to_host(&number, (const char *)numbers + s->source[i] * 4, sizeof number);
    s->source[i] = number;
  }
  s->g = r;
  printf("relabelled, hubs first, in %.2f ms\n", (double)ms);
}
// One line a step: kind, time, what it reached.
static void print_steps(const gp_traversal *t) {
  static const char *const kinds[] = {
      "start", "one block", "top-down", "bottom-up", "listed", "merge", "collect", "cluster", "spread", "finish"};
  uint64_t i;
  for (i = 0; i < t->steps; ++i) {
    const gp_traversal_step *s = &t->step[i], *before = i ? s - 1 : s;
    printf("  %-9s depth %5u %9.2f us %11llu vertices %12llu edges\n", kinds[s->kind], s->depth,
        1e-3 * (double)(i ? s->nanoseconds - before->nanoseconds : s->nanoseconds),
        (unsigned long long)(s->reached - (i ? before->reached : 0)),
        (unsigned long long)(s->edges - (i ? before->edges : 0)));
  }
}
static int ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// A call's work; searches report their own.
static gp_result count(searches *s, gp_call c, gp_traversal *t) {
  const double n = (double)s->g.vertices, e = (double)s->edges, o = s->g.offset_type == GP_U64 ? 8 : 4;
  gp_result r;
  memset(t, 0, sizeof *t);
  t->edges = s->edges;
  if (s->primitive == GP_CONNECTED_COMPONENTS) t->bytes = (uint64_t)(2 * n * o + 4 * e + 16 * n);
  if (s->primitive == GP_GRAPH_FROM_EDGES) {
    t->edges = 2 * s->made.edges;
    t->bytes = (uint64_t)graph_built_bytes(n, (double)s->made.edges, e, o);
  }
  if (c.primitive != GP_BFS && c.primitive != GP_BFS_SOURCES) return GP_SUCCESS;
  c.statistics = statistics;
  if ((r = gp_run(ctx, &c, stream))) return r;
  to_host(t, statistics, offsetof(gp_traversal, step));
  to_host(t->step, statistics->step, t->steps * sizeof *t->step);
  return GP_SUCCESS;
}
static gp_result measure(searches *s, const gp_policy *policy, int steps, tally *sum) {
  int i, j;
  for (i = 0; i < s->calls; ++i) {
    gp_call call = searches_call(s, i);
    gp_traversal t;
    gp_result r;
    call.policy = policy;
    if (i < (s->primitive == GP_BFS ? 2 : 1)) {
      const char *why;
      if ((r = searches_check(s, ctx, stream, call, i, &why))) return r;
      if (why) printf("WRONG: %s\n", why), sum->wrong = 1;
    }
    if ((r = count(s, call, &t))) return r;
    if (steps && !i) print_steps(&t);
    for (j = 0; j < 3; ++j) {
      const float one = timed(&call);
      if (!j || one < sum->ms[i]) sum->ms[i] = one;
    }
    sum->ms_an_edge += sum->ms[i] / (double)(t.edges ? t.edges : 1);
    sum->sum += sum->ms[i], sum->levels += (double)t.levels, sum->bottom_up += (double)t.bottom_up;
    sum->small += (double)t.small, sum->inspected += (double)t.inspected, sum->bytes += (double)t.bytes;
  }
  qsort(sum->ms, (size_t)s->calls, sizeof *sum->ms, ascending);
  return GP_SUCCESS;
}
// Copy speed in GB/s, read and written, over the bytes of a graph's edges, 64 MiB at least.
static double copy_speed(void) {
  const uint64_t words = on_gpu ? 64 << 20 : 1 << 20;
  gp_call c = gp_call_init(GP_COPY);
  float best = 0;
  int i;
  c.in_type = GP_U64, c.count = words;
  c.in = device(words * 8), c.out = device(words * 8);
  for (i = 0; i < 8; ++i) {
    const float ms = timed(&c);
    if (i && (best == 0 || ms < best)) best = ms;
  }
  CU(free_((uint64_t)(uintptr_t)c.in));
  CU(free_((uint64_t)(uintptr_t)c.out));
  if (!on_gpu) free((void *)(uintptr_t)c.in), free(c.out);
  return (double)words * 16 / (best > 0 ? best : 1) * 1e-6;
}

// ---- lines

static void text_field(FILE *json, const char *name, const char *text) {
  fprintf(json, ", \"%s\": \"", name);
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') fputc('\\', json);
    fputc((unsigned char)*text < 32 ? ' ' : *text, json);
  }
  fputc('"', json);
}
static void write_environment(FILE *json, const gp_description *about, const char *commit) {
  char date[40];
  const time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  fprintf(json, "{\"kind\": \"environment\"");
  text_field(json, "date", date);
  text_field(json, "device", about->name);
  text_field(json, "version", GPUPRIMS_VERSION);
  text_field(json, "commit", commit);
  text_field(json, "peers", "none: no other library has these calls");
  fprintf(json, ", \"compute_capability\": %d, \"multiprocessors\": %d, \"driver\": %d}\n", about->compute_capability,
      about->multiprocessors, about->driver_version);
}
// The graph's description as one word: blanks become colons.
static void write_sample(FILE *json, const searches *s, const char *policy, const tally *t) {
  const char *name = PRIMITIVE_NAMES[s->primitive];
  const double mean = t->sum / s->calls, median = (t->ms[s->calls / 2] + t->ms[(s->calls - 1) / 2]) / 2;
  const double bytes = t->bytes / s->calls, teps = s->calls / t->ms_an_edge * 1e-6;
  double square = 0;
  char words[200], cell[260], *c;
  int i;
  snprintf(words, sizeof words, "graph=%s", graph_name);
  for (c = words; *c; ++c)
    if (*c == ' ') *c = ':';
  if (s->primitive == GP_BFS_SOURCES) snprintf(c, sizeof words - (size_t)(c - words), " at_once=%d", s->at_once);
  snprintf(cell, sizeof cell, "%s u32 %s", name, words);
  for (i = 0; i < s->calls; ++i) square += (t->ms[i] - mean) * (t->ms[i] - mean);
  fprintf(json, "{\"kind\": \"sample\"");
  text_field(json, "cell", cell);
  text_field(json, "words", words);
  text_field(json, "primitive", name);
  text_field(json, "op", "");
  text_field(json, "in", "u32");
  text_field(json, "acc", "u32");
  text_field(json, "out", s->primitive == GP_BFS || s->primitive == GP_BFS_SOURCES ? "i32" : "u32");
  text_field(json, "dist", graph_kinds[s->made.kind].name);
  text_field(json, "protocol", "back_to_back");
  fprintf(json, ", \"n\": %llu, \"bytes\": %.0f, \"in_offset\": 0, \"out_offset\": 0, \"variant\": \"ours\"",
      (unsigned long long)s->edges, bytes);
  text_field(json, "label", policy);
  text_field(json, "status", t->wrong ? "wrong" : "ok");
  fprintf(json,
      ", \"vertices\": %llu, \"sources\": %d, \"calls\": %d, \"median_us\": %.4f, \"min_us\": %.4f, \"max_us\": "
      "%.4f, \"cv\": %.5f, \"gbs\": %.2f, \"limit_us\": %.4f, \"of_roof\": %.4f, \"gteps\": %.4f, "
      "\"gteps_directed\": %.4f, \"levels\": %.2f, \"bottom_up\": %.2f, \"small\": %.2f, \"inspected\": %.0f, "
      "\"batches_us\": [",
      (unsigned long long)s->g.vertices, s->sources, s->calls, median * 1e3, t->ms[0] * 1e3, t->ms[s->calls - 1] * 1e3,
      mean > 0 ? sqrt(square / s->calls) / mean : 0, bytes / median * 1e-6, bytes / copy_gbs * 1e-3,
      bytes / median * 1e-6 / copy_gbs, teps / 2, teps, t->levels / s->calls, t->bottom_up / s->calls,
      t->small / s->calls, t->inspected / s->calls);
  for (i = 0; i < s->calls; ++i) fprintf(json, "%s%.3f", i ? ", " : "", t->ms[i] * 1e3);
  fprintf(json, "]}\n");
  fflush(json);
}
static void print_tally(const searches *s, const char *policy, const tally *t) {
  const int n = s->calls;
  const double median = (t->ms[n / 2] + t->ms[(n - 1) / 2]) / 2, teps = n / t->ms_an_edge * 1e-6;
  printf("%-42s %9.4f %9.4f %9.4f %9.1f %9.1f %7.1f %6.1f %6.1f %9.0f %7.2f %9.1f %9.4f%s\n", policy, median, t->ms[0],
      t->ms[n - 1], teps / 2, teps, t->levels / n, t->bottom_up / n, t->small / n, t->inspected / n,
      1e3 * t->sum / (t->levels > 0 ? t->levels : n), t->bytes / n * 1e-6, t->bytes / n / copy_gbs * 1e-6,
      t->wrong ? "  WRONG" : "");
  fflush(stdout);
}

static int usage(void) {
  fprintf(stderr,
      "gp_bfs \"kronecker scale=22\" [call=bfs|bfs_sources|connected_components|graph_from_edges] [sources=64] "
      "[at_once=64] [steps=1] [relabel=1] [json=FILE] [commit=TEXT] [backend=host] [POLICY ...]\n");
  return 2;
}
int main(int argc, char **argv) {
  static const char *const usual[] = {"default", "threads=1024,blocks_per_sm=1", "threads=512",
      "threads=256,blocks_per_sm=4", "vectors=1", "alpha=2", "alpha=32", "alpha=-1", "beta=16", "small=1", "small=512",
      "look=1", "look=1000000"};
  static const gp_primitive calls[] = {GP_BFS, GP_BFS_SOURCES, GP_CONNECTED_COMPONENTS, GP_GRAPH_FROM_EDGES};
  const char *why, *words[64], *file = NULL, *commit = "";
  int word_count = 0, steps = 0, hubs_first = 0, i, k, wrong = 0;
  char text[200];
  gp_config config = gp_config_init();
  gp_description about = gp_description_init();
  void *primary;
  FILE *json = NULL;
  searches s;
  tally sum;
  memset(&s, 0, sizeof s);
  s.memory = &memory, s.primitive = GP_BFS, s.sources = s.at_once = 64;
  if (argc < 2 || !graph_read(argv[1], &s.made)) return usage();
  graph_name = argv[1];
  for (i = 2; i < argc; ++i)
    if (!strncmp(argv[i], "sources=", 8)) s.sources = atoi(argv[i] + 8);
    else if (!strncmp(argv[i], "at_once=", 8)) s.at_once = atoi(argv[i] + 8);
    else if (!strncmp(argv[i], "steps=", 6)) steps = atoi(argv[i] + 6);
    else if (!strncmp(argv[i], "relabel=", 8)) hubs_first = atoi(argv[i] + 8);
    else if (!strncmp(argv[i], "json=", 5)) file = argv[i] + 5;
    else if (!strncmp(argv[i], "commit=", 7)) commit = argv[i] + 7;
    else if (!strcmp(argv[i], "backend=host")) on_gpu = 0;
    else if (!strncmp(argv[i], "call=", 5)) {
      for (k = 0; k < 4 && strcmp(PRIMITIVE_NAMES[calls[k]], argv[i] + 5); ++k) continue;
      if (k == 4) return usage();
      s.primitive = calls[k];
    } else if (!strcmp(argv[i], "list"))
      for (k = 0; k < (int)(sizeof usual / sizeof *usual) && word_count < 64; ++k) words[word_count++] = usual[k];
    else if (word_count < 64) words[word_count++] = argv[i];
  if (s.sources < 1 || s.at_once < 1) return fprintf(stderr, "gp_bfs: sources and at_once must be 1 or more\n"), 2;
  if (!word_count) words[word_count++] = "default";
  if (on_gpu && (why = gp_cuda_open(&cuda))) return printf("skipped: %s\n", why), 0;
  config.backend = on_gpu ? GP_BACKEND_CUDA : GP_BACKEND_HOST;
  good(gp_open(&config, &ctx));
  good(gp_describe(ctx, &about));
  CU(retain(&primary, about.device));
  CU(set_current(primary));
  CU(stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
  CU(event_create(&events[0], 0));
  CU(event_create(&events[1], 0));
  if (file && !(json = fopen(file, "w"))) return fprintf(stderr, "%s cannot be written\n", file), 2;
  s.g.offset_type = 2 * s.made.edges >> 32 ? GP_U64 : GP_U32;
  good(searches_make(&s, ctx, stream, &why));
  if (why) return fprintf(stderr, "%s: %s\n", graph_name, why), 2;
  if (hubs_first) {
    relabel(&s);
    snprintf(text, sizeof text, "%s relabelled", graph_name);
    graph_name = text;
  }
  if (s.primitive == GP_CONNECTED_COMPONENTS || s.primitive == GP_GRAPH_FROM_EDGES) s.calls = REPEATS;
  statistics = (gp_traversal *)device(sizeof *statistics);
  copy_gbs = copy_speed();
  if (json) write_environment(json, &about, commit);
  printf("%s, %s of %s: %llu vertices, %llu directed edges, %d sources; copy %.0f GB/s\n", about.name,
      PRIMITIVE_NAMES[s.primitive], graph_name, (unsigned long long)s.g.vertices, (unsigned long long)s.edges,
      s.sources, copy_gbs);
  printf("%-42s %9s %9s %9s %9s %9s %7s %6s %6s %9s %7s %9s %9s\n", "policy", "median ms", "least ms", "most ms",
      "GTEPS", "directed", "levels", "up", "small", "inspected", "us/lev", "MB", "limit ms");
  for (k = 0; k < word_count; ++k) {
    const int is_default = !strcmp(words[k], "default");
    gp_policy policy;
    const char *message = is_default ? NULL : parse_policy(words[k], &policy);
    if (message) return fprintf(stderr, "%s: %s\n", words[k], message), 2;
    memset(&sum, 0, sizeof sum);
    sum.ms = (float *)calloc((size_t)s.calls, sizeof *sum.ms);
    if (measure(&s, is_default ? NULL : &policy, steps, &sum)) printf("%-42s %s\n", words[k], gp_last_message());
    else {
      print_tally(&s, words[k], &sum);
      if (json) write_sample(json, &s, words[k], &sum);
    }
    wrong += sum.wrong;
    free(sum.ms);
  }
  printf("%d policies, %d wrong\n", word_count, wrong);
  if (json) fclose(json);
  good(gp_close(ctx));
  return wrong != 0;
}
