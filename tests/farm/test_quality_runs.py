"""tools/quality/measure.py on a made-up ncu and gp_bench: marks, crashes, permission, refused metrics, no ncu."""
import json
import os
import re
import subprocess
import sys
import time

import pytest

import fake_ncu

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.quality import __main__ as command, criteria, measure, reports, tables  # noqa: E402

@pytest.fixture
def session(tmp_path, monkeypatch):
    fake_ncu.install(tmp_path)

    def make(mode="ok", ncu=True):
        monkeypatch.setenv("FAKE_NCU", mode)
        return measure.Session(str(tmp_path / "gp_bench"), None, "cub", str(tmp_path), 60,
                               str(tmp_path / "ncu") if ncu else None)
    return make


def rows_of(lines):
    return {(line["cell"], line["library"]): line for line in lines if line["kind"] == "quality"}


@pytest.mark.turn
def test_crashes_are_named_and_the_rest_goes_on(session):
    cells = ["first", "wrong", "die", "check", "last"]
    s = session()
    s.probe()
    assert s.reason is None and s.ncu
    times = s.times(["first", "wrong", "die", "last"])
    lines = measure.records(cells, times, s.counters(cells))
    rows = rows_of(lines)
    assert rows["first", "gpuprims"]["criteria"]["MC"] == 0.9
    assert rows["first", "gpuprims"]["status"] == "ok" and rows["last", "gpuprims"]["qm"] > 0
    assert [kernel["name"] for kernel in rows["first", "cub"]["kernels"]] == ["cub_kernel", "cub_kernel"]
    assert rows["first", "cub"]["kernels"][0]["counters"]["gap"] == 0.25  # 8 us a call, 6 of them in kernels
    assert rows["wrong", "gpuprims"]["status"].startswith("WRONG") and not rows["wrong", "gpuprims"]["kernels"]
    assert rows["wrong", "cub"]["status"] == "ok"
    assert rows["die", "gpuprims"]["kernels"] and rows["die", "cub"]["status"] == \
        "FAILED: the process ended with status 7 in this call"
    assert rows["check", "gpuprims"]["status"] == "FAILED: the process ended with status 9 before its first call"
    assert "MC +0.00" in rows["first", "gpuprims"]["beside"]
    table = measure.table(lines)
    assert "WRONG" in table and "status 7" in table and "NO DATA" in table and "\n  " in table


@pytest.mark.turn
def test_a_crash_in_the_checks_of_a_later_cell(session):
    s = session()
    s.probe()
    counters = s.counters(["first", "check", "last"])
    assert counters["check", "gpuprims"][0] == "FAILED: the process ended with status 9 before its first call"
    assert {key for key, (status, kernels) in counters.items() if status == "ok" and kernels} == \
        {(cell, library) for cell in ("first", "last") for library in ("gpuprims", "cub")}


def test_a_call_without_kernels_says_so():
    lines = [{"kind": "profile", "mark": mark, "cell": "a", "library": library, "status": "ok"}
             for mark, library in ((1, "gpuprims"), (2, "cub"))]
    kernels = [{"name": measure.MARK, "grid": 1}, {"name": "k", "grid": 5}, {"name": measure.MARK, "grid": 2}]
    assert measure.attribute(lines, measure.by_mark(kernels)) == {("a", "gpuprims"): ("ok", [kernels[1]]),
                                                 ("a", "cub"): ("no kernel in ncu's report", [])}
    assert measure.attribute(lines, {}, "why")["a", "cub"] == ("why", [])
    assert measure.attribute(lines, None, "why")["a", "cub"] == ("why", [])


# The standard output that ncu 2025.3 and gp_bench shared on an H200.
RECORDED = """==PROF== Connected to process 2630 (/build/gp_bench)
[1/3] 0 s load_balance u32 n=64M segments=pareto:64
mark 1: load_balance u32 n=64M segments=pareto:64 [gpuprims] started
==PROF== Profiling "gp__entry" - 0: 0%....50%....100% - 12 passes
mark 1: load_balance u32 n=64M segments=pareto:64 [gpuprims] ok
mark 2: load_balance u32 n=64M segments=pareto:64 [cub] WRONG 3 of 5
mark 3: load_balance u32 n=64M segments=pareto:64 [thrust] started
mark 3: load_balance u32 n=64M segments=pareto:64 [thrust] ok
mark 4: load_balance u32 n=64M segments=pareto:64 [moderngpu] started
==PROF== Profiling "launch_box_cta_k" - 1: 0%....50%....100% - 9 passes
==PROF== Profiling "DeviceRadixSortExclusiveSumKe..." - 2: 0%....50%....100% - 12 passes
mark 4: load_balance u32 n=64M segments=pareto:64 [moderngpu] ok
1 cells measured, 0 not for want of time, 0 failures, 11 s
==PROF== Disconnected from process 2630
"""


