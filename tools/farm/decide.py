"""Decisions: a proposed bucket becomes a row if an independent rerun confirms it.

    python3 -m tools.farm decide STORE [--stores FOLDER]               appends decision lines to the store
    python3 -m tools.farm decide --report [STORE...]                   regret of the rows, device by device
    python3 -m tools.farm decide STORE --stability SECOND              how many of its rows survive a second tune

The unit of replication is a process; a candidate's time in it is the geometric mean over the bucket's cells: sizes, and
types that the row serves. With logarithms, in which a coefficient of variation is a standard deviation, the rule is

    mean(default) - mean(candidate) > max(log 1.02, 1.96 sqrt(sd(default)^2 + sd(candidate)^2))

and the candidate is nowhere 2 % slower: at no size, for no type, and at no other cell that the row would serve (other
words and protocols, sizes in between). It is also nowhere 2 % slower than the header's rule, if that was measured; an
existing row may be. Sizes without a gain are trimmed from the interval's ends: the bucket is its longest run of sizes
that passes. A process in which the candidate was faster never counts against it: see `margin`. If a proposal's first
policy fails, its runner-up is tried.

Every group gets a verdict:

    accepted   the bucket is served by the policy from now on
    rejected   proposed, not confirmed; with the reason
    kept       nothing was proposed, or nothing was usable: the rows stay
    removed    a row lost to the header's own rule, as a whole or at a cell: the rule serves its bucket, or the cell's
               size, again (also retire.py)

    id         hash of the decisions that one look at a run's group made; replaces: ids that it supersedes
    env, date  the run: its environment, and when that was first seen in the store
    scope      the device's name
    group, log2_from, log2_to, policy     the row: see rows.py
    against    source of the policy that it was compared with: portable, device (a row), class, capability
    gain, low, high, pairs     default's time over the candidate's, less 1; 95 % interval by Student's t; processes
    sizes, members             measured bytes; types
    left_out   {reason: samples} that were not used
"""
import argparse
import collections
import hashlib
import json
import functools
import math
import statistics

from tools.farm import evidence, propose, rows, store

GAIN = propose.GAIN
FEWEST_PAIRS = 3  # fewer processes show no variance
MOST_FREEDOM = 30  # degrees of freedom of an interval; above, it is a little too wide

# The rerun's result for a policy on a run of sizes: `reason` is "" if it passes.
Judgement = collections.namedtuple("Judgement", "reason gain low high pairs sizes members")


# ---- the rule --------------------------------------------------------------------------------------------------------


def deviation(numbers):
    """Standard deviation of a sample. (statistics.stdev is exact, and far too slow here.)"""
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1))


def margin(base, candidate):
    """The gain's margin over the required gain; logarithms, a number a process.

    A candidate that was faster in one process varies more, and the rule would ask for more gain. So the rule is applied
    at its best over all ways of making the candidate slower: then faster times can only help. The best way raises the
    lowest times to a common level (the rule is concave in the times, and the same in each of them). So one number is
    searched, between two neighbouring times."""
    mean, noise, count = math.fsum(base) / len(base), deviation(base), len(base)

    def at(level):
        raised = [max(time, level) for time in candidate]
        return mean - math.fsum(raised) / count - max(GAIN, 1.96 * math.hypot(noise, deviation(raised)))

    levels = sorted(candidate)
    best, most = max(map(at, levels)), mean - math.fsum(candidate) / count - max(GAIN, 1.96 * noise)
    if best > 0 or most <= 0:  # passes, or fails at any level
        return best
    for low, high in zip(levels, levels[1:]):
        while high - low > 1e-9:
            third = (high - low) / 3
            if at(low + third) < at(high - third):
                low += third
            else:
                high -= third
        best = max(best, at(low))
    return best


@functools.cache
def student(freedom):
    """Student's t, 97.5 %. Three decimals, as in the committed decisions."""
    from scipy.special import stdtrit
    return round(float(stdtrit(min(freedom, MOST_FREEDOM), 0.975)), 3)


def interval(base, candidate):
    """(gain, low, high): mean log ratio over processes and its 95 % interval."""
    ratios = [b - c for b, c in zip(base, candidate)]
    mean = statistics.fmean(ratios)
    half = student(len(ratios) - 1) * deviation(ratios) / math.sqrt(len(ratios))
    return tuple(round(math.expm1(value), 4) for value in (mean, mean - half, mean + half))


