// gpuprims.h - v0.1.0 - CUDA's parallel primitives as one C header - MIT licence (text at the end of LICENSE)
//
// Copy, transform, reduce and scan; the same by segments and by key; runs, selection, partition, histograms, search: at
// the speed of the memory system, callable from plain C, without nvcc, and on machines without a GPU. The same text
// holds the tile routines on which you can build kernels of your own.
//
// 1. USE FROM A .C FILE (gcc or clang; no nvcc, no CUDA headers, link with -ldl -lpthread -lm)
//
//        #define GPUPRIMS_IMPLEMENTATION      // in exactly one file of the program
//        #include "gpuprims.h"
//        ...
//        gp_context *ctx;
//        gp_open(NULL, &ctx);                                     // a GPU if there is one, otherwise the host
//        gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, in, out, n, stream);   // device pointers, any stream (NULL: default)
//        gp_close(ctx);
//
//    Every call returns a gp_result; gp_last_message() says in words what went wrong and names the argument.
//    Pointers and streams of the CUDA runtime, PyTorch and CuPy work as they are: the context uses the device's primary
//    context, as they do.
//
// 2. USE FROM A .CU FILE: the same; the implementation may sit in a .c or in a .cu file.
//
// 3. USE IN A KERNEL (.cu file): include the header, and build on the tile routines (section >>tile), under a policy of
//    your own. Storage in shared memory is yours; each routine's comment says who holds the result and when the storage
//    may be used again. examples/tile_kernel.cu is a complete program.
//
// 4. WITHOUT NVCC, WITHOUT NVRTC: kernels are compiled at their first call by NVRTC (libnvrtc, opened at run time), and
//    kept in memory and in a disk cache. tools/gp_bundle compiles a list of kernels ahead of time into one C header;
//    give it to gp_config.bundle and no compiler is needed on the machine.
//
// 5. WITHOUT A GPU: the same calls on host pointers, by plain C (and OpenMP where the compiler has it). Chosen when no
//    GPU is found, or by gp_config.backend = GP_BACKEND_HOST.
//
// CONTENTS (search for the mark)
//    >>config >>types >>api                                what a user of the library reads
//    >>machine >>policy >>warp >>tile >>kernels            what a kernel author reads
//    >>driver >>host >>kernel_source >>dispatch            the implementation in C
//
// DOES                                              DOES NOT
//    run asynchronously on your stream                 synchronise, or copy a result back
//    work under CUDA graph capture                     allocate while a stream is captured
//    keep the same bits from call to call              print, abort, or change its plan in silence
//    take any alignment the element type allows        take pitched, strided or host-pinned iterators
//    open libcuda and libnvrtc at run time             need a toolkit to build or to run
//    run on sm_75 and later, Linux, x86-64, aarch64    promise Windows, macOS, or big-endian machines
//
// CONTRACTS
//    Counts       64-bit everywhere, no relaunch at 2^31. A count may live in device memory (gp_call.count_device). How
//                 many elements were selected, or runs found, is written to device memory (out_count), so that the next
//                 call can take it from there; the host need not know.
//    Streams      Every call is asynchronous on the caller's stream and can be captured in a CUDA graph.
//    Workspace    The context keeps one workspace a stream and grows it in stream order. While the stream is captured
//                 nothing grows: too small is GP_E_WORKSPACE with the size needed in the message; gp_reserve prepares
//                 it. A graph keeps using the workspace of the stream it was captured on: do not replay it while
//                 other calls run on that stream, or replay it twice at once. Kept workspaces are freed by gp_close.
//    Errors       On an argument error nothing was launched and outputs are untouched; the next call works.
//    Reproducible The same call on the same device and policy gives the same bits, floats included: by segments, by key
//                 and in histograms too. With GP_REPRODUCIBLE reduce and scan of floats give the same bits on every
//                 GPU, policy and back end; a call that cannot promise it is GP_E_UNSUPPORTED.
//    Order        Operands keep their order everywhere, so operators need to be associative, never commutative. Runs,
//                 unique, select and partition (each part) leave their results in the order of the input.
//    Results      whose number the data decides need room for the most there can be; nothing is written behind them.
//    Offsets      of segments are trusted: wrong ones give unspecified results, and reads may leave the input. With
//                 GP_CHECKED they are read first: the first bad index goes to *gp_call.bad, nothing else is written.
//    In place     | call            | out == in                          | partial overlap |
//                 | copy            | yes (does nothing)                 | GP_E_OVERLAP    |
//                 | transform       | yes where element sizes are equal  | GP_E_OVERLAP    |
//                 | reduce          | GP_E_OVERLAP                       | GP_E_OVERLAP    |
//                 | scan, by key or | yes where element sizes are equal; | GP_E_OVERLAP    |
//                 |   of segments   |   not over keys, flags, offsets    |                 |
//                 | select, unique  | yes; not over flags; out_count apart | GP_E_OVERLAP  |
//                 | others          | GP_E_OVERLAP                       | GP_E_OVERLAP    |
//    Alignment    A pointer is aligned to its element type (a struct: gp_type_desc.align). Nothing else is asked.
//    Threads      One context may be used from many host threads; many contexts, devices, processes side by side. After
//                 fork() the child gets GP_E_FORK from a context of its parent.
//
// BUILD OPTIONS (define before the include)
//    GPUPRIMS_IMPLEMENTATION     this file holds the implementation
//    GPUPRIMS_STATIC             every function is static: the copy is private to this file
//    GPUPRIMS_NAMESPACE=abc      every external name becomes abc_gp_...: several copies in one program
//    GPUPRIMS_POLICIES="file"    the tuned table; default "gpuprims_policies.h" where the compiler finds one
//    GP_POLICY_ROWS(ROW)         a tuned table of your own instead (its form: section >>dispatch)
//    GPUPRIMS_SOURCE="file"      the path of this file, where __FILE__ is not it (-fmacro-prefix-map, other tools)
//    GPUPRIMS_NO_EMBED           do not embed this file's text: read it from GPUPRIMS_SOURCE or __FILE__ at run time

#ifndef GPUPRIMS_H
#define GPUPRIMS_H

#define GPUPRIMS_VERSION_MAJOR 0
#define GPUPRIMS_VERSION_MINOR 1
#define GPUPRIMS_VERSION_PATCH 0
#define GPUPRIMS_VERSION "0.1.0"

// >>config ------------------------------------------------------------------------------------------------------------

#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#include <stdint.h>
#else // NVRTC has no headers; sources of users' types and operators may use these names too
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#endif

#ifdef GPUPRIMS_STATIC
#define GPUPRIMS__API static __attribute__((unused))
#elif defined(__cplusplus)
#define GPUPRIMS__API extern "C"
#else
#define GPUPRIMS__API extern
#endif

#ifdef GPUPRIMS_NAMESPACE
#define GPUPRIMS__JOIN2(a, b) a##_##b
#define GPUPRIMS__JOIN(a, b) GPUPRIMS__JOIN2(a, b)
#define GPUPRIMS__NAME(name) GPUPRIMS__JOIN(GPUPRIMS_NAMESPACE, name)
#define gp_open GPUPRIMS__NAME(gp_open)
#define gp_close GPUPRIMS__NAME(gp_close)
#define gp_describe GPUPRIMS__NAME(gp_describe)
#define gp_result_name GPUPRIMS__NAME(gp_result_name)
#define gp_result_text GPUPRIMS__NAME(gp_result_text)
#define gp_last_message GPUPRIMS__NAME(gp_last_message)
#define gp_type_name GPUPRIMS__NAME(gp_type_name)
#define gp_type_size GPUPRIMS__NAME(gp_type_size)
#define gp_type_struct GPUPRIMS__NAME(gp_type_struct)
#define gp_op_name GPUPRIMS__NAME(gp_op_name)
#define gp_op_define GPUPRIMS__NAME(gp_op_define)
#define gp_config_init GPUPRIMS__NAME(gp_config_init)
#define gp_call_init GPUPRIMS__NAME(gp_call_init)
#define gp_type_desc_init GPUPRIMS__NAME(gp_type_desc_init)
#define gp_op_desc_init GPUPRIMS__NAME(gp_op_desc_init)
#define gp_run GPUPRIMS__NAME(gp_run)
#define gp_prepare GPUPRIMS__NAME(gp_prepare)
#define gp_reserve GPUPRIMS__NAME(gp_reserve)
#define gp_workspace_size GPUPRIMS__NAME(gp_workspace_size)
#define gp_policy_origin GPUPRIMS__NAME(gp_policy_origin)
#define gp_kernel_origin GPUPRIMS__NAME(gp_kernel_origin)
#define gp_policy_space GPUPRIMS__NAME(gp_policy_space)
#define gp_policy_echo GPUPRIMS__NAME(gp_policy_echo)
#define gp_compile GPUPRIMS__NAME(gp_compile)
#define gp_copy GPUPRIMS__NAME(gp_copy)
#define gp_fill GPUPRIMS__NAME(gp_fill)
#define gp_iota GPUPRIMS__NAME(gp_iota)
#define gp_transform GPUPRIMS__NAME(gp_transform)
#define gp_transform2 GPUPRIMS__NAME(gp_transform2)
#define gp_reduce GPUPRIMS__NAME(gp_reduce)
#define gp_inclusive_scan GPUPRIMS__NAME(gp_inclusive_scan)
#define gp_exclusive_scan GPUPRIMS__NAME(gp_exclusive_scan)
#define gp_segmented_reduce GPUPRIMS__NAME(gp_segmented_reduce)
#define gp_segmented_reduce_fixed GPUPRIMS__NAME(gp_segmented_reduce_fixed)
#define gp_segmented_inclusive_scan GPUPRIMS__NAME(gp_segmented_inclusive_scan)
#define gp_segmented_exclusive_scan GPUPRIMS__NAME(gp_segmented_exclusive_scan)
#define gp_inclusive_scan_by_key GPUPRIMS__NAME(gp_inclusive_scan_by_key)
#define gp_exclusive_scan_by_key GPUPRIMS__NAME(gp_exclusive_scan_by_key)
#define gp_reduce_by_key GPUPRIMS__NAME(gp_reduce_by_key)
#define gp_run_length_encode GPUPRIMS__NAME(gp_run_length_encode)
#define gp_nontrivial_runs GPUPRIMS__NAME(gp_nontrivial_runs)
#define gp_count_runs GPUPRIMS__NAME(gp_count_runs)
#define gp_unique GPUPRIMS__NAME(gp_unique)
#define gp_unique_by_key GPUPRIMS__NAME(gp_unique_by_key)
#define gp_adjacent_difference GPUPRIMS__NAME(gp_adjacent_difference)
#define gp_select_if GPUPRIMS__NAME(gp_select_if)
#define gp_select_flags GPUPRIMS__NAME(gp_select_flags)
#define gp_partition GPUPRIMS__NAME(gp_partition)
#define gp_partition_flags GPUPRIMS__NAME(gp_partition_flags)
#define gp_partition3 GPUPRIMS__NAME(gp_partition3)
#define gp_count_if GPUPRIMS__NAME(gp_count_if)
#define gp_any GPUPRIMS__NAME(gp_any)
#define gp_all GPUPRIMS__NAME(gp_all)
#define gp_histogram_even GPUPRIMS__NAME(gp_histogram_even)
#define gp_histogram_ranges GPUPRIMS__NAME(gp_histogram_ranges)
#define gp_lower_bound GPUPRIMS__NAME(gp_lower_bound)
#define gp_upper_bound GPUPRIMS__NAME(gp_upper_bound)
#define gp_load_balance GPUPRIMS__NAME(gp_load_balance)
#define gp_check_offsets GPUPRIMS__NAME(gp_check_offsets)
#define gp_sort_keys GPUPRIMS__NAME(gp_sort_keys)
#define gp_sort_pairs GPUPRIMS__NAME(gp_sort_pairs)
#define gp_argsort GPUPRIMS__NAME(gp_argsort)
#endif

// >>types -------------------------------------------------------------------------------------------------------------

// Results: X(name, text).
#define GP_RESULTS(X)                                                                                                  \
  X(GP_SUCCESS, "success")                                                                                             \
  X(GP_E_CONTEXT, "the context is null, closed, or was never open")                                                    \
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

// A type: an enumerator, or a handle from gp_type_struct. GP_TYPE_DEFAULT (zero) leaves the choice to the call.
typedef int gp_type;
#define GPUPRIMS__ENUM(NAME, name, device, size) GP_##NAME,
enum { GP_TYPE_DEFAULT = 0, GP_TYPES(GPUPRIMS__ENUM) GP_TYPE_COUNT };
#undef GPUPRIMS__ENUM

// Built-in operators: X(NAME, arity, commutative, device functor). Which NaN comes out is nobody's promise.
// Binary ones serve reduce, scan and transform2:
//   SUM PROD               integers wrap; f16 and bf16 round after every step (choose an f32 accumulator to avoid that)
//   MIN MAX                floats: a NaN wins over everything, -0 is below +0 (IEEE 754-2019 minimum and maximum)
//   BIT_AND BIT_OR BIT_XOR integers only
//   AND OR                 logical: operands count as true when nonzero, the result is 0 or 1 in the output type
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
typedef int gp_op;
#define GPUPRIMS__ENUM(NAME, arity, commutative, functor) GP_##NAME,
enum { GP_OP_DEFAULT = 0, GP_OPERATORS(GPUPRIMS__ENUM) GP_OP_COUNT };
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
  X(CHECK_OFFSETS, check_offsets)

#define GPUPRIMS__ENUM(NAME, name) GP_##NAME,
typedef enum gp_primitive { GP_PRIMITIVE_NONE = 0, GP_PRIMITIVES(GPUPRIMS__ENUM) GP_PRIMITIVE_COUNT } gp_primitive;
#undef GPUPRIMS__ENUM

// How a primitive goes about its work (the policy field "algorithm"). GP_AUTO lets the size and the device decide, by
// the rule beside gp__choose in >>policy.
enum {
  GP_AUTO = 0,
  GP_DIRECT,        // copy, fill, iota, transform: registers only
  GP_EVEN_SHARE,    // reduce: each block one share of the input, the block that starts last combines
  GP_STEALING,      // reduce: tiles by ticket, a partial result a tile, the block that draws last combines
  GP_ONE_BLOCK,     // reduce, scan: a single block
  GP_LOOK_BACK,     // scan, select, runs, by key: one pass, decoupled look-back
  GP_THREE_SWEEP,   // scan: upsweep, spine, downsweep (three launches)
  GP_PIPELINED,     // the same, and segmented reduce: persistent blocks, bulk copies (compute capability 9.0, later)
  GP_MERGE_PATH,    // segmented reduce, load balance: each block the same number of elements and segments together
  GP_SHARED_BINS,   // histogram: counters in shared memory, as many replicas as fit
  GP_GLOBAL_BINS,   // histogram: counters in the output
  GP_WARP_SEGMENTS, // segmented reduce: lanes of a warp a segment, the block a long one
  GP_ONE_SWEEP,     // sort: a digit a pass from the least significant, each pass one sweep with look-back
  GP_HYBRID,        // sort: partitions from the most significant digit until buckets fit on chip, which sorts them
  GP_COUNTING,      // sort of 8- and 16-bit keys without values: count, scan, fill
  GP_MERGE_PASSES,  // merge sort: tiles sorted on chip, then passes of merges
  GP_SIZE_CLASSES,  // segmented sort: segments by length, each class by kernels of its own
  GP_RADIX_SELECT,  // top-k, nth element: digit by digit towards the k-th key
  GP_ALGORITHM_COUNT
};

// Cache modifiers of loads and stores (the policy fields "load" and "store").
// STREAMING: evict first; L2: not in L1; ALL: every level.
enum { GP_CACHE_DEFAULT = 0, GP_CACHE_STREAMING = 1, GP_CACHE_L2 = 2, GP_CACHE_ALL = 3, GP_CACHE_COUNT };

// The policy of a call: zero in a field means the default. Which fields a primitive has, and their values, is declared
// once, in >>policy; gp_policy_space prints it.
typedef struct gp_policy {
  int algorithm;     // GP_AUTO ... GP_WARP_SEGMENTS
  int threads;       // threads of a block that compute (a pipelined scan adds three warps beside)
  int vectors;       // 16-byte vectors a thread holds at a time
  int load;          // GP_CACHE_...
  int store;         // GP_CACHE_...
  int stages;        // tiles (segmented reduce: a warp's chunks) in flight in shared memory (pipelined)
  int blocks_per_sm; // resident blocks a multiprocessor; the grid is this times their number, or fewer for small inputs
  int overlap;       // 1: start while the kernel before it on the stream drains (compute capability 9.0 on); 2: do not
} gp_policy;

// Where a policy came from, in the order in which the choice is made.
typedef enum gp_policy_source {
  GP_POLICY_CALLER = 1, // gp_call.policy
  GP_POLICY_DEVICE,     // a row of the tuned table for exactly this device
  GP_POLICY_CAPABILITY, // a row for exactly this compute capability
  GP_POLICY_CLASS,      // a row for a class of like devices that names this one
  GP_POLICY_PORTABLE,   // the portable row
  GP_POLICY_HOST        // the host back end has no policy
} gp_policy_source;

// Where the machine code of a kernel came from.
typedef enum gp_kernel_source {
  GP_KERNEL_NONE = 0, // not loaded yet
  GP_KERNEL_BUNDLE,   // gp_config.bundle
  GP_KERNEL_DISK,     // the disk cache
  GP_KERNEL_COMPILED, // NVRTC, in this process
  GP_KERNEL_HOST      // no kernel: the host back end
} gp_kernel_source;

typedef enum gp_backend { GP_BACKEND_AUTO = 0, GP_BACKEND_CUDA, GP_BACKEND_HOST } gp_backend;

// A CUDA stream: a cudaStream_t or CUstream, or NULL for the default stream. The host back end ignores it.
typedef void *gp_stream;

typedef struct gp_context gp_context;
struct gp_bundle; // made by tools/gp_bundle
struct gp_driver; // the table of driver functions, section >>driver; tests put another in its place

// Allocator hooks for workspaces. `allocate` returns device memory aligned to 256 bytes, usable in stream order on
// `stream`, or NULL; `release` takes it back in stream order.
typedef void *(*gp_allocate_fn)(void *user, size_t bytes, gp_stream stream);
typedef void (*gp_release_fn)(void *user, void *pointer, size_t bytes, gp_stream stream);

typedef enum gp_log_level { GP_LOG_INFO = 0, GP_LOG_WARNING = 1 } gp_log_level;
typedef void (*gp_log_fn)(void *user, gp_log_level level, const char *message);

enum { GP_DEVICE_CURRENT = -1 };

// How a context is opened. All zero is the default.
typedef struct gp_config {
  gp_backend backend;             // AUTO: CUDA where a usable device is found, else HOST
  int device;                     // ordinal, or GP_DEVICE_CURRENT: the device of the thread's current CUDA context
  gp_allocate_fn allocate;        // NULL: the driver's stream-ordered allocator; set both or neither
  gp_release_fn release;          //
  void *allocator_user;           //
  gp_log_fn log;                  // NULL: silent
  void *log_user;                 //
  const char *cache_dir;          // NULL: $XDG_CACHE_HOME/gpuprims or ~/.cache/gpuprims; "": no disk cache
  const char *cuda_library;       // NULL: libcuda.so.1 by its system name; otherwise an absolute path
  const char *nvrtc_library;      // NULL: libnvrtc.so.13, .12 or libnvrtc.so by system name; otherwise an absolute path
  const struct gp_bundle *bundle; // kernels compiled ahead of time, or NULL
  int no_compile;                 // 1: never open NVRTC
  int host_threads;               // threads of the host back end; 0: as many as OpenMP offers
  const struct gp_driver *driver; // NULL: the real one
} gp_config;

typedef struct gp_description {
  gp_backend backend;         // CUDA or HOST
  int device;                 // ordinal; -1 on the host
  char name[128];             // "NVIDIA H200", "host"
  int compute_capability;     // 90 for 9.0; 0 on the host
  int multiprocessors;        // host: threads
  uint64_t memory_bytes;      // of the device; 0 on the host
  int shared_bytes_per_block; // opt-in maximum
  int driver_version;         // 13000 for 13.0
  int nvrtc_version;          // likewise; 0 while NVRTC has not been opened
} gp_description;

// A struct type of 1 to 64 bytes. With `source` (the definition of `name`, in C++ as CUDA compiles it) operators can
// name its members; without it the type is raw bytes, for copy, fill and operators that treat it as such: the type is
// then called `name` and has one member, unsigned char bytes[size].
typedef struct gp_type_desc {
  const char *name;   // a C identifier: how operators name the type
  const char *source; // e.g. "struct vec3 { float x, y, z; };", or NULL: raw bytes
  size_t size;        // sizeof, 1 to 64
  size_t align;       // alignof: 1, 2, 4, 8 or 16
} gp_type_desc;

// The host back end's form of a user's operator: *result = op(*a, *b); b is NULL for a unary one. `result` may be `a`.
// Called from several threads at once. As a predicate or an equality it writes one byte: not zero means true.
typedef void (*gp_host_fn)(void *user, void *result, const void *a, const void *b);

// A user's operator. `body` is the body of
//     T op(T a, T b)              with arity 2, T being the accumulator (transform2: R op(A a, B b))
//     R op(A a)                   with arity 1, A the element's type and R the accumulator or output type
// for example "return a.x < b.x ? a : b;". Names of the C math library are at hand.
typedef struct gp_op_desc {
  const char *name;     // shown in messages of the compiler
  const char *body;     // C++ as CUDA compiles it; NULL: host only
  const char *prelude;  // definitions that the body uses (functions marked __device__), or NULL
  const char *identity; // an expression of type T with op(identity, x) == op(x, identity) == x; reduce and scan need it
  int arity;            // 1 or 2
  int commutative;      // 1: the library may reorder operands (faster reduce)
  gp_host_fn host;      // for the host back end, or NULL: GP_E_UNSUPPORTED there
  const void *host_identity; // one T, copied; needed where `host` is used by reduce or scan
  size_t host_identity_size; // its bytes
  void *host_user;           // handed to `host`
} gp_op_desc;

// Flags of a call.
enum {
  GP_REPRODUCIBLE = 1, // reduce, scan: the same bits on every GPU, policy and back end
  GP_CHECKED = 2,      // segments by offsets: the offsets are checked first, see gp_call.bad
  GP_RIGHT = 4,        // adjacent_difference: with the right neighbour instead of the left one
  GP_DESCENDING = 8,   // sorts: largest first, equal keys in the order of the input all the same; top-k: the largest
  GP_UNSORTED = 16     // top-k: the results in any order
};

// A field of a struct key: sorts compare the fields of a list one after the other, the most significant first.
typedef struct gp_key_field {
  size_t offset;  // of the field in the struct, in bytes
  gp_type type;   // a built-in type
  int descending; // 1: largest first
} gp_key_field;

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
  int channels;     // histogram: channels of a pixel, which lie side by side (0: 1); count is the number of pixels
  int active;       // histogram: the first so many of them are counted (0: all)
  const void *init; // host memory, read during the call: scan and reduce: an initial value (accumulator type)
                    // that comes before the first element, NULL: the identity; fill: the value; iota: start;
                    // predicates: the scalar (in_type); histogram: the lower end of the first bin, one a channel
  const void *step; // iota: the step, NULL: 1; partition: the second scalar; histogram: the upper end of the last bin,
                    // one a channel; NULL of either end, integers only: as far as the type goes
  int flags;        // GP_REPRODUCIBLE, GP_CHECKED, GP_RIGHT
  const gp_policy *policy; // NULL: the tuned table's, or the portable row
} gp_call;

// A bundle: kernels compiled ahead of time. tools/gp_bundle writes one as C source.
typedef struct gp_bundle_entry {
  const char *key;        // of the kernel, see gp_compile
  int compute_capability; // 90 for 9.0
  const void *image;      // a cubin
  size_t bytes;
} gp_bundle_entry;
struct gp_bundle {
  const char *header; // hash of the header's device text that the kernels were made from
  unsigned count;
  const gp_bundle_entry *entries;
};

// >>api ---------------------------------------------------------------------------------------------------------------

#if !defined(__CUDACC_RTC__)

// ---- context

// Structs with every field at its default (all zero), for languages in which `= {0}` is not at hand.
GPUPRIMS__API gp_config gp_config_init(void);
GPUPRIMS__API gp_call gp_call_init(gp_primitive primitive);
GPUPRIMS__API gp_type_desc gp_type_desc_init(void);
GPUPRIMS__API gp_op_desc gp_op_desc_init(void);

// Opens a context. config may be NULL. On success *ctx is set; otherwise *ctx is NULL.
// Errors: NULL, ARGUMENT, NO_DEVICE (backend CUDA), DEVICE_TOO_OLD, DRIVER, BUNDLE, MEMORY.
GPUPRIMS__API gp_result gp_open(const gp_config *config, gp_context **ctx);

// Waits for the work of its streams, frees all that the context holds. A second gp_close of the same pointer is
// GP_E_CONTEXT. NULL is GP_E_CONTEXT.
GPUPRIMS__API gp_result gp_close(gp_context *ctx);

// What the context runs on. Errors: CONTEXT, NULL.
GPUPRIMS__API gp_result gp_describe(gp_context *ctx, gp_description *description);

// The name ("GP_E_NULL") and meaning of a result. Never NULL.
GPUPRIMS__API const char *gp_result_name(gp_result result);
GPUPRIMS__API const char *gp_result_text(gp_result result);

// What the last call of this thread that failed had to say: the argument, or the driver's call and its code, or the
// compiler's message with line and text. Never NULL; valid until the next call of the thread fails.
GPUPRIMS__API const char *gp_last_message(void);

// ---- types and operators

// Name ("f32") of a built-in type or operator ("SUM"), or of one defined in ctx. NULL where unknown. ctx may be NULL.
GPUPRIMS__API const char *gp_type_name(gp_context *ctx, gp_type type);
GPUPRIMS__API const char *gp_op_name(gp_context *ctx, gp_op op);

// Size in bytes of a type; 0 where unknown. ctx may be NULL for built-in types.
GPUPRIMS__API size_t gp_type_size(gp_context *ctx, gp_type type);

// Defines a struct type or an operator for this context; strings are copied. The handle lives as long as the context.
// Errors: CONTEXT, NULL, ARGUMENT. The source is compiled, and its errors told, at the first call that uses it, or by
// gp_prepare.
GPUPRIMS__API gp_result gp_type_struct(gp_context *ctx, const gp_type_desc *desc, gp_type *type);
GPUPRIMS__API gp_result gp_op_define(gp_context *ctx, const gp_op_desc *desc, gp_op *op);

// ---- moving data. Bytes moved: copy and transform read each input once and write each output once.

// out[i] = in[i], any type, structs included. Alignment of in and out may differ.
GPUPRIMS__API gp_result gp_copy(gp_context *ctx, gp_type type, const void *in, void *out, uint64_t count,
                                gp_stream stream);

// out[i] = *value; value in host memory, read during the call.
GPUPRIMS__API gp_result gp_fill(gp_context *ctx, gp_type type, const void *value, void *out, uint64_t count,
                                gp_stream stream);

// out[i] = *start + i * *step (arithmetic of the type; f16 and bf16 through f32). NULL: 0 and 1. Built-in types.
GPUPRIMS__API gp_result gp_iota(gp_context *ctx, gp_type type, const void *start, const void *step, void *out,
                                uint64_t count, gp_stream stream);

// out[i] = op(in[i]).
GPUPRIMS__API gp_result gp_transform(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                     void *out, uint64_t count, gp_stream stream);

// out[i] = op(a[i], b[i]); both operands are converted to out_type first where op is built in.
GPUPRIMS__API gp_result gp_transform2(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *a,
                                      const void *b, void *out, uint64_t count, gp_stream stream);

// ---- reduce (Harris, Optimizing Parallel Reduction in CUDA; one launch: the block that starts last combines)

// *out = in[0] op in[1] op ... ; the identity where count is 0. Elements are converted to the accumulator's type as
// they are loaded: gp_reduce(ctx, GP_SUM, GP_U8, GP_U64, ...) sums bytes into 64 bits. Reads count * size bytes.
GPUPRIMS__API gp_result gp_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                  void *out, uint64_t count, gp_stream stream);

// ---- scan (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back)

// out[i] = in[0] op ... op in[i]. One launch, 2 * count elements moved.
GPUPRIMS__API gp_result gp_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                          void *out, uint64_t count, gp_stream stream);

// out[i] = *init op in[0] op ... op in[i - 1]; init in host memory, of the accumulator's type; NULL: the identity.
GPUPRIMS__API gp_result gp_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                          const void *init, const void *in, void *out, uint64_t count,
                                          gp_stream stream);

// ---- segments. Work is split by elements, not by segments: lengths may be anything. An empty segment gives the
// identity (scan: nothing). Offsets are i32, u32, i64 or u64, in device memory; they start anywhere, never decrease and
// never exceed count; GP_CHECKED (gp_call.flags) has them checked first, otherwise the result of wrong ones is
// unspecified, and reads may leave the input.

// out[i] = in[begin[i]] op ... op in[end[i] - 1] for each segment. end NULL: begin has segments + 1 offsets, and
// segment i ends where segment i + 1 begins. Otherwise segments may overlap, have any order, and leave elements out.
// One launch (with `end` two, unless the call is small); reads the elements and the offsets once. (Merrill and Garland,
// Merge-based Parallel Sparse Matrix-vector Multiplication.) The same bits from call to call on one device and policy.
GPUPRIMS__API gp_result gp_segmented_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                            gp_type offset_type, const void *in, uint64_t count, const void *begin,
                                            const void *end, uint64_t segments, void *out, gp_stream stream);

// The same for segments of `length` elements each: in holds segments * length elements.
GPUPRIMS__API gp_result gp_segmented_reduce_fixed(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                  const void *in, uint64_t segments, uint64_t length, void *out,
                                                  gp_stream stream);

// A scan that starts anew at each segment. Elements before the first offset and behind the last are segments of their
// own. One launch; moves 2 * count elements and the offsets.
GPUPRIMS__API gp_result gp_segmented_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *in, void *out, uint64_t count,
                                                    const void *offsets, uint64_t segments, gp_stream stream);
GPUPRIMS__API gp_result gp_segmented_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *init, const void *in, void *out,
                                                    uint64_t count, const void *offsets, uint64_t segments,
                                                    gp_stream stream);

// ---- runs: neighbours whose keys are equal. equal: 0 or GP_EQUAL; GP_NOT_EQUAL; a user's binary operator, true where
// the second key belongs to the run of the first (its neighbour); GP_HEADS: the keys are flags (i8 ... u32), and one
// that is not zero starts a run. Keys of any type. Floats compare as in C: every NaN is a run of its own, -0 equals +0.
// Results are compacted, in order; their number goes to *out_count in device memory. One launch, everything is read
// once and written once. Outputs have room for `count` elements; what lies behind the results is not written.

// out[i] = the scan of values over the run of i, up to i. init: as in gp_exclusive_scan, for each run.
GPUPRIMS__API gp_result gp_inclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal,
                                                 gp_type in_type, gp_type out_type, const void *keys, const void *in,
                                                 void *out, uint64_t count, gp_stream stream);
GPUPRIMS__API gp_result gp_exclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal,
                                                 gp_type in_type, gp_type out_type, const void *init, const void *keys,
                                                 const void *in, void *out, uint64_t count, gp_stream stream);

// out[r] = the reduction of the values of run r, out_keys[r] = its first key (out_keys may be NULL).
GPUPRIMS__API gp_result gp_reduce_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal, gp_type in_type,
                                         gp_type out_type, const void *keys, const void *in, void *out_keys, void *out,
                                         uint64_t *out_count, uint64_t count, gp_stream stream);

// out_keys[r] = the first key of run r, lengths[r] = its length, in length_type (either may be NULL).
GPUPRIMS__API gp_result gp_run_length_encode(gp_context *ctx, gp_type key_type, gp_op equal, gp_type length_type,
                                             const void *keys, void *out_keys, void *lengths, uint64_t *out_count,
                                             uint64_t count, gp_stream stream);

// Of each run of two elements or more: the index of its first element, and its length (both of length_type).
GPUPRIMS__API gp_result gp_nontrivial_runs(gp_context *ctx, gp_type key_type, gp_op equal, gp_type length_type,
                                           const void *keys, void *offsets, void *lengths, uint64_t *out_count,
                                           uint64_t count, gp_stream stream);

// *out_count = the number of runs.
GPUPRIMS__API gp_result gp_count_runs(gp_context *ctx, gp_type key_type, gp_op equal, const void *keys,
                                      uint64_t *out_count, uint64_t count, gp_stream stream);

// The first element of each run; with values, those that belong to it.
GPUPRIMS__API gp_result gp_unique(gp_context *ctx, gp_type type, gp_op equal, const void *in, void *out,
                                  uint64_t *out_count, uint64_t count, gp_stream stream);
GPUPRIMS__API gp_result gp_unique_by_key(gp_context *ctx, gp_type key_type, gp_op equal, gp_type value_type,
                                         const void *keys, const void *values, void *out_keys, void *out,
                                         uint64_t *out_count, uint64_t count, gp_stream stream);

// out[0] = in[0], out[i] = op(in[i], in[i - 1]); op is GP_SUB, or a binary operator as in gp_transform2. With GP_RIGHT
// (gp_call.flags): out[i] = op(in[i], in[i + 1]), and the last element is copied.
GPUPRIMS__API gp_result gp_adjacent_difference(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                               const void *in, void *out, uint64_t count, gp_stream stream);

// ---- selection. predicate: a comparison (GP_LESS: the element is less than *scalar; scalar in host memory, read
// during the call, of the element's type), or a user's unary operator, true where not zero (scalar is then NULL).
// Elements of any type keep their order, on every side. Numbers go to device memory. One launch; everything is read
// once and written once; nothing is written behind the results.

GPUPRIMS__API gp_result gp_select_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *out, uint64_t *out_count, uint64_t count, gp_stream stream);

// Elements whose flag (an integer of 1, 2 or 4 bytes) is not zero.
GPUPRIMS__API gp_result gp_select_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                        const void *flags, void *out, uint64_t *out_count, uint64_t count,
                                        gp_stream stream);

// Two parts: those selected, and the others; out_counts[0] and out_counts[1] are their numbers. Each output has room
// for as many elements as may go there.
GPUPRIMS__API gp_result gp_partition(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *selected, void *rejected, uint64_t *out_counts, uint64_t count,
                                     gp_stream stream);
GPUPRIMS__API gp_result gp_partition_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                           const void *flags, void *selected, void *rejected, uint64_t *out_counts,
                                           uint64_t count, gp_stream stream);

// Three parts: those for which `first` holds; of the others those for which `second` holds; the rest. Three counts.
GPUPRIMS__API gp_result gp_partition3(gp_context *ctx, gp_op first, gp_op second, gp_type type,
                                      const void *first_scalar, const void *second_scalar, const void *in, void *out1,
                                      void *out2, void *out3, uint64_t *out_counts, uint64_t count, gp_stream stream);

// How many elements satisfy the predicate; whether any does, whether all do (one byte, 1 or 0; of none: 0 and 1).
GPUPRIMS__API gp_result gp_count_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                    uint64_t *out_count, uint64_t count, gp_stream stream);
GPUPRIMS__API gp_result gp_any(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream);
GPUPRIMS__API gp_result gp_all(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream);

// ---- histograms. counter_type: i32, u32, i64 or u64 (counters wrap), or f32 or f64 with weights. The output is
// written whole, whatever it held. One launch; samples are read once. Several channels, weights: gp_call.channels,
// .in2. All channels together have fewer than 2^31 bins. Float counters: the same call gives the same bits on one
// device; one more reading of the samples for every 40 KiB of counters.

// bins of equal width over [*lower, *upper), both of the samples' type and in host memory; a sample outside is not
// counted, nor is a NaN. Integers: bin = (x - lower) * bins / (upper - lower), exact; lower NULL: from the type's
// lowest value on; upper NULL: up to its largest value, which is counted too. Floats: in the samples' type (f16 and
// bf16: f32), (x - lower) * (bins / (upper - lower)), toward zero, and the last bin where that comes out as `bins`.
GPUPRIMS__API gp_result gp_histogram_even(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                          const void *lower, const void *upper, void *out, uint64_t bins,
                                          uint64_t count, gp_stream stream);

// Bin i is [boundaries[i], boundaries[i + 1]); bins + 1 boundaries of the samples' type, rising, in device memory.
GPUPRIMS__API gp_result gp_histogram_ranges(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                            const void *boundaries, void *out, uint64_t bins, uint64_t count,
                                            gp_stream stream);

// ---- search

// out[i] = the first position of sorted[0 .. length) whose element is not less than (upper_bound: is greater than)
// needles[i]; length where there is none. less: 0 or GP_LESS, or a user's binary operator that orders two elements.
// index_type: u32 or u64. length < 2^63. Reads log2(length) elements a needle; sorted needles find them in caches.
GPUPRIMS__API gp_result gp_lower_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream);
GPUPRIMS__API gp_result gp_upper_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream);

// Load-balancing search: out[i] = the segment of element i, for i < count; offsets as for gp_segmented_reduce, and
// offsets[0] is 0. (Baxter, Modern GPU; Green, McColl and Bader, GPU Merge Path.) One launch, each output written once.
GPUPRIMS__API gp_result gp_load_balance(gp_context *ctx, gp_type offset_type, gp_type index_type, const void *offsets,
                                        uint64_t segments, void *out, uint64_t count, gp_stream stream);

// *bad = the first i in 0 .. segments whose offset is below the one before it or beyond count; UINT64_MAX: none.
GPUPRIMS__API gp_result gp_check_offsets(gp_context *ctx, gp_type offset_type, const void *offsets, uint64_t segments,
                                         uint64_t count, uint64_t *bad, gp_stream stream);

// ---- radix sort (Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs). Stable, up or
// down: equal keys keep the order of the input with GP_DESCENDING (flags, otherwise 0) too. Integers by value; floats by
// IEEE 754 total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN, and NaNs by their payloads. Outputs may be the inputs.
// The same bits on every device: nothing but the order of the elements depends on the keys.
//
// gp_call has more: begin_bit and end_bit, the bits of the ordered key that decide (bit 0 is the least significant; an
// integer's sign and a float's bits are changed so that the order is that of unsigned integers). Struct keys (key_type
// a struct, or a built-in type that is to be ordered by something else): either `fields`, a list of fields, each up or
// down, the most significant first; or `transform`, a user's unary operator that makes of a key a value of acc_type, a
// built-in type. gp_merge_sort takes a comparison. count_device: the number of elements, in device memory.
//
// Launches: one that counts the digits of all passes, and one a pass of 8 bits; the first reads the keys, a pass reads
// and writes keys and values, all of them once: u32 keys move 36 bytes each, u64 keys 136, a u32 value 32 more. A digit
// that all keys share is found by the first launch, and its pass moves nothing. Values of more than 16 bytes are moved
// once, by index, at the end. Workspace: room for the keys and values once more, and 1 KiB a tile of 2000 to 10000 keys
// (2 to 4 % of them; from 2^30 elements on, twice that).
//
// Built-in keys of 4 and 8 bytes alone, all bits of them, from 1 MiB on (GP_HYBRID): from the most significant digit on,
// until what shares its digits fits on chip. Even keys: 4096 of them after two levels at 2^28; a level reads the keys
// twice and writes them once, the last launch reads and writes them: u32 keys move 32 bytes each, u64 keys 64. Launches:
// two a level and two more, those with nothing to do exit at once. Workspace: the keys once more, and 1 KiB for 1000
// keys. Up to 64 KiB (GP_ONE_BLOCK): one block, one launch, no workspace.

// out_keys = the keys in order.
GPUPRIMS__API gp_result gp_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, void *out_keys,
                                     uint64_t count, int flags, gp_stream stream);

// The same, and values move with their keys: any type.
GPUPRIMS__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                      const void *values, void *out_keys, void *out_values, uint64_t count, int flags,
                                      gp_stream stream);

// indices[i] = where the key stands that comes i-th. index_type: u32 or u64. out_keys: the keys in order, or NULL.
GPUPRIMS__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
                                   void *out_keys, void *indices, uint64_t count, int flags, gp_stream stream);

// ---- any call, and what can be asked about it before it runs

// Runs a call. Errors: CONTEXT FORK NULL ARGUMENT TYPE OPERATOR SIZE ALIGNMENT OVERLAP POLICY STREAM WORKSPACE MEMORY
// NO_COMPILER COMPILE DRIVER UNSUPPORTED.
GPUPRIMS__API gp_result gp_run(gp_context *ctx, const gp_call *call, gp_stream stream);

// Compiles and loads what the call needs, and launches nothing: in, out may be NULL (taken as aligned to 256 bytes).
GPUPRIMS__API gp_result gp_prepare(gp_context *ctx, const gp_call *call);

// The workspace that a call of this shape needs, in bytes. Pure: depends on the call's shape and the device only.
GPUPRIMS__API gp_result gp_workspace_size(gp_context *ctx, const gp_call *call, uint64_t *bytes);

// Grows the stream's workspace to `bytes` at least, so that calls that need no more can be captured.
GPUPRIMS__API gp_result gp_reserve(gp_context *ctx, gp_stream stream, uint64_t bytes);

// The policy that the call will run on, with every field filled in, and where it came from.
GPUPRIMS__API gp_result gp_policy_origin(gp_context *ctx, const gp_call *call, gp_policy *policy,
                                         gp_policy_source *source);

// The policy that the machine code of the call's kernel was compiled for, read back from the loaded module: for tuners
// and tests, which must know that what they measured is what they asked for. Loads the kernel where it is not loaded;
// waits for the copy of a few bytes, so not while capturing. The host back end: all zero. Errors as gp_prepare.
GPUPRIMS__API gp_result gp_policy_echo(gp_context *ctx, const gp_call *call, gp_policy *policy);

// Where the machine code of the call's kernel came from when it was loaded (GP_KERNEL_NONE: not loaded yet), and the
// kernel's full name in `name` (capacity bytes, cut short if need be; may be NULL with 0).
GPUPRIMS__API gp_result gp_kernel_origin(gp_context *ctx, const gp_call *call, gp_kernel_source *source, char *name,
                                         size_t capacity);

// Writes the policy space of a primitive as JSON: {"primitive": ..., "fields": [{"name", "default", "values"}], ...}.
// Returns the length without the final zero, even where capacity is too small (snprintf's rule). Pure.
GPUPRIMS__API size_t gp_policy_space(gp_primitive primitive, char *json, size_t capacity);

// Compiles the call's kernels for another compute capability than the device's (no device needed, host contexts too)
// and hands each image to `take`: what tools/gp_bundle and the tests of all architectures stand on. `key` is the name
// under which a bundle is searched. Errors as gp_prepare.
typedef void (*gp_take_image_fn)(void *user, const char *key, const void *image, size_t bytes);
GPUPRIMS__API gp_result gp_compile(gp_context *ctx, const gp_call *call, int compute_capability, gp_take_image_fn take,
                                   void *user);

#endif // !__CUDACC_RTC__
#endif // GPUPRIMS_H

// Stop reading here if you only want to use the library.
#if (defined(GPUPRIMS_IMPLEMENTATION) || defined(__CUDACC__) || defined(GPUPRIMS_SIMT)) && !defined(GPUPRIMS__SEEN)
#define GPUPRIMS__SEEN

// From here to the implementation in C is the device text: compiled by nvcc in .cu files, by NVRTC at run time, and by
// g++ for the emulator of the tests (GPUPRIMS_SIMT). A C or C++ compiler of host code does not see it.

#if defined(__CUDACC__) || defined(GPUPRIMS_SIMT)
#define GPUPRIMS__DEVICE_TEXT
#endif

// >>machine -----------------------------------------------------------------------------------------------------------
//
// What depends on the compiler or the machine: PTX, ordered memory accesses, bulk copies, barriers in shared memory.
// Every routine has two bodies, one for the device and one for the emulator.

#ifdef GPUPRIMS__DEVICE_TEXT

#define GP_DEVICE __device__ __forceinline__

#ifdef GPUPRIMS_SIMT // unrolling is for the device
#define GPUPRIMS__UNROLL
#define GPUPRIMS__UNROLL_BY(n)
#else
#define GPUPRIMS__PRAGMA(text) _Pragma(#text)
#define GPUPRIMS__UNROLL _Pragma("unroll")
#define GPUPRIMS__UNROLL_BY(n) GPUPRIMS__PRAGMA(unroll n)
#endif

typedef unsigned long long gp__u64;
typedef unsigned int gp__u32;

// 16 bytes of device memory, as registers.
struct alignas(16) gp_vector {
  gp__u32 word[4];
};

// 8 bytes of a value and the tag that says to which call they belong: read and written in one access, so that a reader
// that sees the tag sees the value, with no fence.
struct alignas(16) gp__word {
  gp__u64 value, tag;
};

#ifndef GPUPRIMS_SIMT // ---- device

#ifdef __CUDA_ARCH__
#define GPUPRIMS__ARCH __CUDA_ARCH__
#else
#define GPUPRIMS__ARCH 0
#endif

// Storage of a block in shared memory: a struct, without constructors.
#define GP_SHARED(T, name)                                                                                             \
  __shared__ __align__(16) unsigned char name##_bytes[sizeof(T)];                                                      \
  T &name = *reinterpret_cast<T *>(name##_bytes)
// The shared memory whose size the launch gives.
#define GP_DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]

template <int CACHE> GP_DEVICE gp_vector gp__load_vector(const void *p) {
  const uint4 *q = static_cast<const uint4 *>(p);
  const uint4 v = CACHE == GP_CACHE_STREAMING ? __ldcs(q) : CACHE == GP_CACHE_L2 ? __ldcg(q) : *q;
  return gp_vector{{v.x, v.y, v.z, v.w}};
}
// Where `there` is set: in place and without a branch, so that nobody waits for it before it is used.
template <int CACHE> GP_DEVICE void gp__load_vector_if(bool there, const void *p, gp_vector &v) {
#define GPUPRIMS__LOAD_IF(CACHED)                                                                                      \
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %5, 0; @q ld.global" CACHED ".v4.u32 {%0, %1, %2, %3}, [%4]; }"         \
               : "+r"(v.word[0]), "+r"(v.word[1]), "+r"(v.word[2]), "+r"(v.word[3])                                    \
               : "l"(p), "r"(static_cast<gp__u32>(there)))
  if (CACHE == GP_CACHE_STREAMING) GPUPRIMS__LOAD_IF(".cs");
  else if (CACHE == GP_CACHE_L2) GPUPRIMS__LOAD_IF(".cg");
  else GPUPRIMS__LOAD_IF("");
#undef GPUPRIMS__LOAD_IF
}
template <int CACHE> GP_DEVICE void gp__store_vector(void *p, const gp_vector &v) {
  uint4 *q = static_cast<uint4 *>(p);
  const uint4 u = make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
  if (CACHE == GP_CACHE_STREAMING) __stcs(q, u);
  else *q = u;
}

GP_DEVICE void gp__store_vector_if(bool there, void *p, const gp_vector &v) {
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %5, 0; @q st.global.v4.u32 [%4], {%0, %1, %2, %3}; }" ::"r"(v.word[0]),
               "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]), "l"(p), "r"(static_cast<gp__u32>(there))
               : "memory");
}

// The 16 bytes at p in shared memory, any alignment. The aligned pairs of words that hold them are read whole.
GP_DEVICE gp_vector gp__vector_anywhere(const unsigned char *p) {
  const unsigned offset = static_cast<unsigned>(reinterpret_cast<gp__u64>(p) & 7u), bits = offset * 8;
  const uint2 *pair = reinterpret_cast<const uint2 *>(p - offset);
  const uint2 a = pair[0], b = pair[1], c = offset ? pair[2] : b;
  const bool odd = offset >= 4;
  const gp__u32 w0 = odd ? a.y : a.x, w1 = odd ? b.x : a.y, w2 = odd ? b.y : b.x, w3 = odd ? c.x : b.y,
                w4 = odd ? c.y : c.x;
  return gp_vector{{__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits), __funnelshift_r(w2, w3, bits),
                    __funnelshift_r(w3, w4, bits)}};
}
// Byte i of the result is the byte of (x, y) that the selector's nibble i names; where the nibble's upper bit is set,
// that byte's upper bit eight times.
GP_DEVICE gp__u32 gp__permute(gp__u32 x, gp__u32 y, gp__u32 selector) {
  gp__u32 r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector));
  return r;
}
GP_DEVICE gp__word gp__load_word(const gp__word *p) {
  gp__word w;
  asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
               : "=l"(w.value), "=l"(w.tag)
               : "l"(p)
               : "memory");
  return w;
}
GP_DEVICE void gp__store_word(gp__word *p, const gp__word &w) {
  asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(p), "l"(w.value),
               "l"(w.tag)
               : "memory");
}
GP_DEVICE gp__u64 gp__add_relaxed(gp__u64 *p, gp__u64 v) { return atomicAdd(p, v); }
GP_DEVICE void gp__store_relaxed(gp__u64 *p, gp__u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

GP_DEVICE gp__u64 gp__load_relaxed(const gp__u64 *p) {
  gp__u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
// The lanes whose x has the bits of `mask` as this lane's x has them: all clear, or not all clear. All lanes call.
// By hand, so that the compiler takes many bits of x as predicates at once; the complement is taken by a multiplication,
// as the other instructions all are the other integer unit's. minus_one: gp__minus_one().
GP_DEVICE gp__u32 gp__agreeing(gp__u32 x, gp__u32 mask, gp__u32 minus_one) {
  gp__u32 lanes;
  asm volatile("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; "
               "@!p mad.lo.u32 %0, %0, %3, %3; }"
               : "=r"(lanes)
               : "r"(x), "r"(mask), "r"(minus_one));
  return lanes;
}
// -1, which the assembler cannot know: a multiplication by it stays one.
GP_DEVICE gp__u32 gp__minus_one() {
  gp__u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return (lane >> 5) - 1;
}
GP_DEVICE gp__u32 gp__and(gp__u32 x, gp__u32 y, gp__u32 z) {
  gp__u32 r;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}

// Whatever was computed from x is computed anew from here on: that costs fewer registers than to keep it.
GP_DEVICE void gp__forget(int &x) { asm volatile("" : "+r"(x)); }

// The kernel before this one on the stream may still run (launch attribute "programmatic stream serialization"): wait
// until it is complete and its writes are visible, then let the kernel after this one come up.
GP_DEVICE void gp__wait_for_predecessor() {
#if GPUPRIMS__ARCH >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Barriers in shared memory and bulk copies (sm_90). Addresses and sizes of copies are multiples of 16 bytes.
GP_DEVICE gp__u32 gp__shared_address(const void *p) { return static_cast<gp__u32>(__cvta_generic_to_shared(p)); }
#if GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0
GP_DEVICE void gp__mbarrier_init(gp__u64 *bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(gp__shared_address(bar)), "r"(count) : "memory");
}
GP_DEVICE void gp__mbarrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
GP_DEVICE void gp__mbarrier_arrive(gp__u64 *bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(gp__shared_address(bar)) : "memory");
}
GP_DEVICE void gp__mbarrier_arrive_expect(gp__u64 *bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(gp__shared_address(bar)), "r"(bytes)
               : "memory");
}
GP_DEVICE bool gp__mbarrier_test(gp__u64 *bar, unsigned parity) {
  gp__u32 done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(gp__shared_address(bar)), "r"(parity)
               : "memory");
  return done != 0;
}
// The same, without waiting a while for it.
GP_DEVICE bool gp__mbarrier_peek(gp__u64 *bar, unsigned parity) {
  gp__u32 done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(gp__shared_address(bar)), "r"(parity)
               : "memory");
  return done != 0;
}
GP_DEVICE void gp__bulk_load(void *shared, const void *global, unsigned bytes, gp__u64 *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   gp__shared_address(shared)),
               "l"(global), "r"(bytes), "r"(gp__shared_address(bar))
               : "memory");
}
GP_DEVICE void gp__bulk_store(void *global, const void *shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(gp__shared_address(shared)), "r"(bytes)
               : "memory");
}
GP_DEVICE void gp__bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// All groups of this thread but the last PENDING have been read from shared memory.
template <int PENDING> GP_DEVICE void gp__bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
GP_DEVICE void gp__bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
// Ordinary writes of this thread to shared memory become visible to bulk copies issued after a later barrier.
GP_DEVICE void gp__bulk_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif

// The same number, of which the compiler knows nothing: neither what it was made of, nor that a loop does not change it.
GP_DEVICE gp__u32 gp__anew(gp__u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}

// A place in shared memory from which offsets are counted. Its address is kept from the compiler, which would otherwise
// add it anew to every offset.
struct gp__shared_place {
  gp__u32 address;
  GP_DEVICE explicit gp__shared_place(void *p) {
    asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(gp__shared_address(p)));
  }
  template <class T> GP_DEVICE T *at(gp__u32 offset) const {
    return static_cast<T *>(__cvta_shared_to_generic(address + offset));
  }
  // Where `yes` is not 0: stores a word, and moves on to the next.
  GP_DEVICE void push_if(gp__u32 yes, gp__u32 x) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u32 [%0], %2; @p add.u32 %0, %0, 4; }"
                 : "+r"(address)
                 : "r"(yes), "r"(x)
                 : "memory");
  }
};

// A product that is rounded before anything is added to it.
GP_DEVICE float gp__product(float a, float b) { return __fmul_rn(a, b); }
GP_DEVICE double gp__product(double a, double b) { return __dmul_rn(a, b); }
// The upper half of a product.
GP_DEVICE gp__u32 gp__high_product(gp__u32 a, gp__u32 b) { return __umulhi(a, b); }
GP_DEVICE gp__u64 gp__high_product(gp__u64 a, gp__u64 b) { return __umul64hi(a, b); }
// Toward zero, saturated, NaN to 0.
GP_DEVICE gp__u32 gp__u32_from(float x) { return __float2uint_rz(x); }
GP_DEVICE gp__u32 gp__u32_from(double x) { return x != x ? 0 : __double2uint_rz(x); }

GP_DEVICE float gp__f32_from_bits(gp__u32 bits) { return __uint_as_float(bits); }
GP_DEVICE gp__u32 gp__bits_of_f32(float x) { return __float_as_uint(x); }
GP_DEVICE double gp__f64_from_bits(gp__u64 bits) { return __longlong_as_double(static_cast<long long>(bits)); }
GP_DEVICE gp__u64 gp__bits_of_f64(double x) { return static_cast<gp__u64>(__double_as_longlong(x)); }
GP_DEVICE unsigned short gp__f16_from_f32(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
GP_DEVICE float gp__f32_from_f16(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
// minimum and maximum of IEEE 754-2019: NaN wins, -0 is below +0.
GP_DEVICE float gp__minimum(float a, float b) {
#if GPUPRIMS__ARCH >= 800
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f32(a) >> 31)) ? a : b;
#endif
}
GP_DEVICE float gp__maximum(float a, float b) {
#if GPUPRIMS__ARCH >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f32(a) >> 31)) ? a : b;
#endif
}

#else // ---- emulator: simt.h of the tests stands before this header

#define GP_SHARED(T, name) SIMT_SHARED(T, name)
#define GP_DYNAMIC_SHARED(name) SIMT_DYN_SHARED(unsigned char, name)

template <int CACHE> GP_DEVICE gp_vector gp__load_vector(const void *p) { return *static_cast<const gp_vector *>(p); }
template <int CACHE> GP_DEVICE void gp__load_vector_if(bool there, const void *p, gp_vector &v) {
  if (there) v = *static_cast<const gp_vector *>(p);
}
template <int CACHE> GP_DEVICE void gp__store_vector(void *p, const gp_vector &v) { *static_cast<gp_vector *>(p) = v; }
GP_DEVICE void gp__store_vector_if(bool there, void *p, const gp_vector &v) {
  if (there) *static_cast<gp_vector *>(p) = v;
}
GP_DEVICE gp_vector gp__vector_anywhere(const unsigned char *p) {
  gp_vector v;
  for (int i = 0; i < 4; ++i)
    v.word[i] = p[4 * i] | static_cast<gp__u32>(p[4 * i + 1]) << 8 | static_cast<gp__u32>(p[4 * i + 2]) << 16 |
                static_cast<gp__u32>(p[4 * i + 3]) << 24;
  return v;
}
GP_DEVICE gp__u32 gp__permute(gp__u32 x, gp__u32 y, gp__u32 selector) {
  gp__u32 r = 0;
  for (int i = 0; i < 4; ++i) {
    const gp__u32 nibble = selector >> (4 * i), byte = __byte_perm(x, y, nibble & 7u) & 0xffu;
    r |= (nibble & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte) << (8 * i);
  }
  return r;
}
GP_DEVICE gp__word gp__load_word(const gp__word *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE void gp__store_word(gp__word *p, const gp__word &w) { simt::store(p, w, simt::relaxed); }
GP_DEVICE gp__u64 gp__add_relaxed(gp__u64 *p, gp__u64 v) {
  return simt::rmw(
      p, [=](gp__u64 old) { return old + v; }, simt::relaxed);
}
GP_DEVICE void gp__store_relaxed(gp__u64 *p, gp__u64 v) { simt::store(p, v, simt::relaxed); }
GP_DEVICE gp__u64 gp__load_relaxed(const gp__u64 *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE void gp__forget(int &) {}
GP_DEVICE gp__u32 gp__minus_one() { return 0xffffffffu; }
GP_DEVICE gp__u32 gp__and(gp__u32 x, gp__u32 y, gp__u32 z) { return x & y & z; }
GP_DEVICE gp__u32 gp__agreeing(gp__u32 x, gp__u32 mask, gp__u32) {
  const bool one = (x & mask) != 0;
  const gp__u32 lanes = __ballot_sync(0xffffffffu, one);
  return one ? lanes : ~lanes;
}
GP_DEVICE void gp__wait_for_predecessor() {}
GP_DEVICE void gp__mbarrier_init(gp__u64 *bar, unsigned count) {
  simt::mbarrier_init(reinterpret_cast<uint64_t *>(bar), count);
}
GP_DEVICE void gp__mbarrier_init_fence() { simt::fence_mbarrier_init(); }
GP_DEVICE void gp__mbarrier_arrive(gp__u64 *bar) { simt::mbarrier_arrive(reinterpret_cast<uint64_t *>(bar)); }
GP_DEVICE void gp__mbarrier_arrive_expect(gp__u64 *bar, unsigned bytes) {
  simt::mbarrier_arrive_expect_tx(reinterpret_cast<uint64_t *>(bar), bytes);
}
GP_DEVICE bool gp__mbarrier_test(gp__u64 *bar, unsigned parity) {
  return simt::mbarrier_test(reinterpret_cast<uint64_t *>(bar), parity);
}
GP_DEVICE bool gp__mbarrier_peek(gp__u64 *bar, unsigned parity) {
  return simt::mbarrier_peek(reinterpret_cast<uint64_t *>(bar), parity);
}
GP_DEVICE void gp__bulk_load(void *shared, const void *global, unsigned bytes, gp__u64 *bar) {
  simt::bulk_load(shared, global, bytes, reinterpret_cast<uint64_t *>(bar));
}
GP_DEVICE void gp__bulk_store(void *global, const void *shared, unsigned bytes) {
  simt::bulk_store(global, shared, bytes);
}
GP_DEVICE void gp__bulk_commit() { simt::bulk_commit(); }
template <int PENDING> GP_DEVICE void gp__bulk_wait_read() { simt::bulk_wait_read(PENDING); }
GP_DEVICE void gp__bulk_wait() { simt::bulk_wait(0); }
GP_DEVICE void gp__bulk_fence() { simt::fence_proxy_async(); }

GP_DEVICE gp__u32 gp__anew(gp__u32 x) { return x; }
struct gp__shared_place {
  unsigned char *address;
  GP_DEVICE explicit gp__shared_place(void *p) : address(static_cast<unsigned char *>(p)) {}
  template <class T> GP_DEVICE T *at(gp__u32 offset) const { return reinterpret_cast<T *>(address + offset); }
  GP_DEVICE void push_if(gp__u32 yes, gp__u32 x) {
    if (!yes) return;
    *at<gp__u32>(0) = x;
    address += 4;
  }
};

GP_DEVICE float gp__product(float a, float b) { return a * b; }
GP_DEVICE double gp__product(double a, double b) { return a * b; }
GP_DEVICE gp__u32 gp__high_product(gp__u32 a, gp__u32 b) {
  return static_cast<gp__u32>(static_cast<gp__u64>(a) * b >> 32);
}
GP_DEVICE gp__u64 gp__high_product(gp__u64 a, gp__u64 b) {
  const gp__u64 a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const gp__u64 middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}
template <class F> GP_DEVICE gp__u32 gp__u32_from(F x) {
  return x > F(0) ? x >= F(4294967296.) ? 0xffffffffu : static_cast<gp__u32>(x) : 0;
}
template <class R, class A> GP_DEVICE R gp__bit_cast(A a) {
  static_assert(sizeof(R) == sizeof(A), "a bit cast keeps the size");
  R r;
  memcpy(&r, &a, sizeof r);
  return r;
}
GP_DEVICE float gp__f32_from_bits(gp__u32 bits) { return gp__bit_cast<float>(bits); }
GP_DEVICE gp__u32 gp__bits_of_f32(float x) { return gp__bit_cast<gp__u32>(x); }
GP_DEVICE double gp__f64_from_bits(gp__u64 bits) { return gp__bit_cast<double>(bits); }
GP_DEVICE gp__u64 gp__bits_of_f64(double x) { return gp__bit_cast<gp__u64>(x); }
GP_DEVICE unsigned short gp__f16_from_f32(float x) {
  const gp__u32 u = gp__bits_of_f32(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7fffu);  // NaN
  if (a >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u); // rounds to infinity
  if (a < 0x33000000u) return static_cast<unsigned short>(sign);            // rounds to zero
  const gp__u32 e = a >> 23, drop = e >= 113 ? 13 : 126 - e;                // bits that leave the significand
  const gp__u32 m = e >= 113 ? a - (112u << 23) : (a & 0x7fffffu) | 0x800000u;
  const gp__u32 half = 1u << (drop - 1), rest = m & ((1u << drop) - 1), q = m >> drop;
  return static_cast<unsigned short>(sign | (q + (rest > half || (rest == half && (q & 1)))));
}
GP_DEVICE float gp__f32_from_f16(unsigned short bits) {
  const gp__u32 sign = (bits & 0x8000u) << 16, e = bits >> 10 & 31u, m = bits & 0x3ffu;
  if (e == 31) return gp__f32_from_bits(sign | 0x7f800000u | m << 13);
  if (e) return gp__f32_from_bits(sign | (e + 112) << 23 | m << 13);
  const float tiny = static_cast<float>(m) * gp__f32_from_bits(0x33800000u); // m * 2^-24
  return gp__f32_from_bits(sign | gp__bits_of_f32(tiny));
}
GP_DEVICE float gp__minimum(float a, float b) {
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f32(a) >> 31)) ? a : b;
}
GP_DEVICE float gp__maximum(float a, float b) {
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f32(a) >> 31)) ? a : b;
}

#endif // device or emulator

GP_DEVICE gp__u32 gp__product(gp__u32 a, gp__u32 b) { return a * b; }
GP_DEVICE gp__u64 gp__product(gp__u64 a, gp__u64 b) { return a * b; }
GP_DEVICE double gp__minimum(double a, double b) {
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f64(a) >> 63)) ? a : b;
}
GP_DEVICE double gp__maximum(double a, double b) {
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f64(a) >> 63)) ? a : b;
}

// Waits until the phase of this parity is complete.
#if !defined(GPUPRIMS__ARCH) || GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0
GP_DEVICE void gp__mbarrier_wait(gp__u64 *bar, unsigned parity) {
  while (!gp__mbarrier_test(bar, parity)) {}
}
#endif

// float to bfloat16, to nearest even.
GP_DEVICE unsigned short gp__bf16_from_f32(float x) {
#if !defined(GPUPRIMS_SIMT) && GPUPRIMS__ARCH >= 900
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  const gp__u32 u = gp__bits_of_f32(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>(u >> 16 | 0x40u);
  return static_cast<unsigned short>((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
#endif
}

// double to float, to odd: rounding the result once more to a narrower type is then as if done in one step.
GP_DEVICE float gp__f32_to_odd(double x) {
  const float f = static_cast<float>(x);
  const double back = f;
  if (back == x || x != x) return f;
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return gp__f32_from_bits((gp__bits_of_f32(f) - (away ? 1u : 0u)) | 1u);
}

// Sum of the four bytes of x, each times the byte of `weights`, plus c (modulo 2^32).
GP_DEVICE gp__u32 gp__dot_bytes(gp__u32 x, gp__u32 weights, gp__u32 c) { return __dp4a(x, weights, c); }

// Four bytes compared at once: the upper bit of byte i tells of byte i; the other bits are anything.
GP_DEVICE gp__u32 gp__bytes_differ(gp__u32 a, gp__u32 b) {
  const gp__u32 x = a ^ b;
  return ((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x;
}
template <bool SIGNED> GP_DEVICE gp__u32 gp__bytes_less(gp__u32 a, gp__u32 b) {
  const gp__u32 rest = (a | 0x80808080u) - (b & 0x7f7f7f7fu); // upper bit: of the seven below, a's are not less
  return (SIGNED ? a & ~b : ~a & b) | ~(rest | (a ^ b));
}
// Those upper bits, byte 0's first, as the upper four bits.
GP_DEVICE gp__u32 gp__upper_bits(gp__u32 x) { return (x & 0x80808080u) * 0x00204081u; }

// 16 bytes that start `offset` (0 to 15) bytes into the 32 bytes (low, high).
GP_DEVICE gp_vector gp__shift_vectors(const gp_vector &low, const gp_vector &high, unsigned offset) {
  const unsigned skip = offset / 4, bits = offset % 4 * 8;
  gp__u32 w[5];
  gp_vector r;
  GPUPRIMS__UNROLL
  for (int i = 0; i < 5; ++i) {
    const gp__u32 w0 = i < 4 ? low.word[i & 3] : high.word[0],
                  w1 = i + 1 < 4 ? low.word[(i + 1) & 3] : high.word[(i + 1) & 3];
    const gp__u32 w2 = i + 2 < 4 ? low.word[(i + 2) & 3] : high.word[(i + 2) & 3];
    const gp__u32 w3 = i + 3 < 4 ? low.word[(i + 3) & 3] : high.word[(i + 3) & 3];
    w[i] = skip < 2 ? (skip == 0 ? w0 : w1) : (skip == 2 ? w2 : w3);
  }
  GPUPRIMS__UNROLL
  for (int i = 0; i < 4; ++i) r.word[i] = __funnelshift_r(w[i], w[i + 1], bits);
  return r;
}

#endif // GPUPRIMS__DEVICE_TEXT

// >>policy ------------------------------------------------------------------------------------------------------------
//
// Merrill, Garland and Grimshaw (Policy-based Tuning for Performance Portability and Library Co-optimization): a kernel
// is specialised by a policy, a handful of numbers that a tuner chooses. This section is shared by the host's dispatch
// (C) and the kernels (C++): fields, defaults, validity and geometry are said here once.

#ifdef __cplusplus
#define GPUPRIMS__CONSTEXPR constexpr
#else
#define GPUPRIMS__CONSTEXPR
#endif
#if defined(__CUDACC__) && !defined(GPUPRIMS_SIMT)
#define GPUPRIMS__BOTH __host__ __device__
#else
#define GPUPRIMS__BOTH
#endif
#define GPUPRIMS__RULE GPUPRIMS__BOTH static inline GPUPRIMS__CONSTEXPR __attribute__((unused))

// The fields of each family: F(field, default, values...). A default of zero is chosen by gp__portable. The host reads
// these lists as its parser and its JSON; the kernels get the resolved numbers as template arguments.
#define GP_POLICY_FIELDS_MAP(F)                                                                                        \
  F(algorithm, GP_DIRECT, GP_DIRECT)                                                                                   \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4, 8)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING)                                                                        \
  F(blocks_per_sm, 0, 0, 1, 2, 4, 8)                                                                                   \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_REDUCE(F)                                                                                     \
  F(algorithm, GP_AUTO, GP_EVEN_SHARE, GP_STEALING, GP_ONE_BLOCK)                                                      \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4, 8)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 8)                                                                                   \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SCAN(F)                                                                                       \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED)                                      \
  F(threads, 0, 128, 256, 320, 384, 512)                                                                               \
  F(vectors, 0, 1, 3, 5, 7, 9, 11, 13)                                                                                 \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING)                                                                        \
  F(stages, 0, 3, 4, 5, 6)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)

#define GP_POLICY_FIELDS_STREAM(F)                                                                                     \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_PIPELINED)                                                                    \
  F(threads, 0, 128, 256, 384, 512)                                                                                    \
  F(vectors, 0, 1, 3, 5, 7)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(stages, 0, 2, 3, 4, 5)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SEGMENTS(F)                                                                                   \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_WARP_SEGMENTS, GP_PIPELINED)                                                 \
  F(threads, 0, 128, 256, 384, 512, 768)                                                                               \
  F(vectors, 0, 1, 3, 5, 7)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(stages, 0, 2, 3, 4, 5)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_HISTOGRAM(F)                                                                                  \
  F(algorithm, GP_AUTO, GP_SHARED_BINS, GP_GLOBAL_BINS)                                                                \
  F(threads, 0, 256, 512, 1024)                                                                                        \
  F(vectors, 0, 1, 2, 4)                                                                                               \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)

#define GP_POLICY_FIELDS_SORT(F)                                                                                       \
  F(algorithm, GP_AUTO, GP_ONE_SWEEP, GP_HYBRID, GP_COUNTING, GP_ONE_BLOCK)                                            \
  F(threads, 0, 128, 256, 384, 512, 1024)                                                                              \
  F(vectors, 0, 1, 2, 3, 4, 5, 6, 8)                                                                                   \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_MERGE(F)                                                                                      \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_MERGE_PASSES)                                                                \
  F(threads, 0, 128, 256, 384, 512)                                                                                    \
  F(vectors, 0, 1, 2, 3, 4, 5)                                                                                         \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SEGMENTED_SORT(F)                                                                             \
  F(algorithm, GP_AUTO, GP_SIZE_CLASSES)                                                                               \
  F(threads, 0, 128, 256, 384, 512)                                                                                    \
  F(vectors, 0, 1, 2, 3, 4, 5)                                                                                         \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_TOP_K(F)                                                                                      \
  F(algorithm, GP_AUTO, GP_RADIX_SELECT, GP_ONE_BLOCK)                                                                 \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4)                                                                                               \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)

// The families: primitives that share the fields of their policies and the shape of their kernels.
enum {
  GP__FAMILY_MAP,
  GP__FAMILY_REDUCE,
  GP__FAMILY_SCAN,
  GP__FAMILY_STREAM,
  GP__FAMILY_SEGMENTS,
  GP__FAMILY_HISTOGRAM,
  GP__FAMILY_SORT,
  GP__FAMILY_MERGE,
  GP__FAMILY_SEGMENTED_SORT,
  GP__FAMILY_TOP_K
};
GPUPRIMS__RULE int gp__family_of(int primitive) {
  return primitive == GP_REDUCE || primitive == GP_COUNT_IF || primitive == GP_ANY || primitive == GP_ALL ||
                 primitive == GP_CHECK_OFFSETS
             ? GP__FAMILY_REDUCE
         : primitive == GP_INCLUSIVE_SCAN || primitive == GP_EXCLUSIVE_SCAN ? GP__FAMILY_SCAN
         : (primitive >= GP_SEGMENTED_INCLUSIVE_SCAN && primitive <= GP_UNIQUE) || primitive == GP_SELECT ||
                 primitive == GP_PARTITION
             ? GP__FAMILY_STREAM
         : primitive == GP_SEGMENTED_REDUCE || primitive == GP_LOAD_BALANCE   ? GP__FAMILY_SEGMENTS
         : primitive == GP_HISTOGRAM_EVEN || primitive == GP_HISTOGRAM_RANGES ? GP__FAMILY_HISTOGRAM
         : primitive == GP_SORT                                               ? GP__FAMILY_SORT
         : primitive >= GP_MERGE_SORT && primitive <= GP_IS_SORTED            ? GP__FAMILY_MERGE
         : primitive == GP_SEGMENTED_SORT                                     ? GP__FAMILY_SEGMENTED_SORT
         : primitive == GP_TOP_K || primitive == GP_NTH_ELEMENT               ? GP__FAMILY_TOP_K
                                                                              : GP__FAMILY_MAP;
}
// Families that move keys and values: their kernels are steps of a plan, which gp__launch hands to the family.
GPUPRIMS__RULE int gp__is_planned(int primitive) { return gp__family_of(primitive) >= GP__FAMILY_SORT; }

// What the choice of a policy depends on. Sizes in bytes; count is the upper bound known on the host.
typedef struct gp__shape {
  int primitive;      // gp_primitive
  int in_size;        // element sizes; fill and iota: in_size is 0
  int in2_size;       // transform2, else 0
  int acc_size;       // reduce, scan: the accumulator; else 0
  int out_size;       //
  int in_misaligned;  // address of in modulo 16
  int key_size;       // stream, sorts: of a key or a flag, else 0; in_size is then that of a value, 0 without one
  int parts;          // partition: 2 or 3, else 0
  int offset_size;    // segments, else 0; out_misaligned is always 0 in streams, segments and histograms
  int ranges;         // segmented reduce with `end`; histogram by ranges
  int channels;       // histogram
  int active;         // histogram
  int out_misaligned; // address of out modulo 16
  int in_place;       // out == in
  int commutative;    // of the operator
  int exact;          // the operator is exactly associative: integers, minimum, maximum
  int reproducible;   // GP_REPRODUCIBLE, and the operator is not exact
  int compute_capability;
  int multiprocessors;
  int shared_bytes; // opt-in maximum of a block
  unsigned long long count;
  unsigned long long segments; // segments
  unsigned long long length;   // segmented reduce of fixed length, else 0
  unsigned long long bins;     // histogram: of a channel
  unsigned long long count2;   // merge and sets
  int begin_bit, end_bit;      // radix sorts: 0 to 8 times the size of the key where the caller has set none
  int drop_keys;               // sort: indices only; acc_size is the ordered key's where it is not key_size
} gp__shape;

// Numbers that more than one rule needs.
enum {
  GP__WARP = 32,
  GP__VECTOR = 16,                  // bytes of the widest access
  GP__CONTROL_BYTES = 256,          // at the start of a workspace: the ticket word
  GP__WORD_BYTES = 16,              // a tagged word of the workspace: 8 bytes of value, 8 bytes of tag
  GP__GROUP = 64,                   // tiles of a look-back group: two for each lane of a warp
  GP__PIPELINE_WARPS = 3,           // of a pipelined scan, beside those that compute
  GP__DIGITS = 256,                 // of a radix pass: 8 bits
  GP__CANONICAL_SCAN_THREADS = 320, // GP_REPRODUCIBLE pins the shape of a tile
  GP__CANONICAL_SCAN_VECTORS = 9,
  GP__CANONICAL_REDUCE_THREADS = 512,
  GP__CANONICAL_REDUCE_VECTORS = 4,
  GP__CANONICAL_REDUCE_TILES = 4096 // at most about so many tiles: larger inputs get larger tiles
};

// Opt-in shared memory of a block in bytes, from the table of compute capabilities in the CUDA programming guide.
GPUPRIMS__RULE int gp__shared_bytes_of(int capability) {
  return (capability == 75                                                                    ? 64
          : capability == 80 || capability == 87                                              ? 163
          : capability == 86 || capability == 88 || capability == 89 || capability / 10 >= 12 ? 99
                                                                                              : 227) *
         1024;
}

GPUPRIMS__RULE int gp__is_scan(int primitive) {
  return primitive == GP_INCLUSIVE_SCAN || primitive == GP_EXCLUSIVE_SCAN;
}

GPUPRIMS__RULE int gp__max(int a, int b) { return a > b ? a : b; }
GPUPRIMS__RULE unsigned long long gp__ceil_div(unsigned long long a, unsigned long long b) { return (a + b - 1) / b; }

// Elements in one vector access: 16 bytes where the size divides 16, otherwise one element.
GPUPRIMS__RULE int gp__vector_items(int size) { return size > 0 && GP__VECTOR % size == 0 ? GP__VECTOR / size : 1; }

// The fewest vectors that hold a whole number of elements, and how many they hold: 3 and 4 for 12-byte elements.
GPUPRIMS__RULE int gp__common_with_vector(int size) {
  return size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
}
GPUPRIMS__RULE int gp__pack_vectors(int size) { return size / gp__common_with_vector(size); }
GPUPRIMS__RULE int gp__pack_items(int size) { return GP__VECTOR / gp__common_with_vector(size); }
// Is a thread's chunk of so many elements read by vectors, or element by element?
GPUPRIMS__RULE int gp__chunk_by_vectors(int size, int items) {
  return gp__pack_vectors(size) <= 9 && items % gp__pack_items(size) == 0;
}

// Words that carry one accumulator through the workspace: 8 bytes of it a word.
GPUPRIMS__RULE int gp__acc_words(int acc_size) { return (acc_size + 7) / 8; }

// Slots of a look-back: aggregates of the tiles, prefixes and totals of their groups.
GPUPRIMS__RULE unsigned long long gp__look_back_slots(unsigned long long tiles) {
  return tiles + 2 * (tiles / GP__GROUP + 1);
}

// Elements a thread holds in a scan: `vectors` 16-byte vectors of the larger of the input and output types.
GPUPRIMS__RULE int gp__scan_items(int vectors, int in_size, int out_size) {
  return GP__VECTOR * vectors >= gp__max(in_size, out_size) ? GP__VECTOR * vectors / gp__max(in_size, out_size) : 1;
}

// Elements a thread handles at a time in a map (copy, fill, iota, transform): vectors of the largest type.
GPUPRIMS__RULE int gp__map_items(int vectors, int in_size, int in2_size, int out_size) {
  return vectors * gp__vector_items(gp__max(gp__max(in_size, in2_size), out_size));
}

// Rounds of a reproducible reduction's tile: grows with the count so that about GP__CANONICAL_REDUCE_TILES remain.
GPUPRIMS__RULE unsigned long long gp__canonical_rounds(unsigned long long count, int in_size) {
  return count / ((unsigned long long)GP__CANONICAL_REDUCE_TILES * GP__CANONICAL_REDUCE_THREADS *
                  GP__CANONICAL_REDUCE_VECTORS * gp__vector_items(in_size)) +
         1;
}

// May a scan of these types run on bulk copies: whole vectors of elements, equal sizes on both sides.
GPUPRIMS__RULE int gp__pipelined_fits(int in_size, int out_size, int vectors) {
  return in_size == out_size && in_size <= 16 && vectors % 2 == 1 && GP__VECTOR * vectors % in_size == 0 &&
         gp__chunk_by_vectors(in_size, GP__VECTOR * vectors / in_size);
}

// Dynamic shared memory of a block, in bytes: `stages` tiles of a pipelined scan; otherwise the input's tile, and the
// output's where the element sizes differ.
GPUPRIMS__RULE int gp__scan_tile_bytes(gp_policy p, int in_size, int out_size, int size) {
  return (p.threads * gp__scan_items(p.vectors, in_size, out_size) * size + 127) / 128 * 128;
}
GPUPRIMS__RULE int gp__shared_bytes(int primitive, gp_policy p, int in_size, int out_size) {
  return !gp__is_scan(primitive) ? 0
         : p.algorithm == GP_PIPELINED
             ? p.stages * gp__scan_tile_bytes(p, in_size, out_size, in_size)
             : gp__scan_tile_bytes(p, in_size, out_size, in_size) +
                   (in_size == out_size ? 0 : gp__scan_tile_bytes(p, in_size, out_size, out_size));
}

// Static shared memory of a block of a scan, in bytes, at most.
GPUPRIMS__RULE int gp__scan_static_bytes(gp_policy p, int acc_size) {
  return (p.algorithm == GP_PIPELINED ? p.stages : 1) * (80 + (p.threads / GP__WARP + 2) * ((acc_size + 15) / 16 * 16));
}

// Elements of a stream's thread: as many as `vectors` 16-byte vectors hold of the larger of key and value.
GPUPRIMS__RULE int gp__stream_items(int vectors, int key_size, int in_size) {
  return GP__VECTOR * vectors >= gp__max(key_size, in_size) ? GP__VECTOR * vectors / gp__max(key_size, in_size) : 1;
}
// A value and a flag of 4 bytes, whatever the value's alignment is.
GPUPRIMS__RULE int gp__flagged_bytes(int size) {
  return size % 16 == 0 ? size + 16 : size % 8 == 0 ? size + 8 : (size + 3) / 4 * 4 + 4;
}
// What is carried from tile to tile, at most: counts, and the value of the run that is open; in a scan a flag and that
// value.
GPUPRIMS__RULE int gp__stream_state_bytes(int primitive, int parts, int acc_size) {
  return acc_size && primitive == GP_REDUCE_BY_KEY                             ? (acc_size + 15) / 16 * 16 + 16
         : acc_size                                                            ? gp__flagged_bytes(acc_size)
         : parts == 3 || (primitive != GP_SELECT && primitive != GP_PARTITION) ? 16
                                                                               : 8;
}
// A tile's keys (or values) in shared memory: room for an element and for misalignment before and behind.
enum { GP__STREAM_MARGIN = 64 };
GPUPRIMS__RULE int gp__stream_region_bytes(int items, int size) {
  return size ? (items * size + 2 * GP__STREAM_MARGIN + 127) / 128 * 128 : 0;
}
// What a thread keeps of a chunk until results are written: bits of its elements, a count (scans: none), and the value
// of the run that is open before them.
GPUPRIMS__RULE int gp__stream_kept_bytes(int primitive, int parts, int acc_size, int items) {
  return primitive == GP_SELECT || primitive == GP_PARTITION
             ? (parts == 3 ? 2 : 1) * ((items + 31) / 32 * 4) + 4
             : (items + 32) / 32 * 4 + (acc_size && primitive != GP_REDUCE_BY_KEY ? 0 : 4) + (acc_size + 3) / 4 * 4;
}
// Bytes an element that results need beside the tile.
GPUPRIMS__RULE int gp__stream_scratch_bytes(int acc_size, int in_size, int out_size) {
  return acc_size && in_size != out_size ? out_size : 0;
}

// Is a fully resolved policy valid for the shape? The one place that knows; an invalid policy is an error, never
// changed in silence.
GPUPRIMS__RULE int gp__policy_valid_common(gp_policy p) {
  return p.threads >= 32 && p.threads <= 1024 && p.threads % GP__WARP == 0 && p.vectors >= 1 && p.vectors <= 16 &&
         p.load > 0 && p.load < GP_CACHE_COUNT && p.store > 0 && p.store < GP_CACHE_COUNT && p.store != GP_CACHE_L2 &&
         p.blocks_per_sm >= 0 && p.blocks_per_sm <= 32 && (p.overlap == 1 || p.overlap == 2);
}
GPUPRIMS__RULE int gp__policy_valid_scan(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_THREE_SWEEP || p.algorithm == GP_ONE_BLOCK ||
          p.algorithm == GP_PIPELINED) &&
         p.blocks_per_sm >= 1 && p.threads <= 512 && gp__scan_items(p.vectors, s.in_size, s.out_size) >= 1 &&
         (p.algorithm != GP_PIPELINED || (s.compute_capability >= 90 && p.stages >= 3 && p.stages <= 8 &&
                                          p.threads + GP__PIPELINE_WARPS * GP__WARP <= 1024 && s.acc_size <= 16 &&
                                          gp__pipelined_fits(s.in_size, s.out_size, p.vectors) &&
                                          s.in_misaligned % s.in_size == 0 && !(s.reproducible && s.in_misaligned))) &&
         (!s.reproducible || (p.threads == GP__CANONICAL_SCAN_THREADS && p.vectors == GP__CANONICAL_SCAN_VECTORS &&
                              (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED))) &&
         gp__shared_bytes(s.primitive, p, s.in_size, s.out_size) + gp__scan_static_bytes(p, s.acc_size) <=
             s.shared_bytes;
}
GPUPRIMS__RULE int gp__policy_valid_reduce(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_EVEN_SHARE || p.algorithm == GP_STEALING || p.algorithm == GP_ONE_BLOCK) &&
         p.blocks_per_sm >= 1 &&
         (!s.reproducible || (p.algorithm == GP_STEALING && p.threads == GP__CANONICAL_REDUCE_THREADS &&
                              p.vectors == GP__CANONICAL_REDUCE_VECTORS));
}
// A stream: a block's stages and its static shared memory fit.
// Pipelined, beside p.threads that write results: warps that fold, one that publishes, one a stage that looks back, one
// that copies.
GPUPRIMS__RULE int gp__stream_fold_warps(int threads) { return (threads / GP__WARP + 1) / 2; }
GPUPRIMS__RULE int gp__stream_stages(gp_policy p) { return p.algorithm == GP_PIPELINED ? p.stages : 1; }
GPUPRIMS__RULE int gp__stream_threads(gp_policy p) {
  return p.algorithm == GP_PIPELINED ? p.threads + (gp__stream_fold_warps(p.threads) + 2 + p.stages) * GP__WARP
                                     : p.threads;
}
GPUPRIMS__RULE int gp__stream_shared_of(gp_policy p, gp__shape s, int items) {
  return gp__stream_stages(p) * (gp__stream_region_bytes(p.threads * items, s.key_size) +
                                 gp__stream_region_bytes(p.threads * items, s.in_size) +
                                 p.threads * gp__stream_kept_bytes(s.primitive, s.parts, s.acc_size, items)) +
         p.threads * items * gp__stream_scratch_bytes(s.acc_size, s.in_size, s.out_size);
}
GPUPRIMS__RULE int gp__stream_shared_bytes(gp_policy p, gp__shape s) {
  return gp__stream_shared_of(p, s, gp__stream_items(p.vectors, s.key_size, s.in_size));
}
GPUPRIMS__RULE int gp__stream_static_bytes(gp_policy p, gp__shape s) {
  return gp__stream_stages(p) *
         (96 + (p.threads / GP__WARP + 1) * gp__stream_state_bytes(s.primitive, s.parts, s.acc_size));
}
GPUPRIMS__RULE int gp__policy_valid_stream(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED) && p.blocks_per_sm >= 1 && p.threads <= 512 &&
         gp__stream_items(p.vectors, s.key_size, s.in_size) <= 160 &&
         (p.algorithm != GP_PIPELINED ||
          (s.compute_capability >= 90 && p.stages >= 2 && p.stages <= 8 && gp__stream_threads(p) <= 1024 &&
           s.key_size <= 16 && s.in_size <= 16 && s.acc_size <= 16)) &&
         gp__stream_shared_bytes(p, s) + gp__stream_static_bytes(p, s) <= s.shared_bytes;
}
// ---- segmented reduce and load balance: warps with the same number of elements and segment ends together

enum { GP__SPAN_ITEMS = 4 }; // lengths a thread holds when the lengths of ranges are scanned
// What a warp's chunk holds: elements (accumulators where segments are ranges), or the segments of elements.
GPUPRIMS__RULE int gp__segment_cell_bytes(gp__shape s) {
  return s.primitive == GP_LOAD_BALANCE ? s.out_size : s.ranges ? s.acc_size : s.in_size;
}
GPUPRIMS__RULE int gp__segment_acc_bytes(gp__shape s) {
  return s.primitive == GP_LOAD_BALANCE ? s.out_size : s.acc_size;
}
GPUPRIMS__RULE int gp__segment_items(gp_policy p, gp__shape s) {
  return gp__scan_items(p.vectors, gp__segment_cell_bytes(s), gp__segment_acc_bytes(s));
}
// Barriers of a warp's chunks on their way (pipelined).
GPUPRIMS__RULE int gp__segment_barrier_bytes(int stages) { return (stages + 1) / 2 * GP__VECTOR; }
// Dynamic shared memory of a block: cells, which become results in place, a byte an element that says: a segment ends
// here, and barriers.
GPUPRIMS__RULE int gp__segment_shared_bytes(gp_policy p, gp__shape s) {
  return p.threads * gp__segment_items(p, s) *
             ((p.algorithm == GP_PIPELINED ? p.stages : 1) *
                  gp__max(gp__segment_cell_bytes(s), gp__segment_acc_bytes(s)) +
              (s.primitive == GP_LOAD_BALANCE ? 0 : 1)) +
         (p.algorithm == GP_PIPELINED ? p.threads / GP__WARP * gp__segment_barrier_bytes(p.stages) : 0);
}
// Static shared memory, at most.
GPUPRIMS__RULE int gp__segment_static_bytes(gp_policy p, gp__shape s) {
  return s.primitive == GP_LOAD_BALANCE ? 0
                                        : (p.threads / GP__WARP + 1) * (3 * ((s.acc_size + 15) / 16 * 16 + 16) + 16);
}
// Words that carry a block's two open results and their place.
GPUPRIMS__RULE int gp__segment_words(int acc_size) { return (2 * acc_size + 8 + 15) / 16 * 2; }
// A warp's segments: who reads a segment is a power of two of lanes, or the block.
enum {
  GP__LOG2_BLOCK = 10,     // the power of two that stands for the block
  GP__LONG_ROUNDS = 4,     // a segment is long where its lanes would wait for memory more often than that
  GP__RANGE_LOG2_LANES = 3 // ranges may overlap, and be longer than count / segments: so many lanes at least
};
GPUPRIMS__RULE int gp__policy_valid_segments(gp_policy p, gp__shape s) {
  return p.blocks_per_sm >= 1 &&
         (p.algorithm == GP_WARP_SEGMENTS
              ? s.primitive == GP_SEGMENTED_REDUCE && s.count <= 0x7fffffff && s.segments <= 0x7fffffff
              : (p.algorithm == GP_MERGE_PATH ||
                 (p.algorithm == GP_PIPELINED && s.primitive == GP_SEGMENTED_REDUCE && !s.ranges &&
                  s.compute_capability >= 90 && p.stages >= 2 && p.stages <= 8)) &&
                    gp__segment_shared_bytes(p, s) + gp__segment_static_bytes(p, s) <= s.shared_bytes);
}

// ---- histograms. The shape: in_size is a sample's, in2_size a weight's (0: none), out_size a counter's; exact: the
// counters are integers.

enum {
  GP__HISTOGRAM_STATIC_BYTES = 2560,        // static shared memory of a block, at most
  GP__HISTOGRAM_BOUNDARY_BYTES = 20 * 1024, // boundaries of ranges are copied to shared memory up to this size
  GP__HISTOGRAM_BUCKETS = 4096,             // of boundaries, at most
  GP__HISTOGRAM_SLICE_BYTES = 40 * 1024,    // float counters: those of one block
  GP__HISTOGRAM_GROUP = 16,                 // float counters: shares whose sums one block adds up
  GP__HISTOGRAM_CHUNK = 4096,               // counters of the output that a warp sets to zero at a time, at least
  GP__HISTOGRAM_CHUNKS = 1024               // and into how many pieces the output is cut at most
};
// Samples of one byte are counted by their value; what becomes of a value is decided when the counters are added up.
GPUPRIMS__RULE int gp__histogram_by_value(int algorithm, int in_size, int exact) {
  return algorithm == GP_SHARED_BINS && in_size == 1 && exact;
}
// Counters of a channel in shared memory: behind the bins stands one for samples in no bin, so that nobody asks.
GPUPRIMS__RULE unsigned long long gp__histogram_stride(int by_value, unsigned long long bins) {
  return by_value ? 256 : bins + 1;
}
// Of all channels; the last one is for channels that are not counted.
GPUPRIMS__RULE unsigned long long gp__histogram_slots(gp_policy p, gp__shape s) {
  return s.exact
             ? (unsigned)s.active * gp__histogram_stride(gp__histogram_by_value(p.algorithm, s.in_size, 1), s.bins) + 1
             : (unsigned)s.active * s.bins;
}
GPUPRIMS__RULE unsigned long long gp__round_up(unsigned long long x, unsigned long long to) {
  return (x + to - 1) / to * to;
}
// Boundaries in shared memory, in bytes; 0: they stay where they are.
GPUPRIMS__RULE unsigned gp__histogram_boundary_bytes(unsigned long long boundaries, int size) {
  return boundaries <= (unsigned)(GP__HISTOGRAM_BOUNDARY_BYTES / size)
             ? (unsigned)gp__round_up(boundaries * (unsigned)size, GP__VECTOR)
             : 0;
}
// Ranges of one channel are searched from a guess: buckets of equal width, two to four a bin, each with the boundaries
// that lie in it. 0: none.
GPUPRIMS__RULE unsigned gp__histogram_fewer_buckets(unsigned long long bins, unsigned buckets) {
  return buckets / 4 <= bins ? buckets : gp__histogram_fewer_buckets(bins, buckets / 2);
}
GPUPRIMS__RULE unsigned gp__histogram_buckets(int algorithm, int exact, unsigned long long bins, int active, int size) {
  return algorithm == GP_SHARED_BINS && exact && active == 1 && gp__histogram_boundary_bytes(bins + 1, size)
             ? gp__histogram_fewer_buckets(bins, GP__HISTOGRAM_BUCKETS)
             : 0;
}
// Boundaries and buckets of a block, which come before its counters.
GPUPRIMS__RULE unsigned gp__histogram_search_bytes(int algorithm, int exact, unsigned long long bins, int active,
                                                   int size) {
  return gp__histogram_boundary_bytes((bins + 1) * (unsigned)active, size) +
         gp__histogram_buckets(algorithm, exact, bins, active, size) * 4;
}
// Float counters: how many of them one block takes; all blocks of a slice read all samples.
GPUPRIMS__RULE unsigned gp__histogram_slice(unsigned long long slots, int size) {
  return slots < (unsigned)(GP__HISTOGRAM_SLICE_BYTES / size) ? (unsigned)slots
                                                              : (unsigned)(GP__HISTOGRAM_SLICE_BYTES / size);
}
// Counters of a chunk of the output, of which one warp makes zeros.
GPUPRIMS__RULE unsigned long long gp__histogram_chunk(unsigned long long counters) {
  return counters <= (unsigned long long)GP__HISTOGRAM_CHUNK * GP__HISTOGRAM_CHUNKS
             ? (unsigned)GP__HISTOGRAM_CHUNK
             : gp__ceil_div(counters, GP__HISTOGRAM_CHUNKS);
}
// Dynamic shared memory that a block may have where blocks_per_sm of them are to fit a multiprocessor, which has 1 KiB
// more than a block can get and keeps 1 KiB for each block.
GPUPRIMS__RULE int gp__histogram_room(gp_policy p, gp__shape s) {
  return (s.shared_bytes + 1024) / gp__max(p.blocks_per_sm, 1) - 1024 - GP__HISTOGRAM_STATIC_BYTES;
}
// One copy of a block's counters, in bytes, and its tables.
GPUPRIMS__RULE unsigned long long gp__histogram_copy_bytes(gp_policy p, gp__shape s) {
  return s.exact
             ? gp__histogram_slots(p, s) * (unsigned)(s.in2_size ? s.out_size : 4)
             : (unsigned long long)gp__histogram_slice(gp__histogram_slots(p, s), s.out_size) * (unsigned)s.out_size;
}
GPUPRIMS__RULE unsigned gp__histogram_table_bytes(gp_policy p, gp__shape s) {
  return s.ranges && !gp__histogram_by_value(p.algorithm, s.in_size, s.exact)
             ? gp__histogram_search_bytes(p.algorithm, s.exact, s.bins, s.active, s.in_size)
             : 0;
}
// Copies of the counters: the largest power of two that fits, 0 where not even one does. A copy a lane at most; float
// counters: a copy a warp.
GPUPRIMS__RULE unsigned gp__histogram_fit(unsigned long long bytes, long long room, unsigned copies) {
  return copies == 0 || (long long)gp__round_up(bytes * copies, GP__VECTOR) <= room
             ? copies
             : gp__histogram_fit(bytes, room, copies / 2);
}
GPUPRIMS__RULE unsigned gp__histogram_replicas(gp_policy p, gp__shape s) {
  return gp__histogram_fit(gp__histogram_copy_bytes(p, s),
                           (long long)gp__histogram_room(p, s) - gp__histogram_table_bytes(p, s),
                           s.exact || p.threads >= 1024 ? (unsigned)GP__WARP : (unsigned)p.threads / GP__WARP);
}
// Counters of 16 bits, where those of 32 do not fit though the block has the multiprocessor to itself: of one channel,
// without weights.
GPUPRIMS__RULE int gp__histogram_halves(gp_policy p, gp__shape s) {
  return p.blocks_per_sm == 1 && s.exact && !s.in2_size && s.in_size > 1 && s.channels == 1 &&
         gp__histogram_replicas(p, s) == 0 &&
         gp__histogram_fit(gp__histogram_copy_bytes(p, s) / 2,
                           (long long)gp__histogram_room(p, s) - gp__histogram_table_bytes(p, s), 1) == 1;
}
GPUPRIMS__RULE int gp__policy_valid_histogram(gp_policy p, gp__shape s) {
  return p.blocks_per_sm >= 1 && (p.threads & (p.threads - 1)) == 0 &&
         (p.algorithm == GP_SHARED_BINS ? gp__histogram_replicas(p, s) > 0 || gp__histogram_halves(p, s)
                                        : p.algorithm == GP_GLOBAL_BINS && s.exact &&
                                              (long long)gp__histogram_table_bytes(p, s) <= gp__histogram_room(p, s));
}
// ---- hybrid sort
//
// Shapes that host and kernels share. A bucket is sorted on chip by one block; larger ones go to the next level.
enum {
  GP__HYBRID_COUNT_THREADS = 512,
  GP__HYBRID_LEVELS = 9, // at most: 4 bits or more at each of the first two, 8 at the others
  GP__HYBRID_PART_BYTES = 72,
  GP__HYBRID_ITEM_BYTES = 24
};
// Of a block that sorts a bucket: threads, keys of a thread, bins.
GPUPRIMS__RULE int gp__bucket_threads(int key_size) { return key_size > 4 ? 576 : 288; }
GPUPRIMS__RULE int gp__bucket_items(int key_size) { return key_size > 4 ? 8 : 16; }
GPUPRIMS__RULE int gp__bucket_log2_bins(int key_size) { return key_size > 4 ? 13 : 12; }
GPUPRIMS__RULE int gp__bucket_blocks(int key_size) { return key_size > 4 ? 2 : 4; }
// Fewer rounds of transpositions where bins are many.
GPUPRIMS__RULE int gp__tile_sort_rounds(int capacity, int log2_bins) {
  return 2 * (1 << log2_bins) >= 3 * capacity ? 5 : 7;
}
// gp_tile_sort_storage: keys, counters, a few words of each warp.
GPUPRIMS__RULE unsigned gp__tile_sort_bytes(int key_size, int threads, int items, int log2_bins) {
  return (
      unsigned)(((threads * (items + 1) + 3 * gp__tile_sort_rounds(threads * items, log2_bins) + 7 + threads / 32 * 2) *
                     (key_size > 4 ? 8 : 4) +
                 ((1 << log2_bins) + 32 + threads / 32) * 4 + 15) /
                16 * 16);
}
GPUPRIMS__RULE unsigned gp__hybrid_move_bytes(int key_size, int tile) {
  return (unsigned)(256 * 8 + 256 * 4 + 32 * 4 + tile * (key_size > 4 ? 8 : 4));
}
GPUPRIMS__RULE unsigned gp__bucket_bytes(int key_size) {
  return gp__tile_sort_bytes(key_size, gp__bucket_threads(key_size), gp__bucket_items(key_size),
                             gp__bucket_log2_bins(key_size));
}
GPUPRIMS__RULE int gp__hybrid_vector_items(gp_policy p, gp__shape s) {
  return p.vectors * gp__vector_items(s.key_size);
}
// A sort in one block: keys of a thread, about as many bins as keys.
GPUPRIMS__RULE int gp__one_block_items(int vectors) { return vectors < 4 ? 8 : 16; }
GPUPRIMS__RULE int gp__one_block_log2_bins(int keys) { return keys < 1024 ? 9 : 1 + gp__one_block_log2_bins(keys / 2); }
GPUPRIMS__RULE unsigned gp__one_block_bytes(gp_policy p, int key_size) {
  return gp__tile_sort_bytes(key_size, p.threads, gp__one_block_items(p.vectors),
                             gp__one_block_log2_bins(p.threads * gp__one_block_items(p.vectors)));
}
GPUPRIMS__RULE int gp__hybrid_levels(int key_size) { return key_size == 1 ? 1 : 1 + key_size; }
// Parts of a level, at most: each has more keys than a block sorts.
GPUPRIMS__RULE unsigned long long gp__hybrid_parts(unsigned long long count, int capacity) {
  return count / (unsigned)capacity + 2;
}
// Buckets, at most: two neighbours have more keys than half a block sorts, but at the ends of parts.
GPUPRIMS__RULE unsigned long long gp__hybrid_items(unsigned long long count, int capacity) {
  return 16 * (count / (unsigned)capacity + 2);
}
// ---- sorts and merges
//
// One-sweep radix sort. A pass for each 8 bits of the ordered key, the least significant first; an ordered key of more
// than 64 bits has several words, and no pass spans two.
enum {
  GP__RADIX_PASSES = 64, // at most: struct keys of 64 bytes
  GP__RADIX_HISTOGRAM_THREADS = 1024,
  GP__RADIX_TABLES = 4,       // of 256 counters each: as many as a word of 32 bits has digits
  GP__RADIX_WINDOW = 4,       // tiles whose counts a look-back asks for at a time
  GP__RADIX_VALUE_BYTES = 16, // larger values follow their keys by index
  GP__RADIX_NARROW_LOG2 = 30  // fewer elements: counts travel in words of 32 bits
};
GPUPRIMS__RULE int gp__radix_passes(int begin_bit, int end_bit) {
  return begin_bit >= end_bit ? 0
         : begin_bit / 64 < end_bit / 64
             ? (64 - begin_bit % 64 + 7) / 8 + gp__radix_passes(begin_bit / 64 * 64 + 64, end_bit)
             : (end_bit - begin_bit + 7) / 8;
}
// Keys a thread holds.
GPUPRIMS__RULE int gp__radix_items(int vectors, int key_size) {
  return GP__VECTOR * vectors >= gp__max(key_size, 4) ? GP__VECTOR * vectors / gp__max(key_size, 4) : 1;
}
// Bytes of values that move with the keys; indices in the place of large ones.
GPUPRIMS__RULE int gp__radix_index_bytes(unsigned long long count) { return count >> 32 ? 8 : 4; }
GPUPRIMS__RULE int gp__radix_value_bytes(gp__shape s) {
  return s.in_size <= GP__RADIX_VALUE_BYTES ? s.in_size : gp__radix_index_bytes(s.count);
}
// Bytes of the ordered key.
GPUPRIMS__RULE int gp__radix_ordered_bytes(gp__shape s) { return s.acc_size ? s.acc_size : s.key_size; }
GPUPRIMS__RULE unsigned gp__radix_keys_bytes(gp_policy p, int key_size) {
  return (unsigned)(p.threads * gp__radix_items(p.vectors, key_size) * key_size + 15) / 16 * 16;
}
// Dynamic shared memory of a pass: a tile of keys, and their values. Static, at most: each warp's counters, where each
// digit goes.
GPUPRIMS__RULE unsigned gp__radix_shared_bytes(gp_policy p, gp__shape s) {
  return gp__radix_keys_bytes(p, s.key_size) +
         (unsigned)(p.threads * gp__radix_items(p.vectors, s.key_size) * gp__radix_value_bytes(s) + 15) / 16 * 16;
}
GPUPRIMS__RULE unsigned gp__radix_static_bytes(gp_policy p) {
  return (unsigned)(p.threads / GP__WARP * 2 * GP__DIGITS + 8 * GP__DIGITS + 256);
}
// The histogram: copies of each counter, so that lanes of a warp do not meet, and its dynamic shared memory.
GPUPRIMS__RULE unsigned gp__radix_histogram_bytes(int ordered_bytes, int replicas) {
  return (unsigned)((ordered_bytes < GP__RADIX_TABLES ? ordered_bytes : GP__RADIX_TABLES) * replicas * 4 * GP__DIGITS);
}
GPUPRIMS__RULE int gp__radix_replicas(int ordered_bytes, int capability, int most) {
  return most <= 8 || (int)gp__radix_histogram_bytes(ordered_bytes, most) + 2048 <= gp__shared_bytes_of(capability)
             ? most
             : gp__radix_replicas(ordered_bytes, capability, most / 2);
}
GPUPRIMS__RULE int gp__policy_valid_radix(gp_policy p, gp__shape s) {
  return p.threads * gp__radix_items(p.vectors, s.key_size) < 65536 &&
         (int)(gp__radix_shared_bytes(p, s) + gp__radix_static_bytes(p)) <= s.shared_bytes;
}
// What may lose the order of equal keys: built-in keys, all bits of them, no values.
GPUPRIMS__RULE int gp__sorts_keys(gp__shape s) {
  return !s.in_size && !s.acc_size && !s.drop_keys && s.key_size <= 8 && !s.begin_bit && s.end_bit == 8 * s.key_size;
}
GPUPRIMS__RULE int gp__policy_valid_hybrid(gp_policy p, gp__shape s) {
  return gp__sorts_keys(s) && p.threads <= 1024 && p.threads * gp__hybrid_vector_items(p, s) < 65536 &&
         gp__hybrid_vector_items(p, s) % 2 == 0 && gp__hybrid_vector_items(p, s) <= 64 &&
         (int)gp__hybrid_move_bytes(s.key_size, p.threads * gp__hybrid_vector_items(p, s)) <= s.shared_bytes &&
         (int)gp__bucket_bytes(s.key_size) <= s.shared_bytes;
}
GPUPRIMS__RULE int gp__policy_valid_one_block_sort(gp_policy p, gp__shape s) {
  return gp__sorts_keys(s) && s.count <= (unsigned long long)(p.threads * gp__one_block_items(p.vectors)) &&
         (int)gp__one_block_bytes(p, s.key_size) <= s.shared_bytes;
}
GPUPRIMS__RULE int gp__policy_valid_sort(gp_policy p, gp__shape s) {
  return p.blocks_per_sm >= 1 && s.key_size > 0 &&
         (p.algorithm == GP_HYBRID      ? gp__policy_valid_hybrid(p, s)
          : p.algorithm == GP_ONE_BLOCK ? gp__policy_valid_one_block_sort(p, s)
                                        : p.algorithm == GP_ONE_SWEEP && gp__policy_valid_radix(p, s));
}
GPUPRIMS__RULE int gp__policy_valid_merge(gp_policy p, gp__shape s) { return p.blocks_per_sm >= 1 && s.key_size > 0; }
GPUPRIMS__RULE int gp__policy_valid_segmented_sort(gp_policy p, gp__shape s) {
  return p.blocks_per_sm >= 1 && s.key_size > 0;
}
GPUPRIMS__RULE int gp__policy_valid_top_k(gp_policy p, gp__shape s) { return p.blocks_per_sm >= 1 && s.key_size > 0; }
// A search keeps the needles of a thread in registers.
GPUPRIMS__RULE int gp__policy_valid_map(gp_policy p, gp__shape s) {
  return p.algorithm == GP_DIRECT && ((s.primitive != GP_LOWER_BOUND && s.primitive != GP_UPPER_BOUND) ||
                                      p.threads * gp__map_items(p.vectors, s.in_size, s.in2_size, s.out_size) <= 16384);
}
GPUPRIMS__RULE int gp__policy_valid(gp_policy p, gp__shape s) {
  return gp__policy_valid_common(p) && (p.overlap != 1 || s.compute_capability >= 90) &&
         (gp__family_of(s.primitive) == GP__FAMILY_SCAN        ? gp__policy_valid_scan(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_REDUCE    ? gp__policy_valid_reduce(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_STREAM    ? gp__policy_valid_stream(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_SEGMENTS  ? gp__policy_valid_segments(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_HISTOGRAM ? gp__policy_valid_histogram(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_SORT      ? gp__policy_valid_sort(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_MERGE     ? gp__policy_valid_merge(p, s)
          : gp__family_of(s.primitive) == GP__FAMILY_TOP_K     ? gp__policy_valid_top_k(p, s)
          : gp__is_planned(s.primitive)                        ? gp__policy_valid_segmented_sort(p, s)
                                                               : gp__policy_valid_map(p, s));
}

// The bytes by which calls are small or large: what is read, or written where that is more.
GPUPRIMS__RULE unsigned long long gp__shape_bytes(gp__shape s) {
  return gp__is_planned(s.primitive)                       ? (s.count + s.count2) * (unsigned)(s.key_size + s.in_size)
         : gp__family_of(s.primitive) == GP__FAMILY_STREAM ? s.count * (unsigned)(s.key_size + s.in_size)
         : gp__family_of(s.primitive) == GP__FAMILY_HISTOGRAM
             ? s.count * (unsigned)s.channels * (unsigned)s.in_size
             : s.count * (unsigned long long)gp__max(s.in_size, s.out_size);
}

#if !defined(__CUDACC_RTC__)

// The same policy with zero in the fields that its algorithm does not read: policies that differ only there are one.
__attribute__((unused)) static gp_policy gp__canonical(gp_policy p) {
  if (p.algorithm != GP_PIPELINED) p.stages = 0;
  else p.load = p.store = 0; // its tiles come and go by bulk copies
  if (p.algorithm == GP_ONE_BLOCK) p.blocks_per_sm = 0;
  return p;
}

// The portable row: what a field is when nobody, neither the caller nor a tuned row, has said. Fields that are already
// set are kept. GP_AUTO becomes: for a reproducible reduction, stealing, otherwise even share; for a scan of 3 MiB or
// more (512 KiB where pointers of wider elements are misaligned), pipelined where that is valid, otherwise look-back.
// The numbers are those that did best in streams on an H200, one row for all; ci/measurements has them.
GPUPRIMS__RULE int gp__or(int field, int otherwise) { return field ? field : otherwise; }
__attribute__((unused)) static gp_policy gp__portable_scan(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int mib = bytes >> 20 > 0x7fffffff ? 0x7fffffff : (int)(bytes >> 20);
  const int canonical = s.reproducible, misaligned = s.in_misaligned || s.out_misaligned;
  const int shifted = misaligned && bytes >= (512 << 10) && s.in_size >= 4; // a ragged chunk of bytes takes long
  gp_policy q = p;
  q.algorithm = GP_PIPELINED;
  q.threads = gp__or(p.threads, canonical ? GP__CANONICAL_SCAN_THREADS : mib >= 24 ? 320 : 256);
  q.vectors = gp__or(p.vectors, canonical ? GP__CANONICAL_SCAN_VECTORS : mib >= 3 ? 9 : 5);
  q.stages = gp__or(p.stages, q.threads > 256 ? 5 : 3);
  q.blocks_per_sm = gp__or(p.blocks_per_sm, q.threads > 256 ? 1 : 2);
  if (p.algorithm == GP_PIPELINED || (p.algorithm == GP_AUTO && (mib >= 3 || shifted) && gp__policy_valid(q, s)))
    return q;
  p.algorithm = gp__or(p.algorithm, GP_LOOK_BACK);
  p.threads = gp__or(p.threads, canonical ? GP__CANONICAL_SCAN_THREADS : 256);
  p.vectors = gp__or(p.vectors, canonical              ? GP__CANONICAL_SCAN_VECTORS
                                : mib >= 3             ? 9
                                : mib >= 1             ? misaligned ? 1 : 5
                                : bytes >= (128 << 10) ? 3
                                                       : 1);
  p.stages = gp__or(p.stages, 3);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, p.vectors >= 9 ? 4 : p.vectors >= 5 ? 6 : 8);
  return p;
}
// Streams. GP_AUTO becomes pipelined from 4 MiB on, where that is valid; segmented scans, which search offsets, from
// 8 MiB on. One large block, or two where there are few tiles, of 1024 threads together. Below 4 MiB a thread has one
// vector, so that all multiprocessors have tiles. A tile that does not fit gets smaller in what the caller has left
// open.
__attribute__((unused)) static gp_policy gp__portable_stream_as(gp_policy p, gp__shape s, int algorithm, int threads,
                                                                int vectors, int stages, int blocks) {
  gp_policy q = p;
  q.algorithm = algorithm;
  q.threads = gp__or(p.threads, threads);
  q.vectors = gp__or(p.vectors, vectors);
  q.stages = gp__or(p.stages, stages);
  q.blocks_per_sm = gp__or(p.blocks_per_sm, blocks);
  while (!p.vectors && q.vectors > 2 && !gp__policy_valid_stream(q, s)) q.vectors -= 2;
  while (!p.threads && q.threads > GP__WARP && !gp__policy_valid_stream(q, s))
    q.threads = q.threads / (2 * GP__WARP) * GP__WARP;
  return q;
}
__attribute__((unused)) static gp_policy gp__portable_stream(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int large = bytes >> 24 != 0, pair = s.key_size && s.in_size, middle = bytes >> 20 && !(bytes >> 22);
  const int searching = s.offset_size && bytes >> 22 && !(bytes >> 23);
  const int vectors = searching ? 3 : bytes >> 22 ? 5 : 1;
  gp_policy q;
  int stages;
  for (stages = pair ? 4 : 5; stages >= 2; --stages) { // as many as fit with chunks of that size
    q = gp__portable_stream_as(p, s, GP_PIPELINED, large ? 512 : 256, pair ? 3 : 5, stages, large ? 1 : 2);
    if (p.stages || p.vectors || (q.vectors == (pair ? 3 : 5) && gp__policy_valid_stream(q, s))) break;
  }
  if (p.algorithm == GP_PIPELINED ||
      (p.algorithm == GP_AUTO && bytes >> 22 && !searching && gp__policy_valid_stream(q, s)))
    return q;
  return gp__portable_stream_as(p, s, GP_LOOK_BACK, middle ? 512 : 256, vectors, 3,
                                middle || gp__or(p.vectors, vectors) >= 5 ? 4
                                : searching                               ? 6
                                                                          : 8);
}

// GP_AUTO: counters in shared memory where they fit and where there are not many more of them than samples. From 32 MiB
// on three blocks a multiprocessor where each has four copies or more, below 4 MiB two where a copy for each lane fits;
// otherwise one, with four vectors of each thread on their way.
__attribute__((unused)) static gp_policy gp__portable_histogram(gp_policy p, gp__shape s, unsigned long long bytes) {
  gp_policy q = p;
  int blocks;
  q.algorithm = gp__or(p.algorithm, GP_SHARED_BINS);
  q.load = gp__or(p.load, GP_CACHE_STREAMING);
  if (!s.exact) {
    q.threads = gp__or(p.threads, 256);
    q.vectors = gp__or(p.vectors, 1);
    for (blocks = 3; !p.blocks_per_sm && blocks >= 1; --blocks) {
      q.blocks_per_sm = blocks;
      if (gp__histogram_replicas(q, s) > 0) break;
    }
    return q;
  }
  if (p.algorithm != GP_GLOBAL_BINS && (p.algorithm || gp__histogram_slots(q, s) <= GP__HISTOGRAM_CHUNK ||
                                        gp__histogram_slots(q, s) / 4 <= s.count * (unsigned)gp__max(s.active, 1)))
    for (blocks = bytes >> 25 ? 3 : bytes >> 22 ? 1 : 2; blocks >= 1; blocks = blocks > 1 ? 1 : 0) {
      q.threads = gp__or(p.threads, blocks > 1 ? 512 : 1024);
      q.vectors = gp__or(p.vectors, blocks > 1 ? (bytes >> 19 || s.in_size > 1 ? 2 : 1) : s.in2_size ? 2 : 4);
      q.blocks_per_sm = gp__or(p.blocks_per_sm, blocks);
      if (gp__histogram_replicas(q, s) >= (blocks == 3   ? 4u
                                           : blocks == 2 ? (unsigned)GP__WARP
                                                         : 1) ||
          (blocks == 1 && gp__histogram_halves(q, s)))
        return q;
    }
  q.algorithm = gp__or(p.algorithm, GP_GLOBAL_BINS);
  q.threads = gp__or(p.threads, 512);
  q.vectors = gp__or(p.vectors, 2);
  q.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  return q;
}
// Segments. Merge path's search and fix-up are a chain of trips through memory, which a few elements wait for. GP_AUTO
// becomes a warp's segments up to 16 KiB of elements (a vector for half of the threads) and 4 Ki segments a
// multiprocessor, where a segment of mean length has at most about 16 Ki elements. From 8 MiB on it becomes pipelined
// merge path for segments of eight elements or fewer, where that is valid: one large block, whose warps hold many ends
// in registers and no elements. Otherwise merge path: as many warps a multiprocessor as have the registers for their
// next chunk, and short chunks where there is little to do.
__attribute__((unused)) static int gp__few_elements(gp__shape s, unsigned long long bytes) {
  const unsigned long long sms = (unsigned)s.multiprocessors;
  return s.primitive == GP_SEGMENTED_REDUCE && bytes <= sms << 14 && s.segments <= sms << 12 &&
         s.count >> 14 <= s.segments;
}
__attribute__((unused)) static gp_policy gp__portable_segments(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int few = gp__few_elements(s, bytes);
  gp_policy q = p;
  q.algorithm = GP_PIPELINED;
  q.stages = gp__or(p.stages, 3);
  q.blocks_per_sm = gp__or(p.blocks_per_sm, 1);
  q.vectors = gp__or(p.vectors, 5);
  q.threads = gp__or(p.threads, 768);
  while (!p.threads && q.threads > 128 && !gp__policy_valid_segments(q, s)) q.threads -= 128;
  if (p.algorithm == GP_PIPELINED || (p.algorithm == GP_AUTO && !few && bytes >= (8 << 20) &&
                                      s.count / 8 <= s.segments && gp__policy_valid_segments(q, s)))
    return q;
  p.algorithm = gp__or(p.algorithm, few ? GP_WARP_SEGMENTS : GP_MERGE_PATH);
  if (p.algorithm == GP_WARP_SEGMENTS) {
    p.threads = gp__or(p.threads, 256);
    p.vectors = gp__or(p.vectors, 3);
    p.blocks_per_sm = gp__or(p.blocks_per_sm, 8);
    return p;
  }
  const int light = s.primitive == GP_LOAD_BALANCE || (s.acc_size <= 4 && s.in_size == s.acc_size && !s.ranges);
  const int longest = light && s.primitive == GP_SEGMENTED_REDUCE && bytes >= (8 << 20);
  p.threads = gp__or(p.threads, 256);
  p.vectors = gp__or(p.vectors, longest ? 7 : bytes >= (8 << 20) ? 5 : bytes >= (1 << 20) ? 3 : 1);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, light ? longest ? 3 : 4 : s.acc_size > 8 ? 2 : 3);
  return p;
}
__attribute__((unused)) static gp_policy gp__portable_sort(gp_policy p, gp__shape s) {
  // Registers: a thread has its keys, their ranks, and their values.
  const int words = (s.key_size + 3) / 4 + 1 + (gp__radix_value_bytes(s) + 3) / 4;
  if (gp__sorts_keys(s) &&
      (p.algorithm == GP_HYBRID || p.algorithm == GP_ONE_BLOCK || (!p.algorithm && s.key_size >= 4))) {
    const unsigned long long bytes = s.count * (unsigned)s.key_size;
    gp_policy q = p;
    q.algorithm = gp__or(p.algorithm, bytes <= 1 << 16 ? GP_ONE_BLOCK : GP_HYBRID);
    q.blocks_per_sm = gp__or(p.blocks_per_sm, q.algorithm == GP_ONE_BLOCK ? 1 : 2);
    q.threads = gp__or(p.threads, q.algorithm != GP_ONE_BLOCK ? bytes >> 23 ? 384 : 256
                                  : s.count <= 2048           ? 256
                                  : s.count <= 4096           ? 512
                                                              : 1024);
    q.vectors = gp__or(p.vectors, q.algorithm != GP_ONE_BLOCK ? bytes >> 23 ? 8 : 4 : s.count <= 8192 ? 2 : 4);
    while (!p.vectors && q.vectors > 1 && !gp__policy_valid_sort(q, s)) q.vectors -= q.vectors > 6 ? 2 : 1;
    if (p.algorithm || (gp__policy_valid_sort(q, s) && (q.algorithm == GP_ONE_BLOCK || bytes >> 20))) return q;
  }
  p.algorithm = gp__or(p.algorithm, GP_ONE_SWEEP);
  p.threads = gp__or(p.threads, 384);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  if (!p.vectors) {
    p.vectors = 5;
    while (p.vectors > 1 && (gp__radix_items(p.vectors, s.key_size) * words > 52 || !gp__policy_valid_radix(p, s)))
      --p.vectors;
  }
  return p;
}
__attribute__((unused)) static gp_policy gp__portable_merge(gp_policy p, gp__shape s) {
  p.algorithm = gp__or(p.algorithm, s.primitive == GP_MERGE_SORT ? GP_MERGE_PASSES : GP_MERGE_PATH);
  p.threads = gp__or(p.threads, 256);
  p.vectors = gp__or(p.vectors, 4);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  return p;
}
__attribute__((unused)) static gp_policy gp__portable_segmented_sort(gp_policy p, gp__shape s) {
  (void)s;
  p.algorithm = gp__or(p.algorithm, GP_SIZE_CLASSES);
  p.threads = gp__or(p.threads, 256);
  p.vectors = gp__or(p.vectors, 4);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  return p;
}
__attribute__((unused)) static gp_policy gp__portable_top_k(gp_policy p, gp__shape s) {
  (void)s;
  p.algorithm = gp__or(p.algorithm, GP_RADIX_SELECT);
  p.threads = gp__or(p.threads, 512);
  p.vectors = gp__or(p.vectors, 4);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  return p;
}
__attribute__((unused)) static gp_policy gp__portable(gp_policy p, gp__shape s) {
  const int family = gp__family_of(s.primitive);
  const unsigned long long bytes = gp__shape_bytes(s);
  p.overlap = gp__or(p.overlap, s.compute_capability >= 90 ? 1 : 2);
  p.load =
      gp__or(p.load, family == GP__FAMILY_REDUCE || family == GP__FAMILY_HISTOGRAM ? GP_CACHE_STREAMING : GP_CACHE_ALL);
  p.store = gp__or(p.store, family != GP__FAMILY_MAP || s.in_size ? GP_CACHE_ALL // fill, iota: nobody reads it soon
                                                                  : GP_CACHE_STREAMING);
  if (family == GP__FAMILY_SCAN) return gp__portable_scan(p, s, bytes);
  if (family == GP__FAMILY_STREAM) return gp__portable_stream(p, s, bytes);
  if (family == GP__FAMILY_SEGMENTS) return gp__portable_segments(p, s, bytes);
  if (family == GP__FAMILY_HISTOGRAM) return gp__portable_histogram(p, s, bytes);
  if (family == GP__FAMILY_SORT) return gp__portable_sort(p, s);
  if (family == GP__FAMILY_MERGE) return gp__portable_merge(p, s);
  if (family == GP__FAMILY_SEGMENTED_SORT) return gp__portable_segmented_sort(p, s);
  if (family == GP__FAMILY_TOP_K) return gp__portable_top_k(p, s);
  if (family == GP__FAMILY_REDUCE) {
    p.algorithm = gp__or(p.algorithm, s.reproducible ? GP_STEALING : GP_EVEN_SHARE);
    p.threads = gp__or(p.threads, 512);
    p.vectors =
        gp__or(p.vectors, !s.reproducible && (bytes >> 20 >= 512 || (bytes >> 20 >= 12 && bytes >> 20 < 24)) ? 8 : 4);
    p.blocks_per_sm = gp__or(p.blocks_per_sm, p.vectors >= 8 ? 2 : 4);
    return p;
  }
  p.algorithm = gp__or(p.algorithm, GP_DIRECT);
  p.threads = gp__or(p.threads, 256);
  p.vectors = gp__or(p.vectors, s.in_size ? 1 : 4);
  if (s.primitive == GP_LOWER_BOUND || s.primitive == GP_UPPER_BOUND) p.blocks_per_sm = gp__or(p.blocks_per_sm, 4);
  return p;
}

// The launch that a resolved policy leads to.
typedef struct gp__geometry {
  unsigned long long tile_items; // elements of a tile
  unsigned long long tiles;      // for the upper bound of the count
  unsigned grid;                 // blocks
  unsigned threads;              // threads of a block
  unsigned shared_bytes;         // dynamic
  unsigned long long words;      // tagged words of the workspace
  unsigned replicas;             // of gp__histogram_args, else 0
  unsigned log2_lanes;           // of gp__segment_args, else 0
  unsigned long long share;      // of gp__segment_args, else 0
  unsigned long long scratch;    // bytes of memory without tags: alternate buffers, counters, work lists
} gp__geometry;

__attribute__((unused)) static void gp__geometry_stream(gp_policy p, gp__shape s, unsigned long long resident,
                                                        gp__geometry *g) {
  g->tile_items = (unsigned long long)p.threads * (unsigned)gp__stream_items(p.vectors, s.key_size, s.in_size);
  g->tiles = gp__ceil_div(s.count, g->tile_items);
  g->threads = (unsigned)gp__stream_threads(p);
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1; // an empty input still has its counts
  g->shared_bytes = (unsigned)gp__stream_shared_bytes(p, s);
  g->words =
      gp__look_back_slots(g->tiles) * (unsigned)gp__acc_words(gp__stream_state_bytes(s.primitive, s.parts, s.acc_size));
}

// A tile is up to two vectors a thread; two tiles are one block's, which need not wait for others. No block sees 2^32
// samples, whatever fits the device, so that counters of 32 bits do in shared memory.
__attribute__((unused)) static void gp__geometry_histogram(gp_policy p, gp__shape s, unsigned long long resident,
                                                           gp__geometry *g) {
  const int shared = p.algorithm == GP_SHARED_BINS;
  const unsigned long long samples = s.count * (unsigned)s.channels, slots = gp__histogram_slots(p, s);
  const unsigned long long fewest = gp__ceil_div(samples, 1ull << 31);
  unsigned long long shares, slices, chunks;
  g->threads = (unsigned)p.threads;
  g->replicas = shared ? gp__histogram_replicas(p, s) : 0;
  g->shared_bytes = gp__histogram_table_bytes(p, s) +
                    (unsigned)gp__round_up(g->replicas ? g->replicas * gp__histogram_copy_bytes(p, s)
                                           : shared && gp__histogram_halves(p, s) ? gp__histogram_copy_bytes(p, s) / 2
                                                                                  : 0,
                                           GP__VECTOR);
  if (!g->shared_bytes) g->shared_bytes = GP__VECTOR; // the kernels name it
  g->tile_items =
      (unsigned long long)(p.threads * (s.exact && p.vectors < 2 ? 1 : 2) *
                           gp__vector_items(gp__max(gp__max(s.in_size, s.in2_size), s.exact ? 0 : s.out_size)));
  g->tiles = gp__ceil_div(samples, g->tile_items);
  if (s.exact) {
    g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident > fewest ? resident : fewest);
    if (g->tiles <= 2) g->grid = 1; // an empty input too: it still has a result
    chunks = gp__ceil_div(s.bins * (unsigned)s.active, gp__histogram_chunk(s.bins * (unsigned)s.active));
    g->words = g->grid > 1 ? chunks : 0;
  } else {
    slices = gp__ceil_div(slots, gp__histogram_slice(slots, s.out_size));
    shares = slices < resident ? resident / slices : 1;
    if (shares > g->tiles) shares = g->tiles ? g->tiles : 1;
    g->grid = (unsigned)(slices * shares);
    g->words = shares > 1 ? slices * (shares + gp__ceil_div(shares, GP__HISTOGRAM_GROUP)) *
                                gp__ceil_div(gp__histogram_slice(slots, s.out_size), 8 / (unsigned)s.out_size)
                          : 0;
  }
}
// A tile is the segments that a block reads at once: so many lanes a segment that one vector a lane holds one of mean
// length; the block where that takes a warp more loads than it has in flight.
__attribute__((unused)) static void gp__geometry_warp_segments(gp_policy p, gp__shape s, unsigned long long resident,
                                                               gp__geometry *g) {
  const unsigned long long mean = s.segments ? gp__ceil_div(s.count, s.segments) : 0;
  const unsigned items = (unsigned)gp__vector_items(s.in_size);
  g->log2_lanes = s.ranges ? GP__RANGE_LOG2_LANES : 0;
  while (g->log2_lanes < 5 && (unsigned long long)items << g->log2_lanes < mean) ++g->log2_lanes;
  if (mean > (unsigned long long)(items * (unsigned)p.vectors) << 5) g->log2_lanes = GP__LOG2_BLOCK;
  g->tile_items = g->log2_lanes < GP__LOG2_BLOCK ? (unsigned)p.threads >> g->log2_lanes : 1;
  g->tiles = gp__ceil_div(s.segments, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = 0;
}
// A tile is a chunk of each warp of a block. The total of ranges is not known here: they get the whole grid.
__attribute__((unused)) static void gp__geometry_segments(gp_policy p, gp__shape s, unsigned long long resident,
                                                          gp__geometry *g) {
  if (p.algorithm == GP_WARP_SEGMENTS) {
    gp__geometry_warp_segments(p, s, resident, g);
    return;
  }
  g->tile_items = (unsigned long long)(p.threads * gp__segment_items(p, s));
  g->tiles = gp__ceil_div(s.count + s.segments, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident && !s.ranges ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = (unsigned)gp__segment_shared_bytes(p, s);
  if (s.primitive == GP_LOAD_BALANCE) return;
  g->share = gp__ceil_div(s.count + s.segments, g->grid * (unsigned long long)(p.threads / GP__WARP));
  g->words = g->grid * (unsigned long long)gp__segment_words(s.acc_size);
  if (s.ranges) { // the scanned lengths, then words of the two launches, which come one after the other
    const unsigned long long spans = gp__ceil_div(s.segments, (unsigned long long)(p.threads * GP__SPAN_ITEMS));
    const unsigned long long look_back = gp__look_back_slots(spans);
    g->words = s.segments + 1 + (g->words > look_back ? g->words : look_back);
  }
}
// What a radix sort keeps in scratch memory, in bytes from its beginning.
typedef struct gp__radix_plan {
  int passes, wide, replicas, value_bytes, large; // large: values follow by index
  unsigned long long tiles, clear;                // clear: of gp__radix_args
  unsigned long long counts, tickets, steps, words, keys, other_keys, index, other, moved, bytes;
} gp__radix_plan;
__attribute__((unused)) static unsigned long long gp__place(unsigned long long *bytes, unsigned long long size) {
  const unsigned long long at = *bytes;
  *bytes = (at + size + 255) / 256 * 256;
  return at;
}
__attribute__((unused)) static gp__radix_plan gp__radix_plan_of(gp_policy p, gp__shape s) {
  gp__radix_plan r;
  const unsigned long long tile = (unsigned long long)(p.threads * gp__radix_items(p.vectors, s.key_size));
  r.passes = gp__radix_passes(s.begin_bit, s.end_bit);
  r.wide = s.count >> GP__RADIX_NARROW_LOG2 != 0;
  r.replicas = gp__radix_replicas(gp__radix_ordered_bytes(s), s.compute_capability, 32);
  r.value_bytes = gp__radix_value_bytes(s);
  r.large = s.in_size > GP__RADIX_VALUE_BYTES;
  r.tiles = gp__ceil_div(s.count, tile);
  r.clear = r.tiles * (GP__DIGITS / 2) * (r.wide ? 16 : 8) / 16;
  r.bytes = 0;
  r.counts = gp__place(&r.bytes, (unsigned long long)r.passes * GP__DIGITS * 8);
  r.tickets = gp__place(&r.bytes, (unsigned long long)r.passes * 8);
  r.steps = gp__place(&r.bytes, (unsigned long long)(r.passes + 1) * 4);
  r.words = gp__place(&r.bytes, r.clear * 16);
  r.keys = s.drop_keys ? gp__place(&r.bytes, s.count * (unsigned)s.key_size) : 0;
  r.index = r.large ? gp__place(&r.bytes, s.count * (unsigned)r.value_bytes) : 0;
  r.other_keys = gp__place(&r.bytes, r.passes ? s.count * (unsigned)s.key_size : 0);
  r.other = gp__place(&r.bytes, r.passes ? s.count * (unsigned)r.value_bytes : 0);
  r.moved = r.large && s.in_place ? gp__place(&r.bytes, s.count * (unsigned)s.in_size) : 0;
  return r;
}

// What a hybrid sort keeps there.
typedef struct gp__hybrid_plan {
  int capacity, tile;
  unsigned long long tiles, list, items, parts, next_parts, bins, next_bins, spare, bytes;
} gp__hybrid_plan;
__attribute__((unused)) static gp__hybrid_plan gp__hybrid_plan_of(gp_policy p, gp__shape s) {
  gp__hybrid_plan r;
  unsigned long long parts;
  r.capacity = gp__bucket_threads(s.key_size) * gp__bucket_items(s.key_size);
  r.tile = p.threads * gp__hybrid_vector_items(p, s);
  r.tiles = gp__ceil_div(s.count, (unsigned)r.tile) + 1;
  parts = gp__hybrid_parts(s.count, r.capacity);
  r.bytes = 0;
  r.list = gp__place(&r.bytes, (GP__HYBRID_LEVELS + 2) * 8);
  r.items = gp__place(&r.bytes, gp__hybrid_items(s.count, r.capacity) * GP__HYBRID_ITEM_BYTES);
  r.parts = gp__place(&r.bytes, parts * GP__HYBRID_PART_BYTES);
  r.next_parts = gp__place(&r.bytes, parts * GP__HYBRID_PART_BYTES);
  r.bins = gp__place(&r.bytes, parts * GP__DIGITS * 8);
  r.next_bins = gp__place(&r.bytes, parts * GP__DIGITS * 8);
  r.spare = gp__place(&r.bytes, s.count * (unsigned)s.key_size);
  return r;
}

// Sorts and merges: tiles of the policy's block. A plan's steps have geometries of their own; here stands what the call
// asks of the workspace: words and scratch.
__attribute__((unused)) static void gp__geometry_planned(gp_policy p, gp__shape s, unsigned long long resident,
                                                         gp__geometry *g) {
  g->tile_items = (unsigned long long)(p.threads * p.vectors * gp__vector_items(s.key_size));
  g->tiles = gp__ceil_div(s.count + s.count2, g->tile_items);
  g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident);
  if (!g->grid) g->grid = 1;
  g->shared_bytes = 0;
  if (gp__family_of(s.primitive) == GP__FAMILY_SORT && p.algorithm == GP_ONE_SWEEP) {
    g->words = 1;
    g->scratch = gp__radix_plan_of(p, s).bytes;
    g->shared_bytes = gp__radix_shared_bytes(p, s);
  }
  if (gp__family_of(s.primitive) == GP__FAMILY_SORT && p.algorithm == GP_HYBRID)
    g->scratch = gp__hybrid_plan_of(p, s).bytes;
}
// occupancy: blocks of this kernel that fit a multiprocessor, as the driver says; 0: not known, take the policy's word.
__attribute__((unused)) static gp__geometry gp__geometry_of(gp_policy p, gp__shape s, int occupancy) {
  gp__geometry g;
  const int family = gp__family_of(s.primitive), sms = s.multiprocessors > 0 ? s.multiprocessors : 1;
  unsigned long long resident, skipped = 0;
  int per_sm = p.blocks_per_sm;
  if (occupancy > 0 && per_sm > occupancy) per_sm = occupancy;
  resident = (unsigned long long)sms * (unsigned)(per_sm > 0 ? per_sm : 1);
  g.threads = (unsigned)p.threads;
  g.shared_bytes = (unsigned)gp__shared_bytes(s.primitive, p, s.in_size, s.out_size);
  g.words = 0;
  g.replicas = g.log2_lanes = 0;
  g.share = g.scratch = 0;
  if (gp__is_planned(s.primitive)) {
    gp__geometry_planned(p, s, resident, &g);
    return g;
  }
  if (family == GP__FAMILY_STREAM || family == GP__FAMILY_SEGMENTS || family == GP__FAMILY_HISTOGRAM) {
    if (family == GP__FAMILY_STREAM) gp__geometry_stream(p, s, resident, &g);
    else if (family == GP__FAMILY_SEGMENTS) gp__geometry_segments(p, s, resident, &g);
    else gp__geometry_histogram(p, s, resident, &g);
    return g;
  }
  if (family == GP__FAMILY_SCAN) {
    g.tile_items = (unsigned long long)p.threads * (unsigned)gp__scan_items(p.vectors, s.in_size, s.out_size);
    if (p.algorithm == GP_PIPELINED) {
      skipped = (unsigned long long)(s.in_misaligned / s.in_size); // tiles start on a 16-byte boundary of the input
      g.threads += GP__PIPELINE_WARPS * GP__WARP;
    }
    g.tiles = gp__ceil_div(s.count + skipped, g.tile_items);
    g.grid = (unsigned)(p.algorithm == GP_ONE_BLOCK ? 1 : g.tiles < resident ? g.tiles : resident);
    if (p.algorithm == GP_THREE_SWEEP) g.words = g.grid;
    if (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED) g.words = gp__look_back_slots(g.tiles);
    g.words *= (unsigned)gp__acc_words(s.acc_size);
    return g;
  }
  if (family == GP__FAMILY_REDUCE) {
    g.tile_items = (unsigned long long)(p.threads * p.vectors * gp__vector_items(s.in_size));
    if (s.reproducible) g.tile_items *= gp__canonical_rounds(s.count, s.in_size);
    g.tiles = gp__ceil_div(s.count, g.tile_items);
    g.grid = (unsigned)(p.algorithm == GP_ONE_BLOCK ? 1 : g.tiles < resident ? g.tiles : resident);
    if (!g.grid) g.grid = 1; // an empty input still has a result
    g.words = (p.algorithm == GP_STEALING && g.tiles ? g.tiles : g.grid) * (unsigned)gp__acc_words(s.acc_size);
    return g;
  }
  g.tile_items = (unsigned long long)(p.threads * gp__map_items(p.vectors, s.in_size, s.in2_size, s.out_size));
  if (s.primitive == GP_COPY) { // by bytes
    g.tiles =
        gp__ceil_div(s.count * (unsigned)s.out_size, (unsigned long long)p.threads * (unsigned)p.vectors * GP__VECTOR);
  } else g.tiles = gp__ceil_div(s.count, g.tile_items);
  if (!g.tiles) g.tiles = 1;
  if (p.blocks_per_sm == 0) resident = 0x7fffffffull;
  g.grid = (unsigned)(g.tiles < resident ? g.tiles : resident);
  return g;
}

#endif // !__CUDACC_RTC__

// Bins of equal width, samples that are floats: the bin of x, which lies in [lower, upper); scale is the quotient of
// bins and upper - lower in the same type. The difference and the product are rounded one after the other (there is no
// sum to contract), so that the host and every GPU put a sample in the same bin.
#define GPUPRIMS__EVEN_BIN(name, T)                                                                                    \
  GPUPRIMS__RULE unsigned long long gp__even_bin_##name(T x, T lower, T scale, unsigned long long bins) {              \
    return (unsigned long long)((x - lower) * scale) < bins ? (unsigned long long)((x - lower) * scale) : bins - 1;    \
  }
GPUPRIMS__EVEN_BIN(f32, float)
GPUPRIMS__EVEN_BIN(f64, double)
#undef GPUPRIMS__EVEN_BIN

// The arguments of the kernels; one struct a family, filled by dispatch, passed by value. Pointers are device pointers.
enum { GP__VALUE_BYTES = 64 };
typedef struct gp__value {
#ifdef __cplusplus
  alignas(16)
#else
  __attribute__((aligned(16)))
#endif
      unsigned char bytes[GP__VALUE_BYTES];
} gp__value;

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
  unsigned long long limit;               // check_offsets: the count that no offset may exceed
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

// Segmented reduce.
typedef struct gp__segment_args {
  const void *in;
  const void *begin; // offsets; null: segments of `length` elements
  const void *end;   // or null: segments + 1 offsets
  void *out;
  unsigned long long count, segments, length;
  const unsigned long long *bad; // as in gp__stream_args
  void *workspace;
  unsigned long long share; // elements and ends of a warp, where all `count` elements are of segments
  double rate;              // of both together: how many are ends
  gp__value init;
  int has_init;
  unsigned log2_lanes; // a warp's segments: lanes that read one
} gp__segment_args;

typedef struct gp__histogram_args {
  const void *in;
  const void *weights;      // or null
  const void *boundaries;   // ranges: bins + 1 a channel
  void *out;                // active * bins counters
  unsigned long long count; // pixels
  const unsigned long long *count_device;
  unsigned long long bins;
  void *workspace;
  gp__value lower, upper; // even: `active` values of the samples' type; the one beyond its largest wraps to its lowest
  int channels, active;   // at least 1
  unsigned replicas;      // GP_SHARED_BINS: copies of the counters in a block's shared memory; 0: one, of 16 bits
} gp__histogram_args;

// Lower and upper bound, load balance.
typedef struct gp__search_args {
  const void *sorted;        // load balance: offsets
  unsigned long long length; // load balance: segments
  const void *needles;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device;
} gp__search_args;

// One-sweep radix sort. Of the arrays, `other` ones are as large as the outputs.
typedef struct gp__radix_args {
  const void *keys;
  const void *in; // values; null: the elements' indices, where there are values at all
  void *out_keys, *out;
  void *other_keys, *other;
  unsigned long long count;
  const unsigned long long *count_device;
  void *workspace;             // histogram: two tickets a block, one tagged word
  unsigned long long *counts;  // 256 for each pass: how many keys have the digit, then how many come before them
  unsigned long long *tickets; // one for each pass
  unsigned *steps;             // what each pass does, and one more
  void *words;                 // of the look-back
  unsigned long long clear;    // of these, in units of 16 bytes
  int passes, begin_bit, end_bit;
  int in_place;  // keys or values: the first pass may not write to the outputs
  int pass;      // this one, or the number of passes: what is left to do
  int word;      // where its digit lies: in which word of the ordered key,
  int shift;     // how far up
  unsigned mask; // and how wide
  unsigned flip; // all ones: descending
  int drop_keys; // sorted keys are not wanted: the last pass does not write them
} gp__radix_args;

// Values that were too large to be sorted: out[i] = in[index[i]].
typedef struct gp__gather_args {
  const void *in, *index;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device;
} gp__gather_args;

// The digit of args->pass, from *bit on; *bit becomes the next pass's.
__attribute__((unused)) static void gp__radix_digit_of(gp__radix_args *args, int *bit) {
  const int rest = args->end_bit - *bit, of_word = 64 - *bit % 64, bits = rest < of_word ? rest : of_word;
  args->word = *bit / 64;
  args->shift = *bit % 64;
  args->mask = (1u << (bits < 8 ? bits < 0 ? 0 : bits : 8)) - 1;
  *bit += bits < 8 ? bits < 0 ? 0 : bits : 8;
}

// Hybrid sort of keys. Lists, parts, counters and buckets live in scratch memory.
typedef struct gp__hybrid_args {
  const void *in;
  void *out;                // may be in
  void *spare;              // as many keys
  unsigned long long *list; // of each level: parts, and above them their tiles (32 bits each); then: buckets
  void *parts, *next_parts; // of this level, of the next one
  unsigned long long *bins, *next_bins; // 256 counters a part
  void *items;
  unsigned long long count;
  const unsigned long long *count_device;
  int level;
  unsigned capacity; // keys that a block sorts
} gp__hybrid_args;

#ifdef GPUPRIMS__DEVICE_TEXT

// >>warp --------------------------------------------------------------------------------------------------------------
//
// Values (types, conversions, operators) and what the 32 threads of a warp do together.

// ---- types

// IEEE binary16 and bfloat16, as memory holds them; arithmetic goes through float. Layout of __half, __nv_bfloat16.
struct alignas(2) gp_f16 {
  unsigned short bits;
  gp_f16() = default;
  GP_DEVICE gp_f16(float x) : bits(gp__f16_from_f32(x)) {}
  GP_DEVICE operator float() const { return gp__f32_from_f16(bits); }
};
struct alignas(2) gp_bf16 {
  unsigned short bits;
  gp_bf16() = default;
  GP_DEVICE gp_bf16(float x) : bits(gp__bf16_from_f32(x)) {}
  GP_DEVICE operator float() const { return gp__f32_from_bits(static_cast<gp__u32>(bits) << 16); }
};

// A value and where it stood: the accumulator and the result of ARGMIN and ARGMAX. No element: index -1.
template <class T, int PAD = 8 - int(sizeof(T))> struct gp_arg {
  T value;
  unsigned char pad[PAD];
  long long index;
};
template <class T> struct gp_arg<T, 0> {
  T value;
  long long index;
};
template <class T, int PAD> GP_DEVICE void gp__clear_pad(gp_arg<T, PAD> &a) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < PAD; ++i) a.pad[i] = 0;
}
template <class T> GP_DEVICE void gp__clear_pad(gp_arg<T, 0> &) {}
template <class T> GP_DEVICE gp_arg<T> gp__make_arg(T value, long long index) {
  gp_arg<T> a;
  a.value = value;
  a.index = index;
  gp__clear_pad(a);
  return a;
}

struct gp__none {}; // the type of an operand that is not there

enum gp__kind { GP__STRUCT, GP__SIGNED, GP__UNSIGNED, GP__FLOAT };
template <class T> struct gp__traits { // structs
  static const gp__kind kind = GP__STRUCT;
};
#define GPUPRIMS__TRAITS(type, KIND, Wide)                                                                             \
  template <> struct gp__traits<type> {                                                                                \
    static const gp__kind kind = KIND;                                                                                 \
    typedef Wide wide; /* in which arithmetic is done: unsigned, so that it wraps; float for the half types */         \
  };
GPUPRIMS__TRAITS(signed char, GP__SIGNED, gp__u32)
GPUPRIMS__TRAITS(unsigned char, GP__UNSIGNED, gp__u32)
GPUPRIMS__TRAITS(short, GP__SIGNED, gp__u32)
GPUPRIMS__TRAITS(unsigned short, GP__UNSIGNED, gp__u32)
GPUPRIMS__TRAITS(int, GP__SIGNED, gp__u32)
GPUPRIMS__TRAITS(unsigned int, GP__UNSIGNED, gp__u32)
GPUPRIMS__TRAITS(long long, GP__SIGNED, gp__u64)
GPUPRIMS__TRAITS(unsigned long long, GP__UNSIGNED, gp__u64)
GPUPRIMS__TRAITS(gp_f16, GP__FLOAT, float)
GPUPRIMS__TRAITS(gp_bf16, GP__FLOAT, float)
GPUPRIMS__TRAITS(float, GP__FLOAT, float)
GPUPRIMS__TRAITS(double, GP__FLOAT, double)
#undef GPUPRIMS__TRAITS

template <class T> struct gp__is_exact { // are sums and products of T exactly associative
  static const bool value = gp__traits<T>::kind == GP__SIGNED || gp__traits<T>::kind == GP__UNSIGNED;
};

// The largest and the lowest value: infinities for floats.
template <class T, gp__kind = gp__traits<T>::kind> struct gp__limits;
template <class T> struct gp__limits<T, GP__UNSIGNED> {
  static GP_DEVICE T highest() { return static_cast<T>(~static_cast<T>(0)); }
  static GP_DEVICE T lowest() { return 0; }
};
template <class T> struct gp__limits<T, GP__SIGNED> {
  static GP_DEVICE T highest() { return static_cast<T>((1ull << (8 * sizeof(T) - 1)) - 1); }
  static GP_DEVICE T lowest() { return static_cast<T>(-highest() - 1); }
};
template <class T> struct gp__limits<T, GP__FLOAT> {
  static GP_DEVICE T highest() { return static_cast<T>(gp__f32_from_bits(0x7f800000u)); }
  static GP_DEVICE T lowest() { return static_cast<T>(gp__f32_from_bits(0xff800000u)); }
};

// Keys as unsigned integers whose order is that of the keys; floats in IEEE 754 total order: -NaN, -inf, ..., -0, +0,
// ..., inf, NaN. Bits is the unsigned type of the key's size. Descending order is that of the complement.
template <int SIZE> struct gp__unsigned_of;
template <> struct gp__unsigned_of<1> { typedef unsigned char type; };
template <> struct gp__unsigned_of<2> { typedef unsigned short type; };
template <> struct gp__unsigned_of<4> { typedef gp__u32 type; };
template <> struct gp__unsigned_of<8> { typedef gp__u64 type; };
template <class T, gp__kind = gp__traits<T>::kind> struct gp__ordered;
template <class T> struct gp__ordered<T, GP__UNSIGNED> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static GP_DEVICE Bits encode(Bits raw) { return raw; }
  static GP_DEVICE Bits decode(Bits bits) { return bits; }
};
template <class T> struct gp__ordered<T, GP__SIGNED> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static const Bits SIGN = Bits(Bits(1) << (8 * sizeof(T) - 1));
  static GP_DEVICE Bits encode(Bits raw) { return Bits(raw ^ SIGN); }
  static GP_DEVICE Bits decode(Bits bits) { return Bits(bits ^ SIGN); }
};
template <class T> struct gp__ordered<T, GP__FLOAT> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static const Bits SIGN = Bits(Bits(1) << (8 * sizeof(T) - 1));
  static GP_DEVICE Bits encode(Bits raw) { return Bits(raw & SIGN ? ~raw : raw | SIGN); }
  static GP_DEVICE Bits decode(Bits bits) { return Bits(bits & SIGN ? bits ^ SIGN : ~bits); }
};

// ---- conversions (the unary operator CONVERT)

template <class T> GP_DEVICE T gp__from_double(double x) { return static_cast<T>(x); }
template <> GP_DEVICE gp_f16 gp__from_double<gp_f16>(double x) { return gp_f16(gp__f32_to_odd(x)); }
template <> GP_DEVICE gp_bf16 gp__from_double<gp_bf16>(double x) { return gp_bf16(gp__f32_to_odd(x)); }

// A float to an integer: toward zero, saturated, NaN to 0.
template <class R, class A> GP_DEVICE R gp__saturate(A x) {
  const A high = static_cast<A>(gp__limits<R>::highest()) + (sizeof(R) >= sizeof(A) ? A(0) : A(1)); // first beyond R
  if (x != x) return 0;
  if (x >= high) return gp__limits<R>::highest();
  if (x <= static_cast<A>(gp__limits<R>::lowest())) return gp__limits<R>::lowest();
  return static_cast<R>(x);
}

template <class A, class R, gp__kind = gp__traits<A>::kind, gp__kind = gp__traits<R>::kind> struct gp__converter {
  static GP_DEVICE R run(A a) { return static_cast<R>(a); } // integer to integer: wraps
};
template <class T> struct gp__converter<T, T, GP__STRUCT, GP__STRUCT> {
  static GP_DEVICE T run(const T &a) { return a; }
};
template <class T> struct gp__converter<T, T, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE T run(T a) { return a; }
};
template <class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE R run(A a) {
    return gp__from_double<R>(static_cast<double>(static_cast<typename gp__traits<A>::wide>(a)));
  }
};
template <class A> struct gp__converter<A, float, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return static_cast<float>(a); }
};
template <> struct gp__converter<float, float, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE float run(float a) { return a; }
};
template <> struct gp__converter<float, gp_f16, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE gp_f16 run(float a) { return gp_f16(a); }
};
template <> struct gp__converter<float, gp_bf16, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE gp_bf16 run(float a) { return gp_bf16(a); }
};
template <class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__SIGNED> {
  static GP_DEVICE R run(A a) { return gp__saturate<R>(static_cast<typename gp__traits<A>::wide>(a)); }
};
template <class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__UNSIGNED> {
  static GP_DEVICE R run(A a) { return gp__saturate<R>(static_cast<typename gp__traits<A>::wide>(a)); }
};
// integer to float: one rounding; to the half types through double
template <class A, class R> struct gp__converter<A, R, GP__SIGNED, GP__FLOAT> {
  static GP_DEVICE R run(A a) { return gp__from_double<R>(static_cast<double>(a)); }
};
template <class A, class R> struct gp__converter<A, R, GP__UNSIGNED, GP__FLOAT> {
  static GP_DEVICE R run(A a) { return gp__from_double<R>(static_cast<double>(a)); }
};
template <class A> struct gp__converter<A, float, GP__SIGNED, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return static_cast<float>(a); }
};
template <class A> struct gp__converter<A, float, GP__UNSIGNED, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return static_cast<float>(a); }
};

// ---- unary operators: R op(A)

template <class A, class R> struct gp_convert {
  GP_DEVICE R operator()(const A &a) const { return gp__converter<A, R>::run(a); }
};
template <class A, class R> struct gp_negate {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const { return static_cast<R>(-static_cast<W>(gp__converter<A, R>::run(a))); }
};
template <class A, class R> struct gp_abs {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const {
    const R r = gp__converter<A, R>::run(a);
    return gp__traits<R>::kind == GP__UNSIGNED ? r
           : gp__traits<R>::kind == GP__SIGNED
               ? (r < R(0) ? static_cast<R>(W(0) - static_cast<W>(r)) : r)
               : (static_cast<W>(r) > W(0) ? r : static_cast<R>(W(0) - static_cast<W>(r)));
  }
};
template <class A, class R> struct gp_square {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const {
    const W w = static_cast<W>(gp__converter<A, R>::run(a));
    return static_cast<R>(w * w);
  }
};
// 1 or 0. By bits for floats: as a conversion of the predicate, rounded to f16 afterwards, it came out as the bits 1 on
// sm_90 (NVRTC 13.0).
template <class W> GP_DEVICE W gp__truth(bool x) { return x ? 1 : 0; }
template <> GP_DEVICE float gp__truth<float>(bool x) { return gp__f32_from_bits(x ? 0x3f800000u : 0u); }
template <> GP_DEVICE double gp__truth<double>(bool x) { return gp__f64_from_bits(x ? 0x3ff0000000000000ull : 0ull); }

template <class A, class R> struct gp_not {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const { return static_cast<R>(gp__truth<W>(a == A(0))); }
};

// ---- binary operators on an accumulator T
// identity(): op(identity, x) == x. prepare(x): applied to each element before the first op. exact: any order of
// operations gives the same bits.

template <class T, bool EXACT> struct gp__operator {
  typedef T type;
  enum { commutative = 1, exact = EXACT };
  static GP_DEVICE T prepare(const T &a) { return a; }
};
template <class T> struct gp_sum : gp__operator<T, gp__is_exact<T>::value> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T identity() { return static_cast<T>(W(0)); }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(static_cast<W>(a) + static_cast<W>(b)); }
};
template <class T> struct gp_prod : gp__operator<T, gp__is_exact<T>::value> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T identity() { return static_cast<T>(W(1)); }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(static_cast<W>(a) * static_cast<W>(b)); }
};
template <class T, gp__kind = gp__traits<T>::kind> struct gp__order { // integers
  static GP_DEVICE T lower(T a, T b) { return b < a ? b : a; }
  static GP_DEVICE T upper(T a, T b) { return a < b ? b : a; }
};
template <class T> struct gp__order<T, GP__FLOAT> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T lower(T a, T b) { return static_cast<T>(gp__minimum(static_cast<W>(a), static_cast<W>(b))); }
  static GP_DEVICE T upper(T a, T b) { return static_cast<T>(gp__maximum(static_cast<W>(a), static_cast<W>(b))); }
};
template <class T> struct gp_min : gp__operator<T, true> {
  static GP_DEVICE T identity() { return gp__limits<T>::highest(); }
  GP_DEVICE T operator()(T a, T b) const { return gp__order<T>::lower(a, b); }
};
template <class T> struct gp_max : gp__operator<T, true> {
  static GP_DEVICE T identity() { return gp__limits<T>::lowest(); }
  GP_DEVICE T operator()(T a, T b) const { return gp__order<T>::upper(a, b); }
};
template <class T> struct gp_bit_and : gp__operator<T, true> {
  static GP_DEVICE T identity() { return static_cast<T>(~static_cast<T>(0)); }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T> struct gp_bit_or : gp__operator<T, true> {
  static GP_DEVICE T identity() { return 0; }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T> struct gp_bit_xor : gp__operator<T, true> {
  static GP_DEVICE T identity() { return 0; }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T> struct gp_and : gp__operator<T, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return static_cast<T>(gp__truth<W>(a != T(W(0)))); }
  static GP_DEVICE T identity() { return static_cast<T>(W(1)); }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(gp__truth<W>(a != T(W(0)) && b != T(W(0)))); }
};
template <class T> struct gp_or : gp__operator<T, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return static_cast<T>(gp__truth<W>(a != T(W(0)))); }
  static GP_DEVICE T identity() { return static_cast<T>(W(0)); }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(gp__truth<W>(a != T(W(0)) || b != T(W(0)))); }
};
// The lowest index wins a tie; the first NaN wins over everything; index -1 is no element.
template <class T, bool MAX> struct gp__arg_operator : gp__operator<gp_arg<T>, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE bool beats(const gp_arg<T> &b, const gp_arg<T> &a) { // does b replace a
    if (a.index < 0 || b.index < 0) return a.index < 0;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan || b_nan) return a_nan && b_nan ? b.index < a.index : b_nan;
    return (MAX ? a.value < b.value : b.value < a.value) || (a.value == b.value && b.index < a.index);
  }
  GP_DEVICE gp_arg<T> operator()(const gp_arg<T> &a, const gp_arg<T> &b) const { return beats(b, a) ? b : a; }
};
template <class T> struct gp_argmin : gp__arg_operator<T, false> {
  static GP_DEVICE gp_arg<T> identity() { return gp__make_arg<T>(gp__limits<T>::highest(), -1); }
};
template <class T> struct gp_argmax : gp__arg_operator<T, true> {
  static GP_DEVICE gp_arg<T> identity() { return gp__make_arg<T>(gp__limits<T>::lowest(), -1); }
};

// a - b: no fold's operator, but it stands in gp__binary.
template <class T> struct gp_sub {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return a; }
  GP_DEVICE T operator()(T a, T b) const { return static_cast<T>(static_cast<W>(a) - static_cast<W>(b)); }
};

// A binary operator of R as a function of A and B (transform2).
template <class Op, class A, class B, class R> struct gp__binary {
  GP_DEVICE R operator()(const A &a, const B &b) const {
    return Op()(Op::prepare(gp_convert<A, R>()(a)), Op::prepare(gp_convert<B, R>()(b)));
  }
};

// ---- comparisons, and what they decide

// As C compares; the half types as floats.
#define GPUPRIMS__COMPARISON(name, symbol)                                                                             \
  template <class T> struct name {                                                                                     \
    typedef T type;                                                                                                    \
    GP_DEVICE bool operator()(const T &a, const T &b) const { return a symbol b; }                                     \
  };
GPUPRIMS__COMPARISON(gp_equal, ==)
GPUPRIMS__COMPARISON(gp_not_equal, !=)
GPUPRIMS__COMPARISON(gp_less, <)
GPUPRIMS__COMPARISON(gp_less_equal, <=)
GPUPRIMS__COMPARISON(gp_greater, >)
GPUPRIMS__COMPARISON(gp_greater_equal, >=)
#undef GPUPRIMS__COMPARISON
struct gp_heads {}; // in place of equality: keys are flags

// Comparisons of bytes, four at a time (see gp__bytes_less).
template <class L> struct gp__compare_bytes {
  static const bool is = false;
  static GP_DEVICE gp__u32 of(gp__u32, gp__u32) { return 0; }
};
#define GPUPRIMS__BYTES(comparison, expression)                                                                        \
  template <> struct gp__compare_bytes<comparison> {                                                                   \
    static const bool is = true;                                                                                       \
    static GP_DEVICE gp__u32 of(gp__u32 a, gp__u32 b) { return expression; }                                           \
  };
#define GPUPRIMS__BYTES_OF(T, SIGNED)                                                                                  \
  GPUPRIMS__BYTES(gp_equal<T>, ~gp__bytes_differ(a, b))                                                                \
  GPUPRIMS__BYTES(gp_not_equal<T>, gp__bytes_differ(a, b))                                                             \
  GPUPRIMS__BYTES(gp_less<T>, gp__bytes_less<SIGNED>(a, b))                                                            \
  GPUPRIMS__BYTES(gp_less_equal<T>, ~gp__bytes_less<SIGNED>(b, a))                                                     \
  GPUPRIMS__BYTES(gp_greater<T>, gp__bytes_less<SIGNED>(b, a))                                                         \
  GPUPRIMS__BYTES(gp_greater_equal<T>, ~gp__bytes_less<SIGNED>(a, b))
GPUPRIMS__BYTES_OF(signed char, true)
GPUPRIMS__BYTES_OF(unsigned char, false)
#undef GPUPRIMS__BYTES_OF
#undef GPUPRIMS__BYTES

template <class T> GP_DEVICE T gp__value_as(const gp__value &v) { return *reinterpret_cast<const T *>(v.bytes); }

// Is an element selected: by a comparison with a scalar, by a user's operator, by its flag.
template <class L> struct gp__compare {
  GP_DEVICE bool operator()(const typename L::type &x, const gp__value &scalar) const {
    return L()(x, gp__value_as<typename L::type>(scalar));
  }
};
template <class F, class T> struct gp__test {
  GP_DEVICE bool operator()(const T &x, const gp__value &) const { return F()(x); }
};
template <class F> struct gp__flag {
  GP_DEVICE bool operator()(const F &x, const gp__value &) const { return x != 0; }
};
// The same of four bytes at once, where that is known.
template <class P> struct gp__test_bytes {
  static const bool is = false;
  static GP_DEVICE gp__u32 of(gp__u32, const gp__value &) { return 0; }
};
template <class L> struct gp__test_bytes<gp__compare<L>> {
  static const bool is = gp__compare_bytes<L>::is;
  static GP_DEVICE gp__u32 of(gp__u32 x, const gp__value &scalar) {
    return gp__compare_bytes<L>::of(x, scalar.bytes[0] * 0x01010101u);
  }
};
template <class F> struct gp__test_bytes<gp__flag<F>> {
  static const bool is = sizeof(F) == 1;
  static GP_DEVICE gp__u32 of(gp__u32 x, const gp__value &) { return gp__bytes_differ(x, 0); }
};

// ---- loads: an element becomes an accumulator. Kernels that reduce make theirs from their arguments, once.

// F converts; ARGMIN and ARGMAX also want to know where the element stood.
template <class In, class Acc, class F> struct gp__load {
  gp__load() = default;
  template <class Args> GP_DEVICE explicit gp__load(const Args &) {}
  GP_DEVICE Acc operator()(const In &x, gp__u64) const { return F()(x); }
};
template <class In, class T, int PAD, class F> struct gp__load<In, gp_arg<T, PAD>, F> {
  gp__load() = default;
  template <class Args> GP_DEVICE explicit gp__load(const Args &) {}
  GP_DEVICE gp_arg<T, PAD> operator()(const In &x, gp__u64 index) const {
    return gp__make_arg<T>(F()(x), static_cast<long long>(index));
  }
};

// 1 or 0: does the predicate hold (count_if, any, all).
template <class T, class Predicate> struct gp__counted {
  const gp__value &scalar;
  template <class Args> GP_DEVICE explicit gp__counted(const Args &a) : scalar(a.scalar) {}
  GP_DEVICE gp__u32 operator()(const T &x, gp__u64) const { return Predicate()(x, scalar) ? 1u : 0u; }
};

// The index of an offset that is below the one before it, or beyond the limit; all ones where it is well.
template <class O> struct gp__offset_fault {
  const O *offsets;
  gp__u64 limit;
  template <class Args>
  GP_DEVICE explicit gp__offset_fault(const Args &a) : offsets(static_cast<const O *>(a.in)), limit(a.limit) {}
  GP_DEVICE gp__u64 operator()(const O &x, gp__u64 index) const {
    return x > limit || (index > 0 && x < offsets[index - 1]) ? index : ~gp__u64(0);
  }
};

// ---- a warp

GP_DEVICE unsigned gp_lane() { return threadIdx.x & 31u; }
GP_DEVICE unsigned gp_warp() { return threadIdx.x >> 5; }

// A value of any type as 32-bit words, to be passed through shuffles.
template <class T> union gp__shuffled {
  T value;
  gp__u32 word[(sizeof(T) + 3) / 4];
  GP_DEVICE gp__shuffled() {}
};
#define GPUPRIMS__SHUFFLE(name, intrinsic, Argument)                                                                   \
  template <class T> GP_DEVICE T name(const T &value, Argument argument) {                                             \
    gp__shuffled<T> s;                                                                                                 \
    if (sizeof(T) % 4) s.word[sizeof(T) / 4] = 0;                                                                      \
    s.value = value;                                                                                                   \
    GPUPRIMS__UNROLL for (unsigned i = 0; i < (sizeof(T) + 3) / 4; ++i) s.word[i] =                                    \
        intrinsic(0xffffffffu, s.word[i], argument);                                                                   \
    return s.value;                                                                                                    \
  }
// The value of lane `argument`; of the lane `argument` below or above (own value where there is none). All lanes call.
GPUPRIMS__SHUFFLE(gp_warp_broadcast, __shfl_sync, int)
GPUPRIMS__SHUFFLE(gp_warp_shift_up, __shfl_up_sync, unsigned)
GPUPRIMS__SHUFFLE(gp_warp_shift_down, __shfl_down_sync, unsigned)
#undef GPUPRIMS__SHUFFLE

// value[0] op value[1] op ... op value[31]. Lane 0 holds the result, other lanes hold partial results. All lanes call.
template <class T, class Op> GP_DEVICE T gp_warp_reduce(T value, Op op) {
  GPUPRIMS__UNROLL
  for (unsigned d = 1; d < 32; d *= 2) value = op(value, gp_warp_shift_down(value, d));
  return value;
}

// Lane i gets value[0] op ... op value[i] (Kogge and Stone). All lanes call.
template <class T, class Op> GP_DEVICE T gp_warp_inclusive_scan(T value, Op op) {
  GPUPRIMS__UNROLL
  for (unsigned d = 1; d < 32; d *= 2) {
    const T before = gp_warp_shift_up(value, d);
    if (gp_lane() >= d) value = op(before, value);
  }
  return value;
}

// The lanes with the same digit as this one (below 2^BITS). All lanes call.
template <int BITS> GP_DEVICE gp__u32 gp_warp_match(gp__u32 digit) {
  const gp__u32 minus_one = gp__minus_one();
  gp__u32 agree[BITS], peers;
  GPUPRIMS__UNROLL
  for (int i = 0; i < BITS; ++i) agree[i] = gp__agreeing(digit, 1u << i, minus_one);
  peers = agree[0];
  GPUPRIMS__UNROLL
  for (int i = 1; i < BITS; i += 2) peers = gp__and(peers, agree[i], agree[i + 1 < BITS ? i + 1 : i]);
  return peers;
}

GP_DEVICE unsigned gp__misalignment(const void *p, unsigned bytes) {
  return static_cast<unsigned>(reinterpret_cast<gp__u64>(p) & (bytes - 1));
}

// Bits of N elements.
template <int N> struct gp__bits {
  static const int WORDS = (N + 31) / 32;
  gp__u32 word[WORDS];
  GP_DEVICE void clear() {
    GPUPRIMS__UNROLL
    for (int i = 0; i < WORDS; ++i) word[i] = 0;
  }
  GP_DEVICE void set(int i, bool x) { word[i / 32] |= (x ? 1u : 0u) << (i % 32); }
  GP_DEVICE bool get(int i) const { return (word[i / 32] >> (i % 32) & 1u) != 0; }
  // Of four elements, from element i on: what gp__upper_bits says of x. Those behind them come first.
  GP_DEVICE void push(int i, gp__u32 x) { word[i / 32] = __funnelshift_l(gp__upper_bits(x), word[i / 32], 4); }
  GP_DEVICE void keep(int n) { // bits 0 .. n - 1
    GPUPRIMS__UNROLL
    for (int i = 0; i < WORDS; ++i) word[i] &= n >= i * 32 + 32 ? ~0u : n > i * 32 ? (1u << (n - i * 32)) - 1u : 0u;
  }
  GP_DEVICE int count() const {
    int n = 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < WORDS; ++i) n += __popc(word[i]);
    return n;
  }
};

// Marks bytes that comparison E does not find equal to the one before them, four at a time. Of byte 0, which has none
// here, it says nothing.
template <class E, int ITEMS, int N> GP_DEVICE void gp__mark_changes(const gp__u32 *word, gp__bits<N> &marks) {
  marks.clear();
  GPUPRIMS__UNROLL
  for (int w = ITEMS / 4 - 1; w >= 0; --w)
    marks.push(w * 4, ~gp__compare_bytes<E>::of(__funnelshift_l(w > 0 ? word[w - 1] : 0, word[w], 8), word[w]));
}

// A thread's marked bytes to consecutive places of shared memory, from `to` on. They are brought together in registers.
// The thread that has a word's last byte stores the word whole, whatever stands before its own bytes. The bytes of a
// thread's last word come by finish(), behind a barrier of the warp.
template <int ITEMS> struct gp__byte_gather {
  gp__shared_place next; // the word that is begun
  gp__u32 last;          // its bytes so far, at the upper end
  gp__u32 bits;          // where the next byte goes, counted from the aligned word before `to`
  gp__u32 first;         // ... the first byte went
  GP_DEVICE gp__byte_gather(unsigned char *to, const gp__u32 *word, const gp__bits<ITEMS> &marks)
      : next(to - gp__misalignment(to, 4)), last(0), bits(gp__misalignment(to, 4) * 8), first(bits) {
    GPUPRIMS__UNROLL
    for (int q = 0; q < ITEMS; q += 16) {
      // Of four words at once, by the marks of the first three bytes of each: eight times the number of marked bytes,
      // and a selector that has those in front and the fourth byte behind them, marked or not. What it has behind the
      // marked bytes does not matter.
      const gp__u32 four = marks.word[q / 32] >> (q % 32), three = four & 0x7777u;
      const gp__u32 low = gp__permute(0x10313033u, 0x10212032u, three),
                    high = gp__permute(0x83838383u, 0x32333333u, three);
      const gp__u32 fourth = gp__permute(0x83838383u, 0x80808080u, four) & 0x08080808u; // 0xff where it is marked
      const gp__u32 counts = gp__permute(0x10080800u, 0x18101008u, three) + fourth;
      GPUPRIMS__UNROLL
      for (unsigned k = 0; k < 4u && q + int(k) * 4 < ITEMS; ++k) {
        const gp__u32 marked = gp__permute(word[q / 4 + k], 0, gp__permute(low, high, (4 + k) << 4 | k));
        const gp__u32 count = gp__permute(counts, 0, 0x4440u + k);
        next.push_if((bits ^ (bits + count)) & 32u, __funnelshift_l(last, marked, bits));
        last = __funnelshift_rc(last, marked, count);
        bits += count;
      }
    }
  }
  GP_DEVICE void finish() const {
    const int begin = bits < 32 ? int(first / 8) : 0, end = int(bits / 8 & 3u);
    const gp__u32 bytes = __funnelshift_l(last, 0, bits);
    GPUPRIMS__UNROLL
    for (int k = 0; k < 3; ++k)
      if (begin <= k && k < end)
        *next.template at<unsigned char>(gp__u32(k)) = static_cast<unsigned char>(bytes >> k * 8);
  }
};

#endif // GPUPRIMS__DEVICE_TEXT

#ifdef GPUPRIMS__DEVICE_TEXT

// >>tile --------------------------------------------------------------------------------------------------------------
//
// What a block of threads does together with a tile of data. THREADS is the block's size (a multiple of 32), ITEMS the
// elements a thread holds. Arrangements of a tile over the threads:
//    blocked      thread t holds elements t * ITEMS, t * ITEMS + 1, ...
//    striped      thread t holds elements t, t + THREADS, t + 2 * THREADS, ...
//    vectorised   striped by vectors of V = 16 / sizeof(T) elements: thread t holds vectors t, t + THREADS, ...
// Storage is a struct of yours in shared memory (GP_SHARED); every routine says when it may be used again. All threads
// of the block call, unless a routine says otherwise. Loads and stores are guarded: elements at and beyond `count` are
// not touched; loads give `fill` for them. CACHE is one of GP_CACHE_...

// V elements as one access of 16 bytes.
template <class T> union gp__packed {
  gp_vector vector;
  T item[sizeof(T) <= 16 ? 16 / sizeof(T) : 1];
  GP_DEVICE gp__packed() {}
};

// Each thread loads ITEMS consecutive elements of in[0 .. count) straight from memory. No storage, no barrier. Best for
// data that sits in a cache, or for few elements; gp_tile_load_transposed moves the same faster from memory.
template <int ITEMS, class T>
GP_DEVICE void gp_tile_load_direct(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  const gp__u64 first = static_cast<gp__u64>(threadIdx.x) * ITEMS;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) items[i] = first + i < count ? in[first + i] : fill;
}
template <int ITEMS, class T> GP_DEVICE void gp_tile_store_direct(const T (&items)[ITEMS], T *out, gp__u64 count) {
  const gp__u64 first = static_cast<gp__u64>(threadIdx.x) * ITEMS;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i)
    if (first + i < count) out[first + i] = items[i];
}

// Striped: neighbouring threads touch neighbouring elements. No storage, no barrier.
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_load_striped(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    const gp__u64 k = static_cast<gp__u64>(i) * THREADS + threadIdx.x;
    items[i] = k < count ? in[k] : fill;
  }
}
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_store_striped(const T (&items)[ITEMS], T *out, gp__u64 count) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    const gp__u64 k = static_cast<gp__u64>(i) * THREADS + threadIdx.x;
    if (k < count) out[k] = items[i];
  }
}

// Vectorised: `in` (`out`) is aligned to 16 bytes, sizeof(T) divides 16, ITEMS is a multiple of V. items[k * V + j] is
// element (k * THREADS + t) * V + j. No storage, no barrier.
template <int THREADS, int CACHE, int ITEMS, class T>
GP_DEVICE void gp_tile_load_vectorised(T (&items)[ITEMS], const T *in, gp__u64 count, T fill) {
  const int V = 16 / sizeof(T);
  GPUPRIMS__UNROLL
  for (int k = 0; k < ITEMS / V; ++k) {
    const gp__u64 first = (static_cast<gp__u64>(k) * THREADS + threadIdx.x) * V;
    gp__packed<T> p;
    if (first + V <= count) p.vector = gp__load_vector<CACHE>(in + first);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) p.item[j] = first + j < count ? in[first + j] : fill;
    }
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) items[k * V + j] = p.item[j];
  }
}
template <int THREADS, int CACHE, int ITEMS, class T>
GP_DEVICE void gp_tile_store_vectorised(const T (&items)[ITEMS], T *out, gp__u64 count) {
  const int V = 16 / sizeof(T);
  GPUPRIMS__UNROLL
  for (int k = 0; k < ITEMS / V; ++k) {
    const gp__u64 first = (static_cast<gp__u64>(k) * THREADS + threadIdx.x) * V;
    gp__packed<T> p;
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) p.item[j] = items[k * V + j];
    if (first + V <= count) gp__store_vector<CACHE>(out + first, p.vector);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j)
        if (first + j < count) out[first + j] = p.item[j];
    }
  }
}

// ---- exchange between arrangements, through shared memory

template <int THREADS, int ITEMS, class T> struct gp_tile_exchange_storage {
  T element[THREADS * ITEMS + THREADS * ITEMS / 32]; // one element of padding every 32, against bank conflicts
  static GP_DEVICE int slot(int i) { return i + i / 32; }
};
// Afterwards items are blocked (striped). Storage may be used again after the next __syncthreads().
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_striped_to_blocked(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) storage.element[storage.slot(i * THREADS + int(threadIdx.x))] = items[i];
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) items[i] = storage.element[storage.slot(int(threadIdx.x) * ITEMS + i)];
}
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_blocked_to_striped(T (&items)[ITEMS], gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) storage.element[storage.slot(int(threadIdx.x) * ITEMS + i)] = items[i];
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) items[i] = storage.element[storage.slot(i * THREADS + int(threadIdx.x))];
}
// Coalesced loads, blocked result (the reverse for the store). Storage as for the exchange.
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_load_transposed(T (&items)[ITEMS], const T *in, gp__u64 count, T fill,
                                       gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_load_striped<THREADS>(items, in, count, fill);
  gp_tile_striped_to_blocked<THREADS>(items, storage);
}
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_store_transposed(T (&items)[ITEMS], T *out, gp__u64 count,
                                        gp_tile_exchange_storage<THREADS, ITEMS, T> &storage) {
  gp_tile_blocked_to_striped<THREADS>(items, storage);
  gp_tile_store_striped<THREADS>(items, out, count);
}

// ---- broadcast, reduce, scan

// The value of thread `source` for all. Storage: one T; free after the next __syncthreads().
template <class T> GP_DEVICE T gp_tile_broadcast(const T &value, unsigned source, T &storage) {
  if (threadIdx.x == source) storage = value;
  __syncthreads();
  return storage;
}

template <int THREADS, class T> struct gp_tile_reduce_storage { T warp_total[THREADS / 32]; };
// value of thread 0 op value of thread 1 op ... : thread 0 holds the result (others hold partial results). Order is
// kept. Storage may be used again after the next __syncthreads().
template <int THREADS, class T, class Op>
GP_DEVICE T gp_tile_reduce(T value, Op op, gp_tile_reduce_storage<THREADS, T> &storage) {
  value = gp_warp_reduce(value, op);
  if (gp_lane() == 0) storage.warp_total[gp_warp()] = value;
  __syncthreads();
  if (gp_warp() == 0)
    value = gp_warp_reduce(gp_lane() < THREADS / 32 ? storage.warp_total[gp_lane()] : Op::identity(), op);
  return value;
}

template <int THREADS, class T> struct gp_tile_scan_storage { T warp_total[THREADS / 32]; };
// What lies before a thread, in pieces: value is meaningful where has is set.
template <class T> struct gp_before {
  T value;
  bool has;
  template <class Op> GP_DEVICE void append(const T &x, Op op) {
    value = has ? op(value, x) : x;
    has = true;
  }
};
// Scan over one value a thread. `within`: what stands before the thread in its warp; `warps`: the warps before its own;
// returns the total of the block (all threads). Storage may be used again after the next __syncthreads().
template <int THREADS, class T, class Op>
GP_DEVICE T gp__tile_scan(const T &value, Op op, gp_before<T> &within, gp_before<T> &warps,
                          gp_tile_scan_storage<THREADS, T> &storage) {
  const T inclusive = gp_warp_inclusive_scan(value, op);
  within.value = gp_warp_shift_up(inclusive, 1);
  within.has = gp_lane() > 0;
  if (gp_lane() == 31) storage.warp_total[gp_warp()] = inclusive;
  __syncthreads();
  const T totals =
      gp_warp_inclusive_scan(gp_lane() < THREADS / 32 ? storage.warp_total[gp_lane()] : Op::identity(), op);
  warps.value = gp_warp_broadcast(totals, gp_warp() ? int(gp_warp()) - 1 : 0);
  warps.has = gp_warp() > 0;
  return gp_warp_broadcast(totals, THREADS / 32 - 1);
}
// value becomes the exclusive (inclusive) prefix over the block's threads; returns the total, to all threads.
// Storage may be used again after the next __syncthreads().
template <int THREADS, class T, class Op>
GP_DEVICE T gp_tile_exclusive_scan(T &value, Op op, gp_tile_scan_storage<THREADS, T> &storage) {
  gp_before<T> within, warps;
  const T total = gp__tile_scan<THREADS>(value, op, within, warps, storage);
  if (within.has) warps.append(within.value, op);
  value = warps.has ? warps.value : Op::identity();
  return total;
}
template <int THREADS, class T, class Op>
GP_DEVICE T gp_tile_inclusive_scan(T &value, Op op, gp_tile_scan_storage<THREADS, T> &storage) {
  gp_before<T> within, warps;
  const T total = gp__tile_scan<THREADS>(value, op, within, warps, storage);
  if (within.has) warps.append(within.value, op);
  warps.append(value, op);
  value = warps.value;
  return total;
}

// ---- bytes between memory and shared memory, any alignment of the memory side; `shared` is aligned to 16 bytes

// RANKS threads copy, this one is `rank`; all calls of a copy agree on the rest. UNROLL accesses are in flight at once.
// Nothing outside [global, global + bytes) is read. The caller synchronises.
template <int RANKS, int UNROLL, int CACHE>
GP_DEVICE void gp__copy_to_shared(unsigned char *shared, const unsigned char *global, unsigned bytes, unsigned rank) {
  const unsigned offset = static_cast<unsigned>(reinterpret_cast<gp__u64>(global) & 15u), vectors = bytes / 16;
  const unsigned char *base = global - offset;
  if (offset == 0 && vectors == RANKS * UNROLL) {
    gp_vector v[UNROLL];
    GPUPRIMS__UNROLL
    for (int u = 0; u < UNROLL; ++u) v[u] = gp__load_vector<CACHE>(base + (u * RANKS + rank) * 16);
    GPUPRIMS__UNROLL
    for (int u = 0; u < UNROLL; ++u) *reinterpret_cast<gp_vector *>(shared + (u * RANKS + rank) * 16) = v[u];
  } else {
    GPUPRIMS__UNROLL_BY(2)
    for (unsigned i = rank; i < vectors; i += RANKS) {
      gp__packed<unsigned char> p;
      if (offset == 0) p.vector = gp__load_vector<CACHE>(base + i * 16);
      else if (i > 0 && i * 16 + 32 <= bytes + offset)
        p.vector = gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(base + i * 16),
                                     gp__load_vector<GP_CACHE_ALL>(base + i * 16 + 16), offset);
      else {
        GPUPRIMS__UNROLL
        for (int j = 0; j < 16; ++j) p.item[j] = global[i * 16 + j];
      }
      *reinterpret_cast<gp_vector *>(shared + i * 16) = p.vector;
    }
  }
  for (unsigned i = vectors * 16 + rank; i < bytes; i += RANKS) shared[i] = global[i];
}
// The way back.
template <int RANKS, int CACHE>
GP_DEVICE void gp__copy_from_shared(unsigned char *global, const unsigned char *shared, unsigned bytes, unsigned rank) {
  const unsigned offset = static_cast<unsigned>(reinterpret_cast<gp__u64>(global) & 15u), aligned = (16 - offset) & 15u;
  const unsigned head = aligned < bytes ? aligned : bytes, vectors = (bytes - head) / 16;
  for (unsigned i = rank; i < head; i += RANKS) global[i] = shared[i];
  GPUPRIMS__UNROLL_BY(4)
  for (unsigned i = rank; i < vectors; i += RANKS) {
    gp__packed<unsigned char> p;
    if (head == 0) p.vector = *reinterpret_cast<const gp_vector *>(shared + i * 16);
    else if (i * 16 + 32 <= bytes)
      p.vector = gp__shift_vectors(*reinterpret_cast<const gp_vector *>(shared + i * 16),
                                   *reinterpret_cast<const gp_vector *>(shared + i * 16 + 16), head);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < 16; ++j) p.item[j] = shared[head + i * 16 + j];
    }
    gp__store_vector<CACHE>(global + head + i * 16, p.vector);
  }
  for (unsigned i = head + vectors * 16 + rank; i < bytes; i += RANKS) global[i] = shared[i];
}

// ---- a thread's chunk: ITEMS consecutive elements in shared memory. With an odd number of 16-byte vectors a chunk,
// the threads of a warp read theirs without bank conflicts.

// The fewest vectors that hold a whole number of elements, in registers.
template <class T> struct gp__pack {
  static const int vectors = gp__pack_vectors(int(sizeof(T))), items = gp__pack_items(int(sizeof(T)));
  union {
    gp_vector vector[vectors];
    T item[items];
  };
  GP_DEVICE gp__pack() {}
  GP_DEVICE explicit gp__pack(const gp_vector *from) {
    GPUPRIMS__UNROLL
    for (int i = 0; i < vectors; ++i) vector[i] = from[i];
  }
  GP_DEVICE void store(gp_vector *to) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < vectors; ++i) to[i] = vector[i];
  }
};

// One step of a running prefix: the element's result, and the prefix moves on. FIRST: `carry` may be empty.
template <bool EXCLUSIVE, bool FIRST, class Op, class Acc>
GP_DEVICE Acc gp__running(gp_before<Acc> &carry, const Acc &x) {
  const Acc before = FIRST && !carry.has ? Op::identity() : carry.value;
  carry.value = FIRST && !carry.has ? x : Op()(carry.value, x);
  carry.has = true;
  return EXCLUSIVE ? before : carry.value;
}

// One pack of a chunk: its fold onto `sum`, and its running prefixes. The general form goes element by element.
template <class Op, class Load, class In, class Acc, class Out> struct gp__pack_step {
  static const int V = gp__pack<In>::items;
  template <bool FIRST> static GP_DEVICE Acc fold(const gp__pack<In> &p, gp__u64 index, const Acc &sum) {
    Acc x[V];
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) x[j] = Op::prepare(Load()(p.item[j], index + j));
    GPUPRIMS__UNROLL
    for (int d = 1; d < V; d *= 2) { // a tree: short, and in order
      GPUPRIMS__UNROLL
      for (int j = 0; j + d < V; j += 2 * d) x[j] = Op()(x[j], x[j + d]);
    }
    return FIRST ? x[0] : Op()(sum, x[0]);
  }
  template <bool EXCLUSIVE, bool FIRST>
  static GP_DEVICE gp__pack<Out> scan(const gp__pack<In> &p, gp__u64 index, gp_before<Acc> &carry) {
    gp__pack<Out> q;
    q.item[0] = gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, FIRST, Op>(carry, Op::prepare(Load()(p.item[0], index))));
    GPUPRIMS__UNROLL
    for (int j = 1; j < V; ++j)
      q.item[j] =
          gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, false, Op>(carry, Op::prepare(Load()(p.item[j], index + j))));
    return q;
  }
};
// Sums of bytes go by words: byte k of a word's prefixes is a dot product with k ones, and one more carries on.
template <class T> struct gp__byte_sum_step {
  template <bool FIRST> static GP_DEVICE T fold(const gp__pack<T> &p, gp__u64, T sum) {
    gp__u32 s = FIRST ? 0 : static_cast<unsigned char>(sum);
    GPUPRIMS__UNROLL
    for (int i = 0; i < 4; ++i) s = gp__dot_bytes(p.vector[0].word[i], 0x01010101u, s);
    return static_cast<T>(s);
  }
  template <bool EXCLUSIVE, bool FIRST>
  static GP_DEVICE gp__pack<T> scan(const gp__pack<T> &p, gp__u64, gp_before<T> &carry) {
    gp__pack<T> q;
    gp__u32 c = FIRST && !carry.has ? 0 : static_cast<unsigned char>(carry.value);
    GPUPRIMS__UNROLL
    for (int i = 0; i < 4; ++i) {
      const gp__u32 x = p.vector[0].word[i], p1 = gp__dot_bytes(x, 0x00000001u, c),
                    p2 = gp__dot_bytes(x, 0x00000101u, c);
      const gp__u32 p3 = gp__dot_bytes(x, 0x00010101u, c), p4 = gp__dot_bytes(x, 0x01010101u, c);
      q.vector[0].word[i] = EXCLUSIVE ? __byte_perm(__byte_perm(c, p1, 0x0040), __byte_perm(p2, p3, 0x0040), 0x5410)
                                      : __byte_perm(__byte_perm(p1, p2, 0x0040), __byte_perm(p3, p4, 0x0040), 0x5410);
      c = p4;
    }
    carry.value = static_cast<T>(c);
    carry.has = true;
    return q;
  }
};
template <>
struct gp__pack_step<gp_sum<unsigned char>,
                     gp__load<unsigned char, unsigned char, gp_convert<unsigned char, unsigned char>>, unsigned char,
                     unsigned char, unsigned char> : gp__byte_sum_step<unsigned char> {};
template <>
struct gp__pack_step<gp_sum<signed char>, gp__load<signed char, signed char, gp_convert<signed char, signed char>>,
                     signed char, signed char, signed char> : gp__byte_sum_step<signed char> {};

// x[0] op x[1] op ... op x[ITEMS - 1]: a tree in each vector, left to right over vectors.
template <int ITEMS, class Op, class Load, class Acc, class In>
GP_DEVICE Acc gp__chunk_fold(const unsigned char *chunk, gp__u64 index) {
  Acc sum = Op::identity();
  if (gp__chunk_by_vectors(int(sizeof(In)), ITEMS)) {
    typedef gp__pack_step<Op, Load, In, Acc, In> step;
    const int V = gp__pack<In>::items, L = gp__pack<In>::vectors;
    const gp_vector *from = reinterpret_cast<const gp_vector *>(chunk);
    sum = step::template fold<true>(gp__pack<In>(from), index, sum);
    GPUPRIMS__UNROLL_BY(2)
    for (int k = 1; k < ITEMS / V; ++k)
      sum = step::template fold<false>(gp__pack<In>(from + k * L), index + k * V, sum);
  } else {
    const In *item = reinterpret_cast<const In *>(chunk);
    sum = Op::prepare(Load()(item[0], index));
    GPUPRIMS__UNROLL_BY(4)
    for (int j = 1; j < ITEMS; ++j) sum = Op()(sum, Op::prepare(Load()(item[j], index + j)));
  }
  return sum;
}
// The same over elements begin to end - 1 only; the identity where there are none.
template <class Op, class Load, class Acc, class In>
GP_DEVICE Acc gp__chunk_fold_part(const unsigned char *chunk, gp__u64 index, int begin, int end) {
  const In *item = reinterpret_cast<const In *>(chunk);
  Acc sum = Op::identity();
  GPUPRIMS__UNROLL_BY(1)
  for (int j = begin; j < end; ++j) {
    const Acc x = Op::prepare(Load()(item[j], index + j));
    sum = j == begin ? x : Op()(sum, x);
  }
  return sum;
}

// Writes the running prefixes, started with `carry`, to `to`, which may be `chunk` where the element sizes are equal.
template <int ITEMS, bool EXCLUSIVE, class Op, class Load, class Out, class In, class Acc>
GP_DEVICE void gp__chunk_scan(unsigned char *to, const unsigned char *chunk, gp__u64 index, gp_before<Acc> carry) {
  if (gp__chunk_by_vectors(int(sizeof(In)), ITEMS) && sizeof(In) == sizeof(Out)) {
    typedef gp__pack_step<Op, Load, In, Acc, Out> step;
    const int V = gp__pack<In>::items, L = gp__pack<In>::vectors;
    const gp_vector *from = reinterpret_cast<const gp_vector *>(chunk);
    gp_vector *result = reinterpret_cast<gp_vector *>(to);
    step::template scan<EXCLUSIVE, true>(gp__pack<In>(from), index, carry).store(result);
    GPUPRIMS__UNROLL_BY(2)
    for (int k = 1; k < ITEMS / V; ++k)
      step::template scan<EXCLUSIVE, false>(gp__pack<In>(from + k * L), index + k * V, carry).store(result + k * L);
  } else {
    const In *item = reinterpret_cast<const In *>(chunk);
    Out *result = reinterpret_cast<Out *>(to);
    result[0] = gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, true, Op>(carry, Op::prepare(Load()(item[0], index))));
    GPUPRIMS__UNROLL_BY(4)
    for (int j = 1; j < ITEMS; ++j)
      result[j] =
          gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, false, Op>(carry, Op::prepare(Load()(item[j], index + j))));
  }
}
template <bool EXCLUSIVE, class Op, class Load, class Out, class In, class Acc>
GP_DEVICE void gp__chunk_scan_part(unsigned char *to, const unsigned char *chunk, gp__u64 index, gp_before<Acc> carry,
                                   int begin, int end) {
  const In *item = reinterpret_cast<const In *>(chunk);
  Out *result = reinterpret_cast<Out *>(to);
  GPUPRIMS__UNROLL_BY(1)
  for (int j = begin; j < end; ++j)
    result[j] =
        gp_convert<Acc, Out>()(gp__running<EXCLUSIVE, true, Op>(carry, Op::prepare(Load()(item[j], index + j))));
}

// ---- search, merge path, load balance
//
// Sorted arrays have fewer than 2^63 elements. What a search asks is a predicate on positions that holds up to some
// position and not from there on; that position is the answer. (Busato and Bombieri, A Dynamic Approach for Workload
// Partitioning on GPU Architectures, whose case for tuning by profile this primitive is; Green, McColl and Bader, GPU
// Merge Path.)

// One thread: about log2(count) dependent loads.
template <class Before> GP_DEVICE gp__u64 gp_search(gp__u64 first, gp__u64 count, Before before) {
  while (count > 0) {
    const gp__u64 half = count / 2;
    if (before(first + half)) {
      first += half + 1;
      count -= half + 1;
    } else count = half;
  }
  return first;
}
// N searches at once by one warp, 32 probes each a step: about log2(count) / 5 dependent loads. `first` becomes the
// answer. All lanes call, with the same numbers. before(n, position) is asked for search n.
template <int N, class Before>
GP_DEVICE void gp__warp_search(gp__u64 (&first)[N], gp__u64 (&count)[N], const Before &before) {
  for (;;) {
    bool more = false, holds[N];
    GPUPRIMS__UNROLL
    for (int n = 0; n < N; ++n) {
      const gp__u64 step = (count[n] + 31) / 32, probe = (gp_lane() + 1) * step; // behind the lane's piece
      holds[n] = step > 0 && probe <= count[n] && before(n, first[n] + probe - 1);
      more = more || count[n] > 0;
    }
    if (!more) return;
    GPUPRIMS__UNROLL
    for (int n = 0; n < N; ++n) {
      const gp__u64 step = (count[n] + 31) / 32;
      const gp__u64 passed = step * static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, holds[n])));
      const gp__u64 left = count[n] - passed;
      first[n] += passed;
      count[n] = step > 0 && left >= step ? step - 1 : left;
    }
  }
}
template <class Before> struct gp__one_search {
  const Before &before;
  GP_DEVICE bool operator()(int, gp__u64 position) const { return before(position); }
};
template <class Before> GP_DEVICE gp__u64 gp_warp_search(gp__u64 first, gp__u64 count, Before before) {
  gp__u64 f[1] = {first}, c[1] = {count};
  gp__warp_search(f, c, gp__one_search<Before>{before});
  return f[0];
}

template <bool UPPER, class T, class Less> struct gp__bound_before {
  const T *sorted;
  T x;
  GP_DEVICE bool operator()(gp__u64 position) const {
    return UPPER ? !Less()(x, sorted[position]) : Less()(sorted[position], x);
  }
};
// The first position of sorted[0 .. count) whose element is not less than x (upper: is greater than x); count where
// there is none. By a thread, or by a warp for one x.
template <class T, class Less> GP_DEVICE gp__u64 gp_search_lower(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_search(0, count, gp__bound_before<false, T, Less>{sorted, x});
}
template <class T, class Less> GP_DEVICE gp__u64 gp_search_upper(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_search(0, count, gp__bound_before<true, T, Less>{sorted, x});
}
template <class T, class Less>
GP_DEVICE gp__u64 gp_warp_search_lower(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_warp_search(0, count, gp__bound_before<false, T, Less>{sorted, x});
}
template <class T, class Less>
GP_DEVICE gp__u64 gp_warp_search_upper(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_warp_search(0, count, gp__bound_before<true, T, Less>{sorted, x});
}

// Merge path: elements 0, 1, 2, ... and the ends of segments are merged into one sequence, an end before the element at
// which it stands. Of the first `diagonal` of it, so many are ends: diagonal - the result are elements. ends[s]: where
// segment s ends (offsets + 1). Equal steps of `diagonal` are equal work, whatever the lengths.
template <class O> struct gp__merge_before {
  const O *ends;
  gp__u64 diagonal;
  GP_DEVICE bool operator()(gp__u64 s) const { return static_cast<gp__u64>(ends[s]) + s < diagonal; }
};
template <class O> GP_DEVICE gp__u64 gp_merge_path(const O *ends, gp__u64 segments, gp__u64 diagonal) {
  return gp_search(0, segments < diagonal ? segments : diagonal, gp__merge_before<O>{ends, diagonal});
}
template <class O> GP_DEVICE gp__u64 gp_warp_merge_path(const O *ends, gp__u64 segments, gp__u64 diagonal) {
  return gp_warp_search(0, segments < diagonal ? segments : diagonal, gp__merge_before<O>{ends, diagonal});
}

// segment[i] = the segment of element first + threadIdx.x * ITEMS + i: the number of ends at or before it, `segments`
// behind the last. segments + 1 offsets. Fewer than 2^32 segments may begin within one tile; its time grows with them.
// Storage may be used again after the next __syncthreads().
template <int THREADS, int ITEMS> struct gp_tile_load_balance_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u64 begin, end; // ends that stand behind the first element of the tile, and in it
  gp__u32 mark[THREADS * ITEMS];
};
template <class O> struct gp__ends_at {
  const O *offsets;
  gp__u64 element;
  GP_DEVICE bool operator()(gp__u64 s) const { return static_cast<gp__u64>(offsets[s + 1]) <= element; }
};
template <int THREADS, int ITEMS, class O>
GP_DEVICE void gp_tile_load_balance(gp__u64 (&segment)[ITEMS], const O *offsets, gp__u64 segments, gp__u64 first,
                                    gp_tile_load_balance_storage<THREADS, ITEMS> &storage) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) storage.mark[i * THREADS + threadIdx.x] = 0;
  if (gp_warp() == 0) {
    const gp__u64 begin = gp_warp_search(0, segments, gp__ends_at<O>{offsets, first});
    const gp__u64 end = gp_warp_search(begin, segments - begin, gp__ends_at<O>{offsets, first + (THREADS * ITEMS - 1)});
    if (gp_lane() == 0) {
      storage.begin = begin;
      storage.end = end;
    }
  }
  __syncthreads();
  const gp__u64 begin = storage.begin, end = storage.end;
  for (gp__u64 s = begin + threadIdx.x; s < end; s += THREADS) { // of ends at one place the last counts
    const O at = offsets[s + 1];
    if (s + 1 == end || offsets[s + 2] != at)
      storage.mark[static_cast<gp__u64>(at) - first] = static_cast<gp__u32>(s + 1 - begin);
  }
  __syncthreads();
  gp__u32 newest[ITEMS], before = 0;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    newest[i] = before = gp_max<gp__u32>()(before, storage.mark[threadIdx.x * ITEMS + i]);
  }
  gp_tile_exclusive_scan<THREADS>(before, gp_max<gp__u32>(), storage.scan);
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) segment[i] = begin + gp_max<gp__u32>()(before, newest[i]);
}

// ---- rank by digit
//
// A tile is brought into the order of 8 bits of its keys, stable: each warp counts its own keys, in order, by matching
// the digits of 32 at a time; the counters of all warps then become positions (Adinets and Merrill, Onesweep). The
// arrangement is striped by warps: thread t holds in place i the tile's element gp_tile_warp_striped<ITEMS>(i). A tile
// has fewer than 2^16 elements.
template <int ITEMS> GP_DEVICE unsigned gp_tile_warp_striped(int i) {
  return (gp_warp() * ITEMS + static_cast<unsigned>(i)) * 32 + gp_lane();
}

union gp__digit_counters {
  gp__u32 pair[GP__DIGITS / 2]; // of two digits, the even one in the lower half
  unsigned short digit[GP__DIGITS];
  gp_vector vector[GP__DIGITS / 8];
};
template <int THREADS> struct gp_tile_rank_storage {
  gp__digit_counters warp[THREADS / 32]; // how many keys of the warp so far; then where its first one goes
  gp__u32 total[THREADS < GP__DIGITS / 2 ? THREADS / 32 : GP__DIGITS / 64];
};

// The steps, for kernels that have something to do between them. Pairs of digits belong to the first COUNTING threads,
// PAIRS to each: thread t has the pairs t * PAIRS, ...
template <int THREADS> struct gp__tile_rank {
  typedef gp_tile_rank_storage<THREADS> Storage;
  static const int WARPS = THREADS / 32;
  static const int PAIRS = THREADS >= 128 ? 1 : THREADS >= 64 ? 2 : 4, COUNTING = GP__DIGITS / 2 / PAIRS;
  static const int AT_ONCE = 4; // keys of a thread that are matched before the first of them is counted

  Storage &s;
  GP_DEVICE bool counts() const { return threadIdx.x < COUNTING; }

  // rank[i]: how many keys of this warp with the same digit come before keys[i]. digit(key, i) is below 256.
  template <int ITEMS, class T, class Digit>
  GP_DEVICE void within_warp(gp__u32 (&rank)[ITEMS], const T (&keys)[ITEMS], const Digit &digit) const {
    gp__digit_counters &own = s.warp[gp_warp()];
    const gp__u32 below = (1u << gp_lane()) - 1, above = ~below << 1;
    own.vector[gp_lane()] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    GPUPRIMS__UNROLL
    for (int first = 0; first < ITEMS; first += AT_ONCE) {
      gp__u32 peers[AT_ONCE];
      GPUPRIMS__UNROLL
      for (int j = 0; j < AT_ONCE; ++j)
        if (first + j < ITEMS) peers[j] = gp_warp_match<8>(digit(keys[first + j], first + j));
      GPUPRIMS__UNROLL
      for (int j = 0; j < AT_ONCE; ++j)
        if (first + j < ITEMS) {
          unsigned short &counter = own.digit[digit(keys[first + j], first + j)];
          const gp__u32 before = counter + static_cast<gp__u32>(__popc(peers[j] & below));
          __syncwarp();
          if (!(peers[j] & above)) counter = static_cast<unsigned short>(before + 1); // the last one of its digit
          __syncwarp();
          rank[first + j] = before;
        }
    }
  }
  // After a barrier, the threads that count: how many keys have the digits of this pair, 16 bits each.
  GP_DEVICE gp__u32 total(unsigned pair) const {
    gp__u32 sum = 0;
    GPUPRIMS__UNROLL
    for (int w = 0; w < WARPS; ++w) sum += s.warp[w].pair[pair];
    return sum;
  }
  // All threads; `both`: of the threads that count, the sum over their pairs of both digits. Returns how many keys have
  // digits before those of the thread. Ends with a barrier within: one more is needed before `total` serves again.
  GP_DEVICE gp__u32 before(gp__u32 both) const {
    gp__u32 sum = 0;
    const unsigned COUNTING_WARPS = COUNTING / 32;
    if (gp_warp() < COUNTING_WARPS) {
      sum = gp_warp_inclusive_scan(both, gp_sum<gp__u32>());
      if (gp_lane() == 31) s.total[gp_warp()] = sum;
    }
    __syncthreads();
    if (gp_warp() < COUNTING_WARPS) {
      GPUPRIMS__UNROLL
      for (unsigned w = 0; w + 1 < COUNTING_WARPS; ++w)
        if (w < gp_warp()) sum += s.total[w];
    }
    return sum - both;
  }
  // The threads that count: the counters of a pair become positions; `first`: of each digit's first key, 16 bits each.
  GP_DEVICE void place(unsigned pair, gp__u32 first) const {
    GPUPRIMS__UNROLL
    for (int w = 0; w < WARPS; ++w) {
      const gp__u32 own = s.warp[w].pair[pair];
      s.warp[w].pair[pair] = first;
      first += own;
    }
  }
  // After a barrier: where a key of this warp goes.
  GP_DEVICE gp__u32 position(gp__u32 rank, gp__u32 digit) const { return rank + s.warp[gp_warp()].digit[digit]; }
};

// rank[i] becomes the position of keys[i] in the tile once it is sorted by digit(key, i), which is below 256. Storage
// may be used again after the next __syncthreads().
template <int THREADS, int ITEMS, class T, class Digit>
GP_DEVICE void gp_tile_rank(gp__u32 (&rank)[ITEMS], const T (&keys)[ITEMS], const Digit &digit,
                            gp_tile_rank_storage<THREADS> &storage) {
  typedef gp__tile_rank<THREADS> Rank;
  static_assert(THREADS * ITEMS < 65536, "positions have 16 bits");
  const Rank r = {storage};
  gp__u32 total[Rank::PAIRS], both = 0;
  r.within_warp(rank, keys, digit);
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < Rank::PAIRS; ++i) {
    total[i] = r.counts() ? r.total(threadIdx.x * Rank::PAIRS + i) : 0;
    both += (total[i] & 0xffffu) + (total[i] >> 16);
  }
  gp__u32 first = r.before(both);
  GPUPRIMS__UNROLL
  for (int i = 0; i < Rank::PAIRS; ++i) {
    const gp__u32 odd = first + (total[i] & 0xffffu);
    if (r.counts()) r.place(threadIdx.x * Rank::PAIRS + i, first | odd << 16);
    first = odd + (total[i] >> 16);
  }
  __syncthreads();
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) rank[i] = r.position(rank[i], digit(keys[i], i));
}

// ---- sort of a tile of keys
//
// Keys of a known range are brought into the order of their leading bits by counting: about as many bins as keys. What
// lies in wrong order then is near its place: rounds of odd-even transpositions (Habermann) of overlapping windows,
// which threads hold in registers, bring it there, and the block agrees that it is sorted. Where that takes too long,
// the bins are fitted to the smallest and the largest key; where that did not help either, runs of the threads are
// merged. The order of equal keys is lost.
template <class K> GP_DEVICE int gp__width(K x) { // bits up to the highest one
  return sizeof(K) > 4 ? 64 - __clzll(static_cast<long long>(x)) : 32 - __clz(static_cast<int>(x));
}

template <class K, int THREADS, int ITEMS, int LOG2_BINS> struct gp_tile_sort_storage {
  static const int CAPACITY = THREADS * ITEMS, BINS = 1 << LOG2_BINS, WARPS = THREADS / 32;
  static const int ROUNDS = gp__tile_sort_rounds(CAPACITY, LOG2_BINS), HALO = ROUNDS + 1;
  static const int GROUPS = BINS / 128, GROUPS_A_WARP = (GROUPS + WARPS - 1) / WARPS; // of 32 vectors of counters
  static_assert((ITEMS & (ITEMS - 1)) == 0 && ITEMS >= 8 && BINS % 128 == 0 && CAPACITY < 65536, "shape of a tile");
  union {
    gp_vector vector[BINS / 4 + 8];
    gp__u32 counter[BINS + 32]; // the last ones count what is no key
  };
  alignas(16) K key[THREADS * (ITEMS + 1) + 3 * HALO + 4]; // key p stands at place(p): no bank conflicts of windows
  K least[WARPS], most[WARPS];
  gp__u32 total[WARPS];
  static GP_DEVICE unsigned place(unsigned p) { return p + p / ITEMS + 2 * HALO; }
};

template <class K, int THREADS, int ITEMS, int LOG2_BINS> struct gp__tile_sort {
  typedef gp_tile_sort_storage<K, THREADS, ITEMS, LOG2_BINS> Storage;
  static const int HALO = Storage::HALO, ROUNDS = Storage::ROUNDS, WINDOW = ITEMS + 2 * HALO;
  static const int REPEATS = 3; // of all rounds
  Storage &s;
  const unsigned thread; // gp__anew(threadIdx.x)

  // Once, before the first tile, and a barrier.
  GP_DEVICE void clear() const {
    for (unsigned i = thread; i < Storage::BINS / 4 + 8; i += THREADS) s.vector[i] = gp_vector{{0, 0, 0, 0}};
  }
  // Counters become the number of keys before.
  GP_DEVICE void scan() const {
    gp__u32 before[Storage::GROUPS_A_WARP], run = 0;
    GPUPRIMS__UNROLL
    for (int j = 0; j < Storage::GROUPS_A_WARP; ++j) {
      const unsigned group = gp_warp() * Storage::GROUPS_A_WARP + static_cast<unsigned>(j);
      gp_vector v = {{0, 0, 0, 0}};
      if (group < Storage::GROUPS) v = s.vector[group * 32 + gp_lane()];
      const gp__u32 sum = v.word[0] + v.word[1] + v.word[2] + v.word[3];
      const gp__u32 up_to = gp_warp_inclusive_scan(sum, gp_sum<gp__u32>());
      before[j] = run + up_to - sum;
      run += gp_warp_broadcast(up_to, 31);
    }
    if (gp_lane() == 0) s.total[gp_warp()] = run;
    __syncthreads();
    const gp__u32 total = gp_lane() < Storage::WARPS ? s.total[gp_lane()] : 0;
    const gp__u32 base = gp_warp_broadcast(gp_warp_inclusive_scan(total, gp_sum<gp__u32>()) - total, gp_warp());
    GPUPRIMS__UNROLL
    for (int j = 0; j < Storage::GROUPS_A_WARP; ++j) {
      const unsigned group = gp_warp() * Storage::GROUPS_A_WARP + static_cast<unsigned>(j);
      if (group < Storage::GROUPS) {
        gp_vector v = s.vector[group * 32 + gp_lane()];
        gp__u32 start = base + before[j];
        GPUPRIMS__UNROLL
        for (int w = 0; w < 4; ++w) {
          const gp__u32 own = v.word[w];
          v.word[w] = start;
          start += own;
        }
        s.vector[group * 32 + gp_lane()] = v;
      }
    }
  }
  GP_DEVICE gp__u32 draw(K key, bool there, K low, int shift) const {
    const gp__u32 bin =
        there ? static_cast<gp__u32>((key - low) >> shift) : static_cast<gp__u32>(Storage::BINS) + gp_lane();
    return gp__anew(atomicAdd(&s.counter[bin], 1u) << 16 | bin); // one register
  }
  GP_DEVICE void put(K key, bool there, gp__u32 drawn) const {
    const unsigned p = s.counter[drawn & 0xffffu] + (drawn >> 16);
    if (there) s.key[Storage::place(p)] = key;
  }
  // Counters are zero and everybody knows it. The n keys, keys[i] with there(i) and each lane's `edge` of warp 0 with
  // there(-1), go into the order of their bins, (key - low) >> shift. Ends with a barrier.
  template <class There>
  GP_DEVICE void scatter(const K (&keys)[ITEMS], K edge, const There &there, unsigned n, K low, int shift) const {
    gp__u32 at[ITEMS], at_edge = 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) at[i] = draw(keys[i], there(i), low, shift);
    if (gp_warp() == 0) at_edge = draw(edge, there(-1), low, shift);
    __syncthreads();
    scan();
    __syncthreads();
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) put(keys[i], there(i), at[i]);
    if (gp_warp() == 0) put(edge, there(-1), at_edge);
    surround(n);
    __syncthreads();
  }
  // What windows see before the keys and behind them.
  GP_DEVICE void surround(unsigned n) const {
    for (unsigned p = n + thread; p < Storage::CAPACITY + HALO; p += THREADS) s.key[Storage::place(p)] = ~K(0);
    if (thread < 2 * HALO) s.key[thread] = 0;
  }
  // All rounds, a few times. Leaves zeros in the counters. Ends with a barrier.
  GP_DEVICE bool repair() const {
    const unsigned first = thread * (ITEMS + 1);
    clear();
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
      K w[WINDOW];
      bool ok = true;
      GPUPRIMS__UNROLL
      for (int j = 0; j < WINDOW; ++j) {
        const int p = j - HALO, row = p >= 0 ? p / ITEMS : -((-p + ITEMS - 1) / ITEMS);
        w[j] = s.key[first + static_cast<unsigned>(p + row + 2 * HALO)];
      }
      // Round r orders pairs of places (p, p + 1), p + r even, as far as the thread's own depend on them.
      GPUPRIMS__UNROLL
      for (int r = 0; r < ROUNDS; ++r) {
        const int low = HALO - ROUNDS + r > 0 ? HALO - ROUNDS + r : 0, high = WINDOW - 1 - low;
        GPUPRIMS__UNROLL
        for (int j = 0; j + 1 < WINDOW; ++j)
          if ((j + HALO + r) % 2 == 0 && j + 1 >= low && j <= high) {
            const K a = w[j], b = w[j + 1];
            w[j] = b < a ? b : a;
            w[j + 1] = b < a ? a : b;
          }
      }
      GPUPRIMS__UNROLL
      for (int j = HALO; j < HALO + ITEMS; ++j) ok &= w[j] <= w[j + 1];
      __syncthreads();
      GPUPRIMS__UNROLL
      for (int j = 0; j < ITEMS; ++j) s.key[first + static_cast<unsigned>(j + 2 * HALO)] = w[HALO + j];
      if (__syncthreads_and(ok)) return true;
    }
    return false;
  }
  // Runs of a thread, sorted in registers; then merges of two runs, each thread its part of the result (Merge Path).
  GP_DEVICE void merge(unsigned n) const {
    const unsigned first = thread * ITEMS, own = thread * (ITEMS + 1) + 2 * HALO;
    K w[ITEMS];
    GPUPRIMS__UNROLL
    for (int j = 0; j < ITEMS; ++j) w[j] = s.key[own + static_cast<unsigned>(j)];
    GPUPRIMS__UNROLL
    for (int r = 0; r < ITEMS; ++r) {
      GPUPRIMS__UNROLL
      for (int j = r % 2; j + 1 < ITEMS; j += 2) {
        const K a = w[j], b = w[j + 1];
        w[j] = b < a ? b : a;
        w[j + 1] = b < a ? a : b;
      }
    }
    for (unsigned run = ITEMS;; run *= 2) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < ITEMS; ++j) s.key[own + static_cast<unsigned>(j)] = w[j];
      __syncthreads();
      if (run >= n) return;
      const unsigned from = first / (2 * run) * (2 * run), diagonal = first - from;
      const unsigned middle = from + run < Storage::CAPACITY ? from + run : static_cast<unsigned>(Storage::CAPACITY);
      const unsigned end = middle + run < Storage::CAPACITY ? middle + run : static_cast<unsigned>(Storage::CAPACITY);
      const unsigned second = end - middle;
      unsigned low = diagonal > second ? diagonal - second : 0,
               high = diagonal < middle - from ? diagonal : middle - from;
      while (low < high) {
        const unsigned probe = (low + high) / 2;
        if (s.key[Storage::place(middle + diagonal - 1 - probe)] < s.key[Storage::place(from + probe)]) high = probe;
        else low = probe + 1;
      }
      unsigned a = from + low, b = middle + diagonal - low;
      GPUPRIMS__UNROLL
      for (int j = 0; j < ITEMS; ++j) {
        const K x = s.key[Storage::place(a < middle ? a : from)], y = s.key[Storage::place(b < end ? b : from)];
        const bool take = b >= end || (a < middle && x <= y);
        w[j] = take ? x : y;
        a += take ? 1u : 0u;
        b += take ? 0u : 1u;
      }
      __syncthreads();
    }
  }
  // What scatter has left becomes sorted; false: in the end it is not. Ends with a barrier; the counters are zero then.
  GP_DEVICE bool finish(int shift) const {
    if (shift > 0) return repair(); // otherwise a key has a bin
    clear();
    __syncthreads();
    return true;
  }
  // The same without bounds: n keys in any order, in place and with all ones behind them.
  GP_DEVICE void sort(unsigned n, int shift) const {
    if (!fit(n, shift)) merge(n);
  }
  // With bins from the smallest key to the largest one.
  GP_DEVICE bool fit(unsigned n, int shift) const {
    K keys[ITEMS], least = ~K(0), most = 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const unsigned p = static_cast<unsigned>(i) * THREADS + thread;
      keys[i] = p < n ? s.key[Storage::place(p)] : least;
      if (p < n && keys[i] > most) most = keys[i];
    }
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) least = keys[i] < least ? keys[i] : least;
    least = gp_warp_broadcast(gp_warp_reduce(least, gp_min<K>()), 0);
    most = gp_warp_broadcast(gp_warp_reduce(most, gp_max<K>()), 0);
    if (gp_lane() == 0) s.least[gp_warp()] = least, s.most[gp_warp()] = most;
    __syncthreads();
    least = s.least[gp_lane() < Storage::WARPS ? gp_lane() : 0];
    most = s.most[gp_lane() < Storage::WARPS ? gp_lane() : 0];
    least = gp_warp_broadcast(gp_warp_reduce(least, gp_min<K>()), 0);
    most = gp_warp_broadcast(gp_warp_reduce(most, gp_max<K>()), 0);
    const int width = gp__width(static_cast<K>(most - least)), fitted = width > LOG2_BINS ? width - LOG2_BINS : 0;
    if (fitted >= shift) return false;
    scatter(
        keys, 0, [=](int i) { return i >= 0 && static_cast<unsigned>(i) * THREADS + this->thread < n; }, n, least,
        fitted);
    return finish(fitted);
  }
};

// ---- the workspace: a ticket, and tagged words that carry partial results from block to block

// The control word holds the epoch (36 bits) above the tickets drawn in it (28 bits). Every launch uses up one epoch:
// whoever draws the last ticket of a launch starts the next one, so nothing is ever cleared.
struct gp__ticket {
  gp__u64 tag;    // of this launch: epoch + 1
  gp__u64 number; // 0, 1, 2, ... in the order of drawing, below 2^28
};
// One thread draws. `draws` tickets are drawn in this launch, over all blocks.
GP_DEVICE gp__ticket gp__draw(void *workspace, gp__u64 draws) {
  gp__u64 *control = static_cast<gp__u64 *>(workspace);
  const gp__u64 was = gp__add_relaxed(control, 1);
  gp__ticket k;
  k.tag = (was >> 28) + 1;
  k.number = was & 0xfffffffu;
  if (k.number == draws - 1) gp__store_relaxed(control, k.tag << 28);
  return k;
}
GP_DEVICE gp__word *gp__words(void *workspace) {
  return reinterpret_cast<gp__word *>(static_cast<unsigned char *>(workspace) + GP__CONTROL_BYTES);
}

// An accumulator as 8-byte pieces, each of which travels with its tag.
template <class Acc> union gp__pieces {
  Acc value;
  gp__u64 piece[(sizeof(Acc) + 7) / 8];
  GP_DEVICE gp__pieces() {}
};
template <class Acc> GP_DEVICE void gp__publish(gp__word *words, gp__u64 slot, const Acc &value, gp__u64 tag) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  if (sizeof(Acc) % 8) p.piece[N - 1] = 0;
  p.value = value;
  GPUPRIMS__UNROLL
  for (int i = 0; i < N; ++i) gp__store_word(words + slot * N + i, gp__word{p.piece[i], tag});
}
// One look: false while not all pieces carry the tag.
template <class Acc> GP_DEVICE bool gp__try_receive(const gp__word *words, gp__u64 slot, gp__u64 tag, Acc &value) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  bool all = true;
  GPUPRIMS__UNROLL
  for (int i = 0; i < N; ++i) {
    const gp__word w = gp__load_word(words + slot * N + i);
    p.piece[i] = w.value;
    all = all && w.tag == tag;
  }
  if (all) value = p.value;
  return all;
}
template <class Acc> GP_DEVICE Acc gp__receive(const gp__word *words, gp__u64 slot, gp__u64 tag) {
  Acc value;
  while (!gp__try_receive(words, slot, tag, value)) {}
  return value;
}

// Decoupled look-back (Merrill and Garland) with a fixed shape, so that floats get the same bits in every run, in two
// levels. Tiles stand in groups of GP__GROUP. aggregate(t) is published by each tile; total(g), of group g alone, and
// prefix(g + 1), all up to its end, by the last tile of group g. The prefix of a tile is prefix(g) op the total over
// the aggregates of its group before it, and prefix(g + 1) = prefix(g) op total(g), whoever computes it. A total: each
// lane folds its consecutive aggregates, then the warp's tree. A warp that finds prefix(g) missing looks at the
// prefixes and the totals of 32 groups before it at once, so that the chain of prefixes costs one trip through memory
// every 32 groups, not every group. Slots: aggregates, then prefixes, then totals.
//
// Form: how an aggregate travels; where a tile's counts fit fewer words, in those.
template <class Acc> struct gp__whole_form {
  typedef Acc Packed;
  static GP_DEVICE const Acc &pack(const Acc &x, gp__u64) { return x; }
  static GP_DEVICE const Acc &unpack(const Acc &x, gp__u64) { return x; }
};
template <class Acc, class Op, class Form = gp__whole_form<Acc>> struct gp__look_back {
  typedef typename Form::Packed Packed;
  static const int SHARE = GP__GROUP / GP__WARP; // aggregates of a lane

  gp__word *words;
  gp__u64 tiles, tag;
  gp_before<Acc> start; // what stands before tile 0
  bool fences;          // who has a prefix may also overwrite what the tiles before have read

  GP_DEVICE void publish_aggregate(gp__u64 tile, const Acc &aggregate) const { // one thread
    if (fences) __threadfence();
    if (tile + 1 < tiles) gp__publish(words, tile, Form::pack(aggregate, tile), tag);
  }
  // This lane's part of the first `count` aggregates of a group.
  GP_DEVICE Acc gather(gp__u64 group, unsigned count) const {
    const unsigned first = gp_lane() * SHARE;
    unsigned missing = first >= count ? 0 : count - first >= SHARE ? (1u << SHARE) - 1 : (1u << (count - first)) - 1;
    const unsigned wanted = missing;
    Packed x[SHARE];
    while (missing) {
      unsigned found = 0;
      GPUPRIMS__UNROLL
      for (int i = 0; i < SHARE; ++i)
        if (missing >> i & 1u) found |= gp__try_receive(words, group * GP__GROUP + first + i, tag, x[i]) ? 1u << i : 0u;
      missing &= ~found;
    }
    __syncwarp();
    Acc sum = Op::identity();
    GPUPRIMS__UNROLL
    for (int i = 0; i < SHARE; ++i) {
      if (!(wanted >> i & 1u)) continue;
      const Acc one = Form::unpack(x[i], group * GP__GROUP + first + i);
      sum = i == 0 ? one : Op()(sum, one);
    }
    return sum;
  }
  GP_DEVICE gp__u64 total_slot(gp__u64 group) const { return tiles + tiles / GP__GROUP + 1 + group; }
  GP_DEVICE Acc total(const Acc &part) const { return gp_warp_broadcast(gp_warp_reduce(part, Op()), 0); }
  // One look for prefix(group); lanes may see different answers.
  GP_DEVICE bool look_for_prefix(gp__u64 group, gp_before<Acc> &prefix) const {
    if (group == 0) {
      prefix = start;
      return true;
    }
    prefix.has = true;
    return gp__try_receive(words, tiles + group, tag, prefix.value);
  }
  // Lane 0 will speak for what all lanes have received.
  GP_DEVICE void pass_on() const {
    if (!fences) return;
    __threadfence();
    __syncwarp();
  }
  // One warp. The tile's own aggregate has been published.
  GP_DEVICE gp_before<Acc> operator()(gp__u64 tile, const Acc &aggregate) const {
    const gp__u64 group = tile / GP__GROUP;
    const unsigned before = static_cast<unsigned>(tile % GP__GROUP);
    gp_before<Acc> prefix;
    bool there = look_for_prefix(group, prefix); // on its way while the aggregates are gathered
    const Acc part = gather(group, before);
    const bool last = before == GP__GROUP - 1 && tile + 1 < tiles;
    Acc all = Op::identity();
    if (last) {
      all = total(gp_lane() == GP__WARP - 1 ? Op()(part, aggregate) : part);
      pass_on();
      if (gp_lane() == 0) gp__publish(words, total_slot(group), all, tag);
    }
    while (!__all_sync(0xffffffffu, there)) { // lane i: what stands before group `group` - i, and the group before that
      Acc one = Op::identity();
      gp_before<Acc> far = start;
      const bool has_far = gp_lane() <= group && look_for_prefix(group - gp_lane(), far);
      const bool has_one = gp_lane() < group && gp__try_receive(words, total_slot(group - gp_lane() - 1), tag, one);
      const unsigned fars = __ballot_sync(0xffffffffu, has_far), ones = __ballot_sync(0xffffffffu, has_one);
      const int depth = __ffs(int(fars)) - 1; // of the nearest prefix there is
      there = depth >= 0 && (~ones & ((1u << depth) - 1u)) == 0;
      if (!there) continue;
      prefix.value = gp_warp_broadcast(far.value, depth);
      prefix.has = group > gp__u64(depth) || start.has;
      for (int i = depth - 1; i >= 0; --i) prefix.append(gp_warp_broadcast(one, i), Op());
    }
    if (last) {
      gp_before<Acc> next = prefix;
      next.append(all, Op());
      pass_on();
      if (gp_lane() == 0) gp__publish(words, tiles + group + 1, next.value, tag);
    }
    if (before) prefix.append(total(part), Op());
    if (fences) __threadfence();
    return prefix;
  }
};

#endif // GPUPRIMS__DEVICE_TEXT

#ifdef GPUPRIMS__DEVICE_TEXT

// >>kernels -----------------------------------------------------------------------------------------------------------
//
// One block of text a primitive: what a kernel does, told in tile routines. A kernel is a device function template on
// the policy, the operator and the types; dispatch (or a test) wraps it in an entry point.

// The resolved policy as a type.
template <int THREADS, int VECTORS, int LOAD, int STORE, int STAGES, int BLOCKS_PER_SM, int OVERLAP> struct gp__policy {
  static const int threads = THREADS, vectors = VECTORS, load = LOAD, store = STORE, stages = STAGES;
  static const int blocks_per_sm = BLOCKS_PER_SM, overlap = OVERLAP;
};

template <class P> GP_DEVICE void gp__begin() {
  if (P::overlap == 1) gp__wait_for_predecessor();
}
template <class Args> GP_DEVICE gp__u64 gp__count(const Args &a) {
  if (!a.count_device) return a.count;
  const gp__u64 n = *a.count_device;
  return n < a.count ? n : a.count;
}

// ---- copy, fill, iota, transform

// Bytes, whatever they mean. The output is peeled to 16-byte boundaries; an input that is misaligned against it is read
// as aligned vectors that are shifted in registers.
template <class P, int SIZE> GP_DEVICE void gp__copy_kernel(const gp__map_args &a) {
  gp__begin<P>();
  const gp__u64 bytes = gp__count(a) * SIZE;
  const unsigned char *in = static_cast<const unsigned char *>(a.in);
  unsigned char *out = static_cast<unsigned char *>(a.out);
  const gp__u64 to_boundary = (16 - gp__misalignment(out, 16)) & 15u, head = to_boundary < bytes ? to_boundary : bytes;
  const gp__u64 vectors = (bytes - head) / 16, tail = head + vectors * 16;
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) out[threadIdx.x] = in[threadIdx.x];
    if (tail + threadIdx.x < bytes) out[tail + threadIdx.x] = in[tail + threadIdx.x];
  }
  in += head;
  out += head;
  const unsigned offset = gp__misalignment(in, 16);
  const unsigned char *base = in - offset;
  const gp__u64 tile = static_cast<gp__u64>(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < vectors; first += gridDim.x * tile) {
    gp_vector v[P::vectors];
    if (offset == 0 && first + tile <= vectors) {
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k)
        v[k] = gp__load_vector<P::load>(in + (first + k * P::threads + threadIdx.x) * 16);
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k)
        gp__store_vector<P::store>(out + (first + k * P::threads + threadIdx.x) * 16, v[k]);
    } else {
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k) {
        const gp__u64 i = first + k * P::threads + threadIdx.x;
        if (i >= vectors) continue;
        if (offset == 0) v[k] = gp__load_vector<P::load>(base + i * 16);
        else if (i > 0 && i + 1 < vectors)
          v[k] = gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(base + i * 16),
                                   gp__load_vector<GP_CACHE_ALL>(base + i * 16 + 16), offset);
        else {
          gp__packed<unsigned char> p;
          GPUPRIMS__UNROLL
          for (int j = 0; j < 16; ++j) p.item[j] = in[i * 16 + j];
          v[k] = p.vector;
        }
      }
      GPUPRIMS__UNROLL
      for (int k = 0; k < P::vectors; ++k) {
        const gp__u64 i = first + k * P::threads + threadIdx.x;
        if (i < vectors) gp__store_vector<P::store>(out + i * 16, v[k]);
      }
    }
  }
}

// V consecutive elements of one operand, in a thread: one access where V elements are 2, 4, 8 or 16 bytes and aligned
// as a whole; shifted vectors where they are 16 bytes and not; otherwise element by element. `inner`: 16 bytes before
// and behind belong to the operand too.
template <class T, int V> struct gp__run_of_items {
  T item[V];
  template <int CACHE> GP_DEVICE void load_if(bool there, const T *at) {
    if (there) load<CACHE>(at, 0, false);
  }
  template <int CACHE> GP_DEVICE void load(const T *at, unsigned, bool) {
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) item[j] = at[j];
  }
  template <int CACHE> GP_DEVICE void store(T *at) const {
    GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) at[j] = item[j];
  }
};
template <class T, int V, class Register> struct gp__run_of_register {
  union {
    Register access;
    T item[V];
  };
  GP_DEVICE gp__run_of_register() {}
  template <int CACHE> GP_DEVICE void load_if(bool there, const T *at) {
    if (there) access = *reinterpret_cast<const Register *>(at);
  }
  template <int CACHE> GP_DEVICE void load(const T *at, unsigned misaligned, bool) {
    if (misaligned == 0) access = *reinterpret_cast<const Register *>(at);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) item[j] = at[j];
    }
  }
  template <int CACHE> GP_DEVICE void store(T *at) const { *reinterpret_cast<Register *>(at) = access; }
};
template <class T, int V> struct gp__run_of_vector {
  union {
    gp_vector access;
    T item[V];
  };
  GP_DEVICE gp__run_of_vector() {}
  template <int CACHE> GP_DEVICE void load_if(bool there, const T *at) { gp__load_vector_if<CACHE>(there, at, access); }
  template <int CACHE> GP_DEVICE void load(const T *at, unsigned misaligned, bool inner) {
    const unsigned char *base = reinterpret_cast<const unsigned char *>(at) - misaligned;
    if (misaligned == 0) access = gp__load_vector<CACHE>(at);
    else if (inner)
      access =
          gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(base), gp__load_vector<GP_CACHE_ALL>(base + 16), misaligned);
    else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) item[j] = at[j];
    }
  }
  template <int CACHE> GP_DEVICE void store(T *at) const { gp__store_vector<CACHE>(at, access); }
};
template <class T, int V> struct gp__run_bytes { static const int value = V * int(sizeof(T)); };
template <int V> struct gp__run_bytes<gp__none, V> { static const int value = 0; };
template <class T, int V, int BYTES = gp__run_bytes<T, V>::value> struct gp__run : gp__run_of_items<T, V> {};
template <class T, int V> struct gp__run<T, V, 2> : gp__run_of_register<T, V, unsigned short> {};
template <class T, int V> struct gp__run<T, V, 4> : gp__run_of_register<T, V, gp__u32> {};
template <class T, int V> struct gp__run<T, V, 8> : gp__run_of_register<T, V, gp__u64> {};
template <class T, int V> struct gp__run<T, V, 16> : gp__run_of_vector<T, V> {};
template <int V> struct gp__run<gp__none, V, 0> { // fill and iota have no operand in memory
  template <int CACHE> GP_DEVICE void load(const gp__none *, unsigned, bool) {}
};
// Bytes to which the operand of a run must be aligned to be read or written as a whole; 1: no such thing.
template <class T, int V> struct gp__run_alignment {
  static const unsigned bytes = V * sizeof(T), value = bytes <= 16 && (bytes & (bytes - 1)) == 0 ? bytes : 1;
};

template <class R> struct gp__fill_value {};
template <class R> struct gp__iota_value {};

// What the element at `i` becomes: the four shapes of a map.
template <class F, class A, class B, class R> struct gp__element {
  template <int V>
  static GP_DEVICE R at(const gp__run<A, V> &a, const gp__run<B, V> &b, int j, gp__u64, const gp__map_args &) {
    return F()(a.item[j], b.item[j]);
  }
};
template <class F, class A, class R> struct gp__element<F, A, gp__none, R> {
  template <int V>
  static GP_DEVICE R at(const gp__run<A, V> &a, const gp__run<gp__none, V> &, int j, gp__u64, const gp__map_args &) {
    return F()(a.item[j]);
  }
};
template <class R> struct gp__element<gp__fill_value<R>, gp__none, gp__none, R> {
  template <int V>
  static GP_DEVICE R at(const gp__run<gp__none, V> &, const gp__run<gp__none, V> &, int, gp__u64,
                        const gp__map_args &args) {
    return gp__value_as<R>(args.value);
  }
};
template <class R> struct gp__element<gp__iota_value<R>, gp__none, gp__none, R> {
  typedef typename gp__traits<R>::wide W;
  template <int V>
  static GP_DEVICE R at(const gp__run<gp__none, V> &, const gp__run<gp__none, V> &, int, gp__u64 i,
                        const gp__map_args &args) {
    const W start = static_cast<W>(gp__value_as<R>(args.value)), step = static_cast<W>(gp__value_as<R>(args.step));
    return static_cast<R>(start + gp__product(static_cast<W>(i), step));
  }
};

// out[i] = f(a[i], b[i]), one run of V elements a thread at a time, `vectors` runs in flight.
template <class P, class F, class A, class B, class R> GP_DEVICE void gp__map_kernel(const gp__map_args &args) {
  const int SIZE_AB = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B),
            SIZE = SIZE_AB > int(sizeof(R)) ? SIZE_AB : int(sizeof(R));
  const int V = 16 % SIZE == 0 ? 16 / SIZE : 1;
  typedef gp__element<F, A, B, R> element;
  gp__begin<P>();
  const gp__u64 count = gp__count(args);
  const A *in = static_cast<const A *>(args.in);
  const B *in2 = static_cast<const B *>(args.in2);
  R *out = static_cast<R *>(args.out);
  const unsigned boundary = gp__run_alignment<R, V>::value;
  const gp__u64 to_boundary = ((boundary - gp__misalignment(out, boundary)) & (boundary - 1)) / sizeof(R);
  const gp__u64 head = to_boundary < count ? to_boundary : count, runs = (count - head) / V, tail = head + runs * V;
  if (blockIdx.x == 0) { // fewer than V elements before the first run and behind the last
    const gp__u64 i = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    if (threadIdx.x < head || (threadIdx.x - head < V && i < count)) {
      gp__run<A, 1> a;
      gp__run<B, 1> b;
      a.template load<GP_CACHE_ALL>(in + i, 0, false);
      b.template load<GP_CACHE_ALL>(in2 + i, 0, false);
      out[i] = element::at(a, b, 0, i, args);
    }
  }
  const unsigned off = gp__misalignment(in + head, gp__run_alignment<A, V>::value);
  const unsigned off2 = gp__misalignment(in2 + head, gp__run_alignment<B, V>::value);
  const gp__u64 tile = static_cast<gp__u64>(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < runs; first += gridDim.x * tile) {
    gp__run<A, V> a[P::vectors];
    gp__run<B, V> b[P::vectors];
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      if (r < runs) {
        a[k].template load<P::load>(in + i, off, r > 0 && r + 1 < runs);
        b[k].template load<P::load>(in2 + i, off2, r > 0 && r + 1 < runs);
      }
    }
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      if (r < runs) {
        gp__run<R, V> q;
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) q.item[j] = element::at(a[k], b[k], j, i + j, args);
        q.template store<P::store>(out + i);
      }
    }
  }
}

// ---- adjacent difference

// out[i] = f(in[i], in[i - 1]), RIGHT: in[i + 1]; the element that has no such neighbour is copied. As a map; a run's
// outer neighbour comes from the lane beside it, or from memory at the warp's edge.
template <class P, bool RIGHT, class F, class A, class R> GP_DEVICE void gp__adjacent(const gp__map_args &args) {
  const int SIZE = sizeof(A) > sizeof(R) ? sizeof(A) : sizeof(R), V = 16 % SIZE == 0 ? 16 / SIZE : 1;
  gp__begin<P>();
  const gp__u64 count = gp__count(args);
  if (count == 0) return;
  const A *in = static_cast<const A *>(args.in);
  R *out = static_cast<R *>(args.out);
  const gp__u64 edge = RIGHT ? count - 1 : 0; // the element that is copied
  const unsigned boundary = gp__run_alignment<R, V>::value;
  const gp__u64 to_boundary = ((boundary - gp__misalignment(out, boundary)) & (boundary - 1)) / sizeof(R);
  const gp__u64 head = to_boundary < count ? to_boundary : count, runs = (count - head) / V, tail = head + runs * V;
  if (blockIdx.x == 0) { // fewer than V elements before the first run and behind the last
    const gp__u64 i = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    if (threadIdx.x < head || (threadIdx.x - head < V && i < count))
      out[i] = i == edge ? gp_convert<A, R>()(in[i]) : F()(in[i], in[RIGHT ? i + 1 : i - 1]);
  }
  const unsigned off = gp__misalignment(in + head, gp__run_alignment<A, V>::value);
  const gp__u64 tile = static_cast<gp__u64>(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < runs; first += gridDim.x * tile) {
    gp__run<A, V> a[P::vectors];
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) { // lanes without a run load the last one, and take part in the shuffles
      const gp__u64 mine = first + k * P::threads + threadIdx.x, r = mine < runs ? mine : runs - 1;
      a[k].template load<P::load>(in + head + r * V, off, r > 0 && r + 1 < runs);
    }
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      A beside = RIGHT ? gp_warp_shift_down(a[k].item[0], 1) : gp_warp_shift_up(a[k].item[V - 1], 1);
      if (r >= runs) continue;
      if (RIGHT ? (gp_lane() == 31 || r + 1 == runs) && i + V < count : gp_lane() == 0 && i > 0)
        beside = in[RIGHT ? i + V : i - 1];
      gp__run<R, V> q;
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        const bool outer = RIGHT ? j == V - 1 : j == 0;
        q.item[j] = outer && i + j == edge
                        ? gp_convert<A, R>()(a[k].item[j])
                        : F()(a[k].item[j], outer ? beside : a[k].item[RIGHT ? (j + 1) % V : (j + V - 1) % V]);
      }
      q.template store<P::store>(out + i);
    }
  }
}

// ---- reduce

template <int THREADS, class Acc> struct gp__reduce_storage {
  gp_tile_reduce_storage<THREADS, Acc> reduce;
  gp__ticket ticket;
};

template <class Op, class Acc, class Out> GP_DEVICE void gp__reduce_result(const gp__reduce_args &a, const Acc &sum) {
  const Acc init = Op::prepare(gp__value_as<Acc>(a.init));
  const Acc result = !a.has_init ? sum : gp__count(a) == 0 ? init : Op()(init, sum);
  *static_cast<Out *>(a.out) = gp_convert<Acc, Out>()(result);
}

// The last act of a one-launch reduction: one block waits for the partial results of all others, wherever they are, and
// folds them in their order.
template <int THREADS, class Op, class Acc, class Out>
GP_DEVICE void gp__reduce_finish(const gp__reduce_args &a, gp__u64 partials, gp__u64 tag,
                                 gp__reduce_storage<THREADS, Acc> &s) {
  const gp__word *words = gp__words(a.workspace);
  const gp__u64 share = (partials + THREADS - 1) / THREADS, first = threadIdx.x * share;
  const gp__u64 end = first + share < partials ? first + share : partials;
  Acc sum = Op::identity();
  for (gp__u64 i = first; i < end; ++i) sum = Op()(sum, gp__receive<Acc>(words, i, tag));
  sum = gp_tile_reduce<THREADS>(sum, Op(), s.reduce);
  if (threadIdx.x == 0) gp__reduce_result<Op, Acc, Out>(a, sum);
}

// Elements of a run that a reduction in order, or by tiles, loads as a whole.
template <class In> struct gp__reduce_input { static const int V = 16 % sizeof(In) == 0 ? 16 / int(sizeof(In)) : 1; };

// The elements first .. first + ITEMS - 1 of in[0 .. n) that exist, folded by one thread.
template <class P, class Op, class Load, class In, class Acc>
GP_DEVICE Acc gp__reduce_consecutive(const Load &load, const In *in, gp__u64 first, gp__u64 n, unsigned misaligned) {
  const int K = P::vectors, V = gp__reduce_input<In>::V;
  Acc sum = Op::identity();
  if (first + K * V <= n) {
    gp__run<In, V> p[K];
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k)
      p[k].template load<P::load>(in + first + k * V, misaligned, first > 0 && first + (K + 1) * V <= n);
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) GPUPRIMS__UNROLL
    for (int j = 0; j < V; ++j) sum = Op()(sum, Op::prepare(load(p[k].item[j], first + k * V + j)));
  } else
    for (gp__u64 i = first; i < n; ++i) sum = Op()(sum, Op::prepare(load(in[i], i)));
  return sum;
}

// Each block one share, the last block to start folds all partial results. Commutative operators: the share is strided,
// neighbouring blocks read neighbouring vectors. Otherwise each warp has one contiguous range, and each thread of it
// consecutive elements.
template <class P, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__reduce_even_share(const gp__reduce_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__reduce_input<In>::V;
  typedef gp__reduce_storage<T, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__begin<P>();
  if (threadIdx.x == 0 && gridDim.x > 1) s.ticket = gp__draw(a.workspace, gridDim.x);
  const gp__u64 n = gp__count(a);
  const In *in = static_cast<const In *>(a.in);
  const Load load(a);
  const unsigned misaligned = gp__misalignment(in, 16);
  Acc sum = Op::identity();
  if (Op::commutative) {
    typedef gp__pack<In> Pack;
    const int PACKS = K / Pack::vectors > 0 ? K / Pack::vectors : 1, ITEMS = Pack::items;
    if (misaligned % gp__common_with_vector(int(sizeof(In))) == 0) {
      unsigned to_boundary = 0; // elements
      while (((misaligned + to_boundary * sizeof(In)) & 15u) != 0) ++to_boundary;
      const gp__u64 head = to_boundary < n ? to_boundary : n, packs = (n - head) / ITEMS, tail = head + packs * ITEMS;
      const gp__u64 stride = static_cast<gp__u64>(gridDim.x) * T;
      const gp_vector *base = reinterpret_cast<const gp_vector *>(in + head);
      gp__u64 i = static_cast<gp__u64>(blockIdx.x) * T + threadIdx.x;
      for (; i + (PACKS - 1) * stride < packs; i += PACKS * stride) {
        Pack p[PACKS];
        GPUPRIMS__UNROLL
        for (int k = 0; k < PACKS; ++k) GPUPRIMS__UNROLL
        for (int l = 0; l < Pack::vectors; ++l)
          p[k].vector[l] = gp__load_vector<P::load>(base + (i + k * stride) * Pack::vectors + l);
        GPUPRIMS__UNROLL
        for (int k = 0; k < PACKS; ++k) GPUPRIMS__UNROLL
        for (int j = 0; j < ITEMS; ++j)
          sum = Op()(sum, Op::prepare(load(p[k].item[j], head + (i + k * stride) * ITEMS + j)));
      }
      for (; i < packs; i += stride) {
        const Pack p(base + i * Pack::vectors);
        GPUPRIMS__UNROLL
        for (int j = 0; j < ITEMS; ++j) sum = Op()(sum, Op::prepare(load(p.item[j], head + i * ITEMS + j)));
      }
      if (blockIdx.x == 0) {
        if (threadIdx.x < head) sum = Op()(sum, Op::prepare(load(in[threadIdx.x], threadIdx.x)));
        if (tail + threadIdx.x < n) sum = Op()(sum, Op::prepare(load(in[tail + threadIdx.x], tail + threadIdx.x)));
      }
    } else {
      const gp__u64 stride = static_cast<gp__u64>(gridDim.x) * T;
      GPUPRIMS__UNROLL_BY(4)
      for (gp__u64 i = static_cast<gp__u64>(blockIdx.x) * T + threadIdx.x; i < n; i += stride)
        sum = Op()(sum, Op::prepare(load(in[i], i)));
    }
  } else {
    const int ITEMS = K * V;
    const gp__u64 warps = static_cast<gp__u64>(gridDim.x) * (T / 32), tiles = (n + ITEMS * 32 - 1) / (ITEMS * 32);
    const gp__u64 share = (tiles + warps - 1) / warps, mine = static_cast<gp__u64>(blockIdx.x) * (T / 32) + gp_warp();
    const gp__u64 end = (mine + 1) * share < tiles ? (mine + 1) * share : tiles;
    for (gp__u64 tile = mine * share; tile < end; ++tile) {
      const Acc x =
          gp__reduce_consecutive<P, Op, Load, In, Acc>(load, in, (tile * 32 + gp_lane()) * ITEMS, n, misaligned);
      sum = Op()(sum, gp_warp_reduce(x, Op())); // lane 0 counts
    }
    sum = gp_warp_broadcast(sum, 0);
    if (gp_lane() != 0) sum = Op::identity();
  }
  sum = gp_tile_reduce<T>(sum, Op(), s.reduce); // its barrier shows the ticket to all
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) gp__publish(gp__words(a.workspace), blockIdx.x, sum, s.ticket.tag);
    if (s.ticket.number != gridDim.x - 1) return;
    __syncthreads();
    gp__reduce_finish<T, Op, Acc, Out>(a, gridDim.x, s.ticket.tag, s);
  } else if (threadIdx.x == 0) gp__reduce_result<Op, Acc, Out>(a, sum);
}

// Tiles by ticket, a partial result a tile. The association depends on the tile's shape alone, neither on the grid nor
// on who took which tile: GP_REPRODUCIBLE runs here, on a pinned shape.
template <class P, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__reduce_stealing(const gp__reduce_args &a) {
  const int T = P::threads, K = P::vectors, V = gp__reduce_input<In>::V, ROUND = T * K * V;
  typedef gp__reduce_storage<T, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__begin<P>();
  const gp__u64 n = gp__count(a), tile_items = a.rounds * ROUND, tiles = (n + tile_items - 1) / tile_items;
  const In *in = static_cast<const In *>(a.in);
  const Load load(a);
  const unsigned misaligned = gp__misalignment(in, 16);
  for (;;) {
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) {
      if (ticket.number != tiles + gridDim.x - 1) return;
      gp__reduce_finish<T, Op, Acc, Out>(a, tiles, ticket.tag, s);
      return;
    }
    const gp__u64 first = ticket.number * tile_items, end = first + tile_items < n ? first + tile_items : n;
    Acc sum = Op::identity(), tile = Op::identity();
    for (gp__u64 round = first; round < end; round += ROUND) {
      if (Op::commutative) {
        gp__run<In, V> p[K];
        GPUPRIMS__UNROLL
        for (int k = 0; k < K; ++k) {
          const gp__u64 i = round + static_cast<gp__u64>(k * T + threadIdx.x) * V;
          if (i + V <= n) p[k].template load<P::load>(in + i, misaligned, i >= V && i + 2 * V <= n);
        }
        GPUPRIMS__UNROLL
        for (int k = 0; k < K; ++k) {
          const gp__u64 i = round + static_cast<gp__u64>(k * T + threadIdx.x) * V;
          if (i + V <= n) {
            GPUPRIMS__UNROLL
            for (int j = 0; j < V; ++j) sum = Op()(sum, Op::prepare(load(p[k].item[j], i + j)));
          } else
            for (gp__u64 j = i; j < n; ++j) sum = Op()(sum, Op::prepare(load(in[j], j)));
        }
      } else {
        const Acc x =
            gp__reduce_consecutive<P, Op, Load, In, Acc>(load, in, round + threadIdx.x * (K * V), n, misaligned);
        const Acc r = gp_tile_reduce<T>(x, Op(), s.reduce);
        tile = round == first ? r : Op()(tile, r); // thread 0 counts
        __syncthreads();
      }
    }
    if (Op::commutative) tile = gp_tile_reduce<T>(sum, Op(), s.reduce);
    if (threadIdx.x == 0) gp__publish(gp__words(a.workspace), ticket.number, tile, ticket.tag);
  }
}

// ---- histogram
//
// Counters in shared memory, `replicas` copies of each side by side, so that lanes of a warp do not meet: with 32
// copies neither uniform nor constant samples make a bank wait. With fewer, a thread adds up runs of equal samples
// first. Meanwhile the first to draw tickets set the output to zero, a warp a chunk, and say so by tagged words; the
// blocks wait for these before they add what they counted. Only those are waited for that have drawn their ticket.

static const gp__u32 gp__no_bin = 0xffffffffu;

// How a sample becomes a bin: BINS(x) is `bins` where the sample is in none.
//
// Even bins of integers. d = x - lower, and width where that is not below width. bins / width = whole + fraction / 2^F,
// fraction rounded up; the excess is e / (width * 2^F) with e < width, and as d * e < 2^F for all d,
// d * whole + (d * fraction >> F) is the exact floor of d * bins / width (Granlund and Montgomery, Division by
// Invariant Integers using Multiplication).
template <class T, bool FLOAT = gp__traits<T>::kind == GP__FLOAT, int SIZE = int(sizeof(T))> struct gp__even_bins;
template <class T> struct gp__even_base {
  static const bool tabulated = false;                 // no boundaries in memory
  static const int kept = GP__VALUE_BYTES / sizeof(T); // one for each channel
};
template <class T, int SIZE> struct gp__even_bins<T, false, SIZE> : gp__even_base<T> { // 1 and 2 bytes: F = 32
  gp__u32 lower, limit, whole, fraction;
  // upper may have wrapped: the type's lowest value stands for the one beyond its largest.
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    const gp__u32 mask = (1u << (8 * SIZE)) - 1, bins = static_cast<gp__u32>(all);
    lower = static_cast<gp__u32>(from);
    const gp__u32 width = ((static_cast<gp__u32>(to) - lower - 1) & mask) + 1;
    limit = width;
    whole = bins / width;
    fraction = static_cast<gp__u32>(((static_cast<gp__u64>(bins % width) << 32) + width - 1) / width);
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u32 far = static_cast<gp__u32>(x) - lower, d = far < limit ? far : limit;
    return d * whole + gp__high_product(d, fraction);
  }
};
template <class T> struct gp__even_bins<T, false, 4> : gp__even_base<T> { // F = 64
  gp__u32 lower, limit, whole, high, low;
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = static_cast<gp__u32>(from);
    const gp__u32 last = static_cast<gp__u32>(to) - lower - 1;
    limit = last + (last < 0xffffffffu); // with a width of 2^32 every sample is in a bin
    const gp__u64 width = static_cast<gp__u64>(last) + 1, rest = all % width << 32, rest2 = rest % width << 32;
    whole = static_cast<gp__u32>(all / width);
    const gp__u64 fraction = ((rest / width) << 32) + (rest2 + width - 1) / width; // the second term may be 2^32
    high = static_cast<gp__u32>(fraction >> 32);
    low = static_cast<gp__u32>(fraction);
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u32 far = static_cast<gp__u32>(x) - lower, d = far < limit ? far : limit;
    const gp__u64 part = static_cast<gp__u64>(d) * high + gp__high_product(d, low);
    return d * whole + static_cast<gp__u32>(part >> 32);
  }
};
// 8 bytes: bins / width = whole + rest / width, and the estimate d * floor(rest * 2^64 / width) / 2^64 is at most one
// too low: compare with d * rest, in 96 bits.
template <class T> struct gp__even_bins<T, false, 8> : gp__even_base<T> {
  gp__u64 lower, limit, fraction;
  gp__u32 whole, rest;
  bool exact; // the fraction is
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = static_cast<gp__u64>(from);
    const gp__u64 width = static_cast<gp__u64>(to) - lower;
    limit = width;
    if (width == 0) { // 2^64: every sample is in a bin
      limit = ~0ull;
      whole = 0;
      rest = static_cast<gp__u32>(all);
      fraction = all;
      exact = true;
      return;
    }
    whole = static_cast<gp__u32>(all / width);
    gp__u64 r = all % width;
    rest = static_cast<gp__u32>(r);
    fraction = (r << 32) / width;
    r = (r << 32) % width;
    GPUPRIMS__UNROLL_BY(1)
    for (int i = 0; i < 32; ++i) {
      const bool carry = r >> 63;
      r += r;
      const bool one = carry || r >= width;
      fraction = fraction * 2 + one;
      if (one) r -= width;
    }
    exact = r == 0;
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u64 far = static_cast<gp__u64>(x) - lower, d = far < limit ? far : limit;
    gp__u32 q = static_cast<gp__u32>(gp__high_product(d, fraction));
    if (!exact) {
      const gp__u64 a0 = (d & 0xffffffffu) * rest, a1 = (d >> 32) * rest + (a0 >> 32);
      const gp__u64 b0 = (limit & 0xffffffffu) * (q + 1), b1 = (limit >> 32) * (q + 1) + (b0 >> 32);
      if (b1 < a1 || (b1 == a1 && static_cast<gp__u32>(b0) <= static_cast<gp__u32>(a0))) ++q;
    }
    return static_cast<gp__u32>(d) * whole + q;
  }
};
template <class T, int SIZE> struct gp__even_bins<T, true, SIZE> : gp__even_base<T> { // floats
  typedef typename gp__traits<T>::wide F;
  F lower, upper, scale;
  gp__u32 bins;
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = static_cast<F>(from);
    upper = static_cast<F>(to);
    bins = static_cast<gp__u32>(all);
    scale = static_cast<F>(bins) / (upper - lower);
  }
  GP_DEVICE gp__u32 operator()(T sample) const {
    const F x = static_cast<F>(sample);
    const gp__u32 q = gp__u32_from(gp__product(x - lower, scale)), last = bins - 1;
    return x >= lower && x < upper ? (q < last ? q : last) : bins;
  }
};
// Bins by boundaries: how many are not above the sample, by a search among those of its bucket. The bucket of a sample
// is never below that of a smaller one, so that this is right however uneven the boundaries are; where they are even,
// there is little to search. NaN: none are.
union gp__guess {
  gp__u32 both;
  unsigned short at[2]; // how many boundaries lie in the buckets before; in this one too
};
template <class T> struct gp__range_bins {
  static const bool tabulated = true;
  static const int kept = 1;
  const T *boundaries;
  const gp__guess *guesses;   // one a bucket
  gp__u32 bins, buckets;      // no buckets: all boundaries are searched
  gp__even_bins<T> bucket_of; // from the first to the last boundary
  GP_DEVICE gp__u32 operator()(T x) const {
    gp__u32 found = 0, end = buckets ? 0 : bins + 1;
    const gp__u32 bucket = bucket_of(x);
    if (bucket < buckets) {
      const gp__u32 both = guesses[bucket].both;
      found = both & 0xffffu;
      end = both >> 16;
    }
    GPUPRIMS__UNROLL_BY(1)
    while (found < end) {
      const gp__u32 middle = (found + end) / 2;
      if (boundaries[middle] <= x) found = middle + 1;
      else end = middle;
    }
    return found - 1 < bins ? found - 1 : bins;
  }
  // All threads, with the boundaries in place. Each half of a guess is written by one: the first boundary that is not
  // below the bucket, and the last that is not above it.
  GP_DEVICE void fill(gp__guess *table, unsigned threads) const {
    GPUPRIMS__UNROLL_BY(1)
    for (gp__u32 i = threadIdx.x; i <= bins; i += threads) {
      const gp__u32 bucket = bucket_of(boundaries[i]);
      const gp__u32 before = i > 0 ? bucket_of(boundaries[i - 1]) + 1 : 0;
      const gp__u32 next = i < bins ? bucket_of(boundaries[i + 1]) : buckets;
      GPUPRIMS__UNROLL_BY(1)
      for (gp__u32 b = before; b <= bucket && b < buckets; ++b) table[b].at[0] = static_cast<unsigned short>(i);
      GPUPRIMS__UNROLL_BY(1)
      for (gp__u32 b = bucket; b < next && b < buckets; ++b) table[b].at[1] = static_cast<unsigned short>(i + 1);
    }
  }
};
// Those of one channel.
template <class T> GP_DEVICE gp__even_bins<T> gp__bins_of(const gp__even_bins<T> *kept, unsigned channel) {
  return kept[channel];
}
template <class T> GP_DEVICE gp__range_bins<T> gp__bins_of(const gp__range_bins<T> *kept, unsigned channel) {
  gp__range_bins<T> b = *kept;
  b.boundaries += channel * (b.bins + 1);
  return b;
}

// What a sample weighs.
template <class W, class C> struct gp__weight {
  static const bool is = true;
  static const int size = sizeof(W);
  typedef C cell; // of a block's counters
  template <int V> static GP_DEVICE C at(const gp__run<W, V> &w, int j) { return gp_convert<W, C>()(w.item[j]); }
  static GP_DEVICE C of(const void *weights, gp__u64 pixel) {
    return gp_convert<W, C>()(static_cast<const W *>(weights)[pixel]);
  }
};
template <class C> struct gp__weight<gp__none, C> {
  static const bool is = false;
  static const int size = 1;
  typedef gp__u32 cell;
  template <int V> static GP_DEVICE gp__u32 at(const gp__run<gp__none, V> &, int) { return 1; }
  static GP_DEVICE gp__u32 of(const void *, gp__u64) { return 1; }
};

// What a histogram's blocks share: how samples are read, and the tables.
template <class P, int ALGORITHM, class BINS, class T, class W, class C> struct gp__histogram_shape {
  typedef gp__weight<W, C> weight;
  static const bool ordered = gp__traits<C>::kind == GP__FLOAT;
  static const bool by_value = gp__histogram_by_value(ALGORITHM, int(sizeof(T)), !ordered);
  static const int SIZE = int(sizeof(T)) > weight::size ? int(sizeof(T)) : weight::size;
  static const int V = 16 / (ordered && int(sizeof(C)) > SIZE ? int(sizeof(C)) : SIZE); // samples read as one
  static GP_DEVICE gp__u32 stride(const gp__histogram_args &a) {
    return static_cast<gp__u32>(gp__histogram_stride(by_value, a.bins));
  }
  struct Storage {
    gp__ticket ticket;
    BINS bins[BINS::kept];
  };
  // Bytes of the tables, which come before the counters in dynamic shared memory.
  static GP_DEVICE unsigned table_bytes(const gp__histogram_args &a) {
    return !BINS::tabulated || by_value
               ? 0
               : gp__histogram_search_bytes(ALGORITHM, !ordered, a.bins, a.active, int(sizeof(T)));
  }
  // All threads; the caller synchronises.
  static GP_DEVICE void set_bins(const gp__histogram_args &a, gp__even_bins<T> *bins, unsigned char *) {
    const T *lower = reinterpret_cast<const T *>(a.lower.bytes), *upper = reinterpret_cast<const T *>(a.upper.bytes);
    const unsigned c = threadIdx.x;
    if (c < static_cast<unsigned>(a.active)) bins[c].set(lower[c], upper[c], a.bins);
  }
  static GP_DEVICE void set_bins(const gp__histogram_args &a, gp__range_bins<T> *bins, unsigned char *shared) {
    const T *table = static_cast<const T *>(a.boundaries);
    const gp__u64 boundaries = (a.bins + 1) * static_cast<unsigned>(a.active);
    const unsigned bytes = by_value ? 0 : gp__histogram_boundary_bytes(boundaries, int(sizeof(T)));
    const unsigned buckets =
        by_value ? 0 : gp__histogram_buckets(ALGORITHM, !ordered, a.bins, a.active, int(sizeof(T)));
    T *copy = reinterpret_cast<T *>(shared);
    gp__guess *guesses = reinterpret_cast<gp__guess *>(shared + bytes);
    if (bytes)
      for (gp__u64 i = threadIdx.x; i < boundaries; i += P::threads) copy[i] = table[i];
    if (threadIdx.x == 0) {
      bins->boundaries = bytes ? copy : table;
      bins->bins = static_cast<gp__u32>(a.bins);
      bins->guesses = guesses;
      bins->buckets = buckets && table[0] < table[a.bins] ? buckets : 0;
      bins->bucket_of.set(table[0], table[a.bins], bins->buckets);
    }
    if (!buckets) return;
    __syncthreads();
    if (bins->buckets) bins->fill(guesses, P::threads);
  }
  static GP_DEVICE void clear(unsigned char *shared, gp__u64 bytes) {
    for (gp__u64 i = threadIdx.x; i < (bytes + 15) / 16; i += P::threads)
      reinterpret_cast<gp_vector *>(shared)[i] = gp_vector{{0, 0, 0, 0}};
  }
};

// Adds up the weights of the lanes of the same bin, for the lowest of them, by jumping from each lane to the next of
// its bin, to the one after that, to the one four on ... (Wyllie). All lanes call.
template <class C> GP_DEVICE C gp__sum_of_peers(gp__u32 peers, C sum) {
  if (__any_sync(0xffffffffu, (peers & (peers - 1)) != 0)) {
    const gp__u32 above = gp_lane() == 31 ? 0 : peers >> (gp_lane() + 1) << (gp_lane() + 1);
    int next = above ? __ffs(static_cast<int>(above)) - 1 : -1;
    GPUPRIMS__UNROLL
    for (int i = 0; i < 5; ++i) {
      const C other = __shfl_sync(0xffffffffu, sum, next < 0 ? 0 : next);
      const int after = __shfl_sync(0xffffffffu, next, next < 0 ? 0 : next);
      if (next >= 0) {
        sum = static_cast<C>(sum + other);
        next = after;
      }
    }
  }
  return sum;
}

// A byte as an index, in one instruction where it lies in a word.
template <class T, int V> GP_DEVICE gp__u32 gp__byte_of(const gp__run<T, V> &x, int j) {
  return static_cast<unsigned char>(static_cast<gp__u32>(x.item[j]));
}
template <class T> GP_DEVICE gp__u32 gp__byte_of(const gp__run<T, 16> &x, int j) {
  return __byte_perm(x.access.word[j / 4], 0, 0x4440u + static_cast<unsigned>(j % 4));
}
// Each sample takes the place of the one before.
template <class T, int V> GP_DEVICE void gp__drop_first(gp__run<T, V> &x) {
  GPUPRIMS__UNROLL
  for (int j = 1; j < V; ++j) x.item[j - 1] = x.item[j];
}
template <class T> GP_DEVICE void gp__drop_first(gp__run<T, 16> &x) {
  GPUPRIMS__UNROLL
  for (int i = 0; i < 4; ++i) x.access.word[i] = x.access.word[i] >> 8 | (i < 3 ? x.access.word[i + 1] << 24 : 0);
}

// Integer counters. REPLICAS: 32, or 0 where the arguments say how many, or GP__HALVES; ONE: one channel.
enum { GP__HALVES = -1 }; // one copy of 16 bits each, two in a word
template <class P, int ALGORITHM, class BINS, class T, class W, class C>
struct gp__histogram_counts : gp__histogram_shape<P, ALGORITHM, BINS, T, W, C> {
  typedef gp__histogram_shape<P, ALGORITHM, BINS, T, W, C> Shape;
  typedef typename Shape::weight weight;
  typedef typename Shape::Storage Storage;
  typedef typename weight::cell Cell;
  static const bool global = ALGORITHM == GP_GLOBAL_BINS;
  static const int V = Shape::V;

  // Where the vectors lie: `head` samples before the first one.
  struct Extent {
    gp__u64 samples, head, vectors;
    GP_DEVICE explicit Extent(const gp__histogram_args &a) : samples(gp__count(a) * static_cast<unsigned>(a.channels)) {
      const gp__u64 to_boundary = (16 - gp__misalignment(a.in, 16)) % 16 / sizeof(T);
      head = to_boundary < samples ? to_boundary : samples;
      vectors = (samples - head) / V;
    }
  };
  // One thread's vectors. The first K are on their way before there is anything to count them in; then the place of
  // each that was counted is filled again at once.
  static const unsigned K = P::vectors;
  struct Samples {
    gp__run<T, V> x[K];
    gp__run<W, V> w[K]; // where there is one channel
    const T *x_at;      // the next to be loaded
    const W *w_at;
    gp__u64 step; // samples
    gp__u32 left; // vectors that are not counted yet; no block sees 2^32 samples
    unsigned off; // of weights that are not aligned: these are loaded one by one
    GP_DEVICE explicit Samples(const gp__histogram_args &a) {
      const Extent e(a);
      const gp__u64 vector = static_cast<gp__u64>(blockIdx.x) * P::threads + threadIdx.x, first = e.head + vector * V;
      const gp__u64 apart = static_cast<gp__u64>(gridDim.x) * P::threads;
      const bool one = a.channels == 1;
      step = apart * V;
      left = vector < e.vectors ? static_cast<gp__u32>((e.vectors - 1 - vector) / apart) + 1 : 0;
      x_at = static_cast<const T *>(a.in) + first;
      w_at = static_cast<const W *>(a.weights) + (weight::is && one ? first : 0);
      off = weight::is && one ? gp__misalignment(w_at, gp__run_alignment<W, V>::value) : 0;
      GPUPRIMS__UNROLL
      for (unsigned k = 0; k < K; ++k) load(k, k < left, one);
    }
    GP_DEVICE void load(unsigned k, bool there, bool one) {
      x[k].template load_if<P::load>(there, x_at);
      x_at += step;
      if (weight::is && one) {
        if (there) w[k].template load<P::load>(w_at, off, false);
        w_at += step;
      }
    }
  };

  // One thread's samples on their way into the counters. All lanes of a warp call together.
  template <int REPLICAS, bool ONE> struct Tally {
    static const bool runs = ONE && REPLICAS <= 0 && !global && !weight::is; // of samples of the same bin
    // Short text for what is seldom called, or waits for other things than instructions.
    static const bool rolled =
        !ONE || REPLICAS == GP__HALVES || ((BINS::tabulated || (Shape::by_value && !REPLICAS)) && !weight::is);
    static const int UNROLL = rolled ? 1 : V;
    const gp__histogram_args &a;
    const BINS *kept;
    BINS bins;                     // of the first channel
    gp__shared_place cells;        // this lane's copy of the first counter
    gp__u32 stride, nowhere;       // counters of a channel; the one of channels that are not counted
    gp__u32 shift;                 // log2 of the bytes of all copies of a counter
    gp__u32 run_slot, run_samples; // the run that is open
    gp__u32 channel, channel_step; // where the thread's next samples stand: in which channel, of which pixel; and how
    gp__u64 pixel, pixel_step;     // far it is to those behind the other threads'

    GP_DEVICE Tally(const gp__histogram_args &args, const Storage &s, unsigned char *cell_bytes)
        : a(args), kept(s.bins), bins(s.bins[0]), cells(cell_bytes + (REPLICAS == GP__HALVES ? 0
                                                                      : REPLICAS             ? gp_lane()
                                                                                 : gp_lane() & (args.replicas - 1)) *
                                                                         sizeof(Cell)),
          stride(Shape::stride(args)), nowhere(stride * static_cast<unsigned>(args.active)), shift(0), run_slot(0),
          run_samples(0), channel(0), channel_step(0), pixel(0), pixel_step(0) {
      while (!global && REPLICAS == 0 && args.replicas * sizeof(Cell) >> shift > 1) ++shift;
    }
    GP_DEVICE void add_to_output(gp__u32 slot, gp__u64 n) const {
      gp__u64 at = 0;
      if (output_of(slot, at)) atomicAdd(static_cast<C *>(a.out) + at, static_cast<C>(n));
    }
    // A word is the sum of all that was added to its halves, less the carries of the lower one. Whoever makes bits 16
    // or 32 overflow sees it, in the old value, and takes 2^16 to the output; between a carry and its removal the upper
    // half may overflow too early, and is brought back by a borrow. The output is zero by now.
    GP_DEVICE void add_half(gp__u32 slot, gp__u32 n) const {
      if (n >> 16) add_to_output(slot, n);
      else {
        const gp__u32 shift_half = slot % 2 * 16, x = n << shift_half;
        gp__u32 *word = cells.template at<gp__u32>(slot / 2 * 4);
        const gp__u32 old = atomicAdd(word, x);
        if (old + x < old) add_to_output(slot | 1u, 1u << 16);
        if (shift_half == 0 && ((old & 0xffffu) + n) >> 16 != 0) {
          add_to_output(slot, 1u << 16);
          if (atomicAdd(word, 0u - (1u << 16)) < 1u << 16) add_to_output(slot | 1u, 0ull - (1u << 16));
        }
      }
    }
    template <class N> GP_DEVICE void add(gp__u32 slot, N n) const {
      if (REPLICAS == GP__HALVES) {
        add_half(slot, static_cast<gp__u32>(n));
        return;
      }
      const gp__u32 bytes = unsigned(REPLICAS > 0 ? REPLICAS : 1) * unsigned(sizeof(Cell));
      atomicAdd(cells.template at<Cell>(REPLICAS ? slot * bytes : slot << shift), static_cast<Cell>(n));
    }
    // The counter of the output that belongs to a slot; false for those that stand behind the bins.
    GP_DEVICE bool output_of(gp__u32 slot, gp__u64 &at) const {
      const gp__u32 c = ONE ? 0 : slot / stride, bin = slot - c * stride;
      at = c * a.bins + bin;
      return slot < nowhere && bin + 1 < stride;
    }
    template <class N> GP_DEVICE void count(bool there, gp__u32 slot, N n) {
      if (global) {
        const gp__u32 peers = __match_any_sync(0xffffffffu, there ? slot : nowhere);
        const C sum = weight::is ? gp__sum_of_peers(peers, static_cast<C>(n)) : static_cast<C>(__popc(peers));
        if (there && gp_lane() == static_cast<unsigned>(__ffs(static_cast<int>(peers)) - 1)) add_to_output(slot, sum);
      } else if (!there) {
      } else if (runs) {
        if (slot != run_slot) {
          add(run_slot, run_samples);
          run_slot = slot;
          run_samples = 0;
        }
        ++run_samples;
      } else add(slot, n);
    }
    GP_DEVICE gp__u32 slot_of(const gp__run<T, V> &x, int j) const { // of one channel
      return Shape::by_value ? gp__byte_of(x, j) : bins(x.item[j]);
    }
    GP_DEVICE gp__u32 slot_of(const gp__run<T, V> &x, int j, gp__u32 c) const {
      const gp__u32 counted = static_cast<unsigned>(a.active) - 1;
      const gp__u32 in_channel =
          Shape::by_value ? gp__byte_of(x, j) : gp__bins_of(kept, c < counted ? c : counted)(x.item[j]);
      return c * stride + in_channel < nowhere ? c * stride + in_channel : nowhere;
    }
    GP_DEVICE void take(gp__run<T, V> &x, const gp__run<W, V> &w, bool there) {
      gp__u32 c = channel;
      gp__u64 at = pixel;
      GPUPRIMS__UNROLL_BY(UNROLL)
      for (int i = 0; i < V; ++i) {
        const int j = rolled ? 0 : i;
        if (ONE) count(there, slot_of(x, j), weight::at(w, i));
        else count(there, slot_of(x, j, c), there ? weight::of(a.weights, at) : 0);
        if (rolled) gp__drop_first(x);
        if (!ONE) {
          const bool next = ++c == static_cast<unsigned>(a.channels);
          at += next;
          c = next ? 0 : c;
        }
      }
      if (ONE) return;
      channel += channel_step;
      pixel += pixel_step;
      if (channel >= static_cast<unsigned>(a.channels)) {
        channel -= static_cast<unsigned>(a.channels);
        ++pixel;
      }
    }
    GP_DEVICE void take_one(const T *in, gp__u64 i, bool there) {
      const gp__u64 of_pixel = ONE ? i : i / static_cast<unsigned>(a.channels);
      const gp__u32 c = ONE ? 0 : static_cast<gp__u32>(i - of_pixel * static_cast<unsigned>(a.channels));
      gp__run<T, V> x;
      if (there) x.item[0] = in[i];
      const gp__u32 slot = !there ? nowhere : ONE ? slot_of(x, 0) : slot_of(x, 0, c);
      count(there, slot, there ? weight::of(a.weights, of_pixel) : 0);
    }
    GP_DEVICE void all(Samples &s) {
      if (blockIdx.x == gridDim.x - 1) { // what is left before and behind the vectors, a sample a thread
        const Extent e(a);
        const gp__u64 i = threadIdx.x < e.head ? threadIdx.x : e.vectors * V + threadIdx.x;
        take_one(static_cast<const T *>(a.in), i, i < e.samples);
      }
      if (!ONE) {
        const unsigned channels = static_cast<unsigned>(a.channels);
        const gp__u64 mine = Extent(a).head + (static_cast<gp__u64>(blockIdx.x) * P::threads + threadIdx.x) * V;
        pixel_step = s.step / channels;
        channel_step = static_cast<gp__u32>(s.step - pixel_step * channels);
        pixel = mine / channels;
        channel = static_cast<gp__u32>(mine - pixel * channels);
      }
      GPUPRIMS__UNROLL_BY(1)
      while (global ? __any_sync(0xffffffffu, s.left != 0) : s.left != 0) {
        GPUPRIMS__UNROLL
        for (unsigned k = 0; k < K; ++k) {
          if (global || k < s.left) take(s.x[k], s.w[k], k < s.left);
          s.load(k, k + K < s.left, ONE);
        }
        s.left -= s.left < K ? s.left : K;
      }
      if (runs) add(run_slot, run_samples);
    }
  };

  // The chunks of the output of which one warp of this block makes zeros, each said by a word; its ticket is kept.
  static GP_DEVICE void clear_output(const gp__histogram_args &a, Storage &s) {
    const gp__u64 counters = a.bins * static_cast<unsigned>(a.active), chunk = gp__histogram_chunk(counters);
    const gp__u64 chunks = (counters + chunk - 1) / chunk;
    C *out = static_cast<C *>(a.out);
    for (;;) {
      if (gp_lane() == 0) s.ticket = gp__draw(a.workspace, chunks + gridDim.x - 1);
      __syncwarp();
      const gp__ticket ticket = s.ticket;
      __syncwarp();
      if (ticket.number >= chunks) return;
      const gp__u64 first = ticket.number * chunk, end = first + chunk < counters ? first + chunk : counters;
      for (gp__u64 i = first + gp_lane(); i < end; i += 32) out[i] = 0;
      __syncwarp();
      if (gp_lane() == 0) {
        __threadfence();
        gp__publish(gp__words(a.workspace), ticket.number, 0u, ticket.tag);
      }
      if (ticket.number == chunks - 1) return; // there is no more
    }
  }
  // All threads, when this block's ticket has been drawn: behind the next barrier the output is zero.
  static GP_DEVICE void wait_for_output(const gp__histogram_args &a, const Storage &s) {
    const gp__u64 counters = a.bins * static_cast<unsigned>(a.active), chunk = gp__histogram_chunk(counters);
    const gp__u64 chunks = (counters + chunk - 1) / chunk, tag = s.ticket.tag;
    for (gp__u64 i = threadIdx.x; i < chunks; i += P::threads) {
      gp__receive<gp__u32>(gp__words(a.workspace), i, tag);
      __threadfence();
    }
  }
  static const bool may_halve = !global && !Shape::by_value && !weight::is && P::blocks_per_sm == 1;
  static GP_DEVICE void tally_halves(const gp__histogram_args &a, const Storage &s, unsigned char *cells, Samples &x) {
    Tally<may_halve ? int(GP__HALVES) : 0, true>(a, s, cells).all(x);
  }
  static GP_DEVICE void run(const gp__histogram_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    const bool single = gridDim.x == 1, halves = may_halve && a.replicas == 0;
    const bool adds_early = global || halves; // to the output, while it counts
    unsigned char *cells = shared + Shape::table_bytes(a);
    const gp__u32 stride = Shape::stride(a), active = static_cast<unsigned>(a.active);
    const gp__u64 slots = static_cast<gp__u64>(stride) * active + 1;
    if (!global) Shape::clear(cells, halves ? slots * 2 : slots * a.replicas * sizeof(Cell));
    gp__begin<P>();
    Samples samples(a);
    if (!single && gp_warp() == P::threads / 32 - 1) clear_output(a, s); // while the first thread sets the bins
    Shape::set_bins(a, s.bins, shared);
    C *out = static_cast<C *>(a.out);
    if (single && (adds_early || Shape::by_value)) {
      for (gp__u64 i = threadIdx.x; i < a.bins * active; i += P::threads) out[i] = 0;
    }
    __syncthreads();
    if (!single && adds_early) {
      wait_for_output(a, s);
      __syncthreads();
    }
    if (may_halve && halves) tally_halves(a, s, cells, samples);
    else if (a.channels > 1) Tally<0, false>(a, s, cells).all(samples);
    else if (global || a.replicas != 32) Tally<0, true>(a, s, cells).all(samples);
    else Tally<32, true>(a, s, cells).all(samples);
    if (global) return;
    if (!single && !adds_early) wait_for_output(a, s);
    __syncthreads();
    const Cell *cell = reinterpret_cast<const Cell *>(cells);
    for (gp__u32 c = 0; c < active; ++c, cell += static_cast<gp__u64>(stride) * a.replicas, out += a.bins) {
      const BINS bins = gp__bins_of(s.bins, c);
      for (gp__u32 i = threadIdx.x; i < (Shape::by_value ? 256u : stride - 1); i += P::threads) {
        C sum = 0;
        for (unsigned r = 0; r < a.replicas; ++r) // of 32 copies each lane reads another bank
          sum += cell[static_cast<gp__u64>(i) * a.replicas + ((r + threadIdx.x) & (a.replicas - 1))];
        if (halves) sum = static_cast<C>(cell[i / 2] >> (i % 2 * 16) & 0xffffu);
        const gp__u32 bin = Shape::by_value ? bins(static_cast<T>(i)) : i;
        if (!Shape::by_value && single && !halves) out[i] = sum;
        else if (sum != 0 && bin < static_cast<gp__u32>(a.bins)) atomicAdd(out + bin, sum);
      }
    }
  }
};

// Float counters, which get the same bits in every run: nothing is added in an order that chance decides. The input is
// cut into shares by the number of tickets; a share's sums go from lane to lane, from sample to sample and from warp to
// warp in order, a warp (or all warps in turns) on a copy of its own; the copies, then up to GP__HISTOGRAM_GROUP
// shares, then the groups are added up in order by whoever has the last ticket of each. Counters that do not fit a
// block are cut into slices.
template <class P, class BINS, class T, class W, class C>
struct gp__histogram_ordered : gp__histogram_shape<P, GP_SHARED_BINS, BINS, T, W, C> {
  typedef gp__histogram_shape<P, GP_SHARED_BINS, BINS, T, W, C> Shape;
  typedef typename Shape::weight weight;
  typedef typename Shape::Storage Storage;
  static const int K = P::vectors, V = Shape::V, PER = 8 / int(sizeof(C)), GROUP = GP__HISTOGRAM_GROUP;
  struct Piece { // of the counters, as one word carries it
    C sum[PER];
  };

  // cell[bin] += w, for the lanes that have one, in their order. All lanes call.
  static GP_DEVICE void add_in_order(C *cell, gp__u32 bin, C w) {
    const gp__u32 peers = __match_any_sync(0xffffffffu, bin);
    const bool there = bin != gp__no_bin;
    const int rank = there ? __popc(peers & ((1u << gp_lane()) - 1)) : -1;
    for (int r = 0; __any_sync(0xffffffffu, rank >= r); ++r) {
      if (rank == r) cell[bin] += w;
      __syncwarp();
    }
  }
  static GP_DEVICE void add(Piece &to, const Piece &x) {
    GPUPRIMS__UNROLL
    for (int i = 0; i < PER; ++i) to.sum[i] += x.sum[i];
  }
  // The sum of `count` words, `apart` from each other, in order, and `mine` behind them.
  static GP_DEVICE Piece gather(const gp__word *words, gp__u64 first, gp__u64 apart, unsigned count, gp__u64 tag,
                                const Piece &mine) {
    const unsigned BATCH = 8;
    Piece sum = mine;
    bool has = false;
    for (unsigned done = 0; done < count; done += BATCH) {
      Piece x[BATCH];
      const unsigned wanted = count - done < BATCH ? (1u << (count - done)) - 1 : (1u << BATCH) - 1;
      for (unsigned missing = wanted; missing;) {
        unsigned found = 0;
        GPUPRIMS__UNROLL
        for (unsigned i = 0; i < BATCH; ++i)
          if (missing >> i & 1u) found |= gp__try_receive(words, first + (done + i) * apart, tag, x[i]) ? 1u << i : 0u;
        missing &= ~found;
      }
      GPUPRIMS__UNROLL
      for (unsigned i = 0; i < BATCH; ++i)
        if (wanted >> i & 1u) {
          if (has) add(sum, x[i]);
          else sum = x[i];
          has = true;
        }
    }
    if (!has) return mine;
    add(sum, mine);
    return sum;
  }
  static GP_DEVICE void run(const gp__histogram_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    C *cells = reinterpret_cast<C *>(shared + Shape::table_bytes(a));
    const unsigned channels = static_cast<unsigned>(a.channels), active = static_cast<unsigned>(a.active);
    const gp__u64 slots = a.bins * active;
    const unsigned slice_slots = gp__histogram_slice(slots, int(sizeof(C)));
    const unsigned slices = static_cast<unsigned>((slots + slice_slots - 1) / slice_slots), shares = gridDim.x / slices;
    Shape::clear(reinterpret_cast<unsigned char *>(cells), static_cast<gp__u64>(slice_slots) * a.replicas * sizeof(C));
    gp__begin<P>();
    Shape::set_bins(a, s.bins, shared);
    if (threadIdx.x == 0) {
      const gp__ticket only = {0, blockIdx.x}; // of a slice: nobody waits
      s.ticket = shares > 1 ? gp__draw(a.workspace, gridDim.x) : only;
    }
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    const unsigned number = static_cast<unsigned>(ticket.number), slice = number / shares, share = number % shares;
    const gp__u64 first_slot = static_cast<gp__u64>(slice) * slice_slots;
    const unsigned mine = static_cast<unsigned>(slots - first_slot < slice_slots ? slots - first_slot : slice_slots);
    const unsigned turns = P::threads / 32 / a.replicas, turn = gp_warp() / a.replicas;
    C *cell = cells + static_cast<gp__u64>(gp_warp() % a.replicas) * slice_slots;

    const gp__u64 n = gp__count(a) * channels;
    const T *in = static_cast<const T *>(a.in);
    const W *weights = static_cast<const W *>(a.weights);
    const unsigned off = gp__misalignment(in, gp__run_alignment<T, V>::value);
    const unsigned off2 = weight::is ? gp__misalignment(weights, gp__run_alignment<W, V>::value) : 0;
    const gp__u64 round_items = static_cast<gp__u64>(P::threads) * K * V;
    for (gp__u64 round = share * round_items; round < n; round += shares * round_items) {
      gp__u32 bin[K * V];
      C w[K * V];
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        const gp__u64 i = round + static_cast<gp__u64>(k * P::threads + threadIdx.x) * V;
        gp__u64 pixel = i;
        unsigned channel = 0;
        gp__run<T, V> x;
        gp__run<W, V> y;
        const bool whole = i + V <= n;
        if (whole) x.template load<P::load>(in + i, off, i >= V && i + 2 * V <= n);
        if (channels > 1) {
          pixel = i / channels;
          channel = static_cast<unsigned>(i - pixel * channels);
        } else if (whole && weight::is) y.template load<P::load>(weights + i, off2, i >= V && i + 2 * V <= n);
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) {
          gp__u32 b = 0;
          bool there = i + j < n && channel < active;
          if (there) b = gp__bins_of(s.bins, channel)(whole ? x.item[j] : in[i + j]);
          there = there && b < a.bins;
          const gp__u64 at = channel * a.bins + b - first_slot; // beyond `mine` too where it is before the slice
          there = there && at < mine;
          bin[k * V + j] = there ? static_cast<gp__u32>(at) : gp__no_bin;
          w[k * V + j] = !there                   ? C(0)
                         : whole && channels == 1 ? static_cast<C>(weight::at(y, j))
                                                  : static_cast<C>(weight::of(a.weights, pixel));
          if (channels == 1 || ++channel == channels) {
            channel = 0;
            ++pixel;
          }
        }
      }
      for (unsigned k = 0; k < turns; ++k) {
        if (k == turn) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < K * V; ++j) add_in_order(cell, bin[j], w[j]);
        }
        if (turns > 1) __syncthreads();
      }
    }
    __syncthreads();

    const unsigned pieces = (slice_slots + PER - 1) / PER, group = share / GROUP, groups = (shares + GROUP - 1) / GROUP;
    gp__word *words = gp__words(a.workspace);
    const gp__u64 partials = static_cast<gp__u64>(slice) * shares * pieces;
    const gp__u64 group_sums = (static_cast<gp__u64>(slices) * shares + static_cast<gp__u64>(slice) * groups) * pieces;
    const bool ends_group = share % GROUP == GROUP - 1 || share == shares - 1;
    for (unsigned q = threadIdx.x; q * PER < mine; q += P::threads) {
      Piece sum;
      GPUPRIMS__UNROLL
      for (int i = 0; i < PER; ++i) {
        const unsigned c = q * PER + i;
        sum.sum[i] = 0;
        if (c < mine) {
          sum.sum[i] = cells[c];
          for (unsigned r = 1; r < a.replicas; ++r) sum.sum[i] += cells[static_cast<gp__u64>(r) * slice_slots + c];
        }
      }
      if (shares > 1) {
        if (!ends_group) {
          gp__publish(words, partials + static_cast<gp__u64>(share) * pieces + q, sum, ticket.tag);
          continue;
        }
        sum = gather(words, partials + static_cast<gp__u64>(group) * GROUP * pieces + q, pieces, share % GROUP,
                     ticket.tag, sum);
        if (share != shares - 1) {
          gp__publish(words, group_sums + static_cast<gp__u64>(group) * pieces + q, sum, ticket.tag);
          continue;
        }
        sum = gather(words, group_sums + q, pieces, groups - 1, ticket.tag, sum);
      }
      GPUPRIMS__UNROLL
      for (int i = 0; i < PER; ++i)
        if (q * PER + i < mine) static_cast<C *>(a.out)[first_slot + q * PER + i] = sum.sum[i];
    }
  }
};

template <class P, int ALGORITHM, class BINS, class T, class W, class C, bool ORDERED> struct gp__histogram_of {
  typedef gp__histogram_counts<P, ALGORITHM, BINS, T, W, C> type;
};
template <class P, int ALGORITHM, class BINS, class T, class W, class C>
struct gp__histogram_of<P, ALGORITHM, BINS, T, W, C, true> {
  typedef gp__histogram_ordered<P, BINS, T, W, C> type;
};
template <class P, int ALGORITHM, class BINS, class T, class W, class C>
GP_DEVICE void gp__histogram(const gp__histogram_args &a) {
  gp__histogram_of<P, ALGORITHM, BINS, T, W, C, gp__traits<C>::kind == GP__FLOAT>::type::run(a);
}

// ---- scan

template <int THREADS, class Acc> struct gp__scan_storage {
  gp_tile_scan_storage<THREADS, Acc> scan;
  gp_before<Acc> prefix; // what stands before the tile
  gp__ticket ticket;
};

template <class Op, class Acc, class Args> GP_DEVICE gp_before<Acc> gp__start(const Args &a) {
  gp_before<Acc> start;
  start.value = Op::prepare(gp__value_as<Acc>(a.init));
  start.has = a.has_init != 0;
  return start;
}

// A tile of a scan whose elements lie in shared memory: what is common to all kernels of the family. A thread owns
// ITEMS consecutive elements; TO and FROM are the tile's output and input bytes (the same where sizes are equal).
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out> struct gp__scan_tile {
  static const int MAX = sizeof(In) > sizeof(Out) ? int(sizeof(In)) : int(sizeof(Out));
  static const int ITEMS = 16 * P::vectors >= MAX ? 16 * P::vectors / MAX : 1;
  static const int TILE = P::threads * ITEMS;
  static const int IN_BYTES = (TILE * int(sizeof(In)) + 127) / 128 * 128;
  static const int UNROLL = TILE * int(sizeof(In)) / 16 / P::threads > 0 ? TILE *int(sizeof(In)) / 16 / P::threads : 1;

  unsigned char *from, *to; // shared memory
  gp__u64 index;            // of the tile's first element
  int begin, end;           // the part of this thread's chunk that exists

  GP_DEVICE gp__scan_tile(unsigned char *shared, gp__u64 first, gp__u64 count)
      : from(shared), to(sizeof(In) == sizeof(Out) ? shared : shared + IN_BYTES), index(first), begin(0) {
    const gp__u64 mine = first + static_cast<gp__u64>(threadIdx.x) * ITEMS;
    end = mine >= count ? 0 : count - mine >= ITEMS ? ITEMS : int(count - mine);
  }
  GP_DEVICE gp__u64 chunk_index() const { return index + threadIdx.x * ITEMS; }
  GP_DEVICE void load(const In *in, gp__u64 count) const {
    const gp__u64 items = count - index < TILE ? count - index : TILE;
    gp__copy_to_shared<P::threads, UNROLL, P::load>(from, reinterpret_cast<const unsigned char *>(in + index),
                                                    static_cast<unsigned>(items * sizeof(In)), threadIdx.x);
  }
  GP_DEVICE void store(Out *out, gp__u64 count) const {
    const gp__u64 items = count - index < TILE ? count - index : TILE;
    gp__copy_from_shared<P::threads, P::store>(reinterpret_cast<unsigned char *>(out + index), to,
                                               static_cast<unsigned>(items * sizeof(Out)), threadIdx.x);
  }
  GP_DEVICE Acc fold() const {
    const unsigned char *chunk = from + threadIdx.x * (ITEMS * sizeof(In));
    return begin == 0 && end == ITEMS ? gp__chunk_fold<ITEMS, Op, Load, Acc, In>(chunk, chunk_index())
                                      : gp__chunk_fold_part<Op, Load, Acc, In>(chunk, chunk_index(), begin, end);
  }
  GP_DEVICE void scan(const gp_before<Acc> &carry) const {
    const unsigned char *chunk = from + threadIdx.x * (ITEMS * sizeof(In));
    unsigned char *result = to + threadIdx.x * (ITEMS * sizeof(Out));
    if (begin == 0 && end == ITEMS)
      gp__chunk_scan<ITEMS, EXCLUSIVE, Op, Load, Out, In>(result, chunk, chunk_index(), carry);
    else gp__chunk_scan_part<EXCLUSIVE, Op, Load, Out, In>(result, chunk, chunk_index(), carry, begin, end);
  }
};

// One pass. Blocks take tiles by ticket; where every block has at most one, it draws once.
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_look_back(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, Load, In, Acc, Out> Tile;
  typedef gp__scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__begin<P>();
  const gp__u64 n = gp__count(a), tiles = (n + Tile::TILE - 1) / Tile::TILE;
  const bool once = tiles <= gridDim.x;
  for (;;) {
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, once ? gridDim.x : tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const Tile tile(shared, static_cast<gp__u64>(ticket.number) * Tile::TILE, n);
    tile.load(static_cast<const In *>(a.in), n);
    __syncthreads();
    gp_before<Acc> within, warps;
    const Acc aggregate = gp__tile_scan<P::threads>(tile.fold(), Op(), within, warps, s.scan);
    if (gp_warp() == 0) {
      const gp__look_back<Acc, Op> look_back = {gp__words(a.workspace), tiles, ticket.tag, gp__start<Op, Acc>(a),
                                                false};
      if (gp_lane() == 0) look_back.publish_aggregate(ticket.number, aggregate);
      const gp_before<Acc> prefix = look_back(ticket.number, aggregate);
      if (gp_lane() == 0) s.prefix = prefix;
    }
    __syncthreads();
    gp_before<Acc> carry = s.prefix;
    if (warps.has) carry.append(warps.value, Op());
    if (within.has) carry.append(within.value, Op());
    tile.scan(carry);
    __syncthreads();
    tile.store(static_cast<Out *>(a.out), n);
    if (once) return;
  }
}

// Back40's three sweeps. Each block has one contiguous range of tiles: the upsweep reduces it, the spine (one block)
// scans the blocks' totals, the downsweep scans the range, started with what the spine left. Words are not tagged here:
// the launches order them.
template <int TILE> struct gp__scan_share {
  gp__u64 first, end; // tiles of this block
  GP_DEVICE explicit gp__scan_share(gp__u64 n) {
    const gp__u64 tiles = (n + TILE - 1) / TILE, share = (tiles + gridDim.x - 1) / gridDim.x;
    first = blockIdx.x * share;
    end = first + share < tiles ? first + share : tiles;
  }
};
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_upsweep(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, Load, In, Acc, Out> Tile;
  typedef gp_tile_reduce_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__begin<P>();
  const gp__u64 n = gp__count(a);
  const gp__scan_share<Tile::TILE> share(n);
  Acc total = Op::identity();
  for (gp__u64 t = share.first; t < share.end; ++t) {
    const Tile tile(shared, t * Tile::TILE, n);
    tile.load(static_cast<const In *>(a.in), n);
    __syncthreads();
    const Acc sum = gp_tile_reduce<P::threads>(tile.fold(), Op(), s);
    total = t == share.first ? sum : Op()(total, sum); // thread 0 counts
    __syncthreads();
  }
  if (threadIdx.x == 0) gp__publish(gp__words(a.workspace), blockIdx.x, total, 0);
}
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_spine(const gp__scan_args &a) {
  typedef gp_tile_scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  gp__begin<P>();
  gp__word *words = gp__words(a.workspace);
  gp_before<Acc> start = gp__start<Op, Acc>(a);
  for (unsigned first = 0; first < a.blocks; first += P::threads) {
    const unsigned i = first + threadIdx.x;
    gp_before<Acc> within, warps, before = start;
    const Acc x = i < a.blocks ? gp__receive<Acc>(words, i, 0) : Op::identity();
    const Acc total = gp__tile_scan<P::threads>(x, Op(), within, warps, s);
    if (warps.has) before.append(warps.value, Op());
    if (within.has) before.append(within.value, Op());
    if (i < a.blocks && before.has) gp__publish(words, i, before.value, 0);
    start.append(total, Op());
    __syncthreads();
  }
}
// With one block: the whole scan, and no workspace.
template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_downsweep(const gp__scan_args &a) {
  typedef gp__scan_tile<P, EXCLUSIVE, Op, Load, In, Acc, Out> Tile;
  typedef gp_tile_scan_storage<P::threads, Acc> Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__begin<P>();
  const gp__u64 n = gp__count(a);
  const gp__scan_share<Tile::TILE> share(n);
  gp_before<Acc> prefix = gp__start<Op, Acc>(a);
  if (gridDim.x > 1 && (prefix.has || blockIdx.x > 0)) { // before block 0 there may be nothing
    prefix.value = gp__receive<Acc>(gp__words(a.workspace), blockIdx.x, 0);
    prefix.has = true;
  }
  for (gp__u64 t = share.first; t < share.end; ++t) {
    const Tile tile(shared, t * Tile::TILE, n);
    tile.load(static_cast<const In *>(a.in), n);
    __syncthreads();
    gp_before<Acc> within, warps, carry = prefix;
    const Acc total = gp__tile_scan<P::threads>(tile.fold(), Op(), within, warps, s);
    prefix.append(total, Op());
    if (warps.has) carry.append(warps.value, Op());
    if (within.has) carry.append(within.value, Op());
    tile.scan(carry);
    __syncthreads();
    tile.store(static_cast<Out *>(a.out), n);
    __syncthreads();
  }
}

#if defined(GPUPRIMS_SIMT) || GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0

// One pass, persistent blocks, compute capability 9.0. Tiles stream through `stages` buffers of shared memory, moved by
// bulk copies; the warps of a block have four roles that meet at barriers in shared memory, never at a barrier of the
// block:
//    computing warps   fold tiles as soon as they have arrived, so that aggregates are published early; scan a tile in
//                      place when what stands before it is known
//    publishing warp   publishes each tile's aggregate, and waits for nobody but the fold
//    look-back warp    finds each tile's prefix, while tiles before it are scanned
//    copying warp      draws tickets, loads tiles, stores them when they are scanned
// A tile is a range of 16-byte vectors of the input: where the input is misaligned, tile 0 begins before element 0.
template <int STAGES, int WARPS, class Acc> struct gp__pipeline_storage {
  gp__u64 loaded[STAGES];    // the tile and its ticket are there (the copying warp, and the bytes of the copy)
  gp__u64 folded[STAGES];    // the warps' totals are there (each computing warp)
  gp__u64 published[STAGES]; // the warps' prefixes and the aggregate are there (the publishing warp)
  gp__u64 carried[STAGES];   // what stands before the tile is there (the look-back warp)
  gp__u64 scanned[STAGES];   // the results are there (each computing warp)
  gp__ticket ticket[STAGES];
  Acc warp_total[STAGES][WARPS]; // then: inclusive prefixes over the warps
  gp_before<Acc> before[STAGES];
};

template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out> struct gp__scan_pipeline {
  static const int ITEMS = 16 * P::vectors / int(sizeof(In)), TILE = P::threads * ITEMS;
  static const int BYTES = TILE * int(sizeof(In)), WARPS = P::threads / 32, STAGES = P::stages;
  typedef gp__pipeline_storage<STAGES, WARPS, Acc> Storage;

  Storage &s;
  unsigned char *shared;   // STAGES tiles
  const unsigned char *in; // the 16-byte boundary at or before the input
  unsigned char *out;      // as far before the output
  gp__u64 skipped;         // elements between `in` and element 0
  gp__u64 end;             // skipped + count
  unsigned tiles;

  GP_DEVICE bool same_alignment() const { return gp__misalignment(out, 16) == 0; }
  // The elements of a tile, counted from `in`, that exist.
  GP_DEVICE gp__u64 first_of(unsigned tile) const { return tile ? static_cast<gp__u64>(tile) * TILE : skipped; }
  GP_DEVICE gp__u64 end_of(unsigned tile) const {
    const gp__u64 e = (static_cast<gp__u64>(tile) + 1) * TILE;
    return e < end ? e : end;
  }

  // ---- the copying warp (one thread of it)

  // The bytes of a tile that are whole vectors go by bulk copy; fewer than 16 on either side go one by one.
  struct Range {
    unsigned begin, bulk_begin, bulk_end, end; // bytes from the start of the tile
  };
  GP_DEVICE Range range_of(unsigned tile) const {
    const gp__u64 origin = static_cast<gp__u64>(tile) * TILE;
    Range r;
    r.begin = static_cast<unsigned>((first_of(tile) - origin) * sizeof(In));
    r.end = static_cast<unsigned>((end_of(tile) - origin) * sizeof(In));
    r.bulk_begin = (r.begin + 15u) & ~15u;
    r.bulk_end = r.end & ~15u;
    if (r.bulk_begin >= r.bulk_end) r.bulk_begin = r.bulk_end = r.end;
    return r;
  }
  // Each block draws `stages` tickets at its start, and one more for each tile that it had.
  GP_DEVICE gp__ticket draw(void *workspace) const {
    return gp__draw(workspace, static_cast<gp__u64>(tiles) + static_cast<gp__u64>(gridDim.x) * STAGES);
  }
  GP_DEVICE void load(int stage, const gp__ticket &ticket) const {
    s.ticket[stage] = ticket;
    if (ticket.number >= tiles) {
      gp__mbarrier_arrive(&s.loaded[stage]);
      return;
    }
    const Range r = range_of(ticket.number);
    const unsigned char *from = in + static_cast<gp__u64>(ticket.number) * BYTES;
    unsigned char *to = shared + stage * BYTES;
    for (unsigned i = r.begin; i < r.bulk_begin; ++i) to[i] = from[i];
    for (unsigned i = r.bulk_end; i < r.end; ++i) to[i] = from[i];
    gp__mbarrier_arrive_expect(&s.loaded[stage], r.bulk_end - r.bulk_begin);
    if (r.bulk_begin < r.bulk_end)
      gp__bulk_load(to + r.bulk_begin, from + r.bulk_begin, r.bulk_end - r.bulk_begin, &s.loaded[stage]);
  }
  GP_DEVICE void store(int stage, unsigned tile) const {
    const Range r = range_of(tile);
    const unsigned char *from = shared + stage * BYTES;
    unsigned char *to = out + static_cast<gp__u64>(tile) * BYTES;
    if (r.bulk_begin < r.bulk_end) gp__bulk_store(to + r.bulk_begin, from + r.bulk_begin, r.bulk_end - r.bulk_begin);
    gp__bulk_commit();
    for (unsigned i = r.begin; i < r.bulk_begin; ++i) to[i] = from[i];
    for (unsigned i = r.bulk_end; i < r.end; ++i) to[i] = from[i];
  }
  GP_DEVICE void copy(void *workspace) const {
    for (int stage = 0; stage < STAGES; ++stage) load(stage, draw(workspace));
    unsigned round = 0;
    for (;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) break;
      gp__mbarrier_wait(&s.scanned[stage], round / STAGES & 1u);
      if (same_alignment()) store(stage, tile);
      if (round == 0) continue;
      gp__bulk_wait_read<1>(); // the tile of the round before has left its buffer
      load(int((round - 1) % STAGES), draw(workspace));
    }
    if (round > 0) draw(workspace); // for the last tile
    gp__bulk_wait();
  }

  // ---- the publishing warp and the look-back warp

  GP_DEVICE gp__look_back<Acc, Op> look_back_of(int stage, const gp__scan_args &a) const {
    return {gp__words(a.workspace), tiles, s.ticket[stage].tag, gp__start<Op, Acc>(a), false};
  }
  GP_DEVICE void publish(const gp__scan_args &a) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      gp__mbarrier_wait(&s.loaded[stage], round / STAGES & 1u);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) return;
      gp__mbarrier_wait(&s.folded[stage], round / STAGES & 1u);
      const Acc totals =
          gp_warp_inclusive_scan(gp_lane() < WARPS ? s.warp_total[stage][gp_lane()] : Op::identity(), Op());
      if (gp_lane() == WARPS - 1) look_back_of(stage, a).publish_aggregate(tile, totals);
      if (gp_lane() < WARPS) s.warp_total[stage][gp_lane()] = totals;
      __syncwarp();
      if (gp_lane() == 0) gp__mbarrier_arrive(&s.published[stage]);
    }
  }
  GP_DEVICE void look_back(const gp__scan_args &a) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      gp__mbarrier_wait(&s.loaded[stage], round / STAGES & 1u);
      const unsigned tile = s.ticket[stage].number;
      if (tile >= tiles) return;
      gp__mbarrier_wait(&s.published[stage], round / STAGES & 1u);
      const gp_before<Acc> before = look_back_of(stage, a)(tile, s.warp_total[stage][WARPS - 1]);
      if (gp_lane() == 0) {
        s.before[stage] = before;
        gp__mbarrier_arrive(&s.carried[stage]);
      }
    }
  }

  // ---- a computing warp

  // The part of this thread's chunk that exists.
  GP_DEVICE void part(unsigned tile, int &begin, int &chunk_end) const {
    const gp__u64 origin = static_cast<gp__u64>(tile) * TILE + threadIdx.x * ITEMS;
    const gp__u64 first = first_of(tile), last = end_of(tile);
    begin = first > origin ? (first - origin < ITEMS ? int(first - origin) : ITEMS) : 0;
    chunk_end = last > origin ? (last - origin < ITEMS ? int(last - origin) : ITEMS) : 0;
  }
  GP_DEVICE gp__u64 index_of(unsigned tile) const { // of the chunk's first element; only its lower bits wrap below 0
    return static_cast<gp__u64>(tile) * TILE + threadIdx.x * ITEMS - skipped;
  }
  // Folds the tile of a stage; returns what stands before the thread in its warp (lane 0: nothing).
  GP_DEVICE Acc fold(int stage, unsigned tile) const {
    const unsigned char *chunk = shared + stage * BYTES + threadIdx.x * (ITEMS * sizeof(In));
    Acc sum;
    int begin, chunk_end;
    part(tile, begin, chunk_end);
    if (begin == 0 && chunk_end == ITEMS) sum = gp__chunk_fold<ITEMS, Op, Load, Acc, In>(chunk, index_of(tile));
    else sum = gp__chunk_fold_part<Op, Load, Acc, In>(chunk, index_of(tile), begin, chunk_end);
    const Acc inclusive = gp_warp_inclusive_scan(sum, Op());
    if (gp_lane() == 31) {
      s.warp_total[stage][gp_warp()] = inclusive;
      gp__mbarrier_arrive(&s.folded[stage]);
    }
    return gp_warp_shift_up(inclusive, 1);
  }
  GP_DEVICE void scan(int stage, unsigned tile, const gp_before<Acc> &within) const {
    unsigned char *chunk = shared + stage * BYTES + threadIdx.x * (ITEMS * sizeof(In));
    gp_before<Acc> carry = s.before[stage];
    if (gp_warp() > 0) carry.append(s.warp_total[stage][gp_warp() - 1], Op());
    if (within.has) carry.append(within.value, Op());
    int begin, chunk_end;
    part(tile, begin, chunk_end);
    if (begin == 0 && chunk_end == ITEMS)
      gp__chunk_scan<ITEMS, EXCLUSIVE, Op, Load, Out, In>(chunk, chunk, index_of(tile), carry);
    else gp__chunk_scan_part<EXCLUSIVE, Op, Load, Out, In>(chunk, chunk, index_of(tile), carry, begin, chunk_end);
    gp__bulk_fence(); // before the store, or before the buffer's next load
    __syncwarp();
    if (!same_alignment()) { // the warp stores its own elements
      const gp__u64 origin = static_cast<gp__u64>(tile) * TILE, mine = origin + gp_warp() * (32 * ITEMS);
      const gp__u64 first = first_of(tile) > mine ? first_of(tile) : mine;
      const gp__u64 last = end_of(tile) < mine + 32 * ITEMS ? end_of(tile) : mine + 32 * ITEMS;
      if (first < last) {
        unsigned char *from = shared + stage * BYTES + (mine - origin) * sizeof(In);
        const unsigned skip = static_cast<unsigned>((first - mine) * sizeof(In)) & ~15u; // whole vectors only
        const unsigned ragged = static_cast<unsigned>((first - mine) * sizeof(In)) & 15u;
        unsigned char *to = out + mine * sizeof(Out) + skip;
        const unsigned bytes = static_cast<unsigned>((last - mine) * sizeof(Out)) - skip;
        if (ragged == 0) gp__copy_from_shared<32, P::store>(to, from + skip, bytes, gp_lane());
        else
          for (unsigned i = ragged + gp_lane(); i < bytes; i += 32) to[i] = from[skip + i];
      }
      __syncwarp();
    }
    if (gp_lane() == 0) gp__mbarrier_arrive(&s.scanned[stage]);
  }
  // Folding comes first, as far ahead as tiles have arrived: the earlier an aggregate is published, the less anybody
  // waits for it.
  GP_DEVICE void compute() const {
    Acc within[STAGES];            // of the tiles that are folded and not scanned; the newest last
    unsigned folds = 0, scans = 0; // rounds done
    bool more = true;              // there may be another tile to fold
    while (more || scans < folds) {
      const int fold_stage = int(folds % STAGES), scan_stage = int(scans % STAGES);
      if (more && folds - scans < STAGES && all(gp__mbarrier_peek(&s.loaded[fold_stage], folds / STAGES & 1u))) {
        const unsigned tile = s.ticket[fold_stage].number;
        more = tile < tiles;
        if (more) {
          GPUPRIMS__UNROLL
          for (int i = 0; i + 1 < STAGES; ++i) within[i] = within[i + 1];
          within[STAGES - 1] = fold(fold_stage, tile);
          ++folds;
        }
      } else if (scans < folds && all(gp__mbarrier_peek(&s.carried[scan_stage], scans / STAGES & 1u))) {
        gp_before<Acc> before;
        before.value = within[STAGES - 1];
        before.has = gp_lane() > 0;
        GPUPRIMS__UNROLL
        for (int i = 0; i + 1 < STAGES; ++i)
          if (folds - scans == unsigned(STAGES - i)) before.value = within[i];
        scan(scan_stage, s.ticket[scan_stage].number, before);
        ++scans;
      }
    }
  }
  static GP_DEVICE bool all(bool x) { return __all_sync(0xffffffffu, x) != 0; }
};

template <class P, bool EXCLUSIVE, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__scan_pipelined(const gp__scan_args &a) {
  typedef gp__scan_pipeline<P, EXCLUSIVE, Op, Load, In, Acc, Out> Pipeline;
  typedef typename Pipeline::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  if (threadIdx.x == 0) {
    for (int i = 0; i < P::stages; ++i) {
      gp__mbarrier_init(&s.loaded[i], 1);
      gp__mbarrier_init(&s.folded[i], Pipeline::WARPS);
      gp__mbarrier_init(&s.published[i], 1);
      gp__mbarrier_init(&s.carried[i], 1);
      gp__mbarrier_init(&s.scanned[i], Pipeline::WARPS);
    }
    gp__mbarrier_init_fence();
  }
  __syncthreads();
  gp__begin<P>();
  const gp__u64 n = gp__count(a), skipped = gp__misalignment(a.in, 16) / sizeof(In);
  const Pipeline pipeline = {s,
                             shared,
                             static_cast<const unsigned char *>(a.in) - skipped * sizeof(In),
                             static_cast<unsigned char *>(a.out) - skipped * sizeof(Out),
                             skipped,
                             skipped + n,
                             static_cast<unsigned>(n ? (skipped + n + Pipeline::TILE - 1) / Pipeline::TILE : 0)};
  if (gp_warp() < Pipeline::WARPS) pipeline.compute();
  else if (gp_warp() == Pipeline::WARPS) pipeline.publish(a);
  else if (gp_warp() == Pipeline::WARPS + 1) pipeline.look_back(a);
  else if (gp_lane() == 0) pipeline.copy(a.workspace);
}

#endif // sm_90

// ---- streams: select, partition, runs, by key
//
// One pass over elements, or over pairs of a key and a value. A tile lies in shared memory. A thread works on ITEMS
// consecutive elements at a time, a chunk; a warp on 32 chunks, a group. What a primitive does is its body:
//    Key, Value          what a tile holds (gp__none: nothing)
//    BEFORE, BEHIND      whether keys just outside the tile are looked at
//    Offsets             of what type they are and how they mark heads, or gp__no_offsets
//    State, Join         what is carried from left to right, and the operator on it
//    Kept                what a thread leaves from fold to emit, words of 32 bits; another warp may take it up. By
//                        offsets its first words are the bits of heads, marked before fold
//    SCRATCH             bytes an element that emit needs beside the tile
//    fold<ITEMS, FULL>   what a group comes to, in all lanes; reads the tile only, neighbours' keys included
//    emit<ITEMS, FULL>   results, once it is known what stands before the group: they are compacted in the group's part
//                        of the tile, and go to memory in consecutive addresses
//    finish              the counts: one thread, when all is known
// FULL: all elements of the tile exist, and element 0 of each array stands on a 16-byte boundary. Otherwise elements go
// one by one, and those that do not exist are never looked at.

struct gp__stream_tile {
  unsigned char *keys, *values; // of the tile's element 0, in shared memory
  gp__u64 first, count;         // index of element 0; elements of the whole stream
  int items;                    // elements of the tile
  template <class T> GP_DEVICE T key(int i) const { return *reinterpret_cast<const T *>(keys + i * int(sizeof(T))); }
  // How many of ITEMS elements from i on exist.
  template <int ITEMS> GP_DEVICE int exist(int i) const {
    return items - i < 0 ? 0 : items - i < ITEMS ? items - i : ITEMS;
  }
};

template <class T> struct gp__bytes_of { static const int value = int(sizeof(T)); };
template <> struct gp__bytes_of<gp__none> { static const int value = 0; };

// N consecutive elements of shared memory in registers, by the widest accesses that the address allows. Elements of one
// or two bytes are put together to words where they are loaded one by one: a register holds a word.
template <int BYTES> struct gp__raw { typedef unsigned char type; };
template <> struct gp__raw<2> { typedef unsigned short type; };
template <class T, int N> struct gp__chunk {
  static const int BYTES = N * int(sizeof(T)), VECTORS = BYTES % 16 == 0 ? BYTES / 16 : 0,
                   WORDS = VECTORS == 0 && BYTES % 4 == 0 ? BYTES / 4 : 0;
  union {
    gp_vector vector[VECTORS > 0 ? VECTORS : 1];
    gp__u32 word[(BYTES + 3) / 4];
    T item[N];
  };
  GP_DEVICE gp__chunk() {}
  GP_DEVICE void clear() { // registers that are always written are not kept from tile to tile
    GPUPRIMS__UNROLL
    for (int i = 0; i < (BYTES + 3) / 4; ++i) word[i] = 0;
  }
  GP_DEVICE void load(const unsigned char *p) {
    if (VECTORS) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < VECTORS; ++i) vector[i] = reinterpret_cast<const gp_vector *>(p)[i];
    } else if (WORDS) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < WORDS; ++i) word[i] = reinterpret_cast<const gp__u32 *>(p)[i];
    } else {
      GPUPRIMS__UNROLL
      for (int i = 0; i < N; ++i) item[i] = reinterpret_cast<const T *>(p)[i];
    }
  }
  template <bool FULL> GP_DEVICE void load(const unsigned char *p, int exist) {
    if (FULL) load(p);
    else if (sizeof(T) <= 2 && VECTORS && exist == N) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < VECTORS; ++i) vector[i] = gp__vector_anywhere(p + i * 16);
    } else if (sizeof(T) <= 2 && BYTES % 4 == 0) {
      typedef typename gp__raw<sizeof(T)>::type R;
      const int PER_WORD = 4 / int(sizeof(R));
      GPUPRIMS__UNROLL
      for (int w = 0; w < BYTES / 4; ++w) {
        gp__u32 x = 0;
        GPUPRIMS__UNROLL
        for (int k = 0; k < PER_WORD; ++k)
          if (w * PER_WORD + k < exist)
            x |= static_cast<gp__u32>(reinterpret_cast<const R *>(p)[w * PER_WORD + k]) << (k * 8 * int(sizeof(R)));
        word[w] = x;
      }
    } else {
      clear();
      GPUPRIMS__UNROLL
      for (int i = 0; i < N; ++i)
        if (i < exist) item[i] = reinterpret_cast<const T *>(p)[i];
    }
  }
  template <bool FULL> GP_DEVICE void store(unsigned char *p, int exist) const {
    if (FULL && VECTORS) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < VECTORS; ++i) reinterpret_cast<gp_vector *>(p)[i] = vector[i];
    } else {
      GPUPRIMS__UNROLL
      for (int i = 0; i < N; ++i)
        if (FULL || i < exist) reinterpret_cast<T *>(p)[i] = item[i];
    }
  }
};

// Two counts of a warp's elements in one number.
GP_DEVICE gp__u32 gp__pair(int low, int high) { return static_cast<gp__u32>(low) | static_cast<gp__u32>(high) << 16; }
GP_DEVICE int gp__low(gp__u32 pair) { return int(pair & 0xffffu); }
GP_DEVICE int gp__high(gp__u32 pair) { return int(pair >> 16); }

// One warp: n elements from shared memory to consecutive addresses. 16 bytes at a time where both sides lie alike;
// otherwise elements of fewer than four bytes go by vectors, which are put together.
template <class T, bool SMALL = (sizeof(T) < 4)> struct gp__copy_unlike {
  static GP_DEVICE void run(T *to, const unsigned char *shared, int n) {
    GPUPRIMS__UNROLL_BY(8)
    for (int i = int(gp_lane()); i < n; i += 32) to[i] = reinterpret_cast<const T *>(shared)[i];
  }
};
template <class T> struct gp__copy_unlike<T, true> {
  static GP_DEVICE void run(T *to, const unsigned char *from, int n) {
    unsigned char *out = reinterpret_cast<unsigned char *>(to);
    const int bytes = n * int(sizeof(T)), aligned = int((16 - gp__misalignment(to, 16)) & 15u), lane = int(gp_lane());
    const int head = aligned < bytes ? aligned : bytes, vectors = (bytes - head) / 16, tail = head + vectors * 16;
    if (lane < head) out[lane] = from[lane];
    if (tail + lane < bytes) out[tail + lane] = from[tail + lane]; // fewer than 16
    GPUPRIMS__UNROLL_BY(1)
    for (int i = head + lane * 16; i < tail; i += 32 * 16)
      *reinterpret_cast<gp_vector *>(out + i) = gp__vector_anywhere(from + i);
  }
};
template <class T> struct gp__copy_out {
  static const int V = sizeof(T) < 16 && 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 0; // elements of a vector
  static GP_DEVICE void run(T *to, const unsigned char *shared, int n) {
    const unsigned aligned = (16 - gp__misalignment(to, 16)) & 15u; // bytes before the first vector
    if (V == 0 || gp__misalignment(to, 16) != gp__misalignment(shared, 16) || aligned % sizeof(T)) {
      gp__copy_unlike<T>::run(to, shared, n);
      return;
    }
    const T *from = reinterpret_cast<const T *>(shared);
    const int start = int(aligned / sizeof(T)), head = start < n ? start : n;
    const int vectors = (n - head) / (V ? V : 1), tail = head + vectors * V;
    if (int(gp_lane()) < head) to[gp_lane()] = from[gp_lane()];
    GPUPRIMS__UNROLL_BY(4)
    for (int i = int(gp_lane()); i < vectors; i += 32)
      reinterpret_cast<gp_vector *>(to + head)[i] = reinterpret_cast<const gp_vector *>(from + head)[i];
    if (tail + int(gp_lane()) < n) to[tail + gp_lane()] = from[tail + gp_lane()];
  }
  // Where n results that will go to `to` are best gathered, in room for `room` elements from `at` on.
  static GP_DEVICE unsigned char *alike(const T *to, unsigned char *at, int n, int room) {
    const unsigned shift = (gp__misalignment(to, 16) - gp__misalignment(at, 16)) & 15u;
    return V > 0 && n + V <= room && shift % sizeof(T) == 0 ? at + shift : at;
  }
};

// The marked elements of a group's part of an array, compacted there and copied out behind to[0]. Where they are few,
// each goes by itself.
template <class V> struct gp__compact {
  template <int ITEMS, bool FULL>
  static GP_DEVICE void run(void *to, gp__u64 before, unsigned char *group, const gp__bits<ITEMS> &marks, int rank,
                            int total, int exist, int all) {
    V *out = static_cast<V *>(to) + before;
    unsigned char *mine = group + gp_lane() * (ITEMS * sizeof(V));
    if (!__any_sync(0xffffffffu, marks.count() > 2 + ITEMS / 32)) {
      V *next = out + rank;
      GPUPRIMS__UNROLL
      for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w) {
        GPUPRIMS__UNROLL_BY(1)
        for (gp__u32 left = marks.word[w]; left; left &= left - 1)
          *next++ = reinterpret_cast<const V *>(mine)[w * 32 + __ffs(int(left)) - 1];
      }
      return;
    }
    if (total < all) {
      gp__chunk<V, ITEMS> x;
      x.template load<FULL>(mine, exist);
      __syncwarp();
      group = gp__copy_out<V>::alike(out, group, total, 32 * ITEMS);
      if (FULL && sizeof(V) == 1 && ITEMS % 4 == 0) {
        const gp__byte_gather<ITEMS> gather(group + rank, x.word, marks);
        __syncwarp();
        gather.finish();
      } else {
        V *next = reinterpret_cast<V *>(group) + rank;
        GPUPRIMS__UNROLL
        for (int j = 0; j < ITEMS; ++j)
          if (marks.get(j)) *next++ = x.item[j];
      }
      __syncwarp();
    }
    gp__copy_out<V>::run(out, group, total);
  }
};
template <> struct gp__compact<gp__none> {
  template <int ITEMS, bool FULL>
  static GP_DEVICE void run(void *, gp__u64, unsigned char *, const gp__bits<ITEMS> &, int, int, int, int) {}
};

// Offsets that lie among a tile's elements: a range of them.
struct gp__span {
  gp__u64 begin, end;
};
struct gp__no_offsets {
  static const bool any = false;
  static GP_DEVICE gp__span find(const gp__stream_args &, const gp__stream_tile &) { return gp__span{0, 0}; }
  static GP_DEVICE gp__span take(gp__span &span) { return span; }
  template <int THREADS, int ITEMS>
  static GP_DEVICE void clear(const gp__stream_tile &, gp__u32 *, unsigned, unsigned) {}
  template <int THREADS, int ITEMS>
  static GP_DEVICE void mark(const gp__stream_args &, const gp__stream_tile &, const gp__span &, gp__u32 *, unsigned,
                             unsigned) {}
};

// N counts, added.
template <int N> struct gp__counts { gp__u64 n[N]; };
template <int N> struct gp__count_join {
  static GP_DEVICE gp__counts<N> identity() {
    gp__counts<N> c;
    GPUPRIMS__UNROLL
    for (int i = 0; i < N; ++i) c.n[i] = 0;
    return c;
  }
  GP_DEVICE gp__counts<N> operator()(gp__counts<N> a, const gp__counts<N> &b) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < N; ++i) a.n[i] += b.n[i];
    return a;
  }
  template <int TILE> struct Form { // counts of a tile are below 2^32
    struct Packed {
      gp__u32 n[N];
    };
    static GP_DEVICE Packed pack(const gp__counts<N> &c, gp__u64) {
      Packed p;
      GPUPRIMS__UNROLL
      for (int i = 0; i < N; ++i) p.n[i] = static_cast<gp__u32>(c.n[i]);
      return p;
    }
    static GP_DEVICE gp__counts<N> unpack(const Packed &p, gp__u64) {
      gp__counts<N> c;
      GPUPRIMS__UNROLL
      for (int i = 0; i < N; ++i) c.n[i] = p.n[i];
      return c;
    }
  };
};

// PARTS 1: select. 2, 3: partition. F: the flags' type, or gp__none: what decides is the element itself.
template <class T, class F> struct gp__select_types {
  typedef F Key;
  typedef T Value;
  static GP_DEVICE unsigned char *items(const gp__stream_tile &t) { return t.values; }
  static GP_DEVICE const void *memory(const gp__stream_args &a) { return a.values; }
};
template <class T> struct gp__select_types<T, gp__none> {
  typedef T Key;
  typedef gp__none Value;
  static GP_DEVICE unsigned char *items(const gp__stream_tile &t) { return t.keys; }
  static GP_DEVICE const void *memory(const gp__stream_args &a) { return a.keys; }
};
template <class P, class T> struct gp__holds {
  static GP_DEVICE bool of(const T &x, const gp__value &scalar) { return P()(x, scalar); }
};
template <class T> struct gp__holds<gp__none, T> {
  static GP_DEVICE bool of(const T &, const gp__value &) { return false; }
};
template <int PARTS, class T, class F, class P1, class P2> struct gp__select {
  typedef gp__select_types<T, F> Types;
  typedef typename Types::Key Key;
  typedef typename Types::Value Value;
  typedef gp__no_offsets Offsets;
  static const int N = PARTS == 3 ? 2 : 1, SCRATCH = 0;
  static const bool BEFORE = false, BEHIND = false;
  static const bool BYTES = gp__test_bytes<P1>::is && (PARTS < 3 || gp__test_bytes<P2>::is);
  typedef gp__counts<N> State;
  typedef gp__count_join<N> Join;
  template <int ITEMS> struct Kept {
    gp__bits<ITEMS> holds[N];
    gp__u32 upto; // counts of the group's lanes up to this one: first part, second part
  };

  template <int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i);
    gp__chunk<Key, ITEMS> k;
    k.template load<FULL>(t.keys + i * int(sizeof(Key)), exist);
    GPUPRIMS__UNROLL
    for (int p = 0; p < N; ++p) kept.holds[p].clear();
    if (BYTES && ITEMS % 4 == 0) {
      GPUPRIMS__UNROLL
      for (int w = ITEMS / 4 - 1; w >= 0; --w) {
        const gp__u32 one = gp__test_bytes<P1>::of(k.word[w], a.first);
        kept.holds[0].push(w * 4, one);
        if (PARTS == 3) kept.holds[N - 1].push(w * 4, gp__test_bytes<P2>::of(k.word[w], a.second) & ~one);
      }
      GPUPRIMS__UNROLL
      for (int p = 0; p < N && !FULL; ++p) kept.holds[p].keep(exist);
    } else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < ITEMS; ++j) {
        const bool one = (FULL || j < exist) && gp__holds<P1, Key>::of(k.item[j], a.first);
        kept.holds[0].set(j, one);
        if (PARTS == 3)
          kept.holds[N - 1].set(j, (FULL || j < exist) && !one && gp__holds<P2, Key>::of(k.item[j], a.second));
      }
    }
    const gp__u32 mine = gp__pair(kept.holds[0].count(), PARTS == 3 ? kept.holds[N - 1].count() : 0);
    kept.upto = gp_warp_inclusive_scan(mine, gp_sum<gp__u32>());
    const gp__u32 all = gp_warp_broadcast(kept.upto, 31);
    State s;
    s.n[0] = static_cast<gp__u64>(gp__low(all));
    if (PARTS == 3) s.n[N - 1] = static_cast<gp__u64>(gp__high(all));
    return s;
  }
  template <int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
                             const State &before, unsigned char *) {
    const gp__u64 origin = t.first + first;
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    const gp__u32 mine = gp__pair(kept.holds[0].count(), PARTS == 3 ? kept.holds[N - 1].count() : 0);
    const gp__u32 upto = kept.upto, total = gp_warp_broadcast(upto, 31);
    const int ones = gp__low(total), twos = PARTS == 3 ? gp__high(total) : PARTS == 2 ? all - ones : 0;
    unsigned char *items = Types::items(t) + first * int(sizeof(T));
    if (PARTS == 1) {
      // In place, elements that all stay where they are are not written: the tile behind may be reading the last one.
      if (ones > 0 && !(ones == all && origin == before.n[0] && a.out_values == Types::memory(a)))
        gp__compact<T>::template run<ITEMS, FULL>(a.out_values, before.n[0], items, kept.holds[0], gp__low(upto - mine),
                                                  ones, exist, all);
      return;
    }
    gp__chunk<T, ITEMS> x;
    x.template load<FULL>(items + gp_lane() * (ITEMS * sizeof(T)), exist);
    __syncwarp();
    T *at = reinterpret_cast<T *>(items);
    int rank = gp__low(upto - mine), rank2 = gp__high(upto - mine), others = i - first - rank - rank2;
    const int rest = ones + (PARTS == 3 ? twos : 0); // where those go that nothing holds of
    if (FULL && sizeof(T) == 1 && ITEMS % 4 == 0) {
      typedef gp__byte_gather<ITEMS> Gather;
      gp__bits<ITEMS> neither;
      GPUPRIMS__UNROLL
      for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w)
        neither.word[w] = ~(kept.holds[0].word[w] | kept.holds[N - 1].word[w]);
      neither.keep(ITEMS);
      const Gather one(items + rank, x.word, kept.holds[0]), other(items + rest + others, x.word, neither);
      if (PARTS == 3) {
        const Gather two(items + ones + rank2, x.word, kept.holds[N - 1]);
        __syncwarp();
        two.finish();
      } else __syncwarp();
      one.finish();
      other.finish();
    } else {
      GPUPRIMS__UNROLL
      for (int j = 0; j < ITEMS; ++j) {
        const bool one = kept.holds[0].get(j), two = PARTS == 3 && kept.holds[N - 1].get(j);
        if (!FULL && j >= exist) continue;
        at[one ? rank : two ? ones + rank2 : rest + others] = x.item[j];
        rank += one ? 1 : 0;
        rank2 += two ? 1 : 0;
        others += one || two ? 0 : 1;
      }
    }
    __syncwarp();
    gp__copy_out<T>::run(static_cast<T *>(a.out_values) + before.n[0], items, ones);
    gp__copy_out<T>::run(static_cast<T *>(a.out2) + (PARTS == 2 ? origin - before.n[0] : before.n[N - 1]),
                         items + ones * int(sizeof(T)), twos);
    if (PARTS > 2)
      gp__copy_out<T>::run(static_cast<T *>(a.out3) + (origin - before.n[0] - before.n[N - 1]),
                           items + (ones + twos) * int(sizeof(T)), all - ones - twos);
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64 count, const State &total) {
    a.out_count[0] = total.n[0];
    if (PARTS == 2) a.out_count[1] = count - total.n[0];
    if (PARTS == 3) {
      a.out_count[1] = total.n[N - 1];
      a.out_count[2] = count - total.n[0] - total.n[N - 1];
    }
  }
};

// Where runs begin: at(j) says it of the thread's element j, behind() of the element behind its last (not where there
// is none). Element 0 always begins a run. KNOWN: `heads` has the bits of all of the thread's elements, and of some
// that do not exist. By offsets it has been marked.
template <class K, class E> struct gp__key_heads {
  typedef K Key;
  typedef gp__no_offsets Offsets;
  static const bool BEFORE = true;
  template <int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = gp__compare_bytes<E>::is && ITEMS % 4 == 0;
    gp__chunk<K, ITEMS> k;
    const gp__stream_tile &t;
    int i, exist;
    bool first_head;
    gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &tile, int first, const gp__bits<ITEMS + 1> &)
        : t(tile), i(first + int(gp_lane()) * ITEMS), exist(tile.exist<ITEMS>(i)) {
      k.template load<FULL>(t.keys + i * int(sizeof(K)), exist);
      first_head = (FULL || exist > 0) && (t.first + i == 0 || !E()(t.key<K>(i - 1), k.item[0]));
      if (!KNOWN) return;
      gp__mark_changes<E, ITEMS>(k.word, heads);
      heads.word[0] = (heads.word[0] & ~1u) | (first_head ? 1u : 0u);
    }
    GP_DEVICE bool at(int j) const {
      return KNOWN ? heads.get(j) : j == 0 ? first_head : (FULL || j < exist) && !E()(k.item[j - 1], k.item[j]);
    }
    GP_DEVICE bool behind() const {
      return (FULL || exist == ITEMS) && t.first + i + ITEMS < t.count && !E()(k.item[ITEMS - 1], t.key<K>(i + ITEMS));
    }
  };
};
template <class F> struct gp__flag_heads {
  typedef F Key;
  typedef gp__no_offsets Offsets;
  static const bool BEFORE = false;
  template <int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = sizeof(F) == 1 && ITEMS % 4 == 0;
    gp__chunk<F, ITEMS> k;
    const gp__stream_tile &t;
    int i, exist;
    gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &tile, int first, const gp__bits<ITEMS + 1> &)
        : t(tile), i(first + int(gp_lane()) * ITEMS), exist(tile.exist<ITEMS>(i)) {
      k.template load<FULL>(t.keys + i * int(sizeof(F)), exist);
      if (!KNOWN) return;
      heads.clear();
      GPUPRIMS__UNROLL
      for (int w = ITEMS / 4 - 1; w >= 0; --w) heads.push(w * 4, gp__bytes_differ(k.word[w], 0));
      if (t.first + i == 0 && exist > 0) heads.word[0] |= 1u;
    }
    GP_DEVICE bool at(int j) const {
      return KNOWN ? heads.get(j) : (FULL || j < exist) && (k.item[j] != F(0) || (j == 0 && t.first + i == 0));
    }
    GP_DEVICE bool behind() const {
      return (FULL || exist == ITEMS) && t.first + i + ITEMS < t.count && t.key<F>(i + ITEMS) != F(0);
    }
  };
};

template <class O> struct gp__offset_below {
  const O *offsets;
  gp__u64 value[2];
  GP_DEVICE bool operator()(int n, gp__u64 position) const {
    return static_cast<gp__u64>(offsets[position]) < value[n];
  }
};
// The range of offsets[0 .. end) from the first that is not below value[0] to the first that is not below value[1], and
// a few outside where that saves a step. One warp, from guesses: the first look is at distances 1, 2, 3, 4, 16, 64, ...
// to both sides of them.
template <class O>
GP_DEVICE gp__span gp__search_near(gp__u64 end, const gp__offset_below<O> &below, const gp__u64 (&guess)[2]) {
  const gp__u64 ENOUGH = 48;
  const int lane = int(gp_lane()), d = lane < 16 ? 15 - lane : lane - 16;
  const gp__u64 far = d < 4 ? gp__u64(d + 1) : 1ull << (2 * (d - 2));
  bool holds[2];
  gp__u64 first[2], count[2], more[2];
  GPUPRIMS__UNROLL
  for (int n = 0; n < 2; ++n) { // probes rise with the lane, and hold up to some lane
    const gp__u64 probe = lane < 16 ? guess[n] - far : guess[n] + far - 1;
    holds[n] = lane < 16 && far > guess[n] ? true : probe < end && below(n, probe);
  }
  GPUPRIMS__UNROLL
  for (int n = 0; n < 2; ++n) {
    const int up_to = __popc(__ballot_sync(0xffffffffu, holds[n]));
    const gp__u64 low = lane >= 16 ? guess[n] + far : far > guess[n] ? 0 : guess[n] - far + 1; // behind the probe
    first[n] = up_to > 0 ? gp_warp_broadcast(low, up_to - 1) : 0;
    const gp__u64 high = up_to < 32 ? gp_warp_broadcast(low, up_to) - 1 : end;
    count[n] = (high < end ? high : end) - first[n];
    more[n] = count[n] <= ENOUGH ? count[n] : 0;
    count[n] -= more[n];
  }
  gp__warp_search(first, count, below);
  return gp__span{first[0], first[1] + more[1]};
}

// Heads by offsets. One warp finds those of a tile; it and others walk them, and set bit j % 32 of word j / 32 of a
// thread for its element j. Word w of thread i is marks[w * THREADS + i].
template <class O> struct gp__offset_marks {
  typedef typename gp__traits<O>::wide Number;
  static const bool any = true;
  static const int V = 16 / int(sizeof(O)), WINDOW = 32 * V, BATCH = 5; // vectors of a lane in flight

  // Segments of one length are where they are expected; of others not far from there.
  static GP_DEVICE gp__span find(const gp__stream_args &a, const gp__stream_tile &t) {
    const gp__offset_below<O> below = {static_cast<const O *>(a.offsets), {t.first, t.first + gp__u64(t.items)}};
    const double density = static_cast<double>(a.segments) / static_cast<double>(t.count);
    gp__u64 guess[2];
    GPUPRIMS__UNROLL
    for (int n = 0; n < 2; ++n) {
      guess[n] = static_cast<gp__u64>(static_cast<double>(below.value[n]) * density);
      if (guess[n] > a.segments) guess[n] = a.segments;
    }
    return gp__search_near(a.segments + 1, below, guess);
  }
  // What one warp takes of a span, and leaves.
  static GP_DEVICE gp__span take(gp__span &span) {
    const gp__u64 few = 2 * BATCH * WINDOW, begin = span.begin;
    span.begin = span.end - begin > few ? begin + few : span.end;
    return gp__span{begin, span.begin};
  }
  // Thread `thread` of `threads`: no heads but the first of all.
  template <int THREADS, int ITEMS>
  static GP_DEVICE void clear(const gp__stream_tile &t, gp__u32 *marks, unsigned thread, unsigned threads) {
    for (unsigned i = thread; i < unsigned(THREADS * gp__bits<ITEMS + 1>::WORDS); i += threads)
      marks[i] = i == 0 && t.first == 0 ? 1u : 0u;
  }
  // The element at an offset as word and bit; word ~0u: it is not of the tile.
  template <int THREADS, int ITEMS> struct Place {
    gp__u32 word, bit;
    GP_DEVICE Place(const O &offset, const gp__stream_tile &t) {
      const Number element = static_cast<Number>(offset) - static_cast<Number>(t.first);
      const gp__u32 i = static_cast<gp__u32>(element), j = i % ITEMS;
      word = element < static_cast<Number>(t.items) ? i / ITEMS + j / 32 * THREADS : ~0u;
      bit = 1u << (j % 32);
    }
  };
  // Warp `warp` of `warps`: windows `warp`, `warp` + `warps`, ... of the span, from a 16-byte boundary on. Offsets of
  // other tiles may be among them.
  template <int THREADS, int ITEMS>
  static GP_DEVICE void mark(const gp__stream_args &a, const gp__stream_tile &t, const gp__span &span, gp__u32 *marks,
                             unsigned warp, unsigned warps) {
    typedef Place<THREADS, ITEMS> At;
    typedef long long Position; // of a lane's vector; below 0 before the first whole one
    if (span.begin >= span.end) return;
    const O *offsets = static_cast<const O *>(a.offsets);
    const gp__u64 shift = gp__misalignment(offsets, 16) / sizeof(O);
    const Position start = Position((span.begin + shift) / V * V - shift), end = Position(span.end);
    const Position whole = Position((a.segments + 1 + shift) / V * V - shift), stop = end < whole ? end : whole;
    const gp__u64 windows = gp__u64(end - start + WINDOW - 1) / WINDOW;
    if (warp == 0 && (start < 0 || stop < end)) { // no whole vectors at the ends of the array
      const Position at = int(gp_lane()) < V ? Position(gp_lane()) : whole + (int(gp_lane()) - V);
      if (int(gp_lane()) < 2 * V && at >= 0 && at < end) {
        const At one(offsets[at], t);
        if (one.word != ~0u) atomicOr(&marks[one.word], one.bit);
      }
    }
    for (gp__u64 w = warp; w < windows;) {
      const Position lane = start + Position(w * WINDOW) + int(gp_lane()) * V;
      gp__chunk<O, V> x[BATCH];
      GPUPRIMS__UNROLL
      for (int u = 0; u < BATCH; ++u) {
        const Position at = lane + u * int(warps) * WINDOW;
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) x[u].item[j] = static_cast<O>(t.first - 1); // not of the tile
        if (at >= 0 && at < stop) x[u].vector[0] = gp__load_vector<GP_CACHE_ALL>(offsets + at);
      }
      GPUPRIMS__UNROLL
      for (int u = 0; u < BATCH; ++u) {
        if (u > 0 && w + u * warps >= windows) break;
        gp__u32 word = ~0u, bits = 0; // neighbours in a lane go together
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) {
          const At one(x[u].item[j], t);
          if (one.word != word && word != ~0u) atomicOr(&marks[word], bits);
          bits = (one.word == word ? bits : 0u) | one.bit;
          word = one.word;
        }
        if (word != ~0u) atomicOr(&marks[word], bits);
      }
      const gp__u64 next = w + BATCH * warps;
      const O low = gp_warp_broadcast(x[0].item[0], 0), high = gp_warp_broadcast(x[BATCH - 1].item[V - 1], 31);
      if (next < windows && low == high) { // many empty segments at one place: leap
        const gp__u64 seen = gp__u64(start) + (next - warps + 1) * WINDOW, beyond = static_cast<gp__u64>(high) + 1;
        gp__u64 from[1] = {seen}, count[1] = {span.end - seen};
        gp__warp_search(from, count, gp__offset_below<O>{offsets, {beyond, 0}});
        const gp__u64 found = (from[0] - gp__u64(start)) / WINDOW;
        w = found + (warp + warps - static_cast<unsigned>(found % warps)) % warps;
      } else w = next;
    }
  }
};

template <class O> struct gp__offset_heads {
  typedef gp__none Key;
  typedef gp__offset_marks<O> Offsets;
  static const bool BEFORE = false;
  template <int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = true;
    const gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &, int, const gp__bits<ITEMS + 1> &marked)
        : heads(marked) {}
    GP_DEVICE bool at(int j) const { return heads.get(j); }
    GP_DEVICE bool behind() const { return false; } // nobody asks
  };
};
template <class Heads, int ITEMS, bool FULL, bool BEHIND>
GP_DEVICE gp__bits<ITEMS + 1> gp__mark(const gp__stream_args &a, const gp__stream_tile &t, int first) {
  typedef typename Heads::template Marks<ITEMS, FULL> Marks;
  gp__bits<ITEMS + 1> heads;
  heads.clear();
  const Marks marks(a, t, first, heads);
  if (Marks::KNOWN) {
    heads = marks.heads;
    if (!FULL) heads.keep(t.exist<ITEMS>(first + int(gp_lane()) * ITEMS));
  } else {
    GPUPRIMS__UNROLL
    for (int j = 0; j < ITEMS; ++j) heads.set(j, marks.at(j));
  }
  if (BEHIND) heads.set(ITEMS, marks.behind());
  return heads;
}
// Ends of runs: bit j where element j + 1 begins one, or is not there any more.
template <int ITEMS>
GP_DEVICE gp__bits<ITEMS> gp__ends(const gp__bits<ITEMS + 1> &heads, const gp__stream_tile &t, int i) {
  gp__bits<ITEMS> ends;
  GPUPRIMS__UNROLL
  for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w)
    ends.word[w] = heads.word[w] >> 1 | (w + 1 < gp__bits<ITEMS + 1>::WORDS ? heads.word[w + 1] << 31 : 0u);
  const int exist = t.exist<ITEMS>(i);
  if (exist > 0 && t.first + i + exist == t.count) { // the last of all; nothing stands behind it
    GPUPRIMS__UNROLL
    for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w)
      if ((exist - 1) / 32 == w) ends.word[w] |= 1u << ((exist - 1) % 32);
  }
  return ends;
}

// Unique, run lengths, runs of two or more. V: what goes along with a key, Length: type of lengths and positions.
struct gp__run_state {
  gp__u64 runs; // those counted
  gp__u64 last; // 1 + where the last run began, 0: none did
};
struct gp__run_join {
  static GP_DEVICE gp__run_state identity() { return gp__run_state{0, 0}; }
  GP_DEVICE gp__run_state operator()(const gp__run_state &a, const gp__run_state &b) const {
    return gp__run_state{a.runs + b.runs, b.last ? b.last : a.last};
  }
  template <int TILE> struct Form { // `last` counted from the tile's first element
    struct Packed {
      gp__u32 runs, last;
    };
    static GP_DEVICE Packed pack(const gp__run_state &s, gp__u64 tile) {
      return Packed{static_cast<gp__u32>(s.runs), s.last ? static_cast<gp__u32>(s.last - tile * TILE) : 0u};
    }
    static GP_DEVICE gp__run_state unpack(const Packed &p, gp__u64 tile) {
      return gp__run_state{p.runs, p.last ? p.last + tile * TILE : 0};
    }
  };
};
// x of the nearest lane before this one where `has`, otherwise `none`; the same of the last of all lanes.
GP_DEVICE int gp__nearest_before(bool has, int x, int none) {
  const unsigned before = __ballot_sync(0xffffffffu, has) & ((1u << gp_lane()) - 1u);
  const int found = __shfl_sync(0xffffffffu, x, before ? 31 - __clz(int(before)) : 0);
  return before ? found : none;
}
GP_DEVICE int gp__last_of(bool has, int x, int none) {
  const unsigned there = __ballot_sync(0xffffffffu, has);
  const int found = __shfl_sync(0xffffffffu, x, there ? 31 - __clz(int(there)) : 0);
  return there ? found : none;
}
template <int ITEMS> GP_DEVICE gp__bits<ITEMS> gp__first_bits(const gp__bits<ITEMS + 1> &b) {
  gp__bits<ITEMS> r;
  GPUPRIMS__UNROLL
  for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w) r.word[w] = b.word[w];
  if (ITEMS % 32) r.word[ITEMS / 32] &= (1u << (ITEMS % 32)) - 1u;
  return r;
}
template <class L> struct gp__length { typedef L type; };
template <> struct gp__length<gp__none> { typedef gp__u32 type; }; // never stored
// How many runs end in the lanes before this one, where `heads_before` begin there, and in all. An end stands before
// each head, and behind the last of all elements.
template <int ITEMS> struct gp__end_ranks {
  int before, all;
  GP_DEVICE gp__end_ranks(const gp__bits<ITEMS + 1> &heads, int heads_before, int heads_all, const gp__stream_tile &t,
                          int first) {
    const int exist = t.exist<32 * ITEMS>(first), own = int(heads.word[0] & 1u), lead = gp_warp_broadcast(own, 0);
    const int behind = gp_warp_broadcast(heads.get(ITEMS) ? 1 : 0, 31);
    before = heads_before - lead + own;
    all = heads_all - lead + behind + (exist > 0 && t.first + first + exist == t.count ? 1 : 0);
  }
};
template <int WHAT, class Heads, class V, class Length> struct gp__runs {
  typedef typename gp__length<Length>::type L;
  typedef typename Heads::Key Key;
  typedef V Value;
  typedef typename Heads::Offsets Offsets;
  static const int SCRATCH = 0;
  static const bool LENGTHS = WHAT != GP_UNIQUE && gp__bytes_of<Length>::value > 0;
  static const bool BEFORE = Heads::BEFORE, BEHIND = WHAT != GP_UNIQUE;
  typedef gp__run_state State;
  typedef gp__run_join Join;
  template <int ITEMS> struct Kept {
    gp__bits<ITEMS + 1> heads;
    gp__u32 upto; // runs that count, in the group's lanes up to this one
  };

  // Runs that count: where they begin, or (two or more elements) where they end.
  template <int ITEMS>
  static GP_DEVICE gp__bits<ITEMS> counted(const gp__bits<ITEMS + 1> &heads, const gp__stream_tile &t, int i) {
    const gp__bits<ITEMS> h = gp__first_bits<ITEMS>(heads);
    if (WHAT != GP_NONTRIVIAL_RUNS) return h;
    gp__bits<ITEMS> e = gp__ends<ITEMS>(heads, t, i);
    GPUPRIMS__UNROLL
    for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w) e.word[w] &= ~h.word[w];
    return e;
  }
  // 1 + the last head of the thread's elements, counted from the group's first; 0: it has none.
  template <int ITEMS> static GP_DEVICE int last_head(const gp__bits<ITEMS> &h) {
    int last = 0;
    GPUPRIMS__UNROLL
    for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w)
      if (h.word[w]) last = int(gp_lane()) * ITEMS + w * 32 + 32 - __clz(int(h.word[w]));
    return last;
  }
  template <int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    kept.heads = gp__mark<Heads, ITEMS, FULL, BEHIND>(a, t, first);
    const int mine = counted<ITEMS>(kept.heads, t, first + int(gp_lane()) * ITEMS).count();
    kept.upto = static_cast<gp__u32>(gp_warp_inclusive_scan(mine, gp_sum<int>()));
    const int last = last_head<ITEMS>(gp__first_bits<ITEMS>(kept.heads)), newest = gp__last_of(last > 0, last, 0);
    return gp__run_state{static_cast<gp__u64>(gp_warp_broadcast(kept.upto, 31)), newest ? t.first + first + newest : 0};
  }
  template <int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
                             const State &before, unsigned char *) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    const gp__bits<ITEMS> marks = counted<ITEMS>(kept.heads, t, i);
    const int rank = int(kept.upto) - marks.count(), total = int(gp_warp_broadcast(kept.upto, 31));
    if (WHAT != GP_NONTRIVIAL_RUNS && a.out_keys && total > 0) { // in place: see gp__select
      const bool stays = total == all && t.first + first == before.runs;
      if (!stays || a.out_keys != a.keys)
        gp__compact<Key>::template run<ITEMS, FULL>(a.out_keys, before.runs, t.keys + first * int(sizeof(Key)), marks,
                                                    rank, total, exist, all);
      if (!stays || a.out_values != a.values)
        gp__compact<V>::template run<ITEMS, FULL>(a.out_values, before.runs, t.values + first * gp__bytes_of<V>::value,
                                                  marks, rank, total, exist, all);
    }
    if (!LENGTHS || !a.out2) return;
    const gp__bits<ITEMS> heads = gp__first_bits<ITEMS>(kept.heads);
    L *out = static_cast<L *>(a.out2) + before.runs;
    if (WHAT == GP_RUN_LENGTHS) {
      const gp__end_ranks<ITEMS> ends(kept.heads, rank, total, t, first);
      // Of the runs that begin before the group, and end in it or later, one is counted as begun and not ended.
      if (!(gp_warp_broadcast(heads.word[0], 0) & 1u)) --out;
      numbers<ITEMS, false>(out, t, first, heads, gp__ends<ITEMS>(kept.heads, t, i), ends.before, ends.all, before);
    } else {
      numbers<ITEMS, false>(out, t, first, heads, marks, rank, total, before);
      numbers<ITEMS, true>(static_cast<L *>(a.out_values) + before.runs, t, first, heads, marks, rank, total, before);
    }
  }
  // The lengths of runs, or where they begin (PLACES), known where they end (`marks`). They are gathered in the group's
  // part of the keys, as numbers of one byte or two. One that is too large for that goes to memory directly, and leaves
  // 0: that can only be a thread's first, for a chunk has fewer than 256 elements.
  template <int ITEMS, bool PLACES>
  static GP_DEVICE void numbers(L *out, const gp__stream_tile &t, int first, const gp__bits<ITEMS> &heads,
                                const gp__bits<ITEMS> &marks, int rank, int total, const State &before) {
    const int BYTES = PLACES ? 2 : 1, lane_first = int(gp_lane()) * ITEMS;
    unsigned char *group = t.keys + first * int(sizeof(Key)), *mine = group + rank * BYTES;
    const long long origin = static_cast<long long>(t.first) + first;
    // Elements count from the group's first, which is 1. Where the run began that is open before the thread's first:
    const int last = last_head<ITEMS>(heads), earlier = gp__nearest_before(last > 0, last, 0);
    const long long open = earlier ? earlier : static_cast<long long>(before.last) - origin;
    int begin = static_cast<int>(open), head = 32 * ITEMS + 1, end = 0; // the thread's first, if there are any
    GPUPRIMS__UNROLL
    for (int w = gp__bits<ITEMS>::WORDS - 1; w >= 0; --w) {
      if (heads.word[w]) head = lane_first + w * 32 + __ffs(int(heads.word[w]));
      if (marks.word[w]) end = lane_first + w * 32 + __ffs(int(marks.word[w]));
    }
    const bool large = end > 0 && head > end && (PLACES ? open <= 0 : end + 1 - open > 255);
    if (large) out[rank] = static_cast<L>(PLACES ? origin + open - 1 : end + 1 - open);
    if (heads.word[0] & 1u) begin = lane_first + 1;
    unsigned char *next = mine;
    __syncwarp(); // what stood there has been read
    GPUPRIMS__UNROLL
    for (int w = 0; w < gp__bits<ITEMS>::WORDS; ++w) {
      GPUPRIMS__UNROLL_BY(1)
      for (gp__u32 left = marks.word[w]; left; left &= left - 1) {
        const gp__u32 upto = left ^ (left - 1), heads_upto = heads.word[w] & upto;
        if (WHAT == GP_NONTRIVIAL_RUNS && heads_upto) begin = lane_first + w * 32 + 32 - __clz(int(heads_upto));
        end = lane_first + w * 32 + 32 - __clz(int(upto));
        const int number = PLACES ? begin : end + 1 - begin;
        next[0] = static_cast<unsigned char>(number);
        if (PLACES) next[1] = static_cast<unsigned char>(number >> 8);
        next += BYTES;
        begin = end + 1; // at least of all runs
      }
      if (WHAT == GP_NONTRIVIAL_RUNS && heads.word[w]) begin = lane_first + w * 32 + 32 - __clz(int(heads.word[w]));
    }
    GPUPRIMS__UNROLL
    for (int b = 0; b < BYTES; ++b)
      if (large) mine[b] = 0;
    __syncwarp();
    GPUPRIMS__UNROLL_BY(4)
    for (int r = int(gp_lane()); r < total; r += 32) {
      const int number = group[r * BYTES] | (PLACES ? group[r * BYTES + 1] << 8 : 0);
      if (number) out[r] = static_cast<L>(PLACES ? origin + number - 1 : number);
    }
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64, const State &total) { a.out_count[0] = total.runs; }
};

// Scans by key and of segments, reduce by key: a scan that starts anew at each head.
template <class Acc, bool COUNTED> struct gp__segment_state {
  Acc value;     // of the run that is open at the end
  gp__u64 heads; // runs that began
};
template <class Acc> struct gp__segment_state<Acc, false> {
  Acc value;
  gp__u32 heads; // 1: a run began
};
template <class Op, bool COUNTED> struct gp__segment_join {
  typedef typename Op::type Acc;
  typedef gp__segment_state<Acc, COUNTED> State;
  static GP_DEVICE State identity() {
    State s;
    s.value = Op::identity();
    s.heads = 0;
    return s;
  }
  GP_DEVICE State operator()(const State &a, const State &b) const {
    State s;
    s.value = b.heads ? b.value : Op()(a.value, b.value);
    s.heads = COUNTED ? a.heads + b.heads : a.heads | b.heads;
    return s;
  }
  template <int TILE> struct Form { // runs that begin in a tile are below 2^32
    typedef gp__segment_state<Acc, false> Packed;
    static GP_DEVICE Packed pack(const State &s, gp__u64) {
      Packed p;
      p.value = s.value;
      p.heads = static_cast<gp__u32>(s.heads);
      return p;
    }
    static GP_DEVICE State unpack(const Packed &p, gp__u64) {
      State s;
      s.value = p.value;
      s.heads = p.heads;
      return s;
    }
  };
};
// The same in a warp.
template <class Acc> struct gp__open_run {
  Acc value;
  gp__u32 heads;
};
template <class Op> struct gp__open_join {
  typedef gp__open_run<typename Op::type> Run;
  GP_DEVICE Run operator()(const Run &a, const Run &b) const {
    Run r;
    r.value = b.heads ? b.value : Op()(a.value, b.value);
    r.heads = a.heads + b.heads;
    return r;
  }
};
template <class K> struct gp__compact_keys {
  template <int ITEMS, bool FULL>
  static GP_DEVICE void run(const gp__stream_args &a, const gp__stream_tile &t, int first, const gp__bits<ITEMS> &heads,
                            gp__u64 before, int rank, int total, int exist) {
    if (a.out_keys && total > 0)
      gp__compact<K>::template run<ITEMS, FULL>(a.out_keys, before, t.keys + first * int(sizeof(K)), heads, rank, total,
                                                exist, t.exist<32 * ITEMS>(first));
  }
};
template <> struct gp__compact_keys<gp__none> {
  template <int ITEMS, bool FULL>
  static GP_DEVICE void run(const gp__stream_args &, const gp__stream_tile &, int, const gp__bits<ITEMS> &, gp__u64,
                            int, int, int) {}
};
// Heads in the lanes up to this one, where somebody asks.
template <bool COUNTED> struct gp__kept_heads {
  gp__u32 upto;
  GP_DEVICE void keep(gp__u32 n) { upto = n; }
  GP_DEVICE gp__u32 kept() const { return upto; }
};
template <> struct gp__kept_heads<false> {
  GP_DEVICE void keep(gp__u32) {}
  GP_DEVICE gp__u32 kept() const { return 0; }
};
// INIT: args.first comes before the first value of each run.
template <int WHAT, bool INIT, class Heads, class Op, class Load, class In, class Acc, class Out> struct gp__by_key {
  typedef typename Heads::Key Key;
  typedef In Value;
  typedef typename Heads::Offsets Offsets;
  static const bool REDUCE = WHAT == GP_REDUCE_BY_KEY;
  static const int SCRATCH = sizeof(Out) == sizeof(In) ? 0 : int(sizeof(Out)); // else results take the values' place
  static const bool BEFORE = Heads::BEFORE, BEHIND = REDUCE;
  typedef gp__segment_join<Op, REDUCE> Join;
  typedef typename Join::State State;
  typedef gp__open_run<Acc> Run;
  template <int ITEMS> struct Kept : gp__kept_heads<REDUCE> {
    gp__bits<ITEMS + 1> heads;
    gp__u32 before[(sizeof(Acc) + 3) / 4]; // what the lanes before this one leave open
  };
  // Results stand where values of another type stood, whose alignment may be smaller.
  static const bool LOOSE = !SCRATCH && alignof(Out) > alignof(In);
  static GP_DEVICE void put(unsigned char *p, const Out &x) {
    if (!LOOSE) *reinterpret_cast<Out *>(p) = x;
    else {
      gp__shuffled<Out> s;
      s.value = x;
      GPUPRIMS__UNROLL
      for (int b = 0; b < int(sizeof(Out)); ++b) p[b] = reinterpret_cast<const unsigned char *>(&s)[b];
    }
  }

  template <int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i);
    typedef typename Heads::template Marks<ITEMS, FULL> Marks;
    const Marks marks(a, t, first, kept.heads);
    gp__chunk<In, ITEMS> v;
    v.template load<FULL>(t.values + i * int(sizeof(In)), exist);
    const Load load(a);
    const Acc init = gp__value_as<Acc>(a.first);
    Acc run = Op::identity();
    if (Marks::KNOWN) {
      kept.heads = marks.heads;
      if (!FULL) kept.heads.keep(exist);
    } else kept.heads.clear();
    GPUPRIMS__UNROLL
    for (int j = 0; j < ITEMS; ++j) {
      if (!FULL && j >= exist) continue;
      const Acc x = Op::prepare(load(v.item[j], t.first + i + j));
      const bool head = marks.at(j);
      if (!Marks::KNOWN) kept.heads.set(j, head);
      run = head ? (INIT ? Op()(init, x) : x) : j == 0 ? x : Op()(run, x);
    }
    if (BEHIND) kept.heads.set(ITEMS, marks.behind());
    Run mine;
    mine.value = run;
    mine.heads = static_cast<gp__u32>(gp__first_bits<ITEMS>(kept.heads).count());
    const Run upto = gp_warp_inclusive_scan(mine, gp__open_join<Op>());
    gp__shuffled<Acc> before;
    if (sizeof(Acc) % 4) before.word[sizeof(Acc) / 4] = 0;
    before.value = gp_warp_shift_up(upto.value, 1);
    GPUPRIMS__UNROLL
    for (int w = 0; w < int(sizeof(Acc) + 3) / 4; ++w) kept.before[w] = before.word[w];
    kept.keep(upto.heads);
    State s;
    s.value = gp_warp_broadcast(upto.value, 31);
    const gp__u32 heads = gp_warp_broadcast(upto.heads, 31);
    s.heads = REDUCE ? heads : heads != 0;
    return s;
  }
  template <int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
                             const State &before, unsigned char *scratch) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    unsigned char *results = SCRATCH ? scratch : t.values + first * int(sizeof(In)); // of the group
    const Load load(a);
    const Acc init = gp__value_as<Acc>(a.first), start = INIT ? init : Op::identity();
    gp__chunk<In, ITEMS> v;
    v.template load<FULL>(t.values + i * int(sizeof(In)), exist);
    const gp__bits<ITEMS> heads = gp__first_bits<ITEMS>(kept.heads);
    const unsigned with_heads = __ballot_sync(0xffffffffu, heads.count() > 0);
    const int heads_before = int(kept.kept()) - heads.count(); // counted only
    gp__shuffled<Acc> kept_run;
    GPUPRIMS__UNROLL
    for (int w = 0; w < int(sizeof(Acc) + 3) / 4; ++w) kept_run.word[w] = kept.before[w];
    Acc run = gp_lane() == 0                          ? before.value
              : with_heads & ((1u << gp_lane()) - 1u) ? kept_run.value
                                                      : Op()(before.value, kept_run.value);
    gp__bits<ITEMS> ends;
    Out *out = static_cast<Out *>(a.out_values) + (t.first + first);
    unsigned char *next = results;
    int heads_all = 0, results_all = all;
    if (REDUCE) {
      ends = gp__ends<ITEMS>(kept.heads, t, i);
      heads_all = int(gp_warp_broadcast(kept.kept(), 31));
      const gp__end_ranks<ITEMS> ranks(kept.heads, heads_before, heads_all, t, first);
      const bool open = !(gp_warp_broadcast(heads.word[0], 0) & 1u); // the first to end here began before the group
      results_all = ranks.all;
      out = static_cast<Out *>(a.out_values) + (before.heads - (open ? 1 : 0));
      __syncwarp();
      if (!LOOSE) results = gp__copy_out<Out>::alike(out, results, results_all, 32 * ITEMS);
      next = results + ranks.before * int(sizeof(Out));
    }
    gp__chunk<Out, ITEMS> r;
    if (!FULL) r.clear();
    GPUPRIMS__UNROLL
    for (int j = 0; j < ITEMS; ++j) {
      if (!FULL && j >= exist) continue;
      const Acc x = Op::prepare(load(v.item[j], t.first + i + j));
      const bool head = heads.get(j);
      if (WHAT == GP_EXCLUSIVE_SCAN_BY_KEY) r.item[j] = gp_convert<Acc, Out>()(head ? start : run);
      run = head ? (INIT ? Op()(init, x) : x) : Op()(run, x);
      if (WHAT == GP_INCLUSIVE_SCAN_BY_KEY) r.item[j] = gp_convert<Acc, Out>()(run);
      if (REDUCE && ends.get(j)) {
        put(next, gp_convert<Acc, Out>()(run));
        next += sizeof(Out);
      }
    }
    if (!REDUCE) {
      unsigned char *to = results + gp_lane() * (ITEMS * sizeof(Out));
      if (!LOOSE) r.template store<FULL>(to, exist);
      else {
        GPUPRIMS__UNROLL
        for (int j = 0; j < ITEMS; ++j)
          if (FULL || j < exist) put(to + j * int(sizeof(Out)), r.item[j]);
      }
    }
    __syncwarp();
    copy(out, results, results_all);
    if (REDUCE)
      gp__compact_keys<Key>::template run<ITEMS, FULL>(a, t, first, heads, before.heads, heads_before, heads_all,
                                                       exist);
    __syncwarp();
  }
  static GP_DEVICE void copy(Out *to, const unsigned char *from, int n) {
    if (!LOOSE) {
      gp__copy_out<Out>::run(to, from, n);
      return;
    }
    const int bytes = n * int(sizeof(Out));
    for (int b = int(gp_lane()); b < bytes; b += 32) reinterpret_cast<unsigned char *>(to)[b] = from[b];
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64, const State &total) {
    if (REDUCE) a.out_count[0] = total.heads;
  }
};

// ---- streams: the kernels

template <int STAGES, int GROUPS, class State> struct gp__stream_storage {
  gp__u64 drawn[STAGES];     // by offsets: the ticket is there (the copying warp)
  gp__u64 found[STAGES];     // by offsets: they are found, and the first heads marked (the look-back warp)
  gp__u64 marked[STAGES];    // by offsets: all heads are marked (each folding warp)
  gp__u64 loaded[STAGES];    // the tile and its ticket are there (the copying warp, and the bytes of the copies)
  gp__u64 folded[STAGES];    // the groups' totals are there, and what threads keep (each folding warp)
  gp__u64 published[STAGES]; // the groups' prefixes and the aggregate are there (the publishing warp)
  gp__u64 carried[STAGES];   // what stands before the tile is there (the look-back warp)
  gp__u64 emitted[STAGES];   // nobody needs the buffer any more (each emitting warp)
  gp__ticket ticket[STAGES];
  gp__span offsets[STAGES];
  State total[STAGES][GROUPS]; // then: inclusive prefixes over the groups
  State before[STAGES];
};

// What the kernels of a stream share: shapes, and the steps of a warp that folds or emits a group.
template <class P, class Body> struct gp__stream {
  typedef typename Body::Key Key;
  typedef typename Body::Value Value;
  typedef typename Body::State State;
  typedef typename Body::Join Join;
  typedef typename Body::Offsets Offsets;
  static const int KEY = gp__bytes_of<Key>::value, VALUE = gp__bytes_of<Value>::value;
  static const int ITEMS = gp__stream_items(P::vectors, KEY, VALUE), GROUPS = P::threads / 32,
                   TILE = P::threads * ITEMS;
  typedef typename Body::template Kept<ITEMS> Kept;
  static const int VALUES_AT = gp__stream_region_bytes(TILE, KEY);
  static const int KEPT_AT = VALUES_AT + gp__stream_region_bytes(TILE, VALUE);
  static const int KEPT = int(sizeof(Kept)) / 4; // words
  static const int STAGE = KEPT_AT + P::threads * KEPT * 4, SCRATCH = TILE * Body::SCRATCH;

  // A tile in a stage. Element 0 of an array stands as far behind a 16-byte boundary as it does in memory.
  static GP_DEVICE gp__stream_tile tile_in(unsigned char *stage, gp__u64 number, gp__u64 count, unsigned key_offset,
                                           unsigned value_offset) {
    gp__stream_tile t;
    t.first = number * TILE;
    t.count = count;
    t.items = count - t.first < gp__u64(TILE) ? int(count - t.first) : TILE;
    t.keys = stage + (KEY ? GP__STREAM_MARGIN + key_offset : 0);
    t.values = stage + VALUES_AT + GP__STREAM_MARGIN + value_offset;
    return t;
  }
  static GP_DEVICE bool full(const gp__stream_tile &t) {
    return t.items == TILE &&
           ((KEY ? gp__misalignment(t.keys, 16) : 0) | (VALUE ? gp__misalignment(t.values, 16) : 0)) == 0;
  }
  // What the thread's lane keeps of a group: word k of all threads side by side.
  static GP_DEVICE gp__u32 *kept_in(unsigned char *stage, int group) {
    return marks_in(stage) + group * 32 + gp_lane();
  }
  // By offsets: one warp, all threads of a block, warp `warp` of `warps`.
  static GP_DEVICE gp__u32 *marks_in(unsigned char *stage) { return reinterpret_cast<gp__u32 *>(stage + KEPT_AT); }
  // One warp: no heads, then those of the first offsets. Returns what is left of the tile's.
  static GP_DEVICE gp__span mark_first(const gp__stream_args &a, const gp__stream_tile &t, unsigned char *stage) {
    Offsets::template clear<P::threads, ITEMS>(t, marks_in(stage), gp_lane(), 32);
    gp__span span = Offsets::find(a, t);
    const gp__span mine = Offsets::take(span);
    __syncwarp();
    mark(a, t, mine, stage, 0, 1);
    return span;
  }
  static GP_DEVICE void mark(const gp__stream_args &a, const gp__stream_tile &t, const gp__span &span,
                             unsigned char *stage, unsigned warp, unsigned warps) {
    Offsets::template mark<P::threads, ITEMS>(a, t, span, marks_in(stage), warp, warps);
  }
  static GP_DEVICE void fold(const gp__stream_args &a, const gp__stream_tile &t, unsigned char *stage, int group,
                             State *totals) {
    const int first = group * (32 * ITEMS);
    gp__u32 *words = kept_in(stage, group);
    gp__shuffled<Kept> kept;
    if (Offsets::any) {
      GPUPRIMS__UNROLL
      for (int k = 0; k < gp__bits<ITEMS + 1>::WORDS; ++k) kept.word[k] = words[k * P::threads];
    }
    const State s = full(t) ? Body::template fold<ITEMS, true>(a, t, first, kept.value)
                            : Body::template fold<ITEMS, false>(a, t, first, kept.value);
    GPUPRIMS__UNROLL
    for (int k = 0; k < KEPT; ++k) words[k * P::threads] = kept.word[k];
    if (gp_lane() == 0) totals[group] = s;
    __syncwarp(); // lane 0 will say that the warp is done
  }
  // before: what stands before the tile; prefixes: inclusive, over the groups; scratch: of the block.
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, unsigned char *stage, int group,
                             const State &before, const State *prefixes, unsigned char *scratch) {
    const int first = group * (32 * ITEMS);
    const State mine = group > 0 ? Join()(before, prefixes[group - 1]) : before;
    const gp__u32 *words = kept_in(stage, group);
    gp__shuffled<Kept> kept;
    GPUPRIMS__UNROLL
    for (int k = 0; k < KEPT; ++k) kept.word[k] = words[k * P::threads];
    scratch += first * Body::SCRATCH;
    if (full(t)) Body::template emit<ITEMS, true>(a, t, first, kept.value, mine, scratch);
    else Body::template emit<ITEMS, false>(a, t, first, kept.value, mine, scratch);
    if (group == GROUPS - 1 && gp_lane() == 0 && t.first + t.items == t.count)
      Body::finish(a, t.count, Join()(before, prefixes[GROUPS - 1]));
  }
  // Do results go to where elements are read?
  static GP_DEVICE bool in_place(const gp__stream_args &a) {
    return (a.out_keys && a.out_keys == a.keys) ||
           (a.out_values && (a.out_values == a.values || a.out_values == a.keys));
  }
  typedef gp__look_back<State, Join, typename Join::template Form<TILE>> LookBack;
  static GP_DEVICE LookBack look_back(const gp__stream_args &a, gp__u64 tiles, gp__u64 tag) {
    LookBack l = {gp__words(a.workspace), tiles, tag, gp_before<State>(), in_place(a)};
    l.start.value = Join::identity();
    l.start.has = false;
    return l;
  }
  static GP_DEVICE State or_identity(const gp_before<State> &before) {
    return before.has ? before.value : Join::identity();
  }
  // One warp: the groups' totals become inclusive prefixes. Returns the tile's aggregate, to lane GROUPS - 1.
  static GP_DEVICE State prefixes(State *totals) {
    const State s = gp_warp_inclusive_scan(gp_lane() < unsigned(GROUPS) ? totals[gp_lane()] : Join::identity(), Join());
    if (gp_lane() < unsigned(GROUPS)) totals[gp_lane()] = s;
    return s;
  }
  // Is there nothing to do? Offsets that were found wrong (GP_CHECKED), an empty input.
  static GP_DEVICE bool idle(const gp__stream_args &a, gp__u64 count) {
    if (a.bad && *a.bad != ~0ull) return true;
    if (count == 0 && blockIdx.x == 0 && threadIdx.x == 0) Body::finish(a, 0, Join::identity());
    return count == 0;
  }
};

template <class T> struct gp__stream_load { // of a tile, by THREADS threads
  template <class P, int THREADS, bool BEFORE, bool BEHIND>
  static GP_DEVICE void run(unsigned char *to, const void *from, const gp__stream_tile &t, unsigned thread) {
    const unsigned char *in = static_cast<const unsigned char *>(from) + t.first * sizeof(T);
    const unsigned bytes = static_cast<unsigned>(t.items) * unsigned(sizeof(T));
    gp__copy_to_shared<THREADS, 4, P::load>(to, in, bytes, thread);
    if (BEFORE && t.first > 0 && thread < sizeof(T)) (to - sizeof(T))[thread] = (in - sizeof(T))[thread];
    if (BEHIND && t.first + t.items < t.count && thread < sizeof(T)) to[bytes + thread] = in[bytes + thread];
  }
};
template <> struct gp__stream_load<gp__none> {
  template <class P, int THREADS, bool BEFORE, bool BEHIND>
  static GP_DEVICE void run(unsigned char *, const void *, const gp__stream_tile &, unsigned) {}
};

template <class P, class Body> GP_DEVICE void gp__stream_look_back(const gp__stream_args &a) {
  typedef gp__stream<P, Body> S;
  typedef typename S::State State;
  typedef gp__stream_storage<1, S::GROUPS, State> Storage;
  const int LOADERS = S::Offsets::any && S::GROUPS > 1 ? P::threads - 32 : P::threads;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  gp__begin<P>();
  const gp__u64 n = gp__count(a), tiles = (n + S::TILE - 1) / S::TILE;
  if (S::idle(a, n)) return;
  const bool once = tiles <= gridDim.x;
  for (;;) {
    if (threadIdx.x == 0) s.ticket[0] = gp__draw(a.workspace, once ? gridDim.x : tiles + gridDim.x);
    __syncthreads();
    const unsigned number = s.ticket[0].number;
    const gp__u64 tag = s.ticket[0].tag;
    if (number >= tiles) return;
    const gp__stream_tile t = S::tile_in(shared, number, n, 0, 0);
    const bool marks = S::Offsets::any && gp_warp() == 0; // the others load
    if (marks) {
      const gp__span rest = S::mark_first(a, t, shared);
      if (gp_lane() == 0) s.offsets[0] = rest;
    }
    if (!marks || LOADERS == P::threads) {
      const unsigned loader = threadIdx.x % LOADERS;
      gp__stream_load<typename S::Key>::template run<P, LOADERS, Body::BEFORE, Body::BEHIND>(t.keys, a.keys, t, loader);
      gp__stream_load<typename S::Value>::template run<P, LOADERS, false, false>(t.values, a.values, t, loader);
    }
    __syncthreads();
    if (S::Offsets::any && s.offsets[0].begin < s.offsets[0].end) {
      S::mark(a, t, s.offsets[0], shared, gp_warp(), S::GROUPS);
      __syncthreads();
    }
    S::fold(a, t, shared, int(gp_warp()), s.total[0]);
    __syncthreads();
    if (gp_warp() == 0) {
      const State aggregate = gp_warp_broadcast(S::prefixes(s.total[0]), S::GROUPS - 1);
      const typename S::LookBack look_back = S::look_back(a, tiles, tag);
      if (gp_lane() == 0) look_back.publish_aggregate(number, aggregate);
      const gp_before<State> before = look_back(number, aggregate);
      if (gp_lane() == 0) s.before[0] = S::or_identity(before);
    }
    __syncthreads();
    S::emit(a, t, shared, int(gp_warp()), s.before[0], s.total[0], shared + S::STAGE);
    if (once) return;
    __syncthreads();
  }
}

#if defined(GPUPRIMS_SIMT) || GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0

// Persistent blocks whose warps have roles, so that nothing that others wait for stands behind other work: tiles are
// folded and their aggregates published as soon as they have arrived, by warps that do nothing else, and emitted when a
// look-back warp knows what stands before them. P::threads emit; a warp of these to each group.
template <class P, class Body> struct gp__stream_pipeline {
  typedef gp__stream<P, Body> S;
  typedef typename S::State State;
  static const int STAGES = P::stages, GROUPS = S::GROUPS, FOLDS = gp__stream_fold_warps(P::threads);
  typedef gp__stream_storage<STAGES, GROUPS, State> Storage;

  Storage &s;
  unsigned char *shared; // STAGES stages, and what bodies need beside
  const gp__stream_args &a;
  gp__u64 count;
  unsigned tiles;
  bool in_place; // results go to where elements are read

  GP_DEVICE gp__stream_tile tile_of(int stage, unsigned number) const {
    return S::tile_in(shared + stage * S::STAGE, number, count, S::KEY ? gp__misalignment(a.keys, 16) : 0,
                      S::VALUE ? gp__misalignment(a.values, 16) : 0);
  }
  // ---- the copying warp (one thread of it)

  // Bytes from..to of an array that has `bytes`, to their place behind `place`, where byte `from` goes. Whole vectors
  // of the array by bulk copy, whose bytes are returned; fewer than 16 on either side go one by one.
  GP_DEVICE unsigned copy_bytes(unsigned char *place, const void *array, gp__u64 bytes, gp__u64 from, gp__u64 to,
                                gp__u64 *bar, bool bulk) const {
    const unsigned char *base = static_cast<const unsigned char *>(array);
    const gp__u64 shift = gp__misalignment(array, 16);                         // of byte 0
    gp__u64 begin = (from + shift) & ~15ull, end = (to + shift + 15) & ~15ull; // the covering vectors
    if (in_place || begin < shift) begin = (from + shift + 15) & ~15ull;       // of which not all bytes are the array's
    if (in_place || end > bytes + shift) end = (to + shift) & ~15ull;          // or not all stay as they are
    if (begin >= end) begin = end = to + shift;
    if (!bulk) {
      for (gp__u64 i = from; i + shift < begin; ++i) place[i - from] = base[i];
      for (gp__u64 i = end - shift > from ? end - shift : from; i < to; ++i) place[i - from] = base[i];
    } else if (begin < end)
      gp__bulk_load(place + (static_cast<long long>(begin - shift) - static_cast<long long>(from)),
                    base + (begin - shift), static_cast<unsigned>(end - begin), bar);
    return static_cast<unsigned>(end - begin);
  }
  // An array's part of a tile, with its neighbours where the body looks at them.
  GP_DEVICE unsigned copy_array(unsigned char *item0, const void *array, int size, const gp__stream_tile &t,
                                bool before, bool behind, gp__u64 *bar, bool bulk) const {
    const gp__u64 from = t.first * size, to = from + gp__u64(t.items) * size;
    const gp__u64 low = before && t.first > 0 ? from - size : from,
                  high = behind && t.first + t.items < count ? to + size : to;
    return copy_bytes(item0 - (from - low), array, count * size, low, high, bar, bulk);
  }
  GP_DEVICE unsigned copy_tile(const gp__stream_tile &t, gp__u64 *bar, bool bulk) const {
    unsigned bytes = 0;
    if (S::KEY) bytes += copy_array(t.keys, a.keys, S::KEY, t, Body::BEFORE, Body::BEHIND, bar, bulk);
    if (S::VALUE) bytes += copy_array(t.values, a.values, S::VALUE, t, false, false, bar, bulk);
    return bytes;
  }
  GP_DEVICE gp__ticket draw() const { return gp__draw(a.workspace, tiles + gp__u64(gridDim.x) * STAGES); }
  GP_DEVICE void load(int stage, const gp__ticket &ticket) const {
    s.ticket[stage] = ticket;
    if (S::Offsets::any) gp__mbarrier_arrive(&s.drawn[stage]);
    if (ticket.number >= tiles) {
      gp__mbarrier_arrive(&s.loaded[stage]);
      return;
    }
    const gp__stream_tile t = tile_of(stage, ticket.number);
    gp__mbarrier_arrive_expect(&s.loaded[stage], copy_tile(t, &s.loaded[stage], false));
    gp__bulk_fence(); // some bytes of the buffer were stored one by one
    copy_tile(t, &s.loaded[stage], true);
  }
  GP_DEVICE void copy() const {
    for (int stage = 0; stage < STAGES; ++stage) load(stage, draw());
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      if (s.ticket[stage].number >= tiles) return;
      gp__mbarrier_wait(&s.emitted[stage], parity);
      load(stage, draw());
    }
  }

  // ---- the publishing warp and the look-back warp

  GP_DEVICE void publish() const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(&s.loaded[stage], parity);
      const gp__ticket ticket = s.ticket[stage];
      if (ticket.number >= tiles) return;
      gp__mbarrier_wait(&s.folded[stage], parity);
      const State upto = S::prefixes(s.total[stage]);
      if (gp_lane() == unsigned(GROUPS) - 1) S::look_back(a, tiles, ticket.tag).publish_aggregate(ticket.number, upto);
      __syncwarp();
      if (gp_lane() == 0) gp__mbarrier_arrive(&s.published[stage]);
    }
  }
  // A warp for each stage: the look-backs of a block's tiles overlap. By offsets it marks the first heads while the
  // tile is on its way.
  GP_DEVICE void look_back(int stage) const {
    for (unsigned round = static_cast<unsigned>(stage);; round += STAGES) {
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(S::Offsets::any ? &s.drawn[stage] : &s.loaded[stage], parity);
      const gp__ticket ticket = s.ticket[stage];
      if (ticket.number >= tiles) return;
      if (S::Offsets::any) {
        const gp__stream_tile t = tile_of(stage, ticket.number);
        const gp__span rest = S::mark_first(a, t, shared + stage * S::STAGE);
        if (gp_lane() == 0) s.offsets[stage] = rest;
        __syncwarp();
        if (gp_lane() == 0) gp__mbarrier_arrive(&s.found[stage]);
      }
      gp__mbarrier_wait(&s.published[stage], parity);
      const gp_before<State> before = S::look_back(a, tiles, ticket.tag)(ticket.number, s.total[stage][GROUPS - 1]);
      __syncwarp();
      if (gp_lane() == 0) {
        s.before[stage] = S::or_identity(before);
        gp__mbarrier_arrive(&s.carried[stage]);
      }
    }
  }

  // ---- a folding warp: groups `warp`, `warp` + FOLDS, ...

  GP_DEVICE void fold(int warp) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(S::Offsets::any ? &s.drawn[stage] : &s.loaded[stage], parity);
      const unsigned number = s.ticket[stage].number;
      if (number >= tiles) return;
      const gp__stream_tile t = tile_of(stage, number);
      if (S::Offsets::any) {
        gp__mbarrier_wait(&s.found[stage], parity);
        S::mark(a, t, s.offsets[stage], shared + stage * S::STAGE, static_cast<unsigned>(warp), FOLDS);
        __syncwarp();
        if (gp_lane() == 0) gp__mbarrier_arrive(&s.marked[stage]);
        gp__mbarrier_wait(&s.marked[stage], parity);
        gp__mbarrier_wait(&s.loaded[stage], parity);
      }
      GPUPRIMS__UNROLL_BY(1)
      for (int group = warp; group < GROUPS; group += FOLDS)
        S::fold(a, t, shared + stage * S::STAGE, group, s.total[stage]);
      if (gp_lane() == 0) gp__mbarrier_arrive(&s.folded[stage]);
    }
  }

  // ---- an emitting warp

  GP_DEVICE void emit(int group) const {
    for (unsigned round = 0;; ++round) {
      const int stage = int(round % STAGES);
      const unsigned parity = round / STAGES & 1u;
      gp__mbarrier_wait(&s.loaded[stage], parity);
      const unsigned number = s.ticket[stage].number;
      if (number >= tiles) return;
      gp__mbarrier_wait(&s.carried[stage], parity);
      S::emit(a, tile_of(stage, number), shared + stage * S::STAGE, group, s.before[stage], s.total[stage],
              shared + STAGES * S::STAGE);
      gp__bulk_fence(); // before the buffer's next load
      __syncwarp();
      if (gp_lane() == 0) gp__mbarrier_arrive(&s.emitted[stage]);
    }
  }
};

template <class P, class Body> GP_DEVICE void gp__stream_pipelined(const gp__stream_args &a) {
  typedef gp__stream_pipeline<P, Body> Pipeline;
  typedef typename Pipeline::Storage Storage;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  if (threadIdx.x == 0) {
    for (int i = 0; i < P::stages; ++i) {
      gp__mbarrier_init(&s.drawn[i], 1);
      gp__mbarrier_init(&s.found[i], 1);
      gp__mbarrier_init(&s.marked[i], Pipeline::FOLDS);
      gp__mbarrier_init(&s.loaded[i], 1);
      gp__mbarrier_init(&s.folded[i], Pipeline::FOLDS);
      gp__mbarrier_init(&s.published[i], 1);
      gp__mbarrier_init(&s.carried[i], 1);
      gp__mbarrier_init(&s.emitted[i], Pipeline::GROUPS);
    }
    gp__mbarrier_init_fence();
  }
  __syncthreads();
  gp__begin<P>();
  const gp__u64 n = gp__count(a);
  if (Pipeline::S::idle(a, n)) return;
  const Pipeline pipeline = {s,
                             shared,
                             a,
                             n,
                             static_cast<unsigned>((n + Pipeline::S::TILE - 1) / Pipeline::S::TILE),
                             Pipeline::S::in_place(a)};
  const int role = int(gp_warp()) - Pipeline::GROUPS;
  if (role < 0) pipeline.emit(int(gp_warp()));
  else if (role < Pipeline::FOLDS) pipeline.fold(role);
  else if (role == Pipeline::FOLDS) pipeline.publish();
  else if (role <= Pipeline::FOLDS + P::stages) pipeline.look_back(role - Pipeline::FOLDS - 1);
  else if (gp_lane() == 0) pipeline.copy();
}

#endif // sm_90

// ---- segmented reduce
//
// Merge path over elements and segment ends (Merrill and Garland, Merge-based Parallel Sparse Matrix-vector
// Multiplication): every warp of the grid takes the same number of both together, one contiguous range of each,
// whatever the lengths. A warp works alone: it goes through its elements chunk by chunk, the next chunk on its way in
// registers while this one is in shared memory; pipelined, several on their way by bulk copies to a ring of chunks in
// shared memory. Marks say where segments end in the chunk; each lane scans its consecutive elements, anew behind each
// mark; a scan over the lanes brings what stands before a lane to its first mark; results are picked up at the marks
// by lanes that stand for consecutive segments. What is open at the ends of a warp's range is joined in the block, and
// what is open at the ends of a block's range by the block that draws last, in fixed order.

// Where segments end, and where an element lies in the input. `Number` holds begin() and end() modulo its size, and is
// enough for differences within a warp's range. WINDOW: ends of a lane that are loaded together.
template <class O> struct gp__offset_ends {
  typedef gp__u32 Number;
  static const bool direct = true;
  static const int WINDOW = 2;
  const O *offsets;
  gp__u64 segments;
  GP_DEVICE explicit gp__offset_ends(const gp__segment_args &a)
      : offsets(static_cast<const O *>(a.begin)), segments(a.segments) {}
  GP_DEVICE gp__u64 first() const { return offsets[0]; }
  GP_DEVICE gp__u64 last() const { return offsets[segments]; }
  GP_DEVICE gp__u64 end_of(gp__u64 s) const { return offsets[s + 1]; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = offsets[s], to = offsets[s + 1]; }
  GP_DEVICE void move(gp__u64 s) { offsets += s; } // segment s becomes segment 0
  GP_DEVICE Number begin(gp__u64 s) const { return static_cast<Number>(offsets[s]); }
  GP_DEVICE Number end(gp__u64 s) const { return static_cast<Number>(offsets[s + 1]); }
  GP_DEVICE gp__u64 place(gp__u64, gp__u64 element) const { return element; }
};
struct gp__fixed_ends {
  typedef gp__u32 Number;
  static const bool direct = true;
  static const int WINDOW = 1;
  gp__u64 segments, length;
  gp__u32 moved;
  GP_DEVICE explicit gp__fixed_ends(const gp__segment_args &a) : segments(a.segments), length(a.length), moved(0) {}
  GP_DEVICE gp__u64 first() const { return 0; }
  GP_DEVICE gp__u64 last() const { return segments * length; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = s * length, to = from + length; }
  GP_DEVICE void move(gp__u64 s) { moved = begin(s); }
  GP_DEVICE Number begin(gp__u64 s) const { return moved + static_cast<gp__u32>(s) * static_cast<gp__u32>(length); }
  GP_DEVICE Number end(gp__u64 s) const { return begin(s + 1); }
  GP_DEVICE gp__u64 place(gp__u64, gp__u64 element) const { return element; }
};
// Ranges stand side by side in a numbering of their own, which gp__segment_spans has left in the workspace.
template <class O> struct gp__range_ends {
  typedef gp__u64 Number;
  static const bool direct = false;
  static const int WINDOW = 1;
  const gp__word *spans;
  const O *begins, *stops;
  gp__u64 segments;
  GP_DEVICE explicit gp__range_ends(const gp__segment_args &a)
      : spans(gp__words(a.workspace)), begins(static_cast<const O *>(a.begin)), stops(static_cast<const O *>(a.end)),
        segments(a.segments) {}
  GP_DEVICE gp__u64 first() const { return 0; }
  GP_DEVICE gp__u64 last() const { return spans[segments].value; }
  GP_DEVICE gp__u64 end_of(gp__u64 s) const { return spans[s + 1].value; }
  GP_DEVICE void bounds(gp__u64 s, gp__u64 &from, gp__u64 &to) const { from = begins[s], to = stops[s]; }
  GP_DEVICE void move(gp__u64 s) { spans += s; }
  GP_DEVICE Number begin(gp__u64 s) const { return spans[s].value; }
  GP_DEVICE Number end(gp__u64 s) const { return spans[s + 1].value; }
  GP_DEVICE gp__u64 place(gp__u64 s, gp__u64 element) const { return begins[s] + (element - begin(s)); }
};
// How many ends stand among the first diagonal[n] elements and ends.
template <class Ends, int N> struct gp__split_before {
  const Ends &ends;
  const gp__u64 (&diagonal)[N];
  gp__u64 first;
  GP_DEVICE bool operator()(int n, gp__u64 s) const { return ends.end_of(s) - first + s < diagonal[n]; }
};
template <class Ends, int N>
GP_DEVICE void gp__split(const Ends &ends, gp__u64 items, const gp__u64 (&diagonal)[N], gp__u64 (&segment)[N]) {
  gp__u64 count[N];
  GPUPRIMS__UNROLL
  for (int n = 0; n < N; ++n) {
    const gp__u64 least = diagonal[n] > items ? diagonal[n] - items : 0;
    const gp__u64 most = diagonal[n] < ends.segments ? diagonal[n] : ends.segments;
    segment[n] = least < most ? least : most;
    count[n] = most - segment[n];
  }
  gp__warp_search(segment, count, gp__split_before<Ends, N>{ends, diagonal, ends.first()});
}
template <int N>
GP_DEVICE void gp__split(const gp__fixed_ends &ends, gp__u64, const gp__u64 (&diagonal)[N], gp__u64 (&segment)[N]) {
  GPUPRIMS__UNROLL
  for (int n = 0; n < N; ++n) {
    const gp__u64 s = diagonal[n] / (ends.length + 1);
    segment[n] = s < ends.segments ? s : ends.segments;
  }
}

// The split at two diagonals after a first look at the ends, which is on its way before it is known where they begin.
// `rate` of the elements and ends together are expected to be ends. Offsets: half a warp probes at distances 1, 4, 16,
// ... to both sides of where the diagonal is then; the ends of segments of one length lie there.
template <class Ends> struct gp__split_look {
  GP_DEVICE gp__split_look(const Ends &, double, const gp__u64 (&)[2]) {}
  GP_DEVICE void split(const Ends &ends, gp__u64, gp__u64 items, const gp__u64 (&diagonal)[2],
                       gp__u64 (&segment)[2]) const {
    gp__split(ends, items, diagonal, segment);
  }
};
template <class O> struct gp__split_look<gp__offset_ends<O>> {
  typedef gp__offset_ends<O> Ends;
  gp__u64 guess, end; // the lane's
  GP_DEVICE gp__split_look(const Ends &ends, double rate, const gp__u64 (&diagonal)[2]) {
    guess = static_cast<gp__u64>((static_cast<double>(gp_lane() < 16 ? diagonal[0] : diagonal[1]) + 0.5) * rate);
    end = ends.end_of(probe(ends, int(gp_lane() & 15u)));
  }
  GP_DEVICE gp__u64 probe(const Ends &ends, int i) const { // rises with i
    const gp__u64 far = 1u << (2 * (i < 8 ? 7 - i : i - 8));
    const gp__u64 at = i >= 8 ? guess + far - 1 : guess > far ? guess - far : 0;
    return at < ends.segments ? at : ends.segments - 1;
  }
  GP_DEVICE void split(const Ends &ends, gp__u64 first, gp__u64 items, const gp__u64 (&diagonal)[2],
                       gp__u64 (&segment)[2]) const {
    const gp__u64 mine = gp_lane() < 16 ? diagonal[0] : diagonal[1];
    const unsigned before =
        __ballot_sync(0xffffffffu, end - first + probe(ends, int(gp_lane() & 15u)) < mine) >> (gp_lane() & 16u);
    const int probes = __popc(before & 0xffffu);
    gp__u64 low = mine > items ? mine - items : 0, high = mine < ends.segments ? mine : ends.segments;
    if (probes > 0 && low <= probe(ends, probes - 1)) low = probe(ends, probes - 1) + 1;
    if (low > high) low = high; // where offsets decrease
    if (probes < 16 && high > probe(ends, probes)) high = probe(ends, probes);
    const gp__u64 left = high > low ? high - low : 0;
    segment[0] = gp_warp_broadcast(low, 0);
    segment[1] = gp_warp_broadcast(low, 16);
    if (!__ballot_sync(0xffffffffu, left > 0)) return;
    gp__u64 count[2] = {gp_warp_broadcast(left, 0), gp_warp_broadcast(left, 16)};
    gp__warp_search(segment, count, gp__split_before<Ends, 2>{ends, diagonal, first});
  }
};

// What a chunk holds: elements where they lie side by side in the input, otherwise accumulators.
template <class T> struct gp__as_it_is {
  GP_DEVICE T operator()(const T &x, gp__u64) const { return x; }
};
template <bool DIRECT, class Load, class In, class Acc> struct gp__segment_cell {
  typedef In type;
  typedef Load load;
};
template <class Load, class In, class Acc> struct gp__segment_cell<false, Load, In, Acc> {
  typedef Acc type;
  typedef gp__as_it_is<Acc> load;
};

// The marks of V consecutive elements, a byte each.
template <int V> struct gp__marks_access { typedef unsigned char type; };
template <> struct gp__marks_access<2> { typedef unsigned short type; };
template <> struct gp__marks_access<4> { typedef gp__u32 type; };
template <> struct gp__marks_access<8> { typedef gp__u64 type; };
template <> struct gp__marks_access<16> { typedef gp_vector type; };
template <int V> union gp__marks {
  typename gp__marks_access<V>::type access;
  gp__u32 word[(V + 3) / 4];
  GP_DEVICE gp__marks() {}
  GP_DEVICE void take(unsigned char *from) { // and leaves none
    word[0] = 0;
    typedef typename gp__marks_access<V>::type Access;
    access = *reinterpret_cast<Access *>(from);
    *reinterpret_cast<Access *>(from) = Access();
  }
  GP_DEVICE bool at(int i) const { return (word[i / 4] & 1u << (8 * (i % 4))) != 0; }
  GP_DEVICE bool any() const {
    gp__u32 all = 0;
    GPUPRIMS__UNROLL
    for (int w = 0; w < (V + 3) / 4; ++w) all |= word[w];
    return all != 0;
  }
  GP_DEVICE int first() const { // where there is any
    int r = 0;
    GPUPRIMS__UNROLL
    for (int w = (V + 3) / 4 - 1; w >= 0; --w)
      if (word[w]) r = w * 4 + int(unsigned(__ffs(int(word[w])) - 1) / 8);
    return r;
  }
};

// A range of the merge path: what is open at its start, and at its end.
template <class Acc> struct gp__segment_open {
  gp_before<Acc> first, last;
  gp__u64 segment; // the one that is open at the start
  bool ended;      // a segment ends in the range; otherwise `last` is all there is, and `first` means nothing
};
// The same, as a block publishes it.
template <class Acc> struct gp__segment_partial {
  Acc first, last;
  gp__u64 segment; // 8 times that, and a bit each: ended, first, last
};
// Segmented scan over such ranges: the value that is open behind them.
template <class Acc> struct gp__segment_carry {
  gp_before<Acc> open;
  bool ended;
};
template <class Acc, class Op> struct gp__join_carries {
  static GP_DEVICE gp__segment_carry<Acc> identity() {
    gp__segment_carry<Acc> none;
    none.open.value = Op::identity();
    none.open.has = none.ended = false;
    return none;
  }
  GP_DEVICE gp__segment_carry<Acc> operator()(gp__segment_carry<Acc> a, const gp__segment_carry<Acc> &b) const {
    if (b.ended) return b;
    if (b.open.has) a.open.append(b.open.value, Op());
    return a;
  }
};
template <class P, class Op, class Acc> struct gp__segment_storage {
  gp__segment_open<Acc> warp[P::threads / 32];
  gp_tile_scan_storage<P::threads, gp__segment_carry<Acc>> scan;
  gp__ticket ticket;
};

// The result of a segment.
template <class Op, class Out, class Acc> struct gp__segment_result {
  Acc init;
  bool has_init;
  GP_DEVICE explicit gp__segment_result(const gp__segment_args &a)
      : init(Op::prepare(gp__value_as<Acc>(a.init))), has_init(a.has_init != 0) {}
  GP_DEVICE Out operator()(bool has, const Acc &sum) const {
    return gp_convert<Acc, Out>()(has_init ? (has ? Op()(init, sum) : init) : has ? sum : Op::identity());
  }
};

// A warp's chunks of BYTES on their way to shared memory, where each has a place of PLACE bytes. They are requested and
// taken in the same order, at most AHEAD behind the one that was taken last. All lanes call; those that have written to
// a chunk's place say so.
#if defined(GPUPRIMS_SIMT) || GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0
// A ring of STAGES places, filled by bulk copies. A chunk may be requested when all lanes are through with the one that
// is STAGES before it, and have met since then.
template <int STAGES, int LOAD, int BYTES, int PLACE> struct gp__segment_chunks {
  static const int AHEAD = STAGES - 1;
  static const bool EARLY = true; // the next one is requested before this one is taken
  unsigned char *places;
  gp__u64 *loaded; // a barrier a place
  int requested, taken;
  unsigned parity; // of the barriers, in this round of `taken`
  // Barriers lie behind places and marks.
  GP_DEVICE gp__segment_chunks(unsigned char *shared, unsigned char *barriers)
      : places(shared), loaded(reinterpret_cast<gp__u64 *>(barriers)), requested(0), taken(0), parity(0) {
    if (gp_lane() == 0) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < STAGES; ++i) gp__mbarrier_init(loaded + i, 1);
      gp__mbarrier_init_fence();
    }
    __syncwarp();
  }
  // The bytes begin..end-1 from `chunk`, whole vectors; there may be none.
  GP_DEVICE void request(const unsigned char *chunk, unsigned begin, unsigned end) {
    if (gp_lane() == 0) {
      gp__mbarrier_arrive_expect(loaded + requested, begin < end ? end - begin : 0);
      if (begin < end)
        gp__bulk_load(places + requested * PLACE + begin, chunk + begin, end - begin, loaded + requested);
    }
    requested = requested + 1 < STAGES ? requested + 1 : 0;
  }
  GP_DEVICE unsigned char *take() {
    unsigned char *place = places + taken * PLACE;
    gp__mbarrier_wait(loaded + taken, parity);
    if (++taken == STAGES) {
      taken = 0;
      parity ^= 1u;
    }
    return place;
  }
  GP_DEVICE void written() const { gp__bulk_fence(); } // before the place's next copy
};
#else
template <int STAGES, int LOAD, int BYTES, int PLACE> struct gp__segment_chunks;
#endif
// One place; the next chunk waits in registers.
template <int LOAD, int BYTES, int PLACE> struct gp__segment_chunks<0, LOAD, BYTES, PLACE> {
  static const int AHEAD = 1, VECTORS = (BYTES + 511) / 512;
  static const bool EARLY = false;
  unsigned char *place;
  gp_vector ahead[VECTORS];
  GP_DEVICE gp__segment_chunks(unsigned char *shared, unsigned char *) : place(shared) {}
  GP_DEVICE void request(const unsigned char *chunk, unsigned begin, unsigned end) {
    const unsigned char *base = chunk + gp_lane() * 16;
    if (begin == 0 && end == BYTES) {
      GPUPRIMS__UNROLL
      for (int k = 0; k < VECTORS; ++k)
        if (BYTES % 512 == 0 || k * 512u + gp_lane() * 16 < BYTES) ahead[k] = gp__load_vector<LOAD>(base + k * 512);
      return;
    }
    GPUPRIMS__UNROLL
    for (int k = 0; k < VECTORS; ++k) {
      const unsigned x = k * 512u + gp_lane() * 16;
      if (x >= begin && x < end) ahead[k] = gp__load_vector<LOAD>(base + k * 512);
    }
  }
  GP_DEVICE unsigned char *take() const {
    GPUPRIMS__UNROLL
    for (int k = 0; k < VECTORS; ++k)
      if (BYTES % 512 == 0 || k * 512u + gp_lane() * 16 < BYTES)
        *reinterpret_cast<gp_vector *>(place + k * 512 + gp_lane() * 16) = ahead[k];
    return place;
  }
  GP_DEVICE void written() const {}
};

// One warp's range, which has fewer than 2^32 elements and ends (of ranges: fewer than 2^32 ends). All numbers are the
// same in all lanes. STAGES: 0, or of gp__segment_chunks.
template <int STAGES, class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
struct gp__segment_warp {
  typedef typename gp__segment_cell<ENDS::direct, Load, In, Acc>::type Cell;
  typedef typename gp__segment_cell<ENDS::direct, Load, In, Acc>::load CellLoad;
  typedef typename ENDS::Number Number;
  static const int ITEMS = gp__scan_items(P::vectors, int(sizeof(Cell)), int(sizeof(Acc)));
  static const unsigned CHUNK = 32 * ITEMS, SLOT = sizeof(Cell) > sizeof(Acc) ? sizeof(Cell) : sizeof(Acc);
  static const unsigned PLACE = CHUNK * SLOT, PLACES = PLACE * (STAGES ? STAGES : 1), SIZE = sizeof(In);
  static const unsigned BYTES = PLACES + CHUNK + gp__segment_barrier_bytes(STAGES);
  static const int VECTORS = (ITEMS * int(sizeof(Cell)) + 15) / 16;                 // of a lane, when a chunk is loaded
  static const int WINDOW = (STAGES ? 2 : 1) * ENDS::WINDOW, HELD = STAGES ? 4 : 1; // ends of a lane
  typedef gp__segment_chunks<STAGES, P::load, int(CHUNK * sizeof(Cell)), int(PLACE)> Chunks;

  const gp__segment_args &a;
  const ENDS ends;
  unsigned char *cells;  // shared memory of the warp: where the chunk is
  unsigned char *marks;  //
  gp__u64 origin;        // the warp's first segment
  gp__u64 chunk;         // the first element of the chunk, on a 16-byte boundary: may lie before the range
  Number left;           // elements from there to the end of the range
  unsigned from;         // of the chunk: the first element that is the warp's own
  gp__u32 segment, last; // from there: the next segment to end, and the one that is open at the end
  Chunks chunks;         // the next ones
  gp__u32 windowed;      // ends that are held: of segments from there on
  Number behind;         // the end before them
  bool odd;              // by turns in two places, never moved: that would wait for those on their way
  Number even_ends[HELD], odd_ends[HELD];
  gp__u32 newest; // the last 32 ends that were looked at, from there on,
  unsigned slot;  // and the cell at which the lane's one ends; CHUNK: at none

  GP_DEVICE gp__segment_warp(const gp__segment_args &args, const ENDS &e, unsigned char *shared)
      : a(args), ends(e), cells(shared), marks(shared + PLACES), chunks(shared, shared + PLACES + CHUNK) {}

  // ---- elements. from, to: those of the chunk that are the warp's own.

  // May chunks be read by whole vectors: can an element lie on a 16-byte boundary? Mostly its type says so.
  GP_DEVICE bool by_vectors() const {
    const unsigned step = unsigned(gp__common_with_vector(int(SIZE)));
    return ENDS::direct && (alignof(In) % step == 0 || gp__misalignment(a.in, 16) % step == 0);
  }
  GP_DEVICE const unsigned char *address(gp__u64 element) const {
    return static_cast<const unsigned char *>(a.in) + element * SIZE;
  }
  // Is all that vectors of the chunk could touch in the input? It is where all elements of a chunk are the warp's own.
  GP_DEVICE bool inside(gp__u64 at) const {
    const gp__u64 low = reinterpret_cast<gp__u64>(a.in), base = low + at * SIZE;
    return base >= low && base + CHUNK * SIZE <= low + a.count * SIZE;
  }
  // Sets out for the n-th chunk from here, where the range has one. Of the vectors that hold its elements, the first
  // and the last are left out where not all of their bytes are the input's.
  GP_DEVICE void request(unsigned n) {
    if (n > 0 && left <= n * CHUNK) return;
    const gp__u64 at = chunk + n * CHUNK;
    const unsigned first = n > 0 ? 0 : from, to = left - n * CHUNK < CHUNK ? unsigned(left - n * CHUNK) : CHUNK;
    unsigned begin = first * SIZE & ~15u, end = (to * SIZE + 15) & ~15u;
    if (to - first < CHUNK && !inside(at)) {
      const gp__u64 low = reinterpret_cast<gp__u64>(a.in), start = low + at * SIZE;
      if (start + begin < low) begin += 16;
      if (start + end > low + a.count * SIZE) end -= 16;
    }
    chunks.request(address(at), begin, end);
  }
  GP_DEVICE void take(unsigned to) {
    cells = chunks.take();
    if (to - from < CHUNK && from < to && !inside(chunk)) { // the first and the last vector may have been left out
      __syncwarp();
      const unsigned first = from * SIZE & ~15u, second = (to * SIZE - 1) & ~15u;
      const unsigned x = (gp_lane() < 16 ? first : second) + (gp_lane() & 15u);
      if (x >= from * SIZE && x < to * SIZE && (gp_lane() < 16 || first != second)) cells[x] = address(chunk)[x];
      chunks.written();
    }
  }
  // Elements of ranges: rows of 32 side by side, as many as are in flight together. For these a window of 32 segments
  // slides along; lane l holds the end of segment s + l, counted from the chunk's start, and where that start would lie
  // in the input if it were that segment's.
  GP_DEVICE void gather(unsigned to) const {
    const unsigned ROOM = P::threads * P::blocks_per_sm <= 768 ? 32 : 16; // bytes of a lane, where it has the registers
    const int ROWS = SIZE <= 4 ? ROOM / 4 : SIZE < ROOM ? ROOM / SIZE : 1;
    gp__u32 s = segment;
    for (unsigned first = 0; first < to; first += ROWS * 32) {
      gp__u64 place[ROWS] = {};
      for (gp__u32 low = 0;; s += 32) { // elements before `low` were those of windows before
        const gp__u64 mine = origin + s + gp_lane();
        const Number at = s + gp_lane() < last ? ends.end(mine) - static_cast<Number>(chunk) : CHUNK;
        const gp__u32 end = at < CHUNK ? static_cast<gp__u32>(at) : CHUNK; // the last one is open: not here
        const gp__u64 source = s + gp_lane() <= last && mine < ends.segments ? ends.place(mine, chunk) : 0;
        unsigned passed = __ballot_sync(0xffffffffu, end <= first); // ends at or before the row's first element
        GPUPRIMS__UNROLL
        for (int r = 0; r < ROWS; ++r) {
          const unsigned row = first + unsigned(r) * 32, i = row + gp_lane();
          const unsigned next = __ballot_sync(0xffffffffu, end <= row + 32);
          int n = __popc(passed); // before the element: the same number for all of the row, mostly
          if (passed != next) {
            n = 0; // 31 at most: if it is all 32, the element is the next window's
            GPUPRIMS__UNROLL_BY(1)
            for (int d = 16; d > 0; d /= 2) n += gp_warp_broadcast(end, n + d - 1) <= i ? d : 0;
          }
          const gp__u64 from = gp_warp_broadcast(source, n & 31);
          if (i >= low) place[r] = from + i;
          passed = next;
        }
        low = gp_warp_broadcast(end, 31);
        if (low >= first + ROWS * 32 || low >= to) break;
      }
      In x[ROWS];
      GPUPRIMS__UNROLL
      for (int r = 0; r < ROWS; ++r)
        if (first + unsigned(r) * 32 + gp_lane() < to) x[r] = static_cast<const In *>(a.in)[place[r]];
      GPUPRIMS__UNROLL
      for (int r = 0; r < ROWS; ++r) {
        const unsigned i = first + unsigned(r) * 32 + gp_lane();
        if (i < to) reinterpret_cast<Acc *>(cells)[i] = Load()(x[r], place[r]);
      }
    }
  }

  // ---- ends

  GP_DEVICE void load(Number (&to)[HELD], gp__u32 at) const {
    ENDS mine = ends;
    mine.move(origin);
    GPUPRIMS__UNROLL
    for (int u = 0; u < HELD; ++u) {
      const gp__u32 s = at + u * 32 + gp_lane();
      to[u] = s < last ? mine.end(s) : 0;
    }
  }
  // Marks those that are held and in the chunk, and goes behind them. Of ends at one place, the first marks it. Are all
  // gone then?
  GP_DEVICE bool mark(const Number (&held)[HELD], Number reach) {
    GPUPRIMS__UNROLL
    for (int u = 0; u < HELD; ++u) {
      const gp__u32 group = windowed + u * 32, s = group + gp_lane();
      if (segment - group >= 32) continue; // gone before
      const Number sent = gp_lane() < 31 ? held[u] : u ? held[u ? u - 1 : 0] : behind;
      const Number before = __shfl_sync(0xffffffffu, sent, int(gp_lane()) - 1);
      const Number at = held[u] - static_cast<Number>(chunk);
      const bool mine = s >= segment && s < last && at <= reach;
      newest = group;
      slot = mine && held[u] != before && at - 1 < CHUNK ? static_cast<unsigned>(at - 1) : CHUNK;
      if (slot < CHUNK) marks[slot] = 1;
      segment += static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, mine)));
      if (segment - group < 32) return false;
    }
    return true;
  }
  // Loads those behind the other ones in their place.
  GP_DEVICE void renew(Number (&held)[HELD]) {
    behind = gp_warp_broadcast(held[HELD - 1], 31);
    windowed += HELD * 32;
    load(held, windowed + HELD * 32);
    odd = !odd;
  }
  // All ends in the chunk; in the last chunk, all that are left.
  template <class Ends> GP_DEVICE void mark(const Ends &, bool rest) {
    const Number reach = rest ? ~Number(0) : Number(CHUNK);
    for (;;) {
      if (!odd) {
        if (!mark(even_ends, reach)) return;
        renew(even_ends);
      }
      if (!mark(odd_ends, reach)) return;
      renew(odd_ends);
    }
  }
  // Those of one length are where they are expected.
  GP_DEVICE void mark(const gp__fixed_ends &, bool rest) {
    ENDS mine = ends;
    mine.move(origin);
    gp__u32 found = last - segment;
    if (found > 0 && !rest) {
      const gp__u32 length = ends.length < CHUNK ? static_cast<gp__u32>(ends.length) : CHUNK + 1;
      const Number at = mine.end(segment) - static_cast<Number>(chunk);
      const gp__u32 here = at <= CHUNK ? 1 + (CHUNK - at) / length : 0;
      if (here < found) found = here;
    }
    if (ends.length > 0)
      for (gp__u32 i = gp_lane(); i < found; i += 32) {
        const Number at = mine.end(segment + i) - static_cast<Number>(chunk);
        if (at - 1 < CHUNK) marks[at - 1] = 1;
      }
    newest = segment += found;
  }

  // ---- a lane's elements

  struct Lane {
    Acc open;  // what stands behind the last mark
    bool has;  // anything
    int first; // the element of the first mark, -1: none
    GP_DEVICE void step(const Acc &x, bool marked, int i, Acc &sum) {
      sum = has ? Op()(open, x) : x;
      open = sum;
      has = !marked;
      if (marked && first < 0) first = i;
    }
  };
  // Turns the cells from..to-1 of the lane into the running results of their segments.
  GP_DEVICE Lane scan(int from, int to) const {
    Lane l;
    l.open = Op::identity();
    l.has = false;
    l.first = -1;
    unsigned char *chunk_cells = cells + gp_lane() * (ITEMS * SLOT), *chunk_marks = marks + gp_lane() * ITEMS;
    const gp__u64 index = chunk + gp_lane() * ITEMS;
    if (sizeof(Cell) != sizeof(Acc)) { // results do not lie where the elements did: take all of them first
      const Cell *item = reinterpret_cast<const Cell *>(cells) + gp_lane() * ITEMS;
      Acc *slot = reinterpret_cast<Acc *>(cells) + gp_lane() * ITEMS;
      Cell x[ITEMS];
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i)
        if (i >= from && i < to) x[i] = item[i];
      __syncwarp();
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) {
        const bool marked = chunk_marks[i] != 0;
        chunk_marks[i] = 0;
        Acc sum;
        if (i < from || i >= to) continue;
        l.step(Op::prepare(CellLoad()(x[i], index + i)), marked, i, sum);
        if (marked) slot[i] = sum;
      }
    } else if (from == 0 && to == ITEMS && gp__chunk_by_vectors(int(sizeof(Cell)), ITEMS)) {
      typedef gp__pack<Cell> Pack;
      const int V = Pack::items, L = Pack::vectors;
      gp_vector *at = reinterpret_cast<gp_vector *>(chunk_cells);
      bool begun = false; // the element before is of the same segment
      gp__marks<V> found; // of the pack of the first mark
      int pack = -1;
      found.word[0] = 0;
      GPUPRIMS__UNROLL
      for (int k = 0; k < ITEMS / V; ++k) {
        const Pack p(at + k * L);
        gp__pack<Acc> q;
        gp__marks<V> m;
        m.take(chunk_marks + k * V);
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) {
          const Acc x = Op::prepare(CellLoad()(p.item[j], index + k * V + j));
          const Acc both = Op()(l.open, x);
          l.open = begun ? both : x;
          begun = !m.at(j);
          q.item[j] = l.open;
        }
        if (pack < 0 && m.any()) {
          pack = k;
          found = m;
        }
        q.store(at + k * L);
      }
      l.has = begun;
      if (pack >= 0) l.first = pack * V + found.first();
    } else {
      const Cell *item = reinterpret_cast<const Cell *>(chunk_cells);
      Acc *slot = reinterpret_cast<Acc *>(chunk_cells);
      GPUPRIMS__UNROLL_BY(1)
      for (int i = 0; i < ITEMS; ++i) {
        const bool marked = chunk_marks[i] != 0;
        chunk_marks[i] = 0;
        Acc sum;
        if (i < from || i >= to) continue;
        l.step(Op::prepare(CellLoad()(item[i], index + i)), marked, i, sum);
        slot[i] = sum;
      }
    }
    if (!l.has) l.open = Op::identity();
    return l;
  }
  // Brings what stands before a lane to its first mark; `carry` moves on.
  GP_DEVICE void join(const Lane &l, gp_before<Acc> &carry) const {
    const unsigned ended = __ballot_sync(0xffffffffu, l.first >= 0), has = __ballot_sync(0xffffffffu, l.has);
    const unsigned up_to = ended & (0xffffffffu >> (31 - gp_lane()));
    // The first lane that counts for this one: of the last end, or the one behind it, or the first with elements.
    const int start = up_to ? 31 - __clz(int(up_to)) : has ? __ffs(int(has)) - 1 : 32;
    const int from = start + (up_to && !(has >> start & 1u) ? 1 : 0), lane = int(gp_lane());
    Acc sum = l.open;
    GPUPRIMS__UNROLL
    for (int d = 1; d < 32; d *= 2) {
      const Acc before = gp_warp_shift_up(sum, unsigned(d));
      if (lane - d >= from) sum = Op()(before, sum);
    }
    const Acc before = gp_warp_shift_up(sum, 1), all = gp_warp_broadcast(sum, 31);
    const bool any = gp_warp_shift_up(from <= lane ? 1 : 0, 1) != 0,
               any_at_end = gp_warp_broadcast(from <= lane ? 1 : 0, 31);
    gp_before<Acc> mine = carry;
    if (up_to & ((1u << lane) - 1)) mine.has = false; // a segment ends in between
    if (lane > 0 && any) mine.append(before, Op());
    if (l.first >= 0 && mine.has) {
      Acc *slot = reinterpret_cast<Acc *>(cells) + lane * ITEMS + l.first;
      *slot = Op()(mine.value, *slot);
    }
    if (ended) carry.has = false;
    if (any_at_end) carry.append(all, Op());
  }

  // ---- results of the segments from..segment-1, which end in the chunk

  GP_DEVICE gp_before<Acc> at_end(Number start, Number stop) const {
    const Number slot = stop - 1 - static_cast<Number>(chunk);
    gp_before<Acc> r;
    r.has = stop != start && slot < CHUNK;
    if (r.has) r.value = reinterpret_cast<const Acc *>(cells)[slot];
    return r;
  }
  GP_DEVICE void store(gp__u32 from) const {
    const gp__segment_result<Op, Out, Acc> result(a);
    const Acc *slots = reinterpret_cast<const Acc *>(cells);
    Out *out = static_cast<Out *>(a.out) + origin;
    ENDS mine = ends;
    mine.move(origin);
    const gp__u32 s = newest + gp_lane();
    if (s >= from && s < segment) {
      Acc sum = Op::identity();
      if (slot < CHUNK) sum = slots[slot];
      out[s] = result(slot < CHUNK, sum);
    }
    for (; from < newest; from += WINDOW * 32) {
      Number start[WINDOW], stop[WINDOW];
      GPUPRIMS__UNROLL
      for (int u = 0; u < WINDOW; ++u) {
        const gp__u32 s = from + u * 32 + gp_lane();
        if (s < newest) {
          start[u] = mine.begin(s);
          stop[u] = mine.end(s);
        }
      }
      GPUPRIMS__UNROLL
      for (int u = 0; u < WINDOW; ++u) {
        const gp__u32 s = from + u * 32 + gp_lane();
        if (s < newest) {
          const Number at = stop[u] - 1 - static_cast<Number>(chunk);
          const bool has = stop[u] != start[u] && at < CHUNK;
          Acc sum = Op::identity();
          if (has) sum = slots[at];
          out[s] = result(has, sum);
        }
      }
    }
  }

  // The elements b..e-1 and the ends of the segments s..t-1: sets out for the first ones.
  GP_DEVICE void begin(gp__u64 b, gp__u64 e, gp__u64 s, gp__u64 t) {
    origin = s;
    segment = 0;
    last = static_cast<gp__u32>(t - s);
    from = 0;
    if (by_vectors())
      for (unsigned low = gp__misalignment(address(b), 16); low; ++from) low = (low - SIZE) & 15u;
    chunk = b - from;
    left = static_cast<Number>(e - chunk);
    if (by_vectors() && (left > from || last > 0)) {
      GPUPRIMS__UNROLL
      for (unsigned n = 0; n < unsigned(Chunks::AHEAD); ++n) request(n);
    }
    windowed = 0;
    behind = static_cast<Number>(b);
    odd = false;
    load(even_ends, 0);
    load(odd_ends, HELD * 32);
  }
  // Goes through them.
  GP_DEVICE void run(gp__segment_open<Acc> &open) {
    gp_before<Acc> carry;
    carry.has = false;
    if (gp_lane() == 0) {
      open.segment = origin;
      open.ended = last > 0;
      open.first.has = false;
    }
    const bool vectors = by_vectors();
    const Number b = static_cast<Number>(chunk + from);
    for (unsigned i = gp_lane() * 4; i < CHUNK; i += 128) *reinterpret_cast<gp__u32 *>(marks + i) = 0;
    if (left > from || last > 0)
      for (;; chunk += CHUNK, left -= CHUNK, from = 0) {
        const unsigned to = left < CHUNK ? unsigned(left) : CHUNK;
        const bool rest = left <= CHUNK;
        __syncwarp();
        if (vectors) {
          if (Chunks::EARLY) request(Chunks::AHEAD);
          take(to);
          if (!Chunks::EARLY) request(Chunks::AHEAD);
        } else if (!ENDS::direct) gather(to);
        else gp__copy_to_shared<32, VECTORS, P::load>(cells, address(chunk), to * SIZE, gp_lane());
        const gp__u32 first = segment;
        mark(ends, rest);
        __syncwarp();
        const unsigned mine = gp_lane() * ITEMS;
        const int lane_from = from > mine ? (from - mine < ITEMS ? int(from - mine) : ITEMS) : 0;
        const int lane_to = to > mine ? (to - mine < ITEMS ? int(to - mine) : ITEMS) : 0;
        if (segment == first) {
          const unsigned char *at = cells + mine * sizeof(Cell);
          const Acc sum = from == 0 && to == CHUNK
                              ? gp__chunk_fold<ITEMS, Op, CellLoad, Acc, Cell>(at, chunk + mine)
                              : gp__chunk_fold_part<Op, CellLoad, Acc, Cell>(at, chunk + mine, lane_from, lane_to);
          const Acc all = gp_warp_broadcast(gp_warp_reduce(sum, Op()), 0);
          if (from < to) carry.append(all, Op());
        } else {
          join(scan(lane_from, lane_to), carry);
          chunks.written();
          __syncwarp();
          if (first == 0 && gp_lane() == 0) open.first = at_end(b, ends.end(origin));
          store(first ? first : 1);
        }
        if (rest) break;
      }
    if (gp_lane() == 0) open.last = carry;
  }
};

// What the first `count` blocks' partial results make of the segments that go from block to block. The share of a
// thread is consecutive blocks.
template <class P, class Op, class Out, class Acc>
GP_DEVICE void gp__segment_finish(const gp__segment_args &a, const gp__word *words, unsigned count, gp__u64 tag,
                                  gp__segment_storage<P, Op, Acc> &s) {
  typedef gp__join_carries<Acc, Op> Join;
  typedef gp__segment_partial<Acc> Partial;
  const gp__segment_result<Op, Out, Acc> result(a);
  const unsigned share = (count + P::threads - 1) / P::threads, first = threadIdx.x * share;
  const unsigned stop = first + share < count ? first + share : count;
  gp__segment_carry<Acc> carry = Join::identity();
  Partial p;
  for (int pass = 0; pass < 2; ++pass) { // the second time with what stands before the thread
    for (unsigned i = first; i < stop; ++i) {
      if (pass == 0 || share > 1) p = gp__receive<Partial>(words, i, tag);
      gp__segment_carry<Acc> next;
      next.ended = (p.segment & 1u) != 0;
      next.open.has = (p.segment >> (next.ended ? 2 : 1) & 1u) != 0;
      next.open.value = next.ended ? p.last : p.first;
      if (pass == 1 && next.ended) {
        gp_before<Acc> sum = carry.open;
        if (p.segment >> 1 & 1u) sum.append(p.first, Op());
        static_cast<Out *>(a.out)[p.segment >> 3] = result(sum.has, sum.value);
      }
      carry = Join()(carry, next);
    }
    if (pass == 0) gp_tile_exclusive_scan<P::threads>(carry, Join(), s.scan);
  }
}

template <int STAGES, class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_merge(const gp__segment_args &a) {
  typedef gp__segment_warp<STAGES, P, ENDS, Op, Load, In, Acc, Out> Warp;
  typedef gp__segment_storage<P, Op, Acc> Storage;
  typedef gp__segment_partial<Acc> Partial;
  typedef gp__join_carries<Acc, Op> Join;
  const unsigned WARPS = P::threads / 32;
  GP_SHARED(Storage, s);
  GP_DYNAMIC_SHARED(shared);
  const ENDS ends(a);
  unsigned char *const of_warp = shared + gp_warp() * Warp::BYTES; // in a register where there are enough
  Warp warp(a, ends, STAGES ? gp__shared_place(of_warp).template at<unsigned char>(0) : of_warp);
  gp__begin<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  const gp__u64 warps = static_cast<gp__u64>(gridDim.x) * WARPS, mine = blockIdx.x * WARPS + gp_warp();
  gp__u64 share = a.share, diagonal[2] = {mine * share, (mine + 1) * share}, segment[2];
  const gp__split_look<ENDS> look(ends, a.rate, diagonal);
  const gp__u64 start = ends.first(), stop = ends.last(), items = stop > start ? stop - start : 0;
  const gp__u64 work = items + a.segments;
  if (items != a.count) share = (work + warps - 1) / warps;
  diagonal[0] = mine * share < work ? mine * share : work;
  diagonal[1] = (mine + 1) * share < work ? (mine + 1) * share : work;
  look.split(ends, start, items, diagonal, segment);
  gp__u64 element[2] = {diagonal[0] - segment[0], diagonal[1] - segment[1]};
  if (segment[1] < segment[0]) segment[1] = segment[0]; // where offsets decrease, only the end is sure
  if (element[1] < element[0]) element[1] = element[0];
  warp.begin(start + element[0], start + element[1], segment[0], segment[1]);
  if (threadIdx.x == 0 && gridDim.x > 1) s.ticket = gp__draw(a.workspace, gridDim.x);
  warp.run(s.warp[gp_warp()]);
  __syncthreads();
  gp__word *words = gp__words(a.workspace) + (ENDS::direct ? 0 : a.segments + 1);
  if (gp_warp() == 0) { // a lane for each warp
    const gp__segment_result<Op, Out, Acc> result(a);
    gp__segment_carry<Acc> upto = Join::identity();
    gp_before<Acc> sum = upto.open; // of the segment that is open at the start of the warp's range
    gp__u64 open = 0;
    if (gp_lane() < WARPS) {
      const gp__segment_open<Acc> &own = s.warp[gp_lane()];
      open = own.segment;
      upto.ended = own.ended;
      if (own.first.has) sum.append(own.first.value, Op());
      if (own.last.has) upto.open.append(own.last.value, Op());
    }
    const unsigned ended = __ballot_sync(0xffffffffu, upto.ended);
    const bool mine_ends = upto.ended;
    upto = gp_warp_inclusive_scan(upto, Join());
    gp__segment_carry<Acc> before = gp_warp_shift_up(upto, 1);
    const gp__segment_carry<Acc> all = gp_warp_broadcast(upto, 31);
    if (gp_lane() == 0) before = Join::identity();
    if (sum.has) before.open.append(sum.value, Op());
    sum = before.open;
    if (mine_ends && (before.ended || gridDim.x == 1)) static_cast<Out *>(a.out)[open] = result(sum.has, sum.value);
    if (gridDim.x > 1 && int(gp_lane()) == (ended ? __ffs(int(ended)) - 1 : 0)) {
      const bool more = ended && all.open.has;
      if (!ended) sum = all.open;
      Partial p;
      p.first = sum.has ? sum.value : Op::identity();
      p.last = more ? all.open.value : Op::identity();
      p.segment = (ended ? open << 3 : 0) | (more ? 4u : 0u) | (sum.has ? 2u : 0u) | (ended ? 1u : 0u);
      gp__publish(words, blockIdx.x, p, s.ticket.tag);
    }
  }
  if (gridDim.x > 1 && s.ticket.number == gridDim.x - 1)
    gp__segment_finish<P, Op, Out, Acc>(a, words, gridDim.x, s.ticket.tag, s);
}

template <class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_reduce(const gp__segment_args &a) {
  gp__segmented_merge<0, P, ENDS, Op, Load, In, Acc, Out>(a);
}
template <class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__segmented_pipelined(const gp__segment_args &a) {
  gp__segmented_merge<P::stages, P, ENDS, Op, Load, In, Acc, Out>(a);
}

// The launch before it where segments are ranges: the exclusive scan of their lengths, and the total.
template <class P, class O> GP_DEVICE void gp__segment_spans(const gp__segment_args &a) {
  const int ITEMS = GP__SPAN_ITEMS, TILE = P::threads * ITEMS;
  typedef gp__scan_storage<P::threads, gp__u64> Storage;
  typedef gp_sum<gp__u64> Sum;
  GP_SHARED(Storage, s);
  gp__begin<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  const O *begin = static_cast<const O *>(a.begin), *end = static_cast<const O *>(a.end);
  gp__word *spans = gp__words(a.workspace);
  const gp__u64 tiles = (a.segments + TILE - 1) / TILE;
  for (;;) {
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const gp__u64 first = static_cast<gp__u64>(ticket.number) * TILE + threadIdx.x * ITEMS;
    gp__u64 length[ITEMS], sum = 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u64 k = first + i;
      length[i] = k < a.segments && begin[k] < end[k] ? static_cast<gp__u64>(end[k]) - begin[k] : 0;
      sum += length[i];
    }
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, Sum(), s.scan);
    if (gp_warp() == 0) {
      gp_before<gp__u64> start;
      start.has = false;
      const gp__look_back<gp__u64, Sum> look_back = {spans + a.segments + 1, tiles, ticket.tag, start, false};
      if (gp_lane() == 0) look_back.publish_aggregate(ticket.number, total);
      const gp_before<gp__u64> prefix = look_back(ticket.number, total);
      if (gp_lane() == 0) s.prefix = prefix;
    }
    __syncthreads();
    gp__u64 at = sum + (s.prefix.has ? s.prefix.value : 0);
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      if (first + i >= a.segments) continue;
      spans[first + i] = gp__word{at, 0};
      at += length[i];
      if (first + i + 1 == a.segments) spans[a.segments] = gp__word{at, 0};
    }
  }
}

// ---- a warp's segments
//
// Small calls, of fewer than 2^31 elements: no search and no fix-up. So many lanes a segment, a power of two for all of
// the call; segments that are long for their lanes are left to whole warps, and what is long for a warp to the block.
// Who reads a segment, and in which order, depends on its length alone.

// Reads segments by runs: vectors on 16-byte boundaries, where elements can lie on these. K of a thread are in flight.
template <class P, class Op, class Load, class In, class Acc> struct gp__segment_reader {
  static const int V = gp__reduce_input<In>::V, K = sizeof(In) <= 16 ? P::vectors : 1;
  const In *in;
  bool vectors;
  gp__u32 room; // of vectors: from how many elements on one lies in the input
  GP_DEVICE explicit gp__segment_reader(const gp__segment_args &a)
      : in(static_cast<const In *>(a.in)),
        vectors(16 % sizeof(In) == 0 && gp__misalignment(a.in, 16) % sizeof(In) == 0),
        room(vectors && a.count >= gp__u64(V) ? static_cast<gp__u32>(a.count) - V + 1 : 0) {}
  // The share of thread `rank` of `ranks` in n elements: neighbours read neighbouring vectors, or consecutive ones each
  // where the order counts.
  GP_DEVICE Acc operator()(gp__u32 begin, gp__u32 n, unsigned rank, unsigned ranks) const {
    const gp__u32 head = vectors ? gp__misalignment(in + begin, 16) / unsigned(sizeof(In)) : 0;
    const gp__u32 runs = n ? (head + n + V - 1) / V : 0;
    gp__u32 run = rank, stop = runs, step = ranks;
    if (!Op::commutative) {
      const gp__u32 share = (runs + ranks - 1) / ranks;
      run = rank * share;
      stop = run + share < runs ? run + share : runs;
      step = 1;
    }
    Acc sum = Op::identity();
    for (; run < stop; run += K * step) {
      gp__run<In, V> x[K];
      gp__u32 own[K]; // bits of the segment's elements; others may come with them, and are not looked at
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        const gp__u32 r = run + k * step, at = begin - head + r * V, left = begin + n - at;
        own[k] = 0;
        if (r >= stop) continue;
        own[k] = ((1u << (left < gp__u32(V) ? left : V)) - 1) & ~0u << (r ? 0 : head);
        if (at < room) x[k].template load<P::load>(in + at, 0, true);
        else {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            if (own[k] >> j & 1u) x[k].item[j] = in[at + j];
        }
      }
      GPUPRIMS__UNROLL
      for (int k = 0; k < K; ++k) {
        const gp__u32 at = begin - head + (run + k * step) * V;
        if (own[k] == 0) continue;
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j)
          if (own[k] >> j & 1u) sum = Op()(sum, Op::prepare(Load()(x[k].item[j], at + j)));
      }
    }
    return sum;
  }
};

template <int THREADS, class Acc> struct gp__warp_segments_storage {
  gp_tile_reduce_storage<THREADS, Acc> reduce;
  unsigned longs, place[THREADS]; // the long segments of the tile, in any order
};

template <class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
GP_DEVICE void gp__warp_segments(const gp__segment_args &a) {
  typedef gp__segment_reader<P, Op, Load, In, Acc> Reader;
  typedef gp__warp_segments_storage<P::threads, Acc> Storage;
  const unsigned T = P::threads, LANE = GP__LONG_ROUNDS * Reader::K * Reader::V; // elements that are not long for one
  GP_SHARED(Storage, s);
  if (threadIdx.x == 0) s.longs = 0;
  __syncthreads();
  gp__begin<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const Reader read(a);
  const ENDS ends(a);
  const gp__segment_result<Op, Out, Acc> result(a);
  const gp__u32 tile = T >> a.log2_lanes ? T >> a.log2_lanes : 1, segments = static_cast<gp__u32>(a.segments);
  for (gp__u32 first = blockIdx.x * tile; first < segments;) {
    unsigned log2_lanes = a.log2_lanes, count = tile;
    gp__u32 done = 0;                     // segments up to this length are
    for (bool all = true;; all = false) { // all segments of the tile, then the long ones
      const unsigned lanes = 1u << log2_lanes, rank = threadIdx.x & (lanes - 1);
      const gp__u32 most = log2_lanes > 5 ? ~0u : LANE << log2_lanes;
      for (unsigned i = threadIdx.x >> log2_lanes; i < count; i += T >> log2_lanes ? T >> log2_lanes : 1) {
        const unsigned place = all ? i : s.place[i];
        const gp__u32 segment = first + place;
        gp__u64 begin = 0, end = 0;
        if (segment < segments) ends.bounds(segment, begin, end);
        const gp__u32 length = begin < end ? static_cast<gp__u32>(end - begin) : 0;
        const bool mine = length <= most && (all || length > done);
        if (!all && !mine) continue;
        Acc sum = read(static_cast<gp__u32>(begin), mine ? length : 0, rank, lanes < T ? lanes : T);
        if (log2_lanes > 5) {
          sum = gp_tile_reduce<P::threads>(sum, Op(), s.reduce);
          __syncthreads();
        } else {
          for (unsigned d = 1; d < lanes; d *= 2) sum = Op()(sum, gp_warp_shift_down(sum, d));
        }
        if (rank == 0 && segment < segments) {
          if (mine) static_cast<Out *>(a.out)[segment] = result(length > 0, sum);
          else s.place[atomicAdd(&s.longs, 1u)] = place;
        }
      }
      if (log2_lanes > 5) break;
      if (all) __syncthreads();
      count = s.longs;
      if (count == 0) break;
      done = most;
      log2_lanes = log2_lanes < 5 ? 5 : GP__LOG2_BLOCK;
    }
    first += gridDim.x * tile;
    if (first >= segments) break;
    __syncthreads();
    if (threadIdx.x == 0) s.longs = 0;
    __syncthreads();
  }
}

// ---- load balance, lower and upper bound

// out[i] = the segment of element i. Warps share elements and segment ends as in the segmented reduction. In a chunk,
// the last of the segments that end at an element leaves the number of the next one there; then all take the largest so
// far, and write whole vectors.
template <class P, class O, class R> GP_DEVICE void gp__load_balance(const gp__search_args &a) {
  const int ITEMS = 16 * P::vectors / int(sizeof(R)), CHUNK = 32 * ITEMS, V = 16 / int(sizeof(R));
  typedef gp_max<R> Max;
  GP_DYNAMIC_SHARED(shared);
  gp__begin<P>();
  const gp__u64 count = gp__count(a), work = count + a.length;
  const O *offsets = static_cast<const O *>(a.sorted);
  R *out = static_cast<R *>(a.out), *mark = reinterpret_cast<R *>(shared) + gp_warp() * CHUNK;
  const gp__u64 warps = static_cast<gp__u64>(gridDim.x) * (P::threads / 32), share = (work + warps - 1) / warps;
  const gp__u64 mine = blockIdx.x * (P::threads / 32) + gp_warp();
  gp__segment_args args = {};
  args.begin = offsets;
  args.segments = a.length;
  const gp__offset_ends<O> ends(args);
  gp__u64 diagonal[2] = {mine * share < work ? mine * share : work,
                         (mine + 1) * share < work ? (mine + 1) * share : work};
  gp__u64 s[2];
  gp__split(ends, work, diagonal, s);
  gp__u64 begin = diagonal[0] - s[0], end = diagonal[1] - s[1], segment = s[0];
  if (end > count) end = count; // segments may go on behind the elements
  if (begin >= end) return;
  const gp__u64 skipped = gp__misalignment(out + begin, 16) / sizeof(R); // chunks begin on a 16-byte boundary
  R before = static_cast<R>(segment);
  for (gp__u64 chunk = begin - skipped;; chunk += CHUNK) {
    const gp__u64 left = end - chunk;
    const int from = chunk + skipped == begin ? int(skipped) : 0, to = left < CHUNK ? int(left) : CHUNK;
    gp_vector *mine_at = reinterpret_cast<gp_vector *>(mark + gp_lane() * ITEMS);
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) mine_at[k] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    for (;;) {
      const gp__u64 i = segment + gp_lane();
      const gp__u64 at = i < s[1] ? ends.end_of(i) - chunk : 0;
      const bool here = i < s[1] && at < gp__u64(to);
      if (here && (i + 1 == s[1] || ends.end_of(i + 1) - chunk != at)) mark[at] = static_cast<R>(i + 1);
      const unsigned found = static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, here)));
      segment += found;
      if (found < 32) break;
    }
    __syncwarp();
    gp__pack<R> v[P::vectors];
    R newest = 0;
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      v[k] = gp__pack<R>(mine_at + k);
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) v[k].item[j] = newest = Max()(newest, v[k].item[j]);
    }
    const R up_to = gp_warp_inclusive_scan(newest, Max());
    const R left_of = gp_warp_shift_up(up_to, 1), high = Max()(before, gp_lane() > 0 ? left_of : R(0));
    before = Max()(before, gp_warp_broadcast(up_to, 31));
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) v[k].item[j] = Max()(high, v[k].item[j]);
      v[k].store(mine_at + k);
    }
    __syncwarp();
    GPUPRIMS__UNROLL
    for (int k = 0; k < P::vectors; ++k) {
      const int i = (k * 32 + int(gp_lane())) * V;
      if (i >= from && i + V <= to)
        gp__store_vector<P::store>(out + chunk + i, *reinterpret_cast<const gp_vector *>(mark + i));
      else
        for (int j = i < from ? from : i; j < i + V && j < to; ++j) out[chunk + j] = mark[j];
    }
    if (left <= CHUNK) return;
    __syncwarp();
  }
}

// Searches of `left` elements from at[k] on that halve in step, without branches.
template <bool UPPER, class T, class Less, int K>
GP_DEVICE void gp__bound_steps(gp__bound_before<UPPER, T, Less> (&before)[K], gp__u64 (&at)[K], gp__u64 left) {
  while (left > 1) {
    const gp__u64 half = left / 2;
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) at[k] += before[k](at[k] + half - 1) ? half : 0;
    left -= half;
  }
  GPUPRIMS__UNROLL
  for (int k = 0; k < K; ++k)
    if (left && before[k](at[k])) ++at[k];
}
template <class T, int BYTES> struct gp__pivots {
  static const int COUNT = BYTES / int(sizeof(T));
  T item[COUNT];
};
// out[i] = the bound of needle i. A thread has as many needles on their way as make `vectors` vectors. Where a block
// has needles enough, the upper levels of the searches are in shared memory: every stride-th element.
template <class P, bool UPPER, class T, class Less, class R> GP_DEVICE void gp__bound(const gp__search_args &a) {
  const int K = gp__map_items(P::vectors, int(sizeof(T)), 0, int(sizeof(R)));
  typedef gp__pivots<T, P::threads <= 512 ? P::threads * 64 : 32768> Pivots;
  GP_SHARED(Pivots, pivots);
  gp__begin<P>();
  const gp__u64 count = gp__count(a), tile = static_cast<gp__u64>(P::threads) * K;
  const T *sorted = static_cast<const T *>(a.sorted), *needles = static_cast<const T *>(a.needles);
  R *out = static_cast<R *>(a.out);
  const bool staged = a.length > 2 * Pivots::COUNT && count >= static_cast<gp__u64>(gridDim.x) * (Pivots::COUNT / 2);
  const gp__u64 stride = staged ? (a.length + Pivots::COUNT - 1) / Pivots::COUNT : a.length;
  const gp__u64 levels = staged ? a.length / stride : 0;
  for (gp__u64 i = threadIdx.x; i < levels; i += P::threads) pivots.item[i] = sorted[(i + 1) * stride - 1];
  if (staged) __syncthreads();
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__bound_before<UPPER, T, Less> before[K];
    gp__u64 at[K];
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      before[k].sorted = pivots.item;
      before[k].x = needles[i < count ? i : count - 1];
      at[k] = 0;
    }
    gp__bound_steps(before, at, levels);
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) { // the last part may be shorter: some of the elements before it come first
      before[k].sorted = sorted;
      at[k] = at[k] * stride < a.length - stride ? at[k] * stride : a.length - stride;
    }
    gp__bound_steps(before, at, stride);
    GPUPRIMS__UNROLL
    for (int k = 0; k < K; ++k) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      if (i < count) out[i] = static_cast<R>(at[k]);
    }
  }
}

// ---- radix sort
//
// Least significant digit first, one sweep a pass (Adinets and Merrill, Onesweep: A Faster Least Significant Digit
// Radix Sort for GPUs). The histogram reads the keys once and counts the digits of all passes. A pass then reads each
// element once and writes it once: a tile's keys are ranked by their digit and put into that order in shared memory,
// while the number of each digit's keys before the tile comes from the tiles before it, by look-back. What a pass does
// is decided on the device when all is counted: a pass in which all keys have the same digit moves nothing, and the
// others alternate between two buffers such that the last of them writes to the output.

// What a pass does.
enum {
  GP__RADIX_RUNS = 1,
  GP__RADIX_COPIES = 2,    // elements are copied from where they are to the output
  GP__RADIX_ODD = 4,       // of those that run, it is an odd one: the marks of its words are others
  GP__RADIX_LAST = 8,      // of those that run
  GP__RADIX_TO_OTHER = 16, // writes to the other buffer, not to the output
  GP__RADIX_FROM = 32,     // times: 0 from the input, 1 from the output, 2 from the other buffer
};

// Keys as they are moved, and as their bits are ordered. bits(key, word): 64 bits of the ordered key, the least
// significant first; of built-in types it has one word. padding: comes behind every key.
template <class T> struct gp__radix_key {
  typedef typename gp__ordered<T>::Bits Bits;
  typedef Bits Key;
  static const bool pads = true;
  static GP_DEVICE Bits bits(Key key, int) { return gp__ordered<T>::encode(key); }
  static GP_DEVICE Key padding(bool descending) {
    return gp__ordered<T>::decode(static_cast<Bits>(descending ? Bits(0) : Bits(~Bits(0))));
  }
};
// A struct by a user's operator that makes a built-in type R of it.
template <class T, class Op, class R> struct gp__decomposed_key {
  typedef typename gp__ordered<R>::Bits Bits;
  typedef T Key;
  static const bool pads = false;
  static GP_DEVICE Bits bits(const Key &key, int) {
    union {
      R value;
      Bits bits;
    } r;
    r.value = Op()(key);
    return gp__ordered<R>::encode(r.bits);
  }
  static GP_DEVICE Key padding(bool) { return Key(); }
};
// A struct by some of its fields, the most significant first.
template <class Key, class Bits> union gp__key_parts {
  Key key;
  Bits part[sizeof(Key) / sizeof(Bits)];
  GP_DEVICE gp__key_parts() {}
};
template <int OFFSET, class T, bool DESCENDING> struct gp__key_field {
  static const int bits = 8 * int(sizeof(T));
  template <class Key> static GP_DEVICE gp__u64 of(const Key &key) {
    typedef typename gp__ordered<T>::Bits Bits;
    static_assert(OFFSET % sizeof(T) == 0 && OFFSET + sizeof(T) <= sizeof(Key), "a field lies aligned in its struct");
    gp__key_parts<Key, Bits> parts;
    parts.key = key;
    const Bits x = gp__ordered<T>::encode(parts.part[OFFSET / sizeof(T)]);
    return DESCENDING ? static_cast<Bits>(~x) : x;
  }
};
template <class... Fields> struct gp__key_fields { // none
  static const int bits = 0;
  template <class Key> static GP_DEVICE gp__u64 word(const Key &, int) { return 0; }
};
template <class Field, class... Rest> struct gp__key_fields<Field, Rest...> { // this one stands above the rest
  typedef gp__key_fields<Rest...> Below;
  static const int bits = Field::bits + Below::bits;
  template <class Key> static GP_DEVICE gp__u64 word(const Key &key, int w) {
    const int at = Below::bits - 64 * w; // of its lowest bit, in this word
    gp__u64 x = Below::word(key, w);
    if (at > -Field::bits && at < 64) {
      const gp__u64 own = Field::of(key);
      x |= at < 0 ? own >> (at < 0 ? -at : 0) : own << (at < 0 ? 0 : at);
    }
    return x;
  }
};
template <class T, class... Fields> struct gp__field_key {
  typedef gp__u64 Bits;
  typedef T Key;
  static const bool pads = false;
  static GP_DEVICE Bits bits(const Key &key, int word) { return gp__key_fields<Fields...>::word(key, word); }
  static GP_DEVICE Key padding(bool) { return Key(); }
};

// A copy of the counters for each of REPLICAS neighbouring lanes. Of keys with more than four digits, half the lanes
// count the lower word of a key first and the others the upper one, each in counters on its own side: then with 32
// copies no two lanes of a warp ever meet in a bank. Meanwhile the block that comes first clears the sums in memory.
template <class P, class K, int THREADS, int REPLICAS> struct gp__radix_counting {
  typedef typename K::Key Key;
  typedef typename K::Bits Bits;
  static const int V = 16 % sizeof(Key) == 0 ? 16 / int(sizeof(Key)) : 1, AT_ONCE = 4;
  static const int TABLES = int(sizeof(Bits)) < GP__RADIX_TABLES ? int(sizeof(Bits)) : GP__RADIX_TABLES;
  struct Storage {
    gp__ticket ticket;
    gp__u32 last;
    gp__u32 same[GP__RADIX_PASSES]; // of each pass: all keys have one digit
  };

  const gp__radix_args &a;
  gp__u32 *cells;
  int word, shift, digits; // of the ordered key: the bits that are counted now, as so many digits
  Bits mask;

  GP_DEVICE void add(gp__u32 x, gp__u32 replica) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < TABLES; ++i)
      if (i < digits) atomicAdd(cells + (i * GP__DIGITS + (x >> (8 * i) & 0xffu)) * REPLICAS + replica, 1u);
  }
  GP_DEVICE void count(const Key &key) const {
    const Bits x = static_cast<Bits>(
        (static_cast<Bits>(K::bits(key, word) >> shift) ^ static_cast<Bits>(a.flip ? Bits(~Bits(0)) : Bits(0))) & mask);
    const gp__u32 low = static_cast<gp__u32>(x), replica = gp_lane() % REPLICAS;
    if (sizeof(Bits) > 4 && digits > 4) {
      const gp__u32 high = static_cast<gp__u32>(static_cast<gp__u64>(x) >> 32);
      const bool upper = replica >= REPLICAS / 2;
      add(upper ? high : low, replica);
      add(upper ? low : high, replica ^ (REPLICAS / 2));
    } else add(low, replica);
  }
  GP_DEVICE void count_all(gp__u64 n) const {
    const Key *in = static_cast<const Key *>(a.keys);
    const gp__u64 to_boundary = (16 - gp__misalignment(in, 16)) % 16 / sizeof(Key);
    const gp__u64 head = V > 1 ? (to_boundary < n ? to_boundary : n) : 0, vectors = (n - head) / V;
    const gp__u64 mine = static_cast<gp__u64>(blockIdx.x) * THREADS + threadIdx.x;
    const gp__u64 step = static_cast<gp__u64>(gridDim.x) * THREADS;
    for (gp__u64 v = mine; v < vectors; v += step * AT_ONCE) {
      gp__run<Key, V> x[AT_ONCE];
      GPUPRIMS__UNROLL
      for (int k = 0; k < AT_ONCE; ++k)
        x[k].template load_if<P::load>(v + k * step < vectors, in + head + (v + k * step) * V);
      GPUPRIMS__UNROLL
      for (int k = 0; k < AT_ONCE; ++k)
        if (v + k * step < vectors) {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j) count(x[k].item[j]);
        }
    }
    if (mine < head) count(in[mine]);
    if (head + vectors * V + mine < n) count(in[head + vectors * V + mine]);
  }
  GP_DEVICE void clear() const {
    for (unsigned i = threadIdx.x; i < TABLES * GP__DIGITS * REPLICAS / 4; i += THREADS)
      reinterpret_cast<gp_vector *>(cells)[i] = gp_vector{{0, 0, 0, 0}};
  }
  GP_DEVICE void add_to_sums(int first_pass) const {
    const bool halves = sizeof(Bits) > 4 && digits > 4;
    const unsigned copies = halves ? REPLICAS / 2 : REPLICAS;
    for (unsigned i = threadIdx.x; i < static_cast<unsigned>(digits) * GP__DIGITS; i += THREADS) {
      const unsigned table = i / GP__DIGITS % GP__RADIX_TABLES, side = i / GP__DIGITS / GP__RADIX_TABLES;
      const gp__u32 *cell = cells + (table * GP__DIGITS + i % GP__DIGITS) * REPLICAS + side * copies;
      gp__u64 sum = 0;
      GPUPRIMS__UNROLL_BY(4)
      for (unsigned c = 0; c < copies; ++c) sum += cell[(c + threadIdx.x) & (copies - 1)];
      if (sum) atomicAdd(a.counts + static_cast<unsigned>(first_pass) * GP__DIGITS + i, sum);
    }
  }
  // One warp: where the keys of each digit of a pass begin. Is there one digit only?
  GP_DEVICE bool place(int pass, gp__u64 n) const {
    gp__u64 *count = a.counts + pass * GP__DIGITS + gp_lane() * 8, c[8], sum = 0;
    bool all = false;
    GPUPRIMS__UNROLL
    for (int i = 0; i < 8; ++i) {
      c[i] = gp__load_relaxed(count + i);
      all = all || c[i] == n;
      sum += c[i];
    }
    gp__u64 before = gp_warp_inclusive_scan(sum, gp_sum<gp__u64>()) - sum;
    GPUPRIMS__UNROLL
    for (int i = 0; i < 8; ++i) {
      count[i] = before;
      before += c[i];
    }
    return __any_sync(0xffffffffu, all);
  }
  // One thread: what the passes do.
  GP_DEVICE void decide(const gp__u32 *same) const {
    int left = 0, done = 0;
    gp__u32 from = 0;
    for (int p = 0; p < a.passes; ++p) left += !same[p];
    const bool none = left == 0;
    for (int p = 0; p < a.passes; ++p) {
      gp__u32 step = 0;
      if (!same[p]) {
        const bool to_other = a.in_place ? done % 2 == 0 : left % 2 == 0;
        step = GP__RADIX_RUNS | (done % 2 ? GP__RADIX_ODD : 0) | (left == 1 ? GP__RADIX_LAST : 0) |
               (to_other ? GP__RADIX_TO_OTHER : 0) | from * GP__RADIX_FROM;
        from = to_other ? 2 : 1;
        --left, ++done;
      } else if (none && p + 1 == a.passes) step = GP__RADIX_COPIES;
      a.steps[p] = step;
    }
    a.steps[a.passes] = from == 2 || a.passes == 0 ? GP__RADIX_COPIES | from * GP__RADIX_FROM : 0;
  }
  static GP_DEVICE void run(const gp__radix_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    gp__begin<P>();
    const gp__u64 n = gp__count(a), draws = static_cast<gp__u64>(gridDim.x) * 2;
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, draws);
    for (gp__u64 i = static_cast<gp__u64>(blockIdx.x) * THREADS + threadIdx.x; i < a.clear;
         i += static_cast<gp__u64>(gridDim.x) * THREADS)
      static_cast<gp_vector *>(a.words)[i] = gp_vector{{0, 0, 0, 0}};
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number == 0) {
      for (int i = threadIdx.x; i < a.passes * GP__DIGITS; i += THREADS) a.counts[i] = 0;
      for (int i = threadIdx.x; i < a.passes; i += THREADS) a.tickets[i] = 0;
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();
        gp__publish(gp__words(a.workspace), 0, gp__u64(1), ticket.tag);
      }
    }
    gp__radix_counting c = {a, reinterpret_cast<gp__u32 *>(shared), 0, 0, 0, 0};
    int pass = 0;
    GPUPRIMS__UNROLL_BY(1)
    for (c.word = a.begin_bit / 64; c.word * 64 < a.end_bit; ++c.word) {
      const int low = a.begin_bit > c.word * 64 ? a.begin_bit - c.word * 64 : 0;
      const int high = a.end_bit < c.word * 64 + 64 ? a.end_bit - c.word * 64 : 64;
      c.shift = low;
      c.digits = (high - low + 7) / 8;
      c.mask = static_cast<Bits>(~gp__u64(0) >> (64 - (high - low)));
      c.clear();
      __syncthreads();
      c.count_all(n);
      if (threadIdx.x == 0 && pass == 0) {
        gp__receive<gp__u64>(gp__words(a.workspace), 0, ticket.tag);
        __threadfence();
      }
      __syncthreads();
      c.add_to_sums(pass);
      pass += c.digits;
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      __threadfence();
      s.last = gp__draw(a.workspace, draws).number == draws - 1;
      __threadfence();
    }
    __syncthreads();
    if (!s.last) return;
    for (int p = int(gp_warp()); p < a.passes; p += THREADS / 32) {
      const bool same = c.place(p, n);
      if (gp_lane() == 0) s.same[p] = same;
    }
    __syncthreads();
    if (threadIdx.x == 0) c.decide(s.same);
  }
};
#ifdef GPUPRIMS__ARCH
#define GPUPRIMS__CAPABILITY (GPUPRIMS__ARCH / 10)
#else
#define GPUPRIMS__CAPABILITY 90
#endif
template <class P, class K, int THREADS = GP__RADIX_HISTOGRAM_THREADS,
          int REPLICAS = gp__radix_replicas(int(sizeof(typename K::Bits)), GPUPRIMS__CAPABILITY, 32)>
GP_DEVICE void gp__radix_histogram(const gp__radix_args &a) {
  gp__radix_counting<P, K, THREADS, REPLICAS>::run(a);
}

// The counts of two neighbouring digits, on their way from tile to tile: of a tile, or up to its end, as the upper two
// bits say. In a sweep's beginning all words are marked 0, in its end 2. Of the next sweep these two have changed
// places, so that nothing needs to be cleared: a word's state is its mark, less 2 in odd sweeps.
enum { GP__RADIX_EMPTY = 0, GP__RADIX_TILE = 1, GP__RADIX_PREFIX = 2 };
struct gp__radix_narrow { // fewer than 2^30 elements
  typedef gp__u32 Count;
  typedef gp__u64 Pair;
  static GP_DEVICE Pair make(gp__u32 mark, Count even, Count odd) {
    return static_cast<gp__u64>(mark << 30 | odd) << 32 | (mark << 30 | even);
  }
  static GP_DEVICE gp__u32 mark(Pair w) { return static_cast<gp__u32>(w >> 62); }
  static GP_DEVICE Count even(Pair w) { return static_cast<gp__u32>(w) & 0x3fffffffu; }
  static GP_DEVICE Count odd(Pair w) { return static_cast<gp__u32>(w >> 32) & 0x3fffffffu; }
  static GP_DEVICE Pair load(const Pair *p) { return gp__load_relaxed(p); }
  static GP_DEVICE void store(Pair *p, Pair w) { gp__store_relaxed(p, w); }
};
struct gp__radix_wide {
  typedef gp__u64 Count;
  typedef gp__word Pair;
  static GP_DEVICE Pair make(gp__u32 mark, Count even, Count odd) {
    return gp__word{even, static_cast<gp__u64>(mark) << 62 | odd};
  }
  static GP_DEVICE gp__u32 mark(const Pair &w) { return static_cast<gp__u32>(w.tag >> 62); }
  static GP_DEVICE Count even(const Pair &w) { return w.value; }
  static GP_DEVICE Count odd(const Pair &w) { return w.tag & ~gp__u64(0) >> 2; }
  static GP_DEVICE Pair load(const Pair *p) { return gp__load_word(p); }
  static GP_DEVICE void store(Pair *p, const Pair &w) { gp__store_word(p, w); }
};

template <class V> struct gp__radix_value { // what moves with a key
  static const bool is = true;
  static GP_DEVICE V index(gp__u64) { return V(); }
};
template <> struct gp__radix_value<gp__none> {
  static const bool is = false;
  static GP_DEVICE gp__none index(gp__u64) { return gp__none(); }
};
template <> struct gp__radix_value<gp__u32> {
  static const bool is = true;
  static GP_DEVICE gp__u32 index(gp__u64 i) { return static_cast<gp__u32>(i); }
};
template <> struct gp__radix_value<gp__u64> {
  static const bool is = true;
  static GP_DEVICE gp__u64 index(gp__u64 i) { return i; }
};

template <class P, class K, class V, class W> struct gp__radix_sweep {
  typedef typename K::Key Key;
  typedef typename W::Count Count;
  typedef typename W::Pair Pair;
  typedef gp__radix_value<V> Value;
  typedef gp__tile_rank<P::threads> Rank;
  static const int THREADS = P::threads, ITEMS = gp__radix_items(P::vectors, int(sizeof(Key))), TILE = THREADS * ITEMS;
  static const int AT_ONCE = 4; // elements of a thread on their way from shared memory
  // Values are on their way while keys are counted, where there are registers for both.
  static const bool EARLY = ITEMS * int((sizeof(Key) + 3) / 4 + 1 + (sizeof(V) + 3) / 4) <= 52;
  struct Storage {
    gp_tile_rank_storage<THREADS> rank;
    Count offset[GP__DIGITS]; // where a digit's keys go, less where they stand in the tile
    gp__u32 tile;             // the block's next one
  };
  // The digit of a key in the tile's place i; of what is not there the largest one.
  struct Digit {
    int word, shift;
    gp__u32 mask, flip;
    unsigned valid;
    GP_DEVICE gp__u32 operator()(const Key &key) const {
      return (static_cast<gp__u32>(K::bits(key, word) >> shift) ^ flip) & mask;
    }
    GP_DEVICE gp__u32 operator()(const Key &key, int i) const {
      return K::pads || gp_tile_warp_striped<ITEMS>(i) < valid ? operator()(key) : mask;
    }
  };

  const gp__radix_args &a;
  Storage &s;
  Key *tile_keys;
  V *tile_values;
  gp__u32 step;
  gp__u64 n;

  GP_DEVICE const void *source(const void *input, const void *output, const void *other) const {
    const gp__u32 from = step / GP__RADIX_FROM;
    return from == 0 ? input : from == 1 ? output : other;
  }
  GP_DEVICE const Key *keys_from() const { return static_cast<const Key *>(source(a.keys, a.out_keys, a.other_keys)); }
  // NULL: values are indices.
  GP_DEVICE const V *values_from() const { return static_cast<const V *>(source(a.in, a.out, a.other)); }

  GP_DEVICE void load(Key (&keys)[ITEMS], const Key *from, unsigned valid) const {
    if (valid == TILE) {
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) keys[i] = from[gp_tile_warp_striped<ITEMS>(i)];
    } else {
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) {
        const unsigned k = gp_tile_warp_striped<ITEMS>(i);
        keys[i] = k < valid ? from[k] : K::padding(a.flip != 0);
      }
    }
  }
  GP_DEVICE void load_values(V (&values)[ITEMS], const V *from, gp__u64 first, unsigned valid) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const unsigned k = gp_tile_warp_striped<ITEMS>(i);
      if (!from) values[i] = Value::index(first + k);
      else if (k < valid) values[i] = from[first + k];
    }
  }
  // A thread that counts: the keys of its pair of digits before this tile. Several tiles are asked for at a time.
  GP_DEVICE void look_back(const Pair *words, gp__u32 tile, Count &even, Count &odd) const {
    const gp__u32 twist = step & GP__RADIX_ODD ? 2 : 0;
    even = odd = 0;
    for (bool found = false; !found;) {
      Pair w[GP__RADIX_WINDOW];
      GPUPRIMS__UNROLL
      for (unsigned j = 0; j < GP__RADIX_WINDOW; ++j)
        w[j] = W::load(words + static_cast<gp__u64>(tile > j ? tile - 1 - j : 0) * (GP__DIGITS / 2));
      unsigned passed = 0;
      GPUPRIMS__UNROLL
      for (unsigned j = 0; j < GP__RADIX_WINDOW; ++j) {
        const gp__u32 state = (W::mark(w[j]) - twist) & 3u;
        if (!found && passed == j && state != GP__RADIX_EMPTY) { // the first tile always has a prefix
          even += W::even(w[j]);
          odd += W::odd(w[j]);
          found = state == GP__RADIX_PREFIX;
          ++passed;
        }
      }
      tile -= passed;
    }
  }
  // A few at a time: read, then written.
  template <bool FULL> GP_DEVICE void store(const Digit &digit, bool with_keys, Key *out, V *out_values) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; i += AT_ONCE) {
      Key keys[AT_ONCE];
      Count at[AT_ONCE];
      GPUPRIMS__UNROLL
      for (int j = 0; j < AT_ONCE; ++j) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) keys[j] = tile_keys[k];
      }
      GPUPRIMS__UNROLL
      for (int j = 0; j < AT_ONCE; ++j) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) at[j] = s.offset[digit(keys[j])] + k;
      }
      if (!Value::is || with_keys) {
        GPUPRIMS__UNROLL
        for (int j = 0; j < AT_ONCE; ++j) {
          const unsigned k = (i + j) * THREADS + threadIdx.x;
          if (i + j < ITEMS && (FULL || k < digit.valid)) out[at[j]] = keys[j];
        }
      }
      GPUPRIMS__UNROLL
      for (int j = 0; j < AT_ONCE && Value::is; ++j) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) out_values[at[j]] = tile_values[k];
      }
    }
  }
  GP_DEVICE gp__u32 draw() const { return static_cast<gp__u32>(gp__add_relaxed(a.tickets + a.pass, 1)); }
  GP_DEVICE void sweep() const {
    const Rank rank = {s.rank};
    const Key *from = keys_from();
    const V *values_in = values_from();
    Key *to = static_cast<Key *>(step & GP__RADIX_TO_OTHER ? a.other_keys : a.out_keys);
    V *values_to = static_cast<V *>(step & GP__RADIX_TO_OTHER ? a.other : a.out);
    const bool with_keys = !(step & GP__RADIX_LAST) || !a.drop_keys;
    const gp__u32 twist = step & GP__RADIX_ODD ? 2 : 0;
    const gp__u32 tiles = static_cast<gp__u32>((n + TILE - 1) / TILE); // fewer than 2^32: n elements fit the memory
    const unsigned rest = static_cast<unsigned>(n % TILE), in_last = rest ? rest : TILE;
    const gp__u64 *base = a.counts + a.pass * GP__DIGITS;
    const unsigned pair = threadIdx.x * Rank::PAIRS;
    Pair *words = static_cast<Pair *>(a.words) + pair;
    Digit digit = {a.word, a.shift, a.mask, a.flip, 0};
    if (threadIdx.x == 0) s.tile = draw();
    __syncthreads();
    gp__u32 tile = s.tile;
    Key keys[ITEMS];
    if (tile < tiles) load(keys, from + static_cast<gp__u64>(tile) * TILE, tile + 1 < tiles ? TILE : in_last);
    GPUPRIMS__UNROLL_BY(1)
    while (tile < tiles) {
      gp__u32 next = 0;
      const gp__u64 first = static_cast<gp__u64>(tile) * TILE;
      Pair *own = words + static_cast<gp__u64>(tile) * (GP__DIGITS / 2); // of the tile
      gp__u32 ranks[ITEMS], total[Rank::PAIRS], both = 0;
      V values[ITEMS];
      digit.valid = tile + 1 < tiles ? TILE : in_last;
      if (threadIdx.x == 0) next = draw();
      if (Value::is && EARLY) load_values(values, values_in, first, digit.valid);
      rank.within_warp(ranks, keys, digit);
      __syncthreads();
      GPUPRIMS__UNROLL
      for (int i = 0; i < Rank::PAIRS; ++i) {
        total[i] = 0;
        if (!rank.counts()) continue;
        total[i] = rank.total(pair + i);
        const Count even = total[i] & 0xffffu, odd = total[i] >> 16;
        W::store(own + i, tile == 0 ? W::make(GP__RADIX_PREFIX ^ twist, static_cast<Count>(base[2 * (pair + i)]) + even,
                                              static_cast<Count>(base[2 * (pair + i) + 1]) + odd)
                                    : W::make((GP__RADIX_TILE + twist) & 3u, even, odd));
        both += (total[i] & 0xffffu) + (total[i] >> 16);
      }
      if (threadIdx.x == 0) s.tile = next;
      gp__u32 before = rank.before(both);
      if (rank.counts()) {
        gp__u32 at = before;
        GPUPRIMS__UNROLL
        for (int i = 0; i < Rank::PAIRS; ++i) {
          rank.place(pair + i, at | (at + (total[i] & 0xffffu)) << 16);
          at += (total[i] & 0xffffu) + (total[i] >> 16);
        }
      }
      __syncthreads();
      if (rank.counts()) {
        GPUPRIMS__UNROLL
        for (int i = 0; i < Rank::PAIRS; ++i) {
          Count even, odd;
          if (tile == 0) {
            even = static_cast<Count>(base[2 * (pair + i)]);
            odd = static_cast<Count>(base[2 * (pair + i) + 1]);
          } else {
            look_back(words + i, tile, even, odd);
            W::store(own + i, W::make(GP__RADIX_PREFIX ^ twist, even + (total[i] & 0xffffu), odd + (total[i] >> 16)));
          }
          s.offset[2 * (pair + i)] = even - before;
          before += total[i] & 0xffffu;
          s.offset[2 * (pair + i) + 1] = odd - before;
          before += total[i] >> 16;
        }
      }
      gp__forget(digit.shift);
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) ranks[i] = rank.position(ranks[i], digit(keys[i], i));
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) tile_keys[ranks[i]] = keys[i];
      if (Value::is) {
        if (!EARLY) load_values(values, values_in, first, digit.valid);
        GPUPRIMS__UNROLL
        for (int i = 0; i < ITEMS; ++i) tile_values[ranks[i]] = values[i];
      }
      tile = s.tile;
      if (tile < tiles) // on their way while this tile is written
        load(keys, from + static_cast<gp__u64>(tile) * TILE, tile + 1 < tiles ? TILE : in_last);
      __syncthreads();
      if (digit.valid == TILE) store<true>(digit, with_keys, to, values_to);
      else store<false>(digit, with_keys, to, values_to);
    }
  }
  GP_DEVICE void copy() const {
    const Key *keys = keys_from();
    const V *values = values_from();
    for (gp__u64 i = static_cast<gp__u64>(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += static_cast<gp__u64>(gridDim.x) * THREADS) {
      if (keys != a.out_keys && !a.drop_keys) static_cast<Key *>(a.out_keys)[i] = keys[i];
      if (Value::is && values != a.out) static_cast<V *>(a.out)[i] = values ? values[i] : Value::index(i);
    }
  }
  static GP_DEVICE void run(const gp__radix_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    gp__begin<P>();
    const unsigned key_bytes = (TILE * unsigned(sizeof(Key)) + 15) / 16 * 16;
    const gp__radix_sweep r = {
        a,           s, reinterpret_cast<Key *>(shared), reinterpret_cast<V *>(shared + key_bytes), a.steps[a.pass],
        gp__count(a)};
    if (r.step & GP__RADIX_RUNS) r.sweep();
    else if (r.step & GP__RADIX_COPIES) r.copy();
  }
};
template <class P, class K, class V, class W> GP_DEVICE void gp__radix_pass(const gp__radix_args &a) {
  gp__radix_sweep<P, K, V, W>::run(a);
}

// out[i] = in[index[i]], elements of WORDS words.
template <class P, class Word, int WORDS, class I> GP_DEVICE void gp__gather(const gp__gather_args &a) {
  gp__begin<P>();
  const gp__u64 total = gp__count(a) * WORDS;
  const Word *in = static_cast<const Word *>(a.in);
  for (gp__u64 k = static_cast<gp__u64>(blockIdx.x) * P::threads + threadIdx.x; k < total;
       k += static_cast<gp__u64>(gridDim.x) * P::threads)
    static_cast<Word *>(a.out)[k] =
        in[static_cast<gp__u64>(static_cast<const I *>(a.index)[k / WORDS]) * WORDS + k % WORDS];
}

// ---- hybrid sort
//
// Keys without values, all bits of them: what is equal is the same, so nothing needs to be stable. A level splits its
// parts by up to 8 bits, from the most significant on: one kernel counts digits and plans (the block that ends a part),
// the next one moves keys, a tile at a time, to places drawn from the part's counters, or fills runs where counts say
// all. Neighbouring small buckets are one item of the list that the last kernel sorts on chip, larger ones are parts of
// the next level. (Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs.) Keys go from the input
// to the spare buffer, from there to the output, and back. A part whose keys share a digit does not move: its next
// digits are those between its smallest and its largest key.

// A key of T as the unsigned integer that is sorted.
template <class T, bool DESCENDING> struct gp__sorted {
  typedef gp__ordered<T> Ordered;
  typedef typename Ordered::Bits Raw;
  typedef typename gp__unsigned_of<(sizeof(T) > 4 ? 8 : 4)>::type Key;
  static const int V = 16 / int(sizeof(T));
  static GP_DEVICE Key encode(Raw raw) {
    const Raw bits = Ordered::encode(raw);
    return DESCENDING ? static_cast<Raw>(~bits) : bits;
  }
  static GP_DEVICE Raw decode(Key key) {
    const Raw bits = static_cast<Raw>(key);
    return Ordered::decode(DESCENDING ? static_cast<Raw>(~bits) : bits);
  }
};

enum { GP__FROM_IN, GP__FROM_SPARE, GP__FROM_OUT }; // where keys lie
enum { GP__PART_MOVES, GP__PART_STAYS, GP__PART_COUNTED, GP__PART_CONSTANT };

// Keys [begin, end), all in [low, low + 2^(shift + bits)).
struct gp__hybrid_part {
  gp__u64 begin, end, low, least, most;
  gp__u32 first_tile, tiles, done; // done: tiles that have been counted
  int shift, bits;
  gp__u32 source, mode, hot; // hot: a digit that many keys have; or 256
  GP_DEVICE gp__u64 size() const { return end - begin; }
};
static_assert(sizeof(gp__hybrid_part) == GP__HYBRID_PART_BYTES, "the size of a part");
// Keys that a block sorts.
struct gp__hybrid_item {
  gp__u64 begin, low;
  gp__u32 count;
  unsigned short width, source; // width: of the largest key - low
};
static_assert(sizeof(gp__hybrid_item) == GP__HYBRID_ITEM_BYTES, "the size of an item");

template <class P, class T, bool DESCENDING> struct gp__hybrid {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Key Key;
  typedef typename Code::Raw Raw;
  typedef gp__packed<Raw> Pack;
  static const int V = Code::V, BITS = 8 * int(sizeof(T)), ITEMS = P::vectors * V, TILE = P::threads * ITEMS;

  const gp__hybrid_args &a;
  GP_DEVICE gp__hybrid_part *parts() const { return static_cast<gp__hybrid_part *>(a.parts); }
  GP_DEVICE gp__hybrid_part *next_parts() const { return static_cast<gp__hybrid_part *>(a.next_parts); }
  GP_DEVICE gp__hybrid_item *items() const { return static_cast<gp__hybrid_item *>(a.items); }
  GP_DEVICE const Raw *from(gp__u32 source) const {
    return static_cast<const Raw *>(source == GP__FROM_IN ? a.in : source == GP__FROM_SPARE ? a.spare : a.out);
  }
  GP_DEVICE Raw *to(gp__u32 source) const { return static_cast<Raw *>(source == GP__FROM_SPARE ? a.out : a.spare); }
  // Elements of a tile before the part: tiles begin on 16-byte boundaries of memory.
  GP_DEVICE unsigned skew(gp__u32 source, gp__u64 begin) const {
    return gp__misalignment(from(source) + begin, 16) / unsigned(sizeof(Raw));
  }
  // Digits of a part of the level: as many as make buckets that fit on chip, in as few levels as can be. The later
  // levels have the keys that lie close together: they take all that a level can.
  GP_DEVICE int digit_bits(int level, gp__u64 size, int width) const {
    const gp__u64 fit = a.capacity - a.capacity / 11; // on the average: even keys' buckets differ by a few per cent
    const int need = gp__width<gp__u64>((size + fit - 1) / fit - 1), levels = (need + 7) / 8;
    const int bits = level >= 2 || width <= 8 || levels == 0 ? 8 : (need + levels - 1) / levels;
    return width < bits ? width : bits < 4 ? (width < 4 ? width : 4) : bits;
  }
  // One thread: a part joins the list of a level.
  GP_DEVICE void append(int level, gp__hybrid_part *list, gp__u64 begin, gp__u64 size, Key low, int width,
                        gp__u32 source) const {
    const unsigned before = skew(source, begin);
    const gp__u32 tiles = static_cast<gp__u32>((before + size + TILE - 1) / TILE);
    const gp__u64 was = atomicAdd(a.list + level, static_cast<gp__u64>(tiles) << 32 | 1u);
    const gp__u32 at = static_cast<gp__u32>(was);
    const int bits = digit_bits(level, size, width);
    gp__hybrid_part &p = list[at];
    p.begin = begin, p.end = begin + size, p.low = low, p.least = ~gp__u64(0), p.most = 0;
    p.first_tile = static_cast<gp__u32>(was >> 32), p.tiles = tiles, p.done = 0;
    p.shift = width - bits, p.bits = bits;
    p.source = source, p.mode = GP__PART_MOVES, p.hot = 256;
  }
  GP_DEVICE void add_item(gp__u64 begin, gp__u32 count, Key low, int width, gp__u32 source) const {
    gp__hybrid_item &item = items()[atomicAdd(a.list + GP__HYBRID_LEVELS + 1, gp__u64(1))];
    item.begin = begin, item.low = low, item.count = count;
    item.width = static_cast<unsigned short>(width), item.source = static_cast<unsigned short>(source);
  }
};

// The part of a tile: the last one whose first tile is not behind it. All threads of the block call.
template <int THREADS> GP_DEVICE gp__u32 gp__find_part(const gp__hybrid_part *parts, gp__u32 count, gp__u32 tile) {
  gp__u32 low = 0, left = count; // in [low, low + left)
  while (left > 1) {
    const gp__u32 step = (left + THREADS - 1) / THREADS, ahead = (threadIdx.x + 1) * step;
    const gp__u32 passed =
        static_cast<gp__u32>(__syncthreads_count(ahead < left && parts[low + ahead].first_tile <= tile));
    low += passed * step;
    left -= passed * step;
    if (left > step) left = step;
  }
  return low;
}

// The sum of x over the threads before. A barrier within; one more before `total` serves again.
template <int THREADS, class N> GP_DEVICE N gp__sum_before(N x, N *total) {
  const N up_to = gp_warp_inclusive_scan(x, gp_sum<N>());
  if (gp_lane() == 31) total[gp_warp()] = up_to;
  __syncthreads();
  const N own = gp_lane() < THREADS / 32 ? total[gp_lane()] : 0;
  return gp_warp_broadcast(gp_warp_inclusive_scan(own, gp_sum<N>()) - own, static_cast<int>(gp_warp())) + up_to - x;
}

// Tiles are dealt evenly, consecutive ones to a block.
struct gp__hybrid_share {
  gp__u32 parts, tile, end;
  GP_DEVICE explicit gp__hybrid_share(gp__u64 list) {
    const gp__u32 tiles = static_cast<gp__u32>(list >> 32), each = tiles / gridDim.x, more = tiles % gridDim.x;
    parts = static_cast<gp__u32>(list);
    tile = blockIdx.x * each + (blockIdx.x < more ? blockIdx.x : more);
    end = tile + each + (blockIdx.x < more ? 1 : 0);
  }
};

// One block: empty lists, and the whole input as a part or an item.
template <class P, class T, bool DESCENDING> GP_DEVICE void gp__hybrid_begin(const gp__hybrid_args &a) {
  gp__begin<P>();
  const gp__hybrid<P, T, DESCENDING> h = {a};
  const gp__u64 n = gp__count(a);
  if (threadIdx.x < GP__HYBRID_LEVELS + 2) a.list[threadIdx.x] = 0;
  for (unsigned i = threadIdx.x; i < 256; i += P::threads) a.bins[i] = 0;
  __syncthreads();
  if (threadIdx.x != 0 || n == 0) return;
  if (n > a.capacity) h.append(0, h.parts(), 0, n, 0, h.BITS, GP__FROM_IN);
  else h.add_item(0, static_cast<gp__u32>(n), 0, h.BITS, GP__FROM_IN);
}

template <int THREADS> struct gp__hybrid_count_storage {
  gp__u32 counter[256 * 32]; // a lane has its own: digit * 32 + lane
  gp__u64 total[THREADS / 32];
  gp__u64 start[257], window[256];
  gp__u64 least[THREADS / 32], most[THREADS / 32];
  gp__u32 groups[THREADS / 32];
  gp__u32 hot;
  bool last;
};

template <class P, class T, bool DESCENDING, int THREADS> struct gp__hybrid_counting : gp__hybrid<P, T, DESCENDING> {
  typedef gp__hybrid<P, T, DESCENDING> Base;
  typedef typename Base::Key Key;
  typedef typename Base::Raw Raw;
  typedef typename Base::Code Code;
  typedef gp__hybrid_count_storage<THREADS> Storage;
  static const int V = Base::V;
  static_assert(THREADS >= 256, "a thread a digit");
  Storage &s;
  GP_DEVICE gp__hybrid_counting(const gp__hybrid_args &args, Storage &storage) : Base{args}, s(storage) {}

  // The keys [begin, end) of the part.
  GP_DEVICE void count(const gp__hybrid_part &p, gp__u64 begin, gp__u64 end, Key &least, Key &most) const {
    const Raw *in = this->from(p.source);
    const Key low = static_cast<Key>(p.low);
    const int shift = p.shift;
    gp__u32 *own = s.counter + gp_lane();
    const auto add = [&](Raw raw) {
      const Key key = Code::encode(raw);
      least = key < least ? key : least;
      most = key > most ? key : most;
      atomicAdd(own + static_cast<gp__u32>((key - low) >> shift) * 32, 1u);
    };
    const unsigned before = this->skew(p.source, begin);
    gp__u64 head = before ? V - before : 0; // keys before the first whole vector
    if (head > end - begin) head = end - begin;
    const gp__u64 vectors = (end - begin - head) / V;
    const Raw *first = in + begin + head;
    if (threadIdx.x < head) add(in[begin + threadIdx.x]);
    const int AT_ONCE = 8;
    gp__u64 v = 0;
    for (; v + AT_ONCE * THREADS <= vectors; v += AT_ONCE * THREADS) {
      typename Base::Pack pack[AT_ONCE];
      GPUPRIMS__UNROLL
      for (int i = 0; i < AT_ONCE; ++i)
        pack[i].vector = gp__load_vector<P::load>(first + (v + unsigned(i) * THREADS + threadIdx.x) * V);
      GPUPRIMS__UNROLL
      for (int i = 0; i < AT_ONCE; ++i) {
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j) add(pack[i].item[j]);
      }
    }
    for (v += threadIdx.x; v < vectors; v += THREADS) {
      typename Base::Pack pack;
      pack.vector = gp__load_vector<P::load>(first + v * V);
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) add(pack.item[j]);
    }
    const gp__u64 tail = begin + head + vectors * V;
    if (threadIdx.x < end - tail) add(in[tail + threadIdx.x]);
  }
  // All of the part has been counted: its buckets become parts, items, or runs to be filled.
  GP_DEVICE void plan(gp__hybrid_part &p, gp__u64 *bins) const {
    const unsigned t = threadIdx.x, digits = 1u << p.bits;
    const gp__u64 begin = p.begin, size = p.end - begin, half = this->a.capacity / 2;
    const Key low = static_cast<Key>(p.low);
    const int shift = p.shift;
    const gp__u64 least = gp__load_relaxed(&p.least), most = gp__load_relaxed(&p.most);
    const gp__u64 count = t < digits ? gp__load_relaxed(bins + t) : 0;
    if (t == 0) s.hot = 256;
    const gp__u64 start = gp__sum_before<THREADS>(count, s.total);
    const bool constant = least == most, whole = __syncthreads_or(count == size);
    if (t == 0)
      p.mode = constant ? GP__PART_CONSTANT : shift == 0 ? GP__PART_COUNTED : whole ? GP__PART_STAYS : GP__PART_MOVES;
    if (constant || shift == 0 || whole) {
      if (constant && t == 0) p.low = least;
      else if (constant) return;
      else if (shift == 0 && t < digits) gp__store_relaxed(bins + t, begin + start);
      else if (shift != 0 && t == 0)
        this->append(this->a.level + 1, this->next_parts(), begin, size, static_cast<Key>(least),
                     gp__width(static_cast<Key>(most - least)), p.source);
      return;
    }
    if (t < digits) {
      gp__store_relaxed(bins + t, begin + start); // the cursor of the keys that move
      s.window[t] = count > half ? ~gp__u64(0) : start / half;
      if (count > size / 4) atomicExch(&s.hot, t); // one of up to three
    }
    __syncthreads();
    // Groups: a bucket with more keys than half a block sorts, alone; the others by the window in which they start.
    const bool head = t < digits && (t == 0 || s.window[t] == ~gp__u64(0) || s.window[t - 1] != s.window[t]);
    const gp__u32 group = gp__sum_before<THREADS>(head ? 1u : 0u, s.groups);
    const unsigned groups = static_cast<unsigned>(__syncthreads_count(head));
    if (head) s.start[group] = start | static_cast<gp__u64>(t) << 48;
    if (t == 0) s.start[groups] = size | static_cast<gp__u64>(digits) << 48;
    __syncthreads();
    if (t == 0) p.hot = s.hot;
    if (head) {
      const gp__u64 next = s.start[group + 1], keys = (next & 0xffffffffffffull) - start;
      const unsigned span = static_cast<unsigned>(next >> 48) - t;
      const gp__u32 source = p.source == GP__FROM_SPARE ? GP__FROM_OUT : GP__FROM_SPARE;
      const Key from = low + (static_cast<Key>(t) << shift);
      if (keys > this->a.capacity)
        this->append(this->a.level + 1, this->next_parts(), begin + start, keys, from, shift, source);
      else if (keys)
        this->add_item(begin + start, static_cast<gp__u32>(keys), from, shift + gp__width<gp__u32>(span - 1), source);
    }
    __syncthreads();
  }
};

template <class P, class T, bool DESCENDING, int THREADS> GP_DEVICE void gp__hybrid_count(const gp__hybrid_args &a) {
  typedef gp__hybrid_counting<P, T, DESCENDING, THREADS> Counting;
  typedef typename Counting::Key Key;
  GP_SHARED(gp__hybrid_count_storage<THREADS>, s);
  gp__begin<P>();
  const Counting h(a, s);
  const gp__hybrid_share share(a.list[a.level]);
  gp__u32 tile = share.tile;
  if (tile >= share.end) return;
  gp__u32 at = gp__find_part<THREADS>(h.parts(), share.parts, tile);
  while (tile < share.end) {
    gp__hybrid_part &p = h.parts()[at];
    gp__u64 *bins = a.bins + static_cast<gp__u64>(at) * 256;
    const unsigned digits = 1u << p.bits;
    const gp__u32 first = tile - p.first_tile, left = share.end - p.first_tile, last = left < p.tiles ? left : p.tiles;
    const gp__u64 base = p.begin - h.skew(p.source, p.begin), stop = base + static_cast<gp__u64>(last) * h.TILE;
    const gp__u64 begin = first ? base + static_cast<gp__u64>(first) * h.TILE : p.begin,
                  end = stop < p.end ? stop : p.end;
    Key least = ~Key(0), most = 0;
    for (unsigned i = threadIdx.x; i < digits * 32; i += THREADS) s.counter[i] = 0;
    __syncthreads();
    h.count(p, begin, end, least, most);
    least = gp_warp_reduce(least, gp_min<Key>());
    most = gp_warp_reduce(most, gp_max<Key>());
    if (gp_lane() == 0) {
      atomicMin(&p.least, static_cast<gp__u64>(least));
      atomicMax(&p.most, static_cast<gp__u64>(most));
    }
    __syncthreads();
    for (unsigned d = threadIdx.x; d < digits; d += THREADS) {
      gp__u64 sum = 0;
      for (unsigned i = 0; i < 32; ++i) sum += s.counter[d * 32 + ((i + threadIdx.x) & 31u)];
      if (sum) gp__add_relaxed(bins + d, sum);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      s.last = atomicAdd(&p.done, last - first) + (last - first) == p.tiles;
      __threadfence();
    }
    __syncthreads();
    if (s.last) {
      __threadfence();
      h.plan(p, bins);
    }
    __syncthreads();
    tile += last - first;
    ++at;
  }
}

template <class P, class T, bool DESCENDING> struct gp__hybrid_moving : gp__hybrid<P, T, DESCENDING> {
  typedef gp__hybrid<P, T, DESCENDING> Base;
  typedef typename Base::Key Key;
  typedef typename Base::Raw Raw;
  typedef typename Base::Code Code;
  static const int V = Base::V, ITEMS = Base::ITEMS, TILE = Base::TILE, THREADS = P::threads;
  static_assert(TILE < 65536 && ITEMS % 2 == 0, "slots have 16 bits");
  static const int DIGITS_A_THREAD = (256 + THREADS - 1) / THREADS;
  struct Storage {
    gp__u64 delta[256];
    gp__u32 count[256];
    gp__u32 total[32];
    Key key[1]; // TILE
  };
  Storage &s;
  const unsigned thread;
  GP_DEVICE gp__hybrid_moving(const gp__hybrid_args &args, Storage &storage)
      : Base{args}, s(storage), thread(gp__anew(threadIdx.x)) {}

  GP_DEVICE unsigned position(int i) const { return (unsigned(i) / V * THREADS + thread) * V + unsigned(i) % V; }
  // The slots of the keys in their digits, two a word. HOT: the lanes with one digit, the hot one or the first lane's,
  // are counted by one of them.
  template <bool HOT, class There>
  GP_DEVICE void rank(const Key (&keys)[ITEMS], gp__u32 (&slots)[ITEMS / 2], const There &there, Key low, int shift,
                      gp__u32 hot) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u32 digit = static_cast<gp__u32>((keys[i] - low) >> shift);
      gp__u32 slot = 0;
      if (!HOT) {
        if (there(i)) slot = atomicAdd(&s.count[digit], 1u);
      } else {
        const gp__u32 chosen = hot < 256 ? hot : gp_warp_broadcast(digit, 0);
        const bool is = there(i) && digit == chosen;
        const gp__u32 lanes = __ballot_sync(0xffffffffu, is), lead = lanes & (0u - lanes);
        if (is ? lead == 1u << gp_lane() : there(i))
          slot = atomicAdd(&s.count[digit], is ? static_cast<gp__u32>(__popc(lanes)) : 1u);
        const gp__u32 first = gp_warp_broadcast(slot, lanes ? __popc(lead - 1) : 0);
        if (is) slot = first + static_cast<gp__u32>(__popc(lanes & ((1u << gp_lane()) - 1)));
      }
      slots[i / 2] = i % 2 ? gp__anew(slots[i / 2] | slot << 16) : slot;
    }
  }
  template <class There>
  GP_DEVICE void scatter(const Key (&keys)[ITEMS], const gp__u32 (&slots)[ITEMS / 2], const There &there, Key low,
                         int shift) const {
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i)
      if (there(i)) {
        const gp__u32 digit = static_cast<gp__u32>((keys[i] - low) >> shift);
        s.key[s.count[digit] + (i % 2 ? slots[i / 2] >> 16 : slots[i / 2] & 0xffffu)] = keys[i];
      }
  }
  // Keys of one tile of the part, at `first` .. `end` of it.
  template <class There>
  GP_DEVICE void tile(const gp__hybrid_part &p, gp__u64 *bins, const Key (&keys)[ITEMS], const There &there,
                      unsigned n) const {
    const Key low = static_cast<Key>(p.low);
    const int shift = p.shift;
    const unsigned digits = 1u << p.bits;
    gp__u32 slots[ITEMS / 2];
    GPUPRIMS__UNROLL
    for (int d = 0; d < DIGITS_A_THREAD; ++d)
      if (thread * DIGITS_A_THREAD + d < digits) s.count[thread * DIGITS_A_THREAD + d] = 0;
    __syncthreads();
    const gp__u32 sample = static_cast<gp__u32>((keys[0] - low) >> shift);
    const gp__u32 alike = __ballot_sync(0xffffffffu, sample == gp_warp_broadcast(sample, 0));
    if (p.hot < 256 || __popc(alike) >= 6) rank<true>(keys, slots, there, low, shift, p.hot);
    else rank<false>(keys, slots, there, low, shift, p.hot);
    __syncthreads();
    gp__u32 count[DIGITS_A_THREAD], sum = 0;
    gp__u64 cursor[DIGITS_A_THREAD];
    GPUPRIMS__UNROLL
    for (int d = 0; d < DIGITS_A_THREAD; ++d) {
      const unsigned digit = thread * DIGITS_A_THREAD + unsigned(d);
      count[d] = digit < digits ? s.count[digit] : 0;
      cursor[d] = count[d] ? gp__add_relaxed(bins + digit, gp__u64(count[d])) : 0;
      sum += count[d];
    }
    gp__u32 start = gp__sum_before<THREADS>(sum, s.total);
    GPUPRIMS__UNROLL
    for (int d = 0; d < DIGITS_A_THREAD; ++d) {
      const unsigned digit = thread * DIGITS_A_THREAD + unsigned(d);
      if (digit < digits) {
        s.count[digit] = start;
        s.delta[digit] = cursor[d] - start;
      }
      start += count[d];
    }
    __syncthreads();
    scatter(keys, slots, there, low, shift);
    __syncthreads();
    Raw *out = this->to(p.source);
    GPUPRIMS__UNROLL_BY(8)
    for (unsigned q = thread; q < n; q += THREADS) {
      const Key key = s.key[q];
      out[s.delta[static_cast<gp__u32>((key - low) >> shift)] + q] = Code::decode(key);
    }
    __syncthreads();
  }
  GP_DEVICE void move(const gp__hybrid_part &p, gp__u64 *bins, gp__u32 x) const {
    const Raw *in = this->from(p.source);
    const gp__u64 base = p.begin - this->skew(p.source, p.begin) + static_cast<gp__u64>(x) * TILE; // may wrap below 0
    const gp__u64 left = p.end - base;
    const unsigned first = x ? 0 : this->skew(p.source, p.begin),
                   end = left < TILE ? static_cast<unsigned>(left) : TILE;
    Key keys[ITEMS];
    if (first == 0 && end == TILE) {
      typename Base::Pack pack[P::vectors];
      GPUPRIMS__UNROLL
      for (int i = 0; i < P::vectors; ++i)
        pack[i].vector = gp__load_vector<P::load>(in + base + (unsigned(i) * THREADS + thread) * V);
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) keys[i] = Code::encode(pack[i / V].item[i % V]);
      tile(
          p, bins, keys, [](int) { return true; }, TILE);
    } else {
      const auto there = [=](int i) { return this->position(i) >= first && this->position(i) < end; };
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i)
        keys[i] = there(i) ? Code::encode(in[base + position(i)]) : static_cast<Key>(p.low);
      tile(p, bins, keys, there, end - first);
    }
  }
  // Places of the tile, whose keys follow from the counts.
  GP_DEVICE void fill(const gp__hybrid_part &p, const gp__u64 *bins, gp__u32 x) const {
    Raw *out = static_cast<Raw *>(this->a.out);
    const Key low = static_cast<Key>(p.low);
    const unsigned before = this->skew(p.source, p.begin), digits = 1u << p.bits;
    const gp__u64 stop = p.begin - before + static_cast<gp__u64>(x + 1) * TILE, end = stop < p.end ? stop : p.end;
    const gp__u64 begin = x ? stop - TILE : p.begin;
    if (p.mode == GP__PART_CONSTANT) {
      for (gp__u64 q = begin + thread; q < end; q += THREADS) out[q] = Code::decode(low);
      return;
    }
    for (unsigned d = thread; d < 256; d += THREADS) s.delta[d] = d < digits ? bins[d] : ~gp__u64(0);
    __syncthreads();
    for (gp__u64 q = begin + thread; q < end; q += THREADS) {
      unsigned digit = 0; // the last one that starts at q or before
      GPUPRIMS__UNROLL
      for (unsigned step = 128; step > 0; step /= 2)
        if (s.delta[digit + step] <= q) digit += step;
      out[q] = Code::decode(low + digit);
    }
    __syncthreads();
  }
};

template <class P, class T, bool DESCENDING> GP_DEVICE void gp__hybrid_move(const gp__hybrid_args &a) {
  typedef gp__hybrid_moving<P, T, DESCENDING> Moving;
  GP_DYNAMIC_SHARED(bytes);
  gp__begin<P>();
  typename Moving::Storage &s = *reinterpret_cast<typename Moving::Storage *>(bytes);
  const gp__hybrid<P, T, DESCENDING> h = {a};
  const gp__hybrid_share share(a.list[a.level]);
  const gp__u64 counters = (a.list[a.level + 1] & 0xffffffffu) * 256; // of the next level
  for (gp__u64 i = static_cast<gp__u64>(blockIdx.x) * P::threads + threadIdx.x; i < counters;
       i += static_cast<gp__u64>(gridDim.x) * P::threads)
    a.next_bins[i] = 0;
  gp__u32 tile = share.tile;
  if (tile >= share.end) return;
  gp__u32 at = gp__find_part<P::threads>(h.parts(), share.parts, tile);
  while (tile < share.end) {
    const gp__hybrid_part p = h.parts()[at];
    gp__u64 *bins = a.bins + static_cast<gp__u64>(at) * 256;
    const gp__u32 stop = p.first_tile + p.tiles < share.end ? p.first_tile + p.tiles : share.end;
    if (p.mode == GP__PART_MOVES)
      for (; tile < stop; ++tile) Moving(a, s).move(p, bins, tile - p.first_tile);
    else if (p.mode != GP__PART_STAYS)
      for (; tile < stop; ++tile) Moving(a, s).fill(p, bins, tile - p.first_tile);
    tile = stop;
    ++at;
  }
}

// Buckets on chip.
template <class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS> struct gp__bucket {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Key Key;
  typedef typename Code::Raw Raw;
  typedef gp__packed<Raw> Pack;
  typedef gp__tile_sort<Key, THREADS, ITEMS, LOG2_BINS> Sort;
  typedef typename Sort::Storage Storage;
  static const int V = Code::V <= ITEMS ? Code::V : 1;
  static_assert(sizeof(Storage) == gp__tile_sort_bytes(int(sizeof(T)), THREADS, ITEMS, LOG2_BINS), "shared memory");
  Storage &s;

  // n keys at in, sorted to out, which may be in; key - low has `width` bits. False: out has them in another order.
  GP_DEVICE bool sort(const Raw *in, Raw *out, unsigned n, Key low, int width) const {
    const unsigned thread = gp__anew(threadIdx.x);
    const Sort sort = {s, thread};
    const int shift = width > LOG2_BINS ? width - LOG2_BINS : 0;
    Key keys[ITEMS], edge = 0; // whole vectors; the keys before and behind them, a lane of warp 0 each
    const unsigned before = V > 1 ? gp__misalignment(in, 16) / unsigned(sizeof(Raw)) : 0;
    const unsigned head = before && V - before < n ? V - before : before ? n : 0, vectors = (n - head) / V;
    const unsigned at_edge = thread < head ? thread : thread + vectors * V;
    const auto there = [=](int i) { return i >= 0 ? unsigned(i) / V * THREADS + thread < vectors : at_edge < n; };
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; i += V) {
      Pack pack;
      pack.vector = gp_vector{{0, 0, 0, 0}};
      const Raw *from = in + head + (unsigned(i) / V * THREADS + thread) * V;
      if (V > 1) gp__load_vector_if<P::load>(there(i), from, pack.vector);
      else if (there(i)) pack.item[0] = *from;
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) keys[i + j] = Code::encode(pack.item[j]);
    }
    if (gp_warp() == 0 && at_edge < n) edge = Code::encode(in[at_edge]);
    sort.scatter(keys, edge, there, n, low, shift);
    const bool sorted = sort.finish(shift);
    store(out, n, thread);
    return sorted;
  }
  // The same, whatever the keys are. Slower.
  GP_DEVICE void sort_any(const Raw *in, Raw *out, unsigned n) const {
    const Sort sort = {s, gp__anew(threadIdx.x)};
    for (unsigned q = threadIdx.x; q < n; q += THREADS) s.key[Storage::place(q)] = Code::encode(in[q]);
    sort.surround(n);
    __syncthreads();
    sort.sort(n, 64);
    store(out, n, threadIdx.x);
  }
  GP_DEVICE void store(Raw *out, unsigned n, unsigned thread) const {
    const unsigned ahead = V > 1 ? gp__misalignment(out, 16) / unsigned(sizeof(Raw)) : 0;
    for (unsigned q = thread * V; q < ahead + n; q += THREADS * V) {
      const bool whole = V > 1 && q >= ahead && q + V <= ahead + n;
      Pack pack;
      GPUPRIMS__UNROLL
      for (int j = 0; j < V; ++j) {
        const unsigned p = q + unsigned(j) - ahead;
        pack.item[j] = Code::decode(s.key[Storage::place(p < n ? p : 0)]);
      }
      gp__store_vector_if(whole, out + q - ahead, pack.vector);
      if (!whole) {
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j)
          if (q + unsigned(j) - ahead < n) out[q + unsigned(j) - ahead] = pack.item[j];
      }
    }
  }
};

// The items of the list, dealt in turn.
template <class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS>
GP_DEVICE void gp__hybrid_sort(const gp__hybrid_args &a) {
  typedef gp__bucket<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS> Bucket;
  GP_DYNAMIC_SHARED(bytes);
  gp__begin<P>();
  const Bucket bucket = {*reinterpret_cast<typename Bucket::Storage *>(bytes)};
  const gp__hybrid<P, T, DESCENDING> h = {a};
  const typename Bucket::Sort sort = {bucket.s, threadIdx.x};
  sort.clear();
  typename Bucket::Raw *out = static_cast<typename Bucket::Raw *>(a.out);
  const gp__u64 items = a.list[GP__HYBRID_LEVELS + 1];
  gp__u32 unsorted = 0; // buckets that the block has left for later
  for (gp__u64 i = blockIdx.x; i < items; i += gridDim.x) {
    const gp__hybrid_item item = h.items()[i];
    __syncthreads();
    if (!bucket.sort(h.from(item.source) + item.begin, out + item.begin, item.count,
                     static_cast<typename Bucket::Key>(item.low), item.width)) {
      if (threadIdx.x == 0)
        h.items()[blockIdx.x + static_cast<gp__u64>(unsorted) * gridDim.x] = item; // a place of the block's own
      ++unsorted;
    }
  }
  __syncthreads();
  for (gp__u32 i = 0; i < unsorted; ++i) {
    const gp__hybrid_item item = h.items()[blockIdx.x + static_cast<gp__u64>(i) * gridDim.x];
    bucket.sort_any(out + item.begin, out + item.begin, item.count);
    __syncthreads();
  }
}

// All keys in one block.
template <class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS>
GP_DEVICE void gp__sort_one_block(const gp__hybrid_args &a) {
  typedef gp__bucket<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS> Bucket;
  GP_DYNAMIC_SHARED(bytes);
  gp__begin<P>();
  const Bucket bucket = {*reinterpret_cast<typename Bucket::Storage *>(bytes)};
  const typename Bucket::Sort sort = {bucket.s, threadIdx.x};
  sort.clear();
  __syncthreads();
  typename Bucket::Raw *out = static_cast<typename Bucket::Raw *>(a.out);
  const unsigned n = static_cast<unsigned>(gp__count(a));
  if (bucket.sort(static_cast<const typename Bucket::Raw *>(a.in), out, n, 0, 8 * int(sizeof(T)))) return;
  __syncthreads();
  bucket.sort_any(out, out, n);
}

#endif // GPUPRIMS__DEVICE_TEXT

#endif // GPUPRIMS__SEEN

// The implementation in C ---------------------------------------------------------------------------------------------

#if defined(GPUPRIMS_IMPLEMENTATION) && !defined(GPUPRIMS__IMPLEMENTED) && !defined(__CUDACC_RTC__)
#define GPUPRIMS__IMPLEMENTED

// >>driver ------------------------------------------------------------------------------------------------------------
//
// The thread's message, the log, and the functions of the CUDA driver and of NVRTC, opened at run time. Nothing of the
// toolkit is included: the few types and numbers that are needed are said here.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define GPUPRIMS__PRIVATE __attribute__((unused)) static
#define GPUPRIMS__FORMAT(text, arguments) __attribute__((format(printf, text, arguments)))

// ---- messages

enum { GP__MESSAGE_BYTES = 4096 };
static __thread char gp__message[GP__MESSAGE_BYTES];

// Sets the thread's message and returns the code.
GPUPRIMS__FORMAT(2, 3) GPUPRIMS__PRIVATE gp_result gp__fail(gp_result code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(gp__message, sizeof gp__message, format, list);
  va_end(list);
  return code;
}

// ---- the table

typedef unsigned long long gp__cu_pointer; // CUdeviceptr

typedef struct gp__cu_attribute { // CUlaunchAttribute
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    void *pointer;
  } value;
} gp__cu_attribute;

typedef struct gp__cu_launch { // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void *stream;
  gp__cu_attribute *attributes;
  unsigned attribute_count;
} gp__cu_launch;

enum { // of CUresult, CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID, CUstreamCaptureMode
  GP__CU_OUT_OF_MEMORY = 2,
  GP__CU_MULTIPROCESSORS = 16,
  GP__CU_CAPABILITY_MAJOR = 75,
  GP__CU_CAPABILITY_MINOR = 76,
  GP__CU_SHARED_BYTES_OPT_IN = 97,
  GP__CU_MEMORY_POOLS = 115,
  GP__CU_DYNAMIC_SHARED_BYTES = 8,
  GP__CU_PROGRAMMATIC_SERIALIZATION = 6,
  GP__CU_CAPTURE_RELAXED = 2
};

// F(needed, name, symbol, parameters): all return a CUresult. The list serves the struct, the loader and the fake of
// the tests.
#define GP__CUDA_FUNCTIONS(F)                                                                                          \
  F(1, cuInit, "cuInit", (unsigned flags))                                                                             \
  F(1, cuDriverGetVersion, "cuDriverGetVersion", (int *version))                                                       \
  F(1, cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                                             \
  F(1, cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                                                         \
  F(1, cuDeviceGetName, "cuDeviceGetName", (char *name, int capacity, int device))                                     \
  F(1, cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                          \
  F(1, cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                                          \
  F(1, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))                             \
  F(1, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                        \
  F(1, cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                                                           \
  F(1, cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *context))                                                       \
  F(1, cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **context))                                                        \
  F(1, cuCtxGetDevice, "cuCtxGetDevice", (int *device))                                                                \
  F(1, cuCtxSynchronize, "cuCtxSynchronize", (void))                                                                   \
  F(1, cuStreamGetCtx, "cuStreamGetCtx", (void *stream, void **context))                                               \
  F(0, cuStreamGetId, "cuStreamGetId", (void *stream, unsigned long long *id))                                         \
  F(1, cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status))                                        \
  F(1, cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                                                     \
  F(1, cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode))                            \
  F(0, cuMemAllocAsync, "cuMemAllocAsync", (gp__cu_pointer * pointer, size_t bytes, void *stream))                     \
  F(0, cuMemFreeAsync, "cuMemFreeAsync", (gp__cu_pointer pointer, void *stream))                                       \
  F(1, cuMemAlloc, "cuMemAlloc_v2", (gp__cu_pointer * pointer, size_t bytes))                                          \
  F(1, cuMemFree, "cuMemFree_v2", (gp__cu_pointer pointer))                                                            \
  F(1, cuMemsetD8Async, "cuMemsetD8Async", (gp__cu_pointer pointer, unsigned char value, size_t bytes, void *stream))  \
  F(1, cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image))                                       \
  F(1, cuModuleUnload, "cuModuleUnload", (void *module))                                                               \
  F(1, cuModuleGetFunction, "cuModuleGetFunction", (void **function, void *module, const char *name))                  \
  F(1, cuModuleGetGlobal, "cuModuleGetGlobal_v2",                                                                      \
    (gp__cu_pointer * pointer, size_t * bytes, void *module, const char *name))                                        \
  F(1, cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, gp__cu_pointer from, size_t bytes))                                 \
  F(1, cuFuncSetAttribute, "cuFuncSetAttribute", (void *function, int attribute, int value))                           \
  F(1, cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                     \
    (int *blocks, void *function, int threads, size_t shared_bytes))                                                   \
  F(0, cuLaunchKernelEx, "cuLaunchKernelEx",                                                                           \
    (const gp__cu_launch *config, void *function, void **parameters, void **extra))                                    \
  F(1, cuLaunchKernel, "cuLaunchKernel",                                                                               \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,            \
     unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra))                          \
  F(1, cuGetErrorName, "cuGetErrorName", (int error, const char **name))                                               \
  F(1, cuGetErrorString, "cuGetErrorString", (int error, const char **text))

// The same for NVRTC; all return an nvrtcResult.
#define GP__NVRTC_FUNCTIONS(F)                                                                                         \
  F(1, nvrtcVersion, "nvrtcVersion", (int *major, int *minor))                                                         \
  F(1, nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *count))                                           \
  F(1, nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", (int *architectures))                                         \
  F(1, nvrtcCreateProgram, "nvrtcCreateProgram",                                                                       \
    (void **program, const char *text, const char *name, int headers, const char *const *header_texts,                 \
     const char *const *header_names))                                                                                 \
  F(1, nvrtcDestroyProgram, "nvrtcDestroyProgram", (void **program))                                                   \
  F(1, nvrtcCompileProgram, "nvrtcCompileProgram", (void *program, int count, const char *const *options))             \
  F(1, nvrtcGetCUBINSize, "nvrtcGetCUBINSize", (void *program, size_t *bytes))                                         \
  F(1, nvrtcGetCUBIN, "nvrtcGetCUBIN", (void *program, char *image))                                                   \
  F(1, nvrtcGetPTXSize, "nvrtcGetPTXSize", (void *program, size_t *bytes))                                             \
  F(1, nvrtcGetPTX, "nvrtcGetPTX", (void *program, char *image))                                                       \
  F(1, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", (void *program, size_t *bytes))                               \
  F(1, nvrtcGetProgramLog, "nvrtcGetProgramLog", (void *program, char *log))

struct gp_driver {
#define GPUPRIMS__FIELD(needed, name, symbol, parameters) int(*name) parameters;
  GP__CUDA_FUNCTIONS(GPUPRIMS__FIELD)
  GP__NVRTC_FUNCTIONS(GPUPRIMS__FIELD) // null in a table of the tests: as if there were no NVRTC
#undef GPUPRIMS__FIELD
};

// What every part of a context's implementation needs: the table and the log.
enum { GP__ARCHITECTURES = 96 };
typedef struct gp__runtime {
  struct gp_driver driver;
  int given;        // the table came from gp_config.driver: no library is opened
  gp_log_fn log;    // or NULL
  void *log_user;   //
  int no_compile;   // never open NVRTC
  char *nvrtc_path; // or NULL: by system name
  pthread_mutex_t nvrtc_lock;
  int nvrtc_open;
  int nvrtc_version;                    // 13000 for 13.0; 0: not open
  int architectures[GP__ARCHITECTURES]; // that NVRTC knows, ascending: 75, 80 ...
  int architecture_count;
} gp__runtime;

GPUPRIMS__FORMAT(3, 4)
GPUPRIMS__PRIVATE void gp__log(const gp__runtime *r, gp_log_level level, const char *format, ...) {
  char text[1024];
  va_list list;
  if (!r->log) return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  r->log(r->log_user, level, text);
}

// The failure of a driver call, in words. `who` is the function that the user called.
GPUPRIMS__PRIVATE gp_result gp__cuda_fail(const gp__runtime *r, const char *who, const char *call, int error) {
  const char *name = NULL, *text = NULL;
  if (r->driver.cuGetErrorName(error, &name) || !name) name = "unknown error";
  if (r->driver.cuGetErrorString(error, &text) || !text) text = "no text";
  return gp__fail(GP_E_DRIVER, "%s: %s failed: %s (%d): %s", who, call, name, error, text);
}

// ---- opening the libraries

// Pointers to functions do not convert from pointers to data in ISO C; their bytes do.
GPUPRIMS__PRIVATE int gp__symbol(void *library, const char *symbol, void *function) {
  void *address = dlsym(library, symbol);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

// By system name or by the caller's absolute path, never from the working folder. Libraries stay open: the driver does
// not like to be unloaded.
GPUPRIMS__PRIVATE void *gp__open_library(const char *path, const char *const *names, char *why, size_t capacity) {
  void *library = NULL;
  size_t used = 0;
  const char *given[2];
  given[0] = path;
  given[1] = NULL;
  if (path) names = given;
  why[0] = 0;
  for (; !library && *names; ++names) {
    library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
    if (!library && used < capacity) {
      const char *error = dlerror();
      used += (size_t)snprintf(why + used, capacity - used, "%s%s", used ? "; " : "", error ? error : *names);
    }
  }
  return library;
}

// Fills the driver's part of the table. On failure `why` says why.
GPUPRIMS__PRIVATE int gp__open_cuda(struct gp_driver *d, const char *path, char *why, size_t capacity) {
  static const char *const names[] = {"libcuda.so.1", NULL};
  void *library = gp__open_library(path, names, why, capacity);
  if (!library) return 0;
#define GPUPRIMS__LOAD(needed, name, symbol, parameters)                                                               \
  if (!gp__symbol(library, symbol, (void *)&d->name) && needed) {                                                      \
    snprintf(why, capacity, "the driver has no %s", symbol);                                                           \
    return 0;                                                                                                          \
  }
  GP__CUDA_FUNCTIONS(GPUPRIMS__LOAD)
#undef GPUPRIMS__LOAD
  return 1;
}

// Opens NVRTC the first time that something must be compiled.
GPUPRIMS__PRIVATE gp_result gp__open_nvrtc_locked(gp__runtime *r, const char *who) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
  struct gp_driver *d = &r->driver;
  int major = 0, minor = 0, error, i, j;
  const char *call = "nvrtcVersion";
  if (r->nvrtc_open) return GP_SUCCESS;
  if (!r->given) {
    char why[1024];
    void *library = gp__open_library(r->nvrtc_path, names, why, sizeof why);
    if (!library) return gp__fail(GP_E_NO_COMPILER, "%s: NVRTC cannot be opened: %s", who, why);
#define GPUPRIMS__LOAD_NVRTC(needed, name, symbol, parameters)                                                         \
  if (!gp__symbol(library, symbol, (void *)&d->name))                                                                  \
    return gp__fail(GP_E_NO_COMPILER, "%s: NVRTC has no %s: version 11.2 or later is needed", who, symbol);
    GP__NVRTC_FUNCTIONS(GPUPRIMS__LOAD_NVRTC)
#undef GPUPRIMS__LOAD_NVRTC
  }
  if (!d->nvrtcVersion) return gp__fail(GP_E_NO_COMPILER, "%s: gp_config.driver has no NVRTC", who);
  error = d->nvrtcVersion(&major, &minor);
  if (!error) call = "nvrtcGetNumSupportedArchs", error = d->nvrtcGetNumSupportedArchs(&r->architecture_count);
  if (!error && (r->architecture_count < 1 || r->architecture_count > GP__ARCHITECTURES)) error = -1;
  if (!error) call = "nvrtcGetSupportedArchs", error = d->nvrtcGetSupportedArchs(r->architectures);
  if (error) return gp__fail(GP_E_NO_COMPILER, "%s: %s failed with code %d", who, call, error);
  for (i = 1; i < r->architecture_count; ++i)
    for (j = i; j > 0 && r->architectures[j - 1] > r->architectures[j]; --j) {
      const int swap = r->architectures[j];
      r->architectures[j] = r->architectures[j - 1];
      r->architectures[j - 1] = swap;
    }
  r->nvrtc_version = major * 1000 + minor * 10;
  r->nvrtc_open = 1;
  return GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__open_nvrtc(gp__runtime *r, const char *who) {
  gp_result result;
  int opened;
  if (r->no_compile)
    return gp__fail(GP_E_NO_COMPILER, "%s: the kernel is neither cached nor bundled, and gp_config.no_compile is set",
                    who);
  pthread_mutex_lock(&r->nvrtc_lock);
  opened = !r->nvrtc_open;
  result = gp__open_nvrtc_locked(r, who);
  pthread_mutex_unlock(&r->nvrtc_lock);
  if (opened && result == GP_SUCCESS)
    gp__log(r, GP_LOG_INFO, "NVRTC %d.%d opened", r->nvrtc_version / 1000, r->nvrtc_version % 1000 / 10);
  return result;
}

// ---- strings that grow

typedef struct gp__text {
  char *data; // or NULL: empty
  size_t size, capacity;
  int failed; // an allocation failed
} gp__text;

GPUPRIMS__FORMAT(2, 3) GPUPRIMS__PRIVATE void gp__add(gp__text *t, const char *format, ...) {
  va_list list;
  int length;
  va_start(list, format);
  length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (t->failed || length < 0) {
    t->failed = 1;
    return;
  }
  if (t->size + (size_t)length + 1 > t->capacity) {
    const size_t capacity = (t->size + (size_t)length + 1) * 2;
    char *data = (char *)realloc(t->data, capacity);
    if (!data) {
      t->failed = 1;
      return;
    }
    t->data = data;
    t->capacity = capacity;
  }
  va_start(list, format);
  vsnprintf(t->data + t->size, t->capacity - t->size, format, list);
  va_end(list);
  t->size += (size_t)length;
}
GPUPRIMS__PRIVATE const char *gp__string(const gp__text *t) { return t->data ? t->data : ""; }
GPUPRIMS__PRIVATE void gp__free_text(gp__text *t) {
  free(t->data);
  memset(t, 0, sizeof *t);
}

// A copy of a string, or NULL. *failed is set when there is no memory for it.
GPUPRIMS__PRIVATE char *gp__duplicate(const char *string, int *failed) {
  char *copy;
  size_t bytes;
  if (!string) return NULL;
  bytes = strlen(string) + 1;
  copy = (char *)malloc(bytes);
  if (copy) memcpy(copy, string, bytes);
  else *failed = 1;
  return copy;
}
// >>host --------------------------------------------------------------------------------------------------------------
//
// What a call becomes once its types and operators are looked up, and the back end that runs it in plain C.

// A struct type or an operator that the user defined; strings are owned by the context.
typedef struct gp__type_info {
  char *name;
  char *source; // or NULL: raw bytes
  size_t size;
  size_t align;
} gp__type_info;

typedef struct gp__op_info {
  char *name;
  char *body;     // or NULL
  char *prelude;  // or NULL
  char *identity; // or NULL
  int arity;
  int commutative;
  gp_host_fn host; // or NULL
  void *host_user;
  int has_host_identity;
  gp__value host_identity;
} gp__op_info;

// A checked call with every default filled in.
typedef struct gp__request {
  gp_primitive primitive;
  gp_op op;                                                              // 0 for copy, fill and iota
  gp_op transform;                                                       // 0: none
  const gp__op_info *user_op;                                            // NULL: `op` is built in
  const gp__op_info *user_transform;                                     // NULL: `transform` is built in, or none
  gp_op equal;                                                           // runs, by key: EQUAL, NOT_EQUAL, HEADS
  const gp__op_info *user_equal;                                         // NULL: `equal` is built in
  gp_type in_type, in2_type, acc_type, out_type;                         // handles >= GP_TYPE_COUNT are structs
  const gp__type_info *in_struct, *in2_struct, *acc_struct, *out_struct; // NULL: built in
  size_t in_size, in2_size, acc_size, out_size; // bytes; with is_arg, acc_size and out_size are those of the pair
  int is_arg;   // ARGMIN, ARGMAX: the accumulator and the output are struct { acc_type value; int64_t index; }
  int has_init; // `init` holds a value
  int flags;
  const void *in, *in2;
  void *out;
  uint64_t count;               // on the host back end already min(count, *count_device)
  const uint64_t *count_device; // or NULL
  gp__value init;               // scan, reduce: accumulator; fill: element; iota: start
  gp__value step;               // iota; partition: the second scalar; histogram: the upper ends
  // What gp_call says under the same names, checked, with its defaults filled in.
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
  uint64_t fields_hash; // of what the list says
} gp__request;

// The order of operations. Integers, minimum, maximum, the bitwise and the logical operators, ARGMIN and ARGMAX give
// the same bits in any order. Sums and products of floats, and users' operators, do not: for them the host walks the
// same trees as the reproducible kernels (GP__CANONICAL_... in >>policy), with GP_REPRODUCIBLE and without, for any
// number of threads; inside a segment or a run it goes from left to right. Elements that need a conversion, a transform
// or a normalisation pass through a small buffer: input -> widest type of its kind -> accumulator. A product that is
// added to something is stored in between, so that no compiler can contract the two to a fused multiply-add, which
// rounds differently. NaN results are some NaN: its sign and payload are nobody's promise. Identities are two-sided:
// op(x, identity) is x too.

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define GPUPRIMS__PARALLEL_FOR _Pragma("omp parallel for schedule(static) num_threads(threads) if (threads > 1)")
#define GPUPRIMS__PARALLEL_UNEVEN _Pragma("omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)")
#else
#define GPUPRIMS__PARALLEL_FOR
#define GPUPRIMS__PARALLEL_UNEVEN
#endif

// Loops here are written to be vectorised, which gcc does at -O2 only where it costs no code; -ffast-math would break
// NaN and the order of operations.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC push_options
#pragma GCC optimize("tree-loop-vectorize", "vect-cost-model=dynamic", "fp-contract=off", "no-fast-math")
#endif

enum {
  GP__HOST_ELEMENTS = 1024,         // of the buffers, at most
  GP__HOST_BYTES = 16384,           // of the buffers
  GP__HOST_BLOCK = 65536,           // elements a thread takes at a time
  GP__HOST_PARALLEL_BYTES = 262144, // below, one thread does it all
  GP__HOST_LANES = 8                // rows that a loop works on at a time: their chains of operations are independent
};

// Elements as they lie in the caller's memory, whatever their declared type there.
#define GPUPRIMS__MAY_ALIAS __attribute__((may_alias))
typedef int8_t gp__h_i8;
typedef uint8_t gp__h_u8;
typedef int16_t GPUPRIMS__MAY_ALIAS gp__h_i16;
typedef uint16_t GPUPRIMS__MAY_ALIAS gp__h_u16;
typedef int32_t GPUPRIMS__MAY_ALIAS gp__h_i32;
typedef uint32_t GPUPRIMS__MAY_ALIAS gp__h_u32;
typedef int64_t GPUPRIMS__MAY_ALIAS gp__h_i64;
typedef uint64_t GPUPRIMS__MAY_ALIAS gp__h_u64;
typedef uint16_t GPUPRIMS__MAY_ALIAS gp__h_f16;
typedef uint16_t GPUPRIMS__MAY_ALIAS gp__h_bf16;
typedef float GPUPRIMS__MAY_ALIAS gp__h_f32;
typedef double GPUPRIMS__MAY_ALIAS gp__h_f64;

#define GPUPRIMS__PAIR(op, type) ((int)(op)*64 + (int)(type)) // an operator on a type, as a case
#define GPUPRIMS__INLINE static inline __attribute__((unused))

// ---- values

GPUPRIMS__INLINE uint32_t gp__host_bits32(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
GPUPRIMS__INLINE float gp__host_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

GPUPRIMS__INLINE float gp__host_f16_load(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = h & 0x7fffu;
  const uint32_t normal = (m << 13) + (m >= 0x7c00u ? 224u << 23 : 112u << 23);
  const uint32_t tiny = gp__host_bits32((float)(int32_t)m * 5.9604644775390625e-8f); // m * 2^-24, below 2^-14
  return gp__host_float(sign | (m < 0x400u ? tiny : normal));
}
GPUPRIMS__INLINE uint16_t gp__host_f16_store(float x) { // to nearest even
  const uint32_t u = gp__host_bits32(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  const uint32_t normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
  const uint32_t tiny = gp__host_bits32(gp__host_float(a) + 0.5f) - 0x3f000000u; // the sum rounds at 2^-24
  const uint32_t special = a > 0x7f800000u ? 0x7fffu : 0x7c00u;
  return (uint16_t)(sign | (a >= 0x47800000u ? special : a < 0x38800000u ? tiny : normal));
}
GPUPRIMS__INLINE float gp__host_bf16_load(uint16_t h) { return gp__host_float((uint32_t)h << 16); }
GPUPRIMS__INLINE uint16_t gp__host_bf16_store(float x) { // to nearest even
  const uint32_t u = gp__host_bits32(x);
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}
// double to float, to odd: rounding once more to a half type is then as if done in one step.
GPUPRIMS__INLINE float gp__host_to_odd(double x) {
  const float f = (float)x;
  const double back = f;
  const uint32_t below = (back < x) ? 1 : 0, above = (back > x) ? 1 : 0, away = (x < 0) ? below : above;
  return gp__host_float((gp__host_bits32(f) - away) | below | above);
}

// An element in the widest type of its kind.
typedef union gp__wide {
  int64_t i;
  uint64_t u;
  double f;
} gp__wide;
typedef enum gp__wide_kind { GP__WIDE_I, GP__WIDE_U, GP__WIDE_F } gp__wide_kind;

GPUPRIMS__INLINE gp__wide_kind gp__host_kind(gp_type type) {
  return type >= GP_F16                                                        ? GP__WIDE_F
         : type == GP_U8 || type == GP_U16 || type == GP_U32 || type == GP_U64 ? GP__WIDE_U
                                                                               : GP__WIDE_I;
}
GPUPRIMS__INLINE size_t gp__host_size(gp_type type) {
#define GPUPRIMS__SIZE(NAME, name, device, size) size,
  static const unsigned char sizes[] = {0, GP_TYPES(GPUPRIMS__SIZE)};
#undef GPUPRIMS__SIZE
  return type > 0 && type < GP_TYPE_COUNT ? sizes[type] : 0;
}

static void gp__host_widen(gp_type type, const void *in, gp__wide *w, size_t n) {
  size_t i;
#define GPUPRIMS__WIDEN(NAME, name, member, LOAD)                                                                      \
  case GP_##NAME: {                                                                                                    \
    const gp__h_##name *x = (const gp__h_##name *)in;                                                                  \
    for (i = 0; i < n; ++i) w[i].member = LOAD(x[i]);                                                                  \
    break;                                                                                                             \
  }
  switch (type) {
    GPUPRIMS__WIDEN(I8, i8, i, )
    GPUPRIMS__WIDEN(U8, u8, u, )
    GPUPRIMS__WIDEN(I16, i16, i, )
    GPUPRIMS__WIDEN(U16, u16, u, )
    GPUPRIMS__WIDEN(I32, i32, i, )
    GPUPRIMS__WIDEN(U32, u32, u, )
    GPUPRIMS__WIDEN(I64, i64, i, )
    GPUPRIMS__WIDEN(U64, u64, u, )
    GPUPRIMS__WIDEN(F16, f16, f, gp__host_f16_load)
    GPUPRIMS__WIDEN(BF16, bf16, f, gp__host_bf16_load)
    GPUPRIMS__WIDEN(F32, f32, f, )
    GPUPRIMS__WIDEN(F64, f64, f, )
  default:
    break;
  }
#undef GPUPRIMS__WIDEN
}

// A float to an integer: toward zero, saturated, NaN to 0. `above` is the first value beyond the type.
#define GPUPRIMS__SATURATE(x, T, LOWEST, HIGHEST, above)                                                               \
  ((x) >= (above) ? (HIGHEST) : (x) > (double)(LOWEST) ? (T)(x) : (x) == (x) ? (LOWEST) : (T)0)

static void gp__host_narrow(gp_type type, gp__wide_kind kind, const gp__wide *w, void *out, size_t n) {
  size_t i;
#define GPUPRIMS__TO(name, member, CONVERT)                                                                            \
  {                                                                                                                    \
    gp__h_##name *y = (gp__h_##name *)out;                                                                             \
    for (i = 0; i < n; ++i) y[i] = (gp__h_##name)CONVERT(w[i].member);                                                 \
  }
#define GPUPRIMS__SATURATES(NAME, name, LOWEST, HIGHEST, above)                                                        \
  case GP_##NAME: {                                                                                                    \
    gp__h_##name *y = (gp__h_##name *)out;                                                                             \
    for (i = 0; i < n; ++i) y[i] = GPUPRIMS__SATURATE(w[i].f, gp__h_##name, LOWEST, HIGHEST, above);                   \
    return;                                                                                                            \
  }
#define GPUPRIMS__WRAPS(SIGNED, UNSIGNED, name)                                                                        \
  case GP_##SIGNED:                                                                                                    \
  case GP_##UNSIGNED:                                                                                                  \
    GPUPRIMS__TO(name, u, )                                                                                            \
    break;
#define GPUPRIMS__TO_FLOAT(NAME, name, CONVERT)                                                                        \
  case GP_##NAME:                                                                                                      \
    if (kind == GP__WIDE_I) GPUPRIMS__TO(name, i, CONVERT)                                                             \
    else if (kind == GP__WIDE_U) GPUPRIMS__TO(name, u, CONVERT)                                                        \
    else GPUPRIMS__TO(name, f, CONVERT)                                                                                \
    break;
#define GPUPRIMS__TO_F16(x) gp__host_f16_store(gp__host_to_odd((double)(x)))
#define GPUPRIMS__TO_BF16(x) gp__host_bf16_store(gp__host_to_odd((double)(x)))
  if (kind == GP__WIDE_F) switch (type) {
      GPUPRIMS__SATURATES(I8, i8, INT8_MIN, INT8_MAX, 128.0)
      GPUPRIMS__SATURATES(U8, u8, 0, UINT8_MAX, 256.0)
      GPUPRIMS__SATURATES(I16, i16, INT16_MIN, INT16_MAX, 32768.0)
      GPUPRIMS__SATURATES(U16, u16, 0, UINT16_MAX, 65536.0)
      GPUPRIMS__SATURATES(I32, i32, INT32_MIN, INT32_MAX, 2147483648.0)
      GPUPRIMS__SATURATES(U32, u32, 0, UINT32_MAX, 4294967296.0)
      GPUPRIMS__SATURATES(I64, i64, INT64_MIN, INT64_MAX, 9223372036854775808.0)
      GPUPRIMS__SATURATES(U64, u64, 0, UINT64_MAX, 18446744073709551616.0)
    default:
      break;
    }
  switch (type) {
    GPUPRIMS__WRAPS(I8, U8, u8)
    GPUPRIMS__WRAPS(I16, U16, u16)
    GPUPRIMS__WRAPS(I32, U32, u32)
    GPUPRIMS__WRAPS(I64, U64, u64)
    GPUPRIMS__TO_FLOAT(F16, f16, GPUPRIMS__TO_F16)
    GPUPRIMS__TO_FLOAT(BF16, bf16, GPUPRIMS__TO_BF16)
    GPUPRIMS__TO_FLOAT(F32, f32, (float))
    GPUPRIMS__TO_FLOAT(F64, f64, (double))
  default:
    break;
  }
#undef GPUPRIMS__TO
#undef GPUPRIMS__SATURATES
#undef GPUPRIMS__WRAPS
#undef GPUPRIMS__TO_FLOAT
}

// CONVERT. `out` may be `in` where the sizes are equal and n is not above GP__HOST_ELEMENTS.
static void gp__host_convert(gp_type from, gp_type to, const void *in, void *out, size_t n) {
  gp__wide w[GP__HOST_ELEMENTS];
  size_t i, k, from_size = gp__host_size(from), to_size = gp__host_size(to);
#define GPUPRIMS__DIRECT(FROM, from_name, TO_TYPE, to_name, CONVERT)                                                   \
  if (from == GP_##FROM && to == GP_##TO_TYPE) {                                                                       \
    const gp__h_##from_name *x = (const gp__h_##from_name *)in;                                                        \
    gp__h_##to_name *y = (gp__h_##to_name *)out;                                                                       \
    for (i = 0; i < n; ++i) y[i] = CONVERT(x[i]);                                                                      \
    return;                                                                                                            \
  }
  GPUPRIMS__DIRECT(F16, f16, F32, f32, gp__host_f16_load) // the half types are summed in f32 by default
  GPUPRIMS__DIRECT(BF16, bf16, F32, f32, gp__host_bf16_load)
  GPUPRIMS__DIRECT(F32, f32, F16, f16, gp__host_f16_store)
  GPUPRIMS__DIRECT(F32, f32, BF16, bf16, gp__host_bf16_store)
#undef GPUPRIMS__DIRECT
  for (i = 0; i < n; i += k) {
    k = n - i < GP__HOST_ELEMENTS ? n - i : (size_t)GP__HOST_ELEMENTS;
    gp__host_widen(from, (const unsigned char *)in + i * from_size, w, k);
    gp__host_narrow(to, gp__host_kind(from), w, (unsigned char *)out + i * to_size, k);
  }
}

// 1 where an element is (not) zero, else 0; `out` may be `in` as above.
static void gp__host_truth(gp_type from, gp_type to, int truth, const void *in, void *out, size_t n) {
  gp__wide w[GP__HOST_ELEMENTS];
  size_t i, j, k, from_size = gp__host_size(from), to_size = gp__host_size(to);
  for (i = 0; i < n; i += k) {
    k = n - i < GP__HOST_ELEMENTS ? n - i : (size_t)GP__HOST_ELEMENTS;
    gp__host_widen(from, (const unsigned char *)in + i * from_size, w, k);
    if (gp__host_kind(from) == GP__WIDE_F)
      for (j = 0; j < k; ++j) w[j].u = (w[j].f != 0) == truth;
    else
      for (j = 0; j < k; ++j) w[j].u = (w[j].u != 0) == truth;
    gp__host_narrow(to, GP__WIDE_U, w, (unsigned char *)out + i * to_size, k);
  }
}

// NEGATE, ABS, SQUARE in a type; `out` may be `in`.
static void gp__host_unary(gp_type type, gp_op op, const void *in, void *out, size_t n) {
  size_t i;
#define GPUPRIMS__UNARY(OP, NAME, name, expression)                                                                    \
  case GPUPRIMS__PAIR(GP_##OP, GP_##NAME): {                                                                           \
    const gp__h_##name *x = (const gp__h_##name *)in;                                                                  \
    gp__h_##name *y = (gp__h_##name *)out;                                                                             \
    for (i = 0; i < n; ++i) {                                                                                          \
      const gp__h_##name a = x[i];                                                                                     \
      y[i] = (gp__h_##name)(expression);                                                                               \
    }                                                                                                                  \
    break;                                                                                                             \
  }
#define GPUPRIMS__UNARY_INTEGER(SIGNED, name, UNSIGNED, uname)                                                         \
  GPUPRIMS__UNARY(ABS, SIGNED, uname, a >> (sizeof a * 8 - 1) ? 0u - a : a)                                            \
  case GPUPRIMS__PAIR(GP_NEGATE, GP_##SIGNED):                                                                         \
    GPUPRIMS__UNARY(NEGATE, UNSIGNED, uname, 0u - a)                                                                   \
  case GPUPRIMS__PAIR(GP_SQUARE, GP_##SIGNED):                                                                         \
    GPUPRIMS__UNARY(SQUARE, UNSIGNED, uname, 1u * a * a)
  switch (GPUPRIMS__PAIR(op, type)) {
    GPUPRIMS__UNARY_INTEGER(I8, i8, U8, u8)
    GPUPRIMS__UNARY_INTEGER(I16, i16, U16, u16)
    GPUPRIMS__UNARY_INTEGER(I32, i32, U32, u32)
    GPUPRIMS__UNARY_INTEGER(I64, i64, U64, u64)
  case GPUPRIMS__PAIR(GP_NEGATE, GP_BF16):
    GPUPRIMS__UNARY(NEGATE, F16, f16, a ^ 0x8000u)
  case GPUPRIMS__PAIR(GP_ABS, GP_BF16):
    GPUPRIMS__UNARY(ABS, F16, f16, a & 0x7fffu)
    GPUPRIMS__UNARY(SQUARE, F16, f16, gp__host_f16_store(gp__host_f16_load(a) * gp__host_f16_load(a)))
    GPUPRIMS__UNARY(SQUARE, BF16, bf16, gp__host_bf16_store(gp__host_bf16_load(a) * gp__host_bf16_load(a)))
    GPUPRIMS__UNARY(NEGATE, F32, f32, -a)
    GPUPRIMS__UNARY(ABS, F32, u32, a & 0x7fffffffu)
    GPUPRIMS__UNARY(SQUARE, F32, f32, a * a)
    GPUPRIMS__UNARY(NEGATE, F64, f64, -a)
    GPUPRIMS__UNARY(ABS, F64, u64, a & ~((uint64_t)1 << 63))
    GPUPRIMS__UNARY(SQUARE, F64, f64, a * a)
  default: // ABS of unsigned types
    if (out != in) memcpy(out, in, n * gp__host_size(type));
  }
#undef GPUPRIMS__UNARY
#undef GPUPRIMS__UNARY_INTEGER
}

// ---- binary operators
//
// The loops that a primitive is made of, for one operator on one type. A row is `items` elements, the next row starts
// `stride` elements later.

struct gp__host_op;
typedef struct gp__host_loops {
  // out[i] = a[i] op b[i]; out may be a or b
  void (*map)(const struct gp__host_op *op, void *out, const void *a, const void *b, size_t n);
  // acc[r] = acc[r] op x[r][0] op x[r][1] op ... for `rows` rows; exact operators: any order
  void (*fold)(const struct gp__host_op *op, void *acc, const void *x, size_t rows, size_t items, size_t stride);
  // the running values of `rows` rows, which lie one behind the other, started with carry[r] and left there; y may be x
  void (*scan)(const struct gp__host_op *op, void *carry, const void *x, void *y, size_t rows, size_t items,
               int exclusive);
  // y[i] = y[2 i] op y[2 i + 1]; inexact operators only
  void (*pairs)(const struct gp__host_op *op, void *y, size_t n);
} gp__host_loops;

typedef struct gp__host_op {
  gp__host_loops loops;
  const gp__op_info *user; // or NULL
  size_t size;             // of an accumulator
  int commutative;
  int exact;
  uint64_t flip; // see GPUPRIMS__FLIPPED
  gp__value identity;
} gp__host_op;

// OP works on values W that LOAD makes of elements T and STORE makes elements of. Both may use `flip`.
#define GPUPRIMS__LOOP_MAP(name, T, W, LOAD, STORE, OP)                                                                \
  static void gp__host_##name##_map(const gp__host_op *op, void *out, const void *a, const void *b, size_t n) {        \
    const W flip = (W)op->flip;                                                                                        \
    const T *x = (const T *)a, *z = (const T *)b;                                                                      \
    T *y = (T *)out;                                                                                                   \
    size_t i;                                                                                                          \
    (void)flip;                                                                                                        \
    for (i = 0; i < n; ++i) y[i] = STORE(OP(LOAD(x[i]), LOAD(z[i])));                                                  \
  }

// Exact: the fold is spread over as many lanes as fill 64 bytes. One row at a time.
#define GPUPRIMS__LOOPS_EXACT(name, T, W, LOAD, STORE, OP)                                                             \
  GPUPRIMS__LOOP_MAP(name, T, W, LOAD, STORE, OP)                                                                      \
  static void gp__host_##name##_fold(const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items,      \
                                     size_t stride) {                                                                  \
    enum { LANES = 64 / sizeof(T) };                                                                                   \
    const W flip = (W)op->flip;                                                                                        \
    const T *x = (const T *)in;                                                                                        \
    W total = LOAD(*(const T *)acc), lane[LANES];                                                                      \
    size_t i = 0, l;                                                                                                   \
    (void)flip, (void)rows, (void)stride;                                                                              \
    if (items >= LANES) {                                                                                              \
      for (l = 0; l < LANES; ++l) lane[l] = LOAD(x[l]);                                                                \
      for (i = LANES; i + LANES <= items; i += LANES)                                                                  \
        for (l = 0; l < LANES; ++l) lane[l] = OP(lane[l], LOAD(x[i + l]));                                             \
      for (l = 0; l < LANES; ++l) total = OP(total, lane[l]);                                                          \
    }                                                                                                                  \
    for (; i < items; ++i) total = OP(total, LOAD(x[i]));                                                              \
    *(T *)acc = STORE(total);                                                                                          \
  }                                                                                                                    \
  static void gp__host_##name##_scan(const gp__host_op *op, void *carry, const void *in, void *out, size_t rows,       \
                                     size_t items, int exclusive) {                                                    \
    const W flip = (W)op->flip;                                                                                        \
    const T *x = (const T *)in;                                                                                        \
    T *y = (T *)out;                                                                                                   \
    W c = LOAD(*(const T *)carry), next;                                                                               \
    size_t i;                                                                                                          \
    (void)flip, (void)rows;                                                                                            \
    for (i = 0; i < items; ++i) {                                                                                      \
      next = OP(c, LOAD(x[i]));                                                                                        \
      y[i] = STORE((exclusive ? c : next));                                                                            \
      c = next;                                                                                                        \
    }                                                                                                                  \
    *(T *)carry = STORE(c);                                                                                            \
  }

// Inexact: every step is rounded to the type, in the given order; several rows go side by side. CHAIN is a row of 16
// bytes, written out.
#define GPUPRIMS__LOOPS_INEXACT(name, T, W, LOAD, STORE, OP, CHAIN, STEP)                                              \
  GPUPRIMS__LOOP_MAP(name, T, W, LOAD, STORE, OP)                                                                      \
  STEP T gp__host_##name(T a, T b) { return STORE(OP(LOAD(a), LOAD(b))); }                                             \
  static void gp__host_##name##_fold(const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items,      \
                                     size_t stride) {                                                                  \
    const T *x = (const T *)in;                                                                                        \
    T *a = (T *)acc;                                                                                                   \
    size_t r = 0, j, l;                                                                                                \
    (void)op;                                                                                                          \
    if (items == 16 / sizeof(T) && stride == items)                                                                    \
      for (; r < rows; ++r, x += 16 / sizeof(T)) a[r] = CHAIN(gp__host_##name, a[r], x);                               \
    for (; r + GP__HOST_LANES <= rows; r += GP__HOST_LANES, x += GP__HOST_LANES * stride) {                            \
      T v[GP__HOST_LANES];                                                                                             \
      for (l = 0; l < GP__HOST_LANES; ++l) v[l] = a[r + l];                                                            \
      for (j = 0; j < items; ++j)                                                                                      \
        for (l = 0; l < GP__HOST_LANES; ++l) v[l] = gp__host_##name(v[l], x[l * stride + j]);                          \
      for (l = 0; l < GP__HOST_LANES; ++l) a[r + l] = v[l];                                                            \
    }                                                                                                                  \
    for (; r < rows; ++r, x += stride)                                                                                 \
      for (j = 0; j < items; ++j) a[r] = gp__host_##name(a[r], x[j]);                                                  \
  }                                                                                                                    \
  static void gp__host_##name##_scan(const gp__host_op *op, void *carry, const void *in, void *out, size_t rows,       \
                                     size_t items, int exclusive) {                                                    \
    const T *x = (const T *)in;                                                                                        \
    T *y = (T *)out, *c = (T *)carry;                                                                                  \
    size_t r = 0, j, l;                                                                                                \
    (void)op;                                                                                                          \
    for (; r + GP__HOST_LANES <= rows; r += GP__HOST_LANES) {                                                          \
      T v[GP__HOST_LANES], next;                                                                                       \
      for (l = 0; l < GP__HOST_LANES; ++l) v[l] = c[r + l];                                                            \
      for (j = r * items; j < (r + 1) * items; ++j)                                                                    \
        for (l = 0; l < GP__HOST_LANES; ++l) {                                                                         \
          next = gp__host_##name(v[l], x[l * items + j]);                                                              \
          y[l * items + j] = exclusive ? v[l] : next;                                                                  \
          v[l] = next;                                                                                                 \
        }                                                                                                              \
      for (l = 0; l < GP__HOST_LANES; ++l) c[r + l] = v[l];                                                            \
    }                                                                                                                  \
    for (; r < rows; ++r)                                                                                              \
      for (j = r * items; j < (r + 1) * items; ++j) {                                                                  \
        const T next = gp__host_##name(c[r], x[j]);                                                                    \
        y[j] = exclusive ? c[r] : next;                                                                                \
        c[r] = next;                                                                                                   \
      }                                                                                                                \
  }                                                                                                                    \
  static void gp__host_##name##_pairs(const gp__host_op *op, void *values, size_t n) {                                 \
    T *y = (T *)values;                                                                                                \
    size_t i;                                                                                                          \
    (void)op;                                                                                                          \
    for (i = 0; i < n; ++i) y[i] = gp__host_##name(y[2 * i], y[2 * i + 1]);                                            \
  }

#define GPUPRIMS__ADD(a, b) ((a) + (b))
#define GPUPRIMS__SUBTRACT(a, b) ((a) - (b))
#define GPUPRIMS__MULTIPLY(a, b) ((a) * (b))
#define GPUPRIMS__MULTIPLY_UNSIGNED(a, b) (1u * (a) * (b))
#define GPUPRIMS__BIT_OR(a, b) ((a) | (b))
#define GPUPRIMS__BIT_XOR(a, b) ((a) ^ (b))
#define GPUPRIMS__LOWER(a, b) ((b) < (a) ? (b) : (a))
#define GPUPRIMS__CHAIN2(op, a, x) op(op(a, (x)[0]), (x)[1])
#define GPUPRIMS__CHAIN4(op, a, x) GPUPRIMS__CHAIN2(op, GPUPRIMS__CHAIN2(op, a, x), (x) + 2)
#define GPUPRIMS__CHAIN8(op, a, x) GPUPRIMS__CHAIN4(op, GPUPRIMS__CHAIN4(op, a, x), (x) + 4)

// Flipped bits: BIT_AND is BIT_OR of complements, MAX the MIN of complements, and unsigned integers are ordered as
// signed ones with the top bit flipped. So one set of loops serves several operators and types.
#define GPUPRIMS__FLIPPED(x) ((x) ^ flip)
// Floats are ordered as integers: -0 below +0; NaN below all else, before and after the flip, and comes back as a NaN.
#define GPUPRIMS__ORDER(name, I, U, MAGNITUDE, INFINITE)                                                               \
  GPUPRIMS__INLINE I gp__host_##name##_key(U x, I flip) {                                                              \
    const I ordered = (I)((I)(x ^ (U)((I)x < 0 ? MAGNITUDE : 0)) ^ flip);                                              \
    return (x & MAGNITUDE) > INFINITE ? (I)(-(I)MAGNITUDE - 1) : ordered;                                              \
  }                                                                                                                    \
  GPUPRIMS__INLINE U gp__host_##name##_unkey(I key, I flip) {                                                          \
    const I ordered = (I)(key ^ flip);                                                                                 \
    return (U)((U)ordered ^ (U)(ordered < 0 ? MAGNITUDE : 0));                                                         \
  }
GPUPRIMS__ORDER(f16, int16_t, uint16_t, 0x7fff, 0x7c00)
GPUPRIMS__ORDER(bf16, int16_t, uint16_t, 0x7fff, 0x7f80)
GPUPRIMS__ORDER(f32, int32_t, uint32_t, 0x7fffffff, 0x7f800000)
GPUPRIMS__ORDER(f64, int64_t, uint64_t, INT64_MAX, 0x7ff0000000000000)
#define GPUPRIMS__KEY_f16(x) gp__host_f16_key(x, flip)
#define GPUPRIMS__KEY_bf16(x) gp__host_bf16_key(x, flip)
#define GPUPRIMS__KEY_f32(x) gp__host_f32_key(x, flip)
#define GPUPRIMS__KEY_f64(x) gp__host_f64_key(x, flip)
#define GPUPRIMS__UNKEY_f16(k) gp__host_f16_unkey(k, flip)
#define GPUPRIMS__UNKEY_bf16(k) gp__host_bf16_unkey(k, flip)
#define GPUPRIMS__UNKEY_f32(k) gp__host_f32_unkey(k, flip)
#define GPUPRIMS__UNKEY_f64(k) gp__host_f64_unkey(k, flip)

// Integers wrap: sums and products are those of the unsigned type.
#define GPUPRIMS__INTEGER_LOOPS(U, I)                                                                                  \
  GPUPRIMS__LOOP_MAP(U##_sub, gp__h_##U, gp__h_##U, , , GPUPRIMS__SUBTRACT)                                            \
  GPUPRIMS__LOOPS_EXACT(U##_sum, gp__h_##U, gp__h_##U, , , GPUPRIMS__ADD)                                              \
  GPUPRIMS__LOOPS_EXACT(U##_prod, gp__h_##U, gp__h_##U, , , GPUPRIMS__MULTIPLY_UNSIGNED)                               \
  GPUPRIMS__LOOPS_EXACT(U##_bit_or, gp__h_##U, gp__h_##U, GPUPRIMS__FLIPPED, GPUPRIMS__FLIPPED, GPUPRIMS__BIT_OR)      \
  GPUPRIMS__LOOPS_EXACT(U##_bit_xor, gp__h_##U, gp__h_##U, , , GPUPRIMS__BIT_XOR)                                      \
  GPUPRIMS__LOOPS_EXACT(I##_min, gp__h_##I, gp__h_##I, GPUPRIMS__FLIPPED, GPUPRIMS__FLIPPED, GPUPRIMS__LOWER)
GPUPRIMS__INTEGER_LOOPS(u8, i8)
GPUPRIMS__INTEGER_LOOPS(u16, i16)
GPUPRIMS__INTEGER_LOOPS(u32, i32)
GPUPRIMS__INTEGER_LOOPS(u64, i64)
// A step of the half types is long: called, it compiles faster and runs no slower.
#define GPUPRIMS__OUT_OF_LINE static __attribute__((noinline))
#define GPUPRIMS__FLOAT_LOOPS(F, W, U, I, LOAD, STORE, CHAIN, STEP)                                                    \
  GPUPRIMS__LOOP_MAP(F##_sub, gp__h_##F, W, LOAD, STORE, GPUPRIMS__SUBTRACT)                                           \
  GPUPRIMS__LOOPS_INEXACT(F##_sum, gp__h_##F, W, LOAD, STORE, GPUPRIMS__ADD, CHAIN, STEP)                              \
  GPUPRIMS__LOOPS_INEXACT(F##_prod, gp__h_##F, W, LOAD, STORE, GPUPRIMS__MULTIPLY, CHAIN, STEP)                        \
  GPUPRIMS__LOOPS_EXACT(F##_min, gp__h_##U, gp__h_##I, GPUPRIMS__KEY_##F, GPUPRIMS__UNKEY_##F, GPUPRIMS__LOWER)
GPUPRIMS__FLOAT_LOOPS(f16, float, u16, i16, gp__host_f16_load, gp__host_f16_store, GPUPRIMS__CHAIN8,
                      GPUPRIMS__OUT_OF_LINE)
GPUPRIMS__FLOAT_LOOPS(bf16, float, u16, i16, gp__host_bf16_load, gp__host_bf16_store, GPUPRIMS__CHAIN8,
                      GPUPRIMS__OUT_OF_LINE)
GPUPRIMS__FLOAT_LOOPS(f32, float, u32, i32, , , GPUPRIMS__CHAIN4, GPUPRIMS__INLINE)
GPUPRIMS__FLOAT_LOOPS(f64, double, u64, i64, , , GPUPRIMS__CHAIN2, GPUPRIMS__INLINE)

// A user's operator: the same loops through a function pointer, which may write its result over its first operand.
static void gp__host_user_map(const gp__host_op *op, void *out, const void *a, const void *b, size_t n) {
  unsigned char *y = (unsigned char *)out;
  const unsigned char *x = (const unsigned char *)a, *z = (const unsigned char *)b;
  gp__value r;
  size_t i;
  for (i = 0; i < n; ++i) {
    op->user->host(op->user->host_user, r.bytes, x + i * op->size, z + i * op->size);
    memcpy(y + i * op->size, r.bytes, op->size);
  }
}
static void gp__host_user_fold(const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items,
                               size_t stride) {
  size_t r, j;
  for (r = 0; r < rows; ++r) {
    unsigned char *a = (unsigned char *)acc + r * op->size;
    const unsigned char *x = (const unsigned char *)in + r * stride * op->size;
    for (j = 0; j < items; ++j) op->user->host(op->user->host_user, a, a, x + j * op->size);
  }
}
static void gp__host_user_scan(const gp__host_op *op, void *carry, const void *in, void *out, size_t rows, size_t items,
                               int exclusive) {
  gp__value next;
  size_t r, j;
  for (r = 0; r < rows; ++r) {
    unsigned char *c = (unsigned char *)carry + r * op->size;
    for (j = r * items; j < (r + 1) * items; ++j) {
      op->user->host(op->user->host_user, next.bytes, c, (const unsigned char *)in + j * op->size);
      memcpy((unsigned char *)out + j * op->size, exclusive ? c : next.bytes, op->size);
      memcpy(c, next.bytes, op->size);
    }
  }
}
static void gp__host_user_pairs(const gp__host_op *op, void *values, size_t n) {
  unsigned char *y = (unsigned char *)values;
  size_t i;
  for (i = 0; i < n; ++i) gp__host_user_map(op, y + i * op->size, y + 2 * i * op->size, y + (2 * i + 1) * op->size, 1);
}

// Gives op the loops of a built-in operator on a type; 0 where there are none. After normalisation AND is the minimum
// and OR the maximum.
static int gp__host_find_loops(gp__host_op *op, gp_op name, gp_type type) {
  const uint64_t all = ~(uint64_t)0, top = (uint64_t)1 << (gp__host_size(type) * 8 - 1);
#define GPUPRIMS__CASE(OP, TYPE, set, pairs_, flip_)                                                                   \
  case GPUPRIMS__PAIR(GP_##OP, GP_##TYPE): {                                                                           \
    const gp__host_loops found = {gp__host_##set##_map, gp__host_##set##_fold, gp__host_##set##_scan, pairs_};         \
    op->loops = found;                                                                                                 \
    op->flip = flip_;                                                                                                  \
    return 1;                                                                                                          \
  }
#define GPUPRIMS__CASE_SUB(TYPE, set)                                                                                  \
  case GPUPRIMS__PAIR(GP_SUB, GP_##TYPE):                                                                              \
    op->loops.map = gp__host_##set##_sub_map;                                                                          \
    return 1;
#define GPUPRIMS__CASES_ORDER(TYPE, set, flip)                                                                         \
  case GPUPRIMS__PAIR(GP_AND, GP_##TYPE):                                                                              \
    GPUPRIMS__CASE(MIN, TYPE, set, NULL, flip)                                                                         \
  case GPUPRIMS__PAIR(GP_OR, GP_##TYPE):                                                                               \
    GPUPRIMS__CASE(MAX, TYPE, set, NULL, ~(flip))
#define GPUPRIMS__CASES_INTEGER(TYPE, U, I, flip)                                                                      \
  GPUPRIMS__CASES_ORDER(TYPE, I##_min, flip)                                                                           \
  GPUPRIMS__CASE_SUB(TYPE, U)                                                                                          \
  GPUPRIMS__CASE(SUM, TYPE, U##_sum, NULL, 0)                                                                          \
  GPUPRIMS__CASE(PROD, TYPE, U##_prod, NULL, 0)                                                                        \
  GPUPRIMS__CASE(BIT_AND, TYPE, U##_bit_or, NULL, all)                                                                 \
  GPUPRIMS__CASE(BIT_OR, TYPE, U##_bit_or, NULL, 0)                                                                    \
  GPUPRIMS__CASE(BIT_XOR, TYPE, U##_bit_xor, NULL, 0)
#define GPUPRIMS__CASES_FLOAT(TYPE, F)                                                                                 \
  GPUPRIMS__CASES_ORDER(TYPE, F##_min, (uint64_t)0)                                                                    \
  GPUPRIMS__CASE_SUB(TYPE, F)                                                                                          \
  GPUPRIMS__CASE(SUM, TYPE, F##_sum, gp__host_##F##_sum_pairs, 0)                                                      \
  GPUPRIMS__CASE(PROD, TYPE, F##_prod, gp__host_##F##_prod_pairs, 0)
  switch (GPUPRIMS__PAIR(name, type)) {
    GPUPRIMS__CASES_INTEGER(I8, u8, i8, (uint64_t)0)
    GPUPRIMS__CASES_INTEGER(U8, u8, i8, top)
    GPUPRIMS__CASES_INTEGER(I16, u16, i16, (uint64_t)0)
    GPUPRIMS__CASES_INTEGER(U16, u16, i16, top)
    GPUPRIMS__CASES_INTEGER(I32, u32, i32, (uint64_t)0)
    GPUPRIMS__CASES_INTEGER(U32, u32, i32, top)
    GPUPRIMS__CASES_INTEGER(I64, u64, i64, (uint64_t)0)
    GPUPRIMS__CASES_INTEGER(U64, u64, i64, top)
    GPUPRIMS__CASES_FLOAT(F16, f16)
    GPUPRIMS__CASES_FLOAT(BF16, bf16)
    GPUPRIMS__CASES_FLOAT(F32, f32)
    GPUPRIMS__CASES_FLOAT(F64, f64)
  default:
    return 0;
  }
#undef GPUPRIMS__CASE
#undef GPUPRIMS__CASE_SUB
#undef GPUPRIMS__CASES_ORDER
#undef GPUPRIMS__CASES_INTEGER
#undef GPUPRIMS__CASES_FLOAT
}

static void gp__host_identity(gp_op op, gp_type type, void *identity) {
  gp__wide w;
  gp__wide_kind kind = GP__WIDE_I;
  if (op == GP_MIN || op == GP_MAX || op == GP_ARGMIN || op == GP_ARGMAX) { // saturates to an integer's limits
    w.f = op == GP_MIN || op == GP_ARGMIN ? 1e308 * 10 : -1e308 * 10;
    kind = GP__WIDE_F;
  } else w.i = op == GP_PROD || op == GP_AND ? 1 : op == GP_BIT_AND ? -1 : 0;
  gp__host_narrow(type, kind, &w, identity, 1);
}

// ---- a call, taken apart

// Where elements come from and what happens to them on the way in.
typedef struct gp__host_source {
  const unsigned char *base;
  gp_type from, to;
  size_t from_size, to_size;
  gp_op unary;             // CONVERT where there is nothing to do but to convert
  const gp__op_info *user; // a user's unary operator, or NULL
  int normalise;           // AND, OR: nonzero becomes 1
  size_t limit;            // elements that may be asked for at a time
} gp__host_source;

typedef union gp__host_buffer {
  gp__value align;
  unsigned char bytes[GP__HOST_BYTES];
} gp__host_buffer;

typedef struct gp__host_call {
  const gp__request *q;
  gp__host_op op;      // reduce, scan, transform2
  gp__host_source in;  // elements as operands of `op`; transform: as results
  gp__host_source in2; // transform2
  gp_type value_type;  // of the accumulator; ARGMIN, ARGMAX: of the value in it
  unsigned char *out;
  size_t out_size;
  int out_converts; // accumulator and output differ
  int exclusive;
  int threads;
  gp__value init; // normalised like an element
} gp__host_call;

static size_t gp__host_limit(size_t size) {
  return GP__HOST_BYTES / size < GP__HOST_ELEMENTS ? GP__HOST_BYTES / size : (size_t)GP__HOST_ELEMENTS;
}

static gp__host_source gp__host_source_of(const void *base, gp_type from, size_t from_size, gp_type to, size_t to_size,
                                          gp_op unary, const gp__op_info *user, int normalise) {
  gp__host_source s;
  s.base = (const unsigned char *)base;
  s.from = from, s.to = to;
  s.from_size = from_size, s.to_size = to_size;
  s.unary = unary ? unary : (gp_op)GP_CONVERT;
  s.user = user;
  s.normalise = normalise;
  s.limit = from == to && !user && s.unary == GP_CONVERT && !normalise ? (size_t)1 << 30 : gp__host_limit(to_size);
  return s;
}

// Elements first .. first + n - 1, n <= limit: where they lie, or else made at `place`.
static const unsigned char *gp__host_elements(const gp__host_source *s, uint64_t first, size_t n, void *place) {
  const unsigned char *x = s->base + first * s->from_size;
  unsigned char *y = (unsigned char *)place;
  size_t i;
  if (s->user) {
    for (i = 0; i < n; ++i) s->user->host(s->user->host_user, y + i * s->to_size, x + i * s->from_size, NULL);
    x = y;
  } else if (s->unary == GP_NOT) {
    gp__host_truth(s->from, s->to, 0, x, y, n);
    x = y;
  } else {
    if (s->from != s->to) {
      gp__host_convert(s->from, s->to, x, y, n);
      x = y;
    }
    if (s->unary != GP_CONVERT) {
      gp__host_unary(s->to, s->unary, x, y, n);
      x = y;
    }
  }
  if (s->normalise) {
    gp__host_truth(s->to, s->to, 1, x, y, n);
    x = y;
  }
  return x;
}

// ---- copy, fill, iota, transform

static void gp__host_iota(const gp__host_call *h, uint64_t first, size_t n) {
  const gp_type type = h->q->out_type;
  gp__wide start, step, w[GP__HOST_ELEMENTS];
  gp__h_f32 f[GP__HOST_ELEMENTS], f_start, f_step;
  size_t i;
  gp__host_widen(type, h->q->init.bytes, &start, 1);
  gp__host_widen(type, h->q->step.bytes, &step, 1);
  if (gp__host_kind(type) != GP__WIDE_F) {
    for (i = 0; i < n; ++i) w[i].u = start.u + (first + i) * step.u;
    gp__host_narrow(type, GP__WIDE_U, w, h->out + first * h->out_size, n);
    return;
  }
  f_start = (float)start.f, f_step = (float)step.f;
  if (type == GP_F64)
    for (i = 0; i < n; ++i) w[i].f = (double)(first + i) * step.f;
  else
    for (i = 0; i < n; ++i) f[i] = (float)(first + i) * f_step;
  __asm__ volatile("" : : "r"(w), "r"(f) : "memory"); // the product is rounded before the sum
  if (type == GP_F64)
    for (i = 0; i < n; ++i) w[i].f += start.f;
  else
    for (i = 0; i < n; ++i) f[i] += f_start;
  if (type == GP_F64) memcpy(h->out + first * h->out_size, w, n * sizeof(double));
  else gp__host_convert(GP_F32, type, f, h->out + first * h->out_size, n);
}

// Elements first .. first + n - 1 of a primitive that treats each by itself.
static void gp__host_map(const gp__host_call *h, uint64_t first, size_t n) {
  const gp__request *q = h->q;
  gp__host_buffer a, b;
  const size_t limit = h->in.limit < h->in2.limit ? h->in.limit : h->in2.limit;
  const uint64_t end = first + n;
  size_t k;
  for (; first < end; first += k) {
    unsigned char *out = h->out + first * h->out_size;
    k = end - first < limit ? (size_t)(end - first) : limit;
    if (q->primitive == GP_IOTA) gp__host_iota(h, first, k);
    else if (q->primitive == GP_TRANSFORM2) {
      if (q->user_op) {
        size_t i;
        for (i = 0; i < k; ++i)
          q->user_op->host(q->user_op->host_user, a.bytes, (const unsigned char *)q->in + (first + i) * q->in_size,
                           (const unsigned char *)q->in2 + (first + i) * q->in2_size),
              memcpy(out + i * h->out_size, a.bytes, h->out_size);
      } else {
        const unsigned char *x = gp__host_elements(&h->in, first, k, a.bytes);
        h->op.loops.map(&h->op, out, x, gp__host_elements(&h->in2, first, k, b.bytes), k);
      }
    } else {
      const unsigned char *x = gp__host_elements(&h->in, first, k, out); // made where they belong, or
      if (x != out) memcpy(out, x, k * h->out_size);                     // a copy
    }
  }
}

static void gp__host_fill(const gp__host_call *h, uint64_t first, size_t n) {
  gp__host_buffer pattern;
  const size_t limit = GP__HOST_BYTES / h->out_size, m = n < limit ? n : limit;
  size_t i, k;
  for (i = 0; i < m; ++i) memcpy(pattern.bytes + i * h->out_size, h->q->init.bytes, h->out_size);
  for (i = 0; i < n; i += k) {
    k = n - i < m ? n - i : m;
    memcpy(h->out + (first + i) * h->out_size, pattern.bytes, k * h->out_size);
  }
}

static gp_result gp__host_each(const gp__host_call *h) {
  const uint64_t count = h->q->count;
  const int64_t blocks = (int64_t)gp__ceil_div(count, GP__HOST_BLOCK);
  const int threads = h->threads;
  int64_t b;
  (void)threads;
  if (h->q->primitive == GP_COPY && h->q->in == h->q->out) return GP_SUCCESS;
  GPUPRIMS__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * GP__HOST_BLOCK, rest = count - first;
    const size_t n = (size_t)(rest < GP__HOST_BLOCK ? rest : (uint64_t)GP__HOST_BLOCK);
    if (h->q->primitive == GP_FILL) gp__host_fill(h, first, n);
    else gp__host_map(h, first, n);
  }
  return GP_SUCCESS;
}

// ---- exact operators: any order

// A running value. ARGMIN and ARGMAX: the element that wins so far, and a key of it that is lower the better it is.
typedef struct gp__host_state {
  int64_t key;
  int64_t index; // -1: none
  gp__value value;
} gp__host_state;

static void gp__host_keys(gp_op op, gp_type type, const void *x, gp__wide *w, size_t n) {
  const gp__wide_kind kind = gp__host_kind(type);
  const uint64_t top = (uint64_t)1 << 63, flip = (op == GP_ARGMAX ? ~(uint64_t)0 : 0) ^ (kind == GP__WIDE_U ? top : 0);
  size_t i;
  gp__host_widen(type, x, w, n);
  if (kind == GP__WIDE_F)
    for (i = 0; i < n; ++i) w[i].i = gp__host_f64_key(w[i].f == 0 ? 0 : w[i].u, (int64_t)flip); // -0 and +0 are equal
  else
    for (i = 0; i < n; ++i) w[i].u ^= flip;
}

static gp__host_state gp__host_start(const gp__host_call *h, int with_init) {
  const size_t size = gp__host_size(h->value_type);
  gp__host_state s;
  memset(&s, 0, sizeof s);
  memcpy(s.value.bytes, with_init ? h->init.bytes : h->op.identity.bytes, h->q->is_arg ? size : h->op.size);
  if (h->q->is_arg) {
    gp__wide w;
    gp__host_keys(h->q->op, h->value_type, s.value.bytes, &w, 1);
    s.key = w.i;
    memcpy(&s.index, (with_init ? h->init.bytes : h->op.identity.bytes) + 8, sizeof s.index);
  }
  return s;
}

static void gp__host_put(const gp__host_call *h, const gp__host_state *s, unsigned char *out) {
  if (h->q->is_arg) {
    memset(out, 0, 16);
    memcpy(out, s->value.bytes, gp__host_size(h->value_type));
    memcpy(out + 8, &s->index, sizeof s->index);
  } else if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, s->value.bytes, out, 1);
  else memcpy(out, s->value.bytes, h->out_size);
}

// Does b win against a?
static int gp__host_beats(int64_t key_b, int64_t index_b, int64_t key_a, int64_t index_a) {
  if (index_a < 0 || index_b < 0) return index_a < 0;
  return key_b < key_a || (key_b == key_a && index_b < index_a);
}

static void gp__host_join(const gp__host_call *h, gp__host_state *a, const gp__host_state *b) {
  if (!h->q->is_arg) h->op.loops.fold(&h->op, a->value.bytes, b->value.bytes, 1, 1, 1);
  else if (gp__host_beats(b->key, b->index, a->key, a->index)) *a = *b;
}

static void gp__host_fold(const gp__host_call *h, gp__host_state *s, uint64_t first, uint64_t n) {
  const size_t size = h->in.to_size;
  gp__host_buffer buffer;
  gp__wide w[GP__HOST_ELEMENTS];
  size_t k, i, best, limit = h->in.limit;
  if (h->q->is_arg && limit > GP__HOST_ELEMENTS) limit = GP__HOST_ELEMENTS;
  for (; n; first += k, n -= k) {
    const unsigned char *x;
    k = n < limit ? (size_t)n : limit;
    x = gp__host_elements(&h->in, first, k, buffer.bytes);
    if (!h->q->is_arg) {
      h->op.loops.fold(&h->op, s->value.bytes, x, 1, k, k);
      continue;
    }
    gp__host_keys(h->q->op, h->value_type, x, w, k);
    for (i = 0, best = 0; i < k; ++i)
      if (w[i].i < w[best].i) best = i;
    if (gp__host_beats(w[best].i, (int64_t)(first + best), s->key, s->index)) {
      s->key = w[best].i, s->index = (int64_t)(first + best);
      memcpy(s->value.bytes, x + best * size, size);
    }
  }
}

static void gp__host_running(const gp__host_call *h, gp__host_state *s, uint64_t first, uint64_t n) {
  const size_t size = h->in.to_size;
  gp__host_buffer buffer, results;
  gp__wide w[GP__HOST_ELEMENTS];
  size_t k, i, limit = h->in.limit;
  if ((h->q->is_arg || h->out_converts) && limit > gp__host_limit(8)) limit = gp__host_limit(8);
  for (; n; first += k, n -= k) {
    unsigned char *out = h->out + first * h->out_size;
    const unsigned char *x;
    k = n < limit ? (size_t)n : limit;
    x = gp__host_elements(&h->in, first, k, buffer.bytes);
    if (!h->q->is_arg) {
      h->op.loops.scan(&h->op, s->value.bytes, x, h->out_converts ? results.bytes : out, 1, k, h->exclusive);
      if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, results.bytes, out, k);
      continue;
    }
    gp__host_keys(h->q->op, h->value_type, x, w, k);
    for (i = 0; i < k; ++i, out += 16) {
      if (h->exclusive) gp__host_put(h, s, out);
      if (gp__host_beats(w[i].i, (int64_t)(first + i), s->key, s->index)) {
        s->key = w[i].i, s->index = (int64_t)(first + i);
        memcpy(s->value.bytes, x + i * size, size);
      }
      if (!h->exclusive) gp__host_put(h, s, out);
    }
  }
}

static gp_result gp__host_no_memory(const gp__host_call *h, size_t bytes) {
  (void)h;
  return gp__fail(GP_E_MEMORY, "the host back end cannot allocate %lu bytes", (unsigned long)bytes);
}

static gp_result gp__host_reduce_exact(const gp__host_call *h) {
  const uint64_t count = h->q->count, wanted = gp__ceil_div(count, 1024), least = GP__HOST_BLOCK;
  const uint64_t block = wanted > least ? wanted : least;
  const int64_t blocks = (int64_t)gp__ceil_div(count, block);
  const int threads = h->threads;
  gp__host_state total = gp__host_start(h, h->q->has_init), *part;
  int64_t b;
  if (threads <= 1 || blocks <= 1) {
    gp__host_fold(h, &total, 0, count);
    gp__host_put(h, &total, h->out);
    return GP_SUCCESS;
  }
  part = (gp__host_state *)malloc((size_t)blocks * sizeof *part);
  if (!part) return gp__host_no_memory(h, (size_t)blocks * sizeof *part);
  GPUPRIMS__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * block;
    part[b] = gp__host_start(h, 0);
    gp__host_fold(h, &part[b], first, count - first < block ? count - first : block);
  }
  for (b = 0; b < blocks; ++b) gp__host_join(h, &total, &part[b]);
  gp__host_put(h, &total, h->out);
  free(part);
  return GP_SUCCESS;
}

// Several threads: as many blocks as they can keep in their caches are folded, then scanned, then the next ones.
static gp_result gp__host_scan_exact(const gp__host_call *h) {
  const uint64_t count = h->q->count;
  const int threads = h->threads;
  const int64_t batch = (int64_t)threads * 2;
  const uint64_t block = GP__HOST_BLOCK;
  gp__host_state s = gp__host_start(h, h->q->has_init), *part;
  uint64_t base;
  int64_t b;
  if (threads <= 1) {
    gp__host_running(h, &s, 0, count);
    return GP_SUCCESS;
  }
  part = (gp__host_state *)malloc((size_t)batch * sizeof *part);
  if (!part) return gp__host_no_memory(h, (size_t)batch * sizeof *part);
  for (base = 0; base < count; base += (uint64_t)batch * block) {
    const uint64_t rest = count - base;
    const int64_t blocks = (int64_t)gp__ceil_div(rest, block) < batch ? (int64_t)gp__ceil_div(rest, block) : batch;
    GPUPRIMS__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      part[b] = gp__host_start(h, 0);
      gp__host_fold(h, &part[b], base + first, rest - first < block ? rest - first : block);
    }
    for (b = 0; b < blocks; ++b) { // part[b] becomes what stands before block b
      const gp__host_state before = s;
      gp__host_join(h, &s, &part[b]);
      part[b] = before;
    }
    GPUPRIMS__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      gp__host_running(h, &part[b], base + first, rest - first < block ? rest - first : block);
    }
  }
  free(part);
  return GP_SUCCESS;
}

// ---- inexact operators: the canonical trees

// v[0] op v[1] op ... op v[n - 1] as a tree of neighbours, n a power of two; the result is v[0].
static void gp__host_tree(const gp__host_op *op, unsigned char *v, size_t n) {
  for (n /= 2; n; n /= 2) op->loops.pairs(op, v, n);
}
static void gp__host_pad(const gp__host_op *op, unsigned char *v, size_t from, size_t to) {
  for (; from < to; ++from) memcpy(v + from * op->size, op->identity.bytes, op->size);
}
// Of a block of threads: each warp's tree, then the tree over the warps' values, padded to 32.
static void gp__host_block_tree(const gp__host_op *op, unsigned char *v) {
  const size_t warp = GP__WARP, warps = GP__CANONICAL_REDUCE_THREADS / warp;
  size_t n;
  for (n = warps * warp / 2; n >= warps; n /= 2) op->loops.pairs(op, v, n);
  gp__host_pad(op, v, warps, warp);
  gp__host_tree(op, v, warp);
}

// acc[r] = acc[r] op row r, for rows of `items` consecutive elements; the last row may be short.
static void gp__host_fold_rows(const gp__host_call *h, unsigned char *acc, uint64_t first, size_t n, size_t items,
                               gp__host_buffer *buffer) {
  size_t at_once = h->in.limit / items, rows, k;
  if (at_once > GP__HOST_LANES) at_once -= at_once % GP__HOST_LANES;
  for (rows = n / items; rows; rows -= k, acc += k * h->op.size, first += k * items) {
    k = rows < at_once ? rows : at_once;
    h->op.loops.fold(&h->op, acc, gp__host_elements(&h->in, first, k * items, buffer->bytes), k, items, items);
  }
  k = n % items;
  if (k) h->op.loops.fold(&h->op, acc, gp__host_elements(&h->in, first, k, buffer->bytes), 1, k, k);
}

static void gp__host_reduce_tile(const gp__host_call *h, uint64_t first, uint64_t n, unsigned char *result) {
  const size_t threads = GP__CANONICAL_REDUCE_THREADS, size = h->op.size;
  const size_t vectors = h->op.commutative ? 1 : (size_t)GP__CANONICAL_REDUCE_VECTORS; // that make up a row
  const size_t items = vectors * (size_t)gp__vector_items((int)h->q->in_size);
  gp__value acc[GP__CANONICAL_REDUCE_THREADS];
  gp__host_buffer buffer;
  unsigned char *v = acc[0].bytes;
  uint64_t done;
  size_t k;
  if (h->op.commutative) gp__host_pad(&h->op, v, 0, threads);
  for (done = 0; done < n; done += k) {
    k = n - done < threads * items ? (size_t)(n - done) : threads * items;
    if (!h->op.commutative) gp__host_pad(&h->op, v, 0, threads);
    gp__host_fold_rows(h, v, first + done, k, items, &buffer);
    if (h->op.commutative) continue;
    gp__host_block_tree(&h->op, v);
    if (done) h->op.loops.map(&h->op, result, result, v, 1);
    else memcpy(result, v, size);
  }
  if (!h->op.commutative) return;
  gp__host_block_tree(&h->op, v);
  memcpy(result, v, size);
}

static gp_result gp__host_reduce_canonical(const gp__host_call *h) {
  const size_t size = h->op.size;
  const uint64_t count = h->q->count;
  const uint64_t tile_items = gp__canonical_rounds(count, (int)h->q->in_size) * GP__CANONICAL_REDUCE_THREADS *
                              GP__CANONICAL_REDUCE_VECTORS * (unsigned)gp__vector_items((int)h->q->in_size);
  const int64_t tiles = (int64_t)gp__ceil_div(count, tile_items);
  const int64_t per = (tiles + GP__CANONICAL_REDUCE_THREADS - 1) / GP__CANONICAL_REDUCE_THREADS;
  const int threads = h->threads;
  gp__value acc[GP__CANONICAL_REDUCE_THREADS];
  unsigned char *v = acc[0].bytes, *part;
  int64_t t;
  (void)threads;
  memcpy(v, h->q->has_init ? h->init.bytes : h->op.identity.bytes, size);
  if (count) {
    part = (unsigned char *)malloc((size_t)tiles * size);
    if (!part) return gp__host_no_memory(h, (size_t)tiles * size);
    GPUPRIMS__PARALLEL_FOR
    for (t = 0; t < tiles; ++t) {
      const uint64_t first = (uint64_t)t * tile_items, rest = count - first;
      gp__value result; // tiles write far apart: no cache line goes to and fro
      gp__host_reduce_tile(h, first, rest < tile_items ? rest : tile_items, result.bytes);
      memcpy(part + (size_t)t * size, result.bytes, size);
    }
    gp__host_pad(&h->op, v, 0, GP__CANONICAL_REDUCE_THREADS);
    for (t = 0; t < tiles; t += per)
      h->op.loops.fold(&h->op, v + (size_t)(t / per) * size, part + (size_t)t * size, 1,
                       (size_t)(tiles - t < per ? tiles - t : per), 1);
    gp__host_block_tree(&h->op, v);
    if (h->q->has_init) h->op.loops.map(&h->op, v, h->init.bytes, v, 1);
    free(part);
  }
  if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, v, h->out, 1);
  else memcpy(h->out, v, h->out_size);
  return GP_SUCCESS;
}

// Lane l becomes v[0] op ... op v[l] (Kogge and Stone), over the lanes of a warp.
static void gp__host_warp_scan(const gp__host_op *op, unsigned char *v) {
  gp__value old[GP__WARP];
  size_t d;
  for (d = 1; d < GP__WARP; d *= 2) {
    memcpy(old, v, (GP__WARP - d) * op->size);
    op->loops.map(op, v + d * op->size, old, v + d * op->size, GP__WARP - d);
  }
}

#define GPUPRIMS__SCAN_WARPS ((size_t)GP__CANONICAL_SCAN_THREADS / (size_t)GP__WARP)

// First pass over a tile: lane[t] becomes the inclusive scan of the threads' sums in their warp, lane[256 + w] that of
// the warps' totals; the last one is the tile's aggregate.
static void gp__host_scan_upsweep(const gp__host_call *h, uint64_t first, size_t n, size_t items, unsigned char *lane) {
  const size_t size = h->op.size, threads = GP__CANONICAL_SCAN_THREADS;
  gp__host_buffer buffer;
  gp__value totals[GP__WARP];
  const size_t by_vectors =
      gp__chunk_by_vectors((int)h->q->in_size, (int)items) ? (size_t)gp__pack_items((int)h->q->in_size) : 1;
  size_t at_once = h->in.limit / items, rows = n / items, r, k, w;
  if (by_vectors > 1 && at_once > gp__host_limit(size) / items) at_once = gp__host_limit(size) / items;
  if (at_once > GP__HOST_LANES) at_once -= at_once % GP__HOST_LANES;
  for (r = 0; r <= rows; r += k) { // a sum starts with the first element itself
    const size_t whole = rows - r;
    size_t length = whole ? items : n % items;
    const unsigned char *x;
    size_t i;
    k = whole ? (whole < at_once ? whole : at_once) : 1;
    if (!length) break;
    x = gp__host_elements(&h->in, first + r * items, k * length, buffer.bytes);
    if (whole && by_vectors > 1) { // a whole chunk goes by vectors, each a tree
      if (x != buffer.bytes) memcpy(buffer.bytes, x, k * length * size);
      x = buffer.bytes;
      for (i = by_vectors; i > 1; i /= 2) h->op.loops.pairs(&h->op, buffer.bytes, k * (length /= 2));
    }
    for (i = 0; i < k; ++i) memcpy(lane + (r + i) * size, x + i * length * size, size);
    h->op.loops.fold(&h->op, lane + r * size, x + size, k, length - 1, length);
  }
  gp__host_pad(&h->op, lane, r < threads ? r : threads, threads);
  for (w = 0; w < GPUPRIMS__SCAN_WARPS; ++w) {
    gp__host_warp_scan(&h->op, lane + w * GP__WARP * size);
    memcpy(totals[0].bytes + w * size, lane + (w * GP__WARP + GP__WARP - 1) * size, size);
  }
  gp__host_pad(&h->op, totals[0].bytes, GPUPRIMS__SCAN_WARPS, GP__WARP);
  gp__host_warp_scan(&h->op, totals[0].bytes);
  memcpy(lane + threads * size, totals, GPUPRIMS__SCAN_WARPS * size);
}

// Second pass: `prefix` is what stands before the tile, or NULL.
static void gp__host_scan_downsweep(const gp__host_call *h, uint64_t first, size_t n, size_t items,
                                    const unsigned char *lane, const unsigned char *prefix) {
  const size_t size = h->op.size, threads = GP__CANONICAL_SCAN_THREADS;
  gp__value carries[GP__CANONICAL_SCAN_THREADS];
  gp__value bases[GP__WARP];
  gp__host_buffer buffer, results;
  unsigned char *carry = carries[0].bytes, *base = bases[0].bytes;
  size_t at_once = h->in.limit / items, rows = n / items, r, k, w, l;
  if (h->out_converts && at_once > gp__host_limit(size) / items) at_once = gp__host_limit(size) / items;
  if (at_once > GP__HOST_LANES) at_once -= at_once % GP__HOST_LANES;
  for (w = 0; w < GPUPRIMS__SCAN_WARPS; ++w) {
    const unsigned char *warps = w ? lane + (threads + w - 1) * size : prefix; // what stands before the warp
    unsigned char *c = carry + w * GP__WARP * size;
    memcpy(c + size, lane + w * GP__WARP * size, (GP__WARP - 1) * size);
    if (!warps) continue;
    if (w && prefix) h->op.loops.map(&h->op, base, prefix, warps, 1);
    else memcpy(base, warps, size);
    for (l = 1; l < GP__WARP; ++l) memcpy(base + l * size, base, size);
    h->op.loops.map(&h->op, c + size, base, c + size, GP__WARP - 1);
    memcpy(c, base, size);
  }
  for (r = 0; r <= rows; r += k) {
    const size_t whole = rows - r, length = whole ? items : n % items;
    unsigned char *out = h->out + (first + r * items) * h->out_size, *y = h->out_converts ? results.bytes : out;
    const unsigned char *x;
    size_t skip = 0;
    k = whole ? (whole < at_once ? whole : at_once) : 1;
    if (!length) break;
    if (!prefix && r == 0) { // nothing stands before the very first element
      k = 1;
      skip = 1;
    }
    x = gp__host_elements(&h->in, first + r * items, k * length, buffer.bytes);
    if (skip) {
      memcpy(carry, x, size);
      memcpy(y, h->exclusive ? h->op.identity.bytes : carry, size);
    }
    h->op.loops.scan(&h->op, carry + r * size, x + skip * size, y + skip * size, k, length - skip, h->exclusive);
    if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, y, out, k * length);
  }
}

// What `count` tiles of a group amount to: each lane of a warp folds its consecutive tiles, then the warp's tree.
static void gp__host_group_total(const gp__host_op *op, const unsigned char *group, size_t count,
                                 unsigned char *lanes) {
  const size_t share = (size_t)GP__GROUP / (size_t)GP__WARP;
  size_t l, n;
  for (l = 0; l < GP__WARP && l * share < count; ++l, group += share * op->size) {
    n = count - l * share < share ? count - l * share : share;
    memcpy(lanes + l * op->size, group, op->size);
    op->loops.fold(op, lanes + l * op->size, group + op->size, 1, n - 1, n);
  }
  gp__host_pad(op, lanes, l, GP__WARP);
  gp__host_tree(op, lanes, GP__WARP);
}

// Tiles go through both passes a few at a time, so that the second finds them in the cache.
static gp_result gp__host_scan_canonical(const gp__host_call *h) {
  const gp__host_op *op = &h->op;
  const size_t size = op->size,
               items = (size_t)gp__scan_items(GP__CANONICAL_SCAN_VECTORS, (int)h->q->in_size, (int)h->q->out_size);
  const size_t tile_items = items * GP__CANONICAL_SCAN_THREADS,
               lanes = GP__CANONICAL_SCAN_THREADS + GPUPRIMS__SCAN_WARPS;
  const uint64_t count = h->q->count, tiles = gp__ceil_div(count, tile_items);
  const int threads = h->threads;
  const int64_t batch = threads > 1 ? (int64_t)threads * 8 : 1;
  const size_t bytes = (size_t)batch * (lanes + 1) * size;
  unsigned char *lane = (unsigned char *)malloc(bytes), *prefix = lane ? lane + (size_t)batch * lanes * size : NULL;
  gp__value group[GP__GROUP], total[GP__WARP];
  gp__value before = h->init; // what stands before the group of tiles
  int has_before = h->q->has_init;
  uint64_t base;
  if (!lane) return gp__host_no_memory(h, bytes);
  for (base = 0; base < tiles; base += (uint64_t)batch) {
    const int64_t some = tiles - base < (uint64_t)batch ? (int64_t)(tiles - base) : batch;
    const int first_has = base > 0 || has_before;
    int64_t b;
    GPUPRIMS__PARALLEL_FOR
    for (b = 0; b < some; ++b) {
      const uint64_t first = (base + (uint64_t)b) * tile_items, rest = count - first;
      gp__host_scan_upsweep(h, first, rest < tile_items ? (size_t)rest : tile_items, items,
                            lane + (size_t)b * lanes * size);
    }
    for (b = 0; b < some; ++b) {
      const size_t r = (size_t)((base + (uint64_t)b) % GP__GROUP);
      unsigned char *p = prefix + (size_t)b * size;
      if (base || b) gp__host_group_total(op, group[0].bytes, r ? r : (size_t)GP__GROUP, total[0].bytes);
      if (r == 0) { // the group before is complete
        if ((base || b) && has_before) op->loops.map(op, before.bytes, before.bytes, total, 1);
        else if (base || b) memcpy(before.bytes, total, size);
        has_before |= base || b;
        memcpy(p, before.bytes, size);
      } else if (has_before) op->loops.map(op, p, before.bytes, total, 1);
      else memcpy(p, total, size);
      memcpy(group[0].bytes + r * size, lane + ((size_t)b * lanes + lanes - 1) * size, size);
    }
    GPUPRIMS__PARALLEL_FOR
    for (b = 0; b < some; ++b) {
      const uint64_t first = (base + (uint64_t)b) * tile_items, rest = count - first;
      gp__host_scan_downsweep(h, first, rest < tile_items ? (size_t)rest : tile_items, items,
                              lane + (size_t)b * lanes * size, b || first_has ? prefix + (size_t)b * size : NULL);
    }
  }
  free(lane);
  return GP_SUCCESS;
}

// ---- what segments, runs and selection have in common

// One element; `to` may be `from`.
GPUPRIMS__INLINE void gp__host_move(unsigned char *to, const unsigned char *from, size_t size) {
  switch (size) {
  case 1:
    *to = *from;
    break;
  case 2:
    memmove(to, from, 2);
    break;
  case 4:
    memmove(to, from, 4);
    break;
  case 8:
    memmove(to, from, 8);
    break;
  default:
    memmove(to, from, size);
  }
}

// Offsets, indices and lengths: 4 or 8 bytes, without a sign.
GPUPRIMS__INLINE uint64_t gp__host_offset(const void *offsets, size_t size, uint64_t i) {
  return size == 4 ? ((const gp__h_u32 *)offsets)[i] : ((const gp__h_u64 *)offsets)[i];
}
GPUPRIMS__INLINE void gp__host_put_index(void *out, size_t size, uint64_t i, uint64_t value) {
  if (size == 4) ((gp__h_u32 *)out)[i] = (gp__h_u32)value;
  else ((gp__h_u64 *)out)[i] = value;
}

// y[i] = a[i] op b[i]; step 0: b[0] all along.
static void gp__host_compare(gp_op op, gp__wide_kind kind, const gp__wide *a, const gp__wide *b, size_t step,
                             unsigned char *y, size_t n) {
  size_t i;
#define GPUPRIMS__COMPARE(OP, member, relation)                                                                        \
  case GPUPRIMS__PAIR(GP_##OP, member##_kind):                                                                         \
    if (step)                                                                                                          \
      for (i = 0; i < n; ++i) y[i] = a[i].member relation b[i].member;                                                 \
    else                                                                                                               \
      for (i = 0; i < n; ++i) y[i] = a[i].member relation b->member;                                                   \
    break;
#define GPUPRIMS__COMPARES(member)                                                                                     \
  GPUPRIMS__COMPARE(EQUAL, member, ==)                                                                                 \
  GPUPRIMS__COMPARE(NOT_EQUAL, member, !=)                                                                             \
  GPUPRIMS__COMPARE(LESS, member, <)                                                                                   \
  GPUPRIMS__COMPARE(LESS_EQUAL, member, <=)                                                                            \
  GPUPRIMS__COMPARE(GREATER, member, >)                                                                                \
  GPUPRIMS__COMPARE(GREATER_EQUAL, member, >=)
  enum { i_kind = GP__WIDE_I, u_kind = GP__WIDE_U, f_kind = GP__WIDE_F };
  switch (GPUPRIMS__PAIR(op, kind)) {
    GPUPRIMS__COMPARES(i)
    GPUPRIMS__COMPARES(u)
    GPUPRIMS__COMPARES(f)
  default:
    memset(y, 0, n);
  }
#undef GPUPRIMS__COMPARE
#undef GPUPRIMS__COMPARES
}

// truth[i] = whether op holds for elements x[i] and z[i] (step 0: z[0] all along); n <= GP__HOST_ELEMENTS. z is NULL
// for a user's unary operator, whose result is one byte.
static void gp__host_holds(gp_op op, const gp__op_info *user, gp_type type, size_t size, const unsigned char *x,
                           const unsigned char *z, size_t step, unsigned char *truth, size_t n) {
  gp__wide a[GP__HOST_ELEMENTS], b[GP__HOST_ELEMENTS];
  size_t i;
  if (user) {
    gp__value result;
    for (i = 0; i < n; ++i) {
      user->host(user->host_user, result.bytes, x + i * size, z ? z + i * step * size : NULL);
      truth[i] = result.bytes[0] != 0;
    }
  } else {
    gp__host_widen(type, x, a, n);
    gp__host_widen(type, z, b, step ? n : 1);
    gp__host_compare(op, gp__host_kind(type), a, b, step, truth, n);
  }
}

// ---- segments

static uint64_t gp__host_first_bad(const gp__request *q) {
  uint64_t i, before = 0, offset;
  for (i = 0; i <= q->segments; ++i, before = offset) {
    offset = gp__host_offset(q->begin, q->offset_size, i);
    if (offset < before || offset > q->count) return i;
  }
  return UINT64_MAX;
}

// The first element, as an operand. Without an initial value an inexact operator starts there: identity op x may differ
// from x in the sign of a zero.
static int gp__host_starts_with(const gp__host_call *h, uint64_t first, gp__host_state *s) {
  gp__value place;
  if (h->op.exact || h->q->has_init) return 0;
  memcpy(s->value.bytes, gp__host_elements(&h->in, first, 1, place.bytes), h->op.size);
  return 1;
}

static void gp__host_reduce_segment(const gp__host_call *h, const gp__host_state *start, uint64_t first, uint64_t n,
                                    unsigned char *out) {
  gp__host_state s = *start;
  const int taken = n && gp__host_starts_with(h, first, &s);
  gp__host_fold(h, &s, first + (unsigned)taken, n - (unsigned)taken);
  gp__host_put(h, &s, out);
}

static void gp__host_scan_segment(const gp__host_call *h, const gp__host_state *start, uint64_t first, uint64_t n) {
  gp__host_state s = *start;
  const int taken = n && gp__host_starts_with(h, first, &s);
  if (taken) gp__host_put(h, h->exclusive ? start : &s, h->out + first * h->out_size);
  gp__host_running(h, &s, first + (unsigned)taken, n - (unsigned)taken);
}

// Segments may be of any lengths, so that threads take a few of them at a time. Wrong offsets do no harm: what lies
// beyond the input is left out.
static gp_result gp__host_segmented_reduce(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  const int threads = h->threads;
  const uint64_t share = q->segments / ((uint64_t)threads * 16) + 1, block = share < 1024 ? share : 1024;
  const int64_t blocks = (int64_t)gp__ceil_div(q->segments, block);
  int64_t b;
  GPUPRIMS__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    uint64_t i = (uint64_t)b * block;
    const uint64_t stop = q->segments - i < block ? q->segments : i + block;
    for (; i < stop; ++i) {
      uint64_t first = q->begin ? gp__host_offset(q->begin, q->offset_size, i) : i * q->length;
      uint64_t end = q->end     ? gp__host_offset(q->end, q->offset_size, i)
                     : q->begin ? gp__host_offset(q->begin, q->offset_size, i + 1)
                                : first + q->length;
      if (end > q->count) end = q->count;
      if (first > end) first = end;
      gp__host_reduce_segment(h, &start, first, end - first, h->out + i * h->out_size);
    }
  }
  return GP_SUCCESS;
}

static gp_result gp__host_segmented_scan(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  uint64_t i, first = 0, end;
  for (i = 0; first < q->count; ++i) {
    end = i <= q->segments ? gp__host_offset(q->begin, q->offset_size, i) : q->count;
    if (end > q->count) end = q->count;
    if (end <= first) continue;
    gp__host_scan_segment(h, &start, first, end - first);
    first = end;
  }
  return GP_SUCCESS;
}

// ---- runs

// Where runs start, GP__HOST_ELEMENTS elements at a time.
typedef struct gp__host_heads {
  const gp__request *q;
  uint64_t base;
  size_t n;
  unsigned char head[GP__HOST_ELEMENTS];
} gp__host_heads;

static void gp__host_find_heads(gp__host_heads *r, uint64_t base) {
  const gp__request *q = r->q;
  const unsigned char *keys = (const unsigned char *)q->keys + base * q->key_size;
  const gp__value zero = {{0}};
  size_t i;
  r->base = base;
  r->n = q->count - base < GP__HOST_ELEMENTS ? (size_t)(q->count - base) : (size_t)GP__HOST_ELEMENTS;
  if (q->equal == GP_HEADS) {
    gp__host_holds(GP_NOT_EQUAL, NULL, q->key_type, q->key_size, keys, zero.bytes, 0, r->head, r->n);
    return;
  }
  gp__host_holds(q->equal, q->user_equal, q->key_type, q->key_size, keys - q->key_size, keys, 1, r->head, r->n);
  for (i = 0; i < r->n; ++i) r->head[i] ^= 1;
}

// The first head behind the one at `first`, or the count. Heads are asked for in order.
static uint64_t gp__host_run_end(gp__host_heads *r, uint64_t first) {
  uint64_t i = first + 1;
  while (i < r->q->count) {
    const unsigned char *found;
    if (i >= r->base + r->n) gp__host_find_heads(r, i);
    found = (const unsigned char *)memchr(r->head + (i - r->base), 1, r->n - (size_t)(i - r->base));
    if (found) return r->base + (uint64_t)(found - r->head);
    i = r->base + r->n;
  }
  return r->q->count;
}

static gp_result gp__host_runs(const gp__host_call *h) {
  const gp__request *q = h->q;
  const unsigned char *in = (const unsigned char *)q->in, *keys = (const unsigned char *)q->keys;
  unsigned char *out_keys = (unsigned char *)q->out_keys;
  uint64_t first, end, runs = 0;
  gp__host_state start;
  gp__host_heads heads;
  memset(&start, 0, sizeof start);
  if (q->acc_size) start = gp__host_start(h, q->has_init);
  heads.q = q, heads.base = 0, heads.n = 0;
  for (first = 0; first < q->count; first = end) {
    end = gp__host_run_end(&heads, first);
    switch (q->primitive) {
    case GP_INCLUSIVE_SCAN_BY_KEY:
    case GP_EXCLUSIVE_SCAN_BY_KEY:
      gp__host_scan_segment(h, &start, first, end - first);
      break;
    case GP_REDUCE_BY_KEY:
      gp__host_reduce_segment(h, &start, first, end - first, h->out + runs * h->out_size);
      break;
    case GP_NONTRIVIAL_RUNS:
      if (end - first < 2) continue;
      if (h->out) gp__host_put_index(h->out, h->out_size, runs, first);
      if (q->out2) gp__host_put_index(q->out2, q->out2_size, runs, end - first);
      break;
    case GP_RUN_LENGTHS:
      if (q->out2) gp__host_put_index(q->out2, q->out2_size, runs, end - first);
      break;
    default:
      if (h->out) gp__host_move(h->out + runs * h->out_size, in + first * q->in_size, q->in_size);
    }
    if (out_keys) gp__host_move(out_keys + runs * q->key_size, keys + first * q->key_size, q->key_size);
    ++runs;
  }
  if (q->out_count) *q->out_count = runs;
  return GP_SUCCESS;
}

// A transform of two operands, which are the elements and their neighbours.
static gp_result gp__host_run(const gp__request *q, int threads);
static gp_result gp__host_adjacent(const gp__request *q, int threads) {
  const unsigned char *in = (const unsigned char *)q->in;
  unsigned char *out = (unsigned char *)q->out;
  const int right = (q->flags & GP_RIGHT) != 0;
  gp__request pairs = *q;
  gp__host_source edge;
  gp__value place;
  if (!q->count) return GP_SUCCESS;
  pairs.primitive = GP_TRANSFORM2;
  pairs.in = right ? in : in + q->in_size;
  pairs.in2 = right ? in + q->in_size : in;
  pairs.in2_type = q->in_type, pairs.in2_size = q->in_size, pairs.in2_struct = q->in_struct;
  pairs.out = right ? out : out + q->out_size;
  pairs.count = q->count - 1;
  edge = gp__host_source_of(in, q->in_type, q->in_size, q->out_type, q->out_size, GP_CONVERT, NULL, 0);
  memcpy(right ? out + pairs.count * q->out_size : out,
         gp__host_elements(&edge, right ? pairs.count : 0, 1, place.bytes), q->out_size);
  return gp__host_run(&pairs, threads);
}

// ---- selection

// The part that each of the elements first .. first + n - 1 belongs to, n <= GP__HOST_ELEMENTS.
static void gp__host_parts(const gp__request *q, uint64_t first, size_t n, unsigned char *part) {
  const unsigned char *x = (const unsigned char *)q->in + first * q->in_size;
  const gp__value zero = {{0}};
  size_t i;
  if (q->op) {
    const unsigned char *scalar = q->user_op ? NULL : q->init.bytes;
    gp__host_holds(q->op, q->user_op, q->in_type, q->in_size, x, scalar, 0, part, n);
  } else
    gp__host_holds(GP_NOT_EQUAL, NULL, q->key_type, q->key_size, (const unsigned char *)q->keys + first * q->key_size,
                   zero.bytes, 0, part, n);
  for (i = 0; i < n; ++i) part[i] ^= 1;
  if (q->transform) { // the second predicate
    unsigned char second[GP__HOST_ELEMENTS];
    const unsigned char *scalar = q->user_transform ? NULL : q->step.bytes;
    gp__host_holds(q->transform, q->user_transform, q->in_type, q->in_size, x, scalar, 0, second, n);
    for (i = 0; i < n; ++i) part[i] = part[i] ? (unsigned char)(2 - second[i]) : 0;
  }
}

enum { GP__HOST_PARTS = 3 };

// Adds the numbers of elements of each part to `at`; with `out`, elements go to where `at` points.
static void gp__host_distribute(const gp__request *q, uint64_t first, uint64_t n, unsigned char *const *out,
                                uint64_t *at) {
  unsigned char part[GP__HOST_ELEMENTS];
  size_t i, k;
  for (; n; first += k, n -= k) {
    const unsigned char *x = (const unsigned char *)q->in + first * q->in_size;
    k = n < GP__HOST_ELEMENTS ? (size_t)n : (size_t)GP__HOST_ELEMENTS;
    gp__host_parts(q, first, k, part);
    for (i = 0; i < k; ++i) {
      const unsigned p = part[i];
      if (out && out[p]) gp__host_move(out[p] + at[p] * q->in_size, x + i * q->in_size, q->in_size);
      ++at[p];
    }
  }
}

// Several threads: blocks are counted, then moved to where the blocks before them end. In place one block has to be
// moved after the other.
static gp_result gp__host_select(const gp__host_call *h) {
  const gp__request *q = h->q;
  const int moves = q->primitive == GP_SELECT || q->primitive == GP_PARTITION;
  const int parts = q->primitive != GP_PARTITION ? 1 : q->transform ? 3 : 2;
  const int threads = moves && q->in == q->out ? 1 : h->threads;
  const uint64_t count = q->count, block = GP__HOST_BLOCK;
  const int64_t blocks = (int64_t)gp__ceil_div(count, block);
  unsigned char *const out[GP__HOST_PARTS] = {h->out, (unsigned char *)q->out2, (unsigned char *)q->out3};
  uint64_t total[GP__HOST_PARTS] = {0, 0, 0}, *at;
  int64_t b;
  int p;
  if (threads <= 1) gp__host_distribute(q, 0, count, moves ? out : NULL, total);
  else {
    const size_t bytes = (size_t)blocks * sizeof total;
    at = (uint64_t *)calloc(1, bytes);
    if (!at) return gp__host_no_memory(h, bytes);
    GPUPRIMS__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      gp__host_distribute(q, first, count - first < block ? count - first : block, NULL, at + b * GP__HOST_PARTS);
    }
    for (b = 0; b < blocks; ++b)
      for (p = 0; p < GP__HOST_PARTS; ++p) {
        const uint64_t before = total[p];
        total[p] += at[b * GP__HOST_PARTS + p];
        at[b * GP__HOST_PARTS + p] = before;
      }
    if (moves) {
      GPUPRIMS__PARALLEL_FOR
      for (b = 0; b < blocks; ++b) {
        const uint64_t first = (uint64_t)b * block;
        gp__host_distribute(q, first, count - first < block ? count - first : block, out, at + b * GP__HOST_PARTS);
      }
    }
    free(at);
  }
  if (q->primitive == GP_ANY) *h->out = total[0] > 0;
  else if (q->primitive == GP_ALL) *h->out = total[0] == count;
  else
    for (p = 0; p < parts; ++p) q->out_count[p] = total[p];
  return GP_SUCCESS;
}

// ---- histograms

__extension__ typedef unsigned __int128 gp__u128;

// Integers of either sign in the order of unsigned ones.
static void gp__host_unsign(gp_type type, gp__wide *w, size_t n) {
  size_t i;
  if (gp__host_kind(type) == GP__WIDE_I)
    for (i = 0; i < n; ++i) w[i].u ^= (uint64_t)1 << 63;
}

// The bins of n samples; UINT64_MAX: none. edges: the lower and the upper end, or bins + 1 boundaries.
static void gp__host_bins(const gp__request *q, const gp__wide *edges, const gp__wide *x, uint64_t *bin, size_t n) {
  const uint64_t bins = q->bins;
  const int floats = gp__host_kind(q->in_type) == GP__WIDE_F;
  size_t i;
  if (q->primitive == GP_HISTOGRAM_RANGES) {
    for (i = 0; i < n; ++i) {
      uint64_t low = 0, length = bins + 1, half; // low: boundaries that are not above the sample; no jumps to foresee
      for (; length > 1; length -= half) {
        half = length / 2;
        low += (floats ? edges[low + half - 1].f <= x[i].f : edges[low + half - 1].u <= x[i].u) ? half : 0;
      }
      low += floats ? edges[low].f <= x[i].f : edges[low].u <= x[i].u;
      bin[i] = low && low <= bins ? low - 1 : UINT64_MAX;
    }
  } else if (!floats) {
    // upper <= lower: the end is one more than the type's largest value, which wraps (see gp__check_values)
    const uint64_t lower = edges[0].u, upper = edges[1].u;
    const int through = upper <= lower;
    const uint64_t wrapped = upper - lower + (through && q->in_size < 8 ? (uint64_t)1 << 8 * q->in_size : 0);
    const gp__u128 width = wrapped ? wrapped : (gp__u128)1 << 64;
    const int fits = width <= UINT64_MAX && bins <= UINT64_MAX / (uint64_t)width;
    for (i = 0; i < n; ++i) {
      const uint64_t d = x[i].u - lower;
      bin[i] = x[i].u < lower || (!through && x[i].u >= upper) ? UINT64_MAX
               : fits                                          ? d * bins / (uint64_t)width
                                                               : (uint64_t)((gp__u128)d * bins / width);
    }
  } else if (q->in_type == GP_F64) {
    const double lower = edges[0].f, upper = edges[1].f, scale = (double)bins / (upper - lower);
    for (i = 0; i < n; ++i)
      bin[i] = x[i].f >= lower && x[i].f < upper ? gp__even_bin_f64(x[i].f, lower, scale, bins) : UINT64_MAX;
  } else {
    const float lower = (float)edges[0].f, upper = (float)edges[1].f, scale = (float)bins / (upper - lower);
    for (i = 0; i < n; ++i) {
      const float sample = (float)x[i].f;
      bin[i] = sample >= lower && sample < upper ? gp__even_bin_f32(sample, lower, scale, bins) : UINT64_MAX;
    }
  }
}

// Counts the pixels first .. first + n - 1. Each weight is converted to the counters' type first.
static void gp__host_tally(const gp__request *q, const gp__wide *edges, uint64_t first, uint64_t n, void *counters) {
  const uint64_t row = q->primitive == GP_HISTOGRAM_RANGES ? q->bins + 1 : 2; // edges of a channel
  gp__wide x[GP__HOST_ELEMENTS], samples[GP__HOST_ELEMENTS], weights[GP__HOST_ELEMENTS];
  uint64_t bin[GP__HOST_ELEMENTS];
  size_t i, k;
  int c;
  for (; n; first += k, n -= k) {
    k = n < GP__HOST_ELEMENTS ? (size_t)n : (size_t)GP__HOST_ELEMENTS;
    if (q->in2)
      gp__host_convert(q->in2_type, q->out_type, (const unsigned char *)q->in2 + first * q->in2_size, weights, k);
    for (c = 0; c < q->active; ++c) {
      const unsigned char *in =
          (const unsigned char *)q->in + (first * (uint64_t)q->channels + (uint64_t)c) * q->in_size;
      const uint64_t base = (uint64_t)c * q->bins;
      if (q->channels > 1) {
        for (i = 0; i < k; ++i)
          gp__host_move((unsigned char *)samples + i * q->in_size, in + i * (size_t)q->channels * q->in_size,
                        q->in_size);
        in = (const unsigned char *)samples;
      }
      gp__host_widen(q->in_type, in, x, k);
      gp__host_unsign(q->in_type, x, k);
      gp__host_bins(q, edges + (uint64_t)c * row, x, bin, k);
#define GPUPRIMS__COUNT(T)                                                                                             \
  {                                                                                                                    \
    T *y = (T *)counters + base;                                                                                       \
    const T *w = (const T *)weights;                                                                                   \
    for (i = 0; i < k; ++i)                                                                                            \
      if (bin[i] != UINT64_MAX) y[bin[i]] += q->in2 ? w[i] : 1;                                                        \
  }
      if (q->out_type == GP_F32) GPUPRIMS__COUNT(gp__h_f32)
      else if (q->out_type == GP_F64) GPUPRIMS__COUNT(gp__h_f64)
      else if (q->out_size == 4) GPUPRIMS__COUNT(gp__h_u32)
      else GPUPRIMS__COUNT(gp__h_u64)
#undef GPUPRIMS__COUNT
    }
  }
}

// Several threads: each has counters of its own. Sums of floats depend on their order: one thread.
static gp_result gp__host_histogram(const gp__host_call *h) {
  const gp__request *q = h->q;
  const uint64_t count = q->count, counters = (uint64_t)q->active * q->bins;
  const size_t bytes = (size_t)counters * q->out_size;
  const int ranges = q->primitive == GP_HISTOGRAM_RANGES;
  const uint64_t row = ranges ? q->bins + 1 : 2;
  const size_t edge_bytes = (size_t)(row * (uint64_t)q->active) * sizeof(gp__wide);
  const int alone = gp__host_kind(q->out_type) == GP__WIDE_F || counters > count / (uint64_t)h->threads;
  const int threads = alone ? 1 : h->threads;
  const size_t extra = (size_t)(threads - 1) * bytes;
  gp__wide *edges = (gp__wide *)malloc(edge_bytes + extra);
  unsigned char *more = edges ? (unsigned char *)edges + edge_bytes : NULL; // counters of the second thread, ...
  uint64_t i;
  int c, t;
  if (!edges) return gp__host_no_memory(h, edge_bytes + extra);
  memset(h->out, 0, bytes);
  memset(more, 0, extra);
  if (ranges) gp__host_widen(q->in_type, q->begin, edges, (size_t)(row * (uint64_t)q->active));
  else
    for (c = 0; c < q->active; ++c) {
      gp__host_widen(q->in_type, q->init.bytes + (size_t)c * q->in_size, edges + 2 * c, 1);
      gp__host_widen(q->in_type, q->step.bytes + (size_t)c * q->in_size, edges + 2 * c + 1, 1);
    }
  gp__host_unsign(q->in_type, edges, (size_t)(row * (uint64_t)q->active));
  GPUPRIMS__PARALLEL_FOR
  for (t = 0; t < threads; ++t) {
    const uint64_t share = gp__ceil_div(count, (uint64_t)threads);
    const uint64_t first = share * (uint64_t)t < count ? share * (uint64_t)t : count;
    gp__host_tally(q, edges, first, count - first < share ? count - first : share,
                   t ? more + (size_t)(t - 1) * bytes : h->out);
  }
  for (t = 1; t < threads; ++t) {
    const unsigned char *part = more + (size_t)(t - 1) * bytes;
    if (q->out_size == 4)
      for (i = 0; i < counters; ++i) ((gp__h_u32 *)q->out)[i] += ((const gp__h_u32 *)part)[i];
    else
      for (i = 0; i < counters; ++i) ((gp__h_u64 *)q->out)[i] += ((const gp__h_u64 *)part)[i];
  }
  free(edges);
  return GP_SUCCESS;
}

// ---- search

// low = the first position in 0 .. length at which the condition on `middle` no longer holds.
#define GPUPRIMS__BISECT(low, length, condition)                                                                       \
  {                                                                                                                    \
    uint64_t rest = (length);                                                                                          \
    for (low = 0; rest;) {                                                                                             \
      const uint64_t half = rest / 2, middle = low + half;                                                             \
      if (condition) low = middle + 1, rest -= half + 1;                                                               \
      else rest = half;                                                                                                \
    }                                                                                                                  \
  }

static void gp__host_bound(const gp__request *q, uint64_t first, uint64_t end) {
  const int upper = q->primitive == GP_UPPER_BOUND;
  const size_t size = q->in_size;
  uint64_t i, low;
  if (q->user_op) {
    const unsigned char *x = (const unsigned char *)q->keys;
    gp__value result;
    for (i = first; i < end; ++i) {
      const unsigned char *needle = (const unsigned char *)q->in + i * size;
      GPUPRIMS__BISECT(low, q->length,
                       (q->user_op->host(q->user_op->host_user, result.bytes, upper ? needle : x + middle * size,
                                         upper ? x + middle * size : needle),
                        (result.bytes[0] != 0) != upper))
      gp__host_put_index(q->out, q->out_size, i, low);
    }
    return;
  }
#define GPUPRIMS__BOUND(NAME, name, LOAD)                                                                              \
  case GP_##NAME: {                                                                                                    \
    const gp__h_##name *x = (const gp__h_##name *)q->keys, *y = (const gp__h_##name *)q->in;                           \
    for (i = first; i < end; ++i) {                                                                                    \
      if (upper) GPUPRIMS__BISECT(low, q->length, !(LOAD(y[i]) < LOAD(x[middle])))                                     \
      else GPUPRIMS__BISECT(low, q->length, LOAD(x[middle]) < LOAD(y[i]))                                              \
      gp__host_put_index(q->out, q->out_size, i, low);                                                                 \
    }                                                                                                                  \
    break;                                                                                                             \
  }
  switch (q->in_type) {
    GPUPRIMS__BOUND(I8, i8, )
    GPUPRIMS__BOUND(U8, u8, )
    GPUPRIMS__BOUND(I16, i16, )
    GPUPRIMS__BOUND(U16, u16, )
    GPUPRIMS__BOUND(I32, i32, )
    GPUPRIMS__BOUND(U32, u32, )
    GPUPRIMS__BOUND(I64, i64, )
    GPUPRIMS__BOUND(U64, u64, )
    GPUPRIMS__BOUND(F16, f16, gp__host_f16_load)
    GPUPRIMS__BOUND(BF16, bf16, gp__host_bf16_load)
    GPUPRIMS__BOUND(F32, f32, )
    GPUPRIMS__BOUND(F64, f64, )
  default:
    break;
  }
#undef GPUPRIMS__BOUND
}

// Elements behind the last offset belong to segment `segments`, those before the first one to segment 0.
static void gp__host_balance(const gp__request *q, uint64_t first, uint64_t end) {
  uint64_t i, s;
  GPUPRIMS__BISECT(s, q->segments, gp__host_offset(q->begin, q->offset_size, middle + 1) <= first)
  for (i = first; i < end; ++i) {
    while (s < q->segments && gp__host_offset(q->begin, q->offset_size, s + 1) <= i) ++s;
    gp__host_put_index(q->out, q->out_size, i, s);
  }
}

static gp_result gp__host_search(const gp__host_call *h) {
  const uint64_t count = h->q->count;
  const int64_t blocks = (int64_t)gp__ceil_div(count, GP__HOST_BLOCK);
  const int threads = h->threads;
  int64_t b;
  (void)threads;
  GPUPRIMS__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
    const uint64_t end = count - first < GP__HOST_BLOCK ? count : first + GP__HOST_BLOCK;
    if (h->q->primitive == GP_LOAD_BALANCE) gp__host_balance(h->q, first, end);
    else gp__host_bound(h->q, first, end);
  }
  return GP_SUCCESS;
}

// ---- radix sort

// The ordered form of a built-in type, as in >>warp.
static uint64_t gp__host_ordered(gp_type type, const unsigned char *bytes) {
  const unsigned bits = 8 * (unsigned)gp__host_size(type);
  const uint64_t sign = (uint64_t)1 << (bits - 1), all = sign - 1 + sign;
  uint64_t x = 0;
  memcpy(&x, bytes, bits / 8); // little-endian
  switch (type) {
  case GP_U8:
  case GP_U16:
  case GP_U32:
  case GP_U64:
    return x;
  case GP_I8:
  case GP_I16:
  case GP_I32:
  case GP_I64:
    return x ^ sign;
  default:
    return x & sign ? ~x & all : x | sign;
  }
}
// 64 bits of the ordered key, the least significant word first.
static uint64_t gp__host_key_word(const gp__request *q, const unsigned char *key, int word) {
  gp__value made;
  uint64_t x = 0;
  int i, at = 0;
  if (q->user_transform) {
    q->user_transform->host(q->user_transform->host_user, made.bytes, key, NULL);
    return gp__host_ordered(q->acc_type, made.bytes);
  }
  if (!q->field_count) return gp__host_ordered(q->key_type, key);
  for (i = q->field_count - 1; i >= 0; --i) { // `at`: of the field's lowest bit
    const int bits = 8 * (int)gp__host_size(q->fields[i].type), low = at - 64 * word;
    uint64_t own = gp__host_ordered(q->fields[i].type, key + q->fields[i].offset);
    if (q->fields[i].descending) own = ~own & (~(uint64_t)0 >> (64 - bits));
    if (low > -bits && low < 64) x |= low < 0 ? own >> -low : own << low;
    at += bits;
  }
  return x;
}

typedef struct gp__host_sorted {
  uint64_t bits, index;
} gp__host_sorted;
// Least significant digit first, stable. Words of the ordered key one after the other, of each 8 bits a pass; a pass in
// which all keys have the same digit is left out. Memory: 32 bytes an element, and what keys and values take. One
// thread sorts, all of them move.
static gp_result gp__host_sort(const gp__request *q, int threads) {
  const uint64_t n = q->count;
  const unsigned char *keys = (const unsigned char *)q->keys, *in = (const unsigned char *)q->in;
  unsigned char *out_keys = (unsigned char *)q->out_keys, *out = (unsigned char *)q->out, *moved = NULL;
  gp__host_sorted *a, *b, *swap;
  uint64_t i;
  int word, turn;
  (void)threads;
  if (n > SIZE_MAX / sizeof *a / 2)
    return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (unsigned long long)n);
  a = (gp__host_sorted *)malloc((size_t)n * 2 * sizeof *a);
  if (!a) return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (unsigned long long)n);
  b = a + n;
  for (i = 0; i < n; ++i) a[i].index = i;
  for (word = q->begin_bit / 64; word * 64 < q->end_bit; ++word) {
    const int low = q->begin_bit > word * 64 ? q->begin_bit - word * 64 : 0;
    const int high = q->end_bit < word * 64 + 64 ? q->end_bit - word * 64 : 64;
    int shift;
    for (i = 0; i < n; ++i) {
      uint64_t x = gp__host_key_word(q, keys + a[i].index * q->key_size, word);
      if (q->flags & GP_DESCENDING) x = ~x;
      a[i].bits = x >> low & (~(uint64_t)0 >> (64 - (high - low)));
    }
    for (shift = 0; shift < high - low; shift += 8) {
      uint64_t at[256], sum = 0;
      int d, same = 0;
      memset(at, 0, sizeof at);
      for (i = 0; i < n; ++i) ++at[a[i].bits >> shift & 255];
      for (d = 0; d < 256; ++d) {
        const uint64_t own = at[d];
        same = same || own == n;
        at[d] = sum;
        sum += own;
      }
      if (same) continue;
      for (i = 0; i < n; ++i) b[at[a[i].bits >> shift & 255]++] = a[i];
      swap = a, a = b, b = swap;
    }
  }
  // Keys, then values; in place by way of memory that nobody needs any more, or of its own.
  for (turn = 0; turn < 2; ++turn) {
    const size_t size = turn ? q->in_size : q->key_size;
    const unsigned char *from = turn ? in : keys;
    unsigned char *to = turn ? out : out_keys;
    if (!to || !size) continue;
    if (turn && !in) {
      for (i = 0; i < n; ++i) memcpy(to + i * size, &a[i].index, size); // little-endian
      continue;
    }
    if (from == to) {
      moved = size <= sizeof *b ? (unsigned char *)b : (unsigned char *)malloc((size_t)n * size);
      if (!moved) {
        free(a < b ? a : b);
        return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (unsigned long long)n);
      }
      memcpy(moved, from, (size_t)n * size);
      from = moved;
    }
#ifdef _OPENMP
#pragma omp parallel for if (n > 100000) num_threads(threads > 0 ? threads : omp_get_max_threads())
#endif
    for (i = 0; i < n; ++i) memcpy(to + i * size, from + a[i].index * size, size);
    if (from == moved && moved != (unsigned char *)b) free(moved);
  }
  free(a < b ? a : b);
  return GP_SUCCESS;
}

// ---- entry

static const char *gp__host_call_name(gp_primitive primitive) {
#define GPUPRIMS__CASE_NAME(NAME, name)                                                                                \
  case GP_##NAME:                                                                                                      \
    return "gp_" #name;
  switch (primitive) {
    GP_PRIMITIVES(GPUPRIMS__CASE_NAME)
  default:
    return "gp_run";
  }
#undef GPUPRIMS__CASE_NAME
}

static gp_result gp__host_check_user(const char *call, const char *field, const gp__op_info *op, int needs_identity) {
  if (!op) return GP_SUCCESS;
  if (!op->host)
    return gp__fail(GP_E_UNSUPPORTED, "%s: %s: operator \"%s\" has no gp_op_desc.host, which the host back end runs",
                    call, field, op->name);
  if (needs_identity && !op->has_host_identity)
    return gp__fail(GP_E_UNSUPPORTED,
                    "%s: %s: operator \"%s\" has no gp_op_desc.host_identity, which the host back end "
                    "needs",
                    call, field, op->name);
  return GP_SUCCESS;
}

// Runs a checked request on host pointers. threads: 0 for as many as OpenMP offers.
__attribute__((unused)) static gp_result gp__host_run(const gp__request *q, int threads) {
  const char *call = gp__host_call_name(q->primitive);
  const int is_scan = gp__is_scan(q->primitive);
  const int folds = q->primitive >= GP_REDUCE && q->primitive <= GP_REDUCE_BY_KEY;
  const int normalise = (folds || q->primitive == GP_TRANSFORM2) && !q->user_op && (q->op == GP_AND || q->op == GP_OR);
  const gp_type to = folds ? q->acc_type : q->out_type;
  const size_t size = folds && !q->is_arg ? q->acc_size : q->is_arg ? gp__host_size(q->acc_type) : q->out_size;
  const gp__op_info *user_unary = folds ? q->user_transform : q->primitive == GP_TRANSFORM ? q->user_op : NULL;
  const gp_op unary = folds ? q->transform : q->primitive == GP_TRANSFORM ? q->op : 0;
  const int user2 = q->primitive == GP_TRANSFORM2 && q->user_op;
  gp__host_call h;
  gp_result result = gp__host_check_user(call, "op", q->user_op, folds);
  if (!result) result = gp__host_check_user(call, "transform", q->user_transform, 0);
  if (!result) result = gp__host_check_user(call, "equal", q->user_equal, 0);
  if (result) return result;
  if (q->bad) {
    *q->bad = gp__host_first_bad(q);
    if (q->primitive == GP_CHECK_OFFSETS || *q->bad != UINT64_MAX) return GP_SUCCESS;
  }
  if (q->primitive == GP_ADJACENT_DIFFERENCE) return gp__host_adjacent(q, threads);
  if (q->primitive == GP_SORT) return gp__host_sort(q, threads);

  memset(&h, 0, sizeof h);
  h.q = q;
  h.value_type = q->acc_type;
  h.out = (unsigned char *)q->out;
  h.out_size = q->out_size;
  h.exclusive = q->primitive == GP_EXCLUSIVE_SCAN || q->primitive == GP_SEGMENTED_EXCLUSIVE_SCAN ||
                q->primitive == GP_EXCLUSIVE_SCAN_BY_KEY;
  h.threads = 1;
#ifdef _OPENMP
  if (q->count > GP__HOST_PARALLEL_BYTES / (q->in_size > q->out_size ? q->in_size
                                            : q->out_size            ? q->out_size
                                                                     : 1) ||
      q->segments > GP__HOST_PARALLEL_BYTES / 8)
    h.threads = threads > 0 ? threads : omp_get_max_threads();
#else
  (void)threads;
#endif
  h.in.limit = h.in2.limit = (size_t)1 << 30;
  switch (q->primitive) {
  case GP_RUN_LENGTHS:
  case GP_NONTRIVIAL_RUNS:
  case GP_UNIQUE:
    return gp__host_runs(&h);
  case GP_SELECT:
  case GP_PARTITION:
  case GP_COUNT_IF:
  case GP_ANY:
  case GP_ALL:
    return gp__host_select(&h);
  case GP_HISTOGRAM_EVEN:
  case GP_HISTOGRAM_RANGES:
    return gp__host_histogram(&h);
  case GP_LOWER_BOUND:
  case GP_UPPER_BOUND:
  case GP_LOAD_BALANCE:
    return gp__host_search(&h);
  default:
    break;
  }
  if (q->primitive == GP_IOTA || q->primitive == GP_FILL) {
    h.in.limit = GP__HOST_ELEMENTS;
    if (q->primitive == GP_IOTA && !gp__host_size(q->out_type))
      return gp__fail(GP_E_TYPE, "%s: type: not a built-in type", call);
    return gp__host_each(&h);
  }
  if (q->primitive == GP_COPY) {
    h.in = gp__host_source_of(q->in, q->out_type, q->out_size, q->out_type, q->out_size, GP_CONVERT, NULL, 0);
    return gp__host_each(&h);
  }
  if (!user2) {
    if (!user_unary && q->in_type != to && (!gp__host_size(q->in_type) || !gp__host_size(to)))
      return gp__fail(GP_E_TYPE, "%s: in_type: no conversion between a struct type and another type", call);
    if (!user_unary && unary && unary != GP_CONVERT && (!gp__host_size(q->in_type) || !gp__host_size(to)))
      return gp__fail(GP_E_OPERATOR, "%s: %s: a built-in operator cannot take a struct type", call,
                      folds ? "transform" : "op");
    h.in = gp__host_source_of(q->in, q->in_type, q->in_size, to, size, unary, user_unary, normalise);
  }
  if (q->primitive == GP_TRANSFORM) return gp__host_each(&h);

  // a binary operator
  h.op.size = size;
  h.op.user = q->user_op;
  if (q->user_op) {
    const gp__host_loops loops = {gp__host_user_map, gp__host_user_fold, gp__host_user_scan, gp__host_user_pairs};
    h.op.loops = loops;
    h.op.commutative = q->user_op->commutative;
    h.op.identity = q->user_op->host_identity;
  } else if (q->is_arg) {
    const int64_t none = -1;
    h.op.exact = h.op.commutative = 1;
    gp__host_identity(q->op, q->acc_type, h.op.identity.bytes);
    memcpy(h.op.identity.bytes + 8, &none, sizeof none);
  } else {
    if (!gp__host_find_loops(&h.op, q->op, to))
      return gp__fail(GP_E_OPERATOR, "%s: op: this operator cannot take this type", call);
    h.op.commutative = 1;
    h.op.exact = !h.op.loops.pairs;
    gp__host_identity(q->op, to, h.op.identity.bytes);
  }
  if (q->primitive == GP_TRANSFORM2) {
    if (!user2) {
      if (q->in2_type != to && (!gp__host_size(q->in2_type) || !gp__host_size(to)))
        return gp__fail(GP_E_TYPE, "%s: in2_type: no conversion between a struct type and another type", call);
      h.in2 = gp__host_source_of(q->in2, q->in2_type, q->in2_size, to, size, GP_CONVERT, NULL, normalise);
    }
    return gp__host_each(&h);
  }
  h.out_converts = !q->is_arg && q->acc_type != q->out_type;
  if (h.out_converts && (!gp__host_size(q->acc_type) || !gp__host_size(q->out_type)))
    return gp__fail(GP_E_TYPE, "%s: out_type: no conversion between a struct type and another type", call);
  h.init = q->init;
  if (normalise && q->has_init) gp__host_truth(to, to, 1, q->init.bytes, h.init.bytes, 1);
  if (q->primitive == GP_SEGMENTED_REDUCE) return gp__host_segmented_reduce(&h);
  if (q->primitive == GP_SEGMENTED_INCLUSIVE_SCAN || q->primitive == GP_SEGMENTED_EXCLUSIVE_SCAN)
    return gp__host_segmented_scan(&h);
  if (q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_EXCLUSIVE_SCAN_BY_KEY ||
      q->primitive == GP_REDUCE_BY_KEY)
    return gp__host_runs(&h);
  if (is_scan) return h.op.exact ? gp__host_scan_exact(&h) : gp__host_scan_canonical(&h);
  return h.op.exact ? gp__host_reduce_exact(&h) : gp__host_reduce_canonical(&h);
}

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC pop_options
#endif
// >>kernel_source -----------------------------------------------------------------------------------------------------
//
// Where the machine code of a kernel comes from: the bundle, the disk cache, NVRTC. (The memory cache is the table of
// loaded kernels in >>dispatch.)

// ---- this file's own text, as far as kernels need it: up to the implementation in C

#ifdef GPUPRIMS_SOURCE
#define GPUPRIMS__SOURCE GPUPRIMS_SOURCE
#else
#define GPUPRIMS__SOURCE __FILE__
#endif

#if !defined(GPUPRIMS_NO_EMBED) && defined(__GNUC__) && !defined(__CUDA_ARCH__) &&                                     \
    (defined(__x86_64__) || defined(__aarch64__))
// The bytes lie in a section of their own, and the code beside them takes their address through local labels. There is
// no symbol: copies do not clash, and link-time optimisation has nothing to lose.
__attribute__((noinline, unused)) static const char *gp__embedded_text(size_t *bytes) {
  const char *first, *last;
#ifdef __x86_64__
#define GPUPRIMS__ADDRESSES "leaq 771b(%%rip), %0\n\tleaq 772b(%%rip), %1"
#else
#define GPUPRIMS__ADDRESSES "adrp %0, 771b\n\tadd %0, %0, :lo12:771b\n\tadrp %1, 772b\n\tadd %1, %1, :lo12:772b"
#endif
  __asm__(".pushsection .rodata.gpuprims,\"a\"\n771:\n\t.incbin \"" GPUPRIMS__SOURCE
          "\"\n772:\n\t.byte 0\n\t.popsection\n\t" GPUPRIMS__ADDRESSES
          : "=r"(first), "=r"(last));
#undef GPUPRIMS__ADDRESSES
  *bytes = (size_t)(last - first);
  return first;
}
#else
__attribute__((unused)) static const char *gp__embedded_text(size_t *bytes) {
  *bytes = 0;
  return NULL;
}
#endif

// ---- SHA-256 (FIPS 180-4)

typedef struct gp__sha {
  uint32_t state[8];
  uint64_t bytes;
  unsigned char block[64];
} gp__sha;

GPUPRIMS__PRIVATE uint32_t gp__rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }
GPUPRIMS__PRIVATE void gp__sha_block(gp__sha *h, const unsigned char *p) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], s[8];
  int i;
  for (i = 0; i < 16; ++i)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
  for (; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (gp__rotate(w[i - 15], 7) ^ gp__rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (gp__rotate(w[i - 2], 17) ^ gp__rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(s, h->state, sizeof s);
  for (i = 0; i < 64; ++i) {
    const uint32_t t1 = s[7] + (gp__rotate(s[4], 6) ^ gp__rotate(s[4], 11) ^ gp__rotate(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
    const uint32_t t2 = (gp__rotate(s[0], 2) ^ gp__rotate(s[0], 13) ^ gp__rotate(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (i = 0; i < 8; ++i) h->state[i] += s[i];
}
GPUPRIMS__PRIVATE void gp__sha_begin(gp__sha *h) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(h->state, start, sizeof start);
  h->bytes = 0;
}
GPUPRIMS__PRIVATE void gp__sha_add(gp__sha *h, const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  while (bytes) {
    const size_t used = h->bytes % 64, take = bytes < 64 - used ? bytes : 64 - used;
    if (take == 64) {
      gp__sha_block(h, p);
    } else {
      memcpy(h->block + used, p, take);
      if (used + take == 64) gp__sha_block(h, h->block);
    }
    h->bytes += take;
    p += take;
    bytes -= take;
  }
}
GPUPRIMS__PRIVATE void gp__sha_end(gp__sha *h, unsigned char digest[32]) {
  static const unsigned char padding[64] = {0x80};
  const uint64_t bits = h->bytes * 8;
  unsigned char length[8];
  int i;
  gp__sha_add(h, padding, 1 + (119 - h->bytes % 64) % 64);
  for (i = 0; i < 8; ++i) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  gp__sha_add(h, length, 8);
  for (i = 0; i < 32; ++i) digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

enum { GP__HEX = 33 }; // 128 bits of a digest in hexadecimal digits, and a zero
GPUPRIMS__PRIVATE void gp__hash(char hex[GP__HEX], const void *data, size_t bytes, const char *more) {
  static const char digits[] = "0123456789abcdef";
  unsigned char digest[32];
  gp__sha h;
  int i;
  gp__sha_begin(&h);
  gp__sha_add(&h, data, bytes);
  if (more) gp__sha_add(&h, more, strlen(more) + 1);
  gp__sha_end(&h, digest);
  for (i = 0; i < 16; ++i) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[32] = 0;
}

// ---- the device text: read once a process

static struct {
  pthread_once_t once;
  char *text;         // ends with a zero; NULL: `why` says why
  char hash[GP__HEX]; //
  char why[256];
} gp__device = {PTHREAD_ONCE_INIT, NULL, "", ""};

GPUPRIMS__PRIVATE char *gp__read_file(FILE *file, size_t *bytes) {
  char *data = NULL;
  size_t capacity = 0, got = 1;
  *bytes = 0;
  while (got) {
    if (capacity - *bytes < 65536) {
      char *larger = (char *)realloc(data, capacity = capacity * 2 + 131072);
      if (!larger) break;
      data = larger;
    }
    got = fread(data + *bytes, 1, capacity - *bytes - 1, file);
    *bytes += got;
  }
  if (got || ferror(file)) {
    free(data);
    return NULL;
  }
  data[*bytes] = 0;
  return data;
}

GPUPRIMS__PRIVATE void gp__read_device_text(void) {
  size_t bytes, kept;
  const char *embedded = gp__embedded_text(&bytes), *end;
  char *text = NULL;
  if (embedded) {
    text = (char *)malloc(bytes + 1);
    if (text) memcpy(text, embedded, bytes + 1);
  } else {
    FILE *file = fopen(GPUPRIMS__SOURCE, "rb");
    if (file) {
      text = gp__read_file(file, &bytes);
      fclose(file);
    }
  }
  if (!text) {
    snprintf(gp__device.why, sizeof gp__device.why, "the header's text cannot be read from %s", GPUPRIMS__SOURCE);
    return;
  }
  // Kernels need nothing from the implementation on; without it NVRTC has less to read. A text without the mark is
  // some other file.
  end = strstr(text, "\n#if defined(GPUPRIMS_IMPLEMENTATION)");
  if (!end) {
    snprintf(gp__device.why, sizeof gp__device.why, "%s is not the text of gpuprims.h", GPUPRIMS__SOURCE);
    free(text);
    return;
  }
  kept = (size_t)(end - text) + 1;
  text[kept] = 0;
  gp__hash(gp__device.hash, text, kept, NULL);
  gp__device.text = text;
}
GPUPRIMS__PRIVATE const char *gp__device_text(void) {
  pthread_once(&gp__device.once, gp__read_device_text);
  return gp__device.text;
}

// ---- programs

// What the compiler calls a place of the user's text, and that text: for messages.
typedef struct gp__excerpt {
  char name[160];
  const char *text;
} gp__excerpt;

enum { GP__EXCERPTS = 16 };
typedef struct gp__program {
  gp__text name; // the kernel's, e.g. gp__copy_kernel<gp__policy<...>, 4>
  gp__text text;
  int exact_rounding; // no contraction to fused multiply-add
  gp__excerpt excerpts[GP__EXCERPTS];
  int excerpt_count;
  char key[2 * GP__HEX]; // under which a bundle is searched: hash of text and options
} gp__program;

typedef struct gp__image {
  void *owned;      // or NULL: `data` belongs to the bundle
  const void *data; //
  size_t bytes;
  gp_kernel_source source;
} gp__image;

typedef struct gp__cache {
  char *folder; // NULL: no disk cache
  pthread_mutex_t lock;
  int state;         // 0: not looked at, 1: good, 2: not to be used
  int warned;        // that it cannot be written
  int nvrtc_version; // of the NVRTC that last wrote here
} gp__cache;

typedef struct gp__library {
  gp__runtime runtime;
  gp__cache cache;
  const struct gp_bundle *bundle; // or NULL
} gp__library;

GPUPRIMS__PRIVATE void gp__free_program(gp__program *p) {
  gp__free_text(&p->name);
  gp__free_text(&p->text);
}

// ---- the disk cache: a file a kernel, in a folder that only this user can write

typedef struct gp__cache_head {
  char magic[8]; // "GPUPRIM1"
  uint64_t key_bytes, image_bytes;
  unsigned char digest[32]; // of key and image
} gp__cache_head;

// The digest that a cache file carries.
GPUPRIMS__PRIVATE void gp__cache_digest(gp__cache_head *head, const void *key, const void *image) {
  gp__sha h;
  gp__sha_begin(&h);
  gp__sha_add(&h, key, (size_t)head->key_bytes);
  gp__sha_add(&h, image, (size_t)head->image_bytes);
  gp__sha_end(&h, head->digest);
}

// Strict ISO modes of the compiler hide these from the headers.
#if !defined(O_NOFOLLOW) && defined(__O_NOFOLLOW)
#define GPUPRIMS__NOFOLLOW __O_NOFOLLOW
#elif defined(O_NOFOLLOW)
#define GPUPRIMS__NOFOLLOW O_NOFOLLOW
#elif defined(__aarch64__)
#define GPUPRIMS__NOFOLLOW 0100000
#else
#define GPUPRIMS__NOFOLLOW 0400000
#endif
#ifdef O_CLOEXEC
#define GPUPRIMS__CLOEXEC O_CLOEXEC
#else
#define GPUPRIMS__CLOEXEC 02000000
#endif
#ifdef O_DIRECTORY
#define GPUPRIMS__DIRECTORY O_DIRECTORY
#elif defined(__O_DIRECTORY)
#define GPUPRIMS__DIRECTORY __O_DIRECTORY
#elif defined(__aarch64__)
#define GPUPRIMS__DIRECTORY 040000
#else
#define GPUPRIMS__DIRECTORY 0200000
#endif

// Opens a file of ours: no link, owned by us, writable by nobody else.
GPUPRIMS__PRIVATE int gp__open_ours(const char *path, int flags, struct stat *about, const char **why) {
  const int file = open(path, flags | O_RDONLY | GPUPRIMS__NOFOLLOW | GPUPRIMS__CLOEXEC);
  *why = NULL;
  if (file < 0) {
    *why = errno == ENOENT ? NULL : errno == ELOOP || errno == ENOTDIR ? "it is a link or no folder" : strerror(errno);
    return -1;
  }
  if (fstat(file, about)) *why = strerror(errno);
  else if (about->st_uid != geteuid()) *why = "another user owns it";
  else if (about->st_mode & 022) *why = "others can write to it";
  if (!*why) return file;
  close(file);
  return -1;
}

GPUPRIMS__PRIVATE void gp__make_folders(char *path) {
  char *p;
  for (p = path + 1; *p; ++p)
    if (*p == '/') {
      *p = 0;
      mkdir(path, 0700);
      *p = '/';
    }
  mkdir(path, 0700);
}

// The version of the NVRTC that last wrote here is kept in a file: to look a kernel up, NVRTC need not be opened.
GPUPRIMS__PRIVATE void gp__cache_read_version(gp__library *l) {
  gp__text path = {NULL, 0, 0, 0};
  struct stat about;
  const char *why;
  int file;
  gp__add(&path, "%s/nvrtc", l->cache.folder);
  file = path.failed ? -1 : gp__open_ours(gp__string(&path), 0, &about, &why);
  if (file >= 0) {
    char digits[16];
    const ssize_t got = read(file, digits, sizeof digits - 1);
    digits[got > 0 ? got : 0] = 0;
    l->cache.nvrtc_version = atoi(digits);
    close(file);
  }
  gp__free_text(&path);
}

// Is there a folder to use? Looked at once. *version: of the NVRTC that last wrote there, 0 where none did.
GPUPRIMS__PRIVATE int gp__cache_usable(gp__library *l, int *version) {
  gp__cache *c = &l->cache;
  const char *why = NULL;
  int usable;
  *version = 0;
  if (!c->folder) return 0;
  pthread_mutex_lock(&c->lock);
  if (c->state == 0) {
    struct stat about;
    int file = gp__open_ours(c->folder, GPUPRIMS__DIRECTORY, &about, &why);
    if (file < 0 && !why) {
      gp__make_folders(c->folder);
      file = gp__open_ours(c->folder, GPUPRIMS__DIRECTORY, &about, &why);
      if (file < 0 && !why) why = "it cannot be made";
    }
    c->state = file >= 0 ? 1 : 2;
    if (file >= 0) {
      close(file);
      gp__cache_read_version(l);
    }
  }
  usable = c->state == 1;
  *version = c->nvrtc_version;
  pthread_mutex_unlock(&c->lock);
  if (why) gp__log(&l->runtime, GP_LOG_WARNING, "the disk cache %s is not used: %s", c->folder, why);
  return usable;
}

GPUPRIMS__PRIVATE void gp__cache_key(const gp__program *p, int capability, int version, gp__text *key) {
  gp__add(key, "header %s\nnvrtc %d\noptions %s\ncapability %d\n%s", gp__device.hash, version,
          p->exact_rounding ? "--fmad=false" : "", capability, gp__string(&p->text));
}
GPUPRIMS__PRIVATE void gp__cache_path(const gp__library *l, const gp__text *key, gp__text *path) {
  char hex[GP__HEX];
  gp__hash(hex, gp__string(key), key->size, NULL);
  gp__add(path, "%s/%s.kernel", l->cache.folder, hex);
}

// Reads the kernel. A damaged file is deleted: it will be rebuilt.
GPUPRIMS__PRIVATE int gp__cache_read(gp__library *l, const gp__text *key, gp__image *image) {
  gp__text path = {NULL, 0, 0, 0};
  struct stat about;
  const char *why = NULL;
  char *data = NULL;
  int file = -1, found = 0;
  gp__cache_path(l, key, &path);
  if (!path.failed) file = gp__open_ours(gp__string(&path), 0, &about, &why);
  if (file >= 0) {
    gp__cache_head head, fresh;
    const size_t bytes = about.st_size > 0 && about.st_size < 1 << 30 ? (size_t)about.st_size : 0;
    size_t got = 0;
    ssize_t part = 1;
    data = (char *)malloc(bytes + 1);
    while (data && got < bytes && (part = read(file, data + got, bytes - got)) > 0) got += (size_t)part;
    close(file);
    why = "it is cut short";
    if (data && got == bytes && bytes >= sizeof head) {
      memcpy(&head, data, sizeof head);
      fresh = head;
      if (memcmp(head.magic, "GPUPRIM1", 8) == 0 && head.key_bytes <= bytes && head.image_bytes <= bytes &&
          head.key_bytes + head.image_bytes == bytes - sizeof head && head.image_bytes) {
        gp__cache_digest(&fresh, data + sizeof head, data + sizeof head + head.key_bytes);
        why = "its hash does not match";
        if (memcmp(fresh.digest, head.digest, sizeof head.digest) == 0) {
          why = NULL;
          if (head.key_bytes == key->size && memcmp(data + sizeof head, key->data, key->size) == 0) {
            image->bytes = (size_t)head.image_bytes;
            memmove(data, data + sizeof head + head.key_bytes, image->bytes);
            image->owned = data;
            image->data = data;
            image->source = GP_KERNEL_DISK;
            found = 1;
          }
        }
      }
    }
    if (!found) free(data);
    if (why) unlink(gp__string(&path));
  }
  if (why) gp__log(&l->runtime, GP_LOG_WARNING, "the cache file %s is not used: %s", gp__string(&path), why);
  gp__free_text(&path);
  return found;
}

// Writes a file whole or not at all: under another name first, then renamed over the old one.
GPUPRIMS__PRIVATE int gp__write_whole(const char *path, const void *const *parts, const size_t *sizes, int count) {
  static unsigned serial;
  gp__text temporary = {NULL, 0, 0, 0};
  int file = -1, i, good;
  gp__add(&temporary, "%s.%ld-%u", path, (long)getpid(), __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
  if (!temporary.failed) {
    unlink(temporary.data); // left by a process of the same number that was killed
    file = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | GPUPRIMS__NOFOLLOW | GPUPRIMS__CLOEXEC, 0600);
  }
  good = file >= 0;
  for (i = 0; good && i < count; ++i) {
    const char *p = (const char *)parts[i];
    size_t left = sizes[i];
    while (good && left) {
      const ssize_t part = write(file, p, left);
      if (part < 0 && errno == EINTR) continue;
      good = part > 0;
      if (good) p += part, left -= (size_t)part;
    }
  }
  if (file >= 0) {
    int error = errno;
    if (close(file) && good) error = errno, good = 0;
    if (good && rename(temporary.data, path)) error = errno, good = 0;
    if (!good) unlink(temporary.data);
    errno = error;
  }
  gp__free_text(&temporary);
  return good;
}

GPUPRIMS__PRIVATE void gp__cache_write(gp__library *l, const gp__text *key, const gp__image *image) {
  gp__text path = {NULL, 0, 0, 0};
  gp__cache_head head;
  const void *parts[3];
  size_t sizes[3];
  int good, warn, error;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, "GPUPRIM1", 8);
  head.key_bytes = key->size;
  head.image_bytes = image->bytes;
  gp__cache_digest(&head, key->data, image->data);
  parts[0] = &head, sizes[0] = sizeof head;
  parts[1] = key->data, sizes[1] = key->size;
  parts[2] = image->data, sizes[2] = image->bytes;
  gp__cache_path(l, key, &path);
  good = !path.failed && gp__write_whole(path.data, parts, sizes, 3);
  error = errno;
  pthread_mutex_lock(&l->cache.lock);
  if (good && l->cache.nvrtc_version != l->runtime.nvrtc_version) {
    char digits[16];
    const void *part = digits;
    const size_t size = (size_t)snprintf(digits, sizeof digits, "%d\n", l->runtime.nvrtc_version);
    gp__free_text(&path);
    gp__add(&path, "%s/nvrtc", l->cache.folder);
    good = !path.failed && gp__write_whole(path.data, &part, &size, 1);
    error = errno;
    if (good) l->cache.nvrtc_version = l->runtime.nvrtc_version;
  }
  warn = !good && !l->cache.warned;
  if (warn) l->cache.warned = 1;
  pthread_mutex_unlock(&l->cache.lock);
  if (warn)
    gp__log(&l->runtime, GP_LOG_WARNING, "the disk cache %s cannot be written: %s", l->cache.folder, strerror(error));
  gp__free_text(&path);
}

// ---- NVRTC

// The first error in the compiler's log, with the user's name for the place and the line's text.
GPUPRIMS__PRIVATE gp_result gp__compile_error(gp__library *l, const char *who, const gp__program *p, const char *log) {
  const char *at = log;
  gp__log(&l->runtime, GP_LOG_WARNING, "%s: %s does not compile:\n%s", who, gp__string(&p->name), log);
  while (at && *at) {
    const char *end = strchr(at, '\n'), *error = strstr(at, "error"), *mark = strstr(at, "): ");
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    int i;
    if (error && error < at + length && mark && mark < error) {
      const char *open = mark;
      while (open > at && *open != '(') --open;
      for (i = 0; i < p->excerpt_count; ++i) {
        const gp__excerpt *e = &p->excerpts[i];
        if (strlen(e->name) == (size_t)(open - at) && memcmp(e->name, at, (size_t)(open - at)) == 0) {
          const int line = atoi(open + 1);
          const char *text = e->text;
          int skip;
          for (skip = 1; skip < line && *text; ++text) skip += *text == '\n';
          return gp__fail(GP_E_COMPILE, "%s: %s does not compile, line %d: %.*s\n  %.*s\nThe compiler says:\n%s", who,
                          e->name, line, (int)(at + length - mark - 3), mark + 3, (int)strcspn(text, "\n"), text, log);
        }
      }
    }
    at = end ? end + 1 : NULL;
  }
  return gp__fail(GP_E_COMPILE, "%s: %s does not compile:\n%s", who, gp__string(&p->name), log);
}

// The architecture to compile for: the device's own, or, where NVRTC does not know it, PTX of the newest one before it.
GPUPRIMS__PRIVATE int gp__architecture(const gp__runtime *r, int compute_capability, int *ptx) {
  int i, best = 0;
  for (i = 0; i < r->architecture_count; ++i)
    if (r->architectures[i] <= compute_capability) best = r->architectures[i];
  *ptx = best != compute_capability;
  return best;
}

GPUPRIMS__PRIVATE gp_result gp__compile_program(gp__library *l, const char *who, const gp__program *p, int architecture,
                                                int ptx, gp__image *image) {
  const struct gp_driver *d = &l->runtime.driver;
  const char *header = gp__device_text(), *header_name = "gpuprims.h";
  const char *options[8], *call = "nvrtcCreateProgram";
  char arch[64], *log = NULL;
  void *program = NULL;
  size_t bytes = 0, log_bytes = 0;
  int count = 0, error, compiled = 0;
  gp_result result = GP_SUCCESS;
  snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", ptx ? "compute" : "sm", architecture);
  options[count++] = arch;
  options[count++] = "-std=c++17";
  options[count++] = "-default-device";
  if (p->exact_rounding) options[count++] = "--fmad=false";
  error = d->nvrtcCreateProgram(&program, gp__string(&p->text), "gpuprims_program.cu", 1, &header, &header_name);
  if (error) return gp__fail(GP_E_COMPILE, "%s: nvrtcCreateProgram failed with code %d", who, error);
  compiled = d->nvrtcCompileProgram(program, count, options);
  if (!d->nvrtcGetProgramLogSize(program, &log_bytes) && log_bytes > 1) {
    log = (char *)malloc(log_bytes + 1);
    if (log && d->nvrtcGetProgramLog(program, log)) log[0] = 0;
    if (log) log[log_bytes] = 0;
  }
  if (compiled) {
    if (log && *log) result = gp__compile_error(l, who, p, log);
    else result = gp__fail(GP_E_COMPILE, "%s: nvrtcCompileProgram failed with code %d", who, compiled);
  } else {
    if (log && *log) gp__log(&l->runtime, GP_LOG_INFO, "%s: the compiler says:\n%s", who, log);
    call = ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
    error = ptx ? d->nvrtcGetPTXSize(program, &bytes) : d->nvrtcGetCUBINSize(program, &bytes);
    if (!error) {
      image->owned = malloc(bytes + 1);
      if (!image->owned) {
        result = gp__fail(GP_E_MEMORY, "%s: no memory for a kernel of %lu bytes", who, (unsigned long)bytes);
      } else {
        call = ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
        error = ptx ? d->nvrtcGetPTX(program, (char *)image->owned) : d->nvrtcGetCUBIN(program, (char *)image->owned);
        image->data = image->owned;
        image->bytes = bytes;
        image->source = GP_KERNEL_COMPILED;
      }
    }
    if (error) result = gp__fail(GP_E_COMPILE, "%s: %s failed with code %d", who, call, error);
  }
  free(log);
  d->nvrtcDestroyProgram(&program);
  if (result != GP_SUCCESS) {
    free(image->owned);
    memset(image, 0, sizeof *image);
  }
  return result;
}

// ---- bundle, disk, NVRTC, in this order

GPUPRIMS__PRIVATE gp_result gp__check_bundle(const char *who, const struct gp_bundle *b) {
  unsigned i;
  if (!gp__device_text()) return gp__fail(GP_E_BUNDLE, "%s: %s", who, gp__device.why);
  if (!b->header || !b->count || !b->entries) return gp__fail(GP_E_BUNDLE, "%s: gp_config.bundle is empty", who);
  if (strcmp(b->header, gp__device.hash) != 0)
    return gp__fail(GP_E_BUNDLE, "%s: gp_config.bundle was made for another text of gpuprims.h (%.32s, this one is %s)",
                    who, b->header, gp__device.hash);
  for (i = 0; i < b->count; ++i)
    if (!b->entries[i].key || !b->entries[i].image || !b->entries[i].bytes)
      return gp__fail(GP_E_BUNDLE, "%s: gp_config.bundle: entry %u is damaged", who, i);
  return GP_SUCCESS;
}

// Machine code runs on its own compute capability and on later ones of the same major number.
GPUPRIMS__PRIVATE int gp__from_bundle(const struct gp_bundle *b, const char *key, int capability, gp__image *image) {
  unsigned i;
  int best = 0;
  for (i = 0; b && i < b->count; ++i) {
    const gp_bundle_entry *e = &b->entries[i];
    if (e->compute_capability > best && e->compute_capability <= capability &&
        e->compute_capability / 10 == capability / 10 && strcmp(e->key, key) == 0) {
      best = e->compute_capability;
      image->owned = NULL;
      image->data = e->image;
      image->bytes = e->bytes;
      image->source = GP_KERNEL_BUNDLE;
    }
  }
  return best != 0;
}

// Finishes a program's text: its key.
GPUPRIMS__PRIVATE gp_result gp__seal_program(const char *who, gp__program *p) {
  if (!gp__device_text()) return gp__fail(GP_E_NO_COMPILER, "%s: %s", who, gp__device.why);
  if (p->text.failed || p->name.failed) return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel's source", who);
  gp__hash(p->key, gp__string(&p->text), p->text.size, p->exact_rounding ? "--fmad=false" : "");
  return GP_SUCCESS;
}

// Machine code for exactly `capability`. exact: PTX for an older architecture will not do.
GPUPRIMS__PRIVATE gp_result gp__find_image(gp__library *l, const char *who, const gp__program *p, int capability,
                                           int exact, gp__image *image) {
  gp__text key = {NULL, 0, 0, 0};
  gp_result result;
  int ptx = 0, found, architecture, disk, version;
  memset(image, 0, sizeof *image);
  if (!exact && gp__from_bundle(l->bundle, p->key, capability, image)) return GP_SUCCESS;
  disk = gp__cache_usable(l, &version);
  if (disk && version) {
    gp__cache_key(p, capability, version, &key);
    found = !key.failed && gp__cache_read(l, &key, image);
    gp__free_text(&key);
    if (found) return GP_SUCCESS;
  }
  result = gp__open_nvrtc(&l->runtime, who);
  if (result != GP_SUCCESS) return result;
  architecture = gp__architecture(&l->runtime, capability, &ptx);
  if (!architecture || (exact && ptx))
    return gp__fail(exact ? GP_E_ARGUMENT : GP_E_COMPILE, "%s: NVRTC %d.%d does not know compute capability %d.%d", who,
                    l->runtime.nvrtc_version / 1000, l->runtime.nvrtc_version % 1000 / 10, capability / 10,
                    capability % 10);
  if (disk && version != l->runtime.nvrtc_version) { // another NVRTC has written here since
    gp__cache_key(p, capability, l->runtime.nvrtc_version, &key);
    found = !key.failed && gp__cache_read(l, &key, image);
    gp__free_text(&key);
    if (found) return GP_SUCCESS;
  }
  result = gp__compile_program(l, who, p, architecture, ptx, image);
  if (result == GP_SUCCESS && disk) {
    gp__cache_key(p, capability, l->runtime.nvrtc_version, &key);
    if (!key.failed) gp__cache_write(l, &key, image);
    gp__free_text(&key);
  }
  return result;
}
// >>dispatch ----------------------------------------------------------------------------------------------------------
//
// A call's way: check it whole, choose the policy, find the kernel, size the workspace, launch.

// ---- the tuned table
//
// GP_POLICY_ROWS(ROW): ROW(scope, primitive, in_size, acc_size, out_size, log2_from, log2_to, algorithm, threads,
// vectors, load, store, stages, blocks_per_sm, overlap, provenance). scope: a device's name ("NVIDIA H200"), a compute
// capability ("sm_90"), a class of like devices ("class:NAME"), or "portable". Sizes in bytes, -1 for any; the row
// serves calls on 2^log2_from bytes and more, less than 2^log2_to (gp__shape_bytes), whose pointers are aligned to 16
// bytes and which are not GP_REPRODUCIBLE: as it was measured. in_size is an element's: a value's where there are keys
// or flags beside it, a key's where there are keys alone. Zeros in the policy are filled by gp__portable.
// GP_POLICY_CLASSES(CLASS): CLASS(name, device name), a line a member.

#if defined(GP_POLICY_ROWS) // the program has defined a table of its own
#elif defined(GPUPRIMS_POLICIES)
#include GPUPRIMS_POLICIES
#elif defined(__has_include)
#if __has_include("gpuprims_policies.h")
#include "gpuprims_policies.h"
#endif
#endif
#ifndef GP_POLICY_ROWS
#define GP_POLICY_ROWS(ROW)
#endif
#ifndef GP_POLICY_CLASSES
#define GP_POLICY_CLASSES(CLASS)
#endif

typedef struct gp__policy_row {
  const char *scope;
  int primitive, in_size, acc_size, out_size, log2_from, log2_to;
  gp_policy policy;
  const char *provenance;
} gp__policy_row;
typedef struct gp__policy_class {
  const char *name, *device;
} gp__policy_class;

#define GPUPRIMS__ROW(scope, primitive, in, acc, out, from, to, algorithm, threads, vectors, load, store, stages,      \
                      blocks, overlap, provenance)                                                                     \
  {scope,     (int)(primitive),                                                                                        \
   in,        acc,                                                                                                     \
   out,       from,                                                                                                    \
   to,        {algorithm, threads, vectors, load, store, stages, blocks, overlap},                                     \
   provenance},
#define GPUPRIMS__CLASS(name, device) {name, device},
static const gp__policy_row gp__policy_rows[] = {
    GP_POLICY_ROWS(GPUPRIMS__ROW){NULL, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}, NULL}};
static const gp__policy_class gp__policy_classes[] = {GP_POLICY_CLASSES(GPUPRIMS__CLASS){NULL, NULL}};
#undef GPUPRIMS__ROW
#undef GPUPRIMS__CLASS
enum { GP__POLICY_ROWS = sizeof gp__policy_rows / sizeof *gp__policy_rows - 1 };

// What of the table is for one device. A primitive's rows that are stand between first and end.
typedef struct gp__table {
  unsigned char source[GP__POLICY_ROWS + 1]; // gp_policy_source of each row; 0: it is not for this device
  int first[GP_PRIMITIVE_COUNT], end[GP_PRIMITIVE_COUNT];
} gp__table;

// ---- names

typedef struct gp__type_row {
  const char *name, *device;
  unsigned size;
} gp__type_row;
typedef struct gp__op_row {
  const char *name, *functor;
  int arity, commutative;
} gp__op_row;
#define GPUPRIMS__TYPE(NAME, name, device, size) {#name, #device, size},
static const gp__type_row gp__type_rows[] = {{NULL, NULL, 0}, GP_TYPES(GPUPRIMS__TYPE)};
#undef GPUPRIMS__TYPE
#define GPUPRIMS__OP(NAME, arity, commutative, functor) {#NAME, #functor, arity, commutative},
static const gp__op_row gp__op_rows[] = {{NULL, NULL, 0, 0}, GP_OPERATORS(GPUPRIMS__OP)};
#undef GPUPRIMS__OP
#define GPUPRIMS__NAMED(NAME, name) "gp_" #name,
static const char *const gp__primitive_names[] = {"gp_run", GP_PRIMITIVES(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED

GPUPRIMS__API const char *gp_result_name(gp_result result) {
#define GPUPRIMS__NAMED(name, text) #name,
  static const char *const names[] = {GP_RESULTS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  return (int)result >= 0 && (int)result < (int)GP_RESULT_COUNT ? names[result] : "unknown result";
}
GPUPRIMS__API const char *gp_result_text(gp_result result) {
#define GPUPRIMS__NAMED(name, text) text,
  static const char *const texts[] = {GP_RESULTS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  return (int)result >= 0 && (int)result < (int)GP_RESULT_COUNT ? texts[result] : "not a gp_result";
}
GPUPRIMS__API const char *gp_last_message(void) { return gp__message; }

// ---- contexts

// One machine-code function of a call, under construction or loaded.
enum { GP__KEY_NUMBERS = 28, GP__KINDS_MAX = 16 }; // numbers of a key; kernels of a call
// Kinds of kernels: X(KIND, template, struct of its arguments).
#define GPUPRIMS__KINDS(X)                                                                                             \
  X(COPY, gp__copy_kernel, gp__map_args)                                                                               \
  X(MAP, gp__map_kernel, gp__map_args)                                                                                 \
  X(ADJACENT, gp__adjacent, gp__map_args)                                                                              \
  X(BOUND, gp__bound, gp__search_args)                                                                                 \
  X(EVEN_SHARE, gp__reduce_even_share, gp__reduce_args)                                                                \
  X(STEALING, gp__reduce_stealing, gp__reduce_args)                                                                    \
  X(LOOK_BACK, gp__scan_look_back, gp__scan_args)                                                                      \
  X(PIPELINED, gp__scan_pipelined, gp__scan_args)                                                                      \
  X(UPSWEEP, gp__scan_upsweep, gp__scan_args)                                                                          \
  X(SPINE, gp__scan_spine, gp__scan_args)                                                                              \
  X(DOWNSWEEP, gp__scan_downsweep, gp__scan_args)                                                                      \
  X(STREAM_LOOK_BACK, gp__stream_look_back, gp__stream_args)                                                           \
  X(STREAM_PIPELINED, gp__stream_pipelined, gp__stream_args)                                                           \
  X(SEGMENT_SPANS, gp__segment_spans, gp__segment_args)                                                                \
  X(SEGMENTED_REDUCE, gp__segmented_reduce, gp__segment_args)                                                          \
  X(WARP_SEGMENTS, gp__warp_segments, gp__segment_args)                                                                \
  X(SEGMENTED_PIPELINED, gp__segmented_pipelined, gp__segment_args)                                                    \
  X(LOAD_BALANCE, gp__load_balance, gp__search_args)                                                                   \
  X(HISTOGRAM, gp__histogram, gp__histogram_args)                                                                      \
  X(RADIX_HISTOGRAM, gp__radix_histogram, gp__radix_args)                                                              \
  X(RADIX_PASS, gp__radix_pass, gp__radix_args)                                                                        \
  X(RADIX_PASS_WIDE, gp__radix_pass, gp__radix_args)                                                                   \
  X(HYBRID_BEGIN, gp__hybrid_begin, gp__hybrid_args)                                                                   \
  X(HYBRID_COUNT, gp__hybrid_count, gp__hybrid_args)                                                                   \
  X(HYBRID_MOVE, gp__hybrid_move, gp__hybrid_args)                                                                     \
  X(HYBRID_SORT, gp__hybrid_sort, gp__hybrid_args)                                                                     \
  X(SORT_ONE_BLOCK, gp__sort_one_block, gp__hybrid_args)                                                               \
  X(GATHER, gp__gather, gp__gather_args)
#define GPUPRIMS__ENUM(KIND, kernel, arguments) GP__##KIND,
typedef enum gp__kernel_kind { GPUPRIMS__KINDS(GPUPRIMS__ENUM) GP__KINDS } gp__kernel_kind;
#undef GPUPRIMS__ENUM
typedef struct gp__kernel {
  struct gp__kernel *next;
  int key[GP__KEY_NUMBERS];
  int state; // 0: not built, 1: a thread builds it, 2: loaded
  gp_kernel_source source;
  void *module, *function;
  int occupancy; // blocks that fit a multiprocessor, with so much dynamic shared memory:
  unsigned shared_bytes;
  unsigned allowed_bytes; // of it, at most, so far
  gp__image image;        // of gp_compile
  char bundle_key[2 * GP__HEX];
} gp__kernel;

// A stream's workspace.
typedef struct gp__workspace {
  struct gp__workspace *next;
  unsigned long long key;
  gp_stream handle;
  pthread_mutex_t lock; // held from the choice of the workspace to the launch
  void *workspace;
  size_t bytes;
  int captured; // a graph may hold the workspace's address
  // Tagged words grow from the front, scratch from the back; both may use the middle, in turn. Bytes from the front:
  size_t tagged; // that hold zeros and words with tags, nothing else
  size_t words;  // that calls have used for words
  size_t pinned; // the same, of calls that were captured: no scratch may lie there
  size_t soiled; // from here on, scratch of captured calls: whenever a graph runs
  size_t held;   // scratch at the back that a call holds while it runs others
} gp__workspace;
typedef struct gp__retired {
  struct gp__retired *next;
  void *pointer;
  size_t bytes;
} gp__retired;

enum { GP__KERNEL_SLOTS = 256, GP__STREAM_SLOTS = 64 };
typedef struct gp__state {
  gp__library library;
  gp_description about;
  gp_allocate_fn allocate;
  gp_release_fn release;
  void *allocator_user;
  int host_threads;
  int device;           // CUdevice
  void *context;        // the device's primary context
  int pools;            // stream-ordered allocation works
  pthread_mutex_t lock; // of everything below
  pthread_cond_t built; // a kernel has been built, or has failed
  gp__kernel *kernels[GP__KERNEL_SLOTS];
  gp__workspace *streams[GP__STREAM_SLOTS];
  gp__retired *retired;
  gp__type_info **types; // user's types and operators
  gp__op_info **ops;
  int type_count, op_count;
  gp__table table; // for this device
} gp__state;

// What the user holds. It is never freed, so that a context that is closed twice is an error, not a crash.
struct gp_context {
  struct gp_context *next;
  gp__state *state;    // NULL: closed
  unsigned generation; // of the process that opened it
};

static gp_context *gp__contexts; // all ever opened by this process
static pthread_mutex_t gp__contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned gp__generation; // forks since the start
static pthread_once_t gp__fork_once = PTHREAD_ONCE_INIT;
static __thread gp_context *gp__known; // the context that this thread used last

static void gp__before_fork(void) { pthread_mutex_lock(&gp__contexts_lock); }
static void gp__parent_after_fork(void) { pthread_mutex_unlock(&gp__contexts_lock); }
static void gp__child_after_fork(void) {
  ++gp__generation;
  pthread_mutex_unlock(&gp__contexts_lock);
}
GPUPRIMS__PRIVATE void gp__watch_forks(void) {
  pthread_atfork(gp__before_fork, gp__parent_after_fork, gp__child_after_fork);
}

// The state behind a context, or NULL with *result and a message.
GPUPRIMS__PRIVATE gp__state *gp__state_of(gp_context *ctx, const char *who, gp_result *result) {
  gp__state *state;
  if (ctx != gp__known || !ctx) {
    gp_context *c;
    if (!ctx) {
      *result = gp__fail(GP_E_CONTEXT, "%s: ctx is null", who);
      return NULL;
    }
    for (c = __atomic_load_n(&gp__contexts, __ATOMIC_ACQUIRE); c && c != ctx; c = c->next) {}
    if (!c) {
      *result = gp__fail(GP_E_CONTEXT, "%s: ctx was never open", who);
      return NULL;
    }
    gp__known = ctx;
  }
  if (ctx->generation != gp__generation) {
    *result = gp__fail(GP_E_FORK, "%s: ctx was opened by the parent of this process", who);
    return NULL;
  }
  state = __atomic_load_n(&ctx->state, __ATOMIC_ACQUIRE);
  if (!state) *result = gp__fail(GP_E_CONTEXT, "%s: ctx is closed", who);
  return state;
}

// Makes the context's primary context current where it is not; *pushed says whether gp__leave must undo it.
GPUPRIMS__PRIVATE gp_result gp__enter(const gp__state *s, const char *who, int *pushed) {
  const struct gp_driver *d = &s->library.runtime.driver;
  void *current = NULL;
  int error = d->cuCtxGetCurrent(&current);
  *pushed = 0;
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuCtxGetCurrent", error);
  if (current == s->context) return GP_SUCCESS;
  error = d->cuCtxPushCurrent(s->context);
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuCtxPushCurrent", error);
  *pushed = 1;
  return GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__leave(const gp__state *s, const char *who, int pushed, gp_result result) {
  void *popped = NULL;
  const int error = pushed ? s->library.runtime.driver.cuCtxPopCurrent(&popped) : 0;
  return error && result == GP_SUCCESS ? gp__cuda_fail(&s->library.runtime, who, "cuCtxPopCurrent", error) : result;
}

GPUPRIMS__PRIVATE gp_result gp__destroy(gp__state *s, const char *who) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const int cuda = s->context != NULL;
  gp_result result = GP_SUCCESS;
  int pushed = 0, mode = GP__CU_CAPTURE_RELAXED, error, i;
  if (cuda) {
    result = gp__enter(s, who, &pushed);
    if (result == GP_SUCCESS && !d->cuThreadExchangeStreamCaptureMode(&mode)) {
      // Waits for the whole primary context: streams that were used may be gone by now, and cannot be asked.
      error = d->cuCtxSynchronize();
      if (error) result = gp__cuda_fail(&s->library.runtime, who, "cuCtxSynchronize", error);
    }
  }
#define GPUPRIMS__RELEASE(pointer_, bytes_)                                                                            \
  if (pointer_) {                                                                                                      \
    if (s->release) s->release(s->allocator_user, pointer_, bytes_, NULL);                                             \
    else if ((error = d->cuMemFree((gp__cu_pointer)(uintptr_t)(pointer_))) != 0 && result == GP_SUCCESS)               \
      result = gp__cuda_fail(&s->library.runtime, who, "cuMemFree", error);                                            \
  }
  while (s->retired) {
    gp__retired *r = s->retired;
    GPUPRIMS__RELEASE(r->pointer, r->bytes)
    s->retired = r->next;
    free(r);
  }
  for (i = 0; i < GP__STREAM_SLOTS; ++i)
    while (s->streams[i]) {
      gp__workspace *r = s->streams[i];
      GPUPRIMS__RELEASE(r->workspace, r->bytes)
      s->streams[i] = r->next;
      pthread_mutex_destroy(&r->lock);
      free(r);
    }
#undef GPUPRIMS__RELEASE
  for (i = 0; i < GP__KERNEL_SLOTS; ++i)
    while (s->kernels[i]) {
      gp__kernel *k = s->kernels[i];
      if (k->module && (error = d->cuModuleUnload(k->module)) != 0 && result == GP_SUCCESS)
        result = gp__cuda_fail(&s->library.runtime, who, "cuModuleUnload", error);
      s->kernels[i] = k->next;
      free(k->image.owned);
      free(k);
    }
  if (cuda) {
    if (mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
    result = gp__leave(s, who, pushed, result);
    error = d->cuDevicePrimaryCtxRelease(s->device);
    if (error && result == GP_SUCCESS)
      result = gp__cuda_fail(&s->library.runtime, who, "cuDevicePrimaryCtxRelease", error);
  }
  for (i = 0; i < s->type_count; ++i) {
    free(s->types[i]->name);
    free(s->types[i]->source);
    free(s->types[i]);
  }
  for (i = 0; i < s->op_count; ++i) {
    free(s->ops[i]->name);
    free(s->ops[i]->body);
    free(s->ops[i]->prelude);
    free(s->ops[i]->identity);
    free(s->ops[i]);
  }
  free(s->types);
  free(s->ops);
  free(s->library.runtime.nvrtc_path);
  free(s->library.cache.folder);
  pthread_mutex_destroy(&s->library.runtime.nvrtc_lock);
  pthread_mutex_destroy(&s->library.cache.lock);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->built);
  free(s);
  return result;
}

GPUPRIMS__API gp_config gp_config_init(void) {
  gp_config c;
  memset(&c, 0, sizeof c);
  return c;
}
GPUPRIMS__API gp_call gp_call_init(gp_primitive primitive) {
  gp_call c;
  memset(&c, 0, sizeof c);
  c.primitive = primitive;
  return c;
}
GPUPRIMS__API gp_type_desc gp_type_desc_init(void) {
  gp_type_desc d;
  memset(&d, 0, sizeof d);
  return d;
}
GPUPRIMS__API gp_op_desc gp_op_desc_init(void) {
  gp_op_desc d;
  memset(&d, 0, sizeof d);
  return d;
}

GPUPRIMS__PRIVATE gp_policy_source gp__row_source(const gp__policy_row *row, const char *device, int capability) {
  char scope[16];
  const gp__policy_class *c;
  snprintf(scope, sizeof scope, "sm_%d", capability);
  if (strcmp(row->scope, device) == 0) return GP_POLICY_DEVICE;
  if (strcmp(row->scope, scope) == 0) return GP_POLICY_CAPABILITY;
  if (strcmp(row->scope, "portable") == 0) return GP_POLICY_PORTABLE;
  for (c = gp__policy_classes; c->name; ++c)
    if (strncmp(row->scope, "class:", 6) == 0 && strcmp(row->scope + 6, c->name) == 0 && strcmp(c->device, device) == 0)
      return GP_POLICY_CLASS;
  return (gp_policy_source)0;
}

GPUPRIMS__PRIVATE void gp__make_table(gp__table *t, const char *device, int capability) {
  int i;
  memset(t, 0, sizeof *t);
  for (i = 0; i < GP__POLICY_ROWS; ++i) {
    const int primitive = gp__policy_rows[i].primitive;
    t->source[i] = (unsigned char)gp__row_source(&gp__policy_rows[i], device, capability);
    if (!t->source[i] || primitive <= GP_PRIMITIVE_NONE || primitive >= GP_PRIMITIVE_COUNT) continue;
    if (!t->end[primitive]) t->first[primitive] = i;
    t->end[primitive] = i + 1;
  }
}

// Finds the device and asks about it. Failures up to the primary context mean that there is no usable device.
GPUPRIMS__PRIVATE gp_result gp__find_device(gp__state *s, const gp_config *c) {
  const char *who = "gp_open";
  gp__runtime *r = &s->library.runtime;
  struct gp_driver *d = &r->driver;
  gp_description *a = &s->about;
  int count = 0, error, major = 0, minor = 0;
  size_t memory = 0;
  if (c->driver) {
    *d = *c->driver;
    r->given = 1;
  } else {
    char why[1024];
    if (!gp__open_cuda(d, c->cuda_library, why, sizeof why))
      return gp__fail(GP_E_NO_DEVICE, "%s: the CUDA driver cannot be opened: %s", who, why);
  }
#define GPUPRIMS__CALL(function, arguments)                                                                            \
  do {                                                                                                                 \
    error = d->function arguments;                                                                                     \
    if (error) return gp__cuda_fail(r, who, #function, error);                                                         \
  } while (0)
  error = d->cuInit(0);
  if (error == GP__CU_OUT_OF_MEMORY) return gp__cuda_fail(r, who, "cuInit", error);
  if (error) {
    gp__cuda_fail(r, who, "cuInit", error);
    return GP_E_NO_DEVICE;
  }
  GPUPRIMS__CALL(cuDeviceGetCount, (&count));
  a->device = c->device;
  if (c->device == GP_DEVICE_CURRENT) {
    void *current = NULL;
    GPUPRIMS__CALL(cuCtxGetCurrent, (&current));
    a->device = 0;
    if (current) GPUPRIMS__CALL(cuCtxGetDevice, (&a->device));
  }
  if (a->device >= count)
    return gp__fail(GP_E_NO_DEVICE, "%s: gp_config.device is %d, but the driver has %d device%s", who, a->device, count,
                    count == 1 ? "" : "s");
  GPUPRIMS__CALL(cuDeviceGet, (&s->device, a->device));
  GPUPRIMS__CALL(cuDriverGetVersion, (&a->driver_version));
  GPUPRIMS__CALL(cuDeviceGetName, (a->name, (int)sizeof a->name, s->device));
  a->name[sizeof a->name - 1] = 0;
  GPUPRIMS__CALL(cuDeviceGetAttribute, (&major, GP__CU_CAPABILITY_MAJOR, s->device));
  GPUPRIMS__CALL(cuDeviceGetAttribute, (&minor, GP__CU_CAPABILITY_MINOR, s->device));
  a->compute_capability = major * 10 + minor;
  if (a->compute_capability < 75)
    return gp__fail(GP_E_DEVICE_TOO_OLD,
                    "%s: device %d (%s) has compute capability %d.%d; 7.5 is the oldest that works", who, a->device,
                    a->name, major, minor);
  GPUPRIMS__CALL(cuDeviceGetAttribute, (&a->multiprocessors, GP__CU_MULTIPROCESSORS, s->device));
  GPUPRIMS__CALL(cuDeviceGetAttribute, (&a->shared_bytes_per_block, GP__CU_SHARED_BYTES_OPT_IN, s->device));
  GPUPRIMS__CALL(cuDeviceGetAttribute, (&s->pools, GP__CU_MEMORY_POOLS, s->device));
  GPUPRIMS__CALL(cuDeviceTotalMem, (&memory, s->device));
#undef GPUPRIMS__CALL
  if (!d->cuMemAllocAsync || !d->cuMemFreeAsync) s->pools = 0;
  a->memory_bytes = memory;
  a->backend = GP_BACKEND_CUDA;
  return GP_SUCCESS;
}

// Where the disk cache lies; NULL: nowhere.
GPUPRIMS__PRIVATE char *gp__cache_folder(const char *given, int *failed) {
  const char *base = getenv("XDG_CACHE_HOME"), *tail = "/gpuprims";
  char *path;
  if (given) return *given ? gp__duplicate(given, failed) : NULL;
  if (!base || *base != '/') {
    base = getenv("HOME");
    tail = "/.cache/gpuprims";
  }
  if (!base || *base != '/') return NULL;
  path = (char *)malloc(strlen(base) + strlen(tail) + 1);
  if (!path) {
    *failed = 1;
    return NULL;
  }
  strcpy(path, base);
  strcat(path, tail);
  return path;
}

GPUPRIMS__PRIVATE gp_result gp__check_config(const gp_config *c) {
  const char *who = "gp_open";
  if ((int)c->backend < GP_BACKEND_AUTO || (int)c->backend > GP_BACKEND_HOST)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.backend is %d, which is no gp_backend", who, (int)c->backend);
  if (c->device < GP_DEVICE_CURRENT) return gp__fail(GP_E_ARGUMENT, "%s: gp_config.device is %d", who, c->device);
  if (!c->allocate != !c->release)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.allocate and gp_config.release: set both or neither", who);
  if (c->cuda_library && *c->cuda_library != '/')
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.cuda_library is \"%s\", not an absolute path", who, c->cuda_library);
  if (c->nvrtc_library && *c->nvrtc_library != '/')
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.nvrtc_library is \"%s\", not an absolute path", who,
                    c->nvrtc_library);
  if (c->cache_dir && *c->cache_dir && *c->cache_dir != '/')
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.cache_dir is \"%s\", not an absolute path", who, c->cache_dir);
  if (c->host_threads < 0) return gp__fail(GP_E_ARGUMENT, "%s: gp_config.host_threads is %d", who, c->host_threads);
  return c->bundle ? gp__check_bundle(who, c->bundle) : GP_SUCCESS;
}

GPUPRIMS__API gp_result gp_open(const gp_config *config, gp_context **ctx) {
  const char *who = "gp_open";
  gp_config c = gp_config_init();
  gp_context *shell;
  gp__state *s;
  gp_result result;
  int failed = 0;
  if (!ctx) return gp__fail(GP_E_NULL, "%s: ctx is null", who);
  *ctx = NULL;
  if (config) c = *config;
  result = gp__check_config(&c);
  if (result != GP_SUCCESS) return result;
  pthread_once(&gp__fork_once, gp__watch_forks);
  s = (gp__state *)calloc(1, sizeof *s);
  shell = (gp_context *)calloc(1, sizeof *shell);
  if (!s || !shell) {
    free(s);
    free(shell);
    return gp__fail(GP_E_MEMORY, "%s: no memory for the context", who);
  }
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->built, NULL);
  pthread_mutex_init(&s->library.runtime.nvrtc_lock, NULL);
  pthread_mutex_init(&s->library.cache.lock, NULL);
  s->library.runtime.log = c.log;
  s->library.runtime.log_user = c.log_user;
  s->library.runtime.no_compile = c.no_compile;
  s->library.runtime.nvrtc_path = gp__duplicate(c.nvrtc_library, &failed);
  s->library.cache.folder = gp__cache_folder(c.cache_dir, &failed);
  s->library.bundle = c.bundle;
  s->allocate = c.allocate;
  s->release = c.release;
  s->allocator_user = c.allocator_user;
  s->host_threads = c.host_threads;
  if (failed) result = gp__fail(GP_E_MEMORY, "%s: no memory for the context", who);
  if (result == GP_SUCCESS && c.backend != GP_BACKEND_HOST) {
    result = gp__find_device(s, &c);
    if (result == GP_SUCCESS) {
      void *primary = NULL;
      const int error = s->library.runtime.driver.cuDevicePrimaryCtxRetain(&primary, s->device);
      if (error) result = gp__cuda_fail(&s->library.runtime, who, "cuDevicePrimaryCtxRetain", error);
      else s->context = primary;
    } else if (c.backend == GP_BACKEND_AUTO && (result == GP_E_NO_DEVICE || result == GP_E_DEVICE_TOO_OLD)) {
      gp__log(&s->library.runtime, GP_LOG_INFO, "the host back end runs: %s", gp__message);
      memset(&s->about, 0, sizeof s->about);
      result = GP_SUCCESS;
    }
  }
  if (result == GP_SUCCESS && !s->context) {
    s->library.runtime.given = c.driver != NULL;
    if (c.driver) s->library.runtime.driver = *c.driver;
    s->about.backend = GP_BACKEND_HOST;
    s->about.device = -1;
    strcpy(s->about.name, "host");
#ifdef _OPENMP
    s->about.multiprocessors = c.host_threads ? c.host_threads : omp_get_max_threads();
#else
    s->about.multiprocessors = 1;
#endif
    s->host_threads = s->about.multiprocessors;
  }
  if (result != GP_SUCCESS) {
    free(shell);
    gp__destroy(s, who);
    return result;
  }
  gp__make_table(&s->table, s->about.name, s->about.compute_capability);
  shell->generation = gp__generation;
  shell->state = s;
  pthread_mutex_lock(&gp__contexts_lock);
  shell->next = gp__contexts;
  __atomic_store_n(&gp__contexts, shell, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&gp__contexts_lock);
  *ctx = shell;
  return GP_SUCCESS;
}

GPUPRIMS__API gp_result gp_close(gp_context *ctx) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_close", &result);
  if (!s) return result;
  s = __atomic_exchange_n(&ctx->state, (gp__state *)NULL, __ATOMIC_ACQ_REL);
  if (!s) return gp__fail(GP_E_CONTEXT, "gp_close: ctx is closed");
  return gp__destroy(s, "gp_close");
}

GPUPRIMS__API gp_result gp_describe(gp_context *ctx, gp_description *description) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_describe", &result);
  if (!s) return result;
  if (!description) return gp__fail(GP_E_NULL, "gp_describe: description is null");
  *description = s->about;
  pthread_mutex_lock(&s->library.runtime.nvrtc_lock);
  description->nvrtc_version = s->library.runtime.nvrtc_open ? s->library.runtime.nvrtc_version : 0;
  pthread_mutex_unlock(&s->library.runtime.nvrtc_lock);
  return GP_SUCCESS;
}

// ---- users' types and operators

GPUPRIMS__PRIVATE const gp__type_info *gp__user_type(gp__state *s, gp_type type) {
  const gp__type_info *info = NULL;
  pthread_mutex_lock(&s->lock);
  if (type >= GP_TYPE_COUNT && type - GP_TYPE_COUNT < s->type_count) info = s->types[type - GP_TYPE_COUNT];
  pthread_mutex_unlock(&s->lock);
  return info;
}
GPUPRIMS__PRIVATE const gp__op_info *gp__user_op(gp__state *s, gp_op op) {
  const gp__op_info *info = NULL;
  pthread_mutex_lock(&s->lock);
  if (op >= GP_OP_COUNT && op - GP_OP_COUNT < s->op_count) info = s->ops[op - GP_OP_COUNT];
  pthread_mutex_unlock(&s->lock);
  return info;
}

GPUPRIMS__API const char *gp_type_name(gp_context *ctx, gp_type type) {
  gp_result result;
  const gp__type_info *info;
  gp__state *s;
  if (type > 0 && type < GP_TYPE_COUNT) return gp__type_rows[type].name;
  s = ctx ? gp__state_of(ctx, "gp_type_name", &result) : NULL;
  info = s ? gp__user_type(s, type) : NULL;
  return info ? info->name : NULL;
}
GPUPRIMS__API size_t gp_type_size(gp_context *ctx, gp_type type) {
  gp_result result;
  const gp__type_info *info;
  gp__state *s;
  if (type > 0 && type < GP_TYPE_COUNT) return gp__type_rows[type].size;
  s = ctx ? gp__state_of(ctx, "gp_type_size", &result) : NULL;
  info = s ? gp__user_type(s, type) : NULL;
  return info ? info->size : 0;
}
GPUPRIMS__API const char *gp_op_name(gp_context *ctx, gp_op op) {
  gp_result result;
  const gp__op_info *info;
  gp__state *s;
  if (op > 0 && op < GP_OP_COUNT) return gp__op_rows[op].name;
  s = ctx ? gp__state_of(ctx, "gp_op_name", &result) : NULL;
  info = s ? gp__user_op(s, op) : NULL;
  return info ? info->name : NULL;
}

enum { GP__NAME_BYTES = 64 };
GPUPRIMS__PRIVATE int gp__identifier(const char *name) {
  const char *p = name;
  for (; *p; ++p) {
    const int letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
    if (!letter && !(p > name && *p >= '0' && *p <= '9')) return 0;
  }
  return p > name && p - name < GP__NAME_BYTES;
}

GPUPRIMS__API gp_result gp_type_struct(gp_context *ctx, const gp_type_desc *desc, gp_type *type) {
  const char *who = "gp_type_struct";
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, who, &result);
  gp__type_info *info, **larger = NULL;
  int failed = 0, i;
  if (!s) return result;
  if (!desc) return gp__fail(GP_E_NULL, "%s: desc is null", who);
  if (!type) return gp__fail(GP_E_NULL, "%s: type is null", who);
  *type = GP_TYPE_DEFAULT;
  if (!desc->name) return gp__fail(GP_E_NULL, "%s: desc.name is null", who);
  if (!gp__identifier(desc->name))
    return gp__fail(GP_E_ARGUMENT, "%s: desc.name is \"%.80s\", not a C identifier of 1 to 63 characters", who,
                    desc->name);
  if (desc->size < 1 || desc->size > GP__VALUE_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.size is %lu, not 1 to 64", who, (unsigned long)desc->size);
  if (desc->align < 1 || desc->align > 16 || (desc->align & (desc->align - 1)) || desc->size % desc->align)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.align is %lu, not 1, 2, 4, 8 or 16 that divides the size %lu", who,
                    (unsigned long)desc->align, (unsigned long)desc->size);
  info = (gp__type_info *)calloc(1, sizeof *info);
  if (info) {
    info->name = gp__duplicate(desc->name, &failed);
    info->source = gp__duplicate(desc->source, &failed);
    info->size = desc->size;
    info->align = desc->align;
  }
  pthread_mutex_lock(&s->lock);
  for (i = 0; i < s->type_count && strcmp(s->types[i]->name, desc->name) != 0; ++i) {}
  if (i < s->type_count) {
    result = gp__fail(GP_E_ARGUMENT, "%s: desc.name: a type \"%s\" exists already", who, desc->name);
  } else {
    if (info && !failed) larger = (gp__type_info **)realloc(s->types, (size_t)(s->type_count + 1) * sizeof *s->types);
    if (larger) {
      s->types = larger;
      s->types[s->type_count] = info;
      *type = GP_TYPE_COUNT + s->type_count++;
    } else {
      result = gp__fail(GP_E_MEMORY, "%s: no memory", who);
    }
  }
  pthread_mutex_unlock(&s->lock);
  if (result != GP_SUCCESS && info) {
    free(info->name);
    free(info->source);
    free(info);
  }
  return result;
}

GPUPRIMS__PRIVATE gp_result gp__check_op(const gp_op_desc *d) {
  const char *who = "gp_op_define", *p;
  if (!d->name) return gp__fail(GP_E_NULL, "%s: desc.name is null", who);
  for (p = d->name; *p >= ' ' && *p < 127 && *p != '"' && *p != '\\'; ++p) {}
  if (*p || p == d->name || p - d->name >= GP__NAME_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.name is not 1 to 63 printable characters without quotes and backslashes",
                    who);
  if (d->arity != 1 && d->arity != 2)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.arity of \"%s\" is %d, not 1 or 2", who, d->name, d->arity);
  if (d->commutative != 0 && d->commutative != 1)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.commutative of \"%s\" is %d, not 0 or 1", who, d->name, d->commutative);
  if (!d->body && !d->host)
    return gp__fail(GP_E_NULL, "%s: desc.body and desc.host of \"%s\" are both null", who, d->name);
  if (!d->host_identity != !d->host_identity_size)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.host_identity and desc.host_identity_size of \"%s\": set both or neither",
                    who, d->name);
  if (d->host_identity_size > GP__VALUE_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.host_identity_size of \"%s\" is %lu, more than 64", who, d->name,
                    (unsigned long)d->host_identity_size);
  return GP_SUCCESS;
}

GPUPRIMS__API gp_result gp_op_define(gp_context *ctx, const gp_op_desc *desc, gp_op *op) {
  const char *who = "gp_op_define";
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, who, &result);
  gp__op_info *info, **larger = NULL;
  int failed = 0;
  if (!s) return result;
  if (!desc) return gp__fail(GP_E_NULL, "%s: desc is null", who);
  if (!op) return gp__fail(GP_E_NULL, "%s: op is null", who);
  *op = GP_OP_DEFAULT;
  result = gp__check_op(desc);
  if (result != GP_SUCCESS) return result;
  info = (gp__op_info *)calloc(1, sizeof *info);
  if (info) {
    info->name = gp__duplicate(desc->name, &failed);
    info->body = gp__duplicate(desc->body, &failed);
    info->prelude = gp__duplicate(desc->prelude, &failed);
    info->identity = gp__duplicate(desc->identity, &failed);
    info->arity = desc->arity;
    info->commutative = desc->commutative;
    info->host = desc->host;
    info->host_user = desc->host_user;
    info->has_host_identity = desc->host_identity ? (int)desc->host_identity_size : 0;
    if (desc->host_identity) memcpy(info->host_identity.bytes, desc->host_identity, desc->host_identity_size);
  }
  pthread_mutex_lock(&s->lock);
  if (info && !failed) larger = (gp__op_info **)realloc(s->ops, (size_t)(s->op_count + 1) * sizeof *s->ops);
  if (larger) {
    s->ops = larger;
    s->ops[s->op_count] = info;
    *op = GP_OP_COUNT + s->op_count++;
  }
  pthread_mutex_unlock(&s->lock);
  if (larger) return GP_SUCCESS;
  if (info) {
    free(info->name);
    free(info->body);
    free(info->prelude);
    free(info->identity);
    free(info);
  }
  return gp__fail(GP_E_MEMORY, "%s: no memory", who);
}

// ---- checking a call

typedef struct gp__checked_type {
  size_t size, align;
  const gp__type_info *info; // NULL: built in
} gp__checked_type;

GPUPRIMS__PRIVATE gp_result gp__check_type(gp__state *s, const char *who, const char *field, gp_type type,
                                           gp__checked_type *out) {
  out->info = NULL;
  if (type > 0 && type < GP_TYPE_COUNT) {
    out->size = out->align = gp__type_rows[type].size;
    return GP_SUCCESS;
  }
  out->info = gp__user_type(s, type);
  if (!out->info)
    return gp__fail(GP_E_TYPE, type ? "%s: %s is %d, which is no type of this context" : "%s: %s is not set (%d)", who,
                    field, type);
  out->size = out->info->size;
  out->align = out->info->align;
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE int gp__is_integer(gp_type type) {
  return type > 0 && type < GP_TYPE_COUNT && (*gp__type_rows[type].name == 'i' || *gp__type_rows[type].name == 'u');
}

// An operator of the wanted arity, that the back end can run. *user is NULL for a built-in one.
GPUPRIMS__PRIVATE gp_result gp__check_operator(gp__state *s, const char *who, const char *field, gp_op op, int arity,
                                               int host, const gp__op_info **user) {
  static const char *const arities[] = {"", "a unary", "a binary"};
  const char *name;
  int has;
  *user = NULL;
  if (op > 0 && op < GP_OP_COUNT) {
    name = gp__op_rows[op].name;
    has = gp__op_rows[op].arity;
  } else {
    *user = gp__user_op(s, op);
    if (!*user)
      return gp__fail(GP_E_OPERATOR,
                      op ? "%s: %s is %d, which is no operator of this context" : "%s: %s is not set (%d)", who, field,
                      op);
    name = (*user)->name;
    has = (*user)->arity;
  }
  if (has != arity)
    return gp__fail(GP_E_OPERATOR, "%s: %s: operator \"%s\" is %s one, the call takes %s one", who, field, name,
                    arities[has], arities[arity]);
  if (*user && host && !(*user)->host)
    return gp__fail(GP_E_UNSUPPORTED, "%s: %s: operator \"%s\" has no gp_op_desc.host, which the host back end runs",
                    who, field, name);
  if (*user && !host && !(*user)->body)
    return gp__fail(GP_E_UNSUPPORTED, "%s: %s: operator \"%s\" has no gp_op_desc.body, which the device runs", who,
                    field, name);
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_pointer(const char *who, const char *field, const void *pointer, size_t align,
                                              uint64_t count, size_t size, int needed) {
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (size && count > UINT64_MAX / size)
    return gp__fail(GP_E_SIZE, "%s: count %llu times the %lu bytes of an element of %s overflows", who,
                    (unsigned long long)count, (unsigned long)size, field);
  if (!pointer) return needed && count ? gp__fail(GP_E_NULL, "%s: %s is null", who, field) : GP_SUCCESS;
  if (address % align)
    return gp__fail(GP_E_ALIGNMENT, "%s: %s (%p) is not aligned to the %lu bytes that its type asks for", who, field,
                    pointer, (unsigned long)align);
  if (count * size > UINT64_MAX - address)
    return gp__fail(GP_E_SIZE, "%s: %s and count: %llu elements of %lu bytes reach past the end of memory", who, field,
                    (unsigned long long)count, (unsigned long)size);
  return GP_SUCCESS;
}

// What a call reads or writes.
typedef struct gp__extent {
  const char *name;
  const void *pointer;
  uint64_t bytes;
  int place; // what is read and what is written may be the same buffer where this is equal and not 0
} gp__extent;

GPUPRIMS__PRIVATE gp_result gp__check_overlap(const char *who, const gp__extent *in, const gp__extent *out) {
  const uintptr_t a = (uintptr_t)in->pointer, b = (uintptr_t)out->pointer;
  if (!a || !b || !in->bytes || !out->bytes || a >= b + out->bytes || b >= a + in->bytes) return GP_SUCCESS;
  if (a == b && out->place && in->place == out->place) return GP_SUCCESS;
  return gp__fail(GP_E_OVERLAP, "%s: %s and %s overlap%s", who, in->name, out->name,
                  a == b ? ": this call cannot run in place" : "");
}

// Values that were given as one of the type: the number one for iota's default step.
GPUPRIMS__PRIVATE void gp__one(gp_type type, gp__value *v) {
  const float f = 1.0f;
  const double d = 1.0;
  const uint64_t i = 1;
  const uint16_t half = 0x3c00, bfloat = 0x3f80;
  if (type == GP_F32) memcpy(v->bytes, &f, sizeof f);
  else if (type == GP_F64) memcpy(v->bytes, &d, sizeof d);
  else if (type == GP_F16) memcpy(v->bytes, &half, sizeof half);
  else if (type == GP_BF16) memcpy(v->bytes, &bfloat, sizeof bfloat);
  else memcpy(v->bytes, &i, sizeof i); // little-endian: the low bytes are the smaller types' one
}

#define GPUPRIMS__CHECK(expression)                                                                                    \
  do {                                                                                                                 \
    const gp_result checked_ = expression;                                                                             \
    if (checked_ != GP_SUCCESS) return checked_;                                                                       \
  } while (0)

// Which fields of gp_call a primitive reads: F(FIELD, field, error, what is said of one that is set for nothing).
#define GPUPRIMS__CALL_FIELDS(F)                                                                                       \
  F(OP, op, GP_E_OPERATOR, "takes no operator")                                                                        \
  F(TRANSFORM, transform, GP_E_OPERATOR, "takes none")                                                                 \
  F(EQUAL, equal, GP_E_OPERATOR, "has no runs")                                                                        \
  F(IN_TYPE, in_type, GP_E_TYPE, "has no input of that name")                                                          \
  F(IN2_TYPE, in2_type, GP_E_TYPE, "has no second input")                                                              \
  F(KEY_TYPE, key_type, GP_E_TYPE, "has no keys")                                                                      \
  F(OFFSET_TYPE, offset_type, GP_E_TYPE, "has no offsets")                                                             \
  F(ACC_TYPE, acc_type, GP_E_TYPE, "has no accumulator")                                                               \
  F(OUT_TYPE, out_type, GP_E_TYPE, "has no output of that name")                                                       \
  F(OUT2_TYPE, out2_type, GP_E_TYPE, "has no lengths")                                                                 \
  F(IN, in, GP_E_ARGUMENT, "has no input")                                                                             \
  F(IN2, in2, GP_E_ARGUMENT, "has no second input")                                                                    \
  F(KEYS, keys, GP_E_ARGUMENT, "has no keys")                                                                          \
  F(BEGIN, begin, GP_E_ARGUMENT, "has no offsets")                                                                     \
  F(END, end, GP_E_ARGUMENT, "has no offsets at which segments end")                                                   \
  F(OUT, out, GP_E_ARGUMENT, "has no output of that name")                                                             \
  F(OUT_KEYS, out_keys, GP_E_ARGUMENT, "has no output of that name")                                                   \
  F(OUT2, out2, GP_E_ARGUMENT, "has no output of that name")                                                           \
  F(OUT3, out3, GP_E_ARGUMENT, "has no output of that name")                                                           \
  F(OUT_COUNT, out_count, GP_E_ARGUMENT, "counts nothing")                                                             \
  F(BAD, bad, GP_E_ARGUMENT, "checks no offsets")                                                                      \
  F(COUNT_DEVICE, count_device, GP_E_ARGUMENT, "takes no count in device memory")                                      \
  F(SEGMENTS, segments, GP_E_ARGUMENT, "has no segments")                                                              \
  F(LENGTH, length, GP_E_ARGUMENT, "takes none")                                                                       \
  F(BINS, bins, GP_E_ARGUMENT, "has no bins")                                                                          \
  F(CHANNELS, channels, GP_E_ARGUMENT, "has no channels")                                                              \
  F(ACTIVE, active, GP_E_ARGUMENT, "has no channels")                                                                  \
  F(INIT, init, GP_E_ARGUMENT, "takes no value")                                                                       \
  F(STEP, step, GP_E_ARGUMENT, "takes none")                                                                           \
  F(KEYS2, keys2, GP_E_ARGUMENT, "has no second input")                                                                \
  F(FIELDS, fields, GP_E_ARGUMENT, "has no struct keys that fields order")
#define GPUPRIMS__ENUM(FIELD, field, error, text) GP__FIELD_##FIELD,
enum { GPUPRIMS__CALL_FIELDS(GPUPRIMS__ENUM) GP__FIELDS };
#undef GPUPRIMS__ENUM
#define GPUPRIMS__ENUM(FIELD, field, error, text) GP__READS_##FIELD = 1 << GP__FIELD_##FIELD,
enum {
  GPUPRIMS__CALL_FIELDS(GPUPRIMS__ENUM)
  // Fields that go together.
  GP__READS_MAP = GP__READS_IN_TYPE | GP__READS_OUT_TYPE | GP__READS_IN | GP__READS_OUT | GP__READS_COUNT_DEVICE,
  GP__READS_FILL = (GP__READS_MAP & ~GP__READS_IN) | GP__READS_INIT,
  GP__READS_FOLD = GP__READS_MAP | GP__READS_OP | GP__READS_TRANSFORM | GP__READS_ACC_TYPE | GP__READS_INIT,
  GP__READS_OFFSETS = GP__READS_OFFSET_TYPE | GP__READS_BEGIN | GP__READS_SEGMENTS,
  GP__READS_RUNS = GP__READS_EQUAL | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE,
  GP__READS_COMPACTED = GP__READS_OUT_KEYS | GP__READS_OUT_COUNT,
  GP__READS_LENGTHS = GP__READS_RUNS | GP__READS_OUT_COUNT | GP__READS_OUT2 | GP__READS_OUT2_TYPE,
  GP__READS_SELECT =
      GP__READS_MAP | GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_COUNT | GP__READS_INIT,
  GP__READS_HISTOGRAM =
      GP__READS_MAP | GP__READS_IN2 | GP__READS_IN2_TYPE | GP__READS_BINS | GP__READS_CHANNELS | GP__READS_ACTIVE,
  GP__READS_PAIRS = GP__READS_MAP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_KEYS,
  GP__READS_TWO_SORTED = (GP__READS_PAIRS & ~GP__READS_COUNT_DEVICE) | GP__READS_KEYS2 | GP__READS_IN2 | GP__READS_OP,
  GP__READS_SORTED = GP__READS_MAP | GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_LENGTH
};
#undef GPUPRIMS__ENUM

GPUPRIMS__PRIVATE int gp__reads(gp_primitive primitive) {
  switch (primitive) {
  case GP_COPY:
    return GP__READS_MAP;
  case GP_FILL:
    return GP__READS_FILL;
  case GP_IOTA:
    return GP__READS_FILL | GP__READS_STEP;
  case GP_TRANSFORM:
  case GP_ADJACENT_DIFFERENCE:
    return GP__READS_MAP | GP__READS_OP;
  case GP_TRANSFORM2:
    return GP__READS_MAP | GP__READS_OP | GP__READS_IN2_TYPE | GP__READS_IN2;
  case GP_REDUCE:
  case GP_INCLUSIVE_SCAN:
  case GP_EXCLUSIVE_SCAN:
    return GP__READS_FOLD;
  case GP_SEGMENTED_REDUCE:
    return (GP__READS_FOLD & ~GP__READS_COUNT_DEVICE) | GP__READS_OFFSETS | GP__READS_END | GP__READS_LENGTH |
           GP__READS_BAD;
  case GP_SEGMENTED_INCLUSIVE_SCAN:
  case GP_SEGMENTED_EXCLUSIVE_SCAN:
    return GP__READS_FOLD | GP__READS_OFFSETS | GP__READS_BAD;
  case GP_INCLUSIVE_SCAN_BY_KEY:
  case GP_EXCLUSIVE_SCAN_BY_KEY:
    return GP__READS_FOLD | GP__READS_RUNS;
  case GP_REDUCE_BY_KEY:
    return GP__READS_FOLD | GP__READS_RUNS | GP__READS_COMPACTED;
  case GP_RUN_LENGTHS:
    return GP__READS_LENGTHS | GP__READS_OUT_KEYS;
  case GP_NONTRIVIAL_RUNS:
    return GP__READS_LENGTHS | GP__READS_OUT_TYPE | GP__READS_OUT;
  case GP_UNIQUE:
    return GP__READS_MAP | GP__READS_RUNS | GP__READS_COMPACTED;
  case GP_SELECT:
    return GP__READS_SELECT;
  case GP_PARTITION:
    return GP__READS_SELECT | GP__READS_TRANSFORM | GP__READS_OUT2 | GP__READS_OUT3 | GP__READS_STEP;
  case GP_COUNT_IF:
    return (GP__READS_MAP & ~(GP__READS_OUT | GP__READS_OUT_TYPE)) | GP__READS_OP | GP__READS_OUT_COUNT |
           GP__READS_INIT;
  case GP_ANY:
  case GP_ALL:
    return GP__READS_MAP | GP__READS_OP | GP__READS_INIT;
  case GP_HISTOGRAM_EVEN:
    return GP__READS_HISTOGRAM | GP__READS_INIT | GP__READS_STEP;
  case GP_HISTOGRAM_RANGES:
    return GP__READS_HISTOGRAM | GP__READS_BEGIN;
  case GP_LOWER_BOUND:
  case GP_UPPER_BOUND:
    return GP__READS_SORTED;
  case GP_LOAD_BALANCE:
    return GP__READS_OFFSETS | GP__READS_OUT_TYPE | GP__READS_OUT | GP__READS_COUNT_DEVICE;
  case GP_SORT:
    return GP__READS_PAIRS | GP__READS_TRANSFORM | GP__READS_ACC_TYPE | GP__READS_FIELDS;
  case GP_MERGE_SORT:
    return GP__READS_PAIRS | GP__READS_OP;
  case GP_MERGE:
    return GP__READS_TWO_SORTED;
  case GP_SET_UNION:
  case GP_SET_INTERSECTION:
  case GP_SET_DIFFERENCE:
  case GP_SET_SYMMETRIC_DIFFERENCE:
    return GP__READS_TWO_SORTED | GP__READS_OUT_COUNT;
  case GP_IS_SORTED:
    return GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE | GP__READS_OUT |
           GP__READS_OUT_COUNT;
  case GP_SEGMENTED_SORT:
    return (GP__READS_PAIRS & ~GP__READS_COUNT_DEVICE) | GP__READS_OFFSETS | GP__READS_END | GP__READS_BAD;
  case GP_TOP_K:
    return GP__READS_PAIRS | GP__READS_LENGTH | GP__READS_SEGMENTS;
  case GP_NTH_ELEMENT:
    return GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE | GP__READS_OUT_KEYS | GP__READS_LENGTH;
  case GP_SHUFFLE:
    return GP__READS_MAP | GP__READS_INIT;
  case GP_GROUP_BY:
    return GP__READS_FOLD | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COMPACTED;
  default: // check_offsets
    return GP__READS_OFFSETS | GP__READS_BAD;
  }
}

// What the steps of a check share.
typedef struct gp__checking {
  gp__state *s;
  const char *who;
  const gp_call *c;
  gp__request *q;
  int host, pointers, reads; // reads: gp__reads
  int fold;                  // an operator with an accumulator
  int by_flags;              // select, partition: flags decide, no predicate
  gp__checked_type in, in2, key, offset, out, out2;
  gp__extent read[8], written[6];
  int read_count, written_count;
} gp__checking;

GPUPRIMS__PRIVATE int gp__is_predicated(gp_primitive p) { return p >= GP_SELECT && p <= GP_ALL; }
GPUPRIMS__PRIVATE int gp__is_histogram(gp_primitive p) { return p == GP_HISTOGRAM_EVEN || p == GP_HISTOGRAM_RANGES; }
GPUPRIMS__PRIVATE int gp__is_bound(gp_primitive p) { return p == GP_LOWER_BOUND || p == GP_UPPER_BOUND; }

// Fields and flags that the call has no use for.
GPUPRIMS__PRIVATE gp_result gp__check_fields(const gp__checking *k) {
  const gp_call *c = k->c;
#define GPUPRIMS__UNREAD(FIELD, field, error, text)                                                                    \
  if (c->field && !(k->reads & GP__READS_##FIELD)) return gp__fail(error, "%s: " #field ": the call " text, k->who);
  GPUPRIMS__CALL_FIELDS(GPUPRIMS__UNREAD)
#undef GPUPRIMS__UNREAD
  if (c->count2 && !(k->reads & GP__READS_KEYS2))
    return gp__fail(GP_E_ARGUMENT, "%s: count2: the call has no second input", k->who);
  if (c->field_count && !(k->reads & GP__READS_FIELDS))
    return gp__fail(GP_E_ARGUMENT, "%s: field_count: the call has no struct keys that fields order", k->who);
  if ((c->begin_bit || c->end_bit) && c->primitive != GP_SORT && c->primitive != GP_SEGMENTED_SORT)
    return gp__fail(GP_E_ARGUMENT, "%s: begin_bit and end_bit serve radix sorts only", k->who);
  if ((c->flags & GP_DESCENDING) && c->primitive != GP_SORT && c->primitive != GP_SEGMENTED_SORT &&
      c->primitive != GP_TOP_K && c->primitive != GP_NTH_ELEMENT)
    return gp__fail(GP_E_ARGUMENT, "%s: flags: GP_DESCENDING serves sort, segmented_sort, top_k and nth_element only",
                    k->who);
  if ((c->flags & GP_UNSORTED) && c->primitive != GP_TOP_K)
    return gp__fail(GP_E_ARGUMENT, "%s: flags: GP_UNSORTED serves top_k only", k->who);
  if (c->flags & ~(GP_REPRODUCIBLE | GP_CHECKED | GP_RIGHT | GP_DESCENDING | GP_UNSORTED))
    return gp__fail(GP_E_ARGUMENT, "%s: flags has unknown bits: %#x", k->who, c->flags);
  if ((c->flags & GP_RIGHT) && c->primitive != GP_ADJACENT_DIFFERENCE)
    return gp__fail(GP_E_ARGUMENT, "%s: flags: GP_RIGHT serves adjacent_difference only", k->who);
  if ((c->flags & GP_CHECKED) && !((k->reads & GP__READS_BAD) && c->primitive != GP_CHECK_OFFSETS))
    return gp__fail(GP_E_ARGUMENT, "%s: flags: GP_CHECKED serves segmented_reduce and segmented scans only", k->who);
  if ((c->flags & GP_CHECKED) && (c->end || (!c->begin && !c->offset_type)))
    return gp__fail(GP_E_ARGUMENT,
                    c->end ? "%s: flags: GP_CHECKED checks offsets in their order; with end they have none"
                           : "%s: flags: GP_CHECKED: segments of one length have no offsets",
                    k->who);
  if (c->bad && c->primitive != GP_CHECK_OFFSETS && !(c->flags & GP_CHECKED))
    return gp__fail(GP_E_ARGUMENT, "%s: bad: flags lacks GP_CHECKED", k->who);
  return GP_SUCCESS;
}

// ---- its operators

// Of the built-in binary operators, those that have a role of their own; NULL: for folds and maps.
GPUPRIMS__PRIVATE const char *gp__role_of(gp_op op) {
  return op == GP_ARGMIN || op == GP_ARGMAX         ? "reduce and scan"
         : op == GP_SUB                             ? "transform2 and adjacent_difference"
         : op >= GP_EQUAL && op <= GP_GREATER_EQUAL ? "predicates and runs"
         : op == GP_HEADS                           ? "runs"
                                                    : NULL;
}

GPUPRIMS__PRIVATE gp_result gp__check_predicate(const gp__checking *k, const char *field, gp_op op, const char *scalar,
                                                const void *value, const gp__op_info **user) {
  *user = NULL;
  if (op >= GP_EQUAL && op <= GP_GREATER_EQUAL)
    return value || !k->pointers ? GP_SUCCESS
                                 : gp__fail(GP_E_NULL, "%s: %s (the scalar) is null: %s: %s compares with it", k->who,
                                            scalar, field, gp__op_rows[op].name);
  if (op > 0 && op < GP_OP_COUNT)
    return gp__fail(GP_E_OPERATOR, "%s: %s: %s is no predicate: a comparison is, or a user's unary operator", k->who,
                    field, gp__op_rows[op].name);
  GPUPRIMS__CHECK(gp__check_operator(k->s, k->who, field, op, 1, k->host, user));
  return value ? gp__fail(GP_E_ARGUMENT, "%s: %s (the scalar) is not null, but %s, operator \"%s\", takes none", k->who,
                          scalar, field, (*user)->name)
               : GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_operators(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *role;
  q->op = c->op;
  q->transform = c->transform;
  if (gp__is_predicated(c->primitive)) {
    k->by_flags = !c->op && (c->primitive == GP_SELECT || c->primitive == GP_PARTITION) && (c->keys || c->key_type);
    if (k->by_flags) {
      if (c->transform)
        return gp__fail(GP_E_OPERATOR, "%s: transform (the second predicate): flags make two parts", k->who);
      return c->init || c->step
                 ? gp__fail(GP_E_ARGUMENT, "%s: %s: flags are not compared", k->who, c->init ? "init" : "step")
                 : GP_SUCCESS;
    }
    if (c->keys || c->key_type)
      return gp__fail(c->keys ? GP_E_ARGUMENT : GP_E_TYPE, "%s: %s: flags serve calls without a predicate (op)", k->who,
                      c->keys ? "keys" : "key_type");
    GPUPRIMS__CHECK(gp__check_predicate(k, "op", c->op, "init", c->init, &q->user_op));
    if (c->transform) return gp__check_predicate(k, "transform", c->transform, "step", c->step, &q->user_transform);
    return c->step ? gp__fail(GP_E_ARGUMENT, "%s: step: there is no second predicate (transform)", k->who) : GP_SUCCESS;
  }
  if (gp__is_bound(c->primitive)) {
    if (!c->op) q->op = GP_LESS;
    if (q->op == GP_LESS) return GP_SUCCESS;
    if (q->op > 0 && q->op < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR, "%s: op: %s is no order: LESS is, or a user's binary operator", k->who,
                      gp__op_rows[q->op].name);
    return gp__check_operator(k->s, k->who, "op", q->op, 2, k->host, &q->user_op);
  }
  if (k->reads & GP__READS_OP) {
    GPUPRIMS__CHECK(
        gp__check_operator(k->s, k->who, "op", c->op, c->primitive == GP_TRANSFORM ? 1 : 2, k->host, &q->user_op));
    role = q->user_op ? NULL : gp__role_of(c->op);
    if (role && (c->op == GP_SUB ? k->fold : !k->fold || c->op > GP_SUB))
      return gp__fail(GP_E_OPERATOR, "%s: op: %s serves %s only", k->who, gp__op_rows[c->op].name, role);
  }
  if (c->transform) {
    GPUPRIMS__CHECK(gp__check_operator(k->s, k->who, "transform", c->transform, 1, k->host, &q->user_transform));
    if (q->transform == GP_CONVERT) q->transform = GP_OP_DEFAULT; // what a load does anyway
  }
  if (k->reads & GP__READS_EQUAL) {
    q->equal = c->equal ? c->equal : (gp_op)GP_EQUAL;
    if (q->equal == GP_EQUAL || q->equal == GP_NOT_EQUAL || q->equal == GP_HEADS) return GP_SUCCESS;
    if (q->equal > 0 && q->equal < GP_OP_COUNT)
      return gp__fail(GP_E_OPERATOR,
                      "%s: equal: %s does not say what belongs to one run: EQUAL does, NOT_EQUAL, HEADS, or a user's "
                      "binary operator",
                      k->who, gp__op_rows[q->equal].name);
    return gp__check_operator(k->s, k->who, "equal", q->equal, 2, k->host, &q->user_equal);
  }
  return GP_SUCCESS;
}

// ---- its types

// An integer type of so many bytes: it becomes the unsigned one of its size, which kernels read in its place.
GPUPRIMS__PRIVATE gp_result gp__check_integer(const gp__checking *k, const char *field, gp_type type, size_t smallest,
                                              size_t largest, const char *wanted, gp_type *unsigned_type,
                                              gp__checked_type *t) {
  GPUPRIMS__CHECK(gp__check_type(k->s, k->who, field, type, t));
  if (t->info || !gp__is_integer(type) || t->size < smallest || t->size > largest)
    return gp__fail(GP_E_TYPE, "%s: %s is %s, not %s", k->who, field,
                    t->info ? t->info->name : gp__type_rows[type].name, wanted);
  *unsigned_type = t->size == 1 ? GP_U8 : t->size == 2 ? GP_U16 : t->size == 4 ? GP_U32 : GP_U64;
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__no_struct(const gp__checking *k, const char *field, gp_op op) {
  return gp__fail(GP_E_OPERATOR, "%s: %s: %s cannot take a struct type; a user's operator can", k->who, field,
                  gp__op_rows[op].name);
}

// Types, of primitives with an accumulator.
GPUPRIMS__PRIVATE gp_result gp__check_accumulator(gp__checking *k) {
  gp__checked_type acc = {0, 0, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int builtin_op = !q->user_op, host = k->host;
  q->is_arg = q->op == GP_ARGMIN || q->op == GP_ARGMAX;
  q->acc_type = c->acc_type                                                       ? c->acc_type
                : !q->is_arg && (q->out_type == GP_F16 || q->out_type == GP_BF16) ? (gp_type)GP_F32
                                                                                  : q->out_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, who, "acc_type", q->acc_type, &acc));
  q->acc_struct = acc.info;
  q->acc_size = acc.size;
  if (builtin_op && (acc.info || (q->out_struct && !q->is_arg))) return gp__no_struct(k, "op", q->op);
  if (q->op >= GP_BIT_AND && q->op <= GP_BIT_XOR && !gp__is_integer(q->acc_type))
    return gp__fail(GP_E_OPERATOR, "%s: op: %s works on integers, not on an accumulator of %s", who,
                    gp__op_rows[q->op].name, gp__type_rows[q->acc_type].name);
  if (q->is_arg && q->acc_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: acc_type: %s computes in the type of its value, out_type", who,
                    gp__op_rows[q->op].name);
  if ((q->in_struct || acc.info) && !q->user_transform && q->in_type != q->acc_type)
    return gp__fail(GP_E_TYPE, "%s: in_type: no conversion to the accumulator's type where one of them is a struct",
                    who);
  if ((q->out_struct || acc.info) && q->out_type != q->acc_type)
    return gp__fail(GP_E_TYPE, "%s: out_type: no conversion from the accumulator's type where one of them is a struct",
                    who);
  if (q->user_op && !host && !q->user_op->identity)
    return gp__fail(GP_E_OPERATOR, "%s: op: operator \"%s\" has no gp_op_desc.identity, which %s needs", who,
                    q->user_op->name, who);
  if (q->user_op && host && !q->user_op->has_host_identity)
    return gp__fail(GP_E_UNSUPPORTED,
                    "%s: op: operator \"%s\" has no gp_op_desc.host_identity, which the host back end needs", who,
                    q->user_op->name);
  if (q->user_op && host && (size_t)q->user_op->has_host_identity != q->acc_size)
    return gp__fail(GP_E_OPERATOR,
                    "%s: op: gp_op_desc.host_identity_size of \"%s\" is %d, but the accumulator has %lu bytes", who,
                    q->user_op->name, q->user_op->has_host_identity, (unsigned long)q->acc_size);
  if (q->is_arg) { // struct { T value; int64_t index; }
    q->acc_size = q->out_size = 16;
    k->out.align = 8;
  }
  return GP_SUCCESS;
}

// Keys, offsets, lengths, positions.
GPUPRIMS__PRIVATE gp_result gp__check_key_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (k->by_flags || q->equal == GP_HEADS) {
    GPUPRIMS__CHECK(gp__check_integer(k, "key_type (of flags)", c->key_type, 1, 4, "an integer of 1, 2 or 4 bytes",
                                      &q->key_type, &k->key));
  } else if (k->reads & GP__READS_EQUAL) {
    q->key_type = c->key_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
    if (k->key.info && !q->user_equal) return gp__no_struct(k, "equal", q->equal);
  } else if (gp__is_bound(c->primitive)) {
    if (c->key_type && c->key_type != q->in_type)
      return gp__fail(GP_E_TYPE, "%s: in_type and key_type differ: needles have the type of the sorted array", k->who);
    q->key_type = q->in_type;
    k->key = k->in;
    if (k->in.info && !q->user_op) return gp__no_struct(k, "op", q->op);
  }
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  if ((k->reads & GP__READS_OFFSET_TYPE) &&
      (c->primitive != GP_SEGMENTED_REDUCE || c->begin || c->end || c->offset_type))
    GPUPRIMS__CHECK(
        gp__check_integer(k, "offset_type", c->offset_type, 4, 8, "i32, u32, i64 or u64", &q->offset_type, &k->offset));
  q->offset_size = k->offset.size;
  if (k->reads & GP__READS_OUT2_TYPE) {
    gp_type type = c->out2_type ? c->out2_type : c->out_type ? c->out_type : (gp_type)GP_U32;
    GPUPRIMS__CHECK(
        gp__check_integer(k, "out2_type (of lengths)", type, 4, 8, "i32, u32, i64 or u64", &q->out2_type, &k->out2));
    if (c->out_type && c->out_type != type)
      return gp__fail(GP_E_TYPE, "%s: out_type and out2_type differ: offsets and lengths have one type", k->who);
    if (c->primitive == GP_NONTRIVIAL_RUNS) q->out_type = q->out2_type, k->out = k->out2;
    else if (!c->out2 && (k->pointers || !c->out2_type)) { // no lengths are wanted
      q->out2_type = GP_TYPE_DEFAULT;
      k->out2.size = 0;
    }
    q->out2_size = k->out2.size;
  }
  return GP_SUCCESS;
}

// Counters and weights.
GPUPRIMS__PRIVATE gp_result gp__check_histogram_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int weights = c->in2 || c->in2_type;
  if (k->in.info) return gp__fail(GP_E_TYPE, "%s: in_type: a struct cannot be sorted into bins", k->who);
  if (weights) {
    q->in2_type = c->in2_type ? c->in2_type : c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "in2_type (of weights)", q->in2_type, &k->in2));
    if (k->in2.info) return gp__fail(GP_E_TYPE, "%s: in2_type (of weights): a struct is no weight", k->who);
  }
  if (c->out_type == GP_F32 || c->out_type == GP_F64) {
    if (!weights)
      return gp__fail(GP_E_TYPE, "%s: out_type: counters of %s serve weights (in2); without, they are integers", k->who,
                      gp__type_rows[c->out_type].name);
    q->out_type = c->out_type;
    if (c->flags & GP_REPRODUCIBLE)
      return gp__fail(
          GP_E_UNSUPPORTED,
          "%s: flags: GP_REPRODUCIBLE: counters of %s keep their bits on one device and policy, not on every "
          "one; integers do",
          k->who, gp__type_rows[c->out_type].name);
    return gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out);
  }
  GPUPRIMS__CHECK(gp__check_integer(k, "out_type (of counters)", c->out_type, 4, 8,
                                    "i32, u32, i64 or u64, nor, with weights, f32 or f64", &q->out_type, &k->out));
  return weights && !gp__is_integer(q->in2_type)
             ? gp__fail(GP_E_TYPE, "%s: in2_type: weights of %s need counters (out_type) of f32 or f64", k->who,
                        gp__type_rows[q->in2_type].name)
             : GP_SUCCESS;
}

// The type of the output, and what it has to do with that of the input.
GPUPRIMS__PRIVATE gp_result gp__check_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int moved = c->primitive == GP_SELECT || c->primitive == GP_PARTITION || c->primitive == GP_UNIQUE;
  if (gp__is_histogram(c->primitive)) return gp__check_histogram_types(k);
  if (gp__is_bound(c->primitive) || c->primitive == GP_LOAD_BALANCE) {
    GPUPRIMS__CHECK(
        gp__check_integer(k, "out_type (index_type)", c->out_type, 4, 8, "u32 or u64", &q->out_type, &k->out));
    return q->out_type == c->out_type ? GP_SUCCESS
                                      : gp__fail(GP_E_TYPE, "%s: out_type (index_type) is %s, not u32 or u64", who,
                                                 gp__type_rows[c->out_type].name);
  }
  q->out_type = c->out_type ? c->out_type : c->in_type;
  if (c->primitive == GP_ANY || c->primitive == GP_ALL) {
    q->out_type = GP_U8;
    if (c->out_type && c->out_type != GP_U8)
      return gp__fail(GP_E_TYPE, "%s: out_type: the result is one byte, u8", who);
  } else if (c->primitive == GP_COUNT_IF || c->primitive == GP_CHECK_OFFSETS) {
    q->out_type = GP_U64;
  }
  if (q->out_type || ((k->reads & GP__READS_OUT) && c->primitive != GP_NONTRIVIAL_RUNS && !(moved && !k->in.size)))
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "out_type", q->out_type, &k->out));
  if (moved && q->out_type != q->in_type)
    return gp__fail(GP_E_TYPE, "%s: in_type and out_type differ: elements are moved as they are", who);
  if ((c->primitive == GP_COPY || c->primitive == GP_FILL || c->primitive == GP_IOTA) && c->in_type &&
      c->in_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: in_type and out_type differ: transform with GP_CONVERT converts", who);
  if (c->primitive == GP_IOTA && k->out.info)
    return gp__fail(GP_E_TYPE, "%s: out_type: a struct cannot be counted in", who);
  return GP_SUCCESS;
}

// Values that move with keys: of in_type, or where there is no input, indices of out_type. Their type becomes the
// unsigned one of its size.
GPUPRIMS__PRIVATE gp_result gp__check_moved_values(gp__checking *k) {
  static const gp_type unsigned_of[] = {GP_TYPE_DEFAULT, GP_U8,           GP_U16,          GP_TYPE_DEFAULT, GP_U32,
                                        GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, GP_U64};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->in || c->in_type) {
    q->in_type = c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "in_type (of values)", q->in_type, &k->in));
    if (c->out_type && c->out_type != c->in_type)
      return gp__fail(GP_E_TYPE, "%s: out_type is not in_type: values keep their type", k->who);
    if (!k->in.info) q->in_type = unsigned_of[k->in.size];
    q->out_type = q->in_type;
    k->out = k->in;
  } else if (c->out || c->out_type) {
    GPUPRIMS__CHECK(gp__check_integer(k, "out_type (of indices)", c->out_type, 4, 8,
                                      "i32, u32, i64 or u64, as indices are (values have in and in_type)", &q->out_type,
                                      &k->out));
    q->in_type = q->out_type;
  }
  q->in_struct = q->out_struct = k->out.info;
  q->in_size = q->out_size = k->out.size;
  return GP_SUCCESS;
}

// What orders a struct: a list of its fields, or a user's operator that makes a built-in type of it.
GPUPRIMS__PRIVATE gp_result gp__check_key_fields(gp__checking *k, int *bits) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type t;
  int i;
  uint64_t hash = 14695981039346656037ull; // FNV-1a
  if (!k->key.info) return gp__fail(GP_E_ARGUMENT, "%s: fields: keys of a built-in type have none", k->who);
  if (c->transform) return gp__fail(GP_E_ARGUMENT, "%s: fields and transform both order the keys", k->who);
  if (!c->fields) return gp__fail(GP_E_NULL, "%s: fields is null, but field_count is %d", k->who, c->field_count);
  if (c->field_count < 1)
    return gp__fail(GP_E_ARGUMENT, "%s: field_count is %d, but there are fields", k->who, c->field_count);
  *bits = 0;
  for (i = 0; i < c->field_count; ++i) {
    const gp_key_field *f = &c->fields[i];
    const uint64_t said[3] = {(uint64_t)f->offset, (uint64_t)f->type, f->descending != 0};
    int j;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "fields: a type", f->type, &t));
    if (t.info) return gp__fail(GP_E_TYPE, "%s: fields: field %d is a struct", k->who, i);
    if (f->offset % t.size || f->offset > k->key.size || t.size > k->key.size - f->offset)
      return gp__fail(GP_E_ARGUMENT, "%s: fields: field %d: no aligned %s stands at offset %lu of %s, of %lu bytes",
                      k->who, i, gp__type_rows[f->type].name, (unsigned long)f->offset, k->key.info->name,
                      (unsigned long)k->key.size);
    *bits += 8 * (int)t.size;
    if (*bits > 8 * GP__RADIX_PASSES)
      return gp__fail(GP_E_SIZE, "%s: fields: they have more than %d bytes together", k->who, GP__RADIX_PASSES);
    for (j = 0; j < 3; ++j) hash = (hash ^ said[j]) * 1099511628211ull;
  }
  q->fields_hash = hash | 1;
  q->acc_size = 8; // words of the ordered key
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_sort_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type ordered = {0, 0, NULL};
  int bits;
  k->fold = 0;
  q->key_type = c->key_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  bits = 8 * (int)k->key.size;
  if (c->transform) {
    if (!q->user_transform)
      return gp__fail(GP_E_OPERATOR, "%s: transform: keys are decomposed by a user's operator, not by %s", k->who,
                      gp__op_rows[c->transform].name);
    q->acc_type = c->acc_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "acc_type (of transform's result)", q->acc_type, &ordered));
    if (ordered.info) return gp__fail(GP_E_TYPE, "%s: acc_type (of transform's result) is a struct", k->who);
    q->acc_size = ordered.size;
    bits = 8 * (int)ordered.size;
    if (c->fields) return gp__fail(GP_E_ARGUMENT, "%s: fields and transform both order the keys", k->who);
  } else if (c->acc_type) {
    return gp__fail(GP_E_TYPE, "%s: acc_type: there is no transform whose result has it", k->who);
  } else if (c->fields || c->field_count) {
    GPUPRIMS__CHECK(gp__check_key_fields(k, &bits));
  } else if (k->key.info) {
    return gp__fail(
        GP_E_TYPE,
        "%s: key_type: a struct needs fields or a transform (a user's operator) that say how it is ordered; "
        "gp_merge_sort takes a comparison",
        k->who);
  }
  q->begin_bit = c->begin_bit;
  q->end_bit = c->begin_bit || c->end_bit ? c->end_bit : bits;
  if (q->begin_bit < 0 || q->begin_bit > q->end_bit || q->end_bit > bits)
    return gp__fail(GP_E_ARGUMENT, "%s: begin_bit is %d, end_bit %d: no range within the %d bits of the key", k->who,
                    c->begin_bit, c->end_bit, bits);
  GPUPRIMS__CHECK(gp__check_moved_values(k));
  if (q->out_size == 4 && !k->in.size && c->count > (uint64_t)1 << 32)
    return gp__fail(GP_E_SIZE, "%s: count is %llu, which indices of type u32 (out_type) do not reach", k->who,
                    (unsigned long long)c->count);
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int map =
      c->primitive == GP_TRANSFORM || c->primitive == GP_TRANSFORM2 || c->primitive == GP_ADJACENT_DIFFERENCE;
  if (c->primitive == GP_SORT) return gp__check_sort_types(k);
  if ((k->reads & GP__READS_IN) && (c->primitive != GP_UNIQUE || c->in_type || c->in || c->out)) {
    q->in_type = c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "in_type", q->in_type, &k->in));
  }
  GPUPRIMS__CHECK(gp__check_out_type(k));
  if (c->primitive == GP_TRANSFORM2) {
    q->in2_type = c->in2_type ? c->in2_type : c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "in2_type", q->in2_type, &k->in2));
  }
  GPUPRIMS__CHECK(gp__check_key_types(k));
  q->in_struct = k->in.info;
  q->in2_struct = k->in2.info;
  q->out_struct = k->out.info;
  q->in_size = k->in.size;
  q->in2_size = k->in2.size;
  q->out_size = k->out.size;
  if (map && !q->user_op && (k->in.info || k->in2.info || k->out.info)) return gp__no_struct(k, "op", q->op);
  if (map && q->op >= GP_BIT_AND && q->op <= GP_BIT_XOR && !gp__is_integer(q->out_type))
    return gp__fail(GP_E_OPERATOR, "%s: op: %s works on integers, not on %s", who, gp__op_rows[q->op].name,
                    gp__type_rows[q->out_type].name);
  if (c->primitive == GP_ADJACENT_DIFFERENCE && (k->in.info || k->out.info) && q->in_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: in_type: one element is copied: no conversion where one of the types is a struct",
                    who);
  if (gp__is_predicated(c->primitive)) {
    if (k->in.info && c->op && !q->user_op) return gp__no_struct(k, "op", q->op);
    if (k->in.info && c->transform && !q->user_transform) return gp__no_struct(k, "transform", q->transform);
  } else if (c->transform && !q->user_transform && k->in.info) return gp__no_struct(k, "transform", c->transform);
  if (c->primitive == GP_COUNT_IF || c->primitive == GP_CHECK_OFFSETS) q->acc_type = GP_U64, q->acc_size = 8;
  if (c->primitive == GP_ANY || c->primitive == GP_ALL) q->acc_type = GP_U32, q->acc_size = 4;
  return k->fold ? gp__check_accumulator(k) : GP_SUCCESS;
}

// Is every order of operations as good as any other?
GPUPRIMS__PRIVATE int gp__any_order(const gp__request *q) {
  return !q->user_op && q->op && (gp__is_integer(q->acc_type) || (q->op != GP_SUM && q->op != GP_PROD));
}

// ---- its numbers and buffers

GPUPRIMS__PRIVATE gp_result gp__check_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  q->count = c->count;
  q->segments = c->segments;
  q->length = c->length;
  q->bins = c->bins;
  q->count2 = c->count2;
  if (c->primitive != GP_SORT) q->begin_bit = c->begin_bit, q->end_bit = c->end_bit;
  q->field_count = c->field_count;
  q->channels = c->channels ? c->channels : 1;
  q->active = c->active ? c->active : q->channels;
  if (gp__is_histogram(c->primitive)) {
    if (c->channels < 0) return gp__fail(GP_E_ARGUMENT, "%s: channels is %d", who, c->channels);
    if (c->active < 0 || c->active > q->channels)
      return gp__fail(GP_E_ARGUMENT, "%s: active is %d, not 1 to the %d of channels", who, c->active, q->channels);
    if (!c->bins) return gp__fail(GP_E_ARGUMENT, "%s: bins is 0", who);
    if (c->bins > INT32_MAX / (unsigned)q->active)
      return gp__fail(GP_E_SIZE, "%s: bins: %llu bins of %d channels are 2^31 or more", who,
                      (unsigned long long)c->bins, q->active);
    if (c->count > UINT64_MAX / (unsigned)q->channels)
      return gp__fail(GP_E_SIZE, "%s: count: %llu pixels of %d channels overflow", who, (unsigned long long)c->count,
                      q->channels);
    if (c->primitive == GP_HISTOGRAM_EVEN && (size_t)q->active > GP__VALUE_BYTES / q->in_size)
      return gp__fail(GP_E_ARGUMENT, "%s: active is %d: the bounds of at most %d channels of %s fit a call", who,
                      q->active, (int)(GP__VALUE_BYTES / q->in_size), gp__type_rows[q->in_type].name);
  }
  if (c->segments == UINT64_MAX) return gp__fail(GP_E_SIZE, "%s: segments is 2^64 - 1", who);
  if (gp__is_bound(c->primitive) && c->length >> 63)
    return gp__fail(GP_E_SIZE, "%s: length is %llu, not below 2^63", who, (unsigned long long)c->length);
  if ((gp__is_bound(c->primitive) || c->primitive == GP_LOAD_BALANCE) && q->out_size == 4 &&
      (c->length | c->segments) > UINT32_MAX)
    return gp__fail(GP_E_SIZE, "%s: %s is %llu, which positions of type u32 (out_type) do not reach", who,
                    c->length ? "length" : "segments", (unsigned long long)(c->length | c->segments));
  if (c->primitive == GP_LOAD_BALANCE && !c->segments && c->count)
    return gp__fail(GP_E_ARGUMENT, "%s: segments is 0, but count is not: elements of no segment", who);
  if (c->primitive == GP_SEGMENTED_REDUCE && q->offset_size && c->length)
    return gp__fail(GP_E_ARGUMENT, "%s: length: segments have it where there are no offsets (begin)", who);
  if (c->primitive == GP_SEGMENTED_REDUCE && !q->offset_size) {
    if (c->length && c->segments > UINT64_MAX / c->length)
      return gp__fail(GP_E_SIZE, "%s: segments times length overflows: %llu times %llu", who,
                      (unsigned long long)c->segments, (unsigned long long)c->length);
    q->count = c->segments * c->length;
    if (c->count && c->count != q->count)
      return gp__fail(GP_E_ARGUMENT, "%s: count is %llu, neither 0 nor segments times length, which is %llu", who,
                      (unsigned long long)c->count, (unsigned long long)q->count);
  }
  if ((c->flags & GP_REPRODUCIBLE) && k->fold && c->primitive >= GP_SEGMENTED_REDUCE && !gp__any_order(q))
    return gp__fail(GP_E_UNSUPPORTED,
                    "%s: flags: GP_REPRODUCIBLE: with this operator and type the call keeps its bits on one device and "
                    "policy, not on every one",
                    who);
  return GP_SUCCESS;
}

// A buffer that is read, and one that is written; wanted: it must be there where it has elements.
GPUPRIMS__PRIVATE gp_result gp__reading(gp__checking *k, const char *name, const void *pointer,
                                        const gp__checked_type *t, uint64_t count, int wanted, int place) {
  gp__extent *span = &k->read[k->read_count++];
  span->name = name;
  span->pointer = pointer;
  span->bytes = count * t->size;
  span->place = place;
  return gp__check_pointer(k->who, name, pointer, t->align, count, t->size, wanted && k->pointers);
}
GPUPRIMS__PRIVATE gp_result gp__writing(gp__checking *k, const char *name, const void *pointer, size_t align,
                                        size_t size, uint64_t count, int wanted, int place) {
  gp__extent *span = &k->written[k->written_count++];
  span->name = name;
  span->pointer = pointer;
  span->bytes = count * size;
  span->place = place;
  return gp__check_pointer(k->who, name, pointer, align, count, size, wanted && k->pointers);
}

enum { GP__PLACE_OF_OUT = 1, GP__PLACE_OF_OUT_KEYS };
GPUPRIMS__PRIVATE gp_result gp__check_inputs(gp__checking *k) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_primitive p = c->primitive;
  const int two = p == GP_TRANSFORM2, histogram = gp__is_histogram(p);
  const int in_place = p == GP_COPY || p == GP_TRANSFORM || two || p == GP_SELECT || p == GP_UNIQUE || p == GP_SORT ||
                       (k->fold && p != GP_REDUCE && p != GP_SEGMENTED_REDUCE && p != GP_REDUCE_BY_KEY);
  const int offsets_matter = histogram || p == GP_CHECK_OFFSETS || (c->flags & GP_CHECKED) ||
                             (p == GP_SEGMENTED_REDUCE ? c->segments > 0 : c->count > 0);
  const gp__checked_type *begin = histogram ? &k->in : &k->offset;
  const uint64_t begins = histogram ? (c->bins + 1) * (unsigned)q->active : c->end ? c->segments : c->segments + 1;
  if (histogram && c->begin && c->bins + 1 > UINT64_MAX / (unsigned)q->active)
    return gp__fail(GP_E_SIZE, "%s: bins: the boundaries of %d channels overflow", k->who, q->active);
  if (k->in.size)
    GPUPRIMS__CHECK(gp__reading(k, two ? "in (a)" : "in", c->in, &k->in, q->count * (unsigned)q->channels, 1,
                                in_place && q->in_size == q->out_size ? GP__PLACE_OF_OUT : 0));
  if (k->in2.size)
    GPUPRIMS__CHECK(gp__reading(k, two ? "in2 (b)" : "in2 (weights)", c->in2, &k->in2, q->count, 1,
                                two && q->in2_size == q->out_size ? GP__PLACE_OF_OUT : 0));
  if (k->key.size)
    GPUPRIMS__CHECK(gp__reading(k, k->by_flags ? "keys (flags)" : "keys", c->keys, &k->key,
                                gp__is_bound(p) ? c->length : c->count, 1,
                                p == GP_UNIQUE || p == GP_SORT ? GP__PLACE_OF_OUT_KEYS : 0));
  if (k->offset.size || p == GP_HISTOGRAM_RANGES)
    GPUPRIMS__CHECK(
        gp__reading(k, histogram ? "begin (boundaries)" : "begin", c->begin, begin, begins, offsets_matter, 0));
  if (c->end) GPUPRIMS__CHECK(gp__reading(k, "end", c->end, &k->offset, c->segments, 1, 0));
  if (c->count_device) {
    if ((uintptr_t)c->count_device % 8)
      return gp__fail(GP_E_ALIGNMENT, "%s: count_device (%p) is not aligned to 8 bytes", k->who,
                      (const void *)c->count_device);
    GPUPRIMS__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  }
  return GP_SUCCESS;
}

// How many counts a call leaves in out_count; 0: it has none.
GPUPRIMS__PRIVATE uint64_t gp__parts_of(const gp__request *q) {
  return q->primitive != GP_PARTITION ? 1 : q->transform ? 3 : 2;
}

GPUPRIMS__PRIVATE gp_result gp__check_outputs(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_primitive p = c->primitive;
  const int partition = p == GP_PARTITION;
  const uint64_t count = q->count;
  const uint64_t outs = p == GP_REDUCE || p == GP_ANY || p == GP_ALL ? 1
                        : p == GP_SEGMENTED_REDUCE                   ? c->segments
                        : gp__is_histogram(p)                        ? c->bins * (unsigned)q->active
                                                                     : count;
  int i, j;
  if ((k->reads & GP__READS_OUT) && q->out_size)
    GPUPRIMS__CHECK(gp__writing(k, "out", c->out, k->out.align, q->out_size, outs, 1, GP__PLACE_OF_OUT));
  if (k->reads & GP__READS_OUT_KEYS)
    GPUPRIMS__CHECK(gp__writing(k, "out_keys", c->out_keys, k->key.align, k->key.size, count,
                                p == GP_UNIQUE || (p == GP_SORT && (k->in.size || !q->in_size)),
                                GP__PLACE_OF_OUT_KEYS));
  if (q->out2_size)
    GPUPRIMS__CHECK(
        gp__writing(k, "out2 (lengths)", c->out2, k->out2.align, q->out2_size, count, p == GP_NONTRIVIAL_RUNS, 0));
  if (partition) {
    GPUPRIMS__CHECK(gp__writing(k, "out2 (the second part)", c->out2, k->in.align, q->in_size, count, 1, 0));
    if (q->transform)
      GPUPRIMS__CHECK(gp__writing(k, "out3 (the third part)", c->out3, k->in.align, q->in_size, count, 1, 0));
    else if (c->out3)
      return gp__fail(GP_E_ARGUMENT, "%s: out3: there is no second predicate (transform), and two parts", k->who);
    // A part's output may be as small as the part: all that is known is where it begins.
    for (i = 0; i < k->written_count; ++i)
      if (count) k->written[i].bytes = q->in_size;
  }
  if (k->reads & GP__READS_OUT_COUNT)
    GPUPRIMS__CHECK(gp__writing(k, "out_count", c->out_count, 8, 8, gp__parts_of(q), 1, 0));
  if (p == GP_CHECK_OFFSETS || (c->flags & GP_CHECKED)) GPUPRIMS__CHECK(gp__writing(k, "bad", c->bad, 8, 8, 1, 1, 0));
  for (i = 0; i < k->written_count; ++i) {
    for (j = 0; j < k->read_count; ++j) GPUPRIMS__CHECK(gp__check_overlap(k->who, &k->read[j], &k->written[i]));
    for (j = 0; j < i; ++j) GPUPRIMS__CHECK(gp__check_overlap(k->who, &k->written[j], &k->written[i]));
  }
  return GP_SUCCESS;
}

// ---- its values in host memory

// An integer, with its sign, as 64 bits; a float as a double.
GPUPRIMS__PRIVATE uint64_t gp__integer_of(gp_type type, const unsigned char *bytes) {
  uint64_t x = 0;
  const unsigned bits = 8 * gp__type_rows[type].size;
  memcpy(&x, bytes, gp__type_rows[type].size); // little-endian
  return *gp__type_rows[type].name == 'i' && bits < 64 && x >> (bits - 1) ? x | ~(uint64_t)0 << bits : x;
}
GPUPRIMS__PRIVATE double gp__float_of(gp_type type, const unsigned char *bytes) {
  uint16_t half;
  float single;
  double x;
  memcpy(&half, bytes, sizeof half);
  if (type == GP_F16) return gp__host_f16_load(half);
  if (type == GP_BF16) return gp__host_bf16_load(half);
  memcpy(&single, bytes, sizeof single);
  if (type == GP_F32) return single;
  memcpy(&x, bytes, sizeof x);
  return x;
}

// The two ends of the bins of a channel.
GPUPRIMS__PRIVATE gp_result gp__check_ends(const gp__checking *k, int channel) {
  const gp__request *q = k->q;
  const unsigned char *lower = q->init.bytes + (size_t)channel * q->in_size;
  const unsigned char *upper = q->step.bytes + (size_t)channel * q->in_size;
  if (gp__is_integer(q->in_type)) {
    const uint64_t flip = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << 63 : 0;
    const uint64_t a = gp__integer_of(q->in_type, lower) ^ flip, b = gp__integer_of(q->in_type, upper) ^ flip;
    return a < b ? GP_SUCCESS
                 : gp__fail(GP_E_ARGUMENT, "%s: init and step: lower is not below upper (channel %d)", k->who, channel);
  } else {
    const double a = gp__float_of(q->in_type, lower), b = gp__float_of(q->in_type, upper);
    double width = b - a, scale = (double)q->bins / width;
    if (!(a < b))
      return gp__fail(GP_E_ARGUMENT, "%s: init and step: lower (%g) is not below upper (%g) (channel %d)", k->who, a, b,
                      channel);
    if (q->in_type != GP_F64) {
      const float w = (float)b - (float)a, s = (float)q->bins / w;
      width = w, scale = s;
    }
    return width - width == 0 && scale - scale == 0
               ? GP_SUCCESS
               : gp__fail(GP_E_ARGUMENT,
                          "%s: init and step: the width of the bins from %g to %g overflows (channel %d)", k->who, a, b,
                          channel);
  }
}

GPUPRIMS__PRIVATE gp_result gp__check_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  int i;
  if (c->primitive == GP_FILL && !c->init && k->pointers)
    return gp__fail(GP_E_NULL, "%s: init (value) is null", k->who);
  q->has_init = c->init != NULL;
  if (c->primitive == GP_HISTOGRAM_EVEN) {
    const int floats = !gp__is_integer(q->in_type);
    if (floats && (!c->init || !c->step) && (k->pointers || c->init || c->step))
      return gp__fail(GP_E_NULL, "%s: %s is null", k->who, c->init ? "step (upper)" : "init (lower)");
    if (floats && !c->init) return GP_SUCCESS;
    for (i = 0; i < q->active; ++i) {
      const size_t at = (size_t)i * q->in_size;
      // Integers without an end: the lowest value, also as one more than the largest.
      const uint64_t lowest = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << (8 * q->in_size - 1) : 0;
      memcpy(q->init.bytes + at, c->init ? (const unsigned char *)c->init + at : (const unsigned char *)&lowest,
             q->in_size);
      memcpy(q->step.bytes + at, c->step ? (const unsigned char *)c->step + at : (const unsigned char *)&lowest,
             q->in_size);
      if (c->step) GPUPRIMS__CHECK(gp__check_ends(k, i));
    }
    return GP_SUCCESS;
  }
  if (c->init)
    memcpy(q->init.bytes, c->init, k->fold ? q->acc_size : gp__is_predicated(c->primitive) ? q->in_size : q->out_size);
  if (c->step) memcpy(q->step.bytes, c->step, c->primitive == GP_PARTITION ? q->in_size : q->out_size);
  else if (c->primitive == GP_IOTA) gp__one(q->out_type, &q->step);
  return GP_SUCCESS;
}

// Checks a call completely, before anything happens, and fills in every default. host: it will run there. pointers: 0
// where nothing will run, so that buffers and values may be missing.
GPUPRIMS__PRIVATE gp_result gp__check_call(gp__state *s, const char *caller, const gp_call *c, int host, int pointers,
                                           gp__request *q) {
  gp__checking k;
  if (!c) return gp__fail(GP_E_NULL, "%s: call is null", caller);
  if ((int)c->primitive <= GP_PRIMITIVE_NONE || (int)c->primitive >= GP_PRIMITIVE_COUNT)
    return gp__fail(GP_E_ARGUMENT, "%s: call.primitive is %d, which is no gp_primitive", caller, (int)c->primitive);
  memset(q, 0, sizeof *q);
  memset(&k, 0, offsetof(gp__checking, read));
  k.read_count = k.written_count = 0;
  k.s = s;
  k.who = gp__primitive_names[c->primitive];
  k.c = c;
  k.q = q;
  k.host = host;
  k.pointers = pointers;
  k.reads = gp__reads(c->primitive);
  k.fold = (k.reads & GP__READS_ACC_TYPE) != 0;
  q->primitive = c->primitive;
  q->flags = c->flags;
  GPUPRIMS__CHECK(gp__check_fields(&k));
  GPUPRIMS__CHECK(gp__check_operators(&k));
  GPUPRIMS__CHECK(gp__check_types(&k));
  GPUPRIMS__CHECK(gp__check_numbers(&k));
  GPUPRIMS__CHECK(gp__check_inputs(&k));
  GPUPRIMS__CHECK(gp__check_outputs(&k));
  GPUPRIMS__CHECK(gp__check_values(&k));
  q->in = c->in;
  q->in2 = c->in2;
  q->keys = c->keys;
  q->keys2 = c->keys2;
  q->fields = c->fields;
  q->begin = c->begin;
  q->end = c->end;
  q->out = c->out;
  q->out_keys = c->out_keys;
  q->out2 = c->out2;
  q->out3 = c->out3;
  q->out_count = c->out_count;
  q->bad = c->bad;
  q->count_device = c->count_device;
  return GP_SUCCESS;
}

// Is there nothing to launch? (Results that do not depend on elements are written all the same.)
GPUPRIMS__PRIVATE int gp__nothing_to_do(const gp__request *q) {
  switch (gp__family_of(q->primitive)) {
  case GP__FAMILY_SORT:
    return !q->count;
  case GP__FAMILY_MAP:
    return !q->count || (q->primitive == GP_COPY && q->in == q->out);
  case GP__FAMILY_SCAN:
    return !q->count;
  case GP__FAMILY_SEGMENTS:
    return q->primitive == GP_LOAD_BALANCE ? !q->count : !q->segments;
  case GP__FAMILY_STREAM:
    return !q->count && !q->out_count;
  default:
    return 0;
  }
}

// ---- policies

GPUPRIMS__PRIVATE gp__shape gp__shape_of(const gp__request *q) {
  const int family = gp__family_of(q->primitive);
  gp__shape h;
  memset(&h, 0, sizeof h);
  h.primitive = q->primitive;
  h.in_size = (int)q->in_size;
  h.acc_size = (int)q->acc_size;
  h.out_size = (int)q->out_size;
  h.in_misaligned = (int)((uintptr_t)q->in % GP__VECTOR);
  h.in_place = q->in && q->in == q->out;
  h.commutative = q->user_op ? q->user_op->commutative : q->op ? gp__op_rows[q->op].commutative : 0;
  h.exact = gp__any_order(q);
  h.count = q->count;
  switch (family) {
  case GP__FAMILY_STREAM:
    h.key_size = (int)q->key_size;
    if (!h.key_size && !q->begin) { // a predicate looks at the elements themselves
      h.key_size = h.in_size;
      h.in_size = 0;
    }
    h.in_misaligned |= (int)((uintptr_t)q->keys % GP__VECTOR);
    h.parts = q->primitive == GP_PARTITION ? (int)gp__parts_of(q) : 0;
    h.offset_size = (int)q->offset_size;
    h.segments = q->segments;
    break;
  case GP__FAMILY_SEGMENTS:
    h.offset_size = (int)q->offset_size;
    h.ranges = q->end != NULL;
    h.segments = q->segments;
    h.length = q->offset_size ? 0 : q->length;
    break;
  case GP__FAMILY_HISTOGRAM:
    h.in2_size = (int)q->in2_size;
    h.ranges = q->primitive == GP_HISTOGRAM_RANGES;
    h.channels = q->channels;
    h.active = q->active;
    h.bins = q->bins;
    break;
  case GP__FAMILY_SORT:
  case GP__FAMILY_MERGE:
  case GP__FAMILY_SEGMENTED_SORT:
  case GP__FAMILY_TOP_K:
    h.key_size = (int)q->key_size;
    h.count2 = q->count2;
    h.begin_bit = q->begin_bit;
    h.end_bit = q->end_bit;
    h.offset_size = (int)q->offset_size;
    h.segments = q->segments;
    h.length = q->length;
    h.in_misaligned = (int)((uintptr_t)q->keys % GP__VECTOR);
    break;
  default:
    h.in2_size = (int)q->in2_size;
    h.out_misaligned = (int)((uintptr_t)q->out % GP__VECTOR);
    if (family == GP__FAMILY_REDUCE && q->primitive != GP_REDUCE) h.commutative = h.exact = 1; // sums of 0 and 1
    if (q->primitive == GP_CHECK_OFFSETS) {
      h.in_size = (int)q->offset_size;
      h.in_misaligned = (int)((uintptr_t)q->begin % GP__VECTOR);
      h.count = q->segments + 1;
    }
  }
  if (family == GP__FAMILY_STREAM && !q->acc_size) h.exact = 1; // nothing is folded
  if (family == GP__FAMILY_HISTOGRAM) h.exact = gp__is_integer(q->out_type);
  if (family == GP__FAMILY_SORT) {
    h.drop_keys = !q->in && q->in_size && !q->out_keys;
    h.in_place = !q->in || q->in == q->out; // without buffers: it may be
  }
  h.reproducible = (q->flags & GP_REPRODUCIBLE) && !h.exact;
  return h;
}
GPUPRIMS__PRIVATE void gp__shape_on(gp__shape *h, const gp_description *a) {
  h->compute_capability = a->compute_capability;
  h->multiprocessors = a->multiprocessors;
  h->shared_bytes = a->shared_bytes_per_block;
}

// Numbers of a policy by name: for messages, and for fields that a primitive does not have.
typedef struct gp__field {
  const char *name;
  size_t offset;
} gp__field;
#define GPUPRIMS__FIELD(field, ...) {#field, offsetof(gp_policy, field)},
static const gp__field gp__fields_map[] = {GP_POLICY_FIELDS_MAP(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_reduce[] = {GP_POLICY_FIELDS_REDUCE(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_scan[] = {GP_POLICY_FIELDS_SCAN(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_stream[] = {GP_POLICY_FIELDS_STREAM(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_segments[] = {GP_POLICY_FIELDS_SEGMENTS(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_histogram[] = {GP_POLICY_FIELDS_HISTOGRAM(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_sort[] = {GP_POLICY_FIELDS_SORT(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_merge[] = {GP_POLICY_FIELDS_MERGE(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_segmented_sort[] = {GP_POLICY_FIELDS_SEGMENTED_SORT(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_top_k[] = {GP_POLICY_FIELDS_TOP_K(GPUPRIMS__FIELD){NULL, 0}};
#undef GPUPRIMS__FIELD

GPUPRIMS__PRIVATE const gp__field *gp__fields_of(int primitive) {
  static const gp__field *const fields[] = {
      gp__fields_map,       gp__fields_reduce, gp__fields_scan,  gp__fields_stream,         gp__fields_segments,
      gp__fields_histogram, gp__fields_sort,   gp__fields_merge, gp__fields_segmented_sort, gp__fields_top_k};
  return fields[gp__family_of(primitive)]; // in the order of the families
}
GPUPRIMS__PRIVATE int *gp__field_of(gp_policy *p, const gp__field *f) { return (int *)((char *)p + f->offset); }

// Says which field makes a policy invalid: the one that, left to its default, makes it valid.
GPUPRIMS__PRIVATE gp_result gp__policy_error(const char *who, gp_policy given, const gp__shape *h) {
  const gp__field *f;
  for (f = gp__fields_of(h->primitive); f->name; ++f) {
    gp_policy p = given;
    const int value = *gp__field_of(&p, f);
    *gp__field_of(&p, f) = 0;
    if (value && gp__policy_valid(gp__portable(p, *h), *h))
      return gp__fail(GP_E_POLICY, "%s: policy.%s = %d is not valid for this call on this device", who, f->name, value);
  }
  return gp__fail(
      GP_E_POLICY,
      "%s: the policy is not valid for this call on this device: algorithm %d, threads %d, vectors %d, load "
      "%d, store %d, stages %d, blocks_per_sm %d, overlap %d",
      who, given.algorithm, given.threads, given.vectors, given.load, given.store, given.stages, given.blocks_per_sm,
      given.overlap);
}

// How well a row fits: 0 not at all, otherwise more for sizes that it names, then for the larger bucket.
GPUPRIMS__PRIVATE int gp__row_fit(const gp__policy_row *row, const gp__shape *h, int log2_bytes) {
  // Sorts and merges: in_size is the key's, out_size the value's.
  const int planned = gp__is_planned(h->primitive), in_size = planned || !h->in_size ? h->key_size : h->in_size;
  const int out_size = planned ? h->in_size : h->out_size;
  if (row->primitive != h->primitive || row->log2_from > log2_bytes || row->log2_to <= log2_bytes ||
      (row->in_size >= 0 && row->in_size != in_size) || (row->acc_size >= 0 && row->acc_size != h->acc_size) ||
      (row->out_size >= 0 && row->out_size != out_size))
    return 0;
  return 1 + 64 * ((row->in_size >= 0) + (row->acc_size >= 0) + (row->out_size >= 0)) + row->log2_from;
}

// The policy that a call runs on: the caller's, a row of the table, the portable row. A row that is not valid for the
// call (its pointers are not aligned, say) does not serve it; a caller's policy that is not valid is an error.
GPUPRIMS__PRIVATE gp_result gp__choose(const char *who, const gp_policy *given, const gp__shape *h,
                                       const gp__table *table, gp_policy *policy, gp_policy_source *source) {
  gp_policy none;
  memset(&none, 0, sizeof none);
  if (given && memcmp(given, &none, sizeof none) != 0) {
    const gp_policy usual = gp__portable(none, *h); // what gp_policy_origin says may be handed back
    gp_policy rest = *given;
    const gp__field *f;
    for (f = gp__fields_of(h->primitive); f->name; ++f) *gp__field_of(&rest, f) = 0;
    for (f = gp__fields_scan; f->name; ++f) {
      const int value = *gp__field_of(&rest, f);
      gp_policy expected = usual;
      if (value && value != *gp__field_of(&expected, f))
        return gp__fail(GP_E_POLICY, "%s: policy.%s: the call has no such field", who, f->name);
    }
    *policy = gp__portable(*given, *h);
    *source = GP_POLICY_CALLER;
    return gp__policy_valid(*policy, *h) ? GP_SUCCESS : gp__policy_error(who, *given, h);
  }
  if (table->end[h->primitive] && !h->in_misaligned && !h->out_misaligned && !h->reproducible) {
    const unsigned long long bytes = gp__shape_bytes(*h);
    const int log2_bytes = bytes ? 63 - __builtin_clzll(bytes) : 0;
    const int segments = gp__family_of(h->primitive) == GP__FAMILY_SEGMENTS;
    int wanted, i;
    for (wanted = GP_POLICY_DEVICE; wanted <= GP_POLICY_PORTABLE; ++wanted) {
      int best = 0;
      for (i = table->first[h->primitive]; i < table->end[h->primitive]; ++i) {
        const int fit = table->source[i] == wanted ? gp__row_fit(&gp__policy_rows[i], h, log2_bytes) : 0;
        if (fit > best) {
          const gp_policy p = gp__portable(gp__policy_rows[i].policy, *h);
          // Rows know how much there is, but not in how many segments: which algorithm that takes is the rule's choice.
          if (gp__policy_valid(p, *h) && (!segments || p.algorithm == gp__portable(none, *h).algorithm)) {
            best = fit;
            *policy = p;
            *source = (gp_policy_source)wanted;
          }
        }
      }
      if (best) return GP_SUCCESS;
    }
  }
  *policy = gp__portable(none, *h);
  *source = GP_POLICY_PORTABLE;
  return gp__policy_valid(*policy, *h) ? GP_SUCCESS : gp__policy_error(who, *policy, h);
}

// ---- the space of policies as JSON

// One field: the list of values is written twice, as text (names) and as numbers.
GPUPRIMS__PRIVATE size_t gp__json_field(char *json, size_t capacity, size_t at, const char *name, int value,
                                        const char *text, const int *values, int count) {
  char *place = at < capacity ? json + at : NULL;
  size_t room = at < capacity ? capacity - at : 0, n;
  int i;
#define GPUPRIMS__PUT(...)                                                                                             \
  do {                                                                                                                 \
    n = (size_t)snprintf(place, room, __VA_ARGS__);                                                                    \
    at += n;                                                                                                           \
    place = n < room ? place + n : NULL;                                                                               \
    room = n < room ? room - n : 0;                                                                                    \
  } while (0)
  GPUPRIMS__PUT("{\"name\": \"%s\", \"default\": %d, \"values\": [", name, value);
  for (i = 0; i < count; ++i) GPUPRIMS__PUT("%s%d", i ? ", " : "", values[i]);
  GPUPRIMS__PUT("]");
  if (*text == 'G') {
    GPUPRIMS__PUT(", \"names\": [");
    while (*text) {
      const int length = (int)strcspn(text, ",");
      GPUPRIMS__PUT("\"%.*s\"", length, text);
      text += length;
      text += strspn(text, ", ");
      if (*text) GPUPRIMS__PUT(", ");
    }
    GPUPRIMS__PUT("]");
  }
  GPUPRIMS__PUT("}");
#undef GPUPRIMS__PUT
  return at;
}

#define GPUPRIMS__JSON(field, default_, ...)                                                                           \
  {                                                                                                                    \
    static const int values[] = {__VA_ARGS__};                                                                         \
    at += (size_t)snprintf(at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "%s",                  \
                           first ? "" : ", ");                                                                         \
    at = gp__json_field(json, capacity, at, #field, default_, #__VA_ARGS__, values,                                    \
                        (int)(sizeof values / sizeof *values));                                                        \
    first = 0;                                                                                                         \
  }
GPUPRIMS__API size_t gp_policy_space(gp_primitive primitive, char *json, size_t capacity) {
  size_t at = 0;
  int first = 1;
  if (!json) capacity = 0;
  if ((int)primitive <= GP_PRIMITIVE_NONE || (int)primitive >= GP_PRIMITIVE_COUNT) {
    if (capacity) *json = 0;
    return 0;
  }
  at = (size_t)snprintf(json, capacity, "{\"primitive\": \"%s\", \"fields\": [", gp__primitive_names[primitive] + 3);
  switch (gp__family_of(primitive)) {
  case GP__FAMILY_REDUCE:
    GP_POLICY_FIELDS_REDUCE(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SCAN:
    GP_POLICY_FIELDS_SCAN(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_STREAM:
    GP_POLICY_FIELDS_STREAM(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SEGMENTS:
    GP_POLICY_FIELDS_SEGMENTS(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_HISTOGRAM:
    GP_POLICY_FIELDS_HISTOGRAM(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SORT:
    GP_POLICY_FIELDS_SORT(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_MERGE:
    GP_POLICY_FIELDS_MERGE(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SEGMENTED_SORT:
    GP_POLICY_FIELDS_SEGMENTED_SORT(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_TOP_K:
    GP_POLICY_FIELDS_TOP_K(GPUPRIMS__JSON)
    break;
  default:
    GP_POLICY_FIELDS_MAP(GPUPRIMS__JSON)
  }
  at += (size_t)snprintf(at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "]}");
  return at;
}
#undef GPUPRIMS__JSON

// ---- the text of a kernel

GPUPRIMS__PRIVATE const char *gp__device_type(gp_type type, const gp__type_info *info) {
  return info ? info->name : gp__type_rows[type].device;
}

// In the order of gp__launch_sort.
GPUPRIMS__PRIVATE int gp__kinds_of_sort(const gp__request *q, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  int count = 0;
  kinds[count++] = GP__RADIX_HISTOGRAM;
  kinds[count++] = q->count >> GP__RADIX_NARROW_LOG2 ? GP__RADIX_PASS_WIDE : GP__RADIX_PASS;
  if (q->in_size > GP__RADIX_VALUE_BYTES) {
    kinds[count++] = GP__GATHER;
    if (q->in == q->out) kinds[count++] = GP__COPY;
  }
  return count;
}
// In the order of gp__launch_hybrid.
GPUPRIMS__PRIVATE int gp__kinds_of_hybrid(gp__kernel_kind kinds[GP__KINDS_MAX]) {
  kinds[0] = GP__HYBRID_BEGIN;
  kinds[1] = GP__HYBRID_COUNT;
  kinds[2] = GP__HYBRID_MOVE;
  kinds[3] = GP__HYBRID_SORT;
  return 4;
}
// Which kernels the plan of a sort or a merge launches, each once.
GPUPRIMS__PRIVATE int gp__kinds_of_plan(const gp__request *q, const gp_policy *p,
                                        gp__kernel_kind kinds[GP__KINDS_MAX]) {
  if (q->primitive == GP_SORT && p->algorithm == GP_HYBRID) return gp__kinds_of_hybrid(kinds);
  if (q->primitive == GP_SORT && p->algorithm == GP_ONE_BLOCK) return kinds[0] = GP__SORT_ONE_BLOCK, 1;
  if (q->primitive == GP_SORT) return gp__kinds_of_sort(q, kinds);
  (void)p, (void)kinds;
  return 0;
}
// Which kernels a call needs, in the order of their launches. Returns their number.
GPUPRIMS__PRIVATE int gp__kinds_of(const gp__request *q, const gp_policy *p, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  const int stream = gp__family_of(q->primitive) == GP__FAMILY_STREAM;
  int count = 0;
  if (gp__is_planned(q->primitive)) return gp__kinds_of_plan(q, p, kinds);
  switch (p->algorithm) {
  case GP_DIRECT:
    kinds[count++] = q->primitive == GP_COPY                  ? GP__COPY
                     : q->primitive == GP_ADJACENT_DIFFERENCE ? GP__ADJACENT
                     : gp__is_bound(q->primitive)             ? GP__BOUND
                                                              : GP__MAP;
    break;
  case GP_STEALING:
    kinds[count++] = GP__STEALING;
    break;
  case GP_EVEN_SHARE:
    kinds[count++] = GP__EVEN_SHARE;
    break;
  case GP_LOOK_BACK:
    kinds[count++] = stream ? GP__STREAM_LOOK_BACK : GP__LOOK_BACK;
    break;
  case GP_PIPELINED:
    kinds[count++] = stream                                ? GP__STREAM_PIPELINED
                     : q->primitive == GP_SEGMENTED_REDUCE ? GP__SEGMENTED_PIPELINED
                                                           : GP__PIPELINED;
    break;
  case GP_ONE_BLOCK:
    kinds[count++] = gp__is_scan(q->primitive) ? GP__DOWNSWEEP : GP__EVEN_SHARE;
    break;
  case GP_MERGE_PATH:
    if (q->end) kinds[count++] = GP__SEGMENT_SPANS;
    kinds[count++] = q->primitive == GP_LOAD_BALANCE ? GP__LOAD_BALANCE : GP__SEGMENTED_REDUCE;
    break;
  case GP_WARP_SEGMENTS:
    kinds[count++] = GP__WARP_SEGMENTS;
    break;
  case GP_SHARED_BINS:
  case GP_GLOBAL_BINS:
    kinds[count++] = GP__HISTOGRAM;
    break;
  default:
    kinds[count++] = GP__UPSWEEP;
    kinds[count++] = GP__SPINE;
    kinds[count++] = GP__DOWNSWEEP;
  }
  return count;
}

GPUPRIMS__PRIVATE void gp__kernel_key(const gp__request *q, const gp_policy *p, gp__kernel_kind kind, int capability,
                                      int key[GP__KEY_NUMBERS]) {
  int i = 0;
  key[i++] = (int)kind;
  key[i++] = (int)q->primitive;
  key[i++] = q->op;
  key[i++] = q->transform;
  key[i++] = q->equal;
  key[i++] = kind == GP__COPY ? (int)q->in_size : q->in_type; // a copy moves bytes, whatever they mean
  key[i++] = q->in2_type;
  key[i++] = q->key_type;
  key[i++] = q->offset_type;
  key[i++] = q->acc_type;
  key[i++] = kind == GP__COPY ? 0 : q->out_type;
  key[i++] = q->out2_type;
  key[i++] = q->end != NULL;
  key[i++] = gp__family_of(q->primitive) == GP__FAMILY_STREAM && q->acc_size && q->has_init; // by key
  key[i++] = q->flags & ~(GP_CHECKED | (q->primitive == GP_SORT ? GP_DESCENDING : 0));       // not these kernels' work
  key[i++] = gp__is_planned(q->primitive) && q->primitive != GP_SORT && q->out != NULL;
  key[i++] = p->algorithm;
  key[i++] = p->threads;
  key[i++] = p->vectors;
  key[i++] = p->load;
  key[i++] = p->store;
  key[i++] = p->stages;
  key[i++] = p->blocks_per_sm;
  key[i++] = p->overlap;
  key[i++] = capability;
  key[i++] = (int)(uint32_t)q->fields_hash;
  key[i++] = (int)(uint32_t)(q->fields_hash >> 32);
  key[i++] = kind == GP__GATHER && q->count >> 32 != 0;
  while (i < GP__KEY_NUMBERS) key[i++] = 0;
}

GPUPRIMS__PRIVATE void gp__add_excerpt(gp__program *p, const char *text, const char *format, const char *name) {
  gp__excerpt *e;
  if (p->excerpt_count >= GP__EXCERPTS) {
    p->text.failed = 1;
    return;
  }
  e = &p->excerpts[p->excerpt_count++];
  snprintf(e->name, sizeof e->name, format, name);
  e->text = text;
  gp__add(&p->text, "#line 1 \"%s\"\n%s\n#line 1 \"gpuprims_program\"\n", e->name, text);
}

// The definition of a struct type, once a program.
GPUPRIMS__PRIVATE void gp__add_struct(gp__program *p, const gp__type_info *t, const gp__type_info *const *before,
                                      int count) {
  int i;
  if (!t) return;
  for (i = 0; i < count; ++i)
    if (before[i] == t) return;
  if (t->source) {
    gp__add_excerpt(p, t->source, "type %s", t->name);
    gp__add(
        &p->text,
        "static_assert(sizeof(%s) == %lu && alignof(%s) == %lu, \"gp_type_desc of %s: size or align is not what its "
        "source says\");\n",
        t->name, (unsigned long)t->size, t->name, (unsigned long)t->align, t->name);
  } else {
    gp__add(&p->text, "struct alignas(%lu) %s { unsigned char bytes[%lu]; };\n", (unsigned long)t->align, t->name,
            (unsigned long)t->size);
  }
}

// The functor of a user's operator. A, B, R: its types; a fold's operator has one, T, and an identity.
GPUPRIMS__PRIVATE void gp__add_operator(gp__program *p, const char *functor, const gp__op_info *o, const char *a,
                                        const char *b, const char *r, int fold) {
  gp__text *t = &p->text;
  gp__add(t, "struct %s {\n", functor);
  if (fold) {
    gp__add(t, "  typedef %s type;\n  typedef %s T;\n  enum { commutative = %d, exact = 0 };\n", r, r, o->commutative);
    gp__add(t, "  static GP_DEVICE T identity() {\n    return\n");
    gp__add_excerpt(p, o->identity, "identity of operator %s", o->name);
    gp__add(
        t, "    ;\n  }\n  static GP_DEVICE T prepare(T a) { return a; }\n  GP_DEVICE T operator()(T a, T b) const {\n");
  } else if (b) {
    gp__add(t, "  typedef %s A;\n  typedef %s B;\n  typedef %s R;\n  GP_DEVICE R operator()(A a, B b) const {\n", a, b,
            r);
  } else {
    gp__add(t, "  typedef %s A;\n  typedef %s R;\n  GP_DEVICE R operator()(A a) const {\n", a, r);
  }
  gp__add_excerpt(p, o->body, "operator %s", o->name);
  gp__add(t, "  }\n};\n");
}

// The names that template arguments have.
GPUPRIMS__PRIVATE const char *gp__in_name(const gp__request *q) {
  return q->in_size ? gp__device_type(q->in_type, q->in_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__in2_name(const gp__request *q) {
  return q->in2_size ? gp__device_type(q->in2_type, q->in2_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__key_name(const gp__request *q) {
  return q->key_size ? gp__device_type(q->key_type, q->key_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__out_name(const gp__request *q) { return gp__device_type(q->out_type, q->out_struct); }
GPUPRIMS__PRIVATE const char *gp__functor(gp_op op, const gp__op_info *user, const char *of_user) {
  return user ? of_user : gp__op_rows[op].functor;
}

// Op, Load, In, Acc, Out.
GPUPRIMS__PRIVATE void gp__name_fold(const gp__request *q, gp__text *t) {
  const char *in = gp__in_name(q), *out = gp__out_name(q);
  const char *value = gp__device_type(q->acc_type, q->acc_struct); // what the load's functor returns
  const char *open = q->is_arg ? "gp_arg<" : "", *close = q->is_arg ? ">" : "";
  if (q->user_op) gp__add(t, "gp__op_1, ");
  else gp__add(t, "%s<%s>, ", gp__op_rows[q->op].functor, value);
  gp__add(t, "gp__load<%s, %s%s%s, ", in, open, value, close);
  if (q->user_transform) gp__add(t, "gp__op_2>, ");
  else gp__add(t, "%s<%s, %s>>, ", q->transform ? gp__op_rows[q->transform].functor : "gp_convert", in, value);
  gp__add(t, "%s, %s%s%s, %s%s%s>", in, open, value, close, open, out, close);
}

GPUPRIMS__PRIVATE void gp__name_predicate(gp_op op, const gp__op_info *user, const char *of_user, const char *in,
                                          gp__text *t) {
  if (user) gp__add(t, "gp__test<%s, %s>", of_user, in);
  else if (op) gp__add(t, "gp__compare<%s<%s>>", gp__op_rows[op].functor, in);
  else gp__add(t, "gp__none");
}

// What a stream does.
GPUPRIMS__PRIVATE void gp__name_body(const gp__request *q, gp__text *t) {
  const char *in = gp__in_name(q), *key = gp__key_name(q);
  if (q->primitive == GP_SELECT || q->primitive == GP_PARTITION) {
    gp__add(t, "gp__select<%d, %s, %s, ", q->primitive == GP_SELECT ? 1 : (int)gp__parts_of(q), in, key);
    if (q->op) gp__name_predicate(q->op, q->user_op, "gp__op_1", in, t);
    else gp__add(t, "gp__flag<%s>", key);
    gp__add(t, ", ");
    gp__name_predicate(q->transform, q->user_transform, "gp__op_2", in, t);
    gp__add(t, ">");
    return;
  }
  if (q->acc_size)
    gp__add(t, "gp__by_key<%s, %s, ",
            q->primitive == GP_REDUCE_BY_KEY ? "GP_REDUCE_BY_KEY"
            : q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_SEGMENTED_INCLUSIVE_SCAN
                ? "GP_INCLUSIVE_SCAN_BY_KEY"
                : "GP_EXCLUSIVE_SCAN_BY_KEY",
            q->has_init ? "true" : "false");
  else
    gp__add(t, "gp__runs<%s, ",
            q->primitive == GP_UNIQUE        ? "GP_UNIQUE"
            : q->primitive == GP_RUN_LENGTHS ? "GP_RUN_LENGTHS"
                                             : "GP_NONTRIVIAL_RUNS");
  if (q->offset_size) gp__add(t, "gp__offset_heads<%s>, ", gp__type_rows[q->offset_type].device);
  else if (q->equal == GP_HEADS) gp__add(t, "gp__flag_heads<%s>, ", key);
  else if (q->user_equal) gp__add(t, "gp__key_heads<%s, gp__op_3>, ", key);
  else gp__add(t, "gp__key_heads<%s, %s<%s>>, ", key, gp__op_rows[q->equal].functor, key);
  if (q->acc_size) gp__name_fold(q, t);
  else gp__add(t, "%s, %s>", in, q->out2_size ? gp__type_rows[q->out2_type].device : "gp__none");
}

// What a gather moves: words as large as alignment and size allow.
GPUPRIMS__PRIVATE void gp__name_gather(size_t size, size_t align, int index_bytes, gp__text *t) {
  const size_t word = size % 16 == 0 && align == 16 ? 16 : align > 8 ? 8 : align;
  gp__add(t, "%s, %lu, %s>",
          word == 16  ? "gp_vector"
          : word == 8 ? "gp__u64"
          : word == 4 ? "gp__u32"
          : word == 2 ? "unsigned short"
                      : "unsigned char",
          (unsigned long)(size / word), index_bytes == 4 ? "gp__u32" : "gp__u64");
}

// How a radix sort reads a key.
GPUPRIMS__PRIVATE void gp__name_radix_key(const gp__request *q, gp__text *t) {
  const char *key = gp__key_name(q);
  int i;
  if (q->user_transform) {
    gp__add(t, "gp__decomposed_key<%s, gp__op_2, %s>", key, gp__type_rows[q->acc_type].device);
  } else if (q->field_count) {
    gp__add(t, "gp__field_key<%s", key);
    for (i = 0; i < q->field_count; ++i)
      gp__add(t, ", gp__key_field<%lu, %s, %s>", (unsigned long)q->fields[i].offset,
              gp__type_rows[q->fields[i].type].device, q->fields[i].descending ? "true" : "false");
    gp__add(t, ">");
  } else {
    gp__add(t, "gp__radix_key<%s>", key);
  }
}

// The kernel's name: its template with every argument.
GPUPRIMS__PRIVATE void gp__name_kernel(const gp__request *q, const gp_policy *v, gp__kernel_kind kind, gp__text *t) {
#define GPUPRIMS__NAMED(KIND, kernel, arguments) #kernel,
  static const char *const kernels[] = {GPUPRIMS__KINDS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  const char *in = gp__in_name(q), *in2 = gp__in2_name(q), *out = gp__out_name(q);
  const char *offset = q->offset_size ? gp__type_rows[q->offset_type].device : "";
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  gp__add(t, "%s<gp__policy<%d, %d, %d, %d, %d, %d, %d>, ", kernels[kind], v->threads, v->vectors, v->load, v->store,
          v->stages, v->blocks_per_sm, v->overlap);
  switch (kind) {
  case GP__COPY:
    gp__add(t, "%d>", (int)q->in_size);
    break;
  case GP__MAP:
    if (q->primitive == GP_FILL) gp__add(t, "gp__fill_value<%s>", out);
    else if (q->primitive == GP_IOTA) gp__add(t, "gp__iota_value<%s>", out);
    else if (q->user_op) gp__add(t, "%s", functor);
    else if (q->primitive == GP_TRANSFORM) gp__add(t, "%s<%s, %s>", functor, in, out);
    else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in2, out);
    gp__add(t, ", %s, %s, %s>", in, in2, out);
    break;
  case GP__ADJACENT:
    gp__add(t, q->flags & GP_RIGHT ? "true, " : "false, ");
    if (q->user_op) gp__add(t, "%s", functor);
    else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in, out);
    gp__add(t, ", %s, %s>", in, out);
    break;
  case GP__BOUND:
    gp__add(t, "%s, %s, ", q->primitive == GP_UPPER_BOUND ? "true" : "false", in);
    gp__add(t, q->user_op ? "%s, " : "%s<%s>, ", functor, in);
    gp__add(t, "%s>", out);
    break;
  case GP__EVEN_SHARE:
  case GP__STEALING:
    if (q->primitive == GP_REDUCE) {
      gp__name_fold(q, t);
    } else if (q->primitive == GP_CHECK_OFFSETS) {
      gp__add(t, "gp_min<%s>, gp__offset_fault<%s>, %s, %s, %s>", out, offset, offset, out, out);
    } else {
      const char *sum = q->primitive == GP_COUNT_IF ? "gp_sum" : q->primitive == GP_ANY ? "gp_or" : "gp_and";
      const char *acc = gp__type_rows[q->acc_type].device;
      gp__add(t, "%s<%s>, gp__counted<%s, ", sum, acc, in);
      gp__name_predicate(q->op, q->user_op, functor, in, t);
      gp__add(t, ">, %s, %s, %s>", in, acc, out);
    }
    break;
  case GP__STREAM_LOOK_BACK:
  case GP__STREAM_PIPELINED:
    gp__name_body(q, t);
    gp__add(t, ">");
    break;
  case GP__SEGMENT_SPANS:
    gp__add(t, "%s>", offset);
    break;
  case GP__SEGMENTED_REDUCE:
  case GP__WARP_SEGMENTS:
  case GP__SEGMENTED_PIPELINED:
    if (!q->offset_size) gp__add(t, "gp__fixed_ends, ");
    else gp__add(t, "%s<%s>, ", q->end ? "gp__range_ends" : "gp__offset_ends", offset);
    gp__name_fold(q, t);
    break;
  case GP__LOAD_BALANCE:
    gp__add(t, "%s, %s>", offset, out);
    break;
  case GP__HISTOGRAM:
    gp__add(t, "%s, %s<%s>, %s, %s, %s>", v->algorithm == GP_SHARED_BINS ? "GP_SHARED_BINS" : "GP_GLOBAL_BINS",
            q->primitive == GP_HISTOGRAM_EVEN ? "gp__even_bins" : "gp__range_bins", in, in, in2, out);
    break;
  case GP__RADIX_HISTOGRAM:
    gp__name_radix_key(q, t);
    gp__add(t, ">");
    break;
  case GP__RADIX_PASS:
  case GP__RADIX_PASS_WIDE:
    gp__name_radix_key(q, t);
    gp__add(t, ", %s, %s>",
            q->in_size <= GP__RADIX_VALUE_BYTES    ? in
            : gp__radix_index_bytes(q->count) == 4 ? "gp__u32"
                                                   : "gp__u64",
            kind == GP__RADIX_PASS ? "gp__radix_narrow" : "gp__radix_wide");
    break;
  case GP__HYBRID_BEGIN:
  case GP__HYBRID_COUNT:
  case GP__HYBRID_MOVE:
  case GP__HYBRID_SORT:
  case GP__SORT_ONE_BLOCK: {
    const int size = (int)q->key_size, one = kind == GP__SORT_ONE_BLOCK, items = gp__one_block_items(v->vectors);
    gp__add(t, "%s, %s", gp__key_name(q), q->flags & GP_DESCENDING ? "true" : "false");
    if (kind == GP__HYBRID_COUNT) gp__add(t, ", %d", (int)GP__HYBRID_COUNT_THREADS);
    if (kind == GP__HYBRID_SORT || one)
      gp__add(t, ", %d, %d, %d", one ? v->threads : gp__bucket_threads(size), one ? items : gp__bucket_items(size),
              one ? gp__one_block_log2_bins(v->threads * items) : gp__bucket_log2_bins(size));
    gp__add(t, ">");
    break;
  }
  case GP__GATHER: // by words as large as the values' size and alignment allow
    gp__name_gather(q->in_size, q->in_struct->align, gp__radix_index_bytes(q->count), t);
    break;
  default: // scans
    gp__add(t, q->primitive == GP_EXCLUSIVE_SCAN ? "true, " : "false, ");
    gp__name_fold(q, t);
  }
}

// A user's operators in a program: what they are called there, and what they take.
typedef struct gp__program_op {
  const gp__op_info *op; // or NULL
  const char *functor, *a, *b, *r;
  int fold;
} gp__program_op;

GPUPRIMS__PRIVATE gp_result gp__write_program(const char *who, const gp__request *q, const gp_policy *v,
                                              gp__kernel_kind kind, unsigned threads, gp__program *p) {
#define GPUPRIMS__NAMED(KIND, kernel, arguments) #arguments,
  static const char *const arguments[] = {GPUPRIMS__KINDS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  const gp__type_info *structs[5];
  const char *in = gp__in_name(q), *key = gp__key_name(q), *out = gp__out_name(q);
  const char *acc = q->acc_size && q->acc_type ? gp__device_type(q->acc_type, q->acc_struct) : NULL;
  const int family = gp__family_of(q->primitive), predicated = gp__is_predicated(q->primitive);
  const int fold = q->acc_size && !predicated;
  const gp__program_op ops[3] = {
      {q->user_op, "gp__op_1", in,
       q->primitive == GP_TRANSFORM2                                          ? gp__in2_name(q)
       : q->primitive == GP_ADJACENT_DIFFERENCE || gp__is_bound(q->primitive) ? in
                                                                              : NULL,
       fold                                       ? acc
       : predicated || gp__is_bound(q->primitive) ? "bool"
                                                  : out,
       fold},
      {q->user_transform, "gp__op_2", q->primitive == GP_SORT ? key : in, NULL, fold ? acc : "bool", 0},
      {q->user_equal, "gp__op_3", key, key, "bool", 0}};
  const char *policy;
  gp__text *t = &p->text;
  const unsigned blocks = kind == GP__HYBRID_SORT    ? (unsigned)gp__bucket_blocks((int)q->key_size)
                          : kind == GP__HYBRID_COUNT ? 2
                                                     : (unsigned)v->blocks_per_sm;
  int i, j;
  memset(p, 0, sizeof *p);
  p->exact_rounding = (q->flags & GP_REPRODUCIBLE) != 0;
  gp__name_kernel(q, v, kind, &p->name);
  gp__add(t, "#include \"gpuprims.h\"\n");
  if (kind != GP__COPY) {
    structs[0] = q->in_struct;
    structs[1] = q->in2_struct;
    structs[2] = q->acc_struct;
    structs[3] = q->out_struct;
    structs[4] = q->key_struct;
    for (i = 0; i < 5; ++i) gp__add_struct(p, structs[i], structs, i);
  }
  for (i = 0; i < 3; ++i) { // each prelude once
    const char *prelude = ops[i].op ? ops[i].op->prelude : NULL;
    for (j = 0; j < i && prelude; ++j)
      if (ops[j].op && ops[j].op->prelude && strcmp(ops[j].op->prelude, prelude) == 0) prelude = NULL;
    if (prelude) gp__add_excerpt(p, prelude, "prelude of operator %s", ops[i].op->name);
  }
  for (i = 0; i < 3; ++i)
    if (ops[i].op) gp__add_operator(p, ops[i].functor, ops[i].op, ops[i].a, ops[i].b, ops[i].r, ops[i].fold);
  // The number of resident blocks is a promise to the compiler only where it leaves a thread 64 registers; histograms
  // with few vectors on their way do with 40; long chunks of a stream take 128.
  gp__add(t, "extern \"C\" __global__ void __launch_bounds__(%u", threads);
  if (blocks > 0 && family != GP__FAMILY_MAP &&
      blocks * threads <= (v->algorithm == GP_HYBRID            ? 2048u
                           : family == GP__FAMILY_HISTOGRAM     ? (v->vectors < 4 ? 1536u : 1024u)
                           : family != GP__FAMILY_STREAM        ? 1024u
                           : v->vectors >= 7 || q->acc_size > 8 ? 512u
                                                                : 768u) &&
      q->acc_size <= 16)
    gp__add(t, ", %u", blocks);
  gp__add(t, ") gp__entry(const %s a) { %s(a); }\n", arguments[kind], gp__string(&p->name));
  // For gp_policy_echo: the policy in the name that was just called.
  policy = gp__string(&p->name);
  policy += strcspn(policy, "<") + (*policy != 0);
  gp__add(t,
          "typedef %.*s> gp__p;\nextern \"C\" __device__ int gp__echo[8] = {%d, gp__p::threads, gp__p::vectors, "
          "gp__p::load, gp__p::store, gp__p::stages, gp__p::blocks_per_sm, gp__p::overlap};\n",
          (int)strcspn(policy, ">"), policy, v->algorithm);
  return gp__seal_program(who, p);
}

// ---- loaded kernels

GPUPRIMS__PRIVATE unsigned gp__slot(const int key[GP__KEY_NUMBERS]) {
  uint64_t h = 0x9e3779b97f4a7c15ull;
  int i;
  for (i = 0; i < GP__KEY_NUMBERS; ++i) h = (h ^ (unsigned)key[i]) * 0xff51afd7ed558ccdull;
  return (unsigned)(h >> 40) % GP__KERNEL_SLOTS;
}

// The table's entry for a key, made where there is none (NULL: no memory). The lock is held.
GPUPRIMS__PRIVATE gp__kernel *gp__find_kernel(gp__state *s, const int key[GP__KEY_NUMBERS], int make) {
  gp__kernel **slot = &s->kernels[gp__slot(key)], *k;
  for (k = *slot; k && memcmp(k->key, key, sizeof k->key) != 0; k = k->next) {}
  if (k || !make) return k;
  k = (gp__kernel *)calloc(1, sizeof *k);
  if (!k) return NULL;
  memcpy(k->key, key, sizeof k->key);
  k->next = *slot;
  *slot = k;
  return k;
}

// What a block may have of dynamic shared memory without asking: 48 KiB, less the static, which is below 16 KiB.
enum { GP__SHARED_BYTES_ALLOWED = 32 * 1024 };

GPUPRIMS__PRIVATE gp_result gp__load_module(gp__state *s, const char *who, const gp__image *image,
                                            const gp__geometry *g, gp__kernel *k) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const char *call = "cuThreadExchangeStreamCaptureMode";
  void *module = NULL, *function = NULL;
  int mode = GP__CU_CAPTURE_RELAXED, occupancy = 0, error;
  // Loading is no stream's work: a capture of this or of another thread must not forbid it.
  error = d->cuThreadExchangeStreamCaptureMode(&mode);
  if (error) return gp__cuda_fail(&s->library.runtime, who, call, error);
  call = "cuModuleLoadData", error = d->cuModuleLoadData(&module, image->data);
  if (error) module = NULL;
  else call = "cuModuleGetFunction", error = d->cuModuleGetFunction(&function, module, "gp__entry");
  if (!error && g->shared_bytes > GP__SHARED_BYTES_ALLOWED)
    call = "cuFuncSetAttribute",
    error = d->cuFuncSetAttribute(function, GP__CU_DYNAMIC_SHARED_BYTES, (int)g->shared_bytes);
  if (!error)
    call = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    error = d->cuOccupancyMaxActiveBlocksPerMultiprocessor(&occupancy, function, (int)g->threads, g->shared_bytes);
  if (error || occupancy < 1) {
    const gp_result result =
        error ? gp__cuda_fail(&s->library.runtime, who, call, error)
              : gp__fail(GP_E_POLICY,
                         "%s: the policy's block (%u threads, %u bytes of shared memory) does not fit a "
                         "multiprocessor",
                         who, g->threads, g->shared_bytes);
    if (module) d->cuModuleUnload(module);
    d->cuThreadExchangeStreamCaptureMode(&mode);
    return result;
  }
  d->cuThreadExchangeStreamCaptureMode(&mode);
  k->module = module;
  k->function = function;
  k->occupancy = occupancy;
  k->shared_bytes = g->shared_bytes;
  k->allowed_bytes = g->shared_bytes > GP__SHARED_BYTES_ALLOWED ? g->shared_bytes : (unsigned)GP__SHARED_BYTES_ALLOWED;
  return GP_SUCCESS;
}

// A loaded kernel whose blocks get other amounts of shared memory from call to call (a histogram, by its bins): allows
// so much, and says how many blocks then fit a multiprocessor. Allowing never shrinks: other threads launch too.
GPUPRIMS__PRIVATE gp_result gp__fit_kernel(gp__state *s, const char *who, gp__kernel *k, const gp__geometry *g,
                                           int *occupancy) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const char *call = "cuFuncSetAttribute";
  int error = 0;
  *occupancy = k->occupancy;
  if (g->shared_bytes == k->shared_bytes) return GP_SUCCESS;
  pthread_mutex_lock(&s->lock);
  if (g->shared_bytes > k->allowed_bytes) {
    error = d->cuFuncSetAttribute(k->function, GP__CU_DYNAMIC_SHARED_BYTES, (int)g->shared_bytes);
    if (!error) k->allowed_bytes = g->shared_bytes;
  }
  pthread_mutex_unlock(&s->lock);
  if (!error)
    call = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    error = d->cuOccupancyMaxActiveBlocksPerMultiprocessor(occupancy, k->function, (int)g->threads, g->shared_bytes);
  if (error) return gp__cuda_fail(&s->library.runtime, who, call, error);
  return *occupancy > 0 ? GP_SUCCESS
                        : gp__fail(GP_E_POLICY,
                                   "%s: the policy's block (%u threads, %u bytes of shared memory) does not fit a "
                                   "multiprocessor",
                                   who, g->threads, g->shared_bytes);
}

// Threads and shared memory of the blocks of one kernel of a call.
GPUPRIMS__PRIVATE gp__geometry gp__geometry_of_kind(gp_policy p, gp__shape h, gp__kernel_kind kind) {
  gp__geometry g = gp__geometry_of(p, h, 0);
  if (kind == GP__RADIX_HISTOGRAM) {
    g.threads = GP__RADIX_HISTOGRAM_THREADS;
    g.shared_bytes = gp__radix_histogram_bytes(
        gp__radix_ordered_bytes(h), gp__radix_replicas(gp__radix_ordered_bytes(h), h.compute_capability, 32));
  }
  if (kind == GP__GATHER || kind == GP__COPY) g.shared_bytes = 0;
  if (kind == GP__HYBRID_COUNT) g.threads = GP__HYBRID_COUNT_THREADS;
  if (kind == GP__HYBRID_MOVE)
    g.shared_bytes = gp__hybrid_move_bytes(h.key_size, p.threads * gp__hybrid_vector_items(p, h));
  if (kind == GP__HYBRID_SORT) {
    g.threads = (unsigned)gp__bucket_threads(h.key_size);
    g.shared_bytes = gp__bucket_bytes(h.key_size);
  }
  if (kind == GP__SORT_ONE_BLOCK) g.shared_bytes = gp__one_block_bytes(p, h.key_size);
  return g;
}

// Finds or builds a kernel. Two threads may build different kernels at once; the same one is built once. load: as a
// module of the driver; otherwise its image is kept, for gp_compile.
GPUPRIMS__PRIVATE gp_result gp__get_kernel(gp__state *s, const char *who, const gp__request *q, const gp_policy *p,
                                           const gp__shape *h, gp__kernel_kind kind, int load, gp__kernel **out) {
  int key[GP__KEY_NUMBERS];
  gp__kernel *k;
  gp__program program;
  gp__image image;
  gp__geometry g;
  gp_result result;
  gp__kernel_key(q, p, kind, load ? 0 : h->compute_capability, key);
  pthread_mutex_lock(&s->lock);
  k = gp__find_kernel(s, key, 1);
  while (k && k->state == 1) pthread_cond_wait(&s->built, &s->lock);
  if (k && k->state == 0) k->state = 1;
  else if (k) *out = k;
  pthread_mutex_unlock(&s->lock);
  if (!k) return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel", who);
  if (k->state == 2) return GP_SUCCESS;

  memset(&image, 0, sizeof image);
  g = gp__geometry_of_kind(*p, *h, kind);
  result = gp__write_program(who, q, p, kind, g.threads, &program);
  if (result == GP_SUCCESS) result = gp__find_image(&s->library, who, &program, h->compute_capability, !load, &image);
  if (result == GP_SUCCESS && load) {
    result = gp__load_module(s, who, &image, &g, k);
    free(image.owned);
  } else if (result == GP_SUCCESS) {
    k->image = image;
    memcpy(k->bundle_key, program.key, sizeof k->bundle_key);
  }
  gp__free_program(&program);
  pthread_mutex_lock(&s->lock);
  k->source = image.source;
  k->state = result == GP_SUCCESS ? 2 : 0; // after a failure the next call tries again
  pthread_cond_broadcast(&s->built);
  pthread_mutex_unlock(&s->lock);
  *out = k;
  return result;
}

// ---- workspaces

GPUPRIMS__PRIVATE uint64_t gp__word_bytes(const gp__geometry *g) {
  return g->words ? (GP__CONTROL_BYTES + g->words * GP__WORD_BYTES + 255) & ~(uint64_t)255 : 0;
}
GPUPRIMS__PRIVATE uint64_t gp__scratch_bytes(const gp__geometry *g) { return (g->scratch + 255) & ~(uint64_t)255; }
GPUPRIMS__PRIVATE uint64_t gp__workspace_bytes(const gp__geometry *g) {
  const uint64_t words = gp__word_bytes(g), scratch = gp__scratch_bytes(g);
  return scratch && !words ? GP__CONTROL_BYTES + scratch : words + scratch;
}

// The newest stream of this handle in the table. (One that was destroyed, where a new stream has inherited its handle
// and is captured before its first ordinary call: its workspace then serves the new one.)
GPUPRIMS__PRIVATE unsigned long long gp__key_of_handle(gp__state *s, gp_stream stream) {
  unsigned long long key = (uintptr_t)stream;
  int i;
  pthread_mutex_lock(&s->lock);
  for (i = 0; i < GP__STREAM_SLOTS; ++i) {
    const gp__workspace *r;
    for (r = s->streams[i]; r; r = r->next)
      if (r->handle == stream && r->key > key) key = r->key;
  }
  pthread_mutex_unlock(&s->lock);
  return key;
}

// Numbers a stream for the table. Handles of destroyed streams come back, ids do not.
GPUPRIMS__PRIVATE gp_result gp__number_of_stream(gp__state *s, const char *who, gp_stream stream,
                                                 unsigned long long *key, int *capturing) {
  const struct gp_driver *d = &s->library.runtime.driver;
  static __thread char thread;
  void *owner = NULL;
  int error;
  *key = 0;
  *capturing = 0;
  if (!stream || stream == (gp_stream)1) return GP_SUCCESS; // the default stream, which cannot be captured
  error = d->cuStreamGetCtx(stream, &owner);
  if (error) {
    gp__cuda_fail(&s->library.runtime, who, "stream: cuStreamGetCtx", error);
    return GP_E_STREAM;
  }
  if (owner != s->context)
    return gp__fail(GP_E_STREAM, "%s: stream belongs to another context than the primary one of device %d", who,
                    s->about.device);
  error = d->cuStreamIsCapturing(stream, capturing);
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuStreamIsCapturing", error);
  if (d->cuStreamGetId) {
    if (*capturing) { // to ask for the id would end the capture: the id seen last
      *key = gp__key_of_handle(s, stream);
      return GP_SUCCESS;
    }
    error = d->cuStreamGetId(stream, key);
    if (error) return gp__cuda_fail(&s->library.runtime, who, "cuStreamGetId", error);
    *key |= 1ull << 63;
  } else { // the default stream of a thread has one handle for all threads
    *key = (uintptr_t)stream;
    if (stream == (gp_stream)2) *key = (uintptr_t)&thread;
  }
  return GP_SUCCESS;
}

// The lock of a stream's workspace. A thread that has it may take it again: a call may run others.
typedef struct gp__locked {
  gp__workspace *workspace;
  int depth;
} gp__locked;
GPUPRIMS__PRIVATE gp__locked *gp__locked_here(void) {
  static __thread gp__locked here;
  return &here;
}
GPUPRIMS__PRIVATE void gp__lock_stream(gp__workspace *r) {
  gp__locked *here = gp__locked_here();
  if (here->workspace != r || !here->depth) pthread_mutex_lock(&r->lock), here->workspace = r, here->depth = 0;
  ++here->depth;
}
GPUPRIMS__PRIVATE void gp__unlock_stream(gp__workspace *r) {
  if (!--gp__locked_here()->depth) pthread_mutex_unlock(&r->lock);
}
GPUPRIMS__PRIVATE gp__workspace *gp__find_stream(gp__state *s, unsigned long long key, gp_stream stream) {
  gp__workspace **slot = &s->streams[(key * 0x9e3779b97f4a7c15ull >> 32) % GP__STREAM_SLOTS], *r;
  pthread_mutex_lock(&s->lock);
  for (r = *slot; r && r->key != key; r = r->next) {}
  if (!r) {
    r = (gp__workspace *)calloc(1, sizeof *r);
    if (r) {
      r->key = key;
      r->handle = stream;
      pthread_mutex_init(&r->lock, NULL);
      r->next = *slot;
      *slot = r;
    }
  }
  pthread_mutex_unlock(&s->lock);
  return r;
}

// Gives memory back in stream order, or keeps it for gp_close: where a graph may use it, where the driver would wait.
GPUPRIMS__PRIVATE gp_result gp__retire(gp__state *s, const char *who, gp__workspace *r, gp_stream stream,
                                       gp__retired *kept) {
  int error;
  if (r->captured || (!s->release && !s->pools)) {
    kept->pointer = r->workspace;
    kept->bytes = r->bytes;
    pthread_mutex_lock(&s->lock);
    kept->next = s->retired;
    s->retired = kept;
    pthread_mutex_unlock(&s->lock);
    return GP_SUCCESS;
  }
  free(kept);
  if (s->release) {
    s->release(s->allocator_user, r->workspace, r->bytes, stream);
    return GP_SUCCESS;
  }
  error = s->library.runtime.driver.cuMemFreeAsync((gp__cu_pointer)(uintptr_t)r->workspace, stream);
  return error ? gp__cuda_fail(&s->library.runtime, who, "cuMemFreeAsync", error) : GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__allocate(gp__state *s, const char *who, size_t bytes, gp_stream stream, void **out) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__cu_pointer pointer = 0;
  int error, mode = GP__CU_CAPTURE_RELAXED;
  if (s->allocate) {
    void *given = s->allocate(s->allocator_user, bytes, stream);
    if (!given)
      return gp__fail(GP_E_MEMORY, "%s: gp_config.allocate returned NULL for a workspace of %lu bytes", who,
                      (unsigned long)bytes);
    if ((uintptr_t)given % 256) {
      s->release(s->allocator_user, given, bytes, stream);
      return gp__fail(GP_E_MEMORY, "%s: gp_config.allocate returned %p, not aligned to 256 bytes", who, given);
    }
    *out = given;
    return GP_SUCCESS;
  }
  if (s->pools) {
    error = d->cuMemAllocAsync(&pointer, bytes, stream);
  } else {
    d->cuThreadExchangeStreamCaptureMode(&mode); // a capture elsewhere would forbid the call
    error = d->cuMemAlloc(&pointer, bytes);
    if (mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
  }
  if (error) {
    gp__cuda_fail(&s->library.runtime, who, s->pools ? "cuMemAllocAsync" : "cuMemAlloc", error);
    return error == GP__CU_OUT_OF_MEMORY ? GP_E_MEMORY : GP_E_DRIVER;
  }
  *out = (void *)(uintptr_t)pointer;
  return GP_SUCCESS;
}

// The stream's workspace, grown where it is too small. Of the bytes needed so many are scratch, which need not be zero.
// The stream's lock is held.
GPUPRIMS__PRIVATE gp_result gp__grow(gp__state *s, const char *who, gp__workspace *r, gp_stream stream, uint64_t need,
                                     uint64_t scratch, int capturing) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__retired *kept = NULL;
  void *fresh = NULL, *old = r->workspace;
  size_t bytes;
  gp_result result;
  int error;
  if (r->bytes >= need) {
    r->captured |= capturing;
    return GP_SUCCESS;
  }
  if (capturing)
    return gp__fail(GP_E_WORKSPACE,
                    "%s: the call needs a workspace of %llu bytes, the stream has one of %llu and is being captured: "
                    "gp_reserve(ctx, stream, %llu) before the capture",
                    who, (unsigned long long)need, (unsigned long long)r->bytes, (unsigned long long)need);
  bytes = 65536; // powers of two, so that a growing problem is served by few allocations
  while (bytes < need && bytes < (64u << 20)) bytes *= 2;
  if (bytes < need) bytes = (size_t)((need + 0xffffff) & ~(uint64_t)0xffffff);
  if (bytes < need) return gp__fail(GP_E_MEMORY, "%s: a workspace of %llu bytes", who, (unsigned long long)need);
  if (old) {
    kept = (gp__retired *)malloc(sizeof *kept);
    if (!kept) return gp__fail(GP_E_MEMORY, "%s: no memory", who);
  }
  result = gp__allocate(s, who, bytes, stream, &fresh);
  if (result != GP_SUCCESS) {
    free(kept);
    return result;
  }
  error = d->cuMemsetD8Async((gp__cu_pointer)(uintptr_t)fresh, 0, bytes - scratch, stream);
  if (error) {
    result = gp__cuda_fail(&s->library.runtime, who, "cuMemsetD8Async", error);
    if (s->release) s->release(s->allocator_user, fresh, bytes, stream);
    else if (s->pools) d->cuMemFreeAsync((gp__cu_pointer)(uintptr_t)fresh, stream);
    else d->cuMemFree((gp__cu_pointer)(uintptr_t)fresh);
    free(kept);
    return result;
  }
  if (old) result = gp__retire(s, who, r, stream, kept);
  r->workspace = fresh;
  r->bytes = bytes;
  r->captured = 0;
  r->tagged = bytes - scratch;
  r->soiled = bytes;
  r->pinned = 0;
  return result;
}

// Room for a call: `words` bytes of tagged words at the front (0: none), `scratch` bytes at the back, before what an
// outer call holds. The workspace has `least` bytes at least. The stream's lock is held.
GPUPRIMS__PRIVATE gp_result gp__find_room(gp__state *s, const char *who, gp__workspace *r, gp_stream stream,
                                          uint64_t words, uint64_t scratch, uint64_t least, int capturing,
                                          void **scratch_at) {
  uint64_t front = scratch && !words ? (uint64_t)GP__CONTROL_BYTES : words, need;
  gp_result result;
  if (words > r->words) r->words = words;
  if (front < r->pinned) front = r->pinned;
  need = front + scratch + r->held;
  // Beside scratch, words keep a place of their own where that is to be had: no need to clear them between calls.
  if (!capturing && scratch && r->words > front) need += r->words - front;
  if (need < least) need = least;
  result = r->held && r->bytes < need ? gp__fail(GP_E_WORKSPACE, "%s: the outer call has left no room", who)
                                      : gp__grow(s, who, r, stream, need, scratch, capturing);
  if (result != GP_SUCCESS) return result;
  if (words > r->tagged) {
    const int error = s->library.runtime.driver.cuMemsetD8Async((gp__cu_pointer)(uintptr_t)r->workspace + r->tagged, 0,
                                                                words - r->tagged, stream);
    if (error) return gp__cuda_fail(&s->library.runtime, who, "cuMemsetD8Async", error);
    r->tagged = words < r->soiled ? words : r->soiled;
  }
  if (capturing && words > r->pinned) r->pinned = words;
  if (scratch) {
    const size_t at = (r->bytes - r->held - scratch) & ~(size_t)255;
    if (at < r->tagged) r->tagged = at;
    if (capturing && at < r->soiled) r->soiled = at;
    *scratch_at = (unsigned char *)r->workspace + at;
  }
  return GP_SUCCESS;
}

// ---- launching

GPUPRIMS__PRIVATE gp_result gp__launch_one(gp__state *s, const char *who, const gp__kernel *k, unsigned grid,
                                           const gp__geometry *g, int overlap, gp_stream stream, void *arguments) {
  const struct gp_driver *d = &s->library.runtime.driver;
  void *parameters[1];
  int error;
  parameters[0] = arguments;
  if (overlap == 1) {
    gp__cu_launch launch;
    gp__cu_attribute attribute;
    if (!d->cuLaunchKernelEx)
      return gp__fail(GP_E_POLICY, "%s: policy.overlap = 1 needs a driver with cuLaunchKernelEx", who);
    memset(&launch, 0, sizeof launch);
    memset(&attribute, 0, sizeof attribute);
    attribute.id = GP__CU_PROGRAMMATIC_SERIALIZATION;
    attribute.value.number = 1;
    launch.grid_x = grid;
    launch.block_x = g->threads;
    launch.grid_y = launch.grid_z = launch.block_y = launch.block_z = 1;
    launch.shared_bytes = g->shared_bytes;
    launch.stream = stream;
    launch.attributes = &attribute;
    launch.attribute_count = 1;
    error = d->cuLaunchKernelEx(&launch, k->function, parameters, NULL);
    return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernelEx", error) : GP_SUCCESS;
  }
  error = d->cuLaunchKernel(k->function, grid, 1, 1, g->threads, 1, 1, g->shared_bytes, stream, parameters, NULL);
  return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernel", error) : GP_SUCCESS;
}

typedef union gp__arguments {
  gp__map_args map;
  gp__reduce_args reduce;
  gp__scan_args scan;
  gp__stream_args stream;
  gp__segment_args segment;
  gp__histogram_args histogram;
  gp__search_args search;
} gp__arguments;

GPUPRIMS__PRIVATE void gp__stream_arguments(const gp__request *q, gp__stream_args *a) {
  const int predicate = gp__is_predicated(q->primitive) && q->op;
  a->keys = predicate ? q->in : q->keys;
  a->values = predicate ? NULL : q->in;
  a->out_keys = q->out_keys;
  a->out_values = q->out;
  a->out2 = q->out2;
  a->out3 = q->out3;
  a->out_count = (unsigned long long *)q->out_count;
  a->offsets = q->begin;
  a->segments = q->segments;
  a->bad = (const unsigned long long *)q->bad;
  a->first = q->init;
  a->second = q->step;
  a->has_init = q->has_init;
}

// What the kernels of a call are given, all alike.
GPUPRIMS__PRIVATE void gp__fill_arguments(const gp__request *q, const gp__shape *h, const gp__geometry *g,
                                          void *workspace, gp__arguments *a) {
  const unsigned long long *count_device = (const unsigned long long *)q->count_device;
  memset(a, 0, sizeof *a);
  switch (gp__family_of(q->primitive)) {
  case GP__FAMILY_SCAN:
    a->scan.in = q->in;
    a->scan.out = q->out;
    a->scan.count = q->count;
    a->scan.count_device = count_device;
    a->scan.workspace = workspace;
    a->scan.init = q->init;
    a->scan.has_init = q->has_init;
    a->scan.blocks = g->grid;
    break;
  case GP__FAMILY_REDUCE:
    a->reduce.in = q->primitive == GP_CHECK_OFFSETS ? q->begin : q->in;
    a->reduce.out = q->primitive == GP_CHECK_OFFSETS ? q->bad : q->primitive == GP_COUNT_IF ? q->out_count : q->out;
    a->reduce.count = h->count;
    a->reduce.count_device = count_device;
    a->reduce.workspace = workspace;
    a->reduce.rounds = h->reproducible ? gp__canonical_rounds(h->count, h->in_size) : 1;
    a->reduce.limit = q->count;
    if (q->primitive == GP_REDUCE) {
      a->reduce.init = q->init;
      a->reduce.has_init = q->has_init;
    } else a->reduce.scalar = q->init;
    break;
  case GP__FAMILY_STREAM:
    gp__stream_arguments(q, &a->stream);
    a->stream.count = q->count;
    a->stream.count_device = count_device;
    a->stream.workspace = workspace;
    break;
  case GP__FAMILY_SEGMENTS:
    if (q->primitive == GP_LOAD_BALANCE) {
      a->search.sorted = q->begin;
      a->search.length = q->segments;
      a->search.out = q->out;
      a->search.count = q->count;
      a->search.count_device = count_device;
      break;
    }
    a->segment.in = q->in;
    a->segment.begin = q->begin;
    a->segment.end = q->end;
    a->segment.out = q->out;
    a->segment.count = q->count;
    a->segment.segments = q->segments;
    a->segment.length = q->length;
    a->segment.bad = (const unsigned long long *)q->bad;
    a->segment.workspace = workspace;
    a->segment.share = g->share;
    a->segment.rate = (double)q->segments / ((double)q->count + (double)q->segments);
    a->segment.init = q->init;
    a->segment.has_init = q->has_init;
    a->segment.log2_lanes = g->log2_lanes;
    break;
  case GP__FAMILY_HISTOGRAM:
    a->histogram.in = q->in;
    a->histogram.weights = q->in2;
    a->histogram.boundaries = q->begin;
    a->histogram.out = q->out;
    a->histogram.count = q->count;
    a->histogram.count_device = count_device;
    a->histogram.bins = q->bins;
    a->histogram.workspace = workspace;
    a->histogram.lower = q->init;
    a->histogram.upper = q->step;
    a->histogram.channels = q->channels;
    a->histogram.active = q->active;
    a->histogram.replicas = g->replicas;
    break;
  default:
    if (gp__is_bound(q->primitive)) {
      a->search.sorted = q->keys;
      a->search.length = q->length;
      a->search.needles = q->in;
      a->search.out = q->out;
      a->search.count = q->count;
      a->search.count_device = count_device;
      break;
    }
    a->map.in = q->in ? q->in : q->out; // never read; but null plus an offset has no meaning
    a->map.in2 = q->in2 ? q->in2 : q->out;
    a->map.out = q->out;
    a->map.count = q->count;
    a->map.count_device = count_device;
    a->map.value = q->init;
    a->map.step = q->step;
  }
}

// A planned call on its way: its family launches the steps.
typedef struct gp__launching {
  gp__state *s;
  const char *who;
  const gp__request *q;
  const gp__shape *h;
  const gp_policy *p;
  gp__kernel *const *kernels; // those of gp__kinds_of_plan, in its order
  int count;
  const gp__geometry *g;
  void *workspace; // tagged words, or NULL
  void *scratch;   // gp__geometry.scratch bytes, or NULL
  gp_stream stream;
} gp__launching;

// One step: the kernel at `which`, so many blocks of so many threads.
GPUPRIMS__PRIVATE gp_result gp__launch_step(const gp__launching *l, int which, unsigned grid, unsigned threads,
                                            unsigned shared_bytes, void *arguments) {
  gp__geometry g = *l->g;
  g.threads = threads;
  g.shared_bytes = shared_bytes;
  return gp__launch_one(l->s, l->who, l->kernels[which], grid, &g, l->p->overlap, l->stream, arguments);
}
// A grid that fills the device with this kernel, and no more blocks than there is work for.
GPUPRIMS__PRIVATE unsigned gp__grid_of_step(const gp__launching *l, int which, int most_per_sm, uint64_t work) {
  const int occupancy = l->kernels[which]->occupancy > 0 ? l->kernels[which]->occupancy : 1;
  const uint64_t blocks =
      (uint64_t)l->h->multiprocessors * (unsigned)(most_per_sm && occupancy > most_per_sm ? most_per_sm : occupancy);
  return work < 1 ? 1 : (unsigned)(work < blocks ? work : blocks);
}

// A radix sort: the histogram, the passes, where it ran in place what may be left to copy; large values last.
GPUPRIMS__PRIVATE gp_result gp__launch_sort(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__radix_plan r = gp__radix_plan_of(*l->p, *l->h);
  const gp__geometry counting = gp__geometry_of_kind(*l->p, *l->h, GP__RADIX_HISTOGRAM);
  unsigned char *scratch = (unsigned char *)l->scratch;
  gp_result result;
  gp__radix_args a;
  unsigned grid;
  int bit = q->begin_bit;
  memset(&a, 0, sizeof a);
  a.keys = q->keys;
  a.in = r.large ? NULL : q->in;
  a.out_keys = l->h->drop_keys ? scratch + r.keys : q->out_keys;
  a.out = r.large ? scratch + r.index : q->out;
  a.other_keys = scratch + r.other_keys;
  a.other = scratch + r.other;
  a.count = q->count;
  a.count_device = (const unsigned long long *)q->count_device;
  a.workspace = l->workspace;
  a.counts = (unsigned long long *)(scratch + r.counts);
  a.tickets = (unsigned long long *)(scratch + r.tickets);
  a.steps = (unsigned *)(scratch + r.steps);
  a.words = scratch + r.words;
  a.clear = r.clear;
  a.passes = r.passes;
  a.begin_bit = q->begin_bit;
  a.end_bit = q->end_bit;
  a.in_place = q->keys == a.out_keys || (a.in && a.in == a.out);
  a.flip = q->flags & GP_DESCENDING ? ~0u : 0;
  a.drop_keys = l->h->drop_keys;
  grid = gp__grid_of_step(l, 0, 0, gp__ceil_div(q->count, GP__RADIX_HISTOGRAM_THREADS));
  result = gp__launch_step(l, 0, grid, counting.threads, counting.shared_bytes, &a);
  grid = gp__grid_of_step(l, 1, l->p->blocks_per_sm, r.tiles);
  for (; a.pass < r.passes + (a.in_place || !r.passes) && result == GP_SUCCESS; ++a.pass) {
    gp__radix_digit_of(&a, &bit);
    result = gp__launch_step(l, 1, grid, l->g->threads, l->g->shared_bytes, &a);
  }
  if (result == GP_SUCCESS && r.large) {
    gp__gather_args gather;
    memset(&gather, 0, sizeof gather);
    gather.in = q->in;
    gather.index = a.out;
    gather.out = q->in == q->out ? scratch + r.moved : q->out;
    gather.count = q->count;
    gather.count_device = a.count_device;
    result = gp__launch_step(l, 2, gp__grid_of_step(l, 2, 0, gp__ceil_div(q->count, l->g->threads)), l->g->threads, 0,
                             &gather);
    if (result == GP_SUCCESS && q->in == q->out) {
      gp__map_args copy;
      memset(&copy, 0, sizeof copy);
      copy.in = gather.out;
      copy.out = q->out;
      copy.count = q->count;
      copy.count_device = a.count_device;
      result = gp__launch_step(l, 3, gp__grid_of_step(l, 3, 0, gp__ceil_div(q->count * q->in_size, 16 * l->g->threads)),
                               l->g->threads, 0, &copy);
    }
  }
  return result;
}
// A hybrid sort: lists, then count and move of each level (what is not there exits at once), then the buckets.
GPUPRIMS__PRIVATE gp_result gp__launch_hybrid(const gp__launching *l) {
  const gp__request *q = l->q;
  unsigned char *scratch = (unsigned char *)l->scratch;
  const int one = l->p->algorithm == GP_ONE_BLOCK, levels = gp__hybrid_levels(l->h->key_size);
  gp__hybrid_args a;
  gp__geometry steps[4];
  unsigned grid[4];
  gp_result result;
  int i;
  memset(&a, 0, sizeof a);
  a.in = q->keys;
  a.out = q->out_keys;
  a.count = q->count;
  a.count_device = (const unsigned long long *)q->count_device;
  if (one) {
    steps[0] = gp__geometry_of_kind(*l->p, *l->h, GP__SORT_ONE_BLOCK);
    return gp__launch_step(l, 0, 1, steps[0].threads, steps[0].shared_bytes, &a);
  } else {
    const gp__hybrid_plan r = gp__hybrid_plan_of(*l->p, *l->h);
    a.spare = scratch + r.spare;
    a.list = (unsigned long long *)(scratch + r.list);
    a.parts = scratch + r.parts;
    a.next_parts = scratch + r.next_parts;
    a.bins = (unsigned long long *)(scratch + r.bins);
    a.next_bins = (unsigned long long *)(scratch + r.next_bins);
    a.items = scratch + r.items;
    a.capacity = (unsigned)r.capacity;
    for (i = 0; i < 4; ++i) {
      steps[i] = gp__geometry_of_kind(*l->p, *l->h, (gp__kernel_kind)(GP__HYBRID_BEGIN + i));
      grid[i] = i == 0 ? 1 : gp__grid_of_step(l, i, 0, i == 3 ? q->count / 64 + 1 : r.tiles);
    }
  }
  result = gp__launch_step(l, 0, grid[0], steps[0].threads, steps[0].shared_bytes, &a);
  for (; a.level < levels && result == GP_SUCCESS; ++a.level) {
    void *parts = a.parts, *bins = a.bins;
    result = gp__launch_step(l, 1, grid[1], steps[1].threads, steps[1].shared_bytes, &a);
    if (result == GP_SUCCESS) result = gp__launch_step(l, 2, grid[2], steps[2].threads, steps[2].shared_bytes, &a);
    a.parts = a.next_parts;
    a.next_parts = parts;
    a.bins = a.next_bins;
    a.next_bins = (unsigned long long *)bins;
  }
  return result == GP_SUCCESS ? gp__launch_step(l, 3, grid[3], steps[3].threads, steps[3].shared_bytes, &a) : result;
}
GPUPRIMS__PRIVATE gp_result gp__launch_plan(const gp__launching *l) {
  if (l->q->primitive == GP_SORT && (l->p->algorithm == GP_HYBRID || l->p->algorithm == GP_ONE_BLOCK))
    return gp__launch_hybrid(l);
  if (l->q->primitive == GP_SORT) return gp__launch_sort(l);
  return gp__fail(GP_E_UNSUPPORTED, "%s: no plan", l->who);
}

// The primary context is current, the kernels are loaded. The workspace gets `least` bytes at least.
GPUPRIMS__PRIVATE gp_result gp__launch(gp__state *s, const char *who, const gp__request *q, const gp__shape *h,
                                       const gp_policy *p, gp__kernel *const *kernels, int count, gp_stream stream,
                                       uint64_t least) {
  gp__arguments a;
  gp__geometry g;
  gp__workspace *r = NULL;
  void *scratch = NULL;
  unsigned long long stream_key;
  int capturing;
  gp_result result;
  int occupancy = count ? kernels[0]->occupancy : 0, i;
  for (i = 1; i < count; ++i)
    if (kernels[i]->occupancy < occupancy) occupancy = kernels[i]->occupancy;
  if (gp__family_of(q->primitive) == GP__FAMILY_HISTOGRAM) {
    g = gp__geometry_of(*p, *h, 0);
    result = gp__fit_kernel(s, who, kernels[0], &g, &occupancy);
    if (result != GP_SUCCESS) return result;
  }
  g = gp__geometry_of(*p, *h, occupancy);
  result = gp__number_of_stream(s, who, stream, &stream_key, &capturing);
  if (result != GP_SUCCESS) return result;
  if (g.words || g.scratch) {
    r = gp__find_stream(s, stream_key, stream);
    if (!r) return gp__fail(GP_E_MEMORY, "%s: no memory for a stream's workspace", who);
    gp__lock_stream(r);
    result = gp__find_room(s, who, r, stream, gp__word_bytes(&g), gp__scratch_bytes(&g), least, capturing, &scratch);
  }
  if (gp__is_planned(q->primitive)) {
    const gp__launching l = {s, who, q, h, p, kernels, count, &g, r ? r->workspace : NULL, scratch, stream};
    if (result == GP_SUCCESS) result = gp__launch_plan(&l);
    if (r) gp__unlock_stream(r);
    return result;
  }
  gp__fill_arguments(q, h, &g, r ? r->workspace : NULL, &a);
  for (i = 0; i < count && result == GP_SUCCESS; ++i)
    result = gp__launch_one(s, who, kernels[i], count == 3 && i == 1 ? 1 : g.grid, &g, p->overlap, stream, &a);
  if (r) gp__unlock_stream(r);
  return result;
}

// Of a GP_CHECKED call: the check of its offsets, as a call of its own.
GPUPRIMS__PRIVATE int gp__is_checked(const gp__request *q) { return (q->flags & GP_CHECKED) != 0; }
GPUPRIMS__PRIVATE gp__request gp__offset_check(const gp__request *q) {
  gp__request check;
  memset(&check, 0, sizeof check);
  check.primitive = GP_CHECK_OFFSETS;
  check.offset_type = q->offset_type;
  check.offset_size = q->offset_size;
  check.begin = q->begin;
  check.segments = q->segments;
  check.count = q->count;
  check.bad = q->bad;
  check.out_type = check.acc_type = GP_U64;
  check.out_size = check.acc_size = 8;
  check.channels = check.active = 1;
  return check;
}

// Chooses the policy and finds the kernels; then, where `run`, launches, in a workspace of `least` bytes at least.
GPUPRIMS__PRIVATE gp_result gp__run_request(gp__state *s, const gp__request *q, const gp_policy *given, int run,
                                            gp_stream stream, uint64_t least) {
  const char *who = gp__primitive_names[q->primitive];
  gp__shape h = gp__shape_of(q);
  gp_policy p;
  gp_policy_source source;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__kernel *kernels[GP__KINDS_MAX] = {NULL};
  gp_result result;
  const int idle = run && gp__nothing_to_do(q);
  int pushed, count, i;
  gp__shape_on(&h, &s->about);
  result = gp__choose(who, given, &h, &s->table, &p, &source);
  if (result != GP_SUCCESS || (idle && !gp__is_checked(q))) return result;
  result = gp__enter(s, who, &pushed);
  if (result != GP_SUCCESS) return result;
  count = gp__kinds_of(q, &p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS && !idle; ++i)
    result = gp__get_kernel(s, who, q, &p, &h, kinds[i], 1, &kernels[i]);
  if (result == GP_SUCCESS && gp__is_checked(q)) { // first; both find room in the workspace, or neither is launched
    const gp__request check = gp__offset_check(q);
    const gp__geometry g = gp__geometry_of(p, h, 0);
    result = gp__run_request(s, &check, NULL, run, stream, gp__workspace_bytes(&g));
  }
  if (result == GP_SUCCESS && run && !idle) result = gp__launch(s, who, q, &h, &p, kernels, count, stream, least);
  return gp__leave(s, who, pushed, result);
}

GPUPRIMS__API gp_result gp_run(gp_context *ctx, const gp_call *call, gp_stream stream) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_run", &result);
  gp__request q;
  if (!s) return result;
  result = gp__check_call(s, "gp_run", call, !s->context, 1, &q);
  if (result != GP_SUCCESS) return result;
  if (s->context) return gp__run_request(s, &q, call->policy, 1, stream, 0);
  if (q.count_device && *q.count_device < q.count) q.count = *q.count_device;
  if (gp__nothing_to_do(&q) && !gp__is_checked(&q)) return GP_SUCCESS;
  return gp__host_run(&q, s->host_threads);
}

GPUPRIMS__API gp_result gp_prepare(gp_context *ctx, const gp_call *call) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_prepare", &result);
  gp__request q;
  if (!s) return result;
  result = gp__check_call(s, "gp_prepare", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  return gp__run_request(s, &q, call->policy, 0, NULL, 0);
}

// Raises *bytes to the larger of what an aligned and a misaligned input need: the answer holds for all pointers.
GPUPRIMS__PRIVATE gp_result gp__workspace_of(gp__state *s, const gp__request *q, const gp_policy *given,
                                             uint64_t *bytes) {
  int shift;
  for (shift = 0; shift < 2; ++shift) {
    gp__shape h = gp__shape_of(q);
    gp_policy p;
    gp_policy_source source;
    gp__geometry g;
    gp_result result;
    gp__shape_on(&h, &s->about);
    h.in_misaligned =
        shift && h.in_size > 0 && h.in_size < GP__VECTOR ? GP__VECTOR / h.in_size * h.in_size - h.in_size : 0;
    result = gp__choose(gp__primitive_names[q->primitive], given, &h, &s->table, &p, &source);
    if (result != GP_SUCCESS) return shift ? GP_SUCCESS : result;
    g = gp__geometry_of(p, h, 0);
    if (gp__workspace_bytes(&g) > *bytes) *bytes = gp__workspace_bytes(&g);
  }
  return GP_SUCCESS;
}

GPUPRIMS__API gp_result gp_workspace_size(gp_context *ctx, const gp_call *call, uint64_t *bytes) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_workspace_size", &result);
  gp__request q;
  if (!s) return result;
  if (!bytes) return gp__fail(GP_E_NULL, "gp_workspace_size: bytes is null");
  *bytes = 0;
  result = gp__check_call(s, "gp_workspace_size", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  result = gp__workspace_of(s, &q, call->policy, bytes);
  if (result == GP_SUCCESS && gp__is_checked(&q)) {
    const gp__request check = gp__offset_check(&q);
    result = gp__workspace_of(s, &check, NULL, bytes);
  }
  return result;
}

GPUPRIMS__API gp_result gp_reserve(gp_context *ctx, gp_stream stream, uint64_t bytes) {
  const char *who = "gp_reserve";
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, who, &result);
  unsigned long long key;
  int pushed, capturing;
  if (!s) return result;
  if (!s->context || !bytes) return GP_SUCCESS;
  result = gp__enter(s, who, &pushed);
  if (result != GP_SUCCESS) return result;
  result = gp__number_of_stream(s, who, stream, &key, &capturing);
  if (result == GP_SUCCESS) {
    gp__workspace *r = gp__find_stream(s, key, stream);
    if (r) {
      gp__lock_stream(r);
      if (r->bytes < bytes) result = gp__grow(s, who, r, stream, bytes, 0, capturing);
      gp__unlock_stream(r);
    } else {
      result = gp__fail(GP_E_MEMORY, "%s: no memory for a stream's workspace", who);
    }
  }
  return gp__leave(s, who, pushed, result);
}

GPUPRIMS__API gp_result gp_policy_origin(gp_context *ctx, const gp_call *call, gp_policy *policy,
                                         gp_policy_source *source) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_policy_origin", &result);
  gp__request q;
  gp__shape h;
  if (!s) return result;
  if (!policy) return gp__fail(GP_E_NULL, "gp_policy_origin: policy is null");
  if (!source) return gp__fail(GP_E_NULL, "gp_policy_origin: source is null");
  memset(policy, 0, sizeof *policy);
  *source = GP_POLICY_HOST;
  result = gp__check_call(s, "gp_policy_origin", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  h = gp__shape_of(&q);
  gp__shape_on(&h, &s->about);
  return gp__choose(gp__primitive_names[q.primitive], call->policy, &h, &s->table, policy, source);
}

GPUPRIMS__API gp_result gp_policy_echo(gp_context *ctx, const gp_call *call, gp_policy *policy) {
  const char *who = "gp_policy_echo";
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, who, &result);
  gp__request q;
  gp__shape h;
  gp_policy p;
  gp_policy_source source;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__cu_pointer from = 0;
  size_t bytes = 0;
  int pushed, count, i, number[8], error = 0;
  const char *call_name = "cuModuleGetGlobal";
  if (!s) return result;
  if (!policy) return gp__fail(GP_E_NULL, "%s: policy is null", who);
  memset(policy, 0, sizeof *policy);
  result = gp__check_call(s, who, call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  h = gp__shape_of(&q);
  gp__shape_on(&h, &s->about);
  result = gp__choose(gp__primitive_names[q.primitive], call->policy, &h, &s->table, &p, &source);
  if (result != GP_SUCCESS) return result;
  result = gp__enter(s, who, &pushed);
  if (result != GP_SUCCESS) return result;
  count = gp__kinds_of(&q, &p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS; ++i) { // of three sweeps, all must say the same
    gp_policy said;
    gp__kernel *k = NULL;
    result = gp__get_kernel(s, who, &q, &p, &h, kinds[i], 1, &k);
    if (result != GP_SUCCESS) break;
    call_name = "cuModuleGetGlobal";
    error = s->library.runtime.driver.cuModuleGetGlobal(&from, &bytes, k->module, "gp__echo");
    if (!error && bytes != sizeof number)
      result = gp__fail(GP_E_DRIVER, "%s: the kernel's echo has %d bytes", who, (int)bytes);
    if (!error && result == GP_SUCCESS)
      call_name = "cuMemcpyDtoH", error = s->library.runtime.driver.cuMemcpyDtoH(number, from, sizeof number);
    if (error) result = gp__cuda_fail(&s->library.runtime, who, call_name, error);
    if (result != GP_SUCCESS) break;
    said.algorithm = number[0], said.threads = number[1], said.vectors = number[2], said.load = number[3];
    said.store = number[4], said.stages = number[5], said.blocks_per_sm = number[6], said.overlap = number[7];
    if (i > 0 && memcmp(&said, policy, sizeof said) != 0)
      result = gp__fail(GP_E_POLICY, "%s: the kernels of the call were compiled for different policies", who);
    *policy = said;
  }
  return gp__leave(s, who, pushed, result);
}

GPUPRIMS__API gp_result gp_kernel_origin(gp_context *ctx, const gp_call *call, gp_kernel_source *source, char *name,
                                         size_t capacity) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, "gp_kernel_origin", &result);
  gp__request q;
  gp__shape h;
  gp_policy p;
  gp_policy_source origin;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp__text text = {NULL, 0, 0, 0};
  int key[GP__KEY_NUMBERS], count, i;
  if (!s) return result;
  if (!source) return gp__fail(GP_E_NULL, "gp_kernel_origin: source is null");
  if (!name && capacity) return gp__fail(GP_E_NULL, "gp_kernel_origin: name is null");
  *source = s->context ? GP_KERNEL_NONE : GP_KERNEL_HOST;
  if (capacity) *name = 0;
  result = gp__check_call(s, "gp_kernel_origin", call, !s->context, 0, &q);
  if (result != GP_SUCCESS || !s->context) return result;
  h = gp__shape_of(&q);
  gp__shape_on(&h, &s->about);
  result = gp__choose(gp__primitive_names[q.primitive], call->policy, &h, &s->table, &p, &origin);
  if (result != GP_SUCCESS) return result;
  count = gp__kinds_of(&q, &p, kinds);
  for (i = 0; i < count; ++i) { // of three sweeps, the last one's
    const gp__kernel *k;
    gp__kernel_key(&q, &p, kinds[i], 0, key);
    pthread_mutex_lock(&s->lock);
    k = gp__find_kernel(s, key, 0);
    *source = k && k->state == 2 ? k->source : GP_KERNEL_NONE;
    pthread_mutex_unlock(&s->lock);
  }
  gp__name_kernel(&q, &p, kinds[count - 1], &text);
  if (text.failed) result = gp__fail(GP_E_MEMORY, "gp_kernel_origin: no memory");
  else if (capacity) snprintf(name, capacity, "%s", gp__string(&text));
  gp__free_text(&text);
  return result;
}

GPUPRIMS__PRIVATE gp_result gp__compile_request(gp__state *s, const char *who, const gp__request *q,
                                                const gp_policy *given, int compute_capability, const gp__table *table,
                                                gp_take_image_fn take, void *user) {
  gp__shape h = gp__shape_of(q);
  gp_policy p;
  gp_policy_source source;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  gp_result result;
  int count, i;
  h.compute_capability = compute_capability;
  h.multiprocessors = 1;
  h.shared_bytes = gp__shared_bytes_of(compute_capability);
  result = gp__choose(gp__primitive_names[q->primitive], given, &h, table, &p, &source);
  if (result != GP_SUCCESS) return result;
  count = gp__kinds_of(q, &p, kinds);
  for (i = 0; i < count && result == GP_SUCCESS; ++i) {
    gp__kernel *k = NULL;
    result = gp__get_kernel(s, who, q, &p, &h, kinds[i], 0, &k);
    if (result == GP_SUCCESS) take(user, k->bundle_key, k->image.data, k->image.bytes);
  }
  return result;
}

GPUPRIMS__API gp_result gp_compile(gp_context *ctx, const gp_call *call, int compute_capability, gp_take_image_fn take,
                                   void *user) {
  const char *who = "gp_compile";
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__state_of(ctx, who, &result);
  gp__table table;
  gp__request q;
  if (!s) return result;
  if (!take) return gp__fail(GP_E_NULL, "%s: take is null", who);
  if (compute_capability < 75)
    return gp__fail(GP_E_DEVICE_TOO_OLD, "%s: compute_capability is %d; 75 is the oldest that works", who,
                    compute_capability);
  result = gp__check_call(s, who, call, 0, 0, &q);
  if (result != GP_SUCCESS) return result;
  gp__make_table(&table, "", compute_capability);
  result = gp__compile_request(s, who, &q, call->policy, compute_capability, &table, take, user);
  if (result == GP_SUCCESS && gp__is_checked(&q)) {
    const gp__request check = gp__offset_check(&q);
    result = gp__compile_request(s, who, &check, NULL, compute_capability, &table, take, user);
  }
  return result;
}

// ---- calls by name

// What most of them fill in.
GPUPRIMS__PRIVATE gp_call gp__call(gp_primitive primitive, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                   void *out, uint64_t count) {
  gp_call c = gp_call_init(primitive);
  c.op = op;
  c.in_type = in_type;
  c.out_type = out_type;
  c.in = in;
  c.out = out;
  c.count = count;
  return c;
}
GPUPRIMS__PRIVATE void gp__set_segments(gp_call *c, gp_type offset_type, const void *begin, uint64_t segments) {
  c->offset_type = offset_type;
  c->begin = begin;
  c->segments = segments;
}
GPUPRIMS__PRIVATE void gp__set_keys(gp_call *c, gp_type key_type, gp_op equal, const void *keys) {
  c->key_type = key_type;
  c->equal = equal;
  c->keys = keys;
}

GPUPRIMS__API gp_result gp_copy(gp_context *ctx, gp_type type, const void *in, void *out, uint64_t count,
                                gp_stream stream) {
  const gp_call c = gp__call(GP_COPY, 0, type, 0, in, out, count);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_fill(gp_context *ctx, gp_type type, const void *value, void *out, uint64_t count,
                                gp_stream stream) {
  gp_call c = gp__call(GP_FILL, 0, 0, type, NULL, out, count);
  c.init = value;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_iota(gp_context *ctx, gp_type type, const void *start, const void *step, void *out,
                                uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_IOTA, 0, 0, type, NULL, out, count);
  c.init = start;
  c.step = step;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_transform(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                     void *out, uint64_t count, gp_stream stream) {
  const gp_call c = gp__call(GP_TRANSFORM, op, in_type, out_type, in, out, count);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_transform2(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *a,
                                      const void *b, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_TRANSFORM2, op, in_type, out_type, a, out, count);
  c.in2 = b;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                  void *out, uint64_t count, gp_stream stream) {
  const gp_call c = gp__call(GP_REDUCE, op, in_type, out_type, in, out, count);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                          void *out, uint64_t count, gp_stream stream) {
  const gp_call c = gp__call(GP_INCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                          const void *init, const void *in, void *out, uint64_t count,
                                          gp_stream stream) {
  gp_call c = gp__call(GP_EXCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  c.init = init;
  return gp_run(ctx, &c, stream);
}

// ---- segments

GPUPRIMS__API gp_result gp_segmented_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                            gp_type offset_type, const void *in, uint64_t count, const void *begin,
                                            const void *end, uint64_t segments, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_REDUCE, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, begin, segments);
  c.end = end;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_segmented_reduce_fixed(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                  const void *in, uint64_t segments, uint64_t length, void *out,
                                                  gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_REDUCE, op, in_type, out_type, in, out, 0);
  c.segments = segments;
  c.length = length;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_segmented_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *in, void *out, uint64_t count,
                                                    const void *offsets, uint64_t segments, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_INCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_segmented_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *init, const void *in, void *out,
                                                    uint64_t count, const void *offsets, uint64_t segments,
                                                    gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_EXCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  c.init = init;
  return gp_run(ctx, &c, stream);
}

// ---- runs

GPUPRIMS__API gp_result gp_inclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal,
                                                 gp_type in_type, gp_type out_type, const void *keys, const void *in,
                                                 void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_INCLUSIVE_SCAN_BY_KEY, op, in_type, out_type, in, out, count);
  gp__set_keys(&c, key_type, equal, keys);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_exclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal,
                                                 gp_type in_type, gp_type out_type, const void *init, const void *keys,
                                                 const void *in, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_EXCLUSIVE_SCAN_BY_KEY, op, in_type, out_type, in, out, count);
  gp__set_keys(&c, key_type, equal, keys);
  c.init = init;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_reduce_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_op equal, gp_type in_type,
                                         gp_type out_type, const void *keys, const void *in, void *out_keys, void *out,
                                         uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_REDUCE_BY_KEY, op, in_type, out_type, in, out, count);
  gp__set_keys(&c, key_type, equal, keys);
  c.out_keys = out_keys;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_run_length_encode(gp_context *ctx, gp_type key_type, gp_op equal, gp_type length_type,
                                             const void *keys, void *out_keys, void *lengths, uint64_t *out_count,
                                             uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_RUN_LENGTHS, 0, 0, 0, NULL, NULL, count);
  gp__set_keys(&c, key_type, equal, keys);
  c.out_keys = out_keys;
  c.out2_type = length_type;
  c.out2 = lengths;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_nontrivial_runs(gp_context *ctx, gp_type key_type, gp_op equal, gp_type length_type,
                                           const void *keys, void *offsets, void *lengths, uint64_t *out_count,
                                           uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_NONTRIVIAL_RUNS, 0, 0, 0, NULL, offsets, count);
  gp__set_keys(&c, key_type, equal, keys);
  c.out2_type = length_type;
  c.out2 = lengths;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_count_runs(gp_context *ctx, gp_type key_type, gp_op equal, const void *keys,
                                      uint64_t *out_count, uint64_t count, gp_stream stream) {
  return gp_run_length_encode(ctx, key_type, equal, 0, keys, NULL, NULL, out_count, count, stream);
}
GPUPRIMS__API gp_result gp_unique(gp_context *ctx, gp_type type, gp_op equal, const void *in, void *out,
                                  uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_UNIQUE, 0, 0, 0, NULL, NULL, count);
  gp__set_keys(&c, type, equal, in);
  c.out_keys = out;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_unique_by_key(gp_context *ctx, gp_type key_type, gp_op equal, gp_type value_type,
                                         const void *keys, const void *values, void *out_keys, void *out,
                                         uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_UNIQUE, 0, value_type, 0, values, out, count);
  gp__set_keys(&c, key_type, equal, keys);
  c.out_keys = out_keys;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_adjacent_difference(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                               const void *in, void *out, uint64_t count, gp_stream stream) {
  const gp_call c = gp__call(GP_ADJACENT_DIFFERENCE, op, in_type, out_type, in, out, count);
  return gp_run(ctx, &c, stream);
}

// ---- selection

GPUPRIMS__API gp_result gp_select_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *out, uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, predicate, type, 0, in, out, count);
  c.init = scalar;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_select_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                        const void *flags, void *out, uint64_t *out_count, uint64_t count,
                                        gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, 0, type, 0, in, out, count);
  gp__set_keys(&c, flag_type, 0, flags);
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_partition(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *selected, void *rejected, uint64_t *out_counts, uint64_t count,
                                     gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, predicate, type, 0, in, selected, count);
  c.init = scalar;
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_partition_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                           const void *flags, void *selected, void *rejected, uint64_t *out_counts,
                                           uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, 0, type, 0, in, selected, count);
  gp__set_keys(&c, flag_type, 0, flags);
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_partition3(gp_context *ctx, gp_op first, gp_op second, gp_type type,
                                      const void *first_scalar, const void *second_scalar, const void *in, void *out1,
                                      void *out2, void *out3, uint64_t *out_counts, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, first, type, 0, in, out1, count);
  c.transform = second ? second : -1; // none: an error, not a partition in two
  c.init = first_scalar;
  c.step = second_scalar;
  c.out2 = out2;
  c.out3 = out3;
  c.out_count = out_counts;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_count_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                    uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_COUNT_IF, predicate, type, 0, in, NULL, count);
  c.init = scalar;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_any(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_ANY, predicate, type, 0, in, out, count);
  c.init = scalar;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_all(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_ALL, predicate, type, 0, in, out, count);
  c.init = scalar;
  return gp_run(ctx, &c, stream);
}

// ---- sorts

GPUPRIMS__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                      const void *values, void *out_keys, void *out_values, uint64_t count, int flags,
                                      gp_stream stream) {
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = key_type;
  c.in_type = value_type;
  c.keys = keys;
  c.in = values;
  c.out_keys = out_keys;
  c.out = out_values;
  c.count = count;
  c.flags = flags;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, void *out_keys,
                                     uint64_t count, int flags, gp_stream stream) {
  return gp_sort_pairs(ctx, key_type, GP_TYPE_DEFAULT, keys, NULL, out_keys, NULL, count, flags, stream);
}
GPUPRIMS__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
                                   void *out_keys, void *indices, uint64_t count, int flags, gp_stream stream) {
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = key_type;
  c.out_type = index_type;
  c.keys = keys;
  c.out_keys = out_keys;
  c.out = indices;
  c.count = count;
  c.flags = flags;
  return gp_run(ctx, &c, stream);
}

// ---- histograms and search

GPUPRIMS__API gp_result gp_histogram_even(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                          const void *lower, const void *upper, void *out, uint64_t bins,
                                          uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_EVEN, 0, type, counter_type, in, out, count);
  c.init = lower;
  c.step = upper;
  c.bins = bins;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_histogram_ranges(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                            const void *boundaries, void *out, uint64_t bins, uint64_t count,
                                            gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_RANGES, 0, type, counter_type, in, out, count);
  c.begin = boundaries;
  c.bins = bins;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_lower_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_LOWER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.length = length;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_upper_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_UPPER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.length = length;
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_load_balance(gp_context *ctx, gp_type offset_type, gp_type index_type, const void *offsets,
                                        uint64_t segments, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_LOAD_BALANCE, 0, 0, index_type, NULL, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp_run(ctx, &c, stream);
}
GPUPRIMS__API gp_result gp_check_offsets(gp_context *ctx, gp_type offset_type, const void *offsets, uint64_t segments,
                                         uint64_t count, uint64_t *bad, gp_stream stream) {
  gp_call c = gp__call(GP_CHECK_OFFSETS, 0, 0, 0, NULL, NULL, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  c.bad = bad;
  return gp_run(ctx, &c, stream);
}
#undef GPUPRIMS__CHECK

#endif // GPUPRIMS_IMPLEMENTATION
