// gp_world - times of calls of a world beside those of one GPU: ranks are threads of this process, a GPU each.
//     gp_world [--nccl FILE] [--ranks N [--least N]] [--log2 N]... [--scale S] [--strong] [--small] [--seconds S]
//              [--host] [--blocking] [--cell TEXT]... [--out FILE]
// One line of JSON a cell and a rank count: microseconds of the slowest rank, median of the repetitions; `alone`: the
// same call of gp_run on one GPU with one shard; `link`: bytes a second of an exchange of half of each shard, by NCCL.
// --cell: only cells whose names have one of the texts.
// --blocking: by a communicator that blocks, as PyTorch's does.
// --scale: instead, searches and components of a Kronecker graph of 2^S vertices a rank, 16 edges a vertex. n: vertices
// of all ranks; alone: gp_bfs, gp_connected_components of 2^S vertices on one GPU. gteps: edges of the source's
// component, each counted once. us, alone and gteps of searches: medians of `sources` sources.
// --strong: 2^N elements or 2^S vertices in all, not of a rank. alone: gp_run of all of them on one GPU.
// --small: also calls of 1,024 and 65,536 elements a rank beside NCCL's smallest collective, an all-reduce of 4 bytes
// (smallest_us); *graph_us: the replay of a CUDA graph that has the call once; *train_us: a 16th of one that has it 16
// times, which leaves the host out.
// Build: cc -std=gnu11 -O2 -I. -Itools tools/gp_world.c -o build/gp_world -ldl -lpthread -lm
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "gp_cuda.h"
#include "gp_graphs.h"

enum { RANKS = 16, REPETITIONS = 200, BINS = 256, TOP = 256, TRAIN = 16 };
static gp_cuda cuda;
static int most_ranks, ranks, least_ranks = 1, host, devices, blocking, scale, strong, small_calls;
static const char *library;
static double seconds = 0.4;
static int sizes[8], size_count;
static const char *only[8];
static int only_count;
static FILE *out;
static pthread_barrier_t barrier;
static unsigned char id[GP_WORLD_ID_BYTES];
static double times[RANKS][REPETITIONS];
static int repetitions;

typedef struct Rank {
  int rank;
  gp_context *ctx;
  gp_world *world;
  void *context, *stream;
  unsigned char *keys, *values, *out_keys, *out_values, *number;
  uint64_t room; // elements
  gp_permutation turn; // of the matrix, with whole rows alone
  gp_graph rows;
  uint64_t first; // vertex of the rows
} Rank;

static void fail(const char *what) {
  fprintf(stderr, "gp_world: %s: %s\n", what, gp_last_message());
  exit(1);
}
static void *memory(size_t bytes) {
  uint64_t at = 0;
  if (host) return malloc(bytes);
  GP_CUDA_CHECK(&cuda, alloc(&at, bytes));
  return (void *)(uintptr_t)at;
}
static void release(void *at) {
  if (host) free(at);
  else GP_CUDA_CHECK(&cuda, free_((uint64_t)(uintptr_t)at));
}
static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

enum { STRONG = 1, SMALL = 2 };
typedef struct Cell {
  const char *name;
  gp_primitive primitive;
  gp_type key, value; // of keys; of `in`
  int also; // measured by --strong, --small
} Cell;
static const Cell cells[] = {{"reduce SUM f32", GP_REDUCE, GP_TYPE_DEFAULT, GP_F32, STRONG | SMALL},
    {"reduce SUM f32 reproducible", GP_REDUCE, GP_TYPE_DEFAULT, GP_F32, 0},
    {"inclusive_scan SUM u32", GP_INCLUSIVE_SCAN, GP_TYPE_DEFAULT, GP_U32, STRONG | SMALL},
    {"histogram_even u8", GP_HISTOGRAM_EVEN, GP_TYPE_DEFAULT, GP_U8, STRONG | SMALL},
    {"top_k u32 k=256", GP_TOP_K, GP_U32, GP_TYPE_DEFAULT, STRONG},
    {"sort u32", GP_SORT, GP_U32, GP_TYPE_DEFAULT, STRONG}, {"sort u32 values=u32", GP_SORT, GP_U32, GP_U32, STRONG},
    {"sort u64", GP_SORT, GP_U64, GP_TYPE_DEFAULT, 0}, {"select u32 keep=50", GP_SELECT, GP_TYPE_DEFAULT, GP_U32, 0},
    {"select u32 keep=50 even", GP_SELECT, GP_TYPE_DEFAULT, GP_U32, 0},
    {"unique u32", GP_UNIQUE, GP_U32, GP_TYPE_DEFAULT, 0},
    {"group_by SUM u64 key=u32", GP_GROUP_BY, GP_U32, GP_U64, STRONG},
    {"nth_element u32", GP_NTH_ELEMENT, GP_U32, GP_TYPE_DEFAULT, 0},
    {"nth_element u64", GP_NTH_ELEMENT, GP_U64, GP_TYPE_DEFAULT, 0},
    {"transpose u32 columns=4096", GP_TRANSPOSE, GP_TYPE_DEFAULT, GP_U32, 0}};
