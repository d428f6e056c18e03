"""Draws measured spaces of the programs of examples/tuner, and prints their tables beside the figures of Tillmann and
others, "Application-independent Autotuning for GPUs" (2013).

    spaces.py SPACE.jsonl[.gz] [...] [empty_kernel.json] --out build/spaces

writes PROGRAM.svg and PROGRAM.png into the folder, and the tables as tables.md. One parameter: a line. Two: a heat map,
and a line for each value of the second. Three or more: points in space, and a heat map for each pair of the first
three, at the optimum's values of the others.
"""
import argparse
import collections
import functools
import gzip
import itertools
import json
import os
import statistics

BLUE, GREY, RED = "#1f4e8c", "#b9b9b9", "#c0392b"
WORST = 2.0  # the most that the colours tell apart: time by the optimum's

# Milliseconds by default and tuned, the time saved, the iterations until the optimum, the block sizes by default and
# tuned, as printed. Tables 2 and 3 print no block sizes, Table 4 no iterations.
Published = collections.namedtuple("Published", "gpu default tuned saved iterations blocks", defaults=("", "", ""))
PUBLISHED = {
    "merge_sort": ("Table 2", [Published("Quadro 6000", 48.3, 32.4, "32.81 %", 17),
                               Published("GTX 470", 45.7, 30.7, "32.85 %", 20),
                               Published("GTX 680", 32.8, 23.4, "28.64 %", 20)]),
    "n_body": ("Table 3", [Published("Quadro 6000", 6361, 6304, "1.0 %", 26),
                           Published("GTX 470", 6044, 5953, "1.5 %", 20),
                           Published("GTX 680", 2937, 2824, "3.8 %", 14)]),
    "scan": ("Table 4, 1000 calls", [Published("GTX 680", 2566, 2223, blocks="224; 128"),
                                     Published("Quadro 6000", 10025, 10026, blocks="224; 224")]),
    "marching_cubes": ("Table 4", [Published("GTX 680", 170, 134, blocks="160; 128"),
                                   Published("Quadro 6000", 179, 179, blocks="160; 224")]),
}
# Table 1: block size, milliseconds, standard deviation; GTX 680.
PUBLISHED_EMPTY = {128: (0.256, 0.011), 256: (0.210, 0.009), 512: (0.232, 0.028), 1024: (0.251, 0.022)}

Space = collections.namedtuple("Space", "head names axes default us invalid")


TEXTS = ("program", "device", "driver", "cuda", "date", "size")  # members of a head


class Damaged(Exception):
    """A file that is no measured space."""


def lines_of(path):
    """The lines of a file, which may be compressed."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            return file.read().splitlines()
    except (EOFError, UnicodeDecodeError, gzip.BadGzipFile, gzip.zlib.error) as error:
        raise Damaged(f"{path}: {error!r}") from error


def read_space(path):
    """A Space: `us` {values: [time a round]}, `invalid` {values: why}. Every configuration has a line."""
    path = str(path)
    lines, us, invalid, number = lines_of(path), {}, {}, 1
    try:
        if not lines:
            raise Damaged("it is empty")
        head = json.loads(lines[0])
        names = [parameter["name"] for parameter in head["parameters"]]
        axes = [parameter["values"] for parameter in head["parameters"]]
        default = tuple(parameter["default"] for parameter in head["parameters"])
        rounds, known = head["rounds"], set(itertools.product(*axes))
        if not axes or not set(TEXTS) <= set(head) or not all("categorical" in one for one in head["parameters"]):
            raise Damaged(f"no head of a space: it needs {', '.join(TEXTS)} and parameters")
        for number, text in enumerate(lines[1:], 2):
            line = json.loads(text)
            values = tuple(line["values"])
            if values not in known or values in us or values in invalid:
                raise Damaged("its configurations are not those of its parameters, each once")
            if "us" not in line:
                invalid[values] = line["invalid"]
                continue
            us[values] = line["us"]
            if len(us[values]) != rounds or not all(time > 0 for time in us[values]):
                raise Damaged(f"{values} has no {rounds} times above 0")
    except (Damaged, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = str(error) if isinstance(error, Damaged) else repr(error)
        raise Damaged(f"{path}, line {number}: {reason}") from error
    if len(us) + len(invalid) != len(known):
        raise Damaged(f"{path}, after line {number}: its configurations are not those of its parameters, each once")
    if default not in us:
        raise Damaged(f"{path}, line 1: the default has no times")
    return Space(head, names, axes, default, us, invalid)


def read_empty(path):
    """Rows of an empty kernel's times: (threads, blocks, average, deviation), and the device."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        rows = [(one["threads"], one["blocks"], one["average_us"], one["deviation_us"]) for one in results["rows"]]
        return results["device"], rows
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path}: {error!r}") from error


