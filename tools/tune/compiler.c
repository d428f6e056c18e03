// compiler.c - compiles kernels during the measurement: a process that answers `compile` lines (tools/farm/README.md),
// so that the GPU never waits for NVRTC. Workers find the images in the library's disk cache.
//
// Each compilation is a process of its own, `gp_tune --compiler CELL COMPUTE_CAPABILITY POLICY`: a crash costs one
// policy. NVRTC 13.0 also orders some things by their addresses: pipelined scans differed from run to run. In a fresh
// process without randomised addresses equal source gives equal machine code, where the system permits that.
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"

#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../gp_cells.h"
#include "../gp_cubin.h"
#include "kernel_code.h"
#include "lines.h"
#include "space.h"

// A plain decimal number, at most `most`; -1: it is not.
static int whole_number(const char *text, int most) {
  char *end;
  const long number = strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && number <= most ? (int)number : -1;
}
enum { MOST_CAPABILITY = 9999 };

static void refuse(tune_code *code, const char *status, const char *what, const char *why) {
  snprintf(code->status, sizeof code->status, "%s", status);
  snprintf(code->message, sizeof code->message, "%s%.*s", what, (int)sizeof code->message - 50, why);
}

// ---- one compilation, in this process -------------------------------------------------------------------------------

// Results over the kernels of a call. Kernels that the policy configures come first, each with its launch. The call's
// inner calls (the sort of its results) have policies of their own and are only compiled.
enum { MOST_LAUNCHES = 16 };
typedef struct images {
  tune_code *code;
  const char *entry; // the kernels' name
  gp__geometry launches[MOST_LAUNCHES];
  int launch_count; // 0: only the worker knows this kernel's launch
  int count;
  gp__sha hash;
  const char *why; // an image is unreadable
} images;

static void images_begin(images *all, tune_code *code, const char *entry) {
  memset(all, 0, sizeof *all);
  all->code = code;
  all->entry = entry;
  gp__sha_begin(&all->hash);
}

// Names that do not fit are dropped; a call of 64 kernels is not in sight.
static void add_kernel(tune_code *code, const char *hash) {
  const size_t used = strlen(code->kernels);
  if (used + 18 <= sizeof code->kernels)
    snprintf(code->kernels + used, sizeof code->kernels - used, "%s%s", used ? "," : "", hash);
}

static void take_image(void *user, const char *key, const void *image, size_t bytes) {
  images *all = (images *)user;
  tune_code *code = all->code;
  gp_cubin c;
  const gp__geometry *launch = all->count < all->launch_count ? &all->launches[all->count] : NULL;
  const int dynamic_shared_bytes = launch ? (int)launch->shared_bytes : 0;
  int blocks;
  const char *why = gp_cubin_read(image, bytes, all->entry, &c);
  (void)key;
  if (why) {
    all->why = why;
    return;
  }
  code->image_bytes += bytes;
  add_kernel(code, c.code);
  if (all->count++ && !launch) return;
  blocks = launch ? gp_cubin_occupancy(&c, (int)launch->threads, dynamic_shared_bytes) : 1;
  code->registers = gp__max(code->registers, c.registers);
  code->local_bytes = gp__max(code->local_bytes, c.local_bytes);
  code->shared_bytes = gp__max(code->shared_bytes, c.shared_bytes + dynamic_shared_bytes);
  if (all->count == 1 || blocks < code->occupancy) code->occupancy = blocks;
  gp__sha_add(&all->hash, c.code, sizeof c.code);
}

// result: that of the compilation.
static void images_end(images *all, gp_result result) {
  tune_code *code = all->code;
  unsigned char digest[32];
  int i;
  if (result) refuse(code, "compile", "", gp_last_message());
  else if (all->why) refuse(code, "compile", "the machine code cannot be read: ", all->why);
  else {
    gp__sha_end(&all->hash, digest);
    for (i = 0; i < 8; i++) snprintf(code->code + 2 * i, 3, "%02x", digest[i]);
    strcpy(code->status, "ok");
  }
}

// Finds the launches that the call's policy leads to, on the policy that gp_compile resolves.
static gp_result launches_of(
    gp_context *ctx, const gp_call *call, int compute_capability, gp_policy *policy, images *all) {
  const char *device = getenv("GP_TUNE_DEVICE"); // whose rows of the table apply
  gp__table table;
  gp__request request;
  gp__shape shape;
  gp_policy_source source;
  gp__kernel_kind kinds[GP__KINDS_MAX];
  int i;
  gp_result result = gp__check_call(ctx->state, "gp_compile", call, 0, 0, &request);
  if (result) return result;
  shape = gp__shape_of(&request);
  shape.compute_capability = compute_capability;
  shape.multiprocessors = 1;
  shape.shared_bytes = gp__shared_bytes_of(compute_capability);
  gp__make_table(&table, device ? device : "", compute_capability);
  result = gp__choose("gp_compile", call->policy, &shape, &table, policy, &source);
  if (result) return result;
  all->launch_count = gp__kinds_of(&request, policy, kinds);
  for (i = 0; i < all->launch_count; i++)
    all->launches[i] = gp__geometry_of_kind(gp__policy_of_kind(*policy, &shape, kinds[i]), &shape, kinds[i]);
  return GP_SUCCESS;
}

