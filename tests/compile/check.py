#!/usr/bin/env python3
"""check.py GROUP: compiles gpuprims.h in every supported way (Python's standard library only).

    language gcc|clang   declarations and implementation as every standard of C and C++, without a warning; each program
                         is run
    hpp                  gpuprims.hpp as C++17, 20 and 23, by gcc and clang, with and without exceptions
    nvcc                 .cu files: declarations, implementation, kernels on the tile routines, the examples
    copies               several copies in one program: GPUPRIMS_NAMESPACE, GPUPRIMS_STATIC; no symbol escapes
    embed                the program carries the header's own text, wherever it was compiled
    readme               every block of code in README.md and docs/ compiles, and runs where it is a program; a program
                         prints the block of text below it
    examples             every example builds and runs, CUDA ones on the emulator too; the demo
    install              make install, pkg-config, CMake: find_package, add_subdirectory
    bindings             the examples in Rust (bindgen) and Julia (Clang.jl), where their toolchains are
    packages             recipes of Meson, Conan and Debian, where their tools are, in the long tests
    abi                  programs with an older or newer header than the library
    size                 time to preprocess, symbols, sizes; the shared library needs nothing but libc

What is dear takes turns in `make test` (tests/turn.py).

Prints a line for a check that failed and closes with "N passed, N failed, N skipped".
"""
import contextlib
import decimal
import functools
import glob
import gzip
import hashlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import amalgamate  # noqa: E402
from turn import TURNS, has_turn, turn  # noqa: E402
HERE = os.path.join(ROOT, "tests", "compile")
HEADER = os.path.join(ROOT, "gpuprims.h")
CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")
VENV = "build/venv/bin/python"
PYTHON = os.environ.get("PYTHON", VENV if os.path.exists(os.path.join(ROOT, VENV)) else sys.executable)
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
MAKE = ["make", "--no-print-directory", f"CC={CC}"]
LIBS = ["-ldl", "-lpthread", "-lm"]
# Each standard with a level of optimisation, because a compiler's warnings depend on its effort. Higher levels take
# longer: -O2 occurs once, -O1 and -O3 take turns. The long runs use each language's usual level for all standards. gcc
# compiles the library with -O2 and without a warning at its turn (tests/run.py), and clang warns alike at all levels.
LONG = int(os.environ.get("GPUPRIMS_LONG", "0") or 0)
STANDARDS = {"c99": "-O2", "c11": "-O0", "c17": "-O1", "c++11": "-O0", "c++14": "-O0", "c++17": "-O3", "c++20": "-O0"}
STANDARDS[("c17", "c++17")[turn(2)]] = "-O0"
ELSEWHERE = {"gcc": ("-O2",), "clang": ("-O1", "-O3")}
# Options of a variant in C and in C++. Standards differ in the preprocessor's input.
VARIANTS = {"late": (["-DLATE"], ("c17", "c++20")), "after other headers": (["-DOTHERS_FIRST"], ("c99", "c++11")),
            "static": (["-DGPUPRIMS_STATIC"], ("c99",)), "OpenMP": (["-fopenmp"], ("c++20",))}
if LONG:
    VARIANTS = {name: (flags, ("c99", "c17", "c++11", "c++20")) for name, (flags, _) in VARIANTS.items()}
    STANDARDS = dict.fromkeys(STANDARDS, "-O2") | {"c17": "-O3", "c++17": "-O3"}
# gcc rereads a C file's lines for this warning, which takes a third of its time for the header. The warning depends
# only on the layout: one standard of C has it, and all of C++, where it costs nothing.
NO_LAYOUT = ["-Wno-misleading-indentation"]
ASSEMBLY = os.path.join(ROOT, "build", "tests", "assembly")  # compilers' outputs for the implementation
SIMT = [f"tests/simt/{name}.cpp" for name in ("simt", "async", "race")]


