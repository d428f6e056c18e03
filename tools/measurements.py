#!/usr/bin/env python3
"""Writes the tables of docs/speed.md, between the lines <!-- measurements:begin --> and <!-- measurements:end -->, from
the newest run of the standard list and of the list of segments (tools/bench.py) under ci/measurements. The same files
give the same text.

    tools/measurements.py            rewrites docs/speed.md
    tools/measurements.py --check    exit status 1 where docs/speed.md is not what the files say
    tools/measurements.py --png FILE a picture (needs matplotlib)
"""
import argparse
import glob
import os
import sys
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench  # noqa: E402  (the loader, and the sizes by which cells are lined up)

ROOT = bench.ROOT
PAGES = os.path.join(ROOT, "docs")
BEGIN, END = "<!-- measurements:begin -->", "<!-- measurements:end -->"
SIZES = [64 * bench.KIB, bench.MIB, 16 * bench.MIB, 256 * bench.MIB, bench.GIB]
TITLES = {"copy": "Copy", "reduce": "Reduce (sum)", "exclusive_scan": "Exclusive scan (sum)"}


def latest(topic="standard"):
    """The newest file of every device: (path, records)."""
    newest = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "ci", "measurements", "*", f"*.{topic}.*jsonl"))):
        newest[os.path.dirname(path)] = path
    return [(path, bench.load(path)) for _, path in sorted(newest.items())]


def samples(records, primitive, protocol="cold"):
    """{type: {size: {variant label: sample}}} of the plain cells of a primitive."""
    found = {}
    for r in records:
        if (r["kind"] != "sample" or r["primitive"] != primitive or r["protocol"] != protocol or r["status"] != "ok"
                or r["in_offset"] or r["out_offset"] or r["in"] != r["out"] or r["op"] not in ("", "SUM")
                or "median_us" not in r):
            continue
        found.setdefault(r["in"], {}).setdefault(bench.input_bytes(r), {})[r["label"]] = r
    return found


def entry(cell):
    if "default" not in cell:
        return ""
    ours = cell["default"]
    text = f"{ours['gbs']:.0f}"
    if "of_roof" in ours:
        text += f" · {100 * ours['of_roof']:.0f} %"
    if "cub" in cell:
        text += f" · {cell['cub']['median_us'] / ours['median_us']:.2f}×"
    return text


def section(path, records):
    environment = next(r for r in records if r["kind"] == "environment")
    commit = f", commit {environment['commit']}" if environment["commit"] else ""
    lines = [
        f"**{environment['device']}**, {environment['date'][:10]}, driver {environment['driver'] // 1000}."
        f"{environment['driver'] % 1000 // 10}, {environment['peers']}{commit} "
        f"([all cells]({os.path.relpath(path, PAGES)})). Each entry: GB/s, each input read once and each output "
        "written once · share of the roof measured beside it (copy and scan: the driver's copy; reduce: a kernel that "
        "only reads) · speed against CUB. Buffers rotate, so that the L2 cache is of no help; medians of batches.", ""]
    for primitive, title in TITLES.items():
        found = samples(records, primitive)
        sizes = [size for size in SIZES if any(size in row for row in found.values())]
        if not sizes:
            continue
        lines += ["| " + title + " | " + " | ".join(bench.size_text(size) + "iB" for size in sizes) + " |",
                  "|---|" + "---:|" * len(sizes)]
        for type_ in (t for t in bench.TYPES if t in found):
            lines.append(f"| {type_} | " + " | ".join(entry(found[type_].get(size, {})) for size in sizes) + " |")
        lines.append("")
    for r in records:
        if r["kind"] == "empty_launch":
            lines.append(f"An empty launch: {r['back_to_back_us']:.2f} µs back to back, {r['graph_us']:.2f} µs in a "
                         "graph.")
        elif r["kind"] == "overhead":
            costs = ", ".join(f"{name.split()[0]} {us:.2f}" for name, us in r["calls"].items())
            lines.append(f"Host's share of a call, µs: {costs}; the driver's launch of {r['launched']} "
                         f"{r['driver_us']:.2f}.")
    firsts = [r for r in records if r["kind"] == "first_call"]
    if firsts:
        times = [f"{r['cell'].split(' n=')[0]} {r['compiled_ms']:.0f} / {r['disk_ms']:.1f}" for r in firsts]
        lines.append("First call, ms (nothing cached / from the disk cache): " + "; ".join(times) + ".")
    wrapped = [line if line.startswith("|") else textwrap.fill(line, 118, break_long_words=False) for line in lines]
    return "\n".join(wrapped).strip() + "\n"


