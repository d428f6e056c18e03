// api/map.h - copy, batches of copies, fill, iota, transform, reverse, scatter, gather
// uses: api/config.h, api/lists.h, api/context_types.h

// Moving data. Bytes moved: copy and transform read each input once and write each output once.

// out[i] = in[i], any type, structs included. Alignment of in and out may differ.
GP__API gp_result gp_copy(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, gp_stream stream);

// Copies `count` buffers: sizes[i] bytes from sources[i] to destinations[i]. The three arrays are in device memory, and
// so are the buffers, at any address; sources and destinations are arrays of pointers. size_type: u32 or u64, or i32 or
// i64 without negative sizes. A size may be 0; the buffer's pointers are then not used. Sources may overlap each other.
// A destination overlaps no other buffer, no source, and none of the arrays; nobody checks that. count < 2^36.
// gp_call.count_device may lower the count. One launch, whatever the sizes: small buffers are shared by warps, large
// ones by blocks, and a look-back over the sizes makes equal shares. Moves each byte twice, and reads the arrays once;
// those of buffers that blocks share are read again.
GP__API gp_result gp_copy_batch(gp_context *ctx, gp_type size_type, const void *sources, const void *destinations,
    const void *sizes, uint64_t count, gp_stream stream);

// out[i] = *value; value in host memory, read during the call.
GP__API gp_result gp_fill(
    gp_context *ctx, gp_type type, const void *value, void *out, uint64_t count, gp_stream stream);

// out[i] = *start + i * *step (arithmetic of the type; f16 and bf16 through f32). NULL: 0 and 1. Built-in types.
GP__API gp_result gp_iota(
    gp_context *ctx, gp_type type, const void *start, const void *step, void *out, uint64_t count, gp_stream stream);

// out[i] = op(in[i]).
GP__API gp_result gp_transform(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);

// out[i] = op(a[i], b[i]); both operands are converted to out_type first where op is built in.
GP__API gp_result gp_transform2(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *a,
    const void *b, uint64_t count, void *out, gp_stream stream);

// out[i] = in[count - 1 - i], any type, structs included. Alignment of in and out may differ. Runs in place, fastest
// where both ends of the array are aligned to 16 bytes.
GP__API gp_result gp_reverse(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, gp_stream stream);

// out[index[i]] = in[i] for i < count. type: any, or GP_INPUT; index_type: i32, u32, i64 or u64, or GP_INPUT. out has
// out_elements elements; an index that is negative, or not below out_elements, writes nothing. Of elements with equal
// indices one is left, nobody knows which; of structs, parts of several may be. out overlaps no input.
GP__API gp_result gp_scatter(gp_context *ctx, gp_type type, gp_type index_type, const void *in, const void *index,
    uint64_t count, void *out, uint64_t out_elements, gp_stream stream);

// The same of the elements whose flag, of 1, 2 or 4 bytes, is not zero: scatter_if. in[i] and index[i] of others are
// not used. gp_call (scatter) takes a predicate in its place: `op`, `scalar`, and `keys` of any type.
GP__API gp_result gp_scatter_flags(gp_context *ctx, gp_type type, gp_type index_type, gp_type flag_type, const void *in,
    const void *index, const void *flags, uint64_t count, void *out, uint64_t out_elements, gp_stream stream);

// out[i] = from[index[i]], any type. index_type: i32, u32, i64 or u64, or GP_INPUT. from has from_elements elements; an
// index that is negative, or not below from_elements, leaves out[i] as it is. out overlaps no input.
GP__API gp_result gp_gather(gp_context *ctx, gp_type type, gp_type index_type, const void *from, uint64_t from_elements,
    const void *index, uint64_t count, void *out, gp_stream stream);

// The same where a flag is not zero (gp_scatter_flags): gather_if. Other elements of out stay. out may be the flags, if
// their elements have one size.
GP__API gp_result gp_gather_flags(gp_context *ctx, gp_type type, gp_type index_type, gp_type flag_type,
    const void *from, uint64_t from_elements, const void *index, const void *flags, uint64_t count, void *out,
    gp_stream stream);

// out[i] = op(in[i]) where in[i] meets the predicate (of gp_count_if); other elements of out stay. Runs in place where
// element sizes are equal: modify_if. gp_call (scatter without in2; `transform`) takes the predicate of other elements.
GP__API gp_result gp_transform_if(gp_context *ctx, gp_op op, gp_op predicate, gp_type in_type, gp_type out_type,
    const void *scalar, const void *in, uint64_t count, void *out, gp_stream stream);

// out[i] = *new_value where in[i] meets the predicate (of gp_count_if; GP_EQUAL replaces *scalar), otherwise in[i]. Any
// type; both values are in host memory and are read during the call. Runs in place.
GP__API gp_result gp_replace_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar,
    const void *new_value, const void *in, uint64_t count, void *out, gp_stream stream);

// a[i] and b[i] change places, any type. a and b do not overlap.
GP__API gp_result gp_swap(gp_context *ctx, gp_type type, void *a, void *b, uint64_t count, gp_stream stream);

// Rotates in place: data[i] = data[(i + first) % count], first <= count; element `first` comes to the front. Any type.
// Three reversals, which move each element twice and need no memory. Out of place: two copies.
GP__API gp_result gp_rotate(
    gp_context *ctx, gp_type type, void *data, uint64_t count, uint64_t first, gp_stream stream);

// Moves elements in place by so many places, towards the start, or with GP_RIGHT (flags; otherwise 0) towards the end:
// data[i] = data[i + by] where both are in the array. The places that become free get the elements that left, in no
// promised order. Two reversals.
GP__API gp_result gp_shift(
    gp_context *ctx, gp_type type, void *data, uint64_t count, uint64_t by, int flags, gp_stream stream);
