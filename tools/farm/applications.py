"""The layout tuner for applications: several kernels that share arrays (Weber and Goesele, Auto-Tuning Complex Array
Layouts for GPUs, 2014).

    python3 -m tools.farm layouts --application "build/examples/reyes/reyes --frames 4" --store STORE
        [--mode complete|small] [--judge CASE,CASE] [--header FILE.h] [--from-store]

The application is a program that tools/gp_tune_application.h serves: it describes its arrays, its kernels, its features
(named integers) and its test cases, and then answers one request after another. So a test case's inputs are loaded
once, and its kernels run again for each combination.

A combination is one global layout an array, the layouts of each kernel's arrays in shared memory, and what the kernels
prefer, L1 or shared memory. With G, S, P, T the numbers of global layouts, of layouts in shared memory (a kernel's
largest number: all kernels change theirs in the same run, and each is timed apart), of preferences and of test cases:

    complete   |G| |S| |P| |T| runs: all combinations
    small      ((|G| + |S|) |P| - 1) |T| runs: global layouts beside the default in shared memory, and the other way
               round. The default is in both parts, so |P| - 1 of these runs are not repeated

A case's choice: the global layouts whose sum over the kernels is least; each kernel has its own best of the rest.
It is confirmed against the defaults in fresh processes by the rule of decide.py; otherwise the defaults stay.

The tree has a level a feature, in the order of the description, thresholds at midpoints between neighbours, and serves
what lies outside by the nearest case. --header writes a tree for each device of the store for tools/gp_tune_tree.h.

--judge names test cases that the tree is not shown: the report says how its choices do there (the paper's Table 1).

All processors compile the kernels first, into the folder build/own_kernels (or GPUPRIMS_OWN_KERNELS). --seconds ends
the measurements in time; the report, the trees and a later command take what is there.

Nothing measured is lost: each answer is a line of the store at once. A run that fails, or that ends the program, is a
line, too, with the reason; the program is started again and goes on behind it. --again repeats failed runs.

Exit status: 0 done; 1 done, but something failed, or --seconds ended it; 2 bad usage, or the store lacks something;
130 interrupted.
"""
import argparse
import collections
import datetime
import gzip
import itertools
import json
import math
import os
import select
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

from tools.farm import decide, store

OPTIMAL = 1.02  # choices within this factor of the best count as optimal
WIDTH = 110     # of a header's lines

Field = collections.namedtuple("Field", "kernel name values numbers")
Case = collections.namedtuple("Case", "name features")


class Stop(Exception):
    """Ends the command."""


class Died(Exception):
    """The program ended, or did not answer in time."""


