// program.h - what the programs of this folder have in common: options, memory, kernels and their modules, times by
// events, and the measurement of a whole space of parameters. A program fills a tuner_program; its main is tuner_main.
//
//     PROGRAM                    the default configuration: its time and its result, checked
//     PROGRAM --check            the default configuration: its result, checked; no times
//     PROGRAM --exhaustive FILE  every configuration: its result, checked once, and its times, as JSON Lines
//     PROGRAM --tune FILE        sections under a gp_tuner, which begins anew for each of five runs; their paths
//
//     --size N       another number of elements
//     --rounds R     times a configuration (7)
//     --sections N   of a run under the tuner (1000); --search S: a gp_tuner_search; --runs R: runs (5)
//     --folder PATH  where the kernels are, from elsewhere than the project's folder; --header FILE: gpuprims.h
//
// --exhaustive: configurations take turns, in another order each round, so that a drift of clocks hits all alike. Each
// has run before, which compiles its kernels. FILE begins with a line about the space,
//     {"program", "device", "driver", "cuda", "date", "size", "parameters": [{"name", "values", "default",
//      "categorical"}], "rounds"}
// followed by a line a configuration: {"values": [..], "us": [a time a round]} or {"values": [..], "invalid": "why"}.
// spaces.py draws it.
//
// Without a GPU, the host back end or the program's own loops do the work at a small size, and its result is checked;
// kernels are compiled if there is an NVRTC.
//
// Include it after gpuprims.h and examples/own_kernels.h.
#ifndef TUNER_PROGRAM_H
#define TUNER_PROGRAM_H

#include <time.h>

// A parameter: an int that `run` reads, and the values that it may take.
typedef struct tuner_parameter {
  const char *name;
  int *variable;
  const int *values; // in order, unless categorical
  int count, start; // start: the default's value, one of them
  int categorical; // the order of values means nothing
} tuner_parameter;

// A kernel file of the folder with its options, such as "-DN_BODY_UNROLL=4".
typedef struct tuner_source {
  const char *file;
  const char *options[4];
  int option_count;
} tuner_source;

typedef struct tuner_program tuner_program;
struct tuner_program {
  const char *name, *about; // as in file names; a line for people, without the size
  const tuner_parameter *parameters;
  int parameter_count;
  uint64_t size, host_size; // the paper's, and one for machines without a GPU; --size replaces both
  const tuner_source *sources; // what a machine without a GPU compiles: typical options
  int source_count;
  // Hooks. Functions that return a text return NULL if all is well.
  void (*open)(tuner_program *p); // makes the input of p->size elements
  const char *(*invalid)(
      tuner_program *p); // NULL, or why the variables' values cannot be launched; the hook may be NULL
  void (*clear)(tuner_program *p); // spoils the output, so that an earlier one cannot pass for the next
  const char *(*prepare)(tuner_program *p); // what a configuration needs once, such as compiling; may be NULL
  const char *(*run)(tuner_program *p); // one section on p->stream, asynchronous; or why it failed
  const char *(*check)(tuner_program *p); // NULL, or what is wrong with the last section's output
  const char *(*check_more)(tuner_program *p); // more of the default configuration, over several sections; may be NULL
  void (*close)(tuner_program *p);
  void *state; // the program's own
  // Set by tuner_main, before `open`.
  gp_context *ctx;
  own_gpu *gpu; // NULL: no GPU, and `run` works on the host
  gp_stream stream;
  const char *folder, *header;
};

static inline void tuner_gp(gp_result result) { // library calls of an example: a failure ends the program
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}

// ---- memory: the GPU's, or the host's

