// api/lists.h - results, types, operators, primitives and algorithms, each declared once

// Each list gives a name and its value. Values never change, new names come last, and the ..._COUNT enumerators grow.

#if !defined(__CUDACC_RTC__)
// Results: X(name, value, text).
#define GP_RESULTS(X) \
  X(GP_SUCCESS, 0, "success") \
  X(GP_E_CONTEXT, 1, "the context is null, closed or was never opened, or a hook uses a context") \
  X(GP_E_NULL, 2, "a required pointer is null") \
  X(GP_E_ARGUMENT, 3, "an argument is not valid for this call") \
  X(GP_E_TYPE, 4, "the type is unknown, or this call cannot take it") \
  X(GP_E_OPERATOR, 5, "the operator is unknown, or this call cannot take it") \
  X(GP_E_SIZE, 6, "the count times the element size overflows") \
  X(GP_E_ALIGNMENT, 7, "a pointer is not aligned to its element type") \
  X(GP_E_OVERLAP, 8, "buffers overlap, and this call does not allow it") \
  X(GP_E_POLICY, 9, "the policy is not valid for this call on this device") \
  X(GP_E_STREAM, 10, "the stream belongs to another context or device") \
  X(GP_E_WORKSPACE, 11, "the stream's workspace is too small and cannot grow while the stream is captured") \
  X(GP_E_MEMORY, 12, "an allocation failed") \
  X(GP_E_NO_DEVICE, 13, "no driver, no GPU, or no device of that index") \
  X(GP_E_DEVICE_TOO_OLD, 14, "the device is older than compute capability 7.5") \
  X(GP_E_NO_COMPILER, 15, "the kernel is neither cached nor bundled, and NVRTC cannot be opened") \
  X(GP_E_COMPILE, 16, "the kernel, or the source of a user's type or operator, does not compile") \
  X(GP_E_BUNDLE, 17, "the bundle is damaged or was made for another version of the header") \
  X(GP_E_DRIVER, 18, "a call of the CUDA driver failed") \
  X(GP_E_UNSUPPORTED, 19, "this back end cannot run the call") \
  X(GP_E_FORK, 20, "the context was opened by the parent process") \
  X(GP_E_WORLD, 21, "NCCL cannot be opened, a call of it failed, or another rank failed, differs or does not answer") \
  X(GP_E_CALLBACK, 22, "a callback of the call failed or cancelled it")

#define GP__ENUM(name, value, text) name = value,
typedef enum gp_result { GP_RESULTS(GP__ENUM) GP_RESULT_COUNT } gp_result;
#undef GP__ENUM
#endif

// Built-in element types: X(NAME, value, name, device type, size). f16 is IEEE binary16, bf16 is bfloat16. bool is a
// byte; any but 0 reads as true. Computed results are 0 or 1; calls that only move elements, such as sorts, may leave
// the byte of a true one as it is. i128 and u128 are two words of 64 bits, the low one first, aligned to 16 bytes: the
// compilers' __int128. c32 and c64 are complex numbers of f32 and f64, real part first, aligned to 8 and 16 bytes as
// cuFloatComplex and cuDoubleComplex are (C's double _Complex may be aligned to 8). e4m3 and e5m2 are floats of a
// byte, float8_e4m3fn and float8_e5m2 of PyTorch and ml_dtypes. docs/types.md says which operator and which call takes
// which type.
#define GP_TYPES(X) \
  X(I8, 1, i8, signed char, 1) \
  X(U8, 2, u8, unsigned char, 1) \
  X(I16, 3, i16, short, 2) \
  X(U16, 4, u16, unsigned short, 2) \
  X(I32, 5, i32, int, 4) \
  X(U32, 6, u32, unsigned int, 4) \
  X(I64, 7, i64, long long, 8) \
  X(U64, 8, u64, unsigned long long, 8) \
  X(F16, 9, f16, gp_f16, 2) \
  X(BF16, 10, bf16, gp_bf16, 2) \
  X(F32, 11, f32, float, 4) \
  X(F64, 12, f64, double, 8) \
  X(BOOL, 13, bool, gp_bool, 1) \
  X(I128, 14, i128, gp_i128, 16) \
  X(U128, 15, u128, gp_u128, 16) \
  X(C32, 16, c32, gp_c32, 8) \
  X(C64, 17, c64, gp_c64, 16) \
  X(E4M3, 18, e4m3, gp_e4m3, 1) \
  X(E5M2, 19, e5m2, gp_e5m2, 1)

