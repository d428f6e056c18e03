"""The papers on AtuneRT, Pro++ and MATOG: printed numbers beside ours."""
import statistics

from tools.paper import draw, page

# Pro++, Table III: quality of Thrust, CUB, CUDPP, MGPU, ArrayFire; speed-up over one thread of a CPU.
QUALITY = {"reduce SUM f32 n=64M": ((0.50, 0.89, 0.41, 0.75, 0.64), (202, 505, 163, 252, 233)),
           "reduce_by_key SUM f32 key=u32 n=64M runs=32": ((0.55, 0.67, None, 0.65, None), (13, 101, None, 40, None)),
           "inclusive_scan SUM f32 n=64M": ((0.70, 0.77, 0.76, 0.79, 0.74), (64, 190, 119, 301, 62)),
           "inclusive_scan_by_key SUM f32 key=u32 n=64M runs=32": ((0.58, None, 0.69, None, None),
                                                                   (36, None, 128, None, None)),
           "lower_bound u32 n=16M dist=sorted": ((0.30, None, None, 0.55, None), (687, None, None, 3576, None)),
           "partition u32 n=64M keep=50": ((0.65, 0.71, None, None, None), (15, 87, None, None, None)),
           "select u32 n=64M keep=50": ((0.66, 0.69, 0.67, None, None), (19, 67, 34, None, None)),
           "sort u32 n=64M": ((0.57, 0.55, None, None, None), (22, 45, None, None, None)),
           "unique u32 n=64M runs=32": ((0.69, 0.68, None, None, None), (15, 88, None, None, None))}
LIBRARIES = ("thrust", "cub", "cudpp", "moderngpu")
# AtuneRT, Tables 2 to 4: GPU, milliseconds by default and at the optimum, iterations.
TUNED = {"merge_sort": (("Quadro 6000", 48.3, 32.4, 17), ("GTX 470", 45.7, 30.7, 20), ("GTX 680", 32.8, 23.4, 20)),
         "n_body": (("Quadro 6000", 6361, 6304, 26), ("GTX 470", 6044, 5953, 20), ("GTX 680", 2937, 2824, 14)),
         "thrust_scan": (("GTX 680, 1000 calls", 2566, 2223, None), ("Quadro 6000, 1000 calls", 10025, 10026, None)),
         "marching_cubes": (("GTX 680", 170, 134, None), ("Quadro 6000", 179, 179, None))}
EMPTY = ((128, 0.256), (256, 0.210), (512, 0.232), (1024, 0.251))


def spaces_of(device):
    return {one["program"]: one for one in (device.others.get("online") or {}).get("spaces", [])}


def tuned(*programs):
    """Tables 2 to 4."""
    def detail(devices):
        rows, text = [], []
        for program in programs:
            rows += [[gpu, program, f"{start:,.1f}", f"{least:,.1f}", percent(1 - least / start),
                      "" if steps is None else str(steps)] for gpu, start, least, steps in TUNED[program]]
            for device in devices:
                space = spaces_of(device).get(program)
                if not space:
                    continue
                start, least = space["default"]["us"], space["optimum"]["us"]
                own = space["strategies"][0]
                steps = own["configurations"]["median"]
                rows.append([device.title, program, f"{start / 1e3:,.3f}", f"{least / 1e3:,.3f}",
                             percent(1 - least / start), page.number(steps, ".0f")])
                text.append(f"{program} on the {device.title}: the optimum saves {percent(1 - least / start)} of "
                            f"the default's time (printed: {', '.join(saved(one) for one in TUNED[program])}). "
                            + ("It still holds that tuning of block sizes pays." if least < 0.98 * start else
                               "The defaults are as good as tuned sizes here: the printed gain does not hold."))
        return page.Detail([("milliseconds", ["GPU", "program", "default", "optimum", "saved", "iterations"], rows)],
                           [], text)
    return detail


def saved(row):
    return percent(1 - row[2] / row[1])


def percent(share):
    return f"{round(100 * share, 1) + 0.0:.1f} %"


def empty(devices):
    rows, text = [[f"printed, {threads} threads", f"{1e3 * ms:,.0f}"] for threads, ms in EMPTY], []
    for device in devices:
        own = [row for row in (device.others.get("empty_kernel") or {}).get("rows", []) if row["blocks"] == 1]
        rows += [[f"{device.title}, {row['threads']} threads", f"{row['average_us']:.2f}"] for row in own]
        if own:
            times = [row["average_us"] for row in own]
            text.append(f"An empty kernel takes {min(times):.1f} to {max(times):.1f} us on the {device.title} "
                        "(printed: 210 to 256 us). The block size changes it by "
                        f"{100 * (max(times) / min(times) - 1):.0f} % (printed: 22 %): "
                        + ("it matters no longer." if max(times) < 1.1 * min(times) else "it still matters."))
    return page.Detail([("microseconds", ["GPU, block size", "us"], rows)], [], text)


