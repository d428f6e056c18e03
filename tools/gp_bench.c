// gp_bench.c - measures primitives: ours, the peers and the roofs, in one process, in turn.
//
//   gp_bench [options]                      tools/bench.py builds it and hands it the standard list
//     --cell "exclusive_scan SUM u32 n=268435456"   a cell; repeat for more
//     --cells FILE                          a cell a line, # starts a comment; - reads standard input
//     --policy algorithm=PIPELINED,threads=512      a variant of every cell; repeat for more. Fields left out: default
//     --no-default                          leave out the variant without a policy (it is in otherwise)
//     --peers cub,cub_radix,cuda,thrust,cublas,moderngpu,cudpp   which peers; "none". Default: cub, cub_radix and
//                                           cuda, and thrust where CUB has no call, and cublas beside transposes
//     --peers-library PATH                  libgp_peers.so; default: beside this program
//     --next-peers PATH                     libgp_peers.so of a newer CUB and Thrust: each cell beside both, in one
//                                           process (cub_next, cub_radix_next, thrust_next), checked against ours;
//                                           default: libgp_peers_next.so beside this program, where it is
//     --more-peers PATH                     libgp_more.so (tools/quality/libraries.py); default: none. Its calls are
//                                           checked against ours
//     --backend cuda|host|auto
//     --seconds S --cell-seconds S          stop starting cells after S; the most a cell may take
//     --batches N --batch-ms MS             batches of a cell (at least 7), and their target length
//     --out FILE                            JSON Lines, appended
//     --energy SECONDS                      joules a call, by NVML, over so long a time for each variant
//     --transfers                           ours and the peers while the next call's inputs come from the host
//     --overhead --first-call               measure the host's share of a call; the first call of a kernel
//     --commit TEXT                         stored with the environment
//     --cache DIR                           the disk cache of kernels; default as the library's
//     --profile CALLS                       for a profiler (tools/quality): no times. Ours is checked; it and each peer
//                                           run twice, then CALLS times between cuProfilerStart and cuProfilerStop,
//                                           after a launch of gp_profile_mark, whose grid is the `mark` of the line
//     --unmarked                            with --profile: without that launch. "mark N: ... started" on standard
//                                           output comes before the calls, "mark N: ... ok" behind them
//     --checked                             with --profile: another run has checked these calls; nothing is checked
//     --compile SECONDS                     only compiles what the cells and policies need into the disk cache; starts
//                                           no compilation after SECONDS
//
// Cells and policies are text, see tools/gp_cells.h.
//
// Every variant is checked before it is timed, at the cell's count and at a count with a ragged last tile, against the
// peer that computes in the same accumulator or against a loop on the host. Floats are checked on data with exact sums
// and on the cell's data. A primitive without a peer is checked against the host back end on fewer elements. A wrong
// variant is reported WRONG and gets no time. GB/s count each input read once, each output written once (gp_cells.h:
// moved_bytes). Exit status: 0 all measured right, 1 something was wrong or failed, 2 bad usage, 4 no GPU where one was
// asked for.
#define _GNU_SOURCE
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "gp_cells.h"
#include "gp_cuda.h"
#include "peers/data.h"
#include "peers/peers.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

// ---- small things ---------------------------------------------------------------------------------------------------

static void stop(int status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void stop(int status, const char *format, ...) {
  va_list arguments;
  fflush(stdout);
  fprintf(stderr, "gp_bench: ");
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(status);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t round_up(uint64_t a, uint64_t b) { return (a + b - 1) / b * b; }

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *values, int count) { // sorts
  if (!count) return 0;
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

// ---- the state of the program ---------------------------------------------------------------------------------------

enum { GUARD = 256, MAX_BATCHES = 64, MAX_VARIANTS = 96 };

typedef struct pool { // device memory, or the host's
  char *base;
  uint64_t bytes;
} pool;

enum { OURS, PEER, COPY_ROOF, READ_ROOF };
typedef struct variant {
  int kind;
  char label[160];
  char peer[16];
  gp_peer_fn run;
  int read_config;
  int has_policy;
  gp_policy policy, resolved;
  gp_policy_source source;
  gp_kernel_source origin;
  char status[512]; // "ok", "WRONG ...", "FAILED ..."
  uint64_t verified;
  double batches[MAX_BATCHES];
  int batch_count, calls;
  double median_us, min_us, max_us, cv;
  double joules, joules_error; // of a call; 0: not measured
  double copied_bytes, overlapped_bytes, copy_us; // of a call's inputs from the host; copy_us 0: not measured
  double bytes;
  void *graph;
  int has_call; // ours: shared by all calls
  gp_call call;
} variant;

static gp_cuda cuda;
static gp_nvml nvml;
static const gp_peers_table *peers;
static const gp_peers_table *next_peers, *more_peers; // `find` alone
static gp_context *ctx, *host_ctx; // host_ctx: opened by the first check that needs it
static gp_description device = {.struct_size = sizeof device};
static int on_gpu, l2_bytes;
static void *stream, *event_a, *event_b;
static pool pools[ROLE_COUNT], references[ROLE_COUNT], peer_workspace;
static uint64_t *result_words; // device memory, for peers->compare
static cell_types types, host_types;
static FILE *json;
static int failures;

static double option_seconds = 1e9, option_cell_seconds = 3, option_batch_ms = 3, option_energy, option_compile;
static int option_batches = 9, option_profile, option_transfers, option_unmarked, option_checked;
static const char *option_peers, *option_commit = "", *option_cache;

// ---- memory, on either back end -------------------------------------------------------------------------------------

static void wait_device(void) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, stream_wait(stream));
}

static void pool_reserve(pool *p, uint64_t bytes) {
  if (p->bytes >= bytes) return;
  if (on_gpu) {
    uint64_t address = 0;
    GP_CUDA_CHECK(&cuda, synchronize());
    if (p->base) GP_CUDA_CHECK(&cuda, free_((uint64_t)(uintptr_t)p->base));
    GP_CUDA_CHECK(&cuda, alloc(&address, bytes));
    p->base = (char *)(uintptr_t)address;
  } else {
    free(p->base);
    if (posix_memalign((void **)&p->base, 4096, bytes)) stop(3, "no memory for %llu bytes", (unsigned long long)bytes);
    memset(p->base, 1, bytes);
  }
  p->bytes = bytes;
}

// Copies go in the kernels' stream: a copy from pageable memory in the default stream returns when its bytes are
// staged, and a stream that does not wait for the default one may start before they have arrived.
static void write_device(void *to, const void *from, uint64_t bytes) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, to_device_async((uint64_t)(uintptr_t)to, from, bytes, stream));
  else memcpy(to, from, bytes);
  wait_device();
}

static void read_device(void *to, const void *from, uint64_t bytes) {
  wait_device();
  if (on_gpu) GP_CUDA_CHECK(&cuda, to_host(to, (uint64_t)(uintptr_t)from, bytes));
  else memcpy(to, from, bytes);
}

static void set_device(void *to, int byte, uint64_t bytes) {
  if (!bytes) return;
  if (on_gpu) GP_CUDA_CHECK(&cuda, set8((uint64_t)(uintptr_t)to, (unsigned char)byte, bytes, stream));
  else memset(to, byte, bytes);
}

static void generate(const type_row *t, cell_data data, uint64_t seed, void *out, uint64_t count) {
  enum { PIECE = 1 << 20 };
  static char *piece;
  uint64_t at;
  if (peers) {
    const int code = peers->generate(t->name, data.kind, data.parameter, seed, out, count, stream);
    if (code) stop(3, "generating %s: %s", t->name, peers->error(code));
    return;
  }
  if (!piece && !(piece = malloc((size_t)PIECE * 16))) stop(3, "no memory");
  for (at = 0; at < count; at += PIECE) {
    const uint64_t some = count - at < PIECE ? count - at : PIECE;
    gp_data_elements(t->number, t->size, t->fields, data.kind, data.parameter, seed, at, some, count, piece);
    write_device((char *)out + at * (uint64_t)t->size, piece, some * (uint64_t)t->size);
  }
}

// ---- buffers --------------------------------------------------------------------------------------------------------

// A set is one buffer of each pool. A cell's buffers are `stride` apart, so that a rotation through the sets leaves
// nothing of an earlier turn in the cache.
typedef struct buffers {
  char *at[ROLE_COUNT];
} buffers;

typedef struct layout {
  const cell *c;
  uint64_t stride[ROLE_COUNT], shift[ROLE_COUNT], sets; // stride 0: the cell does not use this buffer
  size_t slot[ROLE_COUNT]; // of gp_call; 0: no such pointer
  int source, sink; // the buffers of the roofs
} layout;

static int is_old(const cell *c) { return c->primitive < GP_SEGMENTED_REDUCE; }

// Bytes that a roof moves when it runs in place of the cell.
static double roof_bytes(const cell *c) {
  const uint64_t in = in_bytes(c, c->n), out = out_bytes(c, c->n);
  const double moved = moved_bytes(c, c->n);
  if (is_read_only(c)) return (double)((is_old(c) ? in : (uint64_t)moved) / 16 * 16);
  if (!reads_input(c) && is_old(c)) return (double)out;
  return is_old(c) ? 2 * (double)(in < out ? in : out) : 2 * (double)((uint64_t)(moved / 2) / 16 * 16);
}

static uint64_t cache_bytes(void) { return (uint64_t)(l2_bytes > 0 ? l2_bytes : 64 << 20); }

static layout layout_of(const cell *c) {
  const uint64_t least = on_gpu ? 8 * cache_bytes() : 64 << 20;
  const uint64_t roof = is_old(c) ? 0 : (uint64_t)roof_bytes(c) / (is_read_only(c) ? 1 : 2);
  uint64_t most = 1;
  layout l;
  int role;
  memset(&l, 0, sizeof l);
  l.c = c;
  l.source = l.sink = -1;
  for (role = ROLE_COUNT - 1; role >= 0; role--)
    if (cell_type(c, role)) *(role < FIRST_OUTPUT ? &l.source : &l.sink) = role;
  for (role = 0; role < ROLE_COUNT; role++) {
    uint64_t bytes = cell_bytes(c, role, c->n);
    if (!cell_type(c, role)) continue;
    if ((role == l.source || (role == l.sink && !is_read_only(c))) && bytes < roof) bytes = roof;
    l.slot[role] = cell_slot(c, role);
    if (role <= ROLE_in2) l.shift[role] = (uint64_t)c->in_offset;
    if (role == ROLE_out) l.shift[role] = (uint64_t)c->out_offset;
    l.stride[role] = round_up(bytes + l.shift[role] + 16, 256);
    if (role >= FIRST_OUTPUT) l.stride[role] += 2 * GUARD, l.shift[role] += GUARD;
    if (l.stride[role] > most) most = l.stride[role];
  }
  l.sets = least / most && !option_profile ? least / most : 1; // a profiler empties the caches itself
  return l;
}

static const layout *lay(const cell *c) { // of the measured cell
  static layout kept;
  if (kept.c != c) kept = layout_of(c);
  return &kept;
}

static void reserve_pools(const cell *c) {
  const layout l = layout_of(c);
  int role;
  for (role = 0; role < ROLE_COUNT; role++) {
    if (!l.stride[role]) continue;
    pool_reserve(&pools[role], l.sets * l.stride[role]);
    if (peers && role >= FIRST_OUTPUT && !option_checked) pool_reserve(&references[role], l.stride[role]);
  }
}

static void pool_free(pool *p) {
  if (p->base && on_gpu) GP_CUDA_CHECK(&cuda, free_((uint64_t)(uintptr_t)p->base));
  else free(p->base);
  memset(p, 0, sizeof *p);
}
// A profiler that replays kernels saves all memory that a kernel could write, so a small cell shall not keep the memory
// of a large one.
static void shrink_pools(const cell *c) {
  const layout l = layout_of(c);
  int role;
  wait_device();
  for (role = 0; role < ROLE_COUNT; role++) {
    if (pools[role].bytes > 2 * l.stride[role]) pool_free(&pools[role]);
    if (references[role].bytes > 2 * l.stride[role]) pool_free(&references[role]);
  }
}

