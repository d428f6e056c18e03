"""gp_tune's worker on cells of graphs, and the counts that it verifies for other cells (tools/tune/worker.c), without a
GPU: on the host back end and host memory (graph_worker.c)."""
import hashlib
import os
import subprocess

import pytest

from tools.farm import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEARCHES = 8  # of a batch, as in the worker


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = str(tmp_path_factory.mktemp("graph_worker") / "graph_worker")
    parts = [os.path.join(os.path.dirname(__file__), "graph_worker.c"), "tools/tune/kernel.c", "tools/tune/util.c"]
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-O0", "-fsanitize=address", "-Wall",
                    "-Wextra", "-Werror", "-I.", "-Itools/tune", *parts, "-o", built, "-ldl", "-lpthread", "-lm"],
                   cwd=ROOT, check=True)
    return built


def ask(program, cells, breaks="", status=0, give_up=0):
    """[(word, fields)] of its reports on `default` and on the same again, in a job for each cell."""
    lines = []
    for number, cell in enumerate(cells):
        lines.append(measure.message("measure", {"id": f"job{number}", "cell": cell, "rounds": 3, "batch_us": 100,
                                                 "give_up": give_up, "phase": "matrix", "process": 0, "variants": 2}))
        lines += [measure.message("variant", {"policy": "default"})] * 2
    done = subprocess.run([program], input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE, check=False,
                          env={**os.environ, "GRAPH_WORKER_BREAKS": breaks, "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == status, done.stdout
    return [measure.parse(line) for line in done.stdout.splitlines()]


@pytest.mark.turn
def test_a_board_is_named_by_a_hash_of_its_uuid(program):
    names = [fields["name"] for word, fields in ask(program, [], "boards") if word == "board"]
    assert names == [""] + [hashlib.sha256(bytes([k] * 16) + b"gp_tune\0").hexdigest()[:16] for k in range(3)]


@pytest.mark.parametrize("primitive, calls", [("bfs", SEARCHES), ("bfs_sources", 1), ("connected_components", 1),
                                              ("graph_from_edges", 1)])
@pytest.mark.turn
def test_cells(program, primitive, calls):
    """A batch is all searches, each time from the same sources; the reported time is a call's."""
    cells = [f"{primitive} {words} protocol=back_to_back" for words in (
        "u32 graph=kronecker:scale=9 n=16384", "u64 graph=grid:rows=20:columns=30 offsets=u64 n=2400",
        "u32 graph=uniform:n=300:factor=3 n=1800")]
    said = ask(program, cells)
    assert [word for word, _ in said] == ["begin", "begin", "variant", "variant", "done"] * len(cells)
    for fields in (fields for word, fields in said if word == "variant"):
        assert (fields["status"], fields["message"], fields["source"]) == ("ok", "", "host")
        seen = max(2, calls)  # calls of the batch that chooses the others' lengths; every batch takes 96 us
        batch = -(-round(100 / (96 / seen)) // calls) * calls
        assert int(fields["calls"]) == batch
        assert [float(us) for us in fields["us"].split(",")] == [pytest.approx(96 / batch)] * 3


@pytest.mark.turn
def test_more_graphs_than_are_kept(program):
    cells = [f"bfs u32 graph=grid:rows=5:columns={columns} n={20 * columns} protocol=back_to_back"
             for columns in (*range(5, 35), 5)]
    said = ask(program, cells)
    assert [fields["status"] for word, fields in said if word == "variant"] == ["ok"] * 2 * len(cells)


def test_what_is_written_outside(program):
    cells = [f"{primitive} u32 graph=kronecker:scale=8 n=8192 protocol=back_to_back"
             for primitive in ("bfs", "bfs_sources", "connected_components")]
    for word, fields in ask(program, cells, "guard"):
        assert word != "variant" or fields["status"] == "wrong" and "wrote outside its output" in fields["message"]


def test_a_driver_that_fails(program):
    """The variant has a name, and the worker ends."""
    said = ask(program, ["bfs u32 graph=kronecker:scale=8 n=8192 protocol=back_to_back"], "driver", status=4)
    assert [word for word, _ in said] == ["begin", "variant"]
    assert said[1][1]["status"] == "runtime" and "FAKE_ERROR" in said[1][1]["message"]


def test_bad_cells(program):
    said = ask(program, ["bfs u32 graph=kronecker:scale=8 n=8193 protocol=back_to_back", "bfs f32 graph=tree:n=3 n=4"])
    assert [fields["status"] for word, fields in said if word == "variant"] == ["invalid"] * 4


@pytest.mark.parametrize("cell, calls, emptied", [
    ("copy u8 n=64 protocol=graph", 32, False), ("copy u8 n=64 protocol=cold_graph", 128, True),
    ("copy u8 n=16384 protocol=cold_graph", 31, False), ("copy u8 n=1048576 protocol=cold_graph", 1, False)])
@pytest.mark.turn
def test_replays(program, cell, calls, emptied):
    """A cold graph has a set of buffers for each call, and a replay meets no line of the previous one."""
    said = ask(program, [cell], "replays")
    replays = [place for place, (word, _) in enumerate(said) if word == "replay"]
    assert len(replays) >= 2 * 4  # two variants, each replayed once beside its three rounds
    for place in replays:
        sets = int(said[place][1]["sets"])
        assert int(said[place][1]["calls"]) == calls and (sets == calls if "cold" in cell else sets <= calls)
        assert (said[place - 1][0] == "empty") == emptied
        assert not emptied or int(said[place - 1][1]["bytes"]) >= 2 << 16
    for fields in (fields for word, fields in said if word == "variant"):
        assert fields["status"] == "ok" and int(fields["calls"]) % calls == 0
        assert "cold" not in cell or int(fields["calls"]) == calls
        assert all(float(us) == pytest.approx(96 / int(fields["calls"]), abs=1e-4) for us in fields["us"].split(","))


def test_first_calls(program, tmp_path, monkeypatch):
    """The time of one call, whatever was requested, in its own context and a temporary folder. It is announced, because
    the calls of a job together take longer than a watchdog waits."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    cells = ["bfs u32 graph=kronecker:scale=9 n=16384 protocol=first_call",
             "connected_components u32 graph=kronecker:scale=9 n=16384 protocol=first_call"]
    said = ask(program, cells)
    assert [word for word, _ in said] == (["begin"] * 4 + ["variant", "variant", "done"]) * len(cells)
    for fields in (fields for word, fields in said if word == "variant"):
        assert (fields["status"], fields["message"], fields["calls"]) == ("ok", "", "1")
        assert float(fields["us"]) > 0 and float(fields["us"]) != 96  # by the clock, not by events
    assert os.listdir(tmp_path) == []
    said = ask(program, ["unique s16 runs=4 n=4096 protocol=first_call"])
    assert all("needs a built-in type" in fields["message"] for word, fields in said if word == "variant")


@pytest.mark.turn
def test_inputs_are_the_same_however_many_threads_make_them(program):
    done = subprocess.run([program], text=True, stdout=subprocess.PIPE, check=False, input="",
                          env={**os.environ, "GRAPH_WORKER_BREAKS": "threads", "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0 and done.stdout == "alike\t6\n", done.stdout


def test_the_count_that_is_verified(program):
    """Sorts of few keys are verified at their own count, because some algorithms take no more; others at a ragged
    count."""
    few = [f"{sort} n={n}" for sort in ("sort u16", "sort u32", "sort u32 payload=u32", "merge_sort u64 payload=u64")
           for n in (1, 4096, 1 << 20, (1 << 21) - 1)]
    usual = {"sort u32 n=2097152": 4, "sort u64 n=268435456": 8, "inclusive_scan u32 n=4096": 4, "copy u64 n=4096": 8,
             "merge u32 n=4096": 4}
    done = subprocess.run([program, *few, *usual], text=True, stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert [int(n) for n in done.stdout.split()] == [int(cell.split("n=")[1]) for cell in few] + [
        (12 << 20) // size - 37 for size in usual.values()]
