"""Writes docs/papers.md: every numbered table, figure, listing and algorithm of the five papers that this project
follows, with the command that makes ours, the file that holds it, and both results.

    build/venv/bin/python tools/papers.py            writes docs/papers.md
    build/venv/bin/python tools/papers.py --check    exit status 1 if the page is not what this file says

NUMBERED says what a paper numbers: tests/compile/test_papers.py compares it with the rows. Measured numbers are read
from the newest file of a topic, where this file has a reader for it.
"""
import argparse
import collections
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "papers.md")
MEASUREMENTS = os.path.join(ROOT, "ci", "measurements")
NOT_YET = "Not measured yet."

# files: paths below ci/measurements, or a topic in angle brackets for a file to come. measured: a text, or a function
# of the newest file of that topic.
Row = collections.namedtuple("Row", "item what command files printed measured")
Paper = collections.namedtuple("Paper", "title numbered note rows")


def newest(topic):
    """The path of the newest file of a topic, or None."""
    found = glob.glob(os.path.join(MEASUREMENTS, "*", f"*.{topic}.*.json"))
    return max(found, key=os.path.basename, default=None)


def ladder():
    """The path and the tables of the newest ladder; no tables where there is none, or a damaged one."""
    path = newest("ladder")
    try:
        with open(path or os.devnull, encoding="utf-8") as file:
            return os.path.relpath(path or os.devnull, MEASUREMENTS), json.load(file)
    except ValueError:
        return "", {"tables": []}


def rung(family, elements, name, width=0):
    """What the ladder measured of a kernel: us and GB/s; NOT_YET where its table is missing."""
    data = ladder()[1]
    for table in data["tables"]:
        if (table["family"], table["elements"], table["width"]) == (family, elements, width):
            one = next((one for one in table["rungs"] if one["name"] == name), None)
            if one:
                return f"{one['us']:.1f} us, {one['gbs']:,.0f} GB/s"
    return NOT_YET


def harris(item, what, printed, family, elements, name, width=0):
    command = "build/examples/ladder/ladder --out build/ladder.json"
    measured = rung(family, elements, name, width)
    return Row(item, what, command, ladder()[0] if measured != NOT_YET else "<ladder>", printed, measured)


LANDSCAPE = "nvidia-h200/landscape/README.md"
STUDY = "python3 -m tools.farm landscape"
POINTS = "python3 -m tools.quality.points"
COUNTERS = "python3 -m tools.quality.ladder"
NOW = "nvidia-h200/2026-11-28."
TUNED = "nvidia-h100-80gb-hbm3/2026-11-27."
LAYOUTS = "python3 -m tools.farm layouts --application"
REYES = f'{LAYOUTS} "build/examples/reyes/reyes --frames 4" --store build/reyes.jsonl'
KD_TREE = f'{LAYOUTS} "build/examples/layouts/layouts --program kd_tree --scenes $SCENES" --judge $JUDGE --store ' \
    "build/kd_tree.jsonl --seconds 500"
BITONIC = f'{LAYOUTS} "build/examples/layouts/layouts --program bitonic" --store build/bitonic.jsonl'

