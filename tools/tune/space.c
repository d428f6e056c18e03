// space.c - the policy space of a cell: all points of the header's declared fields, without those that its rules refuse
// and those that repeat another; with `--resources`, also without those that spill or do not fit.
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"

#include <sched.h>

#include "../gp_cells.h"
#include "kernel_code.h"
#include "space.h"
#include "tune.h"

#ifndef GPUPRIMS__FAMILIES // an older header, in a base of ci/baselines
#define GPUPRIMS__FAMILIES(F) \
  F(MAP, map) \
  F(REDUCE, reduce) \
  F(SCAN, scan) \
  F(STREAM, stream) \
  F(SEGMENTS, segments) \
  F(HISTOGRAM, histogram) \
  F(SORT, sort) \
  F(MERGE, merge) \
  F(SEGMENTED_SORT, segmented_sort) \
  F(TOP_K, top_k) \
  F(TRANSPOSE, transpose) \
  F(GRAPH, graph)
#endif

// ---- points ---------------------------------------------------------------------------------------------------------

typedef struct field {
  const char *name;
  size_t offset;
  int count;
  const int *values;
} field;
#define FIELD(name, default_, ...) \
  {#name, offsetof(gp_policy, name), sizeof((const int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__}},
#define FIELDS(FAMILY, family) \
  static const field family##_fields[] = {GP_POLICY_FIELDS_##FAMILY(FIELD){NULL, 0, 0, NULL}};
GPUPRIMS__FAMILIES(FIELDS)
#undef FIELDS
#undef FIELD
static const field *fields_of(gp_primitive primitive) {
#define FIELDS(FAMILY, family) family##_fields,
  static const field *const fields[] = {GPUPRIMS__FAMILIES(FIELDS)};
#undef FIELDS
  return fields[gp__family_of(primitive)];
}

static int *value_of(gp_policy *p, const field *f) { return (int *)((char *)p + f->offset); }

// The points of one algorithm: fields that it does not read are 0.
typedef struct part {
  int algorithm, reads[32], points;
  int same; // points of all fields' product for each of them
} part;
static part part_of(const field *fields, int algorithm) {
  part made = {algorithm, {0}, 1, 1};
  gp_policy p;
  int i;
  memset(&p, 0, sizeof p);
  for (i = 0; fields[i].name; i++) *value_of(&p, &fields[i]) = 1;
  *value_of(&p, fields) = algorithm; // the first field
  p = gp__canonical(p);
  for (i = 1; fields[i].name; i++) {
    made.reads[i] = *value_of(&p, &fields[i]) != 0;
    *(made.reads[i] ? &made.points : &made.same) *= fields[i].count;
  }
  return made;
}
static gp_policy point(const field *fields, const part *of, int index) {
  gp_policy p;
  int i;
  memset(&p, 0, sizeof p);
  *value_of(&p, fields) = of->algorithm;
  for (i = 1; fields[i].name; i++) {
    if (!of->reads[i]) continue;
    *value_of(&p, &fields[i]) = fields[i].values[index % fields[i].count];
    index /= fields[i].count;
  }
  return gp__canonical(p);
}

// The shape for the header's rules. NULL, or the reason.
static const char *shape_of(const cell *c, int compute_capability, int multiprocessors, gp__shape *shape) {
  gp_config config = gp_config_init();
  gp_context *ctx = NULL;
  cell_types types;
  gp__request request;
  gp_call call;
  const char *why;
  config.backend = GP_BACKEND_HOST;
  if (gp_open(&config, &ctx)) return gp_last_message();
  why = cell_types_define(&types, ctx);
  if (!why) {
    call = cell_call(&types, c, NULL);
    if (gp__check_call(ctx->state, "gp_tune --space", &call, 0, 0, &request)) why = gp_last_message();
  }
  if (!why) *shape = gp__shape_of(&request);
  gp_close(ctx);
  shape->in_misaligned = c->in_offset % GP__VECTOR;
  shape->out_misaligned = c->out_offset % GP__VECTOR;
  shape->compute_capability = compute_capability;
  shape->multiprocessors = multiprocessors;
  shape->shared_bytes = gp__shared_bytes_of(compute_capability);
  return why;
}

// ---- policies seen before: a hash table with open addressing --------------------------------------------------------

typedef struct seen {
  gp_policy *policies; // zero in algorithm: a free slot
  unsigned places; // a power of two
} seen;

// Returns whether it was seen before, and marks it as seen.
static int seen_before(seen *s, const gp_policy *p) {
  const unsigned char *bytes = (const unsigned char *)p;
  unsigned hash = 2166136261u;
  size_t i;
  for (i = 0; i < sizeof *p; i++) hash = (hash ^ bytes[i]) * 16777619u;
  for (;; hash++) {
    gp_policy *place = &s->policies[hash & (s->places - 1)];
    if (place->algorithm && memcmp(place, p, sizeof *p)) continue;
    i = place->algorithm != 0;
    *place = *p;
    return (int)i;
  }
}

// ---- the space ------------------------------------------------------------------------------------------------------

// Adds a part's policies. 0: no memory.
static int collect_part(const field *fields, const part *of, const gp__shape *shape, seen *s, tune_space *space) {
  int index, good = 1;
  for (index = 0; good && index < of->points; index++) {
    const gp_policy p = gp__portable(point(fields, of, index), shape);
    char text[256];
    if (!gp__policy_valid(p, shape)) {
      space->rejected_invalid += of->same;
      continue;
    }
    space->rejected_same += of->same;
    if (seen_before(s, &p)) continue;
    space->rejected_same--;
    policy_text(&p, text, sizeof text);
    space->policies[space->count] = strdup(text);
    good = space->policies[space->count++] != NULL;
  }
  return good;
}

// Adds the policies of the shape. 0: out of memory.
static int collect(const field *fields, const gp__shape *shape, tune_space *space) {
  const field *f;
  seen s = {NULL, 1};
  int i, good, points = 0;
  space->raw = 1;
  for (f = fields; f->name; f++) space->raw *= f->count;
  for (i = 0; i < fields->count; i++) points += part_of(fields, fields->values[i]).points;
  while (s.places < 2u * (unsigned)points) s.places *= 2;
  s.policies = (gp_policy *)calloc(s.places, sizeof *s.policies);
  space->policies = (char **)calloc((size_t)points, sizeof *space->policies);
  good = s.policies && space->policies;
  for (i = 0; good && i < fields->count; i++) {
    const part of = part_of(fields, fields->values[i]);
    good = collect_part(fields, &of, shape, &s, space);
  }
  free(s.policies);
  return good;
}

// NULL, or what is wrong with the cell.
static const char *read_cell(
    const char *words, int compute_capability, int multiprocessors, cell *c, gp__shape *shape) {
  const char *why = parse_cell(words, c);
  memset(shape, 0, sizeof *shape);
  return why ? why : shape_of(c, compute_capability, multiprocessors, shape);
}

const char NO_POLICY[] = "a cell without a valid policy";

const char *tune_space_serves(const char *cell_words, int compute_capability, int multiprocessors) {
  const char *why;
  cell c;
  gp__shape shape;
  const field *fields;
  int i, index;
  why = read_cell(cell_words, compute_capability, multiprocessors, &c, &shape);
  if (why) return why;
  fields = fields_of(c.primitive);
  for (i = 0; i < fields->count; i++) {
    const part of = part_of(fields, fields->values[i]);
    for (index = 0; index < of.points; index++)
      if (gp__policy_valid(gp__portable(point(fields, &of, index), &shape), &shape)) return NULL;
  }
  return NO_POLICY;
}

const char *tune_space_of(const char *cell_words, int compute_capability, int multiprocessors, tune_space *space) {
  static char reason[300];
  cell c;
  gp__shape shape;
  const char *why = read_cell(cell_words, compute_capability, multiprocessors, &c, &shape);
  memset(space, 0, sizeof *space);
  if (!why && collect(fields_of(c.primitive), &shape, space)) return NULL;
  snprintf(reason, sizeof reason, "%s: %.200s", cell_words, why ? why : "no memory for its policies");
  tune_space_free(space);
  return reason;
}

void tune_space_free(tune_space *space) {
  int i;
  for (i = 0; i < space->count; i++) free(space->policies[i]);
  free(space->policies);
  memset(space, 0, sizeof *space);
}

// ---- the rule -------------------------------------------------------------------------------------------------------

int rule_main(int count, char **arguments) {
  int capability = 90, multiprocessors = 132, i;
  char words[600], text[256];
  for (i = 2; i < count; i++) {
    const char *name = arguments[i], *value = i + 1 < count ? arguments[++i] : "";
    int *number = !strcmp(name, "--compute-capability") ? &capability
        : !strcmp(name, "--multiprocessors")            ? &multiprocessors
                                                        : NULL;
    if (number && (*number = atoi(value)) > 0) continue;
    fprintf(stderr, "gp_tune --rule: %s %s: no such argument, or no such value\n", name, value);
    return 2;
  }
  while (fgets(words, sizeof words, stdin)) {
    gp_policy p;
    cell c;
    gp__shape shape;
    const char *why;
    char *policy;
    memset(&p, 0, sizeof p);
    words[strcspn(words, "\n")] = 0;
    policy = strchr(words, '\t');
    if (policy) *policy++ = 0;
    why = read_cell(words, capability, multiprocessors, &c, &shape);
    if (!why && policy) why = parse_policy(policy, &p);
    if (why) {
      fprintf(stderr, "gp_tune --rule: %s%s%s: %s\n", words, policy ? " " : "", policy ? policy : "", why);
      return 2;
    }
    p = gp__portable(gp__canonical(p), &shape);
    policy_text(&p, text, sizeof text);
    puts(!policy || gp__policy_valid(p, &shape) ? text : "invalid");
  }
  return fflush(stdout) || ferror(stdout);
}

// ---- resources ------------------------------------------------------------------------------------------------------

enum { NOT_COMPILED, FITS, COMPILE, SPILLS, DOES_NOT_FIT, BLOCKS_PER_SM };
static const char *const REASONS[] = {"", "", "compile", "spills", "does not fit", "blocks_per_sm"};
enum { REASON_COUNT = sizeof REASONS / sizeof *REASONS };

typedef struct compiled {
  tune_code code;
  int verdict;
} compiled;

typedef struct compilations { // shared by the threads
  const char *cell;
  int compute_capability;
  const tune_space *space;
  compiled *results;
  const int *order; // indices of policies
  int count, next;
} compilations;

static int verdict_of(const tune_code *code, const char *words) {
  gp_policy p;
  if (strcmp(code->status, "ok")) return COMPILE;
  if (code->local_bytes) return SPILLS;
  if (!code->occupancy) return DOES_NOT_FIT;
  parse_policy(words, &p);
  return gp__canonical(p).blocks_per_sm > code->occupancy ? BLOCKS_PER_SM : FITS;
}

static void *compile_some(void *user) {
  compilations *all = (compilations *)user;
  int at;
  while ((at = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED)) < all->count) {
    const char *words = all->space->policies[all->order[at]];
    compiled *result = &all->results[all->order[at]];
    tune_compile(all->cell, all->compute_capability, words, &result->code);
    result->verdict = verdict_of(&result->code, words);
    if (result->verdict == COMPILE) fprintf(stderr, "gp_tune --space: %s: %s\n", words, result->code.message);
  }
  return NULL;
}

