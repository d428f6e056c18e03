// search/calls.c - calls by name: histograms and search
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/kinds.c, core/state.c,
//   core/run.c, map/calls.c

// ---- histograms and search

GPUPRIMS__API gp_result gp_histogram_even(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                          const void *lower, const void *upper, void *out, uint64_t bins,
                                          uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_EVEN, 0, type, counter_type, in, out, count);
  c.init = lower;
  c.step = upper;
  c.bins = bins;
  return gp__named(gp_run(ctx, &c, stream),
                   "gp_histogram_even in_type=type out_type=counter_type init=lower step=upper");
}
GPUPRIMS__API gp_result gp_histogram_ranges(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
                                            const void *boundaries, void *out, uint64_t bins, uint64_t count,
                                            gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_RANGES, 0, type, counter_type, in, out, count);
  c.begin = boundaries;
  c.bins = bins;
  return gp__named(gp_run(ctx, &c, stream), "gp_histogram_ranges in_type=type out_type=counter_type begin=boundaries");
}
GPUPRIMS__API gp_result gp_lower_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_LOWER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.length = length;
  return gp__named(gp_run(ctx, &c, stream),
                   "gp_lower_bound in_type=type out_type=index_type op=less keys=sorted in=needles");
}
GPUPRIMS__API gp_result gp_upper_bound(gp_context *ctx, gp_type type, gp_op less, gp_type index_type,
                                       const void *sorted, uint64_t length, const void *needles, void *out,
                                       uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_UPPER_BOUND, less, type, index_type, needles, out, count);
  c.keys = sorted;
  c.length = length;
  return gp__named(gp_run(ctx, &c, stream),
                   "gp_upper_bound in_type=type out_type=index_type op=less keys=sorted in=needles");
}
GPUPRIMS__API gp_result gp_load_balance(gp_context *ctx, gp_type offset_type, gp_type index_type, const void *offsets,
                                        uint64_t segments, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_LOAD_BALANCE, 0, 0, index_type, NULL, out, count);
  gp__set_segments(&c, offset_type, offsets, segments);
  return gp__named(gp_run(ctx, &c, stream), "gp_load_balance out_type=index_type begin=offsets");
}
