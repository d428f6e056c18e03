// core/check_call_types.c - checking a call: its types
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/shape.h, sort/radix_policy.h, core/system.c,
//   core/messages.c, core/request.c, core/names.c, core/kinds.c, core/check_types.c, core/reads.c, core/checking.c

// An integer type of so many bytes: it becomes the unsigned one of its size, which kernels read in its place.
GPUPRIMS__PRIVATE gp_result gp__check_integer(const gp__checking *k, const char *field, gp_type type, size_t smallest,
                                              size_t largest, const char *wanted, gp_type *unsigned_type,
                                              gp__checked_type *t) {
  GPUPRIMS__CHECK(gp__check_type(k->s, k->who, field, type, t));
  if (t->info || !gp__is_integer(type) || t->size < smallest || t->size > largest)
    return gp__fail(GP_E_TYPE, "%s: @%s is %s, not %s", k->who, field,
                    t->info ? t->info->name : gp__type_rows[type].name, wanted);
  *unsigned_type = t->size == 1 ? GP_U8 : t->size == 2 ? GP_U16 : t->size == 4 ? GP_U32 : GP_U64;
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__no_struct(const gp__checking *k, const char *field, gp_op op) {
  return gp__fail(GP_E_OPERATOR, "%s: @%s: %s cannot take a struct type; a user's operator can", k->who, field,
                  gp__op_rows[op].name);
}

// Types, of primitives with an accumulator.
GPUPRIMS__PRIVATE gp_result gp__check_accumulator(gp__checking *k) {
  gp__checked_type acc = {0, 0, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int builtin_op = !q->user_op, host = k->host;
  q->is_arg = q->op == GP_ARGMIN || q->op == GP_ARGMAX;
  q->acc_type = c->acc_type                                                       ? c->acc_type
                : !q->is_arg && (q->out_type == GP_F16 || q->out_type == GP_BF16) ? (gp_type)GP_F32
                                                                                  : q->out_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, who, "acc_type", q->acc_type, &acc));
  q->acc_struct = acc.info;
  q->acc_size = acc.size;
  if (builtin_op && (acc.info || (q->out_struct && !q->is_arg))) return gp__no_struct(k, "op", q->op);
  if (q->op >= GP_BIT_AND && q->op <= GP_BIT_XOR && !gp__is_integer(q->acc_type))
    return gp__fail(GP_E_OPERATOR, "%s: @op: %s works on integers, not on an accumulator of %s", who,
                    gp__op_rows[q->op].name, gp__type_rows[q->acc_type].name);
  if (q->is_arg && q->acc_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: @acc_type: %s computes in the type of its value, @out_type", who,
                    gp__op_rows[q->op].name);
  if ((q->in_struct || acc.info) && !q->user_transform && q->in_type != q->acc_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type: no conversion to the accumulator's type where one of them is a struct",
                    who);
  if ((q->out_struct || acc.info) && q->out_type != q->acc_type)
    return gp__fail(GP_E_TYPE, "%s: @out_type: no conversion from the accumulator's type where one of them is a struct",
                    who);
  if (q->user_op && !host && !q->user_op->identity)
    return gp__fail(GP_E_OPERATOR, "%s: @op: operator \"%s\" has no gp_op_desc.identity, which the call needs", who,
                    q->user_op->name);
  if (q->user_op && host && !q->user_op->has_host_identity)
    return gp__fail(GP_E_UNSUPPORTED,
                    "%s: @op: operator \"%s\" has no gp_op_desc.host_identity, which the host back end needs", who,
                    q->user_op->name);
  if (q->user_op && host && (size_t)q->user_op->has_host_identity != q->acc_size)
    return gp__fail(GP_E_OPERATOR,
                    "%s: @op: gp_op_desc.host_identity_size of \"%s\" is %d, but the accumulator has %lu bytes", who,
                    q->user_op->name, q->user_op->has_host_identity, (unsigned long)q->acc_size);
  if (q->is_arg) { // struct { T value; int64_t index; }
    q->acc_size = q->out_size = 16;
    k->out.align = 8;
  }
  return GP_SUCCESS;
}

