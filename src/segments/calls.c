// segments/calls.c - calls by name: segments
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/rules.h, core/messages.c,
//   core/struct_size.c, segments/kinds.c, core/state.c, core/run.c, map/calls.c

#define GP__SEGMENT_NAMES \
  "offset_type=segments.offset_type begin=segments.begin end=segments.end segments=segments.count " \
  "segment_length=segments.length"
GP__HOST gp_result gp__run_segments(
    gp_context *ctx, gp_call *c, const gp_segments *segments, gp_stream stream, const char *names) {
  char who[40];
  gp_segments own;
  snprintf(who, sizeof who, "%.*s", (int)strcspn(names, " "), names);
  if (!segments) return gp__fail(GP_E_NULL, "%s: segments is null", who);
  GP__TAKE_STRUCT(who, "segments", segments, own, gp_segments);
  gp__set_segments(c, segments->offset_type, segments->begin, segments->count);
  c->end = segments->end;
  c->segment_length = segments->length;
  return gp__named(gp_run(ctx, c, stream), names);
}
GP__API gp_result gp_segmented_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, const gp_segments *segments, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_REDUCE, op, in_type, out_type, in, out, count);
  return gp__run_segments(ctx, &c, segments, stream, "gp_segmented_reduce " GP__SEGMENT_NAMES);
}
GP__API gp_result gp_segmented_inclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
    const void *in, uint64_t count, const gp_segments *segments, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_INCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  return gp__run_segments(ctx, &c, segments, stream, "gp_segmented_inclusive_scan " GP__SEGMENT_NAMES);
}
GP__API gp_result gp_segmented_exclusive_scan(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
    const void *init, const void *in, uint64_t count, const gp_segments *segments, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SEGMENTED_EXCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  c.init = init;
  return gp__run_segments(ctx, &c, segments, stream, "gp_segmented_exclusive_scan " GP__SEGMENT_NAMES);
}
