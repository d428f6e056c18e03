// batch/arguments.h - arguments of copies of many buffers
// uses: core/words.h

typedef struct gp__batch_args {
  const void *sources, *destinations; // a pointer a buffer
  const void *sizes; // in bytes
  gp__u64 count;
  const gp__u64 *count_device; // or null
  gp__u64 tile; // buffers of a tile
  void *workspace;
} gp__batch_args;
