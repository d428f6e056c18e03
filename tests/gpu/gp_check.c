// gp_check.c - the library on a GPU against its own host back end (which other tests compare with NumPy): every type,
// operator, size, alignment, policy; streams, threads, graphs; users' structs and operators; bits. tests/gpu/run.py
// builds and runs it, several processes at a time.
//
//   gp_check [--group NAME]... [--types u8,f32] [--quick] [--full] [--sanitizer] [--cache DIR] [--seconds S] [--list]
//            [--part 1/4]        groups graphs, operators and sorting_policies: every fourth case, from the second on;
//                                group sorting: every fourth step
//            [--each 1]          group operators: one combination in this many; default 8, quick and sanitized 64
//            [--no-pipelined]    look-back instead of pipelined scans; no searches by a cluster
//            [--few-levels]      the graphs of groups graphs and building have few levels
//            [--backend host]    the same logic on the host back end alone, to test the tests
//
// The last line is "N passed, N failed, N skipped". Exit status 1 if something failed. Without a GPU everything is
// skipped.
#define _GNU_SOURCE
#define GP__SHORT_US 0 // --tuned tunes calls of any length, and tries as much as it can
#define GP__ONLINE_BUDGET 1
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "gp_cells.h"
#include "gp_cuda.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- counting -------------------------------------------------------------------------------------------------------

static long passed, failed, skipped;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *group_name = "";
static double deadline = 1e300;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...) {
  va_list arguments;
  pthread_mutex_lock(&count_lock);
  if (failed++ < 40) {
    printf("FAILED %s: ", group_name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
  }
  pthread_mutex_unlock(&count_lock);
}

static void pass(void) {
  pthread_mutex_lock(&count_lock);
  passed++;
  pthread_mutex_unlock(&count_lock);
}

// Whether the time is over; says so once.
static int out_of_time(void) {
  static int told;
  if (now() < deadline) return 0;
  if (!told) printf("skipped: out of time in group %s; the rest of it and later groups did not run\n", group_name);
  told = 1;
  return 1;
}

// ---- the two contexts, and memory -----------------------------------------------------------------------------------

enum { GUARD = 256, SLACK = 4096 };
static gp_cuda cuda;
static gp_context *gpu, *host;
static gp_config gpu_config = {.struct_size = sizeof gpu_config}; // which opened gpu
static gp_description device = {.struct_size = sizeof device};
static void *primary;
static int on_gpu = 1, quick = 0, full = 0, sanitizer = 0, few_levels = 0, tuned = 0;
static unsigned part = 0, parts = 1; // groups graphs, operators, sorting, sorting_policies: this part of this many
static unsigned each = 0; // group operators; 0: by size
static const char *cache_dir;

static void *device_new(uint64_t bytes) {
  uint64_t address = 0;
  void *p = NULL;
  if (on_gpu) {
    GP_CUDA_CHECK(&cuda, alloc(&address, bytes));
    return (void *)(uintptr_t)address;
  }
  if (posix_memalign(&p, 256, bytes)) exit(3);
  return p;
}
static void device_free(void *p) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, free_((uint64_t)(uintptr_t)p));
  else free(p);
}
static void wait_stream(void *stream) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, stream_wait(stream));
}
static void wait_device(void) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, synchronize());
}
// The copy returns when the bytes are staged; streams that do not wait for the default one must not start before they
// arrive.
static void upload(void *to, const void *from, uint64_t bytes) {
  if (!bytes) return;
  if (on_gpu) {
    GP_CUDA_CHECK(&cuda, to_device((uint64_t)(uintptr_t)to, from, bytes));
    wait_stream(NULL);
  } else memmove(to, from, bytes);
}
static void download(void *to, const void *from, uint64_t bytes) {
  if (!bytes) return;
  if (on_gpu) GP_CUDA_CHECK(&cuda, to_host(to, (uint64_t)(uintptr_t)from, bytes));
  else memmove(to, from, bytes);
}
static void poison(void *to, uint64_t bytes, void *stream) {
  if (!bytes) return;
  if (on_gpu) GP_CUDA_CHECK(&cuda, set8((uint64_t)(uintptr_t)to, 0xA5, bytes, stream));
  else memset(to, 0xA5, bytes);
}
static void *new_stream(void) {
  void *stream = NULL;
  if (on_gpu) GP_CUDA_CHECK(&cuda, stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
  return stream;
}
static void free_stream(void *stream) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, stream_destroy(stream));
}
static void *host_new(uint64_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 256, bytes ? bytes : 1)) {
    fprintf(stderr, "no memory for %llu bytes\n", (unsigned long long)bytes);
    exit(3);
  }
  return p;
}

// ---- types and data -------------------------------------------------------------------------------------------------

typedef struct check_type {
  const char *name;
  int size, number, fields;
  gp_type handle; // of the GPU's context
  gp_type host_handle;
} check_type;

static check_type TYPES[] = {
#define ROW(name, size, number, fields) {#name, size, number, fields, 0, 0},
    GP_DATA_TYPES(ROW)
#undef ROW
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES, SCALAR_COUNT = TYPE_COUNT - 2 };
static int type_wanted[TYPE_COUNT];

static check_type *type_named(const char *name) {
  int i;
  for (i = 0; i < TYPE_COUNT; i++)
    if (!strcmp(TYPES[i].name, name)) return &TYPES[i];
  return NULL;
}
static int is_float(const check_type *t) { return t->number != GP_DATA_INT && t->number != GP_DATA_UINT; }

// Data for an operator: its result has the same bits in any order of evaluation.
enum { EXACT, UNIFORM, SIGNS, MANY_TRUE, FEW_TRUE, TIES, ONE_NAN, EDGES };

static uint64_t float_bits(const check_type *t, double value) {
  uint64_t bits;
  if (t->number == GP_DATA_F16) return gp_data_to_f16((float)value);
  if (t->number == GP_DATA_BF16) return gp_data_to_bf16((float)value);
  if (t->number == GP_DATA_F32) return gp_data_f32_bits((float)value);
  memcpy(&bits, &value, 8);
  return bits;
}

static void make_data(const check_type *t, int kind, uint64_t seed, void *out, uint64_t n) {
  static const double values[] = {0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1000.0, -1000.0, HUGE_VAL, -HUGE_VAL};
  const int size = t->size / t->fields;
  uint64_t i;
  for (i = 0; i < n; i++) {
    const uint64_t h = gp_data_hash(i * 3 + seed * 1000003);
    char *at = (char *)out + i * (uint64_t)t->size;
    uint64_t bits = 0;
    if (kind == EXACT || kind == UNIFORM || t->fields > 1) {
      gp_data_element(
          t->number, t->size, t->fields, kind == UNIFORM ? GP_DATA_UNIFORM : GP_DATA_EXACT, 0, seed, i, n, at);
      continue;
    }
    if (!is_float(t)) {
      // EDGES: for each size, the bits of the least, the largest, 0, 1, 2 and -1, alone or in a wider type
      static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x81, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffffu,
          0x80000000u, 0xffffffffu, ~0ull, ~1ull, ~0x7full, ~0x7fffull, ~0x7fffffffull, ~0ull >> 1, 1ull << 63};
      bits = kind == EDGES ? h % 4 ? edges[h / 4 % (sizeof edges / sizeof *edges)] : gp_data_hash(h)
             : kind == SIGNS ? h | 1
          : kind == MANY_TRUE ? (h & 4095 ? h | 1 : 0)
          : kind == FEW_TRUE ? (h & 4095 ? 0 : h | 1)
          : h & 15;
    } else switch (kind) {
      case SIGNS: bits = float_bits(t, (h & 1 ? 1.0 : -1.0) * ((h >> 8) & 1023 ? 1.0 : (h & 2 ? 2.0 : 0.5))); break;
      case MANY_TRUE: bits = float_bits(t, h & 4095 ? 1.5 : 0); break;
      case FEW_TRUE: bits = float_bits(t, h & 4095 ? 0 : -2.5); break;
      case ONE_NAN: bits = float_bits(t, i == n / 2 || i == n - n / 4 ? (double)NAN : values[h % 8]); break;
      default: bits = float_bits(t, values[h & 63 ? h % 8 : h / 64 % 10]); break;
      }
    memcpy(at, &bits, (size_t)size);
  }
}

// The first element in which two outputs differ, or -1. `arg`: pairs of a value and an index, whose padding is ignored.
static long long difference(
    const check_type *t, int arg, const char *got, const char *want, uint64_t items, int signs_matter) {
  const int fields = arg ? 1 : t->fields, size = t->size / t->fields;
  const uint64_t stride = arg ? 16 : (uint64_t)t->size;
  uint64_t i;
  int f;
  if (!arg && !memcmp(got, want, items * stride)) return -1;
  for (i = 0; i < items; i++) {
    for (f = 0; f < fields; f++) {
      const char *a = got + i * stride + (uint64_t)(f * size), *b = want + i * stride + (uint64_t)(f * size);
      double x = 0, y = 0;
      if (!memcmp(a, b, (size_t)size)) continue;
      if (!is_float(t)) return (long long)i;
      if (size == 8) memcpy(&x, a, 8), memcpy(&y, b, 8);
      else if (size == 4) {
        float u, v;
        memcpy(&u, a, 4), memcpy(&v, b, 4);
        x = u, y = v;
      } else {
        uint16_t u, v;
        memcpy(&u, a, 2), memcpy(&v, b, 2);
        x = t->number == GP_DATA_F16 ? gp_data_from_f16(u) : gp_data_from_bf16(u);
        y = t->number == GP_DATA_F16 ? gp_data_from_f16(v) : gp_data_from_bf16(v);
      }
      if (x != x && y != y) continue;
      if (x == y && !signs_matter) continue;
      return (long long)i;
    }
    if (arg && memcmp(got + i * stride + 8, want + i * stride + 8, 8)) return (long long)i;
  }
  return -1;
}

static void hex(char *text, const char *bytes, int size) { // as a little-endian number
  int i;
  for (i = 0; i < size && i < 16; i++) sprintf(text + 2 * i, "%02x", (unsigned char)bytes[size - 1 - i]);
}

// ---- problems -------------------------------------------------------------------------------------------------------

// A call without its pointers. Host and GPU have their own handles for user definitions.
typedef struct problem {
  gp_primitive primitive;
  gp_op op, host_op;
  gp_op transform;
  const check_type *in, *acc, *out; // acc may be NULL: the default
  uint64_t n;
  int data;
  int in_offset, out_offset, in_place;
  int flags;
  const gp_policy *policy;
  const void *init, *step;
  int has_count;
  uint64_t count_device;
  int arg;
} problem;

static problem problem_of(gp_primitive primitive, gp_op op, const check_type *t, uint64_t n, int data) {
  problem p;
  memset(&p, 0, sizeof p);
  p.primitive = primitive;
  p.op = p.host_op = op;
  p.in = p.out = t;
  p.n = n;
  p.data = data;
  p.arg = op == GP_ARGMIN || op == GP_ARGMAX;
  return p;
}