// Runs NVRTC in its own thread, so in its own arena: earlier allocations, of folder names and the environment for
// example, do not shift its addresses.
static struct {
  int (*compile)(void *program, int count, const char *const *options);
  void *program;
  int count, result;
  const char *const *options;
} nvrtc;
static void *nvrtc_thread(void *unused) {
  nvrtc.result = nvrtc.compile(nvrtc.program, nvrtc.count, nvrtc.options);
  return unused;
}
static int compile_in_thread(void *program, int count, const char *const *options) {
  pthread_t thread;
  nvrtc.program = program;
  nvrtc.count = count;
  nvrtc.options = options;
  if (pthread_create(&thread, NULL, nvrtc_thread, NULL)) nvrtc_thread(NULL);
  else pthread_join(thread, NULL);
  return nvrtc.result;
}

// A context that compiles for any architecture; NULL: `code` says why.
static gp_context *open_context(tune_code *code) {
  gp_config config = gp_config_init();
  gp_context *ctx = NULL;
  gp__runtime *r;
  config.backend = GP_BACKEND_HOST;
  config.cache_dir = getenv("GP_TUNE_CACHE");
  config.cache_bytes = UINT64_MAX; // some thousand kernels are compiled ahead of their measurement
  setenv("CUDA_CACHE_DISABLE", "1", 1); // NVRTC has a cache of its own
  if (gp_open(&config, &ctx)) {
    refuse(code, "compile", "", gp_last_message());
    return NULL;
  }
  r = &ctx->state->library.runtime;
  if (gp__open_nvrtc(r, "gp_tune")) return ctx; // all may be in the cache; otherwise compiling reports what is missing
  nvrtc.compile = r->driver.nvrtcCompileProgram;
  r->driver.nvrtcCompileProgram = compile_in_thread;
  return ctx;
}

static void compile_call(const char *cell_words, int compute_capability, const char *policy_words, tune_code *code) {
  const int given = strcmp(policy_words, "default") != 0;
  cell c;
  cell_types types;
  gp_policy policy;
  gp_context *ctx;
  gp_call call;
  images all;
  const char *why = parse_cell(cell_words, &c);
  if (why) {
    refuse(code, "invalid", "cell: ", why);
    return;
  }
  why = given ? parse_policy(policy_words, &policy) : NULL;
  if (why) {
    refuse(code, "invalid", "policy: ", why);
    return;
  }
  ctx = open_context(code);
  if (!ctx) return;
  images_begin(&all, code, "gp__entry");
  why = cell_types_define(&types, ctx);
  if (why) refuse(code, "compile", "", why);
  else {
    call = cell_call(&types, &c, given ? &policy : NULL);
    if (launches_of(ctx, &call, compute_capability, &policy, &all)) refuse(code, "invalid", "", gp_last_message());
    else {
      policy_text(&policy, code->policy, sizeof code->policy);
      call.policy = &policy;
      images_end(&all, gp_compile(ctx, &call, compute_capability, take_image, &all));
    }
  }
  gp_close(ctx);
}

// A user's kernel, "kernel NAME ...", of the file $GP_TUNE_KERNEL. Its occupancy depends on the launch that its host
// part decides: only the worker finds it.
static void compile_kernel(const char *name, int compute_capability, const char *policy_words, tune_code *code) {
  static kernel_file file;
  gp_context *ctx;
  gp__image image;
  gp_result result;
  images all;
  char entry[KERNEL_NAME] = "";
  int numbers[KERNEL_FIELDS];
  const char *path = getenv("GP_TUNE_KERNEL");
  const char *why = path ? kernel_read(path, &file) : "GP_TUNE_KERNEL does not name its file";
  if (!why) why = kernel_values(&file, policy_words, numbers);
  if (why) {
    refuse(code, "invalid", "", why);
    return;
  }
  ctx = open_context(code);
  if (!ctx) return;
  sscanf(name, "%63s", entry);
  images_begin(&all, code, entry);
  result = kernel_image(ctx, &file, numbers, compute_capability, &image);
  if (!result) {
    take_image(&all, NULL, image.data, image.bytes);
    free(image.owned);
  }
  images_end(&all, result);
  gp_close(ctx);
}

static void compile_here(const char *cell_words, int compute_capability, const char *policy_words, tune_code *code) {
  static const char KERNEL[] = "kernel ";
  struct timespec from, to;
  memset(code, 0, sizeof *code);
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (!strncmp(cell_words, KERNEL, sizeof KERNEL - 1))
    compile_kernel(cell_words + sizeof KERNEL - 1, compute_capability, policy_words, code);
  else compile_call(cell_words, compute_capability, policy_words, code);
  clock_gettime(CLOCK_MONOTONIC, &to);
  code->ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6;
}