# The cells on segments and runs fill two tables: the large cells, a line for each primitive and form, with the lowest
# and the highest of all its cells of four-byte types, then of other types; and the small cells, at these counts.
SMALL_COUNTS = [bench.KIB, 16 * bench.KIB, 256 * bench.KIB, 4 * bench.MIB]
FOUR_BYTES = ("u32", "f32")


def by_cell(records, protocol):
    """{cell: {variant label: sample}} of what has a figure; and the names of our cells that failed their check."""
    found, wrong = {}, []
    for r in records:
        if r["kind"] != "sample" or r["protocol"] != protocol:
            continue
        if r["status"] == "ok" and "median_us" in r:
            found.setdefault(r["cell"], {})[r["label"]] = r
        elif r["variant"] == "ours":
            wrong.append(r["cell"])
    return {cell: row for cell, row in found.items() if "default" in row}, wrong


def peer(row):
    return row.get("cub") or row.get("thrust")


def span(values, format_=".0f"):
    """The lowest and the highest, once where they read the same."""
    texts = [format(value, format_) for value in (min(values), max(values))] if values else []
    return " to ".join(dict.fromkeys(texts))


def line_of(r):
    """The line of the large table that a sample belongs to, and whether its elements have four bytes."""
    words = dict(word.split("=", 1) for word in r["words"].split())
    name = r["primitive"].replace("_", " ")
    for word, text in (("form", "{}"), ("parts", "{} parts"), ("payload", "with payload"), ("bins", "{} bins")):
        if word in words:
            name += ", " + text.format(words[word])
    types = [r["in"]] + ([words["key"]] if "key" in words and words.get("form") != "flags" else [])
    return name, all(type_ in FOUR_BYTES for type_ in types)


def shares(rows):
    """Two entries: share of the roof in per cent, speed against the peer."""
    against = [peer(row)["median_us"] / row["default"]["median_us"] for row in rows if peer(row)]
    return [span([100 * row["default"]["of_roof"] for row in rows if "of_roof" in row["default"]]),
            span(against, ".2f")]


def large_table(cells):
    lines, order = {}, []
    for row in cells.values():
        name, four_bytes = line_of(row["default"])
        lines.setdefault(name, ([], []))[0 if four_bytes else 1].append(row)
        if row["default"]["primitive"] not in order:
            order.append(row["default"]["primitive"])
    text = ["| 128 MiB | GB/s | CUB's | roof's | of it, % | against CUB, × | other types: of the roof, % "
            "| against CUB, × |",
            "|---|" + "---:|" * 7]
    for name, (rows, others) in sorted(
            lines.items(), key=lambda line: order.index((line[1][0] + line[1][1])[0]["default"]["primitive"])):
        thrust = all("cub" not in row for row in rows + others)
        columns = [span([row["default"]["gbs"] for row in rows]),
                   span([peer(row)["gbs"] for row in rows if peer(row)]),
                   span([row[label]["gbs"] for row in rows for label in ("memcpy", "read") if label in row]),
                   *shares(rows), *shares(others)]
        text.append(f"| {name}{' (CUB: Thrust)' if thrust else ''} | " + " | ".join(columns) + " |")
    return text + [""]