def medians_of(space):
    return {values: statistics.median(times) for values, times in space.us.items()}


def optimum_of(medians):
    return min(medians, key=lambda values: (medians[values], values))


def worst_of(medians):
    """The end of the colours."""
    return min(WORST, max(medians.values()) / min(medians.values()))


def spread_of(space):
    """The median over configurations of (largest - smallest) / median of its rounds."""
    return statistics.median((max(times) - min(times)) / statistics.median(times) for times in space.us.values())


# ---- tables


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |\n"


def header(*names):
    return row(*names) + row(*["---"] * len(names))


def saved(before, after):
    return f"{100 * (1 - after / before):.1f} %"


def table_of(space, iterations=""):
    """iterations: the tuner's own, beside the printed ones."""
    medians = medians_of(space)
    optimum = optimum_of(medians)
    least, start = medians[optimum], medians[space.default]

    def values_text(values):
        return ", ".join(f"{name} {value}" for name, value in zip(space.names, values))

    text = f"## {space.head['program']}, size {space.head['size']:,}\n\n"
    text += header("GPU", "default, ms", "optimum, ms", "time saved", "iterations of the tuner", "source",
                   "block sizes by default; tuned")
    text += row(space.head["device"], f"{start / 1e3:.4g}", f"{least / 1e3:.4g}", saved(start, least), iterations,
                f"measured, {space.head['date'][:10]}, driver {space.head['driver']}",
                "; ".join("/".join(map(str, values)) for values in (space.default, optimum)))
    table, published = PUBLISHED.get(space.head["program"], ("", []))
    for one in published:
        text += row(one.gpu, one.default, one.tuned, one.saved or saved(one.default, one.tuned), one.iterations,
                    f"2013, {table}", one.blocks)
    near = {share: sum(us <= (1 + share) * least for us in medians.values()) for share in (0.02, 0.1)}
    better = sum(us < start for us in medians.values())
    text += f"\nDefault: {values_text(space.default)}. Optimum: {values_text(optimum)}.\n"
    text += f"{len(medians)} configurations, and {len(space.invalid)} invalid ones. Within 2 % of the optimum: " \
            f"{near[0.02]}; within 10 %: {near[0.1]}; faster than the default: {better}.\n"
    text += f"Slowest: {max(medians.values()) / least:.2f} times the optimum. Medians of {space.head['rounds']} " \
            f"rounds; the rounds of a configuration differ by {100 * spread_of(space):.1f} % (median).\n"
    return text


def table_of_empty(results):
    device, rows = results
    text = "## An empty kernel\n\n"
    text += header("GPU", "threads", "blocks", "average, us", "deviation, us")
    for threads, blocks, average, deviation in rows:
        text += row(device, threads, blocks, f"{average:.2f}", f"{deviation:.2f}")
    for threads, (average, deviation) in PUBLISHED_EMPTY.items():
        text += row("GTX 680 (2013, Table 1)", threads, "not given", f"{1e3 * average:.0f}", f"{1e3 * deviation:.0f}")
    return text


# ---- pictures


def sorted_axis(space, axis):
    """Values in order; categorical ones as they are."""
    values = space.axes[axis]
    return values if space.head["parameters"][axis]["categorical"] else sorted(values)


def mark(axes, place, colour, label):
    shape, size = ("*", 11) if label == "optimum" else ("o", 7)
    axes.plot(*place, marker=shape, markersize=size, markerfacecolor=colour, linestyle="", label=label,
              markeredgecolor="black" if colour == "white" else "white")


