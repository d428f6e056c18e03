"""The page Quality: the paper's Tables II and III and its Figure 2, of what tools/quality measured; points of policy
spaces with their counters; and a cell's criteria on its page."""
import functools

from dashboard import model
from dashboard.pages import number, percent
from tools.farm import cell_keys, store
from tools.quality import criteria, measure, points, tables

DRAWN = ("OC", "LB", "IO", "MH", "MC")  # beside QM in a picture by night; the tables have all


def rows_of(device):
    """The newest row of each cell and library."""
    return measure.newest(row for file in device.quality for row in file.quality["rows"])


def quality_page(page):
    return {"sections": [{"device": device, **section(page, device, rows_of(device))} for device in page.site.devices]}


def section(page, device, rows):
    files = [{"name": file.name, "rows": len(file.quality["rows"]),
              **{name: str(file.quality["environment"].get(name) or "") for name in ("peers", "no_counters")}}
             for file in device.quality if file.quality["rows"]]
    found = {"files": files, "two": None, "three": None, "figures": [], "drift": None, "drifts": [], "fit": None,
             "points": [points_view(page, device, cell, own) for cell, own in points_of(device).items()]}
    if rows:
        found["two"] = page.table(f"{device.folder} table ii", *tables.two(rows))
        header, lines = tables.three(rows)
        found["three"] = page.table(f"{device.folder} table iii", header, [
            [line[0], *(number(value, 2) for value in line[1:])] for line in lines])
        found["figures"] = [figure(page, device, cell, own) for cell, own in largest(rows).items()]
        found["figures"] += [case_figure(page, device, cell, own, *what) for cell, own in largest(rows).items()
                             for what in (("speedup", "speed-up over one thread"), ("qm", "quality, QM"))
                             if cell.startswith("load_balance ") and any(row.get(what[0]) for row in own)]
        found["figures"] += [coordinates(page, device, cell, own) for cell, own in largest(rows).items()
                             if len(own) > 1]
        found["drift"] = drift(page, device)
        found["drifts"] = [by_night(page, f"{device.folder} {cell} by night", f"{cell}: by night", own)
                           for cell, own in by_file(device).items() if cell in largest(rows)]
        found["fit"] = fitted(page, device, rows)
    return found


def largest(rows):
    """{cell: its rows}: of the cells that differ in size alone, the largest one with a criterion."""
    kinds = {}
    for row in rows:
        if any(value is not None for value in row["criteria"].values()):
            kind = " ".join(word for word in row["cell"].split() if not word.startswith(("n=", "segments=")))
            kinds.setdefault(kind, {}).setdefault(row["cell"], []).append(row)
    found = {}
    for cells in kinds.values():
        cell = max(cells, key=lambda cell: max(row.get("n") or 0 for row in cells[cell]))
        found[cell] = cells[cell]
    return found


def name_of(library):
    """A library; a policy of ours is shortened."""
    name, _, policy = library.partition(" ")
    return f"{name} {model.policy_short(policy)}" if policy else name


def case_figure(page, device, cell, rows, field, title):
    """The paper's Figure 3, (b) and (c): its case study, load balancing search."""
    values = [[name_of(row["library"]), row.get(field)] for row in rows]
    return page.figure(f"{device.folder} {cell} {field}", {
        "draw": "bars", "xlabel": title, "form": "{:.2f}",
        "rows": [{"label": name, "values": [[title, value]]} for name, value in values]}, f"{cell}: {title}",
        f"{title} of {cell} by library.", (["library", title], [[name, number(value, 2)] for name, value in values]))


def figure(page, device, cell, rows):
    """The paper's Figure 2 of a primitive: bars of criteria by library."""
    bars = [{"label": f"{name}, {title}", "values": [[name_of(row["library"]), row["criteria"].get(name)]
                                                     for row in rows]} for name, title in criteria.NAMES.items()]
    numbers = [[row["library"], *(number(row["criteria"].get(name), 2) for name in criteria.NAMES),
                number(row.get("qm"), 2)] for row in rows]
    return page.figure(f"{device.folder} {cell}", {"draw": "bars", "rows": bars, "xlabel": "criterion, 1 is best",
                                                   "form": "{:.2f}"},
                       cell, f"Criteria of {cell} by library.", (["library", *criteria.NAMES, "QM"], numbers))


def coordinates_of(cells):
    """The specification of parallel coordinates: a panel a cell, a line a library. cells: {cell: rows}."""
    names = [name for name in criteria.NAMES
             if any(row["criteria"].get(name) is not None for rows in cells.values() for row in rows)]
    return {"draw": "parallel", "axes": names, "panels": [{"title": cell, "lines": [
        {"name": name_of(row["library"]), "values": [row["criteria"].get(name) for name in names]} for row in rows]}
        for cell, rows in cells.items()]}


def coordinates(page, device, cell, rows):
    """Parallel coordinates of a primitive. Figure 2 has the numbers."""
    return page.figure(f"{device.folder} {cell} coordinates", coordinates_of({cell: rows}),
                       f"{cell}: parallel coordinates", f"Criteria of {cell}, a line by library.")


