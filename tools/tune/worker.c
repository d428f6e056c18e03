// worker.c - gp_tune's live worker: measures variants of a cell on a GPU. It reads jobs from standard input and writes
// results to standard output (protocol: tools/farm/README.md). One process a GPU, so that a variant that hangs or
// faults costs only a process.
//
// A variant is verified before it is timed: on data with an exact result, at a count with a ragged last tile, bit for
// bit against the host back end, with guard zones around its output. That happens once for its types and policy; the
// cell's own count runs once more before it is timed. While the GPU works, the worker loads the kernels of the next
// job.
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"

#include "../gp_cells.h"
#include "../gp_cuda.h"
#include "../gp_searches.h"
#include "kernel_code.h"
#include "lines.h"
#include "worker.h"

#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum {
  GUARD = 256, // bytes before and after an output that must stay untouched
  PATTERN = 0xA5, // the outputs' value before a variant runs
  MOST_CALLS = 400, // of a batch
  MOST_VARIANTS = 256, // of a job
  MOST_ROUNDS = 64, //
  VERIFIED_BYTES = 12 << 20, // bytes that are verified, about
  LOOKED_AT_ONCE = 16 << 20, // a call that moves this much is checked before the variant's next
  KERNELS_KEPT = 3000, // then the context is reopened: machine code would fill the memory
  GRAPHS_KEPT = 12, // graphs built for earlier cells
  SEARCHES = 8, // sources of a batch, one search after another
  MAKERS = 16, // threads that make inputs
  DEVICE_LOST = 3, // exit statuses
  CONTEXT_LOST = 4
};

// ---- messages -------------------------------------------------------------------------------------------------------

static void say(const char *word, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const char *word, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%s\t%s\n", word, text);
  fflush(stdout);
}

static void fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void fatal(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("fatal\tmessage=");
  line_value(stdout, text);
  printf("\n");
  fflush(stdout);
  _exit(DEVICE_LOST);
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

typedef struct variant {
  char policy_text[256];
  gp_policy policy;
  int has_policy; // 0: the header's own choice
  int numbers[KERNEL_FIELDS]; // of a user's kernel
  void *function; //
  gp_tune_launch launch; //
  const char *status;
  char message[600];
  char echo[256];
  gp_policy_source source;
  void *graph;
  int abandoned, calls, count;
  double first_us, us[MOST_ROUNDS];
} variant;

typedef struct job {
  struct job *next;
  char id[64];
  cell cell;
  int rounds, count, unverified, energy, by_time; // energy: rounds are microjoules a call; by_time: times microseconds
  double batch_us, give_up;
  variant *variants;
  const char *bad; // NULL: usable
} job;

static void job_free(job *j) {
  if (j) free(j->variants);
  free(j);
}

// A measured subject: calls of the library, or ($GP_TUNE_KERNEL) a user's kernel. verify and call: 0 when the variant's
// status gives the reason.
typedef struct subject {
  const char *(*cell)(const char *text, cell *c); // NULL, or what is wrong
  const char *(*policy)(const char *text, variant *v); // NULL, or the fault; not called for "default"
  double (*moved)(const cell *c); // bytes of a call
  void (*reserve)(const cell *c); // room for its buffers
  uint64_t (*sets)(const cell *c); // number of buffer sets that fit
  int (*verify)(const cell *c, variant *v); // loads and checks it
  int (*call)(const cell *c, variant *v, uint64_t set); // launches it
  int (*load)(const cell *c, const variant *v); // loads it ahead if cheap. 1: verified, and there is room
  int (*restore)(const cell *c, variant *v); // before a batch: restores its data; NULL: not needed
  int whole; // a batch takes all sets from the first on: they differ
} subject;
static const subject *on; // of this process; for graphs: see subject_of

// Reads the rest of a `measure` message. NULL: the input ended inside it.
static job *read_job(const line *head) {
  job *j = calloc(1, sizeof *j);
  int i;
  if (!j) fatal("no memory");
  snprintf(j->id, sizeof j->id, "%s", line_get(head, "id"));
  j->rounds = (int)line_number(head, "rounds");
  j->batch_us = line_number(head, "batch_us");
  j->give_up = line_number(head, "give_up");
  j->unverified = !strcmp(line_get(head, "verify"), "0");
  j->by_time = !strcmp(line_get(head, "objective"), "edp");
  j->energy = j->by_time || !strcmp(line_get(head, "objective"), "energy");
  j->count = (int)line_number(head, "variants");
  if (j->count < 1 || j->count > MOST_VARIANTS) fatal("a job of %d variants, not 1 to %d", j->count, MOST_VARIANTS);
  if (j->rounds < 1 || j->rounds > MOST_ROUNDS) fatal("a job of %d rounds, not 1 to %d", j->rounds, MOST_ROUNDS);
  if (!(j->variants = calloc((size_t)j->count, sizeof *j->variants))) fatal("no memory");
  j->bad = on->cell(line_get(head, "cell"), &j->cell);
  for (i = 0; i < j->count; i++) {
    variant *v = &j->variants[i];
    const char *reason;
    line l;
    if (!line_read(&l, stdin)) return job_free(j), NULL;
    snprintf(v->policy_text, sizeof v->policy_text, "%s", line_get(&l, "policy"));
    v->has_policy = strcmp(v->policy_text, "default") != 0;
    v->status = "ok";
    reason = v->has_policy ? on->policy(v->policy_text, v) : NULL;
    if (!reason) reason = j->bad;
    if (reason) v->status = "invalid", snprintf(v->message, sizeof v->message, "%s", reason);
    line_free(&l);
  }
  return j;
}

// A thread reads ahead, so that the next job's kernels can be loaded while this one runs.
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  job *first, *last;
  int ended;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0};

static void *read_jobs(void *unused) {
  (void)unused;
  for (;;) {
    job *j = NULL;
    line l;
    if (!line_read(&l, stdin) || !strcmp(l.word, "quit")) break;
    if (!strcmp(l.word, "measure")) {
      j = read_job(&l);
      if (!j) break;
    } else fprintf(stderr, "worker: unknown message %s\n", l.word);
    line_free(&l);
    if (!j) continue;
    pthread_mutex_lock(&queue.lock);
    if (queue.last) queue.last->next = j;
    else queue.first = j;
    queue.last = j;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
  }
  pthread_mutex_lock(&queue.lock);
  queue.ended = 1;
  pthread_cond_signal(&queue.changed);
  pthread_mutex_unlock(&queue.lock);
  return NULL;
}

static job *next_job(int wait) {
  job *j;
  pthread_mutex_lock(&queue.lock);
  while (wait && !queue.first && !queue.ended) pthread_cond_wait(&queue.changed, &queue.lock);
  j = queue.first;
  if (j && wait) {
    queue.first = j->next;
    if (!queue.first) queue.last = NULL;
  }
  pthread_mutex_unlock(&queue.lock);
  return j;
}

// ---- the device -----------------------------------------------------------------------------------------------------

static gp_cuda cuda;
static gp_nvml nvml;
static gp_context *ctx, *host;
static cell_types types, host_types;
static gp_description device;
static void *stream;
static int l2_bytes, ordinal, kernels_loaded;
static gp_backend backend = GP_BACKEND_CUDA;
static int unverified; // this job's outputs: another process verified the same machine code

typedef struct pool {
  uint64_t at, bytes;
} pool;
static pool pools[ROLE_COUNT], difference, other_lines;

static void must(int code, const char *what) {
  const char *name = "?";
  if (!code) return;
  if (cuda.error_name) cuda.error_name(code, &name);
  fatal("%s: %s (%d)", what, name, code);
}

// The copy returns when the bytes are staged; streams that do not wait for the default one must not start before they
// arrive.
static void to_device(uint64_t to, const void *from, uint64_t bytes) {
  must(cuda.to_device(to, from, bytes), "cuMemcpyHtoD");
  must(cuda.synchronize(), "cuCtxSynchronize");
}

static void open_context(void) {
  const char *reason;
  gp_config config = gp_config_init();
  config.backend = backend;
  config.device = ordinal;
  config.cache_dir = getenv("GP_TUNE_CACHE");
  config.cache_bytes = UINT64_MAX; // some thousand kernels are compiled ahead of their measurement
  if (gp_open(&config, &ctx)) fatal("%s", gp_last_message());
  if ((reason = cell_types_define(&types, ctx))) fatal("%s", reason);
  kernels_loaded = 0;
}

// A hash of the GPU's UUID tells boards apart without identifying them; "" if the driver gives none.
static void name_board(char name[GP__HEX]) {
  unsigned char uuid[16] = {0};
  if (cuda.device_uuid(uuid, ordinal)) name[0] = 0;
  else gp__hash(name, uuid, sizeof uuid, "gp_tune");
}

