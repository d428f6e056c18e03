// rows/calls.c - calls by name: rows of strided arrays
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/messages.c, core/state.c,
//   core/run.c, map/calls.c

GPUPRIMS__API gp_result gp_reduce_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                       const gp_axes *axes, const void *in, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_REDUCE_AXIS, op, in_type, out_type, in, out, 0);
  c.axes = axes;
  return gp__named(gp_run(ctx, &c, stream), "gp_reduce_axis");
}
GPUPRIMS__API gp_result gp_scan_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
                                     const void *in, void *out, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SCAN_AXIS, op, in_type, out_type, in, out, 0);
  c.axes = axes;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_scan_axis");
}
GPUPRIMS__API gp_result gp_row_map(gp_context *ctx, gp_op transform, gp_op op, gp_op apply, gp_type in_type,
                                   gp_type state_type, gp_type out_type, const gp_axes *axes, const void *in, void *out,
                                   gp_stream stream) {
  gp_call c = gp__call(GP_ROW_MAP, op, in_type, out_type, in, out, 0);
  c.transform = transform;
  c.apply = apply;
  c.acc_type = state_type;
  c.axes = axes;
  return gp__named(gp_run(ctx, &c, stream), "gp_row_map acc_type=state_type");
}