enum { CELLS = sizeof cells / sizeof cells[0] };
static const uint32_t half = 0x80000000u;

static int wanted(int cell) {
  int i;
  for (i = 0; i < only_count && !strstr(cells[cell].name, only[i]); ++i) {}
  return !only_count || i < only_count;
}
static gp_call call_of(const Rank *r, int cell, uint64_t n) {
  const Cell *of = &cells[cell];
  gp_call c = gp_call_init(of->primitive);
  c.key_type = of->key, c.in_type = of->value, c.count = n;
  if (of->key) c.keys = r->keys, c.out_keys = r->out_keys;
  if (of->value) c.in = of->key ? r->values : r->keys, c.out = r->out_values;
  if (of->primitive == GP_REDUCE || of->primitive == GP_INCLUSIVE_SCAN || of->primitive == GP_GROUP_BY) c.op = GP_SUM;
  if (strstr(of->name, "reproducible")) c.flags = GP_REPRODUCIBLE;
  if (of->primitive == GP_HISTOGRAM_EVEN) c.bins = BINS, c.out_type = GP_U64;
  if (of->primitive == GP_TOP_K) c.k = TOP, c.flags = GP_DESCENDING;
  if (of->primitive == GP_NTH_ELEMENT) c.n = n / 2;
  if (of->primitive == GP_TRANSPOSE) c.permutation = &r->turn, c.count = 0;
  if (of->primitive == GP_SELECT) c.op = GP_LESS, c.scalar = &half;
  if (of->primitive == GP_SELECT || of->primitive == GP_UNIQUE || of->primitive == GP_GROUP_BY)
    c.out_count = (uint64_t *)(void *)r->number;
  return c;
}
// The work that this rank's stream is given, again and again.
typedef void Step(Rank *r, const void *of);
static void call_alone(Rank *r, const void *c) {
  if (gp_run(r->ctx, c, r->stream) != GP_SUCCESS) fail("a call");
}
static void call_of_world(Rank *r, const void *c) {
  if (gp_world_run(r->world, c, r->stream) != GP_SUCCESS) fail("a call of the world");
}
static void exchange(Rank *r, const void *part_of) {
  gp_world *w = r->world;
  const uint64_t part = *(const uint64_t *)part_of;
  int q;
  w->nccl.GroupStart();
  for (q = 0; q < ranks; ++q)
    if (q != r->rank) {
      w->nccl.Send(r->keys + part * (uint64_t)q, part, 1, q, w->comm, r->stream);
      w->nccl.Recv(r->out_keys + part * (uint64_t)q, part, 1, q, w->comm, r->stream);
    }
  if (gp__nccl_done(w, "GroupEnd", w->nccl.GroupEnd())) fail("the link");
}
static void smallest(Rank *r, const void *none) { // NCCL's own smallest collective
  gp_world *w = r->world;
  (void)none;
  if (gp__nccl_done(w, "AllReduce", w->nccl.AllReduce(r->number, r->number + 256, 1, 7, 0, w->comm, r->stream)))
    fail("the smallest collective");
}
static void replay(Rank *r, const void *graph) {
  GP_CUDA_CHECK(&cuda, graph_launch((void *)(uintptr_t)graph, r->stream));
}
// The median of the repetitions, each of which takes as long as its slowest rank; all ranks come here.
static double measured(Rank *r, Step *step, const void *of) {
  int i, q;
  for (i = -5; i < repetitions; ++i) {
    double begin;
    pthread_barrier_wait(&barrier);
    begin = gp__now_us();
    step(r, of);
    if (gp_world_wait(r->world, r->stream) != GP_SUCCESS) fail("gp_world_wait");
    if (i >= 0) times[r->rank][i] = gp__now_us() - begin;
  }
  pthread_barrier_wait(&barrier);
  if (!r->rank) {
    for (i = 0; i < repetitions; ++i)
      for (q = 1; q < ranks; ++q)
        if (times[q][i] > times[0][i]) times[0][i] = times[q][i];
    qsort(times[0], (size_t)repetitions, sizeof(double), by_value);
  }
  pthread_barrier_wait(&barrier);
  return times[0][repetitions / 2];
}
static void repeat(Rank *r, int count) {
  pthread_barrier_wait(&barrier);
  if (!r->rank) repetitions = count;
  pthread_barrier_wait(&barrier);
}
// The same as a graph, which has the step `steps` times: microseconds a step. The step has run before.
static double measured_graph(Rank *r, Step *step, const void *of, int steps) {
  void *graph = NULL, *runs_it = NULL;
  double us;
  int i;
  if (host) return 0;
  GP_CUDA_CHECK(&cuda, capture_begin(r->stream, GP_CUDA_CAPTURE_RELAXED));
  for (i = 0; i < steps; ++i) step(r, of);
  GP_CUDA_CHECK(&cuda, capture_end(r->stream, &graph));
  GP_CUDA_CHECK(&cuda, graph_instantiate(&runs_it, graph, 0));
  us = measured(r, replay, runs_it) / steps;
  GP_CUDA_CHECK(&cuda, graph_exec_destroy(runs_it));
  GP_CUDA_CHECK(&cuda, graph_destroy(graph));
  return us;
}
// Writes a row; more: JSON of members that some rows have.
static void say(Rank *r, const char *cell, uint64_t n, double us, double alone, const char *more) {
  if (r->rank) return;
  fprintf(out,
      "{\"cell\": \"%s\", \"n\": %llu, \"ranks\": %d, \"us\": %.2f, \"alone_us\": %.2f, \"rate\": %.4f, "
      "\"blocking\": %d, %s, %s\"device\": \"%s\", \"repetitions\": %d}\n",
      cell, (unsigned long long)n, ranks, us, alone, alone / us, blocking, more, strong ? "\"strong\": 1, " : "",
      host ? "host" : "GPU", repetitions);
  fflush(out);
  printf("%-34s n %11llu  ranks %d  %10.1f us  alone %10.1f us  rate %.3f  %s\n", cell, (unsigned long long)n, ranks,
      us, alone, alone / us, more);
  fflush(stdout);
}

