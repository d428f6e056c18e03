"""python3 -m tools.quality.points: counters of the points of policy spaces (Back40's Figures 2, 4 and 5).

    --cell TEXT        default: copy, reduce and exclusive scan of u32; repeat for more
    --space FILE       the output of gp_tune --space instead, which another machine may have made; repeat for more
    --granularity      policies that differ in the number of blocks alone: Back40's Figure 2
    --points 16        of each space, evenly spread over its list (gp_tune --space), besides the default
    --seconds 60       for times and counters of all cells
    --compile 120      seconds to compile the points before, by all processors
    --energy SECONDS   joules a call, over so long a time for each point
    --objective time   or energy, or edp (energy times time): sorts the points, and names the best by each
    --out FOLDER       default: ci/measurements/<device>
    --show FILE        the tables of a file measured before

A line of the file is a point: {"kind": "point", "v": 1, "cell", "policy" ("": the default), "median_us",
"instructions", "dram_bytes", "l2_bytes" (all an element; an instruction counts for 32 threads), "registers", "stalls",
"qm", "criteria", with --energy "joules", "joules_error"}.
What each step did with a cell's points is said: tried, compiled, timed, counted, and why others were not.
The table's last lines say whether time follows instructions and bytes over the space: Spearman's rank correlation.
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
from tools.quality import measure, reports, tables

COUNTED = ("instructions", "dram_bytes", "l2_bytes", "registers")
# Back40's Figure 2: blocks of a multiprocessor; a copy has a block a tile as well (0).
GRANULARITY = [("copy u32 n=64M", [f"algorithm=DIRECT,threads=256,vectors=1,blocks_per_sm={blocks}"
                                   for blocks in (0, 1, 2, 4, 8)]),
               ("reduce SUM u32 n=64M", [f"algorithm=EVEN_SHARE,threads=256,vectors=2,blocks_per_sm={blocks}"
                                         for blocks in (1, 2, 3, 4, 8)]),
               ("exclusive_scan SUM u32 n=64M", [f"algorithm=THREE_SWEEP,threads=256,vectors=3,blocks_per_sm={blocks}"
                                                 for blocks in (1, 2, 3, 4, 6)])]
CELLS = ("copy u32 n=32M", "reduce SUM u32 n=32M", "exclusive_scan SUM u32 n=32M")


def spaces_of(cells, files, count):
    """[(cell, some of its policies, as gp_bench takes them)]."""
    found = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            found.append(json.load(file))
    if cells:
        bench.run(["make", "-s", "build/gp_tune"])
    for cell in cells:
        done = subprocess.run([os.path.join(bench.BUILD, "gp_tune"), "--space", "--cell", cell], check=True,
                              cwd=bench.ROOT, stdout=subprocess.PIPE)
        found.append({**json.loads(done.stdout), "cell": cell})
    return [(space["cell"], spread(space["policies"], count)) for space in found]


def spread(policies, count):
    if len(policies) <= count:
        return policies
    return [policies[place * (len(policies) - 1) // max(count - 1, 1)] for place in range(count)]


def points_of(rows):
    """Points from the records of a cell: those with a time and counters."""
    found = []
    for row in rows:
        if row["kind"] != "quality" or not row["library"].startswith(measure.ours()) or not row.get("median_us") \
                or not row["kernels"]:
            continue
        counters = [kernel["counters"] for kernel in row["kernels"]]

        def total(*keys):
            values = [one.get(key) for one in counters for key in keys]
            return None if None in values else sum(values) / row["n"]
        instructions, slowest = total("instructions"), max(counters, key=lambda one: one.get("nanoseconds", 0))
        found.append(measure.rounded({
            "kind": "point", "v": 1, "cell": row["cell"], "policy": row["library"][len(measure.ours()):].strip(),
            "median_us": row["median_us"], "instructions": None if instructions is None else 32 * instructions,
            "dram_bytes": total("dram_bytes"), "l2_bytes": total("l2_to_sm_bytes", "sm_to_l2_bytes"),
            "registers": slowest.get("registers"), "stalls": slowest.get("stalls", {}), "qm": row.get("qm"),
            "criteria": row.get("criteria", {}),
            **{name: row[name] for name in ("joules", "joules_error") if name in row}}))
    return found


def ranks(values):
    order = sorted(range(len(values)), key=lambda place: values[place])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):  # equal values share their mean rank
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start:end + 1]:
            found[place] = (start + end) / 2
        start = end + 1
    return found


def correlation(a, b):
    """Spearman's, or None where one of them does not vary."""
    pairs = [(x, y) for x, y in zip(a, b) if x is not None and y is not None]
    if len(pairs) < 3:
        return None
    a, b = (ranks([pair[side] for pair in pairs]) for side in (0, 1))
    mean = (len(pairs) - 1) / 2
    across = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    spread_a, spread_b = sum((x - mean) ** 2 for x in a), sum((y - mean) ** 2 for y in b)
    return across / (spread_a * spread_b) ** 0.5 if spread_a and spread_b else None


