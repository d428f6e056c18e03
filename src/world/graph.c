// world/graph.c - worlds: breadth-first search, connected components
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h, api/input.h, api/call.h, api/init.h,
//   core/words.h, core/rules.h, core/system.c, core/messages.c, core/request.c, host/values.c, bfs/kinds.c,
//   core/state.c, core/types.c, core/checking.c, core/check.c, core/run.c, map/calls.c, graph/calls.c, world/nccl.c,
//   world/world.c, world/sort.c

// A step for every vertex, edge or message: one text for the host, where one thread runs it, and for the device.
#define GP__FOR_BOTH(...) \
  __VA_ARGS__ \
  static const char gp__walk_text[] = \
      "#define GP__WALK __device__ inline\n#define __sync_fetch_and_or atomicOr\n#define __sync_fetch_and_add " \
      "atomicAdd\n#define __sync_val_compare_and_swap atomicCAS\n" #__VA_ARGS__;
#define GP__WALK GP__HOST

GP__FOR_BOTH(
    enum {GP__WALK_LEVEL, GP__WALK_FRONTIER, GP__WALK_LIST, GP__WALK_DEGREES, GP__WALK_PUSH, GP__WALK_MARK,
        GP__WALK_PULL, GP__WALK_OFFSETS, GP__WALK_JOIN, GP__WALK_LABELS};
    typedef struct gp__walk {
      const void *offsets, *in_offsets;
      const unsigned *targets, *in_sources;
      gp__u64 *begins;           // first vertices of the ranks
      gp__u64 *sum;              // of a step: vertices, and edges that leave them; then those of all ranks
      unsigned *depths;          // components: labels of all vertices, a forest
      unsigned *parents;         // components: labels of this rank's vertices
      unsigned *told;            // a bit a vertex: this rank has sent its owner a message
      unsigned *bits;            // a bit a vertex: the frontier
      unsigned *list;            // this rank's part of it; components: another rank's labels
      gp__u64 *starts;           // vertices and edges of the list before each of its vertices; components: offsets
      gp__u64 *counts;           // of messages to each rank; then those of all ranks
      gp__u64 *out, *came;       // messages, `room` to each rank: target << 32 | parent
      gp__u64 first, vertices;   // this rank's
      gp__u64 ranks, room, wide; // wide: offsets are u64
      gp__u64 depth, listed;
    } gp__walk;
    GP__WALK gp__u64 gp__walk_offset(const gp__walk *g, const void *offsets, gp__u64 v) {
      return g->wide ? ((const gp__u64 *)offsets)[v] : ((const unsigned *)offsets)[v];
    }
    // The last of n ascending numbers that is at most x; the first one is.
    GP__WALK gp__u64 gp__walk_place(const gp__u64 *from, gp__u64 step, gp__u64 n, gp__u64 x) {
      gp__u64 low = 0;
      while (n - low > 1) {
        const gp__u64 middle = low + (n - low) / 2;
        if (from[middle * step] <= x) low = middle;
        else n = middle;
      }
      return low;
    }
    // The root of a tree; halves the path to it.
    GP__WALK unsigned gp__walk_root(volatile unsigned *up, unsigned v) {
      unsigned at;
      while ((at = up[v]) != v) {
        const unsigned above = up[at];
        if (above != at) up[v] = above;
        v = above;
      }
      return v;
    } GP__WALK void gp__walk_step(gp__walk *g, gp__u64 i, gp__u64 *sum) {
      gp__u64 v = i & (~0ull >> 8);
      gp__u64 e;
      gp__u64 end;
      unsigned a;
      unsigned b;
      switch (i >> 56) {
      case GP__WALK_LEVEL:
        ++g->depth;
        g->listed = g->starts[1] = 0;
        return;
      case GP__WALK_FRONTIER:
        if (g->depths[v] != (unsigned)g->depth - 1) return;
        e = g->first + v;
        __sync_fetch_and_or(g->bits + e / 32, 1u << e % 32);
        break;
      case GP__WALK_LIST:
        if (g->depths[v] == (unsigned)g->depth - 1) g->list[__sync_fetch_and_add(&g->listed, 1ull)] = (unsigned)v;
        return;
      case GP__WALK_DEGREES:
        v = g->list[v];
        break;
      case GP__WALK_PUSH: // an edge: this rank sends the target's owner one message
        e = gp__walk_place(g->starts + 1, 2, g->listed, v);
        end = g->list[e];
        a = g->targets[gp__walk_offset(g, g->offsets, end) + v - g->starts[2 * e + 1]];
        b = 1u << a % 32;
        if (g->told[a / 32] & b || __sync_fetch_and_or(g->told + a / 32, b) & b) return;
        v = gp__walk_place(g->begins, 1, g->ranks, a);
        g->out[v * g->room + __sync_fetch_and_add(g->counts + v, 1ull)] = (gp__u64)a << 32 | (g->first + end);
        return;
      case GP__WALK_MARK: // a message
        e = g->came[v];
        v = (e >> 32) - g->first;
        if (__sync_val_compare_and_swap(g->depths + v, ~0u, (unsigned)g->depth) == ~0u && g->parents)
          g->parents[v] = (unsigned)e;
        return;
      case GP__WALK_PULL: // a vertex looks for a parent
        if (g->depths[v] != ~0u) return;
        end = gp__walk_offset(g, g->in_offsets, v + 1);
        for (e = gp__walk_offset(g, g->in_offsets, v); e < end; ++e) {
          a = g->in_sources[e];
          if (!(g->bits[a / 32] >> a % 32 & 1)) continue;
          g->depths[v] = (unsigned)g->depth;
          if (g->parents) g->parents[v] = a;
          return;
        }
        return;
      case GP__WALK_OFFSETS: // of all vertices: the others have no edges
        e = v < g->first ? 0 : v - g->first < g->vertices ? v - g->first : g->vertices;
        g->starts[v] = g->vertices ? gp__walk_offset(g, g->offsets, e) : 0;
        return;
      case GP__WALK_JOIN: // hooks the larger root of v and its other label to the smaller one
        a = (unsigned)v;
        b = g->list[v];
        do {
          a = gp__walk_root(g->depths, a);
          b = gp__walk_root(g->depths, b);
          e = a > b ? a : b;
        } while (a != b && __sync_val_compare_and_swap(g->depths + e, (unsigned)e, a ^ b ^ (unsigned)e) != e);
        return;
      default: // labels
        a = gp__walk_root(g->depths, (unsigned)(g->first + v));
        sum[0] = a == g->first + v;
        g->parents[v] = a;
        return;
      }
      sum[0] = 1;
      sum[1] = gp__walk_offset(g, g->offsets, v + 1) - gp__walk_offset(g, g->offsets, v);
    })
