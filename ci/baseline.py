#!/usr/bin/env python3
"""Baselines: ci/baselines/<device>.jsonl, a line a cell: how long it takes, since when, and why that is what counts.

    ci/baseline.py [--check] [--folder FOLDER]              writes them (or compares) out of the committed regressions
    ci/baseline.py --accept CELL --device NAME --reason TEXT [--remote NAME|URL]     a slowdown that is meant to stay

CELL is one of a regression that was SLOW, or, as the dashboard's first page calls it, one that took longer in the last
night's benchmark than in one before.

They are for trends: what a regression is found by is the base commit, rerun the same night. They are a pure function of
the stores ci/measurements/<device>/*.regress.*.jsonl[.gz], folded in the order of their dates, and of
ci/baselines/accepted.jsonl and accepted/*.jsonl (a page's pull request adds one of these); nobody edits them. A line
changes where the cell was

    first measured; measured on another driver or NVRTC; confirmed to be faster than the base (FAST);
    confirmed to be slower, and the slowdown was accepted, with the accepter's reason;

and stays as it was otherwise, so that many small slowdowns add up to one that is seen (`drift`). Where no committed
store has the slowdown that is accepted, the newest night that has it is committed with it: ci/keep.py keeps the nights.
"""
import argparse
import collections
import glob
import itertools
import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import keep, steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import cell_keys, evidence, files, store  # noqa: E402
from tools.farm.verdicts import FAST, SLOW  # noqa: E402

FOLDER = store.BASELINES
ACCEPTED = "accepted.jsonl"
DRIFT = 1.05  # a cell that takes so much longer than its baseline is named


def regressions_of(root, folder):
    """The regression stores of a device's folder; files.Refused where one is no plain file."""
    files.check(root, os.path.join(store.STORES, folder))
    return sorted(path for path in glob.glob(os.path.join(root, store.STORES, folder, "*"))
                  if bench.has_topic(path, "regress"))


# A cell's time in a regression: the median of the processes' medians, how many these are, the last sample, and how much
# they vary.
Time = collections.namedtuple("Time", "us processes sample cv")


def measured(a_store):
    """({cell's text: Time} of this tree's side, verdicts, environments)."""
    environments = {one["id"]: one for one in a_store.of("environment")}
    lines = a_store.of("verdict")
    verdicts = {store.cell_of(line).text: line for line in lines}
    sides = {line["env"] for line in lines if line["env"]}
    times, last = {}, {}
    for sample in a_store.of("samples"):
        if sample["phase"] == "regress" and sample["env"] in sides and sample["variant"] == "default" and \
                not evidence.unusable(sample):
            text = store.cell_of(sample).text
            times.setdefault(text, []).append(statistics.median(sample["us"]))
            last[text] = sample
    return {text: Time(statistics.median(found), len(found), last[text], variation(found))
            for text, found in times.items()}, verdicts, environments


def variation(values):
    return statistics.stdev(values) / statistics.fmean(values) if len(values) > 1 else 0.0


def number_of(name):
    """The number of a store among those of its day and commit; of its day, where its name has no commit."""
    parts = bench.FILE_NAME.fullmatch(name)
    return int(parts and (parts["number"] or parts["earlier"]) or 1)


def fold(paths, accepted):
    """{device: {cell: line}} after the stores, in the order of their dates. accepted: [{device, cell, commit, base,
    high, reason}]"""
    runs = []
    for path in paths:
        a_store = store.read(path)
        dates = [one["date"] for one in a_store.of("environment")]
        if dates:
            name = os.path.basename(path)
            runs.append((max(dates), number_of(name), name, a_store))
    devices = {}
    for _, _, name, a_store in sorted(runs, key=lambda run: run[:3]):
        times, verdicts, environments = measured(a_store)
        for text in sorted(times):
            us, processes, sample, _ = times[text]
            environment = environments[sample["env"]]
            lines = devices.setdefault(environment["device"], {})
            verdict = verdicts.get(text)
            reason = reason_for(lines.get(text), environment, verdict, accepted, text)
            if reason:
                lines[text] = {"cell": text, "us": round(us, 4), "processes": processes,
                               "policy": store.policy_text(sample["policy"]), "code": sample.get("code", ""),
                               "commit": environment["commit"], "driver": str(environment["driver"]),
                               "nvrtc": str(environment["nvrtc"]), "date": environment["date"][:10], "store": name,
                               "reason": reason}
    return devices


