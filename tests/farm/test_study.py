"""tools/farm/study.py on results known by hand, on incomplete and damaged files, and in the page of the papers."""
import json
import os
import re
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.farm import study  # noqa: E402
from tools.paper import back40, sources  # noqa: E402

MIB = 1 << 20
HEAD = {"kind": "study", "device": "Made-up 1", "capability": 90, "multiprocessors": 2}


def part(name, us, type_="u32", size=128 * MIB, blocks=4):
    return {"kind": "part", "part": name, "type": type_, "bytes": size, "blocks": blocks, "us": us}


def scan(size, blocks, up, spine, down):
    return [part("scan_up", {"a": up[0], "b": up[1]}, size=size, blocks=blocks),
            part("scan_spine", {"c": spine}, size=size, blocks=blocks),
            part("scan_down", {"d": down[0], "e": down[1]}, size=size, blocks=blocks)]


# Sums of 128 MiB: [[4, 6], [5, 7]] at 4 blocks; [[9, 9], [9, 3]] at 8. Of 2 MiB: [[2, 4], [2, 4]].
LINES = [HEAD, *scan(128 * MIB, 4, (1, 2), 1, (2, 4)), *scan(128 * MIB, 8, (8, 1.5), 0.5, (8, 1)),
         *scan(2 * MIB, 4, (0.5, 0.5), 0.5, (1, 3)), part("copy", {"x": 2.0, "y": 4.0}),
         {"kind": "whole", "type": "u32", "bytes": 128 * MIB, "blocks": 4, "us": 4.4,
          "policy": {"scan_up": "a", "scan_spine": "c", "scan_down": "d"}}]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_times_are_the_least_sums(tmp_path):
    _, parts, _ = study.read(write(tmp_path / "s.jsonl", LINES))
    cells, axes = study.cells_of(parts, "exclusive_scan")
    assert axes == [["a", "b"], ["c"], ["d", "e"]]
    assert cells["u32", 128 * MIB][:, 0].tolist() == [[4, 6], [5, 3]]
    assert cells["u32", 2 * MIB][:, 0].tolist() == [[2, 4], [2, 4]]


def test_summary_by_hand(tmp_path):
    found = study.summary(*study.read(write(tmp_path / "s.jsonl", LINES)))
    one = found["problems"]["exclusive_scan"]
    # Shares: 3/4 1/2 3/5 1 and 1 1/2 1 1/2: means 7/8, 1/2, 4/5, 3/4.
    groups = [[0.75, 1], [0.5, 0.5], [0.6, 1], [1, 0.5]]
    means = np.mean(groups, axis=1)
    assert one["between"] == pytest.approx(2 * np.sum((means - means.mean()) ** 2) / 3)
    assert one["within"] == pytest.approx(sum(np.sum((np.array(g) - np.mean(g)) ** 2) for g in groups) / 4)
    assert (one["policies"], one["cells"], one["best_single"]) == (4, 2, pytest.approx(0.875))
    assert one["policy"] == ["a", "c", "d"] and one["best_us"] == {"u32": 3.0}
    assert sum(one["harmonic"]) == pytest.approx(1)
    assert found["whole_over_sum"] == pytest.approx(1.1) and "reduce_by_key" not in found["problems"]


def test_an_incomplete_cell_is_left_out(tmp_path):
    lines = [line for line in LINES if line.get("part") != "scan_down" or line["bytes"] == 2 * MIB]
    _, parts, wholes = study.read(write(tmp_path / "s.jsonl", lines))
    assert list(study.cells_of(parts, "exclusive_scan")[0]) == [("u32", 2 * MIB)]
    assert study.summary(HEAD, parts, wholes)["whole_over_sum"] is None


@pytest.mark.parametrize("lines, why", [
    ([], "no study"), ([HEAD], "no study"), (LINES[1:], "no study"), ([HEAD, part("copy", {})], "without times"),
    ([HEAD, part("copy", {"a": 0.0})], "without times"), ([HEAD, {"kind": "part"}], "line 2"), ([[1]], "line 1")])
def test_damaged_files(tmp_path, capsys, lines, why):
    out = tmp_path / "out"
    assert study.main([write(tmp_path / "s.jsonl", lines), "--out", str(out)]) == 2
    assert why in capsys.readouterr().err and not out.exists()


def test_a_missing_file(tmp_path, capsys):
    assert study.main([str(tmp_path / "none")]) == 2
    assert "none" in capsys.readouterr().err


def test_counts(capsys):
    assert study.main(["--count"]) == 0
    said = capsys.readouterr().out
    assert "copy: study 1,728, printed 1,728" in said and "reduce_by_key: study 157,464, printed 157,464" in said
    assert study.main(["--thrust"]) == 0
    assert capsys.readouterr().out.count("--cell") == 24
    with open(os.path.join(ROOT, "tools", "peers", "more.cu"), encoding="utf-8") as file:
        calls = set(re.findall(r"^  SUM\((\w+)\);", file.read(), re.M))
    assert {cell.split()[2] for cell in study.THRUST} <= calls  # Thrust is called for every cell


def test_figure_8():
    """Thrust, CUB and ours at each type and size of the study; the page has their ratios."""
    folder = os.path.join(ROOT, "ci", "measurements", "nvidia-h200")
    times = sources.figure8_of(sources.newest(folder, "figure8"))
    assert len(times) == len(study.THRUST)
    assert all({"ours", "cub", "thrust"} <= set(cell) for cell in times.values())
    device = sources.Device(folder, "H200", None, None, {}, {}, {}, {"figure8": times}, [])
    shown = back40.thrust([device])
    assert sum(row[1] == "default policy over Thrust" for row in shown.tables[0][2]) == len(times)
    assert "not measured yet" not in " ".join(shown.text)


@pytest.mark.turn
def test_the_page_shows_the_study(tmp_path, capsys):
    folder = tmp_path / "made-up-1"
    assert study.main([write(tmp_path / "s.jsonl", LINES), "--out", str(folder)]) == 0
    assert "| exclusive_scan | 4 | 157,464 | 2 |" in capsys.readouterr().out
    devices = sources.devices_of(str(tmp_path))
    assert devices[0].title == "Made-up 1" and not devices[0].damaged
    best = back40.shares_table(devices, True).tables[0]
    assert best[1][-1] == "Made-up 1, study"
    rows = {row[0]: row[-1] for row in best[2]}
    assert rows["copy"] == "1.00" and rows["prefix sum"] == "0.67" and rows["reduce-by-key"] == "not measured yet"
    assert "averages 88 %" in " ".join(back40.strength(devices).text)
    between = back40.variance(devices, back40.BETWEEN, 0, "between").tables[0]
    assert {row[0]: row[-1] for row in between[2]}["reduction"] == "not measured yet"
