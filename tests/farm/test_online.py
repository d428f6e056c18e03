"""tools/farm/online.py on made-up spaces, with a made-up engine and with the header's; Kernel Tuner where it is
installed."""
import gzip
import itertools
import json
import math
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from examples.tuner import spaces  # noqa: E402
from tools.farm import online, simulated  # noqa: E402

AXES = [[32, 128, 64], [1, 2]]


def time_of(threads, unroll):
    """The optimum is 64, 2: 100. 64, 1 is within 2 %; 128, 2 is invalid."""
    return {(32, 1): 200.0, (32, 2): 150.0, (64, 1): 101.5, (64, 2): 100.0, (128, 1): 120.0}.get((threads, unroll))


def lines_of(program="n_body", axes=AXES, default=(32, 1), times=time_of, device="Made-up 1", noise=(1, 1, 1)):
    head = {"program": program, "device": device, "driver": "13.0", "cuda": "13.0", "date": "2026-01-02T03:04:05Z",
            "size": 1000, "rounds": len(noise),
            "parameters": [{"name": f"p{k}", "values": values, "default": default[k], "categorical": k == 1}
                           for k, values in enumerate(axes)]}
    lines = [head]
    for values in itertools.product(*axes):
        us = times(*values)
        lines.append({"values": values, "us": [us * one for one in noise]} if us else
                     {"values": values, "invalid": "made up"})
    return [json.dumps(line) for line in lines]


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def space(tmp_path):
    return spaces.read_space(write(tmp_path / "n_body.jsonl", lines_of()))


class Scripted:
    """An engine that asks for points in a fixed order and knows the fastest one."""
    script, opened = [], []

    def __init__(self, lattice, strategy, seed):
        self.left, self.known = list(self.script), {}
        self.opened.append((lattice, strategy, seed))

    def ask(self):
        return self.left.pop(0) if self.left else None

    def tell(self, point, time):
        self.known[point] = time

    def best(self):
        valid = {point: time for point, time in self.known.items() if time is not None}
        return min(valid, key=valid.get) if valid else None

    def close(self):
        self.left = None


def scripted(*points):
    return type("Engine", (Scripted,), {"script": list(points), "opened": []})


# Points are indices of values in order: 32, 64, 128 by 1, 2.
def test_a_run_by_hand(space):
    engine = scripted((2, 1), (0, 0), (2, 0), (1, 0), (1, 1))
    steps = online.replay(space, "auto", 7, engine=engine)
    assert engine.opened == [([(3, 0, 0), (2, 1, 0)], "auto", 7)]
    assert steps == [online.Step((128, 2), None, None), online.Step((32, 1), 200.0, (32, 1)),
                     online.Step((128, 1), 120.0, (128, 1)), online.Step((64, 1), 101.5, (64, 1)),
                     online.Step((64, 2), 100.0, (64, 2))]
    found = online.figures_of(space, steps, calls=10)
    # The refused launch: the default runs, 200. Then 200 + 120 + 101.5 + 100, and five calls at the optimum.
    assert found == online.Figures(4, 4, 0.0, pytest.approx((200 + 200 + 120 + 101.5 + 100 + 5 * 100) / 1000 - 1))


def test_what_is_measured_again_counts_once_as_a_configuration(space):
    steps = online.replay(space, "auto", 0, engine=scripted((0, 0), (0, 0), (2, 0), (2, 0), (1, 0)))
    found = online.figures_of(space, steps)
    assert (found.configurations, found.measurements) == (3, 5)
    assert found.final == pytest.approx(0.015)
    assert found.regret == pytest.approx((2 * 200 + 2 * 120 + 101.5 + 995 * 101.5) / 1e5 - 1)


def test_a_run_that_never_comes_near(space):
    steps = online.replay(space, "auto", 0, engine=scripted((0, 0), (2, 0)))
    found = online.figures_of(space, steps)
    assert found.configurations == found.measurements == math.inf and found.final == pytest.approx(0.2)
    summary = online.summary_of(space, "auto", "gpuprims", [steps])
    assert summary["reached"] == 0 and summary["configurations"] == {"median": None, "p95": None}


