#!/usr/bin/env python3
"""make bench: ours, the peers and the roofs on this GPU (Python's standard library only).

Builds build/gp_bench with gcc and build/libgp_peers.so with nvcc (left out where there is no nvcc), each only if its
sources changed; runs the list of cells; writes JSON Lines to ci/measurements/<device>/; prints the ratios last.

    tools/bench.py                        the standard list (below 9 minutes on an H200)
    tools/bench.py --quick                three sizes of six types (a minute)
    tools/bench.py --set segments         runs, segments, selection, histograms and searches; --set segments-quick: some
    tools/bench.py --set transpose        transposes, in place too, beside cuBLAS geam; --set transpose-quick: some
    tools/bench.py --set layouts          conversions between arrays of structs and structs of arrays
    tools/bench.py --set sorting          sorts, merges, sets, top-k, shuffle, group-by; --set sorting-quick: some
    tools/bench.py --set between          every family between the sizes: no powers of two, types and distributions that
                                          nothing was tuned on
    tools/bench.py --cells FILE           a list of your own: a cell a line, see the top of tools/gp_cells.h
    tools/bench.py --cell "reduce SUM f32 bytes=1G" --policy threads=256 --policy threads=1024
    tools/bench.py --cccl                 beside a newer CUB and Thrust, too: CCCL at the commit that is pinned here,
                                          or at --cccl COMMIT or BRANCH (main), fetched by git to build/peers/cccl;
                                          --cccl kept: what is there
    tools/bench.py --host                 on the host back end, whatever there is
    tools/bench.py --list                 prints the cells, runs nothing
    tools/bench.py --show FILE            the table of a file measured before
    tools/bench.py --build-only           builds, runs nothing

Exit status: 0; 1 an output is wrong or a cell failed; 2 bad usage; 3 nothing was measured; 4 no GPU: nothing is built
or written (`make bench` then ends with make's 2).
"""
import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
NO_GPU = 4  # exit status
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

# ---- the cells -------------------------------------------------------------------------------------------------------

TYPES = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64", "s12", "s16"]
FIRST_TYPES = ["u8", "u16", "u32", "u64", "f16", "f32", "f64", "s16"]  # measured at more sizes, and in graphs
SIZES = [4 * KIB << 2 * k for k in range(10)]  # 4 KiB to 1 GiB
GRAPH_SIZES = [4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB]
PRIMITIVES = ["copy", "reduce SUM", "exclusive_scan SUM"]


def size_text(size):
    for unit, name in ((GIB, "G"), (MIB, "M"), (KIB, "K")):
        if size >= unit:
            return f"{size // unit}{name}"
    return str(size)


def standard_cells():
    """Largest sizes first: a run that is cut short needs them most."""
    cells = []
    for size in reversed(SIZES):
        for primitive in PRIMITIVES:
            for type_ in TYPES:
                if type_ not in FIRST_TYPES and size not in (GIB, 64 * MIB, MIB, 64 * KIB):
                    continue
                cells.append(f"{primitive} {type_} bytes={size_text(size)}")
                if size in GRAPH_SIZES and type_ in FIRST_TYPES:
                    cells.append(f"{primitive} {type_} bytes={size_text(size)} protocol=graph")
        if size in (GIB, 32 * MIB, 64 * MIB, MIB):
            text = f"bytes={size_text(size)}"
            cells += [
                # sums in a wider accumulator
                f"reduce SUM u8 {text} out=u64", f"reduce SUM u16 {text} out=u32", f"reduce SUM f16 {text} out=f32",
                f"reduce SUM f32 {text} out=f64",
                # other operators and moves
                f"reduce MAX f32 {text}", f"reduce MIN i32 {text}", f"inclusive_scan SUM f32 {text}",
                f"fill u8 {text}", f"fill u32 {text}", f"transform NEGATE f32 {text}", f"transform2 SUM f32 {text}",
                # misaligned by one element: input and output alike or not
                f"copy u8 {text} in_offset=1", f"copy u8 {text} in_offset=3 out_offset=3",
                f"copy u8 {text} in_offset=5 out_offset=2", f"copy f32 {text} in_offset=4",
                f"reduce SUM u8 {text} in_offset=1", f"reduce SUM f32 {text} in_offset=4",
                f"exclusive_scan SUM u8 {text} in_offset=1 out_offset=1",
                f"exclusive_scan SUM u8 {text} in_offset=3 out_offset=2",
                f"exclusive_scan SUM u32 {text} in_offset=4 out_offset=4",
                f"exclusive_scan SUM u32 {text} in_offset=4", f"exclusive_scan SUM f64 {text} in_offset=8",
            ]
    return cells


def quick_cells():
    return [f"{primitive} {type_} bytes={size_text(size)}" for size in (GIB, 16 * MIB, 64 * KIB)
            for primitive in PRIMITIVES for type_ in ("u8", "u16", "u32", "u64", "f32", "s16")]


def host_cells():
    return [f"{primitive} {type_} bytes={size_text(size)}" for size in (16 * MIB, MIB, 64 * KIB)
            for primitive in PRIMITIVES for type_ in ("u8", "u16", "u32", "u64", "f16", "f32", "f64")]


# ---- the cells of segments, runs, selection, histograms

SEGMENT_LENGTHS = ["1", "4", "16", "64", "256", "4K", "64K", "4M"]
RUNS = [1, 4, 32, 1024]
KEEPS = [0, 1, 50, 99, 100]
KEYS = ["u8", "u16", "u32", "u64", "s16"]
PAIRS = [("u8", "u8"), ("u16", "u16"), ("u32", "f32"), ("u32", "u64"), ("u64", "u64")]  # keys, values
LARGE = "bytes=128M"
SMALL = [1 << k for k in range(10, 23, 2)]
# Cells of each primitive that are measured at small sizes.
SMALL_CELLS = ["segmented_reduce SUM f32 segments=fixed:64", "segmented_reduce SUM f32 segments=fixed:64 form=fixed",
               "segmented_exclusive_scan SUM f32 segments=fixed:64", "inclusive_scan_by_key SUM f32",
               "reduce_by_key SUM f32", "run_lengths u32", "nontrivial_runs u32", "unique u32",
               "unique u32 payload=u32", "adjacent_difference f32", "select u32", "select u32 form=flags",
               "partition u32", "partition u32 parts=3",
               "count_if f32", "histogram_even u8", "histogram_even f32", "histogram_ranges f32", "lower_bound u32",
               "load_balance u32 segments=fixed:64"]


