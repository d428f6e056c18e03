// group_by/check.c - checking a call: group-by
// uses: api/lists.h, core/rules.h, core/system.c, core/messages.c, core/request.c, host/values.c, core/names.c,
//   core/primitive.c, core/checking.c, core/check_call_types.c

GP__HOST gp_result gp__check_group_keys(gp__checking *k) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_keys_type(k, "key_type"));
  if (k->key.info)
    return gp__fail(GP_E_TYPE, "%s: @key_type is struct type \"%s\", not a built-in type", k->who, k->key.info->name);
  if (gp__is_complex(q->key_type))
    return gp__fail(GP_E_TYPE, "%s: @key_type is %s: use gp_sort_pairs and gp_reduce_by_key", k->who,
        gp__type_rows[q->key_type].name);
  if (q->op == GP_ARGMIN || q->op == GP_ARGMAX)
    return gp__fail(GP_E_OPERATOR, "%s: @op: %s is for reduce and scan only", k->who, gp__op_rows[q->op].name);
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_group_by[GP__CHECKS] = {{GP__CHECK_KEY_TYPES, gp__check_group_keys}};
