// tune.h - shared by the files of gp_tune's parent process: the store, jobs, and the plan that a supervisor carries
// out.
//
//   main.c       modes and options
//   search.c     which policies are measured, in which jobs: groups.c, their spaces; steps.c, strategies
//   plan.c       jobs read from a file                        jobs.c   jobs, and policies as text
//   cells.c      cells as text and as keys, for Python too; describe.c, what they are made of
//   supervise.c  worker and compiler processes: one poll loop, watchdog, progress; child.c, one such process;
//                environment.c, where a worker measures
//   store.c      the store: resuming reads it, every result is appended to it; json.c, its lines
//   util.c       memory, text, maps
//   space.c, compiler.c, worker.c   know the library; cells and policies are text to all the others
#ifndef GP_TUNE_H
#define GP_TUNE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../gp_primitives.h"

// Exit statuses.
enum { DONE = 0, FOUND_WRONG = 1, BAD_USAGE = 2, DEVICE_LOST = 3, NO_GPU = 4, INTERRUPTED = 130 };

// ---- util.c ---------------------------------------------------------------------------------------------------------

void *grow(void *memory, size_t bytes); // realloc that ends the program without memory
char *print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t hash_text(uint64_t hash, const char *text); // FNV-1a, continued from `hash`
enum { HASH_DIGITS = 16 };
#define HASH_START 0xcbf29ce484222325u
double seconds_now(void);
double median_of(const double *values, int count);
uint64_t random_next(uint64_t *state); // splitmix64

// A growing text.
typedef struct text {
  char *at;
  size_t length, room;
} text;
void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_put(text *t, const char *bytes, size_t count);

// A growing array: adds one zeroed element and returns it.
#define PUSH(array, count) (*(__typeof__(array))push((void **)&(array), &(count), sizeof *(array)))
void *push(void **array, int *count, size_t size);

// Values by name.
typedef struct map {
  char **keys;
  void **values;
  int count, room;
} map;
void **map_at(map *m, const char *key); // added as NULL if missing

// ---- json.c ---------------------------------------------------------------------------------------------------------

typedef struct json {
  char kind; // { [ " 0 t f n
  char *name, *text; // name: in an object; text: of strings
  double number;
  struct json *first, *next;
} json;
// Parses a line in place. NULL: *reason says why. The nodes live until the next call.
const json *json_parse(char *line, const char **reason);
const json *json_get(const json *object, const char *name);
const char *json_text(const json *object, const char *name); // "" unless a string
double json_number(const json *object, const char *name); // 0 unless a number
void json_string(text *t, const char *value); // writes it with its quotes
void json_value(text *t, const char *value); // a number where it looks like one, a string otherwise

// ---- jobs -----------------------------------------------------------------------------------------------------------

// A compiler process's report about a policy's kernel.
typedef struct build {
  char *cell, *policy;
  struct group *group; // its group, in a search
  int compute_capability, built;
  int status; // a variant's
  char code[HASH_DIGITS + 1], *message;
  int registers, local_bytes, occupancy;
  double seconds; // that a compiler took
} build;

#define STATUSES(X) X(ok) X(invalid) X(compile) X(wrong) X(runtime) X(timeout)
enum {
  WAITING, // not measured yet
#define X(name) STATUS_##name,
  STATUSES(X)
#undef X
      STATUS_COUNT
};
extern const char *const STATUS_NAMES[STATUS_COUNT];

typedef struct variant {
  const char *policy; // "default", or every field named; owned by the plan
  build *build; // NULL: no report about its kernel
  int tag; // the plan's
  int is_rule; // the policy is the choice of the header's own rule
  int status, stored; // stored: the store has the result
  char *echo, *source, *message;
  double calls, *us;
  int count; // of us
} variant;

// One `measure` message; `key` is its id, the store's `job`, and a hash of the request.
typedef struct job {
  struct group *group;
  int tag, process, rounds, verify, variant_count; // verify 0: another process has verified its outputs
  const char *phase, *objective; // objective: "energy" or "edp"; NULL: time
  char *cell, key[HASH_DIGITS + 1];
  double batch_us, give_up;
  variant *variants;
  int *sent, sent_count; // numbers of the variants in the message
  char *clocks; // the fields of `done` as the store has them
  double busy_seconds, seconds;
} job;
job *job_make(const char *phase, int process, const char *cell, int rounds, double batch_us, double give_up);
variant *job_add(job *j, const char *policy, build *b, int tag);
void job_seal(job *j); // all variants are in
int job_built(const job *j);
void job_free(job *j);

