#!/usr/bin/env python3
"""Fills the speed tables of README.md and docs/**/*.md from ci/measurements (Python's standard library only).

    tools/speed_tables.py            rewrites every block in place, and the pictures beside the pages
    tools/speed_tables.py --check    exit status 1 where a block or a picture is not what the measurements say
    tools/speed_tables.py --list     the names of the blocks, each with its cells

Beside a page, speed-NAME.svg shows a family's shares of the roof: a bar of ours, a mark where the peer stands.

The block "host time" has the newest host times of tools/peers/host_time.cu.

A block begins with the line `<!-- speed: NAME -->` and ends with `<!-- end -->`. NAME is a key of TABLES. A row is the
newest run of tools/bench.py that measured the cell, the roof and a peer in one process; where no run has a peer, the
newest run of the cell. The same files give the same text.
"""
import argparse
import collections
import glob
import gzip
import html
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench  # noqa: E402

ROOT = bench.ROOT
BLOCK = re.compile(r"^<!-- speed: (?P<name>[^>]*?) -->\n(?P<body>.*?)^<!-- end -->$", re.M | re.S)
MARK = re.compile(r"^<!-- speed: ", re.M)

# What a comparison leaves unsaid: CUB has calls of its own for these by now, and these runs did not use them.
FULL_SORT = "peer: full sort"
OFFSETS = "peer: segmented reduction by offsets"
LATER = "newer run, without a peer"
Row = collections.namedtuple("Row", "cell remark needs_peer", defaults=("", True))

