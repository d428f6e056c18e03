// core/space.c - the space of policies as JSON
// uses: api/config.h, api/lists.h, core/rules.h, families.h, core/names.c

// One field: the list of values is written twice, as text (names) and as numbers.
GP__HOST size_t gp__json_field(char *json, size_t capacity, size_t at, const char *name, int value, const char *text,
    const int *values, int count) {
  char *to = at < capacity ? json + at : NULL;
  size_t room = at < capacity ? capacity - at : 0, n;
  int i;
#define GP__PUT(...) \
  do { \
    n = (size_t)snprintf(to, room, __VA_ARGS__); \
    at += n; \
    to = n < room ? to + n : NULL; \
    room = n < room ? room - n : 0; \
  } while (0)
  GP__PUT("{\"name\": \"%s\", \"default\": %d, \"values\": [", name, value);
  for (i = 0; i < count; ++i) GP__PUT("%s%d", i ? ", " : "", values[i]);
  GP__PUT("]");
  if (*text == 'G') {
    GP__PUT(", \"names\": [");
    while (*text) {
      const int length = (int)strcspn(text, ",");
      GP__PUT("\"%.*s\"", length, text);
      text += length;
      text += strspn(text, ", ");
      if (*text) GP__PUT(", ");
    }
    GP__PUT("]");
  }
  GP__PUT("}");
#undef GP__PUT
  return at;
}

#define GP__JSON(field, default_, ...) \
  { \
    static const int values[] = {__VA_ARGS__}; \
    at += (size_t)snprintf( \
        at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "%s", first ? "" : ", "); \
    at = gp__json_field( \
        json, capacity, at, #field, default_, #__VA_ARGS__, values, (int)(sizeof values / sizeof *values)); \
    first = 0; \
  }
GP__API size_t gp_policy_space(gp_primitive primitive, char *json, size_t capacity) {
  size_t at = 0;
  int first = 1;
  if (!json) capacity = 0;
  if ((int)primitive <= GP_PRIMITIVE_NONE || (int)primitive >= GP_PRIMITIVE_COUNT) {
    if (capacity) *json = 0;
    return 0;
  }
  at = (size_t)snprintf(json, capacity, "{\"primitive\": \"%s\", \"fields\": [", gp__primitive_names[primitive] + 3);
  switch (gp__family_of(primitive)) {
#define GP__CASE(FAMILY, family) \
  case GP__FAMILY_##FAMILY: GP_POLICY_FIELDS_##FAMILY(GP__JSON) break;
    GPUPRIMS__FAMILIES(GP__CASE)
#undef GP__CASE
  }
  at += (size_t)snprintf(at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "]}");
  return at;
}
#undef GP__JSON
