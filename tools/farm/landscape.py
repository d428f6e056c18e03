"""make landscape, its second half: tables and figures of an exhaustively measured policy space.

    python3 -m tools.farm landscape STORE [--out FOLDER] [--peers FILE]

STORE holds the samples of `gp_tune --landscape`. FILE is the output of tools/bench.py on the same device, for the gains
over CUB and Thrust and for the measured roofs. Prints Markdown. Writes landscape.json, a CSV file a table and, with
matplotlib, the figures as SVG and PNG into FOLDER (build/landscape).

The tables are those of Merrill, Garland and Grimshaw, Policy-based Tuning for Performance Portability and Library
Co-optimization (InPar 2012), on this library's space: how much the policy matters, whether one is good everywhere, and
what tuning gains. A cell is a type and a size. A policy's *share* in a cell is the best policy's time over its own: 1
is the best, 0.5 half as fast. *Slowdown* is its inverse.

The best of hundreds of measurements is partly luck: gains over it are upper bounds, by about a sample's noise. Rows of
gpuprims_policies.h need independent reruns; these tables do not.
"""
import argparse
import collections
import csv
import json
import os
import sys
import textwrap

from tools import bench
from tools.farm import evidence, store
from tools.farm.arrays import np

PRIMITIVES = ["copy", "reduce", "exclusive_scan"]
TYPES = ["u8", "u16", "u32", "u64"]
SIZES = [128 * bench.KIB, 512 * bench.KIB, 2 * bench.MIB, 8 * bench.MIB, 32 * bench.MIB, 128 * bench.MIB]
LARGE, SMALL = SIZES[-1], SIZES[0]
MOVED = {"copy": 2, "reduce": 1, "exclusive_scan": 2}  # bytes moved, as multiples of the input's
ROOFS = {"copy": "copy_roof", "reduce": "read_roof", "exclusive_scan": "copy_roof"}  # tools/gp_bench's variants
PEERS = {"CUB": "cub", "Thrust": "thrust"}  # title: tools/gp_bench's label
SLOWDOWN_EDGES = [1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, np.inf]
MAP = ("exclusive_scan", "u32", LARGE)  # the cell of the speed figure over two fields
MAP_FIELDS = ("threads", "vectors")
NO_DATA = "NO DATA"
INCUMBENT = "default"

# ---- reading ---------------------------------------------------------------------------------------------------------

# The samples of one device and commit. times: {primitive: {(type, size): {policy: microseconds}}}, with policies as
# tuples of (field, value); incumbents: {primitive: {(type, size): (microseconds, policy_source)}}; left_out: {reason:
# count}; protocols: {(primitive, type, size): protocol}.
Landscape = collections.namedtuple("Landscape", "environment times incumbents left_out protocols")
# tools/bench.py's results. peers: {(primitive, type, size, label): microseconds}; roofs: {(primitive, type, size):
# GB/s}.
Peers = collections.namedtuple("Peers", "times roofs")


def landscape_of(lines, origin):
    """The newest environment's landscape. A store with several devices is refused."""
    samples = [line for line in lines if line["kind"] == "samples" and line["phase"] == "landscape"]
    environments = {line["id"]: line for line in lines if line["kind"] == "environment"}
    if not samples:
        raise ValueError(f"{origin}: no samples of phase landscape (gp_tune --landscape --out {origin} makes them)")
    unknown = sorted({s["env"] for s in samples} - set(environments))
    if unknown:
        raise ValueError(f"{origin}: samples of environment {unknown[0]}, which no line describes")
    devices = sorted({environments[s["env"]]["device"] for s in samples})
    if len(devices) > 1:
        raise ValueError(f"{origin}: landscapes of {' and of '.join(devices)}; give the store of one device")
    newest = max({s["env"] for s in samples}, key=lambda name: (environments[name]["date"], name))
    processes, sources, protocols, left_out = {}, {}, {}, collections.Counter()
    for s in samples:
        if s["env"] != newest or s["primitive"] not in PRIMITIVES or s["in"] not in TYPES:
            continue
        size = store.cell_of(s).bytes
        if size not in SIZES:
            continue
        if protocols.setdefault((s["primitive"], s["in"], size), s["protocol"]) != s["protocol"]:
            raise ValueError(f"{origin}: {s['primitive']} {s['in']} of {size} bytes was measured by two protocols")
        reason = evidence.unusable(s)
        if reason:
            left_out[reason] += 1
            continue
        policy = INCUMBENT if s["variant"] == "default" else tuple(s["policy"].items())
        of_cell = processes.setdefault(s["primitive"], {}).setdefault((s["in"], size), {})
        of_cell.setdefault(policy, []).append(float(np.median(s["us"])))
        if policy == INCUMBENT:
            sources[s["primitive"], s["in"], size] = s["policy_source"]
    times, incumbents = {}, {}
    for primitive, cells in processes.items():
        for cell, policies in cells.items():
            medians = {policy: float(np.median(us)) for policy, us in sorted(policies.items(), key=repr)}
            if INCUMBENT in medians:
                incumbents.setdefault(primitive, {})[cell] = (medians.pop(INCUMBENT), sources[(primitive, *cell)])
            if medians:
                times.setdefault(primitive, {})[cell] = medians
    return Landscape(environments[newest], times, incumbents, dict(sorted(left_out.items())), protocols)