def surface(program):
    """Figures 3 to 7: the measured space over its first parameter, at the optimum of the others."""
    def detail(devices):
        panels, text = [], []
        for device in devices:
            space = spaces_of(device).get(program)
            if not space or not space["maps"]:
                continue
            one = space["maps"][0]
            names = [parameter["name"] for parameter in space["parameters"]]
            series = {f"{names[one['down']]} {row}" if one["down"] is not None else program: [
                (x, time) for x, time in zip(one["columns"], times) if time is not None]
                for row, times in zip(one["rows"] if one["down"] is not None else [0], one["times"])}
            kept = {name: points for name, points in list(series.items())[:: max(1, len(series) // 4)] if points}
            panels.append((f"{device.title}: {program}", dict(list(kept.items())[:4])))
            times = [time for line in one["times"] for time in line if time is not None]
            text.append(f"{program} on the {device.title}: over the plane through the optimum the worst takes "
                        f"{max(times):.2f} x the optimum's time, the median {statistics.median(times):.2f} x; the "
                        f"optimum is {', '.join(f'{n} {v}' for n, v in zip(names, space['optimum']['values']))}.")
        if not panels:
            return page.NOTHING
        return page.Detail([], [(draw.render(draw.curves, panels, "block size", "time / optimum's", False),
                                 "Time by block size.")], text)
    return detail


def quality(devices):
    """Pro++'s Table III."""
    names, rows, text = ("gpuprims", *LIBRARIES), [], []
    for device in devices:
        agree = []
        for cell, (qualities, speedups) in QUALITY.items():
            own = {library: device.quality[cell, library] for library in names if (cell, library) in device.quality}
            if not own:
                continue
            known = [library for library in own if own[library].get("qm") is not None]
            rows.append([f"{device.title}, {cell}", *(page.number(value) for value in qualities[:4]),
                         *(page.number(value, ",.0f") for value in speedups[:4]),
                         *(page.number(own[name].get("qm")) if name in own else "" for name in names),
                         *(f"{own[name]['median_us']:,.0f}" if name in own else "" for name in names)])
            if len(known) > 1:
                agree.append(min(known, key=lambda name: own[name]["median_us"]) ==
                             max(known, key=lambda name: own[name]["qm"]))
        if agree:
            text.append(f"On the {device.title} the library with the highest quality is the fastest in {sum(agree)} of "
                        f"{len(agree)} primitives with several libraries' counters. "
                        + ("The printed weights still rank libraries." if 2 * sum(agree) > len(agree) else
                           "The printed weights do not rank today's libraries; docs/quality.md fits new ones."))
    header = ["", *(f"printed QM, {name}" for name in LIBRARIES), *(f"printed gain, {name}" for name in LIBRARIES),
              *(f"QM, {name}" for name in names), *(f"us, {name}" for name in names)]
    return page.Detail([("quality, speed-up over one thread (printed), time", header, rows)] if rows else [], [], text)


def load_balance(devices):
    """Pro++'s Figure 3: does a policy with a higher quality take less time?"""
    rows, text = [], []
    for device in devices:
        own = {library: row for (cell, library), row in device.quality.items()
               if cell == "load_balance u32 n=64M segments=pareto:64" and row.get("qm") is not None}
        rows += [[f"{device.title}: {library}", page.number(row["qm"], ".3f"), f"{row['median_us']:,.1f}",
                  page.number(row.get("speedup"), ",.0f")] for library, row in sorted(own.items())]
        if len(own) > 1:
            best, fastest = max(own, key=lambda name: own[name]["qm"]), min(own, key=lambda n: own[n]["median_us"])
            text.append(f"On the {device.title} the highest quality, {own[best]['qm']:.3f}, takes "
                        f"{own[best]['median_us'] / own[fastest]['median_us']:.2f} x the shortest time. "
                        + ("As printed, a higher quality is a shorter time." if best == fastest else
                           "A higher quality is not a shorter time here, unlike the printed case."))
    return page.Detail([("load balancing search", ["", "quality", "us", "gain over one thread"], rows)] if rows else [],
                       [], text)


def coverage(devices):
    """Pro++'s Table II."""
    rows = []
    for device in devices:
        found = {}
        for cell, library in device.quality:
            found.setdefault(cell.split()[0], set()).add(library.split()[0])
        libraries = sorted(set().union(*found.values()) if found else ())
        rows += [[device.title, primitive, *("x" if library in own else "" for library in libraries)]
                 for primitive, own in sorted(found.items())]
        if found:
            return page.Detail([("primitives measured, by library", ["", "primitive", *libraries], rows)], [], [
                f"{len(found)} primitives of {len(libraries)} libraries have times on the {device.title} (printed: 29 "
                "of five)."])
    return page.NOTHING


CRITERIA = ("OC", "LB", "WE", "SO", "IO", "MH", "MC")


def criteria(devices):
    """Pro++'s Figure 2."""
    shown, text = [], []
    for device in devices:
        for primitive in ("reduce", "inclusive_scan"):
            rows = {library: row for (cell, library), row in device.quality.items()
                    if cell.startswith(f"{primitive} SUM f32 n=64M") and row["criteria"].get("WE") is not None}
            if not rows:
                continue
            names = sorted(rows)[:5]
            svg = draw.render(draw.bars, [(name, [rows[library]["criteria"].get(name) for library in names])
                                          for name in CRITERIA], names, "criterion, 1 is best")
            shown.append((svg, f"{device.title}: {primitive} of 64 Mi f32 by library."))
            least = min(row["criteria"]["WE"] for row in rows.values())
            text.append(f"Warp efficiency of {primitive} is at least {least:.2f} in all {len(rows)} libraries on the "
                        f"{device.title}: " + ("as printed, it is near 1 everywhere." if least > 0.9 else
                                               "the printed picture, near 1 everywhere, does not hold for all."))
    return page.Detail([], shown, text)


def bitonic(devices):
    """MATOG's Figure 3, from the older measurement of nine layouts and more."""
    rows, text = [], []
    for device in devices:
        results = (device.others.get("layout_programs") or {}).get("results", [])
        sorts = [one for one in results if one["program"] == "bitonic"]
        if not sorts:
            continue
        largest = max(sorts, key=lambda one: one["n"])
        base = next(one["us"] for one in largest["variants"] if one["array"] == one["second"] == "AoS")
        rows += [[device.title, one["array"], one["second"], f"{one['us'] / 1e3:,.3f}", f"{base / one['us']:.2f} x"]
                 for one in largest["variants"]]
        best = min(largest["variants"], key=lambda one: one["us"])
        worst = max(largest["variants"], key=lambda one: one["us"])
        text.append(f"{largest['n']:,} rows on the {device.title}: {best['array']} in global and {best['second']} in "
                    f"shared memory is the fastest, {base / best['us']:.2f} x AoS, AoS (printed: SoA, SoA, 2.14 x). "
                    + ("It still holds that arrays of structs are the slowest choice." if worst["us"] == base else
                       f"The slowest is no longer AoS, AoS but {worst['array']}, {worst['second']}, "
                       f"{base / worst['us']:.2f} x."))
    return page.Detail([("bitonic sort", ["GPU", "global", "shared", "ms", "gain"], rows)] if rows else [], [], text)


def reyes(devices):
    rows = [["hand-tuned, printed", "4,903.97", "20.37"], ["complete, printed", "4,661.07", "21.45"],
            ["small, printed", "4,693.02", "21.31"]]
    text = []
    for device in devices:
        one = device.others.get("reyes")
        if one and "ms" in one:
            whole = sum(one["ms"].values())
            rows.append([f"{device.title}, {one['width']} x {one['height']}", f"{whole:,.1f}",
                         f"{one['frames_a_second']:,.1f}"])
            most = max(one["ms"], key=one["ms"].get)
            text.append(f"{one['frames']} frames take {whole:,.0f} ms on the {device.title} (printed, on a GTX680: "
                        f"4,904 ms). {most.replace('_', ' and ')} takes {100 * one['ms'][most] / whole:.0f} % of it.")
    return page.Detail([("milliseconds of 100 frames, frames a second", ["", "ms", "frames a second"], rows)], [], text)


ATUNERT = {"Figure 3": surface("merge_sort"), "Figure 4": surface("n_body"), "Figure 5": surface("n_body"),
           "Figure 6": surface("thrust_scan"), "Figure 7": surface("marching_cubes"), "Table 1": empty,
           "Table 2": tuned("merge_sort"), "Table 3": tuned("n_body"), "Table 4": tuned("thrust_scan",
                                                                                       "marching_cubes")}
PRO = {"Figure 2": criteria, "Figure 3": load_balance, "Table 2": coverage, "Table 3": quality}
MATOG = {"Figure 3": bitonic, "Table 2": reyes}
