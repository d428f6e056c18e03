"""gp_tune's parts without a GPU (tools/tune/space.c, compiler.c) as a program for the tests; and some of the header's
own answers."""
import concurrent.futures
import fcntl
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), ROOT]
from tools import bench  # noqa: E402

CC = os.environ.get("CC", "gcc")
MAIN = r"""
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"
#include "tools/gp_cells.h"
#include "tools/gp_cubin.h"
#include "tools/tune/space.h"

// The architectures of this machine's NVRTC; nothing where there is none.
static int architectures(void) {
  gp__runtime r;
  int i;
  memset(&r, 0, sizeof r);
  pthread_mutex_init(&r.nvrtc_lock, NULL);
  if (gp__open_nvrtc(&r, "tests")) return fprintf(stderr, "%s\n", gp_last_message()), 0;
  for (i = 0; i < r.architecture_count; i++) printf("%d\n", r.architectures[i]);
  return 0;
}

// For each policy on standard input what the header makes of it: every field resolved, or "invalid".
static int resolve(const char *words, int compute_capability) {
  static const gp__table no_rows;
  gp_config config = gp_config_init();
  gp_context *ctx;
  cell_types types;
  cell c;
  gp_call call;
  gp__request request;
  gp__shape shape;
  gp_policy given, policy;
  gp_policy_source source;
  char text[256];
  config.backend = GP_BACKEND_HOST;
  if (parse_cell(words, &c) || gp_open(&config, &ctx) || cell_types_define(&types, ctx)) return 1;
  call = cell_call(&types, &c, NULL);
  if (gp__check_call(ctx->state, "tests", &call, 0, 0, &request)) return 1;
  shape = gp__shape_of(&request);
  shape.compute_capability = compute_capability;
  shape.shared_bytes = gp__shared_bytes_of(compute_capability);
  while (fgets(text, sizeof text, stdin)) {
    text[strcspn(text, "\n")] = 0;
    if (parse_policy(text, &given)) return 1;
    if (gp__choose("tests", &given, &shape, &no_rows, &policy, &source)) puts("invalid");
    else policy_text(&policy, text, sizeof text), puts(text);
  }
  gp_close(ctx);
  return 0;
}

static int cubin(const char *path, const char *kernel) {
  gp_cubin c;
  size_t bytes = 0;
  FILE *file = fopen(path, "rb");
  char *image = file ? gp__read_file(file, &bytes) : NULL;
  const char *why = image ? gp_cubin_read(image, bytes, kernel, &c) : "there is no such file";
  if (why) return printf("{\"why\": \"%s\"}\n", why), 0;
  printf("{\"compute_capability\": %d, \"registers\": %d, \"local_bytes\": %d, \"shared_bytes\": %d,\n"
         " \"barriers\": %d, \"code_bytes\": %zu, \"code\": \"%s\"}\n",
         c.compute_capability, c.registers, c.local_bytes, c.shared_bytes, c.barriers, c.code_bytes, c.code);
  fclose(file);
  free(image);
  return 0;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  if (!strcmp(what, "--architectures")) return architectures();
  if (!strcmp(what, "--resolve")) return resolve(arguments[2], atoi(arguments[3]));
  if (!strcmp(what, "--cubin")) return cubin(arguments[2], arguments[3]);
  return strcmp(what, "--compiler") ? space_main(count, arguments) : compiler_main(count, arguments);
}
"""


def build(folder, headers=ROOT):
    """Builds the program into the folder and returns its path. headers: the folder of its gpuprims.h."""
    target = os.path.join(folder, "tune_parts")
    flags = [CC, "-O0", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", f"-I{headers}", "-I."]
    main = os.path.join(folder, "main.c")
    with open(main, "w", encoding="utf-8") as file:
        file.write(MAIN)
    sources = [main, *(f"tools/tune/{name}.c" for name in ("space", "compiler", "kernel", "util"))]
    objects = [os.path.join(folder, f"{number}.o") for number in range(len(sources))]
    in_parallel(run, [(flags + ["-Werror", "-c", source, "-o", object_],) for source, object_ in zip(sources, objects)])
    run([CC, *objects, "-o", target, "-ldl", "-lpthread", "-lm"])
    return target


def built():
    """The program on this tree's header, under build/: rebuilt only after a source changed."""
    folder = os.path.join(ROOT, "build", "tests", "tune_parts")
    os.makedirs(folder, exist_ok=True)
    patterns = ("gpuprims*.h", "tools/*.h", "tools/peers/data.h", "tools/tune/*", "tests/farm/tune_parts.py")
    sources = sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))
    stamp = bench.stamp_of(sources, [CC])
    target = os.path.join(folder, "tune_parts")
    with open(f"{target}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not bench.current(target, stamp):
            build(folder)
            bench.sign(target, stamp)
    return target


def run(command, check=True, **options):
    """Runs it in the root; its standard output as text."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT, **options)
    assert done.returncode == 0 or not check, f"exit status {done.returncode} of {command}\n{done.stdout}{done.stderr}"
    return done.stdout


def architectures(program):
    """Those that the machine's NVRTC knows and the library serves."""
    return sorted(int(word) for word in run([program, "--architectures"]).split() if int(word) >= 75)


def space(program, cell, *arguments, **options):
    """`--space`'s answer for the cell."""
    return json.loads(run([program, "--space", "--cell", cell, *arguments], **options))


def policy_of(text):
    """A policy's text as a dictionary."""
    return dict(word.split("=") for word in text.split(","))


def message(line):
    """A message of the protocol as (word, {name: value}); whole numbers as such."""
    word, *parts = line.rstrip("\n").split("\t")
    values = dict(part.split("=", 1) for part in parts)
    return word, {name: int(value) if name not in ("id", "code", "message") and value.isdigit() else value
                  for name, value in values.items()}


# The disk cache shared by runs of tests/run.py: an edit of a part compiles the kernels that use it.
KERNELS = os.environ.get("GPUPRIMS_KERNELS", "")


def environment(cache=""):
    """Environment for a compiler with its disk cache in the folder; by default none."""
    return dict(os.environ, GP_TUNE_CACHE=str(cache))


def compile_one(program, cell, compute_capability, policy, cache=""):
    """The compiler's answers."""
    word, answer = message(run([program, "--compiler", cell, compute_capability, policy], env=environment(cache)))
    assert word == "compiled"
    return answer


def in_parallel(function, jobs):
    """[function(*job) for job in jobs], on all cores."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda job: function(*job), jobs))
