// merge/arguments.h - arguments of merges
// uses: core/words.h

// Merges, merge sort, sets.
typedef struct gp__merge_args {
  const void *keys, *keys2; // sorted; merge sort: `keys` alone, in runs
  const void *values, *values2; // or NULL; merge sort's first step: NULL for indices of the keys
  void *out_keys, *out_values; // or null
  gp__u64 *out_count; // sets
  gp__u64 count, count2; //
  const gp__u64 *count_device; // count of the first input, or null
  gp__u64 run; // merge sort: keys of a run, two of which this pass merges; otherwise 0
  void *workspace;
  gp__u64 *borders; // sets: tile starts in each input; NULL: a block has one tile and finds it; four-way
      // pass: tile starts in each of a group's runs; or NULL
  unsigned log2_run, log2_ways; // four-way pass: tiles of a run, runs of a group (two or four)
} gp__merge_args;
