"""How much a device's measurements scatter: records it, so that the statistics are tested on real noise.

    python3 -m tools.farm record --out FILE.jsonl.gz [--seconds S] [--cells FILE]

One tree, one process after another, each of which measures every cell once, in a random order of its own. The first
line of a recording is about the device and the processes; each other line is a cell:

    recording  device, compute_capability, driver, commit, date, seed, rounds, batch_us,
               processes [{start, seconds, sm_mhz [least, most], celsius, throttle, longer}]
    cell       cell, longer, calls, us: for each process a list of its rounds, or null where it has none

`start` counts seconds from the first process; `throttle` is the or of what NVML said. Where `longer` is true, a process
measured only the cold cells that the host may hold up, in more and longer batches. The order of a process's cells is
that of `order`. The table says how much the medians of processes scatter, for each protocol and size.
"""
import argparse
import collections
import datetime
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

from tools import bench
from tools.farm import evidence, regress, store

SEED = 1
ROUNDS, BATCH_US = 9, 400.0
LONGER_ROUNDS, LONGER_BATCH_US, LONGER_EVERY = 25, 2000.0, 4  # of four processes one is such a one
LARGE = ("copy", "reduce", "exclusive_scan", "segmented_reduce", "reduce_by_key", "select", "histogram_even", "sort",
         "merge", "set_union", "top_k", "transpose")

Cell = collections.namedtuple("Cell", "text longer calls us")  # us: a row a process, a column a round; NaN: none