static inline void *tuner_get(uint64_t bytes) { // of the host, zeroed
  void *memory = calloc(bytes ? (size_t)bytes : 1, 1);
  if (!memory) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  return memory;
}
static inline void *tuner_new(tuner_program *p, uint64_t bytes) {
  return p->gpu ? own_new(p->gpu, bytes ? bytes : 1) : tuner_get(bytes);
}
static inline void tuner_free(tuner_program *p, void *memory) {
  if (p->gpu) own_free(p->gpu, memory);
  else free(memory);
}
static inline void tuner_write(tuner_program *p, void *to, const void *from, uint64_t bytes) {
  if (p->gpu) own_write(p->gpu, to, from, bytes);
  else memcpy(to, from, (size_t)bytes);
}
static inline void tuner_read(tuner_program *p, void *to, const void *from, uint64_t bytes) { // waits for the stream
  if (p->gpu) own_read(p->gpu, to, from, bytes);
  else memcpy(to, from, (size_t)bytes);
}
static inline void tuner_set(tuner_program *p, void *to, int byte, uint64_t bytes) {
  if (p->gpu) own_set(p->gpu, to, byte, bytes);
  else memset(to, byte, (size_t)bytes);
}

// ---- kernels

// Joins the folder and a file's name; the caller frees it.
static inline char *tuner_text(const tuner_program *p, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", p->folder, file);
  return own_text(path);
}
static inline int tuner_uses_header(const char *text) { return strstr(text, "#include \"gpuprims.h\"") != NULL; }

// A kernel of a file that is compiled with these options; at most once a process. Options are macros.
static inline void *tuner_kernel(
    tuner_program *p, const char *file, const char *const *options, int count, const char *kernel) {
  typedef struct compiled {
    struct compiled *next;
    void *module;
    char key[200];
  } compiled;
  static compiled *all;
  char key[sizeof all->key];
  compiled *c;
  int i, length = snprintf(key, sizeof key, "%s", file);
  for (i = 0; i < count && length < (int)sizeof key; ++i)
    length += snprintf(key + length, sizeof key - (size_t)length, " %s", options[i]);
  if (length >= (int)sizeof key) own_stop("%s: too many options", file);
  for (c = all; c && strcmp(c->key, key);) c = c->next;
  if (!c) {
    char *text = tuner_text(p, file), *header = tuner_uses_header(text) ? own_text(p->header) : NULL;
    c = (compiled *)tuner_get(sizeof *c);
    memcpy(c->key, key, sizeof key);
    c->module = own_module(p->gpu, file, text, "gpuprims.h", header, options, count);
    free(text), free(header);
    c->next = all;
    all = c;
  }
  return own_kernel(p->gpu, c->module, kernel);
}

// Launches on the program's stream. NULL, or the driver's reason against it.
static inline const char *tuner_launch(
    tuner_program *p, void *kernel, uint64_t blocks, int threads, unsigned shared_bytes, void **arguments) {
  if (!blocks) return NULL;
  if (blocks > 0x7fffffff) return "too many blocks";
  return own_try_launch(p->gpu, kernel, (unsigned)blocks, 1, (unsigned)threads, 1, shared_bytes, arguments);
}

static inline uint64_t tuner_divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// ---- configurations: numbered, the last parameter fastest

static inline int tuner_configurations(const tuner_program *p) {
  int i, count = 1;
  for (i = 0; i < p->parameter_count; ++i) count *= p->parameters[i].count;
  return count;
}
static inline void tuner_values(const tuner_program *p, int number, int *values) {
  int i;
  for (i = p->parameter_count - 1; i >= 0; --i) {
    const tuner_parameter *one = &p->parameters[i];
    values[i] = one->values[number % one->count];
    number /= one->count;
  }
}
enum { TUNER_MOST_PARAMETERS = 8 };
static inline void tuner_take(const tuner_program *p, int number) {
  int values[TUNER_MOST_PARAMETERS], i;
  tuner_values(p, number, values);
  for (i = 0; i < p->parameter_count; ++i) *p->parameters[i].variable = values[i];
}
// The default's number.
static inline int tuner_default(const tuner_program *p) {
  int i, k, number = 0;
  for (i = 0; i < p->parameter_count; ++i) {
    const tuner_parameter *one = &p->parameters[i];
    for (k = 0; k < one->count && one->values[k] != one->start;) ++k;
    if (k == one->count) own_stop("%s: the default of %s is none of its values", p->name, one->name);
    number = number * one->count + k;
  }
  return number;
}