// A type: an enumerator, or a handle from gp_type_struct. GP_TYPE_DEFAULT (zero) leaves the choice to the call. gp_type
// and gp_op are enumerations of their own: C++ rejects arguments that change places, C warns (-Wenum-conversion, which
// gcc's -Wextra includes and clang has by default).
#define GP__ENUM(NAME, value, name, device, size) GP_##NAME = value,
typedef enum gp_type {
  GP_INPUT = 0x40000000, // the pointer leads to a gp_input
  GP_TYPE_DEFAULT = 0,
  GP_TYPES(GP__ENUM) GP_TYPE_COUNT,
  GP__TYPE_MIN = -0x7fffffff - 1, // handles have the range of int
  GP__TYPE_MAX = 0x7fffffff
} gp_type;
#undef GP__ENUM

// Built-in operators: X(NAME, value, arity, commutative, device functor). Which NaN comes out is nobody's promise.
// Binary ones serve reduce, scan and transform2:
//   SUM PROD               integers wrap; f16 and bf16 round after every step (an f32 accumulator avoids that);
//                          bool: OR and AND (SUM counts where the accumulator is an integer)
//   MIN MAX                floats: a NaN wins over everything, -0 is below +0 (IEEE 754-2019 minimum and maximum)
//   BIT_AND BIT_OR BIT_XOR integers and bool
//   AND OR                 logical: operands count as true when nonzero, an initial value too; the result is 0 or 1 in
//                          the output type
//   ARGMIN ARGMAX          reduce and scan only: the output element is struct { T value; int64_t index; } in C layout;
//                          the lowest index wins a tie, the first NaN wins over everything; no element has index -1;
//                          padding bytes are zero
//   MINMAX ARGMINMAX       reduce only: two results of one pass, as a struct: {T min; T max;} of MIN and MAX, or
//                          {T min; int64_t min_index; T max; int64_t max_index;} of ARGMIN and ARGMAX
// Unary ones serve transform, and gp_call.transform (applied to each element as it is loaded):
//   CONVERT                like a C cast, but a float outside an integer's range saturates, and NaN becomes 0
//   NEGATE ABS SQUARE NOT  in the type of the result (NOT: 1 where the operand is zero, else 0)
// Others have a call's role:
//   SUB                    transform2 and adjacent_difference: a - b (integers wrap)
//   EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL
//                          predicates: the element compared with a scalar, as C compares (a NaN is unequal to
//                          everything, -0 equals +0); EQUAL and NOT_EQUAL also say which neighbours belong to one run
//   HEADS                  in place of equality: the keys are flags, and an element whose flag is not zero starts a run
#define GP_OPERATORS(X) \
  X(SUM, 1, 2, 1, gp_sum) \
  X(PROD, 2, 2, 1, gp_prod) \
  X(MIN, 3, 2, 1, gp_min) \
  X(MAX, 4, 2, 1, gp_max) \
  X(BIT_AND, 5, 2, 1, gp_bit_and) \
  X(BIT_OR, 6, 2, 1, gp_bit_or) \
  X(BIT_XOR, 7, 2, 1, gp_bit_xor) \
  X(AND, 8, 2, 1, gp_and) \
  X(OR, 9, 2, 1, gp_or) \
  X(ARGMIN, 10, 2, 1, gp_argmin) \
  X(ARGMAX, 11, 2, 1, gp_argmax) \
  X(CONVERT, 12, 1, 0, gp_convert) \
  X(NEGATE, 13, 1, 0, gp_negate) \
  X(ABS, 14, 1, 0, gp_abs) \
  X(SQUARE, 15, 1, 0, gp_square) \
  X(NOT, 16, 1, 0, gp_not) \
  X(SUB, 17, 2, 0, gp_sub) \
  X(EQUAL, 18, 2, 1, gp_equal) \
  X(NOT_EQUAL, 19, 2, 1, gp_not_equal) \
  X(LESS, 20, 2, 0, gp_less) \
  X(LESS_EQUAL, 21, 2, 0, gp_less_equal) \
  X(GREATER, 22, 2, 0, gp_greater) \
  X(GREATER_EQUAL, 23, 2, 0, gp_greater_equal) \
  X(HEADS, 24, 2, 0, gp_heads) \
  X(MINMAX, 25, 2, 1, gp_minmax) \
  X(ARGMINMAX, 26, 2, 1, gp_argminmax)

// An operator: one of the enumerators, or a handle from gp_op_define.
#define GP__ENUM(NAME, value, arity, commutative, functor) GP_##NAME = value,
typedef enum gp_op {
  GP_OP_DEFAULT = 0,
  GP_OPERATORS(GP__ENUM) GP_OP_COUNT,
  GP__OP_MIN = -0x7fffffff - 1, // handles have the range of int
  GP__OP_MAX = 0x7fffffff
} gp_op;
#undef GP__ENUM

