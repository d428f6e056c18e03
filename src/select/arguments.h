// select/arguments.h - arguments of streams
// uses: core/arguments.h

// Select, partition, runs, by key, segmented scan: one pass over a stream of elements, or of pairs (key, value).
typedef struct gp__stream_args {
  const void *keys;                       // keys or flags that decide; selection by a predicate: the elements
  const void *values;                     // values that go with them, or null
  void *out_keys;                         // or null
  void *out_values;                       // selection: the first part
  void *out2;                             // or null: lengths of runs; partition: the second part
  void *out3;                             // partition: the third part
  unsigned long long *out_count;          // or null (scans)
  unsigned long long count;               //
  const unsigned long long *count_device; // or null
  const void *offsets;                    // segmented scan, otherwise null
  unsigned long long segments;            //
  const unsigned long long *bad;          // or null; not all ones: do nothing (GP_CHECKED)
  void *workspace;
  gp__value first, second; // the predicates' scalars; scans: `first` is the initial value
  int has_init;
} gp__stream_args;