def test_lines_tell_whose_a_kernel_is():
    names = ["gp__entry", "void mgpu::launch_box_cta_k<int>(int)", "void cub::DeviceRadixSortExclusiveSumKernel<int>()"]
    kernels = [{"name": name, "grid": 7} for name in names]
    assert reports.by_launch_order(RECORDED, kernels) == {1: kernels[:1], 4: kernels[1:]}
    assert reports.passes_of(RECORDED) == 12 and reports.passes_of("nothing") is None
    assert reports.by_launch_order(RECORDED, kernels[:2]) is None, "a kernel is missing in the report"
    assert reports.by_launch_order(RECORDED, kernels + kernels) is None, "the report has more"
    assert reports.by_launch_order(RECORDED, kernels[::-1]) is None, "other kernels"
    lines = RECORDED.splitlines()
    late = "\n".join(lines[:3] + [lines[4], lines[3]] + lines[5:])
    assert reports.by_launch_order(late, kernels) is None, "a line came too late: between two marks"
    assert reports.by_launch_order("", []) == {}


@pytest.mark.turn
def test_kernels_are_told_apart_without_a_marks_launch(session, monkeypatch):
    monkeypatch.setenv("FAKE_ORDER", "1")
    s = session()
    s.probe()
    assert s.reason is None and not s.marked and s.passes == 12
    cells = ["first", "wrong", "die", "last"]
    s.times(cells)
    assert s.sound == {"first", "die", "last"}, "cells with a wrong call are checked again"
    counters = s.counters(cells)
    assert [kernel["name"] for kernel in counters["first", "cub"][1]] == ["cub_kernel", "cub_kernel"]
    assert {key for key, (status, kernels) in counters.items() if status == "ok" and kernels} == \
        {(cell, library) for cell in cells for library in ("gpuprims", "cub")} - {("wrong", "gpuprims"), ("die", "cub")}
    log = open(s.log.name, encoding="utf-8").read()
    assert "gp_profile_mark" not in log
    asked = [line for line in log.splitlines() if line.startswith("$") and "counters-" in line]
    assert ["--checked" in line for line in asked] == [True, True, False], "two batches after a crash; the wrong cell"


@pytest.mark.turn
def test_marks_are_launched_where_lines_do_not_tell(session, monkeypatch):
    s = session()
    monkeypatch.setenv("FAKE_ORDER", "1")
    s.probe()
    monkeypatch.setenv("FAKE_ORDER", "late")
    counters = s.counters(["first"])
    assert s.marked and counters["first", "cub"][0] == "ok" and len(counters["first", "cub"][1]) == 2


def test_kernels_are_compiled_by_all_processors(session, tmp_path):
    cells = [f"copy u32 n={k}" for k in range(5)]
    jobs = measure.shares_of(cells, ["threads=64"], 2)
    assert jobs == [(cells[::2], ["threads=64"], True), (cells[1::2], ["threads=64"], True)]
    assert measure.shares_of([], [], 2) == []
    session()
    outputs = measure.compile_ahead(str(tmp_path / "gp_bench"), jobs, 5, 2)
    assert [output.startswith("compiled 2 of 2") for output in outputs] == [True, True]
    assert (tmp_path / "compiled").read_text().split() == ["threads=64"] * 2


def test_a_killed_ncu_is_no_reason_to_launch_marks(session, monkeypatch):
    s = session()
    s.ncu, asked = s.ncu or "ncu", []

    def killed(command, cells, seconds):
        asked.append(command)
        s.end = 0
        return None, RECORDED
    monkeypatch.setattr(measure, "run", killed)
    counters = s.counters(["one", "two"])
    assert len(asked) == 1 and not s.marked and all(not kernels for _, kernels in counters.values())
    assert counters["one", "gpuprims"][0] == "FAILED: the time ran out before its first call"


def test_a_process_has_time_to_begin(session):
    s = session()
    s.end = time.monotonic() + 6
    s.times(["one"], 0.1)
    s.counters(["one"])
    log = open(s.log.name, encoding="utf-8").read()
    seconds = [float(found) for found in re.findall(r" --seconds (\d+)", log)]
    assert seconds and min(seconds) >= measure.LEAST_SECONDS


