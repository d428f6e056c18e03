// graph/plan.c - plans of work on graphs
// uses: api/lists.h, api/policy.h, api/structs.h, core/rules.h, core/request.c, core/kinds.c, core/primitive.c,
//   graph/host.c, core/reads.c, graph/check.c, graph/launch.c

// The primitive's own kernels; its other steps are calls.
GP__HOST int gp__kinds_of_graph_work(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  static const signed char lists[][5] = {{GP__GRAPH_LIST_KEYS, GP__GRAPH_FROM_KEYS, -1, -1},
      {GP__GRAPH_KEYS, GP__GRAPH_FROM_KEYS, -1, -1},
      {GP__GRAPH_DEGREE_KEYS, GP__GRAPH_INVERT, GP__GRAPH_KEYS, GP__GRAPH_FROM_KEYS, -1},
      {GP__GRAPH_DEGREES, GP__GRAPH_DEGREE_REPORT, -1, -1}, {GP__GRAPH_CHECK, GP__FAULT_REPORT, -1, -1},
      {GP__DEPTHS_OF_EDGES, GP__DEPTHS_OF_VERTICES, GP__FAULT_REPORT, -1},
      {GP__COMPONENTS_FIRST, GP__COMPONENTS_FEW, GP__COMPONENTS_SAMPLE, GP__COMPONENTS_LINK, GP__COMPONENTS_ROOTS}};
  const signed char *list = lists[q->primitive - GP_GRAPH_FROM_EDGES];
  int count = 0;
  (void)p;
  for (; count < 5 && list[count] >= 0; ++count) kinds[count] = (gp__kernel_kind)list[count];
  return count;
}
GP__CALLS_BY_PLAN(graph, gp__graph_plan_of);

static const gp__own_check gp__checks_graph_work[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_graph_work}};
static const gp__family gp__family_graph_work = {gp__checks_graph_work, gp__is_never_idle, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_graph_work, GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__COMPOSED(&gp__graph_calls),
    gp__host_graph_work};
static const gp__primitive gp__primitive_graph_from_edges = {&gp__family_graph_work,
    GP__READS_IN_TYPE | GP__READS_IN | GP__READS_IN2 | GP__READS_COUNT_DEVICE | GP__READS_BAD,
    GP__TAKES_OUT_GRAPH | GP__TAKES_BAD, GP_SYMMETRISE | GP_UNIQUE_EDGES | GP_DROP_LOOPS};
static const gp__primitive gp__primitive_graph_transpose = {&gp__family_graph_work, 0, GP__TAKES_GRAPH, 0};
static const gp__primitive gp__primitive_graph_relabel = {
    &gp__family_graph_work, GP__READS_OUT | GP__READS_OUT2, GP__TAKES_GRAPH | GP__TAKES_OUT_GRAPH, 0};
static const gp__primitive gp__primitive_graph_degrees = {&gp__family_graph_work, GP__READS_OUT, GP__TAKES_GRAPH, 0};
static const gp__primitive gp__primitive_graph_check = {&gp__family_graph_work, GP__READS_OUT, GP__TAKES_GRAPH, 0};
static const gp__primitive gp__primitive_bfs_check = {&gp__family_graph_work,
    GP__READS_IN | GP__READS_IN2 | GP__READS_OUT, GP__TAKES_GRAPH | GP__TAKES_SOURCE | GP__TAKES_LIMIT, 0};
static const gp__primitive gp__primitive_connected_components = {
    &gp__family_graph_work, GP__READS_OUT | GP__READS_OUT_COUNT, GP__TAKES_GRAPH, 0};
