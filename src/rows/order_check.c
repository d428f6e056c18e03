// rows/order_check.c - checking a call: sorts and top-k along an axis
// uses: api/config.h, api/lists.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, host/values.c, core/primitive.c, core/check_types.c, core/checking.c, core/check_call_types.c,
//   core/check_buffers.c, top_k/check.c, rows/check.c

GP__HOST gp_result gp__check_row_order(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__rows *r = &q->rows;
  const int top = c->primitive == GP_TOP_K_AXIS, indices = c->out_type || c->out;
  const gp__checked_type bytes = {1, 1, NULL};
  gp__row_span of_keys;
  uint64_t most;
  GP__CHECK(gp__check_rank_order(k));
  GP__CHECK(gp__check_ranked_keys(k));
  if (indices)
    GP__CHECK(gp__check_integer(
        k, "out_type (of indices)", c->out_type, 4, 8, "i32, u32, i64 or u64", &q->out_type, &k->out));
  k->in = k->key;
  q->in_type = q->key_type;
  q->in_struct = q->key_struct;
  q->in_size = q->key_size;
  q->out_size = k->out.size;
  q->channels = q->active = 1;
  GP__CHECK(gp__check_results(k));
  GP__CHECK(gp__take_axes(k, top ? c->k : GP__WHOLE_ROWS, k->key.size, &of_keys));
  GP__CHECK(gp__take_axes(k, top ? c->k : GP__WHOLE_ROWS, indices ? k->out.size : 1, &r->out_span));
  most = c->out_type == GP_I32 ? (uint64_t)1 << 31 : (uint64_t)1 << 32;
  if (indices && k->out.size == 4 && q->count > most)
    return gp__fail(GP_E_SIZE,
        "%s: @axes.extent: %llu elements are too many for indices of 4 bytes (@out_type): use "
        "i64 or u64",
        k->who, (gp__u64)q->count);
  if (q->count >> 44)
    return gp__fail(GP_E_SIZE, "%s: @axes.extent: %llu elements, not below 2^44", k->who, (gp__u64)q->count);
  if (!top) q->length = r->extent[0];
  if (q->op) q->composed = 0; // the segments' call ranks them all
  if (k->pointers && q->count && !top && c->out_type && !c->out) return gp__fail(GP_E_NULL, "%s: @out is null", k->who);
  if (k->pointers && q->count && q->length && !c->out_keys && !c->out)
    return gp__fail(GP_E_NULL, "%s: @out_keys and @out are both null", k->who);
  // Alignment, then what is read and written, from the lowest addresses.
  GP__CHECK(gp__check_pointer(k, "keys", c->keys, k->key.align, 0, k->key.size, 0));
  GP__CHECK(gp__check_pointer(k, "out_keys", c->out_keys, k->key.align, 0, k->key.size, 0));
  if (indices) GP__CHECK(gp__check_pointer(k, "out", c->out, k->out.align, 0, k->out.size, 0));
  GP__CHECK(gp__reading(k, "keys", gp__lowest(c->keys, &r->in_span), &bytes, r->in_span.bytes, 1,
      !top && r->same ? GP__ALIAS_OF_OUT_KEYS : 0));
  GP__CHECK(
      gp__writing(k, "out_keys", gp__lowest(c->out_keys, &of_keys), 1, 1, of_keys.bytes, 0, GP__ALIAS_OF_OUT_KEYS));
  if (indices)
    GP__CHECK(gp__writing(k, "out", gp__lowest(c->out, &r->out_span), 1, 1, r->out_span.bytes, 1, GP__ALIAS_OF_OUT));
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
static const gp__own_check gp__checks_row_order[GP__CHECKS] = {{GP__CHECK_WHOLE, gp__check_row_order}};
