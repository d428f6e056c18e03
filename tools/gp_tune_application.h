// gp_tune_application.h - an application whose kernels share arrays, for
//
//     python3 -m tools.farm layouts --application "build/examples/reyes/reyes --frames 4" --store STORE --header FILE
//
// (Weber and Goesele, Auto-Tuning Complex Array Layouts for GPUs, 2014.) The application describes its fields, its
// kernels and its test cases in a gp_tune_application, and passes its arguments on:
//
//     if (gp_tune_application_asked(argc, argv)) return gp_tune_application_run(&application, argc, argv);
//
// --describe prints the description. --measure answers requests, one a line, until its input ends:
//
//     case NAME                loads a test case's inputs; they stay until the next case
//     compile NAME 0 2 1 ...   compiles the kernels of a test case and these values, and keeps them on disk
//     run ID ROUNDS 0 2 1 ...  runs all kernels ROUNDS times with these values, a number a field; times each kernel
//
// An answer is one line of JSON. What fails is named in it; the program goes on with the next request.
#ifndef GP_TUNE_APPLICATION_H
#define GP_TUNE_APPLICATION_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GP_TUNE_KERNELS = 16, GP_TUNE_APPLICATION_FIELDS = 32, GP_TUNE_FEATURES = 8, GP_TUNE_ROUNDS = 99 };

// A field: the layout of an array (kernel NULL: all kernels see it), the layout of a kernel's array in shared memory,
// or what a kernel prefers, named "prefer", with the values "l1 shared". The first value is the default.
typedef struct gp_tune_application_field {
  const char *kernel, *name, *values; // values: words such as "GP_AOS GP_SOA 32 GP_AOS+GP_TRANSPOSED"
} gp_tune_application_field;

typedef struct gp_tune_application_case {
  const char *name; // a word
  uint64_t feature[GP_TUNE_FEATURES]; // in the order of the features' names
} gp_tune_application_case;

typedef struct gp_tune_application {
  const char *name, *device, *stamp; // stamp: another text of the kernels has another one
  int capability;
  int kernels, fields, features, cases;
  const char *const *kernel;
  const gp_tune_application_field *field;
  const char *const *feature;
  const gp_tune_application_case *test_case;
  void *user;
  // Loads a test case. NULL, or what is wrong with it.
  const char *(*open)(void *user, int test_case);
  // Runs all kernels `rounds` times. value: for each field the number of its value. us[kernel * rounds + round]: a
  // kernel's time. why[kernel]: NULL, or why that kernel's times count for nothing. Returns NULL, or why none counts.
  const char *(*run)(void *user, const int *value, int rounds, double *us, const char **why);
  // NULL, or compiles the kernels of a test case, which is not loaded. NULL, or what is wrong.
  const char *(*compile)(void *user, int test_case, const int *value);
} gp_tune_application;

// The bits of what follows a + in a layout's word: GP_TRANSPOSED, GP_AXES_ and the four axes, slowest first, or a kind
// of memory. Returns 0 if it is none of them.
static inline uint64_t gp_tune_addend(const char *word, size_t length) {
  static const struct {
    const char *name;
    uint64_t bits;
  } names[] = {{"GP_TRANSPOSED", (uint64_t)1 << 63}, {"GP_READ_ONLY", (uint64_t)1 << 32},
      {"GP_TEXTURE", (uint64_t)2 << 32}, {"GP_CONSTANT", (uint64_t)3 << 32}};
  uint64_t bits = 0;
  unsigned i, seen = 0;
  for (i = 0; i < 4; i++)
    if (strlen(names[i].name) == length && !memcmp(word, names[i].name, length)) return names[i].bits;
  if (length != 12 || memcmp(word, "GP_AXES_", 8)) return 0;
  for (i = 0; i < 4; i++) {
    const unsigned axis = (unsigned)(word[8 + i] - '0');
    if (axis > 3) return 0;
    seen |= 1u << axis;
    bits |= (uint64_t)(axis ^ i) << (40 + 2 * i);
  }
  return seen == 15 ? bits : 0;
}
// The value of a word: a layout of gpuprims.h, as GP_SOA+GP_AXES_2013+GP_TEXTURE, 0 and 1 for l1 and shared, or a
// number below 16 whose meaning is the application's. Returns 0 if it is none.
static inline int gp_tune_word(const char *word, size_t length, uint64_t *number) {
  const uint64_t order = (uint64_t)0xff << 40 | (uint64_t)1 << 63, memory = (uint64_t)3 << 32;
  uint64_t bit = 0, width = 0;
  size_t i;
  for (i = length; i-- > 0;) {
    uint64_t more;
    if (word[i] != '+') continue;
    more = gp_tune_addend(word + i + 1, length - i - 1);
    if (!more || (bit & order && more & order) || (bit & memory && more & memory))
      return 0; // unknown, or a second order, or a second memory
    bit |= more, length = i;
  }
  if (length == 6 && !memcmp(word, "GP_AOS", 6)) return *number = 1 | bit, 1;
  if (length == 6 && !memcmp(word, "GP_SOA", 6)) return *number = bit, 1;
  if (!bit && length == 2 && !memcmp(word, "l1", 2)) return *number = 0, 1;
  if (!bit && length == 6 && !memcmp(word, "shared", 6)) return *number = 1, 1;
  for (i = 0; i < length && i < 9 && word[i] >= '0' && word[i] <= '9'; i++)
    width = 10 * width + (uint64_t)(word[i] - '0');
  if (!length || i < length || (width % 16 && (width > 15 || bit))) return 0;
  return *number = width | bit, 1;
}
// Word number `which` of a list of words. Returns its length, 0 where the list has fewer.
static inline size_t gp_tune_word_at(const char *list, int which, const char **word) {
  for (;; which--) {
    while (*list == ' ') list++;
    *word = list;
    while (*list && *list != ' ') list++;
    if (!which || list == *word) return (size_t)(list - *word);
  }
}
static inline int gp_tune_words(const char *list) {
  const char *word;
  int count = 0;
  while (gp_tune_word_at(list, count, &word)) count++;
  return count;
}
// The number that a field's value stands for.
static inline uint64_t gp_tune_field_value(const gp_tune_application_field *field, int value) {
  const char *word;
  uint64_t number = 0;
  const size_t length = gp_tune_word_at(field->values, value, &word);
  gp_tune_word(word, length, &number);
  return number;
}

