// sort/kinds.c - the kernels of sorts

#define GP__KINDS_OF_SORT(X) \
  X(RADIX_HISTOGRAM, gp__radix_histogram, gp__radix_args, radix_histogram, GP__TOLD_DIRECTION) \
  X(RADIX_PASS, gp__radix_pass, gp__radix_args, radix_pass, GP__TOLD_DIRECTION) \
  X(RADIX_PASS_WIDE, gp__radix_pass, gp__radix_args, radix_pass, GP__TOLD_DIRECTION) \
  X(RADIX_SWEEPS, gp__radix_sweeps, gp__radix_args, radix_pass, GP__TOLD_DIRECTION) \
  X(SORT_ONE_CLUSTER, gp__sort_one_cluster, gp__radix_args, radix_pass, GP__TOLD_DIRECTION) \
  X(SORT_ONE_LAUNCH, gp__sort_one_launch, gp__radix_args, radix_pass, GP__TOLD_DIRECTION) \
  X(HYBRID_COUNT, gp__hybrid_count, gp__hybrid_args, hybrid, 0) \
  X(HYBRID_MOVE, gp__hybrid_move, gp__hybrid_args, hybrid, 0) \
  X(HYBRID_SORT, gp__hybrid_sort, gp__hybrid_args, hybrid, 0) \
  X(HYBRID_REST, gp__hybrid_rest, gp__hybrid_args, hybrid, 0) \
  X(SORT_SAMPLE, gp__sort_sample, gp__hybrid_args, hybrid, 0) \
  X(LEADING_EDGES, gp__leading_edges, gp__hybrid_args, hybrid, GP__NO_SHARED) \
  X(LEADING_SORT, gp__leading_sort, gp__hybrid_args, hybrid, 0) \
  X(SORT_ONE_BLOCK, gp__sort_one_block, gp__hybrid_args, hybrid, 0) \
  X(GATHER, gp__gather, gp__gather_args, gather, GP__NO_SHARED) \
  X(COUNT_KEYS, gp__count_keys, gp__histogram_args, count_keys, 0) \
  X(COUNTING_RUNS, gp__counting_runs, gp__counting_args, ordered_key, 0) \
  X(COUNTING_FILL, gp__counting_fill, gp__counting_args, ordered_key, 0)
