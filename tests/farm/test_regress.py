"""tools/farm/regress.py runs, on synthetic workers. test_verdicts.py measures the quality of its verdicts."""
import argparse
import json
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.farm import cell_keys, recording, regress, standard, store, validate  # noqa: E402
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW  # noqa: E402


LAST_OF_0_1 = "0b0c4ab098d05b5f6fbce8d2fa52479b277460b2"


@pytest.fixture(autouse=True)
def equal_orders():
    """Chance decides which side of a pair is first, and the synthetic noise belongs to a process: fixes both for the
    tests."""
    random.seed(1)


# ---- cells, trees, the order of processes ----------------------------------------------------------------------------


def test_the_description():
    """Every primitive has its row, a searched one serves those without a search; bench measures at the same sizes."""
    cells = cell_keys.description()["cells"]
    assert set(cells) == {*store.primitives(), "kernel"} and standard.SIZES == bench.SIZES
    assert all(cells[searched]["searched"] == "" for searched in cell_keys.served().values())
    words = {word for cell in cells.values() for word in cell["has"]}
    assert not any(one != other and one in other for one in words for other in words), "strstr looks for them"
    with open(store.SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)["$defs"]
    assert schema["protocol"]["enum"] == cell_keys.description()["protocols"]
    assert tuple(schema["row_policy"]["properties"]) == store.fields()


def test_cells_as_text(tmp_path):
    path = tmp_path / "cells"
    path.write_text("# a comment\nreduce SUM f16 bytes=1M  # half floats\n"
                    "reduce SUM f16 acc=f32 n=524288 protocol=cold\nfill u32 n=4K protocol=graph\n"
                    "exclusive_scan SUM u8 out=u32 n=100\nhistogram_even u8 n=100 bins=16\n"
                    "bfs_sources u32 n=4K graph=kronecker:scale=7 at_once=8\n")
    found = regress.cells_of(str(path))
    assert list(found.items()) == [
        (store.Cell("reduce", "SUM", "f16", "f32", "f16", 524288, "cold"),
         "reduce SUM f16 n=524288 protocol=cold"),
        (store.Cell("fill", "", "u32", "", "u32", 4096, "graph"), "fill u32 n=4096 protocol=graph"),
        (store.Cell("exclusive_scan", "SUM", "u8", "u32", "u32", 100, "cold"),
         "exclusive_scan SUM u8 out=u32 n=100 protocol=cold"),
        (store.Cell("histogram_even", "", "u8", "", "u32", 100, "cold", "bins=16"),
         "histogram_even u8 bins=16 n=100 protocol=cold"),
        (store.Cell("bfs_sources", "", "u32", "", "u32", 4096, "back_to_back", "graph=kronecker:scale=7 at_once=8"),
         "bfs_sources u32 graph=kronecker:scale=7 at_once=8 n=4096 protocol=back_to_back")]
    every = regress.cells_of(None)
    without = set(cell_keys.having("no_cells"))
    assert len(every) > 100 and {cell.primitive for cell in every} == set(store.primitives()) - without
    groups = {cell.group for cell in every if cell.primitive in cell_keys.having("graph")}
    assert groups == {"bfs 4/4/0", "bfs 4/4/8", "bfs_sources 4/4/8", "connected_components 4/4/0",
                      "connected_components 4/4/8", "graph_from_edges 4/4/8"}
    assert all(cell.text == text for cell, text in every.items())
    for primitive, (_, types, _) in standard.CELLS.items():  # columns of the pages, and sizes between
        counts = {cell.n * store.type_sizes()[cell.in_ or cell.out] for cell in every if cell.primitive == primitive}
        assert {4096 << 2 * k for k in range(10)} <= counts, primitive
        assert sum(bool(n & n - 1) for n in counts) >= 3, primitive
        small = [cell for cell in every if cell.primitive == primitive and cell.n <= 1 << 20
                 and cell.protocol != "first_call"]
        assert {cell.protocol for cell in small} == {"cold_graph", "graph"} and types, primitive


