// transpose/calls.c - calls by name: transposes
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, api/init.h, core/rules.h,
//   core/messages.c, transpose/kinds.c, core/state.c, core/run.c, map/calls.c

GP__API gp_result gp_permute(
    gp_context *ctx, gp_type type, const gp_permutation *permutation, const void *in, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, type, type, in, out, 0);
  c.permutation = permutation;
  return gp__named(gp_run(ctx, &c, stream), "gp_permute in_type=type out_type=type");
}
GP__HOST gp_permutation gp__swap_of(uint64_t batch, uint64_t rows, uint64_t columns) {
  gp_permutation p = gp_permutation_init();
  p.dimensions = 3;
  p.order[1] = 2, p.order[2] = 1;
  p.extent[0] = batch, p.extent[1] = rows, p.extent[2] = columns;
  return p;
}
GP__API gp_result gp_transpose(gp_context *ctx, gp_type type, const void *in, uint64_t in_pitch, uint64_t rows,
    uint64_t columns, void *out, uint64_t out_pitch, gp_stream stream) {
  gp_permutation p = gp__swap_of(1, rows, columns);
  p.in_stride[1] = in_pitch;
  p.out_stride[1] = out_pitch;
  return gp__named(gp_permute(ctx, type, &p, in, out, stream),
      "gp_transpose in_type=type out_type=type permutation.extent[1]=rows permutation.extent[2]=columns "
      "permutation.in_stride[1]=in_pitch permutation.out_stride[1]=out_pitch");
}
GP__API gp_result gp_transpose_batched(gp_context *ctx, gp_type type, const void *in, uint64_t rows, uint64_t columns,
    uint64_t batch, void *out, gp_stream stream) {
  const gp_permutation p = gp__swap_of(batch, rows, columns);
  return gp__named(gp_permute(ctx, type, &p, in, out, stream),
      "gp_transpose_batched in_type=type out_type=type permutation.extent[0]=batch "
      "permutation.extent[1]=rows permutation.extent[2]=columns");
}