static const char *describe(const problem *p, char *text, size_t capacity) {
  const char *op = p->op ? gp_op_name(gpu, p->op) : "";
  int used = snprintf(text, capacity, "%s %s %s>%s%s%s n=%llu", PRIMITIVE_NAMES[p->primitive], op ? op : "?",
      p->in->name, p->out->name, p->acc ? " acc=" : "", p->acc ? p->acc->name : "", (unsigned long long)p->n);
#define MORE(...) \
  if (used >= 0 && (size_t)used < capacity) used += snprintf(text + used, capacity - (size_t)used, __VA_ARGS__)
  if (p->in_offset || p->out_offset) MORE(" offsets %d %d", p->in_offset, p->out_offset);
  if (p->in_place) MORE(" in place");
  if (p->has_count) MORE(" count_device=%llu", (unsigned long long)p->count_device);
  if (p->init) MORE(" init");
  if (p->transform) MORE(" transform=%d", p->transform);
  if (p->flags) MORE(" flags=%d", p->flags);
  if (p->policy)
    MORE(" %s t%d v%d s%d b%d l%d st%d o%d", ALGORITHM_NAMES[p->policy->algorithm % GP_ALGORITHM_COUNT],
        p->policy->threads, p->policy->vectors, p->policy->stages, p->policy->blocks_per_sm, p->policy->load,
        p->policy->store, p->policy->overlap);
#undef MORE
  return text;
}

static int takes_input(gp_primitive p) { return p != GP_FILL && p != GP_IOTA; }

static gp_call call_of(const problem *p, int for_gpu) {
  gp_call c = gp_call_init(p->primitive);
  c.op = for_gpu ? p->op : p->host_op;
  c.transform = p->transform;
  c.in_type = for_gpu ? p->in->handle : p->in->host_handle;
  c.out_type = for_gpu ? p->out->handle : p->out->host_handle;
  if (p->acc) c.acc_type = for_gpu ? p->acc->handle : p->acc->host_handle;
  c.count = p->n;
  if (p->primitive == GP_FILL) c.value = p->init;
  else if (p->primitive == GP_IOTA) c.start = p->init, c.step = p->step;
  else c.init = p->init;
  c.flags = p->flags;
  c.policy = for_gpu && on_gpu ? p->policy : NULL;
  return c;
}

static uint64_t out_item(const problem *p) { return p->arg ? 16 : (uint64_t)p->out->size; }
static uint64_t out_items(const problem *p) { return p->primitive == GP_REDUCE ? 1 : p->n; }

// Buffers that grow; one set a thread.
typedef struct workbench {
  char *device_in, *device_in2, *device_out, *host_in, *host_in2, *host_want, *host_got;
  uint64_t *device_count;
  uint64_t bytes;
  void *stream;
} workbench;

static void workbench_grow(workbench *w, uint64_t bytes) {
  if (w->bytes >= bytes && w->bytes) return;
  if (w->bytes) {
    wait_device();
    device_free(w->device_in);
    device_free(w->device_in2);
    device_free(w->device_out);
    free(w->host_in);
    free(w->host_in2);
    free(w->host_want);
    free(w->host_got);
  } else w->device_count = device_new(256);
  w->bytes = bytes < (1 << 20) ? 1 << 20 : bytes;
  w->device_in = device_new(w->bytes + SLACK);
  w->device_in2 = device_new(w->bytes + SLACK);
  w->device_out = device_new(w->bytes + SLACK);
  w->host_in = host_new(w->bytes + SLACK);
  w->host_in2 = host_new(w->bytes + SLACK);
  w->host_want = host_new(w->bytes + SLACK);
  w->host_got = host_new(w->bytes + SLACK);
}

static workbench main_bench;

// Fills the inputs on the host and runs the host back end. 0, or -1 after fail().
static int expect(workbench *w, const problem *p) {
  gp_call c = call_of(p, 0);
  uint64_t need = (p->n + 1) * (uint64_t)(p->in->size > p->out->size ? p->in->size : p->out->size);
  gp_result r;
  char text[400];
  if (p->arg) need = (p->n + 1) * 16;
  workbench_grow(w, need);
  if (takes_input(p->primitive)) make_data(p->in, p->data, 1 + p->n, w->host_in, p->n);
  if (p->primitive == GP_TRANSFORM2) make_data(p->in, p->data, 7 + p->n, w->host_in2, p->n);
  memset(w->host_want, 0xA5, out_items(p) * out_item(p) + 1);
  if (takes_input(p->primitive)) c.in = w->host_in;
  if (p->primitive == GP_TRANSFORM2) c.in2 = w->host_in2;
  c.out = w->host_want;
  if (p->has_count) c.count_device = &p->count_device;
  r = gp_run(host, &c, NULL);
  if (r == GP_SUCCESS) return 0;
  fail("%s: the host back end says %s: %s", describe(p, text, sizeof text), gp_result_name(r), gp_last_message());
  return -1;
}

// Uploads the inputs, poisons the output, and completes the call.
static gp_call place(workbench *w, const problem *p) {
  gp_call c = call_of(p, 1);
  char *in = w->device_in + p->in_offset;
  char *out = p->in_place ? in : w->device_out + GUARD + p->out_offset;
  if (!p->in_place) poison(out - GUARD, out_items(p) * out_item(p) + 2 * GUARD, w->stream);
  wait_stream(w->stream);
  if (takes_input(p->primitive)) {
    upload(in, w->host_in, p->n * (uint64_t)p->in->size);
    c.in = in;
  }
  if (p->primitive == GP_TRANSFORM2) {
    upload(w->device_in2 + p->in_offset, w->host_in2, p->n * (uint64_t)p->in->size);
    c.in2 = w->device_in2 + p->in_offset;
  }
  c.out = out;
  if (p->has_count) {
    upload(w->device_count, &p->count_device, 8);
    c.count_device = w->device_count;
  }
  return c;
}

// Compares the device's output with the host's, and counts the result.
static int compare(workbench *w, const problem *p, const char *out, const char *what) {
  const uint64_t bytes = out_items(p) * out_item(p);
  const int signs = p->op == GP_MIN || p->op == GP_MAX || p->arg || p->primitive == GP_COPY;
  uint64_t live = out_items(p);
  char text[400], got[40] = "", want[40] = "";
  long long at;
  int i;
  if (p->has_count && p->primitive != GP_REDUCE && p->count_device < live) live = p->count_device;
  wait_stream(w->stream);
  if (p->in_place) download(w->host_got + GUARD, out, bytes);
  else download(w->host_got, out - GUARD, bytes + 2 * GUARD);
  at = difference(p->out, p->arg, w->host_got + GUARD, w->host_want, live, signs);
  if (at >= 0) {
    hex(got, w->host_got + GUARD + (uint64_t)at * out_item(p), (int)out_item(p));
    hex(want, w->host_want + (uint64_t)at * out_item(p), (int)out_item(p));
    fail("%s%s: element %lld is 0x%s, not 0x%s", describe(p, text, sizeof text), what, at, got, want);
    return -1;
  }
  if (p->in_place) return pass(), 0;
  for (i = 0; i < GUARD; i++)
    if (w->host_got[i] != (char)0xA5 || w->host_got[GUARD + bytes + (uint64_t)i] != (char)0xA5) {
      fail("%s%s: wrote outside its output (byte %d %s)", describe(p, text, sizeof text), what, i,
          w->host_got[i] != (char)0xA5 ? "of the guard before" : "after its end");
      return -1;
    }
  for (live *= out_item(p); live < bytes; live++)
    if (w->host_got[GUARD + live] != (char)0xA5) {
      fail("%s%s: wrote past the count in device memory", describe(p, text, sizeof text), what);
      return -1;
    }
  pass();
  return 0;
}

// Runs a call in memory of the test's: as many bytes as it needs, full of anything. Not while capturing: the graph
// would outlive the memory.
static long lent_runs;
static gp_result run_lent(const gp_call *call, void *stream) {
  gp_call lent = *call;
  uint64_t address = 0;
  int capturing = 0;
  gp_result r;
  if (gp_workspace_size(gpu, call, &lent.workspace_bytes) || !lent.workspace_bytes) return gp_run(gpu, call, stream);
  if (stream) GP_CUDA_CHECK(&cuda, stream_capturing(stream, &capturing));
  if (capturing || cuda.alloc_async(&address, lent.workspace_bytes, stream)) return gp_run(gpu, call, stream);
  lent.workspace = (void *)(uintptr_t)address;
  GP_CUDA_CHECK(&cuda, set8(address, 0xA5, lent.workspace_bytes, stream));
  r = gp_run(gpu, &lent, stream);
  GP_CUDA_CHECK(&cuda, free_async(address, stream));
  lent_runs++;
  return r;
}
// Every third call has a workspace of its own, every third is prepared. The prepared call serves later ones that differ
// in nothing but where aligned buffers are: its plan then replaces the checks of gp_run. A new one runs twice if it
// overwrites none of its inputs.
static long prepared_runs, kept_plans;
static gp_result run_or_prepared(const gp_call *call, void *stream) {
  static __thread gp_prepared *prepared;
  static __thread gp_call like;
  static __thread gp_policy policy;
  static __thread long calls;
  uintptr_t low = 0;
  gp_result r;
  if (++calls % 3 == 1) return gp_run(gpu, call, stream);
  if (calls % 3 == 2) return run_lent(call, stream);
#define MOVES(member) \
  low |= ((uintptr_t)like.member ^ (uintptr_t)call->member) % 16 | (uintptr_t)(!like.member != !call->member); \
  like.member = call->member;
  GP__CALL_POINTERS(MOVES)
#undef MOVES
  if (prepared &&
      (low || memcmp(&like, call, sizeof like) != 0 ||
          (call->policy && memcmp(&policy, call->policy, sizeof policy) != 0))) {
    gp_prepared_close(prepared);
    prepared = NULL;
  }
  if (!prepared) {
    like = *call;
    if (call->policy) policy = *call->policy;
    r = gp_prepared_open(gpu, call, &prepared);
    if (r) return gp_run(gpu, call, stream); // it has a buffer's error to tell, perhaps
    if (call->out != call->in && call->out != call->in2 && (!call->out_keys || call->out_keys != call->keys)) {
      r = gp_prepared_run(prepared, call, stream);
      if (r) return r;
      kept_plans++;
    }
  } else kept_plans++;
  prepared_runs++;
  return gp_prepared_run(prepared, call, stream);
}

// A call on the GPU. With --no-pipelined, scans and streams look back instead of being pipelined, and sets have two
// launches: racecheck does not follow barriers in shared memory at which some warps arrive and others wait (the
// emulator's race build does).
static int no_pipelined;
static gp_result run_gpu(const gp_call *call, void *stream) {
  static const gp_policy look_back = {.algorithm = GP_LOOK_BACK}, merge_path = {.algorithm = GP_MERGE_PATH};
  gp_call other = *call;
  gp_policy p;
  gp_policy_source source;
  if (!no_pipelined || gp_policy_origin(gpu, call, &p, &source) || p.algorithm != GP_PIPELINED)
    return run_or_prepared(call, stream);
  other.policy = gp__family_of((int)call->primitive) == GP__FAMILY_MERGE ? &merge_path : &look_back;
  return run_or_prepared(&other, stream);
}

static long refused; // policies invalid for a shape

// A whole case. Returns -1 if it failed, 1 if the policy is invalid for the shape.
static int solve(workbench *w, const problem *p) {
  gp_call c;
  gp_result r;
  char text[400];
  int run, wrong = 0;
  if (expect(w, p)) return -1;
  for (run = 0; run < (tuned ? 20 : 1) && !wrong; run++) {
    c = place(w, p);
    r = run_gpu(&c, w->stream);
    if (r == GP_E_POLICY && p->policy) return refused++, 1;
    if (r != GP_SUCCESS) {
      fail("%s: %s: %s", describe(p, text, sizeof text), gp_result_name(r), gp_last_message());
      return -1;
    }
    wrong = compare(w, p, c.out, "");
  }
  return wrong;
}