def records_of(path):
    try:
        return bench.load(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def peers_of(records, origin, device, protocols=None):
    """The plain cells of a file of tools/bench.py, by the landscape's protocol, or cold ones."""
    environment = next((r for r in records if r["kind"] == "environment"), {})
    if environment.get("device") != device:
        raise ValueError(f"{origin}: measured on {environment.get('device', 'no device')}, the landscape on {device}")
    times, roofs = {}, {}
    for r in records:
        if (r["kind"] != "sample" or r["status"] != "ok" or r["in"] not in TYPES or r["in"] != r["out"]
                or r["in_offset"] or r["out_offset"] or r["op"] not in ("", "SUM")):
            continue
        cell = (r["primitive"], r["in"], bench.input_bytes(r))
        if r["protocol"] != (protocols or {}).get(cell, "cold"):
            continue
        if r["variant"] == "peer":
            times[(*cell, r["label"])] = r["median_us"]
        elif r["variant"] == ROOFS.get(r["primitive"]):
            roofs[cell] = r["gbs"]
    return Peers(times, roofs)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def shares(cells):
    """{policy: {cell: best time / its time}} from {cell: {policy: time}}."""
    found = {}
    for cell, times in cells.items():
        best = min(times.values())
        for policy, time in times.items():
            found.setdefault(policy, {})[cell] = best / time
    return found


def variances(groups):
    """(total, between, within) for numbers in groups, a group a policy: variance of the groups' means and mean of the
    groups' variances, every number with equal weight, so that between + within = total."""
    groups = [np.asarray(group, float) for group in groups]
    everything = np.concatenate(groups)
    sizes = np.array([len(group) for group in groups])
    means = np.array([group.mean() for group in groups])
    between = np.sum(sizes * (means - everything.mean()) ** 2) / len(everything)
    within = sum(np.sum((group - mean) ** 2) for group, mean in zip(groups, means)) / len(everything)
    return float(np.var(everything)), float(between), float(within)


def best_single(cells):
    """(policy, its shares) of the policy with the highest average share, among those measured in the most cells; None
    without measurements. The first one in the order of the fields wins a tie."""
    found = shares(cells)
    if not found:
        return None
    most = max(len(of_cell) for of_cell in found.values())
    complete = [item for item in sorted(found.items(), key=repr) if len(item[1]) == most]
    return max(complete, key=lambda item: np.mean(list(item[1].values())))


def cell_text(cell):
    return f"{cell[0]} {bench.size_text(cell[1])}iB"


# `columns`: (title, format); `rows`: lists of values, None for missing data.
Table = collections.namedtuple("Table", "name title note columns rows")
TEXT, COUNT, SHARE, NUMBER, TIMES = "{}", "{:d}", "{:.3f}", "{:.5f}", "{:.2f}"


def variance_table(landscape):
    rows = []
    for primitive in PRIMITIVES:
        found = shares(landscape.times.get(primitive, {}))
        row = [primitive, len(found), len(landscape.times.get(primitive, {}))] + [None] * 5
        if found:
            groups = [list(of_cell.values()) for of_cell in found.values()]
            total, between, within = variances(groups)
            row[3:] = [float(np.mean(np.concatenate(groups))), total, between, within,
                       between / total if total else None]
        rows.append(row)
    return Table("variance", "Variance of the share of the best over the space",
                 "Between policies: of their averages over the cells, what choosing one policy for all can gain. "
                 "Within: of a policy over the cells, what choosing by cell can gain. They add up to the total.",
                 [("primitive", TEXT), ("policies", COUNT), (f"cells of {len(TYPES) * len(SIZES)}", COUNT),
                  ("mean share", SHARE), ("total", NUMBER), ("between", NUMBER), ("within", NUMBER),
                  ("between / total", SHARE)], rows)


def single_table(landscape):
    rows = []
    for primitive in PRIMITIVES:
        best = best_single(landscape.times.get(primitive, {}))
        row = [primitive] + [None] * 5
        if best:
            policy, of_cell = best
            worst = min(sorted(of_cell), key=of_cell.get)
            row[1:] = [store.policy_text(dict(policy)), len(of_cell), float(np.mean(list(of_cell.values()))),
                       of_cell[worst], cell_text(worst)]
        rows.append(row)
    return Table("single", "The best single policy",
                 "The policy whose share of the best, averaged over the cells, is the highest.",
                 [("primitive", TEXT), ("policy", TEXT), ("cells", COUNT), ("average share", SHARE),
                  ("worst share", SHARE), ("in cell", TEXT)], rows)


def share_table(landscape):
    rows = []
    for primitive in PRIMITIVES:
        best = best_single(landscape.times.get(primitive, {}))
        for type_ in TYPES:
            rows.append([primitive, type_] + [best[1].get((type_, size)) if best else None for size in SIZES])
    return Table("share", "Share of the best, of the best single policy, by cell", "",
                 [("primitive", TEXT), ("type", TEXT)]
                 + [(bench.size_text(size) + "iB", SHARE) for size in SIZES], rows)


def roof_of(landscape, peers, primitive, type_):
    """(GB/s, source) or (None, None)."""
    measured = peers.roofs.get((primitive, type_, LARGE))
    if measured:
        return measured, "measured"
    peak = landscape.environment.get("peak_gbs")
    return (float(peak), "peak") if peak else (None, None)


def bandwidth_table(landscape, peers):
    rows = []
    for primitive in PRIMITIVES:
        for type_ in TYPES:
            roof, origin = roof_of(landscape, peers, primitive, type_)
            times = np.array(list(landscape.times.get(primitive, {}).get((type_, LARGE), {}).values()))
            speeds = MOVED[primitive] * LARGE / times / 1e3  # bytes a microsecond are MB/s
            best, average = (float(speeds.max()), float(speeds.mean())) if len(speeds) else (None, None)
            rows.append([primitive, type_, best, average, roof, origin,
                         best / roof if best and roof else None, average / roof if average and roof else None])
    return Table("bandwidth", f"Bandwidth at {bench.size_text(LARGE)}iB",
                 "GB/s of the best policy, and of the policies on average; the roof is the copy (reduce: the read) "
                 "that tools/bench.py measured at this size, or the memory's peak.",
                 [("primitive", TEXT), ("type", TEXT), ("best GB/s", "{:.0f}"), ("average GB/s", "{:.0f}"),
                  ("roof GB/s", "{:.0f}"), ("roof is", TEXT), ("best / roof", SHARE), ("average / roof", SHARE)], rows)


def slowdowns(landscape, primitive):
    return np.array(sorted(1 / share for of_cell in shares(landscape.times.get(primitive, {})).values()
                           for share in of_cell.values()))


def slowdown_table(landscape):
    edges = [f"{low:g}-{high:g}" if np.isfinite(high) else f"{low:g}-" for low, high in
             zip(SLOWDOWN_EDGES, SLOWDOWN_EDGES[1:])]
    rows = []
    for primitive in PRIMITIVES:
        values = slowdowns(landscape, primitive)
        row = [primitive, len(values)] + [None] * (len(edges) + 2)
        if len(values):
            counts = np.diff(np.searchsorted(values, SLOWDOWN_EDGES))
            row[2:] = [float(np.median(values)), float(np.quantile(values, 0.9)), *(counts / len(values)).tolist()]
        rows.append(row)
    return Table("slowdown", "Slowdown over the space: shares of the samples between two slowdowns",
                 "A sample is a policy in a cell; slowdown is its time over the best policy's.",
                 [("primitive", TEXT), ("samples", COUNT), ("median", TIMES), ("90 % below", TIMES)]
                 + [(edge, SHARE) for edge in edges], rows)


def gain_table(landscape, peers):
    rows = []
    for size in (LARGE, SMALL):
        for primitive in PRIMITIVES:
            for type_ in TYPES:
                times = landscape.times.get(primitive, {}).get((type_, size))
                best = min(times.values()) if times else None
                incumbent, source = landscape.incumbents.get(primitive, {}).get((type_, size), (None, None))
                others = [incumbent] + [peers.times.get((primitive, type_, size, label)) for label in PEERS.values()]
                rows.append([bench.size_text(size) + "iB", primitive, type_, best, source]
                            + [other / best if other and best else None for other in others])
    return Table("gain", "Gain of the best policy",
                 "Times as fast as what the header chooses by itself (its source says by which rule: portable, or a "
                 "row of the table), as CUB, as Thrust.",
                 [("size", TEXT), ("primitive", TEXT), ("type", TEXT), ("best us", TIMES), ("incumbent", TEXT),
                  ("over incumbent", TIMES)] + [(f"over {title}", TIMES) for title in PEERS], rows)


def tables_of(landscape, peers):
    return [variance_table(landscape), single_table(landscape), share_table(landscape),
            bandwidth_table(landscape, peers), slowdown_table(landscape), gain_table(landscape, peers)]


# ---- writing ---------------------------------------------------------------------------------------------------------


def entry(form, value):
    return NO_DATA if value is None else form.format(value)


def markdown(table):
    lines = [f"### {table.title}", ""] + ([textwrap.fill(table.note, 118), ""] if table.note else [])
    lines.append("| " + " | ".join(title for title, _ in table.columns) + " |")
    lines.append("|" + "|".join("---" if form == TEXT else "---:" for _, form in table.columns) + "|")
    for row in table.rows:
        lines.append("| " + " | ".join(entry(form, value) for (_, form), value in zip(table.columns, row)) + " |")
    return "\n".join(lines) + "\n"


def write_tables(folder, landscape, tables):
    """Writes landscape.json, and a CSV file a table: full numbers, NO DATA for missing ones."""
    for table in tables:
        with open(os.path.join(folder, f"{table.name}.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([title for title, _ in table.columns])
            writer.writerows([NO_DATA if value is None else value for value in row] for row in table.rows)
    everything = {"environment": landscape.environment, "left_out": landscape.left_out}
    for table in tables:
        titles = [title for title, _ in table.columns]
        everything[table.name] = [dict(zip(titles, row)) for row in table.rows]
    with open(os.path.join(folder, "landscape.json"), "w", encoding="utf-8") as file:
        json.dump(everything, file, indent=1)
        file.write("\n")


# ---- figures ---------------------------------------------------------------------------------------------------------

COLOURS = dict(zip(TYPES, ["#0b6e4f", "#c84c09", "#3d5a98", "#8a4fa3"]))


def no_data(axes):
    axes.text(0.5, 0.5, NO_DATA, ha="center", va="center", transform=axes.transAxes, color="#888888")


def slowdown_figure(figure, landscape):
    edges = np.geomspace(1, 20, 41)
    for axes, primitive in zip(figure.subplots(1, len(PRIMITIVES), sharey=True), PRIMITIVES):
        values = slowdowns(landscape, primitive)
        axes.set_title(f"{primitive}, {len(values)} samples")
        axes.set_xlabel("time / best policy's (20: and more)")
        axes.set_xscale("log")
        axes.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        axes.minorticks_off()
        if len(values):
            axes.hist(np.minimum(values, edges[-1]), edges, weights=np.full(len(values), 1 / len(values)),
                      color=COLOURS["u32"])
        else:
            no_data(axes)
    figure.axes[0].set_ylabel("share of the samples")


def single_figure(figure, landscape):
    for axes, primitive in zip(figure.subplots(1, len(PRIMITIVES), sharey=True), PRIMITIVES):
        best = best_single(landscape.times.get(primitive, {}))
        axes.set_xticks(range(len(SIZES)), [bench.size_text(size) for size in SIZES])
        axes.set_xlabel("bytes")
        axes.set_ylim(0, 1.05)
        axes.set_title(primitive)
        if not best:
            no_data(axes)
            continue
        axes.set_title(f"{primitive}: {np.mean(list(best[1].values())):.3f} on average")
        for type_ in TYPES:
            axes.plot(range(len(SIZES)), [best[1].get((type_, size), np.nan) for size in SIZES], "o-", label=type_,
                      color=COLOURS[type_])
        axes.legend(loc="lower right", frameon=False)
    figure.axes[0].set_ylabel("best single policy's share of the best")


def map_values(landscape):
    """(values of the first field, of the second, GB/s: a row a value of the second) for one cell, the best of all other
    fields at each point; NaN if not measured. None without the cell."""
    primitive, type_, size = MAP
    times = landscape.times.get(primitive, {}).get((type_, size), {})
    best = {}
    for policy, time in times.items():
        at = tuple(dict(policy).get(field) for field in MAP_FIELDS)
        if None not in at:
            best[at] = min(time, best.get(at, np.inf))
    if not best:
        return None
    columns, rows = (sorted({at[k] for at in best}) for k in range(2))
    speed = np.array([[MOVED[primitive] * size / best[c, r] / 1e3 if (c, r) in best else np.nan for c in columns]
                      for r in rows])
    return columns, rows, speed


def map_title():
    primitive, type_, size = MAP
    return f"{primitive} {type_}, {bench.size_text(size)}iB: GB/s"


def map_figure(figure, landscape):
    """Speed over two fields of one cell."""
    axes = figure.subplots()
    axes.set_title(map_title())
    axes.set_xlabel(MAP_FIELDS[0])
    axes.set_ylabel(MAP_FIELDS[1])
    found = map_values(landscape)
    if not found:
        no_data(axes)
        return
    columns, rows, speed = found
    figure.colorbar(axes.imshow(speed, origin="lower", aspect="auto", cmap="viridis"), ax=axes)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    bright = np.nanmin(speed) + 0.6 * (np.nanmax(speed) - np.nanmin(speed))
    for (r, c), value in np.ndenumerate(speed):
        known = np.isfinite(value)
        axes.text(c, r, f"{value:.0f}" if known else NO_DATA, ha="center", va="center", fontsize=8,
                  color="#888888" if not known else "black" if value > bright else "white")


FIGURES = {"slowdown": (slowdown_figure, (12, 3.6)), "single": (single_figure, (12, 3.6)), "map": (map_figure, (7, 5))}


def write_figures(folder, landscape):
    """Writes SVG and PNG; equal numbers give equal bytes. False, with the reason on standard error, without
    matplotlib."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        print("landscape: no figures: matplotlib is missing (pip install matplotlib)", file=sys.stderr)
        return False
    with matplotlib.rc_context({"svg.hashsalt": "gpuprims", "svg.fonttype": "none", "axes.spines.top": False,
                                "axes.spines.right": False}):
        for name, (draw, inches) in FIGURES.items():
            figure = Figure(figsize=inches, layout="constrained")
            draw(figure, landscape)
            figure.savefig(os.path.join(folder, f"{name}.svg"), metadata={"Date": None, "Creator": None})
            figure.savefig(os.path.join(folder, f"{name}.png"), dpi=110, metadata={"Software": None})
    return True


def report(landscape, tables):
    environment = landscape.environment
    commit = f", commit {environment['commit']}" if environment.get("commit") else ""
    left_out = ", ".join(f"{count} {reason}" for reason, count in landscape.left_out.items())
    return "\n".join([f"**{environment['device']}**, {environment['date'][:10]}{commit}; samples left out: "
                      f"{left_out or 'none'}.", ""] + [markdown(table) for table in tables])


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm landscape", description=__doc__.split("\n")[0])
    parser.add_argument("store", metavar="STORE")
    parser.add_argument("--out", metavar="FOLDER", default=os.path.join(bench.BUILD, "landscape"))
    parser.add_argument("--peers", metavar="FILE", help="of tools/bench.py, for CUB, Thrust and the roofs")
    options = parser.parse_args(arguments)
    try:
        read = store.read(options.store)
        read.complain()
        landscape = landscape_of([line.value for line in read.lines], options.store)
        peers = Peers({}, {})
        if options.peers:
            peers = peers_of(records_of(options.peers), options.peers, landscape.environment["device"],
                             landscape.protocols)
        os.makedirs(options.out, exist_ok=True)
        tables = tables_of(landscape, peers)
        write_tables(options.out, landscape, tables)
        print(report(landscape, tables))
        write_figures(options.out, landscape)
    except (OSError, ValueError, store.StoreError) as error:
        print(f"landscape: {error}", file=sys.stderr)
        return 2
    print(f"written to {os.path.relpath(options.out)}", file=sys.stderr)
    return 0