// Keys, offsets, lengths, positions.
GPUPRIMS__PRIVATE gp_result gp__check_key_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (k->by_flags || q->equal == GP_HEADS) {
    GPUPRIMS__CHECK(gp__check_integer(k, "key_type (of flags)", c->key_type, 1, 4, "an integer of 1, 2 or 4 bytes",
                                      &q->key_type, &k->key));
  } else if (k->reads & GP__READS_EQUAL) {
    q->key_type = c->key_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
    if (k->key.info && !q->user_equal) return gp__no_struct(k, "equal", q->equal);
  } else if (c->primitive == GP_GROUP_BY) {
    q->key_type = c->key_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
    if (k->key.info)
      return gp__fail(GP_E_TYPE, "%s: @key_type: keys of groups are of a built-in type, not of \"%s\"", k->who,
                      k->key.info->name);
    if (q->op == GP_ARGMIN || q->op == GP_ARGMAX)
      return gp__fail(GP_E_OPERATOR, "%s: @op: %s serves reduce and scan only", k->who, gp__op_rows[q->op].name);
  } else if (gp__is_bound(c->primitive)) {
    if (c->key_type && c->key_type != q->in_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @key_type differ: needles have the type of the sorted array",
                      k->who);
    q->key_type = q->in_type;
    k->key = k->in;
    if (k->in.info && !q->user_op) return gp__no_struct(k, "op", q->op);
  }
  if (gp__family_of(c->primitive) == GP__FAMILY_TOP_K) {
    q->key_type = c->key_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
    if (k->key.info)
      return gp__fail(GP_E_TYPE, "%s: @key_type is %s: a struct has no order", k->who, k->key.info->name);
  }
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  if ((k->reads & GP__READS_OFFSET_TYPE) &&
      (c->primitive != GP_SEGMENTED_REDUCE || c->begin || c->end || c->offset_type))
    GPUPRIMS__CHECK(
        gp__check_integer(k, "offset_type", c->offset_type, 4, 8, "i32, u32, i64 or u64", &q->offset_type, &k->offset));
  q->offset_size = k->offset.size;
  if (k->reads & GP__READS_OUT2_TYPE) {
    gp_type type = c->out2_type ? c->out2_type : c->out_type ? c->out_type : (gp_type)GP_U32;
    GPUPRIMS__CHECK(
        gp__check_integer(k, "out2_type (of lengths)", type, 4, 8, "i32, u32, i64 or u64", &q->out2_type, &k->out2));
    if (c->out_type && c->out_type != type)
      return gp__fail(GP_E_TYPE, "%s: @out_type and @out2_type differ: offsets and lengths have one type", k->who);
    if (c->primitive == GP_NONTRIVIAL_RUNS) q->out_type = q->out2_type, k->out = k->out2;
    else if (!c->out2 && (k->pointers || !c->out2_type)) { // no lengths are wanted
      q->out2_type = GP_TYPE_DEFAULT;
      k->out2.size = 0;
    }
    q->out2_size = k->out2.size;
  }
  return GP_SUCCESS;
}

// Counters and weights.
GPUPRIMS__PRIVATE gp_result gp__check_histogram_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int weights = c->in2 || c->in2_type;
  if (k->in.info) return gp__fail(GP_E_TYPE, "%s: @in_type: a struct cannot be sorted into bins", k->who);
  if (weights) {
    q->in2_type = c->in2_type ? c->in2_type : c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "in2_type (of weights)", q->in2_type, &k->in2));
    if (k->in2.info) return gp__fail(GP_E_TYPE, "%s: @in2_type (of weights): a struct is no weight", k->who);
  }
  if (c->out_type == GP_F32 || c->out_type == GP_F64) {
    if (!weights)
      return gp__fail(GP_E_TYPE,
                      "%s: @out_type: counters of %s serve weights (gp_call.in2); without, they are integers", k->who,
                      gp__type_rows[c->out_type].name);
    q->out_type = c->out_type;
    if (c->flags & GP_REPRODUCIBLE)
      return gp__fail(
          GP_E_UNSUPPORTED,
          "%s: @flags: GP_REPRODUCIBLE: counters of %s keep their bits on one device and policy, not on every "
          "one; integers do",
          k->who, gp__type_rows[c->out_type].name);
    return gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out);
  }
  GPUPRIMS__CHECK(gp__check_integer(k, "out_type (of counters)", c->out_type, 4, 8,
                                    "i32, u32, i64 or u64, nor, with weights, f32 or f64", &q->out_type, &k->out));
  return weights && !gp__is_integer(q->in2_type)
             ? gp__fail(GP_E_TYPE, "%s: @in2_type: weights of %s need counters (@out_type) of f32 or f64", k->who,
                        gp__type_rows[q->in2_type].name)
             : GP_SUCCESS;
}