def is_free_to(group, cell, name):
    """Whether a row with this policy would serve the cell."""
    return name == "default" or evidence.can_serve(cell, name, group.default[cell][0])


def logs_of(group, phases, base, candidate):
    """{cell: [(log base, log candidate)] of the processes} for the cells that a row with the candidate would serve."""
    found = {}
    for phase in phases:
        for _, measured in sorted(phase.items()):
            for cell, times in measured.items():
                names = base(cell, times), candidate(cell, times)
                if all(name in times for name in names) and is_free_to(group, cell, names[1]):
                    found.setdefault(cell, []).append(tuple(math.log(times[name]) for name in names))
    return found


class Comparison:
    """Two variants in a group's rerun."""

    def __init__(self, group, sizes, base, candidate, rule=lambda cell, times: None):
        """sizes: ascending logarithms that the group's rows tell apart. base, candidate: functions of a cell and its
        times that name the variant, or None. rule: likewise; the candidate must not lose to it at any cell, because an
        existing row may be slower than the header's rule there."""
        self.sizes, self.members, self.incomparable = sizes, [], set()
        cells = {cell for times in group.confirm.values() for cell in times}
        self.members = sorted({cell.out for cell in cells})
        self.cells = {log2: sorted(cell for cell in cells if cell.log2 == log2) for log2 in sizes}
        self.logs = {}  # process -> {cell: (log base, log candidate)}
        for process, measured in sorted(group.confirm.items()):
            for cell, times in measured.items():
                names = base(cell, times), candidate(cell, times)
                if not names[0]:
                    self.incomparable.add(cell)
                if all(name in times for name in names):
                    self.logs.setdefault(process, {})[cell] = tuple(math.log(times[name]) for name in names)
        self.elsewhere = logs_of(group, [group.elsewhere], base, candidate)
        self.beside_rule = logs_of(group, [group.confirm, group.elsewhere], rule, candidate)

    def judge(self, first, last):
        """Positions of sizes: first to last, together."""
        cells = [cell for log2 in self.sizes[first:last + 1] for cell in self.cells[log2]]
        complete = [logs for logs in self.logs.values() if all(cell in logs for cell in cells)]
        sizes = sorted({cell.bytes for cell in cells})
        nothing = Judgement("", None, None, None, len(complete), sizes, self.members)
        for log2 in self.sizes[first:last + 1]:
            missing = sorted(set(self.members) - {cell.out for cell in self.cells[log2]})
            if missing or not self.members:
                return nothing._replace(reason=f"not measured again at 2^{log2} bytes {' '.join(missing)}".rstrip())
        if self.incomparable.intersection(cells):
            return nothing._replace(reason="was not compared with what serves this bucket now")
        if len(complete) < FEWEST_PAIRS:
            return nothing._replace(reason=f"{len(complete)} of {FEWEST_PAIRS} processes can be used")
        base = [statistics.fmean(logs[cell][0] for cell in cells) for logs in complete]
        candidate = [statistics.fmean(logs[cell][1] for cell in cells) for logs in complete]
        gain, low, high = interval(base, candidate)
        return Judgement(self.objection(complete, first, last) or self.too_little(base, candidate), gain, low, high,
                         len(complete), sizes, self.members)

    def objection(self, complete, first, last):
        """A size that loses, or gains nothing at an end; "" if none."""
        for position in range(first, last + 1):
            gains = []
            for cell in self.cells[self.sizes[position]]:
                medians = [statistics.median(logs[cell][side] for logs in complete) for side in (0, 1)]
                gains.append(medians[0] - medians[1])
                if gains[-1] <= -GAIN:
                    return f"loses {100 * math.expm1(-gains[-1]):.1f} % at {cell.bytes} bytes of {cell.out}"
            if position in (first, last) and statistics.fmean(gains) <= 0:
                return f"gains nothing at 2^{self.sizes[position]} bytes"
        span = rows.bucket(self.sizes, first, last)
        return self.loss(self.elsewhere, span, "") or self.loss(self.beside_rule, span, " to the header's rule")

    @staticmethod
    def loss(measured, span, to):
        """The first of some cells at which the candidate loses; "" if none."""
        for cell, logs in sorted(measured.items()):
            gain = statistics.median(base for base, _ in logs) - statistics.median(candidate for _, candidate in logs)
            if span[0] <= cell.log2 < span[1] and len(logs) >= FEWEST_PAIRS and gain <= -GAIN:
                return f"loses {100 * math.expm1(-gain):.1f} %{to} at {cell.text}"
        return ""

    def cells_won(self, row, among):
        """(range of sizes, judgement, cell) of each served cell at which the candidate is faster by the rule. A cell
        between the sizes stands for its own logarithm, a cell at a size for that size's bucket."""
        measured = dict(self.elsewhere)
        for cells in self.logs.values():
            for cell, logs in cells.items():
                measured.setdefault(cell, []).append(logs)
        for cell, logs in sorted(measured.items()):
            if cell in among and rows.serves(row, cell.log2) and len(logs) >= FEWEST_PAIRS and \
                    not self.too_little(*([of[side] for of in logs] for side in (0, 1))):
                bucket = rows.bucket(self.sizes, *[self.sizes.index(cell.log2)] * 2) if cell.log2 in self.sizes else \
                    (cell.log2, cell.log2 + 1)
                span = max(bucket[0], row.log2_from), min(bucket[1], row.log2_to)
                yield span, Judgement("", *interval(*([of[side] for of in logs] for side in (0, 1))), len(logs),
                                      [cell.bytes], [cell.out]), cell

    def too_little(self, base, candidate):
        if margin(base, candidate) > 0:
            return ""
        gain = math.expm1(statistics.fmean(base) - statistics.fmean(candidate))
        noise = math.expm1(1.96 * math.hypot(deviation(base), deviation(candidate)))
        return f"gains {100 * gain:.1f} %, not more than {100 * max(0.02, noise):.1f} %"

    def longest(self, first, last):
        """(first, last, judgement) of the longest run of sizes that passes, or of all if none does."""
        for length in range(last - first + 1, 0, -1):
            passing = [(start, start + length - 1, self.judge(start, start + length - 1))
                       for start in range(first, last - length + 2)]
            passing = [found for found in passing if not found[2].reason]
            if passing:
                return max(passing, key=lambda found: (found[2].gain, -found[0]))
        return first, last, self.judge(first, last)


