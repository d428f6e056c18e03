"""The layout tuner: measures a user's kernel (tools/gp_tune_kernel.h) over the layouts of its arrays and its other
fields at several sizes, and writes a header with a decision tree of the best by size (Weber and Goesele, MATOG: Array
Layout Auto-Tuning for CUDA, TACO 2017).

    python3 -m tools.farm layouts FILE.cuh --sizes 4K,256K,16M --store STORE [--mode complete|small] [--header FILE.h]

    complete   all combinations of all fields
    small      the layouts of global memory with all else at its default; all else (layouts of shared memory, other
               fields) with the layouts of global memory at their defaults; then the best of both together. In the
               paper's programs the two parts hardly influence one another

Each size is measured once (phase matrix). The best is confirmed against the baseline, every field at its default, in
fresh processes (phase confirm) by the rule of decide.py: a gain of more than 2 % and more than the noise. Without
confirmation the baseline stays.

The tree has one feature, the size. So it is one node with a leaf for each measured size, and a threshold at the
midpoint between neighbours (a size at the midpoint goes to the larger one's leaf); equal neighbours share a leaf.
Outside the measured sizes it gives the baseline. Written data fixes an array's layout. So a leaf also has the best of
the other fields for the baseline's global layouts and for those that are best at some size. tools/gp_tune_tree.h reads
the header.

Without --sizes nothing is measured, and the header's tree has no leaves: for a program's first compilation.

Several kernels that share arrays are an application: --application, tools/farm/applications.py.

Exit status: 0 done; 1 done, but some variants were wrong; 2 bad usage, or the store lacks something; 3 the device was
lost; 4 no GPU; 130 interrupted. The same command continues an interrupted run.
"""
import argparse
import collections
import hashlib
import itertools
import json
import math
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap

from tools.farm import applications, decide, evidence, store, tune

MOST_POLICIES = 255  # policies of a job, beside the default
MATRIX = ("--phase", "matrix", "--rounds", "9", "--batch-us", "400")
CONFIRM = ("--phase", "confirm", "--rounds", "15", "--batch-us", "600")
NEAR = 1.01     # choices within this factor of the best, but nearer to the default, are tried before it
WIDTH = 110     # of a header's lines
OPTIMAL = 1.02  # choices within this factor of the best count as equally good

Field = collections.namedtuple("Field", "name kind usual values numbers")
# gain, low, high: the confirmed choice's against the baseline. rows: the leaf's choices, first the one without a given
# layout; policies are tuples of values.
Leaf = collections.namedtuple("Leaf", "n choice gain low high rows")


class Space:
    """A kernel's fields. A point is a tuple of values, in the order of the fields."""

    def __init__(self, kernel, fields, cells=()):
        self.kernel, self.fields, self.cells = kernel, fields, dict(cells)
        self.usual = tuple(field.usual for field in fields)
        self.is_global = tuple(field.kind == "global" for field in fields)

    def points(self):
        return list(itertools.product(*(field.values for field in self.fields)))

    def text(self, point):
        return ",".join(f"{field.name}={value}" for field, value in zip(self.fields, point))

    def global_part(self, point):
        return tuple(value for value, mine in zip(point, self.is_global) if mine)

    def joined(self, globals_of, rest_of):
        """The global layouts of one point, the other fields of another."""
        return tuple(a if mine else b for a, b, mine in zip(globals_of, rest_of, self.is_global))

    def global_points(self):
        return [point for point in self.points() if self.joined(self.usual, point) == self.usual]

    def rest_points(self):
        return [point for point in self.points() if self.joined(point, self.usual) == self.usual]

    def number(self, position, value):
        field = self.fields[position]
        return field.numbers[field.values.index(value)]


