// segmented_sort/calls.c - calls by name: segmented sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/state.c, map/calls.c,
//   segments/calls.c

GP__API gp_result gp_segmented_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, const gp_segments *segments, void *out_keys, void *out_values, int flags,
    gp_stream stream) {
  gp_call c = gp__call(
      GP_SEGMENTED_SORT, GP_OP_DEFAULT, values ? value_type : GP_TYPE_DEFAULT, value_type, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.flags = flags;
  return gp__run_segments(ctx, &c, segments, stream,
      "gp_segmented_sort_pairs in=values in_type=value_type out=out_values "
      "out_type=value_type " GP__SEGMENT_NAMES);
}
GP__API gp_result gp_segmented_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_segments *segments, void *out_keys, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_SORT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.flags = flags;
  return gp__run_segments(ctx, &c, segments, stream, "gp_segmented_sort_keys " GP__SEGMENT_NAMES);
}