static void open_device(void) {
  static const char *const ecc[] = {"0", "1"};
  gp_config config = gp_config_init();
  void *primary = NULL;
  char bus[64] = "", board[GP__HEX], header[GP__HEX];
  gp__part_set parts;
  int clock = 0, width = 0, has_ecc = 0, has_clocks;
  const char *reason = gp_cuda_open(&cuda);
  if (reason) fatal("%s", reason);
  open_context();
  SET_SIZE(&device);
  if (gp_describe(ctx, &device)) fatal("%s", gp_last_message());
  config.backend = GP_BACKEND_HOST;
  if (gp_open(&config, &host)) fatal("%s", gp_last_message());
  if ((reason = cell_types_define(&host_types, host))) fatal("%s", reason);
  must(cuda.retain(&primary, ordinal), "cuDevicePrimaryCtxRetain");
  must(cuda.set_current(primary), "cuCtxSetCurrent");
  must(cuda.stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING), "cuStreamCreate");
  cuda.device_attribute(&l2_bytes, GP_CUDA_L2_BYTES, ordinal);
  cuda.device_attribute(&clock, GP_CUDA_MEMORY_CLOCK_KHZ, ordinal);
  cuda.device_attribute(&width, GP_CUDA_BUS_WIDTH, ordinal);
  cuda.device_attribute(&has_ecc, GP_CUDA_ECC, ordinal);
  has_clocks = !cuda.device_bus_id(bus, sizeof bus, ordinal) && gp_nvml_open(&nvml, bus);
  name_board(board);
  if (!has_clocks) fprintf(stderr, "worker: no NVML, or no permission: clocks are not recorded\n");
  if (!gp__device_text()) fatal("%s", gp__device.why);
  memset(parts, 1, sizeof parts);
  gp__hash_parts(parts, header);
  if (!gp__open_nvrtc(&ctx->state->library.runtime, "gp_tune")) (void)gp_describe(ctx, &device); // only for its version
  say("ready",
      "device=%s\tcompute_capability=%d\tmultiprocessors=%d\tmemory_bytes=%llu\tl2_bytes=%d\tecc=%s\tdriver=%d\t"
      "nvrtc=%d\tbus=%s\tboard=%.16s\tpeak_gbs=%.0f\tclocks=%s\theader=%.16s",
      device.name, device.compute_capability, device.multiprocessors, (unsigned long long)device.memory_bytes, l2_bytes,
      ecc[has_ecc != 0], device.driver_version, device.nvrtc_version, bus, board, 2.0 * clock * 1e3 * width / 8 / 1e9,
      has_clocks ? "yes" : "no", header);
}

// Grows a pool and fills it with 16-bit numbers that are below 2 in any format.
static void reserve(pool *p, uint64_t bytes) {
  enum { PIECE = 16 << 20 };
  static uint16_t *piece;
  uint64_t at;
  if (p->bytes >= bytes) return;
  must(cuda.synchronize(), "cuCtxSynchronize");
  if (p->at) must(cuda.free_(p->at), "cuMemFree");
  p->at = p->bytes = 0;
  must(cuda.alloc(&p->at, bytes), "cuMemAlloc");
  p->bytes = bytes;
  if (!piece) {
    int i;
    if (!(piece = malloc(PIECE))) fatal("no memory");
    for (i = 0; i < PIECE / 2; i++) piece[i] = (uint16_t)(gp_data_hash((uint64_t)i) & 0x3fff);
  }
  for (at = 0; at < bytes; at += at ? at : PIECE) { // doubles the filled part
    const uint64_t from = at ? at : PIECE, some = bytes - at < from ? bytes - at : from;
    if (!at) to_device(p->at, piece, some);
    else must(cuda.copy(p->at + at, p->at, some, NULL), "cuMemcpyDtoDAsync"); // after the previous copy
  }
  must(cuda.synchronize(), "cuCtxSynchronize");
}

// ---- a call of a variant --------------------------------------------------------------------------------------------

static uint64_t round_up(uint64_t a, uint64_t b) { return (a + b - 1) / b * b; }

static uint64_t cache_bytes(void) { return (uint64_t)(l2_bytes > 0 ? l2_bytes : 64 << 20); }

// The places of a cell's buffers: one buffer of each pool is a set.
typedef struct layout {
  char text[256]; // of the cell
  uint64_t stride[ROLE_COUNT], shift[ROLE_COUNT], sets; // stride 0: the cell has no such buffer
  size_t slot[ROLE_COUNT]; // of gp_call
} layout;

// For the last cell asked for.
static const layout *layout_of(const cell *c) {
  static layout l;
  const uint64_t least = 8 * cache_bytes();
  uint64_t most = 1;
  int role;
  if (!strcmp(l.text, c->text)) return &l;
  memset(&l, 0, sizeof l);
  strcpy(l.text, c->text);
  for (role = 0; role < ROLE_COUNT; role++) {
    l.slot[role] = cell_slot(c, role);
    if (!cell_is_given(c, role)) continue;
    l.shift[role] = (uint64_t)(role <= ROLE_in2 ? c->in_offset : role == ROLE_out ? c->out_offset : 0);
    l.stride[role] = round_up(cell_bytes(c, role, c->n) + l.shift[role] + 16, 256);
    if (l.stride[role] > most) most = l.stride[role];
  }
  l.sets = most < least ? least / most : 1; // enough that a rotation leaves nothing of an earlier turn in the cache
  return &l;
}
static uint64_t set_count(const cell *c) { return layout_of(c)->sets; }

// Repeats the first `done` bytes over `bytes` bytes.
static void repeat(uint64_t at, uint64_t done, uint64_t bytes) {
  for (; done && done < bytes; done *= 2)
    must(cuda.copy(at + done, at, done < bytes - done ? done : bytes - done, NULL), "cuMemcpyDtoDAsync");
}

// gp_data_elements by several threads: one thread would take a second for 1 GiB of keys.
typedef struct some_elements {
  const type_row *type;
  const cell_data *data;
  uint64_t seed, first, some, count;
  char *out;
} some_elements;
static void *make_some(void *given) {
  const some_elements *e = (const some_elements *)given;
  const type_row *t = e->type;
  gp_data_elements(
      t->number, t->size, t->fields, e->data->kind, e->data->parameter, e->seed, e->first, e->some, e->count, e->out);
  return NULL;
}
static void make_elements(const some_elements *e) {
  enum { LEAST = 1 << 18 }; // of a thread
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t parts = online < 1 ? 1 : online > MAKERS ? MAKERS : (uint64_t)online, at = 0, k;
  some_elements work[MAKERS];
  pthread_t threads[MAKERS];
  int begun[MAKERS];
  if (parts > e->some / LEAST) parts = e->some / LEAST ? e->some / LEAST : 1;
  for (k = 0; k < parts; k++) {
    const uint64_t end = k + 1 < parts ? e->some / parts * (k + 1) : e->some;
    work[k] = *e;
    work[k].first += at;
    work[k].some = end - at;
    work[k].out += at * (uint64_t)e->type->size;
    begun[k] = k + 1 < parts && !pthread_create(&threads[k], NULL, make_some, &work[k]);
    if (!begun[k]) make_some(&work[k]);
    at = end;
  }
  for (k = 0; k < parts; k++)
    if (begun[k]) pthread_join(threads[k], NULL);
}

// Copies `some` of `count` elements, from the first on, to the device: one piece of page-locked memory is filled while
// the other is copied. (Separate memory of 256 MiB took three times as long for its first touch as for the data.)
static void send_elements(
    uint64_t to, const type_row *type, const cell_data *data, uint64_t seed, uint64_t some, uint64_t count) {
  enum { PIECE = 32 << 20 };
  static void *pieces[2], *copied[2];
  const uint64_t most = PIECE / (uint64_t)type->size;
  some_elements e = {type, data, seed, 0, 0, count, NULL};
  int k;
  for (k = 0; k < 2 && !pieces[k]; k++) {
    must(cuda.host_alloc(&pieces[k], PIECE), "cuMemAllocHost");
    must(cuda.event_create(&copied[k], 0), "cuEventCreate");
  }
  for (k = 0; e.first < some; e.first += e.some, k = !k) {
    e.some = some - e.first < most ? some - e.first : most;
    e.out = (char *)pieces[k];
    must(cuda.event_wait(copied[k]), "cuEventSynchronize");
    make_elements(&e);
    must(cuda.to_device_async(to + e.first * (uint64_t)type->size, e.out, e.some * (uint64_t)type->size, stream),
        "cuMemcpyHtoDAsync");
    must(cuda.event_record(copied[k], stream), "cuEventRecord");
  }
  must(cuda.stream_wait(stream), "cuStreamSynchronize");
}