def segment_cells():
    """The main cells first; then small sizes; then other forms and types."""
    cells = [f"segmented_reduce SUM f32 n=32M segments={shape}" for shape in
             [f"fixed:{length}" for length in SEGMENT_LENGTHS] + ["pareto:64", "mixed", "uniform:256"]]
    cells += [f"segmented_reduce SUM f32 n=32M segments=fixed:{length} form=fixed" for length in SEGMENT_LENGTHS]
    cells += [f"segmented_{kind}_scan SUM f32 n=32M segments={shape}" for kind in ("exclusive", "inclusive")
              for shape in ("fixed:1", "fixed:16", "fixed:256", "fixed:64K", "pareto:64", "mixed")]
    cells += [f"{kind}_scan_by_key SUM f32 n=32M runs={runs}" for kind in ("inclusive", "exclusive") for runs in RUNS]
    cells += [f"reduce_by_key SUM {value} key={key} {LARGE} runs={runs}" for key, value in PAIRS for runs in RUNS]
    cells += [f"segmented_reduce SUM f32 n=32M segments={shape} reproducible=1" for shape in
              ("fixed:16", "fixed:256", "fixed:64K", "pareto:64", "mixed")]
    cells += [f"reduce_by_key SUM f32 key=u32 {LARGE} runs={runs} reproducible=1" for runs in RUNS]
    cells += [f"segmented_exclusive_scan SUM f32 n=32M segments={shape} reproducible=1" for shape in
              ("fixed:16", "fixed:64K", "pareto:64")]
    cells += [f"inclusive_scan_by_key SUM f32 n=32M runs={runs} reproducible=1" for runs in (1, 32)]
    for primitive in ("run_lengths", "unique"):
        cells += [f"{primitive} {key} {LARGE} runs={runs}" for key in KEYS for runs in RUNS]
    cells += [f"{primitive} {type_} {LARGE} keep={keep}" for primitive in ("select", "partition") for type_ in KEYS
              for keep in KEEPS]
    cells += [f"histogram_even {type_} {LARGE} dist={dist}" for type_ in ("u8", "u16", "u32", "f32")
              for dist in ("uniform", "zipf", "constant")]
    cells += [f"histogram_even u32 {LARGE} bins={bins} dist={dist}" for bins in ("4K", "48K")
              for dist in ("uniform", "zipf")]
    cells += [f"{cell} n={n} protocol=graph" for n in reversed(SMALL) for cell in SMALL_CELLS]
    cells += [f"partition {type_} {LARGE} parts=3 keep={keep}" for type_ in KEYS for keep in (1, 50)]
    cells += [f"select {type_} {LARGE} form=flags" for type_ in KEYS] + [f"partition u32 {LARGE} form=flags"]
    cells += [f"nontrivial_runs {key} {LARGE} runs={runs}" for key in ("u8", "u32", "u64") for runs in (1, 4, 1024)]
    cells += [f"unique {key} payload={key} {LARGE} runs={runs}" for key in ("u32", "u64") for runs in (1, 32)]
    cells += [f"inclusive_scan_by_key SUM {value} key={key} {LARGE} runs=32" for key, value in PAIRS
              if key in ("u8", "u16", "u64")]
    cells += [f"segmented_exclusive_scan SUM {type_} {LARGE} segments=fixed:256" for type_ in ("u8", "u64")]
    cells += [f"segmented_reduce SUM {type_} {LARGE} segments=fixed:256" for type_ in ("u32", "u64")]
    cells += ["segmented_reduce SUM f32 n=32M segments=fixed:256 form=ends",
              "segmented_reduce SUM f32 n=32M segments=fixed:256 offsets=u64"]
    cells += [f"histogram_even u8 {LARGE} bins=64 dist=zipf", f"histogram_ranges u32 {LARGE}",
              f"histogram_ranges f32 {LARGE}", f"histogram_ranges f32 {LARGE} bins=4K"]
    cells += [f"{primitive} {type_} {LARGE}" for primitive in ("count_if", "adjacent_difference")
              for type_ in ("u8", "u32", "u64", "f32")]
    cells += [f"lower_bound {type_} n=8M haystack=1M" for type_ in ("u32", "f32")]
    cells += [f"load_balance u32 n=32M segments={shape}" for shape in ("fixed:4", "fixed:256", "pareto:64", "mixed")]
    cells += [f"{primitive} {type_} {LARGE} segments={shape}" for primitive in ("expand", "run_length_expand")
              for type_ in ("u8", "u32", "u64") for shape in ("fixed:4", "fixed:256", "pareto:64", "mixed")]
    cells += [f"reduce_axis SUM f32 shape={64 << 20 >> log2}x{1 << log2}" for log2 in (3, 5, 7, 9, 10, 12, 14, 18, 22)]
    cells += [f"reduce_axis SUM {type_} shape={shape} {axis}".strip() for type_ in ("u8", "f16", "f32", "f64")
              for shape, axis in (("65536x1024", ""), ("65536x1023", ""), ("65536x1024", "axis=1"),
                                  ("64x1048576", "axis=1"), ("4194304x16", "axis=1"), ("65536x1023", "axis=1"),
                                  ("256x1024x256", "axis=1"))]
    cells += ["reduce_axis SUM f16 acc=f32 shape=65536x1024", "reduce_axis SUM u8 out=u32 shape=65536x1024",
              "reduce_axis MAX f32 shape=65536x1024", "reduce_axis SUM f32 shape=1024x1024 protocol=graph"]
    cells += [f"row_map SUM {type_} shape={shape}" for type_ in ("f16", "f32") for shape in
              ("2097152x32", "524288x128", "65536x1024", "16384x4096", "4096x16384", "64x1048576", "65536x1023")]
    cells += ["row_map SUM f32 shape=65536x1024 axis=1"]
    cells += [f"scan_axis SUM f32 shape={64 << 20 >> log2}x{1 << log2}" for log2 in (3, 5, 7, 10, 12, 14, 18, 22)]
    cells += [f"scan_axis SUM {type_} shape={shape} {axis}".strip() for type_ in ("f16", "f32", "f64")
              for shape, axis in (("65536x1024", ""), ("65536x1023", ""), ("65536x1024", "axis=1"),
                                  ("4194304x16", "axis=1"), ("65536x1023", "axis=1"), ("256x1024x256", "axis=1"))]
    cells += [f"{call} {type_} shape={shape} {axis}".strip() for call in ("sort_axis", "top_k_axis")
              for type_ in ("u32", "f32") for shape, axis in (("1048576x64", ""), ("65536x1024", ""),
                                                              ("1024x65536", ""), ("65536x1024", "axis=1"))]
    cells += ["sort_axis f32 shape=65536x1024 form=indices", "top_k_axis f32 shape=65536x1024 form=indices",
              "top_k_axis f32 shape=65536x1023", "top_k_axis f32 shape=65536x1023 k=64",
              "top_k_axis u32 shape=1048576x64 k=64", "top_k_axis f32 shape=4096x16384 k=2K"]
    cells += [f"copy_batch u8 n=256M segments={shape}" for shape in
              ("fixed:16", "fixed:64", "fixed:256", "fixed:1K", "fixed:4K", "fixed:16K", "fixed:256K", "fixed:4M",
               "fixed:256M", "uniform:4K", "pareto:64", "pareto:4K", "mixed")]
    cells += ["copy_batch u8 n=256M segments=fixed:4097", "copy_batch u8 n=256M segments=fixed:4K in_offset=1",
              "copy_batch u8 n=256M segments=fixed:4K offsets=u64", "copy_batch u8 n=4M segments=fixed:4K"]
    return cells


