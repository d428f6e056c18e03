#!/usr/bin/env python3
"""A whole night, on this machine: make nightly ARGS=...

    ci/night.py [--out DIR] [--remote NAME|URL] [measure's options]      measure, decide, regress, keep, dashboard, pull
                                                                         request
    ci/night.py --artifacts DIR ...                                      the same without measuring: DIR is
                                                                         ci/measure.py's output, or has several boards'
    ci/night.py --made-up [MODEL.json] | --replay NIGHT                  without a GPU

A failing step does not stop the others; the end of the output and DIR/summary.json have each step's result. Nothing is
pushed without --remote; synthetic results go to a repository of their own, DIR/repository.git, unless another is named.

Exit status: 0 all is well; 1 something is slower, or a step failed; 2 could not run; 3 another night is under way; 4 no
GPU; 5 the time of --call is over before the night; 130 interrupted.
"""
import argparse
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import baseline, measure, steps  # noqa: E402
from tools.farm import files as plain, store, table  # noqa: E402

STATUS = {0: "ok", steps.FOUND_SLOW: "found something", steps.PAUSED: "goes on", 124: "out of time", 130: "interrupted"}


class Night:
    def __init__(self, args, argv):
        self.args, self.argv, self.done = args, argv, []
        kind = ".made-up" if args.made_up is not None else ".replay" if args.replay else ""
        self.out = os.path.abspath(args.out or os.path.join(steps.NIGHTS, steps.now()[:10] + kind))
        self.artifacts = os.path.abspath(args.artifacts) if args.artifacts else os.path.join(self.out, "boards")
        self.board = os.path.join(self.artifacts, args.board or "board")
        os.makedirs(self.out, exist_ok=True)

    def step(self, name, *words):
        """Runs a step's script; its exit status."""
        log, start = os.path.join(self.out, f"{name}.log"), time.monotonic()
        print(f"night: {name}", file=sys.stderr, flush=True)
        if os.path.exists(log):
            os.remove(log)
        status = steps.run([sys.executable, os.path.join(steps.ROOT, "ci", f"{name}.py"), *words], log,
                           self.args.step_seconds)
        with open(log, encoding="utf-8", errors="replace") as file:
            print("".join(f"  {line}" for line in file), end="", flush=True)
        self.done.append({"name": name, "status": status, "seconds": round(time.monotonic() - start, 1),
                          "said": steps.last_line(log)})
        return status

    def finish(self):
        steps.write_json(os.path.join(self.out, "summary.json"), self.done)
        print(f"\n{'step':<13} {'status':<16} {'s':>6}  said last")
        for one in self.done:
            word = STATUS.get(one["status"], f"failed ({one['status']})")
            print(f"{one['name']:<13} {word:<16} {one['seconds']:6.1f}  {one['said'][:90]}")
        print(f"all of it: {os.path.relpath(self.out)}")


def scratch(folder):
    """A repository for synthetic results: this tree's library, stores and baselines as one commit. Returns its path."""
    path = os.path.join(folder, "repository.git")
    if not os.path.exists(os.path.join(path, "HEAD")):
        steps.git(folder, "init", "--quiet", "--bare", "--initial-branch=main", path)
        files = {}
        plain.check(steps.ROOT, store.STORES, baseline.FOLDER)
        for name in ("gpuprims.h", table.TABLE, store.STORES, baseline.FOLDER):
            whole = os.path.join(steps.ROOT, name)
            found = [whole] if os.path.isfile(whole) else \
                [os.path.join(place, one) for place, _, names in os.walk(whole) for one in names]
            for one in found:
                files[os.path.relpath(one, steps.ROOT)] = baseline.read_bytes(one)
        tree = steps.tree_with(path, None, files)
        commit = steps.git(path, "commit-tree", tree, data=b"A tree to make nights up in\n", env=steps.BOT)
        steps.git(path, "update-ref", "refs/heads/main", commit)
    return path


def night(args, argv):
    one, worst = Night(args, argv), 0
    repository = args.repository
    if not repository:
        repository = scratch(one.out) if made_up(args) else steps.ROOT
    remote = ["--remote", args.remote] if args.remote else []
    where = ["--repository", os.path.abspath(repository)]
    if not args.artifacts:
        worst = one.step("measure", "--out", one.board, *argv, *remote)
        # 1: a step failed, and the other steps' results are used. Paused: the same command continues.
        if worst in (2, steps.BUSY, steps.NO_GPU, steps.PAUSED):
            one.finish()
            return worst
    if not os.path.isdir(one.artifacts):
        raise steps.CannotRun(f"{args.artifacts}: no such folder")
    expected = ["--expected", args.expected] if args.expected else []
    compiler = ["--compiler-command", args.suspects_compiler] if args.suspects_compiler else []
    proposals, results = os.path.join(one.out, "decide"), ["--artifacts", one.artifacts]
    found = [one.step("decide", *results, "--out", proposals, "--base", args.target_commit, *where, *remote, *expected,
                      *["--any-source"] * made_up(args)),
             one.step("regress", *results, "--out", os.path.join(one.out, "regress"), *where, *expected, *compiler)]
    if args.remote:
        found.append(one.step("keep", *results, "--results", one.out, *where, *remote))
    if not args.no_dashboard:
        found.append(one.step("dashboard", "--out", os.path.join(one.out, "site"), "--store",
                              os.path.join(one.out, "store"), *results, *where, *remote))
    found.append(one.step("pull_request", "--proposals", proposals, *where, *remote))
    if args.open_issues:
        found.append(one.step("issues", "--regress", os.path.join(one.out, "regress")))
    one.finish()
    return max(worst, *(min(status, 1) for status in found))


def made_up(args):
    return args.made_up is not None or bool(args.replay) or args.any_source


OWN = (("--out", "DIR", "default: build/night/<date>, and .made-up or .replay behind it"),
       ("--artifacts", "DIR", "do not measure: this was measured"),
       ("--repository", "FOLDER", "what is proposed to (default: this one; made up: one of its own)"),
       ("--remote", "NAME|URL", "where branches are pushed (default: nowhere)"),
       ("--expected", "A,B", "boards that have to be there"),
       ("--suspects-compiler", "COMMAND", "another compiler for suspects; {tree}: a commit's folder"))


def main(argv):
    own = argparse.ArgumentParser(add_help=False)
    for name, value, text in OWN:
        own.add_argument(name, metavar=value, help=text)
    own.add_argument("--target-commit", default="HEAD", metavar="COMMIT", help="what is proposed to (default: HEAD)")
    own.add_argument("--step-seconds", type=float, default=4 * 3600, help="of a step, at most")
    own.add_argument("--any-source", action="store_true", help="decide also about what is made up or replayed")
    own.add_argument("--no-dashboard", action="store_true", help="build no pages")
    own.add_argument("--open-issues", action="store_true", help="open issues through gh")
    _, rest = own.parse_known_args(argv)
    parser = argparse.ArgumentParser(prog="ci/night.py", description="a whole night, on this machine", parents=[own])
    measure.add_arguments(parser)
    args = parser.parse_args(argv)
    measure.check(parser, args)
    with_lock = os.path.join(steps.NIGHTS, "night.lock")
    try:
        lock = steps.locked(with_lock)
        lock.__enter__()
    except steps.CannotRun as error:
        steps.say("night", error)
        return steps.BUSY
    try:
        return night(args, rest)
    except subprocess.SubprocessError as error:
        raise steps.CannotRun(error) from error
    finally:
        lock.__exit__(None, None, None)


if __name__ == "__main__":
    sys.exit(steps.main_of("night", main))
