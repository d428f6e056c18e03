"""Weights of the criteria by regression, on what `make quality` measured (NumPy and SciPy).

The paper found its weights so that QM is proportional to speed. Here non-negative least squares on standardised
criteria predict speed in GB/s. Other models stand beside it: a line through QM with the printed weights; bottlenecks,
where the smallest of slope * criterion bounds speed; and a product of powers of the criteria. Errors come from rows
that the fit has not seen: a library or a primitive is left out in turn.
"""
import numpy as np

from tools.quality import criteria

LEAST_ROWS = 10
LEAST_CRITERION = 0.01  # under a logarithm


class FitError(ValueError):
    """There is too little to fit; the text says what."""


def base_of(library):
    """A policy of ours is no library of its own: it would be seen where ours is left out."""
    return library.split(" ")[0]


def names_of(rows):
    """The criteria that each library has in at least half of its rows."""
    found = []
    for name in criteria.NAMES:
        known = {}
        for row in rows:
            known.setdefault(base_of(row["library"]), []).append(row["criteria"].get(name) is not None)
        if known and all(2 * sum(those) >= len(those) for those in known.values()):
            found.append(name)
    return found


def rows_of(lines):
    """(names, criteria, speeds, libraries, primitives, {library: rows left out}). A row needs a time, a quality, and
    all the criteria of names_of that vary."""
    rows = [line for line in lines if line.get("kind") == "quality" and line.get("gbs") and line.get("qm") is not None]
    names = names_of(rows)
    whole, left_out = [], {}
    for row in rows:
        if all(row["criteria"].get(name) is not None for name in names):
            whole.append(row)
        else:
            left_out[base_of(row["library"])] = left_out.get(base_of(row["library"]), 0) + 1
    names = [name for name in names if np.ptp([row["criteria"][name] for row in whole] or [0]) > 1e-9]  # not constant
    if len(whole) < LEAST_ROWS or not names:
        raise FitError(f"{len(whole)} rows with a time and criteria that vary; a fit needs {LEAST_ROWS}")
    x = np.array([[row["criteria"][name] for name in names] for row in whole], float)
    return (names, x, np.array([row["gbs"] for row in whole], float), [base_of(row["library"]) for row in whole],
            [row.get("primitive", row["cell"].split()[0]) for row in whole], left_out)


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


def fit_roofs(x, y, names):
    """The same with the slopes of the least relative error: one slope after another, from those of the bottleneck."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(x > 0, y[:, None] / np.where(x > 0, x, 1), np.nan)
    slopes = np.nanmax(ratios, axis=0, initial=0)
    candidates = [np.append(np.nanquantile(column, np.linspace(0.05, 1, 20)), np.inf)
                  if np.isfinite(column).any() else np.array([np.inf]) for column in ratios.T]

    def error(those):
        with np.errstate(invalid="ignore"):
            predicted = np.nan_to_num(x * those, nan=0).min(axis=1)  # 0 * inf: no speed
        return np.mean(np.abs(predicted - y) / y)
    least = error(slopes)
    for _ in range(3):
        for place, choices in enumerate(candidates):
            for slope in choices:
                tried = slopes.copy()
                tried[place] = slope
                if np.isfinite(tried).any() and error(tried) < least:
                    slopes, least = tried, error(tried)

    def predict(z):
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(z * slopes, nan=0).min(axis=1)
    return predict


def fit_powers(x, y, names):
    """exp(offset + sum of exponent * log criterion), exponents not negative: least squares of relative errors."""
    slopes, offset = weighted(np.log(np.maximum(x, LEAST_CRITERION)), np.log(y))
    return lambda z: np.exp(offset + np.log(np.maximum(z, LEAST_CRITERION)) @ slopes)


MODELS = {"fitted weights": fit_weighted, "printed weights": fit_printed, "bottleneck": fit_bottleneck,
          "fitted bottleneck": fit_roofs, "powers": fit_powers}


def left_out(x, y, names, groups, fit):
    """The relative error of each row, in groups that the fit has not seen, or None with fewer than two groups."""
    groups = np.array(groups)
    errors = []
    for group in sorted(set(groups)):
        inside = groups == group
        if inside.all():
            return None
        predicted = fit(x[~inside], y[~inside], names)(x[inside])
        errors += list(np.abs(predicted - y[inside]) / y[inside])
    return np.array(errors)


def mean_error(errors, draws=500, seed=1):
    """(mean, low, high) with the 95 % interval of bootstrap draws, or None."""
    if errors is None:
        return None
    random = np.random.default_rng(seed)
    means = [errors[random.integers(0, len(errors), len(errors))].mean() for _ in range(draws)]
    return (float(errors.mean()), *map(float, np.percentile(means, [2.5, 97.5])))


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
    """{"rows", "libraries": {library: rows}, "left_out", "weights": {name: (weight, low, high, printed)},
    "errors": {model: (by library, by primitive), each (mean, low, high) or None}, "best": a model}."""
    names, x, y, libraries, primitives, omitted = rows_of(lines)
    found = scaled(weighted(x, y)[0], names)
    ends = intervals(x, y, names, draws)
    errors = {model: tuple(mean_error(left_out(x, y, names, groups, how), draws) for groups in (libraries, primitives))
              for model, how in MODELS.items()}
    known = {model: [one[0] for one in both if one] for model, both in errors.items()}
    known = {model: max(means) for model, means in known.items() if means}
    return {"rows": len(y), "libraries": {name: libraries.count(name) for name in dict.fromkeys(libraries)},
            "left_out": omitted, "best": min(known, key=known.get) if known else None,
            "weights": {name: (float(found[i]), float(ends[i][0]), float(ends[i][1]), criteria.WEIGHTS[name])
                        for i, name in enumerate(names)}, "errors": errors}


def holds(weight):
    """Whether the printed weight lies in the interval."""
    _, low, high, printed = weight
    return low <= printed <= high


def percent(error):
    return "-" if error is None else f"{100 * error[0]:.0f} % ({100 * error[1]:.0f} to {100 * error[2]:.0f})"


def text(result):
    """A report of a fit."""
    of = ", ".join(f"{count} of {name}" for name, count in result["libraries"].items())
    lines = [f"{result['rows']} rows ({of}); weights in the printed scale, 95 % of bootstrap draws:"]
    for name, weight in result["weights"].items():
        value, low, high, printed = weight
        lines.append(f"  {name}  {value:6.1f}  ({low:.1f} to {high:.1f})  printed {printed}: "
                     f"{'holds' if holds(weight) else 'does not hold'}")
    absent = [name for name in criteria.NAMES if name not in result["weights"]]
    if absent:
        lines.append(f"  without data in a library, or constant: {', '.join(absent)}")
    for library, count in result["left_out"].items():
        lines.append(f"  {count} rows of {library} are left out: they lack a criterion that their library has")
    lines.append("mean relative error of speed, for a library and for a primitive that the fit has not seen, 95 %:")
    for model, errors in result["errors"].items():
        lines.append(f"  {model:<18} {percent(errors[0]):>24} {percent(errors[1]):>24}"
                     + ("  <- least" if model == result["best"] else ""))
    return "\n".join(lines)
