// graph/check.cuh - graphs: faults
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, graph/policy.h, graph/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_search.cuh, device/kernel.cuh, graph/build.cuh

struct gp__faults {
  gp__u64 least;
  GP_DEVICE gp__faults() : least(~gp__u64(0)) {}
  GP_DEVICE void add(int kind, gp__u64 at) {
    const gp__u64 fault = gp__u64(kind) << GP__FAULT_SHIFT | at;
    if (fault < least) least = fault;
  }
  GP_DEVICE void tell(gp__u64 *state) const {
    const gp__u64 all = gp_warp_reduce(least, gp_min<gp__u64>());
    if (!gp_lane() && all != ~gp__u64(0)) atomicMin(state, all);
  }
};
// Checks offsets and targets, or those of the transposed graph.
template<class P, class O, class V> GP_DEVICE void gp__graph_check(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  const O *offsets = gp__as<const O>(a.offsets);
  const V *targets = gp__as<const V>(a.targets);
  const gp__u64 edges = gp__edge_count<O>(a), mine = blockIdx.x * P::threads + threadIdx.x,
                step = gp__u64(gridDim.x) * P::threads;
  gp__faults faults;
  if (mine == 0 && offsets[0] != 0) faults.add(a.incoming ? GP_FAULT_FIRST_IN_OFFSET : GP_FAULT_FIRST_OFFSET, 0);
  for (gp__u64 v = mine; v < a.vertices; v += step)
    if (offsets[v + 1] < offsets[v] || offsets[v + 1] > a.edges)
      faults.add(a.incoming ? GP_FAULT_IN_OFFSETS : GP_FAULT_OFFSETS, v);
  GP__UNROLL_BY(4)
  for (gp__u64 e = mine; e < edges; e += step)
    if (targets[e] >= a.vertices) faults.add(a.incoming ? GP_FAULT_IN_SOURCE : GP_FAULT_TARGET, e);
  if (a.incoming && mine == 0 && offsets[a.vertices] != gp__as<const O>(a.parents)[a.vertices])
    faults.add(GP_FAULT_IN_EDGES, a.vertices);
  faults.tell(a.state);
}
// Checks depths along every edge. Clears a vertex's first mark when it is seen from a vertex one less deep, and its
// second mark when that is its parent.
template<class V> struct gp__edge_to_depths {
  const gp__graph_args &a;
  gp__faults &faults;
  GP_DEVICE void operator()(gp__u64 edge, gp__u64 source, gp__u64 target) const {
    const gp__i64 from = a.depths[source], to = a.depths[target];
    if (from < 0) return;
    if (to < 0) {
      if (!a.limit || gp__u64(from) < a.limit) faults.add(GP_FAULT_NOT_REACHED, edge);
    } else if (to > from + 1) faults.add(GP_FAULT_TOO_DEEP, edge);
    else if (to == from + 1) {
      const bool parent = a.parents && gp__as<const V>(a.parents)[target] == source;
      const unsigned mark = (parent ? 3u : 1u) << target % 16 * 2;
      if (gp__load_volatile(a.marks + target / 16) & mark) atomicAnd(a.marks + target / 16, ~mark);
    }
  }
};
template<class P, class O, class V> GP_DEVICE void gp__depths_of_edges(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  gp__faults faults;
  gp__each_edge<P, O, V>(a, gp__edge_to_depths<V>{a, faults});
  faults.tell(a.state);
}
template<class P, class V> GP_DEVICE void gp__depths_of_vertices(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  const V *parents = gp__as<const V>(a.parents);
  gp__faults faults;
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads) {
    const gp__i64 depth = a.depths[v];
    const unsigned mark = a.marks[v / 16] >> v % 16 * 2;
    const gp__u64 parent = parents ? parents[v] : 0;
    if (depth < -1 || (a.limit && depth > 0 && gp__u64(depth) > a.limit)) faults.add(GP_FAULT_DEPTH, v);
    if (v == a.source) {
      if (depth != 0) faults.add(GP_FAULT_SOURCE_DEPTH, v);
      if (parents && parent != v) faults.add(GP_FAULT_SOURCE_PARENT, v);
    } else if (depth == 0) faults.add(GP_FAULT_SECOND_SOURCE, v);
    else if (depth > 0) {
      if (mark & 1u) faults.add(GP_FAULT_NO_WITNESS, v);
      if (parents && (parent >= a.vertices || a.depths[parent] != depth - 1)) faults.add(GP_FAULT_PARENT, v);
      else if (parents && (mark & 2u)) faults.add(GP_FAULT_PARENT_EDGE, v);
    } else if (parents && parents[v] != V(~V(0))) faults.add(GP_FAULT_STRAY_PARENT, v);
  }
  faults.tell(a.state);
}
// Called with one block: writes the report. For an edge it finds the source (in a transposed graph the target): offsets
// are valid, or they would have been the fault.
template<class P, class O> GP_DEVICE void gp__fault_report(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  if (threadIdx.x > 0) return;
  const gp__u64 none = ~gp__u64(0), fault = *a.state, at = fault & ((gp__u64(1) << GP__FAULT_SHIFT) - 1);
  const int kind = fault == none ? int(GP_FAULT_NONE) : int(fault >> GP__FAULT_SHIFT);
  const bool edge = gp__is_edge_fault(kind);
  gp_fault *report = gp__as<gp_fault>(a.out_targets);
  const O *offsets = gp__as<const O>(kind == GP_FAULT_IN_SOURCE ? a.out_offsets : a.offsets);
  report->kind = gp__u64(kind);
  report->edge = edge ? at : none;
  report->vertex = !kind || kind == GP_FAULT_IN_EDGES ? none
      : edge ? gp_search(0, a.vertices, gp__ends_at<O>{offsets, at})
      : at;
}
