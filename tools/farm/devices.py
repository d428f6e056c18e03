"""Rows for more than one device: classes of like devices, and the portable row.

These are not decisions of one run. They are derived afresh from all stores together: each device's rows, and its times
of the policies in other devices' rows.

A class is found group by group: the rows of its devices serve each other, at every size measured on both, at most 2 %
slower than their own rows do (complete linkage: each pair of them). The class's rows are the members' policies with the
least worst regret over the members. They serve members without a row of their own.

A portable row is the policy with the least worst regret over all devices. It must beat the header's rule, by the
decisions' rule, in a rerun on at least two devices and on each device that ran one. (A device that it already serves
can no longer compare it with the rule, and does not count.)

To see its worth for an unmeasured device: leave one device out, and look at its times with the others' rows.
"""
import collections
import itertools
import math
import statistics

from tools import bench
from tools.farm import decide, derive, evidence, propose, rows, store

LIKE = 0.02  # of one class: the largest slowdown by another member's row

# A device's latest look at a group, by place (a size's logarithm, and a type or, elsewhere, a cell). {policy: time over
# that of the policy that served the place}; the same for the header's rule, and the rule's policy, if known; the
# tolerance of a tie. searched: the places of the matrix; elsewhere only the rerun's policies were measured.
Look = collections.namedtuple("Look", "run ratios rule ties searched")


class World:
    """All stores' contents: the devices, their rows and their latest looks at each group."""

    def __init__(self, stores, left_out=None, decisions=None):
        """left_out: a device to ignore. decisions: those that count, if known."""
        self.stores, self.decisions = stores, derive.decisions_of(stores) if decisions is None else decisions
        self.rows = rows.fold([one for one in self.decisions if one["scope"] != left_out])
        runs = [run for a_store in stores for run in evidence.runs_of(a_store) if run.device != left_out]
        self.devices = sorted({run.device for run in runs})
        self.looks = {}
        self.runs = sorted(runs, key=lambda run: run.order)
        for run in self.runs:
            portable = propose.portable_policies(stores, run)
            for name, searched in propose.targets(run):
                if searched and searched.matrix and not searched.problem:
                    group = run.groups.get(name) or evidence.Group(name)
                    self.looks[run.device, name] = look(run, group, searched, portable)

    def groups(self):
        return sorted({name for _, name in self.looks})

    def own(self, device, name):
        return self.rows.get((device, name), [])


def rule_of(group, cell, portable):
    """(variant, policy) of the header's rule; None if unknown."""
    policy, source = group.default.get(cell, ("", ""))
    if source == "portable":
        return "default", policy
    known = propose.rule_at(group, cell, portable)
    return (known, known) if known else None


def look(run, group, searched, portable):
    unfit = {"default", *searched.faults, *group.faults}
    logs, rule_logs = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(list)
    ties, rules, again = {}, {}, set()

    def take(of, cell, times, is_rerun, place=None):
        place = place or (cell.log2, cell.out)
        for policy in times.keys() - unfit:
            if is_rerun and (place, policy) not in again:  # the rerun overrides the matrix
                again.add((place, policy))
                logs[place][policy] = []
            logs[place][policy].append(math.log(times[policy] / times["default"]))
        rule = rule_of(of, cell, portable)
        if rule and rule[0] in times:
            rules[place] = rule[1]
            rule_logs[place].append(math.log(times[rule[0]] / times["default"]))

    for cell, times in sorted(searched.matrix.items()):
        take(searched, cell, times, False)
        ties[cell.log2, cell.out] = propose.tie_of(searched, cell)
    for _, cells in sorted(group.confirm.items()):
        for cell, times in sorted(cells.items()):
            if "default" in times:
                take(group, cell, times, True)
    for _, cells in sorted(group.elsewhere.items()):
        for cell, times in sorted(cells.items()):
            if "default" in times:
                take(group, cell, times, True, (cell.log2, cell.text))
    ratios = {place: {policy: math.exp(statistics.fmean(values)) for policy, values in sorted(found.items())}
              for place, found in sorted(logs.items())}
    rule = {place: (math.exp(statistics.fmean(rule_logs[place])), policy) for place, policy in rules.items()}
    return Look(run, ratios, rule, ties, set(ties))


