"""Cells of graphs (tools/gp_bfs) on the host back end: each call is checked, its figures follow from its measurements,
and the pages read its lines."""
import json
import os
import statistics
import subprocess

import pytest

from dashboard import read

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GRAPH = "torus rows=20 columns=30"
EDGES, VERTICES = 4 * 20 * 30, 20 * 30


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = str(tmp_path_factory.mktemp("gp_bfs") / "gp_bfs")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu11", "-O0", "-I.", "-Itools", "tools/gp_bfs.c", "-o", built,
                    "-ldl", "-lpthread", "-lm"], cwd=ROOT, check=True)
    return built


@pytest.mark.parametrize("call, calls, levels, reached", [
    ("bfs", 6, 25, 1), ("bfs_sources", 2, 25, 3), ("connected_components", 7, 0, 1), ("graph_from_edges", 7, 0, 1)])
@pytest.mark.turn
def test_lines(program, tmp_path, call, calls, levels, reached):
    path = tmp_path / "2026-11-22.searches.jsonl"
    told = subprocess.run([program, GRAPH, f"call={call}", "backend=host", "sources=6", "at_once=3", f"json={path}",
                           "commit=abc"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert told.endswith("1 policies, 0 wrong\n")
    environment, sample = [json.loads(line) for line in path.read_text().splitlines()]
    assert environment["device"] == "host" and environment["commit"] == "abc"
    assert (sample["primitive"], sample["n"], sample["vertices"], sample["calls"]) == (call, EDGES, VERTICES, calls)
    assert (sample["levels"], sample["status"], len(sample["batches_us"])) == (levels, "ok", calls)
    assert sample["median_us"] == pytest.approx(statistics.median(sample["batches_us"]), abs=2e-3)
    assert sample["gteps_directed"] == pytest.approx(2 * sample["gteps"], abs=2e-4)
    edges = EDGES * reached  # of a call: those of each source, or the generated edges in both directions: as many
    harmonic = calls / sum(us / edges for us in sample["batches_us"]) * 1e-3
    assert sample["gteps_directed"] == pytest.approx(harmonic, rel=0.02, abs=2e-4)
    assert sample["bytes"] > EDGES and sample["of_roof"] == pytest.approx(sample["limit_us"] / sample["median_us"],
                                                                          rel=0.02, abs=2e-4)
    file = read.read(str(path), "host", path.name)
    assert file.kind == "bench" and not file.notices
    (key, measure), = file.bench[0].cells.items()
    assert key.primitive == call and measure.ours[0].us == sample["median_us"]


@pytest.mark.turn
def test_hubs_first(program):
    """The same searches: as many levels, as many edges."""
    def samples(*arguments):
        return subprocess.run([program, "kronecker scale=9", "backend=host", "sources=5", *arguments],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    plain, relabelled = samples(), samples("relabel=1")
    assert any(line.startswith("relabelled, hubs first, in ") for line in relabelled)
    assert "kronecker scale=9 relabelled" in "".join(relabelled) and relabelled[-1] == "1 policies, 0 wrong"
    levels = [[line.split()[6] for line in lines if line.startswith("default")] for lines in (plain, relabelled)]
    assert levels[0] == levels[1] and float(levels[0][0]) > 1


def test_refuses(program):
    for arguments in (["no such graph"], [GRAPH, "call=sort"], [GRAPH, "sources=0"], [GRAPH, "nothing=1"]):
        done = subprocess.run([program, *arguments, "backend=host"], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr
