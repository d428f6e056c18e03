"""Merrill, Garland and Grimshaw (2012): their tables and figures beside ours. Printed numbers: the paper's Tables 1 to
6 and its text. Ours: the exhaustively measured space of a device (tools/farm/landscape.py), or, where a device has
none, the best policies that its searches found (gp_tune --search), which say nothing of averages."""
import statistics

from tools.farm import landscape, study
from tools.paper import draw, page, sources

THEIRS = ("GTX480", "GTX280", "9800 GTX+")
NAMES = {"copy": "copy", "reduce": "reduction", "exclusive_scan": "prefix sum", sources.BY_KEY: "reduce-by-key"}
BANDWIDTH = {"read, even share": (163.4, 135.6, 67.8), "read, stealing": (168.6, 63.6, 42.6),
             "copy, even share": (153.6, 125.4, 61.7), "copy, stealing": (163.7, 85.3, 55.5)}
# By GPU, and of all three GPUs together.
BETWEEN = {"copy": (0.52, 0.08, 0.48, 0.40), "reduce": (0.74, 0.15, 0.31, 0.41),
           "exclusive_scan": (0.58, 0.42, 0.31, 0.83), sources.BY_KEY: (0.53, 0.38, 0.25, 0.91)}
WITHIN = {"copy": (0.03, 0.04, 0.14, 0.07), "reduce": (0.03, 0.04, 0.11, 0.06),
          "exclusive_scan": (0.03, 0.02, 0.09, 0.06), sources.BY_KEY: (0.01, 0.01, 0.03, 0.02)}
MEAN_SHARE = {"copy": (0.72, 0.43, 0.45), "reduce": (0.61, 0.32, 0.35), "exclusive_scan": (0.59, 0.46, 0.47),
              sources.BY_KEY: (0.31, 0.16, 0.16)}
BEST_SHARE = {"copy": (1.00, 0.99, 0.99), "reduce": (0.96, 0.88, 0.95), "exclusive_scan": (0.97, 0.97, 0.94),
              sources.BY_KEY: (0.67, 0.38, 0.33)}
SINGLE = {"copy": 0.83, "reduce": 0.73, "exclusive_scan": 0.73, sources.BY_KEY: 0.83}
OVER_THRUST = {"128 MB": (1.6, 1.14, 1.08), "128 KB": (2.4, 2.6, 3.9)}
COUNTS = {"copy": 1728, "reduce": 8748, "exclusive_scan": 157464, sources.BY_KEY: 157464}
# Instructions saved by as many blocks as are resident instead of one a tile (Section 4.1); of a block's reduction by
# three phases instead of pairs, and of a scan (Section 4.2).
SAVED = {"copy": 57, "reduce": 67, "exclusive_scan": 42}
PAIRWISE, THREE_PHASES = 4224, 1440  # thread-instructions to reduce 1024 elements


def with_landscape(devices):
    return [device for device in devices if device.landscape]


def cells_of(device, primitive):
    return device.landscape.times.get(primitive, {}) if device.landscape else {}


def single_share(device, primitive):
    """The mean share of the best single policy."""
    return statistics.fmean(landscape.best_single(cells_of(device, primitive))[1].values())


def harmonic(device, primitive):
    """[harmonic mean of a policy's shares], as in Figure 7."""
    return [statistics.harmonic_mean(of_cell.values())
            for of_cell in landscape.shares(cells_of(device, primitive)).values()]


def mean_squares(device, primitive):
    """(between, within): the mean squares of an analysis of variance of the shares, a group a policy."""
    groups = [list(of_cell.values()) for of_cell in landscape.shares(cells_of(device, primitive)).values()]
    count = sum(map(len, groups))
    if len(groups) < 2 or count <= len(groups):
        return None
    total = statistics.fmean(value for group in groups for value in group)
    means = [statistics.fmean(group) for group in groups]
    between = sum(len(group) * (mean - total) ** 2 for group, mean in zip(groups, means)) / (len(groups) - 1)
    within = sum((value - mean) ** 2 for group, mean in zip(groups, means) for value in group) / (count - len(groups))
    return between, within


