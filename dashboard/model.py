"""The pages' content, device by device, from the summaries of all files (read.py)."""
import bisect
import collections
import datetime
import functools
import math
import re
import statistics

from ci import baseline
from dashboard import read
from tools import bench
from tools.farm import rows, standard, store, verdicts
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW

# A night's summary has a line for each family; FAMILY_OF maps primitives to families.
FAMILY_OF = {name: cell["area"] for name, cell in store.description()["cells"].items() if cell["area"]}
FAMILIES = list(dict.fromkeys(FAMILY_OF.values()))
WEEK = 7  # days

GRAPH_BYTES = 4 * bench.MIB  # up to this size the farm replays graphs: a stream would measure the host
REPORTED = math.expm1(verdicts.REPORTED)  # smaller changes are ignored
AHEAD = 0.97  # of the peer's speed, from which on a cell is not behind it

# A cell on a night: the run, and its measurement.
Point = collections.namedtuple("Point", "run measure")
# A cell that differs from its previous measurement. what: faster, slower, overtaken, accepted, new, wrong, mended,
# gone; reason: of an accepted slowdown; of an overtaken cell, the peer and its times.
Change = collections.namedtuple("Change", "what key text before now ratio beyond reason", defaults=("",))
# A family on a night: number of cells; geometric means of the speed against the fastest peer and against a week before
# (None without such cells), and their numbers of cells.
Summary = collections.namedtuple("Summary", "family cells of_peer with_peer of_week with_week")


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def count_text(n):
    """1M if exact, else the digits."""
    for unit, name in ((bench.GIB, "G"), (bench.MIB, "M"), (bench.KIB, "K")):
        if n >= unit and n % unit == 0:
            return f"{n // unit}{name}"
    return f"{n:,}"


def label_of(key):
    """kind_text for readers: a graph without the kind that its words begin with."""
    return kind_text(key._replace(dist="uniform") if key.words.startswith(f"graph={key.dist}") else key)


def types_text(key):
    types = key.in_ if key.in_ == key.out else f"{key.in_}>{key.out}"
    return types + (f" in {key.acc}" if key.acc not in (key.out, key.in_) else "")


def kind_text(key):
    """A chart line's key: everything but size and protocol."""
    offsets = f"+{key.in_offset}/+{key.out_offset}" if key.in_offset or key.out_offset else ""
    return " ".join(part for part in (key.op, types_text(key), key.words, offsets,
                                      key.dist if key.dist != "uniform" else "") if part)


def anchor(key):
    return "c-" + slug(f"{kind_text(key)} {key.protocol} {key.n}")


def kind_anchor(key):
    return "k-" + slug(f"{kind_text(key)} {key.protocol}")


def input_bytes(key):
    """The size by which cells are aligned, or None for unknown types."""
    try:
        return bench.input_bytes({"in": key.in_, "n": key.n})
    except (KeyError, ValueError):
        return None


@functools.lru_cache(maxsize=None)
def farm_cell(key):
    """The farm's name for a cell, or None: the row depends on its group and the logarithm of its bytes."""
    cell = store.Cell(key.primitive, key.op, key.in_, "", key.out, key.n, key.protocol, key.words)
    try:
        cell = cell._replace(acc=key.acc) if cell.folds else cell
        return cell if store.is_known(cell) and cell.group and cell.log2 >= 0 else None
    except (KeyError, ValueError):
        return None


def best_peer(measure):
    """(label, Timing) of the fastest peer, or None."""
    known = [(timing.us, label) for label, timing in measure.peers.items() if timing.status == "ok"]
    return (min(known)[1], measure.peers[min(known)[1]]) if known else None


def roof_of(measure):
    known = [timing for timing in measure.roofs.values() if timing.status == "ok" and timing.gbs]
    return max(known, key=lambda timing: timing.gbs) if known else None


