"""tools/farm/regress.py: what its verdicts are worth, on simulated nights; that it runs, on synthetic workers.

A night is 500 cells, measured by six pairs of processes, and by ten more where they looked changed. The noise is 1 %
between processes, with heavy tails within them and a drift that both sides share; a tenth of the cells have two modes,
a tenth a process in thirty that is 10 % slow, a tenth three times the noise. The numbers are printed: pytest -s.
"""
import collections
import json
import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import stats

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.farm import noise, regress, store, validate, verdicts  # noqa: E402
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW, UNSURE  # noqa: E402

LONG = os.environ.get("GPUPRIMS_LONG") == "1"
CELLS, ROUNDS = 500, 5
MODEL = {**noise.TYPICAL, "drift": 0.01, "drift_period": 30000.0}
# Cells with noise of their own: (which, model that is added, what all noise between processes is multiplied by).
TWO_MODES, RARELY_SLOW, NOISY = slice(0, 50), slice(50, 100), slice(100, 150)
PLAIN = np.arange(150, CELLS)
HALF = np.arange(CELLS) % 2 == 0


def medians(rng, processes):
    """Logarithms of the cells' medians in processes, one after another."""
    between = noise.process_logs(rng, (CELLS, processes), MODEL)
    between[TWO_MODES] += noise.process_logs(rng, (50, processes), {"second_mode": 0.3, "mode_gap": 0.03})
    between[RARELY_SLOW] += noise.process_logs(rng, (50, processes), {"second_mode": 0.03, "mode_gap": 0.1})
    between[NOISY] *= 3
    start = rng.integers(0, 1 << 20) + ROUNDS * (CELLS * np.arange(processes) + np.arange(CELLS)[:, None])
    return between + np.median(noise.round_logs(rng, (CELLS, processes, ROUNDS), MODEL, start), axis=2)


def pairs(rng, count, disturbed=0.0):
    """Log ratios of pairs in ABBA order; the third process may be disturbed."""
    logs = medians(rng, 2 * count)
    logs[:, 2] += disturbed
    base_first = np.arange(count) % 2 == 0
    return np.where(base_first, logs[:, 1::2] - logs[:, ::2], logs[:, ::2] - logs[:, 1::2])


def night(rng, effect, control, disturbed=0.0):
    """(First, Verdicts) where log `effect` is what changed."""
    effect = np.broadcast_to(np.asarray(effect, float), CELLS)[:, None]
    first = verdicts.first_stage(pairs(rng, regress.PAIRS, disturbed) + effect, control)
    fresh = np.full((CELLS, regress.FRESH_PAIRS), np.nan)
    if first.candidate.any():
        fresh[first.candidate] = (pairs(rng, regress.FRESH_PAIRS) + effect)[first.candidate]
    return first, verdicts.conclude(first, fresh)


@pytest.mark.parametrize("control, nights", [(HALF, 1000 if LONG else 400), (~HALF & False, 400 if LONG else 200)],
                         ids=["half controls", "no controls"])
def test_quiet_nights(control, nights):
    rng = np.random.default_rng(int(control[0]))
    outcomes, candidates, rate, covered = collections.Counter(), 0, 0, 0
    for _ in range(nights):
        first, found = night(rng, 0, control)
        outcomes.update(found.outcome)
        candidates += np.count_nonzero(first.candidate)
        rate += first.controls.rate / nights
        covered += np.count_nonzero((found.low < 1) & (found.high > 1))
    alarms = outcomes[SLOW] + outcomes[FAST]
    print(f"\n{nights} quiet nights of {CELLS} cells: {alarms} false alarms, {30 * alarms / nights:.2f} a month; "
          f"{candidates / nights:.2f} candidates a night; {first.controls.count} controls, {100 * rate:.1f} % with "
          f"p < 5 %; 95 % intervals cover {100 * covered / nights / CELLS:.1f} %; {dict(outcomes)}")
    assert 30 * alarms / nights < 1
    assert outcomes[NO_DATA] == 0 and outcomes[SAME] > 0.9 * nights * CELLS
    assert 0.93 < covered / nights / CELLS < 0.97
    if control.any():
        assert 0.03 < rate < 0.07