BACK40 = Paper(
    "Merrill, Garland, Grimshaw: Policy-based Tuning for Performance Portability and Library Co-optimization (2012)",
    {"Figure": 8, "Table": 6, "Listing": 3}, "Their GPUs: GTX480, GTX280, 9800 GTX+.", [
        Row("Figure 1", "a block a tile, or an even share of tiles", "make bench", "", "a drawing",
            "policies DIRECT and EVEN_SHARE (docs/policies.md)"),
        Row("Figure 2", "instructions an element by the number of blocks", f"{POINTS} --granularity",
            NOW + "points.26d6325.2.jsonl", "falls with fewer blocks; constant below a few hundred",
            "copy of 64 Mi u32: 18.5 by a block a tile, 6.9 by 1,056 blocks, 6.8 by 132; reduce by 1,056 and 132: 2.6 "
            "and 1.9; scan by 792 and 132: 29.9 and 27.6"),
        Row("Figure 3", "recursive or two-level reduction", "make bench", "", "a drawing",
            "one launch, the last block folds (docs/notes/reduce.md)"),
        Row("Figure 4", "a block's reduction by pairs", COUNTERS,
            NOW + "ladder_counters.26d6325.json", "4,224 thread-instructions for 1024 elements",
            "whole sums of 4 Mi, thread-instructions an element: Harris's kernel 3, by pairs, 103.9; kernel 4, with "
            "two "
            "elements a thread, 56.8"),
        Row("Figure 5", "a block's reduction in three phases", COUNTERS,
            NOW + "ladder_counters.26d6325.json", "1,440 thread-instructions for 1024 elements, 67 % fewer",
            "kernel 7, threads sum first, 10.2: 90 % fewer than kernel 3"),
        Row("Figure 6", "copy: policies by slowdown, large and small", STUDY, LANDSCAPE,
            "128 MB: 25 % of the policies above 90 % of the best; 128 KB: 6 %", "landscape/slowdown.svg"),
        Row("Figure 7", "policies by their mean slowdown over all instances", STUDY, LANDSCAPE,
            "best policy for all: copy 83 %, reduction 73 %, prefix sum 73 %, reduce-by-key 83 %",
            "copy 97 %, reduce 95 %, exclusive scan 84 %; the study: copy 95 %, reduce 96 %, exclusive scan 95 %, by "
            "key "
            "95 % (2026-11-28.study.26d6325.json)"),
        Row("Figure 8", "tuned reduction against Thrust", "python3 -m tools.farm study --thrust",
            "nvidia-h200/2026-11-29.figure8.d918bd4.jsonl", "GTX480: 1.6 x at 128 MB, 2.4 x at 128 KB",
            "the default policy, u8, u16, u32, u64: 1.99, 1.96, 1.96, 1.81 x at 128 MiB, 5.76, 5.47, 5.50, 6.31 x at "
            "128 KiB (CUB: 1.09 to 1.17 x, 1.77 to 1.95 x); Thrust waits for the sum on the host"),
        Row("Table 1", "the largest bandwidth of memory", STUDY, LANDSCAPE, "GTX480: 163.4 GB/s read, 153.6 copied",
            "H200: copy 4,135 GB/s, reduce 4,201 (u32, 128 MiB)"),
        Row("Table 2", "kernels, their dimensions, the number of policies", "python3 -m tools.farm study --count", "",
            "1,728; 8,748; 157,464; 157,464",
            "the study (examples/study): 1,728; 5,832; 157,464; 157,464; users tune 258, 355, 241 (gp_tune --space)"),
        Row("Table 3", "variance between policies", STUDY, LANDSCAPE,
            "GTX480: copy 0.52, reduction 0.74, prefix sum 0.58",
            "as mean squares: copy 0.19, reduce 0.67, exclusive scan 0.29; as variances 0.008, 0.028, 0.012; the "
            "study, as "
            "mean squares: copy 0.22, reduce 0.20, exclusive scan 0.33, by key 0.29"),
        Row("Table 4", "variance within policies", STUDY, LANDSCAPE,
            "GTX480: copy 0.03, reduction 0.03, prefix sum 0.03",
            "as mean squares: copy 0.021, reduce 0.024, exclusive scan 0.032; as variances 0.020, 0.023, 0.031; the "
            "study, "
            "as mean squares: copy 0.010, reduce 0.018, exclusive scan 0.013, by key 0.012"),
        Row("Table 5", "share of bandwidth, mean over policies, 128 MB", STUDY, LANDSCAPE,
            "GTX480: copy 0.72, reduction 0.61, prefix sum 0.59, by key 0.31",
            "copy 0.865, reduce 0.605, exclusive scan 0.565 (u32)"),
        Row("Table 6", "share of bandwidth of the best policy, 128 MB", STUDY, LANDSCAPE,
            "GTX480: copy 1.00, reduction 0.96, prefix sum 0.97, by key 0.67",
            "copy 1.018, reduce 0.986, exclusive scan 0.906 (u32)"),
        Row("Co-tuning", "a kernel and the routine inside it, tuned together and apart",
            "build/examples/cotuning/cotuning --out build/cotuning.json --seconds 60", NOW + "cotuning.26d6325.json",
            "the title's claim, without a number",
            "a sum of squares a row around the library's block reduction, more time than tuned together at 1 Mi, 16 "
            "Mi, "
            "256 Mi floats: tuned apart 2.8, 8.9, 3.9 %; in turn 1.3, 0.1, 1.8 %; not tuned 15.0, 2.4, 0.0 %"),
        Row("Listing 1", "a copy of a tile with everything fixed", "make bench", "", "code", "examples/tile_kernel.cu"),
        Row("Listing 2", "a policy as a type", "make bench", "", "code", "src/map/policy.h"),
        Row("Listing 3", "a copy of a tile by a policy", "make bench", "", "code", "src/map/kernels.cuh"),
    ])

