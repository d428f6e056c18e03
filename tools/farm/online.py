"""The comparison of online tuners: strategies replayed on spaces that the programs of examples/tuner measured whole.

    python3 -m tools.farm online SPACES... --out FOLDER
    python3 -m tools.farm online SPACES... --live PROGRAM:STRATEGY=FILE ... --out FOLDER

SPACES are files of the programs' --exhaustive (.jsonl or .jsonl.gz) of one device, and empty_kernel's .json. Each of
the tuner's strategies, and of Kernel Tuner's where it is installed, runs once for each seed. A measurement of a
configuration draws one of its recorded times.

A run is a series of 1000 calls. A call that explores costs the time drawn; every other one costs the median of the
best configuration known by then, the default before anything is known. An invalid configuration costs its call nothing
but that: the launch is refused, and the best one known runs. Figures of a run:

- configurations: how many different ones were measured until the best one known was within 2 % of the optimum, by
  medians of the whole space. The paper calls these iterations;
- measurements: the same, with configurations that were measured again;
- final: distance of the last best one known from the optimum;
- regret: the time of the calls over that of as many calls at the optimum, less 1.

A strategy stops by itself or at a number of configurations (--configurations). Writes FOLDER/online.json,
FOLDER/online.md, a picture of each space with the default strategy's run in the middle until it is within 2 %, and
each space as a cache file of Kernel Tuner's.

With --live nothing is replayed. FILE is what a program's --tune wrote with that --search: the paths of runs on the GPU.
The figures are the same, by the medians of the program's space. A path has every section that was measured: a run has
as many calls, and its regret comes from the times that they took. Writes FOLDER/online.json and FOLDER/online.md.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import datetime
import functools
import json
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import sys

from examples.tuner import spaces
from tools import bench
from tools.farm import compiled, simulated, store, tuner

NEAR = 0.02
CALLS = 1000
SEEDS = 100
CONFIGURATIONS = 100
DEFAULT = "auto"
OURS = "gpuprims"

# values: the configuration; time: what was drawn, None if it is invalid; best: the best configuration known after it,
# None before anything is.
Step = collections.namedtuple("Step", "values time best")
Figures = collections.namedtuple("Figures", "configurations measurements final regret")


class CannotReplay(store.StoreError):
    """An error message for the user."""


# ---- our engine ------------------------------------------------------------------------------------------------------


@functools.cache
def library():
    """tools/gp_online.c: the search of gpuprims.h."""
    found = compiled.library("online.so", ["tools/gp_online.c"], ["gpuprims.h", "gpuprims_policies.h"],
                             ["-O2", "-std=c11", "-D_GNU_SOURCE", "-I."], CannotReplay, ["-ldl", "-lpthread", "-lm"])
    found.online_strategy.restype = ctypes.c_char_p
    found.online_open.restype = ctypes.c_void_p
    found.online_open.argtypes = [ctypes.c_int, *[ctypes.POINTER(ctypes.c_int)] * 3, ctypes.c_int, ctypes.c_uint64]
    found.online_close.argtypes = [ctypes.c_void_p]
    found.online_ask.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    found.online_tell.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_double]
    found.online_best.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)]
    return found


def strategies():
    """Names of the engine's strategies."""
    names = []
    while name := library().online_strategy(len(names)):
        names.append(name.decode())
    return names


class Engine:
    """A search of the engine. Its points are indices of the parameters' values, in order."""

    def __init__(self, lattice, strategy, seed):
        """lattice: (number of values, whether they are categorical, index of the start) of each parameter."""
        self.size = len(lattice)
        counts, categorical, start = ((ctypes.c_int * self.size)(*column) for column in zip(*lattice))
        self.search = library().online_open(self.size, counts, categorical, start, strategies().index(strategy), seed)
        if not self.search:
            raise CannotReplay(f"the search refuses {self.size} parameters, or there is no memory")
        self.point, self.time = (ctypes.c_int * self.size)(), ctypes.c_double()

    def ask(self):
        """A point to measure; () while a result is awaited; None at the end."""
        found = library().online_ask(self.search, self.point)
        return tuple(self.point) if found == 1 else () if found == 0 else None

    def tell(self, point, time):
        """time: None for an invalid point."""
        library().online_tell(self.search, (ctypes.c_int * self.size)(*point), -1.0 if time is None else time)

    def best(self):
        known = library().online_best(self.search, self.point, ctypes.byref(self.time))
        return tuple(self.point) if known else None

    def close(self):
        library().online_close(self.search)


