// batch/calls.c - calls by name: copies of many buffers
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/messages.c, batch/kinds.c, core/state.c,
//   core/run.c, map/calls.c

GP__API gp_result gp_copy_batch(gp_context *ctx, gp_type size_type, const void *sources, const void *destinations,
    const void *sizes, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_COPY_BATCH, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, sources, NULL, count);
  c.in2 = destinations;
  gp__set_segments(&c, size_type, sizes, 0);
  return gp__named(
      gp_run(ctx, &c, stream), "gp_copy_batch in=sources in2=destinations offset_type=size_type begin=sizes");
}
