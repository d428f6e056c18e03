// api/merge.h - merge and merge sort
// uses: api/config.h, api/lists.h, api/context_types.h

// Merge (Green, Odeh and Birk, Merge Path). less: 0 or GP_LESS, GP_GREATER, or a user's binary operator that says
// whether its first operand comes before its second: a strict weak order, in which inputs are sorted. Keys and values
// of any type. Outputs overlap nothing. Floats compare as in C, so that -0 and +0 tie; there may be no NaN.

// All of keys[0 .. count) and keys2[0 .. count2), sorted; of keys that tie those of the first input come first, and
// keys of one input keep their order. With values, each goes with its key. One launch; everything is read once and
// written once.
GP__API gp_result gp_merge(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, gp_stream stream);

// out_keys = keys, sorted by any order; stable. out_keys may be keys, out_values may be values. values NULL, value_type
// u32 or u64: out_values[i] is the index in keys of out_keys[i]. Tiles are sorted on chip; then passes, each of which
// reads and writes everything once, make one run of four: log2(count / tile) / 2 of them (GP_MERGE_PASSES: one of two,
// twice as many). Workspace, where there is more than one tile: keys and values once more, and 32 bytes a tile where
// tiles are many. Integers in a built-in order, and 32 Ki floats or more on a device, are sorted as gp_sort_keys and
// gp_sort_pairs do it, -0 and +0 being equal, which is faster and has the same result (NaNs, of which a comparison says
// nothing, by their bits); a policy with GP_MERGE_PASSES or GP_FOUR_WAY_PASSES has them merged all the same.
GP__API gp_result gp_merge_sort_keys(
    gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count, void *out_keys, gp_stream stream);
GP__API gp_result gp_merge_sort_pairs(gp_context *ctx, gp_op less, gp_type key_type, gp_type value_type,
    const void *keys, const void *values, uint64_t count, void *out_keys, void *out_values, gp_stream stream);
