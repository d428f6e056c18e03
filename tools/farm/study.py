"""Back40's study: what examples/study/study measured, as the tables of the paper.

    python3 -m tools.farm study FILE [--out FOLDER]    tables of a study's results, in Markdown; a summary into FOLDER
    python3 -m tools.farm study --count                sizes of the study's space, and of the space that users tune
    python3 -m tools.farm study --thrust               the command that measures Thrust's reductions (Figure 8)

A policy of a prefix sum or a reduce-by-key is three policies of a kernel, which run one after the other: its time is
the sum of theirs, at the number of blocks that makes the sum the least. Problems measured whole check the sums.

A policy's share in a cell (a type and a size) is the best policy's time over its own. The summary is what
`make paper` reads: of each problem variances, the best single policy, and the shares by twentieths.
"""
import argparse
import gzip
import itertools
import json
import os
import sys
import time

from tools import bench
from tools.farm import online
from tools.farm.arrays import np

PARTS = {"copy": ("copy",), "reduce": ("reduce", "reduce_spine"),
         "exclusive_scan": ("scan_up", "scan_spine", "scan_down"), "reduce_by_key": ("key_up", "key_spine", "key_down")}
PRINTED = {"copy": 1728, "reduce": 8748, "exclusive_scan": 157464, "reduce_by_key": 157464}
BINS = 20
THRUST = [f"reduce SUM {type_} bytes={size}" for type_ in ("u8", "u16", "u32", "u64")
          for size in ("128M", "32M", "8M", "2M", "512K", "128K")]


class Damaged(ValueError):
    """A file that is no study."""


def read(path):
    """(the head, {(part, type, bytes, blocks): {policy: us}}, [whole])."""
    parts, wholes, head = {}, [], None
    number = 0
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                line = json.loads(text)
                if line["kind"] == "study":
                    head = line
                elif line["kind"] == "part":
                    if not line["us"] or not all(us > 0 for us in line["us"].values()):
                        raise Damaged("a part without times above 0")
                    parts[line["part"], line["type"], line["bytes"], line["blocks"]] = line["us"]
                else:
                    wholes.append(line)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, gzip.zlib.error) as error:
        raise Damaged(f"{path}, line {number}: {error}") from error
    if head is None or not parts:
        raise Damaged(f"{path}, after line {number}: no study: it needs a head and parts")
    return head, parts, wholes


def cells_of(parts, problem):
    """{(type, bytes): times of the problem's policies, an axis a part}, and the policies' texts by axis. Cells of which
    a part is missing are left out."""
    names = PARTS[problem]
    axes = [next((list(us) for (part, *_), us in parts.items() if part == name), []) for name in names]
    cells = {}
    for type_, size in sorted({(type_, size) for _, type_, size, _ in parts}):
        for blocks in sorted({key[3] for key in parts if key[1:3] == (type_, size)}):
            own = [parts.get((name, type_, size, blocks)) for name in names]
            if None in own or any(list(us) != axis for us, axis in zip(own, axes)):
                continue
            times = np.array(0.0)
            for us in own:
                times = np.add.outer(times, np.array(list(us.values())))
            before = cells.get((type_, size))
            cells[type_, size] = times if before is None else np.minimum(before, times)
    return cells, axes


def variances(cells):
    """(between, within): mean squares of an analysis of variance of the shares, a group a policy."""
    count, total, squares = 0, 0.0, 0.0
    for times in cells.values():
        share = times.min() / times
        total, squares, count = total + share, squares + share * share, count + 1
    mean = total / count
    policies = mean.size
    between = count * float(((mean - mean.mean()) ** 2).sum()) / max(policies - 1, 1)
    within = float((squares - count * mean * mean).sum()) / max(policies * (count - 1), 1)
    return between, within


def best_single(cells, axes):
    """(mean share, the policy) of the policy with the highest mean share."""
    mean = sum(times.min() / times for times in cells.values()) / len(cells)
    place = np.unravel_index(int(mean.argmax()), mean.shape)
    return float(mean.max()), [axis[at] for axis, at in zip(axes, place)]


