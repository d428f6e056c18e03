// gp_check_graph_building.h - gp_check's group "building": graphs generated on a GPU with the host's edges; built,
// transposed and relabelled against the host back end; degrees; planted faults; searches of graphs with known
// distances; captured and replayed; more than 2^31 edges. Included by gp_check.c.
#ifndef GP_CHECK_GRAPH_BUILDING_H
#define GP_CHECK_GRAPH_BUILDING_H

#include "../../tools/gp_graphs.h"

static const char *fault_text(const gp_fault *fault) {
  static char text[200];
  return gp_fault_text(fault, text, sizeof text);
}

// A graph with its memory, on either side.
typedef struct built_graph {
  gp_graph g;
  uint64_t offset_bytes, target_bytes;
} built_graph;
static built_graph built_new(uint64_t vertices, uint64_t edges, gp_type offset, gp_type vertex, int on_host) {
  built_graph b;
  memset(&b, 0, sizeof b);
  b.g = gp_graph_init();
  b.g.vertices = vertices, b.g.edges = edges, b.g.offset_type = offset, b.g.vertex_type = vertex;
  b.offset_bytes = (vertices + 1) * gp_type_size(NULL, offset);
  b.target_bytes = edges * gp_type_size(NULL, vertex);
  b.g.offsets = on_host ? host_new(b.offset_bytes) : device_new(b.offset_bytes + SLACK);
  b.g.targets = on_host ? host_new(b.target_bytes) : device_new(b.target_bytes + SLACK);
  return b;
}
static void built_free(built_graph *b, int on_host) {
  void *const memory[] = {(void *)(uintptr_t)b->g.offsets, (void *)(uintptr_t)b->g.targets,
      (void *)(uintptr_t)b->g.in_offsets, (void *)(uintptr_t)b->g.in_sources};
  size_t i;
  for (i = 0; i < COUNT(memory); i++)
    if (memory[i]) {
      if (on_host) free(memory[i]);
      else device_free(memory[i]);
    }
}
static void built_with_in(built_graph *b, int on_host) {
  b->g.in_offsets = on_host ? host_new(b->offset_bytes) : device_new(b->offset_bytes + SLACK);
  b->g.in_sources = on_host ? host_new(b->target_bytes) : device_new(b->target_bytes + SLACK);
}
static uint64_t built_number(const void *p, gp_type type, uint64_t i) {
  return type == GP_U32 ? ((const uint32_t *)p)[i] : ((const uint64_t *)p)[i];
}
// Offsets, and their number of ends.
static int built_same(const char *what, const char *text, const built_graph *d, const void *d_offsets,
    const void *d_ends, const void *offsets, const void *ends) {
  void *got = host_new(d->offset_bytes), *got_ends = host_new(d->target_bytes);
  const uint64_t edges = built_number(offsets, d->g.offset_type, d->g.vertices);
  int same;
  download(got, d_offsets, d->offset_bytes);
  download(got_ends, d_ends, edges * gp_type_size(NULL, d->g.vertex_type)); // the remaining room was not written
  same =
      !memcmp(got, offsets, d->offset_bytes) && !memcmp(got_ends, ends, edges * gp_type_size(NULL, d->g.vertex_type));
  if (same) pass();
  else fail("graph building %s: %s differs from the host's", text, what);
  free(got);
  free(got_ends);
  return same;
}

