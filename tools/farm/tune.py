"""make tune: measures the policy spaces on this machine's GPU and rewrites gpuprims_policies.h.

    python3 -m tools.farm tune [--quick] [--seconds S] [--primitives copy,reduce] [--store FILE] ...
    python3 -m tools.farm tune --learned STORE...             candidates of users' programs instead of a search

Runs search and matrix (gp_tune --search), plans the confirmations, runs them in fresh processes one after another
(gp_tune --plan), then makes decisions and the table. The store gets every measurement at once, so the same command
continues an interrupted tune. A finished tune is not repeated: the day's next tune gets its own store.

Primitives never searched on this device come first, then those with the oldest search. If --seconds are too few for
all, the tune names those left out, and the next tune begins with them. A group with a failed self-check gets no row,
and a message.

--seconds limits the search, over all calls of the same command. --pause S ends this call after S seconds with exit
status 5, for a machine that is available for minutes at a time; the same command continues.

Exit status: 0 done; 1 done, but a measured output was wrong (no decision uses it), or one group in ten failed a
self-check; 2 bad usage; 3 the device was lost, or nothing can be written; 4 no GPU; 5 paused; 130 interrupted.
"""
import argparse
import importlib.util
import math
import os
import shlex
import signal
import subprocess
import sys
import time

from tools import bench
from tools.farm import decide, evidence, learned, measure, propose, regress, rows, store, table, trust

DONE, WRONG, BAD_USAGE, DEVICE_LOST, NO_GPU, PAUSED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
PROCESSES = 5
SOME = 0.1  # of the groups may fail a self-check
SECONDS = 600
QUICK = {"strategy": "quick", "sizes": "64K,1M,16M,256M", "seconds": 120}
# Options passed on to gp_tune: to its search only, and to both.
SEARCH = ("sizes", "strategy", "seed", "seconds")
BOTH = ("gpus", "jobs", "watchdog", "worker_command", "compiler_command", "commit")


class Stop(Exception):
    """Ends the tune with this exit status."""

    def __init__(self, status, message=""):
        super().__init__(message)
        self.status = status


def build():
    """build/gp_tune, up to date."""
    if subprocess.run(["make", "--silent", "--jobs=4", "build/gp_tune"], cwd=store.ROOT, check=False).returncode:
        raise Stop(BAD_USAGE, "gp_tune cannot be built")
    return os.path.join(store.ROOT, "build", "gp_tune")


def device_of(command):
    """What the worker says of its device."""
    try:
        return measure.ready_of(command)
    except measure.Lost as error:
        raise Stop(NO_GPU, f"no device: {error}") from error


def default_store(folder, device, commit):
    """Today's store of the device and the commit: the first one that is not finished."""
    place = os.path.join(folder, bench.folder_name(device))
    date = time.strftime("%Y-%m-%d", time.gmtime())
    for number in range(1, 1000):
        path = os.path.join(place, bench.file_stem(date, "tune", commit, number) + ".jsonl")
        if not any(map(os.path.exists, (path, path + ".gz"))):
            return path
        if os.path.exists(path) and not store.read(path).of("decision"):
            return path
    raise Stop(BAD_USAGE, f"{place} is full of today's stores: name one by --store")


def gp_tune(program, arguments, resume, until=math.inf):
    """Runs it without the terminal's signals, and passes each on once, because a second one would end it at once.
    until: the end of the call on time.monotonic's clock; math.inf: never."""
    process = subprocess.Popen([program, *arguments], cwd=store.ROOT, start_new_session=True)
    interrupted = paused = False
    status = None
    while status is None:
        try:
            limited = not paused and math.isfinite(until)
            status = process.wait(max(0, until - time.monotonic()) if limited else None)
        except KeyboardInterrupt:
            interrupted = True
            process.send_signal(signal.SIGINT)
        except subprocess.TimeoutExpired:
            paused = True
            process.send_signal(signal.SIGINT)
    if paused and not interrupted and status in (DONE, WRONG, INTERRUPTED, -signal.SIGINT):
        raise Stop(PAUSED, f"this call has used its time; continue with: {resume}")
    if interrupted or status == INTERRUPTED:
        raise Stop(INTERRUPTED, f"interrupted; continue with: {resume}")
    if status == BAD_USAGE:
        raise Stop(BAD_USAGE)  # it has printed the reason
    if status not in (DONE, WRONG):
        raise Stop(status if status > 0 else DEVICE_LOST, f"gp_tune ended with status {status}; the measurements are "
                   f"kept, continue with: {resume}")
    return status


def options_for(args, names):
    found = []
    for name in names:
        value = getattr(args, name)
        if value is not None:
            found += [f"--{name.replace('_', '-')}", str(value)]
    return found