// Values that go along with keys, or elements that are moved: `in` and `out` of one type; without `in` and its type,
// `out` gets indices; top-k without either type: neither.
GPUPRIMS__PRIVATE int gp__may_index(gp_primitive p) { return p == GP_TOP_K || p == GP_SHUFFLE; }
GPUPRIMS__PRIVATE gp_result gp__check_moved(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  q->out_type = c->out_type ? c->out_type : c->in_type;
  if (k->in.size) {
    if (q->out_type != q->in_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: elements are moved as they are", k->who);
    return gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out);
  }
  if (!q->out_type && !c->out && c->primitive == GP_TOP_K) return GP_SUCCESS;
  GPUPRIMS__CHECK(
      gp__check_integer(k, "out_type (of indices)", q->out_type, 4, 8, "u32 or u64", &q->out_type, &k->out));
  if (q->out_type != c->out_type)
    return gp__fail(GP_E_TYPE, "%s: @out_type (of indices) is %s, not u32 or u64", k->who,
                    gp__type_rows[c->out_type].name);
  if (k->out.size == 4 && c->count > (c->primitive == GP_TOP_K ? (uint64_t)UINT32_MAX : (uint64_t)1 << 32))
    return gp__fail(GP_E_SIZE, "%s: @count is %llu, which indices of type u32 (@out_type) do not reach", k->who,
                    (unsigned long long)c->count);
  return GP_SUCCESS;
}

// The type of the output, and what it has to do with that of the input.
GPUPRIMS__PRIVATE gp_result gp__check_out_type(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int moved = c->primitive == GP_SELECT || c->primitive == GP_PARTITION || c->primitive == GP_UNIQUE ||
                    c->primitive == GP_TRANSPOSE;
  if (gp__is_histogram(c->primitive)) return gp__check_histogram_types(k);
  if (gp__may_index(c->primitive)) return gp__check_moved(k);
  if (gp__is_bound(c->primitive) || c->primitive == GP_LOAD_BALANCE) {
    GPUPRIMS__CHECK(
        gp__check_integer(k, "out_type (index_type)", c->out_type, 4, 8, "u32 or u64", &q->out_type, &k->out));
    return q->out_type == c->out_type ? GP_SUCCESS
                                      : gp__fail(GP_E_TYPE, "%s: @out_type (index_type) is %s, not u32 or u64", who,
                                                 gp__type_rows[c->out_type].name);
  }
  q->out_type = c->out_type ? c->out_type : c->in_type;
  if (c->primitive == GP_ANY || c->primitive == GP_ALL) {
    q->out_type = GP_U8;
    if (c->out_type && c->out_type != GP_U8)
      return gp__fail(GP_E_TYPE, "%s: @out_type: the result is one byte, u8", who);
  } else if (c->primitive == GP_COUNT_IF || c->primitive == GP_CHECK_OFFSETS) {
    q->out_type = GP_U64;
  }
  if (q->out_type || ((k->reads & GP__READS_OUT) && c->primitive != GP_NONTRIVIAL_RUNS && !(moved && !k->in.size)))
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "out_type", q->out_type, &k->out));
  if (moved && q->out_type != q->in_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: elements are moved as they are", who);
  if ((c->primitive == GP_COPY || c->primitive == GP_FILL || c->primitive == GP_IOTA) && c->in_type &&
      c->in_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: transform with GP_CONVERT converts", who);
  if (c->primitive == GP_IOTA && k->out.info)
    return gp__fail(GP_E_TYPE, "%s: @out_type: a struct cannot be counted in", who);
  return GP_SUCCESS;
}

// Values that move with keys: of in_type, or where there is no input, indices of out_type. Their type becomes the
// unsigned one of its size.
GPUPRIMS__PRIVATE gp_result gp__check_moved_values(gp__checking *k) {
  static const gp_type unsigned_of[] = {GP_TYPE_DEFAULT, GP_U8,           GP_U16,          GP_TYPE_DEFAULT, GP_U32,
                                        GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, GP_U64};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->in || c->in_type) {
    q->in_type = c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "in_type", q->in_type, &k->in));
    if (c->out_type && c->out_type != c->in_type)
      return gp__fail(GP_E_TYPE, "%s: @out_type is not @in_type: values keep their type", k->who);
    if (!k->in.info) q->in_type = unsigned_of[k->in.size];
    q->out_type = q->in_type;
    k->out = k->in;
  } else if (c->out || c->out_type) {
    GPUPRIMS__CHECK(gp__check_integer(k, "out_type (of indices)", c->out_type, 4, 8,
                                      "i32, u32, i64 or u64, as indices are (values have gp_call.in_type)",
                                      &q->out_type, &k->out));
    q->in_type = q->out_type;
  }
  q->in_struct = q->out_struct = k->out.info;
  q->in_size = q->out_size = k->out.size;
  return GP_SUCCESS;
}