// ---- measuring

// Runs the current configuration and checks its output. NULL, or why it cannot run; *wrong: its output is wrong.
static inline const char *tuner_checked(tuner_program *p, int *wrong) {
  const char *why = p->invalid ? p->invalid(p) : NULL;
  *wrong = 0;
  if (why) return why;
  p->clear(p);
  why = p->run(p);
  if (why) return why;
  why = p->check(p);
  *wrong = why != NULL;
  return why;
}
static inline double tuner_time(tuner_program *p) {
  const char *why;
  own_begin(p->gpu);
  why = p->run(p);
  if (why) own_stop("%s: %s", p->name, why); // it has run before
  return own_end(p->gpu);
}
static inline int tuner_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
// The median; sorts.
static inline double tuner_median(double *us, int count) {
  qsort(us, (size_t)count, sizeof *us, tuner_ascending);
  return count % 2 ? us[count / 2] : (us[count / 2 - 1] + us[count / 2]) / 2;
}
static inline uint64_t tuner_mix(uint64_t x) { // a hash, for inputs and orders
  x = (x + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 31) * 0x94D049BB133111EBu;
  return x ^ x >> 29;
}

typedef struct tuner_space {
  int count, rounds;
  const char **invalid; // of each configuration; NULL: it has times
  double *us; // [configuration][round]
} tuner_space;

static inline void tuner_write_values(FILE *file, const tuner_program *p, int number) {
  int values[TUNER_MOST_PARAMETERS], i;
  tuner_values(p, number, values);
  for (i = 0; i < p->parameter_count; ++i) fprintf(file, "%s%d", i ? ", " : "", values[i]);
}
static inline void tuner_write_space(const tuner_program *p, const tuner_space *s, const char *path) {
  FILE *file = fopen(path, "w");
  const time_t now = time(NULL);
  char date[32];
  int i, k;
  if (!file) own_stop("%s cannot be written", path);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  fprintf(file,
      "{\"program\": \"%s\", \"device\": \"%s\", \"driver\": \"%d.%d\", \"cuda\": \"%d.%d\", \"date\": \"%s\", "
      "\"size\": %llu, \"parameters\": [",
      p->name, p->gpu->name, p->gpu->driver_version / 1000, p->gpu->driver_version % 1000 / 10,
      p->gpu->nvrtc_version / 1000, p->gpu->nvrtc_version % 1000 / 10, date, (unsigned long long)p->size);
  for (i = 0; i < p->parameter_count; ++i) {
    const tuner_parameter *one = &p->parameters[i];
    fprintf(file, "%s{\"name\": \"%s\", \"values\": [", i ? ", " : "", one->name);
    for (k = 0; k < one->count; ++k) fprintf(file, "%s%d", k ? ", " : "", one->values[k]);
    fprintf(file, "], \"default\": %d, \"categorical\": %s}", one->start, one->categorical ? "true" : "false");
  }
  fprintf(file, "], \"rounds\": %d}\n", s->rounds);
  for (i = 0; i < s->count; ++i) {
    fprintf(file, "{\"values\": [");
    tuner_write_values(file, p, i);
    if (s->invalid[i]) fprintf(file, "], \"invalid\": \"%s\"}\n", s->invalid[i]);
    else {
      for (k = 0; k < s->rounds; ++k)
        fprintf(file, "%s%.3f", k ? ", " : "], \"us\": [", s->us[(size_t)i * (size_t)s->rounds + (size_t)k]);
      fprintf(file, "]}\n");
    }
  }
  if (fclose(file)) own_stop("%s cannot be written", path);
}

static inline void tuner_print_row(const tuner_program *p, const char *what, double us, int number) {
  int values[TUNER_MOST_PARAMETERS], i;
  tuner_values(p, number, values);
  printf("%-10s%12.2f us ", what, us);
  for (i = 0; i < p->parameter_count; ++i) printf("%s %s %d", i ? "," : "", p->parameters[i].name, values[i]);
  printf("\n");
}

