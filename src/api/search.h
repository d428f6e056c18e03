// api/search.h - search
// uses: api/config.h, api/lists.h, api/context_types.h

// out[i] = the first position of sorted[0 .. sorted_count) whose element is not less than needles[i] (upper_bound: is
// greater than it); sorted_count where there is none. less: 0 or GP_LESS, or a user's binary operator that orders two
// elements. index_type: u32 or u64. sorted_count < 2^63. Reads log2(sorted_count) elements a needle; sorted needles
// find them in caches. 2^18 needles and more in 128 KiB and more search a sample first (workspace: 1 / 8 of the array).
GP__API gp_result gp_lower_bound(gp_context *ctx, gp_op less, gp_type type, gp_type index_type, const void *sorted,
    uint64_t sorted_count, const void *needles, uint64_t count, void *out, gp_stream stream);
GP__API gp_result gp_upper_bound(gp_context *ctx, gp_op less, gp_type type, gp_type index_type, const void *sorted,
    uint64_t sorted_count, const void *needles, uint64_t count, void *out, gp_stream stream);

// Load-balancing search: out[i] = the segment of element i, for i < count; offsets as for gp_segmented_reduce, and
// offsets[0] is 0. GP_CHECKED, by gp_run, has them checked, but for the first one. (Baxter, Modern GPU; Green, McColl
// and Bader, GPU Merge Path.) One launch, each output written once.
GP__API gp_result gp_load_balance(gp_context *ctx, gp_type offset_type, gp_type index_type, const void *offsets,
    uint64_t segments, void *out, uint64_t count, gp_stream stream);
