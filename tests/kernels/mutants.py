#!/usr/bin/env python3
"""Mutants of the parts under src/, and of examples' kernels, that the emulated tests must catch: one small change each,
built in the race build.

    mutants.py BUILD_FOLDER [NAME...]

A mutant names the test that runs against it (in the file that FILES gives), the part, the text to replace in that part,
and its replacement. The text must occur exactly once there: a change of the part that loses a mutant fails here. A
mutant's test includes a header with only the parts that it uses.
Each test also runs without a mutant, and must pass.

The first failing check catches a mutant and ends its program (TEST_MUTANT).

GPUPRIMS_LONG=0, as make test has it: a sample, one in SHARE or fewer, which rotates by commit (tests/turn.py);
the tests run without mutants in rows of their own there. A mutant of the sample that was caught before is not built
again while its header, its test, the emulator and the compiler are the same. make test-long runs all; the nightly
workflow does so every night.
"""
import concurrent.futures
import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import amalgamate  # noqa: E402
import lint  # noqa: E402
from run import COPIES, CXX, FLAVOURS, SIMT as EMULATOR, WITH_CLANG  # noqa: E402
from run import has_clang, objects_of, parts_compiled, read_with_includes  # noqa: E402
from turn import turn  # noqa: E402

SIMT = os.path.join(ROOT, "tests", "simt")

# make test runs one mutant in this many.
SHARE = 30
TURNS_OF_A_SAMPLE = 7  # in turns (tests/turn.py), a seventh of them

FILES = {
    "MAP": "test_map.cpp",
    "NEIGHBOURS": "test_map.cpp",
    "EXPAND": "test_segments.cpp",
    "BATCH": "test_batch.cpp",
    "REDUCE": "test_reduce.cpp",
    "FIND": "test_find.cpp",
    "AXES": "test_axes.cpp",
    "LOOK_BACK": "test_scan.cpp",
    "PIPELINED": "test_scan.cpp",
    "SWEEPS": "test_scan.cpp",
    "SEGMENTS": "test_segments.cpp",
    "SEARCH": "test_segments.cpp",
    "HISTOGRAM_SHARED": "test_histogram.cpp",
    "HISTOGRAM_GLOBAL": "test_histogram.cpp",
    "HISTOGRAM_ORDERED": "test_histogram.cpp",
    "HISTOGRAM_CLUSTER": "test_histogram.cpp",
    "GROUPS": "test_group_by.cpp",
    "HASH": "test_hash.cpp",
    "COLUMNS": "test_columns.cpp",
    "GRAPH_BUILDING": "test_graph.cpp",
    "SELECT": "test_select.cpp",
    "RUNS": "test_select.cpp",
    "BY_KEY": "test_select.cpp",
    "BYTES": "test_select.cpp",
    "COUNTING": "test_top_k.cpp",
    "TOP_K_LISTS": "test_top_k.cpp",
    "RADIX_SELECT": "test_top_k.cpp",
    "SHUFFLE": "test_top_k.cpp",
    "TOP_K_SEGMENTS": "test_top_k_segments.cpp",
    "TOP_K_ORDER": "test_top_k_order.cpp",
    "CONVERT_LAYOUT": "test_layouts.cpp",
    "LAYOUT_ACCESS": "test_layouts.cpp",
    "TILE": "test_tile.cpp",
    "AUTHORS": "test_tile_authors.cpp",
    "TYPES": "test_types.cpp",
    "TRANSPOSE": "test_transpose.cpp",
    "TRANSPOSE_IN_PLACE": "test_transpose.cpp",
    "TRANSPOSE_TILE": "test_transpose.cpp",
    "BFS": "test_bfs.cpp",
    "ROWS": "test_rows.cpp",
    "BFS_SOURCES": "test_bfs_sources.cpp",
    "FRONTIER": "test_frontier.cpp",
    "RADIX": "test_sort.cpp",
    "SEGMENTED_SORT_SHORT": "test_segmented_sort.cpp",
    "SEGMENTED_SORT_LONG": "test_segmented_sort.cpp",
    "MERGE": "test_merge.cpp",
    "MERGE_SORT": "test_merge.cpp",
    "SETS": "test_merge.cpp",
    "HYBRID": "test_sort_hybrid.cpp",
    "HYBRID_PAIRS": "test_sort_hybrid.cpp",
    "ADAPTIVE": "test_sort_hybrid.cpp",
    "LEADING": "test_sort_hybrid.cpp",
    "LADDER": "test_ladder.cpp",
    "STUDY": "test_study.cpp",
    "COTUNING": "test_cotuning.cpp",
    "BITONIC": "test_layout_examples.cpp",
    "KD_TREE": "test_layout_examples.cpp",
    "REYES": "test_reyes.cpp",
    "MERGE_EXAMPLE": "test_tuner_examples.cpp",
    "N_BODY": "test_tuner_examples.cpp",
    "MARCHING_CUBES": "test_marching_cubes.cpp",
    "INPUTS": "test_inputs.cpp",
    "INPUT_CALLS": "../unit/test_inputs.cpp",
    "DESCRIBED": "../unit/test_described.cpp",
    "ARGUMENTS": "../unit/test_dispatch_arguments.cpp",
    "CONTRACT": "../unit/test_contract.cpp",
    "GROUP_CALLS": "../unit/test_dispatch_graphs.cpp",
    "LITTLE": "../unit/test_dispatch_sorting.cpp",
    "DIGITS": "../unit/test_dispatch_sorting.cpp",
    "TOP_K_CALLS": "../unit/test_dispatch_sorting.cpp",
    "TUNER": "../unit/test_tuner.cpp",
    "TUNER_SEARCH": "../unit/test_search.cpp",
    "INFLATE": "../unit/test_inflate.cpp",
    "BUNDLE": "../unit/test_bundle.cpp",
    "ONLINE": "../unit/test_online.cpp",
}

# The compiler takes most of a mutant's time, so nothing is optimised, and the race build uses clang++ if available
# (tests/run.py). Unoptimised code copies the padding of structs, which the race build takes for a read of unwritten
# memory: g++ optimises these parts. The padded ones need g++ always, because clang++ copies their padding even so, and
# g++ too where it checks alignment.
OPTIMIZATION = {"HISTOGRAM_CLUSTER": "-O1", "HISTOGRAM_SHARED": "-O1", "LEADING": "-O1", "RADIX": "-O1"}
PADDED = ("HISTOGRAM_CLUSTER", "HISTOGRAM_SHARED")