def followed(points):
    """{field: correlation of the time with it} of a cell's points."""
    times = [point["median_us"] for point in points]
    return {field: correlation(times, [point[field] for point in points])
            for field in COUNTED}


def worst_stall(point):
    stalls = {name: share for name, share in point["stalls"].items() if name != "selected"}
    return max(stalls, key=stalls.get) if stalls else None


OBJECTIVES = {"time": lambda point: point["median_us"], "energy": lambda point: point["joules"],
              "edp": lambda point: point["joules"] * point["median_us"]}


VAGUE = 0.1  # joules with a larger standard error than this share tell no points apart


def vagueness(points):
    """The largest standard error of joules as a share of them; None where a point has none."""
    if not points or not all(point.get("joules") for point in points):
        return None
    return max(point["joules_error"] / point["joules"] for point in points)


def best_by(points):
    """{objective: its best point}; those that need joules only where every point has them and they tell."""
    vague = vagueness(points)
    known = {"time": OBJECTIVES["time"]} if vague is None or vague > VAGUE else OBJECTIVES
    return {name: min(points, key=measured) for name, measured in known.items()}


def table(lines, objective="time"):
    def number(value, form):
        return format(value, form) if value is not None else "-"
    text = []
    points = [line for line in lines if line["kind"] == "point"]
    for cell in dict.fromkeys(point["cell"] for point in points):
        own = [point for point in points if point["cell"] == cell]
        best = best_by(own)
        own.sort(key=OBJECTIVES[objective if objective in best else "time"])
        text += [cell, f"{'us':>9} {'inst/el':>8} {'DRAM B':>7} {'L2 B':>7} {'regs':>5}  policy, worst stall"]
        for point in own:
            stall = worst_stall(point)
            text.append(f"{point['median_us']:9.2f} {number(point['instructions'], '8.2f'):>8} "
                        f"{number(point['dram_bytes'], '7.2f'):>7} {number(point['l2_bytes'], '7.2f'):>7} "
                        f"{number(point['registers'], '5.0f'):>5}  {point['policy'] or 'default'}"
                        + (f", {stall} {point['stalls'][stall]:.2f}" if stall else "")
                        + (f", {1e3 * point['joules']:.4f} +- {1e3 * point['joules_error']:.4f} mJ"
                           if point.get("joules") else ""))
        text += [f"  best by {name}: {point['policy'] or 'default'}" for name, point in best.items()]
        if (vagueness(own) or 0) > VAGUE:
            text.append(f"  joules tell no best: standard errors up to {100 * vagueness(own):.0f} %; a longer --energy")
        text += [f"  default to best by {name}: {usual['median_us']:.2f} to {point['median_us']:.2f} us, QM "
                 f"{tables.two_places(usual['qm'])} to {tables.two_places(point['qm'])}, {tables.moved(usual, point)}"
                 for usual in own for name, point in best.items() if not usual["policy"] and point["policy"]]
        text += [f"  time follows {field}: " + number(value, "+.2f") for field, value in followed(own).items()] + [""]
    return "\n".join(text)


# ---- measuring

UNIT = 16  # points of a process beside the default: one that is killed loses no others


def units_of(spaces):
    """[(cell, policies)] with at most UNIT policies each."""
    return [(cell, policies[at:at + UNIT]) for cell, policies in spaces for at in range(0, max(len(policies), 1), UNIT)]