// ---- the cases ------------------------------------------------------------------------------------------------------

#define P(a, t, v, l, s, g, b, o) \
  { \
    .algorithm = GP_##a, .threads = t, .vectors = v, .load = l, .store = s, .stages = g, .blocks_per_sm = b, \
    .overlap = o \
  }
// Overlap: 1 on, 2 off, 0 by the device.
static const gp_policy REDUCE_POLICIES[] = {
    P(EVEN_SHARE, 128, 1, 0, 0, 0, 1, 0),
    P(EVEN_SHARE, 256, 2, 1, 0, 0, 4, 2),
    P(EVEN_SHARE, 512, 4, 0, 0, 0, 2, 0),
    P(EVEN_SHARE, 1024, 8, 2, 0, 0, 1, 0),
    P(STEALING, 128, 2, 0, 0, 0, 2, 2),
    P(STEALING, 512, 4, 1, 0, 0, 2, 0),
    P(STEALING, 1024, 1, 0, 0, 0, 1, 0),
    P(ONE_BLOCK, 256, 1, 0, 0, 0, 1, 2),
    P(ONE_BLOCK, 1024, 4, 0, 0, 0, 1, 0),
    P(EVEN_SHARE, 512, 4, 0, 0, 0, 2, 1),
};
static const gp_policy SCAN_POLICIES[] = {
    P(LOOK_BACK, 128, 1, 0, 0, 0, 4, 2),
    P(LOOK_BACK, 256, 3, 0, 0, 0, 4, 0),
    P(LOOK_BACK, 256, 9, 1, 1, 0, 2, 0),
    P(LOOK_BACK, 512, 5, 2, 0, 0, 1, 2),
    P(LOOK_BACK, 384, 7, 0, 1, 0, 2, 0),
    P(LOOK_BACK, 256, 3, 0, 0, 0, 4, 1),
    P(THREE_SWEEP, 256, 5, 0, 0, 0, 2, 0),
    P(THREE_SWEEP, 512, 1, 1, 1, 0, 1, 2),
    P(ONE_BLOCK, 256, 3, 0, 0, 0, 1, 0),
    P(ONE_BLOCK, 512, 1, 0, 0, 0, 1, 0),
    P(ONE_CLUSTER, 256, 1, 0, 0, 0, 1, 0),
    P(ONE_CLUSTER, 512, 3, 0, 0, 0, 1, 2),
    P(PIPELINED, 256, 9, 0, 0, 3, 2, 0),
    P(PIPELINED, 512, 9, 0, 0, 3, 1, 2),
    P(PIPELINED, 384, 5, 0, 0, 4, 1, 0),
    P(PIPELINED, 128, 13, 0, 0, 3, 2, 0),
    P(PIPELINED, 256, 1, 0, 0, 6, 4, 2),
    P(PIPELINED, 256, 7, 0, 0, 3, 2, 1),
    P(PIPELINED, 128, 3, 0, 0, 5, 1, 0),
};
static const gp_policy MAP_POLICIES[] = {
    P(DIRECT, 128, 1, 0, 0, 0, 0, 2),
    P(DIRECT, 256, 4, 1, 1, 0, 0, 0),
    P(DIRECT, 512, 2, 0, 0, 0, 2, 0),
    P(DIRECT, 1024, 8, 2, 0, 0, 1, 0),
    P(DIRECT, 256, 4, 0, 0, 0, 4, 1),
};
#undef P
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const uint64_t FEW_SIZES[] = {0, 1, 2, 31, 32, 33, 255, 1000, 4097, 100003};
static const uint64_t MORE_SIZES[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256,
    257, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 32767, 32768,
    32769, 100003, 131072, 262143, 1000003};
static const uint64_t SMALL_SIZES[] = {0, 1, 33, 1000, 4097};

static const uint64_t *sizes(int *count) {
  if (sanitizer) return *count = COUNT(SMALL_SIZES), SMALL_SIZES;
  if (full) return *count = COUNT(MORE_SIZES), MORE_SIZES;
  return *count = COUNT(FEW_SIZES), FEW_SIZES;
}

static int data_for(gp_op op, const check_type *t) {
  switch (op) {
  case GP_SUM: return is_float(t) || t->fields > 1 ? EXACT : UNIFORM;
  case GP_PROD: return SIGNS;
  case GP_AND: return MANY_TRUE;
  case GP_OR: return FEW_TRUE;
  case GP_MIN:
  case GP_MAX: return is_float(t) ? TIES : UNIFORM;
  case GP_ARGMIN:
  case GP_ARGMAX: return TIES;
  default: return UNIFORM;
  }
}

static const gp_primitive REDUCTIONS[3] = {GP_REDUCE, GP_EXCLUSIVE_SCAN, GP_INCLUSIVE_SCAN};

// Every type, every binary operator, reduce and both scans, on the default policy.
static void group_types(void) {
  int t, op, k, s, count;
  const uint64_t *list = sizes(&count);
  for (t = 0; t < SCALAR_COUNT; t++) {
    if (!type_wanted[t]) continue;
    for (op = GP_SUM; op <= GP_ARGMAX; op++) {
      if (is_float(&TYPES[t]) && op >= GP_BIT_AND && op <= GP_BIT_XOR) continue;
      if (sanitizer && op != GP_SUM && op != GP_ARGMIN) continue;
      for (k = 0; k < 3; k++)
        for (s = 0; s < count; s++) {
          problem p = problem_of(REDUCTIONS[k], op, &TYPES[t], list[s], data_for(op, &TYPES[t]));
          if (out_of_time()) return;
          if (solve(&main_bench, &p) < 0 && failed > 200) return;
          if (is_float(&TYPES[t]) && (op == GP_MIN || op == GP_MAX || p.arg) && list[s] > 2) {
            p.data = ONE_NAN;
            solve(&main_bench, &p);
          }
        }
    }
  }
}

// Copy, fill, iota, and every element-wise operator.
static void group_maps(void) {
  static const unsigned char VALUE[16] = {0x35, 0x3a, 0x11, 0x3c, 0x52, 0x0f, 0x77, 0x3f, 0x35, 0x3a, 0x11, 0x3c, 1, 2};
  static const char *const TARGETS[] = {
      "u8", "i32", "f32", "f16", "i8", "i64", "u64", "bf16", "f64", "u16", "u32", "i16"};
  const int targets = quick || sanitizer ? 4 : COUNT(TARGETS);
  int t, s, k, op, count;
  const uint64_t *list = sizes(&count);
  for (t = 0; t < TYPE_COUNT; t++) {
    if (!type_wanted[t]) continue;
    for (s = 0; s < count; s++) {
      problem p = problem_of(GP_COPY, 0, &TYPES[t], list[s], UNIFORM);
      if (out_of_time()) return;
      solve(&main_bench, &p);
      p = problem_of(GP_FILL, 0, &TYPES[t], list[s], 0);
      p.init = VALUE;
      solve(&main_bench, &p);
      if (t >= SCALAR_COUNT) continue;
      if (!is_float(&TYPES[t]) || list[s] <= 4097) { // beyond, sums of f16 overflow; the rule is the same
        p = problem_of(GP_IOTA, 0, &TYPES[t], list[s], 0);
        solve(&main_bench, &p);
      }
    }
    if (t >= SCALAR_COUNT) continue;
    for (op = GP_CONVERT; op <= GP_NOT; op++)
      for (k = -1; k < (op == GP_CONVERT ? targets : 0); k++)
        for (s = 0; s < count; s += 3) {
          problem p = problem_of(GP_TRANSFORM, op, &TYPES[t], list[s], is_float(&TYPES[t]) ? TIES : UNIFORM);
          if (out_of_time()) return;
          if (k >= 0) p.out = type_named(TARGETS[k]);
          solve(&main_bench, &p);
        }
    for (op = GP_SUM; op <= GP_OR; op++) {
      if (is_float(&TYPES[t]) && op >= GP_BIT_AND && op <= GP_BIT_XOR) continue;
      for (s = 0; s < count; s += 3) {
        problem p = problem_of(GP_TRANSFORM2, op, &TYPES[t], list[s], is_float(&TYPES[t]) ? TIES : UNIFORM);
        if (out_of_time()) return;
        solve(&main_bench, &p);
      }
    }
  }
}

static uint64_t tile_of(const problem *p) {
  const gp_policy *q = p->policy;
  if (p->primitive == GP_REDUCE) return (uint64_t)(q->threads * q->vectors * gp__vector_items(p->in->size));
  if (gp__is_scan(p->primitive)) return (uint64_t)(q->threads * gp__scan_items(q->vectors, p->in->size, p->out->size));
  return (uint64_t)(q->threads * gp__map_items(q->vectors, p->in->size, 0, p->out->size));
}

// Every policy of the lists above at the boundaries of its tiles, groups of tiles, and grid.
static void group_policies(void) {
  static const char *const NAMES[] = {"u8", "u32", "s12", "f64", "u16", "f16", "s16", "i64"};
  const int types = sanitizer ? 2 : full ? 8 : 5;
  int t, k, q, m;
  for (t = 0; t < types; t++) {
    const check_type *type = type_named(NAMES[t]);
    if (!type_wanted[type - TYPES]) continue;
    for (k = 0; k < 4; k++) {
      const gp_primitive primitive = k < 3 ? REDUCTIONS[k] : GP_COPY;
      const gp_policy *list = k == 0 ? REDUCE_POLICIES : k < 3 ? SCAN_POLICIES : MAP_POLICIES;
      const int count = k == 0 ? COUNT(REDUCE_POLICIES) : k < 3 ? COUNT(SCAN_POLICIES) : COUNT(MAP_POLICIES);
      if (type->fields > 1 && k < 3) continue; // structs: group_structs
      if (quick && k == 2) continue; // inclusive: full
      for (q = 0; q < count; q++) {
        static const int tiles[] = {1, 2, 3, 32, 33, 65};
        problem p = problem_of(primitive, k == 3 ? 0 : GP_SUM, type, 1, UNIFORM);
        uint64_t tile;
        int ran = 0;
        if (is_float(type)) p.data = EXACT;
        p.policy = &list[q];
        tile = tile_of(&p);
        for (m = 0; m < (sanitizer ? 2 : COUNT(tiles)); m++) {
          int d;
          for (d = -1; d <= 1; d++) {
            if (out_of_time()) return;
            p.n = tile * (uint64_t)tiles[m] + (uint64_t)d;
            if (p.n * (uint64_t)type->size > (sanitizer ? 400000u : 16u << 20)) continue;
            ran |= solve(&main_bench, &p) <= 0;
          }
        }
        if (!sanitizer && !quick) { // the grid's last block: all of them busy, one more tile, one less
          const uint64_t grid =
              (uint64_t)device.multiprocessors * (uint64_t)(list[q].blocks_per_sm ? list[q].blocks_per_sm : 1);
          int d;
          for (d = -1; d <= 1; d++) {
            p.n = tile * grid + (uint64_t)d;
            if (p.n * (uint64_t)type->size > 48u << 20 || out_of_time()) continue;
            ran |= solve(&main_bench, &p) <= 0;
          }
        }
        // Refused for every size: allowed only for scans that are pipelined or of a cluster, which the device or the
        // shape rules out.
        if (!ran && p.policy->algorithm != GP_PIPELINED && p.policy->algorithm != GP_ONE_CLUSTER &&
            tile * (uint64_t)type->size < 400000u) {
          char text[400];
          fail("%s: the policy is refused for every size", describe(&p, text, sizeof text));
        }
      }
    }
  }
}

