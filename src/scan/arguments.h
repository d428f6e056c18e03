// scan/arguments.h - arguments of scans
// uses: core/words.h, core/arguments.h

typedef struct gp__scan_args {
  const void *in;
  void *out;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  void *workspace;
  gp__value init; // as in gp__reduce_args
  int has_init;
  const void *init_device; // in place of `init`, or null
  unsigned blocks; // three sweeps: blocks of the upsweep and of the downsweep
} gp__scan_args;
