// api/lists.h - results, types, operators, primitives and algorithms, each declared once

// Results: X(name, text).
#define GP_RESULTS(X)                                                                                                  \
  X(GP_SUCCESS, "success")                                                                                             \
  X(GP_E_CONTEXT, "the context is null, closed, was never open, or a hook of a running call uses one")                 \
  X(GP_E_NULL, "a required pointer is null")                                                                           \
  X(GP_E_ARGUMENT, "an argument has no meaning here")                                                                  \
  X(GP_E_TYPE, "the type is unknown, or this call cannot take it")                                                     \
  X(GP_E_OPERATOR, "the operator is unknown, or this call cannot take it")                                             \
  X(GP_E_SIZE, "the count times the element size overflows")                                                           \
  X(GP_E_ALIGNMENT, "a pointer is not aligned to its element type")                                                    \
  X(GP_E_OVERLAP, "buffers overlap where the table of the header forbids it")                                          \
  X(GP_E_POLICY, "the policy is not valid for this call on this device")                                               \
  X(GP_E_STREAM, "the stream belongs to another context or device")                                                    \
  X(GP_E_WORKSPACE, "the stream's workspace is too small and cannot grow while the stream is captured")                \
  X(GP_E_MEMORY, "an allocation failed")                                                                               \
  X(GP_E_NO_DEVICE, "no GPU, or no driver, or no such device")                                                         \
  X(GP_E_DEVICE_TOO_OLD, "the device is older than compute capability 7.5")                                            \
  X(GP_E_NO_COMPILER, "the kernel is neither cached nor bundled, and NVRTC cannot be opened")                          \
  X(GP_E_COMPILE, "the kernel, or the source of a user's type or operator, does not compile")                          \
  X(GP_E_BUNDLE, "the bundle is damaged or was made for another version of the header")                                \
  X(GP_E_DRIVER, "a call of the CUDA driver failed")                                                                   \
  X(GP_E_UNSUPPORTED, "this back end cannot run the call")                                                             \
  X(GP_E_FORK, "the context was opened by the parent of this process")

#define GPUPRIMS__ENUM(name, text) name,
typedef enum gp_result { GP_RESULTS(GPUPRIMS__ENUM) GP_RESULT_COUNT } gp_result;
#undef GPUPRIMS__ENUM

// Built-in element types: X(NAME, name, device type, size). f16 is IEEE binary16, bf16 is bfloat16.
#define GP_TYPES(X)                                                                                                    \
  X(I8, i8, signed char, 1)                                                                                            \
  X(U8, u8, unsigned char, 1)                                                                                          \
  X(I16, i16, short, 2)                                                                                                \
  X(U16, u16, unsigned short, 2)                                                                                       \
  X(I32, i32, int, 4)                                                                                                  \
  X(U32, u32, unsigned int, 4)                                                                                         \
  X(I64, i64, long long, 8)                                                                                            \
  X(U64, u64, unsigned long long, 8)                                                                                   \
  X(F16, f16, gp_f16, 2)                                                                                               \
  X(BF16, bf16, gp_bf16, 2)                                                                                            \
  X(F32, f32, float, 4)                                                                                                \
  X(F64, f64, double, 8)

// A type: an enumerator, or a handle from gp_type_struct. GP_TYPE_DEFAULT (zero) leaves the choice to the call. gp_type
// and gp_op are enumerations of their own: C++ rejects arguments that change places, C warns (-Wenum-conversion, which
// gcc's -Wextra includes and clang has by default).
#define GPUPRIMS__ENUM(NAME, name, device, size) GP_##NAME,
typedef enum gp_type {
  GP_TYPE_DEFAULT = 0,
  GP_TYPES(GPUPRIMS__ENUM) GP_TYPE_COUNT,
  GPUPRIMS__TYPE_MIN = -0x7fffffff - 1, // handles have the range of int
  GPUPRIMS__TYPE_MAX = 0x7fffffff
} gp_type;
#undef GPUPRIMS__ENUM