def compile_ahead(program, spaces, seconds, processors=None):
    """Compiles the points. Returns {cell: (compiled, what was said of others)}."""
    processors = processors or os.cpu_count() or 1
    count = sum(len(policies) + 1 for _, policies in spaces)
    each = min(max(1, -(-count // processors)), 60)
    jobs = [([cell], policies[at:at + each], at == 0) for cell, policies in spaces
            for at in range(0, max(len(policies), 1), each)]
    found = {cell: [0, []] for cell, _ in spaces}
    for ([cell], _, _), output in zip(jobs, measure.compile_ahead(program, jobs, seconds, processors)):
        done = re.search(r"^compiled (\d+) of (\d+)", output, re.M)
        found[cell][0] += int(done.group(1)) if done else 0
        if not done or done.group(1) != done.group(2):
            found[cell][1] += [line for line in output.splitlines() if line.startswith(f"{cell}: ")] or \
                output.strip().splitlines()[-1:]
    return found


def measure_unit(session, cell, policies):
    """(records of the unit: the environment first)."""
    session.policies = policies
    times = session.times([cell], 0.5)
    return measure.records([cell], times, session.counters([cell]), session.reason)


def why_not(rows):
    """{why points have no time or no counters: how many}."""
    found = {}
    for row in rows:
        if not row.get("median_us") or not row["kernels"]:
            status = row["status"] if row["status"] != "ok" else "no time"
            found[status] = found.get(status, 0) + 1
    return found


def progress(cell, tried, compiled, rows, points):
    """A cell's line: what each step did."""
    timed, counted = (sum(bool(row.get(field)) for row in rows) for field in ("median_us", "kernels"))
    text = [f"{cell}: {tried} points tried, {compiled[0]} compiled, {timed} timed, {counted} counted, "
            f"{len(points)} with both"]
    text += [f"  not compiled: {line}" for line in compiled[1][:3]]
    return "\n".join(text + [f"  {count} without: {why}" for why, count in why_not(rows).items()])


def measure_spaces(session, spaces, compiled, say=print):
    """The lines of a file: an environment, points. Each unit gets its share of the time that is left, and has times
    and counters before the next one begins. `say` gets a line a cell."""
    lines, end = [], session.end
    units = units_of(spaces)
    rows, points = {cell: {} for cell, _ in spaces}, {cell: [] for cell, _ in spaces}
    for place, (cell, policies) in enumerate(units):
        session.end = end - (end - time.monotonic()) * (len(units) - place - 1) / (len(units) - place)
        environment, *records = measure_unit(session, cell, policies)
        lines = lines or [environment]
        records = [row for row in records if row["library"] not in rows[cell]]  # the default is in every unit
        rows[cell].update({row["library"]: row for row in records})
        points[cell] += points_of(records)
        if place + 1 == len(units) or units[place + 1][0] != cell:
            tried = 1 + len(dict(spaces)[cell])
            say(progress(cell, tried, compiled.get(cell, (0, [])), list(rows[cell].values()), points[cell]))
    return lines + [point for own in points.values() for point in own]


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python3 -m tools.quality.points", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cell", action="append", default=[])
    parser.add_argument("--space", metavar="FILE", action="append", default=[])
    parser.add_argument("--granularity", action="store_true")
    parser.add_argument("--points", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--compile", type=float, default=120)
    parser.add_argument("--energy", type=float, default=0)
    parser.add_argument("--objective", choices=OBJECTIVES, default="time")
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--show", metavar="FILE")
    args = parser.parse_args(argv)
    if args.show:
        print(table(measure.lines_of(args.show), args.objective))
        return 0
    if not bench.has_gpu():
        print("tools.quality: no GPU here: nothing was measured", file=sys.stderr)
        return bench.NO_GPU
    os.makedirs(bench.BUILD, exist_ok=True)
    spaces = GRANULARITY if args.granularity else \
        spaces_of(args.cell or ([] if args.space else CELLS), args.space, args.points)
    program, library = bench.build_bench(), bench.build_peers()
    compiled = compile_ahead(program, spaces, args.compile)
    folder = tempfile.mkdtemp(prefix="points-", dir=bench.BUILD)
    session = measure.Session(program, library, "none", folder, args.seconds, reports.find_ncu(),
                              options=["--energy", str(args.energy)] if args.energy > 0 else [])
    session.probe()
    lines = measure_spaces(session, spaces, compiled)
    if len(lines) < 2:
        print(f"tools.quality: no point has a time and counters{f': {session.reason}' if session.reason else ''}; "
              f"{os.path.join(folder, 'quality.log')} has what gp_bench and ncu said", file=sys.stderr)
        return 1
    print("\n" + table(lines, args.objective))
    print(f"written to {write(lines, args.out)}")
    return 0


def write(lines, folder=None):
    environment = lines[0]
    folder = folder or os.path.join(bench.ROOT, "ci", "measurements", bench.folder_name(environment["device"]))
    path = os.path.join(folder, bench.file_stem(environment["date"][:10], "points", environment.get("commit", ""))
                        + ".jsonl")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


if __name__ == "__main__":
    sys.exit(main())