def test_first_calls_are_among_the_standard_cells():
    """Some of each way of making kernels, at the end of the list; no structs, which a fresh context does not know."""
    cells = list(regress.cells_of(None))
    first = [cell for cell in cells if cell.protocol == "first_call"]
    assert first == cells[-len(first):] and len(first) <= 12
    assert {"copy", "reduce", "exclusive_scan", "select", "sort", "segmented_sort", "top_k", "bfs"} <= \
        {cell.primitive for cell in first}
    assert not {cell.in_ for cell in first} & {"s12", "s16"}


@pytest.mark.turn
def test_a_first_call_is_compared(tmp_path, base):
    """It is found, and is not a control: the compiler reads the whole header. A job has one of them."""
    cells = standard.FIRST_CALLS[:2] + SWEEP
    slow = {"slower": [{"cells": standard.FIRST_CALLS[1], "factor": 1.15}]}
    assert regress.main(arguments(tmp_path, base, [{}, slow], cells)) == 1
    same, found = (verdict_of(tmp_path, text) for text in standard.FIRST_CALLS[:2])
    assert found["outcome"] == SLOW and found["low"] > 1.05 and same["outcome"] == SAME
    assert not same["control"] and verdict_of(tmp_path, SWEEP[0])["control"]
    samples = [one for one in store.read(str(tmp_path / "store.jsonl")).of("samples")
               if one["protocol"] == "first_call"]
    assert {len(one["us"]) for one in samples} == {1} and {one["calls"] for one in samples} == {1}
    pytest.importorskip("jsonschema_rs")
    assert validate.main([str(tmp_path / "store.jsonl")]) == 0


@pytest.mark.turn
def test_cells_that_do_not_fit_are_named(tmp_path, base, capsys):
    """A device of 2 GiB has room for 64 MiB of input."""
    small = {"memory_bytes": 2 << 30}
    cells = ["copy u32 bytes=64M", "copy u32 bytes=256M", "sort u64 bytes=1G", *SWEEP]
    assert regress.main(arguments(tmp_path, base, [small, small], cells)) == 0
    said = capsys.readouterr()
    assert "2 cells are left out" in said.err and "sort u64 n=134217728 protocol=cold" in said.err
    lines = store.read(str(tmp_path / "store.jsonl")).of("verdict")
    assert len(lines) == len(cells) - 2 and not [line for line in lines if line["outcome"] == NO_DATA]
    assert regress.main(arguments(tmp_path, base, [small, small], cells[1:3])) == 2
    assert "no room for any of the cells" in capsys.readouterr().err
    every = regress.cells_of(None)
    assert standard.fitting(every, 0) == standard.fitting(every, 80 * 10 ** 9) == (every, [])
    fit, large = standard.fitting(every, 15 << 30)
    assert len(fit) + len(large) == len(every) and set(map(standard.input_bytes, fit)) > {256 << 20}
    assert {standard.input_bytes(cell) for cell, text in every.items() if text in large} == {1 << 30}


def test_no_device(tmp_path, base, capsys):
    """One sentence; no table of cells without data, and no store."""
    words = arguments(tmp_path, base, [{}, {}])
    words[words.index("--worker-command") + 1] = "echo 'fatal\tmessage=no driver here'; exit 3"
    assert regress.main(words) == 2
    said = capsys.readouterr()
    assert "regress: no device: no driver here" in said.err and not said.out
    assert not (tmp_path / "store.jsonl").exists()


@pytest.mark.turn
def test_every_standard_cell_has_data(tmp_path, base, capsys):
    """gp_tune stores a cell under the key that is looked up, and a synthetic device and compiler know every primitive:
    no cell is NO DATA."""
    texts = list(regress.cells_of(None).values())
    words = arguments(tmp_path, base, [{}, {}], texts)
    found = []

    def pairs(run, count, cells, stage):
        found.extend([(run.measure("base", cells), run.measure("new", cells))] * (stage == 1))
        return found * 6
    with pytest.MonkeyPatch.context() as patch:  # one pair, counted six times: every process would find the same cells
        patch.setattr(regress.Run, "pairs", pairs)
        regress.main(words)
    lines = store.read(str(tmp_path / "store.jsonl")).of("verdict")
    assert len(lines) == len(texts) > 500
    assert not [(store.cell_of(line).text, line["message"]) for line in lines if line["outcome"] == NO_DATA]
    assert all(line["control"] == (line["protocol"] != "first_call") for line in lines)  # there is code for each


