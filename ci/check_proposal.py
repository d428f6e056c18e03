#!/usr/bin/env python3
"""Checks a night's branch bot/policies-*: it changes only generated files and stores, all of them plain files; the
stores' claims follow from their samples (tools/farm/validate.py); and regenerated files have the same bytes. (The tests
compare the bytes too; this says it first, in one line.)

    ci/check_proposal.py --base COMMIT
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import baseline, pull_request, steps  # noqa: E402
from tools.farm import store, table, validate  # noqa: E402


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/check_proposal.py", description="is a proposal what it may be?")
    parser.add_argument("--base", required=True, metavar="COMMIT")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    args = parser.parse_args(argv)
    names = steps.git(args.repository, "diff", "--name-only", f"{args.base}...HEAD").split()
    pull_request.check_files(names)
    steps.names_at(args.repository, "HEAD")
    folder = os.path.join(args.repository, store.STORES)
    proposed = [path for path in validate.stores_below(folder) if os.path.relpath(path, args.repository) in names]
    count, unbelievable = validate.judge(proposed, folder)
    for line in unbelievable:
        print(line)
    stores = store.read_all(store.paths_under(folder))
    wrong = [] if table.is_current(os.path.join(args.repository, table.TABLE), stores) else [table.TABLE]
    wrong += sorted(baseline.differing(args.repository))
    for name in wrong:
        print(f"{name} is not what the stores say: make table, ci/baseline.py")
    print(f"{len(names)} files, {len(wrong)} of them not what the stores say; {count} lines of proposed stores, "
          f"{len(unbelievable)} wrong")
    return 1 if wrong or unbelievable else 0


if __name__ == "__main__":
    sys.exit(steps.main_of("check_proposal", main))