def large_times(device, primitive):
    """({type: {policy: us}}, bytes of input, whether the space was measured whole)."""
    whole = {type_: times for (type_, size), times in cells_of(device, primitive).items() if size == landscape.LARGE}
    if whole:
        return {type_: {landscape.store.policy_text(dict(policy)): us for policy, us in times.items()}
                for type_, times in whole.items()}, landscape.LARGE, True
    return ({}, 0, False) if primitive == sources.BY_KEY else (device.searched.get(primitive, {}), sources.SEARCHED,
                                                              False)


def speeds(device, primitive):
    """{type: {policy: GB/s}} at the large size."""
    times, size, _ = large_times(device, primitive)
    return {type_: {policy: landscape.MOVED[primitive] * size / us / 1e3 for policy, us in of_type.items()}
            for type_, of_type in times.items()}


def best_speed(device, primitive, word=""):
    """The largest GB/s of any type and of policies with a word in their text, or None."""
    return max((speed for of_type in speeds(device, primitive).values() for policy, speed in of_type.items()
                if word in policy), default=None)


def size_of(device):
    return "128 MiB" if device.landscape else "256 MiB, best of a search"


def title_of(device):
    return f"{device.title} ({size_of(device)})"


def join(texts):
    texts = list(texts)
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def listed(values):
    return join(f"{value:.2f} for {NAMES[primitive]}" for primitive, value in values.items())


def studies_of(devices):
    """[(title, {primitive: what tools/farm/study.py summed up})] of the devices with a study."""
    return [(f"{device.title}, study", device.others["study"]["problems"]) for device in devices
            if device.others.get("study")]


# Bytes that a problem has to move, as multiples of its keys' or elements': of a reduce-by-key keys and values, and a
# result for each 32 of them.
STUDY_MOVED = {**landscape.MOVED, sources.BY_KEY: 2 * (1 + 1 / 32)}


def study_share(problems, primitive, which):
    """The share of the best copy's (a reduction's: of the best reduction's) bandwidth, mean over the types, or None."""
    roof = "reduce" if primitive == "reduce" else "copy"
    if primitive not in problems or not problems.get(roof, {}).get("best_us"):
        return None
    least = min(us / STUDY_MOVED[roof] for us in problems[roof]["best_us"].values())
    return statistics.fmean(least * STUDY_MOVED[primitive] / us for us in problems[primitive][which].values())


def bandwidth(devices):
    words = {"read, even share": ("reduce", "EVEN_SHARE"), "read, stealing": ("reduce", "STEALING"),
             "copy, even share": ("copy", "EVEN_SHARE"), "copy, stealing": ("copy", "STEALING"),
             "copy, a block a tile": ("copy", "DIRECT")}
    ours = {row: [best_speed(device, *of) for device in devices] for row, of in words.items()}
    rows = [[row, *(page.number(value, ".1f") for value in BANDWIDTH.get(row, (None,) * 3)),
             *(page.number(value, ",.0f") or "not measured yet" for value in ours[row])] for row in words]
    text = []
    for device, even, steal in zip(devices, ours["read, even share"], ours["read, stealing"]):
        if even and steal:
            text.append(f"On the {device.title} stealing reads at {steal / even:.2f} x the speed of even shares. "
                        f"Printed: {168.6 / 163.4:.2f} x on the GTX480 and {63.6 / 135.6:.2f} x on the GTX280. "
                        + ("As on the GTX480, an atomic a tile costs next to nothing; the loss of the two older GPUs "
                           "is gone." if steal / even > 0.95 else "An atomic a tile still costs bandwidth."))
    return page.Detail([("GB/s of the best policy, any type", ["", *THEIRS, *map(title_of, devices)], rows)],
                       [], text)


def counts(devices):
    """Numbers of policies: measured ones, and those of the study (tools/farm/study.py)."""
    rows = []
    for primitive, printed in COUNTS.items():
        measured = [len(landscape.shares(cells_of(device, primitive))) for device in with_landscape(devices)]
        rows.append([NAMES[primitive], f"{printed:,}", f"{study.counted()[primitive]:,}",
                     *(f"{count:,}" if count else "not measured yet" for count in measured)])
    text = ["The tuning space of users is kept short on purpose: fields of a policy, less the combinations that the "
            "header's rules refuse or that make the same kernel. The study (examples/study) has the paper's space, "
            "each kernel with its own 54 settings of threads, loads and elements a load. A reduction has 108 "
            "settings of its upsweep here, with stealing or not; the printed 8,748 would take 162, which "
            "the text does not explain."]
    return page.Detail([("policies a data type and size", ["", "printed", "study", *(
        f"{device.title}, measured" for device in with_landscape(devices))], rows)], [], text)