// Every offset of input and output that the type allows, 0 to 15 bytes, independently.
static void group_alignment(void) {
  static const char *const NAMES[] = {"u8", "u16", "u32", "u64", "s12", "f16", "f64"};
  static const uint64_t counts[] = {1, 5, 37, 1000, 20011};
  const gp_policy look_back = {.algorithm = GP_LOOK_BACK, .threads = 128, .vectors = 3, .blocks_per_sm = 2};
  const gp_policy pipelined = {
      .algorithm = GP_PIPELINED, .threads = 128, .vectors = 5, .stages = 3, .blocks_per_sm = 2};
  const gp_policy *const policies[3] = {NULL, &look_back, &pipelined};
  int t, i, o, k, s, q;
  for (t = 0; t < COUNT(NAMES); t++) {
    const check_type *type = type_named(NAMES[t]);
    const int step = type->fields > 1 ? 4 : type->size;
    if (!type_wanted[type - TYPES] || (sanitizer && t != 0 && t != 2)) continue;
    for (i = 0; i < 16; i += step)
      for (o = 0; o < 16; o += step) {
        if ((quick || sanitizer) && t == 0 && (i * 7 + o * 3) % 5) continue;
        if (sanitizer && (i + o) % 3) continue;
        for (k = 0; k < 4; k++) // copy, reduce, exclusive scan; transform to a wider type
          for (s = sanitizer ? 2 : 0; s < (sanitizer ? 4 : COUNT(counts)); s++)
            for (q = 0; q < (k == 2 ? 3 : 1); q++) {
              problem p = problem_of(k == 0 ? GP_COPY
                      : k == 1 ? GP_REDUCE
                      : k == 2 ? GP_EXCLUSIVE_SCAN
                      : GP_TRANSFORM,
                  k == 0 ? 0
                      : k == 3 ? GP_CONVERT
                      : GP_SUM,
                  type, counts[s], is_float(type) ? EXACT : UNIFORM);
              if (out_of_time()) return;
              if (k > 0 && type->fields > 1) continue;
              if (k == 1 && o && q == 0 && s > 1) continue; // one element of output: its offset matters little
              if (k == 3 && t != 0 && t != 2) continue;
              if (k == 3) p.out = t == 0 ? type_named("u32") : type_named("u8");
              p.in_offset = i;
              p.out_offset = k == 3 ? o / p.out->size * p.out->size : o;
              p.policy = policies[q];
              solve(&main_bench, &p);
            }
      }
  }
}

// In place, initial values, counts in device memory, wider accumulators, an operator on the way in.
static void group_fields(void) {
  static const char *const NAMES[] = {"u8", "u32", "u64", "f32", "f16", "i16"};
  static const uint64_t counts[] = {0, 1, 33, 5000, 300007};
  static const char *const WIDE[][3] = {{"u8", "u64", "u64"}, {"i8", "i32", "i64"}, {"u16", "u32", "u32"},
      {"f16", "f32", "f32"}, {"f32", "f64", "f64"}, {"bf16", "f32", "bf16"}, {"f32", "f64", "f32"},
      {"u32", "u64", "f32"}, {"i32", "f64", "f64"}, {"u64", "u8", "u8"}, {"f16", "f64", "u8"}};
  const int size_count = sanitizer ? 4 : COUNT(counts);
  int t, k, s, d;
  for (t = 0; t < (sanitizer ? 2 : COUNT(NAMES)); t++) {
    const check_type *type = type_named(NAMES[t]);
    const uint64_t init_bits = is_float(type) ? float_bits(type, 3) : 77;
    const float init_f32 = 3;
    const void *init = type->number == GP_DATA_F16 ? (const void *)&init_f32 : (const void *)&init_bits; // acc: f32
    if (!type_wanted[type - TYPES]) continue;
    for (s = 0; s < size_count; s++) {
      const uint64_t n = counts[s];
      const uint64_t device_counts[] = {0, 1, n / 2, n ? n - 1 : 0, n, n + 1, ~0ull};
      for (k = 0; k < 3; k++) {
        problem p = problem_of(REDUCTIONS[k], GP_SUM, type, n, is_float(type) ? EXACT : UNIFORM);
        if (out_of_time()) return;
        if (k) {
          p.in_place = 1;
          solve(&main_bench, &p);
          p.in_place = 0;
        }
        p.init = init;
        solve(&main_bench, &p);
        for (d = 0; d < COUNT(device_counts); d++) {
          p.init = d & 1 ? init : NULL;
          p.has_count = 1;
          p.count_device = device_counts[d];
          solve(&main_bench, &p);
        }
        p.init = NULL;
        p.has_count = 0;
        p.transform = GP_SQUARE;
        if (is_float(type)) p.data = SIGNS; // squares are 1, 4 or 0.25
        if (!is_float(type) || n < 10000) {
          if (type->number != GP_DATA_F16) solve(&main_bench, &p);
        }
        p.transform = GP_NEGATE;
        if (is_float(type)) p.data = EXACT;
        solve(&main_bench, &p);
      }
      for (d = 0; d < COUNT(device_counts); d++) {
        problem p = problem_of(GP_COPY, 0, type, n, UNIFORM);
        p.has_count = 1;
        p.count_device = device_counts[d];
        solve(&main_bench, &p);
        p = problem_of(GP_TRANSFORM, GP_NEGATE, type, n, UNIFORM);
        p.has_count = 1;
        p.count_device = device_counts[d];
        solve(&main_bench, &p);
      }
      {
        problem p = problem_of(GP_TRANSFORM, GP_NEGATE, type, n, UNIFORM);
        p.in_place = 1;
        solve(&main_bench, &p);
      }
    }
  }
  for (t = 0; t < COUNT(WIDE); t++)
    for (s = 0; s < size_count; s++)
      for (k = 0; k < 3; k++) {
        problem p = problem_of(REDUCTIONS[k], GP_SUM, type_named(WIDE[t][0]), counts[s], EXACT);
        if (out_of_time() || !type_wanted[p.in - TYPES]) break;
        p.acc = type_named(WIDE[t][1]);
        p.out = type_named(WIDE[t][2]);
        if (!is_float(p.in)) p.data = p.acc->size >= 4 && !is_float(p.out) && !is_float(p.acc) ? UNIFORM : EXACT;
        solve(&main_bench, &p);
      }
}

// ---- users' types and operators -------------------------------------------------------------------------------------

typedef struct user_op {
  const char *name, *source, *body, *identity;
  int size, align, fields; // fields of 4 or 8 bytes
  int commutative;
  gp_host_fn host;
  unsigned char host_identity[64];
  check_type row;
  gp_op gpu_op, host_op;
} user_op;

static void affine_host(void *user, void *result, const void *a, const void *b) { // first a, then b
  uint32_t x[2], y[2], r[2];
  (void)user;
  memcpy(x, a, 8), memcpy(y, b, 8);
  r[0] = x[0] * y[0], r[1] = y[0] * x[1] + y[1];
  memcpy(result, r, 8);
}
static void matrix_host(void *user, void *result, const void *a, const void *b) {
  uint32_t x[4], y[4], r[4];
  int i;
  (void)user;
  memcpy(x, a, 16), memcpy(y, b, 16);
  for (i = 0; i < 4; i++)
    r[i] = (uint32_t)(((uint64_t)(x[i & 2] % 65521) * (y[i & 1] % 65521) +
                          (uint64_t)(x[(i & 2) + 1] % 65521) * (y[(i & 1) + 2] % 65521)) %
        65521);
  memcpy(result, r, 16);
}
static void words_host(void *user, void *result, const void *a, const void *b) { // first word, last word, count
  uint32_t x[3], y[3];
  (void)user;
  memcpy(x, a, 12), memcpy(y, b, 12);
  if (!x[2]) memcpy(x, y, 12);
  else if (y[2]) x[1] = y[1], x[2] += y[2];
  memcpy(result, x, 12);
}
static void sums_host(void *user, void *result, const void *a, const void *b) { // as many 8-byte words as *user says
  const int words = *(const int *)user;
  uint64_t x[8], y[8];
  int i;
  memcpy(x, a, (size_t)words * 8), memcpy(y, b, (size_t)words * 8);
  for (i = 0; i < words; i++) x[i] += y[i] * (uint64_t)(i + 1) - y[i] * (uint64_t)i;
  memcpy(result, x, (size_t)words * 8);
}
static void later_host(void *user, void *result, const void *a, const void *b) { // the later nonzero byte wins
  const unsigned char x = *(const unsigned char *)a, y = *(const unsigned char *)b;
  (void)user;
  *(unsigned char *)result = y & 1 ? y : x;
}
static int three_words = 3, eight_words = 8;

static user_op USER_OPS[] = {
    {"affine", "struct affine { unsigned int a, b; };", "affine r; r.a = a.a * b.a; r.b = b.a * a.b + b.b; return r;",
        "affine{1u, 0u}", 8, 4, 2, 0, affine_host, {1}, {0}, 0, 0},
    {"matrix", "struct alignas(16) matrix { unsigned int m[4]; };",
        "matrix r; for (int i = 0; i < 4; i++) r.m[i] = (unsigned)(((unsigned long long)(a.m[i & 2] % 65521u) * "
        "(b.m[i & 1] % 65521u) + (unsigned long long)(a.m[(i & 2) + 1] % 65521u) * (b.m[(i & 1) + 2] % 65521u)) % "
        "65521u); "
        "return r;",
        "matrix{{1u, 0u, 0u, 1u}}", 16, 16, 4, 0, matrix_host, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {0}, 0, 0},
    {"words", "struct words { unsigned int first, last, count; };",
        "if (a.count == 0) return b; if (b.count == 0) return a; words r; r.first = a.first; r.last = b.last; "
        "r.count = a.count + b.count; return r;",
        "words{0u, 0u, 0u}", 12, 4, 3, 0, words_host, {0}, {0}, 0, 0},
    {"sums3", "struct sums3 { unsigned long long v[3]; };", "for (int i = 0; i < 3; i++) a.v[i] += b.v[i]; return a;",
        "sums3{{0, 0, 0}}", 24, 8, 3, 1, sums_host, {0}, {0}, 0, 0},
    {"sums8", "struct alignas(16) sums8 { unsigned long long v[8]; };",
        "for (int i = 0; i < 8; i++) a.v[i] += b.v[i]; return a;", "sums8{{0, 0, 0, 0, 0, 0, 0, 0}}", 64, 16, 8, 1,
        sums_host, {0}, {0}, 0, 0},
    {"later", "struct later { unsigned char v; };", "return (b.v & 1) ? b : a;", "later{0}", 1, 1, 1, 0, later_host,
        {0}, {0}, 0, 0},
};

// Defines a user's operator in one context.
static int define_user(gp_context *ctx, user_op *u, gp_type *type, gp_op *op) {
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc o = gp_op_desc_init();
  t.name = u->name;
  t.source = u->source;
  t.size = (size_t)u->size;
  t.align = (size_t)u->align;
  o.name = u->name;
  o.body = u->body;
  o.identity = u->identity;
  o.arity = 2;
  o.commutative = u->commutative;
  o.host = u->host;
  o.host_identity = u->host_identity;
  o.host_identity_size = (size_t)u->size;
  o.host_user = u->size == 24 ? &three_words : &eight_words;
  if (gp_type_struct(ctx, &t, type) || gp_op_define(ctx, &o, op)) {
    fail("defining %s: %s", u->name, gp_last_message());
    return -1;
  }
  return 0;
}

