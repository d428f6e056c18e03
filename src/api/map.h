// api/map.h - copy, batches of copies, fill, iota, transform, reverse
// uses: api/config.h, api/lists.h, api/context_types.h

// Moving data. Bytes moved: copy and transform read each input once and write each output once.

// out[i] = in[i], any type, structs included. Alignment of in and out may differ.
GPUPRIMS__API gp_result gp_copy(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out,
                                gp_stream stream);

// Copies `count` buffers: sizes[i] bytes from sources[i] to destinations[i]. The three arrays are in device memory, and
// so are the buffers, at any address; sources and destinations are arrays of pointers. size_type: u32 or u64, or i32 or
// i64 without negative sizes. A size may be 0; the buffer's pointers are then not used. Sources may overlap each other.
// A destination overlaps no other buffer, no source, and none of the arrays; nobody checks that. count < 2^36.
// gp_call.count_device may lower the count. One launch, whatever the sizes: small buffers are shared by warps, large
// ones by blocks, and a look-back over the sizes makes equal shares. Moves each byte twice, and reads the arrays once;
// those of buffers that blocks share are read again.
GPUPRIMS__API gp_result gp_copy_batch(gp_context *ctx, gp_type size_type, const void *sources, const void *destinations,
                                      const void *sizes, uint64_t count, gp_stream stream);

// out[i] = *value; value in host memory, read during the call.
GPUPRIMS__API gp_result gp_fill(gp_context *ctx, gp_type type, const void *value, void *out, uint64_t count,
                                gp_stream stream);

// out[i] = *start + i * *step (arithmetic of the type; f16 and bf16 through f32). NULL: 0 and 1. Built-in types.
GPUPRIMS__API gp_result gp_iota(gp_context *ctx, gp_type type, const void *start, const void *step, void *out,
                                uint64_t count, gp_stream stream);

// out[i] = op(in[i]).
GPUPRIMS__API gp_result gp_transform(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
                                     uint64_t count, void *out, gp_stream stream);

// out[i] = op(a[i], b[i]); both operands are converted to out_type first where op is built in.
GPUPRIMS__API gp_result gp_transform2(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *a,
                                      const void *b, uint64_t count, void *out, gp_stream stream);

// out[i] = in[count - 1 - i], any type, structs included. Alignment of in and out may differ. Runs in place, fastest
// where both ends of the array are aligned to 16 bytes.
GPUPRIMS__API gp_result gp_reverse(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out,
                                   gp_stream stream);