def space_of(program, path, sizes):
    """Asks gp_tune; for a bad file it prints gp_tune's error."""
    command = [program, "--space", "--kernel", path, *(["--sizes", ",".join(map(str, sizes))] if sizes else [])]
    done = subprocess.run(command, cwd=store.ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise tune.Stop(tune.BAD_USAGE)
    said = json.loads(done.stdout)
    fields = [Field(one["name"], one["kind"], one["usual"], tuple(one["values"]), tuple(one["numbers"]))
              for one in said["fields"]]
    return Space(said["kernel"], fields, ((cell["n"], cell["cell"]) for cell in said["cells"]) if sizes else ())


def sizes_of(text):
    sizes = []
    for word in text.split(","):
        match = re.fullmatch(r"(\d+)([KMG]?)", word)
        if not match or not int(match.group(1)):
            raise tune.Stop(tune.BAD_USAGE, f"--sizes: {word!r} is not a size: sizes are such as 1000,64K,16M")
        sizes.append(int(match.group(1)) << 10 * " KMG".index(match.group(2) or " "))
    if len(set(sizes)) < len(sizes):
        raise tune.Stop(tune.BAD_USAGE, f"--sizes {text}: a size is listed twice")
    return sorted(sizes)


def stamp_of(path):
    """The store's name for a run of this text of the file: another text is another kernel."""
    with open(path, "rb") as file:
        return f"kernel {hashlib.sha256(file.read()).hexdigest()[:16]}"


# ---- what the store has ----------------------------------------------------------------------------------------------


class Measured:
    """The store's last run of a kernel's text.

    ratio    {n: {point: time over the default's of the same job}}; us: {n: the default's, microseconds}
    failed   {n: {point: status}}, also points whose times cannot be used
    confirm  {(n, process): {job: {point: logarithm of its time}}}"""

    def __init__(self, path, space, stamp):
        self.path, self.space = path, space
        self.ratio, self.us, self.failed, self.confirm, self.device = {}, {}, {}, {}, ""
        if not os.path.exists(path):
            return
        found = store.read(path)
        found.complain()
        environments = [one for one in found.of("environment") if one["commit"] == stamp]
        if not environments:
            return
        latest = max(environments, key=lambda one: (one["date"], one["id"]))
        self.device = latest["device"]
        by_job = collections.defaultdict(dict)
        for sample in evidence.latest_samples(found):
            if sample["env"] == latest["id"] and (sample["primitive"], sample["op"]) == ("kernel", space.kernel):
                by_job[sample["phase"], sample["n"], sample["process"], sample.get("job")][self.point(sample)] = sample
        for (phase, n, process, job), samples in sorted(by_job.items(), key=str):
            self.take(phase, n, process, job, samples)

    def point(self, sample):
        if sample["variant"] == "default":
            return self.space.usual
        return tuple(str(sample["policy"].get(field.name)) for field in self.space.fields)

    def take(self, phase, n, process, job, samples):
        times = {}
        for point, sample in samples.items():
            reason = evidence.unusable(sample)
            if reason:
                self.failed.setdefault(n, {})[point] = reason
            else:
                times[point] = statistics.median(sample["us"])
        if phase == "confirm":
            logs = {point: math.log(time) for point, time in times.items()}
            self.confirm.setdefault((n, process), {})[job] = logs
        elif self.space.usual in times:
            self.us.setdefault(n, times[self.space.usual])
            base = times[self.space.usual]
            self.ratio.setdefault(n, {}).update({point: time / base for point, time in times.items()})

    def missing(self, n, points):
        known = self.ratio.get(n, {}).keys() | self.failed.get(n, {}).keys()
        return [point for point in points if point not in known]

    def require(self, n, points):
        """Raises an error if a size, or a part of it, was not measured."""
        lacks = self.missing(n, points)
        again = "the same command without --from-store measures that"
        if n not in self.ratio:
            why = self.failed.get(n, {}).get(self.space.usual)
            raise store.StoreError(f"{self.path}: the default of {self.space.kernel} at n={n} cannot be used: {why}"
                                   if why else f"{self.path}: nothing is measured of {self.space.kernel}, as its file "
                                   f"is now, at n={n}: {again}")
        if lacks:
            raise store.StoreError(f"{self.path}: {len(lacks)} of {len(points)} combinations are not measured at n={n} "
                                   f"({self.space.text(lacks[0])}): {again}")

    def pairs(self, n, base, candidate):
        """(logarithms of the base's times, of the candidate's), a number for each process that had both in one job."""
        found = [(jobs[base], jobs[candidate]) for (size, _), by_job in sorted(self.confirm.items()) if size == n
                 for jobs in [next((logs for logs in by_job.values() if base in logs and candidate in logs), None)]
                 if jobs]
        return [pair[0] for pair in found], [pair[1] for pair in found]


def fastest(ratio, points):
    """The fastest of these points; None if there are none."""
    return min((point for point in points if point in ratio), key=lambda point: (ratio[point], point), default=None)


def is_confirmed(measured, n, base, candidate):
    logs = measured.pairs(n, base, candidate)
    return len(logs[0]) >= decide.FEWEST_PAIRS and decide.margin(*logs) > 0


# ---- both modes ------------------------------------------------------------------------------------------------------


def apart(space, ratio):
    """(the best global layouts, the best of the rest), each with the other at its default, joined."""
    return space.joined(fastest(ratio, space.global_points()), fastest(ratio, space.rest_points()))


def asked_of(space, mode):
    """The points to measure before any result."""
    return space.points() if mode == "complete" else \
        list(dict.fromkeys(space.global_points() + space.rest_points()))


def measured_by(space, mode, ratio):
    points = asked_of(space, mode)
    return points if mode == "complete" else list(dict.fromkeys([*points, apart(space, ratio)]))


def candidates(ratio, base):
    """The points worth confirming against one of them: the point near the best that changes the fewest fields; then the
    best. None if nothing gains 2 %."""
    best = fastest(ratio, ratio)
    if ratio[base] <= OPTIMAL * ratio[best]:
        return []

    def changes(point):
        return sum(a != b for a, b in zip(point, base))

    near = min((point for point in ratio if ratio[point] <= NEAR * ratio[best]),
               key=lambda point: (changes(point), ratio[point], point))
    return list(dict.fromkeys([near, best]))


def comparisons(space, measured, sizes):
    """{n: [(base, candidates)]} to confirm. A kernel may find its arrays in the baseline's global layouts, or in those
    that are best at some size."""
    at_best = {space.joined(point, space.usual) for n in sizes for point in candidates(measured.ratio[n], space.usual)}
    found = {}
    for n in sizes:
        ratio = measured.ratio[n]
        tried = [(space.usual, candidates(ratio, space.usual))]
        for base in sorted({*at_best, space.usual} & ratio.keys()):
            beside = {point: time for point, time in ratio.items() if space.joined(point, space.usual) == base}
            tried.append((base, candidates(beside, base)))
        found[n] = [one for one in dict.fromkeys((base, tuple(points)) for base, points in tried) if one[1]]
    return found


def leaf_of(space, measured, n, compared):
    """The leaf of a size: the confirmed choice, and the confirmed choices for other global layouts."""
    choice, gains, rows = space.usual, (0.0, 0.0, 0.0), {}
    for base, points in compared:
        passing = [point for point in points if is_confirmed(measured, n, base, point)]
        if not passing:
            continue
        if base == space.usual and choice == space.usual:
            choice, gains = passing[0], decide.interval(*measured.pairs(n, base, passing[0]))
        rows.setdefault(space.global_part(passing[0]), passing[0])
    rows = [choice, *(row for part, row in rows.items() if part != space.global_part(choice))]
    return Leaf(n, choice, *gains, () if rows == [space.usual] else tuple(rows))


def intervals(leaves):
    """The tree's one node: [(first size, last size, leaf)] with midpoints as thresholds; equal leaves are merged."""
    found = []
    for position, leaf in enumerate(leaves):
        first = leaf.n if position == 0 else (leaves[position - 1].n + leaf.n + 1) // 2
        last = leaf.n if position + 1 == len(leaves) else (leaf.n + leaves[position + 1].n + 1) // 2 - 1
        if found and found[-1][2].rows == leaf.rows:
            found[-1] = (found[-1][0], last, found[-1][2])
        else:
            found.append((first, last, leaf))
    return found


def look_up(space, leaves, n):
    """The tree's choice for a size."""
    return next((leaf.rows[0] for first, last, leaf in intervals(leaves) if first <= n <= last and leaf.rows),
                space.usual)


# ---- the header ------------------------------------------------------------------------------------------------------


def literal(number):
    return f"{number % 2**64}u" if number % 2**64 < 2**32 else f"0x{number % 2**64:x}ull"


def numbers(space, before, point):
    all_of_it = [*before, *(space.number(position, value) for position, value in enumerate(point))]
    return textwrap.wrap(", ".join(map(literal, all_of_it)) + ",", WIDTH, initial_indent="  ", subsequent_indent="    ")


def header_text(space, leaves, device, path):
    """The header for tools/gp_tune_tree.h."""
    name, upper = space.kernel, space.kernel.upper()
    what = f"what was confirmed on {device} at n = {', '.join(str(leaf.n) for leaf in leaves)}" if leaves else \
        "nothing was measured: the defaults at all sizes"
    lines = [f"// Written by python3 -m tools.farm layouts {path}. Do not edit.",
             *textwrap.wrap(f"{what[0].upper()}{what[1:]}.", WIDTH, initial_indent="// ", subsequent_indent="// "),
             "// tools/gp_tune_tree.h, which is to be included before, reads it.",
             "// clang-format off"]
    for position, field in enumerate(space.fields):
        lines.append(f"#define {upper}_{field.name.upper()} {position}")
    lines += [f"#define {upper}_FIELDS {len(space.fields)}", f"static const char *const {name}_tree_name[] = {{"]
    lines += [f'  "{field.name}",' for field in space.fields] + ["};"]
    lines += [f"static const uint64_t {name}_tree_usual[] = {{", *numbers(space, (), space.usual), "};"]
    rows = [(first, last, row) for first, last, leaf in intervals(leaves) for row in leaf.rows]
    if rows:
        lines.append(f"static const uint64_t {name}_tree_row[] = {{ // first size, last size, values")
        lines += [line for first, last, row in rows for line in numbers(space, (first, last), row)] + ["};"]
    lines.append(f"static const gp_tune_tree {name}_tree = {{\"{name}\", {len(space.fields)}, {len(rows)}, "
                 f"{name}_tree_name, {name}_tree_usual, {f'{name}_tree_row' if rows else '0'}}};")
    return "\n".join(lines) + "\n"


# ---- the report ------------------------------------------------------------------------------------------------------


def is_optimal(ratio, point):
    """Points not measured at this size (small mode) count as bad."""
    return point in ratio and ratio[point] <= OPTIMAL * min(ratio.values())


def described(space, point):
    return "baseline" if point == space.usual else \
        " ".join(f"{field.name.removeprefix('GP_LAYOUT_')}={value}" for field, value, usual
                 in zip(space.fields, point, space.usual) if value != usual)


def report(space, measured, mode, leaves):
    """Lines of text: speed-up over the baseline, share of optimal choices, runs."""
    points, globals_, rest = (len(found()) for found in (space.points, space.global_points, space.rest_points))
    yield f"kernel {space.kernel} on {measured.device}, {mode} mode: {globals_} global layouts, {rest} of the rest, " \
        f"{points} combinations"
    yield f"  {'n':>12} {'baseline us':>12} {'speed-up':>9} {'95 % interval':>16} {'of best':>8}  choice"
    for leaf in leaves:
        ratio = measured.ratio[leaf.n]
        share = f"{min(ratio.values()) / ratio[leaf.choice]:8.3f}"
        yield (f"  {leaf.n:>12} {measured.us[leaf.n]:>12.2f} {1 + leaf.gain:>9.3f} "
               f"{f'{1 + leaf.low:.3f} to {1 + leaf.high:.3f}':>16} {share}  {described(space, leaf.choice)}")
    speed_up = math.exp(statistics.fmean(math.log1p(leaf.gain) for leaf in leaves))
    optimal = sum(is_optimal(measured.ratio[leaf.n], look_up(space, leaves, leaf.n)) for leaf in leaves)
    yield f"  speed-up over the baseline: {speed_up:.3f} (geometric mean of {len(leaves)} sizes)"
    yield f"  optimal choices (within 2 % of the best that was measured): {optimal} of {len(leaves)}"
    inner = leaves[1:-1]
    if inner:
        without = sum(is_optimal(measured.ratio[leaf.n], look_up(space, [one for one in leaves if one is not leaf],
                                                                 leaf.n)) for leaf in inner)
        yield f"  the same at a size that the tree was not shown: {without} of {len(inner)}"
    small = [len(measured_by(space, "small", measured.ratio[leaf.n])) for leaf in leaves]
    share = 100 * sum(small) / points / len(leaves)
    yield f"  runs: complete {points * len(leaves)}, small {sum(small)} ({share:.1f} %)"
    for leaf in leaves:
        ratio = measured.ratio[leaf.n]
        both, said = apart(space, ratio), []
        parts = [fastest(ratio, space.global_points()), fastest(ratio, space.rest_points())]
        if both in ratio and space.usual not in parts:
            more = 100 * (ratio[both] / (ratio[parts[0]] * ratio[parts[1]]) - 1)
            said.append(f"the best of both parts together takes {more:+.1f} % against what they promise apart")
        if mode == "complete":
            off = 100 * (ratio[fastest(ratio, measured_by(space, "small", ratio))] / min(ratio.values()) - 1)
            said.append(f"small mode is {off:.1f} % off the best")
        if said:
            yield f"  n={leaf.n}: {'; '.join(said)}"
    lost = collections.Counter(reason for n in measured.failed for reason in measured.failed[n].values())
    if lost:
        yield "  left out: " + ", ".join(f"{reason} {count}" for reason, count in sorted(lost.items()))


# ---- measuring -------------------------------------------------------------------------------------------------------


def plan_text(space, jobs):
    return "".join("\t".join([space.cells[n], *("default" if point == space.usual else space.text(point)
                                                for point in points)]) + "\n" for n, points in jobs)


def jobs_of(space, n, points):
    """Jobs with as many policies as one takes, the default in each."""
    points = [point for point in points if point != space.usual]
    return [(n, [space.usual, *points[at:at + MOST_POLICIES]]) for at in range(0, max(len(points), 1), MOST_POLICIES)]


class Runner:
    def __init__(self, args, space, path, resume):
        self.args, self.space, self.path, self.resume, self.worst = args, space, path, resume, 0

    def run(self, jobs, options, process=0):
        if not jobs:
            return
        with tempfile.NamedTemporaryFile("w", suffix=".plan", encoding="utf-8") as plan:
            plan.write(plan_text(self.space, jobs))
            plan.flush()
            command = ["--plan", plan.name, *options, "--process", str(process), "--out", self.path,
                       "--commit", stamp_of(self.args.file),
                       *tune.options_for(self.args, ("gpus", "jobs", "watchdog", "worker_command",
                                                     "compiler_command"))]
            self.worst = max(self.worst, tune.gp_tune(self.args.gp_tune, command, self.resume))

    def measured(self):
        return Measured(self.path, self.space, stamp_of(self.args.file))


def require_all(space, measured, mode, sizes):
    for n in sizes:
        measured.require(n, asked_of(space, mode))
        measured.require(n, measured_by(space, mode, measured.ratio[n]))


def measure_all(runner, mode, sizes, processes):
    space = runner.space
    runner.run([job for n in sizes for job in jobs_of(space, n, asked_of(space, mode))], MATRIX)
    if mode == "small":
        measured, jobs = runner.measured(), []
        for n in sizes:
            measured.require(n, asked_of(space, mode))
            both = apart(space, measured.ratio[n])
            if both not in measured.ratio[n]:
                jobs += jobs_of(space, n, [both])
        runner.run(jobs, MATRIX)
    measured = runner.measured()
    require_all(space, measured, mode, sizes)
    jobs = [(n, [base, *points]) for n, compared in comparisons(space, measured, sizes).items()
            for base, points in compared]
    for process in range(1, processes + 1):
        runner.run(jobs, CONFIRM, process)


def layouts(args, argv):
    args.file = os.path.abspath(args.file)
    args.gp_tune = os.path.abspath(args.gp_tune) if args.gp_tune else tune.build()
    shown = os.path.relpath(args.file, store.ROOT)
    shown = os.path.basename(args.file) if shown.startswith("..") else shown
    sizes = sizes_of(args.sizes) if args.sizes else []
    space, leaves, device, status = space_of(args.gp_tune, args.file, sizes), [], "", 0
    if sizes:
        os.environ["GP_TUNE_KERNEL"] = args.file  # for workers and compilers
        path = os.path.abspath(args.store)
        runner = Runner(args, space, path, shlex.join(["python3", "-m", "tools.farm", "layouts", *argv]))
        if not args.from_store:
            measure_all(runner, args.mode, sizes, args.processes)
        measured, status = runner.measured(), runner.worst
        require_all(space, measured, args.mode, sizes)
        compared, device = comparisons(space, measured, sizes), measured.device
        leaves = [leaf_of(space, measured, n, compared[n]) for n in sizes]
        print("\n".join(report(space, measured, args.mode, leaves)))
    if args.header:
        store.replace(args.header, header_text(space, leaves, device, shown).encode())
        print(f"tree: {args.header}")
    return status


def main(argv):
    if any(word.split("=")[0] == "--application" for word in argv):
        return applications.main(argv)
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm layouts", description="a kernel of yours over the "
                                     "layouts of its arrays; a decision tree by size")
    parser.add_argument("file", metavar="FILE.cuh", help="tools/gp_tune_kernel.h describes it")
    parser.add_argument("--sizes", metavar="4K,1M", help="values of the kernel's n; none: only a header of defaults")
    parser.add_argument("--store", metavar="STORE",
                        help="JSON Lines file to append to; its measurements are not repeated")
    parser.add_argument("--mode", choices=("complete", "small"), default="complete")
    parser.add_argument("--header", metavar="FILE.h", help="the tree, for tools/gp_tune_tree.h")
    parser.add_argument("--processes", type=int, default=tune.PROCESSES, help="of the confirmation")
    parser.add_argument("--from-store", action="store_true", help="measure nothing: the tree of what the store has")
    parser.add_argument("--gpus", metavar="0", help="one GPU: a tree is of one")
    parser.add_argument("--jobs", type=int, metavar="N", help="compiler processes")
    parser.add_argument("--watchdog", type=float, metavar="S")
    parser.add_argument("--gp-tune", metavar="PROGRAM", help="instead of build/gp_tune")
    parser.add_argument("--worker-command", metavar="COMMAND", help="another worker than gp_tune's own")
    parser.add_argument("--compiler-command", metavar="COMMAND")
    args = parser.parse_args(argv)
    if args.processes < decide.FEWEST_PAIRS:
        parser.error(f"--processes: fewer than {decide.FEWEST_PAIRS} confirm nothing")
    if args.gpus and not args.gpus.isdigit():
        parser.error("--gpus: one GPU, by its number: a tree is of one")
    if args.sizes and not args.store:
        parser.error("--store is missing: where what is measured is kept")
    if not args.sizes and not args.header:
        parser.error("--sizes is missing: what to measure")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return layouts(args, argv)
    except tune.Stop as stop:
        if str(stop):
            print(f"layouts: {stop}", file=sys.stderr)
        return stop.status
