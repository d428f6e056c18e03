"""Usable measurements of a store: a run's times, group by group, and the samples left out, with reasons.

A run is one store's lines of one environment, or of several that differ only in the board: boards of one host that
shared the work. A sample is used if its status is ok, its times are valid, it ran on the requested policy, nothing
slowed the GPU down, and its group's self-checks passed. Samples left out are counted, and every decision says so. A
group with an impossible sample is not used at all: see `cannot_be`.
"""
import collections
import functools
import math
import re
import statistics

from tools.farm import cell_keys, store

# Bits of nvmlDeviceGetCurrentClocksEventReasons (NVML API Reference, NvmlClocksEventReasons) for a GPU that runs slower
# than when it is well: HW slowdown, SW thermal slowdown, HW thermal slowdown, HW power brake. The others do not count:
# idle, clocks as set (application, display, sync boost), and the software power cap, which a busy GPU meets in ordinary
# work.
SLOWED = 0x8 | 0x20 | 0x40 | 0x80
# Failures anywhere that make a policy unfit for a table; `invalid` and `compile` only limit it to other cells.
FAULTS = ("wrong", "runtime", "timeout")
PHASES = ("matrix", "confirm")
# The protocol of times from a user's program (learned.py). Nobody knows what its caches held, whether its outputs were
# right, or whether the GPU was throttled. Such samples name candidates; no decision reads their times.
PROGRAM = "program"
SELF_CHECKS = ("incumbent", "bad", "varies", "echo")
# Limits that no measurement can exceed. 70,000 samples of an H200 stay far from them: they reach 0.95 of the peak, take
# at least 0.8 microseconds, and no two have the same times.
MOST_GBS = 20000      # of any memory, whatever peak an environment claims
OVER_PEAK = 1.05      # of a memory's peak, when caches do not help
CACHES = 20           # times a memory's peak: more than any cache gives
LEAST_US = 0.2        # a launch
ENOUGH = 5            # a sample with this many times never has all equal, nor equal to another sample's
# A type whose cells are measured beside those of the searched type, because a row serves both: same size, other
# arithmetic. Primitives that only move bytes have none.
TWINS = {"u8": "i8", "u16": "i16", "u32": "f32", "u64": "f64", "f16": "bf16"}


class Group:
    """A group's usable times.

    matrix   {cell: {variant: time}}              a variant is "default" or a policy's text; microseconds, medians
    error    {cell: relative standard error of such a median}
    confirm  {process: {cell: {variant: time}}}   the cells of the matrix and their like, measured again
    elsewhere  the same for other cells that a row would serve: other words and protocols, sizes in between
    default  {cell: (policy, source)}             the header's own choice
    rule     {cell: policy}                       the choice of the header's rule at cells with a row
    faults   {policy: status}                     policies that failed somewhere
    left_out {reason: samples}
    problem  "", or why the group is unusable; impossible: the impossible sample, if that is the reason
    """

    def __init__(self, name):
        self.name = name
        self.matrix, self.error, self.confirm, self.elsewhere = {}, {}, {}, {}
        self.default, self.rule, self.faults = {}, {}, {}
        self.left_out = collections.Counter()
        self.problem = self.impossible = ""


class Run:
    def __init__(self, path, first):
        """Takes name and date from the first of its environments."""
        self.path, self.env, self.date, self.device = path, first["id"], first["date"], first["device"]
        self.environment = first
        self.buses, self.boards, self.groups = set(), set(), {}

    @property
    def order(self):
        """The order of runs, and so of their decisions."""
        return self.date, self.env

    @functools.cached_property
    def portable(self):
        """{(group, count): the policy of the header's rule}, for the searched cells and their like."""
        return {(cell.group, cell.n): policy for group in self.groups.values()
                for elsewhere in [set().union(*group.elsewhere.values())]
                for cell, (policy, source) in sorted(group.default.items())
                if source == "portable" and cell not in elsewhere}

    def searched(self, name):
        """The group whose matrix has a group's candidates."""
        primitive, sizes = name.split(" ")
        group = self.groups.get(name)
        if group and group.matrix:
            return group
        return self.groups.get(f"{cell_keys.served().get(primitive, primitive)} {sizes}")


def is_indexed(cell):
    """Whether its output is counters or positions."""
    return cell.primitive in set(cell_keys.having("index")) & set(cell_keys.having("input"))


def as_type(cell, primitive, new):
    """The cell on another type of the same size, as another primitive."""
    old = of(cell)
    fields = ("in_",) if is_indexed(cell) else ("in_", "acc", "out")
    return cell._replace(primitive=primitive, **{field: new for field in fields if getattr(cell, field) == old})


def of(cell):
    """The type that a cell measures."""
    return cell.in_ if is_indexed(cell) else cell.out


