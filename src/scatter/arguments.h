// scatter/arguments.h - arguments of scatters
// uses: core/words.h, core/arguments.h

typedef struct gp__scatter_args {
  const void *in;
  const void *in2; // indices; scatter: or null, element i goes to place i
  void *out;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  const void *keys; // the stencil, or null
  gp__u64 limit; // of indices: elements of out (gather: of in)
  gp__u64 window; // scatter: elements of out that are written at a time; gather: limit
  gp__value scalar; // a predicate compares the stencil with it
} gp__scatter_args;
