// histogram/calls.c - calls by name: histograms
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_histogram_even(gp_context *ctx, gp_type type, gp_type counter_type, const void *lower,
    const void *upper, const void *in, uint64_t count, void *out, uint64_t bins, gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_EVEN, GP_OP_DEFAULT, type, counter_type, in, out, count);
  c.lower = lower;
  c.upper = upper;
  c.bins = bins;
  return gp__named(gp_run(ctx, &c, stream), "gp_histogram_even in_type=type out_type=counter_type");
}
GP__API gp_result gp_histogram_ranges(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
    uint64_t count, const void *boundaries, uint64_t bins, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_HISTOGRAM_RANGES, GP_OP_DEFAULT, type, counter_type, in, out, count);
  c.begin = boundaries;
  c.bins = bins;
  return gp__named(gp_run(ctx, &c, stream), "gp_histogram_ranges in_type=type out_type=counter_type begin=boundaries");
}