@functools.lru_cache(maxsize=None)
def by_file(device):
    """{cell: [(file, row of ours)]} of cells that several files have criteria of."""
    measured = {}
    for file in device.quality:
        for row in file.quality["rows"]:
            if row["library"] == "gpuprims" and row["kernels"]:
                measured.setdefault(row["cell"], []).append((file, row))
    return {cell: found for cell, found in measured.items() if len(found) > 1}


def drift_rows(found):
    return [[file.night, file.quality["environment"].get("commit", ""), number(row.get("qm"), 2),
             *(number(row["criteria"].get(name), 2) for name in criteria.NAMES), number(row.get("median_us"), 2)]
            for file, row in found]


def drift(page, device):
    """Ours from file to file, of cells that several files have, or None."""
    rows = [[cell, *row] for cell, found in by_file(device).items() for row in drift_rows(found)]
    return page.table(f"{device.folder} drift", ["cell", "night", "commit", "QM", *criteria.NAMES, "us"],
                      rows) if rows else None


def by_night(page, name, title, found, table=None):
    """A picture of ours from file to file."""
    series = [{"name": "QM", "values": [row.get("qm") for _, row in found]}]
    series += [{"name": name_, "values": [row["criteria"].get(name_) for _, row in found]} for name_ in DRAWN]
    return page.figure(name, {"draw": "nights", "nights": [file.night for file, _ in found], "series": series,
                              "limit": None, "zero": True, "unit": "criterion, 1 is best"}, title,
                       f"QM and criteria of ours by night: {title}.", table)


def fitted(page, device, rows):
    """Weights by regression and the errors of the models, or why there are none."""
    try:
        from tools.quality import fit  # needs NumPy and SciPy
        result = fit.fit(rows, draws=200)
    except (ImportError, ValueError) as error:  # FitError is one
        return {"why": str(error)}
    weights = [[name, criteria.NAMES[name], weight[3], *(number(value, 1) for value in weight[:3]),
                "yes" if fit.holds(weight) else "no"] for name, weight in result["weights"].items()]
    errors = [[model, *(percent(one[place]) if one else (None, "") for one in both for place in range(3))]
              for model, both in result["errors"].items()]
    ends = ("mean", "low", "high")
    return {"why": None, "rows": result["rows"], "libraries": result["libraries"], "left_out": result["left_out"],
            "best": result["best"],
            "weights": page.table(f"{device.folder} weights", [
                "criterion", "name", "printed", "fitted", "low", "high", "the printed one holds"], weights),
            "errors": page.table(f"{device.folder} models", ["model", *(f"library: {end}" for end in ends),
                                                             *(f"primitive: {end}" for end in ends)], errors)}


# ---- points of policy spaces


def points_of(device):
    """{cell: the newest file's points}."""
    found = {}
    for file in device.quality:
        for cell in dict.fromkeys(point["cell"] for point in file.quality["points"]):
            found[cell] = [point for point in file.quality["points"] if point["cell"] == cell]
    return found


def points_view(page, device, cell, own):
    own = sorted(own, key=lambda point: point["median_us"])
    rows = []
    for point in own:
        stall = points.worst_stall(point)
        rows.append([point["policy"] or "default", number(point["median_us"], 2),
                     *(number(point.get(field), 2) for field in points.COUNTED), stall,
                     percent(point["stalls"][stall]) if stall else (None, "")])
    return {"cell": cell, "followed": {field.replace("_", " "): value
                                       for field, value in points.followed(own).items()},
            "table": page.table(f"{device.folder} points {cell}", [
                "policy", "us", "instructions an element", "DRAM bytes", "L2 bytes", "registers", "worst stall",
                "its share"], rows)}


# ---- on a cell's page


@functools.lru_cache(maxsize=None)
def key_of(cell):
    """(the farm's text of a cell, distribution), or None."""
    words = cell.split()
    dist = next((word[5:] for word in words if word.startswith("dist=")), "uniform")
    try:
        return cell_keys.read(" ".join(word for word in words if not word.startswith("dist=")))[1], dist
    except (store.StoreError, ValueError):
        return None


@functools.lru_cache(maxsize=None)
def by_cell(device):
    """{key_of a cell: rows}."""
    found = {}
    for row in rows_of(device):
        if key_of(row["cell"]):
            found.setdefault(key_of(row["cell"]), []).append(row)
    return found


@functools.lru_cache(maxsize=None)
def histories(device):
    """{key_of a cell: [(file, row of ours)]}."""
    return {key_of(cell): found for cell, found in by_file(device).items() if key_of(cell)}


def history_of(page, device, key):
    """A cell's criteria from night to night beside its history, or None."""
    cell = model.farm_cell(key)
    found = histories(device).get((cell.text, key.dist)) if cell else None
    return by_night(page, "criteria by night", "Criteria by night", found, (
        ["night", "commit", "QM", *criteria.NAMES, "us"], drift_rows(found))) if found else None


def of_cell(page, device, key):
    """The table of a cell's criteria by library, newest measurement, or None."""
    cell = model.farm_cell(key)
    rows = by_cell(device).get((cell.text, key.dist)) if cell else None
    return page.table("criteria", ["library", "QM", *criteria.NAMES, "us"], [
        [row["library"], number(row.get("qm"), 2), *(number(row["criteria"].get(name), 2) for name in criteria.NAMES),
         number(row.get("median_us"), 2)] for row in rows]) if rows else None