def quick_segment_cells():
    return [f"segmented_reduce SUM f32 n=32M segments={shape}" for shape in
            ("fixed:1", "fixed:16", "fixed:256", "fixed:64K", "pareto:64", "mixed", "fixed:256 form=fixed")] + \
        [f"segmented_exclusive_scan SUM f32 n=32M segments={shape}" for shape in ("fixed:16", "mixed")] + \
        [f"inclusive_scan_by_key SUM f32 n=32M runs={runs}" for runs in (1, 32)] + \
        [f"reduce_by_key SUM f32 n=32M runs={runs}" for runs in (1, 32, 1024)] + \
        [f"run_lengths u32 {LARGE} runs=4", f"unique u8 {LARGE} runs=32", f"unique u32 {LARGE} runs=4"] + \
        [f"select {type_} {LARGE} keep={keep}" for type_, keep in
         (("u8", 50), ("u32", 1), ("u32", 50), ("u32", 99), ("s16", 50))] + \
        [f"partition u32 {LARGE}", f"partition u32 {LARGE} parts=3"] + \
        [f"histogram_even {type_} {LARGE} dist={dist}" for type_, dist in
         (("u8", "uniform"), ("u8", "constant"), ("u32", "uniform"), ("f32", "zipf"))] + \
        [f"histogram_even u32 {LARGE} bins=48K", f"count_if f32 {LARGE}", "load_balance u32 n=32M segments=mixed"] + \
        [f"{primitive} u32 n=32M segments=mixed" for primitive in ("expand", "run_length_expand")] + \
        [f"copy_batch u8 n=256M segments={shape}" for shape in ("fixed:64", "fixed:4K", "fixed:256M", "mixed")] + \
        [f"{cell} n=64K protocol=graph" for cell in
         ("segmented_reduce SUM f32 segments=fixed:64", "reduce_by_key SUM f32", "select u32", "histogram_even f32")]


# ---- the cells of sorts and merges

# The smallest are also replayed in graphs: in a stream the host's share of a call dominates them.
SORT_SIZES = ["1K", "4K", "16K", "128K", "1M", "4M", "16M", "64M", "256M"]
GRAPH_SORT_SIZES = SORT_SIZES[:5]
SORT_DISTS = ["few", "constant", "sorted", "reversed", "almost", "organ", "zipf", "high", "low", "hot",
              "repeated"]
SORT_MEANS = ["4", "16", "64", "256", "4K", "64K", "4M"]
SORTS = ["sort u32", "sort u64", "sort u32 payload=u32", "sort u64 payload=u32", "sort u32 payload=u64",
         "sort u32 form=indices", "sort f32", "sort u16", "sort u8"]
MERGES = ["merge u32", "merge u64", "merge u32 payload=u32", "merge u64 payload=u64"]
# Searches for the first element that read everything; keep=1 ends at once.
FIRSTS = {"any": "keep=0", "find_if": "keep=0", "is_partitioned": "keep=0", "mismatch": "dist=constant",
          "equal_arrays": "dist=constant", "adjacent_find": "dist=sorted"}
SET_OPERATIONS = ["set_union", "set_intersection", "set_difference", "set_symmetric_difference"]