// One graph from its description, with these types and flags, on both sides.
static void building_case(const char *text, gp_type offset, gp_type vertex, int flags, void *stream) {
  graph_made m;
  built_graph d, h, rd, rh;
  gp_degrees degrees, want;
  gp_fault fault;
  uint32_t *pairs, *made;
  void *d_pairs, *report, *numbers[2];
  uint64_t room, bad = 0;
  gp_result r;
  int ok;
  if (!graph_read(text, &m)) {
    fail("graph building: no graph \"%s\"", text);
    return;
  }
  room = m.edges * (flags & GP_SYMMETRISE ? 2 : 1);
  pairs = (uint32_t *)host_new(m.edges * 8), made = (uint32_t *)host_new(m.edges * 8);
  d_pairs = device_new(m.edges * 8 + SLACK), report = device_new(SLACK);
  graph_edges(&m, 0, m.edges, pairs);
  r = graph_edges_on(gpu, &m, d_pairs, stream);
  wait_stream(stream);
  download(made, d_pairs, m.edges * 8);
  if (!r && !memcmp(made, pairs, m.edges * 8)) pass();
  else fail("graph building %s: the edges made on the device are others: %s", text, r ? gp_last_message() : "");
  d = built_new(m.vertices, room, offset, vertex, 0), h = built_new(m.vertices, room, offset, vertex, 1);
  built_with_in(&d, 0), built_with_in(&h, 1);
  r = gp_graph_from_edges(gpu, GP_U32, d_pairs, NULL, m.edges, &d.g, (uint64_t *)report, flags, stream);
  if (!r) r = gp_graph_transpose(gpu, &d.g, stream);
  wait_stream(stream);
  download(&bad, report, 8);
  if (!r) r = gp_graph_from_edges(host, GP_U32, pairs, NULL, m.edges, &h.g, NULL, flags, NULL);
  if (!r) r = gp_graph_transpose(host, &h.g, NULL);
  if (r || bad != UINT64_MAX) fail("graph building %s: %s", text, r ? gp_last_message() : "a bad edge");
  ok = !r && built_same("the graph", text, &d, d.g.offsets, d.g.targets, h.g.offsets, h.g.targets);
  if (ok) built_same("its transpose", text, &d, d.g.in_offsets, d.g.in_sources, h.g.in_offsets, h.g.in_sources);
  rd = built_new(m.vertices, room, offset, vertex, 0), rh = built_new(m.vertices, room, offset, vertex, 1);
  numbers[0] = device_new(m.vertices * 8 + SLACK), numbers[1] = host_new(m.vertices * 8);
  if (ok) r = gp_graph_relabel(gpu, &d.g, &rd.g, NULL, numbers[0], stream);
  wait_stream(stream);
  if (ok && !r) r = gp_graph_relabel(host, &h.g, &rh.g, NULL, numbers[1], NULL);
  if (r) fail("graph building %s: relabel: %s", text, gp_last_message());
  if (ok && !r)
    built_same("the graph under new numbers", text, &rd, rd.g.offsets, rd.g.targets, rh.g.offsets, rh.g.targets);
  memset(&degrees, 0, sizeof degrees);
  if (ok) r = gp_graph_degrees(gpu, &d.g, (gp_degrees *)report, stream);
  wait_stream(stream);
  download(&degrees, report, sizeof degrees);
  if (ok && !r) r = gp_graph_degrees(host, &h.g, &want, NULL);
  if (ok && !r && !memcmp(&degrees, &want, sizeof want)) pass();
  else fail("graph building %s: degrees", text);
  if (ok) r = gp_graph_check(gpu, &d.g, (gp_fault *)report, stream);
  wait_stream(stream);
  download(&fault, report, sizeof fault);
  if (!r && fault.kind == GP_FAULT_NONE) pass();
  else fail("graph building %s: check says %s", text, fault_text(&fault));
  built_free(&d, 0), built_free(&rd, 0), built_free(&h, 1), built_free(&rh, 1);
  device_free(d_pairs), device_free(report), device_free(numbers[0]);
  free(numbers[1]), free(pairs), free(made);
}

// Searches of graphs with known distances: right ones pass the check, one spoiled depth or parent fails it.
static void building_distances(const char *text, void *stream) {
  graph_made m;
  built_graph d;
  gp_fault fault, spoiled;
  uint32_t *parents;
  int32_t *depths, saved;
  void *d_pairs, *d_depths, *d_parents, *report;
  uint64_t sources[3], v, at;
  gp_result r;
  size_t i;
  if (!graph_read(text, &m)) {
    fail("graph building: no graph \"%s\"", text);
    return;
  }
  d = built_new(m.vertices, 2 * m.edges, GP_U32, GP_U32, 0);
  d_pairs = device_new(m.edges * 8 + SLACK), report = device_new(SLACK);
  d_depths = device_new(m.vertices * 4 + SLACK), d_parents = device_new(m.vertices * 4 + SLACK);
  depths = (int32_t *)host_new(m.vertices * 4), parents = (uint32_t *)host_new(m.vertices * 4);
  r = graph_edges_on(gpu, &m, d_pairs, stream);
  if (!r) r = gp_graph_from_edges(gpu, GP_U32, d_pairs, NULL, m.edges, &d.g, NULL, m.flags, stream);
  d.g.flags = GP_SYMMETRIC;
  sources[0] = 0, sources[1] = m.vertices / 2, sources[2] = m.vertices - 1;
  for (i = 0; i < 3 && !r; i++) {
    poison(d_depths, m.vertices * 4, stream);
    r = gp_bfs(gpu, &d.g, sources[i], d_depths, d_parents, stream);
    if (!r) r = gp_bfs_check(gpu, &d.g, sources[i], d_depths, d_parents, (gp_fault *)report, stream);
    wait_stream(stream);
    if (r) break;
    download(&fault, report, sizeof fault);
    download(depths, d_depths, m.vertices * 4);
    for (v = 0; v < m.vertices && m.exact; v++)
      if (depths[v] != graph_depth(&m, sources[i], v)) break;
    if (m.exact && v < m.vertices)
      fail("search of %s from %llu: depth of %llu is %d, not %lld", text, (unsigned long long)sources[i],
          (unsigned long long)v, depths[v], graph_depth(&m, sources[i], v));
    else pass();
    if (fault.kind == GP_FAULT_NONE) pass();
    else fail("search of %s from %llu: %s", text, (unsigned long long)sources[i], fault_text(&fault));
    at = gp_data_hash(i) % m.vertices;
    saved = depths[at] + (depths[at] < 0 ? 9 : 1);
    upload((char *)d_depths + at * 4, &saved, 4);
    r = gp_bfs_check(gpu, &d.g, sources[i], d_depths, NULL, (gp_fault *)report, stream);
    wait_stream(stream);
    download(&spoiled, report, sizeof spoiled);
    if (!r && spoiled.kind != GP_FAULT_NONE) pass();
    else fail("search of %s: a depth that was spoiled goes through", text);
  }
  if (r) fail("search of %s: %s", text, gp_last_message());
  built_free(&d, 0);
  device_free(d_pairs), device_free(report), device_free(d_depths), device_free(d_parents);
  free(depths), free(parents);
}

