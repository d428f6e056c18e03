// gp_searches.h - runs calls on one graph from fixed sources and checks their output, for gp_bfs and gp_tune's worker.
// The graph is made on the context's back end; the caller provides memory.
#ifndef GP_SEARCHES_H
#define GP_SEARCHES_H

#include "gp_graphs.h"
#include "gp_headers.h"

typedef struct search_memory {
  void *(*allocate)(uint64_t bytes);
  void (*release)(void *at);
  void (*to_host)(void *out, const void *in, size_t bytes); // after all launched work
  void (*fill)(void *at, int byte, size_t bytes); // before later work
} search_memory;

enum { SEARCH_GUARD = 256, SEARCH_SPOILED = 0x77 }; // guard bytes around depths, and their value

typedef struct searches {
  const search_memory *memory;
  gp_primitive primitive;
  graph_made made;
  gp_graph g;
  uint64_t edges; // those in the graph
  uint64_t *source; // random vertices with an edge
  int sources, at_once, calls; // calls, each with other sources; for one source a call: as many as sources
  void *pairs, *depths, *parents;
  gp_fault *report;
} searches;

GRAPH_FUNCTION uint64_t searches_offset(const searches *s, uint64_t v) {
  const size_t size = s->g.offset_type == GP_U64 ? 8 : 4;
  uint64_t x = 0;
  s->memory->to_host(&x, (const char *)s->g.offsets + v * size, size);
  return x;
}

// The call that makes the graph of the pairs.
GRAPH_FUNCTION gp_call searches_build(const searches *s) {
  gp_call c = gp_call_init(GP_GRAPH_FROM_EDGES);
  c.in_type = GP_U32, c.in = s->pairs, c.count = s->made.edges, c.flags = s->made.flags;
  c.out_graph = &s->g;
  return c;
}

// Makes the graph. Set before: memory, primitive, made, sources, at_once, g's types. *why: NULL, or what is wrong.
GRAPH_FUNCTION gp_result searches_make(searches *s, gp_context *ctx, gp_stream stream, const char **why) {
  const search_memory *m = s->memory;
  gp_graph *g = &s->g;
  gp_result r;
  uint64_t drawn = 0;
  int i = 0;
  *why = NULL;
  s->pairs = m->allocate(s->made.edges * 8);
  SET_SIZE(g);
  g->vertices = s->made.vertices;
  g->edges = 2 * s->made.edges;
  g->offsets = m->allocate((g->vertices + 1) * (g->offset_type == GP_U64 ? 8 : 4));
  g->targets = m->allocate(g->edges * (g->vertex_type == GP_U64 ? 8 : 4));
  if ((r = graph_edges_on(ctx, &s->made, s->pairs, stream))) return r;
  const gp_call build = searches_build(s);
  if ((r = gp_run(ctx, &build, stream))) return r;
  g->flags = GP_SYMMETRIC;
  s->edges = searches_offset(s, g->vertices);
  if (s->primitive != GP_GRAPH_FROM_EDGES) m->release(s->pairs), s->pairs = NULL;
  if (s->at_once > s->sources) s->at_once = s->sources;
  if (!(s->source = (uint64_t *)malloc((size_t)s->sources * sizeof *s->source))) return GP_E_MEMORY;
  for (; i < s->sources && drawn < 1000000 && g->vertices; ++drawn) {
    s->source[i] = graph_random(s->made.seed, drawn, 7) % g->vertices;
    if (searches_offset(s, s->source[i] + 1) > searches_offset(s, s->source[i])) ++i;
  }
  if (i < s->sources) *why = "hardly a vertex has an edge";
  s->calls = s->primitive == GP_BFS ? s->sources : s->primitive == GP_BFS_SOURCES ? s->sources / s->at_once : 1;
  s->depths = (char *)m->allocate(g->vertices * 4 * (uint64_t)(s->primitive == GP_BFS_SOURCES ? s->at_once : 1) +
                  g->vertices * 4 + 2 * SEARCH_GUARD) + // labels may have 8 bytes
      SEARCH_GUARD;
  s->parents = m->allocate(g->vertices * 8);
  s->report = (gp_fault *)m->allocate(sizeof *s->report);
  return GP_SUCCESS;
}
GRAPH_FUNCTION void searches_drop(searches *s) {
  const search_memory *m = s->memory;
  if (s->pairs) m->release(s->pairs);
  m->release((void *)(uintptr_t)s->g.offsets);
  m->release((void *)(uintptr_t)s->g.targets);
  m->release((char *)s->depths - SEARCH_GUARD);
  m->release(s->parents);
  m->release(s->report);
  free(s->source);
}

