// device/edges.cuh - a warp expands lists of edges
// uses: core/words.h, device/vocabulary.cuh, core/shape.h, device/operators.cuh, device/warp.cuh

// Consecutive edges of one vertex: the elements of frontiers. Long lists are cut into several.
enum { GP__EDGES_COUNT_SHIFT = 48 };
struct alignas(16) gp_edges {
  gp__u64 place; // first edge, in the lower 48 bits; above it the count, below 2^16
  gp__u64 source;
  GP_DEVICE gp__u64 begin() const { return place & ((1ull << GP__EDGES_COUNT_SHIFT) - 1); }
  GP_DEVICE unsigned count() const { return unsigned(place >> GP__EDGES_COUNT_SHIFT); }
};
GP_DEVICE gp_edges gp_edges_of(gp__u64 begin, unsigned count, gp__u64 source) {
  return gp_edges{begin | gp__u64(count) << GP__EDGES_COUNT_SHIFT, source};
}

// gp_warp_expand with visit(there[ITEMS], source[ITEMS], target[ITEMS]): ITEMS accesses are in flight. If all parts are
// short, each gets four or eight lanes, and no owner has to be searched for.
template<int ITEMS, class Vertex, class Visit>
GP_DEVICE void gp__warp_expand(const gp_edges &edges, const Vertex *targets, const Visit &visit) {
  const unsigned count = edges.count(), whole = __ballot_sync(~0u, count != 0);
  const bool is_short = __ballot_sync(~0u, count > 8) == 0;
  const unsigned shift = __ballot_sync(~0u, count > 4) == 0 ? 2 : 3;
  unsigned start = gp_lane() << shift, total = (GP__WARP - unsigned(__clz(int(whole)))) << shift;
  if (!is_short) {
    const unsigned end = gp_warp_inclusive_scan(count, gp_sum<unsigned>());
    start = end - count;
    total = gp_warp_broadcast(end, GP__WARP - 1);
  }
  const gp__u64 first = edges.begin() - start;
  for (unsigned base = 0; base < total; base += GP__WARP * ITEMS) {
    bool there[ITEMS];
    Vertex source[ITEMS], target[ITEMS];
    GP__EACH(i, ITEMS) {
      const unsigned rank = base + unsigned(i) * GP__WARP + gp_lane();
      unsigned owner = (rank >> shift) & (GP__WARP - 1u); // last lane that starts at this rank or before
      if (!is_short) {
        owner = 0;
        GP__UNROLL
        for (unsigned step = GP__WARP / 2; step; step /= 2)
          if (__shfl_sync(~0u, start, int(owner + step)) <= rank) owner += step;
      }
      const gp__u64 from = __shfl_sync(~0u, first, int(owner));
      const unsigned held = __shfl_sync(~0u, start + count, int(owner));
      source[i] = Vertex(__shfl_sync(~0u, Vertex(edges.source), int(owner)));
      there[i] = rank < total && rank < held;
      target[i] = there[i] ? targets[from + rank] : 0;
    }
    visit(there, source, target);
  }
}
// Calls visit(there, source, target) for each edge of the warp's 32 parts (count 0: no part). Lanes get equal shares,
// ITEMS edges at a time, however long the parts are (the merge path of parts and edges); consecutive lanes have
// consecutive edges. All lanes call, and all lanes call visit(): `there` is false in a lane without an edge.
template<int ITEMS, class Vertex, class Visit>
GP_DEVICE void gp_warp_expand(const gp_edges &edges, const Vertex *targets, const Visit &visit) {
  gp__warp_expand<ITEMS>(
      edges, targets, [&](const bool(&there)[ITEMS], const Vertex(&source)[ITEMS], const Vertex(&target)[ITEMS]) {
        GP__EACH(i, ITEMS) visit(there[i], source[i], target[i]);
      });
}
