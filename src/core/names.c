// core/names.c - names of results, types, operators, primitives
// uses: api/config.h, api/lists.h, core/messages.c

typedef struct gp__type_row {
  const char *name, *device;
  unsigned size;
} gp__type_row;
typedef struct gp__op_row {
  const char *name, *functor;
  int arity, commutative;
} gp__op_row;
#define GP__TYPE(NAME, value, name, device, size) {#name, #device, size},
static const gp__type_row gp__type_rows[] = {{NULL, NULL, 0}, GP_TYPES(GP__TYPE)};
#undef GP__TYPE
#define GP__OP(NAME, value, arity, commutative, functor) {#NAME, #functor, arity, commutative},
static const gp__op_row gp__op_rows[] = {{NULL, NULL, 0, 0}, GP_OPERATORS(GP__OP)};
#undef GP__OP
#define GP__NAMED(NAME, value, name) "gp_" #name,
static const char *const gp__primitive_names[] = {"gp_run", GP_PRIMITIVES(GP__NAMED)};
#undef GP__NAMED

GP__API const char *gp_result_name(gp_result result) {
#define GP__NAMED(name, value, text) #name,
  static const char *const names[] = {GP_RESULTS(GP__NAMED)};
#undef GP__NAMED
  return (int)result >= 0 && (int)result < (int)GP_RESULT_COUNT ? names[result] : "unknown result";
}
GP__API const char *gp_result_text(gp_result result) {
#define GP__NAMED(name, value, text) text,
  static const char *const texts[] = {GP_RESULTS(GP__NAMED)};
#undef GP__NAMED
  return (int)result >= 0 && (int)result < (int)GP_RESULT_COUNT ? texts[result] : "not a gp_result";
}
GP__API const char *gp_last_message(void) {
  static __thread char told[GP__MESSAGE_BYTES];
  const char *from = gp__here.message, *names = gp__here.names, *word;
  size_t at = 0, length, i;
  if (names && !strncmp(from, "gp_", 3)) { // the name of the function in place of the primitive's
    for (word = names; *word && *word != ' ';) told[at++] = *word++;
    from += strcspn(from, ":");
  }
  while (*from && at < sizeof told - 1) {
    if (*from != GP__MARK) {
      told[at++] = *from++;
      continue;
    }
    word = gp__parameter_of(names, ++from, &length);
    if (!word) continue;
    from += length;
    if (from[0] == ' ' && from[1] == '(' && (from[2] | 32) >= 'a' && (from[2] | 32) <= 'z') // what the member is here
      from += strcspn(from, ")") + (strchr(from, ')') != NULL);
    for (i = 0; word[i] && word[i] != ' ' && at < sizeof told - 1; ++i) told[at++] = word[i];
  }
  told[at] = 0;
  return told;
}