// Measures the whole space. Returns the number of configurations with a wrong result; *passed: with a right one.
static inline int tuner_exhaustive(tuner_program *p, int rounds, const char *path, int *passed) {
  tuner_space s;
  const int start = tuner_default(p);
  const time_t began = time(NULL);
  double *sorted, best_us = 0, default_us = 0;
  int *order, i, round, warm, failed = 0, invalid = 0, best = -1;
  s.count = tuner_configurations(p);
  s.rounds = rounds;
  s.invalid = (const char **)tuner_get((uint64_t)s.count * sizeof *s.invalid);
  s.us = (double *)tuner_get((uint64_t)s.count * (uint64_t)rounds * sizeof *s.us);
  sorted = (double *)tuner_get((uint64_t)rounds * sizeof *sorted);
  order = (int *)tuner_get((uint64_t)s.count * sizeof *order);
  for (i = 0; i < s.count; ++i) {
    int wrong;
    tuner_take(p, i);
    s.invalid[i] = tuner_checked(p, &wrong);
    order[i] = i;
    if (!s.invalid[i]) continue;
    ++invalid;
    failed += wrong;
    if (!wrong) continue;
    fprintf(stderr, "FAILED: %s at ", p->name);
    tuner_write_values(stderr, p, i);
    fprintf(stderr, ": %s\n", s.invalid[i]);
  }
  for (round = 0; round < rounds; ++round) {
    for (i = s.count - 1; i > 0; --i) {
      const int other = (int)(tuner_mix((uint64_t)round << 32 | (uint64_t)i) % (uint64_t)(i + 1)), swap = order[i];
      order[i] = order[other];
      order[other] = swap;
    }
    for (i = 0, warm = 0; i < s.count; ++i) {
      if (s.invalid[order[i]]) continue;
      tuner_take(p, order[i]);
      if (!warm) tuner_time(p); // clocks and caches as in a sequence of sections
      warm = 1;
      s.us[(size_t)order[i] * (size_t)rounds + (size_t)round] = tuner_time(p);
    }
  }
  tuner_write_space(p, &s, path);
  for (i = 0; i < s.count; ++i) {
    double us;
    if (s.invalid[i]) continue;
    memcpy(sorted, s.us + (size_t)i * (size_t)rounds, (size_t)rounds * sizeof *sorted);
    us = tuner_median(sorted, rounds);
    if (best < 0 || us < best_us) best = i, best_us = us;
    if (i == start) default_us = us;
  }
  printf("%d configurations, %d invalid, %d rounds; %.0f s\n", s.count, invalid, rounds, difftime(time(NULL), began));
  if (default_us > 0) tuner_print_row(p, "default", default_us, start);
  if (best >= 0) tuner_print_row(p, "optimum", best_us, best);
  if (default_us > 0) printf("%-10s%12.1f %% of the default's time\n", "gain", 100 * (1 - best_us / default_us));
  free(s.invalid), free(s.us), free(sorted), free(order);
  *passed = s.count - invalid;
  return failed;
}

// ---- the tuner