// Built-in operators: X(NAME, arity, commutative, device functor). Which NaN comes out is nobody's promise.
// Binary ones serve reduce, scan and transform2:
//   SUM PROD               integers wrap; f16 and bf16 round after every step (choose an f32 accumulator to avoid that)
//   MIN MAX                floats: a NaN wins over everything, -0 is below +0 (IEEE 754-2019 minimum and maximum)
//   BIT_AND BIT_OR BIT_XOR integers only
//   AND OR                 logical: operands count as true when nonzero, an initial value too; the result is 0 or 1 in
//                          the output type
//   ARGMIN ARGMAX          reduce and scan only: the output element is struct { T value; int64_t index; } in C layout;
//                          the lowest index wins a tie, the first NaN wins over everything; no element has index -1;
//                          padding bytes are zero
// Unary ones serve transform, and gp_call.transform (applied to each element as it is loaded):
//   CONVERT                like a C cast, but a float outside an integer's range saturates, and NaN becomes 0
//   NEGATE ABS SQUARE NOT  in the type of the result (NOT: 1 where the operand is zero, else 0)
// Others have a call's role:
//   SUB                    transform2 and adjacent_difference: a - b (integers wrap)
//   EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL
//                          predicates: the element compared with a scalar, as C compares (a NaN is unequal to
//                          everything, -0 equals +0); EQUAL and NOT_EQUAL also say which neighbours belong to one run
//   HEADS                  in place of equality: the keys are flags, and an element whose flag is not zero starts a run
#define GP_OPERATORS(X)                                                                                                \
  X(SUM, 2, 1, gp_sum)                                                                                                 \
  X(PROD, 2, 1, gp_prod)                                                                                               \
  X(MIN, 2, 1, gp_min)                                                                                                 \
  X(MAX, 2, 1, gp_max)                                                                                                 \
  X(BIT_AND, 2, 1, gp_bit_and)                                                                                         \
  X(BIT_OR, 2, 1, gp_bit_or)                                                                                           \
  X(BIT_XOR, 2, 1, gp_bit_xor)                                                                                         \
  X(AND, 2, 1, gp_and)                                                                                                 \
  X(OR, 2, 1, gp_or)                                                                                                   \
  X(ARGMIN, 2, 1, gp_argmin)                                                                                           \
  X(ARGMAX, 2, 1, gp_argmax)                                                                                           \
  X(CONVERT, 1, 0, gp_convert)                                                                                         \
  X(NEGATE, 1, 0, gp_negate)                                                                                           \
  X(ABS, 1, 0, gp_abs)                                                                                                 \
  X(SQUARE, 1, 0, gp_square)                                                                                           \
  X(NOT, 1, 0, gp_not)                                                                                                 \
  X(SUB, 2, 0, gp_sub)                                                                                                 \
  X(EQUAL, 2, 1, gp_equal)                                                                                             \
  X(NOT_EQUAL, 2, 1, gp_not_equal)                                                                                     \
  X(LESS, 2, 0, gp_less)                                                                                               \
  X(LESS_EQUAL, 2, 0, gp_less_equal)                                                                                   \
  X(GREATER, 2, 0, gp_greater)                                                                                         \
  X(GREATER_EQUAL, 2, 0, gp_greater_equal)                                                                             \
  X(HEADS, 2, 0, gp_heads)

// An operator: one of the enumerators, or a handle from gp_op_define.
#define GPUPRIMS__ENUM(NAME, arity, commutative, functor) GP_##NAME,
typedef enum gp_op {
  GP_OP_DEFAULT = 0,
  GP_OPERATORS(GPUPRIMS__ENUM) GP_OP_COUNT,
  GPUPRIMS__OP_MIN = -0x7fffffff - 1, // handles have the range of int
  GPUPRIMS__OP_MAX = 0x7fffffff
} gp_op;
#undef GPUPRIMS__ENUM

