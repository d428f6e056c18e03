// graph/policy.h - work on graphs: which primitives do it, and what it visits
// uses: api/lists.h, api/graph_types.h, core/rules.h

// True if a primitive builds or checks graphs, by steps of a plan.
GP__RULE int gp__is_graph_work(int primitive) {
  return primitive >= GP_GRAPH_FROM_EDGES && primitive <= GP_CONNECTED_COMPONENTS;
}
// True if a kernel of it visits every edge with its source vertex (gp__each_edge).
GP__RULE int gp__visits_edges(int primitive) {
  return primitive == GP_GRAPH_TRANSPOSE || primitive == GP_GRAPH_RELABEL || primitive == GP_BFS_CHECK ||
      primitive == GP_CONNECTED_COMPONENTS;
}
// True if a fault's place is an edge's number.
GP__RULE int gp__is_edge_fault(int kind) {
  return kind == GP_FAULT_TARGET || kind == GP_FAULT_IN_SOURCE || kind == GP_FAULT_NOT_REACHED ||
      kind == GP_FAULT_TOO_DEEP;
}