// Primitives: X(NAME, value, name).
#define GP_PRIMITIVES(X) \
  X(COPY, 1, copy) \
  X(FILL, 2, fill) \
  X(IOTA, 3, iota) \
  X(TRANSFORM, 4, transform) \
  X(TRANSFORM2, 5, transform2) \
  X(REDUCE, 6, reduce) \
  X(INCLUSIVE_SCAN, 7, inclusive_scan) \
  X(EXCLUSIVE_SCAN, 8, exclusive_scan) \
  X(SEGMENTED_REDUCE, 9, segmented_reduce) \
  X(SEGMENTED_INCLUSIVE_SCAN, 10, segmented_inclusive_scan) \
  X(SEGMENTED_EXCLUSIVE_SCAN, 11, segmented_exclusive_scan) \
  X(INCLUSIVE_SCAN_BY_KEY, 12, inclusive_scan_by_key) \
  X(EXCLUSIVE_SCAN_BY_KEY, 13, exclusive_scan_by_key) \
  X(REDUCE_BY_KEY, 14, reduce_by_key) \
  X(RUN_LENGTHS, 15, run_lengths) \
  X(NONTRIVIAL_RUNS, 16, nontrivial_runs) \
  X(UNIQUE, 17, unique) \
  X(ADJACENT_DIFFERENCE, 18, adjacent_difference) \
  X(SELECT, 19, select) \
  X(PARTITION, 20, partition) \
  X(COUNT_IF, 21, count_if) \
  X(ANY, 22, any) \
  X(ALL, 23, all) \
  X(HISTOGRAM_EVEN, 24, histogram_even) \
  X(HISTOGRAM_RANGES, 25, histogram_ranges) \
  X(LOWER_BOUND, 26, lower_bound) \
  X(UPPER_BOUND, 27, upper_bound) \
  X(LOAD_BALANCE, 28, load_balance) \
  X(SORT, 29, sort) \
  X(MERGE_SORT, 30, merge_sort) \
  X(MERGE, 31, merge) \
  X(SET_UNION, 32, set_union) \
  X(SET_INTERSECTION, 33, set_intersection) \
  X(SET_DIFFERENCE, 34, set_difference) \
  X(SET_SYMMETRIC_DIFFERENCE, 35, set_symmetric_difference) \
  X(IS_SORTED, 36, is_sorted) \
  X(SEGMENTED_SORT, 37, segmented_sort) \
  X(TOP_K, 38, top_k) \
  X(NTH_ELEMENT, 39, nth_element) \
  X(SHUFFLE, 40, shuffle) \
  X(GROUP_BY, 41, group_by) \
  X(CHECK_OFFSETS, 42, check_offsets) \
  X(TRANSPOSE, 43, transpose) \
  X(CONVERT_LAYOUT, 44, convert_layout) \
  X(BFS, 45, bfs) \
  X(GRAPH_FROM_EDGES, 46, graph_from_edges) \
  X(GRAPH_TRANSPOSE, 47, graph_transpose) \
  X(GRAPH_RELABEL, 48, graph_relabel) \
  X(GRAPH_DEGREES, 49, graph_degrees) \
  X(GRAPH_CHECK, 50, graph_check) \
  X(BFS_CHECK, 51, bfs_check) \
  X(CONNECTED_COMPONENTS, 52, connected_components) \
  X(BFS_SOURCES, 53, bfs_sources) \
  X(REVERSE, 54, reverse) \
  X(FIND_IF, 55, find_if) \
  X(MISMATCH, 56, mismatch) \
  X(EQUAL_ARRAYS, 57, equal_arrays) \
  X(ADJACENT_FIND, 58, adjacent_find) \
  X(COPY_BATCH, 59, copy_batch) \
  X(EXPAND, 60, expand) \
  X(RUN_LENGTH_EXPAND, 61, run_length_expand) \
  X(GROUP_BY_MANY, 62, group_by_many) \
  X(DISTINCT, 63, distinct) \
  X(JOIN, 64, join) \
  X(SCATTER, 65, scatter) \
  X(REPLACE, 66, replace) \
  X(SWAP, 67, swap) \
  X(LEXICOGRAPHIC, 68, lexicographic) \
  X(IS_PARTITIONED, 69, is_partitioned) \
  X(PARTITION_POINT, 70, partition_point) \
  X(GATHER, 71, gather) \
  X(SEGMENTED_TOP_K, 72, segmented_top_k) \
  X(REDUCE_AXIS, 73, reduce_axis) \
  X(ROW_MAP, 74, row_map) \
  X(SCAN_AXIS, 75, scan_axis) \
  X(SORT_AXIS, 76, sort_axis) \
  X(TOP_K_AXIS, 77, top_k_axis) \
  X(SORT_COLUMNS, 78, sort_columns)