def share_found(effect, outcome, cells, nights, disturbed=0.0, changed=5):
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(nights):
        rows = rng.choice(cells, changed, replace=False)
        logs = np.zeros(CELLS)
        logs[rows] = math.log1p(effect)
        control = HALF.copy()
        control[rows] = False  # changed code is no control
        found += np.count_nonzero(night(rng, logs, control, disturbed)[1].outcome[rows] == outcome)
    share = found / nights / changed
    print(f"\n{100 * effect:+.0f} %, {changed} of {CELLS} cells{', a process disturbed' if disturbed else ''}: "
          f"{outcome} in {100 * share:.1f} %")
    return share


def test_five_per_cent_is_found():
    assert share_found(0.05, SLOW, PLAIN, 100) > 0.95
    assert share_found(0.05, SLOW, PLAIN, 40, changed=200) > 0.95


def test_five_per_cent_is_found_though_a_process_was_disturbed():
    assert share_found(0.05, SLOW, PLAIN, 100, disturbed=0.2) > 0.95


def test_five_per_cent_is_found_in_cells_with_slow_processes():
    assert share_found(0.05, SLOW, np.arange(50, 100), 60) > 0.85


def test_three_per_cent_is_found_mostly():
    assert share_found(-0.03, FAST, PLAIN, 100) > 0.7


def test_one_per_cent_is_not_reported():
    assert share_found(0.01, SLOW, PLAIN, 60) < 0.01


def test_controls_widen_what_is_worse_than_promised():
    """Code that lies elsewhere in memory may be 1 % faster or slower for good: no number of pairs averages it out."""
    alarms = {}
    for name, control in (("with", HALF), ("without", ~HALF & False)):
        rng = np.random.default_rng(9)
        count = 0
        for _ in range(30):
            first, found = night(rng, 0.015 * rng.standard_normal(CELLS), control)
            count += np.count_nonzero((found.outcome == SLOW) | (found.outcome == FAST))
        alarms[name] = count
    print(f"\n1.5 % of bias a cell, 30 nights: {alarms['with']} false alarms with controls, {alarms['without']} "
          "without")
    assert alarms["with"] <= 1 and alarms["without"] > 100
    rng = np.random.default_rng(10)
    first, _ = night(rng, 0.015 * rng.standard_normal(CELLS), HALF)
    assert first.controls.rate > 0.3 and first.controls.extra == pytest.approx(0.015, rel=0.3)
    assert np.count_nonzero(first.candidate) < 10


def test_a_shift_of_all_controls_is_told_and_not_called_noise():
    first, found = night(np.random.default_rng(11), math.log(1.04), HALF)
    assert first.controls.common == pytest.approx(math.log(1.04), abs=0.003)
    assert first.controls.extra == 0
    assert np.count_nonzero(found.outcome[PLAIN] == SLOW) > 0.9 * len(PLAIN)


# ---- the parts -------------------------------------------------------------------------------------------------------


def test_trimmed_by_hand():
    mean, variance, kept, count = verdicts.trimmed(np.array([[9.0, 1, 2, 3, 4, -5], [1, 2, 3, 6, math.nan, math.nan]]))
    # Without 9 and -5: mean 2.5; pulled in 1 1 2 3 4 4: squares 1.5^2 * 4 + .5^2 * 2 = 9.5, over 4 - 1.
    assert (mean[0], variance[0], kept[0], count[0]) == (2.5, pytest.approx(9.5 / 3), 4, 6)
    # Four pairs are too few to leave out any.
    assert (mean[1], variance[1], kept[1], count[1]) == (3, pytest.approx(np.var([1, 2, 3, 6], ddof=1)), 4, 4)


def test_trimmed_is_yuens():
    sample = np.random.default_rng(1).standard_t(3, (1, 10))
    mean, variance, kept, _ = verdicts.trimmed(sample)
    assert mean[0] == pytest.approx(stats.trim_mean(sample[0], 0.1))
    # SciPy has Yuen's test for two samples; against its own mirror image the statistic is sqrt(2) times one sample's.
    both = stats.ttest_ind(sample[0], -sample[0], trim=0.1)
    assert mean[0] / math.sqrt(variance[0] / kept[0]) == pytest.approx(both.statistic / math.sqrt(2))


