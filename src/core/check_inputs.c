// core/check_inputs.c - checking a call: described inputs
// uses: api/lists.h, api/input.h, core/rules.h, core/system.c, core/messages.c, core/request.c, core/names.c,
//   core/check_types.c, core/checking.c, core/check_memory.c, core/check_operators.c

// The members of a description's parts, for messages: "in_type: gp_input.a.b".
typedef struct gp__input_path {
  const struct gp__input_path *whole; // NULL: the description itself
  const char *member;
  int depth; // of nesting
} gp__input_path;
enum { GP__PATH_BYTES = sizeof "gp_input" + 2 * GP_INPUT_PARTS };
GP__HOST const char *gp__input_path_text(const gp__input_path *p, char *text) {
  char *at = text + GP__PATH_BYTES;
  *--at = 0;
  for (; p->whole && at >= text + sizeof "gp_input" + 1; p = p->whole) *--at = *p->member, *--at = '.';
  at -= sizeof "gp_input" - 1;
  memcpy(at, "gp_input", sizeof "gp_input" - 1);
  return at;
}

// Checks a part and those it is made of; *node gets its number. Parts that are made of others follow them.
GP__HOST gp_result gp__check_part(
    gp__checking *k, const char *field, const gp__input_path *path, const gp_input *from, int *node);
