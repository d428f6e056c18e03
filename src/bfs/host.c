// bfs/host.c - breadth-first search: a queue
// uses: api/config.h, api/lists.h, api/graph_types.h, core/words.h, core/request.c, host/config.c, host/user.c,
//   host/indices.c, graph/host.c

// Searches from one source; `queue` has room for all vertices. parents: NULL if not wanted.
static void gp__host_bfs_from(
    const gp__request *q, uint64_t source, int32_t *depths, void *parents, uint64_t *queue, gp_traversal *t) {
  const gp_graph *g = &q->graph;
  const size_t of_offset = q->offset_size, of_vertex = q->key_size;
  uint64_t first = 0, last = 0, level_end, i, e;
  int done = 0;
  memset(t, 0, sizeof *t);
  for (i = 0; i < g->vertices; ++i) {
    depths[i] = -1;
    if (parents) gp__host_put_index(parents, of_vertex, i, UINT64_MAX);
  }
  if (source < g->vertices) {
    depths[source] = 0;
    if (parents) gp__host_put_index(parents, of_vertex, source, source);
    queue[last++] = source;
    t->edges = gp__host_list(q, source + 1) - gp__host_list(q, source);
    done = source == q->target;
  }
  while (first < last && !done && !(q->limit && t->levels == q->limit)) {
    for (level_end = last; first < level_end; ++first) {
      const uint64_t u = queue[first], end = gp__host_list(q, u + 1);
      for (e = gp__host_list(q, u); e < end; ++e) {
        const uint64_t v = gp__host_target(q, e);
        ++t->inspected;
        if (depths[v] > depths[u] && parents && u < gp__host_offset(parents, of_vertex, v))
          gp__host_put_index(parents, of_vertex, v, u); // the smallest parent
        if (depths[v] >= 0) continue;
        depths[v] = depths[u] + 1;
        if (parents) gp__host_put_index(parents, of_vertex, v, u);
        queue[last++] = v;
        t->edges += gp__host_list(q, v + 1) - gp__host_list(q, v);
        done |= v == q->target;
      }
    }
    if (last > level_end) ++t->levels;
  }
  t->reached = last;
  t->small = t->levels;
  t->bytes = g->vertices * (4 + (parents ? of_vertex : 0)) + t->reached * 2 * of_offset + t->inspected * of_vertex;
}
// GP_CHECKED: true if the graph has a fault.
static int gp__host_finds_fault(const gp__request *q) {
  gp_fault f = gp__host_fault(GP_FAULT_NONE, UINT64_MAX, UINT64_MAX);
  if (!q->fault) return 0;
  gp__host_check_lists(q, 0, &f);
  if (q->graph.in_offsets) gp__host_check_lists(q, 1, &f);
  *q->fault = f;
  return f.kind != GP_FAULT_NONE;
}
static gp_result gp__host_bfs(const gp__request *q) {
  const uint64_t n = q->graph.vertices;
  uint64_t *queue;
  gp_traversal t;
  if (gp__host_finds_fault(q)) return GP_SUCCESS;
  queue = n < SIZE_MAX / sizeof *queue ? (uint64_t *)malloc((size_t)(n + 1) * sizeof *queue) : NULL;
  if (!queue) return gp__host_no_memory(q, n * sizeof *queue);
  gp__host_bfs_from(q, q->source_device ? *q->source_device : q->source, (int32_t *)q->out, q->out2, queue, &t);
  free(queue);
  if (q->statistics) *q->statistics = t;
  return GP_SUCCESS;
}
// Searches from many sources, one a thread at a time. Each thread has a queue and, if rows are not wanted, depths of
// its own.
static gp_result gp__host_bfs_sources(const gp__request *q, int threads) {
  const uint64_t n = q->graph.vertices, *sources = q->sources ? q->sources : q->source_device;
  const uint64_t item = q->out ? sizeof(uint64_t) : sizeof(uint64_t) + sizeof(int32_t);
  gp__u8 *memory;
  gp_traversal all;
  int64_t shares, share;
#ifdef _OPENMP
  if (threads <= 0) threads = omp_get_max_threads();
#else
  threads = 1;
#endif
  shares = q->segments < (uint64_t)threads ? (int64_t)q->segments : (int64_t)threads;
  memset(&all, 0, sizeof all);
  if (gp__host_finds_fault(q)) return GP_SUCCESS;
  memory = n >= SIZE_MAX / item / (unsigned)(shares + 1) ? NULL : (gp__u8 *)malloc((size_t)(shares * (n + 1) * item));
  if (!memory) return gp__host_no_memory(q, (uint64_t)shares * (n + 1) * item);
  GP__PARALLEL_FOR
  for (share = 0; share < shares; ++share) {
    uint64_t *queue = (uint64_t *)(void *)(memory + (uint64_t)share * (n + 1) * item), i;
    for (i = (uint64_t)share; i < q->segments; i += (uint64_t)shares) {
      gp_traversal t;
      gp__host_bfs_from(
          q, sources[i], q->out ? (int32_t *)q->out + i * n : (int32_t *)(void *)(queue + n + 1), NULL, queue, &t);
      if (q->out2) ((uint64_t *)q->out2)[i] = t.reached;
      GP__ONE_AT_A_TIME {
        all.reached += t.reached;
        all.edges += t.edges;
        all.inspected += t.inspected;
        all.small += t.small;
        all.bytes += t.bytes;
        if (all.levels < t.levels) all.levels = t.levels;
      }
    }
  }
  free(memory);
  if (q->statistics) *q->statistics = all;
  return GP_SUCCESS;
}