def test_nothing_measured_runs_the_default(space):
    found = online.figures_of(space, online.replay(space, "auto", 0, engine=scripted()))
    assert found.final == pytest.approx(1.0) and found.regret == pytest.approx(1.0)


def test_runs_end_at_their_limits(space):
    every = list(itertools.product(range(3), range(2)))
    steps = online.replay(space, "auto", 0, configurations=2, engine=scripted((0, 0), (0, 0), *every))
    assert [step.values for step in steps] == [(32, 1)] * 3 + [(32, 2)], "two configurations, one of them three times"
    assert len(online.replay(space, "auto", 0, calls=3, engine=scripted(*every))) == 3
    awaited = online.replay(space, "auto", 0, engine=scripted((0, 0), (), (1, 1)))
    assert len(awaited) == 1, "nothing is pending: no result will come"


def test_a_measurement_draws_a_recorded_time_by_the_seed(tmp_path):
    noisy = spaces.read_space(write(tmp_path / "a.jsonl", lines_of(noise=(1, 1.01, 1.02))))
    engine = scripted(*[(1, 1)] * 50)

    def times(seed):
        return [step.time for step in online.replay(noisy, "auto", seed, engine=engine)]

    assert set(times(1)) == {100.0, 101.0, 102.0} and times(1) == times(1) != times(2)


def test_the_best_known_of_a_strategy_that_shows_only_what_it_measured():
    assert [step.best for step in online.steps_of([((1,), None), ((2,), 5.0), ((3,), 7.0), ((4,), 4.0)])] == \
        [None, (2,), (2,), (4,)]


def test_ranks_by_hand():
    assert [online.rank([3, 1, math.inf, 2], share) for share in (0.25, 0.5, 0.75, 0.95)] == [1, 2, 3, math.inf]
    assert online.rank(list(range(1, 101)), 0.95) == 95 and online.rank(list(range(1, 101)), 0.5) == 50


def test_the_typical_run_is_the_one_in_the_middle(space):
    runs = [online.replay(space, "auto", 0, engine=scripted(*points)) for points in
            ([(0, 0)], [(0, 0), (1, 1)], [(1, 1)], [(0, 0), (2, 0), (1, 1)], [(0, 0), (1, 0)])]
    assert online.typical(space, runs)[0] == 4, "configurations: inf 2 1 3 2"


# ---- the command -----------------------------------------------------------------------------------------------------


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "tools.farm", "online", *map(str, arguments)], cwd=ROOT, text=True,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("online")
    bowl = [[32, 64, 96, 128, 160, 192, 224, 256]]
    with gzip.open(folder / "scan.jsonl.gz", "wt") as file:
        file.write("\n".join(lines_of("scan", bowl, (224,), lambda a: 100.0 + abs(a - 96), noise=(1, 1.002))) + "\n")
    cube = write(folder / "merge_sort.jsonl", lines_of(
        "merge_sort", bowl * 3, (32, 32, 32), lambda a, b, c: 1000.0 + abs(a - 64) + abs(b - 128) + abs(c - 160)))
    empty = folder / "empty.json"
    empty.write_text(json.dumps({"device": "Made-up 1", "rows": [
        {"threads": 128, "blocks": 7, "average_us": 3.0, "deviation_us": 0.5}]}))
    plane = write(folder / "n_body.jsonl", lines_of())
    done = command(folder / "scan.jsonl.gz", cube, plane, empty, "--out", folder / "out", "--seeds", 9,
                   "--configurations", 60, "--no-kernel-tuner")
    assert done.returncode == 0, done.stderr
    return folder / "out", done


