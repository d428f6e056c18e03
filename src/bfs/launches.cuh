// bfs/launches.cuh - levels by launches: frontiers of edges
// uses: api/policy.h, api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, bfs/policy.h,
//   bfs/arguments.h, device/operators.cuh, device/warp.cuh, device/frontier.cuh, device/kernel.cuh, bfs/state.cuh

// Levels made of the routines for frontiers, in the ways that Merrill, Garland and Grimshaw compare. GP_CONTRACT_EXPAND
// contracts a frontier and expands what is left in one launch. GP_TWO_PHASE takes two, with a frontier of vertices in
// between. GP_HYBRID takes two if the frontier is large. A vertex is expanded once, so all frontiers of a search fit
// one array of as many edges as the graph has.

template<class Vertex> struct gp__bfs_edge { Vertex source, target; };
// State that launches share. Levels after the last one with a launch use slots in turn.
struct gp__bfs_progress {
  gp__u64 found[GP__BFS_LAUNCHES + 3]; // vertices of each level
  gp__u64 edges_to[GP__BFS_LAUNCHES + 3]; // edges of the frontier that leads there
  gp__u64 reached, edges, inspected;
  gp__u64 hit; // the level of the target
};
static_assert(sizeof(gp__bfs_progress) <= 1024 && sizeof(gp__bfs_control) <= 2048, "they lie in the same place");
template<int THREADS, class Vertex> struct gp__bfs_step_shared {
  gp_tile_expand_storage<THREADS, Vertex> expand;
  gp_tile_contract_storage<GP_CULL_HISTORY, Vertex> contract;
  union {
    gp_tile_append_storage<THREADS, Vertex> vertices;
    gp_tile_append_storage<THREADS, gp__bfs_edge<Vertex>> edges;
  };
};
template<class P, class Offset, class Vertex> struct gp__bfs_stepper {
  static const int THREADS = P::threads, ITEMS = P::vectors;
  typedef gp__bfs_step_shared<THREADS, Vertex> Shared;
  typedef gp__bfs_edge<Vertex> Edge;
  const gp__bfs_args &a;
  Shared &m;
  const Offset *offsets;
  const Vertex *targets;
  Vertex *parents;
  gp__bfs_progress *s;
  gp__u64 reached, edges, inspected; // by this thread, in this launch

  GP_DEVICE gp__bfs_stepper(const gp__bfs_args &args, Shared &shared)
    : a(args), m(shared), offsets(gp__as<const Offset>(args.offsets)), targets(gp__as<const Vertex>(args.targets)),
      parents(gp__as<Vertex>(args.parents)), s(gp__as<gp__bfs_progress>(args.control)), reached(0), edges(0),
      inspected(0) {}
  GP_DEVICE static int slot(int level) {
    return level <= GP__BFS_LAUNCHES ? level : GP__BFS_LAUNCHES + (level - GP__BFS_LAUNCHES) % 3;
  }
  GP_DEVICE Vertex *list() const { return gp__as<Vertex>(a.queue); }
  GP_DEVICE gp_frontier<Vertex> vertices_of(int level) const {
    return gp_frontier<Vertex>{list(), &s->found[slot(level)], a.vertices};
  }
  // The edges that lead to a level, after the `first` ones, which lead to earlier levels.
  GP_DEVICE gp_frontier<Edge> edges_to(int level, gp__u64 first) const {
    return gp_frontier<Edge>{gp__as<Edge>(a.edge_queue) + first, &s->edges_to[slot(level)], a.edges - first};
  }
  GP_DEVICE gp__u64 edges_before(int level) const {
    gp__u64 sum = 0;
    for (int i = 0; i < level; ++i) sum += s->edges_to[i];
    return sum;
  }
  GP_DEVICE gp__u64 degree(Vertex v) const { return gp__u64(offsets[v + 1] - offsets[v]); }
  // True if no level follows this one of `count` vertices.
  GP_DEVICE bool over(int level, gp__u64 count) const {
    const gp__u64 hit = gp__load_volatile(&s->hit);
    return !count || (a.limit && level == a.limit) || (hit && hit <= gp__u64(level));
  }

  GP_DEVICE void start(gp__u64 mine, gp__u64 threads) const {
    const gp__u64 source = a.source_device ? *a.source_device : a.source;
    const bool valid = source < a.vertices;
    for (gp__u64 v = mine; v < a.vertices; v += threads) {
      a.depths[v] = v == source ? 0 : -1;
      if (parents) parents[v] = v == source ? Vertex(v) : Vertex(~Vertex(0));
    }
    for (gp__u64 i = mine; i < (a.vertices + 31) / 32; i += threads)
      a.reached[0][i] = i == source >> 5 ? 1u << (source & 31u) : 0;
    for (gp__u64 i = mine; i < GP__BFS_LAUNCHES + 3; i += threads) {
      s->found[i] = i == 0 && valid && source != a.target;
      s->edges_to[i] = 0;
    }
    if (mine > 0) return;
    if (valid) list()[0] = Vertex(source);
    s->reached = valid;
    s->edges = valid ? degree(Vertex(source)) : 0;
    s->inspected = s->hit = 0;
  }

  // ---- what a level is made of; whole warps call

  // True in the lane that reaches v. If culling is not exact, depths decide.
  GP_DEVICE bool reach(bool there, Vertex source, Vertex v, int level) {
    bool mine = gp__warp_contract(a.cull, there, v, a.reached[0], m.contract);
    if (mine && !(a.cull & GP_CULL_BITMAP))
      mine = gp__load_volatile(a.depths + v) < 0 && atomicCAS(a.depths + v, -1, level) == -1;
    if (!mine) return false;
    if (a.cull & GP_CULL_BITMAP) a.depths[v] = level;
    if (parents) parents[v] = source;
    ++reached;
    edges += degree(v);
    if (v == a.target) atomicExch(&s->hit, gp__u64(level));
    return true;
  }
  template<class Take> GP_DEVICE void expand(bool there, Vertex v, const Take &take) {
    gp__tile_expand<THREADS, ITEMS>(
        a.gather, there, v, offsets, targets,
        [&](Vertex, Vertex, gp__u64) {
          ++inspected;
          return true;
        },
        take, m.expand);
  }
  GP_DEVICE void expand_to(const gp_frontier<Edge> &out, bool there, Vertex v) {
    expand(there, v, [&](bool goes_on, Vertex source, Vertex target) {
      gp_warp_append(goes_on, Edge{source, target}, out, m.edges);
    });
  }

  // ---- steps from frontier to frontier; whole blocks call

  GP_DEVICE void clear() { gp_tile_contract_begin<THREADS>(m.contract); }
  GP_DEVICE void expand_level(int level, gp__u64 first) {
    const gp_frontier<Edge> out = edges_to(level + 1, first);
    gp__each_tile<THREADS>(vertices_of(level), out, m.edges, [&](bool there, Vertex u) { expand_to(out, there, u); });
  }
  GP_DEVICE void contract(int level, gp__u64 first) {
    const gp_frontier<Vertex> out = vertices_of(level);
    clear();
    gp__each_tile<THREADS>(edges_to(level, first), out, m.vertices, [&](bool there, const Edge &e) {
      gp_warp_append(reach(there, e.source, e.target, level), e.target, out, m.vertices);
    });
  }
  GP_DEVICE void contract_expand(int level, gp__u64 first) {
    const gp_frontier<Edge> in = edges_to(level, first), out = edges_to(level + 1, first + in.size());
    const gp__u64 before = reached;
    clear();
    gp__each_tile<THREADS>(in, out, m.edges,
        [&](bool there, const Edge &e) { expand_to(out, reach(there, e.source, e.target, level), e.target); });
    const gp__u64 found = gp_warp_reduce(reached - before, gp_sum<gp__u64>());
    if (!gp_lane() && found) atomicAdd(&s->found[slot(level)], found);
  }
  // True if a level of `count` edges has two launches.
  GP_DEVICE bool in_two(gp__u64 count) const { return count > a.fused_edges; }

  GP_DEVICE void add_sums() {
    reached = gp_warp_reduce(reached, gp_sum<gp__u64>());
    edges = gp_warp_reduce(edges, gp_sum<gp__u64>());
    inspected = gp_warp_reduce(inspected, gp_sum<gp__u64>());
    if (gp_lane() != 0) return;
    if (reached) atomicAdd(&s->reached, reached);
    if (edges) atomicAdd(&s->edges, edges);
    if (inspected) atomicAdd(&s->inspected, inspected);
  }
  // One launch: contracts (and expands) the edges that lead to a level, or expands its vertices.
  GP_DEVICE void level(int level, bool expands) {
    if (over(expands ? level : level - 1, s->found[expands ? level : level - 1])) return;
    if (expands) {
      if (level == 0 || in_two(s->edges_to[level])) expand_level(level, edges_before(level + 1));
    } else if (in_two(s->edges_to[level])) contract(level, edges_before(level));
    else contract_expand(level, edges_before(level));
  }
  // Called with one block: does all levels that are left, and writes the statistics.
  GP_DEVICE void rest() {
    const int most = GP__BFS_LAUNCHES;
    gp__u64 first = edges_before(most + 1); // first of the edges that lead to the next level
    int level = most;
    for (; !over(level, gp__load_volatile(&s->found[slot(level)])); ++level) {
      if (!threadIdx.x && level > most) s->found[slot(level + 1)] = s->edges_to[slot(level + 2)] = 0;
      __syncthreads();
      const gp__u64 count = gp__load_volatile(&s->edges_to[slot(level + 1)]);
      if (!in_two(count)) contract_expand(level + 1, first);
      else {
        contract(level + 1, first);
        __syncthreads();
        if (!over(level + 1, gp__load_volatile(&s->found[slot(level + 1)]))) expand_level(level + 1, first + count);
      }
      first += count;
      __syncthreads();
    }
    add_sums();
    __syncthreads();
    if (threadIdx.x > 0 || !a.statistics) return;
    gp_traversal &r = *a.statistics;
    const gp__u64 of_vertex = sizeof(Vertex), of_offset = sizeof(Offset);
    gp__u64 levels = gp__u64(level);
    if (level == most) // the search ended there or earlier, in a launch of its own
      for (levels = 0; levels < most && s->found[levels + 1]; ++levels) {}
    else if (!gp__load_volatile(&s->found[slot(level)])) --levels;
    r.reached = s->reached;
    r.edges = s->edges;
    r.inspected = s->inspected;
    r.levels = levels;
    r.bottom_up = 0;
    r.small = gp__u64(levels > most ? levels - most : 0);
    r.steps = 0;
    r.bytes = a.vertices * (4 + (parents ? of_vertex : 0)) + s->reached * 2 * of_offset + s->inspected * of_vertex;
  }
};
// Step 0 is the beginning. Then the levels: expand 0, contract 1, expand 1, contract 2, ...
template<class P, class Offset, class Vertex> GP_DEVICE void gp__bfs_steps(const gp__bfs_args &a) {
  typedef gp__bfs_stepper<P, Offset, Vertex> Stepper;
  GP_SHARED(typename Stepper::Shared, shared);
  Stepper stepper(a, shared);
  gp__pdl_wait<P>();
  if (a.fault && a.fault->kind != GP_FAULT_NONE) return;
  if (a.step == 0) {
    const gp__u64 mine = gp__u64(blockIdx.x) * P::threads + threadIdx.x;
    stepper.start(mine, gp__u64(gridDim.x) * P::threads);
  } else if (a.step > GP__BFS_EDGE_STEPS) stepper.rest();
  else {
    stepper.level(a.step / 2, a.step % 2 != 0);
    stepper.add_sums();
  }
}