static buffers set_of(const cell *c, uint64_t set) {
  const layout *l = lay(c);
  buffers b;
  int role;
  for (role = 0; role < ROLE_COUNT; role++)
    b.at[role] = l->stride[role] ? pools[role].base + set * l->stride[role] + l->shift[role] : NULL;
  return b;
}

// Fills an input of set 0 for n elements.
static void fill_input(const cell *c, int role, int kind, uint64_t n, char *at) {
  static const uint64_t SEEDS[FIRST_OUTPUT] = {11, 23, 37, 41};
  cell_data data;
  if (cell_data_of(c, role, kind, &data)) generate(cell_type(c, role), data, SEEDS[role], at, cell_count(c, role, n));
  else {
    const uint64_t bytes = cell_bytes(c, role, n);
    char *made = malloc(bytes + 1);
    if (!made) stop(3, "no memory");
    cell_make_input(c, role, n, made);
    write_device(at, made, bytes);
    free(made);
  }
}
// Writes pointers for n elements; they lead to buffers of `to`.
static void write_pointers(const cell *c, uint64_t n, buffers at, buffers to) {
  int role;
  for (role = 0; role < FIRST_OUTPUT; role++) {
    const int target = cell_target(c, role);
    const uint64_t bytes = cell_bytes(c, role, n);
    char *made = target < 0 ? NULL : malloc(bytes + 1);
    if (target < 0) continue;
    if (!made) stop(3, "no memory");
    cell_make_input(c, role, n, made);
    cell_point(c, role, n, made, to.at[target]);
    write_device(at.at[role], made, bytes);
    free(made);
  }
}

static void copy_device(char *to, const char *from, uint64_t bytes) {
  if (on_gpu) GP_CUDA_CHECK(&cuda, copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, stream));
  else memcpy(to, from, bytes);
}

