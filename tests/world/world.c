// Worlds against a serial loop: every call of gp_world_run on random shards, empty ones among them, with ranks that are
// threads of this process. On the host back end through tests/world/loopback.c; on GPUs through NCCL, a GPU a rank, or
// all ranks on one GPU through the loopback.
//     world [--nccl FILE] [--cuda] [--ranks N] [--seeds N] [--first SEED] [--elements N] [--bulk BYTES]
//           [--many N]
//           [--fails [--graphs] | --inject CALL | --versions] [--capture] [--own] [--only PART]...
//     --capture: also graphs; with --cuda, through NCCL
//     --many: elements of a rank whose sorts begin with the first digits of keys (900)
//     --bulk: bytes of the arrays of reproducible reductions, whose tiles have 32 KiB up to 128 MiB
//     --fails: only calls that must fail, on every rank and in bounded time; --graphs: searches in graphs
//     --inject: makes a call again and again in worlds of their own, through the loopback, of which each function that
//               the call or gp_world_open calls fails once, at each rank: an error in bounded time, never other results
//     --versions: worlds in which one rank, each in turn, has another version of the library
//     --own: by communicators of this program's, which are there after the world
//     --only: one of PARTS, below
// Build: cc -std=gnu11 -O1 -DWITH_LIBRARY -I. -Itools tests/world/world.c -o world -ldl -lpthread -lm
#ifdef WITH_LIBRARY
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "gp_cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <time.h>

enum { RANKS = 16 };
static gp_cuda cuda;
static int ranks = 3, use_cuda, capture, own, devices, passed, failed;
static const char *const parts[] = {"folds", "structs", "moves", "transposes", "parts", "graphs", "refusals",
    "reproducible", "capture", "memory", "sorts", "top_k", "nth", "groups", "digits"};
enum { PARTS = sizeof parts / sizeof parts[0] };
static int only[PARTS], only_some;
static const char *library;
static uint64_t elements = 3000, seed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned char id[GP_WORLD_ID_BYTES];

typedef struct affine { // x -> a x + b modulo 2^32: composition keeps the order of operands
  uint32_t a, b;
} affine;
typedef struct Rank {
  int rank;
  gp_context *ctx;
  gp_world *world;
  void *context, *stream, *comm;
  gp_type affine_type;
  gp_op compose, before;
  gp_type structs[3]; // of floats, for GP_REPRODUCIBLE
  gp_op combine[3];
  uint64_t random;
} Rank;
static Rank all_ranks[RANKS];

static void check(int good, const char *what, int rank) {
  pthread_mutex_lock(&lock);
  if (good) ++passed;
  else {
    ++failed;
    printf("    FAILED: seed %llu, %d ranks, rank %d: %s (%s)\n", (unsigned long long)seed, ranks, rank, what,
        gp_last_message());
  }
  pthread_mutex_unlock(&lock);
}
static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// ---- NCCL's own functions, for --own and for what the loopback tells
typedef struct unique_id { // ncclUniqueId
  char bytes[GP_WORLD_ID_BYTES];
} unique_id;
static struct {
  int (*init)(void **comm, int size, unique_id id, int rank);
  int (*gather)(const void *from, void *to, size_t count, int type, void *comm, void *stream);
  int (*destroy)(void *comm);
  int (*failures)(void);
} nccl;
static int open_nccl(void) {
  void *opened = dlopen(library ? library : "libnccl.so.2", RTLD_NOW);
  if (!opened) return fprintf(stderr, "world: %s\n", dlerror()), 0;
  *(void **)&nccl.init = dlsym(opened, "ncclCommInitRank");
  *(void **)&nccl.gather = dlsym(opened, "ncclAllGather");
  *(void **)&nccl.destroy = dlsym(opened, "ncclCommDestroy");
  *(void **)&nccl.failures = dlsym(opened, "gp_loopback_failures");
  return nccl.init && nccl.gather && nccl.destroy;
}

// ---- device memory
static void *device_memory(size_t bytes) {
  uint64_t at = 0;
  if (!use_cuda) return memset(malloc(bytes + 64), 0xa5, bytes + 64);
  GP_CUDA_CHECK(&cuda, alloc(&at, bytes + 64));
  return (void *)(uintptr_t)at;
}
static void free_device(void *at) {
  if (!use_cuda) free(at);
  else GP_CUDA_CHECK(&cuda, free_((uint64_t)(uintptr_t)at));
}
static void to_device(void *to, const void *from, size_t bytes) {
  if (!use_cuda) {
    memcpy(to, from, bytes);
    return;
  }
  if (bytes) GP_CUDA_CHECK(&cuda, to_device((uint64_t)(uintptr_t)to, from, bytes));
  GP_CUDA_CHECK(&cuda, stream_wait(NULL)); // from pageable memory it may arrive after the return
}
static void to_host(void *to, const void *from, size_t bytes) {
  if (!use_cuda) memcpy(to, from, bytes);
  else if (bytes) GP_CUDA_CHECK(&cuda, to_host(to, (uint64_t)(uintptr_t)from, bytes));
}

// ---- the problem of a seed, the same in all threads: an array, cut into shards
typedef struct Array {
  uint64_t n, begin[RANKS + 1];
  uint32_t *keys; // few or many different ones, or constant, or sorted
  float *floats; // zeros of both signs, infinities and NaN among them
  uint64_t *values;
  affine *maps;
} Array;
static Array array;
static void make_array(void) {
  uint64_t state = seed * 77777 + 5, i;
  const unsigned kind = (unsigned)(draw(&state) % 6), cut = (unsigned)(draw(&state) % 4);
  int r;
  array.n = seed % 7 == 3 ? draw(&state) % 5 : draw(&state) % elements;
  array.keys = malloc((array.n + 1) * 4), array.floats = malloc((array.n + 1) * 4);
  array.values = malloc((array.n + 1) * 8), array.maps = malloc((array.n + 1) * sizeof(affine));
  for (i = 0; i < array.n; ++i) {
    const uint64_t x = draw(&state);
    static const float special[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 1.5f};
    array.keys[i] = kind == 0 ? 7
        : kind == 1 ? (uint32_t)x % 3
        : kind == 2 ? (uint32_t)(i / 40)
        : kind == 3 ? (uint32_t)(array.n - i)
        : kind == 4 ? (uint32_t)x % 100
        : (uint32_t)x;
    array.floats[i] = x % 4 ? (float)(int64_t)draw(&state) : special[x / 4 % 6];
    array.values[i] = draw(&state);
    array.maps[i].a = (uint32_t)x | 1, array.maps[i].b = (uint32_t)(x >> 32);
  }
  array.begin[0] = 0;
  for (r = 1; r < ranks; ++r) // even, random, all on one rank, or most shards empty
    array.begin[r] = cut == 0 ? array.n * (uint64_t)r / (uint64_t)ranks
        : cut == 1 ? (array.n ? draw(&state) % (array.n + 1) : 0)
        : cut == 2 ? (r > ranks / 2 ? array.n : 0)
        : (draw(&state) % 2 ? array.n / 2 : array.n / 3);
  array.begin[ranks] = array.n;
  for (r = 1; r < ranks; ++r) {
    int k;
    for (k = r; k > 1 && array.begin[k] < array.begin[k - 1]; --k) {
      const uint64_t swap = array.begin[k];
      array.begin[k] = array.begin[k - 1];
      array.begin[k - 1] = swap;
    }
  }
}
static void free_array(void) { free(array.keys), free(array.floats), free(array.values), free(array.maps); }
static uint64_t share_begin(uint64_t total, int r) {
  const uint64_t each = total / (uint64_t)ranks, more = total % (uint64_t)ranks;
  return each * (uint64_t)r + ((uint64_t)r < more ? (uint64_t)r : more);
}

