// api/runs.h - runs: neighbours whose keys are equal
// uses: api/config.h, api/lists.h, api/context_types.h

// Runs: neighbours whose keys are equal. equal: 0 or GP_EQUAL; GP_NOT_EQUAL; a user's binary operator, true where
// the second key belongs to the run of the first (its neighbour); GP_HEADS: the keys are flags (i8 ... u32), and one
// that is not zero starts a run. Keys of any type. Floats compare as in C: every NaN is a run of its own, -0 equals +0.
// Results are compacted, in order; their number goes to *out_count in device memory. One launch, everything is read
// once and written once. Outputs have room for `count` elements, where nothing else is said; what lies behind the
// results is not written.

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

// The same of keys in any order: out_keys[g] = the g-th smallest of the keys that there are, out[g] = the reduction of
// all values that have it, in the order of the input; *out_count = how many keys there are. Keys are of a built-in
// type, and equal where their bits are: floats in IEEE 754 total order, so that -0 and 0, and NaNs with other payloads,
// are groups of their own. out_keys may be NULL, and out the same as in where element sizes are equal. Any operator but
// ARGMIN and ARGMAX. The same bits in every call.
// Algorithm: a radix sort of pairs, then gp_reduce_by_key, through keys and values in the workspace (count times their
// sizes, besides what the sort needs). Where the result does not depend on the order (integers, MIN, MAX; accumulators
// of 4 and 8 bytes) and there are 2^20 elements and more, blocks first try to fold their shares of the input in tables
// of 2048 slots in shared memory, so that everything is read once, and only what is in the tables is sorted; which way
// is gone is decided on the device, by the number of different keys. Launches: those of the sort, and one; with tables
// those of two sorts, of which one finds nothing to do, and five.
GPUPRIMS__API gp_result gp_group_by(gp_context *ctx, gp_op op, gp_type key_type, gp_type in_type, gp_type out_type,
                                    const void *keys, const void *in, void *out_keys, void *out, uint64_t *out_count,
                                    uint64_t count, gp_stream stream);

// out_keys[r] = the first key of run r, lengths[r] = its length, in length_type (either may be NULL).
GPUPRIMS__API gp_result gp_run_length_encode(gp_context *ctx, gp_type key_type, gp_op equal, gp_type length_type,
                                             const void *keys, void *out_keys, void *lengths, uint64_t *out_count,
                                             uint64_t count, gp_stream stream);

// Writes the first index and the length of each run of two elements or more (both of length_type). Outputs
// have room for count / 2 of them, rounded up.
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
