// api/call.h - a call, whole; a bundle of kernels
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/graph_types.h

// A call with every option. The named functions fill one and hand it to gp_run. gp_call_init sets every member to its
// default; members that the primitive does not read must stay there. Pointers are device memory (host memory on the
// host back end) unless a comment says host memory, which is read during the call.
typedef struct gp_call {
  uint32_t struct_size; // sizeof(gp_call): gp_call_init sets it
  gp_primitive primitive;
  int flags; // GP_REPRODUCIBLE, GP_CHECKED, GP_RIGHT, ...
  const gp_policy *policy; // host memory; NULL: the tuned row for this device, or the portable one

  // Operators.
  gp_op op; // reduce, scan, transform2: binary; transform: unary; select, partition, count_if, any, all,
      // find_if, replace, is_partitioned, partition_point: the predicate, a comparison with *scalar or a
      // user's unary operator (true: not zero); scatter, gather: one of `keys`; merge, sets, bounds,
      // is_sorted, lexicographic, top-k: less (top-k: 0 is by the bits); mismatch,
      // equal_arrays, adjacent_find: equal
  gp_op transform; // reduce, scan, scatter: unary, applied to each element as it is loaded; sort: makes the value that
      // orders a key; 0: none
  gp_op predicate2; // partition in three: divides the elements that `op` leaves
  gp_op equal; // runs and by key: EQUAL (0), NOT_EQUAL, HEADS, or a user's binary operator (true: one run)

  // Types. 0 is the default.
  gp_type in_type; // of in, and of in2 unless in2_type is set
  gp_type in2_type; // transform2: of in2; histogram: of the weights; scatter, gather: of the indices; searches:
      // in_type
  gp_type key_type; // of keys and out_keys; flags: bool or an integer of 1, 2 or 4 bytes
  gp_type offset_type; // of begin and end: i32, u32, i64 or u64; copy_batch: of the sizes; run_length_expand: of the
      // lengths
  gp_type acc_type; // reduce, scan: the accumulator's; 0: out_type, or f32 where out_type is a smaller float
  gp_type out_type; // of out; 0: in_type
  gp_type out2_type; // run lengths: i32, u32, i64 or u64; 0: u32; top-k: likewise, of out2; 0: none

  // Inputs.
  const void *in; // `count` elements; copy_batch: pointers to the sources; expand, run_length_expand: `segments`
      // values
  const void *in2; // transform2: the second operand; mismatch, equal_arrays, lexicographic: the second array;
      // histogram: weights, one a pixel, or NULL; merge, sets: the second input's values; copy_batch:
      // pointers to the destinations; scatter, gather: indices (scatter: or NULL, and i goes to i);
      // segmented_top_k: u32, a segment's results if fewer than k, or NULL
  const void *keys; // `count` keys, or flags (GP_HEADS; select, partition, scatter and gather without `op`);
      // lower_bound, upper_bound: the sorted array, `key_count` elements; scatter, gather: which
      // elements move; NULL: all
  const void *keys2; // merge and sets: the second sorted input, `count2` keys; join: the build side
  uint64_t count; // elements; histogram: pixels; top_k: columns of a row
  uint64_t count2; // merge, sets, lexicographic, join: elements of the second input
  uint64_t key_count; // lower_bound, upper_bound: elements of keys
  const uint64_t *count_device; // NULL, or the call processes min(*count_device, count) elements

  // Outputs.
  void *out; // `count` elements; reduce: one; segmented reduce: one a segment; by key: one a run; select: the
      // selected ones; histogram: bins of each channel, channel after channel
  void *out2; // run lengths: lengths, or NULL; partition: the second part; top-k with values: indices too, or NULL
  void *out3; // partition: the third part; NULL: two parts; swap: the second array
  void *out_keys; // the first key of each run, or NULL; sorted keys
  uint64_t *out_count; // the number of runs or of selected elements; partition: one number a part; is_sorted, find_if,
      // mismatch, adjacent_find, partition_point: the index; run_length_expand: the sum of the lengths
  uint64_t *bad; // GP_CHECKED: the first index whose offset is below the one before it or beyond count; then
      // nothing else is written; UINT64_MAX: none

  // Values, in host memory.
  const void *init; // reduce, scan: an operand before the first element (accumulator type); NULL: the identity. AND
      // and OR take it for true or false: the first result of an exclusive scan is 0 or 1, and so is
      // the result of no elements
  const void *value; // fill; replace: the new value
  const void *start; // iota; NULL: 0
  const void *step; // iota; NULL: 1
  const void *scalar; // a predicate's right side (in_type)
  const void *scalar2; // of predicate2
  const void *lower; // histogram_even: the lower end of the first bin, one a channel (in_type); integers: NULL is the
      // type's lowest value
  const void *upper; // histogram_even: the upper end of the last bin, likewise
  uint64_t seed; // shuffle

  // Segments, runs, rows.
  const void *begin; // where each segment begins: `segments` + 1 offsets, with `end` `segments` of them;
      // histogram_ranges: bins + 1 boundaries for each channel (in_type); copy_batch: `count`
      // sizes in bytes; run_length_expand: `segments` lengths
  const void *end; // segmented reduce, segmented sort: where each segment ends, or NULL
  uint64_t segments; // number of segments
  uint64_t segment_length; // segmented reduce without offsets: elements of every segment
  uint64_t rows; // top_k: rows of `count` keys; 0: 1
  uint64_t k; // top_k, segmented_top_k: results a row or segment
  uint64_t n; // nth_element: the position; scatter with indices: elements of out; gather: of in

  // Histograms.
  uint64_t bins; // of a channel
  int channels; // of a pixel, side by side; 0: 1
  int active; // the first so many of them are counted; 0: all

  // Sorts.
  int begin_bit; // the bits of the key that decide, [begin_bit, end_bit) of its ordered form, which sorts as an
  int end_bit; // unsigned integer; both 0: all
  int field_count; // of `fields`
  const gp_key_field *fields; // struct keys: host memory; NULL: `transform` decides

  // Layouts, transposes: host memory.
  const gp_layout *in_layout;
  const gp_layout *out_layout;
  const gp_permutation *permutation;

  // Graphs: the structs are host memory.
  const gp_graph *graph;
  const gp_graph *out_graph; // graph_from_edges, graph_relabel: where the new graph goes
  uint64_t source; // bfs
  uint64_t target; // bfs with GP_UNTIL_TARGET
  uint64_t limit; // bfs: depth of the last vertices that are reached; 0: none
  const uint64_t *sources; // bfs_sources: `count` of them, in host memory
  const uint64_t *source_device; // NULL, or the sources in device memory; one beyond the graph reaches none
  gp_traversal *statistics; // bfs: device memory, or NULL
  gp_fault *fault; // bfs with GP_CHECKED: what gp_graph_check says of the graph

  // Memory of the caller's in place of the stream's workspace: device memory that overlaps no buffer, aligned to 256
  // bytes, gp_workspace_size or more. What it contains does not matter. It is in use until the call's work has ended,
  // in a graph until the graph is gone. The context allocates nothing then; words are cleared first, by one memset. The
  // host back end needs none.
  void *workspace;
  uint64_t workspace_bytes; // below what the call needs: GP_E_WORKSPACE, and nothing is launched

  // Hash tables.
  const gp_aggregate *aggregates; // group_by_many: host memory
  uint64_t aggregate_count; // 1 to 8
  uint64_t capacity; // group_by_many, distinct: room of the outputs; 0: `count`; join: room for pairs
  gp_join_kind join; // join: `keys` are the probes, `keys2` the build side; out: u32 or i64 indices of
      // probes, out2: of build keys, of out_type; GP_JOIN_FLAGS: out has bytes

  // Rows of strided arrays.
  const gp_axes *axes; // reduce_axis, row_map, scan_axis, sort_axis, top_k_axis: in host memory
  gp_op apply; // row_map: binary, of an element and its row's reduction; reduce, scans and reduce_by_key, also
      // of segments: unary, makes what is stored of each result, of out_type; 0: none

  // Columns of a sort.
  const gp_column *columns; // sort_columns; unique, reduce_by_key: further values: in host memory
  uint64_t column_count; // up to 64
  uint64_t key_columns; // the first so many of them are keys, by their priority, `keys` before them; others move

  const void *init_device; // scans, in place of `init`: the operand in device memory, read when the call runs
} gp_call;

// A bundle: kernels compiled ahead of time. tools/gp_bundle writes one as C source.
typedef struct gp_bundle_entry {
  const char *key; // of the kernel, see gp_compile
  int compute_capability; // 90 for 9.0
  const void *image; // a cubin
  size_t bytes;
} gp_bundle_entry;
struct gp_bundle {
  const char *header; // how its keys are made: gp_open refuses what another way made
  unsigned count;
  const gp_bundle_entry *entries;
};