def sizes_of(a_look):
    return {log2 for log2, _ in a_look.searched}


def ratio_at(a_look, standing, place):
    """A device's time ratio at a place with these rows; None if not measured."""
    policy = rows.policy_at(standing, place[0])
    return a_look.ratios[place].get(policy) if policy else a_look.rule.get(place, (1.0, ""))[0]


# ---- classes ---------------------------------------------------------------------------------------------------------


def loss(world, name, device, other):
    """The device's worst slowdown with the other's rows instead of its own."""
    a_look, worst = world.looks[device, name], 0.0
    if not sizes_of(a_look) & sizes_of(world.looks[other, name]):
        return math.inf
    for place in a_look.ratios:
        if rows.policy_at(world.own(other, name), place[0]):
            theirs, mine = (ratio_at(a_look, world.own(one, name), place) for one in (other, device))
            if theirs and mine:
                worst = max(worst, theirs / mine - 1)
            elif place in a_look.searched:
                return math.inf
    return worst


def clusters(names, distance):
    """Complete linkage: joins the two clusters whose farthest members are nearest, while that is near enough."""
    found = [(name,) for name in sorted(names)]

    def apart(pair):
        return max(distance[one, other] for one in pair[0] for other in pair[1])

    while len(found) > 1:
        nearest = min(itertools.combinations(found, 2), key=lambda pair: (apart(pair), pair))
        if apart(nearest) > LIKE:
            break
        found = sorted([cluster for cluster in found if cluster not in nearest] + [tuple(sorted(sum(nearest, ())))])
    return [cluster for cluster in found if len(cluster) > 1]


def classes_of(world, name):
    """The classes of a group: tuples of devices that have rows, or that the others' rows serve."""
    devices = [device for device in world.devices if (device, name) in world.looks]
    distance = {(one, other): max(loss(world, name, one, other), loss(world, name, other, one))
                for one in devices for other in devices}
    return [cluster for cluster in clusters(devices, distance)
            if any(world.own(device, name) for device in cluster)]


def class_name(cluster):
    return "+".join(bench.folder_name(device).removeprefix("nvidia-") for device in cluster)


def shared_rows(world, name, devices, policies, scope, check=None):
    """Rows that serve all of the devices: least worst regret. check(first, last, sizes, policy) may shorten an interval
    (first, last) or refuse it (None)."""
    looks = [world.looks[device, name] for device in devices]
    sizes = sorted(set.intersection(*map(sizes_of, looks)))
    points = [[view_of(a_look, place) for a_look in looks for place in a_look.ratios if place[0] == log2]
              for log2 in sizes]
    made = []
    for proposal in propose.partition(points, among=policies):
        for policy in proposal.policies:
            span = check(proposal.first, proposal.last, sizes, policy) if check else (proposal.first, proposal.last)
            if span:
                row = rows.Row(scope, name, *rows.bucket(sizes, *span), store.policy_of(policy),
                               shared_provenance(looks, sizes[span[0]:span[1] + 1], policy))
                # (Boards of different devices differ, known or not.)
                made.append(with_boards(row, {board or a_look.run.device for a_look in looks
                                              for board in a_look.run.boards}))
                break
    return made


def view_of(a_look, place):
    ratio, usual = a_look.rule.get(place, (1.0, ""))
    return propose.View(a_look.ratios[place], ratio, usual, a_look.ties.get(place, propose.LEAST_TIE),
                        place not in a_look.searched)


