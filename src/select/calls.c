// select/calls.c - calls by name: selection
// uses: api/config.h, api/lists.h, api/context_types.h, api/input.h, api/call.h, core/words.h, core/messages.c,
//   host/values.c, core/names.c, core/state.c, core/run.c, map/calls.c

GP__API gp_result gp_select_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, void *out, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.scalar = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_select_if op=predicate in_type=type out_type=type");
}
GP__API gp_result gp_select_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in, const void *flags,
    uint64_t count, void *out, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  gp__set_keys(&c, flag_type, flags);
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_select_flags in_type=type out_type=type keys=flags key_type=flag_type");
}
GP__API gp_result gp_select_stencil(gp_context *ctx, gp_op predicate, gp_type stencil_type, gp_type type,
    const void *scalar, const void *stencil, const void *in, uint64_t count, void *out, uint64_t *out_count,
    gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  if (!predicate) return gp__fail(GP_E_OPERATOR, "gp_select_stencil: predicate is not set");
  gp__set_keys(&c, stencil_type, stencil);
  c.scalar = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_select_stencil op=predicate in_type=type out_type=type keys=stencil key_type=stencil_type");
}
GP__API gp_result gp_select_indices(gp_context *ctx, gp_op predicate, gp_type type, gp_type index_type,
    const void *scalar, const void *in, uint64_t count, void *out_indices, uint64_t *out_count, gp_stream stream) {
  const gp_input indices = gp_input_ramp(index_type, NULL, NULL);
  const uint64_t most = index_type == GP_I32 ? 1ull << 31 : 1ull << 32; // of elements that 4-byte indices reach
  gp_call c;
  if (!predicate) return gp__fail(GP_E_OPERATOR, "gp_select_indices: predicate is not set");
  if (index_type != GP_I32 && index_type != GP_U32 && index_type != GP_I64 && index_type != GP_U64)
    return gp__fail(GP_E_TYPE, "gp_select_indices: index_type is %d, not i32, u32, i64 or u64", (int)index_type);
  if ((index_type == GP_I32 || index_type == GP_U32) && count > most)
    return gp__fail(GP_E_SIZE, "gp_select_indices: count is %llu, too large for %s indices (index_type)",
        (gp__u64)count, gp__type_rows[index_type].name);
  c = gp__call(GP_SELECT, predicate, GP_INPUT, GP_TYPE_DEFAULT, &indices, out_indices, count);
  gp__set_keys(&c, type, in);
  c.scalar = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_select_indices op=predicate in_type=index_type keys=in key_type=type out=out_indices");
}
GP__API gp_result gp_partition(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, void *selected, void *rejected, uint64_t *out_counts, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, predicate, type, GP_TYPE_DEFAULT, in, selected, count);
  c.scalar = scalar;
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_partition op=predicate in_type=type out_type=type "
      "out=selected out2=rejected out_count=out_counts");
}
GP__API gp_result gp_partition_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
    const void *flags, uint64_t count, void *selected, void *rejected, uint64_t *out_counts, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, selected, count);
  gp__set_keys(&c, flag_type, flags);
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp__named(gp_run(ctx, &c, stream),
      "gp_partition_flags in_type=type out_type=type keys=flags "
      "key_type=flag_type out=selected out2=rejected out_count=out_counts");
}
GP__API gp_result gp_count_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_COUNT_IF, predicate, type, GP_TYPE_DEFAULT, in, NULL, count);
  c.scalar = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_count_if op=predicate in_type=type");
}
GP__API gp_result gp_any(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream) {
  gp_call c = gp__call(GP_ANY, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.scalar = scalar;
  return gp__named(gp_run(ctx, &c, stream), "gp_any op=predicate in_type=type");
}

GP__API gp_result gp_all(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream) {
  gp_call c = gp__call(GP_ALL, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.scalar = scalar;
  return gp__named(gp_run(ctx, &c, stream), "gp_all op=predicate in_type=type");
}
