"""make regress BASE=...: is this tree slower than another one, on this machine, now?

    python3 -m tools.farm regress --base COMMIT|FOLDER [--cells FILE] [--seconds S] [--store FILE]

gp_tune is built for both trees: this tree's tools/tune, each tree's gpuprims.h. The unit of replication is a process:
each measures every cell once, and a cell's time in it is the median of its rounds. Six pairs of processes, one of the
base and one of this tree, run interleaved. In half of them, chosen at random, the base is first: even drift cancels,
and periodic disturbances meet both sides. Cells that look changed, or scatter too much to tell, are measured by ten
fresh pairs, which alone decide, beside some unchanged cells. Cells that are still UNSURE get ten more. verdicts.py has
the test and the meaning of SLOW, FAST, SAME, UNSURE and NO DATA. Pairs of the same two trees in the store are not
repeated.

Exit status: 0 nothing slower; 1 something is SLOW, or fails in this tree only; 2 could not run, or not to the end; 5
--pause ended it before the end.
"""
import argparse
import collections
import concurrent.futures
import datetime
import concurrent.futures
import fcntl
import hashlib
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tools import bench
from tools.farm import cell_keys, evidence, measure, propose, standard, store, verdicts
from tools.farm.arrays import np
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW, UNSURE

PAIRS, FRESH_PAIRS, FRESH_STAGES = 6, 10, (2, 3)
PAUSED = 5  # exit status

# ---- the two trees ---------------------------------------------------------------------------------------------------

FOLDER = os.path.join(bench.BUILD, "regress")
SIDES = ("base", "new")
# path: the folder of its gpuprims.h; commit: its name in the store; work: the folder for build outputs.
Tree = collections.namedtuple("Tree", "path commit work")


class CannotRun(Exception):
    """An error message for the user."""


class CannotBuild(CannotRun):
    """The compiler's message."""