ATUNERT = Paper(
    "Tillmann, Karcher, Dachsbacher, Tichy: Application-independent Autotuning for GPUs (2013)",
    {"Figure": 7, "Table": 4}, "Their GPUs: GTX680, GTX470, Quadro 6000. Ours: one H100 80GB HBM3.", [
        Row("Figure 1", "threads, blocks, grids", "", "", "a drawing", "docs/tile.md"),
        Row("Figure 2", "events around a launch", "", "", "a drawing", "docs/tuner.md"),
        Row("Figure 3", "merge sort: time over three block sizes", "build/examples/tuner/merge_sort --exhaustive FILE",
            TUNED + "tuner_merge_sort.c3d992c.jsonl.gz", "a surface", "examples/tuner/spaces.py draws it"),
        Row("Figure 4", "n-body on the Quadro 6000", "build/examples/tuner/n_body --exhaustive FILE",
            TUNED + "tuner_n_body.2c61931.jsonl.gz", "unrolling gains 23 %", "12.6 % from default to optimum"),
        Row("Figure 5", "n-body on the GTX680", "build/examples/tuner/n_body --exhaustive FILE",
            TUNED + "tuner_n_body.2c61931.jsonl.gz", "a curve for each degree of unrolling", "the same file"),
        Row("Figure 6", "Thrust's scan over block sizes", "build/examples/tuner/scan --exhaustive FILE",
            TUNED + "tuner_thrust_scan.2c61931.jsonl.gz", "best at 128 threads, GTX680", "72 us to 69 us"),
        Row("Figure 7", "marching cubes over block sizes", "build/examples/tuner/marching_cubes --exhaustive FILE",
            TUNED + "tuner_marching_cubes.c3d992c.jsonl.gz", "best at 5 warps on the older GPUs", "444 us to 291 us"),
        Row("Table 1", "an empty kernel by block size", "build/examples/tuner/empty_kernel --out FILE",
            TUNED + "empty_kernel.c3d992c.json", "0.210 to 0.256 ms", "6.4 to 6.5 us"),
        Row("Table 2", "merge sort: default, optimum, iterations", "python3 -m tools.farm online",
            TUNED + "online.8b404eb.json", "GTX680: 32.8 ms, 23.4 ms, 28.6 %; 20", "480 us, 467 us, 2.7 %; 5"),
        Row("Table 3", "n-body: default, optimum, iterations", "python3 -m tools.farm online",
            TUNED + "online.8b404eb.json", "GTX680: 2.937 s, 2.824 s, 3.8 %; 14", "10,706 us, 9,358 us, 12.6 %; 9"),
        Row("Table 4", "Thrust's scan and marching cubes", "python3 -m tools.farm online",
            TUNED + "online.8b404eb.json",
            "GTX680: 2.566 s to 2.223 s; 0.170 s to 0.134 s", "72 us to 69 us; 444 us to 291 us"),
    ])

PRO = Paper(
    "Bombieri, Busato, Fummi: An Enhanced Profiling Framework for Parallel Primitives for GPUs (Pro++, 2015)",
    {"Figure": 3, "Table": 3}, "Their GPUs: GTX 780, GTX 570. Ours: one H200.", [
        Row("Figure 1", "the framework", "make quality", "", "a drawing", "docs/quality.md"),
        Row("Figure 2", "criteria of reduction and scan by library", "make quality",
            "nvidia-h200/2026-11-28.quality.4191325.jsonl",
            "warp efficiency near 1 everywhere", "the page Quality draws it"),
        Row("Figure 3", "load balancing search, step by step", "python3 -m tools.quality --tables FILE",
            "nvidia-h200/2026-11-28.quality.5b6c688.jsonl", "MGPU's code improved by its criteria", "docs/quality.md"),
        Row("Table 1", "profiler's events", "", "", "nvprof's names",
            "Nsight Compute's: docs/quality.md, tools/quality/metrics.py"),
        Row("Table 2", "primitives and libraries", "python3 -m tools.quality --tables FILE",
            "nvidia-h200/2026-11-28.quality.4191325.jsonl", "29 rows, five libraries",
            "29 rows, seven libraries: docs/quality-tables.md"),
        Row("Table 3", "quality and speed-up of nine primitives", "python3 -m tools.quality --tables FILE",
            "nvidia-h200/2026-11-28.quality.4191325.jsonl", "reduction: CUB 0.89, 505 x",
            "reduction: CUB 0.70, 951 x; ours 0.68, 1,029 x"),
    ])