def test_prior_is_recovered():
    rng = np.random.default_rng(2)
    truth = 4e-4 * 8 / rng.chisquare(8, 20000)
    found = verdicts.prior_of(truth * rng.chisquare(3, 20000) / 3, np.full(20000, 3))
    assert found.freedom == pytest.approx(8, rel=0.15) and found.variance == pytest.approx(4e-4, rel=0.05)
    equal = verdicts.prior_of(4e-4 * np.random.default_rng(3).chisquare(80, 2000) / 80, np.full(2000, 80))
    assert equal.freedom > 2000


def outcome(first_logs, fresh_logs=None):
    """The verdict of one cell among quiet ones with 0.5 % of noise a pair."""
    rng = np.random.default_rng(4)
    logs = 0.005 * rng.standard_normal((100, 6))
    logs[0] = first_logs
    first = verdicts.first_stage(logs, np.zeros(100, bool))
    fresh = np.full((100, 10), np.nan)
    if fresh_logs is not None:
        assert first.candidate[0]
        fresh[first.candidate] = 0.005 * rng.standard_normal((np.count_nonzero(first.candidate), 10))
        fresh[0] = fresh_logs
    found = verdicts.conclude(first, fresh)
    return found.outcome[0], found.stage[0]


WOBBLE = 0.004 * np.array([1, -1, 0.5, -0.5, 0.3, -0.3, 0.8, -0.8, 0, 0.1])


def test_outcomes():
    slow, fast = 0.06 + WOBBLE, -0.06 + WOBBLE
    assert outcome(slow[:6], slow) == (SLOW, 2)
    assert outcome(fast[:6], fast) == (FAST, 2)
    assert outcome(slow[:6], WOBBLE) == (SAME, 2)  # it was chance
    assert outcome(slow[:6], fast) == (UNSURE, 2)  # the sign changed: nothing is confirmed
    assert outcome(slow[:6], 0.015 + WOBBLE) == (SAME, 2)  # confirmed, but nobody's concern
    assert outcome(slow[:6], np.full(10, math.nan)) == (UNSURE, 1)  # no time for fresh pairs
    assert outcome(WOBBLE[:6]) == (SAME, 1)
    assert outcome([0.3, -0.3, 0.2, -0.2, 0.1, -0.1]) == (UNSURE, 1)  # noise would hide 5 %
    assert outcome([0.01, 0, 0] + [math.nan] * 3) == (NO_DATA, 1)


def test_few_cells_and_no_noise():
    one = verdicts.first_stage(np.zeros((1, 6)), np.zeros(1, bool))
    assert verdicts.conclude(one, np.full((1, 10), np.nan)).outcome[0] == SAME
    none = verdicts.first_stage(np.full((3, 1), np.nan), np.zeros(3, bool))
    found = verdicts.conclude(none, np.full((3, 10), np.nan))
    assert list(found.outcome) == [NO_DATA] * 3 and not none.candidate.any()
    # One cell has no others to tell a variance; its own six pairs must do.
    one = verdicts.first_stage(0.2 + 0.01 * WOBBLE[None, :6], np.zeros(1, bool))
    assert one.candidate[0]
    assert verdicts.conclude(one, 0.2 + 0.01 * WOBBLE[None]).outcome[0] == SLOW


def test_order_of_cells_does_not_matter():
    rng = np.random.default_rng(5)
    logs, order = pairs(rng, 6) + np.where(np.arange(CELLS) < 20, 0.06, 0)[:, None], rng.permutation(CELLS)
    straight = verdicts.first_stage(logs, HALF)
    shuffled = verdicts.first_stage(logs[order], HALF[order])
    assert np.allclose(straight.q[order], shuffled.q) and (straight.candidate[order] == shuffled.candidate).all()


# ---- noise -----------------------------------------------------------------------------------------------------------


