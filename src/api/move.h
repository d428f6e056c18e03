// api/move.h - copy, fill, iota, transform; reduce; scan
// uses: api/config.h, api/lists.h, api/context_types.h

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

// out[i] = *init op in[0] op ... op in[i - 1]; init in host memory, of the accumulator's type; NULL: the identity. AND
// and OR: out[0] is 1 where *init is not zero, otherwise 0.
GPUPRIMS__API gp_result gp_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                          const void *init, const void *in, void *out, uint64_t count,
                                          gp_stream stream);
