// top_k/kinds.c - the kernels of top-k, nth element and shuffle

#define GP__KINDS_OF_TOP_K(X) \
  X(TOP_K_LISTS, gp__top_k_lists, gp__top_k_args, ranked, 0) \
  X(TOP_K_MERGE, gp__top_k_merge, gp__top_k_args, ranked, 0) \
  X(SELECT_FIRST, gp__select_first, gp__top_k_args, ordered_key, GP__NO_SHARED) \
  X(SELECT_NEXT, gp__select_next, gp__top_k_args, ordered_key, 0) \
  X(SELECT_BOUNDED, gp__select_bounded, gp__top_k_args, ordered_key, GP__NO_SHARED) \
  X(SELECT_COLLECT, gp__select_collect, gp__top_k_args, ranked, GP__NO_SHARED) \
  X(TOP_K_TASKS, gp__top_k_tasks, gp__segmented_top_k_args, ranked, 0) \
  X(TOP_K_SHORT, gp__top_k_short, gp__segmented_top_k_args, ranked, GP__NO_SHARED) \
  X(TOP_K_CUT, gp__top_k_cut, gp__segmented_top_k_args, ranked, GP__NO_SHARED) \
  X(TOP_K_BEGIN, gp__top_k_begin, gp__segmented_top_k_args, nothing, GP__NO_SHARED) \
  X(TOP_K_ORDER_TASKS, gp__top_k_order_tasks, gp__segmented_top_k_args, by_order, 0) \
  X(TOP_K_ORDER_SHORT, gp__top_k_order_short, gp__segmented_top_k_args, by_order, GP__NO_SHARED) \
  X(TOP_K_ORDER_CUT, gp__top_k_order_cut, gp__segmented_top_k_args, order_cut, GP__NO_SHARED) \
  X(TOP_K_VALUES, gp__top_k_values, gp__segmented_top_k_args, in_out, GP__NO_SHARED) \
  X(TOP_K_PLACES, gp__top_k_places, gp__segmented_top_k_args, wide, GP__NO_SHARED) \
  X(SHUFFLE, gp__shuffle, gp__map_args, in_out, 0)