def variance(devices, table, place, name):
    ours = {primitive: [mean_squares(device, primitive) for device in with_landscape(devices)] for primitive in NAMES}
    rows = [[NAMES[primitive], *(page.number(value) for value in table[primitive]),
             *(page.number(found[place], ".3f") if found else "not measured yet" for found in ours[primitive]),
             *(page.number(problems.get(primitive, {}).get(("between", "within")[place]), ".3f") or
               "not measured yet" for _, problems in studies_of(devices))]
            for primitive in NAMES]
    text = [f"{name} are mean squares of an analysis of variance: a plain variance of shares between 0 and 1 is at "
            "most 0.25, and the paper prints more. Ours are computed likewise, 24 instances a policy; the table "
            "`variance` of the landscape divides by their number."]
    for at, device in enumerate(with_landscape(devices)):
        known = {primitive: found[at] for primitive, found in ours.items() if found[at]}
        ratios = {primitive: between / within for primitive, (between, within) in known.items() if within}
        if ratios:
            less = [NAMES[primitive] for primitive, ratio in ratios.items()
                    if ratio < BETWEEN[primitive][0] / WITHIN[primitive][0]]
            text.append(f"On the {device.title} between exceeds within "
                        f"{join(f'{ratio:.0f} x for {NAMES[primitive]}' for primitive, ratio in ratios.items())} "
                        "(GTX480: 17 for copy, 25 for reduction, 19 for prefix sum). It "
                        + ("holds" if min(ratios.values()) > 1 else "no longer holds")
                        + " that policies differ more from each other than from one instance to the next"
                        + (f"; less so than on the GTX480 for {join(less)}." if less else "."))
    return page.Detail([(name, ["", *THEIRS, "all three", *(device.title for device in with_landscape(devices)),
                                *(title for title, _ in studies_of(devices))], rows)], [], text)


def shares_table(devices, best):
    """Tables 5 and 6."""
    printed = BEST_SHARE if best else MEAN_SHARE
    shown = devices if best else with_landscape(devices)
    rows, ours = [], {}
    for primitive in NAMES:
        cells = []
        for device in shown:
            roof = best_speed(device, "reduce" if primitive == "reduce" else "copy")
            found = {} if primitive == sources.BY_KEY else speeds(device, primitive)
            values = [(max(of_type.values()) if best else statistics.fmean(of_type.values())) / roof
                      for of_type in found.values() if roof]
            ours[primitive, device.title] = statistics.fmean(values) if values else None
            cells.append(page.number(ours[primitive, device.title]) or "not measured yet")
        cells += [page.number(study_share(problems, primitive, "best_us" if best else "mean_us")) or "not measured yet"
                  for _, problems in studies_of(devices)]
        rows.append([NAMES[primitive], *(page.number(value) for value in printed[primitive]), *cells])
    text = []
    for device in shown:
        known = {primitive: ours[primitive, device.title] for primitive in NAMES if ours[primitive, device.title]}
        if not known:
            continue
        scan = known.get("exclusive_scan")
        if best:
            text.append(f"On the {device.title} tuning finds {listed(known)} of the bandwidth of Table 1 (mean of "
                        "u8, u16, u32 and u64). "
                        + ("It still holds that a tuned policy comes close to the memory's bandwidth"
                           + (", except that a prefix sum stays further below it than the 0.97 of the GTX480."
                              if scan and scan < 0.94 else ".")))
        else:
            lower = [NAMES[primitive] for primitive, value in known.items() if value < MEAN_SHARE[primitive][0]]
            text.append(f"On the {device.title} the average policy reaches {listed(known)}: "
                        + ("more than on the GTX480 everywhere." if not lower else
                           f"{join(lower)} less than on the GTX480, the others more.")
                        + " It still holds that a policy taken at random leaves bandwidth unused.")
    title = "of the best policy" if best else "mean over the policies"
    return page.Detail([(f"Share of the bandwidth of Table 1, {title}", [
        "", *THEIRS, *map(title_of, shown), *(title for title, _ in studies_of(devices))], rows)], [], text)


