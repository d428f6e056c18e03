// top_k/calls.c - calls by name: top-k, nth element
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, top_k/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GPUPRIMS__API gp_result gp_top_k_rows(gp_context *ctx, int flags, gp_type key_type, gp_type value_type,
                                      const void *keys, const void *values, void *out_keys, void *out_values,
                                      uint64_t k, uint64_t rows, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_TOP_K, GP_OP_DEFAULT, values ? value_type : GP_TYPE_DEFAULT,
                       out_values ? value_type : GP_TYPE_DEFAULT, values, out_values, count);
  c.flags = flags;
  gp__set_keys(&c, key_type, GP_OP_DEFAULT, keys);
  c.out_keys = out_keys;
  c.length = k;
  c.segments = rows;
  if (!rows) c.count = c.length = 0;
  return gp__named(
      gp_run(ctx, &c, stream),
      "gp_top_k_rows length=k segments=rows in=values in_type=value_type out=out_values out_type=value_type");
}
GPUPRIMS__API gp_result gp_top_k(gp_context *ctx, int flags, gp_type key_type, gp_type value_type, const void *keys,
                                 const void *values, void *out_keys, void *out_values, uint64_t k, uint64_t count,
                                 gp_stream stream) {
  return gp__named(
      gp_top_k_rows(ctx, flags, key_type, value_type, keys, values, out_keys, out_values, k, 1, count, stream),
      "gp_top_k length=k in=values in_type=value_type out=out_values out_type=value_type");
}
GPUPRIMS__API gp_result gp_nth_element(gp_context *ctx, int flags, gp_type key_type, const void *keys, void *out,
                                       uint64_t n, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_NTH_ELEMENT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  c.flags = flags;
  gp__set_keys(&c, key_type, GP_OP_DEFAULT, keys);
  c.out_keys = out;
  c.length = n;
  return gp__named(gp_run(ctx, &c, stream), "gp_nth_element length=n out_keys=out");
}

GPUPRIMS__API gp_result gp_shuffle(gp_context *ctx, gp_type type, uint64_t seed, const void *in, void *out,
                                   uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_SHUFFLE, GP_OP_DEFAULT, in ? type : GP_TYPE_DEFAULT, type, in, out, count);
  c.init = &seed;
  return gp__named(gp_run(ctx, &c, stream), "gp_shuffle in_type=type out_type=type");
}
