// graph/build.cuh - graphs: building, degrees
// uses: api/structs.h, api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, graph/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_search.cuh, device/kernel.cuh

// An edge becomes a key: its source above its target, in as few bits as possible. An edge that is left out gets a key
// after all others. The keys are sorted, then split, and a search finds where each source begins.

GP_DEVICE gp__u64 gp__edge_key(const gp__graph_args &a, gp__u64 source, gp__u64 target, bool there) {
  return there ? source << a.shift | target : a.vertices << a.shift;
}
// Writes the keys of an edge list, then those of the opposite edges. A loop has no opposite.
template<class P, class L> GP_DEVICE void gp__graph_list_keys(const gp__graph_args &a) {
  const int ITEMS = 4 * P::vectors;
  const gp__u64 tile = gp__u64(P::threads) * ITEMS;
  const L *sources = gp__as<const L>(a.offsets), *targets = gp__as<const L>(a.targets);
  const bool both = (a.flags & GP_SYMMETRISE) != 0, loops = (a.flags & GP_DROP_LOOPS) == 0;
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  gp__u64 bad = ~gp__u64(0);
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    L s[ITEMS], t[ITEMS];
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * P::threads + threadIdx.x;
      if (at < count) s[i] = sources[at * a.apart], t[i] = targets[at * a.apart];
    }
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * P::threads + threadIdx.x;
      if (at >= count) continue;
      const bool valid = s[i] < a.vertices && t[i] < a.vertices;
      if (!valid && at < bad) bad = at;
      a.keys[at] = gp__edge_key(a, s[i], t[i], valid && (loops || s[i] != t[i]));
      if (both) a.keys[count + at] = gp__edge_key(a, t[i], s[i], valid && s[i] != t[i]);
    }
  }
  if (a.bad && bad != ~gp__u64(0)) atomicMin(a.bad, bad);
  if (!blockIdx.x && !threadIdx.x) *a.state = both ? 2 * count : count;
}

// Edges of the graph read, but at most a.edges.
template<class O> GP_DEVICE gp__u64 gp__edge_count(const gp__graph_args &a) {
  const gp__u64 n = gp__as<const O>(a.offsets)[a.vertices];
  return n < a.edges ? n : a.edges;
}
// Visits every edge with its source vertex, tile by tile: visit(edge, source, target).
template<class P, class O, class V, class Visit> GP_DEVICE void gp__each_edge(const gp__graph_args &a, Visit visit) {
  const int ITEMS = 4 * P::vectors;
  typedef gp_tile_load_balance_storage<P::threads, ITEMS> Storage; // gp__edge_tile_bytes
  const gp__u64 tile = gp__u64(P::threads) * ITEMS, edges = gp__edge_count<O>(a);
  const O *offsets = gp__as<const O>(a.offsets);
  const V *targets = gp__as<const V>(a.targets);
  GP_SHARED(Storage, s);
  for (gp__u64 first = blockIdx.x * tile; first < edges; first += gridDim.x * tile) {
    gp__u64 source[ITEMS];
    V target[ITEMS];
    gp_tile_load_balance<P::threads, ITEMS>(source, offsets, a.vertices, first, s);
    const gp__u64 mine = first + threadIdx.x * ITEMS;
    GP__EACH(i, ITEMS)
      if (mine + i < edges) target[i] = targets[mine + i];
    GP__EACH(i, ITEMS)
      if (mine + i < edges) visit(mine + i, source[i], gp__u64(target[i]));
    __syncthreads();
  }
}

// Keys of a graph's edges: reversed, or with the vertices' new numbers.
template<class V, bool RELABEL> struct gp__edge_to_key {
  const gp__graph_args &a;
  GP_DEVICE void operator()(gp__u64 edge, gp__u64 source, gp__u64 target) const {
    const V *numbers = gp__as<const V>(a.parents);
    const bool there = target < a.vertices;
    if (!RELABEL) a.keys[edge] = gp__edge_key(a, target, source, there);
    else a.keys[edge] = gp__edge_key(a, numbers[source], there ? numbers[target] : 0, there);
  }
};
template<class P, class O, class V, bool RELABEL> GP_DEVICE void gp__graph_keys(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  gp__each_edge<P, O, V>(a, gp__edge_to_key<V, RELABEL>{a});
  if (!blockIdx.x && !threadIdx.x) *a.state = gp__edge_count<O>(a);
}