// What orders a struct: a list of its fields, or a user's operator that makes a built-in type of it.
GPUPRIMS__PRIVATE gp_result gp__check_key_fields(gp__checking *k, int *bits) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type t = {0, 0, NULL};
  int i;
  if (!k->key.info) return gp__fail(GP_E_ARGUMENT, "%s: @fields: keys of a built-in type have none", k->who);
  if (c->transform) return gp__fail(GP_E_ARGUMENT, "%s: @fields and @transform both order the keys", k->who);
  if (!c->fields) return gp__fail(GP_E_NULL, "%s: @fields is null, but @field_count is %d", k->who, c->field_count);
  if (c->field_count < 1)
    return gp__fail(GP_E_ARGUMENT, "%s: @field_count is %d, but there are fields", k->who, c->field_count);
  *bits = 0;
  for (i = 0; i < c->field_count; ++i) {
    const gp_key_field *f = &c->fields[i];
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "fields: a type", f->type, &t));
    if (t.info) return gp__fail(GP_E_TYPE, "%s: @fields: field %d is a struct", k->who, i);
    if (f->offset % t.size || f->offset > k->key.size || t.size > k->key.size - f->offset)
      return gp__fail(GP_E_ARGUMENT, "%s: @fields: field %d: no aligned %s stands at offset %lu of %s, of %lu bytes",
                      k->who, i, gp__type_rows[f->type].name, (unsigned long)f->offset, k->key.info->name,
                      (unsigned long)k->key.size);
    *bits += 8 * (int)t.size;
    if (*bits > 8 * GP__RADIX_PASSES)
      return gp__fail(GP_E_SIZE, "%s: @fields: they have more than %d bytes together", k->who, GP__RADIX_PASSES);
  }
  q->acc_size = 8; // words of the ordered key
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_sort_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type ordered = {0, 0, NULL};
  int bits;
  k->fold = 0;
  q->key_type = c->key_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  bits = 8 * (int)k->key.size;
  if (c->transform) {
    if (!q->user_transform)
      return gp__fail(GP_E_OPERATOR, "%s: @transform: keys are decomposed by a user's operator, not by %s", k->who,
                      gp__op_rows[c->transform].name);
    q->acc_type = c->acc_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "acc_type (of transform's result)", q->acc_type, &ordered));
    if (ordered.info) return gp__fail(GP_E_TYPE, "%s: @acc_type (of transform's result) is a struct", k->who);
    q->acc_size = ordered.size;
    bits = 8 * (int)ordered.size;
    if (c->fields) return gp__fail(GP_E_ARGUMENT, "%s: @fields and @transform both order the keys", k->who);
  } else if (c->acc_type) {
    return gp__fail(GP_E_TYPE, "%s: @acc_type: there is no transform whose result has it", k->who);
  } else if (c->fields || c->field_count) {
    GPUPRIMS__CHECK(gp__check_key_fields(k, &bits));
  } else if (k->key.info) {
    return gp__fail(
        GP_E_TYPE,
        "%s: @key_type: a struct needs fields or a transform (a user's operator) that say how it is ordered; "
        "gp_merge_sort takes a comparison",
        k->who);
  }
  q->begin_bit = c->begin_bit;
  q->end_bit = c->begin_bit || c->end_bit ? c->end_bit : bits;
  if (q->begin_bit < 0 || q->begin_bit > q->end_bit || q->end_bit > bits)
    return gp__fail(GP_E_ARGUMENT, "%s: @begin_bit is %d, @end_bit %d: no range within the %d bits of the key", k->who,
                    c->begin_bit, c->end_bit, bits);
  GPUPRIMS__CHECK(gp__check_moved_values(k));
  if (q->out_size == 4 && !k->in.size && c->count > (uint64_t)1 << 32)
    return gp__fail(GP_E_SIZE, "%s: @count is %llu, which indices of type u32 (@out_type) do not reach", k->who,
                    (unsigned long long)c->count);
  return GP_SUCCESS;
}

