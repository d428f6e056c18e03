// core/geometry.h - a launch
// uses: core/words.h

// The launch of a resolved policy.
typedef struct gp__geometry {
  gp__u64 tile_items; // elements of a tile
  gp__u64 tiles; // for the upper bound of the count
  unsigned grid; // blocks
  unsigned threads; // threads of a block
  unsigned shared_bytes; // dynamic
  gp__u64 words; // tagged words of the workspace
  unsigned replicas; // of gp__histogram_args, else 0
  unsigned log2_lanes; // of gp__segment_args, else 0
  gp__u64 share; // of gp__segment_args, else 0
  gp__u64 scratch; // bytes of memory without tags: alternate buffers, counters, work lists
} gp__geometry;