def test_noise_is_as_its_model_says():
    rng = np.random.default_rng(6)
    logs = np.log(noise.factors(rng, (20000, 3), {"between": 0.01}))
    assert np.std(logs[:, 0]) == pytest.approx(0.01, rel=0.03) and (logs[:, 0] == logs[:, 2]).all()
    within = np.log(noise.factors(rng, 20000, {"within": 0.004, "tail": 0.05, "tail_size": 0.1}))
    assert np.mean(within > 0.05) == pytest.approx(0.05 * math.exp(-0.5), rel=0.15)  # an exponential's tail
    assert np.min(within) > -0.03
    modes = np.log(noise.factors(rng, (20000, 2), {"second_mode": 0.3, "mode_gap": 0.05}))
    assert np.mean(modes[:, 0] > 0.04) == pytest.approx(0.3, abs=0.01)
    throttled = noise.factors(rng, 6, {"throttle": [12, 14, 1.5]}, first=10)
    assert list(np.round(throttled, 6)) == [1, 1, 1.5, 1.5, 1, 1]
    drift = np.log(noise.factors(rng, 100, {"drift": 0.02, "drift_period": 100}))
    assert np.max(drift) == pytest.approx(0.02, rel=0.01) and np.argmax(drift) == 25
    again = [noise.factors(np.random.default_rng(8), 5, noise.TYPICAL) for _ in range(2)]
    assert (again[0] == again[1]).all()
    with pytest.raises(ValueError, match="no key betwen"):
        noise.factors(rng, 3, {"betwen": 0.01})


# ---- cells, trees, the order of processes ----------------------------------------------------------------------------


def test_cells_as_text(tmp_path):
    path = tmp_path / "cells"
    path.write_text("# a comment\nreduce SUM f16 bytes=1M  # half floats\n"
                    "reduce SUM f16 acc=f32 n=524288 protocol=cold\nfill u32 n=4K protocol=graph\n"
                    "exclusive_scan SUM u8 out=u32 n=100\nhistogram_even u8 n=100 bins=16\n"
                    "bfs_sources u32 n=4K graph=kronecker:scale=7 at_once=8\n")
    found = regress.cells_of(str(path))
    assert list(found.items()) == [
        (store.Cell("reduce", "SUM", "f16", "f32", "f16", 524288, "cold"),
         "reduce SUM f16 acc=f32 n=524288 protocol=cold"),
        (store.Cell("fill", "", "", "", "u32", 4096, "graph"), "fill u32 n=4096 protocol=graph"),
        (store.Cell("exclusive_scan", "SUM", "u8", "u32", "u32", 100, "cold"),
         "exclusive_scan SUM u8 out=u32 n=100 protocol=cold"),
        (store.Cell("histogram_even", "", "u8", "", "u32", 100, "cold", "bins=16"),
         "histogram_even u8 bins=16 n=100 protocol=cold"),
        (store.Cell("bfs_sources", "", "u32", "", "u32", 4096, "back_to_back", "graph=kronecker:scale=7 at_once=8"),
         "bfs_sources u32 graph=kronecker:scale=7 at_once=8 n=4096 protocol=back_to_back")]
    standard = regress.cells_of(None)
    without = {"graph_transpose", "graph_relabel", "graph_degrees", "graph_check", "bfs_check"}
    assert len(standard) > 100 and {cell.primitive for cell in standard} == set(store.primitives()) - without
    groups = {cell.group for cell in standard if cell.primitive in store.OF_GRAPHS}
    assert groups == {"bfs 4/4/0", "bfs 4/4/8", "bfs_sources 4/4/8", "connected_components 4/4/0",
                      "connected_components 4/4/8", "graph_from_edges 4/4/8"}
    assert all(cell.text == text for cell, text in standard.items() if cell.primitive in store.OF_GRAPHS)


@pytest.mark.parametrize("line, words", [
    ("reduce SUM u32", "n= is missing"), ("reduce SUM u32 n=-3", "n= is missing"), ("reduce SUM u32 n=x", "no count"),
    ("reduse SUM u32 n=1", "no type or primitive reduse"), ("reduce SUM u33 n=1", "no type or primitive u33"),
    ("reduce SUM u32 n=1 protocol=hot", "no protocol hot"), ("reduce SUM u32 n=1 speed=3", "a cell is:"),
    ("u32", "a cell is:"), ("", "no cell in it")])
def test_bad_cells(tmp_path, capsys, line, words):
    path = tmp_path / "cells"
    path.write_text(f"\n{line}\n")
    assert regress.main(["--base", ROOT, "--cells", str(path)]) == 2
    said = capsys.readouterr().err
    assert words in said and (f"{path}:2" in said or not line)


