// segmented_sort/kinds.c - the kernels of segmented sort

#define GP__KINDS_OF_SEGMENTED_SORT(X) \
  X(SEGMENTS_BEGIN, gp__segments_begin, gp__segmented_sort_args, nothing, 0) \
  X(SEGMENTS_SHORT, gp__segments_short, gp__segmented_sort_args, sorted_segments, 0) \
  X(SEGMENTS_MIDDLE, gp__segments_middle, gp__segmented_sort_args, sorted_segments, 0) \
  X(SEGMENTS_LONG, gp__segments_long, gp__segmented_sort_args, sorted_segments, 0)