static void group_structs(void) {
  static const uint64_t counts[] = {0, 1, 2, 31, 33, 1000, 4097, 70001, 300007};
  int u, k, s, q;
  for (u = 0; u < COUNT(USER_OPS); u++) {
    user_op *o = &USER_OPS[u];
    o->row.name = o->name;
    o->row.size = o->size;
    o->row.fields = o->fields;
    o->row.number = GP_DATA_UINT;
    if (define_user(gpu, o, &o->row.handle, &o->gpu_op)) continue;
    if (define_user(host, o, &o->row.host_handle, &o->host_op)) continue;
    if (sanitizer && u > 2) continue;
    for (k = 0; k < 4; k++)
      for (q = -1; q < (k == 0 ? COUNT(REDUCE_POLICIES) : k < 3 ? COUNT(SCAN_POLICIES) : 0); q++) {
        if ((quick || sanitizer) && q >= 0 && (q * 5 + u + k) % 4) continue;
        for (s = 0; s < (sanitizer ? 6 : COUNT(counts)); s++) {
          problem p = problem_of(k < 3 ? REDUCTIONS[k] : GP_COPY, k < 3 ? o->gpu_op : 0, &o->row, counts[s], UNIFORM);
          if (out_of_time()) return;
          if (q >= 0 && s > 0 && s < 5) continue;
          p.host_op = k < 3 ? o->host_op : 0;
          if (q >= 0) p.policy = k == 0 ? &REDUCE_POLICIES[q] : &SCAN_POLICIES[q];
          solve(&main_bench, &p);
        }
      }
  }
  { // raw bytes: a type without source can be copied and filled
    gp_type_desc t = gp_type_desc_init();
    check_type row = {"raw20", 20, GP_DATA_UINT, 5, 0, 0};
    static const char value[20] = "nineteen characters";
    t.name = "raw20";
    t.size = 20;
    t.align = 4;
    if (gp_type_struct(gpu, &t, &row.handle) || gp_type_struct(host, &t, &row.host_handle))
      fail("raw20: %s", gp_last_message());
    else
      for (s = 0; s < 7; s++) {
        problem p = problem_of(GP_COPY, 0, &row, counts[s], UNIFORM);
        p.in_offset = 4 * (s % 4);
        p.out_offset = 4 * (s / 2 % 4);
        solve(&main_bench, &p);
        p = problem_of(GP_FILL, 0, &row, counts[s], 0);
        p.init = value;
        solve(&main_bench, &p);
      }
  }
}

// ---- streams, threads, graphs ---------------------------------------------------------------------------------------

// Many calls on one stream without a wait: they share the stream's workspace, and each leaves its state to the next.
static void group_queue(void) {
  enum { CALLS = 120 };
  static const char *const NAMES[] = {"u32", "u8", "f64", "u64"};
  const gp_policy overlapping[3] = {
      {.algorithm = GP_LOOK_BACK, .threads = 256, .vectors = 3, .blocks_per_sm = 4, .overlap = 1},
      {.algorithm = GP_EVEN_SHARE, .threads = 512, .vectors = 4, .blocks_per_sm = 2, .overlap = 1},
      {.algorithm = GP_PIPELINED, .threads = 256, .vectors = 5, .stages = 3, .blocks_per_sm = 2, .overlap = 1}};
  int pass_number, i;
  for (pass_number = 0; pass_number < (sanitizer ? 1 : quick ? 3 : 8); pass_number++) {
    static workbench benches[CALLS];
    static problem problems[CALLS];
    static gp_call calls[CALLS];
    void *stream = new_stream();
    if (out_of_time()) break;
    for (i = 0; i < CALLS; i++) {
      const uint64_t h = gp_data_hash((uint64_t)(i + pass_number * 1000));
      const check_type *t = type_named(NAMES[h % 4]);
      const int k = (int)((h >> 8) % 3);
      const int data = is_float(t) ? EXACT : UNIFORM;
      problems[i] = problem_of(REDUCTIONS[k], GP_SUM, t, (h >> 16) % (h & 64 ? 3000 : 120000), data);
      if (pass_number % 2) problems[i].policy = k == 0 ? &overlapping[1] : h & 128 ? &overlapping[2] : &overlapping[0];
      else if (k && h & 256) problems[i].policy = &SCAN_POLICIES[(h >> 40) % COUNT(SCAN_POLICIES)];
      else if (!k && h & 256) problems[i].policy = &REDUCE_POLICIES[(h >> 40) % COUNT(REDUCE_POLICIES)];
      benches[i].stream = stream;
      if (expect(&benches[i], &problems[i])) continue;
      calls[i] = place(&benches[i], &problems[i]);
      if (gp_prepare(gpu, &calls[i]) == GP_E_POLICY) {
        problems[i].policy = NULL;
        calls[i].policy = NULL;
      }
    }
    wait_device();
    for (i = 0; i < CALLS; i++) {
      const gp_result r = run_gpu(&calls[i], stream);
      if (r) fail("call %d of a queue: %s: %s", i, gp_result_name(r), gp_last_message());
    }
    for (i = 0; i < CALLS; i++) compare(&benches[i], &problems[i], calls[i].out, " in a queue");
    free_stream(stream);
  }
}

// A chain on one stream: each call reads the previous one's output, with overlapping launches.
static void group_chain(void) {
  const gp_policy scan = {.overlap = 1}, map = {.algorithm = GP_DIRECT, .overlap = 1};
  const check_type *t = type_named("u32");
  const uint64_t n = sanitizer ? 5003 : 1000003;
  const int links = sanitizer ? 6 : 40;
  void *stream = new_stream();
  char *a = device_new(n * 4), *b = device_new(n * 4), *total = device_new(256);
  char *x = host_new(n * 4), *y = host_new(n * 4), *got = host_new(n * 4);
  uint32_t sum = 0, sum_got = 0;
  int i;
  gp_result r = GP_SUCCESS;
  make_data(t, UNIFORM, 3, x, n);
  upload(a, x, n * 4);
  for (i = 0; i < links && !r; i++) {
    gp_call c = gp_call_init(i % 3 == 0 ? GP_INCLUSIVE_SCAN : i % 3 == 1 ? GP_TRANSFORM : GP_EXCLUSIVE_SCAN);
    c.op = i % 3 == 1 ? GP_NEGATE : GP_SUM;
    c.in_type = c.out_type = GP_U32;
    c.in = a;
    c.out = b;
    c.count = n;
    if (on_gpu && device.compute_capability >= 90) c.policy = i % 3 == 1 ? &map : &scan;
    r = run_gpu(&c, stream);
    c.in = x;
    c.out = y;
    c.policy = NULL;
    if (!r) r = gp_run(host, &c, NULL);
    { // swap
      char *p = a;
      a = b, b = p;
      p = x;
      x = y, y = p;
    }
  }
  if (!r) r = gp_reduce(gpu, GP_SUM, GP_U32, GP_U32, a, n, total, stream);
  if (!r) r = gp_reduce(host, GP_SUM, GP_U32, GP_U32, x, n, &sum, NULL);
  if (r) fail("a chain of %d calls: %s: %s", links, gp_result_name(r), gp_last_message());
  else {
    wait_stream(stream);
    download(got, a, n * 4);
    download(&sum_got, total, 4);
    if (memcmp(got, x, n * 4) || sum != sum_got) fail("a chain of %d calls: wrong result", links);
    else pass();
  }
  wait_stream(stream);
  device_free(a);
  device_free(b);
  device_free(total);
  free(x);
  free(y);
  free(got);
  free_stream(stream);
}

typedef struct thread_job {
  int index, rounds;
} thread_job;

static void *thread_main(void *argument) {
  static const char *const NAMES[] = {"u32", "u8", "f32", "u64"};
  const thread_job *job = (const thread_job *)argument;
  workbench w;
  int i;
  memset(&w, 0, sizeof w);
  if (on_gpu) GP_CUDA_CHECK(&cuda, set_current(primary));
  w.stream = new_stream();
  for (i = 0; i < job->rounds && !out_of_time(); i++) {
    const uint64_t h = gp_data_hash((uint64_t)(job->index * 1000 + i));
    const check_type *t = type_named(NAMES[h % 4]);
    problem p = problem_of(h & 64 ? REDUCTIONS[(h >> 8) % 3] : GP_COPY, h & 64 ? GP_SUM : 0, t,
        (h >> 16) % (h & 32 ? 200000 : 2000), is_float(t) ? EXACT : UNIFORM);
    solve(&w, &p);
  }
  wait_stream(w.stream);
  free_stream(w.stream);
  return NULL;
}

// A context is closed while threads use it: each call runs completely or returns an error; the last results are right.
typedef struct closing_job {
  gp_context *ctx;
  void *in, *out, *stream;
  uint64_t count;
  int index, *begun, wrong;
} closing_job;
static void *closing_main(void *argument) {
  closing_job *job = (closing_job *)argument;
  for (;;) {
    gp_description about = gp_description_init();
    const gp_result r = (job->index + *job->begun) % 5 == 0
        ? gp_describe(job->ctx, &about)
        : gp_inclusive_scan(job->ctx, GP_SUM, GP_U32, GP_U32, job->in, job->count, job->out, job->stream);
    __atomic_add_fetch(job->begun, 1, __ATOMIC_RELAXED);
    if (r == GP_E_CONTEXT) return NULL;
    if (r) {
      fail("a call that races gp_close: %s: %s", gp_result_name(r), gp_last_message());
      job->wrong = 1;
      return NULL;
    }
  }
}
static void close_under_threads(int round) {
  enum { THREADS = 8, COUNT_MOST = 20000 };
  static uint32_t ones[COUNT_MOST], got[COUNT_MOST];
  pthread_t threads[THREADS];
  closing_job jobs[THREADS];
  gp_context *ctx = NULL;
  void *in = device_new(sizeof ones);
  int begun = 0, i;
  uint64_t k;
  gp_config config = gpu_config;
  gp_result r;
  config.own_work = round % 2; // gp_close waits for events, and frees little workspaces before
  config.workspace_bytes = round % 3 ? 0 : 1 << 17;
  r = gp_open(&config, &ctx);
  if (r) {
    fail("gp_open: %s: %s", gp_result_name(r), gp_last_message());
    return;
  }
  for (k = 0; k < COUNT_MOST; k++) ones[k] = 1;
  upload(in, ones, sizeof ones);
  for (i = 0; i < THREADS; i++) {
    jobs[i].ctx = ctx, jobs[i].in = in, jobs[i].out = device_new(sizeof got), jobs[i].stream = new_stream();
    jobs[i].count = (uint64_t)(100 + i * 2500), jobs[i].index = i, jobs[i].begun = &begun, jobs[i].wrong = 0;
    r = gp_inclusive_scan(ctx, GP_SUM, GP_U32, GP_U32, in, jobs[i].count, jobs[i].out, jobs[i].stream);
    if (r) fail("before gp_close: %s: %s", gp_result_name(r), gp_last_message());
  }
  for (i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, closing_main, &jobs[i])) exit(3);
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < 20 + 13 * round) sched_yield();
  r = gp_close(ctx);
  if (r) fail("gp_close: %s: %s", gp_result_name(r), gp_last_message());
  for (i = 0; i < THREADS; i++) {
    int bad = 0;
    pthread_join(threads[i], NULL);
    wait_stream(jobs[i].stream);
    download(got, jobs[i].out, jobs[i].count * 4);
    for (k = 0; k < jobs[i].count; k++) bad |= got[k] != k + 1;
    if (bad) fail("thread %d: results after gp_close", i);
    else if (!jobs[i].wrong) pass();
    device_free(jobs[i].out);
    free_stream(jobs[i].stream);
  }
  device_free(in);
}