# ---- runs ------------------------------------------------------------------------------------------------------------


def draws_of(space, seed):
    """A function that measures: one of the recorded times of a configuration, or None."""
    draw = random.Random(f"{space.head['program']} {seed}")

    def measure(values):
        return draw.choice(space.us[values]) if values in space.us else None

    return measure


def replay(space, strategy, seed, calls=CALLS, configurations=CONFIGURATIONS, engine=Engine):
    """The steps of a run of one of our strategies: as many as it explores in `calls` calls."""
    order = [spaces.sorted_axis(space, axis) for axis in range(len(space.axes))]
    search = engine([(len(values), int(parameter["categorical"]), values.index(default)) for values, parameter, default
                     in zip(order, space.head["parameters"], space.default)], strategy, seed)
    measure, steps, seen = draws_of(space, seed), [], set()
    try:
        for _ in range(calls):
            point = search.ask()
            if not point:  # the end; or a result is awaited, though all have been told
                break
            values = tuple(axis[k] for axis, k in zip(order, point))
            if values not in seen and len(seen) == configurations:
                break
            seen.add(values)
            time = measure(values)
            search.tell(point, time)
            best = search.best()
            steps.append(Step(values, time, best and tuple(axis[k] for axis, k in zip(order, best))))
    finally:
        search.close()
    return steps


def steps_of(measured):
    """Steps of a strategy that shows only what it measured, [(values, time or None)]: the best known is the fastest."""
    steps, best = [], None
    for values, time in measured:
        if time is not None and (best is None or time < best[0]):
            best = time, values
        steps.append(Step(values, time, best and best[1]))
    return steps


def live_steps(measured):
    """Steps of a run on the GPU, [(values, time or None)]: the best known has the least median."""
    steps, times, medians, best = [], collections.defaultdict(list), {}, None
    for values, time in measured:
        if time is not None:
            times[values].append(time)
            medians[values] = statistics.median(times[values])
            best = min(medians, key=medians.get)
        steps.append(Step(values, time, best))
    return steps


def figures_of(space, steps, calls=CALLS):
    """A run's Figures; configurations and measurements are inf where it never came near."""
    medians = spaces.medians_of(space)
    least = medians[spaces.optimum_of(medians)]
    known, total, seen, near = space.default, 0.0, set(), None
    for number, step in enumerate(steps[:calls], 1):
        seen.add(step.values)
        total += medians[known] if step.time is None else step.time
        known = step.best or known
        if near is None and step.best and medians[known] <= (1 + NEAR) * least:
            near = len(seen), number
    total += (calls - min(len(steps), calls)) * medians[known]
    return Figures(*(near or (math.inf, math.inf)), medians[known] / least - 1, total / (calls * least) - 1)


def rank(values, share):
    """The smallest of the values that at least this share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def finite(value, digits=5):
    return None if not math.isfinite(value) else round(value, digits)


def summary_of(space, name, by, runs, calls=CALLS):
    """Figures of a strategy over all seeds, for the JSON file. runs: the steps of each."""
    figures = [figures_of(space, steps, calls) for steps in runs]
    found = {"by": by, "name": name, "runs": len(runs), "reached": sum(math.isfinite(one.configurations)
                                                                       for one in figures)}
    for field in Figures._fields:
        values = [getattr(one, field) for one in figures]
        found[field] = {"median": finite(rank(values, 0.5)), "p95": finite(rank(values, 0.95))}
    found["regret"]["mean"] = round(statistics.fmean(one.regret for one in figures), 5)
    found["measured"] = {"median": rank([len({step.values for step in steps}) for steps in runs], 0.5)}
    return found


def typical(space, runs):
    """(seed, steps) of the run in the middle, by configurations until near."""
    order = sorted(range(len(runs)), key=lambda seed: (figures_of(space, runs[seed]).configurations, seed))
    seed = order[(len(order) - 1) // 2]
    return seed, runs[seed]


# ---- runs on the GPU -------------------------------------------------------------------------------------------------


def live_results(measured, named):
    """[{program, sections, strategies}] of paths that programs' --tune wrote. named: [(program, strategy, file)]."""
    of, found = {space.head["program"]: space for _, space in measured}, {}
    for program, strategy, file in named:
        if program not in of:
            raise CannotReplay(f"--live {program}: no such space; there are {', '.join(of)}")
        if strategy not in strategies():
            raise CannotReplay(f"--live {program}: no strategy {strategy}; there are {', '.join(strategies())}")
        try:
            paths = tuner.read(file).paths
        except tuner.Damaged as error:
            raise CannotReplay(str(error)) from error
        if not all(is_of(path, of[program]) for path in paths):
            raise CannotReplay(f"{file}: the space of {program} has other parameters")
        runs = [live_steps([(step.values, step.us) for step in path.steps]) for path in paths]
        calls = min(map(len, runs))
        one = found.setdefault(program, {"sections": calls, "strategies": []})
        one["sections"] = min(one["sections"], calls)
        one["strategies"].append(summary_of(of[program], strategy, OURS, runs, calls) | gain_of(of[program], runs))
    return [{"program": program, **found[program]} for program in sorted(found)]


