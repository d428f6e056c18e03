// graph/policy.h - work on graphs: which primitives do it, and what it visits
// uses: api/lists.h, api/graph_types.h, core/rules.h

// Of gp_graph, by steps of a plan: building and checking.
GPUPRIMS__RULE int gp__is_graph_work(int primitive) {
  return primitive >= GP_GRAPH_FROM_EDGES && primitive <= GP_CONNECTED_COMPONENTS;
}
// Does a kernel of it visit every edge with the vertex that it leaves (gp__each_edge)?
GPUPRIMS__RULE int gp__visits_edges(int primitive) {
  return primitive == GP_GRAPH_TRANSPOSE || primitive == GP_GRAPH_RELABEL || primitive == GP_BFS_CHECK ||
         primitive == GP_CONNECTED_COMPONENTS;
}
// Is the place of a fault an edge's number?
GPUPRIMS__RULE int gp__is_edge_fault(int kind) {
  return kind == GP_FAULT_TARGET || kind == GP_FAULT_IN_SOURCE || kind == GP_FAULT_NOT_REACHED ||
         kind == GP_FAULT_TOO_DEEP;
}
