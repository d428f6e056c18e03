"""Harris's slides: the ladder's kernels, transposes, accesses and transfers, printed and measured."""
from tools import papers
from tools.paper import draw, page

# Microseconds that the slides print, by family, elements, width and step: measurements from before ladder.c knew all of
# them hold 0 there.
PRINTED_US = {
    **{("reduction", 4 * papers.MI, 0, str(number)): 1e3 * float(printed.split()[0])
       for number, _, printed in papers.REDUCTION},
    ("reduction", 16 * papers.MI, 0, "7"): 4e-3 * 16 * papers.MI / 72,
    **{("floats", 3 * papers.MI, 0, name): float(printed.split()[0].replace(",", ""))
       for name, _, printed in papers.FLOATS},
    **{("transpose", width * height, width, name): 1e3 * float(printed.split()[0])
       for width, height, *times in papers.TURNS for name, printed in zip(("naive", "padded"), times)}}
PRINTED_SPEEDUP = {(128, 128): 2.0, (512, 512): 4.5, (1024, 1024): 6.4, (1024, 2048): 8.4}


def with_published(table, rung):
    us = PRINTED_US.get((table["family"], table["elements"], table["width"], rung["name"]), 0)
    if rung["published_us"] or not us:
        return rung
    return {**rung, "published_us": us, "published_gbs": 1e-3 * table["moved"] / us}


def tables_of(device, family):
    return [{**table, "rungs": [with_published(table, rung) for rung in table["rungs"]]}
            for table in (device.others.get("ladder") or {}).get("tables", []) if table["family"] == family]


def title_of(table):
    if table["family"] == "transpose":
        return f"Transpose of {table['width']:,} x {table['height']:,} floats"
    return f"{'Sum' if table['family'] == 'reduction' else 'Increment'} of {table['elements']:,}"


def printed_us(us):
    return "" if not us else f"{us / 1e3:,.3f} ms"


def rung_rows(table):
    """A row a step: printed time and GB/s, ours, the gain over the first step, the share of the roof."""
    first, roof, rows = table["rungs"][0], table["rungs"][-1], []
    for rung in table["rungs"]:
        gain = first["published_us"] / rung["published_us"] if first["published_us"] and rung["published_us"] else None
        rows.append([rung["name"], rung["what"], printed_us(rung["published_us"]),
                     page.number(rung["published_gbs"] or None, ",.1f"), page.number(gain), f"{rung['us']:,.2f}",
                     f"{rung['gbs']:,.0f}", f"{first['us'] / rung['us']:.2f}", f"{roof['us'] / rung['us']:.2f}"])
    return rows


HEADER = ("step", "what", "printed", "printed GB/s", "printed gain", "us", "GB/s", "gain", "of the roof")


def ladder_tables(devices, family):
    return [(f"{device.title}: {title_of(table)}", HEADER, rung_rows(table)) for device in devices
            for table in tables_of(device, family)]


def ladder_picture(device, family):
    """A picture of the tables with printed numbers."""
    shown = [(title_of(table), [(f"{rung['name']} {rung['what']}", rung["published_gbs"], rung["gbs"])
                                for rung in table["rungs"][:-1]], table["rungs"][-1]["gbs"])
             for table in tables_of(device, family) if sum(rung["published_us"] > 0 for rung in table["rungs"]) > 1]
    return (draw.render(draw.rungs, shown), f"{device.title} and the G80, on a logarithmic axis.") if shown else None


def pictures(devices, family):
    return [picture for device in devices if (picture := ladder_picture(device, family))]


def with_printed(device, family, names):
    """[(table, {name: rung})] of the tables with printed times."""
    found = []
    for table in tables_of(device, family):
        rungs = {rung["name"]: rung for rung in table["rungs"]}
        if set(names) <= set(rungs) and all(rungs[name]["published_us"] for name in names):
            found.append((table, rungs))
    return found


def reduction_text(device):
    text = []
    for table, rungs in with_printed(device, "reduction", "1234567"):
        steps = [rungs[name] for name in "1234567"]
        gains = [before["us"] / after["us"] for before, after in zip(steps, steps[1:])]
        theirs = [before["published_us"] / after["published_us"] for before, after in zip(steps, steps[1:])]
        kept = [str(place + 2) for place, gain in enumerate(gains) if gain >= 1.1]
        lost = [str(place + 2) for place, gain in enumerate(gains) if gain < 1.1]
        text.append(f"On the {device.title} the seven steps gain {steps[0]['us'] / steps[-1]['us']:.1f} x together "
                    f"(printed: {steps[0]['published_us'] / steps[-1]['published_us']:.0f} x). Steps that still gain "
                    f"at least 10 %: {', '.join(kept) or 'none'}; those that no longer do: {', '.join(lost) or 'none'} "
                    f"(printed gains: {', '.join(f'{gain:.2f}' for gain in theirs)}; ours: "
                    f"{', '.join(f'{gain:.2f}' for gain in gains)}). Kernel 7 reaches "
                    f"{table['rungs'][-1]['us'] / rungs['7']['us']:.2f} of the roof at {table['elements']:,} elements "
                    "(printed: 62.7 of 86.4 GB/s, 0.73).")
    return text


