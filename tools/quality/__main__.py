"""python3 -m tools.quality: criteria and quality of primitives on this GPU, ours beside the peers' (docs/quality.md).

    --cells FILE | --cell TEXT     cells of tools/gp_cells.h, a line each; default: tools/quality/cells.txt
    --without FILE                 leaves out cells that this file has whole; repeat for more; with the same --peers
    --out FOLDER                   default: ci/measurements/<device>
    --seconds 150                  for everything but compiling
    --peers cub,thrust             of gp_bench (also moderngpu, cudpp), and cupy, torch; all; none
    --policy POLICY                a variant of ours beside the default; repeat for more
    --transfers                    inputs that come from the host while a call runs: DT
    --energy SECONDS               joules a call, over so long a time for each cell and library
    --no-sequential                without the reference in one thread of the host, and so without speed-ups
    --counters criteria            only those of the criteria: fewer passes of each kernel; default: all
    --passes                       how many passes and seconds each group of counters takes, and nothing else
    --caches none                  kernels find in L2 what came before; default: ncu empties it
    --show FILE                    the table of a file measured before
    --tables FILE ...              the paper's Tables II and III of such files
    --compare BEFORE AFTER         what changed in time and criteria, cell by cell
    --picture OUT.svg FILE ...     criteria of the cells of --cell by library, as parallel coordinates (matplotlib)
    --improve FILE ...             three primitives of ours: the lowest QM, the largest distance to the roof
    --improved BEFORE AFTER        what a change did to them, in times, criteria and counters
    --fit FILE ...                 weights by regression on such files (NumPy, SciPy)
    --report FILE                  criteria of the kernels in a .ncu-rep or .csv report of any program

Exit status: 0; 1 nothing was measured; 2 bad usage; 4 no GPU.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from tools import bench
from tools.quality import criteria, feedback, frameworks, improve, libraries, measure, metrics, reports, sequential, \
    tables

ALL_PEERS = "cub,thrust,moderngpu,cudpp,cupy,torch"
COMPILE_SECONDS = 120
CELLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cells.txt")


def read_cells(path):
    with open(path, encoding="utf-8") as file:
        return [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]


def show_report(path):
    """Every kernel of a report: its criteria and what to look at."""
    try:
        kernels = reports.read_file(path)
    except reports.ReportError as error:
        print(f"tools.quality: {path}: {error}", file=sys.stderr)
        return 1
    for kernel in kernels:
        counters = measure.kernel_counters(kernel, {})
        counters["gap"] = 0.0  # alone
        values = criteria.criteria(counters)
        numbers = " ".join(f"{name} {'-' if value is None else f'{value:.2f}'}" for name, value in values.items())
        qm = criteria.quality(values)[0]
        print(f"{re.sub(r'<.*|[(].*', '', kernel['name'])}\n  QM {'-' if qm is None else f'{qm:.2f}'}  {numbers}\n"
              f"  {feedback.advise(values, counters)}")
    return 0 if kernels else 1


def show_fit(paths):
    from tools.quality import fit  # needs NumPy and SciPy
    try:
        print(fit.text(fit.fit(measure.merged(paths))))
    except fit.FitError as error:
        print(f"tools.quality: {error}", file=sys.stderr)
        return 1
    return 0


def draw(target, paths, cells):
    """The paper's Figure 2 of some cells, as a picture."""
    from dashboard import figures, quality  # needs matplotlib
    rows = tables.qualities(measure.merged(paths))
    found = {cell: [row for row in rows if row["cell"] == cell and row["qm"] is not None] for cell in cells}
    lacking = [cell for cell, own in found.items() if not own]
    if lacking or not found:
        print(f"tools.quality: --picture: no criteria of {', '.join(lacking) or 'any cell: name some by --cell'}",
              file=sys.stderr)
        return 1
    with open(target, "w", encoding="utf-8") as file:
        file.write(figures.render(quality.coordinates_of(found)))
    return 0


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python3 -m tools.quality", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", metavar="FILE")
    parser.add_argument("--cell", action="append", default=[])
    parser.add_argument("--without", metavar="FILE", action="append", default=[])
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--peers", default="cub")
    parser.add_argument("--counters", choices=("all", "criteria"), default="all")
    parser.add_argument("--passes", action="store_true")
    parser.add_argument("--caches", choices=("all", "none"), default="all")
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--transfers", action="store_true")
    parser.add_argument("--energy", type=float, default=0)
    parser.add_argument("--no-sequential", action="store_true")
    parser.add_argument("--commit")
    parser.add_argument("--compare", metavar="FILE", nargs=2)
    parser.add_argument("--picture", metavar="FILE", nargs="+")
    parser.add_argument("--improve", metavar="FILE", nargs="+")
    parser.add_argument("--improved", metavar="FILE", nargs=2)
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--tables", metavar="FILE", nargs="+")
    parser.add_argument("--fit", metavar="FILE", nargs="+")
    parser.add_argument("--report", metavar="FILE")
    args = parser.parse_args(argv)
    if args.show:
        print(measure.table(measure.lines_of(args.show)))
        return 0
    if args.tables:
        lines = measure.merged(args.tables)
        print(f"{tables.table_two(lines)}\n\n{tables.table_three(lines)}")
        return 0
    if args.compare:
        print(tables.changes(*(measure.lines_of(path) for path in args.compare)))
        return 0
    if args.picture:
        return draw(args.picture[0], args.picture[1:], args.cell)
    if args.improve:
        print(improve.text(measure.merged(args.improve)))
        return 0
    if args.improved:
        print(improve.section(*(measure.lines_of(path) for path in args.improved)))
        return 0
    if args.fit:
        return show_fit(args.fit)
    if args.report:
        return show_report(args.report)
    cells = args.cell + (read_cells(args.cells) if args.cells else [] if args.cell else read_cells(CELLS))
    finished = measure.finished_cells([line for path in args.without for line in measure.lines_of(path)])
    if not bench.has_gpu():
        print("tools.quality: no GPU here: nothing was measured", file=sys.stderr)
        return bench.NO_GPU
    os.makedirs(bench.BUILD, exist_ok=True)
    peers = ALL_PEERS if args.peers == "all" else "" if args.peers == "none" else args.peers
    own, others = ([name for name in peers.split(",") if name and (name in frameworks.LIBRARIES) == framework]
                   for framework in (False, True))
    if args.passes:
        own = []
    program, library = bench.build_bench(), bench.build_peers() if own else None
    more = libraries.build() if library and set(own) & set(libraries.PARTS) else None
    folder = os.path.abspath(args.out) if args.out else tempfile.mkdtemp(prefix="quality-", dir=bench.BUILD)
    os.makedirs(folder, exist_ok=True)
    options = (["--transfers"] if args.transfers else []) + \
        (["--energy", str(args.energy)] if args.energy > 0 else [])
    if args.passes:
        return show_passes(measure.Session(program, library, "none", folder, args.seconds, reports.find_ncu(),
                                           args.caches))
    cells = [cell for cell in cells if any(cell not in finished[name] for name in ("", *others) if not name or
                                           frameworks.served([cell], [name]))]
    own_cells = [cell for cell in cells if cell not in finished[""]]
    measure.compile_ahead(program, measure.shares_of(own_cells, args.policy), COMPILE_SECONDS)
    reference = None if args.no_sequential else sequential.Reference(cells, folder)
    session = measure.Session(program, library, ",".join(own) if library else "none", folder, args.seconds,
                              reports.find_ncu(), args.caches, more, options, args.policy, args.counters)
    times, counters = measure_all(session, cells, others, finished)
    lines = measure.records(cells, times, counters, session.reason,
                            reference and reference.times(max(0, session.left())))
    lines[0].update(commit=args.commit or bench_commit(), caches=args.caches, refused=session.refused,
                    counters=args.counters, passes=session.passes)
    target = write(lines, args.out and folder)
    print(measure.table(lines))
    print(f"\nwritten to {target}; what ncu and gp_bench said is in {os.path.join(folder, 'quality.log')}")
    return 0 if any(line.get("median_us") or line.get("kernels") for line in lines[1:]) else 1


