// core/check_call_types.c - checking a call: its types
// uses: api/config.h, api/lists.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, host/values.c, core/names.c, core/primitive.c, core/check_types.c, core/reads.c, core/checking.c,
//   core/check_inputs.c

// An integer type of `smallest` to `largest` bytes. Kernels read the unsigned type of its size in its place.
GP__HOST gp_result gp__check_integer(const gp__checking *k, const char *field, gp_type type, size_t smallest,
    size_t largest, const char *wanted, gp_type *unsigned_type, gp__checked_type *t) {
  GP__CHECK(gp__check_type(k->s, k->who, field, type, t));
  if (type == GP_BOOL && smallest == 1) return *unsigned_type = GP_U8, GP_SUCCESS; // flags
  if (t->info || !gp__is_integer(type) || t->size < smallest || t->size > largest)
    return gp__fail(
        GP_E_TYPE, "%s: @%s is %s, not %s", k->who, field, t->info ? t->info->name : gp__type_rows[type].name, wanted);
  *unsigned_type = t->size == 1 ? GP_U8 : t->size == 2 ? GP_U16 : t->size == 4 ? GP_U32 : GP_U64;
  return GP_SUCCESS;
}

// The type of an input, an array or a described one, which leaves no array in the request.
GP__HOST gp_result gp__check_input_type(gp__checking *k, const char *field, gp_type wanted, const void *input,
    gp_type *type, gp__checked_type *t, int *root) {
  gp__request *q = k->q;
  const int first = root == &q->inputs.in, second = root == &q->inputs.in2;
  *type = wanted;
  if (wanted != GP_INPUT || k->traits & (GP__TAKES_AXES | GP__TAKES_PERMUTATION))
    return gp__check_type(k->s, k->who, field, wanted, t);
  *(first ? &q->in : second ? &q->in2 : &q->keys) = NULL;
  if (k->traits & (first ? GP__TAKES_INPUTS : second ? GP__TAKES_SECOND : 0)) q->fused |= first ? 1 : 2;
  else q->written = 1;
  return gp__check_described(k, field, input, type, t, root);
}
GP__HOST gp_result gp__check_in2_type(gp__checking *k, const char *field, gp_type wanted) {
  return gp__check_input_type(k, field, wanted, k->c->in2, &k->q->in2_type, &k->in2, &k->q->inputs.in2);
}
GP__HOST gp_result gp__check_keys_type(gp__checking *k, const char *field) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_input_type(k, field, k->c->key_type, q->keys, &q->key_type, &k->key, &q->inputs.keys));
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_values_type(gp__checking *k) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_input_type(k, "in_type", k->c->in_type, q->in, &q->in_type, &k->in, &q->inputs.in));
  return k->c->out_type && k->c->out_type != q->in_type
      ? gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: this call does not convert values", k->who)
      : GP_SUCCESS;
}
// The second input is described where the first one is.
GP__HOST gp_result gp__check_second(
    gp__checking *k, const char *name, const void *input, int first, gp_type type, int *root) {
  gp__checked_type t;
  gp_type own;
  if (!first || !input) return GP_SUCCESS;
  GP__CHECK(gp__check_described(k, name, input, &own, &t, root));
  return own == type ? GP_SUCCESS
      : gp__fail(GP_E_TYPE, "%s: @%s: its elements have another type than those before", k->who, name);
}

GP__HOST gp_result gp__no_struct(const gp__checking *k, const char *field, gp_op op) {
  return gp__fail(GP_E_OPERATOR, "%s: @%s: %s does not work on struct types: define an operator (gp_op_define)", k->who,
      field, gp__op_rows[op].name);
}

