"""Proposals: policies for buckets of sizes, from the matrix; and the plan of the rerun that decides about them.

    python3 -m tools.farm propose STORE --out PLAN [--stores FOLDER]

The rerun also measures other cells in a proposed bucket or a row's: those of the standard list, with other words and
protocols, and five about each size. Beside each row of this device it measures the choice of the header's rule.

Dynamic programming divides a group's sizes into intervals with the least regret; each has one policy, or keeps what
serves it now. Regret is time over the best time at that size, less 1. Times within the noise of the best count as the
best. Ties go to fewer rows, then to fewer fields that differ from the incumbent's, then to the order of the texts. An
interval is proposed if its policy gains what a decision asks for (decide.py).
"""
import argparse
import collections
import math
import os
import subprocess

from tools.farm import cell_keys, evidence, rows, standard, store
from tools.farm.arrays import np

RULE = "rule:"              # before a policy of a plan: the choice of the header's rule
GAIN = math.log(1.02)       # least gain of a row; a loss of this much at a size rejects it
LEAST_TIE = 0.005           # closer times count as equal
ROW_PRICE = 0.02            # regret that a new row must save: 2 % at one size
UNITS = 1e-6                # of regret, against rounding
# A cell in a partition: {policy: time}, the time of the policy that serves it now, that policy (which gains nothing
# here), the tolerance of a tie. A policy must be measured in all views of a size, except partial ones.
View = collections.namedtuple("View", "times incumbent usual tie partial", defaults=(False,))
# Candidates for sizes first to last (positions), the best first.
Proposal = collections.namedtuple("Proposal", "first last policies")


# ---- buckets ---------------------------------------------------------------------------------------------------------


def differing(text, usual):
    """The number of fields that differ from the incumbent's."""
    usual = store.policy_of(usual) if usual else {}
    return sum(value != usual.get(name) for name, value in store.policy_of(text).items())


def scores(points, policies):
    """Arrays over policies and sizes: regret beyond ties, mean log gain over the incumbent, the worst view's log gain.
    The incumbent is the last row of the regret."""
    regret = np.full((len(policies) + 1, len(points)), np.inf)
    gain, worst = np.full(regret.shape, -np.inf), np.full(regret.shape, -np.inf)
    for k, views in enumerate(points):
        for p, policy in enumerate(policies + [None]):
            if any(policy and policy not in view.times and not view.partial for view in views):
                continue
            found = [(view.times[policy] if policy else view.incumbent, view) for view in views
                     if not policy or policy in view.times]
            regret[p, k] = max(max(0.0, time / min([view.incumbent, *view.times.values()]) - 1 - view.tie)
                               for time, view in found)
            logs = [math.log(view.incumbent / time) for time, view in found if policy != view.usual]
            if logs:
                gain[p, k], worst[p, k] = sum(logs) / len(logs), min(logs)
    return regret, gain, worst


def partition(points, standing=None, among=None):
    """The proposals for a group. points: lists of views, by ascending size. standing: the row that serves each size now
    (any name), or None; a table has room for a few rows, and existing ones count. among: the policies that may be
    proposed, None for all."""
    policies = sorted({policy for views in points for view in views for policy in view.times
                       if among is None or policy in among})
    standing = standing or [None] * len(points)
    regret, gain, worst = scores(points, policies)
    ties = [max(view.tie for view in views) for views in points]  # an end without a further gain keeps what it has
    # least[k][rows]: (cost, new rows, differing fields, segments) of the first k sizes, by rows in the table
    least = [{0: (0, 0, 0, ())}] + [{} for _ in points]
    for last in range(len(points)):
        for first in range(last + 1):
            span = slice(first, last + 1)
            kept = standing[span]
            runs = sum(row is not None and (k == 0 or kept[k - 1] != row) for k, row in enumerate(kept))
            options = [(units(regret[-1, span]), runs, 0, 0, ())]
            fit = (gain[:-1, span].mean(axis=1) > GAIN) & (worst[:-1, span].min(axis=1) > -GAIN) & \
                (gain[:-1, first] > ties[first]) & (gain[:-1, last] > ties[last])
            ranked = sorted((units(regret[p, span]), differing(policies[p], points[first][0].usual), policies[p])
                            for p in np.flatnonzero(fit))
            if ranked:
                cost, fields, _ = ranked[0]
                names = tuple(policy for _, _, policy in ranked[:2])
                options.append((cost + round(ROW_PRICE / UNITS), 1, 1, fields, (Proposal(first, last, names),)))
            for cost, used, new, fields, segment in options:
                for before, found in least[first].items():
                    total = (found[0] + cost, found[1] + new, found[2] + fields, found[3] + segment)
                    used_up = before + used
                    if used_up <= rows.MOST_ROWS and total < least[last + 1].get(used_up, (math.inf,)):
                        least[last + 1][used_up] = total
    return list(min(least[-1].values())[3]) if points and least[-1] else []


