// gp_check_graphs.h - gp_check's group "graphs": bfs from one source and from many, bfs_check and connected_components
// on graphs with known distances, symmetric, directed with and without the transposed graph, for all types of offsets
// and vertices; limits, targets, checked graphs, reproducible parents; equal bits again; captured and replayed.
// Included by gp_check.c after gp_check_graph_building.h.
#ifndef GP_CHECK_GRAPHS_H
#define GP_CHECK_GRAPHS_H

enum { GRAPHS_SOURCES = 70 }; // two batches of 64
enum { ONE_WAY, ONE_WAY_WITH_IN, BOTH_WAYS, GRAPHS_WAYS };
static const char *const graphs_way[] = {"one way", "one way, with its transpose", "both ways"};

typedef struct searched {
  graph_made m;
  built_graph d;
  char text[160]; // its name in messages
  int way;
  uint64_t sources[GRAPHS_SOURCES];
  void *d_sources, *d_depths, *d_parents, *d_reached, *report; // rows for all sources
  gp_traversal *statistics;
  int32_t *depths;
  void *parents;
  void *stream;
  const gp_policy *policy; // of bfs
} searched;

// Directed graphs: edges lead from smaller to larger numbers, except the ring's last: distances follow from that.
static int64_t graphs_depth(const searched *s, uint64_t a, uint64_t b) {
  const graph_made *m = &s->m;
  uint64_t at;
  int64_t steps = 0;
  if (s->way == BOTH_WAYS) return graph_depth(m, a, b);
  switch (m->kind) {
  case GRAPH_RING: return (int64_t)((b + m->vertices - a) % m->vertices);
  case GRAPH_STAR: return a == b ? 0 : a ? -1 : 1;
  case GRAPH_HYPERCUBE: return (a & b) == a ? graph_depth(m, a, b) : -1;
  case GRAPH_TREE:
    for (at = b; at > a; ++steps) at = (at - 1) / 2;
    return at == a ? steps : -1;
  case GRAPH_TORUS: { // right and down, cyclic
    const uint64_t down = (b / m->columns + m->rows - a / m->columns) % m->rows;
    return (int64_t)(down + (b % m->columns + m->columns - a % m->columns) % m->columns);
  }
  default: // chain, complete, pieces
    return a <= b ? graph_depth(m, a, b) : -1;
  }
}
static int64_t graphs_limited(const searched *s, uint64_t a, uint64_t b, uint64_t limit) {
  const int64_t depth = graphs_depth(s, a, b);
  return limit && depth > (int64_t)limit ? -1 : depth;
}

static gp_result searched_open(searched *s, const char *text, gp_type offset, gp_type vertex, int way, void *stream) {
  static const gp_traversal nothing;
  void *d_pairs;
  uint64_t room;
  gp_result r;
  size_t i;
  memset(s, 0, sizeof *s);
  snprintf(s->text, sizeof s->text, "%s, %s, %s offsets, %s vertices", text, graphs_way[way],
      gp_type_name(NULL, offset), gp_type_name(NULL, vertex));
  s->way = way, s->stream = stream;
  if (!graph_read(text, &s->m)) return GP_E_ARGUMENT;
  room = s->m.edges * (way == BOTH_WAYS ? 2 : 1);
  s->d = built_new(s->m.vertices, room, offset, vertex, 0);
  d_pairs = device_new(s->m.edges * 8 + SLACK);
  s->report = device_new(SLACK), s->statistics = (gp_traversal *)device_new(sizeof *s->statistics);
  upload(s->statistics, &nothing, sizeof nothing); // copied back whole, with unused steps
  s->d_sources = device_new(sizeof s->sources), s->d_reached = device_new(sizeof s->sources);
  s->d_depths = device_new(s->m.vertices * 4 * GRAPHS_SOURCES + SLACK),
  s->d_parents = device_new(s->m.vertices * 8 + SLACK);
  s->depths = (int32_t *)host_new(s->m.vertices * 4 * GRAPHS_SOURCES), s->parents = host_new(s->m.vertices * 8);
  for (i = 0; i < GRAPHS_SOURCES; i++) s->sources[i] = gp_data_hash(i / 3 * 7) % s->m.vertices; // three times each
  s->sources[1] = 0, s->sources[2] = s->m.vertices - 1;
  upload(s->d_sources, s->sources, sizeof s->sources);
  r = graph_edges_on(gpu, &s->m, d_pairs, stream);
  if (!r)
    r = gp_graph_from_edges(gpu, GP_U32, d_pairs, NULL, s->m.edges, &s->d.g, NULL,
        way == BOTH_WAYS ? s->m.flags : GP_DROP_LOOPS | GP_UNIQUE_EDGES, stream);
  if (!r && way == ONE_WAY_WITH_IN) {
    built_with_in(&s->d, 0);
    r = gp_graph_transpose(gpu, &s->d.g, stream);
  }
  wait_stream(stream);
  if (way == BOTH_WAYS) s->d.g.flags = GP_SYMMETRIC;
  device_free(d_pairs);
  return r;
}
static void searched_close(searched *s) {
  built_free(&s->d, 0);
  device_free(s->report), device_free(s->statistics), device_free(s->d_sources), device_free(s->d_reached);
  device_free(s->d_depths), device_free(s->d_parents);
  free(s->depths), free(s->parents);
}