static inline int tuner_may_run(void *user, const int *values) {
  tuner_program *p = (tuner_program *)user;
  int i;
  for (i = 0; i < p->parameter_count; ++i) *p->parameters[i].variable = values[i];
  return !p->invalid || !p->invalid(p);
}
static inline gp_tuner *tuner_of(tuner_program *p, int search, int run, int *variables) {
  gp_tuner_config config = gp_tuner_config_init();
  gp_tuner *tuner;
  int i;
  config.search = (gp_tuner_search)search;
  config.seed = (uint64_t)run;
  config.valid = tuner_may_run;
  config.user = p;
  tuner_gp(gp_tuner_open(p->ctx, &config, &tuner));
  for (i = 0; i < p->parameter_count; ++i) {
    const tuner_parameter *one = &p->parameters[i];
    tuner_gp(gp_tuner_add_parameter(tuner, one->name, &variables[i],
        one->categorical ? gp_range_choices(one->values, one->count) : gp_range_values(one->values, one->count),
        one->start));
  }
  return tuner;
}
// A section under the tuner. 0: its configuration cannot run here.
static inline int tuner_section(tuner_program *p, gp_tuner *tuner, const int *variables) {
  const char *why;
  int i;
  tuner_gp(gp_tuner_start(tuner, p->stream));
  for (i = 0; i < p->parameter_count; ++i) *p->parameters[i].variable = variables[i];
  why = p->prepare ? p->prepare(p) : NULL;
  if (!why && p->prepare) tuner_gp(gp_tuner_restart(tuner, p->stream));
  if (!why) why = p->run(p);
  tuner_gp(why ? gp_tuner_reject(tuner) : gp_tuner_stop(tuner, p->stream));
  return !why;
}
// Runs of `sections` sections. Returns the number of runs whose last configuration has a wrong result.
static inline int tuner_tune(tuner_program *p, int search, int runs, int sections, const char *path, int *passed) {
  FILE *file = fopen(path, "w");
  int variables[TUNER_MOST_PARAMETERS], values[TUNER_MOST_PARAMETERS], run, i, k, wrong, failed = 0;
  if (!file) own_stop("%s cannot be written", path);
  for (run = 0; run < runs; ++run) {
    gp_tuner *tuner = tuner_of(p, search, run, variables);
    char *report;
    size_t bytes;
    double us = 0;
    int tried = 0, searching = 1, until = 0;
    const char *why;
    for (i = 0; i < sections; ++i) {
      tuner_section(p, tuner, variables);
      if (p->gpu && i % 4 == 3) own_wait(p->gpu); // as a program that shows frames
      tuner_gp(gp_tuner_best(tuner, NULL, 0, values, &us, &tried, &searching));
      if (searching) until = i + 1;
    }
    for (k = 0; k < p->parameter_count; ++k) *p->parameters[k].variable = values[k];
    why = tuner_checked(p, &wrong);
    if (why) fprintf(stderr, "FAILED: %s: %s\n", p->name, why);
    failed += why != NULL;
    printf("run %d: searched for %d of %d sections; best %.2f us:", run, until, sections, us);
    for (k = 0; k < p->parameter_count; ++k) printf("%s %s %d", k ? "," : "", p->parameters[k].name, values[k]);
    printf("\n");
    bytes = gp_tuner_report(tuner, NULL, 0) + 1;
    report = (char *)tuner_get(bytes);
    gp_tuner_report(tuner, report, bytes);
    fputs(report, file);
    free(report);
    tuner_gp(gp_tuner_close(tuner));
  }
  if (fclose(file)) own_stop("%s cannot be written", path);
  *passed = runs - failed;
  return failed;
}

// The default configuration: its result, and its time unless rounds is 0. Returns the number of failures.
static inline int tuner_plain(tuner_program *p, int rounds) {
  const int start = tuner_default(p);
  const char *why;
  int wrong, i;
  tuner_take(p, start);
  why = tuner_checked(p, &wrong);
  if (!why && p->gpu && rounds) {
    double *us = (double *)tuner_get((uint64_t)rounds * sizeof *us);
    tuner_time(p);
    for (i = 0; i < rounds; ++i) us[i] = tuner_time(p);
    tuner_print_row(p, "default", tuner_median(us, rounds), start);
    free(us);
  }
  if (!why && p->check_more) why = p->check_more(p);
  if (why) fprintf(stderr, "FAILED: %s: %s\n", p->name, why);
  return why != NULL;
}

