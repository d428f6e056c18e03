// top_k/check.c - checking a call: top-k, nth element, shuffle
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, top_k/policy.h,
//   core/system.c, core/messages.c, core/request.c, host/values.c, top_k/kinds.c, core/primitive.c, core/check_types.c,
//   core/checking.c, core/check_call_types.c, core/check_buffers.c, merge/check.c, segments/check.c

GP__HOST gp_result gp__check_moved(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  q->out_type = c->out_type ? c->out_type : k->in.size ? q->in_type : c->in_type;
  if (k->in.size) {
    if (q->out_type != q->in_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: this call does not convert elements", k->who);
    if (c->out2 || c->out2_type)
      GP__CHECK(gp__check_integer(
          k, "out2_type (of indices)", c->out2_type, 4, 8, "i32, u32, i64 or u64", &q->out2_type, &k->out2));
    q->out2_size = k->out2.size;
    return gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out);
  }
  if (c->out2 || c->out2_type)
    return gp__fail(GP_E_ARGUMENT, "%s: @out2 is set, but not @in: without values, @out takes indices", k->who);
  if (!q->out_type && !c->out && c->primitive != GP_SHUFFLE) return GP_SUCCESS;
  if (c->primitive == GP_SEGMENTED_TOP_K)
    return gp__check_integer(
        k, "out_type (of indices)", c->out_type, 4, 8, "i32, u32, i64 or u64", &q->out_type, &k->out);
  return gp__check_indices(k, c->primitive == GP_TOP_K ? (uint64_t)UINT32_MAX : (uint64_t)1 << 32);
}
// Bytes of an index of the keys in all rows.
GP__HOST int gp__order_index_bytes(const gp__request *q) {
  const uint64_t rows = q->primitive == GP_TOP_K && q->segments ? q->segments : 1;
  return q->count > UINT32_MAX / rows ? 8 : 4;
}
// Whether a top-k, of k results a row, consists of other calls, but for values beside indices.
GP__HOST int gp__has_many_ranks(const gp__request *q) {
  return q->op ? q->length > gp__order_few((int)q->key_size, gp__order_index_bytes(q))
      : q->primitive != GP_TOP_K && q->primitive != GP_NTH_ELEMENT && q->length > GP__TOP_K_FEW;
}
// Indices of up to `longest` elements, the call's `name`.
GP__HOST gp_result gp__check_longest(const gp__checking *k, const char *name, uint64_t longest) {
  const int both = k->out2.size != 0;
  const gp_type type = both ? k->c->out2_type : k->c->out_type;
  return (both || !k->in.size) && (both ? k->out2.size : k->out.size) == 4 &&
          longest > (type == GP_I32 ? (uint64_t)1 << 31 : UINT32_MAX)
      ? gp__fail(GP_E_SIZE, "%s: @%s is %llu, too large for indices of 4 bytes (@out%s_type): use i64 or u64", k->who,
            name, (gp__u64)longest, both ? "2" : "")
      : GP_SUCCESS;
}
// An operator orders keys in place of their bits.
GP__HOST gp_result gp__check_rank_order(gp__checking *k) { return k->c->op ? gp__check_order(k) : GP_SUCCESS; }
// Rows of a top-k; other calls have one.
GP__HOST uint64_t gp__rows_in(const gp_call *c) { return c->primitive == GP_TOP_K && c->rows ? c->rows : 1; }
GP__HOST gp_result gp__check_k(gp__checking *k) {
  const gp_call *c = k->c;
  const int nth = c->primitive == GP_NTH_ELEMENT, sorted = !(k->q->flags & GP_UNSORTED);
  if (c->k > c->count || (nth && c->count && c->n >= c->count))
    return gp__fail(GP_E_ARGUMENT, "%s: @%s is %llu, %s @count (%llu)", k->who, nth ? "n" : "k",
        (gp__u64)(nth ? c->n : c->k), nth ? "not below" : "above", (gp__u64)c->count);
  if (c->count && gp__rows_in(c) > UINT64_MAX / c->count)
    return gp__fail(
        GP_E_SIZE, "%s: @rows times @count overflows: %llu times %llu", k->who, (gp__u64)c->rows, (gp__u64)c->count);
  if (c->op && c->count_device && gp__rows_in(c) > 1)
    return gp__fail(GP_E_UNSUPPORTED, "%s: @count_device is set: rows that an operator orders (@op) are whole", k->who);
  GP__CHECK(gp__check_longest(k, "count", c->count));
  k->q->composed = k->out2.size || gp__has_many_ranks(k->q);
  if (!k->pointers || nth || !c->k) return GP_SUCCESS;
  if (!c->out_keys && !c->out) return gp__fail(GP_E_NULL, "%s: @out_keys and @out are both null", k->who);
  if (!c->op && !c->out_keys && sorted && c->k > GP__TOP_K_FEW)
    return gp__fail(GP_E_NULL, "%s: @out_keys is null: to sort more than %d results, set it; or use GP_UNSORTED",
        k->who, (int)GP__TOP_K_FEW);
  return GP_SUCCESS;
}

