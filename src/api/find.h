// api/find.h - the first element with a property
// uses: api/config.h, api/lists.h, api/context_types.h

// Searches for the first element. One launch; what was read before is read no more: no block begins a tile after a
// known hit, so a hit at 1 % of the input costs about 1 % of a whole read, and the tiles that are under way. gp_any,
// gp_all and gp_is_sorted end early likewise. The index is that of the first hit in every schedule. Results go to
// device memory. Reads count * size bytes at most, of each input; workspace: a word a block; none for one block.

// *out_index = the index of the first element for which the predicate holds; count if there is none (with
// gp_call.count_device: the number of elements processed). predicate and scalar are those of gp_count_if.
GP__API gp_result gp_find_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_index, gp_stream stream);

// *out_index = the first i with a[i] and b[i] not equal; count if there is none. equal: 0 or GP_EQUAL, which is == of
// the type (a NaN differs from every value, -0 equals +0), GP_NOT_EQUAL, or a user's binary operator (true: not zero).
// Elements of any type; struct types need an operator. a may be b, and may overlap it.
GP__API gp_result gp_mismatch(gp_context *ctx, gp_op equal, gp_type type, const void *a, const void *b, uint64_t count,
    uint64_t *out_index, gp_stream stream);

// *out = 1 if equal holds for a[i] and b[i] at every i < count (of none: 1), otherwise 0: one byte.
GP__API gp_result gp_equal_arrays(gp_context *ctx, gp_op equal, gp_type type, const void *a, const void *b,
    uint64_t count, uint8_t *out, gp_stream stream);

// *out_index = the first i for which equal holds for in[i] and in[i + 1]; count if there is none.
GP__API gp_result gp_adjacent_find(
    gp_context *ctx, gp_op equal, gp_type type, const void *in, uint64_t count, uint64_t *out_index, gp_stream stream);

// *out = -1, 0 or 1: a is lexicographically below b, equal to it, or above it. less: 0 or GP_LESS (GP_GREATER for the
// opposite order), or a user's binary operator; elements are equal where neither is less. An array that is the other's
// beginning is below it. out: an int32_t.
GP__API gp_result gp_lexicographic(gp_context *ctx, gp_op less, gp_type type, const void *a, uint64_t count_a,
    const void *b, uint64_t count_b, int32_t *out, gp_stream stream);

// *out = 1 if no element for which the predicate holds comes after one for which it does not, otherwise 0: one byte.
GP__API gp_result gp_is_partitioned(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream);

// *out_index = the number of elements for which the predicate holds, if they all come first: a binary search by one
// block, three or four rounds of reads. Of other inputs it is some place after a hit, or 0, with none behind, or count.
GP__API gp_result gp_partition_point(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_index, gp_stream stream);