def test_one_key_for_a_cell():
    """A cell's text and its key convert to each other, in any spelling."""
    for cell, text in regress.cells_of(None).items():
        assert cell_keys.read(cell.text) == cell_keys.read(text) == (cell, text)
    for written, text in (("select u32 key=u8 form=flags n=1K", "select u32 form=flags key=u8 n=1024 protocol=cold"),
                          ("histogram_even f32 out=u32 bytes=4K bins=9",
                           "histogram_even f32 bins=9 n=1024 protocol=cold"),
                          ("reduce SUM f16 acc=f16 n=2", "reduce SUM f16 acc=f16 n=2 protocol=cold"),
                          ("iota u64 n=3 protocol=graph", "iota u64 n=3 protocol=graph")):
        cell, found = cell_keys.read(written)
        assert found == text == cell.text


@pytest.mark.parametrize("line, words", [
    ("reduce SUM u32", "n= is missing"), ("reduce SUM u32 n=-3", "is not a count"),
    ("reduce SUM u32 n=x", "is not a count"),
    ("reduse SUM u32 n=1", "no primitive reduse"), ("reduce SUM u33 n=1", "no type u33"),
    ("reduce SUM u32 n=1 protocol=hot", "protocol=hot is unknown: use one of"),
    ("reduce SUM u32 n=1 speed=3", "no field speed"),
    ("u32", "no primitive u32"), ("", "it has no cell")])
def test_bad_cells(tmp_path, capsys, line, words):
    path = tmp_path / "cells"
    path.write_text(f"\n{line}\n")
    assert regress.main(["--base", ROOT, "--cells", str(path)]) == 2
    said = capsys.readouterr().err
    assert words in said and (f"{path}:2" in said or not line)


def test_bases_that_are_none(tmp_path, capsys):
    for base, words in ((str(tmp_path), "no gpuprims.h there"), ("no-such-commit", "neither a folder nor a commit")):
        assert regress.main(["--base", base]) == 2
        assert words in capsys.readouterr().err
    assert regress.main(["--base", ROOT, "--cells", str(tmp_path / "missing")]) == 2
    assert "missing: No such file" in capsys.readouterr().err


@pytest.mark.turn
def test_a_commit_is_checked_out_beside():
    if regress.git(ROOT, "rev-parse", "HEAD") is None:
        pytest.skip("no git checkout")
    tree = regress.tree_of_commit("HEAD")
    show = ["git", "-C", ROOT, "show", "HEAD:gpuprims.h"]
    committed = subprocess.run(show, check=True, stdout=subprocess.PIPE).stdout
    with open(os.path.join(tree.path, "gpuprims.h"), "rb") as file:
        assert file.read() == committed
    assert regress.tree_of_commit("HEAD") == tree and committed.startswith(b"//")


@pytest.mark.parametrize("source", ["worker.c", "cells.c"])
@pytest.mark.turn
def test_gp_tune_takes_a_header_of_0_1(tmp_path, source):
    """A base's header may be older than today's names in gp_call: tools/gp_headers.h."""
    for name in ("gpuprims.h", "gpuprims_policies.h"):
        shown = subprocess.run(["git", "-C", ROOT, "show", f"{LAST_OF_0_1}:{name}"], check=False, capture_output=True)
        if shown.returncode:
            pytest.skip(f"no commit {LAST_OF_0_1} here")
        (tmp_path / name).write_bytes(shown.stdout)
    assert b'#define GPUPRIMS_VERSION "0.1.0"' in (tmp_path / "gpuprims.h").read_bytes()
    done = subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
                           "-fsyntax-only", f"-I{tmp_path}", os.path.join(ROOT, "tools", "tune", source)], cwd=ROOT,
                          check=False, capture_output=True, text=True)
    assert not done.returncode, done.stderr


# ---- whole runs on synthetic workers ---------------------------------------------------------------------------------