// Sums use the small numbers that the pools hold anyway. Keys of runs, flags, offsets, boundaries, compared and counted
// elements are written: equal in every set, and random data repeats, except sorted keys.
static int is_any_number(const cell *c, int role) {
  const gp_primitive p = c->primitive;
  return p < GP_SEGMENTED_REDUCE ||
      (role == ROLE_in && !has_word(p, 'e') && !has_word(p, 'b') && !has_word(p, 'h') && !is_select(p));
}
// Pointers lead to buffers of their own set.
static void write_pointers(const cell *c, int role, int target) {
  const layout *l = layout_of(c);
  const uint64_t bytes = cell_bytes(c, role, c->n);
  void *made = malloc(bytes + 1);
  uint64_t set;
  if (!made) fatal("no memory for %llu bytes", (unsigned long long)bytes);
  for (set = 0; set < l->sets; set++) {
    const uint64_t at = pools[target].at + set * l->stride[target] + l->shift[target];
    cell_make_input(c, role, c->n, made);
    cell_point(c, role, c->n, made, (const void *)(uintptr_t)at);
    to_device(pools[role].at + set * l->stride[role] + l->shift[role], made, bytes);
  }
  must(cuda.synchronize(), "cuCtxSynchronize");
  free(made);
}
static void write_input(const cell *c, int role) {
  enum { MOST = 1 << 20 };
  const layout *l = layout_of(c);
  const type_row *t = cell_type(c, role);
  const uint64_t count = cell_count(c, role, c->n), bytes = cell_bytes(c, role, c->n);
  const uint64_t at = pools[role].at + l->shift[role];
  const int target = cell_target(c, role);
  cell_data data;
  const int random = cell_data_of(c, role, c->kind, &data) && !gp_data_has_place(data.kind) &&
      !(moves_keys(c->primitive) && role == ROLE_keys);
  const uint64_t some = random && count > MOST ? MOST : count;
  if (target >= 0) {
    write_pointers(c, role, target);
    return;
  }
  if (cell_data_of(c, role, c->kind, &data)) send_elements(at, t, &data, (uint64_t)(3 + role), some, count);
  else {
    char *made = malloc(some * (uint64_t)t->size + 1);
    if (!made) fatal("no memory for %llu bytes", (unsigned long long)bytes);
    cell_make_input(c, role, c->n, made);
    to_device(at, made, some * (uint64_t)t->size);
    free(made);
  }
  repeat(at, some * (uint64_t)t->size, bytes);
  repeat(pools[role].at, l->stride[role], l->sets * l->stride[role]);
  must(cuda.synchronize(), "cuCtxSynchronize");
}

static char written[256]; // the cell of the pools' inputs; "": small numbers
static void reserve_pools(const cell *c) {
  const layout *l = layout_of(c);
  int role, special = 0;
  for (role = 0; role < FIRST_OUTPUT; role++) special |= l->stride[role] && !is_any_number(c, role);
  for (role = 0; role < FIRST_OUTPUT && !special && *written; role++) pools[role].bytes = 0; // small numbers again
  for (role = 0; role < ROLE_COUNT; role++)
    if (l->stride[role]) reserve(&pools[role], l->sets * l->stride[role]);
  if (special && strcmp(written, c->text))
    for (role = 0; role < FIRST_OUTPUT; role++)
      if (l->stride[role] && !is_any_number(c, role)) write_input(c, role);
  strcpy(written, special ? c->text : "");
}

static gp_call call_on(const cell *c, const variant *v, const uint64_t *buffers) {
  const layout *l = layout_of(c);
  gp_call call = cell_call(&types, c, v->has_policy ? &v->policy : NULL);
  int role;
  for (role = 0; role < ROLE_COUNT; role++) {
    if (l->slot[role]) cell_put(c, &call, role, l->slot[role], (void *)(uintptr_t)(buffers[role] + l->shift[role]));
  }
  return call;
}

static gp_call call_on_set(const cell *c, const variant *v, uint64_t set) {
  const layout *l = layout_of(c);
  uint64_t buffers[ROLE_COUNT];
  int role;
  for (role = 0; role < ROLE_COUNT; role++) buffers[role] = pools[role].at + set * l->stride[role];
  return call_on(c, v, buffers);
}

static double bytes_of_call(const cell *c) { return moved_bytes(c, c->n); }
static const char *parse_policy_of(const char *text, variant *v) { return parse_policy(text, &v->policy); }

// A library result's meaning for the variant. After a device fault nothing runs any more.
static int judge(variant *v, gp_result result) {
  if (result == GP_SUCCESS) return 1;
  v->status = result == GP_E_COMPILE || result == GP_E_NO_COMPILER ? "compile"
      : result == GP_E_DRIVER ? "runtime"
      : "invalid";
  snprintf(v->message, sizeof v->message, "%s: %.500s", gp_result_name(result), gp_last_message());
  return 0;
}
static int judge_driver(variant *v, int code, const char *what) {
  const char *name = "?";
  if (!code) return 1;
  cuda.error_name(code, &name);
  v->status = "runtime";
  snprintf(v->message, sizeof v->message, "%s: %s (%d)", what, name, code);
  return 0;
}

// ---- batches --------------------------------------------------------------------------------------------------------

// A pair of events around every batch; read when all are done.
typedef struct batch {
  void *from, *to;
  variant *v;
  int calls;
} batch;
static batch *batches;
static int batch_count, batch_room;
static double gpu_us; // of this job, by the events

static batch *begin_batch(variant *v) {
  batch *b;
  if (batch_count == batch_room) {
    batches = realloc(batches, (size_t)(batch_room + 256) * sizeof *batches);
    if (!batches) fatal("no memory");
    for (; batch_room < batch_count + 256; batch_room++) {
      must(cuda.event_create(&batches[batch_room].from, 0), "cuEventCreate");
      must(cuda.event_create(&batches[batch_room].to, 0), "cuEventCreate");
    }
  }
  b = &batches[batch_count];
  b->v = v;
  b->calls = 0;
  return judge_driver(v, cuda.event_record(b->from, stream), "cuEventRecord") ? b : NULL;
}

// ---- verifying ------------------------------------------------------------------------------------------------------

// The host back end's result for a cell's verification data; on the device, between guard zones.
typedef struct reference {
  struct reference *next;
  cell cell; // with the count that is verified
  uint64_t inputs[ROLE_COUNT], out[ROLE_COUNT], expected[ROLE_COUNT]; // after a guard zone; 0: none
} reference;
static reference *references;

// Policies that were verified, and their echoes: "cell without its count|policy".
typedef struct verified {
  struct verified *next;
  char *key;
  char echo[256];
} verified;
static verified *verified_slots[4096];

static verified *find_verified(const char *key, int make) {
  uint64_t h = 0;
  const char *at;
  verified *v;
  for (at = key; *at; at++) h = gp_data_hash(h ^ (unsigned char)*at);
  for (v = verified_slots[h % 4096]; v && strcmp(v->key, key); v = v->next) {}
  if (v || !make) return v;
  v = calloc(1, sizeof *v);
  if (!v || !(v->key = strdup(key))) fatal("no memory");
  v->next = verified_slots[h % 4096];
  verified_slots[h % 4096] = v;
  return v;
}

static uint64_t upload(const void *bytes, uint64_t count) {
  uint64_t at = 0;
  must(cuda.alloc(&at, count + 2 * GUARD), "cuMemAlloc");
  if (bytes) to_device(at + GUARD, bytes, count);
  return at;
}

// An input for verification: numbers with exact sums.
static void *numbers(const cell *c, int role) {
  const type_row *t = cell_type(c, role);
  const int kind = t->number > GP_DATA_UINT && folds(c->primitive) ? GP_DATA_SMALL : GP_DATA_UNIFORM;
  const uint64_t count = cell_count(c, role, c->n);
  cell_data d;
  char *data = aligned_alloc(64, round_up(count * (uint64_t)t->size + 1, 64));
  if (!data) fatal("no memory");
  if (!cell_data_of(c, role, kind, &d)) cell_make_input(c, role, c->n, data);
  else
    gp_data_elements(
        t->number, t->size, t->fields, d.kind, d.parameter, 11 + 12 * (uint64_t)role, 0, count, count, data);
  return data;
}