static void fill(Rank *r) {
  gp_op_desc d = gp_op_desc_init();
  gp_call c = gp_call_init(GP_TRANSFORM);
  const uint64_t start = (uint64_t)r->rank << 40;
  gp_input ramp;
  gp_op hash;
  if (host) {
    uint64_t i, x = 88172645463325252ull + (uint64_t)r->rank;
    for (i = 0; i < r->room; ++i)
      x ^= x << 13, x ^= x >> 7, x ^= x << 17,
          ((uint64_t *)(void *)r->keys)[i] = ((uint64_t *)(void *)r->values)[i] = x;
    return;
  }
  d.name = "hash", d.arity = 1;
  d.body = "unsigned long long z = a + 0x9e3779b97f4a7c15ull; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; "
           "z = (z ^ z >> 27) * 0x94d049bb133111ebull; return z ^ z >> 31;";
  if (gp_op_define(r->ctx, &d, &hash) != GP_SUCCESS) fail("gp_op_define");
  ramp = gp_input_ramp(GP_U64, &start, NULL);
  c.op = hash, c.in_type = GP_INPUT, c.in = &ramp, c.out_type = GP_U64, c.out = r->keys, c.count = r->room;
  if (gp_run(r->ctx, &c, r->stream) != GP_SUCCESS) fail("filling");
  c.out = r->values;
  if (gp_run(r->ctx, &c, r->stream) != GP_SUCCESS) fail("filling");
}
// ---- graphs

enum { SOURCES = 8, CANDIDATES = 64 };
static graph_made made;
static uint64_t has_edges[CANDIDATES], edges_reached[RANKS];
static double alone_us[2]; // of searches, the median; of components. One rank's, which runs first