def shared_provenance(looks, sizes, policy):
    places = [(a_look, place) for a_look in looks for place in a_look.ratios
              if place[0] in sizes and policy in a_look.ratios[place]]
    views = [view_of(a_look, place) for a_look, place in places]
    gains = [math.log(view.incumbent / view.times[policy]) for view in views if view.usual != policy]
    worst = max(regret(a_look, place, policy) for a_look, place in places)
    date = max(a_look.run.date for a_look in looks)[:10]
    return f"{', '.join(a_look.run.device for a_look in looks)}, {date}: " \
        f"{100 * math.expm1(statistics.fmean(gains)):+.1f} %, worst regret {100 * worst:.1f} %"


def regret(a_look, place, policy):
    """For a policy, or for the header's rule if it is None; NaN if not measured."""
    ratios, rule = a_look.ratios[place], a_look.rule.get(place, (math.nan, ""))[0]
    best = min([1.0, *ratios.values()] + ([rule] if rule > 0 else []))
    return (ratios.get(policy, math.nan) if policy else rule) / best - 1


def class_rows(world, name):
    """(class's name, its devices, its rows) for a group."""
    found = []
    for cluster in classes_of(world, name):
        policies = {store.policy_text(row.policy) for device in cluster for row in world.own(device, name)}
        made = [row for row in shared_rows(world, name, cluster, policies, f"class:{class_name(cluster)}")
                if any(rows.serves(row, log2) and not rows.policy_at(world.own(device, name), log2)
                       for device in cluster for log2 in sizes_of(world.looks[device, name]))]
        if made:
            found.append((class_name(cluster), cluster, made))
    return found


# ---- the portable row ------------------------------------------------------------------------------------------------


def portable_rows(world, name):
    """The rows for any device; none before two devices have measured the group."""
    devices = [device for device in world.devices if (device, name) in world.looks]
    if len(devices) < 2:
        return []
    policies = set.intersection(*({policy for ratios in world.looks[device, name].ratios.values() for policy in ratios}
                                  for device in devices))

    def confirmed(first, last, sizes, policy):
        """The longest run of sizes at which every device that counts confirms the policy against the rule."""
        comparisons = [against_rule(world, device, name, sizes, policy) for device in devices]
        comparisons = [one for one in comparisons if one]
        for length in range(last - first + 1 if len(comparisons) > 1 else 0, 0, -1):
            for start in range(first, last - length + 2):
                if not any(one.judge(start, start + length - 1).reason for one in comparisons):
                    return start, start + length - 1
        return None

    return shared_rows(world, name, devices, policies, "portable", confirmed)


def against_rule(world, device, name, sizes, policy):
    """The device's latest rerun of the policy beside a rule that is another policy, or None."""
    for run in reversed(world.runs):
        group = run.groups.get(name)
        if run.device == device and group and not group.problem and policy not in group.faults:
            portable = propose.portable_policies(world.stores, run)

            def rule(cell, times):
                found = rule_of(group, cell, portable)
                return found[0] if found and found[1] != policy else None

            found = decide.Comparison(group, sizes, rule, lambda cell, times: policy)
            if found.logs:
                return found
    return None


# ---- the whole table -------------------------------------------------------------------------------------------------


def confirmed_by(world, row):
    """The boards that confirmed a device's row: that of its decision, and those on which a later rerun measured it
    beside the header's rule, judged by the decisions' rule."""
    boards = set(row.boards)
    for run in world.runs:
        group = run.groups.get(row.group)
        if run.device != row.scope or run.boards <= boards or not group or group.problem:
            continue
        portable, policy = propose.portable_policies(world.stores, run), store.policy_text(row.policy)
        sizes = sorted({cell.log2 for times in group.confirm.values() for cell in times if rows.serves(row, cell.log2)})

        def rule(cell, times, group=group, portable=portable):
            found = rule_of(group, cell, portable)
            return found[0] if found else None

        def own(cell, times, group=group, policy=policy):
            return "default" if group.default.get(cell, ("",))[0] == policy else policy

        if sizes and not decide.Comparison(group, sizes, rule, own).judge(0, len(sizes) - 1).reason:
            boards |= run.boards
    return boards


