"""tools/quality's further libraries: sources and builds, CuPy and PyTorch on a stand-in, one thread of the host."""
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.quality import __main__ as command, frameworks, libraries, measure, sequential  # noqa: E402

CELLS = command.read_cells(command.CELLS)
CASE = command.read_cells(os.path.join(os.path.dirname(command.CELLS), "case_study.txt"))
SMALL = [re.sub(r"n=\d+M", "n=4K", cell) for cell in CELLS + CASE]

# ---- sources and builds


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit that stands for moderngpu's."""
    folder = tmp_path / "origin"
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    (folder / "a.hxx").write_text("// a\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "a"], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    own = libraries.LIBRARIES["moderngpu"]._replace(url="/nowhere", commit=commit)
    monkeypatch.setattr(libraries, "LIBRARIES", {"moderngpu": own})
    monkeypatch.setattr(libraries, "SOURCES", str(tmp_path / "peers"))
    monkeypatch.setattr(libraries, "TARGET", str(tmp_path / "libgp_more.so"))
    return str(folder), commit


def test_sources_come_at_their_commit(repository, capsys):
    url, commit = repository
    assert libraries.commit_of("moderngpu") is None
    with pytest.raises(SystemExit):
        libraries.fetch("moderngpu")  # from nowhere
    assert libraries.main(["--from", f"moderngpu={url}"]) == 0
    assert libraries.commit_of("moderngpu") == commit
    assert os.path.exists(os.path.join(capsys.readouterr().out.strip(), "a.hxx"))
    with pytest.raises(SystemExit):
        libraries.main(["--from", "thrust=x"])


def test_a_newer_cub_is_a_second_library(repository, monkeypatch, tmp_path):
    """tools/bench.py --cccl: some folders of a commit or of a branch, and peers that are compiled with them."""
    url, commit = repository
    folder = str(tmp_path / "peers" / "cccl")
    monkeypatch.setattr(bench, "SOURCES", str(tmp_path / "peers"))
    assert bench.build_next_peers("sm_90") is None  # nothing was fetched
    branch = subprocess.run(["git", "-C", url, "branch", "--show-current"], check=True,
                            stdout=subprocess.PIPE).stdout.decode().strip()
    for name in ("cub/cub.cuh", "docs/a.md"):
        os.makedirs(os.path.dirname(os.path.join(url, name)))
        with open(os.path.join(url, name), "w", encoding="utf-8") as file:
            file.write("// a\n")
    git = ["git", "-C", url, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "b"], check=True)
    assert bench.fetch_cccl(branch, url) == folder
    assert bench.git_of(folder) not in (None, commit)
    assert os.path.exists(os.path.join(folder, "cub", "cub.cuh")) and not os.path.exists(os.path.join(folder, "docs"))
    built = []
    monkeypatch.setattr(bench, "build_peers", lambda *words: built.append(words))
    bench.build_next_peers("sm_90")
    (architecture, name, flags), = built
    assert (architecture, name) == ("sm_90", "libgp_peers_next.so")
    assert bench.git_of(folder)[:7] in flags[-1] and flags[0].endswith("cccl/cub")
    assert bench.fetch_cccl(commit, url) == folder and bench.git_of(folder) == commit


