// scan.c - the inclusive scan of 2^24 32-bit integers, 1000 calls: the third program of Tillmann and others,
// "Application-independent Autotuning for GPUs" (2013): Figure 6, Table 4. The parameters of this library's scan are a
// policy's algorithm, block size and vectors a thread; those of Thrust's are block size and elements a thread.
//
//     make examples && build/examples/tuner/scan --exhaustive build/scan.jsonl
//     make -j5 build/libthrust_scan.so && build/examples/tuner/scan --thrust --exhaustive build/thrust_scan.jsonl
//
//     --thrust        thrust::inclusive_scan: tools/peers/thrust_scan.h, compiled by nvcc
//     --library FILE  where that is (build/libthrust_scan.so)
//     The other options are those of program.h.
//
// A section is one call. Every result is compared with the host's. Policies that the library refuses are invalid
// configurations. Without --exhaustive, the program also times 1000 calls in a row, of this library and of Thrust
// without a policy, if that is compiled.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/tuner/program.h"

#include "tools/peers/thrust_scan.h"

#include <dlfcn.h>

enum { SCAN_CALLS = 1000 };

typedef struct scan_state {
  int algorithm, threads, vectors; // ours
  int items; // Thrust's, with threads
  gp_policy usual; // the library's choice
  const thrust_scan_table *thrust; // NULL: not compiled
  int *in, *out, *expected, *got; // in and out: the device's
} scan_state;

static scan_state scan_of_program;

// ---- parameters: the values of gp_policy_space; Thrust's blocks are multiples of a warp

static const int scan_algorithms[] = {GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED};
static const int scan_threads[] = {128, 256, 320, 384, 512};
static const int scan_vectors[] = {1, 3, 5, 7, 9, 11, 13};
static tuner_parameter scan_parameters[] = {{"algorithm", &scan_of_program.algorithm, scan_algorithms, 4, 0, 1},
    {"threads", &scan_of_program.threads, scan_threads, 5, 0, 0},
    {"vectors", &scan_of_program.vectors, scan_vectors, 7, 0, 0}};

