"""The pages: the data of each template. A page draws its own pictures."""
import collections
import csv
import datetime
import hashlib
import io
import json
import math
import re
import shlex
import statistics
import urllib.parse

from ci import baseline
from dashboard import commits, figures, model, read, reports
from tools import bench
from tools.farm import evidence, landscape, store, verdicts
from tools.farm import rows as rows_of_farm

NO_DATA = "NO DATA"
SHOWN_NIGHTS = 30  # of a history's numbers on the page; the CSV file has all
MOST_DOTS = 60     # lines of a dot plot
MOST_CASES = 100   # verdicts with their evidence on a page
DRAWN_CASES = 20   # those with a picture


class Site:
    """Everything that pages are made of. landscapes: {(device's folder, file's name): landscape's tables}; accepted,
    told: what read.read_accepted found, and its notices; stray: the notices of read.files_below; reports: what
    reports.reports_below found; repository: the checkout whose commits were measured; url: its address on the web, or
    ""; home: the address of these pages, or ""; docs: where the documentation is, below these pages, or "";
    baselines: what read.read_baselines found.
    """

    def __init__(self, devices, table, landscapes, stray, accepted, told, written, today, folder, repository="", url="",
                 home="", docs="", baselines=None):
        self.devices, self.table, self.landscapes, self.stray = devices, table, landscapes, stray
        self.accepted, self.told, self.reports, self.today, self.folder = accepted, told, written, today, folder
        self.url, self.home, self.docs, self.baselines = url.rstrip("/"), home, docs, baselines or {}
        measured = {one.get("commit") or "" for device in devices for one in device.environments()}
        pairs = {(before.run.environment["commit"], point.run.environment["commit"]) for device in devices
                 for points in device.history.values() for before, point in zip(points, points[1:])}
        pairs |= {(base.get("commit", ""), new.get("commit", "")) for device in devices
                  for _, _, base, new, _ in device.verdict_runs()}
        self.commits = commits.Commits(repository, self.url, measured, pairs)
        self.verdicts = {device.folder: verdicts_of(device) for device in devices}

    def age(self, night):
        """Days since a night, or None."""
        try:
            return (datetime.date.fromisoformat(self.today) - datetime.date.fromisoformat(night)).days
        except ValueError:
            return None

    def notices(self):
        order = {"bad": 0, "note": 1}
        found = [notice for device in self.devices for notice in device.notices]
        found += self.stray + self.told
        return sorted(found, key=lambda notice: (order[notice.level], notice.device, notice.night, notice.file))


def verdicts_of(device):
    """{farm's cell: [(date, file, base, new, verdict)]}, oldest first."""
    found = collections.defaultdict(list)
    for date, file, base, new, those in device.verdict_runs():
        for verdict, _ in those:
            found[store.cell_of(verdict)].append((date, file, base, new, verdict))
    return found


def age_text(days):
    if days is None:
        return ""
    return "today" if days == 0 else "1 day old" if days == 1 else f"{days} days old" if days > 0 else "in the future"


class Page:
    """A page in the making: its path, and the pictures, CSV and JSON files that it leaves beside it."""

    def __init__(self, site, path, shelf):
        self.site, self.path, self.shelf = site, path, shelf
        self.root = "../" * path.count("/")
        self.prefix = ".".join(map(model.slug, path.removesuffix(".html").split("/")))

    def figure(self, name, spec, title, alt, table=None, note=""):
        """A picture with its numbers, for the macro `figure` of macros.html."""
        file = f"{self.prefix}.{model.slug(name)}"
        width, height = self.shelf.picture(file, spec)
        found = {"title": title, "alt": alt, "id": "f-" + model.slug(name), "svg": f"{self.root}img/{file}.svg",
                 "width": width, "height": height, "note": note, "table": None}
        if table:
            found["table"] = self.table(name, *table)
        return found

    def table(self, name, columns, rows, shown=None, forms=None):
        """Numbers for a page, and all of them as CSV and JSON. Only the files have columns without values. columns:
        titles; a row's entry is a value or (value, text); forms: {column: function from a value to (value, text)} for
        display."""
        file = f"{self.prefix}.{model.slug(name)}"
        values = [[plain(entry) for entry in row] for row in rows]
        out = io.StringIO()
        write_csv(out, columns, values)
        self.shelf.text(f"csv/{file}.csv", out.getvalue())
        text = json_of(f"{self.path}: {name}", columns, values)
        self.shelf.text(f"json/{file}.json", text + "\n")
        kept, forms = rows[-shown:] if shown else rows, forms or {}
        kept = [[forms[place](entry) if place in forms else entry for place, entry in enumerate(row)] for row in kept]
        places = [place for place in range(len(columns)) if not values or any(row[place] is not None for row in values)]
        return {"columns": [columns[place] for place in places],
                "rows": [[text_of(row[place]) for place in places] for row in kept],
                "numeric": [is_numeric(values, place) for place in places],
                "csv": f"{self.root}csv/{file}.csv", "json": f"{self.root}json/{file}.json", "text": text,
                "left": len(rows) - len(kept)}

    def commit(self, commit):
        """Address of a commit, or ""."""
        name = commits.name_of(commit)
        return f"{self.root}commits.html#{name}" if name in self.site.commits.known else ""

    def diff(self, before, after):
        """Address of the changes between two commits, or ""."""
        path = self.site.commits.path_of(before or "", after or "")
        return self.root + path if path else ""


def write_csv(out, columns, rows):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([NO_DATA if entry is None else entry for entry in row] for row in rows)


def json_of(title, columns, rows):
    """Numbers in the form of dashboard/README.md; NO DATA is null."""
    return json.dumps({"title": title, "columns": list(map(str, columns)), "rows": rows}, ensure_ascii=False,
                      allow_nan=False)


def plain(entry):
    """The value of an entry, with eight digits; None if missing."""
    value = entry[0] if type(entry) is tuple else entry
    if type(value) is float:
        return float(f"{value:.8g}") if math.isfinite(value) else None
    return None if value == NO_DATA else value


def text_of(entry):
    if isinstance(entry, tuple):
        return entry[1]
    if entry is None:
        return NO_DATA
    return f"{entry:.4g}" if isinstance(entry, float) else str(entry)


def is_numeric(rows, column):
    kinds = {type(row[column]) for row in rows}
    return bool(kinds & {int, float}) and kinds <= {int, float, bool, type(None)}


def percent(value, digits=0):
    if value is None:
        return value, NO_DATA
    return value, "<1 %" if not digits and 0 < value < 0.005 else f"{100 * value:.{digits}f} %"


def times(value):
    return (value, NO_DATA) if value is None else (value, f"{value:.2f}×" if value < 9.995 else f"{value:.0f}×")


def number(value, digits=1):
    return (value, NO_DATA) if value is None else (value, f"{value:,.{digits}f}")


def speed(value):
    return (value, NO_DATA) if value is None else (value, f"{value:,.0f}" if value >= 100 else f"{value:.3g}")


# ---- Today -----------------------------------------------------------------------------------------------------------


def primitive_path(device, primitive):
    return f"{device.folder}/{file_name(primitive)}.html"


def file_name(primitive):
    """A store's name for a primitive may be any text."""
    return primitive if re.fullmatch(r"[a-z0-9_]{1,60}", primitive) else \
        f"{model.slug(primitive)[:60]}-{hashlib.sha256(primitive.encode()).hexdigest()[:8]}"


