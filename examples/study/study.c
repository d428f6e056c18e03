// study.c - Back40's study whole: every policy of a copy, a reduction, a prefix sum and a reduce-by-key, measured on
// this GPU (source: study.cuh). python3 -m tools.farm study reads what it writes.
//
//     make examples && build/examples/study/study --out build/study.jsonl --seconds 400
//
//     --out FILE      results: a line for each kernel's part, type, size and number of blocks
//     --seconds N     begins nothing new after so long (default 600)
//     --types LIST    of u8,u16,u32,u64 (default: all)
//     --count         prints the numbers of policies and ends
//     --quick         a few policies, small inputs, one batch: a check, no measurement
//     --kernels FILE  where study.cuh is, from elsewhere than the project's folder
//
// The upsweep, the spine and the downsweep of a problem have policies of their own and run one after the other, on the
// same shares of as many blocks: a policy of the problem is three of a kernel, and its time is the sum of theirs.
// Measuring 54 policies of each kernel thus measures all 54 x 54 x 54. A few are also measured whole, which checks the
// sums.
//
// Every kernel's result is compared with the host's before it is timed. Times are medians of batches, by events; inputs
// rotate through more memory than the cache holds. Without a GPU or NVRTC the program says so and exits with status 0.
#ifndef STUDY_WITHOUT_IMPLEMENTATION // a test that includes the library
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { COPY, REDUCE, REDUCE_SPINE, SCAN_UP, SCAN_SPINE, SCAN_DOWN, KEY_UP, KEY_SPINE, KEY_DOWN, PARTS };
static const char *const part_names[PARTS] = {
    "copy", "reduce", "reduce_spine", "scan_up", "scan_spine", "scan_down", "key_up", "key_spine", "key_down"};
static const char *const entries[PARTS] = {"STUDY_COPY", "STUDY_REDUCE", "STUDY_REDUCE", "STUDY_SCAN_UP",
    "STUDY_SCAN_SPINE", "STUDY_SCAN_DOWN", "STUDY_KEY_UP", "STUDY_KEY_SPINE", "STUDY_KEY_DOWN"};
static const char *const type_names[] = {"u8", "u16", "u32", "u64"};
static const char *const c_types[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long long"};
static const int thread_values[] = {32, 64, 128, 256, 512, 1024}, powers[] = {1, 2, 4};
static const char *const loads_by_cache[] = {"ca", "cg", "cs", "cv"},
                         *const stores_by_cache[] = {"wb", "cg", "cs", "wt"};
enum { TYPES = 4, BATCHES = 3, BATCH_US = 150, MOST_CALLS = 100, RUN = 32, MOST_BLOCKS = 32, WHOLE = 48 };

typedef struct policy {
  int threads, loads, items, load, store, steal;
} policy;

typedef struct study {
  own_gpu gpu;
  gp_context *ctx;
  char *source;
  const char *kernels;
  int quick, type, wrong, checked, types[TYPES];
  double end; // seconds
  FILE *out;
  // The kernels of the current type, by part and policy.
  policy *policies[PARTS];
  void **functions[PARTS];
  int counts[PARTS];
  // The inputs and results of the current size.
  uint64_t n, at, sets, stride;
  char *in, *values, *to, *sums, *partials, *offsets; // of partial results, by the spine
  unsigned *ticket, *runs;
  unsigned blocks;
} study;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}
// Partial results of the largest grid.
static uint64_t room_of(const study *s) { return (uint64_t)MOST_BLOCKS * (unsigned)s->gpu.multiprocessors + 96; }
static int type_size(const study *s) { return 1 << s->type; }

// ---- the space ------------------------------------------------------------------------------------------------------