def test_counters_of_the_criteria_alone(session, tmp_path):
    s = measure.Session("p", None, "cub", str(tmp_path), 60, counters="criteria")
    kernel = {"raw": {name: 1.0 for name in s.metrics}, "capability": 90, "block": 256, "grid": 500}
    kernel["raw"].update({name: 32.0 for name in (
        "launch__registers_per_thread", "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic",
        "launch__sm_count", "launch__block_size", "launch__grid_size")})  # of the section LaunchStats
    values = criteria.criteria({**measure.kernel_counters(kernel, {}), "gap": 0.0})
    assert {name for name, value in values.items() if value is None} == {"DT"}
    full = measure.Session("p", None, "cub", str(tmp_path), 60)
    assert len(s.metrics) < len(full.metrics) / 2 + 3 and "WarpStateStats" not in s.sections


def test_what_a_further_run_leaves_out():
    def row(cell, library, status="ok", us=1.0, kernels=1):
        return {"kind": "quality", "cell": cell, "library": library, "status": status, "median_us": us,
                "kernels": [{}] * kernels}
    lines = [row("a", "gpuprims"), row("a", "cub"), row("a", "torch", "not profiled: the time ran out", kernels=0),
             row("b", "gpuprims"), row("b", "cub", "not profiled", kernels=0), row("b", "torch"),
             row("c", "gpuprims"), row("c", "cub", "WRONG 3 of 5", None, 0),
             row("d", "gpuprims", "ncu is not installed", kernels=0)]
    assert measure.finished_cells(lines) == {"": {"a", "c"}, "cupy": set(), "torch": {"b"}}
    further = [row("b", "cub", us=5.0), row("a", "torch", us=6.0), row("b", "gpuprims", "not profiled", kernels=0)]
    assert measure.finished_cells(lines + further) == {"": {"a", "b", "c"}, "cupy": set(), "torch": {"a", "b"}}
    rows = {(one["cell"], one["library"]): one for one in measure.newest(lines + further)}
    assert rows["b", "cub"]["median_us"] == 5 and rows["b", "gpuprims"]["status"] == "ok", "no result is lost"


@pytest.mark.turn
def test_passes_by_groups_of_counters(session, monkeypatch, capsys):
    monkeypatch.setenv("FAKE_ORDER", "1")
    assert command.show_passes(session()) == 0
    out = capsys.readouterr().out
    assert re.search(r"^all +12 ", out, re.M) and re.search(r"^of the criteria +6 ", out, re.M)
    assert "all but WarpStateStats" in out and "all but dram" in out and "all but smsp sass" in out
    assert command.show_passes(session(ncu=False)) == 1


@pytest.mark.turn
def test_no_permission_leaves_launches_and_a_reason(session):
    s = session("permission")
    s.probe()
    assert "ERR_NVGPUCTRPERM" in s.reason and s.ncu and not s.metrics
    row = rows_of(measure.records(["one"], s.times(["one"]), s.counters(["one"]), s.reason))["one", "gpuprims"]
    assert row["criteria"]["MC"] is None and row["median_us"] == 3.5
    assert row["kernels"][0]["counters"]["registers"] == 32


def test_a_refused_metric_is_left_out(session):
    s = session("metric")
    s.probe()
    assert s.refused == ["dram__bytes.sum"] and s.reason is None and "dram__bytes.sum" not in s.metrics


def test_without_ncu_there_are_times(session):
    s = session(ncu=False)
    s.probe()
    lines = measure.records(["one"], s.times(["one"]), s.counters(["one"]), s.reason)
    row = rows_of(lines)["one", "gpuprims"]
    assert row["status"] == "ncu is not installed" and row["median_us"] == 3.5 and row["qm"] is None
    assert set(row["criteria"].values()) == {None}
    assert lines[0]["no_counters"] == "ncu is not installed" and "ncu is not installed" in measure.table(lines)


def test_ncu_that_fails_after_its_probe_is_named(session, monkeypatch):
    s = session()
    s.probe()
    monkeypatch.setenv("FAKE_NCU", "permission")
    counters = s.counters(["one", "two"])
    assert all("ERR_NVGPUCTRPERM" in status for status, _ in counters.values()) and len(counters) == 2


def test_the_time_ran_out(session):
    s = session()
    s.end = 0
    lines = measure.records(["one"], [], s.counters(["one"]))
    assert rows_of(lines)["one", "gpuprims"]["status"] == "not profiled: the time ran out"


def test_a_file_and_its_table(tmp_path, capsys):
    lines = measure.records(["one"], [], {("one", "gpuprims"): ("ok", [])})
    lines[0].update(date="2026-11-28T01:02:03Z", device="Made-up 1", commit="abcdef0123")
    path = command.write(lines, str(tmp_path))
    assert os.path.basename(path) == "2026-11-28.quality.abcdef0.jsonl"
    assert command.main(["--show", path]) == 0 and "one" in capsys.readouterr().out
    again = command.write(lines, str(tmp_path))
    assert os.path.basename(again) == "2026-11-28.quality.abcdef0.2.jsonl", "an earlier run stays"
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"kind": "qual')
    assert measure.lines_of(path) == json.loads(json.dumps(lines))


