// api/call.h - a call, whole; a bundle of kernels
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/graph_types.h

// A call, whole. The functions of >>api fill one and hand it to gp_run; fill one yourself for fields they leave out.
typedef struct gp_call {
  gp_primitive primitive;
  gp_op op;        // reduce, scan: binary; transform: unary; transform2: binary; select, partition, count_if, any, all:
                   // a predicate, which is a comparison with *init or a user's unary operator (true: not zero)
  gp_op transform; // reduce, scan: unary, applied to each element as it is loaded; 0: none. Partition in three: the
                   // second predicate, a comparison with *step or a user's operator
  gp_op equal;     // runs and by key: EQUAL (0), NOT_EQUAL, HEADS, or a user's binary operator (true: one run)
  gp_type in_type; // of in (and in2 where in2_type is 0)
  gp_type in2_type;    // transform2: of in2; histogram: of the weights
  gp_type key_type;    // of keys and out_keys; flags: an integer of 1, 2 or 4 bytes
  gp_type offset_type; // of begin and end: i32, u32, i64 or u64
  gp_type acc_type;    // reduce, scan: what is computed in; 0: out_type, or f32 where out_type is f16 or bf16
  gp_type out_type;    // of out; 0: in_type
  gp_type out2_type;   // run lengths: i32, u32, i64 or u64; 0: u32
  const void *in;      // device memory (host memory on the host back end), `count` elements
  const void *in2;     // transform2: the second operand; histogram: weights, one a pixel, or NULL
  const void *keys;  // `count` keys, or flags (GP_HEADS; select and partition without `op`); lower_bound, upper_bound:
                     // the sorted array, `length` elements
  const void *keys2; // merge and sets: the second sorted input, `count2` keys; its values are in2
  const void *begin; // segments: where each begins. With `end` NULL, `segments` + 1 offsets: segment i is
                     // [begin[i], begin[i + 1]). Histogram: bins + 1 boundaries for each channel (in_type)
  const void *end;   // segmented reduce: where each segment ends; segments may overlap, leave gaps, and have any order
  void *out;         // `count` elements; reduce: one; segmented reduce: one a segment; by key: one a run; select: those
                     // selected; histogram: bins of each channel, one channel behind the other
  void *out_keys;    // the first key of each run; NULL: not wanted
  void *out2;        // run lengths: lengths, NULL: not wanted; partition: the second part
  void *out3;        // partition: the third part, NULL: two parts
  uint64_t *out_count; // device memory: the number of runs or of elements selected; partition: one number a part
  uint64_t *bad;       // GP_CHECKED, device memory: the first index whose offset is below the one before it or beyond
                       // count, in which case nothing else is written; UINT64_MAX: all are well
  uint64_t count;
  const uint64_t *count_device; // or NULL; in device memory: the count is min(*count_device, count)
  uint64_t segments;            // number of segments
  uint64_t length; // segmented reduce: elements of every segment, where begin is NULL; lower_bound, upper_bound
  uint64_t bins;   // histogram: bins of a channel
  uint64_t count2; // merge and sets: elements of the second input
  int begin_bit;   // radix sorts: the bits of the key that decide, [begin_bit, end_bit) of its ordered form, where the
  int end_bit;     // order of unsigned integers is that of the keys; both 0: all
  const gp_key_field *fields; // radix sort of struct keys: host memory, read during the call; NULL: `transform` decides
  int field_count;            //
  const gp_layout *in_layout; // convert_layout: of in and of out; host memory, read during the call
  const gp_layout *out_layout; //
  int channels;     // histogram: channels of a pixel, which lie side by side (0: 1); count is the number of pixels
  int active;       // histogram: the first so many of them are counted (0: all)
  const void *init; // host memory, read during the call: scan and reduce: an initial value (accumulator type)
                    // that comes before the first element, NULL: the identity. It is an operand: AND and OR take it
                    // for true or false, so that the first result of an exclusive scan is 0 or 1, and of no elements
                    // the result is that. Fill: the value; iota: start;
                    // predicates: the scalar (in_type); histogram: the lower end of the first bin, one a channel
  const void *step; // iota: the step, NULL: 1; partition: the second scalar; histogram: the upper end of the last bin,
                    // one a channel; NULL of either end, integers only: as far as the type goes
  int flags;        // GP_REPRODUCIBLE, GP_CHECKED, GP_RIGHT, ...
  const gp_policy *policy;           // NULL: the tuned table's, or the portable row
  const gp_permutation *permutation; // transpose: host memory, read during the call
  const gp_graph *graph;             // graphs: host memory, read during the call
  uint64_t source;                   // bfs: where it begins
  const uint64_t *sources;           // bfs_sources: `count` of them; host memory, read during the call
  const uint64_t *source_device;     // or NULL; in device memory, in place of either: one beyond the graph reaches none
  uint64_t target;                   // bfs with GP_UNTIL_TARGET
  uint64_t limit;                    // bfs: depth of the last vertices that are reached; 0: none
  gp_traversal *statistics;          // bfs: device memory, or NULL: not wanted
  gp_fault *fault;                   // bfs with GP_CHECKED, device memory: what gp_graph_check says of the graph
  const gp_graph *out_graph;         // graph_from_edges, graph_relabel: where the new graph goes; host memory, likewise
} gp_call;

// A bundle: kernels compiled ahead of time. tools/gp_bundle writes one as C source.
typedef struct gp_bundle_entry {
  const char *key;        // of the kernel, see gp_compile
  int compute_capability; // 90 for 9.0
  const void *image;      // a cubin
  size_t bytes;
} gp_bundle_entry;
struct gp_bundle {
  const char *header; // how its keys are made: gp_open refuses what another way made
  unsigned count;
  const gp_bundle_entry *entries;
};