def sorting_cells():
    """The main cells first, largest sizes first; then rarer ones."""
    cells = [f"{sort} n=256M" for sort in SORTS]
    cells += [f"sort {type_} n=64M dist={dist}" for type_ in ("u32", "u64") for dist in SORT_DISTS]
    cells += [f"{sort} n={size}" for size in reversed(SORT_SIZES[:-1]) for sort in SORTS[:4 if size != "64M" else None]]
    cells += [f"{sort} n={size} protocol=graph" for size in reversed(GRAPH_SORT_SIZES) for sort in SORTS[:4]]
    cells += [f"{merge} n=64M" for merge in MERGES] + [f"{merge} n=64M dist=constant" for merge in MERGES[:1]]
    cells += [f"merge_sort u32 n={size}" for size in ("64M", "16M", "4M", "1M")]
    cells += [f"sort {words} n=256M little=1" for words in ("u32", "u64", "u32 payload=u32")]
    cells += ["merge_sort u64 n=64M", "merge_sort u32 payload=u32 n=64M"]
    cells += [f"segmented_sort u32 n=32M segments={shape}:{mean}" for shape in ("fixed", "pareto")
              for mean in SORT_MEANS]
    cells += [f"segmented_sort u32 n=32M segments={shape}" for shape in ("mixed", "uniform:256")]
    cells += [f"segmented_sort u32 payload=u32 n=32M segments={shape}" for shape in
              ("fixed:16", "fixed:256", "fixed:64K", "pareto:64", "mixed")]
    cells += ["segmented_sort u64 n=32M segments=fixed:256", "segmented_sort u64 n=32M segments=pareto:4K"]
    cells += [f"top_k u32 n=64M k={k}" for k in ("1", "16", "256", "4K", "64K")]
    cells += ["top_k f32 n=64M k=256", "top_k u32 payload=u32 n=64M k=256", "top_k u32 form=indices n=64M k=256",
              "top_k u32 n=64M k=64K sorted=0", "top_k u32 n=128M rows=4K k=64", "top_k f32 n=128M rows=4K k=64",
              "nth_element u32 n=64M", "nth_element f32 n=64M"]
    cells += [f"top_k u32 n=64M k=256 dist={dist}" for dist in ("few", "constant", "sorted", "hot")]
    cells += ["sort u32 n=64M described=1", "sort u32 n=64M payload=u32 described=1", "sort u64 n=1M described=1",
              "merge_sort u32 n=64M described=1", "segmented_sort u32 n=64M segments=pareto:64 described=1",
              "top_k u32 n=64M k=256 described=1"]
    cells += [f"top_k {type_} n=64M k={k} ordered=1" for type_ in ("u32", "u64")
              for k in ("1", "16", "256", "1K", "4K")]
    cells += ["top_k u32 n=64M k=256 dist=sorted ordered=1", "top_k u32 n=128M rows=4K k=64 ordered=1",
              "segmented_top_k u32 n=64M k=8 segments=pareto:256 ordered=1",
              "top_k_axis f32 shape=65536x1023 ordered=1", "top_k_axis u32 shape=65536x1024 axis=1 ordered=1"]
    cells += [f"segmented_top_k {type_} n=256M k=1K segments=fixed:128K{form}" for type_ in ("u32", "f32")
              for form in ("", " form=fixed")]
    cells += [f"segmented_top_k u32 n=256M k=8 segments=fixed:64{form}"
              for form in ("", " form=fixed", " form=indices")]
    cells += [f"segmented_top_k {type_} n=64M k=256 segments=fixed:64M" for type_ in ("u32", "f32")]
    cells += ["segmented_top_k u32 n=64M k=256 segments=fixed:64M form=indices",
              "segmented_top_k u32 n=64M k=16 segments=fixed:1K", "segmented_top_k u32 n=64M k=64 segments=fixed:32K",
              "segmented_top_k f32 n=64M k=50 segments=fixed:32K form=indices",
              "segmented_top_k u32 n=64M k=64 segments=fixed:32K dist=sorted",
              "segmented_top_k u32 n=64M k=64 segments=fixed:32K dist=constant",
              "segmented_top_k u32 n=64M k=8 segments=pareto:256", "segmented_top_k u32 n=64M k=64 segments=pareto:4K",
              "segmented_top_k u32 n=64M k=8 segments=mixed"]
    cells += [f"segmented_top_k f32 n=64M k={k} segments=fixed:{length} form=fixed" for k in ("8", "64")
              for length in ("32", "64", "128", "256", "512", "1K", "2K")]
    cells += ["segmented_top_k f32 n=64M k=64 segments=fixed:1K form=indices",
              "segmented_top_k f32 n=64M k=64 segments=fixed:1K form=fixed dist=sorted",
              "segmented_top_k f32 n=64M k=64 segments=fixed:1K form=fixed dist=constant",
              "segmented_top_k u32 n=64M k=2K segments=fixed:16K form=fixed",
              "segmented_top_k u32 n=64M k=2K segments=pareto:64K"]
    cells += [f"{operation} u32 n=64M" for operation in SET_OPERATIONS] + ["set_union u64 n=64M", "is_sorted u32 n=64M"]
    cells += [f"group_by SUM u32 key=u32 n=64M groups={groups}" for groups in ("16", "1K", "64K", "4M")]
    cells += ["group_by SUM f32 key=u32 n=64M groups=1K", "group_by SUM f32 key=u32 n=64M groups=1K reproducible=1",
              "group_by SUM u64 key=u64 n=32M groups=1K"]
    cells += [f"{primitive} {type_} n=64M" for primitive in ("shuffle", "reverse") for type_ in ("u32", "u64")]
    cells += [f"{primitive} {type_} n={n}" for primitive in ("scatter", "gather", "replace") for type_ in ("u32", "u64")
              for n in ("64M", "1M")]
    cells += [f"reduce MINMAX {type_} n=64M" for type_ in ("u32", "u64")]
    cells += [f"{search} u32 n={n} {words}" for n in ("256M", "64M", "1M", "64K") for search, words in FIRSTS.items()]
    cells += ["find_if u32 n=256M keep=1", "any u32 n=256M keep=1", "find_if u64 n=64M keep=0",
              "find_if u8 n=256M keep=0", "mismatch u64 n=64M dist=constant", "mismatch u32 n=64M dist=uniform"]
    cells += [f"sort u32 n=64M {how}" for how in ("order=descending", "bits=0:16", "bits=12:20")]
    cells += ["sort u32 payload=u32 n=64M order=descending", "sort u64 payload=u64 n=64M",
              "sort u64 n=64M form=indices"]
    cells += [f"sort u32 payload=u32 n=64M dist={dist}" for dist in ("few", "constant", "zipf", "hot", "repeated")]
    cells += [f"{cell} n={n} protocol=graph" for n in ("1M", "64K", "4K") for cell in
              ("merge u32", "merge_sort u32", "top_k u32 k=64", "nth_element u32", "set_union u32", "shuffle u32",
               "segmented_sort u32 segments=fixed:64", "group_by SUM u32")]
    return cells


def quick_sorting_cells():
    cells = [f"{sort} n=256M" for sort in SORTS[:4]]
    cells += [f"sort {type_} n=64M dist={dist}" for type_ in ("u32", "u64") for dist in
              ("few", "constant", "sorted", "zipf", "high", "hot", "repeated")]
    cells += [f"sort u32 n={size}" for size in ("64M", "4M", "1M", "128K", "16K", "1K")]
    cells += ["sort u32 n=16K protocol=graph", "sort u8 n=64M", "sort u16 n=64M", "sort u32 form=indices n=64M",
              "merge u32 n=64M", "merge u32 payload=u32 n=64M", "merge_sort u32 n=16M"]
    cells += [f"segmented_sort u32 n=32M segments={shape}" for shape in
              ("fixed:16", "fixed:256", "fixed:64K", "pareto:64", "mixed")]
    cells += [f"segmented_top_k u32 n=256M {words}" for words in
              ("k=1K segments=fixed:128K form=fixed", "k=8 segments=fixed:64", "k=64 segments=pareto:4K")]
    cells += ["top_k u32 n=64M k=256", "top_k u32 n=128M rows=4K k=64", "nth_element u32 n=64M", "set_union u32 n=64M",
              "group_by SUM u32 key=u32 n=64M groups=1K", "group_by SUM u32 key=u32 n=64M groups=4M",
              "shuffle u32 n=64M"]
    return cells


TRANSPOSE_TYPES = ("u8", "u16", "f32", "f64", "s12", "s16")


