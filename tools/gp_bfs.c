// gp_bfs.c - breadth-first search on made graphs, checked and timed: one table for a list of policies.
//
//        gp_bfs "kronecker scale=24" [sources=16] [steps=1] [POLICY ...]      a description of tools/gp_graphs.h
//
// steps=1: what each step of the first source took. POLICY: threads=512,vectors=2,small=512 (gp_cells.h); without any,
// a list of them. Every edge stands both ways and once, without loops. Sources are random ones that have an edge.
// Depths and parents of the first two are checked by gp_bfs_check; depths alone are timed, best of three, and the
// median over the sources is told. GTEPS: edges of the source's component, each counted once as Graph500 does, over the
// time; directed: each counted twice; harmonic means.
#define GPUPRIMS_IMPLEMENTATION
#include "../gpuprims.h"

#include "gp_cells.h"
#include "gp_cuda.h"
#include "gp_graphs.h"

#include <stddef.h>

#define CU(call) GP_CUDA_CHECK(&cuda, call)
static gp_cuda cuda;
static gp_context *ctx;
static void *stream, *events[2];

static void good(gp_result r) {
  if (!r) return;
  fprintf(stderr, "%s\n", gp_last_message());
  exit(1);
}
static void *device(uint64_t bytes) {
  uint64_t p = 0;
  CU(alloc(&p, bytes ? bytes : 16));
  return (void *)(uintptr_t)p;
}
static void to_host(void *out, const void *in, size_t bytes) { CU(to_host(out, (uint64_t)(uintptr_t)in, bytes)); }