// The first vertex of a row with a wrong depth, or the number of vertices.
static uint64_t graphs_wrong(const searched *s, const int32_t *row, uint64_t source, uint64_t limit) {
  uint64_t v;
  for (v = 0; v < s->m.vertices; v++)
    if (row[v] != (source < s->m.vertices ? graphs_limited(s, source, v, limit) : -1)) break;
  return v;
}
static void graphs_fault(searched *s, const char *what, gp_result r, const void *depths, const void *parents,
    uint64_t source, uint64_t limit) {
  gp_call c = gp_call_init(GP_BFS_CHECK);
  gp_fault f;
  c.graph = &s->d.g, c.source = source, c.limit = limit, c.in = depths, c.in2 = parents, c.out = s->report;
  if (!r) r = gp_run(gpu, &c, s->stream);
  wait_stream(s->stream);
  download(&f, s->report, sizeof f);
  if (!r && f.kind == GP_FAULT_NONE) pass();
  else fail("graphs %s: %s: bfs_check: %s", s->text, what, r ? gp_last_message() : fault_text(&f));
}

// From one source: depths, parents (checked by bfs_check), statistics, limits, the end at a target.
static void graphs_one(searched *s, uint64_t source, uint64_t limit, int flags) {
  gp_call c = gp_call_init(GP_BFS);
  gp_traversal t;
  uint64_t v, reached = 0, levels = 0;
  gp_result r;
  c.graph = &s->d.g, c.source = source, c.limit = limit, c.flags = flags, c.out = s->d_depths, c.out2 = s->d_parents;
  c.statistics = s->statistics;
  c.policy = s->policy;
  if (flags & GP_CHECKED) c.fault = (gp_fault *)s->report;
  poison(s->d_depths, s->m.vertices * 4, s->stream);
  r = gp_run(gpu, &c, s->stream);
  wait_stream(s->stream);
  download(s->depths, s->d_depths, s->m.vertices * 4);
  download(&t, s->statistics, sizeof t);
  v = r ? 0 : graphs_wrong(s, s->depths, source, limit);
  if (r || v < s->m.vertices)
    fail("graphs %s: bfs from %llu, limit %llu, flags %d: %s, depth of %llu is %d, not %lld", s->text,
        (unsigned long long)source, (unsigned long long)limit, flags, r ? gp_last_message() : "", (unsigned long long)v,
        s->depths[v], (long long)graphs_limited(s, source, v, limit));
  else pass();
  for (v = 0; v < s->m.vertices; v++) {
    const int64_t depth = graphs_limited(s, source, v, limit);
    reached += depth >= 0;
    if (depth > (int64_t)levels) levels = (uint64_t)depth;
  }
  if (!r && t.reached == reached && t.levels == levels) pass();
  else
    fail("graphs %s: bfs from %llu: %llu reached in %llu levels, not %llu in %llu", s->text, (unsigned long long)source,
        (unsigned long long)t.reached, (unsigned long long)t.levels, (unsigned long long)reached,
        (unsigned long long)levels);
  graphs_fault(s, "bfs", r, s->d_depths, s->d_parents, source, limit);
}
static void graphs_target(searched *s, uint64_t source, uint64_t target) {
  gp_call c = gp_call_init(GP_BFS);
  const int64_t far = graphs_depth(s, source, target);
  gp_result r;
  c.graph = &s->d.g, c.source = source, c.target = target, c.flags = GP_UNTIL_TARGET, c.out = s->d_depths;
  r = gp_run(gpu, &c, s->stream);
  wait_stream(s->stream);
  download(s->depths, s->d_depths, s->m.vertices * 4);
  if (!r && far != 0 && graphs_wrong(s, s->depths, source, far > 0 ? (uint64_t)far : 0) == s->m.vertices) pass();
  else if (!r && far == 0 && s->depths[source] == 0) pass();
  else
    fail("graphs %s: bfs from %llu until %llu: %s", s->text, (unsigned long long)source, (unsigned long long)target,
        r ? gp_last_message() : "wrong depths");
}
// The same twice: parents with GP_REPRODUCIBLE are the smallest.
static void graphs_reproducible(searched *s, uint64_t source) {
  const size_t size = gp_type_size(NULL, s->d.g.vertex_type);
  gp_call c = gp_call_init(GP_BFS);
  void *again = host_new(s->m.vertices * size), *on_host = host_new(s->m.vertices * size);
  gp_graph h = s->d.g;
  int32_t *depths = (int32_t *)host_new(s->m.vertices * 4);
  gp_result r;
  c.graph = &s->d.g, c.source = source, c.flags = GP_REPRODUCIBLE, c.out = s->d_depths, c.out2 = s->d_parents;
  r = gp_run(gpu, &c, s->stream);
  wait_stream(s->stream);
  download(again, s->d_parents, s->m.vertices * size);
  h.offsets = host_new(s->d.offset_bytes), h.targets = host_new(s->d.target_bytes);
  h.in_offsets = h.in_sources = NULL;
  download((void *)(uintptr_t)h.offsets, s->d.g.offsets, s->d.offset_bytes);
  download((void *)(uintptr_t)h.targets, s->d.g.targets,
      built_number(h.offsets, h.offset_type, h.vertices) * size); // the remaining room was not written
  c.graph = &h, c.out = depths, c.out2 = on_host;
  if (!r) r = gp_run(host, &c, NULL);
  if (!r && !memcmp(again, on_host, s->m.vertices * size)) pass();
  else fail("graphs %s: reproducible parents: %s", s->text, r ? gp_last_message() : "others than the host's");
  free(again), free(on_host), free(depths);
  free((void *)(uintptr_t)h.offsets), free((void *)(uintptr_t)h.targets);
}