class Device:
    """Everything known about a folder's devices. history: {Key: [Point]}, oldest first; timed: the points that count
    (by_night); addresses: {Key: name of its page}."""

    def __init__(self, folder):
        self.folder, self.names, self.runs, self.files, self.notices = folder, {}, [], [], []
        self.history, self.timed, self.nights, self.addresses = {}, {}, [], {}
        self.compared = []  # regression runs, from read.py
        self.copies = {}  # {(run's order, protocol, size): us of the library's fastest copy in a regression run}
        self.codes = {}  # {(commit, farm's cell): machine code of the library's own choice}
        self.ladders, self.landscapes, self.programs, self.online, self.quality = [], [], [], [], []
        self.reyes, self.transfers, self.applications = [], [], []

    @property
    def title(self):
        return max(self.names, key=lambda name: self.names[name]) if self.names else self.folder

    def environments(self):
        """Of any form."""
        return [run.environment for run in self.runs] + \
            [one for file in self.files if file.farm for one in file.farm.environments.values()]

    @functools.cached_property
    def environment(self):
        """The newest one."""
        return max(self.environments(), key=lambda one: one["date"], default={})

    @functools.cached_property
    def last_night(self):
        return max((run.night for run in self.runs), default="")

    def latest(self, key):
        return self.history[key][-1]

    def primitives(self):
        return {key.primitive for key in self.history}

    def cells(self, primitive):
        order = {name: number for number, name in enumerate(bench.TYPES)}
        return sorted((key for key in self.history if key.primitive == primitive),
                      key=lambda key: (key.protocol != "cold", key.op, key.words, key.dist != "uniform", key.dist,
                                       order.get(key.in_, 99), key.out, key.acc, key.in_offset, key.out_offset, key.n))

    def verdict_runs(self):
        """[(night, file, environments of base and tree, verdicts)] of the regression runs, oldest first."""
        found = []
        for file in self.files:
            if file.farm and file.farm.verdicts:
                groups = collections.OrderedDict()
                for verdict, evidence in file.farm.verdicts:
                    groups.setdefault((verdict["base"], verdict["env"]), []).append((verdict, evidence))
                for (base, new), those in groups.items():
                    known = file.farm.environments
                    dates = [known[name]["date"] for name in (base, new) if name in known]
                    found.append((min(dates, default=file.night), file, known.get(base, {}), known.get(new, {}), those))
        return sorted(found, key=lambda one: one[0])


def devices_of(files):
    found = {}
    for file in files:
        device = found.setdefault(file.device, Device(file.device))
        device.files.append(file)
        device.notices += file.notices
        if file.ladder:
            device.ladders.append(file)
            if type(file.ladder.get("device")) is str:
                device.names.setdefault(file.ladder["device"], file.night)
        if file.programs:
            device.programs.append(file)
        if file.online:
            device.online.append(file)
            device.names.setdefault(file.online["device"], file.night)
        if file.reyes:
            device.reyes.append(file)
            device.names.setdefault(file.reyes["device"], file.night)
        if file.transfers:
            device.transfers.append(file)
            device.names.setdefault(file.transfers["device"], file.night)
        if file.application:
            device.applications.append(file)
            device.names.setdefault(file.application.device, file.night)
        if file.quality:
            device.quality.append(file)
            device.names.setdefault(file.quality["environment"]["device"], file.night)
        environments = [run.environment for run in file.bench] + \
            list(file.farm.environments.values() if file.farm else ())
        for one in environments:
            device.names[one["device"]] = max(one["date"], device.names.get(one["device"], ""))
        device.runs += [run for run in file.bench if run.cells and not file.name.startswith("landscape/")]
        device.compared += file.farm.compared if file.farm else []
        if file.farm and "landscape" in file.farm.phases:
            device.landscapes.append(file)
    for device in found.values():
        finish(device)
    notice_twins(found)
    return [found[name] for name in sorted(found)]


