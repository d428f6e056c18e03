"""Pictures: turns specifications (plain data) into SVG. Equal specifications give equal bytes.

Colours are named by their roles. In the SVG they are CSS variables with a light and a dark value, so that a picture
always follows the reader's colour scheme. Colour is never the only mark: lines also differ in dashes and markers, heat
maps show their numbers. The palette is Okabe and Ito's (Color Universal Design, 2008), darkened or lightened for
text-sized contrast; heat maps use cividis (Nunez, Anderton and Renslow, Optimizing colormaps with consideration for
color vision deficiency, 2018).
"""
import io
import math
import re
import textwrap

import matplotlib
from matplotlib import colors, colormaps
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

# role: (light, dark). The light ones must differ: the SVG is searched for them.
ROLES = {"ink": ("#1d2329", "#e6e9ec"), "muted": ("#5c6670", "#9aa5b1"), "grid": ("#e3e7eb", "#2e353d"),
         "band": ("#f0f4f8", "#1a222b"), "edge": ("#c3ccd5", "#46505b"), "paper": ("#fefefe", "#11161c"),
         "ours": ("#0b62a8", "#5fb2f2"), "cub": ("#c24e08", "#f39a56"), "thrust": ("#9c3d78", "#df9bc3"),
         "cuda": ("#08775b", "#47c7a3"), "roof": ("#3f464d", "#bcc4cc"), "good": ("#0b63a9", "#5fb3f3"),
         "bad": ("#c24e09", "#f39a57")}
LIGHT = {role: light for role, (light, _) in ROLES.items()}
STYLES = {"ours": ("ours", "-", "o"), "CUB": ("cub", "--", "s"), "Thrust": ("thrust", ":", "^"),
          "CUDA": ("cuda", "-.", "D"), "cuBLAS": ("cuda", "-.", "D"), "roof": ("roof", (0, (6, 2)), None)}
SEQUENCE = [("ours", "-", "o"), ("cub", "--", "s"), ("thrust", ":", "^"), ("cuda", "-.", "D"), ("roof", "-", "v"),
            ("muted", "--", "x")]
NO_DATA = "NO DATA"
SETTINGS = {
    "svg.hashsalt": "gpuprims", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 8.5,
    "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 8, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": LIGHT["edge"], "axes.labelcolor": LIGHT["muted"],
    "axes.titlecolor": LIGHT["ink"], "axes.titlelocation": "left", "text.color": LIGHT["ink"],
    "xtick.color": LIGHT["edge"], "ytick.color": LIGHT["edge"], "xtick.labelcolor": LIGHT["muted"],
    "ytick.labelcolor": LIGHT["muted"], "grid.color": LIGHT["grid"], "axes.axisbelow": True, "axes.linewidth": 0.8,
    "xtick.major.size": 3, "ytick.major.size": 0, "legend.frameon": False, "lines.linewidth": 1.6,
    "lines.markersize": 3.6, "font.family": "DejaVu Sans"}
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"


def render(spec):
    """The SVG of a specification: {"draw": its function, ...}."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure()
        DRAW[spec["draw"]](figure, spec)
        return svg_of(figure)


def svg_of(figure):
    out = io.StringIO()
    FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(-?\d+\.\d\d)\d+", r"\1", tag.group()), text)
    for role, light in LIGHT.items():
        text = text.replace(light, f"var(--{role})")
    text = re.sub(r" font-family: [^;\"]*;", "", text)
    used = [role for role in ROLES if f"var(--{role})" in text]
    light, dark = (";".join(f"--{role}:{ROLES[role][which]}" for role in used) for which in (0, 1))
    style = f"<style>:root{{color-scheme:light dark;{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}" \
        f"text{{font-family:{FONTS};" \
        "font-variant-numeric:tabular-nums}</style>"
    text = re.sub(r"(<svg\b[^>]*>)", lambda match: match.group(1) + style, text, count=1)
    return re.sub(r"\s*\n\s*", "\n", text).strip() + "\n"


def sized(figure, width, height, left, right, bottom, top, **options):
    """Axes with margins in inches: faster than a layout engine, and independent of the content."""
    figure.set_size_inches(width, height)
    figure.patch.set_alpha(0)
    axes = figure.add_axes([left / width, bottom / height, (width - left - right) / width,
                            (height - bottom - top) / height], **options)
    axes.patch.set_alpha(0)
    return axes


def labels_of(rows, most=88):
    """(the rows' labels, long ones shortened in the middle; inches that they need left of the axes)."""
    texts = [row["label"] if len(row["label"]) <= most else f"{row['label'][:most // 2]}…{row['label'][1 - most // 2:]}"
             for row in rows]
    return texts, 0.5 + 0.062 * max(map(len, texts), default=0)


def legend(figure, axes, columns=4):
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=columns, handlelength=2.6,
                    columnspacing=1.2, borderaxespad=0.2)