def ticks(set_ticks, values):
    """At most a dozen labels."""
    step = -(-len(values) // 12)
    set_ticks(range(0, len(values), step), [str(value) for value in values[::step]], fontsize=7)


def plane_of(space, medians, down, across, at):
    """(rows, columns, times by the optimum's) of two parameters' values; the other parameters as in `at`. NaN:
    invalid."""
    least = medians[optimum_of(medians)]
    rows, columns = sorted_axis(space, down), sorted_axis(space, across)

    def time_of(y, x):
        values = list(at)
        values[down], values[across] = y, x
        return medians.get(tuple(values), float("nan")) / least

    return rows, columns, [[time_of(y, x) for x in columns] for y in rows]


def draw_path(axes, places, inside):
    """A search's configurations in order: filled where they lie in the picture's plane, hollow where their shadow
    does."""
    axes.plot(*zip(*places), color="black", linewidth=0.7, alpha=0.55)
    for kind, face in ((True, "black"), (False, "none")):
        shown = [place for place, is_in in zip(places, inside) if is_in == kind]
        if shown:
            axes.plot(*zip(*shown), linestyle="", marker="o", markersize=3.2, markerfacecolor=face,
                      markeredgecolor="black", markeredgewidth=0.7, label="measured" if kind else "its shadow")


def draw_map(axes, space, medians, down, across, at, path=(), missing=GREY):
    """Times of two parameters' values by the optimum's; the other parameters as in `at`. missing: the colour of
    configurations without a time; in a whole space they are invalid."""
    rows, columns, times = plane_of(space, medians, down, across, at)
    image = axes.imshow(times, cmap="viridis_r", vmin=1, vmax=worst_of(medians), aspect="auto", origin="lower")
    axes.set_facecolor(missing)
    if path:
        others = [k for k in range(len(at)) if k not in (down, across)]
        draw_path(axes, [(columns.index(values[across]), rows.index(values[down])) for values in path],
                  [all(values[k] == at[k] for k in others) for values in path])
    for values, colour, label in ((space.default, "white", "default"), (optimum_of(medians), RED, "optimum")):
        inside = all(values[k] == at[k] for k in range(len(at)) if k not in (down, across))
        if inside:
            mark(axes, ([columns.index(values[across])], [rows.index(values[down])]), colour, label)
    axes.set_xlabel(space.names[across], fontsize=8, parse_math=False)
    axes.set_ylabel(space.names[down], fontsize=8, parse_math=False)
    ticks(axes.set_xticks, columns)
    ticks(axes.set_yticks, rows)
    return image


def draw_lines(axes, space, medians):
    """Time by the first parameter; a line for each value of the second one. The band is the rounds' range."""
    import matplotlib
    groups = [(value,) for value in sorted_axis(space, 1)] if len(space.axes) == 2 else [()]
    for number, rest in enumerate(groups):
        first = [value for value in sorted_axis(space, 0) if (value, *rest) in medians]
        colour = matplotlib.colormaps["plasma"](0.85 * number / max(1, len(groups) - 1)) if rest else BLUE
        axes.plot(first, [medians[(value, *rest)] / 1e3 for value in first], color=colour, marker=".", markersize=4,
                  linewidth=1, label=f"{space.names[1]} {rest[0]}" if rest else "median")
        axes.fill_between(first, [min(space.us[(value, *rest)]) / 1e3 for value in first],
                          [max(space.us[(value, *rest)]) / 1e3 for value in first], color=colour, alpha=0.15,
                          linewidth=0)
    for values, colour, label in ((space.default, GREY, "default"), (optimum_of(medians), RED, "optimum")):
        if values in medians:
            mark(axes, ([values[0]], [medians[values] / 1e3]), colour, label)
    axes.set_xlabel(space.names[0], fontsize=8, parse_math=False)
    axes.set_ylabel("ms", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, frameon=False)


def draw_points(axes, space, medians, path=()):
    """The first three parameters in space, as in Figure 3; others at the optimum's values."""
    optimum = optimum_of(medians)
    shown = [values for values in medians if values[3:] == optimum[3:]]
    order = [sorted_axis(space, axis) for axis in range(3)]
    places = [[order[axis].index(values[axis]) for values in shown] for axis in range(3)]
    axes.computed_zorder = False  # marks are in front of points
    axes.scatter(*places, c=[medians[values] / medians[optimum] for values in shown], cmap="viridis_r", vmin=1,
                 vmax=worst_of(medians), s=12)
    if path:
        draw_path(axes, [[order[axis].index(values[axis]) for axis in range(3)] for values in path],
                  [values[3:] == optimum[3:] for values in path])
    for values, colour, label in ((space.default, "white", "default"), (optimum, RED, "optimum")):
        if values[3:] == optimum[3:]:
            mark(axes, [[order[axis].index(values[axis])] for axis in range(3)], colour, label)
    for axis, (set_label, set_ticks) in enumerate(((axes.set_xlabel, axes.set_xticks),
                                                   (axes.set_ylabel, axes.set_yticks),
                                                   (axes.set_zlabel, axes.set_zticks))):
        set_label(space.names[axis], fontsize=8)
        set_ticks(range(0, len(order[axis]), 3), [str(value) for value in order[axis][::3]], fontsize=6)


def draw(space, plt, path=()):
    """path: the configurations that a search measured, in order."""
    medians = medians_of(space)
    optimum = optimum_of(medians)
    if len(space.axes) == 1:
        figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
        draw_lines(axes, space, medians)
        known = [values for values in path if values in medians]
        if known:
            draw_path(axes, [(values[0], medians[values] / 1e3) for values in known], [True] * len(known))
    elif len(space.axes) == 2:
        figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.5), layout="constrained")
        draw_lines(left, space, medians)
        image = draw_map(right, space, medians, 1, 0, optimum, path)
        figure.colorbar(image, ax=right, label="time / the optimum's", extend="max")
        right.legend(fontsize=7, labelcolor="white", facecolor="black")
    else:
        figure = plt.figure(figsize=(13, 10), layout="constrained")
        draw_points(figure.add_subplot(2, 2, 1, projection="3d"), space, medians, path)
        maps = [figure.add_subplot(2, 2, place) for place in (2, 3, 4)]
        for axes, (across, down) in zip(maps, itertools.combinations(range(3), 2)):
            image = draw_map(axes, space, medians, down, across, optimum, path)
            rest = [f"{space.names[k]} {optimum[k]}" for k in range(len(optimum)) if k not in (across, down)]
            axes.set_title(", ".join(rest), loc="left", fontsize=8)
        figure.colorbar(image, ax=maps, label="time / the optimum's", extend="max")
    figure.suptitle(f"{space.head['program']}, size {space.head['size']:,}, {space.head['device']}", fontsize=10)
    return figure


