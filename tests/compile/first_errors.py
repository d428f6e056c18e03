#!/usr/bin/env python3
"""The first errors of a newcomer, each provoked: what compiler, linker and library say is what docs/first_errors.md
quotes (Python's standard library only).

Each row of that page's table begins with a message in backticks, in which ... stands for what differs from machine to
machine. CASES has a function for each, which returns what was printed. A row without a case, a case without a row, and
a message that is not printed fail. Closes with "N passed, N failed, N skipped".

In `make test`, cases that compile the whole implementation, or start nvcc, take turns (TURNS_OF, tests/turn.py).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from turn import has_turn  # noqa: E402
PAGE = os.path.join(ROOT, "docs", "first_errors.md")
SOURCE = os.path.join(ROOT, "tests", "compile", "first_errors.c")
CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")
LIBS = ["-ldl", "-lpthread", "-lm"]
FEW_ERRORS = "-fmax-errors=5"  # the first ones say it

CALLER = """#include "gpuprims.h"
int main(void) { gp_context *ctx = NULL; return gp_open(NULL, &ctx) || gp_close(ctx); }
"""
IMPLEMENTATION = """#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"
"""
# A driver of which every function succeeds and does nothing, but for what the cases ask of it.
FAKE_DRIVER = """#include <stdlib.h>
#include <string.h>
static int asked(const char *name) { const char *text = getenv(name); return text ? atoi(text) : 0; }
int cuInit(unsigned flags) { (void)flags; return asked("FAKE_INIT"); }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; return *context = (void *)context, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  return *value = attribute == 75 ? 9 : attribute == 16 ? 2 : attribute == 97 ? 232448 : 0, 0;
}
int cuGetErrorName(int error, const char **name) { (void)error; return *name = "CUDA_ERROR", 0; }
int cuGetErrorString(int error, const char **text) { (void)error; return *text = "an error", 0; }
int cuPointerGetAttributes(unsigned count, int *attributes, void *const *answers, unsigned long long pointer) {
  unsigned i;
  (void)pointer;
  for (i = 0; i < count; ++i) *(int *)answers[i] = attributes[i] == 2 ? asked("FAKE_MEMORY") : 0;
  return 0;
}
"""
FAKE_NVRTC = "int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = 0, 0; }\n"


class Missing(Exception):
    """What a case needs and this machine lacks."""


class Place:
    """A folder, its programs, and the commands that run in it."""

    def __init__(self, folder):
        self.folder = folder

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, good=None, **environment):
        """What a command prints; good: whether it must succeed, None: either way."""
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=250,
                              env={**os.environ, "LC_ALL": "C", **environment})
        if good is not None and (done.returncode == 0) != good:
            raise AssertionError(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout

    def implementation(self):
        """The implementation in C, compiled once, for programs that the linker refuses and for no_text: it has the
        header's text from a file that is not there. Whether a program embeds the text, the row "compile: embed" says.
        """
        target = self.path("implementation.o")
        if not os.path.exists(target):
            source = self.file("implementation.c", IMPLEMENTATION)
            self.run(CC, "-O0", f"-I{ROOT}", "-DGPUPRIMS_NO_EMBED", '-DGPUPRIMS_SOURCE="/nowhere/gpuprims.h"', "-c",
                     source, "-o", target, good=True)
        return target

    def library(self, name, text, functions, soname=None):
        """A shared library with these functions; those that the text does not define return 0."""
        rest = [one for one in functions if not re.search(rf"\b{one}\(", text)]
        source = self.file(f"{name}.c", text + "".join(f"int {one}() {{ return 0; }}\n" for one in rest))
        target = self.path(f"{name}.so")
        self.run(CC, "-shared", "-fPIC", "-w", "-std=gnu11", source, "-o", target,
                 *([f"-Wl,-soname,{soname}"] if soname else []), good=True)
        return target

    def driver(self):
        return self.library("driver", FAKE_DRIVER, symbols("GP__CUDA_FUNCTIONS"), "libcuda.so.1")

    def says(self, what, library, **environment):
        """What first_errors.c prints of a case."""
        program = self.path("first_errors")
        if not os.path.exists(program):
            build = os.path.join(ROOT, "build")
            self.run(CC, "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", SOURCE, "-o", program, f"-L{build}",
                     "-lgpuprims", f"-Wl,-rpath,{build}", *LIBS, good=True)
        return self.run(program, what, library, good=True, **environment)


def symbols(which):
    """The functions of a list in src/core/driver.c."""
    with open(os.path.join(ROOT, "src", "core", "driver.c"), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r'F\(\d, \w+, "(\w+)"', text[text.index(f"#define {which}(F)"):].partition("\n\n")[0])


def no_header(place):
    return place.run(CC, "-c", place.file("caller.c", CALLER), "-o", os.devnull, good=False)


def no_implementation(place):
    return place.run(CC, f"-I{ROOT}", place.file("caller.c", CALLER), "-o", place.path("program"), *LIBS, good=False)


def two_implementations(place):
    again = place.path("again.o")
    shutil.copy(place.implementation(), again)
    return place.run(CC, place.file("caller.c", CALLER), f"-I{ROOT}", place.implementation(), again, "-o",
                     place.path("program"), *LIBS, good=False)


def no_libraries(place):
    """glibc has dlopen itself from 2.34 on: nothing is missing there, and older ones are what a link without any
    library shows."""
    command = [CC, f"-I{ROOT}", place.file("caller.c", CALLER), place.implementation(), "-o", place.path("program")]
    version = [int(word) for word in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")]
    if version < [2, 34]:
        return place.run(*command, good=False)
    place.run(*command, "-lm", good=True)
    return place.run(*command, "-nodefaultlibs", "-lgcc", "-Wl,--no-as-needed", good=False)


def strict_c89(place):
    return place.run(CC, "-std=c89", FEW_ERRORS, f"-I{ROOT}", "-c", place.file("caller.c", CALLER), "-o", os.devnull,
                     good=False)


def old_cxx(place):
    """The default of g++ before version 6. Declarations need no more than that."""
    place.run(CXX, "-std=gnu++98", f"-I{ROOT}", "-c", place.file("caller.cpp", CALLER), "-o", os.devnull, good=True)
    return place.run(CXX, "-std=gnu++98", FEW_ERRORS, f"-I{ROOT}", "-fsyntax-only",
                     place.file("old.cpp", IMPLEMENTATION), good=False)


def other_compiler(place):
    return place.run(CC, "-U__GNUC__", FEW_ERRORS, f"-I{ROOT}", "-fsyntax-only", place.file("other.c", IMPLEMENTATION),
                     good=False)


def other_machine(place):
    return place.run(CC, "-U__linux__", FEW_ERRORS, f"-I{ROOT}", "-fsyntax-only", place.file("other.c", IMPLEMENTATION),
                     good=False)


def no_driver(place):
    return place.says("driver", place.path("none.so"))


def not_a_driver(place):
    return place.says("driver", place.library("nothing", "", ["nothing"]))


def init_error(code):
    return lambda place: place.says("driver", place.driver(), FAKE_INIT=str(code))


def no_nvrtc(place):
    return place.says("typo", place.path("none.so"))


def old_nvrtc(place):
    return place.says("typo", place.library("nvrtc", FAKE_NVRTC, symbols("GP__NVRTC_FUNCTIONS")))


def of_nvrtc(what):
    def case(place):
        output = place.says(what, "-")
        if "NVRTC cannot be opened" in output:
            raise Missing("no NVRTC: pip install nvidia-cuda-nvrtc")
        return output
    return case


def no_text(place):
    """A program that reads the header's text at run time, where the header is gone."""
    source = place.file("no_text.c", """#include "gpuprims.h"
#include <stdio.h>
static void take(void *user, const char *key, const void *image, size_t bytes) {
  (void)user, (void)key, (void)image, (void)bytes;
}
int main(void) {
  gp_config config = gp_config_init();
  gp_call call = gp_call_init(GP_COPY);
  gp_context *ctx = NULL;
  config.backend = GP_BACKEND_HOST;
  config.cache_dir = "";
  call.in_type = GP_F32;
  call.count = 10;
  if (gp_open(&config, &ctx) || gp_compile(ctx, &call, 90, take, NULL)) printf("%s\\n", gp_last_message());
  return gp_close(ctx);
}
""")
    program = place.path("no_text")
    place.run(CC, "-O0", f"-I{ROOT}", source, place.implementation(), "-o", program, *LIBS, good=True)
    return place.run(program, good=True)