def nothing(axes, text=NO_DATA):
    axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes, color=LIGHT["muted"])


def size_ticks(axes, low, high, text_of, most=7):
    """Ticks at powers of two, few enough to be read."""
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / most))
    ticks = [2.0 ** power for power in range(first, last + 1, step)]
    axes.set_xticks(ticks, [text_of(tick) for tick in ticks])
    axes.minorticks_off()


def binary_text(value):
    for unit, name in ((2 ** 30, "G"), (2 ** 20, "M"), (2 ** 10, "K")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


# ---- Today: primitive x size -----------------------------------------------------------------------------------------


def heat_map(figure, spec):
    """rows: [{label, note, squares: [None or {roof, ratio, lost, wrong, stale}]}]; never: names without a square."""
    rows, columns = spec["rows"], spec["columns"]
    never = textwrap.wrap(f"{NO_DATA}: {', '.join(spec['never'])}", 118) if spec["never"] else []
    left, right, top, high, wide = 1.95, 1.35, 0.42, 0.34, 0.74
    bottom = 0.75 + 0.14 * len(never)
    width = left + right + wide * max(len(columns), 6)  # room for the key below
    axes = sized(figure, width, bottom + top + high * max(len(rows), 1), left, right, bottom, top)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(max(len(rows), 1), 0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0, pad=6)
    axes.xaxis.tick_top()
    axes.set_xticks([place + 0.5 for place in range(len(columns))], columns)
    axes.set_yticks([])
    shades = colormaps["cividis"]
    for y, row in enumerate(rows):
        axes.text(-0.12, y + 0.5, row["label"], ha="right", va="center", fontsize=9, color=LIGHT["ink"])
        axes.text(len(columns) + 0.12, y + 0.5, row["note"], ha="left", va="center", fontsize=7.5,
                  color=LIGHT["muted"])
        for x, square in enumerate(row["squares"]):
            if square is None:
                box(axes, x, y, "none", LIGHT["grid"], linewidth=0.8)
                continue
            draw_square(axes, x, y, square, shades)
    draw_key(figure, shades, left, width, bottom, never)


def box(axes, x, y, face, edge, **options):
    patch = Rectangle((x + 0.03, y + 0.06), 0.94, 0.88, facecolor=face, edgecolor=edge, **options)
    axes.add_patch(patch)
    patch.set_clip_on(False)


def draw_square(axes, x, y, square, shades):
    roof = square["roof"]
    shade = shades(min(max(roof, 0.0), 1.0)) if roof is not None else None
    # A dashed edge marks values older than the last night.
    box(axes, x, y, shade or "none", LIGHT["muted"] if square["stale"] or shade is None else shade, linewidth=0.9,
        linestyle=(0, (2, 2)) if square["stale"] else "-")
    ink = LIGHT["ink"] if shade is None else ink_on(shade)
    parts = []
    if square["wrong"]:
        parts.append("✗")
    if roof is not None:
        parts.append(f"{100 * roof:.0f}")
    axes.text(x + 0.40, y + 0.52, " ".join(parts) or "–", ha="right", va="center", fontsize=8.5, color=ink,
              fontweight="bold")
    if square["ratio"] is not None:
        text = ("▾" if square["lost"] else "") + ratio_text(square["ratio"])
        axes.text(x + 0.93, y + 0.53, text, ha="right", va="center", fontsize=7, color=ink)


def ink_on(shade):
    """Black or white, whichever is readable on a colour; neither is a role's colour."""
    red, green, blue = colors.to_rgb(shade)
    return "#000001" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#fffffe"


def shade_of(share):
    """(colour, text colour on it) for a share of the roof, for pages."""
    shade = colormaps["cividis"](min(max(share, 0.0), 1.0))
    return colors.to_hex(shade), ink_on(shade)


def ratio_text(ratio):
    return f"{ratio:.2f}×" if ratio < 9.995 else f"{ratio:.0f}×"


def draw_key(figure, shades, left, width, bottom, never):
    height = figure.get_size_inches()[1]
    for place, line in enumerate(never):
        figure.text(left / width, (bottom - 0.14 - 0.14 * place) / height, line, fontsize=7, color=LIGHT["muted"],
                    va="center")
    axes = figure.add_axes([left / width, 0.30 / height, 1.6 / width, 0.12 / height])
    axes.imshow([[place / 63 for place in range(64)]], aspect="auto", cmap=shades, extent=(0, 100, 0, 1))
    axes.set_yticks([])
    axes.set_xticks([0, 50, 100], ["0", "50", "100 % of the roof"])
    axes.tick_params(length=0, pad=2, labelsize=7)
    for side in axes.spines.values():
        side.set_visible(False)
    for place, line in enumerate(("bold: % of the roof, a copy (above 100: from cache, or faster than it) · 1.20×: "
                                  "speed against the best peer",
                                  "▾ a cell is slower than a peer · ✗ a cell is wrong · dashed: older than the last "
                                  "night · empty: NO DATA")):
        figure.text((left + 2.6) / width, (0.40 - 0.16 * place) / height, line, fontsize=7, color=LIGHT["muted"],
                    va="center")


# ---- Primitive -------------------------------------------------------------------------------------------------------


def curves(figure, spec):
    """series: [{name, points [[n, GB/s]]}]; ratios: [{name, points [[n, times]]}]; buckets: [[from, to, letter]] in n.
    Left: throughput, both axes logarithmic, so that small inputs are visible and equal distances are equal ratios.
    Right: the ratios."""
    points = [point for series in spec["series"] for point in series["points"]]
    width, height = 9.0, 2.75
    axes = sized(figure, width, height, 0.6, 4.75, 0.42, 0.34)
    right = figure.add_axes([4.95 / width, 0.42 / height, 3.9 / width, (height - 0.76) / height])
    right.patch.set_alpha(0)
    if not points:
        nothing(axes)
        nothing(right)
        return
    low, high = min(n for n, _ in points), max(n for n, _ in points)
    for one in (axes, right):
        one.set_xscale("log")
        one.set_xlim(low / 1.35, high * 1.35)
        one.set_xlabel(spec["xlabel"])
        one.grid(axis="y", linewidth=0.8)
        draw_buckets(one, spec["buckets"], low / 1.35, high * 1.35)
    for one, lines in ((axes, spec["series"]), (right, spec["ratios"])):
        for line in lines:
            role, dash, marker = STYLES.get(line["name"], SEQUENCE[-1])
            one.plot(*zip(*line["points"]), color=LIGHT[role], linestyle=dash, marker=marker, label=line["name"],
                     markeredgecolor=LIGHT["paper"], markeredgewidth=0.5, zorder=4 if role == "ours" else 3,
                     linewidth=2 if role == "ours" else 1.3)
        size_ticks(one, low, high, binary_text)
        legend(figure, one)
    axes.set_yscale("log")
    speed_ticks(axes, min(speed for _, speed in points), max(speed for _, speed in points))
    right.axhline(1, color=LIGHT["muted"], linewidth=0.9)
    right.set_ylim(0, 1.12 * max([value for line in spec["ratios"] for _, value in line["points"]] + [1]))
    for one, text in ((axes, "GB/s"), (right, "our speed against theirs")):
        one.text(1.0, 1.03, text, transform=one.transAxes, ha="right", va="bottom", fontsize=8, color=LIGHT["muted"])


def speed_ticks(axes, low, high):
    """Ticks at powers of ten, also at 2 and 5 if the range is below a power and a half."""
    steps = (1, 2, 5) if high / low < 30 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0 ** power for power in range(first, last + 1) for step in steps]
    axes.set_ylim(low / 1.25, high * 1.5)
    ticks = [tick for tick in ticks if low / 1.25 <= tick <= high * 1.5]
    axes.set_yticks(ticks, [f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks])
    axes.yaxis.set_minor_locator(NullLocator())