class Application:
    """What a program says of itself. A point is a tuple of the values' numbers, one a field."""

    def __init__(self, said):
        self.name, self.device, self.stamp = said["application"], said["device"], said["stamp"]
        self.capability, self.kernels = said["capability"], said["kernels"]
        self.features, self.compiles = said["features"], said.get("compiles", False)
        self.fields = [Field(one["kernel"] or None, one["name"], one["values"], one["numbers"])
                       for one in said["fields"]]
        self.cases = [Case(one["name"], tuple(one["features"])) for one in said["cases"]]
        self.usual = (0,) * len(self.fields)
        places = list(enumerate(self.fields))
        self.globals = [place for place, field in places if field.kernel is None]
        self.prefer = {field.kernel: place for place, field in places if field.kernel and field.name == "prefer"}
        self.staged = {kernel: [place for place, field in places if field.kernel == kernel and field.name != "prefer"]
                       for kernel in self.kernels}
        self.combined = {kernel: self.product(self.staged[kernel]) for kernel in self.kernels}
        self.g_points = self.product(self.globals)
        self.s_count = max(len(points) for points in self.combined.values())
        self.p_count = 2 if self.prefer else 1

    def product(self, places):
        return list(itertools.product(*(range(len(self.fields[place].values)) for place in places)))

    def point(self, g, rest):
        """g: a global layout's number; rest: {kernel: (number of its layouts in shared memory, preference)}."""
        values = list(self.usual)
        for place, value in zip(self.globals, self.g_points[g]):
            values[place] = value
        for kernel, (s, p) in rest.items():
            for place, value in zip(self.staged[kernel], self.combined[kernel][s]):
                values[place] = value
            if kernel in self.prefer:
                values[self.prefer[kernel]] = p
        return tuple(values)

    def parts(self, point):
        """point() backwards."""
        g = self.g_points.index(tuple(point[place] for place in self.globals))
        rest = {kernel: (self.combined[kernel].index(tuple(point[place] for place in self.staged[kernel])),
                         point[self.prefer[kernel]] if kernel in self.prefer else 0) for kernel in self.kernels}
        return g, rest

    def run_of(self, g, s, p):
        """All kernels change the layouts of their arrays in shared memory together."""
        return self.point(g, {kernel: (s % len(self.combined[kernel]), p) for kernel in self.kernels})

    def runs(self, mode):
        gs, ss, ps = range(len(self.g_points)), range(self.s_count), range(self.p_count)
        asked = itertools.product(gs, ss, ps) if mode == "complete" else \
            itertools.chain(itertools.product(gs, (0,), ps), itertools.product((0,), ss, ps))
        return list(dict.fromkeys(self.run_of(*one) for one in asked))

    def printed(self, mode):
        """The number of runs of a test case, as the paper counts them."""
        g, s, p = len(self.g_points), self.s_count, self.p_count
        return g * s * p if mode == "complete" else (g + s) * p - 1

    def described(self, point):
        said = [f"{field.kernel + '.' if field.kernel else ''}{field.name}={field.values[value]}"
                for field, value in zip(self.fields, point) if value]
        return " ".join(said) or "baseline"


# ---- the program -----------------------------------------------------------------------------------------------------


class Program:
    """The running application."""

    def __init__(self, command, watchdog):
        self.command, self.watchdog, self.process, self.case = shlex.split(command), watchdog, None, None

    def describe(self):
        try:
            done = subprocess.run([*self.command, "--describe"], stdout=subprocess.PIPE, text=True, check=False,
                                  cwd=store.ROOT)
        except OSError as error:
            raise Stop(f"{self.command[0]}: {error.strerror}") from error
        if done.returncode:
            raise Stop(f"{self.command[0]} --describe: exit status {done.returncode}")
        try:
            return Application(json.loads(done.stdout))
        except (ValueError, KeyError, TypeError) as error:
            raise Stop(f"{self.command[0]} --describe: no description: {error!r}") from error

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close(), self.process.stdout.close()
        self.process = self.case = None

    def last_words(self):
        code = self.process.wait()
        ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip().splitlines()
        return ended + (f": {said[-1][:200]}" if said else "")

    def ask(self, request):
        """The answer to a request, a line of JSON."""
        if not self.process:
            self.errors = tempfile.TemporaryFile()
            self.process = subprocess.Popen([*self.command, "--measure"], stdin=subprocess.PIPE, bufsize=0,
                                            stdout=subprocess.PIPE, stderr=self.errors, cwd=store.ROOT)
        line = b""
        try:
            self.process.stdin.write(request.encode() + b"\n")
            while not line.endswith(b"\n"):
                if not select.select([self.process.stdout], [], [], self.watchdog)[0]:
                    self.stop()
                    raise Died(f"no answer in {self.watchdog:g} s")
                more = os.read(self.process.stdout.fileno(), 1 << 16)
                if not more:
                    break
                line += more
            if line.endswith(b"\n"):
                return json.loads(line)
            why = self.last_words()
        except BrokenPipeError:
            why = self.last_words()
        except ValueError as error:
            why = f"no JSON: {line[:80]!r} ({error})"
        self.stop()
        raise Died(why)

    def load(self, case):
        """Loads a test case, if it is not the one that is loaded. Returns why it cannot be, or None."""
        if self.case == case.name and self.process:
            return None
        self.case = None
        try:
            failed = self.ask(f"case {case.name}").get("failed")
        except Died as why:
            failed = str(why)
        if not failed:
            self.case = case.name
        return failed


# ---- what was measured -----------------------------------------------------------------------------------------------


