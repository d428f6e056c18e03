// sort/counting_arguments.h - arguments of counting sort

// Counting sort, after its histogram.
typedef struct gp__counting_args {
  void *out;
  unsigned long long count;
  const unsigned long long *count_device;
  const unsigned long long *counts; // keys of each value, by its bits
  const unsigned short *rows;       // 2-byte keys: counts of each block, to be added to `counts`
  unsigned blocks;                  // number of rows; 0: nothing to add
  unsigned long long *starts;       // first key of each run
  unsigned short *values;           // value of each run
  unsigned long long *runs;         // number of runs
  void *workspace;
} gp__counting_args;
