// api/segments.h - segments
// uses: api/config.h, api/lists.h, api/context_types.h

// Segments. Work is split by elements, not by segments: lengths may be anything. An empty segment gives the
// identity (scan: nothing). Offsets are i32, u32, i64 or u64, in device memory; they start anywhere, never decrease and
// never exceed count; GP_CHECKED (gp_call.flags) has them checked first (with `end` it is GP_E_ARGUMENT), otherwise the
// result of wrong ones is unspecified, and reads may leave the input.

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

// *bad = the first i in 0 .. segments whose offset is below the one before it or beyond count; UINT64_MAX: none.
GPUPRIMS__API gp_result gp_check_offsets(gp_context *ctx, gp_type offset_type, const void *offsets, uint64_t segments,
                                         uint64_t count, uint64_t *bad, gp_stream stream);