// ---- a serial answer
static uint32_t ordered(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
static int sort_down, sort_floats;
static uint64_t rank_of(uint64_t i) {
  const uint32_t x = sort_floats ? ordered(array.floats[i]) : array.keys[i];
  return sort_down ? ~x & 0xffffffffu : x;
}
static int by_rank(const void *a, const void *b) {
  const uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b, x = rank_of(i), y = rank_of(j);
  return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}
static uint64_t *order; // indices of the sorted array
static void make_order(int floats, int down) {
  uint64_t i;
  sort_floats = floats, sort_down = down;
  order = realloc(order, (array.n + 1) * 8);
  for (i = 0; i < array.n; ++i) order[i] = i;
  qsort(order, array.n, 8, by_rank);
}

// ---- a rank's part
typedef struct Buffers {
  void *keys, *floats, *values, *maps, *out_keys, *out, *number;
  uint64_t n, first;
} Buffers;
static Buffers make_buffers(const Rank *r) {
  Buffers b;
  b.first = array.begin[r->rank], b.n = array.begin[r->rank + 1] - b.first;
  b.keys = device_memory(b.n * 4), b.floats = device_memory(b.n * 4), b.values = device_memory(b.n * 8);
  b.maps = device_memory(b.n * 8), b.out_keys = device_memory((array.n + 64) * 8),
  b.out = device_memory((array.n + 64) * 8);
  b.number = device_memory(256 * 8);
  to_device(b.keys, array.keys + b.first, b.n * 4), to_device(b.floats, array.floats + b.first, b.n * 4);
  to_device(b.values, array.values + b.first, b.n * 8), to_device(b.maps, array.maps + b.first, b.n * 8);
  return b;
}
static void free_buffers(Buffers *b) {
  free_device(b->keys), free_device(b->floats), free_device(b->values), free_device(b->maps);
  free_device(b->out_keys), free_device(b->out), free_device(b->number);
}
static int runs(Rank *r, const gp_call *c, const char *what) {
  gp_result result = gp_world_run(r->world, c, r->stream);
  if (result == GP_SUCCESS) result = gp_world_wait(r->world, r->stream);
  check(result == GP_SUCCESS, what, r->rank);
  return result == GP_SUCCESS;
}
// Compares `count` elements of a device buffer with `wanted`.
static void compare(Rank *r, const char *what, const void *device, const void *wanted, uint64_t count, size_t size) {
  unsigned char *got = malloc(count * size + 1);
  to_host(got, device, count * size);
  check(!memcmp(got, wanted, count * size), what, r->rank);
  free(got);
}
static uint64_t number(const Buffers *b) {
  uint64_t n;
  to_host(&n, b->number, 8);
  return n;
}

static void test_folds(Rank *r, Buffers *b) {
  gp_call c = gp_call_init(GP_REDUCE);
  uint64_t sum = 5, i, start = 5, *wanted = malloc((b->n + 1) * 8);
  affine folded = {1, 0}, running[2] = {{1, 0}, {1, 0}}, *maps = malloc((b->n + 1) * sizeof *maps);
  uint32_t most = 0, bins[64] = {0};
  unsigned char truth[2] = {0, 1};
  uint64_t above = 0;
  const uint32_t limit = 50;
  c.op = GP_SUM, c.in_type = GP_U64, c.in = b->values, c.count = b->n, c.out = b->out, c.init = &start;
  for (i = 0; i < array.n; ++i) {
    sum += array.values[i];
    most = array.keys[i] > most ? array.keys[i] : most;
    above += array.keys[i] > limit;
    truth[0] |= array.keys[i] > limit, truth[1] &= array.keys[i] > limit;
    ++bins[array.keys[i] % 64];
  }
  if (runs(r, &c, "reduce")) compare(r, "reduce", b->out, &sum, 1, 8);
  c.init = NULL, c.op = GP_MAX, c.in_type = GP_U32, c.in = b->keys, c.flags = GP_CHECKED;
  if (runs(r, &c, "reduce, checked")) compare(r, "reduce, checked", b->out, &most, 1, 4);
  c.flags = 0, c.op = r->compose, c.in_type = r->affine_type, c.in = b->maps;
  for (i = 0; i < array.n; ++i) {
    if (i == b->first) running[0] = folded;
    folded.b = array.maps[i].a * folded.b + array.maps[i].b, folded.a *= array.maps[i].a;
  }
  if (b->first >= array.n) running[0] = folded;
  if (runs(r, &c, "reduce by a user's operator")) compare(r, "reduce by a user's operator", b->out, &folded, 1, 8);
  c.primitive = GP_INCLUSIVE_SCAN;
  running[1] = running[0];
  for (i = 0; i < b->n; ++i) {
    const affine *m = &array.maps[b->first + i];
    running[1].b = m->a * running[1].b + m->b, running[1].a *= m->a;
    maps[i] = running[1];
  }
  if (runs(r, &c, "scan by a user's operator")) compare(r, "scan by a user's operator", b->out, maps, b->n, 8);
  c = gp_call_init(GP_EXCLUSIVE_SCAN);
  c.op = GP_SUM, c.in_type = GP_U64, c.in = b->values, c.count = b->n, c.out = b->out, c.init = &start;
  for (i = 0, sum = 5; i < b->first; ++i) sum += array.values[i];
  for (i = 0; i < b->n; ++i) wanted[i] = sum, sum += array.values[b->first + i];
  if (runs(r, &c, "exclusive scan")) compare(r, "exclusive scan", b->out, wanted, b->n, 8);
  to_device(b->out, array.values + b->first, b->n * 8);
  c.in = b->out;
  if (runs(r, &c, "scan in place")) compare(r, "scan in place", b->out, wanted, b->n, 8);
  c = gp_call_init(GP_COUNT_IF);
  c.op = GP_GREATER, c.in_type = GP_U32, c.in = b->keys, c.count = b->n, c.scalar = &limit, c.out_count = b->number;
  if (runs(r, &c, "count_if")) check(number(b) == above, "count_if", r->rank);
  c.out_count = NULL, c.out = b->out;
  c.primitive = GP_ANY;
  if (runs(r, &c, "any")) compare(r, "any", b->out, &truth[0], 1, 1);
  c.primitive = GP_ALL;
  if (runs(r, &c, "all")) compare(r, "all", b->out, &truth[1], 1, 1);
  c = gp_call_init(GP_HISTOGRAM_EVEN);
  {
    uint32_t *low = malloc((b->n + 1) * 4);
    const uint32_t ends[] = {0, 64};
    for (i = 0; i < b->n; ++i) low[i] = array.keys[b->first + i] % 64;
    to_device(b->out_keys, low, b->n * 4);
    free(low);
    c.in_type = GP_U32, c.out_type = GP_U32, c.in = b->out_keys, c.count = b->n, c.bins = 64, c.out = b->out;
    c.lower = &ends[0], c.upper = &ends[1];
    if (runs(r, &c, "histogram")) compare(r, "histogram", b->out, bins, 64, 4);
  }
  free(wanted), free(maps);
}

static void test_sort(Rank *r, Buffers *b, int floats, int down, int kind) { // kind: 0 keys, 1 pairs, 2 indices
  gp_call c = gp_call_init(GP_SORT);
  const uint64_t begin = share_begin(array.n, r->rank), share = share_begin(array.n, r->rank + 1) - begin;
  uint32_t *keys = malloc(share * 4 + 4);
  uint64_t *values = malloc(share * 8 + 8), i;
  for (i = 0; i < share; ++i) {
    const uint64_t from = order[begin + i];
    memcpy(&keys[i], floats ? (void *)&array.floats[from] : (void *)&array.keys[from], 4);
    values[i] = kind == 1 ? array.values[from] : from;
  }
  c.key_type = floats ? GP_F32 : GP_U32, c.keys = floats ? b->floats : b->keys, c.count = b->n;
  c.flags = down ? GP_DESCENDING : 0;
  c.out_keys = b->out_keys, c.capacity = array.n + 1, c.out_count = b->number;
  if (kind == 1) c.in_type = GP_U64, c.in = b->values, c.out = b->out;
  if (kind == 2) c.out_type = GP_U64, c.out = b->out;
  if (runs(r, &c, "sort")) {
    check(number(b) == share, "sort: the share", r->rank);
    compare(r, "sort: keys", b->out_keys, keys, share, 4);
    if (kind) compare(r, kind == 1 ? "sort: values" : "sort: indices", b->out, values, share, 8);
  }
  free(keys), free(values);
}
// A user's order of structs: the remainder of a, then the position.
static int by_remainder(const void *a, const void *b) {
  const uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
  const uint32_t x = array.maps[i].a % 16, y = array.maps[j].a % 16;
  return x != y ? (x < y ? -1 : 1) : i < j ? -1 : i > j;
}
static void test_struct_sort(Rank *r, Buffers *b) {
  gp_call c = gp_call_init(GP_MERGE_SORT);
  const uint64_t begin = share_begin(array.n, r->rank), share = share_begin(array.n, r->rank + 1) - begin;
  uint64_t *by = malloc((array.n + 1) * 8), i;
  affine *wanted = malloc((share + 1) * sizeof *wanted);
  for (i = 0; i < array.n; ++i) by[i] = i;
  qsort(by, array.n, 8, by_remainder);
  for (i = 0; i < share; ++i) wanted[i] = array.maps[by[begin + i]];
  c.op = r->before, c.key_type = r->affine_type, c.keys = b->maps, c.count = b->n;
  c.out_keys = b->out_keys, c.capacity = array.n + 1, c.out_count = b->number;
  if (runs(r, &c, "merge sort of structs")) compare(r, "merge sort of structs", b->out_keys, wanted, share, 8);
  free(by), free(wanted);
}
static void test_top_k(Rank *r, Buffers *b, int floats, int down) {
  gp_call c = gp_call_init(GP_TOP_K);
  const uint64_t k = array.n < 9 ? array.n : 9 + seed % 40 < array.n ? 9 + seed % 40 : array.n;
  uint32_t keys[64];
  uint64_t indices[64], i;
  for (i = 0; i < k; ++i) {
    memcpy(&keys[i], floats ? (void *)&array.floats[order[i]] : (void *)&array.keys[order[i]], 4);
    indices[i] = order[i];
  }
  c.key_type = floats ? GP_F32 : GP_U32, c.keys = floats ? b->floats : b->keys, c.count = b->n, c.k = k;
  c.flags = down ? GP_DESCENDING : 0, c.out_keys = b->out_keys, c.out_type = GP_U64, c.out = b->out;
  if (runs(r, &c, "top_k")) {
    compare(r, "top_k: keys", b->out_keys, keys, k, 4);
    compare(r, "top_k: indices", b->out, indices, k, 8);
  }
}

// ---- sorts that begin with the first digits of keys: of many elements, or by GP_HYBRID
enum { KEY_KINDS = 8 };
static uint64_t many = 900;
static struct {
  gp_type type;
  size_t size;
  int down;
  uint64_t n, begin[RANKS + 1];
  unsigned char *keys, *sorted; // all ranks'
  uint32_t *indices;
} lot;
static void make_lot(int kind) {
  static const gp_type types[] = {GP_U32, GP_F32, GP_U64, GP_F64, GP_I32, GP_I64};
  uint64_t state = seed * 131 + (uint64_t)kind, i;
  const unsigned cut = (unsigned)(draw(&state) % 3), type = (unsigned)(seed % 6); // few kernels of a seed
  int r;
  lot.type = types[type], lot.size = type == 0 || type == 1 || type == 4 ? 4 : 8, lot.down = (seed / 6 + seed) % 2;
  lot.n = many * (uint64_t)ranks - draw(&state) % 5;
  lot.keys = malloc(lot.n * lot.size), lot.sorted = malloc(lot.n * lot.size), lot.indices = malloc(lot.n * 4);
  for (i = 0; i < lot.n; ++i) {
    const uint64_t x = draw(&state), place = (uint64_t)((double)i / (double)lot.n * 1.8e19);
    uint64_t key = kind == 0 ? x // uniform; one key; no high bits; sorted; a frequent key; normal; two first digits
        : kind == 1 ? 0x8123456789abcdefull
        : kind == 2 ? x >> 20
        : kind == 3 ? place
        : kind == 4 ? (x % 8 ? 0x7777777788888888ull : x * 77)
        : kind == 6 ? (x & 0x80ffffffffffffffull) | 0x3500000000000000ull
        : x % 5; // few keys
    if (kind == 5 && lot.size == 8) {
      const double normal = (double)(int64_t)x * (double)(int64_t)draw(&state) * 1e-38;
      memcpy(&key, &normal, 8);
    } else if (kind == 5) {
      const float normal = (float)(int32_t)x * (float)(int32_t)draw(&state) * 1e-19f;
      memcpy(&key, &normal, 4);
    } else if (lot.size == 4 && kind != 2 && kind < 7) key >>= 32;
    memcpy(lot.keys + i * lot.size, &key, lot.size);
  }
  for (r = 1; r < ranks; ++r) // even; half on the first rank; none on the last
    lot.begin[r] = cut == 0 ? lot.n * (uint64_t)r / (uint64_t)ranks + draw(&state) % 7
        : cut == 1 ? lot.n / 2 + lot.n / 2 / (uint64_t)ranks * (uint64_t)(r - 1)
        : r == ranks - 1 ? lot.n
        : lot.n / (uint64_t)ranks * (uint64_t)r;
  lot.begin[0] = 0, lot.begin[ranks] = lot.n;
}
static uint64_t lot_rank(uint64_t i) { // of a sorted key
  uint64_t x = 0;
  memcpy(&x, lot.sorted + i * lot.size, lot.size);
  const uint64_t top = 1ull << (8 * lot.size - 1), every = top | (top - 1);
  const int floats = lot.type == GP_F32 || lot.type == GP_F64, is_signed = lot.type == GP_I32 || lot.type == GP_I64;
  if (is_signed) x ^= top;
  if (floats) x ^= x & top ? every : top;
  return lot.down ? x ^ every : x;
}
// Indices tell everything: each key comes from there, and equal keys keep their order. Then keys alone, and values.
static void test_digits(Rank *r) {
  const uint64_t first = lot.begin[r->rank], n = lot.begin[r->rank + 1] - first;
  const uint64_t begin = share_begin(lot.n, r->rank), share = share_begin(lot.n, r->rank + 1) - begin;
  uint64_t *values = malloc((n + share + 1) * 8), i, wrong = 0;
  const uint64_t room = share > n ? share : n;
  void *keys = device_memory(n * lot.size), *in = device_memory(n * 8), *out = device_memory(room * 8);
  void *out_keys = device_memory(room * lot.size), *count = device_memory(8);
  Buffers b = {.number = count};
  gp_policy hybrid;
  gp_call c = gp_call_init(GP_SORT);
  memset(&hybrid, 0, sizeof hybrid);
  hybrid.algorithm = GP_HYBRID;
  to_device(keys, lot.keys + first * lot.size, n * lot.size);
  c.key_type = lot.type, c.keys = keys, c.count = n, c.flags = lot.down ? GP_DESCENDING : 0;
  c.out_keys = out_keys, c.capacity = share, c.out_count = count, c.out_type = GP_U32, c.out = out;
  if (many >> 23 == 0) c.policy = &hybrid;
  if (runs(r, &c, "digits: indices")) {
    check(number(&b) == share, "digits: the share", r->rank);
    to_host(lot.sorted + begin * lot.size, out_keys, share * lot.size);
    to_host(lot.indices + begin, out, share * 4);
  }
  pthread_barrier_wait(&barrier);
  for (i = begin; i < begin + share && !failed; ++i) {
    const uint64_t before = i ? lot_rank(i - 1) : 0, here = lot_rank(i);
    wrong += memcmp(lot.keys + lot.indices[i] * lot.size, lot.sorted + i * lot.size, lot.size) != 0;
    wrong += i && (before > here || (before == here && lot.indices[i - 1] >= lot.indices[i]));
  }
  check(!wrong, "digits: the order", r->rank);
  c.out_type = GP_TYPE_DEFAULT, c.out = NULL;
  if (runs(r, &c, "digits: keys")) compare(r, "digits: keys", out_keys, lot.sorted + begin * lot.size, share, lot.size);
  for (i = 0; i < n; ++i) values[i] = (first + i) * 0x9e3779b97f4a7c15ull;
  to_device(in, values, n * 8);
  for (i = 0; i < share; ++i) values[i] = lot.indices[begin + i] * 0x9e3779b97f4a7c15ull;
  c.in_type = GP_U64, c.in = in, c.out = out;
  if (runs(r, &c, "digits: values")) {
    compare(r, "digits: values", out, values, share, 8);
    compare(r, "digits: keys of values", out_keys, lot.sorted + begin * lot.size, share, lot.size);
  }
  compare(r, "digits: the shard stays", keys, lot.keys + first * lot.size, n, lot.size);
  free_device(keys), free_device(in), free_device(out), free_device(out_keys), free_device(count), free(values);
}
static void test_all_digits(Rank *r) {
  for (int kind = 0; kind < KEY_KINDS; ++kind) {
    pthread_barrier_wait(&barrier);
    if (!r->rank) make_lot(kind);
    pthread_barrier_wait(&barrier);
    test_digits(r);
    pthread_barrier_wait(&barrier);
    if (!r->rank) free(lot.keys), free(lot.sorted), free(lot.indices);
  }
}

static void fails(Rank *r, const gp_call *c, gp_result own, gp_result others, int culprit, const char *what) {
  const gp_result got = gp_world_run(r->world, c, r->stream);
  check(got == (r->rank == culprit ? own : others), what, r->rank);
}
static void test_nth(Rank *r, Buffers *b, int floats, int down) {
  gp_call c = gp_call_init(GP_NTH_ELEMENT);
  const uint64_t places[] = {0, array.n / 2, array.n - 1, seed * 7919 % (array.n + !array.n)};
  const void *mine = floats ? b->floats : b->keys;
  c.key_type = floats ? GP_F32 : GP_U32, c.keys = mine, c.count = b->n, c.out_keys = b->out_keys;
  c.flags = down ? GP_DESCENDING : 0;
  c.n = array.n + !array.n;
  if (array.n) fails(r, &c, GP_E_ARGUMENT, GP_E_ARGUMENT, 0, "nth_element: a position beyond the array");
  c.n = 0, c.out_keys = r->rank ? b->out_keys : NULL;
  fails(r, &c, GP_E_NULL, GP_E_WORLD, 0, "nth_element: no output on a rank");
  c.n = r->rank == ranks - 1, c.out_keys = b->out_keys;
  if (ranks > 1) fails(r, &c, GP_E_WORLD, GP_E_WORLD, 0, "nth_element: other positions");
  for (int i = 0; i < 4 && array.n; ++i) {
    const void *wanted =
        floats ? (const void *)&array.floats[order[places[i]]] : (const void *)&array.keys[order[places[i]]];
    const gp_result result =
        gp_world_nth_element(r->world, c.key_type, mine, b->n, places[i], b->out_keys, c.flags, (gp_stream)r->stream);
    check(result == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS, "nth_element", r->rank);
    compare(r, "nth_element: the key", b->out_keys, wanted, 1, 4);
  }
  if (!floats && array.n) { // the same bytes as keys of other types, beside gp_nth_element of the whole array
    static const gp_type types[] = {GP_I8, GP_U8, GP_BOOL, GP_E4M3, GP_E5M2, GP_I16, GP_U16, GP_F16, GP_BF16, GP_I32,
        GP_U32, GP_F32, GP_I64, GP_U64, GP_F64};
    void *whole = device_memory(array.n * 8), *shard = device_memory(b->n * 8);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
      const size_t size = gp_type_size(r->ctx, types[i]);
      const uint64_t n = places[(i + seed) % 4];
      unsigned char wanted[8];
      to_device(whole, array.values, array.n * size);
      to_device(shard, (unsigned char *)array.values + b->first * size, b->n * size);
      check(gp_nth_element(r->ctx, types[i], whole, array.n, n, b->out, c.flags, r->stream) == GP_SUCCESS &&
              gp_world_wait(r->world, r->stream) == GP_SUCCESS,
          "gp_nth_element", r->rank);
      to_host(wanted, b->out, size);
      if (types[i] == GP_BOOL) wanted[0] = ranks > 1 ? wanted[0] != 0 : wanted[0]; // a true one is 1 in a world
      check(gp_world_nth_element(r->world, types[i], shard, b->n, n, b->out_keys, c.flags, r->stream) == GP_SUCCESS &&
              gp_world_wait(r->world, r->stream) == GP_SUCCESS,
          gp_type_name(r->ctx, types[i]), r->rank);
      compare(r, gp_type_name(r->ctx, types[i]), b->out_keys, wanted, 1, size);
    }
    free_device(whole), free_device(shard);
  }
  compare(r, "nth_element: the shard stays", mine,
      floats ? (const void *)(array.floats + b->first) : (const void *)(array.keys + b->first), b->n, 4);
}
// The array as a matrix of u64, spread by rows.
static void test_transpose(Rank *r, Buffers *b) {
  const uint64_t columns = 1 + seed * 31 % 40, rows = array.n / columns;
  const uint64_t first = b->first / columns, end = r->rank == ranks - 1 ? rows : (b->first + b->n) / columns;
  const uint64_t begin = share_begin(columns, r->rank), share = share_begin(columns, r->rank + 1) - begin;
  const uint64_t mine = (end < rows ? end : rows) - (first < rows ? first : rows);
  uint64_t *wanted = malloc((share * rows + 1) * 8), i, j;
  void *in = device_memory((mine + 1) * columns * 8);
  gp_result result;
  to_device(in, array.values + first * columns, mine * columns * 8);
  for (i = 0; i < share; ++i)
    for (j = 0; j < rows; ++j) wanted[i * rows + j] = array.values[j * columns + begin + i];
  result = gp_world_transpose(
      r->world, GP_U64, in, mine, columns, b->out, share * rows + 1, (uint64_t *)b->number, (gp_stream)r->stream);
  check(result == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS, "transpose", r->rank);
  check(number(b) == share, "transpose: rows of the share", r->rank);
  compare(r, "transpose", b->out, wanted, share * rows, 8);
  compare(r, "transpose: the shard stays", in, array.values + first * columns, mine * columns, 8);
  if (rows > 1) {
    result = gp_world_transpose(
        r->world, GP_U64, in, mine, columns, b->out, r->rank ? share * rows + 1 : 1, NULL, (gp_stream)r->stream);
    check(result == (share_begin(columns, 1) * rows > 1 ? GP_E_ARGUMENT : GP_SUCCESS), "transpose: capacity", r->rank);
  }
  if (ranks > 1) {
    result = gp_world_transpose(
        r->world, GP_U64, in, mine, columns + (r->rank == 1), b->out, array.n + 1, NULL, (gp_stream)r->stream);
    check(result == GP_E_WORLD, "transpose: other columns", r->rank);
    result = gp_world_transpose(
        r->world, GP_U64, in, mine, columns, r->rank ? b->out : NULL, array.n + 1, NULL, (gp_stream)r->stream);
    check(result == (r->rank ? GP_E_WORLD : GP_E_NULL), "transpose: no output on a rank", r->rank);
  }
  for (int t = 0; t < 4; ++t) { // the same bytes as elements of other sizes
    const gp_type types[] = {GP_U8, GP_U16, GP_I128, r->affine_type};
    const size_t size = gp_type_size(r->ctx, types[t]);
    const uint64_t wide = size > 8 ? rows / 2 : rows, before = size > 8 ? first / 2 : first;
    const uint64_t own = size > 8 ? (r->rank == ranks - 1 ? wide : end / 2) - before : mine;
    const unsigned char *from = (unsigned char *)array.values;
    unsigned char *to = (unsigned char *)wanted;
    to_device(in, from + before * columns * size, own * columns * size);
    for (i = 0; i < share; ++i)
      for (j = 0; j < wide; ++j) memcpy(to + (i * wide + j) * size, from + (j * columns + begin + i) * size, size);
    result =
        gp_world_transpose(r->world, types[t], in, own, columns, b->out, share * wide + 1, NULL, (gp_stream)r->stream);
    check(
        result == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS, "transpose of another size", r->rank);
    compare(r, "transpose of another size", b->out, wanted, share * wide, size);
  }
  free_device(in), free(wanted);
}
// ARGMIN and its like, beside gp_reduce of the whole array on one back end.
static void test_parts(Rank *r, Buffers *b) {
  static const gp_op ops[] = {GP_ARGMIN, GP_ARGMAX, GP_MINMAX, GP_ARGMINMAX};
  const int start = seed % 2;
  struct {
    float value[2];
    int64_t index;
  } init[2] = {{{1.5f, 0}, 7}, {{-3.f, 0}, 9}};
  float both[2] = {-1e30f, 1e30f};
  void *whole = device_memory(array.n * 4 + 4);
  unsigned char wanted[32];
  to_device(whole, array.floats, array.n * 4);
  for (int i = 0; i < 8; ++i) {
    gp_call c = gp_call_init(GP_REDUCE);
    const size_t size = i % 4 == 3 ? 32 : i % 4 == 2 ? 8 : 16;
    c.op = ops[i % 4], c.in_type = i < 4 ? GP_F32 : GP_U32, c.out = b->out;
    if (i >= 4) to_device(whole, array.keys, array.n * 4);
    c.in = whole, c.count = array.n;
    if (i < 4 && start) c.init = i == 2 ? (const void *)both : (const void *)init;
    check(gp_run(r->ctx, &c, r->stream) == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS,
        "a reduction of the whole array", r->rank);
    to_host(wanted, b->out, size);
    c.in = i < 4 ? b->floats : b->keys, c.count = b->n;
    if (runs(r, &c, "ARGMIN and its like")) compare(r, "ARGMIN and its like", b->out, wanted, 1, size);
    c.primitive = GP_INCLUSIVE_SCAN, c.init = NULL;
    if (ranks > 1 && i % 4 < 2) fails(r, &c, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "a scan by ARGMIN");
  }
  for (int i = 0; i < 16; ++i) { // of no elements, with and without a start: gp_reduce's bits
    gp_call c = gp_call_init(GP_REDUCE);
    const size_t size = i % 4 == 3 ? 32 : i % 4 == 2 ? 8 : 16;
    c.op = ops[i % 4], c.in_type = i & 4 ? GP_F32 : GP_U32, c.in = whole, c.out = b->out;
    if (i & 8) c.init = i % 4 == 2 ? (const void *)both : (const void *)init;
    check(gp_run(r->ctx, &c, r->stream) == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS,
        "a reduction of no elements", r->rank);
    to_host(wanted, b->out, size);
    if (runs(r, &c, "ARGMIN of no elements")) compare(r, "ARGMIN of no elements", b->out, wanted, 1, size);
  }
  {
    gp_call c = gp_call_init(GP_REDUCE);
    const uint64_t n = b->n / 2, places[1] = {n};
    to_device(b->number, places, 8); // without count_device the other ranks' indices would be too large
    c.op = GP_ARGMAX, c.in_type = GP_U64, c.in = b->values, c.count = b->n, c.count_device = (uint64_t *)b->number;
    c.out = b->out;
    if (runs(r, &c, "ARGMAX of counts in device memory")) {
      struct {
        uint64_t value;
        int64_t index;
      } best = {0, -1};
      uint64_t before = 0;
      for (int q = 0; q < ranks; ++q) {
        const uint64_t half = (array.begin[q + 1] - array.begin[q]) / 2;
        for (uint64_t i = 0; i < half; ++i)
          if (best.index < 0 || array.values[array.begin[q] + i] > best.value)
            best.value = array.values[array.begin[q] + i], best.index = (int64_t)(before + i);
        before += half;
      }
      compare(r, "ARGMAX of counts in device memory", b->out, &best, 1, 16);
    }
  }
  free_device(whole);
}

