// sets/calls.c - calls by name: sets; whether keys are sorted
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/rules.h, core/messages.c, core/state.c,
//   core/run.c, map/calls.c, merge/calls.c

GP__HOST gp_result gp__run_set(gp_context *ctx, gp_call c, uint64_t *out_count, gp_stream stream, const char *names) {
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), names);
}
GP__API gp_result gp_set_union(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream) {
  return gp__run_set(ctx, gp__two_sorted(GP_SET_UNION, key_type, less, keys, count, keys2, count2, out_keys), out_count,
      stream, "gp_set_union op=less");
}
GP__API gp_result gp_set_intersection(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream) {
  return gp__run_set(ctx, gp__two_sorted(GP_SET_INTERSECTION, key_type, less, keys, count, keys2, count2, out_keys),
      out_count, stream, "gp_set_intersection op=less");
}
GP__API gp_result gp_set_difference(gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count,
    const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream) {
  return gp__run_set(ctx, gp__two_sorted(GP_SET_DIFFERENCE, key_type, less, keys, count, keys2, count2, out_keys),
      out_count, stream, "gp_set_difference op=less");
}
GP__API gp_result gp_set_symmetric_difference(gp_context *ctx, gp_op less, gp_type key_type, const void *keys,
    uint64_t count, const void *keys2, uint64_t count2, void *out_keys, uint64_t *out_count, gp_stream stream) {
  return gp__run_set(ctx,
      gp__two_sorted(GP_SET_SYMMETRIC_DIFFERENCE, key_type, less, keys, count, keys2, count2, out_keys), out_count,
      stream, "gp_set_symmetric_difference op=less");
}
GP__API gp_result gp_is_sorted(
    gp_context *ctx, gp_op less, gp_type key_type, const void *keys, uint64_t count, uint64_t *bad, gp_stream stream) {
  gp_call c = gp__call(GP_IS_SORTED, less, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.out_count = bad;
  return gp__named(gp_run(ctx, &c, stream), "gp_is_sorted op=less out_count=bad");
}