@pytest.mark.turn(9)
def test_all_strategies_of_the_header(written):
    folder, done = written
    results = json.loads((folder / "online.json").read_text())
    assert {key: results[key] for key in ("kind", "device", "seeds", "calls", "configurations", "kernel_tuner")} == \
        {"kind": "online", "device": "Made-up 1", "seeds": 9, "calls": 1000, "configurations": 60,
         "kernel_tuner": None}
    assert [found["program"] for found in results["spaces"]] == ["scan", "merge_sort", "n_body"]
    assert results["empty"]["rows"] == [[128, 7, 3.0, 0.5]]
    names = ["auto", "simplex", "random", "coordinates", "exhaustive", "surrogate"]
    for found in results["spaces"]:
        assert [one["name"] for one in found["strategies"]] == names
        assert {one["by"] for one in found["strategies"]} == {"gpuprims"}
        for one in found["strategies"]:
            assert one["runs"] == 9 and one["final"]["median"] >= 0 and one["regret"]["p95"] >= one["regret"]["median"]
    plane = {one["name"]: one for one in results["spaces"][2]["strategies"]}
    assert plane["exhaustive"]["final"]["p95"] == 0 and plane["exhaustive"]["measured"]["median"] == 6
    assert results["spaces"][0]["strategies"][0]["reached"] == 9, "the default finds the bottom of a bowl"
    assert (folder / "online.md").read_text() == done.stdout
    assert "online.json belongs to ci/measurements/made-up-1/" in done.stderr


@pytest.mark.turn(9)
def test_maps_and_paths(written):
    found = json.loads((written[0] / "online.json").read_text())["spaces"]
    line, cube, plane = found
    assert line["maps"] == [{"down": None, "across": 0, "rows": [], "columns": [32, 64, 96, 128, 160, 192, 224, 256],
                             "times": [[1.64, 1.32, 1.0, 1.32, 1.64, 1.96, 2.28, 2.6]]}]
    assert [(one["down"], one["across"]) for one in cube["maps"]] == [(1, 0), (2, 0), (2, 1)]
    assert plane["maps"][0]["times"] == [[2.0, 1.015, 1.2], [1.5, 1.0, None]]
    assert (plane["maps"][0]["rows"], plane["maps"][0]["columns"]) == ([1, 2], [32, 64, 128])
    assert (plane["default"], plane["optimum"]) == ({"values": [32, 1], "us": 200.0}, {"values": [64, 2], "us": 100.0})
    assert (plane["configurations"], plane["invalid"], plane["near"]) == (5, 1, 2)
    for one in found:
        steps = one["path"]["steps"]
        assert one["path"]["strategy"] == "auto" and 0 < one["path"]["near"] <= len(steps) <= 1000
        assert all(value in parameter["values"] for step in steps
                   for value, parameter in zip(step, one["parameters"]))


@pytest.mark.turn(9)
def test_tables_and_pictures(written):
    folder, done = written
    for text in ("| Made-up 1 | 0.2 | 0.1 | 50.0 % | ", "| GTX 680 | 2937 | 2824 | 3.8 % | 14 | 2013, Table 3 |  |",
                 "| GTX 680 | 2566 | 2223 | 13.4 % |  | 2013, Table 4, 1000 calls | 224; 128 |",
                 "| Made-up 1 | 128 | 7 | 3.00 | 0.50 |", "| exhaustive | gpuprims |",
                 "Kernel Tuner was not installed"):
        assert text in done.stdout, text
    for name in ("scan", "merge_sort", "n_body"):
        assert (folder / f"{name}.svg").stat().st_size > 8000 and (folder / f"{name}.png").stat().st_size > 8000


@pytest.mark.turn(9)
def test_a_cache_file_of_kernel_tuner(written):
    cache = json.loads((written[0] / "n_body.cache.json").read_text())
    assert (cache["device_name"], cache["tune_params"]) == ("Made-up 1", {"p0": [32, 128, 64], "p1": [1, 2]})
    assert len(cache["cache"]) == 6
    assert cache["cache"]["64,2"] == {"p0": 64, "p1": 2, "time": 100.0, "compile_time": 0, "verification_time": 0,
                                      "benchmark_time": 0}
    assert cache["cache"]["128,2"]["time"] == "RuntimeFailedConfig"