def measure_all(session, cells, others, finished=None):
    """(lines of times, counters) of gp_bench's libraries, then of CuPy and PyTorch, within the session's time."""
    finished = finished or measure.finished_cells([])
    own = [cell for cell in cells if cell not in finished[""]]
    runs = 2 + len(others)  # gp_bench's times and counters take a share each, a framework one for both
    times, counters = [], {}
    try:
        times += session.times(own, 1 / runs) if own else []
        session.probe()
        end = session.end
        session.end -= session.left() * len(others) / (2 + len(others))  # gp_bench's libraries have the most kernels
        counters.update(session.counters(own) if own else {})
        session.end = end
        for place, name in enumerate(others):
            one = measure.FrameworkSession(name, session)
            one.end -= one.left() * (len(others) - place - 1) / (len(others) - place)
            known = [cell for cell in frameworks.served(cells, [name]) if cell not in finished[name]]
            if not known or one.left() < measure.LEAST_SECONDS:
                continue
            times += one.times(known, 0.4)  # CuPy compiles meanwhile
            counters.update({key: value for key, value in one.counters(known).items()
                             if value[1] or value[0] != "ok"})
    except KeyboardInterrupt:
        session.end = time.monotonic()
        print("tools.quality: interrupted; what is measured is written", file=sys.stderr)
    return times, counters


