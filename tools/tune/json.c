// json.c - JSON (RFC 8259), one text a line: reads into a tree, writes strings. gp_tune needs only gcc and make, so it
// uses no JSON library, which every measuring machine would have to install or fetch.
#include "tune.h"

static json *nodes; // one line's
static int node_count;
static const char *wrong;

static json *parse_value(char **at, int depth);

static void skip_space(char **at) { *at += strspn(*at, " \t\r\n"); }

static json *fail(const char *reason) {
  if (!wrong) wrong = reason;
  return NULL;
}

static json *new_node(char kind) {
  json *node = &nodes[node_count++];
  memset(node, 0, sizeof *node);
  node->kind = kind;
  return node;
}

static char *put_utf8(char *to, unsigned code) {
  if (code < 0x80) *to++ = (char)code;
  else if (code < 0x800) *to++ = (char)(0xc0 | code >> 6), *to++ = (char)(0x80 | (code & 63));
  else if (code < 0x10000)
    *to++ = (char)(0xe0 | code >> 12), *to++ = (char)(0x80 | (code >> 6 & 63)), *to++ = (char)(0x80 | (code & 63));
  else
    *to++ = (char)(0xf0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 63)),
    *to++ = (char)(0x80 | (code >> 6 & 63)), *to++ = (char)(0x80 | (code & 63));
  return to;
}

static int parse_unit(char **at, unsigned *code) {
  char digits[5] = "", *end;
  memcpy(digits, *at, strnlen(*at, 4));
  *code = (unsigned)strtoul(digits, &end, 16);
  if (end != digits + 4 || digits[0] == '-' || digits[0] == '+' || digits[0] == ' ') return 0;
  *at += 4;
  return 1;
}

// Unescapes in place: escapes are never shorter than their characters.
static char *parse_string(char **at) {
  static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
  char *from = *at + 1, *to = from, *const start = from;
  while (*from != '"') {
    const char *escape;
    unsigned code, low;
    if (!*from) return fail("an unterminated string"), NULL;
    if ((unsigned char)*from < 32) return fail("a control character in a string"), NULL;
    if (*from != '\\') {
      *to++ = *from++;
      continue;
    }
    from++;
    if (*from == 'u') {
      from++;
      if (!parse_unit(&from, &code)) return fail("a bad \\u in a string"), NULL;
      if (code >> 10 == 0x36 && from[0] == '\\' && from[1] == 'u') { // a pair of surrogates
        from += 2;
        if (!parse_unit(&from, &low)) return fail("a bad \\u in a string"), NULL;
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
      }
      to = put_utf8(to, code ? code : ' ');
      continue;
    }
    escape = *from ? strchr(FROM, *from) : NULL;
    if (!escape) return fail("a bad escape in a string"), NULL;
    *to++ = TO[escape - FROM];
    from++;
  }
  *at = from + 1;
  *to = 0;
  return start;
}

static json *parse_members(char **at, int depth) {
  json *node = new_node(**at), **last = &node->first;
  const char end = node->kind == '{' ? '}' : ']';
  ++*at;
  skip_space(at);
  if (**at == end) return ++*at, node;
  for (;;) {
    char *name = NULL;
    skip_space(at);
    if (node->kind == '{') {
      if (**at != '"') return fail("an object's member without a name");
      if (!(name = parse_string(at))) return NULL;
      skip_space(at);
      if (*(*at)++ != ':') return fail("an object's member without a colon");
    }
    if (!(*last = parse_value(at, depth + 1))) return NULL;
    (*last)->name = name;
    last = &(*last)->next;
    skip_space(at);
    if (**at == end) return ++*at, node;
    if (*(*at)++ != ',') return fail(end == '}' ? "an object without an end" : "an array without an end");
  }
}

static json *parse_value(char **at, int depth) {
  static const char *const WORDS[] = {"true", "false", "null"};
  json *node;
  int i;
  if (depth > 32) return fail("nested too deep");
  skip_space(at);
  if (**at == '{' || **at == '[') return parse_members(at, depth);
  if (**at == '"') {
    node = new_node('"');
    return (node->text = parse_string(at)) ? node : NULL;
  }
  for (i = 0; i < 3; i++)
    if (!strncmp(*at, WORDS[i], strlen(WORDS[i]))) return *at += strlen(WORDS[i]), new_node(*WORDS[i]);
  if (**at == '-' || (**at >= '0' && **at <= '9')) {
    node = new_node('0');
    node->number = strtod(*at, at);
    return node;
  }
  return fail(**at ? "not a JSON value" : "it ends too soon");
}

const json *json_parse(char *line, const char **reason) {
  static size_t room;
  const size_t needed = strlen(line) + 1; // a node takes at least a character
  json *root;
  if (needed > room) nodes = grow(nodes, (room = needed * 2) * sizeof *nodes);
  node_count = 0;
  wrong = NULL;
  root = parse_value(&line, 0);
  skip_space(&line);
  if (root && *line) fail("unexpected text after its end");
  if (root && root->kind != '{') fail("not a JSON object");
  *reason = wrong;
  return wrong ? NULL : root;
}

const json *json_get(const json *object, const char *name) {
  const json *member = object && object->kind == '{' ? object->first : NULL;
  while (member && strcmp(member->name, name)) member = member->next;
  return member;
}
const char *json_text(const json *object, const char *name) {
  const json *member = json_get(object, name);
  return member && member->kind == '"' ? member->text : "";
}
double json_number(const json *object, const char *name) {
  const json *member = json_get(object, name);
  return member && member->kind == '0' ? member->number : 0;
}

// Bytes of the UTF-8 character at `at`; 0: invalid. Messages come from compilers and drivers, in any encoding.
static int utf8_length(const unsigned char *at) {
  const int length = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
  int i;
  for (i = 1; i < length; i++)
    if (at[i] >> 6 != 2) return 0;
  return length;
}
void json_string(text *t, const char *value) {
  const unsigned char *at = (const unsigned char *)value;
  text_put(t, "\"", 1);
  while (*at) {
    const int length = utf8_length(at);
    if (*at == '"' || *at == '\\') text_add(t, "\\%c", *at);
    else if (*at < 32) text_add(t, "\\u%04x", *at);
    else if (length) text_put(t, (const char *)at, (size_t)length);
    else text_put(t, "?", 1);
    at += length ? length : 1;
  }
  text_put(t, "\"", 1);
}
void json_value(text *t, const char *value) {
  char *end;
  const double number = strtod(value, &end);
  if (end == value || *end || !strchr("-0123456789", *value) || number - number != 0) json_string(t, value);
  else text_add(t, "%.15g", number);
}
