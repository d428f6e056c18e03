// core/check.c - checking a call as a whole
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/struct_size.c, core/request.c,
//   core/names.c, core/primitive.c, core/state.c, core/checking.c, core/check_operators.c, core/check_call_types.c,
//   core/check_numbers.c, core/check_buffers.c, core/check_values.c

// Pointers of a call, inputs before outputs: X(member).
#define GP__CALL_POINTERS(X) \
  X(in) \
  X(in2) \
  X(keys) \
  X(keys2) \
  X(begin) \
  X(end) \
  X(count_device) \
  X(init_device) \
  X(out) \
  X(out2) \
  X(out3) \
  X(out_keys) \
  X(out_count) \
  X(bad) \
  X(workspace)
// Members that a request takes as they are, too.
#define GP__CALL_REST(X) \
  X(primitive) \
  X(flags) \
  X(fields) \
  X(source) \
  X(sources) \
  X(source_device) \
  X(limit) \
  X(statistics) \
  X(fault) \
  X(aggregates) \
  X(aggregate_count) \
  X(capacity) \
  X(join) \
  X(columns) \
  X(column_count) \
  X(key_columns) \
  X(workspace_bytes)

// Checks a call completely, before anything happens, and fills in every default. host: it will run there. pointers: 0
// where nothing will run, so that buffers and values may be missing; otherwise a GP__POINTERS_... (core/checking.c).
GP__HOST gp_result gp__check_call_with(gp__checking *k, gp_call *whole, gp__state *s, const char *caller,
    const gp_call *c, int host, int pointers, gp__request *q) {
  const gp__primitive *row;
  const gp__own_check *own;
  if (!c) return gp__fail(GP_E_NULL, "%s: call is null", caller);
  GP__TAKE_STRUCT(caller, "call", c, *whole, gp_call);
  if ((int)c->primitive <= GP_PRIMITIVE_NONE || (int)c->primitive >= GP_PRIMITIVE_COUNT)
    return gp__fail(GP_E_ARGUMENT, "%s: call.primitive is %d, not a gp_primitive", caller, (int)c->primitive);
  row = gp__primitive_of(c->primitive);
  memset(q, 0, offsetof(gp__request, inputs.node));
  memset(k, 0, offsetof(gp__checking, read));
  k->read_count = k->written_count = 0;
  k->s = s;
  k->who = gp__primitive_names[c->primitive];
  k->c = c;
  k->q = q;
  k->host = host;
  k->pointers = pointers;
  k->reads = row->reads;
  k->traits = row->traits;
  for (own = row->family->checks; own->name != GP__CHECK_END; ++own) k->own[own->name] = own->check;
  k->fold = (k->reads & GP__READS_ACC_TYPE) != 0;
#define GP__TAKE(member) q->member = c->member;
  GP__CALL_POINTERS(GP__TAKE)
  GP__CALL_REST(GP__TAKE)
#undef GP__TAKE
  GP__CHECK(gp__check_fields(k));
  if (k->own[GP__CHECK_WHOLE]) {
    GP__CHECK(k->own[GP__CHECK_WHOLE](k));
    return gp__check_workspace(k);
  }
  GP__CHECK(k->own[GP__CHECK_OPERATORS] ? k->own[GP__CHECK_OPERATORS](k) : gp__check_operators(k));
  GP__CHECK(k->own[GP__CHECK_TYPES] ? k->own[GP__CHECK_TYPES](k) : gp__check_types(k));
  GP__CHECK(gp__check_numbers(k));
  GP__CHECK(gp__check_buffers(k));
  GP__CHECK(gp__check_workspace(k));
  GP__CHECK(gp__check_values(k));
  if (q->in_steps && c->policy)
    return gp__fail(
        GP_E_POLICY, "%s: @policy is set, but @flags make the call run others, which choose theirs", k->who);
  return k->own[GP__CHECK_LAST] ? k->own[GP__CHECK_LAST](k) : GP_SUCCESS;
}
GP__HOST gp_result gp__check_call(
    gp__state *s, const char *caller, const gp_call *c, int host, int pointers, gp__request *q) {
  gp__checking k;
  gp_call whole;
  return gp__check_call_with(&k, &whole, s, caller, c, host, pointers, q);
}

// Whether there is nothing to launch. (Results that do not depend on elements are written all the same.)
GP__HOST int gp__nothing_to_do(const gp__request *q) {
  const gp__family *family = gp__methods_of(q);
  return family->idle ? family->idle(q) : !q->count;
}