# The base has this tree's header; the differences are synthetic. {side} becomes base or new.
MODULE = f"{sys.executable} -m tools.farm.measure"
NOISE = {"between": 0.01, "within": 0.004, "tail": 0.03, "tail_size": 0.05}
QUIET = {"noise": NOISE, "launch_us": 0}
SWEEP = ([f"{primitive} {type_} n={1 << k}" for primitive in ("copy", "exclusive_scan SUM") for type_ in ("u8", "u32")
          for k in range(12, 24, 2)] + [f"reduce SUM u32 n={1 << k}" for k in (12, 16, 18, 20)])


# A policy as fast as a reduction's default, but with other machine code.
AS_FAST = "algorithm=EVEN_SHARE,threads=512,vectors=4,load=STREAMING,store=ALL,stages=0,blocks_per_sm=4,overlap=0"


@pytest.fixture(scope="module")
def base():
    """A checkout with this tree's header, always at the same place, so that it is compiled once."""
    folder = os.path.join(ROOT, "build", "tests", "regress_base")
    with open(os.path.join(ROOT, "gpuprims.h"), "rb") as file:
        store.replace(os.path.join(folder, "gpuprims.h"), file.read())
    return folder


def arguments(tmp_path, base, models, cells=SWEEP, **options):
    for side, model in zip(regress.SIDES, models):
        (tmp_path / f"{side}.json").write_text(json.dumps({**QUIET, "bus": f"{tmp_path.name}-{os.getpid()}", **model}))
    (tmp_path / "cells").write_text("\n".join(cells))
    model = str(tmp_path / "{side}.json")
    words = ["--base", base, "--cells", str(tmp_path / "cells"), "--store", str(tmp_path / "store.jsonl"),
             "--worker-command", f"{MODULE} --synthetic {model}",
             "--compiler-command", f"{MODULE} --compiler --synthetic {model}"]
    return words + [word for name, value in options.items() for word in (f"--{name}", str(value))]


def tick_by_process(patch):
    """The clock advances by a second with each process, however fast the machine is."""
    measure, processes = regress.Run.measure, []
    patch.setattr(regress.Run, "measure", lambda *given: (processes.append(1), measure(*given))[1])
    patch.setattr(regress.time, "monotonic", lambda: len(processes))


def verdict_of(tmp_path, cell):
    lines = store.read(str(tmp_path / "store.jsonl")).of("verdict")
    wanted = cell_keys.read(cell)[0]
    return [line for line in lines if store.cell_of(line) == wanted][-1]


@pytest.mark.turn
def test_a_recording(tmp_path, capsys):
    """Its output is read again, and its table is printed."""
    (tmp_path / "model.json").write_text(json.dumps({**QUIET, "bus": f"{tmp_path.name}-{os.getpid()}"}))
    (tmp_path / "cells").write_text("\n".join([*SWEEP, next(iter(regress.cells_of(None).values()))]))
    worker, out = f"{MODULE} --synthetic {tmp_path / 'model.json'}", str(tmp_path / "noise.jsonl.gz")
    compiler = worker.replace("--synthetic", "--compiler --synthetic")
    assert recording.main(["--out", out, "--cells", str(tmp_path / "cells"), "--seconds", "1", "--worker-command",
                           worker, "--compiler-command", compiler]) == 0
    found = recording.Recording(out)
    assert {cell.text for cell in found.cells} == set(regress.cells_of(str(tmp_path / "cells")).values())
    assert all(len(cell.us) == len(found.processes) >= 2 and (cell.us > 0).all() for cell in found.cells)
    said = capsys.readouterr().out
    assert f"{len(found.processes)} processes" in said and "cold" in said.splitlines()[2]
    assert recording.main(["--medians-of", str(tmp_path / "none"), "--out", out]) == 2
    small = str(tmp_path / "small.jsonl.gz")
    assert recording.main(["--medians-of", out, "--out", small]) == 0
    medians = {cell.text: cell.us for cell in recording.Recording(small).cells}
    standard = [cell for cell in found.cells if cell.text in set(regress.cells_of(None).values())]
    assert standard and medians.keys() == {cell.text for cell in standard}
    assert all(np.allclose(medians[cell.text], np.median(cell.us, axis=1, keepdims=True), rtol=1e-4)
               for cell in standard)