// The policies of a part: `made` has room for all of them, or is NULL. A quick run has a few.
static int policies_of(int part, int quick, policy *made) {
  const int caches = part == COPY ? 4 : 1, steals = part == COPY || part == REDUCE ? 2 : 1;
  int t, l, i, load, store, steal, count = 0;
  for (t = 0; t < (quick ? 2 : 6); ++t)
    for (l = 0; l < 3; ++l)
      for (i = 0; i < 3; ++i)
        for (load = 0; load < caches; ++load)
          for (store = 0; store < caches; ++store)
            for (steal = 0; steal < steals; ++steal) {
              policy p;
              if (quick && (l == 2 || i == 1 || load % 3 || store != load)) continue;
              p.threads = thread_values[t], p.loads = powers[l], p.items = powers[i];
              p.load = load, p.store = store, p.steal = steal;
              if (made) made[count] = p;
              ++count;
            }
  return count;
}
static void policy_text(char *to, size_t size, const policy *p) {
  snprintf(to, size, "threads=%d,loads=%d,items=%d,load=%s,store=%s,steal=%d", p->threads, p->loads, p->items,
      loads_by_cache[p->load], stores_by_cache[p->store], p->steal);
}
static void kernel_name(char *to, size_t size, int type, int part, const policy *p) {
  snprintf(to, size, "study_%s_%s_%d_%d_%d_%d_%d_%d", part_names[part], type_names[type], p->threads, p->loads,
      p->items, p->load, p->store, p->steal);
}