def test_a_library_without_sources_is_left_out(repository, monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(libraries.bench, "find_nvcc", lambda: "nvcc")
    monkeypatch.setattr(libraries.bench, "run", lambda line: ran.append(line))
    monkeypatch.setattr(libraries.os, "remove", lambda path: None)
    assert libraries.build("sm_90") == libraries.TARGET
    assert "without moderngpu" in capsys.readouterr().err
    parts = sorted(re.search(r"GP_MORE_PART=(\d)", " ".join(line)).group(1) for line in ran[:-1])
    assert parts == ["0", "2"] and ran[-1][1] == "-shared" and len(ran[-1][-4:]) == 4
    open(libraries.TARGET, "w", encoding="utf-8").close()
    assert libraries.build("sm_90") == libraries.TARGET and ran[-1][1] == "-shared"
    count = len(ran)
    libraries.main(["--from", f"moderngpu={repository[0]}"])
    ran_again = len(ran) - count
    assert ran_again == 3, "git's commands alone"
    monkeypatch.setattr(libraries, "commit_of", lambda name: repository[1])
    assert libraries.build("sm_90") == libraries.TARGET and len(ran) > count + 3, "another library, another build"


def test_a_carried_library_needs_neither_nvcc_nor_sources(repository, monkeypatch, capsys):
    monkeypatch.setattr(libraries.bench, "find_nvcc", lambda: None)
    assert libraries.build("sm_90") is None and "no nvcc" in capsys.readouterr().err
    asked = []
    monkeypatch.setattr(libraries.bench, "current", lambda target, stamp: asked.append(stamp) or True)
    assert libraries.build("sm_90") == libraries.TARGET
    libraries.build("sm_80")
    monkeypatch.setattr(libraries, "commit_of", lambda name: repository[1])
    libraries.build("sm_90")
    assert asked[0] != asked[1] and asked[0] == asked[2], "with all libraries, whatever sources are here"
    monkeypatch.setattr(libraries.bench, "device_architecture", lambda: None)
    assert libraries.build() is None


def test_every_part_compiles_with_its_headers_and_names_its_commit():
    made = {object_: arguments for arguments, object_ in libraries.commands(list(libraries.LIBRARIES), "sm_90", "/p")}
    assert "-I/p/moderngpu/src" in made["build/gp_more_1.o"] and "--extended-lambda" in made["build/gp_more_1.o"]
    assert not any("/p/" in word for word in made["build/gp_more_2.o"])
    assert "/p/cudpp/src/cudpp/app/scan_app.cu" in made["build/gp_more_cudpp_scan_app.o"]
    for library in libraries.LIBRARIES.values():
        assert re.fullmatch(r"[0-9a-f]{40}", library.commit)
        assert any(library.commit[:7] in word for word in made["build/gp_more_0.o"])
    assert all("," not in word for arguments in made.values() for word in arguments if word.startswith("-D")), \
        "nvcc ends a definition at a comma"
    with open(os.path.join(ROOT, "tools", "peers", "more.cu"), encoding="utf-8") as file:
        text = file.read()
    assert all(f"GP_MORE_PART == {part}" in text for part in (0, 1, 2)) and "#else // ---- CUDPP" in text


# ---- CuPy and PyTorch


class Driver:
    def __init__(self):
        self.said = []

    def synchronize(self):
        pass

    def start(self):
        self.said.append("start")

    def mark(self, number):
        self.said.append(number)

    def stop(self):
        self.said.append("stop")

    def microseconds(self, calls):
        for call in calls:
            call()
        return 1000.0


@pytest.fixture
def cupy(monkeypatch):
    """NumPy under CuPy's name."""
    stand_in = types.ModuleType("cupy")
    stand_in.__dict__.update({name: getattr(np, name) for name in dir(np) if not name.startswith("__")})
    stand_in.__version__ = "made-up"
    stand_in.random = types.SimpleNamespace(
        random=lambda count, dtype: np.random.random(count).astype(dtype), permutation=np.random.permutation,
        randint=lambda low, high, count, dtype: np.random.randint(low, high, count, dtype=dtype))
    monkeypatch.setitem(sys.modules, "cupy", stand_in)
    return stand_in


def run_frameworks(monkeypatch, tmp_path, cells, *options):
    out, driver = tmp_path / "out.jsonl", Driver()
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(cell + "\n" for cell in cells)))
    assert frameworks.main(["--out", str(out), *options], driver) == 0
    return measure.lines_of(str(out)), driver