@pytest.mark.turn
def test_a_slowdown_is_found_from_end_to_end(tmp_path, base, capsys):
    changed = {"defaults": {"reduce": AS_FAST},
               "slower": [{"cells": "reduce SUM u32 n=262144 ", "factor": 1.06},
                          {"cells": "reduce SUM u32 n=65536 ", "factor": 0.92}]}
    words = arguments(tmp_path, base, [{}, changed])
    assert regress.main(words) == 1
    out = capsys.readouterr().out
    slow, fast = (verdict_of(tmp_path, f"reduce SUM u32 n={n}") for n in (262144, 65536))
    assert slow["outcome"] == SLOW and slow["low"] < 1.06 < slow["high"] and slow["low"] > 1
    assert fast["outcome"] == FAST and fast["low"] < 0.92 < fast["high"]
    assert (slow["stage"], slow["pairs"], slow["control"]) == (2, 10, False) and slow["q"] < 0.005
    quiet = verdict_of(tmp_path, "copy u8 n=4096")
    assert quiet["outcome"] == SAME and quiet["control"] and quiet["pairs"] == 6
    assert out.splitlines()[1].split()[:6] == ["reduce", "SUM", "u32", "n=262144", "protocol=cold", SLOW]  # worst first
    assert "1 SLOW, 0 NO DATA, 0 UNSURE, 26 SAME, 1 FAST" in out and "gated: 28 of 28 cells" in out
    assert "controls: 24 cells with the base's machine code" in out
    recorded = store.read(str(tmp_path / "store.jsonl"))
    assert not recorded.broken
    check = [line for line in recorded.of("check") if line["name"] == "controls"][-1]
    assert check["passed"] and check["limit"] == 0.05 and check["env"] == slow["env"] != slow["base"]
    commits = {line["id"]: line["commit"] for line in recorded.of("environment")}
    assert commits[slow["base"]] == "regress_base"
    # Pairs are interleaved, the base first in half of them, at random.
    sides = {sample["process"]: sample["env"] == slow["base"] for sample in recorded.of("samples")}
    base_first = [sides[process] for process in range(0, 12, 2)]
    assert [sides[process] for process in range(1, 12, 2)] == [not first for first in base_first]
    assert sum(base_first) == 3 and base_first not in ([True, False] * 3, [False, True] * 3)
    # Only a side's first process verifies outputs; controls are measured again beside changed cells.
    again = {store.cell_of(sample) for sample in recorded.of("samples") if sample["process"] >= 12}
    assert len(again) >= 20 and len(recorded.of("run")) == max(sides) + 1
    # The same store again: everything is measured again, and the old lines stay. There is time for a pair.
    with pytest.MonkeyPatch.context() as patch:
        tick_by_process(patch)
        assert regress.main(words + ["--seconds", "2"]) == 2
    said = capsys.readouterr()
    again = store.read(str(tmp_path / "store.jsonl"))
    assert max(sample["process"] for sample in again.of("samples")) == max(sides) + 2
    assert again.lines[:len(recorded.lines)] == recorded.lines
    assert "1 of 6 pairs of stage 1 were measured" in said.err and "1 pairs; 4 are needed" in said.out
    pytest.importorskip("jsonschema_rs")
    assert validate.main([str(tmp_path / "store.jsonl")]) == 0


@pytest.mark.turn
def test_what_fails_or_is_throttled_is_left_out(tmp_path, base, capsys):
    cells = ["copy u8 n=4096", "copy u32 n=4096", "reduce SUM u32 n=4096"]
    window = {"noise": {**NOISE, "throttle": [0, 9, 1.5]}}  # the nine rounds of each process's first cell
    models = [{"seed": 2}, {"seed": 2, **window, "wrong": ["algorithm=EVEN_SHARE"]}]
    assert regress.main(arguments(tmp_path, base, models, cells)) == 1
    throttled, quiet, wrong = (verdict_of(tmp_path, cell) for cell in cells)
    assert (throttled["outcome"], throttled["left_out"], throttled["message"]) == (NO_DATA, 6, "new: throttled")
    assert (quiet["outcome"], quiet["left_out"], quiet["message"]) == (SAME, 0, "")
    assert wrong["outcome"] == NO_DATA and wrong["message"].startswith("new: status wrong")
    said = capsys.readouterr()
    assert "reduce SUM u32 n=4096 protocol=cold: fails in this tree only" in said.err
    assert "controls: 1 cells with the base's machine code\ncontrols: too few to measure" in said.out