def cell_path(device, key):
    return f"{device.folder}/{file_name(key.primitive)}/{device.addresses[key]}.html"


def map_of(device):
    """(specification of the heat map, table of its numbers), for Today and README's picture."""
    squares = model.squares_of(device)
    sizes = columns_of(squares)
    rows, numbers = [], []
    known, never = names_of(device)
    for name in known:
        row = {"label": name.replace("_", " "), "squares": [], "note": ""}
        own = [squares[name, log2] for log2 in sizes if (name, log2) in squares]
        if own:
            row["note"] = f"{model.counted(sum(len(square.keys) for square in own), 'cell')}, " \
                f"{max(square.newest for square in own)}"
        for log2 in sizes:
            square = squares.get((name, log2))
            if square is None:
                row["squares"].append(None)
                numbers.append([name, bench.size_text(1 << log2), 0, None, None, None, 0, 0, "", None, None])
                continue
            row["squares"].append({"roof": square.of_roof, "ratio": square.of_peer, "lost": square.lost,
                                   "wrong": square.wrong, "stale": square.newest != device.last_night})
            numbers.append([name, bench.size_text(1 << log2), len(square.keys), percent(square.of_roof, 1),
                            times(square.of_peer), times(square.lowest), square.lost, square.wrong, square.newest,
                            percent(square.of_copy, 1), square.us])
        rows.append(row)
    numbers += [[name, "", 0, None, None, None, 0, 0, "", None, None] for name in never]
    spec = {"draw": "heat_map", "columns": [bench.size_text(1 << log2) for log2 in sizes], "rows": rows,
            "never": [name.replace("_", " ") for name in never]}
    columns = ["primitive", "input from, bytes", "cells", "of the roof (median)", "against the best peer (median)",
               "against the best peer (lowest)", "cells slower than a peer", "wrong cells", "newest",
               "of our copy (median)", "us (median)"]
    return spec, (columns, numbers)


def columns_of(squares):
    """Logarithms of the sizes, without gaps."""
    sizes = sorted({log2 for _, log2 in squares})
    return list(range(sizes[0], sizes[-1] + 1, 2)) if sizes else []


def names_of(device):
    """(measured primitives, in the library's order, those never measured)."""
    known = [name for name in store.primitives() if name in device.primitives()]
    return known + sorted(device.primitives() - set(known)), \
        [name for name in store.primitives() if name not in device.primitives()]


def never_of(names):
    """Primitives without a measurement: {"due": in the nights' list, "other": in no list of cells}."""
    listed = {name for name, _ in model.listed()}
    return {"due": [name for name in names if name in listed], "other": [name for name in names if name not in listed]}


def square_rows(page, device):
    """The heat map as a table whose entries link to the cells: {columns, rows: [{name, href, entries}], never}. An
    entry without a cell is "due" if the nights measure such cells, else None."""
    squares, listed = model.squares_of(device), model.listed()
    sizes, rows = columns_of(squares), []
    known, never = names_of(device)
    for name in known:
        path, entries = page.root + primitive_path(device, name), []
        for log2 in sizes:
            square = squares.get((name, log2))
            if square is None:
                entries.append("due" if (name, log2) in listed else None)
                continue
            share = square.of_copy if square.of_roof is None else square.of_roof
            shade, ink = figures.shade_of(share) if share is not None else ("", "")
            entries.append({
                "href": f"{path}#{anchor(device, square.keys[0])}", "cells": len(square.keys), "shade": shade,
                "ink": ink, "share": short_time(square.us) if share is None else percent(share)[1][:-2],
                "compared": share is not None and square.of_roof is None,
                "cached": (square.of_roof or 0) > 1 + model.REPORTED,
                "ratio": "" if square.of_peer is None else times(square.of_peer)[1], "lost": square.lost,
                "wrong": square.wrong, "old": square.newest != device.last_night, "newest": square.newest})
        rows.append({"name": name.replace("_", " "), "href": path, "entries": entries})
    return {"columns": [bench.size_text(1 << log2) for log2 in sizes], "rows": rows, "never": never_of(never)}


def short_time(us):
    """With two digits, for a square."""
    if us is None:
        return "–"
    value, unit = (us, "µs") if us < 999.5 else (us / 1e3, "ms")
    return f"{value:.2g} {unit}" if value < 99.5 else f"{value:.0f} {unit}"


def anchor(device, key):
    """A cell's row on its primitive's page."""
    return f"c-{device.addresses[key]}"


def change_rows(page, device, changes):
    found = []
    for change in changes:
        now, before = change.now, change.before
        found.append({"what": change.what, "text": change.text,
                      "href": page.root + cell_path(device, change.key),
                      "ratio": change.ratio, "before": before.measure.ours[0].us if before else None,
                      "reason": change.reason, "now": now.measure.ours[0].us, "status": now.measure.ours[0].status,
                      "before_night": before.run.night if before else "",
                      "commits": (before.run.environment["commit"] if before else "",
                                  now.run.environment["commit"])})
        found[-1]["diff"] = page.diff(*found[-1]["commits"])
        found[-1]["accept"] = acceptance_of_change(page.site, device, change) if change.what == "slower" else None
    return found


CHANGES = (("slower", "Slower"), ("overtaken", "Overtaken by a peer"), ("accepted", "Slower, and accepted"),
           ("wrong", "Wrong or failed"), ("faster", "Faster"), ("mended", "Right again"),
           ("new", "Measured for the first time"))


def today(page):
    site, sections = page.site, []
    for device in site.devices:
        changes = model.changes_of(device, accepted=site.accepted)
        changed = [(what, title, change_rows(page, device, changes.get(what, []))) for what, title in CHANGES]
        fresh = sum(points[-1].run.night == device.last_night for points in device.history.values())
        slow, _, _ = model.cases_of(device, site.accepted)
        notices = [notice for notice in site.notices() if notice.device == device.folder]
        section = {
            "device": device, "environment": device.environment, "peers": peers_of(device),
            "age": age_text(site.age(device.last_night)),
            "cells": len(device.history), "fresh": fresh, "primitives": len(device.primitives()),
            "every": len(device.primitives() | set(store.primitives())),
            "wrong": sum(points[-1].measure.ours[0].status != "ok" for points in device.history.values()),
            "squares": square_rows(page, device), "map": None, "open": len(slow), "summary": None,
            "no_peer": False, "no_week": False, "changes": changed,
            "bad": [one for one in notices if one.level == "bad"],
            "notes": [one for one in notices if one.level != "bad"],
            "drift": len(model.drift_of(device, site.baselines)),
            "reports": written_up(page, device.folder),
            "changes_csv": page.table(f"{device.folder} changes",
                                      ["what", "cell", "before, us", "now, us", "time now / before", "before",
                                       "commit before", "commit now", "reason"],
                                      [[row["what"], row["text"], row["before"], row["now"], row["ratio"],
                                        row["before_night"], *row["commits"], row["reason"]]
                                       for *_, rows in changed for row in rows])}
        if device.history:
            section["map"] = page.table(f"{device.folder} map", *map_of(device)[1])
            summary = model.summary_of(device, device.last_night)
            section["summary"] = summary_table(page, device, summary)
            section["no_peer"] = not any(one.with_peer for one in summary)
            section["no_week"] = not any(one.with_week for one in summary)
        sections.append(section)
    return {"sections": sections}


def peers_of(device):
    """The newest measured peer libraries, or ""."""
    return next((text for text in (one.get("peers") or "" for one in sorted(
        device.environments(), key=lambda one: one["date"], reverse=True)) if text and not text.startswith("none")), "")