static void read_back(Rank *r, void *to, const void *from, size_t bytes) {
  if (gp_world_wait(r->world, r->stream) != GP_SUCCESS) fail("gp_world_wait");
  if (host) memcpy(to, from, bytes);
  else GP_CUDA_CHECK(&cuda, to_host(to, (uint64_t)(uintptr_t)from, bytes));
}
static int takes(void *user, const void *a) {
  const Rank *r = user;
  uint64_t edge;
  memcpy(&edge, a, 8);
  return (uint32_t)((uint32_t)edge - (uint32_t)r->first) < (uint32_t)r->rows.vertices;
}
static void taken(void *user, void *result, const void *a, const void *b) {
  (void)b;
  *(unsigned char *)result = (unsigned char)takes(user, a);
}
static void turned(void *user, void *result, const void *a, const void *b) {
  uint64_t edge;
  (void)user, (void)b;
  memcpy(&edge, a, 8);
  edge = edge >> 32 | edge << 32;
  memcpy(result, &edge, 8);
}
static gp_op defined(Rank *r, const char *name, const char *body, gp_host_fn fn) {
  gp_op_desc d = gp_op_desc_init();
  gp_op op;
  d.name = name, d.body = body, d.arity = 1, d.host = fn, d.host_user = r;
  if (gp_op_define(r->ctx, &d, &op) != GP_SUCCESS) fail(name);
  return op;
}
// Makes this rank's rows: of all edges, in parts, those that lead from its vertices or to them.
static void make_rows(Rank *r) {
  const uint64_t part = 1 << 24, room = made.edges * 2 / (uint64_t)ranks * 5 / 4 + (1 << 20);
  uint64_t *pairs = memory(part * 8), *kept = memory(room * 8), *offsets, count = 0, i, some;
  gp_op edge, take, turn;
  gp_graph g = gp_graph_init();
  char body[200];
  int side;
  r->rows = gp_graph_init();
  r->rows.vertices = made.vertices / (uint64_t)ranks, r->first = r->rows.vertices * (uint64_t)r->rank;
  snprintf(body, sizeof body, "return (unsigned)a - %lluu < %lluu;", (unsigned long long)r->first,
      (unsigned long long)r->rows.vertices);
  if (graph_edge_operator(r->ctx, &made, &edge) != GP_SUCCESS) fail("the edges' operator");
  take = defined(r, "take", body, taken);
  turn = defined(r, "turn", "return a >> 32 | a << 32;", turned);
  for (i = 0; i < made.edges; i += part) {
    gp_input numbers = gp_input_ramp(GP_U64, &i, NULL);
    gp_call c = gp_call_init(GP_TRANSFORM);
    c.op = edge, c.in_type = GP_INPUT, c.in = &numbers, c.out_type = GP_U64, c.out = pairs;
    c.count = made.edges - i < part ? made.edges - i : part;
    for (side = 0; side < 2; ++side) {
      gp_call select = gp_call_init(GP_SELECT);
      if (gp_run(r->ctx, &c, r->stream) != GP_SUCCESS) fail("edges");
      select.op = take, select.in_type = GP_U64, select.in = pairs, select.out = kept + count, select.count = c.count;
      select.out_count = (uint64_t *)(void *)r->number;
      if (count + c.count > room) fail("room for this rank's edges");
      if (gp_run(r->ctx, &select, r->stream) != GP_SUCCESS) fail("this rank's edges");
      read_back(r, &some, r->number, 8);
      count += some;
      c.op = turn, c.in_type = GP_U64, c.in = pairs;
    }
  }
  release(pairs);
  g.vertices = made.vertices, g.edges = count, g.offset_type = GP_U64, g.vertex_type = GP_U32;
  g.offsets = offsets = memory((made.vertices + 1) * 8), g.targets = memory(count * 4 + 16);
  if (gp_graph_from_edges(r->ctx, GP_U32, kept, NULL, count, &g, NULL, GP_UNIQUE_EDGES | GP_DROP_LOOPS, r->stream) !=
      GP_SUCCESS)
    fail("gp_graph_from_edges");
  if (gp_world_wait(r->world, r->stream) != GP_SUCCESS) fail("gp_world_wait");
  release(kept);
  // Vertices of other ranks have no edges here, so this one's offsets begin with 0.
  r->rows.edges = count, r->rows.offset_type = GP_U64, r->rows.vertex_type = GP_U32;
  r->rows.offsets = offsets + r->first, r->rows.targets = g.targets, r->rows.flags = GP_SYMMETRIC;
}
static void graphs(Rank *r, double small) {
  double us[SOURCES], alone[SOURCES], gteps[SOURCES];
  char more[120];
  uint32_t *depths, *seen = malloc(made.vertices / (uint64_t)ranks * 4);
  uint64_t *offsets, i;
  int k, found = 0, q;
  gp_call c = gp_call_init(GP_BFS);
  make_rows(r);
  depths = memory(r->rows.vertices * 4 + 16);
  offsets = malloc((r->rows.vertices + 1) * 8);
  if (!seen || !offsets) fail("memory");
  read_back(r, offsets, r->rows.offsets, (r->rows.vertices + 1) * 8);
  for (k = 0; k < CANDIDATES; ++k) {
    const uint64_t v = graph_mix((uint64_t)k + 77) % made.vertices - r->first;
    if (v < r->rows.vertices) has_edges[k] = offsets[v + 1] > offsets[v];
  }
  repeat(r, 3);
  c.graph = &r->rows, c.out = depths;
  for (k = 0; k < CANDIDATES && found < SOURCES; ++k) {
    if (!has_edges[k]) continue;
    c.source = graph_mix((uint64_t)k + 77) % made.vertices;
    if (ranks == 1) alone[found] = measured(r, call_alone, &c);
    us[found] = measured(r, call_of_world, &c);
    read_back(r, seen, depths, r->rows.vertices * 4);
    for (i = edges_reached[r->rank] = 0; i < r->rows.vertices; ++i)
      if (seen[i] != UINT32_MAX) edges_reached[r->rank] += offsets[i + 1] - offsets[i];
    pthread_barrier_wait(&barrier);
    for (q = 0, i = 0; q < ranks; ++q) i += edges_reached[q];
    gteps[found] = (double)i / 2 / us[found] * 1e-3;
    ++found;
    pthread_barrier_wait(&barrier);
  }
  if (!found) fail("sources");
  qsort(us, (size_t)found, sizeof *us, by_value), qsort(gteps, (size_t)found, sizeof *gteps, by_value);
  if (ranks == 1) {
    qsort(alone, (size_t)found, sizeof *alone, by_value);
    alone_us[0] = alone[found / 2];
  }
  snprintf(
      more, sizeof more, "\"gteps\": %.3f, \"sources\": %d, \"smallest_us\": %.2f", gteps[found / 2], found, small);
  say(r, "bfs kronecker", made.vertices, us[found / 2], alone_us[0], more);
  c = gp_call_init(GP_CONNECTED_COMPONENTS);
  c.graph = &r->rows, c.out = depths, c.out_count = (uint64_t *)(void *)r->number;
  if (ranks == 1) alone_us[1] = measured(r, call_alone, &c);
  us[0] = measured(r, call_of_world, &c);
  snprintf(more, sizeof more, "\"gteps\": 0, \"smallest_us\": %.2f", small);
  say(r, "connected_components kronecker", made.vertices, us[0], alone_us[1], more);
  release((unsigned char *)(uintptr_t)r->rows.offsets - r->first * 8);
  release((void *)(uintptr_t)r->rows.targets), release(depths);
  free(seen), free(offsets);
}

