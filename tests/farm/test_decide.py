"""Decisions: what becomes a row, what does not, and why. Past mistakes of farms as tests; properties of all decisions
by Hypothesis."""
import copy
import itertools
import json
import lzma
import math
import os
import random
import shutil
import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import made_up
from made_up import DATE, DEEP, LEAN, RULE, SIZES, WIDE, tuned
from tools.farm import __main__ as farm
from tools.farm import cell_keys, decide, derive, devices, evidence, propose, rows, standard, store

NAME = "exclusive_scan 4/4/4"
LONG = os.environ.get("GPUPRIMS_LONG") == "1"
QUIET = settings(deadline=None, max_examples=300 if LONG else 25, derandomize=not LONG, database=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def wide_wins(name, log2, type_):
    """The simplest world: one policy is 10 % faster everywhere."""
    return {"wide": 0.9, "deep": 1.05, "lean": 1.1}[name]


def of_group(decisions, name=NAME):
    return [one for one in decisions if one["group"] == name]


def only(decisions, name=NAME):
    found = of_group(decisions, name)
    assert len(found) == 1, [decide.describe(one) for one in found]
    return found[0]


def again(tune, folder, change):
    """Decides about a store with changed lines: change(line) -> line or None."""
    lines = [change(copy.deepcopy(line)) for line in tune.lines]
    tune.lines = [line for line in lines if line]
    return tune.write().decide(folder)


def confirmed(folder, factor=wide_wins, **options):
    """A confirmed tune without decisions."""
    return made_up.Tune(made_up.path_of(folder, "one"), factor, **options).search().confirm(folder)


def elsewhere(tune, folder, name):
    """The same measurements in another store."""
    other = copy.copy(tune)
    other.path, other.lines = made_up.path_of(folder, name), list(tune.lines)
    return other


def is_candidate(line, text=WIDE, phase="confirm"):
    return line.get("phase") == phase and line["variant"] == "policy" and store.policy_text(line["policy"]) == text


# ---- the plain case --------------------------------------------------------------------------------------------------


def test_a_confirmed_gain_becomes_a_row(tmp_path):
    tune, decisions = tuned(tmp_path, wide_wins)
    one = only(decisions)
    assert (one["verdict"], one["log2_from"], one["log2_to"], one["pairs"]) == ("accepted", 0, 64, 3)
    assert one["scope"] == "Example One" and one["date"] == DATE and store.policy_text(one["policy"]) == WIDE
    assert one["low"] < one["gain"] < one["high"] and abs(one["gain"] - 1 / 9) < 0.003
    assert one["members"] == ["f32", "u32"] and one["sizes"] == [1 << log2 for log2 in SIZES]
    assert only(decisions, "inclusive_scan 4/4/4")["verdict"] == "accepted"  # served by the same search
    assert [row.log2_to for row in rows.fold(decisions)["Example One", NAME]] == [64]
    assert tune.decide(tmp_path) == []


def test_a_search_of_graphs_becomes_a_row(tmp_path):
    """Results on graphs with hubs are also confirmed on graphs without them, which the row would serve."""
    tune, decisions = tuned(tmp_path, lambda name, log2, _: 0.9 if name == "wide" and log2 >= 24 else 1.1,
                            groups=(("bfs", "u32"),))
    one = only(decisions, "bfs 4/4/8")
    wide = store.policy_of(made_up.policy("wide", "bfs"))
    assert (one["verdict"], one["log2_from"], one["log2_to"], one["policy"]) == ("accepted", 23, 64, wide)
    cells = {store.cell_of(line) for line in tune.lines if line.get("phase") == "confirm"}
    assert {cell.words.split(":")[0] for cell in cells} == {"graph=kronecker", "graph=uniform"}
    assert {cell.group for cell in cells} == {"bfs 4/4/8"} and {cell.log2 for cell in cells} == {22, 24, 26, 28, 30}
    assert '"Example One", GP_BFS, 4, 4, 8, 23, 64, GP_EXPAND_CONTRACT, 512,' in made_up.table_of(tmp_path)


def test_buckets_end_halfway_between_measured_sizes(tmp_path):
    def factor(name, log2, type_):
        return {"wide": 0.9 if log2 >= 20 else 1.0, "deep": 0.8 if log2 <= 14 else 1.0, "lean": 1.1}[name]

    found = of_group(tuned(tmp_path, factor)[1])
    assert [(one["log2_from"], one["log2_to"]) for one in found] == [(0, 15), (19, 64)]
    assert rows.bucket((18, 22, 25), 1, 2) == (20, 26) and rows.bucket((18, 22, 26), 1, 2) == (20, 64)
    for sizes in itertools.combinations(range(12, 25), 4):
        for first in range(4):
            for last in range(first, 4):
                low, high = rows.bucket(sizes, first, last)
                inside = [low <= size < high for size in sizes]
                assert inside == [first <= k <= last for k in range(4)]


def test_the_header_sees_the_same_sizes(tmp_path):
    """12-byte elements fill no power of two: buckets use the header's logarithm, rounded down."""
    def factor(name, log2, type_):
        return {"wide": 0.9 if log2 >= 19 else 1.0, "deep": 1.1, "lean": 1.1}[name]

    one = only(tuned(tmp_path, factor, groups=(("exclusive_scan", "s12"),), sizes=range(18, 24))[1],
               "exclusive_scan 12/12/12")
    assert one["members"] == ["s12"] and (one["log2_from"], one["log2_to"]) == (19, 23)
    assert all(1 << log2 <= size < 2 << log2 for log2, size in zip(range(19, 23), one["sizes"]))


def test_at_most_four_rows(tmp_path):
    best = {size: ("wide", "deep", "lean")[k % 3] for k, size in enumerate(SIZES)}

    def factor(name, log2, type_):
        return (0.7 if log2 > 20 else 0.9) if best[log2] == name else 1.1

    found = of_group(tuned(tmp_path, factor)[1])
    assert [one["verdict"] for one in found] == ["accepted"] * 4
    assert all(one["log2_from"] > 20 for one in found)  # where there is most to gain


def test_the_simplest_wins_ties(tmp_path):
    """Within the noise of the best there is no best: fewer rows, then fewer fields that differ, then the texts."""
    def factor(name, log2, type_):
        return {"wide": 0.901, "deep": 0.9, "lean": 0.899 if log2 > 20 else 0.902}[name]

    assert [propose.differing(policy, RULE) for policy in (WIDE, DEEP, LEAN)] == [1, 2, 2]
    assert store.policy_text(only(tuned(tmp_path, factor)[1])["policy"]) == WIDE
    no_wide = tuned(tmp_path, factor, "two", device="Example Two", names=("lean", "deep"))[1]
    assert store.policy_text(only(no_wide)["policy"]) == min(DEEP, LEAN)


def test_a_row_has_its_price():
    """Two per cent at one size, beyond the tolerance of a tie."""
    def found(*times):
        return propose.partition([[propose.View({WIDE: time}, 1.0, RULE, 0.005)] for time in times])

    assert found(0.978) == [] and found(0.97) == [propose.Proposal(0, 0, (WIDE,))]
    assert found(0.978, 0.978) == [propose.Proposal(0, 1, (WIDE,))] and found(1.0, 0.978, 1.0) == []


# ---- blunders --------------------------------------------------------------------------------------------------------


def test_an_objective_that_is_always_zero(tmp_path):
    decisions = again(confirmed(tmp_path), tmp_path,
                      lambda line: {**line, "us": [0.0] * 5} if line["kind"] == "samples" else line)
    assert {one["verdict"] for one in decisions} == {"kept"}
    assert all(one["left_out"]["no times"] for one in of_group(decisions))


def test_an_objective_that_does_not_vary(tmp_path):
    decisions = again(confirmed(tmp_path), tmp_path,
                      lambda line: {**line, "us": [7.0] * 5} if line["kind"] == "samples" else line)
    assert {one["verdict"] for one in decisions} == {"kept"} and any("does not vary" in one["reason"]
                                                                     for one in decisions)


def test_the_wrong_variant_was_timed(tmp_path):
    """The machine code echoed another policy than requested: gp_tune calls it wrong, though it has times."""
    one = only(again(confirmed(tmp_path), tmp_path, lambda line: {**line, "status": "wrong"} if is_candidate(line) else
                     line))
    assert one["verdict"] != "accepted" and one["left_out"]["status wrong"] == 60


def test_a_silent_downgrade(tmp_path):
    """The header replaced the caller's policy by its own."""
    one = only(again(confirmed(tmp_path), tmp_path,
                     lambda line: {**line, "policy_source": "portable"} if is_candidate(line) else line))
    assert one["verdict"] == "rejected" and one["left_out"]["ran on another policy than asked"] == 60


@pytest.mark.parametrize("status", evidence.FAULTS)
@pytest.mark.parametrize("phase", ["confirm", "matrix", "search"])
def test_a_swallowed_error(tmp_path, status, phase):
    """A launch failed, though there are good times. One failure anywhere is enough."""
    tune, failed = confirmed(tmp_path), False

    def change(line):
        nonlocal failed
        if failed or not is_candidate(line, WIDE, "matrix" if phase == "search" else phase):
            return line
        failed = True
        return {**line, "status": status, "phase": phase, "us": [0.5] * 5}

    decisions = again(tune, tmp_path, change)
    assert failed and all(one["verdict"] != "accepted" for one in of_group(decisions))


def test_a_swallowed_error_of_a_primitive_that_shares_the_search(tmp_path):
    def change(line):
        return {**line, "status": "wrong"} if is_candidate(line) and line["primitive"] == "inclusive_scan" and \
            line["n"] == 1 << 20 else line

    decisions = again(confirmed(tmp_path), tmp_path, change)
    assert only(decisions)["verdict"] == "accepted"
    assert not any(one["verdict"] == "accepted" for one in of_group(decisions, "inclusive_scan 4/4/4"))


def test_a_winner_that_flips_between_runs(tmp_path):
    tune = confirmed(tmp_path, processes=4)

    def change(line):
        pace = (1.25 if line.get("process", 0) % 2 else 0.85) if is_candidate(line) else 1.0
        return {**line, "us": [us * pace for us in line["us"]]} if "us" in line else line

    one = only(again(tune, tmp_path, change))
    assert one["verdict"] == "rejected" and "not more than" in one["reason"] and one["low"] < 0 < one["high"]


@pytest.mark.turn
def test_three_percent_in_five_percent_of_noise(tmp_path):
    """Never accepted: processes that vary by 5 % confirm no gain of 3 %."""
    accepted = 0
    for seed in range(12):
        tune = made_up.Tune(made_up.path_of(tmp_path, f"s{seed}"), lambda *_: 0.97, between=0.05, seed=seed,
                            device=f"Example {seed}", processes=4, sizes=range(14, 31, 4))
        decisions = tune.search().confirm(tmp_path).decide(tmp_path)
        accepted += sum(one["verdict"] == "accepted" for one in of_group(decisions))
    assert accepted == 0


def test_three_percent_in_little_noise(tmp_path):
    assert only(tuned(tmp_path, lambda *_: 0.97)[1])["verdict"] == "accepted"


def test_less_than_two_percent(tmp_path):
    one = only(tuned(tmp_path, lambda *_: 0.985)[1])
    assert one["verdict"] == "kept" and "none of 4 policies gains 2 %" in one["reason"]

    def change(line):  # the matrix was too optimistic
        return {**line, "us": [us * 0.9 for us in line["us"]]} if is_candidate(line, WIDE, "matrix") else line

    two = made_up.Tune(made_up.path_of(tmp_path, "two"), lambda *_: 0.985, device="Example Two").search()
    two.lines = [change(line) for line in two.lines]
    one = only(two.confirm(tmp_path).decide(tmp_path))
    assert one["verdict"] == "rejected" and "not more than 2.0 %" in one["reason"]


def test_a_size_that_loses(tmp_path):
    """Trimmed off at an end; in the middle the longer part remains; any of the types counts."""
    tune = confirmed(tmp_path)
    for name, log2, type_, expected in (("end", 12, "u32", (13, 64)), ("middle", 18, "f32", (19, 64)),
                                        ("late", 26, "f32", (0, 25))):
        def change(line, log2=log2, type_=type_):
            worse = is_candidate(line) and line["in"] == type_ and line["n"] == (1 << log2) // 4
            return {**line, "us": [us / 0.9 * 1.03 for us in line["us"]]} if worse else line

        one = only(again(elsewhere(tune, tmp_path, name), tmp_path, change))
        assert one["verdict"] == "accepted" and (one["log2_from"], one["log2_to"]) == expected, name


def test_an_end_that_does_not_gain(tmp_path):
    """The loss is below the limit, but no row is needed there."""
    def change(line):
        at_end = is_candidate(line) and line["n"] == (1 << 12) // 4
        return {**line, "us": [us / 0.9 * 1.005 for us in line["us"]]} if at_end else line

    one = only(again(confirmed(tmp_path), tmp_path, change))
    assert one["verdict"] == "accepted" and one["log2_from"] == 13 and one["sizes"][0] == 1 << 14


def test_every_size_loses_for_one_type(tmp_path):
    def factor(name, log2, type_):
        return 1.03 if type_ == "f32" else wide_wins(name, log2, type_)

    one = only(tuned(tmp_path, factor)[1])
    assert one["verdict"] == "rejected" and "loses 3." in one["reason"] and "of f32" in one["reason"]


# ---- elsewhere: cells that resemble no searched cell -----------------------------------------------------------------


def listed(*sizes, protocol="cold_graph", type_="u32"):
    return [made_up.cell("exclusive_scan", type_, log2)._replace(protocol=protocol) for log2 in sizes]


def loses_at(log2):
    """One policy is 10 % faster at the searched cells, and half as fast at a size of a graph's cells."""
    return lambda name, at, kind: 2.0 if (name, kind, at) == ("wide", "cold_graph", log2) else wide_wins(name, at, kind)


def test_a_row_wins_elsewhere_or_does_not_serve_there(tmp_path):
    """Cells of another protocol, at the sizes and between them: the row's buckets end where one loses."""
    _, decisions = tuned(tmp_path, loses_at(21), listed=listed(17, 20, 21, 24))
    assert only(decisions)["verdict"] == "accepted" and policies_of(standing_of(tmp_path)) == [(0, 21, WIDE)]
    assert only(decisions, "inclusive_scan 4/4/4")["log2_to"] == 21  # the list has none of it, but between the sizes
    _, decisions = tuned(tmp_path / "other", loses_at(12), listed=listed(12), sizes=(12,))
    one = only(decisions)
    assert one["verdict"] == "rejected" and one["reason"].startswith("loses ")
    assert one["reason"].endswith(" % at exclusive_scan SUM u32 n=1024 protocol=cold_graph")


def test_what_a_row_would_not_serve_does_not_count(tmp_path):
    """A policy that is invalid elsewhere, and a cell beyond the bucket: the header would not take the row there."""
    def factor(name, log2, kind):
        return 9 if kind == "graph" else 1.2 if name != "wide" else 0.9 if log2 <= 12 else 1.1

    tune = made_up.Tune(made_up.path_of(tmp_path, "one"), factor, sizes=(12, 14),
                        listed=listed(12, 13, protocol="graph")).search().confirm(tmp_path)
    found = [line for line in tune.lines if line.get("protocol") == "graph"]
    assert {line["n"] for line in found} == {1024}  # no cell of 2^13
    one = only(again(tune, tmp_path, lambda line: {**line, "status": "invalid", "us": []}
                     if line in found and line["variant"] == "policy" else line))
    assert one["verdict"] == "accepted" and one["left_out"] == {"status invalid": 3}


@pytest.mark.turn
def test_a_row_goes_where_it_loses_elsewhere(tmp_path):
    """A row of a tune without cells elsewhere: the next tune measures the header's rule beside it."""
    tuned(tmp_path, wide_wins)
    tune, decisions = tuned(tmp_path, loses_at(21), date="2026-02-02T00:00:00Z", seed=2, listed=listed(18, 21),
                            standing=dict.fromkeys(range(12, 31), WIDE))
    assert {line["n"] for line in tune.lines if line.get("variant") == "rule" and line["protocol"] == "cold_graph"} > \
        {1 << 16, 1 << 19}
    one = only(decisions)
    assert (one["verdict"], one["log2_from"], one["log2_to"], one["policy"]) == ("removed", 21, 22,
                                                                                 store.policy_of(WIDE))
    assert one["reason"].endswith("at exclusive_scan SUM u32 n=524288 protocol=cold_graph") and one["gain"] > 0.9
    assert policies_of(standing_of(tmp_path)) == [(0, 21, WIDE), (22, 64, WIDE)]
    assert derive.derive(made_up.stores_of(tmp_path))[1] == []
    assert farm.main(["validate", tune.path, "--stores", str(tmp_path)]) == 0


def test_a_class_must_not_lose_elsewhere(tmp_path):
    """A policy as good as the rule at the second device's searched cells would halve its speed elsewhere."""
    def second(name, log2, kind):
        return (2.0 if kind == "cold_graph" else 0.99) if name == "wide" else 1.1

    tuned(tmp_path, wide_wins)
    tuned(tmp_path, second, "two", device="Example Two", listed=listed(20))
    found, classes = devices.table_of(made_up.stores_of(tmp_path))
    assert not [row for row in found if row.scope.startswith("class")] or NAME not in {
        row.group for row in found if row.scope.startswith("class")}, classes


def test_rows_are_measured_close_to_the_ends_of_their_buckets(tmp_path):
    """Five cells about each size, cold, whether the list has cells of the group or not; the first size of a bucket is
    followed by one."""
    for type_ in ("u16", "u32"):
        tune = made_up.Tune(made_up.path_of(tmp_path, type_), wide_wins, groups=(("exclusive_scan", type_),)).search()
        run = evidence.runs_of(propose.context_of(tune.write().path, str(tmp_path))[0])[-1]
        group, = run.groups.values()
        found = propose.cells_elsewhere(group, group.name, listed(20, protocol="graph"))
        if type_ == "u32":
            assert found.pop(0) == listed(20, protocol="graph")[0]
        assert {cell.in_ for cell in found} == {type_}
        assert {cell.protocol for cell in found} == {"cold_graph", "cold"}
        for log2 in SIZES[1:]:
            assert {log2 - 1, log2} <= {cell.log2 for cell in found if cell.n & (cell.n - 1)}
            first = min(cell.bytes for cell in found if cell.log2 == log2 - 1)
            assert 1 << log2 - 1 < first < 1.02 * (1 << log2 - 1)
        assert not propose.is_elsewhere(group, found[0])


def test_a_row_must_win_between_the_sizes(tmp_path):
    """A policy that is the fastest at every size, and twice as slow at 13/8 of one: no row serves that size."""
    def factor(name, log2, kind):
        return 2.0 if (name, kind, log2) == ("wide", "cold_graph", 20) else wide_wins(name, log2, kind)

    _, decisions = tuned(tmp_path, factor, listed=listed(12))
    assert policies_of(standing_of(tmp_path)) != [(0, 64, WIDE)]
    assert all(not row[0] <= 20 < row[1] for row in policies_of(standing_of(tmp_path)))
    assert only(decisions)["verdict"] == "accepted"


def test_a_new_policy_must_not_lose_to_the_rule(tmp_path):
    """A row that loses to the header's rule at a cell elsewhere is not replaced by another that loses too."""
    tuned(tmp_path, wide_wins)

    def factor(name, log2, kind):
        if kind == "cold_graph" and log2 == 21:
            return {"wide": 2.2, "deep": 2.0}.get(name, 1)
        return 0.8 if name == "deep" else wide_wins(name, log2, kind)

    _, decisions = tuned(tmp_path, factor, date="2026-02-02T00:00:00Z", seed=2, listed=listed(21),
                         standing=dict.fromkeys(range(12, 31), WIDE))
    mine = [one for one in decisions if one["group"] == NAME]
    assert not any(one["verdict"] == "accepted" and one["log2_from"] <= 21 < one["log2_to"] for one in mine)
    assert all(not row[0] <= 21 < row[1] for row in policies_of(standing_of(tmp_path)))
    assert derive.derive(made_up.stores_of(tmp_path))[1] == []


def test_two_losses_of_a_row_that_overlap(tmp_path):
    """A loss between the sizes, then one at a size whose bucket includes the first."""
    tuned(tmp_path, wide_wins)

    def factor(name, log2, kind):
        return 1.5 if (name, kind) == ("wide", "cold_graph") and log2 in (21, 22) else wide_wins(name, log2, kind)

    tuned(tmp_path, factor, date="2026-02-02T00:00:00Z", seed=2, listed=listed(21, 22),
          standing=dict.fromkeys(range(12, 31), WIDE))
    assert policies_of(standing_of(tmp_path)) == [(0, 21, WIDE), (23, 64, WIDE)]


def test_throttled_processes_are_not_used(tmp_path):
    """A process is dropped whole; the power cap does not count, a thermal slowdown does."""
    tune = confirmed(tmp_path, processes=4)
    marked = {line["job"] for line in tune.lines if line.get("process") == 2 and line["n"] == 1024}

    def change(line, bits):
        if line.get("process") == 2:
            line["us"] = [us * 3 for us in line["us"]] if line["variant"] == "default" else line["us"]
        return {**line, "throttle": bits} if line.get("job") in marked and line["process"] == 2 else line

    one = only(again(tune, tmp_path, lambda line: change(line, 0x24)))
    assert one["verdict"] == "accepted" and one["pairs"] == 3 and one["left_out"]["throttled"] > 20
    assert one["gain"] < 0.12  # and not the excluded process's threefold time
    capped = elsewhere(tune, tmp_path, "capped")
    one = only(again(capped, tmp_path, lambda line: {**line, "throttle": 0x4} if "throttle" in line else line))
    assert one["pairs"] == 4 and not one["left_out"]


def test_too_few_processes(tmp_path):
    tune = confirmed(tmp_path)
    one = only(again(tune, tmp_path, lambda line: {**line, "throttle": 0x40} if line.get("process") == 3 else line))
    assert one["verdict"] == "rejected" and "2 of 3 processes can be used" in one["reason"]


def test_what_was_not_measured_again_is_not_accepted(tmp_path):
    tune = confirmed(tmp_path)
    matrix = [line for line in tune.lines if line.get("phase") != "confirm"]
    bare = elsewhere(tune, tmp_path, "bare")
    bare.lines = matrix
    assert "not measured again" in only(bare.write().decide(tmp_path))["reason"]
    for name, types in (("all", ("u32", "f32")), ("one", ("f32",))):  # a row serves both types
        def change(line, types=types):
            return None if line.get("n") == 1 << 20 and line["phase"] == "confirm" and line["in"] in types else line

        one = only(again(elsewhere(tune, tmp_path, name), tmp_path, change))
        assert one["verdict"] == "accepted" and (1 << 22) not in one["sizes"] and one["log2_from"] in (0, 23)


@pytest.mark.parametrize("name", evidence.SELF_CHECKS)
def test_a_failed_self_check(tmp_path, name):
    tune = confirmed(tmp_path)
    check = {"kind": "check", "v": 1, "env": tune.environment["id"], "name": name, "group": NAME, "passed": False,
             "value": 1.07, "limit": 1.02}
    tune.lines.append(check)
    one = only(tune.write().decide(tmp_path))
    assert one["verdict"] == "kept" and f"self-check {name} failed: 1.07, limit 1.02" in one["reason"]
    tune.lines.append({**check, "passed": True})  # the run was continued, and then it passed
    one = only(tune.write().decide(tmp_path))
    assert one["verdict"] == "accepted"


# ---- existing rows ---------------------------------------------------------------------------------------------------


def standing_of(tmp_path):
    return rows.fold(rows.decisions_of(made_up.stores_of(tmp_path))).get(("Example One", NAME), [])


def policies_of(found):
    return [(row.log2_from, row.log2_to, store.policy_text(row.policy)) for row in found]


def test_good_rows_are_not_replaced_wholesale(tmp_path):
    """A second tune finds something better only for large sizes: the rest stays, with its evidence."""
    tuned(tmp_path, wide_wins)
    before = standing_of(tmp_path)

    def factor(name, log2, type_):
        return 0.8 if name == "deep" and log2 >= 26 else wide_wins(name, log2, type_)

    _, decisions = tuned(tmp_path, factor, date="2026-02-02T00:00:00Z", seed=2, standing=dict.fromkeys(SIZES, WIDE))
    one = only(decisions)
    assert one["verdict"] == "accepted" and one["against"] == "device" and abs(one["gain"] - 0.125) < 0.01
    after = standing_of(tmp_path)
    assert policies_of(after) == [(0, 25, WIDE), (25, 64, DEEP)] and after[0].provenance == before[0].provenance


def test_a_rerun_changes_nothing(tmp_path):
    tuned(tmp_path, wide_wins)
    before = standing_of(tmp_path)
    _, decisions = tuned(tmp_path, wide_wins, date="2026-02-02T00:00:00Z", seed=2, standing=dict.fromkeys(SIZES, WIDE))
    assert only(decisions)["verdict"] == "kept" and standing_of(tmp_path) == before


def test_a_row_gives_way_only_to_what_was_compared_with_it(tmp_path):
    """The second tune ran without the table: its default is the header's rule. Near-equal policies must not replace a
    row, nor may policies never run beside it."""
    tuned(tmp_path, wide_wins)

    def factor(name, log2, type_):
        return {"wide": 0.9, "deep": 0.895, "lean": 1.1}[name]

    tune, decisions = tuned(tmp_path, factor, date="2026-02-02T00:00:00Z", seed=2)
    assert only(decisions)["verdict"] in ("kept", "rejected") and policies_of(standing_of(tmp_path)) == [(0, 64, WIDE)]
    better = made_up.Tune(made_up.path_of(tmp_path, "one", "2026-03-03"), lambda name, *_: 0.7 if name == "deep" else 1,
                          date="2026-03-03T00:00:00Z", seed=3).search().confirm(tmp_path)
    better.lines = [line for line in better.lines if not is_candidate(line)]
    one = only(better.write().decide(tmp_path))
    assert one["verdict"] == "rejected" and "was not compared" in one["reason"]


@pytest.mark.turn
def test_a_row_goes_where_an_algorithm_overtook_it(tmp_path):
    """Measured beside the row on the same device, faster at every size by the mean of its distributions; otherwise
    nothing is written."""
    tune, _ = tuned(tmp_path, wide_wins)
    bench = tmp_path / "one" / "bench.jsonl.xz"  # beside the store

    def measured(times, device="Example One"):  # {(log2 of the bytes, distribution): (the row's time, the new ones')}
        lines = [{"kind": "environment", "device": device}]
        for at, each in times.items():
            log2, dist = at if isinstance(at, tuple) else (at, "uniform")
            for label, us in zip(("default", "algorithm=NEW", "algorithm=NEW,threads=64"), each):
                cell = made_up.cell("exclusive_scan", "u32", log2)
                lines.append({"kind": "sample", "variant": "ours", "status": "ok", "label": label, "median_us": us,
                              "policy": {"algorithm": "OLD" if label == "default" else "NEW"}, "op": cell.op,
                              "primitive": cell.primitive, "in": cell.in_, "acc": cell.acc, "out": cell.out,
                              "n": cell.n, "protocol": cell.protocol, "words": cell.words, "dist": dist})
        bench.write_bytes(lzma.compress("".join(f"{json.dumps(line)}\n" for line in lines).encode()))

    def go(log2_to=20, name=NAME, algorithms="NEW"):
        return farm.main(["retire", tune.path, "--bench", str(bench), "--group", name, "--from", "12", "--to",
                          str(log2_to), "--algorithms", algorithms])

    before = open(tune.path, "rb").read()
    for times, options in (({12: (10, 8), 16: (10, 9.9)}, {}), ({12: (10, 8)}, {"name": "inclusive_scan 4/4/4"}),
                           ({12: (10, 8)}, {"algorithms": "OTHER"}), ({20: (10, 8)}, {}),
                           ({(12, "uniform"): (10, 20), (12, "zipf"): (16, 8.2)}, {}),
                           # no policy is faster by the mean: one by one distribution, the other by the other
                           ({(12, "uniform"): (10, 5, 20), (12, "zipf"): (10, 20, 5)}, {}),
                           ({(12, "uniform"): (10, 5), (12, "zipf"): (10,)}, {})):
        measured(times)
        assert go(**options) == 2 and open(tune.path, "rb").read() == before
    measured({12: (10, 8)}, "Example Two")
    assert go() == 2 and open(tune.path, "rb").read() == before
    measured({12: (10, 8), (16, "uniform"): (10, 12.5), (16, "zipf"): (20, 4), 20: (1, 9)})
    elsewhere = shutil.copy(bench, tmp_path / "bench.jsonl.xz")
    assert farm.main(["retire", tune.path, "--bench", str(elsewhere), "--group", NAME, "--to", "20",
                      "--algorithms", "NEW"]) == 2
    assert go() == 0
    assert [(row.log2_from, row.log2_to) for row in standing_of(tmp_path)] == [(0, 12), (20, 64)]
    one = store.read(tune.path).of("decision")[-1]
    assert one["verdict"] == "removed" and abs(one["gain"] - (1.25 * 2) ** 0.5 + 1) < 1e-9 and one["pairs"] == 1
    assert abs(one["low"] - 0.25) < 1e-9 and abs(one["high"] - 1) < 1e-9
    assert farm.main(["validate", tune.path, "--stores", str(tmp_path)]) == 0
    measured({12: (10, 8)})  # another bench, or none, and the row is back
    assert derive.derive(made_up.stores_of(tmp_path))[1]
    assert farm.main(["validate", tune.path, "--stores", str(tmp_path)]) == 1
    bench.unlink()
    assert farm.main(["validate", tune.path, "--stores", str(tmp_path)]) == 1
    assert '"Example One", GP_EXCLUSIVE_SCAN, 4, 4, 4, 0, 64' in made_up.table_of(tmp_path)


@pytest.mark.turn
def test_a_row_that_lost_to_the_rule_goes(tmp_path):
    """The header improved: the rule beats the row now, and the rerun measured it."""
    tuned(tmp_path, wide_wins)
    tune = made_up.Tune(made_up.path_of(tmp_path, "one", "2026-02-02"), lambda *_: 1.2, date="2026-02-02T00:00:00Z",
                        seed=2, standing=dict.fromkeys(SIZES, WIDE))
    decisions = tune.search().confirm(tmp_path).decide(tmp_path)
    found = of_group(decisions)
    assert [one["verdict"] for one in found] in (["removed"], ["accepted"])
    assert standing_of(tmp_path) == [] or policies_of(standing_of(tmp_path)) == [(0, 64, RULE)]
    # the plan requests what the matrix lacks
    third = made_up.Tune(made_up.path_of(tmp_path, "two"), wide_wins, device="Example Two")
    third.search().confirm(tmp_path).decide(tmp_path)
    late = made_up.Tune(made_up.path_of(tmp_path, "two", "2026-02-02"), lambda *_: 1.2, date="2026-02-02T00:00:00Z",
                        seed=2, standing=dict.fromkeys(SIZES, WIDE), device="Example Two").search()
    late.lines = [line for line in late.lines if not is_candidate(line, RULE, "matrix")]
    found = of_group(late.confirm(tmp_path).decide(tmp_path))
    assert [(one["verdict"], one["log2_from"], one["log2_to"]) for one in found] == [("removed", 0, 64)]
    assert ("Example Two", NAME) not in rows.fold(rows.decisions_of(made_up.stores_of(tmp_path)))


def test_a_table_that_no_store_explains(tmp_path):
    """The default ran on a row of some table, and the stores know no such row: there is no reference."""
    tune = confirmed(tmp_path)
    one = only(again(tune, tmp_path, lambda line: {**line, "policy_source": "device"} if line.get("variant") ==
                     "default" else line))
    assert one["verdict"] == "rejected" and "was not compared" in one["reason"]


def test_a_row_cannot_choose_the_algorithm_of_segments():
    """The header takes a row for segments only if its rule has chosen the same algorithm: a faster policy of another
    algorithm is not proposed, and a row that names one is not what serves the call."""
    merge, warp = (f"algorithm={name},threads={threads},vectors=1,load=ALL,store=ALL,stages=0,blocks_per_sm=2,overlap=2"
                   for name, threads in (("MERGE_PATH", 256), ("WARP_SEGMENTS", 256)))
    wide = merge.replace("256", "512")
    rows_there = [rows.Row("d", "", 0, 64, store.policy_of(warp), "")]
    for primitive, expected in (("segmented_reduce", wide), ("copy", warp)):
        of = made_up.cell(primitive, "u32", 20)
        rule = {"policy": store.policy_of(merge)}
        samples = [(of, made_up.sample("e", "matrix", of, variant, [us, us * 1.001], **fields))
                   for variant, us, fields in (("default", 10, rule), (wide, 9, {}), (warp, 5, {}))]
        group = evidence.group_of(of.group, samples, None)
        assert not group.problem
        assert [one.policies[0] for one in propose.proposals(group, [])] == [expected]
        assert propose.baseline(group, of, group.matrix[of], rows_there) == ("default" if expected == wide else warp)


def test_a_trimmed_row_does_not_make_a_fifth(tmp_path):
    """A proposal for a row's whole bucket gets only a part of it: the table has no room for the rest."""
    standing = [rows.Row("Example One", NAME, low, high, store.policy_of(text), "") for low, high, text in
                ((0, 15, LEAN), (15, 19, DEEP), (19, 23, LEAN), (23, 64, DEEP))]
    serving = {log2: rows.policy_at(standing, log2) for log2 in SIZES}

    def factor(name, log2, type_):
        return 0.8 if name == "wide" and log2 in (16, 18) else 1.0 if name != "wide" else 1.3

    tune = confirmed(tmp_path, factor, standing=serving)
    for trimmed in (False, True):
        lines = [{**line, "us": [us * 1.6 for us in line["us"]]} if trimmed and is_candidate(line) and
                 line["n"] == 1 << 16 else line for line in tune.lines]
        other = elsewhere(tune, tmp_path, f"trimmed {trimmed}")
        other.lines = lines
        run = evidence.runs_of(store.read(other.write().path))[-1]
        made = decide.decide_group(run, NAME, standing, {})
        assert len(rows.apply(standing, made)) == 4
        assert [(one["verdict"], "no room" in one["reason"]) for one in made] == [
            ("rejected", True) if trimmed else ("accepted", False)]


def test_there_is_no_room_for_a_fifth_row():
    made = [{"verdict": "accepted", "scope": "d", "group": NAME, "log2_from": low, "log2_to": low + 4, "policy": {},
             "gain": gain, "low": 0, "high": 1, "pairs": 3, "date": DATE, "reason": ""}
            for low, gain in ((0, 0.5), (8, 0.1), (16, 0.3))]
    standing = [rows.Row("d", NAME, low, high, {}, "") for low, high in ((4, 6), (24, 30))]
    decide.make_room(made, standing)
    assert [one["verdict"] for one in made] == ["accepted", "rejected", "accepted"] and "no room" in made[1]["reason"]


def test_more_samples_replace_a_decision(tmp_path):
    """Decided too early, then the tune was finished: the later look counts, and names the decisions that it
    replaces."""
    tune = confirmed(tmp_path)
    late = [line for line in tune.lines if line.get("process") == 3]
    tune.lines = [line for line in tune.lines if line not in late]
    early = only(tune.write().decide(tmp_path))
    assert early["verdict"] == "rejected"
    store.append(tune.path, late)
    one = only(tune.decide(tmp_path))
    assert one["verdict"] == "accepted" and one["replaces"] == [early["id"]] and tune.decide(tmp_path) == []
    assert policies_of(standing_of(tmp_path)) == [(0, 64, WIDE)]
    slow = [{**line, "process": 4, "us": [us * (1.5 if is_candidate(line) else 1.0001) for us in line["us"]]}
            for line in late]
    store.append(tune.path, slow)
    last = only(tune.decide(tmp_path))
    assert last["verdict"] == "rejected" and last["replaces"] == [one["id"]] and standing_of(tmp_path) == []


def test_boards_of_one_host_are_one_run(tmp_path):
    """Several GPUs share the work: their environments differ only in the bus."""
    tune = confirmed(tmp_path)
    other = made_up.environment(bus="0:2", date="2026-01-02T03:04:06Z")

    def change(line):
        return {**line, "env": other["id"]} if line.get("phase") == "confirm" and line["in"] == "f32" else line

    tune.lines.insert(1, other)
    one = only(again(tune, tmp_path, change))
    assert one["verdict"] == "accepted" and one["env"] == tune.environment["id"] and one["members"] == ["f32", "u32"]


def test_the_plan(tmp_path):
    """Every size of the interval and the next one on either side, for each type, with the runner-up."""
    def factor(name, log2, type_):
        return {"wide": 0.8, "deep": 0.85, "lean": 1.1}[name] if 18 <= log2 <= 22 else 1.02

    jobs = made_up.Tune(made_up.path_of(tmp_path, "one"), factor).search().plan(tmp_path)
    assert {cell.log2 for cell, _ in jobs} == {16, 18, 20, 22, 24}
    assert {(cell.primitive, cell.out) for cell, _ in jobs} == {
        (primitive, type_) for primitive in ("exclusive_scan", "inclusive_scan") for type_ in ("u32", "f32")}
    assert all(policies == sorted([WIDE, DEEP]) for _, policies in jobs) and len(jobs) == 20
    lines = propose.plan_text(jobs).splitlines()
    assert lines[0].split("\t")[:2] == ["exclusive_scan SUM f32 n=4194304 protocol=cold", "default"]
    out = tmp_path / "plan"
    assert farm.main(["propose", made_up.path_of(tmp_path, "one"), "--out", str(out), "--stores", str(tmp_path)]) == 0
    written = out.read_text().splitlines()
    assert set(lines) < set(written)
    others = [cell_keys.read(line.split("\t")[0])[0] for line in written if line not in lines]
    wanted = {cell for cell, _ in map(cell_keys.read, standard.cells()) if 17 <= cell.log2 < 23 and
              cell.group in (NAME, "inclusive_scan 4/4/4") and cell.protocol != "first_call"}
    assert wanted < set(others) and {cell.log2 for cell in wanted} == {18, 20, 22}
    assert {cell.log2 for cell in set(others) - wanted} == set(range(17, 23))  # those between the sizes
    assert all(cell.n % 2 for cell in set(others) - wanted)  # the last tile is partial


# ---- several devices -------------------------------------------------------------------------------------------------


def test_like_devices_form_a_class(tmp_path):
    """The second has no row of its own if the first's serves it well: the class gives it one."""
    tuned(tmp_path, wide_wins)
    _, decisions = tuned(tmp_path, lambda name, *_: 0.99 if name == "wide" else 1.1, "two", device="Example Two")
    assert only(decisions)["verdict"] == "kept"
    found, classes = devices.table_of(made_up.stores_of(tmp_path))
    assert classes == [("example-one+example-two", "Example One"), ("example-one+example-two", "Example Two")]
    assert {row.scope for row in found if row.group == NAME} == {"Example One", "class:example-one+example-two"}
    report = devices.report(made_up.stores_of(tmp_path))
    assert "left out, by the others' portable rows" in report and "class example-one+example-two" in report


def test_a_class_needs_measurements(tmp_path):
    """The second was tuned before the first's row was known: its effect there is unknown."""
    tuned(tmp_path, lambda *_: 1.1, "two", "2026-01-01T00:00:00Z", device="Example Two", names=("deep", "lean"))
    tuned(tmp_path, wide_wins)
    assert devices.table_of(made_up.stores_of(tmp_path))[1] == []


def test_leaving_one_device_out(tmp_path):
    """The third would get the others' portable row, which serves it well only for large sizes."""
    for number, name in enumerate(("One", "Two", "Three")):
        tuned(tmp_path, lambda name, log2, _, number=number: 0.8 if name == "wide" and (number < 2 or log2 >= 22) else
              1.25, name, device=f"Example {name}", seed=number, sizes=range(18, 26, 2))
    report = devices.report(made_up.stores_of(tmp_path)).split("Example Three: ")[1].splitlines()
    own, rule, left_out = ([float(word) for word in line.replace("%", "").split()[-2:]] for line in report[1:4])
    assert own == pytest.approx([0, 0], abs=0.5) and rule == pytest.approx([12.5, 25], abs=0.5)
    assert left_out == pytest.approx([12.5, 25], abs=0.5)  # the other half: the row costs small sizes


def test_unlike_devices_form_none(tmp_path):
    tuned(tmp_path, wide_wins)
    tuned(tmp_path, lambda name, *_: 1.03 if name == "wide" else 1.1, "two", device="Example Two")
    assert devices.table_of(made_up.stores_of(tmp_path))[1] == []


def test_clusters_are_complete():
    """a is near b and b near c, but a is not near c: no cluster of three."""
    near = {frozenset("ab"): 0.01, frozenset("bc"): 0.015, frozenset("ac"): 0.05, frozenset("abd"): 1}
    for order in itertools.permutations("abcd"):
        distance = {(x, y): 0 if x == y else near.get(frozenset((x, y)), 0.03) for x in order for y in order}
        assert devices.clusters(order, distance) == [("a", "b")]


@pytest.mark.turn
def test_the_portable_row_needs_every_device(tmp_path):
    """Each of them must confirm it; one device alone makes none, and the report says so."""
    tuned(tmp_path, wide_wins)
    assert not any(row.scope == "portable" for row in devices.table_of(made_up.stores_of(tmp_path))[0])
    assert "one device: there is nothing to leave out" in devices.report(made_up.stores_of(tmp_path))
    tuned(tmp_path, wide_wins, "two", device="Example Two", seed=2)
    tuned(tmp_path, lambda name, log2, _: 0.9 if log2 >= 20 and name == "wide" else 1.1, "three",
          device="Example Three", seed=3)
    found = [row for row in devices.table_of(made_up.stores_of(tmp_path))[0] if row.scope == "portable"]
    assert policies_of([row for row in found if row.group == NAME]) == [(19, 64, WIDE)]
    tuned(tmp_path, lambda *_: 1.05, "four", device="Example Four", seed=4)
    assert not any(row.scope == "portable" for row in devices.table_of(made_up.stores_of(tmp_path))[0])


@pytest.mark.turn
def test_a_portable_row_does_not_hollow_itself_out(tmp_path):
    """Once it is in the table, new devices run on it: they cannot compare it with the rule, and must not remove it."""
    tuned(tmp_path, wide_wins)
    tuned(tmp_path, wide_wins, "two", device="Example Two", seed=2)
    before = [row for row in devices.table_of(made_up.stores_of(tmp_path))[0] if row.scope == "portable"]
    assert before
    tune = made_up.Tune(made_up.path_of(tmp_path, "three"), wide_wins, device="Example Three", seed=3,
                        standing=dict.fromkeys(SIZES, WIDE)).search().confirm(tmp_path)
    again(tune, tmp_path, lambda line: {**line, "policy_source": "portable"} if line.get("variant") == "default" else
          line)
    after = [row for row in devices.table_of(made_up.stores_of(tmp_path))[0] if row.scope == "portable"]
    assert policies_of(after) == policies_of(before)


def test_stability(tmp_path, capsys):
    first, _ = tuned(tmp_path, wide_wins)
    same, _ = tuned(tmp_path / "b", wide_wins, seed=5, date="2026-02-02T00:00:00Z")
    found = decide.stability(first.path, same.path, str(tmp_path))
    assert found == decide.Stability(2, 2, 20, 20)
    other, _ = tuned(tmp_path / "b", lambda name, *_: 0.7 if name == "deep" else wide_wins(name, 0, ""), "other",
                     seed=6, date="2026-02-03T00:00:00Z", standing=dict.fromkeys(SIZES, WIDE))
    found = decide.stability(first.path, other.path, str(tmp_path))
    assert found == decide.Stability(2, 0, 20, 0)
    assert farm.main(["decide", first.path, "--stability", same.path, "--stores", str(tmp_path)]) == 0
    assert "rows kept: 2 of 2 (100 %)" in capsys.readouterr().out


# ---- properties ------------------------------------------------------------------------------------------------------

logs = st.floats(-0.5, 0.5, allow_nan=False)
pairs = st.lists(st.tuples(logs, logs, st.floats(0, 0.5)), min_size=3, max_size=8)


@QUIET
@given(pairs)
def test_faster_never_hurts_the_rule(triples):
    base, candidate = [b for b, _, _ in triples], [c for _, c, _ in triples]
    faster = [c - less for _, c, less in triples]
    assert decide.margin(base, candidate) <= 0 or decide.margin(base, faster) > -1e-9


@QUIET
@given(pairs)
@pytest.mark.turn
def test_the_rule_is_the_rule(triples):
    """At least the plain rule's margin; whatever it accepts, the plain rule accepts for some slower candidate: equal to
    the plain rule if a slower one gains nothing."""
    base, candidate = [b for b, _, _ in triples], [c for _, c, _ in triples]

    def plain(times):
        return statistics.fmean(base) - statistics.fmean(times) - max(
            decide.GAIN, 1.96 * math.hypot(statistics.stdev(base), statistics.stdev(times)))

    levels = [min(candidate) + (max(candidate) - min(candidate)) * k / 400 for k in range(401)]
    best = max(plain([max(time, level) for time in candidate]) for level in levels)
    found = decide.margin(base, candidate)
    assert plain(candidate) <= found + 1e-12
    assert (found > 0) == (best > 0) or abs(best) < 2e-3


def random_store(path, rng):
    """A small tune with many faults."""
    tune = made_up.Tune(path, lambda name, log2, type_: factors[name, log2, type_], sizes=range(14, 23, 2), rounds=2,
                        between=rng.choice([0.001, 0.02]), within=rng.choice([0.001, 0.03]), seed=rng.random(),
                        processes=rng.choice([3, 4]), groups=(("exclusive_scan", "u32"), ("copy", "u8")))
    factors = {(name, log2, type_): rng.choice([0.8, 0.9, 0.97, 1.0, 1.05, 1.3]) for name in made_up.FIELDS
               for log2 in tune.sizes for type_ in ("u32", "f32", "u8")}
    return tune


def spoil(tune, rng):
    for line in tune.lines[1:]:
        if rng.random() < 0.03:
            line.update(rng.choice([{"status": "compile", "us": []}, {"status": "runtime"}, {"throttle": 0x20},
                                    {"us": [1.0]}, {"us": []}, {"policy_source": "class"}]))
    return tune


@QUIET
@given(st.integers(0, 1 << 32))
@pytest.mark.turn
def test_total_idempotent_and_independent_of_order(tmp_path_factory, seed):
    rng, folder = random.Random(seed), tmp_path_factory.mktemp("property")
    tune = spoil(random_store(made_up.path_of(folder, "one"), rng).search().confirm(folder), rng)
    tune.lines.append({"kind": "coverage", "v": 1, "env": tune.environment["id"], "group": "reduce 4/4/4",
                       "strategy": "standard", "seed": 1, "space": 9, "rejected": {}, "compiled": 0, "measured": 0,
                       "statuses": {}})
    decisions = tune.write().decide(folder)
    # total: every group has a verdict, and buckets of one group do not overlap
    groups = {one["group"] for one in decisions}
    assert groups == {NAME, "inclusive_scan 4/4/4", "copy 1/0/1", "reduce 4/4/4"}
    for name in groups:
        found = of_group(decisions, name)
        assert all(one["reason"] or one["verdict"] == "accepted" for one in found)
        assert all(a["log2_to"] <= b["log2_from"] for a, b in zip(found, found[1:]))
        assert sum(one["verdict"] == "accepted" for one in found) <= rows.MOST_ROWS
    assert all(store.wrong_with(one, "") is None for one in decisions)
    # idempotent
    assert tune.decide(folder) == []
    table = made_up.table_of(folder)
    # independent of the order of lines
    shuffled = random_store(made_up.path_of(folder / "b", "one"), rng)
    shuffled.lines = rng.sample(tune.lines, len(tune.lines))
    assert shuffled.write().decide(folder / "b") == decisions and made_up.table_of(folder / "b") == table


@QUIET
@given(st.integers(0, 1 << 32))
@pytest.mark.turn
def test_faster_samples_never_turn_an_acceptance_into_a_rejection(tmp_path_factory, seed):
    rng, folder = random.Random(seed), tmp_path_factory.mktemp("property")
    tune = random_store(made_up.path_of(folder, "one"), rng)
    best = {"wide": 0.9, "deep": 1.2, "lean": 1.3, "rule": 1.0}
    tune.factor = lambda name, log2, type_: best[name] * (1.0 if log2 > 16 else rng.choice([1.0, 1.09, 1.13]))
    tune.search().confirm(folder)
    before = of_group(tune.decide(folder))
    share = rng.random()
    faster = copy.copy(tune)
    faster.path = made_up.path_of(folder / "b", "one")
    faster.lines = copy.deepcopy(tune.lines)
    for line in faster.lines:
        if is_candidate(line) and rng.random() < share:
            less = rng.uniform(0.5, 1.0)
            line["us"] = [us * less for us in line["us"]]
    after = of_group(faster.write().decide(folder / "b"))
    assert len(after) == len(before)  # the matrix is the same, and so are the proposals
    assert all(two["verdict"] == "accepted" for one, two in zip(before, after) if one["verdict"] == "accepted")


@QUIET
@given(st.integers(0, 1 << 32))
def test_buckets_have_the_least_regret(seed):
    """Dynamic programming against all partitions of four sizes."""
    rng = random.Random(seed)
    texts = [WIDE, DEEP]
    times = [{text: rng.choice([0.7, 0.85, 0.95, 0.975, 1.0, 1.01, 1.2]) for text in texts} for _ in range(4)]
    points = [[propose.View(row, 1.0, RULE, 0.01)] for row in times]

    def regret(row, text):
        return max(0, (row[text] if text else 1.0) / min(1.0, *row.values()) - 1 - 0.01)

    def fits(first, last, text):
        gains = [-math.log(times[k][text]) for k in range(first, last + 1)]
        return statistics.fmean(gains) > propose.GAIN and min(gains) > -propose.GAIN and gains[0] > 0 and gains[-1] > 0

    def cost(labels):
        total, k = sum(regret(row, text) for row, text in zip(times, labels)), 0
        for text, run in itertools.groupby(labels):
            length = len(list(run))
            if text and not fits(k, k + length - 1, text):
                return math.inf
            total += propose.ROW_PRICE if text else 0
            k += length
        return total

    best = min(cost(labels) for labels in itertools.product([None, *texts], repeat=4))
    found = [None] * 4
    for proposal in propose.partition(points):
        for k in range(proposal.first, proposal.last + 1):
            found[k] = proposal.policies[0]
    assert abs(cost(found) - best) < 1e-5
