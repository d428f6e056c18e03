"""Nights of a regression without a machine: the levels of successive processes come from a model of noise or from a
recording; tools/farm decides the sides of processes, their cells and the verdicts."""
import collections
import random

import numpy as np

from tools.farm import noise, recording, regress, verdicts
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW, UNSURE

STAGES = (regress.PAIRS, *(regress.FRESH_PAIRS for _ in regress.FRESH_STAGES))
PROCESSES = 2 * sum(STAGES)
ROUNDS = 5
NIGHTS_A_MONTH = 30


def night(rng, levels, changed, control):
    """(First, Verdicts). levels: for each cell and process, logarithms. changed: this tree's addition for each cell."""
    chance = random.Random(int(rng.integers(1 << 30)))
    changed = np.broadcast_to(np.asarray(changed, float), len(levels))[:, None]
    base_first = np.concatenate([regress.orders(count, chance) for count in STAGES])
    one, two = levels[:, ::2], levels[:, 1::2]
    logs = np.split(np.where(base_first, two - one, one - two) + changed, np.cumsum(STAGES)[:-1], axis=1)
    first = verdicts.first_stage(logs[0], control)
    wanted, fresh = first.candidate, []
    for more in logs[1:]:
        again = verdicts.with_controls(wanted, first, rng)
        fresh.append(np.where(again[:, None], more, np.nan))
        found = verdicts.conclude(first, np.hstack(fresh))
        wanted = first.candidate & (found.outcome == UNSURE)
    return first, found


Quiet = collections.namedtuple("Quiet", "nights alarms outcomes candidates rate covered extra")


def quiet(make, control, nights, seed=1, bias=0.0):
    """Many nights without a change; make(rng): levels. bias: another build's permanent effect on a cell."""
    rng = np.random.default_rng(seed)
    outcomes, candidates, rates, covered, extra = collections.Counter(), 0, [], 0, 0.0
    for _ in range(nights):
        first, found = night(rng, make(rng), bias * rng.standard_normal(len(control)), control)
        outcomes.update(found.outcome)
        candidates += np.count_nonzero(first.candidate)
        rates.append(first.controls.rate)
        extra += first.controls.extra / nights
        covered += np.count_nonzero((found.low <= 1) & (found.high >= 1))
    known = sum(outcomes.values()) - outcomes[NO_DATA]
    return Quiet(nights, outcomes[SLOW] + outcomes[FAST], outcomes, candidates / nights, float(np.mean(rates)),
                 covered / known, extra)


def share_found(make, effect, control, nights, cells=None, count=5, seed=7, bias=0.0):
    """Share of the changes by this effect in `count` cells a night that are found."""
    rng = np.random.default_rng(seed)
    cells = np.arange(len(control)) if cells is None else cells
    found = 0
    for _ in range(nights):
        rows = rng.choice(cells, count, replace=False)
        changed = bias * rng.standard_normal(len(control))
        changed[rows] += np.log1p(effect)
        still = control.copy()
        still[rows] = False  # changed code is not a control
        outcome = night(rng, make(rng), changed, still)[1].outcome[rows]
        found += np.count_nonzero(outcome == (SLOW if effect > 0 else FAST))
    return found / nights / count


def said(name, quiet_, at_five, at_three):
    alarms = NIGHTS_A_MONTH * quiet_.alarms / quiet_.nights
    unsure = quiet_.outcomes[UNSURE] / sum(quiet_.outcomes.values())
    same = quiet_.outcomes[SAME] / sum(quiet_.outcomes.values())
    return (f"{name:<34} {quiet_.nights:4} nights: {alarms:5.2f} false alarms a month, {100 * unsure:5.2f} % UNSURE, "
            f"{100 * same:6.2f} % SAME, found {100 * at_five:5.1f} % of 5 %, {100 * at_three:5.1f} % of 3 %")


# ---- models ----------------------------------------------------------------------------------------------------------


def normal(rng, shape, scale=0.01):
    return scale * rng.standard_normal(shape)


def students_t2(rng, shape):
    """Infinite variance."""
    return 0.007 * rng.standard_t(2, shape)


def cauchy(rng, shape):
    """No mean."""
    return 0.002 * rng.standard_cauchy(shape)