static gp_call shard_call(const Rank *r, int cell, uint64_t n) { // the world's; n: elements of this rank
  gp_call c = call_of(r, cell, n);
  if (c.primitive == GP_SELECT && strstr(cells[cell].name, "even")) c.flags |= GP_BALANCED;
  if (c.primitive == GP_SORT || c.primitive == GP_UNIQUE || c.primitive == GP_GROUP_BY || c.primitive == GP_TRANSPOSE ||
      (c.flags & GP_BALANCED))
    c.capacity = r->room;
  return c;
}
// Every cell with n elements a rank; --strong: some, with n elements in all.
static void measure_cells(Rank *r, uint64_t n, double small) {
  const uint64_t q = (uint64_t)r->rank, all = (uint64_t)ranks;
  const uint64_t share = strong ? n * (q + 1) / all - n * q / all : n, part = n * 4 / all;
  double link = 0;
  char more[120];
  int cell;
  if (ranks > 1) {
    repeat(r, 20);
    link = (double)part * (ranks - 1) / measured(r, exchange, &part) * 1e-3;
  }
  snprintf(more, sizeof more, "\"link_gb_s\": %.1f, \"smallest_us\": %.2f", link, small);
  r->turn = gp_permutation_init();
  r->turn.dimensions = 2, r->turn.order[0] = 1, r->turn.order[1] = 0;
  r->turn.extent[0] = n / 4096, r->turn.extent[1] = 4096;
  for (cell = 0; cell < CELLS; ++cell) {
    const gp_call one = call_of(r, cell, n), world = shard_call(r, cell, share);
    double alone, fit;
    if (!wanted(cell) || (strong && !(cells[cell].also & STRONG))) continue;
    repeat(r, 3);
    alone = measured(r, call_alone, &one);
    fit = seconds * 1e6 / (alone * 6 + 1);
    repeat(r, fit < 5 ? 5 : fit > REPETITIONS ? REPETITIONS : (int)fit);
    alone = measured(r, call_alone, &one);
    say(r, cells[cell].name, n, measured(r, call_of_world, &world), alone, more);
  }
}
static void measure_small_calls(Rank *r) {
  double least = 0, least_graph = 0, least_train = 0;
  char more[300];
  int cell, i;
  repeat(r, REPETITIONS);
  if (ranks > 1) {
    least = measured(r, smallest, NULL);
    least_graph = measured_graph(r, smallest, NULL, 1);
    least_train = measured_graph(r, smallest, NULL, TRAIN);
  }
  for (i = 0; i < 2; ++i)
    for (cell = 0; cell < CELLS; ++cell) {
      const gp_call c = call_of(r, cell, i ? 65536 : 1024);
      double alone[3], us[3];
      if (!wanted(cell) || !(cells[cell].also & SMALL)) continue;
      alone[0] = measured(r, call_alone, &c), us[0] = measured(r, call_of_world, &c);
      alone[1] = measured_graph(r, call_alone, &c, 1), us[1] = measured_graph(r, call_of_world, &c, 1);
      alone[2] = measured_graph(r, call_alone, &c, TRAIN), us[2] = measured_graph(r, call_of_world, &c, TRAIN);
      snprintf(more, sizeof more,
          "\"graph_us\": %.2f, \"alone_graph_us\": %.2f, \"smallest_graph_us\": %.2f, \"train_us\": %.2f, "
          "\"alone_train_us\": %.2f, \"smallest_train_us\": %.2f, \"smallest_us\": %.2f",
          us[1], alone[1], least_graph, us[2], alone[2], least_train, least);
      say(r, cells[cell].name, c.count, us[0], alone[0], more);
    }
}