// From many: rows, vertices reached by each, statistics; sources in host memory, or in device memory with some outside
// the graph. Up to 32 sources have a word of 32 bits.
static void graphs_many(searched *s, uint64_t count, uint64_t limit, int device_sources, int flags) {
  gp_call c = gp_call_init(GP_BFS_SOURCES);
  uint64_t sources[GRAPHS_SOURCES], sizes[GRAPHS_SOURCES], i, pairs = 0, v = 0;
  gp_traversal t;
  gp_result r;
  int good;
  memcpy(sources, s->sources, sizeof sources);
  if (device_sources) sources[count / 2] = s->m.vertices, sources[count - 1] = UINT64_MAX;
  upload(s->d_sources, sources, sizeof sources);
  c.graph = &s->d.g, c.count = count, c.limit = limit, c.flags = flags, c.out = s->d_depths;
  c.out2 = s->d_reached, c.statistics = s->statistics;
  if (device_sources) c.source_device = (const uint64_t *)s->d_sources;
  else c.sources = sources;
  if (flags & GP_CHECKED) c.fault = (gp_fault *)s->report;
  poison(s->d_depths, count * s->m.vertices * 4, s->stream);
  poison(s->d_reached, sizeof sizes, s->stream);
  r = gp_run(gpu, &c, s->stream);
  memset(sources, 0, device_sources ? 0 : sizeof sources); // they were read during the call
  wait_stream(s->stream);
  memcpy(sources, s->sources, sizeof sources);
  if (device_sources) sources[count / 2] = s->m.vertices, sources[count - 1] = UINT64_MAX;
  download(s->depths, s->d_depths, count * s->m.vertices * 4);
  download(sizes, s->d_reached, count * 8);
  download(&t, s->statistics, sizeof t);
  for (i = 0, good = !r; i < count && good; i++) {
    const int32_t *row = s->depths + i * s->m.vertices;
    uint64_t reached = 0;
    v = graphs_wrong(s, row, sources[i], limit);
    if (v < s->m.vertices) break;
    for (v = 0; v < s->m.vertices; v++) reached += row[v] >= 0;
    good = sizes[i] == reached;
    pairs += reached;
  }
  if (good && i == count && t.reached == pairs) pass();
  else
    fail("graphs %s: bfs_sources, %llu of them, limit %llu, flags %d: %s: row %llu, vertex %llu", s->text,
        (unsigned long long)count, (unsigned long long)limit, flags, r ? gp_last_message() : "wrong",
        (unsigned long long)i, (unsigned long long)v);
  if (!device_sources)
    graphs_fault(s, "bfs_sources", r, (const char *)s->d_depths + (count - 1) * s->m.vertices * 4, NULL,
        sources[count - 1], limit);
}
// Unwanted rows; policies of every direction give the same numbers.
static void graphs_sizes_only(searched *s) {
  static const int alphas[] = {-1, 1, 1 << 20};
  uint64_t sizes[COUNT(alphas)][GRAPHS_SOURCES];
  size_t k;
  uint64_t i, v, reached;
  for (k = 0; k < COUNT(alphas); k++) {
    gp_call c = gp_call_init(GP_BFS_SOURCES);
    gp_policy p;
    gp_result r;
    memset(&p, 0, sizeof p);
    p.alpha = alphas[k], p.small = k ? 1 : 0;
    c.graph = &s->d.g, c.count = GRAPHS_SOURCES, c.sources = s->sources, c.out2 = s->d_reached;
    c.policy = on_gpu ? &p : NULL;
    r = gp_run(gpu, &c, s->stream);
    wait_stream(s->stream);
    download(sizes[k], s->d_reached, sizeof sizes[k]);
    if (r) fail("graphs %s: sizes alone, alpha %d: %s", s->text, alphas[k], gp_last_message());
    else if (!memcmp(sizes[k], sizes[0], sizeof sizes[0])) pass();
    else fail("graphs %s: sizes alone: others with alpha %d", s->text, alphas[k]);
  }
  for (i = 0; i < 4; i++) {
    for (v = reached = 0; v < s->m.vertices; v++) reached += graphs_depth(s, s->sources[i], v) >= 0;
    if (sizes[0][i] == reached) pass();
    else
      fail("graphs %s: source %llu reaches %llu, not %llu", s->text, (unsigned long long)s->sources[i],
          (unsigned long long)sizes[0][i], (unsigned long long)reached);
  }
}

