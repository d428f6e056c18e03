// sort/check.c - checking a call: sorts
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/rules.h, sort/radix_policy.h, core/system.c,
//   core/messages.c, core/request.c, host/values.c, sort/host.c, core/names.c, core/primitive.c, core/check_types.c,
//   core/checking.c, core/check_call_types.c, core/check_buffers.c, merge/check.c

// Checks the values that move with keys: of in_type or, without an input, indices of out_type. They move as the
// unsigned type of their size.
GP__HOST gp_result gp__check_moved_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->in || c->in_type) {
    GP__CHECK(gp__check_values_type(k));
    if (!k->in.info) q->in_type = gp__bits_type(k->in.size);
    q->out_type = q->in_type;
    k->out = k->in;
  } else if (c->out || c->out_type) {
    GP__CHECK(gp__check_integer(k, "out_type (of indices)", c->out_type, 4, 8,
        "i32, u32, i64 or u64: indices are integers (for values, set gp_call.in_type)", &q->out_type, &k->out));
    q->in_type = q->out_type;
  }
  q->in_struct = q->out_struct = k->out.info;
  q->in_size = q->out_size = k->out.size;
  return GP_SUCCESS;
}
// Checks the fields that order a struct. A user's operator that maps it to a built-in type excludes them.
GP__HOST gp_result gp__check_key_fields(gp__checking *k, int *bits) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type t = {0, 0, NULL};
  int i;
  if (!k->key.info) return gp__fail(GP_E_ARGUMENT, "%s: @fields: only struct keys have fields", k->who);
  if (c->transform) return gp__fail(GP_E_ARGUMENT, "%s: @fields and @transform are both set: set one of them", k->who);
  if (!c->fields) return gp__fail(GP_E_NULL, "%s: @fields is null, but @field_count is %d", k->who, c->field_count);
  if (c->field_count < 1)
    return gp__fail(GP_E_ARGUMENT, "%s: @field_count is %d, not 1 or more", k->who, c->field_count);
  *bits = 0;
  for (i = 0; i < c->field_count; ++i) {
    const gp_key_field *f = &c->fields[i];
    GP__CHECK(gp__check_type(k->s, k->who, "fields: a type", f->type, &t));
    if (t.info) return gp__fail(GP_E_TYPE, "%s: @fields: field %d has a struct type, not a built-in type", k->who, i);
    GP__CHECK(gp__check_short(k->who, "fields: a type", f->type, "give its two halves as fields"));
    if (f->offset % t.size || f->offset > k->key.size || t.size > k->key.size - f->offset)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @fields: field %d: %s at offset %lu is not aligned, or not inside %s of %lu bytes", k->who, i,
          gp__type_rows[f->type].name, (unsigned long)f->offset, k->key.info->name, (unsigned long)k->key.size);
    *bits += 8 * (int)t.size;
    if (*bits > 8 * GP__RADIX_PASSES)
      return gp__fail(GP_E_SIZE, "%s: @fields: all fields together have more than %d bytes", k->who, GP__RADIX_PASSES);
  }
  q->acc_size = 8; // words of the ordered key
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_sort_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type ordered = {0, 0, NULL};
  int bits;
  k->fold = 0;
  GP__CHECK(gp__check_keys_type(k, "key_type"));
  bits = 8 * (int)k->key.size;
  if (c->transform) {
    if (!q->user_transform)
      return gp__fail(
          GP_E_OPERATOR, "%s: @transform is %s, not a user's unary operator", k->who, gp__op_rows[c->transform].name);
    q->acc_type = c->acc_type;
    GP__CHECK(gp__check_type(k->s, k->who, "acc_type (of transform's result)", q->acc_type, &ordered));
    if (ordered.info)
      return gp__fail(GP_E_TYPE, "%s: @acc_type (of transform's result) is a struct type, not a built-in type", k->who);
    GP__CHECK(gp__check_short(k->who, "acc_type (of transform's result)", q->acc_type, "sort by fields"));
    q->acc_size = ordered.size;
    bits = 8 * (int)ordered.size;
    if (c->fields) return gp__fail(GP_E_ARGUMENT, "%s: @fields and @transform are both set: set one of them", k->who);
  } else if (c->acc_type) {
    return gp__fail(GP_E_TYPE, "%s: @acc_type is set, but there is no transform", k->who);
  } else if (c->fields || c->field_count) {
    GP__CHECK(gp__check_key_fields(k, &bits));
  } else if ((q->field_count = gp__key_parts_of(c->key_type, &q->fields)) != 0) {
    q->acc_size = 8;
  } else if (k->key.info) {
    return gp__fail(GP_E_TYPE,
        "%s: @key_type is a struct type: set fields or a transform (a user's operator) to order the keys, "
        "or use gp_merge_sort with a comparison",
        k->who);
  }
  q->begin_bit = c->begin_bit;
  q->end_bit = c->begin_bit || c->end_bit ? c->end_bit : bits;
  if (q->begin_bit < 0 || q->begin_bit > q->end_bit || q->end_bit > bits)
    return gp__fail(GP_E_ARGUMENT, "%s: @begin_bit and @end_bit: [%d, %d) is not a range of the %d bits of a key",
        k->who, c->begin_bit, c->end_bit, bits);
  GP__CHECK(gp__check_moved_values(k));
  return k->in.size ? GP_SUCCESS : gp__check_reach(k, (uint64_t)1 << 32);
}

GP__HOST gp_result gp__sort_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->out_keys_wanted = k->in.size || !k->q->in_size;
  return gp__check_little_memory(k);
}
static const gp__own_check gp__checks_sort[GP__CHECKS] = {
    {GP__CHECK_TYPES, gp__check_sort_types}, {GP__CHECK_BUFFERS, gp__sort_buffers}};
