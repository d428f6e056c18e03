#!/usr/bin/env python3
"""Predicts times of a world's calls on more GPUs than were measured, and writes the tables of docs/many-gpus.md.

    tools/world_model.py            writes them
    tools/world_model.py --check    writes nothing; exit status 1 if they differ

Constants come from the newest ci/measurements/*/*.world.*.jsonl, of tools/gp_world; those that nobody has measured are
in ASSUMED. The model:

    reduce     local + collective(P)
    scan       3/2 local + collective(P): the totals need one more read
    sort       local + rounds(P) (4 collectives) + (P - 1) / P bytes / link(P) + log2(P) merges, each read and written

collective(P) grows with log2(P); link(P) is NVLink's rate in a host, and the network's beyond.
"""
import glob
import json
import math
import os
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "many-gpus.md")
ASSUMED = {"gpus of a host": 8, "network, GB/s a GPU": 50, "network, us a step": 10}
COPY_GB_S = 4100  # of a GPU's memory, read and written: a copy's rate there
SIZES = (28, 30, 32)  # log2 of the keys of a GPU
RANKS = (2, 4, 8, 16, 64, 512, 4096)
OFFERS_ALL, OFFERS_MOST, OFFERS_LEAST = 1 << 15, 1023, 3  # src/world/split.c


def measured():
    files = sorted(glob.glob(os.path.join(ROOT, "ci/measurements/*/*.world.*.jsonl")))
    with open(files[-1], encoding="utf-8") as file:
        return os.path.relpath(files[-1], ROOT), [json.loads(line) for line in file]


def collective_us(rows, ranks):
    two = min(row["smallest_us"] for row in rows if row["ranks"] == 2)
    host = min(ranks, ASSUMED["gpus of a host"])
    steps = math.log2(max(1, ranks / ASSUMED["gpus of a host"]))
    return two * math.log2(host) ** 0.5 + ASSUMED["network, us a step"] * steps


