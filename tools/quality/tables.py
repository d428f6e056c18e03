"""The paper's Tables II and III of what ran."""
from tools.quality.measure import LIBRARIES

# The paper's classes and rows: (class, row, primitives of gp_primitives.h, words of which their cells have one, or None
# for all that no other row takes).
ROWS = [
    ("Independent linear transformation", "Fill/Generate/Sequence/Tabulate", ("fill", "iota"), None),
    ("Independent linear transformation", "Modify/Transform/Replace/Adjacent Difference",
     ("transform", "transform2", "adjacent_difference"), None),
    ("Independent linear transformation", "Modify_If", ("replace",), None),
    ("Independent linear transformation", "Comparison", ("equal_arrays", "mismatch", "lexicographic"), None),
    ("Independent linear transformation", "Simple Copy", ("copy",), None),
    ("Advanced copying", "Gathering", ("gather",), None),
    ("Advanced copying", "Gathering_If", ("gather",), ("form=flags",)),
    ("Advanced copying", "Scattering", ("scatter",), None),
    ("Advanced copying", "Scattering_If", ("scatter",), ("form=flags",)),
    ("Reduction", "Counting", ("count_if",), None),
    ("Reduction", "Extrema", ("reduce",), ("MIN", "MAX", "ARGMIN", "ARGMAX", "MINMAX", "ARGMINMAX")),
    ("Reduction", "Reduction", ("reduce",), None),
    ("Reduction", "Reduce_by_keys/Segmented_Reduction", ("reduce_by_key", "segmented_reduce"), None),
    ("Reduction", "Histogram", ("histogram_even", "histogram_ranges"), None),
    ("Prefix-scan", "Inclusive", ("inclusive_scan",), None),
    ("Prefix-scan", "Exclusive", ("exclusive_scan",), None),
    ("Prefix-scan", "Prefixscan_By_Key/Segmented_Prefixscan",
     ("inclusive_scan_by_key", "exclusive_scan_by_key", "segmented_inclusive_scan", "segmented_exclusive_scan"), None),
    ("Search", "Unsorted Search/Find", ("find_if", "any", "all"), None),
    ("Search", "Vectorized Binary Search", ("lower_bound", "upper_bound"), None),
    ("Search", "Load-Balancing Search", ("load_balance",), None),
    ("Reordering", "Partitioning/Partitioning_If", ("partition",), None),
    ("Reordering", "Compaction/Copy_If/Select", ("select",), None),
    ("Reordering", "Merge", ("merge",), None),
    ("Reordering", "Merge Sort", ("merge_sort",), None),
    ("Reordering", "Radix Sort", ("sort",), None),
    ("Set (ordered)", "Union", ("set_union",), None),
    ("Set (ordered)", "Intersection", ("set_intersection",), None),
    ("Set (ordered)", "Set Difference", ("set_difference", "set_symmetric_difference"), None),
    ("Set (ordered)", "Unique", ("unique",), None),
]


def row_of(line):
    """(class, row) of a line; a primitive that the paper lacks is a row of its own."""
    words = line["cell"].split()
    primitive = line.get("primitive", words[0])
    for group, name, primitives, own in sorted(ROWS, key=lambda row: row[3] is None):
        if primitive in primitives and (own is None or any(word in own for word in words[1:])):
            return group, name
    return "-", primitive


def qualities(lines):
    return [line for line in lines if line.get("kind") == "quality"]


def without_policy(row):
    """(cell, library): a policy of ours follows the cell, so that it is a row and no column."""
    library, _, policy = row["library"].partition(" ")
    return f"{row['cell']} ({policy})" if policy else row["cell"], library


def libraries_of(rows):
    found = [without_policy(row)[1] for row in rows]
    return [name for name in dict.fromkeys([*LIBRARIES, *found]) if name in found]


def markdown(header, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows])


def two(lines):
    """(header, rows) of Table II. X: measured, or profiled; err: every call failed. Only rows that something ran of."""
    rows = qualities(lines)
    libraries = libraries_of(rows)
    ran = {}
    for row in rows:
        cells = ran.setdefault(row_of(row), {})
        good = row.get("median_us") or row.get("gbs") or row.get("kernels")
        library = without_policy(row)[1]
        if cells.get(library) != "X":
            cells[library] = "X" if good else "err"
    order = [row[:2] for row in ROWS]
    keys = sorted(ran, key=lambda key: (order.index(key) if key in order else len(order), key))
    return ["class", "primitive", *libraries], [[*key, *(ran[key].get(name, "") for name in libraries)] for key in keys]


def table_two(lines):
    header, rows = two(lines)
    return markdown(header, rows) if rows else ""


def three(lines):
    """(header, rows) of Table III: QM and microseconds of each cell by library, and the speed-up over one thread of the
    host where it ran."""
    rows = qualities(lines)
    libraries = libraries_of(rows)
    found = {without_policy(row): row for row in rows}
    fields = {"qm": "QM", "median_us": "us", "speedup": "speed-up"}
    if not any("speedup" in row for row in rows):
        del fields["speedup"]
    return ["cell", *(f"{title} {name}" for title in fields.values() for name in libraries)], \
        [[cell, *(found.get((cell, name), {}).get(field) for field in fields for name in libraries)]
         for cell in dict.fromkeys(cell for cell, _ in found)]


def table_three(lines):
    header, rows = three(lines)
    return markdown(header, [[row[0], *("-" if value is None else f"{value:.2f}" for value in row[1:])]
                             for row in rows]) if rows else ""


def two_places(value):
    return "-" if value is None else f"{value:.2f}"


def moved(before, after):
    """Which criteria changed from one row to another: "OC 0.20 to 0.90"."""
    pairs = [(name, two_places(before["criteria"].get(name)), two_places(value))
             for name, value in after["criteria"].items()]
    return ", ".join(f"{name} {one} to {other}" for name, one, other in pairs if one != other) or "none"


def changes(before, after):
    """A line for each cell and library that both have: times, QM and criteria, what changed by 0.01 or more."""
    rows = []
    old = {(row["cell"], row["library"]): row for row in qualities(before)}
    for row in qualities(after):
        other = old.get((row["cell"], row["library"]))
        if not other:
            continue
        us = [one.get("median_us") for one in (other, row)]
        rows.append([row["cell"], row["library"], *map(two_places, us),
                     f"{us[0] / us[1]:.3f}" if all(us) else "-", two_places(other["qm"]), two_places(row["qm"]),
                     moved(other, row)])
    return markdown(["cell", "library", "us before", "us after", "faster", "QM before", "QM after", "criteria"], rows)