static gp_graph make(const graph_made *made) {
  gp_graph g;
  void *pairs = device(made->edges * 8);
  memset(&g, 0, sizeof g);
  g.vertices = made->vertices;
  g.edges = 2 * made->edges;
  g.offset_type = g.edges >> 32 ? GP_U64 : GP_U32;
  g.offsets = device((g.vertices + 1) * (g.offset_type == GP_U64 ? 8 : 4));
  g.targets = device(g.edges * 4);
  good(graph_edges_on(ctx, made, pairs, stream));
  good(gp_graph_from_edges(ctx, GP_U32, pairs, NULL, made->edges, made->flags, NULL, &g, stream));
  CU(stream_wait(stream));
  CU(free_((uint64_t)(uintptr_t)pairs));
  g.flags = GP_SYMMETRIC;
  return g;
}
static uint64_t offset(const gp_graph *g, uint64_t v) {
  const size_t size = g->offset_type == GP_U64 ? 8 : 4;
  uint64_t x = 0;
  to_host(&x, (const char *)g->offsets + v * size, size);
  return x;
}
// A line a step: what kind, how long it took, what it has reached.
static void print_steps(const gp_traversal *t) {
  static const char *const kinds[] = {"start",  "one block", "top-down", "bottom-up",
                                      "listed", "settle",    "collect",  "finish"};
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

// What the runs of a policy add up to.
typedef struct tally {
  double ms_an_edge, ms, levels, bottom_up, small, inspected;
} tally;

int main(int argc, char **argv) {
  static const char *const usual[] = {"threads=1024,blocks_per_sm=1",
                                      "threads=512",
                                      "threads=256,blocks_per_sm=4",
                                      "vectors=1",
                                      "alpha=2",
                                      "alpha=32",
                                      "alpha=-1",
                                      "beta=16",
                                      "small=1",
                                      "small=512",
                                      "look=1",
                                      "look=1000000"};
  const char *why = gp_cuda_open(&cuda), *words[64];
  int word_count = 0, sources = 16, steps = 0, i, j, k, wrong = 0;
  gp_config config = gp_config_init();
  gp_description about;
  graph_made made;
  gp_graph g;
  gp_traversal *statistics;
  gp_fault *report;
  void *depths, *parents, *primary;
  uint64_t *source, drawn;
  float *ms;
  if (argc < 2 || !graph_read(argv[1], &made))
    return fprintf(stderr, "gp_bfs \"kronecker scale=22\" [sources=16] [steps=1] [POLICY ...]\n"), 2;
  for (i = 2; i < argc; ++i)
    if (!strncmp(argv[i], "sources=", 8)) sources = atoi(argv[i] + 8);
    else if (!strncmp(argv[i], "steps=", 6)) steps = atoi(argv[i] + 6);
    else if (word_count < 64) words[word_count++] = argv[i];
  if (sources < 1) return fprintf(stderr, "sources: there is none\n"), 2;
  if (!word_count)
    for (; word_count < (int)(sizeof usual / sizeof *usual); ++word_count) words[word_count] = usual[word_count];
  if (why) return printf("skipped: %s\n", why), 0;
  config.backend = GP_BACKEND_CUDA;
  good(gp_open(&config, &ctx));
  good(gp_describe(ctx, &about));
  CU(retain(&primary, about.device));
  CU(set_current(primary));
  CU(stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
  CU(event_create(&events[0], 0));
  CU(event_create(&events[1], 0));
  g = make(&made);
  depths = device(g.vertices * 4);
  parents = device(g.vertices * 4);
  statistics = (gp_traversal *)device(sizeof *statistics);
  report = (gp_fault *)device(sizeof *report);
  ms = (float *)malloc((size_t)sources * sizeof *ms);
  source = (uint64_t *)malloc((size_t)sources * sizeof *source);
  for (i = 0, drawn = 0; i < sources && drawn < 1000000; ++drawn) {
    source[i] = graph_random(made.seed, drawn, 7) % g.vertices;
    if (offset(&g, source[i] + 1) > offset(&g, source[i])) ++i;
  }
  if (i < sources) return fprintf(stderr, "%s: hardly a vertex has an edge\n", argv[1]), 2;
  printf("%s, %s: %llu vertices, %llu directed edges, %d sources\n", about.name, argv[1],
         (unsigned long long)g.vertices, (unsigned long long)offset(&g, g.vertices), sources);
  printf("%-42s %9s %9s %9s %9s %9s %7s %6s %6s %9s %7s\n", "policy", "median ms", "least ms", "most ms", "GTEPS",
         "directed", "levels", "up", "small", "inspected", "us/lev");
  for (k = 0; k < word_count; ++k) {
    gp_policy policy;
    tally sum = {0, 0, 0, 0, 0, 0};
    int bad = 0;
    gp_result result = GP_SUCCESS;
    const char *message = parse_policy(words[k], &policy);
    if (message) return fprintf(stderr, "%s: %s\n", words[k], message), 2;
    for (i = 0; i < sources && !result; ++i) {
      gp_call call = gp_call_init(GP_BFS);
      gp_traversal t;
      call.graph = &g;
      call.source = source[i];
      call.out = depths;
      call.policy = &policy;
      if (i < 2) {
        gp_fault fault;
        char text[200];
        CU(set8((uint64_t)(uintptr_t)depths, 0x77, g.vertices * 4, stream));
        CU(set8((uint64_t)(uintptr_t)parents, 0x77, g.vertices * 4, stream));
        call.out2 = parents;
        if ((result = gp_run(ctx, &call, stream))) break;
        good(gp_bfs_check(ctx, &g, source[i], depths, parents, report, stream));
        CU(stream_wait(stream));
        to_host(&fault, report, sizeof fault);
        if (fault.kind) printf("WRONG: %s\n", gp_fault_text(&fault, text, sizeof text)), bad = 1;
        call.out2 = NULL;
      }
      call.statistics = statistics;
      if ((result = gp_run(ctx, &call, stream))) break;
      CU(stream_wait(stream));
      to_host(&t, statistics, offsetof(gp_traversal, step));
      to_host(t.step, statistics->step, t.steps * sizeof *t.step);
      if (steps && !i) print_steps(&t);
      call.statistics = NULL;
      for (j = 0; j < 3; ++j) {
        float one;
        CU(event_record(events[0], stream));
        good(gp_run(ctx, &call, stream));
        CU(event_record(events[1], stream));
        CU(event_wait(events[1]));
        CU(event_elapsed(&one, events[0], events[1]));
        if (!j || one < ms[i]) ms[i] = one;
      }
      sum.ms_an_edge += ms[i] / (double)(t.edges ? t.edges : 1);
      sum.ms += ms[i], sum.levels += (double)t.levels, sum.bottom_up += (double)t.bottom_up;
      sum.small += (double)t.small, sum.inspected += (double)t.inspected;
    }
    if (result) {
      printf("%-42s %s\n", words[k], gp_last_message());
      continue;
    }
    wrong += bad;
    qsort(ms, (size_t)sources, sizeof *ms, ascending);
    printf("%-42s %9.4f %9.4f %9.4f %9.1f %9.1f %7.1f %6.1f %6.1f %9.0f %7.2f%s\n", words[k],
           (ms[sources / 2] + ms[(sources - 1) / 2]) / 2, ms[0], ms[sources - 1], sources / sum.ms_an_edge * 0.5e-6,
           sources / sum.ms_an_edge * 1e-6, sum.levels / sources, sum.bottom_up / sources, sum.small / sources,
           sum.inspected / sources, 1e3 * sum.ms / (sum.levels > 0 ? sum.levels : 1), bad ? "  WRONG" : "");
    fflush(stdout);
  }
  printf("%d policies, %d wrong\n", word_count, wrong);
  good(gp_close(ctx));
  return wrong != 0;
}