// The verified cell: c with another count.
static cell verified_cell(const cell *c) {
  const int size = c->in->size > c->out->size ? c->in->size : c->out->size;
  cell small = *c;
  small.n = VERIFIED_BYTES / (uint64_t)size - 37;
  // Some algorithms take few keys only: verify the cell's own count. A merge sort of integers is a radix sort.
  if ((c->primitive == GP_SORT || c->primitive == GP_MERGE_SORT) && c->n < 1 << 21) small.n = c->n;
  small.protocol = COLD;
  if (has_word(c->primitive, 's')) {
    if (c->form == FORM_FIXED && small.segments_mean > small.n) small.n = small.segments_mean;
    small.segments = cell_make_offsets(&small, small.n, NULL);
  }
  cell_text(&small, small.text, sizeof small.text);
  return small;
}

static const reference *find_reference(const cell *c) {
  const cell small = verified_cell(c);
  const reference *r;
  for (r = references; r && strcmp(r->cell.text, small.text); r = r->next) {}
  return r;
}

static void verified_key(const reference *r, const gp_policy *p, char *key, size_t room) {
  char policy[256];
  policy_text(p, policy, sizeof policy);
  snprintf(key, room, "%s|%s", r->cell.text, policy);
}

static const reference *reference_of(const cell *c) {
  const reference *known = find_reference(c);
  const cell small = verified_cell(c);
  reference *r;
  gp_call call;
  void *made[ROLE_COUNT] = {NULL};
  int role;
  if (known) return known;
  if (!(r = calloc(1, sizeof *r))) fatal("no memory");
  r->cell = small;
  call = cell_call(&host_types, &small, NULL);
  for (role = 0; role < ROLE_COUNT; role++) {
    const uint64_t bytes = cell_bytes(&small, role, small.n);
    if (!cell_is_given(&small, role)) continue;
    if (role < FIRST_OUTPUT) made[role] = numbers(&small, role);
    else {
      made[role] = aligned_alloc(64, round_up(bytes + 1, 64));
      if (!made[role]) fatal("no memory");
      memset(made[role], PATTERN, bytes); // the rest after compacted results is not written
    }
    cell_bind(&small, &call, role, made[role]);
  }
  for (role = 0; role < FIRST_OUTPUT; role++)
    if (cell_target(&small, role) >= 0) cell_point(&small, role, small.n, made[role], made[cell_target(&small, role)]);
  if (gp_run(host, &call, NULL)) fatal("the host back end on %s: %s", small.text, gp_last_message());
  for (role = 0; role < ROLE_COUNT; role++) {
    const uint64_t bytes = cell_bytes(&small, role, small.n);
    if (!made[role]) continue;
    if (role < FIRST_OUTPUT) r->inputs[role] = upload(made[role], bytes);
    else {
      r->expected[role] = upload(made[role], bytes);
      r->out[role] = upload(NULL, bytes);
      must(cuda.set8(r->expected[role], PATTERN, GUARD, stream), "cuMemsetD8Async");
      must(cuda.set8(r->expected[role] + GUARD + bytes, PATTERN, GUARD, stream), "cuMemsetD8Async");
    }
  }
  for (role = 0; role < FIRST_OUTPUT; role++) { // of the device's buffers, now that these are known
    const int target = cell_target(&small, role);
    const uint64_t at = target < 0 ? 0 : (target < FIRST_OUTPUT ? r->inputs[target] : r->out[target]) + GUARD;
    if (target < 0) continue;
    cell_make_input(&small, role, small.n, made[role]);
    cell_point(&small, role, small.n, made[role], (const void *)(uintptr_t)at);
    to_device(r->inputs[role] + GUARD, made[role], cell_bytes(&small, role, small.n));
  }
  must(cuda.synchronize(), "cuCtxSynchronize"); // a copy from pageable memory may still be under way
  for (role = 0; role < ROLE_COUNT; role++) free(made[role]);
  r->next = references;
  references = r;
  return r;
}

// Returns whether `bytes` bytes differ: an exclusive or of both, then an or-reduction, by this library on the portable
// row. open_device has tested this function. Negative: the driver failed.
static int differ(uint64_t a, uint64_t b, uint64_t bytes, variant *v) {
  const int by_words = bytes % 4 == 0;
  gp_call call = gp_call_init(GP_TRANSFORM2);
  uint32_t result = 0;
  reserve(&difference, bytes + 512);
  call.op = GP_BIT_XOR;
  call.in_type = call.out_type = by_words ? GP_U32 : GP_U8;
  call.in = (const void *)(uintptr_t)a;
  call.in2 = (const void *)(uintptr_t)b;
  call.out = (void *)(uintptr_t)(difference.at + 256);
  call.count = by_words ? bytes / 4 : bytes;
  if (!judge(v, gp_run(ctx, &call, stream))) return -1;
  call = gp_call_init(GP_REDUCE);
  call.op = GP_BIT_OR;
  call.in_type = by_words ? GP_U32 : GP_U8;
  call.out_type = by_words ? GP_U32 : GP_U8;
  call.in = (const void *)(uintptr_t)(difference.at + 256);
  call.out = (void *)(uintptr_t)difference.at;
  call.count = by_words ? bytes / 4 : bytes;
  if (!judge(v, gp_run(ctx, &call, stream))) return -1;
  if (!judge_driver(v, cuda.stream_wait(stream), "a kernel")) return -1;
  if (!judge_driver(v, cuda.to_host(&result, difference.at, by_words ? 4 : 1), "cuMemcpyDtoH")) return -1;
  return result != 0;
}

// Tests the comparison: it must see one differing byte anywhere, and none if none differs.
static void check_differ(void) {
  enum { BYTES = 100003 };
  const uint64_t a = upload(NULL, BYTES), b = upload(NULL, BYTES);
  variant v;
  int round;
  memset(&v, 0, sizeof v);
  must(cuda.set8(a, 7, BYTES, stream), "cuMemsetD8Async");
  must(cuda.set8(b, 7, BYTES, stream), "cuMemsetD8Async");
  for (round = 0; round < 4; round++) {
    const uint64_t bytes = round < 2 ? BYTES : BYTES - 3, at = round % 2 ? bytes - 1 : bytes / 3;
    if (differ(a, b, bytes, &v)) fatal("equal bytes are found to differ (%s)", v.message);
    must(cuda.set8(b + at, 8, 1, stream), "cuMemsetD8Async");
    if (differ(a, b, bytes, &v) != 1) fatal("a byte that differs is not found (%s)", v.message);
    must(cuda.set8(b + at, 7, 1, stream), "cuMemsetD8Async");
  }
  must(cuda.free_(a), "cuMemFree");
  must(cuda.free_(b), "cuMemFree");
}

static uint64_t guarded_bytes(const reference *r, int role) {
  return cell_bytes(&r->cell, role, r->cell.n) + 2 * GUARD;
}

// Loads the variant's kernel, reads its echo, and checks its output unless that was done before.
static int verify(const cell *c, variant *v) {
  const reference *r = unverified ? NULL : reference_of(c);
  char key[600];
  gp_policy resolved, echoed;
  gp_call call = call_on_set(c, v, 0);
  verified *known;
  batch *b;
  uint64_t buffers[ROLE_COUNT];
  int result = 0, role;
  if (!judge(v, gp_policy_origin(ctx, &call, &resolved, &v->source))) return 0;
  if (r) {
    verified_key(r, &resolved, key, sizeof key);
    known = find_verified(key, 0);
    if (known) {
      strcpy(v->echo, known->echo);
      return 1;
    }
  }
  if (!judge(v, gp_policy_echo(ctx, &call, &echoed))) return 0;
  kernels_loaded++;
  policy_text(&echoed, v->echo, sizeof v->echo);
  if (!r) return 1;
  for (role = FIRST_OUTPUT; role < ROLE_COUNT; role++)
    if (r->out[role] &&
        !judge_driver(v, cuda.set8(r->out[role], PATTERN, guarded_bytes(r, role), stream), "cuMemsetD8Async"))
      return 0;
  {
    variant resolved_variant = *v; // the policy of the cell's count, not that of this one
    resolved_variant.has_policy = 1;
    resolved_variant.policy = resolved;
    for (role = 0; role < ROLE_COUNT; role++)
      buffers[role] = (role < FIRST_OUTPUT ? r->inputs[role] : r->out[role]) + GUARD;
    call = call_on(&r->cell, &resolved_variant, buffers);
    call.policy = &resolved;
    if (!(b = begin_batch(v)) || !judge(v, gp_run(ctx, &call, stream))) return 0;
    b->calls = 1;
    batch_count++;
    if (!judge_driver(v, cuda.event_record(b->to, stream), "cuEventRecord")) return 0;
  }
  for (role = FIRST_OUTPUT; role < ROLE_COUNT && !result; role++)
    if (r->out[role]) result = differ(r->out[role], r->expected[role], guarded_bytes(r, role), v);
  if (result > 0) {
    v->status = "wrong";
    snprintf(v->message, sizeof v->message, "the output of %s differs from the host's", r->cell.text);
  }
  if (result) return 0;
  strcpy(find_verified(key, 1)->echo, v->echo);
  return 1;
}