TABLES = {
    "readme": [
        Row("reduce SUM f32 bytes=1G"), Row("exclusive_scan SUM f32 bytes=1G"), Row("select u32 bytes=128M keep=50"),
        Row("reduce_by_key SUM f32 key=u32 bytes=128M runs=32"), Row("sort u32 n=256M"),
        Row("sort u32 payload=u32 n=256M"), Row("merge u32 n=64M"), Row("transpose f32 shape=16384x16384")],
    "map": [
        Row("copy u8 bytes=1G"), Row("copy u32 bytes=1G"), Row("copy u32 bytes=16M"), Row("copy u32 bytes=64K"),
        Row("copy u8 bytes=1G in_offset=5 out_offset=2"), Row("fill u32 bytes=1G"),
        Row("transform NEGATE f32 bytes=1G"),
        Row("transform NEGATE f32 bytes=1M"), Row("transform2 SUM f32 bytes=1G"),
        Row("adjacent_difference f32 bytes=128M")],
    "reduce": [
        Row("reduce SUM u8 bytes=1G"), Row("reduce SUM f32 bytes=1G"), Row("reduce SUM f64 bytes=1G"),
        Row("reduce SUM f32 bytes=16M"), Row("reduce SUM f32 bytes=64K"), Row("reduce MAX f32 bytes=1G"),
        Row("reduce SUM f32 bytes=1M protocol=graph"), Row("count_if f32 bytes=128M"),
        Row("count_if f32 n=262144 protocol=graph")],
    "scan": [
        Row("exclusive_scan SUM u8 bytes=1G"), Row("exclusive_scan SUM u32 bytes=1G"),
        Row("exclusive_scan SUM f32 bytes=1G"), Row("exclusive_scan SUM u64 bytes=1G"),
        Row("exclusive_scan SUM s16 bytes=1G"), Row("exclusive_scan SUM f32 bytes=16M"),
        Row("exclusive_scan SUM f32 bytes=64K"), Row("exclusive_scan SUM f32 bytes=1M protocol=graph"),
        Row("inclusive_scan SUM f32 bytes=1G")],
    "segments": [
        Row("segmented_reduce SUM f32 n=32M segments=fixed:16"),
        Row("segmented_reduce SUM f32 n=32M segments=fixed:256"),
        Row("segmented_reduce SUM f32 n=32M segments=fixed:4K"),
        Row("segmented_reduce SUM f32 n=32M segments=pareto:64"),
        Row("segmented_reduce SUM f32 n=32M segments=mixed"),
        Row("segmented_reduce SUM f32 n=32M segments=fixed:256 form=fixed", OFFSETS),
        Row("segmented_exclusive_scan SUM f32 n=32M segments=fixed:16"),
        Row("segmented_exclusive_scan SUM f32 n=32M segments=mixed"),
        Row("segmented_inclusive_scan SUM f32 n=32M segments=fixed:16"),
        Row("load_balance u32 n=32M segments=fixed:256")],
    "by-key": [
        Row("reduce_by_key SUM f32 key=u32 bytes=128M runs=1"), Row("reduce_by_key SUM f32 key=u32 bytes=128M runs=32"),
        Row("reduce_by_key SUM u8 key=u8 bytes=128M runs=32"), Row("reduce_by_key SUM u64 key=u64 bytes=128M runs=4"),
        Row("reduce_by_key SUM f32 n=262144 protocol=graph"), Row("inclusive_scan_by_key SUM f32 n=32M runs=32"),
        Row("inclusive_scan_by_key SUM u64 key=u64 bytes=128M runs=32"),
        Row("exclusive_scan_by_key SUM f32 n=32M runs=4")],
    "select": [
        Row("select u32 bytes=128M keep=1"), Row("select u32 bytes=128M keep=50"), Row("select u32 bytes=128M keep=99"),
        Row("select u8 bytes=128M keep=50"), Row("select u64 bytes=128M keep=50"),
        Row("select u32 bytes=128M form=flags"),
        Row("select u64 bytes=128M form=flags"), Row("partition u32 bytes=128M keep=50"),
        Row("partition u32 bytes=128M parts=3 keep=50"), Row("unique u32 bytes=128M runs=32"),
        Row("unique u32 n=1048576 protocol=graph"), Row("run_lengths u32 bytes=128M runs=32"),
        Row("run_lengths u8 bytes=128M runs=32"), Row("nontrivial_runs u32 bytes=128M runs=4")],
    "histogram": [
        Row("histogram_even u8 bytes=128M dist=uniform"), Row("histogram_even u8 bytes=128M dist=zipf"),
        Row("histogram_even u16 bytes=128M dist=uniform"), Row("histogram_even f32 bytes=128M dist=zipf"),
        Row("histogram_even u32 bytes=128M dist=constant"), Row("histogram_even u32 bytes=128M bins=48K dist=zipf"),
        Row("histogram_ranges f32 bytes=128M bins=4K"), Row("histogram_even u8 n=4194304 protocol=graph")],
    "search": [Row("lower_bound u32 n=8M haystack=1M"), Row("lower_bound f32 n=8M haystack=1M")],
    "sort": [
        Row("sort u8 n=256M"), Row("sort u16 n=256M"), Row("sort u32 n=256M"), Row("sort u32 n=64M"),
        Row("sort u32 n=1M dist=uniform"), Row("sort u32 n=16K"), Row("sort u64 n=64M"),
        Row("sort u32 payload=u32 n=256M"),
        Row("sort u32 payload=u32 n=64M"), Row("sort u32 payload=u32 n=1M"), Row("sort u64 payload=u32 n=64M"),
        Row("sort u64 payload=u64 n=64M"), Row("sort u32 n=64M dist=zipf"), Row("sort u32 payload=u32 n=64M dist=zipf"),
        Row("sort u64 payload=u32 n=64M dist=hot"), Row("sort u64 payload=u64 n=8M dist=hot"),
        Row("sort u32 form=indices n=64M"), Row("merge_sort u32 n=16M"), Row("merge_sort f32 n=64M"),
        Row("is_sorted u32 n=64M")],
    "segmented sort": [
        Row("segmented_sort u32 n=32M segments=fixed:16"), Row("segmented_sort u32 n=32M segments=fixed:256"),
        Row("segmented_sort u32 n=32M segments=fixed:64K"), Row("segmented_sort u32 n=32M segments=pareto:64"),
        Row("segmented_sort u32 n=32M segments=mixed")],
    "merge": [
        Row("merge u32 n=64M"), Row("merge u64 n=64M"), Row("merge u32 payload=u32 n=64M"), Row("merge u8 n=64M")],
    "sets": [
        Row("set_union u32 n=64M"), Row("set_union u32 n=64M", LATER, False), Row("set_union u64 n=64M"),
        Row("set_union u64 n=64M", LATER, False), Row("set_union u32 n=1M"), Row("set_intersection u32 n=64M"),
        Row("set_difference u32 n=64M"), Row("set_symmetric_difference u32 n=64M")],
    "top-k": [
        Row("top_k u32 n=64M k=256", FULL_SORT), Row("top_k u32 n=128M rows=4K k=64", FULL_SORT),
        Row("nth_element u32 n=64M", FULL_SORT)],
    "group by": [
        Row("group_by SUM u32 key=u32 n=64M groups=1K"), Row("group_by SUM u32 key=u32 n=64M groups=4M"),
        Row("group_by SUM u32 key=u32 groups=4M n=64M", LATER, False),
        Row("group_by SUM u32 key=u32 groups=100 n=64M", "", False),
        Row("group_by SUM u32 key=u32 groups=64M n=64M", "", False)],
    "shuffle": [Row("shuffle u32 n=64M")],
    "transpose": [
        Row("transpose u8 shape=16384x16384"), Row("transpose u16 shape=16384x16384"),
        Row("transpose f32 shape=16384x16384"), Row("transpose f64 shape=16384x16384"),
        Row("transpose f32 shape=4096x4096"), Row("transpose f32 shape=512x512"), Row("transpose f32 shape=1048576x33"),
        Row("transpose f32 shape=16001x16001"), Row("transpose u8 shape=16001x16001"),
        Row("transpose f32 shape=16384x16384 in_place=1"), Row("transpose f32 shape=16000x16001 in_place=1")],
    "layouts": [
        Row("convert_layout u8 struct=4.4 from=aos to=soa n=32M"),
        Row("convert_layout u8 struct=4.4 from=soa to=aos n=32M"),
        Row("convert_layout u8 struct=4.4.4.2.1 from=aos to=soa n=17M"),
        Row("convert_layout u8 struct=4.4.4.2.1 from=soa to=aos n=17M"),
        Row("convert_layout u8 struct=8.8.4.4.2.2.1.1 from=aos to=32 n=8M"),
        Row("convert_layout u8 struct=8.8.8.8.4.4.4.4.2.2.2.2.1.1.1.1 from=aos to=soa n=4M"),
        Row("convert_layout u8 struct=8.8.8.8.4.4.4.4.2.2.2.2.1.1.1.1 from=soa to=aos n=4M")],
    "graph": [],
    "bfs": [
        Row("bfs u32 graph=kronecker:scale=24"), Row("bfs u32 graph=kronecker:scale=22"),
        Row("bfs u32 graph=kronecker:scale=18"), Row("bfs u32 graph=uniform:n=4M:factor=16"),
        Row("bfs u32 graph=grid:rows=2000:columns=2000"), Row("bfs u32 graph=grid:rows=4900:columns=4900"),
        Row("bfs u32 graph=geometric:rows=1000:columns=1000"), Row("bfs u32 graph=chain:n=20000")],
}

