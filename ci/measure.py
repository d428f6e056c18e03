#!/usr/bin/env python3
"""The GPU's part of a board's night: benchmark, tune, regression. It decides nothing. It needs gcc, NVRTC, Python with
NumPy and SciPy, and nvcc for the peers, but no token or repository. With git and a network, it also measures beside the
newest CCCL (--cccl); without, beside the one that an earlier night has fetched.

    ci/measure.py --out DIR [--base COMMIT|FOLDER] [--seconds S] [--steps bench,tune,regress] ...

    bench     ours, the peers and the roofs, side by side (tools/bench.py)               DIR/bench.jsonl
    tune      searches policies, confirms in fresh processes (tools.farm tune)           DIR/tune.jsonl
    regress   this tree against the base, interleaved processes (tools.farm regress)     DIR/regress.jsonl

Each step has a share of --seconds and is stopped when that is over; a failing step does not stop the others.
DIR/night.json records measurements and the end of each step from the first moment on, so that a dying machine leaves a
record. The same command continues an interrupted night: steps that ended well are not repeated.

--call S ends this call after S seconds with exit status 5, for a machine that is available for minutes at a time: the
same command continues the night. --seconds counts all its calls together.

Without a GPU: --made-up invents measurements, --replay returns those of another night.

Exit status: 0; 1 a step failed (DIR/night.json says which); 2 bad usage; 3 another night is under way here; 4 no GPU; 5
the call is over, and the night is not.
"""
import argparse
import collections
import concurrent.futures
import functools
import glob
import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import decide, keep, machine_code, steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import files, measure, noise, regress, standard, store, tune  # noqa: E402
from tools.farm.verdicts import NO_DATA  # noqa: E402

STEPS = ("bench", "tune", "regress")
SECONDS, MADE_UP_SECONDS = 3600, 900
SHARE = {"bench": 0.2, "tune": 0.5, "regress": 0.3}  # share of the time for the requested steps
SEARCH = 0.65  # of the tune's: the rest is for the rerun
CHUNK = 150  # seconds of the primitives that a tune takes at a time
LEAST_TUNE = 60  # least seconds of a primitive, with four groups on average, in gp_tune and the rerun
MOST_BASES = 3  # of a night: each is built, and has its own run
LEAST_CELLS = 60
PAIRS_SHARE = 0.85  # share of the regression's time in which pairs begin
FIRST_CALLS_SHARE = 0.3  # largest share of that for first calls
BASE_SECONDS = 40  # for each base, whatever its cells: processes start and open the device
LEAST_CALL = 60
TUNE_OPTIONS = ("sizes", "strategy", "processes")
MARGIN = 10  # seconds at the end of a call in which no step begins
PYTHON = shlex.quote(sys.executable)
RUNNER = "ci/runner/check.sh says what a machine that measures needs; without a GPU: make nightly ARGS=--made-up"


