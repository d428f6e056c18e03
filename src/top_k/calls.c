// top_k/calls.c - calls by name: top-k, nth element
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/rules.h, core/messages.c,
//   top_k/kinds.c, core/state.c, core/run.c, map/calls.c, segments/calls.c

GP__HOST gp_call gp__top_k_call(gp_type key_type, const void *keys, uint64_t count, uint64_t k, void *out_keys,
    gp_type value_type, void *out_values, int flags) {
  gp_call c = gp__call(
      GP_TOP_K, GP_OP_DEFAULT, GP_TYPE_DEFAULT, out_values ? value_type : GP_TYPE_DEFAULT, NULL, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.k = k;
  c.out_keys = out_keys;
  c.flags = flags;
  return c;
}
GP__API gp_result gp_top_k(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys, const void *values,
    uint64_t count, uint64_t k, void *out_keys, void *out_values, int flags, gp_stream stream) {
  gp_call c = gp__top_k_call(key_type, keys, count, k, out_keys, value_type, out_values, flags);
  c.in = values;
  c.in_type = values ? value_type : GP_TYPE_DEFAULT;
  return gp__named(gp_run(ctx, &c, stream), "gp_top_k in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_top_k_rows(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys, uint64_t rows,
    uint64_t columns, uint64_t k, void *out_keys, void *out_indices, int flags, gp_stream stream) {
  gp_call c = gp__top_k_call(key_type, keys, columns, k, out_keys, index_type, out_indices, flags);
  c.rows = rows;
  if (!rows) c.count = c.k = 0;
  return gp__named(gp_run(ctx, &c, stream), "gp_top_k_rows count=columns out=out_indices out_type=index_type");
}
GP__API gp_result gp_segmented_top_k(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
    uint64_t count, const gp_segments *segments, uint64_t k, void *out_keys, void *out_indices, int flags,
    gp_stream stream) {
  gp_call c = gp__top_k_call(key_type, keys, count, k, out_keys, index_type, out_indices, flags);
  c.primitive = GP_SEGMENTED_TOP_K;
  return gp__run_segments(
      ctx, &c, segments, stream, "gp_segmented_top_k out=out_indices out_type=index_type " GP__SEGMENT_NAMES);
}
GP__API gp_result gp_nth_element(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, uint64_t n,
    void *out, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_NTH_ELEMENT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  c.flags = flags;
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out;
  c.n = n;
  return gp__named(gp_run(ctx, &c, stream), "gp_nth_element out_keys=out");
}

GP__API gp_result gp_shuffle(
    gp_context *ctx, gp_type type, uint64_t seed, const void *in, uint64_t count, void *out, gp_stream stream) {
  gp_call c =
      gp__call(GP_SHUFFLE, GP_OP_DEFAULT, in ? type : GP_TYPE_DEFAULT, in ? GP_TYPE_DEFAULT : type, in, out, count);
  c.seed = seed;
  return gp__named(gp_run(ctx, &c, stream), "gp_shuffle in_type=type out_type=type");
}