def test_the_list_of_cells_and_a_machine_without_gpu(monkeypatch, tmp_path, capsys):
    assert len(command.read_cells(command.CELLS)) >= 10
    monkeypatch.setattr(bench, "has_gpu", lambda: False)
    assert command.main(["--cell", "copy u32 n=5"]) == bench.NO_GPU
    report = tmp_path / "a.csv"
    report.write_text('"ID","Kernel Name","CC","gpu__time_duration.sum"\n"","","","ns"\n"0","k<int>(int)","9.0","5"\n')
    assert command.main(["--report", str(report)]) == 0 and "QM -" in capsys.readouterr().out
    assert command.main(["--report", str(tmp_path / "none.csv")]) == 1


def test_find_ncu(monkeypatch, tmp_path):
    monkeypatch.setenv("NCU", str(tmp_path / "none"))
    assert reports.find_ncu() is None
    monkeypatch.setenv("NCU", sys.executable)
    assert reports.find_ncu() == sys.executable


# ---- Tables II and III


def row(cell, library, **fields):
    return {"kind": "quality", "cell": cell, "library": library, "primitive": cell.split()[0], "status": "ok",
            "qm": 0.5, "criteria": {}, "kernels": [{}], "median_us": 2.0, **fields}


def test_table_ii_is_what_ran():
    lines = [row("reduce SUM f32 n=5", "gpuprims"), row("reduce SUM f32 n=5", "cub"),
             row("reduce MAX f32 n=5", "cub"), row("reduce SUM f32 n=6", "cub", kernels=[], median_us=None),
             row("sort u32 n=5", "thrust"),
             row("sort u32 n=5", "cub", status="FAILED: died", kernels=[], median_us=None), row("new u8 n=5", "cuda"),
             row("gather u32 form=flags n=5", "gpuprims"), row("gather u32 n=5", "cub")]
    table = tables.table_two(lines).splitlines()
    assert table[0] == "| class | primitive | gpuprims | cub | thrust | cuda |"
    cells = {line.split("|")[2].strip(): [x.strip() for x in line.split("|")[3:-1]] for line in table[2:]}
    assert cells["Gathering_If"] == ["X", "", "", ""] and cells["Gathering"] == ["", "X", "", ""]
    assert cells["Reduction"] == ["X", "X", "", ""] and cells["Extrema"] == ["", "X", "", ""]
    assert cells["Radix Sort"] == ["", "err", "X", ""] and cells["new"] == ["", "", "", "X"]
    assert len(table) == 2 + 6
    assert tables.table_two([]) == ""


def test_table_iii():
    lines = [row("reduce SUM f32 n=5", "gpuprims", qm=0.75), row("reduce SUM f32 n=5", "cub", qm=None, median_us=4.0)]
    assert tables.table_three(lines).splitlines()[2] == "| reduce SUM f32 n=5 | 0.75 | - | 2.00 | 4.00 |"


def test_every_row_of_table_ii_names_primitives_of_cells():
    with open(os.path.join(ROOT, "tools", "gp_primitives.h"), encoding="utf-8") as file:
        text = file.read()
    for _, name, primitives, _ in tables.ROWS:
        assert all(f"X({primitive}," in text for primitive in primitives), name


def test_the_cells_have_every_row_of_table_ii():
    found = {tables.row_of({"cell": cell}) for cell in command.read_cells(command.CELLS)}
    assert found == {row[:2] for row in tables.ROWS}


def test_the_command_of_tables(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row("reduce SUM f32 n=5", "cub")) + "\n")
    assert command.main(["--tables", str(path)]) == 0
    out = capsys.readouterr().out
    assert "| Reduction | Reduction | X |" in out and "| 0.50 | 2.00 |" in out


def host_bench(folder):
    program = str(folder / "gp_bench")
    subprocess.run([os.environ.get("CC", "gcc"), "-O0", "-w", "-std=gnu11", "-I.", "-Itools", "tools/gp_bench.c", "-o",
                    program, "-ldl", "-lpthread", "-lm"], check=True, cwd=ROOT)
    return program


