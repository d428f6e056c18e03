// core/check_types.c - checking a call: types, operators, overlap
// uses: api/config.h, api/lists.h, core/rules.h, core/messages.c, core/request.c, host/values.c, core/names.c,
//   core/state.c, core/types.c

typedef struct gp__checked_type {
  size_t size, align;
  const gp__type_info *info; // NULL: built in
} gp__checked_type;

GP__HOST gp_result gp__check_type(
    gp__state *s, const char *who, const char *field, gp_type type, gp__checked_type *out) {
  out->info = NULL;
  if (type == GP_INPUT)
    return gp__fail(GP_E_TYPE, "%s: @%s is GP_INPUT: this call reads an array there, no described input", who, field);
  if (type > 0 && type < GP_TYPE_COUNT) {
    out->size = out->align = gp__type_rows[type].size;
    return GP_SUCCESS;
  }
  out->info = gp__user_type(s, type);
  if (!out->info)
    return gp__fail(
        GP_E_TYPE, type ? "%s: @%s is %d, not a type of this context" : "%s: @%s is not set (%d)", who, field, type);
  out->size = out->info->size;
  out->align = out->info->align;
  return GP_SUCCESS;
}

GP__HOST int gp__is_integer(gp_type type) {
  return type > 0 && type < GP_TYPE_COUNT && (*gp__type_rows[type].name == 'i' || *gp__type_rows[type].name == 'u');
}

// Operators lack these on complex numbers; NULL: nothing.
GP__HOST const char *gp__complex_fault(gp_op op) {
  return op == GP_ABS ? "its result is real: give it a real type"
      : op == GP_AND || op == GP_OR ? "convert to bool"
      : op <= GP_PROD || (op >= GP_CONVERT && op <= GP_NOT_EQUAL)
      ? NULL
      : "complex numbers have no order; gp_sort_keys has NumPy's";
}
// Checks that a built-in operator works on elements of a built-in type. Structs are checked elsewhere.
GP__HOST gp_result gp__check_operator_on(const char *who, const char *field, gp_op op, gp_type type) {
  const char *fault = NULL;
  if (type <= 0 || type >= GP_TYPE_COUNT || op <= 0 || op >= GP_OP_COUNT) return GP_SUCCESS;
  if (op >= GP_BIT_AND && op <= GP_BIT_XOR && !gp__is_integer(type) && type != GP_BOOL)
    return gp__fail(GP_E_OPERATOR, "%s: @%s: %s works on integers and bool only, not on %s", who, field,
        gp__op_rows[op].name, gp__type_rows[type].name);
  if (gp__type_rows[type].size > 8 && (op == GP_ARGMIN || op == GP_ARGMAX || op == GP_ARGMINMAX))
    fault = "values of up to 8 bytes have an index beside them";
  if (gp__is_complex(type)) fault = gp__complex_fault(op);
  if (type == GP_BOOL) fault = op == GP_SUB ? "use BIT_XOR" : op == GP_NEGATE ? "use NOT" : NULL;
  return fault ? gp__fail(GP_E_OPERATOR, "%s: @%s: %s does not work on %s: %s", who, field, gp__op_rows[op].name,
                     gp__type_rows[type].name, fault)
               : GP_SUCCESS;
}
// Checks that a type has ramps: start + i * step.
GP__HOST gp_result gp__check_ramp_type(const char *who, const char *field, gp_type type) {
  return type == GP_BOOL || gp__is_complex(type)
      ? gp__fail(GP_E_TYPE, "%s: @%s is %s, which has no ramps: use an integer or a float type", who, field,
            gp__type_rows[type].name)
      : GP_SUCCESS;
}

// Checks that a built-in type of keys is real and has up to 8 bytes. field: key_type, or what else names it.
GP__HOST gp_result gp__check_short(const char *who, const char *field, gp_type type, const char *instead) {
  return type > 0 && type < GP_TYPE_COUNT && (gp__type_rows[type].size > 8 || gp__is_complex(type))
      ? gp__fail(GP_E_TYPE, "%s: @%s is %s: the call takes real types of up to 8 bytes; %s", who, field,
            gp__type_rows[type].name, instead)
      : GP_SUCCESS;
}

// Checks that an operator has the wanted arity and that the back end can run it. *user is NULL for a built-in one.
GP__HOST gp_result gp__check_operator(
    gp__state *s, const char *who, const char *field, gp_op op, int arity, int host, const gp__op_info **user) {
  static const char *const arities[] = {"", "unary", "binary"};
  const char *name;
  int has;
  *user = NULL;
  if (op > 0 && op < GP_OP_COUNT) {
    name = gp__op_rows[op].name;
    has = gp__op_rows[op].arity;
  } else {
    *user = gp__user_op(s, op);
    if (!*user)
      return gp__fail(GP_E_OPERATOR, op ? "%s: @%s is %d, not an operator of this context" : "%s: @%s is not set (%d)",
          who, field, op);
    name = (*user)->name;
    has = (*user)->arity;
  }
  if (has != arity)
    return gp__fail(
        GP_E_OPERATOR, "%s: @%s: operator \"%s\" is %s, not %s", who, field, name, arities[has], arities[arity]);
  if (*user && host && !(*user)->host)
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @%s: operator \"%s\" has no gp_op_desc.host: the host back end needs this function", who, field, name);
  if (*user && !host && !(*user)->body)
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @%s: operator \"%s\" has no gp_op_desc.body: the CUDA back end needs this source", who, field, name);
  return GP_SUCCESS;
}

// Memory that a call reads or writes.
typedef struct gp__extent {
  const char *name;
  const void *pointer;
  uint64_t bytes;
  int alias; // an input and an output may be one buffer if theirs are equal and not 0
} gp__extent;

GP__HOST gp_result gp__check_overlap(const char *who, const gp__extent *in, const gp__extent *out) {
  const uintptr_t a = (uintptr_t)in->pointer, b = (uintptr_t)out->pointer;
  if (!a || !b || !in->bytes || !out->bytes || a >= b + out->bytes || b >= a + in->bytes) return GP_SUCCESS;
  if (a == b && out->alias && in->alias == out->alias) return GP_SUCCESS;
  return gp__fail(GP_E_OVERLAP, "%s: @%s and @%s overlap%s", who, in->name, out->name,
      a == b ? ": this call cannot run in place" : "");
}
