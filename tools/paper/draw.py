"""Pictures of the page, by matplotlib, in the dashboard's colours. Equal numbers give equal bytes. Without matplotlib
`render` returns None, and the page says so."""
import math

LINES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D")
PER_ROW = 4


def render(draw, *arguments):
    """The SVG of a drawing, or None without matplotlib."""
    try:
        from dashboard import figures
    except ImportError:
        return None
    with figures.matplotlib.rc_context(figures.SETTINGS):
        figure = figures.Figure(layout="constrained")
        draw(figure, figures.LIGHT, *arguments)
        return figures.svg_of(figure)


def panels_of(figure, panels, width, height, **options):
    columns = min(len(panels), PER_ROW)
    rows = -(-len(panels) // columns)
    figure.set_size_inches(min(width * columns, 10.5), height * rows)
    grid = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    return grid.flat[:len(panels)]


def histograms(figure, colours, panels, xlabel, ylabel):
    """panels: [(title, values between 0 and 1)]: shares by tenths."""
    edges = [place / 20 for place in range(21)]
    for axes, (title, values) in zip(panels_of(figure, panels, 2.7, 2.1, sharey=True), panels):
        axes.set_title(title)
        axes.set_xlabel(xlabel)
        axes.hist(values, edges, weights=[1 / len(values)] * len(values), color=colours["ours"])
        axes.set_xlim(0, 1)
    figure.axes[0].set_ylabel(ylabel)


def curves(figure, colours, panels, xlabel, ylabel, logarithmic=True):
    """panels: [(title, {name: [(x, y)]})]."""
    for axes, (title, series) in zip(panels_of(figure, panels, 3.4, 2.6), panels):
        axes.set_title(title)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        if logarithmic:
            axes.set_xscale("log", base=2)
        for place, (name, points) in enumerate(series.items()):
            xs, ys = zip(*sorted(points))
            axes.plot(xs, ys, linestyle=LINES[place % 4], marker=MARKS[place % 4], label=name,
                      color=colours[("ours", "cub", "thrust", "cuda")[place % 4]])
        axes.set_ylim(bottom=0)
        if len(series) > 1:
            axes.legend()


def bars(figure, colours, groups, names, ylabel, logarithmic=False):
    """groups: [(label, [value or None])], a value a name."""
    figure.set_size_inches(min(3 + 0.8 * len(groups), 10.5), 3)
    axes = figure.subplots()
    width = 0.8 / len(names)
    for place, name in enumerate(names):
        xs = [at + width * (place - (len(names) - 1) / 2) for at in range(len(groups))]
        axes.bar(xs, [values[place] or 0 for _, values in groups], width, label=name,
                 color=colours[("ours", "cub", "thrust", "cuda", "muted")[place % 5]])
    if logarithmic:
        axes.set_yscale("log")
    axes.set_xticks(range(len(groups)), [label for label, _ in groups],
                    rotation=0 if max(len(label) for label, _ in groups) < 14 else 20)
    axes.set_ylabel(ylabel)
    if len(names) > 1:
        figure.legend(loc="outside upper center", ncols=len(names))


def rungs(figure, colours, tables):
    """tables: [(title, [(name, printed, measured)], roof)], in GB/s; on a logarithmic axis."""
    figure.set_size_inches(10, 0.6 + sum(0.33 * len(rows) + 0.5 for _, rows, _ in tables))
    grid = figure.subplots(len(tables), 1, squeeze=False, height_ratios=[len(rows) + 1 for _, rows, _ in tables])
    for axes, (title, rows, roof) in zip(grid.flat, tables):
        places = range(len(rows))
        axes.barh([at - 0.2 for at in places], [measured for _, _, measured in rows], 0.4, color=colours["ours"],
                  label="measured")
        axes.barh([at + 0.2 for at in places], [printed or 0 for _, printed, _ in rows], 0.4, color=colours["muted"],
                  label="printed")
        for at, (_, printed, measured) in enumerate(rows):
            axes.text(measured, at - 0.2, f" {measured:,.0f}", va="center", fontsize=7)
            if printed:
                axes.text(printed, at + 0.2, f" {printed:,.1f}", va="center", fontsize=7)
        if roof and math.isfinite(roof):
            axes.axvline(roof, color=colours["roof"], linestyle=(0, (6, 2)), label="roof")
        axes.set_xscale("log")
        axes.set_yticks(list(places), [name for name, _, _ in rows])
        axes.invert_yaxis()
        axes.set_title(title)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    grid.flat[-1].set_xlabel("GB/s")