class Night:
    """The state of a measurement: options, record, remaining time."""

    def __init__(self, args):
        self.args, self.folder = args, os.path.abspath(args.out)
        if args.replay and os.path.realpath(args.replay) == os.path.realpath(self.folder):
            raise steps.CannotRun(f"--replay: {args.replay} is where this night is written: another --out")
        os.makedirs(self.folder, exist_ok=True)
        found = steps.read_json(self.path(steps.RECORD)) or {}
        self.record = {"v": 1, "date": steps.now(), **found}
        self.record["asked"] = sorted({*found.get("asked", []), *args.steps})
        self.replayed = (steps.read_json(os.path.join(args.replay, steps.RECORD)) or {}) if args.replay else {}
        for name in TUNE_OPTIONS:  # the options of the replayed night
            if getattr(args, name) is None:
                setattr(args, name, self.replayed.get("options", {}).get(name))
        self.record["options"] = {name: getattr(args, name) for name in TUNE_OPTIONS}
        self.program = os.path.abspath(args.gp_tune) if args.gp_tune else ""
        self.worker, self.compiler = workers(args, self.folder)
        self.newer_peers = False
        self.seconds = args.seconds or (SECONDS if is_live(args) else MADE_UP_SECONDS)
        self.call = steps.Clock(args.call and args.call - MARGIN)
        if self.record.get("budget") != self.seconds:  # another --seconds changes the steps' shares
            for step in self.record.get("steps", []):
                step.pop("limit", None)
        self.record["budget"] = self.seconds

    def path(self, name):
        return os.path.join(self.folder, name)

    def note(self, name, status, seconds=0.0, message="", **more):
        """seconds: of this call, added to those of earlier calls."""
        before = self.step(name)
        done = [step for step in self.record.get("steps", []) if step["name"] != name]
        entry = {**before, "name": name, "status": status, "message": message, **more,
                 "seconds": round(before.get("seconds", 0.0) + seconds, 1)}
        self.record["steps"] = done + [entry]
        self.save()

    def step(self, name):
        return next((step for step in self.record.get("steps", []) if step["name"] == name), {})

    @property
    def left(self):
        """Seconds of the night, over all its calls."""
        return max(0.0, self.seconds - sum(step.get("seconds", 0.0) for step in self.record.get("steps", [])))

    def save(self):
        steps.write_json(self.path(steps.RECORD), self.record)

    def status(self, name):
        return self.step(name).get("status", "")

    def is_over(self, name):
        """Whether it ended well, or with its time."""
        step = self.step(name)
        return step.get("status") == "ok" or \
            (step.get("status") == "incomplete" and step.get("seconds", 0.0) >= step.get("limit", math.inf))

    def command_for(self, command, side):
        return command.replace("{side}", side)


# ---- without a GPU ---------------------------------------------------------------------------------------------------

MADE_UP = {"device": "Synthetic GPU", "launch_us": 0.5, "noise": {**noise.QUIET, "between": 0.004, "within": 0.003}}


def workers(args, folder):
    """(command of the worker, command of the compiler) instead of gp_tune's own; {side} in them becomes base or new."""
    if args.replay:
        stores = os.path.abspath(args.replay)
        return (f"{PYTHON} -m tools.farm.measure --replay {shlex.quote(stores)}/{{store}} --side {{side}}",
                f"{PYTHON} -m tools.farm.measure --compiler --replay {shlex.quote(stores)}/{{store}} --side {{side}}")
    if args.made_up is None:
        return args.worker_command or "", args.compiler_command or ""
    for side, path in (("new", args.made_up), ("base", args.made_up_base)):
        model = {**MADE_UP, "bus": steps.slug(folder)[-60:], **(read_model(path) if path else {})}
        steps.write_json(os.path.join(folder, f"model.{side}.json"), model)
    model = shlex.quote(os.path.join(folder, "model.{side}.json"))
    return (f"{PYTHON} -m tools.farm.measure --synthetic {model}",
            f"{PYTHON} -m tools.farm.measure --compiler --synthetic {model}")


def read_model(path):
    try:
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        measure.Synthetic(model)
        return model
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise steps.CannotRun(f"{path}: not a model of a device ({error})") from error


def is_live(args):
    return args.made_up is None and not args.replay and not args.worker_command


# ---- the worker, and its cells ---------------------------------------------------------------------------------------


def find_device(night):
    """Records the worker's own description."""
    args = night.args
    if night.worker:
        text = night.command_for(night.worker, "new").replace("{store}", first_store(args))
        command = ["sh", "-c", f"exec {text}"]
    else:
        night.program = night.program or regress.build(regress.tree_of_folder(steps.ROOT))
        command = [night.program, "--worker"] + (["--device", args.gpu] if args.gpu else [])
    try:
        ready = measure.ready_of(command)
    except measure.Lost as error:
        night.note("device", "failed", 0, f"no device: {error}")
        steps.say("measure", f"no device: {error}")
        steps.say("measure", RUNNER)
        return False
    capability = int(ready["compute_capability"])
    known = night.record.get("device", ready["device"])
    if known != ready["device"]:
        raise steps.CannotRun(f"{night.folder} is the night of {known}, and here is {ready['device']}: another --out")
    night.record.update({"device": ready["device"], "compute_capability": capability, "driver": ready.get("driver", ""),
                         "nvrtc": ready.get("nvrtc", ""), "clocks": ready.get("clocks", ""),
                         "memory_bytes": int(ready.get("memory_bytes") or 0),
                         "source": ready.get("source", "live"), "board": args.board or f"gpu-sm{capability}"})
    night.note("device", "ok", 0, ready["device"])
    return True


