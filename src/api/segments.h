// api/segments.h - segments
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Segments (gp_segments). Blocks share the elements, not the segments, so lengths may differ as they like. An empty
// segment gives the identity (scan: nothing). GP_CHECKED (gp_call.flags) checks the offsets first; GP_E_ARGUMENT
// together with `end`. Without it, wrong offsets give unspecified results, and reads may leave the input.

// out[i] = in[begin[i]] op ... op in[end[i] - 1] for each segment. Segments with `end` may overlap, have any order and
// leave elements out. in: `count` elements; segments of one length: segments->count * segments->length of them. One
// launch (with `end` two, unless the call is small); reads the elements and the offsets once. in may be described
// (GP_INPUT): of products, it is a sparse matrix times a vector. (Merrill and Garland,
// Merge-based Parallel Sparse Matrix-vector Multiplication.) The same bits from call to call on one device and policy.
GP__API gp_result gp_segmented_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, const gp_segments *segments, void *out, gp_stream stream);

// A scan that restarts at each segment. Takes offsets without `end`. Elements before the first offset and after the
// last form segments of their own. One launch; moves 2 * count elements and the offsets.
GP__API gp_result gp_segmented_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
    const void *in, uint64_t count, const gp_segments *segments, void *out, gp_stream stream);
GP__API gp_result gp_segmented_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
    const void *init, const void *in, uint64_t count, const gp_segments *segments, void *out, gp_stream stream);

// *bad = the first i in 0 .. segments whose offset is below the one before it or beyond count; UINT64_MAX: none.
GP__API gp_result gp_check_offsets(gp_context *ctx, gp_type offset_type, const void *offsets, uint64_t segments,
    uint64_t count, uint64_t *bad, gp_stream stream);
