// graph/kinds.c - the kernels of work on graphs

#define GP__KINDS_OF_GRAPH(X) \
  X(GRAPH_LIST_KEYS, gp__graph_list_keys, gp__graph_args, in, 0) \
  X(GRAPH_KEYS, gp__graph_keys, gp__graph_args, graph_keys, 0) \
  X(GRAPH_FROM_KEYS, gp__graph_from_keys, gp__graph_args, offset_key, 0) \
  X(GRAPH_DEGREE_KEYS, gp__graph_degree_keys, gp__graph_args, offset, 0) \
  X(GRAPH_INVERT, gp__graph_invert, gp__graph_args, key, 0) \
  X(GRAPH_DEGREES, gp__graph_degrees, gp__graph_args, offset, 0) \
  X(GRAPH_DEGREE_REPORT, gp__graph_degree_report, gp__graph_args, nothing, 0) \
  X(GRAPH_CHECK, gp__graph_check, gp__graph_args, offset_key, 0) \
  X(DEPTHS_OF_EDGES, gp__depths_of_edges, gp__graph_args, offset_key, 0) \
  X(DEPTHS_OF_VERTICES, gp__depths_of_vertices, gp__graph_args, key, 0) \
  X(FAULT_REPORT, gp__fault_report, gp__graph_args, offset, 0) \
  X(COMPONENTS_FIRST, gp__components_first, gp__graph_args, offset_key, 0) \
  X(COMPONENTS_FEW, gp__components_few, gp__graph_args, offset_key, 0) \
  X(COMPONENTS_ROOTS, gp__components_roots, gp__graph_args, key, 0) \
  X(COMPONENTS_SAMPLE, gp__components_sample, gp__graph_args, key, 0) \
  X(COMPONENTS_LINK, gp__components_link, gp__graph_args, offset_key, 0)
