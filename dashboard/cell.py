"""A cell's page: history with changes, verdicts, and the command that measures the cell again."""
from dashboard import model, pages, quality, read
from tools.farm import store

SHOWN = 30   # runs in the table; the files have all
WIDTH, HEIGHT = 720, 180  # of the line for readers without scripts


def cell(page, device, key):
    points = device.history[key]
    row = pages.cell_row(page, device, key)
    return {"device": device, "key": key, "row": row, "history": history_table(page, device, key, points),
            "line": pages.line_of(device.timed[key], WIDTH, HEIGHT), "events": events_of(page, device, key),
            "criteria": quality.of_cell(page, device, key), "by_night": quality.history_of(page, device, key),
            "verdicts": verdict_rows(page, device, key), "command": pages.command_of([row]),
            "up": f"{page.root}{pages.primitive_path(device, key.primitive)}#{row['anchor']}",
            "neighbours": neighbours(page, device, key), "runs": len(points),
            "full_policy": row["ours"].policy.replace(",", ", ")}


def history_table(page, device, key, points):
    """Every run of the cell, oldest first: for the page and its script."""
    peers = sorted({label for point in points for label in point.measure.peers})
    columns = ["date", "night", "us", "GB/s", "cv", "of the roof", "against the best peer",
               *(f"{read.PEER_NAMES.get(label, label)} us" for label in peers), "roof us", "policy", "policy from",
               "machine code", "commit", "status"]
    rows = []
    for point in points:
        measure, ours = point.measure, point.measure.ours[0]
        roof = model.roof_of(measure)
        theirs = [measure.peers[label].us if label in measure.peers else None for label in peers]
        rows.append([point.run.environment["date"], point.run.night, ours.us, ours.gbs, ours.cv, ours.of_roof,
                     ours.of_peer, *theirs, roof.us if roof else None, ours.policy, ours.source,
                     model.code_of(device, key, point), point.run.environment["commit"], ours.status[:200]])
    forms = {"us": lambda us: pages.number(us, 2), "GB/s": pages.number, "of the roof": pages.percent,
             "against the best peer": pages.times, "policy": lambda text: (text, model.policy_short(text))}
    return page.table("history", columns, rows, SHOWN, {
        place: forms[name] if name in forms else forms["us"] for place, name in enumerate(columns)
        if name in forms or name.endswith(" us")})


def fields_changed(before, now):
    """The difference of two policies, in words."""
    one, other = (store.policy_of(text) if text else {} for text in (before, now))
    return ", ".join(f"{name} {one.get(name, '–')} → {other.get(name, '–')}" for name in dict.fromkeys([*one, *other])
                     if one.get(name) != other.get(name))


def events_of(page, device, key):
    """[{night, before, level, ratio, policy, code, commits, diff}], newest first: nights with a new level, policy or
    machine code."""
    good, found = device.timed[key], []
    levels = set(model.change_points([point.measure.ours[0].us for point in good]))
    for place in range(1, len(good)):
        before, now = good[place - 1], good[place]
        one, other = before.measure.ours[0], now.measure.ours[0]
        codes = [model.code_of(device, key, point) for point in (before, now)]
        if place not in levels and one.policy == other.policy and codes[0] == codes[1]:
            continue
        event = {"night": now.run.night, "before": before.run.night, "level": place in levels,
                 "ratio": other.us / one.us, "policy": fields_changed(one.policy, other.policy),
                 "code": codes if all(codes) and codes[0] != codes[1] else None,
                 "commits": [point.run.environment["commit"] for point in (before, now)]}
        event["diff"] = page.diff(*event["commits"])
        if event["level"] or event["policy"] or event["code"]:
            found.append(event)
    return found[::-1]


def verdict_rows(page, device, key):
    """Regression runs with a verdict on the cell, newest first."""
    farm = model.farm_cell(key)
    return [{"date": date, "outcome": one["outcome"], "ratio": one["ratio"], "low": one["low"], "high": one["high"],
             "pairs": one["pairs"], "control": one["control"], "base": base.get("commit", ""),
             "new": new.get("commit", ""), "diff": page.diff(base.get("commit"), new.get("commit")), "file": file.name}
            for date, file, base, new, one in reversed(page.site.verdicts[device.folder].get(farm, []) if farm else [])]


def neighbours(page, device, key):
    """[(href, title)] of other sizes of the same kind, and of the same cell on other devices."""
    kind = read.kind_of(key)
    found = [(page.root + pages.cell_path(device, other), f"n = {model.count_text(other.n)}")
             for other in device.cells(key.primitive) if read.kind_of(other) == kind and other != key]
    return {"sizes": found, "devices": [(page.root + pages.cell_path(other, key), other.title)
                                        for other in page.site.devices if other is not device and key in other.history]}