def reason_for(old, environment, verdict, accepted, text):
    """Why tonight's time takes the place of what stands there, or ""."""
    if old is None:
        return "first measured"
    for name, title in (("driver", "driver"), ("nvrtc", "NVRTC")):
        if old[name] != str(environment[name]):
            return f"{title} {old[name]} became {environment[name]}"
    if verdict and verdict["outcome"] == FAST:
        return f"{1 / verdict['ratio']:.3f} times as fast as the base"
    if verdict and verdict["outcome"] == SLOW:
        return next((f"accepted: {one['reason']}" for one in accepted if one["device"] == environment["device"] and
                     one["cell"] == text and one["commit"] == environment["commit"]), "")
    return ""


def accepted_of(root):
    files.check(root, FOLDER)
    found = []
    for path in store.accepted_files(os.path.join(root, FOLDER))[0]:
        try:
            with open(path, encoding="utf-8") as file:
                found += [json.loads(line) for line in file if line.strip()]
        except ValueError as error:
            raise steps.CannotRun(f"{path}: {error}") from error
    return found


def files_of(root):
    """{path below the root: bytes} of all baselines of a tree."""
    stores = os.path.join(root, store.STORES)
    folders = sorted(os.listdir(stores)) if os.path.isdir(stores) else []
    accepted, found = accepted_of(root), {}
    for folder in folders:
        for device, lines in fold(regressions_of(root, folder), accepted).items():
            text = "".join(store.dump(lines[cell]) + "\n" for cell in sorted(lines))
            found[os.path.join(FOLDER, f"{bench.folder_name(device)}.jsonl")] = text.encode()
    return found


def committed(root):
    return {os.path.relpath(path, root) for path in glob.glob(os.path.join(root, FOLDER, "*.jsonl"))
            if os.path.basename(path) != ACCEPTED}


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def differing(root):
    """{path: bytes, None for one that nothing is known of} where the tree's baselines are not what its stores say."""
    found = files_of(root)
    wrong = {path: data for path, data in found.items() if read_bytes(os.path.join(root, path)) != data}
    return {**wrong, **{path: None for path in committed(root) - set(found)}}


def write(root):
    """Writes what differs; the paths."""
    wrong = differing(root)
    for path, data in wrong.items():
        if data is None:
            os.remove(os.path.join(root, path))
        else:
            store.replace(os.path.join(root, path), data)
    return sorted(wrong)


def lines_of(root, device):
    """{cell: line} of a device's committed baseline; {} where there is none."""
    data = read_bytes(os.path.join(root, FOLDER, f"{bench.folder_name(device)}.jsonl")) or b""
    return {line["cell"]: line for line in map(json.loads, data.decode().splitlines())}


def drift(a_store, baseline):
    """[(cell, time over the baseline's, line of the baseline)] that went beyond DRIFT, the worst first. Other nights'
    times prove nothing: this is where to look."""
    return beyond({text: one.us for text, one in measured(a_store)[0].items()}, baseline)


def beyond(times, baseline):
    """drift of {cell: us}. First calls are the host's: another host of the same device is no drift."""
    found = [(text, us / baseline[text]["us"], baseline[text]) for text, us in times.items()
             if text in baseline and not text.endswith("protocol=first_call")]
    return sorted((one for one in found if one[1] > DRIFT), key=lambda one: -one[1])


def slow_in(a_store, cell):
    """[(date, commit, base's commit, upper end of the ratio)] of the runs of a store that found a cell SLOW."""
    known = {one["id"]: one for one in a_store.of("environment")}
    return [(known[line["env"]]["date"], known[line["env"]]["commit"], known[line["base"]]["commit"], line["high"])
            for line in a_store.of("verdict") if line["env"] in known and line["base"] in known and
            line["outcome"] == SLOW and store.cell_of(line).text == cell]


