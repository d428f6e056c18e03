#!/usr/bin/env python3
"""Which rows, stores and baselines a night proposes: from the boards' artifacts, without a GPU and without a token.

    ci/decide.py --artifacts DIR [--base COMMIT] [--out DIR] [--expected gpu-sm90,gpu-sm86] [--any-source]

Boards of one compute capability make one proposal, DIR/<capability>/: proposal.json says what it changes and why, tree/
has the files as they would be after it, rows.png the gains. What is proposed is what changes a row of the table or a
line of a baseline; stores that change neither are not part of it. All stores are treated by the same rules
(tools/farm/decide.py), whoever measured. A tune that did not come to its end proposes nothing, and does not take back
what an open proposal has.

Measurements that are made up or replayed are refused, but with --any-source.
"""
import argparse
import collections
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import baseline, steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import decide, devices, files, store, table, trust  # noqa: E402

PATHS = (store.STORES, baseline.FOLDER, table.TABLE)


def branch_of(capability):
    return f"bot/policies-{capability}"


class Proposal:
    """Of one compute capability. tree: a folder with what the base has, and what the boards add."""

    def __init__(self, capability, base, folder, repository):
        self.capability, self.base, self.folder, self.repository = capability, base, folder, repository
        self.tree = os.path.join(folder, "tree")
        self.boards, self.notes, self.decided, self.complete = [], [], [], True
        steps.extract(repository, base, PATHS, self.tree)
        files.check(self.tree)
        self.stores = os.path.join(self.tree, store.STORES)
        self.before = self.files()
        self.read = {path: store.read(path) for path in store.paths_under(self.stores)}
        self.table_before = self.table()
        self.added = []

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.tree):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.tree)] = file.read()
        return found

    def all_stores(self):
        """What is there now; what was read is not read again, for it takes long."""
        paths = store.paths_under(self.stores)
        self.read = {path: self.read.get(path) or store.read(path) for path in paths}
        return list(self.read.values())

    def table(self):
        """(rows, members of classes)."""
        return devices.table_of(self.all_stores())

    def note(self, board, text):
        self.notes.append(f"{board.name}: {text}")

    # ---- what the boards add

    def carry(self, remote, measured):
        """What the open proposal has, and tonight did not measure again, stays in it: all of a device that was not
        measured to the end, and of the others the tunes of primitives whose turn it was not. measured: {a device's
        folder: the primitives that were tuned}."""
        branch = branch_of(self.capability)
        if not remote or steps.git(self.repository, "fetch", "--quiet", remote, branch, check=False) is None:
            return
        tip = steps.git(self.repository, "rev-parse", "FETCH_HEAD")
        names = steps.git(self.repository, "diff", "--name-only", "--diff-filter=A", f"{self.base}...{tip}", "--",
                          store.STORES, check=False) or ""
        for name in names.split():
            folder, data = name.split("/")[2], steps.file_at(self.repository, tip, name)
            if folder not in measured:
                self.put(name, data)
                self.notes.append(f"{name}: from the open proposal, for its device was not measured to the end tonight")
            elif store.is_tune(name):
                self.carry_tune(name, data, measured[folder])

    def carry_tune(self, name, data, tuned):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(name))
            store.replace(path, data)
            others = primitives_of(store.read(path)) - tuned
        if others:
            date = os.path.basename(name)[:len("2026-01-01")]
            parts = bench.FILE_NAME.fullmatch(os.path.basename(name))
            self.put(f"{self.free_path(os.path.dirname(name), date, 'tune', parts and parts['commit'])}.gz", data)
            self.notes.append(f"{name}: from the open proposal, for tonight did not tune {', '.join(sorted(others))}")

    def put(self, name, data):
        store.replace(os.path.join(self.tree, name), data)
        self.added.append(name)

    def path_for(self, board, kind):
        """Below the tree: the board's first name of the day that is free."""
        return self.free_path(os.path.join(store.STORES, bench.folder_name(board.device)), board.date, kind,
                              board.record.get("commit"))

    def free_path(self, folder, date, kind, commit):
        for number in range(1, 1000):
            path = os.path.join(folder, bench.file_stem(date, kind, commit, number) + ".jsonl")
            if not any(os.path.exists(os.path.join(self.tree, one)) for one in (path, f"{path}.gz")):
                return path
        raise steps.CannotRun(f"{folder} is full of this day's stores")

    def add(self, board, kind, a_store, without=()):
        """The board's store as it is kept: compressed, without broken lines. Its path in the tree, or None."""
        path = self.path_for(board, kind)
        whole = os.path.join(self.tree, path)
        store.replace(whole, "".join(f"{line.text}\n" for line in a_store.lines).encode())
        if kind == "tune":
            _, appended = decide.decide(whole, self.stores)
            store.append(whole, [check for one in trust.of(store.read(whole)) for check in one.checks()])
            self.decided += appended
        store.merge_main([whole, "--out", f"{whole}.gz", *(word for name in without for word in ("--without", name))])
        os.remove(whole)
        self.added.append(f"{path}.gz")

    def finish(self):
        """Writes the table and the baselines, and leaves out stores that change neither. The paths that differ."""
        self.table_after = self.table()
        if self.table_after == self.table_before:
            for name in [name for name in self.added if store.is_tune(name)]:
                self.drop(name)
        else:
            store.replace(os.path.join(self.tree, table.TABLE), table.text_of_rows(*self.table_after).encode())
        changed = baseline.write(self.tree)
        if not changed:
            for name in [name for name in self.added if bench.has_topic(name, "regress")]:
                self.drop(name)
        after = self.files()
        self.regret = regret_of(self.all_stores(), {board.device for board in self.boards})
        return sorted(name for name in set(self.before) | set(after) if self.before.get(name) != after.get(name))

    def drop(self, name):
        os.remove(os.path.join(self.tree, name))
        self.added.remove(name)

    # ---- what it says

    def changed_rows(self):
        """[{scope, group, from, to, before, after, why}]: rows that are new, other, or gone."""
        def places(found):
            return {(row.scope, row.group, row.log2_from, row.log2_to): row for row in found}

        old, new, found = places(self.table_before[0]), places(self.table_after[0]), []
        for place in sorted(set(old) | set(new)):
            before, after = old.get(place), new.get(place)
            if before and after and before.policy == after.policy:
                continue
            decision = next((one for one in self.decided if after and
                             (one["scope"], one["group"], one["log2_from"], one["log2_to"]) == place), None)
            found.append({"scope": place[0], "group": place[1], "from": place[2], "to": place[3],
                          "before": before and store.policy_text(before.policy),
                          "after": after and store.policy_text(after.policy),
                          "why": after.provenance if after else "no longer confirmed, or another row serves it",
                          **{name: decision[name] if decision else None for name in ("gain", "low", "high", "pairs")}})
        return found

    def changed_baselines(self):
        """[{device, cell, before, after, reason}]."""
        found = []
        for name in sorted(baseline.committed(self.tree)):
            def lines(data):
                return {line["cell"]: line for line in map(store.DECODER.decode, (data or b"").decode().splitlines())}
            old, new = lines(self.before.get(name)), lines(baseline.read_bytes(os.path.join(self.tree, name)))
            found += [{"baseline": name, "cell": cell, "before": old[cell]["us"] if cell in old else None,
                       "after": new[cell]["us"], "reason": new[cell]["reason"]}
                      for cell in sorted(new) if old.get(cell) != new[cell]]
        return found