def harmonic_bins(cells):
    """Shares of the policies by their harmonic mean share, in twentieths."""
    mean = len(cells) / sum(times / times.min() for times in cells.values())
    return (np.histogram(mean, BINS, (0, 1))[0] / mean.size).round(6).tolist()


def summary(head, parts, wholes):
    """{"device", "problems": {problem: {...}}, "whole_over_sum": the median ratio}: what the pages read."""
    problems = {}
    for problem, printed in PRINTED.items():
        cells, axes = cells_of(parts, problem)
        if not cells:
            continue
        between, within = variances(cells)
        mean, policy = best_single(cells, axes)
        large = {type_: times for (type_, size), times in cells.items() if size == 128 * bench.MIB}
        problems[problem] = {
            "policies": int(np.prod([len(axis) for axis in axes])), "printed": printed, "cells": len(cells),
            "between": between, "within": within, "best_single": mean, "policy": policy, "harmonic":
            harmonic_bins(cells), "best_us": {type_: float(times.min()) for type_, times in large.items()},
            "mean_us": {type_: float(1 / (1 / times).mean()) for type_, times in large.items()}}
    ratios = [line["us"] / sum(parts[part, line["type"], line["bytes"], line["blocks"]][policy]
                               for part, policy in line["policy"].items()) for line in wholes
              if all((part, line["type"], line["bytes"], line["blocks"]) in parts for part in line["policy"])]
    return {"device": head["device"], "problems": problems, "wholes": len(ratios),
            "whole_over_sum": float(np.median(ratios)) if ratios else None}


def markdown(found):
    lines = [f"**{found['device']}**, Back40's study", "",
             "| problem | policies | printed | cells | between | within | best single |", "|---|" + "---:|" * 6]
    lines += [f"| {name} | {one['policies']:,} | {one['printed']:,} | {one['cells']} | {one['between']:.3f} | "
              f"{one['within']:.3f} | {one['best_single']:.3f} |" for name, one in found["problems"].items()]
    lines += ["", *(f"{name}: best single policy {'; '.join(one['policy'])}" for name, one
                    in found["problems"].items())]
    if found["whole_over_sum"]:
        lines += ["", f"{found['wholes']} problems measured whole take {found['whole_over_sum']:.3f} x the sum of "
                  "their kernels' times (median)."]
    return "\n".join(lines)


def counted():
    """{problem: policies of the study}: of threads, loads and items; copies have 4 loads, 4 stores, and stealing;
    reductions have stealing in their upsweep."""
    shapes = len(list(itertools.product((32, 64, 128, 256, 512, 1024), (1, 2, 4), (1, 2, 4))))
    return {"copy": shapes * 4 * 4 * 2, "reduce": shapes * 2 * shapes, "exclusive_scan": shapes ** 3,
            "reduce_by_key": shapes ** 3}


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm study", description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--thrust", action="store_true")
    options = parser.parse_args(arguments)
    if options.count:
        for name, count in counted().items():
            print(f"{name}: study {count:,}, printed {PRINTED[name]:,}")
        return 0
    if options.thrust:
        print("python3 -m tools.quality.libraries && build/gp_bench --peers cub,thrust "
              "--more-peers build/libgp_more.so --out build/figure8.jsonl "
              + " ".join(f'--cell "{cell}"' for cell in THRUST))
        return 0
    if not options.file:
        parser.error("FILE, --count or --thrust is missing")
    try:
        found = summary(*read(options.file))
        print(markdown(found))
        if options.out:
            os.makedirs(options.out, exist_ok=True)
            day, commit = time.strftime("%Y-%m-%d", time.gmtime()), online.commit_of() or ""
            name = bench.file_stem(day, "study", commit) + ".json"
            with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
                json.dump(found, file, indent=1)
                file.write("\n")
            print(os.path.join(options.out, name), file=sys.stderr)
    except (OSError, Damaged) as error:
        print(f"study: {error}", file=sys.stderr)
        return 2
    return 0
