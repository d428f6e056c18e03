"""Reads measurements in any state: turns each file into a summary with only the pages' data.

A folder of devices holds these forms (tools/farm/README.md): runs of tools/bench.py, stores of the farm, figures of
examples/ladder, examples/layouts and examples/reyes, runs of the layout tuner, spaces that examples/tuner measured,
comparisons of online tuners, and criteria of tools/quality. No file content raises an error here: an unusable line
becomes a notice with file and line number, and the rest of the file is used.
"""
import collections
import gzip
import json
import math
import os
import re
import statistics
import types

from ci import baseline
from examples.tuner import spaces
from tools import bench
from tools.farm import applications, evidence, files, store
from tools.quality import criteria, points

# A notice for readers of the pages. level: "bad" (data is missing or wrong), "note".
Notice = collections.namedtuple("Notice", "level device night file text")

# A call; of two measurements with equal keys the later one counts. kind_of() drops the size.
Key = collections.namedtuple("Key", "primitive op in_ acc out words dist in_offset out_offset protocol n")
# A program's time for a call: medians in microseconds, `cv` of the batches. policy is "" for a peer.
Timing = collections.namedtuple("Timing", "status us gbs cv policy source of_roof of_peer")
# A cell in a run. ours: Timing of the library's own choice, or None; peers, roofs: {label: Timing}; policies: {label:
# Timing} of requested policies.
Measure = collections.namedtuple("Measure", "text bytes ours peers roofs policies clocks")
Clocks = collections.namedtuple("Clocks", "sm_before sm_after memory celsius milliwatts throttle")

PEER_NAMES = {"cub": "CUB", "thrust": "Thrust", "cuda": "CUDA", "cublas": "cuBLAS", "cub_next": "newer CUB",
              "thrust_next": "newer Thrust"}


def kind_of(key):
    """A key without its size: a line of a chart."""
    return key._replace(n=0)


COMPARED = "regress"  # the set of a regression run


class BenchRun:
    """A run of tools/bench.py: an environment and its samples; or this tree's side of a regression run, with set
    COMPARED. cells: {Key: Measure}."""

    def __init__(self, environment, night, number):
        self.environment, self.night, self.number, self.set = environment, night, number, ""
        self.cells, self.others, self.repeated = {}, [], 0

    @property
    def order(self):
        return self.environment["date"], self.number


class FarmFile:
    """A store. verdicts: with their evidence; clocks: {environment: [Clocks]} (some of them); left: {reason: samples};
    kernels: {(kernel, n, protocol): {"default": us, policy: us}}; codes: {(environment, cell): machine code of the
    library's own choice}; times: {cell's text: us} of this tree's side of regression runs, which are compared:
    [BenchRun]."""

    def __init__(self):
        self.environments, self.decisions, self.verdicts, self.checks = {}, [], [], []
        self.runs, self.coverage, self.samples, self.left = [], [], collections.Counter(), collections.Counter()
        self.clocks, self.kernels, self.phases, self.codes = collections.defaultdict(list), {}, set(), {}
        self.times, self.compared = {}, []


class File:
    """The result of reading a file. kind: bench, farm, ladder, programs, night, space, online, quality, reyes,
    transfers, application, or "" if unknown."""

    def __init__(self, path, device, name):
        self.path, self.device, self.name = path, device, name
        self.kind, self.night, self.set, self.lines, self.notices = "", "", "", 0, []
        self.bench, self.farm, self.ladder, self.programs, self.online = [], None, None, None, None
        self.quality = self.reyes = self.transfers = self.application = None

    def say(self, level, text):
        self.notices.append(Notice(level, self.device, self.night, self.name, text))


def files_below(folder):
    """[(path, device's folder, path below it)] of possible measurements, and notices of ignored files: those outside
    the devices' folders, and those that are not plain files."""
    found, stray = [], []
    names, refused = files.below(folder)
    for name in names:
        device, _, rest = name.partition(os.sep)
        if name.endswith((".jsonl", ".jsonl.gz", ".json")):
            if rest:
                found.append((os.path.join(folder, name), device, rest))
            else:
                stray.append(Notice("bad", "", "", name, "not in a device's folder: not shown"))
    return found, stray + notices_of(refused)


def notices_of(refused):
    """A notice about a refused file of files.below."""
    return [Notice("bad", "", "", name, f"refused: {reason}") for name, reason in refused]