// Fills the inputs of all sets. Random data fills the whole pool, so that each set holds another slice of it. Offsets,
// boundaries and sorted inputs are equal in all sets. This also empties the cache.
static void fill_pools(const cell *c) {
  static const uint64_t SEEDS[FIRST_OUTPUT] = {5, 7, 9, 13};
  const layout *l = lay(c);
  uint64_t set;
  int role;
  for (role = 0; role < FIRST_OUTPUT; role++) {
    const uint64_t stride = l->stride[role], used = l->sets * stride;
    cell_data data;
    if (!stride) continue;
    if (cell_data_of(c, role, c->kind, &data) && (!gp_data_has_place(data.kind) || is_old(c))) {
      const type_row *t = cell_type(c, role);
      generate(t, data, SEEDS[role], pools[role].base + l->shift[role], (used - l->shift[role]) / (uint64_t)t->size);
    } else {
      uint64_t done;
      fill_input(c, role, c->kind, c->n, pools[role].base + l->shift[role]);
      for (done = stride; done < used; done *= 2)
        copy_device(pools[role].base + done, pools[role].base, done < used - done ? done : used - done);
    }
  }
  for (set = 0; set < l->sets; set++) write_pointers(c, c->n, set_of(c, set), set_of(c, set));
  for (set = 0; c->in_place && set < l->sets; set++) {
    const buffers b = set_of(c, set);
    copy_device(b.at[ROLE_out], b.at[ROLE_in], cell_bytes(c, ROLE_in, c->n));
  }
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static gp_call call_of(const cell *c, const variant *v) {
  return cell_call(&types, c, v->has_policy ? &v->policy : NULL);
}

static void bind_all(const cell *c, gp_call *call, buffers b) {
  const layout *l = lay(c);
  int role;
  for (role = 0; role < ROLE_COUNT; role++)
    if (l->slot[role]) cell_put(c, call, role, l->slot[role], b.at[role]);
  if (c->in_place) call->in = call->out;
}

// ---- running a variant on one set of buffers ------------------------------------------------------------------------

static gp_peer_args peer_args(const cell *c, buffers b, uint64_t n) {
  gp_peer_args a = {b.at[ROLE_in], b.at[ROLE_in2], b.at[ROLE_keys], b.at[ROLE_keys2], b.at[ROLE_begin], b.at[ROLE_end],
      b.at[ROLE_out], b.at[ROLE_out_keys], b.at[ROLE_out2], b.at[ROLE_out3], (uint64_t *)(void *)b.at[ROLE_counts], n,
      0, 0, c->bins, c->scalar, c->scalar2, cell_second(c, n), c->begin_bit, c->end_bit, {0, 0, 0}};
  if (is_old(c)) return a;
  if (c->primitive == GP_TRANSPOSE || is_a(c->primitive, "axes")) cell_matrices(c, n, a.shape);
  if (cell_all_values(c)) a.scalar = a.scalar2 = NULL;
  a.count = cell_elements(c, n);
  a.segments = c->rows ? c->rows : cell_segments(c, n);
  a.length = has_word(c->primitive, 'n') ? cell_k(c, n) : c->haystack ? c->haystack : c->segments_mean;
  if (is_a(c->primitive, "axes")) {
    a.segments = n / cell_axis_length(c, n);
    if (c->axis != 2) a.segments = a.length = 0; // peers have rows without gaps
    else if (!has_word(c->primitive, 'n')) a.length = cell_axis_length(c, n);
  }
  return a;
}

// The roofs on the host: the C library's copy, and a sum over 8-byte words by all threads.
static void host_roof(const cell *c, const variant *v, buffers b) {
  static volatile uint64_t kept __attribute__((unused));
  const char *in = lay(c)->source < 0 ? NULL : b.at[lay(c)->source];
  const uint64_t *words = (const uint64_t *)(uintptr_t)((uintptr_t)in / 8 * 8);
  const long long n = (long long)(v->bytes / 8);
  long long i;
  uint64_t sum = 0;
  if (v->kind == COPY_ROOF) {
    if (in) memcpy(b.at[lay(c)->sink], in, (size_t)(v->bytes / 2));
    else memset(b.at[lay(c)->sink], 0x3a, (size_t)v->bytes);
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum)
#endif
  for (i = 0; i < n; i++) sum += words[i];
  kept = sum;
}

// 0, or -1 with the reason in v->status.
static int run_once(const cell *c, variant *v, buffers b, uint64_t n) {
  int code = 0;
  if (v->kind == OURS) {
    gp_call call;
    gp_result result;
    if (!v->has_call) v->call = call_of(c, v), v->has_call = 1;
    call = v->call;
    bind_all(c, &call, b);
    if (n != c->n) cell_resize(c, &call, n);
    result = gp_run(ctx, &call, stream);
    if (result == GP_SUCCESS) return 0;
    snprintf(v->status, sizeof v->status, "FAILED %s: %.400s", gp_result_name(result), gp_last_message());
    return -1;
  }
  if (v->kind == PEER) {
    const gp_peer_args a = peer_args(c, b, n);
    size_t bytes = peer_workspace.bytes;
    code = v->run(peer_workspace.base, &bytes, &a, stream);
  } else if (!on_gpu) {
    host_roof(c, v, b);
  } else {
    const layout *l = lay(c);
    const uint64_t in_shift = is_old(c) ? (uint64_t)c->in_offset : 0,
                   out_shift = is_old(c) ? (uint64_t)c->out_offset : 0;
    const uint64_t from = l->source < 0 ? 0 : (uint64_t)(uintptr_t)b.at[l->source] - in_shift;
    const uint64_t to = (uint64_t)(uintptr_t)b.at[l->sink] - out_shift;
    if (v->kind == READ_ROOF)
      code = peers->read(v->read_config, (const void *)(uintptr_t)from, (uint64_t)v->bytes, result_words, stream);
    else {
      if (from) code = cuda.copy(to, from, (size_t)(v->bytes / 2), stream);
      else code = cuda.set32(to, 0x3a113a11, (size_t)(v->bytes / 4), stream);
      if (code) return snprintf(v->status, sizeof v->status, "FAILED the driver's error %d", code), -1;
    }
  }
  if (!code) return 0;
  snprintf(v->status, sizeof v->status, "FAILED %s", peers ? peers->error(code) : "?");
  return -1;
}

static const char *name_or_none(const type_row *t) { return t ? t->name : ""; }

// The call of a table, or else, for what users write, of libgp_more.so.
static int find_in(const gp_peers_table *table, const cell *c, const char *peer, int plain, gp_peer_fn *run) {
  gp_peer_cell p;
  gp_peer_args a;
  size_t bytes = 0;
  memset(&p, 0, sizeof p);
  p.peer = peer;
  p.primitive = PRIMITIVE_NAMES[c->primitive];
  p.op = OPERATOR_NAMES[c->op];
  p.in = c->in->name;
  p.acc = folds(c->primitive) ? c->acc->name : c->in->name;
  p.out = c->out->name;
  p.key = name_or_none(c->key);
  p.payload = name_or_none(c->payload);
  p.offsets = name_or_none(c->offsets);
  p.lengths = name_or_none(c->lengths);
  p.form = FORM_NAMES[c->form];
  p.parts = c->parts;
  p.keep = c->keep;
  p.descending = c->descending;
  p.rows = (int)c->rows;
  p.plain = plain;
  p.sorted = c->haystack ? c->kind == GP_DATA_SORTED : !has_word(c->primitive, 'u') || c->sorted;
  *run = table && (reads_input(c) || !is_old(c)) && !c->in_place ? table->find(&p) : NULL;
  if (!*run && plain && table == peers && more_peers && !c->in_place) *run = more_peers->find(&p);
  a = peer_args(c, set_of(c, 0), c->n);
  if (!*run || (*run)(NULL, &bytes, &a, stream)) return 0;
  pool_reserve(&peer_workspace, bytes + 256);
  return 1;
}
static int find_peer(const cell *c, const char *peer, int plain, gp_peer_fn *run) {
  return find_in(peers, c, peer, plain, run);
}

// ---- checking -------------------------------------------------------------------------------------------------------

static double decode(const type_row *t, const char *at) {
  switch (t->number) {
  case GP_DATA_F16: {
    uint16_t h;
    memcpy(&h, at, 2);
    return gp_data_from_f16(h);
  }
  case GP_DATA_BF16: {
    uint16_t h;
    memcpy(&h, at, 2);
    return gp_data_from_bf16(h);
  }
  case GP_DATA_F32: {
    float f;
    memcpy(&f, at, 4);
    return f;
  }
  default: {
    double d;
    memcpy(&d, at, 8);
    return d;
  }
  }
}

static int is_float(const type_row *t) { return t->number != GP_DATA_INT && t->number != GP_DATA_UINT; }

static uint64_t decode_int(const type_row *t, const char *at) { // sign-extended
  const int size = t->size / t->fields;
  uint64_t u = 0;
  memcpy(&u, at, (size_t)size);
  if (t->number == GP_DATA_INT && size < 8 && (u >> (8 * size - 1))) u |= ~0ull << (8 * size);
  return u;
}

// Integers keep the accumulator's width: sums and products wrap in it, comparisons see the value in it.
static uint64_t wrap(const type_row *t, uint64_t u) {
  char bytes[8];
  memcpy(bytes, &u, 8);
  return decode_int(t, bytes);
}

static uint64_t apply_int(gp_op op, const type_row *acc, uint64_t a, uint64_t b) {
  const int is_signed = acc->number == GP_DATA_INT, less = is_signed ? (int64_t)b < (int64_t)a : b < a;
  switch (op) {
  case GP_SUM: return wrap(acc, a + b);
  case GP_PROD: return wrap(acc, a * b);
  case GP_MIN: return less ? b : a;
  case GP_MAX: return less ? a : b;
  case GP_BIT_AND: return a & b;
  case GP_BIT_OR: return a | b;
  case GP_BIT_XOR: return a ^ b;
  case GP_AND: return a && b;
  default: return a || b;
  }
}

static double apply_float(gp_op op, double a, double b) {
  switch (op) {
  case GP_SUM: return a + b;
  case GP_PROD: return a * b;
  case GP_MIN: return b < a ? b : a;
  case GP_MAX: return b > a ? b : a;
  case GP_AND: return a != 0 && b != 0;
  default: return a != 0 || b != 0;
  }
}

// Checks `out` on the host, element by element, in double or in the accumulator's integer width. NULL: right.
static const char *check_on_host(
    const cell *c, const char *in, const char *in2, const char *out, uint64_t n, double absolute, double relative) {
  static char reason[200];
  const int fields = c->in->fields, in_size = c->in->size / fields, out_size = c->out->size / fields;
  const int floats = is_float(c->acc);
  const gp_call call = call_of(c, &(variant){0});
  int f;
  uint64_t i;
  for (f = 0; f < fields; f++) {
    const char *from = in + f * in_size, *from2 = in2 ? in2 + f * in_size : NULL, *to = out + f * out_size;
    double total = c->op == GP_PROD || c->op == GP_AND ? 1
        : c->op == GP_MIN ? HUGE_VAL
        : c->op == GP_MAX ? -HUGE_VAL
        : 0;
    uint64_t whole = 0;
    if (!floats) {
      const int bits = 8 * c->acc->size / fields;
      const uint64_t top = c->acc->number == GP_DATA_INT ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
      whole = c->op == GP_PROD || c->op == GP_AND ? 1
          : c->op == GP_MIN ? top
          : c->op == GP_MAX ? (c->acc->number == GP_DATA_INT ? ~top : 0)
          : c->op == GP_BIT_AND ? wrap(c->acc, ~0ull)
          : 0;
    }
    for (i = 0; i < n; i++) {
      double x = 0, expected = 0;
      uint64_t u = 0, expected_int = 0;
      const int last = i + 1 == n;
      if (reads_input(c)) {
        if (is_float(c->in)) x = decode(c->in, from + i * (uint64_t)c->in->size);
        else
          u = decode_int(c->in, from + i * (uint64_t)c->in->size),
          x = c->in->number == GP_DATA_INT ? (double)(int64_t)u : (double)u;
        u = wrap(c->acc, u);
      }
      if (c->primitive >= GP_REDUCE) {
        const double before = total;
        const uint64_t whole_before = whole;
        total = apply_float(c->op, total, x);
        whole = apply_int(c->op, c->acc, whole, u);
        if (is_reduce(c) && !last) continue;
        expected = c->primitive == GP_EXCLUSIVE_SCAN ? before : total;
        expected_int = c->primitive == GP_EXCLUSIVE_SCAN ? whole_before : whole;
      } else if (c->primitive == GP_COPY) expected = x, expected_int = u;
      else if (c->primitive == GP_TRANSFORM2) {
        expected = apply_float(c->op, x, is_float(c->in) ? decode(c->in, from2 + i * (uint64_t)c->in->size) : 0);
        expected_int =
            is_float(c->in) ? 0 : apply_int(c->op, c->out, u, decode_int(c->in, from2 + i * (uint64_t)c->in->size));
      } else if (c->primitive == GP_TRANSFORM) {
        expected = c->op == GP_NEGATE ? -x
            : c->op == GP_ABS ? fabs(x)
            : c->op == GP_SQUARE ? x * x
            : c->op == GP_NOT ? x == 0
            : x;
        expected_int = c->op == GP_NEGATE ? 0 - u
            : c->op == GP_ABS ? (c->in->number == GP_DATA_INT && (int64_t)u < 0 ? 0 - u : u)
            : c->op == GP_SQUARE ? u * u
            : c->op == GP_NOT ? u == 0
            : u;
      } else if (c->primitive == GP_FILL) {
        if (memcmp(out + i * (uint64_t)c->out->size, call.OF_CALL(value), (size_t)c->out->size))
          return snprintf(reason, sizeof reason, "element %llu is not the value", (unsigned long long)i), reason;
        continue;
      } else expected = (double)i, expected_int = i; // iota
      {
        const char *at = is_reduce(c) ? to : to + i * (uint64_t)c->out->size;
        if (is_float(c->out)) {
          const double got = decode(c->out, at), want = floats ? expected : (double)expected_int;
          if (!(fabs(got - want) <= absolute + relative * fabs(want)) && !(got == want))
            return snprintf(
                       reason, sizeof reason, "element %llu: %.9g instead of %.9g", (unsigned long long)i, got, want),
                   reason;
        } else {
          const uint64_t got = decode_int(c->out, at),
                         want = wrap(c->out, floats ? (uint64_t)(int64_t)expected : expected_int);
          if (got != want)
            return snprintf(reason, sizeof reason, "element %llu: %lld instead of %lld", (unsigned long long)i,
                       (long long)got, (long long)want),
                   reason;
        }
      }
    }
  }
  return NULL;
}

// Fills the inputs for n elements, poisons the outputs, runs v, and checks the guard zones around the outputs. NULL:
// right.
static const char *run_guarded(const cell *c, variant *v, uint64_t n, int kind) {
  static char reason[200], guard[2 * GUARD];
  const buffers b = set_of(c, 0);
  int role, i;
  for (role = 0; role < FIRST_OUTPUT; role++)
    if (b.at[role]) fill_input(c, role, kind, n, b.at[role]);
  write_pointers(c, n, b, b);
  for (role = FIRST_OUTPUT; role < ROLE_COUNT; role++)
    if (b.at[role]) set_device(b.at[role] - GUARD, 0xA5, cell_bytes(c, role, n) + 2 * GUARD);
  if (c->in_place) copy_device(b.at[ROLE_out], b.at[ROLE_in], cell_bytes(c, ROLE_in, n));
  if (run_once(c, v, b, n)) return v->status;
  for (role = FIRST_OUTPUT; role < ROLE_COUNT; role++) {
    if (!b.at[role]) continue;
    read_device(guard, b.at[role] - GUARD, GUARD);
    read_device(guard + GUARD, b.at[role] + cell_bytes(c, role, n), GUARD);
    for (i = 0; i < 2 * GUARD; i++)
      if (guard[i] != (char)0xA5)
        return snprintf(reason, sizeof reason, "n=%llu: wrote %d bytes outside its output", (unsigned long long)n,
                   i < GUARD ? GUARD - i : i - GUARD + 1),
               reason;
  }
  return NULL;
}

// Compares `items` elements of our output with the peer's, both in device memory, exactly or within limits. NULL:
// equal.
static const char *compare_with_peer(
    const type_row *t, const char *ours, const char *expected, uint64_t items, double absolute, double relative) {
  static char reason[300];
  uint64_t words[3];
  unsigned char got[16], want[16];
  char shown[80];
  double error;
  int k;
  const int code = peers->compare(t->name, ours, expected, items, absolute, relative, result_words, stream);
  if (code) return snprintf(reason, sizeof reason, "comparing: %s", peers->error(code)), reason;
  read_device(words, result_words, sizeof words);
  if (!words[0]) return NULL;
  memcpy(&error, &words[2], 8);
  read_device(got, ours + words[1] * (uint64_t)t->size, (uint64_t)t->size);
  read_device(want, expected + words[1] * (uint64_t)t->size, (uint64_t)t->size);
  for (k = 0; k < t->size; k++) {
    sprintf(shown + 2 * k, "%02x", got[t->size - 1 - k]);
    sprintf(shown + 2 * (t->size + 1 + k), "%02x", want[t->size - 1 - k]);
  }
  memcpy(shown + 2 * t->size, "/", 2);
  shown[2 * t->size + 1] = ' ';
  snprintf(reason, sizeof reason, "%llu of %llu elements differ from the peer, the first is %llu (0x%s), error %.3g",
      (unsigned long long)words[0], (unsigned long long)items, (unsigned long long)words[1], shown, error);
  return reason;
}

// The same on the host, against the host back end's output.
static const char *compare_with_host(
    const type_row *t, const char *ours, const char *expected, uint64_t items, double absolute, double relative) {
  static char reason[200];
  const int size = t->size / t->fields;
  uint64_t i;
  for (i = 0; i < items * (uint64_t)t->fields; i++) {
    const char *a = ours + i * (uint64_t)size, *b = expected + i * (uint64_t)size;
    if (!memcmp(a, b, (size_t)size)) continue;
    if (is_float(t)) {
      const double x = decode(t, a), y = decode(t, b);
      if (x == y || (x != x && y != y) || fabs(x - y) <= absolute + relative * fabs(y)) continue;
      snprintf(reason, sizeof reason, "element %llu is %.9g, the host's %.9g", (unsigned long long)i, x, y);
    } else
      snprintf(reason, sizeof reason, "element %llu is %lld, the host's %lld", (unsigned long long)i,
          (long long)decode_int(t, a), (long long)decode_int(t, b));
    return reason;
  }
  return NULL;
}

// Runs the call on the host back end, on the inputs of set 0; outputs are in host memory. NULL, or what failed.
static const char *run_on_host(const cell *c, uint64_t n, char **outputs) {
  const buffers b = set_of(c, 0);
  char *inputs[FIRST_OUTPUT] = {NULL};
  const char *failed = NULL;
  gp_call call;
  int role;
  if (!host_ctx) {
    gp_config config = gp_config_init();
    config.backend = GP_BACKEND_HOST;
    if (gp_open(&config, &host_ctx) || cell_types_define(&host_types, host_ctx)) return gp_last_message();
  }
  call = cell_call(&host_types, c, NULL);
  cell_resize(c, &call, n);
  for (role = 0; role < ROLE_COUNT; role++) {
    const uint64_t bytes = cell_bytes(c, role, n);
    if (!b.at[role]) continue;
    if (role < FIRST_OUTPUT) {
      if (posix_memalign((void **)&inputs[role], 64, bytes + 1)) stop(3, "no memory");
      read_device(inputs[role], b.at[role], bytes);
      if (cell_target(c, role) >= 0) {
        cell_make_input(c, role, n, inputs[role]);
        cell_point(c, role, n, inputs[role], role == ROLE_keys ? inputs[ROLE_in] : outputs[ROLE_out]);
      }
    }
    cell_bind(c, &call, role, role < FIRST_OUTPUT ? inputs[role] : outputs[role]);
  }
  if (gp_run(host_ctx, &call, NULL)) failed = gp_last_message();
  for (role = 0; role < FIRST_OUTPUT; role++) free(inputs[role]);
  return failed;
}

static int compare_bytes(const void *a, const void *b) { return memcmp(a, b, 1); }
static int compare_halves(const void *a, const void *b) { return memcmp(a, b, 2); }
static int compare_words(const void *a, const void *b) { return memcmp(a, b, 4); }
static int compare_doublewords(const void *a, const void *b) { return memcmp(a, b, 8); }
// Sorts results that may come in any order by their bytes, row by row.
static void order_rows(const cell *c, uint64_t n, char *keys) {
  int (*const compare)(const void *, const void *) = c->in->size == 1 ? compare_bytes
      : c->in->size == 2 ? compare_halves
      : c->in->size == 4 ? compare_words
      : compare_doublewords;
  const uint64_t k = cell_k(c, n);
  uint64_t row;
  for (row = 0; row < c->rows; row++) qsort(keys + row * k * (uint64_t)c->in->size, k, (size_t)c->in->size, compare);
}
// Whether two results are equal up to order. For pairs, the keys are compared.
static const char *compare_unsorted(const cell *c, uint64_t n, const char *ours, const char *expected, int on_device) {
  const uint64_t bytes = cell_bytes(c, ROLE_out_keys, n);
  char *a = malloc(2 * bytes + 1), *b = a + bytes;
  int differ;
  if (!a) stop(3, "no memory");
  read_device(a, ours, bytes);
  if (on_device) read_device(b, expected, bytes);
  else memcpy(b, expected, bytes);
  order_rows(c, n, a);
  order_rows(c, n, b);
  differ = memcmp(a, b, bytes) != 0;
  free(a);
  return differ ? "the keys are not the expected ones" : NULL;
}

// Checks v, a primitive with more than one output or input, against a peer or the host back end. NULL: right.
static const char *check_outputs(const cell *c, variant *v, uint64_t n, int kind, gp_peer_fn reference) {
  static char reason[600];
  const int sums = folds(c->primitive) && is_float(c->acc) && kind != GP_DATA_EXACT && kind != GP_DATA_SMALL;
  const double absolute = sums ? (c->acc->number == GP_DATA_F64 ? 1e-10 : 1e-3) * (sqrt((double)n) + 1) : 0;
  const buffers b = set_of(c, 0);
  char *ours[ROLE_COUNT] = {NULL}, *expected[ROLE_COUNT] = {NULL};
  const char *told = run_guarded(c, v, n, kind);
  uint64_t counts[3] = {0, 0, 0}, right[3] = {0, 0, 0}, bytes;
  int role, k;
  if (told == v->status) return told;
  for (role = FIRST_OUTPUT; role < ROLE_COUNT && !told; role++) {
    if (!b.at[role]) continue;
    bytes = cell_bytes(c, role, n);
    if (reference) set_device(expected[role] = references[role].base + GUARD, 0xA5, bytes);
    else {
      ours[role] = malloc(bytes + 1);
      if (!ours[role] || posix_memalign((void **)&expected[role], 64, bytes + 1)) stop(3, "no memory");
      read_device(ours[role], b.at[role], bytes);
      memset(expected[role], 0xA5, bytes);
    }
  }
  if (!told && reference) {
    size_t workspace = peer_workspace.bytes;
    buffers other = b;
    gp_peer_args a;
    int code;
    for (role = FIRST_OUTPUT; role < ROLE_COUNT; role++) other.at[role] = expected[role];
    a = peer_args(c, other, n);
    write_pointers(c, n, b, other);
    code = reference(peer_workspace.base, &workspace, &a, stream);
    write_pointers(c, n, b, b);
    if (code) told = peers->error(code);
  } else if (!told) told = run_on_host(c, n, expected);
  if (!told && b.at[ROLE_counts]) {
    bytes = cell_bytes(c, ROLE_counts, n);
    read_device(counts, b.at[ROLE_counts], bytes);
    if (reference) read_device(right, expected[ROLE_counts], bytes);
    else memcpy(right, expected[ROLE_counts], bytes);
    for (k = 0; k < 3 && !told; k++)
      if (counts[k] != right[k]) {
        static char differs[100];
        snprintf(differs, sizeof differs, "counted %llu instead of %llu", (unsigned long long)counts[k],
            (unsigned long long)right[k]);
        told = differs;
      }
  }
  for (role = FIRST_OUTPUT; role < ROLE_counts && !told; role++) {
    const type_row *t = cell_type(c, role);
    const uint64_t live = b.at[role] ? cell_live(c, role, n, counts) : 0;
    unsigned char behind[256];
    if (!b.at[role]) continue;
    bytes = cell_bytes(c, role, n) - live * (uint64_t)t->size;
    if (bytes > sizeof behind) bytes = sizeof behind;
    if (has_word(c->primitive, 'u') && !c->sorted)
      told = role == ROLE_out_keys ? compare_unsorted(c, n, b.at[role], expected[role], reference != NULL) : NULL;
    else if (reference) told = compare_with_peer(t, b.at[role], expected[role], live, absolute, 0);
    else told = compare_with_host(t, ours[role], expected[role], live, absolute, sums ? 1e-5 : 0);
    if (bytes) read_device(behind, b.at[role] + live * (uint64_t)t->size, bytes);
    for (k = 0; k < (int)bytes && !told; k++)
      if (behind[k] != 0xA5) told = "something is written after the results";
  }
  for (role = FIRST_OUTPUT; role < ROLE_COUNT && !reference; role++) free(ours[role]), free(expected[role]);
  if (!told) return NULL;
  return snprintf(reason, sizeof reason, "n=%llu %s: %.400s", (unsigned long long)n, KIND_NAMES[kind], told), reason;
}

// Checks v on `n` elements of one distribution. NULL: right.
static const char *check_data(const cell *c, variant *v, uint64_t n, int kind, gp_peer_fn reference) {
  static char reason[400];
  const int exact = kind != GP_DATA_UNIFORM && kind != GP_DATA_SORTED;
  const double scale = c->in->size == 2 ? 0.0625 : 1;
  const double unit = c->acc->number == GP_DATA_F64 ? 1e-10 : c->acc->number == GP_DATA_F32 ? 1e-3 : 1;
  const double place = c->out->number == GP_DATA_F16 ? 2e-3
      : c->out->number == GP_DATA_BF16 ? 1.6e-2
      : c->out->number == GP_DATA_F32 ? 1e-6
      : 1e-14;
  const double subnormal = c->out->number == GP_DATA_F16 && !reference ? 6.1e-8 : 0; // one ulp of the smallest
  const double absolute = exact || c->primitive < GP_REDUCE
      ? subnormal
      : unit * scale * (sqrt((double)n) + (kind == GP_DATA_SORTED ? (double)n : 0));
  const double relative = (exact || c->primitive < GP_REDUCE) && reference ? 0 : place;
  const uint64_t ob = out_bytes(c, n), ib = in_bytes(c, n), items = is_reduce(c) ? 1 : n;
  const buffers b = set_of(c, 0);
  const char *told;
  if (!is_old(c) || (is_reduce(c) && cell_count(c, ROLE_out, n) > 1)) return check_outputs(c, v, n, kind, reference);
  told = run_guarded(c, v, n, kind);
  if (told) return told;
  if (reference) {
    buffers other = b;
    size_t workspace = peer_workspace.bytes;
    gp_peer_args a;
    int code;
    other.at[ROLE_out] = references[ROLE_out].base + GUARD + c->out_offset % 16;
    a = peer_args(c, other, n);
    code = reference(peer_workspace.base, &workspace, &a, stream);
    if (code) return snprintf(reason, sizeof reason, "the reference failed: %s", peers->error(code)), reason;
    told = compare_with_peer(c->out, b.at[ROLE_out], other.at[ROLE_out], items, absolute, relative);
    if (told)
      snprintf(reason, sizeof reason, "n=%llu %s: %.300s", (unsigned long long)n, KIND_NAMES[kind], told),
          told = reason;
    return told;
  }
  if (on_gpu) {
    char *in = malloc(ib + 1), *in2 = malloc(ib + 1), *out = malloc(ob + 1);
    if (!in || !in2 || !out) stop(3, "no memory to check a cell on the host");
    if (ib) read_device(in, b.at[ROLE_in], ib);
    if (ib && c->primitive == GP_TRANSFORM2) read_device(in2, b.at[ROLE_in2], ib);
    read_device(out, b.at[ROLE_out], ob);
    told = check_on_host(c, in, in2, out, n, absolute, relative);
    free(in);
    free(in2);
    free(out);
  } else told = check_on_host(c, b.at[ROLE_in], b.at[ROLE_in2], b.at[ROLE_out], n, absolute, relative);
  if (!told) return NULL;
  return snprintf(reason, sizeof reason, "n=%llu %s: %s", (unsigned long long)n, KIND_NAMES[kind], told), reason;
}

// Checks one of our variants; v->status becomes "ok" or names the fault.
static int verify(const cell *c, variant *v) {
  const uint64_t host_limit = 1u << 22;
  gp_peer_fn reference = NULL;
  uint64_t counts[2];
  int k, sums_fit;
  const int half_acc = c->acc->number == GP_DATA_F16 || c->acc->number == GP_DATA_BF16;
  if (!on_gpu && !is_old(c)) return 0; // the reference of these checks
  if (!find_peer(c, "cub", 0, &reference) && (is_old(c) || !find_peer(c, "thrust", 0, &reference))) reference = NULL;
  counts[0] = reference || c->n <= host_limit ? c->n : host_limit;
  counts[1] = counts[0] > 100 ? counts[0] - 37 : counts[0] > 1 ? counts[0] - 1 : 1;
  if (c->shape[0] && c->n <= 1u << 27) counts[0] = counts[1] = c->n; // another policy may be valid for other shapes
  sums_fit = is_float(c->in) && c->op == GP_SUM && !half_acc && folds(c->primitive);
  v->verified = counts[0];
  for (k = counts[0] != counts[1]; k >= 0; k--) {
    const char *told = NULL;
    if (sums_fit) told = check_data(c, v, counts[k], GP_DATA_EXACT, reference);
    if (!told) told = check_data(c, v, counts[k], c->kind, reference);
    if (told && told != v->status && reference && !is_old(c)) { // the host back end decides who is right
      char by_peer[sizeof v->status];
      snprintf(by_peer, sizeof by_peer, "%s", told);
      told = check_data(c, v, counts[k], c->kind, NULL);
      if (!told) fprintf(stderr, "the peer is wrong, the host back end and ours agree: %s\n", by_peer);
    }
    if (!told) continue;
    if (told == v->status) return -1;
    snprintf(v->status, sizeof v->status, "WRONG %s", told);
    return -1;
  }
  strcpy(v->status, "ok");
  return 0;
}

// Whether this call is of libgp_more.so: old libraries, and calls that nothing else has checked.
static int is_of_more(const cell *c, const char *peer) {
  gp_peer_fn known;
  const gp_peers_table *const all = more_peers;
  int found;
  more_peers = NULL;
  found = find_peer(c, peer, 1, &known);
  more_peers = all;
  return !found;
}

// Checks a peer's call against ours, which is right. A partition's second part has an order of the peer's own, and so
// has a shuffle.
static void verify_peer(const cell *c, variant *ours, variant *peer) {
  const int sums_fit = is_float(c->in) && c->op == GP_SUM && folds(c->primitive);
  const char *told;
  if (c->primitive == GP_PARTITION || c->primitive == GP_SHUFFLE) return;
  told = check_data(c, ours, c->n, sums_fit ? GP_DATA_EXACT : c->kind, peer->run);
  if (told) snprintf(peer->status, sizeof peer->status, "WRONG beside ours: %.400s", told);
}

// ---- timing ---------------------------------------------------------------------------------------------------------

// Evicts the whole L2 cache by a copy of other memory, which leaves clean and dirty lines there, as calls do.
static void empty_cache(void) {
  static pool other;
  const uint64_t bytes = 2 * cache_bytes();
  pool_reserve(&other, 2 * bytes);
  GP_CUDA_CHECK(&cuda, copy((uint64_t)(uintptr_t)other.base + bytes, (uint64_t)(uintptr_t)other.base, bytes, stream));
}

// Microseconds a call, over `calls` calls, beginning at buffer set *set. Negative: failed.
static double time_batch(const cell *c, variant *v, int calls, uint64_t *set) {
  const uint64_t sets = c->protocol == BACK_TO_BACK ? 1 : lay(c)->sets;
  double start = 0;
  float ms = 0;
  int i;
  if (v->graph && is_warm_again(c, sets)) empty_cache();
  if (on_gpu) GP_CUDA_CHECK(&cuda, event_record(event_a, stream));
  else start = now();
  if (v->graph) {
    for (i = 0; i < calls; i += calls_of_graph(c, sets)) GP_CUDA_CHECK(&cuda, graph_launch(v->graph, stream));
    calls = i;
  } else {
    for (i = 0; i < calls; i++) {
      if (run_once(c, v, set_of(c, *set), c->n)) return -1;
      if (++*set >= sets) *set = 0;
    }
  }
  if (!on_gpu) return (now() - start) * 1e6 / calls;
  GP_CUDA_CHECK(&cuda, event_record(event_b, stream));
  GP_CUDA_CHECK(&cuda, event_wait(event_b));
  GP_CUDA_CHECK(&cuda, event_elapsed(&ms, event_a, event_b));
  return (double)ms * 1e3 / calls;
}

static int make_graph(const cell *c, variant *v) {
  void *graph = NULL;
  const uint64_t sets = lay(c)->sets;
  int i, failed = 0, code;
  GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
  for (i = 0; i < calls_of_graph(c, sets) && !failed; i++) failed = run_once(c, v, set_of(c, (uint64_t)i % sets), c->n);
  code = cuda.capture_end(stream, &graph);
  if (!failed && !code) code = cuda.graph_instantiate(&v->graph, graph, 0);
  if (graph) cuda.graph_destroy(graph);
  if (!failed && code) snprintf(v->status, sizeof v->status, "FAILED to capture: the driver's error %d", code);
  if (failed || code) v->graph = NULL;
  return failed || code ? -1 : 0;
}

// Finds how many calls make a batch. Returns 0, or -1 when the variant failed.
static int prepare_timing(const cell *c, variant *v, uint64_t *set) {
  const int calls = calls_of_graph(c, lay(c)->sets);
  double us;
  if (run_once(c, v, set_of(c, 0), c->n) || run_once(c, v, set_of(c, 0), c->n)) return -1;
  wait_device();
  if (is_replayed(c) && make_graph(c, v)) return -1;
  us = time_batch(c, v, v->graph ? calls : 2, set);
  us = us < 0 ? us : time_batch(c, v, v->graph ? calls : 4, set);
  if (us < 0) return -1;
  v->calls = (int)(option_batch_ms * 1e3 / (us > 0.5 ? us : 0.5));
  if (v->calls < 1) v->calls = 1;
  if (v->calls > 400) v->calls = 400;
  if (v->graph) v->calls = c->protocol == COLD_GRAPH ? calls : (v->calls + calls - 1) / calls * calls;
  return 0;
}

// Joules a call, from NVML's counter over `option_energy` seconds in a few windows; the error is the standard error of
// their mean. Idle power is part of it.
static void measure_energy(const cell *c, variant *v, uint64_t *set) {
  enum { WINDOWS = 4 };
  double joules[WINDOWS], sum = 0, squares = 0;
  int i;
  for (i = 0; i < WINDOWS; i++) {
    const double start = now();
    double calls = 0;
    unsigned long long before, after;
    if (!gp_nvml_energy(&nvml, &before)) return;
    do {
      if (time_batch(c, v, v->calls, set) < 0) return;
      calls += v->calls;
    } while (now() - start < option_energy / WINDOWS);
    if (!gp_nvml_energy(&nvml, &after)) return;
    joules[i] = (double)(after - before) * 1e-3 / calls;
    sum += joules[i];
  }
  for (i = 0; i < WINDOWS; i++) squares += (joules[i] - sum / WINDOWS) * (joules[i] - sum / WINDOWS);
  v->joules = sum / WINDOWS;
  v->joules_error = sqrt(squares / (WINDOWS - 1) / WINDOWS);
}

// Copies all inputs of a set from pinned memory, in `copies`. The host holds the bytes of set 0.
static void *copies;
static double copy_inputs(const cell *c, buffers b, const char *from) {
  double bytes = 0;
  int role;
  for (role = 0; role < FIRST_OUTPUT; role++) {
    const uint64_t some = b.at[role] ? cell_bytes(c, role, c->n) : 0;
    if (!some || cell_target(c, role) >= 0) continue;
    GP_CUDA_CHECK(&cuda, to_device_async((uint64_t)(uintptr_t)b.at[role], from + (uint64_t)bytes, some, copies));
    bytes += (double)some;
  }
  return bytes;
}

// Data transfer: while a call runs, the next call's inputs come from the host in another stream. Time that this saves
// over copies and calls one after another is time of copies that the call hides. A call that waits for the host hides
// less. All sets get the bytes of set 0, so that a single set keeps its bytes while it is copied to and read.
static void measure_transfers(const cell *c, variant *v) {
  enum { STEPS = 8 };
  static char *pinned;
  static uint64_t room;
  const uint64_t sets = lay(c)->sets;
  uint64_t bytes = 0, at = 0;
  double start, copy_us, call_us, both_us, hidden;
  int role, step;
  if (!copies) GP_CUDA_CHECK(&cuda, stream_create(&copies, GP_CUDA_STREAM_NON_BLOCKING));
  for (role = 0; role < FIRST_OUTPUT; role++)
    if (set_of(c, 0).at[role] && cell_target(c, role) < 0) bytes += cell_bytes(c, role, c->n);
  if (!bytes) return;
  if (room < bytes) {
    void *fresh = NULL;
    GP_CUDA_CHECK(&cuda, host_alloc(&fresh, bytes)); // the smaller one stays until the end
    pinned = fresh, room = bytes;
  }
  for (role = 0; role < FIRST_OUTPUT; role++) {
    const buffers b = set_of(c, 0);
    if (!b.at[role] || cell_target(c, role) >= 0) continue;
    read_device(pinned + at, b.at[role], cell_bytes(c, role, c->n));
    at += cell_bytes(c, role, c->n);
  }
  wait_device();
  start = now();
  for (step = 0; step < STEPS; step++) v->copied_bytes = copy_inputs(c, set_of(c, (uint64_t)step % sets), pinned);
  GP_CUDA_CHECK(&cuda, stream_wait(copies));
  copy_us = (now() - start) * 1e6 / STEPS;
  start = now();
  for (step = 0; step < STEPS; step++)
    if (run_once(c, v, set_of(c, (uint64_t)step % sets), c->n)) return;
  wait_device();
  call_us = (now() - start) * 1e6 / STEPS;
  start = now();
  for (step = 0; step < STEPS; step++) { // the copy of the next inputs begins before the call and may outlast it
    copy_inputs(c, set_of(c, (uint64_t)(step + 1) % sets), pinned);
    if (run_once(c, v, set_of(c, (uint64_t)step % sets), c->n)) return;
    wait_device();
    GP_CUDA_CHECK(&cuda, stream_wait(copies));
  }
  both_us = (now() - start) * 1e6 / STEPS;
  hidden = (copy_us + call_us - both_us) / copy_us;
  v->overlapped_bytes = v->copied_bytes * (hidden < 0 ? 0 : hidden > 1 ? 1 : hidden);
  v->copy_us = copy_us;
}

static void summarise(variant *v) {
  double sum = 0, squares = 0;
  int i;
  for (i = 0; i < v->batch_count; i++) sum += v->batches[i];
  sum /= v->batch_count;
  for (i = 0; i < v->batch_count; i++) squares += (v->batches[i] - sum) * (v->batches[i] - sum);
  v->cv = v->batch_count > 1 ? sqrt(squares / (v->batch_count - 1)) / sum : 0;
  v->median_us = median(v->batches, v->batch_count);
  v->min_us = v->batches[0];
  v->max_us = v->batches[v->batch_count - 1];
}

// The fastest configuration of the read roof for this many bytes; cached.
static int best_read_config(const cell *c, double bytes) {
  static struct {
    double bytes;
    int protocol, config;
  } known[256];
  static int known_count;
  int i, config, best = 0;
  double best_us = 1e30;
  uint64_t set = 0;
  for (i = 0; i < known_count; i++)
    if (known[i].bytes == bytes && known[i].protocol == c->protocol) return known[i].config;
  for (config = 0; config < peers->configs; config++) {
    variant v;
    double us, us2;
    memset(&v, 0, sizeof v);
    v.kind = READ_ROOF;
    v.bytes = bytes;
    v.read_config = config;
    if (prepare_timing(c, &v, &set)) continue;
    us = time_batch(c, &v, v.calls, &set);
    us2 = time_batch(c, &v, v.calls, &set);
    if (us2 < us) us = us2;
    if (v.graph) cuda.graph_exec_destroy(v.graph);
    if (us > 0 && us < best_us) best_us = us, best = config;
  }
  if (known_count < 256) {
    known[known_count].bytes = bytes;
    known[known_count].protocol = c->protocol;
    known[known_count++].config = best;
  }
  return best;
}

// ---- results --------------------------------------------------------------------------------------------------------

static void json_string(const char *text) {
  fputc('"', json);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fprintf(json, "\\%c", *text);
    else if ((unsigned char)*text < 32) fprintf(json, "\\u%04x", *text);
    else fputc(*text, json);
  }
  fputc('"', json);
}

