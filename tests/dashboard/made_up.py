#!/usr/bin/env python3
"""Synthetic measurements for tests, of devices that do not exist, in the forms of tools/bench.py and the farm. Equal
arguments give equal files.

    python3 tests/dashboard/made_up.py FOLDER [NIGHTS [CELLS]]       default: 100 nights of 500 cells
"""
import datetime
import gzip
import json
import math
import os
import random
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.farm import cell_keys, store  # noqa: E402

FIRST = datetime.date(2026, 1, 5)
PRIMITIVES = [("copy", "", 2), ("reduce", "SUM", 1), ("exclusive_scan", "SUM", 2), ("transform", "NEGATE", 2),
              ("unique", "", 2), ("select", "", 2), ("sort", "", 2), ("merge", "", 2), ("histogram_even", "", 1),
              ("count_if", "", 1)]
TYPES = ["u32", "u8", "f32", "u64", "f64", "u16"]
SIZES = [4 * bench.KIB << 2 * k for k in range(10)]


def night_of(number):
    return (FIRST + datetime.timedelta(number)).isoformat()


def environment(device="Example One", night=0, **fields):
    return {"kind": "environment", "date": f"{night_of(night)}T02:00:00Z", "device": device, "version": "0.1.0",
            "commit": f"{0xabc0000 + night:07x}", "peers": "CUB 3.0.1", "compute_capability": 90,
            "multiprocessors": 100, "memory_bytes": 80 << 30, "l2_bytes": 50 << 20, "driver": 13000, **fields}


def policy(threads=256):
    return {"algorithm": "DIRECT", "threads": threads, "vectors": 2, "load": "ALL", "store": "ALL", "stages": 0,
            "blocks_per_sm": 2, "overlap": 1}


def cells(count):
    """(primitive, operator, type, bytes of input, how often its bytes move): the first `count` of a fixed list."""
    found = [(primitive, op, type_, size, moved) for type_ in TYPES for primitive, op, moved in PRIMITIVES
             for size in SIZES]
    return found[:count]


def sample(of, us, variant="ours", label="default", status="ok", protocol="cold", threads=256, **fields):
    primitive, op, type_, size, moved = of
    n = size // store.type_sizes()[type_]
    words = f"{primitive} {op} {type_}".replace("  ", " ")
    return {"kind": "sample", "cell": f"{words} bytes={bench.size_text(size)}"
            + (f" protocol={protocol}" if protocol != "cold" else ""), "words": "", "primitive": primitive, "op": op,
            "in": type_, "acc": type_, "out": type_, "dist": "uniform", "protocol": protocol, "n": n,
            "bytes": moved * size, "in_offset": 0, "out_offset": 0, "variant": variant, "label": label,
            "status": status, **({"policy": policy(threads), "policy_source": "portable"} if variant == "ours" else {}),
            "calls": 10, "median_us": round(us, 4), "min_us": us, "max_us": us, "cv": 0.002,
            "gbs": round(moved * size / us / 1e3, 2), "sm_mhz": [1980, 1980], "memory_mhz": 3201, "celsius": 45,
            "milliwatts": 300000, "throttle_reasons": 0, **fields}


def records(night=0, count=500, device="Example One", seed=1, slow=None, noise=0.003, **fields):
    """A run of tools/bench.py. slow: {(primitive, type): (first slow night, factor)}."""
    draw = random.Random(f"{seed} {night}")
    yield environment(device, night, **fields)
    for of in cells(count):
        primitive, _, type_, size, moved = of
        roof = 1.0 + moved * size / 4.0e6
        us = roof * (1.1 + 0.3 * math.exp(-size / 1e6)) * math.exp(noise * draw.gauss(0, 1))
        start, factor = (slow or {}).get((primitive, type_), (10 ** 9, 1.0))
        if night >= start:
            us *= factor
        peer = roof * 1.4 * math.exp(noise * draw.gauss(0, 1))
        yield sample(of, us, threads=256 if night < 40 else 512, of_roof=round(roof / us, 4),
                     of_peer=round(peer / us, 4), celsius=40 + night % 9)
        yield sample(of, peer, "peer", "cub")
        yield sample(of, roof, "copy_roof", "memcpy")


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as file:
        file.write(text)


def farm_environment(name, night, device="Example One", **fields):
    return {"kind": "environment", "v": 1, "id": name, "date": f"{night_of(night)}T03:00:00Z", "device": device,
            "compute_capability": 90, "multiprocessors": 100, "memory_bytes": 80 << 30, "l2_bytes": 50 << 20,
            "ecc": "1", "driver": "13000", "nvrtc": "13000", "bus": "0000:00:06.0", "peak_gbs": 4000.5,
            "clocks": "yes", "header": "0" * 16, "source": "synthetic", "commit": name[:7], **fields}


