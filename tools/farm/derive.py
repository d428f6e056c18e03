"""Derives decisions again: a decision counts only if its store's own samples lead to it.

Runs are replayed in order, each beside the rows before it. A decision in force is confirmed if decide.py makes the same
one from the run's samples. A decision of retire.py needs a run of gp_bench beside the store that shows it. All others
are doubts, as are policies of an algorithm that the header no longer has: they give no row, and `table` and `validate`
name them.
"""
import collections
import os

from tools.farm import decide, evidence, files, propose, retire, rows, store

# An unconfirmed decision, and the path of its store.
Doubt = collections.namedtuple("Doubt", "path decision reason")


def derive(stores):
    """([decision], [Doubt]): the confirmed ones, each with `boards`, the GPUs that its run was measured on."""
    runs = [(run, a_store) for a_store in stores for run in evidence.runs_of(a_store)]
    found, doubts, known = [], [], {"AUTO", *store.description()["algorithms"]}
    for run, a_store in sorted(runs, key=lambda one: one[0].order):
        claims = [one for one in rows.in_force(a_store.of("decision")) if one["env"] == run.env]
        if claims:
            made = made_by(run, stores, found, {one["group"] for one in claims})
        for one in claims:
            algorithm = (one["policy"] or {}).get("algorithm", "AUTO")
            if algorithm not in known:
                doubts.append(Doubt(a_store.path, one, f"the header has no algorithm {store.shown(algorithm)}"))
            elif any(without_names(one) == other for other in made) or retire.follows(one, run, beside(a_store.path)):
                # (`replaces` has done its work, and must not reach into other stores.)
                found.append({**one, "replaces": [], "boards": sorted(run.boards)})
            else:
                doubts.append(Doubt(a_store.path, one, "does not follow from the samples"))
    names = {(run.path, run.env) for run, _ in runs}
    doubts += [Doubt(a_store.path, one, "is of no run of its store") for a_store in stores
               for one in rows.in_force(a_store.of("decision")) if (a_store.path, one["env"]) not in names]
    return found, doubts


def decisions_of(stores):
    return derive(stores)[0]


def made_by(run, stores, before, groups):
    """decide.py's decisions about these groups of a run, given the earlier ones."""
    standing, portable = propose.folded_before(before, run), propose.portable_policies(stores, run)
    return [one for name, _ in propose.targets(run) if name in groups
            for one in decide.decide_group(run, name, standing.get((run.device, name), []), portable)]


def without_names(decision):
    return {name: value for name, value in decision.items() if name not in ("id", "replaces")}


def beside(path):
    folder = os.path.dirname(os.path.abspath(path))
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(retire.KEPT) and files.is_plain(folder, name)]


def report(doubts):
    """A line each; their contents come from strangers."""
    return [f"{doubt.path}: {store.shown(decide.describe(doubt.decision))}: {doubt.reason}" for doubt in doubts]
