// graph/host.c - graphs
// uses: api/config.h, api/lists.h, api/structs.h, api/graph_types.h, core/words.h, core/rules.h, core/request.c,
//   host/types.c, host/user.c, host/values.c, host/indices.c, graph/kinds.c, core/primitive.c, host/run.c

// The first edge of a vertex; the end of an edge.
GP__INLINE uint64_t gp__host_list(const gp__request *q, uint64_t v) {
  return gp__host_offset(q->graph.offsets, q->offset_size, v);
}
GP__INLINE uint64_t gp__host_target(const gp__request *q, uint64_t e) {
  return gp__host_offset(q->graph.targets, q->key_size, e);
}
// Turns sorted keys, a source above its target, into lists; leaves out keys whose source is no vertex.
static void gp__host_from_keys(
    const uint64_t *keys, uint64_t count, int shift, const gp__request *q, void *offsets, void *targets) {
  const uint64_t n = q->out_graph.vertices, mask = ((uint64_t)1 << shift) - 1;
  uint64_t v = 0, i;
  for (i = 0; i < count && keys[i] >> shift < n; ++i) {
    for (; v <= keys[i] >> shift; ++v) gp__host_put_index(offsets, q->offset_size, v, i);
    gp__host_put_index(targets, q->key_size, i, keys[i] & mask);
  }
  for (; v <= n; ++v) gp__host_put_index(offsets, q->offset_size, v, i);
}
GP__HOST int gp__bit_length(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }
// Writes the keys of a list, and of the opposite edges; returns their number.
static uint64_t gp__host_list_keys(const gp__request *q, int shift, uint64_t *keys) {
  const uint64_t n = q->out_graph.vertices;
  const size_t apart = q->in2 ? 1 : 2;
  const gp__u8 *targets = q->in2 ? (const gp__u8 *)q->in2 : q->in ? (const gp__u8 *)q->in + q->in_size : NULL;
  uint64_t i, kept = 0;
  if (q->bad) *q->bad = UINT64_MAX;
  for (i = 0; i < q->count; ++i) {
    const uint64_t s = gp__host_offset(q->in, q->in_size, i * apart),
                   t = gp__host_offset(targets, q->in_size, i * apart);
    if (s >= n || t >= n) {
      if (q->bad && *q->bad == UINT64_MAX) *q->bad = i;
      continue;
    }
    if (s == t && (q->flags & GP_DROP_LOOPS)) continue;
    keys[kept++] = s << shift | t;
    if ((q->flags & GP_SYMMETRISE) && s != t) keys[kept++] = t << shift | s;
  }
  return kept;
}
// order: vertices by degree, most edges first. numbers: each vertex's position in it.
static void gp__host_by_degree(const gp__request *q, uint64_t *order, uint64_t *numbers) {
  const gp_graph *g = &q->graph;
  uint64_t v;
  for (v = 0; v < g->vertices; ++v) order[v] = ~(gp__host_list(q, v + 1) - gp__host_list(q, v));
  memset(numbers, 0, g->vertices * 8);
  gp__host_sort_by(GP_U64, 64, g->vertices, order, NULL, 8, order, numbers, 1);
  memcpy(order, numbers, g->vertices * 8);
  for (v = 0; v < g->vertices; ++v) numbers[order[v]] = v;
}
static gp_result gp__host_build(const gp__request *q, int threads) {
  const gp_graph *g = &q->graph, *to = &q->out_graph;
  const int list = q->primitive == GP_GRAPH_FROM_EDGES, relabel = q->primitive == GP_GRAPH_RELABEL;
  const int shift = gp__bit_length(to->vertices ? to->vertices - 1 : 0);
  const uint64_t room = list ? q->count * (q->flags & GP_SYMMETRISE ? 2 : 1) : g->edges;
  const uint64_t words = room + (relabel ? 2 * g->vertices : 0);
  uint64_t *keys = words < SIZE_MAX / 8 ? (uint64_t *)malloc((size_t)(words + 1) * 8) : NULL;
  uint64_t *order = keys + room, *numbers = order + (relabel ? g->vertices : 0), count, i, v, kept;
  gp_result result;
  if (!keys) return gp__host_no_memory(q, words * 8);
  if (relabel) {
    gp__host_by_degree(q, order, numbers);
    for (v = 0; v < g->vertices && q->out; ++v) gp__host_put_index(q->out, q->key_size, v, order[v]);
    for (v = 0; v < g->vertices && q->out2; ++v) gp__host_put_index(q->out2, q->key_size, v, numbers[v]);
  }
  if (list) {
    count = gp__host_list_keys(q, shift, keys);
  } else {
    const uint64_t edges = gp__host_list(q, g->vertices);
    for (v = i = count = 0; i < edges && i < room; ++i) {
      const uint64_t t = gp__host_target(q, i);
      while (gp__host_list(q, v + 1) <= i) ++v;
      if (t < g->vertices) keys[count++] = relabel ? numbers[v] << shift | numbers[t] : t << shift | v;
    }
  }
  result = gp__host_sort_by(GP_U64, 2 * shift, count, keys, NULL, 0, keys, NULL, threads);
  if (q->flags & GP_UNIQUE_EDGES) {
    for (i = kept = 0; i < count; ++i)
      if (!i || keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
    count = kept;
  }
  if (result == GP_SUCCESS)
    gp__host_from_keys(keys, count, shift, q, (void *)(uintptr_t)(list || relabel ? to->offsets : to->in_offsets),
        (void *)(uintptr_t)(list || relabel ? to->targets : to->in_sources));
  free(keys);
  return result;
}
static void gp__host_degrees(const gp__request *q) {
  const gp_graph *g = &q->graph;
  gp_degrees d;
  uint64_t v;
  memset(&d, 0, sizeof d);
  d.vertices = g->vertices;
  d.least = g->vertices ? UINT64_MAX : 0;
  for (v = 0; v < g->vertices; ++v) {
    const uint64_t degree = gp__host_list(q, v + 1) - gp__host_list(q, v);
    d.edges += degree;
    if (degree < d.least) d.least = degree;
    if (degree > d.most) d.most = degree;
    ++d.histogram[gp__bit_length(degree)];
  }
  memcpy(q->out, &d, sizeof d);
}
static gp_fault gp__host_fault(int kind, uint64_t vertex, uint64_t edge) {
  gp_fault f;
  f.kind = (uint64_t)kind, f.vertex = vertex, f.edge = edge;
  return f;
}
// Keeps the fault of the lower kind.
static void gp__host_add_fault(gp_fault *f, int kind, uint64_t vertex, uint64_t edge) {
  if (!f->kind || (uint64_t)kind < f->kind) *f = gp__host_fault(kind, vertex, edge);
}
static void gp__host_check_lists(const gp__request *q, int incoming, gp_fault *f) {
  const gp_graph *g = &q->graph;
  const void *offsets = incoming ? g->in_offsets : g->offsets, *targets = incoming ? g->in_sources : g->targets;
  const uint64_t none = UINT64_MAX, last = gp__host_offset(offsets, q->offset_size, g->vertices);
  uint64_t v, e;
  if (gp__host_offset(offsets, q->offset_size, 0))
    gp__host_add_fault(f, incoming ? GP_FAULT_FIRST_IN_OFFSET : GP_FAULT_FIRST_OFFSET, 0, none);
  for (v = 0; v < g->vertices; ++v) {
    const uint64_t end = gp__host_offset(offsets, q->offset_size, v + 1);
    if (end < gp__host_offset(offsets, q->offset_size, v) || end > g->edges)
      gp__host_add_fault(f, incoming ? GP_FAULT_IN_OFFSETS : GP_FAULT_OFFSETS, v, none);
  }
  if (f->kind) return;
  for (v = e = 0; e < last; ++e) {
    while (gp__host_offset(offsets, q->offset_size, v + 1) <= e) ++v;
    if (gp__host_offset(targets, q->key_size, e) >= g->vertices)
      gp__host_add_fault(f, incoming ? GP_FAULT_IN_SOURCE : GP_FAULT_TARGET, v, e);
  }
  if (incoming && last != gp__host_list(q, g->vertices)) gp__host_add_fault(f, GP_FAULT_IN_EDGES, none, none);
}
// Checks one vertex for gp_bfs_check. seen: 1, from a vertex one less deep; 2, from its parent.
static void gp__host_check_depth(const gp__request *q, uint64_t v, int seen, gp_fault *f) {
  const int32_t *depths = (const int32_t *)q->in;
  const uint64_t none = UINT64_MAX, unset = q->key_size == 4 ? (uint64_t)UINT32_MAX : none;
  const uint64_t parent = q->in2 ? gp__host_offset(q->in2, q->key_size, v) : unset;
  const int64_t d = depths[v];
  if (d < -1 || (q->limit && d > 0 && (uint64_t)d > q->limit)) gp__host_add_fault(f, GP_FAULT_DEPTH, v, none);
  if (v == q->source) {
    if (d != 0) gp__host_add_fault(f, GP_FAULT_SOURCE_DEPTH, v, none);
    if (q->in2 && parent != v) gp__host_add_fault(f, GP_FAULT_SOURCE_PARENT, v, none);
  } else if (d == 0) {
    gp__host_add_fault(f, GP_FAULT_SECOND_SOURCE, v, none);
  } else if (d > 0) {
    if (!(seen & 1)) gp__host_add_fault(f, GP_FAULT_NO_WITNESS, v, none);
    if (q->in2 && (parent >= q->graph.vertices || depths[parent] != d - 1))
      gp__host_add_fault(f, GP_FAULT_PARENT, v, none);
    else if (q->in2 && !(seen & 2)) gp__host_add_fault(f, GP_FAULT_PARENT_EDGE, v, none);
  } else if (parent != unset) {
    gp__host_add_fault(f, GP_FAULT_STRAY_PARENT, v, none);
  }
}
static gp_result gp__host_check_depths(const gp__request *q, gp_fault *f) {
  const gp_graph *g = &q->graph;
  const int32_t *depths = (const int32_t *)q->in;
  gp__u8 *seen = (gp__u8 *)calloc((size_t)g->vertices + 1, 1);
  uint64_t v, e;
  if (!seen) return gp__host_no_memory(q, g->vertices);
  for (v = 0; v < g->vertices; ++v) {
    const uint64_t end = gp__host_list(q, v + 1);
    const int64_t from = depths[v];
    if (from < 0) continue;
    for (e = gp__host_list(q, v); e < end; ++e) {
      const uint64_t t = gp__host_target(q, e);
      const int64_t to = depths[t];
      if (to < 0) {
        if (!q->limit || (uint64_t)from < q->limit) gp__host_add_fault(f, GP_FAULT_NOT_REACHED, v, e);
      } else if (to > from + 1) {
        gp__host_add_fault(f, GP_FAULT_TOO_DEEP, v, e);
      } else if (to == from + 1) {
        seen[t] |= q->in2 && gp__host_offset(q->in2, q->key_size, t) == v ? 3 : 1;
      }
    }
  }
  for (v = 0; v < g->vertices; ++v) gp__host_check_depth(q, v, seen[v], f);
  free(seen);
  return GP_SUCCESS;
}
static uint64_t gp__host_root(void *labels, size_t size, uint64_t v) {
  uint64_t up;
  for (; (up = gp__host_offset(labels, size, v)) != v; v = up)
    gp__host_put_index(labels, size, v, gp__host_offset(labels, size, up));
  return v;
}
static void gp__host_components(const gp__request *q) {
  const gp_graph *g = &q->graph;
  uint64_t v, e, components = 0;
  for (v = 0; v < g->vertices; ++v) gp__host_put_index(q->out, q->key_size, v, v);
  for (v = 0; v < g->vertices; ++v) {
    const uint64_t end = gp__host_list(q, v + 1);
    for (e = gp__host_list(q, v); e < end; ++e) {
      const uint64_t a = gp__host_root(q->out, q->key_size, v);
      const uint64_t b = gp__host_root(q->out, q->key_size, gp__host_target(q, e));
      gp__host_put_index(q->out, q->key_size, a < b ? b : a, a < b ? a : b);
    }
  }
  for (v = 0; v < g->vertices; ++v) {
    const uint64_t root = gp__host_root(q->out, q->key_size, v);
    components += root == v;
    gp__host_put_index(q->out, q->key_size, v, root);
  }
  if (q->out_count) *q->out_count = components;
}
static gp_result gp__host_graph_work(gp__host_call *h) {
  const gp__request *q = h->q;
  const int threads = h->asked;
  gp_fault f = gp__host_fault(GP_FAULT_NONE, UINT64_MAX, UINT64_MAX);
  gp_result result = GP_SUCCESS;
  if (q->primitive <= GP_GRAPH_RELABEL) return gp__host_build(q, threads);
  if (q->primitive == GP_CONNECTED_COMPONENTS) {
    gp__host_components(q);
    return GP_SUCCESS;
  }
  if (q->primitive == GP_GRAPH_DEGREES) {
    gp__host_degrees(q);
    return GP_SUCCESS;
  }
  if (q->primitive == GP_BFS_CHECK) {
    result = gp__host_check_depths(q, &f);
  } else {
    gp__host_check_lists(q, 0, &f);
    if (q->graph.in_offsets) gp__host_check_lists(q, 1, &f);
  }
  if (result == GP_SUCCESS) memcpy(q->out, &f, sizeof f);
  return result;
}