@pytest.mark.turn
def test_a_base_that_cannot_be_built(tmp_path, capsys):
    folder = os.path.join(ROOT, "build", "tests", "regress_old")
    store.replace(os.path.join(folder, "gpuprims.h"), b"#error too old for this\n")
    assert regress.main(arguments(tmp_path, folder, [{}, {}])) == 2
    said = capsys.readouterr()
    assert f"{len(SWEEP)} NO DATA" in said.out and "too old for this" in said.err
    verdict = verdict_of(tmp_path, SWEEP[0])
    assert verdict["outcome"] == NO_DATA and "too old for this" in verdict["message"] and verdict["ratio"] is None


@pytest.mark.turn
def test_the_device_disappears(tmp_path, base, capsys):
    assert regress.main(arguments(tmp_path, base, [{}, {"gone_after_jobs": 2}], SWEEP[:4])) == 2
    said = capsys.readouterr()
    assert "gp_tune (new) ended with status 3" in said.err and "the device is gone" in said.err
    assert verdict_of(tmp_path, SWEEP[0])["outcome"] == NO_DATA


@pytest.mark.turn
def test_a_run_over_several_calls(tmp_path, base, capsys):
    """Each call leaves complete pairs, which the next one does not repeat; the verdicts equal those of one call."""
    changed = {"defaults": {"reduce": AS_FAST}, "slower": [{"cells": "reduce SUM u32 n=262144 ", "factor": 1.06}]}
    words = arguments(tmp_path, base, [{}, changed])
    calls = 0
    with pytest.MonkeyPatch.context() as patch:
        tick_by_process(patch)  # a call lasts three pairs
        while regress.main([*words, "--pause", "6"]) == regress.PAUSED:
            calls += 1
            assert not store.read(str(tmp_path / "store.jsonl")).of("verdict") and calls < 20
    said = capsys.readouterr()
    whole = store.read(str(tmp_path / "store.jsonl"))
    stages = [pair["stage"] for pair in whole.of("pair")]
    assert calls >= 4 and stages.count(1) == regress.PAIRS and stages.count(2) == regress.FRESH_PAIRS, said.err
    assert len({pair["env"] for pair in whole.of("pair")}) == 1 and len(whole.of("verdict")) == len(SWEEP)
    slow = verdict_of(tmp_path, "reduce SUM u32 n=262144")
    assert slow["outcome"] == SLOW and slow["pairs"] == 10


@pytest.mark.turn
def test_interrupted(tmp_path, base):
    words = arguments(tmp_path, base, [{"seconds_per_job": 0.05}, {"seconds_per_job": 0.05}])
    process = subprocess.Popen([sys.executable, "-m", "tools.farm.regress", *words], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    path, deadline = tmp_path / "store.jsonl", time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_text().count('"samples"') > 5:
            break
        time.sleep(0.02)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and f"{len(SWEEP)} NO DATA" in out
    recorded = store.read(str(path))
    assert not recorded.broken and len(recorded.of("samples")) > 5
    assert not recorded.of("verdict")  # so that the same command continues with its pairs
    assert [run["complete"] for run in recorded.of("run")] == [False]


def test_the_first_pair_says_nothing_of_the_next_ones(tmp_path, monkeypatch):
    """The first process compiles and verifies: if each of the others takes a third of its time, they still fit."""
    now, numbers = [0.0], iter(range(100))
    monkeypatch.setattr(regress.time, "monotonic", lambda: now[0])
    options = argparse.Namespace(store=str(tmp_path / "none"), seconds=100, pause=None)
    run = regress.Run({}, {}, options, str(tmp_path))

    def measure_one(side, cells):
        now[0] += 15 if now[0] < 30 else 5
        return next(numbers)

    monkeypatch.setattr(run, "measure", measure_one)
    monkeypatch.setattr(run, "note", lambda *words: None)
    assert len(run.pairs(6, ["cell"], 1)) == 6 and not run.stopped and now[0] == 80
    assert len(run.pairs(10, ["cell"], 2)) == 2 and run.stopped.startswith("out of time: 2 of 10") and now[0] == 100
