// reduce/calls.c - calls by name: reduce
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_reduce(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_REDUCE, op, in_type, out_type, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_reduce");
}
