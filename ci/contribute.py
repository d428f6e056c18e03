#!/usr/bin/env python3
"""make pr: what `make tune` measured on this machine, as a branch and the text of a pull request.

    ci/contribute.py [--remote NAME|URL] [--github OWNER/NAME]

Stores below ci/measurements that are not committed are made small (compressed, without the search's samples), the table
is written from all stores, and branch policies-<device> gets the stores and the table, on the commit that is checked
out; the working tree stays on its branch. With --remote it is pushed there, your fork for example; a pull request is
opened where gh is there and authorised, otherwise the branch and the text are printed.

Exit status: 0; 1 nothing to propose: what stands serves this GPU as well; 2 could not run.
"""
import argparse
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
    """Paths of stores that are not committed as they are."""
    lines = steps.git(repository, "status", "--porcelain", "--untracked-files=all", "--", store.STORES).splitlines()
    names = [line.split(maxsplit=1)[1].strip('"') for line in lines if line.strip()]
    return [name for name in names
            if STORE.fullmatch(name) and store.is_tune(name) and os.path.exists(os.path.join(repository, name))]


def made_small(repository, name):
    """The path of the small store, which takes the place of the large one."""
    path = files.path_of(repository, name)
    if name.endswith(".gz"):
        return name
    store.merge_main([path, "--without", "search", "--out", f"{path}.gz"])
    os.remove(path)
    return f"{name}.gz"


def what_is_wrong(a_store, any_source):
    environments = a_store.of("environment")
    if not environments:
        return "it does not say on which device it was measured"
    if not a_store.of("decision"):
        return "it has no decisions: the tune did not come to its end; `make tune` goes on where it stopped"
    if {one["source"] for one in environments} - {"live"} and not any_source:
        return "it was not measured on a GPU"
    return ""


def proposal_of(repository, names, args):
    """Fills DIR with what ci/pull_request.py takes; None where the table does not change."""
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
        raise steps.CannotRun(f"no store below {store.STORES} that is not committed: `make tune` makes one")
    names = [made_small(args.repository, name) for name in names]
    found = proposal_of(args.repository, names, args)
    if not found:
        print("nothing to propose: what stands serves this GPU as well as anything that was tried")
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