static void json_field(const char *name, const char *text) {
  fprintf(json, ", \"%s\": ", name);
  json_string(text);
}

static void json_policy(const gp_policy *p) {
  char number[16];
  int field;
  fprintf(json, ", \"policy\": {");
  for (field = 0; field < POLICY_FIELD_COUNT; field++) {
    const char *value = policy_value(p, field, number), *quote = value == number ? "" : "\"";
    if (value) fprintf(json, "%s\"%s\": %s%s%s", field ? ", " : "", POLICY_FIELDS[field].name, quote, value, quote);
  }
  fputc('}', json);
}

static const char *const POLICY_SOURCES[] = {"?", "caller", "device", "capability", "class", "portable", "host"};
static const char *const KERNEL_SOURCES[] = {"none", "bundle", "disk", "compiled", "host"};
static const char *const VARIANT_KINDS[] = {"ours", "peer", "copy_roof", "read_roof"};

static double gbs(const variant *v) { return v->median_us > 0 ? v->bytes / v->median_us / 1e3 : 0; }

// The sorts' unit: 1e9 keys a second, for us and the peers.
static void print_keys(const cell *c, const variant *v) {
  if ((moves_keys(c->primitive) || c->groups) && v->median_us > 0 && (v->kind == OURS || v->kind == PEER))
    printf(" %8.3f Gkeys/s", (double)c->n / v->median_us / 1e3);
}

