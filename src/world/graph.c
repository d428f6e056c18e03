// world/graph.c - worlds: breadth-first search, connected components
// uses: api/config.h, api/lists.h, api/graph_types.h, api/input.h, api/call.h, core/words.h, core/rules.h,
//   core/shape.h, core/system.c, core/messages.c, core/request.c, host/values.c, bfs/kinds.c, core/checking.c,
//   core/check.c, core/run.c, map/calls.c, scan/calls.c, graph/calls.c, transpose/calls.c, world/nccl.c, world/world.c

// Steps for every vertex, edge or message: one text for the host, where one thread runs them, and for the device.
#define GP__WALK_STEPS \
  enum { GP__LEVEL, GP__FRONTIER, GP__LIST, GP__DEGREES, GP__PUSH, GP__VISIT, GP__PULL }; \
  typedef struct gp__walk { \
    gp__u64 *begins, *sum, *counts; /* of the ranks; of a step; of messages to each rank */ \
    unsigned *told, *bits; /* bits of all vertices: they have had a message from this rank; the frontier */ \
    gp__u64 *out, *came; /* messages: target << 32 | parent */ \
    gp__u64 *offsets; /* of this rank's rows */ \
    gp__u64 *starts; /* sums of the list's degrees, each plus 1 */ \
    unsigned *list; /* of this rank's vertices in the frontier */ \
    const unsigned *targets; \
    unsigned *depths, *parents; \
    gp__u64 first, ranks, depth, listed; \
  } gp__walk; \
  /* The last of n ascending numbers that is at most x; the first one is. */ \
  GP__STEP gp__u64 gp__walk_place(const gp__u64 *from, gp__u64 n, gp__u64 x) { \
    gp__u64 low = 0; \
    while (n - low > 1) { \
      const gp__u64 middle = low + (n - low) / 2; \
      if (from[middle] <= x) low = middle; \
      else n = middle; \
    } \
    return low; \
  } \
  GP__STEP gp__u64 gp__walk_step(gp__walk *g, gp__u64 i) { \
    gp__u64 v = i & (~0ull >> 8); \
    gp__u64 e; \
    unsigned a; \
    unsigned b; \
    switch (i >> 56) { \
    case GP__LEVEL: ++g->depth; return g->listed = g->starts[0] = 0; \
    case GP__FRONTIER: \
      if (g->depths[v] != (unsigned)g->depth - 1) return 0; \
      e = g->first + v; \
      __sync_fetch_and_or(g->bits + e / 32, 1u << e % 32); \
      break; \
    case GP__LIST: \
      if (g->depths[v] == (unsigned)g->depth - 1) g->list[__sync_fetch_and_add(&g->listed, 1ull)] = (unsigned)v; \
      return 0; \
    case GP__DEGREES: v = g->list[v]; break; \
    case GP__PUSH: /* an edge, or the end of a row: the first message to its target goes to the owner */ \
      e = gp__walk_place(g->starts, g->listed, v); \
      b = g->list[e]; \
      e = g->offsets[b] + v - g->starts[e]; \
      if (e == g->offsets[b + 1]) return 0; \
      a = g->targets[e]; \
      if ((g->told[a / 32] | __sync_fetch_and_or(g->told + a / 32, 1u << a % 32)) >> a % 32 & 1) return 0; \
      v = gp__walk_place(g->begins, g->ranks, a); \
      g->out[g->begins[v] + __sync_fetch_and_add(g->counts + v, 1ull)] = (gp__u64)a << 32 | (g->first + b); \
      return 0; \
    case GP__VISIT: \
      e = g->came[v]; \
      v = (e >> 32) - g->first; \
      if (__sync_val_compare_and_swap(g->depths + v, ~0u, (unsigned)g->depth) == ~0u && g->parents) \
        g->parents[v] = (unsigned)e; \
      return 0; \
    default: /* pull */ \
      if (g->depths[v] != ~0u) return 0; \
      for (e = g->offsets[v]; e < g->offsets[v + 1]; ++e) { \
        a = g->targets[e]; \
        if (!(g->bits[a / 32] >> a % 32 & 1)) continue; \
        g->depths[v] = (unsigned)g->depth; \
        if (g->parents) g->parents[v] = a; \
        break; \
      } \
      return 0; \
    } \
    return g->offsets[v + 1] - g->offsets[v] + 1; \
  }
