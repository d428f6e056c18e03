"""The policy space compiles for every architecture that NVRTC knows, without a GPU: a covering sample, and with
GPUPRIMS_LONG=1 (make test-long) the whole space.

The sample has every value of every field for each architecture. For two architectures, and for kernels that represent
others, compiled policies have every pair of values of two fields that occurs in the valid space (pairwise testing:
Cohen, Dalal, Fredman and Patton, The AETG System). The primitives of a family count as values of another field, and the
element types rotate. A run compiles a fifth of each family's policies, in turn (tests/turn.py); one in SHARE where the
test itself has a turn.

The long run: the whole sample, pairs on every architecture; and every policy of every primitive on one architecture, in
rotation. That takes two cores more than an hour. GPUPRIMS_LONG=2 compiles every policy for every architecture: for a
machine with many cores.
"""
import collections
import itertools
import os
import random

import pytest
import test_graph_kernels
import tune_parts
from turn import TURNS, number

from tools.farm import cell_keys, store

LONG = int(os.environ.get("GPUPRIMS_LONG", "0") or 0)
PAIRS_ON = (75, 90)  # the oldest, and the first with bulk copies: the kernels differ in these
FAMILIES = {
    "map": ["copy", "fill", "iota", "transform NEGATE", "transform2 SUM"],
    "reduce": ["reduce SUM"],
    "scan": ["inclusive_scan SUM", "exclusive_scan SUM"],
    "stream": ["segmented_inclusive_scan SUM", "segmented_exclusive_scan SUM", "inclusive_scan_by_key SUM",
               "exclusive_scan_by_key SUM", "reduce_by_key SUM", "run_lengths", "nontrivial_runs", "unique", "select",
               "partition"],
    "segments": ["segmented_reduce SUM", "load_balance", "expand", "run_length_expand"],
    "histogram": ["histogram_even", "histogram_ranges"],
    "counting": ["count_if", "check_offsets"],  # uses reduce's kernels
    "find": ["any", "all", "is_sorted", "find_if", "mismatch", "equal_arrays", "adjacent_find",
             "is_partitioned"],
    "elements": ["adjacent_difference SUB", "reverse", "scatter", "gather", "replace",  # with a map's policies
                 "lower_bound", "upper_bound",
                 "copy_batch", "shuffle", "convert_layout", "convert_layout ... struct=4.8.2.1 from=soa to=aos"],
    "sort": ["sort", "sort ... payload=u32", "sort ... payload=s12", "sort ... form=indices"],
    "group by": ["group_by SUM"],
    "merge": ["merge_sort", "merge_sort ... payload=u32", "merge ... payload=u32", "set_union",
              "set_intersection ... payload=u32", "set_difference", "set_symmetric_difference ... payload=u32"],
    "segmented sort": ["segmented_sort", "segmented_sort ... payload=u32", "sort_axis ... shape=4096x256"],
    "top-k": ["top_k", "top_k ... k=4096 payload=u32", "nth_element", "segmented_top_k",
              "segmented_top_k ... payload=u32", "segmented_top_k ... k=4096 form=indices",
              "top_k_axis ... shape=4096x256"],
    "transpose": ["transpose", "transpose ... shape=131072x8", "transpose ... shape=8x131072",
                  "transpose ... shape=1023x1025", "transpose ... shape=1023x1025 in_place=1",
                  "transpose ... shape=1024x2048 in_place=1", "transpose ... shape=1024x1024 in_place=1"],
    "rows": ["reduce_axis SUM", "reduce_axis SUM ... shape=131072x8", "reduce_axis SUM ... shape=8x131072",
             "reduce_axis SUM ... shape=4096x256 axis=1", "row_map SUM ... shape=8x131072",
             "row_map SUM ... shape=65536x16", "row_map SUM ... shape=256x4096 axis=1",
             "scan_axis SUM ... shape=131072x8", "scan_axis SUM ... shape=8x131072", "scan_axis SUM ... shape=4096x256",
             "scan_axis SUM ... shape=4096x256 axis=1"],
    "search": ["bfs ... graph=uniform:n=1M", "bfs_sources ... graph=uniform:n=1M",
               "bfs_sources ... graph=uniform:n=1M at_once=32"],
    "graphs": ["connected_components ... graph=uniform:n=1M", "graph_from_edges ... graph=uniform:n=1M"],
}
PAIRS_OF = ("map", "reduce")  # other families: every value once, and only on those two in short runs
# Several kernels a call: then only on the newer of the two
PLANNED = ("sort", "group by", "merge", "segmented sort", "top-k", "transpose", "search", "graphs")
ARGUMENTS = ("alpha", "beta", "small", "look", "gather", "cull")  # of a launch: not compiled into kernels
CANDIDATES = 200
SHARE = 16
TYPES = ["u32", "f16", "u8", "s12", "f64", "bf16", "i16", "s16", "u64", "f32", "i8", "u16", "i64", "i32"]

