// gp_graph.c - times the building and checking of graphs on a GPU, beside the time in which a copy in the same run
// moves as many bytes.
//
//        gp_graph [--repeats N] ["kronecker scale=24" ...]      descriptions of tools/gp_graphs.h
//
// Columns: milliseconds (median of N), bytes that must move, their GB/s, and the share of the copy's speed. Bytes
// follow the model in README.md; a sort counts as four reads and writes of its keys. Every graph is checked; the
// search's check takes depths from gp_bfs.
#define GPUPRIMS_IMPLEMENTATION
#include "../gpuprims.h"

#include "gp_cuda.h"
#include "gp_graphs.h"

#define CU(call) GP_CUDA_CHECK(&cuda, call)
static gp_cuda cuda;
static gp_context *ctx;
static void *stream, *events[2];
static double copy_speed; // GB/s, read and written
static int wrong; // a check found a fault

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
static int by_value(const void *a, const void *b) { return (*(const float *)a > *(const float *)b) * 2 - 1; }

// The timed call.
typedef struct subject {
  const graph_made *made;
  gp_op make;
  void *pairs, *depths;
  gp_graph graph, relabelled;
  void *report;
  int step;
} subject;
enum { MAKE, BUILD, DIRECTED, TRANSPOSE, RELABEL, DEGREES, CHECK_GRAPH, CHECK_SEARCH, COPY, STEPS };
static const char *const STEP_NAMES[STEPS] = {"edges made", "built: both ways, unique", "built as it comes",
    "transposed", "relabelled", "degrees", "graph checked", "search checked", "copy"};
static gp_result run(const subject *s) {
  const graph_made *m = s->made;
  switch (s->step) {
  case MAKE: return graph_edges_by(ctx, s->make, m, s->pairs, stream);
  case BUILD: return gp_graph_from_edges(ctx, GP_U32, s->pairs, NULL, m->edges, &s->graph, NULL, m->flags, stream);
  case DIRECTED: return gp_graph_from_edges(ctx, GP_U32, s->pairs, NULL, m->edges, &s->relabelled, NULL, 0, stream);
  case TRANSPOSE: return gp_graph_transpose(ctx, &s->graph, stream);
  case RELABEL: return gp_graph_relabel(ctx, &s->graph, &s->relabelled, NULL, NULL, stream);
  case DEGREES: return gp_graph_degrees(ctx, &s->graph, (gp_degrees *)s->report, stream);
  case CHECK_GRAPH: return gp_graph_check(ctx, &s->graph, (gp_fault *)s->report, stream);
  case CHECK_SEARCH: return gp_bfs_check(ctx, &s->graph, 0, s->depths, NULL, (gp_fault *)s->report, stream);
  default: // the bytes of both directions' keys
    return gp_copy(ctx, GP_U64, s->graph.targets, m->edges, (void *)(uintptr_t)s->relabelled.targets, stream);
  }
}
// Bytes that a call of the step must move. n: vertices, m: edges of the list, e: of the graph.
static double bytes_of(int step, double n, double m, double e) {
  const double sort = 8 * 8, offsets = 8 * n;
  switch (step) {
  case MAKE: return 24 * m; // numbers written, read, edges written
  case BUILD: return graph_built_bytes(n, m, e, 8);
  case DIRECTED: return 8 * m + 8 * m + m * sort + m * 12 + offsets;
  case TRANSPOSE: return offsets + e * (4 + 8 + sort + 12) + offsets;
  case RELABEL: return offsets + n * (8 + 8 + sort) + e * (4 + 2 * 32 + 8 + sort + 12) + offsets;
  case DEGREES: return offsets;
  case CHECK_GRAPH: return offsets + 4 * e;
  case CHECK_SEARCH: return offsets + e * (4 + 4) + 4 * n; // and one depth for each edge, cached at best
  default: return 16 * m;
  }
}
static double median_ms(const subject *s, int repeats) {
  float *ms = (float *)malloc((size_t)repeats * sizeof *ms), median;
  int i;
  good(run(s)); // compiles
  for (i = 0; i < repeats; i++) {
    CU(event_record(events[0], stream));
    good(run(s));
    CU(event_record(events[1], stream));
    CU(event_wait(events[1]));
    CU(event_elapsed(&ms[i], events[0], events[1]));
  }
  qsort(ms, (size_t)repeats, sizeof *ms, by_value);
  median = ms[repeats / 2];
  free(ms);
  return median;
}