def first_store(args):
    return steps.TUNE if os.path.exists(os.path.join(args.replay or "", steps.TUNE)) else steps.REGRESS


def read_line(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return ""


# A base, its name, and the file of its cells; "": all that this base knows.
Comparison = collections.namedtuple("Comparison", "base commit cells")


def name_commits(night):
    """Records the comparisons, largest first."""
    args, base, bases = night.args, night.args.base, {}
    if base == "good":
        bases = keep.bases_of(steps.ROOT, args.remote, night.record["device"])
        base = collections.Counter(one.commit for one in bases.values()).most_common(1)[0][0] if bases else "HEAD~1"
    if base == "release":
        base = release_of(steps.ROOT, keep.bases_of(steps.ROOT, args.remote, night.record["device"]))
    if base is None and not is_live(args):
        base = steps.ROOT
    elif base is None and os.path.exists(os.path.join(steps.ROOT, ".git")):
        base = "HEAD~1"
    if base and not os.path.isdir(base):
        base_commit = steps.commit_named(steps.ROOT, base)
        base = base_commit
    else:
        base_commit = read_line(os.path.join(base, "COMMIT")) or f"base:{regress.commit_of(base)[:12]}" if base else ""
    commit = args.commit or (read_line(os.path.join(base, "HEAD")) if base and os.path.isdir(base) else "")
    night.record["commit"] = commit or full_commit(steps.ROOT)
    night.record["base_commit"] = base_commit
    if not base or "regress" not in args.steps:
        return []
    of_replayed = replayed_comparisons(args.replay, night.replayed) if args.replay and not args.cells else {}
    if of_replayed:
        night.record["base_commit"] = next(iter(of_replayed))
    if "comparisons" not in night.record:  # all calls of a night compare the same cells
        night.record["comparisons"] = [[name, write_cells(night, number, texts)] for number, (name, texts) in
                                       enumerate((of_replayed or choose(night, base_commit, bases)).items())]
    elif os.path.isdir(base) and not of_replayed:  # the one base; it may hold another commit than at the last call
        night.record["comparisons"] = [[base_commit, cells] for _, cells in night.record["comparisons"]]
    night.record["bases"] = [name for name, _ in night.record["comparisons"]]
    night.save()
    return [Comparison(base if name == base_commit or of_replayed else name, name, cells)
            for name, cells in night.record["comparisons"]]


def replayed_comparisons(folder, record):
    """{base: texts of cells} of a replayed night: all its bases and their cells, in the order of measurement."""
    path, found = os.path.join(folder, steps.REGRESS), collections.defaultdict(dict)
    recorded = store.read(path) if os.path.exists(path) else None
    names = {short(name): name for name in (record.get("base_commit", ""), *record.get("bases", []))}
    commits = {one["id"]: one["commit"] for one in recorded.of("environment")} if recorded else {}
    bases = dict.fromkeys(line["base"] for line in recorded.of("verdict") if line["base"]) if recorded else {}
    for sample in recorded.of("samples") if recorded else []:
        if sample["env"] in bases:
            name = commits[sample["env"]]
            found[names.get(name, name)][store.cell_of(sample).text] = True
    return {name: list(texts) for name, texts in found.items()}


def release_of(repository, bases):
    """The last tagged commit before this one; without tags the oldest base of a cell; without bases HEAD~1."""
    tag = steps.git(repository, "describe", "--tags", "--abbrev=0", "HEAD~1", check=False)
    commits = {one.commit for one in bases.values()}
    if tag or not commits:
        return tag or "HEAD~1"
    # Parents last, because two commits may have equal times.
    return max(commits, key=steps.git(repository, "rev-list", "--topo-order", *sorted(commits)).split().index)


def write_cells(night, number, texts):
    name = f"cells.{number}"
    store.replace(night.path(name), "".join(f"{text}\n" for text in texts).encode())
    return name


def choose(night, base, bases):
    """{base: texts of cells} of tonight. A cell is compared with its own base, or with `base` if it has none. Of other
    bases, the MOST_BASES - 1 with the longest waiting cells take part. If time is short, the longest waiting cells come
    first, before them those never measured, in an order that differs between nights."""
    cells, large = standard.fitting(regress.cells_of(night.args.cells), night.record.get("memory_bytes", 0))
    texts = list(cells.values())
    if large:
        steps.say("measure", f"{len(large)} cells are left out: the device has no room for them")
    of = {text: bases.get(text, keep.Base(base, "")) for text in texts}
    waiting = {}
    for one in of.values():
        if one.commit != base:
            waiting[one.commit] = min(one.date, waiting.get(one.commit, one.date))
    tonight = {base, *sorted(waiting, key=lambda commit: (waiting[commit], commit))[:MOST_BASES - 1]}
    texts = [text for text in texts if of[text].commit in tonight]
    if not night.args.cells:
        changed = changed_primitives(night, base)
        chance = random.Random(night.record["date"][:10])
        turn = {text: (text.split()[0] not in changed, of[text].date, chance.random()) for text in texts}
        share = SHARE["regress"] / sum(SHARE[name] for name in night.args.steps)
        kept = those_that_fit({text: cell for cell, text in cells.items() if text in turn}, turn,
                              PAIRS_SHARE * share * night.seconds - BASE_SECONDS * (len(tonight) - 1))
        texts = [text for text in texts if text in kept]  # in the order of the list
        steps.say("measure", f"{len(texts)} of {len(turn)} cells are compared tonight, with {len(tonight)} bases")
    found = collections.Counter(of[text].commit for text in texts)
    return {commit: [text for text in texts if of[text].commit == commit] for commit, _ in found.most_common()}


def those_that_fit(cells, turn, seconds):
    """The texts of the cells that fit the time: first calls have a share of the seconds, others get the rest."""
    kept = set()
    for first_calls, share, least in ((True, FIRST_CALLS_SHARE, 1), (False, 1, LEAST_CELLS)):
        mine = sorted((text for text, cell in cells.items() if (cell.protocol == "first_call") == first_calls),
                      key=turn.get)
        needed = [regress.seconds_of(cells[text]) for text in mine]
        left, count = share * seconds, 0
        while count < len(mine) and (count < least or needed[count] <= left):
            left -= needed[count]
            count += 1
        kept.update(mine[:count])
        seconds -= sum(needed[:count])
    return kept


def changed_primitives(night, base):
    """Cells whose machine code differs from the base's, at the sizes of ci/machine_code.py: they are measured every
    night."""
    if "changed" not in night.record:
        night.record["changed"] = []
        if is_live(night.args):
            where = night.args.base if os.path.isdir(night.args.base or "") else base
            try:
                trees = machine_code.tree_of(where), regress.tree_of_folder(steps.ROOT)
                jobs = machine_code.standard_jobs([night.record["compute_capability"]])
                night.record["changed"] = sorted({line["cell"].split()[0] for line in
                                                  machine_code.compare(*trees, jobs) if line["outcome"] != "same"})
            except (steps.CannotRun, regress.CannotRun) as error:
                steps.say("measure", f"which primitives changed is not known: {error}")
    return night.record["changed"]


def full_commit(folder):
    """The whole name of a checkout's commit, with "+" if the library has changes."""
    name = regress.commit_of(folder)
    full = regress.git(folder, "rev-parse", "--verify", "--quiet", name.rstrip("+"))
    return full + "+" * name.endswith("+") if full else name


def short(commit):
    """The commit's name in the stores."""
    return commit if ":" in commit else commit[:12] + "+" * commit.endswith("+")


# ---- the steps -------------------------------------------------------------------------------------------------------


def farm(night, command, name, limit):
    return steps.run([sys.executable, "-m", "tools.farm", *command], night.path(f"{name}.log"), limit)


def do_bench(night, seconds, _):
    if night.args.replay:
        path = os.path.join(night.args.replay, steps.BENCH)
        if not os.path.exists(path):
            return "skipped", "the night that is replayed has no benchmark"
        shutil.copyfile(path, night.path(steps.BENCH))
        return "ok", "replayed"
    if not is_live(night.args):
        return "skipped", "there is nothing to measure without a GPU"
    if night.call.left < min(seconds, night.args.call or seconds) / 2:
        return "paused", "the next call has more time for it"  # it cannot be split
    seconds = min(seconds, night.call.left)
    folder = night.path("bench")
    shutil.rmtree(folder, ignore_errors=True)
    wanted = ["--quick"] if night.args.bench == "quick" else ["--set", night.args.bench]
    command = [sys.executable, os.path.join("tools", "bench.py"), *wanted, "--out", folder, "--seconds",
               str(max(1, int(0.8 * seconds))), "--commit", night.record["commit"][:12]]
    if night.args.peers:
        command += ["--peers", night.args.peers]
    if night.newer_peers:
        command += ["--cccl", "kept"]
    status = steps.run(command, night.path("bench.log"), min(seconds + 120, night.call.left + MARGIN))
    found = glob.glob(os.path.join(folder, "*.jsonl"))
    if found:
        shutil.copyfile(found[0], night.path(steps.BENCH))
        shutil.rmtree(folder)
    return outcome(night, "bench", status, bool(found), {0: "ok", 1: "ok"})


def do_tune(night, seconds, _):
    """Searches and confirms some primitives at a time. The record has the finished ones, so that the next call
    continues with the others. A primitive gets at least LEAST_TUNE seconds; primitives without time are first in the
    next night."""
    least = 0 if night.worker else LEAST_TUNE
    clock, worst = steps.Clock(seconds), "ok"
    while True:
        done = night.record.setdefault("tuned", [])
        waiting = [name for name in searched(night) if name not in done]
        if not waiting:
            return worst, "" if worst == "ok" else "out of time"
        if clock.left < max(1, least if done else 1):
            return "ok" if done and worst == "ok" else "incomplete", \
                f"{len(waiting)} primitives wait for another night: {', '.join(waiting)}"
        each = max(clock.left / len(waiting), least)
        chunk = min(CHUNK, (night.args.call or CHUNK * 2) / 2, clock.left)
        count = min(len(waiting), max(1, int(chunk / max(each, 1))))
        share = min(each * count, clock.left)
        if night.call.left < share and night.call.left < 0.8 * ((night.args.call or 0) - MARGIN):
            return "paused", f"{len(waiting)} primitives are left"
        status, message = tune_some(night, waiting[:count], share)
        if status not in ("ok", "incomplete"):
            return status, message
        if status == "incomplete":
            if not night.call.left:
                return "paused", f"{', '.join(waiting[:count])}: {message}"
            worst = "incomplete"
        has = decide.primitives_of(store.read(night.path(steps.TUNE)))  # gp_tune leaves out those without time
        served = [name for name in waiting[:count] if name in has]
        if not served:
            return "incomplete", f"{', '.join(waiting[:count])}: nothing was measured"
        done += served
        night.save()


def searched(night):
    """The primitives to tune: changed ones first, then those that wait longest."""
    if night.args.primitives is not None:
        return night.args.primitives.split(",")
    if "tuned" in night.replayed:
        return night.replayed["tuned"]
    if "searched" not in night.record:
        night.program = night.program or regress.build(regress.tree_of_folder(steps.ROOT))
        names = subprocess.run([night.program, "--list-primitives"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split()
        changed, dates = night.record.get("changed", []), {}
        if night.args.base == "good":
            dates = keep.tuned_of(steps.ROOT, night.args.remote, night.record["device"])
        night.record["searched"] = sorted(names, key=lambda name: (name not in changed, dates.get(name, "")))
        night.save()
    return night.record["searched"]


def tune_some(night, primitives, seconds):
    """(status, message) of one search with its rerun."""
    args = night.args
    command = ["tune", "--measure-only", "--store", night.path(steps.TUNE), "--stores", args.stores,
               "--commit", short(night.record["commit"]), "--seconds", str(max(10, int(SEARCH * seconds))),
               "--primitives", ",".join(primitives)]
    for name in ("sizes", "strategy", "processes"):
        if getattr(args, name) is not None:
            command += [f"--{name}", str(getattr(args, name))]
    if args.gpu:
        command += ["--gpus", args.gpu]
    if night.program:
        command += ["--gp-tune", night.program]
    if night.worker:  # synthetic and replayed kernels are not compiled ahead
        command += ["--jobs", "0", "--worker-command",
                    night.command_for(night.worker, "new").replace("{store}", steps.TUNE)]
    status = farm(night, command, "tune", min(max(2 * seconds, 60), night.call.left + MARGIN / 2))
    return outcome(night, "tune", status, os.path.exists(night.path(steps.TUNE)), {0: "ok", 1: "ok"})


def do_regress(night, seconds, comparisons):
    """One run for each base, all into one store; each has time for its cells."""
    if not comparisons:
        return "skipped", "no base: name one by --base (ci/base.py makes a folder of a commit)"
    clock = steps.Clock(seconds)
    ends = night.record.setdefault("compared", {})  # {base: how its run ended}
    waiting = [one for one in comparisons if one.commit not in ends]
    needed = [BASE_SECONDS + sum(map(regress.seconds_of, regress.cells_of(night.path(one.cells)))) for one in waiting]
    for place, one in enumerate(waiting):
        status, message = compare(night, one, clock.left * needed[place] / sum(needed[place:]))
        if status == "paused":
            return status, message
        ends[one.commit] = [status, f"{short(one.commit)}: {message}" if message and len(comparisons) > 1 else message]
        night.save()
    ends = list(ends.values())
    missing, cells = without_data(night.path(steps.REGRESS))
    if missing > steps.FEW * cells:
        ends.append(("failed", f"{missing} of {cells} cells are NO DATA"))
    order = ("failed", "incomplete", "ok")
    worst = min((status for status, _ in ends), key=order.index)
    if worst != "ok":
        del night.record["compared"]  # the same command again measures more
    return worst, "; ".join(message for status, message in ends if status == worst and message)


def without_data(path):
    """(number of NO DATA cells, number of cells), by the latest verdicts of a store."""
    lines = store.read(path).of("verdict") if os.path.exists(path) else []
    last = {store.cell_of(line): line["outcome"] for line in lines}
    return sum(outcome == NO_DATA for outcome in last.values()), len(last)


def compare(night, one, seconds):
    """(status, message) of the run against one base."""
    args = night.args
    command = ["regress", "--base", one.base, "--store", night.path(steps.REGRESS), "--cells", night.path(one.cells),
               "--seconds", str(max(1, int(PAIRS_SHARE * seconds))), "--commit", short(night.record["commit"]),
               *["--known"] * (not args.cells)]
    if one.commit:
        command += ["--base-commit", short(one.commit)]
    for option, text in (("--worker-command", night.worker), ("--compiler-command", night.compiler)):
        if text:
            command += [option, text.replace("{store}", steps.REGRESS)]
    limit = max(seconds, night.left) + 15  # then it judges
    if args.call:
        command += ["--pause", str(max(1, int(night.call.left)))]
        limit = min(limit, night.call.left + MARGIN)
    status = farm(night, command, "regress", limit)
    if args.call and (status == regress.PAUSED or (status == 124 and not night.call.left)):
        return "paused", steps.last_line(night.path("regress.log"))
    meanings = {0: "ok", 1: "ok", 2: "incomplete"}  # 1: something is slow, which is a result
    return outcome(night, "regress", status, os.path.exists(night.path(steps.REGRESS)), meanings)


def outcome(night, name, status, found, meanings):
    """(status of the step, its last line)."""
    said = steps.last_line(night.path(f"{name}.log"))
    if status == 124:
        return "incomplete", "out of time"
    if not found:
        return "failed", said or f"exit status {status}"
    word = meanings.get(status, "failed")
    return word, "" if word == "ok" else f"exit status {status}: {said}"


DO = {"bench": do_bench, "tune": do_tune, "regress": do_regress}


def build_peers(night):
    """The benchmark, and the peers beside the newest CCCL; if it cannot be fetched or compiled, beside the kept or the
    pinned one."""
    command = [sys.executable, os.path.join("tools", "bench.py"), "--build-only"]
    for cccl in ([] if night.args.cccl == "none" else dict.fromkeys((night.args.cccl, "kept", bench.CCCL[1]))):
        built = steps.run([*command, "--cccl", cccl], night.path("build.log"), min(night.left, night.call.left)) == 0
        night.newer_peers = built and bench.git_of(os.path.join(bench.SOURCES, "cccl")) is not None
        if night.newer_peers:
            return
    steps.run(command, night.path("build.log"), min(night.left, night.call.left))


def prepare(night, comparisons):
    """Builds everything in parallel before the steps: compilation is not measuring, and has no share of the time. The
    step that needs a failed build reports it."""
    builds = []
    if comparisons:
        trees = [machine_code.tree_of(one.base) for one in comparisons] + [regress.tree_of_folder(steps.ROOT)]
        builds += [functools.partial(regress.build, tree) for tree in trees]
    if "bench" in night.args.steps and is_live(night.args) and night.status("bench") != "ok":
        builds.append(functools.partial(build_peers, night))
    with concurrent.futures.ThreadPoolExecutor(max(1, len(builds))) as pool:
        for job in [pool.submit(build) for build in builds]:
            if job.exception() and not isinstance(job.exception(), regress.CannotRun):
                raise job.exception()


def all_steps(night, comparisons):
    """1 if a step failed; PAUSED if the call ended before the night."""
    worst = 0
    prepare(night, comparisons)
    wanted = [name for name in STEPS if name in night.args.steps]
    for place, name in enumerate(wanted):
        if night.is_over(name):
            steps.say("measure", f"{name}: was done")
            continue
        if night.call.left <= MARGIN:
            return steps.PAUSED
        share = SHARE[name] / sum(SHARE[other] for other in wanted[place:])
        limit = night.step(name).get("limit") or round(share * night.left, 1)
        seconds = max(0.0, limit - night.step(name).get("seconds", 0.0))
        start = time.monotonic()
        night.note(name, "running", limit=limit)
        steps.say("measure", f"{name}: {seconds:.0f} s")
        try:
            status, message = DO[name](night, seconds, comparisons)
        except KeyboardInterrupt:
            night.note(name, "interrupted", time.monotonic() - start)
            raise
        except (steps.CannotRun, regress.CannotRun, store.StoreError, OSError) as error:
            status, message = "failed", str(error)
        night.note(name, status, time.monotonic() - start, message)
        steps.say("measure", f"{name}: {status}" + (f": {message}" if message else ""))
        if status == "paused":
            return steps.PAUSED
        worst = max(worst, status not in ("ok", "skipped"))
    return worst


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/measure.py", description="a board's night, as far as it needs the GPU")
    add_arguments(parser)
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--remote", metavar="NAME|URL", help="where the history of nights is, for --base good")
    args = parser.parse_args(argv)
    check(parser, args)
    night = Night(args)
    night.record["complete"] = False
    night.save()
    if not night.worker:
        try:
            night.program = night.program or regress.build(regress.tree_of_folder(steps.ROOT))
        except regress.CannotRun as error:
            raise steps.CannotRun(f"gp_tune cannot be built: {error}") from error
    if not find_device(night):
        return steps.NO_GPU
    comparisons = name_commits(night)
    try:
        with steps.locked(os.path.join(steps.NIGHTS, "measure.lock")):
            worst = all_steps(night, comparisons)
    except steps.CannotRun as error:
        steps.say("measure", error)
        return steps.BUSY
    if worst == steps.PAUSED:
        steps.say("measure", f"this call has used its time; the night has {night.left:.0f} s left: "
                             "the same command continues")
        return worst
    night.record["complete"] = True
    night.save()
    return worst


def add_arguments(parser):
    parser.add_argument("--base", metavar="COMMIT|FOLDER|good|release", help="what regress compares with; good: each "
                        "cell with its own base, which the nights keep; release: the last tag, or the oldest of these "
                        "bases (default: HEAD~1)")
    parser.add_argument("--seconds", type=float, help="of all steps together, over all calls (default: "
                        f"{SECONDS}; made up, which is done sooner: {MADE_UP_SECONDS})")
    parser.add_argument("--call", type=float, metavar="S", help="seconds of this call; the same command continues")
    parser.add_argument("--steps", default=",".join(STEPS), metavar="A,B", help=f"default: {','.join(STEPS)}")
    parser.add_argument("--board", metavar="NAME", help="the runner's label (default: gpu-sm and its capability)")
    parser.add_argument("--gpu", metavar="N", help="which GPU of the machine (default: 0)")
    parser.add_argument("--commit", metavar="TEXT", help="what is measured, where there is no repository")
    parser.add_argument("--stores", default=os.path.join(steps.ROOT, store.STORES), metavar="FOLDER",
                        help="whose rows the tune also measures (default: ci/measurements)")
    parser.add_argument("--primitives", metavar="A,B", help="of the tune")
    parser.add_argument("--sizes", metavar="4K,1M", help="of the tune")
    parser.add_argument("--strategy", metavar="NAME", help="of the tune")
    parser.add_argument("--processes", type=int, help="of the tune's rerun")
    parser.add_argument("--cells", metavar="FILE", help="of regress, a cell a line")
    parser.add_argument("--bench", default="quick", choices=["quick", *bench.SETS], help="which list of cells")
    parser.add_argument("--cccl", default="main", metavar="BRANCH|COMMIT|kept|none", help="the newer CUB and Thrust "
                        "beside the toolkit's (default: main)")
    parser.add_argument("--peers", help="cub,cuda,thrust,cublas, or none")
    parser.add_argument("--gp-tune", metavar="PROGRAM", help="instead of one that is built from this tree")
    parser.add_argument("--worker-command", metavar="COMMAND", help="another worker; {side}: base or new")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="another compiler, likewise")
    parser.add_argument("--made-up", nargs="?", const="", metavar="MODEL.json", help="no GPU: a made-up one")
    parser.add_argument("--made-up-base", default="", metavar="MODEL.json", help="the same for the base")
    parser.add_argument("--replay", metavar="NIGHT", help="no GPU: what another night's folder has")


def check(parser, args):
    args.steps = args.steps.split(",")
    if args.made_up is not None:  # a longer search would only find synthetic results
        args.strategy, args.sizes = args.strategy or tune.QUICK["strategy"], args.sizes or tune.QUICK["sizes"]
    unknown = [name for name in args.steps if name not in STEPS]
    if unknown:
        parser.error(f"--steps: unknown step {unknown[0]!r}; the steps are {', '.join(STEPS)}")
    if args.seconds is not None and not args.seconds > 0:
        parser.error("--seconds: more than 0")
    if args.call is not None and not args.call >= LEAST_CALL:
        parser.error(f"--call: {LEAST_CALL} seconds or more")
    if args.replay and args.made_up is not None:
        parser.error("--replay and --made-up exclude each other")
    if args.replay and not os.path.isdir(args.replay):
        parser.error(f"--replay: {args.replay} is not a folder")
    if args.replay:
        files.check(args.replay)
    if args.cells and not os.path.exists(args.cells):
        parser.error(f"--cells: {args.cells}: no such file")


if __name__ == "__main__":
    sys.exit(steps.main_of("measure", main))