# Allowed bytes of local memory a thread, with reasons. The default is none.
SMALL_SPILL = 64  # ptxas gives up a few registers to fit another block: its choice, far below its limit
TIGHT_SPILL = 160  # 1024 threads a multiprocessor leave 64 registers each: too few for long vectors


# Merges and sorting networks hold a thread's keys and values, whole, and their positions.
SORTS = ("merge", "set_", "segmented_sort")
SORT_SPILL = 208
SWEEPS = ("ONE_SWEEP", "PAIRED_SWEEP", "LEADING_SWEEP")
SWEEP_TIGHT = 176  # one sweep of 48 keys of two bytes a thread, in 80 registers
HYBRID_SPILL = 128  # all atomics of a thread's keys are under way at once,
HYBRID_TIGHT = 352  # of 32 keys and more in 64 registers too
STRUCTS_TIGHT = 352  # pipelined sums of 16-byte structs over segments: a thread's values, whole, in 64 registers
SEARCH_SPILL = 224  # graphs: four vectors of edges at a time, and their targets
TABLE_SPILL = 240   # group by: 1024 threads, 32 registers each, with the longest vectors


def allowed_local_bytes(primitive, policy):
    threads, blocks = int(policy["threads"]), int(policy["blocks_per_sm"])
    promised = threads * blocks if 0 < threads * blocks <= 1024 else threads  # from the kernel's launch bounds
    long_chunks = int(policy["vectors"]) >= 7 and threads >= 256  # streams: extra warps that do not compute
    if primitive.startswith(SORTS):
        return SORT_SPILL
    if primitive.startswith(("bfs", "connected_components")) and int(policy["vectors"]) >= 4:
        return SEARCH_SPILL
    if primitive.startswith("segmented_reduce") and policy["algorithm"] == "PIPELINED" and promised >= 1024:
        return STRUCTS_TIGHT
    if policy["algorithm"] in ("HYBRID", "ADAPTIVE"):
        return HYBRID_TIGHT if promised >= 768 and int(policy["vectors"]) >= 6 else HYBRID_SPILL
    if primitive.startswith("group_by") and promised >= 1024 and int(policy["vectors"]) >= 8:
        return TABLE_SPILL
    if policy["algorithm"] in SWEEPS and promised >= 768 and int(policy["vectors"]) >= 6:
        return SWEEP_TIGHT
    return TIGHT_SPILL if long_chunks or (promised >= 768 and int(policy["vectors"]) >= 4) else SMALL_SPILL


def cell_of(primitive, element_type):
    """The words of a cell. "..." marks words after the type; a shape gives the number of elements."""
    front, _, behind = primitive.partition(" ...")
    sized = "shape=" in behind or "graph=" in behind
    count = "" if sized else " n=16K" if front == "merge_sort" else " n=1M"  # more numbers take a radix sort
    return f"{front} {element_type}{behind}{count}"


def records(program, family, compute_capability):
    """The valid points of a family: (("primitive", ...), ("algorithm", ...), ...)."""
    points = []
    for primitive in FAMILIES[family]:
        cell = cell_of(primitive, "f32" if "merge_sort" in primitive else "u32")
        found = tune_parts.space(program, cell, "--compute-capability", compute_capability)
        policies = (tune_parts.policy_of(policy) for policy in found["policies"] if ",cluster=8" not in policy)
        points += ((("primitive", primitive), *(field for field in policy.items() if field[0] not in ARGUMENTS))
                   for policy in policies)  # clusters of 8 and of 16 share a kernel
    return list(dict.fromkeys(points))


def combinations(record, strength):
    if strength == 1:
        return [(value,) for value in record]
    return [(record[i], record[j]) for i in range(len(record)) for j in range(i)]


def covering(points, strength, seed):
    """Some of the points, with every combination of this many values that occurs among all. AETG's greedy rule: for a
    missing combination, rare ones first, take the candidate that adds most."""
    draw = random.Random(seed)
    having = collections.defaultdict(list)
    for index, point in enumerate(points):
        for combination in combinations(point, strength):
            having[combination].append(index)
    wanted = sorted(having, key=lambda combination: (len(having[combination]), combination))
    missing, chosen = set(wanted), []
    for combination in wanted:
        if combination in missing:
            candidates = having[combination]
            candidates = candidates if len(candidates) <= CANDIDATES else draw.sample(candidates, CANDIDATES)
            best = max(candidates, key=lambda index: len(missing.intersection(combinations(points[index], strength))))
            missing.difference_update(combinations(points[best], strength))
            chosen.append(points[best])
    return chosen