@pytest.mark.turn
def test_every_call_of_cupy_runs_on_the_stand_in(cupy, monkeypatch, tmp_path):
    monkeypatch.setattr(frameworks, "sets_of", lambda cell: 2)
    small = [f"{cell} haystack=1K" if "lower_bound" in cell else cell for cell in SMALL]
    lines, _ = run_frameworks(monkeypatch, tmp_path, small, "--libraries", "cupy")
    assert lines[0] == {"kind": "library", "library": "cupy", "version": "made-up"}
    samples = {line["cell"]: line for line in lines[1:]}
    assert {name.split()[0] for name in samples} == {name.split()[0] for name in frameworks.CUPY}
    assert {line["status"] for line in samples.values()} == {"ok"}, samples
    assert all(line["median_us"] == 1000 and line["variant"] == "peer" for line in samples.values())


def test_calls_for_a_profiler_follow_their_marks(cupy, monkeypatch, tmp_path, capsys):
    cupy.cumsum = lambda *_, **__: 1 / 0
    cells = ["copy u32 n=64", "inclusive_scan SUM f32 n=64", "set_union u32 n=64", "partition u32 n=64"]
    lines, driver = run_frameworks(monkeypatch, tmp_path, cells, "--libraries", "none_such,cupy", "--profile", "1")
    marks = [(line["mark"], line["cell"].split()[0], line["status"].split(":")[0]) for line in lines[1:]]
    assert marks == [(1, "copy", "started"), (1, "copy", "ok"), (2, "inclusive_scan", "started"),
                     (2, "inclusive_scan", "FAILED ZeroDivisionError"), (3, "set_union", "started"),
                     (3, "set_union", "ok")]
    assert driver.said == ["start", 1, "stop", "start", 3, "stop"]
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "mark 1: copy u32 n=64 [cupy] started" and said[1] == "mark 1: copy u32 n=64 [cupy] ok"
    _, driver = run_frameworks(monkeypatch, tmp_path, cells[:1], "--libraries", "cupy", "--profile", "1", "--unmarked")
    assert driver.said == ["start", "stop"], "no launch that a profiler would replay"


def test_the_time_of_frameworks_runs_out(cupy, monkeypatch, tmp_path):
    lines, _ = run_frameworks(monkeypatch, tmp_path, SMALL, "--libraries", "cupy", "--seconds", "-1")
    assert [line["kind"] for line in lines] == ["library"]


@pytest.mark.parametrize("cell, cupy_, torch", [
    ("reduce SUM f32 n=1M", True, True), ("reduce PROD f32 n=1M", False, False), ("copy u64 n=1M", False, False),
    ("select u32 form=flags key=u32 n=1M", False, False), ("gather u32 form=flags n=1M", True, True),
    ("sort u32 n=1M payload=u32", False, False),
    ("load_balance u32 n=1M segments=pareto:64", False, False),
    ("load_balance u32 n=1M segments=fixed:256", False, True), ("set_union u32 n=1M", True, False)])
def test_frameworks_serve_what_they_compute(cell, cupy_, torch):
    assert [bool(frameworks.served([cell], [name])) for name in ("cupy", "torch")] == [cupy_, torch]


def test_sizes_of_cells():
    assert frameworks.Cell("sort u32 n=64M").n == 1 << 26 and frameworks.Cell("sort u32 n=1.5K").n == 1536
    assert frameworks.Cell("x u8 n=1M segments=fixed:2K").segment() == 2048
    assert frameworks.sets_of(frameworks.Cell("copy u32 n=64M")) == 1
    assert frameworks.sets_of(frameworks.Cell("copy u32 n=1M")) == 32


# ---- one thread of the host


@pytest.mark.turn
def test_the_reference_has_every_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(sequential, "TARGET", str(tmp_path / "sequential"))
    reference = sequential.Reference(SMALL + ["transpose f32 n=4K"], str(tmp_path))
    times = reference.times(60)
    assert set(times) == set(SMALL) and all(us > 0 for us in times.values())


@pytest.mark.turn
def test_a_reference_that_is_too_slow_keeps_what_it_has(tmp_path, monkeypatch):
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\necho '{\"cell\": \"a\", \"us\": 5}'\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(sequential, "build", lambda: str(program))
    reference = sequential.Reference(["a", "b"], str(tmp_path))
    assert reference.times(1) == {"a": 5} and reference.process.returncode != 0


