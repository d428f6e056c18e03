"""Worlds on the host back end: ranks are threads or processes that pass messages through tests/world/loopback.c."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import world_model  # noqa: E402
CC = os.environ.get("CC", "cc")
STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]


def built(folder, name, *words):
    path = str(folder / name)
    subprocess.run([CC, *STRICT, *words[:-1], "-o", path, *words[-1]], cwd=ROOT, check=True)
    return path


@pytest.fixture(scope="session", name="nccl")
def nccl_fixture(tmp_path_factory):
    return built(tmp_path_factory.mktemp("loopback"), "libgp_loopback.so", "-shared", "-fPIC", "-O2", "-pthread",
                 "tests/world/loopback.c", ["-ldl"])


@pytest.fixture(scope="session", name="program")
def program_fixture(tmp_path_factory):
    return built(tmp_path_factory.mktemp("world"), "world", "-O1", "-I.", "-Itools", "tests/world/world.c",
                 ["-Lbuild", "-Wl,-rpath," + os.path.join(ROOT, "build"), "-lgpuprims", "-ldl", "-lpthread", "-lm"])


def run(program, nccl, *words, loopback="timeout=9000", code=0):
    done = subprocess.run([program, "--nccl", nccl, *map(str, words)], stdout=subprocess.PIPE, text=True, timeout=120,
                          check=False, env={**os.environ, "GPUPRIMS_LOOPBACK": loopback})
    assert done.returncode == code, done.stdout[-3000:]
    last = done.stdout.strip().split("\n")[-1].split()
    assert last[1] == "passed," and int(last[0]) + int(last[2]) > 0, done.stdout[-300:]


@pytest.mark.parametrize("ranks", [3, *(pytest.param(ranks, marks=pytest.mark.turn) for ranks in (1, 2, 4, 5, 9))])
def test_every_call(program, nccl, ranks):
    run(program, nccl, "--ranks", ranks, "--first", 10, "--seeds", 8)  # seed 17: no elements


@pytest.mark.turn
def test_tiles_of_several_rounds(program, nccl):
    """Reproducible reductions of arrays whose tiles have two rounds, and whose threads take several tiles' results."""
    run(program, nccl, "--ranks", 3, "--seeds", 1, "--elements", 200, "--bulk", 150000000)


