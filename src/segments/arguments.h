// segments/arguments.h - arguments of segmented reduce
// uses: core/arguments.h

// Segmented reduce.
typedef struct gp__segment_args {
  const void *in;
  const void *begin; // offsets; null: segments of `length` elements
  const void *end;   // or null: segments + 1 offsets
  void *out;
  unsigned long long count, segments, length;
  const unsigned long long *bad; // as in gp__stream_args
  void *workspace;
  unsigned long long share; // elements and ends of a warp, where all `count` elements are of segments
  double rate;              // of both together: how many are ends
  gp__value init;
  int has_init;
  unsigned log2_lanes; // a warp's segments: lanes that read one
} gp__segment_args;
