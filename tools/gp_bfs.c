// gp_bfs.c - breadth-first search on generated graphs, checked and timed: one table for a list of policies.
//
//        gp_bfs kron 24 [edge factor] [key=value ...]     Kronecker graph of 2^24 vertices, 16 edges each
//        gp_bfs uniform 22 [edge factor] [...]            as many edges between any two vertices
//        gp_bfs grid 2000 [percent of edges] [...]        2000 x 2000, 90 % of the edges
//
// Keys: sources=16, seed=1, steps=0 (1: what each step of the first source took), and policies as words
// "algorithm=..,threads=512,vectors=2,blocks_per_sm=2,alpha=8,beta=2,small=512" (any of them; several words: several
// policies). Graphs are symmetric, made on the device by this library (edges by a user's operator, sorted, offsets by
// searches), the same on every device. Each depth is checked: along every edge depths differ by 1 at most and both ends
// are reached or none; every vertex reached has a neighbour one level nearer, and its parent is one.
#define GPUPRIMS_IMPLEMENTATION
#include "../gpuprims.h"

#include "gp_cuda.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static gp_cuda cuda;
static gp_context *ctx;
static void *stream;

#define GP(call)                                                                                                       \
  do {                                                                                                                 \
    if ((call) != GP_SUCCESS) {                                                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, gp_last_message());                                           \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
#define CU(call) GP_CUDA_CHECK(&cuda, call)

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void *device(size_t bytes) {
  uint64_t p = 0;
  CU(alloc(&p, bytes ? bytes : 16));
  return (void *)(uintptr_t)p;
}
static void release(void *p) { CU(free_((uint64_t)(uintptr_t)p)); }

// ---- graphs

static const char mix[] =
    "static __device__ unsigned long long gp_mix(unsigned long long x) { x += 0x9e3779b97f4a7c15ull; x = (x ^ (x >> "
    "30)) * 0xbf58476d1ce4e5b9ull; x = (x ^ (x >> 27)) * 0x94d049bb133111ebull; return x ^ (x >> 31); }";

// Edge e, there and (odd numbers) back, as source << 32 | target; none: all ones.
static void operator_of(const char *kind, int scale, uint64_t n, uint64_t seed, int percent, char *body, size_t room) {
  if (!strcmp(kind, "kron"))
    snprintf(body, room,
             "unsigned long long e = a >> 1, u = 0, v = 0;\n"
             "for (int l = 0; l < %d; ++l) {\n"
             "  unsigned r = (unsigned)(gp_mix(e * 64 + l + %lluull) >> 32);\n"
             "  unsigned q = r < 2448131358u ? 0 : r < 3264175144u ? 1 : r < 4080218930u ? 2 : 3;\n"
             "  u = u * 2 + (q >> 1); v = v * 2 + (q & 1);\n"
             "}\n"
             "const unsigned long long m = (1ull << %d) - 1;\n" // scrambled by a bijection
             "u = (u * 0x9e3779b97f4a7c15ull + 12345) & m; u ^= u >> %d; u = (u * 0xbf58476d1ce4e5b9ull) & m;\n"
             "v = (v * 0x9e3779b97f4a7c15ull + 12345) & m; v ^= v >> %d; v = (v * 0xbf58476d1ce4e5b9ull) & m;\n"
             "return a & 1 ? v << 32 | u : u << 32 | v;",
             scale, (unsigned long long)seed << 48, scale, scale / 2 + 1, scale / 2 + 1);
  else if (!strcmp(kind, "uniform"))
    snprintf(body, room,
             "unsigned long long e = a >> 1, u = gp_mix(e * 2 + %lluull) & %lluull, v = gp_mix(e * 2 + 1 + %lluull) & "
             "%lluull;\nreturn a & 1 ? v << 32 | u : u << 32 | v;",
             (unsigned long long)seed << 48, (unsigned long long)n - 1, (unsigned long long)seed << 48,
             (unsigned long long)n - 1);
  else
    snprintf(body, room,
             "unsigned long long e = a >> 1, v = e >> 1, w = (e & 1) ? v + %llu : v + 1;\n"
             "if ((e & 1) ? w >= %lluull : w %% %llu == 0) return ~0ull;\n"
             "if (gp_mix(e + %lluull) %% 100 >= %d) return ~0ull;\n"
             "return a & 1 ? w << 32 | v : v << 32 | w;",
             (unsigned long long)scale, (unsigned long long)n, (unsigned long long)scale,
             (unsigned long long)seed << 48, percent);
}
// A symmetric graph in device memory; undirected edges are its edges / 2, self-loops apart.
static gp_graph make(const char *kind, int scale, int factor, uint64_t seed) {
  gp_graph g;
  gp_op_desc desc = gp_op_desc_init();
  gp_op op;
  char body[2048];
  const int grid = !strcmp(kind, "grid");
  const uint64_t n = grid ? (uint64_t)scale * (uint64_t)scale : (uint64_t)1 << scale;
  const uint64_t m = grid ? 4 * n : 2 * (uint64_t)factor * n, one = 1, step = (uint64_t)1 << 32, zero = 0;
  uint64_t *numbers, *keys, *sorted, end;
  void *offsets, *targets;
  memset(&g, 0, sizeof g);
  operator_of(kind, scale, n, seed, grid ? factor : 0, body, sizeof body);
  desc.name = kind;
  desc.prelude = mix;
  desc.body = body;
  desc.arity = 1;
  GP(gp_op_define(ctx, &desc, &op));
  numbers = (uint64_t *)device((m > n + 1 ? m : n + 1) * 8);
  keys = (uint64_t *)device(m * 8);
  GP(gp_iota(ctx, GP_U64, &zero, &one, numbers, m, stream));
  GP(gp_transform(ctx, op, GP_U64, GP_U64, numbers, keys, m, stream));
  sorted = numbers;
  GP(gp_sort_keys(ctx, GP_U64, keys, sorted, m, 0, stream));
  offsets = device((n + 1) * 4);
  targets = device(m * 4);
  GP(gp_iota(ctx, GP_U64, &zero, &step, keys, n + 1, stream));
  GP(gp_lower_bound(ctx, GP_U64, 0, GP_U32, sorted, m, keys, offsets, n + 1, stream));
  GP(gp_transform(ctx, GP_CONVERT, GP_U64, GP_U32, sorted, targets, m, stream));
  CU(stream_wait(stream));
  end = 0;
  CU(to_host(&end, (uint64_t)(uintptr_t)offsets + n * 4, 4));
  release(numbers);
  release(keys);
  g.vertices = n;
  g.edges = end;
  g.offsets = offsets;
  g.targets = targets;
  g.flags = GP_SYMMETRIC;
  return g;
}

// ---- the check

typedef struct checking {
  const uint32_t *offsets, *targets, *parents;
  const int32_t *depths;
  uint64_t first, end, source, bad, reached, edges;
} checking;
static void *check_range(void *argument) {
  checking *k = (checking *)argument;
  uint64_t v;
  uint32_t e;
  for (v = k->first; v < k->end; ++v) {
    const int32_t d = k->depths[v];
    int nearer = d <= 0, parent = d <= 0;
    if ((d == 0) != (v == k->source)) ++k->bad;
    if (d >= 0) ++k->reached, k->edges += k->offsets[v + 1] - k->offsets[v];
    for (e = k->offsets[v]; e < k->offsets[v + 1]; ++e) {
      const uint32_t u = k->targets[e];
      const int32_t du = k->depths[u];
      if ((du < 0) != (d < 0) || du > d + 1) ++k->bad;
      nearer |= du == d - 1;
      parent |= du == d - 1 && u == k->parents[v];
    }
    if (!nearer || !parent || (d < 0 && k->parents[v] != UINT32_MAX) || (d == 0 && k->parents[v] != v)) ++k->bad;
  }
  return NULL;
}
static uint64_t check(checking whole, uint64_t n, const gp_traversal *t) {
  enum { THREADS = 16 };
  checking part[THREADS];
  pthread_t thread[THREADS];
  uint64_t bad = 0, reached = 0, edges = 0;
  int i;
  for (i = 0; i < THREADS; ++i) {
    part[i] = whole;
    part[i].first = n / THREADS * (uint64_t)i;
    part[i].end = i == THREADS - 1 ? n : n / THREADS * (uint64_t)(i + 1);
    pthread_create(&thread[i], NULL, check_range, &part[i]);
  }
  for (i = 0; i < THREADS; ++i) {
    pthread_join(thread[i], NULL);
    bad += part[i].bad, reached += part[i].reached, edges += part[i].edges;
  }
  return bad + (reached != t->reached) + (edges != t->edges);
}

// ---- policies

static int parse(const char *word, gp_policy *p) {
  char copy[256], *at, *field;
  memset(p, 0, sizeof *p);
  snprintf(copy, sizeof copy, "%s", word);
  for (field = strtok_r(copy, ",", &at); field; field = strtok_r(NULL, ",", &at)) {
    char *value = strchr(field, '=');
    int number;
    if (!value) return 0;
    *value++ = 0;
    number = atoi(value);
    if (!strcmp(field, "threads")) p->threads = number;
    else if (!strcmp(field, "vectors")) p->vectors = number;
    else if (!strcmp(field, "blocks_per_sm")) p->blocks_per_sm = number;
    else if (!strcmp(field, "alpha")) p->alpha = number;
    else if (!strcmp(field, "beta")) p->beta = number;
    else if (!strcmp(field, "small")) p->small = number;
    else if (!strcmp(field, "look")) p->look = number;
    else return 0;
  }
  return 1;
}
// A line a step: what kind, how long it took, what it has reached.
static void print_steps(const gp_traversal *t) {
  static const char *const kinds[] = {"start",  "one block", "top-down", "bottom-up",
                                      "listed", "settle",    "collect",  "finish"};
  uint64_t i;
  for (i = 0; i < t->steps; ++i) {
    const gp_traversal_step *s = &t->step[i], *before = i ? s - 1 : s;
    printf("  %-9s depth %5u %9.2f us %11llu vertices %12llu edges\n", kinds[s->kind], s->depth,
           1e-3 * (double)(i ? s->nanoseconds - before->nanoseconds : s->nanoseconds),
           (unsigned long long)(s->reached - (i ? before->reached : 0)),
           (unsigned long long)(s->edges - (i ? before->edges : 0)));
  }
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const char *why = gp_cuda_open(&cuda), *kind = argc > 1 ? argv[1] : "";
  const int grid = !strcmp(kind, "grid"), scale = argc > 2 ? atoi(argv[2]) : 0;
  const int given = argc > 3 && !strchr(argv[3], '=');
  const int factor = given ? atoi(argv[3]) : grid ? 90 : 16;
  static const char *usual[] = {"threads=512",
                                "threads=1024,blocks_per_sm=1",
                                "threads=256,blocks_per_sm=4",
                                "vectors=1",
                                "vectors=4",
                                "alpha=2",
                                "alpha=32",
                                "alpha=-1",
                                "beta=16",
                                "small=1",
                                "small=128",
                                "look=1",
                                "look=1000000",
                                "threads=1024,blocks_per_sm=1,small=2048",
                                "threads=256,blocks_per_sm=1,small=512"};
  const char *words[64];
  int word_count = 0, sources = 16, steps = 0, i, j, k, failed = 0;
  uint64_t seed = 1, state;
  gp_description about;
  gp_graph g;
  gp_traversal *statistics;
  uint32_t *offsets, *targets, *parents;
  int32_t *depths;
  void *device_depths, *device_parents, *begin, *end;
  uint64_t *source;
  double started = seconds();
  if (why) return fprintf(stderr, "skipped: %s\n", why), 2;
  if (!scale || (strcmp(kind, "kron") && strcmp(kind, "uniform") && !grid) || (!grid && scale > 26))
    return fprintf(stderr, "usage: gp_bfs kron|uniform SCALE [EDGE FACTOR], gp_bfs grid SIDE [PERCENT]; policies\n"), 2;
  for (i = 3 + given; i < argc; ++i)
    if (!strncmp(argv[i], "sources=", 8)) sources = atoi(argv[i] + 8);
    else if (!strncmp(argv[i], "seed=", 5)) seed = strtoull(argv[i] + 5, NULL, 10);
    else if (!strncmp(argv[i], "steps=", 6)) steps = atoi(argv[i] + 6);
    else if (word_count < 64) words[word_count++] = argv[i];
  if (!word_count)
    for (; word_count < (int)(sizeof usual / sizeof *usual); ++word_count) words[word_count] = usual[word_count];
  if (gp_open(NULL, &ctx) != GP_SUCCESS) return fprintf(stderr, "%s\n", gp_last_message()), 1;
  GP(gp_describe(ctx, &about));
  {
    void *primary;
    int ordinal;
    CU(device_get(&ordinal, 0));
    CU(retain(&primary, ordinal));
    CU(set_current(primary));
  }
  CU(stream_create(&stream, GP_CUDA_STREAM_NON_BLOCKING));
  CU(event_create(&begin, 0));
  CU(event_create(&end, 0));
  g = make(kind, scale, factor, seed);
  device_depths = device(g.vertices * 4);
  device_parents = device(g.vertices * 4);
  statistics = (gp_traversal *)device(sizeof *statistics);
  offsets = (uint32_t *)malloc((g.vertices + 1) * 4);
  targets = (uint32_t *)malloc(g.edges * 4);
  depths = (int32_t *)malloc(g.vertices * 4);
  parents = (uint32_t *)malloc(g.vertices * 4);
  source = (uint64_t *)malloc((size_t)sources * 8);
  CU(to_host(offsets, (uint64_t)(uintptr_t)g.offsets, (g.vertices + 1) * 4));
  CU(to_host(targets, (uint64_t)(uintptr_t)g.targets, g.edges * 4));
  for (i = 0, state = seed * 0x9e3779b97f4a7c15ull; i < sources;) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    source[i] = (state >> 20) % g.vertices;
    if (offsets[source[i] + 1] > offsets[source[i]]) ++i;
  }
  printf("%s, %s %d %d: %llu vertices, %llu directed edges, %d sources, made in %.1f s\n", about.name, kind, scale,
         factor, (unsigned long long)g.vertices, (unsigned long long)g.edges, sources, seconds() - started);
  printf("%-42s %9s %9s %9s %9s %9s %7s %6s %6s %9s %7s\n", "policy", "median ms", "least ms", "most ms", "GTEPS",
         "directed", "levels", "up", "small", "inspected", "us/lev");
  for (k = 0; k < word_count; ++k) {
    gp_policy policy;
    double *ms = (double *)malloc((size_t)sources * sizeof *ms), rate = 0, inspected = 0, levels = 0, up = 0, small = 0,
           sum = 0;
    uint64_t bad = 0;
    gp_result result = GP_SUCCESS;
    if (!parse(words[k], &policy)) return fprintf(stderr, "%s: no policy\n", words[k]), 2;
    for (i = 0; i < sources && result == GP_SUCCESS; ++i) {
      gp_call call = gp_call_init(GP_BFS);
      gp_traversal t;
      call.graph = &g;
      call.source = source[i];
      call.out = device_depths;
      call.policy = &policy;
      // checked once, with parents; timed without them
      if (i < 2) {
        checking whole;
        CU(set8((uint64_t)(uintptr_t)device_depths, 0x77, g.vertices * 4, stream));
        CU(set8((uint64_t)(uintptr_t)device_parents, 0x77, g.vertices * 4, stream));
        call.out2 = device_parents;
        call.statistics = statistics;
        result = gp_run(ctx, &call, stream);
        if (result != GP_SUCCESS) break;
        CU(stream_wait(stream));
        CU(to_host(depths, (uint64_t)(uintptr_t)device_depths, g.vertices * 4));
        CU(to_host(parents, (uint64_t)(uintptr_t)device_parents, g.vertices * 4));
        CU(to_host(&t, (uint64_t)(uintptr_t)statistics, sizeof t));
        memset(&whole, 0, sizeof whole);
        whole.offsets = offsets, whole.targets = targets, whole.depths = depths, whole.parents = parents;
        whole.source = source[i];
        bad += check(whole, g.vertices, &t);
        call.out2 = NULL;
      }
      call.statistics = statistics;
      GP(gp_run(ctx, &call, stream));
      CU(stream_wait(stream));
      CU(to_host(&t, (uint64_t)(uintptr_t)statistics, sizeof t));
      if (steps && !i) print_steps(&t);
      call.statistics = NULL;
      ms[i] = 1e9;
      for (j = 0; j < 3; ++j) {
        float one;
        CU(event_record(begin, stream));
        GP(gp_run(ctx, &call, stream));
        CU(event_record(end, stream));
        CU(event_wait(end));
        CU(event_elapsed(&one, begin, end));
        if (one < ms[i]) ms[i] = one;
      }
      rate += ms[i] / (double)(t.edges ? t.edges : 1); // ms an edge: the harmonic mean of rates
      sum += ms[i];
      levels += (double)t.levels, up += (double)t.bottom_up, small += (double)t.small, inspected += (double)t.inspected;
    }
    if (result != GP_SUCCESS) {
      printf("%-42s %s\n", words[k], gp_last_message());
      free(ms);
      continue;
    }
    failed += bad != 0;
    rate = sources / rate * 1e-6; // directed edges a nanosecond
    qsort(ms, (size_t)sources, sizeof *ms, ascending);
    printf("%-42s %9.4f %9.4f %9.4f %9.1f %9.1f %7.1f %6.1f %6.1f %9.0f %7.2f%s\n", words[k],
           (ms[sources / 2] + ms[(sources - 1) / 2]) / 2, ms[0], ms[sources - 1], rate / 2, rate, levels / sources,
           up / sources, small / sources, inspected / sources, 1e3 * sum / (levels > 0 ? levels : 1),
           bad ? "  WRONG" : "");
    fflush(stdout);
    free(ms);
  }
  printf("%d policies, %d wrong; %.1f s\n", word_count, failed, seconds() - started);
  return failed != 0;
}
