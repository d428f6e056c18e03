#!/usr/bin/env python3
"""make test-gpu: builds and runs the tests that need a GPU. The Python part needs NumPy and pytest, and uses CuPy and
PyTorch if installed.

    tests/gpu/run.py                 every type, operator, size, alignment, policy (below 8 minutes on an H200)
    tests/gpu/run.py --quick         some of each (two to three minutes)
    tests/gpu/run.py --sanitizer     a shorter list under compute-sanitizer's four tools
    tests/gpu/run.py --sanitizer --tools memcheck,racecheck --only 'sorting*'
                                     (patterns of PART:TOOL; every part runs alone before its tools)
    tests/gpu/run.py --only 'policies*'      jobs whose name matches; --list prints the names

Without a GPU everything counts as skipped. The last line is "N passed, N failed, N skipped".
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "tests-gpu")
CC = os.environ.get("CC", "gcc")
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
GROUPS = ["big", "far", "types", "maps", "operators", "policies", "alignment", "fields", "structs", "queue", "chain",
          "threads", "streams", "graph", "determinism", "reproducible", "errors", "segments", "sorting", "first",
          "rows", "sorting_policies", "inputs", "hash", "elements", "columns", "orders", "layouts", "transposes",
          "building", "graphs", "online"]
TYPES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "s12", "s16"]
# With their own kernels, and checked results: the option for a check without measurements.
EXAMPLES = {"ladder/ladder": "--quick", "layouts/layouts": "--quick", "tuner/merge_sort": "--check",
            "tuner/n_body": "--check", "tuner/scan": "--check", "tuner/marching_cubes": "--check"}
BY_TYPE = {  # groups divided among several processes
    "types": TYPES[:12], "maps": TYPES, "policies": ["u8", "u16", "u32", "i64", "f16", "f64", "s12,s16"],
    "alignment": ["u8", "u16", "u32,s12", "u64,f16,f64"],
    "fields": ["u8,i8,u16", "u32,i32,u64", "f32,f16,bf16", "i16"],
    "determinism": ["f32", "f64", "f16", "bf16"], "reproducible": ["f32", "f64", "f16", "bf16"],
    "segments": ["u8,i8,u16,i16", "u32,i32", "f32", "u64,i64,f64,f16,bf16", "s12,s16"],
    "inputs": ["u8,i8,u16,i16", "u32,i32,u64", "i64,f32", "f64,f16,bf16,s12,s16"],
    "hash": ["u8,i8,u16,i16", "u32,i32,u64", "i64,f32,f64", "f16,bf16,s12,s16"],
    "columns": ["u8,i8,u16,i16", "u32,i32,u64", "i64,f32,f64", "f16,bf16"],
    "sorting": ["u8,i8,u16,i16", "u32", "i32,f32", "u64,i64,f64", "f16,bf16,s12,s16"],
    "transposes": ["u8", "u16", "u32,f32", "f64", "s12", "s16"],
}
# Groups with long compilations: several processes share each.
BY_PART = {"sorting_policies": 8, "operators": 8}
# Groups that also run with GP_TUNING_ONLINE, with these types. (Others ask for the same bits on the same policy.)
TUNED = {"types": "u32,f32", "maps": "u8", "alignment": "u16", "queue": None, "threads": None, "streams": None,
         "graph": None, "segments": "u32,i32", "sorting": "u32", "transposes": "u16", "layouts": None, "graphs": None}
LONG = ("structs", "segments", "queue", "sorting")
TOOLS = {  # compute-sanitizer's tools: options, and most seconds
    "memcheck": (["--leak-check", "no"], 200),
    "racecheck": ([], 240), # without pipelined scans: see run_gpu in gp_check.c
    "initcheck": ([], 200),
    "synccheck": ([], 150),
}
print_lock = threading.Lock()


def say(text):
    with print_lock:
        print(text, flush=True)


def find_gpus():
    """(How many GPUs there are, the reason if none)"""
    import ctypes
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0, "no libcuda.so.1 on this machine"
    count = ctypes.c_int()
    code = cuda.cuInit(0)
    if code:
        return 0, f"cuInit: the driver's error {code}"
    if cuda.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return 0, "the driver finds no device"
    return count.value, None


def gpu_reason():
    """None if there is a GPU, otherwise the reason."""
    return find_gpus()[1]


def gpu_count():
    return find_gpus()[0]


def build():
    os.makedirs(BUILD, exist_ok=True)
    probe = subprocess.run([CC, "-fopenmp", "-x", "c", "-", "-o", os.devnull], input=b"int main(void){return 0;}",
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    openmp = ["-fopenmp"] if probe.returncode == 0 else []
    libs = ["-ldl", "-lpthread", "-lm"]
    jobs = [
        # Omitted fields of a policy are zero, the default.
        [CC, "-O2", "-g", "-std=gnu11", "-Wall", "-Wextra", "-Wno-missing-field-initializers", *openmp, "-I.",
         "-Itools", "tests/gpu/gp_check.c", "-o", f"{BUILD}/gp_check", *libs],
        # Under a sanitizer one thread suffices for the host's part.
        [CC, "-O2", "-g", "-std=gnu11", "-I.", "-Itools", "tests/gpu/gp_check.c", "-o", f"{BUILD}/gp_check_plain",
         *libs],
        *[[CC, "-O2", "-g", "-std=gnu11", *openmp, "-I.", f"examples/{name}.c", "-o",
           f"{BUILD}/{os.path.basename(name)}", *libs]
          for name in EXAMPLES],
        *[[NVCC, "-O2", "-std=c++17", "-arch=native", "-I.", "tests/gpu/tile_check.cu", "-o", f"{BUILD}/tile_check"]
          for _ in [NVCC] if NVCC],
        [CC, "-O2", "-g", *openmp, "-fPIC", "-shared", "-x", "c", "-DGPUPRIMS_IMPLEMENTATION", "gpuprims.h", "-x",
         "none", "-o", f"{BUILD}/libgpuprims.so", *libs],
    ]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in pool.map(lambda job: subprocess.run(job, cwd=ROOT, check=False), jobs):
            if done.returncode:
                say(f"FAILED to build: {' '.join(done.args)}")
                say("0 passed, 1 failed, 0 skipped")
                sys.exit(1)


COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


class Job:
    def __init__(self, name, command, limit, junit=None, tool=None, env=None):
        self.name, self.command, self.limit, self.junit, self.tool = name, command, limit, junit, tool
        self.env = dict(os.environ, **(env or {}))
        self.counts, self.output, self.seconds, self.problem = (0, 0, 0), "", 0.0, None

    def run(self):
        start = time.monotonic()
        try:
            done = subprocess.run(self.command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=self.limit, check=False)
            self.output, status = done.stdout.decode(errors="replace"), done.returncode
        except subprocess.TimeoutExpired as error:
            self.output, status = (error.stdout or b"").decode(errors="replace"), None
        self.seconds = time.monotonic() - start
        if self.junit:
            self.read_junit()
        else:
            found = COUNTS.findall(self.output)
            if found:
                self.counts = tuple(int(number) for number in found[-1])
        if status is None:
            self.problem = f"did not end in {self.limit} s"
        elif status != 0 and not self.counts[1]:
            self.problem = f"exit status {status}"
        elif not self.junit and not COUNTS.search(self.output):
            self.problem = "ended without its counts"
        clean = ("ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards")
        if self.tool and not any(text in self.output for text in clean):
            self.problem = self.problem or f"{self.tool} has something to say"
        if self.problem:
            self.counts = (self.counts[0], self.counts[1] + 1, self.counts[2])
        self.report()
        return self

    def read_junit(self):
        try:
            suite = xml.etree.ElementTree.parse(self.junit).getroot()
        except (OSError, xml.etree.ElementTree.ParseError):
            return
        suite = suite if suite.tag == "testsuite" else suite.find("testsuite")
        failed = int(suite.get("failures")) + int(suite.get("errors"))
        skipped = int(suite.get("skipped"))
        self.counts = (int(suite.get("tests")) - failed - skipped, failed, skipped)

    def report(self):
        passed, failed, skipped = self.counts
        say(f"{self.name:<30} {passed:7d} passed {failed:4d} failed {skipped:4d} skipped {self.seconds:7.1f} s"
            + (f"  {self.problem}" if self.problem else ""))
        lines = self.output.splitlines()
        for line in lines:
            if line.startswith("skipped: "):
                say("    " + line)
        if failed:
            shown = [line for line in lines if re.match(r"FAILED|E  |=========|.*error|.*Error", line)] or lines
            for line in shown[:25 if not self.tool else 40]:
                say("    " + line[:300])
            with open(os.path.join(BUILD, re.sub(r"\W+", "_", self.name) + ".log"), "w", encoding="utf-8") as file:
                file.write(self.output)


def check_job(name, arguments, limit, cache, plain=False):
    program = os.path.join(BUILD, "gp_check_plain" if plain else "gp_check")
    return Job(name, [program, *arguments, "--cache", cache, "--seconds", str(limit * 0.9)], limit,
               env={"OMP_NUM_THREADS": "2"})


def python_job(limit, no_gpu):
    junit = os.path.join(BUILD, "python.xml")
    if os.path.exists(junit):
        os.remove(junit)
    env = {"GPUPRIMS_LIBRARY": os.path.join(BUILD, "libgpuprims.so"), "PYTHONDONTWRITEBYTECODE": "1"}
    if no_gpu:
        env["GPUPRIMS_NO_GPU"] = "1"
    return Job("python", [sys.executable, "-m", "pytest", "-q", "-x" if no_gpu else "--maxfail=20", "-p",
                          "no:cacheprovider", f"--junitxml={junit}", "tests/gpu/test_python.py"], limit, junit=junit,
               env=env)


def package_job(limit, quick):
    """The Python package on PyTorch's and CuPy's arrays, where `make python` has built it: random calls, operators."""
    junit = os.path.join(BUILD, "package.xml")
    if os.path.exists(junit):
        os.remove(junit)
    env = {"PYTHONPATH": os.path.join("build", "python", "lib"), "PYTHONDONTWRITEBYTECODE": "1",
           "GPUPRIMS_CALLS": "300" if quick else "50000"}
    return Job("package", [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                           f"--junitxml={junit}", "tests/gpu/test_package.py", "tests/python/test_torch.py"], limit,
               junit=junit, env=env)


def jobs_of(args, cache):
    limit = 120 if args.quick else 400
    size = ["--quick"] if args.quick else ["--full"]
    jobs = []
    for group in GROUPS:
        for types in BY_TYPE.get(group, [None]):
            name = f"{group}:{types}" if types else group
            chosen = ["--types", types] if types else []
            for part in range(BY_PART.get(group, 1)):
                share = f"{part}/{BY_PART.get(group, 1)}"
                jobs.append(check_job(f"{name}:{share}" if group in BY_PART else name,
                                      ["--group", group, "--part", share, *chosen, *size], limit, cache))
    for group, types in TUNED.items():
        chosen = ["--types", types] if types else []
        jobs.append(check_job(f"tuned:{group}", ["--tuned", "--group", group, *chosen, *size], limit, cache))
    jobs += [Job(f"examples/{name}", [os.path.join(BUILD, os.path.basename(name)), option], limit)
             for name, option in EXAMPLES.items()]
    if NVCC:
        jobs.append(Job("tile routines", [os.path.join(BUILD, "tile_check")], limit))
    else:
        say("skipped: tile routines: no nvcc on this machine")
    jobs.append(Job("worlds", [sys.executable, "tests/gpu/worlds.py", "--seconds", str(0.9 * limit),
                               *(["--quick"] if args.quick else [])], limit))
    jobs.append(python_job(limit, False))
    if os.path.isdir(os.path.join("build", "python", "lib")):
        jobs.append(package_job(3 * limit, args.quick))
    else:
        say("skipped: package: no build/python/lib: make python")
    seconds = 40 if args.quick else 120  # less than the timeout, which leaves time to minimise failures
    jobs.append(Job("random calls", [sys.executable, "tests/gpu/fuzz.py", "--seconds", str(seconds), "--processes",
                                     str(max(1, min(8, (os.cpu_count() or 1) // 2)))], 3 * seconds + 120))
    return sorted(jobs, key=lambda job: not job.name.startswith(LONG)) # first, so that nobody waits for them at the end


# A sanitizer's jobs: parts in processes of their own, so that tools and parts run in parallel.
SANITIZED_TYPES = ["u8", "u32", "u64", "f32", "s12", "f64"]
BY_TYPE_SANITIZED = {"sorting": 5, "transposes": 1}  # each type in this many parts
BY_PART_SANITIZED = {"graphs": 25,  # a directed graph a part; the last: levels of a cluster
                     "sorting_policies": 4, "operators": 2}
NOT_SANITIZED = ("determinism", "big")


def sanitized_parts():
    """(name, group, types, part of the group)"""
    every = ",".join(SANITIZED_TYPES)
    for group in GROUPS:
        if group in BY_TYPE_SANITIZED:
            parts = BY_TYPE_SANITIZED[group]
            yield from ((f"{group}:{kind}:{part}/{parts}" if parts > 1 else f"{group}:{kind}", group, kind,
                         f"{part}/{parts}") for kind in SANITIZED_TYPES for part in range(parts))
        elif group in BY_PART_SANITIZED:
            parts = BY_PART_SANITIZED[group]
            yield from ((f"{group}:{part}/{parts}", group, every, f"{part}/{parts}") for part in range(parts))
        elif group not in NOT_SANITIZED:
            yield group, group, every, "0/1"


def sanitizer_chains(args, cache):
    """A chain of jobs for each part: first the part alone (then its kernels are in the disk cache, and its own failures
    are not a sanitizer's), then a job a tool."""
    sanitizer = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if not sanitizer:
        say("skipped: no compute-sanitizer on this machine")
        return []
    chains = []
    for part, group, types, share in sanitized_parts():
        tools = [tool for tool in args.tools.split(",")
                 if not args.only or any(fnmatch.fnmatch(f"{part}:{tool}", pattern) for pattern in args.only)]
        chain = []
        for tool in [None, *tools] if tools else []:
            options, limit = TOOLS[tool] if tool else ([], 200)
            arguments = ["--sanitizer", "--group", group, "--types", types, "--part", share]
            arguments += ["--no-pipelined", "--few-levels"] if tool == "racecheck" else []
            job = check_job(f"{part}:{tool or 'without a tool'}", arguments, limit, cache, plain=True)
            if tool:
                job.command = [sanitizer, "--tool", tool, *options, "--print-limit", "20", "--target-processes",
                               "application-only", "--error-exitcode", "9", *job.command]
                job.tool = tool
            chain.append(job)
        if chain:
            chains.append(chain)
    return chains


def run_chains(chains, pool):
    """Runs the chains' jobs: no tool waits for another part, so a part with long compilations delays nobody else."""
    def begin(chain):
        return chain[0].run(), [pool.submit(job.run) for job in chain[1:]]
    done = []
    for started in [pool.submit(begin, chain) for chain in chains]:
        first, rest = started.result()
        done += [first, *(job.result() for job in rest)]
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sanitizer", action="store_true")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=0, help="processes at a time; default: the cores, at most 12")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    start = time.monotonic()
    cache = os.path.join(BUILD, "cache")
    reason = gpu_reason()
    if args.list:
        for job in jobs_of(args, cache):
            print(job.name)
        return 0
    if reason:
        say(f"skipped: {reason}")
        say("0 passed, 0 failed, 1 skipped")
        return 0
    build()
    say(f"built in {time.monotonic() - start:.1f} s")
    at_once = args.jobs or max(1, min(12, os.cpu_count() or 1))
    if args.sanitizer:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            done = run_chains(sanitizer_chains(args, cache), pool)
    else:
        jobs = jobs_of(args, cache)
        if args.only:
            jobs = [job for job in jobs if any(fnmatch.fnmatch(job.name, pattern) for pattern in args.only)]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            done = list(pool.map(Job.run, jobs))
    passed, failed, skipped = (sum(job.counts[k] for job in done) for k in range(3))
    if failed:
        say("failed: " + ", ".join(job.name for job in done if job.counts[1]) + f"; whole outputs are under {BUILD}")
    say(f"{time.monotonic() - start:.0f} s")
    say(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
