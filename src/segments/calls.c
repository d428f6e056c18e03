// segments/calls.c - calls by name: segments
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, segments/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GPUPRIMS__API gp_result gp_segmented_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                            gp_type offset_type, const void *in, uint64_t count, const void *begin,
                                            const void *end, uint64_t segments, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_REDUCE, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, begin, segments);
  c.end = end;
  return gp__named(gp_run(ctx, &c, stream), "gp_segmented_reduce");
}
GPUPRIMS__API gp_result gp_segmented_reduce_fixed(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                  const void *in, uint64_t segments, uint64_t length, void *out,
                                                  gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_REDUCE, op, in_type, out_type, in, out, 0);
  c.segments = segments;
  c.length = length;
  return gp__named(gp_run(ctx, &c, stream), "gp_segmented_reduce_fixed");
}
GPUPRIMS__API gp_result gp_segmented_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *in, void *out, uint64_t count,
                                                    const void *offsets, uint64_t segments, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_INCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp__named(gp_run(ctx, &c, stream), "gp_segmented_inclusive_scan begin=offsets");
}
GPUPRIMS__API gp_result gp_segmented_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                                    gp_type offset_type, const void *init, const void *in, void *out,
                                                    uint64_t count, const void *offsets, uint64_t segments,
                                                    gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_EXCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  c.init = init;
  return gp__named(gp_run(ctx, &c, stream), "gp_segmented_exclusive_scan begin=offsets");
}