# ---- a group's decisions ---------------------------------------------------------------------------------------------


def decide_group(run, name, standing, portable):
    """The decisions about a run's group, not yet numbered. standing: its rows on this device; portable: the choices of
    the header's rule, see propose.portable_policies."""
    group = run.groups.get(name) or evidence.Group(name)
    searched = run.searched(name)

    def decision(log2_from, log2_to, verdict, reason, policy=None, judgement=None, against=""):
        judged = judgement or Judgement("", None, None, None, 0, [], [])
        return {"kind": "decision", "v": store.VERSION, "env": run.env, "date": run.date, "scope": run.device,
                "group": name, "log2_from": log2_from, "log2_to": log2_to, "policy": policy, "against": against,
                "verdict": verdict, "reason": reason, "gain": judged.gain, "low": judged.low, "high": judged.high,
                "pairs": judged.pairs, "sizes": judged.sizes, "members": judged.members,
                "left_out": dict(sorted(group.left_out.items()))}

    problem = group.problem or (searched.problem if searched else "") or \
        ("" if searched and searched.matrix else "no usable times of phase matrix")
    if problem:
        return [decision(0, 64, "kept", problem)]
    sizes = propose.sizes_of(searched)

    def compare(policy):
        return Comparison(group, sizes, lambda cell, times: propose.baseline(group, cell, times, standing),
                          lambda cell, times: policy, lambda cell, times: propose.rule_at(group, cell, portable))

    made = []
    for proposal in propose.proposals(searched, standing, group.faults):
        tried = []
        for policy in proposal.policies:
            first, last, judgement = compare(policy).longest(proposal.first, proposal.last)
            tried.append((first, last, judgement, policy))
            if not judgement.reason:
                break
        first, last, judgement, policy = next((one for one in tried if not one[2].reason), tried[0])
        sources = {source for cell, (_, source) in group.default.items() if cell.bytes in judgement.sizes}
        made.append(decision(*rows.bucket(sizes, first, last), "rejected" if judgement.reason else "accepted",
                             judgement.reason, store.policy_of(policy), judgement, " ".join(sorted(sources))))
    make_room(made, standing)
    taken = [(one["log2_from"], one["log2_to"]) for one in made if one["verdict"] == "accepted"]

    def is_free(log2_from, log2_to):
        return not any(first < log2_to and log2_from < end for first, end in taken)

    for row in standing:
        comparison = beside_the_rule(group, sizes, row, portable)
        judgement = beaten(comparison, row) if is_free(row.log2_from, row.log2_to) else None
        if judgement:
            made.append(decision(row.log2_from, row.log2_to, "removed", "the header's rule is faster", row.policy,
                                 judgement, "device"))
            continue
        for span, judgement, cell in comparison.cells_won(row, group.rule):
            lost = [row._replace(log2_from=span[0], log2_to=span[1])]
            for one in taken:
                lost = rows.cut(lost, *one)
            for part in lost:
                taken.append((part.log2_from, part.log2_to))
                made.append(decision(*taken[-1], "removed", f"the header's rule is faster at {cell.text}", row.policy,
                                     judgement, "device"))
    if not made:
        policies = {policy for times in searched.matrix.values() for policy in times} - {"default"}
        made.append(decision(0, 64, "kept", f"none of {len(policies)} policies gains 2 % in the matrix"))
    return sorted(made, key=lambda one: one["log2_from"])


