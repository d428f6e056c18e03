// gp_bundle.c - compiles a list of calls ahead of time into one C header of machine code, for programs that run where
// there is no compiler. It needs NVRTC and no GPU.
//
//     cc -O2 -I. tools/gp_bundle.c -o gp_bundle -ldl -lpthread -lm
//     ./gp_bundle LIST NAME ARCHITECTURE... > bundle.h     e.g. ./gp_bundle kernels.txt my_kernels 80 90 > bundle.h
//
// The program includes gpuprims.h and then bundle.h, and sets gp_config.bundle = &NAME. A bundled kernel serves every
// gpuprims.h with the same kernel text: edits of comments or of other families do not matter. If the text differs,
// NVRTC compiles the kernel, or the call returns GP_E_NO_COMPILER. Machine code of 8.0 also runs on 8.6 and 8.9, not on
// 9.0. The output depends only on the list, the header and NVRTC's version.
//
// THE LIST: a line a call, words separated by blanks, # begins a comment:
//
//     PRIMITIVE [op=OP] [transform=OP] [in=TYPE] [in2=TYPE] [acc=TYPE] [out=TYPE] [reproducible] [FIELD=VALUE]...
//
//         reduce op=SUM in=f32 out=f64
//         inclusive_scan op=MAX in=i32
//         copy in=f32                                   any type of the same size is served
//         reduce op=SUM in=u8 out=u64 algorithm=GP_STEALING threads=256
//
// PRIMITIVE, TYPE and OP are names of GP_PRIMITIVES, GP_TYPES and GP_OPERATORS, or are defined earlier in the list;
// FIELD is a field of the primitive's policy (gp_policy_space). Every kernel that the library can choose for such a
// call, over all counts, alignments and rows of the tuned table, goes into the bundle.
// A user's type or operator begins with such a line and ends with a line that is just "end". Its texts must be the
// program's own, byte for byte (lines are joined by newlines, with none at the end):
//
//     type vec3 size=12 align=4            source follows; none: raw bytes
//     struct vec3 { float x, y, z; };
//     end
//     operator "nearest" arity=2 commutative=1       one word, so that op=nearest can follow
//     identity {1e30f, 0, 0}               one line; for operators of reduce and scan
//     prelude                              optional: lines up to "body"
//     body
//     return a.x < b.x ? a : b;
//     end
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include <ctype.h>

enum { MAX_LINE = 4096, MAX_NAMES = 256, MAX_TEXT = 65536 };

typedef struct named {
  char name[64];
  int handle;
} named;

typedef struct image {
  char *key;
  unsigned char *data;
  size_t bytes;
  int architecture;
} image;

static FILE *list;
static const char *list_name;
static int line_number;
static gp_context *ctx;
static named types[MAX_NAMES], operators[MAX_NAMES];
static int type_count, operator_count;
static image *images;
static size_t image_count, image_capacity;
static int taking; // the architecture being compiled

static void fail(const char *what, const char *which) {
  fprintf(stderr, "%s:%d: %s%s%s\n", list_name, line_number, what, *which ? ": " : "", which);
  exit(1);
}

static void *need(void *memory) {
  if (!memory) fail("no memory", "");
  return memory;
}

// The next line without its end, or 0 at the end of the list.
static int next_line(char *line) {
  if (!fgets(line, MAX_LINE, list)) return 0;
  ++line_number;
  if (!strchr(line, '\n') && !feof(list)) fail("a line of more than 4094 characters", "");
  line[strcspn(line, "\r\n")] = 0;
  return 1;
}

