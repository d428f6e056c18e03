// expand/arguments.h - arguments of expansions
// uses: core/words.h

typedef struct gp__expand_args {
  const void *values; // one a segment or run
  const void *begin; // segments + 1 offsets, the first 0
  const void *lengths;
  void *offsets; // the first launch of runs writes them: `begin` of the second
  void *out;
  gp__u64 count, segments; // count: elements that `out` has room for
  const gp__u64 *count_device;
  gp__u64 *out_count;
  const gp__u64 *bad; // result of the offsets' check; NULL: not checked
  void *workspace;
} gp__expand_args;
