#!/usr/bin/env python3
"""python_peers.py: the Python package beside PyTorch and CuPy on the same arrays, in the same run.

    PYTHONPATH=build/python/lib python3 tools/python_peers.py [--device cpu] [--most 27] [--json FILE]
        [--rules FILE] [--seconds 140] [--only histc,unique]

Needs PyTorch; CuPy takes part if it is there and the arrays are on a GPU. Functions run at 2^10, 2^13, ... elements up
to 2^MOST, of int32 and float32. A cell is the median of 5 rounds, each of as many calls as take 8 ms, with one
synchronisation at its end: what a program waits for, not the time of kernels alone. Libraries take turns by rounds.
Prints a line a cell and, for each function, the geometric mean and the least of speed against the faster peer.

"accelerated" is what accelerate() would run in the place of PyTorch's function, or of CuPy's: PyTorch's sort gives
indices too. --rules writes rules from these (python/gpuprims/_rules.py is the package's file): a function serves
accelerate() from the least size from which on it was faster than the library's own, at all sizes and in both types.
A function without the largest size in both types has none.

The files are written after each type of each size, the smallest and the largest first and those between them by
halves: a run that is interrupted, or ends after --seconds, leaves what it has measured.
"""
import argparse
import functools
import json
import math
import os
import statistics
import time

import gpuprims as gp
import gpuprims.torch as gpt
import torch
from gpuprims._switch import Declined

ROUNDS, ROUND_SECONDS = 5, 0.008
SERVED = {"torch": ("sort", "argsort", "cumsum", "topk", "unique", "bincount", "histc"),
          "cupy": ("sort", "argsort", "cumsum", "unique", "bincount")}
TYPES, TYPES_OF = ("int32", "float32"), {"histc": ("float32",)}


def cells(x, bins):
    """{function: {library: call}} on a tensor; `bins` are numbers below 1,000. CuPy's arrays share its memory."""
    edges, flags = torch.sort(x[:1000])[0], bins % 3 == 0
    made = {
        "sort": {"gpuprims": lambda: gp.sort(x), "torch": lambda: torch.sort(x, stable=True)},
        "argsort": {"gpuprims": lambda: gp.argsort(x), "torch": lambda: torch.argsort(x, stable=True)},
        "cumsum": {"gpuprims": lambda: gp.cumsum(x), "torch": lambda: torch.cumsum(x, 0)},
        "topk": {"gpuprims": lambda: gp.topk(x, 10), "torch": lambda: torch.topk(x, 10)},
        "unique": {"gpuprims": lambda: gp.unique(x, sync=True), "torch": lambda: torch.unique(x)},
        "bincount": {"gpuprims": lambda: gp.bincount(bins, sync=True), "torch": lambda: torch.bincount(bins)},
        "histc": {"gpuprims": lambda: gp.histogram(x, 100, range=(0, 1000)),
                  "torch": lambda: torch.histc(x, 100, 0, 1000)},
        "searchsorted": {"gpuprims": lambda: gp.searchsorted(edges, x), "torch": lambda: torch.searchsorted(edges, x)},
        "nonzero": {"gpuprims": lambda: gp.flatnonzero(flags, sync=True), "torch": lambda: torch.nonzero(flags)}}
    if x.dtype != torch.float32:
        del made["histc"]
    accelerated = gpt.replacements()
    for name, arguments in (("sort", (x,)), ("argsort", (x,)), ("cumsum", (x, 0)), ("topk", (x, 10)), ("unique", (x,)),
                            ("bincount", (bins,)), ("histc", (x, 100, 0, 1000))):
        if name in made:
            made[name]["torch accelerated"] = functools.partial(accelerated[name], *arguments)
    if x.device.type == "cuda":
        try:
            import cupy
        except ImportError:
            return made
        y, numbers, ordered, chosen = (cupy.from_dlpack(one) for one in (x, bins, edges, flags.to(torch.uint8)))
        for name, call in (("sort", lambda: cupy.sort(y)), ("argsort", lambda: cupy.argsort(y)),
                           ("cumsum", lambda: cupy.cumsum(y)), ("unique", lambda: cupy.unique(y)),
                           ("bincount", lambda: cupy.bincount(numbers)),
                           ("searchsorted", lambda: cupy.searchsorted(ordered, y)),
                           ("nonzero", lambda: cupy.flatnonzero(chosen))):
            made[name]["cupy"] = call
        from gpuprims.cupy import replacements

        for name, call in replacements().items():
            made[name]["cupy accelerated"] = functools.partial(call, numbers if name == "bincount" else y)
    return made


