"""Records the scatter of a device's measurements, for tests of the statistics on real noise.

    python3 -m tools.farm record --out FILE.jsonl.gz [--seconds S] [--cells FILE]
    python3 -m tools.farm record --medians-of RECORDING --out FILE.jsonl.gz

One tree, one process after another, each of which measures every cell once, in the order of the list, as regress does.
The first line of a recording describes the device and the processes; each other line is a cell:

    device, compute_capability, driver, commit, date,
    processes [{start, seconds, sm_mhz [least, most], celsius, throttle}]
    cell, calls, us: for each process a list of its rounds, or null where it has none

`start` counts seconds from the first process; `throttle` is the or of NVML's reasons. The table shows the scatter of
the processes' medians, for each protocol and size. The default list has the standard list's cells of one type for each
primitive. --medians-of: keeps a recording's standard cells, with each process's median in place of its rounds, as in
tests/farm/data/noise.
"""
import argparse
import collections
import datetime
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time

from tools import bench
from tools.farm import cell_keys, evidence, regress, standard, store
from tools.farm.arrays import np

LARGE = ("copy", "reduce", "exclusive_scan", "segmented_reduce", "reduce_by_key", "select", "histogram_even", "sort",
         "merge", "set_union", "top_k", "transpose")

Cell = collections.namedtuple("Cell", "text calls us")  # us: a row a process, a column a round; NaN: none