#define GP__ENUM(NAME, value, name) GP_##NAME = value,
typedef enum gp_primitive { GP_PRIMITIVE_NONE = 0, GP_PRIMITIVES(GP__ENUM) GP_PRIMITIVE_COUNT } gp_primitive;
#undef GP__ENUM

// The policy field "algorithm". GP_AUTO leaves the choice to the size and the device (core/choose.c). X(NAME, value).
#define GP_ALGORITHMS(X) \
  X(DIRECT, 1) /* copy, fill, iota, transform: registers only; row_map, reduce_axis: a row in registers */ \
  X(EVEN_SHARE, 2) /* reduce: an equal share of the input a block; the last block combines; */ \
  /* rows: of a row, or of columns; the block of the last share combines */ \
  X(STEALING, 3) /* reduce: blocks draw tiles by ticket; the last block combines one partial result a tile; */ \
  /* find: tiles by ticket, none after a hit */ \
  X(ONE_BLOCK, 4) /* reduce, scan, sort: a single block */ \
  X(LOOK_BACK, 5) /* scan, select, runs, by key: one pass, decoupled look-back */ \
  X(THREE_SWEEP, 6) /* scan: upsweep, spine, downsweep; three launches */ \
  X(PIPELINED, 7) /* scan, segmented reduce, sets: persistent blocks, bulk copies; sm_90 and later */ \
  X(MERGE_PATH, 8) /* segmented reduce, load balance: equal shares of elements and segments a block */ \
  X(SHARED_BINS, 9) /* histogram: replicated counters in shared memory */ \
  X(GLOBAL_BINS, 10) /* histogram: counters in the output */ \
  X(WARP_SEGMENTS, 11) /* segmented reduce, scan: lanes of a warp a segment; a block a long one; */ \
  /* reduce_axis, segmented top-k: lanes of a warp a row */ \
  X(ONE_SWEEP, 12) /* sort: least significant digit first, one sweep with look-back a digit */ \
  X(HYBRID, 13) /* sort: partitions from the most significant digit, then buckets on chip; */ \
  /* bfs: contract-expand, two-phase at levels of many edges */ \
  X(COUNTING, 14) /* sort of 8- and 16-bit keys without values: count, scan, fill */ \
  X(MERGE_PASSES, 15) /* merge sort: tiles sorted on chip, then passes of merges */ \
  X(SIZE_CLASSES, 16) /* segmented sort: a kernel a class of segment lengths */ \
  X(RADIX_SELECT, 17) /* top-k, nth element: digit by digit towards the k-th key */ \
  X(BEST_LISTS, 18) /* top-k: each block keeps its best keys; reads the keys once */ \
  X(ADAPTIVE, 19) /* sort: one-sweep or hybrid, chosen on the device from the keys */ \
  X(PADDED_TILES, 20) /* transpose: tiles in padded shared memory, free of bank conflicts */ \
  X(EXPAND_CONTRACT, 21) /* bfs: from vertex frontier to vertex frontier; all levels in one launch */ \
  X(FUSED_LAUNCHES, 22) /* bfs: as EXPAND_CONTRACT, one launch a step */ \
  X(CONTRACT_EXPAND, 23) /* bfs: from edge frontier to edge frontier; one launch a level, top-down */ \
  X(TWO_PHASE, 24) /* bfs: expands to edges, contracts to vertices; two launches a level, top-down; */ \
  /* lower, upper bound: a launch that samples the sorted array, then the search */ \
  X(BUFFERED_PANELS, 25) /* transpose in place: half of a rectangle goes through the workspace */ \
  X(PAIRED_SWEEP, 26) /* sort of 4-byte pairs: one-sweep; keys and values interleaved between passes */ \
  X(ROUND_TRIP, 27) /* transpose in place: out of place into the workspace, then a copy back */ \
  X(FOUR_WAY_PASSES, 28) /* merge sort: as MERGE_PASSES; a pass merges four runs */ \
  X(LEADING_SWEEP, 29) /* sort of 4-byte keys with values: one sweep by leading bits, then buckets on chip */ \
  X(ONE_CLUSTER, 30) /* sort, top-k (a digit a pass), scans, streams, histogram: one cluster does all; from sm_90 */ \
  X(ONE_LAUNCH, 31) /* sort, top-k: a digit a pass by resident blocks, in device memory, one launch */ \
  X(SAMPLED_SELECT, 32) /* top-k: one launch bounds the keys, first by a sample; a cluster sorts those within */

#define GP__ENUM(NAME, value) GP_##NAME = value,
enum { GP_AUTO = 0, GP_ALGORITHMS(GP__ENUM) GP_ALGORITHM_COUNT };
#undef GP__ENUM
