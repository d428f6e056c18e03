"""tools/quality/fit.py on made-up measurements with known weights."""
import json
import os
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.quality import __main__ as command, criteria, fit  # noqa: E402

NAMES = list(criteria.NAMES)
pytestmark = pytest.mark.turn(2)  # SciPy takes a second to import


def lines_of(speed, rows=120, noise=0.0, libraries=4, seed=3):
    """Measurements whose GB/s are speed(criteria) with relative noise."""
    random = np.random.default_rng(seed)
    lines = []
    for i in range(rows):
        values = dict(zip(NAMES, random.uniform(0.1, 1, len(NAMES))))
        lines.append({"kind": "quality", "cell": f"p{i % 7} u32 n=5", "primitive": f"p{i % 7}", "qm": 0.5,
                      "library": f"l{i % libraries}", "criteria": values,
                      "gbs": speed(values) * (1 + noise * random.standard_normal())})
    return lines


def linear(weights):
    return lambda values: 3 + sum(weights[name] * values[name] for name in NAMES)


def test_known_weights_come_back():
    result = fit.fit(lines_of(linear(criteria.WEIGHTS)), draws=50)
    for name, (weight, low, high, printed) in result["weights"].items():
        assert weight == pytest.approx(criteria.WEIGHTS[name], rel=1e-6) and low <= high and printed > 0
    for model in ("fitted weights", "printed weights"):
        assert max(one[0] for one in result["errors"][model]) < 1e-6
    assert min(one[0] for one in result["errors"]["bottleneck"]) > 0.05
    assert result["best"] in ("fitted weights", "printed weights")


def test_other_weights_are_told_from_the_printed_ones():
    weights = {**dict.fromkeys(NAMES, 0), "OC": 100, "MC": 50}
    result = fit.fit(lines_of(linear(weights), noise=0.02), draws=100)
    assert result["weights"]["OC"][0] == pytest.approx(270, abs=15)  # two thirds of 405
    assert result["weights"]["OC"][1] > 30 and "OC" in fit.text(result)
    line = next(line for line in fit.text(result).split("\n") if line.startswith("  OC"))
    assert line.endswith("does not hold")
    assert result["errors"]["fitted weights"][0][0] < 0.05 < result["errors"]["printed weights"][0][0]


def test_a_harmful_criterion_gets_no_negative_weight():
    result = fit.fit(lines_of(lambda values: 10 - 5 * values["OC"] + 5 * values["MC"]), draws=20)
    assert result["weights"]["OC"][0] == 0 and result["weights"]["MC"][0] > 300


def test_the_bottleneck_model_finds_roofs():
    roofs = {**dict.fromkeys(NAMES, 1000.0), "MC": 100.0, "IO": 150.0}
    result = fit.fit(lines_of(lambda values: min(roofs[name] * values[name] for name in NAMES), rows=400), draws=5)
    errors = {model: [one[0] for one in both] for model, both in result["errors"].items()}
    assert max(errors["bottleneck"]) < 0.1 < min(errors["fitted weights"])
    assert max(errors["fitted bottleneck"]) < 0.1


def test_roofs_are_found_beside_rows_that_exceed_them():
    """A slope that no row exceeds follows the outlier; one of the least relative error does not."""
    lines = lines_of(lambda values: 100 * min(values["MC"], 1.5 * values["IO"]), rows=300)
    for line in lines[::40]:
        line["gbs"] *= 30
    errors = {model: both[0][0] for model, both in fit.fit(lines, draws=5)["errors"].items()}
    assert errors["fitted bottleneck"] < errors["bottleneck"] / 3


def test_powers_find_products():
    result = fit.fit(lines_of(lambda values: 500 * values["MC"] ** 0.5 * values["OC"] ** 2), draws=5)
    assert result["best"] == "powers" and max(one[0] for one in result["errors"]["powers"]) < 0.02


def test_intervals_of_errors_hold_the_mean():
    for model, both in fit.fit(lines_of(linear(criteria.WEIGHTS), noise=0.1), draws=100)["errors"].items():
        for mean, low, high in both:
            assert low < mean < high, model
    assert fit.mean_error(None) is None


def test_six_libraries_of_which_some_lack_criteria():
    """Two libraries have no DT, one row lacks MH, a policy of ours is no library of its own."""
    lines = lines_of(linear(criteria.WEIGHTS), libraries=6)
    for line in lines:
        if line["library"] in ("l4", "l5"):
            line["criteria"]["DT"] = None
    lines[7]["criteria"]["MH"] = None
    lines[0]["library"] += " threads=64"
    result = fit.fit(lines, draws=20)
    assert result["libraries"] == {"l0": 20, "l1": 19, "l2": 20, "l3": 20, "l4": 20, "l5": 20}
    assert result["left_out"] == {"l1": 1} and set(result["weights"]) == set(NAMES) - {"DT"}
    text = fit.text(result)
    assert "1 rows of l1 are left out" in text and "without data in a library, or constant: DT" in text
    assert text.count("<- least") == 1


def test_intervals_grow_with_noise():
    def width(noise):
        _, low, high, _ = fit.fit(lines_of(linear(criteria.WEIGHTS), noise=noise), draws=100)["weights"]["MC"]
        return high - low
    assert width(0.1) > 3 * width(0.01)


def test_too_little_to_fit():
    for lines in ([], lines_of(linear(criteria.WEIGHTS), rows=fit.LEAST_ROWS - 1)):
        with pytest.raises(fit.FitError, match="a fit needs 10"):
            fit.fit(lines)
    same = lines_of(linear(criteria.WEIGHTS), rows=20)
    for line in same:
        line["criteria"] = dict.fromkeys(NAMES, 0.5)
    with pytest.raises(fit.FitError):
        fit.fit(same)


def test_missing_and_constant_criteria_and_one_library():
    lines = lines_of(linear(criteria.WEIGHTS), libraries=1)
    for line in lines:
        line["criteria"].update(DT=None, WE=1.0)
    lines.append({**lines[0], "gbs": None})
    result = fit.fit(lines, draws=5)
    assert result["rows"] == 120 and "DT" not in result["weights"] and "WE" not in result["weights"]
    assert result["errors"]["fitted weights"][0] is None and result["errors"]["fitted weights"][1] is not None
    assert "without data in a library, or constant: WE, DT" in fit.text(result) and " - " in fit.text(result)


def test_the_command(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines_of(linear(criteria.WEIGHTS), rows=40)))
    assert command.main(["--fit", str(path)]) == 0 and "printed weights" in capsys.readouterr().out
    path.write_text("")
    assert command.main(["--fit", str(path)]) == 1 and "a fit needs" in capsys.readouterr().err