@pytest.mark.turn
def test_gp_bench_makes_data_for_every_primitive(tmp_path):
    """No cell ends the process by a signal, whatever its primitive."""
    program = host_bench(tmp_path)
    with open(os.path.join(ROOT, "tools/gp_primitives.h")) as file:
        names = re.findall(r'^  X\((\w+), "', file.read(), re.M)
    assert len(names) >= 79
    forms = [f"{operator}{key} {size}" for size in ("n=1K", "shape=64x16", "n=1K segments=fixed:8", "graph=grid:rows=9")
             for operator in ("", "SUM ") for key in ("u32", "f32", "u32 u32")]
    failed, taken = [], 0
    for name in names:
        for form in forms:
            done = subprocess.run([program, "--backend", "host", "--cell-seconds", "0.001", "--seconds", "30",
                                   "--cell", f"{name} {form}"], capture_output=True, text=True, timeout=120)
            if done.returncode != 2:  # 2: no such cell
                taken += 1
                if done.returncode < 0:
                    failed.append((name, form, done.returncode, done.stdout[-200:] + done.stderr[-200:]))
                break
    assert not failed
    assert taken >= 60


@pytest.mark.turn
def test_gp_bench_profiles_on_the_host(tmp_path):
    program, out = host_bench(tmp_path), tmp_path / "out.jsonl"
    status, output = measure.run([program, "--backend", "host", "--cells", "-", "--profile", "2", "--out", str(out)],
                                 ["reduce SUM f32 n=1K", "select u32 n=1K"], 60)
    assert status == 0, output
    lines = [line for line in measure.lines_of(str(out)) if line["kind"] == "profile"]
    assert [(line["mark"], line["status"]) for line in lines] == [(1, "started"), (1, "ok"), (2, "started"), (2, "ok")]
    assert all(line["library"] == "gpuprims" and line["calls"] == 2 for line in lines)
    assert measure.run([program, "--profile", "0"], [], 60)[0] == 2
    status, output = measure.run([program, "--backend", "host", "--cells", "-", "--profile", "1", "--unmarked",
                                  "--checked"], ["gather u32 form=flags n=1K", "scatter u32 form=flags n=1K"], 60)
    assert status == 0 and reports.by_launch_order(output, []) == {}, output
    assert re.findall(r"^mark (\d+): .* (started|ok)$", output, re.M) == [
        ("1", "started"), ("1", "ok"), ("2", "started"), ("2", "ok")]
    for options, words in ((["--unmarked"], "need --profile"), (["--compile", "5"], "compiles nothing"),
                           (["--policy", "threads=64," * 20], "too long")):
        status, output = measure.run([program, "--backend", "host", "--cell", "copy u32 n=5", *options], [], 60)
        assert status == 2 and words in output, output


@pytest.mark.turn
def test_bytes_of_gathers_and_scatters_by_flags(tmp_path):
    """Half of 1000 flags are set: the elements of out, and those that a gather reads, count half."""
    source, program = tmp_path / "bytes.c", str(tmp_path / "bytes")
    source.write_text('''#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"
#include "gp_cells.h"
int main(int count, char **texts) {
  for (int i = 1; i < count; i++) {
    static cell c;
    const char *wrong = parse_cell(texts[i], &c);
    char own[200];
    if (wrong) return puts(wrong), 1;
    cell_own_words(&c, own, sizeof own);
    printf("%.0f%s\\n", moved_bytes(&c, c.n), own);
  }
}
''')
    subprocess.run([os.environ.get("CC", "gcc"), "-O0", "-w", "-std=gnu11", "-I.", "-Itools", str(source), "-o",
                    program, "-ldl", "-lpthread", "-lm"], check=True, cwd=ROOT)
    cells = ["gather u32 n=1000", "scatter u32 n=1000", "gather u32 form=flags n=1000",
             "scatter u32 form=flags key=u16 n=1000"]
    said = subprocess.run([program, *cells], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
    assert said == ["12000", "12000", "9000 form=flags key=u8", "12000 form=flags key=u16"]


def test_the_committed_tables_are_those_of_their_files():
    """docs/quality-tables.md is what --tables prints of the newest measurements that docs/quality.md names."""
    with open(os.path.join(ROOT, "docs", "quality.md"), encoding="utf-8") as file:
        results = file.read().partition("## Results")[2].partition("quality-tables.md")[0]
    files = re.findall(r"\.\./(ci/measurements/[\w/.-]+\.quality\.\w+\.jsonl)", results)
    assert len(files) == 3
    done = subprocess.run([sys.executable, "-m", "tools.quality", "--tables", *files], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE, text=True)
    with open(os.path.join(ROOT, "docs", "quality-tables.md"), encoding="utf-8") as file:
        assert file.read().endswith("\n\n" + done.stdout)
    assert len(done.stdout.split("\n")) > 100