GP__HOST gp_result gp__check_top_k_out_type(gp__checking *k) {
  return k->c->primitive == GP_TOP_K ? gp__check_moved(k) : gp__check_out_type(k);
}
GP__HOST gp_result gp__check_ranked_keys(gp__checking *k) {
  const gp_call *c = k->c;
  GP__CHECK(gp__check_keys_type(k, "key_type"));
  if (c->op) {
    if (k->key.info && !k->q->user_op) return gp__no_struct(k, "op", k->q->op);
    if (!k->q->user_op) GP__CHECK(gp__check_operator_on(k->who, "op", k->q->op, k->q->key_type));
  } else {
    if (k->key.info)
      return gp__fail(GP_E_TYPE, "%s: @key_type is struct type %s, not a built-in type%s", k->who, k->key.info->name,
          k->reads & GP__READS_OP ? ", and op gives no order" : "");
    GP__CHECK(gp__check_short(
        k->who, "key_type", k->q->key_type, k->reads & GP__READS_OP ? "others with op LESS" : "use gp_sort_keys"));
  }
  return k->q->inputs.count && c->count_device && gp__rows_in(c) > 1
      ? gp__fail(GP_E_UNSUPPORTED, "%s: @count_device is set: rows of described inputs (GP_INPUT) are whole", k->who)
      : GP_SUCCESS;
}
GP__HOST gp_result gp__top_k_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  const uint64_t rows = gp__rows_in(k->c);
  b->in *= rows;
  b->keys *= rows;
  b->out = b->out_keys = b->out2 = k->c->primitive == GP_NTH_ELEMENT ? 1 : rows * k->c->k;
  b->out2_wanted = 1;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_top_k[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_rank_order},
    {GP__CHECK_OUT_TYPE, gp__check_top_k_out_type}, {GP__CHECK_KEY_TYPES, gp__check_ranked_keys},
    {GP__CHECK_NUMBERS, gp__check_k}, {GP__CHECK_BUFFERS, gp__top_k_buffers}};

GP__HOST gp_result gp__check_results(gp__checking *k) {
  k->q->length = k->c->k;
  k->q->composed = k->out2.size || gp__has_many_ranks(k->q);
  return k->c->k <= UINT32_MAX ? GP_SUCCESS
      : gp__fail(GP_E_ARGUMENT, "%s: @k is %llu, above 4294967295", k->who, (gp__u64)k->c->k);
}
GP__HOST gp_result gp__check_segmented_top_k(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  uint64_t longest;
  GP__CHECK(gp__check_equal_segments(k));
  longest = q->offset_size ? q->count : c->segment_length;
  GP__CHECK(gp__check_longest(k, q->offset_size ? "count" : "segment_length", longest));
  GP__CHECK(gp__check_results(k));
  if (c->k && c->segments > UINT64_MAX / c->k)
    return gp__fail(
        GP_E_SIZE, "%s: @segments times @k overflows: %llu times %llu", k->who, (gp__u64)c->segments, (gp__u64)c->k);
  return k->pointers && q->count && c->k && !c->out_keys && !c->out
      ? gp__fail(GP_E_NULL, "%s: @out_keys and @out are both null", k->who)
      : GP_SUCCESS;
}
GP__HOST gp_result gp__segmented_top_k_buffers(gp__checking *k) {
  static const gp__checked_type number = {4, 4, NULL};
  const gp_call *c = k->c;
  gp__buffers *b = k->buffers;
  b->begin_wanted = (c->flags & GP_CHECKED) || c->segments > 0;
  b->out = b->out_keys = b->out2 = c->segments * c->k;
  b->out2_wanted = 1;
  return c->in2 ? gp__reading(k, "in2", c->in2, &number, c->segments, 1, 0) : GP_SUCCESS;
}
static const gp__own_check gp__checks_segmented_top_k[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_rank_order},
    {GP__CHECK_OUT_TYPE, gp__check_moved}, {GP__CHECK_KEY_TYPES, gp__check_ranked_keys},
    {GP__CHECK_NUMBERS, gp__check_segmented_top_k}, {GP__CHECK_BUFFERS, gp__segmented_top_k_buffers}};

// Derives the keys of the shuffle's rounds.
GP__HOST gp_result gp__check_seed(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  int i;
  for (i = 0; i < GP__SHUFFLE_ROUNDS; ++i) {
    const uint32_t key = gp__shuffle_key(c->seed, i);
    memcpy(q->init.bytes + 4 * i, &key, sizeof key);
  }
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_shuffle[GP__CHECKS] = {
    {GP__CHECK_OUT_TYPE, gp__check_moved}, {GP__CHECK_VALUES, gp__check_seed}};