def copy_histogram(devices):
    """Figure 6."""
    printed = {"128MiB": "25 %", "128KiB": "6 %"}
    rows, panels, text = [], [], []
    for device in with_landscape(devices):
        cells = cells_of(device, "copy")
        for size in (landscape.LARGE, landscape.SMALL):
            name = landscape.bench.size_text(size) + "iB"
            shares = {type_: [min(times.values()) / us for us in times.values()] for (type_, own), times
                      in sorted(cells.items()) if own == size}
            if not shares:
                continue
            every = [value for values in shares.values() for value in values]
            near = {type_: sum(value > 0.9 for value in values) / len(values) for type_, values in shares.items()}
            all_near = sum(value > 0.9 for value in every) / len(every)
            rows.append([f"{device.title}, {name}", printed[name], f"{100 * all_near:.0f} %",
                         *(f"{100 * near[type_]:.0f} %" if type_ in near else "" for type_ in sources.TYPES)])
            panels.append((f"{device.title}: {name}", every))
            if size == landscape.LARGE and "u8" in near:
                text.append(f"At 128 MiB {100 * all_near:.0f} % of the policies come within 10 % of the best one on "
                            f"the {device.title} (GTX480: 25 %). Copying bytes, where only 2 % did, "
                            + (f"is as forgiving as wider types now: {100 * near['u8']:.0f} %."
                               if near["u8"] > 0.5 * all_near else
                               f"still is less forgiving: {100 * near['u8']:.0f} %."))
            if size == landscape.SMALL:
                text.append(f"At 128 KiB {100 * all_near:.0f} % do (GTX480: 6 %): "
                            + ("small sizes no longer are the harder ones for a copy."
                               if all_near > 0.25 else "it still holds that small sizes are harder to tune."))
    if not panels:
        return page.NOTHING
    return page.Detail([("Policies within 10 % of the best", ["", "printed", "measured", *sources.TYPES], rows)],
                       [(draw.render(draw.histograms, panels, "share of the best policy's speed",
                                     "share of the policies"), "Copies: policies by their share of the best, all "
                         "types.")], text)


def strength(devices):
    """Figure 7."""
    rows, panels, text = [], [], []
    for device in with_landscape(devices):
        for primitive, name in NAMES.items():
            values = harmonic(device, primitive)
            if not values:
                rows.append([f"{device.title}, {name}", f"{SINGLE[primitive]:.2f}", "not measured yet", "", ""])
                continue
            mean = single_share(device, primitive)
            rows.append([f"{device.title}, {name}", f"{SINGLE[primitive]:.2f}", f"{mean:.3f}",
                         f"{statistics.median(values):.3f}", str(len(values))])
            panels.append((f"{device.title}: {name}", values))
            text.append(f"{name.capitalize()} on the {device.title}: the best policy for all 24 instances averages "
                        f"{100 * mean:.0f} % of the best of each (printed, over three GPUs: "
                        f"{100 * SINGLE[primitive]:.0f} %). "
                        + ("A well-rounded policy exists on one GPU of today: the paper's finding does not hold here."
                           if mean > 0.93 else "It still holds that no policy suits all instances."))
    for title, problems in studies_of(devices):
        for primitive, one in problems.items():
            rows.append([f"{title}, {NAMES[primitive]}", f"{SINGLE[primitive]:.2f}", f"{one['best_single']:.3f}", "",
                         f"{one['policies']:,}"])
            values = [(place + 0.5) / len(one["harmonic"]) for place, share in enumerate(one["harmonic"])
                      for _ in range(round(1000 * share))]
            if values:
                panels.append((f"{title}: {NAMES[primitive]}", values))
            text.append(f"{NAMES[primitive].capitalize()} in the {title}: the best policy for all {one['cells']} "
                        f"instances averages {100 * one['best_single']:.0f} % (printed: "
                        f"{100 * SINGLE[primitive]:.0f} %).")
    if not panels:
        return page.NOTHING
    return page.Detail([("The best single policy", ["", "printed", "mean share of the best", "median policy "
                                                    "(harmonic)", "policies"], rows)],
                       [(draw.render(draw.histograms, panels, "harmonic mean of the shares", "share of the policies"),
                         "Policies by their harmonic mean share over all types and sizes.")], text)