def read(path, device, name):
    """The summary of a file."""
    file = File(path, device, name)
    parts = bench.FILE_NAME.fullmatch(os.path.basename(name))
    if parts:
        file.night, file.set = parts["date"], parts["topic"] or "standard"
    try:
        if file.set.startswith("tuner_"):
            read_tuner(file)
        elif file.set in ("quality", "points"):
            read_quality(file)
        elif name.endswith(".json"):
            read_record(file)
        elif file.set in ELSEWHERE:
            read_lines(file)
        elif file.set in APPLICATIONS and name.endswith((".jsonl", ".jsonl.gz")):
            read_application(file)
        elif is_store(path):
            read_store(file)
        else:
            read_bench(file)
    except (OSError, store.StoreError) as error:
        file.say("bad", f"cannot be read: {str(error).split(': ', 1)[-1]}")
    return file


ELSEWHERE = {"world": "docs/many-gpus.md"}  # sets that no page shows, and what does


def read_lines(file):
    with open(file.path, encoding="utf-8") as text:
        lines = [line for line in text if line.strip()]
    file.lines = len(lines)
    try:
        wrong = sum(not isinstance(store.DECODER.decode(line.strip()), dict) for line in lines)
    except (ValueError, RecursionError):
        wrong = len(lines)
    if wrong:
        file.say("bad", "lines that are no JSON objects")
    file.say("note", f"shown in {ELSEWHERE[file.set]}")


APPLICATIONS = ("bitonic", "kd_tree", "reyes")  # sets of stores of the layout tuner


def read_application(file):
    """The runs of an application (python3 -m tools.farm layouts --application)."""
    found, wrong = applications.read_store(file.path, file.set)
    for text in wrong[:store.REPORTED]:
        file.say("bad", text.removeprefix(file.path).lstrip(":"))
    file.lines = sum(1 for _ in applications.lines_of(file.path))
    usable = [one for one in found.values() if type(one.device) is str and one.us]
    if not usable:
        file.say("bad", f"no run of {file.set} that can be used")
        return
    one = usable[-1]
    file.kind, file.application = "application", types.SimpleNamespace(
        name=file.set, device=one.device, us=dict(one.us), features=one.features, bad_cases=one.bad_cases,
        kernels=sorted({kernel for points in one.us.values() for us in points.values() for kernel in us}))


def is_positive(value):
    return (number_of(value) or 0) > 0


def is_reyes(value):
    return all(type(value.get(name)) is str for name in ("device", "layouts")) and \
        all(is_positive(value.get(name)) for name in ("frames", "frames_a_second", "width", "height")) and \
        isinstance(value.get("ms"), dict) and value["ms"] and all(is_optional(ms) for ms in value["ms"].values())


def is_transfer(one):
    return isinstance(one, dict) and type(one.get("way")) is str and type(one.get("bytes")) is int and \
        is_positive(one["bytes"]) and is_positive(one.get("gbs"))


def read_transfers(file, value):
    """Transfers of examples/ladder."""
    rows = [one for one in value["rows"] if is_transfer(one)]
    if len(rows) < len(value["rows"]):
        file.say("bad", f"{len(value['rows']) - len(rows)} transfers that cannot be used were left out")
    if rows and type(value.get("device")) is str:
        file.kind, file.transfers = "transfers", {**value, "rows": rows}
    else:
        file.say("bad", "transfers without a device, or none at all")


