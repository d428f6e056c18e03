"""Finds the cells that changed, from the times of paired processes: statistics only, arrays in, arrays out.

The test of a cell is on the logarithms of the ratios of pairs, this tree's time over the base's.
- Mean without the largest and the smallest pair, with Yuen's standard error (The two-sample trimmed t for unequal
  population variances, 1974): one disturbed process costs nothing. A signed-rank test would be as robust, but its p for
  six pairs is at least 1/32, and there are hundreds of cells.
- Six pairs hardly determine a variance; hundreds of cells determine the distribution of variances. So a cell's own
  variance is shrunk towards the others' (Smyth, Linear models and empirical Bayes methods for assessing differential
  expression, 2004). The fresh pairs, and first calls, take the larger of the two, since a cell with two modes is not
  like the others.
- False discoveries are controlled over the cells (Benjamini and Hochberg, Controlling the false discovery rate, 1995):
  loosely at first, where a mistake costs ten pairs of one cell, then strictly.
- Cells whose machine code, threads and policy are the base's are controls. Their median in a pair belongs to the
  machine, not to a cell: it is subtracted from all cells. They also show how often unchanged code would be called
  changed. If that is more than promised, their excess variation is added to all errors. If they are too few to tell,
  the variation seen between builds of the same code is added.
- A cell that the first pairs do not show to be the same also gets the fresh pairs, and ten more if those are not
  enough. First calls do not: their noise is the host's, whose clock changes for seconds at a time, and more pairs at 20
  s a process did not help.

Numbers picked for being extreme prove nothing. So only the fresh pairs count for a candidate: for the verdict, the
ratio and its interval. tests/farm/test_regress.py measures the quality: false alarms of a thousand quiet nights, power
at 5 and at 3 %.

SLOW, FAST: confirmed, and 2 % or more. SAME: below 2 %, and 5 % is excluded. UNSURE: neither. NO DATA: too few pairs.
"""
import collections
import math

from tools.farm.arrays import np

SAME, FAST, SLOW, UNSURE, NO_DATA = "SAME", "FAST", "SLOW", "UNSURE", "NO DATA"
FEWEST_PAIRS = 4
REPORTED = math.log(1.02)  # smaller changes are ignored
PROMISED = math.log(1.05)  # larger ones are found, or the cell is UNSURE
FIRST_Q, FRESH_Q = 0.5, 0.003  # false discoveries among the candidates; among confirmed changes
BIAS_Q = 0.005  # likewise, when builds have a bias
CONTROL_P = 0.05  # level at which controls test the promise
FEWEST_CONTROLS, CONTROL_SHARE = 20, 0.1  # fewer, or a smaller share of the cells, cannot tell
CONTROLS_AGAIN = 60  # controls among the fresh pairs' cells
ASSUMED_BIAS = 0.01  # of a build, if controls cannot tell
COMMON_P = 0.001  # level at which the controls' common shift is not chance
RESOLUTION = 1e-6  # no time is measured more accurately
FEWEST_FOR_PRIOR = 10

# Arrays of log ratios have a row a cell and a column a pair; NaN where a pair is missing.

# Estimates of each cell: mean log ratio, its standard error, degrees of freedom, number of pairs.
Estimate = collections.namedtuple("Estimate", "mean error freedom pairs")
# Degrees of freedom and variance that the other cells contribute.
Prior = collections.namedtuple("Prior", "freedom variance")
# The controls: their number, and the number needed; their share with p below CONTROL_P; how many became candidates;
# whether the promise holds; their common log ratio with its interval; the standard deviation added to all errors.
Controls = collections.namedtuple("Controls", "count needed rate candidates held common low high extra")
# changed: looks changed; candidate: changed, or too much scatter to tell, so the fresh pairs decide; control: same
# machine code as the base; apart: the controls do not apply.
First = collections.namedtuple("First", "estimate p q changed candidate control prior controls apart")
# For each cell; `stage` is 2 if fresh pairs decided.
Verdicts = collections.namedtuple("Verdicts", "outcome ratio low high pairs stage p q")