def thrust(devices):
    """Figure 8."""
    rows, text = [], []
    for name, values in OVER_THRUST.items():
        rows += [[f"{gpu}, {name}, printed", "tuned over Thrust", f"{value:.2f} x"] for gpu, value
                 in zip(THEIRS, values)]
    for device in devices:
        measured = False
        for (type_, size), times in sorted(cells_of(device, "reduce").items()):
            if not device.peers or size not in (landscape.LARGE, landscape.SMALL):
                continue
            for title, label in landscape.PEERS.items():
                other = device.peers.times.get(("reduce", type_, size, label))
                if other:
                    measured |= label == "thrust"
                    rows.append([f"{device.title}, {landscape.bench.size_text(size)}iB, {type_}",
                                 f"tuned over {title}", f"{other / min(times.values()):.2f} x"])
        gains = []
        for (cell, library), row in sorted(device.quality.items()):
            own = device.quality.get((cell, "gpuprims"))
            if cell.startswith("reduce SUM f32 n=") and library == "thrust" and own:
                gains.append((row["bytes"], row["median_us"] / own["median_us"]))
                rows.append([f"{device.title}, {row['bytes'] // landscape.bench.MIB} MiB, f32",
                             "default policy over Thrust", f"{gains[-1][1]:.2f} x"])
        if gains:
            small, large = min(gains), max(gains)
            text.append(f"On the {device.title} the default policy sums f32 {large[1]:.2f} x as fast as Thrust at "
                        f"{large[0] // landscape.bench.MIB} MiB and {small[1]:.2f} x at "
                        f"{small[0] // landscape.bench.MIB} MiB. "
                        + ("It still holds that the gap is largest at small sizes." if small[1] > large[1] else
                           "The gap no longer is largest at small sizes."))
        ratios = {}
        for (type_, size), times in sorted((device.others.get("figure8") or {}).items()):
            if "thrust" in times and "ours" in times:
                ratios.setdefault(size, []).append(times["thrust"] / times["ours"])
                rows.append([f"{device.title}, {landscape.bench.size_text(size)}iB, {type_}",
                             "default policy over Thrust", f"{ratios[size][-1]:.2f} x"])
        if ratios:
            text.append(f"On the {device.title} sums of all types are " + ", ".join(
                f"{min(found):.1f} to {max(found):.1f} x as fast at {landscape.bench.size_text(size)}iB"
                for size, found in sorted(ratios.items())) + ". Thrust returns the sum to the host, and so waits.")
        elif device.landscape and not measured:
            text.append("Thrust at every size and of all types: not measured yet; `python3 -m tools.farm study "
                        "--thrust` prints the command.")
    return page.Detail([("Reductions", ["", "", "speed-up"], rows)], [], text)


# ---- instructions: Figures 2, 4 and 5


def fields_of(policy):
    return dict(word.split("=", 1) for word in policy.split(",") if "=" in word)


def instructions_by_blocks(device):
    """{primitive: {tile: [(blocks of a multiprocessor, instructions an element)]}} of the points that have at least
    three numbers of blocks; 0 blocks: a block a tile."""
    found = {}
    for cell, points in device.points.items():
        for point in points:
            fields = fields_of(point["policy"])
            if point.get("instructions") is not None and "blocks_per_sm" in fields:
                found.setdefault(cell.split()[0], {}).setdefault(
                    f"{fields.get('algorithm')} {fields.get('threads')} x {fields.get('vectors')}", []).append(
                        (int(fields["blocks_per_sm"]), point["instructions"]))
    return {primitive: {tile: own for tile, own in tiles.items() if len({blocks for blocks, _ in own}) > 2}
            for primitive, tiles in found.items()}