def members(cell, primitive):
    """The cells that one row would serve. A graph with hubs also gives one with as many edges without them."""
    if primitive in cell_keys.having("graph"):
        vertices = cell.n // cell.degree
        twin = re.sub(r"kronecker:scale=\d+", f"uniform:n={vertices}", cell.words)
        return [cell._replace(words=words) for words in dict.fromkeys((cell.words, twin))]
    twin = None if primitive in cell_keys.having("bitwise") else TWINS.get(of(cell))
    return [as_type(cell, primitive, name) for name in (of(cell), twin) if name]


def is_served(cell):
    """Whether rows are chosen by a cell's protocol."""
    return cell.protocol not in ("first_call", PROGRAM) and (cell.protocol != "back_to_back" or
                                              cell.primitive in cell_keys.having("graph"))


def can_serve(cell, policy, default):
    """Whether a row with this policy would serve a call; default: the header's own choice for it."""
    return cell.primitive not in cell_keys.having("rule_first") or \
        store.policy_of(policy)["algorithm"] == store.policy_of(default)["algorithm"]


def runs_of(a_store):
    """The runs of a store, in their order."""
    if a_store.runs is None:
        a_store.runs = find_runs(a_store)
    return a_store.runs


def find_runs(a_store):
    latest, runs, environments = {}, {}, {}  # by what one host's boards share; by environment
    for environment in sorted(a_store.of("environment"), key=lambda one: (one["date"], one["id"])):
        if environment["id"] in runs:
            continue
        environments[environment["id"]] = environment
        alike = store.dump({name: environment[name] for name in sorted(environment)
                            if name not in ("id", "date", "bus", "board")})
        if alike not in latest or environment["bus"] in latest[alike].buses:  # the same board again: another run
            latest[alike] = Run(a_store.path, environment)
        latest[alike].buses.add(environment["bus"])
        latest[alike].boards.add(environment.get("board", ""))
        runs[environment["id"]] = latest[alike]
    failed = {(runs.get(check["env"]), check["group"]): check for check in checks_of(a_store) if not check["passed"]}
    by_group = collections.defaultdict(list)
    samples = latest_samples(a_store)
    copied = repeated(samples)
    for sample in samples:
        cell, run = store.cell_of(sample), runs.get(sample["env"])
        if run and store.is_known(cell) and is_served(cell):
            by_group[run, cell.group].append((cell, sample))
    for coverage in a_store.of("coverage"):
        if coverage["env"] in runs and coverage["group"].split(" ")[0] in store.primitives():
            by_group.setdefault((runs[coverage["env"]], coverage["group"]), [])
    for (run, name), samples in by_group.items():
        run.groups[name] = group_of(name, samples, failed.get((run, name)) or failed.get((run, "")))
        reasons = ((cell, cannot_be(cell, sample, environments[sample["env"]]) or
                    ("another sample has the same times" if tuple(sample["us"]) in copied else ""))
                   for cell, sample in samples)
        group = run.groups[name]
        group.impossible = next((f"{cell.text} cannot be: {reason}" for cell, reason in reasons if reason), "")
        group.problem = group.problem or group.impossible
    for run in set(runs.values()):
        for group in run.groups.values():
            set_apart(group, run.searched(group.name))
    return sorted(set(runs.values()), key=lambda run: run.order)


def set_apart(group, searched):
    """The rerun's measurements of cells that the matrix has no like of."""
    like = {member for cell in (searched.matrix if searched else ())
            for member in members(cell, group.name.split(" ")[0])}
    for process, cells in group.confirm.items() if like else ():
        for cell in [cell for cell in cells if cell not in like]:
            group.elsewhere.setdefault(process, {})[cell] = cells.pop(cell)


def latest_samples(a_store):
    """A later line for a variant of a job replaces an earlier one. Once the matrix exists, only the search's failures
    count."""
    return {(sample["env"], sample.get("job"), sample["phase"], sample["process"], store.cell_of(sample),
             sample["variant"], store.policy_text(sample["policy"])): sample
            for sample in a_store.of("samples")
            if sample["phase"] in PHASES or (sample["phase"] == "search" and sample["status"] in FAULTS)}.values()


def checks_of(a_store):
    """Each self-check's last state: a continued run repeats them."""
    return {(check["env"], check["name"], check["group"]): check for check in a_store.of("check")
            if check["name"] in SELF_CHECKS}.values()


def unusable(sample):
    """Why a sample's times are unusable, or None."""
    if sample["status"] != "ok":
        return f"status {sample['status']}"
    if sample["variant"] != "default" and sample["policy_source"] != "caller":
        return "ran on another policy than asked"
    if not sample["us"] or not all(map(math.isfinite, sample["us"])) or min(sample["us"]) <= 0:
        return "no times"
    if len(sample["us"]) < 2 and sample["protocol"] != "first_call":
        return "abandoned as too slow"
    return "throttled" if sample["throttle"] & SLOWED else None