# name: (test, part, text, replacement)
MUTANTS = {
    "top-k by an order: ties by the later index": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "(a.index < b.index && !Before()(b.key, a.key))",
        "(a.index > b.index && !Before()(b.key, a.key))"),
    "top-k by an order: a later tie is taken for better": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "return Before()(a.key, b.key) || (a.index < b.index && !Before()(b.key, a.key));",
        "return Before()(a.key, b.key);"),
    "top-k by an order: merges of the network are not mirrored": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "high = stride == half ? low ^ (2 * half - 1) : low + stride;",
        "high = low + stride;"),
    "top-k by an order: ranks behind the last are compared": (
        "TOP_K_ORDER", "src/top_k/order.cuh", "if (high >= count) continue;", ""),
    "top-k by an order: no barrier between steps of the network": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "      gp__order_barrier<THREADS>();\n    }\n  }",
        "    }\n  }\n  gp__order_barrier<THREADS>();"),
    "top-k by an order: the bound is the last of the list": (
        "TOP_K_ORDER", "src/top_k/order.cuh", "R::before(r, list[k - 1])", "R::before(r, list[k / 2])"),
    "top-k by an order: padding of lists is taken": (
        "TOP_K_ORDER", "src/top_k/order.cuh", "return R::there(r) && (!full", "return (!full"),
    "top-k by an order: a full list gets another tile": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "if (__syncthreads_or(seen + more > capacity)) finish();",
        "if (__syncthreads_or(seen > capacity)) finish();"),
    "top-k by an order: keys behind the segment are taken": (
        "TOP_K_ORDER", "src/top_k/order.cuh", "best.push(at < s.count && best.takes(r), r);",
        "best.push(best.takes(r), r);"),
    "top-k by an order: places of other keys": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "[gp__as<const Index>(a.top.from)[i]] = Index(i);",
        "[i] = gp__as<const Index>(a.top.from)[i];"),
    "top-k by an order: sorted segments are cut before their beginning": (
        "TOP_K_ORDER", "src/top_k/order.cuh",
        "gp__u64 number = to % a.top.k, at = s.begin + number;", "gp__u64 number = to % a.top.k, at = number;"),
    "top-k by an order: lists have no room for a tile": (
        "TOP_K_ORDER", "src/top_k/policy.h",
        "return (int)(s->top_k.results + gp__top_k_tile(p, s));", "return (int)s->top_k.results;"),
    "top-k of segments: an end beyond the count is taken": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (end > a.top.count) end = a.top.count;",
        "(void)0;"),
    "top-k of segments: a segment's own k is ignored": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (a.ks && a.ks[i] < k) k = a.ks[i];",
        "(void)0;"),
    "top-k of segments: a k beyond the segment's length is taken": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (count < k) k = gp__u32(count);",
        "(void)0;"),
    "top-k of segments: lists of parts begin at one place": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "lists = gp__add_relaxed(&a.header->lists, parts);",
        "lists = 0;"),
    "top-k of segments: arrivals are not cleared": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (lists < a.list_room) a.arrived[lists] = 0;",
        "if (lists < a.list_room) a.arrived[lists] = 1;"),
    "top-k of segments: lanes of the rest of a batch sort": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (!there) mine.k = 0;",
        "(void)0;"),
    "top-k of segments: segments of lanes' full size are left out": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "mine.k && mine.count <= most && mine.count <= a.by_lanes &&",
        "mine.k && mine.count < most && mine.count <= a.by_lanes &&"),
    "top-k of segments: segments beyond those side by side are left out": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "left &= ~0u << gp__nth_bit(left, last);",
        "left = 0;"),
    "top-k of segments: the place of a bit is one too high": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "(1u << (at + step)) - 1))) <= n) at += step;",
        "(1u << (at + step)) - 1))) < n) at += step;"),
    "top-k of segments: the index comes without the segment's begin": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "by.store(x, lanes, k, (first + owner) * a.top.k, begin);",
        "by.store(x, lanes, k, (first + owner) * a.top.k, 0);"),
    "top-k of segments: keys before the segment count": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (from < lead) hits[v] &= ~0u << (lead - from);",
        "(void)0;"),
    "top-k of segments: keys behind the segment count": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "hits[v] &= (1u << Tile::there(from, end)) - 1;",
        "(void)0;"),
    "top-k of segments: a warp overwrites what others have listed": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (gp_lane() == 31) to = atomicAdd(&best.s.listed, up_to);",
        "if (gp_lane() == 31) to = best.s.listed, best.s.listed = to + up_to;"),
    "top-k of segments: tiles may leave no room": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "    best.make_room(Tile::ITEMS);",
        "    (void)0;"),
    "top-k of segments: the tile that the jump meets first comes twice": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "const gp__u64 jump = all / 8 * 5 | 1;",
        "const gp__u64 jump = all / 8 * 5 + 2;"),
    "top-k of segments: merging stops at a tile without ranks, however short": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "beyond = __syncthreads_or(any) ? 0 : beyond + TILE;",
        "beyond = __syncthreads_or(any) ? 0 : ~0u;"),
    "top-k of segments: short lists are not padded": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "lists[gp__u64(i) * parts + task.part] = i < found ? best.list[i] : R::worst();",
        "if (i < found) lists[gp__u64(i) * parts + task.part] = best.list[i];"),
    "top-k of segments: the last part but one merges": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "s.last = atomicAdd(a.arrived + task.list, 1u) + 1 == parts;",
        "s.last = atomicAdd(a.arrived + task.list, 1u) + 2 == parts;"),
    "top-k of segments: lists are not published before the part arrives": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "__threadfence();\n        s.last",
        "s.last"),
    "top-k of segments: lists of the others are not acquired": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "+ 1 == parts;\n        __threadfence();",
        "+ 1 == parts;"),
    "top-k of segments: counters are not cleared": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (!threadIdx.x) a.header->listed = a.header->lists = a.header->taken = 0;",
        "(void)a;"),
    "top-k of segments: a list has no room for a tile": (
        "TOP_K_SEGMENTS", "src/top_k/policy.h",
        "gp__max((int)(s->top_k.results * 3 / 2 + 32 + gp__top_k_tile(p, s)),",
        "gp__max((int)(s->top_k.results * 3 / 2 + 32),"),
    "top-k of segments: a segment has one list more than parts": (
        "TOP_K_SEGMENTS", "src/top_k/geometry.h",
        "l.direct ? 0 : 2 * (s->count / part);",
        "l.direct ? 0 : s->count / part;"),
    "top-k of segments: each segment may be one task": (
        "TOP_K_SEGMENTS", "src/top_k/geometry.h",
        "l.task_room = s->count / (gp__top_k_most_of_warp(p, s) + 1);",
        "l.task_room = s->count / (2 * gp__top_k_most_of_warp(p, s));"),
    "top-k of segments: the bound is the key before the k-th": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "gp_warp_broadcast(x[j], int((k - 1) / N));\n      if ((k - 1) % N == j) kth = item;",
        "gp_warp_broadcast(x[j], int((k - 1) / N));\n      if ((k - 1) % N == j + 1) kth = item;"),
    "top-k of segments: a group without keys has the best one": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "best[j] = Lone::last();",
        "best[j] = 0;"),
    "top-k of segments: keys behind a warp's segment count": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "key[j] = 32 * j < own ?",
        "key[j] = 32 * j <= own ?"),
    "top-k of segments: a list overflows": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (all > 32 * N) {",
        "if (all > 36 * N) {"),
    "top-k of segments: keys that do not fit a list are dropped": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "at += 32 * steps;",
        "at += 32 * STEPS;"),
    "top-k of segments: a full list is emptied": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "listed = k;",
        "listed = 0;"),
    "top-k of segments: dropped keys overwrite those that a warp lists next": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (gp_lane() * N + j < k) list",
        "if (gp_lane() * N + j <= k) list"),
    "top-k of segments: results lie elsewhere in the room": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "(N + 1) + r + r / N];",
        "(N + 1) + r];"),
    "top-k of segments: results overwrite a list that others read": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (pass ? gp__is_none<Out>::value : !a.out_keys) continue;\n      __syncwarp();",
        "if (pass ? gp__is_none<Out>::value : !a.out_keys) continue;"),
    "top-k of segments: segments between lanes and blocks are left out": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "mine.count > a.by_lanes && mine.count <= a.by_warps);",
        "mine.count > a.by_lanes && mine.count < a.by_warps);"),
    "top-k of segments: one result too many of a sorted segment": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "if (place >= s.k) continue;",
        "if (place > s.k) continue;"),
    "top-k of segments: sorted indices count from the first segment": (
        "TOP_K_SEGMENTS", "src/top_k/segments.cuh",
        "from - s.begin);",
        "from);"),
    "top-k of segments: few segments are for warps": (
        "TOP_K_SEGMENTS", "src/top_k/portable.h",
        "s->segments >= 4 * (unsigned)s->multiprocessors",
        "s->segments >= 0 * (unsigned)s->multiprocessors"),
    "components: a root that was hooked is hooked again": (
        "GRAPH_BUILDING", "src/graph/components.cuh",
        "if (atomicCAS(labels + large, large, small) == large) return;",
        "if (atomicCAS(labels + large, large, small), true) return;"),
    "components: the larger root stays": (
        "GRAPH_BUILDING", "src/graph/components.cuh", "const V large = u > v ? u : v, small = u > v ? v : u;",
        "const V large = u > v ? v : u, small = u > v ? u : v;"),
    "components: vertices of the largest are skipped where edges lead one way": (
        "GRAPH_BUILDING", "src/graph/components.cuh",
        "if (both && gp__load_volatile(labels + source) == skipped) return;",
        "if (gp__load_volatile(labels + source) == skipped) return;"),
    "rows: elements before the row are read": (
        "AXES", "src/rows/row.cuh",
        "GP_DEVICE bool is_inner(Count i) const { return i < length && i + V <= length; }",
        "GP_DEVICE bool is_inner(Count i) const { return i + V <= length; }"),
    "rows: elements behind the row are read": (
        "AXES", "src/rows/row.cuh",
        "GP_DEVICE bool is_inner(Count i) const { return i < length && i + V <= length; }",
        "GP_DEVICE bool is_inner(Count i) const { return i < length; }"),
    "rows: vectors are read where elements are apart": (
        "AXES", "src/rows/row.cuh",
        "dense = stride == 1 && misaligned % sizeof(T) == 0;",
        "dense = misaligned % sizeof(T) == 0;"),
    "rows: windows begin at the row": (
        "AXES", "src/rows/row.cuh",
        "skipped = V > 1 && dense ? misaligned / unsigned(sizeof(T)) : 0;",
        "skipped = 0;"),
    "rows: outer dimensions have one stride": (
        "AXES", "src/rows/row.cuh",
        "gp__i64(s) * stride[3];",
        "gp__i64(s) * stride[2];"),
    "rows: the initial value comes last": (
        "AXES", "src/rows/kernels.cuh",
        "a.extent[0] == 0 ? init : Op()(init, sum);",
        "a.extent[0] == 0 ? init : Op()(sum, init);"),
    "rows: rows of nothing have the identity": (
        "AXES", "src/rows/kernels.cuh",
        "!a.has_init ? sum : a.extent[0] == 0 ? init : Op()(init, sum);",
        "!a.has_init || a.extent[0] == 0 ? sum : Op()(init, sum);"),
    "rows: threads of a fold in order read every other window": (
        "AXES", "src/rows/kernels.cuh",
        "const gp__u64 first = round + (Op::commutative ? reader : reader * K);",
        "const gp__u64 first = round + reader;"),
    "rows: a round of a fold in order is lost": (
        "AXES", "src/rows/kernels.cuh",
        "all = Op()(all, sum);",
        "all = sum;"),
    "rows: a block's rounds share storage": (
        "AXES", "src/rows/kernels.cuh",
        "if (READERS > 32) __syncthreads();",
        "(void)0;"),
    "rows: a tile has rows that do not exist": (
        "AXES", "src/rows/tile.cuh",
        "const unsigned rows = a.rows - first < each ? unsigned(a.rows - first) : each;",
        "const unsigned rows = each;"),
    "rows: a lane's last element is lost": (
        "AXES", "src/rows/tile.cuh",
        "end(length - begin < size ? length : begin + size)",
        "end(length - begin <= size ? length : begin + size - 1)"),
    "rows: the last part does not wait": (
        "AXES", "src/rows/kernels.cuh",
        "sum = Op()(sum, gp__receive<Acc>(gp__words(a.workspace), r * a.parts + i, ticket.tag));",
        "gp__try_receive(gp__words(a.workspace), r * a.parts + i, ticket.tag, sum);"),
    "rows: the last part of a row comes first": (
        "AXES", "src/rows/kernels.cuh",
        "sum = Op()(gp_tile_reduce<T>(sum, Op(), s.reduce), s.state);",
        "sum = Op()(s.state, gp_tile_reduce<T>(sum, Op(), s.reduce));"),
    "rows: parts take the number of their block": (
        "AXES", "src/rows/kernels.cuh",
        "if (!threadIdx.x) shared = gp__draw(a.workspace, gridDim.x);",
        "if (!threadIdx.x) shared = gp__draw(a.workspace, gridDim.x), shared.number = blockIdx.x;"),
    "rows: columns beyond the last are read": (
        "AXES", "src/rows/kernels.cuh",
        "const bool vectors = a.vectors && c + V <= columns;",
        "const bool vectors = a.vectors;"),
    "rows: slots of columns in order overlap": (
        "AXES", "src/rows/kernels.cuh",
        "const gp__u64 stop = Op::commutative || i >= end || end - i < each ? end : i + each;",
        "const gp__u64 stop = end;"),
    "rows: the tree over slots skips a barrier": (
        "AXES", "src/rows/kernels.cuh",
        "for (unsigned d = 1; d < slots; d *= 2) { // a tree of neighbours over the slots\n        __syncthreads();",
        "for (unsigned d = 1; d < slots; d *= 2) {\n        if (d == 1) __syncthreads();"),
    "rows: each slot adds the last part": (
        "AXES", "src/rows/kernels.cuh",
        "if (slot == slots - 1) sum[j] = Op()(sum[j], own[j]);",
        "if (slot == 0) sum[j] = Op()(sum[j], own[j]);"),
    "rows: the parts' cells are written while others read them": (
        "AXES", "src/rows/kernels.cuh",
        "        if (slot == slots - 1) sum[j] = Op()(sum[j], own[j]);\n      }\n      __syncthreads();",
        "        if (slot == slots - 1) sum[j] = Op()(sum[j], own[j]);\n      }"),
    "rows: columns of the next tile overwrite cells": (
        "AXES", "src/rows/kernels.cuh",
        "    if (others) return;\n    __syncthreads();\n  }\n}\n\n// out = map",
        "    if (others) return;\n  }\n}\n\n// out = map"),
    "rows: a map's lanes take the warp's first state": (
        "AXES", "src/rows/kernels.cuh",
        "int(gp_lane() - lane))",
        "0)"),
    "rows: outputs are stored by vectors where they are apart": (
        "AXES", "src/rows/row.cuh",
        "if (to_stride == 1 && is_inner(i) &&",
        "if (is_inner(i) &&"),
    "rows: columns share the state of the first": (
        "AXES", "src/rows/kernels.cuh",
        "state[j] = states[COLUMNS ? line.first(window) + j : 0];",
        "state[j] = states[COLUMNS ? line.first(window) : 0];"),
    "rows: a scan's initial value is ignored": (
        "AXES", "src/rows/scan.cuh",
        "start.has = a.has_init != 0;",
        "start.has = false;"),
    "rows: an exclusive scan is inclusive": (
        "AXES", "src/rows/scan.cuh",
        "return EXCLUSIVE ? before : carry.value;",
        "return carry.value;"),
    "rows: operands of a scan by lanes change places": (
        "AXES", "src/rows/scan.cuh",
        "value = op(up, value);",
        "value = op(value, up);"),
    "rows: lanes of a scan pass on the next row's": (
        "AXES", "src/rows/scan.cuh",
        "if ((gp_lane() & (lanes - 1)) >= d)",
        "if (gp_lane() >= d)"),
    "rows: lanes of a row forget each other": (
        "AXES", "src/rows/scan.cuh",
        "      if (lane) scan.before.append(up, Op());",
        "      (void)up;"),
    "rows: warps of a scan's tile forget each other": (
        "AXES", "src/rows/scan.cuh",
        "if (gp_lane()) prefix.append(before, Op());",
        "(void)before;"),
    "rows: rows of a scan share words": (
        "AXES", "src/rows/scan.cuh",
        "gp__words(a.workspace) + r * words",
        "gp__words(a.workspace) + r"),
    "rows: the storage of a scan's tile is used too early": (
        "AXES", "src/rows/scan.cuh",
        "    s.tile.put(gp__lines<Out>(a, a.out, a.out_stride, r, begin, length), skip, even);\n    __syncthreads();",
        "    s.tile.put(gp__lines<Out>(a, a.out, a.out_stride, r, begin, length), skip, even);"),
    "rows: columns of a tile share a prefix": (
        "AXES", "src/rows/scan_columns.cuh",
        "(tiles + group + 1) * t.lanes + t.lane, next",
        "(tiles + group + 1) * t.lanes, next"),
    "rows: a column's prefix comes from its neighbour": (
        "AXES", "src/rows/scan_columns.cuh",
        "prefix.value = t.s.cell[0][depth * t.lanes + t.lane];",
        "prefix.value = t.s.cell[0][depth * t.lanes + (t.lane ^ 1)];"),
    "rows: slots of a column's scan begin with the carry": (
        "AXES", "src/rows/scan_columns.cuh",
        "      if (before.has) running.append(before.value, Op());\n",
        ""),
    "rows: a round of a column's scan forgets those before": (
        "AXES", "src/rows/scan_columns.cuh",
        "      carry.append(all, Op());",
        "      carry = start, carry.append(all, Op());"),
    "rows: a tile of rows is read before it is there": (
        "AXES", "src/rows/tile.cuh",
        "a.together & 1), even);\n    __syncthreads();",
        "a.together & 1), even);"),
    "rows: the next tile of rows comes too early": (
        "AXES", "src/rows/tile.cuh",
        "(a.together & 2) != 0), skip, even);\n    __syncthreads();",
        "(a.together & 2) != 0), skip, even);"),
    "rows: rows with gaps lie in one piece": (
        "AXES", "src/rows/tile.cuh",
        "a.together & 1), even);",
        "a.together), even);"),
    "rows: tiles side by side have the same tickets' words": (
        "AXES", "src/rows/scan_columns.cuh",
        "unit * slots * ((sizeof(Acc) + 7) / 8),",
        "slots * ((sizeof(Acc) + 7) / 8),"),
    "rows: columns' folds are written over before they are read": (
        "AXES", "src/rows/scan_columns.cuh",
        "    turn ^= 1;\n",
        ""),
    "rows: rows of a pass are those of the first": (
        "AXES", "src/rows/tile.cuh",
        "r - mine < rows; r += groups)",
        "r - mine < 1; r += groups)"),
    "rows: an even tile's vectors share banks": (
        "AXES", "src/rows/tile.cuh",
        "(even ? i / (8 * V) * V : 0)",
        "(even ? i / (8 * V) : 0)"),
    "rows: totals of groups of tiles are folded from the nearest on": (
        "AXES", "src/rows/scan_columns.cuh",
        "while (depth-- > 0) prefix.append(t.s.cell[1][depth * t.lanes + t.lane], Op());",
        "for (unsigned d = 0; d < depth; ++d) prefix.append(t.s.cell[1][d * t.lanes + t.lane], Op());"),
    "rows: the total of a group of tiles lacks its last": (
        "AXES", "src/rows/scan_columns.cuh",
        "t.fold(t.slot == before ? aggregate : one, unused)",
        "t.fold(one, unused)"),
    "rows: prefixes behind missing totals count": (
        "AXES", "src/rows/scan_columns.cuh",
        "t.s.found[depth * t.lanes + t.lane] == 2) ++depth;",
        "!(t.s.found[depth * t.lanes + t.lane] & 1)) ++depth;"),
    "rows: all rows are one round of tiles": (
        "AXES", "src/rows/geometry.h",
        "gp__ceil_div(gp__ceil_div(s->segments, fit), resident) * resident)",
        "gp__ceil_div(gp__ceil_div(s->segments, fit), resident))"),
    "rows: words of a scan are those of one row": (
        "AXES", "src/rows/geometry.h",
        "    g->words = units * results *\n",
        "    g->words =\n"),
    "rows: a copy mistakes the strides": (
        "AXES", "src/rows/copy.cuh",
        "to += i * a.out_stride[d];",
        "to += i * a.in_stride[d];"),
    "segmented sort: segments of one length begin one early": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        ": s * a.length;", ": s * a.length - (s > 0);"),
    "segmented sort: places count from the first segment": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/arrays.cuh",
        "return V(gp__u32(i) % gp__u32(length));",
        "return V(i);"),
    "rows: parts of a row are too few": (
        "AXES", "src/rows/geometry.h",
        "return *share ? gp__ceil_div(rounds, *share) : 1;",
        "return *share ? rounds / *share : 1;"),
    "rows: words of columns are those of one": (
        "AXES", "src/rows/geometry.h",
        "results = (gp__u64)wide << g->log2_lanes;",
        "results = wide;"),
    "rows: rows of a policy need not fit registers": (
        "AXES", "src/rows/policy.h",
        "(unsigned)(p.threads * p.vectors)));",
        "(unsigned)(2 * p.threads * p.vectors)));"),
    "find: a hit does not end the tiles": (
        "FIND", "src/find/kernels.cuh",
        "else if (found && !threadIdx.x) gp__end_tiles(a.workspace, ticket, tiles);",
        "else if (found) {\n      do {\n        __syncthreads();\n        if (!threadIdx.x) s.ticket = "
        "gp__draw(a.workspace, draws);\n        __syncthreads();\n        ticket = s.ticket;\n      } while "
        "(ticket.number < tiles);\n      break;\n    }"),
    "find: the tiles of the next launch are ended": (
        "FIND", "src/device/look_back.cuh",
        "atomicMax(gp__as<gp__u64>(workspace), (ticket.tag - 1) << 28 | tiles);",
        "atomicMax(gp__as<gp__u64>(workspace), ticket.tag << 28 | tiles);"),
    "find: a block with a hit begins the next tile": (
        "FIND", "src/device/look_back.cuh",
        "atomicMax(gp__as<gp__u64>(workspace), (ticket.tag - 1) << 28 | tiles);",
        "atomicMax(gp__as<gp__u64>(workspace), (ticket.tag - 1) << 28 | (tiles - 1));"),
    "find: the first block's hit wins": (
        "FIND", "src/find/kernels.cuh", "for (gp__u64 i = threadIdx.x; i < gridDim.x; i += THREADS)",
        "for (gp__u64 i = threadIdx.x; i < 1; i += THREADS)"),
    "find: the first thread's hit wins": (
        "FIND", "src/find/kernels.cuh",
        "hit = found ? gp_tile_reduce<THREADS>(hit, gp_min<gp__u64>(), s.reduce) : ~gp__u64(0);",
        "if (!found) hit = ~gp__u64(0);"),
    "find: a thread's last hit wins": (
        "FIND", "src/find/kernels.cuh", "if (any && hit == ~gp__u64(0)) {", "if (any) {"),
    "find: a thread's last hit of an access wins": (
        "FIND", "src/find/kernels.cuh", "for (int j = V - 1; j >= 0; --j)", "for (int j = 0; j < V; ++j)"),
    "find: the last elements are not tested": (
        "FIND", "src/find/kernels.cuh", "if (search.holds(j)) hit = j;", "(void)0;"),
    "find: a block that draws one ticket counts on more": (
        "FIND", "src/find/kernels.cuh", "const gp__u64 draws = once ? gridDim.x : tiles + gridDim.x;",
        "const gp__u64 draws = tiles + gridDim.x;"),
    "find: as many tiles as blocks are one too many": (
        "FIND", "src/find/kernels.cuh", "once = tiles <= gridDim.x;", "once = tiles <= gridDim.x + 1;"),
    "find: the number of elements is that of the host": (
        "FIND", "src/find/kernels.cuh", "write(search, a, hit, n);", "write(search, a, hit, a.count);"),
    "find: unaligned vectors are read past the end": (
        "FIND", "src/find/kernels.cuh", "i >= V && i + 2 * V <= n", "i >= V"),
    "find: unaligned vectors are read before the start": (
        "FIND", "src/find/kernels.cuh", "i >= V && i + 2 * V <= n", "i + 2 * V <= n"),
    "find: the second array is aligned as the first": (
        "FIND", "src/find/kernels.cuh", "misaligned2(gp__misalignment(a.in2, 16))",
        "misaligned2(gp__misalignment(a.in, 16))"),
    "find: groups of elements are read from an unaligned address": (
        "FIND", "src/find/kernels.cuh", "    if (misaligned == 0) {\n      const gp_vector *from",
        "    if (misaligned < 16) {\n      const gp_vector *from"),
    "find: the first element has a predecessor": (
        "FIND", "src/find/kernels.cuh",
        "load(const gp__find_neighbours &s, gp__u64 i, bool inner) {\n"
        "      x.template load<CACHE>(s.in + i, s.misaligned, inner);\n      if (i > 0) before",
        "load(const gp__find_neighbours &s, gp__u64 i, bool inner) {\n"
        "      x.template load<CACHE>(s.in + i, s.misaligned, inner);\n      before"),
    "find: the first element that may come back has a predecessor": (
        "FIND", "src/find/kernels.cuh",
        "load(const gp__find_return &s, gp__u64 i, bool inner) {\n"
        "      x.template load<CACHE>(s.in + i, s.misaligned, inner);\n      if (i > 0) before",
        "load(const gp__find_return &s, gp__u64 i, bool inner) {\n"
        "      x.template load<CACHE>(s.in + i, s.misaligned, inner);\n      before"),
    "find: the first element alone has a predecessor": (
        "FIND", "src/find/kernels.cuh", "return i > 0 && related(in[i - 1], in[i]);",
        "return related(in[i - 1], in[i]);"),
    "find: elements of two accesses are no neighbours": (
        "FIND", "src/find/kernels.cuh", "return j > 0 ? related(x.item[j - 1], x.item[j]) : i > 0 && ",
        "return j > 0 ? related(x.item[j - 1], x.item[j]) : i == 0 && i > 0 && "),
    "find: of a pair, the second index": (
        "FIND", "src/find/kernels.cuh", "some ? first - (RESULT == GP__FIND_BEFORE)", "some ? first"),
    "find: only a tile's first round is read": (
        "FIND", "src/find/kernels.cuh", "end = first + tile_items < n ? first + tile_items : n;",
        "end = first + tile_items < n ? first + ROUND : n;"),
    "find: a tile is a block's whole share": (
        "FIND", "src/find/geometry.h", "rounds = share < most ? share : most;", "rounds = share;"),
    "find: tiles are short where one a block would do": (
        "FIND", "src/find/geometry.h", "rounds = share < most ? share : most;", "rounds = 1;"),
    "find: accesses to two arrays are as many as to one": (
        "FIND", "src/find/policy.h", "(gp__find_items(size) * size * inputs)", "(gp__find_items(size) * size)"),
    "find: the first element comes back": (
        "FIND", "src/find/kernels.cuh", ": i > 0 && s.returns(before.item[0], x.item[0]);", ": i == 0;"),
    "find: every element of a run comes back": (
        "FIND", "src/find/kernels.cuh", "return Predicate()(x, scalar) && !Predicate()(before, scalar);",
        "return Predicate()(x, scalar);"),
    "find: only lesser elements differ": (
        "FIND", "src/find/kernels.cuh", "return !Less()(a, b) && !Less()(b, a);", "return !Less()(a, b);"),
    "find: arrays of one beginning are equal": (
        "FIND", "src/find/kernels.cuh", "first == ~gp__u64(0) ? gp__value_as<int>(a.scalar)",
        "first == ~gp__u64(0) ? 0"),
    "find: the greater array is the lesser one": (
        "FIND", "src/find/kernels.cuh", ": Less()(s.in[first], s.in2[first])", ": Less()(s.in2[first], s.in[first])"),
    "partition point: a step too far": (
        "FIND", "src/find/kernels.cuh", "low = next - step + 1;", "low = next;"),
    "partition point: the last step ends behind the input": (
        "FIND", "src/find/kernels.cuh", "if (next < high) high = next;", "high = next;"),
    "minmax: two minima": (
        "REDUCE", "src/device/operators.cuh", "Max()(a.max, b.max)};", "Max()(a.min, b.min)};"),
    "frontier: a full buffer is written behind": (
        "FRONTIER", "src/device/frontier.cuh",
        "if (there && at < gp__u32(ROOM)) storage.element[at] = element;",
        "if (there) storage.element[at] = element;"),
    "frontier: what overflows is lost": (
        "FRONTIER", "src/device/frontier.cuh",
        "if (!left) return;\n  gp__u64 first = 0;", "if (true) return;\n  gp__u64 first = 0;"),
    "frontier: what overflows is written without room": (
        "FRONTIER", "src/device/frontier.cuh",
        "if ((left >> gp_lane() & 1u) && first < out.room) out", "if (left >> gp_lane() & 1u) out"),
    "frontier: a block writes without room": (
        "FRONTIER", "src/device/frontier.cuh",
        "if (storage.first + i < out.room) out.vertices", "out.vertices"),
    "frontier: a block's buffer is written while warps append": (
        "FRONTIER", "src/device/frontier.cuh",
        "{\n  __syncthreads();\n  const gp__u32 count = storage.count <",
        "{\n  const gp__u32 count = storage.count <"),
    "frontier: a block's buffer is clear before all have counted": (
        "FRONTIER", "src/device/frontier.cuh",
        "__syncthreads();\n  if (!threadIdx.x) storage.count = 0;\n  for",
        "if (!threadIdx.x) storage.count = 0;\n  for"),
    "frontier: a filter writes without room": (
        "FRONTIER", "src/device/frontier.cuh",
        "if (at < out.room) out.vertices[at] = items[i];", "out.vertices[at] = items[i];"),
    "frontier: a filter's threads share a place": (
        "FRONTIER", "src/device/frontier.cuh",
        "const gp__u64 at = storage.first + before++;", "const gp__u64 at = storage.first + before;"),
    "frontier: long lists are two blocks'": (
        "FRONTIER", "src/device/frontier.cuh",
        "storage.source[at] = vertex;\n        count = 0;", "storage.source[at] = vertex;"),
    "frontier: long lists are taken before they are all there": (
        "FRONTIER", "src/device/frontier.cuh",
        "count = 0;\n      }\n      __syncthreads();", "count = 0;\n      }"),
    "frontier: a warp's lists are looked up too": (
        "FRONTIER", "src/device/frontier.cuh", "    if (is_long) count = 0;\n", ""),
    "frontier: of lists that start together the first counts": (
        "FRONTIER", "src/device/frontier.cuh",
        "storage.start[owner + step] <= rank) owner", "storage.start[owner + step] < rank) owner"),
    "frontier: the second half of a block is not looked up": (
        "FRONTIER", "src/device/frontier.cuh",
        "for (unsigned step = 512; step; step /= 2)\n          if (owner",
        "for (unsigned step = 32; step; step /= 2)\n          if (owner"),
    "frontier: lists end with their first piece": (
        "FRONTIER", "src/device/frontier.cuh",
        "while (!(gather & (GP_GATHER_WARP | GP_GATHER_BLOCK)) && __syncthreads_or(count > 0));",
        "while (false);"),
    "frontier: pieces begin where the list does": ("FRONTIER", "src/device/frontier.cuh", "    begin += piece;\n", ""),
    "frontier: an edge is asked for where there is none": (
        "FRONTIER", "src/device/frontier.cuh", "there[i] = there[i] && goes(", "there[i] = goes("),
    "frontier: history is forgotten": (
        "FRONTIER", "src/device/frontier.cuh",
        "atomicExch(&storage.seen[vertex & (SLOTS - 1)], vertex) != vertex;", "true;"),
    "frontier: history knows places, not vertices": (
        "FRONTIER", "src/device/frontier.cuh",
        "vertex & (SLOTS - 1)], vertex) != vertex;", "vertex & (SLOTS - 1)], vertex) == ~Vertex(0);"),
    "frontier: lanes without a vertex are peers": (
        "FRONTIER", "src/device/frontier.cuh",
        "__ballot_sync(~0u, there) & __match_any_sync(~0u, vertex);",
        "__match_any_sync(~0u, vertex);"),
    "frontier: the last of a warp's equal ones goes on too": (
        "FRONTIER", "src/device/frontier.cuh",
        "there = there && gp__lanes_before(peers) == 0;", "there = there && peers;"),
    "frontier: who sets a bit has always been the first": (
        "FRONTIER", "src/device/frontier.cuh", "&& !(atomicOr(visited + vertex / 32, bit) & bit);",
        "&& (atomicOr(visited + vertex / 32, bit), true);"),
    "frontier: contracted vertices need not be fresh": (
        "FRONTIER", "src/device/frontier.cuh",
        "gp_warp_append(passes && fresh(vertex), vertex", "gp_warp_append(passes, vertex"),
    "bfs by launches: a vertex is found by all who see it": (
        "BFS", "src/bfs/launches.cuh",
        "atomicCAS(a.depths + v, -1, level) == -1;", "(atomicCAS(a.depths + v, -1, level), true);"),
    "bfs by launches: edges of all levels lie in one place": (
        "BFS", "src/bfs/launches.cuh",
        "gp__as<Edge>(a.edge_queue) + first, ", "gp__as<Edge>(a.edge_queue), "),
    "bfs by launches: slots are not cleared for those behind": (
        "BFS", "src/bfs/launches.cuh",
        "s->found[slot(level + 1)] = s->edges_to[slot(level + 2)] = 0;", "s->found[slot(level + 1)] = 0;"),
    "bfs by launches: culling is always exact": (
        "BFS", "src/bfs/launches.cuh",
        "if (mine && !(a.cull & GP_CULL_BITMAP))", "if (false)"),
    "bfs by launches: what is expanded is expanded again": (
        "BFS", "src/bfs/launches.cuh",
        "if (level == 0 || in_two(s->edges_to[level])) expand", "if (true) expand"),
    "bfs by launches: the block that is left forgets the edges before": (
        "BFS", "src/bfs/launches.cuh",
        "gp__u64 first = edges_before(most + 1);", "gp__u64 first = 0;"),
    "bfs by launches: vertices of a fused level are not counted": (
        "BFS", "src/bfs/launches.cuh",
        "if (!gp_lane() && found) atomicAdd(&s->found[slot(level)], found);", ""),
    "bfs by launches: what comes next is left where it is read": (
        "BFS", "src/bfs/block.cuh",
        "return control->state[launch & 1];", "return control->state[0];"),
    "bfs by launches: the first block decides": (
        "BFS", "src/bfs/block.cuh",
        "if (gp__add_relaxed(&control->arrived, 1) != a.blocks - 1) return false;",
        "if (gp__add_relaxed(&control->arrived, 1) != 0) return false;"),
    "bfs by launches: a step counts what the last one found": (
        "BFS", "src/bfs/block.cuh", "      gp__store_relaxed(control->sums + i, 0);\n", ""),
    "bfs by launches: levels of one block are told to nobody": (
        "BFS", "src/bfs/block.cuh", "s.state.barriers = unsigned(a.step) + 1;",
        "s.state.barriers = unsigned(a.step);"),
    "bfs by launches: a graph with a fault is searched": (
        "BFS", "src/bfs/kernels.cuh",
        "a.fault->kind != GP_FAULT_NONE) return;\n  Block block(a, s, memory);\n  if (a.step == 0)",
        "false) return;\n  Block block(a, s, memory);\n  if (a.step == 0)"),
    "bfs: any parent is the smallest": (
        "BFS", "src/bfs/kernels.cuh",
        "source < gp__load_volatile(parents + target))", "source > gp__load_volatile(parents + target))"),
    "bfs: a fault is overlooked": (
        "BFS", "src/bfs/kernels.cuh",
        "if (a.fault->kind == GP_FAULT_NONE) gp__bfs<P, Offset, Vertex, CLUSTERS>(a);",
        "gp__bfs<P, Offset, Vertex, CLUSTERS>(a);"),
    "bfs: who sets a bit has always been the first": (
        "BFS", "src/bfs/top_down.cuh", "mine[i] = mine[i] && is_new<TEAM>(v[i], was[i]);",
        "mine[i] = mine[i] && is_new<TEAM>(v[i], by_depth(TEAM) ? was[i] : 0);"),
    "bfs: no fence before a block arrives": (
        "BFS", "src/bfs/state.cuh", "gp__fence();\n    gp__add_relaxed(word, mine",
        "gp__add_relaxed(word, mine"),
    "bfs: no fence behind the barrier": (
        "BFS", "src/bfs/state.cuh", "  gp__fence();\n  return all >> GP__BFS_BLOCK_BITS;",
        "  return all >> GP__BFS_BLOCK_BITS;"),
    "bfs: two sets of counters for all barriers": (
        "BFS", "src/bfs/state.cuh", "set == 2 ? 0 : set + 1",
        "set == 1 ? 0 : set + 1"),
    "bfs: nobody clears counters": (
        "BFS", "src/bfs/state.cuh", "if (rank == 0) gp__store_relaxed(next + lane, 0);",
        ""),
    "bfs: the first barrier does not wait for its counters": (
        "BFS", "src/bfs/block.cuh",
        "      gp__receive<gp__u64>(gp__words(a.workspace), 0, s.tag);\n",
        ""),
    "bfs: what overflows a block's share of the queue is lost": (
        "BFS", "src/bfs/queue.cuh", "else queue[atomicAdd(&control->queue, 1ull)] = edges;",
        ""),
    "bfs: a short list takes its neighbour's edges": (
        "BFS", "src/device/edges.cuh", "there[i] = rank < total && rank < held;",
        "there[i] = rank < total;"),
    "bfs: nobody hears of levels of one block": (
        "BFS", "src/bfs/search.cuh",
        "else if (alone && s.rank != 0) t = control->state[barriers & 1u];",
        "else if (alone && s.rank != 0 && t.levels) t = control->state[barriers & 1u];"),
    "bfs: counters of one block are two in turn": (
        "BFS", "src/bfs/small_levels.cuh", "turn == 2 ? 0 : turn + 1",
        "turn == 1 ? 0 : turn + 1"),
    "bfs: parts of a small queue are written over each other": (
        "BFS", "src/bfs/queue.cuh", "queue[s.begin + i] = small_queue(which)[i];",
        "queue[s.begin] = small_queue(which)[i];"),
    "bfs: a level bottom-up forgets those before": (
        "BFS", "src/bfs/bottom_up.cuh", "next[mine] = word[w] | bits;",
        "next[mine] = bits;"),
    "bfs: the list forgets those not found": (
        "BFS", "src/bfs/bottom_up.cuh", "const bool keeps = ends && !found &&",
        "const bool keeps = ends && found &&"),
    "bfs: bits of those found in a list are not set": (
        "BFS", "src/bfs/bottom_up.cuh",
        "if (LISTED) atomicOr(a.fresh + (v >> 5), 1u << (v & 31u));",
        ""),
    "bfs: what a level over the list has found stays apart": (
        "BFS", "src/bfs/bottom_up.cuh", "map[at + gp_lane()] = before | mine,", ""),
    "bfs: who is on the list has not been reached": (
        "BFS", "src/bfs/bottom_up.cuh",
        "LISTED ? t.listed == 1 || !has_bit(map, v[w])", "LISTED ? true"),
    "bfs: of a list's rest, edges are always counted": (
        "BFS", "src/bfs/search.cuh",
        "return a.symmetric && s.state.listed != 2;", "return true;"),
    "bfs: the neighbour of those who wait is none of theirs": (
        "BFS", "src/bfs/bottom_up.cuh",
        "if (one || (first && !second)) parent = u[i];", "if (one) parent = u[i];"),
    "bfs: what was reached before is collected": (
        "BFS", "src/bfs/bottom_up.cuh", "map[at + gp_lane()] & ~before[at + gp_lane()] : 0",
        "before[at + gp_lane()] : 0"),
    "bfs: what was not reached is not written": (
        "BFS", "src/bfs/block.cuh",
        "if (CLUSTERS || t.listed) return;", "if (CLUSTERS || !t.listed) return;"),
    "bfs: who has waited is not in the bitmap": (
        "BFS", "src/bfs/bottom_up.cuh",
        "if (!LISTED && found) atomicOr(next + (v >> 5), 1u << (v & 31u));",
        ""),
    "bfs: a neighbour is left out by those who wait": (
        "BFS", "src/bfs/bottom_up.cuh", "waiting_at()[slot] = x.at;",
        "waiting_at()[slot] = x.at + 1;"),
    "bfs: more wait than there is room for": (
        "BFS", "src/bfs/bottom_up.cuh", "while (waiting >= GP__WARP) look_on",
        "if (waiting >= GP__WARP) look_on"),
    "bfs: the upper part of a sum is lost": (
        "BFS", "src/bfs/state.cuh", "if (high) atomicAdd(&sum[1], high);",
        ""),
    "bfs: neighbours of the list before are looked at": (
        "BFS", "src/bfs/bottom_up.cuh", "!hit && i >= from && i < from + n,",
        "!hit && i < from + n,"),
    "bfs: neighbours of the list behind are looked at": (
        "BFS", "src/bfs/bottom_up.cuh", "second = !hit && i + 1 >= from && i + 1 < from + n;",
        "second = !hit && i + 1 >= from;"),
    "bfs: the limit of one block is one level late": (
        "BFS", "src/bfs/small_levels.cuh", "depth == a.limit;\n    const unsigned verdict =",
        "depth > a.limit + 1000;\n    const unsigned verdict ="),
    "bfs: the target ends nothing": (
        "BFS", "src/bfs/top_down.cuh",
        "if (mine[i] && !by_depth(TEAM) && v[i] == a.target)", "if (false)"),
    "bfs: the target ends nothing, of short lists": (
        "BFS", "src/bfs/top_down.cuh",
        "if (v == a.target) gp__bfs_tally::add(s.sums[turn].found, GP__BFS_HIT);",
        ""),
    "bfs: of a list's edges four are looked at": (
        "BFS", "src/bfs/small_levels.cuh", "if (!__any_sync(~0u, at < edges)) return;",
        "return;"),
    "bfs: the limit of a cluster is one level late": (
        "BFS", "src/bfs/exchange.cuh", "!all.found || all.hit || depth == a.limit;",
        "!all.found || all.hit || depth > a.limit + 1000;"),
    "bfs: a cluster's blocks do not wait": (
        "BFS", "src/bfs/exchange.cuh",
        "while (!__all_sync(~0u, (got & 0xffffu) == tag));",
        "while (false);"),
    "bfs: a cluster's words are one set": (
        "BFS", "src/bfs/exchange.cuh", "return s.message[depth & 1][half];",
        "return s.message[0][half];"),
    "bfs: others' queues are read as they are": (
        "BFS", "src/bfs/small_levels.cuh",
        "    open_queues(false, s.message[depth & 1][1]);\n    first =", "    first ="),
    "bfs: queues that others read are written over": (
        "BFS", "src/bfs/small_levels.cuh", "exchange(in_grid, uneven, before);",
        "exchange(in_grid, false, before);"),
    "bfs: a cluster goes on with parts that had no room": (
        "BFS", "src/bfs/exchange.cuh", "!done && !all.over &&",
        "!done &&"),
    "bfs: a cluster's levels are not summed": (
        "BFS", "src/bfs/small_levels.cuh", "      sum_levels(in_grid);\n",
        ""),
    "bfs: of long lists a warp takes one": (
        "BFS", "src/bfs/small_levels.cuh", "done = 0, left &= left - 1;", "done = 0, left = 0;"),
    "bfs: of a long list a warp takes a step": (
        "BFS", "src/bfs/small_levels.cuh", "if (done >= count) done", "if (true) done"),
    "bfs: a block leaves a part of a long list": (
        "BFS", "src/bfs/small_levels.cuh", "if (part.count() != GP__BFS_LONG) return;", "return;"),
    "bfs: who visits a list sets no bit": (
        "BFS", "src/bfs/small_levels.cuh",
        "    set_bit_of(at == 0 && edges, part.source, map);\n", ""),
    "bfs: who visits a list of many sets no bit": (
        "BFS", "src/bfs/small_levels.cuh", "    set_bit_of(part.count() != 0, source, map);\n", ""),
    "bfs: what a block leaves has no bit": (
        "BFS", "src/bfs/small_levels.cuh", "    set_bit_of(true, v, a.reached[s.state.map]);\n", ""),
    "bfs: vertices without a list have no bit": (
        "BFS", "src/bfs/small_levels.cuh", "else set_bit_of(true, v, map);", ""),
    "bfs: vertices without a list have no bit, of many": (
        "BFS", "src/bfs/top_down.cuh",
        "        set_bit_of(begin[i] == end[i], v[i], map);\n", ""),
    "bfs: what overflows one block's queue has no bit": (
        "BFS", "src/bfs/small_levels.cuh", "!done && (verdict & LEVEL_OVER));", "false);"),
    "bfs: a block's queue is left before all know where it begins": (
        "BFS", "src/bfs/small_levels.cuh",
        "      __syncthreads();\n      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[4]",
        "      if (CLUSTERS && blocks > 1) open_queues(blocks > a.cluster, s.message[4]"),
    "bfs: what a block ahead has reached stays": (
        "BFS", "src/bfs/small_levels.cuh",
        "if (was > gp__u32(depth)) {", "if (was == ~0u) {"),
    "bfs: what a block ahead has reached stays, of many": (
        "BFS", "src/bfs/top_down.cuh",
        "by_depth(TEAM) ? was > gp__u32(depth)", "by_depth(TEAM) ? was == ~0u"),
    "bfs: what is reached again counts twice": (
        "BFS", "src/bfs/exchange.cuh",
        "all_found = s.found - again.found, all_explored = s.explored - again.edges;",
        "all_found = s.found, all_explored = s.explored;"),
    "bfs: a block is ahead of others that read its queue": (
        "BFS", "src/bfs/exchange.cuh",
        "const bool plain = stays && !uneven && ", "const bool plain = stays && "),
    "bfs: a block is ahead with more than it has room for": (
        "BFS", "src/bfs/exchange.cuh", "!all.wide && ", ""),
    "bfs: a block is ahead of a target": (
        "BFS", "src/bfs/exchange.cuh", "a.target == ~0ull && !parents && ", "!parents && "),
    "bfs: a block is ahead of parents": (
        "BFS", "src/bfs/exchange.cuh",
        "a.target == ~0ull && !parents && ", "a.target == ~0ull && "),
    "bfs: a block is ahead of the limit": (
        "BFS", "src/bfs/exchange.cuh", "depth + 1 != a.limit &&", ""),
    "bfs: all blocks go on with more than they have room for": (
        "BFS", "src/bfs/search.cuh",
        "&& parts <= a.blocks * (P::threads / FEW_LANES * 1ull)", ""),
    "bfs: clusters' words are one for all levels": (
        "BFS", "src/bfs/exchange.cuh", "control->news[depth & 1];", "control->news[0];"),
    "bfs: clusters' words are of an earlier search": (
        "BFS", "src/bfs/exchange.cuh",
        "if (!blockIdx.x && threadIdx.x < sizeof control->news / sizeof *word)", "if (false)"),
    "bfs: what other clusters have found does not count": (
        "BFS", "src/bfs/exchange.cuh", "if (in_grid) all = exchange_of_clusters(all);",
        "const bool before_it = all.found; if (in_grid) all = exchange_of_clusters(all), all.found = before_it;"),
    "bfs: a target that another cluster has found ends nothing": (
        "BFS", "src/bfs/exchange.cuh", "if (in_grid) all = exchange_of_clusters(all);",
        "const bool before_it = all.hit; if (in_grid) all = exchange_of_clusters(all), all.hit = before_it;"),
    "bfs: barriers among levels are not counted": (
        "BFS", "src/bfs/exchange.cuh",
        "s.state.barriers = number + 1;", "s.state.barriers = number;"),
    "bfs: what all blocks have found twice is not told": (
        "BFS", "src/bfs/exchange.cuh",
        "last = s.appended[turn] | (again.found ?", "last = s.appended[turn] | (false ?"),
    "bfs: a block's verdicts are one": (
        "BFS", "src/bfs/state.cuh", "unsigned verdict[2]; //",
        "struct { unsigned one; GP_DEVICE unsigned &operator[](int) { return one; } } verdict; //"),
    "bfs: depths are not clear": (
        "BFS", "src/bfs/block.cuh", "if (i != source) write(Vertex(i), -1,",
        "if (i > source) write(Vertex(i), -1,"),
    "bfs: what went on alone is told in one place": (
        "BFS", "src/bfs/state.cuh", "gp__bfs_state state[2];",
        "struct { gp__bfs_state one; GP_DEVICE gp__bfs_state &operator[](gp__u64) { return one; } } state;"),
    "many sources: what one source has seen, all have": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "from[source[i]] & ~have[v[i]]", "(have[v[i]] ? 0 : from[source[i]])"),
    "many sources: whoever gives bits puts the vertex on the list": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "bits[i] && atomicOr(to + v[i], bits[i]) == 0",
        "bits[i] && (atomicOr(to + v[i], bits[i]), true)"),
    "many sources: the same source twice is on the list twice": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "atomicOr(next() + v, Word(1) << (i & (BITS - 1))) == 0",
        "(atomicOr(next() + v, Word(1) << (i & (BITS - 1))), true)"),
    "many sources: bits of the last frontier stay": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "    clear_words(visit(), list(t.side), t.before);\n", ""),
    "many sources: so they do behind levels bottom-up": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "    clear_words(next(), list(t.side ^ 1), t.before);\n", ""),
    "many sources: the warp's help is for its first lane": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "if (int(gp_lane()) == owner) got |= all;", "if (!gp_lane()) got |= all;"),
    "many sources: a vertex without fresh bits keeps old ones": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "if (there) to[v] = fresh;", "if (fresh) to[v] = fresh;"),
    "many sources: the warp's help ends one round early": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "if (last - first <= GP__WARP) break;", "break;"),
    "many sources: a long list's parts overlap": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "from + done, rest <", "from, rest <"),
    "many sources: lists longer than a part are lost": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "__ballot_sync(~0u, !is_short); large;", "__ballot_sync(~0u, false); large;"),
    "many sources: a warp's buffer has room for more than it has": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "if (filled + number > ROOM) flush();\n    if (has) buffer[filled +",
        "if (filled > ROOM) flush();\n    if (has) buffer[filled +"),
    "many sources: the limit is one level late": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "(a.limit && t.depth == a.limit)", "(a.limit && t.depth > a.limit)"),
    "many sources: nobody hears of levels of one block": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "if (rank != 0 && !threadIdx.x) s.state = control->state;\n", ""),
    "many sources: the last block is the first": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "gp__add_relaxed(&control->arrived, 1) == a.blocks - 1",
        "gp__add_relaxed(&control->arrived, 1) == 0"),
    "many sources: sums of a step go on to the next": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "      gp__store_relaxed(control->sums + gp_lane(), 0);\n", ""),
    "many sources: rows of the unreached are not written": (
        "BFS_SOURCES", "src/bfs/sources.cuh", "      write(v, all & ~has, -1);\n", ""),
    "many sources: a fault is overlooked": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "a.fault->kind != GP_FAULT_NONE) return;\n  Block block(a, s, memory);\n  if (a.part",
        "false) return;\n  Block block(a, s, memory);\n  if (a.part"),
    "many sources: what a batch did takes the place of what those before it did": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "    if (!a.batch) {\n      r.reached =", "    {\n      r.reached ="),
    "many sources: a source beyond the graph has a vertex": (
        "BFS_SOURCES", "src/bfs/sources.cuh",
        "const bool mine = v < vertices && atomicOr", "const bool mine = atomicOr"),
    "stale words are taken": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "all = all && w.tag == tag;", "all = all && w.tag != 0;"),
    "stale partial results are taken": (
        "REDUCE", "src/device/look_back.cuh",
        "all = all && w.tag == tag;", "all = all && w.tag != 0;"),
    "the epoch stands still": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "(workspace), k.tag << 28)", "(workspace), (k.tag - 1) << 28)"),
    "nobody starts the next epoch": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "if (k.number == draws - 1) gp__store_relaxed",
                                     "if (false) gp__store_relaxed"),
    "tiles by blockIdx": (
        "LOOK_BACK", "src/scan/kernels.cuh",
        "    const gp__ticket ticket = s.ticket;\n    if (ticket.number >= tiles) return;\n    const Tile",
        "    gp__ticket ticket = s.ticket;\n    if (once) ticket.number = blockIdx.x;\n"
        "    if (ticket.number >= tiles) return;\n    const Tile"),
    "look-back: no barrier behind the load": (
        "LOOK_BACK", "src/scan/kernels.cuh",
        "tile.load(a, gp__operands<Load>());\n    __syncthreads();\n    gp_carry<Acc> within, warps;\n"
        "    const Acc aggregate", "tile.load(a, gp__operands<Load>());\n    gp_carry<Acc> within, warps;\n"
        "    const Acc aggregate"),
    "look-back: the prefix is not shared": (
        "LOOK_BACK", "src/scan/kernels.cuh",
        "s.prefix = prefix;\n    }\n    __syncthreads();\n    gp_carry<Acc> carry",
        "s.prefix = prefix;\n    }\n    gp_carry<Acc> carry"),
    "the next group's prefix in the wrong slot": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "gp__publish(words, tiles + group + 1, next.value, tag)",
                                                  "gp__publish(words, tiles + group, next.value, tag)"),
    "a tile waits for itself": ("LOOK_BACK", "src/device/look_back.cuh", "const Acc part = gather(group, before);",
                                "const Acc part = gather(group, before + 1);"),
    "the walk back forgets a group": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "for (int i = depth - 1; i >= 0; --i) prefix.append",
                                      "for (int i = depth - 1; i > 0; --i) prefix.append"),
    "the walk back takes a prefix without the totals behind it": (
        "LOOK_BACK", "src/device/look_back.cuh",
        "there = depth >= 0 && (~ones & ((1u << depth) - 1u)) == 0;", "there = depth >= 0;"),
    "the warp's scan swaps operands": (
        "LOOK_BACK", "src/device/warp.cuh",
        "if (gp_lane() >= d) value = op(before, value);",
                                       "if (gp_lane() >= d) value = op(value, before);"),
    "the tile's scan has no barrier": (
        "LOOK_BACK", "src/device/tile_reduce.cuh",
        "if (gp_lane() == 31) storage.warp_total[gp_warp()] = inclusive;\n  __syncthreads();",
        "if (gp_lane() == 31) storage.warp_total[gp_warp()] = inclusive;"),
    "pipelined: no proxy fence": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "    gp__bulk_fence(); // before the store", "    // before the store"),
    "pipelined: a buffer is loaded while it is stored": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__bulk_wait_read<1>();", ""),
    "pipelined: stored before it is scanned": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__mbarrier_wait(&s.scanned[stage], round / STAGES & 1u);", ""),
    "pipelined: wrong parity": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__mbarrier_wait(&s.scanned[stage], round / STAGES & 1u);",
                                "gp__mbarrier_wait(&s.scanned[stage], round / STAGES & 1u ^ 1u);"),
    "pipelined: one warp's fold is not awaited": (
        "PIPELINED", "src/scan/pipelined.cuh", "gp__mbarrier_init(&s.folded[i], Pipeline::WARPS);",
        "gp__mbarrier_init(&s.folded[i], Pipeline::WARPS - 1);"),
    "pipelined: lane 0 speaks for the warp too early": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "before the buffer's next load\n    __syncwarp();", "before the buffer's next load"),
    "pipelined: published before it is folded": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__mbarrier_wait(&s.folded[stage], round / STAGES & 1u);", ""),
    "pipelined: looked back before it is published": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__mbarrier_wait(&s.published[stage], round / STAGES & 1u);", ""),
    "pipelined: tickets miscounted": (
        "PIPELINED", "src/scan/pipelined.cuh",
        "gp__u64(gridDim.x) * STAGES);",
                                      "gp__u64(gridDim.x) * (STAGES - 1));"),
    "pipelined: a bulk copy runs over the end": ("PIPELINED", "src/scan/pipelined.cuh", "r.bulk_end = r.end & ~15u;",
                                                 "r.bulk_end = (r.end + 15u) & ~15u;"),
    "sweeps: the spine swaps operands": (
        "SWEEPS", "src/scan/kernels.cuh",
        "if (within.has) before.append(within.value, Op());",
                                         "if (within.has) before.value = Op()(within.value, before.value);"),
    "stealing: the ticket is not shared": (
        "REDUCE", "src/reduce/kernels.cuh",
        "tiles + gridDim.x);\n    __syncthreads();\n    const gp__ticket ticket = s.ticket;\n"
        "    if (ticket.number >= tiles) {",
        "tiles + gridDim.x);\n    const gp__ticket ticket = s.ticket;\n    if (ticket.number >= tiles) {"),
    "stealing: no barrier between rounds": (
        "REDUCE", "src/reduce/kernels.cuh",
        "tile = round == first ? r : Op()(tile, r); // thread 0 counts\n        __syncthreads();",
        "tile = round == first ? r : Op()(tile, r); // thread 0 counts"),
    "reduce: partial results out of order": (
        "REDUCE", "src/reduce/kernels.cuh",
        "/ THREADS, first = threadIdx.x * share;",
                                             "/ THREADS, first = (THREADS - 1 - threadIdx.x) * share;"),
    "reduce: the tail is forgotten": (
        "REDUCE", "src/reduce/kernels.cuh",
        "if (!blockIdx.x && edge < n) sum =", "if (false) sum ="),
    "reduce: the rest of a share counts what is not there": (
        "REDUCE", "src/reduce/kernels.cuh",
        "if (WHOLE || i + k * stride < packs) sum = with;", "sum = with;"),
    "reduce: the rest of a share ends with its first pack": (
        "REDUCE", "src/reduce/kernels.cuh",
        "if (WHOLE || i + k * stride < packs) sum = with;", "if (WHOLE || k == 0) sum = with;"),
    "copies to shared memory: a vector too many": (
        "LOOK_BACK", "src/device/tile_copy.cuh",
        "end = whole > first ? whole - first : first", "end = whole > first ? whole : first"),
    "copies to shared memory: bytes behind the vectors are forgotten": (
        "LOOK_BACK", "src/device/tile_copy.cuh",
        "if (rank < rest) shared[at] = byte;", "if (rank < first * 16) shared[at] = byte;"),
    "reduce: the tile's reduction has no barrier": (
        "REDUCE", "src/device/tile_reduce.cuh",
        "if (!gp_lane()) storage.warp_total[gp_warp()] = value;\n  __syncthreads();",
        "if (!gp_lane()) storage.warp_total[gp_warp()] = value;"),
    "copy: reads beyond the input": (
        "MAP", "src/map/kernels.cuh",
        "else if (i > 0 && i + 1 < vectors)\n          v[k] = gp__shift_vectors",
                                     "else if (true)\n          v[k] = gp__shift_vectors"),
    "streams: where a run began is taken for its place in the tile": (
        "RUNS", "src/select/runs.cuh", "p.last ? p.last + tile * TILE : 0", "p.last"),
    "streams: what is open is not handed on": (
        "BY_KEY", "src/segments/by_key.cuh",
        "s.value = b.heads ? b.value : Op()(a.value, b.value);", "s.value = b.value;"),
    "streams: the run before a head goes on": (
        "BY_KEY", "src/segments/by_key.cuh",
        "s.value = b.heads ? b.value :", "s.value = b.heads ? a.value :"),
    "load balance: bad offsets are used": (
        "SEARCH", "src/search/kernels.cuh",
        "if (a.bad && *a.bad != ~0ull) return;\n  const gp__u64 count = gp__count(a), work",
        "const gp__u64 count = gp__count(a), work"),
    "streams: an initial value is no operand": (
        "BY_KEY", "src/segments/by_key.cuh",
        "const Acc init = Op::prepare(gp__value_as<Acc>(a.first)), start",
        "const Acc init = gp__value_as<Acc>(a.first), start"),
    "streams: the first run to end is not told from the first to begin": (
        "BY_KEY", "src/select/runs.cuh",
        "before = heads_before - lead + own;", "before = heads_before - lead;"),
    "streams: each block has a lone tile": (
        "SELECT", "src/select/kernels.cuh", "gp__ticket{0, blockIdx.x}", "gp__ticket{0, 0}"),
    "streams: a run's end behind the group is forgotten": (
        "BY_KEY", "src/select/runs.cuh",
        "all = heads_all - lead + behind +", "all = heads_all - lead +"),
    "streams: what does not exist is counted": (
        "SELECT", "src/select/select.cuh",
        "const bool one = (FULL || j < exist) && gp__holds", "const bool one = gp__holds"),
    "streams: a run ends with its tile": (
        "RUNS", "src/segments/heads.cuh",
        "if (exist > 0 && t.first + i + exist == t.count) {", "if (exist > 0 && i + exist == t.items) {"),
    "streams: in place without fences": (
        "SELECT", "src/select/kernels.cuh",
        "tiles, tag, gp_carry<State>(), in_place(a)};", "tiles, tag, gp_carry<State>(), false};"),
    "streams: the key before the tile is not there": (
        "RUNS", "src/select/kernels.cuh",
        "if (BEFORE && t.first > 0 && thread < sizeof(T))", "if (false)"),
    "streams: the key before the tile is not copied": (
        "RUNS", "src/select/pipelined.cuh", "before && t.first > 0 ? from - size : from,", "from,"),
    "streams: the key behind the tile is not copied": (
        "RUNS", "src/select/pipelined.cuh",
        "high = behind && t.first + t.items < count ? to + size : to;", "high = to;"),
    "streams: elements move while they are read": (
        "SELECT", "src/select/stream.cuh",
        "x.template load<FULL>(mine, exist);\n      __syncwarp();", "x.template load<FULL>(mine, exist);"),
    "streams: results leave their group's part": (
        "SELECT", "src/select/stream.cuh",
        "V > 0 && n + V <= room &&", "V > 0 &&"),
    "streams: copied out before they are gathered": (
        "SELECT", "src/select/stream.cuh",
        "if (marks.get(j)) *next++ = x.item[j];\n      }\n      __syncwarp();",
        "if (marks.get(j)) *next++ = x.item[j];\n      }"),
    "streams: lengths overwrite keys that are not out yet": (
        "RUNS", "src/select/runs.cuh", "__syncwarp(); // what stood there has been read", ""),
    "streams: a long run's length is cut off": ("RUNS", "src/select/runs.cuh", "if (large) mine[b] = 0;", ""),
    "streams: a short run counts as one that is cut off": (
        "RUNS", "src/select/runs.cuh",
        "end > 0 && head > end &&", "end > 0 &&"),
    "bytes: a selector": ("BYTES", "src/device/warp.cuh", "0x10313033u", "0x10303033u"),
    "bytes: the fourth byte is not counted": (
        "BYTES", "src/device/warp.cuh",
        "0x18101008u, three) + fourth;", "0x18101008u, three);"),
    "bytes: a thread stores what stands before its first": (
        "BYTES", "src/device/warp.cuh",
        "if (begin <= k && k < end)", "if (k < end)"),
    "bytes: a whole word overwrites a part": (
        "BYTES", "src/select/stream.cuh",
        "marks);\n        __syncwarp();\n        gather.finish();", "marks);\n        gather.finish();"),
    "bytes: the third part overwrites the second": (
        "BYTES", "src/select/select.cuh",
        "__syncwarp();\n        two.finish();", "two.finish();\n        __syncwarp();"),
    "bytes: signs": ("BYTES", "src/device/common.cuh", "(SIGNED ? a & ~b : ~a & b)", "(~a & b)"),
    "bytes: a carry reaches the next byte": (
        "BYTES", "src/device/common.cuh",
        "((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x", "(x + 0x7f7f7f7fu) | x"),
    "streams: lane 0 speaks before the lanes keep": (
        "BY_KEY", "src/select/kernels.cuh",
        "__syncwarp(); // lane 0 will say that the warp is done", ""),
    "reproducible segments: runs begin on a vector's boundary": (
        "SEGMENTS", "src/segments/warps.cuh", "vectors(FREE && !Operands", "vectors(!Operands"),
    "reproducible segments: the last run ends at the next offset": (
        "SEGMENTS", "src/segments/ends.cuh", "s + 1 < segments ? gp__u64", "s + 1 <= segments ? gp__u64"),
    "reproducible segments: a count on the device counts for nothing": (
        "SEGMENTS", "src/segments/ends.cuh", "if (a.end && *gp__as<const gp__u64>(a.end) < count)",
        "if (false)"),
    "reproducible segments: lanes by the mean length": (
        "CONTRACT", "src/segments/geometry.h", "  if (s->reproducible) g->log2_lanes = GP__RANGE_LOG2_LANES;\n", ""),
    "reproducible scans: any tile": (
        "ARGUMENTS", "src/select/policy.h",
        "(!s->reproducible || (p.threads == gp__pinned_threads(s) && p.vectors == gp__pinned_vectors(s)))", "true"),
    "reproducible scans: tiles as large as without": (
        "CONTRACT", "src/select/portable.h", "  if (s->reproducible) {\n", "  if (0) {\n"),
    "reproducible scans: on the host the first value of a run stands for what precedes it": (
        "CONTRACT", "src/segments/host.c", "if (head) *s = t->start, s->key = 1;", "if (head) s->key = 1;"),
    "reproducible scans: on the host a run does not stop what precedes it": (
        "CONTRACT", "src/segments/host.c", "  if (b->key) return;\n", ""),
    "reproducible scans: on the host lanes fold tiles in another order": (
        "CONTRACT", "src/segments/host.c",
        "if (2 * i + 1 < n) gp__host_join_runs(t->h, &t->aggregate[2 * i], &lanes[i]);", "(void)0;"),
    "reproducible scans: on the host a group of tiles is forgotten": (
        "CONTRACT", "src/segments/host.c", "if (number > group) gp__host_join_runs", "if (0) gp__host_join_runs"),
    "reproducible scans: on the host a warp takes its neighbour's total": (
        "CONTRACT", "src/segments/host.c", "s = total[w - 1]", "s = total[w]"),
    "reproducible scans: on the host tiles are left for later": (
        "CONTRACT", "src/segments/host.c", "|| end == h->q->count)", "|| end + 1 == h->q->count)"),
    "stored: results as they are": (
        "CONTRACT", "src/core/kernel_names.c", "  else if (q->stored)\n", "  else if (0)\n"),
    "stored: ARGMIN has an operator": (
        "ARGUMENTS", "src/core/check_call_types.c", "if (q->stored && q->is_arg)", "if (0)"),
    "stored: built-in operators on structs": (
        "ARGUMENTS", "src/core/check_call_types.c", "if (q->stored && !q->user_stored && acc.info)", "if (0)"),
    "stored: on the host nothing is applied": (
        "CONTRACT", "src/host/inputs.c", "if (q->stored) return gp__host_store(q, threads);", "(void)0;"),
    "reproducible groups: nothing is reduced": (
        "GROUP_CALLS", "src/group_by/plan.c", "    gp__add_request(g, &reduce);\n", ""),
    "reproducible groups: runs are not asked for the same bits": (
        "GROUP_CALLS", "src/group_by/plan.c", "  runs.flags = q->flags & GP_REPRODUCIBLE;\n", ""),
    "reproducible segments: on the host a warp takes twice as many": (
        "CONTRACT", "src/segments/host.c", "n <= lane * 32", "n <= lane * 64"),
    "sort order: the least significant word decides": (
        "MERGE", "src/sort/keys.cuh", "int w = gp__key_words<K>::value - 1; w >= 0; --w",
        "int w = 0; w < gp__key_words<K>::value; ++w"),
    "sort order: down is up": ("MERGE", "src/sort/keys.cuh", "DESCENDING ? y < x : x < y", "x < y"),
    "described sorts: keys are not written first": (
        "LITTLE", "src/graph/launch.c", "if (copy.count) GP__CHECK(gp__add_call", "if (0) GP__CHECK(gp__add_call"),
    "described sorts: a key too few is written": (
        "LITTLE", "src/graph/launch.c", "copy.count = q->inputs.elements[i];",
        "copy.count = q->inputs.elements[i] - 1;"),
    "sorts from the first digits on: a part begins where the whole array's digit does": (
        "DIGITS", "src/sort/launch.c", "q->starts[digit] < from ? 0 : q->starts[digit] - from", "q->starts[digit]"),
    "sorts from the first digits on: a part ends with its digit, behind the call's keys": (
        "DIGITS", "src/sort/launch.c", "last = end < q->count ? end : q->count;", "last = end;"),
    "sorts from the first digits on: the list has what the host's memory had": (
        "DIGITS", "src/sort/launch.c", "  memset(list, 0, GP__HYBRID_LIST * sizeof *list);\n", ""),
    "sorts from the first digits on: parts have what the host's memory had": (
        "DIGITS", "src/sort/launch.c", "    memset(p, 0, sizeof *p); // GP__FROM_IN, GP__PART_MOVES\n", ""),
    "sorts from the first digits on: all parts begin with the same tile": (
        "DIGITS", "src/sort/launch.c", "    p->first_tile = (unsigned)tiles;", "    p->first_tile = 0;"),
    "sorts from the first digits on: keys lack the first digit": (
        "DIGITS", "src/sort/launch.c", "    p->low = digit << width;\n", ""),
    "sorts from the first digits on: the next call writes over the host's memory": (
        "DIGITS", "src/sort/launch.c", "  *q->staged = (gp__u8 *)p;\n", ""),
    "little memory: a round too few": ("LITTLE", "src/sort/little.c", "(n + 1) == n / 2)", "(n + 1) == n / 2 - 1)"),
    "little memory: the last block is as long as the others": (
        "LITTLE", "src/sort/little.c", "c->count = block < 0 ? 0 : first[block == n - 1].count;",
        "c->count = block < 0 ? 0 : first->count;"),
    "little memory: values of the second block are where they were": (
        "LITTLE", "src/sort/little.c", "c->in2 = gp__block_at(block + 1, back, ",
        "c->in2 = gp__block_at(block + 1, 0, "),
    "little memory: blocks have the call's policy": (
        "LITTLE", "src/sort/little.c", "  sort->policy = NULL;\n", ""),
    "merge: ties go to the second input": (
        "MERGE", "src/merge/kernels.cuh", "const bool later = Before()(two, one), of_second = FULL",
        "const bool later = !Before()(one, two), of_second = FULL"),
    "merge: the diagonal puts ties with the second input": (
        "MERGE", "src/merge/kernels.cuh",
        "if (!Before()(*gp__as<const Key>(shared + RING_AT + y), "
        "*gp__as<const Key>(shared + x)))",
        "if (Before()(*gp__as<const Key>(shared + x), "
        "*gp__as<const Key>(shared + RING_AT + y)))"),
    "merge: the rings are overwritten while they are read": (
        "MERGE", "src/merge/kernels.cuh", "__syncthreads(); // the rings have been read", ""),
    "merge: the rings are read before they are filled": (
        "MERGE", "src/merge/kernels.cuh",
        "__syncthreads(); // the rings are filled", ""),
    "merge: a ring has no end": (
        "MERGE", "src/merge/kernels.cuh",
        "return MASKED ? at & (RING - 1) : gp_min<gp__u32>()(at, at - RING);", "return at;"),
    "merge: a ring's begin does not stand behind it": (
        "MERGE", "src/merge/kernels.cuh", "if (MIRROR && i < n + m && from < MIRROR)", "if (false)"),
    "merge: a ring's begin stands behind it but for a unit": (
        "MERGE", "src/merge/kernels.cuh",
        "if (MIRROR && i < n + m && from < MIRROR)", "if (MIRROR && i < n + m && from + UNIT < MIRROR)"),
    "merge: a whole unit is loaded over an input's end": (
        "MERGE", "src/merge/kernels.cuh",
        "if (WHOLE || (p >= begin && p + gp__unit<T>::BYTES <= end))", "if (true)"),
    "merge: a unit's parts go on to the one behind an input's end": (
        "MERGE", "src/device/tile_transpose.cuh",
        "= word >= from && word < to ?", "= word >= from && word <= to ?"),
    "merge: all units are taken for whole ones": (
        "MERGE", "src/merge/kernels.cuh",
        "if (whole) load_units<true>(p", "if (true) load_units<true>(p"),
    "merge: a ring has no room for units that are half used up": (
        "MERGE", "src/merge/kernels.cuh",
        "(TILE * SIZE + (KEEPS ? 2 * UNIT : 0) +", "(TILE * SIZE +"),
    "merge: from both ends where nothing comes before": (
        "MERGE", "src/merge/kernels.cuh",
        "const bool ends = first.before && second.before;", "const bool ends = true;"),
    "merge: backwards, ties go to the first input": (
        "MERGE", "src/merge/kernels.cuh",
        "end_second = !Before()(two_end, one_end);", "end_second = Before()(one_end, two_end);"),
    "merge: backwards, a ring has no begin": (
        "MERGE", "src/merge/kernels.cuh",
        "return from < LEAD ? from + RING : from;", "return from;"),
    "merge: units go on behind a ring": (
        "MERGE", "src/merge/kernels.cuh",
        "fill = wrap(fill + units * UNIT);", "fill += units * UNIT;"),
    "merge: the last tile is taken for a whole one": (
        "MERGE", "src/merge/kernels.cuh",
        "if (window == TILE && window2 == TILE)", "if (true)"),
    "merge: a range goes on behind its end": (
        "MERGE", "src/merge/kernels.cuh",
        "const unsigned tile = gp_min<gp__u32>()(rest, TILE);", "const unsigned tile = TILE;"),
    "merge: one window is whole": (
        "MERGE", "src/merge/kernels.cuh",
        "if (window == TILE && window2 == TILE)", "if (window == TILE)"),
    "merge: values are picked up before they are there": (
        "MERGE", "src/merge/kernels.cuh",
        "values_units2);\n        __syncthreads();\n        pick(", "values_units2);\n        pick("),
    "merge: a warp writes what its lanes have not merged": (
        "MERGE", "src/merge/kernels.cuh", "__syncwarp();\n      gp__write_alike<Key>::template run",
        "gp__write_alike<Key>::template run"),
    "merge sort: the network is not stable": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "there && Before()(b, a);", "there && !Before()(a, b);"),
    "merge sort: zeros of two signs are taken for the same": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "in_order = in_order || gp__zeros_tie<Before>::negative(key[k]);", "in_order = false;"),
    "merge sort: the last key of a part is not sorted": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "FULL || i + 1 < n);", "FULL || i + 2 < n);"),
    "merge sort: ties go to the second run": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "const bool later = Before()(second, first), of_second = y",
        "const bool later = !Before()(first, second), of_second = y"),
    "merge sort: the last run is taken for a whole one": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "m = rest - n < run ? rest - n : run;\n      const gp__u32 at = gp__u32(base",
        "m = run;\n      const gp__u32 at = gp__u32(base"),
    "merge sort: keys move while they are merged": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "for (int width = 1;; width *= 2) { // threads of a run\n      __syncthreads();",
        "for (int width = 1;; width *= 2) { // threads of a run"),
    "merge sort: merged before they are there": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "__syncthreads();\n      if (width * ITEMS >= tile) break;", "if (width * ITEMS >= tile) break;"),
    "merge sort: places are not carried": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "if (k < count) source[VALUE ? k : 0] = sources[source[VALUE ? k : 0]];", ";"),
    "merge sort: the first run goes on behind its end": (
        "MERGE_SORT", "src/merge/tile_sort.cuh",
        "(x >= one_end || later);", "later;"),
    "merge sort: a part goes on behind the last key": (
        "MERGE_SORT", "src/merge/tile_sort.cuh", "(ANY ? next : gp_min<gp__u32>()(next, last))", "next"),
    "merge sort, four ways: an equal key of a later run comes first": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "if (Before()(earlier ? x : y, earlier ? y : x) != earlier)", "if (Before()(y, x))"),
    "merge sort, four ways: an equal key of any run comes first": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "if (Before()(earlier ? x : y, earlier ? y : x) != earlier)", "if (!Before()(x, y))"),
    "merge sort, four ways: probes are overwritten while they are read": (
        "MERGE_SORT", "src/merge/four_way.cuh", "synchronise(); // the probes have been read", ""),
    "merge sort, four ways: probes are read before they are there": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "    __syncwarp();\n    return __ballot_sync(~0u, x) != 0;\n  }\n"
        "  static GP_DEVICE void synchronise()",
        "    return __ballot_sync(~0u, x) != 0;\n  }\n  static GP_DEVICE void synchronise()"),
    "merge sort, four ways: a run of which nothing is left has probes": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "if (!there || s.rest[r] == 0) continue;", "if (!there) continue;"),
    "merge sort, four ways: a key behind a lesser probe counts as lesser": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "probe_at(lesser[i] - 1, rest) + 1 : 0;", "probe_at(lesser[i] - 1, rest) + 2 : 0;"),
    "merge sort, four ways: the next probe counts as certain": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "&& most < rank", "&& most <= rank"),
    "merge sort, four ways: a group's last tile has no end": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "(t + 1) * TILE >= n || ((t + 1) & ((gp__u64(1) << (a.log2_run + a.log2_ways)) - 1)) == 0;",
        "(t + 1) * TILE >= n;"),
    "merge sort, four ways: a tile's borders are read before they are there": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "s.border[which * 4 + mine] = border;\n    __syncthreads();",
        "s.border[which * 4 + mine] = border;"),
    "merge sort, four ways: a group of two has four runs": (
        "MERGE_SORT", "src/merge/four_way.cuh", "from < count && r >> a.log2_ways == 0", "from < count"),
    "merge sort, four ways: all units are taken for whole ones": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "(p >= begin_of_keys && p + mine * UNIT <= end_of_keys)", "true"),
    "merge sort, four ways: pairs are merged before they are there": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "+ threadIdx.x] = Unit();\n    __syncthreads();", "+ threadIdx.x] = Unit();"),
    "merge sort, four ways: keys move while pairs are merged": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "    __syncthreads();\n    if (here == N) put<true>", "    if (here == N) put<true>"),
    "merge sort, four ways: places are not carried": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "return named ? carried[source] : type(source);", "return type(source);"),
    "merge sort, four ways: behind the last key is no room": (
        "MERGE_SORT", "src/merge/policy.h",
        "gp__merge_window_bytes(gp__merge_four_part(items) + 1, key_size, 1)", "0"),
    "merge sort, four ways: values are taken to lie as their keys do": (
        "MERGE_SORT", "src/merge/four_way.cuh",
        "if (VALUE == KEY && gp__misalignment(a.keys, UNIT) == gp__misalignment(values, UNIT)) {",
        "if (VALUE == KEY) {"),
    "merge sort, four ways: a part is no longer than a share": (
        "MERGE_SORT", "src/merge/policy.h", "int gp__merge_four_part(int items) { return items + 2; }",
        "int gp__merge_four_part(int items) { return items; }"),
    "merge sort: a range begins in the run before": (
        "MERGE_SORT", "src/merge/kernels.cuh",
        "base = at / (2 * a.run) * (2 * a.run);", "base = at / a.run * a.run;"),
    "sets: a key that shares its word with others goes to the word's first byte": (
        "SETS", "src/device/tile_transpose.cuh",
        "    p.item[i] = word >= from &&", "    p.item[i & ~3] = word >= from &&"),
    "sets: pairs are cut apart by borders": (
        "SETS", "src/sets/tile.cuh",
        "at[0] = first[0] + half, at[1] = first[1] + half;", ""),
    "sets: the shorter run of the first input is taken for longer": (
        "SETS", "src/sets/tile.cuh", "if (shorter[i]) {", "if (i && shorter[i]) {"),
    "sets: the shorter run of the second input is taken for longer": (
        "SETS", "src/sets/tile.cuh", "if (shorter[i]) {", "if (!i && shorter[i]) {"),
    "sets: a run is not followed back": (
        "SETS", "src/sets/tile.cuh",
        "while (known < back && !Before", "while (known < 1 && back && !Before"),
    "sets: ranks are counted from the thread's first": (
        "SETS", "src/sets/tile.cuh",
        "    if (twos) {", "    if (false) {"),
    "sets: of both, ranks are counted from the thread's first": (
        "SETS", "src/sets/tile.cuh",
        "      if (!starts) {\n        const Key x", "      if (false) {\n        const Key x"),
    "sets: a thread's first key has too many equals": (
        "SETS", "src/sets/tile.cuh",
        "high = high <= end ? high : end + 1;", "high = high <= end ? high : end + 2;"),
    "sets: the keys before a thread's first are few": (
        "SETS", "src/sets/tile.cuh",
        "if (low == end || Before()(keys[end - 1 - low], x)) return low;\n    while (high",
        "if (low == end || Before()(keys[end - 1 - low], x)) return low;\n    while (false && high"),
    "sets: a run that begins the tile is not seen whole": (
        "SETS", "src/sets/tile.cuh",
        "while (high <= end && !Before", "while (high < end && !Before"),
    "sets: a thread at the end of an input is taken for one that is not": (
        "SETS", "src/sets/tile.cuh",
        "if (i + ITEMS < n && j + ITEMS < m) merge<true>", "if (i + ITEMS < n) merge<true>"),
    "sets: a run goes on to the thread's end": (
        "SETS", "src/sets/tile.cuh",
        "end = ends ? gp__first_bit(ends) : ITEMS + 1;", "end = ITEMS + 1;"),
    "sets: a run behind the thread's elements is not followed": (
        "SETS", "src/sets/tile.cuh",
        "if (end > ITEMS && ones_here) {", "if (end > ITEMS + 1) {"),
    "sets: a partner is beyond the tile": (
        "SETS", "src/sets/tile.cuh",
        "from + most < m ? from + most : m, key", "from + most, key"),
    "sets: equal keys of one input are taken for a pair": (
        "SETS", "src/sets/tile.cuh",
        "    while (others) {", "    while (false) {"),
    "sets: the key before is always taken for the first input's": (
        "SETS", "src/sets/tile.cuh",
        "(second << 1 | Mask(after_second ? 1 : 0)));", "(second << 1));"),
    "sets: the key behind a thread's last one is no partner": (
        "SETS", "src/sets/tile.cuh", "for (int k = 0; k <= ITEMS; ++k) {\n      const Key &a",
        "for (int k = 0; k < ITEMS; ++k) {\n      const Key &a"),
    "sets: the tile's first key has a tie": ("SETS", "src/sets/tile.cuh", "if (i + j == 0) tie &= ~Mask(1);", ""),
    "sets: what is behind the tile has a tie": (
        "SETS", "src/sets/tile.cuh",
        "tie &= gp__bits_below<Mask>(n + m - i - j);", ""),
    "sets: a tile is merged before its keys are there": (
        "SETS", "src/sets/kernels.cuh",
        "__syncthreads();\n    const gp__u64 next = s.ticket.number;\n    gp__u64 border",
        "const gp__u64 next = s.ticket.number;\n    gp__u64 border"),
    "sets: the first tile's ends are read before they are there": (
        "SETS", "src/sets/kernels.cuh",
        "end_of(drawn.number, threadIdx.x);\n  }\n  __syncthreads();",
        "end_of(drawn.number, threadIdx.x);\n  }"),
    "sets: union keeps both of a pair": (
        "SETS", "src/sets/tile.cuh",
        ": ~paired);", ": ~Mask(0));"),
    "sets: difference takes the second input for the first": (
        "SETS", "src/sets/tile.cuh",
        "? second & ~paired", "? ~second & ~paired"),
    "sets: written before it is known where": (
        "SETS", "src/sets/kernels.cuh",
        "*a.out_count = s.before + kept;\n    }\n  }\n  __syncthreads();",
        "*a.out_count = s.before + kept;\n    }\n  }"),
    "sets: the last tile's place is written while the one before is read": (
        "SETS", "src/sets/kernels.cuh",
        "if (next >= tiles) __syncthreads(); // s.before is written again", ""),
    "sets: results are written over those that wait": (
        "SETS", "src/sets/kernels.cuh",
        "    others = results;\n    results = free;", "    results = others = free;"),
    "sets: the borders' inputs are not told apart": (
        "SETS", "src/sets/kernels.cuh", "(i ^ (Tile::SWAPPED ? 1 : 0))", "i"),
    "sets: the marks of sides are not cut off": (
        "SETS", "src/sets/tile.cuh",
        "const gp__u32 PLACE = MARKED ? 0xffffu : ~0u;",
                                                 "const gp__u32 PLACE = ~0u;"),
    "sets: only the first of equal keys has a partner": (
        "SETS", "src/device/warp.cuh",
        "for (int apart = 3; two && apart <= N; apart += 2) {", "for (int apart = 3; false; apart += 2) {"),
    "sets: as many partners as there are keys": (
        "SETS", "src/device/warp.cuh",
        "two = two << 1 & second & tie & (one & tie) << (apart - 1);", "two = two << 1 & second & tie;"),
    "sets: a run that begins before is taken for one that begins here": (
        "SETS", "src/sets/tile.cuh",
        "const Mask outside = tie & ~(tie + 1), twos", "const Mask outside = 0, twos"),
    "sets, pipelined: a tile is merged before its keys are there": (
        "SETS", "src/sets/pipelined.cuh",
        "meet(meetings);\n      Key key[ITEMS];", "Key key[ITEMS];"),
    "sets, pipelined: counted before all have merged": (
        "SETS", "src/sets/pipelined.cuh",
        "meet(meetings);\n    rank = upto - own;", "rank = upto - own;"),
    "sets, pipelined: written before it is known where": (
        "SETS", "src/sets/pipelined.cuh", "gp__mbarrier_wait(&s.placed[r & 1u], r >> 1 & 1u);", ""),
    "sets, pipelined: a place two tiles ago is taken for this one": (
        "SETS", "src/sets/pipelined.cuh",
        "gp__mbarrier_wait(&s.placed[r & 1u], r >> 1 & 1u);", "gp__mbarrier_wait(&s.placed[r & 1u], 0);"),
    "sets, pipelined: taken before it is found": (
        "SETS", "src/sets/pipelined.cuh",
        "gp__mbarrier_wait(&s.found, r & 1u);", ""),
    "sets, pipelined: found before the one before is taken": (
        "SETS", "src/sets/pipelined.cuh", "if (r) gp__mbarrier_wait(&s.taken, (r - 1) & 1u);", ""),
    "sets, pipelined: the last tile's place is looked for before it is counted": (
        "SETS", "src/sets/pipelined.cuh", "if (r) gp__mbarrier_wait(&s.taken, r & 1u);", ""),
    "sets, pipelined: the last tile but one has the last one's place": (
        "SETS", "src/sets/pipelined.cuh",
        "assign_offset(l, r - 2, last_but_one);", "assign_offset(l, r - 2, last);"),
    "sets, pipelined: a tile's ends are sought where the second input has no more": (
        "SETS", "src/sets/pipelined.cuh",
        "split[k] = low > known[1] ? low : known[1];", "split[k] = known[1];"),
    "sets, pipelined: a block draws once too often": (
        "SETS", "src/sets/pipelined.cuh",
        "if (more) drawn = gp__draw(a.workspace, draws);", "drawn = gp__draw(a.workspace, draws);"),
    "sets, pipelined: results are written over those that wait": (
        "SETS", "src/sets/pipelined.cuh",
        "return shared + Tile::RESULTS_AT + (r & 1u) * Tile::RESULT;",
        "return shared + Tile::RESULTS_AT + (r & 0u);"),
    "streams: published before it is folded": (
        "SELECT", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.folded[stage], parity);", ""),
    "streams: looked back before it is published": (
        "SELECT", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.published[stage], parity);", ""),
    "streams: written before it is known where": (
        "SELECT", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.carried[stage], parity);", ""),
    "streams: a buffer is loaded before it is free": (
        "SELECT", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.emitted[stage], parity);", ""),
    "streams: one warp's results are not awaited": (
        "SELECT", "src/select/pipelined.cuh", "gp__mbarrier_init(&s.emitted[i], Pipeline::GROUPS);",
        "gp__mbarrier_init(&s.emitted[i], Pipeline::GROUPS - 1);"),
    "streams: a buffer is loaded without a fence": (
        "SELECT", "src/select/pipelined.cuh",
        "      gp__bulk_fence(); // before the buffer's next load\n", ""),
    "scan: a cluster's rounds share their slots": (
        "SWEEPS", "src/device/look_back.cuh", "gp__u64 piece[2][GP__CLUSTER][N];",
        "struct { gp__u64 one[GP__CLUSTER][N]; GP_DEVICE gp__u64 (*operator[](int))[N] { return one; } } piece;"),
    "scan: a cluster does not wait": (
        "SWEEPS", "src/scan/kernels.cuh", "    gp__cluster_arrive();\n    gp__cluster_wait();\n",
        "    __syncthreads();\n"),
    "scan: a cluster's blocks send before all have started": (
        "SWEEPS", "src/scan/kernels.cuh", "  gp__cluster_wait(); // all blocks have started\n", ""),
    "scan: a cluster's next round begins at the block's own prefix": (
        "SWEEPS", "src/scan/kernels.cuh",
        "    if (n - round * each > each) values.append(prefix, round, blockIdx.x, gridDim.x, Op());\n", ""),
    "streams: a cluster does not wait": (
        "SELECT", "src/select/kernels.cuh", "    gp__cluster_arrive();\n    gp__cluster_wait();\n",
        "    __syncthreads();\n"),
    "streams: a cluster's next round begins at the block's own prefix": (
        "SELECT", "src/select/kernels.cuh",
        "    values.append(prefix, round, blockIdx.x, gridDim.x, typename S::Join());\n", ""),
    "streams: tickets miscounted": ("SELECT", "src/select/pipelined.cuh", "tiles + gp__u64(gridDim.x) * STAGES);",
                                    "tiles + gp__u64(gridDim.x) * (STAGES - 1));"),
    "rows in registers: a vector behind a row is folded": (
        "AXES", "src/rows/kernels.cuh",
        "if (first + k * step >= vectors) continue;", "if (first + k * step > vectors) continue;"),
    "rows in registers: lanes take rows by their rank": (
        "AXES", "src/rows/kernels.cuh", "first + (gp_lane() >> a.log2_lanes);", "first + (gp_lane() & (held - 1));"),
    "lines: an index starts at the dimension's first": (
        "AXES", "src/rows/tile.cuh",
        "skipped(extent - at < number.by ? number.by - unsigned(extent - at) : 0)", "skipped(0)"),
    "lines: a turn of dimension 2 goes on": (
        "AXES", "src/rows/tile.cuh",
        "turned[1] = steps[3] - gp__i64(a.extent[2]) * steps[2];", "turned[1] = steps[3];"),
    "runs of few elements a thread: the length of a run begins before its head": (
        "RUNS", "src/select/runs.cuh",
        "if (heads.get(j)) begin = lane_first + j + 1;", "if (heads.get(j)) begin = lane_first + j;"),
    "streams of few elements a thread: the thread's first element for all": (
        "RUNS", "src/select/stream.cuh",
        "if (marks.get(j)) *next++ = gp__as<const V>(mine)[j];",
        "if (marks.get(j)) *next++ = gp__as<const V>(mine)[0];"),
    "reduce by key of few elements a thread: results of all lanes at one place": (
        "BY_KEY", "src/segments/by_key.cuh", "if (DIRECT) out += ranks.before;", "if (DIRECT) out += 0;"),
    "segments in rows of 32: an element behind a segment is folded": (
        "SEGMENTS", "src/segments/warps.cuh", "32u * j < left ?", "32u * j <= left ?"),
    "scans of segments: what a block has scanned is not carried on": (
        "BY_KEY", "src/segments/scans.cuh", "else carry.append(total, Op());", "else carry.has = INIT;"),
    "scans of segments: warps before a warp are left out": (
        "BY_KEY", "src/segments/scans.cuh",
        "if (w == warp) before = carry;", "if (w == 0) before = carry;"),
    "scans of segments: totals of warps are overwritten": (
        "BY_KEY", "src/segments/scans.cuh", "        __syncthreads();\n      } else carry", "      } else carry"),
    "scans of segments: a long segment is listed before the list is empty": (
        "BY_KEY", "src/segments/scans.cuh",
        "s.longs = 0;\n      __syncthreads();", "s.longs = 0;"),
    "scans of segments: the next list begins while this one is read": (
        "BY_KEY", "src/segments/scans.cuh",
        "      }\n      __syncthreads();\n    }", "      }\n    }"),
    "scans of segments: what precedes all segments is left out": (
        "BY_KEY", "src/segments/scans.cuh", "from = s ? offsets[s - 1] : 0,", "from = offsets[s ? s - 1 : 0],"),
    "scans of segments: offsets go beyond the count on the device": (
        "BY_KEY", "src/segments/scans.cuh", "end = next < n ? unsigned(next) : n;", "end = unsigned(next);"),
    "scans of segments: elements are read before the warp has turned them": (
        "BY_KEY", "src/segments/scans.cuh", "        __syncwarp();\n        GP__EACH", "        GP__EACH"),
    "scans of segments: results are read before the warp has turned them": (
        "BY_KEY", "src/segments/scans.cuh", "      if (R > 1) __syncwarp();\n", ""),
    "scans of segments: results from the first on": (
        "BY_KEY", "src/segments/scans.cuh", "const int j = R - 1 - k;", "const int j = k;"),
    "scans of segments: the first lane has a left neighbour": (
        "BY_KEY", "src/segments/scans.cuh", "if (gp_lane() > 0) before.append", "before.append"),
    "scans of segments: the elements' places are not counted": (
        "BY_KEY", "src/select/policy.h", " + p.threads * gp__segment_places(s->acc_size) * s->acc_size\n", "\n"),
    "offsets: a flag is forgotten": ("BY_KEY", "src/segments/by_key.cuh", ": a.heads | b.heads;", ": b.heads;"),
    "offsets: marks stay": (
        "BY_KEY", "src/segments/heads.cuh",
        "marks[i] = i == 0 && t.first == 0 ? 1u : 0u;", "if (t.first == 0) marks[i] = i == 0 ? 1u : 0u;"),
    "offsets: marked before marks are clear": (
        "BY_KEY", "src/select/kernels.cuh", "__syncwarp();\n    mark(a, t, mine,", "mark(a, t, mine,"),
    "offsets: folding warps mark before the offsets are found": (
        "BY_KEY", "src/select/pipelined.cuh", "gp__mbarrier_wait(&s.found[stage], parity);", ""),
    "offsets: folded before all heads are marked": (
        "BY_KEY", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.marked[stage], parity);", ""),
    "offsets: folded before the tile has arrived": (
        "BY_KEY", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(&s.marked[stage], parity);\n        gp__mbarrier_wait(&s.loaded[stage], parity);",
        "gp__mbarrier_wait(&s.marked[stage], parity);"),
    "offsets: found before the ticket is there": (
        "BY_KEY", "src/select/pipelined.cuh",
        "gp__mbarrier_wait(S::Offsets::any ? &s.drawn[stage] : &s.loaded[stage], parity);\n"
        "      const gp__ticket ticket", "const gp__ticket ticket"),
    "offsets: the block folds before all heads are marked": (
        "BY_KEY", "src/select/kernels.cuh",
        "S::mark(a, t, s.offsets[0], shared, gp_warp(), S::GROUPS);\n    __syncthreads();",
        "S::mark(a, t, s.offsets[0], shared, gp_warp(), S::GROUPS);"),
    "offsets: the walk ends a window too early": (
        "BY_KEY", "src/segments/heads.cuh",
        "gp__u64(end - start + WINDOW - 1) / WINDOW;", "gp__u64(end - start) / WINDOW;"),
    "offsets: the ends of the array are left out": (
        "BY_KEY", "src/segments/heads.cuh",
        "if (warp == 0 && (start < 0 || stop < end))", "if (false)"),
    "offsets: a leap goes too far": (
        "BY_KEY", "src/segments/heads.cuh",
        "(warp + warps - unsigned(found % warps)) % warps", "(warp + 1)"),
    "offsets: the folding warps' share is left out": (
        "BY_KEY", "src/select/pipelined.cuh",
        "S::mark(a, t, s.offsets[stage], shared + stage * S::STAGE, unsigned(warp), FOLDS);",
        ""),
    "offsets: one folding warp's heads are not awaited": (
        "BY_KEY", "src/select/pipelined.cuh", "gp__mbarrier_init(&s.marked[i], Pipeline::FOLDS);",
        "gp__mbarrier_init(&s.marked[i], Pipeline::FOLDS - 1);"),
    "offsets: what a lane has of another word is dropped": (
        "BY_KEY", "src/segments/heads.cuh",
        "if (one.word != word && word != ~0u) atomicOr(&marks[word], bits);", ""),
    "offsets: the second search forgets what it skipped": (
        "BY_KEY", "src/segments/heads.cuh",
        "return gp__span{first[0], first[1] + more[1]};", "return gp__span{first[0], first[1]};"),
    "segments: blocks do not hand on what is open": (
        "SEGMENTS", "src/segments/carries.cuh", "if (b.open.has) a.open.append(b.open.value, Op());", ""),
    "segments: the fix-up swaps operands": (
        "SEGMENTS", "src/segments/reduce.cuh", "if (p.segment >> 1 & 1u) sum.append(p.first, Op());",
        "if (p.segment >> 1 & 1u) sum.value = sum.has ? Op()(p.first, sum.value) : p.first, sum.has = true;"),
    "segments: the fix-up starts anew at each thread": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "if (pass == 0) gp_tile_exclusive_scan<P::threads>(carry, Join(), s.scan);",
        "if (pass == 0) carry = Join::identity();"),
    "segments: a block's end is taken for its start": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "next.open.value = next.ended ? p.last : p.first;", "next.open.value = p.first;"),
    "segments: warps do not hand on what is open": (
        "SEGMENTS", "src/segments/kernels.cuh",
        "if (sum.has) before.open.append(sum.value, Op());", "if (sum.has) before.open.value = sum.value, "
        "before.open.has = true;"),
    "segments: lanes swap operands": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "*slot = Op()(mine.value, *slot);", "*slot = Op()(*slot, mine.value);"),
    "segments: a lane takes what stands before a mark": (
        "SEGMENTS", "src/segments/reduce.cuh", "if (gp__earlier_lanes(up_to)) mine.has = false;", ""),
    "segments: the last chunk is taken for a whole one": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "const unsigned to = left < CHUNK ? unsigned(left) : CHUNK;", "const unsigned to = CHUNK;"),
    "segments: ends behind the last element are left": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "s >= segment && s < last && at <= reach", "s >= segment && s < last && at < CHUNK"),
    "segments: ends are found twice": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "const bool mine = s >= segment && s < last &&", "const bool mine = s < last &&"),
    "segments: an empty one marks what stands before it": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "slot = mine && held[u] != before && at - 1", "slot = mine && at - 1"),
    "segments: the search ends before what it looks for": (
        "SEGMENTS", "src/segments/ends.cuh",
        "probes)) high = probe(ends, probes);", "probes)) high = probe(ends, probes) / 2;"),
    "segments: the search begins behind what it looks for": (
        "SEGMENTS", "src/segments/ends.cuh",
        "low = probe(ends, probes - 1) + 1;", "low = probe(ends, probes - 1) + 2;"),
    "segments: an empty one gets its neighbour's result": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "r.has = stop != start && slot < CHUNK;", "r.has = slot < CHUNK;"),
    "segments: the initial value comes last": ("SEGMENTS", "src/segments/carries.cuh", "(has ? Op()(init, sum) : init)",
                                               "(has ? Op()(sum, init) : init)"),
    "segments: results are picked up too early": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "chunks.written();\n          __syncwarp();", "chunks.written();"),
    "segments: folded before it has arrived": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "mark(ends, rest);\n        __syncwarp();", "mark(ends, rest);"),
    "segments: the chunk is overwritten while it is read": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "const bool rest = left <= CHUNK;\n        __syncwarp();", "const bool rest = left <= CHUNK;"),
    "segments: the block does not wait for its warps": (
        "SEGMENTS", "src/segments/kernels.cuh",
        "warp.run(s.warp[gp_warp()]);\n  __syncthreads();", "warp.run(s.warp[gp_warp()]);"),
    "segments: a chunk is taken before it is there": (
        "SEGMENTS", "src/segments/carries.cuh", "gp__mbarrier_wait(loaded + taken, parity);", ""),
    "segments: a chunk's parity stays": ("SEGMENTS", "src/segments/carries.cuh", "parity ^= 1u;", ""),
    "segments: a chunk is requested too early": (
        "SEGMENTS", "src/segments/carries.cuh",
        "static const int AHEAD = STAGES - 1;", "static const int AHEAD = STAGES;"),
    "segments: a place is written to without a fence": (
        "SEGMENTS", "src/segments/carries.cuh",
        "GP_DEVICE void written() const { gp__bulk_fence(); }", "GP_DEVICE void written() const {}"),
    "segments: reads before the input": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "if (start + begin < low) begin += 16;", ""),
    "segments: marks stay": (
        "SEGMENTS", "src/segments/carries.cuh",
        "*gp__as<Access>(from) = Access();", ""),
    "segments: lengths below zero": (
        "SEGMENTS", "src/segments/kernels.cuh",
        "k < a.segments && begin[k] < end[k] ?", "k < a.segments ?"),
    "bounds: pivots are those of the parts below": (
        "SEARCH", "src/search/kernels.cuh",
        "(2 * i + 1 - (2ull << level))", "(2 * i - (2ull << level))"),
    "bounds: a part is rounded down": (
        "SEARCH", "src/search/kernels.cuh",
        "(sectors + (I(1) << levels) - 1) >> levels", "sectors >> levels"),
    "bounds: a pivot too many": (
        "SEARCH", "src/search/kernels.cuh",
        "most < sectors ? most : sectors) | 1)",
        "most < sectors ? most : sectors) * 2 | 1)"),
    "bounds: a needle before the range is taken for its first": (
        "SEARCH", "src/search/kernels.cuh",
        "(in[k] == 0 && low > 0) || ", ""),
    "bounds: a needle behind the range is taken for its last": (
        "SEARCH", "src/search/kernels.cuh",
        " || (in[k] == width && at[k] < length)", ""),
    "bounds: the range lacks the element before it": (
        "SEARCH", "src/search/kernels.cuh",
        "low -= low > 0;\n", ""),
    "bounds: places are read before they are there": (
        "SEARCH", "src/search/kernels.cuh",
        "        __syncthreads();\n        low =", "        low ="),
    "bounds: a range is read before it is there": (
        "SEARCH", "src/search/kernels.cuh",
        "pivots = false;\n        __syncthreads();", "pivots = false;"),
    "bounds: a range is taken for pivots": (
        "SEARCH", "src/search/kernels.cuh",
        "        pivots = false;\n", ""),
    "bounds: pivots are taken for a range": (
        "SEARCH", "src/search/kernels.cuh",
        "      range = false;\n", ""),
    "bounds: pivots are read before they are there": (
        "SEARCH", "src/search/kernels.cuh",
        "        }\n        __syncthreads();\n      }\n      pivots = true;",
        "        }\n      }\n      pivots = true;"),
    "bounds: a part of few sectors is cut": (
        "SEARCH", "src/search/kernels.cuh", "SECTOR > 1 ? part - 1 : part", "part - 1"),
    "bounds: a sample's elements are those before": (
        "SEARCH", "src/search/kernels.cuh", "i * SECTOR + SECTOR - 1]", "i * SECTOR + SECTOR - 2]"),
    "bounds: the sample's sectors are the array's": (
        "SEARCH", "src/search/kernels.cuh", "sectors = sampled ? all / SECTOR : all", "sectors = all"),
    "bounds: a range is overwritten while it is read": (
        "SEARCH", "src/search/kernels.cuh",
        "near = __syncthreads_and(near) != 0;\n      if (near) {",
        "if (near) {"),
    "bounds: a sector beyond the last": (
        "SEARCH", "src/search/kernels.cuh",
        "(at[k] == sectors ? at[k] - 1 : at[k])", "at[k]"),
    "bounds: elements before the first sector": (
        "SEARCH", "src/search/kernels.cuh",
        "if (at[k] == head) at[k] = I(gp_search(0, head, Before{sorted, x[k]}));\n      else if",
        "if"),
    "bounds: elements behind the last sector": (
        "SEARCH", "src/search/kernels.cuh",
        "gp_search(at[k], length - at[k], Before",
        "gp_search(at[k], 0, Before"),
    "bounds: blocks share too few tiles": (
        "SEARCH", "src/search/kernels.cuh",
        "(count - 1) / tile / gridDim.x + 1)",
        "count / tile / gridDim.x)"),
    "bounds: a tile ends where its block's share ends, not the input": (
        "SEARCH", "src/search/kernels.cuh",
        "first + tile < end ? first + tile : end) - 1",
        "first + tile) - 1"),
    "ranges: a window takes what was another's": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "if (i >= low) index[r] = from + i;",
                                                  "index[r] = from + i;"),
    "ranges: a row is taken for one segment's": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "if (passed != next) {", "if (false) {"),
    "ranges: one step of the bisection too few": (
        "SEGMENTS", "src/segments/reduce.cuh",
        "for (int d = 16; d > 0; d /= 2) n +=",
                                                  "for (int d = 16; d > 1; d /= 2) n +="),
    "warp segments: long ones are forgotten": (
        "SEGMENTS", "src/segments/warps.cuh",
        "else s.number[atomicAdd(&s.longs, 1u)] = number;", ""),
    "warp segments: the list is read before it is whole": (
        "SEGMENTS", "src/segments/warps.cuh",
        "if (all) __syncthreads();\n      count = s.longs;", "count = s.longs;"),
    "warp segments: the list is emptied while it is filled": (
        "SEGMENTS", "src/segments/warps.cuh",
        "if (!threadIdx.x) s.longs = 0;\n    __syncthreads();\n  }\n}",
        "if (!threadIdx.x) s.longs = 0;\n  }\n}"),
    "warp segments: the list is emptied while it is read": (
        "SEGMENTS", "src/segments/warps.cuh",
        "if (first >= segments) break;\n    __syncthreads();", "if (first >= segments) break;"),
    "warp segments: what is long for a warp is left out": (
        "SEGMENTS", "src/segments/warps.cuh",
        "log2_lanes = log2_lanes < 5 ? 5 : GP__LOG2_BLOCK;", "log2_lanes = 5;\n      if (!all) break;"),
    "warp segments: lanes of the next segment": (
        "SEGMENTS", "src/segments/warps.cuh",
        "for (unsigned d = 1; d < lanes; d *= 2) sum", "for (unsigned d = 1; d <= lanes; d *= 2) sum"),
    "warp segments: shares out of order": (
        "SEGMENTS", "src/segments/warps.cuh",
        "run = rank * share;", "run = (ranks - 1 - rank) * share;"),
    "warp segments: the block's sum is overwritten": (
        "SEGMENTS", "src/segments/warps.cuh",
        "sum = gp_tile_reduce<P::threads>(sum, Op(), s.reduce);\n          __syncthreads();",
        "sum = gp_tile_reduce<P::threads>(sum, Op(), s.reduce);"),
    "warp segments: the segment before is read": (
        "SEGMENTS", "src/segments/warps.cuh",
        "& ~0u << (r ? 0 : head);", "& ~0u;"),
    "warp segments: reads behind the input": (
        "SEGMENTS", "src/segments/warps.cuh",
        "I(a.count) - V + 1 : 0)", "I(a.count) : 0)"),
    "segmented sort: places beside keys are lost": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh", "<< PLACE_BITS | place", "<< PLACE_BITS"),
    "tile sort: the last thread with keys leaves them": (
        "SEGMENTED_SORT_LONG", "src/device/tile_sort.cuh", "thread * ITEMS < n;", "thread * ITEMS + ITEMS <= n;"),
    "load balance: any of the ends at a place": (
        "SEARCH", "src/search/kernels.cuh",
        "(i + 1 == s[1] || ends.end_of(i + 1) - chunk != at)", "(i != ~0ull)"),
    "load balance: the warp's start is forgotten": (
        "SEARCH", "src/search/kernels.cuh",
        "R before = R(segment);", "R before = 0;"),
    "bound: one step too few": ("SEARCH", "src/search/kernels.cuh", "while (left > 1) {\n    const I half",
                                "while (left > 2) {\n    const I half"),
    "search: a warp's step leaves positions out": (
        "SEARCH", "src/device/tile_search.cuh",
        "count[n] = step > 0 && left >= step ? step - 1 : left;",
                                          "count[n] = step > 0 && left >= step ? step / 2 : left;"),
    "bool: arithmetic keeps its byte": (
        "TYPES", "src/device/types.cuh", "bits(x ? 1 : 0)", "bits(static_cast<unsigned char>(x))"),
    "bool: a true byte does not read as 1": (
        "TYPES", "src/device/types.cuh", "return bits ? 1u : 0u;", "return bits;"),
    "bool: true keys sort by their bytes": (
        "TYPES", "src/device/types.cuh", "return Bits(raw != 0);", "return raw;"),
    "bool: a wide number is cut before it is tested": (
        "TYPES", "src/device/operators.cuh", "static_cast<typename gp__traits<A>::wide>(a) != 0 ? 1u : 0u",
        "gp__u32(static_cast<typename gp__traits<A>::wide>(a)) != 0 ? 1u : 0u"),
    "e4m3: ties are rounded up": (
        "TYPES", "src/core/f8.h", " - 1 + (m >> shift & 1)) >> shift", ") >> shift"),
    "e4m3: subnormal numbers lose a bit": (
        "TYPES", "src/core/f8.h", "shift + least - (a >> 23)", "shift + least + 1 - (a >> 23)"),
    "e4m3: half of the smallest number is cut off": (
        "TYPES", "src/core/f8.h", "(a >> 23) + 4 < least", "(a >> 23) + 3 < least"),
    "e4m3: a large number wraps": (
        "TYPES", "src/core/f8.h", "return a < most ? a : most;", "return a & 0x7f;"),
    "e4m3: NaN becomes a number": (
        "TYPES", "src/core/f8.h", "(b & 0x7f) == 0x7f ? 0x7c00 : 0", "0"),
    "e4m3: NaN loses its sign": (
        "TYPES", "src/core/f8.h", "(u >> 24 & 0x80)", "(u >> 24 & 0x80 & -((u & 0x7fffffff) <= 0x7f800000))"),
    "e5m2: the exponent of f16": (
        "TYPES", "src/core/f8.h", "wide ? 113 : 121", "wide ? 112 : 121"),
    "e4m3: the identity of MIN is NaN": (
        "TYPES", "src/device/types.cuh", "highest() { return 448.0f; }", "highest() { return 500.0f; }"),
    "f16 and e4m3: a double is rounded twice": (
        "TYPES", "src/device/operators.cuh", "T(gp__f32_to_odd(x))", "T(float(x))"),
    "i128: the largest value of 64 bits": (
        "TYPES", "src/device/types.cuh", "(W(1) << (8 * sizeof(T) - 1)) - 1",
        "(W(1) << (sizeof(W) > 8 ? 63 : 8 * sizeof(T) - 1)) - 1"),
    "i128: is ordered as if it had no sign": (
        "TYPES", "src/device/types.cuh", "GP__TRAITS(gp_i128, GP__SIGNED, gp_u128)",
        "GP__TRAITS(gp_i128, GP__UNSIGNED, gp_u128)"),
    "fields: the higher word of a key": (
        "TYPES", "src/sort/keys.cuh", "const int at = Below::bits - 64 * w;", "const int at = Below::bits + 0 * w;"),
    "complex: a product's real part": (
        "TYPES", "src/device/types.cuh", "gp__product(re, b.re) - gp__product(im, b.im)",
        "gp__product(re, b.re) + gp__product(im, b.im)"),
    "complex: equality sees the real part alone": (
        "TYPES", "src/device/types.cuh", "return re == b.re && im == b.im;", "return re == b.re;"),
    "complex: sums count as exact": (
        "TYPES", "src/device/types.cuh", " && gp__traits<T>::kind != GP__COMPLEX;", ";"),
    "complex: NaNs sort by their bits": (
        "TYPES", "src/sort/keys.cuh", "return nans ? ordered(gp__limits<F>::highest()) + nans : ordered(x.re);",
        "return ordered(x.re);"),
    "complex: a NaN's low part": (
        "TYPES", "src/sort/keys.cuh", "ordered(nans == 1 ? x.re : x.im)", "ordered(x.im)"),
    "complex: truth is the real part's": (
        "TYPES", "src/device/operators.cuh", "R(a.re != 0 || a.im != 0 ? 1u : 0u)", "R(a.re != 0 ? 1u : 0u)"),
    "complex: the absolute value of an infinity and a NaN": (
        "TYPES", "src/device/operators.cuh", "if (x == infinite || y == infinite) return infinite;", ""),
    "types: keys of bool in hash tables are bytes": (
        "ARGUMENTS", "src/hash/plan.c", "q->key_type == GP_BOOL ? 0 : word;", "word;"),
    "types: the host compares keys of bool by bytes": (
        "ARGUMENTS", "src/hash/host.c", "if (t->truth) return *key != 0;", ""),
    "types: members of zipped keys may be bool": (
        "ARGUMENTS", "src/hash/check.c", " && part->type == GP_BOOL)", " && part->type == GP_I128)"),
    "types: groups by complex keys": (
        "ARGUMENTS", "src/hash/check.c", "c->primitive == GP_GROUP_BY_MANY && gp__is_complex(q->key_type)", "0"),
    "types: columns of 16 bytes": (
        "ARGUMENTS", "src/hash/check.c",
        "GP__CHECK(gp__check_short(k->who, name, a->type, \"use gp_group_by\"));", ""),
    "types: results of aggregates of 16 bytes": (
        "ARGUMENTS", "src/hash/check.c",
        "GP__CHECK(gp__check_short(k->who, name, type, \"use gp_group_by\"));", ""),
    "types: a sum of bool is a float": (
        "ARGUMENTS", "src/hash/check.c", "(floats ? gp__host_kind(type) != GP__WIDE_F : !gp__is_integer(type))",
        "gp__is_integer(type) != gp__is_integer(a->type)"),
    "types: a mean is bool": (
        "ARGUMENTS", "src/hash/check.c", "a->op == GP_AGGREGATE_MEAN ? gp__host_kind(type) != GP__WIDE_F",
        "a->op == GP_AGGREGATE_MEAN ? gp__is_integer(type)"),
    "types: indices of 16 bytes": (
        "ARGUMENTS", "src/scatter/check.c", " || k->in2.size < 4 || k->in2.size > 8", " || k->in2.size < 4"),
    "types: a scatter's transform is not checked": (
        "ARGUMENTS", "src/scatter/check.c",
        "GP__CHECK(gp__check_operator_on(k->who, \"transform\", c->transform, q->out_type));", ""),
    "types: a scatter's predicate is not checked": (
        "ARGUMENTS", "src/scatter/check.c",
        "return gp__check_operator_on(k->who, \"op\", k->q->op, replaces ? k->q->in_type : k->q->key_type);",
        "return GP_SUCCESS;"),
    "types: a row map's operator is not checked": (
        "ARGUMENTS", "src/rows/check.c",
        "return gp__check_operator_on(k->who, \"apply\", q->equal, q->out_type);", "return GP_SUCCESS;"),
    "types: a row map of bool reads bytes on the host": (
        "ARGUMENTS", "src/rows/host.c", "gp__host_normalises(q->equal, NULL, q->out_type)",
        "(q->equal == GP_AND || q->equal == GP_OR)"),
    "types: ARGMINMAX of 16 bytes": (
        "ARGUMENTS", "src/core/check_types.c", " || op == GP_ARGMAX || op == GP_ARGMINMAX)", " || op == GP_ARGMAX)"),
    "top-k of both: values beyond the keys that exist": (
        "TOP_K_CALLS", "src/top_k/segments.cuh", "place >= s.k || place >= most", "place >= s.k"),
    "top-k of both: indices of 8 bytes are read as 4": (
        "TOP_K_CALLS", "src/top_k/segments.cuh", "a.index_bytes == 8 ? gp__as<const gp__u64>(a.top.from)[to]",
        "a.index_bytes == 16 ? gp__as<const gp__u64>(a.top.from)[to]"),
    "top-k of both: values of the first segment": (
        "TOP_K_CALLS", "src/top_k/segments.cuh", "gp__as<const In>(a.top.in)[s.begin + index]",
        "gp__as<const In>(a.top.in)[index]"),
    "top-k of both: values converted from a cooperative sort's words": (
        "TOP_K_CALLS", "src/top_k/names.c", "  } else if (gp__is_cooperative(p->algorithm)) { // sorts pairs",
        "  }\n  if (gp__is_cooperative(p->algorithm)) { // sorts pairs"),
    "columns of runs: a column accumulates in the values' type": (
        "ARGUMENTS", "src/select/plan.c", "call->acc_type = gp__accumulator_of(call->in_type, q->op);", ""),
    "columns of runs: the host leaves them out": (
        "ARGUMENTS", "src/core/run.c", "i < q->column_count && gp__calls_behind(q, NULL, i, &column); ++i)",
        "i + 1 < q->column_count && gp__calls_behind(q, NULL, i, &column); ++i)"),
    "columns of runs: every column is the first": (
        "ARGUMENTS", "src/select/plan.c", "call->in = q->columns[row].in;", "call->in = q->columns[0].in;"),
    "types: top-k of segments with keys of 16 bytes": (
        "ARGUMENTS", "src/top_k/check.c",
        "GP__CHECK(gp__check_short(", "(void)(gp__check_short("),
    "types: bool is a number class of its own": (
        "HASH", "src/hash/numbers.h", "type >= GP_F16 && type <= GP_F64", "type >= GP_F16"),
    "copy: shifts by a byte too few": (
        "MAP", "src/device/common.cuh",
        "bits = offset % 4 * 8;", "bits = offset % 4 * 8 & 16;"),
    "histogram: nobody waits for zeros": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "gp__receive<gp__u32>(gp__words(a.workspace), i, tag);", ""),
    "histogram: a chunk of the output is not zero yet": (
        "HISTOGRAM_GLOBAL", "src/histogram/counts.cuh",
        "for (gp__u64 i = threadIdx.x; i < chunks; i += P::threads) {\n      gp__receive",
        "for (gp__u64 i = threadIdx.x; i + 1 < chunks; i += P::threads) {\n      gp__receive"),
    "histogram: no fence before the word": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "__threadfence();\n        gp__publish(gp__words(a.workspace), ticket.number, 0u, ticket.tag);",
        "gp__publish(gp__words(a.workspace), ticket.number, 0u, ticket.tag);"),
    "histogram: no fence behind the word": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "gp__receive<gp__u32>(gp__words(a.workspace), i, tag);\n      __threadfence();",
        "gp__receive<gp__u32>(gp__words(a.workspace), i, tag);"),
    "histogram: a copy is left out": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "for (unsigned r = 0; r < a.replicas; ++r) // each", "for (unsigned r = 0; r + 1 < a.replicas; ++r) // each"),
    "histogram: counters are read before all have counted": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "if (!single && !adds_early) wait_for_output(a, s);\n    __syncthreads();",
        "if (!single && !adds_early) wait_for_output(a, s);"),
    "histogram: a cluster's blocks tell that they are ready before they are": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "if (!global) Shape::clear(cells, halves ? slots * 2 : (slots * a.replicas + share) * sizeof(Cell));\n"
        "    if (cluster) gp__cluster_arrive();",
        "if (cluster) gp__cluster_arrive();\n"
        "    if (!global) Shape::clear(cells, halves ? slots * 2 : (slots * a.replicas + share) * sizeof(Cell));"),
    "histogram: a cluster's own counters are not cleared": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "(slots * a.replicas + share) * sizeof(Cell)", "slots * a.replicas * sizeof(Cell)"),
    "histogram: bins are stored before the cluster's blocks have added theirs": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "    gp__cluster_arrive();\n    gp__cluster_wait();\n    GP__UNROLL_BY(1)", ""),
    "histogram: the share of a cluster's block is too small": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "32 - unsigned(__clz(int((counters", "31 - unsigned(__clz(int((counters"),
    "histogram: sums go to a neighbour of the cluster": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "at >> log2_share), Cell(sum)", "(at >> log2_share) ^ (gridDim.x > 1)), Cell(sum)"),
    "histogram: a cluster's warps take the same vectors": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "(gp__u64(gp_warp()) * gridDim.x + blockIdx.x) * 32", "(gp__u64(gp_warp()) * gridDim.x + 0) * 32"),
    "histogram: of a cluster's copies one is left out": (
        "HISTOGRAM_CLUSTER", "src/histogram/counts.cuh",
        "(r + threadIdx.x * a.replicas / 32) & (a", "(r | threadIdx.x * a.replicas / 32) & (a"),
    "histogram: whoever clears the last chunk draws again": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh", "if (ticket.number == chunks - 1) return;", ""),
    "histogram: a vector in another's place": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh", "s.load(k, k + K < s.left, ONE);",
        "s.load((k + 1) % K, k + K < s.left, ONE);"),
    "histogram: what is left behind the last vector": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "s.ragged_at < Extent(a).samples);", "s.ragged_at < Extent(a).head);"),
    "histogram: the last run of equal samples": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "if (runs) add(run_slot, run_samples);", ""),
    "histogram: channels out of step": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "channel += channel_step;", "channel += channel_step + 1;"),
    "histogram: the fraction is rounded down": (
        "HISTOGRAM_SHARED", "src/histogram/bins.cuh", "<< 32) + width - 1) / width);", "<< 32)) / width);"),
    "histogram: all lanes of a bin add its sum": (
        "HISTOGRAM_GLOBAL", "src/histogram/counts.cuh",
        "gp_lane() == unsigned(__ffs(int(peers)) - 1)",
        "gp_lane() >= unsigned(__ffs(int(peers)) - 1)"),
    "ranges: the buckets are filled before the boundaries are there": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "if (!buckets) return;\n    __syncthreads();", "if (!buckets) return;"),
    "ranges: a bucket lacks its last boundary": (
        "HISTOGRAM_SHARED", "src/histogram/bins.cuh", "table[b].at[1] = gp__u16(i + 1);",
        "table[b].at[1] = gp__u16(i);"),
    "ranges: empty buckets point behind the next boundary": (
        "HISTOGRAM_SHARED", "src/histogram/bins.cuh", "table[b].at[0] = gp__u16(i);",
        "table[b].at[0] = gp__u16(i + (b < bucket));"),
    "ranges: buckets though all boundaries are equal": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "buckets && table[0] < table[a.bins] ? buckets : 0;", "buckets;"),
    "halves: a carry stays": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "if (atomicAdd(word, 0u - (1u << 16)) < 1u << 16) add_to_output",
                              "if (*word < 1u << 16) add_to_output"),
    "halves: the upper half's overflow": (
        "HISTOGRAM_SHARED", "src/histogram/counts.cuh",
        "if (old + x < old) add_to_output(slot | 1u, 1u << 16);", ""),
    "ordered: lanes meet": (
        "HISTOGRAM_ORDERED", "src/histogram/counts.cuh",
        "if (rank == r) cell[bin] += w;", "if (rank >= r) cell[bin] += w;"),
    "ordered: shares by blockIdx": (
        "HISTOGRAM_ORDERED", "src/histogram/counts.cuh",
        "number = unsigned(ticket.number), slice", "number = blockIdx.x, slice"),
    "ordered: shares out of order": ("HISTOGRAM_ORDERED", "src/histogram/counts.cuh", "share = number % shares;",
                                     "share = shares - 1 - number % shares;"),
    "ordered: warps do not take turns": (
        "HISTOGRAM_ORDERED", "src/histogram/counts.cuh",
        "if (turns > 1) __syncthreads();", ""),
    "ordered: a group's sum in the wrong place": (
        "HISTOGRAM_ORDERED", "src/histogram/counts.cuh",
        "gp__publish(words, group_sums + gp__u64(group) * pieces + q",
        "gp__publish(words, group_sums + gp__u64(group + 1) * pieces + q"),
    "graph building: an end beyond the vertices": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "const bool valid = s[i] < a.vertices && t[i] < a.vertices;",
        "const bool valid = s[i] < a.vertices && t[i] <= a.vertices;"),
    "graph building: the first bad edge": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "if (!valid && at < bad) bad = at;", "if (!valid) bad = at;"),
    "graph building: a loop twice": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "gp__edge_key(a, t[i], s[i], valid && s[i] != t[i])", "gp__edge_key(a, t[i], s[i], valid)"),
    "graph building: opposite edges where the others lie": (
        "GRAPH_BUILDING", "src/graph/build.cuh", "a.keys[count + at] =", "a.keys[a.count + at] ="),
    "graph building: keys that were left out": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "if (at < count && key[i] >> a.shift < a.vertices) targets[at]",
        "if (key[i] >> a.shift < a.vertices) targets[at]"),
    "graph building: the last offset": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "first <= a.vertices; first += gridDim.x * tile) {\n    const gp__u64 last",
        "first < a.vertices; first += gridDim.x * tile) {\n    const gp__u64 last"),
    "graph building: a tile's range ends early": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "Before{a.keys, last << a.shift});", "Before{a.keys, (last - 1) << a.shift});"),
    "graph building: the range is still in use": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "Before{a.keys, v << a.shift}));\n    }\n    __syncthreads();",
        "Before{a.keys, v << a.shift}));\n    }"),
    "graph building: isolated vertices counted with others": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "degree ? 64 - __clzll(gp__i64(degree)) : 0",
        "degree ? 64 - __clzll(gp__i64(degree)) : 1"),
    "graph building: the least degree": (
        "GRAPH_BUILDING", "src/graph/build.cuh",
        "report->least = a.vertices ? ~a.state", "report->least = a.vertices ? a.state"),
    "graph building: an offset beyond the edges": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "if (offsets[v + 1] < offsets[v] || offsets[v + 1] > a.edges)",
        "if (offsets[v + 1] < offsets[v])"),
    "graph building: the vertex of an edge": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "kind == GP_FAULT_IN_SOURCE ? a.out_offsets : a.offsets", "a.offsets"),
    "search check: vertices beyond the limit": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "gp__u64(from) < a.limit", "gp__u64(from) <= a.limit"),
    "search check: an edge that skips a level": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "else if (to > from + 1) faults.add(GP_FAULT_TOO_DEEP, edge);",
        "else if (to > from + 2) faults.add(GP_FAULT_TOO_DEEP, edge);"),
    "search check: any edge is a witness": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "else if (to == from + 1) {\n      const bool parent", "else {\n      const bool parent"),
    "search check: marks that others have taken": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "atomicAnd(a.marks + target / 16, ~mark);", "a.marks[target / 16] &= ~mark;"),
    "search check: a witness is no parent": (
        "GRAPH_BUILDING", "src/graph/check.cuh",
        "(parent ? 3u : 1u) << target % 16 * 2", "3u << target % 16 * 2"),
    "groups: a slot that another has taken": (
        "GROUPS", "src/group_by/kernels.cuh",
        "if (there == none || there == k) return at;",
        "return at;"),
    "groups: the key that is all ones": (
        "GROUPS", "src/group_by/kernels.cuh",
        "k == ~Key(0) ? slots() : ",
        ""),
    "groups: the slot of all ones is free as others are": (
        "GROUPS", "src/group_by/kernels.cuh",
        "return slot < slots() ? ~Key(0) : Key(0);",
        "return ~Key(0);"),
    "groups: a table that is too full is not told": (
        "GROUPS", "src/group_by/kernels.cuh",
        "if (!threadIdx.x && s.full) gp__store_relaxed(a.left, count);",
        ""),
    "groups: a table that is too full is written": (
        "GROUPS", "src/group_by/kernels.cuh",
        "else if (*a.left) return;",
        "else if (false) return;"),
    "groups: a key is found in fewer probes than it took": (
        "GROUPS", "src/group_by/kernels.cuh",
        "far.slot(FAR_PROBES, k)",
        "far.slot(1, k)"),
    "groups: no barrier behind the last element": (
        "GROUPS", "src/group_by/kernels.cuh",
        "break;\n    }\n    __syncthreads();",
        "break;\n    }"),
    "groups: a sample by a regular pattern": (
        "GROUPS", "src/group_by/kernels.cuh", " + (k * 0x9e3779b9u * stretch >> 32)", ""),
    "groups: keys that occur often count as those that occur twice": (
        "GROUPS", "src/group_by/kernels.cuh", "times == 2 ?", "times >= 2 ?"),
    "groups: other keys of the sample in a slot": (
        "GROUPS", "src/group_by/kernels.cuh", "(!was || (was ^ key) < 4) && ", ""),
    "groups: the sample lets blocks go on": (
        "GROUPS", "src/group_by/kernels.cuh", "if (unseen > a.most) {", "if (false) {"),
    "groups: the sample lets blocks fill the table": (
        "GROUPS", "src/group_by/kernels.cuh", "*a.left = count;\n      return;", "*a.left = count;"),
    "groups: the blocks' samples are one": (
        "GROUPS", "src/group_by/kernels.cuh", "((twice * 2 + 1) * voters())", "(twice * 2 + 1)"),
    "groups: a sum of 8 bytes without a carry": (
        "GROUPS", "src/group_by/kernels.cuh", "(atomicAdd(half, low) > ~low)", "(atomicAdd(half, low) & 0)"),
    "groups: of a warp's sum that finds no slot only one element is left": (
        "GROUPS", "src/group_by/kernels.cuh",
        "missed |= (same ? 65537u : 1u) << i;",
        "missed |= 1u << i;"),
    "groups: a warp's sum that finds no slot is folded twice": (
        "GROUPS", "src/group_by/kernels.cuh",
        "missed & ~(missed >> 16) & 65535u",
        "missed & 65535u"),
    "groups: a warp's sum is added by every lane": (
        "GROUPS", "src/group_by/kernels.cuh",
        "there && !(same && gp_lane()) && !near",
        "there && !near"),
    "groups: a lost exchange is not repeated": (
        "GROUPS", "src/group_by/kernels.cuh",
        "if (found == was) return;\n      was = found;\n    }\n  }\n};",
        "return;\n    }\n  }\n};"),
    "groups: rows list keys in one place": (
        "GROUPS", "src/group_by/kernels.cuh",
        "at += gp__u32(__popc(row));", ""),
    "groups: no initial value": (
        "GROUPS", "src/group_by/kernels.cuh",
        "a.has_init ? Op()(init, x) : x",
        "x"),
    "fastest: the same bits everywhere, too": (
        "DESCRIBED", "src/core/checking.c",
        "if ((c->flags & (GP_FASTEST | GP_REPRODUCIBLE)) == (GP_FASTEST | GP_REPRODUCIBLE))", "if (0)"),
    "fastest: distinct elements keep their order": (
        "DESCRIBED", "src/hash/launch.c", "any = !folds && q->flags & GP_UNSORTED,", "any = 0,"),
    "fastest: it means no flag": (
        "DESCRIBED", "src/core/checking.c", "if (c->flags & GP_FASTEST) k->q->flags |= GP_UNSORTED;", ""),
    "inputs: a map of ramps is launched as one that reads": (
        "INPUT_CALLS", "src/map/portable.h", "!s->in_size || s->described == 1;", "!s->in_size;"),
    "inputs: a map that reads is launched as a fill": (
        "INPUT_CALLS", "src/core/shape.c", "q->inputs.arrays || q->key_size", "q->key_size"),
    "argmax: the bytes of results make it large": (
        "INPUT_CALLS", "src/reduce/portable.h", "  if (s->out_size >= 16) m.bytes = s->count * (unsigned)s->in_size;\n",
        ""),
    "argmax: a later element of the same value wins": (
        "REDUCE", "src/device/operators.cuh", "(MAX ? a.value >= b.value : a.value <= b.value)",
        "(MAX ? a.value > b.value : a.value < b.value)"),
    "argmax: a later NaN wins": (
        "REDUCE", "src/device/operators.cuh", " || a.value != a.value;\n  return (a.index < 0)",
        ";\n  return (a.index < 0)"),
    "argmax: elements do not beat none": (
        "REDUCE", "src/device/operators.cuh", "return (a.index < 0) | !keeps ? b : a;", "return !keeps ? b : a;"),
    "inputs: the second array is taken for aligned": (
        "INPUTS", "src/device/inputs.cuh", "return a.template aligned<V>() && b.template aligned<V>();",
        "return a.template aligned<V>();"),
    "inputs: an array is taken for aligned": (
        "INPUTS", "src/device/inputs.cuh", "return !gp__misalignment(data, gp__vector_access_alignment<T, V>::value);",
        "return true;"),
    "described: keys are taken for an array": (
        "DESCRIBED", "src/core/check_call_types.c", "else q->written = 1;", ""),
    "described: what kernels read is written too": (
        "DESCRIBED", "src/core/check_call_types.c", "(first ? GP__TAKES_INPUTS : second ? GP__TAKES_SECOND : 0)", "0"),
    "described: the second input is left to kernels": (
        "DESCRIBED", "src/core/check_call_types.c", "second ? GP__TAKES_SECOND : 0", "GP__TAKES_INPUTS"),
    "described: strided rows are taken for a stream": (
        "DESCRIBED", "src/core/check_call_types.c", " || k->traits & (GP__TAKES_AXES | GP__TAKES_PERMUTATION))", ")"),
    "described: the workspace lacks what is written": (
        "DESCRIBED", "src/graph/launch.c", "gp__take(g, copy.count * n->size)", "gp__take(g, 0)"),
    "described: the call on arrays chooses its own policy": (
        "DESCRIBED", "src/graph/launch.c", "  plain.policy = p;\n", ""),
    "described: sums of segments get the policy of sums by key": (
        "DESCRIBED", "src/group_by/launch.c", "  q->policy = NULL;\n", ""),
    "described: an expansion's values end at the count": (
        "DESCRIBED", "src/core/reads.c", "{GP__READS_SEGMENTS, ", "{0, "),
    "described: a sorted array ends at the needles' count": (
        "DESCRIBED", "src/core/reads.c", "GP__READS_KEY_COUNT, GP__READS_COUNT2}", "0, GP__READS_COUNT2}"),
    "described: on the host elements behind the count are made": (
        "DESCRIBED", "src/host/inputs.c", "? q->count : all->elements[input];", "? q->stride : all->elements[input];"),
    "described: on the host a stencil is read before it is made": (
        "DESCRIBED", "src/host/inputs.c", "gp__host_passes(passes, first", "gp__host_passes(q, first"),
    "described: a join's build side has no elements": (
        "DESCRIBED", "src/hash/check.c", "    q->inputs.elements[3] = c->count2;\n", ""),
    "described: needles and sorted array of two types": (
        "DESCRIBED", "src/search/check.c", "if (q->key_type != q->in_type)", "if (0)"),
    "described: two arrays of two types": (
        "DESCRIBED", "src/find/check.c", "if (q->in2_type != q->in_type)", "if (0)"),
    "inputs: the host's keys are their own description": (
        "INPUT_CALLS", "src/host/inputs.c",
        "gp__host_array_of(q, &plain, roots[i], i,", "gp__host_array_of(q, &plain, roots[i & 1], i,"),
    "columns: words of an element": (
        "COLUMNS", "src/columns/kernels.cuh",
        "words + k % words]", "words]"),
    "columns: the first word of a tile": (
        "COLUMNS", "src/columns/kernels.cuh",
        "+ first * unsigned(c.words);", "+ first;"),
    "columns: the end of the last tile": (
        "COLUMNS", "src/columns/kernels.cuh",
        "if (i * P::threads + threadIdx.x < rows) out", "if (first + i < count) out"),
    "columns: tiles beyond the grid": (
        "COLUMNS", "src/columns/kernels.cuh",
        "first += gridDim.x * gp__u64(P::threads * ITEMS)", "first += gridDim.x * gp__u64(P::threads * ITEMS) * 2"),
    "columns: elements of two bytes": (
        "COLUMNS", "src/columns/kernels.cuh",
        "column.word == 2", "column.word == 3"),
    "columns: a count on the device": (
        "COLUMNS", "src/columns/kernels.cuh",
        "count = gp__count(a)", "count = a.count"),
    "hash: keys of one hash are one key": (
        "HASH", "src/hash/table.cuh",
        "      if (a[i] != b[i]) return false;",
        "      if (i == 0 && a[i] != b[i]) return false;"),
    "hash: a slot that another has taken": (
        "HASH", "src/hash/table.cuh",
        "      claimed = there == 0;\n      if (claimed) return at;",
        "      claimed = true;\n      return at;"),
    "hash: a search ends at the last slot": (
        "HASH", "src/hash/table.cuh",
        "return at + 1 == a.slot_count ? 0 : at + 1;",
        "return at + 1 == a.slot_count ? at : at + 1;"),
    "hash: a group keeps any of its rows": (
        "HASH", "src/hash/table.cuh",
        "if (mine < there) atomicMin(a.slots + at, mine);",
        ""),
    "hash: a row that another has lowered": (
        "HASH", "src/hash/table.cuh",
        "atomicMin(a.slots + at, mine);",
        "gp__store_relaxed(a.slots + at, mine);"),
    "hash: lanes of one hash go with the first": (
        "HASH", "src/hash/table.cuh",
        "leader != gp_lane() && Key::same(keys + (row - gp_lane() + leader) * COUNT, keys + row * COUNT);",
        "leader != gp_lane();"),
    "hash: a slot of the lane itself": (
        "HASH", "src/hash/table.cuh",
        "gp__u32(follows ? of_leader : slot)",
        "gp__u32(slot)"),
    "hash: claims are listed at one place": (
        "HASH", "src/hash/table.cuh",
        "a.list[at + gp__lanes_before(claims)]",
        "a.list[at]"),
    "hash: row 0 makes an empty slot": (
        "HASH", "src/hash/table.cuh",
        "gp__u64(hash) << 32 | (row + 1);",
        "gp__u64(hash) << 32 | row;"),
    "hash: keys beyond the capacity": (
        "HASH", "src/hash/table.cuh",
        "groups = found < a.capacity ? found : a.capacity;",
        "groups = found;"),
    "hash: keys of groups are those of their numbers": (
        "HASH", "src/hash/table.cuh",
        "    if (a.rows) row = a.rows[row];\n",
        ""),
    "hash: rows are counted from 1": (
        "HASH", "src/hash/table.cuh",
        "gp__u32(a.slots[a.list[i]]) - 1;",
        "gp__u32(a.slots[a.list[i]]);"),
    "folds: groups beyond the capacity": (
        "HASH", "src/hash/fold.cuh",
        "groups = found < a.capacity ? found : a.capacity;",
        "groups = found;"),
    "folds: every lane adds the warp's sum": (
        "HASH", "src/hash/fold.cuh",
        "if (!gp_lane()) gp__fold_into",
        "gp__fold_into"),
    "folds: the last group of a capacity has all rows": (
        "HASH", "src/hash/fold.cuh",
        "end = g + 1 < found ? a.list[g + 1] : count;",
        "end = g + 1 < groups ? a.list[g + 1] : count;"),
    "folds: rows of another piece": (
        "HASH", "src/hash/fold.cuh",
        "(from < piece ? piece : from) + gp_lane()",
        "from + gp_lane()"),
    "folds: a group's rows in the next piece": (
        "HASH", "src/hash/fold.cuh",
        "to < stop ? to : stop,",
        "to,"),
    "folds: a piece has 32 groups at most": (
        "HASH", "src/hash/fold.cuh",
        "more = __all_sync(~0u, begin < stop);",
        "more = false;"),
    "folds: a group of 32 rows is no long one": (
        "HASH", "src/hash/fold.cuh",
        "end - begin >= GP__GROUP_LONG);",
        "end - begin > GP__GROUP_LONG);"),
    "folds: rows are not those of the order": (
        "HASH", "src/hash/fold.cuh",
        "a.order ? a.order[from] : from, first",
        "from, first"),
    "folds: indices of the value before": (
        "HASH", "src/hash/fold.cuh",
        "gp__fold_rows(a, c, 1, begin, end, 1, word[0]);",
        "gp__fold_rows(a, c, 1, begin, end, 1, 0);"),
    "folds: a carry is lost": (
        "HASH", "src/hash/fold.cuh",
        "x.high + (before + x.low < before ? 1 : 0)",
        "x.high"),
    "folds: a warp's carry is lost": (
        "HASH", "src/hash/fold.cuh",
        "x.high + y.high + (z.low < x.low ? 1 : 0)",
        "x.high + y.high"),
    "folds: the larger of two is stored, not folded": (
        "HASH", "src/hash/fold.cuh",
        "atomicMax(word, x.low);",
        "gp__store_relaxed(word, x.low);"),
    "folds: infinities are not told": (
        "HASH", "src/hash/fold.cuh",
        "if (special & ~gp__load_volatile(half + 1)) atomicOr(half + 1, special);",
        ""),
    "numbers: zeros of both signs tie in minima": (
        "HASH", "src/hash/numbers.h",
        "kind == 2 && ties && x == sign",
        "kind == 2 && x == sign"),
    "numbers: zeros do not tie for their place": (
        "HASH", "src/hash/numbers.h",
        "kind == 2 && ties && x == sign",
        "kind == 2 && !ties && x == sign"),
    "numbers: a NaN is a large number": (
        "HASH", "src/hash/numbers.h",
        "  if (kind == 2 && (x & ~sign) > 0x7ffull << 52) return 0;\n",
        ""),
    "numbers: ties round up": (
        "HASH", "src/hash/numbers.h",
        "(rest == 1ull << 63 && (m & 1))",
        "rest == 1ull << 63"),
    "numbers: bits that were shifted out do not count": (
        "HASH", "src/hash/numbers.h",
        "high << (128 - down) | (low != 0)",
        "high << (128 - down)"),
    "numbers: sums of negatives": (
        "HASH", "src/hash/numbers.h",
        "*high = ~*high + (low == 0), low = 0 - low;",
        "*high = ~*high, low = 0 - low;"),
    "joins: the last row of a key": (
        "HASH", "src/hash/join.cuh",
        "a.ends[slot] = gp__u32(i + 1);",
        "a.ends[slot] = gp__u32(i);"),
    "joins: the first slot of a pair is read twice": (
        "HASH", "src/hash/join.cuh",
        "      if (i < (at & 1)) continue;\n",
        ""),
    "joins: a partner by its hash alone": (
        "HASH", "src/hash/join.cuh",
        "if (Key::exact || Key::same(",
        "if (true || Key::same("),
    "joins: left joins drop probes": (
        "HASH", "src/hash/join.cuh",
        "a.join == GP_JOIN_LEFT ? 1 : 0",
        "0"),
    "joins: pairs beyond the capacity": (
        "HASH", "src/hash/join.cuh",
        "count = total < room ? total : room;",
        "count = total;"),
    "joins: partners of the probe before": (
        "HASH", "src/hash/join.cuh",
        "at - a.offsets[probe[i]]",
        "at - a.offsets[probe[i]] + (probe[i] & 0 ? 1 : 0) - (at > a.offsets[probe[i]] ? 1 : 0)"),
    "a warp draws one place for all its lanes": (
        "TOP_K_LISTS", "src/device/lanes.cuh", "return first + gp__lanes_before(lanes);\n}",
        "return first;\n}"),
    "counting: a run goes on to the end of its last row": (
        "COUNTING", "src/sort/counting.cuh", "unsigned((stop - from) / ROW);",
        "unsigned((stop - from + ROW - 1) / ROW);"),
    "counting: a run begins a key late": (
        "COUNTING", "src/sort/counting.cuh",
        "unsigned(cursor.at - from);",
                                          "unsigned(cursor.at - from) + 1;"),
    "counting: runs without those before": (
        "COUNTING", "src/sort/counting.cuh",
        "mine.store(gp__add_tally()(prefix, before), a.starts",
                                            "mine.store(before, a.starts"),
    "counting: the border of the output": (
        "COUNTING", "src/sort/counting.cuh",
        "if (i + j >= runs.skipped && i + j < end) out[i + j]",
                                           "if (i + j < end) out[i + j]"),
    "counting: a row is read before all its runs are there": (
        "COUNTING", "src/sort/counting.cuh",
        "    __syncwarp();\n    const gp__u32 mine", "    const gp__u32 mine"),
    "counting: the next row over one that is still read": (
        "COUNTING", "src/sort/counting.cuh",
        "    __syncwarp();\n    return p.vector;", "    return p.vector;"),
    "counting: a row has no more runs than lanes": (
        "COUNTING", "src/sort/counting.cuh",
        "if (cursor.used < 32) break;", "break;"),
    "counting: a row keeps the last one's begins": (
        "COUNTING", "src/sort/counting.cuh", "if (gp_lane() < V) row.begins[gp_lane()] = 0;",
        "if (from == 0 && gp_lane() < V) row.begins[gp_lane()] = 0;"),
    "counting: pieces are shorter than they are apart": (
        "COUNTING", "src/sort/counting.cuh", "row + piece < rows ? (row + piece) * ROW : end, end);",
        "row + piece < rows ? (row + piece - 1) * ROW : end, end);"),
    "key counts: bit 15 is nobody's own": (
        "COUNTING", "src/device/two_keys.cuh",
        "if (full[j]) full[j] &= atomicAnd(", "if (full[j]) atomicAnd("),
    "key counts: nobody sees bit 15": (
        "COUNTING", "src/sort/counting.cuh",
        "was |= counters.add(two[j / 2], j % 2 == 1, 1);",
                                       "counters.add(two[j / 2], j % 2 == 1, 1);"),
    "key counts: nobody sees bit 15 of runs": (
        "COUNTING", "src/sort/counting.cuh",
        "was |= counters.add(two[j / 2], j % 2 == 1, n);",
                                               "counters.add(two[j / 2], j % 2 == 1, n);"),
    "key counts: 2^15 is added before there are zeros": (
        "COUNTING", "src/sort/counting.cuh",
        "if (gridDim.x > 1) Histogram::wait_for_output(a, s, value);", ""),
    "key counts: runs of a word's lower key": (
        "COUNTING", "src/device/two_keys.cuh",
        "return (next ^ (j % 2 == 1 ? w : w << 16)) >> 16 != 0;",
                                               "return j % 2 == 1 && (next ^ w) >> 16 != 0;"),
    "key counts: two values in one place": (
        "COUNTING", "src/device/two_keys.cuh",
        "(word >> 5 ^ word >> 11) & 0x001f001fu", "(word << 1 ^ word >> 11) & 0x001f001fu"),
    "key counts: the other value of a word differs in the highest bit alone": (
        "COUNTING", "src/device/two_keys.cuh", "OTHER = 0x8010u;", "OTHER = 0x8000u;"),
    "key counts: what the other half of a word has had is the key's own": (
        "COUNTING", "src/device/two_keys.cuh", "half ? key : key ^ OTHER;", "half ? key : key;"),
    "key counts: only one half of a full word": (
        "COUNTING", "src/device/two_keys.cuh",
        " | full[j] >> 31 << (8 + j);", ";"),
    "key counts: what is taken is another key's": (
        "COUNTING", "src/device/two_keys.cuh",
        "j & 4 ? upper : lower", "j & 4 ? lower : upper"),
    "key counts: a warp of the same keys but for the last ones": (
        "COUNTING", "src/sort/counting.cuh", " | (x.word[3] ^ same);", ";"),
    "key counts: a warp of the same keys where some lanes have none": (
        "COUNTING", "src/sort/counting.cuh",
        "__all_sync(~0u, there && !differ)", "__all_sync(~0u, !differ)"),
    "counting: rows of another order": ("COUNTING", "src/sort/counting.cuh", "s.sums[value % 8][value % THREADS / 8]",
                                        "s.sums[threadIdx.x % 8][threadIdx.x / 8]"),
    "counting: rows beyond those that are loaded at once": (
        "COUNTING", "src/sort/counting.cuh",
        "b < a.blocks; b += 8 * GP__COUNTING_LOADS)", "b < 8; b += 8 * GP__COUNTING_LOADS)"),
    "top-k: keys equal to the limit are dropped": (
        "TOP_K_LISTS", "src/top_k/lists.cuh", "(Key::encode(now.x[i].item[j]) <= bound ? 1u : 0u)",
        "(Key::encode(now.x[i].item[j]) < bound ? 1u : 0u)"),
    "top-k: the digit of the k-th": ("TOP_K_LISTS", "src/top_k/lists.cuh", "if (at < k && k <= at + bin[j]) s.bin",
                                     "if (at <= k && k < at + bin[j]) s.bin"),
    "top-k: narrowed over what has not been read": (
        "TOP_K_LISTS", "src/top_k/lists.cuh",
        "const Rank r = i < count ? list[i] : limit;\n      __syncthreads();",
        "const Rank r = i < count ? list[i] : limit;"),
    "top-k: keys behind the last": (
        "TOP_K_LISTS", "src/top_k/lists.cuh",
        "hits &= (1u << Tile::there(at, n)) - 1;", ""),
    "top-k: short lists are not filled": (
        "TOP_K_LISTS", "src/top_k/lists.cuh",
        "i < found ? best.list[i] : R::worst();", "best.list[i];"),
    "top-k: a step across warps without a barrier": (
        "TOP_K_LISTS", "src/top_k/lists.cuh",
        "if (crosses || crossed) __syncthreads();",
                                                     "if (crosses) __syncthreads();"),
    "top-k: tiles behind the last": ("TOP_K_LISTS", "src/top_k/lists.cuh", "if (tile >= tiles) tile -= tiles;", ""),
    "top-k: nobody narrows": (
        "TOP_K_LISTS", "src/top_k/lists.cuh",
        "if (__syncthreads_or(seen + more > capacity)) tighten_threshold();",
        "__syncthreads();"),
    "select: the digit of the k-th": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "if (before <= rank && rank < before + n[j]) found", "if (before < rank && rank <= before + n[j]) found"),
    "select: the rank within a digit": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "state->rank = rank - at.before;", "state->rank = rank;"),
    "select: counts before there are zeros": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "  gp__select_await(a, row, ticket.tag);\n", "  __syncthreads();\n"),
    "select: put aside once more": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "!buffered && state->inside <= a.room);",
        "state->inside <= a.room);"),
    "select: no fence before a block says it has counted": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "__threadfence();\n    s.last = atomicAdd", "s.last = atomicAdd"),
    "select: counters are not cleared": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "if (CLEARS) gp__store_vector<GP_CACHE_ALL>(bins + threadIdx.x * EACH + j, gp_vector{{0, 0, 0, 0}});", ""),
    "collect: a row goes on with the one before": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh",
        "if (tile == 0) total.below |= 1ull << 63;", ""),
    "top-k: no room for values that move": (
        "TOP_K_LISTS", "src/top_k/geometry.h", "gp__top_k_moved(s) + s->count * (unsigned)s->out_size;",
        "gp__top_k_moved(s);"),
    "filter: the sample is not ordered as the keys": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "gp__u64(Key::encode(x.item[j])) <= bound",
        "gp__u64(x.item[j]) <= bound"),
    "scan: the last element of a ragged chunk is lost": (
        "LOOK_BACK", "src/device/tile_chunk.cuh", "for (int j = end; j < ITEMS", "for (int j = end / 2; j < ITEMS"),
    "bounded select: counts before there are zeros": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "if (met == 0) gp__select_await(a, row, tag);\n", ""),
    "bounded select: all copies of the k-th key are put aside": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "a.ranks}, bound - copies);", "a.ranks}, bound);"),
    "bounded select: no key is before the first": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "if (in != to && (!copies || bound))", "if (in != to)"),
    "bounded select: the rank within a digit": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "rank -= s.found.before;", ""),
    "bounded select: each digit is added to the first": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "bins += GP__SELECT_BINS;", ""),
    "bounded select: a copy is taken for a key before": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "gp__u64 i = wanted - 1 - rank + share",
        "gp__u64 i = wanted - rank + share"),
    "bounded select: keys put aside by the launch before": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "state->appended = state->buffered = 0;", "state->buffered = 0;"),
    "bounded select: more keys than there is room for": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "appended < wanted || appended > a.room", "appended < wanted"),
    "bounded select: fewer keys than wanted": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "appended < wanted || appended > a.room", "appended > a.room"),
    "bounded select: the results overwrite the keys that they come from": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "if (in != to && (", "if (("),
    "select: a warp stages keys beyond its places": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "if (staged > PLACES - 32 * V) flush();",
        "if (staged > PLACES) flush();"),
    "bounded select: keys stay in a warp's places": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "keys.flush();\n  for (", "for ("),
    "bounded select: a block finds digits before all have counted": (
        "RADIX_SELECT", "src/top_k/radix_select.cuh", "while (gp__load_relaxed(&state->arrived) < arrivals) {}", ""),
    "collect: one equal key too many": ("RADIX_SELECT", "src/top_k/radix_select.cuh", "if (!is_equal || same < wanted)",
                                        "if (!is_equal || same <= wanted)"),
    "shuffle: n itself": (
        "SHUFFLE", "src/top_k/shuffle.cuh",
        "} while (x >= n);\n    return x;\n  }\n};", "} while (x > n);\n    return x;\n  }\n};"),
    "shuffle: a round's key twice": (
        "SHUFFLE", "src/top_k/shuffle.cuh",
        "low ^= gp__shuffle_round(high, keys[r + 1]) & low_mask;\n      }\n      x = gp__u64",
        "low ^= gp__shuffle_round(high, keys[r]) & low_mask;\n      }\n      x = gp__u64"),
    "groups: lanes of the next group are reduced": (
        "AUTHORS", "src/device/warp_groups.cuh", "if (gp_lane() + d < end) value", "if (gp_lane() + d < 32) value"),
    "groups: the last group has all its lanes": (
        "AUTHORS", "src/device/warp_groups.cuh", "op, end < 32 ? end : 32);", "op, end);"),
    "groups: a run ends a lane late": (
        "AUTHORS", "src/device/warp_groups.cuh", "& ~1u << gp_lane();", "& ~3u << gp_lane();"),
    "groups: a tail begins its own run": (
        "AUTHORS", "src/device/warp_groups.cuh", "(tails << 1 >> gp_lane() & 1u)", "(tails >> gp_lane() & 1u)"),
    "groups: a batch's operands change places": (
        "AUTHORS", "src/device/warp_groups.cuh", "upper ? op(other, mine) : op(mine, other)", "op(mine, other)"),
    "groups: an odd array of a batch is forgotten": (
        "AUTHORS", "src/device/warp_groups.cuh", "left = (left + 1) / 2;", "left = left / 2;"),
    "groups: a scan goes on from the group before": (
        "AUTHORS", "src/device/warp_groups.cuh", "if (gp_lane() % LANES >= d) value", "if (gp_lane() >= d) value"),
    "groups: an exclusive scan without its initial value": (
        "AUTHORS", "src/device/warp_groups.cuh", "first ? op(initial, value) : value", "value"),
    "arrangements: a block's warps do not wait": (
        "AUTHORS", "src/device/tile_arrange.cuh", "FROM != GP_STRIPED && TO != GP_STRIPED", "true"),
    "arrangements: a load reads past the end": (
        "AUTHORS", "src/device/tile_arrange.cuh", "items[i] = at < count ? in[at] : fill;", "items[i] = in[at];"),
    "arrangements: a store writes past the end": (
        "AUTHORS", "src/device/tile_arrange.cuh", "if (at < count) out[at]", "out[at]"),
    "arrangements: a dropped item is sent": (
        "AUTHORS", "src/device/tile_arrange.cuh", "if (ALL || rank[i] < count)", "if (rank[i] != ~0u)"),
    "arrangements: no barrier before a scatter's loads": (
        "AUTHORS", "src/device/tile_arrange.cuh", "  Of::sync();\n", ""),
    "neighbours: out overwrites the items that are left": (
        "AUTHORS", "src/device/tile_neighbours.cuh", "AFTER ? j : ITEMS - 1 - j;", "j;"),
    "neighbours: the last item is that of the whole tile": (
        "AUTHORS", "src/device/tile_neighbours.cuh", "AFTER ? at + 1 == count : at == 0",
        "AFTER ? at + 1 == THREADS * ITEMS : at == 0"),
    "neighbours: heads compare in the wrong order": (
        "AUTHORS", "src/device/tile_neighbours.cuh", "SIDE == GP_AFTER ? differ(item, other) : differ(other, item)",
        "differ(item, other)"),
    "neighbours: no barrier before a rotation": (
        "AUTHORS", "src/device/tile_neighbours.cuh",
        "  __syncthreads();\n  return storage.item[(threadIdx.x + distance) % THREADS];",
        "  return storage.item[(threadIdx.x + distance) % THREADS];"),
    "items: a reduction takes what is behind the end": (
        "AUTHORS", "src/device/tile_items.cuh", "if (threadIdx.x * ITEMS + unsigned(i) < count) sum", "sum"),
    "items: a reduction takes a warp too many": (
        "AUTHORS", "src/device/tile_items.cuh", "(threads + 31) / 32);", "(threads + 32) / 32);"),
    "items: a scan forgets the earlier warps": (
        "AUTHORS", "src/device/tile_items.cuh", "gp_warp() == 0 ? within : op(warps, within)", "within"),
    "items: every lane writes the prefix": (
        "AUTHORS", "src/device/tile_items.cuh", "if (!gp_lane()) storage.prefix = preceding;",
        "storage.prefix = preceding;"),
    "items: no barrier after the prefix": (
        "AUTHORS", "src/device/tile_items.cuh", "  __syncthreads();\n  const T start", "  const T start"),
    "items: a run of no elements is decoded": (
        "AUTHORS", "src/device/tile_items.cuh", "while (run < LAST && storage.end[run] <= element) ++run;",
        "if (run < LAST && storage.end[run] <= element) ++run;"),
    "order: equal keys change places": (
        "AUTHORS", "src/device/tile_order.cuh", "!before(keys[i + 1], keys[i])", "before(keys[i], keys[i + 1])"),
    "order: of equal keys the second run's come first": (
        "AUTHORS", "src/device/tile_order.cuh", "before(s.element[s.slot(int(y))], s.element[s.slot(int(x))])",
        "!before(s.element[s.slot(int(x))], s.element[s.slot(int(y))])"),
    "order: a network sorts what is behind the end": (
        "AUTHORS", "src/device/tile_order.cuh", "first + unsigned(i) + 1 >= count || ", ""),
    "order: no barrier between a merge and the next": (
        "AUTHORS", "src/device/tile_order.cuh",
        "      if (PLACES) place[i] = storage.place[at];\n    }\n    Of::sync();",
        "      if (PLACES) place[i] = storage.place[at];\n    }"),
    "order: a radix sort's last pass takes all bits": (
        "AUTHORS", "src/device/tile_order.cuh", "end - bit < 8 ? (1u << (end - bit)) - 1 : 255", "255"),
    "order: values without a barrier": (
        "AUTHORS", "src/device/tile_order.cuh", "    __syncthreads();\n    gp__scatter_items<",
        "    gp__scatter_items<"),
    "order: the k-th key is one too early": (
        "AUTHORS", "src/device/tile_order.cuh", "before + bin[b] < left;", "before + bin[b] <= left;"),
    "order: candidates of other digits count": (
        "AUTHORS", "src/device/tile_order.cuh", "(bits & known) == last)", "true)"),
    "order: an equal key too many is kept": (
        "AUTHORS", "src/device/tile_order.cuh", "(own && equals < left)", "(own && equals <= left)"),
    "rank: counted before all have looked": (
        "TILE", "src/device/tile_rank.cuh",
        "__popc(peers[j] & below));\n          __syncwarp();", "__popc(peers[j] & below));"),
    "rank: looked at before it is counted": (
        "TILE", "src/device/tile_rank.cuh",
        "before + 1); // the last one of its digit\n          __syncwarp();",
        "before + 1); // the last one of its digit"),
    "rank: the first lane counts": (
        "TILE", "src/device/tile_rank.cuh",
        "if (!(peers[j] & above)) counter", "if (!(peers[j] & below)) counter"),
    "rank: keys behind come before": (
        "TILE", "src/device/tile_rank.cuh",
        "__popc(peers[j] & below));", "__popc(peers[j] & above));"),
    "rank: a bit of the digit is not matched": (
        "TILE", "src/device/warp.cuh",
        "for (int i = 1; i < BITS; i += 2) peers", "for (int i = 3; i < BITS; i += 2) peers"),
    "rank: the warps before are forgotten": (
        "TILE", "src/device/tile_rank.cuh",
        "first += own;\n", "first += 0 * own;\n"),
    "rank: no barrier before the positions": (
        "TILE", "src/device/tile_rank.cuh",
        "first = odd + (total[i] >> 16);\n  }\n  __syncthreads();", "first = odd + (total[i] >> 16);\n  }"),
    "radix: the sums are not cleared": (
        "RADIX", "src/sort/radix_count.cuh",
        "for (int i = threadIdx.x; i < a.passes * GP__DIGITS; i += THREADS) a.counts[i] = 0;", ""),
    "radix: sums are added to before they are cleared": (
        "RADIX", "src/sort/radix_count.cuh",
        "gp__receive<gp__u64>(gp__words(a.workspace), 0, ticket.tag);", ""),
    "radix: the words are not cleared": (
        "RADIX", "src/sort/radix_count.cuh",
        "gp__as<gp_vector>(a.words)[i] = gp_vector{{0, 0, 0, 0}};", ""),
    "radix: the upper word is counted as the lower one": (
        "RADIX", "src/sort/radix_count.cuh",
        "add<ALL>(upper ? low : high, other);", "add<ALL>(upper ? low : high, own);"),
    "radix: the block that comes last does not see all sums": (
        "RADIX", "src/sort/radix_count.cuh",
        "__threadfence();\n      s.last = gp__draw", "s.last = gp__draw"),
    "radix: a pass with two digits is left out": (
        "RADIX", "src/sort/radix_count.cuh",
        "leading ? p >= first : most[p] != n;", "leading ? p >= first : most[p] + 1 < n;"),
    "radix: the last pass writes to the other buffer": (
        "RADIX", "src/sort/radix_count.cuh",
        "const bool to_other = a.in_place ? done % 2 == 0 : left % 2 == leading;",
        "const bool to_other = a.in_place ? done % 2 == 0 : left % 2 != leading;"),
    "radix: in place the first pass overwrites its input": (
        "RADIX", "src/sort/radix_count.cuh",
        "const bool to_other = a.in_place ? done % 2 == 0 : left % 2 == leading;",
        "const bool to_other = left % 2 == leading;"),
    "radix: parity by pass, not by passes that run": (
        "RADIX", "src/sort/radix_count.cuh",
        "(done % 2 ? GP__RADIX_ODD : 0)", "(p % 2 ? GP__RADIX_ODD : 0)"),
    "cooperative radix: a block's own keys come before it": (
        "RADIX", "src/sort/cooperative.cuh",
        "before[0] += block < rank ? even : 0", "before[0] += block <= rank ? even : 0"),
    "cooperative radix: a grid's block comes before itself": (
        "RADIX", "src/sort/cooperative.cuh",
        "before[i] += block < rank ? count : 0;", "before[i] += block <= rank ? count : 0;"),
    "cooperative radix: counts are told before values are read": (
        "RADIX", "src/sort/cooperative.cuh",
        "gp__fence();\n    gp__store_word(word(pass", "gp__store_word(word(pass"),
    "cooperative radix: counts of a pass where those of the last may be read": (
        "RADIX", "src/sort/cooperative.cuh", "gp__in_block(&s.row[pass & 1][rank][threadIdx.x], to)",
        "gp__in_block(&s.row[0][rank][threadIdx.x], to)"),
    "cooperative radix: the grid's next pass before all have written": (
        "RADIX", "src/sort/cooperative.cuh",
        "while ((gp__load_relaxed(control()) & 0xfffffffu) < met * blocks) {}", ""),
    "cluster: lanes do not meet before they arrive": (
        "RADIX", "src/device/common.cuh",
        "  __syncwarp();\n  gp__cluster_arrive_aligned();", "  gp__cluster_arrive_aligned();"),
    "cluster: lanes do not meet before they wait": (
        "BFS", "src/device/common.cuh",
        "  __syncwarp();\n  gp__cluster_wait_aligned();", "  gp__cluster_wait_aligned();"),
    "sets: the workspace is read beside the launch before": (
        "SETS", "src/sets/kernels.cuh",
        "  gp__pdl_wait<P>();\n  const gp__set_inputs<Key, Before> inputs(a, Tile::SWAPPED);",
        "  gp__load_volatile(gp__as<const gp__u64>(a.workspace));\n  gp__pdl_wait<P>();\n"
        "  const gp__set_inputs<Key, Before> inputs(a, Tile::SWAPPED);"),
    "cooperative radix: one result too many": (
        "RADIX", "src/sort/cooperative.cuh", "last && of.a.capacity < of.n ? of.a.capacity :",
        "last && of.a.capacity < of.n ? of.a.capacity + 1 :"),
    "cooperative radix: passes before the last are cut": (
        "RADIX", "src/sort/cooperative.cuh", "last && of.a.capacity < of.n ?", "of.a.capacity < of.n ?"),
    "cooperative radix: values of a pass where the results go": (
        "RADIX", "src/sort/cooperative.cuh", "gp__as<V>(last ? of.a.out : of.a.other)",
        "gp__as<V>(of.a.out)"),
    "cooperative radix: a cluster's next pass before all have written": (
        "RADIX", "src/sort/cooperative.cuh",
        "if (moved) {\n        gp__cluster_arrive();\n        gp__cluster_wait();\n      }", ""),
    "cooperative radix: keys of other blocks in this block's tile": (
        "RADIX", "src/sort/cooperative.cuh",
        "*gp__in_block(own_keys + at[j] % TILE, at[j] / TILE) = key[j];", "own_keys[at[j] % TILE] = key[j];"),
    "cooperative radix: tickets of passes that moved nothing are left": (
        "RADIX", "src/sort/cooperative.cuh",
        "const gp__u64 left = gp__u64(of.a.passes) - met;", "const gp__u64 left = 1;"),
    "radix: what is left in the other buffer stays there": (
        "RADIX", "src/sort/radix_count.cuh",
        "a.steps[a.passes] = (from == 2 && !leading) || a.passes == 0 ?",
        "a.steps[a.passes] = a.passes == 0 ?"),
    "radix: nothing is copied where no pass runs": (
        "RADIX", "src/sort/radix_count.cuh",
        "else if (none && p + 1 == a.passes) step = GP__RADIX_COPIES;", ""),
    "radix: the window goes on behind a missing word": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "if (passed == j && w.tile + j < tile && N::mark", "if (w.tile + j < tile && N::mark"),
    "radix: the window goes on behind a known group": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "w.group = 0; // all", "++passed; // all"),
    "radix: a group that is not complete is counted": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "} else if (w.sum[j] >> 48 == GROUP) {", "} else {"),
    "radix: a group is known before all of it is counted": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "      if (sum >> 48 == GROUP)\n        W::store", "      W::store"),
    "radix: groups of the pass before": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "gp__u32(a.pass) * groups() + group", "group"),
    "radix: the window of groups is off by one": (
        "RADIX", "src/sort/radix_sweep.cuh", "const gp__u32 group = w.group > j ? w.group - 1 - j : 0;",
        "const gp__u32 group = w.group > j + 1 ? w.group - 2 - j : 0;"),
    "radix: the tile itself is counted as one before": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "if (passed == j && w.tile + j < tile && N::mark", "if (passed == j && w.tile + j <= tile && N::mark"),
    "radix: marks of the pass before are taken": (
        "RADIX", "src/sort/radix_sweep.cuh", "return step & GP__RADIX_ODD ? 2 : 1; }", "return 1; }"),
    "radix: digits begin at nothing": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "even = Count(tile < GROUP ? base()[2 * pair] : 0);", "even = 0;"),
    "radix: digits begin at nothing behind the first group": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "            even += Count(base()[2 * pair]);\n", ""),
    "radix: written before all is in place": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "      __syncthreads();\n      next = s.tile;", "      __syncwarp();\n      next = s.tile;"),
    "radix: positions before the counters are there": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "      __syncthreads();\n      if (!BEHIND && resolves)", "      if (!BEHIND && resolves)"),
    "radix: tiles follow each other in one half": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "if (BEHIND) half = TILE - half;", ""),
    "radix: the tile behind the last one is left": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "while (now.tile < tiles || (BEHIND && behind.tile < tiles)) {", "while (now.tile < tiles) {"),
    "radix: the tile behind has the next one's counts": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "resolve(BEHIND ? behind : now, window)", "resolve(now, window)"),
    "radix: padding comes before keys": (
        "RADIX", "src/sort/keys.cuh",
        "descending ? Bits(0) : Bits(~Bits(0))", "descending ? Bits(~Bits(0)) : Bits(0)"),
    "radix: values stay": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "tile_values[at[i]] = values[i];", "tile_values[half + gp_tile_warp_striped<ITEMS>(i)] = values[i];"),
    "radix: two stages where one block has room": (
        "RADIX", "src/sort/portable.h",
        "block * p.blocks_per_sm <= s->shared_bytes + 1024", "block <= s->shared_bytes + 1024"),
    "radix: a partial tile is written whole": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "if (digit.valid == TILE) store<true>(digit, half);", "if (true) store<true>(digit, half);"),
    "radix: pairs are looked for where they do not stand": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "keys[j] = from[slot_of(k)];", "keys[j] = from[k];"),
    "radix: the first pass reads pairs": (
        "RADIX", "src/sort/radix_count.cuh",
        "(a.paired && done ? GP__RADIX_READS_PAIRS : 0)", "(a.paired ? GP__RADIX_READS_PAIRS : 0)"),
    "radix: the last pass writes pairs": (
        "RADIX", "src/sort/radix_count.cuh",
        "(a.paired && (leading || left > 1) ? GP__RADIX_WRITES_PAIRS : 0)",
        "(a.paired ? GP__RADIX_WRITES_PAIRS : 0)"),
    "radix: one pair too many in the first output": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "half = in_other ? all : all / 2, both", "half = in_other ? all : (all + 1) / 2, both"),
    "radix: the last one of odd pairs in the second output": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "i < half ? first : i < both ? second : last) + i;", "i < half ? first : second) + i;"),
    "radix: the last one of odd pairs where keys are written": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "gp__as<Key>(a.other) + (n + 1) / 2 - both", "gp__as<Key>(a.other_keys) + n - both"),
    "radix: no room for the last one of odd pairs": (
        "RADIX", "src/sort/scratch.h",
        "gp__is_paired(p.algorithm, s->in_size) * 16", "gp__is_paired(p.algorithm, s->in_size) * 0"),
    "radix: a tile of pairs that begins in one output ends there": (
        "RADIX", "src/sort/radix_sweep.cuh", "(at + TILE <= from.half || at", "(at < from.half || at"),
    "radix: pairs are written to the first output alone": (
        "RADIX", "src/sort/radix_sweep.cuh",
        "else if (FULL && step & GP__RADIX_TO_OTHER) store<", "else if (FULL) store<"),
    # Segmented sort.
    "segmented sort: a segment as long as its class is listed nowhere": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "length[r] <= gp__u32(GP__SHORT << (c + 1))", "length[r] < gp__u32(GP__SHORT << (c + 1))"),
    "segmented sort: a list's places begin at one": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "place = slot + gp__lanes_before(all[r]);", "place = slot + gp__lanes_before(all[r]) + 1;"),
    "segmented sort: one launch for what does not fit": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/scratch.h", "longest <= capacity && (few", "longest && (few"),
    "segmented sort: twice the threads whatever the caller says": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/portable.h", "if (!threads && (", "if ((threads || true) && ("),
    "segments: short ones of one length are pipelined": (
        "SEGMENTS", "src/segments/portable.h", "!few && s->offset_size && ", "!few && "),
    "segmented sort: rounds of a warp take the same places of a list": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh", "        slot += unsigned(__popc(all[r]));\n", ""),
    "segmented sort: segments of one length fill half their class": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "a.length <= unsigned(size)", "a.length < unsigned(size)"),
    "segmented sort: a lane reads the key behind its segment": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/arrays.cuh", "i * lanes + rank < n ?", "i * lanes + rank <= n ?"),
    "segmented sort: a block without a queue sorts one segment": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/long.cuh", "next += gridDim.x;", "next += a.segments;"),
    "segmented sort: without a queue, wrong offsets are taken": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/long.cuh", "if (!h && a.bad && *a.bad != ~0ull) return;", ""),
    "segmented sort: the last of a list is forgotten": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh", "step * unsigned(side) < count;",
        "(step + 1) * unsigned(side) < count;"),
    "segmented sort: segments apart are loaded as if side by side": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "in[r] && (below ? begin[r] != left :", "in[r] && (below ? false :"),
    "segmented sort: more segments than the room holds": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "at[r] + n[r] > from + CAPACITY)", "at[r] > from + CAPACITY)"),
    "segmented sort: the room is filled before it is stored": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh",
        "      __syncwarp(); // before the room is filled again\n", ""),
    "segmented sort: places are not sorted by": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/items.cuh", "C(bits) << SHIFT | index;",
        "C(bits) << SHIFT | (0xffffu - index);"),
    "segmented sort: a network lacks its last step": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/items.cuh", "if ((i & step) && (i & (size - 1)) + step < size)",
        "if ((i & step) && (i & (size - 1)) + step + 2 < size)"),
    "segmented sort: partitions are not stable": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "below = gp__earlier_lanes(peers);", "below = peers & ~((2u << gp_lane()) - 1);"),
    "segmented sort: the digit lacks its upper bit": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "return top >= GP__RADIX_BITS ? top - (GP__RADIX_BITS - 1) : 0;",
        "return top >= GP__RADIX_BITS ? top - GP__RADIX_BITS : 0;"),
    "segmented sort: the last tile of a segment is not counted": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh", "t < tiles && t < (group + 1) * GP__COUNT_TILES;",
        "t + 1 < tiles && t < (group + 1) * GP__COUNT_TILES;"),
    "segmented sort: parts together exceed a block": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "const gp__u64 WINDOW = CAPACITY / 8 * 7,", "const gp__u64 WINDOW = CAPACITY,"),
    "segmented sort: all keys equal, and not in the output": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "const bool there = source == 2 ||", "const bool there = source != 0 ||"),
    "segmented sort: the last tile is told before it is done": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "    __syncthreads();\n    if (!threadIdx.x) {\n      __threadfence();\n      s.task.last",
        "    if (!threadIdx.x) {\n      __threadfence();\n      s.task.last"),
    "segmented sort: the last tile is told without a fence": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "      __threadfence();\n      s.task.last", "      s.task.last"),
    "segmented sort: a task of another call is taken": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "if (task.tag == sorter.tag) break;", "if (task.tag != 0) break;"),
    "segmented sort: few segments take the places of what they append": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/short.cuh", "a.header->pushed = a.header->pending = a.few;",
        "a.header->pending = a.few;"),
    "segmented sort: few segments are sorted by wrong offsets": (
        "SEGMENTED_SORT_SHORT", "src/segmented_sort/short.cuh", "if (!(a.bad && *a.bad != ~0ull)) a.header->pushed",
        "a.header->pushed"),
    "segmented sort: pairs draw their places": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh", "const bool drawn = !INDEXED && ", "const bool drawn = "),
    "segmented sort: bins are not emptied": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh", "      sort.clear();\n      least =", "      least ="),
    "segmented sort: bins that hold too much stay as they are": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "if (!sort.finish(shift)) sort.merge(n);", "sort.finish(shift);"),
    "segmented sort: merges overwrite what others read": (
        "SEGMENTED_SORT_LONG", "src/segmented_sort/long.cuh",
        "      __syncthreads();\n      if (own < all) {\n        GP__EACH",
        "      if (own < all) {\n        GP__EACH"),
    "tile sort: nobody looks whether it is sorted": (
        "HYBRID", "src/device/tile_sort.cuh", "if (left == 0) return true;", "return true;"),
    "tile sort: what is left unsorted stays": (
        "HYBRID", "src/sort/hybrid_kernels.cuh",
        "bucket.sort_any(out + item.begin, out + item.begin, item.count);\n", ""),
    "tile sort: no merges": ("HYBRID", "src/device/tile_sort.cuh", "if (!fit(n, shift)) merge(n);", "fit(n, shift);"),
    "tile sort: the last run is not merged": (
        "HYBRID", "src/device/tile_sort.cuh",
        "if (run >= n) return;", "if (2 * run >= n) return;"),
    "tile sort: counters stay": (
        "HYBRID", "src/device/tile_sort.cuh",
        "    clear();\n    for (int repeat = 1;", "    for (int repeat = 1;"),
    "tile sort: no barrier between windows and their keys": (
        "HYBRID", "src/device/tile_sort.cuh",
        "if (has_keys) ok = order_window(w, first);\n      __syncthreads();",
        "if (has_keys) ok = order_window(w, first);"),
    "tile sort: nothing behind the keys": (
        "HYBRID", "src/device/tile_sort.cuh",
        "p < Storage::CAPACITY + HALO; p += THREADS) s.key", "p < n; p += THREADS) s.key"),
    "tile sort: the key before the first vector": (
        "HYBRID", "src/device/tile_sort.cuh",
        "    if (!gp_warp()) put(edge, there(-1), at_edge);\n", ""),
    "reverse: elements of a run keep their order": (
        "MAP", "src/reverse/kernels.cuh",
        "q.item[j] = a[k].item[SWAP ? j : V - 1 - j];", "q.item[j] = a[k].item[j];"),
    "reverse: in place, all runs are swapped twice": (
        "MAP", "src/reverse/kernels.cuh",
        "in_place && !SWAP ? count / 2 : count;", "count;"),
    "reverse: in place, whole vectors hold elements of others": (
        "MAP", "src/reverse/kernels.cuh",
        "!in_place && r > 0", "r > 0"),
    "reverse: in place, a vector is stored across a boundary": (
        "MAP", "src/reverse/kernels.cuh",
        "if (off == 0) q.template store", "if (true) q.template store"),
    "swap: half of the elements": (
        "MAP", "src/reverse/kernels.cuh", "in_place && !SWAP ? count / 2", "in_place ? count / 2"),
    "swap: elements of a run are reversed": (
        "MAP", "src/reverse/kernels.cuh",
        "q.item[j] = b[k].item[SWAP ? j : V - 1 - j];", "q.item[j] = b[k].item[V - 1 - j];"),
    "swap: the second array is aligned at its mirrored end": (
        "MAP", "src/reverse/kernels.cuh",
        "gp__misalignment(in + (SWAP ? head : end), boundary)", "gp__misalignment(in + end, boundary)"),
    "replace: elements are compared with the new value": (
        "MAP", "src/map/kernels.cuh",
        "Predicate()(a.item[j], args.step)", "Predicate()(a.item[j], args.value)"),
    "scatter: a window lacks its last place": (
        "MAP", "src/scatter/kernels.cuh", "if (place[k] - low >= window) place",
        "if (place[k] - low >= window - 1) place"),
    "scatter: the tile after one of near places is skipped": (
        "MAP", "src/scatter/kernels.cuh", "done |= gp__u64(1) << (turn % 64);", "done |= gp__u64(3) << (turn % 64);"),
    "scan: an operand in device memory is not read": (
        "LOOK_BACK", "src/scan/kernels.cuh",
        "a.init_device ? *gp__as<const Acc>(a.init_device) : gp__value_as<Acc>(a.init)",
        "gp__value_as<Acc>(a.init)"),
    "scatter: the element of an index that is too large is read": (
        "MAP", "src/scatter/kernels.cuh", "if (place[k] < limit)\n", "if (place[k] <= limit)\n"),
    "scatter: a place behind the output is written": (
        "MAP", "src/scatter/kernels.cuh", "if (place[k] >= limit) continue;", "if (place[k] > limit) continue;"),
    "gather: elements are those of the place itself": (
        "MAP", "src/scatter/kernels.cuh", "in, GATHER ? place[k] : first", "in, first"),
    "scatter: negative indices count from the start": (
        "MAP", "src/scatter/kernels.cuh", "gp__u64(gp__i64(index.item[0]))",
        "gp__u64(gp__i64(index.item[0]) & 0xff)"),
    "scatter: the stencil lets every element pass": (
        "MAP", "src/scatter/kernels.cuh", "i < count && stencil::passes(key[k], args);", "i < count;"),
    "scatter: elements behind the count are stored": (
        "MAP", "src/scatter/kernels.cuh", "passes = i < count && stencil", "passes = stencil"),
    "batch: bytes before a destination belong to it": (
        "BATCH", "src/batch/kernels.cuh", "bounds((before ? 0 : skipped) + 32", "bounds(32"),
    "batch: a window always has 16 bytes": (
        "BATCH", "src/batch/kernels.cuh", "32 * (after ? 16 : tail))", "32 * 16)"),
    "batch: a vector before the source is read": (
        "BATCH", "src/batch/kernels.cuh",
        "inner = (before > 1 || 16 * unsigned(before) >= skipped + offset) &&", "inner ="),
    "batch: a vector behind the source is read": (
        "BATCH", "src/batch/kernels.cuh", "+ tail >= (offset ? 32 - offset : 16));",
        "+ tail >= 16);"),
    "batch: shifted vectors are the first alone": (
        "BATCH", "src/batch/kernels.cuh", "if (inner && offset == 0) v =", "if (inner) v ="),
    "batch: words are read wherever they lie": (
        "BATCH", "src/batch/kernels.cuh", "if (offset % 4 == 0 && has_word(w)) v.word", "if (has_word(w)) v.word"),
    "batch: windows are those of an aligned destination": (
        "BATCH", "src/batch/kernels.cuh", "s.end[b] = (skipped + size + 15) / 16;",
        "s.end[b] = (size + 15) / 16;"),
    "batch: a tile is scanned before all sizes are there": (
        "BATCH", "src/batch/kernels.cuh",
        "s.next = 0;\n    __syncthreads();\n    gp__u64 length", "s.next = 0;\n    gp__u64 length"),
    "batch: warps copy before the scan is there": (
        "BATCH", "src/batch/kernels.cuh", "sum += length[i];\n    __syncthreads();\n    return",
        "sum += length[i];\n    return"),
    "batch: a piece is of one buffer": (
        "BATCH", "src/batch/kernels.cuh", "const bool several = s.end[first] < end;", "const bool several = false;"),
    "batch: a piece has 32 buffers at most": (
        "BATCH", "src/batch/kernels.cuh", "more = __all_sync(~0u, at < end);", "more = false;"),
    "batch: empty buffers mark windows": (
        "BATCH", "src/batch/kernels.cuh", "if (at < end && at < s.end[b]) mark", "if (at < end) mark"),
    "batch: marks of the piece before": (
        "BATCH", "src/batch/kernels.cuh", "i < PIECE / 2; i += 32)", "i < PIECE / 4; i += 32)"),
    "batch: marks before all are cleared": (
        "BATCH", "src/batch/kernels.cuh", "        __syncwarp();\n        bool more", "        bool more"),
    "batch: lanes look before all marks are there": (
        "BATCH", "src/batch/kernels.cuh", "        __syncwarp();\n      }\n      gp__u32 open",
        "      }\n      gp__u32 open"),
    "batch: the next piece does not wait for lanes that look": (
        "BATCH", "src/batch/kernels.cuh", "      __syncwarp();\n    }\n  }\n  // Draws", "    }\n  }\n  // Draws"),
    "batch: a warp's marks are the block's": (
        "BATCH", "src/batch/kernels.cuh", "s.mark + gp_warp() * PIECE;", "s.mark;"),
    "batch: bytes of the last window are those of the size": (
        "BATCH", "src/batch/kernels.cuh", "(1 + (skipped + size + 15) % 16)", "(1 + (size + 15) % 16)"),
    "batch: the second round of a piece is the first": (
        "BATCH", "src/batch/kernels.cuh", "begin + i + k * 32u;", "begin + gp_lane() + k * 32u;"),
    "lanes: the newest mark is the lane's own": (
        "BATCH", "src/device/lanes.cuh", "if (!earlier) newest = open;", ""),
    "lanes: what is open stays": (
        "BATCH", "src/device/lanes.cuh", "if (lanes) open = __shfl_sync", "if (!lanes) open = __shfl_sync"),
    "batch: a draw does not wait for warps that copy": (
        "BATCH", "src/batch/kernels.cuh", "1);\n    __syncthreads();\n    return s.drawn;", "1);\n    return s.drawn;"),
    "batch: a share's tile is not told to all": (
        "BATCH", "src/batch/kernels.cuh",
        "s.tile = entry.tile, s.before = entry.at;\n        }\n        __syncthreads();",
        "s.tile = entry.tile, s.before = entry.at;\n        }"),
    "batch: a tile's block copies all of it": (
        "BATCH", "src/batch/kernels.cuh", "copy(tile, 0, total - rest);", "copy(tile, 0, total);"),
    "batch: a share ends with its tile": (
        "BATCH", "src/batch/kernels.cuh", "begin = before + total - AT_ONCE;", "begin = end;"),
    "batch: a share goes on to its tile's end": (
        "BATCH", "src/batch/kernels.cuh", "copy(tile, AT_ONCE + (begin - before), to < total ? to : total);",
        "copy(tile, AT_ONCE + (begin - before), total);"),
    "batch: the share of a tile begins where the tile's rest does": (
        "BATCH", "src/batch/kernels.cuh", "copy(tile, AT_ONCE + (begin - before), to", "copy(tile, AT_ONCE, to"),
    "batch: the tile of a share is the one before": (
        "BATCH", "src/batch/kernels.cuh",
        "(words, i, tag).at <= window;",
        "(words, i, tag).at < window;"),
    "batch: the tickets of the next launch go on": (
        "BATCH", "src/batch/kernels.cuh", "tiles + shares + gridDim.x, drawn);",
        "tiles + shares + gridDim.x + 1, drawn);"),
    "batch: leftovers of the next launch follow these": (
        "BATCH", "src/batch/kernels.cuh",
        "        gp__store_relaxed(&left.sum, 0);\n",
        ""),
    "batch: leftovers are cleared before all have read them": (
        "BATCH", "src/batch/kernels.cuh",
        "1) == gridDim.x - 1) { // all",
        "1) == gridDim.x / 2) { // all"),
    "batch: what all tiles leave is read without waiting": (
        "BATCH", "src/batch/kernels.cuh",
        "      while (gp__load_relaxed(&left.scanned) < tiles) {}\n",
        ""),
    "batch: a count on the device is not read": (
        "BATCH", "src/batch/kernels.cuh", "count(gp__count(args)) {}", "count(args.count) {}"),
    "batch: a grid of all tiles is valid": (
        "BATCH", "src/batch/policy.h", "return p.blocks_per_sm > 0 && ", "return "),
    "batch: tickets have more bits": (
        "BATCH", "src/batch/policy.h", "s->count >> 27 <=", "s->count >> 28 <="),
    "expand: room for more elements than there are is filled": (
        "EXPAND", "src/expand/ends.cuh",
        "all = ends.last(), count = all < room ? all : room",
        "all = ends.last(), count = room"),
    "expand: all elements are written, whatever the room": (
        "EXPAND", "src/expand/ends.cuh",
        "all = ends.last(), count = all < room ? all : room",
        "all = ends.last(), count = all"),
    "expand: a warp's elements go on to its ends": (
        "EXPAND", "src/expand/ends.cuh",
        "share.end = end < count ? end : count",
        "share.end = end"),
    "expand: bad offsets are used": (
        "EXPAND", "src/expand/kernels.cuh",
        "if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;\n  gp__expand_share",
        "if (a.segments == 0) return;\n  gp__expand_share"),
    "expand: empty segments have marks": (
        "EXPAND", "src/expand/kernels.cuh",
        "at < to && rows.start[k] < rows.stop[k];",
        "at < to;"),
    "expand: a piece has the segments of one row": (
        "EXPAND", "src/expand/kernels.cuh",
        "if (!__all_sync(~0u, rows.stop[rows.WIDE - 1] < piece + to)) break;",
        "break;"),
    "expand: values of a row are those of its first 32": (
        "EXPAND", "src/expand/kernels.cuh",
        "= rows.value[k];",
        "= rows.value[0];"),
    "expand: a lane's places are those of its run": (
        "EXPAND", "src/expand/kernels.cuh",
        "+ gp_warp_broadcast(before, int(first / RUN));",
        "+ before;"),
    "expand: marks of earlier words do not count": (
        "EXPAND", "src/expand/kernels.cuh",
        "(x.item[j] + sum) * 0x01010101u",
        "x.item[j] * 0x01010101u"),
    "expand: marks of the piece before": (
        "EXPAND", "src/expand/kernels.cuh",
        "x.item[j] = 0;\n    x.template store",
        "x.item[j] = 0;\n    if (!piece) x.template store"),
    "expand: marks before all are cleared": (
        "EXPAND", "src/expand/kernels.cuh",
        "    __syncwarp();\n    gp__u32 heads",
        "    gp__u32 heads"),
    "expand: marks are added up before all are there": (
        "EXPAND", "src/expand/kernels.cuh",
        "    __syncwarp();\n    x.template load",
        "    x.template load"),
    "expand: lanes look before the ends are there": (
        "EXPAND", "src/expand/kernels.cuh", "    __syncwarp();\n    Access v", "    Access v"),
    "expand: elements are copied before all are gathered": (
        "EXPAND", "src/expand/kernels.cuh",
        "      __syncwarp();\n      gp__copy_from_shared",
        "      gp__copy_from_shared"),
    "expand: a vector at the end of a warp's elements is whole": (
        "EXPAND", "src/expand/kernels.cuh",
        "to == PIECE && piece >= skipped && gp__is",
        "piece >= skipped && gp__is"),
    "expand: a vector before a warp's elements is whole": (
        "EXPAND", "src/expand/kernels.cuh",
        "to == PIECE && piece >= skipped && gp__is",
        "to == PIECE && gp__is"),
    "expand: no runs have no total": (
        "EXPAND", "src/expand/kernels.cuh", "offsets[0] = a.out_count[0] = 0;", "offsets[0] = 0;"),
    "expand: runs of a step lack one of those before": (
        "EXPAND", "src/expand/ends.cuh",
        "start = gp_warp_broadcast(stop, 31);",
        "start = gp_warp_broadcast(stop, 30);"),
    "expand: runs before a share count as if they were none": (
        "EXPAND", "src/expand/ends.cuh",
        "      if (passed) start = gp_warp_broadcast(end, int(passed) - 1);\n",
        ""),
    "expand: lengths behind the last": (
        "EXPAND", "src/expand/kernels.cuh", "first + i < a.segments ? lengths[first + i] : 0;", "lengths[first + i];"),
    "expand: vectors of lengths beyond their ends": (
        "EXPAND", "src/expand/kernels.cuh", "inner = first >= V && first + ITEMS + V <= a.segments;", "inner = true;"),
    "expand: a tile's offsets begin at 0": (
        "EXPAND", "src/expand/kernels.cuh", "sum + (s.prefix.has ? s.prefix.value : 0);", "sum;"),
    "expand: a tile's prefix is read before it is there": (
        "EXPAND", "src/expand/kernels.cuh",
        "if (!gp_lane()) s.prefix = prefix;\n    }\n    __syncthreads();",
        "if (!gp_lane()) s.prefix = prefix;\n    }"),
    "expand: runs of a tile are divided as if all were before the diagonal": (
        "EXPAND", "src/expand/ends.cuh",
        "if (tile[n] < tiles && along < at[n]) at[n] = along;",
        ""),
    "expand: a segment that goes on is that of the first piece": (
        "EXPAND", "src/expand/kernels.cuh",
        "    if (!gp_lane()) head[0] = head[gp_min<gp__u32>()(heads - 1, PIECE)];\n",
        ""),
    "expand: values beyond a warp's memory, of offsets that decrease": (
        "EXPAND", "src/expand/kernels.cuh",
        "if (begins && place <= PIECE) head",
        "if (begins) head"),
    "expand: groups behind those that begin in a piece are passed by": (
        "EXPAND", "src/expand/kernels.cuh",
        "if (gp_warp_broadcast(stop[WIDE - 1], 31) >= all) return;",
        "if (gp_warp_broadcast(stop[WIDE - 1], 31) >= all / 2) return;"),
    "expand: the segment that goes on behind a share has no value": (
        "EXPAND", "src/expand/ends.cuh",
        "(s[1] < a.segments ? s[1] + 1 : s[1])",
        "s[1]"),
    "expand: runs of the tile where a share ends are missing": (
        "EXPAND", "src/expand/ends.cuh",
        "(a.segments, (tile[1] + 1) * GP__EXPAND_RUNS)",
        "(a.segments, tile[1] * GP__EXPAND_RUNS)"),
    "expand: segments begin where they end": (
        "EXPAND", "src/expand/kernels.cuh",
        "int((gp_lane() + 31) & 31)",
        "int(gp_lane())"),
    "expand: long runs wrap around": (
        "EXPAND", "src/expand/ends.cuh",
        "(gp__u64(ahead) >> 26) != 0",
        "(gp__u64(ahead) >> 40) != 0"),
    "expand: places of long runs wrap around": (
        "EXPAND", "src/expand/ends.cuh",
        "i < limit && stop - base < ~0u ?",
        "i < limit ?"),
    "expand: a long last segment wraps around": (
        "EXPAND", "src/expand/ends.cuh",
        "gp__u32(gp_min<O>()(O(ahead - O(base)), O(~0u)))",
        "gp__u32(ahead - base)"),
    "expand: values ahead are those of the first row": (
        "EXPAND", "src/expand/kernels.cuh",
        "value[k] = values_ahead[k];",
        "value[k] = values_ahead[0];"),
    "expand: the last offset is missing": (
        "EXPAND", "src/expand/kernels.cuh",
        "+ GP__EXPAND_RUNS - 1) / GP__EXPAND_RUNS] = a.out_count[0] = end;",
        "+ GP__EXPAND_RUNS - 1) / GP__EXPAND_RUNS - 1] = a.out_count[0] = end;"),
    "expand: shared memory of a warp lacks the gathered elements": (
        "EXPAND", "src/expand/policy.h",
        "head_bytes(vectors, size) +\n      gp__expand_staged_bytes(vectors, size);",
        "head_bytes(vectors, size);"),
    "expand: the workspace has no room for the last offset": (
        "EXPAND", "src/segments/geometry.h",
        "(gp__ceil_div(s->segments, GP__EXPAND_RUNS) + 1) * 8",
        "gp__ceil_div(s->segments, GP__EXPAND_RUNS) * 8"),
    "map: a struct lies on a multiple of its size": (
        "MAP", "src/device/vector_access.cuh",
        "return alignof(T) >= sizeof(T) || gp__misalignment(at, BYTES) == 0;", "return true;"),
    "map: a register takes a struct wherever it lies": (
        "MAP", "src/device/vector_access.cuh",
        "if (gp__is_whole<sizeof(Register)>(at)) access = ", "if (true) access = "),
    "adjacent: a vector is written wherever the struct lies": (
        "NEIGHBOURS", "src/device/vector_access.cuh",
        "if (gp__is_whole<16>(at)) gp__store_vector<CACHE>(at, access);",
        "if (true) gp__store_vector<CACHE>(at, access);"),
    "merge: structs are written in vectors wherever they lie": (
        "MERGE", "src/merge/kernels.cuh",
        " || (alignof(T) < sizeof(T) && gp__misalignment(to, sizeof(T)))) {", ") {"),
    "select: a struct of two bytes is aligned to two": (
        "SELECT", "src/select/stream.cuh",
        "gp__raw<alignof(T)>::type R;", "gp__raw<sizeof(T)>::type R;"),
    "hybrid pairs: values come in vectors wherever they lie": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh",
        "    if (!gp__is_whole<sizeof(Value)>(in)) v.before = 0, v.head = n, v.whole = 0;\n", ""),
    "hybrid pairs: a thread brings one value where there are no vectors": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh",
        "for (unsigned i = edge + THREADS; i < n; i += THREADS) values[i] = in[i];", "(void)edge;"),
    "hybrid: a bucket over the capacity is one item": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "if (keys > this->a.capacity ||", "if (keys > this->a.capacity + 100 ||"),
    "hybrid: a group is larger than a block sorts": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "if (end - start <= this->a.capacity) low", "if (end - start <= this->a.capacity + 100) low"),
    "hybrid: one group": ("HYBRID", "src/sort/hybrid_count.cuh", "      if (is && to < digits) heads[to] = 1;\n", ""),
    "hybrid: an item's range is one digit's": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "shift + gp__width<gp__u32>(span - 1), source)", "shift, source)"),
    "hybrid: parts of the next level begin with the same tile": (
        "HYBRID", "src/sort/hybrid.cuh",
        "p.first_tile = first_tile, p.tiles", "p.first_tile = 0, p.tiles"),
    "hybrid: the last tile is not counted": (
        "HYBRID", "src/sort/hybrid.cuh",
        "gp__u32((skew(source, begin) + size + TILE - 1) / TILE)",
        "gp__u32((skew(source, begin) + size) / TILE)"),
    "hybrid: any block plans": (
        "HYBRID", "src/sort/hybrid_count.cuh", "+ (last - first) == tiles;", "+ (last - first) > 0;"),
    "hybrid: counters of the next level stay": (
        "HYBRID", "src/sort/hybrid_move.cuh",
        "      next_bins[i] = 0;", "      (void)i;"),
    "hybrid: digits of a level leave bits to the next one that are not there": (
        "HYBRID", "src/sort/hybrid.cuh",
        "p.shift = width - bits, p.bits = bits;", "p.shift = width > 8 ? width - 8 : 0, p.bits = bits;"),
    "hybrid: levels run out": (
        "HYBRID", "src/sort/hybrid.cuh",
        "const int least = width - 8 * (gp__hybrid_levels(int(sizeof(T))) - 1 - level);",
        "const int least = 0 * (level + int(depth));"),
    "hybrid: a part that stays is one that moves": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        ": whole ? GP__PART_STAYS : GP__PART_MOVES;", ": GP__PART_MOVES;"),
    "hybrid: runs begin one place early": (
        "HYBRID", "src/sort/hybrid_move.cuh",
        "if (s.delta[digit + step] <= q) digit", "if (s.delta[digit + step] < q) digit"),
    "hybrid: the hot digit's lanes share a slot": (
        "HYBRID", "src/sort/hybrid_move.cuh",
        "if (is) slot = first + gp__lanes_before(lanes);", "if (is) slot = first;"),
    "hybrid: a constant part has its range's first key": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "if (constant && t == 0) p.low = least;",
        "if (constant && t == 0) s.hot = 0;"),
    "hybrid: the first counts do not wait for zeros": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "      gp__receive<gp__u64>(gp__words(this->a.workspace), 0, s.ticket.tag);\n", ""),
    "hybrid: lists begin with what was there": (
        "HYBRID", "src/sort/hybrid_count.cuh",
        "      if (threadIdx.x < GP__HYBRID_LIST) this->a.list[threadIdx.x] = 0;\n", ""),
    "hybrid: a step begins before the one before is done": (
        "HYBRID", "src/sort/buckets.cuh",
        "< drawn.number / gridDim.x * gridDim.x) {}", "< drawn.number / gridDim.x * gridDim.x / 2) {}"),
    "hybrid: the last level is left out": (
        "HYBRID", "src/sort/buckets.cuh", "if (h.level >= a.levels || a.list[h.level] == 0) return;",
        "if (h.level + 1 >= a.levels || a.list[h.level] == 0) return;"),
    "hybrid: a share is done before it is written": (
        "HYBRID", "src/sort/buckets.cuh",
        "      __threadfence();\n      gp__add_relaxed(a.list + GP__HYBRID_DONE",
        "      gp__add_relaxed(a.list + GP__HYBRID_DONE"),
    "leading: a bucket that is too large is sorted on chip": (
        "LEADING", "src/sort/hybrid_kernels.cuh",
        "- low > a.capacity) gp__store", "- low > a.count) gp__store"),
    "leading: buckets begin behind their first keys": (
        "LEADING", "src/sort/hybrid_kernels.cuh",
        ">> (32 - a.leading) < bucket) low", ">> (32 - a.leading) <= bucket) low"),
    "leading: the last pass writes to the output": (
        "LEADING", "src/sort/radix_count.cuh", "left % 2 == leading;", "left % 2 == 0;"),
    "leading: keys are moved whatever their digits are": (
        "LEADING", "src/sort/radix_count.cuh",
        "return bucket <= a.capacity && bin", "return bucket + bin >= 0 || bin"),
    "leading: what has been swept is swept once more": (
        "LEADING", "src/sort/radix_count.cuh", "leading ? GP__CHOSE_HYBRID : GP__CHOSE_PASSES;",
        "leading ? GP__CHOSE_HYBRID : GP__CHOSE_ONE_SWEEP;"),
    "leading: keys that recur go by their leading bits": (
        "LEADING", "src/sort/radix_count.cuh",
        " && !keys_recur(most, n, bucket);", ";"),
    "leading: buckets of keys that recur differ as those of others": (
        "LEADING", "src/sort/radix_count.cuh", "4.4f * 4.4f * times * size", "4.4f * 4.4f * size"),
    "leading: bins may hold any number of a key": (
        "LEADING", "src/sort/radix_count.cuh",
        "return times > 12 || (", "return ("),
    "leading: what a sample tells is not asked": (
        "LEADING", "src/sort/radix_count.cuh",
        " || gp__load_relaxed(a.leads) == GP__CHOSE_PASSES) return", ") return"),
    "leading: keys recur, however few are equal": (
        "LEADING", "src/sort/radix_count.cuh",
        "r.equal > 2 && r.equal >= least", "r.equal > 2"),
    "leading: a block with a sample counts none, though it is alone": (
        "LEADING", "src/sort/radix_count.cuh",
        "args.leads && gridDim.x > 1 ? gridDim.x - 1", "args.leads ? gridDim.x - 1"),
    "leading: a block with a sample counts others' keys": (
        "LEADING", "src/sort/radix_count.cuh",
        "const gp__u64 counted = blockIdx.x < c.blocks ? n : 0;", "const gp__u64 counted = n;"),
    "adaptive: a team works whatever is chosen": (
        "ADAPTIVE", "src/sort/cooperative.cuh",
        "  if (!gp__is_chosen(a.choice, GP__CHOSE_ONE_SWEEP)) return;\n  typename K::Key *const keys",
        "  typename K::Key *const keys"),
    "leading: keys that are dropped never come to their buckets": (
        "LEADING", "src/sort/radix_count.cuh",
        "(left == 1 && !leading ? GP__RADIX_LAST : 0)", "(left == 1 ? GP__RADIX_LAST : 0)"),
    "leading: values apart from their keys come from the output": (
        "LEADING", "src/sort/hybrid_kernels.cuh",
        "own.item.source = GP__FROM_SPARE;", "own.item.source = GP__FROM_OUT;"),
    "leading: a value lies where its key was in memory": (
        "LEADING", "src/sort/pair_buckets.cuh",
        "if (RECORDS) staged.values[v.before + at_edge] =", "if (RECORDS) staged.values[at_edge] ="),
    "adaptive: always hybrid": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "digits > 0 && (slow || one_sweep < hybrid_cost(n, m))", "false"),
    "adaptive: the cheaper one is not chosen": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "one_sweep < hybrid_cost(n, m)", "one_sweep > hybrid_cost(n, m)"),
    "adaptive: keys that recur are sorted on chip": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "|| s.different < m / 4 * 3;", ";"),
    "adaptive: lowest bits are not looked at": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "s.lowest[threadIdx.x] > m / 8", "false"),
    "adaptive: all levels are paid for by all keys": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "(moves < 2 ? MOVE : MOVE_DEEP)) * moved", "(level < 2 ? MOVE : MOVE_DEEP)) * m"),
    "adaptive: equal keys are moved on": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "atomicAdd(&s.alike[BITS - (before < behind ? before : behind)], s.head",
        "atomicAdd(&s.alike[s.head[j + 1] - s.head[j] > 1 ? 63 : BITS - (before < behind ? before : behind)], s.head"),
    "adaptive: keys that recur are not looked for": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "if (h.a.duplicate_sample && n >= h.a.duplicate_sample && has_duplicates(n, h.a.duplicate_sample)) {",
        "if (false) {"),
    "adaptive: a key that recurs is counted each time": (
        "ADAPTIVE", "src/sort/radix_count.cuh", "with_others += gp__set_bit(again, other);",
        "++with_others;"),
    "adaptive: keys that share a place recur": (
        "ADAPTIVE", "src/sort/radix_count.cuh",
        " && key[other] == own[i]) {", ") {"),
    "adaptive: pairs that are constant soon are swept": (
        "ADAPTIVE", "src/sort/choice.cuh", " || hot) && !soon;", " || hot);"),
    "adaptive: one of each window is drawn, whose equal ones lie beside it": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "PAIRS ? gp__hash_of(at) * n >> 32 : gp__drawn", "gp__drawn"),
    "adaptive: keys of which few recur often are constant soon": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "4 * different * all >= 3 * equal * (all - equal)", "true"),
    "adaptive: keys of 8 bytes are swept where a level more would do": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh", "(this->BITS > 32 ? this->a.capacity / 8 : 0)", "0"),
    "adaptive: pairs are moved from level to level, though most are one key": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "const bool hot = PAIRS &&", "const bool hot = false && PAIRS &&"),
    "adaptive: deep levels of pairs cost nothing": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "gp__of_kind(KIND, 74, 141, 440, 440)", "gp__of_kind(KIND, 74, 141, 0, 0)"),
    "adaptive: keys that share their upper bits are not seen but by costs": (
        "ADAPTIVE", "src/sort/choice.cuh", "h.a.sample == 1 && crowd(x, m)", "false"),
    "adaptive: bits in which no keys differ count as shared": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "shift = width > 12 ? width - 12 : 0;", "shift = width > 0 ? 52 : 0;"),
    "adaptive: equal keys crowd": ("ADAPTIVE", "src/sort/choice.cuh", "alike += x[i] != x[i - 1] &&", "alike +="),
    "adaptive: keys of 8 bytes that recur are swept as those of 4": (
        "ADAPTIVE", "src/sort/choice.cuh",
        "gp__of_kind(KIND, 6, 24, 10, 10)", "gp__of_kind(KIND, 6, 6, 10, 10)"),
    "adaptive: keys recur, however few are equal": (
        "ADAPTIVE", "src/sort/choice.cuh",
        " && different >= least) ||", ") ||"),
    "adaptive: pairs in buckets are sorted whatever is chosen": (
        "HYBRID_PAIRS", "src/sort/hybrid_kernels.cuh",
        "  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;\n  static_assert(sizeof(Storage) ==",
        "  static_assert(sizeof(Storage) =="),
    "adaptive: hybrid works whatever is chosen": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh",
        "  if (!h.chooses() && !gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;\n", ""),
    "adaptive: the first count asks what is chosen": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh",
        "if (!h.chooses() && !gp__is_chosen(", "if (!gp__is_chosen("),
    "adaptive: the first count chooses hybrid, whatever the keys are": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh", "__syncthreads_or(!constant && count > most_of)", "false"),
    "adaptive: keys that are all the same are swept": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh",
        "__syncthreads_or(!constant && count > most_of)", "__syncthreads_or(count > most_of)"),
    "adaptive: without too large a bucket nothing is chosen": (
        "ADAPTIVE", "src/sort/hybrid_count.cuh",
        "        if (chooses()) *this->a.choice = GP__CHOSE_HYBRID;\n", ""),
    "adaptive: one sweep works whatever is chosen": (
        "ADAPTIVE", "src/sort/radix_count.cuh",
        "    if (!gp__is_chosen(a.choice, GP__CHOSE_ONE_SWEEP)) return;\n    const gp__u64 n = gp__count(a), draws",
        "    const gp__u64 n = gp__count(a), draws"),
    "adaptive: a pass begins before the one before is written": (
        "ADAPTIVE", "src/sort/radix_sweep.cuh",
        "          while (gp__load_relaxed(done) < tiles) {}\n", ""),
    "pairs: pieces of a part begin in one place": (
        "HYBRID_PAIRS", "src/sort/hybrid_count.cuh",
        "        at += own[j];\n", ""),
    "pairs: what the last move has sorted stays where it is": (
        "HYBRID_PAIRS", "src/sort/hybrid_count.cuh", "      add_copies(begin, size, source);\n", ""),
    "pairs: a constant part stays where it is": (
        "HYBRID_PAIRS", "src/sort/hybrid_count.cuh",
        "      add_copies(begin, size, p.source);\n", ""),
    "pairs: a group spans more bits than a block sorts": (
        "HYBRID_PAIRS", "src/sort/hybrid_count.cuh",
        "t + (1u << spans) < digits ? t + (1u << spans) : digits;", "digits;"),
    "pairs: a small bucket of many bits is an item": (
        "HYBRID_PAIRS", "src/sort/hybrid_count.cuh",
        "keys > this->a.capacity || (keys && shift > this->WIDEST)", "keys > this->a.capacity"),
    "pairs: a tile goes where the one before went": (
        "HYBRID_PAIRS", "src/sort/hybrid_move.cuh",
        "          odd[i] += odds;\n", ""),
    "pairs: what is not there comes first": (
        "HYBRID_PAIRS", "src/sort/hybrid_move.cuh", "(Key(digits - 1) << digit.shift)", "0"),
    "pairs: indices of a tile": (
        "HYBRID_PAIRS", "src/sort/hybrid_move.cuh",
        "index(first + gp_tile_warp_striped<ITEMS>(i));", "index(gp_tile_warp_striped<ITEMS>(i));"),
    "pairs: ties in a bucket": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh",
        "in[p]) - low)) << PLACE_BITS | p : 0;", "in[p]) - low)) << PLACE_BITS | (p ^ 1) : 0;"),
    "transpose: no barrier between loads and stores": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "    __syncthreads();\n    if (OUT_WHOLE) store_whole(shared, out, columns, start);",
        "    if (OUT_WHOLE) store_whole(shared, out, columns, start);"),
    "transpose: tiles overwrite those before": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "    if (tile >= gridDim.x) __syncthreads();\n    t.turn(shared, tile);",
        "    t.turn(shared, tile);"),
    "transpose: whole units are read behind the input": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "at + 16 <= (begin == end ? to : end)", "at < (begin == end ? to : end)"),
    "transpose: rows are taken for aligned": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "(IN_ALIGNED ? 0 : (start + row * start_pitch) & 15u)", "(IN_ALIGNED ? 0 : start)"),
    "transpose: the last unit of shifted rows is the one before": (
        "TRANSPOSE", "src/device/tile_transpose.cuh", "gp__misalignment(at, 16) + MAIN * 16, last[k]);",
        "gp__misalignment(at, 16) + MAIN * 16 - 16, last[k]);"),
    "transpose: shifted rows are read behind the input": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "in + (rows - 1) * pitch + COLUMNS * SIZE + 16 <= end)\n      return", "in < end)\n      return"),
    "transpose: shifted rows are read before the input": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "!IN_ALIGNED && EVEN && in >= begin + 16 &&", "!IN_ALIGNED && EVEN &&"),
    "transpose: a thread's lines all begin as its first one does": (
        "TRANSPOSE", "src/device/tile_transpose.cuh", "ALIKE = ALIGNMENT / WORD;", "ALIKE = 1;"),
    "transpose: the units of a line behind the first end with it": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "if (first + W > words || !(OUT_ALIGNED", "if (first > words || !(OUT_ALIGNED"),
    "transpose: units of words that are the next tile's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "(OUT_ALIGNED || tails || unit < unsigned(UNITS - ALIGNMENT / 16))", "true"),
    "transpose: units of words that are nobody's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "unit < unsigned(UNITS - ALIGNMENT / 16)", "unit + 1 < unsigned(UNITS - ALIGNMENT / 16)"),
    "transpose: words before the first unit are nobody's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "(i < head ? heads : tails)", "(i + 1 < head ? heads : tails)"),
    "transpose: words behind the last unit are nobody's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh", "(i < head ? heads : tails)", "(i < head && heads)"),
    "transpose: more words at a line's ends than a unit has": (
        "TRANSPOSE", "src/device/tile_transpose.cuh", "(even ? PART : PART + W)", "PART"),
    "transpose: rows that a tile has not are read": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "gp__load_vector_if<LOAD>(row + k * ROWS_A_ROUND < rows,", "gp__load_vector_if<LOAD>(true,"),
    "transpose: aligned rows that a tile has not are read": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "(row_of(k) < rows ? row_of(k) : rows - 1) * pitch", "row_of(k) * pitch"),
    "transpose: aligned rows are read behind the input": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "in + (rows - 1) * pitch + COLUMNS * SIZE <= end))", "true))"),
    "transpose: a thread's columns of bytes all begin as its first one does": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "THREADS % OUT_UNITS == 0 && LINES % V == 0;", "THREADS % OUT_UNITS == 0;"),
    "transpose: columns of bytes that are not aligned": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "shift = lead % V * SIZE;", "shift = 16 - lead % V * SIZE;"),
    "transpose: columns of bytes that begin behind the middle of a sector": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "unit = i % OUT_UNITS + lead / V;", "unit = i % OUT_UNITS;"),
    "transpose: units that are the next tile's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        " || !(tails || i % OUT_UNITS < unsigned(OUT_UNITS - ALIGNMENT / 16))", ""),
    "transpose: units that are nobody's": (
        "TRANSPOSE", "src/device/tile_transpose.cuh", "i % OUT_UNITS < unsigned(OUT_UNITS - ALIGNMENT / 16)",
        "i % OUT_UNITS + 1 < unsigned(OUT_UNITS - ALIGNMENT / 16)"),
    "transpose: the place of the next word of a whole column": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "      if (++row < a.row.by) return;\n      row = 0;", "      if (++row < a.row.by) return;"),
    "transpose: the last words of a column are dropped": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "  static const int ROUNDS = (ROWS * UNITS + THREADS - 1) / THREADS;",
        "  static const int ROUNDS = ROWS * UNITS / THREADS;"),
    "transpose: the pad of a whole side is forgotten": (
        "TRANSPOSE", "src/transpose/kernels.cuh", "(a.pad ? gp__quotient(a.group, unit) * a.pad : 0)", "0"),
    "transpose: the word that two columns share, without the first": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "Words::last(end[j - 1], tail[j - 1], rest * SIZE * 8)", "Unit()"),
    "transpose: the end of few rows' columns that is no vector": (
        "TRANSPOSE", "src/transpose/kernels.cuh", "    if (byte >= head) byte += vectors * 16;\n", ""),
    "transpose: words of few rows are read behind the input": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "in >= begin + 3 && last + 4 <= end", "in >= begin + 3 && last <= end"),
    "transpose: the last lane of few rows takes the word beside for the one behind": (
        "TRANSPOSE", "src/transpose/kernels.cuh", "gp_lane() == GP__WARP - 1 ? other : next", "next"),
    "transpose: matrices of a tile": (
        "TRANSPOSE", "src/transpose/kernels.cuh", "column -= matrix * a.column.by;", ""),
    "transpose: the last panel is as high as the others": (
        "TRANSPOSE", "src/transpose/kernels.cuh",
        "const gp__u64 height = rest < a.panel ? rest : a.panel;", "const gp__u64 height = a.panel;"),
    "transpose: bytes of a word in the wrong order": (
        "TRANSPOSE", "src/device/tile_transpose.cuh",
        "x[2 * i] = gp__permute(high, high2, 0x5410);", "x[2 * i] = gp__permute(high, high2, 0x5140);"),
    "transpose: dimensions merge that only the input has side by side": (
        "TRANSPOSE", "src/transpose/check.c",
        " && d[i].out == d[j].out * d[j].extent) break;", ") break;"),
    "transpose in place: the tile below the diagonal is not there yet": (
        "TRANSPOSE_IN_PLACE", "src/transpose/in_place.cuh",
        "    __syncthreads();\n    Tile::store(shared, lower,", "    Tile::store(shared, lower,"),
    "transpose in place: the next tile is loaded too early": (
        "TRANSPOSE_IN_PLACE", "src/transpose/in_place.cuh",
        "gp__misalignment(lower, 16), start_pitch);\n    __syncthreads();",
        "gp__misalignment(lower, 16), start_pitch);"),
    "transpose in place: units that another tile has a part of": (
        "TRANSPOSE_IN_PLACE", "src/device/tile_transpose.cuh",
        "unit + 16 <= columns * SIZE && row", "row"),
    "transpose in place: more words at a row's ends than a unit has": (
        "TRANSPOSE_IN_PLACE", "src/device/tile_transpose.cuh", "i < (words % W ? 2 * W : W);", "i < W;"),
    "transpose in place: panels below the diagonal": (
        "TRANSPOSE_IN_PLACE", "src/transpose/in_place.cuh",
        "(x + y < n ? x + y : y - 1) * Q", "(x + y < n ? x + y : y) * Q"),
    "transpose in place: tiles on both sides of the diagonal, twice": (
        "TRANSPOSE_IN_PLACE", "src/transpose/in_place.cuh", "if (i > j || j >= a.row_tiles) continue;",
        "if (i >= a.row_tiles || j >= a.row_tiles) continue;"),
    "transpose in place: bytes of shifted rows are read before the input": (
        "TRANSPOSE_IN_PLACE", "src/device/tile_transpose.cuh",
        "full && begin != end && in >= begin + 16 && in +", "full && begin != end && in +"),
    "transpose in place: bytes of shifted rows are read behind the input": (
        "TRANSPOSE_IN_PLACE", "src/device/tile_transpose.cuh",
        "in >= begin + 16 && in + (ROWS - 1) * pitch + COLUMNS * SIZE + 16 <= end;",
        "in >= begin + 16;"),
    "transpose in place: bytes that lie in two units from the first alone": (
        "TRANSPOSE_IN_PLACE", "src/device/tile_transpose.cuh",
        "v[k] = gp__shift_vectors(v[k], high[k], gp__misalignment(from + k * pitch, 16));",
        "v[k] = gp__shift_vectors(v[k], v[k], gp__misalignment(from + k * pitch, 16));"),
    "transpose in place: the longest chunks for the best": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels_policy.h", "items * GP__VECTOR * (unsigned)s->key_size > most",
        "items * (unsigned)s->key_size > most"),
    "transpose in place: columns are not rotated": (
        "TRANSPOSE_IN_PLACE", "src/transpose/launch.c",
        "return !a->rotates || common > 1;", "return !a->rotates;"),
    "transpose in place: a row is overwritten while it is read": (
        "TRANSPOSE_IN_PLACE", "src/transpose/in_place.cuh",
        "    __syncthreads();\n    for (gp__u64 i = threadIdx.x; i < a.columns * N; i += P::threads) base[i]",
        "    for (gp__u64 i = threadIdx.x; i < a.columns * N; i += P::threads) base[i]"),
    "transpose round trip: the last trip is as long as the others": (
        "TRANSPOSE_IN_PLACE", "src/transpose/launch.c",
        "  a.tiles = a.matrices ? gp__ceil_div(count, a.matrices) : a.row_tiles * a.column_tiles "
        "* count;\n", ""),
    "transpose round trip: matrices with gaps in between go together": (
        "TRANSPOSE_IN_PLACE", "src/transpose/policy.h",
        "if (most < 1 || !(s.moved.form & GP__FORM_STACKED)) most = 1;", "if (most < 1) most = 1;"),
    "transpose panels: a place is written before it was read": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels.cuh", "      if (place >= a.holes)\n        while",
        "      if (place > a.panels)\n        while"),
    "transpose panels: a tile counts as read before it was": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels.cuh",
        "    Tile::load(shared, in, in_pitch, rows, columns, begin, begin + panel);\n"
        "    __syncthreads();", "    Tile::load(shared, in, in_pitch, rows, columns, begin, begin + panel);"),
    "transpose panels: those that are tiles, of the whole matrix's shape": (
        "TRANSPOSE_IN_PLACE", "src/transpose/launch.c",
        "  if (panels.whole) h.moved.rows = panels.rows, h.moved.columns = panels.columns;\n", ""),
    "transpose panels: those that are tiles stay as they are": (
        "TRANSPOSE_IN_PLACE", "src/transpose/launch.c", "return step == 2 ? 0 : -1;", "return -1;"),
    "transpose chunks: nobody waits until a chunk was loaded": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels.cuh", "      if (behind & ~got) wait(behind & ~got, mine);", ""),
    "transpose chunks: what begins a chain in the middle is not told": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels.cuh", "      if (got & ~behind) tell(got & ~behind, mine);",
        "      if (got & ~behind) tell(0, mine);"),
    "transpose chunks: panels that stand in a circle": (
        "TRANSPOSE_IN_PLACE", "src/transpose/launch.c", "  else a.shift_x = (unsigned)r.holes;", ""),
    "transpose buffered: a place is written before it was read": (
        "TRANSPOSE_IN_PLACE", "src/transpose/buffered.cuh", "      t.ready = g < x ? g + 1 : x ? x - 1 : 0;",
        "      t.ready = g < x ? g : x ? x - 1 : 0;"),
    "transpose buffered: a slot is written before it was copied": (
        "TRANSPOSE_IN_PLACE", "src/transpose/buffered.cuh",
        "      t.ready = g < x ? g + 1 : x ? x - 1 : 0;", "      t.ready = g < x ? g + 1 : 0;"),
    "transpose buffered: a group is copied before it is there": (
        "TRANSPOSE_IN_PLACE", "src/transpose/buffered.cuh", "      t.ready = x;\n", "      t.ready = g;\n"),
    "transpose buffered: a turn is told of before it was stored": (
        "TRANSPOSE_IN_PLACE", "src/transpose/buffered.cuh",
        "      if (LEADS && first) {\n        tell(s.turn[which ^ 1].step);",
        "      if (LEADS && first) {\n        tell(t.step);"),
    "transpose buffered: slots of blocks that begin late": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels_policy.h",
        "(panels - panels / 2) + x - GP__BUFFERED_LAG - 1 - panels / 2",
        "(panels - panels / 2) + x - GP__BUFFERED_LAG - panels / 2"),
    "transpose buffered: slots of blocks that end early": (
        "TRANSPOSE_IN_PLACE", "src/transpose/panels_policy.h", "(g + GP__BUFFERED_LAG + 1) * (panels - panels / 2) + x",
        "(g + GP__BUFFERED_LAG) * (panels - panels / 2) + x"),
    "transpose buffered: words at the ends of lines": (
        "TRANSPOSE_IN_PLACE", "src/transpose/buffered.cuh",
        "    for (unsigned i = threadIdx.x; i < t.columns * 2 * W; i += P::threads) {",
        "    for (unsigned i = threadIdx.x; i < t.columns * W; i += P::threads) {"),
    "transpose tile: where rows lie is not said": (
        "TRANSPOSE_TILE", "src/device/tile_transpose.cuh",
        "s.start_pitch = unsigned(pitch * SIZE) & 15u;", "s.start_pitch = 0;"),
    "layouts: no barrier behind the load": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        ".template load<P::load>(shared, a);\n      __syncthreads();",
        ".template load<P::load>(shared, a);"),
    "layouts: no barrier before the store": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "      __syncthreads();\n      Destination(", "      Destination("),
    "layouts: no barrier between reads and writes": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "  __syncthreads();\n  GP__UNROLL_BY(1)\n  for (int f = 0; f < List::count; ++f)",
        "  GP__UNROLL_BY(1)\n  for (int f = 0; f < List::count; ++f)"),
    "layouts: gaps as they come": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh", "    if (OUT && GAP && W) {", "    if (false) {"),
    "layouts: a gap of single values": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh", "for (unsigned b = 0; b < size; ++b) at[b] = 0;",
        "for (unsigned b = 1; b < size; ++b) at[b] = 0;"),
    "layouts: three words of a permutation": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "return __byte_perm(low, high, 0x5410);", "return __byte_perm(low, high, 0x5140);"),
    "layouts: the second word of two": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "S1 = (W1 == A ? 0 : 4)", "S1 = (W1 == A ? 0 : 0)"),
    "layouts: padding is forgotten": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "APART = BYTES + (gp__layout_padding(CHUNK, SIZE) ? GP__VECTOR : 0)", "APART = BYTES"),
    "layouts: no padding on the way out": (
        "CONVERT_LAYOUT", "src/device/tile_copy.cuh",
        "high = i * 16 + 16 + (i * 16 + 16) / P * FREE", "high = i * 16 + 16 + i * 16 / P * FREE"),
    "layouts: a round's first field alone": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "if (first(f) <= u * T || vector >= first(f))", "if (first(f) <= u * T)"),
    "layouts: blocks before the tile's": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh", "(Side::parts ? start.block : 0)", "0"),
    "layouts: odd blocks wrap once": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "width > TILE ? number >= width :", "true ? number >= width :"),
    "layouts: the part of a misaligned range before 16 bytes": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "shared + first(f) * 16, unsigned(", "shared + first(f) * 16 + (f > 1), unsigned("),
    "layouts: columns from the count on": (
        "LAYOUT_ACCESS", "src/api/array.h", "base + packed_offset * a.capacity",
        "base + packed_offset * a.extent[0]"),
    "layouts: rows for columns": (
        "LAYOUT_ACCESS", "src/api/array.h", "return layout & GP_TRANSPOSED ? 3 - place", "return 0 ? 3 - place"),
    "layouts: an order and its inverse": (
        "LAYOUT_ACCESS", "src/api/array.h", "layout >> (40 + 2 * place) & 3", "layout >> (46 - 2 * place) & 3"),
    "layouts: GP_GET forgets the texture": (
        "LAYOUT_ACCESS", "src/device/get.cuh",
        "GP__MEMORY) == GP_TEXTURE) return", "GP__MEMORY) == 0x5) return"),
    "layouts: a texture's words begin anywhere": (
        "LAYOUT_ACCESS", "src/device/get.cuh", ">> (first + byte) % 4 * 8", ">> byte % 4 * 8"),
    "layouts: constant memory is left alone": (
        "LAYOUT_ACCESS", "src/device/get.cuh", "GP__MEMORY) == GP_CONSTANT)", "0) == GP_CONSTANT)"),
    "layouts: a turned tile is not there yet": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "place);\n  }\n  __syncthreads();", "place);\n  }\n  if (OUT) __syncthreads();"),
    "layouts: a turned tile is overwritten": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh",
        "place);\n  }\n  __syncthreads();", "place);\n  }\n  if (!OUT) __syncthreads();"),
    "layouts: gaps of turned structs": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh", "store(GAP ? zero : word,", "store(word,"),
    "layouts: the last tile along an axis": (
        "CONVERT_LAYOUT", "src/layouts/kernels.cuh", "left < a.tile[d] ? left : a.tile[d]", "a.tile[d]"),
    "layouts: what is said is not done": (
        "LAYOUT_ACCESS", "src/api/array.h", "if (layout != GP_ANY_LAYOUT) a.layout = layout;", ""),
    "layouts: private counters for two": (
        "LAYOUT_ACCESS", "src/device/tile_bins.cuh",
        "if (COPIES >= THREADS) count += by;", "if (COPIES >= THREADS / 8) count += by;"),
    "layouts: bins are not cleared": (
        "LAYOUT_ACCESS", "src/device/tile_bins.cuh", "i < BINS * COPIES; i += THREADS) bins.count[i] = 0;",
        "i < BINS; i += THREADS) bins.count[i] = 0;"),
    "layouts: a tile's structs from the first on": (
        "LAYOUT_ACCESS", "src/device/tile_bins.cuh",
        "(to_first) + gp__i, From, from, (first) + gp__i)", "(to_first) + gp__i, From, from, gp__i)"),
    "pairs: ties in a bucket of 4-byte keys": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh", "<< PLACE_BITS | place;", "<< PLACE_BITS | (place ^ 1);"),
    "pairs: bits that do not fit beside the place": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh", "if (!__syncthreads_or(lengths || is_long)) return;",
        "if (!__syncthreads_or(is_long)) return;"),
    "pairs: a run is ordered from its first wrong word on": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh",
        "insert(q - unsigned(ahead & 15), ", "insert(q, "),
    "pairs: long runs of tied keys": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh", "if (before + length > LONGEST) is_long = true;",
        "if (before + length > LONGEST) is_long = false;"),
    "pairs: values that have not arrived": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh",
        "if (BULK) gp__mbarrier_wait(arrived, turn & 1u);", "(void)turn;"),
    "pairs: values overtaken by the next bucket's": (
        "HYBRID_PAIRS", "src/sort/pair_buckets.cuh", "    if (BULK) gp__bulk_fence(); // they", "    // they"),
    "pairs: no barrier between buckets": (
        "HYBRID_PAIRS", "src/sort/hybrid_kernels.cuh",
        "    __syncthreads();\n    if (own.item[at].width) b.sort(",
        "    if (own.item[at].width) b.sort("),
    "study: a share ends a grain too late": (
        "STUDY", "examples/study/study.cuh",
        "if (!P::steal) end = first + share < n ? first + share : n;",
        "if (!P::steal) end = first + share < n ? first + share + STUDY_GRAIN : n;"),
    "study: the counters stay as they are": (
        "STUDY", "examples/study/study.cuh",
        "      atomicExch(ticket, 0u);\n", ""),
    "study: the ticket is read too early": (
        "STUDY", "examples/study/study.cuh",
        "if (threadIdx.x == 0) *drawn = atomicAdd(ticket, 1u);\n    __syncthreads();",
        "if (threadIdx.x == 0) *drawn = atomicAdd(ticket, 1u);"),
    "study: the next ticket overwrites one that is being read": (
        "STUDY", "examples/study/study.cuh",
        "first = study_count(*drawn) * P::tile;\n    __syncthreads();", "first = study_count(*drawn) * P::tile;"),
    "study: runs are added across heads": (
        "STUDY", "examples/study/study.cuh",
        "r.sum = b.heads ? b.sum : T(a.sum + b.sum);", "r.sum = T(a.sum + b.sum);"),
    "study: the raking warp in lockstep": (
        "STUDY", "examples/study/study.cuh",
        "before = t >= distance ? s->warp[t - distance] : study_zero<E>();\n      __syncwarp();",
        "before = t >= distance ? s->warp[t - distance] : study_zero<E>();"),
    "study: the threads do not wait for the raking warp": (
        "STUDY", "examples/study/study.cuh",
        "  __syncthreads();\n  *total = s->total;", "  *total = s->total;"),
    "study: the last load of a tile is not stored": (
        "STUDY", "examples/study/study.cuh",
        "if (study_count(study_place<P>(l, i)) < left) out[study_place<P>(l, i)] = data[l][i];",
        "if (study_count(study_place<P>(l, i)) + 1 < left) out[study_place<P>(l, i)] = data[l][i];"),
    "study: the spine forgets its carry": (
        "STUDY", "examples/study/study.cuh",
        "      E before = E(carry + study_block_scan<P::threads>(mine, &total, &s));\n      carry = E(carry + total);\n"
        "#pragma unroll\n      for (int i = 0; i < P::items; ++i) {\n        if (at",
        "      E before = E(carry + study_block_scan<P::threads>(mine, &total, &s));\n      carry = total;\n"
        "#pragma unroll\n      for (int i = 0; i < P::items; ++i) {\n        if (at"),
    "study: the downsweep forgets its carry": (
        "STUDY", "examples/study/study.cuh",
        "before[l][0] = E(carry + study_block_scan<P::threads>(mine, &total, &s));\n      carry = E(carry + total);",
        "before[l][0] = E(carry + study_block_scan<P::threads>(mine, &total, &s));\n      carry = total;"),
    "cotuning: the second sum overwrites the first one's broadcast": (
        "COTUNING", "examples/cotuning/cotuning.cuh",
        "  __syncthreads(); // after the last use of the storage\n", ""),
    "cotuning: the variance around 0 stays so": (
        "COTUNING", "examples/cotuning/cotuning.cuh",
        "if (PASSES == 1) spread -= mean * mean * COTUNING_COLUMNS;", ""),
    "cotuning: a block does one row": (
        "COTUNING", "examples/cotuning/cotuning.cuh",
        "    if (threadIdx.x == 0) norms[row] = sqrtf(spread + mean * mean * COTUNING_COLUMNS);",
        "    if (threadIdx.x == 0) norms[row] = sqrtf(spread + mean * mean * COTUNING_COLUMNS);\n    break;"),
    "ladder: no barrier between rounds": (
        "LADDER", "examples/ladder/ladder.cuh",
        "if (t % (2 * distance) == 0) sums[t] += sums[t + distance];\n    __syncthreads();",
        "if (t % (2 * distance) == 0) sums[t] += sums[t + distance];"),
    "ladder: the second load is not tested": (
        "LADDER", "examples/ladder/ladder.cuh",
        "if (i + THREADS < n) sum += in[i + THREADS];\n  sums[t]", "sum += in[i + THREADS];\n  sums[t]"),
    "ladder: the last warp in lockstep": (
        "LADDER", "examples/ladder/ladder.cuh",
        "    __syncwarp();\n    sums[t] = sum;", "    sums[t] = sum;"),
    "ladder: the last warp does not wait for what it wrote": (
        "LADDER", "examples/ladder/ladder.cuh",
        "    sums[t] = sum;\n    __syncwarp();", "    sums[t] = sum;"),
    "ladder: too short a step": (
        "LADDER", "examples/ladder/ladder.cuh",
        "gridDim.x * (2 * THREADS);", "gridDim.x * THREADS;"),
    "marching cubes: cells behind the last are counted": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.cuh",
        "  if (cell < cells) counts[cell] =", "  counts[cell] ="),
    "marching cubes: words of cells behind the last": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.cuh", "  if (cell < cells) words[cell] =", "  words[cell] ="),
    "marching cubes: a block steps over its own width": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.cuh", "step = gridDim.x * blockDim.x;", "step = blockDim.x;"),
    "marching cubes: more triangles than there is room for": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.cuh",
        "  if (first > room || count > room - first) return;\n", ""),
    "marching cubes: differences are not added at once": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.cuh", "atomicAdd(differences, 1u);", "*differences += 1;"),
    "marching cubes: diagonals in faces": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.c",
        "    if (last - k > 1 && faces_of(polygon[k]) & faces_of(polygon[last])) continue;\n", ""),
    "marching cubes: lines join inner corners in a direction": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.c",
        "          next[edge_code(corners[(i + 3) % 4], corners[i])] =",
        "          if (side && which >> corners[(i + 2) % 4] & 1) end = i + 3;\n"
        "          next[edge_code(corners[(i + 3) % 4], corners[i])] ="),
    "marching cubes: outer corners across a face are apart": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.c", "(a ^ b) != 7)", "((a ^ b) & ((a ^ b) - 1)) == 0)"),
    "marching cubes: an edge that runs twice in one direction": (
        "MARCHING_CUBES", "examples/tuner/marching_cubes.c",
        "(entries[i].forward != 1 || entries[i].back != 1))", "entries[i].forward + entries[i].back != 2)"),
    "rows: a grid is served by rows of graphs of many edges": (
        "ROWS", "src/bfs/portable.h", "m.out_size = gp__degree_class(s);", "m.out_size = 8;"),
    "rows: transposes have another key": (
        "ROWS", "src/transpose/portable.h", "m.out_size = s->key_size;", "m.out_size = s->in_size;"),
    "rows: a transpose of few rows is served": (
        "ROWS", "src/transpose/portable.h",
        " && s->moved.rows / 16 <= s->moved.columns &&\n      s->moved.columns / 16 <= s->moved.rows", ""),
    "rows: a rule's row serves no size": (
        "ROWS", "src/scan/portable.h", "1 << 20, 3 << 20, 0, 0, 1, 0, 0, 21)", "3 << 20, 1 << 20, 0, 0, 1, 0, 0, 21)"),
    "rows: a rule's row is never found": (
        "ROWS", "src/scan/portable.h",
        "(0, -1, 0, 4608 << 10, 6656 << 10, 0,", "(0, -1, 0, 4608 << 10, 0, 0,"),
    "rows: a rule's policy is not valid": (
        "ROWS", "src/scan/portable.h",
        "(0, -1, 0, 0, 0, 0, 256, 1, 0, 0, 21)", "(0, -1, 0, 0, 0, 0, 250, 1, 0, 0, 21)"),
    "rows: of rows that fit alike the last is found": (
        "ROWS", "src/core/rows.h", "fits[k - 1] < fit; --k)", "fits[k - 1] <= fit; --k)"),
    "rows: offsets are not told apart": (
        "ROWS", "src/bfs/portable.h", "m.in_size = s->offset_size;", "m.in_size = s->key_size;"),
    "ladder: the tile is read before it is full": (
        "LADDER", "examples/ladder/ladder.cuh",
        "  __syncthreads();\n  x = blockIdx.y * TILE", "  x = blockIdx.y * TILE"),
    "ladder: structs are written before they are counted up": (
        "LADDER", "examples/ladder/ladder.cuh", "mine->z += 1;\n  __syncthreads();", "mine->z += 1;"),
    "bitonic: no barrier between rounds": (
        "BITONIC", "examples/layouts/bitonic.cuh",
        "distance == stage), count);\n      __syncthreads();", "distance == stage), count);"),
    "bitonic: a stage's first round is not mirrored": (
        "BITONIC", "examples/layouts/layout.h",
        "p.partner = mirrored ? p.i ^ (2 * distance - 1) : p.i + distance;",
        "p.partner = p.i + distance;"),
    "bitonic: rows beyond the last are compared": (
        "BITONIC", "examples/layouts/layout.h", "if (p.partner >= n || !Name", "if (!Name"),
    "bitonic: the last column does not count": (
        "BITONIC", "examples/layouts/layout.h",
        "return GP_AT(Name, rows, p.i, fourth) > GP_AT(Name, rows, p.partner, fourth);", "return 0;"),
    "KD-tree: counted before the counters are zero": (
        "KD_TREE", "examples/layouts/kd_tree.cuh",
        "% KD_COUNTS] = 0;\n  __syncthreads();", "% KD_COUNTS] = 0;"),
    "KD-tree: summed before all have counted": (
        "KD_TREE", "examples/layouts/kd_tree.cuh",
        "#if KD_COUNTERS == 1 || KD_COUNTERS == 2\n  __syncthreads();", "#if KD_COUNTERS == 1 || KD_COUNTERS == 2"),
    "KD-tree: ends are not mirrored": (
        "KD_TREE", "examples/layouts/layout.h",
        "kd_counter(4, last - kd_slab(", "kd_counter(4, kd_slab("),
    "KD-tree: a thread's own counters are not summed": (
        "KD_TREE", "examples/layouts/kd_tree.cuh",
        "if (mine[k]) atomicAdd(&counts[k], mine[k]);", "if (mine[k]) counts[k] = mine[k];"),
    "KD-tree: sums include the slab behind the plane": (
        "KD_TREE", "examples/layouts/kd_tree.cuh",
        "sums[kd_counter(axis, slab - 1, KD_BINS", "sums[kd_counter(axis, slab, KD_BINS"),
    "reyes: micropolygons end at their edges": (
        "REYES", "examples/reyes/reyes.h", "#define REYES_REACH 0.0625f ", "#define REYES_REACH 0.0f "),
    "reyes: patches are diced while they are too large": (
        "REYES", "examples/reyes/reyes.h", "const float most = REYES_GRID / 3.0f;", "const float most = REYES_GRID;"),
    "reyes: ready patches are listed without their place": (
        "REYES", "examples/reyes/reyes.h", "reyes_write(done, base + i, k,", "reyes_write(done, i, k,"),
    "reyes: the farther sample wins": (
        "REYES", "examples/reyes/reyes.h", "return (unsigned long long)d.bits << 32 | colour;",
        "return (unsigned long long)~d.bits << 32 | colour;"),
    "reyes: samples stay for the next frame": (
        "REYES", "examples/reyes/reyes.h", "GP_AT2(Sample, samples, sy, sx, key) = REYES_NOTHING;", ""),
    "reyes: the second half begins at the wrong end": (
        "REYES", "examples/reyes/reyes.h",
        "reyes_write(slots, 2 * i + 1, first + 3 * step, d);", "reyes_write(slots, 2 * i + 1, first + 3 * step, cd);"),
    "reyes: micropolygons are read before all vertices are there": (
        "REYES", "examples/reyes/reyes.cuh",
        "reyes_vertex(control, grid, i, view);\n  __syncthreads();", "reyes_vertex(control, grid, i, view);"),
    "reyes: vertices are made before the patch is there": (
        "REYES", "examples/reyes/reyes.cuh",
        "GP_AT(Control, control, t, z) = p.z;\n  }\n  __syncthreads();",
        "GP_AT(Control, control, t, z) = p.z;\n  }"),
    "merge sort example: equal keys of the second run come first": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh", "(a < middle && x <= y)", "(a < middle && x < y)"),
    "merge sort example: neighbours with equal keys swap": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh", "swap = key[i + 1] < key[i]", "swap = key[i + 1] <= key[i]"),
    "merge sort example: values are written while keys are read": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh",
        "    __syncthreads();\n    merge_put(shared, t, value);", "    merge_put(shared, t, value);"),
    "merge sort example: a warp reads values that lanes have yet to load": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh",
        "  __syncwarp();\n  merge_gather(shared, place, value);", "  merge_gather(shared, place, value);"),
    "merge sort example: a pair ends where the next one begins": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh",
        "(at + count == runs.end ? runs.middle - runs.start : splits[k + 1])", "splits[k + 1]"),
    "merge sort example: the last run is as long as all": (
        "MERGE_EXAMPLE", "examples/tuner/merge_sort.cuh",
        "end = n - middle < width ? n : middle + width;", "end = middle + width;"),
    "n-body: a tile is replaced while it is used": (
        "N_BODY", "examples/tuner/n_body.cuh", "  __syncthreads(); // the last tile is used up\n", ""),
    "n-body: a tile is used before it is full": (
        "N_BODY", "examples/tuner/n_body.cuh", "tile[threadIdx.x] = body;\n  __syncthreads();",
        "tile[threadIdx.x] = body;"),
    "n-body: bodies beyond the last are read": (
        "N_BODY", "examples/tuner/n_body.cuh", "if (j < n) body = position[j];", "body = position[j];"),
    "n-body: the self-energy counts": (
        "N_BODY", "examples/tuner/n_body.cuh", "  potential += double(at.w * N_BODY_RSQRT(softening2));", "  "),
    "tuner: a point is handed out while it is pending": (
        "TUNER_SEARCH", "src/tuner/points.c",
        "t->pending ? GP__POINT_PENDING : GP__POINT_UNKNOWN", "GP__POINT_UNKNOWN"),
    "tuner: an invalid point comes back": (
        "TUNER_SEARCH", "src/tuner/points.c", "if (t->invalid) return; // it ran elsewhere", "// it ran elsewhere"),
    "tuner: a best point that became slower stays the best": (
        "TUNER_SEARCH", "src/tuner/points.c", "if (was || p->measured == 1) gp__find_best(p);",
        "if (p->measured == 1) gp__find_best(p);"),
    "tuner: first times count as they are": (
        "TUNER_SEARCH", "src/tuner/points.c", "t->samples == 1 ? t->median / p->slow_first : t->median", "t->median"),
    "tuner: a simplex reflects to the wrong side": (
        "TUNER_SEARCH", "src/tuner/simplex.c", "gp__simplex_point(l, x, 2, x->reflected);",
        "gp__simplex_point(l, x, -2, x->reflected);"),
    "tuner: the best is not measured again": (
        "TUNER_SEARCH", "src/tuner/search.c", ": gp__ask_race(&s->points, point);", ": GP__ASK_DONE;"),
    "inputs: a stride is unsigned": (
        "INPUTS", "src/device/inputs.cuh", "data[gp__i64(i) * stride]",
        "data[i * unsigned(stride)]"),
    "inputs: a gathered run begins at the run's first index": (
        "INPUTS", "src/device/inputs.cuh", "load<CACHE>(i, index);\n    GP__EACH(j, V) x[j] = a.at(gp__u64(index[j]));",
        "load<CACHE>(i, index);\n    GP__EACH(j, V) x[j] = a.at(gp__u64(index[0]) + j);"),
    "inputs: a tile's rest is left out": (
        "INPUTS", "src/device/inputs.cuh", "i = whole * (THREADS * V) + thread; i < all;",
        "i = whole * (THREADS * V) + thread; i + 1 < all;"),
    "inputs: a reduction forgets its tail": (
        "INPUTS", "src/reduce/kernels.cuh", "if (!blockIdx.x && tail < n)", "if (!blockIdx.x && tail + 1 < n)"),
    "inputs: a chunk of segments is made from its neighbour's elements": (
        "INPUTS", "src/segments/reduce.cuh", "gp__make_tile<32, P::load>(operands.first, chunk, to,",
        "gp__make_tile<32, P::load>(operands.first, chunk ? chunk - 1 : 0, to,"),
    "inputs: a run of a segment is read as if it were whole": (
        "INPUTS", "src/segments/warps.cuh", "Operands::described ? own[k] == (1u << V) - 1 : at < room",
        "Operands::described || at < room"),
    "inputs: positions are counted from the lane": (
        "INPUTS", "src/select/select.cuh", "Position(int(gp_lane()) * ITEMS + w * 32",
        "Position(w * 32"),
    "inputs: elements past the end are in the last part": (
        "INPUTS", "src/select/select.cuh", "      neither.keep(exist);\n      gather<ITEMS>(", "      gather<ITEMS>("),
    "inputs: values are made at the tile's positions": (
        "INPUTS", "src/select/select.cuh", "out[i] = input.at(origin + at[i]);", "out[i] = input.at(origin + i);"),
    "inputs: the scalar of a stencil has the elements' size": (
        "INPUT_CALLS", "src/select/check.c", "const size_t size = k->by_stencil ? q->key_size : q->in_size;",
        "const size_t size = q->in_size / 4;"),
    "inputs: a stencil's second predicate tests the elements": (
        "INPUT_CALLS", "src/select/host.c",
        "gp__host_holds(q->transform, q->user_transform, type, size, x, scalar, 0, second, n);",
        "gp__host_holds(q->transform, q->user_transform, q->in_type, q->in_size,\n"
        "                   (const unsigned char *)q->in + first * q->in_size, scalar, 0, second, n);"),
    "inputs: a histogram's place does not move": (
        "INPUTS", "src/histogram/counts.cuh", "if (there) source.first.template load<CACHE>(at, x.item);",
        "if (there) source.first.template load<CACHE>(0, x.item);"),
    "inputs: the first and last samples are one": (
        "INPUTS", "src/histogram/counts.cuh", "gp__as<const T>(a.in), ragged_at);",
        "gp__as<const T>(a.in), 0);"),
    "inputs: described samples have channels": (
        "INPUT_CALLS", "src/histogram/check.c", "if (q->inputs.in && q->channels != 1)", "if (0)"),
    "inputs: needles are made one too far": (
        "INPUTS", "src/search/kernels.cuh", "gp__operand_at(source, needles, i < last ? i : last)",
        "gp__operand_at(source, needles, i < last ? i + 1 : last)"),
    "inputs: segments are read by bulk copies": (
        "INPUT_CALLS", "src/segments/policy.h", "!s->described && s->compute_capability >= 90 && p.stages >= 2",
        "s->compute_capability >= 90 && p.stages >= 2"),
    "inputs: the second operand is the first": (
        "INPUTS", "src/device/inputs.cuh", "operands.second.template load<CACHE>(i, to.item);",
        "operands.second.template load<CACHE>(0, to.item);"),
    "inputs: a description that contains itself has no end": (
        "INPUT_CALLS", "src/core/check_inputs.c", "if (path->depth < GP_INPUT_PARTS) GP__CHECK", "GP__CHECK"),
    "inputs: every ramp has step 1": (
        "INPUT_CALLS", "src/core/check_values.c", "n->from->step ? n->from->step : step.bytes", "step.bytes"),
    "inputs: the data is not behind the arguments": (
        "INPUT_CALLS", "src/core/launch.c", "memcpy(room->bytes + at, &q->inputs.data",
        "memcpy(room->bytes + at + GP__VECTOR, &q->inputs.data"),
    "inputs: operators of parts share a name": (
        "INPUT_CALLS", "src/core/spelling.c", "(uint64_t)(uint32_t)n->op << 32;", "(uint64_t)(uint32_t)GP_SUM << 32;"),
    "inputs: an array backwards overlaps nothing": (
        "INPUT_CALLS", "src/core/check_buffers.c", "if (lowest && from->stride < 0) lowest -= (span - 1) * n->size;",
        ""),
    "inputs: offsets of a struct's members are unaligned": (
        "INPUT_CALLS", "src/core/check_inputs.c",
        "offsets[i] = size = (size + member->align - 1) / member->align * member->align;", "offsets[i] = size;"),
    "inputs: a scan's policy has bulk copies": (
        "INPUT_CALLS", "src/scan/policy.h", "s->compute_capability >= 90 && !s->described &&",
        "s->compute_capability >= 90 &&"),
    "tuner: a cold start counts as it is": (
        "TUNER_SEARCH", "src/tuner/search.c", "GP__START_SAMPLES = 7,", "GP__START_SAMPLES = 1,"),
    "tuner: a best point far ahead has one time": (
        "TUNER_SEARCH", "src/tuner/search.c", "(count == 1 && n >= 2)", "count == 1"),
    "tuner: what the library builds in a section counts": (
        "TUNER", "src/tuner/sections.c", "if (!building) result =", "building = 0;\n  result ="),
    "tuner: a section that always builds is never measured": (
        "TUNER", "src/tuner/sections.c", " && t->building < GP__BUILDING", ""),
    "tuner: a category is dropped after one time": (
        "TUNER_SEARCH", "src/tuner/arms.c", "asked = t ? gp__ask_twice(p, t, point) : GP__ASK_DONE;",
        "(void)t, asked = GP__ASK_DONE;"),
    "tuner: the best of a dropped category is not measured again": (
        "TUNER_SEARCH", "src/tuner/arms.c", "    asked = gp__ask_twice(p, t, point);\n", "    asked = GP__ASK_DONE;\n"),
    "tuner: the best is not tried in dropped categories": (
        "TUNER_SEARCH", "src/tuner/arms.c",
        "    asked = gp__look_up(p, at, &value);\n", "    asked = GP__POINT_KNOWN, value = 0, (void)value;\n"),
    "tuner: lines stop before the ends": (
        "TUNER_SEARCH", "src/tuner/neighbours.c",
        "while (at[d] != (side < 0 ? 0 : last) && invalid < 2) {",
        "while (at[d] + side >= 0 && at[d] + side <= last && invalid < 2) {"),
    "tuner: the simplex goes before the lines": (
        "TUNER_SEARCH", "src/tuner/arms.c", "s->arms > 2 ? GP__STAGE_ARMS : GP__STAGE_FIRST_LINES", "GP__STAGE_ARMS"),
    "tuner: many times make the noise look small": (
        "TUNER_SEARCH", "src/tuner/points.c", "(1 - 0.6 / n) * (time - before)", "0.7 * (time - before)"),
    "tuner: neighbours are sought beyond any number of invalid points": (
        "TUNER_SEARCH", "src/tuner/neighbours.c", " && abs(at[d] - from) <= 16", ""),
    "tuner: a category is dropped for what its first run did once": (
        "TUNER_SEARCH", "src/tuner/arms.c", "t->samples == 1 ? t->median / p->slowest_first : gp__time_of(p, t)",
        "gp__time_of(p, t)"),
    "online: a call runs a policy whose kernels are not built": (
        "ONLINE", "src/tuner/online_sites.c", "x->proposals[i].state == GP__PROPOSAL_READY &&",
        "x->proposals[i].state != GP__PROPOSAL_NONE && x->proposals[i].state != GP__PROPOSAL_RUN &&"),
    "online: a captured call runs a policy that needs more room": (
        "ONLINE", "src/tuner/online_sites.c", "if (fits || !fixed) {", "{"),
    "online: captured calls are measured": (
        "ONLINE", "src/tuner/online_sites.c", "if (x && !fixed && x->begun", "if (x && x->begun"),
    "plans: one that never serves is made again": (
        "ARGUMENTS", "src/core/prepared.c", "&result) : !plan->never)", "&result) : true)"),
    "plans: another policy at the same address is not seen": (
        "ARGUMENTS", "src/core/prepared.c", "memcmp(&plan->given, c->policy, sizeof plan->given)", "false"),
    "plans: one outlives its kernels": (
        "ARGUMENTS", "src/core/prepared.c", "if (plan->evictions != s->evictions)", "if (0)"),
    "plans: the lower bits of pointers may change": (
        "ARGUMENTS", "src/core/prepared.c", "(uintptr_t)like->member) % GP__VECTOR", "(uintptr_t)like->member) % 4"),
    "plans: buffers may become the same": (
        "ARGUMENTS", "src/core/prepared.c", "gp__set_extents(plan, now) != plan->equal",
        "!(gp__set_extents(plan, now) + 1)"),
    "plans: what was wrong is right the next time": (
        "ARGUMENTS", "src/core/prepared.c", "plan->apart = *result == GP_SUCCESS;", "plan->apart = 1;"),
    "plans: values are read once": (
        "ARGUMENTS", "src/core/prepared.c", "if (plan->apart && plan->has_values)",
        "if (!same && plan->apart && plan->has_values)"),
    "plans: any call is like the last one": (
        "ARGUMENTS", "src/core/prepared.c", "same = plan->apart && memcmp(like, c, sizeof *c) == 0;",
        "same = plan->apart;"),
    "plans: a workspace is aligned as a buffer is": (
        "ARGUMENTS", "src/core/prepared.c", "(uintptr_t)c->workspace % 256", "0"),
    "plans: a stream's context is asked for at each launch": (
        "ARGUMENTS", "src/core/launch_plan.c", "|| recent->stream != stream)", "|| recent)"),
    "plans: a call asks for its stream's context": (
        "ARGUMENTS", "src/core/workspaces.c", "if (error || (key && (*capturing || !d->cuStreamGetId)))", "if (1)"),
    "plans: a stream with an old handle may be of another context": (
        "ARGUMENTS", "src/core/workspaces.c", "if (!r) result = gp__check_stream(s, who, stream);", ""),
    "plans: a launch on another context's stream is the driver's error": (
        "ARGUMENTS", "src/core/launch_plan.c", "result == GP_E_DRIVER && !keyed", "false"),
    "online: the plan of a prepared call outlives the search": (
        "ONLINE", "src/tuner/online_threads.c", "b->done ? x->version | 1 : 0u", "x->version | 1"),
    "online: a policy that was refused is tried again": (
        "ONLINE", "src/tuner/online_threads.c", "gp__site_learns(o, x, c->point, -1, 0);", "(void)0;"),
    "online: what is read from disk runs at once": (
        "ONLINE", "src/tuner/online_threads.c", "t->buckets[0].us > 0) gp__propose(o, x, t->buckets[0].best);",
        "t->buckets[0].us > 0) x->has_best = 1, x->best = gp__policy_of_point(x, t->buckets[0].best);"),
    "online: the usual policy is never measured again": (
        "ONLINE", "src/tuner/online_sites.c", "++x->seen % GP__USUAL_AGAIN == 0", "false"),
    "online: a policy that looked slow for a while does not come back": (
        "ONLINE", "src/tuner/online_threads.c", "if (us >= 0) gp__challenge(o, x, point);", ""),
    "online: short calls are tuned": (
        "ONLINE", "src/tuner/online_threads.c", "< GP__SHORT_US) b->done = 1;", "< 0) b->done = 1;"),
    "online: nobody pays for loading modules": (
        "ONLINE", "src/tuner/online_threads.c", "x->tuner->buckets[0].spent += c->loading_us;", ""),
    "online: a failed launch into its own input runs again": (
        "ONLINE", "src/tuner/online.c", "if (out[i] == in[k]) return 1;", "if (out[i] == in[k]) return 0;"),
    "online: a site begins without its neighbour": (
        "ONLINE", "src/tuner/online_threads.c", "if (nearest) *best = nearest->best;", "nearest = NULL;"),
    "bundle: the list may be damaged": (
        "BUNDLE", "src/core/bundle_file.c", " || gp__hash_bytes(line, bytes) != h.hash)", ")"),
    "bundle: any version will do": (
        "BUNDLE", "src/core/bundle_file.c", "strncmp(h.header, GP__BUNDLE_FILE, sizeof h.header) != 0", "0"),
    "bundle: the file may be cut off": (
        "BUNDLE", "src/core/bundle_file.c", "h.bytes != (uint64_t)about.st_size || ", ""),
    "bundle: code of any architecture will do": (
        "BUNDLE", "src/core/bundle_file.c", "e->compute_capability / 10 == capability / 10 && ", ""),
    "bundle: a damaged kernel is one": (
        "BUNDLE", "src/core/bundle_file.c", "found = image->owned != NULL;", "found = 1;"),
    "inflate: a text of any size is right": (
        "INFLATE", "src/core/inflate.c", "good = good && d->written == bytes &&", "good = good &&"),
    "inflate: bits behind the end count": (
        "INFLATE", "src/core/inflate.c", "&& (d->at <= d->bytes || (d->at - d->bytes) * 8 <= (size_t)d->count);", ";"),
    "inflate: a match may begin before the text": (
        "INFLATE", "src/core/inflate.c", "distance > d->written || length", "length"),
    "inflate: a match may end behind the room": (
        "INFLATE", "src/core/inflate.c", "distance > d->written || length > d->room - d->written",
        "distance > d->written"),
    "inflate: the longest length has bits of its own": (
        "INFLATE", "src/core/inflate.c", "more = code < 8 || code == 28 ? 0 : code / 4 - 1;",
        "more = code < 8 ? 0 : code / 4 - 1;"),
    "inflate: stored blocks begin anywhere": ("INFLATE", "src/core/inflate.c", "gp__take_bits(d, d->count % 8);", ""),
    "inflate: lengths repeat past the codes": (
        "INFLATE", "src/core/inflate.c", "if (again > literals + distances - i) return 0;", ""),
    "inflate: a code needs no word": (
        "INFLATE", "src/core/device_text.c", "if (code >= count || length > bytes) break;",
        "if (length > bytes) break;"),
    "inflate: a word may end behind the room": (
        "INFLATE", "src/core/device_text.c", "if (code >= count || length > bytes) break;",
        "if (code >= count) break;"),
    "inflate: a short text is whole": (
        "INFLATE", "src/core/device_text.c", "if (out && !*at && !bytes) {", "if (out && !*at) {"),
    "inflate: words without end": ("INFLATE", "src/core/device_text.c", "if (count == 128 || (end", "if ((end"),
    "inflate: a part's key is its first byte's": (
        "INFLATE", "src/core/device_text.c",
        "gp__hash(gp__device.part_hash[i], text, (size_t)(gp__device.text[i + 1] - text), NULL);",
        "gp__hash(gp__device.part_hash[i], text, 1, NULL);"),
    "inflate: keys of another text stay": (
        "INFLATE", "src/core/device_text.c", "memset(gp__device.part_hash, 0, sizeof gp__device.part_hash);", ""),
    "n-body: the potential of the last tile alone": (
        "N_BODY", "examples/tuner/n_body.cuh", "potential += double(field.potential);",
        "potential = double(field.potential);"),
}


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def compiler(test):
    """The race build's compiler for this test, with its flags."""
    if test not in PADDED and has_clang():
        return ["clang++", *WITH_CLANG["race"].sources, "-fsanitize=alignment", "-fsanitize-trap=alignment"]
    checks = [] if test in PADDED else ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"]
    return [CXX, *FLAVOURS["race"].sources, OPTIMIZATION.get(test, "-O0"), *checks]