// Returns whether the whole line was written.
static int print_code(const char *id, const tune_code *code) {
  printf("compiled\tid=%s\tstatus=%s\tcode=%s\tregisters=%d\tlocal_bytes=%d\tshared_bytes=%d\toccupancy=%d\t"
         "image_bytes=%zu\tms=%.1f\tkernels=%s\tpolicy=%s\tmessage=",
      id, code->status, code->code, code->registers, code->local_bytes, code->shared_bytes, code->occupancy,
      code->image_bytes, code->ms, code->kernels, code->policy);
  line_value(stdout, code->message);
  putchar('\n');
  if (fflush(stdout) == 0 && !ferror(stdout)) return 1;
  perror("gp_tune --compiler: standard output");
  return 0;
}

// ---- in a process of its own ----------------------------------------------------------------------------------------

// Starts the process; its answer comes from *from. -1: failed.
static pid_t start_compilation(const char *cell_words, int compute_capability, const char *policy_words, int *from) {
  char program[] = "gp_tune", what[] = "--compiler", number[16];
  char *const arguments[] = {program, what, (char *)cell_words, number, (char *)policy_words, NULL};
  const pid_t parent = getpid();
  int ends[2];
  pid_t child;
  snprintf(number, sizeof number, "%d", compute_capability);
  if (pipe2(ends, O_CLOEXEC)) return -1;
  child = fork();
  if (child == 0) {
    const int now = personality(0xffffffff);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it has ended already
    if (now >= 0) personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    if (dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO) execv("/proc/self/exe", arguments);
    _exit(127);
  }
  close(ends[1]);
  if (child < 0) close(ends[0]);
  else *from = ends[0];
  return child;
}

void tune_compile(const char *cell_words, int compute_capability, const char *policy_words, tune_code *code) {
  line l;
  FILE *answer;
  int from, status = 0, answered = 0;
  const pid_t child = start_compilation(cell_words, compute_capability, policy_words, &from);
  memset(code, 0, sizeof *code);
  if (child < 0) {
    refuse(code, "compile", "cannot start a process for the compilation: ", strerror(errno));
    return;
  }
  answer = fdopen(from, "r");
  if (answer && line_read(&l, answer)) {
    answered = !strcmp(l.word, "compiled") && !feof(answer);
    snprintf(code->status, sizeof code->status, "%s", line_get(&l, "status"));
    snprintf(code->code, sizeof code->code, "%s", line_get(&l, "code"));
    snprintf(code->kernels, sizeof code->kernels, "%s", line_get(&l, "kernels"));
    snprintf(code->policy, sizeof code->policy, "%s", line_get(&l, "policy"));
    snprintf(code->message, sizeof code->message, "%s", line_get(&l, "message"));
    code->registers = (int)line_number(&l, "registers");
    code->local_bytes = (int)line_number(&l, "local_bytes");
    code->shared_bytes = (int)line_number(&l, "shared_bytes");
    code->occupancy = (int)line_number(&l, "occupancy");
    code->image_bytes = (size_t)line_number(&l, "image_bytes");
    code->ms = line_number(&l, "ms");
    line_free(&l);
  }
  if (answer) fclose(answer);
  else close(from);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!answered || status) {
    char why[100];
    memset(code, 0, sizeof *code);
    snprintf(why, sizeof why, WIFSIGNALED(status) ? "signal %d" : "exit status %d",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    refuse(code, "compile", "the compilation ended without an answer: ", why);
  }
}

static int answer_lines(void) {
  line l;
  int good = 1, quit = 0;
  while (good && !quit && line_read(&l, stdin)) {
    tune_code code;
    const int capability = whole_number(line_get(&l, "compute_capability"), MOST_CAPABILITY);
    if (feof(stdin)) quit = 1; // cut off
    else if (!strcmp(l.word, "quit")) quit = 1;
    else if (strcmp(l.word, "compile")) {
      fprintf(stderr, "gp_tune --compiler: unknown message: %s\n", l.word);
    } else {
      memset(&code, 0, sizeof code);
      if (capability < 0) refuse(&code, "invalid", "not a compute capability: ", line_get(&l, "compute_capability"));
      else tune_compile(line_get(&l, "cell"), capability, line_get(&l, "policy"), &code);
      good = print_code(line_get(&l, "id"), &code);
    }
    line_free(&l);
  }
  return good ? 0 : 1;
}

int compiler_main(int count, char **arguments) {
  const int capability = count == 5 ? whole_number(arguments[3], MOST_CAPABILITY) : -1;
  tune_code code;
  if (count == 2) return answer_lines();
  if (capability < 0) {
    fprintf(stderr,
        "usage: gp_tune --compiler                                    `compile` lines on standard input\n"
        "       gp_tune --compiler CELL COMPUTE_CAPABILITY POLICY     one compilation\n");
    return 2;
  }
  compile_here(arguments[2], capability, arguments[4], &code);
  return print_code("", &code) ? 0 : 1;
}
