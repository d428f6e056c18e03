// gp_bundle.c - compiles a list of calls ahead of time, into one C header of machine code or for a bundle file. It
// needs NVRTC and no GPU.
//
//     cc -O2 -I. tools/gp_bundle.c -o gp_bundle -ldl -lpthread -lm
//     ./gp_bundle LIST NAME ARCHITECTURE... > bundle.h     e.g. ./gp_bundle kernels.txt my_kernels 80 90 > bundle.h
//     ./gp_bundle --images FOLDER JOBS LIST ARCHITECTURE... > images    compiles in JOBS processes, for tools/bundle.py
//     ./gp_bundle --hits FILE LIST ARCHITECTURE...          how many of the list's kernels a bundle file has
//
// --images keeps what it has compiled in FOLDER, a disk cache, and goes on from there when it is called again. Its
// output is GP__BUNDLE_FILE, then for each kernel a line of key, compute capability and bytes, and the bytes.
// --images and --hits take the kernels that the calls get on the devices of `devices` below, at every size below 2^32
// elements.
//
// The program includes gpuprims.h and then bundle.h, and sets gp_config.bundle = &NAME. A bundled kernel serves every
// gpuprims.h with the same kernel text: edits of comments or of other families do not matter. If the text differs,
// NVRTC compiles the kernel, or the call returns GP_E_NO_COMPILER. Machine code of 8.0 also runs on 8.6 and 8.9, not on
// 9.0. The output depends only on the list, the header and NVRTC's version.
//
// THE LIST: a line a call, words separated by blanks, # begins a comment:
//
//     PRIMITIVE [op=OP] [transform=OP] [in=TYPE] [in2=TYPE] [acc=TYPE] [out=TYPE] [key=TYPE] [offset=TYPE]
//         [out2=TYPE] [reproducible] [descending] [unsorted] [aligned] [mean=N] [k=N] [FIELD=VALUE]...
//
//         reduce op=SUM in=f32 out=f64
//         inclusive_scan op=MAX in=i32
//         copy in=f32                                   any type of the same size is served
//         reduce op=SUM in=u8 out=u64 algorithm=GP_STEALING threads=256
//
// aligned: no kernels of pointers that are not aligned to 16 bytes; mean: elements of a segment; k: of a top-k, 64 by
// default (the three for --images and --hits). A TYPE may be a list (u32,f32) or * (the 12 usual types):
// a call for each; if several types are lists, for each combination. `in=key` is the same type as the key's.
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
#define _GNU_SOURCE
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include <ctype.h>
#include <sys/mman.h>
#include <sys/wait.h>

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
  case GP__FAMILY_##FAMILY: GP_POLICY_FIELDS_##FAMILY(FIELD) break;
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

// ---- the kernels that calls get on devices

// The line that is read has these.
static int *call_architectures, architecture_count, call_has_policy, call_aligned;
static uint64_t call_mean, call_k;

// Common devices: rules ask for multiprocessors, and rows of the table for names.
static const struct {
  const char *name;
  int compute_capability, multiprocessors;
} devices[] = {{"Tesla T4", 75, 40}, {"NVIDIA GeForce RTX 2080 Ti", 75, 68}, {"NVIDIA A100-SXM4-40GB", 80, 108},
    {"NVIDIA A30", 80, 56}, {"NVIDIA GeForce RTX 3060", 86, 28}, {"NVIDIA A10", 86, 72},
    {"NVIDIA GeForce RTX 3090", 86, 82}, {"NVIDIA L4", 89, 58}, {"NVIDIA GeForce RTX 4090", 89, 128},
    {"NVIDIA L40S", 89, 142}, {"NVIDIA H100 80GB HBM3", 90, 132}, {"NVIDIA H200", 90, 132},
    {"NVIDIA H100 PCIe", 90, 114}, {"NVIDIA B200", 100, 148}, {"NVIDIA GeForce RTX 5080", 120, 84},
    {"NVIDIA GeForce RTX 5090", 120, 170}};
enum { DEVICES = sizeof devices / sizeof *devices };

// A kernel that some call gets.
typedef struct wanted {
  gp__program program;
  int capability, line;
} wanted;
static wanted *kernels;
static size_t kernel_count, kernel_room;
static int seeking; // the kernels of calls, instead of compiling them
// Spellings that were seen: a table of hashes, larger than what is in it.
static char (*seen)[GP__HEX];
static size_t seen_count, seen_room;

