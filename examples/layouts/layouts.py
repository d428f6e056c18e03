"""Draws the results of examples/layouts/layouts.c: the speed-up of each combination of layouts over the baseline of
arrays of structs, for every size. Prints the best one of each size, and the cost of one choice for all sizes.

    layouts.py layouts.json --out build/layouts      writes build/layouts.svg and build/layouts.png
"""
import argparse
import json
import math
import os

TITLES = {"bitonic": "Bitonic sort of rows (u64, u32, u16, u8): rows, tiles in shared memory",
          "kd_tree": "KD-tree binning: boxes, counters, [slab][line] where transposed"}
COLOURS = {"AoS": "#b9b9b9", "SoA": "#1f4e8c", "AoSoA 8": "#e08a1e", "AoSoA 16": "#e08a1e", "AoSoA 32": "#2e7d4f"}


def name_of(variant):
    return f"{variant['array']}, {variant['second']}" + (", transposed" if variant["transposed"] else "")


def tell(program, results):
    """The best combination of each size, and the one that is best over all sizes (least geometric mean of its time over
    the best one's)."""
    print(TITLES[program])
    names = [name_of(variant) for variant in results[0]["variants"]]
    losses = {name: 0.0 for name in names}
    for result in results:
        times = {name_of(variant): variant["us"] for variant in result["variants"]}
        best = min(times, key=times.get)
        for name in names:
            losses[name] += math.log(times[name] / times[best])
        print(f"  {result['n']:>12,}  {best:<32} {times[best]:>10.1f} us, {times[names[0]] / times[best]:.2f} times "
              "the baseline's speed")
    one = min(losses, key=losses.get)
    print(f"  one for all: {one}, {math.exp(losses[one] / len(results)):.3f} times the best one's time on average\n")


def draw(axes, program, results):
    names = [name_of(variant) for variant in results[0]["variants"]]
    height = 0.8 / len(results)
    for number, result in enumerate(results):
        base = result["variants"][0]["us"]
        speeds = [base / variant["us"] for variant in result["variants"]]
        places = [place + (number - (len(results) - 1) / 2) * height for place in range(len(names))]
        axes.barh(places, speeds, height, alpha=0.4 + 0.6 * (number + 1) / len(results),
                  color=[COLOURS[variant["array"]] for variant in result["variants"]])
    axes.axvline(1, color="#c0392b", linewidth=1)
    if axes.get_xlim()[1] > 6:
        axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_title(TITLES[program], loc="left", fontsize=9)
    axes.set_xlabel("speed-up over " + names[0] + "; sizes from above: " +
                    ", ".join(f"{result['n']:,}" for result in results), fontsize=7)
    axes.tick_params(axis="x", labelsize=7)


def main():
    parser = argparse.ArgumentParser(description="draws the results of examples/layouts")
    parser.add_argument("results")
    parser.add_argument("--out", default=os.path.join("build", "layouts"), help="path without .svg and .png")
    arguments = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(arguments.out))
    os.makedirs(folder, exist_ok=True)
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(folder, "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "layouts"  # equal results make equal files
    with open(arguments.results) as file:
        data = json.load(file)
    figure, row = plt.subplots(1, 2, figsize=(14, 9), layout="constrained")
    for axes, program in zip(row, TITLES):
        results = [result for result in data["results"] if result["program"] == program]
        tell(program, results)
        draw(axes, program, results)
    figure.suptitle(f"Layouts on {data['device']}", fontsize=10)
    for kind, metadata in (("svg", {"Date": None}), ("png", None)):
        path = f"{arguments.out}.{kind}"
        figure.savefig(path, dpi=110, metadata=metadata)
        print(path)


if __name__ == "__main__":
    main()