static int call_library(const cell *c, variant *v, uint64_t set) {
  const gp_call call = call_on_set(c, v, set);
  return judge(v, gp_run(ctx, &call, stream));
}

static int load_library(const cell *c, const variant *v) {
  const layout l = *layout_of(c);
  const reference *r = find_reference(c);
  gp_call call = cell_call(&types, c, v->has_policy ? &v->policy : NULL); // without pointers: best alignment
  gp_policy resolved;
  gp_policy_source source;
  char key[600];
  int role;
  if (c->in_offset || c->out_offset || gp_prepare(ctx, &call) || !r || *written ||
      gp_policy_origin(ctx, &call, &resolved, &source))
    return 0;
  for (role = 0; role < ROLE_COUNT; role++)
    if (l.stride[role] &&
        (pools[role].bytes < l.sets * l.stride[role] || (role < FIRST_OUTPUT && !is_any_number(c, role))))
      return 0;
  verified_key(r, &resolved, key, sizeof key);
  return find_verified(key, 0) != NULL;
}

static const subject library_subject = {
    parse_cell, parse_policy_of, bytes_of_call, reserve_pools, set_count, verify, call_library, load_library, NULL, 0};

// ---- graphs ---------------------------------------------------------------------------------------------------------

static int graph_error; // the driver's state for later calls; then nothing more is read
static void *graph_allocate(uint64_t bytes);
static void graph_release(void *at) { must(cuda.free_((uint64_t)(uintptr_t)at), "cuMemFree"); }
static void graph_to_host(void *out, const void *in, size_t bytes) {
  memset(out, 0, bytes);
  if (!graph_error) graph_error = cuda.stream_wait(stream);
  if (!graph_error) graph_error = cuda.to_host(out, (uint64_t)(uintptr_t)in, bytes);
}
static void graph_fill(void *at, int byte, size_t bytes) {
  if (!graph_error) graph_error = cuda.set8((uint64_t)(uintptr_t)at, (unsigned char)byte, bytes, stream);
}
static const search_memory graph_memory = {graph_allocate, graph_release, graph_to_host, graph_fill};

static struct {
  char text[256]; // of the cell
  searches s;
} graphs[GRAPHS_KEPT];
static int graph_count;

static void drop_graphs(void) {
  must(cuda.synchronize(), "cuCtxSynchronize");
  while (graph_count) searches_drop(&graphs[--graph_count].s);
}
static void *graph_allocate(uint64_t bytes) {
  uint64_t at = 0;
  if (cuda.alloc(&at, bytes ? bytes : 16)) {
    drop_graphs();
    must(cuda.alloc(&at, bytes ? bytes : 16), "cuMemAlloc");
  }
  return (void *)(uintptr_t)at;
}

// Makes the cell's graph on the device unless it is there.
static searches *searches_of(const cell *c) {
  const char *why;
  searches made;
  int i;
  for (i = 0; i < graph_count; i++)
    if (!strcmp(graphs[i].text, c->text)) return &graphs[i].s;
  if (graph_count == GRAPHS_KEPT) drop_graphs();
  memset(&made, 0, sizeof made);
  made.memory = &graph_memory;
  made.primitive = c->primitive;
  made.made = c->made;
  made.g = c->graph;
  made.sources = made.at_once = c->at_once ? c->at_once : SEARCHES;
  if (searches_make(&made, ctx, stream, &why)) fatal("%s: %s", c->text, gp_last_message());
  must(graph_error, "building a graph");
  if (why) fatal("%s: %s", c->text, why);
  strcpy(graphs[graph_count].text, c->text); // room was dropped or not: a slot is free
  graphs[graph_count].s = made;
  return &graphs[graph_count++].s;
}
static void reserve_graph(const cell *c) { (void)searches_of(c); }
static uint64_t searches_count(const cell *c) { return (uint64_t)searches_of(c)->calls; }

static gp_call graph_call(const cell *c, const variant *v, int number) {
  gp_call call = searches_call(searches_of(c), number);
  call.policy = v->has_policy ? &v->policy : NULL;
  return call;
}

// Launch arguments are not compiled in, and kernels do not echo them.
static int echo_search(const gp_call *call, variant *v, const gp_policy *resolved) {
  const size_t compiled = offsetof(gp_policy, alpha);
  gp_policy echoed = *resolved;
  if (gp__family_of(call->primitive) == GP__FAMILY_GRAPH) {
    if (!judge(v, gp_policy_echo(ctx, call, &echoed))) return 0;
    memcpy((char *)&echoed + compiled, (const char *)resolved + compiled, sizeof echoed - compiled);
  }
  policy_text(&echoed, v->echo, sizeof v->echo);
  return 1;
}

// Verifies with the library's own validators, on the cell's graph, from the first sources.
static int verify_graph(const cell *c, variant *v) {
  searches *s = searches_of(c);
  gp_call call = graph_call(c, v, 0);
  gp_policy resolved;
  verified *known;
  char key[600], policy[256];
  int i;
  if (!judge(v, gp_policy_origin(ctx, &call, &resolved, &v->source))) return 0;
  policy_text(&resolved, policy, sizeof policy);
  snprintf(key, sizeof key, "%s|%s", c->text, policy);
  known = find_verified(key, 0);
  if (known) {
    strcpy(v->echo, known->echo);
    return 1;
  }
  if (!echo_search(&call, v, &resolved)) return 0;
  kernels_loaded++;
  if (unverified) return 1;
  for (i = 0; i < s->calls && i < 2; i++) {
    const char *why;
    const gp_result result = searches_check(s, ctx, stream, graph_call(c, v, i), i, &why);
    if (!judge(v, result) || !judge_driver(v, graph_error, "a kernel")) return 0;
    if (!why) continue;
    v->status = "wrong";
    snprintf(v->message, sizeof v->message, "call %d of %.200s: %.300s", i, c->text, why);
    return 0;
  }
  strcpy(find_verified(key, 1)->echo, v->echo);
  return 1;
}
static int call_graph(const cell *c, variant *v, uint64_t set) {
  const gp_call call = graph_call(c, v, (int)set);
  return judge(v, gp_run(ctx, &call, stream));
}
static int load_graph(const cell *c, const variant *v) {
  const gp_call call = cell_call(&types, c, v->has_policy ? &v->policy : NULL); // its graph may be gone
  (void)gp_prepare(ctx, &call);
  return 0;
}

static const subject graph_subject = {parse_cell, parse_policy_of, bytes_of_call, reserve_graph, searches_count,
    verify_graph, call_graph, load_graph, NULL, 1};

// Measures a cell of the library.
static const subject *subject_of(const cell *c) {
  if (on == &library_subject && is_of_graph(c->primitive)) return &graph_subject;
  return on;
}

// ---- a kernel of the user's -----------------------------------------------------------------------------------------

static kernel_file file;
static const gp_tune_kernel *kernel;

// "kernel NAME n=COUNT protocol=NAME"
static const char *parse_kernel_cell(const char *text, cell *c) {
  static char reason[300];
  char name[64], n[32], protocol[32];
  memset(c, 0, sizeof *c);
  if (sscanf(text, "kernel %63s n=%31s protocol=%31s", name, n, protocol) != 3 || strcmp(name, kernel->name) ||
      !parse_size(n, &c->n) || (c->protocol = FIND_NAME(protocol, PROTOCOL_NAMES)) < 0 || c->protocol == FIRST_CALL) {
    snprintf(reason, sizeof reason,
        "a cell of this kernel is: kernel %s n=COUNT protocol=cold|back_to_back|graph|cold_graph", kernel->name);
    return reason;
  }
  snprintf(c->text, sizeof c->text, "%s", text);
  return NULL;
}

static const char *parse_kernel_policy(const char *text, variant *v) { return kernel_values(&file, text, v->numbers); }

static double kernel_moved(const cell *c) { return (double)kernel->moved(c->n); }

// A set is all buffers in a row, each after a guard zone. It has room for every layout of an array, so that all
// variants' buffers begin at the same places.
static uint64_t buffer_stride(int buffer, uint64_t n) {
  static uint64_t last_n[8], last[8]; // asked for at each launch
  if (!last[buffer] || last_n[buffer] != n) {
    last[buffer] = round_up(kernel_most_bytes(&file, kernel, buffer, n), 256) + GUARD;
    last_n[buffer] = n;
  }
  return last[buffer];
}
static uint64_t buffers_stride(uint64_t n) {
  uint64_t sum = GUARD;
  int i;
  for (i = 0; i < kernel->buffers; i++) sum += buffer_stride(i, n);
  return sum;
}