# ---- what the records make of them


def sample(cell, library, us, **fields):
    return {"kind": "sample", "cell": cell, "variant": "ours" if library == "gpuprims" else "peer", "status": "ok",
            "label": "default" if library == "gpuprims" else library, "median_us": us, "primitive": "reduce", "n": 4,
            **fields}


def test_records_have_speed_ups_energy_and_transfers():
    kernel = {"name": "k", "grid": 1, "raw": {}}
    times = [{"kind": "environment"}, {"kind": "library", "library": "cupy", "version": "14"},
             sample("c", "gpuprims", 2.0, bytes=900, joules=0.5, joules_error=0.1, copy_us=9.0, copied_bytes=100,
                    overlapped_bytes=50),
             sample("c", "cupy", 4.0)]
    counters = {("c", "gpuprims"): ("ok", [kernel]), ("c", "cupy"): ("ok", [kernel])}
    environment, ours, cupy_ = measure.records(["c"], times, counters, sequential={"c": 100.0})
    assert environment["frameworks"] == {"cupy": "14"}
    assert ours["criteria"]["DT"] == pytest.approx(0.95) and ours["printed"]["DT"] == pytest.approx(0.45)
    assert cupy_["criteria"]["DT"] is None and "DT" in cupy_["missing"]
    assert (ours["speedup"], cupy_["speedup"]) == (50, 25) and ours["joules"] == 0.5
    assert cupy_["gbs"] == pytest.approx(900 / 4e3), "the bytes that ours moves"
    table = measure.table([environment, ours, cupy_])
    assert "500.0000 100.0000" in table and " mJ" in table


def test_a_policy_is_a_row_of_its_own():
    times = [sample("c", "gpuprims", 2.0), {**sample("c", "gpuprims", 1.0), "label": "threads=64"}]
    lines = [{"kind": "profile", "mark": 1, "cell": "c", "library": "gpuprims", "policy": "", "status": "ok"},
             {"kind": "profile", "mark": 2, "cell": "c", "library": "gpuprims", "policy": "threads=64", "status": "ok"}]
    kernels = [{"name": measure.MARK, "grid": 1, "raw": {}}, {"name": "a", "raw": {}},
               {"name": measure.MARK, "grid": 2, "raw": {}}, {"name": "b", "raw": {}}]
    rows = measure.records(["c"], times, measure.attribute(lines, measure.by_mark(kernels)))[1:]
    assert [(row["library"], row["median_us"], row["kernels"][0]["name"]) for row in rows] == \
        [("gpuprims", 2.0, "a"), ("gpuprims threads=64", 1.0, "b")]
    assert "beside" not in rows[0], "a variant of ours is no peer"


class Session:
    first = "gpuprims"
    end = 100.0

    def left(self):
        return self.end

    def times(self, cells, share):
        self.share = share
        return [sample("copy u32 n=1M", "gpuprims", 1.0)]

    def probe(self):
        self.reason = None

    def counters(self, cells):
        self.had = self.left()
        return {("copy u32 n=1M", "gpuprims"): ("ok", [])}


def test_frameworks_get_their_share_of_the_time(monkeypatch):
    made = []

    class Framework(Session):
        def __init__(self, name, session):
            self.first, self.end = name, session.left()
            made.append(self)

        def times(self, cells, share):
            return [sample(cells[0], self.first, 1.0)]

        def counters(self, cells):
            super().counters(cells)
            return {(cell, self.first): ("ok" if cell == "copy u32 n=1M" else "why", []) for cell in cells}

    monkeypatch.setattr(measure, "FrameworkSession", Framework)
    session = Session()
    times, counters = command.measure_all(session, ["copy u32 n=1M", "merge u32 n=1M"], ["cupy", "torch"])
    assert session.share == 0.25 and session.had == pytest.approx(50) and session.end == 100
    assert [one.had for one in made] == [50, 100]
    assert [line["label"] for line in times] == ["default", "cupy", "torch"]
    assert set(counters) == {("copy u32 n=1M", "gpuprims")}, "calls that ran well without kernels are no data"