def summary_table(page, device, summary):
    rows = [[one.family, one.cells, times(one.of_peer), one.with_peer or None, times(one.of_week),
             one.with_week or None] for one in summary]
    return page.table(f"{device.folder} summary", [
        "family", "cells", "speed against the fastest peer", "cells with a peer", "speed against a week before",
        "cells with a week before"], rows)


# ---- Primitive -------------------------------------------------------------------------------------------------------


def cell_row(page, device, key):
    point = device.latest(key)
    measure, ours = point.measure, point.measure.ours[0]
    found = page.site.table.row_for(device, key)
    row = None
    if found:
        source, one = found
        row = {"source": source, "provenance": one.provenance, "policy": model.policy_short(
            store.policy_text(one.policy)), "href": f"{page.root}table.html#{row_anchor(one)}",
            "other": store.policy_text(one.policy) != ours.policy,
            "bucket": bucket_text(one.log2_from, one.log2_to)}
    peer = model.best_peer(measure)
    return {"key": key, "anchor": anchor(device, key), "href": page.root + cell_path(device, key),
            "text": measure.text, "n": model.count_text(key.n),
            "size": read.bytes_text(model.input_bytes(key) or 0), "ours": ours,
            "speeds": {read.PEER_NAMES.get(label, label): timing for label, timing in measure.peers.items()},
            "roof": model.roof_of(measure), "peer": read.PEER_NAMES.get(peer[0], peer[0]) if peer else "",
            "policy": model.policy_short(ours.policy), "row": row, "night": point.run.night,
            "old": point.run.night != device.last_night, "commit": point.run.environment["commit"],
            "commit_href": page.commit(point.run.environment["commit"]),
            "beyond": model.beyond_the_roof(key, ours.of_roof), "compared": model.is_compared(point),
            "of_copy": model.of_copy(device, key), "label": model.label_of(key),
            "line": line_of(device.timed[key], 110, 22)}


def bucket_text(log2_from, log2_to):
    low = "0" if log2_from == 0 else bench.size_text(1 << log2_from)
    return f"{low} and more" if log2_to >= 64 else f"{low} to {bench.size_text(1 << log2_to)}"


def cells_csv(page, name, rows):
    peers = sorted({label for row in rows for label in row["speeds"]})
    columns = ["cell", "n", "status", "us", "GB/s", *(f"{label} GB/s" for label in peers), "roof GB/s", "of the roof",
               "against the best peer", "cv", "policy", "policy from", "row of the table", "night", "commit"]
    values = [[row["text"], row["key"].n, row["ours"].status, row["ours"].us, row["ours"].gbs,
               *((row["speeds"][label].gbs if label in row["speeds"] else None) for label in peers),
               row["roof"].gbs if row["roof"] else None, row["ours"].of_roof, row["ours"].of_peer, row["ours"].cv,
               row["ours"].policy, row["ours"].source, row["row"]["provenance"] if row["row"] else "", row["night"],
               row["commit"]] for row in rows]
    return page.table(name, columns, values)


def series_of(rows):
    """Lines of a chart: ours, each peer, the roof."""
    lines = collections.OrderedDict(ours=[])
    for row in rows:
        if row["ours"].gbs:
            lines["ours"].append([row["key"].n, row["ours"].gbs])
        for label, timing in row["speeds"].items():
            if timing.gbs:
                lines.setdefault(label, []).append([row["key"].n, timing.gbs])
    roof = [[row["key"].n, row["roof"].gbs] for row in rows if row["roof"]]
    if roof:
        lines["roof"] = roof
    return [{"name": name, "points": points} for name, points in lines.items() if points]


FLAT = 0.04  # a line's height covers at least this much: noise must look like noise


def line_of(points, width, height, nights=None):
    """A history as a line of an SVG: {"points", "marks": x of new levels, "policies": x of other policies, "low",
    "high": times in us, "first", "last": nights}; None with fewer than two nights."""
    if len(points) < 2:
        return None
    values = [point.measure.ours[0].us for point in points]
    low, high = min(values), max(values)
    middle, half = (low + high) / 2, max((high - low) / 2, FLAT / 2 * (low + high) / 2)
    step = (width - 4) / (len(points) - 1)
    policies = [place for place in range(1, len(points))
                if points[place].measure.ours[0].policy != points[place - 1].measure.ours[0].policy]

    def x(place):
        return f"{2 + step * place:.1f}"

    return {"points": " ".join(f"{x(place)},{height / 2 - (height / 2 - 2) * (value - middle) / half:.1f}"
                               for place, value in enumerate(values)), "width": width, "height": height,
            "marks": [x(place - 0.5) for place in model.change_points(values)], "policies": [x(p) for p in policies],
            "low": low, "high": high, "first": points[0].run.night, "last": points[-1].run.night}


def command_of(rows):
    """The command that measures these cells again, on the newest commit that measured one of them."""
    benched = [row for row in rows if not row["compared"]]
    rows = benched or rows
    newest = max(rows, key=lambda row: row["night"])
    if not benched:
        return regress_command("", newest["commit"], "\n".join(row["text"] for row in rows))
    commit = f"git checkout {newest['commit']}\n" if newest["commit"] else ""
    words = [f"  --cell {shlex.quote(row['text'])}" for row in rows]
    return commit + "python3 tools/bench.py \\\n" + " \\\n".join(words)


def primitive(page, device, name):
    kinds = collections.OrderedDict()
    for key in device.cells(name):
        kinds.setdefault(read.kind_of(key), []).append(key)
    sections, single = [], collections.OrderedDict()
    for kind, keys in kinds.items():
        rows = [cell_row(page, device, key) for key in keys]
        if len(keys) < 2:
            single.setdefault(kind.protocol, []).extend(rows)
            continue
        sections.append(kind_section(page, device, kind, keys, rows))
    for protocol, rows in single.items():
        sections.append(single_section(page, device, name, protocol, rows))
    wrong = [row for section in sections for row in section["rows"] if row["ours"].status != "ok"]
    return {"device": device, "name": name, "sections": sections, "wrong": wrong,
            "compared": any(section["has"]["of_copy"] for section in sections),
            "cells": sum(map(len, kinds.values())), "protocols": sorted({kind.protocol for kind in kinds})}


def peers_in(rows):
    return list(dict.fromkeys(label for row in rows for label in row["speeds"]))


def columns_in(rows):
    """The optional columns with a value in some cell."""
    return {"roof": any(row["roof"] for row in rows), "gbs": any(row["ours"].gbs is not None for row in rows),
            "of_roof": any(row["ours"].of_roof is not None for row in rows),
            "of_copy": any(row["of_copy"] is not None for row in rows),
            "policy": any(row["policy"] or row["ours"].source for row in rows),
            "line": any(row["line"] for row in rows),
            "peer": any(row["ours"].of_peer is not None for row in rows)}


def ratios_of(rows):
    """Our speed against each peer's and the roof's."""
    lines = collections.OrderedDict()
    for row in rows:
        for label, timing in row["speeds"].items():
            if timing.us and row["ours"].us:
                lines.setdefault(label, []).append([row["key"].n, round(timing.us / row["ours"].us, 4)])
    roof = [[row["key"].n, row["ours"].of_roof] for row in rows if row["ours"].of_roof is not None]
    if roof:
        lines["roof"] = roof
    return [{"name": name, "points": points} for name, points in lines.items()]