// Keys of a built-in type, and values of any, which are moved as they are; or indices; or neither.
GPUPRIMS__PRIVATE gp_result gp__check_sorted_segments(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int values = c->in_type || c->in, indices = !values && (c->out_type || c->out);
  int bits;
  q->key_type = c->key_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, who, "key_type", q->key_type, &k->key));
  if (k->key.info) return gp__fail(GP_E_TYPE, "%s: @key_type: a struct has no order of bits", who);
  q->key_size = k->key.size;
  if (values) {
    q->in_type = c->in_type;
    q->out_type = c->out_type ? c->out_type : c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "in_type", q->in_type, &k->in));
    if (q->in_type != q->out_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: values are moved as they are", who);
    k->out = k->in;
  } else if (indices) {
    GPUPRIMS__CHECK(
        gp__check_integer(k, "out_type (of indices)", c->out_type, 4, 8, "u32 or u64", &q->out_type, &k->out));
    if (q->out_type != c->out_type)
      return gp__fail(GP_E_TYPE, "%s: @out_type (of indices) is %s, not u32 or u64", who,
                      gp__type_rows[c->out_type].name);
    if (q->out_type == GP_U32 && c->count > (uint64_t)1 << 32)
      return gp__fail(GP_E_SIZE, "%s: @count is %llu, which indices of type u32 (@out_type) do not reach", who,
                      (unsigned long long)c->count);
  }
  q->in_struct = k->in.info;
  q->out_struct = k->out.info;
  q->in_size = k->in.size;
  q->out_size = k->out.size;
  GPUPRIMS__CHECK(
      gp__check_integer(k, "offset_type", c->offset_type, 4, 8, "i32, u32, i64 or u64", &q->offset_type, &k->offset));
  q->offset_size = k->offset.size;
  bits = 8 * (int)q->key_size;
  if (c->begin_bit < 0 || c->end_bit > bits || c->begin_bit > c->end_bit)
    return gp__fail(GP_E_ARGUMENT, "%s: @begin_bit and @end_bit: [%d, %d) are no bits of a key of %d", who,
                    c->begin_bit, c->end_bit, bits);
  if (c->count >> 44)
    return gp__fail(GP_E_SIZE, "%s: @count is %llu, not below 2^44", who, (unsigned long long)c->count);
  return GP_SUCCESS;
}

