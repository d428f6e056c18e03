// columns/check.c - checking a call: sorts of columns
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/system.c,
//   core/messages.c, core/request.c, host/values.c, core/primitive.c, core/check_types.c, core/checking.c,
//   core/check_memory.c, core/check_call_types.c, core/check_buffers.c

GP__HOST gp_result gp__check_column_key(
    const gp__checking *k, const char *name, gp_type type, const gp__checked_type *t) {
  return t->info
      ? gp__fail(GP_E_TYPE, "%s: @%s is struct type \"%s\": keys are of built-in types", k->who, name, t->info->name)
      : gp__check_short(k->who, name, type, "gp_argsort takes it as the only key");
}
// Checks column number i. alias: it may be sorted in place; wanted: its output must be there.
GP__HOST gp_result gp__check_column(gp__checking *k, int i, int alias, int wanted) {
  const gp_column *c = &k->c->columns[i];
  const int is_key = (uint64_t)i < k->c->key_columns, of_runs = k->c->primitive != GP_SORT_COLUMNS;
  gp__checked_type t;
  char name[28], *in = k->column_name[2 * i], *out = k->column_name[2 * i + 1];
  snprintf(name, sizeof name, "columns[%d].type", i);
  snprintf(in, sizeof k->column_name[0], "columns[%d].in", i);
  snprintf(out, sizeof k->column_name[0], "columns[%d].out", i);
  GP__CHECK(gp__check_type(k->s, k->who, name, c->type, &t));
  if (is_key) GP__CHECK(gp__check_column_key(k, name, c->type, &t));
  if (of_runs && t.info)
    return gp__fail(
        GP_E_TYPE, "%s: @%s is struct type \"%s\": columns of runs are of built-in types", k->who, name, t.info->name);
  if (of_runs && k->fold)
    GP__CHECK(gp__check_operator_on(k->who, name, k->q->op, gp__accumulator_of(c->type, k->q->op)));
  if (c->descending & ~is_key)
    return gp__fail(GP_E_ARGUMENT, "%s: @columns[%d].descending is %d, not 0%s", k->who, i, c->descending,
        is_key ? " or 1" : ": the column is no key, see @key_columns");
  k->q->column_size[i] = (gp__u8)t.size;
  k->q->column_align[i] = (gp__u8)t.align;
  GP__CHECK(gp__reading(k, in, c->in, &t, k->c->count, 1, alias));
  return gp__writing(k, out, c->out, t.align, t.size, k->c->count, wanted || !is_key, alias);
}
GP__HOST gp_result gp__check_column_list(const gp__checking *k) {
  const gp_call *c = k->c;
  if (c->column_count > GP_COLUMN_LIMIT || c->key_columns > c->column_count)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s is %llu, above %llu", k->who,
        c->column_count > GP_COLUMN_LIMIT ? "column_count" : "key_columns",
        (gp__u64)(c->column_count > GP_COLUMN_LIMIT ? c->column_count : c->key_columns),
        (gp__u64)(c->column_count > GP_COLUMN_LIMIT ? (uint64_t)GP_COLUMN_LIMIT : c->column_count));
  if (c->column_count && !c->columns) return gp__fail(GP_E_NULL, "%s: @columns is null", k->who);
  if (k->pointers >= GP__POINTERS_REACHED) GP__CHECK(gp__check_value_memory(k, "columns", c->columns));
  return GP_SUCCESS;
}
// Columns that follow runs.
GP__HOST gp_result gp__check_run_columns(gp__checking *k) {
  const gp__request *q = k->q;
  int i;
  GP__CHECK(gp__check_column_list(k));
  if (k->c->column_count && k->fold &&
      (q->user_op || q->transform || q->stored || q->is_arg || k->c->init || k->c->flags))
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @columns: these take a built-in operator with one result, and no init, transform, apply or flags", k->who);
  for (i = 0; i < (int)k->c->column_count; ++i) GP__CHECK(gp__check_column(k, i, 0, 1));
  return GP_SUCCESS;
}
// Keys may be sorted in place if they are the only ones: the indices of several lead back to the input.
GP__HOST gp_result gp__check_columns(gp__checking *k) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int alone = c->key_type || c->keys || c->out_keys, indices = c->out || c->out_type;
  const uint64_t keys = c->key_columns + (unsigned)alone;
  const int alias = keys == 1, wanted = keys == 1 && !indices;
  int i;
  GP__CHECK(gp__check_column_list(k));
  if (keys < 1 || keys > GP_KEY_LIMIT)
    return gp__fail(GP_E_ARGUMENT, "%s: @key_columns: the call has %llu keys, not 1 to %d", k->who, (gp__u64)keys,
        (int)GP_KEY_LIMIT);
  q->count = q->stride = c->count;
  q->channels = q->active = 1;
  q->in_type = GP_U32; // a kernel reads indices
  q->in_size = 4;
  if (indices)
    GP__CHECK(gp__check_integer(
        k, "out_type (of indices)", c->out_type, 4, 8, "i32, u32, i64 or u64", &q->out_type, &k->out));
  GP__CHECK(gp__check_reach(k, (uint64_t)1 << 32));
  q->out_size = k->out.size;
  q->offset_size = indices ? k->out.size : c->count > (uint64_t)1 << 32 ? 8 : 4;
  q->offset_type = q->offset_size == 8 ? GP_U64 : GP_U32;
  if (alone) {
    GP__CHECK(gp__check_type(k->s, k->who, "key_type", c->key_type, &k->key));
    GP__CHECK(gp__check_column_key(k, "key_type", c->key_type, &k->key));
    q->key_type = c->key_type;
    q->key_size = k->key.size;
    GP__CHECK(gp__reading(k, "keys", c->keys, &k->key, c->count, 1, alias));
    GP__CHECK(gp__writing(k, "out_keys", c->out_keys, k->key.align, k->key.size, c->count, wanted, alias));
  }
  for (i = 0; i < (int)c->column_count; ++i)
    GP__CHECK(gp__check_column(k, i, alias && !alone && !i, wanted && !alone && !i));
  if ((uintptr_t)c->count_device % 8)
    return gp__fail(
        GP_E_ALIGNMENT, "%s: @count_device (%p) is not aligned to 8 bytes", k->who, (const void *)c->count_device);
  if (c->count_device) GP__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  if (indices) GP__CHECK(gp__writing(k, "out", c->out, k->out.align, k->out.size, c->count, 1, 0));
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
static const gp__own_check gp__checks_columns[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_columns}};
