#!/usr/bin/env python3
"""Builds and runs every test program, several at a time, and sums their counts (Python's standard library only).

    tests/run.py                    all of them
    tests/run.py '*kernels' lint    those whose name matches one of the patterns
    tests/run.py '!mutants'         all but those
    tests/run.py --long             more seeds, sizes and schedules
    tests/run.py --every-turn       what takes turns by commit (tests/turn.py), whole
    tests/run.py --list             names and commands
    tests/run.py --again            what passed before runs again, too

What passed before is not run again while all that it depends on is the same; its counts stand, marked "kept".
  Tests of kernels on the emulator, and OF_NAMED_KERNELS, read nothing but their program: program, arguments,
  environment and libraries.
  Rows of Python that start no compiler and no program of this project (tests/watch/sitecustomize.py sees what they
  read): what they read of UNDER_TEST, and every other file of the tree; until the next day.
  Mutants: the headers that they compile, the test and the emulator (tests/kernels/mutants.py).
  What NVRTC makes of kernels (GPUPRIMS_KERNELS, a disk cache of the library's): the text of the parts that they use.
A fresh clone runs everything, and so do --long, --again and rows that are asked for by name.

What is dear takes turns: builds (flavours_of), and parts of the rows that takes_turns finds, such as schedules, tests,
compilers. --long, --every-turn and rows that are asked for by name are whole.

A test program closes with "N passed, N failed, N skipped" alone on its last line and exits 1 where one failed. Lines of
its output that begin with "skipped: " are repeated at the end. PROGRAMS, below, is the one list: a new program is a new
row. Set-up (the virtual environment, the shared library) is done here, under build/.
"""
import argparse
import collections
import fnmatch
import functools
import glob
import hashlib
import heapq
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import amalgamate  # noqa: E402
import lint  # noqa: E402
from turn import TURNS, number, turn  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = "build/tests"
CC = os.environ.get("CC", "gcc")
CXX = os.environ.get("CXX", "g++")
KERNELS = f"{BUILD}/kernels"  # what NVRTC made of kernels, by the library's key of their text
RUN = f"{os.getpid()}.{time.time_ns()}"  # this run's name, for what its programs share
PYTHON = sys.executable if os.environ.get("VENV") == "no" else "build/venv/bin/python"

# ---- how a program is built ------------------------------------------------------------------------------------------

# `sources` are the code under test, `runtime` is the emulator below it, itself compiled without checks: the row
# "simt: emulator" checks it. In the race build the compiler calls back at each memory access of the sources, and the
# emulator answers those calls; in the address build it asks for a check of each address that it accesses for a kernel.
Flavour = collections.namedtuple("Flavour", "sources runtime link")
# Optimising takes the compiler two to four times what the programs then save, with the sanitizers' checks more so. Not
# the emulator, which is compiled once; and not in the long runs.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
OF_ASAN = ["-O2", "-fno-omit-frame-pointer", "-D__SANITIZE_ADDRESS__=1"]
FLAVOURS = {
    "plain": Flavour(["-O0"], ["-O2"], []),
    "asan": Flavour(["-O0", *SANITIZE], OF_ASAN, ["-fsanitize=address,undefined"]),
    "race": Flavour(["-Og", "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0"],
                    ["-O2", "-DSIMT_RACE"], []),
}
LONG_PLAIN = Flavour(["-O2"], ["-O2"], [])
# Lines for reports, in the long runs and where rows are asked for by their names: tables of lines take clang++ a fifth
# of its time. They are those of the parts under src/.
LINES = ["-g1", "-Ibuild/lines"]
WARNINGS = ["-Wall", "-Wextra"]
# (gcc takes a third of its time in C for that warning, of layout: tests/compile/check.py)
LANGUAGES = {".c": (CC, ["-std=c11", "-Wno-misleading-indentation"]), ".cpp": (CXX, ["-std=c++17"])}


# Outside the long runs, where there is a clang++, the kernels' address and race builds are its: it takes half of
# g++'s time for these checks or less. Of pointers it says more than the kernels promise (an offset of null, an offset
# that is negative and unsigned), so g++ checks those, in the plain build (in the race build it would take twice the
# time); there it also checks that copied structs are aligned, which clang++ does not. Casts of floats g++ does not
# check at all. Tests ask for the macros, which are g++'s. Before clang++ 16, copies of structs are calls of memcpy, in
# place of which COPIES has the emulator look at them.
WITH_CLANG = {
    "plain": Flavour(["-O0", "-fsanitize=pointer-overflow,alignment", "-fno-sanitize-recover=undefined"], ["-O2"],
                     ["-fsanitize=undefined"]),
    "asan": Flavour(["-O0", *SANITIZE, "-fno-sanitize=pointer-overflow,float-cast-overflow",
                     "-D__SANITIZE_ADDRESS__=1", "-w"],
                    OF_ASAN,
                    ["-fsanitize=address,undefined"]),
    "race": Flavour(["-O0", "-fsanitize=thread", "-D__SANITIZE_THREAD__=1", "-Wno-unknown-warning-option",
                     *(word for name in ("func-entry-exit=0", "atomics=0", "read-before-write=1")
                       for word in ("-mllvm", f"-tsan-instrument-{name}"))],
                    ["-O2", "-DSIMT_RACE"], []),
}
# What is undefined ends the program without a word, which takes compilers a quarter of their time less; rows that are
# asked for by name say what and where.
TRAPS = {("clang++", "asan"): ["-fsanitize-trap=undefined"], ("g++", "plain"): ["-fsanitize-undefined-trap-on-error"]}
# Before clang++ 15, nobody looks at frames of functions that have returned, but the code for it takes a tenth of the
# compiler's and the programs' time.
NO_FRAMES = ["-fsanitize-address-use-after-return=never"]
COPIES = ["objcopy", *(f"--redefine-sym={name}=__tsan_{name}" for name in ("memcpy", "memmove", "memset"))]


@functools.cache
def has_clang():
    """Is there a clang++ that can link its sanitizers?"""
    if CXX != "g++" or not shutil.which("clang++"):
        return False
    return subprocess.run(["clang++", *SANITIZE, "-x", "c++", "-", "-o", os.devnull], stderr=subprocess.DEVNULL,
                          text=True, input="int main() { return 0; }", check=False).returncode == 0