def kind_section(page, device, kind, keys, rows):
    title = f"{model.kind_text(kind)}, {kind.protocol.replace('_', ' ')}"
    name = f"{model.kind_text(kind)} {kind.protocol}"
    low, high = keys[0].n / 1.35, keys[-1].n * 1.35
    buckets = [one for one in page.site.table.buckets(device, keys[0]) if one[0] < high and one[1] > low]
    letters = [chr(ord("a") + place % 26) for place in range(len(buckets))]
    spec = {"draw": "curves", "xlabel": "n (elements)", "series": series_of(rows), "ratios": ratios_of(rows),
            "buckets": [[start, end, letter] for (start, end, _), letter in zip(buckets, letters)]}
    note = "; ".join(f"{letter} {model.policy_short(store.policy_text(row.policy))}"
                     for (_, _, row), letter in zip(buckets, letters))
    charts = [page.figure(name, spec, "Throughput over n", f"{kind.primitive} {title}: throughput over n of ours, the "
                          "peers and the roof, and our speed against theirs; shaded: rows of the policy table. The "
                          "table of cells below has the numbers.", note=f"Rows of the table: {note}" if note else "")
              ] if spec["series"] else []
    return {"id": model.kind_anchor(kind), "title": title, "rows": rows, "peers": peers_in(rows),
            "has": columns_in(rows), "figures": charts, "table": cells_csv(page, f"{name} cells", rows),
            "command": command_of(rows), "single": False}


def single_section(page, device, name, protocol, rows):
    drawn = [{"label": f"{row['label']}  n = {row['n']}", "values": values} for row in rows
             if (values := values_of(row))][:MOST_DOTS]
    title = f"Cells of one size, {protocol.replace('_', ' ')}"
    charts = []
    if drawn:
        charts.append(page.figure(f"single {protocol}", {"draw": "dots", "rows": drawn}, "Throughput",
                                  f"{name}, {title}: throughput of ours, the peers and the roof. The table of cells "
                                  "below has the numbers."))
    return {"id": f"single-{protocol}", "title": title, "rows": rows, "peers": peers_in(rows), "figures": charts,
            "has": columns_in(rows), "table": cells_csv(page, f"single {protocol} cells", rows),
            "command": command_of(rows), "single": True}


def values_of(row):
    found = {"ours": row["ours"].gbs} if row["ours"].gbs else {}
    found.update({label: timing.gbs for label, timing in row["speeds"].items() if timing.gbs})
    if row["roof"]:
        found["roof"] = row["roof"].gbs
    return found


def primitives(page):
    sections = []
    for device in page.site.devices:
        squares, rows = model.squares_of(device), []
        known, never = names_of(device)
        for name in known:
            keys = device.cells(name)
            own = [square for (primitive_, _), square in squares.items() if primitive_ == name]
            large = max(own, key=lambda square: square.log2, default=None)
            rows.append({"name": name, "href": page.root + primitive_path(device, name),
                         "cells": len(keys), "types": len({key.in_ for key in keys}),
                         "wrong": sum(device.latest(key).measure.ours[0].status != "ok" for key in keys),
                         "lost": sum((device.latest(key).measure.ours[0].of_peer or 1) < 1 for key in keys),
                         "roof": percent(large.of_roof)[1] if large else "",
                         "ratio": times(large.of_peer)[1] if large else "",
                         "size": bench.size_text(1 << large.log2) if large else "",
                         "night": max((device.latest(key).run.night for key in keys), default="")})
        sections.append({"device": device, "rows": rows, "never": never_of(never),
                         "first": first_calls(page, device)})
    return {"sections": sections}


def first_calls(page, device):
    """The costs of a cell's first call, in every run that measured it, newest first; or None."""
    names = "compiled_ms", "disk_ms", "memory_ms"
    found = [[run.night, line["cell"], *(number(read.number_of(line.get(name)), 3) for name in names),
              run.environment["commit"]] for run in reversed(device.runs) for line in run.others
             if line["kind"] == "first_call" and type(line.get("cell")) is str]
    newest = sum(row[0] == found[0][0] for row in found) if found else 0
    return page.table(f"{device.folder} first calls", [
        "night", "cell", "compiled, ms", "from disk, ms", "from memory, ms", "commit"], found[::-1],
        max(newest, 1)) if found else None


# ---- Regressions -----------------------------------------------------------------------------------------------------


def case_view(page, device, case, places, with_figure):
    verdict, cell = case.verdict, store.cell_of(case.verdict)
    found = case.evidence or {"pairs": [], "codes": ([], []), "policies": ([], [])}
    view = {"case": case, "verdict": verdict, "text": cell.text, "id": case_id(device, case, cell.text),
            "codes": found["codes"],
            "policies": [[model.policy_short(text) for text in side] for side in found["policies"]],
            "pairs": found["pairs"], "figure": None, "command": regress_command(
                case.base.get("commit"), case.new.get("commit"), cell.text),
            "href": places.get(cell, ""), "diff": page.diff(case.base.get("commit"), case.new.get("commit")),
            "accept": acceptance(page.site, device, case, cell.text)
            if case.state == "open" and verdict["outcome"] == model.SLOW else None}
    if with_figure and found["pairs"]:
        rows = [[place + 1, base, new, new / base if base and new else None]
                for place, (base, new) in enumerate(found["pairs"])]
        view["figure"] = page.figure(
            view["id"], {"draw": "pairs", "pairs": found["pairs"], "first": 6}, "Pair by pair",
            f"{cell.text}: time of the new tree over the base's, pair by pair.",
            (["pair", "base, us", "new, us", "new / base"], rows))
    return view


def case_id(device, case, text):
    return "v-" + model.slug(f"{device.folder} {case.date} {text}")


def acceptance(site, device, case, text):
    """The command that accepts a slowdown of a regression."""
    verdict = case.verdict
    return acceptance_form(site, device, case.night, f"{verdict['ratio']:.3f} times the base's time", {
        "device": case.new.get("device") or device.title, "cell": text, "commit": case.new.get("commit", ""),
        "base": case.base.get("commit", ""), "high": verdict["high"]})


def acceptance_of_change(site, device, change):
    """The same for a slowdown between two nights' benchmarks."""
    now, before = change.now.run, change.before.run
    return acceptance_form(site, device, now.night, f"{change.ratio:.3f} times the time of {before.night}", {
        "device": now.environment["device"], "cell": change.text, "commit": now.environment["commit"],
        "base": before.environment["commit"], "high": float(f"{change.ratio:.6g}")})


def acceptance_form(site, device, night, found, line):
    """{"command", "href", "reason"}: accepts by a command, or by a pull request that a web page of the repository
    opens; REASON marks the reason. line: the line in ci/baselines/accepted."""
    line, text = {**line, "reason": REASON}, line["cell"]
    name = model.slug(f"{device.folder} {night} {text}")[:120]
    command = f"ci/baseline.py --accept {shlex.quote(text)} --device {shlex.quote(line['device'])} " \
        f"--reason '{REASON}'\ngit switch -c accept-{name[:60]}\ngit add ci/baselines ci/measurements\n" \
        f"git commit -m {shlex.quote('Accepted: ' + text + ' is slower')}\n" \
        "git push -u origin HEAD && gh pr create --fill"
    words = {"filename": f"{name}.jsonl", "value": store.dump(line) + "\n", "quick_pull": "1",
             "message": f"Accepted: {text} is slower", "description":
             f"{found} on {line['device']}, {line['base']} to {line['commit']}."
             f"\n\nReason: {REASON}\n\nci/baseline.py writes the baselines that this changes."}
    usable = line["commit"] and line["base"] and line["high"] is not None
    return {"command": command, "href": f"{site.url}/new/main/ci/baselines/accepted?{urllib.parse.urlencode(words)}"
            if site.url and usable else "", "reason": REASON}


