// histogram/arguments.h - arguments of histograms
// uses: core/words.h, core/arguments.h

typedef struct gp__histogram_args {
  const void *in;
  const void *weights; // or null
  const void *boundaries; // ranges: bins + 1 a channel
  void *out; // active * bins counters
  gp__u64 count; // pixels
  const gp__u64 *count_device;
  gp__u64 bins;
  void *workspace;
  gp__value lower, upper; // even: `active` values of the samples' type; one past the largest wraps to the lowest
  int channels, active; // at least 1
  unsigned replicas; // GP_SHARED_BINS: copies of the counters in a block's shared memory; 0: one, of 16 bits
  unsigned *rows; // counting sort: each block's counts, 16 bits each; null: counts are added to `out`
} gp__histogram_args;