def make_room(made, standing):
    """A group has a few rows at most: the proposal that gains least gives way, so that existing rows stay."""
    while True:
        taken = [one for one in made if one["verdict"] == "accepted"]
        after = list(standing)
        for one in taken:
            after = rows.put(after, rows.row_of(one))
        if len(after) <= max(rows.MOST_ROWS, len(standing)) or not taken:
            return
        least = min(taken, key=lambda one: (one["gain"], one["log2_from"]))
        least.update(verdict="rejected", reason=f"no room: a group has at most {rows.MOST_ROWS} rows, others gain more")


def beside_the_rule(group, sizes, row, portable):
    """Compares a row with the header's own rule as the candidate."""
    def rule(cell, times):
        policy, source = group.default.get(cell, ("", ""))
        return "default" if source == "portable" and not rows.same_policy(row, policy) else \
            propose.rule_at(group, cell, portable)

    return Comparison(group, sizes, lambda cell, times: propose.baseline(group, cell, times, [row]), rule)


def beaten(comparison, row):
    """The judgement that the header's own rule beats a row on all its sizes, or None."""
    inside = [position for position, log2 in enumerate(comparison.sizes) if rows.serves(row, log2)]
    judgement = comparison.judge(inside[0], inside[-1]) if inside else None
    return judgement if judgement and not judgement.reason else None


def decide_run(run, stores):
    """All decisions about a run, given the stores' earlier contents; numbered, without those that the run's store
    already has."""
    folded = propose.folded_before(rows.decisions_of(stores), run)
    portable = propose.portable_policies(stores, run)
    made = []
    for name, _ in propose.targets(run):
        before = [one for a_store in stores for one in a_store.of("decision")
                  if a_store.path == run.path and one["env"] == run.env and one["group"] == name]
        made += number(decide_group(run, name, folded.get((run.device, name), []), portable), before)
    return made


def number(decisions, before):
    """Gives a look's decisions their common id and the ids that they supersede. [] if the last look saw the same."""
    def name_of(replaces):
        return hashlib.sha256(json.dumps([decisions, replaces], sort_keys=True).encode()).hexdigest()[:16]

    superseded = {name for one in before for name in one["replaces"]}
    live = {one["id"]: one["replaces"] for one in before if one["id"] not in superseded}
    if len(live) == 1 and all(name == name_of(replaces) for name, replaces in live.items()):
        return []
    replaces = sorted(live)
    return [{"kind": one["kind"], "v": one["v"], "id": name_of(replaces), "replaces": replaces, **one}
            for one in decisions]


def decide(path, folder):
    """Decides about all runs of a store and appends what is new. Returns all stores, updated, and the appended
    decisions."""
    mine, stores = propose.context_of(path, folder)
    if not evidence.runs_of(mine):
        raise store.StoreError(f"{path}: nothing was measured")
    appended = []
    for run in evidence.runs_of(mine):
        made = decide_run(run, stores)
        mine.lines += [store.Line(0, "", one) for one in made]  # the next run builds on this run's decisions
        appended += made
    if appended:
        store.append(path, appended)
    return stores, appended


