// reverse/calls.c - calls by name: reverse
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, reverse/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GPUPRIMS__API gp_result gp_reverse(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out,
                                   gp_stream stream) {
  const gp_call c = gp__call(GP_REVERSE, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_reverse in_type=type");
}