REASON = "WHY-IT-MAY-STAY"


def regress_command(base, new, text):
    checkout = f"git checkout {new}\n" if new else ""
    return f"{checkout}echo {shlex.quote(text)} > build/cells\n" \
        f"make regress BASE={base or 'BASE'} ARGS='--cells build/cells'"


def drift_rows(page, device, places):
    """Cells slower than their baseline, worst first, and their numbers: {"rows", "table"}."""
    found = model.drift_of(device, page.site.baselines)
    return {"rows": [{"text": text, "href": places.get(text, ""), "ratio": ratio, "night": night,
                      "since": line["date"], "commit": line["commit"]} for text, ratio, night, line in found],
            "table": page.table(f"{device.folder} drift",
                                ["cell", "time over the baseline's", "night", "since", "commit"],
                                [[text, ratio, night, line["date"], line["commit"]]
                                 for text, ratio, night, line in found]) if found else None}


def night_name(file):
    """A file's date, with the number of a date's second night."""
    parts = bench.FILE_NAME.fullmatch(file.name)
    number = parts and (parts["number"] or parts["earlier"])
    return f"{file.night}.{number}" if number else file.night


def repeats(page, device, places):
    """The disagreements of two nights of one commit: {"nights", "table", "verdicts", "left", "retunes": tables of
    numbers or None}."""
    pairs, found = model.repeats_of(device), []
    numbers = []
    for pair in pairs:
        same = [one for one in pair.cells.values() if one[0] == one[2]]
        apart = [abs(math.log(ratio)) for ratio in pair.times.values()]
        numbers.append([pair.commit, *map(night_name, pair.files), len(pair.cells), len(same),
                        sum(map(model.differ, same)),
                        percent(math.expm1(statistics.median(apart)) if apart else None, 2),
                        sum(one > math.log(baseline.DRIFT) for one in apart)])
        found += [{"cell": cell.text, "href": places.get(cell, ""), "base": one[0], "commit": pair.commit,
                   "outcomes": (one[1]["outcome"], one[3]["outcome"]), "ratios": (one[1]["ratio"], one[3]["ratio"]),
                   "nights": [file.night for file in pair.files]}
                  for cell, one in sorted(pair.cells.items()) if model.differ(one)]
    tunes = [[one.commit, *map(night_name, one.files), one.groups, len(one.both) + len(one.gone),
              len(one.both) + len(one.new), len(one.gone), len(one.new)] for one in model.retunes_of(device)]
    return {"nights": page.table(f"{device.folder} same commit", [
        "commit", "first night", "second night", "cells of both", "with the same base", "verdicts that differ",
        "times apart (median)", "cells 5 % apart"], numbers) if pairs else None,
            "verdicts": found[:MOST_CASES], "left": max(0, len(found) - MOST_CASES),
            "table": page.table(f"{device.folder} same commit verdicts", [
                "cell", "commit", "base", "first night", "second night", "first outcome", "second outcome",
                "first ratio", "second ratio"], [[one["cell"], one["commit"], one["base"], *one["nights"],
                                                  *one["outcomes"], *one["ratios"]] for one in found])
            if found else None,
            "retunes": page.table(f"{device.folder} same commit rows", [
                "commit", "first tune", "second tune", "groups of both", "rows after the first",
                "rows after the second", "gone", "new"], tunes) if tunes else None}


def regressions(page):
    sections = []
    for device in page.site.devices:
        runs = device.verdict_runs()
        slow, past, others = model.cases_of(device, page.site.accepted)
        places = {model.farm_cell(key): page.root + cell_path(device, key) for key in device.history}

        def views(cases, drawn):
            return [case_view(page, device, case, places, place < drawn) for place, case in enumerate(cases)]

        section = {"device": device, "runs": [], "figure": None, "open": views(slow[:MOST_CASES], DRAWN_CASES),
                   "open_left": slow[MOST_CASES:], "past": views(past[:DRAWN_CASES], DRAWN_CASES),
                   "past_left": max(0, len(past) - DRAWN_CASES), "others": views(others[:MOST_CASES], 0),
                   "others_left": max(0, len(others) - MOST_CASES),
                   "repeats": repeats(page, device, places),
                   "drift": drift_rows(page, device, {cell.text: href for cell, href in places.items() if cell}),
                   "trend": change_rows(page, device, model.changes_of(device, accepted=page.site.accepted).get(
                       "slower", []))}
        for date, file, base, new, those in runs:
            counts = collections.Counter(verdict["outcome"] for verdict, _ in those)
            section["runs"].append({"date": date, "file": file.name, "base": base.get("commit", ""),
                                    "new": new.get("commit", ""), "cells": len(those), "counts": counts,
                                    "source": new.get("source", ""),
                                    "diff": page.diff(base.get("commit"), new.get("commit"))})
        if runs:
            date, _, base, new, those = runs[-1]
            shown = sorted((verdict for verdict, _ in those if verdict["ratio"] is not None),
                           key=lambda verdict: -verdict["ratio"])
            rows = [{"label": store.cell_of(one).text, "ratio": one["ratio"], "low": one["low"], "high": one["high"],
                     "outcome": one["outcome"]} for one in shown]
            half = MOST_DOTS // 2
            picked = rows if len(rows) <= 2 * half else rows[:half] + rows[-half:]
            section["figure"] = page.figure(
                f"{device.folder} forest", {"draw": "forest", "rows": picked},
                f"The run of {date[:10]}: {base.get('commit', '?')} to {new.get('commit', '?')}"
                + (f", the {half} slowest and fastest of {len(rows)} cells" if len(picked) < len(rows) else ""),
                "Ratio of times with its interval for each cell of the last regression run.",
                (["cell", "outcome", "ratio", "low", "high", "pairs", "stage", "p", "q", "control"],
                 [[store.cell_of(one).text, one["outcome"], one["ratio"], one["low"], one["high"], one["pairs"],
                   one["stage"], one["p"], one["q"], "yes" if one["control"] else "no"] for one in shown]))
        sections.append(section)
    return {"sections": sections}


# ---- Noise -----------------------------------------------------------------------------------------------------------

# Bits of nvmlDeviceGetCurrentClocksEventReasons (NVML API Reference, NvmlClocksEventReasons).
REASONS = {0x1: "idle", 0x2: "application clocks", 0x4: "software power cap", 0x8: "hardware slowdown",
           0x10: "sync boost", 0x20: "software thermal slowdown", 0x40: "hardware thermal slowdown",
           0x80: "hardware power brake", 0x100: "display clocks"}


def clocks_by_night(device):
    """{night: [Clocks]} of all measurements."""
    found = collections.defaultdict(list)
    for run in device.runs:
        found[run.night] += [measure.clocks for measure in run.cells.values()]
    for file in device.files:
        if file.farm:
            for samples in file.farm.clocks.values():
                found[file.night] += samples
    return dict(sorted(found.items()))


def reasons_text(samples):
    counts = collections.Counter(name for one in samples for bit, name in REASONS.items() if one.throttle & bit)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def noise(page):
    return {"sections": [noise_section(page, device) for device in page.site.devices],
            "level": verdicts.CONTROL_P, "fewest": verdicts.FEWEST_CONTROLS}