#undef GP__FOR_BOTH
#undef GP__WALK

GP__HOST void gp__walk_on_host(void *user, void *result, const void *a, const void *b) {
  gp__u64 i, g, sum[2] = {0, 0};
  (void)user;
  memcpy(&i, a, sizeof i);
  memcpy(&g, b, sizeof g);
  gp__walk_step((gp__walk *)(uintptr_t)g, i, sum);
  memcpy(result, sum, sizeof sum);
}

// A rank's part of a call.
typedef struct gp__walking {
  gp_world *w;
  gp__state *s;
  const char *who;
  gp_stream stream;
  gp_graph rows;
  gp__walk g, *device;                                        // the device's has depth and listed
  uint64_t *begins, *leave, *leave_end, *arrive, *arrive_end; // of the ranks: see gp__world_move
  uint64_t vertices, edges;                                   // of all ranks
} gp__walking;

// Runs a step for start .. start + count - 1.
GP__HOST gp_result gp__walk_run(gp__walking *p, int step, uint64_t start, uint64_t count) {
  const uint64_t g = (uint64_t)(uintptr_t)p->device, first = (uint64_t)step << 56 | start;
  const int scan = step == GP__WALK_DEGREES;
  const gp_input i = gp_input_ramp(GP_U64, &first, NULL), rows = gp_input_constant(GP_U64, &g);
  gp_op_desc d = gp_op_desc_init();
  gp_input sums;
  gp_call c;
  if (!count) return GP_SUCCESS;
  if (!p->w->walk) {
    d.name = "a step in a graph";
    d.body = "gp__u64 sum[2] = {0, 0}; gp__walk_step((gp__walk *)b, a, sum); return (gp_u128)sum[1] << 64 | sum[0];";
    d.prelude = gp__walk_text;
    d.arity = 2;
    d.host = gp__walk_on_host;
    GP__CHECK(gp_op_define(p->w->ctx, &d, &p->w->walk));
  }
  sums = gp_input_of_two(p->w->walk, GP_U128, &i, &rows);
  c = gp__call(
      scan ? GP_INCLUSIVE_SCAN : GP_REDUCE, GP_SUM, GP_INPUT, GP_U128, &sums, scan ? p->g.starts + 2 : p->g.sum, count);
  return gp_run(p->w->ctx, &c, p->stream);
}
GP__HOST gp_result gp__walk_fill(gp__walking *p, void *to, uint32_t value, uint64_t count) {
  return count && to ? gp_fill(p->w->ctx, GP_U32, &value, to, count, p->stream) : GP_SUCCESS;
}
GP__HOST gp_result gp__walk_move(gp__walking *p, const void *from, void *to, size_t size) {
  return gp__world_move(
      p->w, p->s, p->who, from, p->leave, p->leave_end, to, p->arrive, p->arrive_end, size, p->stream);
}
// Gathers `count` numbers of each rank, behind its own ones; copies all to the staging memory, and waits.
GP__HOST gp_result gp__walk_share(gp__walking *p, gp__u64 *numbers, size_t count) {
  GP__CHECK(gp__world_gather(p->w, p->who, numbers, numbers + count, 8 * count, p->stream));
  GP__CHECK(
      gp__world_copy(p->w, p->s, p->who, p->w->staging, numbers + count, 8 * count * (size_t)p->w->size, p->stream));
  return gp__world_settle(p->w, p->s, p->who, p->stream);
}

