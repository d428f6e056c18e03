// bfs/kernels.cuh - breadth-first search: the kernels; parents
// uses: api/graph_types.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, bfs/policy.h,
//   graph/arguments.h, bfs/arguments.h, device/kernel.cuh, graph/build.cuh, bfs/block.cuh

template<class P, class Offset, class Vertex, bool CLUSTERS = false> GP_DEVICE void gp__bfs(const gp__bfs_args &a) {
  typedef gp__bfs_block<P, Offset, Vertex, CLUSTERS> Block;
  GP_SHARED(typename Block::Shared, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  int zero = 0; // keeps the address of s in a register: it is used many times a level, and takes 30 cycles
  gp__optimizer_barrier(zero);
  Block block(a, (&s)[zero], memory);
  block.start();
  block.levels();
  block.finish();
  if (CLUSTERS) { // no block exits while others may still write its words
    gp__cluster_arrive();
    gp__cluster_wait();
  }
}
// The search by launches: the beginning, steps, later levels by one block, the end.
template<class P, class Offset, class Vertex> GP_DEVICE void gp__bfs_stepwise(const gp__bfs_args &a) {
  typedef gp__bfs_block<P, Offset, Vertex, false> Block;
  GP_SHARED(typename Block::Shared, s);
  GP_DYNAMIC_SHARED(memory);
  gp__pdl_wait<P>();
  if (a.fault && a.fault->kind != GP_FAULT_NONE) return;
  Block block(a, s, memory);
  if (a.step == 0) return block.set_out_by_launches();
  block.resume();
  if (a.step <= GP__BFS_LAUNCHES + 1) block.go_on();
  else block.finish_by_launches();
}
// GP_CHECKED: searches only a graph without faults.
template<class P, class Offset, class Vertex, bool CLUSTERS = false>
GP_DEVICE void gp__bfs_checked(const gp__bfs_args &a) {
  gp__pdl_wait<P>(); // an earlier launch writes the fault
  if (a.fault->kind == GP_FAULT_NONE) gp__bfs<P, Offset, Vertex, CLUSTERS>(a);
}

// GP_REPRODUCIBLE: a parent is the smallest vertex that is one less deep and has an edge to the vertex.
template<class V> struct gp__edge_to_parent {
  const gp__graph_args &a;
  GP_DEVICE void operator()(gp__u64, gp__u64 source, gp__u64 target) const {
    V *parents = gp__as<V>(a.out_targets);
    const int from = a.depths[source];
    if (from >= 0 && a.depths[target] == from + 1 && source < gp__load_volatile(parents + target))
      atomicMin(parents + target, V(source));
  }
};
template<class P, class O, class V> GP_DEVICE void gp__bfs_parents(const gp__graph_args &a) {
  gp__pdl_wait<P>();
  if (a.fault && a.fault->kind != GP_FAULT_NONE) return;
  gp__each_edge<P, O, V>(a, gp__edge_to_parent<V>{a});
}
