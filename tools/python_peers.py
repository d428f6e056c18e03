#!/usr/bin/env python3
"""python_peers.py: the Python package beside PyTorch and CuPy on the same arrays, in the same run.

    PYTHONPATH=build/python/lib python3 tools/python_peers.py [--device cpu] [--most 27] [--json FILE] [--rules]

Needs PyTorch; CuPy takes part if it is there and the arrays are on a GPU. Functions run at 2^10, 2^13, ... elements up
to 2^MOST, of int32 and float32. A cell is the median of 9 rounds, each of as many calls as take 10 ms, with one
synchronisation at its end: what a program waits for, not the time of kernels alone. Libraries take turns by rounds.
Prints a line a cell and, for each function, the geometric mean and the least of speed against the faster peer.

--rules writes python/gpuprims/_rules.py: a function serves accelerate() from the least size from which on it was
faster than that library, at all sizes and in both types.
"""
import argparse
import json
import math
import os
import statistics
import time

import gpuprims as gp
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS, ROUND_SECONDS = 9, 0.01


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
    if x.dtype != torch.float32 or x.device.type == "cpu":
        del made["histc"]
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
    return made


def measured(calls, synchronize):
    """{library: microseconds a call}."""
    counts, rounds = {}, {name: [] for name in calls}
    for name, call in calls.items():
        call()
        synchronize()
        start = time.perf_counter()
        call()
        synchronize()
        counts[name] = max(1, int(ROUND_SECONDS / max(time.perf_counter() - start, 1e-6)))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            synchronize()
            rounds[name].append((time.perf_counter() - start) / counts[name])
    return {name: 1e6 * statistics.median(times) for name, times in rounds.items()}


def rules_of(found):
    """{library: {function: the least size of all from which on it was faster}}."""
    rules = {"torch": {}, "cupy": {}}
    for library, least in rules.items():
        for name in sorted({cell["function"] for cell in found}):
            good = None
            for size in sorted({cell["n"] for cell in found}, reverse=True):
                here = [cell for cell in found if cell["function"] == name and cell["n"] == size]
                if any(library not in cell["us"] or cell["us"]["gpuprims"] >= cell["us"][library] for cell in here):
                    break
                good = size if here else good
            if good is not None:
                least[name] = good
    return rules


def write_rules(rules, where):
    path = os.path.join(ROOT, "python", "gpuprims", "_rules.py")
    served = {"torch": {"sort", "argsort", "cumsum", "topk", "unique", "bincount", "histc"},
              "cupy": {"sort", "argsort", "cumsum", "unique", "bincount"}}
    lines = ['"""From which number of elements on a call is faster than the same call of another library: measured by',
             'tools/python_peers.py. Calls without a row are not replaced by accelerate()."""',
             "from __future__ import annotations", "",
             f"# {{library: {{function: least number of elements}}}}. {where}",
             "RULES: dict[str, dict[str, int]] = {"]
    for library, least in rules.items():
        rows = ", ".join(f'"{name}": {size}' for name, size in least.items() if name in served[library])
        lines.append(f'    "{library}": {{{rows}}},')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "}"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description="the Python package beside PyTorch and CuPy")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--most", type=int, default=27)
    parser.add_argument("--json")
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    device = torch.cuda.get_device_name() if options.device == "cuda" else "the host"
    generator, found = torch.Generator().manual_seed(1), []
    print(f"{device}, PyTorch {torch.__version__}, gpuprims {gp.__version__}")
    for power in range(10, options.most + 1, 3 if options.most > 20 else 2):
        bins = torch.randint(0, 1000, (2**power,), generator=generator).to(options.device)
        for dtype in (torch.int32, torch.float32):
            x = torch.randint(0, 2**24, (2**power,), generator=generator).to(dtype).to(options.device)
            for name, calls in cells(x, bins).items():
                us = measured(calls, synchronize)
                found.append({"function": name, "type": str(dtype)[6:], "n": 2**power, "us": us})
                print(f"{name} {found[-1]['type']} n=2^{power}: "
                      + ", ".join(f"{library} {one:.1f} us" for library, one in us.items()), flush=True)
    for name in sorted({cell["function"] for cell in found}):
        speed = [min(one for library, one in cell["us"].items() if library != "gpuprims") / cell["us"]["gpuprims"]
                 for cell in found if cell["function"] == name]
        print(f"{name}: {math.prod(speed)**(1 / len(speed)):.2f} x the faster peer, at least {min(speed):.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": device, "torch": torch.__version__, "cells": found}, file, indent=1)
    if options.rules:
        write_rules(rules_of(found), f"{device}, PyTorch {torch.__version__}, {time.strftime('%Y-%m-%d')}.")


if __name__ == "__main__":
    main()
