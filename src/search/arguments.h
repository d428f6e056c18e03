// search/arguments.h - arguments of searches
// uses: core/words.h

// Lower and upper bound, load balance.
typedef struct gp__search_args {
  const void *sorted; // load balance: offsets
  gp__u64 length; // load balance: segments
  const void *needles;
  void *out;
  gp__u64 count;
  const gp__u64 *count_device;
  const gp__u64 *bad; // load balance: result of the offsets' check; NULL: not checked
  void *sample; // bounds: the last element of each sector of `sorted`, or NULL
} gp__search_args;
