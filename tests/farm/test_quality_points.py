"""tools/quality/points.py on made-up records, and what changed between two files."""
import json
import os
import sys
import time

import pytest

import fake_ncu

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.quality import __main__ as quality, improve, points, reports, tables  # noqa: E402


def row(policy, us, instructions, dram=400.0, library="gpuprims", **fields):
    fields = {"qm": 0.5, "criteria": {"OC": instructions / 100, "DT": None}, **fields}
    counters = {"nanoseconds": 5.0, "instructions": instructions, "dram_bytes": dram, "registers": 32.0,
                "stalls": {"barrier": 0.7, "selected": 0.9}}
    return {"kind": "quality", "cell": "copy u32 n=100", "library": f"{library} {policy}".strip(), "n": 100,
            "median_us": us, "kernels": [{"name": "k", "counters": counters}], **fields}


def test_points_are_counters_an_element():
    found = points.points_of([row("", 2.0, 50), row("threads=64", 1.0, 25), row("", 1.0, 5, library="cub"),
                              row("threads=96", None, 5), row("threads=128", 1.0, 5, kernels=[])])
    assert [point["policy"] for point in found] == ["", "threads=64"]
    assert found[0]["instructions"] == 16 and found[0]["dram_bytes"] == 4 and found[0]["registers"] == 32
    assert found[0]["l2_bytes"] is None, "no data is no zero"
    assert points.worst_stall(found[0]) == "barrier"


def test_whether_time_follows_a_counter():
    rising = [row(f"threads={k}", float(k), 10 * k, 400.0) for k in (1, 2, 3, 4)]
    found = points.followed(points.points_of(rising))
    assert found["instructions"] == pytest.approx(1) and found["dram_bytes"] is None and found["l2_bytes"] is None
    falling = [row(f"threads={k}", float(k), 100 - k) for k in (1, 2, 3)]
    assert points.followed(points.points_of(falling))["instructions"] == pytest.approx(-1)
    assert points.ranks([5, 1, 5]) == [1.5, 0, 1.5]
    assert points.correlation([1, 2], [1, 2]) is None