// Primitives: X(NAME, name).
#define GP_PRIMITIVES(X)                                                                                               \
  X(COPY, copy)                                                                                                        \
  X(FILL, fill)                                                                                                        \
  X(IOTA, iota)                                                                                                        \
  X(TRANSFORM, transform)                                                                                              \
  X(TRANSFORM2, transform2)                                                                                            \
  X(REDUCE, reduce)                                                                                                    \
  X(INCLUSIVE_SCAN, inclusive_scan)                                                                                    \
  X(EXCLUSIVE_SCAN, exclusive_scan)                                                                                    \
  X(SEGMENTED_REDUCE, segmented_reduce)                                                                                \
  X(SEGMENTED_INCLUSIVE_SCAN, segmented_inclusive_scan)                                                                \
  X(SEGMENTED_EXCLUSIVE_SCAN, segmented_exclusive_scan)                                                                \
  X(INCLUSIVE_SCAN_BY_KEY, inclusive_scan_by_key)                                                                      \
  X(EXCLUSIVE_SCAN_BY_KEY, exclusive_scan_by_key)                                                                      \
  X(REDUCE_BY_KEY, reduce_by_key)                                                                                      \
  X(RUN_LENGTHS, run_lengths)                                                                                          \
  X(NONTRIVIAL_RUNS, nontrivial_runs)                                                                                  \
  X(UNIQUE, unique)                                                                                                    \
  X(ADJACENT_DIFFERENCE, adjacent_difference)                                                                          \
  X(SELECT, select)                                                                                                    \
  X(PARTITION, partition)                                                                                              \
  X(COUNT_IF, count_if)                                                                                                \
  X(ANY, any)                                                                                                          \
  X(ALL, all)                                                                                                          \
  X(HISTOGRAM_EVEN, histogram_even)                                                                                    \
  X(HISTOGRAM_RANGES, histogram_ranges)                                                                                \
  X(LOWER_BOUND, lower_bound)                                                                                          \
  X(UPPER_BOUND, upper_bound)                                                                                          \
  X(LOAD_BALANCE, load_balance)                                                                                        \
  X(SORT, sort)                                                                                                        \
  X(MERGE_SORT, merge_sort)                                                                                            \
  X(MERGE, merge)                                                                                                      \
  X(SET_UNION, set_union)                                                                                              \
  X(SET_INTERSECTION, set_intersection)                                                                                \
  X(SET_DIFFERENCE, set_difference)                                                                                    \
  X(SET_SYMMETRIC_DIFFERENCE, set_symmetric_difference)                                                                \
  X(IS_SORTED, is_sorted)                                                                                              \
  X(SEGMENTED_SORT, segmented_sort)                                                                                    \
  X(TOP_K, top_k)                                                                                                      \
  X(NTH_ELEMENT, nth_element)                                                                                          \
  X(SHUFFLE, shuffle)                                                                                                  \
  X(GROUP_BY, group_by)                                                                                                \
  X(CHECK_OFFSETS, check_offsets)                                                                                      \
  X(TRANSPOSE, transpose)                                                                                              \
  X(CONVERT_LAYOUT, convert_layout)                                                                                    \
  X(BFS, bfs)                                                                                                          \
  X(GRAPH_FROM_EDGES, graph_from_edges)                                                                                \
  X(GRAPH_TRANSPOSE, graph_transpose)                                                                                  \
  X(GRAPH_RELABEL, graph_relabel)                                                                                      \
  X(GRAPH_DEGREES, graph_degrees)                                                                                      \
  X(GRAPH_CHECK, graph_check)                                                                                          \
  X(BFS_CHECK, bfs_check)                                                                                              \
  X(CONNECTED_COMPONENTS, connected_components)                                                                        \
  X(BFS_SOURCES, bfs_sources)                                                                                          \
  X(REVERSE, reverse)

#define GPUPRIMS__ENUM(NAME, name) GP_##NAME,
typedef enum gp_primitive { GP_PRIMITIVE_NONE = 0, GP_PRIMITIVES(GPUPRIMS__ENUM) GP_PRIMITIVE_COUNT } gp_primitive;
#undef GPUPRIMS__ENUM