def regret_of(stores, names):
    """What decide --report says of these devices, without its tables of cells."""
    kept, mine = [], False
    for line in devices.report(stores).splitlines() if stores else []:
        if not line.startswith(" "):
            mine = any(line.startswith(f"{name}: ") for name in names)
        if mine and not line.startswith("    ") and "cell by cell" not in line:
            kept.append(line)
    return "\n".join(kept)


def primitives_of(a_store):
    """Those that a tune searched."""
    return {sample["primitive"] for sample in a_store.of("samples") if sample["phase"] == "matrix"}


def add_board(proposal, board, any_source):
    """Puts a board's stores in, and notes what is wrong with them. The primitives whose tune can be gone by, or None
    where none can be."""
    tune, regression = board.store(steps.TUNE), board.store(steps.REGRESS)
    if regression and not board.is_done("regress"):
        proposal.note(board, f"the regression run {board.said('regress')}: no baseline changes by it")
    elif regression and usable(proposal, board, regression, any_source):
        proposal.add(board, "regress", regression)
    done = None
    if "tune" not in board.record.get("asked", ["tune"]):
        pass  # nobody wanted one
    elif tune is None or not tune.of("samples"):
        proposal.note(board, f"the tune left no samples ({board.said('tune')}): nothing is proposed from it")
    elif not board.is_done("tune"):
        proposal.note(board, f"the tune {board.said('tune')}: nothing is proposed from it; "
                      f"{len(tune.of('samples'))} samples are kept")
    elif usable(proposal, board, tune, any_source):
        try:
            proposal.add(board, "tune", tune, ["search"])
            done = primitives_of(tune)
        except store.StoreError as error:
            proposal.note(board, f"tune: {error}")
        for one in trust.of(tune):
            for line in one.lines():
                proposal.note(board, line)
    for problem in board.problems:
        proposal.note(board, problem)
    return done


def usable(proposal, board, a_store, any_source):
    environments = a_store.of("environment")
    names, sources = {one["device"] for one in environments}, {one["source"] for one in environments}
    if not environments:
        proposal.note(board, f"{os.path.basename(a_store.path)} does not say on which device it was measured")
    elif names != {board.device}:
        proposal.note(board, f"{os.path.basename(a_store.path)} is of {', '.join(sorted(names))}, the record of the "
                      f"night of {board.device}: the device was renamed or exchanged; nothing is proposed from it")
    elif sources - {"live"} and not any_source:
        proposal.note(board, f"{os.path.basename(a_store.path)} is {', '.join(sorted(sources))}, not measured: "
                      "nothing is proposed from it")
    else:
        return True
    return False


