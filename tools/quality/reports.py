"""Reads what Nsight Compute reports: a list of kernels, each {"name", "block", "grid", "capability", "raw"}, in order.

`raw` is {metric: number in base units}: bytes, nanoseconds, hertz, percent. A report is CSV text that ncu printed
(`--csv --page raw`: a row a kernel; older versions and `--page details`: a row a metric), or a .ncu-rep file, which
ncu itself or its ncu_report.py reads.
"""
import csv
import glob
import importlib
import os
import re
import shutil
import subprocess
import sys

# Units as ncu writes them, also with --print-units auto: how many base units one is.
PREFIXES = {"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
SECONDS = {"second": 1e9, "s": 1e9}  # base unit: nanoseconds
KNOWN = ("byte", "hz", "inst", "cycle", "sector", "request", "thread", "warp", "block", "register")


class ReportError(Exception):
    """No kernel can be read; the text says why."""


def scale_of(unit):
    """The factor to base units: "usecond" 1e3, "Kbyte/block" 1e3, "%" 1."""
    unit = unit.split("/")[0].strip() if not unit.startswith("/") else ""
    for name, scale in SECONDS.items():
        if unit.endswith(name) and unit[:-len(name)] in PREFIXES and (name != "s" or len(unit) <= 2):
            return scale * PREFIXES[unit[:-len(name)]]
    if unit == "ns":
        return 1.0
    for name in KNOWN:
        if unit.lower().endswith(name) and unit[:-len(name)] in PREFIXES:
            return PREFIXES[unit[:-len(name)]]
    return 1.0


def number_of(text):
    """A number, or None: "n/a", "nan", "" and words are no data."""
    try:
        value = float(text.replace(",", "").split(" ")[0])
    except (ValueError, AttributeError):
        return None
    return value if value == value and abs(value) != float("inf") else None


def size_of(text):
    """The threads or blocks of "(256, 1, 1)"."""
    product = 1
    numbers = re.findall(r"\d+", text or "")
    for number in numbers:
        product *= int(number)
    return product if numbers else None


def capability_of(text):
    match = re.fullmatch(r"\s*(\d+)\.(\d)\s*", text or "")
    return int(match.group(1)) * 10 + int(match.group(2)) if match else None


def kernel_of(row):
    return {"name": row.get("Kernel Name", ""), "block": size_of(row.get("Block Size") or row.get("launch__block_dim")),
            "grid": size_of(row.get("Grid Size") or row.get("launch__grid_dim")),
            "capability": capability_of(row.get("CC")), "raw": {}}


def add(raw, name, value, unit):
    number = number_of(value)
    if name and number is not None:
        raw[name] = number * scale_of(unit or "")


def read_csv(text):
    """The kernels of CSV text. Lines before the header (ncu's messages, the program's output) do not count. A last row
    that was cut short is left out."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.lstrip("\ufeff").startswith(('"ID"', "ID,"))), None)
    if start is None:
        raise ReportError(first_error(text) or "the report has no kernels")
    rows = list(csv.reader(line for line in lines[start:] if not line.startswith("==")))
    header, rows = rows[0], rows[1:]
    if "Metric Name" in header:
        return read_long(header, rows)
    if rows and not rows[0][0].strip():  # the line of units
        units, rows = dict(zip(header, rows[0])), rows[1:]
    else:
        units = {}
    kernels = []
    for cells in rows:
        if len(cells) != len(header):
            continue
        row = dict(zip(header, cells))
        kernel = kernel_of(row)
        for name in header:
            if "__" in name:
                add(kernel["raw"], name.split(" [")[0], row[name], units.get(name, ""))
        kernels.append(kernel)
    return kernels


def read_long(header, rows):
    """A row a metric: "ID" tells the kernels apart."""
    kernels = {}
    for cells in rows:
        if len(cells) < header.index("Metric Value") + 1:
            continue
        row = dict(zip(header, cells))
        kernel = kernels.setdefault((row["ID"], row.get("Process ID")), kernel_of(row))
        add(kernel["raw"], row["Metric Name"], row["Metric Value"], row.get("Metric Unit"))
    return list(kernels.values())


# ---- files of ncu


def find_ncu():
    """The path of ncu, or None. The newest of /opt/nvidia and the toolkits where none is in PATH."""
    named = os.environ.get("NCU")
    if named:
        return shutil.which(named)
    places = [path for pattern in ("/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda*/bin/ncu")
              for path in sorted(glob.glob(pattern), reverse=True)]
    return shutil.which("ncu") or next((path for path in places if os.access(path, os.X_OK)), None)


def find_ncu_report(ncu):
    """The module ncu_report of the folder extras/python beside ncu, or None."""
    home = os.path.dirname(os.path.realpath(ncu or ""))
    for folder in [os.path.join(home, *up, "extras", "python") for up in ((), ("..",), ("..", ".."))] + sorted(
            glob.glob("/opt/nvidia/nsight-compute/*/extras/python"), reverse=True):
        if os.path.exists(os.path.join(folder, "ncu_report.py")) and folder not in sys.path:
            sys.path.append(folder)
    try:
        return importlib.import_module("ncu_report")
    except Exception:  # a module for another Python, a library that it lacks
        return None


def read_module(path, ncu_report):
    """The kernels of a .ncu-rep file by NVIDIA's own module."""
    try:
        context = ncu_report.load_report(path)
    except Exception as error:
        raise ReportError(f"ncu_report cannot read {path}: {error}") from None
    kernels = []
    for index in range(context.num_ranges()):
        group = context.range_by_idx(index)
        for number in range(group.num_actions()):
            action = group.action_by_idx(number)
            raw = {}
            for name in action.metric_names():
                metric = action.metric_by_name(name)
                try:
                    value = metric.as_double()
                except Exception:
                    continue
                if value is not None:
                    add(raw, name, repr(value), metric.unit() or "")
            major, minor = (raw.get(f"device__attribute_compute_capability_{part}") for part in ("major", "minor"))
            kernels.append({"name": action.name(), "block": raw.get("launch__block_size"),
                            "grid": raw.get("launch__grid_size"), "raw": raw,
                            "capability": None if None in (major, minor) else int(10 * major + minor)})
    return kernels


def read_file(path, ncu=None):
    """The kernels of a .csv or .ncu-rep file. Of the latter ncu prints CSV; ncu_report reads it where ncu cannot."""
    if not os.path.exists(path):
        raise ReportError(f"there is no report {path}")
    if not path.endswith(".ncu-rep"):
        with open(path, encoding="utf-8", errors="replace") as file:
            return read_csv(file.read())
    ncu = ncu or find_ncu()
    reason = "there is no ncu"
    if ncu:
        done = subprocess.run([ncu, "--import", path, "--csv", "--page", "raw", "--print-units", "base"],
                              env={**os.environ, "LC_ALL": "C"}, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        try:
            return read_csv(done.stdout)
        except ReportError as error:
            reason = str(error)
    module = find_ncu_report(ncu)
    if not module:
        raise ReportError(reason)
    return read_module(path, module)


# ---- what went wrong, from ncu's output

REASONS = [
    (r"ERR_NVGPUCTRPERM", "no permission for counters (ERR_NVGPUCTRPERM): run as root, or load the driver with "
                          "NVreg_RestrictProfilingToAdminUsers=0"),
    (r"LibraryNotLoaded|Failed to initialize the profiler", "ncu cannot read this machine's counters (the profiler's "
                                                            "library does not load)"),
    (r"No kernels were profiled", "ncu saw no kernel"),
    (r"Failed to (?:save|restore) memory|[Oo]ut of (?:device )?memory", "ncu cannot replay a kernel: no memory to save "
                                                                       "what it writes"),
    (r"Failed to profile \"?([\w:<>, ]+)\"?", "ncu cannot replay {0}"),
    (r"==ERROR== (.+)", "ncu: {0}"),
]


def first_error(text):
    """Why a run of ncu gave no counters, in words, or None."""
    for pattern, words in REASONS:
        match = re.search(pattern, text or "")
        if match:
            return words.format(*(group.strip() for group in match.groups()))
    return None


PROFILED = re.compile(r'==PROF== Profiling "(.*?)" - (\d+)')
MARK_LINE = re.compile(r"mark (\d+): .*?( started)?$")


def by_launch_order(output, kernels):
    """{mark: its kernels}, by the order of lines: the program says "mark 3: ... started" before the calls of a mark and
    "mark 3: ... ok" behind them, and ncu names each kernel in between. None where names or numbers differ from the
    report's, or where a kernel lies between two marks: the lines do not tell then."""
    found, mark, place = {}, None, 0
    for line in output.splitlines():
        profiled, said = PROFILED.search(line), MARK_LINE.match(line)
        if profiled:
            name = profiled.group(1).rstrip(".")
            if mark is None or place == len(kernels) or name not in kernels[place]["name"]:
                return None
            found.setdefault(mark, []).append(kernels[place])
            place += 1
        elif said:
            mark = int(said.group(1)) if said.group(2) else None
    return found if place == len(kernels) else None


def passes_of(output):
    """How often ncu ran a kernel, at most; None: it does not say."""
    return max((int(number) for number in re.findall(r"(\d+) pass(?:es)?\b", output or "")), default=None)


def refused_metrics(text):
    """Metrics that ncu's errors name as unknown: a further run leaves them out."""
    found = []
    for line in (text or "").splitlines():
        if re.search(r"[Ff]ailed to find metric|[Cc]ould not find metric|[Uu]nknown metric|[Ii]nvalid metric", line):
            found += re.findall(r"[a-z0-9]+__[A-Za-z0-9_.]+", line)
    return [name.rstrip(".") for name in found]