static void group_threads(void) {
  enum { THREADS = 16 };
  pthread_t threads[THREADS];
  thread_job jobs[THREADS];
  const int count = sanitizer ? 4 : THREADS;
  int i;
  for (i = 0; i < count; i++) {
    jobs[i].index = i;
    jobs[i].rounds = sanitizer ? 6 : quick ? 40 : 150;
    if (pthread_create(&threads[i], NULL, thread_main, &jobs[i])) exit(3);
  }
  for (i = 0; i < count; i++) pthread_join(threads[i], NULL);
  for (i = 0; i < (sanitizer ? 2 : quick ? 10 : 40) && !out_of_time(); i++) close_under_threads(i);
}

// Kernels are unloaded while their launches still run: a context keeps one kernel, long sorts are queued, and other
// calls replace their kernels. Unloading must wait for the launches, or leave the code alone.
static void passing_kernels(void) {
  static const gp_op ops[] = {GP_SUM, GP_MIN, GP_MAX, GP_BIT_XOR};
  const uint64_t count = sanitizer ? 20000 : on_gpu ? (uint64_t)1 << 25 : 1 << 18;
  uint32_t *x = (uint32_t *)host_new(count * 4);
  gp_context *ctx = NULL;
  void *in = device_new(count * 4), *out = device_new(count * 4), *folded = device_new(64), *stream = new_stream();
  void *other = new_stream();
  gp_result r = gp_open(&gpu_config, &ctx);
  uint64_t k;
  int i, bad = 0;
  for (k = 0; k < count; k++) x[k] = (uint32_t)gp_data_hash(k);
  upload(in, x, count * 4);
  if (!r) ctx->state->kernels_most = 1;
  for (i = 0; i < 4 && !r; i++) {
    r = gp_sort_keys(ctx, GP_U32, in, count, out, 0, stream);
    if (!r) r = gp_reduce(ctx, ops[i], GP_U32, GP_U32, in, count, folded, other);
  }
  if (r) fail("passing kernels: %s: %s", gp_result_name(r), gp_last_message());
  wait_device();
  download(x, out, count * 4);
  for (k = 1; k < count; k++) bad |= x[k - 1] > x[k];
  if (bad) fail("passing kernels: a sort whose kernels went is wrong");
  else pass();
  if (ctx && gp_close(ctx)) fail("gp_close: %s", gp_last_message());
  free_stream(stream);
  free_stream(other);
  device_free(in);
  device_free(out);
  device_free(folded);
  free(x);
}

// Streams that live for one call, more than the context keeps workspaces for; each begins before the previous one ends.
static void passing_streams(void) {
  enum { EACH = 40000 };
  const int streams = sanitizer ? 20 : 500;
  uint32_t *x = (uint32_t *)host_new(EACH * 4), *got = (uint32_t *)host_new((uint64_t)streams * EACH * 4);
  gp_config config = gpu_config;
  gp_context *ctx = NULL;
  void *in = device_new(EACH * 4), *out = device_new((uint64_t)streams * EACH * 4);
  gp_result r;
  int i, k, bad = 0;
  if (sanitizer) config.workspaces = 4;
  r = gp_open(&config, &ctx);
  for (k = 0; k < EACH; k++) x[k] = (uint32_t)gp_data_hash((uint64_t)k);
  upload(in, x, EACH * 4);
  for (i = 0; i < streams && !r; i++) {
    void *stream = new_stream();
    r = gp_inclusive_scan(ctx, GP_SUM, GP_U32, GP_U32, in, EACH, (uint32_t *)out + (uint64_t)i * EACH, stream);
    free_stream(stream); // the work continues
  }
  wait_device();
  if (r) fail("passing streams: %s: %s", gp_result_name(r), gp_last_message());
  download(got, out, (uint64_t)streams * EACH * 4);
  for (i = 0; i < streams && !r; i++) {
    uint32_t sum = 0;
    for (k = 0; k < EACH; k++) bad |= got[(uint64_t)i * EACH + (uint64_t)k] != (sum += x[k]);
  }
  if (!r) {
    uint64_t kept = 0;
    const gp__workspace *w;
    for (i = 0; i < GP__STREAM_SLOTS; i++)
      for (w = ctx->state->streams[i]; w; w = w->next) kept += w->workspace != NULL;
    if (bad) fail("passing streams: a result is wrong");
    else pass();
    if (on_gpu && kept > (uint64_t)streams * 3 / 4) fail("%llu workspaces are kept", (unsigned long long)kept);
    else pass();
  }
  if (ctx && gp_close(ctx)) fail("gp_close: %s", gp_last_message());
  device_free(in);
  device_free(out);
  free(x);
  free(got);
}

// Work on several streams at once, each with its workspace; no wait until all are filled.
static void group_streams(void) {
  enum { STREAMS = 12, EACH = 6 };
  static workbench benches[STREAMS * EACH];
  static problem problems[STREAMS * EACH];
  static gp_call calls[STREAMS * EACH];
  void *streams[STREAMS];
  int i;
  for (i = 0; i < STREAMS; i++) streams[i] = i ? new_stream() : NULL; // the default stream too
  for (i = 0; i < STREAMS * EACH; i++) {
    const uint64_t h = gp_data_hash((uint64_t)i + 77777);
    problems[i] = problem_of(
        REDUCTIONS[i % 3], GP_SUM, type_named(i & 1 ? "u32" : "u8"), 1000 + h % (sanitizer ? 4000 : 900000), UNIFORM);
    benches[i].stream = streams[i % STREAMS];
    if (expect(&benches[i], &problems[i])) return;
    calls[i] = place(&benches[i], &problems[i]);
  }
  wait_device();
  for (i = 0; i < STREAMS * EACH; i++) {
    const gp_result r = run_gpu(&calls[i], benches[i].stream);
    if (r) fail("stream %d: %s: %s", i % STREAMS, gp_result_name(r), gp_last_message());
  }
  for (i = 0; i < STREAMS * EACH; i++) compare(&benches[i], &problems[i], calls[i].out, " beside other streams");
  wait_device();
  for (i = 1; i < STREAMS; i++) free_stream(streams[i]);
  passing_streams();
  passing_kernels();
}

// Captured once, replayed with new inputs.
static void group_graph(void) {
  static const char *const NAMES[] = {"u32", "f32", "u8"};
  static const uint64_t counts[] = {100, 70001, 3000017};
  int t, s, q;
  if (!on_gpu) {
    printf("skipped: graphs need a GPU\n");
    skipped++;
    return;
  }
  for (t = 0; t < 3; t++)
    for (s = 0; s < (sanitizer ? 2 : 3); s++)
      for (q = 0; q < (sanitizer ? 3 : 8); q++) {
        static workbench w[3];
        problem p[3];
        gp_call c[3];
        const check_type *type = type_named(NAMES[t]);
        void *stream = new_stream(), *graph = NULL, *executable = NULL;
        uint64_t need = 0;
        int i, replay, bad = 0;
        gp_result r = GP_SUCCESS;
        if (out_of_time()) return;
        p[0] = problem_of(GP_REDUCE, GP_SUM, type, counts[s], is_float(type) ? EXACT : UNIFORM);
        p[1] = problem_of(GP_EXCLUSIVE_SCAN, GP_SUM, type, counts[s], is_float(type) ? EXACT : UNIFORM);
        p[2] = problem_of(GP_COPY, 0, type, counts[s], UNIFORM);
        if (q) {
          p[0].policy = &REDUCE_POLICIES[(q * 3) % COUNT(REDUCE_POLICIES)];
          p[1].policy = &SCAN_POLICIES[(q * 5) % COUNT(SCAN_POLICIES)];
        }
        for (i = 0; i < 3 && !bad; i++) {
          uint64_t bytes = 0;
          w[i].stream = stream;
          bad |= expect(&w[i], &p[i]);
          c[i] = place(&w[i], &p[i]);
          r = gp_prepare(gpu, &c[i]);
          if (r == GP_E_POLICY) {
            p[i].policy = c[i].policy = NULL;
            r = gp_prepare(gpu, &c[i]);
          }
          if (!r) r = gp_workspace_size(gpu, &c[i], &bytes);
          if (bytes > need) need = bytes;
          if (r) bad = 1;
        }
        if (!bad && !r) r = gp_reserve(gpu, stream, need);
        if (bad || r) {
          fail("before capture: %s: %s", gp_result_name(r), gp_last_message());
          free_stream(stream);
          continue;
        }
        wait_device();
        GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
        for (i = 0; i < 3 && !r; i++) r = run_gpu(&c[i], stream);
        if (r) fail("in capture: %s: %s", gp_result_name(r), gp_last_message());
        if (cuda.capture_end(stream, &graph) || !graph) fail("the capture was broken off");
        else if (!r) {
          GP_CUDA_CHECK(&cuda, graph_instantiate(&executable, graph, 0));
          for (replay = 0; replay < 5; replay++) {
            for (i = 0; i < 3; i++) { // new data for every replay
              gp_call h;
              make_data(type, p[i].data, (uint64_t)(100 + replay * 10 + i), w[i].host_in, p[i].n);
              h = call_of(&p[i], 0);
              h.in = w[i].host_in;
              h.out = w[i].host_want;
              if (gp_run(host, &h, NULL)) fail("host: %s", gp_last_message());
              upload(w[i].device_in, w[i].host_in, p[i].n * (uint64_t)type->size);
              poison(w[i].device_out, out_items(&p[i]) * out_item(&p[i]) + 2 * GUARD, stream);
            }
            GP_CUDA_CHECK(&cuda, graph_launch(executable, stream));
            if (replay == 3) GP_CUDA_CHECK(&cuda, graph_launch(executable, stream)); // twice in a row
            for (i = 0; i < 3; i++) compare(&w[i], &p[i], c[i].out, " in a graph");
          }
          // A call outside the graph continues on the same stream.
          r = run_gpu(&c[1], stream);
          if (r) fail("after the graph: %s", gp_last_message());
          else compare(&w[1], &p[1], c[1].out, " after a graph");
          GP_CUDA_CHECK(&cuda, graph_exec_destroy(executable));
        }
        if (graph) GP_CUDA_CHECK(&cuda, graph_destroy(graph));
        wait_device();
        free_stream(stream);
      }
  { // too small a workspace during capture: an error, the capture survives, and the next call works
    static workbench w;
    static const gp_policy many_tiles = {GP_LOOK_BACK, 128, 1, 0, 0, 0, 0, 0}; // more than a stream before had
    problem p = problem_of(GP_EXCLUSIVE_SCAN, GP_SUM, type_named("u32"), 9000001, UNIFORM);
    void *graph = NULL;
    gp_call c;
    gp_result r;
    p.policy = &many_tiles;
    w.stream = new_stream();
    if (sanitizer || expect(&w, &p)) return;
    c = place(&w, &p);
    if (gp_prepare(gpu, &c)) fail("%s", gp_last_message());
    wait_device();
    GP_CUDA_CHECK(&cuda, capture_begin(w.stream, GP_CUDA_CAPTURE_RELAXED));
    r = run_gpu(&c, w.stream);
    if (r != GP_E_WORKSPACE)
      fail("a workspace too small in a capture: %s instead of GP_E_WORKSPACE", gp_result_name(r));
    else pass();
    if (cuda.capture_end(w.stream, &graph)) fail("GP_E_WORKSPACE broke off the capture");
    else pass();
    if (graph) cuda.graph_destroy(graph);
    r = run_gpu(&c, w.stream);
    if (r) fail("after GP_E_WORKSPACE: %s: %s", gp_result_name(r), gp_last_message());
    else compare(&w, &p, c.out, " after GP_E_WORKSPACE");
    free_stream(w.stream);
  }
}