class Measured:
    """A store's lines of one application on one device, of one text of its kernels.

    us      {case: {point: {kernel: microseconds}}}; lost {case: {point: {kernel or "": why}}}
    pairs   {case: {point: [(logarithm of the defaults' time, of the point's), ...]}}, one a process"""

    def __init__(self, device=None, stamp=None):
        self.device, self.stamp, self.capability = device, stamp, 0
        self.us, self.lost = collections.defaultdict(dict), collections.defaultdict(dict)
        self.pairs = collections.defaultdict(lambda: collections.defaultdict(list))
        self.features, self.bad_cases = {}, {}

    def take(self, line):
        case, self.capability = line["case"], line["capability"]
        self.features[case] = tuple(line["features"])
        if "values" not in line:
            self.bad_cases[case] = line["failed"]
            return
        self.bad_cases.pop(case, None)
        point = tuple(line["values"])
        if line["phase"] == "confirm":
            self.pairs[case][point].append((math.log(line["base_us"]), math.log(line["point_us"])))
            return
        self.us[case].pop(point, None), self.lost[case].pop(point, None)
        if line.get("failed"):
            self.lost[case][point] = {"": line["failed"]}
            return
        self.us[case][point] = {kernel: statistics.median(us) for kernel, us in line["us"].items() if us}
        if line.get("lost"):
            self.lost[case][point] = line["lost"]


def lines_of(path):
    """The lines of a store, of a packed one (.gz) too; a line of its own says where that is cut off."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            yield from file
    except (EOFError, gzip.BadGzipFile, gzip.zlib.error):
        yield b"cut off"


def read_store(path, name):
    """({device: Measured}, of the last stamp of each, [what is wrong with lines])."""
    found, wrong = {}, []
    if not path or not os.path.exists(path):
        return found, wrong
    for number, text in enumerate(lines_of(path), 1):
        try:
            line = json.loads(text)
            if line["kind"] != "application" or line["application"] != name:
                continue
            one = found.get(line["device"])
            if not one or one.stamp != line["stamp"]:
                one = found[line["device"]] = Measured(line["device"], line["stamp"])
            one.take(line)
        except (ValueError, KeyError, TypeError) as error:
            why = "no JSON" if isinstance(error, ValueError) else repr(error)
            wrong.append(f"{path}:{number}: {why}: left out")
    return found, wrong


def compile_ahead(args, command, app, wanted):
    """Compiles the kernels of (case, point) pairs by all processors, before anything is measured. Each process has the
    whole list, from a place of its own on: what another one compiled, it finds on disk. What fails is left to the run,
    which names it."""
    workers = min(len(os.sched_getaffinity(0)), len(wanted))
    if not app.compiles or not workers:
        return
    requests = [f"compile {case.name} {' '.join(map(str, point))}\n".encode() for case, point in wanted]
    processes = []
    try:
        for worker in range(workers):
            first = worker * len(requests) // workers
            with tempfile.TemporaryFile() as list_of_it:
                list_of_it.writelines(requests[first:] + requests[:first])
                list_of_it.seek(0)
                processes.append(subprocess.Popen([*shlex.split(command), "--measure"], stdin=list_of_it,
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=store.ROOT))
        for process in processes:
            process.wait(timeout=max(0, args.until - time.monotonic()) if args.until < math.inf else None)
    except subprocess.TimeoutExpired:
        print("the time ended while kernels were compiled", flush=True)
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Tuner:
    def __init__(self, args, program, application):
        self.args, self.program, self.app = args, program, application
        self.ran = self.repeated = 0
        self.late = False

    def write(self, case, **more):
        line = {"kind": "application", "application": self.app.name, "device": self.app.device,
                "capability": self.app.capability, "stamp": self.app.stamp, "case": case.name,
                "features": list(case.features), "date": datetime.datetime.now().isoformat(timespec="seconds"), **more}
        with open(self.args.store, "a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # of an interrupted write
                    file.write(b"\n")
            file.write(json.dumps(line).encode() + b"\n")
        return line

    def run(self, case, point):
        """The answer's fields for the store; a failure is one of them."""
        self.ran += 1
        failed = self.program.load(case)
        if failed:
            return {"failed": f"the test case cannot be loaded again: {failed}"}
        try:
            answer = self.program.ask(f"run {self.ran} {self.args.rounds} {' '.join(map(str, point))}")
        except Died as why:
            return {"failed": str(why)}
        return {key: answer[key] for key in ("us", "lost", "failed") if answer.get(key)}

    def measured(self):
        found, _ = read_store(self.args.store, self.app.name)
        one = found.get(self.app.device)
        return one if one and one.stamp == self.app.stamp else Measured(self.app.device, self.app.stamp)

    def left(self, case):
        measured = self.measured()
        known, lost = set(measured.us[case.name]), set(measured.lost[case.name])
        known = known - lost if self.args.again else known | lost
        return [point for point in self.app.runs(self.args.mode) if point not in known]

    def is_late(self):
        """True behind --seconds."""
        self.late = self.late or time.monotonic() >= self.args.until
        return self.late

    def matrix(self, case):
        left = self.left(case)
        self.repeated += len(self.app.runs(self.args.mode)) - len(left)
        if not left or self.is_late():
            return
        failed = self.program.load(case)
        if failed:
            print(f"case {case.name}: {failed}: left out", flush=True)
            self.write(case, phase="case", failed=failed)
            return
        for point in left:
            if self.is_late():
                return
            self.write(case, phase="matrix", values=list(point), **self.run(case, point))

    def confirm(self, case, point):
        """The choice beside the defaults, in fresh processes."""
        done = len(self.measured().pairs[case.name][point])
        for process in range(done, self.args.processes):
            if self.is_late():
                return
            self.program.stop()
            times = []
            for one in (self.app.usual, point) if process % 2 == 0 else (point, self.app.usual):
                us = self.run(case, one).get("us", {})
                if any(not us.get(kernel) for kernel in self.app.kernels):
                    break
                times.append(sum(statistics.median(us[kernel]) for kernel in self.app.kernels))
            if len(times) < 2:
                continue
            base, chosen = times if process % 2 == 0 else times[::-1]
            self.write(case, phase="confirm", values=list(point), process=process, base_us=base, point_us=chosen)