emulator_lock = threading.Lock()  # two threads would compile it twice, into the same files


@functools.cache
def emulator():
    """Its objects, from tests/run.py if they exist."""
    objects, wrong = objects_of("mutants")
    if wrong:
        sys.exit(wrong)
    return objects


@functools.cache
def version(compiler):
    return run([compiler, "--version"]).stdout


@functools.cache
def emulators_text():
    return "".join(read(path) for path in [*EMULATOR, "tests/simt/simt.h", "tests/simt/internal.h", __file__])


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def text_of_part(path):
    """A part's text as in the header, or an example's."""
    if not path.startswith("src/"):
        return read(path)
    return "".join(line + "\n" for line in amalgamate.read_part(path[len("src/"):]).body)


def lost(name):
    """None if a mutant's text occurs once; otherwise the fault."""
    _, part, text, _ = MUTANTS[name]
    try:
        found = text_of_part(part).count(text)
    except OSError as error:
        return f"{part}: {error.strerror}"
    return None if found == 1 else f"its text occurs {found} times in {part}"


def source_of(test):
    return "tests/kernels/" + FILES[test]


def header_with(lines, name):
    """(The text of a test's header with a mutant, whether the mutant's part is in it)."""
    _, part, text, replacement = MUTANTS[name]
    mine = [number for number, line in enumerate(lines) if line.part and "src/" + line.part == part]
    if not mine:
        return amalgamate.text_of(lines), False
    first, end = mine[0], mine[-1] + 1
    return amalgamate.text_of(lines[:first]) + amalgamate.text_of(lines[first:end]).replace(text, replacement) + \
        amalgamate.text_of(lines[end:]), True