// In two parts and in three, as they are and balanced. Elements of 4 bytes or of 8; predicates of the keys.
static void test_partition(Rank *r, Buffers *b) {
  const uint32_t limit = 50, second = 20;
  uint64_t *wanted[3], sizes[3], firsts[3], counts[3], i, p;
  void *outs[3];
  for (p = 0; p < 3; ++p) wanted[p] = malloc((array.n + 1) * 8), outs[p] = device_memory((array.n + 1) * 8);
  for (int way = 0; way < 8; ++way) {
    const int three = way & 1, balanced = way >> 1 & 1, wide = way >> 2;
    const uint64_t parts = 2 + (uint64_t)three;
    const size_t size = wide ? 8 : 4;
    gp_call c = gp_call_init(GP_PARTITION);
    c.op = GP_GREATER, c.scalar = &limit, c.count = b->n;
    if (three) c.predicate2 = GP_LESS, c.scalar2 = &second;
    if (wide) c.key_type = GP_U32, c.keys = b->keys, c.in_type = GP_U64, c.in = b->values;
    else c.in_type = GP_U32, c.in = b->keys;
    c.out = outs[0], c.out2 = outs[1], c.out3 = three ? outs[2] : NULL, c.out_count = b->number;
    c.flags = balanced ? GP_BALANCED : 0, c.capacity = balanced ? array.n + 1 : 0;
    memset(sizes, 0, sizeof sizes), memset(firsts, 0, sizeof firsts), memset(counts, 0, sizeof counts);
    for (i = 0; i < array.n; ++i) {
      p = array.keys[i] > limit ? 0 : three && array.keys[i] >= second ? 2 : 1;
      if (wide) wanted[p][sizes[p]] = array.values[i];
      else ((uint32_t *)wanted[p])[sizes[p]] = array.keys[i];
      ++sizes[p], firsts[p] += i < b->first, counts[p] += i >= b->first && i < b->first + b->n;
    }
    if (runs(r, &c, "partition")) {
      uint64_t numbers[3];
      to_host(numbers, b->number, parts * 8);
      for (p = 0; p < parts; ++p) {
        const uint64_t first = balanced ? share_begin(sizes[p], r->rank) : firsts[p];
        const uint64_t count = balanced ? share_begin(sizes[p], r->rank + 1) - first : counts[p];
        check(numbers[p] == count, "partition: the numbers", r->rank);
        compare(r, "partition", outs[p], (unsigned char *)wanted[p] + first * size, count, size);
      }
      compare(r, "partition: the shard stays", b->keys, array.keys + b->first, b->n, 4);
    }
    if (ranks > 1 && balanced) { // of the last part, with the first rank's room
      const uint64_t share = share_begin(sizes[parts - 1], 1), other = sizes[parts - 2], most = share_begin(other, 1);
      unsigned char *before = malloc(array.n * 8 + 1), *after = malloc(array.n * 8 + 1);
      to_device(outs[0], memset(before, 0x5a, array.n * 8), array.n * 8);
      c.capacity = r->rank ? array.n + 1 : share - 1;
      if (most < share && share_begin(sizes[0], 1) < share && share > 1) { // the other parts fit
        fails(r, &c, GP_E_ARGUMENT, GP_E_ARGUMENT, 0, "partition: capacity of the last part");
        to_host(after, outs[0], array.n * 8);
        check(!memcmp(before, after, array.n * 8), "partition: nothing is written", r->rank);
      }
      c.capacity = array.n + 1;
      if (three && !r->rank) c.predicate2 = GP_OP_DEFAULT, c.scalar2 = NULL, c.out3 = NULL;
      if (three) fails(r, &c, GP_E_WORLD, GP_E_WORLD, 0, "partition: two parts on a rank, three on others");
      free(before), free(after);
    }
  }
  for (p = 0; p < 3; ++p) free(wanted[p]), free_device(outs[p]);
}
static void test_moves(Rank *r, Buffers *b) {
  gp_call c = gp_call_init(GP_COPY);
  uint64_t begin = share_begin(array.n, r->rank), share = share_begin(array.n, r->rank + 1) - begin, i, n, m, mine = 0;
  uint32_t *keys = malloc((array.n + 1) * 4);
  uint64_t *values = malloc((array.n + 1) * 8);
  const uint32_t limit = 50;
  c.in_type = GP_U32, c.in = b->keys, c.out = b->out, c.count = b->n, c.capacity = array.n + 1, c.out_count = b->number;
  if (runs(r, &c, "even shares")) {
    check(number(b) == share, "even shares: the share", r->rank);
    compare(r, "even shares", b->out, array.keys + begin, share, 4);
  }
  c = gp_call_init(GP_SELECT);
  c.op = GP_GREATER, c.in_type = GP_U32, c.in = b->keys, c.count = b->n, c.scalar = &limit;
  c.out = b->out, c.out_count = b->number, c.capacity = array.n + 1;
  for (i = n = m = 0; i < array.n; ++i)
    if (array.keys[i] > limit) {
      if (i >= b->first && i < b->first + b->n) mine = m ? mine : n, ++m;
      keys[n++] = array.keys[i];
    }
  c.flags = GP_BALANCED;
  begin = share_begin(n, r->rank), share = share_begin(n, r->rank + 1) - begin;
  if (runs(r, &c, "select, balanced")) {
    check(number(b) == share, "select, balanced: the share", r->rank);
    compare(r, "select, balanced", b->out, keys + begin, share, 4);
  }
  c.flags = 0, c.capacity = 0;
  if (runs(r, &c, "select")) {
    check(number(b) == m, "select: the number", r->rank);
    compare(r, "select", b->out, keys + mine, m, 4);
  }
  test_partition(r, b);
  // Runs: unique, with the first value of each, and sums.
  for (int what = 0; what < 3; ++what)
    for (int balanced = 0; balanced < 2; ++balanced) {
      uint64_t before = 0, own = 0, *sums = malloc((array.n + 1) * 8);
      for (i = n = 0; i < array.n; ++i) {
        if (!i || array.keys[i] != array.keys[i - 1]) {
          before += i < b->first, own += i >= b->first && i < b->first + b->n;
          keys[n] = array.keys[i], values[n] = array.values[i], sums[n++] = 0;
        }
        sums[n - 1] += array.values[i];
      }
      begin = balanced ? share_begin(n, r->rank) : before;
      share = balanced ? share_begin(n, r->rank + 1) - begin : own;
      c = gp_call_init(what == 2 ? GP_REDUCE_BY_KEY : GP_UNIQUE);
      c.key_type = GP_U32, c.keys = b->keys, c.count = b->n, c.out_keys = b->out_keys, c.out_count = b->number;
      c.capacity = balanced ? array.n + 1 : 0, c.flags = balanced ? GP_BALANCED : 0;
      if (what) c.in_type = GP_U64, c.in = b->values, c.out = b->out;
      if (what == 2) c.op = GP_SUM;
      if (runs(r, &c, what == 2 ? "reduce_by_key" : "unique")) {
        check(number(b) == share, what == 2 ? "reduce_by_key: the number" : "unique: the number", r->rank);
        compare(r, what == 2 ? "reduce_by_key: keys" : "unique: keys", b->out_keys, keys + begin, share, 4);
        if (what)
          compare(r, what == 2 ? "reduce_by_key: sums" : "unique: values", b->out, (what == 2 ? sums : values) + begin,
              share, 8);
      }
      free(sums);
    }
  free(keys), free(values);
}
static void test_groups(Rank *r, Buffers *b) {
  gp_call c = gp_call_init(GP_GROUP_BY);
  uint32_t *keys = malloc((array.n + 1) * 4);
  uint64_t *sums = malloc((array.n + 1) * 8), i, n = 0, begin, share;
  for (i = 0; i < array.n; ++i) { // in the order of make_order(0, 0)
    if (!n || keys[n - 1] != array.keys[order[i]]) keys[n] = array.keys[order[i]], sums[n++] = 0;
    sums[n - 1] += array.values[order[i]];
  }
  begin = share_begin(n, r->rank), share = share_begin(n, r->rank + 1) - begin;
  c.op = GP_SUM, c.key_type = GP_U32, c.in_type = GP_U64, c.keys = b->keys, c.in = b->values, c.count = b->n;
  c.out_keys = b->out_keys, c.out = b->out, c.out_count = b->number, c.capacity = array.n + 1;
  if (runs(r, &c, "group_by")) {
    check(number(b) == share, "group_by: the share", r->rank);
    compare(r, "group_by: keys", b->out_keys, keys + begin, share, 4);
    compare(r, "group_by: sums", b->out, sums + begin, share, 8);
  }
  free(keys), free(sums);
}
// ---- GP_REPRODUCIBLE: the bits of gp_reduce of the whole array, which each rank has besides its shard
typedef struct Kind {
  gp_type type; // 0: a struct, `own`
  int own; // of Rank.structs
  gp_op op; // of built-in types
  uint64_t keep, set; // bits of an element, or of each of its members, that are random, and those that are set
  size_t member, size;
} Kind;
static const Kind kinds[] = {{GP_F32, 0, GP_SUM, 0x80ffffff, 0x3e000000, 4, 4},
    {GP_F64, 0, GP_SUM, 0x800fffffffffffff, 0x3fd0000000000000, 8, 8}, {GP_F16, 0, GP_SUM, 0x87ff, 0x3000, 2, 2},
    {GP_BF16, 0, GP_SUM, 0x80ff, 0x3e00, 2, 2}, {GP_F32, 0, GP_PROD, 0xfff, 0x3f7ff800, 4, 4},
    {GP_C32, 0, GP_SUM, 0x80ffffff, 0x3e000000, 4, 8},
    {GP_C64, 0, GP_SUM, 0x800fffffffffffff, 0x3fd0000000000000, 8, 16},
    {GP_C32, 0, GP_PROD, 0x80000fff, 0x3f37f800, 4, 8}, {GP_U8, 0, GP_SUM, 0xff, 0, 1, 1},
    {GP_TYPE_DEFAULT, 0, GP_OP_DEFAULT, 0x80ffffff, 0x3e000000, 4, 12},
    {GP_TYPE_DEFAULT, 1, GP_OP_DEFAULT, 0x8003ffff, 0x3f700000, 4, 8},
    {GP_TYPE_DEFAULT, 2, GP_OP_DEFAULT, 0x8000ffffffffffff, 0x3fef000000000000, 8, 16}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static struct {
  unsigned char *bytes;
  uint64_t most, n, begin[RANKS + 1];
} bulk = {NULL, 400000, 0, {0}};
static void make_bulk(const Kind *k) {
  uint64_t state = seed * 99991 + (uint64_t)(k - kinds), most = bulk.most / k->size, round = 2048, i;
  const uint64_t way = draw(&state) % 6;
  int r, q;
  if (16 % k->size == 0) round = 2048 * 16 / k->size;
  bulk.n = way == 0 ? draw(&state) % 3 : way == 1 ? draw(&state) % (most + 1) : most - draw(&state) % 3;
  if (way == 2 && most > round) bulk.n = most / round * round;
  for (i = 0; i < bulk.n * k->size; i += k->member) {
    const uint64_t x = (draw(&state) & k->keep) | k->set;
    memcpy(bulk.bytes + i, &x, k->member); // little-endian
  }
  round *= bulk.n / (4096 * round) + 1;
  for (r = 1; r < ranks; ++r) { // near borders of tiles, several in a tile, anywhere, or even
    const uint64_t tiles = bulk.n / round + 1, tile = draw(&state) % tiles * round, at = draw(&state) % (bulk.n + 1);
    bulk.begin[r] = way == 2 ? tile
        : way == 3 ? tile + draw(&state) % 3 - (tile > 0)
        : way == 4 ? bulk.n / 2 + draw(&state) % 9
        : way == 5 ? bulk.n / (uint64_t)ranks * (uint64_t)r
        : at;
    if (bulk.begin[r] > bulk.n) bulk.begin[r] = bulk.n;
    for (q = r; q > 1 && bulk.begin[q] < bulk.begin[q - 1]; --q) {
      const uint64_t swap = bulk.begin[q];
      bulk.begin[q] = bulk.begin[q - 1], bulk.begin[q - 1] = swap;
    }
  }
  bulk.begin[ranks] = bulk.n;
}
static void test_reproducible(Rank *r, const Kind *k, Buffers *b) {
  const uint64_t first = bulk.begin[r->rank], n = bulk.begin[r->rank + 1] - first;
  const int options = (int)((seed + (uint64_t)(k - kinds)) % 5);
  const float start = 0.7f;
  void *whole = device_memory(bulk.n * k->size);
  unsigned char wanted[32];
  gp_call c = gp_call_init(GP_REDUCE);
  gp_input array_of[2], magnitude[2];
  size_t size = k->size;
  int i;
  to_device(whole, bulk.bytes, bulk.n * k->size);
  c.flags = GP_REPRODUCIBLE, c.out = b->out;
  c.op = k->type ? k->op : r->combine[k->own], c.in_type = k->type ? k->type : r->structs[k->own];
  if (k->type == GP_U8) c.out_type = GP_F32, size = 4;
  if (k->type == GP_F32 && options == 1) c.init = &start, c.out_type = GP_F64, c.acc_type = GP_F32, size = 8;
  if (k->type == GP_F32 && options == 2) c.apply = GP_ABS;
  for (i = 0; i < 2; ++i) {
    c.in = i ? (unsigned char *)whole + first * k->size : whole, c.count = i ? n : bulk.n;
    if (k->type == GP_F32 && k->op == GP_SUM && options == 3) { // a described input
      array_of[i] = gp_input_array(GP_F32, c.in);
      magnitude[i] = gp_input_of_one(GP_ABS, GP_F32, &array_of[i]);
      c.in = &magnitude[i], c.in_type = GP_INPUT, c.out_type = GP_F32;
    }
    if (i && options == 4) { // the count in device memory
      to_device(b->number, &n, 8);
      c.count_device = (uint64_t *)b->number, c.count += (uint64_t)r->rank;
    }
    if (!i) {
      check(gp_run(r->ctx, &c, r->stream) == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS,
          "the whole array, reproducible", r->rank);
      to_host(wanted, b->out, size);
    } else if (runs(r, &c, "reproducible")) compare(r, "reproducible", b->out, wanted, 1, size);
  }
  c.in = r->rank ? c.in : NULL, c.count_device = NULL, c.count = n + !r->rank, c.in_type = GP_F32;
  c.out_type = c.acc_type = GP_TYPE_DEFAULT, c.op = GP_SUM, c.apply = GP_OP_DEFAULT, c.init = NULL;
  if (ranks > 1 && k == kinds) {
    fails(r, &c, GP_E_NULL, GP_E_WORLD, 0, "reproducible: no input on a rank");
    c.primitive = GP_INCLUSIVE_SCAN, c.in = whole, c.count = 0;
    fails(r, &c, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "a reproducible scan of floats");
    c.in_type = r->structs[1], c.op = r->combine[1];
    fails(r, &c, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "a reproducible scan by a user's operator");
  }
  free_device(whole);
}
static void test_all_reproducible(Rank *r, Buffers *b) {
  for (int i = 0; i < (int)KINDS; ++i) {
    pthread_barrier_wait(&barrier);
    if (!r->rank) make_bulk(&kinds[i]);
    pthread_barrier_wait(&barrier);
    test_reproducible(r, &kinds[i], b);
  }
}
typedef struct three {
  float x, y, z;
} three;
typedef struct line {
  float a, b;
} line;
typedef struct long_line {
  double a, b;
} long_line;
static void host_three(void *user, void *result, const void *a, const void *b) {
  const three *x = a, *y = b;
  const three sum = {x->x + y->x, x->y + y->y, x->z + y->z};
  (void)user;
  memcpy(result, &sum, sizeof sum);
}
static void host_line(void *user, void *result, const void *a, const void *b) {
  const line *x = a, *y = b;
  volatile float moved = y->a * x->b; // no fused multiply-add
  const line both = {x->a * y->a, moved + y->b};
  (void)user;
  memcpy(result, &both, sizeof both);
}
static void host_long_line(void *user, void *result, const void *a, const void *b) {
  const long_line *x = a, *y = b;
  volatile double moved = y->a * x->b;
  const long_line both = {x->a * y->a, moved + y->b};
  (void)user;
  memcpy(result, &both, sizeof both);
}
static void define_structs(Rank *r) {
  static const three none = {0, 0, 0};
  static const line same = {1, 0};
  static const long_line long_same = {1, 0};
  static const struct {
    const char *name, *source, *body, *identity;
    size_t size, align;
    gp_host_fn host;
    const void *none;
  } own[3] = {{"three", "struct three { float x, y, z; };",
                  "three c; c.x = a.x + b.x; c.y = a.y + b.y; c.z = a.z + b.z; return c;", "three{0, 0, 0}", 12, 4,
                  host_three, &none},
      {"line", "struct line { float a, b; };",
          "line c; c.a = a.a * b.a; c.b = __fadd_rn(__fmul_rn(b.a, a.b), b.b); return c;", "line{1, 0}", 8, 4,
          host_line, &same},
      {"long_line", "struct long_line { double a, b; };",
          "long_line c; c.a = a.a * b.a; c.b = __dadd_rn(__dmul_rn(b.a, a.b), b.b); return c;", "long_line{1, 0}", 16,
          8, host_long_line, &long_same}};
  for (int i = 0; i < 3; ++i) {
    gp_type_desc type = gp_type_desc_init();
    gp_op_desc op = gp_op_desc_init();
    type.name = own[i].name, type.source = own[i].source, type.size = own[i].size, type.align = own[i].align;
    op.name = own[i].name, op.body = own[i].body, op.identity = own[i].identity, op.arity = 2;
    op.commutative = !i, op.host = own[i].host, op.host_identity = own[i].none, op.host_identity_size = own[i].size;
    check(gp_type_struct(r->ctx, &type, &r->structs[i]) == GP_SUCCESS, "gp_type_struct", r->rank);
    check(gp_op_define(r->ctx, &op, &r->combine[i]) == GP_SUCCESS, "gp_op_define", r->rank);
  }
}

// ---- graphs: rows of a random one, of every shape that a cut of its vertices can have
typedef struct Graph {
  uint64_t n, begin[RANKS + 1], components, source;
  uint64_t *offsets[2]; // of lists out and in
  uint32_t *ends[2], *labels;
  int32_t *depths;
  int symmetric, wide; // wide: offsets are u64
} Graph;
static Graph graph;
static uint32_t root_of(uint32_t v) {
  while (graph.labels[v] != v) v = graph.labels[v] = graph.labels[graph.labels[v]];
  return v;
}
static void make_lists(const uint32_t *pairs, uint64_t m, int in) {
  uint64_t *at = calloc(graph.n + 2, 8), i;
  graph.ends[in] = malloc((m + 1) * 4);
  for (i = 0; i < m; ++i) ++at[pairs[2 * i + (uint64_t)in] + 2];
  for (i = 2; i < graph.n + 2; ++i) at[i] += at[i - 1];
  for (i = 0; i < m; ++i) graph.ends[in][at[pairs[2 * i + (uint64_t)in] + 1]++] = pairs[2 * i + !in];
  graph.offsets[in] = at; // the first of each list went up to the next one's
}
static void make_graph(void) {
  uint64_t state = seed * 31337 + 11, m = 0, i, head = 0, tail = 1;
  const unsigned kind = (unsigned)(seed % 6);
  uint64_t most = kind == 5 ? 20 : kind == 0 ? 2 : 6, left;
  uint32_t *pairs, *names, *queue;
  int r;
  graph.n = 1 + draw(&state) % (seed % 4 == 3 ? 40 : elements);
  graph.symmetric = seed % 3 != 0, graph.wide = seed % 2;
  pairs = calloc(4 * graph.n * most + 8, 4), names = malloc(graph.n * 4), queue = malloc(graph.n * 4);
  for (i = 0; i < graph.n; ++i) names[i] = (uint32_t)i;
  for (i = graph.n - 1; i && draw(&state) % 64; --i) { // a few in order
    const uint64_t j = draw(&state) % (i + 1);
    const uint32_t swap = names[i];
    names[i] = names[j], names[j] = swap;
  }
  for (left = graph.n * most; left; --left) {
    uint64_t a = draw(&state) % graph.n, b = draw(&state) % graph.n;
    if (kind == 1) a = left % graph.n, b = a + (a + 1 < graph.n && a % 50 != 49); // paths, in any order of names
    if (kind == 2) a = a * a / graph.n * a / graph.n; // hubs, isolated vertices
    if (kind == 3) b = a / 50 * 50 + b % 50 < graph.n ? a / 50 * 50 + b % 50 : a; // pieces, loops
    if (kind == 4) a = left % 3 ? 0 : a; // a star and more
    if (kind == 1 && left % 64 == 7) continue;
    pairs[2 * m] = names[a], pairs[2 * m++ + 1] = names[b];
    if (graph.symmetric) pairs[2 * m] = names[b], pairs[2 * m++ + 1] = names[a];
  }
  make_lists(pairs, m, 0), make_lists(pairs, m, 1);
  graph.labels = malloc(graph.n * 4), graph.depths = malloc(graph.n * 4);
  for (i = 0; i < graph.n; ++i) graph.labels[i] = (uint32_t)i, graph.depths[i] = -1;
  for (i = 0; i < m; ++i) {
    const uint32_t a = root_of(pairs[2 * i]), b = root_of(pairs[2 * i + 1]);
    graph.labels[a < b ? b : a] = a < b ? a : b;
  }
  for (i = 0, graph.components = 0; i < graph.n; ++i) {
    graph.labels[i] = root_of((uint32_t)i);
    graph.components += graph.labels[i] == i;
  }
  graph.source = kind == 1 ? names[0] : draw(&state) % graph.n;
  queue[0] = (uint32_t)graph.source, graph.depths[graph.source] = 0;
  for (; head < tail; ++head)
    for (i = graph.offsets[0][queue[head]]; i < graph.offsets[0][queue[head] + 1]; ++i) {
      const uint32_t v = graph.ends[0][i];
      if (graph.depths[v] < 0) graph.depths[v] = graph.depths[queue[head]] + 1, queue[tail++] = v;
    }
  graph.begin[0] = 0, graph.begin[ranks] = graph.n;
  for (r = 1; r < ranks; ++r) { // as the array is cut
    graph.begin[r] = array.n ? array.begin[r] * graph.n / array.n : graph.n / 2;
  }
  free(pairs), free(names), free(queue);
}
static void free_graph(void) {
  for (int in = 0; in < 2; ++in) free(graph.offsets[in]), free(graph.ends[in]);
  free(graph.labels), free(graph.depths);
}
// This rank's lists out or in, in device memory.
static void make_rows(const Rank *r, int in, void **offsets, void **ends) {
  const uint64_t first = graph.begin[r->rank], n = graph.begin[r->rank + 1] - first, from = graph.offsets[in][first];
  const uint64_t edges = graph.offsets[in][first + n] - from;
  void *host = malloc((n + 1) * 8);
  for (uint64_t i = 0; i <= n; ++i) {
    if (graph.wide) ((uint64_t *)host)[i] = graph.offsets[in][first + i] - from;
    else ((uint32_t *)host)[i] = (uint32_t)(graph.offsets[in][first + i] - from);
  }
  *offsets = device_memory((n + 1) * 8), *ends = device_memory(edges * 4);
  to_device(*offsets, host, (n + 1) * (graph.wide ? 8 : 4)), to_device(*ends, graph.ends[in] + from, edges * 4);
  free(host);
}
// ---- gp_world_workspace_size, beside the memory that a world without memory takes
#ifdef WITH_LIBRARY
// spare: bytes that the call may take less, as nobody knows how many edges the other ranks have.
static void takes_less(
    Rank *r, const gp_call *c, const uint64_t *counts, uint64_t besides, uint64_t spare, const char *what) {
  uint64_t bytes = 0;
  check(gp_world_workspace_size(r->ctx, c, counts, ranks, r->rank, &bytes) == GP_SUCCESS, what, r->rank);
  free(r->world->memory); // on the host back end
  r->world->memory = NULL, r->world->memory_bytes = 0;
  if (!runs(r, c, what)) return;
  check(r->world->memory_bytes + besides <= bytes, what, r->rank);
  if (spare) check(r->world->memory_bytes + spare + spare / 16 + 65536 >= bytes, what, r->rank);
  check(r->world->memory_bytes + besides == bytes || bytes == 65536 || spare ||
          (c->primitive == GP_GROUP_BY && array.keys[0] != array.n), // the keys of 1 to n are all different
      what, r->rank);
}
static void takes(Rank *r, const gp_call *c, const uint64_t *counts, uint64_t besides, const char *what) {
  takes_less(r, c, counts, besides, 0, what);
}
static void memory_of_graphs(Rank *r) {
  const uint64_t first = graph.begin[r->rank], n = graph.begin[r->rank + 1] - first;
  uint64_t counts[RANKS], spare = 0;
  void *offsets, *ends, *depths = device_memory(n * 4), *parents = device_memory(n * 4);
  gp_graph rows = gp_graph_init();
  gp_call c = gp_call_init(GP_BFS);
  make_rows(r, 0, &offsets, &ends);
  rows.vertices = n, rows.offset_type = graph.wide ? GP_U64 : GP_TYPE_DEFAULT, rows.offsets = offsets;
  rows.targets = ends, rows.edges = graph.offsets[0][first + n] - graph.offsets[0][first];
  rows.flags = graph.symmetric ? GP_SYMMETRIC : 0;
  for (int q = 0; q < ranks; ++q) { // a rank sends no more messages than it has edges
    const uint64_t edges = graph.offsets[0][graph.begin[q + 1]] - graph.offsets[0][graph.begin[q]];
    counts[q] = graph.begin[q + 1] - graph.begin[q];
    if (edges < n) spare += 8 * (n - edges);
  }
  c.graph = &rows, c.source = graph.source, c.out = depths, c.out2 = parents;
  takes_less(r, &c, counts, 0, spare, "memory of bfs");
  c = gp_call_init(GP_CONNECTED_COMPONENTS), c.graph = &rows, c.out = parents;
  takes(r, &c, counts, 0, "memory of components");
  free_device(offsets), free_device(ends), free_device(depths), free_device(parents);
}
static void test_memory(Rank *r, Buffers *b) {
  const uint32_t limit = 50, ends[] = {0, 64};
  const size_t round = 255;
  uint64_t counts[RANKS], most = 0, bytes = 0, groups;
  gp_permutation p = gp_permutation_init();
  gp_call c = gp_call_init(GP_REDUCE), plain;
  for (int q = 0; q < ranks; ++q) {
    counts[q] = array.begin[q + 1] - array.begin[q];
    most = counts[q] > most ? counts[q] : most;
  }
  c.in_type = GP_F32, c.in = b->floats, c.out = b->out, c.count = b->n;
  plain = c;
  c.op = GP_SUM;
  takes(r, &c, counts, 0, "memory of a reduction");
  c.flags = GP_REPRODUCIBLE;
  takes(r, &c, counts, 0, "memory of a reproducible reduction");
  c.flags = 0, c.op = GP_ARGMINMAX;
  takes(r, &c, counts, 0, "memory of ARGMINMAX");
  c.primitive = GP_INCLUSIVE_SCAN, c.op = GP_SUM;
  takes(r, &c, counts, 0, "memory of a scan");
  c = plain, c.primitive = GP_COUNT_IF, c.op = GP_GREATER, c.in_type = GP_U32, c.scalar = &limit;
  c.out = NULL, c.out_count = (uint64_t *)b->number;
  takes(r, &c, counts, 0, "memory of count_if");
  c.primitive = GP_SELECT, c.out = b->out;
  takes(r, &c, counts, 0, "memory of select");
  c.flags = GP_BALANCED, c.capacity = array.n + 1;
  takes(r, &c, counts, 0, "memory of a balanced select");
  c.primitive = GP_PARTITION, c.out2 = b->out_keys;
  takes(r, &c, counts, 0, "memory of a balanced partition");
  c = plain, c.primitive = GP_COPY, c.capacity = array.n + 1;
  takes(r, &c, counts, 0, "memory of a copy");
  c = plain, c.primitive = GP_HISTOGRAM_EVEN, c.in_type = c.out_type = GP_U32, c.bins = 64;
  c.lower = &ends[0], c.upper = &ends[1];
  takes(r, &c, counts, 0, "memory of a histogram");
  plain.in_type = GP_TYPE_DEFAULT, plain.in = plain.out = NULL;
  plain.key_type = GP_U32, plain.keys = b->keys, plain.out_keys = b->out_keys, plain.capacity = array.n + 1;
  for (int kind = 0; kind < 3; ++kind) {
    c = plain, c.primitive = GP_SORT;
    if (kind == 1) c.in_type = GP_U64, c.in = b->values, c.out = b->out;
    if (kind == 2) c.out_type = GP_U64, c.out = b->out;
    takes(r, &c, counts, 0, "memory of a sort");
    c.primitive = GP_TOP_K, c.capacity = 0, c.k = array.n < 3000 ? array.n : 3000;
    takes(r, &c, counts, 0, "memory of top_k");
    if (kind == 2) continue;
    c.primitive = GP_UNIQUE, c.k = 0, c.out_count = (uint64_t *)b->number, c.capacity = array.n + 1;
    c.flags = kind ? GP_BALANCED : 0, c.capacity = kind ? array.n + 1 : 0;
    takes(r, &c, counts, 0, "memory of unique");
  }
  c = plain, c.primitive = GP_NTH_ELEMENT, c.capacity = 0;
  takes(r, &c, counts, 0, "memory of nth_element");
  c = plain, c.primitive = GP_REDUCE_BY_KEY, c.op = GP_SUM, c.capacity = 0, c.out_count = (uint64_t *)b->number;
  c.in_type = GP_U64, c.in = b->values, c.out = b->out;
  takes(r, &c, counts, 0, "memory of reduce_by_key");
  c.primitive = GP_GROUP_BY, c.capacity = array.n + 1;
  groups = 2 * (((most * 4 + 1 + round) & ~round) + ((most * 8 + 1 + round) & ~round)) + 256;
  takes(r, &c, counts, ranks > 1 ? groups : 0, "memory of group_by");
  c = gp_call_init(GP_TRANSPOSE), c.in_type = c.out_type = GP_U64, c.in = b->values, c.out = b->out;
  p.dimensions = 2, p.order[0] = 1, p.order[1] = 0, p.extent[0] = counts[r->rank] / 40, p.extent[1] = 40;
  c.permutation = &p, c.capacity = array.n + 64;
  for (int q = 0; q < ranks; ++q) counts[q] /= 40;
  takes(r, &c, counts, 0, "memory of a transpose");
  memory_of_graphs(r);
  check(gp_world_workspace_size(r->ctx, &c, NULL, ranks, r->rank, &bytes) == GP_E_NULL &&
          gp_world_workspace_size(r->ctx, &c, counts, ranks, ranks, &bytes) == GP_E_ARGUMENT &&
          gp_world_workspace_size(r->ctx, &c, counts, 0, 0, &bytes) == GP_E_ARGUMENT && !bytes,
      "arguments of gp_world_workspace_size", r->rank);
  c.primitive = GP_REVERSE;
  check(gp_world_workspace_size(r->ctx, &c, counts, ranks, r->rank, &bytes) == GP_E_UNSUPPORTED, "reverse", r->rank);
}
#endif

// ---- --capture, with --cuda and NCCL itself: a graph of a reduction and a scan, replayed on other data
static void test_capture(Rank *r, Buffers *b) {
  gp_call reduce = gp_call_init(GP_REDUCE), scan = gp_call_init(GP_INCLUSIVE_SCAN), sort = gp_call_init(GP_SORT);
  uint64_t *mine = malloc((b->n + 1) * 8), *wanted = malloc((b->n + 1) * 8), sum, i;
  void *graph = NULL, *runs_it = NULL;
  gp_result results[2];
  reduce.op = scan.op = GP_SUM, reduce.in_type = scan.in_type = GP_U64, reduce.in = scan.in = b->values;
  reduce.count = scan.count = b->n, reduce.out = b->number, scan.out = b->out;
  runs(r, &reduce, "a reduction before the capture"), runs(r, &scan, "a scan before the capture");
  sort.key_type = GP_U32, sort.keys = b->keys, sort.count = b->n, sort.out_keys = b->out_keys, sort.capacity = array.n;
  GP_CUDA_CHECK(&cuda, capture_begin(r->stream, GP_CUDA_CAPTURE_RELAXED));
  if (ranks > 1) fails(r, &sort, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "a captured sort");
  results[0] = gp_world_run(r->world, &reduce, r->stream);
  results[1] = gp_world_run(r->world, &scan, r->stream);
  GP_CUDA_CHECK(&cuda, capture_end(r->stream, &graph));
  check(results[0] == GP_SUCCESS && results[1] == GP_SUCCESS, "a captured reduction and scan", r->rank);
  GP_CUDA_CHECK(&cuda, graph_instantiate(&runs_it, graph, 0));
  for (uint64_t time = 1; time < 4; ++time) {
    for (i = 0; i < b->n; ++i) mine[i] = array.values[b->first + i] * time;
    to_device(b->values, mine, b->n * 8);
    pthread_barrier_wait(&barrier);
    GP_CUDA_CHECK(&cuda, graph_launch(runs_it, r->stream));
    check(gp_world_wait(r->world, r->stream) == GP_SUCCESS, "a replay", r->rank);
    for (i = 0, sum = 0; i < array.n; ++i) {
      sum += array.values[i] * time;
      if (i >= b->first && i < b->first + b->n) wanted[i - b->first] = sum;
    }
    compare(r, "a replayed reduction", b->number, &sum, 1, 8);
    compare(r, "a replayed scan", b->out, wanted, b->n, 8);
  }
  to_device(b->values, array.values + b->first, b->n * 8);
  GP_CUDA_CHECK(&cuda, graph_exec_destroy(runs_it));
  GP_CUDA_CHECK(&cuda, graph_destroy(graph));
  free(mine), free(wanted);
}

// Counts whose sum no call can hold: an error on every rank, before anything is read or written.
static void test_overflows(Rank *r) {
  const uint64_t count = (uint64_t)1 << 62;
  // Nobody reads or writes there, and the arrays do not overlap.
  unsigned char *const at = (unsigned char *)4096 + count, *const in = (unsigned char *)4096;
  gp_graph rows = gp_graph_init();
  static const gp_primitive primitives[] = {GP_COPY, GP_SORT, GP_NTH_ELEMENT, GP_REDUCE};
  for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; ++i) {
    gp_call c = gp_call_init(primitives[i]);
    const int keyed = i && primitives[i] != GP_REDUCE;
    if (keyed) c.key_type = GP_U8, c.keys = in, c.out_keys = at;
    else c.in_type = GP_U8, c.in = in, c.out = at;
    c.count = c.capacity = count;
    if (primitives[i] == GP_NTH_ELEMENT) c.capacity = 0;
    if (primitives[i] == GP_REDUCE)
      c.op = GP_SUM, c.out_type = c.acc_type = GP_F32, c.flags = GP_REPRODUCIBLE, c.capacity = 0;
    fails(r, &c, GP_E_SIZE, GP_E_SIZE, 0, "a sum of counts beyond 2^63");
    check(strstr(gp_last_message(), "2^63") != NULL, "a sum of counts beyond 2^63: the message", r->rank);
  }
  if (use_cuda) return; // a search asks first whether the GPU has these arrays
  rows.vertices = 1u << 31, rows.offsets = in, rows.targets = at;
  check(gp_world_bfs(r->world, &rows, 0, at, NULL, r->stream) == GP_E_SIZE && strstr(gp_last_message(), "2^32 - 1"),
      "vertices beyond 2^32 - 1", r->rank);
}
// Calls that every rank refuses, and that leave the world as it was.
static void test_refusals(Rank *r, Buffers *b) {
  gp_call c = gp_call_init(GP_SORT);
  if (ranks > 1) test_overflows(r);
  c.key_type = GP_U32, c.keys = b->keys, c.count = b->n, c.out_keys = b->out_keys;
  c.capacity = r->rank == 0 ? 1 : array.n + 1;
  if (array.n > (uint64_t)ranks) fails(r, &c, GP_E_ARGUMENT, GP_E_ARGUMENT, 0, "capacity");
  c.capacity = array.n + 1;
  if (r->rank == ranks - 1) c.end_bit = 3;
  if (ranks > 1) fails(r, &c, GP_E_UNSUPPORTED, GP_E_WORLD, ranks - 1, "a rank refuses");
  c.end_bit = 0;
  c.key_type = GP_C32;
  if (ranks > 1) fails(r, &c, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "complex keys");
  c.key_type = GP_U32;
  if (r->rank == 0) c.flags = GP_DESCENDING;
  if (ranks > 1) fails(r, &c, GP_E_WORLD, GP_E_WORLD, 0, "other options");
  c = gp_call_init(GP_REDUCE);
  c.op = r->rank ? GP_SUM : GP_MAX, c.in_type = GP_U32, c.in = b->keys, c.count = b->n, c.out = b->out;
  c.flags = GP_CHECKED;
  if (ranks > 1) fails(r, &c, GP_E_WORLD, GP_E_WORLD, 0, "another operator, checked");
  c = gp_call_init(GP_TRANSPOSE);
  fails(r, &c, GP_E_UNSUPPORTED, GP_E_UNSUPPORTED, 0, "another primitive");
}