def trimmed(logs):
    """(mean, variance of a pair, pairs it rests on, pairs there were), without the largest and the smallest pair."""
    logs = np.sort(logs, axis=1)  # NaN come last
    pairs = np.count_nonzero(~np.isnan(logs), axis=1)
    cut = (pairs >= FEWEST_PAIRS + 1).astype(int)
    kept = pairs - 2 * cut
    rank = np.arange(logs.shape[1])
    lowest = np.take_along_axis(logs, cut[:, None], 1)
    highest = np.take_along_axis(logs, np.maximum(pairs - cut - 1, 0)[:, None], 1)
    inside = (rank >= cut[:, None]) & (rank < (pairs - cut)[:, None])
    pulled_in = np.where(rank < pairs[:, None], np.clip(logs, lowest, highest), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(inside, logs, 0).sum(1) / kept
        centre = pulled_in.sum(1) / pairs
        squares = np.where(rank < pairs[:, None], (pulled_in - centre[:, None]) ** 2, 0).sum(1)
        variance = np.maximum(squares / (kept - 1), RESOLUTION ** 2)
    few = pairs < FEWEST_PAIRS
    return np.where(few, np.nan, mean), np.where(few, np.nan, variance), np.where(few, 0, kept), pairs


def inverse_trigamma(value):
    """Newton's method from below, as in Smyth's appendix."""
    from scipy.special import polygamma
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = polygamma(1, x)
        step = trigamma * (1 - trigamma / value) / polygamma(2, x)
        x += step
        if abs(step) < 1e-8 * x:
            break
    return float(x)


def prior_of(variance, freedom):
    """The prior of an unknown cell's variance, from the spread of the cells' variances (Smyth)."""
    from scipy.special import digamma, polygamma
    known = ~np.isnan(variance)
    if np.count_nonzero(known) < FEWEST_FOR_PRIOR:
        return Prior(0.0, RESOLUTION ** 2)
    half = freedom[known] / 2
    logs = np.log(variance[known]) - digamma(half) + np.log(half)
    excess = np.var(logs, ddof=1) - np.mean(polygamma(1, half))
    if excess <= 0:  # the variances differ no more than by chance: one for all
        return Prior(1e6, float(np.exp(np.mean(logs))))
    half = inverse_trigamma(excess)
    return Prior(2 * half, float(np.exp(np.mean(logs) + digamma(half) - np.log(half))))


def moderated(variance, freedom, prior):
    return (prior.freedom * prior.variance + freedom * variance) / (prior.freedom + freedom)


def adjusted(p):
    """Benjamini and Hochberg's adjusted p; NaN stays NaN."""
    q = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])]
    ranks = np.arange(1, len(order) + 1)
    q[order] = np.clip(np.minimum.accumulate((p[order] * (len(order) / ranks))[::-1])[::-1], 0, 1)
    return q


def two_sided(mean, error, freedom):
    from scipy.special import stdtr
    return 2 * stdtr(freedom, -np.abs(mean) / error)


def extra_of(mean, error, freedom):
    """The standard deviation to add to the controls' errors so that nine of ten are within their 90 % interval: a
    variance component that more pairs do not average out (as in DerSimonian and Laird, 1986). Fewer controls need a
    larger share than nine of ten, so that chance does not make it too small."""
    from scipy.special import stdtrit
    width = stdtrit(freedom, 0.95)
    share = min(0.9 + math.sqrt(0.09 / len(mean)), 1)

    def too_wide(extra):
        return np.quantile(np.abs(mean) / (np.hypot(error, extra) * width), share) > 1

    low, high = 0.0, float(np.max(np.abs(mean)))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if too_wide(middle) else (low, middle)
    return high


def common_shift(logs, control):
    """The controls' common part, for each pair: their median; NaN if too few were measured."""
    used = logs[control]
    enough = np.count_nonzero(~np.isnan(used), axis=0) >= FEWEST_CONTROLS
    shift = np.full(logs.shape[1], np.nan)
    if enough.any():
        shift[enough] = np.nanmedian(used[:, enough], axis=0)
    return shift


def interval_of(shift):
    """(log ratio, lower and upper end) common to all pairs; NaN with too few pairs."""
    from scipy.special import stdtrit
    mean, variance, kept, _ = (values[0] for values in trimmed(shift[None]))
    if kept < 2:
        return math.nan, math.nan, math.nan
    half = math.sqrt(variance / kept) * stdtrit(kept - 1, 1 - COMMON_P / 2)
    return float(mean), float(mean - half), float(mean + half)


def judge_controls(estimate, control, shift):
    """The controls' rate, and the addition to all errors. Their common part is not noise of cells. It is reported
    separately, because it may come from the host's part of a call, which can change with the same machine code."""
    from scipy.special import betainc
    known = ~np.isnan(estimate.mean)
    used = control & known
    count = int(np.count_nonzero(used))
    needed = max(FEWEST_CONTROLS, math.ceil(CONTROL_SHARE * np.count_nonzero(known)))
    if count < FEWEST_CONTROLS:
        return Controls(count, needed, math.nan, 0, True, math.nan, math.nan, math.nan, ASSUMED_BIAS)
    mean, error, freedom = estimate.mean[used], estimate.error[used], estimate.freedom[used]
    alarms = int(np.count_nonzero(two_sided(mean, error, freedom) < CONTROL_P))
    worse = alarms > 0 and betainc(alarms, count - alarms + 1, CONTROL_P) < 0.01  # the chance of this many or more
    extra = extra_of(mean, error, freedom) if worse else 0.0
    return Controls(count, needed, alarms / count, 0, not worse, *interval_of(shift),
                    extra if count >= needed else max(extra, ASSUMED_BIAS))


def extra_for(controls, apart):
    """The addition to each cell's error."""
    return np.where(apart, max(controls.extra, ASSUMED_BIAS), controls.extra)


def widened(variance, freedom, extra):
    """(standard error, its degrees of freedom) of means with this variance and the controls' addition, rather too large
    than too small (Satterthwaite, An approximate distribution of estimates of variance components, 1946)."""
    total = variance + extra ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(total), freedom * (total / variance) ** 2