// How a primitive goes about its work (the policy field "algorithm"). GP_AUTO lets the size and the device decide, by
// the rule beside gp__choose in >>policy. X(NAME).
#define GP_ALGORITHMS(X)                                                                                               \
  X(DIRECT)        /* copy, fill, iota, transform: registers only */                                                   \
  X(EVEN_SHARE)    /* reduce: each block one share of the input, the block that starts last combines */                \
  X(STEALING)      /* reduce: tiles by ticket, a partial result a tile, the block that draws last combines */          \
  X(ONE_BLOCK)     /* reduce, scan, sort: a single block */                                                            \
  X(LOOK_BACK)     /* scan, select, runs, by key: one pass, decoupled look-back */                                     \
  X(THREE_SWEEP)   /* scan: upsweep, spine, downsweep (three launches) */                                              \
  X(PIPELINED)     /* the same, and segmented reduce: persistent blocks, bulk copies; sets: a warp draws tiles, */     \
                   /* finds their ends and looks back for the others (compute capability 9.0, later) */                \
  X(MERGE_PATH)    /* segmented reduce, load balance: blocks have equal numbers of elements and segments together */   \
  X(SHARED_BINS)   /* histogram: counters in shared memory, as many replicas as fit */                                 \
  X(GLOBAL_BINS)   /* histogram: counters in the output */                                                             \
  X(WARP_SEGMENTS) /* segmented reduce: lanes of a warp a segment, the block a long one */                             \
  X(ONE_SWEEP)     /* sort: a digit a pass from the least significant, each pass one sweep with look-back */           \
  X(HYBRID)        /* sort: partitions from the most significant digit until buckets fit on chip, which sorts them; */ \
                   /* bfs: contract-expand, and two-phase at levels of many edges */                                   \
  X(COUNTING)      /* sort of 8- and 16-bit keys without values: count, scan, fill */                                  \
  X(MERGE_PASSES)  /* merge sort: tiles sorted on chip, then passes of merges */                                       \
  X(SIZE_CLASSES)  /* segmented sort: segments by length, each class by kernels of its own */                          \
  X(RADIX_SELECT)  /* top-k, nth element: digit by digit towards the k-th key */                                       \
  X(BEST_LISTS)    /* top-k: blocks keep the best they have seen, in one read of the keys */                           \
  X(ADAPTIVE)      /* sort: one sweep a digit or hybrid, as the keys are */                                            \
  X(PADDED_TILES)  /* transpose: tiles in shared memory with gaps, so that columns lie in banks of their own */        \
  X(EXPAND_CONTRACT) /* bfs: a level is one step from frontier to frontier of vertices; all in one launch */           \
  X(FUSED_LAUNCHES)  /* bfs: the same, a launch a step */                                                              \
  X(CONTRACT_EXPAND) /* bfs: a level is one step from frontier to frontier of edges; a launch a level, top-down */     \
  X(TWO_PHASE)       /* bfs: from edges to vertices, and from vertices to edges; two launches a level, top-down */     \
  X(BUFFERED_PANELS) /* transpose in place: half of a rectangle goes by way of the workspace, the other straight */    \
  X(PAIRED_SWEEP)    /* sort of pairs of 4 bytes each: one sweep; between its passes a value lies beside its key */    \
  X(ROUND_TRIP)      /* transpose in place: out of place into the workspace, and back by a copy */                     \
  X(FOUR_WAY_PASSES) /* merge sort: as GP_MERGE_PASSES, but a pass makes one run of four (the rule) */                 \
  X(LEADING_SWEEP)   /* sort of keys of 4 bytes with values: one sweep by the leading bits, then buckets on chip */    \
  X(ONE_CLUSTER)     /* sort: a digit a pass by one cluster's blocks, in their shared memory (9.0 and later) */        \
  X(ONE_LAUNCH)      /* sort: the same by blocks that are all resident, from memory to memory */

#define GPUPRIMS__ENUM(NAME) GP_##NAME,
enum { GP_AUTO = 0, GP_ALGORITHMS(GPUPRIMS__ENUM) GP_ALGORITHM_COUNT };
#undef GPUPRIMS__ENUM