// ---- bits -----------------------------------------------------------------------------------------------------------

// The same call gives the same bits: floats whose sum depends on the order, five runs, other work beside them.
static void group_determinism(void) {
  static const char *const NAMES[] = {"f32", "f16", "f64", "bf16"};
  static const uint64_t counts[] = {1000, 100003, 4000037};
  void *other = new_stream();
  int t, k, s, q, run;
  for (t = 0; t < COUNT(NAMES); t++) {
    const check_type *type = type_named(NAMES[t]);
    if (!type_wanted[type - TYPES]) continue;
    for (k = 0; k < 3; k++)
      for (s = 0; s < (sanitizer ? 1 : COUNT(counts)); s++)
        for (q = -1; q < (k == 0 ? COUNT(REDUCE_POLICIES) : COUNT(SCAN_POLICIES)); q++) {
          problem p = problem_of(REDUCTIONS[k], GP_SUM, type, counts[s], UNIFORM);
          const uint64_t bytes = (k == 0 ? 1 : p.n) * (uint64_t)type->size;
          char text[400];
          gp_call c;
          gp_result r = GP_SUCCESS;
          int same = 1;
          if (out_of_time()) return;
          if ((quick || sanitizer) && q >= 0 && (q + t + k) % 3) continue;
          if (t && q >= 0 && (q + t) % 4) continue;
          if (q >= 0) p.policy = k == 0 ? &REDUCE_POLICIES[q] : &SCAN_POLICIES[q];
          if (expect(&main_bench, &p)) continue;
          for (run = 0; run < 5 && !r; run++) {
            c = place(&main_bench, &p);
            if (run & 1) { // something else on the machine
              gp_call noise = c;
              noise.policy = NULL;
              noise.out = main_bench.device_in2;
              if (run_gpu(&noise, other)) fail("%s", gp_last_message());
            }
            r = run_gpu(&c, main_bench.stream);
            wait_device();
            if (r) break;
            download(run ? main_bench.host_got : main_bench.host_in2, c.out, bytes);
            if (run && memcmp(main_bench.host_got, main_bench.host_in2, bytes)) same = 0;
          }
          if (r == GP_E_POLICY && p.policy) refused++;
          else if (r) fail("%s: %s: %s", describe(&p, text, sizeof text), gp_result_name(r), gp_last_message());
          else if (!same) fail("%s: other bits from run to run", describe(&p, text, sizeof text));
          else pass();
        }
  }
  wait_device();
  free_stream(other);
}

// GP_REPRODUCIBLE: the bits of the host back end, under every valid policy and at any alignment.
static void group_reproducible(void) {
  static const char *const NAMES[] = {"f32", "f64", "f16", "bf16"};
  static const uint64_t counts[] = {0, 1, 33, 1000, 8191, 100003, 3000017};
  static const gp_policy reduces[] = {{0, 0, 0, 0, 0, 0, 0, 0}, {GP_STEALING, 512, 4, 0, 0, 0, 1, 0},
      {GP_STEALING, 512, 4, 1, 0, 0, 4, 0}, {GP_STEALING, 512, 4, 2, 0, 0, 2, 1}};
  static const gp_policy scans[] = {{0, 0, 0, 0, 0, 0, 0, 0}, {GP_LOOK_BACK, 256, 9, 0, 0, 0, 1, 0},
      {GP_LOOK_BACK, 256, 9, 1, 1, 0, 4, 0}, {GP_PIPELINED, 256, 9, 0, 0, 3, 2, 0},
      {GP_PIPELINED, 256, 9, 0, 0, 4, 1, 0}};
  int t, k, s, q, offset;
  for (t = 0; t < COUNT(NAMES); t++) {
    const check_type *type = type_named(NAMES[t]);
    if (!type_wanted[type - TYPES]) continue;
    for (k = 0; k < 3; k++)
      for (s = 0; s < (sanitizer ? 4 : COUNT(counts)); s++)
        for (q = 0; q < (k == 0 ? COUNT(reduces) : COUNT(scans)); q++)
          for (offset = 0; offset < 2; offset++) {
            problem p = problem_of(REDUCTIONS[k], GP_SUM, type, counts[s], UNIFORM);
            const uint64_t bytes = (k == 0 ? 1 : p.n) * (uint64_t)type->size;
            char text[400];
            gp_call c;
            gp_result r;
            if (out_of_time()) return;
            if (offset && (q > 1 || s % 2)) continue;
            p.flags = GP_REPRODUCIBLE;
            p.in_offset = p.out_offset = offset * type->size;
            p.policy = k == 0 ? &reduces[q] : &scans[q];
            if (!q) p.policy = NULL;
            if (expect(&main_bench, &p)) continue;
            c = place(&main_bench, &p);
            r = run_gpu(&c, main_bench.stream);
            if ((r == GP_E_POLICY || r == GP_E_UNSUPPORTED) && p.policy) {
              refused++;
              continue;
            }
            if (r) {
              fail("%s: %s: %s", describe(&p, text, sizeof text), gp_result_name(r), gp_last_message());
              continue;
            }
            wait_stream(main_bench.stream);
            download(main_bench.host_got, c.out, bytes);
            if (memcmp(main_bench.host_got, main_bench.host_want, bytes))
              fail("%s: other bits than the host's", describe(&p, text, sizeof text));
            else pass();
          }
  }
}

// ---- errors ---------------------------------------------------------------------------------------------------------

static void want_error(gp_call c, gp_result wanted, const char *what, char *out) {
  char before[64], after[64];
  gp_result r;
  poison(out, 64, NULL);
  wait_device();
  download(before, out, 64);
  r = run_gpu(&c, NULL);
  wait_device();
  download(after, out, 64);
  if (r != wanted)
    fail("%s: %s instead of %s (%s)", what, gp_result_name(r), gp_result_name(wanted), r ? gp_last_message() : "");
  else if (memcmp(before, after, 64)) fail("%s: the output was touched", what);
  else if (!gp_last_message()[0]) fail("%s: no message", what);
  else pass();
}

static void group_errors(void) {
  char *in = device_new(1 << 16), *out = device_new(1 << 16);
  const gp_policy bad_threads = {0, 100, 0, 0, 0, 0, 0, 0}, bad_algorithm = {GP_EVEN_SHARE, 0, 0, 0, 0, 0, 0, 0};
  gp_call good = gp_call_init(GP_EXCLUSIVE_SCAN), c;
  problem p = problem_of(GP_EXCLUSIVE_SCAN, GP_SUM, type_named("u32"), 5000, UNIFORM);
  good.op = GP_SUM;
  good.in_type = good.out_type = GP_U32;
  good.in = in;
  good.out = out;
  good.count = 1000;
  c = good, c.in = NULL, want_error(c, GP_E_NULL, "in is null", out);
  c = good, c.out = NULL, want_error(c, GP_E_NULL, "out is null", out);
  c = good, c.in = in + 1, want_error(c, GP_E_ALIGNMENT, "in off by a byte", out);
  c = good, c.out = out + 2, want_error(c, GP_E_ALIGNMENT, "out off by two bytes", out);
  c = good, c.out = in + 400, want_error(c, GP_E_OVERLAP, "a partial overlap", in + 400);
  c = good, c.in_type = 999, want_error(c, GP_E_TYPE, "an unknown type", out);
  c = good, c.op = 999, want_error(c, GP_E_OPERATOR, "an unknown operator", out);
  c = good, c.op = GP_BIT_XOR, c.in_type = c.out_type = GP_F32,
  want_error(c, GP_E_OPERATOR, "exclusive or of floats", out);
  c = good, c.count = 1ull << 62, want_error(c, GP_E_SIZE, "a count whose bytes overflow", out);
  if (on_gpu) {
    c = good, c.policy = &bad_threads, want_error(c, GP_E_POLICY, "100 threads", out);
    c = good, c.policy = &bad_algorithm, want_error(c, GP_E_POLICY, "a reduce's algorithm for a scan", out);
  }
  if (on_gpu) { // source that does not compile: the message shows it
    gp_op_desc o = gp_op_desc_init();
    gp_op broken = 0;
    o.name = "broken";
    o.body = "return a +* b;";
    o.identity = "0";
    o.arity = 2;
    if (gp_op_define(gpu, &o, &broken)) fail("gp_op_define: %s", gp_last_message());
    c = good, c.op = broken, want_error(c, GP_E_COMPILE, "an operator that does not compile", out);
    if (strstr(gp_last_message(), "broken")) pass();
    else fail("the compiler's message does not name the operator: %s", gp_last_message());
  }
  solve(&main_bench, &p); // the next call works
  device_free(in);
  device_free(out);
}

// ---- past 2^31 and 2^32 ---------------------------------------------------------------------------------------------

// Inputs by iota, results by formula at windows around the places where 32-bit arithmetic would break.
static void check_window(const char *what, const unsigned char *out, uint64_t at, uint64_t n, int kind) {
  enum { WINDOW = 1 << 16 };
  static unsigned char got[WINDOW];
  const uint64_t start = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
  const uint64_t count = start >= n ? 0 : n - start < WINDOW ? n - start : WINDOW;
  uint64_t i;
  download(got, out + start, count);
  for (i = 0; i < count; i++) {
    const uint64_t k = start + i; // bytes 0 1 2 ...: the sum before k is k (k - 1) / 2
    const uint64_t half = k & 1 ? k * ((k - 1) / 2) : (k / 2) * (k - 1);
    const unsigned char want = (unsigned char)(kind == 0 ? k : kind == 1 ? half : half + k);
    if (got[i] != want) {
      fail("%s of %llu bytes: element %llu is %d, not %d", what, (unsigned long long)n, (unsigned long long)k, got[i],
          want);
      return;
    }
  }
  pass();
}