MATOG = Paper(
    "Weber, Goesele: Auto-Tuning Complex Array Layouts for GPUs (2014)", {"Figure": 3, "Table": 2, "Listing": 3,
                                                                         "Equation": 2},
    "Their GPUs: GTX680, GTX570. `build/venv/bin/python examples/layouts/scenes.py build/scenes` prints $SCENES and "
    "$JUDGE. P is L1 or shared memory preferred. Printed runs of the sort (9 and 18) do not follow from the two "
    "equations with 3 global and 3 shared layouts, which give 11 and 18; those of the KD-tree (15 and 32 a case) do.", [
        Row("Figure 1", "AoS, SoA, AoSoA", "", "", "a drawing", "docs/layouts.md"),
        Row("Figure 2", "the KD-tree's decision tree over triangles and bins", f"{KD_TREE} --header FILE.h",
            NOW + "kd_tree.26d6325.jsonl.gz", "two levels, layouts of the boxes",
            "two levels: four ranges of triangles, each with five ranges of bins; 17 different leaves"),
        Row("Figure 3",
            "bitonic sort, 4.1 M rows, nine layouts, by kernel", f"{BITONIC} --judge 4100000 --list 4100000",
            NOW + "bitonic.26d6325.jsonl", "SoA, SoA: 2.14 x AoS, AoS",
            "SoA, SoA 1.39 x; with shared memory preferred 1.83 x (4,255.9 us for 7,767.0), the best of the 18 runs; "
            "small learning 1.81 x"),
        Row("Table 1", "KD-tree: 40 cases judged", KD_TREE,
            NOW + "kd_tree.26d6325.jsonl.gz",
            "GTX680: min 0.70, max 9.83, average 2.47, optimal average 2.99; small 0.76, 9.83, 2.39",
            "min 0.88, max 2.42, average 1.25, below 1: 13, within 2 % of the best: 15, optimal average 1.33; small "
            "0.90, "
            "2.42, 1.25, 9, 17"),
        Row("Table 2", "REYES: ms of 100 frames by kernel",
            "build/examples/reyes/reyes --size 1920x1080 --frames 100 --table FILE",
            NOW + "reyes.26d6325.json",
            "hand-tuned 4,903.97 (20.37 frames a second), complete 4,661.07 (21.45), small 4,693.02 (21.31)",
            "hand-tuned 115.5 (886 frames a second): bound and split 25.1, compact 22.3, dice and shade 47.2, paint "
            "2.0, "
            "scan and select 18.9; learned 70.0 (1,404): 16.9, 13.2, 22.3, 1.9, 15.8: 1.59 x the frames"),
        Row("Listing 1", "structs as XML", "", "", "XML", "GP_LAYOUT: a list of members"),
        Row("Listing 2", "the host's code", "", "", "code", "examples/particles.c"),
        Row("Listing 3", "a kernel", "", "", "code", "examples/layouts/bitonic.cuh"),
        Row("Equation 1", "runs of complete learning: |G| |S| |P| |T|", REYES,
            NOW + "reyes.26d6325.jsonl.gz", "REYES 296, KD-tree 32 a case",
            "REYES 432, KD-tree 96 a case, sort 18; REYES 1.75 x the defaults, confirmed 1.72 (1.69 to 1.75)"),
        Row("Equation 2", "runs of small learning: ((|G| + |S|) |P| - 1) |T|", f"{REYES} --mode small",
            NOW + "reyes.26d6325.jsonl.gz", "REYES 81, KD-tree 15 a case",
            "REYES 83, KD-tree 27 a case, sort 11; REYES 1.74 x, 0.3 % off complete"),
    ])

MI = 1 << 20
REDUCTION = ((1, "interleaved addressing, divergent", "8.054 ms, 2.083 GB/s"),
             (2, "interleaved addressing, bank conflicts", "3.456 ms, 4.854 GB/s"),
             (3, "sequential addressing", "1.722 ms, 9.741 GB/s"), (4, "first add during load",
            "0.965 ms, 17.377 GB/s"),
             (5, "last warp unrolled", "0.536 ms, 31.289 GB/s"), (6, "completely unrolled", "0.381 ms, 43.996 GB/s"),
             (7, "multiple elements a thread", "0.268 ms, 62.671 GB/s"))