def finish(device):
    device.runs.sort(key=lambda run: run.order)
    for run in device.runs:
        for key, measure in run.cells.items():
            if measure.ours:
                device.history.setdefault(key, []).append(Point(run, measure))
    add_compared(device)
    device.timed = {key: by_night(points) for key, points in device.history.items()}
    device.nights = sorted({file.night for file in device.files if file.night})
    for file in device.files:
        for (env, cell), code in (file.farm.codes if file.farm else {}).items():
            device.codes[commit_key(file.farm.environments.get(env, {}).get("commit")), cell] = code
    give_addresses(device)
    notice_names(device)
    notice_gaps(device)
    notice_repeats(device)
    notice_cut_short(device)


def add_compared(device):
    """Adds cells without a benchmark from regression runs. Histories never mix the two: a benchmark measures in one
    process, a regression in several."""
    known = {farm_cell(key) for key in device.history}
    for run in sorted(device.compared, key=lambda run: run.order):
        for key, measure in run.cells.items():
            if key.primitive == "copy":
                place = run.order, key.protocol, size_class(key)
                device.copies[place] = min(measure.ours[0].us, device.copies.get(place, math.inf))
        run.cells = {key: measure for key, measure in run.cells.items() if farm_cell(key) not in known}
        for key, measure in run.cells.items():
            device.history.setdefault(key, []).append(Point(run, measure))
        device.runs += [run] if run.cells else []
    device.runs.sort(key=lambda run: run.order)


def size_class(key):
    """Equal for inputs whose sizes differ only by the rounding of n."""
    return round(math.log2(max(key.n * store.type_sizes().get(key.in_, 1), 1)), 1)


def is_compared(point):
    return point.run.set == read.COMPARED


def of_copy(device, key):
    """The time of the library's copy of as many input bytes, in the same regression run, over the cell's; or None."""
    point = device.latest(key)
    place = point.run.order, key.protocol, size_class(key)
    copy = device.copies.get(place) if is_compared(point) and key.protocol != "first_call" else None
    return copy / point.measure.ours[0].us if copy else None


def commit_key(commit):
    """Stores abbreviate commits differently; "+" marks a changed tree."""
    return (commit or "")[:7] + "+" * (commit or "").endswith("+")


def give_addresses(device):
    """A cell's page, below its primitive's folder: its anchor, with a number if two cells share it."""
    taken = set()
    for key in sorted(device.history):
        name, number = anchor(key)[2:], 2
        while (key.primitive, name) in taken:
            name, number = f"{anchor(key)[2:]}-{number}", number + 1
        taken.add((key.primitive, name))
        device.addresses[key] = name


def say(device, level, text, night="", file=""):
    device.notices.append(read.Notice(level, device.folder, night, file, text))


def notice_names(device):
    if len(device.names) > 1:
        spans = ", ".join(f"{name} (last on {date[:10]})" for name, date in
                          sorted(device.names.items(), key=lambda item: item[1]))
        say(device, "bad", f"the device of this folder goes by {len(device.names)} names: {spans}. They are shown as "
            "one; rows of the table go by the name")
    elif device.names and bench.folder_name(device.title) != device.folder:
        say(device, "note", f"measurements of {device.title} are in a folder of another name; tools/bench.py would "
            f"use {bench.folder_name(device.title)}")


def notice_twins(found):
    """A device renamed by its driver has a second folder."""
    boards = collections.defaultdict(list)
    for device in found.values():
        one = device.environment
        board = tuple(one.get(name) for name in ("compute_capability", "multiprocessors", "memory_bytes"))
        if all(board):
            boards[board].append(device)
    for those in boards.values():
        for device in those[1:]:
            say(device, "note", f"{those[0].title} and {device.title} have as many multiprocessors and as much "
                "memory: if one was renamed, its history goes on in the other folder")


def days_between(first, last):
    """Dates from the first to the last one, as 2026-11-22; none if one of them is not a date."""
    try:
        start, end = (datetime.date.fromisoformat(text) for text in (first, last))
    except ValueError:
        return []
    return [(start + datetime.timedelta(days)).isoformat() for days in range((end - start).days + 1)]


