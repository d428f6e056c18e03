// segments/kinds.c - the kernels of segments

#define GP__KINDS_OF_SEGMENTS(X) \
  X(SEGMENT_SPANS, gp__segment_spans, gp__segment_args, offset, 0) \
  X(SEGMENTED_REDUCE, gp__segmented_reduce, gp__segment_args, segments, 0) \
  X(WARP_SEGMENTS, gp__warp_segments, gp__segment_args, segments, 0) \
  X(SEGMENTED_PIPELINED, gp__segmented_pipelined, gp__segment_args, segments, 0)