static inline int gp_tune_application_asked(int argc, char **argv) {
  int i;
  for (i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--describe") || !strcmp(argv[i], "--measure")) return 1;
  return 0;
}

// A JSON string.
static inline void gp_tune_say(const char *text) {
  putchar('"');
  for (; *text; text++)
    if (*text == '"' || *text == '\\') printf("\\%c", *text);
    else if ((unsigned char)*text < 32) printf("\\u%04x", *text);
    else putchar(*text);
  putchar('"');
}

static inline void gp_tune_describe(const gp_tune_application *a) {
  int i, k;
  printf("{\"application\": ");
  gp_tune_say(a->name);
  printf(", \"device\": ");
  gp_tune_say(a->device);
  printf(", \"capability\": %d, \"compiles\": %s, \"stamp\": ", a->capability, a->compile ? "true" : "false");
  gp_tune_say(a->stamp);
  printf(", \"kernels\": [");
  for (i = 0; i < a->kernels; i++) printf("%s\"%s\"", i ? ", " : "", a->kernel[i]);
  printf("], \"features\": [");
  for (i = 0; i < a->features; i++) printf("%s\"%s\"", i ? ", " : "", a->feature[i]);
  printf("], \"fields\": [");
  for (i = 0; i < a->fields; i++) {
    const gp_tune_application_field *f = &a->field[i];
    printf(
        "%s{\"kernel\": \"%s\", \"name\": \"%s\", \"values\": [", i ? ", " : "", f->kernel ? f->kernel : "", f->name);
    for (k = 0; k < gp_tune_words(f->values); k++) {
      const char *word;
      const size_t length = gp_tune_word_at(f->values, k, &word);
      printf("%s\"%.*s\"", k ? ", " : "", (int)length, word);
    }
    printf("], \"numbers\": [");
    for (k = 0; k < gp_tune_words(f->values); k++) printf("%s%" PRIu64, k ? ", " : "", gp_tune_field_value(f, k));
    printf("]}");
  }
  printf("], \"cases\": [");
  for (i = 0; i < a->cases; i++) {
    printf("%s{\"name\": \"%s\", \"features\": [", i ? ", " : "", a->test_case[i].name);
    for (k = 0; k < a->features; k++) printf("%s%" PRIu64, k ? ", " : "", a->test_case[i].feature[k]);
    printf("]}");
  }
  printf("]}\n");
}

// The fault of a description, or NULL.
static inline const char *gp_tune_application_wrong(const gp_tune_application *a) {
  int i, k;
  if (a->kernels < 1 || a->kernels > GP_TUNE_KERNELS) return "1 to 16 kernels";
  if (a->fields < 1 || a->fields > GP_TUNE_APPLICATION_FIELDS) return "1 to 32 fields";
  if (a->features < 1 || a->features > GP_TUNE_FEATURES) return "1 to 8 features";
  if (a->cases < 1) return "at least one test case";
  for (i = 0; i < a->fields; i++) {
    const gp_tune_application_field *f = &a->field[i];
    if (!gp_tune_words(f->values)) return "a field has no values";
    for (k = 0; k < gp_tune_words(f->values); k++) {
      const char *word;
      uint64_t number;
      const size_t length = gp_tune_word_at(f->values, k, &word);
      if (!gp_tune_word(word, length, &number))
        return "a value is neither a layout nor l1 nor shared nor a number below 16";
    }
    for (k = 0; f->kernel && k < a->kernels && strcmp(f->kernel, a->kernel[k]);) k++;
    if (f->kernel && k == a->kernels) return "a field belongs to no kernel";
  }
  return NULL;
}

static inline void gp_tune_failed(const char *kind, const char *name, const char *why) {
  printf("{\"%s\": ", kind);
  gp_tune_say(name);
  printf(", \"failed\": ");
  gp_tune_say(why);
  printf("}\n");
}

static inline void gp_tune_answer_compile(const gp_tune_application *a, char *rest) {
  const char *id = strtok(rest, " "), *word, *wrong = NULL;
  int value[GP_TUNE_APPLICATION_FIELDS], i, number;
  if (!id) id = "?";
  for (number = 0; number < a->cases && strcmp(a->test_case[number].name, id);) number++;
  if (number == a->cases) wrong = "there is no such test case";
  for (i = 0; !wrong && i < a->fields; i++) {
    word = strtok(NULL, " ");
    value[i] = word ? atoi(word) : -1;
    if (value[i] < 0 || value[i] >= gp_tune_words(a->field[i].values)) wrong = "a field has no such value";
  }
  if (!wrong && a->compile) wrong = a->compile(a->user, number, value);
  if (wrong) gp_tune_failed("compile", id, wrong);
  else {
    printf("{\"compile\": ");
    gp_tune_say(id);
    printf("}\n");
  }
}

static inline void gp_tune_answer_run(const gp_tune_application *a, char *rest, int is_open) {
  const char *id = strtok(rest, " "), *word = strtok(NULL, " "), *why[GP_TUNE_KERNELS], *wrong = NULL;
  const int rounds = word ? atoi(word) : 0;
  int value[GP_TUNE_APPLICATION_FIELDS], i, k, failed;
  double *us = NULL;
  if (!id) id = "?";
  if (!is_open) wrong = "no test case is loaded";
  else if (rounds < 1 || rounds > GP_TUNE_ROUNDS) wrong = "1 to 99 rounds";
  for (i = 0; !wrong && i < a->fields; i++) {
    word = strtok(NULL, " ");
    value[i] = word ? atoi(word) : -1;
    if (value[i] < 0 || value[i] >= gp_tune_words(a->field[i].values)) wrong = "a field has no such value";
  }
  if (!wrong && strtok(NULL, " ")) wrong = "more values than fields";
  if (!wrong && !(us = (double *)calloc((size_t)a->kernels * (size_t)rounds, sizeof *us))) wrong = "no memory";
  for (k = 0; k < a->kernels; k++) why[k] = NULL;
  if (!wrong) wrong = a->run(a->user, value, rounds, us, why);
  if (wrong) gp_tune_failed("run", id, wrong);
  else {
    printf("{\"run\": \"%s\", \"us\": {", id);
    for (k = 0; k < a->kernels; k++) {
      printf("%s\"%s\": [", k ? ", " : "", a->kernel[k]);
      for (i = 0; !why[k] && i < rounds; i++) printf("%s%.3f", i ? ", " : "", us[k * rounds + i]);
      printf("]");
    }
    printf("}, \"lost\": {");
    for (k = failed = 0; k < a->kernels; k++)
      if (why[k]) {
        printf("%s\"%s\": ", failed++ ? ", " : "", a->kernel[k]);
        gp_tune_say(why[k]);
      }
    printf("}}\n");
  }
  free(us);
}

// Answers --describe or --measure. Returns the program's exit status.
static inline int gp_tune_application_run(const gp_tune_application *a, int argc, char **argv) {
  static char line[4096];
  const char *wrong = gp_tune_application_wrong(a);
  int i, is_open = 0;
  if (wrong) {
    fprintf(stderr, "%s: %s\n", a->name, wrong);
    return 2;
  }
  for (i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--describe")) {
      gp_tune_describe(a);
      return 0;
    }
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\r\n")] = 0;
    if (!strncmp(line, "case ", 5)) {
      for (i = 0; i < a->cases && strcmp(a->test_case[i].name, line + 5);) i++;
      wrong = i < a->cases ? a->open(a->user, i) : "there is no such test case";
      is_open = !wrong;
      if (wrong) gp_tune_failed("case", line + 5, wrong);
      else {
        printf("{\"case\": ");
        gp_tune_say(line + 5);
        printf("}\n");
      }
    } else if (!strncmp(line, "run ", 4)) gp_tune_answer_run(a, line + 4, is_open);
    else if (!strncmp(line, "compile ", 8)) gp_tune_answer_compile(a, line + 8);
    else gp_tune_failed("request", line, "a request is `case NAME`, `compile NAME VALUES` or `run ID ROUNDS VALUES`");
    fflush(stdout);
  }
  return 0;
}

#endif
