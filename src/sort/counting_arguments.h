// sort/counting_arguments.h - arguments of counting sort
// uses: core/words.h

// Counting sort, after its histogram.
typedef struct gp__counting_args {
  void *out;
  gp__u64 count;
  const gp__u64 *count_device;
  const gp__u64 *counts; // keys of each value, by its bits
  const gp__u16 *rows; // 2-byte keys: counts of each block, to be added to `counts`
  unsigned blocks; // number of rows; 0: nothing to add
  gp__u64 *starts; // first key of each run
  gp__u16 *values; // value of each run
  gp__u64 *runs; // number of runs
  void *workspace;
} gp__counting_args;
