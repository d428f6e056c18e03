// segmented_sort/calls.c - calls by name: segmented sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, api/segmented_sort.h, core/messages.c,
//   core/state.c, core/run.c, map/calls.c

GPUPRIMS__API gp_result gp_segmented_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, void *out_keys,
                                               uint64_t count, gp_type offset_type, const void *begin, const void *end,
                                               uint64_t segments, int flags, gp_stream stream) {
  return gp__named(gp_segmented_sort_pairs(ctx, key_type, GP_TYPE_DEFAULT, keys, out_keys, NULL, NULL, count,
                                           offset_type, begin, end, segments, flags, stream),
                   "gp_segmented_sort_keys");
}
GPUPRIMS__API gp_result gp_segmented_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                                void *out_keys, const void *values, void *out_values, uint64_t count,
                                                gp_type offset_type, const void *begin, const void *end,
                                                uint64_t segments, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_SORT, GP_OP_DEFAULT, values ? value_type : GP_TYPE_DEFAULT, value_type, values,
                       out_values, count);
  gp__set_keys(&c, key_type, GP_OP_DEFAULT, keys);
  gp__set_segments(&c, offset_type, begin, segments);
  c.out_keys = out_keys;
  c.end = end;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream),
                   "gp_segmented_sort_pairs in=values in_type=value_type out=out_values out_type=value_type");
}