class Recording:
    def __init__(self, path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.head, *lines = map(json.loads, file)
        self.processes = self.head["processes"]
        self.cells = [Cell(line["cell"], line["longer"], line["calls"], self.table(line["us"])) for line in lines]

    @staticmethod
    def table(rows):
        width = max((len(row) for row in rows if row), default=1)
        return np.array([(row or []) + [np.nan] * (width - len(row or [])) for row in rows])


def default_cells():
    """A cell of every primitive at each size in the protocols that are to be compared, and some large ones."""
    cells = []
    for primitive, (operator, types, words) in regress.CELLS.items():
        for size, protocols in ((4 * bench.KIB, ("cold_graph",)), (64 * bench.KIB, ("cold", "cold_graph", "graph")),
                                (bench.MIB, ("cold", "cold_graph")),
                                (16 * bench.MIB, ("cold", "cold_graph") if primitive in LARGE else ("cold_graph",)),
                                (256 * bench.MIB, ("cold",) if primitive in LARGE else ())):
            n = size // store.type_sizes()[types[-1]]
            cells += [" ".join(f"{primitive} {operator} {types[-1]} {words} n={n} protocol={protocol}".split())
                      for protocol in protocols]
    return cells + regress.GRAPH_CELLS


def order(cells, process, seed=SEED):
    """The cells in the order in which a process measures them."""
    cells = list(cells)
    random.Random(f"{seed} {process}").shuffle(cells)
    return cells


def is_held_up(text):
    """May the host take longer over a call than the GPU?"""
    cell = regress.parse_cell(text)[0]
    return cell.protocol == "cold" and cell.bytes <= bench.MIB


class Recorder:
    def __init__(self, options, cells):
        self.options, self.cells = options, cells
        tree = regress.tree_of_folder(bench.ROOT)
        self.program, self.commit = regress.build(tree), options.commit or tree.commit
        self.environment = {**os.environ, "GP_TUNE_CACHE": os.path.join(tree.work, "cache")}
        self.head, self.processes, self.said = {}, [], set()
        self.found = collections.defaultdict(dict)  # {(cell, longer): {process: sample}}

    def measure(self, process, folder, longer):
        cells = order([text for text in self.cells if not longer or is_held_up(text)], process)
        plan, out = os.path.join(folder, "plan"), os.path.join(folder, f"{process}.jsonl")
        with open(plan, "w", encoding="utf-8") as file:
            file.writelines(f"{text}\tdefault\n" for text in cells)
        rounds, batch_us = (LONGER_ROUNDS, LONGER_BATCH_US) if longer else (ROUNDS, BATCH_US)
        command = [self.program, "--plan", plan, "--phase", "regress", "--process", str(process), "--commit",
                   self.commit, "--out", out, "--rounds", str(rounds), "--batch-us", str(batch_us),
                   "--verify", str(int(process == 0))]
        for option, text in (("--worker-command", self.options.worker_command),
                             ("--compiler-command", self.options.compiler_command)):
            command += [option, text] if text else []
        start = time.time()
        done = subprocess.run(command, cwd=bench.ROOT, env=self.environment, check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in (0, 1) or not os.path.exists(out):
            raise regress.CannotRun(f"gp_tune ended with status {done.returncode}: "
                                    + done.stdout.decode(errors="replace")[-500:])
        self.take(store.read(out), process, longer, start)

    def take(self, measured, process, longer, start):
        environment, samples = measured.of("environment")[-1], measured.of("samples")
        self.head = self.head or {name: environment[name] for name in ("device", "compute_capability", "driver")}
        clocks = [mhz for sample in samples for mhz in sample.get("sm_mhz", ()) if mhz > 0]
        throttle = 0
        for sample in samples:
            throttle |= sample["throttle"]
            text = store.cell_of(sample).text
            reason = evidence.unusable(sample)
            if reason and text not in self.said:
                self.said.add(text)
                print(f"record: {text}: left out: {reason}: {sample.get('message', '')}", file=sys.stderr)
            if not reason:
                self.found[text, longer][process] = sample
        self.processes.append({"start": start, "seconds": round(time.time() - start, 2),
                               "sm_mhz": [min(clocks, default=0), max(clocks, default=0)],
                               "celsius": max((sample.get("celsius", 0) for sample in samples), default=0),
                               "throttle": throttle, "longer": longer})

    def lines(self):
        first = self.processes[0]["start"]
        now = datetime.datetime.fromtimestamp(first, datetime.timezone.utc)
        yield {**self.head, "commit": self.commit, "date": f"{now:%Y-%m-%dT%H:%M:%SZ}", "seed": SEED, "rounds": ROUNDS,
               "batch_us": BATCH_US,
               "processes": [{**one, "start": round(one["start"] - first, 2)} for one in self.processes]}
        for (text, longer), samples in sorted(self.found.items()):
            times = [[float(f"{us:.5g}") for us in samples[process]["us"]] if process in samples else None
                     for process in range(len(self.processes))]
            yield {"cell": text, "longer": longer, "calls": int(np.median([s["calls"] for s in samples.values()])),
                   "us": times}

    def write(self, path):
        with open(f"{path}.part", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            for line in self.lines():
                file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
        os.replace(f"{path}.part", path)


def medians(cell):
    """Logarithms of a cell's medians, of the processes that have it."""
    return np.log(np.median(cell.us[~np.isnan(cell.us[:, 0])], axis=1))


def print_table(recording):
    """How much medians of processes scatter, by protocol and size; 1.2 % is found to have changed by 5 %."""
    one = recording.head
    print(f"{one['device']}, driver {one['driver']}, {one['commit']}, {one['date']}: {len(recording.processes)} "
          "processes")
    kinds = collections.defaultdict(list)
    for cell in recording.cells:
        logs = medians(cell)
        if len(logs) < 4:
            continue
        rounds = cell.us[~np.isnan(cell.us[:, 0])]
        of = regress.parse_cell(cell.text)[0]
        kinds[of.protocol, cell.longer, 2 * (of.log2 // 2)].append(
            (np.std(logs, ddof=1), np.median(np.std(np.log(rounds), axis=1)), np.exp(np.median(logs)), cell, logs))
    print(f"{'protocol':<18} {'bytes':>6} {'cells':>5}   between processes, %: median   90 %    max   > 1.2 %   > 3 %"
          "   within, %      us  common, %")
    for (protocol, longer, log2), cells in sorted(kinds.items()):
        between, within, us = (np.array([cell[k] for cell in cells]) for k in range(3))
        whole = [logs - np.median(logs) for *_, logs in cells if len(logs) == max(len(one[4]) for one in cells)]
        common = np.std(np.median(whole, axis=0), ddof=1)
        print(f"{protocol + (' longer' if longer else ''):<18} {f'2^{log2}':>6} {len(cells):5}   {'':21}"
              f"{100 * np.median(between):6.2f} {100 * np.quantile(between, 0.9):6.2f} {100 * between.max():6.2f}"
              f"   {np.count_nonzero(between > 0.012):7}   {np.count_nonzero(between > 0.03):5}"
              f"   {100 * np.median(within):9.2f}   {np.median(us):5.1f}   {100 * common:8.2f}")
    worst = sorted((cell for (protocol, _, _), cells in kinds.items() if protocol != "cold" or cells[0][2] > 20
                    for cell in cells), key=lambda cell: -cell[0])[:20]
    print("those that scatter most, but for small cold ones: " + "; ".join(
        f"{cell.text} {100 * between:.1f} % of {us:.1f} us" for between, _, us, cell, _ in worst))


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm record", description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, metavar="FILE.jsonl.gz")
    parser.add_argument("--seconds", type=float, default=200, help="start no process that would end later")
    parser.add_argument("--cells", metavar="FILE", help="a cell a line")
    parser.add_argument("--commit", metavar="TEXT", help="what this tree is, where it is no repository")
    parser.add_argument("--worker-command", metavar="COMMAND", help="another worker for gp_tune")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="likewise, another compiler")
    options = parser.parse_args(argv)
    start, longest = time.monotonic(), {False: 0.0, True: 0.0}
    try:
        if options.cells:
            cells = list(regress.cells_of(options.cells).values())
        else:
            cells = [regress.parse_cell(text)[1] for text in default_cells()]
        recorder = Recorder(options, cells)
        with tempfile.TemporaryDirectory() as folder:
            process = 0
            while True:
                longer = process % LONGER_EVERY == LONGER_EVERY - 1
                begun = time.monotonic()
                if process > 1 and begun - start + longest[longer] > options.seconds:
                    break
                recorder.measure(process, folder, longer)
                if process:  # the first compiles
                    longest[longer] = max(longest[longer], time.monotonic() - begun)
                process += 1
                recorder.write(options.out)
                print(f"record: process {process}, {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)
    except regress.CannotRun as error:
        print(f"record: {error}", file=sys.stderr)
        return 2
    print_table(Recording(options.out))
    return 0