#define GP__TEXT(...) #__VA_ARGS__
#define GP__TEXT_OF(...) GP__TEXT(__VA_ARGS__)
static const char gp__walk_text[] =
    "#define GP__STEP __device__\n#define __sync_fetch_and_or atomicOr\n#define __sync_val_compare_and_swap atomicCAS\n"
    // one atomic a warp and address
    "#define __sync_fetch_and_add gp__walk_add\nGP__STEP gp__u64 gp__walk_add(gp__u64 *p, gp__u64 x) {"
    "unsigned m = __match_any_sync(__activemask(), (gp__u64)p), r = m & ~(~0u << threadIdx.x % 32);"
    "if (!r) x = atomicAdd(p, (gp__u64)__popc(m));"
    "return __shfl_sync(m, x, __ffs(m) - 1) + __popc(r);}\n" GP__TEXT_OF(GP__WALK_STEPS);
#define GP__STEP GP__HOST
GP__WALK_STEPS
#undef GP__STEP
#undef GP__TEXT_OF
#undef GP__TEXT
#undef GP__WALK_STEPS

GP__HOST void gp__walk_on_host(void *user, void *result, const void *a, const void *b) {
  (void)user;
  *(gp__u64 *)result = gp__walk_step((gp__walk *)(uintptr_t) * (const gp__u64 *)b, *(const gp__u64 *)a);
}

typedef struct gp__walking {
  gp_world *w;
  gp_graph rows;
  gp__walk g, *device;
  uint64_t vertices; // of all ranks
} gp__walking;

GP__HOST gp_result gp__walk_run(gp__walking *p, int step, uint64_t count) {
  const uint64_t g = (uint64_t)(uintptr_t)p->device, first = (uint64_t)step << 56;
  const gp_input i = gp_input_ramp(GP_U64, &first, NULL), walk = gp_input_constant(GP_U64, &g);
  gp_call c = gp__call(GP_REDUCE, GP_SUM, GP_INPUT, GP_U64, NULL, p->g.sum, count);
  gp_input sums;
  GP__CHECK(gp__world_op(p->w, &p->w->walk, 2, "a step in a graph", "return gp__walk_step((gp__walk *)b, a);",
      gp__walk_text, gp__walk_on_host, 0));
  sums = gp_input_of_two(p->w->walk, GP_U64, &i, &walk);
  c.in = &sums;
  if (step == GP__DEGREES) {
    c.primitive = GP_INCLUSIVE_SCAN;
    c.count_device = (uint64_t *)(void *)&p->device->listed;
    c.out = p->g.starts + 1;
  }
  return gp__world_do(p->w, &c);
}
GP__HOST gp_result gp__walk_fill(gp_world *w, void *to, uint32_t value, uint64_t count) {
  return count && to ? gp_fill(w->ctx, GP_U32, &value, to, count, w->stream) : GP_SUCCESS;
}
// Copies numbers of all ranks, which follow this one's, to the staging memory.
GP__HOST gp_result gp__walk_share(gp_world *w, gp__u64 *numbers, size_t count) {
  GP__CHECK(gp__world_gather(w, numbers, numbers + count, 8 * count));
  return gp__world_read(w, numbers + count, 8 * count * w->ranks);
}
// Copies the offsets as u64.
GP__HOST gp_result gp__walk_offsets(gp_world *w, const gp_graph *g, void *to) {
  return !g->vertices
      ? GP_SUCCESS
      : gp_transform(w->ctx, GP_CONVERT, g->offset_type, GP_U64, g->offsets, g->vertices + 1, to, w->stream);
}

