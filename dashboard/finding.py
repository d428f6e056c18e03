"""Comparing two runs, and searching: data for the pages' scripts, and tables for readers without scripts."""
import collections
import json

from dashboard import model, pages, reports
from tools.farm import store

LONGEST = 2000  # characters indexed of a report's section


def script(name, value):
    """A file that pages can load from the file system, where scripts may not fetch."""
    return f"window.gpuprims = window.gpuprims || {{}};\ngpuprims.{name} = " \
        f"{json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"


# ---- compare ---------------------------------------------------------------------------------------------------------


def moments_of(device):
    """[(night, commit)] of the device's measurements, oldest first."""
    first = {}
    for run in device.runs:
        first.setdefault((run.night, run.environment["commit"]), run.order)
    return sorted(first, key=first.get)


def compare_data(device):
    """Data for compare.js (dashboard/README.md)."""
    moments = moments_of(device)
    place = {moment: number for number, moment in enumerate(moments)}
    cells = []
    for key in sorted(device.history, key=lambda key: (key.primitive, device.addresses[key])):
        times = {}
        for point in device.history[key]:
            ours = point.measure.ours[0]
            if ours.status == "ok":
                times[place[point.run.night, point.run.environment["commit"]]] = float(f"{ours.us:.6g}")
        if times:
            cells.append({"id": pages.cell_path(device, key).split("/", 1)[1].removesuffix(".html"),
                          "text": device.latest(key).measure.text,
                          "family": model.FAMILY_OF.get(key.primitive, key.primitive),
                          "us": [number for pair in sorted(times.items()) for number in pair]})
    return {"folder": device.folder, "title": device.title, "moments": moments, "first": pair_of(moments, cells),
            "cells": cells}


def pair_of(moments, cells):
    """The positions of the newest two moments with a common cell; without one, the last two."""
    timed = collections.defaultdict(set)
    for number, cell in enumerate(cells):
        for place in cell["us"][::2]:
            timed[place].add(number)
    for last in range(len(moments) - 1, 0, -1):
        for before in range(last - 1, -1, -1):
            if timed[last] & timed[before]:
                return [before, last]
    return [max(0, len(moments) - 2), max(0, len(moments) - 1)]


def compare(page):
    data = {"families": model.FAMILIES, "devices": [compare_data(device) for device in page.site.devices]}
    page.shelf.text("compare-data.js", script("compare", data))
    page.shelf.text("json/compare.json", json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")
    return {"pairs": device_pairs(page), "nights": [night_pair(page, device, data["first"]) for device, data in
                                                     zip(page.site.devices, data["devices"])]}


def means_of(ratios):
    """[[family, cells, mean]] of {family: [ratio]}; all families together first."""
    every = [ratio for those in ratios.values() for ratio in those]
    order = [family for family in [*model.FAMILIES, *sorted(set(ratios) - set(model.FAMILIES))] if ratios.get(family)]
    return [["all", len(every), pages.times(model.geometric_mean(every))]] + [
        [family, len(ratios[family]), pages.times(model.geometric_mean(ratios[family]))] for family in order]


def latest_times(device):
    return {key: good[-1].measure.ours[0].us for key, good in device.timed.items() if good}


def device_pairs(page):
    """Every pair of devices, by their newest times."""
    found, devices = [], page.site.devices
    times = {device.folder: latest_times(device) for device in devices}
    for place, one in enumerate(devices):
        for other in devices[place + 1:]:
            ratios = collections.defaultdict(list)
            for key in times[one.folder].keys() & times[other.folder].keys():
                ratios[model.FAMILY_OF.get(key.primitive, key.primitive)].append(
                    times[one.folder][key] / times[other.folder][key])
            found.append({"title": f"{other.title} against {one.title}", "table": page.table(
                f"{other.folder} against {one.folder}", ["family", "cells that both have", "speed, times"],
                means_of(ratios)) if ratios else None})
    return found


def night_pair(page, device, first):
    """The last two comparable moments of a device."""
    moments = moments_of(device)
    if len(moments) < 2:
        return {"device": device, "table": None, "moments": moments}
    pair = [moments[place] for place in first]
    ratios = collections.defaultdict(list)
    for key, points in device.history.items():
        times = {(point.run.night, point.run.environment["commit"]): point.measure.ours[0].us for point in points
                 if point.measure.ours[0].status == "ok"}
        if all(moment in times for moment in pair):
            ratios[model.FAMILY_OF.get(key.primitive, key.primitive)].append(times[pair[0]] / times[pair[1]])
    return {"device": device, "moments": pair, "table": page.table(
        f"{device.folder} last two", ["family", "cells that both have", "speed, times"], means_of(ratios))
        if ratios else None}


# ---- search ----------------------------------------------------------------------------------------------------------


def search(page):
    entries = list(everything(page.site))
    page.shelf.text("search-data.js", script("search", entries))
    return {"counts": collections.Counter(kind for kind, *_ in entries)}


def everything(site):
    """(kind, title, address, further words) of everything with an address."""
    from dashboard import build
    for path, (_, _, title) in build.PAGES.items():
        yield "page", title, path, ""
    for device in site.devices:
        own = device.title
        yield "device", own, f"index.html#{device.folder}", device.folder
        for name in sorted(device.primitives()):
            yield "primitive", f"{name}, {own}", pages.primitive_path(device, name), model.FAMILY_OF.get(name, "")
        for key in sorted(device.history, key=lambda key: (key.primitive, device.addresses[key])):
            point = device.latest(key)
            ours = point.measure.ours[0]
            yield "cell", f"{point.measure.text}, {own}", pages.cell_path(device, key), " ".join(
                [f"n={model.count_text(key.n)} n={key.n} {key.in_} {key.protocol} {point.run.night}",
                 model.policy_short(ours.policy), "" if ours.status == "ok" else ours.status[:80]])
        slow, past, _ = model.cases_of(device, site.accepted)
        for place, case in enumerate(slow + past):
            shown = place < len(slow) and place < pages.MOST_CASES or \
                len(slow) <= place < len(slow) + pages.DRAWN_CASES
            text = store.cell_of(case.verdict).text
            yield "verdict", f"{case.verdict['outcome']} {text}, {own}, {case.night}", "regressions.html#" + (
                pages.case_id(device, case, text) if shown else device.folder), f"{case.state} {case.reason}"
        for file in device.files:
            yield "file", f"{device.folder}/{file.name}", f"data.html#{device.folder}-files", pages.file_text(file)
    for row in site.table.rows:
        yield "row", f"{row.group}, {row.scope}", f"table.html#{pages.row_anchor(row)}", \
            f"{pages.bucket_text(row.log2_from, row.log2_to)} {store.policy_text(row.policy)}"
    for name, (full, date, subject) in site.commits.known.items():
        yield "commit", f"{name} {subject}", f"commits.html#{name}", f"{full} {date}"
    for folder, name, text in site.reports[0]:
        for number, (title, words) in enumerate(reports.sections(text)):
            yield "report", title or name, f"reports.html#{pages.section_id(folder, name, number)}", \
                f"{folder} {name} {words[:LONGEST]}"
    for notice in site.notices():
        yield "notice", notice.text[:300], "data.html" + (f"#{notice.device}-notices" if notice.device else ""), \
            f"{notice.device} {notice.night} {notice.file}"