static void reserve_kernel(const cell *c) {
  const uint64_t least = 8 * cache_bytes(), set = buffers_stride(c->n);
  reserve(&pools[ROLE_in], set > least ? set : least);
}

static uint64_t kernel_sets(const cell *c) {
  const uint64_t sets = pools[ROLE_in].bytes / buffers_stride(c->n);
  return sets ? sets : 1;
}

static int launch_kernel(variant *v, uint64_t at, uint64_t n) {
  void *parameters[9];
  kernel_buffer buffers[8];
  gp_cuda_launch l;
  int i;
  at += GUARD;
  for (i = 0; i < kernel->buffers; i++) {
    kernel_buffer_of(kernel, i, n, v->numbers, &buffers[i]);
    buffers[i].array.base = (void *)(uintptr_t)at; // plain memory: the pointer
    parameters[i] = buffers[i].is_array ? (void *)&buffers[i].array : (void *)&buffers[i].array.base;
    at += buffer_stride(i, n);
  }
  parameters[kernel->buffers] = &n;
  memset(&l, 0, sizeof l);
  l.grid[0] = v->launch.blocks;
  l.block[0] = v->launch.threads;
  l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
  l.shared_bytes = v->launch.shared_bytes;
  l.stream = stream;
  return judge_driver(v, cuda.launch(&l, v->function, parameters, NULL), "cuLaunchKernelEx");
}

static int call_kernel(const cell *c, variant *v, uint64_t set) {
  return launch_kernel(v, pools[ROLE_in].at + set * buffers_stride(c->n), c->n);
}

// The host part's fill for a variant: all buffers in a row, as on the device. The caller frees it.
static char *filled(uint64_t n, const variant *v, kernel_buffer buffers[8], void *given[8]) {
  const uint64_t total = buffers_stride(n);
  char *data = malloc(total);
  uint64_t at = GUARD;
  int i;
  if (!data) fatal("no memory for %llu bytes", (unsigned long long)total);
  memset(data, PATTERN, total);
  for (i = 0; i < kernel->buffers; i++) {
    kernel_buffer_of(kernel, i, n, v->numbers, &buffers[i]);
    buffers[i].array.base = data + at;
    given[i] = buffers[i].is_array ? (void *)&buffers[i].array : data + at;
    kernel->fill(i, given[i], n);
    at += buffer_stride(i, n);
  }
  return data;
}

// A kernel's time may depend on its data, so every batch of every variant begins with the host part's fill in the
// variant's layouts. Another variant's leftovers would be nonsense in these layouts. The fills of one size stay on the
// device.
typedef struct original {
  struct original *next;
  uint64_t n, layouts[8], bytes[8], at;
} original;
static original *originals;

static void drop_originals(void) {
  while (originals) {
    original *o = originals;
    originals = o->next;
    must(cuda.free_(o->at), "cuMemFree");
    free(o);
  }
}
static const original *original_of(uint64_t n, const variant *v) {
  original *o, wanted;
  kernel_buffer buffers[8];
  void *given[8];
  char *data;
  int i;
  memset(&wanted, 0, sizeof wanted);
  wanted.n = n;
  for (i = 0; i < kernel->buffers; i++) {
    kernel_buffer_of(kernel, i, n, v->numbers, &buffers[i]);
    if (buffers[i].is_array) wanted.layouts[i] = buffers[i].array.layout;
    wanted.bytes[i] = buffers[i].bytes;
  }
  for (o = originals; o; o = o->next)
    if (o->n == n && !memcmp(o->layouts, wanted.layouts, sizeof o->layouts) &&
        !memcmp(o->bytes, wanted.bytes, sizeof o->bytes))
      return o;
  must(cuda.synchronize(), "cuCtxSynchronize"); // copies of other fills may be under way
  if (originals && originals->n != n) drop_originals();
  if (cuda.alloc(&wanted.at, buffers_stride(n))) {
    drop_originals();
    must(cuda.alloc(&wanted.at, buffers_stride(n)), "cuMemAlloc");
  }
  data = filled(n, v, buffers, given);
  to_device(wanted.at, data, buffers_stride(n));
  must(cuda.synchronize(), "cuCtxSynchronize");
  free(data);
  o = malloc(sizeof *o);
  if (!o) fatal("no memory");
  *o = wanted;
  o->next = originals;
  return originals = o;
}
static int restore_kernel(const cell *c, variant *v) {
  const original *o = original_of(c->n, v);
  const uint64_t stride = buffers_stride(c->n), at = pools[ROLE_in].at, all = kernel_sets(c);
  // Graphs rotate through the same few sets; a cold call meets a set that the cache no longer holds.
  const uint64_t calls = (uint64_t)calls_of_graph(c, all);
  const uint64_t sets = c->protocol == BACK_TO_BACK ? 1 : is_replayed(c) && all > calls ? calls : all;
  uint64_t set;
  for (set = 0; set < sets; set++)
    if (!judge_driver(v, cuda.copy(at + set * stride, o->at, stride, stream), "cuMemcpyDtoDAsync")) return 0;
  return 1;
}

// Runs it on the host part's fill; the host part checks the outputs, the worker the guard zones.
static int check_kernel(uint64_t n, variant *v) {
  const uint64_t total = buffers_stride(n);
  void *given[8];
  kernel_buffer buffers[8];
  char *data = filled(n, v, buffers, given);
  const char *said = NULL;
  uint64_t at, k;
  int i, good;
  to_device(pools[ROLE_in].at, data, total);
  must(cuda.synchronize(), "cuCtxSynchronize");
  good = launch_kernel(v, pools[ROLE_in].at, n) && judge_driver(v, cuda.stream_wait(stream), "the kernel") &&
      judge_driver(v, cuda.to_host(data, pools[ROLE_in].at, total), "cuMemcpyDtoH");
  if (good) {
    said = kernel->check(given, n);
    for (i = -1, at = 0; i < kernel->buffers && !said; i++) {
      const uint64_t end = i < 0 ? GUARD : at + buffer_stride(i, n);
      for (k = i < 0 ? 0 : at + buffers[i].bytes; k < end; k++)
        if (data[k] != (char)PATTERN) said = "it wrote outside its buffers";
      at = end;
    }
    if (said) {
      v->status = "wrong";
      snprintf(v->message, sizeof v->message, "%.500s", said);
    }
  }
  free(data);
  return good && !said;
}

// The module stays loaded until the process ends.
static int verify_kernel(const cell *c, variant *v) {
  int echoed[KERNEL_FIELDS], i;
  char key[400];
  variant small; // for the check
  uint64_t n = c->n;
  gp__image image;
  void *module = NULL;
  uint64_t from = 0;
  size_t bytes = 0;
  verified *known; // by the policy: the function's address; by count and policy: verified
  const char *reason = v->has_policy ? NULL : kernel_values(&file, "default", v->numbers);
  if (reason) fatal("%s", reason);
  v->source = v->has_policy ? GP_POLICY_CALLER : GP_POLICY_PORTABLE;
  memset(&v->launch, 0, sizeof v->launch);
  v->launch.field = v->numbers;
  v->launch.n = c->n;
  v->launch.multiprocessors = device.multiprocessors;
  if (!kernel->launch(&v->launch) || !v->launch.blocks || !v->launch.threads) {
    v->status = "invalid";
    snprintf(v->message, sizeof v->message, "%s: these fields exclude each other", file.path);
    return 0;
  }
  for (i = 0; i < kernel->buffers; i++) {
    kernel_buffer b;
    reason = kernel_buffer_of(kernel, i, c->n, v->numbers, &b);
    if (!reason && b.bytes + GUARD > buffer_stride(i, c->n)) reason = "an array depends on two fields at once";
    if (!reason) continue;
    v->status = "invalid";
    snprintf(v->message, sizeof v->message, "%s: buffer %d: %.400s", file.path, i, reason);
    return 0;
  }
  kernel_text(&file, v->numbers, v->echo, sizeof v->echo);
  known = find_verified(v->echo, 0);
  if (!known) {
    memset(&image, 0, sizeof image);
    if (!judge(v, kernel_image(ctx, &file, v->numbers, device.compute_capability, &image))) return 0;
    i = cuda.module_load(&module, image.data);
    free(image.owned);
    if (!judge_driver(v, i, "cuModuleLoadData") ||
        !judge_driver(v, cuda.module_function(&v->function, module, kernel->name), "cuModuleGetFunction") ||
        !judge_driver(v, cuda.module_global(&from, &bytes, module, "gp__echo"), "cuModuleGetGlobal") ||
        !judge_driver(v, cuda.to_host(echoed, from, sizeof(int) * (size_t)file.count), "cuMemcpyDtoH"))
      return 0;
    if (memcmp(echoed, v->numbers, sizeof(int) * (size_t)file.count)) {
      v->status = "wrong";
      snprintf(v->message, sizeof v->message, "the machine code was compiled for other fields");
      return 0;
    }
    if (v->launch.shared_bytes > 48 * 1024 &&
        !judge_driver(v,
            cuda.function_attribute(v->function, GP_CUDA_DYNAMIC_SHARED_BYTES, (int)v->launch.shared_bytes),
            "cuFuncSetAttribute"))
      return 0;
    known = find_verified(v->echo, 1);
    snprintf(known->echo, sizeof known->echo, "%p", v->function);
  }
  if (sscanf(known->echo, "%p", &v->function) != 1) fatal("a function was lost");
  // Checks at a size with a ragged end, small enough for the host part's check to be quick.
  while (buffers_stride(n) > VERIFIED_BYTES) n = n / 2 - 1;
  small = *v;
  small.launch.field = small.numbers;
  small.launch.n = n;
  if (!kernel->launch(&small.launch) || !small.launch.blocks) {
    small = *v;
    small.launch.n = n = c->n;
  }
  snprintf(key, sizeof key, "%llu|%s", (unsigned long long)n, v->echo);
  if (unverified || find_verified(key, 0)) return 1;
  if (!check_kernel(n, &small)) {
    v->status = small.status;
    strcpy(v->message, small.message);
    return 0;
  }
  find_verified(key, 1);
  return 1;
}