def autoregressive(rng, shape, memory=0.9, scale=0.01):
    """Each process keeps 0.9 of the previous one's level."""
    logs = np.empty(shape)
    logs[:, 0] = scale * rng.standard_normal(shape[0])
    for process in range(1, shape[1]):
        fresh = scale * np.sqrt(1 - memory ** 2) * rng.standard_normal(shape[0])
        logs[:, process] = memory * logs[:, process - 1] + fresh
    return logs


def walk_and_warm_up(rng, shape):
    """The machine drifts, and each cell by itself; the first processes run on a cold machine, which affects some cells
    more."""
    machine = np.cumsum(0.005 * rng.standard_normal(shape[1]))
    cells = np.cumsum(0.004 * rng.standard_normal(shape), axis=1)
    warm_up = -0.05 * rng.random((shape[0], 1)) * np.exp(-np.arange(shape[1]) / 4)
    return machine + cells + warm_up + normal(rng, shape, 0.005)


def shift_of_processes(rng, shape):
    """A whole process runs at its own speed."""
    return 0.05 * rng.standard_normal(shape[1]) + normal(rng, shape, 0.008)


def sticky_modes(rng, shape, share=0.3):
    """A third of the cells has two speeds, 2 to 8 % apart, and changes between them with one process in ten."""
    flips = np.cumsum(rng.random(shape) < 0.1, axis=1) % 2
    gaps = np.where(rng.random((shape[0], 1)) < share, 0.02 + 0.06 * rng.random((shape[0], 1)), 0)
    return gaps * flips + normal(rng, shape, 0.006)


def heteroscedastic(rng, shape):
    """Some cells scatter thirty times as much as others."""
    return 0.001 * 30 ** rng.random((shape[0], 1)) * rng.standard_normal(shape)


def periodic(rng, shape, share=0.6, height=0.08):
    """Every fourth process is slow, in some of the cells."""
    start = rng.integers(4)
    disturbed = (np.arange(shape[1]) + start) % 4 == 0
    return height * disturbed * (rng.random((shape[0], 1)) < share) + normal(rng, shape, 0.006)


def periodic_few(rng, shape):
    return periodic(rng, shape, 0.2, 0.05)


def all_at_once(rng, shape):
    modes = sticky_modes(rng, shape, 0.1) - normal(rng, shape, 0.003)
    return (0.3 * students_t2(rng, shape) + 0.3 * walk_and_warm_up(rng, shape) + 0.5 * shift_of_processes(rng, shape)
            + 0.5 * autoregressive(rng, shape) + modes + 0.3 * periodic(rng, shape) + 0.3 * heteroscedastic(rng, shape))


# The noise of the farm's synthetic worker: heavy tails within processes, a drift that both sides share; a tenth of the
# cells have two modes, a tenth one process in thirty that is 10 % slow, a tenth three times the noise.
MODEL = {**noise.TYPICAL, "drift": 0.01, "drift_period": 30000.0}
TWO_MODES, RARELY_SLOW, NOISY, PLAIN = slice(0, 50), slice(50, 100), slice(100, 150), np.arange(150, 500)


def typical(rng, shape):
    between = noise.process_logs(rng, shape, MODEL)
    between[TWO_MODES] += noise.process_logs(rng, between[TWO_MODES].shape, {"second_mode": 0.3, "mode_gap": 0.03})
    between[RARELY_SLOW] += noise.process_logs(rng, between[RARELY_SLOW].shape,
                                               {"second_mode": 0.03, "mode_gap": 0.1})
    between[NOISY] *= 3
    start = rng.integers(0, 1 << 20) + ROUNDS * (shape[0] * np.arange(shape[1]) + np.arange(shape[0])[:, None])
    return between + np.median(noise.round_logs(rng, (*shape, ROUNDS), MODEL, start), axis=2)


# ---- recordings ------------------------------------------------------------------------------------------------------


class Recorded:
    """Nights of processes drawn from a recording, with replacement: all cells of a process together, so that their
    common part stays common."""

    def __init__(self, path):
        found = recording.Recording(path)
        cells = [cell for cell in found.cells if not np.isnan(cell.us[:, 0]).any()]
        self.device, self.texts = found.head["device"], [cell.text for cell in cells]
        logs = np.array([recording.medians(cell) for cell in cells])
        count = logs.shape[1]
        # Some drawn processes are equal: their variance is smaller than the machine's by this factor.
        self.logs = (logs - logs.mean(axis=1, keepdims=True)) * np.sqrt(count / (count - 1))

    def __call__(self, rng):
        return self.logs[:, rng.integers(self.logs.shape[1], size=PROCESSES)]