// Compiles the kernels, if NVRTC is found.
static inline void tuner_compile(const tuner_program *p) {
  static const int capabilities[] = {75, 80, 90};
  own_gpu g;
  const char *why;
  int i, k;
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) {
    printf("%s, so the kernels were not compiled\n", why);
    return;
  }
  for (i = 0; i < p->source_count; ++i) {
    const tuner_source *one = &p->sources[i];
    char *text = tuner_text(p, one->file), *header = tuner_uses_header(text) ? own_text(p->header) : NULL;
    for (k = 0; k < 3; ++k)
      free(own_compile(&g, one->file, text, "gpuprims.h", header, capabilities[k], one->options, one->option_count));
    free(text), free(header);
  }
  printf("the kernels compile for sm_75, sm_80 and sm_90\n");
}

static inline int tuner_usage(const char *program) {
  fprintf(stderr,
      "usage: %s [--check | --exhaustive FILE | --tune FILE] [--size N] [--rounds R] [--sections N] [--search S]\n"
      "       [--runs R] [--folder PATH] [--header FILE]\n",
      program);
  return 2;
}

static inline int tuner_main(tuner_program *p, int argc, char **argv) {
  static own_gpu gpu;
  const char *space = NULL, *tune = NULL, *why;
  unsigned long long size = 0;
  int check = 0, rounds = 7, sections = 1000, search = 0, runs = 5, passed = 0, failed, i;
  p->folder = "examples/tuner", p->header = "gpuprims.h";
  for (i = 1; i < argc; ++i) {
    const int more = i + 1 < argc;
    if (!strcmp(argv[i], "--check")) check = 1;
    else if (!strcmp(argv[i], "--exhaustive") && more) space = argv[++i];
    else if (!strcmp(argv[i], "--tune") && more) tune = argv[++i];
    else if (!strcmp(argv[i], "--folder") && more) p->folder = argv[++i];
    else if (!strcmp(argv[i], "--header") && more) p->header = argv[++i];
    else if (!strcmp(argv[i], "--size") && more) {
      size = strtoull(argv[++i], NULL, 10);
      if (!size) return tuner_usage(argv[0]);
    } else if (!strcmp(argv[i], "--rounds") && more) {
      rounds = atoi(argv[++i]);
      if (rounds < 1 || rounds > 1000) return tuner_usage(argv[0]);
    } else if (!strcmp(argv[i], "--sections") && more) {
      sections = atoi(argv[++i]);
      if (sections < 1) return tuner_usage(argv[0]);
    } else if (!strcmp(argv[i], "--search") && more) {
      search = atoi(argv[++i]);
      if (search < 0 || search > (int)GP_SEARCH_SURROGATE) return tuner_usage(argv[0]);
    } else if (!strcmp(argv[i], "--runs") && more) {
      runs = atoi(argv[++i]);
      if (runs < 1) return tuner_usage(argv[0]);
    } else return tuner_usage(argv[0]);
  }
  if ((check != 0) + (space != NULL) + (tune != NULL) > 1) return tuner_usage(argv[0]);
  if (p->parameter_count > TUNER_MOST_PARAMETERS) own_stop("%s: too many parameters", p->name);
  tuner_gp(gp_open(NULL, &p->ctx));
  why = own_open(&gpu, p->ctx);
  if (why && space) own_stop("%s: --exhaustive needs a GPU: %s", p->name, why);
  p->gpu = why ? NULL : &gpu;
  p->stream = (gp_stream)(why ? NULL : gpu.stream);
  p->size = size ? size : why ? p->host_size : p->size;
  printf("%s: %s, size %llu, on %s\n", p->name, p->about, (unsigned long long)p->size, why ? "the host" : gpu.name);
  if (why) {
    printf("no GPU: %s\n", why);
    tuner_compile(p);
  }
  p->open(p);
  if (space) failed = tuner_exhaustive(p, rounds, space, &passed);
  else if (tune) failed = tuner_tune(p, search, runs, sections, tune, &passed);
  else {
    failed = tuner_plain(p, check ? 0 : rounds);
    passed = !failed;
  }
  p->close(p);
  tuner_gp(gp_close(p->ctx));
  printf("Results:\n%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}

#endif
