"""Runs cells on this GPU: once by gp_bench for times, once under Nsight Compute for counters.

One process of gp_bench --profile serves all cells. It says when each variant's calls begin and end, and ncu names each
kernel in between on the same standard output: this tells whose a kernel is. Where the two do not fit, gp_bench launches
gp_profile_mark before each variant's calls, whose grid is the number of the variant; ncu replays this kernel like any
other. A process that dies names the call that it was in, and another one goes on behind that cell.
"""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time

from tools import bench
from tools.quality import criteria, feedback, frameworks, metrics, reports

MARK = "gp_profile_mark"
LEAST_SECONDS = 10  # of a process: a context, libraries and a profiler take some before the first cell begins
LIBRARIES = ("gpuprims", "cub", "cub_radix", "thrust", "cuda", "cublas", "moderngpu", "cudpp",  # labels of gp_bench
             *frameworks.LIBRARIES)  # others may join
PROBE = "copy u32 n=64K"  # shows at once whether ncu may count, and which metrics it knows


def library_of(sample):
    """The library of a sample of gp_bench, or None for a roof. A policy that is not the default follows ours."""
    if sample["variant"] == "ours":
        return ours(sample["label"] if sample["label"] != "default" else "")
    return sample["label"] if sample["variant"] == "peer" else None


def ours(policy=""):
    return f"gpuprims {policy}" if policy else "gpuprims"


def lines_of(path):
    """The JSON lines of a file; a last one that was cut short is left out."""
    found = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    continue
    return found


def run(command, cells, seconds):
    """(exit status or None if the time ran out, the output). Ends the whole group of processes then."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               encoding="utf-8", errors="replace", start_new_session=True, cwd=bench.ROOT,
                               env={**os.environ, "LC_ALL": "C"})
    try:
        output, _ = process.communicate("".join(cell + "\n" for cell in cells), timeout=max(1, seconds))
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    except KeyboardInterrupt:  # the group has a session of its own: it does not see the signal
        os.killpg(process.pid, signal.SIGKILL)
        raise


def compile_ahead(program, jobs, seconds, processors=None):
    """Compiles into the disk cache, a process a processor, so that measuring need not wait for compilers. jobs:
    [(cells, policies, whether the default too)]. Returns the jobs' outputs."""
    def build(job):
        cells, policies, with_default = job
        command = [program, "--cells", "-", "--compile", f"{max(seconds, 1):.0f}"]
        command += [] if with_default else ["--no-default"]
        for policy in policies:
            command += ["--policy", policy]
        return run(command, cells, seconds + 60)[1]
    with concurrent.futures.ThreadPoolExecutor(max_workers=processors or os.cpu_count() or 1) as pool:
        return list(pool.map(build, jobs))


def shares_of(cells, policies, processors=None):
    """Jobs of compile_ahead: the cells in turn, so that each has some of every kind."""
    count = min(len(cells), processors or os.cpu_count() or 1)
    return [(cells[place::count], policies, True) for place in range(count)]