def with_boards(row, boards):
    """boards: hashes; "": unknown, perhaps one of the others."""
    count = max(1, len(boards - {""}))
    return row._replace(provenance=f"{row.provenance}, {count} board{'s' * (count > 1)}", boards=frozenset(boards))


def table_of(stores, decisions=None):
    """All rows, and (class, device) of all classes."""
    world = World(stores, decisions=decisions)
    found, members = [with_boards(row, confirmed_by(world, row)) for _, standing in sorted(world.rows.items())
                      for row in standing], set()
    for name in world.groups():
        for title, cluster, made in class_rows(world, name):
            found += made
            members |= {(title, device) for device in cluster}
        found += portable_rows(world, name)
    return found, sorted(members)


def gains(world, device):
    """Gains of the device's rows over the header's rule, cell by cell, from the matrix and the rerun."""
    looks = {name: world.looks[device, name] for name in world.groups() if (device, name) in world.looks}
    sizes = sorted(set().union(*map(sizes_of, looks.values())))
    heads = "".join(f"{bench.size_text(1 << log2):>7}" for log2 in sizes)
    lines = [f"  {'gain over the rule, cell by cell, %':<40}{heads}"]
    for name, a_look in looks.items():
        for type_ in sorted({type_ for _, type_ in a_look.searched}):
            texts = []
            for place in ((log2, type_) for log2 in sizes):
                ratio = ratio_at(a_look, world.own(device, name), place) if place in a_look.ratios else None
                known = ratio and place in a_look.rule
                texts.append(f"{100 * (a_look.rule[place][0] / ratio - 1):.1f}" if known else "-")
            lines.append(f"    {name + ' ' + type_:<38}" + "".join(f"{text:>7}" for text in texts))
    return lines


LEFT_OUT = "left out, by the others' portable rows"


def regrets(world, device):
    """{title: [regret]} over the cells of a device's matrix: with its rows, by the header's rule, and, if there are
    other devices, with their rows alone. NaN if unknown."""
    others = World(world.stores, device, world.decisions)
    found = collections.defaultdict(list)
    for name in world.groups():
        if (device, name) in world.looks:
            a_look, own = world.looks[device, name], world.own(device, name)
            shared = portable_rows(others, name)
            for place in sorted(a_look.searched & set(a_look.ratios)):
                found["with its rows"].append(regret(a_look, place, rows.policy_at(own, place[0])))
                found["by the header's rule"].append(regret(a_look, place, None))
                found[LEFT_OUT].append(regret(a_look, place, rows.policy_at(shared, place[0])))
    if len(world.devices) == 1:
        found.pop(LEFT_OUT, None)
    return dict(found)


def report(stores):
    """Regret device by device: with its rows, and as if nobody had measured it."""
    world = World(stores)
    lines = []
    if not world.devices:
        return "nothing was measured\n"
    for device in world.devices:
        found = regrets(world, device)
        count = len(found.get("with its rows", ()))
        lines.append(f"{device}: regret over {count} cells of the matrix, mean and worst")
        for title, values in found.items():
            known = [value for value in values if math.isfinite(value)]
            unknown = f", {len(values) - len(known)} unknown" if len(known) < len(values) else ""
            if known:
                lines.append(f"  {title:<40}{100 * statistics.fmean(known):6.1f} %{100 * max(known):8.1f} %{unknown}")
        lines += gains(world, device)
    if len(world.devices) == 1:
        lines.append("one device: there is nothing to leave out")
    for name in world.groups():
        for title, cluster, made in class_rows(world, name):
            lines.append(f"class {title} for {name}: {', '.join(cluster)}; {len(made)} rows")
    return "\n".join(lines) + "\n"
