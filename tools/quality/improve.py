"""What to improve next: primitives of ours with the lowest QM or the largest distance to the roof, and what a change of
them did, from two files."""
from tools.quality import measure, tables

AT_ROOF = 0.05  # a cell that is so close to its roof has nothing to gain, whatever its QM


def own_rows(lines):
    """Rows of ours by default that have a quality and a time."""
    return [row for row in measure.newest(tables.qualities(lines))
            if row["library"] == measure.ours() and row.get("qm") is not None and row.get("median_us")]


def distance(row):
    """How far a row is from the roof, from 0 to 1; None: no roof was measured."""
    return None if row.get("of_roof") is None else max(0.0, 1 - row["of_roof"])  # the roof is DRAM's, not a cache's


def chosen(lines, count=3):
    """[(row, why)]: the primitives that stand first in one of two orders: the lowest QM, the largest distance to the
    roof. A primitive is its worst cell in that order; ties go to the sum of both places."""
    rows = [row for row in own_rows(lines) if distance(row) is None or distance(row) >= AT_ROOF]
    orders = {"the lowest QM": sorted(rows, key=lambda row: row["qm"]),
              "the largest distance to the roof": sorted((row for row in rows if distance(row) is not None),
                                                         key=lambda row: -distance(row))}
    places = {}  # {primitive: {order: (place, row)}}
    for name, order in orders.items():
        primitives = list(dict.fromkeys(row["primitive"] for row in order))
        for place, primitive in enumerate(primitives):
            row = next(row for row in order if row["primitive"] == primitive)
            places.setdefault(primitive, {})[name] = (place, row)

    def rank(primitive):
        known = [place for place, _ in places[primitive].values()]
        return min(known), sum(known) / len(known)
    found = []
    for primitive in sorted(places, key=rank)[:count]:
        why = min(places[primitive], key=lambda name: places[primitive][name][0])
        place, row = places[primitive][why]
        found.append((row, f"{why}{f' but {place}' if place else ''}"))
    return found


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def text(lines, count=3):
    """The primitives to improve, with what their counters say and the commands that measure them again."""
    parts = []
    for row, why in chosen(lines, count):
        parts += [f"{row['cell']}: {why}", f"  {row['median_us']:.2f} us, {percent(row.get('of_roof'))} of the roof, "
                  f"QM {tables.two_places(row['qm'])}"]
        parts += ["  " + row[name] for name in ("feedback", "beside") if row.get(name)]
        parts.append("")
    if not parts:
        return "no row of ours has a time and counters"
    cells = " ".join(f'--cell "{row["cell"]}"' for row, _ in chosen(lines, count))
    return "\n".join([*parts, "policies of these:  python3 -m tools.quality.points " + cells,
                      "after a change:     python3 -m tools.quality --peers none " + cells,
                      "what it did:        python3 -m tools.quality --improved BEFORE AFTER"])


# ---- before and after

# Counters of the whole call an element: (title, keys, factor, form)
COUNTED = (("instructions an element", ("instructions",), 32, ".2f"), ("DRAM bytes", ("dram_bytes",), 1, ".2f"),
           ("L2 bytes", ("l2_to_sm_bytes", "sm_to_l2_bytes"), 1, ".2f"))


def counted(row):
    """{title: text}; a counter that a kernel lacks is left out."""
    kernels = [kernel["counters"] for kernel in row["kernels"]]
    found = {"kernels": str(len(kernels))} if kernels else {}
    for title, keys, factor, form in COUNTED:
        values = [kernel.get(key) for kernel in kernels for key in keys]
        if values and None not in values and row.get("n"):
            found[title] = format(factor * sum(values) / row["n"], form)
    if kernels:
        slowest = max(kernels, key=lambda kernel: kernel.get("nanoseconds", 0))
        if slowest.get("registers") is not None:
            found["registers"] = format(slowest["registers"], ".0f")
        stalls = {name: share for name, share in slowest.get("stalls", {}).items() if name != "selected"}
        if stalls:
            worst = max(stalls, key=stalls.get)
            found["worst stall"] = f"{worst} {percent(stalls[worst])}"
    return found


def changed(before, after):
    one, other = counted(before), counted(after)
    return ", ".join(f"{title} {one[title]} to {other[title]}" for title in one
                     if title in other and one[title] != other[title]) or "none"


def section(before, after, count=3):
    """Markdown: for the primitives that `before` names, why, and what changed in time, criteria and counters."""
    new = {row["cell"]: row for row in own_rows(after)}
    rows = []
    for row, why in chosen(before, count):
        other = new.get(row["cell"])
        if not other:
            rows.append([row["cell"], why, f"{row['median_us']:.2f}", "not measured", "-", "-", "-", "-", "-"])
            continue
        rows.append([row["cell"], why, f"{row['median_us']:.2f}", f"{other['median_us']:.2f}",
                     f"{row['median_us'] / other['median_us']:.3f}",
                     f"{percent(row.get('of_roof'))} to {percent(other.get('of_roof'))}",
                     f"{tables.two_places(row['qm'])} to {tables.two_places(other['qm'])}", tables.moved(row, other),
                     changed(row, other)])
    header = ["cell", "why", "us before", "us after", "faster", "of the roof", "QM", "criteria", "counters"]
    return tables.markdown(header, rows) if rows else "no row of ours has a time and counters"