def host_pointer(place):
    return place.says("host pointer", place.driver(), FAKE_MEMORY="0")


def device_pointer(place):
    return place.says("device pointer", place.driver(), FAKE_MEMORY="2")


CASES = {
    "gpuprims.h: No such file or directory": no_header,
    "undefined reference to ... gp_open": no_implementation,
    "multiple definition of ... gp_open": two_implementations,
    "undefined reference to ... dlopen": no_libraries,
    "C++ style comments are not allowed in ISO C90": strict_c89,
    "gpuprims.h: the implementation needs C++11 or later": old_cxx,
    "gpuprims.h: the implementation needs gcc or clang": other_compiler,
    "gpuprims.h: the implementation needs Linux": other_machine,
    "the CUDA driver cannot be opened: ... cannot open shared object file ... GP_BACKEND_HOST": no_driver,
    "the driver has no cuInit: a driver of CUDA 12.0 or later is needed": not_a_driver,
    "cuInit failed: ... (34) ... this is the toolkit's stub of libcuda": init_error(34),
    "cuInit failed: ... (100) ... no GPU is visible": init_error(100),
    "cuInit failed: ... (802) ... the system is not ready": init_error(802),
    "cuInit failed: ... (803) ... libcuda and the kernel module have different versions": init_error(803),
    "cuInit failed: ... (804) ... the package cuda-compat does not support this GPU": init_error(804),
    "NVRTC cannot be opened: ... pip install nvidia-cuda-nvrtc": no_nvrtc,
    "NVRTC ... is too old: 12.3 is the oldest version that works": old_nvrtc,
    "the header's text cannot be read from ... GPUPRIMS_SOURCE": no_text,
    "operator ... does not compile, line 2: error: identifier \"lager\" is undefined": of_nvrtc("typo"),
    "could not open source file ... NVRTC has no header files here": of_nvrtc("include"),
    "is host memory, neither managed nor registered": host_pointer,
    "is device memory, and the host back end cannot access it": device_pointer,
}