def notice_gaps(device):
    if device.nights:
        missing = sorted(set(days_between(device.nights[0], device.nights[-1])) - set(device.nights))
        if missing:
            named = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
            say(device, "note", f"{len(missing)} nights without a measurement between {device.nights[0]} and "
                f"{device.nights[-1]}: {named}")


def notice_repeats(device):
    """Cells that several runs of a night measured."""
    nights = collections.defaultdict(lambda: (set(), set()))
    for key, points in device.history.items():
        for before, point in zip(points, points[1:]):
            if before.run.night == point.run.night:
                cells, runs = nights[point.run.night]
                cells.add(key)
                runs.update((before.run.order, point.run.order))
    for night, (cells, runs) in sorted(nights.items()):
        say(device, "note", f"{counted(len(cells), 'cell')} were measured by several of {len(runs)} runs of this "
            f"night, begun {min(runs)[0]} to {max(runs)[0]}: the latest one counts", night)


def counted(count, word):
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def notice_cut_short(device):
    """A run that measured fewer cells than requested. A request for some cells of a list is complete with these; older
    files do not record the request."""
    for run in device.runs:
        planned = run.environment.get("planned")
        if type(planned) is int and len(run.cells) < planned:
            say(device, "bad", f"the {run.set} run of {run.environment['date']} was asked for "
                f"{counted(planned, 'cell')} and reached {len(run.cells)}", run.night)


# ---- what changed ----------------------------------------------------------------------------------------------------


def change_of(key, points, last_night):
    """A cell's change since the previous night, or None. Cells of a regression run have its verdict instead."""
    now = points[-1]
    if is_compared(now):
        return None
    before = next((point for point in reversed(points[:-1]) if point.run.night != now.run.night), None)
    if now.run.night != last_night:
        return None
    ours, text = now.measure.ours[0], now.measure.text
    if before is None:
        return Change("new", key, text, None, now, None, False) if ours.status == "ok" else \
            Change("wrong", key, text, None, now, None, True)
    old = before.measure.ours[0]
    if "ok" in (ours.status, old.status) and ours.status != old.status:
        return Change("mended" if ours.status == "ok" else "wrong", key, text, before, now, None, True)
    if ours.status != "ok":
        return Change("wrong", key, text, before, now, None, True)
    ratio = ours.us / old.us
    noise = max(REPORTED, 1.96 * math.hypot(ours.cv, old.cv))
    if abs(math.log(ratio)) <= math.log1p(noise):
        return overtaken(key, before, now, ratio)
    return Change("slower" if ratio > 1 else "faster", key, text, before, now, ratio, True)


def overtaken(key, before, now, ratio):
    """The change of a cell that takes as long as before, where a peer, or a newer one, now takes less; or None."""
    def fastest(point):
        return min(((peer.us, name, peer.cv) for name, peer in point.measure.peers.items() if peer.status == "ok"),
                   default=None)
    old, new, ours = fastest(before), fastest(now), now.measure.ours[0]
    if not old or not new or old[0] < before.measure.ours[0].us * AHEAD:
        return None
    noise = max(REPORTED, 1.96 * math.hypot(ours.cv, new[2]))
    if new[0] >= ours.us * AHEAD or math.log(ours.us / new[0]) <= math.log1p(noise):
        return None
    return Change("overtaken", key, now.measure.text, before, now, ratio, True,
                  f"{new[1]} {new[0]:.1f} us; before, {old[1]} {old[0]:.1f}")


def judged(change, device, accepted):
    """A change; an accepted slowdown becomes `accepted`."""
    if change.what != "slower":
        return change
    before, now = change.before.run.environment, change.now.run.environment
    reason = next((line["reason"] for line in accepted if verdicts.accepts(
        line, now.get("device") or device.title, change.text, before["commit"], now["commit"], change.ratio)), "")
    return change._replace(what="accepted", reason=reason) if reason else change


