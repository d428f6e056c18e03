#!/usr/bin/env python3
"""make pr: puts the results of `make tune` on a branch, with the text of a pull request.

    ci/contribute.py [--remote NAME|URL] [--github OWNER/NAME]

Uncommitted stores below ci/measurements are shrunk (compressed, without the search's samples), and the table is written
from all stores. Branch policies-<device> gets the stores and the table, on the checked-out commit; the working tree
stays on its branch. --remote pushes it, to your fork for example. An authorised gh opens a pull request; otherwise the
branch and the text are printed.

Exit status: 0; 1 nothing to propose: the existing rows serve this GPU as well; 2 could not run.
"""
import argparse
import itertools
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import decide, pull_request, steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import files, store, table, trust  # noqa: E402

STORE = re.compile(rf"{re.escape(store.STORES)}/[a-z0-9-]+/[^/]+")


def new_stores(repository):
    """Paths of stores with uncommitted changes."""
    lines = steps.git(repository, "status", "--porcelain", "--untracked-files=all", "--", store.STORES).splitlines()
    names = [line.split(maxsplit=1)[1].strip('"') for line in lines if line.strip()]
    return [name for name in names
            if STORE.fullmatch(name) and store.is_tune(name) and os.path.exists(os.path.join(repository, name))]


def name_of_small(repository, name):
    """The store's name, compressed, with the commit that it was measured on: an older version left that out."""
    parts = bench.FILE_NAME.fullmatch(os.path.basename(name))
    environments = store.read(os.path.join(repository, name)).of("environment")
    if parts and not parts["commit"] and environments:
        for number in itertools.count(1):
            stem = bench.file_stem(parts["date"], parts["topic"], environments[-1]["commit"], number)
            new = os.path.join(os.path.dirname(name), f"{stem}.jsonl.gz")
            if new in (name, f"{name}.gz") or not os.path.exists(os.path.join(repository, new)):
                return new
    return name if name.endswith(".gz") else f"{name}.gz"


def made_small(repository, name):
    """The path of the small store, which takes the place of the large one."""
    path, small = files.path_of(repository, name), name_of_small(repository, name)
    if name.endswith(".gz"):
        os.rename(path, os.path.join(repository, small))
        return small
    store.merge_main([path, "--without", "search", "--out", os.path.join(repository, small)])
    os.remove(path)
    return small


def what_is_wrong(a_store, any_source):
    environments = a_store.of("environment")
    if not environments:
        return "it does not say on which device it was measured"
    if not a_store.of("decision"):
        return "it has no decisions: the tune is not complete; `make tune` continues it"
    if {one["source"] for one in environments} - {"live"} and not any_source:
        return "it was not measured on a GPU"
    return ""


def proposal_of(repository, names, args):
    """Fills DIR with the input of ci/pull_request.py; None if the table does not change."""
    stores = [store.read(os.path.join(repository, name)) for name in names]
    for name, a_store in zip(names, stores):
        wrong = what_is_wrong(a_store, args.any_source)
        if wrong:
            raise steps.CannotRun(f"{name}: {wrong}")
    environments = [one for a_store in stores for one in a_store.of("environment")]
    device, capability = environments[-1]["device"], environments[-1]["compute_capability"]
    folder = os.path.join(args.out, str(capability))
    base = steps.git(repository, "rev-parse", "HEAD")
    proposal = decide.Proposal(capability, base, folder, repository)
    for name, a_store in zip(names, stores):
        proposal.put(name, decide.baseline.read_bytes(os.path.join(repository, name)))
        proposal.decided += a_store.of("decision")
        proposal.notes += [f"{name}: {line}" for one in trust.of(a_store) for line in one.lines()]
        proposal.notes += [f"{name}: {len(a_store.broken)} broken lines were left out"] * bool(a_store.broken)
    files = [name for name in proposal.finish() if name not in decide.baseline.committed(proposal.tree)]
    if not files:
        return None
    changed = proposal.changed_rows()
    found = {"capability": capability, "branch": f"policies-{bench.folder_name(device)}", "base": base,
             "complete": True, "date": max(one["date"] for one in environments)[:10], "boards": [device],
             "devices": sorted({one["device"] for one in environments}), "files": files, "rows": changed,
             "baselines": [], "notes": proposal.notes, "verdicts": {},
             "regret": decide.regret_of(proposal.all_stores(), {device}),
             "pictures": decide.picture(changed, os.path.join(folder, "rows.png"))}
    steps.write_json(os.path.join(folder, "proposal.json"), found)
    steps.write_json(os.path.join(args.out, steps.PROPOSALS),
                     {"capabilities": [capability], "silent": [], "base": base})
    return found


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/contribute.py", description="your measurements as a pull request")
    parser.add_argument("--remote", metavar="NAME|URL", help="where the branch is pushed, such as your fork")
    parser.add_argument("--github", metavar="OWNER/NAME", help="the repository of the pull request")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--out", default=os.path.join(bench.BUILD, "pr"), metavar="DIR")
    parser.add_argument("--any-source", action="store_true", help="also what is made up")
    args = parser.parse_args(argv)
    shutil.rmtree(args.out, ignore_errors=True)
    os.makedirs(args.out)
    names = new_stores(args.repository)
    if not names:
        raise steps.CannotRun(f"no uncommitted store below {store.STORES}: `make tune` makes one")
    names = [made_small(args.repository, name) for name in names]
    found = proposal_of(args.repository, names, args)
    if not found:
        print("nothing to propose: no tried policy is faster on this GPU than the present rows")
        return 1
    table.write(os.path.join(args.repository, table.TABLE),
                store.read_all(store.paths_under(os.path.join(args.repository, store.STORES))))
    words = ["--proposals", args.out, "--repository", args.repository]
    for option in ("remote", "github"):
        words += [f"--{option}", getattr(args, option)] if getattr(args, option) else []
    status = pull_request.main(words)
    if not args.remote:
        print(f"next: git push YOUR-FORK {found['branch']}, and open a pull request with this text")
    return status


if __name__ == "__main__":
    sys.exit(steps.main_of("contribute", main))
