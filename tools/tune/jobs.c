// jobs.c - cells and policies as words, and jobs made of them.
#include "tune.h"

#define NAME(name) #name,
const char *const STATUS_NAMES[STATUS_COUNT] = {"waiting", STATUSES(NAME)};
#undef NAME

// ---- cells ----------------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  int size;
} TYPES[] = {{"i8", 1},  {"u8", 1},  {"i16", 2},  {"u16", 2}, {"i32", 4}, {"u32", 4},  {"i64", 8},
             {"u64", 8}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"s12", 12}, {"s16", 16}};

static const struct {
  const char *name;
  const char
      *has; // i: an input, o: an operator, a: an accumulator, w: words of its own, n: an output that is counted or
            // an index (u32 where nothing else is said), m: the type is that of keys, which are moved or
            // read in order, g: a graph, k: a name and no types
} PRIMITIVES[] = {{"copy", "i"},
                  {"fill", ""},
                  {"iota", ""},
                  {"transform", "io"},
                  {"transform2", "io"},
                  {"reduce", "ioa"},
                  {"inclusive_scan", "ioa"},
                  {"exclusive_scan", "ioa"},
                  {"segmented_reduce", "ioaw"},
                  {"segmented_inclusive_scan", "ioaw"},
                  {"segmented_exclusive_scan", "ioaw"},
                  {"inclusive_scan_by_key", "ioaw"},
                  {"exclusive_scan_by_key", "ioaw"},
                  {"reduce_by_key", "ioaw"},
                  {"run_lengths", "iw"},
                  {"nontrivial_runs", "iw"},
                  {"unique", "iw"},
                  {"adjacent_difference", "io"},
                  {"select", "iw"},
                  {"partition", "iw"},
                  {"count_if", "iw"},
                  {"any", "iw"},
                  {"all", "iw"},
                  {"histogram_even", "iwn"},
                  {"histogram_ranges", "iwn"},
                  {"lower_bound", "iwn"},
                  {"upper_bound", "iwn"},
                  {"load_balance", "wn"},
                  {"sort", "iwm"},
                  {"merge_sort", "iwm"},
                  {"merge", "iwm"},
                  {"set_union", "iwm"},
                  {"set_intersection", "iwm"},
                  {"set_difference", "iwm"},
                  {"set_symmetric_difference", "iwm"},
                  {"is_sorted", "iw"},
                  {"segmented_sort", "iwm"},
                  {"top_k", "iwm"},
                  {"nth_element", "iwm"},
                  {"shuffle", "i"},
                  {"transpose", "iw"},
                  {"group_by", "ioaw"},
                  {"check_offsets", "iw"},
                  {"convert_layout", "iw"},
                  {"bfs", "wg"},
                  {"bfs_sources", "wg"},
                  {"connected_components", "wg"},
                  {"graph_from_edges", "wg"},
                  {"kernel", "k"}}; // of the user's
enum { PRIMITIVE_COUNT = sizeof PRIMITIVES / sizeof *PRIMITIVES };

