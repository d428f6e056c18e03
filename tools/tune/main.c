// main.c - gp_tune: measures the policies of primitives (tools/farm/README.md). Modes and options.
#include <limits.h>
#include <sched.h>
#include <stddef.h>

#include "space.h"
#include "tune.h"
#include "worker.h"

// ---- options --------------------------------------------------------------------------------------------------------

enum { SEARCH = 1, PLAN = 2, LANDSCAPE = 4, KERNEL = 8, ALL = SEARCH | PLAN | LANDSCAPE | KERNEL };
enum { TEXT, COUNT, NUMBER, SEED };

static const struct option_row {
  const char *name;
  int modes, kind;
  size_t offset;
  double least, most;
  const char *value, *about;
} OPTIONS[] = {
#define AT(member) offsetof(options, member)
    {"--out", ALL, TEXT, AT(out), 0, 0, "STORE", "JSON Lines file to append to; its measurements are not repeated"},
    {"--primitives", SEARCH | LANDSCAPE, TEXT, AT(primitives), 0, 0, "a,b", "primitives to search; default: all"},
    {"--sizes", SEARCH, TEXT, AT(sizes), 0, 0, "4K,1M", "bytes of the input; default: 4K 16K ... 256M 1G"},
    {"--sizes", KERNEL, TEXT, AT(sizes), 0, 0, "64K,1M", "values of the kernel's n; default: 1M 16M 256M"},
    {"--policy-out", KERNEL, TEXT, AT(policy_out), 0, 0, "FILE.h", "write the best fields as a header"},
    {"--objective", SEARCH | KERNEL, TEXT, AT(objective), 0, 0, "NAME",
        "what the best policy has least of: time (default), energy (NVML's joules a call), edp (energy times time)"},
    {"--strategy", SEARCH | KERNEL, TEXT, AT(strategy), 0, 0, "NAME",
        "a strategy of --list-strategies, or its steps; default: auto"},
    {"--seconds", SEARCH | KERNEL, NUMBER, AT(seconds), 1, 1e9, "S", "stop after about S seconds; default: no limit"},
    {"--seed", SEARCH | LANDSCAPE | KERNEL, SEED, AT(seed), 0, 0, "N", "seed of the order of policies; default: 1"},
    {"--phase", PLAN, TEXT, AT(phase), 0, 0, "NAME", "confirm (default), regress, matrix, check"},
    {"--rounds", PLAN, COUNT, AT(rounds), 1, 64, "N", "measurements of each variant in a job; default: 9"},
    {"--batch-us", PLAN, NUMBER, AT(batch_us), 1, 1e6, "US", "microseconds of each measurement; default: 400"},
    {"--verify", PLAN, COUNT, AT(verify), 0, 1, "0|1",
        "check outputs before timing; 0: another process has checked the same machine code; default: 1"},
    {"--process", ALL, COUNT, AT(process), 0, 1e6, "K", "index of this process among its repetitions; default: 0"},
    {"--gpus", ALL, TEXT, AT(gpus), 0, 0, "0,1|all", "GPUs that share the work; default: 0"},
    {"--jobs", ALL, COUNT, AT(jobs), 0, 1024, "N",
        "compiler processes; default: one per core; 0: compile nothing in advance"},
    {"--commit", ALL, TEXT, AT(commit), 0, 0, "TEXT", "name of the measured commit, for the record"},
    {"--watchdog", ALL, NUMBER, AT(watchdog), 0.1, 1e6, "S", "kill a worker after S seconds of silence; default: 20"},
    {"--worker-command", ALL, TEXT, AT(worker_command), 0, 0, "COMMAND", "worker to use instead of gp_tune --worker"},
    {"--compiler-command", ALL, TEXT, AT(compiler_command), 0, 0, "COMMAND",
        "compiler to use instead of gp_tune --compiler"},
#undef AT
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

static const char *const PHASES[] = {"confirm", "regress", "matrix", "check"};

static int usage(const char *what, const char *word) {
  fprintf(stderr, "gp_tune: %s%s (gp_tune --help lists the options)\n", what, word);
  return BAD_USAGE;
}

static int set_option(const struct option_row *row, options *o, const char *value) {
  char *end;
  const double number = strtod(value, &end);
  void *at = (char *)o + row->offset;
  if (row->kind == TEXT) return memcpy(at, &value, sizeof value), DONE;
  if (row->kind == SEED) {
    *(uint64_t *)at = strtoull(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end) return DONE;
  } else if (end != value && !*end && number >= row->least && number <= row->most) {
    if (row->kind == NUMBER) return *(double *)at = number, DONE;
    *(int *)at = (int)number;
    if (*(int *)at == number) return DONE;
  }
  fprintf(stderr, "gp_tune: %s %s: ", row->name, value);
  if (row->kind == SEED) fprintf(stderr, "a whole number is needed\n");
  else
    fprintf(stderr, "a%s number from %g to %g is needed\n", row->kind == COUNT ? " whole" : "", row->least, row->most);
  return BAD_USAGE;
}

// Exit status.
static int parse_options(int mode, int count, char **arguments, options *o) {
  int i, k, status;
  for (i = 0; i < count; i++) {
    for (k = 0; k < OPTION_COUNT && !(OPTIONS[k].modes & mode && !strcmp(arguments[i], OPTIONS[k].name));) k++;
    if (k == OPTION_COUNT) return usage("this mode has no option ", arguments[i]);
    if (i + 1 == count) return usage("a value is missing after ", arguments[i]);
    status = set_option(&OPTIONS[k], o, arguments[++i]);
    if (status) return status;
  }
  if (!o->out) return usage("--out STORE is missing", "");
  if (strlen(o->out) > 3 && !strcmp(o->out + strlen(o->out) - 3, ".gz"))
    return usage("a compressed store cannot be appended to: --out ", o->out);
  for (k = 0; k < 4 && strcmp(o->phase, PHASES[k]);) k++;
  return k < 4 ? DONE : usage("--phase is confirm, regress, matrix or check, and not ", o->phase);
}

// One core for each GPU's worker, the rest for compilers.
static int default_jobs(const char *gpus) {
  cpu_set_t cores;
  int count = sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
  for (count--; *gpus; gpus++) count -= *gpus == ',';
  return count < 1 ? 1 : count;
}

// ---- modes ----------------------------------------------------------------------------------------------------------

static int measure(int mode, int count, char **arguments) {
  options o = {.primitives = "",
      .sizes = mode == KERNEL ? "1M,16M,256M" : GP_STANDARD_SIZES,
      .strategy = "auto",
      .objective = "time",
      .gpus = "0",
      .commit = "",
      .phase = "confirm",
      .watchdog = 20,
      .rounds = 9,
      .verify = 1,
      .batch_us = 400,
      .jobs = -1,
      .seed = 1};
  plan p;
  const char *wrong;
  int first = 2, status;
  if (mode == PLAN && count > 2) o.plan = arguments[first++];
  if (mode == PLAN && !o.plan) return usage("--plan FILE: the file is missing", "");
  if (mode == KERNEL && count > 2) o.kernel = arguments[first++];
  if (mode == KERNEL && !o.kernel) return usage("--kernel FILE: the file is missing", "");
  status = parse_options(mode, count - first, arguments + first, &o);
  if (status) return status;
  if (strcmp(o.objective, "time") && strcmp(o.objective, "energy") && strcmp(o.objective, "edp"))
    return usage("--objective is time, energy or edp, and not ", o.objective);
  if (o.jobs < 0) o.jobs = default_jobs(o.gpus);
  wrong = mode == PLAN ? file_plan_make(&o, &p) : search_make(&o, mode == LANDSCAPE, &p);
  return wrong ? usage(wrong, "") : supervise(&p, &o);
}

static int search_main(int count, char **arguments) { return measure(SEARCH, count, arguments); }
static int plan_main(int count, char **arguments) { return measure(PLAN, count, arguments); }
static int landscape_main(int count, char **arguments) { return measure(LANDSCAPE, count, arguments); }

static int kernel_main(int count, char **arguments) { return measure(KERNEL, count, arguments); }

static int strategies_main(int count, char **arguments) {
  (void)count, (void)arguments;
  list_strategies();
  return DONE;
}

static int primitives_main(int count, char **arguments) {
  (void)count, (void)arguments;
  list_searched();
  return DONE;
}

static int describe_main(int count, char **arguments) {
  (void)count, (void)arguments;
  puts(describe());
  return DONE;
}

static int help_main(int count, char **arguments);

static const struct mode_row {
  const char *name;
  int mode; // the mode of the options
  int (*run)(int count, char **arguments);
  const char *about;
} MODES[] = {
    {"--search", SEARCH, search_main, "searches the policy spaces of primitives"},
    {"--plan", PLAN, plan_main,
        "FILE: measures the jobs of a file, a line each: CELL, then POLICY..., with tabs between"},
    {"--landscape", LANDSCAPE, landscape_main, "measures a part of the spaces whole"},
    {"--kernel", KERNEL, kernel_main, "FILE: tunes a kernel of yours (tools/gp_tune_kernel.h describes the file)"},
    {"--space", 0, space_main,
        "--cell CELL [--compute-capability 90] [--resources], or --kernel FILE: the valid policies, as JSON"},
    {"--rule", 0, rule_main,
        "[--compute-capability 90] [--multiprocessors 132]: for each cell on its standard input, the policy that the "
        "header's own rule chooses; after a cell, a tab and a policy: that one in full, or `invalid`"},
    {"--worker", 0, worker_main, "measures the jobs on its standard input (tools/farm/README.md)"},
    {"--compiler", 0, compiler_main, "compiles the jobs on its standard input"},
    {"--list-strategies", 0, strategies_main, "prints them"},
    {"--describe", 0, describe_main, "prints the fields of cells and policies, as JSON"},
    {"--list-primitives", 0, primitives_main, "prints those that --search searches"},
    {"--help", 0, help_main, "prints this"},
};
enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

static int help_main(int count, char **arguments) {
  int i, k;
  (void)count, (void)arguments;
  printf("gp_tune: measures policies of gpuprims, and writes the measurements to a store\n\n");
  for (i = 0; i < MODE_COUNT; i++) {
    printf("gp_tune %s %s\n", MODES[i].name, MODES[i].about);
    for (k = 0; k < OPTION_COUNT && MODES[i].mode; k++)
      if (OPTIONS[k].modes & MODES[i].mode)
        printf(
            "    %s %-*s %s\n", OPTIONS[k].name, 25 - (int)strlen(OPTIONS[k].name), OPTIONS[k].value, OPTIONS[k].about);
  }
  printf("\nexit status: 0 done; 1 something measured was wrong, or a self-check failed; 2 bad usage; 3 the device was "
         "lost, or\nthe store cannot be written to; 4 no GPU; 130 interrupted (the same command continues)\n");
  return DONE;
}

int main(int count, char **arguments) {
  int i;
  for (i = 0; i < MODE_COUNT; i++)
    if (count > 1 && !strcmp(arguments[1], MODES[i].name)) return MODES[i].run(count, arguments);
  return usage(
      count > 1 ? "no mode " : "a mode is missing: --search, --plan FILE, --landscape", count > 1 ? arguments[1] : "");
}