def draw_buckets(axes, buckets, low, high):
    """Marks the ranges of the table's rows by their letters."""
    for start, end, letter in buckets:
        start, end = max(start, low), min(end, high)
        if start < end:
            axes.axvspan(start, end, facecolor=LIGHT["band"], edgecolor=LIGHT["edge"], linewidth=0.7)
            axes.text(math.sqrt(start * end), 0.97, letter, ha="center", va="top", fontsize=7, color=LIGHT["muted"],
                      transform=axes.get_xaxis_transform())


def dots(figure, spec):
    """rows: [{label, values: {name: GB/s}}]."""
    rows = spec["rows"]
    names = [name for name in STYLES if any(name in row["values"] for row in rows)]
    labels, left = labels_of(rows)
    axes = sized(figure, 9.0, 0.85 + 0.2 * max(len(rows), 1), left, 0.2, 0.42, 0.34)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.grid(axis="x", linewidth=0.8)
    axes.spines["left"].set_visible(False)
    if not names:
        nothing(axes)
        return
    for y, row in enumerate(rows):
        axes.plot([0, max(row["values"].values(), default=0)], [y, y], color=LIGHT["grid"], linewidth=0.8, zorder=1)
    for name in names:
        role, _, marker = STYLES[name]
        known = [(row["values"][name], y) for y, row in enumerate(rows) if name in row["values"]]
        axes.plot(*zip(*known), linestyle="", marker=marker or "|", markersize=5 if marker else 9, color=LIGHT[role],
                  label=name, markeredgecolor=LIGHT["paper"] if marker else LIGHT[role],
                  markeredgewidth=0.5 if marker else 1.5, zorder=4 if role == "ours" else 3)
    axes.set_yticks(range(len(rows)), labels)
    axes.set_xlim(left=0)
    axes.set_xlabel("GB/s")
    legend(figure, axes, 6)