def measured(calls, synchronize):
    """{library: microseconds a call}."""
    counts, rounds = {}, {name: [] for name in calls}
    for name, call in calls.items():
        try:
            call()
        except Declined:  # accelerate() would call the library's own
            del rounds[name]
            continue
        synchronize()
        start = time.perf_counter()
        call()
        synchronize()
        counts[name] = max(1, int(ROUND_SECONDS / max(time.perf_counter() - start, 1e-6)))
    for _ in range(ROUNDS):
        for name, times in rounds.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                calls[name]()
            synchronize()
            times.append((time.perf_counter() - start) / counts[name])
    return {name: 1e6 * statistics.median(times) for name, times in rounds.items()}


def rules_of(found):
    """{library: {function: the least size of all from which on it was faster, in the types that it takes}}."""
    rules = {}
    for library, names in SERVED.items():
        rules[library] = {}
        for name in names:
            own = [cell for cell in found if cell["function"] == name and library in cell["us"]]
            cells = [cell for cell in own if f"{library} accelerated" in cell["us"]]
            largest = {cell["type"] for cell in own if cell["n"] == max(cell["n"] for cell in found)}
            if not cells or largest != set(TYPES_OF.get(name, TYPES)):
                continue
            sizes = {cell["type"]: {other["n"] for other in cells if other["type"] == cell["type"]} for cell in cells}
            slow = [cell["n"] for cell in cells if cell["us"][f"{library} accelerated"] >= cell["us"][library]]
            fast = [size for size in set.intersection(*sizes.values()) if size > max(slow, default=0)]
            if fast:
                rules[library][name] = min(fast)
    return rules


def text_of(rules, where):
    lines = ['"""From which number of elements on a call is faster than the same call of another library: measured by',
             'tools/python_peers.py. Calls without a row are not replaced by accelerate()."""',
             "from __future__ import annotations", "",
             f"# {{library: {{function: least number of elements}}}}. {where}",
             "RULES: dict[str, dict[str, int]] = {"]
    for library, least in rules.items():
        rows = ",\n              ".join(f'"{name}": {size}' for name, size in least.items())
        lines.append(f'    "{library}": {{{rows}}},')
    return "\n".join([*lines, "}"]) + "\n"


def write(path, text):
    """All of a file or nothing of it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def order_of(least, most, step):
    """Sizes from the ends to the middle."""
    sizes = sorted({*range(least, most + 1, step), most})
    made, spans = [sizes[0], sizes[-1]], [(0, len(sizes) - 1)]
    while spans:
        start, end = spans.pop(0)
        middle = (start + end) // 2
        if start < middle < end:
            made.append(sizes[middle])
            spans += [(start, middle), (middle, end)]
    return list(dict.fromkeys(made))


def summary(found):
    for name in sorted({cell["function"] for cell in found}):
        speed = [min(one for library, one in cell["us"].items() if library in ("torch", "cupy"))
                 / cell["us"]["gpuprims"] for cell in found if cell["function"] == name]
        print(f"{name}: {math.prod(speed)**(1 / len(speed)):.2f} x the faster peer, at least {min(speed):.2f}")


def main():
    parser = argparse.ArgumentParser(description="the Python package beside PyTorch and CuPy")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--most", type=int, default=27)
    parser.add_argument("--json")
    parser.add_argument("--rules")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--only", type=lambda text: text.split(","), help="functions, by commas")
    options = parser.parse_args()
    if options.rules and options.only:
        parser.error("--rules needs all functions, not --only some")
    end = time.monotonic() + options.seconds
    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    device = torch.cuda.get_device_name() if options.device == "cuda" else "the host"
    generator, found = torch.Generator(options.device).manual_seed(1), []
    print(f"{device}, PyTorch {torch.__version__}, gpuprims {gp.__version__}")
    for power in order_of(10, options.most, 3):
        def drawn(most, size=2**power):
            return torch.randint(0, most, (size,), generator=generator, device=options.device)

        bins = drawn(1000)
        for kind in TYPES:
            x = drawn(2**24).to(getattr(torch, kind))
            for name, calls in cells(x, bins).items():
                if options.only and name not in options.only:
                    continue
                if time.monotonic() > end:
                    break
                try:
                    us = measured(calls, synchronize)
                except (MemoryError, torch.OutOfMemoryError) as error:
                    print(f"{name} {kind} n=2^{power}: not measured: {error}", flush=True)
                    continue
                found.append({"function": name, "type": kind, "n": 2**power, "us": us})
                print(f"{name} {kind} n=2^{power}: "
                      + ", ".join(f"{library} {one:.1f} us" for library, one in us.items()), flush=True)
            if options.json:
                write(options.json, json.dumps({
                    "device": device, "torch": torch.__version__,
                    "cells": sorted(found, key=lambda cell: (cell["n"], cell["type"] != "int32"))}, indent=1))
            if options.rules:
                write(options.rules, text_of(rules_of(found), f"{device}, PyTorch {torch.__version__}, "
                                                              f"{time.strftime('%Y-%m-%d')}."))
    if time.monotonic() > end:
        print(f"ended after {options.seconds:.0f} s: not all is measured")
    summary(found)


if __name__ == "__main__":
    main()