static const char *value_of(const char *word, const char *key) {
  const size_t length = strlen(key);
  return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static int number(const char *text) {
  char *end;
  const long value = strtol(text, &end, 0);
  if (end == text || *end || value < -1000000 || value > 1000000) fail("not a number", text);
  return (int)value;
}

static int find(const named *all, int count, const char *name) {
  int i;
  for (i = 0; i < count; ++i)
    if (strcmp(all[i].name, name) == 0) return all[i].handle;
  return 0;
}
static gp_type find_type(const char *name) {
  int i, handle = find(types, type_count, name);
  for (i = 1; !handle && i < GP_TYPE_COUNT; ++i)
    if (strcmp(gp_type_name(NULL, (gp_type)i), name) == 0) handle = i;
  if (!handle) fail("no such type", name);
  return (gp_type)handle;
}
static gp_op find_operator(const char *name) {
  int i, handle = find(operators, operator_count, name);
  for (i = 1; !handle && i < GP_OP_COUNT; ++i)
    if (strcmp(gp_op_name(NULL, (gp_op)i), name) == 0) handle = i;
  if (!handle) fail("no such operator", name);
  return (gp_op)handle;
}
static void remember(named *all, int *count, const char *name, int handle) {
  if (*count == MAX_NAMES) fail("more than 256 definitions", "");
  snprintf(all[*count].name, sizeof all[*count].name, "%s", name);
  all[(*count)++].handle = handle;
}

static void append(char *text, const char *line) {
  if (strlen(text) + strlen(line) + 2 > MAX_TEXT) fail("more than 64 KiB of source", "");
  if (*text) strcat(text, "\n");
  strcat(text, line);
}

// "type NAME size=N align=N", then the source up to "end".
static void read_type(char *words) {
  static char source[MAX_TEXT];
  char line[MAX_LINE], name[64], *word;
  gp_type_desc d = gp_type_desc_init();
  gp_type handle;
  word = strtok(words, " \t");
  if (!word || strlen(word) >= sizeof name) fail("a type needs a name", "");
  strcpy(name, word);
  while ((word = strtok(NULL, " \t")) != NULL) {
    if (value_of(word, "size")) d.size = (size_t)number(value_of(word, "size"));
    else if (value_of(word, "align")) d.align = (size_t)number(value_of(word, "align"));
    else fail("a type needs size=N and align=N", word);
  }
  *source = 0;
  for (;;) {
    if (!next_line(line)) fail("the list ends within a type", name);
    if (strcmp(line, "end") == 0) break;
    append(source, line);
  }
  d.name = name;
  d.source = *source ? source : NULL;
  if (gp_type_struct(ctx, &d, &handle) != GP_SUCCESS) fail(gp_last_message(), "");
  remember(types, &type_count, name, handle);
}

// "operator "NAME" arity=N commutative=N", then identity, prelude and body up to "end".
static void read_operator(char *words) {
  static char prelude[MAX_TEXT], body[MAX_TEXT], identity[MAX_LINE];
  char line[MAX_LINE], name[64], *word, *quote;
  gp_op_desc d = gp_op_desc_init();
  gp_op handle;
  char *into = NULL;
  while (*words == ' ') ++words;
  quote = *words == '"' ? strchr(words + 1, '"') : NULL;
  if (!quote || quote - words - 1 >= (int)sizeof name) fail("an operator needs a name in quotes", words);
  snprintf(name, sizeof name, "%.*s", (int)(quote - words - 1), words + 1);
  for (word = strtok(quote + 1, " \t"); word; word = strtok(NULL, " \t")) {
    if (value_of(word, "arity")) d.arity = number(value_of(word, "arity"));
    else if (value_of(word, "commutative")) d.commutative = number(value_of(word, "commutative"));
    else fail("an operator needs arity=N and commutative=N", word);
  }
  *prelude = *body = *identity = 0;
  for (;;) {
    if (!next_line(line)) fail("the list ends within an operator", name);
    if (strcmp(line, "end") == 0) break;
    if (!into && strncmp(line, "identity ", 9) == 0) strcpy(identity, line + 9);
    else if (!into && strcmp(line, "prelude") == 0) into = prelude;
    else if (into != body && strcmp(line, "body") == 0) into = body;
    else if (into) append(into, line);
    else fail("identity, prelude or body expected", line);
  }
  d.name = name;
  d.body = body;
  d.prelude = *prelude ? prelude : NULL;
  d.identity = *identity ? identity : NULL;
  if (gp_op_define(ctx, &d, &handle) != GP_SUCCESS) fail(gp_last_message(), "");
  remember(operators, &operator_count, name, handle);
}

// The value of a policy's field: a number or a name.
static int field_value(const char *word, const char *names, const int *values, int count) {
  const size_t length = strlen(word);
  int i;
  if (!isalpha((unsigned char)*word)) return number(word);
  for (i = 0; i < count && *names; ++i) {
    const size_t n = strcspn(names, ",");
    if (n == length && strncmp(names, word, n) == 0) return values[i];
    names += n;
    names += strspn(names, ", ");
  }
  fail("no such value", word);
  return 0;
}
static int read_field(gp_primitive primitive, gp_policy *p, const char *word) {
#define FIELD(field, default_, ...) \
  if (value_of(word, #field)) { \
    static const int values[] = {__VA_ARGS__}; \
    p->field = field_value(value_of(word, #field), #__VA_ARGS__, values, (int)(sizeof values / sizeof *values)); \
    return 1; \
  }
  switch (gp__family_of(primitive)) {
#define CASE(FAMILY, family) \
  case GP__FAMILY_##FAMILY: \
    GP_POLICY_FIELDS_##FAMILY(FIELD) break;
    GPUPRIMS__FAMILIES(CASE)
#undef CASE
  }
#undef FIELD
  return 0;
}

static int same_image(const char *key) {
  size_t i;
  for (i = 0; i < image_count; ++i)
    if (images[i].architecture == taking && strcmp(images[i].key, key) == 0) return 1;
  return 0;
}

static void take(void *user, const char *key, const void *data, size_t bytes) {
  image *m;
  (void)user;
  if (same_image(key)) return;
  if (image_count == image_capacity) {
    image_capacity = image_capacity * 2 + 64;
    images = (image *)need(realloc(images, image_capacity * sizeof *images));
  }
  m = &images[image_count++];
  m->key = (char *)need(malloc(strlen(key) + 1));
  strcpy(m->key, key);
  m->data = (unsigned char *)need(malloc(bytes));
  memcpy(m->data, data, bytes);
  m->bytes = bytes;
  m->architecture = taking;
}

// Compiles every kernel that dispatch may choose for the call. The policy depends on the bytes (the steps taken here
// are finer than the distance of two thresholds) and on the input's alignment. Equal kernels are compiled once.
static void compile_all(gp_call c, int from_table) {
  const gp__type_info *user = gp__user_type(ctx->state, c.in_type);
  const size_t align = user ? user->align : c.in_type ? gp_type_size(ctx, c.in_type) : 16;
  int octave, quarter, shifted;
  for (octave = 0; octave < 44; ++octave)
    for (quarter = 4; quarter < 8; ++quarter)
      for (shifted = 0; shifted < 2; ++shifted) {
        gp_result r;
        c.count = ((uint64_t)quarter << octave) / 4;
        c.in = shifted && align < 16 ? (const void *)(uintptr_t)(65536 + align) : NULL;
        r = gp_compile(ctx, &c, taking, take, NULL);
        // Rows that are invalid for the call, or that cannot keep GP_REPRODUCIBLE's promise
        if (from_table && (r == GP_E_POLICY || (r == GP_E_UNSUPPORTED && (c.flags & GP_REPRODUCIBLE)))) continue;
        if (r != GP_SUCCESS) fail(gp_last_message(), "");
      }
}

static void read_call(gp_primitive primitive, int *architectures, int count) {
  gp_call c = gp_call_init(primitive);
  gp_policy p;
  char *word;
  int i, j, has_policy = 0;
  memset(&p, 0, sizeof p);
  while ((word = strtok(NULL, " \t")) != NULL) {
    if (value_of(word, "op")) c.op = find_operator(value_of(word, "op"));
    else if (value_of(word, "transform")) c.transform = find_operator(value_of(word, "transform"));
    else if (value_of(word, "in")) c.in_type = find_type(value_of(word, "in"));
    else if (value_of(word, "in2")) c.in2_type = find_type(value_of(word, "in2"));
    else if (value_of(word, "acc")) c.acc_type = find_type(value_of(word, "acc"));
    else if (value_of(word, "out")) c.out_type = find_type(value_of(word, "out"));
    else if (strcmp(word, "reproducible") == 0) c.flags |= GP_REPRODUCIBLE;
    else if (read_field(primitive, &p, word)) has_policy = 1;
    else fail("unknown word", word);
  }
  for (i = 0; i < count; ++i) {
    taking = architectures[i];
    c.policy = has_policy ? &p : NULL;
    compile_all(c, 0);
    for (j = 0; !has_policy && j < GP__POLICY_ROWS; ++j)
      if (gp__policy_rows[j].primitive == (int)primitive) {
        c.policy = &gp__policy_rows[j].policy;
        compile_all(c, 1);
      }
  }
}

static int by_key(const void *a, const void *b) {
  const image *x = (const image *)a, *y = (const image *)b;
  return x->architecture != y->architecture ? x->architecture - y->architecture : strcmp(x->key, y->key);
}

static void write_header(const char *name) {
  size_t i, j, bytes = 0;
  qsort(images, image_count, sizeof *images, by_key);
  for (i = 0; i < image_count; ++i) bytes += images[i].bytes;
  printf("// Made by tools/gp_bundle: %lu kernels, %lu bytes. Include gpuprims.h first; set gp_config.bundle = &%s.\n",
      (unsigned long)image_count, (unsigned long)bytes, name);
  for (i = 0; i < image_count; ++i) {
    printf("static const unsigned char %s_%lu[] __attribute__((aligned(16))) = {", name, (unsigned long)i);
    for (j = 0; j < images[i].bytes; ++j) printf("%s%u,", j % 32 ? "" : "\n", images[i].data[j]);
    printf("\n};\n");
  }
  printf("static const gp_bundle_entry %s_entries[] = {\n", name);
  for (i = 0; i < image_count; ++i)
    printf("  {\"%s\", %d, %s_%lu, sizeof %s_%lu},\n", images[i].key, images[i].architecture, name, (unsigned long)i,
        name, (unsigned long)i);
  printf("};\nstatic const struct gp_bundle %s = {\"%s\", %lu, %s_entries};\n", name, GPUPRIMS__BUNDLE,
      (unsigned long)image_count, name);
}

static void read_list(int *architectures, int count) {
  char line[MAX_LINE];
  while (next_line(line)) {
    char *word, *rest = line + strspn(line, " \t");
    int i;
    if (*rest == '#' || !*rest) continue;
    if (strncmp(rest, "type ", 5) == 0) {
      read_type(rest + 5);
      continue;
    }
    if (strncmp(rest, "operator ", 9) == 0) {
      read_operator(rest + 9);
      continue;
    }
    rest[strcspn(rest, "#")] = 0;
    word = strtok(rest, " \t");
    for (i = GP_COPY; i < GP_PRIMITIVE_COUNT && strcmp(gp__primitive_names[i] + 3, word) != 0; ++i) {}
    if (i == GP_PRIMITIVE_COUNT) fail("no such primitive", word);
    read_call((gp_primitive)i, architectures, count);
    fprintf(stderr, "%s:%d: %lu kernels\n", list_name, line_number, (unsigned long)image_count);
  }
}

int main(int argc, char **argv) {
  gp_config config = gp_config_init();
  int architectures[64], count = 0, i;
  if (argc < 4 || argc > 66) {
    fprintf(stderr, "usage: gp_bundle LIST NAME ARCHITECTURE... > bundle.h\n");
    return 2;
  }
  list_name = argv[1];
  list = fopen(list_name, "r");
  if (!list) fail("cannot be opened", strerror(errno));
  if (!gp__identifier(argv[2])) fail("NAME is not a C identifier", argv[2]);
  for (i = 3; i < argc; ++i) architectures[count++] = number(argv[i]);
  config.backend = GP_BACKEND_HOST; // a host context compiles for any architecture
  if (gp_open(&config, &ctx) != GP_SUCCESS) fail(gp_last_message(), "");
  read_list(architectures, count);
  fclose(list);
  if (!image_count) fail("the list has no call", "");
  write_header(argv[2]);
  for (i = 0; i < (int)image_count; ++i) {
    free(images[i].key);
    free(images[i].data);
  }
  free(images);
  gp_close(ctx);
  if (fflush(stdout) || ferror(stdout)) fail("standard output cannot be written", strerror(errno));
  return 0;
}
