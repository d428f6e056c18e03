// hash/calls.c - calls by name: groups, distinct elements, joins
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/rules.h, core/messages.c,
//   host/values.c, core/state.c, core/run.c, map/calls.c

GP__API gp_result gp_group_by_many(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_aggregate *aggregates, uint64_t aggregate_count, void *out_keys, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  gp_call c = gp__call(GP_GROUP_BY_MANY, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.aggregates = aggregates;
  c.aggregate_count = aggregate_count;
  c.out_keys = out_keys;
  c.capacity = capacity;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_group_by_many");
}
GP__API gp_result gp_distinct(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out,
    uint64_t capacity, uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_DISTINCT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, type, in);
  c.out_keys = out;
  c.capacity = capacity;
  c.out_count = out_count;
  return gp__named(gp_run(ctx, &c, stream), "gp_distinct keys=in key_type=type out_keys=out");
}
GP__API gp_result gp_count_distinct(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, uint64_t *out_count, gp_stream stream) {
  return gp__named(
      gp_distinct(ctx, type, in, count, NULL, 0, out_count, stream), "gp_count_distinct keys=in key_type=type");
}
GP__HOST gp_result gp__join(gp_context *ctx, gp_join_kind kind, gp_type key_type, const void *build,
    uint64_t build_count, const void *probe, uint64_t probe_count, void *out, void *out2, uint64_t capacity,
    uint64_t *out_count, gp_stream stream) {
  gp_call c = gp__call(GP_JOIN, GP_OP_DEFAULT, GP_TYPE_DEFAULT, kind == GP_JOIN_FLAGS ? GP_TYPE_DEFAULT : GP_U32, NULL,
      out, probe_count);
  gp__set_keys(&c, key_type, probe);
  c.keys2 = build;
  c.count2 = build_count;
  c.out2 = out2;
  c.join = kind;
  c.capacity = capacity;
  c.out_count = out_count;
  return gp_run(ctx, &c, stream);
}
GP__API gp_result gp_inner_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, void *out_build, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  return gp__named(gp__join(ctx, GP_JOIN_INNER, key_type, build, build_count, probe, probe_count, out_probe, out_build,
                       capacity, out_count, stream),
      "gp_inner_join keys=probe keys2=build count=probe_count count2=build_count out=out_probe out2=out_build");
}
GP__API gp_result gp_left_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, void *out_build, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  return gp__named(gp__join(ctx, GP_JOIN_LEFT, key_type, build, build_count, probe, probe_count, out_probe, out_build,
                       capacity, out_count, stream),
      "gp_left_join keys=probe keys2=build count=probe_count count2=build_count out=out_probe out2=out_build");
}
GP__API gp_result gp_semi_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  return gp__named(gp__join(ctx, GP_JOIN_SEMI, key_type, build, build_count, probe, probe_count, out_probe, NULL,
                       capacity, out_count, stream),
      "gp_semi_join keys=probe keys2=build count=probe_count count2=build_count out=out_probe");
}
GP__API gp_result gp_anti_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  return gp__named(gp__join(ctx, GP_JOIN_ANTI, key_type, build, build_count, probe, probe_count, out_probe, NULL,
                       capacity, out_count, stream),
      "gp_anti_join keys=probe keys2=build count=probe_count count2=build_count out=out_probe");
}
GP__API gp_result gp_contains(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, uint8_t *out, gp_stream stream) {
  return gp__named(
      gp__join(ctx, GP_JOIN_FLAGS, key_type, build, build_count, probe, probe_count, out, NULL, 0, NULL, stream),
      "gp_contains keys=probe keys2=build count=probe_count count2=build_count");
}
