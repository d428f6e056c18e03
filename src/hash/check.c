// hash/check.c - checking a call: keys of hash tables, aggregates
// uses: api/config.h, api/lists.h, api/structs.h, api/input.h, api/call.h, core/words.h, core/rules.h, hash/folds.h,
//   core/system.c, core/messages.c, core/request.c, host/values.c, core/names.c, core/primitive.c, core/check_types.c,
//   core/checking.c, core/check_memory.c, core/check_call_types.c, core/check_buffers.c, core/check_values.c

enum { GP__HASH_MOST = 0x7fffffff - 1 }; // rows
GP__HOST gp_result gp__check_rows(const gp__checking *k, const char *name, uint64_t count) {
  return count > (uint64_t)GP__HASH_MOST
      ? gp__fail(
            GP_E_SIZE, "%s: @%s is %llu, not below 2^31 - 1, the limit of a hash table", k->who, name, (gp__u64)count)
      : GP_SUCCESS;
}
// A zipped key is compared by its bytes: nobody writes those between its members, and true has several bytes.
GP__HOST gp_result gp__check_padding(const gp__checking *k) {
  const gp__inputs *all = &k->q->inputs;
  int i, j;
  for (i = 0; i < all->count; ++i) {
    size_t bytes = 0;
    for (j = 0; j < 4 && all->node[i].part[j] >= 0; ++j) {
      const gp__input_node *part = &all->node[all->node[i].part[j]];
      if (all->node[i].kind == GP_INPUT_ZIPPED && part->type == GP_BOOL)
        return gp__fail(GP_E_TYPE,
            "%s: @key_type: member %d of a zipped struct is bool, and keys are compared by bytes: convert "
            "it to u8 (GP_CONVERT)",
            k->who, j);
      bytes += part->size;
    }
    if (all->node[i].kind == GP_INPUT_ZIPPED && bytes != all->node[i].size)
      return gp__fail(GP_E_TYPE, "%s: @key_type: a zipped struct has %lu bytes of padding: keys are compared by bytes",
          k->who, (unsigned long)(all->node[i].size - bytes));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_aggregate(gp__checking *k, int i, uint64_t room) {
#define GP__OF_EACH(member) \
  { \
    "aggregates[0]." member, "aggregates[1]." member, "aggregates[2]." member, "aggregates[3]." member, \
        "aggregates[4]." member, "aggregates[5]." member, "aggregates[6]." member, "aggregates[7]." member \
  }
  static const char *const columns[] = GP__OF_EACH("column"), *const outs[] = GP__OF_EACH("out");
#undef GP__OF_EACH
  const gp_aggregate *a = &k->c->aggregates[i];
  const gp_type type = gp__aggregate_type(a);
  const int counts = a->op == GP_AGGREGATE_COUNT, places = a->op >= GP_AGGREGATE_ARGMIN,
            floats = gp__host_kind(a->type) == GP__WIDE_F;
  gp__checked_type in, out;
  char name[32];
  if ((int)a->op < GP_AGGREGATE_SUM || (int)a->op > GP_AGGREGATE_ARGMAX)
    return gp__fail(GP_E_OPERATOR, "%s: @aggregates[%d].op is %d, not a gp_aggregate_op", k->who, i, (int)a->op);
  snprintf(name, sizeof name, "aggregates[%d].type", i);
  if (counts && (a->type || a->column))
    return gp__fail(
        GP_E_ARGUMENT, "%s: @aggregates[%d].%s: COUNT reads no column", k->who, i, a->type ? "type" : "column");
  if (!counts) {
    GP__CHECK(gp__check_type(k->s, k->who, name, a->type, &in));
    if (in.info)
      return gp__fail(GP_E_TYPE, "%s: @%s is struct type \"%s\", not a built-in type", k->who, name, in.info->name);
    GP__CHECK(gp__check_short(k->who, name, a->type, "use gp_group_by"));
    GP__CHECK(gp__reading(k, columns[i], a->column, &in, k->c->count, 1, 0));
  }
  snprintf(name, sizeof name, "aggregates[%d].out_type", i);
  GP__CHECK(gp__check_type(k->s, k->who, name, type, &out));
  GP__CHECK(gp__check_short(k->who, name, type, "use gp_group_by"));
  if (out.info ||
      (counts || places ? !gp__is_integer(type) || out.size < 4
              : a->op == GP_AGGREGATE_MEAN ? gp__host_kind(type) != GP__WIDE_F
              : a->op == GP_AGGREGATE_SUM ? (floats ? gp__host_kind(type) != GP__WIDE_F : !gp__is_integer(type))
              : type != a->type))
    return gp__fail(GP_E_TYPE, "%s: @%s is %s, not %s", k->who, name,
        out.info ? out.info->name : gp__type_rows[type].name,
        counts || places ? "i32, u32, i64 or u64"
            : a->op == GP_AGGREGATE_SUM && !floats ? "an integer type"
            : a->op == GP_AGGREGATE_MEAN || a->op == GP_AGGREGATE_SUM ? "a float type"
            : "the type of the column");
  return gp__writing(k, outs[i], a->out, out.align, out.size, room, 1, 0);
}
GP__HOST gp_result gp__check_hash(gp__checking *k) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int joins = c->primitive == GP_JOIN, flags = joins && c->join == GP_JOIN_FLAGS;
  const uint64_t room = joins || c->capacity ? c->capacity : c->count;
  int i;
  GP__CHECK(gp__check_input_type(k, "key_type", c->key_type, c->keys, &q->key_type, &k->key, &q->inputs.in));
  GP__CHECK(gp__check_rows(k, "count", c->count));
  GP__CHECK(gp__check_rows(k, "count2", c->count2));
  if (c->primitive == GP_GROUP_BY_MANY && gp__is_complex(q->key_type))
    return gp__fail(GP_E_TYPE,
        "%s: @key_type is %s: groups come in the order of their keys, and complex numbers have "
        "none; a struct of two parts has groups in the order of first occurrence",
        k->who, gp__type_rows[q->key_type].name);
  q->in_type = q->key_type;
  q->in_size = q->key_size = k->key.size;
  q->in_struct = q->key_struct = k->key.info;
  q->count = q->stride = c->count;
  q->count2 = c->count2;
  q->capacity = room;
  q->channels = q->active = 1;
  if (q->inputs.in) {
    GP__CHECK(gp__check_second(k, "keys2", c->keys2, 1, q->key_type, &q->inputs.keys2));
    GP__CHECK(gp__check_padding(k));
    GP__CHECK(gp__check_input_arrays(k, q->inputs.in - 1, c->count, 0));
    GP__CHECK(gp__check_input_values(k));
    q->inputs.elements[0] = c->count;
    q->inputs.elements[3] = c->count2;
  } else {
    q->in = c->keys;
    GP__CHECK(gp__reading(k, "keys", c->keys, &k->key, c->count, 1, 0));
  }
  if (c->count_device) {
    if ((uintptr_t)c->count_device % 8)
      return gp__fail(
          GP_E_ALIGNMENT, "%s: @count_device (%p) is not aligned to 8 bytes", k->who, (const void *)c->count_device);
    GP__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  }
  if (c->primitive == GP_GROUP_BY_MANY) {
    if (c->aggregate_count < 1 || c->aggregate_count > GP_AGGREGATE_LIMIT)
      return gp__fail(GP_E_ARGUMENT, "%s: @aggregate_count is %llu, not 1 to %d", k->who, (gp__u64)c->aggregate_count,
          (int)GP_AGGREGATE_LIMIT);
    if (!c->aggregates) return gp__fail(GP_E_NULL, "%s: @aggregates is null", k->who);
    if (k->pointers >= GP__POINTERS_REACHED) GP__CHECK(gp__check_value_memory(k, "aggregates", c->aggregates));
    for (i = 0; i < (int)c->aggregate_count; ++i) GP__CHECK(gp__check_aggregate(k, i, room));
  }
  if (joins) {
    if ((int)c->join < GP_JOIN_INNER || (int)c->join > GP_JOIN_FLAGS)
      return gp__fail(GP_E_ARGUMENT, "%s: @join is %d, not a gp_join_kind", k->who, (int)c->join);
    if (q->inputs.keys2) GP__CHECK(gp__check_input_arrays(k, q->inputs.keys2 - 1, c->count2, 0));
    else GP__CHECK(gp__reading(k, "keys2", c->keys2, &k->key, c->count2, 1, 0));
    q->out_type = c->out_type;
    if (flags ? c->out_type != 0 : c->out_type != GP_U32 && c->out_type != GP_I64)
      return gp__fail(GP_E_TYPE,
          flags ? "%s: @out_type is set: flags are bytes" : "%s: @out_type (of indices) is %d, neither u32 nor i64",
          k->who, (int)c->out_type);
    q->offset_size = q->out_size = flags ? 1 : c->out_type == GP_U32 ? 4 : 8;
    q->offset_type = q->offset_size == 8 ? GP_U64 : GP_U32;
    if (c->out2 && c->join >= GP_JOIN_SEMI)
      return gp__fail(GP_E_ARGUMENT, "%s: @out2: a semi or anti join has no partners", k->who);
    if (flags && (c->capacity || c->out_count))
      return gp__fail(GP_E_ARGUMENT, "%s: @%s is set: there is a flag for each probe", k->who,
          c->capacity ? "capacity" : "out_count");
    GP__CHECK(gp__writing(k, "out", c->out, q->out_size, q->out_size, flags ? c->count : room, flags, 0));
    GP__CHECK(gp__writing(k, "out2", c->out2, q->out_size, q->out_size, room, 0, 0));
  } else GP__CHECK(gp__writing(k, "out_keys", c->out_keys, k->key.align, k->key.size, room, 0, 0));
  if (!flags) GP__CHECK(gp__writing(k, "out_count", c->out_count, 8, 8, 1, 1, 0));
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
static const gp__own_check gp__checks_hash[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_hash}};