def changes_of(device, night=None, accepted=()):
    """{what: [Change]} for a night (the last one), largest first. accepted: lines of ci/baselines/accepted.jsonl."""
    found, night = collections.defaultdict(list), night or device.last_night
    for key, points in device.history.items():
        here = bisect.bisect_right(points, night, key=night_of_point)
        change = change_of(key, points[:here], night) if here else None
        if change:
            change = judged(change, device, accepted)
            found[change.what].append(change)
    for those in found.values():
        those.sort(key=lambda change: (-abs(math.log(change.ratio)) if change.ratio else 0, change.text))
    return found


def by_night(points):
    """The points of a cell's history that count: each night's last one, if it has a time."""
    found = {}
    for point in points:
        if point.measure.ours[0].status == "ok":
            found[point.run.night] = point
    return [found[night] for night in sorted(found)]


def code_of(device, key, point):
    """The machine code of a point, if a store of the same commit has it; else ""."""
    return device.codes.get((commit_key(point.run.environment["commit"]), farm_cell(key)), "") if device.codes else ""


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def days_earlier(night, days):
    try:
        return (datetime.date.fromisoformat(night) - datetime.timedelta(days)).isoformat()
    except ValueError:
        return ""


def night_of_point(point):
    return point.run.night


def summary_of(device, night):
    """[Summary] of a night: all cells first, then the measured families. A week before is a cell's last measurement
    that is at least seven days older."""
    rows, week = collections.defaultdict(lambda: (set(), [], [])), days_earlier(night, WEEK)
    for key, good in device.timed.items():
        here = bisect.bisect_left(good, night, key=night_of_point)
        if here == len(good) or good[here].run.night != night:
            continue
        ours = good[here].measure.ours[0]
        then = bisect.bisect_right(good, week, key=night_of_point)
        before = good[then - 1] if then else None
        for family in ("all", FAMILY_OF.get(key.primitive, key.primitive)):
            cells, peers, weeks = rows[family]
            cells.add(key)
            peers += [ours.of_peer] if ours.of_peer else []
            weeks += [before.measure.ours[0].us / ours.us] if before else []
    order = ["all", *FAMILIES]
    return [Summary(family, len(cells), geometric_mean(peers), len(peers), geometric_mean(weeks), len(weeks))
            for family, (cells, peers, weeks) in sorted(rows.items(), key=lambda one: (
                order.index(one[0]) if one[0] in order else len(order), one[0]))]


def change_points(values):
    """Positions at which a series of times changes to another level.

    Optimal partitioning of the logarithms under a squared loss (Killick, Fearnhead and Eckley, Optimal detection of
    changepoints with a linear computational cost, 2012, as in ruptures). The penalty comes from the noise between
    neighbours; a level lasts at least three nights and differs by 2 % from the previous one."""
    if len(values) < 8:
        return []
    import numpy as np
    import ruptures
    logs = np.log(np.asarray(values, float))
    sigma = max(np.median(np.abs(np.diff(logs))) / 0.9539, 1e-3)  # 0.6745 * sqrt(2), for normal values
    ends = ruptures.KernelCPD(kernel="linear", min_size=3).fit(logs[:, None]).predict(
        pen=4 * sigma ** 2 * math.log(len(logs)))
    starts, found = [0, *ends[:-1]], []
    levels = [float(np.median(logs[start:end])) for start, end in zip(starts, ends)]
    level = levels[0]
    for start, here in zip(starts[1:], levels[1:]):
        if abs(here - level) >= verdicts.REPORTED:
            found.append(start)
            level = here
    return found


# ---- the heat map ----------------------------------------------------------------------------------------------------

