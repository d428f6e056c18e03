// map/calls.c - calls by name: members that most calls set; copy, fill, iota, transform
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, api/init.h, core/rules.h, core/messages.c,
//   map/kinds.c, core/state.c, core/run.c

// Sets the members that most calls share.
GP__HOST gp_call gp__call(
    gp_primitive primitive, gp_op op, gp_type in_type, gp_type out_type, const void *in, void *out, uint64_t count) {
  gp_call c = gp_call_init(primitive);
  c.op = op;
  c.in_type = in_type;
  c.out_type = out_type;
  c.in = in;
  c.out = out;
  c.count = count;
  return c;
}
GP__HOST void gp__set_segments(gp_call *c, gp_type offset_type, const void *begin, uint64_t segments) {
  c->offset_type = offset_type;
  c->begin = begin;
  c->segments = segments;
}
GP__HOST void gp__set_keys(gp_call *c, gp_type key_type, const void *keys) {
  c->key_type = key_type;
  c->keys = keys;
}

GP__API gp_result gp_copy(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_COPY, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_copy in_type=type");
}
GP__API gp_result gp_fill(
    gp_context *ctx, gp_type type, const void *value, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_FILL, GP_OP_DEFAULT, GP_TYPE_DEFAULT, type, NULL, out, count);
  c.value = value;
  return gp__named(gp_run(ctx, &c, stream), "gp_fill out_type=type");
}
GP__API gp_result gp_iota(
    gp_context *ctx, gp_type type, const void *start, const void *step, void *out, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_IOTA, GP_OP_DEFAULT, GP_TYPE_DEFAULT, type, NULL, out, count);
  c.start = start;
  c.step = step;
  return gp__named(gp_run(ctx, &c, stream), "gp_iota out_type=type");
}
GP__API gp_result gp_transform(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_TRANSFORM, op, in_type, out_type, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_transform");
}
GP__API gp_result gp_transform2(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *a,
    const void *b, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_TRANSFORM2, op, in_type, out_type, a, out, count);
  c.in2 = b;
  return gp__named(gp_run(ctx, &c, stream), "gp_transform2 in=a in2=b in2_type=in_type");
}