# ---- Regressions, Noise ----------------------------------------------------------------------------------------------


def forest(figure, spec):
    """rows: [{label, ratio, low, high, outcome}]."""
    rows = spec["rows"]
    labels, left = labels_of(rows)
    axes = sized(figure, 9.0, 0.7 + 0.2 * max(len(rows), 1), left, 0.9, 0.42, 0.12)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.grid(axis="x", linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color=LIGHT["muted"], linewidth=0.9)
    for y, row in enumerate(rows):
        role = {"SLOW": "bad", "FAST": "good"}.get(row["outcome"], "muted")
        axes.plot([row["low"], row["high"]], [y, y], color=LIGHT[role], linewidth=1.8, solid_capstyle="butt")
        axes.plot([row["ratio"]], [y], marker={"SLOW": "v", "FAST": "^"}.get(row["outcome"], "o"), markersize=5.5,
                  color=LIGHT[role], markeredgecolor=LIGHT["paper"], markeredgewidth=0.5)
        axes.text(1.01, y, row["outcome"], transform=axes.get_yaxis_transform(), va="center", fontsize=7.5,
                  color=LIGHT[role])
    axes.set_yticks(range(len(rows)), labels)
    axes.set_xlabel("time of the new tree / time of the base (95 % interval); right of 1: slower")


def pairs(figure, spec):
    """pairs: [[base us, new us]] in measuring order."""
    axes = sized(figure, 4.4, 2.2, 0.6, 0.15, 0.42, 0.3)
    known = [(x, new / base) for x, (base, new) in enumerate(spec["pairs"]) if base and new]
    axes.axhline(1, color=LIGHT["muted"], linewidth=0.9)
    axes.grid(axis="y", linewidth=0.8)
    if not known:
        nothing(axes)
        return
    axes.plot(*zip(*known), linestyle="", marker="o", color=LIGHT["ours"], markersize=5,
              markeredgecolor=LIGHT["paper"], markeredgewidth=0.5)
    if spec["first"] < len(spec["pairs"]):
        axes.axvline(spec["first"] - 0.5, color=LIGHT["edge"], linewidth=0.9)
        axes.text(spec["first"] - 0.4, 1.0, "fresh pairs decide", transform=axes.get_xaxis_transform(), va="bottom",
                  fontsize=7, color=LIGHT["muted"])
    axes.set_xlabel("pair of processes")
    axes.set_ylabel("new / base")
    axes.set_xticks(range(0, len(spec["pairs"]), 2), range(1, len(spec["pairs"]) + 1, 2))