static void write_cell(const cell *c, const variant *all, int count, gp_nvml_sample before, gp_nvml_sample after) {
  int i, k;
  double roof = 0, peer_us = 0;
  char own[200];
  cell_own_words(c, own, sizeof own);
  for (i = 0; i < count; i++) {
    if (all[i].kind == (is_read_only(c) ? READ_ROOF : COPY_ROOF)) roof = gbs(&all[i]);
    if (all[i].kind == PEER && all[i].median_us > 0 && (peer_us == 0 || all[i].median_us < peer_us))
      peer_us = all[i].median_us;
  }
  for (i = 0; i < count; i++) {
    const variant *v = &all[i];
    char policy[120] = "";
    if (v->kind == OURS) {
      const gp_policy *p = &v->resolved;
      if (v->source && v->source != GP_POLICY_HOST)
        snprintf(policy, sizeof policy, "%s t%d v%d s%d b%d l%d st%d o%d",
            ALGORITHM_NAMES[p->algorithm % GP_ALGORITHM_COUNT], p->threads, p->vectors, p->stages, p->blocks_per_sm,
            p->load, p->store, p->overlap);
      printf("  %-8s %9.2f us %8.1f GB/s", "ours", v->median_us, gbs(v));
      print_keys(c, v);
      if (roof > 0) printf("  roof %.3f", gbs(v) / roof);
      if (peer_us > 0 && v->median_us > 0) printf("  peer %.2fx", peer_us / v->median_us);
      printf("  cv %.3f  %s%s%s%s%s\n", v->cv, policy, v->has_policy ? "  <- " : "", v->has_policy ? v->label : "",
          strcmp(v->status, "ok") ? "  " : "", strcmp(v->status, "ok") ? v->status : "");
    } else {
      printf("  %-8s %9.2f us %8.1f GB/s", v->label, v->median_us, gbs(v));
      print_keys(c, v);
      printf("  cv %.3f%s%s\n", v->cv, strcmp(v->status, "ok") ? "  " : "", strcmp(v->status, "ok") ? v->status : "");
    }
    if (!json) continue;
    fprintf(json, "{\"kind\": \"sample\"");
    json_field("cell", c->text);
    json_field("words", own[0] ? own + 1 : "");
    json_field("primitive", PRIMITIVE_NAMES[c->primitive]);
    json_field("op", OPERATOR_NAMES[c->op]);
    json_field("in", c->in->name);
    json_field("acc", c->acc->name);
    json_field("out", c->out->name);
    json_field("dist", KIND_NAMES[c->kind]);
    json_field("protocol", PROTOCOL_NAMES[c->protocol]);
    fprintf(json, ", \"n\": %llu, \"bytes\": %.0f, \"in_offset\": %d, \"out_offset\": %d", (unsigned long long)c->n,
        v->bytes, c->in_offset, c->out_offset);
    json_field("variant", VARIANT_KINDS[v->kind]);
    json_field("label", v->label);
    json_field("status", v->status);
    if (v->kind == OURS) {
      json_policy(&v->resolved);
      json_field("policy_source", POLICY_SOURCES[v->source <= GP_POLICY_HOST ? v->source : 0]);
      json_field("kernel_origin", KERNEL_SOURCES[v->origin <= GP_KERNEL_HOST ? v->origin : 0]);
      fprintf(json, ", \"verified_n\": %llu", (unsigned long long)v->verified);
    }
    if (v->median_us > 0) {
      fprintf(json,
          ", \"calls\": %d, \"median_us\": %.4f, \"min_us\": %.4f, \"max_us\": %.4f, \"cv\": %.5f, \"gbs\": %.2f",
          v->calls, v->median_us, v->min_us, v->max_us, v->cv, gbs(v));
      if (v->kind == OURS && roof > 0) fprintf(json, ", \"of_roof\": %.4f", gbs(v) / roof);
      if (v->kind == OURS && peer_us > 0) fprintf(json, ", \"of_peer\": %.4f", peer_us / v->median_us);
      fprintf(json, ", \"batches_us\": [");
      for (k = 0; k < v->batch_count; k++) fprintf(json, "%s%.3f", k ? ", " : "", v->batches[k]);
      fprintf(json, "]");
      if (v->joules > 0) fprintf(json, ", \"joules\": %.6g, \"joules_error\": %.3g", v->joules, v->joules_error);
      if (v->copy_us > 0)
        fprintf(json, ", \"copied_bytes\": %.0f, \"overlapped_bytes\": %.0f, \"copy_us\": %.3f", v->copied_bytes,
            v->overlapped_bytes, v->copy_us);
    }
    fprintf(json,
        ", \"sm_mhz\": [%lld, %lld], \"memory_mhz\": %lld, \"celsius\": %lld, \"milliwatts\": %lld, "
        "\"throttle_reasons\": %lld}\n",
        before.sm_mhz, after.sm_mhz, after.memory_mhz, after.celsius, after.milliwatts, after.throttle_reasons);
  }
  fflush(stdout);
  if (json) fflush(json);
}

