// graph.c - from a list of edges to distances: builds, inspects and searches a graph, and checks the search.
//
//     cc -I. examples/graph.c -o graph -ldl -lpthread -lm
//     ./graph                                          a road-like grid with missing streets
//     ./graph "kronecker scale=18" 1                   any graph of tools/gp_graphs.h, from a vertex
//     ./graph roads.mtx 0 depths.i32                   a file of edges; the depths go to a file
//
// A GPU's graph never leaves it: a sort turns edges into adjacency lists, and only the report, the histogram and, on
// request, the depths come back. Without a GPU the same program runs on the host. examples/graph.py passes it the
// airports of the United States and draws the result.
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"
#include "tools/gp_graphs.h"

// Edges as pairs of u32 in device memory, from a description or a file.
static void *load_edges(
    gp_context *ctx, const device_memory *m, const char *what, graph_made *made, uint64_t *vertices, uint64_t *count) {
  gp_edge_list list;
  void *pairs;
  if (graph_read(what, made)) {
    pairs = device_memory_new(m, made->edges * 8);
    check(graph_edges_on(ctx, made, pairs, NULL));
    *vertices = made->vertices;
    *count = made->edges;
    return pairs;
  }
  check(gp_edges_read(what, &list)); // "roads.mtx:17:3: expected the second vertex, found ..."
  if (list.vertex_type != GP_U32) {
    fprintf(stderr, "%s: vertices of 64 bits\n", what);
    exit(1);
  }
  pairs = device_memory_new(m, list.count * 8);
  device_memory_write(m, pairs, list.pairs, list.count * 8);
  *vertices = list.vertices;
  *count = list.count;
  gp_edges_free(&list);
  return pairs;
}

// Prints how many vertices have each depth; many depths share a line.
static void print_depths(const uint64_t *counts, uint64_t levels) {
  const uint64_t step = (levels + 23) / 24;
  uint64_t d, i, most = 1, sum;
  for (d = 0; d < levels; d += step) {
    for (sum = 0, i = d; i < d + step && i < levels; ++i) sum += counts[i];
    if (sum > most) most = sum;
  }
  for (d = 0; d < levels; d += step) {
    for (sum = 0, i = d; i < d + step && i < levels; ++i) sum += counts[i];
    printf("%6llu %10llu ", (unsigned long long)d, (unsigned long long)sum);
    for (i = 0; i < (sum * 60 + most - 1) / most; ++i) putchar('#');
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "grid rows=300 columns=300 keep=65";
  uint64_t source = argc > 2 ? strtoull(argv[2], NULL, 10) : 45150;
  const int32_t from = 0;
  int32_t deepest, to;
  uint64_t vertices, count, levels, *counts;
  graph_made made;
  gp_context *ctx;
  gp_graph graph;
  gp_degrees degrees;
  gp_fault fault;
  char text[200];
  void *pairs, *depths, *report, *bins;
  device_memory m;
  check(gp_open(NULL, &ctx));
  m = device_memory_open(ctx);
  pairs = load_edges(ctx, &m, what, &made, &vertices, &count);

  // Every edge in both directions, once, no loops: there is room for the maximum.
  graph = gp_graph_init();
  graph.vertices = vertices;
  graph.edges = 2 * count;
  graph.offset_type = GP_U64;
  graph.offsets = device_memory_new(&m, (vertices + 1) * 8);
  graph.targets = device_memory_new(&m, graph.edges * 4);
  graph.flags = GP_SYMMETRIC;
  report = device_memory_new(&m, sizeof degrees);
  check(gp_graph_from_edges(
      ctx, GP_U32, pairs, NULL, count, &graph, NULL, GP_SYMMETRISE | GP_UNIQUE_EDGES | GP_DROP_LOOPS, NULL));
  check(gp_graph_degrees(ctx, &graph, (gp_degrees *)report, NULL));
  device_memory_read(&m, &degrees, report, sizeof degrees);
  printf("%s: %llu vertices, %llu edges both ways, %llu to %llu of a vertex, %llu vertices alone\n", what,
      (unsigned long long)vertices, (unsigned long long)degrees.edges, (unsigned long long)degrees.least,
      (unsigned long long)degrees.most, (unsigned long long)degrees.histogram[0]);

  depths = device_memory_new(&m, vertices * 4);
  check(gp_bfs(ctx, &graph, source, depths, NULL, NULL));
  check(gp_bfs_check(ctx, &graph, source, depths, NULL, (gp_fault *)report, NULL));
  device_memory_read(&m, &fault, report, sizeof fault);
  if (fault.kind) {
    fprintf(stderr, "%s\n", gp_fault_text(&fault, text, sizeof text));
    return 1;
  }

  // The deepest, then a bin for every depth; -1, unreached, is in none.
  check(gp_reduce(ctx, GP_MAX, GP_I32, GP_I32, depths, vertices, report, NULL));
  device_memory_read(&m, &deepest, report, sizeof deepest);
  levels = (uint64_t)deepest + 1;
  to = deepest + 1;
  bins = device_memory_new(&m, levels * 8);
  counts = (uint64_t *)malloc(levels * 8);
  check(gp_histogram_even(ctx, GP_I32, GP_U64, &from, &to, depths, vertices, bins, levels, NULL));
  device_memory_read(&m, counts, bins, levels * 8);
  printf("from vertex %llu, checked edge by edge: %llu levels\n depth   vertices\n", (unsigned long long)source,
      (unsigned long long)levels);
  print_depths(counts, levels);
  if (argc > 3) {
    FILE *file = fopen(argv[3], "wb");
    int32_t *copy = (int32_t *)malloc(vertices * 4);
    device_memory_read(&m, copy, depths, vertices * 4);
    if (!file || fwrite(copy, 4, vertices, file) != vertices || fclose(file)) {
      perror(argv[3]);
      return 1;
    }
    free(copy);
  }
  device_memory_free(&m, pairs);
  device_memory_free(&m, (void *)(uintptr_t)graph.offsets);
  device_memory_free(&m, (void *)(uintptr_t)graph.targets);
  device_memory_free(&m, depths);
  device_memory_free(&m, report);
  device_memory_free(&m, bins);
  free(counts);
  check(gp_close(ctx));
  return 0;
}
