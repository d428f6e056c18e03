// sort/counting_arguments.h - arguments of counting sort

// Counting sort, behind its histogram.
typedef struct gp__counting_args {
  void *out;
  unsigned long long count;
  const unsigned long long *count_device;
  const unsigned long long *counts; // of each value, by its bits
  const unsigned short *rows;       // keys of two bytes: counts by each block, to be added to these
  unsigned blocks;                  // how many; 0: there is nothing to be added
  unsigned long long *starts;       // where each run begins
  unsigned short *values;           // what it is made of
  unsigned long long *runs;         // their number
  void *workspace;
} gp__counting_args;
