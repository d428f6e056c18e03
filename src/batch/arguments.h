// batch/arguments.h - arguments of copies of many buffers

typedef struct gp__batch_args {
  const void *sources, *destinations; // a pointer a buffer
  const void *sizes;                  // in bytes
  unsigned long long count;
  const unsigned long long *count_device; // or null
  unsigned long long tile;                // buffers of a tile
  void *workspace;
} gp__batch_args;
