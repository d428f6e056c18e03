// api/reduce.h - reduce
// uses: api/config.h, api/lists.h, api/context_types.h

// Reduce (Harris, Optimizing Parallel Reduction in CUDA; one launch: the block that starts last combines).

// *out = in[0] op in[1] op ... ; the identity where count is 0. Elements are converted to the accumulator's type as
// they are loaded: gp_reduce(ctx, GP_SUM, GP_U8, GP_U64, ...) sums bytes into 64 bits. Reads count * size bytes.
GP__API gp_result gp_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);