def git(folder, *words):
    """Its answer, or None: no repository, no such commit, no git."""
    try:
        answer = subprocess.run(["git", "-C", folder, *words], check=False, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return answer.stdout.decode().strip() if answer.returncode == 0 else None


def commit_of(folder):
    """The commit of a checkout, with "+" if the header differs from it; the folder's name without one."""
    top = git(folder, "rev-parse", "--show-toplevel")
    if top is None or not os.path.samefile(top, folder):
        return os.path.basename(os.path.abspath(folder))
    commit = git(folder, "rev-parse", "--short=12", "HEAD") or "no commit"
    return commit + ("+" if git(folder, "status", "--porcelain", "--", "gpuprims.h", "gpuprims_policies.h") else "")


def tree_of_folder(folder):
    folder = os.path.abspath(folder)
    if not os.path.exists(os.path.join(folder, "gpuprims.h")):
        raise CannotRun(f"{folder}: no gpuprims.h there")
    digest = hashlib.sha256(folder.encode()).hexdigest()[:8]
    return Tree(folder, commit_of(folder), os.path.join(FOLDER, f"{os.path.basename(folder)}-{digest}"))


def tree_of_commit(name, repository=bench.ROOT):
    """Checked out below build/, without touching the working tree."""
    commit = git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if commit is None:
        raise CannotRun(f"{name}: neither a folder nor a commit of this repository")
    work = os.path.join(FOLDER, commit[:12])
    path = os.path.join(work, "tree")
    if not os.path.exists(path):
        fresh = f"{path}.{os.getpid()}"
        os.makedirs(fresh)
        archive = subprocess.run(["git", "-C", repository, "archive", commit], check=False, stdout=subprocess.PIPE)
        unpack = subprocess.run(["tar", "-x", "-C", fresh], input=archive.stdout, check=False)
        if archive.returncode or unpack.returncode:
            raise CannotRun(f"{name}: git archive or tar failed")
        try:
            os.rename(fresh, path)
        except OSError:  # another run finished first
            shutil.rmtree(fresh)
    if not os.path.exists(os.path.join(path, "gpuprims.h")):
        raise CannotRun(f"{name}: this commit has no gpuprims.h")
    return Tree(path, commit[:12], work)


def run_compiler(command):
    try:
        result = subprocess.run(command, cwd=bench.ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise CannotRun(f"{command[0]}: {error.strerror}") from error
    if result.returncode:
        raise CannotBuild(result.stdout.decode(errors="replace").strip())


def build(tree):
    """The tree's gp_tune: this tree's tools/tune with that tree's header. Rebuilt only after a source changed."""
    tune = os.path.join("tools", "tune")
    parts = sorted(os.path.join(tune, name) for name in os.listdir(os.path.join(bench.ROOT, tune)))
    headers = [os.path.join("tools", name) for name in sorted(os.listdir(os.path.join(bench.ROOT, "tools")))
               if name.endswith(".h")] + [os.path.join("tools", "peers", "data.h")]
    library = [path for name in ("gpuprims.h", "gpuprims_policies.h")
               if os.path.exists(path := os.path.join(tree.path, name))]
    target = os.path.join(tree.work, "gp_tune")
    command = [os.environ.get("CC", "gcc"), *os.environ.get("CFLAGS", "-O2").split(), "-std=c11", "-D_GNU_SOURCE",
               f"-I{tree.path}"]
    stamp = bench.stamp_of(parts + headers + cell_keys.HEADERS + library, command)
    os.makedirs(tree.work, exist_ok=True)
    with open(f"{target}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be building it
        if bench.current(target, stamp):
            return target
        say(f"compiling gp_tune for {tree.commit}")
        with tempfile.TemporaryDirectory(dir=tree.work) as objects, \
                concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            sources = {os.path.join(objects, f"{number}.o"): part for number, part in enumerate(parts)
                       if part.endswith(".c")}
            list(pool.map(lambda name: run_compiler([*command, "-c", sources[name], "-o", name]), sources))
            run_compiler([*command, *sources, "-o", target, "-ldl", "-lpthread", "-lm"])
        bench.sign(target, stamp)
    return target


# ---- cells -----------------------------------------------------------------------------------------------------------

# A night's seconds for a cell: 12 processes, and fresh ones if something looks changed. On an H100's machine a process
# of 1317 cells took 13.5 s (the first ones, which compile, 60 s). Ten first calls took 20 s: 0.1 s for a reduction, 4.5
# to 7 s for a sort of keys.
CELL_SECONDS, GIB_SECONDS, GIB_OF_KEYS_SECONDS, FIRST_CALL_SECONDS = 0.25, 1, 3, 25


def seconds_of(cell):
    """Estimated seconds of a night."""
    if cell.protocol == "first_call":
        return FIRST_CALL_SECONDS
    slow = cell_keys.having("keys") + cell_keys.having("host_made")
    each = GIB_OF_KEYS_SECONDS if cell.primitive in slow else GIB_SECONDS
    return CELL_SECONDS + each * standard.input_bytes(cell) / bench.GIB


def cells_of(path):
    """{store.Cell: its text} of a file, a cell a line, or of the standard list."""
    lines = standard.cells()
    if path:
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise CannotRun(f"{path}: {error.strerror}") from error
    found = {}
    for number, line in enumerate(lines, 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        try:
            cell, text = cell_keys.read(line)
        except ValueError as error:
            raise CannotRun(f"{path}:{number}: {error}: {line}") from error
        found[cell] = text
    if not found:
        raise CannotRun(f"{path}: it has no cell")
    return found


# ---- measuring -------------------------------------------------------------------------------------------------------


def say(text):
    print(f"regress: {text}", file=sys.stderr, flush=True)


def orders(count, chance=random):
    """For each pair: whether the base is first. True for half of them, at random."""
    found = [pair % 2 == 0 for pair in range(count)]
    chance.shuffle(found)
    return found


class Run:
    """Runs processes of both sides one after another; the store gets all their measurements."""

    def __init__(self, trees, programs, options, folder):
        self.trees, self.programs, self.options, self.folder = trees, programs, options, folder
        self.stopped = None  # the reason to start no further process, or None
        self.interrupted = False
        self.verified = set()  # sides whose outputs a process verified
        # gp_tune repeats nothing that a store has, so new processes get new numbers.
        self.process = 0
        if os.path.exists(options.store):
            self.process = 1 + max((s["process"] for s in store.read(options.store).of("samples")), default=-1)
        self.deadline = time.monotonic() + options.seconds
        self.pause = time.monotonic() + options.pause if options.pause else math.inf
        self.paused = False

    def measure(self, side, cells):
        """One process; its number."""
        plan = os.path.join(self.folder, "plan")
        with open(plan, "w", encoding="utf-8") as file:
            file.writelines(f"{text}\tdefault\n" for text in cells)
        number, self.process = self.process, self.process + 1
        command = [self.programs[side], "--plan", plan, "--phase", "regress", "--process", str(number),
                   "--commit", self.trees[side].commit, "--out", self.options.store,
                   "--verify", str(int(side not in self.verified))]
        for option, text in (("--worker-command", self.options.worker_command),
                             ("--compiler-command", self.options.compiler_command)):
            command += [option, text.replace("{side}", side)] if text else []
        environment = {**os.environ, "GP_TUNE_CACHE": os.path.join(self.trees[side].work, "cache")}
        with open(os.path.join(self.folder, "log"), "w+b") as log:
            # A session of its own: gp_tune gets ctrl-C from us, once, and leaves a complete store.
            process = subprocess.Popen(command, cwd=bench.ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, start_new_session=True)
            try:
                status = process.wait()
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
                process.wait()
                self.interrupted = True
                self.stopped = "interrupted"
                return number
            log.seek(0)
            said = log.read().decode(errors="replace").strip().splitlines()
        if status == 0:
            self.verified.add(side)  # of all cells, in the first process
        if status not in (0, 1):  # 1: a measured output is wrong; its samples say what
            self.stopped = f"gp_tune ({side}) ended with status {status}: " + "\n".join(said[-5:])
        return number

    def note(self, processes, stage, seconds):
        """Marks a complete pair in the store, so that a continued run does not repeat it."""
        samples = store.read(self.options.store).of("samples")
        base, new = (next((one["env"] for one in samples if one["process"] == process), "") for process in processes)
        store.append(self.options.store, [{"kind": "pair", "v": store.VERSION, "base": base, "env": new, "stage": stage,
                                           "processes": list(processes), "seconds": number(seconds)}])

    def measured_before(self, cells, stage):
        """(pairs of these trees in the store, the seconds of each): both processes have every cell, and no verdict used
        them yet. A finished run is not continued."""
        found, seconds = [], []
        if not os.path.exists(self.options.store):
            return found, seconds
        whole, samples = store.read(self.options.store), samples_of(self.options.store)
        commits = {one["id"]: one["commit"] for one in whole.of("environment")}
        wanted = {cell_keys.read(text)[0] for text in cells}
        judged = max((line.number for line in whole.lines if line.value["kind"] == "verdict"), default=0)
        for pair in (line.value for line in whole.lines if line.value["kind"] == "pair" and line.number > judged):
            ours = [commits.get(pair["base"]), commits.get(pair["env"])] == [self.trees[side].commit for side in SIDES]
            if ours and pair["stage"] == stage and all(wanted <= samples[one].keys() for one in pair["processes"]):
                found.append(tuple(pair["processes"]))
                seconds.append(pair["seconds"])
        return found, seconds

    def pairs(self, count, cells, stage):
        """[(process of the base, process of this tree)], one after another."""
        found, seconds = self.measured_before(cells, stage)
        found = found[:count]
        for pair, base_first in list(enumerate(orders(count)))[len(found):]:
            start = time.monotonic()
            longest = max(seconds[1:] or seconds, default=0.0)  # the first one compiles and verifies
            if not self.stopped and start + longest > self.pause:
                self.paused = True
                self.stopped = f"{pair} of {count} pairs of stage {stage} are there; the same command goes on"
            if not self.stopped and start + longest > self.deadline:
                self.stopped = (f"out of time: {pair} of {count} pairs of stage {stage} were measured in --seconds "
                                f"{self.options.seconds:g}")
            if self.stopped:
                break
            order = SIDES if base_first else SIDES[::-1]
            numbers = {side: self.measure(side, cells) for side in order if not self.stopped}
            if len(numbers) == len(SIDES):
                found.append(tuple(numbers[side] for side in SIDES))
            seconds.append(time.monotonic() - start)
            if len(numbers) == len(SIDES) and not self.stopped:
                self.note(found[-1], stage, seconds[-1])
            say(f"stage {stage}: pair {pair + 1} of {count}, {len(cells)} cells, {seconds[-1]:.1f} s")
        return found


def samples_of(path):
    """{process: {store.Cell: sample}} of phase regress."""
    found = collections.defaultdict(dict)
    for sample in store.read(path).of("samples") if os.path.exists(path) else []:
        if sample["phase"] == "regress" and sample["variant"] == "default":
            found[sample["process"]][store.cell_of(sample)] = sample
    return found


def logs_of(samples, cells, pairs):
    """(log ratios of medians, a row a cell, a column a pair; reasons {cell: {side: why a process was excluded}})."""
    logs = np.full((len(cells), max(len(pairs), 1)), np.nan)
    reasons = collections.defaultdict(dict)
    for row, cell in enumerate(cells):
        for column, processes in enumerate(pairs):
            medians = []
            for side, process in zip(SIDES, processes):
                sample = samples[process].get(cell)
                reason = "not measured" if sample is None else evidence.unusable(sample)
                if reason:
                    said = sample.get("message") if sample else None
                    reasons[cell][side] = f"{reason}: {said}" if said else reason
                else:
                    medians.append(float(np.median(sample["us"])))
            if len(medians) == len(SIDES):
                logs[row, column] = math.log(medians[1] / medians[0])
    return logs, reasons


def is_control(samples, cell, pairs):
    """Whether both sides ran the same machine code on the same policy in every process. A first call also depends on
    the compiler's input, the header's whole text."""
    if cell.protocol == "first_call":
        return False
    ran = {(sample.get("code", ""), store.policy_text(sample["policy"])) for processes in pairs
           for process in processes if (sample := samples[process].get(cell)) and sample["status"] == "ok"}
    return len(ran) == 1 and all(code for code, _ in ran)


def fails_here_only(samples, cell, pairs):
    """Whether a process of this tree failed and none of the base did, which is worse than slow."""
    failed = [any(samples[pair[k]].get(cell, {"status": "ok"})["status"] != "ok" for pair in pairs)
              for k in range(len(SIDES))]
    return failed == [False, True]


# ---- results --------------------------------------------------------------------------------------------------------

MOST_NAMES = 20
ORDER = (SLOW, NO_DATA, UNSURE, SAME, FAST)  # worst first


def number(value):
    """For a line of the store: None if missing; few enough digits that equal runs agree."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.6g}")


def line_of(cell, environments, verdict, left_out, control, message):
    """A verdict's line; `verdict`: a row of Verdicts as a dictionary, or None if not measured."""
    fields = verdict or {"outcome": NO_DATA, "ratio": None, "low": None, "high": None, "pairs": 0, "stage": 0,
                         "p": None, "q": None}
    return {"kind": "verdict", "v": store.VERSION, "base": environments.get("base", ""),
            "env": environments.get("new", ""), "primitive": cell.primitive, "op": cell.op, "in": cell.in_,
            "acc": cell.acc, "out": cell.out, "n": cell.n, **({"words": cell.words} if cell.words else {}),
            "protocol": cell.protocol, "outcome": fields["outcome"],
            **{name: number(fields[name]) for name in ("ratio", "low", "high")}, "pairs": int(fields["pairs"]),
            "left_out": int(left_out), "stage": int(fields["stage"]),
            **{name: number(fields[name]) for name in ("p", "q")}, "control": bool(control), "message": message}


def print_table(lines, texts):
    width = max(len(text) for text in texts.values())
    print(f"{'cell':<{width}}  {'outcome':<8} {'ratio':>6}  {'95 % interval':<14}  pairs  left out        p")
    for line in lines:
        row = f"{texts[store.cell_of(line)]:<{width}}  {line['outcome']:<8} "
        if line["ratio"] is None:
            row += f"{'':6}  {'':14}  {line['pairs']:5}  {line['left_out']:8}"
        else:
            row += (f"{line['ratio']:6.3f}  [{line['low']:.3f}, {line['high']:.3f}]  {line['pairs']:5}  "
                    f"{line['left_out']:8}  {line['p']:7.1e}")
        print(f"{row}  control" if line["control"] else row.rstrip())
        if line["message"]:
            print("    " + line["message"].splitlines()[0])


def print_controls(controls):
    print(f"controls: {controls.count} cells with the base's machine code", end="")
    if controls.count >= verdicts.FEWEST_CONTROLS:
        print(f"; {100 * controls.rate:.1f} % have p below {verdicts.CONTROL_P:g}, {controls.candidates} became "
              f"candidates; their common ratio, {math.exp(controls.common):.4f}, was taken out of all cells", end="")
    print()
    if controls.count < controls.needed:
        print(f"controls: too few to measure the rate of false alarms ({controls.needed} are needed)")
    if not controls.held:
        print("controls: more false alarms than promised")
    if controls.extra:
        print(f"controls: {100 * controls.extra:.2f} % was added to every error")
    if is_common(controls):
        print(f"all cells, of unchanged machine code too, take {math.exp(controls.common):.3f} times as long: "
              "the host, or the machine")


def is_common(controls):
    """Whether all cells share a change of 2 %."""
    return controls.low >= verdicts.REPORTED or controls.high <= -verdicts.REPORTED


def print_gated(lines, texts):
    """The cells without a verdict."""
    names = [texts[store.cell_of(line)] for line in lines if line["outcome"] in (UNSURE, NO_DATA)]
    print(f"gated: {len(lines) - len(names)} of {len(lines)} cells; in them a change of 5 % would have been seen"
          + (", not in " + "; ".join(names[:MOST_NAMES]) if names else "")
          + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""))


def judge(run, cells, first_pairs):
    """Both stages, with the fresh pairs measured in between: (verdicts' lines, Controls, cells that fail only here)."""
    names = list(cells)
    if run.paused:
        return [], None, []
    samples = samples_of(run.options.store)
    logs, reasons = logs_of(samples, names, first_pairs)
    control = np.array([is_control(samples, cell, first_pairs) for cell in names])
    first = verdicts.first_stage(logs, control, np.array([cell.protocol == "first_call" for cell in names]))
    fresh = np.full((len(names), FRESH_PAIRS * len(FRESH_STAGES)), np.nan)
    left_out = np.count_nonzero(np.isnan(logs), axis=1) if first_pairs else np.zeros(len(names), int)
    fresh_pairs, wanted = [], first.candidate
    for stage in FRESH_STAGES:
        if run.stopped or not wanted.any():
            break
        # The first pairs decide, so that a continued run chooses the same.
        rows = np.flatnonzero(verdicts.with_controls(wanted, first, np.random.default_rng(min(first_pairs[0]))))
        pairs = run.pairs(FRESH_PAIRS, [cells[names[row]] for row in rows], stage)
        if run.paused:
            return [], None, []
        samples = samples_of(run.options.store)
        again, more = logs_of(samples, [names[row] for row in rows], pairs)
        column = FRESH_PAIRS * FRESH_STAGES.index(stage)
        fresh[rows, column:column + again.shape[1]] = again
        left_out[rows] += (np.count_nonzero(np.isnan(again), axis=1) * first.candidate[rows]) if pairs else 0
        for cell, sides in more.items():
            reasons[cell].update(sides)
        fresh_pairs += pairs
        wanted = first.candidate & (verdicts.conclude(first, fresh).outcome == UNSURE)
    found = verdicts.conclude(first, fresh)
    environments = {side: next((s["env"] for pair in first_pairs for s in samples[pair[k]].values()), "")
                    for k, side in enumerate(SIDES)}
    lines = []
    for row, cell in enumerate(names):
        message = "; ".join(f"{side}: {reason}" for side, reason in sorted(reasons[cell].items()))
        if found.outcome[row] == NO_DATA and not message:
            message = f"{len(first_pairs)} pairs; {verdicts.FEWEST_PAIRS} are needed"
        verdict = {name: values[row] for name, values in found._asdict().items()}
        lines.append(line_of(cell, environments, verdict, left_out[row], control[row], message))
    broken = [cell for cell in names if fails_here_only(samples, cell, first_pairs + fresh_pairs)]
    return lines, first.controls, broken


def finish(lines, texts, controls, path):
    """Prints the table, worst first, and appends the verdicts to the store, if there is a path."""
    lines = sorted(lines, key=lambda line: (ORDER.index(line["outcome"]), -(line["ratio"] or 0), line["pairs"]))
    print_table(lines, texts)
    extra = []
    if controls:
        print_controls(controls)
    if controls and lines[0]["env"]:  # "" if no process of this tree reached a sample
        extra = [("few_controls", controls.count >= controls.needed, controls.count, controls.needed)]
        if controls.count >= verdicts.FEWEST_CONTROLS:
            extra += [("controls", controls.held, number(controls.rate), verdicts.CONTROL_P)]
        if np.isfinite(controls.common):
            extra += [("common", not is_common(controls), number(math.exp(controls.common)),
                       number(math.exp(verdicts.REPORTED)))]
        extra = [{"kind": "check", "v": store.VERSION, "env": lines[0]["env"], "name": name, "group": "",
                  "passed": bool(passed), "value": value, "limit": limit} for name, passed, value, limit in extra]
    counts = collections.Counter(line["outcome"] for line in lines)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in ORDER))
    print_gated(lines, texts)
    if path:
        store.append(path, lines + extra)


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm regress", description=__doc__.split("\n")[0])
    parser.add_argument("--base", required=True, metavar="COMMIT|FOLDER")
    parser.add_argument("--cells", metavar="FILE", help="a cell a line")
    parser.add_argument("--known", action="store_true", help="leave out cells of primitives that the base lacks, as of "
                        "the standard list")
    parser.add_argument("--seconds", type=float, default=1800, help="start no pair that would end later")
    parser.add_argument("--pause", type=float, metavar="S",
                        help="seconds of this call; the same command with the same --store continues")
    parser.add_argument("--store", metavar="FILE", help="appended to; a fresh one below build/regress without")
    parser.add_argument("--commit", metavar="TEXT", help="what this tree is, where it is no repository")
    parser.add_argument("--base-commit", metavar="TEXT", help="what the base is, likewise")
    parser.add_argument("--worker-command", metavar="COMMAND",
                        help="another worker for gp_tune; {side} in it becomes base or new")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="likewise, another compiler")
    options = parser.parse_args(arguments)
    os.makedirs(FOLDER, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a supervisor's stop is like a user's
    now = datetime.datetime.now(datetime.timezone.utc)
    options.store = os.path.abspath(options.store or os.path.join(FOLDER, f"{now:%Y-%m-%dT%H%M%SZ}.jsonl"))
    try:
        return compare(options)
    except (CannotRun, store.StoreError) as error:
        say(error)
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130


def ask_worker(options, program):
    """The device's own description. Without a device nothing is measured, and no store is left."""
    text = (options.worker_command or "").replace("{side}", "new")
    try:
        return measure.ready_of(["sh", "-c", f"exec {text}"] if text else [program, "--worker"])
    except measure.Lost as error:
        raise CannotRun(f"no device: {error}") from error


def known_to(tree, cells):
    """The cells whose primitive the tree's library has."""
    with open(os.path.join(tree.path, "gpuprims.h"), encoding="utf-8") as file:
        names = set(re.findall(r"\bX\(\w+, (?:\d+, )?(\w+)\)", file.read()))
    return {cell: text for cell, text in cells.items() if cell.primitive in names}


def compare(options):
    cells = cells_of(options.cells)
    trees = {"base": tree_of_folder(options.base) if os.path.isdir(options.base) else tree_of_commit(options.base),
             "new": tree_of_folder(bench.ROOT)}
    for side, commit in (("base", options.base_commit), ("new", options.commit)):
        trees[side] = trees[side]._replace(commit=commit or trees[side].commit)
    if not options.cells or options.known:
        cells = known_to(trees["base"], cells)
        if not cells:
            raise CannotRun(f"{trees['base'].commit} has none of the cells' primitives")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        building = {side: pool.submit(build, tree) for side, tree in trees.items()}
    for side, job in building.items():
        if isinstance(job.exception(), CannotBuild):
            said = str(job.exception())
            first = next((line for line in said.splitlines() if "error" in line), said)
            message = f"{side} ({trees[side].commit}) cannot be built: "
            finish([line_of(cell, {}, None, 0, False, message + first) for cell in cells], cells, None, options.store)
            raise CannotRun(message + said)
    cells, large = standard.fitting(cells, int(ask_worker(options, building["new"].result()).get("memory_bytes") or 0))
    if large:
        say(f"{len(large)} cells are left out, as the device has not {standard.ROOM} times the memory of their input: "
            + "; ".join(large[:MOST_NAMES]) + (f" and {len(large) - MOST_NAMES} more" if large[MOST_NAMES:] else ""))
    if not cells:
        raise CannotRun("the device has no room for any of the cells")
    with tempfile.TemporaryDirectory() as folder:
        run = Run(trees, {side: job.result() for side, job in building.items()}, options, folder)
        lines, controls, broken = judge(run, cells, run.pairs(PAIRS, list(cells.values()), 1))
    if run.paused:
        say(run.stopped)
        return PAUSED
    # A store with verdicts is finished; an interrupted run continues from its pairs.
    finish(lines, cells, controls, None if run.interrupted else options.store)
    what = "samples" if run.interrupted else "verdicts and samples"
    say(f"{what} are in {os.path.relpath(options.store)}")
    if run.stopped:
        say(run.stopped)
    for cell in broken:
        say(f"{cells[cell]}: fails in this tree only")
    if run.interrupted:
        return 130
    if broken or any(line["outcome"] == SLOW for line in lines) or controls.low >= verdicts.REPORTED:
        return 1
    return 2 if run.stopped or all(line["outcome"] == NO_DATA for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
