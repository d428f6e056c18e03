#!/usr/bin/env python3
"""python_cost.py: what the Python package costs on this machine: its import, a call beside the C call, the wheel.

    PYTHONPATH=build/python/lib build/venv/bin/python tools/python_cost.py [--device cpu|cuda] [WHEEL]

Needs the package. Import: the median of 21 fresh processes, of `import gpuprims` between two readings of the clock,
with compiled modules; NumPy is not imported. Calls: the fastest of 201 rounds of 100 calls on 64 elements, since
other programs share the processor. The C call is the same function by cffi, with its pointers at hand, so that the
difference is the package's own work; of that, "allocates" is the result that the array's library makes; "out=" is what
a call adds that allocates nothing; "in Python" is the way that arrays take which are not plain (python/fast.c).

With --device the arrays are tensors of PyTorch; each round on a GPU ends with a synchronisation.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

import gpuprims as gp
import numpy as np
from gpuprims import _fast, raw

LOOPS, ROUNDS, COUNT = 100, 201, 64


def of_import():
    program = ("import time; start = time.perf_counter(); import gpuprims; took = time.perf_counter() - start; "
               "import sys; assert 'numpy' not in sys.modules; print(took)")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = [float(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=env,
                                  check=True).stdout) for _ in range(21)]
    return 1e3 * statistics.median(times)


def of_calls(calls, synchronize):
    """{name: microseconds a call}; the calls take turns."""
    least = dict.fromkeys(calls, 1e9)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(LOOPS):
                call()
            synchronize()
            least[name] = min(least[name], (time.perf_counter() - start) / LOOPS)
    return {name: 1e6 * one for name, one in least.items()}


def in_python(call):
    """The call as if no array were plain."""
    modules = [sys.modules[f"gpuprims.{name}"] for name in ("_reductions", "_sorting", "_moving")]

    def run():
        for module in modules:
            module.run = no_run
        try:
            call()
        finally:
            for module in modules:
                module.run = _fast.run
    return run


def no_run(*_):
    return None


def main():
    parser = argparse.ArgumentParser(description="what the Python package costs")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("wheels", nargs="*")
    options = parser.parse_args()
    print(f"import: {of_import():.1f} ms")
    x, flags, long = np.arange(COUNT, dtype=np.float32), np.arange(COUNT) % 2 == 0, np.arange(COUNT)
    outs = [np.zeros((), np.float32), np.zeros_like(x), np.zeros_like(long), np.zeros((), np.int64)]
    empty, address, synchronize = np.empty, lambda array: array.ctypes.data, lambda: None
    if options.device:
        import torch

        x, flags, long, *outs = (torch.from_numpy(one).to(options.device) for one in (x, flags, long, *outs))
        where, address = x.device, torch.Tensor.data_ptr

        def empty(shape, dtype):
            return torch.empty(shape, dtype=dtype, device=where)

        synchronize = torch.cuda.synchronize if options.device == "cuda" else synchronize
    gp.sum(x)
    context = gp._context.default_context(
        *(("cuda", x.device.index, "torch") if options.device == "cuda" else ("host",)))
    ffi, lib, null, handle = raw.ffi, raw.lib, raw.ffi.NULL, context.handle
    total, keys, sums, count = (ffi.cast("void *", address(one)) for one in outs)
    px, pf, pl = (ffi.cast("void *", address(one)) for one in (x, flags, long))
    f32, i64, number = raw.GP_F32, raw.GP_I64, ffi.cast("uint64_t *", count)
    cells = {
        "sum": (lambda **o: gp.sum(x, **o), outs[0], lambda: empty((), x.dtype),
                lambda: lib.gp_reduce(handle, raw.GP_SUM, f32, f32, px, COUNT, total, null)),
        "cumsum": (lambda **o: gp.cumsum(long, **o), outs[2], lambda: empty(COUNT, long.dtype),
                   lambda: lib.gp_inclusive_scan(handle, raw.GP_SUM, i64, i64, pl, COUNT, sums, null)),
        "sort": (lambda **o: gp.sort(x, **o), outs[1], lambda: empty(COUNT, x.dtype),
                 lambda: lib.gp_sort_keys(handle, f32, px, COUNT, keys, 0, null)),
        "searchsorted": (lambda **o: gp.searchsorted(x, x, **o), None, lambda: empty(COUNT, long.dtype),
                         lambda: lib.gp_lower_bound(handle, raw.GP_LESS, f32, raw.GP_U64, px, COUNT, px, COUNT, sums,
                                                    null)),
        "compress": (lambda **o: gp.compress(flags, x, **o), None,
                     lambda: (empty(COUNT, x.dtype), empty((), long.dtype)),
                     lambda: lib.gp_select_flags(handle, f32, raw.GP_U8, px, pf, COUNT, keys, number, null))}
    for name, (ours, out, made, theirs) in cells.items():
        calls = {"ours": ours, "C": theirs, "made": made, "in Python": in_python(ours)}
        if out is not None:
            calls["out"] = lambda ours=ours, out=out: ours(out=out)
        us = of_calls(calls, synchronize)
        print(f"{name}: {us['ours']:.1f} us, the C call {us['C']:.1f} us, the package {us['ours'] - us['C']:.1f} us: "
              f"allocates {us['made']:.1f} us, "
              + (f"out= {us['out'] - us['C']:.1f} us, " if out is not None else "")
              + f"in Python {us['in Python'] - us['C']:.1f} us")
    for path in options.wheels:
        print(f"{os.path.basename(path)}: {os.path.getsize(path) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