// Labels are the smallest vertices: in symmetric graphs, the vertices reached from them.
static void graphs_components(searched *s) {
  const gp_type type = s->d.g.vertex_type;
  const int pieces = s->m.kind == GRAPH_PIECES; // the others are in one piece
  uint64_t v, bad = s->m.vertices, count = 0;
  const uint64_t expected = pieces ? (s->m.vertices + s->m.columns - 1) / s->m.columns : 1;
  gp_result r = gp_connected_components(gpu, &s->d.g, s->d_parents, (uint64_t *)s->d_reached, s->stream);
  wait_stream(s->stream);
  download(s->parents, s->d_parents, s->m.vertices * gp_type_size(NULL, type));
  download(&count, s->d_reached, 8);
  for (v = 0; v < s->m.vertices && bad == s->m.vertices; v++)
    if (built_number(s->parents, type, v) != (pieces ? v / s->m.columns * s->m.columns : 0)) bad = v;
  if (!r && bad == s->m.vertices && count == expected) pass();
  else
    fail("graphs %s: components: %s, %llu of them, not %llu; the first wrong label is that of %llu", s->text,
        r ? gp_last_message() : "", (unsigned long long)count, (unsigned long long)expected, (unsigned long long)bad);
}

// An invalid target: GP_CHECKED reports it, and writes nothing else.
static void graphs_checked_fault(searched *s) {
  const uint64_t bad = s->m.vertices;
  const size_t size = gp_type_size(NULL, s->d.g.vertex_type);
  gp_call c = gp_call_init(GP_BFS);
  uint64_t was = 0;
  int many;
  if (!s->m.edges) return;
  download(&was, s->d.g.targets, size);
  upload((void *)(uintptr_t)s->d.g.targets, &bad, size);
  for (many = 0; many < 2; many++) {
    gp_fault f;
    gp_result r;
    uint64_t v;
    memset(s->depths, 0x2b, s->m.vertices * 4);
    upload(s->d_depths, s->depths, s->m.vertices * 4);
    if (many) c.primitive = GP_BFS_SOURCES, c.sources = s->sources, c.count = 1;
    c.graph = &s->d.g, c.flags = GP_CHECKED, c.out = s->d_depths, c.fault = (gp_fault *)s->report;
    r = gp_run(gpu, &c, s->stream);
    wait_stream(s->stream);
    download(&f, s->report, sizeof f);
    download(s->depths, s->d_depths, s->m.vertices * 4);
    for (v = 0; v < s->m.vertices && s->depths[v] == 0x2b2b2b2b; v++) continue;
    if (!r && f.kind == GP_FAULT_TARGET && f.edge == 0 && v == s->m.vertices) pass();
    else
      fail(
          "graphs %s: a checked %s: %s", s->text, many ? "bfs_sources" : "bfs", r ? gp_last_message() : fault_text(&f));
  }
  upload((void *)(uintptr_t)s->d.g.targets, &was, size);
}