FLOATS = (("coalesced", "floats, coalesced", "356 us"), ("some", "floats, some threads take no part", "357 us"),
          ("permuted", "floats, permuted", "3,494 us"), ("misaligned", "floats, misaligned", "3,494 us"),
          ("float3", "float3, a struct a thread", "3,302 us"), ("float3 shared", "float3 through shared memory",
            "359 us"))
TURNS = ((128, 128, "0.022 ms", "0.011 ms"), (512, 512, "0.33 ms", "0.07 ms"), (1024, 1024, "1.92 ms", "0.30 ms"),
         (1024, 2048, "6.6 ms", "0.79 ms"))


def harris_paper():
    rows = [harris(f"Kernel {number}", what, printed, "reduction", 4 * MI, str(number))
            for number, what, printed in REDUCTION]
    rows.append(harris("Kernel 7, 16 M", "the same on 16 Mi elements", "72 GB/s", "reduction", 16 * MI, "7"))
    rows += [harris("Coalescing", what, printed, "floats", 3 * MI, name) for name, what, printed in FLOATS]
    for width, height, naive, better in TURNS:
        rows.append(harris("Transposes", f"{width} x {height}, uncoalesced", naive, "transpose", width * height,
            "naive",
                           width))
        rows.append(harris("Transposes", f"{width} x {height}, coalesced, no conflicts", better, "transpose",
                           width * height, "padded", width))
    rows += [Row("Transfers", what, "build/examples/ladder/transfers --out build/transfers.json",
                 "nvidia-h200/2026-11-28.transfers.b25f7d3.json", printed, measured)
             for what, printed, measured in (
                 ("pageable host memory", "below the next", "to the device 12.4 GB/s of 16 MiB, 6.5 of 256 MiB"),
                 ("page-locked host memory", "3.2 GB/s common, 4 GB/s measured", "53.7 and 55.2 GB/s"),
                 ("many small transfers or one large one", "one large one is much better",
                  "1.6 GB/s by 4 KiB at a time, 55 by one"))]
    return Paper("Harris: Optimizing CUDA (tutorial S05, 2007), with Optimizing Parallel Reduction in CUDA",
                 {"Kernel": 7},
            "His GPU: G80 (86.4 GB/s). The slides number the kernels alone; their other figures have "
                 "names. Ours: one H200.", rows)


def papers():
    return [BACK40, ATUNERT, PRO, MATOG, harris_paper()]


def file_text(files):
    if not files:
        return ""
    if files.startswith("<"):
        return f"to come: `{files[1:-1]}`"
    return f"[{os.path.basename(files)}](../ci/measurements/{files})"


def page():
    lines = ["# The five papers", "",
            "Every numbered table, figure and listing of the papers that this project follows: "
             "the command that makes ours, the",
            "file that holds it, what the paper prints and what was measured here. "
             "tools/papers.py writes this page; it reads the", "ladder's numbers from the newest file.", "",
             "`make paper` writes one page of all of it, with pictures and a paragraph an item on what still holds: "
             "build/paper.", ""]
    for paper in papers():
        lines += [f"## {paper.title}", "", *wrapped(paper.note), "",
                  "| item | what | command | file | printed | measured |", "|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join([row.item, row.what, f"`{row.command}`" if row.command else "",
                                     file_text(row.files),
                                     row.printed, row.measured]).replace("|G| |S| |P| |T|", "G S P T")
                  .replace("((|G| + |S|) |P| - 1) |T|", "((G + S) P - 1) T") + " |" for row in paper.rows]
        lines.append("")
    return "\n".join(lines)


def wrapped(text, width=118):
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def main(argv):
    parser = argparse.ArgumentParser(description="writes docs/papers.md")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    text = page()
    if arguments.check:
        with open(PAGE, encoding="utf-8") as file:
            same = file.read() == text
        print("docs/papers.md is current" if same else "docs/papers.md is not what tools/papers.py says: run it")
        return int(not same)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    print(os.path.relpath(PAGE, ROOT))
    return 0


def gaps(paper):
    """Numbered items without a row, or with several."""
    found = collections.Counter(row.item for row in paper.rows)
    wanted = [f"{kind} {number}" for kind, count in paper.numbered.items() for number in range(1, count + 1)]
    kinds = "|".join(paper.numbered)
    extra = [item for item in found if re.fullmatch(rf"({kinds}) \d+", item) and item not in wanted]
    return [item for item in wanted if found[item] != 1] + extra


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