def transpose_cells():
    """Square, thin, batched, small and in-place matrices; beside a copy and, by default, cuBLAS geam."""
    cells = [f"transpose {type_} shape={side}x{side}" for type_ in TRANSPOSE_TYPES for side in (4096, 8192, 16384)]
    cells += [f"transpose {type_} shape={shape}" for type_ in ("u8", "f32", "f64") for shape in
              ("4194304x8", "8x4194304", "1048576x33", "33x1048576", "16000x16001", "64x64x4096", "16x16x65536")]
    cells += [f"transpose {type_} shape={side}x{side} protocol={protocol}" for type_ in ("f32", "f64")
              for side in (128, 256, 512, 1024) for protocol in ("cold", "graph")]
    cells += [f"transpose {type_} shape={shape} in_place=1" for type_ in ("u8", "f32", "f64") for shape in
              ("4096x4096", "8192x8192", "16384x16384", "8192x16384", "16000x16001")]
    return cells


def quick_transpose_cells():
    return ["transpose u8 shape=16384x16384", "transpose u16 shape=8192x8192", "transpose f32 shape=16384x16384",
            "transpose f32 shape=4096x4096", "transpose f64 shape=8192x8192", "transpose s16 shape=4096x4096",
            "transpose f32 shape=4194304x8", "transpose f32 shape=8x4194304", "transpose f32 shape=1048576x33",
            "transpose f32 shape=16000x16001", "transpose u8 shape=16000x16001", "transpose f32 shape=64x64x4096",
            "transpose f32 shape=512x512", "transpose f32 shape=128x128 protocol=graph",
            "transpose f32 shape=8192x8192 in_place=1", "transpose f32 shape=8192x16384 in_place=1"]


STRUCTS = ["4.4", "4.4.4", "8.4.2.1", "4.4.4.2.1", "8.8.4.4.2.2.1.1", "4.4.4.4.4.4.4.4.4.4.4.4.4.4.4.4",
           "1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1", "8.8.8.8.4.4.4.4.2.2.2.2.1.1.1.1", "8.8.8.8.8.8.8.8.8.8.8.8.8.8.8.8"]


def layout_cells():
    """Structs of 2 to 16 fields of mixed sizes, there and back, of about a quarter of a GiB; beside a copy."""
    def count(struct):
        return f"{256 // max(sum(map(int, struct.split('.'))), 1)}M"
    cells = ["copy u32 n=64M"]
    for struct in STRUCTS:
        cells += [f"convert_layout u8 struct={struct} {ways} n={count(struct)}"
                  for ways in ("from=aos to=soa", "from=soa to=aos", "from=aos to=32")]
    cells += [f"convert_layout u8 struct=4.4.4.2.1 {ways} n=16M" for ways in
              ("from=32 to=soa", "from=soa to=32", "from=aos to=24", "from=32 to=64", "from=32 to=aos",
               "from=aos to=soa in_offset=4", "from=aos to=soa out_offset=1")]
    cells += [f"convert_layout u8 struct=4.4.4.2.1 n={n} protocol=graph" for n in ("1M", "64K", "4K")]
    return cells


# Sizes are powers of two and a prime.
BETWEEN = [4127, 66569, 300007, 1056495, 4202351, 17000023, 134217757]