// A parent is one less deep, and an edge leads from it.
static int are_parents(const uint32_t *parents, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t v = first + i, p = parents[i];
    uint64_t e;
    if (graph.depths[v] <= 0) {
      if (p != (graph.depths[v] ? UINT32_MAX : v)) return 0;
      continue;
    }
    if (p >= graph.n || graph.depths[p] != graph.depths[v] - 1) return 0;
    for (e = graph.offsets[0][p]; e < graph.offsets[0][p + 1] && graph.ends[0][e] != v; ++e) {}
    if (e == graph.offsets[0][p + 1]) return 0;
  }
  return 1;
}
static void test_graph(Rank *r, Buffers *b) {
  const uint64_t first = graph.begin[r->rank], n = graph.begin[r->rank + 1] - first;
  void *offsets[2], *ends[2], *depths = device_memory(n * 4), *parents = device_memory(n * 4);
  uint32_t *got = malloc(n * 4 + 4);
  gp_graph rows = gp_graph_init();
  gp_result result;
  make_rows(r, 0, &offsets[0], &ends[0]), make_rows(r, 1, &offsets[1], &ends[1]);
  rows.vertices = n, rows.offset_type = graph.wide ? GP_U64 : GP_TYPE_DEFAULT;
  rows.offsets = offsets[0], rows.targets = ends[0];
  rows.edges = graph.offsets[0][first + n] - graph.offsets[0][first];
  for (int way = 0; way < 3; ++way) { // top-down; with lists in or as a symmetric graph; without parents
    rows.flags = way && graph.symmetric ? GP_SYMMETRIC : 0;
    rows.in_offsets = way && !graph.symmetric ? offsets[1] : NULL;
    rows.in_sources = way && !graph.symmetric ? ends[1] : NULL;
    result = gp_world_bfs(r->world, &rows, graph.source, depths, way == 2 ? NULL : parents, r->stream);
    check(result == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS, "bfs", r->rank);
    compare(r, "bfs: depths", depths, graph.depths + first, n, 4);
    to_host(got, parents, n * 4);
    check(are_parents(got, first, n), "bfs: parents", r->rank);
    result = gp_world_components(r->world, &rows, parents, way ? b->number : NULL, r->stream);
    check(result == GP_SUCCESS && gp_world_wait(r->world, r->stream) == GP_SUCCESS, "components", r->rank);
    compare(r, "components: labels", parents, graph.labels + first, n, 4);
    if (way) check(number(b) == graph.components, "components: their number", r->rank);
    to_device(parents, got, n * 4);
  }
  result = gp_world_bfs(r->world, &rows, graph.n, depths, parents, r->stream);
  check(result == GP_E_ARGUMENT && strstr(gp_last_message(), "source"), "bfs: a source beyond the graph", r->rank);
  if (ranks > 1) {
    result = gp_world_bfs(r->world, &rows, r->rank ? 0 : graph.n - 1, depths, parents, r->stream);
    check(result == (graph.n > 1 ? GP_E_WORLD : GP_SUCCESS), "bfs: other sources", r->rank);
    result = gp_world_bfs(r->world, r->rank ? &rows : NULL, 0, depths, parents, r->stream);
    check(result == (r->rank ? GP_E_WORLD : GP_E_NULL), "bfs: no rows on a rank", r->rank);
    result = gp_world_components(r->world, &rows, r->rank || !n ? parents : NULL, NULL, r->stream);
    check(result ==
            (!graph.begin[1] ? GP_SUCCESS
                    : r->rank ? GP_E_WORLD
                    : GP_E_NULL),
        "components: no labels on a rank", r->rank);
    void *wide = device_memory(n * 8 + 8);
    rows.vertex_type = GP_U64, rows.edges = 0;
    result = gp_world_components(r->world, &rows, wide, NULL, r->stream);
    check(result == GP_E_UNSUPPORTED, "components: wide vertices", r->rank);
    free_device(wide);
  }
  for (int in = 0; in < 2; ++in) {
    compare(r, "the rows stay", ends[in], graph.ends[in] + graph.offsets[in][first],
        graph.offsets[in][first + n] - graph.offsets[in][first], 4);
    free_device(offsets[in]), free_device(ends[in]);
  }
  free_device(depths), free_device(parents), free(got);
}

