// api/sort.h - radix sort
// uses: api/config.h, api/lists.h, api/context_types.h

// out_keys = the keys in order.
GPUPRIMS__API gp_result gp_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, void *out_keys,
                                     uint64_t count, int flags, gp_stream stream);

// The same, and values move with their keys: any type.
GPUPRIMS__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                      const void *values, void *out_keys, void *out_values, uint64_t count, int flags,
                                      gp_stream stream);

// indices[i] = where the key stands that comes i-th. index_type: u32 or u64. out_keys: the keys in order, or NULL.
GPUPRIMS__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
                                   void *out_keys, void *indices, uint64_t count, int flags, gp_stream stream);
