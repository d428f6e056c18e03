"""The path of an online tuner (gp_tuner_report) or of tuned library calls (gp_tuning_report): pictures, a table, and
candidates for `tune`.

    python3 -m tools.farm tuner FILE... [--space SPACE] [--out FOLDER] [--store STORE]

--out gets NAME.svg and NAME.png for every tuner and bucket, and tuners.md. The left picture has the time by step, with
the best so far. The right one has the path over the two parameters that matter most, the others at the best known
values: a measured point has the colour of its time and the numbers of its steps. A grey square was rejected. With
--space, a space measured whole (--exhaustive of examples/tuner), the landscape below the path is that space.

--store writes what library calls learned as lines of the farm's store: learned.py.

Reports come from strangers. A damaged line, a value that its parameter does not have, or a report without a step is an
error that names file and line; nothing is written then. Exit status: 0 done; 1 bad input; 2 bad usage.
"""
import argparse
import collections
import functools
import html
import itertools
import math
import os
import re
import statistics
import sys

from examples.tuner import spaces
from tools.farm import store

MOST_PARAMETERS, MOST_VALUES, MOST_NAME = 16, 65536, 4096
ARROWS, NUMBERS = 100, 3  # that a picture has; that a place has
TICKS = 60  # characters that fit beside each other below a landscape
NAMES = {"algorithm": "algorithms", "load": "caches", "store": "caches"}  # of a policy's enumerators
CALL = ("primitive", "op", "transform", "equal", "in", "in2", "acc", "key", "offset", "out", "out2")  # texts of a call

# A report: `device` is the first line of gp_tuning_report, None without one.
Report = collections.namedtuple("Report", "file device paths")
# A bucket's steps. head: the tuner's line; line: its number; call: of library calls, otherwise None. default: values.
Path = collections.namedtuple("Path", "file line head names axes call bucket default steps")
# us: None if the configuration was rejected. n: elements of a library call; otherwise, or if unknown, None.
Step = collections.namedtuple("Step", "line values us n")


class Damaged(Exception):
    """An error message for the user, with file and line."""


class Wrong(Exception):
    """What is wrong with a line."""


def need(condition, reason):
    if not condition:
        raise Wrong(reason)


# ---- reading ---------------------------------------------------------------------------------------------------------


def is_int(value, low=-2 ** 31, high=2 ** 31 - 1):
    return type(value) is int and low <= value <= high


def is_name(value):
    return isinstance(value, str) and len(value) <= MOST_NAME and value.isprintable()


def check_parameter(one):
    need(isinstance(one, dict) and is_name(one.get("name")) and one["name"], "a parameter has no name")
    values = one.get("values")
    need(isinstance(values, list) and 0 < len(values) <= MOST_VALUES and all(map(is_int, values)) and
         len(set(values)) == len(values), "a parameter's values are not different integers")
    need(is_int(one.get("default")) and one["default"] in values, "a parameter's default is none of its values")
    need(isinstance(one.get("categorical"), bool), "a parameter does not say whether it is categorical")


def check_head(head, device):
    """Checks the line of a tuner; device: whether its report is one of library calls."""
    need(is_name(head["tuner"]), "the tuner's name is not one line of text")
    parameters = head.get("parameters")
    need(isinstance(parameters, list) and 0 < len(parameters) <= MOST_PARAMETERS,
         f"a tuner has 1 to {MOST_PARAMETERS} parameters")
    for one in parameters:
        check_parameter(one)
    names = [one["name"] for one in parameters]
    need(len(set(names)) == len(names), "two parameters have one name")
    if not device:
        return
    call = head.get("call")
    need(isinstance(call, dict), "the class of library calls has no member `call`")
    for name in CALL:
        need(is_name(call.get(name)), f"call.{name} is not one line of text")
    for name in ("flags", "user"):
        need(is_int(call.get(name), 0), f"call.{name} is no number")
    need(set(names) <= set(store.fields()), "foreign parameters: they are not those of a policy")
    for name in set(NAMES) & set(names):
        known = len(store.description()[NAMES[name]])
        values = parameters[names.index(name)]["values"]
        need(all(0 <= value < known for value in values), f"the header has no {name} of such a number")


