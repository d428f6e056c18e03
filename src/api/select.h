// api/select.h - selection, partition, and what counts
// uses: api/config.h, api/lists.h, api/context_types.h

// Selection. predicate: a comparison (GP_LESS: the element is less than *scalar; scalar in host memory, read
// during the call, of the element's type), or a user's unary operator, true where not zero (scalar is then NULL).
// Elements of any type keep their order, on every side. Numbers go to device memory. One launch; everything is read
// once and written once; nothing is written after the results.

GP__API gp_result gp_select_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, void *out, uint64_t *out_count, gp_stream stream);

// Elements whose flag (bool or an integer of 1, 2 or 4 bytes) is not zero.
GP__API gp_result gp_select_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in, const void *flags,
    uint64_t count, void *out, uint64_t *out_count, gp_stream stream);

// The elements whose counterparts in `stencil`, an array of another type, satisfy the predicate; scalar is of that
// type. in may be described (GP_INPUT): then only the selected elements are made, where they are written.
GP__API gp_result gp_select_stencil(gp_context *ctx, gp_op predicate, gp_type stencil_type, gp_type type,
    const void *scalar, const void *stencil, const void *in, uint64_t count, void *out, uint64_t *out_count,
    gp_stream stream);

// The indices of the elements that satisfy the predicate, in order. index_type: i32, u32, i64 or u64,
// wide enough for count.
GP__API gp_result gp_select_indices(gp_context *ctx, gp_op predicate, gp_type type, gp_type index_type,
    const void *scalar, const void *in, uint64_t count, void *out_indices, uint64_t *out_count, gp_stream stream);

// Two parts: the selected elements and the others; out_counts[0] and out_counts[1] are their numbers. Each output has
// room for as many elements as may go there. Three parts, by gp_call: out3, and predicate2 with scalar2, which divides
// the elements that `op` leaves. A stencil, by gp_call: keys and key_type with a predicate.
GP__API gp_result gp_partition(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, void *selected, void *rejected, uint64_t *out_counts, gp_stream stream);
GP__API gp_result gp_partition_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
    const void *flags, uint64_t count, void *selected, void *rejected, uint64_t *out_counts, gp_stream stream);

// How many elements satisfy the predicate; whether any does, whether all do (one byte, 1 or 0; of none: 0 and 1). The
// latter two end early (api/find.h).
GP__API gp_result gp_count_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_any(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream);
GP__API gp_result gp_all(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream);