def gain_of(space, runs):
    """Times in the runs themselves, the median over them: of the default, and of the last tenth of the sections."""
    default, last = [], []
    for steps in runs:
        default.append(statistics.median([step.time for step in steps if step.values == space.default and step.time] or
                                         [math.nan]))
        last.append(statistics.median([step.time for step in steps[-max(1, len(steps) // 10):] if step.time] or
                                      [math.nan]))
    return {"default_us": finite(statistics.median(default), 3), "last_us": finite(statistics.median(last), 3),
            "worst": finite(max(after / before for before, after in zip(default, last)), 4)}


def is_of(path, space):
    """Whether a path has the parameters of a space."""
    return path.names == space.names and path.default == space.default and \
        [set(axis) for axis in path.axes] == [set(axis) for axis in space.axes]


# ---- Kernel Tuner ----------------------------------------------------------------------------------------------------


def peers_of(space, seeds, configurations, jobs, say):
    """({strategy: [steps of each seed]}, {strategy left out: why}) of Kernel Tuner's strategies."""
    found, left_out, chunk = collections.defaultdict(dict), {}, 10
    work = [(space, name, list(range(first, min(first + chunk, seeds))), configurations)
            for name in simulated.strategies() for first in range(0, seeds, chunk)]
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        for (_, name, chunk_seeds, _), (runs, why) in zip(work, pool.map(simulated.job, work)):
            if why:
                left_out[name] = why
            for seed, measured in zip(chunk_seeds, runs):
                found[name][seed] = steps_of(measured)
            if chunk_seeds[0] == 0:
                say(f"{space.head['program']}: {name}" + (f" left out: {why}" if why else ""))
    return {name: [runs[seed] for seed in range(seeds)] for name, runs in found.items() if name not in left_out}, \
        left_out


# ---- the results -----------------------------------------------------------------------------------------------------


def space_results(path, space, ours, peers, left_out, calls):
    """The JSON of a space. ours, peers: {strategy: [steps of each seed]}."""
    medians = spaces.medians_of(space)
    optimum = spaces.optimum_of(medians)
    drawn = DEFAULT if DEFAULT in ours else next(iter(ours))
    seed, steps = typical(space, ours[drawn])
    head = space.head
    found = {"file": os.path.basename(path), "program": head["program"], "size": head["size"], "date": head["date"],
             "driver": head["driver"], "cuda": head["cuda"], "rounds": head["rounds"],
             "spread": round(spaces.spread_of(space), 5), "parameters": head["parameters"],
             "configurations": len(medians), "invalid": len(space.invalid),
             "default": {"values": space.default, "us": medians[space.default]},
             "optimum": {"values": optimum, "us": medians[optimum]},
             "near": sum(us <= (1 + NEAR) * medians[optimum] for us in medians.values()),
             "strategies": [summary_of(space, name, by, runs, calls) for by, those in
                            ((OURS, ours), (simulated.NAME, peers)) for name, runs in those.items()],
             "left_out": left_out,
             "path": {"strategy": drawn, "seed": seed, "near": finite(figures_of(space, steps, calls).measurements),
                      "steps": [[*step.values] for step in steps]}}
    axes = range(len(space.axes))
    pairs = [(down, across) for across in axes for down in axes if across < down < 3] or [(None, 0)]
    found["maps"] = [map_of(space, medians, optimum, down, across) for down, across in pairs]
    return found


def map_of(space, medians, optimum, down, across):
    """Times by the optimum's over one or two parameters; the others as at the optimum. None: invalid."""
    if down is None:
        columns = spaces.sorted_axis(space, across)
        rows, times = [], [[medians.get((x,), math.nan) / medians[optimum] for x in columns]]
    else:
        rows, columns, times = spaces.plane_of(space, medians, down, across, optimum)
    return {"down": down, "across": across, "rows": rows, "columns": columns,
            "times": [[None if math.isnan(time) else round(time, 4) for time in line] for line in times]}


def commit_of():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=bench.ROOT, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""


def count_text(value):
    return "not reached" if value is None else f"{value:g}"


def percent_text(value):
    return f"{100 * value:.2f} %"


def strategies_table(found, calls=CALLS):
    text = spaces.header("strategy", "of", "within 2 %: configurations, median", "95 of 100 starts",
                         "starts that reach it", "distance at the end, median", "95 of 100 starts",
                         f"regret of {calls} calls, median", "95 of 100 starts", "configurations measured")
    for one in found["strategies"]:
        text += spaces.row(one["name"], one["by"], count_text(one["configurations"]["median"]),
                           count_text(one["configurations"]["p95"]), f"{one['reached']} of {one['runs']}",
                           percent_text(one["final"]["median"]), percent_text(one["final"]["p95"]),
                           percent_text(one["regret"]["median"]), percent_text(one["regret"]["p95"]),
                           one["measured"]["median"])
    for name, why in found.get("left_out", {}).items():
        text += f"\nLeft out: {name} ({why}).\n"
    return text


def iterations_of(found):
    """The default strategy's configurations until within 2 %, as text."""
    one = next((one for one in found["strategies"] if one["by"] == OURS and one["name"] == DEFAULT),
               found["strategies"][0])
    return f"{count_text(one['configurations']['median'])} (95 of 100: {count_text(one['configurations']['p95'])})"


def report(results, measured, empty):
    """Markdown: the paper's figures beside ours, and all strategies. measured: the Spaces of results["spaces"]."""
    text = f"# Online tuners on the {results['device']}\n\n"
    text += f"Replayed {results['date'][:10]}: {results['seeds']} starts of each strategy, {results['calls']} calls, " \
            f"at most {results['configurations']} configurations measured. Iterations: configurations until within " \
            f"{100 * NEAR:g} % of the optimum. "
    text += f"Kernel Tuner {results['kernel_tuner']} in simulation.\n" if results["kernel_tuner"] else \
        "Kernel Tuner was not installed.\n"
    for found, space in zip(results["spaces"], measured):
        text += "\n" + spaces.table_of(space, iterations_of(found)) + "\n" + strategies_table(found)
    if empty:
        text += "\n" + spaces.table_of_empty(empty)
    return text


def live_report(results):
    text = f"# Online tuners live on the {results['device']}\n"
    for found in results["live"]:
        text += f"\n## {found['program']}\n\n{strategies_table(found, found['sections'])}"
    return text


def read_all(paths):
    """([(path, Space)], results of the empty kernel or None), of one device."""
    measured, empty, devices = [], None, {}
    for path in paths:
        try:
            if path.endswith(".json"):
                empty = spaces.read_empty(path)
                devices.setdefault(empty[0], path)
            else:
                space = spaces.read_space(path)
                measured.append((path, space))
                devices.setdefault(space.head["device"], path)
        except spaces.Damaged as error:
            raise CannotReplay(str(error)) from error
        except OSError as error:
            raise CannotReplay(f"{path}: {error.strerror}") from error
    if not measured:
        raise CannotReplay("no measured space is given")
    if len(devices) > 1:
        raise CannotReplay("; ".join(f"{path}: measured on {device}" for device, path in devices.items()))
    programs = [space.head["program"] for _, space in measured]
    for program in programs:
        if programs.count(program) > 1:
            raise CannotReplay(f"{program} is given twice")
    return measured, empty


def number(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def named_file(text):
    (program, colon, strategy), file = (name := text.partition("="))[0].partition(":"), name[2]
    if not (colon and file):
        raise argparse.ArgumentTypeError(f"{text} is not PROGRAM:STRATEGY=FILE")
    return program, strategy, file


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm online", description=__doc__.split("\n")[0])
    parser.add_argument("spaces", nargs="+", metavar="SPACES", help="files of --exhaustive, and empty_kernel's")
    parser.add_argument("--out", metavar="FOLDER", default=os.path.join(bench.BUILD, "online"))
    parser.add_argument("--seeds", type=number, default=SEEDS, help=f"starts of each strategy ({SEEDS})")
    parser.add_argument("--configurations", type=number, default=CONFIGURATIONS,
                        help=f"the most that a strategy measures ({CONFIGURATIONS})")
    parser.add_argument("--strategies", metavar="A,B", help="only these of the tuner's")
    parser.add_argument("--no-kernel-tuner", action="store_true")
    parser.add_argument("--live", metavar="PROGRAM:STRATEGY=FILE", action="append", type=named_file,
                        help="paths of a program's --tune, one for each strategy and program; nothing is replayed")
    parser.add_argument("--jobs", type=number, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(arguments)

    def say(text):
        print(f"online: {text}", file=sys.stderr, flush=True)

    measured, empty = read_all(options.spaces)
    results = {"kind": "online", "device": measured[0][1].head["device"],
               "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
               "commit": commit_of(), "near": NEAR, "spaces": []}
    if options.live:
        results["live"] = live_results(measured, options.live)
        text = live_report(results)
    else:
        text = replay_all(options, results, measured, empty, say)
    write_results(options.out, results, text)
    if not options.live:
        try:
            spaces.write_pictures([(space, [tuple(values) for values in found["path"]["steps"][:found["path"]["near"]]])
                                   for (_, space), found in zip(measured, results["spaces"])], options.out)
        except ModuleNotFoundError as error:
            say(f"no pictures: {error.name} is missing")
    stem = bench.file_stem(results["date"][:10], "online_live" if options.live else "online", results["commit"])
    say(f"written to {options.out}; online.json belongs to ci/measurements/"
        f"{bench.folder_name(results['device'])}/{stem}.json")
    return 0


def replay_all(options, results, measured, empty, say):
    """Adds every strategy's replays to the results; returns the report."""
    names = options.strategies.split(",") if options.strategies else strategies()
    for name in names:
        if name not in strategies():
            raise CannotReplay(f"no strategy {name}; there are {', '.join(strategies())}")
    version = None if options.no_kernel_tuner else simulated.version()
    if version is None and not options.no_kernel_tuner:
        say(f"Kernel Tuner is not installed: its strategies are left out ({simulated.INSTALL})")
    os.makedirs(options.out, exist_ok=True)
    results |= {"seeds": options.seeds, "calls": CALLS, "configurations": options.configurations,
                "kernel_tuner": version}
    for path, space in measured:
        ours = {name: [replay(space, name, seed, CALLS, options.configurations) for seed in range(options.seeds)]
                for name in names}
        say(f"{space.head['program']}: {', '.join(names)}")
        peers, left_out = peers_of(space, options.seeds, options.configurations, options.jobs, say) if version else \
            ({}, {})
        results["spaces"].append(space_results(path, space, ours, peers, left_out, CALLS))
        simulated.write_cache(space, os.path.join(options.out, f"{space.head['program']}.cache.json"),
                              spaces.medians_of(space))
    if empty:
        results["empty"] = {"device": empty[0], "rows": empty[1]}
    return report(results, [space for _, space in measured], empty)


def write_results(folder, results, text):
    os.makedirs(folder, exist_ok=True)
    for name, content in (("online.json", text_of(results)), ("online.md", text)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    print(text, end="")


def text_of(results):
    """JSON with a line for each part of a space, so that differences can be read."""
    lists = [name for name in ("spaces", "live") if name in results]
    text = json.dumps({**results, **{name: name for name in lists}}, indent=1)
    for name in lists:
        parts = ",\n".join("{" + ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in one.items()) +
                           "}" for one in results[name])
        text = text.replace(f'"{name}": "{name}"', f'"{name}": [\n{parts}]' if parts else f'"{name}": []')
    return text + "\n"