def between_cells():
    """Each family's cells from the largest size to the smallest, families in turn, so that a run that is cut short has
    some of each."""
    families = [
        [f"{primitive} {type_} n={n}" for n in (134217757, 17000023, 1056495, 66569, 4127) for primitive in PRIMITIVES
         for type_ in ("u8", "f16", "f32", "f64", "s12")],
        [f"{call} n={n}" for n in (134217757, 1056495, 66569) for call in
         ("reduce SUM bf16", "exclusive_scan SUM bf16", "transform NEGATE f32", "transform2 SUM f32",
          "reduce MINMAX u32", "reduce SUM f16 out=f32", "reduce MAX f64", "adjacent_difference f32",
          "count_if u32 keep=7")],
        [f"segmented_reduce SUM f32 n={n} segments={shape}" for n in (33554467, 1056495, 66569, 4127) for shape in
         ("pareto:40", "uniform:200", "fixed:37", "fixed:61 form=fixed", "fixed:7 form=fixed",
          "fixed:1009 form=fixed")],
        [f"segmented_{kind}_scan SUM f32 n={n} segments={shape}" for n in (33554467, 1056495, 66569) for kind, shape in
         (("inclusive", "pareto:40"), ("exclusive", "uniform:200"), ("exclusive", "fixed:1009"))],
        [f"{call} n={n}" for n in (33554467, 1056495, 66569) for call in
         ("reduce_by_key SUM f32 key=u32 runs=3", "reduce_by_key SUM u64 key=u64 runs=50", "run_lengths u32 runs=7",
          "unique u64 runs=5", "unique u32 runs=50", "inclusive_scan_by_key SUM f32 key=u32 runs=20")],
        [f"{call} n={n}" for n in (67108879, 1056495, 66569) for call in
         ("select u8 keep=7", "select u32 keep=93", "select f32 keep=30", "select s16 keep=60", "select u32 form=flags",
          "partition u32 keep=30", "partition u64 keep=80", "partition u32 parts=3 keep=30")],
        [f"{call} n={n}" for n in (134217757, 1056495, 66569) for call in
         ("histogram_even u8 dist=zipf", "histogram_even u8", "histogram_even u32 bins=1000",
          "histogram_even f32 bins=100 dist=zipf", "histogram_ranges f32 bins=500")],
        [f"{sort} n={n}" for n in reversed(BETWEEN) for sort in
         ("sort u32", "sort u64", "sort f32", "sort u32 payload=u32", "sort u64 payload=u32", "sort u32 form=indices")],
        [f"sort {type_} n=17000023 dist={dist}" for type_ in ("u32", "u64") for dist in
         ("zipf", "few", "sorted", "reversed", "almost", "organ")]
        + [f"sort {type_} n={n}" for type_ in ("u8", "u16") for n in (17000023, 300007, 4127)],
        [f"{call} n={n}" for n in (67108879, 1056495, 66569) for call in
         ("merge_sort u32", "merge_sort u64", "merge u32", "merge u64 payload=u64", "set_union u64",
          "set_intersection u32")],
        [f"segmented_sort u32 n={n} segments={shape}" for n in (33554467, 1056495, 66569, 4127) for shape in
         ("pareto:40", "fixed:100", "uniform:3000", "mixed payload=u32")],
        [f"top_k {type_} n={n} k={k}" for n in (134217757, 17000023, 1056495, 66569, 4127) for type_, k in
         (("u32", 10), ("f32", 100), ("u32", 1000), ("f32", 3000))]
        + ["top_k u32 n=134217757 k=10000", "top_k u32 n=17000023 k=100 form=indices", "nth_element u32 n=17000023"],
        [f"segmented_top_k {words}" for words in
         ("f32 n=67108000 k=20 segments=fixed:1000 form=fixed", "f32 n=67108000 k=5 segments=fixed:61 form=fixed",
          "u32 n=134000000 k=1000 segments=fixed:125000 form=fixed", "u32 n=33554467 k=10 segments=pareto:300",
          "u32 n=1056495 k=10 segments=pareto:300")],
        [f"{call} {type_} shape={shape}" for call, type_ in (("reduce_axis SUM", "f32"), ("scan_axis SUM", "f32"),
                                                              ("sort_axis", "u32")) for shape in
         ("1000003x33", "100003x300", "30011x1001", "3001x10007", "11x3000017", "1000x33", "61x1009")],
        [f"lower_bound {type_} n={n} haystack={length} dist={dist}" for type_, n, length, dist in
         (("u32", 17000023, 1000003, "uniform"), ("u32", 1056495, 66569, "uniform"), ("u32", 300007, 300007, "uniform"),
          ("f32", 66569, 4202351, "uniform"), ("u64", 4202351, 300007, "uniform"), ("u32", 17000023, 1000003, "sorted"),
          ("u32", 1056495, 66569, "sorted"), ("u32", 4127, 1056495, "uniform"))],
        [f"{call} n={n}" for n in (134217757, 1056495, 66569) for call in
         ("find_if u32 keep=0", "any u32 keep=0", "equal_arrays u32 dist=constant", "is_sorted u32",
          "find_if u32 keep=1")],
        [f"{call} n={n}" for n in (67108879, 1056495) for call in
         ("expand u32 segments=pareto:20", "run_length_expand u32 segments=uniform:50",
          "load_balance u32 segments=mixed", "copy_batch u8 segments=uniform:3000", "gather u32", "scatter u32",
          "replace u32", "reverse u32", "shuffle u32")],
        [f"group_by SUM {words} n={n}" for n in (33554467, 1056495) for words in
         ("u32 key=u32 groups=20", "f32 key=u32 groups=3000", "u64 key=u64 groups=200000")],
        [f"transpose {type_} shape={shape}" for type_ in ("f32", "f64") for shape in
         ("200x300", "1000x1001", "3000x5000", "10007x9973", "100003x37")],
        [f"{call} n={n} protocol=graph" for n in (66569, 4127) for call in
         ("copy f32", "reduce SUM f16", "exclusive_scan SUM f32", "sort u32", "sort f32", "sort u32 payload=u32",
          "segmented_reduce SUM f32 segments=pareto:40", "segmented_inclusive_scan SUM f32 segments=pareto:40",
          "segmented_sort u32 segments=pareto:40", "select u32 keep=30", "reduce_by_key SUM f32 key=u32 runs=7",
          "histogram_even u8 dist=zipf", "top_k u32 k=16", "run_lengths u32 runs=7", "merge u32")],
    ]
    most = max(len(cells) for cells in families)
    share = [(at * most // len(cells), family, cell) for family, cells in enumerate(families)
             for at, cell in enumerate(cells)]
    return [cell for _, _, cell in sorted(share, key=lambda one: one[:2])]


SETS = {"standard": standard_cells, "quick": quick_cells, "host": host_cells, "segments": segment_cells,
        "transpose": transpose_cells, "transpose-quick": quick_transpose_cells, "layouts": layout_cells,
        "between": between_cells,
        "segments-quick": quick_segment_cells, "sorting": sorting_cells, "sorting-quick": quick_sorting_cells}

# ---- building --------------------------------------------------------------------------------------------------------


def run(command, **options):
    try:
        subprocess.run(command, check=True, cwd=ROOT, **options)
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench.py: exit status {error.returncode} of: {' '.join(command)}")


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def stamp_of(sources, command):
    digest = hashlib.sha256()
    for source in sources:
        digest.update(read(source))
    digest.update("\0".join(command).encode())
    return digest.hexdigest()


def current(target, stamp):
    """Compares contents, not times: a copied tree needs no new build."""
    try:
        with open(f"{target}.stamp", encoding="utf-8") as file:
            return os.path.exists(target) and file.read() == stamp
    except OSError:
        return False


def sign(target, stamp):
    with open(f"{target}.stamp", "w", encoding="utf-8") as file:
        file.write(stamp)


def openmp(compiler):
    probe = subprocess.run([compiler, "-fopenmp", "-x", "c", "-", "-o", os.devnull], input=b"int main(void){return 0;}",
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return ["-fopenmp"] if probe.returncode == 0 else []


def build_bench():
    compiler = os.environ.get("CC", "gcc")
    command = [compiler, "-O2", "-g", "-std=gnu11", "-Wall", "-Wextra", *openmp(compiler), "-I.", "-Itools",
               "tools/gp_bench.c", "-o", "build/gp_bench", "-ldl", "-lpthread", "-lm"]
    sources = ["gpuprims.h", "tools/gp_bench.c", "tools/peers/data.h", "tools/peers/peers.h",
               *(f"tools/gp_{name}.h" for name in ("cells", "cuda", "graphs", "headers", "primitives"))]
    if os.path.exists(os.path.join(ROOT, "gpuprims_policies.h")):
        sources.append("gpuprims_policies.h")
    stamp = stamp_of(sources, command)
    target = os.path.join(BUILD, "gp_bench")
    if not current(target, stamp):
        print("bench.py: compiling gp_bench", file=sys.stderr, flush=True)
        run(command)
        sign(target, stamp)
    return target


def find_nvcc():
    return shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")


def device_architecture():
    """sm_90 and so on, or None if nvidia-smi does not say."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], check=True,
                              timeout=60, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        match = re.match(r"(\d+)\.(\d+)", text.strip())
        return f"sm_{match.group(1)}{match.group(2)}" if match else None
    except (OSError, subprocess.SubprocessError):
        return None


# ---- sources of others: never committed

SOURCES = os.path.join(BUILD, "peers")
# CCCL beside the toolkit's. Newer CUB has DeviceTopK, DeviceBatchedTopK, DeviceFind, DeviceSegmentedScan and segmented
# reductions of one length.
CCCL = "https://github.com/NVIDIA/cccl", "571f2fc3bc53cd710e306ad43d58995c1fe4219f"
CCCL_FOLDERS = ("cub", "thrust", "libcudacxx/include")


def git_of(folder):
    """The commit that a folder holds, or None."""
    if not os.path.isdir(os.path.join(folder, ".git")):
        return None
    done = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def fetch_commit(url, commit, folder, parts=()):
    """A commit or a branch's newest one in a folder, without history, whole or some of its folders. Ends the program
    if git fails."""
    if git_of(folder) == commit:
        return folder
    os.makedirs(folder, exist_ok=True)
    commands = [["init", "--quiet"], ["sparse-checkout", "set", *parts] if parts else None,
                ["fetch", "--quiet", "--depth", "1", url, commit],
                ["-c", "advice.detachedHead=false", "checkout", "--quiet", "--force", "FETCH_HEAD"]]
    for command in filter(None, commands):
        run(["git", "-C", folder, *command])
    return folder


def fetch_cccl(commit=None, url=None):
    """CCCL's headers at a commit or of a branch; default: the pinned commit."""
    return fetch_commit(url or CCCL[0], commit or CCCL[1], os.path.join(SOURCES, "cccl"), CCCL_FOLDERS)


# A carried library has no sources beside it: its stamp says what they were.
def build_next_peers(architecture=None):
    """libgp_peers_next.so with the CCCL in build/peers/cccl: its path, or None if there is no such folder."""
    folder = os.path.join(SOURCES, "cccl")
    commit = git_of(folder)
    if not commit:
        return None
    flags = [f"-I{os.path.relpath(os.path.join(folder, part), ROOT)}" for part in CCCL_FOLDERS]
    return build_peers(architecture, "libgp_peers_next.so", [*flags, f'-DGP_PEERS_COMMIT=" ({commit[:7]})"'])


def build_peers(architecture=None, name="libgp_peers.so", flags=()):
    """The path, or None with the reason printed. `architecture`: sm_90 and so on; None: the machine's."""
    nvcc = find_nvcc()
    target = os.path.join(BUILD, name)
    architecture = architecture or device_architecture()
    if not architecture:
        print("bench.py: no GPU, so no peers", file=sys.stderr)
        return None
    flags = ["-O3", "-std=c++17", f"-arch={architecture}", "-Xcompiler", "-fPIC,-fvisibility=hidden", *flags]
    names = ("peers.cu", "peers_segments.h", "peers_sorting.h", "peers.h", "data.h")
    stamp = stamp_of([f"tools/peers/{name}" for name in names], flags)
    if current(target, stamp):
        return target
    if not nvcc:
        print("bench.py: no nvcc, so no peers", file=sys.stderr)
        return None
    import concurrent.futures  # imported here: the farm's workers import this file often
    print(f"bench.py: compiling {name} for {architecture} (a minute)", file=sys.stderr, flush=True)
    parts = range(1 + len(re.findall(r"\bX\(\d+\)", read("tools/peers/peers.cu").decode())))
    objects = [f"build/{name[3:-3]}_{part}.o" for part in parts]

    def compile_part(part):
        run([nvcc, *flags, f"-DGP_PEERS_PART={part}", "-c", "tools/peers/peers.cu", "-o", objects[part]])

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for job in [pool.submit(compile_part, part) for part in parts]:
            job.result()
    run([nvcc, "-shared", f"-arch={architecture}", "-cudart", "static", *objects, "-o", target, "-ldl"])
    for name in objects:
        os.remove(os.path.join(ROOT, name))
    sign(target, stamp)
    return target


# ---- the table -------------------------------------------------------------------------------------------------------


def load(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def name_of(sample):
    """A row of the table: everything of a cell but its size."""
    parts = [sample["primitive"]]
    if sample["op"]:
        parts.append(sample["op"])
    parts.append(sample["in"] if sample["in"] == sample["out"] else f"{sample['in']}>{sample['out']}")
    if sample["in_offset"] or sample["out_offset"]:
        parts.append(f"+{sample['in_offset']}/+{sample['out_offset']}")
    if sample.get("words"):
        parts.append(sample["words"])
    if sample["dist"] != "uniform":
        parts.append(sample["dist"])
    return " ".join(parts)


def input_bytes(sample):
    """The size by which cells are aligned: bytes of the input (of the output if there is none), rounded to a power of
    two, because elements of 12 bytes do not divide one."""
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8}
    one = {"s12": 12, "s16": 16}.get(sample["in"]) or sizes[sample["in"].lstrip("iufb")]
    size = sample["n"] * one
    return 1 << (size - 1).bit_length()


def print_table(records, out=sys.stdout):
    """ours / roof and ours / peer (the fastest one), a row a cell, a column a size."""
    wrong = [r for r in records if r["kind"] == "sample" and r["status"] != "ok"]
    for protocol in ("cold", "back_to_back", "graph"):
        rows, sizes = {}, set()
        for r in records:
            if r["kind"] != "sample" or r["variant"] != "ours" or r["label"] != "default" or r["protocol"] != protocol:
                continue
            size = input_bytes(r)
            sizes.add(size)
            if r["status"] != "ok":
                text = "WRONG" if r["status"].startswith("WRONG") else "failed"
            else:
                text = f"{r['of_roof']:.2f}" if "of_roof" in r else "-"
                text += f"/{r['of_peer']:.2f}" if "of_peer" in r else "/-"
            rows.setdefault(name_of(r), {})[size] = text
        if not rows:
            continue
        sizes = sorted(sizes)
        width = max(len(name) for name in rows)
        print(f"\n{protocol}: GB/s of the roof / times the peer's speed", file=out)
        print(" " * width + "".join(f"{size_text(size):>11}" for size in sizes), file=out)
        for name, row in rows.items():
            print(f"{name:<{width}}" + "".join(f"{row.get(size, ''):>11}" for size in sizes), file=out)
    for r in wrong[:20]:
        print(f"{r['cell']} [{r['label']}]: {r['status']}", file=out)
    if len(wrong) > 20:
        print(f"... and {len(wrong) - 20} more", file=out)


def print_list(records, out=sys.stdout):
    """A row a cell: our GB/s, the fastest peer's and the roof's; the share of the roof; the speed-up over the peer; our
    1e9 elements a second."""
    cells = {}
    for r in records:
        if r["kind"] == "sample" and (r["variant"] != "ours" or r["label"] == "default"):
            cells.setdefault(r["cell"], []).append(r)
    width = max((len(cell) for cell in cells), default=0)
    print(f"\n{'':<{width}} {'ours':>8} {'peer':>8} {'roof':>8}  of roof  x peer    Gn/s", file=out)
    for cell, samples in cells.items():
        speeds = {kind: max((r.get("gbs", 0) for r in samples if r["variant"] in kinds), default=0) for kind, kinds in
                  (("ours", ("ours",)), ("peer", ("peer",)), ("roof", ("copy_roof", "read_roof")))}
        ours = next(r for r in samples if r["variant"] == "ours")
        line = f"{cell:<{width}} " + " ".join(f"{speed:8.1f}" if speed else f"{'-':>8}" for speed in speeds.values())
        line += "".join(f" {ours[name]:8.3f}" if name in ours else f" {'-':>8}" for name in ("of_roof", "of_peer"))
        line += f" {ours['n'] / ours['median_us'] / 1e3:7.3f}" if ours.get("median_us") else f" {'-':>7}"
        print(line + ("" if ours["status"] == "ok" else "  " + ours["status"][:100]), file=out)


def folder_name(device):
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")


# ---- the names of files under ci/measurements (its README.md) --------------------------------------------------------

COMMIT = r"[0-9a-f]{7,40}"
# `earlier` is the number of a file that was named before commits were part of names: <date>.2.tune.jsonl.
FILE_NAME = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)(?:\.(?P<earlier>\d{1,3}))?(?:\.(?P<topic>[a-z][\w-]*))?"
                       rf"(?:\.(?P<commit>{COMMIT}))?(?:\.(?P<number>\d{{1,3}}))?"
                       r"\.(?P<form>jsonl|json)(?:\.(?:gz|xz))?")