# ---- what was measured -----------------------------------------------------------------------------------------------


def in_full(text):
    """16M as 16777216; any other text as it is."""
    found = re.fullmatch(r"(\d+)([KMG])", text)
    return str(int(found[1]) << {"K": 10, "M": 20, "G": 30}[found[2]]) if found else text


def key_of(text):
    """A cell without its spelling: the order of its words, sizes by unit, and what holds without being said."""
    words = []
    for word in text.split():
        name, separator, value = word.partition("=")
        word = name + separator + in_full(value) if separator else word
        if word not in ("dist=uniform", "protocol=cold"):
            words.append(word)
    return tuple(words[:1] + sorted(words[1:]))


def lines_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if "v" in value or "kind" not in value:  # a store of the farm, a space of the tuner: no peers
                return
            yield value


def measured():
    """{cell: [{"environment", "default": sample, label: sample...}]} of every committed run of tools/bench.py."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "ci", "measurements", "*", "*.jsonl*"))):
        if path.endswith(".xz") or bench.has_topic(path, "tune", "regress"):
            continue
        environment, run = None, {}
        for value in lines_of(path):
            if value["kind"] == "environment":
                environment, run = value, {}
            elif value["kind"] == "sample" and value["status"] == "ok" and "median_us" in value:
                key = key_of(value["cell"])
                if key not in run:
                    run[key] = {"environment": environment, "file": os.path.basename(path)}
                    found.setdefault(key, []).append(run[key])
                if value["variant"] == "ours" and value["label"] == "default" or value["variant"] != "ours":
                    run[key][value["label"]] = value
    return found


def peer_of(run):
    """The fastest peer's sample, or None."""
    peers = [value for value in run.values() if isinstance(value, dict) and value.get("variant") == "peer"]
    return min(peers, key=lambda one: one["median_us"], default=None)


def chosen(runs, row):
    """The newest run with our sample, of those with a peer where the row needs one and there are such."""
    ours = [run for run in runs if "default" in run]
    if row.needs_peer and any(peer_of(run) for run in ours):
        ours = [run for run in ours if peer_of(run)]
    return max(ours, key=lambda run: (run["environment"]["date"], run["file"]), default=None)