def is_store(path):
    """Whether the lines have a schema version: the first JSON line decides."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            for raw in file:
                try:
                    value = json.loads(raw)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict):
                    return "v" in value
    except (EOFError, gzip.BadGzipFile, gzip.zlib.error):
        pass
    return bench.has_topic(path, "tune", "regress")


def complain(file, broken):
    """Notices for unusable lines."""
    cut = broken and broken[-1][0] == file.lines and not ends_with_a_line(file.path)
    for number, reason in broken[:store.REPORTED]:
        last = cut and number == file.lines
        file.say("bad", f"line {number}: " + ("the file ends in the middle of a line: the run was cut off" if last
                                              else reason))
    if len(broken) > store.REPORTED:
        file.say("bad", f"and {len(broken) - store.REPORTED} more broken lines")


def ends_with_a_line(path):
    """Whether the last byte ends a line. Compressed files show by themselves that they were cut off."""
    with open(path, "rb") as file:
        return path.endswith(".gz") or (file.seek(0, os.SEEK_END) and file.seek(-1, os.SEEK_END) >= 0
                                        and file.read(1) == b"\n")


# ---- runs of tools/bench.py ------------------------------------------------------------------------------------------

TEXTS = ("cell", "primitive", "op", "in", "acc", "out", "dist", "protocol", "variant", "label", "status")
COUNTS = ("n", "in_offset", "out_offset")


def number_of(value):
    return value if type(value) in (int, float) and math.isfinite(value) else None


def wrong_with(value):
    """Why a line of a bench file is unusable, or None."""
    if not isinstance(value, dict) or type(value.get("kind")) is not str:
        return "not a line of tools/bench.py: it has no kind"
    if value["kind"] == "environment":
        for name in ("device", "date", "commit"):
            if type(value.get(name)) is not str:
                return f"environment without {name}"
        if not re.match(r"\d{4}-\d\d-\d\d", value["date"]):
            return f"{value['date'][:30]!r} is not a date"
    if value["kind"] == "sample":
        for name in TEXTS:
            if type(value.get(name)) is not str:
                return f"sample without {name}"
        for name in COUNTS:
            if type(value.get(name)) is not int or value[name] < 0:
                return f"sample without {name}"
        if value["status"] == "ok" and not (number_of(value.get("median_us")) or 0) > 0:
            return "sample that is ok and has no time"
    return None


def read_bench(file):
    taken, broken = store.Store(file.path), []

    def take(taken, number, raw):
        file.lines = number
        try:
            text = raw.decode("utf-8").strip()
            value = store.DECODER.decode(text) if text else None
            reason = wrong_with(value) if text else None
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            value, reason = None, f"no JSON ({error})"
        if reason:
            broken.append((number, reason))
        elif value:
            taken.lines.append(value)

    store.read_lines(taken, file.path, take)
    complain(file, broken + taken.broken)
    file.kind = "bench"
    early = 0
    for value in taken.lines:
        if value["kind"] == "environment":
            night = file.night or value["date"][:10]
            file.night = file.night or night
            file.bench.append(BenchRun(value, night, len(file.bench)))
            file.bench[-1].set = file.set or "standard"
        elif not file.bench:
            early += 1
        elif value["kind"] == "sample":
            add_sample(file.bench[-1], value)
        else:
            file.bench[-1].others.append(value)
    if early:
        file.say("bad", f"{early} lines before the first environment: their device is unknown")
    for run in file.bench:
        if not run.cells:
            file.say("bad", f"the run of {run.environment['date']} has no cells: it ended right after its start")
        if run.repeated:
            file.say("note", f"{run.repeated} measurements of the run of {run.environment['date']} were repeated in "
                     "it: the later ones count")
    if not taken.lines and not broken:
        file.say("bad", "the file is empty")


def add_sample(run, r):
    key = Key(r["primitive"], r["op"], r["in"], r["acc"], r["out"], r.get("words") or "", r["dist"], r["in_offset"],
              r["out_offset"], r["protocol"], r["n"])
    measure = run.cells.get(key)
    if measure is None:
        measure = run.cells[key] = Measure(r["cell"], r.get("bytes") or 0, [], {}, {}, {}, clocks_of(r))
    ok = r["status"] == "ok"
    timing = Timing(r["status"], r["median_us"] if ok else None, number_of(r.get("gbs")) if ok else None,
                    number_of(r.get("cv")) or 0.0, store.policy_text(r["policy"]) if r.get("policy") else "",
                    r.get("policy_source") or "", number_of(r.get("of_roof")) if ok else None,
                    number_of(r.get("of_peer")) if ok else None)
    if r["variant"] == "ours" and r["label"] == "default":
        run.repeated += bool(measure.ours)
        measure.ours[:] = [timing]
    else:
        place = {"ours": measure.policies, "peer": measure.peers}.get(r["variant"], measure.roofs)
        place[r["label"]] = timing


def clocks_of(r):
    sm = [value for value in r.get("sm_mhz") or [] if number_of(value)] if isinstance(r.get("sm_mhz"), list) else []
    throttle = r.get("throttle_reasons", r.get("throttle", 0))
    return Clocks(sm[0] if sm else 0, sm[-1] if sm else 0, number_of(r.get("memory_mhz")) or 0,
                  number_of(r.get("celsius")) or 0, number_of(r.get("milliwatts")) or 0,
                  throttle if type(throttle) is int else 0)


# ---- stores of the farm ----------------------------------------------------------------------------------------------

CLOCK_SAMPLES = 400  # of a run: enough for a median and a range


def read_store(file):
    a_store = store.read(file.path)
    file.kind, farm = "farm", FarmFile()
    file.lines = max([line.number for line in a_store.lines] + [number for number, _ in a_store.broken], default=0)
    complain(file, a_store.broken)
    for one in a_store.of("environment"):
        farm.environments.setdefault(one["id"], one)
    if not farm.environments:
        file.say("bad", "no environment: its device is unknown")
    file.night = file.night or min((one["date"][:10] for one in farm.environments.values()), default="")
    samples = a_store.of("samples")
    farm.decisions, farm.checks = a_store.of("decision"), a_store.of("check")
    farm.runs, farm.coverage = a_store.of("run"), a_store.of("coverage")
    unknown = collections.Counter(s["env"] for s in samples if s["env"] not in farm.environments)
    for name, count in sorted(unknown.items()):
        file.say("bad", f"{count} samples of environment {name}, which no line describes")
    every = max(1, len(samples) // CLOCK_SAMPLES)
    for position, sample in enumerate(samples):
        farm.phases.add(sample["phase"])
        farm.samples[sample["phase"], sample["status"]] += 1
        if sample["variant"] == "default" and sample.get("code") and sample["primitive"] != "kernel":
            farm.codes[sample["env"], store.cell_of(sample)] = sample["code"]
        reason = evidence.unusable(sample)
        if reason and sample["phase"] != "search":
            farm.left[reason] += 1
        if position % every == 0 or sample["throttle"] & evidence.SLOWED:
            farm.clocks[sample["env"]].append(clocks_of(sample))
    if not farm.runs and any(sample["protocol"] != evidence.PROGRAM for sample in samples):
        file.say("bad", "samples, but no line of a run: the process that measured them died before the end")
    for name in sorted({run["env"] for run in farm.runs if not run["complete"]}):
        last = [run for run in farm.runs if run["env"] == name][-1]
        if not last["complete"]:
            file.say("note", f"the last run of environment {name} was not complete: its time was up, or it was "
                     "interrupted")
    farm.verdicts = [(verdict, evidence_of(verdict, sides)) for sides in [sides_of(samples)]
                     for verdict in a_store.of("verdict")]
    if "regress" in farm.phases and not farm.verdicts:
        file.say("bad", "samples of a regression run, but no verdicts: the run died before it could judge")
    times = baseline.measured(a_store)[0]
    farm.times = {text: one.us for text, one in times.items()}
    farm.compared = compared_of(times, farm.environments, file.night)
    add_kernels(farm, samples)
    file.farm = farm


def compared_of(times, environments, night):
    """[BenchRun] of this tree in a regression run: times without peers, roofs or bytes."""
    found = {}
    for text, one in times.items():
        cell, environment = store.cell_of(one.sample), environments[one.sample["env"]]
        if not store.is_known(cell):
            continue
        run = found.get(environment["id"])
        if run is None:
            run = found[environment["id"]] = BenchRun(environment, night, len(found))
            run.set = COMPARED
        key = Key(cell.primitive, cell.op, cell.in_, cell.acc or cell.in_, cell.out, cell.words, "uniform", 0, 0,
                  cell.protocol, cell.n)
        run.cells[key] = Measure(text, 0, [Timing("ok", one.us, None, one.cv, store.policy_text(one.sample["policy"]),
                                                  one.sample["policy_source"], None, None)], {}, {}, {},
                                 clocks_of(one.sample))
    return list(found.values())


def sides_of(samples):
    """{(environment, cell): [sample]} of regression runs, in the order of their processes."""
    found = collections.defaultdict(list)
    for sample in samples:
        if sample["phase"] == "regress":
            found[sample["env"], store.cell_of(sample)].append(sample)
    return {place: sorted(those, key=lambda sample: sample["process"]) for place, those in found.items()}


def evidence_of(verdict, sides):
    """The evidence of a verdict other than SAME: the pairs' medians, the machine code of both sides."""
    if verdict["outcome"] == "SAME":
        return None
    cell = store.cell_of(verdict)
    base, new = (sides.get((verdict[side], cell), []) for side in ("base", "env"))

    def medians(those):
        return [None if evidence.unusable(one) else statistics.median(one["us"]) for one in those]

    def codes(those):
        return sorted({one.get("code", "") for one in those} - {""})

    def policies(those):
        return sorted({store.policy_text(one["policy"]) for one in those})

    return {"pairs": list(zip(medians(base), medians(new))), "codes": (codes(base), codes(new)),
            "policies": (policies(base), policies(new))}


