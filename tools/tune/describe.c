// describe.c - prints the parts of cells, policies and rows as JSON, so that Python needs no lists of its own. gp_tune
// --describe prints it; tools/farm/cell_keys.py reads it. It describes this tree, whatever tree is measured.
#include "../../src/api/lists.h"
#include "../../src/api/policy.h"
#include "../../src/core/rules.h"
#include "../../src/families.h"
#include "../peers/data.h"
#include "tune.h"

#define WORD(name, ...) " " #name
#define SECOND(first, name, ...) " " #name
#define FAMILY(FAMILY, family) #family,
#define TYPE(name, size, number, fields) {#name, size},
#define ROW(name, ...) {#name, __VA_ARGS__},
static const char *const FAMILY_NAMES[] = {GPUPRIMS__FAMILIES(FAMILY)};
static const char *const PRIMITIVE_NAMES[] = {
#define NAME(NAME, value, name) #name,
    GP_PRIMITIVES(NAME)};
static const struct {
  const char *name;
  int size;
} TYPES[] = {GP_DATA_TYPES(TYPE)};
static const primitive_row ROWS[] = {GP_TOOL_PRIMITIVES(ROW)};
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void comma(text *t) {
  if (!strchr("[{", t->at[t->length - 1])) text_add(t, ",");
}

// A list of words with spaces between.
static void add_list(text *t, const char *name, const char *words) {
  comma(t);
  text_add(t, "\"%s\":[", name);
  while (*(words += strspn(words, " "))) {
    const int length = (int)strcspn(words, " ");
    comma(t);
    text_add(t, "\"%.*s\"", length, words);
    words += length;
  }
  text_add(t, "]");
}

const char *describe(void) {
  static text t;
  const char *at;
  char *unit;
  int i;
  if (t.at) return t.at;
  text_add(&t, "{\"sizes\":["); // in bytes
  for (at = GP_STANDARD_SIZES; *at; at = unit + 1 + (unit[1] == ',')) {
    const unsigned long long count = strtoull(at, &unit, 10);
    comma(&t);
    text_add(&t, "%llu", count << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 30));
  }
  text_add(&t, "]");
  add_list(&t, "protocols", GP_CELL_PROTOCOLS(SECOND));
  add_list(&t, "words", GP_CELL_WORDS(SECOND));
  add_list(&t, "fields", GP_POLICY_MEMBERS(WORD));
  add_list(&t, "algorithms", "AUTO" GP_ALGORITHMS(WORD));
  add_list(&t, "caches", GP_CACHES(WORD));
  text_add(&t, ",\n\"types\":{");
  for (i = 0; i < COUNT(TYPES); i++) text_add(&t, "%s\"%s\":%d", i ? "," : "", TYPES[i].name, TYPES[i].size);
  text_add(&t, "},\n\"primitives\":{"); // in the library's order: a policy's family
  for (i = 0; i < COUNT(PRIMITIVE_NAMES); i++)
    text_add(&t, "%s\"%s\":\"%s\"", i ? "," : "", PRIMITIVE_NAMES[i], FAMILY_NAMES[gp__family_of(i + 1)]);
  text_add(&t, "},\n\"cells\":{");
  for (i = 0; i < COUNT(ROWS); i++) {
    text_add(&t, "%s\n\"%s\":{\"op\":\"%s\",\"area\":\"%s\",\"searched\":\"%s\",\"standard\":\"%s\"", i ? "," : "",
        ROWS[i].name, ROWS[i].op, ROWS[i].area, ROWS[i].searched, ROWS[i].standard);
    add_list(&t, "has", ROWS[i].has);
    add_list(&t, "types", ROWS[i].types);
    text_add(&t, "}");
  }
  text_add(&t, "}}");
  return t.at;
}
