// columns/calls.c - calls by name: sorts of columns
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/messages.c, core/state.c,
//   core/run.c, map/calls.c

GP__API gp_result gp_sort_columns(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_column *columns, uint64_t column_count, void *out_keys, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SORT_COLUMNS, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.columns = columns;
  c.column_count = column_count;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_sort_columns");
}
GP__API gp_result gp_argsort_columns(gp_context *ctx, gp_type index_type, const gp_column *columns,
    uint64_t column_count, uint64_t count, void *indices, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_SORT_COLUMNS, GP_OP_DEFAULT, GP_TYPE_DEFAULT, index_type, NULL, indices, count);
  c.columns = columns;
  c.column_count = c.key_columns = column_count;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_argsort_columns out_type=index_type out=indices");
}