def farm_sample(env, process, of, us, code="a" * 16, phase="regress", **fields):
    primitive, op, type_, size, _ = of
    acc = type_ if op == "SUM" else ""
    return {"kind": "samples", "v": 1, "env": env, "job": "0" * 16, "process": process, "phase": phase,
            "primitive": primitive, "op": op, "in": type_, "acc": acc, "out": type_,
            "n": size // store.type_sizes()[type_], "protocol": "cold", "variant": "default", "policy": policy(),
            "policy_source": "portable", "status": "ok", "message": "", "code": code, "registers": 32, "calls": 10,
            "us": [us, us * 1.01], "sm_mhz": [1980, 1980], "celsius": 40, "milliwatts": 300000, "throttle": 0, **fields}


def verdict(base, env, of, outcome="SAME", ratio=1.001, control=True, **fields):
    primitive, op, type_, size, _ = of
    return {"kind": "verdict", "v": 1, "base": base, "env": env, "primitive": primitive, "op": op, "in": type_,
            "acc": type_ if op == "SUM" else "", "out": type_, "n": size // store.type_sizes()[type_],
            "protocol": "cold", "outcome": outcome, "ratio": ratio, "low": ratio * 0.995, "high": ratio * 1.005,
            "pairs": 10 if outcome in ("SLOW", "FAST") else 6, "left_out": 0, "stage": 2 if outcome != "SAME" else 1,
            "p": 0.5 if outcome == "SAME" else 1e-6, "q": 0.6, "control": control, "message": "", **fields}


def regress(night=0, outcomes=None, count=60, device="Example One", base_commit=None):
    """A regression run. outcomes: {index of a cell: (outcome, ratio)}; all others are controls with SAME."""
    base, new = (f"{side}{night:015x}" for side in "be")
    yield farm_environment(base, night, device, commit=base_commit or f"b{night:06x}")
    yield farm_environment(new, night, device, commit=f"e{night:06x}")
    for index, of in enumerate(cells(count)):
        outcome, ratio = (outcomes or {}).get(index, ("SAME", 1.001))
        changed = index in (outcomes or {})
        for pair in range(16 if changed else 0):
            yield farm_sample(base, 2 * pair, of, 100.0)
            yield farm_sample(new, 2 * pair + 1, of, 100.0 * ratio, code="b" * 16)
        yield verdict(base, new, of, outcome, ratio, not changed)
    yield {"kind": "check", "v": 1, "env": new, "name": "controls", "group": "", "passed": True,
           "value": 0.01 + 0.05 * (night % 3) / 3, "limit": 0.05}
    yield {"kind": "run", "v": 1, "env": new, "seconds": 100.0, "busy_seconds": 60.0, "jobs": 100, "complete": True}


def night_of_list(texts, night=0, device="Example One", commit="", base="b000000", outcomes=None, factor=1.0,
                  code="a" * 16):
    """A regression run of cells, with all samples of both sides. outcomes: {index: (outcome, ratio)}."""
    names = [f"{side}{night:015x}" for side in "be"]
    yield farm_environment(names[0], night, device, commit=base)
    yield farm_environment(names[1], night, device, commit=commit or f"e{night:06x}")
    draw = random.Random(f"{device} {night}")
    found = [cell_keys.read(text)[0] for text in texts]
    for pair in range(6):
        for cell in found:
            us = (2 + cell.n * store.type_sizes()[cell.in_] / 2e6) * factor
            for side, name in enumerate(names):
                found_us = round(us * math.exp(0.004 * draw.gauss(0, 1)), 4)
                yield {**farm_sample(name, 2 * pair + side, cells(1)[0], found_us, code), **fields_of(cell)}
    for index, cell in enumerate(found):
        outcome, ratio = (outcomes or {}).get(index, ("SAME", 1.001))
        yield {**verdict(*names, cells(1)[0], outcome, ratio, index not in (outcomes or {})), **fields_of(cell)}
    yield {"kind": "run", "v": 1, "env": names[1], "seconds": 9.0, "busy_seconds": 6.0, "jobs": 100, "complete": True}


def decision(night, group, log2_from, log2_to, threads=128, outcome="accepted", device="Example One"):
    """From the environment of tune()."""
    return {"kind": "decision", "v": 1, "id": f"{night:08x}{log2_from:08x}", "replaces": [], "env": f"d{night:015x}",
            "date": f"{night_of(night)}T03:00:00Z", "scope": device, "group": group, "log2_from": log2_from,
            "log2_to": log2_to, "policy": policy(threads), "against": "portable", "verdict": outcome, "reason": "",
            "gain": 0.1, "low": 0.08, "high": 0.12, "pairs": 3, "sizes": [1 << log2_from], "members": ["u32"],
            "left_out": {}}


def tune(night, commit, decisions):
    """A store of decisions without their samples."""
    yield farm_environment(f"d{night:015x}", night, commit=commit)
    yield from decisions