def noise_section(page, device):
    controls = model.controls_of(device)
    section = {"device": device, "controls": controls, "figures": [], "alarms": sum(one["alarms"] for one in controls),
               "tested": sum(one["controls"] for one in controls), "checks": [], "left": [], "runs": []}
    if controls:
        names = [one["date"] for one in controls]
        section["figures"].append(page.figure(
            f"{device.folder} controls", {"draw": "nights", "nights": names, "unit": f"p < {verdicts.CONTROL_P:g}",
                                          "series": [{"name": "controls that look changed",
                                                      "values": [one["rate"] for one in controls]}],
                                          "limit": verdicts.CONTROL_P, "zero": True},
            "Controls that look changed, as a share; dashed: what was promised",
            "Share of the controls with a p below the level, by night.",
            (["night", "controls", "share with p below the level", "promised", "passed", "called SLOW or FAST"],
             [[one["date"], one["controls"], one["rate"], one["limit"], {None: "", True: "yes", False: "no"}[
                 one["passed"]], one["alarms"]] for one in controls])))
        ratios = [100 * (ratio - 1) for one in controls for ratio in one["ratios"]]
        section["figures"] += histogram_of(page, device, "control ratios", ratios, "time of new / base, less 1, %",
                                           "Unchanged machine code against itself")
    spread = [device.latest(key).measure.ours[0].cv for key in device.history
              if device.latest(key).measure.ours[0].status == "ok"]
    section["figures"] += histogram_of(page, device, "cv", [100 * value for value in spread],
                                       "coefficient of variation of a cell's batches, %", "Noise within a process")
    nights = clocks_by_night(device)
    if nights:
        section["figures"] += clock_figures(page, device, nights)
    for file in device.files:
        if file.farm:
            for check in file.farm.checks:
                section["checks"].append({**check, "file": file.name, "night": file.night})
            for reason, count in sorted(file.farm.left.items()):
                section["left"].append((file.night, file.name, reason, count))
            for run in file.farm.runs:
                section["runs"].append({**run, "file": file.name})
    section["failed"] = [check for check in section["checks"] if not check["passed"]]
    section["check_counts"] = check_counts(section["checks"])
    return section


def check_counts(checks):
    found = collections.defaultdict(lambda: [0, 0])
    for check in checks:
        found[check["name"]][0 if check["passed"] else 1] += 1
    return sorted(found.items())


def histogram_of(page, device, name, values, xlabel, title):
    if len(values) < 5:
        return []
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    ordered = sorted(values)
    top = ordered[min(len(ordered) - 1, int(0.995 * len(ordered)))]
    bottom = ordered[int(0.005 * len(ordered))]
    width = (top - bottom or high - low) / 24
    edges = [bottom + width * place for place in range(25)]
    counts = [0] * 24
    for value in values:
        counts[min(23, max(0, int((value - bottom) / width)))] += 1
    digits = max(0, 2 - math.floor(math.log10(width)))
    edges = [round(edge, digits) for edge in edges]
    return [page.figure(f"{device.folder} {name}", {
        "draw": "histogram", "panels": [{"title": "", "edges": edges, "counts": counts}], "log": False,
        "xlabel": xlabel, "ylabel": "cells", "ticks": []}, f"{title} ({len(values)} values)",
        f"Histogram: {xlabel}.", (["from", "to", "values"], [[a, b, n] for a, b, n in zip(edges, edges[1:], counts)]))]


def clock_figures(page, device, nights):
    rows, series = [], collections.defaultdict(list)
    for night, samples in nights.items():
        sm = [one.sm_before for one in samples if one.sm_before] + [one.sm_after for one in samples if one.sm_after]
        celsius = [one.celsius for one in samples if one.celsius]
        watts = [one.milliwatts / 1000 for one in samples if one.milliwatts]
        slowed = sum(bool(one.throttle & evidence.SLOWED) for one in samples)
        rows.append([night, len(samples), *(f([*sm]) if sm else None for f in (min, median_of, max)),
                     *(f(celsius) if celsius else None for f in (min, max)), number(max(watts), 0) if watts else None,
                     slowed, reasons_text(samples)])
        for name, values in (("sm", sm), ("celsius", celsius)):
            series[name].append((min(values), median_of(values), max(values)) if values else (None, None, None))
    table = (["night", "samples", "SM clock min, MHz", "median", "max", "coolest, °C", "hottest", "most W",
              "slowed down", "what the driver said"], rows)
    found = []
    for name, title, unit in (("sm", "Clock of the multiprocessors", "MHz"), ("celsius", "Temperature", "°C")):
        low, middle, high = zip(*series[name])
        found.append(page.figure(
            f"{device.folder} {name}", {"draw": "nights", "nights": list(nights), "unit": unit, "limit": None,
                                        "series": [{"name": title, "values": list(middle), "low": list(low),
                                                    "high": list(high)}]},
            f"{title}: median and range", f"{title} by night.", table if name == "sm" else (
                ["night", "coolest, °C", "median", "hottest"], [[night, a, b, c] for night, a, b, c in
                                                                zip(nights, low, middle, high)])))
    return found


def median_of(values):
    return round(statistics.median(values), 1)


# ---- Landscape -------------------------------------------------------------------------------------------------------


def landscape_page(page):
    sections = []
    for device in page.site.devices:
        section = {"device": device, "landscapes": [], "ladders": [], "kernels": kernels_of(page, device),
                   "layouts": layouts_of(page, device), "programs": []}
        for file in device.landscapes:
            found = page.site.landscapes.get((device.folder, file.name))
            if isinstance(found, str):
                section["landscapes"].append({"file": file.name, "problem": found})
            elif found:
                section["landscapes"].append(landscape_view(page, device, file, found))
        for file in device.ladders:
            section["ladders"].append({"file": file.name, "night": file.night, "device": file.ladder.get("device"),
                                       "figures": ladder_figures(page, device, file)})
        for file in device.programs:
            section["programs"].append({"file": file.name, "device": file.programs.get("device"),
                                        "figures": program_figures(page, device, file)})
        sections.append(section)
    return {"sections": sections, "primitives": landscape.PRIMITIVES}