@functools.cache
def clang_version():
    return int(subprocess.run(["clang++", "-dumpversion"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.partition(".")[0])


def toolchain(program, flavour, long):
    """(The compiler of C++, its Flavour)."""
    emulated = set(SIMT) <= set(program.sources + program.runtime)
    in_cxx = all(source.endswith(".cpp") for source in program.sources)
    kernels = "race" in program.flavours or flavour == "asan" and in_cxx  # (the plain dispatch is timed)
    by_gcc = flavour == "race" and program.race_flags
    if long or flavour not in WITH_CLANG or by_gcc or not kernels or not has_clang():
        return CXX, LONG_PLAIN if long and flavour == "plain" else FLAVOURS[flavour]
    how = WITH_CLANG[flavour]
    if flavour == "asan" and not emulated:  # nor kernels, of whose pointers clang++ says more than they promise
        how = how._replace(sources=how.sources + ["-fsanitize=pointer-overflow"])
    if flavour == "asan" and 13 <= clang_version() < 15:
        how = how._replace(sources=how.sources + NO_FRAMES)
    return CXX if flavour == "plain" else "clang++", how


class Program:
    """A row. Compiled: `sources`, built once for each flavour. Otherwise `command` is run as it is; a Python file under
    pytest where `pytest` names it. `needs` are keys of NEEDS; what is not there skips the row, with its reason.

    Outside the long runs, the plain build is run where it sees what the sanitizers' builds do not: with the arguments
    `plain`; and, since g++ checks pointers in it, of rows with a race build (flavours_of). `args` of what has a race
    build are its schedules: other builds run a third of them, since what depends on schedules, the race build sees as
    well. `turn_args`: the arguments of a part, where the row takes turns.

    `levels`: {flavour: the level of optimisation}, outside the long runs, where it saves more than it costs."""

    def __init__(self, name, sources=(), runtime=(), flavours=("plain",), flags=(),
                 libs=("-ldl", "-lpthread", "-lm"), args=(), long_args=None, command=None, pytest=None, needs=(),
                 timeout=300, long_timeout=3600, env=None, race_flags=(), plain=None, levels=None, turn_args=None):
        self.name, self.sources, self.runtime, self.flavours = name, list(sources), list(runtime), flavours
        self.race_flags, self.plain, self.levels = list(race_flags), plain, dict(levels or {})
        self.flags, self.libs = list(flags), list(libs)
        self.args, self.long_args = list(args), list(args if long_args is None else long_args)
        self.turn_args = self.args if turn_args is None else list(turn_args)
        self.command, self.pytest, self.needs = command, pytest, list(needs)
        self.timeout, self.long_timeout, self.env = timeout, long_timeout, dict(env or {})


COMPILE = ["python3", "tests/compile/check.py"]
SIMT = ["tests/simt/simt.cpp", "tests/simt/async.cpp", "tests/simt/race.cpp"]
ALL = ("plain", "asan", "race")
CHECKED_GROUPS = ["building", "graphs", "operators", "elements", "transposes", "layouts", "errors", "inputs",
                  "hash", "columns", "orders"]
HOST_CHECKS = ["--backend", "host", "--quick", "--each", "1"]
PROGRAMS = [
    # ---- text
    Program("lint", command=["python3", "tools/lint.py"]),
    Program("workflows", command=["bash", "ci/lint_workflows.sh"], needs=["venv"]),
    Program("measurements", command=["python3", "tests/compile/measurements_are_current.py"]),
    # ---- the emulator itself: what it must accept and must report
    Program("simt: litmus", ["tests/simt/litmus.cpp"], SIMT, ALL, plain=[]),
    Program("simt: emulator", ["tests/simt/litmus.cpp", *SIMT], flavours=("asan",), levels={"asan": "-O1"}),
    # ---- the kernels on the emulator
    *(Program(f"{family} kernels", [f"tests/kernels/test_{family}.cpp"], SIMT, ALL,
              flags=["-Wno-maybe-uninitialized"], args=["6"], long_args=["60"])
      for family in ("map", "batch", "reduce", "find", "scan", "axes", "inputs", "columns")),
    Program("sort kernels", ["tests/kernels/test_sort.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["3"], long_args=["60"]),
    Program("segment kernels", ["tests/kernels/test_segments.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["60"]),
    Program("select kernels", ["tests/kernels/test_select.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["60"]),
    Program("merge kernels", ["tests/kernels/test_merge.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["60"]),
    Program("element types", ["tests/kernels/test_types.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["2"], long_args=["20"]),
    Program("tile routines", ["tests/kernels/test_tile.cpp"], SIMT, ALL, args=["10"], long_args=["200"]),
    Program("tile routines for authors", ["tests/kernels/test_tile_authors.cpp"], SIMT, ALL, args=["2"],
            long_args=["40"]),
    Program("hybrid sort", ["tests/kernels/test_sort_hybrid.cpp"], SIMT, ALL, flags=["-Wno-unused-function"],
            args=["1"], long_args=["60"]),
    # (-Og and clang++ copy a struct with its padding, which nobody has written; -O1 does not)
    Program("histogram kernels", ["tests/kernels/test_histogram.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            race_flags=["-O1"], args=["8"], long_args=["80"]),
    Program("group-by tables", ["tests/kernels/test_group_by.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["60"]),
    Program("hash tables", ["tests/kernels/test_hash.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["2"], long_args=["40"]),
    Program("graph building", ["tests/kernels/test_graph.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["1"], long_args=["20"]),
    Program("segmented sort kernels", ["tests/kernels/test_segmented_sort.cpp"], SIMT, ALL,
            flags=["-Wno-maybe-uninitialized"], args=["3"], long_args=["30"]),
    Program("top-k kernels", ["tests/kernels/test_top_k.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["2"], long_args=["60"]),
    Program("top-k of segments", ["tests/kernels/test_top_k_segments.cpp"], SIMT, ALL,
            flags=["-Wno-maybe-uninitialized"], args=["1"], long_args=["30"]),
    Program("top-k by an order", ["tests/kernels/test_top_k_order.cpp"], SIMT, ALL,
            flags=["-Wno-maybe-uninitialized"], args=["1"], long_args=["30"]),
    Program("transpose kernels", ["tests/kernels/test_transpose.cpp"], SIMT, ALL,
            flags=["-Wno-maybe-uninitialized", "-Wno-psabi"], args=["2"], long_args=["60"],
            plain=["2"]),  # these three have types that only the plain build runs
    Program("breadth-first search", ["tests/kernels/test_bfs.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["200"], plain=["6"]),
    Program("search from many sources", ["tests/kernels/test_bfs_sources.cpp"], SIMT, ALL,
            flags=["-Wno-maybe-uninitialized"], args=["3"], long_args=["200"], plain=["3"]),
    Program("frontiers", ["tests/kernels/test_frontier.cpp"], SIMT, ALL, args=["6"], long_args=["100"]),
    Program("layout kernels", ["tests/kernels/test_layouts.cpp"], SIMT, ALL, flags=["-Wno-maybe-uninitialized"],
            args=["6"], long_args=["60"]),
    # ---- rows of a table, which a mutant must be seen in as well
    Program("rows of graphs", ["tests/kernels/test_rows.cpp"], SIMT),
    Program("mutants", runtime=SIMT, flavours=("race",), timeout=900,
            command=["python3", "tests/kernels/mutants.py", "build/tests/mutants"]),
    # ---- the examples' own kernels on the emulator, in their own programs
    Program("ladder", ["tests/kernels/test_ladder.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"], args=["2"],
            long_args=["60"]),
    Program("study", ["tests/kernels/test_study.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"], args=["1"],
            long_args=["20"]),
    Program("cotuning", ["tests/kernels/test_cotuning.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"], args=["1"],
            long_args=["20"]),
    Program("layout examples", ["tests/kernels/test_layout_examples.cpp"], SIMT, ALL,
            flags=["-Wno-unknown-pragmas"], long_args=["30"]),
    Program("tuner examples", ["tests/kernels/test_tuner_examples.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"],
            args=["1"], long_args=["30"]),
    Program("marching cubes", ["tests/kernels/test_marching_cubes.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"],
            args=["1"], long_args=["30"]),
    Program("reyes", ["tests/kernels/test_reyes.cpp"], SIMT, ALL, flags=["-Wno-unknown-pragmas"], args=["1"],
            long_args=["30"]),
    Program("tuner: scan", ["tests/kernels/test_tuner_scan.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-unknown-pragmas"]),
    # ---- contexts, checks, policies, caches on an emulated driver that can fail every call
    # (they pass numbers that are no enumerators on purpose, which C allows and C++ frowns on)
    *(Program(name, [f"tests/unit/test_{name.replace(': ', '_')}.cpp"], SIMT, ("plain", "asan"),
              flags=["-Wno-maybe-uninitialized", "-fno-sanitize=enum"])
      for name in ("dispatch", "dispatch: arguments", "dispatch: sorting", "dispatch: graphs", "dispatch: world")),
    Program("inputs", ["tests/unit/test_inputs.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-maybe-uninitialized", "-fno-sanitize=enum"]),
    # ---- the online tuner, on the same driver, whose clock the tests advance
    Program("tuner", ["tests/unit/test_tuner.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-maybe-uninitialized", "-fno-sanitize=enum"]),
    # ---- calls that are tuned while they run. No kernel does, and the thread checker is not told of the emulator.
    Program("online", ["tests/unit/test_online.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-maybe-uninitialized", "-fno-sanitize=enum"]),
    Program("online: threads", ["tests/unit/test_online.cpp"], SIMT, flags=["-fsanitize=thread", "-Wno-tsan"],
            libs=["-fsanitize=thread", "-ldl", "-lpthread", "-lm"], args=["threads"]),
    Program("dispatch: speed", ["tests/unit/test_dispatch_speed.cpp"], SIMT, flags=["-Wno-maybe-uninitialized"],
            levels={"plain": "-O1"}),
    # ---- initial values, the order of operands, the same bits: emulated kernels beside the host back end
    Program("contract", ["tests/unit/test_contract.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-maybe-uninitialized"]),
    # ---- contexts that are opened, closed, called from hooks and by threads. The thread checker is not told of the
    # emulator, of which only memory is used.
    Program("life", ["tests/unit/test_life.cpp"], SIMT, ("plain", "asan")),
    Program("life: threads", ["tests/unit/test_life.cpp"], SIMT, flags=["-fsanitize=thread", "-Wno-tsan"],
            libs=["-fsanitize=thread", "-ldl", "-lpthread", "-lm"],
            args=["waiting", "close", "close host", "streams", "warm"]),
    # ---- the search of a tuner, in simulated spaces
    Program("tuner: search", ["tests/unit/test_search.cpp"], SIMT, ("plain", "asan"),
            levels={"plain": "-O1", "asan": "-O1"}),
    # ---- what validity accepts, run by the emulated kernels of the library's own programs: a policy of each case,
    # whose turn it is; --long: of each case's sizes and alignments. All of them take hours: build/tests/policies.plain
    Program("policies", ["tests/unit/test_policies.cpp"], SIMT, ("plain",),
            flags=["-Wno-maybe-uninitialized", "-Wno-psabi"], libs=("-rdynamic", "-ldl", "-lpthread", "-lm"),
            args=["few", str(turn(1000))], long_args=["many", str(turn(1000))], timeout=600),
    Program("group-by calls", ["tests/unit/test_group_by.cpp"], SIMT, ("plain",),
            flags=["-Wno-maybe-uninitialized", "-Wno-psabi"], libs=("-rdynamic", "-ldl", "-lpthread", "-lm")),
    Program("described inputs", ["tests/unit/test_described.cpp"], SIMT, ("plain",),
            flags=["-Wno-maybe-uninitialized", "-Wno-psabi"], libs=("-rdynamic", "-ldl", "-lpthread", "-lm")),
    # ---- the same under NVRTC: some, on one architecture, whose turn it is; --long: each case's sizes and alignments
    Program("policies compile", ["tests/unit/test_policies.cpp"], SIMT, ("plain",),
            flags=["-Wno-maybe-uninitialized", "-Wno-psabi"], libs=("-rdynamic", "-ldl", "-lpthread", "-lm"),
            args=["compile", ("75", "90")[turn(2)], "few", str(turn(1000))],
            long_args=["compile", "75,80,90,100,120", "many", str(turn(1000))], timeout=600,
            long_timeout=12 * 3600),
    # ---- what calls share kernels, and what gp_prepare builds: random calls on the same driver
    Program("kernel sharing", ["tests/unit/test_kernel_sharing.cpp"], SIMT, ("plain", "asan"),
            flags=["-Wno-maybe-uninitialized", "-fno-sanitize=enum"], args=["3000"],
            plain=["26000"], long_args=["2000000"], levels={"plain": "-O1"}),
    # ---- tools/gp_bundle on the emulated driver; kernel sources on the real NVRTC where there is one
    Program("bundle", ["tests/unit/test_bundle.cpp"], SIMT, ("plain", "asan")),
    Program("inflate", ["tests/unit/test_inflate.cpp"], flavours=("plain", "asan")),
    # (gcc's leak checker guesses where the thread-local storage of a library opened at run time lies; for NVRTC's it
    # guesses wrong, by the layout of the program, and faults; NVRTC allocates so often that noting more than one caller
    # each time takes a fifth of the row's time)
    Program("kernel source", ["tests/unit/test_kernel_source.c"], flavours=("plain", "asan"),
            env={"ASAN_OPTIONS": "intercept_tls_get_addr=0:malloc_context_size=1"}),
    # ---- what fuzzes a GPU, on the host back end
    Program("random calls", needs=["lib", "venv"],
            command=[PYTHON, "tests/gpu/fuzz.py", "--backend", "host", "--library", "build/libgpuprims.so"],
            turn_args=["--calls", "2500", "--seed", str(1 + turn(4))]),
    # ---- what checks graphs, operators, transposes and layouts on a GPU, on the host back end: the calls that it fills
    Program("graph checks", ["tests/gpu/gp_check.c"],
            flags=["-std=gnu11", "-Itools", "-Wno-missing-field-initializers"],
            args=HOST_CHECKS + [word for group in CHECKED_GROUPS for word in ("--group", group)],
            turn_args=HOST_CHECKS + ["--group", CHECKED_GROUPS[turn(len(CHECKED_GROUPS))]]),
    # ---- the machine code of operators in an interpreter; --long: every operator, type and architecture
    Program("operators", command=[PYTHON, "tests/compile/operators.py"], needs=["lib", "venv"], timeout=540,
            long_timeout=4 * 3600),
    # ---- the policy spaces under the compiler; --long: every policy
    Program("test_every_architecture", pytest="tests/farm/test_every_architecture.py", needs=["lib", "venv"],
            timeout=540, long_timeout=6 * 3600),
    # ---- the dashboard: on made-up and committed measurements; in a browser where there is one
    Program("test_dashboard", pytest="tests/dashboard/test_dashboard.py", needs=["venv"], timeout=540),
    Program("test_browser", pytest="tests/dashboard/test_browser.py", needs=["venv"], timeout=540),
    # ---- the header under compilers
    Program("compile: gcc", command=COMPILE + ["language", "gcc"], needs=["lib"]),
    Program("compile: clang", command=COMPILE + ["language", "clang"], needs=["clang"]),
    Program("compile: hpp", command=COMPILE + ["hpp"], needs=["lib"]),
    Program("compile: nvcc", command=COMPILE + ["nvcc"], needs=["nvcc"]),
    Program("compile: copies", command=COMPILE + ["copies"]),
    Program("compile: embed", command=COMPILE + ["embed"]),
    Program("compile: readme", command=COMPILE + ["readme"], needs=["lib", "venv"]),
    Program("compile: first errors", command=["python3", "tests/compile/first_errors.py"], needs=["lib"]),
    Program("compile: size", command=COMPILE + ["size"], needs=["lib"]),
    Program("examples", command=COMPILE + ["examples"], needs=["lib", "venv"], timeout=600),
    Program("install", command=COMPILE + ["install"], needs=["lib"]),
    Program("bindings", command=COMPILE + ["bindings"], needs=["lib"]),
    Program("packages", command=COMPILE + ["packages"], timeout=600),
    Program("compile: abi", command=COMPILE + ["abi"], needs=["lib"]),
]

# ---- what a row may need ---------------------------------------------------------------------------------------------


def has(*tools):
    return lambda: all(shutil.which(tool) for tool in tools)


# key: (is it there, what to say and type where it is not)
NEEDS = {
    "clang": (has("clang", "clang++"), "no clang: apt-get install clang"),
    "cmake": (has("cmake"), "no cmake: apt-get install cmake"),
    "nvcc": (has("nvcc"), "no nvcc: apt-get install nvidia-cuda-toolkit, or NVIDIA's CUDA toolkit"),
}
# key: the command that makes it; a failure there fails the row
MAKE = ["make", "--no-print-directory", f"CC={CC}", "MAKEFLAGS="]
# The library's level has a turn: -O2 as users have it, with gcc's warnings of that effort; otherwise -Og, which takes
# a quarter of the time. The tests that call the library take the same time with both.
LIBRARY_TURN = 15
FLAGS = {True: "CFLAGS=-Og -Wall -Wextra -Werror -Wno-misleading-indentation",
         False: "CFLAGS=-O2 -Wall -Wextra -Werror"}


def setup_command(need, quick):
    if need == "venv":
        return [] if os.environ.get("VENV") == "no" else MAKE + ["venv"]
    return MAKE + [need, FLAGS[quick]]


SETUP = ("venv", "lib", "python")
# key: what is made before it, since two makes at once would compile the library twice
SETUP_AFTER = {"python": ["lib", "venv"]}
# Sources in these folders that no row names are a failure: a test that nobody runs.
FOLDERS = ["tests/unit", "tests/kernels", "tests/simt"]

# ---- tasks -----------------------------------------------------------------------------------------------------------

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
Counts = collections.namedtuple("Counts", "passed failed skipped")
print_lock = threading.Lock()


def say(text):
    with print_lock:
        print(text, flush=True)


class Task:
    """A command with tasks that come before it. `cost` (seconds of last time) decides what starts first."""

    def __init__(self, name, action, before=(), cost=1.0):
        self.name, self.action, self.before, self.cost = name, action, list(before), cost
        self.error = None  # set by a failed action: the text to show
        self.after, self.waiting, self.path = [], 0, 0.0


def run_all(tasks, workers):
    """Runs the tasks on `workers` threads, the longest remaining path first."""
    for task in tasks:
        task.waiting = len(task.before)
        for other in task.before:
            other.after.append(task)

    def path(task):
        if not task.path:
            task.path = task.cost + max((path(other) for other in task.after), default=0.0)
        return task.path

    ready, numbers = [], {task: number for number, task in enumerate(tasks)}
    for task in tasks:
        path(task)
        if not task.waiting:
            heapq.heappush(ready, (-task.path, numbers[task], task))
    left, condition = len(tasks), threading.Condition()

    def work():
        nonlocal left
        while True:
            with condition:
                while not ready and left:
                    condition.wait()
                if not left:
                    return
                task = heapq.heappop(ready)[2]
            broken = next((other.error for other in task.before if other.error), None)
            try:
                task.error = task.action(broken)
            except Exception as error:  # a fault of this file must end as a failure, not as a hang
                task.error = f"{task.name}: {error!r}"
            with condition:
                left -= 1
                for other in task.after:
                    other.waiting -= 1
                    if not other.waiting:
                        heapq.heappush(ready, (-other.path, numbers[other], other))
                condition.notify_all()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def shell(command, timeout=None, env=None):
    """Runs a command in the root; returns its exit code, its output, and the processor seconds that it and its children
    took. A command that hangs is ended with its children."""
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=file,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, 9)

        timer = threading.Timer(timeout, end) if timeout else None
        if timer:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
        file.seek(0)
        output = file.read().decode(errors="replace")
        seconds = usage.ru_utime + usage.ru_stime
        return (124, f"{output}\nno end after {timeout} s", seconds) if late.is_set() else (process.returncode, output,
                                                                                            seconds)


def under_root(path):
    return os.path.join(ROOT, path)


# ---- building --------------------------------------------------------------------------------------------------------


def up_to_date(target, depfile):
    """Is the target newer than all that its depfile names?"""
    try:
        made = os.stat(under_root(target)).st_mtime_ns
        with open(under_root(depfile)) as file:
            names = shlex.split(file.read().replace("\\\n", " "))[1:]
        return all(os.stat(under_root(name)).st_mtime_ns <= made for name in names)
    except OSError:
        return False


def own_headers(programs):
    """{source: the folder of a gpuprims.h} for tests that do not use all parts: that header has those which the test
    uses, so that an edit of others does not compile it again."""
    found, homes = {}, None
    for source in {source for program in programs for source in program.sources}:
        homes = homes or lint.homes_of(amalgamate.header_lines(embed=False))[0]
        parts = parts_compiled(source, homes)
        if parts is None:
            continue
        found[source] = f"build/parts/{os.path.splitext(os.path.basename(source))[0]}"
        header = f"{found[source]}/gpuprims.h"
        lines = amalgamate.header_lines(parts, embed=any(part.endswith(".c") for part in parts))
        amalgamate.write(header, amalgamate.text_with_lines(lines, header))
    return found


# Tests of the implementation in C that run the kernels which they name, and no other, and open no file.
OF_NAMED_KERNELS = ("tests/unit/test_contract.cpp", "tests/unit/test_dispatch_sorting.cpp")


def parts_compiled(source, homes):
    """The parts that a test uses; None: all of them."""
    text = read_with_includes(source)
    if source in OF_NAMED_KERNELS:
        in_c = [path for path in amalgamate.paths() if not path.endswith(".cuh")]
        return amalgamate.closure(*in_c) | lint.parts_of(text, homes)
    if not source.startswith("tests/kernels/") or "GPUPRIMS_IMPLEMENTATION" in text or "examples/" in text:
        return None
    return lint.parts_of(text, homes)


def read_with_includes(path):
    """Its text, and that of the files beside it that it includes."""
    with open(under_root(path), encoding="utf-8") as file:
        text = file.read()
    beside = [os.path.join(os.path.dirname(path), name) for name in re.findall(r'^#include "([\w.]+)"', text, re.M)]
    return text + "".join(read_with_includes(name) for name in beside if os.path.exists(under_root(name)))


class Builder:
    """Object files are shared by programs whose command lines agree."""

    def __init__(self, long, times, lines, headers, quick=False):
        self.long, self.lines, self.headers, self.quick = long, lines, headers, quick
        self.times, self.objects, self.tasks, self.seconds = times, {}, [], 0.0
        os.makedirs(under_root(f"{BUILD}/objects"), exist_ok=True)

    def compile(self, program, flavour, source, role):
        compiler, standard = LANGUAGES[os.path.splitext(source)[1]]
        plus, how = toolchain(program, flavour, self.long)
        if (flavour, role) == ("race", "runtime"):
            plus = CXX  # the same for all programs
        compiler = plus if compiler == CXX else compiler
        own = [f"-I{self.headers[source]}"] if source in self.headers else []
        flags = standard + own + (LINES if self.lines else []) + WARNINGS + getattr(how, role) + ["-I.", "-Itests/simt"]
        if role == "sources":  # the emulator is the same for all programs
            flags += program.flags + (program.race_flags if flavour == "race" else [])
            flags += [program.levels[flavour]] if flavour in program.levels and not self.long else []
            flags += [] if self.lines else TRAPS.get((compiler, flavour), [])
        command = [compiler] + flags + ["-c", source]
        key = hashlib.sha256("\0".join(command).encode()).hexdigest()[:16]
        target = f"{BUILD}/objects/{os.path.basename(source)}.{flavour}.{key}.o"
        if target not in self.objects:
            depfile = target[:-1] + "d"

            def action(_):
                if up_to_date(target, depfile):
                    return None
                code, output, self.times[target] = shell(command + ["-MMD", "-MF", depfile, "-o", target], timeout=600)
                if not code and compiler == "clang++" and "-fsanitize=thread" in command:
                    code, output, _ = shell(COPIES + [target])
                self.seconds += self.times[target]
                if code:
                    if os.path.exists(under_root(target)):
                        os.remove(under_root(target))
                    return f"{shlex.join(command)}\n{output}"
                if output.strip():
                    say(output.rstrip())
                return None

            self.objects[target] = Task(target, action, cost=self.times.get(target, 5.0))
            self.tasks.append(self.objects[target])
        return self.objects[target]

    def link(self, program, flavour):
        parts = [self.compile(program, flavour, source, "sources") for source in program.sources]
        parts += [self.compile(program, flavour, source, "runtime") for source in program.runtime]
        plus = any(source.endswith(".cpp") for source in program.sources + program.runtime)
        compiler, how = toolchain(program, flavour, self.long)
        stem = re.sub(r"[^\w.]+", "_", program.name)
        target = f"{BUILD}/{stem}.{flavour}"
        openmp = [flag for flag in program.flags if flag == "-fopenmp"]
        command = ([compiler if plus else CC] + [part.name for part in parts] + how.link + openmp + ["-o", target] +
                   program.libs)

        def action(broken):
            if broken:
                return broken
            code, output, seconds = shell(command, timeout=600)
            self.seconds += seconds
            return f"{shlex.join(command)}\n{output}" if code else None

        task = Task(target, action, parts, cost=1.0)
        self.tasks.append(task)
        return task


def objects_of(name):
    """(The objects of the emulator that a row's own programs are linked with, what went wrong), up to date."""
    program = next(program for program in PROGRAMS if program.name == name)
    builder = Builder(False, {}, False, {})
    tasks = [builder.compile(program, "race", source, "runtime") for source in program.runtime]
    wrong = [error for task in tasks for error in [task.action(None)] if error]
    return [under_root(task.name) for task in tasks], "\n".join(wrong)


# ---- turns -----------------------------------------------------------------------------------------------------------

KERNEL_ROWS = [program.name for program in PROGRAMS if program.sources and "race" in program.flavours]
# Other rows whose builds take turns: each compiles the whole implementation, or runs long. {row: the turn of its
# address build; a plain build's is the third after it}, such that each turn takes about the same time. (In turn
# 16, tests of the dashboard build the site of the committed measurements.)
DEAR_TURNS = {"contract": 0, "dispatch: sorting": 1, "online: threads": 1, "bundle": 2, "tuner: search": 3,
              "dispatch: speed": 4, "online": 4, "dispatch: graphs": 5, "dispatch": 6, "simt: emulator": 7,
              "kernel source": 8, "life": 9, "inflate": 9, "kernel sharing": 10, "life: threads": 11, "tuner": 11,
              "dispatch: arguments": 12, "inputs": 12, "group-by calls": 13, "described inputs": 14}
DEAR_ROWS = list(DEAR_TURNS)


def flavours_of(program, long=False, asked=False, every=False, commit=None):
    """The builds of a row that run at a commit. A race build runs at each; the other builds of kernels, and all builds
    of DEAR_ROWS, have turns. Rows that are asked for, and every turn, run whole: the plain build that stands beside
    others, and has no arguments of its own, is then that of kernels alone, and of each third of these in every turn."""
    commit = number() if commit is None else commit
    flavours = list(program.flavours) if program.sources else ["plain"]
    if long:
        return flavours
    kernels = program.name in KERNEL_ROWS
    in_turns = not asked and not every and (kernels or program.name in DEAR_ROWS)
    if "plain" in flavours and len(flavours) > 1 and program.plain is None:
        third = kernels and KERNEL_ROWS.index(program.name) % 3 == commit % 3
        if not kernels or not asked and not in_turns and not third:
            flavours.remove("plain")
    if not in_turns:
        return flavours
    place = KERNEL_ROWS.index(program.name) if kernels else DEAR_TURNS[program.name]
    turns = {"race": commit, "asan": place, "plain": place + 3}
    return [flavour for flavour in flavours if (turns[flavour] - commit) % TURNS == 0]


@functools.cache
def takes_turns(program, flavour="plain"):
    """Does a build or a file of tests run its share alone? Its text says so. A build of kernels that itself takes turns
    runs whole, unless it has all schedules (Program.plain)."""
    if program.sources:
        samples = any("has_turn()" in contents_of(source) for source in program.sources)
        whole = program.name in KERNEL_ROWS and (flavour != "plain" or program.plain is None)
        return samples and (flavour == "race" or not whole)
    paths = [program.pytest] if program.pytest else [word for word in program.command if word.endswith(".py")]
    return any(re.search(r"mark\.turn\b|import .*\bhas_turn\b|\"GPUPRIMS_TURN\"", contents_of(path)) for path in paths)


def builds_have_turns(program, flavour):
    """Does the build itself run at one commit in TURNS? Its cases then take turns by such commits: the commit's number
    would be that of the same cases each time."""
    return bool(program.sources) and flavour != "race" and program.name in KERNEL_ROWS + DEAR_ROWS


def contents_of(path):
    with open(under_root(path), encoding="utf-8") as file:
        return file.read()


# ---- running ---------------------------------------------------------------------------------------------------------


def read_counts(code, output):
    """The counts of a program's output, and what is wrong with how it ended."""
    lines = output.strip().splitlines()
    match = COUNTS.match(lines[-1].strip()) if lines else None
    if not match:
        return Counts(0, 1, 0), f"exit code {code}, and no line of counts at the end"
    counts = Counts(*(int(group or 0) for group in match.groups()))
    if code and not counts.failed:
        return counts._replace(failed=1), f"exit code {code} after counts without a failure"
    if not code and counts.failed:
        return counts, "exit code 0 in spite of failures"
    return counts, ""


def read_junit(code, output, path):
    try:
        suites = xml.etree.ElementTree.parse(path).getroot().iter("testsuite")
        tests = failed = skipped = 0
        for suite in suites:
            tests += int(suite.get("tests"))
            failed += int(suite.get("failures")) + int(suite.get("errors"))
            skipped += int(suite.get("skipped"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return Counts(0, 1, 0), f"pytest: exit code {code}, and no report"
    counts = Counts(max(tests - failed - skipped, 0), failed, skipped)
    if tests == 0 and code == 5 and re.search("^waiting: ", output, re.M):  # all of its tests wait for their turn
        return counts, ""
    if tests == 0 or (code and not failed and (code, skipped) != (5, tests)):  # 5: a file that is skipped whole
        return counts._replace(failed=max(failed, 1)), f"pytest: exit code {code}, {tests} tests"
    return counts, ""


def reads_its_program_alone(program):
    """Does a run depend on its program, arguments and environment alone? Kernels on the emulator open no file; the
    library's C implementation and the examples may."""
    if program.sources and set(program.sources) <= set(OF_NAMED_KERNELS):
        return True
    emulated = all(source.startswith(("tests/kernels/", "tests/simt/")) for source in program.sources)
    return bool(program.sources) and emulated and not any(
        word in read_with_includes(source) for word in ("examples/", "GPUPRIMS_IMPLEMENTATION")
        for source in program.sources)


# Variables of the caller's place, not of its programs.
OF_SHELLS = {"GPUPRIMS_RUN", "_", "PWD", "OLDPWD", "SHLVL", "MAKELEVEL", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR"}


def key_of(command, env):
    """A hash of all that a run of a program depends on; None where that cannot be told."""
    try:
        listed = subprocess.run(["ldd", command[0]], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True, check=False)
        if listed.returncode:
            return None
        libraries = sorted(os.path.realpath(path) for path in re.findall(r"(?:=> |^\s*)(/\S+)", listed.stdout, re.M))
        about = [[path, os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in libraries]
        with open(under_root(command[0]), "rb") as file:
            program = hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None
    variables = sorted(item for item in env.items() if item[0] not in OF_SHELLS)
    text = json.dumps([program, command, about, variables, list(os.uname())])
    return hashlib.sha256(text.encode()).hexdigest()


# What kernels' engineers edit. Rows of Python depend on what they read of it; and on all else, read or not.
UNDER_TEST = ("src/", "gpuprims.h", "examples/", "tests/kernels/", "tests/simt/", "tests/unit/")
WATCH = "tests/watch"


def output_of(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout if done.returncode == 0 else None


@functools.cache
def contents(path):
    """A hash of what a file or folder of the tree holds; None where there is none."""
    try:
        if os.path.isdir(under_root(path)):
            return sorted(name for name in os.listdir(under_root(path)) if name != "__pycache__")
        with open(under_root(path), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


@functools.cache
def tree():
    """A hash of the tree's files but for what those of UNDER_TEST hold, of Python's packages, of the tools and of the
    day; None where git does not list the files, or packages are not the project's own."""
    listed = output_of("git", "ls-files", "-co", "--exclude-standard", "-z")
    ready = under_root("build/venv/.ready")
    if not listed or os.environ.get("VENV") == "no" or not os.path.exists(ready):
        return None
    paths = sorted(set(listed.decode(errors="surrogateescape").split("\0")))
    about = [[path, contents(path)] for path in paths]
    about = [[path, "" if path.startswith(UNDER_TEST) else hashed] for path, hashed in about]
    programs = [shutil.which(name) for name in ("git", "tar", "gcc", "clang")] + [os.path.realpath(PYTHON), ready]
    about += [[path, os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in programs if path]
    text = json.dumps([about, list(os.uname()), time.strftime("%Y-%m-%d", time.gmtime())])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


@functools.cache
def commits():
    """What git says without a look at the tree's files."""
    said = [output_of("git", *words) for words in (("rev-parse", "HEAD"), ("ls-files",), ("remote", "-v"))]
    return hashlib.sha256(repr(said).encode()).hexdigest()


def lines_of(path):
    """A row's processes take the file away where they cannot write to it."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return set(file.read().splitlines())
    except OSError:
        return set()


def inputs_of(lines):
    """{what: its hash} of the lines that a row's processes left; None where they cannot tell."""
    if "watched" not in lines or any(line.split(" ")[0] not in ("watched", "read", "commits") for line in lines):
        return None
    read = sorted({line.partition(" ")[2] for line in lines if line.startswith("read ")})
    of_tree = {path: contents(path) for path in read if f"{path}/".startswith(UNDER_TEST) or
               path.startswith(UNDER_TEST)}
    return {**of_tree, **({"commits": commits()} if "commits" in lines else {})}


def unchanged(inputs):
    return all((commits() if what == "commits" else contents(what)) == was for what, was in inputs.items())


class Runner:
    """kept: {name: {key, counts, reasons} of what passed}; None: nothing is kept."""

    def __init__(self, long, times, kept=None, turns=False):
        self.long, self.times, self.turns, self.waiting = long, times, turns, 0
        self.kept, self.kept_count = kept, 0
        self.results, self.reasons, self.seconds = [], [], 0.0

    def environment(self, program, flavour="plain"):
        env = dict(os.environ, XDG_CACHE_HOME=under_root(f"{BUILD}/cache"),
                   PYTHONPYCACHEPREFIX=under_root("build/pycache"),
                   HYPOTHESIS_STORAGE_DIRECTORY=under_root(f"{BUILD}/hypothesis"),
                   GPUPRIMS_LIBRARY=under_root("build/libgpuprims.so"), GPUPRIMS_RUN=RUN,
                   GPUPRIMS_LONG="1" if self.long else "0", PYTHON=PYTHON, CC=CC, CXX=CXX, MAKEFLAGS="",
                   MPLBACKEND="agg", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process compiles all modules: the folder above is empty
        env.setdefault("OMP_WAIT_POLICY", "passive")
        env.setdefault("OPENBLAS_NUM_THREADS", "1")  # or each process that imports NumPy has threads that spin
        if self.kept is not None:
            env["GPUPRIMS_KERNELS"] = under_root(KERNELS)
        if not self.long:
            # Of gp_tune, examples and others: optimising takes four times as long, and a warning of layout a third of
            # what is left (tests/compile/check.py, whose row of gcc has it).
            env["CFLAGS"] = "-O0 -Wno-misleading-indentation"
            builds_tools = os.path.basename(os.path.dirname(program.pytest or "")) in ("farm", "ci", "dashboard")
            if CC == "gcc" and has_clang() and builds_tools:
                env["CC"] = "clang"  # a fifth of gcc's time; that gcc compiles these tools, the row of gcc says
        env.update(program.env)
        env.pop("GPUPRIMS_TURN", None)
        if self.turns and takes_turns(program, flavour):
            env["GPUPRIMS_TURN"] = str(number() // TURNS if builds_have_turns(program, flavour) else number())
        return env

    def record(self, name, counts, seconds=None, reason=None, output=None, how=""):
        self.results.append((name, counts))
        took = how if seconds is None else f"{seconds:8.1f} s"
        say(f"{name:<40} {counts.passed:6} passed {counts.failed:4} failed {counts.skipped:4} skipped {took}")
        if output is not None:
            say("".join(f"    {line}\n" for line in output.strip().splitlines()[-60:]).rstrip())
        if reason:
            self.reasons.append(f"{name}: {reason}")

    def run(self, program, name, command, junit=None, flavour="plain"):
        stem = re.sub(r"[^\w.]+", "_", name)
        env, watch, key = self.environment(program, flavour), None, None
        if self.kept is not None and reads_its_program_alone(program):
            key = key_of(command, env)
        elif self.kept is not None and program.pytest and tree():
            variables = sorted(item for item in env.items() if item[0] not in OF_SHELLS)
            key = hashlib.sha256(json.dumps([tree(), command, variables]).encode()).hexdigest()
            watch = under_root(f"{BUILD}/{stem}.watch")
            env.update(GPUPRIMS_WATCH=watch, PYTHONPATH=os.pathsep.join(
                filter(None, [under_root(WATCH), env.get("PYTHONPATH")])))
        before = self.kept.get(name) if key else None
        if before and before["key"] == key and "waiting" in before and unchanged(before.get("inputs", {})):
            self.kept_count += 1
            self.reasons += before["reasons"]
            self.waiting += before["waiting"]
            self.record(name, Counts(*before["counts"]), how="    kept")
            return
        if watch:
            amalgamate.write(watch, "")
        code, output, seconds = shell(command, self.long_timeout(program), env)
        self.times[name] = seconds
        self.seconds += seconds
        with open(under_root(f"{BUILD}/{stem}.log"), "w") as log:
            log.write(output)
        counts, wrong = read_junit(code, output, under_root(junit)) if junit else read_counts(code, output)
        reasons = [f"{name}: {line.partition(' ')[2]}" for line in output.splitlines()
                   if line.startswith("skipped: ") or junit and line.startswith("SKIPPED ")]
        self.reasons += reasons
        waiting = sum(int(count) for count in re.findall(r"^waiting: (\d+)$", output, re.M))
        self.waiting += waiting
        failed = counts.failed or wrong
        inputs = inputs_of(lines_of(watch)) if watch else {}
        if key and not failed and inputs is not None:
            self.kept[name] = {"key": key, "counts": list(counts), "reasons": reasons, "inputs": inputs,
                               "waiting": waiting}
        elif self.kept is not None:
            self.kept.pop(name, None)
        if failed and program.sources:
            wrong += f"\n(with the lines of sources: tests/run.py '{program.name}')"
        self.record(name, counts, seconds, output=f"{output}\n{wrong}\n{shlex.join(command)}" if failed else None)

    def long_timeout(self, program):
        return program.long_timeout if self.long else program.timeout

    def task(self, program, name, command, before, junit=None, flavour="plain"):
        def action(broken):
            if broken:
                self.record(name, Counts(0, 1, 0), output=broken)
            else:
                self.run(program, name, command, junit, flavour)

        return Task(name, action, before, cost=self.times.get(name, 10.0))


def plugins(path):
    """Of pytest: Hypothesis' own, where a file asks for it. Looking for those of the environment takes longer than many
    a file's tests (environment())."""
    with open(path, encoding="utf-8") as file:
        return ["-p", "_hypothesis_pytestplugin"] if "hypothesis" in file.read() else []


def orphans():
    """Test sources that no row names."""
    named = {path for program in PROGRAMS for path in program.sources + program.runtime + [program.pytest]}
    found = [path for folder in FOLDERS for kind in ("*.c", "*.cpp") for path in glob.glob(f"{folder}/{kind}")]
    return sorted(path for path in found if path not in named)


def needs_of(path):
    """The Python package needs the library and the environment (SETUP_AFTER)."""
    return ["python"] if path.startswith("tests/python/") else ["lib", "venv"]


def rows(patterns):
    """The rows to run; pytest files are found by their name, so that they need a row only where they need more."""
    named = {program.pytest for program in PROGRAMS}
    files = sorted(glob.glob("tests/*/test_*.py") + glob.glob("tests/test_*.py"))
    programs = PROGRAMS + [Program(os.path.basename(path)[:-3], pytest=path, needs=needs_of(path), timeout=540)
                           for path in files if path not in named and not path.startswith("tests/gpu/")]
    if not patterns:
        return programs
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")] or ["*"]
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return [program for program in programs if any(fnmatch.fnmatch(program.name, pattern) for pattern in wanted) and
            not any(fnmatch.fnmatch(program.name, pattern) for pattern in unwanted)]


def set_up(need, found, builder):
    """The task that makes what a row needs, once for all rows; found: the tasks so far."""
    if need not in found:
        def action(broken):
            command = setup_command(need, builder.quick)
            if broken or not command:
                return broken
            code, output, seconds = shell(command)
            builder.seconds += seconds
            builder.times[need] = seconds
            return f"{shlex.join(command)}\n{output}" if code else None

        before = [set_up(other, found, builder) for other in SETUP_AFTER.get(need, [])]
        found[need] = Task(need, action, before, cost=builder.times.get(need, 25.0))
    return found[need]


def make_header():
    """gpuprims.h, where a part of it is newer: an edit of a part is tested."""
    made = os.stat("gpuprims.h").st_mtime_ns if os.path.exists("gpuprims.h") else 0
    sources = ["tools/amalgamate.py", "tools/c_names.py", *glob.glob("src/**/*", recursive=True)]
    if any(os.stat(path).st_mtime_ns > made for path in sources if os.path.isfile(path)):
        if subprocess.run([sys.executable, "tools/amalgamate.py"], check=False).returncode:
            sys.exit(1)
        os.utime("gpuprims.h")  # every make would run that again: in a clone, parts may be newer than their header
    subprocess.run([sys.executable, "tools/amalgamate.py", "--lines", "build/lines/gpuprims.h"], check=True)


def read_json(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def main():
    parser = argparse.ArgumentParser(description="builds and runs the tests")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--every-turn", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    # One more than there are cores, since some wait: for a package index, for a browser, for a time limit.
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1)
    options = parser.parse_args()
    os.chdir(ROOT)
    if not options.list:
        make_header()
    times_file, kept_file = f"{BUILD}/times.json", f"{BUILD}/kept.json"
    times, kept = read_json(times_file), read_json(kept_file)

    start = time.monotonic()
    built = [program for program in rows(options.patterns) if program.sources and flavours_of(
        program, options.long, bool(options.patterns), options.every_turn)]
    headers = own_headers(built) if not options.long and not options.list else {}
    quick = not options.long and not options.every_turn and number() % TURNS != LIBRARY_TURN
    builder = Builder(options.long, times, options.long or bool(options.patterns), headers, quick)
    asked = options.long or options.patterns
    if asked or options.again:
        shutil.rmtree(f"{BUILD}/mutants", ignore_errors=True)
    if options.again:
        shutil.rmtree(KERNELS, ignore_errors=True)
    elif not options.list:
        tree()  # files that are edited from here on are tested next time
    runner = Runner(options.long, times, None if asked else {} if options.again else kept,
                    turns=not asked and not options.every_turn)
    setup, runs, builds_waiting = {}, [], 0
    for program in rows(options.patterns):
        missing = next((NEEDS[need][1] for need in program.needs if need in NEEDS and not NEEDS[need][0]()), None)
        before = []
        for need in program.needs:
            if need in SETUP and not missing:
                before.append(set_up(need, setup, builder))
        racing = program.sources and "race" in program.flavours
        flavours = flavours_of(program, options.long, bool(options.patterns), options.every_turn)
        builds_waiting += len(flavours_of(program, every=True)) - len(flavours) if runner.turns else 0
        for flavour in flavours:
            name = program.name if flavour == "plain" else f"{program.name} ({flavour})"
            if missing:
                runner.record(name, Counts(0, 0, 1), reason=missing)
                continue
            junit, args = None, program.long_args if options.long else program.args
            if flavour == "plain" and program.plain is not None and not options.long:
                args = program.plain
            elif runner.turns and not racing:
                args = program.turn_args
            elif flavour != "race" and racing and args and not options.long:
                args = [str((int(args[0]) + 2) // 3)]
            if program.sources:
                link = builder.link(program, flavour)
                command, needed = [link.name] + args, before + [link]
            elif program.pytest:
                junit = f"{BUILD}/{os.path.basename(program.pytest)}.xml"
                command, needed = [PYTHON, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--color=no",
                                   *plugins(program.pytest), f"--junitxml={junit}", program.pytest] + args, before
            else:
                command, needed = program.command + args, before + [
                    builder.compile(program, "race", source, "runtime") for source in program.runtime]
            if options.list:
                print(f"{name:<40} {shlex.join(command)}")
            runs.append(runner.task(program, name, command, needed, junit, flavour))
    if options.list:
        return
    if not options.patterns:
        for path in orphans():
            runner.record(path, Counts(0, 1, 0), output=f"{path}: no row of tests/run.py names this file")
    run_all(list(setup.values()) + builder.tasks + runs, max(options.jobs, 1))
    with open(times_file, "w") as file:
        json.dump(times, file, indent=0, sort_keys=True)
    if runner.kept is not None:
        amalgamate.write(kept_file, json.dumps(runner.kept, indent=0, sort_keys=True))

    if runner.reasons:
        print("\nskipped:")
        for reason in runner.reasons:
            print(f"  {reason}")
    if runner.waiting or builds_waiting:
        print(f"\n{runner.waiting} checks and {builds_waiting} builds wait for their turn "
              "(make test ARGS=--every-turn)")
    total = Counts(*(sum(counts[i] for _, counts in runner.results) for i in range(3)))
    if not runner.results:
        sys.exit(f"no test is called {' or '.join(options.patterns)}")
    broken = [name for name, counts in runner.results if counts.failed]
    if broken:
        print(f"\nfailed: {', '.join(broken)}; the whole output is under {BUILD}/")
    print(f"\n{len(runner.results)} programs in {time.monotonic() - start:.0f} s; processor seconds: "
          f"{builder.seconds:.0f} to compile, {runner.seconds:.0f} to run" +
          (f"; {runner.kept_count} kept their results, since nothing that they read changed" if runner.kept_count else
           ""))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
