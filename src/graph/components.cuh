// graph/components.cuh - connected components
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, graph/arguments.h, device/operators.cuh,
//   device/warp.cuh, device/kernel.cuh, graph/build.cuh

// Connected components: labels are a forest. A vertex's label is smaller than the vertex, or the vertex itself (a
// root).

// The root of v's tree. Labels on the path skip one step.
template<class V> GP_DEVICE V gp__root(V *labels, V v) {
  for (V up = gp__load_volatile(labels + v); up != v;) {
    const V above = gp__load_volatile(labels + up);
    if (above == up) return up;
    atomicMin(labels + v, above);
    v = above, up = gp__load_volatile(labels + v);
  }
  return v;
}
// Joins two trees: hooks the larger root to the smaller one. A root that another thread has hooked is no longer a root.
template<class V> GP_DEVICE void gp__link(V *labels, V u, V v) {
  u = gp__root(labels, u), v = gp__root(labels, v);
  while (u != v) {
    const V large = u > v ? u : v, small = u > v ? v : u;
    if (atomicCAS(labels + large, large, small) == large) return;
    u = gp__root(labels, large), v = gp__root(labels, small);
  }
}
template<class P, class O, class V> GP_DEVICE void gp__components_first(const gp__graph_args &a) {
  const O *offsets = gp__as<const O>(a.offsets);
  const V *targets = gp__as<const V>(a.targets);
  V *labels = gp__as<V>(a.out_targets);
  gp__pdl_wait<P>();
  if (a.bad && !blockIdx.x && !threadIdx.x) *a.bad = 0;
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads) {
    const V first = offsets[v] < offsets[v + 1] ? targets[offsets[v]] : V(v);
    labels[v] = first < v ? first : V(v);
  }
}
// Links two neighbours of every vertex.
template<class P, class O, class V> GP_DEVICE void gp__components_few(const gp__graph_args &a) {
  const O *offsets = gp__as<const O>(a.offsets);
  const V *targets = gp__as<const V>(a.targets);
  V *labels = gp__as<V>(a.out_targets);
  gp__pdl_wait<P>();
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads)
    for (O e = offsets[v], n = 0; n < 2 && e < offsets[v + 1]; ++n, ++e) gp__link(labels, V(v), targets[e]);
}
// Sets every label to its root. At the end also counts the roots.
template<class P, class V> GP_DEVICE void gp__components_roots(const gp__graph_args &a) {
  V *labels = gp__as<V>(a.out_targets);
  gp__u64 roots = 0;
  gp__pdl_wait<P>();
  for (gp__u64 v = blockIdx.x * P::threads + threadIdx.x; v < a.vertices; v += gridDim.x * P::threads) {
    const V root = gp__root(labels, V(v));
    roots += root == v;
    if (root != v) atomicMin(labels + v, root);
  }
  if (!a.bad || !a.incoming) return;
  roots = gp_warp_reduce(roots, gp_sum<gp__u64>());
  if (!gp_lane() && roots) atomicAdd(a.bad, roots);
}
// Called with one block: finds the most frequent label of a sample. The choice matters for speed only.
template<class P, class V> GP_DEVICE void gp__components_sample(const gp__graph_args &a) {
  struct Sample {
    V label[P::threads];
    unsigned most;
  };
  const V *labels = gp__as<const V>(a.out_targets);
  GP_SHARED(Sample, s);
  gp__pdl_wait<P>();
  if (!a.vertices) return;
  const V mine = labels[a.vertices / P::threads * threadIdx.x + a.vertices % P::threads * threadIdx.x / P::threads];
  unsigned same = 0;
  s.label[threadIdx.x] = mine;
  if (!threadIdx.x) s.most = 0;
  __syncthreads();
  for (int i = 0; i < P::threads; ++i) same += s.label[i] == mine;
  atomicMax(&s.most, same << 16 | threadIdx.x);
  __syncthreads();
  if (!threadIdx.x) *a.state = s.label[s.most & 0xffffu];
}
template<class V> struct gp__edge_to_component {
  V *labels;
  gp__u64 skipped; // label of vertices whose edges are skipped
  bool both; // the opposite edge exists, too
  GP_DEVICE void operator()(gp__u64, gp__u64 source, gp__u64 target) const {
    if (both && gp__load_volatile(labels + source) == skipped) return;
    if (source != target) gp__link(labels, V(source), V(target));
  }
};
template<class P, class O, class V> GP_DEVICE void gp__components_link(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  gp__each_edge<P, O, V>(a, gp__edge_to_component<V>{gp__as<V>(a.out_targets), *a.state, a.flags != 0});
}