def landscape_view(page, device, file, found):
    """found: {"environment", "left_out", "tables": {name: Table}, "histogram", "map"} (build.landscape_job)."""
    name, tables = f"{device.folder} {file.name}", found["tables"]

    def numbers(table):
        return [title for title, _ in table.columns], [[
            (value, landscape.entry(form, value).replace(",", ", ")) for (_, form), value in zip(table.columns, row)]
            for row in table.rows]

    figures = [page.figure(
        f"{name} slowdown", {"draw": "histogram", "panels": found["histogram"], "log": True, "xlabel":
                             "time / best policy's", "ylabel": "share of samples", "ticks": [1, 2, 5, 10, 20]},
        tables["slowdown"].title, "Histograms of slowdown over the space, a panel a primitive.",
        numbers(tables["slowdown"]), tables["slowdown"].note)]
    variance = tables["variance"]
    figures.append(page.figure(
        f"{name} variance", {"draw": "bars", "xlabel": "variance of the share of the best", "form": "{:.4f}", "rows": [
            {"label": row[0], "values": [["between policies", row[5]], ["within a policy, over cells", row[6]]]}
            for row in variance.rows]}, variance.title, "Variance between and within policies.", numbers(variance),
        variance.note))
    share = tables["share"]
    panels = []
    for primitive_ in landscape.PRIMITIVES:
        own = [row for row in share.rows if row[0] == primitive_]
        panels.append({"title": primitive_, "lines": [{"name": row[1], "values": row[2:]} for row in own]})
    figures.append(page.figure(
        f"{name} share", {"draw": "lines", "panels": panels, "top": 1.05,
                          "ticks": [title.removesuffix("iB") for title, _ in share.columns[2:]]},
        share.title, "Share of the best by size and type, a panel a primitive.",
        numbers(share), tables["single"].note))
    gain = tables["gain"]
    for size in dict.fromkeys(row[0] for row in gain.rows):
        own = [row for row in gain.rows if row[0] == size]
        figures.append(page.figure(
            f"{name} gain {size}", {"draw": "bars", "xlabel": "times as fast", "form": "{:.2f}", "mark": 1, "rows": [
                {"label": f"{row[1]} {row[2]}", "values": [["over the header's choice", row[5]], ["CUB", row[6]],
                                                           ["Thrust", row[7]]]} for row in own]},
            f"{gain.title} at {size}", "Speed of the best policy against the header's choice, CUB and Thrust.",
            ([title for title, _ in gain.columns], [[(value, landscape.entry(form, value)) for (_, form), value in
                                                     zip(gain.columns, row)] for row in own]), gain.note))
    if found["map"]:
        figures.append(page.figure(f"{name} map", {"draw": "grid", **found["map"]}, found["map"]["title"],
                                   "Speed over two fields of the policy.",
                                   ([found["map"]["ylabel"], *found["map"]["x"]],
                                    [[y, *row] for y, row in zip(found["map"]["y"], found["map"]["values"])])))
    return {"file": file.name, "problem": "", "environment": found["environment"], "left_out": found["left_out"],
            "figures": figures, "tables": [page.table(f"{name} {table.name} table", *numbers(table)) |
                                           {"title": table.title, "note": table.note}
                                           for table in (tables["single"], tables["bandwidth"])]}


def ladder_figures(page, device, file):
    found = []
    for table in file.ladder["tables"]:
        *rungs, roof = table["rungs"]
        size = f"{table['elements']:,} elements" if not table.get("width") else \
            f"{table['width']:,} × {table['height']:,}"
        published = any(rung["published_gbs"] for rung in rungs)
        rows = [{"label": f"{rung['name']}  {rung['what']}", "values": [["now", rung["gbs"]]] + (
            [["published in 2007", rung["published_gbs"] or None]] if published else [])} for rung in rungs]
        numbers = [[rung["name"], rung["what"], number(rung["us"], 2), number(rung["gbs"]),
                    number(rung["published_us"] or None, 0), number(rung["published_gbs"] or None),
                    percent(rung["gbs"] / roof["gbs"] if roof["gbs"] else None)] for rung in table["rungs"]]
        found.append(page.figure(
            f"{device.folder} {file.name} {table['family']} {table['elements']}",
            {"draw": "bars", "rows": rows, "xlabel": "GB/s; dashed: the roof", "form": "{:,.0f}", "mark": roof["gbs"],
             "log": published, "width": 6.2}, f"{table['family'].capitalize()}, {size}",
            f"Bandwidth of each rung of the ladder, {table['family']} of {size}.",
            (["rung", "what", "us", "GB/s", "published us", "published GB/s", "of the roof"], numbers)))
    return found


def kernels_of(page, device):
    """Users' kernels (gp_tune --kernel, and the layout tuner): the best point beside the default."""
    found = []
    for file in device.files:
        for (name, n, protocol), points in sorted((file.farm.kernels if file.farm else {}).items()):
            matrix = {policy: statistics.median(us) for (phase, policy), us in points.items() if phase == "matrix"}
            confirm = {policy: statistics.median(us) for (phase, policy), us in points.items() if phase == "confirm"}
            times_ = {**matrix, **confirm}
            usual, others = times_.get("default"), {p: us for p, us in times_.items() if p != "default"}
            best = min(others, key=others.get, default=None)
            gain = usual / others[best] if usual and best else None
            found.append([file.night, name, model.count_text(n), protocol, len(others), number(usual, 2),
                          number(others.get(best), 2), times(gain), (best or "").replace(",", ", "),
                          "yes" if best in confirm else "no"])
    return page.table(f"{device.folder} kernels",
                      ["night", "kernel", "n", "protocol", "points", "default, us", "best, us", "gain", "best point",
                       "confirmed"], found) if found else None


def layouts_of(page, device):
    """Conversions between layouts, relative to the copy beside them."""
    keys = device.cells("convert_layout") if "convert_layout" in device.primitives() else []
    rows = []
    for key in keys:
        point = device.latest(key)
        ours = point.measure.ours[0]
        if ours.of_roof is not None:
            rows.append((model.kind_text(key), model.count_text(key.n), ours, point.run.night))
    if not rows:
        return None
    return page.figure(f"{device.folder} layouts", {
        "draw": "bars", "xlabel": "share of the copy of as many bytes", "form": "{:.2f}", "mark": 1, "rows": [
            {"label": text, "values": [["of the copy", ours.of_roof]]} for text, _, ours, _ in rows]},
        "Conversions between layouts (gp_convert_layout)", "Share of the copy of each conversion.",
        (["conversion", "n", "us", "GB/s", "of the copy", "night"],
         [[text, n, number(ours.us, 2), number(ours.gbs), percent(ours.of_roof), night] for text, n, ours, night in
          rows]))


def program_figures(page, device, file):
    """examples/layouts: each program's best combination of layouts beside its baseline, by size."""
    found = []
    for program in dict.fromkeys(result["program"] for result in file.programs["results"]):
        bars, numbers = [], []
        for result in file.programs["results"]:
            if result["program"] != program:
                continue
            count, base = f"{result['n']:,}", result["variants"][0]["us"]
            best = min(result["variants"], key=lambda variant: variant["us"])
            bars.append({"label": f"{count}: {program_name(best)}", "values": [["speed-up", base / best["us"]]]})
            numbers += [[count, program_name(variant), number(variant["us"], 2), times(base / variant["us"])]
                        for variant in result["variants"]]
        title = {"bitonic": "Bitonic sort", "kd_tree": "KD-tree binning"}.get(program, program)
        found.append(page.figure(
            f"{device.folder} {file.name} {program}",
            {"draw": "bars", "rows": bars, "xlabel": "times the speed of " + program_name(
                file.programs["results"][0]["variants"][0]), "form": "{:.2f}", "mark": 1, "log": True},
            f"{title}: the best combination of layouts",
            f"Speed-up of the best combination of layouts, {title}.",
            (["elements", "array, second", "us", "speed-up"], numbers)))
    return found


def program_name(variant):
    return f"{variant['array']}, {variant['second']}" + (", transposed" if variant["transposed"] else "")


# ---- Table -----------------------------------------------------------------------------------------------------------


def row_anchor(row):
    return "r-" + model.slug(f"{row.scope} {row.group} {row.log2_from}")


