#!/usr/bin/env python3
"""The history of nights: branch `nights`, which shares no commit with other branches. A night adds its boards'
measurements, compressed, and its pictures; the dashboard draws them, and pull requests link to them.

    ci/keep.py --artifacts DIR [--remote NAME|URL]        adds a night
    ci/keep.py --fetch FOLDER [--remote NAME|URL]         the history, beside the committed ci/measurements ci/keep.py
    --bases DEVICE [--remote NAME|URL]         the base commit of each cell

    <device>/<date>.<topic>.<commit>.jsonl.gz     topic: tune, regress, bench
    <device>/<date>.night.<commit>.json           how the night's steps ended
    <device>/bases.tsv                            cell, its base (a commit), the last night that measured it
    pictures/<date>/<capability>/*.png

The search's samples are left out. A night that is there is not added again; the second night of a date and a commit is
<date>.tune.<commit>.2.jsonl.gz and so on. Files of earlier nights may have names without a commit.

A cell's base moves to the commit of a night that finds it SAME or FAST, or SLOW and accepted, against that base. UNSURE
and NO DATA leave it, so a slowdown that one night misses is still one for the next night.
"""
import argparse
import collections
import contextlib
import gzip
import itertools
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import files as plain, store  # noqa: E402

BRANCH = "nights"
NIGHTS = 60  # that are looked at for when a primitive was tuned
BASES = "bases.tsv"
Base = collections.namedtuple("Base", "commit date")  # a cell's base; the last night that measured it
KINDS = {steps.TUNE: "tune", steps.REGRESS: "regress", steps.BENCH: "bench"}


def tip_of(repository, remote):
    """The history's commit, fetched; "" if there is none yet."""
    if remote:
        if not steps.git(repository, "ls-remote", remote, f"refs/heads/{BRANCH}"):
            return ""
        steps.git(repository, "fetch", "--quiet", remote, BRANCH)
        return steps.git(repository, "rev-parse", "FETCH_HEAD")
    return steps.git(repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{BRANCH}", check=False) or ""


def packed(board, name):
    """A board's file for keeping, or None: without the search's samples and broken lines."""
    if name == steps.BENCH:
        path = board.path(name)
        lines = open(path, "rb").read().splitlines() if os.path.exists(path) else []
        lines = [line for line in lines if line.endswith(b"}")]
    else:
        a_store = board.store(name)
        lines = [line.text.encode() for line in a_store.lines if line.value.get("phase") != "search"] if a_store else []
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0) if lines else None


def free(files, date, topic, commit):
    """A name that none of the files has."""
    return next(name for name in (f"{bench.file_stem(date, topic, commit, number)}.jsonl.gz"
                                  for number in itertools.count(1)) if name not in files)


def record_name(name):
    """Is this the record of a night?"""
    parts = bench.FILE_NAME.fullmatch(os.path.basename(name))
    return bool(parts) and parts["topic"] == "night" and parts["form"] == "json"


def is_shown(name):
    """Does the dashboard read it? The record says how a night's steps ended."""
    return name.endswith(".jsonl.gz") or record_name(name)


def names_of(board, files, old):
    """{topic: path in the branch} of a board's files: as before where the branch has this very night; otherwise as no
    other night of the date and no other board of this night is, for two may have the same device."""
    def names(number):
        commit = board.record.get("commit")
        stem = {topic: f"{bench.folder_name(board.device)}/{bench.file_stem(board.date, topic, commit, number)}"
                for topic in (*KINDS.values(), "night")}
        return {topic: f"{one}.json" if topic == "night" else f"{one}.jsonl.gz" for topic, one in stem.items()}

    def is_ours(found):
        record = old(found["night"])
        if record is None:
            return not any(old(found[topic]) for topic in KINDS.values())
        record = json.loads(record)
        return all(record.get(name) == board.record.get(name) for name in ("date", "board"))
    return next(found for found in map(names, itertools.count(1)) if found["night"] not in files and is_ours(found))


# ---- bases -----------------------------------------------------------------------------------------------------------


def read_bases(data):
    """{cell: Base} from a file's bytes; None: no file."""
    lines = (line.split("\t") for line in (data or b"").decode().splitlines())
    return {words[0]: Base(*words[1:]) for words in lines if len(words) == 3}


def write_bases(bases):
    return "".join("\t".join((cell, *bases[cell])) + "\n" for cell in sorted(bases)).encode()


def is_commit(name):
    """Whether it is a whole commit name: not a folder, and without changes on top."""
    return re.fullmatch(r"[0-9a-f]{40}", name) is not None


def moved(bases, boards, date):
    """The bases after a night. boards: of one device, as in ci/regress.py's regress.json. A verdict against another
    commit than a cell's base does not count; if two boards measured a cell, both must find it good."""
    said = collections.defaultdict(list)
    for board in boards:
        for cell, one in board["cells"].items():
            if is_commit(one["base"]) and is_commit(board["commit"]):
                said[cell, one["base"], board["commit"]].append(one["moves"])
    after = dict(bases)
    for (cell, base, commit), moves in said.items():
        if bases.get(cell, Base(base, "")).commit == base:
            after[cell] = Base(commit if all(moves) else base, date)
    return after


