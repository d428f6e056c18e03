// search/calls.c - calls by name: search
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, search/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GP__API gp_result gp_lower_bound(gp_context *ctx, gp_op less, gp_type type, gp_type index_type, const void *sorted,
    uint64_t sorted_count, const void *needles, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_LOWER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.key_count = sorted_count;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_lower_bound in_type=type out_type=index_type op=less keys=sorted in=needles key_count=sorted_count");
}
GP__API gp_result gp_upper_bound(gp_context *ctx, gp_op less, gp_type type, gp_type index_type, const void *sorted,
    uint64_t sorted_count, const void *needles, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_UPPER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.key_count = sorted_count;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_upper_bound in_type=type out_type=index_type op=less keys=sorted in=needles key_count=sorted_count");
}
GP__API gp_result gp_load_balance(gp_context *ctx, gp_type offset_type, gp_type index_type, const void *offsets,
    uint64_t segments, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_LOAD_BALANCE, GP_OP_DEFAULT, GP_TYPE_DEFAULT, index_type, NULL, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp__named(gp_run(ctx, &c, stream), "gp_load_balance out_type=index_type begin=offsets");
}

GP__API gp_result gp_check_offsets(gp_context *ctx, gp_type offset_type, const void *offsets, uint64_t segments,
    uint64_t count, uint64_t *bad, gp_stream stream) {
  gp_call c = gp__call(GP_CHECK_OFFSETS, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  c.bad = bad;
  return gp__named(gp_run(ctx, &c, stream), "gp_check_offsets begin=offsets");
}