def step_of(line, number, head, device):
    """A Step, and its bucket."""
    axes = [set(one["values"]) for one in head["parameters"]]
    bucket, values = line.get("bucket"), line.get("values")
    need(isinstance(bucket, list) and len(bucket) <= 4 and all(is_int(one, 0, 2 ** 64 - 1) for one in bucket),
         "a bucket is a list of up to 4 numbers")
    need(isinstance(values, list) and len(values) == len(axes) and
         all(type(value) is int and value in axis for value, axis in zip(values, axes)),
         "foreign parameters: its values are not those of the tuner's parameters")
    n, us = line.get("n"), line.get("us")
    need(not device or is_int(n, 1, 2 ** 48) or n is us is None, "n is no number of elements")
    need((us is None) == (line.get("rejected") is True), "a step has a time or is rejected")
    need(us is None or (type(us) in (int, float) and 0 < us < 1e12), "us is no time above 0")
    return Step(number, tuple(values), us, n), tuple(bucket)


def read(path):
    """A Report; Damaged if the file is none."""
    path = str(path)
    device, head, at, found, number = None, None, 0, {}, 1
    try:
        lines = spaces.lines_of(path)
        for number, text in enumerate(lines, 1):
            line = store.DECODER.decode(text)
            need(isinstance(line, dict), "it is no object")
            if "tuning" in line:
                need(number == 1 and line["tuning"] == "gpuprims", "the line of a device must be the first one")
                device = line
            elif "tuner" in line:
                check_head(line, device)
                head, at = line, number
            else:
                need(head, "neither gp_tuner_report nor gp_tuning_report begins like this")
                step, bucket = step_of(line, number, head, device)
                found.setdefault((at, bucket), (head, []))[1].append(step)
        need(found, "there are no steps: nothing was measured")
    except spaces.Damaged as error:
        raise Damaged(str(error)) from error
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror}") from error
    except Wrong as error:
        raise Damaged(f"{path}, line {number}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path}, line {number}: no JSON ({store.shown(str(error))})") from error
    return Report(path, device, [path_of(path, line, head, bucket, steps, device)
                                 for (line, bucket), (head, steps) in found.items()])


def path_of(file, line, head, bucket, steps, device):
    parameters = head["parameters"]
    return Path(file, line, head, [one["name"] for one in parameters], [one["values"] for one in parameters],
                head["call"] if device else None, bucket, tuple(one["default"] for one in parameters), steps)


def check_space(space, path):
    """Raises Damaged unless the space has the path's parameters."""
    if space.names != path.names or [set(axis) for axis in space.axes] != [set(axis) for axis in path.axes]:
        raise Damaged(f"{path.file}, line {path.line}: foreign parameters: the space of {space.head['program']} has "
                      f"others ({', '.join(space.names)})")


# ---- what a path tells -----------------------------------------------------------------------------------------------


def space_of(path):
    """What the path has measured, as a Space: most configurations are missing."""
    us, rejected = {}, {}
    for step in path.steps:
        if step.us is None:
            rejected[step.values] = "rejected"
        else:
            us.setdefault(step.values, []).append(step.us)
    head = {"program": title_of(path), "parameters": path.head["parameters"]}
    return spaces.Space(head, path.names, path.axes, path.default, us,
                        {values: why for values, why in rejected.items() if values not in us})


def name_of(path):
    """The tuner's name; library calls have their types and operators instead."""
    if not path.call:
        return path.head["tuner"] or "tuner"
    types = [f"{name}={path.call[name]}" for name in ("key", "in", "acc", "out", "offset", "out2") if path.call[name]]
    return " ".join([*filter(None, (path.call[name] for name in ("primitive", "op", "transform"))), *types])


def size_of(path):
    """The bucket; of library calls the elements of the first one."""
    sizes = path.bucket or [step.n for step in path.steps if step.n][:1]
    return " x ".join(map(str, sizes))


def title_of(path):
    return f"{name_of(path)}{f', from {size_of(path)}' if size_of(path) else ''}"


def best_so_far(steps):
    """The least time up to each step; NaN before the first."""
    least = itertools.accumulate((math.inf if step.us is None else step.us for step in steps), min)
    return [math.nan if math.isinf(us) else us for us in least]


def by_weight(space, medians):
    """The parameters' places, the one that matters most first: by the variance of the logarithms of times between its
    values."""
    logs = {values: math.log(us) for values, us in medians.items()}
    mean = statistics.fmean(logs.values())

    def between(axis):
        groups = collections.defaultdict(list)
        for values, log in logs.items():
            groups[values[axis]].append(log)
        return sum(len(those) * (statistics.fmean(those) - mean) ** 2 for those in groups.values())

    return sorted(range(len(space.axes)), key=lambda axis: (-round(between(axis), 12), axis))