def by_age(args, path, device):
    """All searchable primitives, the longest unsearched on this device first."""
    names = subprocess.run([args.gp_tune, "--list-primitives"], stdout=subprocess.PIPE, text=True, check=True)
    dates = {}
    mine = os.path.realpath(path)
    for a_store in (store.read(other) for other in store.paths_under(args.stores) if os.path.realpath(other) != mine):
        searched = {one["id"]: one["date"] for one in a_store.of("environment") if one["device"] == device}
        for line in a_store.of("coverage"):
            name = line["group"].split()[0]
            if line["env"] in searched and line["measured"]:
                dates[name] = max(searched[line["env"]], dates.get(name, ""))
    return ",".join(sorted(names.stdout.split(), key=lambda name: dates.get(name, "")))


def measure_matrix(args, path, device, out, common, resume, until):
    """The search and its matrix, or the matrix of what programs learned."""
    if not args.learned:
        asked = ["--primitives", args.primitives or by_age(args, path, device["device"]),
                 *options_for(args, SEARCH)]
        gp_tune(args.gp_tune, ["--search", *out, *asked, *common], resume, until)
        return
    plan = os.path.join(store.ROOT, "build", f"{os.path.basename(path)}.matrix.plan")
    jobs = learned.write_plan(args.learned, device, plan, args.gp_tune)
    count = len({policy for _, policies in jobs for policy in policies})
    print(f"measuring {count} policies, those that programs learned and the header's own, in {len(jobs)} cells",
          flush=True)
    gp_tune(args.gp_tune, ["--plan", plan, "--phase", "matrix", *out, *common], resume, until)
    store.append(path, [check for run in evidence.runs_of(store.read(path)) for check in learned.checks_of(run)])


def measure_all(args, path, device, resume, until):
    """Search and rerun."""
    plan = os.path.join(store.ROOT, "build", f"{os.path.basename(path)}.plan")
    out = ["--out", os.path.abspath(path)]
    common = options_for(args, BOTH)
    measure_matrix(args, path, device, out, common, resume, until)
    asked_for = args.primitives.split(",") if args.primitives else ()
    jobs = propose.write_plan(path, args.stores, plan, args.gp_tune, asked_for)
    print(f"confirming {sum(len(policies) for _, policies in jobs)} candidates in {len(jobs)} cells, "
          f"{args.processes} processes", flush=True)
    for process in range(1, args.processes + 1 if jobs else 1):
        # (The first process verifies outputs: the others run the same machine code.)
        command = ["--plan", plan, "--process", str(process), "--verify", str(int(process == 1)), *out, *common]
        gp_tune(args.gp_tune, command, resume, until)


def status_of(a_store):
    """A few groups that fail a self-check have no rows; more than one in ten means a fault here."""
    failed = {check["group"] for check in evidence.checks_of(a_store) if not check["passed"]}
    groups = {line["group"] for line in a_store.of("coverage")}
    wrong = any(sample["status"] == "wrong" for sample in a_store.of("samples"))
    return WRONG if wrong or len(failed) > SOME * len(groups) else DONE


def summary(path, stores, appended):
    """A summary for the reader."""
    mine = next(a_store for a_store in stores if os.path.samefile(a_store.path, path))
    device = evidence.runs_of(mine)[-1].device
    now = rows.decisions_of(stores)
    before, after = (of_device(rows.fold(decisions), device)
                     for decisions in ([one for one in now if one not in appended], now))
    changed = sum(before.get(place) != after.get(place) for place in before.keys() | after.keys())
    print(f"\n{device}: {sum(map(len, after.values()))} rows, {sum(map(len, before.values()))} before")
    for one in appended:
        if one["verdict"] in ("accepted", "removed"):
            print(f"  {decide.describe(one)}")
    counted = store.counted(one["verdict"] for one in appended)
    print(f"decisions: {counted or 'none that are new'}; groups whose rows changed: {changed}")
    for one in trust.of(mine):
        print("trusted: " + "; ".join(one.lines()))
        if one.throttled:
            print("throttled samples were not used: cool the GPU, or repeat with more --processes")
    for coverage in mine.of("coverage"):
        print(f"  {coverage['group']:<24} {coverage['measured']} of {coverage['space']} policies measured")
    seconds, busy = (sum(one[name] for one in mine.of("run")) for name in ("seconds", "busy_seconds"))
    if seconds:
        print(f"{seconds:.0f} s, GPU busy {100 * busy / seconds:.1f} % of them")
    size, name = os.path.getsize(path) / 1e6, shlex.quote(os.path.relpath(path))
    print(f"store: {name} ({size:.1f} MB)")
    if size > 1:
        print("  smaller, before you commit it: python3 -m tools.farm merge --without search "
              f"{name} --out {name}.gz && rm {name}")