def write_figures(drawings, out):
    """Writes NAME.svg and NAME.png of each drawing, a pair of a name and a function of pyplot that returns a figure.
    Returns their paths."""
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(os.path.abspath(out), "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "spaces"  # equal results make equal files
    names = []
    for name, drawing in drawings:
        figure = drawing(plt)
        for kind, metadata in (("svg", {"Date": None}), ("png", None)):
            names.append(os.path.join(out, f"{name}.{kind}"))
            figure.savefig(names[-1], dpi=110, metadata=metadata)
        plt.close(figure)
    return names


def write_pictures(pictured, out):
    """Writes the pictures of each space, a pair of Space and path, under its program's name; returns their paths."""
    return write_figures([(space.head["program"], functools.partial(draw, space, path=path))
                          for space, path in pictured], out)


def main():
    parser = argparse.ArgumentParser(description="draws the measured spaces of examples/tuner")
    parser.add_argument("results", nargs="+", help="files of --exhaustive, and empty_kernel's")
    parser.add_argument("--out", default=os.path.join("build", "spaces"), help="the folder for pictures and tables.md")
    arguments = parser.parse_args()
    results = []
    for path in arguments.results:
        try:
            results.append(read_empty(path) if path.endswith(".json") else read_space(path))
        except (Damaged, OSError) as error:
            parser.exit(1, f"{error}\n")
    tables = "\n".join(table_of(one) if isinstance(one, Space) else table_of_empty(one) for one in results)
    os.makedirs(arguments.out, exist_ok=True)
    for name in write_pictures([(one, ()) for one in results if isinstance(one, Space)], arguments.out):
        print(name)
    with open(os.path.join(arguments.out, "tables.md"), "w", encoding="utf-8") as file:
        file.write(tables)
    print(tables, end="")


if __name__ == "__main__":
    main()