// Compiles the policies in `order`, as many at a time as there are cores.
static void compile_all(compilations *all) {
  enum { MOST = 256 };
  pthread_t threads[MOST];
  cpu_set_t cores;
  int count = 0, i;
  const int wanted = sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
  while (count < wanted && count < MOST && !pthread_create(&threads[count], NULL, compile_some, all)) count++;
  if (!count) compile_some(all);
  for (i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

// A permutation, always the same for a count.
static void shuffle(int *order, int count) {
  uint64_t state = 1;
  int i;
  for (i = 0; i < count; i++) order[i] = i;
  for (i = count - 1; i > 0; i--) {
    const int j = (int)(random_next(&state) % (uint64_t)(i + 1)), was = order[i];
    order[i] = order[j];
    order[j] = was;
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void print_fields(const field *f) {
  int count, i;
  for (; f->name; f++) {
    const char *const *names = policy_names(f->offset, &count);
    printf("  {\"name\": \"%s\", \"values\": [", f->name);
    for (i = 0; i < f->count; i++) {
      if (names) printf("%s\"%s\"", i ? ", " : "", names[f->values[i]]);
      else printf("%s%d", i ? ", " : "", f->values[i]);
    }
    printf("]}%s\n", f[1].name ? "," : "");
  }
}

// `results`: NULL if nothing was compiled.
static void print_policies(const tune_space *space, const compiled *results) {
  const char *comma = "";
  int i;
  printf(" \"policies\": [");
  for (i = 0; i < space->count; i++)
    if (!results || results[i].verdict == FITS) printf("%s\n  \"%s\"", comma, space->policies[i]), comma = ",";
  if (results) {
    comma = "";
    printf("\n ],\n \"resources\": [");
    for (i = 0; i < space->count; i++) {
      const tune_code *c = &results[i].code;
      if (results[i].verdict != FITS) continue;
      printf("%s\n  {\"policy\": \"%s\", \"registers\": %d, \"shared_bytes\": %d, \"occupancy\": %d, \"code\": \"%s\"}",
          comma, space->policies[i], c->registers, c->shared_bytes, c->occupancy, c->code);
      comma = ",";
    }
  }
  printf("\n ]\n}\n");
}

static int print_space(const char *words, int compute_capability, int resources, int limit) {
  tune_space space;
  cell c;
  char text[300];
  compiled *results = NULL;
  int *order = NULL, counts[REASON_COUNT] = {0}, i;
  const char *why = tune_space_of(words, compute_capability, 1, &space);
  if (why) {
    fprintf(stderr, "gp_tune --space: %s\n", why);
    return 2;
  }
  parse_cell(words, &c);
  cell_text(&c, text, sizeof text);
  if (resources) {
    compilations all = {.cell = words, .compute_capability = compute_capability, .space = &space};
    results = (compiled *)calloc((size_t)space.count + 1, sizeof *results);
    order = (int *)calloc((size_t)space.count + 1, sizeof *order);
    if (!results || !order) {
      fprintf(stderr, "gp_tune --space: no memory for %d policies\n", space.count);
      return 1;
    }
    shuffle(order, space.count);
    all.count = limit && limit < space.count ? limit : space.count;
    all.results = results;
    all.order = order;
    compile_all(&all);
    for (i = 0; i < space.count; i++) counts[results[i].verdict]++;
  } else counts[FITS] = space.count;
  printf("{\"cell\": \"%s\", \"primitive\": \"%s\", \"compute_capability\": %d,\n \"fields\": [\n", text,
      PRIMITIVE_NAMES[c.primitive], compute_capability);
  print_fields(fields_of(c.primitive));
  printf(" ],\n \"raw\": %d, \"valid\": %d, \"not_compiled\": %d,\n \"rejected\": {\"invalid\": %d, \"same\": %d",
      space.raw, counts[FITS], counts[NOT_COMPILED], space.rejected_invalid, space.rejected_same);
  for (i = COMPILE; resources && i < REASON_COUNT; i++) printf(", \"%s\": %d", REASONS[i], counts[i]);
  printf("},\n");
  print_policies(&space, results);
  free(results);
  free(order);
  tune_space_free(&space);
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("gp_tune --space: standard output");
  return 1;
}

// ---- a kernel of the user's -----------------------------------------------------------------------------------------

// A field's kind: "global": the layout of a kernel parameter; "staged": another layout, of an array in shared memory;
// "": not a layout. `n`: the size at which arrays are asked for.
static const char *kind_of(const kernel_file *file, const gp_tune_kernel *kernel, int f, uint64_t n) {
  int numbers[KERNEL_FIELDS], i, b, k;
  kernel_buffer usual, other;
  if (!kernel_is_layout(&file->fields[f])) return "";
  for (i = 0; i < file->count; i++) numbers[i] = file->fields[i].value[file->fields[i].usual];
  for (b = 0; b < kernel->buffers; b++) {
    numbers[f] = file->fields[f].value[file->fields[f].usual];
    kernel_buffer_of(kernel, b, n, numbers, &usual);
    for (k = 0; k < file->fields[f].count; k++) {
      numbers[f] = file->fields[f].value[k];
      kernel_buffer_of(kernel, b, n, numbers, &other);
      if (memcmp(&usual, &other, sizeof usual)) return "global";
    }
  }
  return "staged";
}

static int print_kernel_space(const char *path, const char *sizes) {
  static kernel_file file;
  const gp_tune_kernel *kernel;
  const char *wrong = kernel_read(path, &file), *at = sizes;
  char cell[200], *end;
  uint64_t n = strtoull(at, &end, 10), moved;
  int i, k;
  if (!wrong) wrong = kernel_open(&file, &kernel);
  if (!wrong && (!n || (*end && *end != ','))) wrong = "--sizes: values of n, with commas between";
  if (wrong) {
    fprintf(stderr, "gp_tune --space: %s\n", wrong);
    return 2;
  }
  printf("{\"kernel\": \"%s\",\n \"fields\": [", kernel->name);
  for (i = 0; i < file.count; i++) {
    const kernel_field *f = &file.fields[i];
    printf("%s\n  {\"name\": \"%s\", \"kind\": \"%s\", \"usual\": \"%s\", \"values\": [", i ? "," : "", f->name,
        kind_of(&file, kernel, i, n), f->text[f->usual]);
    for (k = 0; k < f->count; k++) printf("%s\"%s\"", k ? ", " : "", f->text[k]);
    printf("], \"numbers\": [");
    for (k = 0; k < f->count; k++) {
      if (kernel_is_layout(f)) printf("%s%llu", k ? ", " : "", (unsigned long long)gp_tune_layout(f->value[k]));
      else printf("%s%d", k ? ", " : "", f->value[k]);
    }
    printf("]}");
  }
  printf("\n ],\n \"cells\": [");
  for (i = 0; *at; i++) {
    n = strtoull(at, &end, 10);
    if (end == at || !n || (*end && *end != ',')) {
      fprintf(stderr, "gp_tune --space: --sizes %s: values of n, with commas between\n", sizes);
      return 2;
    }
    moved = kernel->moved(n);
    kernel_cell(kernel, n, cell, sizeof cell);
    printf("%s\n  {\"n\": %llu, \"bytes\": %llu, \"cell\": \"%s\"}", i ? "," : "", (unsigned long long)n,
        (unsigned long long)moved, cell);
    at = end + (*end == ',');
  }
  printf("\n ]\n}\n");
  return fflush(stdout) || ferror(stdout);
}

int space_main(int count, char **arguments) {
  const char *words = NULL, *kernel = NULL, *sizes = "1048576";
  int capability = 90, limit = 0, resources = 0, i;
  for (i = 2; i < count; i++) {
    const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
    int *number = !strcmp(name, "--compute-capability") ? &capability
        : !strcmp(name, "--resources-limit")            ? &limit
                                                        : NULL;
    if (!strcmp(name, "--resources")) resources = 1;
    else if (!strcmp(name, "--cell") && *value) words = value, i++;
    else if (!strcmp(name, "--kernel") && *value) kernel = value, i++;
    else if (!strcmp(name, "--sizes") && *value) sizes = value, i++;
    else if (number && (*number = atoi(value)) > 0) i++;
    else {
      fprintf(stderr, "gp_tune --space: %s %s: no such argument, or no such value\n", name, value);
      return 2;
    }
  }
  if (kernel) return print_kernel_space(kernel, sizes);
  setenv("GP_TUNE_CACHE", "", 0); // without a named cache: does not fill the user's own with a whole space
  if (!words || capability < 75) {
    fprintf(stderr,
        "usage: gp_tune --space --cell CELL [--compute-capability CC (90; 75 and later)] [--resources\n"
        "       [--resources-limit N: of N policies only, always the same]]\n"
        "       gp_tune --space --kernel FILE [--sizes N,...]: the fields of a kernel of yours\n");
    return 2;
  }
  return print_space(words, capability, resources || limit, limit);
}
