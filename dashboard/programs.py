"""The page Programs: what the programs of papers measured, beside the printed figures: REYES, the bitonic sort and the
KD-tree of Weber and Goesele (Auto-Tuning Complex Array Layouts for GPUs, 2014), transfers of Harris (Optimizing CUDA,
2007)."""
import statistics

from dashboard.pages import number

SOURCE = "2014"
# Table 2, GTX680, 100 frames: ms of each kernel.
KERNELS = {"dice_shade": "dice and shade", "paint": "paint", "compact": "compact", "bound_split": "bound and split",
           "scan and select": "scan and select"}
TABLE_2 = {"hand-tuned": (3834.31, 630.90, 374.01, 67.81, None, 4903.97, 20.37),
           "complete": (3642.73, 601.69, 351.90, 64.75, None, 4661.07, 21.45),
           "small": (3673.72, 602.90, 351.50, 64.90, None, 4693.02, 21.31)}
# Table 1: minimum, maximum, average, average of the optimum.
TABLE_1 = {"GTX680, complete": (0.70, 9.83, 2.47, 2.99), "GTX680, small": (0.76, 9.83, 2.39, 2.99),
           "GTX570, complete": (0.90, 4.78, 2.12, 2.51), "GTX570, small": (0.92, 4.78, 2.28, 2.51)}
FIGURE_3 = 2.14  # GTX680, 4.1 M rows: SoA in memory and shared memory, against AoS in both
# Harris: GB/s of host memory to the device, PCI Express 1.0.
TRANSFERS = {"page-locked to device": "3.2 common, 4 measured"}
NAMES = {"bitonic": "The bitonic sort", "kd_tree": "The KD-tree's binning"}


def programs_page(page):
    sections = []
    for device in page.site.devices:
        results = {(one["program"], one["n"]): (file, one) for file in device.programs
                   for one in file.programs["results"]}
        sections.append({"device": device, "reyes": reyes_table(page, device), "transfers": transfers(page, device),
                         "sorts": [layouts_table(page, device, program, results) for program in NAMES
                                   if any(one == program for one, _ in results)],
                         "applications": [application_table(page, device, *one) for one in newest(device).values()]})
    return {"sections": sections}


def reyes_table(page, device):
    if not device.reyes:
        return None
    rows = []
    for file in device.reyes:
        one = file.reyes
        times = [one["ms"].get(kernel) for kernel in KERNELS]
        scale = 100 / one["frames"]
        rows.append([one["device"], one["layouts"], *(number(None if ms is None else ms * scale, 1) for ms in times),
                     number(scale * sum(ms for ms in times if ms is not None), 1), number(one["frames_a_second"], 1),
                     f"{one['width']} x {one['height']}", f"measured, {file.night}"])
    rows += [["GTX680", name, *(number(ms, 1) for ms in printed[:-1]), number(printed[-1], 2), "1920 x 1080",
              f"{SOURCE}, Table 2"] for name, printed in TABLE_2.items()]
    return page.table(f"{device.folder} reyes", ["GPU", "layouts", *(f"{name}, ms" for name in KERNELS.values()),
                                                 "sum, ms", "frames a second", "size", "source"], rows)


def transfers(page, device):
    """The newest file's transfers: GB/s by size, and a figure."""
    if not device.transfers:
        return None
    file = device.transfers[-1]
    found = file.transfers["rows"]
    sizes = sorted({one["bytes"] for one in found})
    rates = {(one["way"], one["bytes"]): one["gbs"] for one in found}
    ways = list(dict.fromkeys(one["way"] for one in found))
    table = page.table(f"{device.folder} transfers", ["way", *(f"{size_text(size)}, GB/s" for size in sizes),
                                                      "printed, GB/s (2007)"],
                       [[way, *(number(rates.get((way, size)), 1) for size in sizes), TRANSFERS.get(way)]
                        for way in ways])
    last = [[way, rates[way, sizes[-1]]] for way in ways if (way, sizes[-1]) in rates]
    figure = page.figure(f"{device.folder} transfers by way", {
        "draw": "bars", "xlabel": "GB/s", "form": "{:.1f}",
        "rows": [{"label": way, "values": [["GB/s", rate]]} for way, rate in last]},
        f"Transfers of {size_text(sizes[-1])}", "Bytes a second by kind of transfer.",
        (["way", "GB/s"], [[way, number(rate, 1)] for way, rate in last]))
    return {"table": table, "figure": figure, "file": file.name}


def size_text(size):
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def layouts_table(page, device, program, results):
    """A line a size: the default, the best combination, and how much faster it is."""
    rows = []
    for (name, n), (file, one) in sorted(results.items(), key=lambda item: item[0]):
        if name != program:
            continue
        first, best = one["variants"][0], min(one["variants"], key=lambda variant: variant["us"])
        rows.append([file.programs.get("device") or device.title, n, number(first["us"], 1), number(best["us"], 1),
                     f"{best['array']}, {best['second']}{', transposed' if best['transposed'] else ''}",
                     number(first["us"] / best["us"], 2), f"measured, {file.night}"])
    if program == "bitonic":
        rows.append(["GTX680", 4100000, None, None, "SoA, SoA", number(FIGURE_3, 2), f"{SOURCE}, Figure 3"])
    else:
        rows += [[gpu, None, None, None, "of 40 cases: the chosen", number(printed[2], 2), f"{SOURCE}, Table 1"]
                 for gpu, printed in TABLE_1.items()]
    return {"title": NAMES[program], "table": page.table(f"{device.folder} {program}", [
        "GPU", "n", "default, us", "best, us", "best layouts", "speed-up", "source"], rows)}


def newest(device):
    """{program: (file, what the tuner measured)}: of each application the newest store."""
    return {file.application.name: (file, file.application) for file in device.applications}


def application_table(page, device, file, one):
    """The runs of the tuner (python3 -m tools.farm layouts --application): for each test case the defaults and the
    best run, and the paper's Table 1 over all cases."""
    rows, gains = [], []
    for case, us in one.us.items():
        whole = {point: sum(times.values()) for point, times in us.items()
                 if all(kernel in times for kernel in one.kernels)}
        usual = next((point for point in whole if not any(point)), None)
        if usual is None:
            continue
        best = min(whole, key=lambda point: (whole[point], point))
        gains.append(whole[usual] / whole[best])
        rows.append([case, ", ".join(map(str, one.features[case])), len(us), number(whole[usual], 1),
                     number(whole[best], 1), number(gains[-1], 3)])
    rows += [[case, None, None, None, None, (None, why)] for case, why in one.bad_cases.items()]
    said = page.table(f"{device.folder} {one.name} application", [
        "test case", "features", "runs", "defaults, us", "best run, us", "speed-up"], rows)
    summary = None
    if gains and one.name == "kd_tree":
        summary = page.table(f"{device.folder} kd tree optimum", [
            "GPU", "minimum", "maximum", "average", "best, average", "source"], [
            [one.device, number(min(gains), 2), number(max(gains), 2), None, number(statistics.fmean(gains), 2),
             f"measured, {file.night}: the best of each case"],
            *([gpu, *(number(value, 2) for value in printed), f"{SOURCE}, Table 1"]
              for gpu, printed in TABLE_1.items())])
    return {"title": one.name, "device": one.device, "file": file.name, "table": said, "summary": summary}
