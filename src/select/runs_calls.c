// select/runs_calls.c - calls by name: runs
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_inclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type,
    const void *keys, const void *values, uint64_t count, void *out_values, gp_stream stream) {
  gp_call c = gp__call(GP_INCLUSIVE_SCAN_BY_KEY, op, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  return gp__named(gp_run(ctx, &c, stream),
      "gp_inclusive_scan_by_key in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_exclusive_scan_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type,
    const void *init, const void *keys, const void *values, uint64_t count, void *out_values, gp_stream stream) {
  gp_call c = gp__call(GP_EXCLUSIVE_SCAN_BY_KEY, op, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.init = init;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_exclusive_scan_by_key in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_reduce_by_key(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_REDUCE_BY_KEY, op, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.out_count = out_count;
  return gp__named(
      gp_run(ctx, &c, stream), "gp_reduce_by_key in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_group_by(gp_context *ctx, gp_op op, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_GROUP_BY, op, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.out_count = out_count;
  return gp__named(
      gp_run(ctx, &c, stream), "gp_group_by in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_run_length_encode(gp_context *ctx, gp_type key_type, gp_type length_type, const void *keys,
    uint64_t count, void *out_keys, void *lengths, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_RUN_LENGTHS, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.out2_type = length_type;
  c.out2 = lengths;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_run_length_encode out2=lengths out2_type=length_type");
}
GP__API gp_result gp_nontrivial_runs(gp_context *ctx, gp_type key_type, gp_type length_type, const void *keys,
    uint64_t count, void *offsets, void *lengths, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_NONTRIVIAL_RUNS, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, offsets, count);
  gp__set_keys(&c, key_type, keys);
  c.out2_type = length_type;
  c.out2 = lengths;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_nontrivial_runs out=offsets out2=lengths out2_type=length_type");
}
GP__API gp_result gp_count_runs(
    gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, uint64_t *out_count, gp_stream stream) {
  return gp__named(gp_run_length_encode(ctx, key_type, GP_TYPE_DEFAULT, keys, count, NULL, NULL, out_count, stream),
      "gp_count_runs");
}
GP__API gp_result gp_unique(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_UNIQUE, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, type, in);
  c.out_keys = out;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_unique keys=in key_type=type out_keys=out");
}
GP__API gp_result gp_unique_by_key(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_UNIQUE, GP_OP_DEFAULT, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_unique_by_key in=values in_type=value_type out=out_values");
}
GP__API gp_result gp_adjacent_difference(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_ADJACENT_DIFFERENCE, op, in_type, out_type, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_adjacent_difference");
}