def nights(figure, spec):
    """series: [{name, values, low, high}] over nights; limit: a line, or None."""
    axes = sized(figure, 4.4, 2.4, 0.6, 0.15, 0.42, 0.3)
    axes.grid(axis="y", linewidth=0.8)
    axes.set_xlim(-0.5, max(len(spec["nights"]) - 0.5, 0.5))
    drawn = False
    for (role, dash, marker), series in zip(SEQUENCE, spec["series"]):
        if series.get("low"):
            spans = [(x, low, high) for x, (low, high) in enumerate(zip(series["low"], series["high"]))
                     if low is not None]
            axes.vlines([x for x, _, _ in spans], [low for _, low, _ in spans], [high for _, _, high in spans],
                        color=LIGHT[role], linewidth=2.2, alpha=0.45)
        known = [(x, value) for x, value in enumerate(series["values"]) if value is not None]
        if known:
            drawn = True
            axes.plot(*zip(*known), color=LIGHT[role], linestyle=dash, marker=marker, label=series["name"],
                      markersize=4 if len(known) < 40 else 2, linewidth=1.2, markeredgecolor=LIGHT["paper"],
                      markeredgewidth=0.4)
    if not drawn:
        nothing(axes)
    if spec["limit"] is not None:
        axes.axhline(spec["limit"], color=LIGHT["bad"], linewidth=1.1, linestyle=(0, (4, 2)))
    if spec.get("zero"):
        axes.set_ylim(bottom=0)
    step = max(1, math.ceil(len(spec["nights"]) / 4))
    axes.set_xticks(range(0, len(spec["nights"]), step), spec["nights"][::step])
    if len(spec["series"]) > 1:
        legend(figure, axes)
    axes.text(1.0, 1.03, spec["unit"], transform=axes.transAxes, ha="right", va="bottom", fontsize=8,
              color=LIGHT["muted"])


def side_by_side(figure, panels, width, height, left, gap, low, high):
    """Axes for panels side by side: inches, except low and high, which are shares of the height."""
    figure.set_size_inches(width, height)
    figure.patch.set_alpha(0)
    each = (width - left - 0.05) / max(len(panels), 1)
    for number, panel in enumerate(panels):
        axes = figure.add_axes([(left + number * each) / width, low, (each - gap) / width, high])
        axes.patch.set_alpha(0)
        axes.grid(axis="y", linewidth=0.8)
        yield number, panel, axes


def histogram(figure, spec):
    """panels: [{title, edges, counts}]; log: is x logarithmic?"""
    panels = spec["panels"]
    width = max(4.4, 3.0 * len(panels))
    for number, panel, axes in side_by_side(figure, panels, width, 2.5, 0.6, 0.3, 0.18, 0.68):
        axes.set_title(panel["title"])
        if spec["log"]:
            axes.set_xscale("log")
        axes.set_xlabel(spec["xlabel"])
        if not any(panel["counts"]):
            axes.set_yticks([])
            nothing(axes)
            continue
        edges = panel["edges"]
        axes.bar(edges[:-1], panel["counts"], [high - low for low, high in zip(edges, edges[1:])], align="edge",
                 color=LIGHT["ours"], edgecolor=LIGHT["paper"], linewidth=0.4)
        if spec["ticks"]:
            axes.set_xticks(spec["ticks"], [f"{tick:g}" for tick in spec["ticks"]])
            axes.minorticks_off()
        if number == 0:
            axes.set_ylabel(spec["ylabel"])


# ---- Landscape -------------------------------------------------------------------------------------------------------


def panels_of_lines(figure, spec):
    """panels: [{title, lines: [{name, values}]}] over common ticks."""
    for _, panel, axes in side_by_side(figure, spec["panels"], 9.0, 2.7, 0.55, 0.25, 0.16, 0.62):
        axes.set_title(panel["title"], pad=22)
        axes.set_ylim(0, spec["top"])
        axes.set_xticks(range(len(spec["ticks"])), spec["ticks"])
        if spec.get("one"):
            axes.axhline(1, color=LIGHT["muted"], linewidth=0.9)
        drawn = False
        for (role, dash, marker), line in zip(SEQUENCE, panel["lines"]):
            known = [(x, value) for x, value in enumerate(line["values"]) if value is not None]
            if known:
                drawn = True
                axes.plot(*zip(*known), color=LIGHT[role], linestyle=dash, marker=marker, label=line["name"],
                          markeredgecolor=LIGHT["paper"], markeredgewidth=0.5)
        if drawn:
            legend(figure, axes, 4)
        else:
            nothing(axes)