static void *work(void *of) {
  Rank *r = of;
  gp_config config = gp_config_init();
  gp_world_config joins = gp_world_config_init();
  gp__nccl nccl;
  double small;
  int s;
  config.backend = host ? GP_BACKEND_HOST : GP_BACKEND_CUDA;
  config.device = host ? 0 : r->rank % devices;
  config.host_threads = 1;
  if (!host) {
    int ordinal;
    GP_CUDA_CHECK(&cuda, device_get(&ordinal, config.device));
    GP_CUDA_CHECK(&cuda, retain(&r->context, ordinal));
    GP_CUDA_CHECK(&cuda, set_current(r->context));
    GP_CUDA_CHECK(&cuda, stream_create(&r->stream, GP_CUDA_STREAM_NON_BLOCKING));
  }
  if (gp_open(&config, &r->ctx) != GP_SUCCESS) fail("gp_open");
  if (!r->rank && gp_world_id(r->ctx, library, id) != GP_SUCCESS) fail("gp_world_id");
  pthread_barrier_wait(&barrier);
  joins.id = id, joins.rank = r->rank, joins.size = ranks, joins.nccl_library = library;
  if (blocking) {
    gp__nccl_config own = {sizeof own, 0xcafebeefu, GP__NCCL_OLDEST, 1, -1 - INT32_MAX, -1 - INT32_MAX, -1 - INT32_MAX,
        NULL, -1 - INT32_MAX};
    gp__nccl_id copy;
    memcpy(&copy, id, sizeof copy);
    if (gp__open_nccl("gp_world", library, &nccl) != GP_SUCCESS ||
        nccl.CommInitRankConfig(&joins.communicator, ranks, copy, r->rank, &own))
      fail("a communicator");
  }
  if (gp_world_open(r->ctx, &joins, &r->world) != GP_SUCCESS) fail("gp_world_open");
  for (s = 0, r->room = 65536; s < size_count; ++s)
    if (((uint64_t)1 << sizes[s]) + 7919 > r->room) r->room = ((uint64_t)1 << sizes[s]) + 7919;
  r->keys = memory(r->room * 8), r->values = memory(r->room * 8), r->number = memory(4096);
  r->out_keys = memory(r->room * 8 + 4096), r->out_values = memory(r->room * 8 + 4096);
  fill(r);
  repeat(r, 100);
  small = ranks > 1 ? measured(r, smallest, NULL) : 0;
  if (scale) graphs(r, small);
  for (s = 0; s < size_count; ++s) measure_cells(r, ((uint64_t)1 << sizes[s]) + 7919, small);
  if (small_calls) measure_small_calls(r);
  release(r->keys), release(r->values), release(r->out_keys), release(r->out_values), release(r->number);
  if (gp_world_close(r->world) != GP_SUCCESS || (blocking && nccl.CommDestroy(joins.communicator)) ||
      gp_close(r->ctx) != GP_SUCCESS)
    fail("closing");
  return NULL;
}
int main(int argc, char **argv) {
  int i;
  out = NULL;
  for (i = 1; i < argc; ++i) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--host")) host = 1;
    else if (!strcmp(argv[i], "--blocking")) blocking = 1;
    else if (!strcmp(argv[i], "--strong")) strong = 1;
    else if (!strcmp(argv[i], "--small")) small_calls = 1;
    else if (!strcmp(argv[i], "--nccl")) library = next, ++i;
    else if (!strcmp(argv[i], "--cell") && only_count < 8) only[only_count++] = next, ++i;
    else if (!strcmp(argv[i], "--ranks")) most_ranks = atoi(next), ++i;
    else if (!strcmp(argv[i], "--least")) least_ranks = atoi(next), ++i;
    else if (!strcmp(argv[i], "--scale")) scale = atoi(next), ++i;
    else if (!strcmp(argv[i], "--seconds")) seconds = atof(next), ++i;
    else if (!strcmp(argv[i], "--log2") && size_count < 8) sizes[size_count++] = atoi(next), ++i;
    else if (!strcmp(argv[i], "--out") && (out = fopen(next, "a")) != NULL) ++i;
    else return fprintf(stderr, "gp_world: %s: see the top of tools/gp_world.c\n", argv[i]), 2;
  }
  if (!out) out = fopen("/dev/null", "w");
  if (scale < 0 || scale > 27) return fprintf(stderr, "gp_world: --scale is 1 to 27\n"), 2;
  if (!size_count && !scale && !small_calls) sizes[size_count++] = host ? 18 : 28;
  for (i = 0; i < size_count; ++i)
    if (sizes[i] < 10 || sizes[i] > 32) return fprintf(stderr, "gp_world: --log2 is 10 to 32\n"), 2;
  if (!host) {
    const char *why = gp_cuda_open(&cuda);
    if (why) return fprintf(stderr, "gp_world: %s\n", why), 2;
    GP_CUDA_CHECK(&cuda, device_count(&devices));
    if (!most_ranks) most_ranks = devices;
  }
  if (least_ranks < 1 || most_ranks < least_ranks || most_ranks > RANKS)
    return fprintf(stderr, "gp_world: --ranks is 1 to %d\n", RANKS), 2;
  for (ranks = least_ranks; ranks <= most_ranks; ranks *= 2) {
    pthread_t threads[RANKS];
    static Rank all[RANKS];
    memset(all, 0, sizeof all);
    if (scale) {
      char text[40];
      int levels = scale;
      while (!strong && 1 << (levels - scale) < ranks) ++levels;
      snprintf(text, sizeof text, "kronecker scale=%d", levels);
      if (!graph_read(text, &made)) return 2;
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)ranks);
    for (i = 0; i < ranks; ++i) {
      all[i].rank = i;
      pthread_create(&threads[i], NULL, work, &all[i]);
    }
    for (i = 0; i < ranks; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
  }
  fclose(out);
  return 0;
}
