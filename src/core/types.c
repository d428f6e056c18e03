// core/types.c - users' types and operators
// uses: api/config.h, api/lists.h, api/context_types.h, core/rules.h, core/arguments.h, core/system.c, core/messages.c,
//   core/struct_size.c, core/text.c, core/request.c, core/names.c, core/state.c, core/life.c

GP__HOST const gp__type_info *gp__user_type(gp__state *s, gp_type type) {
  const gp__type_info *info = NULL;
  pthread_mutex_lock(&s->lock);
  if (type >= GP_TYPE_COUNT && type - GP_TYPE_COUNT < s->type_count) info = s->types[type - GP_TYPE_COUNT];
  pthread_mutex_unlock(&s->lock);
  return info;
}
GP__HOST const gp__op_info *gp__user_op(gp__state *s, gp_op op) {
  const gp__op_info *info = NULL;
  pthread_mutex_lock(&s->lock);
  if (op >= GP_OP_COUNT && op - GP_OP_COUNT < s->op_count) info = s->ops[op - GP_OP_COUNT];
  pthread_mutex_unlock(&s->lock);
  return info;
}
// Gives another state the same users' types and operators, in lists of its own. 0: no memory.
GP__HOST int gp__share_types(gp__state *to, gp__state *from) {
  pthread_mutex_lock(&from->lock);
  to->type_count = from->type_count;
  to->op_count = from->op_count;
  to->types = (gp__type_info **)malloc(((size_t)to->type_count + 1) * sizeof *to->types);
  to->ops = (gp__op_info **)malloc(((size_t)to->op_count + 1) * sizeof *to->ops);
  if (to->types && to->type_count) memcpy(to->types, from->types, (size_t)to->type_count * sizeof *to->types);
  if (to->ops && to->op_count) memcpy(to->ops, from->ops, (size_t)to->op_count * sizeof *to->ops);
  pthread_mutex_unlock(&from->lock);
  if (to->types && to->ops) return 1;
  free(to->types);
  free(to->ops);
  return 0;
}

// The row of a type, built in or a user's. Its name is NULL if this context has no such type.
GP__HOST gp__type_row gp__row_of_type(gp_context *ctx, const char *who, gp_type type) {
  gp__type_row row = {NULL, NULL, 0};
  const gp__type_info *info;
  gp_result result;
  gp__state *s;
  if (type > 0 && type < GP_TYPE_COUNT) return gp__type_rows[type];
  s = ctx ? gp__begin(ctx, who, &result) : NULL;
  if (!s) return row;
  info = gp__user_type(s, type);
  if (info) row.name = info->name, row.size = (unsigned)info->size;
  gp__end(ctx, GP_SUCCESS);
  return row;
}
GP__API const char *gp_type_name(gp_context *ctx, gp_type type) {
  return gp__row_of_type(ctx, "gp_type_name", type).name;
}
GP__API size_t gp_type_size(gp_context *ctx, gp_type type) { return gp__row_of_type(ctx, "gp_type_size", type).size; }
GP__API const char *gp_op_name(gp_context *ctx, gp_op op) {
  gp_result result;
  const gp__op_info *info;
  gp__state *s;
  const char *found = NULL;
  if (op > 0 && op < GP_OP_COUNT) return gp__op_rows[op].name;
  s = ctx ? gp__begin(ctx, "gp_op_name", &result) : NULL;
  if (!s) return NULL;
  info = gp__user_op(s, op);
  if (info) found = info->name;
  gp__end(ctx, GP_SUCCESS);
  return found;
}

enum { GP__NAME_BYTES = 64 };
GP__HOST int gp__identifier(const char *name) {
  const char *p = name;
  for (; *p; ++p) {
    const int letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
    if (!letter && !(p > name && *p >= '0' && *p <= '9')) return 0;
  }
  return p > name && p - name < GP__NAME_BYTES;
}

