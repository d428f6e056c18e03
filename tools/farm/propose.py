"""Proposals: which buckets of sizes should be served by which policies, going by the matrix, and what the rerun that
decides about them has to measure.

    python3 -m tools.farm propose STORE --out PLAN [--stores FOLDER]

The rerun also measures cells that the search has none like, which a row would serve all the same: those of the standard
list, of other words and protocols, and two about each size, where they fall into a proposed bucket or a row's; and
beside each row of this device what the header's rule chooses.

Over the sizes of a group dynamic programming finds the intervals, each served by one policy or by what stands there
now, whose regret is least. Regret is time over the best time at that size, less 1; what is within the noise of the best
counts as the best, so that the simplest wins ties: fewer rows, then fewer fields that differ from the incumbent's, then
the order of the texts. An interval is proposed where its policy gains what a decision will ask for (decide.py).
"""
import argparse
import collections
import math
import os
import subprocess

from tools.farm import cell_keys, evidence, rows, standard, store
from tools.farm.arrays import np

RULE = "rule:"              # before a policy of a plan: what the header's rule chooses for the cell
GAIN = math.log(1.02)       # a row is worth it from this gain on; a size that loses as much spoils it
LEAST_TIE = 0.005           # times that are closer are never told apart
ROW_PRICE = 0.02            # regret that a new row must save: 2 % at one size
UNITS = 1e-6                # of regret: rounding must not decide
# A cell as a partition sees it: {policy: time}, the time of what serves it now, that one's policy (which has nothing to
# gain here), what counts as a tie. A policy must have been measured in all views of a size but those that are partial.
View = collections.namedtuple("View", "times incumbent usual tie partial", defaults=(False,))
# Sizes first to last (positions) could be served by these policies, the best first.
Proposal = collections.namedtuple("Proposal", "first last policies")


# ---- buckets ---------------------------------------------------------------------------------------------------------


def differing(text, usual):
    """How many fields of a policy differ from the incumbent's."""
    usual = store.policy_of(usual) if usual else {}
    return sum(value != usual.get(name) for name, value in store.policy_of(text).items())


def scores(points, policies):
    """Arrays over policies and sizes: regret beyond ties, mean log gain over the incumbent, the worst view's log gain.
    The last row of the regret is the incumbent's."""
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
    """The proposals for a group. points: over sizes, ascending, lists of views. standing: over sizes, which row serves
    it now (any name), None where no row does: a table has room for a few rows, and those that stay count. among: the
    policies that may be proposed, None for all."""
    policies = sorted({policy for views in points for view in views for policy in view.times
                       if among is None or policy in among})
    standing = standing or [None] * len(points)
    regret, gain, worst = scores(points, policies)
    ties = [max(view.tie for view in views) for views in points]  # an end that gains no more stays as it is
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
    """The variant that stands for what serves a cell now: the row if there is one, otherwise what the header chooses.
    None: it was not measured. (The header's choice is not it where the table was another one at that time.)"""
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
    """The proposals of a searched group, for rows that stand there now. faults: policies that must not be proposed."""
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
    """(group's name, the group in whose matrix its candidates are found) of every group that gets a verdict."""
    names = set(run.groups)
    for name, group in run.groups.items():
        primitive, sizes = name.split(" ")
        if group.matrix:
            names |= {f"{served} {sizes}" for served, searched in cell_keys.served().items() if searched == primitive}
    return [(name, run.searched(name)) for name in sorted(names)]


# ---- the plan of the rerun -------------------------------------------------------------------------------------------


def portable_policies(stores, run):
    """{(group, count): policy} that the header's rule chose on the run's device, as far as that was seen by then, for
    the cells that are searched and their like."""
    seen = [other for a_store in stores for other in evidence.runs_of(a_store)
            if other.device == run.device and other.order <= run.order]
    return {place: policy for other in sorted(seen, key=lambda other: other.order)
            for place, policy in other.portable.items()}


def rule_at(group, cell, portable):
    """The header's rule at a cell: as it was measured beside a row, or seen before; None where nobody knows."""
    return group.rule.get(cell) or (None if is_elsewhere(group, cell) else portable.get((cell.group, cell.n)))


def is_elsewhere(group, cell):
    return any(cell in cells for cells in group.elsewhere.values())


def like_of(group, name):
    """The cells of a searched group's matrix, as a group that it serves has them, with their like."""
    return [member for cell in sorted(group.matrix) for member in evidence.members(cell, name.split(" ")[0])]


def cells_elsewhere(group, name, listed):
    """Cells that a row of the group would serve, and that the search has none like. listed: the standard list's."""
    like = like_of(group, name)
    return [cell for cell in listed if cell.group == name and cell not in like] + between(like)


def between(cells):
    """Two cells about each size, close to the ends of its bucket, cold as in a night: a row that was the fastest at a
    power of two took up to 2.3 times as long as the rule there. n is odd: a last tile that is not full cost a row of
    large tiles a third."""
    found = {}
    for cell in cells:
        for n in (cell.n * 5 // 8 - 89, cell.n * 13 // 8 - 89):
            n |= 1
            if n >= 2 * standard.WHOLE and cell.primitive not in cell_keys.having("graph"):
                one = cell._replace(n=n)
                found.setdefault(n, one._replace(protocol=standard.protocols_of(one.bytes)[0]))
    return list(found.values())


def rules_of(program, run, cells):
    """{cell: what the header's own rule chooses on the run's device}, of gp_tune."""
    command = [program, "--rule", "--compute-capability", str(run.environment["compute_capability"]),
               "--multiprocessors", str(run.environment["multiprocessors"])]
    done = subprocess.run(command, input="".join(f"{cell.text}\n" for cell in cells), stdout=subprocess.PIPE, text=True,
                          check=True)
    return dict(zip(cells, done.stdout.splitlines(), strict=True))


def plan(run, folded, rules, primitives=(), listed=()):
    """The jobs of the rerun: (cell, policies). Every proposed interval with a size more on either side, for each type
    that its row would serve; the rows that stand, of whatever device, at their sizes; cells elsewhere in both; and the
    header's rule where a row of this device stands, so that a row that no longer pays is found out.

    folded: rows.fold of all stores without this run. rules: a function of cells, as rules_of. primitives: those that
    were searched, of which candidates are wanted; none: of all. listed: cells of the standard list."""
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
    """The store at a path, and all stores: those below the folder, and it."""
    paths = store.paths_under(folder)
    if os.path.realpath(path) not in map(os.path.realpath, paths):
        paths.append(path)
    stores = store.read_all(paths)
    return next(a_store for a_store in stores if os.path.samefile(a_store.path, path)), stores


def folded_before(decisions, run):
    """The rows that stood when a run began."""
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
    jobs = plan(run, folded_before(rows.decisions_of(stores), run), lambda cells: rules_of(program, run, cells),
                primitives, standard.fitting(listed, run.environment["memory_bytes"])[0])
    store.replace(out, plan_text(jobs).encode())
    return jobs
