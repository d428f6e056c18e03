// api/structs.h - flags, fields of keys, permutations, layouts of arrays of structs
// uses: api/config.h, api/lists.h

// Flags of a call.
enum {
  GP_REPRODUCIBLE = 1, // reductions and scans, by segment and by key too, group_by: the same bits on every GPU,
  // policy and back end, or GP_E_UNSUPPORTED; bfs: parents too
  GP_CHECKED = 2, // segments by offsets: the offsets are checked first, see gp_call.bad; bfs: gp_call.fault
  GP_RIGHT = 4, // adjacent_difference: with the right neighbour instead of the left one
  GP_DESCENDING = 8, // sorts: largest first, equal keys in the order of the input all the same; top-k: the largest
  GP_UNSORTED = 16, // top-k, distinct, group_by: the results in any order
  GP_KEEP_GAPS = 32, // convert_layout: bytes of the output that belong to no field keep what they hold
  GP_UNTIL_TARGET = 64, // bfs: stops after the level that reaches gp_call.target
  GP_SYMMETRISE = 128, // graph_from_edges: with every edge the opposite one
  GP_UNIQUE_EDGES = 256, // graph_from_edges: of edges that are the same, one
  GP_DROP_LOOPS = 512, // graph_from_edges: no edge from a vertex to itself
  GP_EXCLUSIVE = 1024, // scan_axis: out[i] is the fold of the elements before i
  GP_LITTLE_MEMORY = 2048, // sort, merge_sort: a quarter of the elements in the workspace, slower
  GP_BALANCED = 4096, // gp_world_run: the results in even shares
  GP_FASTEST =
      8192 // any call, in place of GP_REPRODUCIBLE: gives up what costs time, which is what GP_UNSORTED gives up
};

// A field of a struct key: sorts compare the fields of a list one after the other, the most significant first.
typedef struct gp_key_field {
  size_t offset; // of the field in the struct, in bytes
  gp_type type; // a built-in type
  int descending; // 1: largest first
} gp_key_field;

// A column of a table that gp_sort_columns or gp_argsort_columns sorts. A key is of a real built-in type
// of up to 8 bytes.
typedef struct gp_column {
  gp_type type;
  int descending; // keys: 1: largest first; GP_DESCENDING reverses it. Values: 0
  const void *in; // device memory: the elements
  void *out; // device memory: the elements in order; keys: or NULL
} gp_column;
enum { GP_COLUMN_LIMIT = 64, GP_KEY_LIMIT = 8 }; // columns of a call; keys among them

// A column of gp_group_by_many, and what each group's elements of it become:
//    SUM               integers: modulo 2^64, then modulo the result's range; out_type: any integer type; 0: the
//                      column's. bool: the number of true elements, likewise; out_type: an integer type. Floats: their
//                      sum as an exact number, but for bits below 2^-93 of the group's largest magnitude, rounded to
//                      f64 and then to out_type, any float type; 0: the column's. In any order of the elements it is
//                      the same. A NaN, or infinities of both signs, give NaN; zeros give +0.
//    MIN MAX           in the column's type; a NaN wins over everything (the result is then the NaN with the sign 0 and
//                      the upper bit of its fraction set), -0 is below +0
//    COUNT             of elements; type and column are 0; out_type: i32, u32, i64 or u64; 0: u64
//    MEAN              the sum rounded to f64, divided by the count; sums of integers do not wrap. out_type: any float
//                      type; 0: f64
//    ARGMIN ARGMAX     index of the least or greatest element: the lowest of equal ones (-0 equals +0), the first NaN
//                      if there is one; out_type: i32, u32, i64 or u64; 0: i64
typedef enum gp_aggregate_op {
  GP_AGGREGATE_SUM = 1,
  GP_AGGREGATE_MIN = 2,
  GP_AGGREGATE_MAX = 3,
  GP_AGGREGATE_COUNT = 4,
  GP_AGGREGATE_MEAN = 5,
  GP_AGGREGATE_ARGMIN = 6,
  GP_AGGREGATE_ARGMAX = 7
} gp_aggregate_op;
typedef struct gp_aggregate {
  gp_aggregate_op op;
  gp_type type; // of the column: built-in, of up to 8 bytes, not complex
  const void *column; // device memory
  void *out; // device memory: a result for each group
  gp_type out_type; // of the results; 0: see above
} gp_aggregate;
enum { GP_AGGREGATE_LIMIT = 8 }; // aggregates of a call