def note_alike(proposal, board):
    """A new name for a board that is known under another one would lose its rows: say so."""
    def shape(one):
        return one["compute_capability"], one["multiprocessors"], one["memory_bytes"]

    mine = board.store(steps.TUNE) or board.store(steps.REGRESS)
    shapes = {shape(one) for one in mine.of("environment")} if mine else set()
    others = [one for a_store in proposal.read.values() for one in a_store.of("environment")]
    known = {one["device"] for one in others}
    alike = {one["device"] for one in others if shape(one) in shapes}
    if board.device not in known and alike:
        proposal.note(board, f"{board.device} is new here, and of the shape of {', '.join(sorted(alike))}: if only its "
                      "name is new, its rows and baselines begin again under the new one, and the old ones stay")


def propose(capability, boards, base, folder, repository, remote, any_source):
    proposal = Proposal(capability, base, folder, repository)
    proposal.boards = boards
    measured = {}
    for board in boards:
        note_alike(proposal, board)
        tuned = add_board(proposal, board, any_source)
        if tuned is None:
            proposal.complete = False
        else:
            measured.setdefault(bench.folder_name(board.device), set()).update(tuned)
    proposal.carry(remote, measured)
    files = proposal.finish()
    changed = proposal.changed_rows()
    found = {"capability": capability, "branch": branch_of(capability), "base": base, "complete": proposal.complete,
             "date": max(board.date for board in boards), "boards": [board.name for board in boards],
             "devices": sorted({board.device for board in boards}), "files": files, "rows": changed,
             "baselines": proposal.changed_baselines(), "notes": proposal.notes, "regret": proposal.regret,
             "verdicts": dict(collections.Counter(one["verdict"] for one in proposal.decided)),
             "pictures": picture(changed, os.path.join(folder, "rows.png"))}
    steps.write_json(os.path.join(folder, "proposal.json"), found)
    return found


def picture(changed, path):
    """The gains of the changed rows with their intervals; [] without matplotlib or without gains."""
    known = [row for row in changed if row["gain"] is not None]
    try:
        import matplotlib
        matplotlib.use("agg")
        from matplotlib import pyplot
    except ImportError:
        return []
    if not known:
        return []
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.3 * len(known)), layout="constrained")
    gains = [100 * row["gain"] for row in known]
    reach = [[100 * (row["gain"] - row["low"]) for row in known], [100 * (row["high"] - row["gain"]) for row in known]]
    axes.errorbar(gains, range(len(known)), xerr=reach, fmt="o", color="#0072B2", capsize=3)
    axes.axvline(0, color="#777777", linewidth=1)
    axes.set_yticks(range(len(known)), [f"{row['group']} 2^{row['from']}..2^{row['to']}" for row in known])
    axes.invert_yaxis()
    axes.set_xlabel("gain over what served it, % (95 % interval)")
    figure.savefig(path, dpi=120, metadata={"Software": ""})
    pyplot.close(figure)
    return [os.path.basename(path)]


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/decide.py", description="what a night proposes")
    parser.add_argument("--artifacts", required=True, metavar="DIR")
    parser.add_argument("--out", metavar="DIR", help="default: DIR/decide")
    parser.add_argument("--base", default="HEAD", metavar="COMMIT", help="what the proposal is made to (default: HEAD)")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--remote", metavar="NAME|URL", help="where an open proposal may be")
    parser.add_argument("--expected", default="", metavar="A,B", help="boards that have to be there")
    parser.add_argument("--any-source", action="store_true", help="also what is made up or replayed")
    args = parser.parse_args(argv)
    boards = steps.boards_of(args.artifacts, args.expected.split(","))
    out = args.out or os.path.join(args.artifacts, "decide")
    if os.path.isdir(out):
        shutil.rmtree(out)
    os.makedirs(out)
    base = steps.commit_named(args.repository, args.base)
    silent = [board.name for board in boards if not board.capability]
    for name in silent:
        print(f"{name}: NO DATA: nothing says what its GPU is; its proposal, if one is open, stays")
    capabilities = sorted({board.capability for board in boards if board.capability})
    for capability in capabilities:
        found = propose(capability, [board for board in boards if board.capability == capability], base,
                        os.path.join(out, str(capability)), args.repository, args.remote, args.any_source)
        print(f"{found['branch']}: {len(found['rows'])} rows, {len(found['baselines'])} lines of baselines, "
              f"{len(found['files'])} files{'' if found['complete'] else '; not all boards came to the end'}")
        for note in found["notes"]:
            print(f"  {note}")
    steps.write_json(os.path.join(out, steps.PROPOSALS), {"capabilities": capabilities, "silent": silent, "base": base})
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("decide", main))