// Captured with gp_workspace_size's bytes; a replay reads the sources then in device memory.
static void graphs_captured(searched *s) {
  void *stream, *graph = NULL, *executable = NULL;
  gp_call c = gp_call_init(GP_BFS_SOURCES);
  uint64_t bytes = 0, sources[GRAPHS_SOURCES];
  gp_result r;
  int turn, i;
  if (!on_gpu) return;
  stream = new_stream();
  c.graph = &s->d.g, c.count = GRAPHS_SOURCES, c.source_device = (const uint64_t *)s->d_sources, c.out = s->d_depths;
  r = gp_prepare(gpu, &c);
  if (!r) r = gp_workspace_size(gpu, &c, &bytes);
  if (!r) r = gp_reserve(gpu, stream, bytes);
  GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
  if (!r) r = gp_run(gpu, &c, stream);
  GP_CUDA_CHECK(&cuda, capture_end(stream, &graph));
  if (r) fail("graphs: a captured bfs_sources: %s", gp_last_message());
  else {
    GP_CUDA_CHECK(&cuda, graph_instantiate(&executable, graph, 0));
    for (turn = 0; turn < 2; turn++) {
      for (i = 0; i < GRAPHS_SOURCES; i++) sources[i] = gp_data_hash((uint64_t)(turn * 1000 + i)) % s->m.vertices;
      upload(s->d_sources, sources, sizeof sources);
      GP_CUDA_CHECK(&cuda, graph_launch(executable, stream));
      wait_stream(stream);
      download(s->depths, s->d_depths, GRAPHS_SOURCES * s->m.vertices * 4);
      for (i = 0; i < GRAPHS_SOURCES; i++)
        if (graphs_wrong(s, s->depths + (uint64_t)i * s->m.vertices, sources[i], 0) < s->m.vertices) break;
      if (i == GRAPHS_SOURCES) pass();
      else fail("graphs: replay %d of bfs_sources: row %d", turn, i);
    }
    GP_CUDA_CHECK(&cuda, graph_exec_destroy(executable));
  }
  if (graph) GP_CUDA_CHECK(&cuda, graph_destroy(graph));
  free_stream(stream);
}