def small_table(cells):
    rows = {}
    for row in cells.values():
        ours = row["default"]
        text = f"{ours['median_us']:.1f}"
        if peer(row):
            text += f" · {peer(row)['median_us'] / ours['median_us']:.2f}×"
        rows.setdefault(ours["cell"].split(" n=")[0], {})[ours["n"]] = text
    return ["| In a graph, µs · against CUB | " + " | ".join(bench.size_text(n) + "i" for n in SMALL_COUNTS) + " |",
            "|---|" + "---:|" * len(SMALL_COUNTS),
            *(f"| {name} | " + " | ".join(row.get(n, "") for n in SMALL_COUNTS) + " |" for name, row in rows.items()),
            ""]


def segments_section(path, records):
    environment = next(r for r in records if r["kind"] == "environment")
    cold, wrong = by_cell(records, "cold")
    graph, wrong_graph = by_cell(records, "graph")
    wrong += wrong_graph
    total = len(cold) + len(graph) + len(wrong)
    commit = f", commit {environment['commit']}" if environment["commit"] else ""
    lines = [f"Segments, runs, selection and histograms on the {environment['device']}, {environment['date'][:10]}, "
             f"{environment['peers']}{commit} ([all {total} cells]({os.path.relpath(path, PAGES)})): lowest to "
             "highest of each primitive's cells, over lengths of segments or runs, shares kept and distributions; "
             "first u32 and f32, then the other types. 128 MiB of values, or of the keys where there are only "
             "these; searches as the file says. Roof: for reductions, counts and histograms a kernel that only "
             "reads, else the copy. CUB 3.0 has no call for segments of one length: its figure beside form=fixed is "
             "that of segments by offsets.", ""]
    if cold:
        lines += large_table(cold)
    if graph:
        lines += small_table(graph)
    if wrong:
        lines.append(f"Without a figure, as the result was not the peer's: {len(wrong)} of {total} cells "
                     f"({'; '.join(wrong)}).")
    wrapped = [line if line.startswith("|") else textwrap.fill(line, 118, break_long_words=False) for line in lines]
    return "\n".join(wrapped).strip() + "\n"


def region():
    parts = [section(path, records) for path, records in latest()]
    parts += [segments_section(path, records) for path, records in latest("segments")]
    return "\n".join(parts) if parts else "Nothing has been measured yet: `make bench` on a machine with a GPU.\n"


def picture(path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    measured = latest()
    if not measured:
        sys.exit("measurements.py: nothing has been measured")
    records = measured[-1][1]
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), sharey=True)
    for axis, (primitive, title) in zip(axes, TITLES.items()):
        found = samples(records, primitive)
        for type_, colour in (("u8", "tab:blue"), ("u32", "tab:orange"), ("f64", "tab:green")):
            row = found.get(type_, {})
            for label, style in (("default", "-"), ("cub", ":")):
                points = sorted((size, cell[label]["gbs"]) for size, cell in row.items() if label in cell)
                if points:
                    axis.plot(*zip(*points), style, color=colour, marker="o", markersize=3,
                              label=f"{type_} {'gpuprims' if label == 'default' else 'CUB'}")
        roof = sorted((size, cell[label]["gbs"]) for size, cell in found.get("u32", {}).items()
                      for label in ("memcpy", "read") if label in cell)
        if roof:
            axis.plot(*zip(*roof), "--", color="black", linewidth=1, label="roof")
        axis.set(title=title, xscale="log", xlabel="bytes of input")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    axes[0].set_ylabel("GB/s")
    figure.suptitle(records[0]["device"])
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--png", metavar="FILE")
    parser.add_argument("--page", default=os.path.join(PAGES, "speed.md"))
    args = parser.parse_args()
    if args.png:
        picture(args.png)
        return 0
    with open(args.page, encoding="utf-8") as file:
        text = file.read()
    if BEGIN not in text or END not in text:
        sys.exit(f"measurements.py: {args.page} has no lines {BEGIN} and {END}")
    before, rest = text.split(BEGIN, 1)
    new = before + BEGIN + "\n" + region() + END + rest.split(END, 1)[1]
    if args.check:
        if new != text:
            print("docs/speed.md is not what ci/measurements says: run tools/measurements.py", file=sys.stderr)
        return new != text
    if new != text:
        with open(args.page, "w", encoding="utf-8") as file:
            file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