# A square: number of cells, and of those measured last night; medians over the cells of the share of the roof and of
# the speed against the fastest peer; numbers slower than a peer, and wrong; date of the newest. For cells of regression
# runs only: medians of the share of the copy (of_copy) and of the time.
Square = collections.namedtuple(
    "Square", "primitive log2 keys fresh of_roof of_peer gbs lost wrong newest lowest of_copy us")


def square_log2(key):
    """The column: sizes by factors of four, named by the smallest."""
    size = input_bytes(key)
    return None if size is None else column_of(size)


def column_of(size):
    return (size.bit_length() - 1) // 2 * 2


def counts_for_map(key):
    """Graphs up to 4 MiB if measured, else cold, as in the farm."""
    return key.protocol in ("cold", "cold_graph") or \
        (key.protocol == "graph" and (input_bytes(key) or 0) <= GRAPH_BYTES)


@functools.cache
def listed():
    """{(primitive, log2)} of the squares in the nights' standard list."""
    found = {(name, column_of(size)) for name in standard.CELLS for size in standard.SIZES}
    for text in standard.GRAPH_CELLS:
        name, type_, *words = text.split()
        n = int(dict(word.split("=", 1) for word in words)["n"])
        found.add((name, column_of(bench.input_bytes({"in": type_, "n": n}))))
    return found


def squares_of(device):
    """{(primitive, log2): Square} from each cell's newest measurement."""
    places = collections.defaultdict(list)
    usual = {key.primitive for key in device.history if counts_for_map(key) and square_log2(key) is not None}
    for key in device.history:
        log2 = square_log2(key)
        # Cells that are only measured another way, such as searches of graphs, keep their protocol.
        if log2 is not None and key.protocol != "first_call" and (counts_for_map(key) or key.primitive not in usual):
            places[key.primitive, log2].append(key)
    found = {}
    for (primitive, log2), keys in places.items():
        keys = [key for key in keys if not is_compared(device.latest(key))] or keys
        graphs = [key for key in keys if key.protocol == "graph"]
        found[primitive, log2] = square_of(device, primitive, log2, graphs or keys)
    return found


def beyond_the_roof(key, share):
    """Why a cell moves more bytes than the copy beside it, or "". Cold cells gain nothing from a cache."""
    if share is None or share <= 1 + REPORTED:
        return ""
    return "faster than the copy" if key.protocol == "cold" else "from cache"


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def square_of(device, primitive, log2, keys):
    points = {key: device.latest(key) for key in keys}
    ours = [point.measure.ours[0] for point in points.values()]
    good = [timing for timing in ours if timing.status == "ok"]
    ratios = [timing.of_peer for timing in good if timing.of_peer is not None]
    return Square(primitive, log2, sorted(keys), sum(point.run.night == device.last_night for point in points.values()),
                  median(timing.of_roof for timing in good), median(ratios), median(timing.gbs for timing in good),
                  sum(ratio < 1 for ratio in ratios), len(ours) - len(good),
                  max(point.run.night for point in points.values()), min(ratios, default=None),
                  median(of_copy(device, key) for key in keys), median(timing.us for timing in good))


# ---- rows of the table -----------------------------------------------------------------------------------------------


class Table:
    """Rows, and their background (build.table_job). decisions: {(scope, group, log2_from): decision}."""

    def __init__(self, found, members, regret, notes):
        self.rows, self.members, self.regret, self.notes = found, members, regret, notes
        self.by_group = collections.defaultdict(list)
        for row in found:
            self.by_group[row.group].append(row)

    def row_for(self, device, key):
        """(source, Row) that the table gives a call today; None for the header's rule."""
        cell = farm_cell(key)
        if cell is None:
            return None
        capability = device.environment.get("compute_capability", 0)
        source, row = rows.lookup(self.by_group[cell.group], self.members, device.title, capability, cell.group,
                                  cell.log2)
        return (source, row) if row else None

    def buckets(self, device, key):
        """[(n from, n to, Row)] of the group of a kind of cells, in elements."""
        cell = farm_cell(key)
        if cell is None or not cell.bytes:
            return []
        each = cell.bytes / cell.n
        classes = {name for name, member in self.members if member == device.title}
        scopes = {device.title, "portable", *(f"class:{name}" for name in classes)}
        return [((1 << row.log2_from) / each, (1 << row.log2_to) / each, row)
                for row in self.by_group[cell.group] if row.scope in scopes]