@pytest.mark.parametrize("stop", ["own", "cupy", "torch"])
def test_what_is_measured_outlives_an_interrupt(monkeypatch, stop, capsys):
    class Framework(Session):
        def __init__(self, name, session):
            self.first, self.end = name, session.left()

        def times(self, cells, share):
            if self.first == stop:
                raise KeyboardInterrupt
            return [sample(cells[0], self.first, 1.0)]

    class Own(Session):
        def counters(self, cells):
            if stop == "own":
                raise KeyboardInterrupt
            return super().counters(cells)

    monkeypatch.setattr(measure, "FrameworkSession", Framework)
    session = Own()
    times, counters = command.measure_all(session, ["copy u32 n=1M"], ["cupy", "torch"])
    assert [line["label"] for line in times] == {"own": ["default"], "cupy": ["default"],
                                                 "torch": ["default", "cupy"]}[stop]
    assert set(counters) == (set() if stop == "own" else {("copy u32 n=1M", "gpuprims")})
    assert session.end <= time.monotonic() and "what is measured is written" in capsys.readouterr().err


def test_no_framework_begins_when_the_time_is_over(monkeypatch):
    class Framework(Session):
        def __init__(self, name, session):
            self.end = measure.LEAST_SECONDS - 1

        def times(self, cells, share):
            raise AssertionError("began")

    monkeypatch.setattr(measure, "FrameworkSession", Framework)
    times, _ = command.measure_all(Session(), ["copy u32 n=1M"], ["torch"])
    assert [line["label"] for line in times] == ["default"]


def test_a_process_ends_with_its_tool(tmp_path, monkeypatch):
    """An interrupt of a process that waits for another ends that one."""
    def interrupt(self, *_, **__):
        os.kill(self.pid, 0)  # it runs
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupt)
    started = []
    begin = subprocess.Popen.__init__
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda self, *a, **k: (begin(self, *a, **k), started.append(self))
                        and None)
    with pytest.raises(KeyboardInterrupt):
        measure.run(["sleep", "100"], [], 60)
    assert started[0].wait(10) == -signal.SIGKILL


def test_a_session_of_a_framework(tmp_path):
    session = measure.Session("p", "l", "cub", str(tmp_path), 60, more="m", options=["--transfers"],
                              policies=["threads=64"])
    command_ = session.times_command("o", 15)
    for words in (["--peers-library", "l"], ["--more-peers", "m"], ["--policy", "threads=64"], ["--seconds", "15"]):
        assert command_[command_.index(words[0]):][:2] == words
    assert "--transfers" in command_
    assert "--transfers" not in session.bench_command("o", "--profile", "1")
    own = measure.FrameworkSession("torch", session)
    assert own.first == "torch" and own.log is session.log
    assert own.times_command("o", 15)[1:] == ["-m", "tools.quality.frameworks", "--libraries", "torch", "--out", "o",
                                             "--seconds", "15"]


def test_cells_that_a_file_has_are_left_out(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"kind": "quality", "cell": cell, "library": "gpuprims", "median_us": us,
                                        "kernels": [{}]}) + "\n"
                            for cell, us in (("copy u32 n=5", 1.0), ("copy u32 n=6", None))))
    asked = []
    monkeypatch.setattr(bench, "has_gpu", lambda: True)
    monkeypatch.setattr(bench, "build_bench", lambda: "p")
    compiled = []
    monkeypatch.setattr(measure, "compile_ahead", lambda program, jobs, seconds: compiled.extend(jobs))
    monkeypatch.setattr(command, "measure_all", lambda _, cells, others, finished: (asked.extend(cells) or [], {}))
    assert command.main(["--cell", "copy u32 n=5", "--cell", "copy u32 n=6", "--without", str(path), "--peers", "none",
                         "--no-sequential", "--out", str(tmp_path)]) == 1
    assert asked == ["copy u32 n=6"] and compiled == [(["copy u32 n=6"], [], True)]