@pytest.mark.turn
def test_equal_files_give_equal_figures(tmp_path):
    file = write(tmp_path / "n_body.jsonl", lines_of(noise=(1, 1.3, 0.8)))
    for name in ("one", "two"):
        assert command(file, "--out", tmp_path / name, "--seeds", 5, "--no-kernel-tuner").returncode == 0
    one, two = (json.loads((tmp_path / name / "online.json").read_text())["spaces"] for name in ("one", "two"))
    assert one == two


@pytest.mark.turn
def test_without_kernel_tuner_the_command_says_so_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(simulated.importlib.util, "find_spec", lambda name: None)
    assert online.main([write(tmp_path / "n_body.jsonl", lines_of()), "--out", str(tmp_path / "out"), "--seeds", "2",
                        "--strategies", "random"]) == 0
    said = capsys.readouterr()
    assert "Kernel Tuner is not installed" in said.err and "tools/farm/requirements.lock" in said.err
    assert "| random | gpuprims |" in said.out


@pytest.mark.parametrize("change, fault", [
    (lambda lines: lines[:3] + ["{"] + lines[4:], "line 4: JSONDecodeError"),
    (lambda lines: lines[:2] + lines[1:], "line 3: its configurations are not those of"),
    (lambda lines: lines[:5] + [lines[5].replace("[64", "[65")] + lines[6:], "line 6: its configurations are"),
    (lambda lines: lines[:1] + ['{"values": [32, 1], "us": [1, -1, 1]}'] + lines[2:], "line 2: (32, 1) has no 3"),
    (lambda lines: lines[:1] + ['{"values": [32, 1]}'] + lines[2:], "line 2: KeyError('invalid')"),
    (lambda lines: lines[:1] + ["[]"] + lines[2:], "line 2: TypeError"),
    (lambda lines: lines[:1] + ["null"] + lines[2:], "line 2: TypeError"),
    (lambda lines: ['{"parameters": [], "rounds": 1}'] + lines[1:], "line 1: no head of a space"),
    (lambda lines: lines[:-1], "after line 6: its configurations are not those"),
    (lambda lines: lines[:1] + ['{"values": [32, 1], "invalid": "x"}'] + lines[2:], "line 1: the default has no times"),
    (lambda lines: [], "line 1: it is empty")])
def test_bad_files_name_their_line(tmp_path, change, fault):
    path = tmp_path / "n_body.jsonl"
    path.write_text("\n".join(change(lines_of())))
    done = command(path, "--out", tmp_path / "out")
    assert done.returncode == 2 and f"{path}, {fault}" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.turn