def rounds(ranks, keys):
    pairs = ranks * (ranks - 1)
    offers = max(OFFERS_LEAST, min(OFFERS_MOST, OFFERS_ALL // pairs))
    return math.ceil(math.log(keys * ranks) / math.log(offers + 1))


def predicted(rows, cell, ranks, log2):
    keys = 1 << log2
    row = max((row for row in rows if row["cell"] == cell and row["ranks"] == 2), key=lambda row: row["n"])
    local = row["alone_us"] * keys / row["n"]
    collective = collective_us(rows, ranks)
    if cell.startswith("reduce"):
        return local + collective, local
    if "scan" in cell:
        return 1.5 * local + collective, local
    link = row["link_gb_s"] if ranks <= ASSUMED["gpus of a host"] else ASSUMED["network, GB/s a GPU"]
    exchange = 4e-3 * keys * (ranks - 1) / ranks / link
    merges = math.ceil(math.log2(ranks)) * 8e-3 * keys / COPY_GB_S
    return local + 4 * rounds(ranks, keys) * collective + exchange + merges, local


def strong_lines(rows):
    """The same elements on one GPU and on all."""
    if not rows:
        return []
    searched = {row["cell"] for row in rows if "gteps" in row}
    lines = ["", *textwrap.wrap("The same array or graph on one GPU and spread over several. elements: of all ranks, "
                                "vertices of a graph; speed-up: alone / us.", 118), "",
             "| call | elements | GPUs | us | alone, us | speed-up |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in sorted((row for row in rows if row["ranks"] > 1),
                      key=lambda row: (row["cell"] not in searched, row["n"], row["ranks"])):
        lines.append(f"| {row['cell']} | {row['n']:,} | {row['ranks']} | {row['us']:,.1f} | {row['alone_us']:,.1f} | "
                     f"{row['rate']:.2f} |")
    return lines


def small_lines(rows):
    """Small calls beside NCCL's smallest collective."""
    rows = [row for row in rows if row["ranks"] > 1]
    if not rows:
        return []
    lines = ["", *textwrap.wrap("Small calls beside NCCL's smallest collective, an all-reduce of 4 bytes: one call and "
                                "the host's wait; the replay of a CUDA graph of one call, and the wait; a 16th of a "
                                "graph of 16 calls. more: us that the call takes beyond the collective.", 118), "",
             "| call | elements a GPU | GPUs | us | more | graph, us | more | of 16, us | more |",
             "| --- |" + " ---: |" * 8]
    for row in rows:
        cells = [f"{row[kind]:,.1f} | {row[kind] - row['smallest_' + kind]:,.1f}"
                 for kind in ("us", "graph_us", "train_us")]
        lines.append(f"| {row['cell']} | {row['n']:,} | {row['ranks']} | " + " | ".join(cells) + " |")
    return lines


def search_text(searches):
    """What searches reach. Files before `sources` have the least of the sources as `alone`, beside a median."""
    one = searches[1]
    alone = (f"gp_bfs alone takes {one['alone_us'] / one['us']:.2f} of the time of a world of one, medians of "
             f"{one['sources']} sources." if "sources" in one else
             "`alone` of searches is the least of 8 sources, and the world's time their median, so their rate above "
             "is too low: it will be measured again.")
    return textwrap.wrap(
        "Graphs: Kronecker, 16 edges a vertex; alone: one GPU with the graph of its vertices. Searches, edges as "
        "Graph500 counts them: " + ", ".join(f"{row['gteps']:,.0f} GTEPS on {ranks} of {row['n']:,} vertices"
                                             for ranks, row in sorted(searches.items())) + f"; {alone}", 118)


def tables():
    path, rows = measured()
    rows = [row for row in rows if row["blocking"]]
    strong = [row for row in rows if "strong" in row]
    small = [row for row in rows if "graph_us" in row]
    rows = [row for row in rows if row not in strong and row not in small]
    graphs = [row for row in rows if "gteps" in row]
    lines = [*textwrap.wrap(f"Measured on two GPUs of one host, by {os.path.basename(path)}. us: the world's call; "
                            "alone: gp_run on one GPU with one shard; rate: alone / us.", 118), "",
             "| call | elements a GPU | us | alone, us | rate |", "| --- | ---: | ---: | ---: | ---: |"]
    for row in (row for row in rows if row["ranks"] == 2):
        count = row["n"] // 2 if row in graphs else row["n"]
        lines.append(f"| {row['cell']} | {count:,} | {row['us']:,.1f} | {row['alone_us']:,.1f} | {row['rate']:.2f} |")
    two = max((row for row in rows if row["ranks"] == 2 and "link_gb_s" in row), key=lambda row: row["n"])
    searches = {row["ranks"]: row for row in graphs if row["cell"].startswith("bfs")}
    if searches:
        lines += ["", *search_text(searches)]
    lines += strong_lines(strong)
    lines += ["", *textwrap.wrap(
        f"The link: {two['link_gb_s']:.0f} GB/s a direction (NCCL's send and receive of half of a shard). NCCL's "
        f"smallest collective, the host's wait included: {two['smallest_us']:.1f} us.", 118)]
    lines += small_lines(small)
    lines += ["", *textwrap.wrap("The model, ms (rate). Beyond two GPUs nothing is measured yet; beyond "
                                 f"{ASSUMED['gpus of a host']} it assumes {ASSUMED['network, GB/s a GPU']} GB/s a GPU "
                                 f"and {ASSUMED['network, us a step']} us a step of a collective.", 118), "",
              "| call | keys a GPU | " + " | ".join(f"{ranks:,}" for ranks in RANKS) + " |",
              "| --- | ---: |" + " ---: |" * len(RANKS)]
    for cell in ("reduce SUM f32", "inclusive_scan SUM u32", "sort u32"):
        for log2 in SIZES:
            found = [predicted(rows, cell, ranks, log2) for ranks in RANKS]
            lines.append(f"| {cell} | 2^{log2} | " +
                         " | ".join(f"{us / 1e3:,.2f} ({local / us:.2f})" for us, local in found) + " |")
    return lines


def page(text):
    begin, end = "<!-- tables: tools/world_model.py -->\n", "<!-- end of the tables -->\n"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return before + begin + "\n".join(tables()) + "\n" + end + after


def main():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    if "--check" in sys.argv[1:]:
        return 0 if page(text) == text else 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page(text))
    print(os.path.relpath(PAGE, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