// The accumulator of results of a type.
GP__HOST gp_type gp__accumulator_of(gp_type type, gp_op op) {
  return gp__is_small_float(type) && !(type == GP_E4M3 && (op == GP_MIN || op == GP_MAX)) // it has no infinity
      ? (gp_type)GP_F32
      : type;
}
// Types of primitives with an accumulator.
GP__HOST gp_result gp__check_accumulator(gp__checking *k) {
  gp__checked_type acc = {0, 0, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int builtin_op = !q->user_op, host = k->host;
  q->is_arg = q->op == GP_ARGMIN || q->op == GP_ARGMAX ? 1 : q->op == GP_MINMAX ? 2 : q->op == GP_ARGMINMAX ? 3 : 0;
  q->acc_type = c->acc_type ? c->acc_type : q->is_arg ? q->out_type : gp__accumulator_of(q->out_type, q->op);
  GP__CHECK(gp__check_type(k->s, who, "acc_type", q->acc_type, &acc));
  q->acc_struct = acc.info;
  q->acc_size = acc.size;
  if (builtin_op && (acc.info || (q->out_struct && !q->is_arg && !q->user_stored)))
    return gp__no_struct(k, "op", q->op);
  GP__CHECK(gp__check_operator_on(who, "op", q->op, q->acc_type));
  GP__CHECK(gp__check_operator_on(who, "transform", q->transform, q->acc_type));
  if (q->is_arg && q->acc_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: @acc_type and @out_type differ: %s accumulates in the type of its value", who,
        gp__op_rows[q->op].name);
  if ((q->in_struct || acc.info) && !q->user_transform && q->in_type != q->acc_type)
    return gp__fail(
        GP_E_TYPE, "%s: @in_type: cannot convert to the accumulator's type: one of them is a struct type", who);
  if (q->stored && q->is_arg)
    return gp__fail(
        GP_E_OPERATOR, "%s: @apply is set, but %s has results of several values", who, gp__op_rows[q->op].name);
  if (q->stored && !q->user_stored && acc.info) return gp__no_struct(k, "apply", q->stored);
  GP__CHECK(gp__check_operator_on(who, "apply", q->user_stored ? GP_OP_DEFAULT : q->stored, q->out_type));
  if ((q->out_struct || acc.info) && q->out_type != q->acc_type && !q->user_stored)
    return gp__fail(
        GP_E_TYPE, "%s: @out_type: cannot convert from the accumulator's type: one of them is a struct type", who);
  if (q->user_op && !host && !q->user_op->identity)
    return gp__fail(GP_E_OPERATOR, "%s: @op: operator \"%s\" has no gp_op_desc.identity: this call needs one", who,
        q->user_op->name);
  if (q->user_op && host && !q->user_op->has_host_identity)
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @op: operator \"%s\" has no gp_op_desc.host_identity: the host back end needs one", who, q->user_op->name);
  if (q->user_op && host && (size_t)q->user_op->has_host_identity != q->acc_size)
    return gp__fail(GP_E_OPERATOR,
        "%s: @op: gp_op_desc.host_identity_size of \"%s\" is %d, but the accumulator has %lu bytes", who,
        q->user_op->name, q->user_op->has_host_identity, (unsigned long)q->acc_size);
  if (q->is_arg) {
    if (q->is_arg != GP__IS_BOTH) q->acc_size = 16, k->out.align = 8; // struct { T value; int64_t index; }
    if (q->is_arg & GP__IS_BOTH) q->acc_size *= 2;
    q->out_size = q->acc_size;
  }
  return GP_SUCCESS;
}

// Types of keys, offsets, lengths and positions.
GP__HOST gp_result gp__check_key_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (k->by_flags || q->equal == GP_HEADS) {
    GP__CHECK(gp__check_keys_type(k, "key_type (of flags)"));
    GP__CHECK(gp__check_integer(
        k, "key_type (of flags)", q->key_type, 1, 4, "bool or an integer of 1, 2 or 4 bytes", &q->key_type, &k->key));
  } else if (k->reads & GP__READS_EQUAL) {
    GP__CHECK(gp__check_keys_type(k, "key_type"));
    if (k->key.info && !q->user_equal) return gp__no_struct(k, "equal", q->equal);
  } else if (k->own[GP__CHECK_KEY_TYPES]) {
    GP__CHECK(k->own[GP__CHECK_KEY_TYPES](k));
  }
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  if ((k->reads & GP__READS_OFFSET_TYPE) && // segments of one length have none
      (!(k->reads & GP__READS_SEGMENT_LENGTH) || c->begin || c->end || c->offset_type))
    GP__CHECK(
        gp__check_integer(k, "offset_type", c->offset_type, 4, 8, "i32, u32, i64 or u64", &q->offset_type, &k->offset));
  q->offset_size = k->offset.size;
  if ((k->reads & GP__READS_LENGTHS) == GP__READS_LENGTHS) {
    gp_type type = c->out2_type ? c->out2_type : c->out_type ? c->out_type : (gp_type)GP_U32;
    GP__CHECK(
        gp__check_integer(k, "out2_type (of lengths)", type, 4, 8, "i32, u32, i64 or u64", &q->out2_type, &k->out2));
    if (c->out_type && c->out_type != type)
      return gp__fail(
          GP_E_TYPE, "%s: @out_type and @out2_type differ: offsets and lengths must have the same type", k->who);
    if (k->reads & GP__READS_OUT) q->out_type = q->out2_type, k->out = k->out2;
    else if (!c->out2 && (k->pointers || !c->out2_type)) { // no lengths are wanted
      q->out2_type = GP_TYPE_DEFAULT;
      k->out2.size = 0;
    }
    q->out2_size = k->out2.size;
  }
  return GP_SUCCESS;
}