def test_bases_that_are_none(tmp_path, capsys):
    for base, words in ((str(tmp_path), "no gpuprims.h there"), ("no-such-commit", "neither a folder nor a commit")):
        assert regress.main(["--base", base]) == 2
        assert words in capsys.readouterr().err
    assert regress.main(["--base", ROOT, "--cells", str(tmp_path / "missing")]) == 2
    assert "missing: No such file" in capsys.readouterr().err


def test_a_commit_is_checked_out_beside():
    if regress.git(ROOT, "rev-parse", "HEAD") is None:
        pytest.skip("no git checkout")
    tree = regress.tree_of_commit("HEAD")
    show = ["git", "-C", ROOT, "show", "HEAD:gpuprims.h"]
    committed = subprocess.run(show, check=True, stdout=subprocess.PIPE).stdout
    with open(os.path.join(tree.path, "gpuprims.h"), "rb") as file:
        assert file.read() == committed
    assert regress.tree_of_commit("HEAD") == tree and committed.startswith(b"//")


# ---- whole runs on synthetic workers ---------------------------------------------------------------------------------

# The base has this tree's header; what differs is made up. {side} becomes base or new.
MODULE = f"{sys.executable} -m tools.farm.measure"
NOISE = {"between": 0.01, "within": 0.004, "tail": 0.03, "tail_size": 0.05}
QUIET = {"noise": NOISE, "launch_us": 0}
SWEEP = ([f"{primitive} {type_} n={1 << k}" for primitive in ("copy", "exclusive_scan SUM") for type_ in ("u8", "u32")
          for k in range(12, 24, 2)] + [f"reduce SUM u32 n={1 << k}" for k in (12, 16, 18, 20)])


# A policy that takes as long as a reduction's default, but is other machine code.
AS_FAST = "algorithm=EVEN_SHARE,threads=512,vectors=4,load=STREAMING,store=ALL,stages=0,blocks_per_sm=4,overlap=0"


@pytest.fixture(scope="module")
def base():
    """A checkout with this tree's header, always at the same place, so that it is compiled once."""
    folder = os.path.join(ROOT, "build", "tests", "regress_base")
    with open(os.path.join(ROOT, "gpuprims.h"), "rb") as file:
        store.replace(os.path.join(folder, "gpuprims.h"), file.read())
    return folder


def arguments(tmp_path, base, models, cells=SWEEP, **options):
    for side, model in zip(regress.SIDES, models):
        (tmp_path / f"{side}.json").write_text(json.dumps({**QUIET, "bus": f"{tmp_path.name}-{os.getpid()}", **model}))
    (tmp_path / "cells").write_text("\n".join(cells))
    model = str(tmp_path / "{side}.json")
    words = ["--base", base, "--cells", str(tmp_path / "cells"), "--store", str(tmp_path / "store.jsonl"),
             "--worker-command", f"{MODULE} --synthetic {model}",
             "--compiler-command", f"{MODULE} --compiler --synthetic {model}"]
    return words + [word for name, value in options.items() for word in (f"--{name}", str(value))]


def verdict_of(tmp_path, cell):
    lines = store.read(str(tmp_path / "store.jsonl")).of("verdict")
    wanted = regress.parse_cell(cell)[0]
    return [line for line in lines if store.cell_of(line) == wanted][-1]


