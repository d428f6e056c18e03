// merge/check.c - checking a call: merges, merge sort and sets
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/rules.h, core/shape.h, sort/radix_policy.h,
//   families.h, core/system.c, core/messages.c, core/request.c, host/values.c, merge/kinds.c, core/primitive.c,
//   core/state.c, core/check_types.c, core/checking.c, core/check_operators.c, core/check_call_types.c,
//   core/check_buffers.c

// True if `op` is an order of keys.
GP__HOST int gp__is_ordered(gp_primitive p) { return gp__family_of(p) == GP__FAMILY_MERGE || p == GP_IS_SORTED; }
// True if values of the second input are in the result.
GP__HOST int gp__takes_second_values(gp_primitive p) {
  return p == GP_MERGE || p == GP_SET_UNION || p == GP_SET_SYMMETRIC_DIFFERENCE;
}
// Most results of a merge or a set operation.
GP__HOST uint64_t gp__most_results(const gp__request *q) {
  return q->primitive == GP_SET_INTERSECTION ? gp__smaller(q->count, q->count2)
      : q->primitive == GP_SET_DIFFERENCE ? q->count
      : q->count + q->count2;
}

// GP_DESCENDING exchanges LESS and GREATER; a user's order is reversed where it is applied.
GP__HOST gp_result gp__check_order(gp__checking *k) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_order_of(k, 1));
  if (!q->user_op && (q->flags & GP_DESCENDING)) {
    q->op = q->op == GP_LESS ? GP_GREATER : GP_LESS;
    q->flags &= ~GP_DESCENDING;
  }
  return GP_SUCCESS;
}
// Checks keys ordered by `op`, and values that move with them. Merge sort without `in` and in_type writes the keys'
// indices to `out`.
GP__HOST gp_result gp__check_ordered_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int values = (k->reads & GP__READS_OUT) && (c->in_type || c->out_type || c->in || c->in2 || c->out);
  GP__CHECK(gp__check_keys_type(k, "key_type"));
  GP__CHECK(gp__check_second(k, "keys2", c->keys2, q->inputs.keys, q->key_type, &q->inputs.keys2));
  if (k->key.info && !q->user_op) return gp__no_struct(k, "op", q->op);
  if (!q->user_op) GP__CHECK(gp__check_operator_on(k->who, "op", q->op, q->key_type));
  if (c->primitive == GP_IS_SORTED) {
    q->acc_type = q->out_type = GP_U64;
    q->acc_size = q->out_size = 8;
  } else if (values) {
    const int indices = c->primitive == GP_MERGE_SORT && !c->in && !c->in_type;
    if (indices) GP__CHECK(gp__check_indices(k, UINT32_MAX));
    else {
      GP__CHECK(gp__check_values_type(k));
      GP__CHECK(gp__check_second(k, "in2", c->in2, q->inputs.in, q->in_type, &q->inputs.in2));
      q->out_type = q->in_type;
      k->out = k->in;
    }
    q->in_type = q->out_type;
    q->in_struct = q->out_struct = k->out.info;
    q->in_size = q->out_size = k->out.size;
  }
  return GP_SUCCESS;
}

GP__HOST int gp__sorts_as_integer(gp_type type) { return gp__is_integer(type) || type == GP_BOOL; }
// Merge sort of numbers is a radix sort, unless the policy asks for merges: numbers are ordered as their bits, except
// -0, and a stable sort has one result.
GP__HOST int gp__is_radix_sorted(const gp_call *c, const gp__request *q, int host) {
  return c->primitive == GP_MERGE_SORT && !q->user_op &&
      (gp__sorts_as_integer(q->key_type) || (!host && !q->key_struct && c->count >> GP__NUMBERS_LOG2)) &&
      !(c->policy && (c->policy->algorithm == GP_MERGE_PASSES || c->policy->algorithm == GP_FOUR_WAY_PASSES));
}

// The host cuts a sort in little memory into blocks, which are merged by whole keys.
GP__HOST gp_result gp__check_little_memory(gp__checking *k) {
  const gp_call *c = k->c;
  if (!(c->flags & GP_LITTLE_MEMORY)) return GP_SUCCESS;
  if (c->count_device || c->begin_bit || c->end_bit)
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @flags: GP_LITTLE_MEMORY excludes @count_device, @begin_bit and @end_bit", k->who);
  k->buffers->out_keys_wanted = k->q->in_steps = 1;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__merge_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  GP__CHECK(gp__check_little_memory(k));
  b->out = b->out_keys = gp__most_results(k->q);
  b->in2_values = gp__takes_second_values(k->c->primitive);
  b->in2 = k->q->count2;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_call(
    gp__state *s, const char *caller, const gp_call *c, int host, int pointers, gp__request *q);
GP__HOST gp_result gp__check_radix_sorted(gp__checking *k) {
  gp__request *q = k->q;
  gp_call sort = *k->c;
  const int numbers = !gp__sorts_as_integer(q->key_type);
  if (!gp__is_radix_sorted(k->c, q, k->host)) return GP_SUCCESS;
  sort.primitive = GP_SORT;
  sort.op = GP_OP_DEFAULT;
  sort.flags = (sort.flags & ~GP_DESCENDING) | (q->op == GP_GREATER ? GP_DESCENDING : 0);
  GP__CHECK(gp__check_call(k->s, k->who, &sort, k->host, k->pointers, q));
  q->numbers = numbers;
  if (numbers) q->acc_size = q->key_size; // excludes sorts by bits alone: -0 and +0 tie
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_merge[GP__CHECKS] = {{GP__CHECK_OPERATORS, gp__check_order},
    {GP__CHECK_TYPES, gp__check_ordered_types}, {GP__CHECK_BUFFERS, gp__merge_buffers},
    {GP__CHECK_LAST, gp__check_radix_sorted}};