def reduction(devices):
    return page.Detail(ladder_tables(devices, "reduction"), pictures(devices, "reduction"),
                       [text for device in devices for text in reduction_text(device)])


def floats(devices):
    text = []
    for device in devices:
        for _, rungs in with_printed(device, "floats", ("coalesced", "permuted", "misaligned", "float3")):
            slower = {name: rungs[name]["us"] / rungs["coalesced"]["us"] for name in
                      ("permuted", "misaligned", "float3", "float3 shared")}
            text.append(
                f"On the {device.title} permuted accesses take {slower['permuted']:.2f} x and misaligned ones "
                f"{slower['misaligned']:.2f} x the time of coalesced ones (printed: 9.8 x both): caches of lines serve "
                f"any order within a line. Structs of 12 bytes take {slower['float3']:.2f} x (printed: 9.3 x), through "
                f"shared memory {slower['float3 shared']:.2f} x (printed: 1.0 x): the detour "
                + ("still pays." if slower["float3 shared"] < slower["float3"] else "costs more than it gains today."))
    return page.Detail(ladder_tables(devices, "floats"), pictures(devices, "floats"), text)


def transposes(devices):
    text = []
    for device in devices:
        for table, rungs in with_printed(device, "transpose", ("naive", "padded")):
            size = table["width"], table["height"]
            text.append(
                f"{size[0]:,} x {size[1]:,} on the {device.title}: coalescing and padding gain "
                f"{rungs['naive']['us'] / rungs['padded']['us']:.2f} x (printed: {PRINTED_SPEEDUP.get(size, 0)} x), "
                f"of which padding against bank conflicts {rungs['shared']['us'] / rungs['padded']['us']:.2f} x "
                "(printed: about 1.1 x).")
    return page.Detail(ladder_tables(devices, "transpose"), pictures(devices, "transpose"), text)


# The ways of transfers.c in which an array is negated on the device: alone, after its copy, beside the copies of other
# chunks.
ALONE, AFTER = "31 negations on the device", "page-locked, then 31 negations"
BESIDE = ("4 chunks, 2 streams, 31 negations", "16 chunks, 2 streams, 31 negations",
          "16 chunks, 4 streams, 31 negations")
NOT_MEASURED = "not measured"
MEASURES_TRANSFERS = "build/examples/ladder/transfers --out build/transfers.json"


def beside_kernels(rows, name):
    """Of the largest array with all its ways: how much of the shorter of copy and kernels is hidden. Measurements from
    before transfers.c had these ways lack them."""
    us = {(row["way"], row["bytes"]): row["us"] for row in rows}
    ways = ("page-locked to device", ALONE, AFTER, *BESIDE)
    sizes = [bytes_ for way, bytes_ in us if way == AFTER and all((one, bytes_) in us for one in ways)]
    if not sizes:
        return f"Transfers beside kernels that work on the same array: {NOT_MEASURED} on the {name}. " \
               f"`{MEASURES_TRANSFERS}` measures them."
    copy, alone, after, *beside = (us[way, max(sizes)] for way in ways)
    best = min(beside)
    return f"{max(sizes):,} bytes in page-locked memory, negated 31 times on the {name}: the copy takes {copy:,.0f} " \
           f"us, the kernels {alone:,.0f}, one after the other {after:,.0f}. In chunks of which the copies run " \
           f"beside the kernels of others they take {best:,.0f} ({BESIDE[beside.index(best)].rpartition(',')[0]}): " \
           f"{after / best:.2f} x as fast. The longer of the two bounds this to {after / max(copy, alone):.2f} x."


def transfers(devices):
    tables, text = [], []
    for device in devices:
        rows = (device.others.get("transfers") or {}).get("rows", [])
        if not rows:
            continue
        tables.append((f"{device.title}: GB/s", ["way", "bytes", "us", "GB/s"], [
            *([row["way"], f"{row['bytes']:,}", f"{row['us']:,.1f}", f"{row['gbs']:,.2f}"] for row in rows),
            *([way, "", NOT_MEASURED, NOT_MEASURED] for way in (ALONE, AFTER, *BESIDE)
              if way not in {row["way"] for row in rows})]))
        best = {row["way"]: max(other["gbs"] for other in rows if other["way"] == row["way"]) for row in rows}
        pinned, pageable = best.get("page-locked to device"), best.get("pageable to device")
        pieces = best.get("page-locked, 4 KiB at a time")
        beside = next((gbs for way, gbs in best.items() if "beside a sum" in way), None)
        if pinned and pageable:
            text.append(f"On the {device.title} page-locked memory transfers {pinned / pageable:.1f} x as fast as "
                        f"pageable memory, {pinned:.0f} GB/s (printed: about 4). It still holds that page-locked "
                        "memory is the fast one"
                        + (f", and that one large transfer beats many small ones: {pinned / pieces:.0f} x those of "
                           "4 KiB." if pieces else ".")
                        + (f" Beside a sum on the GPU it keeps {100 * beside / pinned:.0f} % of its speed."
                           if beside else ""))
        text.append(beside_kernels(rows, device.title))
    return page.Detail(tables, [], text)


DETAILS = {"Kernel 7": reduction, "Coalescing": floats, "Transposes": transposes, "Transfers": transfers}
