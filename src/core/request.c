// core/request.c - users' types and operators as the context keeps them; a checked call
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, api/graph_types.h, api/input.h,
//   core/words.h, core/rules.h, core/arguments.h, core/input_data.h, core/messages.c

// A struct type or an operator that the user defined; strings are owned by the context.
typedef struct gp__type_info {
  char *name;
  char *source; // or NULL: raw bytes
  size_t size;
  size_t align;
} gp__type_info;

typedef struct gp__op_info {
  char *name;
  char *body; // or NULL
  char *prelude; // or NULL
  char *identity; // or NULL
  int arity;
  int commutative;
  gp_host_fn host; // or NULL
  void *host_user;
  int has_host_identity;
  gp__value host_identity;
} gp__op_info;
// Applies a user's operator, also in a thread of OpenMP, which no call has entered.
GP__HOST void gp__host_apply(const gp__op_info *op, void *result, const void *a, const void *b) {
  const char *outer = gp__hook_begins("gp_op_desc.host");
  op->host(op->host_user, result, a, b);
  gp__hook_ends(outer);
}

// A description in a row: parts come before what is made of them. numbers: of `node`, or -1.
typedef struct gp__input_node {
  const gp_input *from; // the caller's, during the check
  gp_input_kind kind;
  int part[4]; // -1: none
  gp_type type;
  const gp__type_info *info; // NULL: built in
  size_t size, align;
  gp_op op;
  const gp__op_info *user_op;
  int array, value; // numbers in gp__input_data
} gp__input_node;
typedef struct gp__inputs {
  int count, arrays, values; // count: of `node`
  int in, in2, keys, keys2; // the nodes that gp_call's members are, plus 1; 0: an array, or none
  uint64_t elements[4]; // of in, in2, keys, keys2
  gp__input_node node[GP_INPUT_PARTS];
  gp__input_data data;
} gp__inputs;
typedef char gp__input_data_has_room[GP_INPUT_ARRAYS == sizeof((gp__input_data *)0)->array / sizeof(void *) &&
            GP_INPUT_VALUES == sizeof((gp__input_data *)0)->value / sizeof(gp__value)
        ? 1
        : -1];

// A transpose with merged dimensions. Bytes. The input is contiguous in dimension 0, the output in dimension 1; in
// GP__MOVE_ROWS both are contiguous in dimension 0, and 1 is the largest of the others.
typedef struct gp__moves {
  int kind, size, word; // size: of an element; all addresses are multiples of `word`
  uint64_t extent[4], in_stride[4], out_stride[4]; // 2 and 3: matrices
  uint64_t in_span, out_span; // elements from the first to the last, of the call's type
} gp__moves;
// Rows of a strided array: dimension 0 is the axis; the others are sorted, the closest elements first, and merged.
typedef struct gp__row_span {
  uint64_t bytes, before; // from the lowest address on; from there to element 0
} gp__row_span;
typedef struct gp__rows {
  uint64_t extent[4];
  int64_t in_stride[4], out_stride[4]; // elements; the output's axis: 0 in a reduction
  gp__row_span in_span, out_span;
  int same; // strides of the input and the output are the same
  int columns; // elements of neighbouring rows are closer than those of a row
} gp__rows;
// A checked call with every default filled in.
enum { GP__IS_BOTH = 2 };
typedef struct gp__request {
  gp_primitive primitive;
  gp_op op; // 0 for copy, fill and iota
  gp_op transform, stored; // 0: none; stored: `apply` of a fold
  const gp__op_info *user_op; // NULL: `op` is built in
  const gp__op_info *user_transform, *user_stored; // NULL: they are built in, or none
  gp_op equal; // runs, by key: EQUAL, NOT_EQUAL, HEADS
  const gp__op_info *user_equal; // NULL: `equal` is built in
  gp_type in_type, in2_type, acc_type, out_type; // handles >= GP_TYPE_COUNT are structs
  const gp__type_info *in_struct, *in2_struct, *acc_struct, *out_struct; // NULL: built in
  size_t in_size, in2_size, acc_size, out_size; // bytes; with is_arg, acc_size and out_size are those of the pair
  int is_arg; // the accumulator and the output are structs: 1: { acc_type value; int64_t index; } of ARGMIN, ARGMAX;
      // GP__IS_BOTH: two values; 3: two of 1
  int has_init; // `init` holds a value, or init_device leads to one
  int flags;
  const void *in, *in2;
  void *out;
  uint64_t count; // on the host back end already min(count, *count_device)
  uint64_t stride; // count as the caller has given it; top-k: elements of a row
  uint64_t row_bytes; // the sort of a top-k's rows, which share a policy: bytes from row to row; else 0
  const uint64_t *count_device; // or NULL
  const void *init_device; // or NULL
  const uint64_t *limit_device; // check_offsets: the call's own count_device, or NULL
  gp__value init; // scan, reduce: accumulator; fill: element; iota: start
  gp__value step; // iota; partition: the second scalar; histogram: the upper ends
  // Members of gp_call of the same names, checked, with their defaults filled in.
  gp_type key_type, offset_type, out2_type; // 0 where the call has none
  const gp__type_info *key_struct;
  size_t key_size, offset_size, out2_size;
  const void *keys, *begin, *end;
  void *out_keys, *out2, *out3;
  uint64_t *out_count, *bad; // bad: NULL without GP_CHECKED
  uint64_t segments, length, bins;
  int channels, active; // at least 1
  const void *keys2;
  uint64_t count2;
  int begin_bit, end_bit; // radix sorts: resolved, [0, 8 * key_size) where the caller has set none
  const gp_key_field *fields;
  int field_count;
  gp__moves moves; // transpose
  gp__rows rows; // reduce_axis, row_map, scan_axis, sort_axis, top_k_axis
  int in_segments; // segmented sort: indices count from the beginning of their segment
  gp_layout in_layout, out_layout; // convert_layout, else zero; in_size and out_size are those of the structs
  int numbers; // radix sort of floats: -0 and +0 are equal
  gp_graph graph, out_graph; // their types filled in; offset_type and key_type are those
  uint64_t source, target, limit; // target: ~0 without GP_UNTIL_TARGET
  const uint64_t *sources, *source_device; // or NULL; of many sources, `segments` of them
  gp_traversal *statistics; // or NULL
  gp_fault *fault; // NULL without GP_CHECKED
  void *workspace; // the caller's, or NULL
  uint64_t workspace_bytes;
  int fused; // described inputs that kernels read; bits: 1: in, 2: in2
  int written; // others are written to arrays first
  int in_steps; // other calls in place of kernels: GP_LITTLE_MEMORY; by key with GP_REPRODUCIBLE
  int stepwise; // bfs: a launch a step, because a cooperative one was refused
  const gp_aggregate *aggregates;
  uint64_t aggregate_count, capacity;
  gp_join_kind join;
  const gp_column *columns;
  uint64_t column_count, key_columns;
  const gp_policy *policy; // of a step of a plan; NULL: any
  const uint64_t *starts; // hybrid sorts of keys in order by their first 8 bits: where each of these digits begins, and
      // the end, in an array of which the call has a part; or NULL
  uint64_t starts_from; // the part's first element
  gp__u8 **staged; // host memory that the device copies from until the call has run: it takes what it needs
  int composed; // of other calls, though its family launches kernels
  gp__inputs inputs; // described ones; `in`, `in2`, `keys`, `keys2` are NULL then
  gp__u8 column_size[GP_COLUMN_LIMIT], column_align[GP_COLUMN_LIMIT]; // of `columns`: bytes
} gp__request;