static void graphs_case(const char *text, gp_type offset, gp_type vertex, int way, void *stream) {
  static const uint64_t limits[] = {0, 1, 3};
  searched s;
  gp_result r = searched_open(&s, text, offset, vertex, way, stream);
  size_t i;
  if (r) {
    fail("graphs %s: %s", text, gp_last_message());
    return;
  }
  for (i = 0; i < 3; i++) graphs_one(&s, s.sources[i], limits[i], i == 2 ? GP_CHECKED : 0);
  graphs_target(&s, s.sources[1], s.sources[0]);
  graphs_reproducible(&s, s.sources[0]);
  graphs_many(&s, 1, 0, 0, 0);
  graphs_many(&s, 32, 2, 1, 0);
  graphs_many(&s, GRAPHS_SOURCES, 0, 0, GP_CHECKED);
  graphs_many(&s, GRAPHS_SOURCES, 0, 1, 0);
  graphs_sizes_only(&s);
  graphs_components(&s);
  graphs_checked_fault(&s);
  searched_close(&s);
}
static void graphs_replayed(void *stream) {
  searched s;
  if (searched_open(
          &s, few_levels ? "torus rows=6 columns=7" : "torus rows=40 columns=50", GP_U32, GP_U32, BOTH_WAYS, stream))
    fail("graphs: %s", gp_last_message());
  else graphs_captured(&s);
  searched_close(&s);
}
// Levels shared by all blocks: with parents, for which they wait at each level, and without.
static void graphs_spread(const gp_policy *policy, void *stream) {
  searched s;
  if (searched_open(&s, "torus rows=40 columns=500", GP_U32, GP_U32, BOTH_WAYS, stream))
    fail("graphs: %s", gp_last_message());
  else {
    void *parents = s.d_parents;
    gp_traversal t;
    uint64_t i;
    int spread = 0;
    s.policy = policy;
    graphs_one(&s, s.sources[0], 0, 0);
    s.d_parents = NULL;
    graphs_one(&s, s.sources[1], 0, 0);
    graphs_one(&s, s.sources[2], 100, 0);
    s.d_parents = parents;
    download(&t, s.statistics, sizeof t);
    for (i = 0; i < t.steps; i++) spread |= t.step[i].kind == GP_STEP_SPREAD;
    if (spread) pass();
    else fail("graphs %s: no level of all blocks with a part each", s.text);
  }
  searched_close(&s);
}
// Levels of one block, of one cluster and of the grid, with small blocks, because a grid has only as many as there is
// work for. racecheck reports the words that a cluster's blocks exchange and wait for: the emulator's race build
// follows them.
static void graphs_cluster(void *stream) {
  gp_policy p;
  searched s;
  memset(&p, 0, sizeof p);
  p.threads = 64, p.cluster = 8, p.small = 16;
  if (device.compute_capability < 90) return;
  if (no_pipelined) {
    printf("skipped: levels of a cluster, which racecheck does not follow\n");
    skipped++;
    return;
  }
  if (searched_open(&s, "torus rows=40 columns=50", GP_U32, GP_U32, BOTH_WAYS, stream))
    fail("graphs: %s", gp_last_message());
  else {
    s.policy = &p;
    graphs_one(&s, s.sources[0], few_levels ? 6 : 0, 0);
    p.small = 4;
    graphs_one(&s, s.sources[1], few_levels ? 9 : 0, 0);
  }
  searched_close(&s);
  p.cluster = 16, p.small = 8;
  graphs_spread(&p, stream);
}
static void group_graphs(void) {
  // The replacement with fewer levels for sanitizers; racecheck takes seconds for a level.
  static const struct {
    const char *whole, *fewer, *fewest;
  } known[] = {{"chain n=300", "chain n=40", "chain n=12"}, {"ring n=257", "ring n=41", "ring n=13"},
      {"torus rows=17 columns=23", "torus rows=9 columns=11", "torus rows=4 columns=5"},
      {"hypercube scale=9", "hypercube scale=9", "hypercube scale=5"}, {"tree n=1000", "tree n=1000", "tree n=100"},
      {"complete n=60", "complete n=60", "complete n=60"},
      {"pieces n=500 columns=7", "pieces n=500 columns=7", "pieces n=500 columns=7"},
      {"chain n=2", "chain n=2", "chain n=2"},
      // frontiers of more than a block
      {"star n=20000", "star n=20000", "star n=20000"},
      {"hypercube scale=13", "hypercube scale=13", "hypercube scale=13"},
      {"tree n=30000", "tree n=30000", "tree n=30000"}};
  static const gp_type types[][2] = {{GP_U32, GP_U32}, {GP_U64, GP_U32}, {GP_U32, GP_U64}, {GP_U64, GP_U64}};
  void *stream = new_stream();
  unsigned cases = 0;
  size_t i, k;
  int way;
  for (i = 0; i < COUNT(known) && !out_of_time(); i++) {
    if ((quick || sanitizer) && i >= 8) break;
    for (k = 0; k < COUNT(types); k++)
      for (way = 0; way < GRAPHS_WAYS; way++) {
        if ((quick || sanitizer || i >= 8) && k != i % COUNT(types)) continue;
        if (cases++ % parts != part) continue;
        graphs_case(few_levels ? known[i].fewest
                : sanitizer ? known[i].fewer
                : known[i].whole,
            types[k][0], types[k][1], way, stream);
      }
  }
  if (on_gpu && cases % parts == part) graphs_cluster(stream);
  if (part == 0) graphs_replayed(stream);
  free_stream(stream);
}

#endif