// The output's type, and how it must match the input's.
GP__HOST gp_result gp__check_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int moved = k->traits & GP__KEEPS_TYPE;
  if (!q->out_type) q->out_type = c->out_type ? c->out_type : q->inputs.in ? q->in_type : c->in_type;
  if (q->out_type || ((k->reads & GP__READS_OUT) && !(k->reads & GP__READS_OUT2_TYPE) && !(moved && !k->in.size)))
    GP__CHECK(gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out));
  if (moved && q->out_type != q->in_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: this call does not convert elements", k->who);
  return GP_SUCCESS;
}
// An index type: u32 or u64. what: "out_type (of indices)".
GP__HOST gp_result gp__check_index_type(gp__checking *k, const char *what) {
  gp__request *q = k->q;
  const gp_type type = k->c->out_type;
  GP__CHECK(gp__check_integer(k, what, type, 4, 8, "u32 or u64", &q->out_type, &k->out));
  return q->out_type == type
      ? GP_SUCCESS
      : gp__fail(GP_E_TYPE, "%s: @%s is %s, not u32 or u64", k->who, what, gp__type_rows[type].name);
}
GP__HOST gp_result gp__check_reach(const gp__checking *k, uint64_t most) {
  return k->out.size == 4 && k->c->count > most
      ? gp__fail(GP_E_SIZE, "%s: @count is %llu, too large for u32 indices (@out_type): use u64", k->who,
            (gp__u64)k->c->count)
      : GP_SUCCESS;
}
// Indices of elements; u32 serves up to `most` elements.
GP__HOST gp_result gp__check_indices(gp__checking *k, uint64_t most) {
  GP__CHECK(gp__check_index_type(k, "out_type (of indices)"));
  return gp__check_reach(k, most);
}

GP__HOST gp_result gp__check_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int alone = (k->traits & GP__TAKES_KEYS_ALONE) && (!c->out || (k->traits & GP__TAKES_INDICES));
  if ((k->reads & GP__READS_IN) && (!alone || c->in_type || c->in))
    GP__CHECK(gp__check_input_type(k, "in_type", c->in_type, c->in, &q->in_type, &k->in, &q->inputs.in));
  GP__CHECK(k->own[GP__CHECK_OUT_TYPE] ? k->own[GP__CHECK_OUT_TYPE](k) : gp__check_out_type(k));
  GP__CHECK(gp__check_key_types(k));
  q->in_struct = k->in.info;
  q->in2_struct = k->in2.info;
  q->out_struct = k->out.info;
  q->in_size = k->in.size;
  q->in2_size = k->in2.size;
  q->out_size = k->out.size;
  if (c->transform && !q->user_transform && k->in.info) return gp__no_struct(k, "transform", c->transform);
  return k->fold ? gp__check_accumulator(k) : GP_SUCCESS;
}

// Whether every order of operations gives the same bits.
GP__HOST int gp__any_order(const gp__request *q) {
  return !q->user_op && q->op &&
      (gp__is_integer(q->acc_type) || q->acc_type == GP_BOOL || (q->op != GP_SUM && q->op != GP_PROD));
}
