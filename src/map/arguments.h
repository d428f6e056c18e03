// map/arguments.h - arguments of map, reduce, scan and stream kernels
// uses: core/arguments.h

typedef struct gp__map_args {
  const void *in;
  const void *in2;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  gp__value value;                        // fill: the element; iota: the start
  gp__value step;                         // iota
} gp__map_args;

typedef struct gp__reduce_args {
  const void *in;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  void *workspace;                        // control block and words; see gp__geometry
  unsigned long long rounds;              // rounds of `vectors` in a tile: 1, or gp__canonical_rounds
  gp__value init;                         // comes before the first element; the identity where the caller has none
  int has_init;                           // 0: use the operator's identity instead of `init`
  gp__value scalar;                       // count_if, any, all: what elements are compared with
  unsigned long long limit;               // check_offsets: the count that no offset may exceed,
  const unsigned long long *limit_device; // where this is smaller, what it points to; or null
} gp__reduce_args;

typedef struct gp__scan_args {
  const void *in;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  void *workspace;
  gp__value init; // as in gp__reduce_args
  int has_init;
  unsigned blocks; // three sweeps: blocks of the upsweep and of the downsweep
} gp__scan_args;

// Select, partition, runs, by key, segmented scan: one pass over a stream of elements, or of pairs (key, value).
typedef struct gp__stream_args {
  const void *keys;                       // what decides: keys, or flags; selection by a predicate: the elements
  const void *values;                     // what goes along, or null
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
