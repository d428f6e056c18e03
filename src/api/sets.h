// api/sets.h - sets
// uses: api/config.h, api/lists.h, api/context_types.h

// Sets: sorted inputs, in which keys may tie, as in the C++ standard. Of m keys of the first input and n of the
// second that tie with each other, the result has
//    union                  max(m, n): all of the first, then the last n - m of the second
//    intersection           min(m, n): the first of the first input
//    difference             max(m - n, 0): the last of the first input
//    symmetric difference   |m - n|: the last of the input that has more
// sorted. With values, each goes with its key; where none of the second input come out, it has none (values2 is not
// there). *out_count, in device memory, is the number of results; outputs have room for the most there can be: count +
// count2, the smaller of the two, count, count + count2. Inputs are read once; one launch, but with values or before
// compute capability 9.0 two (small inputs: one). Workspace: the words of a look-back; for two, 16 bytes a tile too.

GP__API gp_result gp_set_union(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_set_intersection(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_set_difference(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_set_symmetric_difference(gp_context *ctx, gp_op less, gp_type key_type, const void *keys,
    uint64_t count, const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream);
// *bad = the first i whose key comes before keys[i - 1]; UINT64_MAX: there is none, the keys are sorted. One launch,
// which ends early (api/find.h); reads the keys once at most.
GP__API gp_result gp_is_sorted(
    gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count, uint64_t *bad, gp_stream stream);
