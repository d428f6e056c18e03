"""make tune end to end: gp_tune on a synthetic worker, decisions, the table. No GPU, no NVRTC."""
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from test_gp_tune import program  # noqa: F401 (a fixture: gp_tune of this tree)

import made_up
from tools import bench
from tools.farm import decide, evidence, measure, rows, store

SMALL = ["--primitives", "copy", "--sizes", "256K,4M,64M", "--strategy", "quick", "--jobs", "0"]
NOISE = {"between": 0.003, "within": 0.003}


class Farm:
    """`tune` with its own files, on a synthetic device."""

    def __init__(self, gp_tune, folder):
        self.gp_tune, self.folder = gp_tune, folder
        self.stores, self.table = str(folder / "stores"), str(folder / "gpuprims_policies.h")
        self.environment = {**os.environ, "TMPDIR": str(folder), "XDG_RUNTIME_DIR": str(folder)}

    def command(self, *arguments, **model):
        model = {"device": "Example One", "noise": NOISE, **model}
        path = self.folder / "model.json"
        path.write_text(json.dumps(model))
        worker = f"{sys.executable} -m tools.farm.measure --synthetic {path}"
        return [sys.executable, "-m", "tools.farm", "tune", *SMALL, "--gp-tune", self.gp_tune, "--stores", self.stores,
                "--table", self.table, "--commit", "made-up", "--worker-command", worker, *arguments]

    def start(self, command):
        # Interrupts count even if these tests run in the background of a shell, which ignores them.
        return subprocess.Popen(command, cwd=made_up.ROOT, env=self.environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def run(self, *arguments, status=0, command=None, **model):
        """Its output; its exit status must be `status`."""
        process = self.start(command or self.command(*arguments, **model))
        said, errors = process.communicate(timeout=120)
        assert process.returncode == status, f"exit status {process.returncode}\n{said}\n{errors}"
        return said + errors

    def paths(self):
        return store.paths_under(self.stores)

    def lines(self, kind):
        return [line for path in self.paths() for line in store.read(path).of(kind)]


@pytest.fixture
def farm(program, tmp_path):  # noqa: F811
    return Farm(program, tmp_path)


def samples_of(farm):
    return sorted((line["job"], line["phase"], line["process"], line["variant"], store.policy_text(line["policy"]))
                  for line in farm.lines("samples"))


@pytest.mark.turn
def test_a_tune(farm):
    """Each row is really better than the device's former choice; everything is in the store; the table is written."""
    said = farm.run()
    assert "Example One: " in said and "GPU busy" in said and "pull request" in said
    accepted = [line for line in farm.lines("decision") if line["verdict"] == "accepted"]
    assert len(accepted) >= 4 and {line["phase"] for line in farm.lines("samples")} == {"search", "matrix", "confirm"}
    source = measure.Synthetic({"device": "Example One"})
    types = {value: name for name, value in store.type_sizes().items() if name[0] in "us"}
    for line in accepted:
        type_ = types[int(line["group"].split("/")[-1])]
        gains = []
        for size in line["sizes"]:
            cell = store.Cell("copy", "", type_, type_, type_, size // store.type_sizes()[type_], "cold").text
            gains.append(source.expected_us(cell, "default") /
                         source.expected_us(cell, store.policy_text(line["policy"])) - 1)
        assert min(gains) > -0.02 and sum(gains) / len(gains) > 0.01, line
    with open(farm.table, encoding="utf-8") as file:
        text = file.read()
    assert text == made_up.table_of(farm.stores) and text.count("ROW(\"Example One\", GP_COPY") == len(accepted)
    again = farm.run()  # a finished tune is not repeated: the next one has its own store
    assert len(farm.paths()) == 2 and len(re.findall(r"groups whose rows changed: (\d)", again)) == 1
    second, first = farm.paths()
    assert re.search(r"\.tune\.(\w+\.)?2\.jsonl", second)
    ruled = [line for line in store.read(second).of("samples") if line["variant"] == "rule"]
    assert ruled and {line["phase"] for line in ruled} == {"confirm"} and "cold_graph" in {
        line["protocol"] for line in ruled}
    assert not [line for line in store.read(first).of("samples") if line["variant"] == "rule"]  # no row existed there
    found = decide.stability(first, second, farm.stores)
    assert found.kept == found.rows >= 4
    folded = rows.fold(farm.lines("decision"))
    assert all(len(found) <= rows.MOST_ROWS for found in folded.values())


@pytest.mark.turn
def test_a_tune_of_what_a_program_learned(farm, tmp_path):
    """No search: the matrix has the program's candidate at all sizes, and the rest is as ever. The program's own times
    promise more than there is to gain."""
    candidate, environment = measure.MAP.replace("threads=256", "threads=512"), made_up.environment()
    cell = store.Cell("copy", "", "u32", "", "u32", 1 << 22, "program")
    path = str(tmp_path / "learned.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for line in (environment,
                     made_up.sample(environment["id"], "search", cell._replace(protocol="cold"), "default", [20.5],
                                    policy=store.policy_of(measure.MAP), policy_source="", protocol="program"),
                     made_up.sample(environment["id"], "search", cell._replace(protocol="cold"), candidate, [10.25],
                                    protocol="program")):
            file.write(store.dump(line) + "\n")
    slower = [{"cells": "copy", "policy": "threads=256", "factor": 1.25}]  # that of the default
    command = farm.command("--learned", path, "--processes", "3", slower=slower)
    said = farm.run(command=[word for word in command if word not in SMALL[:6]])
    sizes = len(store.description()["sizes"])
    assert f"the header's own, in {sizes} cells" in said
    assert {line["phase"] for line in farm.lines("samples")} == {"matrix", "confirm"}
    matrix = [line for line in farm.lines("samples") if line["phase"] == "matrix"]
    assert len(matrix) == 3 * sizes  # the default, the candidate, and the header's own choice by name
    assert {"incumbent", "varies", "echo"} <= {check["name"] for check in farm.lines("check") if check["passed"]}
    accepted = [line for line in farm.lines("decision") if line["verdict"] == "accepted"]
    source = measure.Synthetic({"device": "Example One", "slower": slower})
    assert len(accepted) == 1 and store.policy_text(accepted[0]["policy"]) == candidate
    cells = [store.Cell("copy", "", "u32", "", "u32", size // 4, "cold").text for size in accepted[0]["sizes"]]
    gains = [math.log(source.expected_us(cell, "default") / source.expected_us(cell, candidate)) for cell in cells]
    assert abs(math.log1p(accepted[0]["gain"]) - sum(gains) / len(gains)) < 0.01
    with open(farm.table, encoding="utf-8") as file:
        text = file.read()
    assert text == made_up.table_of(farm.stores) and text.count('ROW("Example One", GP_COPY') == 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(store.dump(environment) + "\n")
    said = farm.run(status=2, command=[word for word in command if word not in SMALL[:6]])
    assert "no policy was faster than the default in a program" in said


@pytest.mark.turn(2)
def test_the_default_plan(farm):
    """All primitives at all sizes, like `make tune`, with less work at each. Cells without a policy are named; they
    stop nothing."""
    tiny = "incumbent 1 100; random 2; screen 1 100 0; keep 1; matrix 3 100"
    command = [word for word in farm.command() if word not in SMALL[:6]] + ["--strategy", tiny, "--processes", "3"]
    assert "--primitives" not in command and "--sizes" not in command
    said = farm.run(command=command)
    assert "skipped cells of merge_sort 4/0/0: a cell without a valid policy: merge_sort f32 n=268435456" in said
    searched = subprocess.run([farm.gp_tune, "--list-primitives"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()
    coverage = {line["group"].split()[0]: line for line in farm.lines("coverage")}
    assert len(searched) > 25 and set(coverage) == set(searched)
    assert all(line["measured"] for line in coverage.values())
    decided = {line["group"].split()[0] for line in farm.lines("decision")}
    phases = {line["phase"] for line in farm.lines("samples")}
    assert decided >= set(searched) and phases == {"search", "matrix", "confirm"}
    assert {line["status"] for line in farm.lines("samples")} == {"ok"}
    elsewhere = {cell.group for a_store in made_up.stores_of(farm.stores) for run in evidence.runs_of(a_store)
                 for group in run.groups.values() for cells in group.elsewhere.values() for cell in cells}
    assert len(elsewhere) > 40 and any("top_k " in group for group in elsewhere)


@pytest.mark.turn
def test_an_interrupted_tune_goes_on(farm):
    """After ctrl-C, in the search or in the rerun, the printed command measures only the rest."""
    whole = Farm(farm.gp_tune, farm.folder / "whole")
    whole.folder.mkdir()
    whole.run()
    command = farm.command(seconds_per_job=0.02)
    interruptions = 0
    for phase in ("search", "confirm"):
        process = farm.start(command)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if any(phase.encode() in open(path, "rb").read() for path in farm.paths()):
                process.send_signal(signal.SIGINT)
                break
            time.sleep(0.01)
        _, errors = process.communicate(timeout=60)
        if process.returncode == 130:
            interruptions += 1
            found = re.search(r"continue with: (.*)", errors)
            assert found and "Traceback" not in errors, errors
            command = [sys.executable, *shlex.split(found.group(1))[1:]]
            assert not os.path.exists(farm.table)
    assert interruptions == 2
    farm.run(command=command)
    assert len(farm.paths()) == 1 and samples_of(farm) == samples_of(whole)
    verdicts = [[(line["group"], line["log2_from"], line["log2_to"], line["policy"], line["verdict"])
                 for line in one.lines("decision")] for one in (farm, whole)]
    assert verdicts[0] == verdicts[1]


@pytest.mark.turn
def test_a_tune_in_calls(farm):
    """--pause: the same command, call by call, measures as much as one call."""
    whole = Farm(farm.gp_tune, farm.folder / "whole")
    whole.folder.mkdir()
    start = time.monotonic()
    whole.run()
    pause = max(4, 0.6 * (time.monotonic() - start))  # a call must get beyond its start, on a busy machine too
    command, statuses = farm.command("--pause", str(pause), seconds_per_job=0.02), []
    while (not statuses or statuses[-1] == 5) and len(statuses) < 20:
        process = farm.start(command)
        said, errors = process.communicate(timeout=120)
        statuses.append(process.returncode)
        assert ("this call has used its time" in errors) == (statuses[-1] == 5), errors
    assert statuses[-1] == 0 and len(statuses) > 2, errors
    assert len(farm.paths()) == 1 and samples_of(farm) == samples_of(whole)


@pytest.mark.turn
def test_a_broken_machine_is_believed_nothing(farm):
    said = farm.run(status=1, constant_us=5)
    assert "0 rows" in said and {line["verdict"] for line in farm.lines("decision")} == {"kept"}
    assert "no rows" in open(farm.table, encoding="utf-8").read()
    farm.run(status=1, echo=[{"policy": "vectors=2|4|8", "says": "vectors=1"}], device="Example Two")
    assert not any(line["verdict"] == "accepted" for line in farm.lines("decision"))


@pytest.mark.turn
def test_a_few_self_checks_fail(farm):
    """One group of 23: it has no row, which is reported, and later commands work."""
    words = ["--primitives", "copy,fill,iota,transform,transform2,adjacent_difference", "--sizes", "64M", "--strategy",
             "incumbent 1 100; random 3; screen 1 100 0; keep 1; matrix 3 100", "--jobs", "0", "--processes", "3"]
    bad = [{"cells": "transform2 SUM u16", "policy": "threads=128,vectors=1,blocks_per_sm=1", "factor": 0.1}]
    said = farm.run(command=[word for word in farm.command(slower=bad) if word not in SMALL] + words)
    failed, = {check["group"] for check in evidence.checks_of(store.read(farm.paths()[0])) if not check["passed"]}
    assert failed == "transform2 2/0/2" and f"self-check failed: bad of {failed}" in said
    assert not [line for line in farm.lines("decision") if line["group"] == failed and line["verdict"] == "accepted"]


@pytest.mark.turn
def test_what_waits_longest_is_searched_first(farm):
    """Never searched on this device, then by age; if --seconds are too few, the next tune begins with the rest."""
    words = ["--sizes", "64K,16M", "--strategy", "quick", "--jobs", "0", "--processes", "3", "--seconds", "1"]
    command = [word for word in farm.command() if word not in SMALL] + words
    left_out, searched = [], []
    for _ in range(3):
        before = set(farm.paths())
        said = farm.run(command=command)
        left_out.append(re.search(r"left out, all groups of: (.*)", said)[1].split(", "))
        path, = set(farm.paths()) - before
        searched.append(list(dict.fromkeys(line["group"].split()[0] for line in store.read(path).of("coverage"))))
    assert not set(searched[0]) & set(left_out[0]) and all(searched)
    assert searched[1] + searched[2] == left_out[0][:len(searched[1] + searched[2])]


def test_no_device(farm):
    said = farm.run(status=4, command=farm.command()[:-2] + ["--worker-command", "echo fatal; exit 3"])
    assert "no device" in said and "Traceback" not in said and not farm.paths()


@pytest.mark.turn
def test_a_device_that_disappears(farm):
    said = farm.run(status=3, gone_after_jobs=5)
    assert "the measurements are kept, continue with: python3 -m tools.farm tune" in said
    assert len(farm.lines("samples")) > 0 and not farm.lines("decision") and not os.path.exists(farm.table)


@pytest.mark.turn
def test_bad_usage(farm):
    assert "fewer than 3" in farm.run("--processes", "2", status=2)
    assert "compressed" in farm.run("--store", str(farm.folder / "a.jsonl.gz"), status=2)
    said = farm.run("--primitives", "dream", status=2)
    assert "dream" in said and "Traceback" not in said


def test_the_name_of_a_store(tmp_path):
    """The day, the commit, a number where that commit's tunes of the day are finished."""
    from tools.farm import tune
    place, date = tmp_path / "example-one", time.strftime("%Y-%m-%d", time.gmtime())

    def name(commit):
        return os.path.basename(tune.default_store(str(tmp_path), "Example One", commit))
    place.mkdir()
    assert name("0123456789ab+") == f"{date}.tune.0123456.jsonl" and name("folder") == f"{date}.tune.jsonl"
    (place / f"{date}.tune.0123456.jsonl.gz").write_bytes(b"")  # compressed: nothing is appended to it
    assert name("0123456789ab") == f"{date}.tune.0123456.2.jsonl" and name("abcdef0") == f"{date}.tune.abcdef0.jsonl"


@pytest.mark.turn
def test_a_store_of_ones_own(farm):
    """Outside of the table's stores: decided, and the table stays."""
    path = str(farm.folder / "own" / "mine.jsonl")
    said = farm.run("--store", path)
    assert "the table is unchanged" in said and not os.path.exists(farm.table) and not farm.paths()
    assert any(line["verdict"] == "accepted" for line in store.read(path).of("decision"))


@pytest.mark.turn
def test_it_needs_numpy_and_scipy_only(farm):
    """Machines that measure have no more."""
    for name in ("jsonschema_rs", "matplotlib", "hypothesis"):
        (farm.folder / f"{name}.py").write_text(f"raise ImportError('no {name} on this machine')\n")
    farm.environment["PYTHONPATH"] = str(farm.folder)
    farm.run()


def test_what_decides_is_missed_before_anything_is_measured(tmp_path, monkeypatch, capsys):
    from tools.farm import tune
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setattr(tune.importlib.util, "find_spec", lambda name: None)
    assert tune.main(["--gp-tune", "false", "--stores", str(tmp_path)]) == 2
    assert "SciPy" in capsys.readouterr().err and not os.listdir(tmp_path)


def test_todays_store(tmp_path):
    """The day's first unfinished one; the folder is the device's."""
    from tools.farm import tune
    first = tune.default_store(str(tmp_path), "NVIDIA H200", "0123456")
    assert os.path.dirname(first) == str(tmp_path / "nvidia-h200") == str(tmp_path / bench.folder_name("NVIDIA H200"))
    os.makedirs(os.path.dirname(first))
    store.append(first, [made_up.environment()])
    assert tune.default_store(str(tmp_path), "NVIDIA H200", "0123456") == first
    made_up.Tune(first, lambda *_: 1.0).search().write().decide(tmp_path)
    second = tune.default_store(str(tmp_path), "NVIDIA H200", "0123456")
    assert second == first.replace(".jsonl", ".2.jsonl")
    store.merge_main([first, "--out", f"{first}.gz"])
    os.remove(first)
    assert tune.default_store(str(tmp_path), "NVIDIA H200", "0123456") == second
    assert [run.date for path in store.paths_under(str(tmp_path)) for run in evidence.runs_of(store.read(path))]
