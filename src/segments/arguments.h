// segments/arguments.h - arguments of segmented reduce
// uses: core/words.h, core/arguments.h

typedef struct gp__segment_args {
  const void *in;
  const void *begin; // offsets; null: segments of `length` elements
  const void *end; // or null: segments + 1 offsets; runs: the number of elements, or null
  void *out;
  gp__u64 count, segments, length;
  const gp__u64 *bad; // as in gp__stream_args
  void *workspace; // runs: their number
  gp__u64 share; // elements and ends that a warp takes, if all `count` elements are in segments
  double rate; // the share of ends among both
  gp__value init;
  int has_init;
  unsigned log2_lanes; // GP_WARP_SEGMENTS: lanes that read a segment
  int once; // a segment for which they would wait twice is long; 2: a warp reads rows of 32 elements
} gp__segment_args;