static void print_counts(void) {
  unsigned long long copies = (unsigned)policies_of(COPY, 0, NULL), up = (unsigned)policies_of(REDUCE, 0, NULL);
  unsigned long long spine = (unsigned)policies_of(REDUCE_SPINE, 0, NULL), three = 1;
  int part;
  for (part = SCAN_UP; part <= SCAN_DOWN; ++part) three *= (unsigned)policies_of(part, 0, NULL);
  printf("policies of a type and size            here   printed\n"
         "copy            loads, items, threads, %llu, 1728\n"
         "                stealing, caching\n"
         "reduction       upsweep, spine         %llu, 8748\n"
         "prefix sum      upsweep, spine, downsweep %llu, 157464\n"
         "reduce-by-key   upsweep, spine, downsweep %llu, 157464\n",
      copies, up * spine, three, three);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// A module: policies first .. last - 1 of a part.
typedef struct module_job {
  int part, first, last;
  char *code;
} module_job;
typedef struct compiling {
  study *s;
  module_job *jobs;
  int count, next;
} compiling;

static char *compile_job(study *s, const module_job *job) {
  const size_t source = strlen(s->source), room = source + (size_t)(job->last - job->first) * 200 + 1;
  char *text = (char *)malloc(room), *code, name[100];
  size_t at;
  int i;
  if (!text) own_stop("no memory for a module's text");
  memcpy(text, s->source, source);
  at = source;
  for (i = job->first; i < job->last; ++i) {
    const policy *p = &s->policies[job->part][i];
    kernel_name(name, sizeof name, s->type, job->part, p);
    at += (size_t)snprintf(text + at, room - at, "\n%s(%s, %s, %d, %d, %d, %d, %d, %d)", entries[job->part], name,
        c_types[s->type], p->threads, p->loads, p->items, p->load, p->store, p->steal);
  }
  snprintf(text + at, room - at, "\n");
  code = own_compile(&s->gpu, s->kernels, text, NULL, NULL, s->gpu.capability, NULL, 0);
  free(text);
  return code;
}
static void *compile_some(void *user) {
  compiling *c = (compiling *)user;
  int at;
  while ((at = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->count)
    c->jobs[at].code = compile_job(c->s, &c->jobs[at]);
  return NULL;
}

// Compiles and loads all kernels of the current type, by all processors.
static void make_kernels(study *s) {
  enum { JOB = 18, MOST = 64, JOBS = 1024 };
  static module_job jobs[JOBS];
  pthread_t threads[MOST];
  compiling c;
  char name[100];
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int part, i, started = 0;
  memset(&c, 0, sizeof c);
  c.s = s, c.jobs = jobs;
  for (part = 0; part < PARTS; ++part) {
    s->counts[part] = policies_of(part, s->quick, NULL);
    free(s->policies[part]);
    free(s->functions[part]);
    s->policies[part] = (policy *)calloc((size_t)s->counts[part], sizeof(policy));
    s->functions[part] = (void **)calloc((size_t)s->counts[part], sizeof(void *));
    if (!s->policies[part] || !s->functions[part]) own_stop("no memory for the policies");
    policies_of(part, s->quick, s->policies[part]);
    for (i = 0; i < s->counts[part]; i += JOB) {
      module_job *job = &jobs[c.count++];
      if (c.count > JOBS) own_stop("too many modules");
      job->part = part, job->first = i, job->last = i + JOB < s->counts[part] ? i + JOB : s->counts[part];
    }
  }
  while (started < processors - 1 && started < MOST && !pthread_create(&threads[started], NULL, compile_some, &c))
    ++started;
  compile_some(&c);
  while (started) pthread_join(threads[--started], NULL);
  for (i = 0; i < c.count; ++i) {
    void *module = own_load(&s->gpu, jobs[i].code);
    int k;
    for (k = jobs[i].first; k < jobs[i].last; ++k) {
      kernel_name(name, sizeof name, s->type, jobs[i].part, &s->policies[jobs[i].part][k]);
      s->functions[jobs[i].part][k] = own_kernel(&s->gpu, module, name);
    }
  }
}

// ---- inputs and expected results ------------------------------------------------------------------------------------

static uint64_t masked(const study *s, uint64_t x) { return s->type == 3 ? x : x & ((1ull << 8 * type_size(s)) - 1); }
static uint64_t value_at(const study *s, uint64_t i) { return masked(s, (i * 2654435761u) ^ (i >> 7)); }
static uint64_t key_at(const study *s, uint64_t i) { return masked(s, i / RUN); } // runs of RUN elements
static void put(const study *s, void *data, uint64_t i, uint64_t x) {
  memcpy((char *)data + i * (uint64_t)type_size(s), &x, (size_t)type_size(s));
}
static uint64_t get(const study *s, const void *data, uint64_t i) {
  uint64_t x = 0;
  memcpy(&x, (const char *)data + i * (uint64_t)type_size(s), (size_t)type_size(s));
  return x;
}
static uint64_t bytes_of(const study *s) { return s->n * (uint64_t)type_size(s); }

static void open_size(study *s, uint64_t bytes) {
  const uint64_t least = s->quick ? 0 : 4 * (uint64_t)s->gpu.l2_bytes;
  char *data = (char *)malloc(bytes), *keys = (char *)malloc(bytes);
  uint64_t i;
  if (!data || !keys) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  s->n = bytes / (uint64_t)type_size(s);
  s->stride = (bytes + 255) / 256 * 256;
  s->sets = least / s->stride > 2 ? least / s->stride : 2;
  s->at = 0;
  s->in = (char *)own_new(&s->gpu, s->sets * s->stride);
  s->values = (char *)own_new(&s->gpu, s->sets * s->stride);
  s->to = (char *)own_new(&s->gpu, s->sets * s->stride);
  s->sums = (char *)own_new(&s->gpu, s->sets * s->stride);
  for (i = 0; i < s->n; ++i) put(s, keys, i, key_at(s, i)), put(s, data, i, value_at(s, i));
  for (i = 0; i < s->sets; ++i) {
    own_write(&s->gpu, s->in + i * s->stride, keys, bytes);
    own_write(&s->gpu, s->values + i * s->stride, data, bytes);
  }
  free(data);
  free(keys);
}
static void close_size(study *s) {
  own_free(&s->gpu, s->in);
  own_free(&s->gpu, s->values);
  own_free(&s->gpu, s->to);
  own_free(&s->gpu, s->sums);
}

// ---- launches -------------------------------------------------------------------------------------------------------

// Starts a kernel on the current set. Copies, reductions and prefix sums read the values.
static void start(study *s, int part, int k) {
  const uint64_t set = s->at % s->sets * s->stride;
  char *keys = s->in + set, *values = s->values + set, *to = s->to + set, *sums = s->sums + set;
  char *one = s->partials + 16 * room_of(s); // a reduction's result
  const policy *p = &s->policies[part][k];
  unsigned blocks = s->blocks, count = s->blocks;
  unsigned long long n = s->n, partials = s->blocks;
  void *a[7] = {0};
  int i = 0;
  switch (part) {
  case COPY: a[i++] = &values, a[i++] = &to, a[i++] = &n, a[i++] = &s->ticket; break;
  case REDUCE: a[i++] = &values, a[i++] = &s->partials, a[i++] = &n, a[i++] = &s->ticket; break;
  case REDUCE_SPINE:
    blocks = 1;
    a[i++] = &s->partials, a[i++] = &one, a[i++] = &partials, a[i++] = &s->ticket;
    break;
  case SCAN_UP: a[i++] = &values, a[i++] = &s->partials, a[i++] = &n; break;
  case SCAN_SPINE:
  case KEY_SPINE:
    blocks = 1;
    a[i++] = &s->partials, a[i++] = &s->offsets, a[i++] = &count;
    break;
  case SCAN_DOWN: a[i++] = &values, a[i++] = &s->offsets, a[i++] = &to, a[i++] = &n; break;
  case KEY_UP: a[i++] = &keys, a[i++] = &values, a[i++] = &s->partials, a[i++] = &n; break;
  default:
    a[i++] = &keys, a[i++] = &values, a[i++] = &s->offsets, a[i++] = &to, a[i++] = &sums, a[i++] = &s->runs;
    a[i++] = &n;
  }
  own_launch(&s->gpu, s->functions[part][k], blocks, 1, (unsigned)p->threads, 1, 0, a);
}

static const int first_of[] = {COPY, REDUCE, SCAN_UP, KEY_UP, PARTS};
static int problem_of(int part) { return part == COPY ? 0 : part < SCAN_UP ? 1 : part < KEY_UP ? 2 : 3; }

// Runs a problem whole, with policy `k` of a part and policy `other` of the others.
static void run_problem(study *s, int problem, int part, int k, int other) {
  int each;
  for (each = first_of[problem]; each < first_of[problem + 1]; ++each)
    start(s, each, each == part ? k : other % s->counts[each]);
}

static int is_right(study *s, int problem) {
  const uint64_t bytes = bytes_of(s);
  char *got = (char *)malloc(bytes), *sums = (char *)malloc(bytes);
  uint64_t i, sum = 0, runs = 0;
  unsigned said = 0;
  int good = 1;
  if (!got || !sums) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  own_read(&s->gpu, got, s->to, bytes);
  own_read(&s->gpu, sums, s->sums, bytes);
  if (problem == 1) {
    own_read(&s->gpu, got, s->partials + 16 * room_of(s), (uint64_t)type_size(s));
    for (i = 0; i < s->n; ++i) sum += value_at(s, i);
    good = get(s, got, 0) == masked(s, sum);
  }
  if (problem == 3) own_read(&s->gpu, &said, s->runs, sizeof said);
  for (i = 0; good && problem != 1 && i < s->n; ++i) {
    if (problem == 0) good = get(s, got, i) == value_at(s, i);
    if (problem == 2) good = get(s, got, i) == masked(s, sum);
    sum += value_at(s, i);
    if (problem == 3 && (i + 1 == s->n || key_at(s, i + 1) != key_at(s, i))) {
      good = get(s, got, runs) == key_at(s, i) && get(s, sums, runs) == masked(s, sum);
      sum = 0;
      ++runs;
    }
  }
  if (problem == 3) good = good && said == runs;
  free(got);
  free(sums);
  return good;
}

static int is_spine(int part) { return part == REDUCE_SPINE || part == SCAN_SPINE || part == KEY_SPINE; }
// Compares every kernel's result with the host's, on one size; or the spines' alone.
static void check_kernels(study *s, int spines) {
  char text[120];
  int part, k;
  for (part = 0; part < PARTS; ++part) {
    if (spines && !is_spine(part)) continue;
    s->blocks = spines ? 96 : 3; // three tiles of a spine
    for (k = 0; k < s->counts[part]; ++k) {
      own_set(&s->gpu, s->to, 0xff, bytes_of(s));
      own_set(&s->gpu, s->sums, 0xff, bytes_of(s));
      s->at = 0;
      run_problem(s, problem_of(part), part, k, k);
      ++s->checked;
      if (is_right(s, problem_of(part))) continue;
      policy_text(text, sizeof text, &s->policies[part][k]);
      fprintf(stderr, "FAILED: %s %s %s\n", part_names[part], type_names[s->type], text);
      ++s->wrong;
    }
  }
}

// ---- timing ---------------------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
// k < 0: the problem whole, with the policies of `choice`.
static double time_batch(study *s, int part, int k, const int *choice, int calls) {
  int i, each;
  own_begin(&s->gpu);
  for (i = 0; i < calls; ++i, ++s->at) {
    if (k >= 0) start(s, part, k);
    else
      for (each = first_of[part]; each < first_of[part + 1]; ++each) start(s, each, choice[each]);
  }
  return own_end(&s->gpu) / calls;
}
static double median_us(study *s, int part, int k, const int *choice) {
  double us[BATCHES], once = time_batch(s, part, k, choice, 2);
  const int batches = s->quick ? 1 : BATCHES;
  const int calls = s->quick ? 1
      : once * MOST_CALLS < BATCH_US ? MOST_CALLS
      : once > BATCH_US ? 1
      : (int)(BATCH_US / once);
  int i;
  for (i = 0; i < batches; ++i) us[i] = time_batch(s, part, k, choice, calls);
  qsort(us, (size_t)batches, sizeof *us, ascending);
  return us[batches / 2];
}

// One line: the times of a part's policies. Zero times: the time ran out.
static int measure_part(study *s, int part) {
  char text[120];
  int k;
  if (!s->quick && seconds_now() > s->end) return 0;
  if (s->out)
    fprintf(s->out,
        "{\"kind\": \"part\", \"part\": \"%s\", \"type\": \"%s\", \"bytes\": %llu, \"blocks\": %u, \"us\": {",
        part_names[part], type_names[s->type], (unsigned long long)bytes_of(s), s->blocks);
  for (k = 0; k < s->counts[part]; ++k) {
    const double us = median_us(s, part, k, NULL);
    policy_text(text, sizeof text, &s->policies[part][k]);
    if (s->out) fprintf(s->out, "%s\"%s\": %.3f", k ? ", " : "", text, us);
  }
  if (s->out) fprintf(s->out, "}}\n");
  return 1;
}

// Some problems whole, beside the sums of their kernels' times.
static void measure_whole(study *s, int problem) {
  int i, each, choice[PARTS];
  char text[120];
  for (i = 0; i < (s->quick ? 1 : WHOLE); ++i) {
    double us;
    if (!s->quick && seconds_now() > s->end) return;
    for (each = 0; each < PARTS; ++each) choice[each] = (i * 7919 + each * 104729) % s->counts[each];
    us = median_us(s, problem, -1, choice);
    if (!s->out) continue;
    fprintf(s->out,
        "{\"kind\": \"whole\", \"type\": \"%s\", \"bytes\": %llu, \"blocks\": %u, \"us\": %.3f, \"policy\": {",
        type_names[s->type], (unsigned long long)bytes_of(s), s->blocks, us);
    for (each = first_of[problem]; each < first_of[problem + 1]; ++each) {
      policy_text(text, sizeof text, &s->policies[each][choice[each]]);
      fprintf(s->out, "%s\"%s\": \"%s\"", each > first_of[problem] ? ", " : "", part_names[each], text);
    }
    fprintf(s->out, "}}\n");
  }
}

// ---- the program ----------------------------------------------------------------------------------------------------

static int study_type(study *s, const uint64_t *sizes, int size_count) {
  static const unsigned blocks_per_sm[] = {2, 8, MOST_BLOCKS};
  int i, b, part, problem, left_out = 0;
  make_kernels(s);
  open_size(s, s->quick ? 4096 + 40 * (uint64_t)type_size(s) : (64u << 10) + 40 * (uint64_t)type_size(s));
  check_kernels(s, 0);
  if (!s->quick) check_kernels(s, 1);
  close_size(s);
  for (i = 0; i < size_count; ++i) {
    open_size(s, sizes[i]);
    for (b = 0; b < (s->quick ? 1 : 3); ++b) {
      s->blocks = blocks_per_sm[b] * (unsigned)s->gpu.multiprocessors;
      for (part = 0; part < PARTS; ++part) { // a spine and a downsweep read what the kernels before them left
        run_problem(s, problem_of(part), part, 0, 0);
        left_out += !measure_part(s, part);
      }
      for (problem = 1; problem < 4; ++problem) measure_whole(s, problem);
    }
    close_size(s);
    if (s->out) fflush(s->out);
  }
  return left_out;
}

static int without_gpu(const char *why, const char *kernels) {
  static study s;
  int part;
  printf("skipped: %s\nOn a GPU it checks and times every policy of:\n", why);
  print_counts();
  why = own_open_compiler(&s.gpu);
  if (why) {
    printf("%s, so the kernels were not compiled either\n", why);
    return 0;
  }
  s.kernels = kernels, s.source = own_text(kernels), s.gpu.capability = 90;
  while (s.type < TYPES && strcmp(type_names[s.type], "u32")) ++s.type; // the others are the same source
  for (part = 0; part < PARTS; ++part) {
    policy one[64];
    module_job job;
    memset(&job, 0, sizeof job);
    job.part = part;
    job.last = policies_of(part, 1, NULL);
    if (job.last > 64) own_stop("too many policies for a check");
    policies_of(part, 1, one);
    s.policies[part] = one;
    free(compile_job(&s, &job));
    s.policies[part] = NULL;
  }
  printf("the kernels of u32 compile for sm_90\n");
  free(s.source);
  return 0;
}

int main(int argc, char **argv) {
  static study s;
  static const uint64_t sizes[] = {128u << 20, 128u << 10, 8u << 20, 512u << 10, 32u << 20, 2u << 20};
  static const uint64_t quick_sizes[] = {4096};
  const char *out = NULL, *types = "u8,u16,u32,u64", *why;
  double seconds = 600;
  int i, left_out = 0;
  s.kernels = "examples/study/study.cuh";
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--quick")) s.quick = 1;
    else if (!strcmp(argv[i], "--count")) {
      print_counts();
      return 0;
    } else if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
    else if (!strcmp(argv[i], "--types") && i + 1 < argc) types = argv[++i];
    else if (!strcmp(argv[i], "--kernels") && i + 1 < argc) s.kernels = argv[++i];
    else if (!strcmp(argv[i], "--seconds") && i + 1 < argc && (seconds = atof(argv[i + 1])) > 0) ++i;
    else {
      fprintf(stderr,
          "usage: %s [--out FILE.jsonl] [--seconds N] [--types LIST] [--count] [--quick] [--kernels FILE]\n", argv[0]);
      return 2;
    }
  }
  for (i = 0; i < TYPES; ++i) s.types[i] = strstr(types, type_names[i]) != NULL;
  if (!s.types[0] + !s.types[1] + !s.types[2] + !s.types[3] == TYPES) {
    fprintf(stderr, "--types %s: none of u8,u16,u32,u64\n", types);
    return 2;
  }
  check(gp_open(NULL, &s.ctx));
  why = own_open(&s.gpu, s.ctx);
  if (why) {
    check(gp_close(s.ctx));
    return without_gpu(why, s.kernels);
  }
  s.end = seconds_now() + seconds;
  s.source = own_text(s.kernels);
  if (out) {
    s.out = fopen(out, "w");
    if (!s.out) own_stop("%s cannot be written", out);
    fprintf(s.out, "{\"kind\": \"study\", \"device\": \"%s\", \"capability\": %d, \"multiprocessors\": %d}\n",
        s.gpu.name, s.gpu.capability, s.gpu.multiprocessors);
  }
  s.partials = (char *)own_new(&s.gpu, 16 * (room_of(&s) + 1));
  s.offsets = (char *)own_new(&s.gpu, 16 * room_of(&s));
  s.ticket = (unsigned *)own_new(&s.gpu, 2 * sizeof(unsigned));
  s.runs = (unsigned *)own_new(&s.gpu, sizeof(unsigned));
  own_set(&s.gpu, s.ticket, 0, 2 * sizeof(unsigned));
  for (s.type = 0; s.type < TYPES; ++s.type)
    if (s.types[s.type]) left_out += study_type(&s, s.quick ? quick_sizes : sizes, s.quick ? 1 : 6);
  if (s.out && fclose(s.out)) own_stop("%s cannot be written", out);
  own_free(&s.gpu, s.partials);
  own_free(&s.gpu, s.offsets);
  own_free(&s.gpu, s.ticket);
  own_free(&s.gpu, s.runs);
  for (i = 0; i < PARTS; ++i) free(s.policies[i]), free(s.functions[i]);
  free(s.source);
  check(gp_close(s.ctx));
  if (left_out) printf("the time ran out: %d parts were not measured (--seconds)\n", left_out);
  printf("Results, compared with the host's:\n%d passed, %d failed, 0 skipped\n", s.checked - s.wrong, s.wrong);
  return s.wrong != 0;
}