def of_device(folded, device):
    return {place: found for place, found in folded.items() if place[0] == device}


def tune(args, argv):
    until = time.monotonic() + args.pause if args.pause else math.inf
    if not args.measure_only and not importlib.util.find_spec("scipy"):
        raise Stop(BAD_USAGE, "decisions need SciPy: pip install scipy, or measure with --measure-only")
    args.gp_tune = os.path.abspath(args.gp_tune) if args.gp_tune else build()
    gpu = (args.gpus or "0").split(",")[0]
    worker = ["sh", "-c", f"exec {args.worker_command}"] if args.worker_command else \
        [args.gp_tune, "--worker", "--device", gpu if gpu.isdigit() else "0"]
    device = device_of(worker)
    path = args.store or default_store(args.stores, device["device"], args.commit)
    if path.endswith(".gz"):
        raise Stop(BAD_USAGE, f"{path}: a compressed store cannot be appended to")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    os.makedirs(os.path.join(store.ROOT, "build"), exist_ok=True)
    resume = shlex.join(["python3", "-m", "tools.farm", "tune", *argv] + ([] if args.store else ["--store", path]))
    print(f"{device['device']}: {os.path.relpath(path)}", flush=True)
    measure_all(args, path, device, resume, until)
    status = status_of(store.read(path))
    if args.measure_only:
        print(f"measured: {os.path.relpath(path)}; decisions: python3 -m tools.farm decide {os.path.relpath(path)}")
        return status
    stores, appended = decide.decide(path, args.stores)
    store.append(path, [check for one in trust.of(store.read(path)) for check in one.checks()])
    summary(path, stores, appended)
    if os.path.realpath(path) in map(os.path.realpath, store.paths_under(args.stores)):
        table.write(args.table, stores)
        print(f"table: {os.path.relpath(args.table)}\nnext: make pr, for a pull request (CONTRIBUTING.md)")
    else:
        print(f"the table is unchanged: it is made from the stores below {os.path.relpath(args.stores)}")
    return status


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm tune", description="measures the policy spaces on "
                                     "this machine's GPU and rewrites gpuprims_policies.h")
    parser.add_argument("--quick", action="store_true", help="a minute: fewer sizes, fewer policies")
    parser.add_argument("--measure-only", action="store_true", help="measure only; keep the table")
    parser.add_argument("--seconds", type=float, help=f"of the search; the rerun comes on top (default: {SECONDS})")
    parser.add_argument("--pause", type=float, metavar="S", help="seconds of this call; the same command continues")
    parser.add_argument("--primitives", metavar="A,B")
    parser.add_argument("--learned", action="append", metavar="STORE", help="no search: measure what a program learned "
                        "(python3 -m tools.farm tuner FILE... --store STORE)")
    parser.add_argument("--sizes", metavar="4K,1M")
    parser.add_argument("--strategy", metavar="NAME", help="of gp_tune --list-strategies")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--processes", type=int, default=PROCESSES, help=f"of the rerun (default: {PROCESSES})")
    parser.add_argument("--gpus", metavar="0,1|all")
    parser.add_argument("--jobs", type=int, metavar="N", help="compiler processes")
    parser.add_argument("--watchdog", type=float, metavar="S")
    parser.add_argument("--commit", default=regress.commit_of(store.ROOT), metavar="TEXT", help="what is measured")
    parser.add_argument("--store", metavar="FILE", help="default: today's, below the device's folder")
    parser.add_argument("--stores", default=propose.default_folder(), metavar="FOLDER", help="all stores")
    parser.add_argument("--table", default=os.path.join(store.ROOT, table.TABLE), metavar="FILE")
    parser.add_argument("--gp-tune", metavar="PROGRAM", help="instead of build/gp_tune")
    parser.add_argument("--worker-command", metavar="COMMAND", help="another worker than gp_tune's own")
    parser.add_argument("--compiler-command", metavar="COMMAND")
    args = parser.parse_args(argv)
    if args.processes < decide.FEWEST_PAIRS:
        parser.error(f"--processes: fewer than {decide.FEWEST_PAIRS} confirm nothing")
    if args.learned and (args.quick or args.primitives or any(getattr(args, name) is not None for name in SEARCH)):
        parser.error("--learned has no search: leave out --quick, --primitives, --sizes, --strategy, --seed, --seconds")
    for name, value in (QUICK if args.quick else {"seconds": SECONDS}).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return tune(args, argv)
    except Stop as stop:
        if str(stop):
            print(f"tune: {stop}", file=sys.stderr)
        return stop.status