def fields_of(cell):
    return {"primitive": cell.primitive, "op": cell.op, "in": cell.in_, "acc": cell.acc, "out": cell.out, "n": cell.n,
            "protocol": cell.protocol, **({"words": cell.words} if cell.words else {})}


def online(program="n_body", device="Example One", night=0, **fields):
    """A comparison of online tuners (python3 -m tools.farm online) on a space of 3 by 2, one of them invalid."""
    def strategy(name, by, configurations, final):
        return {"by": by, "name": name, "runs": 100, "reached": 100 if configurations else 20,
                "configurations": {"median": configurations, "p95": configurations and 2 * configurations},
                "measurements": {"median": configurations, "p95": configurations},
                "final": {"median": final, "p95": 2 * final}, "regret": {"median": 0.031, "p95": 0.047, "mean": 0.033},
                "measured": {"median": 30}}
    axes = [[32, 64, 128], [1, 2]]
    space = {"file": f"{night_of(night)}.tuner_{program}.abc0000.jsonl.gz", "program": program, "size": 131072,
             "date": f"{night_of(night)}T02:00:00Z", "driver": "13.0", "cuda": "13.0", "rounds": 7, "spread": 0.01,
             "parameters": [{"name": name, "values": values, "default": values[0], "categorical": False}
                            for name, values in zip(("threads", "unroll"), axes)],
             "configurations": 5, "invalid": 1, "near": 2, "default": {"values": [32, 1], "us": 4000.0},
             "optimum": {"values": [64, 2], "us": 2500.0},
             "strategies": [strategy("auto", "gpuprims", 11, 0.0), strategy("mls", "Kernel Tuner", 27, 0.013),
                            strategy("minimize", "Kernel Tuner", None, 0.2)],
             "left_out": {"skopt": "it needs skopt"},
             "path": {"strategy": "auto", "seed": 3, "near": 3, "steps": [[32, 1], [128, 1], [64, 2], [64, 1]]},
             "maps": [{"down": 1, "across": 0, "rows": axes[1], "columns": axes[0],
                       "times": [[1.6, 1.015, 1.2], [1.5, 1.0, None]]}]}
    return {"kind": "online", "device": device, "date": f"{night_of(night)}T05:00:00Z", "commit": "abc0000" * 5,
            "seeds": 100, "calls": 1000, "configurations": 100, "near": 0.02, "kernel_tuner": "1.5.0",
            "spaces": [{**space, **fields}], "empty": {"device": device, "rows": [[128, 7, 3.14, 0.5]]}}


def online_live(program="n_body", device="Example One", night=0, **fields):
    """The same on the GPU: five runs of a strategy."""
    one = online(program, device, night)["spaces"][0]["strategies"][0]
    return {"kind": "online", "device": device, "date": f"{night_of(night)}T06:00:00Z", "commit": "abc0000" * 5,
            "near": 0.02, "spaces": [], "live": [{"program": program, "sections": 400, "strategies": [
                {**one, "name": "simplex", "runs": 5, "reached": 4, "default_us": 4000.0, "last_us": 2520.0,
                 "worst": 0.7, **fields}]}]}


def quality(cell, library, night=0, **fields):
    """A row of tools/quality."""
    values = {"OC": 0.5, "LB": 0.25, "WE": 1.0, "SO": 0.875, "IO": 0.75, "MH": 0.5, "MC": 0.625, "DT": None}
    return {"kind": "quality", "v": 1, "cell": cell, "library": library, "status": "ok", "qm": 0.6, "n": 1 << 26,
            "primitive": cell.split()[0], "criteria": {**values, **fields.pop("criteria", {})}, "missing": ["DT"],
            "kernels": [{"name": "k"}], "median_us": 50.0, **fields}


def point(cell, policy, us, instructions):
    """A point of tools/quality/points.py."""
    return {"kind": "point", "v": 1, "cell": cell, "policy": policy, "median_us": us, "instructions": instructions,
            "dram_bytes": 8.0, "l2_bytes": None, "registers": 32.0, "stalls": {"barrier": 0.5, "selected": 0.5}}


def whole(folder, nights=100, count=500, device="Example One"):
    """Nights of a device: a run and a regression run each; one primitive becomes slower after two thirds of them."""
    place = os.path.join(folder, bench.folder_name(device))
    for night in range(nights):
        write(os.path.join(place, f"{night_of(night)}.jsonl"),
              records(night, count, device, slow={("reduce", "u32"): (2 * nights // 3, 1.08)}))
        write(os.path.join(place, f"{night_of(night)}.regress.jsonl.gz"),
              regress(night, {10: ("SLOW", 1.08)} if night == 2 * nights // 3 else None, device=device))
    return place


if __name__ == "__main__":
    whole(sys.argv[1], *map(int, sys.argv[2:]))
