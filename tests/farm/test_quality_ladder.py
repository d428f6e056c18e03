"""tools/quality/ladder.py: counters of the ladder's kernels by a made-up ncu, which lacks a metric, refuses to count,
mixes kernels up or says nothing."""
import json
import os
import stat
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.paper import sources  # noqa: E402
from tools.quality import ladder, points  # noqa: E402

COUNTED = ["counted\treduction\t1024\t0\t3\treduce_3\t2\t128",
           "counted\tfloats\t3072\t0\tfloat3 shared\tfloat3_shared\t1\t256"]
# Two launches of the sum, one of the floats.
KERNELS = [("reduce_3", 4096, 1000, 100), ("reduce_3", 1024, 10, 10), ("float3_shared", 6144, 0, 50)]


def csv_of(metrics, kernels):
    lines = ['"ID","Kernel Name","Block Size","Grid Size","CC",' + ",".join(f'"{name}"' for name in metrics)]
    lines.append('"","","","","",' + ",".join('""' for _ in metrics))
    for at, (name, instructions, conflicts, most) in enumerate(kernels):
        values = {"smsp__thread_inst_executed.sum": instructions, "lts__t_sectors.max": most, "lts__t_sectors.avg": 50,
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": conflicts}
        lines.append(f'"{at}","{name}(const unsigned *)","(128, 1, 1)","(8, 1, 1)","9.0",'
                     + ",".join(f'"{values.get(metric, 1)}"' for metric in metrics))
    return lines


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """Makes an ncu that prints lines by its metrics; the machine has a GPU, and a program."""
    def make(kernels=tuple(KERNELS), counted=tuple(COUNTED), unknown="", error=""):
        (tmp_path / "made_up.py").write_text(f"""
import sys
sys.path[:0] = [{os.path.dirname(os.path.abspath(__file__))!r}, {ROOT!r}]
import test_quality_ladder as made_up
metrics = sys.argv[sys.argv.index("--metrics") + 1].split(",")
if {unknown!r} in metrics:
    sys.exit(print("==ERROR== Failed to find metric {unknown}"))
if {error!r}:
    sys.exit(print({error!r}))
print("\\n".join([*{list(counted)!r}, *made_up.csv_of(metrics, {list(kernels)!r})]))
""")
        path = tmp_path / "ncu"
        path.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path}/made_up.py \"$@\"\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(ladder.reports, "find_ncu", lambda: str(path))
    monkeypatch.setattr(bench, "has_gpu", lambda: True)
    monkeypatch.setattr(bench, "run", lambda command: None)
    monkeypatch.setattr(ladder, "device_name", lambda: "Made-up 1")
    return make


def count(tmp_path, capsys):
    code = ladder.main(["--out", str(tmp_path / "made-up-1"), "--seconds", "60"])
    files = list((tmp_path / "made-up-1").glob("*.json")) if (tmp_path / "made-up-1").exists() else []
    return code, files, capsys.readouterr()


@pytest.mark.turn
def test_counters_by_hand(ncu, tmp_path, capsys):
    ncu()
    code, files, said = count(tmp_path, capsys)
    assert code == 0 and len(files) == 1
    first, second = json.loads(files[0].read_text())["kernels"]
    # 4096 + 1024 instructions of 1024 elements; conflicts of the first launch; its busiest slice has twice the mean.
    assert (first["name"], first["instructions_an_element"]) == ("3", 5)
    assert (first["conflicts_loads"], first["slices"]) == (1000, 2)
    assert (second["name"], second["instructions_an_element"], second["slices"]) == ("float3 shared", 2, 1)
    assert "float3 shared" in said.out
    assert sources.devices_of(str(tmp_path))[0].others["ladder_counters"]["kernels"][0]["name"] == "3"
    assert ladder.main(["--show", str(files[0])]) == 0 and "5.00" in capsys.readouterr().out


@pytest.mark.turn
def test_an_unknown_metric_is_left_out(ncu, tmp_path, capsys):
    ncu(unknown="dram__bytes.max")
    code, files, _ = count(tmp_path, capsys)
    kernel = json.loads(files[0].read_text())["kernels"][0]
    assert code == 0 and kernel["channels"] is None and kernel["slices"] == 2


@pytest.mark.parametrize("made, why", [
    ({"error": "==ERROR== ERR_NVGPUCTRPERM: no permission"}, "ERR_NVGPUCTRPERM"),
    ({"kernels": KERNELS[1:]}, "do not follow"), ({"kernels": [KERNELS[2], *KERNELS[:2]]}, "do not follow"),
    ({"counted": ()}, "")])
@pytest.mark.turn
def test_nothing_is_written_where_counting_fails(ncu, tmp_path, capsys, made, why):
    ncu(**made)
    code, files, said = count(tmp_path, capsys)
    assert code == bench.NO_GPU and not files and why in said.err


def test_without_ncu_or_gpu(ncu, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ladder.reports, "find_ncu", lambda: None)
    code, files, said = count(tmp_path, capsys)
    assert code == bench.NO_GPU and not files and "no ncu" in said.err
    monkeypatch.setattr(bench, "has_gpu", lambda: False)
    assert count(tmp_path, capsys)[0] == bench.NO_GPU


def test_granularity_varies_blocks_alone():
    for cell, policies in points.GRANULARITY:
        kept = {policy.rsplit(",", 1)[0] for policy in policies}
        assert len(kept) == 1 and len(set(policies)) == len(policies) > 2, cell