static int load_nothing(const cell *c, const variant *v) {
  (void)c;
  (void)v;
  return 0;
}

static const subject kernel_subject = {parse_kernel_cell, parse_kernel_policy, kernel_moved, reserve_kernel,
    kernel_sets, verify_kernel, call_kernel, load_nothing, restore_kernel, 0};

// ---- timing ---------------------------------------------------------------------------------------------------------

// Evicts the whole L2 cache by a copy of other memory, which leaves clean and dirty lines there, as calls do.
static int empty_cache(variant *v) {
  const uint64_t bytes = 2 * cache_bytes();
  return judge_driver(v, cuda.copy(other_lines.at + bytes, other_lines.at, bytes, stream), "cuMemcpyDtoDAsync");
}

// Launches at least `calls` calls between the events.
static int run_batch(const cell *c, variant *v, int calls, uint64_t *set) {
  const subject *of = subject_of(c);
  const uint64_t sets = c->protocol == BACK_TO_BACK && !of->whole ? 1 : of->sets(c);
  batch *b;
  if (of->restore || of->whole) *set = 0;
  if (of->whole) calls = (int)round_up((uint64_t)calls, sets);
  if (of->restore && !of->restore(c, v)) return 0;
  if (v->graph && is_warm_again(c, sets) && !empty_cache(v)) return 0;
  if (!(b = begin_batch(v))) return 0;
  while (b->calls < calls) {
    if (v->graph) {
      if (!judge_driver(v, cuda.graph_launch(v->graph, stream), "cuGraphLaunch")) return 0;
      b->calls += calls_of_graph(c, sets);
    } else {
      if (!of->call(c, v, *set < sets ? *set : 0)) return 0;
      if (++*set >= sets) *set = 0;
      b->calls++;
    }
  }
  batch_count++;
  return judge_driver(v, cuda.event_record(b->to, stream), "cuEventRecord");
}

static int make_graph(const cell *c, variant *v) {
  const subject *of = subject_of(c);
  const uint64_t sets = of->sets(c);
  void *graph = NULL;
  const int calls = calls_of_graph(c, sets);
  int i, code, good = 1;
  if (!judge_driver(v, cuda.capture_begin(stream, GP_CUDA_CAPTURE_RELAXED), "cuStreamBeginCapture")) return 0;
  for (i = 0; i < calls && good; i++) good = of->call(c, v, (uint64_t)i % sets);
  code = cuda.capture_end(stream, &graph);
  good = good && judge_driver(v, code, "cuStreamEndCapture") &&
      judge_driver(v, cuda.graph_instantiate(&v->graph, graph, 0), "cuGraphInstantiate");
  if (graph) cuda.graph_destroy(graph);
  return good;
}

// Waits, and passes each batch's time to `take`.
static void collect(void (*take)(variant *v, double us)) {
  int i;
  for (i = 0; i < batch_count; i++) {
    batch *b = &batches[i];
    float ms = 0;
    int code = cuda.event_wait(b->to);
    if (!code) code = cuda.event_elapsed(&ms, b->from, b->to);
    if (!judge_driver(b->v, code, "a kernel")) continue;
    gpu_us += (double)ms * 1e3;
    take(b->v, (double)ms * 1e3 / b->calls);
  }
  batch_count = 0;
}

static void take_first(variant *v, double us) { v->first_us = us; }
static void take_round(variant *v, double us) {
  if (v->count < MOST_ROUNDS) v->us[v->count++] = us;
}

// ---- energy ---------------------------------------------------------------------------------------------------------

static int is_ok(const variant *v) { return !strcmp(v->status, "ok"); }
static int is_lost(const variant *v) { return !strcmp(v->status, "runtime"); }

static double window_us; // GPU time of the calls of the last batch
static void take_window(variant *v, double us) { (void)v, window_us = us; }

static int no_energy(variant *v, const char *why) {
  v->status = "invalid";
  snprintf(v->message, sizeof v->message, "%s", why);
  return 0;
}

// A round of an energy objective: microjoules a call, or times microseconds. NVML's counter moves in steps of some
// milliseconds, so a window begins and ends where it moves, and lasts `batch_us` at least. Idle power is part of it.
static int run_energy_round(const job *j, variant *v, uint64_t *set) {
  enum { BATCH_US = 5000, LONGEST = 5 }; // seconds without a step
  const double calls_of_batch = v->first_us > 0 ? BATCH_US / v->first_us : 1;
  const int calls = calls_of_batch < v->calls ? v->calls
      : calls_of_batch > MOST_CALLS ? MOST_CALLS
      : (int)calls_of_batch;
  unsigned long long from = 0, at = 0, read;
  double begun = 0, done = 0, us = 0, moved = seconds_now();
  if (!gp_nvml_energy(&nvml, &at)) return no_energy(v, "NVML has no energy counter on this GPU");
  for (;;) {
    int of_batch;
    if (!run_batch(&j->cell, v, calls, set)) return 0;
    of_batch = batches[batch_count - 1].calls;
    collect(take_window);
    if (!is_ok(v)) return 0;
    if (!gp_nvml_energy(&nvml, &read)) return no_energy(v, "NVML's energy counter does not answer any more");
    if (begun > 0) done += of_batch, us += window_us * of_batch;
    if (read == at) {
      if (seconds_now() - moved > LONGEST) return no_energy(v, "NVML's energy counter does not move");
      continue;
    }
    at = read, moved = seconds_now();
    if (begun == 0) from = at, begun = moved;
    else if ((moved - begun) * 1e6 >= j->batch_us) break;
  }
  if (v->count < MOST_ROUNDS) v->us[v->count++] = (double)(at - from) * 1e3 / done * (j->by_time ? us / done : 1);
  return 1;
}

static void report(const job *j, int number) {
  static const char *const sources[] = {"", "caller", "device", "capability", "class", "portable", "host"};
  const variant *v = &j->variants[number];
  int i;
  printf("variant\tid=%s\tvariant=%d\tstatus=%s\tpolicy=%s\tsource=%s\tcalls=%d\tus=", j->id, number, v->status,
      v->echo, sources[(int)v->source <= (int)GP_POLICY_HOST ? v->source : 0], v->calls);
  if (is_ok(v) && v->abandoned) printf("%.4f", v->first_us);
  else if (is_ok(v))
    for (i = 0; i < v->count; i++) printf("%s%.4f", i ? "," : "", v->us[i]);
  printf("\tmessage=");
  line_value(stdout, v->message);
  printf("\n");
}

// While the GPU works on this job's rounds: loads the next job's kernels and captures its graphs.
static void load_ahead(job *next) {
  int i;
  for (i = 0; next && !next->bad && i < next->count; i++) {
    variant *v = &next->variants[i];
    if (is_ok(v) && subject_of(&next->cell)->load(&next->cell, v) && is_replayed(&next->cell))
      make_graph(&next->cell, v);
  }
}

