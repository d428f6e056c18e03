// core/kinds_of.c - which kernels a call takes
// uses: api/lists.h, api/policy.h, api/structs.h, core/shape.h, sort/radix_policy.h, sort/cooperative_policy.h,
//   merge/policy.h, transpose/policy.h, transpose/panels_policy.h, layouts/policy.h, bfs/policy.h, sort/scratch.h,
//   group_by/arguments.h, core/system.c, core/request.c, core/names.c, core/kinds.c, core/checking.c,
//   core/check_call_types.c, core/shape.c

GPUPRIMS__PRIVATE const char *gp__device_type(gp_type type, const gp__type_info *info) {
  return info ? info->name : gp__type_rows[type].device;
}

// In the order of gp__launch_sort.
GPUPRIMS__PRIVATE int gp__kinds_of_sort(const gp__request *q, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  int count = 0;
  kinds[count++] = GP__RADIX_HISTOGRAM;
  kinds[count++] = q->count >> GP__RADIX_NARROW_LOG2 ? GP__RADIX_PASS_WIDE : GP__RADIX_PASS;
  if (q->in_size > GP__RADIX_VALUE_BYTES) {
    kinds[count++] = GP__GATHER;
    if (q->in == q->out) kinds[count++] = GP__COPY;
  }
  return count;
}
// In the order of gp__launch_hybrid.
GPUPRIMS__PRIVATE int gp__kinds_of_hybrid(gp__kernel_kind *kinds) {
  kinds[0] = GP__HYBRID_COUNT;
  kinds[1] = GP__HYBRID_MOVE;
  kinds[2] = GP__HYBRID_SORT;
  kinds[3] = GP__HYBRID_REST;
  return 4;
}
// The sample, then one sweep, then hybrid, and the team of a sort that takes no sample.
GPUPRIMS__PRIVATE int gp__kinds_of_adaptive(const gp__request *q, const gp_policy *p,
                                            gp__kernel_kind kinds[GP__KINDS_MAX]) {
  kinds[0] = GP__SORT_SAMPLE;
  kinds[1] = GP__RADIX_HISTOGRAM;
  kinds[2] = GP__RADIX_SWEEPS;
  kinds[7] = GP__SORT_ONE_LAUNCH;
  return 3 + gp__kinds_of_hybrid(kinds + 3) + !gp__adaptive_samples(*p, gp__shape_of(q));
}
GPUPRIMS__PRIVATE int gp__kinds_of_leading_sweep(gp__kernel_kind kinds[GP__KINDS_MAX]) {
  kinds[0] = GP__RADIX_HISTOGRAM;
  kinds[1] = GP__RADIX_PASS;
  kinds[2] = GP__LEADING_EDGES;
  kinds[3] = GP__LEADING_SORT;
  kinds[4] = GP__RADIX_SWEEPS;
  return 5;
}
// With which policy the kernels of a plan are built.
GPUPRIMS__PRIVATE gp_policy gp__policy_of_kind(gp_policy p, gp__shape h, gp__kernel_kind kind) {
  if (p.algorithm == GP_ROUND_TRIP && kind == GP__COPY) p.vectors = 1; // more of them copy slower
  return p.algorithm != GP_ADAPTIVE || kind == GP__SORT_SAMPLE     ? p
         : kind == GP__RADIX_HISTOGRAM || kind == GP__RADIX_SWEEPS ? gp__adaptive_sweep(p, h)
         : kind == GP__SORT_ONE_LAUNCH                             ? gp__adaptive_cooperative(p, h)
                                                                   : gp__adaptive_hybrid(p);
}
GPUPRIMS__PRIVATE int gp__kinds_of_counting(const gp__request *q, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  int count = 0;
  kinds[count++] = GP__COUNT_KEYS;
  kinds[count++] = GP__COUNTING_FILL;
  if (q->key_size > 1) kinds[count++] = GP__COUNTING_RUNS;
  return count;
}
GPUPRIMS__PRIVATE int gp__kinds_of_top_k(const gp__request *q, const gp_policy *p,
                                         gp__kernel_kind kinds[GP__KINDS_MAX]) {
  int count = 0;
  kinds[count++] = p->algorithm == GP_BEST_LISTS ? GP__TOP_K_LISTS : GP__SELECT_FIRST;
  kinds[count++] = p->algorithm == GP_BEST_LISTS ? GP__TOP_K_MERGE : GP__SELECT_NEXT;
  if (p->algorithm == GP_RADIX_SELECT && q->primitive == GP_TOP_K) kinds[count++] = GP__SELECT_COLLECT;
  return count;
}
GPUPRIMS__PRIVATE int gp__kinds_of_transpose(const gp__request *q, const gp_policy *p,
                                             gp__kernel_kind kinds[GP__KINDS_MAX]) {
  const int move = gp__tiled(*p, gp__shape_of(q)).move;
  if (gp__is_buffered(p->algorithm)) {
    kinds[0] = p->algorithm == GP_TENSOR_PANELS ? GP__TRANSPOSE_TENSOR_PANELS : GP__TRANSPOSE_BUFFERED;
    kinds[1] = GP__TRANSPOSE_SAVE;
    return 2;
  }
  if (p->algorithm == GP_ROUND_TRIP) {
    kinds[0] = GP__TRANSPOSE;
    kinds[1] = GP__COPY;
    return 2;
  }
  if (gp__panels_plan_of(*p, gp__shape_of(q)).items) { // in the order of gp__launch_panels
    kinds[0] = gp__panels_plan_of(*p, gp__shape_of(q)).whole ? GP__TRANSPOSE : GP__TRANSPOSE_PANELS;
    kinds[1] = GP__TRANSPOSE_CHUNKS;
    kinds[2] = GP__TRANSPOSE_SAVE;
    return 3;
  }
  if (move == GP__MOVE_RECTANGLE) { // in the order of gp__launch_rectangle
    kinds[0] = GP__TRANSPOSE_COLUMNS;
    kinds[1] = GP__TRANSPOSE_WITHIN;
    return 2;
  }
  kinds[0] = p->algorithm == GP_TENSOR_TILES ? GP__TRANSPOSE_TENSOR
             : move == GP__MOVE_TILES        ? GP__TRANSPOSE
             : move == GP__MOVE_SQUARE       ? GP__TRANSPOSE_SQUARE
                                             : GP__TRANSPOSE_ROWS;
  return 1;
}
// Which kernels the plan of a sort or a merge launches, each once.
GPUPRIMS__PRIVATE int gp__kinds_of_plan(const gp__request *q, const gp_policy *p,
                                        gp__kernel_kind kinds[GP__KINDS_MAX]) {
  int count = 0;
  if (p->algorithm == GP_COUNTING) return gp__kinds_of_counting(q, kinds);
  if (gp__family_of(q->primitive) == GP__FAMILY_TOP_K) return gp__kinds_of_top_k(q, p, kinds);
  if (q->primitive == GP_TRANSPOSE) return gp__kinds_of_transpose(q, p, kinds);
  if (q->primitive == GP_BFS) {
    kinds[count++] = gp__bfs_by_edges(p->algorithm)                     ? GP__BFS_STEPS
                     : q->stepwise || p->algorithm == GP_FUSED_LAUNCHES ? GP__BFS_STEPWISE
                     : q->flags & GP_CHECKED                            ? GP__BFS_CHECKED
                                                                        : GP__BFS;
    if ((q->out2 || !q->out) && (q->flags & GP_REPRODUCIBLE))
      kinds[count++] = GP__BFS_PARENTS; // without buffers: may be
    return count;
  }
  if (q->primitive == GP_BFS_SOURCES) return kinds[0] = GP__BFS_SOURCES, 1;
  if (gp__family_of(q->primitive) == GP__FAMILY_MERGE) {
    const int sets = gp__is_set(q->primitive);
    const int served = p->algorithm == GP_PIPELINED;
    if (q->primitive != GP_MERGE && !served) kinds[count++] = sets ? GP__SET_BORDERS : GP__MERGE_SORT_TILES;
    if (p->algorithm == GP_FOUR_WAY_PASSES) kinds[count++] = GP__MERGE_FOUR_BORDERS;
    kinds[count++] = served                               ? GP__SET_PIPELINED
                     : sets                               ? GP__SET_OPERATION
                     : p->algorithm == GP_FOUR_WAY_PASSES ? GP__MERGE_FOUR
                                                          : GP__MERGE;
    return count;
  }
  if (q->primitive == GP_SORT && p->algorithm == GP_HYBRID) return gp__kinds_of_hybrid(kinds);
  if (q->primitive == GP_SORT && p->algorithm == GP_ADAPTIVE) return gp__kinds_of_adaptive(q, p, kinds);
  if (q->primitive == GP_SORT && p->algorithm == GP_LEADING_SWEEP) return gp__kinds_of_leading_sweep(kinds);
  if (q->primitive == GP_SORT && p->algorithm == GP_ONE_BLOCK) return kinds[0] = GP__SORT_ONE_BLOCK, 1;
  if (q->primitive == GP_SORT && gp__is_cooperative(p->algorithm))
    return kinds[0] = p->algorithm == GP_ONE_CLUSTER ? GP__SORT_ONE_CLUSTER : GP__SORT_ONE_LAUNCH, 1;
  if (q->primitive == GP_SORT) return gp__kinds_of_sort(q, kinds);
  if (q->primitive == GP_SEGMENTED_SORT) {
    kinds[count++] = GP__SEGMENTS_BEGIN;
    kinds[count++] = GP__SEGMENTS_SHORT;
    kinds[count++] = GP__SEGMENTS_MIDDLE;
    kinds[count++] = GP__SEGMENTS_LONG;
  }
  return count;
}
// Does a group-by try tables in shared memory?
GPUPRIMS__PRIVATE int gp__groups_in_tables(const gp__request *q) {
  return !q->user_op && gp__any_order(q) && (q->acc_size == 4 || q->acc_size == 8) && q->count >= GP__GROUP_FROM;
}
// Is the input of a conversion copied first?
GPUPRIMS__PRIVATE int gp__converts_copy(const gp__request *q, const gp_policy *p) {
  const gp__shape h = gp__shape_of(q);
  return h.in_place && !gp__layout_local(*p, h);
}
// The kernels of its own.
GPUPRIMS__PRIVATE int gp__kinds_of_graph_work(const gp__request *q, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  static const signed char lists[][5] = {
      {GP__GRAPH_LIST_KEYS, GP__GRAPH_FROM_KEYS, -1, -1},
      {GP__GRAPH_KEYS, GP__GRAPH_FROM_KEYS, -1, -1},
      {GP__GRAPH_DEGREE_KEYS, GP__GRAPH_INVERT, GP__GRAPH_KEYS, GP__GRAPH_FROM_KEYS, -1},
      {GP__GRAPH_DEGREES, GP__GRAPH_DEGREE_REPORT, -1, -1},
      {GP__GRAPH_CHECK, GP__FAULT_REPORT, -1, -1},
      {GP__DEPTHS_OF_EDGES, GP__DEPTHS_OF_VERTICES, GP__FAULT_REPORT, -1},
      {GP__COMPONENTS_FIRST, GP__COMPONENTS_FEW, GP__COMPONENTS_SAMPLE, GP__COMPONENTS_LINK, GP__COMPONENTS_ROOTS}};
  const signed char *list = lists[q->primitive - GP_GRAPH_FROM_EDGES];
  int count = 0;
  for (; count < 5 && list[count] >= 0; ++count) kinds[count] = (gp__kernel_kind)list[count];
  return count;
}
// Which kernels a call needs, in the order of their launches. Returns their number.
GPUPRIMS__PRIVATE int gp__kinds_of(const gp__request *q, const gp_policy *p, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  const int stream = gp__family_of(q->primitive) == GP__FAMILY_STREAM;
  int count = 0;
  if (gp__is_planned(q->primitive)) return gp__kinds_of_plan(q, p, kinds);
  if (q->primitive == GP_GROUP_BY) { // what else it does are calls of their own
    if (gp__groups_in_tables(q)) kinds[count++] = GP__GROUP_TABLE;
    return count;
  }
  if (gp__is_graph_work(q->primitive)) return gp__kinds_of_graph_work(q, kinds);
  switch (p->algorithm) {
  case GP_DIRECT:
    kinds[count++] = q->primitive == GP_COPY                  ? GP__COPY
                     : q->primitive == GP_ADJACENT_DIFFERENCE ? GP__ADJACENT
                     : gp__is_bound(q->primitive)             ? GP__BOUND
                     : q->primitive == GP_SHUFFLE             ? GP__SHUFFLE
                     : q->primitive == GP_CONVERT_LAYOUT      ? GP__CONVERT_LAYOUT
                                                              : GP__MAP;
    if (q->primitive == GP_CONVERT_LAYOUT && gp__converts_copy(q, p)) kinds[count++] = GP__COPY;
    break;
  case GP_STEALING:
    kinds[count++] = GP__STEALING;
    break;
  case GP_EVEN_SHARE:
    kinds[count++] = GP__EVEN_SHARE;
    break;
  case GP_LOOK_BACK:
    kinds[count++] = stream ? GP__STREAM_LOOK_BACK : GP__LOOK_BACK;
    break;
  case GP_PIPELINED:
    kinds[count++] = stream                                ? GP__STREAM_PIPELINED
                     : q->primitive == GP_SEGMENTED_REDUCE ? GP__SEGMENTED_PIPELINED
                                                           : GP__PIPELINED;
    break;
  case GP_ONE_BLOCK:
    kinds[count++] = gp__is_scan(q->primitive) ? GP__DOWNSWEEP : GP__EVEN_SHARE;
    break;
  case GP_MERGE_PATH:
    if (q->end) kinds[count++] = GP__SEGMENT_SPANS;
    kinds[count++] = q->primitive == GP_LOAD_BALANCE ? GP__LOAD_BALANCE : GP__SEGMENTED_REDUCE;
    break;
  case GP_WARP_SEGMENTS:
    kinds[count++] = GP__WARP_SEGMENTS;
    break;
  case GP_SHARED_BINS:
  case GP_GLOBAL_BINS:
    kinds[count++] = GP__HISTOGRAM;
    break;
  default:
    kinds[count++] = GP__UPSWEEP;
    kinds[count++] = GP__SPINE;
    kinds[count++] = GP__DOWNSWEEP;
  }
  return count;
}