// Top-down, in rounds. This rank has so many of the frontier's vertices and edges; the rank with the most has `most`.
GP__HOST gp_result gp__walk_down(gp__walking *p, uint64_t vertices, uint64_t edges, uint64_t most) {
  const gp__walk *g = &p->g;
  const size_t ranks = (size_t)p->w->size, rank = (size_t)p->w->rank;
  const uint64_t *counts = (const uint64_t *)p->w->staging;
  uint64_t begin;
  size_t q;
  GP__CHECK(gp__walk_run(p, GP__WALK_LIST, 0, g->vertices));
  GP__CHECK(gp__walk_run(p, GP__WALK_DEGREES, 0, vertices));
  for (begin = 0; begin < most; begin += g->room) {
    const uint64_t left = edges < begin ? 0 : edges - begin;
    uint64_t came = 0;
    GP__CHECK(gp__walk_fill(p, g->counts, 0, 2 * ranks));
    GP__CHECK(gp__walk_run(p, GP__WALK_PUSH, begin, left < g->room ? left : g->room));
    GP__CHECK(gp__walk_share(p, g->counts, ranks));
    for (q = 0; q < ranks; ++q) {
      p->leave[q] = g->room * q;
      p->leave_end[q] = p->leave[q] + counts[rank * ranks + q];
      p->arrive[q] = came;
      p->arrive_end[q] = came += counts[q * ranks + rank];
    }
    GP__CHECK(gp__walk_move(p, g->out, g->came, 8));
    GP__CHECK(gp__walk_run(p, GP__WALK_MARK, 0, came));
  }
  return GP_SUCCESS;
}
// Directions: Beamer, Asanovic and Patterson, Direction-optimizing Breadth-first Search.
GP__HOST gp_result gp__world_bfs(gp__walking *p, uint64_t source) {
  const gp__walk *g = &p->g;
  gp_world *w = p->w;
  const char *who = p->who;
  const uint64_t own = g->vertices, n = p->vertices, words = n / 64 + 1, *sums = (const uint64_t *)w->staging;
  const int can_rise = (p->rows.flags & GP_SYMMETRIC) || p->rows.in_offsets;
  uint64_t rest = p->edges;
  int up = 0, q;
  GP__CHECK(gp__walk_fill(p, g->told, 0, 2 * words));
  GP__CHECK(gp__walk_fill(p, g->depths, UINT32_MAX, own));
  GP__CHECK(gp__walk_fill(p, g->parents, UINT32_MAX, own));
  if (source - g->first < own) {
    GP__CHECK(gp__world_write_count(w, (uint64_t *)(void *)g->came, source << 32 | source, p->stream));
    GP__CHECK(gp__walk_run(p, GP__WALK_MARK, 0, 1));
  }
  for (;;) {
    uint64_t vertices = 0, edges = 0, most = 0;
    GP__CHECK(gp__walk_run(p, GP__WALK_LEVEL, 0, 1));
    GP__CHECK(gp__walk_fill(p, g->bits, 0, 2 * words));
    GP__CHECK(gp__walk_run(p, GP__WALK_FRONTIER, 0, own));
    GP__CHECK(gp__walk_share(p, g->sum, 2));
    for (q = 0; q < w->size; ++q) {
      vertices += sums[2 * q];
      edges += sums[2 * q + 1];
      if (sums[2 * q + 1] > most) most = sums[2 * q + 1];
    }
    if (!vertices) return GP_SUCCESS;
    up = can_rise && (up ? vertices > n / 24 : edges > n / 24 && edges > rest / 14);
    rest -= edges < rest ? edges : rest;
    if (!up) {
      GP__CHECK(gp__walk_down(p, sums[2 * w->rank], sums[2 * w->rank + 1], most));
      continue;
    }
    GP__CHECK(GP__NCCL(AllReduce, g->bits, g->bits, words, GP__NCCL_U64, GP__NCCL_SUM, w->comm, p->stream));
    GP__CHECK(gp__walk_run(p, GP__WALK_PULL, 0, own));
  }
}
// Each rank finds the components of its own edges. Then it joins its labels with those of the ranks 1, 2, 4, ... before
// it, each of which stands for as many ranks by then.
GP__HOST gp_result gp__world_components(gp__walking *p, uint64_t *components) {
  const gp__walk *g = &p->g;
  gp_world *w = p->w;
  const char *who = p->who;
  const uint64_t n = p->vertices;
  gp_graph graph = p->rows;
  int step, q;
  GP__CHECK(gp__walk_run(p, GP__WALK_OFFSETS, 0, n + 1));
  graph.vertices = n;
  graph.offsets = g->starts;
  graph.offset_type = GP_U64;
  graph.in_offsets = graph.in_sources = NULL;
  graph.flags = 0;
  GP__CHECK(gp_connected_components(w->ctx, &graph, g->depths, NULL, p->stream));
  for (step = 1; step < w->size; step *= 2) {
    for (q = 0; q < w->size; ++q) {
      p->leave_end[q] = q == (w->rank + step) % w->size ? n : 0;
      p->arrive_end[q] = q == (w->rank + w->size - step) % w->size ? n : 0;
    }
    GP__CHECK(gp__walk_move(p, g->depths, g->list, 4));
    GP__CHECK(gp__walk_run(p, GP__WALK_JOIN, 0, n));
  }
  GP__CHECK(gp__walk_run(p, GP__WALK_LABELS, 0, g->vertices));
  GP__CHECK(GP__NCCL(AllReduce, g->sum, g->sum, 1, GP__NCCL_U64, GP__NCCL_SUM, w->comm, p->stream));
  return components ? gp__world_copy(w, p->s, who, components, g->sum, 8, p->stream) : GP_SUCCESS;
}