#define SCAN_ITEMS(number) number,
static const int thrust_threads[] = {32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544,
    576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
static const int thrust_items[] = {THRUST_SCAN_ITEMS_LIST(SCAN_ITEMS)};
static tuner_parameter thrust_parameters[] = {{"threads", &scan_of_program.threads, thrust_threads, 32, 0, 0},
    {"items", &scan_of_program.items, thrust_items, sizeof thrust_items / sizeof *thrust_items, 0, 0}};

// Makes a value the parameter's default. Returns 0 if it is none of its values.
static int scan_start(tuner_parameter *parameter, int value) {
  int i;
  for (i = 0; i < parameter->count; ++i)
    if (parameter->values[i] == value) return parameter->start = value, 1;
  return 0;
}

// ---- input and output

static void scan_close(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  tuner_free(p, s->in), tuner_free(p, s->out);
  free(s->expected), free(s->got);
}
static void scan_clear(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  tuner_set(p, s->out, 0xff, p->size * sizeof(int));
}
static const char *scan_check(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  tuner_read(p, s->got, s->out, p->size * sizeof(int));
  return memcmp(s->got, s->expected, p->size * sizeof(int)) ? "sums differ from the host's" : NULL;
}
// Small integers, so that no sum overflows.
static void scan_make_input(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  const uint64_t bytes = p->size * sizeof(int);
  int *input, sum = 0;
  uint64_t i;
  if (p->size > 1u << 28) own_stop("at most 2^28 elements");
  input = (int *)tuner_get(bytes);
  s->expected = (int *)tuner_get(bytes);
  s->got = (int *)tuner_get(bytes);
  for (i = 0; i < p->size; ++i) {
    input[i] = (int)(tuner_mix(i) % 15) - 7;
    s->expected[i] = sum += input[i];
  }
  s->in = (int *)tuner_new(p, bytes);
  s->out = (int *)tuner_new(p, bytes);
  tuner_write(p, s->in, input, bytes);
  free(input);
}

// Prints the time of 1000 calls.
static void scan_print(const tuner_program *p, const char *whose, double us) {
  printf(
      "%-14s%d calls in %.4f s, %.0f GB/s\n", whose, SCAN_CALLS, us * 1e-6, 8e-3 * SCAN_CALLS * (double)p->size / us);
}

// ---- ours

static gp_call scan_call(const tuner_program *p) {
  const scan_state *s = (const scan_state *)p->state;
  gp_call call = gp_call_init(GP_INCLUSIVE_SCAN);
  call.op = GP_SUM;
  call.in_type = call.out_type = GP_I32;
  call.in = s->in;
  call.out = s->out;
  call.count = p->size;
  return call;
}

static void scan_open(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  gp_policy_source source;
  gp_call call;
  scan_make_input(p);
  call = scan_call(p);
  tuner_gp(gp_policy_origin(p->ctx, &call, &s->usual, &source));
  if (scan_start(&scan_parameters[0], s->usual.algorithm) && scan_start(&scan_parameters[1], s->usual.threads) &&
      scan_start(&scan_parameters[2], s->usual.vectors))
    return;
  if (source != GP_POLICY_HOST) printf("the library's own choice is not in the space: the default is another\n");
  memset(&s->usual, 0, sizeof s->usual);
  scan_parameters[0].start = GP_LOOK_BACK, scan_parameters[1].start = 256, scan_parameters[2].start = 9;
}

// A copy of the library's message that fits into JSON. Copies stay until the program ends, equal ones once.
static const char *scan_reason(void) {
  typedef struct reason {
    struct reason *next;
    char text[400];
  } reason;
  static reason *all;
  reason *r, *made = (reason *)tuner_get(sizeof *made);
  char *c;
  snprintf(made->text, sizeof made->text, "%s", gp_last_message());
  for (c = made->text; *c; ++c)
    if (*c == '"' || *c == '\\' || *c < ' ') *c = ' ';
  for (r = all; r; r = r->next)
    if (!strcmp(r->text, made->text)) return free(made), r->text;
  made->next = all;
  all = made;
  return made->text;
}

// Builds or runs the current configuration's call.
static const char *scan_do(tuner_program *p, int run) {
  const scan_state *s = (const scan_state *)p->state;
  gp_call call = scan_call(p);
  gp_policy policy = s->usual;
  gp_result result;
  if (policy.algorithm != s->algorithm || policy.threads != s->threads || policy.vectors != s->vectors) {
    memset(&policy, 0, sizeof policy); // the library completes it
    policy.algorithm = s->algorithm, policy.threads = s->threads, policy.vectors = s->vectors;
  }
  call.policy = &policy;
  result = run ? gp_run(p->ctx, &call, p->stream) : gp_prepare(p->ctx, &call);
  if (result == GP_E_POLICY) return scan_reason();
  tuner_gp(result);
  return NULL;
}
static const char *scan_prepare(tuner_program *p) { return scan_do(p, 0); }
static const char *scan_run(tuner_program *p) { return scan_do(p, 1); }

static const char *thrust_stock(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  const int code = s->thrust->scan(0, 0, s->in, s->out, p->size, p->stream);
  return code ? s->thrust->error(code) : NULL;
}

// 1000 calls of Thrust's own.
static const char *thrust_stock_calls(tuner_program *p, const char *what) {
  const char *why;
  int i;
  scan_clear(p);
  why = thrust_stock(p);
  if (!why) why = scan_check(p);
  if (why) return why;
  own_begin(p->gpu);
  for (i = 0; i < SCAN_CALLS && !why; ++i) why = thrust_stock(p);
  scan_print(p, what, own_end(p->gpu));
  return why;
}

// 1000 calls of both.
static const char *scan_check_more(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  const char *why = NULL;
  int i;
  if (!p->gpu) return NULL;
  scan_clear(p);
  own_begin(p->gpu);
  for (i = 0; i < SCAN_CALLS && !why; ++i) why = scan_run(p);
  scan_print(p, "gpuprims", own_end(p->gpu));
  if (!why) why = scan_check(p);
  if (why) return why;
  if (!s->thrust) {
    printf("no libthrust_scan.so, so no Thrust: make -j5 build/libthrust_scan.so, with nvcc\n");
    return NULL;
  }
  why = thrust_stock_calls(p, "Thrust");
  printf("%s\n", s->thrust->about());
  return why;
}

static tuner_program scan_program(void) {
  tuner_program p;
  memset(&p, 0, sizeof p);
  p.name = "scan", p.about = "inclusive scan of 32-bit integers";
  p.parameters = scan_parameters, p.parameter_count = 3;
  p.size = 1u << 24, p.host_size = 1u << 20;
  p.open = scan_open, p.clear = scan_clear, p.prepare = scan_prepare, p.run = scan_run, p.check = scan_check;
  p.check_more = scan_check_more, p.close = scan_close;
  p.state = &scan_of_program;
  return p;
}

// ---- Thrust's

static void thrust_open(tuner_program *p) {
  scan_state *s = (scan_state *)p->state;
  int threads, items, code;
  if (!p->gpu) own_stop("Thrust needs a GPU");
  code = s->thrust->stock(&threads, &items);
  if (code) own_stop("Thrust: %s", s->thrust->error(code));
  printf("%s: %d threads, %d elements a thread by itself\n", s->thrust->about(), threads, items);
  if (!scan_start(&thrust_parameters[0], threads) || !scan_start(&thrust_parameters[1], items)) {
    printf("this is not in the space: the default is 128 and 15\n");
    thrust_parameters[0].start = 128, thrust_parameters[1].start = 15;
  }
  scan_make_input(p);
}
static const char *thrust_invalid(tuner_program *p) {
  const scan_state *s = (const scan_state *)p->state;
  return s->thrust->has(s->threads, s->items) ? NULL : "the tile exceeds static shared memory";
}
static const char *thrust_run(tuner_program *p) {
  const scan_state *s = (const scan_state *)p->state;
  const int code = s->thrust->scan(s->threads, s->items, s->in, s->out, p->size, p->stream);
  return code ? s->thrust->error(code) : NULL;
}
// Thrust without a policy of ours: its own operator.
static const char *thrust_check_more(tuner_program *p) {
  const char *why;
  int i;
  own_begin(p->gpu);
  for (i = 0, why = NULL; i < SCAN_CALLS && !why; ++i) why = thrust_run(p);
  scan_print(p, "with a policy", own_end(p->gpu));
  if (why) return why;
  return thrust_stock_calls(p, "without");
}

static tuner_program thrust_program(void) {
  tuner_program p = scan_program();
  p.name = "thrust_scan", p.about = "thrust::inclusive_scan of 32-bit integers";
  p.parameters = thrust_parameters, p.parameter_count = 2;
  p.open = thrust_open, p.invalid = thrust_invalid, p.run = thrust_run;
  p.check_more = thrust_check_more;
  return p;
}

// Opens libthrust_scan.so. NULL: there is none.
static const thrust_scan_table *thrust_library(const char *path) {
  const thrust_scan_table *(*get)(void) = NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library) *(void **)&get = dlsym(library, "thrust_scan");
  return get && get()->abi == THRUST_SCAN_ABI ? get() : NULL;
}

int main(int argc, char **argv) {
  const char *path = "build/libthrust_scan.so";
  int i, left = 1, thrust = 0;
  tuner_program p;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--thrust")) thrust = 1;
    else if (!strcmp(argv[i], "--library") && i + 1 < argc) path = argv[++i];
    else argv[left++] = argv[i];
  }
  argv[left] = NULL;
  scan_of_program.thrust = thrust_library(path);
  if (thrust && !scan_of_program.thrust)
    own_stop("%s: no such library, or another version: make -j5 build/libthrust_scan.so, with nvcc", path);
  p = thrust ? thrust_program() : scan_program();
  return tuner_main(&p, left, argv);
}