// Reports a job's variants. After a lost context it reports the failed ones, and the worker ends.
static void end_job(const job *j, gp_nvml_sample before, double start, int lost) {
  const gp_nvml_sample after = gp_nvml_read(&nvml);
  int i;
  for (i = 0; i < j->count; i++) {
    if (lost && is_ok(&j->variants[i])) continue; // the costs of another's fault are unknown: it is asked for again
    report(j, i);
  }
  if (lost) {
    fflush(stdout);
    _exit(CONTEXT_LOST);
  }
  say("done",
      "id=%s\tsm_mhz=%lld,%lld\tmemory_mhz=%lld\tcelsius=%lld\tmilliwatts=%lld\tthrottle=%lld\tgpu_us=%.1f\twall_us=%."
      "1f",
      j->id, before.sm_mhz, after.sm_mhz, after.memory_mhz, after.celsius, after.milliwatts, after.throttle_reasons,
      gpu_us, (seconds_now() - start) * 1e6);
  if (kernels_loaded > KERNELS_KEPT) {
    if (gp_close(ctx)) fatal("%s", gp_last_message());
    open_context();
  }
}

// ---- first calls ----------------------------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  return remove(path);
}

// Microseconds from a call in an empty context, with an empty disk cache, to its result. The context is opened and
// libcuda and NVRTC are loaded before. 0: the variant's status gives the reason.
static double first_call(const cell *c, variant *v) {
  const char *place = getenv("TMPDIR");
  char folder[400];
  gp_config config = gp_config_init();
  gp_context *fresh = NULL;
  gp_kernel_source origin = GP_KERNEL_NONE;
  gp_call call;
  double start, us;
  int good;
  snprintf(folder, sizeof folder, "%.300s/gp_tune_XXXXXX", place && *place ? place : P_tmpdir);
  if (!mkdtemp(folder)) fatal("%s: %s", folder, strerror(errno));
  call = is_of_graph(c->primitive) ? graph_call(c, v, 0) : call_on_set(c, v, 0);
  config.backend = backend;
  config.device = ordinal;
  config.cache_dir = folder;
  setenv("GPUPRIMS_BUNDLE", "", 1); // not a member: a base's header may not have it
  good = judge(v, gp_open(&config, &fresh)) && judge_driver(v, cuda.stream_wait(stream), "what came before");
  start = seconds_now();
  good = good && judge(v, gp_run(fresh, &call, stream)) && judge_driver(v, cuda.stream_wait(stream), "a kernel");
  us = (seconds_now() - start) * 1e6;
  if (good && !gp_kernel_origin(fresh, &call, &origin, NULL, 0) && origin == GP_KERNEL_DISK) {
    v->status = "wrong";
    snprintf(v->message, sizeof v->message, "its first call found the kernel in a disk cache");
    good = 0;
  }
  if (fresh && gp_close(fresh)) fatal("%s", gp_last_message());
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return good ? us : 0;
}

static void run_first_calls(job *j) {
  static int warm; // NVRTC's first compilation in a process is slower
  const cell *c = &j->cell;
  const subject *of = subject_of(c);
  const double start = seconds_now();
  const gp_nvml_sample before = gp_nvml_read(&nvml);
  int i, lost = 0;
  gpu_us = 0;
  unverified = j->unverified;
  if (!j->bad) of->reserve(c);
  for (i = 0; i < j->count && !lost; i++) {
    variant *v = &j->variants[i];
    if (!is_ok(v)) continue;
    say("begin", "id=%s\tvariant=%d", j->id, i);
    if (of->verify(c, v) && !warm) warm = first_call(c, v) > 0;
    lost = is_lost(v);
  }
  if (!lost) collect(take_first);
  batch_count = 0;
  for (i = 0; i < j->count && !lost; i++) {
    variant *v = &j->variants[i];
    double us;
    if (!is_ok(v)) continue;
    say("begin", "id=%s\tvariant=%d", j->id, i); // again: compilation may take as long as the watchdog waits
    us = first_call(c, v);
    if (us > 0) v->us[v->count++] = us, v->calls = 1;
    lost = is_lost(v);
  }
  end_job(j, before, start, lost);
}

static void run_job(job *j) {
  const cell *c = &j->cell;
  const subject *of = subject_of(c);
  const double start = seconds_now();
  gp_nvml_sample before;
  double best = 0;
  uint64_t set = 0;
  int i, round, lost = 0;
  if (c->protocol == FIRST_CALL) {
    run_first_calls(j);
    return;
  }
  gpu_us = 0;
  unverified = j->unverified;
  before = gp_nvml_read(&nvml);
  if (!j->bad) of->reserve(c);
  if (!j->bad && is_warm_again(c, of->sets(c))) reserve(&other_lines, 4 * cache_bytes());
  // Verifies and starts variants one by one: a hang has a name.
  for (i = 0; i < j->count && !lost; i++) {
    variant *v = &j->variants[i];
    if (!is_ok(v)) continue;
    say("begin", "id=%s\tvariant=%d", j->id, i);
    if (of->verify(c, v) && run_batch(c, v, 1, &set)) { // the first call warms everything up
      if (of->whole || of->moved(c) >= LOOKED_AT_ONCE) {
        collect(take_first);
        if (is_ok(v) && (best == 0 || v->first_us < best)) best = v->first_us;
        v->abandoned = is_ok(v) && j->give_up > 0 && v->first_us > j->give_up * best;
      }
      if (is_ok(v) && !v->abandoned && (!is_replayed(c) || v->graph || make_graph(c, v)))
        run_batch(c, v, v->graph ? 1 : 2, &set);
    }
    lost = is_lost(v);
  }
  if (!lost) collect(take_first); // the second look replaces the first
  batch_count = 0;
  for (i = 0, best = 0; i < j->count; i++) {
    variant *v = &j->variants[i];
    lost = lost || is_lost(v);
    if (is_ok(v) && (best == 0 || v->first_us < best)) best = v->first_us;
  }
  for (i = 0; i < j->count; i++) {
    variant *v = &j->variants[i];
    const double calls = j->energy ? 1 : v->first_us > 0 ? j->batch_us / v->first_us : MOST_CALLS;
    if (!is_ok(v)) continue;
    v->abandoned = v->abandoned || (j->give_up > 0 && v->first_us > j->give_up * best);
    v->calls = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)(calls + 0.5);
    if (v->graph) {
      const int calls_each = calls_of_graph(c, of->sets(c));
      v->calls = c->protocol == COLD_GRAPH ? calls_each : (v->calls + calls_each - 1) / calls_each * calls_each;
    }
    if (v->abandoned) v->calls = v->graph ? calls_of_graph(c, of->sets(c)) : 1;
    if (of->whole) v->calls = (int)round_up((uint64_t)v->calls, of->sets(c));
  }
  for (round = 0; round < j->rounds && !lost; round++)
    for (i = 0; i < j->count && !lost; i++) {
      variant *v = &j->variants[round % 2 ? j->count - 1 - i : i];
      if (is_ok(v) && !v->abandoned && j->energy) {
        say("begin", "id=%s\tvariant=%d", j->id, i); // again: a window may take as long as the watchdog waits
        run_energy_round(j, v, &set);
      } else if (is_ok(v) && !v->abandoned) run_batch(c, v, v->calls, &set);
      lost = is_lost(v);
    }
  if (!lost && kernels_loaded <= KERNELS_KEPT) load_ahead(next_job(0));
  if (!lost) collect(take_round);
  batch_count = 0;
  for (i = 0; i < j->count; i++) {
    lost = lost || is_lost(&j->variants[i]);
    if (j->variants[i].graph && !lost) cuda.graph_exec_destroy(j->variants[i].graph);
  }
  end_job(j, before, start, lost);
}

int worker_main(int count, char **arguments) {
  const char *path = getenv("GP_TUNE_KERNEL"), *reason = NULL; // a kernel of the user's
  pthread_t reader;
  job *j;
  int i;
  for (i = 2; i < count; i++) { // the first is --worker
    if (!strcmp(arguments[i], "--device") && i + 1 < count) ordinal = atoi(arguments[++i]);
    else fatal("--worker: no option %s", arguments[i]);
  }
  setenv("CUDA_CACHE_DISABLE", "1", 1); // the driver's and NVRTC's own cache: the library's is enough
  on = path ? &kernel_subject : &library_subject;
  if (path) reason = kernel_read(path, &file);
  if (path && !reason) reason = kernel_open(&file, &kernel);
  if (reason) fatal("%s", reason);
  open_device();
  check_differ();
  if (pthread_create(&reader, NULL, read_jobs, NULL)) fatal("no thread");
  while ((j = next_job(1))) {
    run_job(j);
    job_free(j);
  }
  return 0;
}