GP__HOST gp_result gp__type_struct(gp__state *s, const gp_type_desc *desc, gp_type *type) {
  const char *who = "gp_type_struct";
  gp_result result = GP_SUCCESS;
  gp__type_info *info, **larger = NULL;
  gp_type_desc own;
  int failed = 0, i;
  if (!desc) return gp__fail(GP_E_NULL, "%s: desc is null", who);
  if (!type) return gp__fail(GP_E_NULL, "%s: type is null", who);
  *type = GP_TYPE_DEFAULT;
  GP__TAKE_STRUCT(who, "desc", desc, own, gp_type_desc);
  if (!desc->name) return gp__fail(GP_E_NULL, "%s: desc.name is null", who);
  if (!gp__identifier(desc->name))
    return gp__fail(
        GP_E_ARGUMENT, "%s: desc.name is \"%.80s\", not a C identifier of 1 to 63 characters", who, desc->name);
  if (desc->size < 1 || desc->size > GP__VALUE_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.size is %lu, not 1 to 64", who, (unsigned long)desc->size);
  if (desc->align < 1 || desc->align > 16 || (desc->align & (desc->align - 1)) || desc->size % desc->align)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.align is %lu: it must be 1, 2, 4, 8 or 16 and divide desc.size, %lu", who,
        (unsigned long)desc->align, (unsigned long)desc->size);
  info = (gp__type_info *)calloc(1, sizeof *info);
  if (info) {
    info->name = gp__duplicate(desc->name, &failed);
    info->source = gp__duplicate(desc->source, &failed);
    info->size = desc->size;
    info->align = desc->align;
  }
  pthread_mutex_lock(&s->lock);
  for (i = 0; i < s->type_count && strcmp(s->types[i]->name, desc->name) != 0; ++i) {}
  if (i < s->type_count) {
    result = gp__fail(GP_E_ARGUMENT, "%s: desc.name: a type \"%s\" exists already", who, desc->name);
  } else {
    if (info && !failed) larger = (gp__type_info **)realloc(s->types, (size_t)(s->type_count + 1) * sizeof *s->types);
    if (larger) {
      s->types = larger;
      s->types[s->type_count] = info;
      *type = (gp_type)(GP_TYPE_COUNT + s->type_count++);
    } else {
      result = gp__fail(GP_E_MEMORY, "%s: no memory", who);
    }
  }
  pthread_mutex_unlock(&s->lock);
  if (result != GP_SUCCESS && info) {
    free(info->name);
    free(info->source);
    free(info);
  }
  return result;
}
GP__API gp_result gp_type_struct(gp_context *ctx, const gp_type_desc *desc, gp_type *type) {
  GP__WITHIN(ctx, "gp_type_struct", gp__type_struct(s, desc, type));
}

GP__HOST gp_result gp__check_op(const gp_op_desc *d) {
  const char *who = "gp_op_define", *p;
  if (!d->name) return gp__fail(GP_E_NULL, "%s: desc.name is null", who);
  for (p = d->name; *p >= ' ' && *p < 127 && *p != '"' && *p != '\\'; ++p) {}
  if (*p || p == d->name || p - d->name >= GP__NAME_BYTES)
    return gp__fail(
        GP_E_ARGUMENT, "%s: desc.name is not 1 to 63 printable characters without quotes and backslashes", who);
  if (d->arity != 1 && d->arity != 2)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.arity of \"%s\" is %d, not 1 or 2", who, d->name, d->arity);
  if (d->commutative != 0 && d->commutative != 1)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.commutative of \"%s\" is %d, not 0 or 1", who, d->name, d->commutative);
  if (!d->body && !d->host)
    return gp__fail(GP_E_NULL, "%s: desc.body and desc.host of \"%s\" are both null", who, d->name);
  if (!d->host_identity != !d->host_identity_size)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.host_identity and desc.host_identity_size of \"%s\": set both or neither",
        who, d->name);
  if (d->host_identity_size > GP__VALUE_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: desc.host_identity_size of \"%s\" is %lu, more than 64", who, d->name,
        (unsigned long)d->host_identity_size);
  return GP_SUCCESS;
}

GP__HOST gp_result gp__op_define(gp__state *s, const gp_op_desc *desc, gp_op *op) {
  const char *who = "gp_op_define";
  gp__op_info *info, **larger = NULL;
  gp_op_desc own;
  int failed = 0;
  if (!desc) return gp__fail(GP_E_NULL, "%s: desc is null", who);
  if (!op) return gp__fail(GP_E_NULL, "%s: op is null", who);
  *op = GP_OP_DEFAULT;
  GP__TAKE_STRUCT(who, "desc", desc, own, gp_op_desc);
  GP__CHECK(gp__check_op(desc));
  info = (gp__op_info *)calloc(1, sizeof *info);
  if (info) {
    info->name = gp__duplicate(desc->name, &failed);
    info->body = gp__duplicate(desc->body, &failed);
    info->prelude = gp__duplicate(desc->prelude, &failed);
    info->identity = gp__duplicate(desc->identity, &failed);
    info->arity = desc->arity;
    info->commutative = desc->commutative;
    info->host = desc->host;
    info->host_user = desc->host_user;
    info->has_host_identity = desc->host_identity ? (int)desc->host_identity_size : 0;
    if (desc->host_identity) memcpy(info->host_identity.bytes, desc->host_identity, desc->host_identity_size);
  }
  pthread_mutex_lock(&s->lock);
  if (info && !failed) larger = (gp__op_info **)realloc(s->ops, (size_t)(s->op_count + 1) * sizeof *s->ops);
  if (larger) {
    s->ops = larger;
    s->ops[s->op_count] = info;
    *op = (gp_op)(GP_OP_COUNT + s->op_count++);
  }
  pthread_mutex_unlock(&s->lock);
  if (larger) return GP_SUCCESS;
  if (info) {
    free(info->name);
    free(info->body);
    free(info->prelude);
    free(info->identity);
    free(info);
  }
  return gp__fail(GP_E_MEMORY, "%s: no memory", who);
}
GP__API gp_result gp_op_define(gp_context *ctx, const gp_op_desc *desc, gp_op *op) {
  GP__WITHIN(ctx, "gp_op_define", gp__op_define(s, desc, op));
}