# ---- choices ---------------------------------------------------------------------------------------------------------


def time_of(app, us, point):
    """The sum over kernels at any point, of runs in which the kernel had the same layouts. None: not measured."""
    g, rest = app.parts(point)
    total = 0.0
    for kernel, (s, p) in rest.items():
        found = next((us[run][kernel] for again in range(s, app.s_count, len(app.combined[kernel]))
                      for run in [app.run_of(g, again, p)] if kernel in us.get(run, {})), None)
        if found is None:
            return None
        total += found
    return total


def best_rest(app, us, g, mode):
    """({kernel: (s, p)}, their sum) beside global layouts; small mode knows the rest beside the defaults only. None: a
    kernel has no times."""
    rest, total = {}, 0.0
    for kernel in app.kernels:
        def at(s, p, of):
            return us.get(app.run_of(of, s, p), {}).get(kernel)

        ss, ps = range(len(app.combined[kernel])), range(app.p_count)
        beside = g if mode == "complete" else 0
        times = {(s, p): at(s, p, beside) for s in ss for p in ps}
        known = {one: time for one, time in times.items() if time is not None}
        if not known:
            return None
        rest[kernel] = min(known, key=lambda one: (known[one], one))
        if mode == "small":
            alone = [at(0, p, g) for p in ps if at(0, p, g) is not None]
            if not alone:
                return None
            total += min(alone)
        else:
            total += known[rest[kernel]]
    return rest, total


def choice_of(app, us, mode):
    """The best point of a case; the defaults where it gains nothing."""
    found = {g: best_rest(app, us, g, mode) for g in range(len(app.g_points))}
    found = {g: one for g, one in found.items() if one}
    if not found:
        return None
    g = min(found, key=lambda one: (found[one][1], one))
    point = app.point(g, found[g][0])
    base, best = time_of(app, us, app.usual), time_of(app, us, point)
    return app.usual if base and best and base <= OPTIMAL * best else point


def optimum_of(app, us):
    times = [one[1] for g in range(len(app.g_points)) for one in [best_rest(app, us, g, "complete")] if one]
    return min(times, default=None)