static void host_compose(void *user, void *result, const void *a, const void *b) {
  const affine *x = a, *y = b;
  const affine both = {x->a * y->a, y->a * x->b + y->b};
  (void)user;
  *(affine *)result = both;
}
static void host_before(void *user, void *result, const void *a, const void *b) {
  (void)user;
  *(unsigned char *)result = ((const affine *)a)->a % 16 < ((const affine *)b)->a % 16;
}
static int open_context(Rank *r) {
  gp_config config = gp_config_init();
  config.backend = use_cuda ? GP_BACKEND_CUDA : GP_BACKEND_HOST;
  config.device = use_cuda ? r->rank % devices : 0;
  config.host_threads = 1;
  if (use_cuda) {
    int ordinal;
    GP_CUDA_CHECK(&cuda, device_get(&ordinal, config.device));
    GP_CUDA_CHECK(&cuda, retain(&r->context, ordinal));
    GP_CUDA_CHECK(&cuda, set_current(r->context));
    GP_CUDA_CHECK(&cuda, stream_create(&r->stream, GP_CUDA_STREAM_NON_BLOCKING));
  }
  if (gp_open(&config, &r->ctx) != GP_SUCCESS) return check(0, "gp_open", r->rank), 0;
  return 1;
}
// Joins a world; every rank comes here.
static gp_result join_world(Rank *r, double timeout) {
  gp_world_config joins = gp_world_config_init();
  if (r->rank == 0 && gp_world_id(r->ctx, library, id) != GP_SUCCESS) check(0, "gp_world_id", 0);
  pthread_barrier_wait(&barrier);
  joins.nccl_library = library, joins.timeout = timeout;
  if (own) {
    unique_id copy;
    memcpy(&copy, id, sizeof copy);
    if (nccl.init(&r->comm, ranks, copy, r->rank)) check(0, "a communicator of the program's", r->rank);
    joins.communicator = r->comm;
  } else joins.id = id, joins.rank = r->rank, joins.size = ranks;
  return gp_world_open(r->ctx, &joins, &r->world);
}
// The program's communicator works without the world, and goes.
static void leave_own(Rank *r) {
  unsigned char *all = device_memory((size_t)ranks);
  const unsigned char mine = (unsigned char)(r->rank + 7);
  to_device(all + r->rank, &mine, 1);
  check(!nccl.gather(all + r->rank, all, 1, 1, r->comm, r->stream), "a gather after the world", r->rank);
  if (use_cuda) GP_CUDA_CHECK(&cuda, stream_wait(r->stream));
  for (int q = 0; q < ranks; ++q) {
    const unsigned char wanted = (unsigned char)(q + 7);
    compare(r, "a gather after the world", all + q, &wanted, 1, 1);
  }
  free_device(all);
  check(!nccl.destroy(r->comm), "ncclCommDestroy after the world", r->rank);
}
static int open_rank(Rank *r) {
  gp_type_desc type = gp_type_desc_init();
  gp_op_desc op = gp_op_desc_init();
  static const affine identity = {1, 0};
  if (!open_context(r)) return 0;
  if (join_world(r, 20) != GP_SUCCESS) return check(0, "gp_world_open", r->rank), 0;
  check(gp_world_rank(r->world) == r->rank && gp_world_size(r->world) == ranks, "rank and size", r->rank);
  type.name = "affine", type.source = "struct affine { unsigned a, b; };", type.size = 8, type.align = 4;
  op.name = "compose", op.body = "affine c; c.a = a.a * b.a; c.b = b.a * a.b + b.b; return c;", op.arity = 2;
  op.identity = "affine{1, 0}", op.host = host_compose, op.host_identity = &identity, op.host_identity_size = 8;
  check(gp_type_struct(r->ctx, &type, &r->affine_type) == GP_SUCCESS, "gp_type_struct", r->rank);
  check(gp_op_define(r->ctx, &op, &r->compose) == GP_SUCCESS, "gp_op_define", r->rank);
  op = gp_op_desc_init();
  op.name = "by remainder", op.body = "return a.a % 16 < b.a % 16;", op.arity = 2, op.host = host_before;
  check(gp_op_define(r->ctx, &op, &r->before) == GP_SUCCESS, "gp_op_define", r->rank);
  define_structs(r);
  return 1;
}
static uint64_t first_seed = 1, seeds = 20;
static int graphs; // failures of searches in graphs
static int is_part(const char *name) {
  for (int i = 0; i < PARTS; ++i)
    if (!strcmp(name, parts[i])) return only_some = only[i] = 1;
  return 0;
}
static int wants(const char *part) {
  for (int i = 0; i < PARTS; ++i)
    if (!strcmp(part, parts[i])) return !only_some || only[i];
  return fprintf(stderr, "world: no part %s\n", part), exit(2), 0;
}
static void *work(void *of) {
  Rank *r = of;
  uint64_t s;
  if (!open_rank(r)) return NULL;
  for (s = first_seed; s < first_seed + seeds; ++s) {
    Buffers b;
    pthread_barrier_wait(&barrier);
    if (!r->rank) seed = s, make_array(), make_graph();
    pthread_barrier_wait(&barrier);
    b = make_buffers(r);
    if (wants("folds")) test_folds(r, &b);
    if (wants("structs")) test_struct_sort(r, &b);
    if (wants("moves")) test_moves(r, &b);
    if (wants("transposes")) test_transpose(r, &b);
    if (wants("parts")) test_parts(r, &b);
    if (wants("graphs")) test_graph(r, &b);
    if (wants("refusals")) test_refusals(r, &b);
    if (wants("reproducible")) test_all_reproducible(r, &b);
    if (wants("digits")) test_all_digits(r);
    if (capture && wants("capture")) test_capture(r, &b);
#ifdef WITH_LIBRARY
    if (!use_cuda && wants("memory")) test_memory(r, &b);
#endif
    for (int way = 0; way < 4; ++way) {
      pthread_barrier_wait(&barrier);
      if (!r->rank) make_order(way & 1, way >> 1);
      pthread_barrier_wait(&barrier);
      for (int kind = 0; kind < 3 && wants("sorts"); ++kind) test_sort(r, &b, way & 1, way >> 1, kind);
      if (wants("top_k")) test_top_k(r, &b, way & 1, way >> 1);
      if (wants("nth")) test_nth(r, &b, way & 1, way >> 1);
      if (!way && wants("groups")) test_groups(r, &b);
    }
    pthread_barrier_wait(&barrier);
    free_buffers(&b);
    if (!r->rank) free_array(), free_graph();
  }
  check(gp_world_close(r->world) == GP_SUCCESS, "gp_world_close", r->rank);
  check(gp_world_close(r->world) == GP_E_CONTEXT, "gp_world_close again", r->rank);
  if (own) leave_own(r);
  check(gp_close(r->ctx) == GP_SUCCESS, "gp_close", r->rank);
  return NULL;
}
// A rank that fails or goes silent: the others get an error, soon, and the world is broken; inputs stay.
static void *work_until_failure(void *of) {
  Rank *r = of;
  gp_result result = GP_SUCCESS;
  const double begin = now_us();
  Buffers b;
  gp_graph rows = gp_graph_init();
  void *offsets, *ends;
  int i;
  if (!open_rank(r)) return NULL;
  pthread_barrier_wait(&barrier);
  if (!r->rank) seed = first_seed, make_array(), make_graph();
  pthread_barrier_wait(&barrier);
  b = make_buffers(r);
  make_rows(r, 0, &offsets, &ends);
  rows.vertices = graph.begin[r->rank + 1] - graph.begin[r->rank], rows.offsets = offsets, rows.targets = ends;
  rows.offset_type = graph.wide ? GP_U64 : GP_U32, rows.flags = graph.symmetric ? GP_SYMMETRIC : 0;
  rows.edges = graph.offsets[0][graph.begin[r->rank + 1]] - graph.offsets[0][graph.begin[r->rank]];
  for (i = 0; i < 50 && result == GP_SUCCESS; ++i) {
    gp_call c = gp_call_init(i % 3 ? GP_SORT : GP_REDUCE);
    if (graphs) {
      result = i % 2 ? gp_world_components(r->world, &rows, b.out, NULL, r->stream)
          : gp_world_bfs(r->world, &rows, graph.source, b.out, b.out_keys, r->stream);
      continue;
    }
    if (i % 3) c.key_type = GP_U32, c.keys = b.keys, c.out_keys = b.out_keys, c.capacity = array.n + 1;
    else c.op = GP_SUM, c.in_type = GP_U32, c.in = b.keys, c.out = b.out;
    c.count = b.n;
    result = gp_world_run(r->world, &c, r->stream);
  }
  check(result == GP_E_WORLD, "an error on every rank", r->rank);
  check(now_us() - begin < 20e6, "in bounded time", r->rank);
  {
    gp_call c = gp_call_init(GP_REDUCE);
    c.op = GP_SUM, c.in_type = GP_U32, c.in = b.keys, c.out = b.out, c.count = b.n;
    check(
        gp_world_run(r->world, &c, r->stream) == GP_E_WORLD && strstr(gp_last_message(), "broken"), "broken", r->rank);
  }
  compare(r, "inputs stay", b.keys, array.keys + b.first, b.n, 4);
  compare(r, "rows stay", ends, graph.ends[0] + graph.offsets[0][graph.begin[r->rank]], rows.edges, 4);
  free_device(offsets), free_device(ends);
  gp_world_close(r->world);
  gp_close(r->ctx);
  pthread_barrier_wait(&barrier);
  free_buffers(&b);
  return NULL;
}

