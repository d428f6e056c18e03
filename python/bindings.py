"""bindings.py: the extension gpuprims._gpuprims, for cffi (API mode, Python's limited API).

It holds the library: header/gpuprims.h is compiled into it with GPUPRIMS_STATIC, so that it shares no name with another
copy of the library in the process. GPUPRIMS_SYSTEM_LIBRARY=PATH links an installed libgpuprims.so instead, which takes
seconds; distributions and this project's tests use that.
"""
import os
import subprocess
import sys
import tempfile

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import generate  # noqa: E402

HEADER = os.path.join(HERE, "header")
SOURCE = '#include "gpuprims.h"\n#include "fast.c"\n'
# The functions and enumerators of fast.c that Python sees.
FAST = """
enum { GPPY_AXIS, GPPY_SIZED, GPPY_BINS, GPPY_NATURALS, GPPY_UNSIGNED, GPPY_WAITS, GPPY_FLOATS, ... };
enum { GPPY_WORDS, GPPY_WORD_STEP, ... };
enum { GPPY_TYPE, GPPY_SIZE, GPPY_SHAPE, ... };
enum gppy_library { GPPY_NUMPY, GPPY_TORCH, ... };
enum gppy_shape { GPPY_SAME, GPPY_LAST, GPPY_FLAT, GPPY_NONE, GPPY_ROWS, GPPY_KEPT, GPPY_NUMBER };
int gppy_install(uintptr_t dict, uintptr_t error);
"""


def openmp():
    """The option for OpenMP, where the compiler has it: the host back end then uses all cores. GPUPRIMS_OPENMP=no
    leaves it out: a wheel for other machines must not need their OpenMP."""
    if os.environ.get("GPUPRIMS_OPENMP") == "no":
        return []
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "try.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
        command = [*generate.compiler()[:1], "-fopenmp", source, "-o", os.path.join(folder, "try")]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return ["-fopenmp"] if done.returncode == 0 else []


def builder():
    ffi = cffi.FFI()
    ffi.cdef(generate.Interface(os.path.join(HEADER, "gpuprims.h")).cdef() + FAST)
    common = ["-std=gnu11", "-g0", "-fvisibility=hidden", "-Wno-unused-function"]
    limited = ("Py_LIMITED_API", "0x030a0000")  # CPython 3.10's
    system = os.environ.get("GPUPRIMS_SYSTEM_LIBRARY")
    if system:
        folder = os.path.dirname(os.path.abspath(system))
        ffi.set_source("gpuprims._gpuprims", SOURCE, include_dirs=[HEADER, HERE], define_macros=[limited],
                       extra_compile_args=[*common, "-O1"], extra_link_args=[os.path.abspath(system)],
                       runtime_library_dirs=[folder], depends=[os.path.join(HERE, "fast.c")])
    else:
        parallel = openmp()
        ffi.set_source("gpuprims._gpuprims", SOURCE, include_dirs=[HEADER, HERE],
                       define_macros=[limited, ("GPUPRIMS_IMPLEMENTATION", None), ("GPUPRIMS_STATIC", None)],
                       extra_compile_args=[*common, "-O2", *parallel],
                       extra_link_args=[*parallel, "-Wl,--strip-debug"], libraries=["dl", "pthread", "m"],
                       depends=[os.path.join(HERE, "fast.c"), *(os.path.join(HEADER, name) for name in
                                                                ("gpuprims.h", "gpuprims_policies.h"))])
    return ffi


ffi = builder()