// Turns sorted keys into a graph. A tile of vertices spans few keys: its range is searched first.
template<class P, class O, class V> GP_DEVICE void gp__graph_from_keys(const gp__graph_args &a) {
  struct Range {
    gp__u64 begin, end;
  };
  typedef gp__bound_before<false, gp__u64, gp_less<gp__u64>> Before;
  const int ITEMS = 4 * P::vectors;
  const gp__u64 tile = gp__u64(P::threads) * ITEMS;
  O *offsets = gp__as<O>(a.out_offsets);
  V *targets = gp__as<V>(a.out_targets);
  GP_SHARED(Range, range);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__u64 key[ITEMS];
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * P::threads + threadIdx.x;
      if (at < count) key[i] = a.keys[at];
    }
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + i * P::threads + threadIdx.x;
      if (at < count && key[i] >> a.shift < a.vertices) targets[at] = V(key[i] & ((gp__u64(1) << a.shift) - 1));
    }
  }
  for (gp__u64 first = blockIdx.x * tile; first <= a.vertices; first += gridDim.x * tile) {
    const gp__u64 last = first + tile - 1 < a.vertices ? first + tile - 1 : a.vertices;
    if (!gp_warp()) {
      const gp__u64 begin = gp_warp_search(0, count, Before{a.keys, first << a.shift});
      const gp__u64 end = gp_warp_search(begin, count - begin, Before{a.keys, last << a.shift});
      if (!gp_lane()) range.begin = begin, range.end = end;
    }
    __syncthreads();
    GP__UNROLL_BY(1)
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u64 v = first + i * P::threads + threadIdx.x;
      if (v <= last) offsets[v] = O(gp_search(range.begin, range.end - range.begin, Before{a.keys, v << a.shift}));
    }
    __syncthreads();
  }
}

// degree_keys: the degree of every vertex. invert: each vertex's position in an order.
template<class P, class O> GP_DEVICE void gp__graph_degree_keys(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  const O *offsets = gp__as<const O>(a.offsets);
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads)
    gp__as<O>(a.out_offsets)[v] = offsets[v + 1] - offsets[v];
}
template<class P, class V> GP_DEVICE void gp__graph_invert(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  const V *order = gp__as<const V>(a.parents);
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads)
    gp__as<V>(a.out_targets)[order[v]] = V(v);
}

// Adds degrees to the state's words, which begin as zeros.
template<class P, class O> GP_DEVICE void gp__graph_degrees(const gp__graph_args &a) {
  struct Bins {
    gp__u32 bin[65];
  };
  GP_SHARED(Bins, s);
  for (int i = int(threadIdx.x); i < 65; i += P::threads) s.bin[i] = 0;
  __syncthreads();
  gp__pdl_wait<P>();
  const O *offsets = gp__as<const O>(a.offsets);
  gp__u64 sum = 0, least = 0, most = 0; // least: its complement
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads) {
    const gp__u64 degree = offsets[v + 1] - offsets[v];
    sum += degree;
    least = least < ~degree ? ~degree : least;
    most = most < degree ? degree : most;
    atomicAdd(&s.bin[degree ? 64 - __clzll(gp__i64(degree)) : 0], 1u);
  }
  sum = gp_warp_reduce(sum, gp_sum<gp__u64>());
  least = gp_warp_reduce(least, gp_max<gp__u64>());
  most = gp_warp_reduce(most, gp_max<gp__u64>());
  if (!gp_lane()) {
    gp__add_relaxed(a.state + GP__DEGREE_SUM, sum);
    atomicMax(a.state + GP__DEGREE_LEAST, least);
    atomicMax(a.state + GP__DEGREE_MOST, most);
  }
  __syncthreads();
  for (int i = int(threadIdx.x); i < 65; i += P::threads)
    if (s.bin[i]) gp__add_relaxed(a.state + GP__DEGREE_HISTOGRAM + i, s.bin[i]);
}
// Called with one block: writes the report from the words.
template<class P> GP_DEVICE void gp__graph_degree_report(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  gp_degrees *report = gp__as<gp_degrees>(a.out_targets);
  for (int i = int(threadIdx.x); i < 65; i += P::threads) report->histogram[i] = a.state[GP__DEGREE_HISTOGRAM + i];
  if (threadIdx.x > 0) return;
  report->vertices = a.vertices;
  report->edges = a.state[GP__DEGREE_SUM];
  report->least = a.vertices ? ~a.state[GP__DEGREE_LEAST] : 0;
  report->most = a.state[GP__DEGREE_MOST];
}