def show_passes(session):
    """Profiles a copy with all counters, and with some left out: what a kernel costs."""
    session.probe()
    if not session.ncu or session.reason:
        print(f"tools.quality: {session.reason}", file=sys.stderr)
        return 1
    every, sections = list(session.metrics), list(session.sections)
    of_criteria = set(metrics.requested(keys=metrics.OF_CRITERIA)[0])
    groups = [("all", every, sections), ("of the criteria", [name for name in every if name in of_criteria],
                                         metrics.SECTIONS_OF_CRITERIA)]
    groups += [(f"all but {section}", every, [other for other in sections if other != section]) for section in sections]
    for unit in dict.fromkeys(re.sub(r"__(sass_)?.*", r" \1", name).strip() for name in every):
        groups.append((f"all but {unit}", [name for name in every
                                           if re.sub(r"__(sass_)?.*", r" \1", name).strip() != unit], sections))
    print(f"{'counters':<28} {'passes':>6} {'s':>6}  of a process with one kernel")
    for name, session.metrics, session.sections in groups:
        start, session.passes = time.monotonic(), None
        session.profile([measure.PROBE], "passes", 30, policies=())
        print(f"{name:<28} {session.passes or '-':>6} {time.monotonic() - start:6.2f}", flush=True)
    return 0


def bench_commit():
    done = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=bench.ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def write(lines, folder):
    """<date>.quality.<commit>.jsonl and the same as text. Returns the path."""
    environment = lines[0]
    date = environment.get("date", time.strftime("%Y-%m-%d", time.gmtime()))[:10]
    folder = folder or os.path.join(bench.ROOT, "ci", "measurements",
                                    bench.folder_name(environment.get("device", "unknown")))
    os.makedirs(folder, exist_ok=True)
    names = (bench.file_stem(date, "quality", environment.get("commit", ""), number) for number in itertools.count(1))
    paths = (os.path.join(folder, name + ".jsonl") for name in names)
    target = next(path for path in paths if not os.path.exists(path))  # an earlier run of this commit stays
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    with open(target[:-6] + ".txt", "w", encoding="utf-8") as file:
        file.write(measure.table(lines) + "\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
