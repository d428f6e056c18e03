// sort/calls.c - calls by name: radix sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SORT, GP_OP_DEFAULT, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.flags = flags;
  return gp__named(
      gp_run(ctx, &c, stream), "gp_sort_pairs in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_sort_keys(
    gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, void *out_keys, int flags, gp_stream stream) {
  return gp__named(
      gp_sort_pairs(ctx, key_type, GP_TYPE_DEFAULT, keys, NULL, count, out_keys, NULL, flags, stream), "gp_sort_keys");
}
GP__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys, uint64_t count,
    void *out_keys, void *indices, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SORT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, index_type, NULL, indices, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_argsort out_type=index_type out=indices");
}