def value_text(path, axis, value):
    name = path.names[axis]
    return store.description()[NAMES[name]][value].removeprefix("GP_CACHE_") if path.call and name in NAMES else \
        str(value)


def values_text(path, values):
    return ", ".join(f"{name} {value_text(path, axis, value)}" for axis, (name, value) in
                     enumerate(zip(path.names, values)))


def escaped(text):
    """Markdown of a stranger's text."""
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", html.escape(text, quote=False))


def table_of(paths):
    text = spaces.header("tuner", "bucket", "default", "best", "default, us", "best, us", "gain", "steps", "rejected")
    for path in paths:
        medians = spaces.medians_of(space_of(path))
        best = spaces.optimum_of(medians) if medians else None
        start = medians.get(path.default)
        text += spaces.row(escaped(name_of(path)), size_of(path) or "-",
                           escaped(values_text(path, path.default)), escaped(values_text(path, best)) if best else "-",
                           f"{start:.3f}" if start else "-", f"{medians[best]:.3f}" if best else "-",
                           f"{100 * (start / medians[best] - 1):.1f} %" if start else "-", len(path.steps),
                           sum(step.us is None for step in path.steps))
    return text + "\nTimes are medians. The gain is the default's time over the best one's, less 1. `-`: not known.\n"


# ---- pictures --------------------------------------------------------------------------------------------------------


def draw_steps(axes, path):
    numbers = range(1, len(path.steps) + 1)
    measured = [(number, step.us) for number, step in zip(numbers, path.steps) if step.us is not None]
    rejected = [number for number, step in zip(numbers, path.steps) if step.us is None]
    if measured:
        axes.plot(*zip(*measured), linestyle="", marker="o", markersize=3, color=spaces.BLUE, label="measured")
        axes.plot(numbers, best_so_far(path.steps), drawstyle="steps-post", color=spaces.RED, linewidth=1.2,
                  label="best so far")
        if max(us for _, us in measured) > 5 * min(us for _, us in measured):
            axes.set_yscale("log")
    if rejected:
        axes.plot(rejected, [0.02] * len(rejected), linestyle="", marker="x", markersize=4, color="black",
                  transform=axes.get_xaxis_transform(), label="rejected")
    axes.set_xlabel("step", fontsize=8)
    axes.set_ylabel("us", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, frameon=False)