def repeated(samples):
    """Times shared by several samples: they were copied, so made up."""
    counts = collections.Counter(tuple(sample["us"]) for sample in samples if len(sample["us"]) >= ENOUGH)
    return {times for times, count in counts.items() if count > 1}


def cannot_be(cell, sample, environment):
    """Why nobody can have measured these times, or ""."""
    times = sample["us"]
    if sample["status"] != "ok" or not times:
        return ""
    least, peak = min(times), min(environment.get("peak_gbs") or MOST_GBS, MOST_GBS)
    if sample.get("calls") == 0 and len(times) > 1:
        return f"{len(times)} times of no call"
    if len(times) >= ENOUGH and len(set(times)) == 1:
        return f"{len(times)} times are equal"
    if least < LEAST_US:
        return f"{least:g} us are less than a launch takes"
    if cell.primitive in cell_keys.having("graph") + cell_keys.having("ends_early"):
        return ""
    moved = cell.n * cell.sizes[0] if cell.primitive in cell_keys.having("to_one") else cell.bytes
    if moved > CACHES * peak * 1e3 * least:
        return f"{moved / least / 1e3:.0f} GB/s, and no cache of a memory of {peak:g} GB/s gives that"
    # (The last written data may still be in the cache.)
    if cell.protocol == "cold" and moved - environment.get("l2_bytes", 0) > OVER_PEAK * peak * 1e3 * least:
        return f"{moved / least / 1e3:.0f} GB/s, and the memory's peak is {peak:g}"
    return ""


def learned(a_store):
    """[(cell, sample, why its times cannot be or "")] of a store's samples from users' programs. The cells are those of
    calls whose buffers may be in a cache."""
    environments = {one["id"]: one for one in a_store.of("environment")}
    samples = [sample for sample in a_store.of("samples")
               if sample["protocol"] == PROGRAM and sample["env"] in environments]
    copied, found = repeated(samples), []
    for sample in samples:
        cell = store.cell_of(sample)._replace(protocol="back_to_back")
        if store.is_known(cell):
            reason = cannot_be(cell, sample, environments[sample["env"]])
            found.append((cell, sample, reason or ("another sample has the same times"
                                                   if tuple(sample["us"]) in copied else "")))
    return found


def deviation(values):
    """statistics.stdev is exact, but takes most of the time of reading a store."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def group_of(name, samples, failed_check):
    group = Group(name)
    times, defaults = collections.defaultdict(list), collections.defaultdict(set)
    throttled = {sample["process"] for _, sample in samples
                 if sample["phase"] == "confirm" and sample["throttle"] & SLOWED}
    for cell, sample in samples:
        is_default = sample["variant"] == "default"
        if not is_default and sample["status"] in FAULTS:
            group.faults[store.policy_text(sample["policy"])] = sample["status"]
        if sample["phase"] == "search":
            continue
        reason = unusable(sample)
        if not reason and sample["phase"] == "confirm" and sample["process"] in throttled:
            reason = "throttled"  # its other samples ran while it cooled down
        if reason:
            group.left_out[reason] += 1
            continue
        if is_default:
            defaults[cell].add((store.policy_text(sample["policy"]), sample["policy_source"]))
        variant = "default" if is_default else store.policy_text(sample["policy"])
        if sample["variant"] == "rule":
            group.rule[cell] = variant
        process = sample["process"] if sample["phase"] == "confirm" else 0
        times[sample["phase"], process, cell, variant] += sample["us"]
    for cell, choices in defaults.items():
        if len(choices) > 1:
            group.problem = f"the default of {cell.text} ran on {len(choices)} policies"
        group.default[cell] = min(choices)
    errors = collections.defaultdict(list)
    for (phase, process, cell, variant), us in times.items():
        median = statistics.median(us)
        if phase == "matrix":
            group.matrix.setdefault(cell, {})[variant] = median
            # The standard error of a normal sample's median is 1.25 times that of its mean.
            errors[cell].append(1.25 * deviation(us) / median / math.sqrt(len(us)))
        else:
            group.confirm.setdefault(process, {}).setdefault(cell, {})[variant] = median
    group.error = {cell: statistics.median(values) for cell, values in errors.items()}
    group.matrix = {cell: {variant: time for variant, time in row.items()
                           if variant == "default" or can_serve(cell, variant, group.default[cell][0])}
                    for cell, row in group.matrix.items() if "default" in row}
    group.problem = group.problem or problem_of(group, failed_check)
    return group


def problem_of(group, failed_check):
    """Why all of a group's numbers are worthless: a farm that cannot fail is broken."""
    if failed_check:
        return f"self-check {failed_check['name']} failed: {failed_check['value']}, limit {failed_check['limit']}"
    rows = list(group.matrix.values())
    if rows and max(map(len, rows)) > 2 and len({time for row in rows for time in row.values()}) == 1:
        return "the objective does not vary: all times are equal"
    return ""