def folder_text(folder):
    """The names and texts of an example's files."""
    found = os.walk(os.path.join(ROOT, folder))
    paths = sorted(os.path.join(where, name) for where, _, names in found for name in names)
    return "".join(path + "\0" + read(path) for path in paths)


def try_one(build, headers, number, name, kept):
    """None if the mutant is caught, or if the test passes without one; otherwise the fault. kept: {mutant: a hash of
    its inputs when it was last caught}."""
    mutant = name in MUTANTS
    test = MUTANTS[name][0] if mutant else name
    source = source_of(test)
    header = amalgamate.text_of(headers[source])
    if mutant and MUTANTS[name][1].startswith("src/"):
        header, inside = header_with(headers[source], name)
        if not inside:
            return f"{source} does not compile {MUTANTS[name][1]}"
    command = compiler(test)
    about = [header, read_with_includes(source), emulators_text(), folder_text("examples") if "examples/" in header +
             read_with_includes(source) + MUTANTS.get(name, ["", ""])[1] else "", command, version(command[0]),
             version(CXX), MUTANTS.get(name), list(os.uname())]
    key = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    if kept.get(name) == key:
        return None
    wrong = build_and_run(build, number, name, header, command)
    if not wrong:
        kept[name] = key
    return wrong


def build_and_run(build, number, name, header, command):
    """try_one for a built mutant."""
    mutant = name in MUTANTS
    test = MUTANTS[name][0] if mutant else name
    source = source_of(test)
    folder = os.path.join(build, str(number))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if mutant and not MUTANTS[name][1].startswith("src/"):
        _, path, text, replacement = MUTANTS[name]
        beside = os.path.join(folder, os.path.dirname(path))  # neighbours find each other
        shutil.copytree(os.path.join(ROOT, os.path.dirname(path)), beside)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(read(path).replace(text, replacement))
    with open(os.path.join(folder, "gpuprims.h"), "w", encoding="utf-8") as file:
        file.write(header)
    program = os.path.join(folder, "test")
    caught = ["-DTEST_MUTANT"] if mutant else []  # the first failing check ends it
    built = run([*command, "-std=c++17", "-w", "-DTEST_FEW", *caught, "-DTEST_" + test, "-I" + folder, "-I" + SIMT,
                 "-I" + ROOT, "-c", os.path.join(ROOT, source), "-o", program + ".o"])
    if not built.returncode and command[0] == "clang++":
        built = run([*COPIES, program + ".o"])
    with emulator_lock:
        objects = emulator()
    if not built.returncode:
        built = run([CXX, program + ".o"] + objects + ["-o", program])
    if built.returncode:
        return "does not compile:\n" + built.stdout
    try:
        done = subprocess.run([program, "4"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "not caught within 120 s"
    last = (done.stdout.strip().splitlines() or ["no output"])[-1]
    if not mutant:
        return "fails without a mutant: " + last if done.returncode else None
    return None if done.returncode else "survives: " + last


def headers_of(names):
    """{test source: the lines of its header}, with the parts that it uses."""
    homes = lint.homes_of(amalgamate.header_lines(embed=False))[0]
    lines_of = functools.cache(amalgamate.header_lines)
    sources = {source_of(MUTANTS[name][0] if name in MUTANTS else name) for name in names}
    parts = {source: parts_compiled(source, homes) for source in sources}
    return {source: lines_of(used and tuple(used)) for source, used in parts.items()}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    unknown = [name for name in sys.argv[2:] if name not in MUTANTS]
    if unknown:
        print("no such mutant: " + ", ".join(unknown))
        return 2
    build = os.path.abspath(sys.argv[1])
    names = [n for n in MUTANTS if not sys.argv[2:] or n in sys.argv[2:]]
    nowhere = {name: wrong for name in names if (wrong := lost(name))}  # in every turn
    for name, wrong in nowhere.items():
        print("FAILED: the mutant '%s': %s" % (name, wrong), flush=True)
    names = [name for name in names if name not in nowhere]
    skipped = 0
    if os.environ.get("GPUPRIMS_LONG") == "0" and not sys.argv[2:]:
        skipped = len(names)
        share = SHARE * (TURNS_OF_A_SAMPLE if os.environ.get("GPUPRIMS_TURN") else 1)
        names = names[turn(share)::share]
        os.environ.pop("GPUPRIMS_TURN", None)  # each mutant is run against the whole test
        skipped -= len(names)
        print("skipped: %d mutants, whose turn it is not; make test-long runs all" % skipped)
    names += [] if skipped else sorted({MUTANTS[n][0] for n in names})  # tests without a mutant
    os.makedirs(build, exist_ok=True)
    headers, kept = headers_of(names), {}
    kept_file = os.path.join(build, "kept.json")
    if skipped:  # a sample in make test
        with contextlib.suppress(OSError, ValueError), open(kept_file, encoding="utf-8") as file:
            kept = json.load(file)
    failed = 0  # of the built ones
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        numbers = {n: i for i, n in enumerate([*MUTANTS, *sorted({test for test, *_ in MUTANTS.values()})])}
        for name, wrong in zip(names, pool.map(lambda n: try_one(build, headers, numbers[n], n, kept), names)):
            if wrong:
                failed += 1
                what = "mutant" if name in MUTANTS else "test"
                print("FAILED: the %s '%s': %s" % (what, name, wrong), flush=True)
    if skipped:
        amalgamate.write(kept_file, json.dumps(kept, indent=0, sort_keys=True))
    print("%d passed, %d failed, %d skipped" % (len(names) - failed, failed + len(nowhere), skipped))
    return 1 if failed or nowhere else 0


if __name__ == "__main__":
    sys.exit(main())
