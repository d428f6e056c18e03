"""python3 -m tools.quality: criteria and quality of primitives on this GPU, ours beside the peers' (docs/quality.md).

    --cells FILE | --cell TEXT     cells of tools/gp_cells.h, a line each; default: tools/quality/cells.txt
    --out FOLDER                   default: ci/measurements/<device>
    --seconds 150                  for everything but compiling
    --peers cub,thrust             of gp_bench; none
    --caches none                  kernels find in L2 what came before; default: ncu empties it
    --show FILE                    the table of a file measured before
    --tables FILE ...              the paper's Tables II and III of such files
    --fit FILE ...                 weights by regression on such files (NumPy, SciPy)
    --report FILE                  criteria of the kernels in a .ncu-rep or .csv report of any program

Exit status: 0; 1 nothing was measured; 2 bad usage; 4 no GPU.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from tools import bench
from tools.quality import criteria, feedback, measure, reports, tables

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
        print(fit.text(fit.fit([line for path in paths for line in measure.lines_of(path)])))
    except fit.FitError as error:
        print(f"tools.quality: {error}", file=sys.stderr)
        return 1
    return 0


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python3 -m tools.quality", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", metavar="FILE")
    parser.add_argument("--cell", action="append", default=[])
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--peers", default="cub")
    parser.add_argument("--caches", choices=("all", "none"), default="all")
    parser.add_argument("--commit")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--tables", metavar="FILE", nargs="+")
    parser.add_argument("--fit", metavar="FILE", nargs="+")
    parser.add_argument("--report", metavar="FILE")
    args = parser.parse_args(argv)
    if args.show:
        print(measure.table(measure.lines_of(args.show)))
        return 0
    if args.tables:
        lines = [line for path in args.tables for line in measure.lines_of(path)]
        print(f"{tables.table_two(lines)}\n\n{tables.table_three(lines)}")
        return 0
    if args.fit:
        return show_fit(args.fit)
    if args.report:
        return show_report(args.report)
    cells = args.cell + (read_cells(args.cells) if args.cells else [] if args.cell else read_cells(CELLS))
    if not bench.has_gpu():
        print("tools.quality: no GPU here: nothing was measured", file=sys.stderr)
        return bench.NO_GPU
    os.makedirs(bench.BUILD, exist_ok=True)
    program, library = bench.build_bench(), None if args.peers == "none" else bench.build_peers()
    folder = os.path.abspath(args.out) if args.out else tempfile.mkdtemp(prefix="quality-", dir=bench.BUILD)
    os.makedirs(folder, exist_ok=True)
    session = measure.Session(program, library, args.peers if library else "none", folder, args.seconds,
                              reports.find_ncu(), args.caches)
    times = session.times(cells)
    session.probe()
    lines = measure.records(cells, times, session.counters(cells), session.reason)
    lines[0].update(commit=args.commit or bench_commit(), caches=args.caches, refused=session.refused)
    target = write(lines, args.out and folder)
    print(measure.table(lines))
    print(f"\nwritten to {target}; what ncu and gp_bench said is in {os.path.join(folder, 'quality.log')}")
    return 0 if any(line.get("median_us") or line.get("kernels") for line in lines[1:]) else 1


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
    target = os.path.join(folder, bench.file_stem(date, "quality", environment.get("commit", "")) + ".jsonl")
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    with open(target[:-6] + ".txt", "w", encoding="utf-8") as file:
        file.write(measure.table(lines) + "\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
