// core/space.c - the space of policies as JSON
// uses: api/config.h, api/lists.h, core/shape.h, reduce/policy.h, scan/policy.h, select/policy.h, segments/policy.h,
//   histogram/policy.h, sort/hybrid_policy.h, merge/policy.h, segmented_sort/policy.h, top_k/policy.h,
//   transpose/policy.h, map/policy.h, bfs/policy.h, core/system.c, core/names.c

// One field: the list of values is written twice, as text (names) and as numbers.
GPUPRIMS__PRIVATE size_t gp__json_field(char *json, size_t capacity, size_t at, const char *name, int value,
                                        const char *text, const int *values, int count) {
  char *place = at < capacity ? json + at : NULL;
  size_t room = at < capacity ? capacity - at : 0, n;
  int i;
#define GPUPRIMS__PUT(...)                                                                                             \
  do {                                                                                                                 \
    n = (size_t)snprintf(place, room, __VA_ARGS__);                                                                    \
    at += n;                                                                                                           \
    place = n < room ? place + n : NULL;                                                                               \
    room = n < room ? room - n : 0;                                                                                    \
  } while (0)
  GPUPRIMS__PUT("{\"name\": \"%s\", \"default\": %d, \"values\": [", name, value);
  for (i = 0; i < count; ++i) GPUPRIMS__PUT("%s%d", i ? ", " : "", values[i]);
  GPUPRIMS__PUT("]");
  if (*text == 'G') {
    GPUPRIMS__PUT(", \"names\": [");
    while (*text) {
      const int length = (int)strcspn(text, ",");
      GPUPRIMS__PUT("\"%.*s\"", length, text);
      text += length;
      text += strspn(text, ", ");
      if (*text) GPUPRIMS__PUT(", ");
    }
    GPUPRIMS__PUT("]");
  }
  GPUPRIMS__PUT("}");
#undef GPUPRIMS__PUT
  return at;
}

#define GPUPRIMS__JSON(field, default_, ...)                                                                           \
  {                                                                                                                    \
    static const int values[] = {__VA_ARGS__};                                                                         \
    at += (size_t)snprintf(at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "%s",                  \
                           first ? "" : ", ");                                                                         \
    at = gp__json_field(json, capacity, at, #field, default_, #__VA_ARGS__, values,                                    \
                        (int)(sizeof values / sizeof *values));                                                        \
    first = 0;                                                                                                         \
  }
GPUPRIMS__API size_t gp_policy_space(gp_primitive primitive, char *json, size_t capacity) {
  size_t at = 0;
  int first = 1;
  if (!json) capacity = 0;
  if ((int)primitive <= GP_PRIMITIVE_NONE || (int)primitive >= GP_PRIMITIVE_COUNT) {
    if (capacity) *json = 0;
    return 0;
  }
  at = (size_t)snprintf(json, capacity, "{\"primitive\": \"%s\", \"fields\": [", gp__primitive_names[primitive] + 3);
  switch (gp__family_of(primitive)) {
  case GP__FAMILY_REDUCE:
    GP_POLICY_FIELDS_REDUCE(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SCAN:
    GP_POLICY_FIELDS_SCAN(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_STREAM:
    GP_POLICY_FIELDS_STREAM(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SEGMENTS:
    GP_POLICY_FIELDS_SEGMENTS(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_HISTOGRAM:
    GP_POLICY_FIELDS_HISTOGRAM(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SORT:
    GP_POLICY_FIELDS_SORT(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_MERGE:
    GP_POLICY_FIELDS_MERGE(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_SEGMENTED_SORT:
    GP_POLICY_FIELDS_SEGMENTED_SORT(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_TOP_K:
    GP_POLICY_FIELDS_TOP_K(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_TRANSPOSE:
    GP_POLICY_FIELDS_TRANSPOSE(GPUPRIMS__JSON)
    break;
  case GP__FAMILY_GRAPH:
    GP_POLICY_FIELDS_GRAPH(GPUPRIMS__JSON)
    break;
  default:
    GP_POLICY_FIELDS_MAP(GPUPRIMS__JSON)
  }
  at += (size_t)snprintf(at < capacity ? json + at : NULL, at < capacity ? capacity - at : 0, "]}");
  return at;
}
#undef GPUPRIMS__JSON