// ---- failures at every call of NCCL's functions
typedef struct Injected { // a call, and its results of a world without failures
  gp_call c;
  gp_graph rows;
  gp_permutation turn;
  gp_policy hybrid;
  void *offsets, *ends;
  unsigned char *wanted;
} Injected;
static const char *injected_call;
static const uint32_t fifty = 50, bin_ends[] = {0, 64};
// The outputs of a call: keys, elements and numbers.
enum { NUMBERS = 256 * 8 };
static size_t output_bytes(void) { return 2 * (array.n + 64) * 8 + NUMBERS; }
static void read_outputs(const Buffers *b, unsigned char *to) {
  const size_t bytes = (array.n + 64) * 8;
  to_host(to, b->out_keys, bytes), to_host(to + bytes, b->out, bytes), to_host(to + 2 * bytes, b->number, NUMBERS);
}
static void clear_outputs(const Buffers *b) {
  unsigned char *zeros = calloc(1, output_bytes());
  const size_t bytes = (array.n + 64) * 8;
  to_device(b->out_keys, zeros, bytes), to_device(b->out, zeros, bytes), to_device(b->number, zeros, NUMBERS);
  free(zeros);
}
static int make_injected(Rank *r, Buffers *b, Injected *x) {
  static const struct {
    const char *name;
    gp_primitive primitive;
  } names[] = {{"reduce", GP_REDUCE}, {"reproducible", GP_REDUCE}, {"argmin", GP_REDUCE}, {"scan", GP_INCLUSIVE_SCAN},
      {"count_if", GP_COUNT_IF}, {"histogram", GP_HISTOGRAM_EVEN}, {"top_k", GP_TOP_K}, {"sort", GP_SORT},
      {"digits", GP_SORT}, // pairs, in pieces
      {"nth_element", GP_NTH_ELEMENT}, {"transpose", GP_TRANSPOSE}, {"copy", GP_COPY}, {"select", GP_SELECT},
      {"partition", GP_PARTITION}, {"unique", GP_UNIQUE}, {"reduce_by_key", GP_REDUCE_BY_KEY},
      {"group_by", GP_GROUP_BY}, {"bfs", GP_BFS}, {"components", GP_CONNECTED_COMPONENTS}};
  gp_call *c = &x->c;
  size_t i;
  int keyed;
  for (i = 0; i < sizeof names / sizeof names[0] && strcmp(names[i].name, injected_call); ++i) {}
  if (i == sizeof names / sizeof names[0]) return 0;
  *c = gp_call_init(names[i].primitive);
  keyed = c->primitive == GP_TOP_K || c->primitive == GP_SORT || c->primitive == GP_NTH_ELEMENT ||
      c->primitive == GP_UNIQUE || c->primitive == GP_REDUCE_BY_KEY || c->primitive == GP_GROUP_BY;
  c->count = b->n;
  if (keyed) c->key_type = GP_U32, c->keys = b->keys, c->out_keys = b->out_keys;
  else c->in_type = GP_U32, c->in = b->keys, c->out = b->out;
  if (c->primitive == GP_REDUCE_BY_KEY || c->primitive == GP_GROUP_BY)
    c->in_type = GP_U64, c->in = b->values, c->out = b->out;
  if (c->primitive == GP_REDUCE || c->primitive == GP_INCLUSIVE_SCAN || c->primitive == GP_REDUCE_BY_KEY ||
      c->primitive == GP_GROUP_BY)
    c->op = GP_SUM;
  if (!strcmp(injected_call, "digits")) {
    x->hybrid.algorithm = GP_HYBRID;
    c->policy = &x->hybrid, c->key_type = GP_U64, c->keys = b->values, c->out_type = GP_U32, c->out = b->out;
  }
  if (!strcmp(injected_call, "argmin")) c->op = GP_ARGMIN;
  if (!strcmp(injected_call, "reproducible")) c->in = b->floats, c->in_type = GP_F32, c->flags = GP_REPRODUCIBLE;
  if (c->primitive == GP_PARTITION) c->out2 = b->out_keys;
  if (c->primitive == GP_SELECT || c->primitive == GP_PARTITION || c->primitive == GP_COUNT_IF)
    c->op = GP_GREATER, c->scalar = &fifty;
  if (c->primitive == GP_COUNT_IF) c->out = NULL;
  if (c->primitive == GP_HISTOGRAM_EVEN)
    c->out_type = GP_U32, c->bins = 64, c->lower = &bin_ends[0], c->upper = &bin_ends[1];
  if (c->primitive == GP_TOP_K) c->k = 9;
  if (c->primitive == GP_SELECT || c->primitive == GP_PARTITION || c->primitive == GP_UNIQUE ||
      c->primitive == GP_REDUCE_BY_KEY)
    c->flags = GP_BALANCED;
  if ((c->flags & GP_BALANCED) || c->primitive == GP_SORT || c->primitive == GP_COPY || c->primitive == GP_GROUP_BY)
    c->capacity = array.n + 1;
  if (c->capacity || c->primitive == GP_COUNT_IF) c->out_count = b->number;
  if (c->primitive == GP_TRANSPOSE) {
    x->turn = gp_permutation_init();
    x->turn.dimensions = 2, x->turn.order[0] = 1, x->turn.order[1] = 0;
    x->turn.extent[0] = b->n / 5, x->turn.extent[1] = 5;
    c->permutation = &x->turn, c->count = 0, c->capacity = array.n + 1;
  }
  make_rows(r, 0, &x->offsets, &x->ends);
  x->rows = gp_graph_init();
  x->rows.vertices = graph.begin[r->rank + 1] - graph.begin[r->rank];
  x->rows.offsets = x->offsets, x->rows.targets = x->ends, x->rows.offset_type = graph.wide ? GP_U64 : GP_U32;
  x->rows.edges = graph.offsets[0][graph.begin[r->rank + 1]] - graph.offsets[0][graph.begin[r->rank]];
  x->rows.flags = graph.symmetric ? GP_SYMMETRIC : 0;
  if (c->primitive == GP_BFS || c->primitive == GP_CONNECTED_COMPONENTS) {
    *c = gp_call_init(c->primitive);
    c->graph = &x->rows, c->out = b->out;
    if (c->primitive == GP_BFS) c->source = graph.source;
    else c->out_count = b->number;
  }
  x->wanted = calloc(1, output_bytes());
  return 1;
}
static gp_result results_of[RANKS];
// The call in a world of its own, in which the call `number` of rank `culprit` fails; 0: none does. Returns whether the
// rank came there.
static int run_injected(Rank *r, Buffers *b, Injected *x, int culprit, int number) {
  static int reached;
  const double begin = now_us();
  unsigned char *got = malloc(output_bytes());
  gp_result result, after;
  int q, came;
  clear_outputs(b);
  pthread_barrier_wait(&barrier);
  if (!r->rank) {
    char text[80];
    snprintf(text, sizeof text, number ? "timeout=9000,reorder=%d,fail=%d:%d:3" : "timeout=9000,reorder=%d", 1 + number,
        culprit, number);
    setenv("GPUPRIMS_LOOPBACK", text, 1);
    nccl.failures();
  }
  pthread_barrier_wait(&barrier);
  result = join_world(r, 9);
  check(result == GP_SUCCESS ? r->world != NULL : r->world == NULL, "the world after gp_world_open", r->rank);
  if (result == GP_SUCCESS) result = gp_world_run(r->world, &x->c, r->stream);
  if (result == GP_SUCCESS) result = gp_world_wait(r->world, r->stream);
  check(result == GP_SUCCESS || result == GP_E_WORLD, "a result of a failure", r->rank);
  read_outputs(b, got);
  if (!number) memcpy(x->wanted, got, output_bytes());
  else if (result == GP_SUCCESS) check(!memcmp(got, x->wanted, output_bytes()), "results beside a failure", r->rank);
  results_of[r->rank] = result;
  pthread_barrier_wait(&barrier);
  if (!r->rank) {
    reached = nccl.failures() != 0;
    setenv("GPUPRIMS_LOOPBACK", "timeout=9000", 1);
    for (q = 0; q < ranks; ++q) // the rank itself always knows
      check(reached ? q != culprit || results_of[q] == GP_E_WORLD : results_of[q] == GP_SUCCESS,
          reached ? "the rank that failed" : "a call without a failure", q);
  }
  pthread_barrier_wait(&barrier);
  came = reached;
  if (r->world && came) { // the others know at the next call, if not yet
    after = gp_world_run(r->world, &x->c, r->stream);
    check(after == GP_E_WORLD, "the next call of a broken world", r->rank);
  }
  check(now_us() - begin < 9e6, "in bounded time", r->rank);
  compare(r, "inputs stay", b->keys, array.keys + b->first, b->n, 4);
  compare(r, "values stay", b->values, array.values + b->first, b->n, 8);
  compare(r, "edges stay", x->ends, graph.ends[0] + graph.offsets[0][graph.begin[r->rank]], x->rows.edges, 4);
  if (r->world) check(gp_world_close(r->world) == GP_SUCCESS || came, "gp_world_close", r->rank);
  if (own && !came) leave_own(r); // a broken world has aborted it
  r->world = NULL;
  free(got);
  return came;
}
static void *work_with_failures(void *of) {
  Rank *r = of;
  Injected x;
  Buffers b;
  int culprit, number = 0, injected = 0;
  memset(&x, 0, sizeof x);
  if (!open_context(r)) return NULL;
  pthread_barrier_wait(&barrier);
  if (!r->rank) seed = first_seed, make_array(), make_graph();
  pthread_barrier_wait(&barrier);
  b = make_buffers(r);
  if (!make_injected(r, &b, &x)) return check(0, "--inject: no such call", r->rank), NULL;
  run_injected(r, &b, &x, 0, 0);
  for (culprit = 0; culprit < ranks; ++culprit, injected += number - 1)
    for (number = 1 + own; run_injected(r, &b, &x, culprit, number); ++number) {} // the first makes the communicator
  if (!r->rank) printf("%s: %d failures injected\n", injected_call, injected);
  check(injected >= (3 + 3 * own) * ranks, "failures: those of gp_world_open, and more", r->rank);
  gp_close(r->ctx);
  pthread_barrier_wait(&barrier);
  free_device(x.offsets), free_device(x.ends), free(x.wanted);
  free_buffers(&b);
  return NULL;
}
// Worlds of which one rank tells another version: every rank is refused. A rank that has not compared the versions yet
// may hear of the others' leaving instead; the program's own communicators stay, so all compare them.
static void *work_with_versions(void *of) {
  static int told;
  Rank *r = of;
  int other;
  if (!open_context(r)) return NULL;
  for (other = -1; other < ranks; ++other) {
    const double begin = now_us();
    gp_result result;
    pthread_barrier_wait(&barrier);
    if (!r->rank) {
      char text[80]; // earlier calls make the communicator, and ask it three things
      snprintf(text, sizeof text, "timeout=9000,alter=%d:%d:%d", other, own ? 5 : 2, gp_version() + 1);
      setenv("GPUPRIMS_LOOPBACK", text, 1);
      told = 0;
    }
    pthread_barrier_wait(&barrier);
    result = join_world(r, 9);
    check(result == (other < 0 ? GP_SUCCESS : GP_E_WORLD) && (result == GP_SUCCESS) == (r->world != NULL),
        "another version", r->rank);
    if (strstr(gp_last_message(), "different versions")) __atomic_add_fetch(&told, 1, __ATOMIC_ACQ_REL);
    check(now_us() - begin < 9e6, "another version, in bounded time", r->rank);
    if (r->world) check(gp_world_close(r->world) == GP_SUCCESS, "gp_world_close", r->rank);
    if (own) leave_own(r);
    pthread_barrier_wait(&barrier);
    if (!r->rank && other >= 0) check(own ? told == ranks : told > 0, "another version: who says so", told);
  }
  gp_close(r->ctx);
  return NULL;
}