@pytest.mark.turn
def test_times(tmp_path, monkeypatch, nccl):
    """tools/gp_world.c: every cell, graphs, small calls, strong scaling, by one rank and by two; the page of them."""
    program = built(tmp_path, "gp_world", "-O1", "-I.", "-Itools", "tools/gp_world.c", ["-ldl", "-lpthread", "-lm"])
    out = tmp_path / "times.jsonl"
    for kind in ("--small", "--strong"):
        subprocess.run([program, "--host", "--blocking", "--nccl", nccl, "--ranks", "2", "--log2", "12", "--scale",
                        "10", "--seconds", "0.01", kind, "--out", out], check=True, timeout=120)
    with open(out, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert all(row["us"] > 0 and row["alone_us"] > 0 for row in rows)
    strong, small = [row for row in rows if "strong" in row], [row for row in rows if "graph_us" in row]
    weak = [row for row in rows if row not in strong and row not in small]
    for kind, least in ((weak, 16), (strong, 8), (small, 5)):
        cells = [[(row["cell"], row["n"] if kind is small else 0) for row in kind if row["ranks"] == ranks]
                 for ranks in (1, 2)]
        assert cells[0] == cells[1] and len(set(cells[0])) == len(cells[0]) > least
    assert [row["n"] for row in weak if "gteps" in row] == [1 << 10] * 2 + [1 << 11] * 2
    assert [row["n"] for row in strong if "gteps" in row] == [1 << 10] * 4
    assert {row["n"] for row in small} == {1024, 65536}
    assert {row["n"] for row in weak + strong if "gteps" not in row} == {(1 << 12) + 7919}
    monkeypatch.setattr(world_model, "measured", lambda: ("times.jsonl", rows))
    assert sum(line.startswith("| ") for line in world_model.tables()) == 2 * 4 + len(rows) // 2 + 9


@pytest.mark.turn
def test_workspace_size(tmp_path, nccl):
    """The memory of each call beside gp_world_workspace_size: the program reads it in the world itself."""
    program = built(tmp_path, "world", "-O1", "-DWITH_LIBRARY", "-I.", "-Itools", "tests/world/world.c",
                    ["-ldl", "-lpthread", "-lm"])
    run(program, nccl, "--ranks", 3, "--seeds", 6, "--elements", 30000, "--bulk", 3000)


@pytest.mark.parametrize("ranks", [2, 4])
def test_delays(program, nccl, ranks):
    run(program, nccl, "--ranks", ranks, "--seeds", 2, "--first", 40, "--elements", 300, loopback="delay=100")


@pytest.mark.parametrize("ranks", [3, pytest.param(5, marks=pytest.mark.turn)])
def test_messages_in_another_order(program, nccl, ranks):
    """By the program's own communicators, too, which are there after the world."""
    run(program, nccl, "--own", "--ranks", ranks, "--seeds", 3, "--first", 50, loopback=f"timeout=9000,reorder={ranks}")


@pytest.mark.parametrize("own", [[], ["--own"]])
def test_another_version(program, nccl, own):
    run(program, nccl, "--versions", "--ranks", 4, *own)


CALLS = ["reduce", "reproducible", "argmin", "scan", "count_if", "histogram", "top_k", "sort", "digits", "nth_element",
         "transpose", "copy", "select", "partition", "unique", "reduce_by_key", "group_by", "bfs", "components"]


# Seed 9: each rank has elements and vertices.
@pytest.mark.parametrize("ranks, own", [(3, []), pytest.param(2, ["--own"], marks=pytest.mark.turn),
                                        pytest.param(5, [], marks=pytest.mark.turn)])
@pytest.mark.parametrize("call", CALLS)
def test_failures_at_every_call_of_nccl(program, nccl, call, ranks, own):
    run(program, nccl, "--inject", call, "--ranks", ranks, "--first", 9, "--elements",
        4000 if call == "digits" else 150, *own)


# The call that fails is one of the first 40 of a rank: those that open the world, and those of each kind of exchange.
@pytest.mark.parametrize("call", [2, 3, 4, 5, 6, 7, 9, 11, 12, 15, 19, 24])
@pytest.mark.parametrize("how", ["fail={rank}:{call}:3", "die={rank}:{call}"])
@pytest.mark.turn
def test_a_rank_fails(program, nccl, how, call):
    rank = call % 3
    run(program, nccl, "--fails", "--ranks", 3, "--elements", 500,
        loopback=how.format(rank=rank, call=call) + ",timeout=1500", code=1 if call == 2 else 0)


# The graphs of seeds 3 and 5: directed; symmetric, of which levels go bottom-up.
@pytest.mark.parametrize("call", [3, 4, 5, 6, 7, 8, 10, 13, 16])
@pytest.mark.parametrize("how", ["fail={rank}:{call}:3", "die={rank}:{call}"])
@pytest.mark.turn
def test_a_rank_fails_in_a_graph(program, nccl, how, call):
    rank = call % 3
    run(program, nccl, "--fails", "--graphs", "--ranks", 3, "--first", 3 + call % 2 * 2, "--elements", 500,
        loopback=how.format(rank=rank, call=call) + ",timeout=1500")


@pytest.mark.turn
@pytest.mark.parametrize("checker", ["address,undefined", "thread"])
def test_sanitizers(tmp_path, nccl, checker):
    program = built(tmp_path, "world", "-O1", "-g", f"-fsanitize={checker}", "-Wno-tsan",
                    "-Wno-format-truncation", "-DWITH_LIBRARY", "-I.",
                    "-Itools", "tests/world/world.c", ["-ldl", "-lpthread", "-lm"])
    run(program, nccl, "--ranks", 3, "--seeds", 6)
    for call in ("reproducible", "digits", "partition", "group_by", "bfs"):
        run(program, nccl, "--inject", call, "--ranks", 3, "--first", 9, "--elements",
            4000 if call == "digits" else 100)


@pytest.fixture(scope="session", name="sort")
def sort_fixture(tmp_path_factory):
    return built(tmp_path_factory.mktemp("sort"), "sort", "-O0", "-I.", "examples/world/sort.c",
                 ["-Lbuild", "-Wl,-rpath," + os.path.join(ROOT, "build"), "-lgpuprims", "-lm"])


# Plain processes, with a file for the id; what torchrun sets, where the file is named after the job.
@pytest.mark.parametrize("launcher", [{"GPUPRIMS_WORLD_FILE": "id"}, {
    "TORCHELASTIC_RUN_ID": "job", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}])
@pytest.mark.turn
def test_processes(nccl, sort, tmp_path, launcher):
    """The example, a process a rank, without a launcher."""
    env = {**os.environ, "GPUPRIMS_NCCL": nccl, "WORLD_SIZE": "3", **launcher}
    ranks = [subprocess.Popen([sort, "--host", "50000"], env={**env, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                              cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
             for rank in range(3)]
    said = [rank.communicate(timeout=60)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0, 0], said
    assert "150000 keys in order on 3 ranks" in said[0], said
    assert not os.listdir(tmp_path)


@pytest.mark.turn
def test_mpirun(nccl, sort, tmp_path):
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun: apt-get install openmpi-bin")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-x", "GPUPRIMS_NCCL", "-np", "3", sort,
                           "--host", "50000"], env={**os.environ, "GPUPRIMS_NCCL": nccl}, cwd=tmp_path, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0 and "150000 keys in order on 3 ranks" in done.stdout, done.stdout
    assert not os.listdir(tmp_path)


def test_checks_on_a_gpu_leave_out_no_part(program, nccl):
    """tests/gpu/worlds.py names every part of the program but `memory`, which a host back end has, and no other."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "gpu"))
    import worlds  # pylint: disable=import-outside-toplevel
    with open(os.path.join(ROOT, "tests/world/world.c"), encoding="utf-8") as file:
        parts = re.findall(r'"(\w+)"', re.search(r"parts\[\] = \{(.+?)\};", file.read(), re.S).group(1))
    for gpus in (1, 2):
        stages = worlds.jobs(program, nccl, "libnccl.so.2", gpus, True)
        every = [one for stage in stages for one in stage]
        named = {part for _, words, _ in every for word, part in zip(words, words[1:]) if word == "--only"}
        assert named == set(parts) - {"memory"}
        assert any(name.startswith(f"NCCL, {gpus} ranks") and "--capture" in name for name, _, _ in every)
    for _, words, settings in stages[0] + stages[1]:  # the words are the program's
        if nccl in words:
            end = words[words.index("--bulk") + 2:]
            run(program, nccl, "--ranks", 3, "--seeds", 1, "--elements", 50, "--bulk", 3000, *end,
                loopback=settings.replace("timeout=60000", "timeout=9000"))