def units(regret):
    total = float(regret.sum())
    return round(total / UNITS) if math.isfinite(total) else math.inf


# ---- a group ---------------------------------------------------------------------------------------------------------


def baseline(group, cell, measured, standing):
    """The variant that serves a cell now: the row if there is one, otherwise the header's choice. None: it was not
    measured. (The header's choice does not count if its table was another one.)"""
    policy, source = group.default.get(cell, ("", ""))
    row = next((row for row in standing if rows.serves(row, cell.log2)), None)
    if row and policy and not evidence.can_serve(cell, store.policy_text(row.policy), policy):
        row = None
    if row and policy and not rows.same_policy(row, policy):
        text = store.policy_text(row.policy)
        return text if text in measured else None
    return "default" if "default" in measured and (row or source != "device") else None


def sizes_of(group):
    return sorted({cell.log2 for cell in group.matrix})


def proposals(group, standing, faults=()):
    """The proposals for a searched group, given the rows of now. faults: policies that must not be proposed."""
    barred, sizes = {"default", *group.faults, *faults}, sizes_of(group)
    points, serving = [], []
    for log2 in sizes:
        views = []
        for cell, row in sorted(group.matrix.items()):
            if cell.log2 == log2:
                now = baseline(group, cell, row, standing) or "default"
                usual = group.default[cell][0] if now == "default" else now
                times = {policy: time for policy, time in row.items() if policy not in barred}
                views.append(View(times, row[now], usual, tie_of(group, cell)))
        points.append(views)
        serving.append(next((row.log2_from for row in standing if rows.serves(row, log2)), None))
    return partition(points, serving)


def tie_of(group, cell):
    return max(LEAST_TIE, 1.96 * math.sqrt(2) * group.error[cell])


def targets(run):
    """(group's name, the group whose matrix has its candidates) for every group that gets a verdict."""
    names = set(run.groups)
    for name, group in run.groups.items():
        primitive, sizes = name.split(" ")
        if group.matrix:
            names |= {f"{served} {sizes}" for served, searched in cell_keys.served().items() if searched == primitive}
    return [(name, run.searched(name)) for name in sorted(names)]


# ---- the plan of the rerun -------------------------------------------------------------------------------------------


def portable_policies(stores, run):
    """{(group, count): the policy of the header's rule} on the run's device, as far as known by then, for the searched
    cells and their like."""
    seen = [other for a_store in stores for other in evidence.runs_of(a_store)
            if other.device == run.device and other.order <= run.order]
    return {place: policy for other in sorted(seen, key=lambda other: other.order)
            for place, policy in other.portable.items()}


def rule_at(group, cell, portable):
    """The header's rule at a cell, as measured beside a row or seen before; None if unknown."""
    return group.rule.get(cell) or (None if is_elsewhere(group, cell) else portable.get((cell.group, cell.n)))


def is_elsewhere(group, cell):
    return any(cell in cells for cells in group.elsewhere.values())


def like_of(group, name):
    """The cells of a searched group's matrix, in the form of a group that it serves, with their like."""
    return [member for cell in sorted(group.matrix) for member in evidence.members(cell, name.split(" ")[0])]


def cells_elsewhere(group, name, listed):
    """Cells that a row of the group would serve and that resemble no searched cell. listed: those of the standard
    list."""
    like = like_of(group, name)
    return [cell for cell in listed if cell.group == name and cell not in like] + between(like)