class Checks:
    def __init__(self):
        self.passed = self.failed = self.skipped = self.waiting = self.place = 0

    def has_turn(self, count=TURNS):
        """Does the next part of the row run at this commit?"""
        self.place += 1
        mine = has_turn(self.place, count)
        self.waiting += not mine
        return mine

    def check(self, name, good, output=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {name}")
            print("".join(f"    {line}\n" for line in output.strip().split("\n")[-40:]), end="", flush=True)
        return good

    def run(self, name, command, expect=0, cwd=ROOT, env=None, timeout=600):
        """Runs a command; a check passes if it ends with `expect`. Returns its output, or None."""
        try:
            done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
        except (OSError, subprocess.TimeoutExpired) as error:
            self.check(name, False, f"{shlex.join(command)}\n{error}")
            return None
        good = self.check(name, done.returncode == expect,
                          f"{shlex.join(command)}\nexit code {done.returncode}\n{done.stdout}")
        return done.stdout if good else None

    def assemble(self, name, command, output, link=()):
        """Compiles one source, to a program if `link` has libraries, otherwise to an object. Reuses assembly that the
        compiler made from the same lines by the same command: it names the files that it embeds, and C leaves the
        device text out. A check passes if all of that is silent."""
        seen = subprocess.run([*command, "-E"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout
        lines = [line for line in seen.split(b"\n") if line and not line.startswith(b"# ")]
        about = "\0".join([version_of(command[0]), *command, ""]).encode()
        kept = os.path.join(ASSEMBLY, hashlib.sha256(about + b"\n".join(lines)).hexdigest() + ".s.gz")
        made = f"{output}.s"
        if os.path.exists(kept) and not LONG:
            os.utime(kept)
            with gzip.open(kept) as packed, open(made, "wb") as file:
                shutil.copyfileobj(packed, file)
        elif self.run(name, [*command, "-S", "-o", made]) is None:
            return False
        else:
            self.passed -= 1
            with open(made, "rb") as file, open(f"{kept}.{os.getpid()}", "wb") as packed:
                packed.write(gzip.compress(file.read(), 1))
            os.replace(packed.name, kept)
        openmp = [word for word in command if word == "-fopenmp"]
        how = [*openmp, made, "-o", output, *link] if link else ["-c", made, "-o", output]
        return self.run(name, [command[0], *how]) is not None

    def skip(self, name, reason):
        self.skipped += 1
        print(f"skipped: {name}: {reason}")


@functools.cache
def version_of(compiler):
    return subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout


def forget_old():
    """Assembly made or used within a day."""
    for path in glob.glob(os.path.join(ASSEMBLY, "*")):
        with contextlib.suppress(OSError):
            if os.stat(path).st_mtime < time.time() - 24 * 3600:
                os.remove(path)


def language_flags(standard):
    return [f"-std={standard}", "-x", "c++" if "++" in standard else "c"]


def source(name):
    return os.path.join(HERE, name)


def build(checks, name, compiler, standard, file, output, flags=()):
    command = [compiler, *language_flags(standard), *STRICT, f"-I{ROOT}", *flags, file]
    return checks.assemble(name, command, output, LIBS)


# ---- language --------------------------------------------------------------------------------------------------------


def language(checks, folder, compiler):
    pair = {"gcc": (CC, CXX), "clang": ("clang", "clang++")}[compiler]
    checks.place = 3 * (compiler == "clang")  # the other one's standards at other commits
    for standard, level in STANDARDS.items():
        if level in ELSEWHERE[compiler] and not LONG:
            level = "-O0"
        driver = pair["++" in standard]
        what = f"{compiler} {standard}"
        checks.run(f"{what}: declarations", [driver] + language_flags(standard) + STRICT +
                   ["-I.", "-c", "-o", os.devnull, source("declarations.c")])
        enums = [] if "++" in standard else ["-Wenum-conversion", "-Werror"]
        for number in range(6) if checks.has_turn() else []:
            checks.run(f"{what}: {f'swapped arguments, {number}' if number else 'arguments in their places'}",
                       [driver, *language_flags(standard), *enums, f"-DSWAPPED={number}", "-I.", "-fsyntax-only",
                        source("swapped.c")], expect=min(number, 1))
        variants = [("", [level])] + [(f", {name}", ["-O0", *flags]) for name, (flags, standards) in VARIANTS.items()
                                      if standard in standards]
        for suffix, flags in variants:
            if not checks.has_turn():
                continue
            if compiler == "gcc" and "++" not in standard and (standard != "c99" or suffix) and not LONG:
                flags = flags + NO_LAYOUT
            program = os.path.join(folder, "program")
            if "-fopenmp" in flags and not has_openmp(driver, folder):
                checks.skip(f"{what}: OpenMP", "the compiler has no OpenMP: apt-get install libomp-dev")
                continue
            what_now = f"{what}: implementation{suffix}"
            if build(checks, what_now, driver, standard, source("program.c"), program, flags):
                checks.run(f"{what}: program{suffix}", [program])
        for name in example_files() if standard in ("c99", "c++17") and checks.has_turn() else []:
            if name.endswith(".c") and not generated_headers(example_text(name)):
                checks.run(f"{what}: examples/{name}", [driver] + language_flags(standard) + STRICT +
                           ["-I.", "-Iexamples", "-fsyntax-only", without_implementation(name, folder)])
    if compiler == "gcc":
        # Files that only a machine with a GPU runs; and gp_tune, which clang builds in the tests' other rows.
        for name in ("tools/gp_bench.c", "tools/gp_bfs.c", "tools/gp_graph.c", "tests/gpu/gp_check.c"):
            if checks.has_turn():
                checks.run(f"gcc: {name}", [pair[0], "-std=gnu11", *STRICT[:3], "-Wno-missing-field-initializers",
                                            "-I.", "-Itools", "-fsyntax-only", name])
        if checks.has_turn():
            checks.run("gcc: tools/tune", [pair[0], "-std=c11", "-D_GNU_SOURCE", *STRICT[:3], *NO_LAYOUT, "-I.",
                                           "-fsyntax-only", *sorted(glob.glob("tools/tune/*.c", root_dir=ROOT))])


def example_files():
    """Files of examples/ and of the folders in it."""
    base = os.path.join(ROOT, "examples")
    return sorted(os.path.relpath(os.path.join(where, name), base)
                  for where, _, names in os.walk(base) for name in names)


def example_text(name):
    with open(os.path.join(ROOT, "examples", name)) as file:
        return file.read()


def without_implementation(name, folder):
    """The example's own code as a file: the implementation is compiled elsewhere."""
    alone = os.path.join(folder, os.path.basename(name))
    with open(alone, "w") as file:
        file.write(example_text(name).replace("#define GPUPRIMS_IMPLEMENTATION\n", "\n"))
    return alone


def has_openmp(compiler, folder):
    return subprocess.run([compiler, "-fopenmp", "-x", "c", "-", "-o", os.path.join(folder, "probe")], text=True,
                          input="#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def generated_headers(text):
    """Headers made by a tool, which do not exist during compilation."""
    included = re.findall(r'#include "([^"]+)"', text)
    return [name for name in included if not any(os.path.exists(os.path.join(ROOT, place, name))
                                                 for place in (".", "examples"))]


def hpp(checks, folder):
    """gpuprims.hpp; each program is run. It has at most 300 lines."""
    with open(os.path.join(ROOT, "gpuprims.hpp")) as file:
        lines = file.read().count("\n")
    checks.check("gpuprims.hpp has at most 300 lines", lines <= 300, str(lines))
    program, libraries = os.path.join(folder, "hpp"), ["-Lbuild", "-lgpuprims",
                                                       f"-Wl,-rpath,{os.path.join(ROOT, 'build')}"]
    for compiler in [CXX] + (["clang++"] if shutil.which("clang++") else []):
        for flags in (["-std=c++17"], ["-std=c++20", "-O2"], ["-std=c++2b"], ["-std=c++17", "-fno-exceptions"],
                      ["-std=c++17", "-fsanitize=address,undefined"]):
            name = f"gpuprims.hpp by {compiler} {' '.join(flags)}"
            if checks.has_turn() and checks.run(name, [compiler, *flags, *STRICT, "-I.", source("hpp.cpp"), *libraries,
                                                       "-o", program]) is not None:
                checks.run(f"{name}: run", [program])


def nvcc(checks, folder):
    examples = [os.path.join("examples", name) for name in sorted(os.listdir(os.path.join(ROOT, "examples")))
                if name.endswith(".cu")] + ["tests/gpu/tile_check.cu"]
    program = os.path.join(folder, "program")
    for standard, architectures in (("c++17", ("75", "90") if LONG else ("75",)),
                                    ("c++20", ("75", "90") if LONG else ("90",))):
        base = ["nvcc", f"-std={standard}", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror", "-I."]
        for arch in architectures:
            # outside the long runs examples take the two standards in turn
            of_turn = examples if LONG or os.environ.get("GPUPRIMS_TURN") or turn(2) == (standard == "c++20") else []
            for name in ["tests/compile/device.cu"] + of_turn:
                if checks.has_turn():
                    checks.run(f"nvcc {standard} sm_{arch}: {name}",
                               base + [f"-arch=sm_{arch}", "-c", "-o", os.devnull, name])
        if checks.has_turn():
            checks.run(f"nvcc {standard}: declarations",
                       base + ["-x", "cu", "-c", "-o", os.devnull, source("declarations.c")])
        build_it = base + ["-x", "cu", "-o", program, source("program.c")] + LIBS
        if checks.has_turn() and checks.run(f"nvcc {standard}: implementation", build_it) is not None:
            checks.run(f"nvcc {standard}: program", [program])
    # The peer of examples/tuner/scan: its interface, and the part of the fewest policies.
    for option in ([], ["-DTHRUST_SCAN_ITEMS=24"]):
        if checks.has_turn(8):
            checks.run(f"nvcc c++17 sm_90: tools/peers/thrust_scan.cu {' '.join(option)}",
                       ["nvcc", "-std=c++17", "-arch=sm_90", *option, "-c", "-o", os.devnull,
                        "tools/peers/thrust_scan.cu"])


# ---- copies ----------------------------------------------------------------------------------------------------------


def external_symbols(path, *options):
    output = subprocess.run(["nm", "--extern-only", "--defined-only", *options, path], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    return [line.split()[-1] for line in output.split("\n") if line.strip() and not line.endswith(":")]


def copies(checks, folder):
    languages = [(CC, "c99"), (CXX, "c++11")]
    if shutil.which("clang"):
        languages += [("clang", "c17"), ("clang++", "c++20")]
    else:
        checks.skip("copies by clang", "no clang: apt-get install clang")
    for compiler, standard in languages:
        if not checks.has_turn():
            continue
        made = set()
        for kind in ("namespace", "static", "mixed"):
            objects = []
            for entry, name, static in (("first_entry", "alpha", kind == "static"),
                                        ("second_entry", "beta", kind != "namespace")):
                flags = [f"-DENTRY={entry}"] + (["-DGPUPRIMS_STATIC"] if static else [f"-DGPUPRIMS_NAMESPACE={name}"])
                target = os.path.join(folder, f"{name}.{os.path.basename(compiler)}."
                                              f"{'static' if static else 'namespace'}.o")
                objects.append(target)
                if target in made:  # the mixed program consists of the others' parts
                    continue
                made.add(target)
                layout = NO_LAYOUT if compiler == CC == "gcc" and not LONG else []
                what = f"{compiler} {standard} {kind}: {name}"
                if static and len(objects) == 2:  # equal to the other except its function's name
                    checks.run(what, ["objcopy", "--redefine-sym", f"first_entry={entry}", objects[0], target])
                else:
                    checks.assemble(what, [compiler, *language_flags(standard), *STRICT, *layout, *flags, "-I.",
                                           source("copy.c")], target)
                if os.path.exists(target):
                    prefix = "no symbol but its own" if static else f"{name}_gp_"
                    escaped = [symbol for symbol in external_symbols(target)
                               if symbol != entry and (static or not symbol.startswith(f"{name}_gp_"))]
                    checks.check(f"{compiler} {standard} {kind}: {name} has external symbols outside of {prefix}",
                                 not escaped, " ".join(escaped))
            program = os.path.join(folder, "two_copies")
            if checks.run(f"{compiler} {standard} {kind}: link", [compiler] + language_flags(standard) + STRICT +
                          [source("two_copies.c"), "-x", "none"] + objects + ["-o", program] + LIBS) is not None:
                checks.run(f"{compiler} {standard} {kind}: run", [program])


# ---- embed -----------------------------------------------------------------------------------------------------------


def embed(checks, folder):
    """Each program prints the size and the hash of its device text; the header is removed before."""
    text = amalgamate.device_text(HEADER)
    value = 14695981039346656037
    for byte in text:
        value = (value ^ byte) * 1099511628211 % (1 << 64)
    expected = f"{len(text)} {value:016x}"
    policies = os.path.join(ROOT, "gpuprims_policies.h")

    def tree(name, link=False):
        """A folder with a copy of the header (or a link to it) and of the program."""
        place = os.path.join(folder, name)
        os.makedirs(place)
        shutil.copy(source("own_text.c"), place)
        for header in [HEADER] + ([policies] if os.path.exists(policies) else []):
            if link:
                os.symlink(header, os.path.join(place, os.path.basename(header)))
            else:
                shutil.copy(header, place)
        return place

    def case(name, place, command, cwd=None, gone=True, run=None):
        if not checks.has_turn():
            return
        output = os.path.join(folder, "own_text")
        if checks.run(f"{name}: compile", command + ["-o", output] + LIBS, cwd=cwd or place) is None:
            return
        header = os.path.join(place, "gpuprims.h")
        if gone and os.path.exists(header):
            os.rename(header, header + ".away")
        found = checks.run(f"{name}: run", run or [output], cwd=folder)
        if gone and os.path.lexists(header + ".away"):
            os.rename(header + ".away", header)
        if found is not None:
            checks.check(f"{name}: the text", found.strip() == expected,
                         f"carries {found.strip()}, should be {expected}")

    compilers = [CC] + (["clang"] if shutil.which("clang") else [])
    if len(compilers) == 1:
        checks.skip("embed by clang", "no clang: apt-get install clang")
    for number, compiler in enumerate(compilers):
        plain, linked = tree(f"plain{number}"), tree(f"linked{number}", link=True)
        spaces = tree(f"a place with spaces {number}")
        longer = tree(f"longer{number}")
        with open(os.path.join(longer, "gpuprims.h"), "r+", encoding="utf-8") as file:
            text = file.read()
            file.seek(0)
            file.write("// Whoever copied this header wrote something above it.\n" * 500 + text)
        elsewhere = os.path.join(folder, f"elsewhere{number}")
        os.makedirs(elsewhere)
        plus = {"gcc": "g++", "clang": "clang++"}.get(compiler, CXX)
        link_name = os.path.join(folder, f"link{number}")
        os.symlink(plain, link_name)
        case(f"{compiler}, same folder", plain, [compiler, "-std=c11", "own_text.c"])
        small = ["-O1", "-DGPUPRIMS_STATIC"]  # of the implementation, compiles only the search for the text
        base = [compiler, "-std=c11", *small]
        case(f"{compiler}, a longer header", longer, [compiler, "-std=c11", "own_text.c"])
        case(f"{compiler}, as C++", plain, [plus, "-std=c++11", *small, "-x", "c++", "own_text.c", "-x", "none"])
        case(f"{compiler}, from another folder", plain, base + [f"-I{plain}", os.path.join(plain, "own_text.c")],
             elsewhere)
        case(f"{compiler}, by a relative path", plain, base + [f"-I../plain{number}", f"../plain{number}/own_text.c"],
             elsewhere)
        case(f"{compiler}, from the root", plain, base + [f"-I{plain}", os.path.join(plain, "own_text.c")], "/")
        case(f"{compiler}, a link to the header", linked, base + ["own_text.c"])
        case(f"{compiler}, a link to the folder", plain,
             base + [f"-I{link_name}", os.path.join(link_name, "own_text.c")], elsewhere)
        case(f"{compiler}, a path with spaces", spaces, base + [f"-I{spaces}", os.path.join(spaces, "own_text.c")],
             elsewhere)
        shutil.copy(source("own_text.c"), elsewhere)
        case(f"{compiler}, as a system header", plain, base + ["-isystem", plain, "own_text.c"], elsewhere)
        case(f"{compiler}, as a system header by a relative path", plain,
             base + ["-isystem", f"../plain{number}", "own_text.c"], elsewhere)
        quoted = os.path.join(plain, "gpuprims.h")
        case(f"{compiler}, -fmacro-prefix-map with GPUPRIMS_SOURCE", plain,
             base + [f"-fmacro-prefix-map={plain}=/nowhere", f'-DGPUPRIMS_SOURCE="{quoted}"', f"-I{plain}",
                     os.path.join(plain, "own_text.c")], elsewhere)
        case(f"{compiler}, -ffile-prefix-map with GPUPRIMS_SOURCE", plain,
             base + [f"-ffile-prefix-map={plain}=/nowhere", f'-DGPUPRIMS_SOURCE="{quoted}"', f"-I{plain}",
                     os.path.join(plain, "own_text.c")], elsewhere)
        case(f"{compiler}, optimised, debugged, sections", plain,
             base + ["-g", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "own_text.c"])
        case(f"{compiler}, position independent and static", plain, base + ["-fPIE", "-pie", "own_text.c"])
        probe = subprocess.run([compiler, "-flto", "-x", "c", "-", "-o", os.path.join(folder, "probe")],
                               input="int main(void) { return 0; }", text=True, stderr=subprocess.DEVNULL)
        if probe.returncode == 0:
            case(f"{compiler}, -flto", plain, base + ["-flto", "own_text.c"])
        else:
            checks.skip(f"{compiler}, -flto", "the linker cannot read its intermediate code: apt-get install llvm")
        preprocess = base + ["-E", "own_text.c", "-o", "preprocessed.i"]
        if checks.run(f"{compiler}: preprocess", preprocess, cwd=plain) is not None:
            case(f"{compiler}, preprocessed first", plain, base + ["preprocessed.i"])
        # read from the disk at run time
        case(f"{compiler}, GPUPRIMS_NO_EMBED", plain, base + ["-DGPUPRIMS_NO_EMBED", f"-I{plain}",
             os.path.join(plain, "own_text.c")], elsewhere, gone=False)
        case(f"{compiler}, GPUPRIMS_NO_EMBED with GPUPRIMS_SOURCE", plain,
             base + ["-DGPUPRIMS_NO_EMBED", f'-DGPUPRIMS_SOURCE="{quoted}"', "own_text.c"], gone=False)
        # a shared library with the text
        shared = os.path.join(folder, f"libown{number}.so")
        if checks.has_turn() and checks.run(f"{compiler}: shared library", base +
                      ["-shared", "-fPIC", "-DLIBRARY", "own_text.c", "-o", shared] + LIBS, cwd=plain) is not None:
            checks.place -= 1  # the library's turn
            case(f"{compiler}, from a shared library", plain, base + ["-DCALLER", "own_text.c", shared])


# ---- readme and examples ---------------------------------------------------------------------------------------------


def blocks(path):
    """(language, text, line) of every fenced block."""
    with open(path) as file:
        text = file.read()
    return [(match.group(1), match.group(2), text.count("\n", 0, match.start()) + 1)
            for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def emulate(checks, name, text, folder):
    """A CUDA program on the emulator: rewrites its launches, and emulated_runtime.h replaces its runtime."""
    text = re.sub(r"(\w+)<<<([^,;]+),\s*([^,;>]+)>>>\(", r"SIMT_LAUNCH((\1), \2, \3, 0, 0, ", text)
    path = os.path.join(folder, "emulated.cpp")
    with open(path, "w") as file:
        file.write('#include "emulated_runtime.h"\n' + text)
    program = os.path.join(folder, "emulated")
    objects = [os.path.join(folder, f"{os.path.basename(name)}.o") for name in SIMT]
    for name_of, target in zip(SIMT, objects):
        if not os.path.exists(target):  # the emulator: once for all programs
            checks.run(f"{name_of}: compile", [CXX, "-std=c++17", "-O0", "-Itests/simt", "-c", name_of, "-o", target])
    command = ([CXX, "-std=c++17", "-O0", "-I.", "-Iexamples", "-Itests/simt", "-Itests/compile", path] + objects +
               ["-o", program, "-lpthread"])
    if checks.run(f"{name}: compile for the emulator", command) is not None:
        return checks.run(f"{name}: on the emulator", [program])
    return None


def pages():
    """README.md and the pages under docs/."""
    found = [os.path.join(where, name) for where, _, names in os.walk(os.path.join(ROOT, "docs"))
             for name in names if name.endswith(".md")]
    return ["README.md"] + sorted(os.path.relpath(path, ROOT) for path in found)


def project(folder):
    """What a user has: the headers beside the program, and the examples' memory as README and the pages include it."""
    place = tempfile.mkdtemp(dir=folder)
    os.makedirs(os.path.join(place, "examples"))
    for name in ("gpuprims.h", "gpuprims_policies.h"):
        if os.path.exists(os.path.join(ROOT, name)):
            os.symlink(os.path.join(ROOT, name), os.path.join(place, name))
    for name in ("device_memory.h", "examples/device_memory.h"):
        os.symlink(os.path.join(ROOT, "examples", "device_memory.h"), os.path.join(place, name))
    return place


def written(place, name, text):
    with open(os.path.join(place, name), "w") as file:
        file.write(text)
    return os.path.join(place, name)


def reference_blocks(checks, page, found, place):
    """The declarations of a page of the reference, after those of the header."""
    for kind, command in (("c", [CC, "-std=c11", *STRICT, "-Wno-redundant-decls"]),
                          ("cpp", [CXX, "-std=c++17", "-Itests/simt", "-DGPUPRIMS_SIMT", "-include", "simt.h"])):
        texts = [text for language, text, _ in found if language == kind]
        if texts:
            # a second declaration may not repeat defaults
            texts = [re.sub(r" = [\w* ]+(?:\(\w+\(\w+\)\))?(?=[,>)])", "", text) for text in texts]
            path = written(place, f"reference.{kind}", '#include "gpuprims.h"\n' + "".join(texts))
            checks.run(f"{page}: {len(texts)} declarations", [*command, "-I.", "-fsyntax-only", path])


def c_block(checks, name, text, printed, place, known):
    """Compiles a block; runs it where it is a program. The library has the implementation."""
    first = re.match(r"// (\w+\.c)\n", text)
    if first:
        written(place, first.group(1), text)
    if text in known:
        return
    known.add(text)
    alone = written(place, "block.c", text.replace("#define GPUPRIMS_IMPLEMENTATION", "//"))
    program = os.path.join(place, "block")
    command = [CC, "-std=c11", *STRICT, "-I.", "-Iexamples", alone]
    if "int main(" not in text:
        checks.run(f"{name}: strict", [*command, "-c", "-o", os.devnull])
    elif checks.run(f"{name}: strict", [*command, "-o", program, "-Lbuild", "-lgpuprims",
                    f"-Wl,-rpath,{os.path.join(ROOT, 'build')}", *LIBS]) is not None:
        said = checks.run(f"{name}: run", [program], cwd=place)
        if said is not None and printed is not None:
            checks.check(f"{name}: prints the text below it", said == printed, said)


def sh_block(checks, name, text, place, env, known):
    for command in [part.split("#")[0].strip() for part in text.replace("\\\n", "").split("\n")]:
        words = shlex.split(command)
        source_of = {word: open(os.path.join(place, word)).read() for word in words
                     if word.endswith(".c") and os.path.exists(os.path.join(place, word))}
        seen = (command, *source_of.values())
        if not words or seen in known:
            continue
        known.add(seen)
        if words[0] == "make":
            checks.run(f"{name}: {command}", MAKE + ["-n", *words[1:]])
        elif words[0] == "cc" and checks.has_turn():
            checks.run(f"{name}: {command}", ["sh", "-c", command], cwd=place, env=env)


def readme(checks, folder):
    env = dict(os.environ, GPUPRIMS_LIBRARY=os.path.join(ROOT, "build", "libgpuprims.so"))
    counted, known = dict.fromkeys(("c", "cpp", "cuda", "sh", "cmake", "python"), 0), set()
    header, makefile = open(HEADER).read(), open(os.path.join(ROOT, "Makefile")).read()
    in_header = set(re.findall(r"\bgp_\w+", header))
    for page in pages():
        place = project(folder)
        with open(os.path.join(ROOT, page)) as file:
            whole = file.read()
        found = blocks(os.path.join(ROOT, page))
        if page.startswith("docs/reference/"):
            reference_blocks(checks, page, found, place)
            continue
        for number, (kind, text, line) in enumerate(found):
            name = f"{page}:{line}"
            if kind in counted:
                counted[kind] += 1
            if kind == "c":
                # the block of text directly below it
                below = found[number + 1] if number + 1 < len(found) else ("", "", 0)
                near = below[0] == "text" and below[2] == line + text.count("\n") + 3
                c_block(checks, name, text, below[1] if near else None, place, known)
            elif kind == "cpp" and checks.has_turn():
                program = os.path.join(place, "block_cpp")
                if checks.run(f"{name}: strict", [CXX, "-std=c++17", *STRICT, "-I.", written(place, "block.cpp",
                              text.replace("#define GPUPRIMS_IMPLEMENTATION", "//")), "-o", program, "-Lbuild",
                              "-lgpuprims", f"-Wl,-rpath,{os.path.join(ROOT, 'build')}"]) is not None:
                    checks.run(f"{name}: run", [program])
            elif kind == "cuda" and text not in known:
                known.add(text)
                if "main" in text and checks.has_turn():
                    emulate(checks, name, text, folder)
                if shutil.which("nvcc") and not checks.has_turn():
                    continue
                if shutil.which("nvcc"):
                    path = written(place, "block.cu", text)
                    checks.run(f"{name}: nvcc", ["nvcc", "-std=c++17", "-arch=sm_90", "-I.", "-c", path, "-o",
                                                 os.devnull])
                else:
                    checks.skip(f"{name}: nvcc", "no nvcc: NVIDIA's CUDA toolkit")
            elif kind == "python" and text not in known:
                known.add(text)
                checks.run(f"{name}: python", [os.path.join(ROOT, PYTHON) if "/" in PYTHON else PYTHON,
                                               written(place, "block.py", text)], cwd=ROOT, env=env)
            elif kind == "pycon":
                continue  # tests/python/test_docs.py
            elif kind == "sh":
                sh_block(checks, name, text, place, env, known)
            else:
                checks.check(f"{name}: a block of {kind or 'code without a language'}",
                             kind in (*counted, "text"))
        for name in sorted(set(re.findall(r"(?<!#)\b(gp_[a-z0-9_]+)\b", whole)) - in_header):
            there = f"$(BUILD)/{name}:" in makefile or any(
                os.path.exists(os.path.join(ROOT, place, f"{name}{end}")) for place in ("tools", "tests/gpu")
                for end in (".h", ".c")) or \
                re.search(rf"\b{name}\([^;]*\) {{", whole)
            checks.check(f"{page} names {name}, which is not there", there)
    for kind, count in counted.items():
        checks.check(f"the pages have a block of {kind}", count > 0)


def examples(checks, folder):
    """In the long runs make builds all of them in build/, as for users, and the demo has a GPU's years. Short runs
    build those that draw, and one example of each kind, in a separate folder, unoptimised, with kernels of one
    architecture and few years. The others are linked with the library, each at its turn."""
    env = dict(os.environ)
    place = "build" if LONG else os.path.join("build", "tests", "unoptimised")
    built = os.path.join(place, "examples")
    quick = [] if LONG else [f"BUILD={place}", "CFLAGS=-O0 -Wno-misleading-indentation", "BUNDLE_ARCHITECTURES=80"]
    stems = [os.path.splitext(name)[0] for name in example_files() if name.endswith(".c")]
    draws, whole = checks.has_turn(), [stem for stem in ("bundle", "ladder/ladder") if checks.has_turn()]
    by_make = stems if LONG else ["demo", "graph"] * draws + whole
    mine = [stem for stem in stems if stem not in ("demo", "graph") and checks.has_turn() or stem in by_make]
    targets = ["examples"] if LONG else [os.path.join(built, stem) for stem in by_make]
    checks.run("make -n examples", MAKE + ["-n", "examples"])
    if targets and checks.run("make examples", MAKE + quick + targets, env=env) is None:
        return
    library = ["-Lbuild", "-lgpuprims", f"-Wl,-rpath,{os.path.join(ROOT, 'build')}"] + LIBS
    for stem in mine:
        if stem not in by_make:
            os.makedirs(os.path.dirname(os.path.join(ROOT, built, stem)), exist_ok=True)
            checks.run(f"examples/{stem}.c: compile", [CC, "-std=c11", "-I.", "-Iexamples",
                       without_implementation(f"{stem}.c", folder), "-o", os.path.join(built, stem)] + library)
    pictures = [os.path.join(ROOT, place, name) for name in ("demo.png", "demo_groups.png", "demo_graphs.png")]
    for picture in pictures:
        if os.path.exists(picture):
            os.remove(picture)
    if draws:
        demo(checks, pictures, quick, env)
    for name in example_files():
        stem, kind = os.path.splitext(name)
        if kind == ".c" and stem in mine and stem != "demo":  # those in folders read the kernels beside them
            output = checks.run(f"examples/{name}", [os.path.join(ROOT, built, stem)],
                                cwd=ROOT if "/" in name else folder)
            if name == "decimal.c" and output is not None:
                ledger(checks, os.path.join(ROOT, built, stem), folder)
        elif kind == ".py" and stem not in ("demo", "graph") and "/" not in name:  # those two draw: make demo
            output = checks.run(f"examples/{name}", [PYTHON, os.path.join("examples", name)], env=env)
        elif kind == ".cu" and checks.has_turn():
            output = emulate(checks, f"examples/{name}", example_text(name), folder)
        else:
            continue
        if output and output.startswith("skipped: "):
            checks.passed -= 1
            checks.skip(f"examples/{name}", output.strip().split("\n")[0][len("skipped: "):])
            if name == "ladder/transfers.c":
                checks.check(f"examples/{name}: says what the host lacks", "host back end has no transfers" in output,
                             output)
    if checks.has_turn():  # what a GPU checks
        with open(os.path.join(ROOT, "tests", "gpu", "tile_check.cu")) as file:
            emulate(checks, "tests/gpu/tile_check.cu", file.read(), folder)


def ledger(checks, program, folder):
    """examples/decimal.c on a ledger, against Python's decimal: its sums, its order, its accounts."""
    random_, exact = random.Random(1), decimal.Context(prec=60)
    amounts = [decimal.Decimal(text) for text in (
        "0.00", "-0.01", "0.01", "184467440737095516.15", "184467440737095516.16", "-184467440737095516.16",
        "92233720368547758.07", "-92233720368547758.08", "9" * 33 + ".99", "-" + "9" * 33 + ".99")]
    while len(amounts) < 5000:
        number = random_.randrange(10 ** random_.randrange(1, 35))
        amounts.append(decimal.Decimal(random_.choice((1, -1)) * number).scaleb(-2, exact))
    lines = [(random_.randrange(50), amount) for amount in amounts]
    accounts = {}
    for account, amount in lines:
        accounts[account] = exact.add(accounts.get(account, decimal.Decimal("0.00")), amount)
    total = decimal.Decimal("0.00")
    for amount in amounts:
        total = exact.add(total, amount)
    said = [f"total {total}", f"least {min(amounts)}", f"most {max(amounts)}"]
    said += [f"account {account} {amount}" for account, amount in sorted(accounts.items())]
    path = os.path.join(folder, "ledger.txt")
    with open(path, "w") as file:
        file.writelines(f"{account} {amount}\n" for account, amount in lines)
    output = checks.run("examples/decimal.c: a ledger", [program, path])
    if output is not None:
        checks.check("examples/decimal.c: as Python's decimal", output.splitlines()[1:-1] == said, output)


def demo(checks, pictures, quick, env):
    quick += ["ARGS=--years 100"] if LONG else ["ARGS=--years 3", "VENV=no", f"PYTHON3={PYTHON}"]
    output = checks.run("make demo", MAKE + ["demo", *quick], env=env)
    if output is not None:
        for picture in pictures:
            checks.check(f"make demo: draws {os.path.relpath(picture, ROOT)}",
                         os.path.exists(picture) and os.path.getsize(picture) > 20000)
        checks.check("make demo: checked against pandas", "agree with pandas and NumPy" in output, output)
        checks.check("make demo: checked against SciPy", "agree with SciPy" in output, output)


# ---- install ---------------------------------------------------------------------------------------------------------

FIND_PACKAGE = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(gpuprims {version} REQUIRED {components})
add_executable(one {program})
target_link_libraries(one PRIVATE gpuprims::gpuprims)
add_executable(other {shared_user})
target_link_libraries(other PRIVATE gpuprims::shared)
"""
SUBDIRECTORY = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
add_subdirectory("{root}" gpuprims)
add_executable(one {program})
target_link_libraries(one PRIVATE gpuprims::gpuprims)
add_executable(other {shared_user})
target_link_libraries(other PRIVATE gpuprims::shared)
"""
# A program of its own target is all that is built and installed.
FETCH = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
include(FetchContent)
FetchContent_Declare(gpuprims SOURCE_DIR "{root}")
FetchContent_MakeAvailable(gpuprims)
add_executable(one {program})
target_link_libraries(one PRIVATE gpuprims::gpuprims)
install(TARGETS one)
"""


def shared_user(folder):
    """program.c without the implementation: links with libgpuprims.so."""
    path = os.path.join(folder, "shared_user.c")
    with open(source("program.c")) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace("#define GPUPRIMS_IMPLEMENTATION\n", ""))
    return path


def header_version():
    return re.search(r'^#define GPUPRIMS_VERSION "([0-9.]+)"', open(HEADER).read(), re.M).group(1)


def install(checks, folder):
    version, user = header_version(), shared_user(folder)
    prefix, staged = os.path.join(folder, "prefix"), os.path.join(folder, "staged")
    kept = ["CFLAGS=-Og"]  # the tests' library, as it is
    if checks.run("make install", MAKE + ["install", f"PREFIX={prefix}", *kept]) is None:
        return
    checks.run("make install below DESTDIR",
               MAKE + ["install", "PREFIX=/usr", f"DESTDIR={staged}", *kept])
    for name in ("include/gpuprims.h", "include/gpuprims.hpp", "lib/libgpuprims.so", f"lib/libgpuprims.so.{version}",
                 "lib/pkgconfig/gpuprims.pc", "share/cmake/gpuprims/gpuprims-config.cmake",
                 "share/man/man3/gpuprims.3"):
        checks.check(f"make install: {name}", os.path.exists(os.path.join(prefix, name)) and
                     os.path.exists(os.path.join(staged, "usr", name)))
    pc = os.path.join(staged, "usr", "lib", "pkgconfig", "gpuprims.pc")
    checks.check("make install: gpuprims.pc names the prefix, not DESTDIR",
                 os.path.exists(pc) and "prefix=/usr\n" in open(pc).read() and "@" not in open(pc).read())
    if checks.has_turn():
        with_pkg_config(checks, folder, prefix, "lib", version, user, "make install")
    if not shutil.which("cmake"):
        checks.skip("CMake", "no cmake: apt-get install cmake")
        return
    if checks.has_turn():
        with_cmake(checks, folder, prefix, version, user, "make install")
    other, binary = os.path.join(folder, "other"), os.path.join(folder, "binary")
    if checks.has_turn() and checks.run("cmake", ["cmake", "-S", ".", "-B", binary, f"-DCMAKE_INSTALL_PREFIX={other}",
                            "-DCMAKE_INSTALL_LIBDIR=lib64"]) is not None:
        checks.run("cmake --build", ["cmake", "--build", binary])
        if checks.run("cmake --install", ["cmake", "--install", binary]) is not None:
            with_pkg_config(checks, folder, other, "lib64", version, user, "cmake --install")
            with_cmake(checks, folder, other, version, user, "cmake --install")
    project = os.path.join(folder, "subdirectory")
    os.makedirs(project)
    subdirectory = checks.has_turn()
    with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
        file.write(SUBDIRECTORY.format(root=ROOT, program=source("program.c"), shared_user=user))
    if subdirectory:
        build_cmake(checks, "add_subdirectory", project, [])
    if checks.has_turn():
        fetch_content(checks, folder)
    cmake_blocks = {text: page for page in pages() for kind, text, _ in blocks(os.path.join(ROOT, page))
                    if kind == "cmake"}
    for number, (text, page) in enumerate(cmake_blocks.items()):
        if not checks.has_turn():
            continue
        project = os.path.join(folder, f"readme{number}")
        os.makedirs(project)
        for name in re.findall(r"\b\w+\.c\b", text):
            shutil.copy(source("program.c"), os.path.join(project, name))
        with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES C)\n" + text)
        checks.run(f"{page}'s CMake: configure", ["cmake", "-S", project, "-B", os.path.join(project, "build"),
                                                 f"-DCMAKE_PREFIX_PATH={prefix}"])
        checks.run(f"{page}'s CMake: build", ["cmake", "--build", os.path.join(project, "build")])


def fetch_content(checks, folder):
    """As a subproject gpuprims builds no library and installs nothing."""
    project, prefix = os.path.join(folder, "fetched"), os.path.join(folder, "fetched_prefix")
    os.makedirs(project)
    with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
        file.write(FETCH.format(root=ROOT, program=source("program.c")))
    binary = os.path.join(project, "build")
    if checks.run("FetchContent: configure", ["cmake", "-S", project, "-B", binary,
                                              f"-DCMAKE_INSTALL_PREFIX={prefix}"]) is None:
        return
    checks.run("FetchContent: build", ["cmake", "--build", binary])
    checks.run("FetchContent: run", [os.path.join(binary, "one")])
    checks.run("FetchContent: install", ["cmake", "--install", binary])
    libraries = glob.glob(os.path.join(binary, "**", "*.so*"), recursive=True)
    checks.check("FetchContent: no library is built", not libraries, " ".join(libraries))
    installed = [os.path.join(where, name) for where, _, names in os.walk(prefix) for name in names]
    checks.check("FetchContent: only the program is installed", installed == [os.path.join(prefix, "bin", "one")],
                 " ".join(installed))


# ---- other languages, packages --------------------------------------------------------------------------------------


def example_commands(path):
    """The commands in the head of an example: lines of a comment that are indented by four, below `make lib`."""
    with open(path) as file:
        head = re.findall(r"^(?://!|#) {5}(.*)$", file.read(), re.M)
    return "\n".join(head).replace("\\\n", "").split("\n")[1:]


def bindings(checks, folder):
    """The examples by the commands that they name; the header has no errors for libclang, which both use."""
    env = dict(os.environ, PWD=ROOT)
    for language, tools, path in (("Rust", ("bindgen", "rustc"), "examples/rust/sort.rs"),
                                  ("Julia", ("julia",), "examples/julia/generate.jl")):
        commands = example_commands(path)
        checks.check(f"{path} names its commands", len(commands) >= 3, "\n".join(commands))
        missing = [tool for tool in tools if not shutil.which(tool)]
        if missing:
            checks.skip(language, f"no {' and no '.join(missing)}: see {path}")
            continue
        output = None
        for command in commands:
            output = checks.run(f"{language}: {command}", ["sh", "-c", command], env=env)
            if output is None:
                break
        if output is not None:
            checks.check(f"{language}: sorted [1.0, 2.5, 3.0], the sum is 6.5", re.search(
                r"sorted .*1\.0, 2\.5, 3\.0\], the sum is 6\.5", output), output)


def packages(checks, folder):
    version = header_version()
    with open(os.path.join(ROOT, "packaging", "vcpkg", "gpuprims", "vcpkg.json")) as file:
        checks.check("vcpkg.json has the header's version", json.load(file)["version"] == version)
    with open(os.path.join(ROOT, "packaging", "debian", "changelog")) as file:
        checks.check("debian/changelog has the header's version", file.readline().startswith(f"gpuprims ({version})"))
    abi_number = re.match(r"0\.\d+|\d+", version).group()
    checks.check("debian's package has the library's soname", os.path.exists(
        os.path.join(ROOT, "packaging", "debian", f"libgpuprims{abi_number}.install")))
    if not LONG:
        checks.skip("packages", "they compile the library: make test-long")
        return
    for name, tools, how, build in (("Meson", ("meson", "ninja"), "pip install meson ninja", meson),
                                    ("Conan", ("conan", "cmake"), "pip install conan", conan),
                                    ("Debian", ("dh", "dpkg-buildpackage", "cmake"), "apt-get install debhelper",
                                     debian)):
        missing = [tool for tool in tools if not shutil.which(tool)]
        if missing:
            checks.skip(name, f"no {' and no '.join(missing)}: {how}")
        else:
            build(checks, os.path.join(folder, name.lower()), version)


def sources(place):
    """What a package is made of, without this checkout's build folder."""
    os.makedirs(place)
    for name in ("gpuprims.h", "gpuprims.hpp", "gpuprims_policies.h", "CMakeLists.txt", "LICENSE", "meson.build",
                 "gpuprims.pc.in"):
        shutil.copy(os.path.join(ROOT, name), place)
    for name in ("cmake", "packaging"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(place, name))
    os.makedirs(os.path.join(place, "docs"))
    shutil.copy(os.path.join(ROOT, "docs", "gpuprims.3"), os.path.join(place, "docs"))
    return place


def meson(checks, folder, version):
    """A project with the wrap: the header alone, and the library."""
    project = os.path.join(folder, "user")
    sources(os.path.join(project, "subprojects", "gpuprims"))
    shutil.copy(os.path.join(ROOT, "packaging", "meson", "gpuprims.wrap"), os.path.join(project, "subprojects"))
    shutil.copy(source("program.c"), os.path.join(project, "one.c"))
    shutil.copy(shared_user(project), os.path.join(project, "other.c"))
    with open(os.path.join(project, "meson.build"), "w") as file:
        file.write(f"project('user', 'c')\nexecutable('one', 'one.c', dependencies : dependency('gpuprims', version : "
                   f"'{version}'))\nexecutable('other', 'other.c', dependencies : subproject('gpuprims').get_variable("
                   "'gpuprims_shared_dep'))\n")
    binary = os.path.join(project, "build")
    if checks.run("Meson: setup", ["meson", "setup", "--wrap-mode=nodownload", binary, project]) is not None and \
            checks.run("Meson: compile", ["meson", "compile", "-C", binary]) is not None:
        for name in ("one", "other"):
            checks.run(f"Meson: run {name}", [os.path.join(binary, name)])


def conan(checks, folder, version):
    """conan create, whose test package links with both targets and runs."""
    env = dict(os.environ, CONAN_HOME=os.path.join(folder, "home"))
    checks.run("Conan: profile", ["conan", "profile", "detect"], env=env)
    output = checks.run("Conan: create", ["conan", "create", os.path.join(sources(os.path.join(folder, "sources")),
                                                                          "packaging", "conan")], env=env)
    checks.check("Conan: the version is the header's", output is None or f"gpuprims/{version}" in output)


def debian(checks, folder, version):
    place = sources(os.path.join(folder, "gpuprims"))
    shutil.copytree(os.path.join(place, "packaging", "debian"), os.path.join(place, "debian"))
    if checks.run("Debian: dpkg-buildpackage", ["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=place) is None:
        return
    found = {os.path.basename(path).split("_")[0]: path for path in glob.glob(os.path.join(folder, "*.deb"))}
    library = f"libgpuprims{re.match(r'0[.][0-9]+|[0-9]+', version).group()}"
    for name, files in ((library, [f"libgpuprims.so.{version}"]),
                        ("libgpuprims-dev", ["include/gpuprims.h", "include/gpuprims.hpp", "gpuprims-config.cmake",
                                             "gpuprims.pc", "gpuprims.3", "libgpuprims.so"])):
        listed = checks.run(f"Debian: {name}", ["dpkg", "-c", found.get(name, name)])
        for one in files:
            checks.check(f"Debian: {name} has {one}", listed is not None and one in listed, listed or "")


# ---- abi -------------------------------------------------------------------------------------------------------------


def last_release():
    """The tag before this version, where its libraries have this one's soname: while the major is 0, the same minor."""
    tags = subprocess.run(["git", "tag", "--list", "v*", "--sort=-version:refname", "--merged"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()
    numbers = header_version().split(".")
    same = 2 if numbers[0] == "0" else 1
    return next((tag for tag in tags
                 if tag[1:].split(".")[:same] == numbers[:same] and tag[1:] != header_version()), None)


def abi(checks, folder):
    """Each struct that callers fill gets one more member in a header of later: programs with either header run with
    either library, unless they set what the library does not have."""
    headers = {"this": ROOT, "later": os.path.join(folder, "later")}
    with open(HEADER) as file:
        text = file.read()
    filled = re.findall(r"^  X\((gp_\w+), \w+\)", text[text.index("define GP__CALLERS_STRUCTS"):], re.M)
    for name in filled:
        text, count = re.subn(rf"^}} {name};", f"  uint64_t later;\n}} {name};", text, flags=re.M)
        checks.check(f"abi: {name} is declared once", count == 1)
    os.makedirs(headers["later"])
    with open(os.path.join(headers["later"], "gpuprims.h"), "w") as file:
        file.write(text)
    with open(source("structs.c")) as file:
        used = file.read()
    checks.check("abi: structs.c fills every struct", len(filled) > 8 and all(f"{name} " in used for name in filled))
    libraries = {"this": "build/libgpuprims.so", "later": os.path.join(folder, "later.so")}
    if not checks.has_turn():
        return
    checks.run("abi: the later library", [CC, "-O0", "-fPIC", "-shared", "-x", "c", "-DGPUPRIMS_IMPLEMENTATION",
                                          os.path.join(headers["later"], "gpuprims.h"), "-x", "none", "-o",
                                          libraries["later"], *LIBS])
    if last_release():
        headers["last release"] = os.path.join(folder, "released")
        os.makedirs(headers["last release"])
        with open(os.path.join(headers["last release"], "gpuprims.h"), "w") as file:
            subprocess.run(["git", "show", f"{last_release()}:gpuprims.h"], stdout=file, check=True)
    for header, where in headers.items():
        for name, library in libraries.items():
            if header == name == "later":
                continue
            program = os.path.join(folder, "structs")
            flags = ["-DLATER"] if header == "later" else []
            if checks.run(f"abi: {header} header, {name} library: compile",
                          [CC, "-std=c11", *STRICT, *flags, f"-I{where}", source("structs.c"), library, "-o",
                           program, f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}"]) is not None:
                checks.run(f"abi: {header} header, {name} library: run", [program])


def with_pkg_config(checks, folder, prefix, libdir, version, user, how):
    if not shutil.which("pkg-config"):
        checks.skip(f"{how}: pkg-config", "no pkg-config: apt-get install pkg-config")
        return
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(prefix, libdir, "pkgconfig"))
    found = checks.run(f"{how}: pkg-config --modversion", ["pkg-config", "--modversion", "gpuprims"], env=env)
    checks.check(f"{how}: pkg-config's version is {version}", (found or "").strip() == version, found or "")
    flags = checks.run(f"{how}: pkg-config", ["pkg-config", "--cflags", "--libs", "gpuprims"], env=env)
    place = checks.run(f"{how}: pkg-config --variable", ["pkg-config", "--variable=libdir", "gpuprims"], env=env)
    if flags is None or place is None:
        return
    program = os.path.join(folder, "with_pkg_config")
    if checks.run(f"{how}: a program by pkg-config", [CC, source("program.c"), "-o", program] + shlex.split(flags),
                  cwd=folder) is not None:
        checks.run(f"{how}: run", [program])
    if checks.run(f"{how}: the shared library by pkg-config",
                  [CC, user, "-o", program] + shlex.split(flags) + [f"-L{place.strip()}", "-lgpuprims"],
                  cwd=folder) is not None:
        checks.run(f"{how}: run with the shared library", [program],
                   env=dict(os.environ, LD_LIBRARY_PATH=place.strip()))


def build_cmake(checks, name, project, options):
    binary = os.path.join(project, "build")
    if checks.run(f"{name}: configure", ["cmake", "-S", project, "-B", binary] + options) is None:
        return
    if checks.run(f"{name}: build", ["cmake", "--build", binary]) is not None:
        for program in ("one", "other"):
            checks.run(f"{name}: run {program}", [os.path.join(binary, program)])


def with_cmake(checks, folder, prefix, version, user, how):
    project = tempfile.mkdtemp(dir=folder)
    for wanted, components, good in ((version, "", True), ("", "", True), ("99.0", "", False),
                                     (version, "COMPONENTS header shared", True),
                                     (version, "COMPONENTS static", False),
                                     (version, "OPTIONAL_COMPONENTS static", True)):
        with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
            file.write(FIND_PACKAGE.format(version=wanted, components=components, program=source("program.c"),
                                           shared_user=user))
        options, name = [f"-DCMAKE_PREFIX_PATH={prefix}"], f"{how}: find_package({' '.join([wanted, components])})"
        if good and wanted and not components:
            build_cmake(checks, name, project, options)
        else:
            checks.run(name, ["cmake", "-S", project, "-B", os.path.join(project, f"other{wanted}{len(components)}")]
                       + options, expect=0 if good else 1)


# ---- size ------------------------------------------------------------------------------------------------------------


def best_of(commands, rounds):
    """Each command's least processor time in seconds. They take turns, so that a busy machine slows all of them."""
    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    best = [1e9] * len(commands)
    for _ in range(rounds):
        for i, command in enumerate(commands):
            start = spent()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
            best[i] = min(best[i], spent() - start)
    return best


def size(checks, folder):
    text = open(HEADER).read()
    declared = set(re.findall(r"^#define (gp_\w+) GP__NAME\(", text, re.M))
    checks.check("the rename list is found", len(declared) > 20)
    # The aim is 30 ms. declarations.c includes the header twice. A slow machine does not fail this, because the same
    # lines, skipped twice, are measured beside it. A superfluous include fails, and so does a growing header.
    empty, skipped = os.path.join(folder, "empty.c"), os.path.join(folder, "skipped.c")
    open(empty, "w").close()
    with open(skipped, "w", encoding="utf-8") as file:
        file.write(f"#if 0\n{text}\n#endif\n" * 2)
    part = r"^// ---- (?=[\w/]+\.\w+ - )"
    bodies = re.split(part, text.split("\n// >>device_text")[0], flags=re.M)
    worlds, external = (sum(len(body.encode()) for body in bodies if re.match(f"(api/)?{family}[./]", body))
                        for family in ("world", "external"))
    checks.check("the header has at most 2.8 MB without worlds and external",
                 len(text.encode()) - worlds - external <= 2.8e6,
                 f"{len(text.encode())} bytes, {worlds} of them worlds, {external} external")
    checks.check("worlds have at most 0.12 MB", 4e4 < worlds <= 1.2e5, f"{worlds} bytes")
    checks.check("external sorts and groups have at most 0.035 MB", 1e4 < external <= 3.5e4, f"{external} bytes")
    for compiler in [CC] + (["clang"] if shutil.which("clang") else []):
        command = [compiler, "-fsyntax-only", source("declarations.c"), "-I."]
        if checks.run(f"{compiler}: declarations", command) is None:
            continue
        if not checks.has_turn():
            continue
        start, parsed = best_of([[compiler, "-E", empty], command], 15)
        preprocess = [[compiler, "-E", source("declarations.c"), "-I."], [compiler, "-E", skipped]]
        whole, nothing = best_of(preprocess, 40)
        if whole >= 1.15 * nothing:  # a least time may still be a busy machine's
            whole, nothing = map(min, (whole, nothing), best_of(preprocess, 160))
        print(f"{compiler}: declarations preprocess in {1e3 * whole:.1f} ms (the compiler's start alone: "
              f"{1e3 * start:.1f}, of lines that are skipped {1e3 * nothing:.1f}), and parse in {1e3 * parsed:.1f}")
        checks.check(f"{compiler}: declarations preprocess as fast as lines that are skipped", whole < 1.15 * nothing,
                     f"{1e3 * whole:.1f} ms, not below 1.15 times {1e3 * nothing:.1f}")
        opened = subprocess.run([compiler, "-E", "-H", source("declarations.c"), "-I."], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, check=True, cwd=ROOT).stderr
        direct = {os.path.basename(line) for line in opened.splitlines() if line.startswith(".. ")}
        checks.check(f"{compiler}: declarations need stddef.h and stdint.h alone", direct == {"stddef.h", "stdint.h"},
                     " ".join(sorted(direct)))
    library = os.path.join(ROOT, "build", "libgpuprims.so")
    exported = set(external_symbols(library, "--dynamic"))
    checks.check("the library exports the API and nothing else", exported == declared,
                 f"only exported: {' '.join(sorted(exported - declared))}\nonly declared: "
                 f"{' '.join(sorted(declared - exported))}")
    dynamic = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = re.findall(r"NEEDED.*\[(.+?)\]", dynamic)
    allowed = re.compile(r"(libc|libm|libdl|libpthread|libgomp|ld-linux.*)\.so(\.\d+)?$")
    checks.check("the library needs nothing but libc and OpenMP", all(allowed.match(name) for name in needed),
                 " ".join(needed))
    sections = subprocess.run(["size", library], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[1]
    code, data, zero = (int(word) for word in sections.split()[:3])
    print(f"device text: {len(amalgamate.device_text(HEADER))} bytes")
    print(f"gpuprims.h: {len(text)} bytes, {text.count(chr(10))} lines; library: {os.path.getsize(library)} bytes, of "
          f"them {code} of code and constants (the embedded text among them), {data} of data, {zero} zero; "
          f"{len(exported)} symbols, needs {' '.join(needed)}")
    print(f"exported: {' '.join(sorted(exported))}")


GROUPS = {"language": language, "hpp": hpp, "nvcc": nvcc, "copies": copies, "embed": embed, "readme": readme,
          "examples": examples, "install": install, "bindings": bindings, "packages": packages, "abi": abi,
          "size": size}


# The place before a group's first part that takes turns, such that the dear ones of different groups have different
# turns.
PLACES = {"install": 4, "hpp": 5, "examples": 8, "abi": 9, "size": 10}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in GROUPS:
        sys.exit(__doc__)
    os.chdir(ROOT)
    checks = Checks()
    checks.place = PLACES.get(sys.argv[1], 0)
    os.makedirs(ASSEMBLY, exist_ok=True)
    forget_old()
    with tempfile.TemporaryDirectory(prefix="gpuprims-") as folder:
        GROUPS[sys.argv[1]](checks, folder, *sys.argv[2:])
    if checks.waiting:
        print(f"waiting: {checks.waiting}")
    print(f"{checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