// ---- a cell ---------------------------------------------------------------------------------------------------------

static variant variants[MAX_VARIANTS];

// CUB's segmented sort, and calls built on it, wait for the device in between and cannot be captured.
static int waits_for_host(const cell *c) {
  return c->primitive == GP_SEGMENTED_SORT || is_ranked(c->primitive) || c->rows > 1;
}

static variant *add_variant(int *count, int kind, const char *label) {
  variant *v = &variants[(*count)++];
  memset(v, 0, sizeof *v);
  v->kind = kind;
  snprintf(v->label, sizeof v->label, "%s", label);
  strcpy(v->status, "ok");
  return v;
}

// The same calls of a newer CUB, and those that it has alone.
static int add_next_peers(const cell *c, int count, int with_default) {
  static const char *const NAMES[] = {"cub", "cub_radix", "thrust"};
  const int first = count;
  int i;
  for (i = 0; i < 3; i++) {
    gp_peer_fn run;
    const int wanted = option_peers ? strstr(option_peers, NAMES[i]) != NULL : i < 2 || (!is_old(c) && count == first);
    if (!wanted || (is_replayed(c) && (i == 2 || waits_for_host(c)))) continue;
    if (find_in(next_peers, c, NAMES[i], 1, &run)) {
      variant *v = add_variant(&count, PEER, "");
      snprintf(v->label, sizeof v->label, "%s_next", NAMES[i]);
      strcpy(v->peer, NAMES[i]);
      v->run = run;
      v->bytes = moved_bytes(c, c->n);
      if (with_default && !option_checked && !strcmp(variants[0].status, "ok")) verify_peer(c, &variants[0], v);
      failures += strcmp(v->status, "ok") != 0;
    }
  }
  return count;
}

// Checks ours and finds the peers. Returns how many variants there are.
static int add_ours_and_peers(
    const cell *c, const gp_policy *policies, const char *const *policy_labels, int policy_count, int with_default) {
  static const char *const PEER_NAMES[] = {"cub", "cub_radix", "cuda", "thrust", "cublas", "moderngpu", "cudpp"};
  int count = 0, i;
  for (i = with_default ? -1 : 0; i < policy_count; i++) {
    variant *v = add_variant(&count, OURS, i < 0 ? "default" : policy_labels[i]);
    gp_call call;
    v->bytes = moved_bytes(c, c->n);
    if (i >= 0) v->has_policy = 1, v->policy = policies[i];
    call = call_of(c, v);
    bind_all(c, &call, set_of(c, 0));
    if (!option_checked && verify(c, v)) {
      failures++;
      fprintf(stderr, "\n%s [%s]: %s\n", c->text, v->label, v->status);
    }
    if (gp_policy_origin(ctx, &call, &v->resolved, &v->source)) v->source = (gp_policy_source)0;
    if (gp_kernel_origin(ctx, &call, &v->origin, NULL, 0)) v->origin = GP_KERNEL_NONE;
  }
  for (i = 0; i < (int)(sizeof PEER_NAMES / sizeof *PEER_NAMES); i++) {
    gp_peer_fn run;
    const int wanted = option_peers ? strstr(option_peers, PEER_NAMES[i]) != NULL
        : i == 3 ? !is_old(c) && !variants[count - 1].run // not in CUB
        : i < 3 || (i == 4 && c->primitive == GP_TRANSPOSE);
    if (!wanted || (is_replayed(c) && (i == 3 || i > 4 || waits_for_host(c)))) continue;
    if (i == 5 && c->haystack && c->kind != GP_DATA_SORTED) continue; // moderngpu's searches take sorted needles
    if (find_peer(c, PEER_NAMES[i], 1, &run)) {
      variant *v = add_variant(&count, PEER, PEER_NAMES[i]);
      strcpy(v->peer, PEER_NAMES[i]);
      v->run = run;
      v->bytes = moved_bytes(c, c->n);
      if (more_peers && with_default && !option_checked && !strcmp(variants[0].status, "ok") && is_of_more(c, v->peer))
        verify_peer(c, &variants[0], v);
      failures += strcmp(v->status, "ok") != 0;
    }
  }
  return next_peers ? add_next_peers(c, count, with_default) : count;
}

static void measure_cell(
    const cell *c, const gp_policy *policies, const char *const *policy_labels, int policy_count, int with_default) {
  const double start = now();
  gp_nvml_sample before, after;
  uint64_t set = 0;
  int count = add_ours_and_peers(c, policies, policy_labels, policy_count, with_default), i, round;
  if (!is_read_only(c)) {
    variant *v = add_variant(&count, COPY_ROOF, lay(c)->source < 0 ? "memset" : "memcpy");
    v->bytes = roof_bytes(c);
  } else if (peers || !on_gpu) {
    variant *v = add_variant(&count, READ_ROOF, "read");
    v->bytes = roof_bytes(c);
    if (peers) v->read_config = best_read_config(c, v->bytes);
  }
  fill_pools(c);
  for (i = 0; i < count; i++)
    if (!strcmp(variants[i].status, "ok") && prepare_timing(c, &variants[i], &set)) {
      failures++;
      fprintf(stderr, "\n%s [%s]: %s\n", c->text, variants[i].label, variants[i].status);
    }
  before = gp_nvml_read(&nvml);
  for (round = 0; round < option_batches; round++) {
    if (round >= 7 && now() - start > option_cell_seconds) break;
    for (i = 0; i < count; i++) {
      variant *v = &variants[round % 2 ? count - 1 - i : i]; // ABBA
      double us;
      if (strcmp(v->status, "ok")) continue;
      if (round >= 1 && now() - start > 4 * option_cell_seconds) continue;
      us = time_batch(c, v, v->calls, &set);
      if (us >= 0) v->batches[v->batch_count++] = us;
    }
  }
  after = gp_nvml_read(&nvml);
  for (i = 0; i < count; i++) {
    variant *v = &variants[i];
    if (v->batch_count && option_energy > 0) measure_energy(c, v, &set);
    if (v->batch_count && option_transfers && on_gpu && v->kind <= PEER) measure_transfers(c, v);
  }
  for (i = 0; i < count; i++) {
    if (variants[i].batch_count) summarise(&variants[i]);
    if (variants[i].graph) cuda.graph_exec_destroy(variants[i].graph);
  }
  printf("%s\n", c->text);
  write_cell(c, variants, count, before, after);
}

// ---- calls for a profiler -----------------------------------------------------------------------------------------