// Whether a hash is new; notes it.
static int is_new(const char *hash) {
  size_t i, at;
  if (2 * seen_count >= seen_room) {
    char(*old)[GP__HEX] = seen;
    const size_t room = seen_room;
    seen_room = room * 2 + 4096;
    seen = (char(*)[GP__HEX])need(calloc(seen_room, sizeof *seen));
    seen_count = 0;
    for (i = 0; i < room; ++i)
      if (*old[i]) is_new(old[i]);
    free(old);
  }
  for (at = strtoul(hash + 20, NULL, 16) % seen_room; *seen[at]; at = (at + 1) % seen_room)
    if (strcmp(seen[at], hash) == 0) return 0;
  strcpy(seen[at], hash);
  ++seen_count;
  return 1;
}
static gp_result want(void *user, const char *who, const gp__spelling *w) {
  char hash[GP__HEX];
  gp_result result;
  wanted *k;
  (void)user;
  gp__hash(hash, w, gp__spelled_bytes(w), NULL);
  if (!is_new(hash)) return GP_SUCCESS;
  if (kernel_count == kernel_room) {
    kernel_room = kernel_room * 2 + 64;
    kernels = (wanted *)need(realloc(kernels, kernel_room * sizeof *kernels));
  }
  k = &kernels[kernel_count];
  k->capability = taking;
  k->line = line_number;
  result = gp__write_program(who, w, &k->program);
  if (result != GP_SUCCESS) return result;
  snprintf(hash, sizeof hash, "%.28s%04x", k->program.key, (unsigned)taking); // spellings may share a program
  if (is_new(hash)) ++kernel_count;
  else gp__free_program(&k->program);
  return GP_SUCCESS;
}
// Finds the kernels of a call of every size on the devices of an architecture.
static void seek_all(gp_call c) {
  const uint64_t mean = call_mean, k = call_k;
  const gp_type elements = c.in_type ? c.in_type : c.key_type ? c.key_type : c.out_type;
  const size_t size = gp_type_size(ctx, elements), align = size < 16 ? size : 16;
  int d, octave, step, shifted, any = 0;
  gp__seeking.spelled = want;
  for (d = 0; d <= DEVICES; ++d) {
    gp_description on;
    if (d < DEVICES ? devices[d].compute_capability != taking : any) continue;
    any = 1;
    memset(&on, 0, sizeof on);
    on.compute_capability = taking;
    on.multiprocessors = d < DEVICES ? devices[d].multiprocessors : 100;
    on.shared_bytes_per_block = gp__shared_bytes_of(taking);
    if (d < DEVICES) snprintf(on.name, sizeof on.name, "%s", devices[d].name);
    for (octave = 0; octave < 32; ++octave)
      for (step = 16; step < 32; ++step)
        for (shifted = 0; shifted < 2 - call_aligned; ++shifted) {
          c.count = ((uint64_t)step << octave) / 16;
          c.segments = mean ? c.count / mean + 1 : 0;
          c.k = c.primitive != GP_TOP_K && c.primitive != GP_SEGMENTED_TOP_K ? 0 : k < c.count ? k : c.count;
          if (c.primitive == GP_TOP_K) c.rows = 1;
          if (shifted && align >= 16) continue;
          if (c.in_type) c.in = shifted ? (const void *)(uintptr_t)(65536 + align) : NULL;
          if (c.key_type && !c.in_type) c.keys = shifted ? (const void *)(uintptr_t)(65536 + align) : NULL;
          if (gp__compile_on(ctx->state, &c, &on, take, NULL) != GP_SUCCESS) fail(gp_last_message(), "");
        }
  }
  gp__seeking.spelled = NULL;
}