def is_confirmed(measured, case, point):
    pairs = measured.pairs[case][point]
    logs = ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return len(pairs) >= decide.FEWEST_PAIRS and decide.margin(*logs) > 0


def choices(app, measured, mode, cases, needs_confirmation=True):
    """{case: its choice} of those that have one."""
    found = {}
    for case in cases:
        point = choice_of(app, measured.us.get(case, {}), mode)
        if point is None:
            continue
        if point != app.usual and needs_confirmation and not is_confirmed(measured, case, point):
            point = app.usual
        found[case] = point
    return found


def rows_of(app, measured, mode, chosen):
    """{case: rows}: the case's choice, then the best beside the default's global layouts and those of other cases."""
    wanted = list(dict.fromkeys([0, *(app.parts(point)[0] for point in chosen.values())]))
    found = {}
    for case, point in chosen.items():
        rows = [point]
        for g in wanted:
            if g == app.parts(point)[0]:
                continue
            one = best_rest(app, measured.us[case], g, mode)
            if one:
                rows.append(app.point(g, one[0]))
        found[case] = tuple(rows)
    return found


# ---- trees -----------------------------------------------------------------------------------------------------------

Node = collections.namedtuple("Node", "thresholds children")  # children: nodes, or in the last level rows


def tree_of(cases, level=0):
    """cases: {features: rows}. Equal neighbours are one."""
    if not cases:
        return None
    if level == len(next(iter(cases))):
        return next(iter(cases.values()))
    values = sorted({features[level] for features in cases})
    thresholds, children = [], []
    for place, value in enumerate(values):
        child = tree_of({features: rows for features, rows in cases.items() if features[level] == value}, level + 1)
        if children and children[-1] == child:
            continue
        if children:
            thresholds.append((values[place - 1] + value + 1) // 2)
        children.append(child)
    return Node(tuple(thresholds), tuple(children))


def look_up(tree, features):
    """The rows for these features."""
    for feature in features:
        tree = tree.children[sum(feature >= threshold for threshold in tree.thresholds)]
    return tree


def flat(tree):
    """(nodes, leaves) as tools/gp_tune_tree.h reads them; leaves are rows."""
    nodes, leaves = [], []

    def place(one):
        if not isinstance(one, Node):
            if one not in leaves:
                leaves.append(one)
            return leaves.index(one)
        at = len(nodes)
        nodes.extend([len(one.children), *one.thresholds, *[0] * len(one.children)])
        for number, child in enumerate(one.children):
            nodes[at + len(one.children) + number] = place(child)
        return at

    place(tree)
    return nodes, leaves


# ---- the header ------------------------------------------------------------------------------------------------------


def literal(number):
    return f"{number}u" if number < 2**32 else f"0x{number:x}ull"


def table(name, numbers):
    return [f"static const uint64_t {name}[] = {{",
            *textwrap.wrap(", ".join(map(literal, numbers)) + ",", WIDTH, initial_indent="  ", subsequent_indent="  "),
            "};"]


def header_text(app, trees):
    """trees: [(device, capability, tree)]."""
    name, upper = app.name, app.name.upper()
    what = ", ".join(device for device, _, _ in trees) or "no device: the defaults everywhere"
    lines = [f"// Written by python3 -m tools.farm layouts --application, for {name}. Do not edit.",
             *textwrap.wrap(f"Measured on {what}.", WIDTH, initial_indent="// ", subsequent_indent="// "),
             "// tools/gp_tune_tree.h, which is to be included before, reads it.", "// clang-format off"]
    for place, field in enumerate(app.fields):
        owner = f"{field.kernel.upper()}_" if field.kernel else ""
        lines.append(f"#define {upper}_{owner}{field.name.upper()} {place}")
    lines.append(f"#define {upper}_FIELDS {len(app.fields)}")
    lines.append(f"static const char *const {name}_trees_feature[] = {{"
                 + ", ".join(f'"{feature}"' for feature in app.features) + "};")
    names = [f'"{field.kernel + "." if field.kernel else ""}{field.name}",' for field in app.fields]
    lines += [f"static const char *const {name}_trees_name[] = {{",
              *textwrap.wrap(" ".join(names), WIDTH, initial_indent="  ", subsequent_indent="  "), "};"]
    lines += table(f"{name}_trees_usual", [field.numbers[0] for field in app.fields])
    entries = []
    for number, (device, capability, tree) in enumerate(trees):
        nodes, leaves = flat(tree)
        rows = list(dict.fromkeys(leaves))
        begins = list(itertools.accumulate([0, *(len(leaf) for leaf in rows)]))
        part = f"{name}_trees_{number}"
        lines += table(f"{part}_node", nodes)
        lines += table(f"{part}_leaf", [x for at, leaf in zip(begins, rows) for x in (at, len(leaf))])
        lines += table(f"{part}_row", [field.numbers[value] for leaf in rows for row in leaf
                                       for field, value in zip(app.fields, row)])
        entries.append(f'  {{"{device}", {capability}, {part}_node, {part}_leaf, {part}_row}},')
    if entries:
        lines += [f"static const gp_tune_features {name}_trees_tree[] = {{", *entries, "};"]
    lines.append(f"static const gp_tune_trees {name}_trees = {{\"{name}\", {len(app.features)}, {len(app.fields)}, "
                 f"{len(trees)},")
    lines.append(f"  {name}_trees_feature, {name}_trees_name, {name}_trees_usual, "
                 f"{f'{name}_trees_tree' if entries else '0'}}};")
    return "\n".join(lines) + "\n"


def trees_of(app, found, mode, judged):
    """[(device, capability, tree)] of all devices of a store."""
    trees = []
    for device, measured in sorted(found.items()):
        shown = [case for case in measured.features if case not in judged]
        rows = rows_of(app, measured, mode, choices(app, measured, mode, shown))
        if rows:
            trees.append((device, measured.capability,
                          tree_of({measured.features[case]: one for case, one in rows.items()})))
    return trees


# ---- the report ------------------------------------------------------------------------------------------------------


def statistics_of(app, measured, tree, judged):
    """[(case, speed-up of the tree's choice, of the best)] of judged cases that were measured."""
    found = []
    for case in judged:
        us = measured.us.get(case, {})
        base, best = time_of(app, us, app.usual), optimum_of(app, us)
        if not base or not best:
            continue
        chosen = time_of(app, us, look_up(tree, measured.features[case])[0])
        if chosen:
            found.append((case, base / chosen, base / best))
    return found


def judgement(app, measured, modes, judged):
    """The paper's Table 1: lines of text."""
    columns = {}
    for mode in modes:
        rows = rows_of(app, measured, mode, choices(app, measured, mode,
                                                    [case for case in measured.features if case not in judged],
                                                    needs_confirmation=False))
        if rows:
            tree = tree_of({measured.features[case]: one for case, one in rows.items()})
            columns[mode] = statistics_of(app, measured, tree, judged)
    columns = {mode: found for mode, found in columns.items() if found}
    if not columns:
        return
    yield f"  judged by {len(next(iter(columns.values())))} cases that the tree was not shown:" \
        + "".join(f"{mode:>12}" for mode in columns)
    texts = {"Min": lambda f: f"{min(one[1] for one in f):.2f}", "Max": lambda f: f"{max(one[1] for one in f):.2f}",
             "Avg.": lambda f: f"{statistics.fmean(one[1] for one in f):.2f}",
             "< 1": lambda f: str(sum(one[1] < 1 for one in f)),
             "opt (within 2 %)": lambda f: str(sum(one[1] * OPTIMAL >= one[2] for one in f)),
             "Opt. Avg.": lambda f: f"{statistics.fmean(one[2] for one in f):.2f}"}
    for name, text in texts.items():
        yield f"    {name:<20}" + " " * 21 + "".join(f"{text(found):>12}" for found in columns.values())


def report(app, measured, mode, judged):
    g, s, p, t = len(app.g_points), app.s_count, app.p_count, len(app.cases)
    yield f"application {app.name} on {measured.device}, {mode} mode: |G| = {g}, |S| = {s}, |P| = {p}, |T| = {t}"
    yield f"  runs as printed: complete |G| |S| |P| |T| = {app.printed('complete') * t}, small ((|G| + |S|) |P| - 1) " \
        f"|T| = {app.printed('small') * t} ({100 * app.printed('small') / app.printed('complete'):.1f} %)"
    modes = ("complete", "small") if mode == "complete" else ("small",)
    for case in app.cases:
        us = measured.us.get(case.name, {})
        if case.name in measured.bad_cases:
            yield f"  case {case.name}: {measured.bad_cases[case.name]}: left out"
            continue
        base = time_of(app, us, app.usual)
        if base is None:
            yield f"  case {case.name}: the defaults have no times: left out"
            continue
        features = ", ".join(f"{name} {value}" for name, value in zip(app.features, case.features))
        chosen = {one: choice_of(app, us, one) for one in modes}
        yield f"  case {case.name} ({features}): us" + " " * 8 + "baseline" + "".join(f"{one:>12}" for one in modes)
        for kernel in app.kernels:
            line = f"    {kernel:<24}{us[app.usual][kernel]:>20.2f}"
            for one in modes:
                line += f"{kernel_time(app, us, chosen[one], kernel)}"
            yield line
        totals = {one: time_of(app, us, chosen[one]) for one in modes}
        yield f"    {'total':<24}{base:>20.2f}" + "".join(f"{total:>12.2f}" if total else f"{'?':>12}"
                                                         for total in totals.values())
        yield f"    {'speed-up':<24}{'':>20}" + "".join(f"{base / total:>12.3f}" if total else f"{'?':>12}"
                                                       for total in totals.values())
        for one in modes:
            point = chosen[one]
            told = ""  # cases that judge are not the tree's: none of theirs is confirmed
            if point != app.usual and one == mode and case.name not in judged:
                told = told_of(measured, case.name, point)
            yield f"    {one}: {app.described(point)}{told}"
        best = optimum_of(app, us)
        if mode == "complete" and totals["small"] and best:
            yield f"    small mode is {100 * (totals['small'] / best - 1):.1f} % off the best"
    if judged:
        yield from judgement(app, measured, modes, judged)
    lost = collections.Counter()
    first = {}
    for case, points in measured.lost.items():
        for point, whys in points.items():
            for kernel, why in whys.items():
                lost[kernel, why] += 1
                first.setdefault((kernel, why), (case, point))
    for (kernel, why), count in sorted(lost.items()):
        case, point = first[kernel, why]
        yield f"  left out, {count} run{'s' * (count > 1)}{' of ' + kernel if kernel else ''}: {why} (case {case}, " \
            f"{app.described(point)})"


def listed(app, measured, case):
    """All that was measured of a case, the fastest first: the paper's Figure 3."""
    us = measured.us.get(case, {})
    yield f"  case {case}, all runs: us" + "".join(f"{kernel:>18}" for kernel in app.kernels) + f"{'total':>12}"
    for point in sorted(us, key=lambda one: (sum(us[one].values()), one)):
        row = us[point]
        times = "".join(f"{row.get(kernel, math.nan):>14.2f}" for kernel in app.kernels)
        yield f"    {app.described(point):<60}{times}{sum(row.values()):>12.2f}"


def told_of(measured, case, point):
    pairs = measured.pairs[case][point]
    if not is_confirmed(measured, case, point):
        return ", not confirmed: the baseline stays"
    gain, low, high = decide.interval([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return f", confirmed: {1 + gain:.3f} ({1 + low:.3f} to {1 + high:.3f})"


def kernel_time(app, us, point, kernel):
    g, rest = app.parts(point)
    s, p = rest[kernel]
    time = us.get(app.run_of(g, s, p), {}).get(kernel)
    return f"{time:>12.2f}" if time is not None else f"{'?':>12}"


# ---- the command -----------------------------------------------------------------------------------------------------


def leave_out_twins(app):
    """A tree cannot tell cases of the same features apart: the first one stays. Returns 1 if there are such cases."""
    seen, kept = {}, []
    for case in app.cases:
        if case.features in seen:
            print(f"case {case.name}: the features of case {seen[case.features]}: left out")
            continue
        seen[case.features] = case.name
        kept.append(case)
    twins, app.cases = len(kept) < len(app.cases), kept
    return int(twins)


def tune(args):
    program = Program(args.application, args.watchdog)
    app = program.describe()
    judged = args.judge.split(",") if args.judge else []
    names = {one.name for one in app.cases}
    for option, cases in (("--judge", judged), ("--list", [args.list] if args.list else [])):
        unknown = [case for case in cases if case not in names]
        if unknown:
            raise Stop(f"{option}: {app.name} has no test case {unknown[0]}")
    status = leave_out_twins(app)
    if args.store and not args.from_store:
        tuner = Tuner(args, program, app)
        compile_ahead(args, args.application, app, [(case, point) for case in app.cases for point in tuner.left(case)])
        try:
            for case in app.cases:
                tuner.matrix(case)
            for case in app.cases:
                point = choice_of(app, tuner.measured().us.get(case.name, {}), args.mode)
                if point and point != app.usual and case.name not in judged:
                    tuner.confirm(case, point)
        finally:
            program.stop()
        print(f"{tuner.ran} runs; {tuner.repeated} were in the store")
        if tuner.late:
            print(f"--seconds {args.seconds:g}: the time ended; the same command goes on")
            status |= 1
    found, wrong = read_store(args.store, app.name)
    for line in wrong:
        print(line, file=sys.stderr)
    if args.store:
        measured = found.get(app.device) or next(iter(found.values()), None)
        if not measured:
            raise Stop(f"{args.store}: nothing is measured of {app.name}")
        print("\n".join(report(app, measured, args.mode, judged)))
        if args.list:
            print("\n".join(listed(app, measured, args.list)))
        status |= int(bool(wrong or measured.bad_cases or any(measured.lost.values())))
    if args.header:
        store.replace(args.header, header_text(app, trees_of(app, found, args.mode, judged)).encode())
        print(f"trees: {args.header}")
    return status


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm layouts --application", description="an application "
                                     "over the layouts of its arrays; decision trees over its features")
    parser.add_argument("--application", metavar="COMMAND", required=True,
                        help="a program that tools/gp_tune_application.h serves, and its options")
    parser.add_argument("--store", metavar="STORE", help="JSON Lines file to append to; its runs are not repeated")
    parser.add_argument("--mode", choices=("complete", "small"), default="complete")
    parser.add_argument("--judge", metavar="CASES", help="test cases that the tree is not shown, separated by commas")
    parser.add_argument("--list", metavar="CASE", help="print all runs of a test case")
    parser.add_argument("--header", metavar="FILE.h", help="the trees, for tools/gp_tune_tree.h")
    parser.add_argument("--rounds", type=int, default=9, help="of each kernel in a run")
    parser.add_argument("--processes", type=int, default=5, help="of the confirmation")
    parser.add_argument("--from-store", action="store_true", help="measure nothing")
    parser.add_argument("--again", action="store_true", help="repeat runs that failed")
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="S",
                        help="measure no longer than this; the same command goes on behind it")
    parser.add_argument("--watchdog", type=float, default=300, metavar="S", help="for an answer")
    args = parser.parse_args(argv)
    if not args.seconds > 0:
        parser.error("--seconds: a positive number")
    args.until = time.monotonic() + args.seconds
    if args.processes < decide.FEWEST_PAIRS:
        parser.error(f"--processes: fewer than {decide.FEWEST_PAIRS} confirm nothing")
    if not 1 <= args.rounds <= 99:
        parser.error("--rounds: 1 to 99")
    if not args.store and not args.header:
        parser.error("--store is missing: where what is measured is kept")
    if args.from_store and not args.store:
        parser.error("--store is missing: what to read")
    if (args.store or "").endswith(".gz") and not args.from_store:
        parser.error("--store: a packed one can only be read (--from-store)")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kept = os.environ.setdefault("GPUPRIMS_OWN_KERNELS", os.path.join(store.ROOT, "build", "own_kernels"))
    os.makedirs(kept, exist_ok=True)
    try:
        return tune(args)
    except Stop as stop:
        print(f"layouts: {stop}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: the same command goes on", file=sys.stderr)
        return 130