// Top-down. edges: of the frontier at this rank, and its vertices.
GP__HOST gp_result gp__walk_down(gp__walking *p, uint64_t edges) {
  const gp__walk *g = &p->g;
  gp_world *w = p->w;
  const size_t ranks = w->ranks, rank = (size_t)w->rank;
  const uint64_t *counts = (const uint64_t *)w->staging;
  uint64_t came = 0;
  size_t q;
  GP__CHECK(gp__walk_run(p, GP__LIST, p->rows.vertices));
  GP__CHECK(gp__walk_run(p, GP__DEGREES, p->rows.vertices));
  GP__CHECK(gp__walk_fill(w, g->counts, 0, 2 * ranks));
  GP__CHECK(gp__walk_run(p, GP__PUSH, edges));
  GP__CHECK(gp__walk_share(w, g->counts, ranks));
  for (q = 0; q < ranks; ++q) {
    w->leave_end[q] = w->leave[q] + counts[rank * ranks + q];
    w->arrive[q] = came;
    w->arrive_end[q] = came += counts[q * ranks + rank];
  }
  GP__CHECK(gp__world_send(w, g->out, g->came, 8));
  return gp__walk_run(p, GP__VISIT, came);
}
// came: messages to this rank in a level, at most; rest: edges and vertices that have not been in a frontier.
// Directions: Beamer, Asanovic and Patterson, Direction-optimizing Breadth-first Search.
GP__HOST gp_result gp__world_bfs(gp__walking *p, uint64_t source, uint64_t came, uint64_t rest) {
  gp__walk *g = &p->g;
  gp_world *w = p->w;
  const uint64_t n = p->vertices, own = p->rows.vertices, ranks = g->ranks, words = (n / 64 + 32) & ~31ull, *sums;
  const size_t numbers = (size_t)(sizeof *g / 8 + 2 * words + n + came + 3 * own + 4 + ranks * (ranks + 3));
  gp__u64 *at;
  int up = 0, q;
  GP__CHECK(gp__world_room(w, 8 * numbers));
  GP__CHECK(gp__world_staging(w, sizeof *g + 8 * (size_t)(ranks * ranks)));
  at = (gp__u64 *)w->memory;
  g->told = (unsigned *)at;
  g->bits = (unsigned *)(at += words);
  g->out = at += words;
  g->came = at += n;
  g->offsets = at += came + 1;
  g->starts = at += own + 1;
  g->list = (unsigned *)(at += own + 1);
  g->counts = at += own;
  g->sum = at += ranks * (ranks + 1);
  g->begins = at += ranks + 1;
  p->device = (gp__walk *)(at + ranks);
  at = (gp__u64 *)w->staging;
  memcpy(at, w->leave, 8 * (size_t)ranks);
  memcpy(at + ranks, g, sizeof *g);
  GP__CHECK(gp__world_copy(w, g->begins, at, 8 * (size_t)ranks + sizeof *g));
  GP__CHECK(gp__world_settle(w));
  GP__CHECK(gp__walk_offsets(w, &p->rows, g->offsets));
  GP__CHECK(gp__walk_fill(w, g->told, 0, 2 * words));
  GP__CHECK(gp__walk_fill(w, g->depths, UINT32_MAX, own));
  GP__CHECK(gp__walk_fill(w, g->parents, UINT32_MAX, own));
  GP__CHECK(gp__world_write_count(w, (uint64_t *)(void *)g->came, source << 32 | source));
  GP__CHECK(gp__walk_run(p, GP__VISIT, source - g->first < own));
  sums = (const uint64_t *)w->staging;
  for (;;) {
    uint64_t edges = 0;
    GP__CHECK(gp__walk_run(p, GP__LEVEL, 1));
    GP__CHECK(gp__walk_fill(w, g->bits, 0, 2 * words));
    GP__CHECK(gp__walk_run(p, GP__FRONTIER, own));
    GP__CHECK(gp__walk_share(w, g->sum, 1));
    GP__EACH_RANK(q) edges += sums[q];
    if (!edges) return GP_SUCCESS;
    up = p->rows.flags && edges > n / 24 && (up || edges > rest / 14);
    rest -= edges;
    if (up) {
      GP__CHECK(gp__world_sum(w, GP__NCCL_U64, g->bits, g->bits, words));
      GP__CHECK(gp__walk_run(p, GP__PULL, own));
    } else {
      GP__CHECK(gp__walk_down(p, sums[w->rank]));
    }
  }
}

