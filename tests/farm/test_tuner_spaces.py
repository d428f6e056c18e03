"""The measurement of a whole space (examples/tuner/program.h) by a program with made-up times, and spaces.py, which
draws it."""
import collections
import importlib.util
import itertools
import json
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPACES = os.path.join(ROOT, "examples", "tuner", "spaces.py")
specification = importlib.util.spec_from_file_location("spaces", SPACES)
spaces = importlib.util.module_from_spec(specification)
specification.loader.exec_module(spaces)

AXES = [[32, 64, 96, 2048], [1, 2, 4, 8], [7, 3]]
ALL = list(itertools.product(*AXES))
REFUSED = [values for values in ALL if values[0] == 2048]
INVALID = [(96, 4, 7), (96, 4, 3)]
VALID = [values for values in ALL if values not in REFUSED + INVALID]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = tmp_path_factory.mktemp("made_up") / "program"
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                    "-Wno-deprecated-declarations", f"-I{ROOT}",
                    os.path.join(ROOT, "tests", "farm", "made_up_tuner_program.c"), "-o", built], check=True)
    return built


def run(program, tmp_path, how, *arguments):
    """(status, output, errors, {configuration: how often it ran and was timed}, the timed configurations in order)."""
    done = subprocess.run([program, how, tmp_path / "order", *map(str, arguments)], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(tmp_path / "order") as file:
        lines = [tuple(map(int, line.split())) for line in file]
    return done.returncode, done.stdout, done.stderr, [line[:3] for line in lines if not line[3]], \
        [line[:3] for line in lines if line[3]]


def expected_us(threads, unroll, mode):
    return (100 + abs(threads - 64) + 10 * abs(unroll - 4)) * (2 if mode == 7 else 1)


def test_a_space_has_every_configuration_and_its_times(program, tmp_path):
    status, said, errors, checked, timed = run(program, tmp_path, "right", "--exhaustive", tmp_path / "s.jsonl",
                                               "--rounds", 5)
    assert (status, errors) == (0, "")
    space = spaces.read_space(tmp_path / "s.jsonl")
    assert {key: space.head[key] for key in ("program", "device", "driver", "cuda", "size", "rounds")} == \
        {"program": "made_up", "device": "made up", "driver": "13.1", "cuda": "12.8", "size": 1000, "rounds": 5}
    assert space.head["parameters"] == [
        {"name": "threads", "values": AXES[0], "default": 32, "categorical": False},
        {"name": "unroll", "values": AXES[1], "default": 2, "categorical": False},
        {"name": "mode", "values": AXES[2], "default": 7, "categorical": True}]
    assert space.invalid == {**dict.fromkeys(INVALID, "96 by 4"), **dict.fromkeys(REFUSED, "CUDA_ERROR_INVALID_VALUE")}
    assert set(space.us) == set(VALID)
    for values, times in space.us.items():
        assert all(time - expected_us(*values) in (0, 0.25) for time in times), values
    assert checked == [values for values in ALL if values not in INVALID], "each runs once to be checked"
    assert f"{len(VALID)} checks" in said
    assert "32 configurations, 10 invalid, 5 rounds" in said
    medians = spaces.medians_of(space)
    start, least = medians[(32, 2, 7)], medians[(64, 4, 3)]
    assert spaces.optimum_of(medians) == (64, 4, 3)
    assert f"default   {start:12.2f} us  threads 32, unroll 2, mode 7\n" in said
    assert f"optimum   {least:12.2f} us  threads 64, unroll 4, mode 3\n" in said
    assert f"gain      {100 * (1 - least / start):12.1f} % of the default's time\n" in said



def test_rounds_take_turns_in_orders_of_their_own(program, tmp_path):
    timed = run(program, tmp_path, "right", "--exhaustive", tmp_path / "s.jsonl", "--rounds", 4)[4]
    size = len(VALID) + 1  # each round begins with a run that warms up
    assert len(timed) == 4 * size
    rounds = [timed[k * size:(k + 1) * size] for k in range(4)]
    for one in rounds:
        assert one[0] == one[1]
        assert collections.Counter(one[1:]) == collections.Counter(VALID)
    assert len({tuple(one) for one in rounds}) == 4


def test_a_wrong_result_fails_and_has_no_times(program, tmp_path):
    status, said, errors, _, timed = run(program, tmp_path, "wrong", "--exhaustive", tmp_path / "s.jsonl")
    assert status == 1 and f"{len(VALID) - 2} passed, 2 failed, 0 skipped" in said
    assert "FAILED: made_up at 32, 1, 7: a made-up fault" in errors and errors.count("FAILED") == 2
    assert (32, 1, 7) not in timed and (32, 1, 3) not in timed
    assert spaces.read_space(tmp_path / "s.jsonl").invalid[(32, 1, 3)] == "a made-up fault"


def test_a_configuration_that_stops_working_ends_the_program(program, tmp_path):
    status, _, errors, _, _ = run(program, tmp_path, "changes", "--exhaustive", tmp_path / "s.jsonl")
    assert status == 1 and "made_up: it has run before" in errors


def test_the_default_alone(program, tmp_path):
    status, said, errors, checked, timed = run(program, tmp_path, "right", "--rounds", 3)
    assert (status, errors, checked) == (0, "", [(32, 2, 7)])
    assert timed == [(32, 2, 7)] * 4 and "us  threads 32, unroll 2, mode 7" in said
    assert "more of 32 2 7 at size 1000" in said and "1 passed, 0 failed, 0 skipped" in said
    status, said, _, checked, timed = run(program, tmp_path, "right", "--check", "--size", 77)
    assert (status, checked, timed) == (0, [(32, 2, 7)], [])
    assert "size 77, on made up" in said and "more of 32 2 7 at size 77" in said and " us " not in said


def test_without_a_gpu_the_host_checks_a_small_size(program, tmp_path):
    status, said, errors, checked, timed = run(program, tmp_path, "no_gpu")
    assert (status, errors, checked, timed) == (0, "", [(32, 2, 7)], [])
    assert "size 10, on the host" in said and "no GPU: it is made up" in said and "at size 10" in said
    status, _, errors, checked, _ = run(program, tmp_path, "no_gpu", "--exhaustive", tmp_path / "s.jsonl")
    assert status == 1 and "--exhaustive needs a GPU: it is made up" in errors and not checked
    assert not os.path.exists(tmp_path / "s.jsonl")


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--size", "0"], ["--size", "x"], ["--exhaustive"],
                                       ["--check", "--exhaustive", "s.jsonl"], ["--unknown"]])