// A policy's text field by field: the next name=value of *at.
int policy_next(const char **at, char *name, char *value, size_t room);
// Whether each field of the policy has one of the pattern's values. "threads=128|256,vectors=1"
int policy_matches(const char *policy, const char *pattern);

// A cell's words. NULL, or what is wrong.
typedef struct cell_words {
  char primitive[32], op[32], in[8], acc[8], out[8], protocol[16];
  char words[120]; // of this primitive only, verbatim
  unsigned long long n;
} cell_words;
const char *cell_words_of(const char *cell, cell_words *words);
char *cell_text_of(const cell_words *words); // the canonical text of a key; owned by the caller
void cell_key_add(text *t, const cell_words *words); // its fields, as in the store's lines
int cell_key(const char *cell, char *key, size_t room); // for Python: both as JSON; 0: what is wrong with the cell
// Bytes of an element as named in the table's rows, and the bytes for which a call on one element counts as large
// (gp__measures in the header).
typedef struct cell_sizes {
  int in, acc, out, bytes;
} cell_sizes;
void cell_sizes_of(const cell_words *words, cell_sizes *sizes);
int cell_degree_of(const cell_words *words); // graphs: n is this multiple of the vertices
// For Python: the cell's own text; bytes of an element of in, acc and out, bytes of the call, degree. 0: no such cell,
// or a user's kernel.
int cell_measure(const char *text, char *own, size_t room, unsigned long long numbers[5]);
int type_size(const char *type); // 0: no such type
int primitive_has(const char *primitive, const char *what); // see tools/gp_primitives.h; 0 also: unknown
const primitive_row *primitive_of(const char *name); // NULL: unknown

// ---- describe.c -----------------------------------------------------------------------------------------------------

const char *describe(void); // JSON

// ---- store.c --------------------------------------------------------------------------------------------------------

typedef struct earlier {
  double seconds;
  int ended;
} earlier;

typedef struct store {
  const char *path;
  int file;
  map samples; // "environment job policy" -> variant
  map environments;
  map runs; // "environment asked" -> seconds of its runs, and whether one finished
  int broken; // a write failed
} store;
int store_open(store *s, const char *path); // exit status
int store_write(store *s, const char *lines, size_t length); // one write of whole lines; 0: failed, said why
void store_leave_none(const store *s); // removes the file if it is empty
const variant *store_find(store *s, const char *environment, const char *job, const char *policy);
earlier store_earlier(store *s, const char *environment, const char *asked); // runs of the same plan
void store_sample(text *t, const char *environment, const job *j, const variant *v); // adds the line
extern const char ECHO_DIFFERS[]; // prefix of the message of a variant that ran on another policy

// ---- supervise.c ----------------------------------------------------------------------------------------------------

typedef struct options {
  const char *out, *primitives, *sizes, *strategy, *gpus, *commit, *phase, *plan, *worker_command, *compiler_command;
  const char *kernel, *policy_out; // a user's file, and where the best policy is written
  const char *objective; // what the search makes small: time, energy, edp (energy times time)
  double seconds, watchdog, batch_us;
  int jobs, process, rounds, verify;
  uint64_t seed;
} options;

typedef struct gpu {
  int compute_capability, multiprocessors;
  const char *environment;
  double spent; // seconds that earlier runs of the same plan took
} gpu;

// A plan decides the next measurement; the supervisor runs it. Plans are deterministic functions of the options and the
// results, so a repeated plan finds its results in the store.
typedef struct plan {
  void *self;
  const char *(*start)(void *self, int count, const gpu *gpus); // owned by the plan; NULL: the reason
  job *(*next)(void *self, int gpu); // NULL: none now; all builds of its variants are done
  void (*done)(void *self, int gpu, job *j); // owns the job from now on
  build *(*next_build)(void *self);
  void (*built)(void *self, build *b);
  int (*finished)(void *self);
  int (*planned)(void *self, const char **where); // jobs, estimated; the current group
  int (*complete)(void *self); // nothing was cut short
  int (*close)(void *self, store *s); // appends checks and coverage; exit status
  char *asked; // hash of the request, for plans that a store needs once; NULL: none
} plan;
int supervise(const plan *p, const options *o);

// ---- modes ----------------------------------------------------------------------------------------------------------

const char *search_make(const options *o, int landscape, plan *p); // NULL, or what is wrong with the options
const char *file_plan_make(const options *o, plan *p);
void list_strategies(void);
void list_searched(void);

#endif
