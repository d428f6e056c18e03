#!/usr/bin/env python3
"""python_cost.py: what the Python package costs on this machine: its import, a call beside the C call, the wheel.

    PYTHONPATH=build/python/lib build/venv/bin/python tools/python_cost.py [WHEEL]

Needs the package. Import: the median of 21 fresh processes, of `import gpuprims` between two readings of the clock,
with compiled modules; NumPy is not imported. Calls: the fastest of 101 rounds of 500 calls on 1,000 elements, since
other programs share the processor; the C call is the same function by cffi, with its pointers at hand, so that the
difference is the package's own work.
"""
import os
import statistics
import subprocess
import sys
import time

import gpuprims as gp
import numpy as np
from gpuprims import raw


def of_import():
    program = ("import time; start = time.perf_counter(); import gpuprims; took = time.perf_counter() - start; "
               "import sys; assert 'numpy' not in sys.modules; print(took)")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = [float(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=env,
                                  check=True).stdout) for _ in range(21)]
    return 1e3 * statistics.median(times)


def of_call(call):
    rounds = []
    for _ in range(101):
        start = time.perf_counter()
        for _ in range(500):
            call()
        rounds.append((time.perf_counter() - start) / 500)
    return 1e6 * min(rounds)


def main():
    print(f"import: {of_import():.1f} ms")
    context, ffi, lib = gp.Context("host"), raw.ffi, raw.lib
    gp.use(context)
    x, flags = np.arange(1000, dtype=np.float32), np.arange(1000) % 2 == 0
    long, total, number = np.arange(1000), np.zeros(1, np.float32), np.zeros(1, np.int64)
    out, rest = np.zeros_like(x), np.zeros_like(long)

    def at(array):
        return ffi.cast("void *", array.ctypes.data)

    pointers = [at(one) for one in (x, total, out, flags, long, rest)]
    px, pt, po, pf, pl, pr = pointers
    counter = ffi.cast("uint64_t *", number.ctypes.data)
    handle, null, f32, i64 = context.handle, ffi.NULL, raw.GP_F32, raw.GP_I64
    cells = [
        ("sum", lambda: gp.sum(x), lambda: lib.gp_reduce(handle, 1, f32, f32, px, 1000, pt, null)),
        ("cumsum", lambda: gp.cumsum(long), lambda: lib.gp_inclusive_scan(handle, 1, i64, i64, pl, 1000, pr, null)),
        ("sort", lambda: gp.sort(x), lambda: lib.gp_sort_keys(handle, f32, px, 1000, po, 0, null)),
        ("compress", lambda: gp.compress(flags, x),
         lambda: lib.gp_select_flags(handle, f32, raw.GP_U8, px, pf, 1000, po, counter, null)),
    ]
    for name, ours, theirs in cells:
        a, b = of_call(ours), of_call(theirs)
        print(f"{name}: {a:.1f} us, the C call {b:.1f} us, the package {a - b:.1f} us")
    for path in sys.argv[1:]:
        print(f"{os.path.basename(path)}: {os.path.getsize(path) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