static const char MARK_PTX[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
                               ".visible .entry gp_profile_mark() { ret; }\n";

// Between cuProfilerStart and cuProfilerStop: a launch of gp_profile_mark<<<mark, 32>>>, then the calls. Returns 0, or
// -1 if one failed.
static int profile_calls(const cell *c, variant *v, int mark) {
  static void *function;
  int (*start)(void) = NULL, (*stop_)(void) = NULL;
  int i, failed = 0;
  if (on_gpu) {
    gp_cuda_launch config;
    void *module = NULL;
    *(void **)&start = dlsym(RTLD_DEFAULT, "cuProfilerStart");
    *(void **)&stop_ = dlsym(RTLD_DEFAULT, "cuProfilerStop");
    if (!start || !stop_) stop(3, "the driver has no cuProfilerStart");
    if (!function) {
      GP_CUDA_CHECK(&cuda, module_load(&module, MARK_PTX));
      GP_CUDA_CHECK(&cuda, module_function(&function, module, "gp_profile_mark"));
    }
    memset(&config, 0, sizeof config);
    config.grid[0] = (unsigned)mark;
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.block[0] = 32;
    config.stream = stream;
    if (start()) stop(3, "cuProfilerStart failed");
    if (!option_unmarked) GP_CUDA_CHECK(&cuda, launch(&config, function, NULL, NULL));
  }
  for (i = 0; i < option_profile && !failed; i++) failed = run_once(c, v, set_of(c, 0), c->n);
  wait_device();
  if (stop_) stop_();
  return failed ? -1 : 0;
}

static void profile_line(const cell *c, const variant *v, int mark, const char *status) {
  printf("mark %d: %s [%s] %s\n", mark, c->text, v->kind == OURS ? "gpuprims" : v->label, status);
  fflush(stdout);
  if (!json) return;
  fprintf(json, "{\"kind\": \"profile\", \"mark\": %d", mark);
  json_field("cell", c->text);
  json_field("library", v->kind == OURS ? "gpuprims" : v->label);
  json_field("primitive", PRIMITIVE_NAMES[c->primitive]);
  json_field("policy", v->kind == OURS && v->has_policy ? v->label : "");
  fprintf(json, ", \"n\": %llu, \"bytes\": %.0f, \"calls\": %d", (unsigned long long)c->n, v->bytes, option_profile);
  json_field("status", status);
  fprintf(json, "}\n");
  fflush(json); // a process that a call ends has said which
}

static void profile_cell(const cell *c, const gp_policy *policies, const char *const *policy_labels, int policy_count,
    int with_default, int *mark) {
  int count, i;
  count = add_ours_and_peers(c, policies, policy_labels, policy_count, with_default);
  fill_pools(c);
  for (i = 0; i < count; i++) {
    variant *v = &variants[i];
    ++*mark;
    if (!strcmp(v->status, "ok")) {
      profile_line(c, v, *mark, "started");
      if (!run_once(c, v, set_of(c, 0), c->n) && !run_once(c, v, set_of(c, 0), c->n)) {
        wait_device();
        profile_calls(c, v, *mark);
        if (option_unmarked) usleep(2000); // the profiler's own lines come before ours
      }
      failures += strcmp(v->status, "ok") != 0;
    }
    profile_line(c, v, *mark, v->status);
  }
}

// ---- compiling ahead ------------------------------------------------------------------------------------------------

// Compiles every variant of ours into the disk cache. tools/quality/points.py starts such a process a processor.
static void compile_all(
    const cell *cells, int cell_count, const gp_policy *policies, int policy_count, int with_default) {
  const double start = now();
  int i, k, done = 0, failed = 0;
  for (i = 0; i < cell_count; i++)
    for (k = with_default ? -1 : 0; k < policy_count && now() - start < option_compile; k++) {
      const gp_call call = cell_call(&types, &cells[i], k < 0 ? NULL : &policies[k]);
      if (gp_prepare(ctx, &call)) fprintf(stderr, "%s: %s\n", cells[i].text, gp_last_message()), failed++;
      else done++;
    }
  printf("compiled %d of %d, %d failed, %.1f s\n", done, cell_count * (policy_count + with_default), failed,
      now() - start);
}

// ---- the host's share of a call, and the first call -----------------------------------------------------------------

static const char EMPTY_PTX[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
                                ".visible .entry gp_empty(.param .align 16 .b8 args[256]) { ret; }\n";

typedef struct image_copy {
  void *bytes;
} image_copy;

static void take_image(void *user, const char *key, const void *image, size_t bytes) {
  image_copy *copy = (image_copy *)user;
  (void)key;
  if (copy->bytes) return;
  copy->bytes = malloc(bytes + 1);
  if (copy->bytes) memcpy(copy->bytes, image, bytes), ((char *)copy->bytes)[bytes] = 0;
}

enum { LOOP_CALLS = 400, LOOPS = 21 };

// Microseconds of host time a call. The loops are short enough that the driver's queue never fills.
static double host_cost(int (*call)(void *), void *user) {
  double times[LOOPS];
  int loop, i;
  for (i = 0; i < 100; i++)
    if (call(user)) return -1;
  for (loop = 0; loop < LOOPS; loop++) {
    double start;
    wait_device();
    start = now();
    for (i = 0; i < LOOP_CALLS; i++)
      if (call(user)) return -1;
    times[loop] = (now() - start) * 1e6 / LOOP_CALLS;
  }
  wait_device();
  return median(times, LOOPS);
}

typedef struct launch_job {
  gp_cuda_launch config;
  void *function, *parameters[1];
} launch_job;

static int launch_again(void *user) {
  launch_job *job = (launch_job *)user;
  return cuda.launch(&job->config, job->function, job->parameters, NULL);
}
// A copy, reduce or scan on the first bytes of the pools.
static gp_call small_call(const cell *c) {
  gp_call call = cell_call(&types, c, NULL);
  call.in = pools[ROLE_in].base;
  call.out = pools[ROLE_out].base;
  return call;
}
static int call_again(void *user) { return gp_run(ctx, (const gp_call *)user, stream) != GP_SUCCESS; }
static int empty_again(void *user) { return (void)user, peers->empty(stream); }

// Times a call on 256 elements against the driver's launch of the same copy kernel (image from gp_compile, arguments
// all zero, so it finds nothing to do), or of an empty kernel with equally many argument bytes.
static void measure_overhead(void) {
  static unsigned char arguments[512];
  image_copy image = {NULL};
  launch_job job;
  void *module = NULL;
  const char *same = "the same kernel";
  unsigned threads = 32;
  gp_policy policy;
  gp_policy_source source;
  double driver;
  int k;
  cell c;
  const char *const texts[] = {"copy f32 n=256", "reduce SUM f32 n=256", "exclusive_scan SUM f32 n=256"};
  if (!on_gpu) return;
  pool_reserve(&pools[ROLE_in], 1 << 20);
  pool_reserve(&pools[ROLE_out], 1 << 20);
  memset(&job, 0, sizeof job);
  parse_cell(texts[0], &c);
  {
    const gp_call call = cell_call(&types, &c, NULL);
    if (gp_compile(ctx, &call, device.compute_capability, take_image, &image) || !image.bytes ||
        cuda.module_load(&module, image.bytes) || cuda.module_function(&job.function, module, "gp__entry")) {
      same = "an empty kernel";
      if (cuda.module_load(&module, EMPTY_PTX) || cuda.module_function(&job.function, module, "gp_empty")) {
        printf("overhead: neither the kernel's image nor an empty kernel could be loaded\n");
        free(image.bytes);
        failures++;
        return;
      }
    } else if (!gp_policy_origin(ctx, &call, &policy, &source)) threads = (unsigned)policy.threads;
  }
  job.config.grid[0] = job.config.grid[1] = job.config.grid[2] = 1;
  job.config.block[0] = threads;
  job.config.block[1] = job.config.block[2] = 1;
  job.config.stream = stream;
  job.parameters[0] = arguments;
  driver = host_cost(launch_again, &job);
  if (driver < 0) printf("overhead: cuLaunchKernelEx of %s failed\n", same), failures++;
  printf("host's share of a call, us (cuLaunchKernelEx of %s: %.2f)\n", same, driver);
  if (json) {
    fprintf(json, "{\"kind\": \"overhead\", \"driver_us\": %.4f, \"launched\": \"%s\", \"calls\": {", driver, same);
  }
  for (k = 0; k < 3; k++) {
    gp_call call;
    double cost;
    parse_cell(texts[k], &c);
    call = small_call(&c);
    cost = host_cost(call_again, &call);
    if (cost < 0) failures++;
    printf("  %-28s %.2f   over the driver's: %.2f%s%s\n", texts[k], cost, cost - driver, cost < 0 ? "  FAILED " : "",
        cost < 0 ? gp_last_message() : "");
    if (json) fprintf(json, "%s\"%s\": %.4f", k ? ", " : "", texts[k], cost);
  }
  if (json) fprintf(json, "}}\n");
  cuda.module_unload(module);
  free(image.bytes);
}

// An empty launch, back to back and in a graph: the floor for small sizes.
static void measure_empty_launch(void) {
  double times[11];
  double back_to_back, in_graph = -1;
  void *graph = NULL, *executable = NULL;
  float ms;
  int i, k;
  if (!on_gpu || !peers) return;
  for (i = 0; i < 20; i++) peers->empty(stream);
  for (k = 0; k < 11; k++) {
    wait_device();
    GP_CUDA_CHECK(&cuda, event_record(event_a, stream));
    for (i = 0; i < 400; i++)
      if (empty_again(NULL)) stop(3, "the empty kernel does not launch");
    GP_CUDA_CHECK(&cuda, event_record(event_b, stream));
    GP_CUDA_CHECK(&cuda, event_wait(event_b));
    GP_CUDA_CHECK(&cuda, event_elapsed(&ms, event_a, event_b));
    times[k] = (double)ms * 1e3 / 400;
  }
  back_to_back = median(times, 11);
  GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
  for (i = 0; i < GRAPH_CALLS; i++) peers->empty(stream);
  GP_CUDA_CHECK(&cuda, capture_end(stream, &graph));
  GP_CUDA_CHECK(&cuda, graph_instantiate(&executable, graph, 0));
  for (k = 0; k < 11; k++) {
    GP_CUDA_CHECK(&cuda, event_record(event_a, stream));
    for (i = 0; i < 10; i++) GP_CUDA_CHECK(&cuda, graph_launch(executable, stream));
    GP_CUDA_CHECK(&cuda, event_record(event_b, stream));
    GP_CUDA_CHECK(&cuda, event_wait(event_b));
    GP_CUDA_CHECK(&cuda, event_elapsed(&ms, event_a, event_b));
    times[k] = (double)ms * 1e3 / (10 * GRAPH_CALLS);
  }
  in_graph = median(times, 11);
  cuda.graph_exec_destroy(executable);
  cuda.graph_destroy(graph);
  printf("empty launch: %.2f us back to back, %.2f us in a graph of %d\n", back_to_back, in_graph, GRAPH_CALLS);
  if (json)
    fprintf(
        json, "{\"kind\": \"empty_launch\", \"back_to_back_us\": %.4f, \"graph_us\": %.4f}\n", back_to_back, in_graph);
}

static void open_context(gp_backend backend, const char *cache, gp_context **opened) {
  gp_config config = gp_config_init();
  config.backend = backend;
  config.cache_dir = cache;
  setenv("GPUPRIMS_BUNDLE", "", 1); // first calls compile; not a member: a base's header may not have it
  if (gp_open(&config, opened) != GP_SUCCESS)
    stop(backend == GP_BACKEND_CUDA ? 4 : 3, "gp_open: %s", gp_last_message());
}

// Removes a folder that this program made.
static void remove_folder(const char *path) {
  char command[600];
  if (strncmp(path, P_tmpdir "/gp_bench_", sizeof P_tmpdir + 9)) return;
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  if (system(command)) fprintf(stderr, "gp_bench: could not remove %s\n", path);
}

// The first call of a kernel: with nothing cached, then in a fresh context from the disk cache, then from memory.
static void measure_first_call(void) {
  static const char *const texts[] = {
      "copy u32 n=65536", "reduce SUM f32 n=65536", "exclusive_scan SUM u32 n=65536", "exclusive_scan SUM u8 n=64M"};
  char folder[] = P_tmpdir "/gp_bench_XXXXXX";
  int pass, k;
  double ms[3][4];
  gp_kernel_source origins[3][4];
  gp_context *kept = ctx;
  if (!on_gpu) return;
  if (!mkdtemp(folder)) stop(3, "mkdtemp failed");
  pool_reserve(&pools[ROLE_in], 65 << 20);
  pool_reserve(&pools[ROLE_out], 65 << 20);
  for (pass = 0; pass < 3; pass++) {
    if (pass < 2) open_context(GP_BACKEND_CUDA, folder, &ctx);
    for (k = 0; k < 4; k++) {
      cell c;
      gp_call call;
      double start;
      parse_cell(texts[k], &c);
      call = small_call(&c);
      wait_device();
      start = now();
      if (gp_run(ctx, &call, stream) != GP_SUCCESS) stop(3, "%s: %s", texts[k], gp_last_message());
      ms[pass][k] = (now() - start) * 1e3;
      wait_device();
      if (gp_kernel_origin(ctx, &call, &origins[pass][k], NULL, 0)) origins[pass][k] = GP_KERNEL_NONE;
    }
    if (pass != 1) continue;
    // The third pass continues in this context.
  }
  gp_close(ctx);
  ctx = kept;
  remove_folder(folder);
  printf("first call, ms (the first row also opens NVRTC):  nothing cached, from disk, from memory\n");
  for (k = 0; k < 4; k++) {
    printf("  %-32s %8.2f (%s) %8.2f (%s) %8.4f\n", texts[k], ms[0][k], KERNEL_SOURCES[origins[0][k]], ms[1][k],
        KERNEL_SOURCES[origins[1][k]], ms[2][k]);
    if (origins[0][k] != GP_KERNEL_COMPILED || origins[1][k] != GP_KERNEL_DISK) {
      printf("  FAILED: the origins should be compiled, disk\n");
      failures++;
    }
    if (json)
      fprintf(json,
          "{\"kind\": \"first_call\", \"cell\": \"%s\", \"compiled_ms\": %.3f, \"disk_ms\": %.3f, \"memory_ms\": "
          "%.5f}\n",
          texts[k], ms[0][k], ms[1][k], ms[2][k]);
  }
}

// ---- set-up ---------------------------------------------------------------------------------------------------------

static const gp_peers_table *table_of(const char *path, void *library) {
  const gp_peers_table *(*table)(void);
  *(void **)&table = dlsym(library, "gp_peers");
  if (!table || table()->abi != GP_PEERS_ABI) stop(3, "%s is not a peers library of this version", path);
  return table();
}

static const char *beside(char *path, size_t size, const char *program, const char *name) {
  const char *slash = strrchr(program, '/');
  snprintf(path, size, "%.*s/%s", slash ? (int)(slash - program) : 1, slash ? program : ".", name);
  return path;
}

static void open_peers(const char *path, const char *program, const char *next, const char *more) {
  char here[1024];
  void *library;
  if (!on_gpu) {
    fprintf(stderr, "peers: none on the host back end\n");
    return;
  }
  if (!path) path = beside(here, sizeof here, program, "libgp_peers.so");
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "peers: none (%s)\n", dlerror());
    return;
  }
  peers = table_of(path, library);
  if (peers->empty(stream))
    stop(3, "%s: its kernels do not run on this device (built for another architecture?)", path);
  wait_device();
  library = next && !strcmp(next, "none")
      ? NULL
      : dlopen(next ? next : beside(here, sizeof here, program, "libgp_peers_next.so"), RTLD_NOW | RTLD_LOCAL);
  if (!library && next && strcmp(next, "none")) stop(3, "%s", dlerror());
  if (library) next_peers = table_of(next ? next : here, library);
  if (!more) return;
  library = dlopen(more, RTLD_NOW | RTLD_LOCAL);
  if (!library) stop(3, "%s", dlerror());
  more_peers = table_of(more, library);
}