def cxx_callers(place):
    """The header is extern "C" by itself: C++ calls an implementation in C, also from within an extern "C" block."""
    wrapped = CALLER.replace('#include "gpuprims.h"', 'extern "C" {\n#include "gpuprims.h"\n}')
    for number, text in enumerate((CALLER, wrapped)):
        source = place.file(f"caller{number}.cpp", text)
        program = place.path(f"caller{number}")
        place.run(CXX, "-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", source, place.implementation(), "-o",
                  program, *LIBS, good=True)


def nvcc_11(place):
    """A .cu file in C++11: declarations and the device text."""
    if not shutil.which("nvcc"):
        raise Missing("no nvcc: NVIDIA's CUDA toolkit")
    place.run("nvcc", "-std=c++11", "-arch=sm_80", f"-I{ROOT}", "-c", place.file("caller.cu", CALLER), "-o", os.devnull,
              good=True)


def other_compilers(place):
    """Every gcc-N and clang-N that is installed: the implementation in C99, and in C++11 where it has C++."""
    c, cxx = place.file("any.c", IMPLEMENTATION), place.file("any.cpp", IMPLEMENTATION)
    found = [(kind, number) for kind in ("gcc", "clang") for number in range(5, 40) if shutil.which(f"{kind}-{number}")]
    if not found:
        raise Missing("no gcc-N or clang-N: apt-get install gcc-11 g++-11 clang-13")
    for kind, number in found:
        plus = {"gcc": "g++", "clang": "clang++"}[kind]
        for name, standard, source in ((f"{kind}-{number}", "c99", c), (f"{plus}-{number}", "c++11", cxx)):
            if shutil.which(name):
                place.run(name, f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", "-fsyntax-only", source,
                          good=True)


FINE = {"other versions of gcc and clang": other_compilers,
        "C++ callers of an implementation in C": cxx_callers,
        "nvcc -std=c++11": nvcc_11}


# The cases that take a second or more: {case: its turn}. Those that link the implementation share one.
TURNS_OF = {two_implementations: 2, no_libraries: 2, no_text: 2, cxx_callers: 2, other_compilers: 5, nvcc_11: 8}


def quoted(page):
    """The messages that the page's table quotes."""
    with open(page, encoding="utf-8") as file:
        return re.findall(r"^\| `([^`]+)` \|", file.read(), re.M)


def holds(message, output):
    at = 0
    for piece in message.split(" ... "):
        found = output.find(piece.strip(), at)
        if found < 0:
            return False
        at = found + len(piece.strip())
    return True


def main():
    passed = failed = skipped = waiting = 0
    rows = quoted(PAGE)
    for message in sorted(set(rows) ^ set(CASES)):
        failed += 1
        print(f"FAILED: {message}: {'no case provokes it' if message in rows else f'{PAGE} has no row for it'}")
    with tempfile.TemporaryDirectory(prefix="gpuprims-") as folder:
        for number, (name, case) in enumerate([*CASES.items(), *FINE.items()]):
            place = Place(folder)
            if case in TURNS_OF and not has_turn(TURNS_OF[case]):
                waiting += 1
                continue
            try:
                output = case(place)
                if name in CASES and not holds(name, output):
                    raise AssertionError(f"it says:\n{output[-2000:]}")
                passed += 1
            except Missing as why:
                skipped += 1
                print(f"skipped: {name}: {why}")
            except (AssertionError, subprocess.TimeoutExpired) as why:
                failed += 1
                print(f"FAILED: {number}, {name}: {why}")
    if waiting:
        print(f"waiting: {waiting}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