def policy_short(text):
    """A policy for readers: without fields that are 0 or usual."""
    if not text:
        return ""
    policy = store.policy_of(text)
    if "threads" not in policy or "algorithm" not in policy:
        return text.replace(",", ", ")
    parts = [f"{policy['algorithm']} {policy['threads']}×{policy.get('vectors', 0)}"]
    for name, label in (("load", "load"), ("store", "store")):
        if policy.get(name) not in (None, "ALL", "DEFAULT", "(null)"):
            parts.append(f"{label} {policy[name]}")
    for name, label in (("stages", "stage"), ("blocks_per_sm", "block")):
        if policy.get(name):
            parts.append(f"{policy[name]} {label}{'' if policy[name] == 1 else 's'}")
    if policy.get("overlap") not in (None, 0, 1):
        parts.append(f"overlap {policy['overlap']}")
    return ", ".join(parts)


# ---- regressions -----------------------------------------------------------------------------------------------------

# A verdict with its run. state: open, or what closed it: "FAST on 2026-..."; reason: of an accepted one.
Case = collections.namedtuple("Case", "date night file base new verdict evidence state reason")


def cell_text(verdict):
    return store.cell_of(verdict).text


def after(case, date, base, outcome):
    """The effect of a later verdict on an open case. The base stays until a night finds nothing slower, so a reverted
    slowdown shows as SAME as that base; SAME as a slow base says nothing."""
    if outcome == FAST:
        return f"FAST on {date[:10]}"
    if outcome in (SLOW, SAME) and base.get("commit") and base["commit"] == case.base.get("commit"):
        return f"SLOW again on {date[:10]}" if outcome == SLOW else f"SAME as that base on {date[:10]}"
    return "open"


def cases_of(device, accepted):
    """(open, past, others): SLOW verdicts that are open, closed ones, newest first; UNSURE, NO DATA and FAST of the
    last run. accepted: lines of ci/baselines/accepted.jsonl."""
    runs = device.verdict_runs()
    slow, others, last = [], [], collections.defaultdict(list)  # last: a cell's open cases, by position
    for date, file, base, new, those in runs:
        for verdict, evidence in those:
            cell, outcome = store.cell_of(verdict), verdict["outcome"]
            for place in last[cell]:
                slow[place] = slow[place]._replace(state=after(slow[place], date, base, outcome))
            last[cell] = [place for place in last[cell] if slow[place].state == "open"]
            reason = next((line["reason"] for line in accepted if outcome == SLOW and verdicts.accepts(
                line, new.get("device"), cell.text, base.get("commit"), new.get("commit"), verdict["low"])), "")
            case = Case(date, date[:10], file, base, new, verdict, evidence, "accepted" if reason else "open", reason)
            if outcome == SLOW:
                last[cell] += [len(slow)] * (not reason)
                slow.append(case)
            if (date, file) == runs[-1][:2] and outcome in (FAST, NO_DATA, "UNSURE"):
                others.append(case)
    slow.reverse()
    return [one for one in slow if one.state == "open"], [one for one in slow if one.state != "open"], others


def drift_of(device, baselines):
    """[(cell, time over its baseline's, night, line of the baseline)], worst first: each cell's last regression run,
    unless it is older than the baseline."""
    lines, newest = baselines.get(device.folder, {}), {}
    for date, file, _, _, _ in device.verdict_runs():
        newest.update({text: (date[:10], us) for text, us in file.farm.times.items()})
    times = {text: us for text, (night, us) in newest.items() if text in lines and night >= lines[text]["date"]}
    return [(text, ratio, newest[text][0], line) for text, ratio, line in baseline.beyond(times, lines)]