// Captured with gp_workspace_size's bytes, replayed on other edges.
static void building_captured(void) {
  graph_made m[2];
  void *stream, *graph = NULL, *executable = NULL, *pairs[2], *d_pairs;
  built_graph d, h;
  gp_call call = gp_call_init(GP_GRAPH_FROM_EDGES);
  uint64_t bytes = 0;
  gp_result r;
  int i;
  if (!on_gpu) return;
  stream = new_stream();
  graph_read("kronecker scale=14 seed=5", &m[0]), graph_read("kronecker scale=14 seed=6", &m[1]);
  d = built_new(m[0].vertices, 2 * m[0].edges, GP_U32, GP_U32, 0);
  h = built_new(m[0].vertices, 2 * m[0].edges, GP_U32, GP_U32, 1);
  d_pairs = device_new(m[0].edges * 8 + SLACK);
  call.in_type = GP_U32, call.in = d_pairs, call.count = m[0].edges, call.flags = m[0].flags, call.out_graph = &d.g;
  r = gp_prepare(gpu, &call);
  if (!r) r = gp_workspace_size(gpu, &call, &bytes);
  if (!r) r = gp_reserve(gpu, stream, bytes);
  GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
  if (!r) r = gp_run(gpu, &call, stream);
  GP_CUDA_CHECK(&cuda, capture_end(stream, &graph));
  if (r) fail("a captured graph_from_edges: %s", gp_last_message());
  else {
    GP_CUDA_CHECK(&cuda, graph_instantiate(&executable, graph, 0));
    for (i = 0; i < 2; i++) {
      pairs[i] = host_new(m[i].edges * 8);
      graph_edges(&m[i], 0, m[i].edges, (uint32_t *)pairs[i]);
      upload(d_pairs, pairs[i], m[i].edges * 8);
      GP_CUDA_CHECK(&cuda, graph_launch(executable, stream));
      wait_stream(stream);
      gp_graph_from_edges(host, GP_U32, pairs[i], NULL, m[i].edges, &h.g, NULL, m[i].flags, NULL);
      built_same("a replay", "kronecker", &d, d.g.offsets, d.g.targets, h.g.offsets, h.g.targets);
      free(pairs[i]);
    }
    GP_CUDA_CHECK(&cuda, graph_exec_destroy(executable));
  }
  if (graph) GP_CUDA_CHECK(&cuda, graph_destroy(graph));
  built_free(&d, 0), built_free(&h, 1);
  device_free(d_pairs);
  free_stream(stream);
}

// Faults in device memory.
static void building_faults(void) {
  static const uint32_t offsets[] = {0, 2, 1, 4}, targets[] = {0, 1, 2, 9};
  built_graph d = built_new(3, 4, GP_U32, GP_U32, 0);
  void *report = device_new(SLACK);
  gp_fault f;
  gp_result r;
  upload((void *)(uintptr_t)d.g.offsets, offsets, sizeof offsets);
  upload((void *)(uintptr_t)d.g.targets, targets, sizeof targets);
  r = gp_graph_check(gpu, &d.g, (gp_fault *)report, NULL);
  wait_device();
  download(&f, report, sizeof f);
  if (!r && f.kind == GP_FAULT_OFFSETS && f.vertex == 1 && f.edge == UINT64_MAX) pass();
  else fail("graph_check: offsets that decrease: %s", r ? gp_last_message() : fault_text(&f));
  upload((char *)(uintptr_t)d.g.offsets + 8, &offsets[1], 4);
  r = gp_graph_check(gpu, &d.g, (gp_fault *)report, NULL);
  wait_device();
  download(&f, report, sizeof f);
  if (!r && f.kind == GP_FAULT_TARGET && f.vertex == 2 && f.edge == 3) pass();
  else fail("graph_check: a target that is no vertex: %s", r ? gp_last_message() : fault_text(&f));
  built_free(&d, 0);
  device_free(report);
}