def is_same(mean, error, freedom):
    """Whether it is less than 2 %, and 5 % is outside the 95 % interval."""
    from scipy.special import stdtrit
    half = error * stdtrit(np.maximum(freedom, 1), 0.975)
    return (np.abs(mean) < REPORTED) & (mean - half > -PROMISED) & (mean + half < PROMISED)


def without_shift(logs, control, apart):
    return logs - np.where(apart[:, None], 0, np.nan_to_num(common_shift(logs, control)))


def first_stage(logs, control, apart=None):
    """Finds cells that look changed, or may be. apart: cells with other noise than the controls', such as a compiler's,
    which more pairs do not average out."""
    apart = np.zeros(len(logs), bool) if apart is None else apart
    shift = common_shift(logs, control)
    mean, variance, kept, pairs = trimmed(without_shift(logs, control, apart))
    prior = prior_of(variance, kept - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = moderated(variance, kept - 1, prior)
        error = np.sqrt(np.where(apart, np.maximum(variance, drawn), drawn) / kept)
    estimate = Estimate(mean, error, kept - 1 + prior.freedom, pairs)
    controls = judge_controls(estimate, control, shift)
    error, freedom = widened(error ** 2, estimate.freedom, extra_for(controls, apart))
    estimate = estimate._replace(error=error, freedom=freedom)
    p = two_sided(estimate.mean, estimate.error, estimate.freedom)
    q = adjusted(p)
    candidate = q < FIRST_Q
    controls = controls._replace(candidates=int(np.count_nonzero(candidate & control)))
    unsure = ~apart & ~np.isnan(mean) & ~is_same(mean, estimate.error, estimate.freedom)
    return First(estimate, p, q, candidate, candidate | unsure, control, prior, controls, apart)


def with_controls(rows, first, rng):
    """The cells of the fresh pairs: these cells, and controls beside them (rng: NumPy's)."""
    rows = rows.copy()
    others = np.flatnonzero(first.control & ~rows & ~np.isnan(first.estimate.mean))
    if rows.any() and first.controls.count >= FEWEST_CONTROLS:
        rows[rng.choice(others, min(len(others), CONTROLS_AGAIN), replace=False)] = True
    return rows


def conclude(first, fresh):
    """Verdicts of all cells; `fresh` are the candidates' pairs measured since, with_controls (NaN elsewhere)."""
    from scipy.special import stdtr, stdtrit
    mean, variance, kept, pairs = trimmed(without_shift(fresh, first.control, first.apart))
    measured = first.candidate & (kept > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(variance, moderated(variance, kept - 1, first.prior))
    # One-sided: a slowdown that returns as a speed-up is not confirmed.
    p = stdtr(kept - 1, -mean * np.sign(first.estimate.mean) / np.sqrt(variance / kept))
    # Separate: hardly any of the cells that looked unchanged has changed, and they would hide the others' changes.
    q = np.where(first.changed, adjusted(np.where(measured & first.changed, p, np.nan)),
                 adjusted(np.where(measured & ~first.changed, p, np.nan)))
    confirmed = q < FRESH_Q
    extra = extra_for(first.controls, first.apart)
    error, freedom = widened(variance / kept, kept - 1, extra)
    if extra.any():  # A build's bias recurs in the fresh pairs, so candidates are tested among all cells.
        biased_p = np.where(measured, two_sided(mean, error, freedom), first.p)
        biased_q = adjusted(biased_p)
        p, q = np.where(extra > 0, biased_p, p), np.where(extra > 0, biased_q, q)
        confirmed &= (extra == 0) | (q < BIAS_Q)

    def pick(ours, theirs):
        return np.where(measured, ours, theirs)

    mean, error = pick(mean, first.estimate.mean), pick(error, first.estimate.error)
    freedom = pick(freedom, first.estimate.freedom)
    half = error * stdtrit(np.maximum(freedom, 1), 0.975)
    low, high = mean - half, mean + half
    large = np.abs(mean) >= REPORTED
    outcome = np.full(len(mean), UNSURE, dtype=object)
    outcome[is_same(mean, error, freedom)] = SAME
    outcome[large & confirmed & (mean > 0)] = SLOW
    outcome[large & confirmed & (mean < 0)] = FAST
    outcome[np.isnan(mean)] = NO_DATA
    return Verdicts(outcome, np.exp(mean), np.exp(low), np.exp(high), pick(pairs, first.estimate.pairs),
                    np.where(measured, 2, 1), pick(p, first.p), pick(q, first.q))


def accepts(line, device, cell, base, new, low):
    """Whether an acceptance (a line of ci/baselines/accepted.jsonl) covers a SLOW verdict with this lower end. It
    covers the run that it names, and later ones against the same base while they are not slower than accepted: the base
    stays until a night finds no unaccepted slowdown."""
    return (line["device"], line["cell"]) == (device, cell) and \
        (line["commit"] == new or (line["base"] == base and low is not None and low <= line["high"]))