// planned: cells asked for; a reader who finds fewer samples knows that the run was cut off.
static void write_environment(const char *about_peers, double peak, int planned) {
  char date[40], host_date[40];
  time_t seconds = time(NULL);
  struct tm utc;
  const gp_nvml_sample s = gp_nvml_read(&nvml);
  gmtime_r(&seconds, &utc);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  strftime(host_date, sizeof host_date, "%Y-%m-%d", &utc);
  printf("%s, %d multiprocessors, %s; peers: %s\n", device.name, device.multiprocessors, host_date, about_peers);
  if (peak > 0) printf("memory clock and bus: %.0f GB/s at most\n", peak);
  if (!json) return;
  fprintf(json, "{\"kind\": \"environment\"");
  json_field("date", date);
  json_field("device", device.name);
  json_field("version", GPUPRIMS_VERSION);
  json_field("commit", option_commit);
  json_field("peers", about_peers);
  fprintf(json,
      ", \"planned\": %d, \"compute_capability\": %d, \"multiprocessors\": %d, \"memory_bytes\": %llu, "
      "\"l2_bytes\": %d, "
      "\"driver\": %d, \"nvrtc\": %d, \"sm_mhz\": %lld, \"memory_mhz\": %lld, \"celsius\": %lld",
      planned, device.compute_capability, device.multiprocessors, (unsigned long long)device.memory_bytes, l2_bytes,
      device.driver_version, device.nvrtc_version, s.sm_mhz, s.memory_mhz, s.celsius);
  if (on_gpu) {
    int ecc = -1, clock = 0;
    cuda.device_attribute(&ecc, GP_CUDA_ECC, device.device);
    cuda.device_attribute(&clock, GP_CUDA_CLOCK_KHZ, device.device);
    fprintf(json, ", \"ecc\": %d, \"max_sm_khz\": %d", ecc, clock);
  }
  fprintf(json, "}\n");
}

// A line that is overwritten on a terminal; elsewhere a line every ten seconds.
static void show_progress(int at, int of, double seconds, const char *text) {
  static double last = -100;
  if (isatty(2)) fprintf(stderr, "\r[%d/%d] %.0f s %-90s", at, of, seconds, text);
  else if (seconds - last >= 10) {
    last = seconds;
    fprintf(stderr, "[%d/%d] %.0f s %s\n", at, of, seconds, text);
  }
  fflush(stderr);
}

static const char *read_cell(const char *text, cell *c) {
  const char *reason = parse_cell(text, c);
  if (!reason && c->protocol == FIRST_CALL) return "protocol=first_call: gp_tune measures it (here: --first-call)";
  return reason || !is_of_graph(c->primitive) ? reason : "calls on graphs have no peer: tools/gp_bfs measures them";
}

int main(int count, char **arguments) {
  enum { MAX_CELLS = 4096 };
  static cell cells[MAX_CELLS];
  static gp_policy policies[64];
  static const char *policy_labels[64];
  int count_of_cells = 0, policy_count = 0, with_default = 1, overhead = 0, first_call = 0, mark = 0, i, done = 0;
  gp_backend backend = GP_BACKEND_AUTO;
  const char *peers_path = NULL, *next_path = NULL, *more_path = NULL, *reason;
  char about[400];
  const double start = now();
  double peak = 0;
  for (i = 1; i < count; i++) {
    const char *a = arguments[i];
    const char *value = i + 1 < count ? arguments[i + 1] : NULL;
    if (!strcmp(a, "--no-default")) with_default = 0;
    else if (!strcmp(a, "--overhead")) overhead = 1;
    else if (!strcmp(a, "--first-call")) first_call = 1;
    else if (!strcmp(a, "--transfers")) option_transfers = 1;
    else if (!strcmp(a, "--unmarked")) option_unmarked = 1;
    else if (!strcmp(a, "--checked")) option_checked = 1;
    else if (!value) stop(2, "%s: unknown, or its value is missing (the top of tools/gp_bench.c lists the options)", a);
    else {
      i++;
      if (!strcmp(a, "--cell")) {
        if (count_of_cells == MAX_CELLS) stop(2, "more than %d cells", MAX_CELLS);
        reason = read_cell(value, &cells[count_of_cells]);
        if (reason) stop(2, "cell \"%s\": %s", value, reason);
        count_of_cells++;
      } else if (!strcmp(a, "--cells")) {
        char line[512];
        FILE *file = strcmp(value, "-") ? fopen(value, "r") : stdin;
        if (!file) stop(2, "cannot read %s", value);
        while (fgets(line, sizeof line, file)) {
          line[strcspn(line, "#\r\n")] = 0;
          if (!line[strspn(line, " \t")]) continue;
          if (count_of_cells == MAX_CELLS) stop(2, "more than %d cells", MAX_CELLS);
          reason = read_cell(line, &cells[count_of_cells]);
          if (reason) stop(2, "cell \"%s\": %s", line, reason);
          count_of_cells++;
        }
        if (file != stdin) fclose(file);
      } else if (!strcmp(a, "--policy")) {
        if (policy_count == 64) stop(2, "more than 64 policies");
        if (strlen(value) >= sizeof variants[0].label) stop(2, "policy \"%s\": too long", value);
        reason = parse_policy(value, &policies[policy_count]);
        if (reason) stop(2, "policy \"%s\": %s", value, reason);
        policy_labels[policy_count++] = value;
      } else if (!strcmp(a, "--peers")) option_peers = value;
      else if (!strcmp(a, "--peers-library")) peers_path = value;
      else if (!strcmp(a, "--next-peers")) next_path = value;
      else if (!strcmp(a, "--more-peers")) more_path = value;
      else if (!strcmp(a, "--energy")) option_energy = atof(value);
      else if (!strcmp(a, "--seconds")) option_seconds = atof(value);
      else if (!strcmp(a, "--compile")) option_compile = atof(value);
      else if (!strcmp(a, "--cell-seconds")) option_cell_seconds = atof(value);
      else if (!strcmp(a, "--batches")) option_batches = atoi(value);
      else if (!strcmp(a, "--batch-ms")) option_batch_ms = atof(value);
      else if (!strcmp(a, "--commit")) option_commit = value;
      else if (!strcmp(a, "--cache")) option_cache = value;
      else if (!strcmp(a, "--out")) {
        if (!(json = fopen(value, "a"))) stop(2, "cannot write %s", value);
      } else if (!strcmp(a, "--backend")) {
        if (!strcmp(value, "cuda")) backend = GP_BACKEND_CUDA;
        else if (!strcmp(value, "host")) backend = GP_BACKEND_HOST;
        else if (strcmp(value, "auto")) stop(2, "--backend takes cuda, host or auto");
      } else if (!strcmp(a, "--profile")) {
        if ((option_profile = atoi(value)) < 1) stop(2, "--profile takes a number of calls");
      } else stop(2, "no option %s (the top of tools/gp_bench.c lists them)", a);
    }
  }
  if ((option_unmarked || option_checked) && !option_profile) stop(2, "--unmarked and --checked need --profile");
  if (option_batches < 7) option_batches = 7;
  if (option_batches > MAX_BATCHES) option_batches = MAX_BATCHES;
  setenv("CUDA_CACHE_DISABLE", "1", 1); // the caches of NVRTC and the driver would hide the cost of a first call
  if (!count_of_cells && !overhead && !first_call) stop(2, "no cells (the top of tools/gp_bench.c lists the options)");
  open_context(backend, option_cache, &ctx);
  if (gp_describe(ctx, &device)) stop(3, "gp_describe: %s", gp_last_message());
  on_gpu = device.backend == GP_BACKEND_CUDA;
  if (on_gpu) {
    void *primary = NULL;
    char bus[64] = "";
    int clock = 0, width = 0;
    uint64_t words;
    reason = gp_cuda_open(&cuda);
    if (reason) stop(4, "%s", reason);
    GP_CUDA_CHECK(&cuda, retain(&primary, device.device));
    GP_CUDA_CHECK(&cuda, set_current(primary));
    GP_CUDA_CHECK(&cuda, stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
    GP_CUDA_CHECK(&cuda, event_create(&event_a, 0));
    GP_CUDA_CHECK(&cuda, event_create(&event_b, 0));
    GP_CUDA_CHECK(&cuda, alloc(&words, 65536));
    result_words = (uint64_t *)(uintptr_t)words;
    cuda.device_attribute(&l2_bytes, GP_CUDA_L2_BYTES, device.device);
    cuda.device_attribute(&clock, GP_CUDA_MEMORY_CLOCK_KHZ, device.device);
    cuda.device_attribute(&width, GP_CUDA_BUS_WIDTH, device.device);
    peak = 2.0 * clock * 1e3 * width / 8 / 1e9;
    if (!cuda.device_bus_id(bus, sizeof bus, device.device)) gp_nvml_open(&nvml, bus);
    pool_reserve(&peer_workspace, 16 << 20);
  }
  if (option_compile <= 0) open_peers(peers_path, arguments[0], next_path, more_path);
  reason = cell_types_define(&types, ctx);
  if (reason) stop(3, "%s", reason);
  snprintf(about, sizeof about, "%s%s%s%s", peers ? peers->about() : "none", next_peers ? "; next: " : "",
      next_peers ? next_peers->about() : "", more_peers ? more_peers->about() : "");
  write_environment(about, peak, count_of_cells);
  if (option_compile > 0) {
    if (!on_gpu) stop(2, "--compile: the host back end compiles nothing");
    compile_all(cells, count_of_cells, policies, policy_count, with_default);
    return 0;
  }
  if (!option_profile) measure_empty_launch();
  for (i = 0; i < count_of_cells; i++) {
    const cell *c = &cells[i];
    if (!on_gpu && is_replayed(c)) stop(2, "cell \"%s\": no graphs on the host back end", c->text);
  }
  for (i = 0; i < count_of_cells && !option_profile; i++) reserve_pools(&cells[i]);
  for (i = 0; i < count_of_cells; i++) {
    if (now() - start > option_seconds) break;
    show_progress(i + 1, count_of_cells, now() - start, cells[i].text);
    if (option_profile) {
      shrink_pools(&cells[i]);
      reserve_pools(&cells[i]);
      profile_cell(&cells[i], policies, policy_labels, policy_count, with_default, &mark);
    } else measure_cell(&cells[i], policies, policy_labels, policy_count, with_default);
    done++;
  }
  if (isatty(2)) fprintf(stderr, "\n");
  if (overhead) measure_overhead();
  if (first_call) measure_first_call();
  if (json) fclose(json);
  wait_device();
  if (gp_close(ctx)) stop(3, "gp_close: %s", gp_last_message());
  printf("%d cells measured, %d not for want of time, %d failures, %.0f s\n", done, count_of_cells - done, failures,
      now() - start);
  return failures != 0;
}
