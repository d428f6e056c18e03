"""Retire: rows that an algorithm overtook which their tune did not have go, without another tune.

    python3 -m tools.farm retire STORE --bench BENCH --group "sort 4/0/4" --from 0 --to 23 --algorithms ONE_CLUSTER,...

BENCH: what gp_bench wrote on that device (--out), or .xz of it: the default and policies beside each other. At every
size that it has of the group between 2^from and 2^to bytes, a policy of one of the algorithms must take 2 % less than
the default, which a row chose; where it has several distributions of a size, by the geometric mean over them. Then a
decision of verdict `removed` is appended to STORE, as of its last run, and the header's rule serves these sizes until a
tune finds better ones. Otherwise nothing is written, and the size is named. Its gain is the geometric mean over these
sizes, low and high are the least and the most of them, of one process.
"""
import argparse
import json
import lzma
import math

from tools.farm import decide, evidence, propose, store


def gains_of(path, group, log2_from, log2_to, algorithms):
    """The device, and {cell: the gain of the best policy of the algorithms over the default}."""
    device, times = "", {}
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["kind"] == "environment":
                device = line["device"]
            if line["kind"] != "sample" or line["variant"] != "ours" or line["status"] != "ok":
                continue
            cell = store.cell_of(line)
            if cell.group != group or not log2_from <= cell.log2 < log2_to:
                continue
            if line["label"] == "default" or line["policy"]["algorithm"] in algorithms:
                times.setdefault(cell, {}).setdefault(line["label"], {})[line["dist"]] = line["median_us"]
    return device, {cell: gain_of(labels) for cell, labels in times.items()}


def gain_of(labels):
    """{label: {distribution: microseconds}}: the most that a policy gains over the default where both were measured,
    which is everywhere or counts as a loss."""
    default = labels.pop("default", {})
    gains = [math.exp(math.fsum(math.log(us / times[dist]) for dist, us in default.items()) / len(default)) - 1
             for times in labels.values() if default and times.keys() >= default.keys()]
    return max(gains, default=-1.0)


def retire(path, bench, group, log2_from, log2_to, algorithms):
    """The decision, appended to the store."""
    mine = store.read(path)
    if not evidence.runs_of(mine):
        raise store.StoreError(f"{path}: nothing was measured")
    run = evidence.runs_of(mine)[-1]
    device, gains = gains_of(bench, group, log2_from, log2_to, algorithms)
    if device != run.device:
        raise store.StoreError(f"{bench}: {device or 'no device'}, and not {run.device}")
    if not gains:
        raise store.StoreError(f"{bench}: no cell of {group} from 2^{log2_from} to 2^{log2_to} bytes")
    for cell, gain in gains.items():
        if gain < math.expm1(propose.GAIN):
            raise store.StoreError(f"{bench}: n={cell.n}: {gain:+.1%} over the default")
    one = {"kind": "decision", "v": store.VERSION, "env": run.env, "date": run.date, "scope": run.device,
           "group": group, "log2_from": log2_from, "log2_to": log2_to, "policy": None, "against": "device",
           "verdict": "removed", "reason": f"the tune of the row had not {', '.join(algorithms)}, which the header's "
           "rule knows", "gain": math.exp(math.fsum(map(math.log1p, gains.values())) / len(gains)) - 1,
           "low": min(gains.values()), "high": max(gains.values()), "pairs": 1,
           "sizes": sorted({cell.bytes for cell in gains}), "members": sorted({cell.in_ for cell in gains}),
           "left_out": {}}
    made = decide.number([one], [])
    store.append(path, made)
    return made[0]


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