def file_stem(date, topic, commit="", number=1):
    """<date>.<topic>.<commit>[.<number>]: 7 digits of the commit; none where `commit` is a name and no hash."""
    short = [commit[:7]] if re.fullmatch(rf"{COMMIT}\+?", commit or "") else []
    return ".".join([date, topic, *short] + [str(number)] * (number > 1))


def has_topic(path, *topics):
    """Does a store's name say that it holds one of these topics?"""
    return re.search(rf"\.({'|'.join(topics)})(\.{COMMIT})?(\.\d{{1,3}})?\.jsonl(\.gz)?$", path) is not None


def has_gpu():
    """Whether the CUDA driver finds a device."""
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--set", choices=list(SETS), help="a list by name")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--cells", metavar="FILE")
    parser.add_argument("--cell", action="append", default=[])
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--out", metavar="FOLDER", help="instead of ci/measurements/<device>")
    parser.add_argument("--seconds", type=float, default=500, help="start no cell after so long")
    parser.add_argument("--peers", default=None, help="cub,cuda,thrust,cublas, or none")
    parser.add_argument("--cccl", metavar="COMMIT", nargs="?", const=CCCL[1], help="beside CUB and Thrust of it, too")
    parser.add_argument("--cccl-from", metavar="REPOSITORY", help="instead of github.com/NVIDIA/cccl")
    parser.add_argument("--arch", help="of the peers, where the GPU is on another machine")
    parser.add_argument("--commit", default=None)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="every cell as it is measured")
    args = parser.parse_args()
    if args.show:
        records = load(args.show)
        (print_list if any(r.get("words") for r in records) else print_table)(records)
        return 0
    if args.cell or args.cells:
        cells = list(args.cell)
        if args.cells:
            with open(args.cells, encoding="utf-8") as file:
                cells += [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]
    else:
        name = args.set or ("quick" if args.quick else "host" if args.host else "standard")
        cells = SETS[name]()
    if args.list:
        print("\n".join(cells))
        return 0
    if not (args.host or args.build_only or has_gpu()):
        print("bench.py: no GPU here (no CUDA driver that finds one): nothing was measured. On the host: "
              "python3 tools/bench.py --host", file=sys.stderr)
        return NO_GPU
    start = time.monotonic()
    os.makedirs(BUILD, exist_ok=True)
    bench = build_bench()
    if args.cccl and args.cccl != "kept" and not args.host:
        fetch_cccl(args.cccl, args.cccl_from)
    peers = None if args.host else build_peers(args.arch)
    next_peers = build_next_peers(args.arch) if args.cccl and peers else None
    if args.build_only:
        return 0
    commit = args.commit
    if commit is None:
        answer = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        commit = answer.stdout.decode().strip() if answer.returncode == 0 else ""
    fresh = os.path.join(BUILD, "bench.jsonl.new")
    if os.path.exists(fresh):
        os.remove(fresh)
    command = [bench, "--cells", "-", "--out", fresh, "--commit", commit,
               "--seconds", str(max(1, args.seconds - (time.monotonic() - start)))]
    if peers:
        command += ["--peers-library", peers, "--next-peers", next_peers or "none"]
    if args.peers is not None:
        command += ["--peers", args.peers]
    for policy in args.policy:
        command += ["--policy", policy]
    if args.host:
        command += ["--backend", "host"]
    if not (args.cell or args.cells or args.host or args.set):
        command += ["--overhead", "--first-call"]
    show = args.verbose or args.cell or args.cells
    of_their_own = ("segments", "sorting", "layouts")  # sets whose measurements are files of their own
    topic = args.set if args.set in of_their_own else "standard"
    kept = not (args.cell or args.cells or args.host or args.quick) and args.set in (None, "standard", *of_their_own)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True)
    process.stdin.write("\n".join(cells) + "\n")
    process.stdin.close()
    with open(os.path.join(BUILD, "bench.log"), "w", encoding="utf-8") as log:
        in_cells = False
        for line in process.stdout:
            log.write(line)
            # Cells and their indented lines go to the log; the rest (environment, overhead, first call) is short.
            if line.strip() in cells:
                in_cells = True
            elif not line.startswith("  "):
                in_cells = False
            if show or not in_cells:
                print(line, end="", flush=True)
    status = process.wait()
    if not os.path.exists(fresh) or not os.path.getsize(fresh):
        return status or 3
    records = load(fresh)
    environment = records[0]
    date = environment["date"][:10]
    folder = args.out or (os.path.join(ROOT, "ci", "measurements", folder_name(environment["device"])) if kept else
                          os.path.join(BUILD, "measurements"))
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, file_stem(date, topic, environment["commit"]) + ".jsonl")
    if kept:
        shutil.copyfile(fresh, target)  # the latest run of the day and the commit
    else:
        with open(target, "a", encoding="utf-8") as file, open(fresh, encoding="utf-8") as new:
            file.write(new.read())
    (print_list if any(r.get("words") for r in records) else print_table)(records)
    print(f"\nwritten to {os.path.relpath(target, ROOT)}; every cell is in build/bench.log")
    return status


if __name__ == "__main__":
    sys.exit(main())
