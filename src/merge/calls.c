// merge/calls.c - calls by name: merge and merge sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/rules.h, core/messages.c, merge/kinds.c,
//   core/state.c, core/run.c, map/calls.c

// Two sorted inputs.
GP__HOST gp_call gp__two_sorted(gp_primitive primitive, gp_type key_type, gp_op less, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys) {
  gp_call c = gp__call(primitive, less, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.keys2 = keys2;
  c.count2 = count2;
  c.out_keys = out_keys;
  return c;
}
GP__HOST void gp__set_values(
    gp_call *c, gp_type value_type, const void *values, const void *values2, void *out_values) {
  c->in_type = value_type;
  c->in = values;
  c->in2 = values2;
  c->out = out_values;
}
GP__API gp_result gp_merge(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, gp_stream stream) {
  const gp_call c = gp__two_sorted(GP_MERGE, key_type, less, keys, count, keys2, count2, out_keys);
  return gp__named(gp_run(ctx, &c, stream), "gp_merge op=less");
}
GP__API gp_result gp_merge_sort_keys(
    gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count, void *out_keys, gp_stream stream) {
  const gp_call c = gp__two_sorted(GP_MERGE_SORT, key_type, less, keys, count, NULL, 0, out_keys);
  return gp__named(gp_run(ctx, &c, stream), "gp_merge_sort_keys op=less");
}
GP__API gp_result gp_merge_sort_pairs(gp_context *ctx, gp_op less, gp_type key_type, gp_type value_type,
    const void *keys, const void *values, uint64_t count, void *out_keys, void *out_values, gp_stream stream) {
  gp_call c = gp__two_sorted(GP_MERGE_SORT, key_type, less, keys, count, NULL, 0, out_keys);
  if (values) gp__set_values(&c, value_type, values, NULL, out_values);
  else c.out_type = value_type, c.out = out_values;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_merge_sort_pairs op=less in_type=value_type out_type=value_type in=values out=out_values");
}