// Call number i.
GRAPH_FUNCTION gp_call searches_call(searches *s, int i) {
  gp_call c = gp_call_init(s->primitive);
  c.graph = &s->g;
  c.out = s->depths;
  if (s->primitive == GP_BFS) c.source = s->source[i];
  if (s->primitive == GP_BFS_SOURCES)
    c.sources = s->source + (size_t)i * (size_t)s->at_once, c.count = (uint64_t)s->at_once;
  return s->primitive == GP_GRAPH_FROM_EDGES ? searches_build(s) : c;
}

// The report's finding; NULL: none. Valid until the next call.
GRAPH_FUNCTION const char *searches_fault(const searches *s) {
  static char text[200];
  gp_fault fault;
  s->memory->to_host(&fault, s->report, sizeof fault);
  return fault.kind == GP_FAULT_NONE ? NULL : gp_fault_text(&fault, text, sizeof text);
}
// Checks that exactly the vertices reached from source[0] have its label.
GRAPH_FUNCTION gp_result searches_check_labels(searches *s, gp_context *ctx, gp_stream stream, const char **why) {
  const size_t n = (size_t)s->g.vertices, size = s->g.vertex_type == GP_U64 ? 8 : 4;
  char *label = (char *)malloc(n * size + 8);
  int32_t *depth = (int32_t *)malloc(n * 4 + 4);
  size_t v;
  const gp_result r = label && depth ? gp_bfs(ctx, &s->g, s->source[0], s->parents, NULL, stream) : GP_E_MEMORY;
  if (!r) s->memory->to_host(label, s->depths, n * size), s->memory->to_host(depth, s->parents, n * 4);
  for (v = 0; !r && v < n; ++v)
    if (!memcmp(label + v * size, label + s->source[0] * size, size) != (depth[v] >= 0)) *why = "labels";
  free(label), free(depth);
  return r;
}
// Runs the call number i once and checks its output. *why: NULL, or what is wrong.
GRAPH_FUNCTION gp_result searches_check(
    searches *s, gp_context *ctx, gp_stream stream, gp_call c, int i, const char **why) {
  const int rows = s->primitive == GP_BFS_SOURCES ? s->at_once : 1, labels = s->primitive == GP_CONNECTED_COMPONENTS;
  const size_t row = (size_t)s->g.vertices * (labels && s->g.vertex_type == GP_U64 ? 8 : 4), all = row * (size_t)rows;
  unsigned char guards[2 * SEARCH_GUARD];
  gp_result r;
  int k;
  *why = NULL;
  if (c.out) s->memory->fill((char *)s->depths - SEARCH_GUARD, SEARCH_SPOILED, all + 2 * SEARCH_GUARD);
  if (s->primitive == GP_BFS)
    s->memory->fill(s->parents, SEARCH_SPOILED, (size_t)s->g.vertices * 8), c.out2 = s->parents;
  if ((r = gp_run(ctx, &c, stream))) return r;
  if (s->primitive == GP_GRAPH_FROM_EDGES) {
    if ((r = gp_graph_check(ctx, &s->g, s->report, stream))) return r;
    *why = searches_fault(s);
    if (!*why && searches_offset(s, s->g.vertices) != s->edges) *why = "the number of edges";
    return GP_SUCCESS;
  }
  if (labels && (r = searches_check_labels(s, ctx, stream, why))) return r;
  for (k = 0; !labels && !*why && k < rows; ++k) {
    const uint64_t source = s->primitive == GP_BFS ? s->source[i] : c.sources[k];
    void *parents = s->primitive == GP_BFS ? s->parents : NULL;
    if ((r = gp_bfs_check(ctx, &s->g, source, (char *)s->depths + (size_t)k * row, parents, s->report, stream)))
      return r;
    *why = searches_fault(s);
  }
  s->memory->to_host(guards, (char *)s->depths - SEARCH_GUARD, SEARCH_GUARD);
  s->memory->to_host(guards + SEARCH_GUARD, (char *)s->depths + all, SEARCH_GUARD);
  for (k = 0; k < 2 * SEARCH_GUARD; ++k)
    if (guards[k] != SEARCH_SPOILED) *why = "it wrote outside its output";
  return GP_SUCCESS;
}

#endif