def bases_of(repository, remote, device):
    """{cell: Base} from a device's nights; {} with a message if unknown."""
    try:
        tip = tip_of(repository, remote)
        found = read_bases(steps.file_at(repository, tip, f"{bench.folder_name(device)}/{BASES}") if tip else None)
    except steps.CannotRun as error:
        steps.say("keep", f"the history of nights cannot be read, comparing with the commit before this one: {error}")
        return {}
    if not found:
        steps.say("keep", f"no night has measured {device} yet: comparing with the commit before this one")
    there = {commit: steps.git(repository, "cat-file", "-e", f"{commit}^{{commit}}", check=False) is not None
             for commit in {one.commit for one in found.values()}}
    lost = [commit[:12] for commit, is_there in sorted(there.items()) if not is_there]
    if lost:
        steps.say("keep", f"bases without a commit in this repository, so their cells start over: {', '.join(lost)}")
    return {cell: one for cell, one in found.items() if there[one.commit]}


def tuned_of(repository, remote, device):
    """{primitive: the last night that tuned it} for a device; {} if unknown."""
    found, folder = {}, bench.folder_name(device)
    with contextlib.suppress(steps.CannotRun):
        tip = tip_of(repository, remote)
        names = steps.git(repository, "ls-tree", "--name-only", tip, f"{folder}/").split() if tip else []
        for name in sorted(filter(record_name, names))[-NIGHTS:]:
            record = json.loads(steps.file_at(repository, tip, name))
            for primitive in record.get("tuned", []):
                found[primitive] = max(record["date"], found.get(primitive, ""))
    return found


# ---- a night ---------------------------------------------------------------------------------------------------------


def files_of(artifacts, results=None, old=lambda path: None):
    """{path in the branch: bytes} of a night. results: output folder of ci/decide.py and ci/regress.py; old(path): the
    branch's bytes."""
    files, results = {}, results or artifacts
    for board in steps.boards_of(artifacts):
        if not board.device or not board.date:
            continue
        names = names_of(board, files, old)
        for name, kind in KINDS.items():
            data = packed(board, name)
            if data:
                files[names[kind]] = data
        files[names["night"]] = (store.dump(board.record) + "\n").encode()
    plain.check(results, "regress")
    devices = collections.defaultdict(list)
    for one in steps.read_json(os.path.join(results, "regress", "regress.json")) or []:
        if one["cells"]:
            devices[one["device"]].append(one)
    for device, boards in devices.items():
        path = f"{bench.folder_name(device)}/{BASES}"
        bases = moved(read_bases(old(path)), boards, max(one["date"] for one in boards))
        if bases:
            files[path] = write_bases(bases)
    proposals = steps.proposals_in(os.path.join(results, "decide")) or ({},)
    for capability, (folder, found) in proposals[0].items():
        for name in found["pictures"] if found else []:
            with open(plain.path_of(folder, name), "rb") as file:
                files[f"pictures/{found['date']}/{capability}/{name}"] = file.read()
    return files


def add(args):
    for attempt in range(3):  # another night may have pushed meanwhile
        old = tip_of(args.repository, args.remote)
        files = files_of(args.artifacts, args.results,
                         lambda path, tip=old: steps.file_at(args.repository, tip, path) if tip else None)
        if not files:
            print("nothing to keep: no board has a record")
            return 0
        tree = steps.tree_with(args.repository, old, files)
        if old and tree == steps.git(args.repository, "rev-parse", f"{old}^{{tree}}"):
            print(f"{BRANCH}: has this night")
            return 0
        new = steps.git(args.repository, "commit-tree", tree, *(["-p", old] if old else []), env=steps.BOT,
                        data=f"Night of {max(name.split('/')[1][:10] for name in files)}\n".encode())
        if not args.remote:
            steps.git(args.repository, "update-ref", f"refs/heads/{BRANCH}", new, old)
        elif steps.git(args.repository, "push", "--quiet", args.remote, f"{new}:refs/heads/{BRANCH}",
                       check=attempt == 2) is None:
            continue
        print(f"{BRANCH}: {len(files)} files at {new[:12]}")
        return 0
    return 1


def fetch(args):
    """Committed measurements and, in the same devices' folders, those of the nights."""
    shutil.rmtree(args.fetch, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        there = os.path.join(args.repository, store.STORES)
        if not os.path.lexists(there):  # a repository without a working tree
            there = os.path.join(folder, store.STORES)
            steps.extract(args.repository, "HEAD", [store.STORES], folder)
            os.makedirs(there, exist_ok=True)
        plain.check(there.removesuffix(store.STORES), store.STORES)
        shutil.copytree(there, args.fetch)
    tip = tip_of(args.repository, args.remote)
    if not tip:
        print("no night has been kept yet")
        return 0
    count = 0
    for name in steps.names_at(args.repository, tip):
        path = os.path.join(args.fetch, name)
        if is_shown(name) and not os.path.exists(path):
            store.replace(path, steps.file_at(args.repository, tip, name))
            count += 1
    print(f"{args.fetch}: {count} files of the nights")
    return 0


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/keep.py", description="the history of nights")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--artifacts", metavar="DIR")
    what.add_argument("--fetch", metavar="FOLDER")
    what.add_argument("--bases", metavar="DEVICE")
    parser.add_argument("--results", metavar="DIR", help="where decide/ and regress/ are (default: with the artifacts)")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--remote", metavar="NAME|URL")
    args = parser.parse_args(argv)
    if args.bases:
        print(write_bases(bases_of(args.repository, args.remote, args.bases)).decode(), end="")
        return 0
    return add(args) if args.artifacts else fetch(args)


if __name__ == "__main__":
    sys.exit(steps.main_of("keep", main))
