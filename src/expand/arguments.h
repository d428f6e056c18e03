// expand/arguments.h - arguments of expansions

typedef struct gp__expand_args {
  const void *values; // one a segment or run
  const void *begin;  // segments + 1 offsets, the first 0
  const void *lengths;
  void *offsets; // the first launch of runs writes them: `begin` of the second
  void *out;
  unsigned long long count, segments; // count: elements that `out` has room for
  const unsigned long long *count_device;
  unsigned long long *out_count;
  const unsigned long long *bad; // result of the offsets' check; NULL: not checked
  void *workspace;
} gp__expand_args;
