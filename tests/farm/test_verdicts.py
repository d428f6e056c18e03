"""tools/farm/verdicts.py: the quality of verdicts, on nights of synthetic and recorded noise.

A night is 500 cells, or those of a recording: six pairs of processes, and ten more for cells that look changed. pytest
-s prints the numbers. GPUPRIMS_LONG=1: ten times as many nights.
"""
import glob
import math
import os
import sys

import numpy as np
import pytest
from scipy import stats

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.dirname(os.path.abspath(__file__))]
import nights_of_noise as made  # noqa: E402
from tools.farm import noise, regress, verdicts  # noqa: E402
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW, UNSURE  # noqa: E402

LONG = os.environ.get("GPUPRIMS_LONG") == "1"
CELLS = 500
HALF = np.arange(CELLS) % 2 == 0
NONE = np.zeros(CELLS, bool)
FEW = np.arange(CELLS) < 25


def nights_of(model):
    return lambda rng: model(rng, (CELLS, made.PROCESSES))


def worth(name, make, control, nights, cells=None, bias=0.0):
    """(quiet nights, share found of 5 %, share found of 3 %), printed."""
    found = made.quiet(make, control, nights, bias=bias)
    five, three = (made.share_found(make, effect, control, max(20, nights // 4), cells, bias=bias)
                   for effect in (0.05, -0.03))
    print("\n" + made.said(name, found, five, three), end="")
    return found, five, three


def alarms_a_month(found):
    return made.NIGHTS_A_MONTH * found.alarms / found.nights


# ---- synthetic noise -------------------------------------------------------------------------------------------------

# With the least share of 3 % speed-ups that each must find.
MODELS = {"typical": (made.typical, 0.8), "normal": (made.normal, 0.8), "Student's t2": (made.students_t2, 0.8),
          "Cauchy": (made.cauchy, 0.8), "autoregressive": (made.autoregressive, 0.8),
          "random walk and warm-up": (made.walk_and_warm_up, 0.8),
          "shift of processes": (made.shift_of_processes, 0.8), "sticky modes": (made.sticky_modes, 0.8),
          "heteroscedastic": (made.heteroscedastic, 0.8), "periodic": (made.periodic_few, 0.8),
          "periodic, most cells": (made.periodic, 0.2),  # 8 % in every fourth process are more than pairs average out
          "all at once": (made.all_at_once, 0.8)}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.turn
def test_models_of_noise(name):
    model, three = MODELS[name]
    nights = 800 if LONG else 40
    cells = made.PLAIN if model is made.typical else None
    found, of_five, of_three = worth(name, nights_of(model), HALF, nights, cells)
    assert alarms_a_month(found) <= 1
    assert found.outcomes[NO_DATA] == 0 and found.outcomes[UNSURE] <= 0.02 * nights * CELLS
    assert of_five >= 0.95 and of_three >= three
    assert found.covered > 0.93


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.turn
def test_models_of_noise_without_controls(name):
    """The intervals are wider then: there is no alarm, and in quiet cells 5 % is found."""
    model, *_ = MODELS[name]
    nights = 400 if LONG else 12
    found, of_five, _ = worth(f"{name}, no controls", nights_of(model), NONE, nights)
    assert alarms_a_month(found) <= 1 and found.extra == pytest.approx(verdicts.ASSUMED_BIAS)
    assert of_five > 0.5 or name not in ("autoregressive", "normal", "random walk and warm-up")


@pytest.mark.parametrize("control, name", [(HALF, "half are controls"), (FEW, "25 controls"), (NONE, "no controls")])
@pytest.mark.turn
def test_a_build_with_a_bias(control, name):
    """Code at another address may be permanently 1 % faster or slower: no number of pairs averages that out."""
    nights = 800 if LONG else 60
    found, of_five, _ = worth(f"1 % of bias, {name}", nights_of(made.normal), control, nights, bias=0.01)
    assert alarms_a_month(found) <= 1 and of_five > 0.3
    assert found.extra == pytest.approx(0.0105, rel=0.4)
    assert not control.any() or found.rate > 0.15


# ---- recorded noise --------------------------------------------------------------------------------------------------

# python3 -m tools.farm record, of the standard cells; only the median of each process.
RECORDINGS = sorted(glob.glob(os.path.join(ROOT, "tests", "farm", "data", "noise", "*.jsonl.gz")))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: os.path.basename(path).split(".")[0])
@pytest.mark.turn
def test_recorded_noise(path):
    make = made.Recorded(path)
    count, nights = len(make.texts), 2000 if LONG else 80
    assert count > 200 and set(make.texts) <= set(regress.cells_of(None).values())
    found, of_five, of_three = worth(make.device, make, np.arange(count) % 2 == 0, nights)
    assert alarms_a_month(found) <= 1
    assert found.outcomes[NO_DATA] == 0 and found.outcomes[UNSURE] <= 0.02 * nights * count
    assert of_five >= 0.95 and of_three >= 0.8
    assert found.covered > 0.93


def test_there_is_a_recording():
    assert RECORDINGS


# ---- parts of the statistics -----------------------------------------------------------------------------------------


def test_one_per_cent_is_not_reported():
    assert made.share_found(nights_of(made.normal), 0.01, HALF, 20, count=50) < 0.01


def test_many_changes_are_found():
    assert made.share_found(nights_of(made.normal), 0.05, HALF, 10, np.flatnonzero(~HALF), 200) > 0.95


@pytest.mark.parametrize("start", range(4))
@pytest.mark.turn
def test_a_period_of_four_processes(start):
    """If the base were first in every other pair, a disturbance with a period of four processes would meet the same
    side in each of them. It may make cells UNSURE, but none slower."""
    def make(rng):
        disturbed = (np.arange(made.PROCESSES) + start) % 4 == 0
        logs = made.normal(rng, (CELLS, made.PROCESSES), 0.003)
        return 0.06 * disturbed * (np.arange(CELLS) % 3 == 0)[:, None] + logs
    found = made.quiet(make, HALF, 400 if LONG else 30)
    assert found.alarms == 0


def test_orders():
    """The base is first in half of the pairs, and in different ones each time."""
    found = {tuple(regress.orders(count)) for _ in range(100) for count in (regress.PAIRS,)}
    assert {sum(one) for one in found} == {3} and len(found) > 10
    assert sum(regress.orders(7)) == 4 and regress.orders(0) == []


def test_a_shift_of_some_pairs_costs_no_power():
    """The common part of all cells in a pair is not theirs."""
    rng = np.random.default_rng(3)
    logs = 0.003 * rng.standard_normal((CELLS, 6)) + np.array([0.1, -0.08, 0.05, -0.1, 0.07, 0.02])
    logs[1] += math.log(1.05)
    first = verdicts.first_stage(logs, HALF)
    fresh = np.where(verdicts.with_controls(first.candidate, first, rng)[:, None],
                     0.003 * rng.standard_normal((CELLS, 10)) + 0.1 * rng.standard_normal(10), np.nan)
    fresh[1] += math.log(1.05)
    found = verdicts.conclude(first, fresh)
    assert found.outcome[1] == SLOW and found.low[1] < 1.05 < found.high[1]
    assert list(np.unique(np.delete(found.outcome, 1))) == [SAME]
    assert first.controls.low < 0 < first.controls.high  # it came and went


def test_a_shift_of_all_pairs_is_told():
    """Permanently slower with unchanged machine code: the host's part of a call, or the machine. Reported once, and for
    no cell."""
    rng, quiet = np.random.default_rng(11), nights_of(made.normal)
    first, found = made.night(rng, quiet(rng), math.log(1.04), HALF)
    assert first.controls.common == pytest.approx(math.log(1.04), abs=0.003)
    assert regress.is_common(first.controls) and first.controls.low > verdicts.REPORTED
    assert first.controls.extra == 0 and np.count_nonzero(found.outcome == SAME) > 0.98 * CELLS
    assert not regress.is_common(made.night(rng, quiet(rng), 0, HALF)[0].controls)


def test_what_the_controls_share_is_not_taken_from_a_compiler():
    """A slower clock of the GPU makes no first call faster; a first call that is 10 % slower is still found, with its
    own noise."""
    rng, apart = np.random.default_rng(4), np.arange(CELLS) < 10

    def pairs(count):
        logs = np.where(apart[:, None], 0.012, 0.003) * rng.standard_normal((CELLS, count))
        logs[~apart] += math.log(1.06)
        logs[1] += math.log(1.1)
        return logs
    control = HALF & ~apart
    first = verdicts.first_stage(pairs(6), control, apart)
    rows = verdicts.with_controls(first.candidate, first, rng)
    found = verdicts.conclude(first, np.where(rows[:, None], pairs(10), np.nan))
    assert found.outcome[1] == SLOW and found.low[1] < 1.1 < found.high[1]
    assert set(np.delete(found.outcome, 1)) == {SAME} and first.controls.extra == 0
    assert np.all(found.high[apart] - found.low[apart] > 0.02)  # a build's bias on them is unknown


def test_more_pairs_are_not_spent_on_the_noise_of_a_compiler():
    """The host's clock changes by half for seconds at a time: such first calls are UNSURE, unless they look changed."""
    rng, apart = np.random.default_rng(7), np.arange(CELLS) < 10
    logs = np.where(apart[:, None], 0.2, 0.003) * rng.standard_normal((CELLS, 6))
    logs[1] += math.log(3)
    first = verdicts.first_stage(logs, HALF & ~apart, apart)
    assert first.candidate[1] and list(first.candidate[apart]) == list(first.changed[apart])
    assert np.count_nonzero(first.candidate[apart]) <= 2
    fresh = np.where(first.candidate[:, None], 0.2, np.nan) * rng.standard_normal((CELLS, 10))
    fresh[1] += math.log(3)
    outcome = verdicts.conclude(first, fresh).outcome
    assert list(np.flatnonzero(outcome == SLOW)) == [1] and np.count_nonzero(outcome[apart] == verdicts.UNSURE) >= 8
    assert np.all(first.estimate.error[apart] > 0.01)  # no smaller because of other cells


def test_controls_are_measured_again_beside_candidates():
    rng = np.random.default_rng(5)
    logs = 0.004 * rng.standard_normal((CELLS, 6))
    assert not verdicts.with_controls(NONE, verdicts.first_stage(logs, HALF), rng).any()  # nothing to decide
    logs[1] += 0.1
    first = verdicts.first_stage(logs, HALF)
    rows = verdicts.with_controls(first.candidate, first, rng)
    assert rows[1] and np.count_nonzero(rows & HALF) >= verdicts.CONTROLS_AGAIN and np.count_nonzero(rows & ~HALF) < 5
    found = verdicts.conclude(first, np.where(rows[:, None], 0.004 * rng.standard_normal((CELLS, 10)), np.nan))
    assert list(found.stage[rows & ~first.candidate]) == [1] * np.count_nonzero(rows & ~first.candidate)


def test_too_few_controls():
    logs = 0.004 * np.random.default_rng(6).standard_normal((CELLS, 6))
    for count, needed, extra in ((CELLS // 2, 50, 0), (49, 50, 0.01), (19, 50, 0.01), (0, 50, 0.01)):
        controls = verdicts.first_stage(logs, np.arange(CELLS) < count).controls
        assert (controls.count, controls.needed, controls.extra) == (count, needed, extra)
    few = verdicts.first_stage(logs[:60], np.arange(60) < 20).controls
    assert (few.count, few.needed, few.extra) == (20, 20, 0)


def test_what_scatters_is_measured_again():
    """A cell whose first pairs do not exclude 5 % gets fresh pairs, though it does not look changed."""
    rng = np.random.default_rng(8)
    scale = 0.001 * 5 ** rng.random((CELLS, 1))
    logs, again = (scale * rng.standard_normal((CELLS, pairs)) for pairs in (6, 10))
    logs[1] = 0.06 * np.array([1, -1, 1, -1, 1, -1])
    first = verdicts.first_stage(logs, HALF)
    assert first.candidate[1] and not first.changed[1]
    rows = verdicts.with_controls(first.candidate, first, rng)
    found = verdicts.conclude(first, np.where(rows[:, None], again, np.nan))
    assert (found.outcome[1], found.stage[1]) == (SAME, 2)


# ---- the parts -------------------------------------------------------------------------------------------------------


def test_trimmed_by_hand():
    mean, variance, kept, count = verdicts.trimmed(np.array([[9.0, 1, 2, 3, 4, -5], [1, 2, 3, 6, math.nan, math.nan]]))
    # Without 9 and -5: mean 2.5; pulled in 1 1 2 3 4 4: squares 1.5^2 * 4 + .5^2 * 2 = 9.5, over 4 - 1.
    assert (mean[0], variance[0], kept[0], count[0]) == (2.5, pytest.approx(9.5 / 3), 4, 6)
    # Four pairs are too few to exclude any.
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
    assert outcome(slow[:6], 0.015 + WOBBLE) == (SAME, 2)  # confirmed, but too small to matter
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
    # A single cell has no others for its variance; its own six pairs must suffice.
    one = verdicts.first_stage(0.2 + 0.01 * WOBBLE[None, :6], np.zeros(1, bool))
    assert one.candidate[0]
    assert verdicts.conclude(one, 0.2 + 0.01 * WOBBLE[None]).outcome[0] == SLOW


def test_order_of_cells_does_not_matter():
    rng = np.random.default_rng(5)
    logs, order = 0.01 * rng.standard_normal((CELLS, 6)), rng.permutation(CELLS)
    logs[:20] += 0.06
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
    with pytest.raises(ValueError, match="unknown key betwen"):
        noise.factors(rng, 3, {"betwen": 0.01})
