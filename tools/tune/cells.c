// cells.c - cells as text and as keys, and their sizes; built into gp_tune, and loaded by Python as a library
// (tools/farm/cell_keys.py). It includes no header of the library: a key is the same for every measured tree.
#include "../peers/data.h"
#include "tune.h"

static const struct {
  const char *name;
  int size;
} TYPES[] = {
#define ROW(name, size, number, fields) {#name, size},
    GP_DATA_TYPES(ROW)
#undef ROW
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static const primitive_row PRIMITIVES[] = {
#define ROW(name, ...) {#name, __VA_ARGS__},
    GP_TOOL_PRIMITIVES(ROW)
#undef ROW
};
enum { PRIMITIVE_COUNT = sizeof PRIMITIVES / sizeof *PRIMITIVES };

static const char *const OWN[] = {
#define NAME(letter, name) #name,
    GP_CELL_WORDS(NAME)
#undef NAME
};
enum { OWN_COUNT = sizeof OWN / sizeof *OWN };

int type_size(const char *type) {
  int i;
  for (i = 0; i < TYPE_COUNT; i++)
    if (!strcmp(type, TYPES[i].name)) return TYPES[i].size;
  return 0;
}

const primitive_row *primitive_of(const char *name) {
  int i;
  for (i = 0; i < PRIMITIVE_COUNT; i++)
    if (!strcmp(name, PRIMITIVES[i].name)) return &PRIMITIVES[i];
  return NULL;
}
int primitive_has(const char *primitive, const char *what) {
  const primitive_row *row = primitive_of(primitive);
  return row && strstr(row->has, what);
}

static int is_one_of(const char *word, const char *list) {
  const size_t length = strlen(word);
  const char *at;
  for (at = strstr(list, word); at; at = strstr(at + 1, word))
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return 1;
  return 0;
}

static int own_word(const cell_words *w, const char *name) {
  int i;
  for (i = 0; *primitive_of(w->primitive)->words && i < OWN_COUNT; i++)
    if (!strcmp(name, OWN[i])) return i;
  return -1;
}

// Fields of all cells.
static char *cell_field(cell_words *w, const char *name, size_t *room) {
  *room = !strcmp(name, "protocol") ? sizeof w->protocol : sizeof w->in;
  return !strcmp(name, "acc") ? w->acc : !strcmp(name, "out") ? w->out : !strcmp(name, "protocol") ? w->protocol : NULL;
}

// A count, optionally with K, M or G (powers of 1024). 0: not a count.
static unsigned long long count_of(const char *text) {
  char *end;
  const unsigned long long count = strtoull(text, &end, 10);
  const char *unit = *end ? strchr("KMG", *end) : NULL;
  const int shift = unit ? 10 * (int)(unit - "KMG" + 1) : 0;
  if (*text < '1' || *text > '9' || (unit ? end[1] : *end) || count >> (63 - shift)) return 0;
  return count << shift;
}

#define NAME(NAME, name) " " #name
static const char PROTOCOLS[] = GP_CELL_PROTOCOLS(NAME);
#undef NAME

// Defaults, which depend on the other words.
static const char *usual_out(const cell_words *w) { return primitive_has(w->primitive, "index") ? "u32" : w->in; }
static const char *usual_acc(const cell_words *w) {
  return !primitive_has(w->primitive, "folds") ? "" : strstr(w->out, "f16") ? "f32" : w->out;
}

const char *cell_words_of(const char *cell, cell_words *w) {
  static char reason[160];
  char copy[256], *save = NULL, *word;
  const char *own[OWN_COUNT] = {NULL};
  unsigned long long bytes = 0;
  size_t room, length = 0;
  int i;
#define BAD(...) return snprintf(reason, sizeof reason, __VA_ARGS__), reason
  memset(w, 0, sizeof *w);
  if (strlen(cell) >= sizeof copy) BAD("a cell longer than %d characters", (int)sizeof copy - 1);
  strcpy(copy, cell);
  word = strtok_r(copy, " ", &save);
  if (!word || !primitive_of(word) || primitive_has(word, "no_cells"))
    BAD("no primitive %.40s", word ? word : "is named");
  strcpy(w->primitive, word);
  word = strtok_r(NULL, " ", &save);
  if (*primitive_of(w->primitive)->op) {
    if (!word || strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(word) ||
        strlen(word) >= sizeof w->op || (*word >= '0' && *word <= '9'))
      BAD("%s needs an operator, such as SUM", w->primitive);
    strcpy(w->op, word);
    word = strtok_r(NULL, " ", &save);
  }
  if (primitive_has(w->primitive, "kernel")) {
    if (!word || strlen(word) >= sizeof w->op) BAD("a kernel needs a name");
    strcpy(w->op, word);
  } else if (!word || !type_size(word)) BAD("no type %.40s", word ? word : "is named");
  else strcpy(w->in, word); // of a fill: the value
  while ((word = strtok_r(NULL, " ", &save))) {
    char *equals = strchr(word, '='), *field;
    if (!equals) BAD("unexpected word %.40s", word);
    *equals++ = 0;
    i = own_word(w, word);
    field = cell_field(w, word, &room);
    if (!strcmp(word, "n") || !strcmp(word, "bytes")) {
      *(*word == 'n' ? &w->n : &bytes) = count_of(equals);
      if (!count_of(equals)) BAD("%s=%.40s is not a count", word, equals);
    } else if (i >= 0) {
      own[i] = equals;
    } else if (!field) {
      BAD("a cell has no field %.40s", word);
    } else {
      if (strlen(equals) >= room || (field != w->protocol && !type_size(equals))) BAD("%s=%.40s", word, equals);
      strcpy(field, equals);
    }
  }
  if (bytes && *w->in) w->n = bytes / (unsigned long long)type_size(w->in);
  if (!w->n) BAD("the count n= is missing");
  if (!*w->protocol) strcpy(w->protocol, primitive_has(w->primitive, "graph") ? "back_to_back" : "cold");
  if (!is_one_of(w->protocol, PROTOCOLS)) BAD("protocol=%s is unknown: use one of%s", w->protocol, PROTOCOLS);
  for (i = 0; i < OWN_COUNT; i++) {
    if (!own[i]) continue;
    if (length + strlen(OWN[i]) + strlen(own[i]) + 3 > sizeof w->words) BAD("too many words");
    length += (size_t)sprintf(w->words + length, "%s%s=%s", length ? " " : "", OWN[i], own[i]);
  }
  if (!*w->in) return NULL;
  if (!*w->out) strcpy(w->out, usual_out(w));
  if (!*w->acc || !primitive_has(w->primitive, "folds")) strcpy(w->acc, usual_acc(w));
  return NULL;
#undef BAD
}

char *cell_text_of(const cell_words *w) {
  text t = {0};
  text_add(&t, "%s", w->primitive);
  if (*w->op) text_add(&t, " %s", w->op);
  if (*w->in) text_add(&t, " %s", w->in);
  if (*w->acc && strcmp(w->acc, usual_acc(w))) text_add(&t, " acc=%s", w->acc);
  if (*w->out && strcmp(w->out, usual_out(w))) text_add(&t, " out=%s", w->out);
  if (*w->words) text_add(&t, " %s", w->words);
  text_add(&t, " n=%llu protocol=%s", w->n, w->protocol);
  return t.at;
}

void cell_key_add(text *t, const cell_words *w) {
  text_add(t, "\"primitive\":\"%s\",\"op\":\"%s\",\"in\":\"%s\",\"acc\":\"%s\",\"out\":\"%s\",\"n\":%llu,",
      w->primitive, w->op, w->in, w->acc, w->out, w->n);
  if (*w->words) {
    text_add(t, "\"words\":");
    json_string(t, w->words);
    text_add(t, ",");
  }
  text_add(t, "\"protocol\":\"%s\"", w->protocol);
}

int cell_key(const char *cell, char *key, size_t room) {
  cell_words w;
  const char *wrong = cell_words_of(cell, &w);
  char *whole;
  text t = {0};
  int fits;
  if (wrong) {
    snprintf(key, room, "%s", wrong);
    return 0;
  }
  text_add(&t, "{");
  cell_key_add(&t, &w);
  text_add(&t, ",\"text\":");
  whole = cell_text_of(&w);
  json_string(&t, whole);
  free(whole);
  text_add(&t, "}");
  fits = t.length < room;
  snprintf(key, room, "%s", fits ? t.at : "the key is too long");
  free(t.at);
  return fits;
}

// A word's value; "" without the word. Valid until the next call.
static const char *value_of_word(const cell_words *w, const char *name) {
  static char copy[sizeof w->words];
  char *save = NULL, *word;
  const size_t length = strlen(name);
  strcpy(copy, w->words);
  for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
    if (!strncmp(word, name, length) && word[length] == '=') return word + length + 1;
  return "";
}
// The bytes of a type, or 0.
static int size_of_word(const cell_words *w, const char *name) { return type_size(value_of_word(w, name)); }

int cell_degree_of(const cell_words *w) {
  const char *graph = value_of_word(w, "graph"), *factor = strstr(graph, ":factor=");
  return !strncmp(graph, "grid", 4) ? 4 : 2 * (factor ? atoi(factor + 8) : 16);
}

// Bytes of a struct: in an array of structs as C has it, in other layouts packed. Its fields are those of the word
// `struct`, or four of the cell's type.
static int struct_bytes(const cell_words *w, int is_packed) {
  const char *at = strstr(w->words, "struct=");
  int bytes = 0, most = 1, left = at ? 1 : 4;
  if (at) at += strlen("struct=");
  while (left > 0) {
    const int field = at ? atoi(at) : type_size(w->in);
    int align = 1;
    while (!is_packed && align < 16 && field % (2 * align) == 0) align *= 2;
    if (align > most) most = align;
    bytes = (bytes + align - 1) / align * align + field;
    if (at) at += strspn(at, "0123456789"), left = *at++ == '.';
    else left--;
  }
  return (bytes + most - 1) / most * most;
}

void cell_sizes_of(const cell_words *w, cell_sizes *sizes) {
  const char *p = w->primitive;
  const int payload = size_of_word(w, "payload"), lengths = size_of_word(w, "lengths");
  sizes->in = payload ? payload : primitive_has(p, "input") ? type_size(w->in) : 0;
  sizes->acc = primitive_has(p, "count") ? 8 : primitive_has(p, "truth") ? 4 : type_size(w->acc);
  sizes->out = !strcmp(p, "run_lengths") ? 0
      : primitive_has(p, "count")        ? 8
      : primitive_has(p, "truth")        ? 1
      : !strcmp(p, "unique")             ? payload
      : !strcmp(p, "nontrivial_runs")    ? (lengths ? lengths : 4)
                                         : type_size(w->out);
  if (!strcmp(p, "convert_layout")) {
    const char *from = strstr(w->words, "from="), *to = strstr(w->words, "to=");
    sizes->in = struct_bytes(w, from && strncmp(from, "from=aos", strlen("from=aos")));
    sizes->out = struct_bytes(w, !to || strncmp(to, "to=aos", strlen("to=aos")));
  }
  sizes->bytes = sizes->in > sizes->out ? sizes->in : sizes->out;
  if (primitive_has(p, "keys")) {
    sizes->in = type_size(w->in);
    sizes->out = payload;
    sizes->bytes = sizes->in + sizes->out;
  }
  if (primitive_has(p, "beside")) sizes->bytes = sizes->in + size_of_word(w, "key") + (payload ? type_size(w->in) : 0);
  if (primitive_has(p, "reads")) sizes->bytes = sizes->in;
  if (primitive_has(p, "graph")) { // bytes: an edge, and its share of a vertex
    sizes->acc = type_size(w->in);
    sizes->in = strstr(w->words, "offsets=u64") ? 8 : 4;
    sizes->out = cell_degree_of(w) < 8 ? 0 : 8;
    sizes->bytes = sizes->acc;
  }
}

int cell_measure(const char *text, char *own, size_t room, unsigned long long numbers[5]) {
  cell_words w;
  cell_sizes sizes;
  char *whole;
  int i, fits;
  if (cell_words_of(text, &w) || primitive_has(w.primitive, "kernel")) return 0;
  cell_sizes_of(&w, &sizes);
  numbers[0] = (unsigned long long)sizes.in;
  numbers[1] = (unsigned long long)sizes.acc;
  numbers[2] = (unsigned long long)sizes.out;
  numbers[3] = w.n * (unsigned long long)sizes.bytes;
  numbers[4] = 0;
  if (primitive_has(w.primitive, "graph")) {
    const int degree = cell_degree_of(&w);
    if (degree < 1) return 0;
    numbers[3] += w.n / (unsigned)degree * (unsigned long long)sizes.bytes;
    numbers[4] = (unsigned)degree;
  }
  for (i = 0; i < OWN_COUNT; i++) // of a type, for the fields that name types
    if (is_one_of(OWN[i], "key payload lengths offsets") && *value_of_word(&w, OWN[i]) && !size_of_word(&w, OWN[i]))
      return 0;
  whole = cell_text_of(&w);
  fits = strlen(whole) < room;
  snprintf(own, room, "%s", whole);
  free(whole);
  return fits && numbers[3] > 0;
}
