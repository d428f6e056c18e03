// merge/arguments.h - arguments of merges

// Merges, merge sort, sets.
typedef struct gp__merge_args {
  const void *keys, *keys2;               // sorted; merge sort: keys alone, in runs
  const void *values, *values2;           // or null; merge sort, the first step: null for the indices of the keys
  void *out_keys, *out_values;            // or null
  unsigned long long *out_count;          // sets
  unsigned long long count, count2;       //
  const unsigned long long *count_device; // of the first input, or null
  unsigned long long run;                 // a step of merge sort: keys of a run, two of which make one; otherwise 0
  void *workspace;
  unsigned long long *borders;  // sets: where tiles begin, in each input; or null: a block has one tile, and finds it;
                                // merge sort, a pass of four ways: where they begin in each of a group's runs; or null
  unsigned log2_run, log2_ways; // of such a pass: tiles of a run, runs of a group (of two or of four)
} gp__merge_args;