def test_the_table_and_the_file(tmp_path, capsys, monkeypatch):
    lines = [{"kind": "environment", "device": "Made-up 1", "date": "2026-11-28T00:00:00Z", "commit": "abcdef0123"},
             *points.points_of([row("", 2.0, 50), row("threads=64", 1.0, 25), row("threads=96", 3.0, 75)])]
    path = points.write(lines, str(tmp_path))
    assert os.path.basename(path) == "2026-11-28.points.abcdef0.jsonl"
    assert points.main(["--show", path]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "copy u32 n=100" and out[2].endswith("threads=64, barrier 0.70")
    assert out[5] == "  best by time: threads=64"
    assert out[6] == "  default to best by time: 2.00 to 1.00 us, QM 0.50 to 0.50, OC 0.50 to 0.25"
    assert out[7] == "  time follows instructions: +1.00" and out[8] == "  time follows dram_bytes: -"
    monkeypatch.setattr(bench, "has_gpu", lambda: False)
    assert points.main([]) == bench.NO_GPU


def test_the_best_by_each_objective(capsys, tmp_path):
    own = points.points_of([row("", 1.0, 5, joules=4.0, joules_error=0.1),
                            row("threads=64", 3.0, 5, joules=1.0, joules_error=0.1),
                            row("threads=96", 1.4, 5, joules=2.0, joules_error=0.1)])
    best = {name: point["policy"] for name, point in points.best_by(own).items()}
    assert best == {"time": "", "energy": "threads=64", "edp": "threads=96"}
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(point) + "\n" for point in own))
    assert points.main(["--show", str(path), "--objective", "energy"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "threads=64" in out[2] and out[2].endswith("1000.0000 +- 100.0000 mJ")
    own[1]["joules_error"] = 0.2
    assert set(points.best_by(own)) == {"time"}
    assert "  joules tell no best: standard errors up to 20 %; a longer --energy" in points.table(own).splitlines()
    del own[0]["joules"]
    assert set(points.best_by(own)) == {"time"}, "no data is no zero"
    assert points.table(own, "energy").splitlines()[5].startswith("  best by time")


def test_points_are_spread_over_the_space(monkeypatch, tmp_path):
    assert points.spread(list("abc"), 5) == list("abc")
    assert points.spread(list(range(101)), 5) == [0, 25, 50, 75, 100]
    ran = []
    monkeypatch.setattr(points.bench, "run", ran.append)
    monkeypatch.setattr(points.subprocess, "run", lambda *_, **__: type("Done", (), {
        "stdout": json.dumps({"policies": ["a", "b", "c"]}).encode()}))
    assert points.spaces_of(["copy u32 n=100"], [], 2) == [("copy u32 n=100", ["a", "c"])]
    assert ran == [["make", "-s", "build/gp_tune"]]
    path = tmp_path / "space.json"
    path.write_text(json.dumps({"cell": "sort u32 n=5", "policies": ["d"]}))
    assert points.spaces_of([], [str(path)], 2) == [("sort u32 n=5", ["d"])] and len(ran) == 1


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Runs points on a made-up gp_bench and ncu; returns (exit status, its output)."""
    fake_ncu.install(tmp_path)
    monkeypatch.setenv("FAKE_ORDER", "1")
    monkeypatch.setattr(bench, "has_gpu", lambda: True)
    monkeypatch.setattr(bench, "BUILD", str(tmp_path))
    monkeypatch.setattr(bench, "build_bench", lambda: str(tmp_path / "gp_bench"))
    monkeypatch.setattr(bench, "build_peers", lambda: None)
    monkeypatch.setattr(reports, "find_ncu", lambda: str(tmp_path / "ncu"))

    def run(capsys, policies, *options):
        space = tmp_path / "space.json"
        space.write_text(json.dumps({"cell": "reduce SUM u32 n=5", "policies": policies}))
        status = points.main(["--space", str(space), "--out", str(tmp_path), "--points", "99", *options])
        return status, capsys.readouterr()
    return run


@pytest.mark.turn
def test_points_are_compiled_before_the_time_runs(command, capsys):
    policies = [f"threads={32 * k}" for k in range(1, points.UNIT + 3)]  # two processes
    status, said = command(capsys, policies, "--seconds", "25")
    count = len(policies) + 1
    assert status == 0, said.err
    assert f"{count} points tried, {count} compiled, {count} timed, {count} counted, {count} with both" in said.out
    assert "best by time" in said.out and f"threads={32 * (points.UNIT + 2)}" in said.out


@pytest.mark.turn
def test_points_that_do_not_compile_are_named_and_the_rest_goes_on(command, capsys):
    status, said = command(capsys, ["threads=32", "threads=bad", "threads=64"])
    assert status == 0
    assert "4 points tried, 3 compiled, 3 timed, 3 counted" in said.out
    assert "not compiled: reduce SUM u32 n=5: GP_E_COMPILE: threads=bad" in said.out


@pytest.mark.turn
def test_steps_say_why_no_point_was_found(command, capsys, monkeypatch):
    monkeypatch.setenv("FAKE_NCU", "permission")
    status, said = command(capsys, ["threads=32"])
    assert status == 0 and "2 timed, 2 counted" in said.out, "the launch needs no permission"
    monkeypatch.setattr(reports, "find_ncu", lambda: None)
    status, said = command(capsys, ["threads=32"])
    assert status == 1 and "2 timed, 0 counted, 0 with both\n  2 without: ncu is not installed" in said.out
    assert "no point has a time and counters: ncu is not installed" in said.err and "quality.log" in said.err


def test_each_unit_gets_its_share_of_the_time(monkeypatch):
    shares = []

    class Session:
        end = time.monotonic() + 100

    def unit(session, cell, policies):
        shares.append((cell, len(policies), session.end - time.monotonic()))
        rows = [{**row(policy, 1.0, 5), "cell": cell} for policy in ["", *policies]]
        return [{"kind": "environment"}, *rows]
    monkeypatch.setattr(points, "measure_unit", unit)
    many, said = [f"threads={k}" for k in range(points.UNIT + 1)], []
    lines = points.measure_spaces(Session(), [("a", many), ("b", [])], {"a": (18, [])}, said.append)
    assert [(cell, count) for cell, count, _ in shares] == [("a", points.UNIT), ("a", 1), ("b", 0)]
    assert [round(left) for _, _, left in shares] == [33, 50, 100], "time that one leaves is the next one's"
    assert len(lines) == 1 + (points.UNIT + 2) + 1, "the default once a cell"
    assert said[0].startswith("a: 18 points tried, 18 compiled, 18 timed, 18 counted, 18 with both")


def test_what_changed_between_two_files():
    def one(us, qm, oc):
        return {"kind": "quality", "cell": "c", "library": "gpuprims", "median_us": us, "qm": qm,
                "criteria": {"OC": oc, "DT": None}}
    other = {**one(1.0, 0.5, 0.5), "library": "cub"}
    found = tables.changes([one(4.0, 0.5, 0.2)], [one(2.0, 0.7, 0.9), other]).splitlines()
    assert found[2:] == ["| c | gpuprims | 4.00 | 2.00 | 2.000 | 0.50 | 0.70 | OC 0.20 to 0.90 |"]
    assert tables.changes([one(4.0, 0.5, 0.2)], [one(None, None, 0.2)]).splitlines()[2:] == \
        ["| c | gpuprims | 4.00 | - | - | 0.50 | - | none |"]


def own(cell, us, qm, of_roof, **fields):
    counters = {"nanoseconds": 5.0, "instructions": 50, "registers": 32.0, "stalls": {"barrier": 0.7, "selected": 0.9}}
    return {"kind": "quality", "cell": cell, "library": "gpuprims", "primitive": cell.split()[0], "n": 100, "qm": qm,
            "median_us": us, "of_roof": of_roof, "criteria": {"OC": qm}, "status": "ok",
            "feedback": f"advice on {cell}", "kernels": [{"name": "k", "counters": {**counters, **fields}}]}


BEFORE = [own("copy u32 n=9", 1.0, 0.3, 0.96), own("sort u32 n=9", 9.0, 0.4, 0.5), own("sort u32 n=5", 9.0, 0.45, 0.1),
          own("merge u32 n=9", 4.0, 0.6, 0.05), own("scan u32 n=9", 4.0, 0.5, 0.9), own("find u32 n=9", 2.0, 0.8, None),
          {**own("fill u32 n=9", 1.0, 0.1, 0.1), "library": "cub"}, own("iota u32 n=9", None, 0.1, 0.1)]


def test_three_primitives_to_improve():
    found = improve.chosen(BEFORE)
    assert [(row["cell"], why) for row, why in found] == [
        ("sort u32 n=9", "the lowest QM"), ("merge u32 n=9", "the largest distance to the roof"),
        ("scan u32 n=9", "the lowest QM but 1")]
    assert improve.distance(own("a", 1.0, 0.5, 1.3)) == 0, "a roof of DRAM is no roof of a cache"
    assert not any("copy" in row["cell"] for row, _ in improve.chosen(BEFORE, 9)), "it is at the roof"
    text = improve.text(BEFORE)
    assert "advice on sort u32 n=9" in text and "5 % of the roof" in text
    assert '--cell "sort u32 n=9" --cell "merge u32 n=9" --cell "scan u32 n=9"' in text
    assert improve.text([]) == improve.section([], []) == "no row of ours has a time and counters"


def test_what_a_change_of_them_did(tmp_path, capsys):
    after = [own("sort u32 n=9", 6.0, 0.5, 0.75, instructions=25, registers=None),
             own("scan u32 n=9", 4.0, 0.5, 0.9)]
    paths = [tmp_path / name for name in ("before.jsonl", "after.jsonl")]
    for path, lines in zip(paths, (BEFORE, after)):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert quality.main(["--improved", *map(str, paths)]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert rows[0] == "| sort u32 n=9 | the lowest QM | 9.00 | 6.00 | 1.500 | 50 % to 75 % | 0.40 to 0.50 | " \
        "OC 0.40 to 0.50 | instructions an element 16.00 to 8.00 |"
    assert rows[1].startswith("| merge u32 n=9 | the largest distance to the roof | 4.00 | not measured |")
    assert rows[2].endswith("| 90 % to 90 % | 0.50 to 0.50 | none | none |")
    assert quality.main(["--improve", str(paths[0])]) == 0 and "sort u32 n=9" in capsys.readouterr().out


def test_table_iii_has_speed_ups_where_the_reference_ran():
    def one(library, **fields):
        return {"kind": "quality", "cell": "c", "library": library, "median_us": 2.0, "qm": 0.5, **fields}
    table = tables.table_three([one("gpuprims", speedup=50.0), one("cub")]).splitlines()
    assert table[0].endswith("| us gpuprims | us cub | speed-up gpuprims | speed-up cub |")
    assert table[2].endswith("| 2.00 | 2.00 | 50.00 | - |")
    assert "speed-up" not in tables.table_three([one("cub")])
    table = tables.table_three([one("gpuprims"), one("gpuprims threads=64", qm=0.25)]).splitlines()
    assert table[0] == "| cell | QM gpuprims | us gpuprims |" and table[3] == "| c (threads=64) | 0.25 | 2.00 |"
