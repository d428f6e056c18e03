// select/arguments.h - arguments of streams
// uses: core/words.h, core/arguments.h

// Select, partition, runs, by key, segmented scan: one pass over a stream of elements, or of pairs (key, value).
typedef struct gp__stream_args {
  const void *keys; // keys or flags that decide; selection by a predicate: the elements
  const void *values; // values that go with them, or null
  void *out_keys; // or null
  void *out_values; // selection: the first part
  void *out2; // or null: lengths of runs; partition: the second part
  void *out3; // partition: the third part
  gp__u64 *out_count; // or null (scans)
  gp__u64 count; //
  const gp__u64 *count_device; // or null
  const void *offsets; // segmented scan, otherwise null
  gp__u64 segments; //
  const gp__u64 *bad; // or null; not all ones: do nothing (GP_CHECKED)
  void *workspace;
  gp__value first, second; // the predicates' scalars; scans: `first` is the initial value
  int has_init;
} gp__stream_args;