class Session:
    """What one run of the tool measures with, and until when. options: further ones of gp_bench, for times alone;
    policies: variants of ours; counters: "all", or those of the criteria alone, which take fewer passes."""
    first = "gpuprims"  # of a cell's calls

    def __init__(self, program, library, peers, folder, seconds, ncu=None, caches="all", more=None, options=(),
                 policies=(), counters="all"):
        self.program, self.library, self.peers, self.folder = program, library, peers, folder
        self.more, self.options, self.policies = more, list(options), policies
        self.ncu, self.caches, self.end = ncu, caches, time.monotonic() + seconds
        self.sections = list(metrics.SECTIONS if counters == "all" else metrics.SECTIONS_OF_CRITERIA)
        self.keys = None if counters == "all" else metrics.OF_CRITERIA
        self.metrics = metrics.requested(keys=self.keys)[0]
        self.refused, self.reason, self.passes = [], None, None
        self.marked = False  # whether a launch of MARK begins each variant
        self.sound = set()  # cells whose calls were all right when they were timed
        self.log = open(os.path.join(folder, "quality.log"), "w", encoding="utf-8")

    def left(self):
        return self.end - time.monotonic()

    def bench_command(self, out, *options, policies=None):
        command = [self.program, "--cells", "-", "--out", out, *options]
        if self.library:
            command += ["--peers-library", self.library]
        if self.library and self.more:
            command += ["--more-peers", self.more]
        for policy in self.policies if policies is None else policies:
            command += ["--policy", policy]
        return command + ["--peers", self.peers or "none"]

    def times_command(self, out, seconds):
        return self.bench_command(out, "--seconds", f"{max(seconds, LEAST_SECONDS):.0f}", "--cell-seconds", "0.5",
                                  "--batches", "7", *self.options)

    def say(self, command, status, output):
        self.log.write(f"$ {' '.join(command)}\n{output}\nexit status {status}\n")
        self.log.flush()

    # ---- times

    def times(self, cells, share=0.5):
        """[lines of gp_bench] within a share of the time."""
        out = fresh(self.folder, f"times-{self.first}.jsonl")
        seconds = self.left() * share
        command = self.times_command(out, seconds)
        remaining = list(cells)
        while remaining:
            status, output = run(command, remaining, seconds + 30)
            self.say(command, status, output)
            seen = {line["cell"] for line in lines_of(out) if line["kind"] == "sample"}
            unseen = [cell for cell in remaining if cell not in seen]
            if status in (0, 1, None) or self.left() < 10:
                break
            remaining = unseen[1:]  # the process died in the first of them
        lines = lines_of(out)
        wrong = {line["cell"] for line in lines if line["kind"] == "sample" and line["status"] != "ok"}
        self.sound = {line["cell"] for line in lines if line["kind"] == "sample"} - wrong
        return lines

    # ---- counters

    def ncu_command(self, report, program):
        command = [self.ncu, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", self.caches,
                   "--replay-mode", "kernel"]
        for section in self.sections:
            command += ["--section", section]
        if self.metrics:
            command += ["--metrics", ",".join(self.metrics)]
        return command + ["--force-overwrite", "--export", report, *program]

    def profile(self, cells, name, seconds, checked=False, policies=None):
        """(lines of gp_bench, {mark: its kernels}, exit status, reason if there are no kernels). The kernels are None
        where nothing tells whose they are."""
        out, report = fresh(self.folder, f"{name}.jsonl"), os.path.join(self.folder, f"{name}.ncu-rep")
        if os.path.exists(report):
            os.remove(report)
        options = ([] if self.marked else ["--unmarked"]) + (["--checked"] if checked else [])
        command = self.ncu_command(report, self.bench_command(
            out, "--profile", "1", "--seconds", f"{max(seconds, LEAST_SECONDS):.0f}", *options,
            **({} if policies is None else {"policies": policies})))
        status, output = run(command, cells, seconds + 60)
        self.say(command, status, output)
        self.refused += [metric for metric in reports.refused_metrics(output) if metric not in self.refused]
        self.passes = reports.passes_of(output) or self.passes
        try:
            kernels, reason = reports.read_file(report, self.ncu), None
        except reports.ReportError as error:
            kernels, reason = [], reports.first_error(output) or str(error)
        if not kernels:  # ncu was killed, or says why
            return lines_of(out), {}, status, reason
        found = by_mark(kernels) if self.marked else reports.by_launch_order(output, kernels)
        return lines_of(out), found, status, reason

    def probe(self):
        """Finds what ncu can measure here: all metrics, those that it knows, or the launch alone. Sets `reason` if it
        cannot measure everything."""
        if not self.ncu:
            self.reason = "ncu is not installed"
            return
        self.metrics, self.refused = metrics.requested(known_metrics(self.ncu, self.log), self.keys)
        for _ in range(4):
            before = len(self.refused), self.marked
            _, found, _, self.reason = self.profile([PROBE], "probe", 30, policies=())
            self.marked = self.marked or found is None
            if any(has_counters(kernel) for kernel in all_of(found)):
                self.reason = None
                return
            if (len(self.refused), self.marked) == before or self.left() < 20:
                break
            self.metrics = [name for name in self.metrics if name not in self.refused]
        self.reason = self.reason or "ncu reports no counters"
        self.sections, self.metrics = ["LaunchStats"], []  # needs no permission for counters
        found = self.profile([PROBE], "probe", 30, policies=())[1]
        if found is None and not self.marked:
            self.marked = True
            found = self.profile([PROBE], "probe", 30, policies=())[1]
        if not any(kernel["raw"] for kernel in all_of(found)):
            self.ncu = None

    def counters(self, cells):
        """{(cell, library): (status, [kernels])}; the statuses of calls that did not end well say why. Calls that were
        right when they were timed are not checked again."""
        found = {}
        for checked in (True, False):
            found.update(self.counters_of([cell for cell in cells if (cell in self.sound) == checked], checked))
        return found

    def counters_of(self, cells, checked):
        found, remaining, batch, reason = {}, list(cells), 0, None
        while remaining and self.ncu and self.left() > 5:
            batch += 1
            name = f"counters-{self.first}-{'checked-' if checked else ''}{batch}"
            lines, kernels, status, reason = self.profile(remaining, name, self.left() - 5, checked)
            if kernels is None and not self.marked:
                self.marked = True
                continue
            found.update(attribute(lines, kernels, reason))
            if status in (0, 1):
                reason = None if any(line["kind"] == "profile" for line in lines) else reason
                break
            how = "the time ran out" if status is None else f"the process ended with status {status}"
            last = next((line for line in reversed(lines) if line["kind"] == "profile"), None)
            if last is None:
                died, library, where = 0, self.first, "before its first call"
            elif last["status"] == "started":
                died, library, where = remaining.index(last["cell"]), row_of(last), "in this call"
            else:  # in the checks of the next cell
                died, library, where = remaining.index(last["cell"]) + 1, self.first, "before its first call"
            if died < len(remaining):
                found[remaining[died], library] = (f"FAILED: {how} {where}", [])
            remaining = remaining[died + 1:]
        why = (reason or "not profiled: the time ran out") if self.ncu else self.reason
        seen = {key[0] for key in found}
        found.update({(cell, self.first): (why, []) for cell in remaining if cell not in seen})
        return found