# Two nights of one commit. files: theirs; cells: {cell: (base of the first, verdict, base of the second, verdict)} for
# cells that both judged; times: {cell's text: the second night's time over the first's}.
Twice = collections.namedtuple("Twice", "commit files cells times")


def differ(one):
    """Whether an entry of Twice.cells has two outcomes against one base."""
    return one[0] == one[2] and one[1]["outcome"] != one[3]["outcome"]


def repeats_of(device):
    """[Twice] of the regression runs, each with the next one of its commit, oldest first."""
    nights = collections.OrderedDict()  # {(commit, file's name): (file, {cell: (base, verdict)})}
    for _, file, base, new, those in device.verdict_runs():
        commit = commit_key(new.get("commit"))
        if commit and not commit.endswith("+"):
            cells = nights.setdefault((commit, file.name), (file, {}))[1]
            cells.update({store.cell_of(verdict): (commit_key(base.get("commit")), verdict) for verdict, _ in those})
    found, last = [], {}
    for (commit, _), (file, cells) in nights.items():
        if commit in last:
            before, old = last[commit]
            times = {text: us / before.farm.times[text] for text, us in file.farm.times.items()
                     if text in before.farm.times}
            found.append(Twice(commit, (before, file), {cell: old[cell] + cells[cell] for cell in cells
                                                        if cell in old}, times))
        last[commit] = file, cells
    return [one for one in found if one.cells]


# Two tunes of one commit. both: rows that exist after either; gone, new: rows that the second one removed and added;
# each (group, log2_from, log2_to, policy). Only groups of both tunes.
Retune = collections.namedtuple("Retune", "commit files groups both gone new")


def retunes_of(device):
    """[Retune] of the stores with decisions, each with the next one of its commit, oldest first. Rows follow from all
    decisions up to then."""
    found, last, before = [], {}, []
    for file in sorted((file for file in device.files if file.farm and file.farm.decisions),
                       key=lambda file: (min(one["date"] for one in file.farm.decisions), file.name)):
        own = collections.defaultdict(list)
        for one in file.farm.decisions:
            own[commit_key(file.farm.environments.get(one["env"], {}).get("commit"))].append(one)
        before = before + file.farm.decisions
        for commit, decisions in own.items():
            groups = {(one["scope"], one["group"]) for one in decisions}
            if commit in last and commit and not commit.endswith("+"):
                other, standing, looked = last[commit]
                both = groups & looked
                one, two = (rows_in(state, both) for state in (standing, standing + decisions))
                if both:
                    found.append(Retune(commit, (other, file), len(both), one & two, sorted(one - two),
                                        sorted(two - one)))
            last[commit] = file, before, groups
    return found


def rows_in(decisions, places):
    found = rows.fold(decisions)
    return {(row.group, row.log2_from, row.log2_to, store.policy_text(row.policy)) for place in places
            for row in found.get(place, [])}


def controls_of(device):
    """[(night, controls, share with p below the level, limit, passed, alarms)] for each regression run; alarms are
    controls called SLOW or FAST."""
    found = []
    for date, file, _, new, those in device.verdict_runs():
        controls = [verdict for verdict, _ in those if verdict["control"]]
        known = [verdict["p"] for verdict in controls if verdict["p"] is not None and verdict["stage"] == 1]
        check = next((one for one in file.farm.checks if one["name"] == "controls" and one["env"] == new.get("id")),
                     None)
        found.append({"date": date[:10], "controls": len(controls), "tested": len(known),
                      "rate": check["value"] if check else None, "limit": check["limit"] if check else None,
                      "passed": check["passed"] if check else None,
                      "alarms": sum(verdict["outcome"] in (SLOW, FAST) for verdict in controls),
                      "ratios": [verdict["ratio"] for verdict in controls if verdict["ratio"] is not None]})
    return found
