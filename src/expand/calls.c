// expand/calls.c - calls by name: expansions
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_run_length_expand(gp_context *ctx, gp_type type, gp_type length_type, const void *values,
    const void *lengths, uint64_t runs, void *out, uint64_t count, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_RUN_LENGTH_EXPAND, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, values, out, count);
  gp__set_segments(&c, length_type, lengths, runs);
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_run_length_expand in_type=type in=values offset_type=length_type begin=lengths segments=runs");
}
GP__API gp_result gp_expand(gp_context *ctx, gp_type type, gp_type offset_type, const void *values, const void *offsets,
    uint64_t segments, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_EXPAND, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, values, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp__named(gp_run(ctx, &c, stream), "gp_expand in_type=type in=values begin=offsets");
}
