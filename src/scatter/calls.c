// scatter/calls.c - calls by name: scatter, gather, transform_if, replace
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, core/rules.h, core/messages.c, scatter/kinds.c,
//   sort/kinds.c, core/state.c, core/run.c, map/calls.c

// A gp_call without a type and a pointer has no flags, and no indices. Here a type of 0 is an error, and the pointer is
// then any.
GP__HOST void gp__set_indices(gp_call *c, gp_type type, const void *index, uint64_t elements) {
  c->in2_type = type;
  c->in2 = type ? index : (const void *)c;
  c->n = elements;
}
GP__API gp_result gp_scatter(gp_context *ctx, gp_type type, gp_type index_type, const void *in, const void *index,
    uint64_t count, void *out, uint64_t out_elements, gp_stream stream) {
  gp_call c = gp__call(GP_SCATTER, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  gp__set_indices(&c, index_type, index, out_elements);
  return gp__named(gp_run(ctx, &c, stream), "gp_scatter in_type=type in2_type=index_type in2=index n=out_elements");
}
GP__API gp_result gp_scatter_flags(gp_context *ctx, gp_type type, gp_type index_type, gp_type flag_type, const void *in,
    const void *index, const void *flags, uint64_t count, void *out, uint64_t out_elements, gp_stream stream) {
  gp_call c = gp__call(GP_SCATTER, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  gp__set_indices(&c, index_type, index, out_elements);
  gp__set_keys(&c, flag_type, flag_type ? flags : (const void *)&c);
  return gp__named(gp_run(ctx, &c, stream),
      "gp_scatter_flags in_type=type in2_type=index_type in2=index "
      "n=out_elements key_type=flag_type keys=flags");
}
GP__API gp_result gp_gather(gp_context *ctx, gp_type type, gp_type index_type, const void *from, uint64_t from_elements,
    const void *index, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_GATHER, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, from, out, count);
  gp__set_indices(&c, index_type, index, from_elements);
  return gp__named(
      gp_run(ctx, &c, stream), "gp_gather in_type=type in=from n=from_elements in2_type=index_type in2=index");
}
GP__API gp_result gp_gather_flags(gp_context *ctx, gp_type type, gp_type index_type, gp_type flag_type,
    const void *from, uint64_t from_elements, const void *index, const void *flags, uint64_t count, void *out,
    gp_stream stream) {
  gp_call c = gp__call(GP_GATHER, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, from, out, count);
  gp__set_indices(&c, index_type, index, from_elements);
  gp__set_keys(&c, flag_type, flag_type ? flags : (const void *)&c);
  return gp__named(gp_run(ctx, &c, stream),
      "gp_gather_flags in_type=type in=from n=from_elements "
      "in2_type=index_type in2=index key_type=flag_type keys=flags");
}
GP__API gp_result gp_transform_if(gp_context *ctx, gp_op op, gp_op predicate, gp_type in_type, gp_type out_type,
    const void *scalar, const void *in, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_SCATTER, predicate ? predicate : (gp_op)-1, in_type, out_type, in, out, count);
  c.transform = op ? op : (gp_op)-1;
  c.scalar = scalar;
  gp__set_keys(&c, in_type, in);
  return gp__named(gp_run(ctx, &c, stream), "gp_transform_if transform=op op=predicate key_type=in_type keys=in");
}
GP__API gp_result gp_replace_if(gp_context *ctx, gp_op predicate, gp_type type, const void *scalar,
    const void *new_value, const void *in, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_REPLACE, predicate, type, GP_TYPE_DEFAULT, in, out, count);
  c.scalar = scalar;
  c.value = new_value;
  return gp__named(gp_run(ctx, &c, stream), "gp_replace_if op=predicate in_type=type value=new_value");
}
