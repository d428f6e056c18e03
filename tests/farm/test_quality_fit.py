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
        assert max(result["errors"][model]) < 1e-6
    assert min(result["errors"]["bottleneck"]) > 0.05


def test_other_weights_are_told_from_the_printed_ones():
    weights = {**dict.fromkeys(NAMES, 0), "OC": 100, "MC": 50}
    result = fit.fit(lines_of(linear(weights), noise=0.02), draws=100)
    assert result["weights"]["OC"][0] == pytest.approx(270, abs=15)  # two thirds of 405
    assert result["weights"]["OC"][1] > 30 and "OC" in fit.text(result)
    line = next(line for line in fit.text(result).split("\n") if line.startswith("  OC"))
    assert line.endswith("does not hold")
    assert result["errors"]["fitted weights"][0] < 0.05 < result["errors"]["printed weights"][0]


def test_a_harmful_criterion_gets_no_negative_weight():
    result = fit.fit(lines_of(lambda values: 10 - 5 * values["OC"] + 5 * values["MC"]), draws=20)
    assert result["weights"]["OC"][0] == 0 and result["weights"]["MC"][0] > 300


def test_the_bottleneck_model_finds_roofs():
    roofs = {**dict.fromkeys(NAMES, 1000.0), "MC": 100.0, "IO": 150.0}
    result = fit.fit(lines_of(lambda values: min(roofs[name] * values[name] for name in NAMES), rows=400), draws=5)
    assert max(result["errors"]["bottleneck"]) < 0.1 < min(result["errors"]["fitted weights"])


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
    assert "without data, or constant: WE, DT" in fit.text(result) and " - " in fit.text(result)


def test_the_command(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines_of(linear(criteria.WEIGHTS), rows=40)))
    assert command.main(["--fit", str(path)]) == 0 and "printed weights" in capsys.readouterr().out
    path.write_text("")
    assert command.main(["--fit", str(path)]) == 1 and "a fit needs" in capsys.readouterr().err
