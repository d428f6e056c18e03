#!/usr/bin/env python3
"""Writes the commit to compare with as a folder, for a machine without a repository.

    ci/base.py [COMMIT] --out FOLDER      default: the commit before this one

The folder gets that commit's gpuprims.h and gpuprims_policies.h, COMMIT (its name) and HEAD (this tree's name), which
ci/measure.py reads.
"""
import argparse
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import steps  # noqa: E402
from tools.farm import store  # noqa: E402


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/base.py", description="the commit to compare with, as a folder")
    parser.add_argument("commit", nargs="?", default="HEAD~1")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    args = parser.parse_args(argv)
    commit = steps.commit_named(args.repository, args.commit)
    if os.path.exists(args.out) and os.listdir(args.out) and not os.path.exists(os.path.join(args.out, "COMMIT")):
        raise steps.CannotRun(f"{args.out}: exists, and is not a base")
    shutil.rmtree(args.out, ignore_errors=True)
    steps.extract(args.repository, commit, ["gpuprims.h", "gpuprims_policies.h"], args.out)
    head = steps.git(args.repository, "rev-parse", "HEAD")
    for name, text in (("COMMIT", commit), ("HEAD", head)):
        store.replace(os.path.join(args.out, name), f"{text}\n".encode())
    print(f"{args.out}: {commit[:12]}, to be compared with {head[:12]}")
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("base", main))