// A ring has twice as many edges as vertices: more than 2^31, checked by themselves.
static void building_big(void) {
  graph_made m;
  built_graph d;
  void *d_pairs, *report;
  size_t room = 0, total = 0;
  gp_degrees degrees;
  gp_fault fault;
  gp_result r;
  if (!on_gpu || quick || sanitizer) return;
  graph_read("ring n=1100M", &m);
  GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  if (room < m.edges * 8 + 2 * m.edges * (4 + 8 + 9) + m.vertices * 8) {
    printf("skipped: a graph of 2^31 edges: the device has %.0f GB free\n", (double)room / 1e9);
    skipped++;
    return;
  }
  d = built_new(m.vertices, 2 * m.edges, GP_U64, GP_U32, 0);
  d_pairs = device_new(m.edges * 8), report = device_new(SLACK);
  r = graph_edges_on(gpu, &m, d_pairs, NULL);
  if (!r) r = gp_graph_from_edges(gpu, GP_U32, d_pairs, NULL, m.edges, &d.g, NULL, GP_SYMMETRISE, NULL);
  if (!r) r = gp_graph_check(gpu, &d.g, (gp_fault *)report, NULL);
  wait_device();
  download(&fault, report, sizeof fault);
  if (!r) r = gp_graph_degrees(gpu, &d.g, (gp_degrees *)report, NULL);
  wait_device();
  download(&degrees, report, sizeof degrees);
  if (!r && fault.kind == GP_FAULT_NONE && degrees.edges == 2 * m.edges && degrees.least == 2 && degrees.most == 2)
    pass();
  else
    fail("a ring of %llu vertices: %s, %llu edges, degrees %llu to %llu", (unsigned long long)m.vertices,
        r ? gp_last_message() : fault_text(&fault), (unsigned long long)degrees.edges,
        (unsigned long long)degrees.least, (unsigned long long)degrees.most);
  built_free(&d, 0);
  device_free(d_pairs), device_free(report);
}

static void group_graph_building(void) {
  static const char *const graphs[] = {"kronecker scale=10", "uniform n=3000 factor=5", "grid rows=60 columns=50",
      "geometric rows=30 columns=20", "small_world n=5000 factor=4", "star n=70000", "chain n=1", "kronecker scale=16",
      "uniform n=1M factor=4"};
  static const struct {
    // The replacement for racecheck, which takes seconds for a level. No graph is large enough for clusters, whose
    // words racecheck does not follow (gp_check_graphs.h).
    const char *whole, *few_levels;
  } known[] = {{"chain n=3000", "chain n=12"}, {"ring n=3001", "ring n=13"}, {"star n=100000", "star n=60000"},
      {"torus rows=70 columns=90", "torus rows=4 columns=5"}, {"hypercube scale=12", "hypercube scale=5"},
      {"tree n=100000", "tree n=100"}, {"complete n=500", "complete n=60"},
      {"pieces n=20000 columns=777", "pieces n=500 columns=7"}, {"kronecker scale=15", "kronecker scale=10"},
      {"grid rows=200 columns=300", "grid rows=4 columns=5"},
      {"geometric rows=70 columns=90", "geometric rows=4 columns=5"},
      {"small_world n=40000 factor=3", "small_world n=400 factor=3"}};
  void *stream = new_stream();
  size_t i;
  int flags;
  for (i = 0; i < COUNT(graphs) && !out_of_time(); i++)
    for (flags = 0; flags < 8; flags++) {
      if ((quick || sanitizer) && (flags != 7 || i > 5)) continue;
      if (flags != 7 && i > 6) continue;
      building_case(graphs[i], flags & 1 ? GP_U64 : GP_U32, flags & 2 ? GP_U64 : GP_U32, flags * GP_SYMMETRISE, stream);
    }
  for (i = 0; i < COUNT(known) && !out_of_time(); i++)
    building_distances(few_levels ? known[i].few_levels : known[i].whole, stream);
  free_stream(stream);
  building_faults();
  building_captured();
  building_big();
}

#endif