int type_size(const char *type) {
  size_t i;
  for (i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
    if (!strcmp(type, TYPES[i].name)) return TYPES[i].size;
  return 0;
}

int primitive_has(const char *primitive, char what) {
  int i;
  for (i = 0; i < PRIMITIVE_COUNT; i++)
    if (!strcmp(primitive, PRIMITIVES[i].name)) return strchr(PRIMITIVES[i].has, what) != NULL;
  return 0;
}

static int is_primitive(const char *name) {
  int i;
  for (i = 0; i < PRIMITIVE_COUNT; i++)
    if (!strcmp(name, PRIMITIVES[i].name)) return 1;
  return 0;
}

// What the words after the type may be, in this order.
static char *cell_field(cell_words *w, const char *name, size_t *room) {
  *room = !strcmp(name, "protocol") ? sizeof w->protocol : sizeof w->in;
  return !strcmp(name, "acc") ? w->acc : !strcmp(name, "out") ? w->out : !strcmp(name, "protocol") ? w->protocol : NULL;
}

// Words that only some primitives have (tools/gp_cells.h says which, and checks them).
static int is_own_word(const cell_words *w, const char *name) {
  static const char *const NAMES[] = {"segments", "offsets", "form",     "key",      "payload", "lengths", "runs",
                                      "parts",    "keep",    "bins",     "haystack", "dist",    "order",   "bits",
                                      "second",   "k",       "rows",     "sorted",   "groups",  "struct",  "from",
                                      "to",       "shape",   "in_place", "graph",    "at_once"};
  size_t i;
  for (i = 0; primitive_has(w->primitive, 'w') && i < sizeof NAMES / sizeof *NAMES; i++)
    if (!strcmp(name, NAMES[i])) return 1;
  return 0;
}

static int is_one_of(const char *word, const char *list) {
  const size_t length = strlen(word);
  const char *at;
  for (at = strstr(list, word); at; at = strstr(at + 1, word))
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return 1;
  return 0;
}

static const char PROTOCOLS[] = "cold back_to_back graph cold_graph";

const char *cell_words_of(const char *cell, cell_words *w) {
  static char reason[160];
  char copy[256], *save = NULL, *word, *type = NULL, *end;
#define BAD(...) return snprintf(reason, sizeof reason, __VA_ARGS__), reason
  memset(w, 0, sizeof *w);
  if (strlen(cell) >= sizeof copy) BAD("a cell longer than %d characters", (int)sizeof copy - 1);
  strcpy(copy, cell);
  word = strtok_r(copy, " ", &save);
  if (!word || !is_primitive(word)) BAD("no primitive %.40s", word ? word : "is named");
  strcpy(w->primitive, word);
  word = strtok_r(NULL, " ", &save);
  if (primitive_has(w->primitive, 'o')) {
    if (!word || strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(word) || strlen(word) >= sizeof w->op)
      BAD("%s needs an operator, such as SUM", w->primitive);
    strcpy(w->op, word);
    word = strtok_r(NULL, " ", &save);
  }
  if (primitive_has(w->primitive, 'k')) {
    if (!word || strlen(word) >= sizeof w->op) BAD("a kernel needs a name");
    strcpy(w->op, word);
  } else if (!word || !type_size(word)) BAD("no type %.40s", word ? word : "is named");
  else type = word;
  while ((word = strtok_r(NULL, " ", &save))) {
    char *equals = strchr(word, '='), *field;
    size_t room;
    if (!equals) BAD("%.40s is one word too many", word);
    *equals = 0;
    if (!strcmp(word, "n")) {
      w->n = strtoull(equals + 1, &end, 10);
      if (equals[1] < '1' || equals[1] > '9' || *end) BAD("n=%.40s is no count", equals + 1);
      continue;
    }
    if (is_own_word(w, word)) {
      room = strlen(w->words);
      if (room + strlen(word) + strlen(equals + 1) + 3 > sizeof w->words) BAD("too many words");
      sprintf(w->words + room, "%s%s=%s", room ? " " : "", word, equals + 1);
      continue;
    }
    field = cell_field(w, word, &room);
    if (!field) BAD("a cell has no field %.40s", word);
    if (strlen(equals + 1) >= room || (field != w->protocol && !type_size(equals + 1)))
      BAD("%s=%.40s", word, equals + 1);
    strcpy(field, equals + 1);
  }
  if (!w->n) BAD("the count n= is missing");
  if (!is_one_of(w->protocol, PROTOCOLS)) BAD("protocol=%s: there are %s", w->protocol, PROTOCOLS);
  if (!type) return NULL;
  if (!*w->out) strcpy(w->out, primitive_has(w->primitive, 'n') ? "u32" : type);
  strcpy(w->in, type); // of a fill: what it fills with
  if (primitive_has(w->primitive, 'a') && !*w->acc) strcpy(w->acc, strstr(w->out, "f16") ? "f32" : w->out);
  return NULL;
#undef BAD
}

// A word's value; "" where the words have none such. Valid until the next call.
static const char *value_of_word(const cell_words *w, const char *name) {
  static char copy[sizeof w->words];
  char *save = NULL, *word;
  const size_t length = strlen(name);
  strcpy(copy, w->words);
  for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
    if (!strncmp(word, name, length) && word[length] == '=') return word + length + 1;
  return "";
}
// Its bytes, or 0.
static int size_of_word(const cell_words *w, const char *name) { return type_size(value_of_word(w, name)); }

int cell_degree_of(const cell_words *w) {
  const char *graph = value_of_word(w, "graph"), *factor = strstr(graph, ":factor=");
  return !strncmp(graph, "grid", 4) ? 4 : 2 * (factor ? atoi(factor + 8) : 16);
}

void cell_sizes_of(const cell_words *w, cell_sizes *sizes) {
  const char *p = w->primitive;
  const int payload = size_of_word(w, "payload"), lengths = size_of_word(w, "lengths");
  sizes->in = payload ? payload : primitive_has(p, 'i') ? type_size(w->in) : 0;
  sizes->acc = is_one_of(p, "count_if check_offsets is_sorted") ? 8 : is_one_of(p, "any all") ? 4 : type_size(w->acc);
  sizes->out = !strcmp(p, "run_lengths")                          ? 0
               : is_one_of(p, "count_if check_offsets is_sorted") ? 8
               : is_one_of(p, "any all")                          ? 1
               : !strcmp(p, "unique")                             ? payload
               : !strcmp(p, "nontrivial_runs")                    ? (lengths ? lengths : 4)
                                                                  : type_size(w->out);
  sizes->bytes = sizes->in > sizes->out ? sizes->in : sizes->out;
  if (primitive_has(p, 'm')) {
    sizes->in = type_size(w->in);
    sizes->out = payload;
    sizes->bytes = sizes->in + sizes->out;
  }
  if (is_one_of(p, "inclusive_scan_by_key exclusive_scan_by_key reduce_by_key select partition unique run_lengths "
                   "nontrivial_runs"))
    sizes->bytes = sizes->in + size_of_word(w, "key") + (payload ? type_size(w->in) : 0);
  if (is_one_of(p, "segmented_inclusive_scan segmented_exclusive_scan histogram_even histogram_ranges"))
    sizes->bytes = sizes->in;
  if (primitive_has(p, 'g')) { // bytes: beside each edge that of its share of a vertex
    sizes->acc = type_size(w->in);
    sizes->in = strstr(w->words, "offsets=u64") ? 8 : 4;
    sizes->out = cell_degree_of(w) < 8 ? 0 : 8;
    sizes->bytes = sizes->acc;
  }
}

// ---- policies -------------------------------------------------------------------------------------------------------

int policy_next(const char **at, char *name, char *value, size_t room) {
  const size_t names = strcspn(*at, "=,"), values = (*at)[names] == '=' ? strcspn(*at + names + 1, ",") : 0;
  if (!names || (*at)[names] != '=' || names >= room || values >= room) return 0;
  snprintf(name, room, "%.*s", (int)names, *at);
  snprintf(value, room, "%.*s", (int)values, *at + names + 1);
  *at += names + 1 + values;
  *at += **at == ',';
  return 1;
}

// One of a|b|c?
static int is_among(const char *value, const char *list) {
  const size_t length = strlen(value);
  for (; list; list = strchr(list, '|') ? strchr(list, '|') + 1 : NULL)
    if (!strncmp(list, value, length) && (list[length] == 0 || list[length] == '|')) return 1;
  return 0;
}

int policy_matches(const char *policy, const char *pattern) {
  char name[64], value[64], wanted_name[64], wanted[64];
  while (policy_next(&pattern, wanted_name, wanted, sizeof wanted)) {
    const char *at = policy;
    int found = 0;
    while (!found && policy_next(&at, name, value, sizeof name))
      found = !strcmp(name, wanted_name) && is_among(value, wanted);
    if (!found) return 0;
  }
  return 1;
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

job *job_make(const char *phase, int process, const char *cell, int rounds, double batch_us, double give_up) {
  job *j = memset(grow(NULL, sizeof *j), 0, sizeof *j);
  j->phase = phase;
  j->process = process;
  j->cell = print_text("%s", cell);
  j->rounds = rounds;
  j->verify = 1;
  j->batch_us = batch_us;
  j->give_up = give_up;
  return j;
}

variant *job_add(job *j, const char *policy, build *b, int tag) {
  variant *v = &PUSH(j->variants, j->variant_count);
  v->policy = policy;
  v->build = b;
  v->tag = tag;
  return v;
}

void job_seal(job *j) {
  char *asked = print_text("%s|%d|%s|%d|%.9g|%.9g", j->phase, j->process, j->cell, j->rounds, j->batch_us, j->give_up);
  uint64_t hash = hash_text(HASH_START, asked);
  int i;
  free(asked);
  for (i = 0; i < j->variant_count; i++) hash = hash_text(hash, j->variants[i].policy);
  snprintf(j->key, sizeof j->key, "%016llx", (unsigned long long)hash);
}

int job_built(const job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++)
    if (j->variants[i].build && !j->variants[i].build->built) return 0;
  return 1;
}

void job_free(job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++) {
    free(j->variants[i].echo);
    free(j->variants[i].source);
    free(j->variants[i].message);
    free(j->variants[i].us);
  }
  free(j->variants);
  free(j->sent);
  free(j->clocks);
  free(j->cell);
  free(j);
}