def blocks(devices):
    """Figure 2."""
    panels, text = [], []
    for device in devices:
        for primitive, tiles in instructions_by_blocks(device).items():
            if not tiles:
                continue
            panels.append((f"{device.title}: {primitive}", {
                tile: [point for point in own if point[0]] for tile, own in list(tiles.items())[:4]}))
            tile, points = max(tiles.items(), key=lambda item: len(item[1]))
            shared = [point for point in points if point[0]]
            least, most = min(shared)[1], dict(points).get(0, max(shared)[1])
            against = "a block a tile" if 0 in dict(points) else f"{max(shared)[0]} blocks a multiprocessor"
            text.append(f"{primitive} on the {device.title}, {tile}: {least:.2f} instructions an element with "
                        f"{min(shared)[0]} blocks a multiprocessor, {most:.2f} with {against}: "
                        f"{100 * (1 - least / most):.0f} % saved by the fewest (GTX480, against a block a tile: "
                        f"{SAVED.get(primitive, 0)} %). "
                        + ("It holds that fewer blocks need fewer instructions." if least < 0.98 * most else
                           "Fewer blocks save nothing here."))
    if not panels:
        return page.NOTHING
    return page.Detail([], [(draw.render(draw.curves, panels, "blocks of a multiprocessor", "instructions an element"),
                             "Instructions an element by the number of blocks.")], text)


def phases(devices):
    """Figures 4 and 5: kernels of the ladder by counters: 3 reduces by pairs, 7 by sequential sums first."""
    rows, text = [], []
    for device in devices:
        counters = (device.others.get("ladder_counters") or {}).get("kernels", [])
        own = {kernel["name"]: kernel for kernel in counters if kernel.get("family") == "reduction"}
        for name, what in (("3", "pairs, an element a thread"), ("7", "sequential first")):
            if name in own and own[name].get("instructions") is not None:
                rows.append([f"{device.title}: kernel {name}, {what}",
                             f"{1024 * own[name]['instructions_an_element']:,.0f}"])
        if {"3", "7"} <= set(own) and all(own[name].get("instructions_an_element") for name in "37"):
            saved = 1 - own["7"]["instructions_an_element"] / own["3"]["instructions_an_element"]
            text.append(f"On the {device.title} sequential sums before the tree save {100 * saved:.0f} % of the "
                        "instructions of a sum by pairs (printed: 67 %).")
    if not rows:
        return page.NOTHING
    return page.Detail([("Thread instructions for 1024 elements", ["", "instructions"], [
        ["printed: by pairs, 1024 threads", f"{PAIRWISE:,}"],
        ["printed: three phases, 128 threads", f"{THREE_PHASES:,}"], *rows])], [], text)


def cotuning(devices):
    """A kernel and the routine inside it (examples/cotuning)."""
    rows, text = [], []
    for device in devices:
        losses = {}
        for size in (device.others.get("cotuning") or {}).get("sizes", []):
            least = size["ways"]["together"]["us"]
            count = size["elements"] // size["columns"]
            for name, way in size["ways"].items():
                rows.append([f"{device.title}, {count:,} rows of {size['columns']:,}", name, f"{way['us']:,.2f}",
                             f"{100 * (way['us'] / least - 1):+.1f} %", way["policy"]])
                losses.setdefault(name, []).append(way["us"] / least - 1)
        if losses:
            most = {name: 100 * max(values) for name, values in losses.items()}
            text.append(f"On the {device.title} tuning the kernel and its routine apart costs up to "
                        f"{most['apart']:.1f} % of time over the sizes, one after the other up to "
                        f"{most['in turn']:.1f} %, no tuning up to {most['default']:.1f} %. "
                        + ("It holds that a routine has to be tuned with the kernel around it."
                           if most["in turn"] > 2 else
                           "Tuning one after the other is as good as tuning together here."))
    return page.Detail([("a kernel around a routine", ["", "tuned", "us", "lost", "policy"], rows)] if rows else [],
                       [], text)


DETAILS = {"Co-tuning": cotuning, "Figure 2": blocks, "Figure 4": phases, "Figure 5": phases,
           "Figure 6": copy_histogram,
           "Figure 7": strength, "Figure 8": thrust, "Table 1": bandwidth, "Table 2": counts,
           "Table 3": lambda devices: variance(devices, BETWEEN, 0, "Variances between policies"),
           "Table 4": lambda devices: variance(devices, WITHIN, 1, "Variances within policies"),
           "Table 5": lambda devices: shares_table(devices, False),
           "Table 6": lambda devices: shares_table(devices, True)}