def table(page):
    site, rows = page.site, []
    decisions = [one for one in rows_of_farm.in_force([
        one for device in site.devices for file in device.files if file.farm for one in file.farm.decisions])
        if one["verdict"] == "accepted"]
    files = {one["id"]: (device, file) for device in site.devices for file in device.files if file.farm
             for one in file.farm.decisions}
    for row in site.table.rows:
        one = decision_of(row, decisions)
        device, file = files.get(one["id"], (None, None)) if one else (None, None)
        rows.append({"row": row, "id": row_anchor(row), "group": row.group, "decision": one,
                     "bucket": bucket_text(row.log2_from, row.log2_to), "primitive": row.group.split(" ")[0],
                     "policy": model.policy_short(store.policy_text(row.policy)),
                     "full": store.policy_text(row.policy), "file": f"{device.folder}/{file.name}" if file else "",
                     "commit": file.farm.environments.get(one["env"], {}).get("commit", "") if file else "",
                     "href": page.root + primitive_path(device, row.group.split(" ")[0])
                     if device and row.group.split(" ")[0] in device.primitives() else ""})
    names = ["scope", "group", "bytes from", "bytes to", "policy", "provenance", "gain", "low", "high", "pairs",
             "date", "commit", "store", "decision"]
    values = [[item["row"].scope, item["group"], 1 << item["row"].log2_from if item["row"].log2_from else 0,
               1 << item["row"].log2_to, item["full"], item["row"].provenance,
               *((item["decision"] or {}).get(field) for field in ("gain", "low", "high", "pairs", "date")),
               item["commit"], item["file"], (item["decision"] or {}).get("id", "")] for item in rows]
    counts = collections.Counter(one["verdict"] for device in site.devices for file in device.files if file.farm
                                 for one in file.farm.decisions)
    return {"rows": rows, "table": page.table("rows", names, values), "regret": site.table.regret,
            "notes": site.table.notes, "counts": counts, "members": site.table.members,
            "tried": sum(counts.values())}


def decision_of(row, decisions):
    """The decision behind a row; the row may have been cut since, so the decision's range may be wider."""
    fitting = [one for one in decisions if one["scope"] == row.scope and one["group"] == row.group
               and one["policy"] == row.policy and one["log2_from"] <= row.log2_from and row.log2_to <= one["log2_to"]]
    return max(fitting, key=lambda one: one["date"], default=None)


# ---- Reports ---------------------------------------------------------------------------------------------------------


def report_id(folder, name):
    return "t-" + model.slug(f"{folder} {name}")


def title_of(name, text):
    """The first heading, or the file's name."""
    return next((content[1] for kind, content in reports.blocks(text) if kind == "heading"), name)


def written_up(page, folder):
    """[(href, title)] of the reports of a device."""
    return [(f"{page.root}reports.html#{report_id(folder, name)}", title_of(name, text))
            for device, name, text in page.site.reports[0] if device == folder]


def section_id(folder, name, number):
    """Address of a part of a report, counted from 0 as reports.sections does."""
    return report_id(folder, name) + (f"-{number}" if number else "")


def report_parts(page, folder, name, text):
    """[(kind, content, id)] for the template, without the first heading, which is the title."""
    found, number, first = [], 0, True
    for place, (kind, content) in enumerate(reports.blocks(text)):
        if kind == "heading":
            number += not first
            found.append((kind, content[1], section_id(folder, name, number)))
            if first and place == 0:
                found.pop()
        elif kind == "table":
            found.append((kind, page.table(f"{folder} {name} {place}", *content), ""))
        else:
            found.append((kind, content, ""))
        first = False
    return found


def reports_page(page):
    found, left = page.site.reports
    titles, sections = {device.folder: device.title for device in page.site.devices}, []
    for folder in sorted({one[0] for one in found + left}):
        own = [{"id": report_id(folder, name), "name": name, "title": title_of(name, text),
                "parts": report_parts(page, folder, name, text)} for device, name, text in found if device == folder]
        sections.append({"folder": folder, "title": titles.get(folder, folder), "reports": own,
                         "left": [one[1:] for one in left if one[0] == folder]})
    return {"sections": sections}


# ---- Commits ---------------------------------------------------------------------------------------------------------


def commits_page(page):
    """Every measured commit, newest first."""
    site, found = page.site, {}
    for device in site.devices:
        for one in device.environments():
            text = one.get("commit") or ""
            name = commits.name_of(text)
            known = site.commits.known.get(name)
            entry = found.setdefault(name or text, {
                "name": name or text, "full": known[0] if known else "", "date": known[1] if known else "",
                "subject": known[2] if known else "", "nights": set(), "devices": set(), "changed": False,
                "known": bool(known)})
            entry["nights"].add(one["date"][:10])
            entry["devices"].add(device.title)
            entry["changed"] = entry["changed"] or text.endswith("+")
    rows = sorted((entry for name, entry in found.items() if name), reverse=True,
                  key=lambda entry: (max(entry["nights"]), entry["date"], entry["name"]))
    for entry in rows:
        entry["diffs"] = [(before, page.diff(before, entry["name"]))
                          for before, after in site.commits.pairs if after == entry["name"]]
        entry["nights"], entry["devices"] = sorted(entry["nights"]), sorted(entry["devices"])
        entry["web"] = f"{site.url}/commit/{entry['full']}" if site.url and entry["known"] else ""
    return {"rows": rows, "table": page.table(
        "commits", ["commit", "date", "subject", "nights", "devices"],
        [[entry["full"] or entry["name"], entry["date"], entry["subject"], " ".join(entry["nights"]),
          ", ".join(entry["devices"])] for entry in rows]), "unknown": sum(not entry["known"] for entry in rows)}


def diff_page(page, before, after):
    site = page.site
    return {"before": before, "after": after, "found": site.commits.between(before, after),
            "known": site.commits.known, "web": f"{site.url}/compare/{site.commits.known[before][0]}..."
            f"{site.commits.known[after][0]}" if site.url else ""}


# ---- Data ------------------------------------------------------------------------------------------------------------


def data(page):
    sections = []
    for device in page.site.devices:
        nights = model.days_between(device.nights[0], device.nights[-1]) if device.nights else []
        by_night = collections.defaultdict(list)
        for file in device.files:
            by_night[file.night].append(file)
        sections.append({"device": device, "files": sorted(device.files, key=lambda file: (file.night, file.name)),
                         "calendar": [(night, len(by_night.get(night, []))) for night in nights[-366:]],
                         "environment": device.environment,
                         "sources": sorted({one["source"] for file in device.files if file.farm
                                            for one in file.farm.environments.values()} - {"live"})})
    return {"sections": sections, "notices": page.site.notices()}


def file_text(file):
    """A file's contents, in words."""
    if file.kind == "bench":
        cells = sum(len(run.cells) for run in file.bench)
        return f"{len(file.bench)} run{'s' if len(file.bench) != 1 else ''} of tools/bench.py, {cells} cells"
    if file.kind == "farm":
        farm = file.farm
        parts = [f"{sum(farm.samples.values())} samples", f"{len(farm.decisions)} decisions",
                 f"{len(farm.verdicts)} verdicts"]
        return "store of the farm: " + ", ".join(part for part in parts if not part.startswith("0 "))
    return {"ladder": "the ladder", "programs": "programs over layouts", "space": "a space of examples/tuner",
            "online": "a comparison of online tuners", "reyes": "a table of examples/reyes",
            "transfers": "transfers of examples/ladder", "application": "runs of the layout tuner",
            "quality": "criteria by hardware counters",
            "night": "the record of a night"}.get(file.kind, "not understood")


def commits_of(file):
    """The commits of a file's environments, each once."""
    found = [run.environment["commit"] for run in file.bench]
    if file.farm:
        found += [one["commit"] for one in file.farm.environments.values()]
    return [commit for commit in dict.fromkeys(found) if commit]
