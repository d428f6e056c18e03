// search/arguments.h - arguments of searches

// Lower and upper bound, load balance.
typedef struct gp__search_args {
  const void *sorted;        // load balance: offsets
  unsigned long long length; // load balance: segments
  const void *needles;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device;
  const unsigned long long *bad; // load balance: result of the offsets' check; NULL: not checked
} gp__search_args;
