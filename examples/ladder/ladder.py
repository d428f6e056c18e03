"""Draws the results of examples/ladder/ladder.c: each kernel's bandwidth on this GPU, the published one on the G80 of
2007, and the roof.

    ladder.py ladder.json --out build/ladder      writes build/ladder.svg and build/ladder.png
"""
import argparse
import json
import os

BLUE, GREY, RED, GREEN = "#1f4e8c", "#b9b9b9", "#c0392b", "#2e7d4f"


def title_of(table):
    size = f"{table['elements']:,}"
    if table["family"] == "transpose":
        return f"Transpose of {table['width']:,} x {table['height']:,} floats"
    return f"Sum of {size} integers" if table["family"] == "reduction" else f"Increment of {size} floats"


def chosen(tables):
    """The size with published figures (for transposes the largest one) and the largest size of each family."""
    result = []
    for family in ("reduction", "transpose", "floats"):
        own = [table for table in tables if table["family"] == family]
        published = [table for table in own if sum(rung["published_us"] > 0 for rung in table["rungs"]) > 1]
        result.append((published[-1] if published else own[0], own[-1]))
    return result


def draw_table(axes, table):
    *rungs, roof = table["rungs"]
    names = [f"{rung['name']}  {rung['what']}" if not rung["name"].startswith("gp_") else rung["name"]
             for rung in rungs]
    places = range(len(rungs))
    with_published = any(rung["published_gbs"] for rung in rungs)
    height = 0.4 if with_published else 0.7
    shift = 0.2 if with_published else 0
    axes.barh([place + shift for place in places], [rung["gbs"] for rung in rungs], height,
              color=[GREEN if rung["name"].startswith("gp_") else BLUE for rung in rungs])
    if with_published:
        axes.barh([place - shift for place in places], [rung["published_gbs"] for rung in rungs], height, color=GREY)
    for place, rung in zip(places, rungs):
        axes.text(rung["gbs"], place + shift, f"{rung['gbs']:,.0f} ", va="center", ha="right", fontsize=7,
                  color="white")
        if rung["published_gbs"]:
            axes.text(rung["published_gbs"], place - shift, f" {rung['published_gbs']:.1f}", va="center", fontsize=7,
                      color="#666666")
    axes.axvline(roof["gbs"], color=RED, linewidth=1.2)
    if with_published:
        axes.set_xscale("log")
        axes.set_xlim(min([rung["gbs"] for rung in rungs] +
                          [rung["published_gbs"] for rung in rungs if rung["published_gbs"]]) / 2, roof["gbs"] * 1.3)
    axes.set_yticks(list(places), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_title(title_of(table), loc="left", fontsize=9)
    axes.tick_params(axis="x", labelsize=7)


def main():
    parser = argparse.ArgumentParser(description="draws the results of examples/ladder")
    parser.add_argument("results")
    parser.add_argument("--out", default=os.path.join("build", "ladder"), help="path without .svg and .png")
    arguments = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(arguments.out))
    os.makedirs(folder, exist_ok=True)
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(folder, "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "ladder"  # equal results make equal files
    with open(arguments.results) as file:
        results = json.load(file)
    pairs = chosen(results["tables"])
    figure, grid = plt.subplots(len(pairs), 2, figsize=(13, 10), layout="constrained",
                                height_ratios=[len(large["rungs"]) for _, large in pairs])
    for row, pair in zip(grid, pairs):
        for axes, table in zip(row, pair):
            draw_table(axes, table)
    for axes in grid[-1]:
        axes.set_xlabel("GB/s, inputs from memory", fontsize=8)
    marks = [plt.Rectangle((0, 0), 1, 1, color=color) for color in (BLUE, GREEN, GREY)] + [
        plt.Line2D([], [], color=RED)]
    figure.legend(marks, [f"on {results['device']}", "this library", "published, G80, 2007", "roof: read, or copy"],
                  loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    for kind, metadata in (("svg", {"Date": None}), ("png", None)):
        path = f"{arguments.out}.{kind}"
        figure.savefig(path, dpi=110, metadata=metadata)
        print(path)


if __name__ == "__main__":
    main()
