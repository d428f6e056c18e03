#!/usr/bin/env python3
"""The history of nights: branch `nights`, which shares no commit with the others. A night adds what its boards
measured, compressed, and its pictures; the dashboard draws them, and pull requests point at them.

    ci/keep.py --artifacts DIR [--remote NAME|URL]        adds a night
    ci/keep.py --fetch FOLDER [--remote NAME|URL]         the history, below what is committed under ci/measurements
    ci/keep.py --good DEVICE [--remote NAME|URL]          the last commit in which a night found nothing slower

    <device>/<date>.tune.jsonl.gz .regress.jsonl.gz .bench.jsonl.gz .night.json      pictures/<date>/<capability>/*.png
    <device>/good

The search's samples are left out. The same night again replaces what it left before.
"""
import argparse
import gzip
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import files as plain, store  # noqa: E402

BRANCH = "nights"
SHOWN = (".jsonl.gz", "night.json")  # what the dashboard reads; the record says how a night's steps ended
KINDS = {steps.TUNE: "tune", steps.REGRESS: "regress", steps.BENCH: "bench"}


def tip_of(repository, remote):
    """The commit of the history, fetched; "" where there is none yet."""
    if remote:
        if not steps.git(repository, "ls-remote", remote, f"refs/heads/{BRANCH}"):
            return ""
        steps.git(repository, "fetch", "--quiet", remote, BRANCH)
        return steps.git(repository, "rev-parse", "FETCH_HEAD")
    return steps.git(repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{BRANCH}", check=False) or ""


def packed(board, name):
    """A file of a board as it is kept, or None: without the search's samples and without broken lines."""
    if name == steps.BENCH:
        path = board.path(name)
        lines = open(path, "rb").read().splitlines() if os.path.exists(path) else []
        lines = [line for line in lines if line.endswith(b"}")]
    else:
        a_store = board.store(name)
        lines = [line.text.encode() for line in a_store.lines if line.value.get("phase") != "search"] if a_store else []
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0) if lines else None


def free(files, stem, ending):
    """A name that no other board of the night has: two may have the same device."""
    names = [f"{stem}.{ending}", *(f"{stem}.{number}.{ending}" for number in range(2, 100))]
    return next(name for name in names if name not in files)


def files_of(artifacts, results=None):
    """{path in the branch: bytes} of a night. results: where ci/decide.py and ci/regress.py wrote."""
    files, results = {}, results or artifacts
    for board in steps.boards_of(artifacts):
        if not board.device or not board.date:
            continue
        stem = f"{bench.folder_name(board.device)}/{board.date}"
        for name, kind in KINDS.items():
            data = packed(board, name)
            if data:
                files[free(files, stem, f"{kind}.jsonl.gz")] = data
        files[free(files, stem, "night.json")] = (store.dump(board.record) + "\n").encode()
    plain.check(results, "regress")
    for one in steps.read_json(os.path.join(results, "regress", "regress.json")) or []:
        if one["good"] and not one["good"].endswith("+"):
            files[f"{bench.folder_name(one['device'])}/good"] = f"{one['good']}\n".encode()
    proposals = steps.proposals_in(os.path.join(results, "decide")) or ({},)
    for capability, (folder, found) in proposals[0].items():
        for name in found["pictures"] if found else []:
            with open(plain.path_of(folder, name), "rb") as file:
                files[f"pictures/{found['date']}/{capability}/{name}"] = file.read()
    return files


def add(args):
    files = files_of(args.artifacts, args.results)
    if not files:
        print("nothing to keep: no board said what it is")
        return 0
    for attempt in range(3):  # another night may have added its own meanwhile
        old = tip_of(args.repository, args.remote)
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
    """Committed measurements and, below the same devices' folders, those of the nights."""
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
        if name.endswith(SHOWN) and not os.path.exists(path):
            store.replace(path, steps.file_at(args.repository, tip, name))
            count += 1
    print(f"{args.fetch}: {count} files of the nights")
    return 0


def good_of(repository, remote, device):
    """The last commit in which a night found nothing slower on a device; HEAD~1 where none is known."""
    try:
        tip = tip_of(repository, remote)
        data = steps.file_at(repository, tip, f"{bench.folder_name(device)}/good") if tip else None
        commit = data.decode().strip() if data else ""
        if commit and steps.git(repository, "cat-file", "-e", f"{commit}^{{commit}}", check=False) is not None:
            return commit
        steps.say("keep", f"no night has found {device} good yet: comparing with the commit before this one")
    except steps.CannotRun as error:
        steps.say("keep", f"the history of nights cannot be read, comparing with the commit before this one: {error}")
    return "HEAD~1"


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/keep.py", description="the history of nights")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--artifacts", metavar="DIR")
    what.add_argument("--fetch", metavar="FOLDER")
    what.add_argument("--good", metavar="DEVICE")
    parser.add_argument("--results", metavar="DIR", help="where decide/ and regress/ are (default: with the artifacts)")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--remote", metavar="NAME|URL")
    args = parser.parse_args(argv)
    if args.good:
        print(good_of(args.repository, args.remote, args.good))
        return 0
    return add(args) if args.artifacts else fetch(args)


if __name__ == "__main__":
    sys.exit(steps.main_of("keep", main))