def between(cells):
    """Five cells about each size, cold as in a night: right after it, in each half of its bucket, right after the
    bucket's first size and before its last one. A row that was fastest at a power of two took up to 2.3 times as long
    as the rule at other sizes, another one 1.7 times at 2^20 + 7919, where a second wave of blocks begins. n is odd: a
    partial last tile cost a row of large tiles a third."""
    found = {}
    for cell in cells:
        for n in (cell.n * 129 // 256, cell.n * 5 // 8 - 89, cell.n * 129 // 128, cell.n * 13 // 8 - 89,
                  cell.n * 127 // 64):
            n |= 1
            if n >= 2 * standard.WHOLE and cell.primitive not in cell_keys.having("graph"):
                one = cell._replace(n=n)
                found.setdefault(n, one._replace(protocol=standard.protocols_of(one.bytes)[0]))
    return list(found.values())


def answers_of(program, device, lines):
    """gp_tune --rule's answers, a line each. device: an environment, or what a worker says of it."""
    command = [program, "--rule", "--compute-capability", str(device["compute_capability"]),
               "--multiprocessors", str(device["multiprocessors"])]
    done = subprocess.run(command, input="".join(f"{line}\n" for line in lines), stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout.splitlines()


def rules_of(program, device, cells):
    """{cell: the header's own choice}."""
    return dict(zip(cells, answers_of(program, device, [cell.text for cell in cells]), strict=True))


def resolved(program, device, cell, policies):
    """{policy: its full text, as a search writes it} of the policies that are valid for a cell: fields that the
    algorithm does not read have the header's values."""
    answers = answers_of(program, device, [f"{cell.text}\t{policy}" for policy in policies])
    return {policy: text for policy, text in zip(policies, answers, strict=True) if text != "invalid"}


def plan(run, folded, rules, primitives=(), listed=()):
    """The jobs of the rerun: (cell, policies). They cover every proposed interval and the next size on either side, for
    each type that its row would serve; the existing rows of any device at their sizes; and cells elsewhere in both. The
    header's rule runs beside each row of this device, which exposes rows that no longer pay.

    folded: rows.fold of all stores without this run. rules: a function of cells, as rules_of. primitives: the
    searched ones that need candidates; none: all. listed: cells of the standard list."""
    jobs, ruled = {}, []

    def add(cell, policies):
        job = jobs.setdefault(cell, [])
        job += [policy for policy in policies if policy not in job]

    def ask(name, group, positions, sizes, policies):
        for member in like_of(group, name):
            if sizes.index(member.log2) in positions:
                add(member, policies)

    def ask_elsewhere(cells, log2_from, log2_to, policies):
        for cell in cells:
            if log2_from <= cell.log2 < log2_to:
                add(cell, policies)

    for name, group in targets(run):
        if not group or not group.matrix or group.problem or (primitives and group.name.split()[0] not in primitives):
            continue
        sizes, mine = sizes_of(group), folded.get((run.device, name), [])
        elsewhere = cells_elsewhere(group, name, listed) if listed else []
        faults = run.groups[name].faults if name in run.groups else ()
        for proposal in proposals(group, mine, faults):
            ask(name, group, range(proposal.first - 1, proposal.last + 2), sizes, proposal.policies)
            ask_elsewhere(elsewhere, *rows.bucket(sizes, proposal.first, proposal.last), proposal.policies)
        for (scope, place), standing in sorted(folded.items()):
            for row in standing if place == name else []:
                inside = [k for k, log2 in enumerate(sizes) if rows.serves(row, log2)]
                ask(name, group, inside, sizes, [store.policy_text(row.policy)])
                ask_elsewhere(elsewhere, row.log2_from, row.log2_to, [store.policy_text(row.policy)])
        ruled += [cell for cell in [*like_of(group, name), *elsewhere]
                  if cell in jobs and any(rows.serves(row, cell.log2) for row in mine)]
    for cell, rule in (rules(ruled) if ruled else {}).items():
        jobs[cell] = [policy for policy in jobs[cell] if policy != rule] + [f"{RULE}{rule}"]
    return [(cell, sorted(jobs[cell])) for cell in sorted(jobs, key=lambda cell: (cell.group, -cell.log2, cell))]


def plan_text(jobs):
    return "".join("\t".join([cell.text, "default", *policies]) + "\n" for cell, policies in jobs)


def context_of(path, folder):
    """The store at a path, and all stores: those below the folder, and this one."""
    paths = store.paths_under(folder)
    if os.path.realpath(path) not in map(os.path.realpath, paths):
        paths.append(path)
    stores = store.read_all(paths)
    return next(a_store for a_store in stores if os.path.samefile(a_store.path, path)), stores


def folded_before(decisions, run):
    """The rows in force when a run began."""
    return rows.fold([one for one in decisions if (one["date"], one["env"]) < run.order])


def default_folder():
    return os.path.join(store.ROOT, store.STORES)


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm propose", description="the plan of the rerun that a "
                                     "decision rests on, for gp_tune --plan")
    parser.add_argument("store")
    parser.add_argument("--out", required=True, metavar="PLAN")
    parser.add_argument("--stores", default=default_folder(), metavar="FOLDER", help="whose decisions stand")
    parser.add_argument("--gp-tune", default=os.path.join(store.ROOT, "build", "gp_tune"), metavar="PROGRAM",
                        help="which knows the header's rule (default: build/gp_tune)")
    args = parser.parse_args(argv)
    jobs = write_plan(args.store, args.stores, args.out, args.gp_tune)
    print(f"{args.out}: {len(jobs)} cells, {sum(len(policies) for _, policies in jobs)} candidates")
    return 0


def write_plan(path, folder, out, program, primitives=()):
    mine, stores = context_of(path, folder)
    runs = evidence.runs_of(mine)
    if not runs:
        raise store.StoreError(f"{path}: nothing was measured")
    run = runs[-1]
    listed = {cell: text for cell, text in map(cell_keys.read, standard.cells()) if evidence.is_served(cell)}
    jobs = plan(run, folded_before(rows.decisions_of(stores), run),
                lambda cells: rules_of(program, run.environment, cells), primitives,
                standard.fitting(listed, run.environment["memory_bytes"])[0])
    store.replace(out, plan_text(jobs).encode())
    return jobs