def parallel(figure, spec):
    """Parallel coordinates. axes: names; panels: [{title, lines: [{name, values}]}] from 0 to 1; None: NO DATA, which
    breaks a line. A name has one style in all panels."""
    panels = spec["panels"]
    names = list(dict.fromkeys(line["name"] for panel in panels for line in panel["lines"]))
    top, width = 0.35 + 0.17 * math.ceil(max(len(names), 1) / (3 * len(panels))), 4.4 * len(panels)
    height = 2.35 + top
    for _, panel, axes in side_by_side(figure, panels, width, height, 0.4, 0.35, 0.3 / height, 2.05 / height):
        axes.set_title(panel["title"], pad=4)
        axes.set_xlim(-0.2, len(spec["axes"]) - 0.8)
        axes.set_ylim(0, 1.03)
        axes.set_xticks(range(len(spec["axes"])), spec["axes"])
        axes.grid(axis="x", linewidth=0.8)
        drawn = False
        for line in panel["lines"]:
            number = names.index(line["name"])
            role, dash, marker = SEQUENCE[number % len(SEQUENCE)]
            values = [math.nan if value is None else value for value in line["values"]]
            if all(map(math.isnan, values)):
                continue
            drawn = True
            dash, marker = (dash, marker) if number < len(SEQUENCE) else ((0, (1, 1)), "P")
            axes.plot(range(len(values)), values, color=LIGHT[role], linestyle=dash, marker=marker, label=line["name"],
                      linewidth=1.2, markeredgecolor=LIGHT["paper"], markeredgewidth=0.4)
        if not drawn:
            nothing(axes)
    labelled = {}
    for axes in figure.axes:
        labelled.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    if labelled:
        figure.legend(labelled.values(), labelled.keys(), loc="upper left", ncols=3 * len(panels), handlelength=2.6,
                      columnspacing=1.2, borderaxespad=0.2)


def bars(figure, spec):
    """rows: [{label, values: [[name, value]]}]: a group of bars a row; mark: a line at this value, or None."""
    rows = spec["rows"]
    names = list(dict.fromkeys(name for row in rows for name, _ in row["values"]))
    labels, left = labels_of(rows, 50)
    high = 0.15 * max(len(names), 1) + 0.1
    axes = sized(figure, spec.get("width", 9.0), 0.85 + high * max(len(rows), 1), left, 0.4, 0.42, 0.34)
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", linewidth=0.8)
    if spec.get("log"):
        axes.set_xscale("log")
    thick = 0.8 / max(len(names), 1)
    for number, name in enumerate(names):
        role = STYLES.get(name, SEQUENCE[number % len(SEQUENCE)])[0]
        known = [(y - 0.4 + (number + 0.5) * thick, dict(row["values"])[name]) for y, row in enumerate(rows)
                 if dict(row["values"]).get(name) is not None]
        if not known:
            continue
        axes.barh([y for y, _ in known], [value for _, value in known], thick * 0.86, color=LIGHT[role], label=name,
                  hatch=["", "////", "....", "xxxx"][number % 4], edgecolor=LIGHT["paper"], linewidth=0)
        for y, value in known:
            axes.annotate(spec["form"].format(value), (value, y), (3, 0), textcoords="offset points", va="center",
                          fontsize=6.5, color=LIGHT["muted"])
    if not names:
        nothing(axes)
    if spec.get("mark") is not None:
        axes.axvline(spec["mark"], color=LIGHT["roof"], linewidth=1.1, linestyle=(0, (4, 2)))
    axes.set_yticks(range(len(rows)), labels)
    axes.set_xlabel(spec["xlabel"])
    if len(names) > 1:
        legend(figure, axes, 6)