def test_live_runs(tmp_path):
    space = write(tmp_path / "n_body.jsonl", lines_of())
    head = json.loads(lines_of()[0])
    tuner = json.dumps({"tuner": "", "parameters": head["parameters"]})

    def step(values, us):
        return json.dumps({"bucket": [], "values": values, **({"us": us} if us else {"rejected": True})})
    start, best = [32, 1], [64, 2]
    runs = [[tuner, step(start, 210), step([128, 2], None), step(best, 400), step(start, 200), step(best, 100),
             step(best, 100), step(best, 101)], [tuner, *[step(start, 200 + i) for i in range(8)]]]
    paths = write(tmp_path / "paths.jsonl", [line for run in runs for line in run])
    done = command(space, "--live", f"n_body:simplex={paths}", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out" / "online.json").read_text())
    assert results["spaces"] == [] and results["device"] == "Made-up 1"
    (found,), = (one["strategies"] for one in results["live"])
    assert (results["live"][0]["program"], results["live"][0]["sections"]) == ("n_body", 7)
    assert (found["name"], found["runs"], found["reached"]) == ("simplex", 2, 1)
    assert found["configurations"] == {"median": 3, "p95": None} and found["final"] == {"median": 0.0, "p95": 1.0}
    regret = (210 + 200 + 400 + 200 + 100 + 100 + 101) / 700 - 1  # a rejected section ran the default
    assert found["regret"]["median"] == pytest.approx(regret, abs=1e-5)
    assert (found["default_us"], found["last_us"], found["worst"]) == (204.25, 154.0, 1.0172)
    assert "## n_body" in done.stdout and (tmp_path / "out" / "online.md").read_text() == done.stdout
    for arguments, fault in ((f"scan:simplex={paths}", "--live scan: no such space; there are n_body"),
                             (f"n_body:best={paths}", "no strategy best; there are auto"),
                             (f"n_body={paths}", "is not PROGRAM:STRATEGY=FILE"), ("n_body:auto=", "is not PROGRAM"),
                             (f"n_body:auto={tmp_path}/none", "none: No such file"),
                             (f"n_body:auto={space}", "n_body.jsonl, line 1: neither")):
        done = command(space, "--live", arguments, "--out", tmp_path / "none")
        assert done.returncode == 2 and fault in done.stderr and "Traceback" not in done.stderr, done.stderr
    other = write(tmp_path / "other.jsonl", [tuner.replace("p1", "p3"), *runs[1][1:]])
    done = command(space, "--live", f"n_body:auto={other}")
    assert done.returncode == 2 and "the space of n_body has other parameters" in done.stderr


@pytest.mark.turn
def test_other_bad_input(tmp_path):
    file = write(tmp_path / "n_body.jsonl", lines_of())
    other = write(tmp_path / "scan.jsonl", lines_of("scan", [[32, 64]], (32,), lambda a: 1.0 * a, "Made-up 2"))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress("\n".join(lines_of()).encode())[:60])
    (tmp_path / "plain.jsonl.gz").write_text("{}")
    (tmp_path / "e.json").write_text("{}")
    for arguments, fault in (((file, other), "measured on Made-up 2"), ((file, file), "n_body is given twice"),
                             ((tmp_path / "none.jsonl",), "none.jsonl: No such file"),
                             ((tmp_path / "cut.jsonl.gz",), "cut.jsonl.gz: EOFError"),
                             ((tmp_path / "plain.jsonl.gz",), "plain.jsonl.gz: BadGzipFile"),
                             ((tmp_path / "e.json",), "e.json: KeyError"),
                             ((file, "--strategies", "best"), "no strategy best; there are auto, simplex"),
                             ((file, "--seeds", "0"), "invalid number value"), ((), "required: SPACES")):
        done = command(*arguments, "--out", tmp_path / "out")
        assert done.returncode == 2 and fault in done.stderr and "Traceback" not in done.stderr, done.stderr
    (tmp_path / "e.json").write_text('{"device": "Made-up 1", "rows": []}')
    done = command(tmp_path / "e.json")
    assert done.returncode == 2 and "no measured space is given" in done.stderr


# ---- Kernel Tuner ----------------------------------------------------------------------------------------------------


def test_strategies_of_kernel_tuner(tmp_path):
    if simulated.version() is None:
        pytest.skip(f"Kernel Tuner is not installed: {simulated.INSTALL}")
    names = simulated.strategies()
    assert {"random_sample", "simulated_annealing", "genetic_algorithm", "pso", "diff_evo"} <= set(names)
    file = spaces.read_space(write(tmp_path / "n_body.jsonl", lines_of(noise=(1, 1.01))))
    for name in ("random_sample", "genetic_algorithm", "mls"):
        runs, why = simulated.job((file, name, [3, 3, 4], 5))
        assert why == "" and len(runs) == 3 and runs[0] == runs[1]
        for measured in runs:
            assert 1 <= len(measured) <= 5 and len({values for values, _ in measured}) == len(measured)
            assert all(time is None if values == (128, 2) else time in file.us[values] for values, time in measured)