class Recording:
    def __init__(self, path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.head, *lines = map(json.loads, file)
        self.processes = self.head["processes"]
        self.cells = [Cell(line["cell"], line["calls"], self.table(line["us"])) for line in lines]

    @staticmethod
    def table(rows):
        width = max((len(row) for row in rows if row), default=1)
        return np.array([(row or []) + [np.nan] * (width - len(row or [])) for row in rows])


def default_cells():
    """The standard list's cells of each primitive's last type, and large ones of some: types hardly change the noise,
    and large inputs make processes long."""
    return [text for cell, text in regress.cells_of(None).items()
            if cell.primitive not in standard.CELLS or cell.protocol == "first_call"
            or ((cell.in_ or cell.out) == standard.CELLS[cell.primitive][1][-1]
                and (standard.input_bytes(cell) < 256 * bench.MIB or cell.primitive in LARGE))]


class Recorder:
    def __init__(self, options, cells):
        self.options, self.cells = options, cells
        tree = regress.tree_of_folder(bench.ROOT)
        self.program, self.commit = regress.build(tree), options.commit or tree.commit
        self.environment = {**os.environ, "GP_TUNE_CACHE": os.path.join(tree.work, "cache")}
        self.head, self.processes, self.said = {}, [], set()
        self.found = collections.defaultdict(dict)  # {cell: {process: sample}}

    def measure(self, process, folder):
        plan, out = os.path.join(folder, "plan"), os.path.join(folder, f"{process}.jsonl")
        with open(plan, "w", encoding="utf-8") as file:
            file.writelines(f"{text}\tdefault\n" for text in self.cells)
        command = [self.program, "--plan", plan, "--phase", "regress", "--process", str(process), "--commit",
                   self.commit, "--out", out, "--verify", str(int(process == 0))]
        for option, text in (("--worker-command", self.options.worker_command),
                             ("--compiler-command", self.options.compiler_command)):
            command += [option, text] if text else []
        start = time.time()
        done = subprocess.run(command, cwd=bench.ROOT, env=self.environment, check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in (0, 1) or not os.path.exists(out):
            raise regress.CannotRun(f"gp_tune ended with status {done.returncode}: "
                                    + done.stdout.decode(errors="replace")[-500:])
        self.take(store.read(out), process, start)

    def take(self, measured, process, start):
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
                self.found[text][process] = sample
        self.processes.append({"start": start, "seconds": round(time.time() - start, 2),
                               "sm_mhz": [min(clocks, default=0), max(clocks, default=0)],
                               "celsius": max((sample.get("celsius", 0) for sample in samples), default=0),
                               "throttle": throttle})

    def lines(self):
        first = self.processes[0]["start"]
        now = datetime.datetime.fromtimestamp(first, datetime.timezone.utc)
        yield {**self.head, "commit": self.commit, "date": f"{now:%Y-%m-%dT%H:%M:%SZ}",
               "processes": [{**one, "start": round(one["start"] - first, 2)} for one in self.processes]}
        for text, samples in sorted(self.found.items()):
            times = [[float(f"{us:.5g}") for us in samples[process]["us"]] if process in samples else None
                     for process in range(len(self.processes))]
            yield {"cell": text, "calls": int(np.median([s["calls"] for s in samples.values()])), "us": times}

    def write(self, path):
        write(path, self.lines())


def write(path, lines):
    with open(f"{path}.part", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for line in lines:
            file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
    os.replace(f"{path}.part", path)


def medians_of(recording):
    """The lines of a recording of the standard cells, with one number a process."""
    usual = set(regress.cells_of(None).values())
    yield recording.head
    for cell in recording.cells:
        if cell.text in usual:
            missing = np.isnan(cell.us[:, 0])
            yield {"cell": cell.text, "calls": cell.calls, "us": [
                None if gone else [float(f"{np.nanmedian(row):.5g}")] for gone, row in zip(missing, cell.us)]}


def medians(cell):
    """Logarithms of a cell's medians, for the processes that have it."""
    return np.log(np.median(cell.us[~np.isnan(cell.us[:, 0])], axis=1))


def print_table(recording):
    """Scatter of the processes' medians, by protocol and size."""
    one = recording.head
    print(f"{one['device']}, driver {one['driver']}, {one['commit']}, {one['date']}: {len(recording.processes)} "
          "processes")
    kinds, cells = collections.defaultdict(list), []
    for cell in recording.cells:
        logs = medians(cell)
        if len(logs) >= 2:
            rounds = cell.us[~np.isnan(cell.us[:, 0])]
            of = cell_keys.read(cell.text)[0]
            cells.append((100 * np.std(logs, ddof=1), 100 * np.median(np.std(np.log(rounds), axis=1)),
                          np.exp(np.median(logs)), cell.text))
            kinds[of.protocol, 2 * (of.log2 // 2)].append(cells[-1])
    print(f"{'protocol':<12} {'bytes':>5} {'cells':>5} {'us':>8}   standard deviation within a process, %; between "
          "them: median    90 %     max")
    for (protocol, log2), those in sorted(kinds.items()):
        between, within, us = (np.array([one[k] for one in those]) for k in range(3))
        print(f"{protocol:<12} {f'2^{log2}':>5} {len(those):5} {np.median(us):8.1f}   {np.median(within):37.2f}"
              f"{np.median(between):23.2f} {np.quantile(between, 0.9):7.2f} {between.max():7.2f}")
    most = (f"{text} {between:.1f} % of {us:.1f} us" for between, _, us, text in sorted(cells)[:-11:-1])
    print("most: " + "; ".join(most))


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm record", description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, metavar="FILE.jsonl.gz")
    parser.add_argument("--seconds", type=float, default=200, help="start no process that would end later")
    parser.add_argument("--cells", metavar="FILE", help="a cell a line")
    parser.add_argument("--commit", metavar="TEXT", help="what this tree is, where it is no repository")
    parser.add_argument("--worker-command", metavar="COMMAND", help="another worker for gp_tune")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="likewise, another compiler")
    parser.add_argument("--medians-of", metavar="RECORDING", help="measure nothing: make that recording small")
    options = parser.parse_args(argv)
    if options.medians_of:
        try:
            write(options.out, medians_of(Recording(options.medians_of)))
        except (OSError, ValueError, KeyError) as error:
            print(f"record: {options.medians_of}: {error}", file=sys.stderr)
            return 2
        print_table(Recording(options.out))
        return 0
    try:
        cells = list(regress.cells_of(options.cells).values()) if options.cells else default_cells()
        recorder = Recorder(options, cells)
        with tempfile.TemporaryDirectory() as folder:
            start, longest, process = time.monotonic(), 0.0, 0
            while process < 2 or time.monotonic() - start + longest < options.seconds:
                begun = time.monotonic()
                recorder.measure(process, folder)
                if process:  # the first compiles
                    longest = max(longest, time.monotonic() - begun)
                process += 1
                recorder.write(options.out)
                print(f"record: process {process}, {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)
    except regress.CannotRun as error:
        print(f"record: {error}", file=sys.stderr)
        return 2
    print_table(Recording(options.out))
    return 0