int main(int argc, char **argv) {
  void *(*body)(void *) = work;
  pthread_t threads[RANKS];
  int i, fail = 0;
  for (i = 1; i < argc; ++i) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--cuda")) use_cuda = 1;
    else if (!strcmp(argv[i], "--fails")) fail = 1, body = work_until_failure;
    else if (!strcmp(argv[i], "--inject")) body = work_with_failures, injected_call = next, ++i;
    else if (!strcmp(argv[i], "--versions")) body = work_with_versions;
    else if (!strcmp(argv[i], "--own")) own = 1;
    else if (!strcmp(argv[i], "--only") && is_part(next)) ++i;
    else if (!strcmp(argv[i], "--capture")) capture = 1;
    else if (!strcmp(argv[i], "--graphs")) graphs = 1;
    else if (!strcmp(argv[i], "--nccl")) library = next, ++i;
    else if (!strcmp(argv[i], "--ranks")) ranks = atoi(next), ++i;
    else if (!strcmp(argv[i], "--seeds")) seeds = strtoull(next, NULL, 10), ++i;
    else if (!strcmp(argv[i], "--first")) first_seed = strtoull(next, NULL, 10), ++i;
    else if (!strcmp(argv[i], "--bulk")) bulk.most = strtoull(next, NULL, 10), ++i;
    else if (!strcmp(argv[i], "--many")) many = strtoull(next, NULL, 10), ++i;
    else if (!strcmp(argv[i], "--elements")) elements = strtoull(next, NULL, 10), ++i;
    else return fprintf(stderr, "world: unknown option %s\n", argv[i]), 2;
  }
  if (ranks < 1 || ranks > RANKS) return fprintf(stderr, "world: --ranks is 1 to %d\n", RANKS), 2;
  if (use_cuda) {
    const char *why = gp_cuda_open(&cuda);
    if (why) return fprintf(stderr, "world: %s\n", why), 2;
    GP_CUDA_CHECK(&cuda, device_count(&devices));
  }
  if ((own || injected_call) && (!open_nccl() || (injected_call && !nccl.failures)))
    return fprintf(stderr, "world: --own and --inject need the library\n"), 2;
  bulk.bytes = malloc(bulk.most + 16);
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_barrier_init(&barrier, NULL, (unsigned)ranks);
  for (i = 0; i < ranks; ++i) {
    all_ranks[i].rank = i;
    pthread_create(&threads[i], NULL, body, &all_ranks[i]);
  }
  for (i = 0; i < ranks; ++i) pthread_join(threads[i], NULL);
  free(order), free(bulk.bytes);
  if (fail || injected_call) free_array(), free_graph();
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