// A rank's own arguments. *rows: the graph with the types that zero stands for.
GP__HOST gp_result gp__check_walk(gp__state *s, const char *who, const gp_call *c, gp_graph *rows, gp_stream stream) {
  gp_call local = *c, whole;
  gp__checking k;
  gp__request q;
  if (c->flags || c->limit || c->target || c->statistics || c->fault || c->source_device)
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: a world takes no @flags, @limit, @target, @statistics, @fault and @source_device", who);
  local.source = 0; // among all vertices
  if (c->graph && c->graph->vertices) GP__CHECK(gp__check_reached(&k, &whole, s, "gp_world_run", &local, stream, &q));
  else GP__CHECK(gp__check_call(s, "gp_world_run", &local, !s->context, 0, &q));
  *rows = q.graph;
  return rows->vertex_type == GP_U32
      ? GP_SUCCESS
      : gp__fail(GP_E_UNSUPPORTED, "%s: @graph->vertex_type: the vertices of a world are u32", who);
}
// Memory of the device, and p->g for it.
GP__HOST gp_result gp__walk_room(gp__walking *p, int bfs) {
  gp__walk *g = &p->g;
  const size_t ranks = (size_t)p->w->size, n = (size_t)p->vertices, own = (size_t)g->vertices;
  const size_t bits = bfs ? n / 8 + 8 : 0, room = n / (2 * ranks) + 256, messages = bfs ? 8 * ranks * room : 0;
  void *const members[] = {&p->device, &g->begins, &g->sum, &g->counts, &g->told, &g->bits, &g->out, &g->came, &g->list,
      &g->starts, &g->depths};
  const size_t sizes[] = {sizeof *g, 8 * ranks, 16 * (ranks + 1), 8 * ranks * (ranks + 1), bits, bits, messages,
      messages, 4 * (bfs ? own : n), bfs ? 16 * (own + 1) : 8 * (n + 1), 4 * n};
  const int count = bfs ? 10 : 11; // depths are the caller's
  size_t bytes = 0;
  unsigned char *at;
  int i;
  for (i = 0; i < count; ++i) bytes += gp__aligned(sizes[i]);
  GP__CHECK(gp__world_room(p->w, p->s, p->who, bytes, p->stream));
  GP__CHECK(gp__world_staging(p->w, p->s, p->who, 1024 + 8 * ranks * (ranks + 1)));
  at = (unsigned char *)p->w->memory;
  for (i = 0; i < count; at += gp__aligned(sizes[i++])) memcpy(members[i], &at, sizeof at);
  g->room = room;
  at = (unsigned char *)p->w->staging;
  memcpy(at, g, sizeof *g);
  memcpy(at + 1024, p->begins, 8 * ranks);
  GP__CHECK(gp__world_copy(p->w, p->s, p->who, p->device, at, sizeof *g, p->stream));
  GP__CHECK(gp__world_copy(p->w, p->s, p->who, g->begins, at + 1024, 8 * ranks, p->stream));
  return gp__world_settle(p->w, p->s, p->who, p->stream);
}
GP__HOST gp_result gp__world_walk(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  const size_t ranks = (size_t)w->size;
  const int bfs = c.primitive == GP_BFS;
  gp__walking p;
  gp__walk *g = &p.g;
  gp_result result;
  size_t q;
  memset(&p, 0, sizeof p);
  p.w = w, p.s = s, p.who = who, p.stream = stream;
  result = gp__check_walk(s, who, &c, &p.rows, stream);
  c.k = c.source; // ranks compare it
  c.bins = (uint64_t)(p.rows.flags + 2 * (p.rows.in_offsets != NULL));
  GP__CHECK(gp__world_agree(w, s, who, &c, p.rows.vertices, p.rows.edges, result, stream));
  GP__CHECK(gp__world_total(w, who, 0, &p.vertices));
  if (p.vertices >= UINT32_MAX)
    return gp__fail(
        GP_E_SIZE, "%s: @graph->vertices: the ranks have %llu, not below 2^32 - 1", who, (gp__u64)p.vertices);
  if (bfs && c.source >= p.vertices)
    return gp__fail(GP_E_ARGUMENT, "%s: @source is %llu, not below the ranks' %llu vertices", who, (gp__u64)c.source,
        (gp__u64)p.vertices);
  p.begins = (uint64_t *)calloc(5 * ranks, sizeof *p.begins);
  if (!p.begins) return gp__break_world(w, gp__fail(GP_E_MEMORY, "%s: no host memory", who));
  p.leave = p.begins + ranks, p.leave_end = p.leave + ranks;
  p.arrive = p.leave_end + ranks, p.arrive_end = p.arrive + ranks;
  for (q = 0; q < ranks; ++q) {
    if (q) p.begins[q] = p.begins[q - 1] + w->notes[q - 1].count;
    p.edges += w->notes[q].capacity;
  }
  g->offsets = p.rows.offsets;
  g->targets = (const unsigned *)p.rows.targets;
  g->in_offsets = p.rows.in_offsets ? p.rows.in_offsets : p.rows.offsets;
  g->in_sources = (const unsigned *)(p.rows.in_offsets ? p.rows.in_sources : p.rows.targets);
  g->first = p.begins[w->rank];
  g->vertices = p.rows.vertices;
  g->ranks = ranks;
  g->wide = p.rows.offset_type == GP_U64;
  g->depths = (unsigned *)c.out;
  g->parents = (unsigned *)(bfs ? c.out2 : c.out);
  result = gp__walk_room(&p, bfs);
  if (result == GP_SUCCESS) result = bfs ? gp__world_bfs(&p, c.source) : gp__world_components(&p, c.out_count);
  free(p.begins);
  return gp__break_if(w, result);
}
