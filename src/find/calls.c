// find/calls.c - calls by name: searches for the first element
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, find/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GP__API gp_result gp_find_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_index, gp_stream stream) {
  gp_call c = gp__call(GP_FIND_IF, predicate, type, GP_TYPE_DEFAULT, in, NULL, count);
  c.scalar = scalar;
  c.out_count = out_index;
  return gp__named(gp_run(ctx, &c, stream), "gp_find_if op=predicate in_type=type out_count=out_index");
}
GP__API gp_result gp_mismatch(gp_context *ctx, gp_op equal, gp_type type, const void *a, const void *b, uint64_t count,
    uint64_t *out_index, gp_stream stream) {
  gp_call c = gp__call(GP_MISMATCH, equal, type, GP_TYPE_DEFAULT, a, NULL, count);
  c.in2 = b;
  c.out_count = out_index;
  return gp__named(gp_run(ctx, &c, stream), "gp_mismatch op=equal in_type=type in=a in2=b out_count=out_index");
}
GP__API gp_result gp_equal_arrays(gp_context *ctx, gp_op equal, gp_type type, const void *a, const void *b,
    uint64_t count, uint8_t *out, gp_stream stream) {
  gp_call c = gp__call(GP_EQUAL_ARRAYS, equal, type, GP_TYPE_DEFAULT, a, out, count);
  c.in2 = b;
  return gp__named(gp_run(ctx, &c, stream), "gp_equal_arrays op=equal in_type=type in=a in2=b");
}
GP__API gp_result gp_adjacent_find(
    gp_context *ctx, gp_op equal, gp_type type, const void *in, uint64_t count, uint64_t *out_index, gp_stream stream) {
  gp_call c = gp__call(GP_ADJACENT_FIND, equal, type, GP_TYPE_DEFAULT, in, NULL, count);
  c.out_count = out_index;
  return gp__named(gp_run(ctx, &c, stream), "gp_adjacent_find op=equal in_type=type out_count=out_index");
}
GP__API gp_result gp_lexicographic(gp_context *ctx, gp_op less, gp_type type, const void *a, uint64_t count_a,
    const void *b, uint64_t count_b, int32_t *out, gp_stream stream) {
  gp_call c = gp__call(GP_LEXICOGRAPHIC, less, type, GP_TYPE_DEFAULT, a, out, count_a);
  c.in2 = b;
  c.count2 = count_b;
  return gp__named(
      gp_run(ctx, &c, stream), "gp_lexicographic op=less in_type=type in=a in2=b count=count_a count2=count_b");
}
GP__API gp_result gp_is_partitioned(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint8_t *out, gp_stream stream) {
  gp_call c = gp__call(GP_IS_PARTITIONED, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.scalar = scalar;
  return gp__named(gp_run(ctx, &c, stream), "gp_is_partitioned op=predicate in_type=type");
}
GP__API gp_result gp_partition_point(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
    uint64_t count, uint64_t *out_index, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION_POINT, predicate, type, GP_TYPE_DEFAULT, in, NULL, count);
  c.scalar = scalar;
  c.out_count = out_index;
  return gp__named(gp_run(ctx, &c, stream), "gp_partition_point op=predicate in_type=type out_count=out_index");
}