# ---- text ------------------------------------------------------------------------------------------------------------


def count_text(n):
    for unit, name in ((bench.GIB, "Gi"), (bench.MIB, "Mi"), (bench.KIB, "Ki")):
        if n % unit == 0:
            return f"{n // unit} {name}"
    return f"{n:,}"


def peer_text(sample, environment):
    """CUB 3.0.1: the peer's name, with the version that the run's environment states."""
    label, newer, _ = sample["label"].partition("_next")
    name = {"cub": "CUB", "thrust": "Thrust", "cuda": "CUDA runtime", "cublas": "cuBLAS"}[label]
    name_at = "CUDA runtime" if name == "cuBLAS" else name  # its version is not stated, that of its toolkit is
    peers = environment.get("peers", "").partition("next: ")[2 if newer else 0]
    stated = re.search(rf"{name_at}(?: and \w+)? (\d[\d.]*\d)", peers)
    if not stated:
        return name
    return f"{name} (CUDA runtime {stated[1]})" if name == "cuBLAS" else f"{name} {stated[1]}"


def speed_text(ours):
    """GB/s; microseconds as well where the call is short; traversed edges where the sample has them."""
    if "gteps" in ours:
        return f"{ours['median_us'] / 1000:.3g} ms, {ours['gteps']:.3g} GTEPS"
    text = f"{ours['gbs']:.0f} GB/s" if ours["gbs"] >= 10 else f"{ours['gbs']:.1f} GB/s"
    return text if ours["median_us"] >= 20 else f"{text}, {ours['median_us']:.1f} µs"


def cell_text(sample):
    """The cell as tools/bench.py takes it, without its size."""
    return "`" + " ".join(word for word in sample["cell"].split() if not re.match(r"(n|bytes)=", word)) + "`"


def row_text(row, run):
    ours, environment, peer = run["default"], run["environment"], peer_of(run)
    against = f"{peer['median_us'] / ours['median_us']:.2f}" if peer else ""
    name = peer_text(peer, environment) if peer else ""
    if row.remark:
        name = f"{name} ({row.remark})" if name else row.remark
    share = f"{ours['of_roof']:.2f}" if "of_roof" in ours and "gteps" not in ours else ""
    return f"| {cell_text(ours)} | {count_text(ours['n'])} | {speed_text(ours)} | {share} | {against} | {name} | " \
        f"{environment['device']} | {environment['date'][:10]} | {environment['commit'][:7]} |"


def rows_of(name, found):
    """[(row, run)] of a table."""
    rows = [(row, chosen(found.get(key_of(row.cell), []), row)) for row in TABLES[name]]
    for row, run in rows:
        if run is None:
            sys.exit(f"speed_tables.py: {name}: no committed run has the cell {row.cell}")
    return rows


def table(name, found):
    """The lines of a block."""
    lines = [row_text(row, run) for row, run in rows_of(name, found)]
    if not lines:
        return "No run of tools/bench.py that measured this family is committed.\n"
    head = ["| cell | n | ours | share of roof | × peer | peer | device | date | commit |",
            "|---|---:|---:|---:|---:|---|---|---|---|"]
    return "\n".join(head + lines) + "\n"


# ---- pictures --------------------------------------------------------------------------------------------------------

LABELS, AXIS, LINE, TOP = 470, 400, 24, 34  # pixels: of the cells' column, of a share of 1, of a row, above the rows
STYLE = ("svg{color-scheme:light dark;--ink:#1d2329;--ours:#2a78b5;--grid:#d9dfe5}"
         "@media(prefers-color-scheme:dark){svg{--ink:#e6e9ec;--ours:#58a6dd;--grid:#3a434c}}"
         "text{font:13px system-ui,sans-serif;fill:var(--ink)}.n{text-anchor:end}.g{stroke:var(--grid)}"
         ".o{fill:var(--ours)}.p{stroke:var(--ink);stroke-width:3}")