def compile_point(program, point, compute_capability, number):
    """Compiles it for the first valid type in the rotation. Returns the fault, or None."""
    (_, primitive), *policy = point
    text = ",".join(f"{name}={value}" for name, value in policy)
    for step in range(len(TYPES)):
        cell = cell_of(primitive, TYPES[(number + step) % len(TYPES)])
        answer = tune_parts.compile_one(program, cell, compute_capability, text, tune_parts.KERNELS)
        if answer["status"] != "invalid":
            break
    where = f"sm_{compute_capability} {cell} {text}: "
    if answer["status"] != "ok":
        return where + f"{answer['status']}: {answer['message']}"
    if not answer["occupancy"]:
        return where + f"does not fit: {answer['registers']} registers, {answer['shared_bytes']} bytes of shared memory"
    if answer["local_bytes"] > allowed_local_bytes(primitive, dict(policy)):
        return where + f"{answer['local_bytes']} bytes of local memory, {answer['registers']} registers"
    return None


def in_turn(jobs, share):
    """One of `share` jobs of a family, at least one; `share` runs have all of them. Where this test has one turn in
    TURNS commits, such turns are counted: the commits' own numbers might differ by multiples of `share`."""
    run = number() // TURNS if os.environ.get("GPUPRIMS_TURN") else number()
    return jobs[run % min(share, len(jobs)) if jobs else 0::share]


def assert_all_compile(program, jobs):
    """jobs: (number, point, compute capability)."""
    jobs = [(program, *job, number) for number, *job in jobs]
    found = tune_parts.in_parallel(compile_point, jobs)
    wrong = [text for text in found if text]
    assert not wrong, f"{len(wrong)} of {len(jobs)}:\n" + "\n".join(wrong)


def test_covering_covers():
    """A small space with a hole: every pair that occurs, and fewer points than all."""
    points = [(("a", a), ("b", b), ("c", c)) for a in range(4) for b in range(4) for c in range(4) if a != b]
    for strength in (1, 2):
        everything = {pair for point in points for pair in combinations(point, strength)}
        chosen = covering(points, strength, 1)
        assert {pair for point in chosen for pair in combinations(point, strength)} == everything
        assert len(chosen) <= (5 if strength == 1 else 24) < len(points)
        assert chosen == covering(points, strength, 1)


def test_nothing_is_left_out():
    """The families name every primitive with cells (test_graph_kernels.py compiles the others), the rotation every
    type."""
    of_cells = {words.split()[0] for family in FAMILIES.values() for words in family}
    assert of_cells == set(store.primitives()) - set(cell_keys.having("no_cells"))
    assert set(cell_keys.having("graph") + cell_keys.having("no_cells")) == set(test_graph_kernels.OWN)
    assert set(store.type_sizes()) == set(TYPES)


def test_all_jobs_have_a_turn(monkeypatch):
    """Families of fewer jobs than there are turns have one in each."""
    for count in (1, 3, TURNS, SHARE - 1, SHARE, SHARE + 1, 5 * SHARE + 2):
        ran = []
        for commit in range(100, 100 + SHARE * TURNS, TURNS):
            monkeypatch.setenv("GPUPRIMS_TURN", str(commit))
            number.cache_clear()
            some = in_turn(list(range(count)), SHARE)
            assert 1 <= len(some) <= count // SHARE + 1
            ran += some
        assert set(ran) == set(range(count)) and (count < SHARE or len(ran) == count)
    number.cache_clear()


@pytest.mark.turn(3)
def test_covering_sample(program, architectures):
    of_families, numbers = {family: [] for family in FAMILIES}, itertools.count()
    for compute_capability in architectures:
        for family in FAMILIES:
            if not LONG and family not in PAIRS_OF and compute_capability not in PAIRS_ON:
                continue
            if not LONG and family in PLANNED and compute_capability != max(PAIRS_ON):
                continue
            strength = 2 if LONG or (compute_capability in PAIRS_ON and family in PAIRS_OF) else 1
            points = records(program, family, compute_capability)
            of_families[family] += [(next(numbers), point, compute_capability)
                                    for point in covering(points, strength, compute_capability)]
    share = 1 if LONG else SHARE if os.environ.get("GPUPRIMS_TURN") else 5
    jobs = [in_turn(jobs, share) for jobs in of_families.values()]
    assert all(jobs)
    assert_all_compile(program, itertools.chain(*jobs))


@pytest.mark.skipif(not LONG, reason="the whole space: make test-long")
def test_whole_space(program, architectures):
    jobs = []
    for number, compute_capability in enumerate(architectures):
        for family in FAMILIES:
            points = records(program, family, compute_capability)
            mine = points if LONG > 1 else points[number::len(architectures)]
            jobs += [(point, compute_capability) for point in mine]
    assert_all_compile(program, [(number, *job) for number, job in enumerate(jobs)])