def draw_order(axes, places):
    """Arrows from step to step, and the steps' numbers at each place."""
    moves = [pair for pair in itertools.pairwise(places) if pair[0] != pair[1]]
    for start, end in moves[:ARROWS]:
        axes.annotate("", end, start, annotation_clip=False, arrowprops={
            "arrowstyle": "->", "linewidth": 0.6, "color": "black", "alpha": 0.45, "shrinkA": 4, "shrinkB": 4})
    numbers = collections.defaultdict(list)
    for number, place in enumerate(places, 1):
        numbers[place].append(str(number))
    for place, those in numbers.items():
        axes.annotate(",".join(those[:NUMBERS]) + ("..." if len(those) > NUMBERS else ""), place, (4, 4),
                      textcoords="offset points", fontsize=6, bbox={
                          "boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7})


def draw_line(axes, path, own, medians, whole):
    """A path over one parameter."""
    below = whole or own
    spaces.draw_lines(axes, below, spaces.medians_of(below))
    steps = [step for step in path.steps if step.us is not None]
    places = [(step.values[0], step.us / 1e3) for step in steps]
    axes.scatter(*zip(*places), c=[step.us / min(medians.values()) for step in steps], cmap="viridis_r", vmin=1,
                 vmax=spaces.worst_of(medians), s=22, edgecolors="black", linewidths=0.6, zorder=1.5)
    draw_order(axes, places)


def draw_plane(axes, path, own, medians, whole):
    """A path over the two parameters that matter most; returns what a colour bar needs."""
    below = whole or own
    landscape = spaces.medians_of(below)
    across, down = sorted(by_weight(below, landscape)[:2])
    best = spaces.optimum_of(medians)
    image = spaces.draw_map(axes, below, landscape, down, across, best, missing=spaces.GREY if whole else "white")
    columns, rows = spaces.sorted_axis(below, across), spaces.sorted_axis(below, down)

    def place_of(values):
        return columns.index(values[across]), rows.index(values[down])

    others = [k for k in range(len(best)) if k not in (across, down)]
    refused = [place_of(values) for values in own.invalid if all(values[k] == best[k] for k in others)]
    if refused and not whole:
        axes.plot(*zip(*refused), linestyle="", marker="s", markersize=8, color=spaces.GREY, label="rejected")
    # Points of the plane come last: they lie above the shadows of others.
    for inside in (False, True):
        shown = [values for values in medians if all(values[k] == best[k] for k in others) == inside]
        if shown:
            axes.scatter(*zip(*map(place_of, shown)), c=[medians[values] / medians[best] for values in shown],
                         cmap="viridis_r", vmin=1, vmax=spaces.worst_of(medians), s=26 if inside else 14,
                         edgecolors="black" if inside else spaces.GREY, linewidths=0.7, zorder=1.5,  # below marks
                         label="measured" if inside else "at other values of the others")
    if whole:
        spaces.mark(axes, [[place] for place in place_of(best)], spaces.BLUE, "the path's best")
    draw_order(axes, [place_of(step.values) for step in path.steps if step.us is not None])
    if path.call:
        for axis, set_ticks, values in ((across, axes.set_xticks, columns), (down, axes.set_yticks, rows)):
            spaces.ticks(set_ticks, [value_text(path, axis, value) for value in values])
        if sum(len(value_text(path, across, value)) for value in columns) > TICKS:
            axes.tick_params(axis="x", labelrotation=20)
    rest = ", ".join(f"{path.names[k]} {value_text(path, k, best[k])}" for k in others)
    axes.set_title(rest, loc="left", fontsize=7, parse_math=False)
    shapes, labels = axes.get_legend_handles_labels()
    axes.legend(shapes, ["best measured" if label == "optimum" and not whole else label for label in labels],
                fontsize=6, loc="upper left", bbox_to_anchor=(0, -0.2), ncols=5, frameon=False)
    return image


def draw(path, whole, plt):
    own = space_of(path)
    medians = spaces.medians_of(own)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.8), layout="constrained")
    draw_steps(left, path)
    if not medians:
        right.set_axis_off()
        right.text(0.5, 0.5, "every configuration was rejected", ha="center")
    elif len(path.names) == 1:
        draw_line(right, path, own, medians, whole)
    else:
        image = draw_plane(right, path, own, medians, whole)
        figure.colorbar(image, ax=right, label="time / the least", extend="max")
    figure.suptitle(title_of(path), fontsize=10, parse_math=False)
    return figure


def file_names(paths):
    """A name for each path's pictures: of a small alphabet, and its own."""
    found = []
    for path in paths:
        words = [name_of(path), *size_of(path).split(" x ")]
        name = re.sub(r"[^A-Za-z0-9_]+", "-", "_".join(words)).strip("-_")[:100] or "tuner"
        number = 1
        while (unique := name if number == 1 else f"{name}.{number}") in found:
            number += 1
        found.append(unique)
    return found


def write(paths, whole, out):
    """The pictures and tuners.md; returns the table."""
    text = table_of(paths)
    drawings = [(name, functools.partial(draw, path, whole)) for name, path in zip(file_names(paths), paths)]
    os.makedirs(out, exist_ok=True)
    for name in spaces.write_figures(drawings, out):
        print(name)
    store.replace(os.path.join(out, "tuners.md"), text.encode())
    return text


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm tuner", description="draws the path of an online "
                                     "tuner; makes candidates for `tune` of what library calls learned")
    parser.add_argument("reports", nargs="+", metavar="FILE", help="texts of gp_tuner_report or gp_tuning_report")
    parser.add_argument("--space", metavar="SPACE", help="the tuner's space, measured whole by --exhaustive")
    parser.add_argument("--out", metavar="FOLDER", help="for pictures and tuners.md")
    parser.add_argument("--store", metavar="STORE", help="a new store, .jsonl or .jsonl.gz, for tune --learned")
    args = parser.parse_args(argv)
    if not args.out and not args.store:
        parser.error("--out FOLDER, --store STORE, or both")
    try:
        reports = [read(path) for path in args.reports]
        whole = spaces.read_space(args.space) if args.space else None
        paths = [path for report in reports for path in report.paths]
        for path in paths if whole else ():
            check_space(whole, path)
        if args.store:
            from tools.farm import learned
            lines, said = learned.lines_of(reports, args.store)
        if args.out:
            print(write(paths, whole, args.out), end="")
        if args.store:
            learned.write(lines, args.store)
            print(said, end="")
    except (Damaged, spaces.Damaged) as error:
        print(f"python3 -m tools.farm tuner: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"python3 -m tools.farm tuner: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