// Every combination of types: `at` is the first word whose type is still a list.
enum { WORDS = 6, USUAL = 12 };
static const char *const type_words[WORDS] = {"key", "in", "in2", "acc", "out", "offset"};
static const char usual[] = "i8,u8,i16,u16,i32,u32,i64,u64,f16,bf16,f32,f64";
static void each_type(gp_call *c, const char *const *lists, int at, void (*with)(const gp_call *)) {
  gp_type *const places[WORDS] = {&c->key_type, &c->in_type, &c->in2_type, &c->acc_type, &c->out_type, &c->offset_type};
  const char *list = at < WORDS ? lists[at] : NULL;
  if (at == WORDS) {
    with(c);
    return;
  }
  if (!list) {
    each_type(c, lists, at + 1, with);
    return;
  }
  for (list = strcmp(list, "*") == 0 ? usual : list; *list; list += strspn(list, ",")) {
    char name[64];
    const size_t length = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
    *places[at] = strcmp(name, "key") == 0 && c->key_type ? c->key_type : find_type(name);
    each_type(c, lists, at + 1, with);
    list += length;
  }
}

static void compile_call(const gp_call *call) {
  gp_call c = *call;
  int i, j;
  for (i = 0; i < architecture_count; ++i) {
    taking = call_architectures[i];
    c.policy = call->policy;
    if (seeking) {
      seek_all(c);
      continue;
    }
    compile_all(c, 0);
    for (j = 0; !call_has_policy && j < GP__POLICY_ROWS; ++j)
      if (gp__policy_rows[j].primitive == (int)c.primitive) {
        c.policy = &gp__policy_rows[j].policy;
        compile_all(c, 1);
      }
  }
}

static void read_call(gp_primitive primitive, int *architectures, int count) {
  gp_call c = gp_call_init(primitive);
  gp_policy p;
  const char *lists[WORDS] = {NULL};
  char *word;
  int i;
  memset(&p, 0, sizeof p);
  call_has_policy = 0;
  call_mean = 0;
  call_aligned = 0;
  call_k = 64;
  while ((word = strtok(NULL, " \t")) != NULL) {
    for (i = 0; i < WORDS && !value_of(word, type_words[i]); ++i) {}
    if (i < WORDS) lists[i] = value_of(word, type_words[i]);
    else if (value_of(word, "op")) c.op = find_operator(value_of(word, "op"));
    else if (value_of(word, "transform")) c.transform = find_operator(value_of(word, "transform"));
    else if (value_of(word, "out2")) c.out2_type = find_type(value_of(word, "out2"));
    else if (strcmp(word, "reproducible") == 0) c.flags |= GP_REPRODUCIBLE;
    else if (strcmp(word, "descending") == 0) c.flags |= GP_DESCENDING;
    else if (strcmp(word, "unsorted") == 0) c.flags |= GP_UNSORTED;
    else if (strcmp(word, "aligned") == 0) call_aligned = 1;
    else if (value_of(word, "mean")) call_mean = (uint64_t)number(value_of(word, "mean"));
    else if (value_of(word, "k")) call_k = (uint64_t)number(value_of(word, "k"));
    else if (read_field(primitive, &p, word)) call_has_policy = 1;
    else fail("unknown word", word);
  }
  if (call_has_policy) c.policy = &p;
  call_architectures = architectures;
  architecture_count = count;
  each_type(&c, lists, 0, compile_call);
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
  printf("};\nstatic const struct gp_bundle %s = {\"%s\", %lu, %s_entries};\n", name, GP__BUNDLE,
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
    fprintf(
        stderr, "%s:%d: %lu kernels\n", list_name, line_number, (unsigned long)(seeking ? kernel_count : image_count));
  }
}

// ---- images of all kernels, compiled by several processes