# ---- how much stays --------------------------------------------------------------------------------------------------

Stability = collections.namedtuple("Stability", "rows kept sizes as_fast")


def stability(first, second, folder):
    """How much of a first tune's rows survives a second tune.

    A row is kept if it still serves all of its sizes after the second tune's decisions, which start from the first
    one's rows. Near-equal policies may trade places without harm. So sizes are counted too: those at which the row is
    at most 2 % slower, in the second tune's matrix, than the second proposal."""
    one, stores = propose.context_of(first, folder)
    two = propose.context_of(second, folder)[0]
    run = evidence.runs_of(two)[-1]
    stores = [a_store for a_store in stores if a_store.path != two.path]
    stand = rows.fold(rows.decisions_of(stores))
    chosen = {decision["group"] for decision in one.of("decision") if decision["verdict"] == "accepted"}
    portable = propose.portable_policies(stores + [two], run)
    counts = [0, 0, 0, 0]
    for name, searched in propose.targets(run):
        mine = stand.get((run.device, name), []) if name in chosen else []
        if searched and searched.matrix:
            after = rows.apply(mine, decide_group(run, name, mine, portable))
            proposed = proposed_at(searched, mine)
            for row in mine:
                cells = [cell for cell in searched.matrix if rows.serves(row, cell.log2)]
                counts[0] += 1
                counts[1] += all(rows.policy_at(after, cell.log2) == store.policy_text(row.policy) for cell in cells)
                counts[2] += len(cells)
                counts[3] += sum(as_fast(searched, cell, store.policy_text(row.policy), proposed.get(cell.log2))
                                 for cell in cells)
    return Stability(*counts)


def proposed_at(searched, standing):
    sizes = propose.sizes_of(searched)
    return {sizes[position]: proposal.policies[0] for proposal in propose.proposals(searched, standing)
            for position in range(proposal.first, proposal.last + 1)}


def as_fast(searched, cell, policy, other):
    """Whether a measured policy is at most 2 % slower than another, if there is one."""
    times = searched.matrix[cell]
    time = times.get(policy) or (times["default"] if searched.default[cell][0] == policy else None)
    return time is not None and (other is None or math.log(time / times[other]) < GAIN)


# ---- commands --------------------------------------------------------------------------------------------------------


def describe(decision):
    text = f"{decision['group']:<24} 2^{decision['log2_from']:<2} to 2^{decision['log2_to']:<2} " \
        f"{decision['verdict']:<8}"
    if decision["gain"] is not None:
        text += f" {rows.gain_text(decision['gain'], decision['low'], decision['high'])}, {decision['pairs']} pairs"
    if decision["policy"]:
        text += f" {store.policy_text(decision['policy'])}"
    left_out = ", ".join(f"{count} {reason}" for reason, count in decision["left_out"].items())
    return text + (f": {decision['reason']}" if decision["reason"] else "") + \
        (f" (left out: {left_out})" if left_out else "")


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm decide", description="which proposed rows an "
                                     "independent rerun confirms; appends decisions to the store")
    parser.add_argument("stores", nargs="*", metavar="STORE")
    parser.add_argument("--stores", dest="folder", default=propose.default_folder(), metavar="FOLDER",
                        help="all stores; their decisions stand (default: ci/measurements)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--report", action="store_true", help="decide nothing: the regret of the rows, device by device, "
                      "and of what each device would get without its own")
    what.add_argument("--stability", metavar="SECOND", help="decide nothing: how many of the store's rows the second "
                      "store's tune would keep")
    args = parser.parse_args(argv)
    if args.report:
        from tools.farm import devices
        print(devices.report(store.read_all(args.stores or store.paths_under(args.folder))), end="")
        return 0
    if not args.stores:
        parser.error("which store?")
    if args.stability:
        for path in args.stores:
            found = stability(path, args.stability, args.folder)
            print(f"rows kept: {share(found.kept, found.rows)}; sizes at which the row is as fast as the second tune's "
                  f"own choice: {share(found.as_fast, found.sizes)}")
        return 0
    for path in args.stores:
        _, appended = decide(path, args.folder)
        for one in appended:
            print(describe(one))
        print(f"{path}: {len(appended)} decisions appended")
    return 0
