// host/run.c - runs a checked request
// uses: api/config.h, api/lists.h, core/shape.h, core/messages.c, core/request.c, host/types.c, host/values.c,
//   host/operators.c, host/call.c, map/host.c, host/exact.c, host/canonical.c, segments/host.c, select/runs_host.c,
//   select/host.c, histogram/host.c, search/host.c, sort/host.c, segmented_sort/host.c, merge/host.c, sets/host.c,
//   top_k/host.c, top_k/shuffle_host.c, host/user.c, group_by/host.c, transpose/host.c, graph/host.c, layouts/host.c,
//   bfs/host.c

// Runs a checked request on host pointers. threads: 0 for as many as OpenMP offers.
__attribute__((unused)) static gp_result gp__host_run(const gp__request *q, int threads) {
  const char *call = gp__host_call_name(q->primitive);
  const int is_scan = gp__is_scan(q->primitive);
  const int folds = q->primitive >= GP_REDUCE && q->primitive <= GP_REDUCE_BY_KEY;
  const int normalise = (folds || q->primitive == GP_TRANSFORM2) && !q->user_op && (q->op == GP_AND || q->op == GP_OR);
  const gp_type to = folds ? q->acc_type : q->out_type;
  const size_t size = folds && !q->is_arg ? q->acc_size : q->is_arg ? gp__host_size(q->acc_type) : q->out_size;
  const gp__op_info *user_unary = folds ? q->user_transform : q->primitive == GP_TRANSFORM ? q->user_op : NULL;
  const gp_op unary = folds ? q->transform : q->primitive == GP_TRANSFORM ? q->op : 0;
  const int user2 = q->primitive == GP_TRANSFORM2 && q->user_op;
  gp__host_call h;
  gp_result result = gp__host_check_user(call, "op", q->user_op, folds);
  if (!result) result = gp__host_check_user(call, "transform", q->user_transform, 0);
  if (!result) result = gp__host_check_user(call, "equal", q->user_equal, 0);
  if (result) return result;
  if (q->bad && q->primitive != GP_GRAPH_FROM_EDGES) {
    *q->bad = gp__host_first_bad(q);
    if (q->primitive == GP_CHECK_OFFSETS || *q->bad != UINT64_MAX) return GP_SUCCESS;
  }
  if (q->primitive == GP_ADJACENT_DIFFERENCE) return gp__host_adjacent(q, threads);
  if (q->primitive == GP_SORT) return gp__host_sort(q, threads);
  if (q->primitive == GP_GROUP_BY) return gp__host_group_by(q, threads);
  if (q->primitive == GP_TRANSPOSE) return gp__host_transpose(q, threads);
  if (q->primitive == GP_BFS) return gp__host_bfs(q);
  if (q->primitive == GP_BFS_SOURCES) return gp__host_bfs_sources(q, threads);
  if (gp__is_graph_work(q->primitive)) return gp__host_graph_work(q, threads);

  memset(&h, 0, sizeof h);
  h.q = q;
  h.value_type = q->acc_type;
  h.out = (unsigned char *)q->out;
  h.out_size = q->out_size;
  h.exclusive = q->primitive == GP_EXCLUSIVE_SCAN || q->primitive == GP_SEGMENTED_EXCLUSIVE_SCAN ||
                q->primitive == GP_EXCLUSIVE_SCAN_BY_KEY;
  h.threads = 1;
#ifdef _OPENMP
  if (q->count > GP__HOST_PARALLEL_BYTES / (q->in_size > q->out_size ? q->in_size
                                            : q->out_size            ? q->out_size
                                                                     : 1) ||
      q->segments > GP__HOST_PARALLEL_BYTES / 8)
    h.threads = threads > 0 ? threads : omp_get_max_threads();
#else
  (void)threads;
#endif
  h.in.limit = h.in2.limit = (size_t)1 << 30;
  switch (q->primitive) {
  case GP_RUN_LENGTHS:
  case GP_NONTRIVIAL_RUNS:
  case GP_UNIQUE:
    return gp__host_runs(&h);
  case GP_SELECT:
  case GP_PARTITION:
  case GP_COUNT_IF:
  case GP_ANY:
  case GP_ALL:
    return gp__host_select(&h);
  case GP_HISTOGRAM_EVEN:
  case GP_HISTOGRAM_RANGES:
    return gp__host_histogram(&h);
  case GP_LOWER_BOUND:
  case GP_UPPER_BOUND:
  case GP_LOAD_BALANCE:
    return gp__host_search(&h);
  case GP_SEGMENTED_SORT:
    return gp__host_segmented_sort(&h);
  case GP_MERGE:
    return gp__host_merge(&h);
  case GP_MERGE_SORT:
    return gp__host_merge_sort(&h);
  case GP_SET_UNION:
  case GP_SET_INTERSECTION:
  case GP_SET_DIFFERENCE:
  case GP_SET_SYMMETRIC_DIFFERENCE:
    return gp__host_set(&h);
  case GP_IS_SORTED:
    return gp__host_is_sorted(&h);
  case GP_TOP_K:
    return gp__host_top_k(&h, q->stride);
  case GP_NTH_ELEMENT:
    return gp__host_nth(&h);
  case GP_SHUFFLE:
    return gp__host_shuffle(&h);
  case GP_CONVERT_LAYOUT:
    return gp__host_layouts(&h);
  default:
    break;
  }
  if (q->primitive == GP_IOTA || q->primitive == GP_FILL) {
    h.in.limit = GP__HOST_ELEMENTS;
    if (q->primitive == GP_IOTA && !gp__host_size(q->out_type))
      return gp__fail(GP_E_TYPE, "%s: type: not a built-in type", call);
    return gp__host_each(&h);
  }
  if (q->primitive == GP_COPY) {
    h.in = gp__host_source_of(q->in, q->out_type, q->out_size, q->out_type, q->out_size, GP_CONVERT, NULL, 0);
    return gp__host_each(&h);
  }
  if (!user2) {
    if (!user_unary && q->in_type != to && (!gp__host_size(q->in_type) || !gp__host_size(to)))
      return gp__fail(GP_E_TYPE, "%s: @in_type: no conversion between a struct type and another type", call);
    if (!user_unary && unary && unary != GP_CONVERT && (!gp__host_size(q->in_type) || !gp__host_size(to)))
      return gp__fail(GP_E_OPERATOR, "%s: @%s: a built-in operator cannot take a struct type", call,
                      folds ? "transform" : "op");
    h.in = gp__host_source_of(q->in, q->in_type, q->in_size, to, size, unary, user_unary, normalise);
  }
  if (q->primitive == GP_TRANSFORM) return gp__host_each(&h);

  // a binary operator
  h.op.size = size;
  h.op.user = q->user_op;
  if (q->user_op) {
    const gp__host_loops loops = {gp__host_user_map, gp__host_user_fold, gp__host_user_scan, gp__host_user_pairs};
    h.op.loops = loops;
    h.op.commutative = q->user_op->commutative;
    h.op.identity = q->user_op->host_identity;
  } else if (q->is_arg) {
    const int64_t none = -1;
    h.op.exact = h.op.commutative = 1;
    gp__host_identity(q->op, q->acc_type, h.op.identity.bytes);
    memcpy(h.op.identity.bytes + 8, &none, sizeof none);
  } else {
    if (!gp__host_find_loops(&h.op, q->op, to))
      return gp__fail(GP_E_OPERATOR, "%s: @op: this operator cannot take this type", call);
    h.op.commutative = 1;
    h.op.exact = !h.op.loops.pairs;
    gp__host_identity(q->op, to, h.op.identity.bytes);
  }
  if (q->primitive == GP_TRANSFORM2) {
    if (!user2) {
      if (q->in2_type != to && (!gp__host_size(q->in2_type) || !gp__host_size(to)))
        return gp__fail(GP_E_TYPE, "%s: @in2_type: no conversion between a struct type and another type", call);
      h.in2 = gp__host_source_of(q->in2, q->in2_type, q->in2_size, to, size, GP_CONVERT, NULL, normalise);
    }
    return gp__host_each(&h);
  }
  h.out_converts = !q->is_arg && q->acc_type != q->out_type;
  if (h.out_converts && (!gp__host_size(q->acc_type) || !gp__host_size(q->out_type)))
    return gp__fail(GP_E_TYPE, "%s: @out_type: no conversion between a struct type and another type", call);
  h.init = q->init;
  if (normalise && q->has_init) gp__host_truth(to, to, 1, q->init.bytes, h.init.bytes, 1);
  if (q->primitive == GP_SEGMENTED_REDUCE) return gp__host_segmented_reduce(&h);
  if (q->primitive == GP_SEGMENTED_INCLUSIVE_SCAN || q->primitive == GP_SEGMENTED_EXCLUSIVE_SCAN)
    return gp__host_segmented_scan(&h);
  if (q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_EXCLUSIVE_SCAN_BY_KEY ||
      q->primitive == GP_REDUCE_BY_KEY)
    return gp__host_runs(&h);
  if (is_scan) return h.op.exact ? gp__host_scan_exact(&h) : gp__host_scan_canonical(&h);
  return h.op.exact ? gp__host_reduce_exact(&h) : gp__host_reduce_canonical(&h);
}