def from_the_nights(args, folder, cell):
    """Puts the newest night's store in which a cell is SLOW among the committed ones; what slow_in says of it."""
    remote = args.remote
    if remote is None and steps.git(args.folder, "remote", "get-url", "origin", check=False) is not None:
        remote = "origin"
    tip = keep.tip_of(args.folder, remote)
    names = steps.names_at(args.folder, tip, folder) if tip else []
    with tempfile.TemporaryDirectory() as place:
        dated = sorted(((os.path.basename(name)[:10], name) for name in names if bench.has_topic(name, "regress")),
                       reverse=True)
        for date, nights in itertools.groupby(dated, key=lambda one: one[0]):
            slow = []  # of this day's nights: a name does not tell which of two commits was measured last
            for _, name in nights:
                path, data = os.path.join(place, os.path.basename(name)), steps.file_at(args.folder, tip, name)
                store.replace(path, data)
                found = slow_in(store.read(path), cell)
                slow += [(max(found), data, found)] if found else []
            if slow:
                (_, commit, *_), data, found = max(slow)
                there = {os.path.basename(one) for one in regressions_of(args.folder, folder)}
                kept = os.path.join(store.STORES, folder, keep.free(there, date, "regress", commit))
                store.replace(os.path.join(args.folder, kept), data)
                print(kept)
                return found
    return []


def slower_in_benchmarks(args, folder):
    """[(date, commit, commit before, ratio of times)] of a cell that took longer in the last night's benchmark."""
    from dashboard import model, read  # reads what other forms of measurements have, too
    found, _ = read.files_below(os.path.join(args.folder, store.STORES))
    files = [read.read(path, device, name) for path, device, name in found if device == folder and
             not any(word in name for word in (".tune.", ".regress.", ".landscape."))]
    changes = [change for device in model.devices_of(files) for change in model.changes_of(device)["slower"]]
    pairs = [(change.now.run.environment, change.before.run.environment, change.ratio) for change in changes
             if change.text == args.accept]
    return [(now["date"], now["commit"], before["commit"], float(f"{ratio:.6g}")) for now, before, ratio in pairs
            if now["device"] == args.device]


def accept(args):
    """Of a regression, of the last night's benchmark, or of both, where both say that the cell is slower."""
    if not args.reason or not args.device:
        raise steps.CannotRun("--accept CELL needs --device NAME and --reason TEXT")
    folder, found = bench.folder_name(args.device), {}
    found[args.accept] = slower_in_benchmarks(args, folder)
    try:
        cell = cell_keys.read(args.accept)[1]
        found[cell] = [one for path in regressions_of(args.folder, folder) for one in slow_in(store.read(path), cell)] \
            or from_the_nights(args, folder, cell) or found.get(cell)
    except ValueError as error:  # benchmarks have words that the farm does not know
        if not found[args.accept]:
            raise steps.CannotRun(f"--accept {args.accept}: {error}") from error
    if not any(found.values()):
        raise steps.CannotRun(f"--accept: no committed regression of {args.device}, and no night that was kept, says "
                              f"that {cell} is SLOW, and its last benchmark does not list it as slower")
    lines = [{"device": args.device, "cell": text, "commit": commit, "base": base, "high": high, "reason": args.reason}
             for text, those in found.items() if those for _, commit, base, high in [max(those)]]
    os.makedirs(os.path.join(args.folder, FOLDER), exist_ok=True)
    store.append(os.path.join(args.folder, FOLDER, ACCEPTED), lines)


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/baseline.py", description="baselines out of the committed regressions")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where one is not current")
    parser.add_argument("--folder", default=steps.ROOT, metavar="FOLDER", help="of the tree (default: this one)")
    parser.add_argument("--accept", metavar="CELL")
    parser.add_argument("--device", metavar="NAME")
    parser.add_argument("--reason", metavar="TEXT")
    parser.add_argument("--remote", metavar="NAME|URL", help="where the nights are kept (default: origin, if there is "
                        "one; else this repository)")
    args = parser.parse_args(argv)
    if args.accept:
        try:
            accept(args)
        except ValueError as error:
            parser.error(f"--accept {args.accept}: {error}")
    if args.check:
        wrong = sorted(differing(args.folder))
        for path in wrong:
            print(f"{path} is not what the stores say: ci/baseline.py")
        return 1 if wrong else 0
    for path in write(args.folder):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("baseline", main))