GP__HOST gp_result gp__check_parts_of(
    gp__checking *k, const char *field, const gp__input_path *path, const gp_input *from, gp__input_node *n) {
  static const char *const members[] = {"a", "b", "c", "d"};
  const gp_input *const parts[] = {from->a, from->b, from->c, from->d};
  const int made = from->kind >= GP_INPUT_GATHERED, needed = from->kind == GP_INPUT_MAPPED ? 1 : 2;
  const int most = from->kind == GP_INPUT_ZIPPED ? 4 : 2;
  char text[GP__PATH_BYTES];
  int i;
  for (i = 0; i < 4; ++i) {
    const gp__input_path inner = {path, members[i], path->depth + 1};
    n->part[i] = -1;
    if (parts[i] && (!made || i >= most || (i == 3 && !parts[2])))
      return gp__fail(GP_E_ARGUMENT, "%s: @%s: %s is set, but an input of this kind has no such part", k->who, field,
          gp__input_path_text(&inner, text));
    if (!parts[i] && made && i < needed)
      return gp__fail(GP_E_NULL, "%s: @%s: %s is null", k->who, field, gp__input_path_text(&inner, text));
    if (parts[i]) GP__CHECK(gp__check_part(k, field, &inner, parts[i], &n->part[i]));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_mapped(
    const gp__checking *k, const char *field, const char *text, const gp_input *from, gp__input_node *n) {
  const gp__inputs *all = &k->q->inputs;
  const char *role;
  char name[96];
  snprintf(name, sizeof name, "%s: %s.op", field, text);
  n->op = from->op;
  GP__CHECK(gp__check_operator(k->s, k->who, name, from->op, n->part[1] < 0 ? 1 : 2, k->host, &n->user_op));
  if (n->user_op) return GP_SUCCESS;
  role = gp__role_of(from->op);
  if (role && from->op != GP_SUB)
    return gp__fail(GP_E_OPERATOR, "%s: @%s: %s is for %s only", k->who, name, gp__op_rows[from->op].name, role);
  if (n->info || all->node[n->part[0]].info || (n->part[1] >= 0 && all->node[n->part[1]].info))
    return gp__fail(GP_E_OPERATOR, "%s: @%s: %s does not work on struct types: define an operator (gp_op_define)",
        k->who, name, gp__op_rows[from->op].name);
  return gp__check_operator_on(k->who, name, from->op, n->type);
}
// The bytes of a struct that has these members.
GP__HOST size_t gp__zipped_size(const gp__inputs *all, const gp__input_node *n, size_t *offsets) {
  size_t size = 0, align = 1;
  int i;
  for (i = 0; i < 4 && n->part[i] >= 0; ++i) {
    const gp__input_node *member = &all->node[n->part[i]];
    offsets[i] = size = (size + member->align - 1) / member->align * member->align;
    size += member->size;
    if (member->align > align) align = member->align;
  }
  return (size + align - 1) / align * align;
}
GP__HOST gp_result gp__check_part(
    gp__checking *k, const char *field, const gp__input_path *path, const gp_input *from, int *node) {
  gp__inputs *all = &k->q->inputs;
  gp__checked_type type = {0, 0, NULL};
  gp__input_node n;
  size_t offsets[4];
  char room[GP__PATH_BYTES], name[96];
  const char *text = gp__input_path_text(path, room);
  memset(&n, 0, sizeof n);
  n.from = from;
  n.kind = from->kind;
  n.array = n.value = -1;
  if (from->kind < GP_INPUT_ARRAY || from->kind > GP_INPUT_ZIPPED)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: %s.kind is %d, not a gp_input_kind", k->who, field, text, (int)from->kind);
  if (path->depth < GP_INPUT_PARTS) GP__CHECK(gp__check_parts_of(k, field, path, from, &n));
  if (path->depth >= GP_INPUT_PARTS || all->count == GP_INPUT_PARTS) // one that contains itself has no end
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: described inputs of more than %d parts", k->who, field, GP_INPUT_PARTS);
  snprintf(name, sizeof name, "%s: %s.type", field, text);
  n.type = from->kind == GP_INPUT_GATHERED ? all->node[n.part[0]].type : from->type;
  GP__CHECK(gp__check_type(k->s, k->who, name, n.type, &type));
  n.info = type.info, n.size = type.size, n.align = type.align;
  if (from->kind == GP_INPUT_GATHERED) {
    const gp__input_node *index = &all->node[n.part[1]];
    if (from->type && from->type != n.type)
      return gp__fail(
          GP_E_TYPE, "%s: @%s: it is not the type of %s.a, whose elements are gathered", k->who, name, text);
    if (index->info || !gp__is_integer(index->type) || index->size < 4 || index->size > 8)
      return gp__fail(GP_E_TYPE, "%s: @%s: %s.b is not i32, u32, i64 or u64: it has indices", k->who, field, text);
  }
  if (from->kind == GP_INPUT_RAMP && n.info)
    return gp__fail(GP_E_TYPE, "%s: @%s is a struct type, not a built-in type", k->who, name);
  if (from->kind == GP_INPUT_RAMP) {
    GP__CHECK(gp__check_ramp_type(k->who, name, n.type));
    GP__CHECK(gp__check_short(k->who, name, n.type, "convert a ramp of i64 (GP_CONVERT)"));
  }
  if (from->kind == GP_INPUT_ZIPPED && (!n.info || gp__zipped_size(all, &n, offsets) != n.size))
    return gp__fail(GP_E_TYPE, "%s: @%s: the parts make a struct of %lu bytes, and the type has %lu", k->who, name,
        (unsigned long)gp__zipped_size(all, &n, offsets), (unsigned long)n.size);
  if (from->kind == GP_INPUT_MAPPED) GP__CHECK(gp__check_mapped(k, field, text, from, &n));
  if (from->kind == GP_INPUT_ARRAY || from->kind == GP_INPUT_STRIDED) {
    if (all->arrays == GP_INPUT_ARRAYS)
      return gp__fail(
          GP_E_ARGUMENT, "%s: @%s: described inputs of more than %d arrays", k->who, field, GP_INPUT_ARRAYS);
    n.array = all->arrays++;
    all->data.array[n.array] = from->data;
    all->data.stride[n.array] = from->stride;
  }
  if (from->kind == GP_INPUT_CONSTANT || from->kind == GP_INPUT_RAMP) {
    if (all->values == GP_INPUT_VALUES)
      return gp__fail(GP_E_ARGUMENT, "%s: @%s: described inputs of more than %d constants and ramps", k->who, field,
          GP_INPUT_VALUES);
    n.value = all->values++;
  }
  *node = all->count++;
  all->node[*node] = n;
  return GP_SUCCESS;
}
// Checks a description but for its arrays and values. *root gets the number of its node, plus 1.
GP__HOST gp_result gp__check_described(
    gp__checking *k, const char *field, const void *input, gp_type *type, gp__checked_type *t, int *root) {
  const gp__input_path path = {NULL, NULL, 0};
  gp__inputs *all = &k->q->inputs;
  int node;
  if (!input) return gp__fail(GP_E_NULL, "%s: @%s is GP_INPUT, but the gp_input is null", k->who, field);
  if (k->pointers >= GP__POINTERS_REACHED) GP__CHECK(gp__check_value_memory(k, "gp_input", input));
  if (!all->count) memset(&all->data, 0, sizeof all->data);
  GP__CHECK(gp__check_part(k, field, &path, (const gp_input *)input, &node));
  *type = all->node[node].type;
  t->size = all->node[node].size;
  t->align = all->node[node].align;
  t->info = all->node[node].info;
  *root = node + 1;
  return GP_SUCCESS;
}
