"""Retire: removes rows that a newer algorithm beats, without another tune.

    python3 -m tools.farm retire STORE --bench BENCH --group "sort 4/0/4" --from 0 --to 23 --algorithms ONE_CLUSTER,...

BENCH: gp_bench's output on that device (--out), as .jsonl.xz, beside the store, because readers of the store derive the
decision from it (derive.py). It has the default and policies side by side. A policy of one of the algorithms must take
2 % less than the default, which a row chose, at every size of the group between 2^from and 2^to bytes; several
distributions of a size count by their geometric mean. Then STORE gets a decision `removed`, as of its last run, and the
header's rule serves these sizes until a tune finds better rows. Otherwise it writes nothing and names the size. The
decision's gain is the geometric mean over these sizes; low and high are the smallest and largest, of one process.
"""
import argparse
import json
import lzma
import math
import os
import re

from tools.farm import decide, evidence, propose, store


KEPT = ".jsonl.xz"
REASON = "the tune of the row had not {}, which the header's rule knows"


def gains_of(path, group, log2_from, log2_to, algorithms):
    """The device, and {cell: the gain of the best policy of the algorithms over the default}."""
    device, times = "", {}
    try:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for line in map(store.DECODER.decode, map(str.strip, file)):
                if line["kind"] == "environment":
                    device = line["device"]
                if line["kind"] != "sample" or line["variant"] != "ours" or line["status"] != "ok":
                    continue
                cell = store.cell_of(line)
                if not store.is_known(cell) or cell.group != group or not log2_from <= cell.log2 < log2_to:
                    continue
                if line["label"] == "default" or line["policy"]["algorithm"] in algorithms:
                    times.setdefault(cell, {}).setdefault(line["label"], {})[line["dist"]] = line["median_us"]
        return device, {cell: gain_of(labels) for cell, labels in times.items()}
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError, ArithmeticError) as error:
        raise store.StoreError(f"{path}: no lines of gp_bench, compressed by xz ({store.shown(str(error))})") from error


def gain_of(labels):
    """{label: {distribution: microseconds}}: the largest gain of a policy over the default; a distribution without both
    measurements counts as a loss."""
    default = labels.pop("default", {})
    gains = [math.exp(math.fsum(math.log(us / times[dist]) for dist, us in default.items()) / len(default)) - 1
             for times in labels.values() if default and times.keys() >= default.keys()]
    return max(gains, default=-1.0)


def retire(path, bench, group, log2_from, log2_to, algorithms):
    """The appended decision."""
    mine = store.read(path)
    if not evidence.runs_of(mine):
        raise store.StoreError(f"{path}: nothing was measured")
    if not bench.endswith(KEPT) or os.path.dirname(os.path.abspath(bench)) != os.path.dirname(os.path.abspath(path)):
        raise store.StoreError(f"{bench}: it must be in the folder of {path}, as {KEPT}: the decision follows from it")
    made = decide.number([decision_of(evidence.runs_of(mine)[-1], bench, group, log2_from, log2_to, algorithms)], [])
    store.append(path, made)
    return made[0]


def decision_of(run, bench, group, log2_from, log2_to, algorithms):
    """The bench's decision about the group on a run's device, not yet numbered."""
    device, gains = gains_of(bench, group, log2_from, log2_to, algorithms)
    if device != run.device:
        raise store.StoreError(f"{bench}: {device or 'no device'}, and not {run.device}")
    if not gains:
        raise store.StoreError(f"{bench}: no cell of {group} from 2^{log2_from} to 2^{log2_to} bytes")
    for cell, gain in gains.items():
        if gain < math.expm1(propose.GAIN):
            raise store.StoreError(f"{bench}: n={cell.n}: {gain:+.1%} over the default")
    return {"kind": "decision", "v": store.VERSION, "env": run.env, "date": run.date, "scope": run.device,
            "group": group, "log2_from": log2_from, "log2_to": log2_to, "policy": None, "against": "device",
            "verdict": "removed", "reason": REASON.format(", ".join(algorithms)),
            "gain": math.exp(math.fsum(map(math.log1p, gains.values())) / len(gains)) - 1,
            "low": min(gains.values()), "high": max(gains.values()), "pairs": 1,
            "sizes": sorted({cell.bytes for cell in gains}), "members": sorted({cell.in_ for cell in gains}),
            "left_out": {}}


def follows(decision, run, benches):
    """Whether one of these benches shows this."""
    said = re.fullmatch(re.escape(REASON).replace(r"\{\}", r"([A-Z0-9_, ]+)"), decision["reason"])
    for bench in benches if said else ():
        try:
            made = decision_of(run, bench, decision["group"], decision["log2_from"], decision["log2_to"],
                               said.group(1).split(", "))
        except store.StoreError:
            continue
        if made.items() <= decision.items():
            return True
    return False


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm retire", description="rows that an algorithm overtook "
                                     "which their tune did not have go")
    parser.add_argument("store", metavar="STORE")
    parser.add_argument("--bench", required=True, metavar="BENCH", help="gp_bench's lines of the same device")
    parser.add_argument("--group", required=True, help='such as "sort 4/0/4"')
    parser.add_argument("--from", dest="log2_from", type=int, default=0, metavar="LOG2", help="bytes, at least")
    parser.add_argument("--to", dest="log2_to", type=int, required=True, metavar="LOG2", help="bytes, less than")
    parser.add_argument("--algorithms", required=True, metavar="A,B", help="what the rows' tune had not")
    args = parser.parse_args(argv)
    print(decide.describe(retire(args.store, args.bench, args.group, args.log2_from, args.log2_to,
                                 args.algorithms.split(","))))
    return 0