// Each rank finds the components of its own edges. Then it joins its labels with those of the ranks 1, 2, 4, ... before
// it, each of which stands for as many ranks by then: a graph that has two edges a vertex, to both labels.
GP__HOST gp_result gp__world_components(gp__walking *p, void *labels, uint64_t *components) {
  gp_world *w = p->w;
  const uint64_t n = p->vertices, first = w->leave[w->rank], two = 2;
  const size_t offsets = gp__aligned((size_t)n * 8 + 8);
  uint64_t *starts;
  uint32_t *both, *own;
  gp_graph g = p->rows;
  int step;
  GP__CHECK(gp__world_room(w, offsets + (size_t)n * 16 + 8));
  starts = (uint64_t *)w->memory;
  own = (uint32_t *)(void *)((gp__u8 *)w->memory + offsets);
  both = own + 2 * n;
  GP__CHECK(gp__walk_fill(w, starts, 0, 2 * n + 2));
  GP__CHECK(gp__walk_offsets(w, &g, starts + first));
  GP__CHECK(gp_inclusive_scan(w->ctx, GP_MAX, GP_U64, GP_U64, starts, n + 1, starts, w->stream));
  g.vertices = n;
  g.offsets = starts;
  g.offset_type = GP_U64;
  g.in_offsets = g.in_sources = NULL;
  g.flags = 0;
  GP__CHECK(gp_connected_components(w->ctx, &g, own, components, w->stream));
  GP__CHECK(gp_iota(w->ctx, GP_U64, NULL, &two, starts, n + 1, w->stream));
  g.edges = 2 * n;
  g.targets = both;
  memset(w->leave, 0, 32 * (w->ranks + 1)); // all four
  for (step = 1; step < w->size; step *= 2) {
    const int to = (w->rank + step) % w->size, from = (w->rank + w->size - step) % w->size;
    w->leave_end[to] = w->arrive_end[from] = n;
    GP__CHECK(gp__world_send(w, own, own + n, 4));
    w->leave_end[to] = w->arrive_end[from] = 0;
    GP__CHECK(gp_transpose(w->ctx, GP_U32, own, 0, 2, n, both, 0, w->stream));
    GP__CHECK(gp_connected_components(w->ctx, &g, own, components, w->stream));
  }
  return gp__world_copy(w, labels, own + first, (size_t)p->rows.vertices * 4);
}

GP__HOST gp_result gp__world_walk(gp_world *w, gp_call c) {
  const int bfs = c.primitive == GP_BFS;
  gp_call local = c, whole;
  gp__checking k;
  gp__request checked;
  gp__walking p;
  gp_result result;
  uint64_t came = 0, edges = 0;
  int q;
  memset(&p, 0, sizeof p);
  p.w = w;
  local.source = 0; // the rank's own arguments first
  if (c.flags || c.limit || c.target || c.statistics || c.fault || c.source_device)
    result = gp__fail(GP_E_UNSUPPORTED,
        "%s: a world takes no @flags, @limit, @target, @statistics, @fault and @source_device", w->who);
  else if (c.graph && c.graph->vertices)
    result = gp__check_reached(&k, &whole, w->s, "gp_world_run", &local, w->stream, &checked);
  else result = gp__check_call(w->s, "gp_world_run", &local, !w->s->context, 0, &checked);
  if (result == GP_SUCCESS) {
    p.rows = checked.graph; // with the types that zero stands for
    if (p.rows.vertex_type != GP_U32)
      result = gp__fail(GP_E_UNSUPPORTED, "%s: @graph->vertex_type: the vertices of a world are u32", w->who);
  }
  c.k = c.source; // ranks compare it
  c.bins = (uint64_t)p.rows.flags;
  GP__CHECK(gp__world_agree(w, &c, p.rows.vertices, p.rows.edges, result));
  GP__CHECK(gp__world_total(w, 0, &p.vertices));
  if (p.vertices >= UINT32_MAX)
    return gp__fail(GP_E_SIZE, "%s: @graph->vertices: the ranks have 2^32 - 1 or more", w->who);
  if (bfs && c.source >= p.vertices)
    return gp__fail(
        GP_E_ARGUMENT, "%s: @source is not below the number of the ranks' vertices, %llu", w->who, (gp__u64)p.vertices);
  for (q = 0, w->leave[0] = 0; q < w->size; ++q) {
    const gp__world_note *note = &w->notes[q];
    w->leave[q + 1] = w->leave[q] + note->count;
    edges += note->capacity;
    came += gp__smaller(note->capacity, p.rows.vertices);
  }
  p.g.targets = (const unsigned *)p.rows.targets;
  p.g.first = w->leave[w->rank];
  p.g.ranks = w->ranks;
  p.g.depths = (unsigned *)c.out;
  p.g.parents = (unsigned *)c.out2;
  return gp__break_if(
      w, bfs ? gp__world_bfs(&p, c.source, came, edges + p.vertices) : gp__world_components(&p, c.out, c.out_count));
}