def test_a_slowdown_is_found_from_end_to_end(tmp_path, base, capsys):
    changed = {"defaults": {"reduce": AS_FAST},
               "slower": [{"cells": "reduce SUM u32 n=262144 ", "factor": 1.06},
                          {"cells": "reduce SUM u32 n=65536 ", "factor": 0.92}]}
    words = arguments(tmp_path, base, [{}, changed])
    assert regress.main(words) == 1
    out = capsys.readouterr().out
    slow, fast = (verdict_of(tmp_path, f"reduce SUM u32 n={n}") for n in (262144, 65536))
    assert slow["outcome"] == SLOW and slow["low"] < 1.06 < slow["high"] and slow["low"] > 1
    assert fast["outcome"] == FAST and fast["low"] < 0.92 < fast["high"]
    assert (slow["stage"], slow["pairs"], slow["control"]) == (2, 10, False) and slow["q"] < 0.005
    quiet = verdict_of(tmp_path, "copy u8 n=4096")
    assert quiet["outcome"] == SAME and quiet["control"] and quiet["pairs"] == 6
    assert out.splitlines()[1].split()[:6] == ["reduce", "SUM", "u32", "n=262144", "protocol=cold", SLOW]  # worst first
    assert "1 SLOW, 0 NO DATA, 0 UNSURE, 26 SAME, 1 FAST" in out
    assert "controls: 24 cells with the base's machine code" in out
    recorded = store.read(str(tmp_path / "store.jsonl"))
    assert not recorded.broken
    check = [line for line in recorded.of("check") if line["name"] == "controls"][-1]
    assert check["passed"] and check["limit"] == 0.05 and check["env"] == slow["env"] != slow["base"]
    commits = {line["id"]: line["commit"] for line in recorded.of("environment")}
    assert commits[slow["base"]] == "regress_base"
    # Pairs are interleaved, base first in every other one: 0 1 | 3 2 | 4 5 ...
    sides = {sample["process"]: sample["env"] == slow["base"] for sample in recorded.of("samples")}
    assert [sides[process] for process in range(12)] == [True, False, False, True] * 3
    # The same store again: all is measured anew, and what was there is still there.
    assert regress.main(words + ["--seconds", "0.01"]) == 2
    said = capsys.readouterr()
    again = store.read(str(tmp_path / "store.jsonl"))
    assert max(sample["process"] for sample in again.of("samples")) == 33
    assert again.lines[:len(recorded.lines)] == recorded.lines
    assert "1 of 6 pairs of stage 1 were measured" in said.err and "1 pairs; 4 are needed" in said.out
    pytest.importorskip("jsonschema_rs")
    assert validate.main([str(tmp_path / "store.jsonl")]) == 0


def test_what_fails_or_is_throttled_is_left_out(tmp_path, base, capsys):
    cells = ["copy u8 n=4096", "copy u32 n=4096", "reduce SUM u32 n=4096"]
    window = {"noise": {**NOISE, "throttle": [0, 9, 1.5]}}  # the nine rounds of each process's first cell
    assert regress.main(arguments(tmp_path, base, [{}, {**window, "wrong": ["algorithm=EVEN_SHARE"]}], cells)) == 1
    throttled, quiet, wrong = (verdict_of(tmp_path, cell) for cell in cells)
    assert (throttled["outcome"], throttled["left_out"], throttled["message"]) == (NO_DATA, 6, "new: throttled")
    assert (quiet["outcome"], quiet["left_out"], quiet["message"]) == (SAME, 0, "")
    assert wrong["outcome"] == NO_DATA and wrong["message"].startswith("new: status wrong")
    said = capsys.readouterr()
    assert "reduce SUM u32 n=4096 protocol=cold: fails in this tree only" in said.err
    assert "controls: 1 cells with the base's machine code, too few" in said.out


def test_a_base_that_cannot_be_built(tmp_path, capsys):
    folder = os.path.join(ROOT, "build", "tests", "regress_old")
    store.replace(os.path.join(folder, "gpuprims.h"), b"#error too old for this\n")
    assert regress.main(arguments(tmp_path, folder, [{}, {}])) == 2
    said = capsys.readouterr()
    assert f"{len(SWEEP)} NO DATA" in said.out and "too old for this" in said.err
    verdict = verdict_of(tmp_path, SWEEP[0])
    assert verdict["outcome"] == NO_DATA and "too old for this" in verdict["message"] and verdict["ratio"] is None


def test_the_device_disappears(tmp_path, base, capsys):
    assert regress.main(arguments(tmp_path, base, [{}, {"gone_after_jobs": 2}], SWEEP[:4])) == 2
    said = capsys.readouterr()
    assert "gp_tune (new) ended with status 3" in said.err and "the device is gone" in said.err
    assert verdict_of(tmp_path, SWEEP[0])["outcome"] == NO_DATA


def test_interrupted(tmp_path, base):
    words = arguments(tmp_path, base, [{"seconds_per_job": 0.05}, {"seconds_per_job": 0.05}])
    process = subprocess.Popen([sys.executable, "-m", "tools.farm.regress", *words], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    path, deadline = tmp_path / "store.jsonl", time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_text().count('"samples"') > 5:
            break
        time.sleep(0.02)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and f"{len(SWEEP)} NO DATA" in out
    recorded = store.read(str(path))
    assert not recorded.broken and len(recorded.of("samples")) > 5
    assert [run["complete"] for run in recorded.of("run")] == [False]
