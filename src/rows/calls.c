// rows/calls.c - calls by name: rows of strided arrays
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/rules.h, core/messages.c,
//   core/state.c, core/run.c, map/calls.c

GP__API gp_result gp_reduce_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
    const void *in, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_REDUCE_AXIS, op, in_type, out_type, in, out, 0);
  c.axes = axes;
  return gp__named(gp_run(ctx, &c, stream), "gp_reduce_axis");
}
GP__API gp_result gp_scan_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
    const void *in, void *out, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SCAN_AXIS, op, in_type, out_type, in, out, 0);
  c.axes = axes;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_scan_axis");
}
GP__API gp_result gp_row_map(gp_context *ctx, gp_op transform, gp_op op, gp_op apply, gp_type in_type,
    gp_type state_type, gp_type out_type, const gp_axes *axes, const void *in, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_ROW_MAP, op, in_type, out_type, in, out, 0);
  c.transform = transform;
  c.apply = apply;
  c.acc_type = state_type;
  c.axes = axes;
  return gp__named(gp_run(ctx, &c, stream), "gp_row_map acc_type=state_type");
}
GP__HOST gp_call gp__row_order_call(gp_primitive primitive, gp_type key_type, gp_type index_type, const gp_axes *axes,
    const void *keys, void *out_keys, void *out_indices, int flags) {
  const int sorts = primitive == GP_SORT_AXIS; // gp_argsort_axis has indices
  gp_call c = gp__call(primitive, GP_OP_DEFAULT, GP_TYPE_DEFAULT, sorts || out_indices ? index_type : GP_TYPE_DEFAULT,
      NULL, out_indices, 0);
  gp__set_keys(&c, key_type, keys);
  c.axes = axes;
  c.out_keys = out_keys;
  c.flags = flags;
  return c;
}
GP__API gp_result gp_sort_axis(gp_context *ctx, gp_type key_type, const gp_axes *axes, const void *keys, void *out_keys,
    int flags, gp_stream stream) {
  const gp_call c = gp__row_order_call(GP_SORT_AXIS, key_type, GP_TYPE_DEFAULT, axes, keys, out_keys, NULL, flags);
  return gp__named(gp_run(ctx, &c, stream), "gp_sort_axis");
}
GP__API gp_result gp_argsort_axis(gp_context *ctx, gp_type key_type, gp_type index_type, const gp_axes *axes,
    const void *keys, void *out_keys, void *out_indices, int flags, gp_stream stream) {
  const gp_call c = gp__row_order_call(GP_SORT_AXIS, key_type, index_type, axes, keys, out_keys, out_indices, flags);
  return gp__named(gp_run(ctx, &c, stream), "gp_argsort_axis out=out_indices out_type=index_type");
}
GP__API gp_result gp_top_k_axis(gp_context *ctx, gp_type key_type, gp_type index_type, const gp_axes *axes,
    const void *keys, uint64_t k, void *out_keys, void *out_indices, int flags, gp_stream stream) {
  gp_call c = gp__row_order_call(GP_TOP_K_AXIS, key_type, index_type, axes, keys, out_keys, out_indices, flags);
  c.k = k;
  return gp__named(gp_run(ctx, &c, stream), "gp_top_k_axis out=out_indices out_type=index_type");
}