// Results of a join; of gp_contains: flags.
typedef enum gp_join_kind {
  GP_JOIN_INNER = 0,
  GP_JOIN_LEFT = 1,
  GP_JOIN_SEMI = 2,
  GP_JOIN_ANTI = 3,
  GP_JOIN_FLAGS = 4
} gp_join_kind;

// Segments of an array. gp_segments_init sets them by offsets that follow each other: begin holds count + 1 offsets,
// and segment i is [begin[i], begin[i + 1]). With `end`, begin and end hold `count` offsets each, and segment i is
// [begin[i], end[i]). With `length` and no offsets, segment i is [i * length, (i + 1) * length). Offsets are device
// memory; they start anywhere, never decrease and never exceed the number of elements; with `end` they have any order.
typedef struct gp_segments {
  uint32_t struct_size; // sizeof(gp_segments)
  gp_type offset_type; // i32, u32, i64 or u64; 0 without offsets
  const void *begin;
  const void *end; // or NULL
  uint64_t count; // of segments
  uint64_t length; // of each segment, where begin is NULL
} gp_segments;

// What a transpose does. The input has 1 to 4 dimensions, the slowest first; dimension d of the output is dimension
// order[d] of the input. Strides are in elements, from one index of a dimension to the next; 0: dense, the extent times
// the stride of the next dimension. The last dimension's is 1 on both sides, and none is less than dense.
typedef struct gp_permutation {
  uint32_t struct_size; // sizeof(gp_permutation): gp_permutation_init sets it
  int dimensions; // 1 to 4
  int order[4]; //
  uint64_t extent[4]; // of the input's dimensions
  uint64_t in_stride[4]; // of the input's dimensions
  uint64_t out_stride[4]; // of the output's dimensions
} gp_permutation;
// Rows of a strided array: the elements that differ in their index of one dimension alone, the axis. The array has 1
// to 4 dimensions, the slowest first. Strides are in elements, from one index of a dimension to the next; zero and
// negative ones are possible. The pointer leads to the element whose indices are all 0. Strides of the output lead to a
// place of its own for each element: from the smallest on, each exceeds the reach of those before together.
typedef struct gp_axes {
  uint32_t struct_size; // sizeof(gp_axes): gp_axes_reduced and gp_axes_mapped set it
  int dimensions; // 1 to 4
  int axis; // 0 to dimensions - 1
  uint64_t extent[4]; // of the input's dimensions
  int64_t in_stride[4]; // of the input's dimensions
  int64_t out_stride[4]; // of the output's; a reduction has one element a row, and the axis's is not read
} gp_axes;
// A field of structs that an array keeps in one of several layouts: bytes, whatever they mean.
typedef struct gp_field {
  size_t offset; // in the struct, in bytes
  size_t size; // 1 and more
} gp_field;

// The memory layout of an array of structs. Blocks have `width` structs; in a block, the values of each field are
// contiguous. Field f of struct i begins at byte
//     (i / width) * width * size + offset(f) * width + (i % width) * size(f)
// of the array. A width of 1 (GP_AOS) is C's array of structs, padded or packed by the offsets. A width of 0 (GP_SOA)
// means `capacity`: one block, an array for each field. Other widths are arrays of structs of arrays, whose last block
// is as large as the others. Fields do not overlap; bytes of a struct that belong to no field are gaps. An array of n
// structs takes n * size bytes, with n rounded up to whole blocks.
enum { GP_SOA = 0, GP_AOS = 1 };
typedef struct gp_layout {
  uint32_t struct_size; // sizeof(gp_layout): gp_layout_init sets it
  uint64_t width; // GP_AOS, GP_SOA, or structs of a block
  size_t size; // bytes of a struct, gaps included: 1 to 1024
  const gp_field *fields; //
  int field_count; // 1 to 32
  uint64_t capacity; // GP_SOA in one buffer: structs that there is room for, count or more; 0: as many as the
      // call's count. Otherwise 0: of other widths, and with columns, GP_E_ARGUMENT
  void *const *columns; // GP_SOA: where each field's array begins, instead of one buffer for all; or NULL. Other
      // widths: GP_E_ARGUMENT
  uint64_t order; // of the array's axes: GP_AXES(...), GP_TRANSPOSED; 0: row-major
  uint64_t extent[4]; // of the axes; read only where both layouts' orders differ: then the same in both, and the
      // product is the call's count
} gp_layout;