static void group_big(void) {
  size_t room = 0, total = 0;
  const uint64_t most = full ? 1ull << 33 : (1ull << 32) + 4097;
  uint64_t n = most;
  unsigned char *in, *out;
  uint64_t sum = 0, want, windows[8];
  uint64_t *words;
  int k, i;
  if (!on_gpu || sanitizer) {
    printf("skipped: sizes past 2^32 %s\n", on_gpu ? "take too long under a sanitizer" : "need a GPU");
    skipped++;
    return;
  }
  GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  if (room < 2 * most + (1u << 30)) {
    printf("skipped: sizes past 2^32 need %llu GiB of device memory\n", (unsigned long long)(2 * most >> 30) + 1);
    skipped++;
    return;
  }
  in = device_new(most + 64);
  out = device_new(most + 64);
  words = device_new(256);
  for (n = most; n >= (1ull << 31) - 1;
       n = n > (1ull << 32) ? (1ull << 32) + 1 == n ? (1ull << 31) + 5 : (1ull << 32) + 1 : 0) {
    gp_result r = gp_iota(gpu, GP_U8, NULL, NULL, in, n, NULL);
    windows[0] = 0, windows[1] = 1ull << 30, windows[2] = 1ull << 31, windows[3] = 3ull << 30, windows[4] = 1ull << 32;
    windows[5] = n, windows[6] = n / 3, windows[7] = n / 7 * 6;
    wait_device();
    if (r) fail("iota: %s", gp_last_message());
    for (k = 0; k < 4 && !r; k++) {
      static const char *const NAMES[] = {"copy", "exclusive scan", "inclusive scan", "copy one byte off"};
      poison(out, n + 1, NULL);
      r = k == 0 ? gp_copy(gpu, GP_U8, in, n, out, NULL)
          : k == 1 ? gp_exclusive_scan(gpu, GP_SUM, GP_U8, GP_U8, NULL, in, n, out, NULL)
          : k == 2 ? gp_inclusive_scan(gpu, GP_SUM, GP_U8, GP_U8, in, n, out, NULL)
          : gp_copy(gpu, GP_U8, in, n, out + 1, NULL);
      wait_device();
      if (r) fail("%s of %llu bytes: %s", NAMES[k], (unsigned long long)n, gp_last_message());
      else
        for (i = 0; i < 8; i++) check_window(NAMES[k], k == 3 ? out + 1 : out, windows[i], n, k == 3 ? 0 : k);
    }
    r = gp_reduce(gpu, GP_SUM, GP_U8, GP_U64, in, n, words, NULL);
    wait_device();
    download(&sum, words, 8);
    want = n / 256 * 32640 + (n % 256) * (n % 256 - 1) / 2;
    if (r) fail("reduce of %llu bytes: %s", (unsigned long long)n, gp_last_message());
    else if (sum != want)
      fail("reduce of %llu bytes: %llu, not %llu", (unsigned long long)n, (unsigned long long)sum,
          (unsigned long long)want);
    else pass();
    if (out_of_time()) break;
  }
  device_free(in);
  device_free(out);
  device_free(words);
}

#include "gp_check_segments.h"

#include "gp_check_sorting.h"

#include "gp_check_find.h"

#include "gp_check_rows.h"

#include "gp_check_inputs.h"
#include "gp_check_types.h"

#include "gp_check_hash.h"

#include "gp_check_columns.h"
#include "gp_check_orders.h"

#include "gp_check_layouts.h"

#include "gp_check_transposes.h"

#include "gp_check_operators.h"

#include "gp_check_big.h"

#include "gp_check_graph_building.h"

#include "gp_check_graphs.h"

// ---- main -----------------------------------------------------------------------------------------------------------

// How many times of other policies than the first one of a kind of calls a tuned context has read.
static long tried_by(gp_context *ctx) {
  size_t length = 0;
  char *text, *line, first[400] = "";
  long tried = 0;
  if (gp_tuning_report(ctx, NULL, 0, &length)) return -1;
  text = host_new(length + 1);
  if (gp_tuning_report(ctx, text, length + 1, &length)) return -1;
  for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    const char *values = strstr(line, "\"values\": ["), *us = strstr(line, "\"us\"");
    if (!strncmp(line, "{\"tuner\"", 8)) first[0] = 0;
    else if (values && us && !first[0]) snprintf(first, sizeof first, "%.*s", (int)(us - values), values);
    else if (values && us) tried += strncmp(first, values, (size_t)(us - values)) != 0;
  }
  free(text);
  return tried;
}
// Calls that are tuned while they run: every result of every policy that is tried.
static void group_online(void) {
  static const struct {
    int primitive, op, n;
    const char *type;
  } CALLS[] = {{GP_REDUCE, GP_SUM, 300001, "u32"}, {GP_REDUCE, GP_MAX, 70001, "i16"},
      {GP_EXCLUSIVE_SCAN, GP_SUM, 150007, "u64"}, {GP_INCLUSIVE_SCAN, GP_MIN, 90001, "u8"},
      {GP_TRANSFORM, GP_NEGATE, 200003, "i32"}, {GP_TRANSFORM2, GP_MAX, 100003, "f32"}};
  gp_context *kept = gpu;
  gp_config config = gpu_config;
  const double until = now() + (quick ? 15 : 40);
  long tried, round = 0;
  int i;
  if (!on_gpu) {
    skipped++;
    return;
  }
  config.tuning = GP_TUNING_ONLINE;
  config.cache_dir = ""; // to begin anew
  if (gp_open(&config, &gpu)) {
    fail("gp_open: %s", gp_last_message());
    gpu = kept;
    return;
  }
  for (; now() < until && !out_of_time(); ++round)
    for (i = 0; i < COUNT(CALLS); ++i) {
      problem p = problem_of((gp_primitive)CALLS[i].primitive, (gp_op)CALLS[i].op, type_named(CALLS[i].type),
          (uint64_t)CALLS[i].n - (uint64_t)(round % 7), UNIFORM);
      solve(&main_bench, &p);
    }
  wait_device();
  tried = tried_by(gpu);
  printf("online: %ld rounds, %ld calls on other policies\n", round, tried);
  if (tried < (quick ? 1 : 3) * COUNT(CALLS)) fail("%ld calls on other policies than the first", tried);
  else pass();
  if (gp_close(gpu)) fail("gp_close: %s", gp_last_message());
  gpu = kept;
}

static const struct {
  const char *name;
  void (*run)(void);
} GROUPS[] = {{"types", group_types}, {"maps", group_maps}, {"operators", group_operators},
    {"policies", group_policies}, {"alignment", group_alignment}, {"fields", group_fields}, {"structs", group_structs},
    {"queue", group_queue}, {"chain", group_chain}, {"threads", group_threads}, {"streams", group_streams},
    {"graph", group_graph}, {"determinism", group_determinism}, {"reproducible", group_reproducible},
    {"errors", group_errors}, {"segments", group_segments}, {"sorting", group_sorting}, {"first", group_first},
    {"rows", group_rows}, {"sorting_policies", group_sorting_policies}, {"inputs", group_inputs}, {"hash", group_hash},
    {"elements", group_elements}, {"columns", group_columns}, {"orders", group_orders}, {"layouts", group_layouts},
    {"transposes", group_transposes}, {"building", group_graph_building}, {"graphs", group_graphs},
    {"online", group_online}, {"big", group_big}, {"far", group_far}};

// The types of tools/gp_cells.h: the library's, and its two structs.
static void define_types(void) {
  const char *wrong = cell_types_define(&gpu_types, gpu);
  int i;
  if (!wrong) wrong = cell_types_define(&host_types, host);
  if (wrong) {
    fprintf(stderr, "types: %s\n", wrong);
    exit(3);
  }
  for (i = 0; i < TYPE_COUNT; i++) {
    TYPES[i].handle = gpu_types.handles[i];
    TYPES[i].host_handle = host_types.handles[i];
  }
}

int main(int count, char **arguments) {
  int wanted[COUNT(GROUPS)] = {0}, any = 0, any_type = 0, i, g;
  gp_config config = gp_config_init();
  gp_result r;
  const char *reason;
  double start = now();
  for (i = 1; i < count; i++) {
    const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
    if (!strcmp(a, "--quick")) quick = 1;
    else if (!strcmp(a, "--full")) full = 1;
    else if (!strcmp(a, "--sanitizer")) sanitizer = 1;
    else if (!strcmp(a, "--no-pipelined")) no_pipelined = 1;
    else if (!strcmp(a, "--few-levels")) few_levels = 1;
    else if (!strcmp(a, "--tuned")) tuned = 1; // all calls of the GPU, while they run
    else if (!strcmp(a, "--list")) {
      for (g = 0; g < COUNT(GROUPS); g++) printf("%s\n", GROUPS[g].name);
      return 0;
    } else if (!value) {
      fprintf(stderr, "gp_check: %s is unknown, or its value is missing\n", a);
      return 2;
    } else {
      i++;
      if (!strcmp(a, "--group")) {
        for (g = 0; g < COUNT(GROUPS) && strcmp(value, GROUPS[g].name); g++) continue;
        if (g == COUNT(GROUPS)) return fprintf(stderr, "gp_check: no group %s\n", value), 2;
        wanted[g] = any = 1;
      } else if (!strcmp(a, "--types")) {
        char copy[200], *save = NULL, *word;
        snprintf(copy, sizeof copy, "%s", value);
        for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
          if (!type_named(word)) return fprintf(stderr, "gp_check: no type %s\n", word), 2;
          type_wanted[type_named(word) - TYPES] = any_type = 1;
        }
      } else if (!strcmp(a, "--part")) {
        if (sscanf(value, "%u/%u", &part, &parts) != 2 || part >= parts)
          return fprintf(stderr, "gp_check: --part 0/4 to 3/4, not %s\n", value), 2;
      } else if (!strcmp(a, "--each")) each = (unsigned)atoi(value) > 0 ? (unsigned)atoi(value) : 1;
      else if (!strcmp(a, "--cache")) cache_dir = value;
      else if (!strcmp(a, "--seconds")) deadline = start + atof(value);
      else if (!strcmp(a, "--backend") && !strcmp(value, "host")) on_gpu = 0;
      else return fprintf(stderr, "gp_check: no option %s %s\n", a, value), 2;
    }
  }
  for (i = 0; i < TYPE_COUNT && !any_type; i++) type_wanted[i] = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (on_gpu) {
    reason = gp_cuda_open(&cuda);
    if (reason) {
      printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", reason);
      return 0;
    }
    config.backend = GP_BACKEND_CUDA;
  } else config.backend = GP_BACKEND_HOST;
  config.cache_dir = cache_dir;
  config.tuning = tuned ? GP_TUNING_ONLINE : GP_TUNING_OFF;
  r = gp_open(&config, &gpu);
  gpu_config = config;
  config = gp_config_init();
  config.backend = GP_BACKEND_HOST;
  if (!r) r = gp_open(&config, &host);
  if (!r) r = gp_describe(gpu, &device);
  if (r) {
    printf("FAILED gp_open: %s: %s\n0 passed, 1 failed, 0 skipped\n", gp_result_name(r), gp_last_message());
    return 1;
  }
  if (on_gpu) {
    GP_CUDA_CHECK(&cuda, retain(&primary, device.device));
    GP_CUDA_CHECK(&cuda, set_current(primary));
  }
  define_types();
  main_bench.stream = new_stream();
  for (g = 0; g < COUNT(GROUPS); g++) {
    const long before = passed, failed_before = failed, refused_before = refused;
    const double began = now();
    if (any && !wanted[g]) continue;
    group_name = GROUPS[g].name;
    if (out_of_time()) {
      skipped++;
      continue;
    }
    for (i = 0; i <= tuned; i++) GROUPS[g].run(); // twice: kernels that the first time proposed are ready by then
    wait_device();
    printf("%-13s %7ld passed, %ld failed, %ld refused by policy, %.1f s\n", group_name, passed - before,
        failed - failed_before, refused - refused_before, now() - began);
    fflush(stdout);
  }
  wait_device();
  printf("calls in memory of their own: %ld\n", lent_runs);
  if (tuned) printf("calls on other policies than the first: %ld\n", tried_by(gpu));
  printf("prepared calls: %ld, of them %ld by the plan of another\n", prepared_runs, kept_plans);
  r = gp_close(gpu);
  if (r) fail("gp_close: %s", gp_last_message());
  if (gp_close(host)) fail("gp_close: %s", gp_last_message());
  printf("%ld passed, %ld failed, %ld skipped\n", passed, failed, skipped);
  return failed != 0;
}
