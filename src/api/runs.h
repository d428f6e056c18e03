// api/runs.h - runs: neighbours whose keys are equal
// uses: api/config.h, api/lists.h, api/context_types.h

// Runs: neighbours whose keys are equal. Keys are of any type and compare with ==: every NaN is a run of its own, and
// -0 equals +0. gp_call.equal compares otherwise: GP_NOT_EQUAL; a user's binary operator, true where its second
// operand, a key, belongs to the run of its first, the key before it; GP_HEADS, where keys are flags (i8 ... u32) and
// one that is not zero starts a run. Results are compacted, in order; *out_count, in device memory, is their number.
// One launch; everything is read once and written once. Outputs have room for `count` elements unless stated otherwise;
// elements after the results are not written. Values and results have one type here; gp_call has in_type, acc_type and
// out_type.

// out_values[i] = the scan of values over the run of i, up to i. init: as in gp_exclusive_scan, for each run.
GP__API gp_result gp_inclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type,
    const void *keys, const void *values, uint64_t count, void *out_values, gp_stream stream);
GP__API gp_result gp_exclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type,
    const void *init, const void *keys, const void *values, uint64_t count, void *out_values, gp_stream stream);

// out_values[r] = the reduction of the values of run r, out_keys[r] = its first key (out_keys may be NULL).
GP__API gp_result gp_reduce_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream);

// Reduces by keys in any order: out_keys[g] = the g-th smallest distinct key, out_values[g] = the reduction of all its
// values in the order of the input; *out_count = the number of distinct keys. Keys are of a built-in type, and equal
// where their bits are: floats sort in IEEE 754 total order, so -0 and 0, and NaNs with other payloads, are groups of
// their own. out_keys may be NULL; out_values may be `values`. Any operator but ARGMIN and ARGMAX. The same bits in
// every call; with GP_REPRODUCIBLE on every device. With GP_UNSORTED or GP_FASTEST (gp_call.flags) groups come in any
// order where tables fold them.
// Algorithm: a radix sort of pairs, then gp_reduce_by_key, through keys and values in the workspace (count times their
// sizes, and what the sort needs). Where the result does not depend on the order (integers, MIN, MAX; accumulators
// of 4 and 8 bytes) and count is 2^19 or more (keys of up to 4 bytes: 2^21), blocks first fold what they read in tables
// in shared memory and, what finds no place there, in one of up to 2^21 slots in the workspace. Only the groups' keys
// are then sorted. If that table gets too full, above two thirds, the device takes the other way. Launches: those of
// the sort, and one; with tables those of two sorts, one of which has nothing to do, and five.
GP__API gp_result gp_group_by(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream);

// out_keys[r] = the first key of run r, lengths[r] = its length, in length_type (either may be NULL).
GP__API gp_result gp_run_length_encode(gp_context *ctx, gp_type key_type, gp_type length_type, const void *keys,
    uint64_t count, void *out_keys, void *lengths, uint64_t *out_count, gp_stream stream);

// The inverse: values[r] lengths[r] times, for each run r in turn; any type, structs included. lengths: one a run, of
// type i32, u32, i64 or u64; none is negative, any may be 0. out has room for `count` elements; results beyond these
// are not written. *out_count, in device memory, is the sum of the lengths, whatever the room. gp_call.count_device may
// lower the room. Two launches: a scan of the lengths, whose workspace is 8 bytes for 128 runs, and gp_expand.
GP__API gp_result gp_run_length_expand(gp_context *ctx, gp_type type, gp_type length_type, const void *values,
    const void *lengths, uint64_t runs, void *out, uint64_t count, uint64_t *out_count, gp_stream stream);

// out[i] = values[the segment of element i], by offsets as for gp_segmented_reduce; offsets[0] is 0. Elements from the
// last offset on are not written, nor are those from `count` on. GP_CHECKED, by gp_run, has the offsets checked, but
// for the first one. One launch, each output written once, by 16-byte stores; skewed lengths cost nothing.
GP__API gp_result gp_expand(gp_context *ctx, gp_type type, gp_type offset_type, const void *values, const void *offsets,
    uint64_t segments, void *out, uint64_t count, gp_stream stream);

// Writes the first index and the length of each run of two elements or more (both of length_type). Outputs have room
// for count / 2 of them, rounded up.
GP__API gp_result gp_nontrivial_runs(gp_context *ctx, gp_type key_type, gp_type length_type, const void *keys,
    uint64_t count, void *offsets, void *lengths, uint64_t *out_count, gp_stream stream);

// *out_count = the number of runs.
GP__API gp_result gp_count_runs(
    gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, uint64_t *out_count, gp_stream stream);

// The first element of each run; by key: the first key of each run and its value. gp_call.columns: further values, up
// to 64 columns of built-in types; out: room for `count`. reduce_by_key takes them too: its operator, a built-in one,
// folds each in its own type. Each column is a call that reads the keys again, so keys are not in place.
GP__API gp_result gp_unique(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_unique_by_key(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream);

// out[0] = in[0], out[i] = op(in[i], in[i - 1]); op is GP_SUB, or a binary operator as in gp_transform2. With GP_RIGHT
// (gp_call.flags): out[i] = op(in[i], in[i + 1]), and the last element is copied.
GP__API gp_result gp_adjacent_difference(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);