class FrameworkSession(Session):
    """CuPy or PyTorch by tools/quality/frameworks.py, a process each. It takes over what a probe has found."""

    def __init__(self, library, session):
        super().__init__(None, None, "none", session.folder, session.left(), session.ncu, session.caches)
        self.first, self.log, self.marked = library, session.log, session.marked
        self.sections, self.metrics, self.reason = session.sections, session.metrics, session.reason
        self.refused = session.refused

    def bench_command(self, out, *options):
        return [sys.executable, "-m", "tools.quality.frameworks", "--libraries", self.first, "--out", out, *options]

    def times_command(self, out, seconds):
        return self.bench_command(out, "--seconds", f"{max(seconds, LEAST_SECONDS):.0f}")

    def counters(self, cells):
        return self.counters_of(cells, False)


def fresh(folder, name):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.remove(path)
    return path


def has_counters(kernel):
    return metrics.counters_of(kernel["raw"]).get("nanoseconds") is not None


def known_metrics(ncu, log):
    """The base names that this chip has, or an empty set if ncu does not say."""
    try:
        done = subprocess.run([ncu, "--query-metrics"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60, encoding="utf-8", errors="replace", env={**os.environ, "LC_ALL": "C"})
    except (OSError, subprocess.SubprocessError):
        return set()
    names = set(re.findall(r"^\s*([a-z0-9]+__\w+)", done.stdout, re.M))
    log.write(f"ncu --query-metrics: {len(names)} names; of bulk copies: "
              f"{' '.join(sorted(name for name in names if re.search('tma|bulk|ublk', name)))}\n")
    return names if len(names) > 100 else set()


def by_mark(kernels):
    """{mark: its kernels}: kernels belong to the mark before them."""
    found, mark = {}, None
    for kernel in kernels:
        if MARK in kernel["name"]:
            mark = kernel["grid"]
        elif mark is not None:
            found.setdefault(int(mark), []).append(kernel)
    return found


def all_of(marked):
    return [kernel for kernels in (marked or {}).values() for kernel in kernels]


def attribute(lines, marked, reason=None):
    """{(cell, library): (status, its kernels)} of one process."""
    found = {}
    for line in lines:
        if line["kind"] == "profile":
            its = (marked or {}).get(line["mark"], [])
            status = line["status"]
            if status == "ok" and not its:
                status = reason or "no kernel in ncu's report"
            found[line["cell"], row_of(line)] = (status, its)
    return found


def row_of(line):
    """The library of a profile's line, with its policy."""
    return ours(line["policy"]) if line.get("policy") else line["library"]


# ---- the record of a cell and a library


def kernel_counters(kernel, environment):
    found = metrics.counters_of(kernel["raw"])
    for key in ("block", "grid", "capability"):
        if kernel.get(key) is not None:
            found.setdefault(key, kernel[key])
    found.setdefault("capability", environment.get("compute_capability") or None)
    if environment.get("multiprocessors"):
        found.setdefault("multiprocessors", environment["multiprocessors"])
    return {key: value for key, value in found.items() if value is not None}


def is_finished(row):
    """Whether a further run would add nothing: it has a time and counters, or it cannot have them."""
    return bool(row.get("median_us") and row.get("kernels")) or \
        row.get("status", "").startswith(("WRONG", "FAILED", "no kernel in ncu's report"))


def newest(rows):
    """The newest row of each cell and library; one that the time did not suffice for replaces no other."""
    found = {}
    for row in rows:
        old = found.get((row["cell"], row["library"]))
        if not old or is_finished(row) or not is_finished(old):
            found[row["cell"], row["library"]] = row
    return list(found.values())


def merged(paths):
    """The lines of several files, as if one run had measured them."""
    lines = [line for path in paths for line in lines_of(path)]
    return [line for line in lines if line["kind"] != "quality"] + \
        newest(line for line in lines if line["kind"] == "quality")


def finished_cells(lines):
    """{"": cells that need no further run of gp_bench, framework: cells that it need not run}."""
    found = {name: set() for name in ("", *frameworks.LIBRARIES)}
    groups = {}
    for row in newest(line for line in lines if line["kind"] == "quality"):
        group = row["library"] if row["library"] in frameworks.LIBRARIES else ""
        groups.setdefault((group, row["cell"]), []).append(row)
    for (group, cell), rows in groups.items():
        if all(map(is_finished, rows)) and any(row.get("kernels") for row in rows):
            found[group].add(cell)
    return found


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


# The whole call has them, and so has each of its kernels. gp_bench --transfers measures them.
TRANSFERS = (("problem_bytes", "bytes"), ("copied_bytes", "copied_bytes"), ("overlapped_bytes", "overlapped_bytes"))
FIELDS = ("primitive", "n", "bytes", "median_us", "gbs", "of_roof", "of_peer", "joules", "joules_error", "copied_bytes",
          "overlapped_bytes", "copy_us")  # of a sample


def record(cell, library, environment, sample=None, status="ok", kernels=()):
    """A line of the file (docs/quality.md has its fields)."""
    found = [kernel_counters(kernel, environment) for kernel in kernels]
    us = (sample or {}).get("median_us")
    gap = criteria.gap_between(found, us)
    moved = {key: sample[name] for key, name in TRANSFERS if sample and sample.get("copy_us") and name in sample}
    for counters in found:
        counters.update(moved)
        if gap is not None:
            counters["gap"] = gap
    values = criteria.of_primitive(found)
    printed = criteria.of_primitive(found, criteria.as_printed)
    meant = criteria.of_primitive(found, criteria.as_meant)
    qm, missing = criteria.quality(values)
    printed_qm, _ = criteria.quality(printed, names=criteria.IN_PRINTED_QM)
    if sample and sample["status"] != "ok":
        status = sample["status"]
    line = {"kind": "quality", "v": 1, "cell": cell, "library": library, "status": status, "qm": qm,
            "criteria": values, "missing": missing, "printed_qm": printed_qm, "printed": printed, "meant": meant,
            "kernels": [{"name": kernel["name"], "criteria": criteria.criteria(counters), "counters": counters}
                        for kernel, counters in zip(kernels, found)]}
    for name in FIELDS:
        if sample and name in sample:
            line[name] = sample[name]
    if found:
        slowest = max(found, key=lambda counters: counters.get("nanoseconds", 0))
        line["feedback"] = feedback.advise(criteria.criteria(slowest), slowest)
    return rounded(line)


def records(cells, times, counters, reason=None, sequential=None):
    """The lines of all cells: the environment first. `reason`: why there are no counters, or not all; sequential:
    {cell: microseconds of one thread}."""
    environment = dict(next((line for line in times if line["kind"] == "environment"), {"kind": "environment"}))
    versions = {line["library"]: line["version"] for line in times if line["kind"] == "library"}
    if versions:
        environment["frameworks"] = versions
    if reason:
        environment["no_counters"] = reason
    samples = {(line["cell"], library_of(line)): line for line in times
               if line["kind"] == "sample" and library_of(line)}
    complete_speeds(samples)
    lines = [environment]
    for cell in cells:
        there = [library for library in {**dict.fromkeys(LIBRARIES), **{key[1]: 0 for key in (*samples, *counters)}}
                 if (cell, library) in samples or (cell, library) in counters]
        rows = []
        for library in there:
            status, kernels = counters.get((cell, library), (reason or "not profiled", []))
            rows.append(record(cell, library, environment, samples.get((cell, library)), status, kernels))
        peers = [row for row in rows if not row["library"].startswith("gpuprims") and row["kernels"]]
        for row in rows:
            if row["library"] == "gpuprims" and row["kernels"] and peers:
                best = min(peers, key=lambda peer: peer.get("median_us") or float("inf"))
                row["beside"] = feedback.compare(row["criteria"], best["criteria"], best["library"])
            if sequential and sequential.get(cell) and row.get("median_us"):
                row["speedup"] = rounded(sequential[cell] / row["median_us"])
        lines += rows or [record(cell, "gpuprims", environment, None, "not measured: the time ran out")]
    return lines


def complete_speeds(samples):
    """Frameworks move the bytes that ours move, so that GB/s compare."""
    for (cell, library), sample in samples.items():
        bytes_ = samples.get((cell, "gpuprims"), {}).get("bytes")
        if library in frameworks.LIBRARIES and bytes_ and sample.get("median_us"):
            sample.update(bytes=bytes_, gbs=bytes_ / sample["median_us"] / 1e3)


# ---- the table


def table(lines):
    """Text: a row a cell and library, then what our kernels could gain."""
    rows = [line for line in lines if line["kind"] == "quality"]
    width = max([len(row["cell"]) for row in rows] + [4])
    names = list(criteria.NAMES)
    wide = max([len(row["library"]) for row in rows] + [9])
    energy = any(row.get("joules") for row in rows)
    text = [f"{'cell':<{width}} {'library':<{wide}} {'us':>9} {'QM':>6} " + " ".join(f"{name:>6}" for name in names)
            + (f" {'mJ':>10} {'+-':>7}" if energy else "")]
    for row in rows:
        cells = [f"{row['criteria'][name]:6.2f}" if row["criteria"][name] is not None else "     -" for name in names]
        qm = f"{row['qm']:6.2f}" if row["qm"] is not None else "     -"
        us = f"{row['median_us']:9.2f}" if row.get("median_us") else f"{'-':>9}"
        status = "" if row["status"] == "ok" else "  " + row["status"][:100]
        joules = f" {1e3 * row['joules']:10.4f} {1e3 * row['joules_error']:7.4f}" if row.get("joules") else \
            " " * 15 + "-" + " " * 3 if energy else ""
        text.append(f"{row['cell']:<{width}} {row['library']:<{wide}} {us} {qm} {' '.join(cells)}{joules}{status}")
    text += ["", "-: NO DATA. QM: the weighted mean of the criteria that have data."]
    if lines and lines[0].get("no_counters"):
        text.append(f"counters: {lines[0]['no_counters']}")
    for row in rows:
        if row["library"] == "gpuprims" and row.get("feedback"):
            text += ["", row["cell"], "  " + row["feedback"]] + (["  " + row["beside"]] if row.get("beside") else [])
    return "\n".join(text)