// Keys in an order of `op`, and values that go along. Merge sort without `in` and in_type: out gets the keys' indices.
GPUPRIMS__PRIVATE gp_result gp__check_ordered_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int values = (k->reads & GP__READS_OUT) && (c->in_type || c->out_type || c->in || c->in2 || c->out);
  q->key_type = c->key_type;
  GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "key_type", q->key_type, &k->key));
  if (k->key.info && !q->user_op) return gp__no_struct(k, "op", q->op);
  q->key_struct = k->key.info;
  q->key_size = k->key.size;
  if (c->primitive == GP_IS_SORTED) {
    q->acc_type = q->out_type = GP_U64;
    q->acc_size = q->out_size = 8;
  } else if (values) {
    const int indices = c->primitive == GP_MERGE_SORT && !c->in && !c->in_type;
    if (indices) {
      GPUPRIMS__CHECK(
          gp__check_integer(k, "out_type (of indices)", c->out_type, 4, 8, "u32 or u64", &q->out_type, &k->out));
      if (q->out_type != c->out_type)
        return gp__fail(GP_E_TYPE, "%s: @out_type (of indices) is %s, not u32 or u64", k->who,
                        gp__type_rows[c->out_type].name);
    } else {
      q->out_type = c->in_type;
      GPUPRIMS__CHECK(gp__check_type(k->s, k->who, "in_type", c->in_type, &k->in));
      k->out = k->in;
    }
    if (c->out_type && c->out_type != q->out_type)
      return gp__fail(GP_E_TYPE, "%s: @in_type and @out_type differ: values are moved as they are", k->who);
    q->in_type = q->out_type;
    q->in_struct = q->out_struct = k->out.info;
    q->in_size = q->out_size = k->out.size;
  }
  return GP_SUCCESS;
}

GPUPRIMS__PRIVATE gp_result gp__check_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  const int map =
      c->primitive == GP_TRANSFORM || c->primitive == GP_TRANSFORM2 || c->primitive == GP_ADJACENT_DIFFERENCE;
  if (c->primitive == GP_SORT) return gp__check_sort_types(k);
  if (c->primitive == GP_SEGMENTED_SORT) return gp__check_sorted_segments(k);
  if (gp__is_ordered(c->primitive)) return gp__check_ordered_types(k);
  if ((k->reads & GP__READS_IN) && (c->primitive != GP_UNIQUE || c->in_type || c->in || c->out) &&
      (!gp__may_index(c->primitive) || c->in_type || c->in)) {
    q->in_type = c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "in_type", q->in_type, &k->in));
  }
  GPUPRIMS__CHECK(gp__check_out_type(k));
  if (c->primitive == GP_TRANSFORM2) {
    q->in2_type = c->in2_type ? c->in2_type : c->in_type;
    GPUPRIMS__CHECK(gp__check_type(k->s, who, "in2_type", q->in2_type, &k->in2));
  }
  GPUPRIMS__CHECK(gp__check_key_types(k));
  q->in_struct = k->in.info;
  q->in2_struct = k->in2.info;
  q->out_struct = k->out.info;
  q->in_size = k->in.size;
  q->in2_size = k->in2.size;
  q->out_size = k->out.size;
  if (map && !q->user_op && (k->in.info || k->in2.info || k->out.info)) return gp__no_struct(k, "op", q->op);
  if (map && q->op >= GP_BIT_AND && q->op <= GP_BIT_XOR && !gp__is_integer(q->out_type))
    return gp__fail(GP_E_OPERATOR, "%s: @op: %s works on integers, not on %s", who, gp__op_rows[q->op].name,
                    gp__type_rows[q->out_type].name);
  if (c->primitive == GP_ADJACENT_DIFFERENCE && (k->in.info || k->out.info) && q->in_type != q->out_type)
    return gp__fail(GP_E_TYPE, "%s: @in_type: one element is copied: no conversion where one of the types is a struct",
                    who);
  if (gp__is_predicated(c->primitive)) {
    if (k->in.info && c->op && !q->user_op) return gp__no_struct(k, "op", q->op);
    if (k->in.info && c->transform && !q->user_transform) return gp__no_struct(k, "transform", q->transform);
  } else if (c->transform && !q->user_transform && k->in.info) return gp__no_struct(k, "transform", c->transform);
  if (c->primitive == GP_COUNT_IF || c->primitive == GP_CHECK_OFFSETS) q->acc_type = GP_U64, q->acc_size = 8;
  if (c->primitive == GP_ANY || c->primitive == GP_ALL) q->acc_type = GP_U32, q->acc_size = 4;
  return k->fold ? gp__check_accumulator(k) : GP_SUCCESS;
}

// Is every order of operations as good as any other?
GPUPRIMS__PRIVATE int gp__any_order(const gp__request *q) {
  return !q->user_op && q->op && (gp__is_integer(q->acc_type) || (q->op != GP_SUM && q->op != GP_PROD));
}
