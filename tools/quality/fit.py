"""Weights of the criteria by regression, on what `make quality` measured (NumPy and SciPy).

The paper found its weights so that QM is proportional to speed. Here non-negative least squares on standardised
criteria predict speed in GB/s. Two models stand beside it: a line through QM with the printed weights, and the
bottleneck, where the smallest of slope * criterion bounds speed. Errors come from rows that the fit has not seen: a
library or a primitive is left out in turn.
"""
import numpy as np

from tools.quality import criteria

LEAST_ROWS = 10


class FitError(Exception):
    """There is too little to fit; the text says what."""


def rows_of(lines):
    """(names, criteria, speeds, libraries, primitives): the criteria that every usable row has. A row needs a time and
    a quality."""
    rows = [line for line in lines if line.get("kind") == "quality" and line.get("gbs") and line.get("qm") is not None]
    names = [name for name in criteria.NAMES if rows and all(row["criteria"][name] is not None for row in rows)]
    x = np.array([[row["criteria"][name] for name in names] for row in rows], float).reshape(len(rows), len(names))
    names = [name for name, column in zip(names, x.T) if np.ptp(column) > 1e-9]  # a constant explains nothing
    x = np.array([[row["criteria"][name] for name in names] for row in rows], float).reshape(len(rows), len(names))
    if len(rows) < LEAST_ROWS or not names:
        raise FitError(f"{len(rows)} rows with a time and criteria that vary; a fit needs {LEAST_ROWS}")
    return (names, x, np.array([row["gbs"] for row in rows], float), [row["library"] for row in rows],
            [row.get("primitive", row["cell"].split()[0]) for row in rows])


# ---- models: fit(x, y) returns a function of x


def weighted(x, y):
    """(slopes in units of y, offset) of non-negative least squares on standardised columns."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    used = deviation > 1e-12
    slopes = np.zeros(x.shape[1])
    if used.any() and y.std() > 0:
        from scipy.optimize import nnls  # takes a second to import
        standard, _ = nnls((x[:, used] - mean[used]) / deviation[used], (y - y.mean()) / y.std())
        slopes[used] = standard * y.std() / deviation[used]
    return slopes, y.mean() - slopes @ mean


def fit_weighted(x, y, names):
    slopes, offset = weighted(x, y)
    return lambda z: offset + z @ slopes


def fit_printed(x, y, names):
    """A rising line through QM with the printed weights."""
    w = np.array([criteria.WEIGHTS[name] for name in names], float)
    qm = (x @ w / w.sum())[:, None]
    slopes, offset = weighted(qm, y)
    return lambda z: offset + (z @ w / w.sum()) * slopes[0]


def fit_bottleneck(x, y, names):
    """min over criteria of slope * criterion. A slope is the smallest that no seen row exceeds."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.nanmax(np.where(x > 0, y[:, None] / np.where(x > 0, x, 1), np.nan), axis=0, initial=0)
    return lambda z: (z * slopes).min(axis=1)


MODELS = {"fitted weights": fit_weighted, "printed weights": fit_printed, "bottleneck": fit_bottleneck}


def left_out(x, y, names, groups, fit):
    """The mean relative error of groups that the fit has not seen, or None with fewer than two groups."""
    groups = np.array(groups)
    errors = []
    for group in sorted(set(groups)):
        inside = groups == group
        if inside.all():
            return None
        predicted = fit(x[~inside], y[~inside], names)(x[inside])
        errors += list(np.abs(predicted - y[inside]) / y[inside])
    return float(np.mean(errors))


def scaled(slopes, names):
    """Weights whose sum is that of the same criteria's printed weights."""
    total = slopes.sum()
    printed = sum(criteria.WEIGHTS[name] for name in names)
    return slopes * printed / total if total > 0 else slopes


def intervals(x, y, names, draws=500, seed=1):
    """95 % intervals of the weights: rows drawn with replacement."""
    random = np.random.default_rng(seed)
    weights = []
    for _ in range(draws):
        drawn = random.integers(0, len(y), len(y))
        weights.append(scaled(weighted(x[drawn], y[drawn])[0], names))
    return np.percentile(weights, [2.5, 97.5], axis=0).T


def fit(lines, draws=500):
    """{"rows", "weights": {name: (weight, low, high, printed)}, "errors": {model: (by library, by primitive)}}."""
    names, x, y, libraries, primitives = rows_of(lines)
    found = scaled(weighted(x, y)[0], names)
    ends = intervals(x, y, names, draws)
    return {"rows": len(y),
            "weights": {name: (float(found[i]), float(ends[i][0]), float(ends[i][1]), criteria.WEIGHTS[name])
                        for i, name in enumerate(names)},
            "errors": {model: (left_out(x, y, names, libraries, how), left_out(x, y, names, primitives, how))
                       for model, how in MODELS.items()}}


def text(result):
    """A report of a fit."""
    lines = [f"{result['rows']} rows; weights in the printed scale, 95 % of bootstrap draws:"]
    for name, (weight, low, high, printed) in result["weights"].items():
        holds = "holds" if low <= printed <= high else "does not hold"
        lines.append(f"  {name}  {weight:6.1f}  ({low:.1f} to {high:.1f})  printed {printed}: {holds}")
    absent = [name for name in criteria.NAMES if name not in result["weights"]]
    if absent:
        lines.append(f"  without data, or constant: {', '.join(absent)}")
    lines.append("mean relative error of speed, for a library and for a primitive that the fit has not seen:")
    for model, errors in result["errors"].items():
        shown = [f"{100 * error:.0f} %" if error is not None else "-" for error in errors]
        lines.append(f"  {model:<16} {shown[0]:>7} {shown[1]:>7}")
    return "\n".join(lines)
