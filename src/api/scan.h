// api/scan.h - scan
// uses: api/config.h, api/lists.h, api/context_types.h

// Scan (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back).

// out[i] = in[0] op ... op in[i]. One launch, 2 * count elements moved.
GP__API gp_result gp_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);

// out[i] = *init op in[0] op ... op in[i - 1]; init in host memory, of the accumulator's type; NULL: the identity. AND
// and OR: out[0] is 1 where *init is not zero, otherwise 0.
GP__API gp_result gp_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *init,
    const void *in, uint64_t count, void *out, gp_stream stream);
