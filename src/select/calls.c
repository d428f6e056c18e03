// select/calls.c - calls by name: selection
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GPUPRIMS__API gp_result gp_select_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *out, uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.init = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_select_if op=predicate in_type=type out_type=type init=scalar");
}
GPUPRIMS__API gp_result gp_select_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                        const void *flags, void *out, uint64_t *out_count, uint64_t count,
                                        gp_stream stream) {
  gp_call c = gp__call(GP_SELECT, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  gp__set_keys(&c, flag_type, GP_OP_DEFAULT, flags);
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_select_flags in_type=type out_type=type keys=flags key_type=flag_type");
}
GPUPRIMS__API gp_result gp_partition(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                     void *selected, void *rejected, uint64_t *out_counts, uint64_t count,
                                     gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, predicate, type, GP_TYPE_DEFAULT, in, selected, count);
  c.init = scalar;
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp__named(gp_run(ctx, &c, stream), "gp_partition op=predicate in_type=type out_type=type init=scalar "
                                            "out=selected out2=rejected out_count=out_counts");
}
GPUPRIMS__API gp_result gp_partition_flags(gp_context *ctx, gp_type type, gp_type flag_type, const void *in,
                                           const void *flags, void *selected, void *rejected, uint64_t *out_counts,
                                           uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, selected, count);
  gp__set_keys(&c, flag_type, GP_OP_DEFAULT, flags);
  c.out2 = rejected;
  c.out_count = out_counts;
  return gp__named(gp_run(ctx, &c, stream), "gp_partition_flags in_type=type out_type=type keys=flags "
                                            "key_type=flag_type out=selected out2=rejected out_count=out_counts");
}
GPUPRIMS__API gp_result gp_partition3(gp_context *ctx, gp_op first, gp_op second, gp_type type,
                                      const void *first_scalar, const void *second_scalar, const void *in, void *out1,
                                      void *out2, void *out3, uint64_t *out_counts, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_PARTITION, first, type, GP_TYPE_DEFAULT, in, out1, count);
  if (!second) return gp__fail(GP_E_OPERATOR, "gp_partition3: second is not set (0)");
  c.transform = second;
  c.init = first_scalar;
  c.step = second_scalar;
  c.out2 = out2;
  c.out3 = out3;
  c.out_count = out_counts;
  return gp__named(gp_run(ctx, &c, stream), "gp_partition3 op=first transform=second in_type=type out_type=type "
                                            "init=first_scalar step=second_scalar out=out1 out_count=out_counts");
}
GPUPRIMS__API gp_result gp_count_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                                    uint64_t *out_count, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_COUNT_IF, predicate, type, GP_TYPE_DEFAULT, in, NULL, count);
  c.init = scalar;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_count_if op=predicate in_type=type init=scalar");
}
GPUPRIMS__API gp_result gp_any(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_ANY, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.init = scalar;
  return gp__named(gp_run(ctx, &c, stream), "gp_any op=predicate in_type=type init=scalar");
}

GPUPRIMS__API gp_result gp_all(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar, const void *in,
                               uint8_t *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_ALL, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.init = scalar;
  return gp__named(gp_run(ctx, &c, stream), "gp_all op=predicate in_type=type init=scalar");
}