def grid(figure, spec):
    """values: a row a y, a column an x, None if not measured."""
    values = spec["values"]
    axes = sized(figure, max(4.4, 1.4 + 0.62 * len(spec["x"])), 0.95 + 0.36 * len(spec["y"]), 0.8, 0.3, 0.45, 0.12)
    shades = colormaps["cividis"]
    known = [value for row in values for value in row if value is not None]
    axes.set_xlim(0, max(len(spec["x"]), 1))
    axes.set_ylim(0, max(len(spec["y"]), 1))
    for side in axes.spines.values():
        side.set_visible(False)
    if not known:
        nothing(axes)
        return
    top = max(known)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            shade = shades(value / top) if value is not None else None
            axes.add_patch(Rectangle((x + 0.02, y + 0.03), 0.96, 0.94, facecolor=shade or "none",
                                     edgecolor=LIGHT["grid"], linewidth=0.8))
            axes.text(x + 0.5, y + 0.5, NO_DATA if value is None else f"{value:.0f}", ha="center", va="center",
                      fontsize=5.5 if value is None else 8,
                      color=LIGHT["muted"] if value is None else ink_on(shade))
    axes.set_xticks([x + 0.5 for x in range(len(spec["x"]))], spec["x"])
    axes.set_yticks([y + 0.5 for y in range(len(spec["y"]))], spec["y"])
    axes.set_xlabel(spec["xlabel"])
    axes.set_ylabel(spec["ylabel"])


# ---- Online ----------------------------------------------------------------------------------------------------------


def path(figure, spec):
    """times: by the optimum's, a row a y and a column an x; None: invalid. One row: a line. path: [x, y, whether it
    lies in the plane shown] of each configuration in order; default and optimum likewise."""
    line = not spec["y"]
    axes = sized(figure, 5.4, 3.0 if line else min(4.6, 1.2 + 0.3 * len(spec["y"])), 0.75, 0.75, 0.45, 0.34)
    if line:
        known = [(x, time) for x, time in enumerate(spec["times"][0]) if time is not None]
        axes.plot(*zip(*known), color=LIGHT["ours"], marker=".")
        axes.grid(axis="y", linewidth=0.8)
        axes.set_ylabel("time / the optimum's")
        times = dict(known)
        places = {name: [(x, times[x], inside) for x, _, inside in points if x in times]
                  for name, points in points_of(spec).items()}
    else:
        draw_plane(figure, axes, spec)
        places = points_of(spec)
    ink = LIGHT["ink"] if line else "#000001"
    if places["path"]:
        axes.plot([x for x, _, _ in places["path"]], [y for _, y, _ in places["path"]], color=ink, linewidth=0.7,
                  alpha=0.6)
    for inside, face, label in ((True, ink, "measured"), (False, "none", "its shadow")):
        shown = [(x, y) for x, y, where in places["path"] if where == inside]
        if shown:
            axes.plot(*zip(*shown), linestyle="", marker="o", markersize=3.4, markerfacecolor=face, color=ink,
                      markeredgecolor=ink, markeredgewidth=0.7, label=label)
    for name, marker, size in (("default", "D", 6), ("optimum", "*", 11)):
        shown = [(x, y) for x, y, where in places[name] if where]
        if shown:
            axes.plot(*zip(*shown), linestyle="", marker=marker, markersize=size, color=LIGHT["bad"], label=name,
                      markeredgecolor="#fffffe", markeredgewidth=0.8)
    for set_ticks, texts in ((axes.set_xticks, spec["x"]), (axes.set_yticks, spec["y"])):
        step = max(1, math.ceil(len(texts) / 9))
        if texts:
            set_ticks(range(0, len(texts), step), texts[::step])
    axes.set_xlabel(spec["xlabel"])
    if not line:
        axes.set_ylabel(spec["ylabel"])
    legend(figure, axes)


def points_of(spec):
    return {"path": spec["path"], "default": [spec["default"]], "optimum": [spec["optimum"]]}


def draw_plane(figure, axes, spec):
    """The colours, and their key."""
    known = [time for row in spec["times"] for time in row if time is not None]
    image = axes.imshow([[math.nan if time is None else time for time in row] for row in spec["times"]],
                        cmap="cividis_r", vmin=1, vmax=max(1.001, min(spec["worst"], max(known, default=1))),
                        aspect="auto", origin="lower")
    for side in axes.spines.values():
        side.set_visible(False)
    width, height = figure.get_size_inches()
    key = figure.add_axes([(width - 0.62) / width, 0.45 / height, 0.1 / width, (height - 0.79) / height])
    figure.colorbar(image, cax=key).outline.set_visible(False)
    key.tick_params(length=0, labelsize=7)


DRAW = {"heat_map": heat_map, "curves": curves, "dots": dots, "forest": forest, "pairs": pairs,
        "nights": nights, "histogram": histogram, "lines": panels_of_lines, "parallel": parallel, "bars": bars,
        "grid": grid, "path": path}