def picture(name, found):
    """The SVG of a family, or "" where no cell has a share of the roof."""
    rows = [(row, run["default"], peer_of(run)) for row, run in rows_of(name, found)
            if "of_roof" in run["default"] and "gteps" not in run["default"]]
    if not rows:
        return ""
    height, width = TOP + LINE * len(rows) + 8, LABELS + int(1.7 * AXIS)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
             f"<title>{name}: share of the roof</title>", f"<style>{STYLE}</style>"]
    for tenth in range(0, 11, 2):
        x = LABELS + AXIS * tenth // 10
        lines += [f'<path class="g" d="M{x} {TOP - 6}V{height}"/>', f'<text x="{x - 9}" y="18">{tenth / 10:.1f}</text>']
    lines.append('<text x="4" y="18">share of the roof: bar ours, mark the peer</text>')
    for number, (row, ours, peer) in enumerate(rows):
        y, share = TOP + LINE * number, ours["of_roof"]
        length = f"{AXIS * share:.1f}"
        label = html.escape(f"{cell_text(ours)[1:-1]}, {count_text(ours['n'])}")
        squeezed = f' textLength="{LABELS - 16}" lengthAdjust="spacingAndGlyphs"' if len(label) > LABELS // 8 else ""
        lines += [f'<text class="n" x="{LABELS - 8}" y="{y + 14}"{squeezed}>{label}</text>',
                  f'<rect class="o" x="{LABELS}" y="{y + 3}" width="{length}" height="14"/>']
        if peer:
            x = LABELS + AXIS * share * ours["median_us"] / peer["median_us"]
            lines.append(f'<path class="p" d="M{x:.1f} {y}V{y + 20}"/>')
        end = LABELS + AXIS * max(share, share * ours["median_us"] / peer["median_us"] if peer else 0) + 8
        remark = f", {row.remark}" if row.remark in (FULL_SORT, OFFSETS) else ""
        against = f" ({peer['median_us'] / ours['median_us']:.2f} x{remark})" if peer else ""
        lines.append(f'<text x="{end:.1f}" y="{y + 14}">{share:.2f}{against}</text>')
    return "\n".join([*lines, "</svg>", ""])


def picture_name(name):
    return f"speed-{name.replace(' ', '-')}.svg"


def filled(path, text, found):
    """(the text of a page with its blocks as the measurements say, {path: SVG} of the pictures beside it)."""
    pictures = {}
    if len(MARK.findall(text)) != len(BLOCK.findall(text)):
        sys.exit(f"speed_tables.py: {path}: a block has no line <!-- end -->")

    def fill(match):
        if match["name"] == "host time":
            return f"<!-- speed: host time -->\n{host_table()}<!-- end -->"
        if match["name"] not in TABLES:
            sys.exit(f"speed_tables.py: {path}: no table is named {match['name']!r}: {', '.join(TABLES)}")
        name = match["name"]
        drawn = picture(name, found) if name != "readme" else ""
        shown = f"\n![{name}: share of the roof, ours and the peer's]({picture_name(name)})\n" if drawn else ""
        if drawn:
            pictures[os.path.join(os.path.dirname(path), picture_name(name))] = drawn
        return f"<!-- speed: {name} -->\n{table(name, found)}{shown}<!-- end -->"
    return BLOCK.sub(fill, text), pictures


def host_table():
    """The newest host times of tools/peers/host_time.cu."""
    path = max(glob.glob(os.path.join(bench.ROOT, "ci", "measurements", "*", "*.host_time.*.json")),
               key=os.path.basename)
    with open(path, encoding="utf-8") as file:
        lines = json.load(file)
    said = os.path.relpath(path, bench.ROOT)
    return (f"Host time of a call that is enqueued and not waited for, {lines[0]['device']}\n({said}):\n\n"
            "| call | n | median, us | least, us |\n|---|---:|---:|---:|\n" +
            "".join(f"| {one['call']} | {one['n']:,} | {one['median_us']:.2f} | {one['least_us']:.2f} |\n"
                    for one in lines))


def pages():
    return [path for path in [os.path.join(ROOT, "README.md"),
                              *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]
            if os.path.exists(path)]


def content(path):
    """"" where there is no file."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("files", nargs="*", help="in place of README.md and docs/**/*.md")
    args = parser.parse_args()
    if args.list:
        for name, rows in TABLES.items():
            print(name, *(f"    {row.cell}" for row in rows), sep="\n")
        return 0
    found, stale = measured(), []
    for path in args.files or pages():
        text = content(path)
        new, pictures = filled(path, text, found)
        for target, wanted in {path: new, **pictures}.items():
            if wanted != (text if target == path else content(target)):
                stale.append(os.path.relpath(target, ROOT))
                if not args.check:
                    with open(target, "w", encoding="utf-8") as file:
                        file.write(wanted)
    if stale and args.check:
        print(f"{', '.join(stale)}: not what ci/measurements says: run tools/speed_tables.py", file=sys.stderr)
    return 1 if stale and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