static void measure(const char *name, int repeats) {
  static const int order[] = {MAKE, DIRECTED, BUILD, TRANSPOSE, DEGREES, CHECK_GRAPH, CHECK_SEARCH, RELABEL};
  graph_made made;
  subject s;
  gp_degrees degrees;
  gp_fault fault;
  char text[200];
  double ms;
  size_t i;
  if (!graph_read(name, &made)) {
    fprintf(stderr, "unknown graph \"%s\"\n", name);
    exit(2);
  }
  memset(&s, 0, sizeof s);
  s.made = &made;
  s.pairs = device(made.edges * 8);
  s.depths = device(made.vertices * 4);
  s.report = device(4096);
  s.graph = gp_graph_init();
  s.graph.vertices = made.vertices;
  s.graph.edges = 2 * made.edges;
  s.graph.offset_type = GP_U64;
  s.relabelled = s.graph;
  s.graph.offsets = device((made.vertices + 1) * 8), s.graph.targets = device(made.edges * 8);
  s.graph.in_offsets = device((made.vertices + 1) * 8), s.graph.in_sources = device(made.edges * 8);
  s.relabelled.offsets = device((made.vertices + 1) * 8), s.relabelled.targets = device(made.edges * 8);
  good(graph_edge_operator(ctx, &made, &s.make));
  s.step = MAKE;
  good(run(&s));
  s.step = COPY;
  ms = median_ms(&s, repeats);
  copy_speed = bytes_of(COPY, 0, (double)made.edges, 0) / ms * 1e-6;
  s.step = BUILD;
  good(run(&s));
  good(gp_graph_transpose(ctx, &s.graph, stream)); // gp_bfs uses it once it has memory
  good(gp_graph_degrees(ctx, &s.graph, (gp_degrees *)s.report, stream));
  CU(stream_wait(stream));
  CU(to_host(&degrees, (uint64_t)(uintptr_t)s.report, sizeof degrees));
  good(gp_bfs(ctx, &s.graph, 0, s.depths, NULL, stream));
  printf("%s: %llu vertices, %llu edges made, %llu in the graph; copy %.0f GB/s\n", name,
      (unsigned long long)made.vertices, (unsigned long long)made.edges, (unsigned long long)degrees.edges, copy_speed);
  for (i = 0; i < sizeof order / sizeof *order; i++) {
    const double bytes = bytes_of(order[i], (double)made.vertices, (double)made.edges, (double)degrees.edges);
    if (order[i] == DIRECTED && made.edges > s.relabelled.edges) continue;
    s.step = order[i];
    ms = median_ms(&s, repeats);
    printf("  %-26s %9.3f ms  %8.2f GB  %6.0f GB/s  %4.2f of copy\n", STEP_NAMES[order[i]], ms, bytes * 1e-9,
        bytes / ms * 1e-6, bytes / ms * 1e-6 / copy_speed);
    if (order[i] == CHECK_GRAPH || order[i] == CHECK_SEARCH) {
      CU(stream_wait(stream));
      CU(to_host(&fault, (uint64_t)(uintptr_t)s.report, sizeof fault));
      if (fault.kind) printf("  WRONG: %s\n", gp_fault_text(&fault, text, sizeof text)), wrong = 1;
    }
  }
  {
    const void *const memory[] = {s.pairs, s.depths, s.report, s.graph.offsets, s.graph.targets, s.graph.in_offsets,
        s.graph.in_sources, s.relabelled.offsets, s.relabelled.targets};
    CU(stream_wait(stream));
    for (i = 0; i < sizeof memory / sizeof *memory; i++) CU(free_((uint64_t)(uintptr_t)memory[i]));
  }
}

int main(int argc, char **argv) {
  static const char *const usual[] = {
      "kronecker scale=20", "kronecker scale=24", "uniform n=4M", "grid rows=2000 columns=2000"};
  gp_config config = gp_config_init();
  gp_description about = gp_description_init();
  void *primary;
  const char *reason = gp_cuda_open(&cuda);
  int i, repeats = 7, given = 0;
  if (reason) return printf("skipped: %s\n", reason), 0;
  config.backend = GP_BACKEND_CUDA;
  good(gp_open(&config, &ctx));
  good(gp_describe(ctx, &about));
  CU(retain(&primary, about.device));
  CU(set_current(primary));
  CU(stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
  CU(event_create(&events[0], 0));
  CU(event_create(&events[1], 0));
  printf("%s\n", about.name);
  for (i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--repeats") && i + 1 < argc) repeats = atoi(argv[++i]) > 0 ? atoi(argv[i]) : 1;
    else measure(argv[i], repeats), given = 1;
  for (i = 0; i < (int)(sizeof usual / sizeof *usual) && !given; i++) measure(usual[i], repeats);
  CU(stream_wait(stream));
  good(gp_close(ctx));
  return wrong;
}