def add_kernels(farm, samples):
    """Users' kernels: the matrix has each point's time."""
    for sample in samples:
        if sample["primitive"] == "kernel" and sample["phase"] in ("matrix", "confirm") \
                and not evidence.unusable(sample):
            name = "default" if sample["variant"] == "default" else store.policy_text(sample["policy"])
            place = farm.kernels.setdefault((sample["op"], sample["n"], sample["protocol"]), {})
            place.setdefault((sample["phase"], name), []).append(statistics.median(sample["us"]))


# ---- the ladder, programs over layouts, tuners, and the records of nights --------------------------------------------


def read_record(file):
    with open(file.path, "rb") as text:
        try:
            value = store.DECODER.decode(text.read().decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            file.say("bad", f"no JSON ({error})")
            return
    file.lines = 1
    if isinstance(value, dict) and file.set == "night":
        file.kind = "night"
        notice_steps(file, value)
        return
    if isinstance(value, dict) and value.get("kind") == "online":
        read_online(file, value)
        return
    if isinstance(value, dict) and value.get("program") == "reyes":
        if is_reyes(value):
            file.kind, file.reyes = "reyes", value
        else:
            file.say("bad", "a table of examples/reyes that cannot be used")
        return
    if isinstance(value, dict) and file.set == "transfers" and isinstance(value.get("rows"), list):
        read_transfers(file, value)
        return
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        results = [result for result in value["results"] if is_program(result)]
        if len(results) != len(value["results"]) or not results:
            file.say("bad", "results of examples/layouts that cannot be used were left out")
        file.kind, file.programs = "programs", {**value, "results": results}
        return
    if not isinstance(value, dict) or "tables" not in value:
        file.say("note", "not understood: neither a run, nor a store, nor a ladder, nor programs over layouts, nor a "
                         "comparison of tuners, nor a night's record")
        return
    tables = [table for table in value["tables"] if is_ladder_table(table)] if isinstance(value["tables"], list) else []
    if len(tables) != len(value["tables"]):
        file.say("bad", "tables of the ladder that cannot be used were left out")
    file.kind, file.ladder = "ladder", {**value, "tables": tables}


def notice_steps(file, record):
    """A night's steps that did not end well, by status."""
    steps = [step for step in record.get("steps") or [] if isinstance(step, dict)] \
        if isinstance(record.get("steps"), list) else []
    if not steps:
        file.say("bad", "the record of this night names no step: the runner died at its start")
    for step in steps:
        status = str(step.get("status", ""))
        if status not in ("ok", "skipped"):
            said = "began and did not end: the runner died or was cancelled" if status == "running" else status
            # A night tunes as much as its time allows, and the next one continues.
            rest = status == "incomplete" and step.get("name") == "tune"
            file.say("note" if rest else "bad", f"step {step.get('name', '?')}: {said}" +
                     (f": {str(step['message'])[:300]}" if step.get("message") else ""))
    if steps and record.get("complete") is False:
        file.say("bad", "the night was not complete")


def read_tuner(file):
    """A space that a program of examples/tuner measured, or the times of its empty kernel."""
    try:
        if file.name.endswith(".json"):
            file.lines = len(spaces.read_empty(file.path)[1])
        else:
            space = spaces.read_space(file.path)
            file.lines = 1 + len(space.us) + len(space.invalid)
        file.kind = "space"
    except spaces.Damaged as error:
        file.say("bad", str(error).removeprefix(file.path).lstrip(":, "))


def read_quality(file):
    """Criteria by counters (python3 -m tools.quality), or points of policy spaces (tools.quality.points)."""
    found = {"environment": None, "rows": [], "points": []}
    taken, broken = store.Store(file.path), []

    def take(_, number, raw):
        file.lines = number
        try:
            text = raw.decode("utf-8").strip()
            value = store.DECODER.decode(text) if text else None
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            broken.append((number, f"no JSON ({error})"))
            return
        if is_environment(value):  # a file may hold several runs: the first one names them
            found["environment"] = found["environment"] or value
        elif is_quality(value):
            found["rows"].append(value)
        elif is_point(value):
            found["points"].append(value)
        elif value is not None:
            broken.append((number, "neither an environment, nor criteria, nor a point"))

    store.read_lines(taken, file.path, take)
    complain(file, broken + taken.broken)
    if not found["environment"] or not found["rows"] and not found["points"]:
        file.say("bad", "criteria without their environment, or none at all")
        return
    file.kind, file.quality = "quality", found


def is_environment(value):
    return isinstance(value, dict) and value.get("kind") == "environment" and \
        all(type(value.get(name)) is str for name in ("device", "date"))


def is_optional(value):
    return value is None or number_of(value) is not None and value >= 0


def is_quality(value):
    """Whether every part that the page Quality shows has its form."""
    return isinstance(value, dict) and value.get("kind") == "quality" and \
        all(type(value.get(name)) is str and value[name].strip() for name in ("cell", "library")) and \
        type(value.get("status")) is str and isinstance(value.get("criteria"), dict) and \
        isinstance(value.get("kernels"), list) and \
        all(is_optional(value["criteria"].get(name)) for name in criteria.NAMES) and \
        all(is_optional(value.get(name)) for name in ("qm", "median_us", "speedup", "joules"))


def is_point(value):
    return isinstance(value, dict) and value.get("kind") == "point" and \
        all(type(value.get(name)) is str for name in ("cell", "policy")) and \
        (number_of(value.get("median_us")) or 0) > 0 and isinstance(value.get("stalls"), dict) and \
        all(is_optional(value.get(name)) for name in points.COUNTED) and \
        all(is_optional(share) and share is not None for share in value["stalls"].values())


def read_online(file, value):
    """A comparison of online tuners (python3 -m tools.farm online)."""
    found = value.get("spaces") if isinstance(value.get("spaces"), list) else []
    usable = [one for one in found if is_online_space(one)]
    live = value.get("live") if isinstance(value.get("live"), list) else []
    usable_live = [one for one in live if is_live(one)]
    empty = value.get("empty")
    if type(value.get("device")) is not str or not usable_live and not all(
            type(value.get(name)) is int for name in ("seeds", "calls", "configurations")):
        file.say("bad", "a comparison of tuners without its device, seeds, calls or configurations")
        return
    if len(usable_live) != len(live):
        file.say("bad", "live runs of a comparison of tuners that cannot be used were left out")
    if len(usable) != len(found) or not usable and not usable_live:
        file.say("bad", "spaces of a comparison of tuners that cannot be used were left out")
    if empty is not None and not is_empty_kernel(empty):
        file.say("bad", "times of an empty kernel that cannot be used were left out")
        empty = None
    file.kind, file.online = "online", {**value, "spaces": usable, "live": usable_live, "empty": empty}


def is_online_space(one):
    """Whether every part that the page Online shows has its form."""
    try:
        axes = [parameter["values"] for parameter in one["parameters"]]
        path = one["path"]
        points = [one["default"]["values"], one["optimum"]["values"], *path["steps"]]
        texts = [one[name] for name in ("program", "date", "driver", "file")] + [path["strategy"]] + \
            [text for pair in one["left_out"].items() for text in pair] + \
            [parameter["name"] for parameter in one["parameters"]]
        counts = [one[name] for name in ("size", "configurations", "invalid", "near", "rounds")]
        return bool(axes) and bool(one["strategies"]) and type(path["near"]) in (int, type(None)) and all(
            type(text) is str for text in texts) and all(type(count) is int for count in counts) and all(
            (number_of(one[name]["us"]) or 0) > 0 for name in ("default", "optimum")) and all(
            len(point) == len(axes) and all(value in axis for value, axis in zip(point, axes)) for point in points
        ) and all(is_map(a_map, axes) for a_map in one["maps"]) and all(map(is_strategy, one["strategies"]))
    except (KeyError, TypeError, AttributeError):
        return False


def is_live(one):
    """A program's runs on the GPU."""
    try:
        return type(one["program"]) is str and type(one["sections"]) is int and bool(one["strategies"]) and all(
            is_strategy(each) and all((number_of(each[name]) or 0) > 0 for name in ("default_us", "last_us", "worst"))
            for each in one["strategies"])
    except (KeyError, TypeError, AttributeError):
        return False


def is_map(one, axes):
    """Times over one or two parameters' values."""
    return one["across"] in range(len(axes)) and set(one["columns"]) == set(axes[one["across"]]) and \
        (one["down"] is None or one["down"] in range(len(axes)) and set(one["rows"]) == set(axes[one["down"]])) and \
        len(one["times"]) == (1 if one["down"] is None else len(one["rows"])) > 0 and all(
            len(line) == len(one["columns"]) and all(time is None or number_of(time) is not None for time in line)
            for line in one["times"])


def is_strategy(one):
    def known(name, *kinds):
        return all(type(one[name][share]) in kinds for share in ("median", "p95"))
    return type(one["by"]) is str and type(one["name"]) is str and type(one["runs"]) is int and \
        type(one["reached"]) is int and known("configurations", int, float, type(None)) and \
        known("final", int, float) and known("regret", int, float) and type(one["measured"]["median"]) is int


def is_empty_kernel(one):
    return isinstance(one, dict) and isinstance(one.get("rows"), list) and all(
        isinstance(row, list) and len(row) == 4 and all(number_of(value) is not None for value in row)
        for row in one["rows"])


def is_ladder_table(table):
    return isinstance(table, dict) and type(table.get("family")) is str and type(table.get("elements")) is int and \
        isinstance(table.get("rungs"), list) and bool(table["rungs"]) and all(
            isinstance(rung, dict) and type(rung.get("name")) is str and type(rung.get("what")) is str and
            all(number_of(rung.get(name)) is not None for name in ("us", "gbs", "published_us", "published_gbs"))
            for rung in table["rungs"])


def is_program(result):
    """A program of examples/layouts at one size; the first variant is the baseline."""
    return isinstance(result, dict) and type(result.get("program")) is str and type(result.get("n")) is int and \
        isinstance(result.get("variants"), list) and bool(result["variants"]) and all(
            isinstance(variant, dict) and number_of(variant.get("us")) and variant.get("transposed") in (0, 1) and
            all(type(variant.get(name)) is str for name in ("array", "second")) for variant in result["variants"])


def bytes_text(size):
    text = bench.size_text(size)
    return f"{text[:-1]} {text[-1]}iB" if text[-1].isalpha() else f"{text} B"


# ---- accepted slowdowns (ci/baseline.py --accept) --------------------------------------------------------------------


def read_accepted(folder):
    """(lines, notices) of ci/baselines/accepted.jsonl and ci/baselines/accepted/*.jsonl, if any."""
    paths, refused = store.accepted_files(folder)
    found, notices = [], notices_of(refused)
    for path in paths:
        read_accepted_file(path, os.path.relpath(path, folder), found, notices)
    return found, notices


def read_accepted_file(path, name, found, notices):
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError as error:
        notices.append(Notice("bad", "", "", name, f"cannot be read: {error.strerror}"))
        return
    for number, raw in enumerate(lines, 1):
        try:
            value = store.DECODER.decode(raw.decode("utf-8")) if raw.strip() else None
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            notices.append(Notice("bad", "", "", name, f"line {number}: no JSON ({error})"))
            continue
        names = ("device", "cell", "commit", "base", "reason")
        if isinstance(value, dict) and number_of(value.get("high")) and \
                all(type(value.get(word)) is str and value[word] for word in names):
            found.append(value)
        elif value is not None:
            notices.append(Notice("bad", "", "", name, f"line {number}: not an accepted slowdown"))


def read_baselines(folder, devices):
    """({device's folder: {cell: line}}, notices) of ci/baselines/DEVICE.jsonl, if any."""
    found, notices = {}, []
    for device in devices:
        name = f"{device}.jsonl"
        try:
            with open(files.path_of(folder, name), "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        except OSError as error:
            notices.append(Notice("bad", device, "", name, f"cannot be read: {error.strerror}"))
            continue
        for number, raw in enumerate(lines, 1):
            try:
                value = store.DECODER.decode(raw.decode("utf-8"))
            except (UnicodeDecodeError, ValueError, RecursionError):
                value = None
            if isinstance(value, dict) and (number_of(value.get("us")) or 0) > 0 and \
                    all(type(value.get(word)) is str for word in ("cell", "commit", "date")):
                found.setdefault(device, {})[value["cell"]] = value
            else:
                notices.append(Notice("bad", device, "", name, f"line {number}: not a line of a baseline"))
    return found, notices
