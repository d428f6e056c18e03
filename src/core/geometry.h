// core/geometry.h - a launch

// The launch of a resolved policy.
typedef struct gp__geometry {
  unsigned long long tile_items; // elements of a tile
  unsigned long long tiles;      // for the upper bound of the count
  unsigned grid;                 // blocks
  unsigned threads;              // threads of a block
  unsigned shared_bytes;         // dynamic
  unsigned long long words;      // tagged words of the workspace
  unsigned replicas;             // of gp__histogram_args, else 0
  unsigned log2_lanes;           // of gp__segment_args, else 0
  unsigned long long share;      // of gp__segment_args, else 0
  unsigned long long scratch;    // bytes of memory without tags: alternate buffers, counters, work lists
} gp__geometry;
