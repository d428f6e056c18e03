// scan/arguments.h - arguments of scans
// uses: core/arguments.h

typedef struct gp__scan_args {
  const void *in;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  void *workspace;
  gp__value init; // as in gp__reduce_args
  int has_init;
  const void *init_device; // in place of `init`, or null
  unsigned blocks;         // three sweeps: blocks of the upsweep and of the downsweep
} gp__scan_args;