static int find_image(const wanted *k, gp__image *image) {
  const gp_result result =
      gp__find_image(&ctx->state->library, "gp_bundle", &k->program, k->capability, k->capability, image);
  if (result == GP_SUCCESS) return 1;
  fprintf(stderr, "%s:%d: %s\n", list_name, k->line, gp_last_message());
  return 0;
}
// Compiles what the folder lacks. Each process takes the next kernel; what it compiles goes to the folder.
static void compile_kernels(int jobs) {
  size_t *next = (size_t *)mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int job, status, failed = 0;
  if (next == MAP_FAILED) fail("no memory", strerror(errno));
  for (job = 0; job < jobs; ++job) {
    const pid_t child = fork();
    if (child < 0) fail("cannot fork", strerror(errno));
    if (!child) {
      size_t at;
      int good = 1;
      while (good && (at = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < kernel_count) {
        gp__image image;
        good = find_image(&kernels[at], &image);
        if (good) free(image.owned);
        if (at % 100 == 99) fprintf(stderr, "%lu of %lu kernels\n", (unsigned long)at + 1, (unsigned long)kernel_count);
      }
      _exit(!good);
    }
  }
  while (wait(&status) > 0) failed |= status;
  munmap(next, sizeof *next);
  if (failed) fail("kernels could not be compiled", "");
}
static void write_images(void) {
  size_t i;
  puts(GP__BUNDLE_FILE);
  for (i = 0; i < kernel_count; ++i) {
    gp__image image;
    if (!find_image(&kernels[i], &image)) exit(1);
    printf("%s %d %lu\n", kernels[i].program.key, kernels[i].capability, (unsigned long)image.bytes);
    fwrite(image.data, 1, image.bytes, stdout);
    free(image.owned);
  }
}
// How many kernels of each line are in the bundle file.
static void write_hits(void) {
  gp__library *l = &ctx->state->library;
  size_t i, found = 0, of_line = 0, hits = 0;
  for (i = 0; i < kernel_count; ++i) {
    gp__image image;
    const int hit = gp__from_bundle_file(l, &kernels[i].program, kernels[i].capability, &image);
    if (hit) free(image.owned);
    found += (size_t)hit, hits += (size_t)hit, ++of_line;
    if (i + 1 < kernel_count && kernels[i + 1].line == kernels[i].line) continue;
    printf("%s:%d: %lu of %lu kernels\n", list_name, kernels[i].line, (unsigned long)hits, (unsigned long)of_line);
    hits = of_line = 0;
  }
  if (!l->file.list.count) fail(l->file.said, "");
  printf("%lu of %lu kernels are in %s\n", (unsigned long)found, (unsigned long)kernel_count, l->file.path);
}

static int usage(void) {
  fprintf(stderr,
      "usage: gp_bundle LIST NAME ARCHITECTURE... > bundle.h\n"
      "       gp_bundle --images FOLDER JOBS LIST ARCHITECTURE... > images\n"
      "       gp_bundle --hits FILE LIST ARCHITECTURE...\n");
  return 2;
}
int main(int argc, char **argv) {
  gp_config config = gp_config_init();
  const int images_wanted = argc > 1 && strcmp(argv[1], "--images") == 0;
  const int hits_wanted = argc > 1 && strcmp(argv[1], "--hits") == 0;
  const int first = images_wanted ? 5 : hits_wanted ? 4 : 3; // of the architectures
  int architectures[64], count = 0, i;
  if (argc <= first || argc > first + 63) return usage();
  list_name = argv[images_wanted ? 4 : hits_wanted ? 3 : 1];
  list = fopen(list_name, "r");
  if (!list) fail("cannot be opened", strerror(errno));
  seeking = images_wanted || hits_wanted;
  if (!seeking && !gp__identifier(argv[2])) fail("NAME is not a C identifier", argv[2]);
  for (i = first; i < argc; ++i) {
    architectures[count++] = number(argv[i]);
    if (architectures[count - 1] < 75) fail("no architecture of 75 or more", argv[i]);
  }
  config.backend = GP_BACKEND_HOST; // a host context compiles for any architecture
  if (images_wanted) config.cache_dir = argv[2], config.cache_bytes = UINT64_MAX;
  if (hits_wanted) config.cache_dir = "";
  config.bundle_file = hits_wanted ? argv[2] : "";
  if (gp_open(&config, &ctx) != GP_SUCCESS) fail(gp_last_message(), "");
  read_list(architectures, count);
  fclose(list);
  if (seeking ? !kernel_count : !image_count) fail("the list has no call", "");
  if (images_wanted) {
    const int jobs = number(argv[3]);
    if (jobs < 1) fail("JOBS is not 1 or more", argv[3]);
    compile_kernels(jobs);
    write_images();
  } else if (hits_wanted) write_hits();
  else write_header(argv[2]);
  for (i = 0; i < (int)image_count; ++i) {
    free(images[i].key);
    free(images[i].data);
  }
  free(images);
  for (i = 0; i < (int)kernel_count; ++i) gp__free_program(&kernels[i].program);
  free(kernels);
  free(seen);
  gp_close(ctx);
  if (fflush(stdout) || ferror(stdout)) fail("standard output cannot be written", strerror(errno));
  return 0;
}
