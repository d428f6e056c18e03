// segmented_sort/check.c - checking a call: segmented sorts
// uses: api/config.h, api/lists.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, core/primitive.c, core/check_types.c, core/checking.c, core/check_call_types.c,
//   core/check_buffers.c, segments/check.c

// Checks keys of a built-in type, with values of any type, indices, or neither. Values move unchanged.
GP__HOST gp_result gp__check_sorted_segments(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int values = c->in_type || c->in, indices = !values && (c->out_type || c->out);
  int bits;
  GP__CHECK(gp__check_keys_type(k, "key_type"));
  if (k->key.info) return gp__fail(GP_E_TYPE, "%s: @key_type is a struct type, not a built-in type", who);
  GP__CHECK(gp__check_short(who, "key_type", q->key_type, "sort by segment and key: a struct and gp_key_field"));
  if (values) {
    GP__CHECK(gp__check_values_type(k));
    q->out_type = q->in_type;
    k->out = k->in;
  } else if (indices) {
    GP__CHECK(gp__check_indices(k, (uint64_t)1 << 32));
  }
  q->in_struct = k->in.info;
  q->out_struct = k->out.info;
  q->in_size = k->in.size;
  q->out_size = k->out.size;
  if (c->begin || c->end || c->offset_type) // segments of one length have none
    GP__CHECK(
        gp__check_integer(k, "offset_type", c->offset_type, 4, 8, "i32, u32, i64 or u64", &q->offset_type, &k->offset));
  q->offset_size = k->offset.size;
  bits = 8 * (int)q->key_size;
  if (c->begin_bit < 0 || c->end_bit > bits || c->begin_bit > c->end_bit)
    return gp__fail(GP_E_ARGUMENT, "%s: @begin_bit and @end_bit: [%d, %d) is not a range of the %d bits of a key", who,
        c->begin_bit, c->end_bit, bits);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_sorted_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  GP__CHECK(gp__check_equal_segments(k));
  if (q->count >> 44)
    return gp__fail(GP_E_SIZE, "%s: @%s is %llu, not below 2^44", k->who,
        c->count ? "count" : "segments times @segment_length", (gp__u64)q->count);
  // Indices count from the beginning of the keys.
  return !q->offset_size && k->out.size == 4 && !k->in.size && q->count > (uint64_t)1 << 32
      ? gp__fail(GP_E_SIZE,
            "%s: @segments times @segment_length is %llu, too large for u32 indices (@out_type): use u64", k->who,
            (gp__u64)q->count)
      : GP_SUCCESS;
}
GP__HOST gp_result gp__sorted_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->keys = b->out_keys = b->in = b->out = k->q->count;
  return GP_SUCCESS;
}

static const gp__own_check gp__checks_segmented_sort[GP__CHECKS] = {{GP__CHECK_TYPES, gp__check_sorted_segments},
    {GP__CHECK_NUMBERS, gp__check_sorted_numbers}, {GP__CHECK_BUFFERS, gp__sorted_buffers}};