def test_unknown_options(program, tmp_path, arguments):
    status, _, errors, checked, _ = run(program, tmp_path, "right", *arguments)
    assert status == 2 and "usage: " in errors and not checked


# ---- spaces.py


def write_space(path, name, axes, default, time_of, rounds=3):
    head = {"program": name, "device": "made up", "driver": "13.0", "cuda": "13.0", "date": "2026-01-02T03:04:05Z",
            "size": 1000, "rounds": rounds,
            "parameters": [{"name": f"p{k}", "values": values, "default": default[k], "categorical": False}
                           for k, values in enumerate(axes)]}
    lines = [head]
    for values in itertools.product(*axes):
        us = time_of(*values)
        lines.append({"values": values, "us": [us, us * 1.01, us * 1.02]} if us else
                     {"values": values, "invalid": "made up"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.turn
def test_tables_and_pictures(tmp_path):
    files = [write_space(tmp_path / "a.jsonl", "merge_sort", [[32, 64, 96]] * 3, (32, 32, 32),
                         lambda a, b, c: None if (a, b) == (96, 96) else 1000.0 + a + 2 * abs(b - 64) + c),
             write_space(tmp_path / "b.jsonl", "n_body", [[64, 32], [1, 2]], (32, 1), lambda a, b: 2000.0 * a / b),
             write_space(tmp_path / "c.jsonl", "scan", [[32, 64]], (64,), lambda a: 10.0 * a),
             tmp_path / "e.json"]
    files[3].write_text(json.dumps({"program": "empty_kernel", "device": "made up", "rows": [
        {"threads": 128, "blocks": 7, "average_us": 3.14159, "deviation_us": 0.5, "us": []}]}))
    done = subprocess.run([sys.executable, SPACES, *files, "--out", tmp_path / "out"], text=True, check=True,
                          stdout=subprocess.PIPE)
    tables = (tmp_path / "out" / "tables.md").read_text()
    assert tables in done.stdout
    assert "| made up | 1.139 | 1.075 | 5.7 % |  | measured, 2026-01-02, driver 13.0 |" in tables
    assert "| Quadro 6000 | 48.3 | 32.4 | 32.81 % | 17 | 2013, Table 2 |" in tables
    assert "Default: p0 32, p1 32, p2 32. Optimum: p0 32, p1 64, p2 32." in tables
    assert "24 configurations, and 3 invalid ones." in tables
    assert "| made up | 64.64 | 32.32 | 50.0 % |" in tables and "| GTX 680 | 2937 | 2824 | 3.8 % | 14 |" in tables
    assert "| made up | 0.6464 | 0.3232 | 50.0 % |" in tables and "13.4 %" in tables
    assert "| made up | 128 | 7 | 3.14 | 0.50 |" in tables and "| 512 | not given | 232 | 28 |" in tables
    for name, kind in itertools.product(("merge_sort", "n_body", "scan"), ("svg", "png")):
        assert os.path.getsize(tmp_path / "out" / f"{name}.{kind}") > 8000


def test_a_damaged_file_of_the_empty_kernel(tmp_path):
    (tmp_path / "e.json").write_text('{"device": "x", "rows": [{}]}')
    with pytest.raises(spaces.Damaged, match="threads"):
        spaces.read_empty(str(tmp_path / "e.json"))


@pytest.mark.turn
def test_equal_results_make_equal_files(tmp_path):
    file = write_space(tmp_path / "a.jsonl", "n_body", [[32, 64], [1, 2]], (32, 1), lambda a, b: 1.0 * a * b)
    for name in ("one", "two"):
        subprocess.run([sys.executable, SPACES, file, "--out", tmp_path / name], check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "one" / "n_body.svg").read_bytes() == (tmp_path / "two" / "n_body.svg").read_bytes()


@pytest.mark.parametrize("change, fault", [
    (lambda lines: lines[:-1], "its configurations are not those of its parameters"),
    (lambda lines: lines + lines[-1:], "its configurations are not those of its parameters"),
    (lambda lines: lines[:1] + [lines[1].replace("[32]", "[33]")] + lines[2:], "its configurations are not those"),
    (lambda lines: lines[:1] + ['{"values": [32], "invalid": "x"}'] + lines[2:], "the default has no times"),
    (lambda lines: lines[:2] + ['{"values": [64], "us": [1, 2]}'], "has no 3 times above 0"),
    (lambda lines: lines[:2] + ['{"values": [64], "us": [1, 2, 0]}'], "has no 3 times above 0"),
    (lambda lines: lines[:2] + ["{"], "JSONDecodeError"),
    (lambda lines: [], "line 1: it is empty"),
    (lambda lines: ['{"program": "x"}'], "KeyError")])
def test_damaged_files(tmp_path, change, fault):
    file = write_space(tmp_path / "a.jsonl", "scan", [[32, 64]], (32,), lambda a: 1.0 * a)
    file.write_text("\n".join(change(file.read_text().splitlines())))
    done = subprocess.run([sys.executable, SPACES, file, "--out", tmp_path / "out"], text=True, check=False,
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and fault in done.stderr and "Traceback" not in done.stderr
